"""Quantities that gradient flow conserves between pairs of layers of a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lazyrich.probe.array_metrics import safe_ratio


@dataclass(frozen=True)
class ConservedPair:
    """Layers that write and read one space, and what they conserve: δ summed over units, and per unit if units are
    known."""

    writers: tuple[str, ...]
    readers: tuple[str, ...]
    delta: float
    relative: float  # δ over the sum of its two parts: −1 fully downstream, 0 balanced, 1 fully upstream
    units: Any
    # contributions by parameter, which sum up to δ, per unit or in total
    contributions: Mapping[str, Any] = field(default_factory=dict)
    dual: bool = False  # both are writers, and only the product of their outputs enters
    groups: int = 0  # number of groups of adjacent units: the heads of an attention

    @property
    def name(self) -> str:
        return f"{' + '.join(self.writers)} {'⇄' if self.dual else '→'} {' + '.join(self.readers)}"

    @property
    def direction(self) -> str:
        return "balanced" if abs(self.relative) < 0.05 else "upstream" if self.relative > 0 else "downstream"

    @property
    def heads(self) -> Any:
        """δ of every head if the units belong to an attention, otherwise None."""
        return self.units.reshape(self.groups, -1).sum(1) if self.groups and self.units is not None else None


@dataclass(frozen=True)
class Balance:
    """Conserved quantities of a model, and the reasons where there are none."""

    pairs: tuple[ConservedPair, ...]
    reasons_without: Mapping[str, str]

    @property
    def deltas(self) -> dict[str, float]:
        return {pair.name: pair.delta for pair in self.pairs}

    def __str__(self) -> str:
        lines = [f"{p.name}: δ = {p.delta:.4g}, relative {p.relative:+.2f}, {p.direction}" for p in self.pairs]
        lines += [f"{name}: none, {reason}" for name, reason in self.reasons_without.items()]
        return "\n".join(lines)


def conserved_drift(now: ConservedPair, start: ConservedPair) -> float:
    """Return the change of a conserved quantity, per unit if units are known, relative to the squares that it
    subtracts."""
    if now.units is None or start.units is None:
        moved = abs(now.delta - start.delta)
    else:
        moved = float(abs(now.units - start.units).sum())
    squares = max(abs(pair.delta / pair.relative) if pair.relative else 0.0 for pair in (now, start))
    return safe_ratio(moved, squares)
