"""One round with devices elsewhere: who was invited, whose replies count, and when it is over.

It has neither a clock nor a network: who drives it says what comes in, and when. Nothing of a reply is used
before all of it was checked.
"""
from __future__ import annotations

import dataclasses
import math
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from .enrolment import changed_figures

Vector = npt.NDArray[np.float32]

REASONS = ("late", "not drawn", "wrong round", "wrong token", "wrong device", "duplicate", "error", "wrong keys",
           "wrong shape", "not numbers", "not finite", "too long", "bad figures")
"""Why replies are refused."""


@dataclasses.dataclass(frozen=True)
class Reply:
    """What came from a node; None where it is missing."""

    node: int
    round: Optional[int] = None
    token: Optional[str] = None
    device: Optional[str] = None
    """The name by which the device goes, where it says one."""
    arrays: Optional[Mapping[str, npt.NDArray[np.generic]]] = None
    """The parameters after training."""
    loss: Optional[float] = None
    compute_s: Optional[float] = None
    upload_s: Optional[float] = None
    energy_j: Optional[float] = None
    figures: Mapping[str, object] = dataclasses.field(default_factory=dict)
    """What the device has found anew of its channel and its battery."""
    error: Optional[str] = None
    """What went wrong, in the words of the device or of who carries its messages."""


@dataclasses.dataclass(frozen=True)
class Seat:
    """An invitation: it is for one node, which shows the token when it answers."""

    node: int
    token: str
    device: str = ""
    """The enrolled name."""


@dataclasses.dataclass(frozen=True)
class Rules:
    """What a reply must keep to."""

    deadline_s: float = 30.0
    """When the round ends, in seconds from its beginning."""
    least_arrivals: int = 1
    """With fewer updates the round is abandoned: the model stays as it is."""
    longest_update: Optional[float] = None
    """The largest norm of an update; None: 100 times that of the parameters, and at least 100."""
    longest_time_s: Optional[float] = None
    """The longest time that a device may report; None: the deadline, which its reply has kept. Where radios are
    emulated faster than they are, it is longer."""
    most_power_w: float = 1000.0
    """No device spends more energy than this power over that time."""

    def __post_init__(self) -> None:
        for name in ("deadline_s", "most_power_w"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} = {value}: must be finite and > 0")
        if self.least_arrivals < 1:
            raise ValueError(f"least_arrivals = {self.least_arrivals}: must be at least 1")
        for name in ("longest_update", "longest_time_s"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} = {value}: must be > 0")


@dataclasses.dataclass(frozen=True)
class Accepted:
    """An update that counts, and what was measured; None where it was not."""

    update: Vector
    """The start minus the trained parameters."""
    loss: float
    compute_s: Optional[float]
    upload_s: Optional[float]
    energy_j: Optional[float]
    figures: Mapping[str, float] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Refusal:
    """A reply that does not count."""

    node: int
    seat: Optional[int]
    """The invitation that the node has, if it has one."""
    reason: str
    """One of REASONS."""
    detail: str


