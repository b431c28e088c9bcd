"""Ways to bring updates together that some of them cannot spoil.

Each takes a matrix with one update a row, and returns one of the same shape: what each row counts as. Those that
bring all together put the result in every row, so that any weights that add up to 1 give it.
"""
from __future__ import annotations

import dataclasses
import math
from typing import Protocol

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


class Rule(Protocol):
    """What a robust rule is."""

    def __call__(self, updates: Matrix) -> Matrix:
        ...


def _for_all(result: npt.NDArray[np.float64], rows: int) -> Matrix:
    return np.tile(result.astype(np.float32), (rows, 1))


@dataclasses.dataclass(frozen=True)
class Clip:
    """Shortens updates to a norm (Sun, Kairouz, Suresh, McMahan: Can you really backdoor federated learning?, 2019)."""

    norm: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.norm) and self.norm > 0):
            raise ValueError(f"norm = {self.norm}: must be finite and > 0")

    def __call__(self, updates: Matrix) -> Matrix:
        norms = np.linalg.norm(updates.astype(np.float64), axis=1)
        factors = np.minimum(1.0, self.norm / np.maximum(norms, np.finfo(np.float64).tiny))
        clipped: Matrix = (updates * factors[:, None]).astype(np.float32)
        return clipped


@dataclasses.dataclass(frozen=True)
class Median:
    """The median of each coordinate, whatever the weights (Yin, Chen, Ramchandran, Bartlett: Byzantine-robust
    distributed learning, ICML 2018, definition 1). More than half of the rows must be honest."""

    def __call__(self, updates: Matrix) -> Matrix:
        if len(updates) == 0:
            return updates
        return _for_all(np.median(updates.astype(np.float64), axis=0), len(updates))


@dataclasses.dataclass(frozen=True)
class TrimmedMean:
    """The mean of each coordinate without its largest and its smallest values, a share of each (the same paper,
    definition 2): floor(share * rows) at either end."""

    share: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= self.share < 0.5:
            raise ValueError(f"share = {self.share}: must be from 0 to below 0.5")

    def __call__(self, updates: Matrix) -> Matrix:
        rows = len(updates)
        if rows == 0:
            return updates
        cut = int(self.share * rows)
        ordered = np.sort(updates.astype(np.float64), axis=0)
        return _for_all(ordered[cut:rows - cut].mean(axis=0), rows)


@dataclasses.dataclass(frozen=True)
class Krum:
    """The update whose nearest neighbours are nearest, or the mean of the first ``chosen`` by that score (Blanchard,
    El Mhamdi, Guerraoui, Stainer: Machine learning with adversaries, NIPS 2017, section 4). A score is the sum of
    the squared distances to the rows - hostile - 2 nearest others. With fewer than 2 * hostile + 3 rows nothing is
    promised; there is then at least one neighbour."""

    hostile: int = 1
    chosen: int = 1

    def __post_init__(self) -> None:
        if self.hostile < 0 or self.chosen < 1:
            raise ValueError(f"hostile = {self.hostile}, chosen = {self.chosen}: must be at least 0 and 1")

    def __call__(self, updates: Matrix) -> Matrix:
        rows = len(updates)
        if rows <= 1:
            return updates
        wide = updates.astype(np.float64)
        wide -= wide.mean(axis=0)  # Distances stay, and the products below round less.
        squares = (wide * wide).sum(axis=1)
        distances = np.maximum(squares[:, None] + squares[None, :] - 2 * wide @ wide.T, 0)
        np.fill_diagonal(distances, np.inf)
        neighbours = min(max(rows - self.hostile - 2, 1), rows - 1)
        scores = np.sort(distances, axis=1)[:, :neighbours].sum(axis=1)
        best = np.argsort(scores, kind="stable")[:self.chosen]
        return _for_all(updates[best].astype(np.float64).mean(axis=0), rows)
