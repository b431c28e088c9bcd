"""Progress of long work: a bar of tqdm where it is there, else a line on a terminal."""
from __future__ import annotations

import sys
import time

from ._checks import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Optional, Type

    from ._types import ProgressLike

_LEAST_S = 2.0  # Shorter work shows nothing.


class Progress:
    """Shows how many of all rounds are done; a function of the user is told instead where there is one."""

    def __init__(self, wanted: ProgressLike) -> None:
        if not (wanted is None or isinstance(wanted, bool) or callable(wanted)):
            refuse("progress", "True, False or a function of (rounds done, all rounds)", wanted)
        self._rounds = 0
        self._wanted = wanted
        self._begun_s = time.monotonic()
        self._bar: Any = None
        self._has_line = False

    def __call__(self, done: int, rounds: int) -> None:
        self._rounds = rounds
        if callable(self._wanted):
            self._wanted(done, rounds)
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
        if self._bar is not None:
            self._bar.close()
        elif self._has_line:
            print("\r\033[K", end="", file=sys.stderr)
