"""Plans: each device's probability of taking part in a round, and its transmit power."""
from __future__ import annotations

import dataclasses
import os
import re

import numpy as np

from . import _core, _html
from ._checks import path_of, refuse
from ._plan_results import Airtime, Certificate, Expectations, Floor, Levers
from ._scenario import Scenario, scenario_of
from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

    import numpy.typing as npt
    import pandas

    from ._types import Column, Devices, Floats, Path, Rows, ScenarioLike


class Plan:
    """A plan of a round. Its arrays are those that the solver wrote; they cannot be written to.

    The plan looks at the arrays that it was made of, without copies: leave them as they are while you use it.

    >>> cell = dict(noise_to_gain_w=np.array([1e-6, 1e-5]), energy_budget_j=0.01, max_power_w=0.2,
    ...             time_limit_s=0.5, update_bits=1e6, bandwidth_hz=1e5)
    >>> plan = airlot.plan(**cell)
    >>> plan
    <plan of 2 devices, mean probability 0.6314>
    """

    def __init__(self, core: _core.Plan, arguments: Mapping[str, Any]) -> None:
        self._core = core
        self._arguments = arguments
        self._described: Optional[Dict[str, npt.NDArray[Any]]] = None

    @property
    def devices(self) -> int:
        """How many devices there are.

        >>> plan.devices
        2
        """
        return self._core.devices

    @property
    def probability(self) -> Floats:
        """The probability of each device to take part in a round.

        >>> plan.probability.round(3)
        array([0.714, 0.548])
        """
        return self._core.probability

    @property
    def power_w(self) -> Floats:
        """The transmit power of each device, W; 0 where it never takes part.

        >>> plan.power_w.round(4)
        array([0.02, 0.02])
        """
        return self._core.power_w

    @property
    def bandwidth_hz(self) -> Floats:
        """The band in which each device sends, Hz.

        >>> plan.bandwidth_hz
        array([100000., 100000.])
        """
        return self._core.bandwidth_hz

    def _describe(self) -> Dict[str, npt.NDArray[Any]]:
        if self._described is None:
            self._described = self._core.describe()
        return self._described

    @property
    def upload_s(self) -> Floats:
        """How long the upload of each device takes, s.

        >>> plan.upload_s.round(3)
        array([0.7  , 0.912])
        """
        return self._describe()["upload_s"]

    @property
    def energy_j(self) -> Floats:
        """What it costs each device to take part once, J.

        >>> plan.energy_j.round(4)
        array([0.014 , 0.0182])
        """
        return self._describe()["energy_j"]

    @property
    def limit(self) -> List[str]:
        """What keeps the probability of each device from being larger: "full", "energy", "power", "rate", ...

        >>> plan.limit
        ['energy', 'energy']
        """
        names = _core.limit_names()
        return [names[code] for code in self._describe()["limit"]]

    @property
    def ids(self) -> List[str]:
        """The names of the devices in a fleet file; row numbers from 1 where there are none.

        >>> plan.ids
        ['1', '2']
        """
        return self._core.ids() or [str(row) for row in range(1, self.devices + 1)]

    @property
    def takes_turns(self) -> bool:
        """Whether an airtime plan has devices send one after another, each in the whole band.

        >>> plan.takes_turns
        False
        """
        return self._core.takes_turns

    @property
    def unfinished(self) -> int:
        """The number of devices for which one of the paper's algorithms met its limit of steps.

        >>> plan.unfinished
        0
        """
        return self._core.unfinished

    @property
    def notes(self) -> List[str]:
        """What is to be known of how a fleet file was taken.

        >>> plan.notes
        []
        """
        return self._core.notes

    def expect(self) -> Expectations:
        """Returns what a round is expected to be.

        >>> round(plan.expect().participants, 3)
        1.263
        """
        return Expectations(**self._core.expect())

    def check(self) -> Certificate:
        """Judges the plan by an independent route.

        >>> plan.check().keeps_constraints
        True
        """
        return Certificate(**self._core.check())

    def levers(self) -> Optional[Levers]:
        """Returns what 1 % more of a resource would add, or None where that says nothing.

        >>> plan.levers().energy_budget > 0
        True
        """
        found = self._core.levers()
        return None if found is None else Levers(**found)

    def floor(self, min_probability: float) -> Floor:
        """Returns the devices below a probability, and what they would need.

        >>> plan.floor(0.6)["device"]
        array([1], dtype=uint32)
        """
        return Floor(self._core.floor(min_probability))

    def draw(self, round: int, seed: int = 1) -> Devices:
        """Returns who takes part in a round, each device by itself; the same for the same seed and round.

        >>> plan.draw(round=1, seed=1).tolist() == plan.draw(round=1, seed=1).tolist()
        True
        """
        return self._core.draw(seed, round)

    def table(self) -> Table:
        """Returns a row for each device: id, probability, power_w, bandwidth_hz, upload_s, energy_j, limit.

        >>> plan.table().keys()[:3]
        ['id', 'probability', 'power_w']
        """
        return Table({
            "id": self.ids, "probability": self.probability, "power_w": self.power_w,
            "bandwidth_hz": self.bandwidth_hz, "upload_s": self.upload_s, "energy_j": self.energy_j,
            "limit": self.limit,
        })

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the same rows as a pandas.DataFrame.

        >>> plan.to_pandas().shape
        (2, 7)
        """
        return self.table().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table().__arrow_c_stream__(requested_schema)

    def to_csv(self, path: Path) -> None:
        """Writes the plan file that ``airlot plan -o`` writes; it appears whole or not at all.

        >>> plan.to_csv(folder + "/plan.csv")
        """
        self._core.to_csv(path_of(path, "path"))

    def report(self, path: Path) -> None:
        """Writes a page that shows the plan.

        >>> plan.report(folder + "/plan.html")
        """
        self._core.report(path_of(path, "path"))

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

    def __reduce__(self) -> Tuple[Any, Tuple[Mapping[str, Any]]]:
        return _again, (self._arguments,)


def _again(arguments: Mapping[str, Any]) -> Plan:
    return plan(**arguments)


_NAMES = {"rates": "mcs", "power_step": "power_step_db", "snr_gap": "snr_gap_db", "nat_time_s":
          "update_bits ln 2 / bandwidth_hz", "count_compute_time = true": "compute_time_s",
          "set it to false": "leave it out", "set it to expected": "leave it out"}


def _in_python(text: str, columns: Mapping[str, object]) -> str:
    """Returns what the planner says of a problem in the words of the arguments; devices count from 0."""
    def place(found: re.Match[str]) -> str:
        name = found[2]
        return f"{name} = " if name in columns and np.ndim(columns[name]) == 0 else f"{name}[{int(found[1]) - 1}] = "  # type: ignore[arg-type]

    text = re.sub(r"^device (\d+): (\w+) = ", place, text)
    return re.sub("|".join(rf"\b{name}\b" for name in _NAMES), lambda found: _NAMES[found[0]], text)


def _airtime(given: Union[bool, Airtime]) -> Optional[Dict[str, object]]:
    if not isinstance(given, (bool, Airtime)):
        refuse("airtime", "True, False or an airlot.Airtime", given)
    if given is False:
        return None
    return dataclasses.asdict(Airtime() if given is True else given)


def _of_scenario(scenario: Scenario, fleet: Optional[Path], seed: int, round: Optional[int],
                 airtime: Union[bool, Airtime], threads: int) -> _core.Plan:
    keys: Dict[str, object] = {}
    if fleet is not None:
        keys["fleet.file"] = os.path.abspath(path_of(fleet, "fleet"))
    if _airtime(airtime) is not None:
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
    return _core.Plan.of_scenario((scenario.replace(**keys) if keys else scenario)._core, seed, round, threads)


def plan(scenario: Optional[ScenarioLike] = None, *, fleet: Optional[Path] = None,
         seed: int = 1, round: Optional[int] = None,
         noise_to_gain_w: Optional[Column] = None, energy_budget_j: Optional[Column] = None,
         max_power_w: Optional[Column] = None, time_limit_s: Optional[Column] = None,
         update_bits: Optional[Column] = None, bandwidth_hz: Optional[Column] = None,
         compute_energy_j: Column = 0.0, compute_time_s: Column = 0.0, samples: Column = 1.0,
         total_bandwidth_hz: float = 0.0, noise_grows_with_band: bool = False, snr_gap_db: float = 0.0,
         spectral_efficiency_cap: float = float("inf"), amplifier_efficiency: float = 1.0,
         circuit_power_w: float = 0.0, min_power_w: float = 0.0, power_step_db: float = 0.0,
         power_levels_w: Optional[Sequence[float]] = None, mcs: Optional[Rows] = None,
         time_rule: str = "expected", compute: str = "participants", time_weight: float = 0.0,
         solver: str = "exact", airtime: Union[bool, Airtime] = False, share_band: bool = False,
         block_hz: float = 0.0, threads: int = 1) -> Plan:
    """Finds each device's probability of taking part and its power, so that as many as possible take part.

    Every device keeps its energy budget and the round's time limit. Give the devices as columns, each one
    number for all or an array with one for each; or a scenario; or a fleet file; or both of the last two.
    Arrays of float64 without gaps are read where they are, without a copy, and other Python threads run
    meanwhile.

    >>> found = airlot.plan(noise_to_gain_w=np.array([1e-6, 1e-4]), energy_budget_j=0.001, max_power_w=0.2,
    ...                     time_limit_s=1.0, update_bits=6.4e6, bandwidth_hz=1e6)
    >>> found.limit
    ['full', 'energy']
    >>> airlot.plan("float32-cell", seed=3).devices
    100

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
        airtime: divide the round's airtime among those who take part; an `Airtime` says how, and without one it
            is the scenario's keys ``strategy.airtime.*`` that do, or ``Airtime()`` for columns.
        share_band, block_hz: split the band so that most take part, in blocks of this size where it is given.
        seed, round: of a scenario: of what it draws, and the round whose fading is planned.
        threads: on how many threads the solver works; the plan does not depend on it.
    """
    arguments = {name: value for name, value in locals().items() if value is not _DEFAULTS[name]}
    if scenario is not None or fleet is not None:
        said = [name for name in arguments if name not in _OF_SCENARIOS and not _is_default(name, arguments[name])]
        if said:
            raise _core.Error(f"{said[0]}: a scenario or a fleet file says this: leave one of them out, or set the "
                              "key of the scenario")
        return Plan(_of_scenario(scenario_of("fleet" if scenario is None else scenario), fleet, seed, round, airtime,
                                 threads), arguments)
    said = [name for name in ("seed", "round") if name in arguments]
    if said:
        raise _core.Error(f"{said[0]}: columns are planned as they are: give it with a scenario")
    columns: Dict[str, object] = {
        "noise_to_gain_w": noise_to_gain_w, "energy_budget_j": energy_budget_j, "max_power_w": max_power_w,
        "time_limit_s": time_limit_s, "update_bits": update_bits, "bandwidth_hz": bandwidth_hz,
        "compute_energy_j": compute_energy_j, "compute_time_s": compute_time_s, "samples": samples,
    }
    missing = [name for name, column in columns.items() if column is None]
    if missing:
        raise _core.Error(f"missing: {', '.join(missing)} (or give a scenario, or a fleet file)")
    try:
        core = _core.Plan.of_columns(
            columns=columns,
            numbers={"total_bandwidth_hz": total_bandwidth_hz, "snr_gap_db": snr_gap_db,
                     "spectral_efficiency_cap": spectral_efficiency_cap, "amplifier_efficiency": amplifier_efficiency,
                     "circuit_power_w": circuit_power_w, "min_power_w": min_power_w, "power_step_db": power_step_db,
                     "time_weight": time_weight, "block_hz": block_hz},
            time_rule=time_rule, compute=compute, power_levels_w=power_levels_w, mcs=mcs, solver=solver,
            airtime=_airtime(airtime), noise_grows_with_band=noise_grows_with_band, share_band=share_band,
            threads=threads)
    except _core.Error as error:
        raise _core.Error(_in_python(str(error), columns)) from None
    return Plan(core, arguments)


_DEFAULTS: Mapping[str, object] = plan.__kwdefaults__ | {"scenario": None}
_OF_SCENARIOS = ("scenario", "fleet", "seed", "round", "airtime", "threads")


def _is_default(name: str, value: object) -> bool:
    return isinstance(value, (int, float, str)) and value == _DEFAULTS[name]
