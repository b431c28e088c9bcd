"""How messages reach nodes, whichever of Flower's two APIs carries them."""
from __future__ import annotations

import queue
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterator, List, Mapping, Optional, Protocol, Tuple, Union

import numpy as np
import numpy.typing as npt

from .enrolment import Claim
from .round import Reply
from .wire import Config

Arrays = Dict[str, npt.NDArray[np.float32]]
LEAST_PAUSE_S = 0.02
"""Between two questions to a SuperLink, each of which costs it milliseconds. A busy one is left alone for longer."""


class Score:
    """What a node answered when it was asked to evaluate."""

    def __init__(self, node: int, loss: object = None, accuracy: object = None) -> None:
        self.node, self.loss, self.accuracy = node, loss, accuracy


Answer = Union[Claim, Reply, Score]


class Transport(Protocol):
    """Carries messages to nodes and their answers back."""

    def nodes(self) -> Mapping[int, Optional[str]]:
        """Returns the nodes that are there, each with the name that follows from its key, if that is known. Waits
        for as long as nobody can say."""
        ...

    def exchange(self, kind: str, arrays: Optional[Arrays], configs: Mapping[int, Config],
                 deadline_s: float) -> Iterator[Tuple[Answer, float]]:
        """Sends each of these nodes a message of a kind ("query", "train" or "evaluate"), and yields the answers and
        when they came, in seconds since then, until the deadline."""
        ...


class Poll:
    """Asks for the replies to messages again and again, each by itself: to fetch one may take as long as its
    sender takes to send it, or minutes where the sender died meanwhile, and must not keep the others waiting.

    It yields the id of a message, the reply to it, or the error that came of fetching that, and when it came.
    """

    def __init__(self, fetch: Callable[[str], Optional[Any]], ids: List[str], deadline_s: float, *, every_s: float = 0.3,
                 patience_s: float = 2.0) -> None:
        self._fetch = fetch
        self._waiting: Deque[str] = deque(ids)
        self._left = len(ids)
        self._found: queue.Queue[Any] = queue.Queue()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._every_s = every_s
        self._patience_s = patience_s
        self._last_step = time.monotonic()
        self._threads = 0
        self._begun = time.monotonic()
        self._deadline_s = deadline_s

    def __iter__(self) -> Iterator[Tuple[str, Any, float]]:
        self._start_thread()
        try:
            while self._left > 0:
                now_s = time.monotonic() - self._begun
                if now_s >= self._deadline_s:
                    return
                try:
                    asked, reply = self._found.get(timeout=min(self._deadline_s - now_s, 0.2))
                except queue.Empty:
                    self._start_thread_if_stuck()
                    continue
                self._left -= 1
                yield asked, reply, time.monotonic() - self._begun
        finally:
            self._stopped.set()

    def _start_thread(self) -> None:
        self._threads += 1
        self._last_step = time.monotonic()
        threading.Thread(target=self._work, name="airlot-poll", daemon=True).start()

    def _start_thread_if_stuck(self) -> None:
        if time.monotonic() - self._last_step > self._patience_s and self._waiting:
            self._start_thread()

    def _work(self) -> None:
        while not self._stopped.is_set():
            with self._lock:
                if not self._waiting:
                    return  # All that is left is in the hands of other threads.
                asked = self._waiting.popleft()
            reply: Any
            begun = time.monotonic()
            try:
                reply = self._fetch(asked)
            except Exception as error:  # Bytes of a hostile sender may be such that they cannot be read.
                reply = error
            self._last_step = time.monotonic()
            if reply is not None:
                self._found.put((asked, reply))
                continue
            with self._lock:
                self._waiting.append(asked)
                pause_s = max(self._every_s / len(self._waiting), LEAST_PAUSE_S, 2 * (self._last_step - begun))
                pause_s = min(pause_s, self._patience_s / 2)  # else it would look stuck
            self._stopped.wait(pause_s)
