"""Who is in the federation: each device's figures as it reported them, checked and kept.

A device goes by the SHA-256 of its public key where the SuperLink knows the key: a node cannot take the name of
another. Its figures are those of its first enrolment, since the plan of the run is made of them; those that change, its
channel and its battery, are kept beside them as the device last reported them. Where it can be reached is looked up anew
in every round.
"""
from __future__ import annotations

import csv
import dataclasses
import json
import math
import os
import re
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from .. import _core

FIGURES: Dict[str, Tuple[float, float]] = {
    "max_power_w": (1e-9, 1e4),
    "noise_to_gain_w": (1e-30, 1e12),
    "energy_budget_j": (0.0, 1e9),
    "update_bits": (1.0, 1e13),
    "bandwidth_hz": (1.0, 1e12),
    "compute_time_s": (0.0, 1e6),
    "compute_energy_j": (0.0, 1e9),
    "battery_j": (1e-9, 1e12),
}
"""The figures of a device, which are columns of a fleet file, and their bounds."""
OPTIONAL = ("battery_j",)
CHANGING = {"noise_to_gain_w": FIGURES["noise_to_gain_w"], "battery_j": (0.0, 1e12)}
"""What a device may report anew whenever it trains, and the bounds: a battery may have become empty."""
MOST_SAMPLES = 10_000_000
MOST_CLASSES = 256
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


@dataclasses.dataclass(frozen=True)
class Claim:
    """What a node answered when it was asked to enrol; None where it is missing."""

    node: int
    device: Optional[str] = None
    samples: Optional[float] = None
    figures: Mapping[str, object] = dataclasses.field(default_factory=dict)
    labels: Optional[Sequence[object]] = None
    """How many samples it has of each class."""
    parameters: Optional[int] = None
    error: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Device:
    """An enrolled device."""

    name: str
    samples: int
    figures: Dict[str, float]
    labels: Optional[List[int]] = None
    parameters: Optional[int] = None


def changed_figures(given: Mapping[str, object]) -> Dict[str, float]:
    """Returns those of these figures that change. Raises ValueError where one is not within its bounds."""
    return {name: _number(name, given[name], *bounds) for name, bounds in CHANGING.items() if given.get(name) is not None}


