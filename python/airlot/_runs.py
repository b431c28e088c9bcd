"""Training runs: one, a comparison of strategies over seeds, or a sweep over values of keys."""
from __future__ import annotations

import contextlib
import operator
import os
import sys
from collections.abc import Mapping

from . import _core
from ._checks import items_of, refuse, text_of
from ._data import Dataset
from ._progress import Progress
from ._results import Results, SweepResults, output_of
from ._scenario import Scenario, scenario_of, toml
from ._strategy import names_of, strategies as all_strategies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

    from ._types import ArrayLike, BackendLike, Path, ProgressLike, ScenarioLike, SeedsLike, StrategiesLike
    from ._types import StrategyLike, Vary

PAPER = ["probabilistic", "deterministic", "uniform", "equally-weighted"]


def _seeds(given: SeedsLike) -> List[int]:
    """Returns the seeds: so many from 1 on, or those that are given."""
    if isinstance(given, bool) or isinstance(given, (str, float)):
        refuse("seeds", "how many seeds there are, or which", given)
    try:
        count = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        return list(items_of(given, "seeds", "how many seeds there are, or which"))  # type: ignore[arg-type]
    if not 1 <= count <= 10**6:
        raise _core.Error(f"seeds = {count}: must be from 1 to 1000000")
    return list(range(1, 1 + count))


def _chosen(scenario: Scenario, given: StrategiesLike) -> List[str]:
    if given is None:
        first = scenario._core.first_strategy
        return [first, *(name for name in PAPER if name != first)]
    if isinstance(given, str) and given == "every":
        fitting, notes = _core.fitting(scenario._core, list(all_strategies()))
        for note in notes:
            print(f"note: {note}", file=sys.stderr)
        return fitting
    if isinstance(given, (str, type)):
        return names_of([given])
    return names_of(given)


def _with_backend(scenario: Scenario, backend: Optional[BackendLike]) -> Scenario:
    """Returns the scenario with the model of a backend."""
    if not (backend is None or callable(backend)):
        refuse("backend", "a class of airlot.Backend, or a function of a setting that returns such an object", backend)
    given = getattr(backend, "parameters", 0)
    try:
        count = operator.index(given)
    except TypeError:
        refuse("parameters", "a whole number, how many parameters the model has", given)
    if count == 0:
        return scenario
    name = getattr(backend, "model_name", None) or "own"
    return scenario.replace(**{"model.layers": [{"kind": "external", "parameters": count}], "model.name": name})


def _shared(seeds: SeedsLike, jobs: Optional[int], output: str, resume: bool, force: bool,
            backend: Optional[BackendLike], data: Optional[Dataset], partition: Optional[Sequence[ArrayLike]],
            participants: bool, checkpoint_every_s: float) -> Dict[str, Any]:
    """Returns the arguments that a comparison and a sweep share."""
    if data is None:
        data = getattr(backend, "data", None)
    if partition is None:
        partition = getattr(backend, "partition", None)
    if not (data is None or isinstance(data, Dataset)):
        refuse("data", "an airlot.Dataset", data)
    return {"seeds": _seeds(seeds), "jobs": (os.cpu_count() or 1) if jobs is None else jobs, "output": output,
            "resume": resume, "force": force, "backend": backend, "data": None if data is None else data._core,
            "partition": partition, "participants": participants, "checkpoint_every_s": checkpoint_every_s}


@contextlib.contextmanager
def _saying_how_to_go_on(output: Optional[Path]) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        if output is not None:
            print(f"\nThe runs were interrupted: go on with resume=True, output={os.fspath(output)!r}.", file=sys.stderr)
        raise


