"""What a plan says of itself."""
from __future__ import annotations

import dataclasses

from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict


@dataclasses.dataclass(frozen=True)
class Airtime:
    """How an airtime plan divides the time of a round (docs/airtime.md).

    >>> airlot.plan(**cell, airtime=airlot.Airtime(fairness=2)).check().keeps_constraints
    True

    Args:
        fairness: 0: as many participations as possible; 1: proportional; larger: more equal.
        energy_price_s_per_j: the seconds that a joule is worth, s/J.
        participants: how many devices are expected in a round; 0 leaves that to the time limit.
        data_exponent: a device weighs as much as this power of its share of the data.
        floor: nobody takes part less often than this share of its probability in its own band.
        sharing: "turns", "bands" that end together, or the "better" of both.
    """

    fairness: float = 1
    energy_price_s_per_j: float = 0
    participants: float = 0
    data_exponent: float = 0
    floor: float = 1
    sharing: str = "better"


@dataclasses.dataclass(frozen=True)
class Expectations:
    """What a plan expects of a round; the means are exact over its draws.

    >>> expected = plan.expect()
    >>> round(expected.participants, 3), expected.is_time_exact
    (1.263, True)

    Args:
        participants, participants_sd: how many take part, and the standard deviation.
        round_time_s: the mean time of a round, or a bound where ``is_time_exact`` is false, s.
        round_energy_j, round_energy_sd_j: what all devices spend, J.
        probability_empty_round: that nobody takes part.
        longest_upload_s: the longest upload of any device, s.
        devices_by_limit: how many devices are kept from a larger probability by what.
        is_time_exact: whether ``round_time_s`` is exact.
        time_at_least_s, time_at_most_s: the bounds of the mean time, s.
    """

    participants: float
    participants_sd: float
    round_time_s: float
    round_energy_j: float
    round_energy_sd_j: float
    probability_empty_round: float
    longest_upload_s: float
    devices_by_limit: Dict[str, int]
    is_time_exact: bool
    time_at_least_s: float
    time_at_most_s: float


@dataclasses.dataclass(frozen=True)
class Certificate:
    """A judgement of a plan by another route than the solver, in extended precision.

    >>> certificate = plan.check()
    >>> certificate.keeps_constraints, certificate.largest_gap < 1e-9
    (True, True)

    Args:
        keeps_constraints: whether the plan keeps all budgets, powers and limits.
        largest_violation: relative, over all constraints and devices.
        violation_device: the device that it is of, from 0 on.
        largest_gap: a bound on how far the plan is from the optimum, relative; NaN: none is known.
        gap_device: the device that it is of, from 0 on.
    """

    keeps_constraints: bool
    largest_violation: float
    violation_device: int
    largest_gap: float
    gap_device: int


@dataclasses.dataclass(frozen=True)
class Levers:
    """What 1 % more of a resource of all devices would add to the participants of a round, to first order.

    >>> levers = plan.levers()
    >>> levers.bandwidth > 0, levers.are_seconds
    (True, False)

    Args:
        bandwidth, max_power, time_limit, energy_budget: of 1 % more of each.
        are_seconds: they add seconds of a round, not participants, where the number of participants is given.
    """

    bandwidth: float
    max_power: float
    time_limit: float
    energy_budget: float
    are_seconds: bool


class Floor(Table):
    """The devices below a wanted probability: what each resource alone would have to be for them.

    Its columns are device (from 0 on), probability, energy_budget_needed_j (J), time_limit_needed_s (s) and
    max_power_needed_w (W). Infinity stands where that resource alone does not help, NaN where no resource of one
    device explains its probability.

    >>> floor = plan.floor(0.6)
    >>> floor["device"], floor["energy_budget_needed_j"].round(3)
    (array([1], dtype=uint32), array([0.02]))
    """
