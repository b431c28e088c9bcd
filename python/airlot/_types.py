"""The types of arguments. `import airlot` does without this module, which takes time and memory."""
from __future__ import annotations

import os
from typing import Any, Callable, List, Mapping, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from ._backend import Backend, Setting
from ._scenario import Scenario
from ._strategy import Strategy

Floats = npt.NDArray[np.float64]
Devices = npt.NDArray[np.uint32]
Vector = npt.NDArray[np.float32]
ArrayLike = npt.ArrayLike
Column = Union[float, npt.ArrayLike]
ColumnData = Union[npt.NDArray[Any], List[str]]

Path = Union[str, "os.PathLike[str]"]
ScenarioLike = Union[Scenario, str, "os.PathLike[str]"]
StrategyLike = Union[str, Type[Strategy]]
StrategiesLike = Union[str, StrategyLike, Sequence[StrategyLike], None]
SeedsLike = Union[int, Sequence[int]]
BackendLike = Union[Type[Backend], Callable[[Setting], Backend]]
Rows = Sequence[Tuple[float, float]]
Vary = Mapping[str, Sequence[object]]
ProgressLike = Union[bool, None, Callable[[int, int], None]]
