"""Strategies of your own: who takes part in a round, and on which terms."""
from __future__ import annotations

import dataclasses

import numpy as np

from . import _core
from ._checks import items_of, refuse
from ._core import RandomStream, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

    import numpy.typing as npt

    from ._types import ArrayLike, Devices, Floats

__all__ = ["Option", "Outcome", "RandomStream", "Selection", "Strategy", "View", "draw_uniformly", "strategies"]


def strategies() -> Dict[str, str]:
    """Returns all strategies with what each does.

    >>> "airtime" in airlot.strategies()
    True
    """
    return dict(_core.strategies())


@dataclasses.dataclass(frozen=True)
class Option:
    """A number that users may set as the scenario key ``strategy.NAME.OPTION``.

    >>> airlot.Option(10, low=1, is_whole=True, summary="how many are drawn").value
    10

    Args:
        value: where nobody sets it.
        low, high: its bounds.
        is_whole: whether it is a whole number.
        summary: what it means, in a few words.
        words: words that stand for values, which may lie outside of the bounds.
    """

    value: float
    low: float = 0
    high: float = 1e9
    is_whole: bool = False
    summary: str = ""
    words: Mapping[str, float] = dataclasses.field(default_factory=dict)


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
    """Who takes part, and on which terms. Whatever is None is as planned; numbers may be one for all.

    >>> airlot.Selection([2, 5], power_w=0.1).devices
    [2, 5]

    Args:
        devices: their numbers, from 0 on, in rising order; where they take turns, in that order.
        power_w: the transmit power of each, W.
        bandwidth_hz: the band of each, Hz.
        cpu_share: the share of its clock frequency at which each computes, above 0 to 1.
        update_bits: the size to which each cuts its update, bits.
        probability: with which each was selected, for unbiased aggregation.
        takes_turns: uploads follow each other.
        before_s: the time that the round takes before devices start, s.
        nobody_able: nobody could be selected, so that the round is not drawn again.
    """

    devices: ArrayLike
    power_w: Optional[ArrayLike] = None
    bandwidth_hz: Optional[ArrayLike] = None
    cpu_share: Optional[ArrayLike] = None
    update_bits: Optional[ArrayLike] = None
    probability: Optional[ArrayLike] = None
    takes_turns: bool = False
    before_s: float = 0.0
    nobody_able: bool = False


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of a round, for each device whose update arrived.

    >>> outcome = airlot.Outcome(1, np.array([4], np.uint32), np.array([2.3]), np.array([5.3]), np.array([0.2]))
    >>> outcome.duration_s
    array([0.2])

    Args:
        round: from 1 on.
        devices: their numbers, from 0 on.
        mean_loss: the mean loss of the samples that each used.
        mean_square_loss: the mean of their squared losses.
        duration_s: how long each took to compute and to send, s.
    """

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

    >>> class Strongest(airlot.Strategy):
    ...     '''The devices of the strongest channels.'''
    ...     name = "strongest"
    ...     options = {"devices": airlot.Option(10, low=1, is_whole=True)}
    ...
    ...     def select(self, view):
    ...         return view.largest(-view.noise_to_gain_w, int(self.option["devices"]))
    >>> airlot.train(scenario, Strongest, progress=False).rounds["participants"]
    array([ 0, 10, 10], dtype=uint64)
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
        """Returns who takes part: devices in rising order, or a `Selection` with terms; None is nobody.

        >>> Strongest({"devices": 3}).select(view).size
        3
        """
        raise NotImplementedError(f"{type(self).__name__} has no select")

    def learn(self, outcome: Outcome) -> None:
        """Is told what came of a round, where ``learns`` is true.

        >>> Strongest({"devices": 3}).learn(outcome)  # It does nothing unless you write it.
        """

    def _learn(self, round: int, devices: Devices, mean_loss: Floats, mean_square_loss: Floats,
               duration_s: Floats) -> None:
        self.learn(Outcome(round, devices, mean_loss, mean_square_loss, duration_s))

    @classmethod
    def register(cls) -> None:
        """Makes the class known by its name, in the place of an earlier one of that name.

        >>> Strongest.register()
        >>> airlot.strategies()["strongest"]
        'The devices of the strongest channels.'
        """
        if not cls.name or not isinstance(cls.name, str):
            raise _core.Error(f"{cls.__name__}.name: give the strategy a name, such as \"strongest\"")
        if _registered.get(cls.name) is cls:
            return
        doc = (cls.__doc__ or "").strip().splitlines()
        options: List[_NamedOption] = []
        if not hasattr(cls.options, "items"):
            refuse(f"{cls.__name__}.options", "a dictionary of names and airlot.Option", cls.options)
        for name, option in cls.options.items():
            if not isinstance(option, Option):
                refuse(f"{cls.__name__}.options[{name!r}]", "an airlot.Option", option)
            options.append(_NamedOption(name, option.value, option.low, option.high, option.is_whole, option.summary,
                                        dict(option.words)))
        _core.register_strategy(
            name=cls.name, summary=doc[0] if doc else f"A strategy in Python: {cls.__name__}.", options=options,
            make=cls, takes_planned_terms=bool(cls.takes_planned_terms), keeps_budgets=bool(cls.keeps_budgets),
            learns=bool(cls.learns), knows_probabilities=bool(cls.knows_probabilities),
            cuts_updates=bool(cls.cuts_updates))
        _registered[cls.name] = cls


_registered: Dict[str, Type[Strategy]] = {}


def names_of(given: object) -> List[str]:
    """Returns the names of strategies; classes are registered."""
    names: List[str] = []
    for strategy in items_of(given, "strategies", "names or classes of airlot.Strategy"):
        if isinstance(strategy, str):
            names.append(strategy)
        elif isinstance(strategy, type) and issubclass(strategy, Strategy):
            strategy.register()
            names.append(strategy.name)
        else:
            raise _core.Error(f"strategies: {strategy!r} is neither a name nor a class of airlot.Strategy")
    return names


def draw_uniformly(devices: ArrayLike, count: int, stream: RandomStream) -> Tuple[Devices, Floats]:
    """Draws `count` of the devices without replacement; returns them and the probability that each had.

    >>> drawn, probability = airlot.draw_uniformly([3, 5, 8, 9], 2, airlot.RandomStream(1, "my-lab/draw", 1, 0))
    >>> len(drawn), probability.tolist()
    (2, [0.5, 0.5])
    """
    return _core.draw_uniformly(devices, count, stream)
