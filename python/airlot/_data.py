"""Data sets in memory."""
from __future__ import annotations

from . import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from ._types import ArrayLike


class Dataset:
    """Samples to train on, and others to test with, as arrays.

    Samples are [sample][row][column] or [sample][channel][row][column] as uint8 pixels, or numbers of any kind,
    [sample][feature] too. Answers are labels from 0 to ``classes`` - 1, or numbers to predict with
    ``classes=0``. Where a backend of your own has the samples, leave ``train_x`` and ``test_x`` out.

    >>> data = airlot.Dataset(train_y=[0, 1, 1], test_y=[1], classes=2)
    >>> data
    Dataset('own', 3 samples)
    """

    def __init__(self, *, train_y: ArrayLike, test_y: ArrayLike, classes: int,
                 train_x: Optional[ArrayLike] = None, test_x: Optional[ArrayLike] = None,
                 name: str = "own") -> None:
        self._core = _core.Dataset.of_arrays(name, train_x, train_y, test_x, test_y, classes)

    @property
    def name(self) -> str:
        """What you call it.

        >>> data.name
        'own'
        """
        return self._core.name

    @property
    def samples(self) -> int:
        """How many samples there are to train on.

        >>> data.samples
        3
        """
        return self._core.samples

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.samples} samples)"
