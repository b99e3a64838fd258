"""What gradient flow conserves between the layers of a model: pairs of layers, and in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ConservedPair:
    """Layers that meet in one space, and what they conserve: δ summed over units, and per unit if these are known."""

    writers: tuple[str, ...]
    readers: tuple[str, ...]
    delta: float
    relative: float  # δ over the sum of its two parts: −1 all downstream, 0 balanced, 1 all upstream
    units: Any
    contributions: Mapping[str, Any] = field(default_factory=dict)  # by parameter: they sum up to δ, of units or of all
    dual: bool = False  # both are writers, and only the product of what they write is seen
    groups: int = 0  # of adjacent units: the heads of an attention

    @property
    def name(self) -> str:
        return f"{' + '.join(self.writers)} {'⇄' if self.dual else '→'} {' + '.join(self.readers)}"

    @property
    def direction(self) -> str:
        return "balanced" if abs(self.relative) < 0.05 else "upstream" if self.relative > 0 else "downstream"

    @property
    def heads(self) -> Any:
        """δ of every head, where the units are those of an attention."""
        return self.units.reshape(self.groups, -1).sum(1) if self.groups and self.units is not None else None


@dataclass(frozen=True)
class Balance:
    """The conserved quantities of a model, and where there are none, why."""

    pairs: tuple[ConservedPair, ...]
    reasons_without: Mapping[str, str]

    @property
    def deltas(self) -> dict[str, float]:
        return {pair.name: pair.delta for pair in self.pairs}

    def __str__(self) -> str:
        lines = [f"{p.name}: δ = {p.delta:.4g}, relative {p.relative:+.2f}, {p.direction}" for p in self.pairs]
        lines += [f"{name}: none, {reason}" for name, reason in self.reasons_without.items()]
        return "\n".join(lines)


def safe_ratio(moved: float, size: float) -> float:
    """Return one of two sizes by the other; 0/0 is 0."""
    return moved / size if size > 0 else (float("inf") if moved > 0 else 0.0)


def conserved_drift(now: ConservedPair, start: ConservedPair) -> float:
    """Return how much a conserved quantity has moved, by units if these are known, relative to the squares it
    subtracts."""
    if now.units is None or start.units is None:
        moved = abs(now.delta - start.delta)
    else:
        moved = float(abs(now.units - start.units).sum())
    squares = max(abs(pair.delta / pair.relative) if pair.relative else 0.0 for pair in (now, start))
    return safe_ratio(moved, squares)
