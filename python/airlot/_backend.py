"""Training of your own: any model, any framework, under every strategy, plan and book."""
from __future__ import annotations

import dataclasses
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Setting

Vector = npt.NDArray[np.float32]

__all__ = ["Arrival", "Backend", "Evaluation", "Gathering", "Invitation", "Setting", "Training", "Update"]


@dataclasses.dataclass(frozen=True)
class Training:
    """What a device is told to do in a round."""

    round: int
    rate: float
    """The learning rate of each local step."""
    batch: int
    """Samples of a step; 0: all that the device holds."""
    steps: int
    """Local steps, those of ``epochs`` passes where that is not 0."""
    epochs: int
    proximal: float
    """FedProx: how much of (parameters - start) each gradient gets."""
    correction: Optional[Vector]
    """SCAFFOLD: what each gradient gets."""
    sends_models: bool
    """The update is start - end of local training; else it is one gradient at the start."""


@dataclasses.dataclass(frozen=True)
class Update:
    """What a device sends: a vector as long as the parameters, and its loss."""

    update: npt.ArrayLike
    """A gradient, or start - end where ``training.sends_models``."""
    loss: float
    """The mean loss of the samples that were used, before each step."""
    mean_square_loss: Optional[float] = None
    """The mean of the squared losses; None: the square of ``loss``."""


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """How good a model is on the test data."""

    accuracy: float
    loss: float
    class_accuracy: Optional[npt.ArrayLike] = None


@dataclasses.dataclass(frozen=True)
class Invitation:
    """What a device elsewhere is asked to do in a round, with its times and its energy as planned."""

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
    """What came of an invitation; what was not measured is booked as planned."""

    has_arrived: bool
    upload_s: Optional[float] = None
    compute_s: Optional[float] = None
    energy_j: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class Gathering:
    """What came of a round with devices elsewhere: an arrival for each that was invited."""

    arrivals: Sequence[Arrival]
    waited_s: float = 0.0
    """How long the server waited in any case: the round takes no less."""


class Backend:
    """Devices that train; one object for each run. Subclass it, and hand the class (or any function of a
    setting that returns such an object) to `compare`.

    >>> class Mean(Backend):
    ...     '''Every device pulls the parameter towards its own number.'''
    ...     parameters = 1
    ...
    ...     def train(self, device, parameters, training):
    ...         return Update(parameters - device, loss=float((parameters[0] - device) ** 2))
    ...
    ...     def evaluate(self, parameters):
    ...         return Evaluation(accuracy=0.0, loss=float(parameters[0]))
    """

    parameters: int = 0
    """How many parameters the model has; 0: those of the scenario's model."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting

    def start(self) -> Optional[npt.ArrayLike]:
        """Returns the parameters that a run begins with; None: zeros, or those of the scenario's model."""
        return None

    def gather(self, invited: List[Invitation], parameters: Vector, training: Training) -> Optional[Gathering]:
        """Invites devices elsewhere to a round, and returns once it is known whose updates have come: `train`
        is then called for those. What is measured is booked. By default all devices are here."""
        return None

    def train(self, device: int, parameters: Vector, training: Training) -> Update:
        """Lets a device train from these parameters, which cannot be written to."""
        raise NotImplementedError(f"{type(self).__name__} has no train")

    def evaluate(self, parameters: Vector) -> Optional[Evaluation]:
        """Evaluates a model on the test data; None: the scenario's own model is evaluated on its test data."""
        raise NotImplementedError(f"{type(self).__name__} has no evaluate")

    def loss(self, device: int, parameters: Vector, batch: int, round: int) -> float:
        """Returns the mean loss of ``batch`` samples of a device (0: all), for strategies that ask for it."""
        raise _core.Error(f"{type(self).__name__} has no loss, which this strategy asks devices for")

    def _gathers(self) -> bool:
        return type(self).gather is not Backend.gather

    def _gather(self, seats: List[Tuple[Any, ...]], parameters: Vector, round: int, rate: float, batch: int, steps: int,
                epochs: int, proximal: float, sends_models: bool) -> Optional[Gathering]:
        training = Training(round, rate, batch, steps, epochs, proximal, None, sends_models)
        return self.gather([Invitation(*seat) for seat in seats], parameters, training)

    def _train(self, device: int, parameters: Vector, round: int, rate: float, batch: int, steps: int, epochs: int,
               proximal: float, correction: Optional[Vector], sends_models: bool) -> Any:
        return self.train(device, parameters,
                          Training(round, rate, batch, steps, epochs, proximal, correction, sends_models))
