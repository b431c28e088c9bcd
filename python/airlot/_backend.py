"""Training of your own: any model, any framework, under every strategy, plan and book."""
from __future__ import annotations

import dataclasses

from . import _core
from ._core import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from ._types import ArrayLike, Vector

__all__ = ["Backend", "Evaluation", "Setting", "Training", "Update"]


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

    def train(self, device: int, parameters: Vector, training: Training) -> Update:
        """Lets a device train from these parameters, which cannot be written to.

        >>> Mean(setting).train(3, np.zeros(1, np.float32), training).update
        array([-3.], dtype=float32)
        """
        raise NotImplementedError(f"{type(self).__name__} has no train")

    def evaluate(self, parameters: Vector) -> Evaluation:
        """Evaluates a model on the test data.

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

    def _train(self, device: int, parameters: Vector, *told: Any) -> Update:
        return self.train(device, parameters, Training(*told))

    def _update_norm(self, bits: float, device: int, parameters: Vector, *told: Any) -> float:
        return self.update_norm(device, parameters, Training(*told), bits)
