"""Any PyTorch model under every strategy, plan and book of airlot.

>>> import torch
>>> from airlot.torch import TorchBackend
>>> x, y = np.random.default_rng(1).normal(size=(2000, 4)), np.arange(2000) % 2
>>> backend = TorchBackend(lambda: torch.nn.Linear(4, 2), torch.nn.functional.cross_entropy, train=(x, y),
...                        test=(x[:20], y[:20]), classes=2)
>>> airlot.train(scenario, "random", backend=backend, progress=False).status
'complete'
"""
from __future__ import annotations

import contextlib
import copy
import threading
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt
import torch

from . import _core
from ._backend import Backend, Evaluation, Setting, Training, Update
from ._checks import refuse
from ._data import Dataset

if TYPE_CHECKING:
    from ._types import Vector

__all__ = ["TorchBackend"]

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
Pair = Tuple[torch.Tensor, torch.Tensor]
Samples = Union[Pair, "torch.utils.data.Dataset[Any]"]

_EVALUATED_AT_ONCE = 1000
_AVERAGING_RULES = ("fedavg", "fedprox", "scaffold")

_generator = threading.Lock()  # PyTorch has one generator for all threads.


@contextlib.contextmanager
def _drawing(seed: int) -> Iterator[None]:
    """Lets PyTorch draw by a seed, as if nobody else did."""
    with _generator, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def _tensor(values: Any) -> torch.Tensor:
    """Returns a tensor; numbers of NumPy's kind become PyTorch's usual ones."""
    if isinstance(values, torch.Tensor):
        return values
    tensor = torch.as_tensor(np.asarray(values))
    return tensor.to(torch.get_default_dtype()) if tensor.dtype == torch.float64 else tensor


def _is_pair(samples: Any) -> bool:
    """Tells inputs and answers from a data set of two samples."""
    if not isinstance(samples, (tuple, list)) or len(samples) != 2:
        return False
    return all(hasattr(part, "shape") or isinstance(samples, tuple) and isinstance(part, list) for part in samples)


def _pair(samples: Any, name: str) -> Pair:
    """Returns inputs and answers as two tensors."""
    if _is_pair(samples):
        inputs, answers = _tensor(samples[0]), _tensor(samples[1])
    else:
        if not (hasattr(samples, "__len__") and hasattr(samples, "__getitem__")):
            refuse(name, "two tensors or arrays, or a data set of (input, answer)", samples)
        items = [samples[index] for index in range(len(samples))]
        if not items:
            raise _core.Error(f"{name}: is empty")
        inputs = torch.stack([_tensor(item[0]) for item in items])
        answers = torch.stack([_tensor(item[1]) for item in items])
    if len(inputs) != len(answers):
        raise _core.Error(f"{name}: has {len(inputs)} inputs and {len(answers)} answers")
    if len(inputs) == 0:
        raise _core.Error(f"{name}: is empty")
    if not answers.is_floating_point():
        answers = answers.long()
    return inputs, answers


def _statistics(model: torch.nn.Module) -> List[Tuple[str, torch.Tensor]]:
    """Returns what a model learns beside its parameters, as the running statistics of BatchNorm."""
    saved = model.state_dict()
    return [(name, buffer) for name, buffer in model.named_buffers() if name in saved and buffer.is_floating_point()]


def _tensors(named: List[Tuple[str, torch.Tensor]]) -> List[torch.Tensor]:
    return [tensor for _, tensor in named]


def _require_finite(named: List[Tuple[str, torch.Tensor]]) -> None:
    for name, tensor in named:
        if not bool(torch.isfinite(tensor).all()):
            raise _core.Error(f"{name}: has values that are not finite, which cannot be averaged: make it a constant by "
                              "register_buffer(..., persistent=False)")


