"""Scenarios: what is to be learned, by whom, over which radio and under which rules."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping

from . import _core
from ._checks import path_of, refuse, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Tuple

    from ._types import Path, ScenarioLike


def scenarios() -> Dict[str, str]:
    """Returns the built-in scenarios with what each is.

    >>> "paper-highly-biased" in airlot.scenarios()
    True
    """
    return dict(_core.scenario_names())


def toml(value: object, name: str) -> str:
    """Returns the value of a key as TOML on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(text_of(value, name), ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(item, name)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(item, name) for item in value) + "]"
    if hasattr(value, "tolist"):  # a number or an array of NumPy
        return toml(value.tolist(), name)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, os.PathLike):
        return toml(os.fspath(value), name)
    raise _core.Error(f"{name} = {value!r}: a key of a scenario takes no {type(value).__name__}")


def _flat(values: Mapping[str, object], section: str = "") -> Iterator[Tuple[str, object]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{section}{key}.")
        else:
            yield section + key, value


def overrides(keys: Mapping[str, object]) -> List[str]:
    """Returns keys as the texts that ``--set`` takes; nested dictionaries are sections."""
    return [f"{text_of(name, 'a key')}={toml(value, name)}" for name, value in _flat(keys)]


class Scenario:
    """A scenario: a built-in one or a TOML file, with other values of some keys.

    The keys are those of docs/scenarios.md, such as ``"learning.rate"``; in their names is their unit. A dictionary
    is a section.

    >>> biased = airlot.Scenario("paper-highly-biased", **{"learning.rate": 0.05, "rounds": 20})
    >>> biased["learning.rate"], biased["round.time_limit_s"]
    (0.05, 0.08)
    """

    def __init__(self, name_or_path: Path = "float32-cell", **keys: object) -> None:
        self._core = _core.Scenario.read(path_of(name_or_path, "scenario"), overrides(keys))

    @classmethod
    def _of(cls, core: _core.Scenario) -> Scenario:
        scenario = cls.__new__(cls)
        scenario._core = core
        return scenario

    @classmethod
    def from_toml(cls, text: str, **keys: object) -> Scenario:
        """Reads a scenario from a text in TOML.

        >>> airlot.Scenario.from_toml("rounds = 7").rounds
        7
        """
        if not isinstance(text, str):
            refuse("text", "TOML", text)
        return cls._of(_core.Scenario.parse(text_of(text, "text"), "scenario", overrides(keys)))

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Scenario:
        """Makes a scenario of sections and keys, as `to_dict` returns them.

        >>> airlot.Scenario.from_dict(biased.to_dict()) == biased
        True
        """
        if not isinstance(values, Mapping):
            refuse("values", "a dictionary of sections and keys", values)
        lines = [f"{key} = {toml(value, str(key))}" for key, value in values.items() if not isinstance(value, Mapping)]
        for section, keys in values.items():
            if isinstance(keys, Mapping):
                lines.append(f"[{section}]")
                lines += [f"{key} = {toml(value, f'{section}.{key}')}" for key, value in _flat(keys)]
        return cls.from_toml("\n".join(lines) + "\n")

    def replace(self, **keys: object) -> Scenario:
        """Returns the same scenario with other values of some keys.

        >>> biased.replace(rounds=5, **{"learning.batch": 8}).rounds
        5
        """
        return Scenario.from_toml(self.to_toml(), **keys)

    def to_toml(self) -> str:
        """Returns the scenario as TOML, which reads back to the same one.

        >>> airlot.Scenario.from_toml(biased.to_toml()) == biased
        True
        """
        return self._core.to_toml()

    def to_dict(self) -> Dict[str, Any]:
        """Returns the keys by section.

        >>> biased.to_dict()["learning"]["rate"]
        0.05
        """
        import tomllib

        return tomllib.loads(self.to_toml())

    @property
    def name(self) -> str:
        """The name of the scenario.

        >>> biased.name
        'paper-highly-biased'
        """
        return self._core.name

    @property
    def rounds(self) -> int:
        """The largest number of rounds.

        >>> biased.rounds
        20
        """
        return self._core.rounds

    def __getitem__(self, key: str) -> Any:
        if not isinstance(key, str):
            refuse("a key", "a text, such as \"learning.rate\"", key)
        found: Any = self.to_dict()
        for part in key.split("."):
            if not isinstance(found, dict) or part not in found:
                known = {name for name, _, _ in _core.scenario_keys()}
                if key in known:
                    return None  # It is not set, or does not apply.
                raise KeyError(f"{key}: there is no such key")
            found = found[part]
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self._core.equals(other._core)

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __repr__(self) -> str:
        return f"<scenario {self.name}, {self.rounds} rounds>"

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        return Scenario.from_toml, (self.to_toml(),)


def scenario_of(value: ScenarioLike) -> Scenario:
    """Returns a scenario, read by its name or path where that is given."""
    if isinstance(value, Scenario):
        return value
    if not isinstance(value, (str, os.PathLike)):
        refuse("scenario", "an airlot.Scenario, the name of one or a path", value)
    return Scenario(value)
