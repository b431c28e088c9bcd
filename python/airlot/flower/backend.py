"""The devices of a federation as a backend of the round loop."""
from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from .. import _core
from .._backend import Backend, Evaluation, Gathering, Invitation, Setting, Training, Update
from .._data import Dataset
from .._results import Results
from .._runs import train
from .._scenario import Scenario
from .._types import StrategyLike
from .federation import FLEET_FILE, Federation, say
from .round import Accepted
from .transport import Arrays

Vector = npt.NDArray[np.float32]
EvaluateFunction = Callable[[int, Arrays], Optional[Tuple[float, float]]]
"""Takes a round and the arrays of the model; returns accuracy and loss."""

LIVE_FOLDER = "live"


class LiveBackend(Backend):
    """Devices elsewhere: `gather` invites them, and `train` hands over what has come."""

    def __init__(self, setting: Setting, run: LiveRun) -> None:
        super().__init__(setting)
        self._run = run
        self._updates: Dict[int, Accepted] = {}
        self._round = 0
        self._last = Evaluation(accuracy=0.0, loss=0.0)
        if run.start is None:  # The model is the scenario's own.
            run.set_model({"parameters": setting.initial_parameters()})

    def start(self) -> Optional[npt.ArrayLike]:
        return None if self._run.start is None else self._run.start

    def gather(self, invited: List[Invitation], parameters: Vector, training: Training) -> Optional[Gathering]:
        self._round = training.round
        gathering, self._updates = self._run.federation.gather(invited, parameters, training)
        self._run.tell(training.round, gathering)
        return gathering

    def train(self, device: int, parameters: Vector, training: Training) -> Update:
        if device not in self._updates or training.round != self._round:
            raise _core.Error("a strategy asks devices for norms of updates, which devices elsewhere are not asked for")
        accepted = self._updates[device]
        return Update(accepted.update, accepted.loss)

    def evaluate(self, parameters: Vector) -> Optional[Evaluation]:
        run = self._run
        if run.evaluates_here:
            return None
        found = (run.federation.evaluate(parameters, self._round) if run.evaluate is None else
                 run.evaluate(self._round, run.federation.arrays_of(parameters)))
        if found is not None:
            self._last = Evaluation(accuracy=found[0], loss=found[1])
        return self._last


class LiveRun:
    """A training run with the devices of a federation, in a folder with which it goes on."""

    def __init__(self, federation: Federation, scenario: Scenario, strategy: StrategyLike, output: str, *, seed: int = 1,
                 test: Union[Dataset, str, None] = None, evaluate: Optional[EvaluateFunction] = None,
                 start: Optional[Arrays] = None, tell: Callable[[int, Gathering], None] = lambda *_: None) -> None:
        if scenario["learning.rule"] == "scaffold":
            raise _core.Error("learning.rule = \"scaffold\": devices elsewhere do not send a second vector")
        if scenario["learning.compression"] not in (None, "none"):
            raise _core.Error("learning.compression: devices elsewhere send all numbers as they are")
        self.federation = federation
        self.scenario = scenario
        self.strategy = strategy
        self.output = output
        self.seed = seed
        self.evaluate = evaluate
        self.tell = tell
        self.start: Optional[Vector] = None
        self.evaluates_here = test is not None and evaluate is None and start is None
        self._test = test
        if start is not None:
            self.start = np.concatenate([np.asarray(array, np.float32).ravel() for array in start.values()])
            self.set_model(start)
        elif test is None:
            raise _core.Error("give the arrays that the model begins with, or test data for the scenario's own model")

    def set_model(self, arrays: Mapping[str, Any]) -> None:
        """Says what the arrays of the model are."""
        self.federation.shapes = {name: tuple(array.shape) for name, array in arrays.items()}
        self.federation.parameters = int(sum(array.size for array in arrays.values()))

    @property
    def has_begun(self) -> bool:
        """Says whether the folder holds a run to go on with."""
        return os.path.exists(os.path.join(self.output, "manifest.json"))

    def open(self, least_devices: int, wait_s: float) -> None:
        """Enrols devices, or finds those again with whom the run has begun."""
        federation = self.federation
        if self.has_begun and federation.reopen():
            say(f"goes on with the run in {self.output} and its {len(federation.enrolment.devices)} devices")
            federation.enrol(1, wait_s)
        else:
            federation.enrol(least_devices, wait_s)
            federation.close()
            say(f"{len(federation.enrolment.devices)} devices are enrolled")

    def final_arrays(self, results: Results) -> Arrays:
        """Returns the model of the run, once it is complete."""
        path = os.path.join(results.folder, str(results.runs["strategy"][0]), f"seed-{self.seed}", "model.npz")
        with np.load(path) as kept:
            parts = [np.asarray(kept[name], np.float32).ravel() for name in kept.files]
        return self.federation.arrays_of(np.concatenate(parts))

    def go(self) -> Results:
        """Trains to the end of the scenario's rounds; the state is on disk after each of them."""
        path = os.path.abspath(os.path.join(self.federation.folder, FLEET_FILE))
        enrolment = self.federation.enrolment
        scenario = self.scenario.replace(**{"fleet.file": path})
        return train(scenario, self.strategy, seed=self.seed, output=self.output, resume=self.has_begun,
                     backend=_Maker(self), data=self._data(), partition=enrolment.partition(), checkpoint_every_s=0.0,
                     progress=False)

    def _data(self) -> Dataset:
        enrolment = self.federation.enrolment
        if not self.evaluates_here:
            classes = max((len(device.labels or ()) for device in enrolment.devices), default=0)
            classes = max(classes, 2)
            return Dataset(train_y=enrolment.answers(classes), test_y=np.zeros(1, np.uint32), classes=classes, name="live")
        held = _core.Dataset.read(self._test) if isinstance(self._test, str) else self._test._core  # type: ignore[union-attr]
        _, _, x, y, classes = held.arrays()
        train_y = enrolment.answers(classes) if classes else np.zeros(enrolment.samples, np.float32)
        # Nobody here looks at the samples of devices.
        return Dataset(train_x=np.zeros((enrolment.samples, *x.shape[1:]), x.dtype), train_y=train_y, test_x=x, test_y=y,
                       classes=classes, name=held.name)


class _Maker:
    """Makes the backend of a run."""

    def __init__(self, run: LiveRun) -> None:
        self._run = run
        self.parameters = 0 if run.start is None else run.start.size
        self.model_name = "live"

    def __call__(self, setting: Setting) -> LiveBackend:
        return LiveBackend(setting, self._run)
