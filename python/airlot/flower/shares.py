"""Shares of a data set, for nodes that have no data of their own: to try a federation on one machine."""
from __future__ import annotations

import functools
from typing import Any, Optional, Tuple

import numpy.typing as npt

from .. import _core

Samples = Tuple[npt.NDArray[Any], npt.NDArray[Any]]


@functools.lru_cache(maxsize=2)
def _arrays(name: str, most: Optional[int]) -> Tuple[Any, ...]:
    return _core.Dataset.read(name, most).arrays()


def share_of(name: str, index: int, shares: int, most: Optional[int] = None) -> Samples:
    """Returns samples and answers of one of so many equal shares of a data set, or of its first ``most`` samples.

    >>> x, y = share_of("digits", 1, 4, most=100)
    >>> x.shape, y.shape
    ((25, 28, 28), (25,))
    """
    if not 0 <= index < shares:
        raise _core.Error(f"share {index} of {shares}: must be from 0 to {shares - 1}")
    x, y, _, _, _ = _arrays(name, most)
    return x[:most][index::shares], y[:most][index::shares]


def test_of(name: str, most: Optional[int] = None) -> Samples:
    """Returns the samples and answers that are there to test with, or the first ``most`` of them."""
    _, _, x, y, _ = _arrays(name, most)
    return x[:most], y[:most]
