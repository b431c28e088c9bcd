"""airlot on Flower: who takes part at what power, with books of time and energy, in a live federation.

Flower is imported when `AirlotStrategy` (its Message API) or `LegacyStrategy` is asked for, not before.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .robust import Clip, Krum, Median, TrimmedMean
from .round import Reply, Round, Rules

if TYPE_CHECKING:
    from .legacy import LegacyStrategy
    from .strategy import AirlotStrategy

__all__ = ["AirlotStrategy", "Clip", "Krum", "LegacyStrategy", "Median", "Reply", "Round", "Rules", "TrimmedMean"]


def __getattr__(name: str) -> Any:
    if name == "AirlotStrategy":
        from .strategy import AirlotStrategy

        return AirlotStrategy
    if name == "LegacyStrategy":
        from .legacy import LegacyStrategy

        return LegacyStrategy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
