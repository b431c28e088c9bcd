"""Training of your own: any model, any framework, under every strategy, plan and book."""
from __future__ import annotations

import dataclasses

from . import _core
from ._core import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Optional, Sequence, Tuple

    from ._types import ArrayLike, Vector

__all__ = ["Arrival", "Backend", "Evaluation", "Gathering", "Invitation", "Setting", "Training", "Update"]


@dataclasses.dataclass(frozen=True)
class Training:
    """What a device is told to do in a round.

    >>> training.steps, training.sends_models
    (1, False)

    Args:
        round: from 1 on.
        rate: the learning rate of each local step.
        batch: samples of a step; 0: all that the device holds.
        steps: local steps, those of ``epochs`` passes where that is not 0.
        epochs: passes over the device's samples, or 0.
        proximal: FedProx: how much of (parameters - start) each gradient gets.
        correction: SCAFFOLD: a vector that each gradient gets, or None.
        sends_models: the update is start - end of local training; else it is one gradient at the start.
    """

    round: int
    rate: float
    batch: int
    steps: int
    epochs: int
    proximal: float
    correction: Optional[Vector]
    sends_models: bool


@dataclasses.dataclass(frozen=True)
class Update:
    """What a device sends: a vector as long as the parameters, and its loss.

    >>> airlot.Update([0.5, -1.0], loss=0.7).loss
    0.7

    Args:
        update: a gradient, or start - end where ``training.sends_models``.
        loss: the mean loss of the samples that were used, before each step.
        mean_square_loss: the mean of the squared losses; None: the square of ``loss``.
    """

    update: ArrayLike
    loss: float
    mean_square_loss: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """How good a model is on the test data.

    >>> airlot.Evaluation(accuracy=0.9, loss=0.3).accuracy
    0.9

    Args:
        accuracy: at most 1.
        loss: the mean loss of the test samples.
        class_accuracy: the accuracy of each class, for strategies that ask for it; NaN: it has no test sample.
    """

    accuracy: float
    loss: float
    class_accuracy: Optional[ArrayLike] = None


@dataclasses.dataclass(frozen=True)
class Invitation:
    """What a device elsewhere is asked to do in a round, with its times and its energy as planned.

    >>> airlot.Invitation(device=3, power_w=0.1, bandwidth_hz=1e6, cpu_share=1.0, update_bits=1e6, upload_s=0.2,
    ...                   compute_s=0.5, energy_j=0.02).device
    3

    Args:
        device: its number, from 0 on.
        power_w: transmit power, W.
        bandwidth_hz: its band, Hz.
        cpu_share: share of its CPU's speed that it computes with.
        update_bits: size of its update, bits.
        upload_s: time of the upload as planned, s.
        compute_s: time of the computation as planned, s.
        energy_j: energy of taking part as planned, J.
    """

    device: int
    power_w: float
    bandwidth_hz: float
    cpu_share: float
    update_bits: float
    upload_s: float
    compute_s: float
    energy_j: float


@dataclasses.dataclass(frozen=True)
class Arrival:
    """What came of an invitation; times (s) and energy (J) that were not measured are booked as planned.

    >>> airlot.Arrival(has_arrived=True, upload_s=0.25).energy_j is None
    True

    Args:
        has_arrived: whether the update came, and counts.
        upload_s: time of the upload, s; None: as planned.
        compute_s: time of the computation, s; None: as planned.
        energy_j: energy of taking part, J; None: as planned.
    """

    has_arrived: bool
    upload_s: Optional[float] = None
    compute_s: Optional[float] = None
    energy_j: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class Gathering:
    """What came of a round with devices elsewhere.

    >>> airlot.Gathering([airlot.Arrival(False)], waited_s=20.0).waited_s
    20.0

    Args:
        arrivals: one for each device that was invited, in their order.
        waited_s: how long the server waited in any case, s: the round takes no less.
    """

    arrivals: Sequence[Arrival]
    waited_s: float = 0.0


