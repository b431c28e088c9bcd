"""Strategies of your own: who takes part in a round, and on which terms."""
from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import RandomStream, View

Floats = npt.NDArray[np.float64]
Devices = npt.NDArray[np.uint32]

__all__ = ["Option", "Outcome", "RandomStream", "Selection", "Strategy", "View", "draw_uniformly", "strategies"]


def strategies() -> Dict[str, str]:
    """Returns all strategies with what each does.

    >>> "airtime" in strategies()
    True
    """
    return dict(_core.strategies())


@dataclasses.dataclass(frozen=True)
class Option:
    """A number that users may set as the scenario key ``strategy.NAME.OPTION``."""

    value: float
    """The value where nobody sets it."""
    low: float = 0
    high: float = 1e9
    is_whole: bool = False
    summary: str = ""
    words: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Words that stand for values outside of [low, high]."""


@dataclasses.dataclass
class _NamedOption:
    name: str
    value: float
    low: float
    high: float
    is_whole: bool
    summary: str
    words: Dict[str, float]


@dataclasses.dataclass
class Selection:
    """Who takes part, and on which terms. Whatever is None is as planned; numbers may be one for all."""

    devices: npt.ArrayLike
    """In rising order; where they take turns, in that order."""
    power_w: Optional[npt.ArrayLike] = None
    bandwidth_hz: Optional[npt.ArrayLike] = None
    cpu_share: Optional[npt.ArrayLike] = None
    update_bits: Optional[npt.ArrayLike] = None
    probability: Optional[npt.ArrayLike] = None
    """The probability with which each was selected, for unbiased aggregation."""
    takes_turns: bool = False
    """Uploads follow each other."""
    before_s: float = 0.0
    """Time that the round takes before devices start."""
    nobody_able: bool = False
    """Nobody could be selected, so that the round is not drawn again."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of a round, for each device whose update arrived."""

    round: int
    devices: Devices
    mean_loss: Floats
    mean_square_loss: Floats
    duration_s: Floats


class Strategy:
    """A way to select; subclass it and write `select`.

    A class is known by its ``name`` once it is handed to `compare` or `train`, or once `register` is called.
    What it selects must follow from the view, `memory` and random numbers that the view addresses
    (``view.stream()``), so that a run can be taken up again.

    >>> class Strongest(Strategy):
    ...     '''The devices of the strongest channels.'''
    ...     name = "strongest"
    ...     options = {"devices": Option(10, low=1, is_whole=True)}
    ...
    ...     def select(self, view):
    ...         return view.largest(-view.noise_to_gain_w, int(self.option["devices"]))
    >>> Strongest.register()
    >>> strategies()["strongest"]
    'The devices of the strongest channels.'
    """

    name: ClassVar[str] = ""
    """Small letters, digits and hyphens."""
    options: ClassVar[Mapping[str, Option]] = {}
    takes_planned_terms: ClassVar[bool] = False
    """`select` never gives terms; with strict budgets, those who cannot pay then stay out of the draw."""
    keeps_budgets: ClassVar[bool] = False
    """It draws only those who can pay (``view.energy_left_j``), so that budgets are strict for it."""
    learns: ClassVar[bool] = False
    """`learn` is told what came of each round, for which every participant sends a number more."""
    knows_probabilities: ClassVar[bool] = False
    """It fills in `Selection.probability`."""
    cuts_updates: ClassVar[bool] = False
    """It fills in `Selection.update_bits`."""

    def __init__(self, option: Mapping[str, float]) -> None:
        self.option: Mapping[str, float] = option
        """The values of the options in this run."""
        self.memory: Floats = np.zeros(0)
        """Numbers that checkpoints keep; they are set before each call, and kept after it."""

    def select(self, view: View) -> Union[None, Selection, Sequence[int], npt.NDArray[Any]]:
        """Returns who takes part: devices in rising order, or a `Selection` with terms; None is nobody."""
        raise NotImplementedError(f"{type(self).__name__} has no select")

    def learn(self, outcome: Outcome) -> None:
        """Is told what came of a round, where ``learns`` is true."""

    def _learn(self, round: int, devices: Devices, mean_loss: Floats, mean_square_loss: Floats,
               duration_s: Floats) -> None:
        self.learn(Outcome(round, devices, mean_loss, mean_square_loss, duration_s))

    @classmethod
    def register(cls) -> None:
        """Makes the class known by its name, in the place of an earlier one of that name."""
        if not cls.name:
            raise _core.Error(f"{cls.__name__}.name: give the strategy a name, such as \"strongest\"")
        doc = (cls.__doc__ or "").strip().splitlines()
        options: List[_NamedOption] = [
            _NamedOption(name, float(option.value), float(option.low), float(option.high), option.is_whole,
                         option.summary, dict(option.words)) for name, option in cls.options.items()
        ]
        if _registered.get(cls.name) is cls:
            return
        _core.register_strategy(
            name=cls.name, summary=doc[0] if doc else f"A strategy in Python: {cls.__name__}.", options=options,
            make=cls, takes_planned_terms=cls.takes_planned_terms, keeps_budgets=cls.keeps_budgets,
            learns=cls.learns, knows_probabilities=cls.knows_probabilities, cuts_updates=cls.cuts_updates)
        _registered[cls.name] = cls


_registered: Dict[str, Type[Strategy]] = {}

StrategyLike = Union[str, Type[Strategy]]


def names_of(given: Sequence[StrategyLike]) -> List[str]:
    """Returns the names of strategies; classes are registered."""
    names: List[str] = []
    for strategy in given:
        if isinstance(strategy, str):
            names.append(strategy)
        elif isinstance(strategy, type) and issubclass(strategy, Strategy):
            strategy.register()
            names.append(strategy.name)
        else:
            raise _core.Error(f"strategies: {strategy!r} is neither a name nor a class of airlot.Strategy")
    return names


def draw_uniformly(devices: npt.ArrayLike, count: int, stream: RandomStream) -> Tuple[Devices, Floats]:
    """Draws `count` of the devices without replacement; returns them and the probability that each had.

    >>> drawn, probability = draw_uniformly([3, 5, 8, 9], 2, RandomStream(1, "my-lab/draw", 1, 0))
    >>> len(drawn), probability.tolist()
    (2, [0.5, 0.5])
    """
    return _core.draw_uniformly(devices, count, stream)