class Round:
    """A round from its invitations to its end. Times are seconds since it began."""

    def __init__(self, number: int, start: npt.ArrayLike, shapes: Mapping[str, Tuple[int, ...]], seats: Sequence[Seat],
                 rules: Rules = Rules()) -> None:
        self.number = number
        self.rules = rules
        self.seats = list(seats)
        self.refusals: List[Refusal] = []
        self._start = np.asarray(start, dtype=np.float32)
        self._shapes = dict(shapes)
        self._accepted: Dict[int, Accepted] = {}
        self._answered: set[int] = set()
        self._seat_of = {seat.node: at for at, seat in enumerate(self.seats)}
        if len(self._seat_of) != len(self.seats):
            raise ValueError("a node is invited twice")
        if len({seat.token for seat in self.seats}) != len(self.seats):
            raise ValueError("two invitations have one token")
        if sum(math.prod(shape) for shape in self._shapes.values()) != self._start.size:
            raise ValueError(f"the shapes do not add up to {self._start.size} parameters")
        norm = float(np.linalg.norm(self._start.astype(np.float64)))
        self._longest = rules.longest_update if rules.longest_update is not None else 100 * max(1.0, norm)

    def offer(self, reply: Reply, at_s: float) -> Optional[str]:
        """Takes a reply that came at this time. Returns None where it counts, else why it does not."""
        seat = self._seat_of.get(reply.node)
        fault = self._fault_of_sender(reply, seat, at_s)
        if fault is None and seat is not None:
            self._answered.add(seat)  # From here on the reply is the node's own, and the only one.
            fault, accepted = self._look_into(reply)
            if accepted is not None:
                self._accepted[seat] = accepted
        if fault is None:
            return None
        self.refusals.append(Refusal(reply.node, seat, *fault))
        return fault[0]

    def is_over(self, at_s: float) -> bool:
        """Says whether nobody is waited for any more."""
        return at_s >= self.rules.deadline_s or len(self._answered) == len(self.seats)

    @property
    def missing(self) -> List[int]:
        """The seats that have not answered."""
        return [seat for seat in range(len(self.seats)) if seat not in self._answered]

    @property
    def is_enough(self) -> bool:
        """Says whether so many updates have come that the model may move."""
        return len(self._accepted) >= min(self.rules.least_arrivals, len(self.seats))

    def accepted(self) -> Dict[int, Accepted]:
        """Returns the updates that count, by seat; none where the round is abandoned."""
        return dict(sorted(self._accepted.items())) if self._accepted and self.is_enough else {}

    # A fault of the sender leaves the seat open: the device that was invited may still answer.
    def _fault_of_sender(self, reply: Reply, seat: Optional[int], at_s: float) -> Optional[Tuple[str, str]]:
        if seat is None:
            return "not drawn", "the node was not invited to this round"
        if at_s >= self.rules.deadline_s:
            return "late", f"after {at_s:.3f} s; the deadline was {self.rules.deadline_s:g} s"
        if seat in self._answered:
            return "duplicate", "the node has answered already"
        if reply.error is not None:
            return None
        if reply.round is not None and reply.round != self.number:
            return "wrong round", f"round {reply.round}, this is round {self.number}"
        if reply.token != self.seats[seat].token:
            return "wrong token", "the token is not that of the invitation"
        if reply.device and self.seats[seat].device and reply.device != self.seats[seat].device:
            return "wrong device", f"it calls itself {reply.device[:80]!r}"
        return None

    def _look_into(self, reply: Reply) -> Tuple[Optional[Tuple[str, str]], Optional[Accepted]]:
        if reply.error is not None:
            return ("error", reply.error[:500]), None
        if reply.arrays is None or set(reply.arrays) != set(self._shapes):
            return ("wrong keys", f"arrays {sorted(reply.arrays or ())!s:.200}"), None
        parts = []
        for key, shape in self._shapes.items():
            array = np.asarray(reply.arrays[key])
            if array.dtype.kind != "f":
                return ("not numbers", f"{key} has the type {array.dtype}"), None
            if array.shape != tuple(shape):
                return ("wrong shape", f"{key} has {array.shape}, not {tuple(shape)}"), None
            with np.errstate(over="ignore"):  # What is too large for float32 becomes infinite, and is found.
                parts.append(array.astype(np.float32).ravel())
        end = np.concatenate(parts) if parts else np.zeros(0, np.float32)
        if not np.isfinite(end).all():
            return ("not finite", f"{int((~np.isfinite(end)).sum())} of {end.size} numbers"), None
        difference = self._start.astype(np.float64) - end
        length = float(np.linalg.norm(difference))
        if not length <= self._longest:
            return ("too long", f"its norm is {length:g}; at most {self._longest:g} is taken"), None
        if fault := self._fault_of_figures(reply):
            return fault, None
        try:
            figures = changed_figures(reply.figures)
        except ValueError as error:
            return ("bad figures", str(error)), None
        return None, Accepted(difference.astype(np.float32), float(reply.loss or 0.0), reply.compute_s, reply.upload_s,
                              reply.energy_j, figures)

    def _fault_of_figures(self, reply: Reply) -> Optional[Tuple[str, str]]:
        longest_s = self.rules.longest_time_s or self.rules.deadline_s
        limits = {"compute_s": longest_s, "upload_s": longest_s, "energy_j": self.rules.most_power_w * longest_s}
        for name, most in limits.items():
            value = getattr(reply, name)
            if value is not None and not 0 <= value <= most:
                return "bad figures", f"{name} = {value}: must be from 0 to {most:g}"
        if reply.loss is not None and not math.isfinite(reply.loss):
            return "bad figures", f"loss = {reply.loss}: must be finite"
        return None
