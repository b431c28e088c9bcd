"""What came out of runs: tables of rounds, devices and runs, summaries and pages."""
from __future__ import annotations

import json
import os

import numpy as np

from . import _core, _html
from ._checks import path_of
from ._scenario import Scenario
from ._table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Sequence, Tuple

    import pandas

    from ._types import ColumnData, Floats, Path


class Report:
    """A page that was written; a notebook shows it.

    >>> page = results.report()
    >>> page.path.endswith("report.html"), page.left_out
    (True, [])
    """

    def __init__(self, path: str, left_out: Sequence[str] = ()) -> None:
        self.path = path
        """Where the page is."""
        self.left_out = list(left_out)
        """What it does not show, and why."""

    def __repr__(self) -> str:
        return f"Report({self.path!r})"

    def _repr_html_(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            page = _html.escape(file.read())
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 700px; border: 0"></iframe>'


class _Folder:
    """A temporary folder that goes when nobody needs it any more."""

    def __init__(self) -> None:
        import tempfile
        import weakref

        self.path = tempfile.mkdtemp(prefix="airlot-")
        weakref.finalize(self, _remove, self.path, os.getpid())

    def __reduce__(self) -> Tuple[Any, ...]:
        raise _core.Error("these results lie in a folder that goes with them: pickle those of a run with an output")


def _remove(path: str, owner: int) -> None:
    """Removes a folder, unless this process was only forked from the one that made it."""
    import shutil

    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


def output_of(given: Optional[Path]) -> Tuple[str, Optional[_Folder]]:
    """Returns the folder of runs, and what keeps it where it is a temporary one."""
    if given is not None:
        return os.path.abspath(path_of(given, "output")), None
    keeper = _Folder()
    return os.path.join(keeper.path, "runs"), keeper


class Results:
    """The runs of a folder, as far as they are.

    `rounds` has a row for each round of each run, `devices` one for each device of each run, `runs` one for
    each run: tables of columns, which pandas and whoever reads Arrow take.

    >>> results
    <2 runs of float32-cell, complete>
    >>> results.rounds.rows, results.rounds["time_s"][0]
    (6, 0.0)
    """

    def __init__(self, folder: str, keeper: Optional[_Folder] = None) -> None:
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
        self.rounds = Table({**_of_runs(self._runs, "records"), **kept["rounds"]})
        """Time (time_s), energy (energy_j), participants, loss and accuracy after each round, since the start."""

    @property
    def runs(self) -> Table:
        """A row for each run: strategy, seed, how far it is, and its last round: time_s, energy_j, accuracy, ...

        >>> results.runs["strategy"], results.runs["stage"]
        (['uniform', 'random'], ['complete', 'complete'])
        """
        def last(name: str) -> Floats:
            column = np.asarray(self.rounds[name], dtype=float)
            found, at = [], 0
            for run in self._runs:
                values = column[at:at + run["records"]]
                known = values[~np.isnan(values)]
                found.append(known[-1] if len(known) else np.nan)
                at += run["records"]
            return np.array(found, dtype=float)

        def number(name: str) -> Floats:
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
        """A row for each device of each run: its plan (power_w, ...), how often it took part, what it spent (J).

        >>> results.devices.rows, int(results.devices["participations"].sum()) > 0
        (200, True)
        """
        if self._devices is None:
            kept = _core.read_runs(self.folder, True)
            if [_name(run) for run in kept["runs"]] != [_name(run) for run in self._runs]:
                raise _core.Error(f"{self.folder}: holds other runs by now: read them with airlot.read_runs")
            self._devices = Table({**_of_runs(kept["runs"], "devices"), **kept["device_columns"]})
        return self._devices

    @property
    def summary(self) -> Dict[str, Any]:
        """What is in summary.json: each strategy's means over seeds with their intervals, and the verdict.

        >>> [entry["strategy"] for entry in results.summary["strategies"]]
        ['uniform', 'random']
        """
        if self._summary is None:
            self._summary = json.loads(_core.summary(self.folder))
        return self._summary

    @property
    def verdict(self) -> str:
        """Which strategy to use, and why, in a few sentences.

        >>> len(results.verdict) > 0
        True
        """
        return str(self.summary["verdict"])

    def report(self, path: Optional[Path] = None) -> Report:
        """Writes the report of the runs, by default into their folder; a notebook shows it.

        >>> results.report(folder + "/runs.html").left_out
        []
        """
        file = os.path.join(self.folder, "report.html") if path is None else path_of(path, "path")
        return Report(file, _core.write_report(self.folder, file, False))

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a row for each round of each run as a pandas.DataFrame.

        >>> len(results.to_pandas())
        6
        """
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
            text += "".join(f"<p>{_html.escape(line)}</p>" for line in self.verdict.splitlines() if line)
        return text


def _name(run: Dict[str, Any]) -> Tuple[Any, ...]:
    return run["strategy"], run["seed"], run["records"]


def _of_runs(runs: List[Dict[str, Any]], count: str) -> Dict[str, ColumnData]:
    """Returns strategy and seed of runs for each of their rows."""
    counts = [run[count] for run in runs]
    strategy = [name for run, rows in zip(runs, counts) for name in [run["strategy"]] * rows]
    seeds = np.array([run["seed"] for run in runs], dtype=np.uint64)
    return {"strategy": strategy, "seed": np.repeat(seeds, counts)}


class SweepResults:
    """What a sweep found: `cells` has a row for each cell, strategy and metric.

    >>> swept.cells["radio.bandwidth_hz"][0]
    1000000.0
    """

    def __init__(self, folder: str, text: str, keeper: Optional[_Folder] = None) -> None:
        self.folder = folder
        """The folder of the sweep (docs/sweeps.md)."""
        self._keeper = keeper
        self.json: Dict[str, Any] = json.loads(text)
        """What ``airlot sweep --json`` prints."""
        self.missing: List[str] = [f"{lack['cell']}: {lack['problem']}" for lack in self.json["missing"]]
        """The cells that could not be run, and why."""
        rows: List[Dict[str, Any]] = []
        with open(os.path.join(folder, "cells.csv"), encoding="utf-8", newline="") as file:
            import csv

            rows = list(csv.DictReader(file))
        self.cells = Table({name: _numbers([row[name] for row in rows]) for name in (rows[0] if rows else [])})
        """Each metric's mean, interval and number of runs, by cell and strategy."""

    def report(self, path: Optional[Path] = None, heat_maps: bool = False) -> Report:
        """Writes the report of the sweep, by default into its folder.

        >>> swept.report().path.endswith("report.html")
        True
        """
        file = os.path.join(self.folder, "report.html") if path is None else path_of(path, "path")
        return Report(file, _core.write_report(self.folder, file, bool(heat_maps)))

    def to_pandas(self) -> pandas.DataFrame:
        """Returns `cells` as a pandas.DataFrame.

        >>> len(swept.to_pandas()) == swept.cells.rows
        True
        """
        return self.cells.to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.cells.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        missing = f", {len(self.missing)} of {self.json['cells']} cells missing" if self.missing else ""
        return f"<sweep in {self.folder}, {self.cells.rows} rows{missing}>"

    def _repr_html_(self) -> str:
        return self.cells._repr_html_() + "".join(f"<p>missing: {_html.escape(lack)}</p>" for lack in self.missing)


def _numbers(texts: List[str]) -> ColumnData:
    """Returns texts as numbers where all of them are."""
    try:
        return np.array([float(text) if text else np.nan for text in texts], dtype=float)
    except ValueError:
        return texts


def read_runs(folder: Path) -> Results:
    """Reads a run directory, whoever wrote it and however far it is.

    >>> airlot.read_runs(results.folder).status
    'complete'
    """
    return Results(os.path.abspath(path_of(folder, "folder")))