class _OneThread:
    """Lets PyTorch run on one thread for as long as any of these lives: each run has its thread, and sums do not
    depend on their number."""

    _lock = threading.Lock()
    _alive = 0
    _before = 1

    def __init__(self) -> None:
        with _OneThread._lock:
            if _OneThread._alive == 0:
                _OneThread._before = torch.get_num_threads()
            _OneThread._alive += 1
            torch.set_num_threads(1)

    def __del__(self) -> None:
        with _OneThread._lock:
            _OneThread._alive -= 1
            if _OneThread._alive == 0:
                torch.set_num_threads(_OneThread._before)


class TorchBackend:
    """Lets devices train a ``torch.nn.Module``: hand it to `airlot.compare` or `airlot.train` as ``backend``.

    The samples are one data set, which the scenario's partition splits over the devices, or one data set for
    each device. Runs are as reproducible as those of the built-in models: the seed decides how the model starts
    and which samples a step takes, and PyTorch runs on one thread in each run.

    >>> backend
    TorchBackend('torch', 10 parameters, 2000 samples)

    Args:
        model: makes the model; a module is copied for each run.
        loss: the mean loss of a batch of outputs and answers, such as ``torch.nn.functional.cross_entropy``.
        train: the samples of all devices: two tensors or arrays, or a data set of (input, answer).
        devices: the samples of each device, instead of ``train``.
        test: the samples of the test.
        classes: how many classes there are; 0 where numbers are predicted. Only where each answer is one of at most
            256 classes can the scenario split the samples by them.
        metric: the share of the test that is right, or another number between 0 and 1, of (outputs, answers); by
            default the accuracy or, without classes, the coefficient of determination R².
        draws: whether the model draws random numbers while it trains, as dropout does. Then one device at a time
            trains, whatever the number of jobs. By default: whether it draws any for two samples.
        name: what reports call the model.
    """

    def __init__(self, model: Union[torch.nn.Module, Callable[[], torch.nn.Module]], loss: Loss, *,
                 test: Samples, classes: int, train: Optional[Samples] = None,
                 devices: Optional[Sequence[Samples]] = None,
                 metric: Optional[Callable[[torch.Tensor, torch.Tensor], float]] = None,
                 draws: Optional[bool] = None, name: str = "torch") -> None:
        if (train is None) == (devices is None):
            raise _core.Error("train, devices: give the samples of all devices, or of each")
        if not callable(model):
            refuse("model", "a torch.nn.Module, or a function that makes one", model)
        if not callable(loss):
            refuse("loss", "a function of outputs and answers", loss)
        if not (isinstance(classes, int) and (classes == 0 or classes >= 2)):
            raise _core.Error(f"classes = {classes!r}: must be a whole number from 2 on, or 0 to predict numbers")
        self._model = model
        self.loss = loss
        self.metric = metric
        self.classes = classes
        self.model_name = name
        self.partition: Optional[List[npt.NDArray[np.uint32]]] = None
        """The samples of each device, where ``devices`` says so."""
        if train is not None:
            self.train = _pair(train, "train")
        else:
            self.train, self.partition = self._joined(devices or [])
        self.test = _pair(test, "test")
        self.has_labels = 2 <= classes <= 256 and self.train[1].ndim == 1 and not self.train[1].is_floating_point()
        """Whether each answer is one of so few classes that the scenario may split the samples by them."""
        self.data = Dataset(train_y=self._answers(self.train), test_y=self._answers(self.test),
                            classes=classes if self.has_labels else 0, name=name)
        """The answers, by which the scenario splits the samples."""
        made = self.make()
        _require_finite(_statistics(made))
        self._statistics = [name for name, _ in _statistics(made)]
        self.parameters = sum(tensor.numel() for tensor in [*made.parameters(), *_tensors(_statistics(made))])
        """How many numbers the model has: parameters, and running statistics as BatchNorm's."""
        if not list(made.parameters()):
            raise _core.Error("model: has no parameters to train")
        self.draws = self._does_draw(made) if draws is None else draws
        """Whether the model draws random numbers while it trains."""

    def _does_draw(self, model: torch.nn.Module) -> bool:
        """Tells whether a model draws random numbers while it trains."""
        with _drawing(0), torch.no_grad():
            before = torch.get_rng_state()
            model.train()
            model(self.train[0][:2])
            return not torch.equal(before, torch.get_rng_state())

    @staticmethod
    def _joined(devices: Sequence[Samples]) -> Tuple[Pair, List[npt.NDArray[np.uint32]]]:
        pairs = [_pair(samples, f"devices[{index}]") for index, samples in enumerate(devices)]
        if not pairs:
            raise _core.Error("devices: is empty")
        ends = np.cumsum([len(pair[0]) for pair in pairs])
        partition = [np.arange(end - len(pair[0]), end, dtype=np.uint32) for pair, end in zip(pairs, ends)]
        return (torch.cat([pair[0] for pair in pairs]), torch.cat([pair[1] for pair in pairs])), partition

    def _answers(self, samples: Pair) -> npt.NDArray[Any]:
        """Returns the label or the number of each sample, or zeros where it has more than one."""
        answers = samples[1].detach().cpu()
        if self.has_labels:
            return np.asarray(answers.numpy())
        one_each = self.classes == 0 and answers.numel() == len(answers)
        return np.asarray(answers.float().reshape(-1).numpy()) if one_each else np.zeros(len(answers))

    def make(self) -> torch.nn.Module:
        """Returns a new model.

        >>> backend.make()
        Linear(in_features=4, out_features=2, bias=True)
        """
        made = copy.deepcopy(self._model) if isinstance(self._model, torch.nn.Module) else self._model()
        if not isinstance(made, torch.nn.Module):
            refuse("model", "a torch.nn.Module, or a function that makes one", made)
        return made

    def _require_averages(self, setting: Setting) -> None:
        """Refuses a server that would do something else with running statistics than average them."""
        rules = setting.rules
        for name, averages in (("rule", rules["rule"] in _AVERAGING_RULES),
                               ("aggregation", rules["aggregation"] == "average"),
                               ("server_rate", rules["server_rate"] in (None, 1)),
                               ("momentum", not rules["momentum"]),
                               ("compression", rules["compression"] == "none")):
            if not averages:
                raise _core.Error(f"learning.{name} = {rules[name]}: would not average what the model keeps beside its "
                                  f"parameters, as {self._statistics[0]}: use group normalisation, track_running_stats=False, or persistent=False for a "
                                  "constant")

    def __call__(self, setting: Setting) -> Backend:
        """Returns the devices of a run."""
        if self._statistics:
            self._require_averages(setting)
        return _Devices(self, setting)

    def __repr__(self) -> str:
        return f"TorchBackend({self.model_name!r}, {self.parameters} parameters, {len(self.train[0])} samples)"


