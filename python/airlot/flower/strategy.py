"""The strategy for Flower's Message API."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Result, Strategy

from .. import _core
from .._backend import Gathering
from .._data import Dataset
from .._results import Results
from .._scenario import scenario_of
from .._types import ScenarioLike, StrategyLike
from .backend import LIVE_FOLDER, LiveRun
from .federation import Federation, say
from .grid import GridTransport, array_record_of, arrays_of
from .robust import Rule
from .round import Rules
from .transport import Arrays, Transport

EvaluateFn = Callable[[int, ArrayRecord], Optional[MetricRecord]]


class AirlotStrategy(Strategy):  # type: ignore[misc]
    """Trains with the nodes of a federation: airlot plans who takes part at what power, invites those who are drawn,
    checks what comes back, and keeps the books of time and energy.

    The run is in the folder ``output``, as the simulator writes it, with the state after each round: whoever calls
    `start` again goes on from there. In ``output/live`` are the devices that were enrolled, and every reply.

    Args:
        scenario: rounds, learning, radio and time limit of the run; the fleet is that of the nodes.
        strategy: who takes part: a name or a class of `airlot.Strategy` that asks devices for nothing.
        output: the folder of the run.
        rules: deadline, least number of updates, longest update (`Rules`).
        robust: `Median()`, `TrimmedMean()`, `Krum()` or `Clip()`; None: the weighted mean.
        least_devices, wait_s: how many devices must enrol before the run begins, and how long to wait for them.
        defaults: figures of devices that report none, by name ("max_power_w", ...).
        test: a data set (or its name) whose test samples evaluate the scenario's own model.
        seed: the seed of plan and draws.
    """

    def __init__(self, scenario: ScenarioLike, strategy: StrategyLike = "probabilistic", *, output: str,
                 rules: Rules = Rules(), robust: Optional[Rule] = None, least_devices: int = 2, wait_s: float = 120.0,
                 defaults: Mapping[str, float] = {}, test: Union[Dataset, str, None] = None, seed: int = 1) -> None:
        self.scenario = scenario_of(scenario)
        self.strategy = strategy
        self.output = os.fspath(output)
        self.rules = rules
        self.robust = robust
        self.least_devices = least_devices
        self.wait_s = wait_s
        self.defaults = dict(defaults)
        self.test = test
        self.seed = seed
        self.results: Optional[Results] = None
        """The runs of the folder, once `start` has returned."""
        self.federation: Optional[Federation] = None

    def start(self, grid: Grid, initial_arrays: Optional[ArrayRecord] = None, num_rounds: Optional[int] = None,
              timeout: Optional[float] = None, train_config: Optional[ConfigRecord] = None,
              evaluate_config: Optional[ConfigRecord] = None, evaluate_fn: Optional[EvaluateFn] = None) -> Result:
        """Enrols the nodes, trains, and returns what Flower's strategies return.

        Args:
            grid: the Grid of the server application.
            initial_arrays: the model to begin with; None: the scenario's own model, which needs ``test``.
            num_rounds: rounds; None: those of the scenario.
            timeout: seconds until a round ends; None: those of ``rules``.
            train_config: further settings for every message.
            evaluate_config: is not used.
            evaluate_fn: evaluates the model here; its MetricRecord has "accuracy" and "loss". Without it, and without
                ``test``, the devices evaluate.
        """
        run = self.run_over(GridTransport(grid), None if initial_arrays is None else arrays_of(initial_arrays),
                            num_rounds, timeout, dict(train_config or {}), evaluate_fn)
        self.results = run.go()
        return result_of(run, self.results)

    def run_over(self, transport: Transport, start: Optional[Arrays], rounds: Optional[int], timeout: Optional[float],
                 extra: Mapping[str, Any], evaluate_fn: Optional[EvaluateFn]) -> LiveRun:
        """Enrols the nodes and makes the run, ready to go."""
        rules = self.rules if timeout is None else dataclasses.replace(self.rules, deadline_s=timeout)
        federation = Federation(transport, os.path.join(self.output, LIVE_FOLDER), rules=rules, robust=self.robust,
                                defaults=self.defaults, seed=self.seed, extra=extra)
        scenario = self.scenario if rounds is None else self.scenario.replace(rounds=rounds)
        run = LiveRun(federation, scenario, self.strategy, self.output, seed=self.seed, test=self.test, start=start,
                      evaluate=None if evaluate_fn is None else _evaluation(evaluate_fn), tell=_tell)
        self.federation = federation
        run.open(self.least_devices, self.wait_s)
        return run

    def summary(self) -> None:
        """Says what the strategy is."""
        say(f"strategy {self.strategy}, deadline {self.rules.deadline_s:g} s, run folder {self.output}")

    # Flower's own loop is not used: airlot's has plan, draw, books and checkpoints.
    def configure_train(self, server_round: int, arrays: ArrayRecord, config: ConfigRecord,
                        grid: Grid) -> Iterable[Message]:
        raise NotImplementedError("call AirlotStrategy.start")

    def aggregate_train(self, server_round: int, replies: Iterable[Message]) -> Any:
        raise NotImplementedError("call AirlotStrategy.start")

    def configure_evaluate(self, server_round: int, arrays: ArrayRecord, config: ConfigRecord,
                           grid: Grid) -> Iterable[Message]:
        raise NotImplementedError("call AirlotStrategy.start")

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> Any:
        raise NotImplementedError("call AirlotStrategy.start")


def _tell(round: int, gathering: Gathering) -> None:
    arrived = sum(arrival.has_arrived for arrival in gathering.arrivals)
    say(f"round {round}: {arrived} of {len(gathering.arrivals)} updates have come")


def _evaluation(evaluate_fn: EvaluateFn) -> Callable[[int, Arrays], Optional[tuple[float, float]]]:
    def evaluate(round: int, arrays: Arrays) -> Optional[tuple[float, float]]:
        metrics = evaluate_fn(round, array_record_of(arrays))
        if metrics is None:
            return None
        if "accuracy" not in metrics or "loss" not in metrics:
            raise _core.Error(f"evaluate_fn: has {sorted(metrics)}: must have accuracy and loss")
        return float(metrics["accuracy"]), float(metrics["loss"])

    return evaluate


def result_of(run: LiveRun, results: Results) -> Result:
    """Returns a run as Flower's result."""
    rounds = results.rounds
    result = Result(arrays=array_record_of(run.final_arrays(results)))
    columns = {name: np.asarray(rounds[name], float) for name in
               ("round", "loss", "participants", "arrived", "time_s", "energy_j", "accuracy", "test_loss")}
    for at, number in enumerate(columns["round"]):
        known = {name: float(values[at]) for name, values in columns.items() if np.isfinite(values[at])}
        if number > 0:
            result.train_metrics_clientapp[int(number)] = MetricRecord(
                {name: known[name] for name in ("loss", "participants", "arrived", "time_s", "energy_j") if name in known})
        if "accuracy" in known:
            score = MetricRecord({"accuracy": known["accuracy"], "loss": known.get("test_loss", 0.0)})
            if run.evaluate is None and not run.evaluates_here:
                result.evaluate_metrics_clientapp[int(number)] = score
            else:
                result.evaluate_metrics_serverapp[int(number)] = score
    return result
