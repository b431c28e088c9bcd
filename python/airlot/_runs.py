"""Training runs: one, a comparison of strategies over seeds, or a sweep over values of keys."""
from __future__ import annotations

import html
import json
import os
import sys
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, Union

import numpy as np
import numpy.typing as npt

from . import _core, _html
from ._backend import Backend, Setting
from ._data import Dataset
from ._progress import Progress, ProgressLike
from ._scenario import Scenario, ScenarioLike, scenario_of, toml
from ._strategy import StrategyLike, names_of, strategies as all_strategies
from ._table import ColumnData, Table

if TYPE_CHECKING:
    import pandas

Path = Union[str, "os.PathLike[str]"]
BackendLike = Union[Type[Backend], Callable[[Setting], Backend]]

PAPER = ["probabilistic", "deterministic", "uniform", "equally-weighted"]


class Report:
    """A page that was written; a notebook shows it."""

    def __init__(self, path: str, left_out: Sequence[str] = ()) -> None:
        self.path = path
        """Where the page is."""
        self.left_out = list(left_out)
        """What it does not show, and why."""

    def __repr__(self) -> str:
        return f"Report({self.path!r})"

    def _repr_html_(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            page = html.escape(file.read(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 700px; border: 0"></iframe>'


class Results:
    """The runs of a folder, as far as they are.

    `rounds` has a row for each round of each run, `devices` one for each device of each run, `runs` one for
    each run: tables of columns, which pandas and whoever reads Arrow take.
    """

    def __init__(self, folder: str, keeper: object = None) -> None:
        self.folder = folder
        """The run directory (docs/formats.md)."""
        self._keeper = keeper  # a folder that goes with the results
        kept = _core.read_runs(folder, False)
        self.status: str = kept["status"]
        """"complete", "interrupted", "failed" or "running"."""
        self.scenario = Scenario.from_toml(kept["scenario"])
        """The scenario that was run."""
        self.unreadable: List[str] = kept["unreadable"]
        """The runs whose files cannot be used, and why."""
        self._runs: List[Dict[str, Any]] = kept["runs"]
        self._devices: Optional[Table] = None
        self._summary: Optional[Dict[str, Any]] = None
        self.rounds = Table({**self._of_runs("records"), **kept["rounds"]})
        """Time, energy, participants, loss and accuracy after each round."""

    def _of_runs(self, count: str) -> Dict[str, ColumnData]:
        """Returns strategy and seed of runs for each of their rows."""
        counts = [run[count] for run in self._runs]
        strategy = [name for run, rows in zip(self._runs, counts) for name in [run["strategy"]] * rows]
        seeds = np.array([run["seed"] for run in self._runs], dtype=np.uint64)
        return {"strategy": strategy, "seed": np.repeat(seeds, counts)}

    @property
    def runs(self) -> Table:
        """A row for each run: strategy, seed, how far it is, and its last round."""
        def last(name: str) -> npt.NDArray[np.float64]:
            column = np.asarray(self.rounds[name], dtype=float)
            found, at = [], 0
            for run in self._runs:
                values = column[at:at + run["records"]]
                known = values[~np.isnan(values)]
                found.append(known[-1] if len(known) else np.nan)
                at += run["records"]
            return np.array(found, dtype=float)

        def number(name: str) -> npt.NDArray[np.float64]:
            return np.array([np.nan if run[name] is None else run[name] for run in self._runs], dtype=float)

        return Table({
            "strategy": [run["strategy"] for run in self._runs],
            "seed": np.array([run["seed"] for run in self._runs], dtype=np.uint64),
            "stage": [run["stage"] for run in self._runs],
            "rounds": last("round"), "time_s": last("time_s"), "energy_j": last("energy_j"),
            "accuracy": last("accuracy"), "fairness": number("fairness"),
            "devices_over_budget": number("devices_over_budget"),
        })

    @property
    def devices(self) -> Table:
        """A row for each device of each run: its plan, how often it took part, and what it spent."""
        if self._devices is None:
            kept = _core.read_runs(self.folder, True)
            self._runs = kept["runs"]
            self._devices = Table({**self._of_runs("devices"), **kept["device_columns"]})
        return self._devices

    @property
    def summary(self) -> Dict[str, Any]:
        """What is in summary.json: each strategy's means over seeds with their intervals, and the verdict."""
        if self._summary is None:
            self._summary = json.loads(_core.summary(self.folder))
        return self._summary

    @property
    def verdict(self) -> str:
        """Which strategy to use, and why, in a few sentences."""
        return str(self.summary["verdict"])

    def report(self, path: Optional[Path] = None) -> Report:
        """Writes the report of the runs, by default into their folder; a notebook shows it."""
        file = os.path.join(self.folder, "report.html") if path is None else os.fspath(path)
        return Report(file, _core.write_report(self.folder, file, False))

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a row for each round of each run as a pandas.DataFrame."""
        return self.rounds.to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rounds.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<{len(self._runs)} run{'' if len(self._runs) == 1 else 's'} of {self.scenario.name}, {self.status}>"

    def _repr_html_(self) -> str:
        runs = self.runs
        head = ["strategy", "seed", "stage", "rounds", "time_s", "energy_j", "accuracy", "devices_over_budget"]
        rows = [[runs[name][row] for name in head] for row in range(runs.rows)]
        text = _html.table(head, rows[:_html.MOST_ROWS], runs.rows)
        if self.status == "complete":
            text += "".join(f"<p>{html.escape(line)}</p>" for line in self.verdict.splitlines() if line)
        return text


class SweepResults:
    """What a sweep found: `cells` has a row for each cell, strategy and metric."""

    def __init__(self, folder: str, text: str, keeper: object = None) -> None:
        self.folder = folder
        """The folder of the sweep (docs/sweeps.md)."""
        self._keeper = keeper
        self.json: Dict[str, Any] = json.loads(text)
        """What ``airlot sweep --json`` prints."""
        rows: List[Dict[str, Any]] = []
        with open(os.path.join(folder, "cells.csv"), encoding="utf-8", newline="") as file:
            import csv

            rows = list(csv.DictReader(file))
        self.cells = Table({name: _column([row[name] for row in rows]) for name in (rows[0] if rows else [])})
        """Each metric's mean, interval and number of runs, by cell and strategy."""

    def report(self, path: Optional[Path] = None, heat_maps: bool = False) -> Report:
        """Writes the report of the sweep, by default into its folder."""
        file = os.path.join(self.folder, "report.html") if path is None else os.fspath(path)
        return Report(file, _core.write_report(self.folder, file, heat_maps))

    def to_pandas(self) -> pandas.DataFrame:
        """Returns `cells` as a pandas.DataFrame."""
        return self.cells.to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.cells.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<sweep in {self.folder}, {self.cells.rows} rows>"

    def _repr_html_(self) -> str:
        return self.cells._repr_html_()


def _column(texts: List[str]) -> ColumnData:
    """Returns texts as numbers where all of them are."""
    try:
        return np.array([float(text) if text else np.nan for text in texts], dtype=float)
    except ValueError:
        return texts


def _seeds(given: Union[int, Sequence[int]], first: int = 1) -> List[int]:
    if isinstance(given, (int, np.integer)):
        if given < 1:
            raise _core.Error(f"seeds = {given}: must be at least 1")
        return list(range(first, first + int(given)))
    return [int(seed) for seed in given]


def _chosen(scenario: Scenario, given: Union[str, StrategyLike, Sequence[StrategyLike], None]) -> List[str]:
    if given is None:
        first = scenario._core.first_strategy
        return [first, *(name for name in PAPER if name != first)]
    if given == "every":
        fitting, notes = _core.fitting(scenario._core, list(all_strategies()))
        for note in notes:
            print(f"note: {note}", file=sys.stderr)
        return fitting
    if isinstance(given, (str, type)):
        return names_of([given])
    return names_of(given)


def _output(given: Optional[Path]) -> tuple[str, object]:
    """Returns the folder of runs, and what keeps it where it is a temporary one."""
    if given is not None:
        return os.fspath(given), None
    keeper = _Folder()
    return os.path.join(keeper.path, "runs"), keeper


class _Folder:
    """A temporary folder that goes when nobody needs it any more."""

    def __init__(self) -> None:
        import tempfile

        self.path = tempfile.mkdtemp(prefix="airlot-")
        weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: str, owner: int) -> None:
    """Removes a folder, unless this process was only forked from the one that made it."""
    import shutil

    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


def _with_backend(scenario: Scenario, backend: Optional[BackendLike]) -> Scenario:
    """Returns the scenario with the model of a backend."""
    count = int(getattr(backend, "parameters", 0) or 0)
    if count == 0:
        return scenario
    name = getattr(backend, "model_name", None) or "own"
    return scenario.replace(**{"model.layers": [{"kind": "external", "parameters": count}], "model.name": name})


def compare(scenario: ScenarioLike, strategies: Union[str, StrategyLike, Sequence[StrategyLike], None] = None, *,
            seeds: Union[int, Sequence[int]] = 3, jobs: Optional[int] = None, output: Optional[Path] = None,
            resume: bool = False, force: bool = False, backend: Optional[BackendLike] = None,
            data: Optional[Dataset] = None, partition: Optional[Sequence[npt.ArrayLike]] = None,
            participants: bool = True, checkpoint_every_s: float = 5.0, progress: ProgressLike = None) -> Results:
    """Runs strategies times seeds of a scenario, and returns what came out.

    An interrupt stops all runs at the end of their rounds; with an ``output``, ``resume=True`` goes on from
    there. The same scenario, strategy and seed give the same bytes for any number of jobs.

    >>> results = compare(Scenario(rounds=2, **{"data.dataset": "digits", "model.name": "logistic",
    ...                            "evaluate_every": 1}), ["uniform", "random"], seeds=1, progress=False)
    >>> results.runs["strategy"]
    ['uniform', 'random']

    Args:
        scenario: a `Scenario`, or its name or path.
        strategies: names, classes of `Strategy`, or "every"; by default the scenario's first and the paper's.
        seeds: how many, from 1 on, or which.
        jobs: runs at a time, each on one thread; by default as many as there are processors.
        output: a folder for the runs; by default one that goes with the results.
        resume, force: go on with the runs in the folder, or replace them.
        backend: training of your own, a class of `Backend` or a function of a setting.
        data: samples in memory instead of the scenario's data set.
        partition: the samples of each device, instead of what the scenario draws; needs ``data``.
        participants: whether to keep who took part in each round.
        checkpoint_every_s: seconds from one checkpoint to the next.
        progress: True, False, or a function of (rounds done, all rounds); by default where somebody looks.
    """
    chosen = _with_backend(scenario_of(scenario), backend)
    chosen_data = getattr(backend, "data", None) if data is None else data
    chosen_partition = getattr(backend, "partition", None) if partition is None else partition
    names = _chosen(chosen, strategies)
    numbers = _seeds(seeds)
    folder, keeper = _output(output)
    with Progress(chosen.rounds * len(names) * len(numbers), progress) as shown:
        try:
            _core.compare(scenario=chosen._core, strategies=names, seeds=numbers, output=folder, resume=resume,
                          force=force, jobs=jobs or os.cpu_count() or 1, checkpoint_every_s=checkpoint_every_s,
                          participants=participants, backend=backend,
                          data=None if chosen_data is None else chosen_data._core, partition=chosen_partition,
                          progress=shown)
        except KeyboardInterrupt:
            if output is not None:
                print(f"\nThe runs were interrupted: go on with resume=True, output={folder!r}.", file=sys.stderr)
            raise
    return Results(folder, keeper)


def train(scenario: ScenarioLike, strategy: Optional[StrategyLike] = None, *, seed: int = 1,
          output: Optional[Path] = None, resume: bool = False, force: bool = False,
          backend: Optional[BackendLike] = None, data: Optional[Dataset] = None,
          partition: Optional[Sequence[npt.ArrayLike]] = None, participants: bool = True,
          checkpoint_every_s: float = 5.0, progress: ProgressLike = None) -> Results:
    """Makes one training run; the arguments are those of `compare`.

    >>> run = train(Scenario(rounds=1, **{"data.dataset": "digits", "model.name": "logistic"}), "random")
    >>> run.status
    'complete'
    """
    chosen = scenario_of(scenario)
    return compare(chosen, [chosen._core.first_strategy if strategy is None else strategy], seeds=[seed], jobs=1,
                   output=output, resume=resume, force=force, backend=backend, data=data, partition=partition,
                   participants=participants, checkpoint_every_s=checkpoint_every_s, progress=progress)


def _axis(keys: Mapping[str, Sequence[object]]) -> List[str]:
    return [f"{name}={','.join(value if isinstance(value, str) else toml(value) for value in values)}"
            for name, values in keys.items()]


def sweep(scenario: ScenarioLike, vary: Mapping[str, Sequence[object]],
          strategies: Union[str, StrategyLike, Sequence[StrategyLike], None] = None, *,
          seeds: Union[int, Sequence[int]] = 3, jobs: Optional[int] = None, output: Optional[Path] = None,
          resume: bool = False, force: bool = False, participants: bool = True, checkpoint_every_s: float = 5.0,
          progress: ProgressLike = None) -> SweepResults:
    """Compares strategies for every combination of the values of some keys.

    >>> found = sweep(Scenario(rounds=1, **{"data.dataset": "digits", "model.name": "logistic"}),
    ...               {"radio.bandwidth_hz": [1e6, 1e7]}, ["random"], seeds=1, progress=False)
    >>> sorted(set(found.cells["radio.bandwidth_hz"].tolist()))
    [1000000.0, 10000000.0]

    Args:
        vary: keys of the scenario and the values that each takes.
        The others are those of `compare`.
    """
    chosen = scenario_of(scenario)
    names = _chosen(chosen, strategies)
    numbers = _seeds(seeds)
    folder, keeper = _output(output)
    cells = int(np.prod([len(values) for values in vary.values()])) if vary else 0
    with Progress(chosen.rounds * len(names) * len(numbers) * cells, progress) as shown:
        text = _core.sweep(scenario=chosen._core, base_toml=chosen.to_toml(),
                           axes=[_axis({name: values}) for name, values in vary.items()], strategies=names,
                           seeds=numbers, output=folder, resume=resume, force=force,
                           jobs=jobs or os.cpu_count() or 1, checkpoint_every_s=checkpoint_every_s,
                           participants=participants, progress=shown)
    return SweepResults(folder, text, keeper)


def read_runs(folder: Path) -> Results:
    """Reads a run directory, whoever wrote it and however far it is."""
    return Results(os.fspath(folder))