def _number(name: str, value: object, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{name} = {value!s:.40}: must be a number")
    if not (math.isfinite(value) and low <= value <= high):
        raise ValueError(f"{name} = {value}: must be from {low:g} to {high:g}")
    return float(value)


def device_of(claim: Claim, name: Optional[str], defaults: Mapping[str, float] = {}) -> Device:
    """Returns the device of a claim. Raises ValueError with what is wrong with it.

    Args:
        name: the name that follows from the node's key; None: the device says its own, or goes by the node's id.
        defaults: figures for those who do not report them.
    """
    if claim.error is not None:
        raise ValueError(f"error: {claim.error[:500]}")
    if name is None:
        name = claim.device or f"node-{claim.node}"
    elif claim.device and claim.device != name:
        raise ValueError(f"device = {claim.device[:80]!r}: the name that follows from its key is {name}")
    if not _NAME.fullmatch(name):
        raise ValueError(f"device = {name[:80]!r}: must be 1 to 128 letters, digits and . _ : -")
    samples = _number("num-examples", claim.samples, 1, MOST_SAMPLES)
    if samples != int(samples):
        raise ValueError(f"num-examples = {samples}: must be whole")
    figures = {}
    for figure, (low, high) in FIGURES.items():
        value = claim.figures.get(figure, defaults.get(figure))
        if value is not None:
            figures[figure] = _number(figure, value, low, high)
        elif figure not in OPTIONAL:
            raise ValueError(f"{figure}: is missing")
    labels = None
    if claim.labels:
        if len(claim.labels) > MOST_CLASSES:
            raise ValueError(f"labels: {len(claim.labels)} classes: at most {MOST_CLASSES}")
        labels = [int(_number("labels", count, 0, MOST_SAMPLES)) for count in claim.labels]
        if sum(labels) != samples:
            raise ValueError(f"labels: add up to {sum(labels)}, and num-examples is {samples:.0f}")
    parameters = None if claim.parameters is None else int(_number("parameters", claim.parameters, 1, 1e12))
    return Device(name, int(samples), figures, labels, parameters)


class Enrolment:
    """The devices of a run, in the order of their names, and the nodes at which they are."""

    def __init__(self, devices: Iterable[Device] = ()) -> None:
        self.devices: List[Device] = sorted(devices, key=lambda device: device.name)
        self.node_of: Dict[str, int] = {}
        self.refused: Dict[int, str] = {}
        """The nodes that were not taken, and why."""
        self.now: Dict[str, Dict[str, float]] = {}
        """By the names of devices, the figures that they have reported since they enrolled."""

    def offer(self, claim: Claim, key_name: Optional[str], *, defaults: Mapping[str, float] = {},
              parameters: Optional[int] = None, is_open: bool = True) -> Optional[str]:
        """Takes a node's answer. Returns why it is refused, if it is.

        Args:
            parameters: how many the model has.
            is_open: whether new devices are taken; else only those are known that were enrolled before.
        """
        try:
            device = device_of(claim, key_name, defaults)
            if parameters is not None and device.parameters is not None and device.parameters != parameters:
                raise ValueError(f"parameters = {device.parameters}: the model has {parameters}")
            known = any(one.name == device.name for one in self.devices)
            if self.node_of.get(device.name, claim.node) != claim.node:
                raise ValueError(f"device {device.name} is at node {self.node_of[device.name]} already")
            if not known and not is_open:
                raise ValueError(f"device {device.name} was not there when the run began")
        except ValueError as error:
            self.refused[claim.node] = str(error)
            return str(error)
        if not known:
            self.devices = sorted([*self.devices, device], key=lambda one: one.name)
        self.node_of[device.name] = claim.node
        return None

    def refresh(self, name: str, figures: Mapping[str, float]) -> None:
        """Keeps what a device has reported anew."""
        if figures:
            self.now.setdefault(name, {}).update(figures)

    def forget_nodes(self, online: Iterable[int]) -> None:
        """Forgets where those are whose nodes are not there any more."""
        there = set(online)
        self.node_of = {name: node for name, node in self.node_of.items() if node in there}
        self.refused = {node: why for node, why in self.refused.items() if node in there}

    def unknown(self, online: Iterable[int]) -> List[int]:
        """Returns the nodes that were not asked yet."""
        return sorted(set(online) - set(self.node_of.values()) - set(self.refused))

    @property
    def samples(self) -> int:
        """All samples of all devices."""
        return sum(device.samples for device in self.devices)

    def partition(self) -> List[npt.NDArray[np.uint32]]:
        """Returns the samples of each device: they are counted through."""
        ends = np.cumsum([device.samples for device in self.devices])
        return [np.arange(end - device.samples, end, dtype=np.uint32) for device, end in zip(self.devices, ends)]

    def answers(self, classes: int) -> npt.NDArray[np.uint32]:
        """Returns the class of each sample, as far as devices said; else 0."""
        parts = []
        for device in self.devices:
            labels = device.labels
            if labels is None or len(labels) > classes:
                parts.append(np.zeros(device.samples, np.uint32))
            else:
                parts.append(np.repeat(np.arange(len(labels), dtype=np.uint32), labels))
        return np.concatenate(parts) if parts else np.zeros(0, np.uint32)

    def write_fleet(self, path: str) -> None:
        """Writes the fleet file of the run (docs/formats.md)."""
        battery = all("battery_j" in device.figures for device in self.devices)
        columns = [name for name in FIGURES if name not in OPTIONAL or battery]
        with _whole(path) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["id", *columns])
            for device in self.devices:
                writer.writerow([device.name, *(repr(device.figures[name]) for name in columns)])

    def save(self, path: str) -> None:
        """Keeps the devices in a file."""
        with _whole(path) as file:
            json.dump({"devices": [dataclasses.asdict(device) for device in self.devices], "now": self.now}, file, indent=1)

    @classmethod
    def load(cls, path: str) -> Enrolment:
        """Reads what was kept; it is checked as a claim is."""
        try:
            with open(path, encoding="utf-8") as file:
                kept: Any = json.load(file)
            enrolment = cls(device_of(Claim(0, one["name"], one["samples"], one["figures"], one["labels"],
                                            one["parameters"]), None) for one in kept["devices"])
            enrolment.now = {name: changed_figures(figures) for name, figures in kept.get("now", {}).items()}
            return enrolment
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _core.Error(f"{path}: is not what was enrolled: {error}") from error


class _whole:
    """A text file that appears whole, or not at all."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> Any:
        self._file = open(self._path + ".new", "w", encoding="utf-8", newline="")
        return self._file

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._file.flush()
            os.fsync(self._file.fileno())
        self._file.close()
        if kind is None:
            os.replace(self._path + ".new", self._path)
        else:
            os.unlink(self._path + ".new")
