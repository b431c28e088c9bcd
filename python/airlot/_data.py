"""Data sets in memory."""
from __future__ import annotations

from typing import Optional

import numpy.typing as npt

from . import _core


class Dataset:
    """Samples to train on, and others to test with, as arrays.

    Samples are [sample][row][column] or [sample][channel][row][column] as uint8 pixels, or numbers of any kind,
    [sample][feature] too. Answers are labels from 0 to ``classes`` - 1, or numbers to predict with
    ``classes=0``. Where a backend of your own has the samples, leave ``train_x`` and ``test_x`` out.

    >>> import numpy as np
    >>> Dataset(train_y=np.array([0, 1, 1]), test_y=np.array([1]), classes=2).samples
    3
    """

    def __init__(self, *, train_y: npt.ArrayLike, test_y: npt.ArrayLike, classes: int,
                 train_x: Optional[npt.ArrayLike] = None, test_x: Optional[npt.ArrayLike] = None,
                 name: str = "own") -> None:
        self._core = _core.Dataset.of_arrays(name, train_x, train_y, test_x, test_y, classes)

    @property
    def name(self) -> str:
        """What reports call it."""
        return self._core.name

    @property
    def samples(self) -> int:
        """How many samples there are to train on."""
        return self._core.samples

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.samples} samples)"
