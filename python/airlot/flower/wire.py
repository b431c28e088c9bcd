"""The words of the messages between server and devices (docs/live.md)."""
from __future__ import annotations

import math
from typing import Any, Dict, Mapping, Optional

from .enrolment import CHANGING, FIGURES, Claim
from .round import Reply

ARRAYS = "arrays"
CONFIG = "config"
METRICS = "metrics"
WORDS = "airlot"
"""Records of messages: parameters, settings, numbers of a reply, words of a reply."""

ROUND = "server-round"
ASK = "airlot.ask"
TOKEN = "airlot.token"
DEADLINE = "airlot.deadline_s"

Config = Dict[str, Any]


def enrol_config(round: int) -> Config:
    """Returns the settings of a message that asks a node for its figures."""
    return {ROUND: round, ASK: "enrol"}


def train_config(*, round: int, token: str, device: int, seed: int, power_w: float, bandwidth_hz: float,
                 cpu_share: float, update_bits: float, deadline_s: float, rate: float, batch: int, local_steps: int,
                 local_epochs: int, proximal: float) -> Config:
    """Returns the settings of an invitation."""
    return {ROUND: round, TOKEN: token, "airlot.device": device, "airlot.seed": seed, "airlot.power_w": power_w,
            "airlot.bandwidth_hz": bandwidth_hz, "airlot.cpu_share": cpu_share, "airlot.update_bits": update_bits,
            DEADLINE: deadline_s, "airlot.rate": rate, "airlot.batch": batch, "airlot.local_steps": local_steps,
            "airlot.local_epochs": local_epochs, "airlot.proximal": proximal}


def _number(value: object) -> Optional[float]:
    """Returns a number as it is, NaN where something else stands in its place."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _whole(value: object) -> Optional[int]:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) else None


def claim_of(node: int, metrics: Mapping[str, object], words: Mapping[str, object]) -> Claim:
    """Returns what a node answered to `enrol_config`."""
    labels = words.get("labels", metrics.get("labels"))
    return Claim(node, _text(words.get("device")), _number(metrics.get("num-examples")),
                 {name: _number(metrics[name]) for name in FIGURES if name in metrics},
                 labels if isinstance(labels, list) else None, _whole(words.get("parameters")))


def reply_of(node: int, arrays: Optional[Mapping[str, Any]], metrics: Mapping[str, object],
             words: Mapping[str, object]) -> Reply:
    """Returns what a node answered to an invitation."""
    return Reply(node, _whole(words.get("round")), _text(words.get("token")), _text(words.get("device")), arrays,
                 _number(metrics.get("train-loss")), _number(metrics.get("airlot.compute_s")),
                 _number(metrics.get("airlot.upload_s")), _number(metrics.get("airlot.energy_j")),
                 {name: _number(metrics[name]) for name in CHANGING if name in metrics})
