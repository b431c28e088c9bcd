"""Progress of long work: a bar of tqdm where it is there, else a line on a terminal."""
from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Callable, Optional, Type, Union

ProgressLike = Union[bool, None, Callable[[int, int], None]]

_LEAST_S = 2.0  # Shorter work shows nothing.


class Progress:
    """Shows how many of all rounds are done; a function of the user is told instead where there is one."""

    def __init__(self, rounds: int, wanted: ProgressLike) -> None:
        self._rounds = rounds
        self._wanted = wanted
        self._begun_s = time.monotonic()
        self._bar: Any = None
        self._has_line = False

    def __call__(self, done: int) -> None:
        if callable(self._wanted):
            self._wanted(done, self._rounds)
            return
        if self._wanted is False or time.monotonic() - self._begun_s < _LEAST_S:
            return
        if self._bar is None and not self._has_line:
            self._open()
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif self._has_line:
            print(f"\r{100 * done // max(self._rounds, 1)} % of {self._rounds} rounds", end="", file=sys.stderr)

    def _open(self) -> None:
        in_notebook = "ipykernel" in sys.modules
        if not (self._wanted or in_notebook or sys.stderr.isatty()):
            self._wanted = False
            return
        try:
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # tqdm warns where ipywidgets are missing.
                from tqdm.auto import tqdm
        except ImportError:
            self._has_line = True
            return
        self._bar = tqdm(total=self._rounds, unit="round", initial=0)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is None and callable(self._wanted):
            self._wanted(self._rounds, self._rounds)
        if self._bar is not None:
            if kind is None:
                self._bar.update(self._rounds - self._bar.n)
            self._bar.close()
        elif self._has_line:
            print("\r\033[K", end="", file=sys.stderr)
