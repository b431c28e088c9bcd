"""Messages over the Grid of Flower's Message API."""
from __future__ import annotations

import hashlib
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple, Union

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, RecordDict
from flwr.serverapp import Grid

from . import wire
from .enrolment import Claim
from .round import Reply
from .transport import Answer, Arrays, Poll, Score
from .wire import Config

TTL_MARGIN_S = 30.0
"""Messages are forgotten so long after their deadline."""


def array_record_of(arrays: Arrays) -> ArrayRecord:
    """Returns arrays as Flower's record."""
    return ArrayRecord({name: Array(np.asarray(values, order="C")) for name, values in arrays.items()})


def arrays_of(record: Mapping[str, Any]) -> Arrays:
    """Returns the arrays of Flower's record, as float32."""
    return {name: np.asarray(array.numpy(), dtype=np.float32) for name, array in record.items()}


def answer_of(kind: str, node: int, content: RecordDict) -> Answer:
    """Returns what a reply says. Raises ValueError where it cannot be read."""
    metrics = content.metric_records.get(wire.METRICS, {})
    words = content.config_records.get(wire.WORDS, {})
    if kind == "query":
        return wire.claim_of(node, metrics, words)
    if kind == "evaluate":
        return Score(node, metrics.get("loss"), metrics.get("accuracy"))
    record = content.array_records.get(wire.ARRAYS)
    arrays = None if record is None else {name: array.numpy() for name, array in record.items()}
    return wire.reply_of(node, arrays, metrics, words)


def failure_of(kind: str, node: int, reason: str) -> Answer:
    """Returns an answer that says that there is none."""
    if kind == "query":
        return Claim(node, error=reason)
    return Score(node) if kind == "evaluate" else Reply(node, error=reason)


class GridTransport:
    """Carries messages over a Grid: to a SuperLink, or in Flower's simulation."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid

    def nodes(self) -> Dict[int, Optional[str]]:
        found: Dict[int, Optional[str]] = {}
        for node in self._grid.get_nodes():
            key = bytes(node.public_key)
            # Flower's simulation has words in the place of keys.
            is_key = key.startswith(b"-----BEGIN PUBLIC KEY-----")
            found[int(node.node_id)] = hashlib.sha256(key).hexdigest() if is_key else None
        return found

    def exchange(self, kind: str, arrays: Optional[Arrays], configs: Mapping[int, Config],
                 deadline_s: float) -> Iterator[Tuple[Answer, float]]:
        record = None if arrays is None else array_record_of(arrays)
        messages = []
        for node, config in configs.items():
            content = RecordDict({wire.CONFIG: ConfigRecord(config)})
            if record is not None:
                content[wire.ARRAYS] = record
            messages.append(Message(content, node, kind, ttl=deadline_s + TTL_MARGIN_S,
                                    group_id=str(config.get(wire.ROUND, 0))))
        node_of: Dict[str, int] = {}
        for message, node in zip(self._grid.push_messages(messages), configs):
            if message:
                node_of[message] = node
            else:
                yield failure_of(kind, node, "the SuperLink did not take the message"), 0.0
        for asked, reply, at_s in Poll(self._fetch, list(node_of), deadline_s):
            yield self._answer(kind, node_of[asked], reply), at_s

    def _fetch(self, message: str) -> Optional[Message]:
        for reply in self._grid.pull_messages([message]):
            return reply
        return None

    def _answer(self, kind: str, asked: int, reply: Union[Message, Exception]) -> Answer:
        if isinstance(reply, Exception):
            return failure_of(kind, asked, f"the reply cannot be fetched: {type(reply).__name__}: {reply}")
        if reply.has_error():
            return failure_of(kind, asked, f"{reply.error.code}: {reply.error.reason or ''}")
        try:
            return answer_of(kind, int(reply.metadata.src_node_id), reply.content)
        except Exception as error:  # Whatever a reply holds must not end the run.
            return failure_of(kind, asked, f"the reply cannot be read: {type(error).__name__}: {error}")