def compare(scenario: ScenarioLike, strategies: StrategiesLike = None, *, seeds: SeedsLike = 3,
            jobs: Optional[int] = None, output: Optional[Path] = None, resume: bool = False, force: bool = False,
            backend: Optional[BackendLike] = None, data: Optional[Dataset] = None,
            partition: Optional[Sequence[ArrayLike]] = None, participants: bool = True,
            checkpoint_every_s: float = 5.0, progress: ProgressLike = None) -> Results:
    """Runs strategies times seeds of a scenario, and returns what came out.

    An interrupt stops all runs at the end of their rounds; with an ``output``, ``resume=True`` goes on from
    there. The same scenario, strategy and seed give the same bytes for any number of jobs.

    >>> scenario = airlot.Scenario(rounds=2, evaluate_every=1, **{
    ...     "data.dataset": "digits", "data.partition": "iid", "model.name": "logistic"})
    >>> results = airlot.compare(scenario, ["uniform", "random"], seeds=1, progress=False)
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
        checkpoint_every_s: seconds from one checkpoint to the next, s.
        progress: True, False, or a function of (rounds done, all rounds); by default where somebody looks.
    """
    chosen = _with_backend(scenario_of(scenario), backend)
    folder, keeper = output_of(output)
    shared = _shared(seeds, jobs, folder, resume, force, backend, data, partition, participants, checkpoint_every_s)
    with Progress(progress) as shown, _saying_how_to_go_on(output):
        _core.compare(scenario=chosen._core, strategies=_chosen(chosen, strategies), progress=shown, **shared)
    return Results(folder, keeper)


def train(scenario: ScenarioLike, strategy: Optional[StrategyLike] = None, *, seed: int = 1,
          output: Optional[Path] = None, resume: bool = False, force: bool = False,
          backend: Optional[BackendLike] = None, data: Optional[Dataset] = None,
          partition: Optional[Sequence[ArrayLike]] = None, participants: bool = True,
          checkpoint_every_s: float = 5.0, progress: ProgressLike = None) -> Results:
    """Makes one training run; the arguments are those of `compare`.

    >>> airlot.train(scenario, "random", progress=False).status
    'complete'
    """
    chosen = scenario_of(scenario)
    return compare(chosen, [chosen._core.first_strategy if strategy is None else strategy], seeds=[seed], jobs=1,
                   output=output, resume=resume, force=force, backend=backend, data=data, partition=partition,
                   participants=participants, checkpoint_every_s=checkpoint_every_s, progress=progress)


def _varied(vary: Vary) -> List[Tuple[str, List[str]]]:
    """Returns the keys and the texts of their values."""
    if not isinstance(vary, Mapping):
        refuse("vary", "a dictionary of keys and the values that each takes", vary)
    wanted = "a list of values"
    return [(str(name), [text_of(value, str(name)) if isinstance(value, str) else toml(value, str(name))
                         for value in items_of(values, f"vary[{name!r}]", wanted)]) for name, values in vary.items()]


def sweep(scenario: ScenarioLike, vary: Vary, strategies: StrategiesLike = None, *, seeds: SeedsLike = 3,
          jobs: Optional[int] = None, output: Optional[Path] = None, resume: bool = False, force: bool = False,
          backend: Optional[BackendLike] = None, data: Optional[Dataset] = None,
          partition: Optional[Sequence[ArrayLike]] = None, participants: bool = True,
          checkpoint_every_s: float = 5.0, progress: ProgressLike = None) -> SweepResults:
    """Compares strategies for every combination of the values of some keys.

    >>> swept = airlot.sweep(scenario.replace(rounds=1), {"radio.bandwidth_hz": [1e6, 1e7]}, ["random"], seeds=1,
    ...                      progress=False)
    >>> sorted(set(swept.cells["radio.bandwidth_hz"].tolist()))
    [1000000.0, 10000000.0]

    Args:
        vary: keys of the scenario and the values that each takes.
        The others are those of `compare`.
    """
    chosen = _with_backend(scenario_of(scenario), backend)
    varied = _varied(vary)
    folder, keeper = output_of(output)
    shared = _shared(seeds, jobs, folder, resume, force, backend, data, partition, participants, checkpoint_every_s)
    with Progress(progress) as shown, _saying_how_to_go_on(output):
        text = _core.sweep(scenario=chosen._core, vary=varied, strategies=_chosen(chosen, strategies), progress=shown,
                           **shared)
    return SweepResults(folder, text, keeper)
