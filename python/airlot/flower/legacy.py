"""The strategy for Flower's legacy API: `flwr.server.ServerApp` with a strategy of configure_fit and aggregate_fit.

The round loop of airlot runs in a thread of its own. It hands each round over to Flower's loop, which sends the
messages and waits for the replies, until its own `round_timeout`: set that to the deadline of the rules.
"""
from __future__ import annotations

import atexit
import concurrent.futures
import os
import queue
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy as np
from flwr.common import (EvaluateIns, FitIns, FitRes, GetPropertiesIns, Parameters, ndarrays_to_parameters,
                         parameters_to_ndarrays)
from flwr.server.client_manager import ClientManager
from flwr.server.client_proxy import ClientProxy
from flwr.server.strategy import Strategy

from .. import _core
from .._results import Results
from .._scenario import scenario_of
from .._types import ScenarioLike, StrategyLike
from . import wire
from .backend import LIVE_FOLDER, LiveRun
from .enrolment import Claim
from .federation import Federation
from .robust import Rule
from .round import Reply, Rules
from .transport import Answer, Arrays, Score
from .wire import Config

LegacyEvaluate = Callable[[int, List[Any], Dict[str, Any]], Optional[Tuple[float, Dict[str, Any]]]]


class _Request:
    """A round that Flower's loop is to hold."""

    def __init__(self, arrays: Arrays, configs: Mapping[int, Config]) -> None:
        self.arrays, self.configs = arrays, configs


class _ClientTransport:
    """Carries messages by the proxies of a ClientManager; those of training go the way of Flower's loop."""

    def __init__(self, clients: ClientManager) -> None:
        self._clients = clients
        self._numbers: Dict[str, int] = {}
        self.proxies: Dict[int, ClientProxy] = {}
        self.requests: queue.Queue[Union[_Request, Results, BaseException]] = queue.Queue()
        self.answers: queue.Queue[List[Answer]] = queue.Queue()
        self.is_stopped = threading.Event()

    def number_of(self, cid: str) -> int:
        return self._numbers.setdefault(cid, len(self._numbers) + 1)

    def nodes(self) -> Dict[int, Optional[str]]:
        self.proxies = {self.number_of(cid): proxy for cid, proxy in self._clients.all().items()}
        return {number: None for number in self.proxies}

    def exchange(self, kind: str, arrays: Optional[Arrays], configs: Mapping[int, Config],
                 deadline_s: float) -> Iterator[Tuple[Answer, float]]:
        if kind == "train":
            self.requests.put(_Request(arrays or {}, configs))
            while not self.is_stopped.is_set():
                try:
                    for answer in self.answers.get(timeout=0.2):
                        yield answer, 0.0  # Flower's loop has left out those that were late.
                    return
                except queue.Empty:
                    pass
            raise _core.Error("Flower's loop has ended before the run")
        pool = concurrent.futures.ThreadPoolExecutor(max_workers=min(32, len(configs) or 1))
        try:
            asked = [pool.submit(self._ask, kind, number, arrays, config, deadline_s)
                     for number, config in configs.items()]
            for done in concurrent.futures.as_completed(asked, timeout=deadline_s):
                yield done.result(), 0.0
        except concurrent.futures.TimeoutError:
            return
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self, kind: str, number: int, arrays: Optional[Arrays], config: Config, deadline_s: float) -> Answer:
        proxy = self.proxies[number]
        round = int(config.get(wire.ROUND, 0))
        try:
            if kind == "query":
                found = proxy.get_properties(GetPropertiesIns(dict(config)), deadline_s, round).properties
                return wire.claim_of(number, found, found)
            result = proxy.evaluate(EvaluateIns(_parameters(arrays or {}), dict(config)), deadline_s, round)
            return Score(number, result.loss, (result.metrics or {}).get("accuracy"))
        except Exception as error:  # Whatever a client does must not end the run.
            reason = f"{type(error).__name__}: {error}"
            return Claim(number, error=reason) if kind == "query" else Score(number)


def _parameters(arrays: Arrays) -> Parameters:
    return ndarrays_to_parameters(list(arrays.values()))


