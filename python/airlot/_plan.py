"""Plans: each device's probability of taking part in a round, and its transmit power."""
from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core, _html
from ._scenario import Scenario, ScenarioLike, scenario_of
from ._table import Table

if TYPE_CHECKING:
    import pandas

Column = Union[float, npt.ArrayLike]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Airtime:
    """How an airtime plan divides the time of a round (docs/airtime.md).

    >>> Airtime(fairness=2).fairness
    2
    """

    fairness: float = 1
    """0: as many participations as possible; 1: proportional; larger: more equal."""
    energy_price_s_per_j: float = 0
    """The seconds that a joule is worth."""
    participants: float = 0
    """How many devices are expected in a round; 0 leaves that to the time limit."""
    data_exponent: float = 0
    """A device weighs as much as this power of its share of the data."""
    floor: float = 1
    """Nobody takes part less often than this share of its probability in its own band."""
    sharing: str = "better"
    """"turns", "bands" that end together, or the "better" of both."""


@dataclasses.dataclass(frozen=True)
class Expectations:
    """What a plan expects of a round; the means are exact over its draws."""

    participants: float
    participants_sd: float
    round_time_s: float
    """The mean time of a round, or a bound where ``is_time_exact`` is false."""
    round_energy_j: float
    round_energy_sd_j: float
    probability_empty_round: float
    longest_upload_s: float
    devices_by_limit: Dict[str, int]
    """How many devices are kept from a larger probability by what."""
    is_time_exact: bool
    time_at_least_s: float
    time_at_most_s: float


@dataclasses.dataclass(frozen=True)
class Certificate:
    """A judgement of a plan by another route than the solver, in extended precision."""

    keeps_constraints: bool
    largest_violation: float
    """Relative, over all constraints and devices."""
    violation_device: int
    largest_gap: float
    """A bound on how far the plan is from the optimum, relative."""
    gap_device: int


@dataclasses.dataclass(frozen=True)
class Levers:
    """What 1 % more of a resource of all devices would add, to first order."""

    bandwidth: float
    max_power: float
    time_limit: float
    energy_budget: float
    are_seconds: bool
    """They add seconds of a round, not participants, where the number of participants is given."""


class Floor(Table):
    """The devices below a wanted probability: what each resource alone would have to be for them.

    Infinity stands where that resource alone does not help, NaN where no resource of one device explains its
    probability.
    """