class _Devices(Backend):
    """The devices of one run."""

    def __init__(self, parts: TorchBackend, setting: Setting) -> None:
        super().__init__(setting)
        self._parts = parts
        self._thread = _OneThread()
        with _drawing(setting.seed):
            self._model = parts.make()
        self._list = list(self._model.parameters())
        sent = {name for name, _ in _statistics(self._model)}
        self._others = {name: buffer.clone() for name, buffer in self._model.named_buffers() if name not in sent}

    def _averaged(self) -> List[torch.Tensor]:
        """Returns what the model learns beside its parameters, as it is now: a model may assign its buffers anew."""
        return [tensor.detach() for tensor in _tensors(_statistics(self._model))]

    def _numbers(self) -> List[torch.Tensor]:
        """Returns what devices and server send each other."""
        return [*(parameter.detach() for parameter in self._list), *self._averaged()]

    def start(self) -> npt.ArrayLike:
        return self._vector(self._numbers())

    @staticmethod
    def _vector(parts: Sequence[torch.Tensor]) -> Vector:
        return np.asarray(torch.cat([part.reshape(-1).float() for part in parts]).cpu().numpy())

    def _set(self, parameters: Vector) -> None:
        vector = torch.from_numpy(np.array(parameters))
        at = 0
        with torch.no_grad():
            for tensor in self._numbers():
                count = tensor.numel()
                tensor.copy_(vector[at:at + count].view_as(tensor))
                at += count
            now = dict(self._model.named_buffers())
            for name, first in self._others.items():
                now[name].copy_(first)

    def _gradient(self, samples: npt.NDArray[np.uint32]) -> float:
        """Leaves the gradient of the mean loss of some samples in the parameters."""
        inputs, answers = self._parts.train
        index = torch.from_numpy(samples.astype(np.int64))
        self._model.zero_grad(set_to_none=True)
        loss: Any = self._parts.loss(self._model(inputs[index]), answers[index])
        loss.backward()
        return float(loss.detach())

    def _gradients(self) -> List[torch.Tensor]:
        return [torch.zeros_like(parameter) if parameter.grad is None else parameter.grad for parameter in self._list]

    def train(self, device: int, parameters: Vector, training: Training) -> Update:
        self._set(parameters)
        self._model.train()
        stream = _core.RandomStream(self.setting.seed, "airlot.torch", training.round, device)
        with _drawing(stream.bits() >> 1) if self._parts.draws else contextlib.nullcontext():
            if not training.sends_models:
                before = [tensor.clone() for tensor in self._averaged()]
                loss = self._gradient(self.setting.batch(device, training.round, training.batch))
                # The server's step of the learning rate then leads to the mean of the devices' statistics.
                steps = [(was - now) / training.rate for was, now in zip(before, self._averaged())]
                return Update(self._vector([*self._gradients(), *steps]), loss)
            return self._train_locally(device, parameters, training)

    def _train_locally(self, device: int, parameters: Vector, training: Training) -> Update:
        start = [parameter.detach().clone() for parameter in self._list]
        correction = None if training.correction is None else torch.from_numpy(training.correction)
        losses, squares, counts = 0.0, 0.0, 0
        for samples in self.setting.step_batches(device, training.round, training.batch, training.steps,
                                                 training.epochs):
            loss = self._gradient(samples)
            losses, squares, counts = losses + len(samples) * loss, squares + len(samples) * loss**2, counts + len(samples)
            at = 0
            with torch.no_grad():
                for parameter, begun, gradient in zip(self._list, start, self._gradients()):
                    change = gradient + training.proximal * (parameter - begun) if training.proximal else gradient
                    if correction is not None:
                        change = change + correction[at:at + parameter.numel()].view_as(parameter)
                    at += parameter.numel()
                    parameter.sub_(training.rate * change)
        end = self._vector(self._numbers())
        return Update(parameters - end, losses / max(counts, 1), squares / max(counts, 1))

    def _outputs(self, parameters: Vector, samples: Pair) -> torch.Tensor:
        self._set(parameters)
        self._model.eval()
        inputs: Any = samples[0]
        with torch.no_grad():
            return torch.cat([self._model(part) for part in inputs.split(_EVALUATED_AT_ONCE)])

    def evaluate(self, parameters: Vector) -> Evaluation:
        answers = self._parts.test[1]
        outputs = self._outputs(parameters, self._parts.test)
        loss = float(self._parts.loss(outputs, answers))
        if self._parts.metric is not None:
            return Evaluation(float(self._parts.metric(outputs, answers)), loss)
        if self._parts.classes == 0:
            residual = float(((outputs.reshape(answers.shape) - answers) ** 2).sum())
            spread = float(((answers - answers.float().mean(0)) ** 2).sum())
            return Evaluation(1 - residual / spread if spread > 0 else float("nan"), loss)
        right = (outputs.argmax(1) == (answers.argmax(1) if answers.is_floating_point() else answers)).double()
        if not self._parts.has_labels:
            return Evaluation(float(right.mean()), loss)
        classes = [float(right[answers == label].mean()) for label in range(self._parts.classes)]
        return Evaluation(float(right.mean()), loss, classes)

    def loss(self, device: int, parameters: Vector, batch: int, round: int) -> float:
        samples = torch.from_numpy(self.setting.batch(device, round, batch, is_question=True).astype(np.int64))
        inputs, answers = self._parts.train
        pair = inputs[samples], answers[samples]
        return float(self._parts.loss(self._outputs(parameters, pair), pair[1]))