class Backend:
    """Devices that train; one object for each run. Subclass it, and hand the class (or any function of a
    setting that returns such an object) to `compare`, `train` or `sweep`.

    >>> class Mean(airlot.Backend):
    ...     '''Every device pulls the parameter towards its own number.'''
    ...     parameters = 1
    ...
    ...     def train(self, device, parameters, training):
    ...         return airlot.Update(parameters - device, loss=float((parameters[0] - device) ** 2))
    ...
    ...     def evaluate(self, parameters):
    ...         return airlot.Evaluation(accuracy=0.0, loss=float(parameters[0]))
    >>> answers = airlot.Dataset(train_y=np.arange(2000) % 10, test_y=np.arange(10), classes=10)
    >>> airlot.train(scenario, "random", backend=Mean, data=answers, progress=False).status
    'complete'
    """

    parameters: int = 0
    """How many parameters the model has; 0: those of the scenario's model."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def start(self) -> Optional[ArrayLike]:
        """Returns the parameters that a run begins with; None: zeros, or those of the scenario's model.

        >>> Mean(setting).start() is None
        True
        """
        return None

    def gather(self, invited: List[Invitation], parameters: Vector, training: Training) -> Optional[Gathering]:
        """Invites devices elsewhere to a round, and returns once it is known whose updates have come: `train`
        is then called for those. What is measured is booked. By default all devices are here.

        >>> Mean(setting).gather([], np.zeros(1, np.float32), training) is None
        True
        """
        return None

    def train(self, device: int, parameters: Vector, training: Training) -> Update:
        """Lets a device train from these parameters, which cannot be written to.

        >>> Mean(setting).train(3, np.zeros(1, np.float32), training).update
        array([-3.], dtype=float32)
        """
        raise NotImplementedError(f"{type(self).__name__} has no train")

    def evaluate(self, parameters: Vector) -> Optional[Evaluation]:
        """Evaluates a model on the test data; None: the scenario's own model is evaluated on its test data.

        >>> Mean(setting).evaluate(np.ones(1, np.float32)).loss
        1.0
        """
        raise NotImplementedError(f"{type(self).__name__} has no evaluate")

    def loss(self, device: int, parameters: Vector, batch: int, round: int) -> float:
        """Returns the mean loss of ``batch`` samples of a device (0: all), for strategies that ask for it.

        >>> Mean(setting).loss(3, np.zeros(1, np.float32), batch=0, round=1)
        Traceback (most recent call last):
        airlot.Error: Mean has no loss, which this strategy asks devices for
        """
        raise _core.Error(f"{type(self).__name__} has no loss, which this strategy asks devices for")

    def update_norm(self, device: int, parameters: Vector, training: Training, bits: float) -> float:
        """Returns the norm of the update that a device would send, for strategies that ask for it.

        Where ``bits`` is finite, it is the norm of what is left of the update after cutting it to so many bits.
        Write it where you know a quicker way: otherwise the device trains, and the norm of its update is taken.

        >>> class Quick(Mean):
        ...     def update_norm(self, device, parameters, training, bits):
        ...         return abs(float(parameters[0]) - device)
        >>> Quick(setting).update_norm(3, np.zeros(1, np.float32), training, float("inf"))
        3.0
        """
        raise NotImplementedError(f"{type(self).__name__} has no update_norm of its own: the device trains for it")

    def _answers_norms(self) -> bool:
        return type(self).update_norm is not Backend.update_norm

    def _gathers(self) -> bool:
        return type(self).gather is not Backend.gather

    def _gather(self, seats: List[Tuple[Any, ...]], parameters: Vector, *told: Any) -> Optional[Gathering]:
        return self.gather([Invitation(*seat) for seat in seats], parameters, Training(*told))

    def _train(self, device: int, parameters: Vector, *told: Any) -> Update:
        return self.train(device, parameters, Training(*told))

    def _update_norm(self, bits: float, device: int, parameters: Vector, *told: Any) -> float:
        return self.update_norm(device, parameters, Training(*told), bits)