class Plan:
    """A plan of a round. Its arrays are those that the solver wrote; they cannot be written to."""

    def __init__(self, core: _core.Plan) -> None:
        self._core = core
        self._described: Optional[Dict[str, npt.NDArray[Any]]] = None

    @property
    def devices(self) -> int:
        """How many devices there are."""
        return self._core.devices

    @property
    def probability(self) -> Floats:
        """The probability of each device to take part in a round."""
        return self._core.probability

    @property
    def power_w(self) -> Floats:
        """The transmit power of each device, 0 where it never takes part."""
        return self._core.power_w

    @property
    def bandwidth_hz(self) -> Floats:
        """The band in which each device sends."""
        return self._core.bandwidth_hz

    def _describe(self) -> Dict[str, npt.NDArray[Any]]:
        if self._described is None:
            self._described = self._core.describe()
        return self._described

    @property
    def upload_s(self) -> Floats:
        """How long the upload of each device takes."""
        return self._describe()["upload_s"]

    @property
    def energy_j(self) -> Floats:
        """What it costs each device to take part once."""
        return self._describe()["energy_j"]

    @property
    def limit(self) -> List[str]:
        """What keeps the probability of each device from being larger: "full", "energy", "power", "rate", ..."""
        names = _core.limit_names()
        return [names[code] for code in self._describe()["limit"]]

    @property
    def ids(self) -> List[str]:
        """The names of the devices in a fleet file; row numbers from 1 where there are none."""
        return self._core.ids() or [str(row) for row in range(1, self.devices + 1)]

    @property
    def takes_turns(self) -> bool:
        """Whether an airtime plan has devices send one after another, each in the whole band."""
        return self._core.takes_turns

    @property
    def unfinished(self) -> int:
        """The devices for which one of the paper's algorithms met its limit of steps."""
        return self._core.unfinished

    @property
    def notes(self) -> List[str]:
        """What is to be known of how a fleet file was taken."""
        return self._core.notes

    def expect(self) -> Expectations:
        """Returns what a round is expected to be."""
        return Expectations(**self._core.expect())

    def check(self) -> Certificate:
        """Judges the plan by an independent route."""
        return Certificate(**self._core.check())

    def levers(self) -> Optional[Levers]:
        """Returns what 1 % more of a resource would add, or None where that says nothing."""
        found = self._core.levers()
        return None if found is None else Levers(**found)

    def floor(self, min_probability: float) -> Floor:
        """Returns the devices below a probability, and what they would need."""
        return Floor(self._core.floor(min_probability))

    def draw(self, round: int, seed: int = 1) -> npt.NDArray[np.uint32]:
        """Returns who takes part in a round, each device by itself; the same for the same seed and round."""
        return self._core.draw(seed, round)

    def table(self) -> Table:
        """Returns a row for each device."""
        return Table({
            "id": self.ids, "probability": self.probability, "power_w": self.power_w,
            "bandwidth_hz": self.bandwidth_hz, "upload_s": self.upload_s, "energy_j": self.energy_j,
            "limit": self.limit,
        })

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a row for each device as a pandas.DataFrame."""
        return self.table().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table().__arrow_c_stream__(requested_schema)

    def to_csv(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the plan file that ``airlot plan -o`` writes; it appears whole or not at all."""
        self._core.to_csv(os.fspath(path))

    def report(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a page that shows the plan."""
        self._core.report(os.fspath(path))

    def __len__(self) -> int:
        return self.devices

    def __repr__(self) -> str:
        mean = float(np.mean(self.probability)) if self.devices else 0.0
        kind = "airtime plan" if self._core.is_airtime else "plan"
        return f"<{kind} of {self.devices} device{'' if self.devices == 1 else 's'}, mean probability {mean:.4g}>"

    def _repr_html_(self) -> str:
        expected = self.expect()
        facts: List[List[object]] = [
            ["devices", self.devices], ["participants of a round", expected.participants],
            ["time of a round (s)", expected.round_time_s], ["energy of a round (J)", expected.round_energy_j],
        ]
        facts += [[f"limited by {name}", count] for name, count in expected.devices_by_limit.items() if count]
        count = min(self.devices, _html.MOST_ROWS)
        names = _core.limit_names()
        described = self._describe()
        rows = [[index, self.probability[index], self.power_w[index], described["upload_s"][index],
                 described["energy_j"][index], names[described["limit"][index]]] for index in range(count)]
        return _html.table(["the plan", ""], facts) + _html.table(
            ["device", "probability", "power (W)", "upload (s)", "energy (J)", "limit"], rows, self.devices)


def _airtime(given: Union[bool, Airtime]) -> Optional[Dict[str, object]]:
    if given is False:
        return None
    return dataclasses.asdict(Airtime() if given is True else given)


def _of_scenario(scenario: Scenario, fleet: Optional[Union[str, os.PathLike[str]]], seed: int,
                 round: Optional[int], airtime: Union[bool, Airtime], threads: int) -> Plan:
    keys: Dict[str, object] = {}
    if fleet is not None:
        keys["fleet.file"] = os.path.abspath(fleet)
    if airtime is not False:
        keys["round.airtime"] = True
    if isinstance(airtime, Airtime):
        if airtime.sharing != "better":
            raise _core.Error(f"sharing = {airtime.sharing!r}: a scenario's plan takes the better of turns and bands")
        keys.update({
            "strategy.airtime.fairness": airtime.fairness, "strategy.airtime.floor": airtime.floor,
            "strategy.airtime.energy_price": airtime.energy_price_s_per_j,
            "strategy.airtime.participants": airtime.participants,
            "strategy.airtime.data_exponent": airtime.data_exponent,
        })
    return Plan(_core.Plan.of_scenario((scenario.replace(**keys) if keys else scenario)._core, seed, round, threads))


def plan(scenario: Optional[ScenarioLike] = None, *, fleet: Optional[Union[str, os.PathLike[str]]] = None,
         seed: int = 1, round: Optional[int] = None,
         noise_to_gain_w: Optional[Column] = None, energy_budget_j: Optional[Column] = None,
         max_power_w: Optional[Column] = None, time_limit_s: Optional[Column] = None,
         update_bits: Optional[Column] = None, bandwidth_hz: Optional[Column] = None,
         compute_energy_j: Column = 0.0, compute_time_s: Column = 0.0, samples: Column = 1.0,
         total_bandwidth_hz: float = 0.0, noise_grows_with_band: bool = False, snr_gap_db: float = 0.0,
         spectral_efficiency_cap: float = float("inf"), amplifier_efficiency: float = 1.0,
         circuit_power_w: float = 0.0, min_power_w: float = 0.0, power_step_db: float = 0.0,
         power_levels_w: Optional[Sequence[float]] = None, mcs: Optional[Sequence[Tuple[float, float]]] = None,
         time_rule: str = "expected", compute: str = "participants", time_weight: float = 0.0,
         solver: str = "exact", airtime: Union[bool, Airtime] = False, share_band: bool = False,
         block_hz: float = 0.0, threads: int = 1) -> Plan:
    """Finds each device's probability of taking part and its power, so that as many as possible take part.

    Every device keeps its energy budget and the round's time limit. Give the devices as columns, each one
    number for all or an array with one for each; or a scenario; or a fleet file; or both of the last two.
    Arrays of float64 without gaps are read where they are, without a copy, and other Python threads run
    meanwhile.

    >>> plan = plan(noise_to_gain_w=np.array([1e-6, 1e-4]), energy_budget_j=0.001, max_power_w=0.2,
    ...             time_limit_s=1.0, update_bits=6.4e6, bandwidth_hz=1e6)
    >>> plan.check().keeps_constraints
    True
    >>> plan.limit
    ['full', 'energy']

    Columns:
        noise_to_gain_w: noise power over channel gain in the device's own band, W.
        energy_budget_j: what a device may spend in a round on average, J.
        max_power_w: its largest transmit power, W.
        time_limit_s: of its uploads: on average over rounds, or of each with ``time_rule="deadline"``, s.
        update_bits: the size of its update.
        bandwidth_hz: the width of its own band, Hz.
        compute_energy_j: what computing an update costs, J.
        compute_time_s: what it takes, where the time limit counts it, s.
        samples: how many samples it holds; 0 leaves it out. Weights of a shared band and of airtime.

    Numbers:
        total_bandwidth_hz: the band of the cell where it is not the sum of all bands, Hz.
        noise_grows_with_band: whether the noise is a density.
        snr_gap_db, spectral_efficiency_cap: how far a modem stays behind Shannon's formula (dB, bit/s/Hz).
        amplifier_efficiency, circuit_power_w: a device that sends at P draws P/efficiency + circuit power.
        min_power_w, power_step_db, power_levels_w, mcs: radios with steps; the rows of ``mcs`` are
            (snr_db, bit_per_s_per_hz).
        time_weight: the participants that a second of the expected round is worth.
        solver: "exact", "bisection", "alternating" or "literal".
        airtime: divide the round's airtime among those who take part; an `Airtime` says how.
        share_band, block_hz: split the band so that most take part, in blocks of this size where it is given.
        seed, round: of a scenario: of what it draws, and the round whose fading is planned.
    """
    columns: Mapping[str, Optional[Column]] = {
        "noise_to_gain_w": noise_to_gain_w, "energy_budget_j": energy_budget_j, "max_power_w": max_power_w,
        "time_limit_s": time_limit_s, "update_bits": update_bits, "bandwidth_hz": bandwidth_hz,
    }
    given = [name for name, column in columns.items() if column is not None]
    if scenario is not None or fleet is not None:
        given += [name for name, value, usual in (
            ("compute_energy_j", compute_energy_j, 0.0), ("compute_time_s", compute_time_s, 0.0),
            ("samples", samples, 1.0), ("total_bandwidth_hz", total_bandwidth_hz, 0.0),
            ("noise_grows_with_band", noise_grows_with_band, False), ("snr_gap_db", snr_gap_db, 0.0),
            ("spectral_efficiency_cap", spectral_efficiency_cap, float("inf")),
            ("amplifier_efficiency", amplifier_efficiency, 1.0), ("circuit_power_w", circuit_power_w, 0.0),
            ("min_power_w", min_power_w, 0.0), ("power_step_db", power_step_db, 0.0),
            ("power_levels_w", power_levels_w, None), ("mcs", mcs, None), ("time_rule", time_rule, "expected"),
            ("compute", compute, "participants"), ("time_weight", time_weight, 0.0), ("solver", solver, "exact"),
            ("share_band", share_band, False), ("block_hz", block_hz, 0.0),
        ) if value is not usual and not (isinstance(value, (int, float, str)) and value == usual)]
        if given:
            raise _core.Error(f"{given[0]}: a scenario or a fleet file says this: leave one of them out, or set the "
                              "key of the scenario")
        return _of_scenario(scenario_of("fleet" if scenario is None else scenario), fleet, seed, round, airtime,
                            threads)
    missing = [name for name, column in columns.items() if column is None]
    if missing:
        raise _core.Error(f"missing: {', '.join(missing)} (or give a scenario, or a fleet file)")
    return Plan(_core.Plan.of_columns(
        columns={**columns, "compute_energy_j": compute_energy_j, "compute_time_s": compute_time_s,
                 "samples": samples},
        numbers={"total_bandwidth_hz": total_bandwidth_hz, "snr_gap_db": snr_gap_db,
                 "spectral_efficiency_cap": spectral_efficiency_cap, "amplifier_efficiency": amplifier_efficiency,
                 "circuit_power_w": circuit_power_w, "min_power_w": min_power_w, "power_step_db": power_step_db,
                 "time_weight": time_weight, "block_hz": block_hz},
        time_rule=time_rule, compute=compute, power_levels_w=power_levels_w, mcs=mcs, solver=solver,
        airtime=_airtime(airtime), noise_grows_with_band=noise_grows_with_band,
        share_band=share_band or block_hz > 0, threads=threads))
