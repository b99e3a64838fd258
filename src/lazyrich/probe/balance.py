"""What gradient flow conserves between the layers of a model: pairs of layers, and in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Pair:
    """Layers that meet in one space, and what they conserve: δ summed over units, and per unit if these are known."""

    writers: tuple[str, ...]
    readers: tuple[str, ...]
    delta: float
    relative: float  # δ over the sum of its two parts: −1 all downstream, 0 balanced, 1 all upstream
    units: Any

    @property
    def name(self) -> str:
        return f"{' + '.join(self.writers)} → {' + '.join(self.readers)}"

    @property
    def stream(self) -> str:
        return "balanced" if abs(self.relative) < 0.05 else "upstream" if self.relative > 0 else "downstream"


@dataclass(frozen=True)
class Balance:
    """The conserved quantities of a model, and where there are none, why."""

    pairs: tuple[Pair, ...]
    without: Mapping[str, str]

    @property
    def deltas(self) -> dict[str, float]:
        return {pair.name: pair.delta for pair in self.pairs}

    def __str__(self) -> str:
        lines = [f"{p.name}: δ = {p.delta:.4g}, relative {p.relative:+.2f}, {p.stream}" for p in self.pairs]
        lines += [f"{name}: none, {reason}" for name, reason in self.without.items()]
        return "\n".join(lines)