class LegacyStrategy(Strategy):  # type: ignore[misc]
    """`AirlotStrategy` for Flower's legacy API. Clients answer get_properties with their figures, and fit with
    "token" and, where they measured it, "airlot.compute_s", "airlot.upload_s" and "airlot.energy_j" in the metrics.

    Args:
        initial: the arrays of the model to begin with.
        evaluate_fn: evaluates the model here: (round, arrays, config) -> (loss, {"accuracy": ...}); None: clients do.
        The others are those of `AirlotStrategy`.
    """

    def __init__(self, scenario: ScenarioLike, strategy: StrategyLike = "probabilistic", *, output: str,
                 initial: List[Any], rules: Rules = Rules(), robust: Optional[Rule] = None, least_devices: int = 2,
                 wait_s: float = 120.0, defaults: Mapping[str, float] = {}, seed: int = 1,
                 evaluate_fn: Optional[LegacyEvaluate] = None) -> None:
        self.scenario = scenario_of(scenario)
        self.strategy, self.output, self.rules, self.robust = strategy, os.fspath(output), rules, robust
        self.least_devices, self.wait_s, self.defaults, self.seed = least_devices, wait_s, dict(defaults), seed
        self.evaluate_fn = evaluate_fn
        self.results: Optional[Results] = None
        """The runs of the folder, once they are complete."""
        self._start: Arrays = {str(at): np.asarray(array, np.float32) for at, array in enumerate(initial)}
        self._transport: Optional[_ClientTransport] = None
        self._next: Union[_Request, Results, None] = None
        self._last: Tuple[int, Optional[Tuple[float, float]]] = (0, None)

    def initialize_parameters(self, client_manager: ClientManager) -> Optional[Parameters]:
        return _parameters(self._start)

    def configure_fit(self, server_round: int, parameters: Parameters,
                      client_manager: ClientManager) -> List[Tuple[ClientProxy, FitIns]]:
        transport = self._transport or self._begin(client_manager)
        request = self._wait()
        if not isinstance(request, _Request):
            return []
        sent = _parameters(request.arrays)
        return [(transport.proxies[number], FitIns(sent, dict(config))) for number, config in request.configs.items()]

    def aggregate_fit(self, server_round: int, results: List[Tuple[ClientProxy, FitRes]],
                      failures: List[Any]) -> Tuple[Optional[Parameters], Dict[str, Any]]:
        transport = self._transport
        assert transport is not None
        answers: List[Answer] = [self._reply(transport.number_of(client.cid), result) for client, result in results]
        for failure in failures:
            if isinstance(failure, tuple):
                client, result = failure
                answers.append(Reply(transport.number_of(client.cid), error=f"{result.status.code}: {result.status.message}"))
        self._next = None
        transport.answers.put(answers)
        after = self._wait()  # The round is on disk when the next one is asked for.
        if isinstance(after, _Request):
            return _parameters(after.arrays), {}
        return _parameters(self._run.final_arrays(after)), {}

    def configure_evaluate(self, server_round: int, parameters: Parameters,
                           client_manager: ClientManager) -> List[Tuple[ClientProxy, EvaluateIns]]:
        return []  # The round loop has evaluated.

    def aggregate_evaluate(self, server_round: int, results: Any, failures: Any) -> Tuple[Optional[float], Dict[str, Any]]:
        return None, {}

    def evaluate(self, server_round: int, parameters: Parameters) -> Optional[Tuple[float, Dict[str, Any]]]:
        found = self._last[1]
        return None if found is None else (found[1], {"accuracy": found[0], "round": self._last[0]})

    # --- The thread of the round loop ---------------------------------------------------------------

    def _begin(self, clients: ClientManager) -> _ClientTransport:
        transport = self._transport = _ClientTransport(clients)
        self._federation = Federation(transport, os.path.join(self.output, LIVE_FOLDER), rules=self.rules,
                                      robust=self.robust, defaults=self.defaults, seed=self.seed)
        run = self._run = LiveRun(self._federation, self.scenario, self.strategy, self.output, seed=self.seed, start=self._start,
                                  evaluate=self._evaluate)
        run.open(self.least_devices, self.wait_s)

        def go() -> None:
            try:
                transport.requests.put(run.go())
            except BaseException as error:
                transport.requests.put(error)

        threading.Thread(target=go, name="airlot-rounds", daemon=True).start()
        atexit.register(transport.is_stopped.set)
        return transport

    def _wait(self) -> Union[_Request, Results]:
        if self._next is None:
            assert self._transport is not None
            found = self._transport.requests.get()
            if isinstance(found, BaseException):
                raise found
            if isinstance(found, Results):
                self.results = found
            self._next = found
        return self._next

    def _evaluate(self, round: int, arrays: Arrays) -> Optional[Tuple[float, float]]:
        if self.evaluate_fn is None:
            flat = np.concatenate([array.ravel() for array in arrays.values()])
            found = self._federation.evaluate(flat, round)
        else:
            scored = self.evaluate_fn(round, list(arrays.values()), {})
            found = None if scored is None else (float(scored[1]["accuracy"]), float(scored[0]))
        self._last = (round, found)
        return found

    def _reply(self, number: int, result: FitRes) -> Reply:
        metrics = dict(result.metrics or {})
        try:
            values = parameters_to_ndarrays(result.parameters)
        except Exception as error:
            return Reply(number, error=f"the reply cannot be read: {type(error).__name__}: {error}")
        arrays = {str(at): array for at, array in enumerate(values)}
        return wire.reply_of(number, arrays, metrics, metrics)
