"""The rule that names a regime, for a whole model and for each of its layers."""

from dataclasses import dataclass
from typing import Literal

from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich.probe.thresholds import LAYER_STILL_BELOW

LayerWord = Literal["lazy", "in between", "rich", "from zero", "does not move", "no gradient", "too early"]

# Numbers that stand for the words in a logger.
WORD_CODES: dict[str, int] = {
    "does not move": -3,
    "no gradient": -2,
    "too early": -1,
    "lazy": 0,
    "in between": 1,
    "rich": 2,
    "from zero": 3,
}


def regime_word(low: float, high: float, gap: float) -> Literal["lazy", "in between", "rich"]:
    """Return the regime for the interval of a kernel distance, and a relative linearization gap (NaN if unknown).

    The whole interval has to be on one side of the limit. The gap can only contradict "lazy".

    >>> regime_word(0.001, 0.004, 0.05), regime_word(0.02, 0.2, 0.5), regime_word(0.06, 0.2, 0.5)
    ('lazy', 'in between', 'rich')
    """
    if high < LAZY["kernel"] and not gap >= LAZY["gap"]:
        return "lazy"
    return "rich" if low > RICH else "in between"


@dataclass(frozen=True)
class LayerRegime:
    """One layer in words and numbers: its own block of the kernel, and its movement.

    `distance` is S of the block, with the interval `low` to `high`; NaN if the block was zero at the start. `gap` is
    the part of the layer's contribution to the change of the function that the tangent model misses; `share` is the
    layer's share of the trace of the kernel; `moved` is the movement of its parameters relative to their size.
    """

    name: str
    word: LayerWord
    distance: float
    low: float
    high: float
    gap: float
    share: float
    moved: float


def layer_word(
    moved: float, distance: float, low: float, high: float, gap: float, share: float, too_early: bool
) -> LayerWord:
    """Return the word for a layer.

    A layer that has moved by less than rounding does not move, whatever the others do to its kernel. A block of the
    kernel that was zero at the start has no distance; if it is nonzero now, the layer has come from zero.

    >>> layer_word(0.1, 0.002, 0.001, 0.004, 0.05, 0.3, too_early=False)
    'lazy'
    >>> layer_word(0.0, 0.3, 0.2, 0.4, 0.05, 0.3, too_early=False)
    'does not move'
    """
    if not moved > LAYER_STILL_BELOW:
        return "does not move"
    if distance != distance:
        return "from zero" if share > 0 else "no gradient"
    return "too early" if too_early else regime_word(low, high, gap)
