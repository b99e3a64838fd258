"""The low-rank adapters of a report: lazy, rich or delayed rich, and a table of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lazyrich._core.regime_thresholds import LAZY
from lazyrich.probe.layer_table import MAX_ROWS, format_columns
from lazyrich.probe.regimes import LayerWord, layer_word

if TYPE_CHECKING:
    import xarray

    from lazyrich.probe.report import Report

AdapterWord = LayerWord | Literal["delayed rich"]
ADAPTER_HEADER = ("adapter", "word", "S", "95 % interval", "gap", "moved", "δ", "of the kernel")
PARTLY_MOVED = 0.25  # of its final distance: an adapter that was lazy when the function had gone so far is delayed
_EVIDENCE = ("distance", "low", "high", "gap", "share", "moved", "delta")


@dataclass(frozen=True)
class AdapterRegime:
    """One adapter W₀ + s·B·A in words and numbers: A and B together, as one block of the kernel.

    `moved` is how far W₀ + s·B·A is from its start, relative to its size. `delta` is the imbalance of B and A now, in
    units of the weight, and `start_delta` that at the start. The rest is as in `LayerRegime`.
    """

    name: str
    word: AdapterWord
    distance: float
    low: float
    high: float
    gap: float
    share: float
    moved: float
    delta: float
    start_delta: float


def adapter_regimes(of: "Report") -> list[AdapterRegime]:
    """Return the adapters at the last snapshot, in the order of the model.

    An adapter is delayed rich if it is rich now, and its kernel was still as at the start (lazy, with its whole
    interval) at an earlier snapshot, when the function had gone a quarter of its way.
    """
    if "adapter_distance" not in of.data:
        return []
    early, rows = of.regime == "too early", []
    for name in of.data.adapter.values.tolist():
        one = of.data.sel(adapter=name)
        last = one.isel(step=-1)
        distance, low, high, gap, share, moved, delta = (float(last[f"adapter_{which}"]) for which in _EVIDENCE)
        word: AdapterWord = layer_word(moved, distance, low, high, gap, share, early)
        if word == "rich" and _was_lazy(one):
            word = "delayed rich"
        start = float(one.adapter_delta[0])
        rows.append(AdapterRegime(str(name), word, distance, low, high, gap, share, moved, delta, start))
    return rows


def _was_lazy(one: "xarray.Dataset") -> bool:
    """Return whether the adapter was lazy at a snapshot when the function had gone a quarter of its final distance."""
    far = one.function_distance >= PARTLY_MOVED * one.function_distance[-1]
    return bool((far & (one.adapter_high < LAZY["kernel"])).any())


def adapter_rows(adapters: Sequence[AdapterRegime]) -> list[tuple[str, ...]]:
    """Return the cells of the table, one tuple for each adapter."""
    return [
        (
            one.name,
            one.word,
            f"{one.distance:.2g}",
            f"{one.low:.2g} to {one.high:.2g}",
            f"{one.gap:.2g}",
            f"{one.moved:.2g}",
            f"{one.start_delta:.2g} → {one.delta:.2g}",
            f"{one.share:.1%}",
        )
        for one in adapters
    ]


def format_adapters(adapters: Sequence[AdapterRegime]) -> str:
    """Return the table of these adapters as text."""
    return format_columns([ADAPTER_HEADER, *adapter_rows(adapters)])


def adapter_lines(adapters: Sequence[AdapterRegime]) -> Iterator[str]:
    """Yield the lines of the table inside a report: all adapters, or those with the largest S if they are many."""
    largest = {one.name for one in sorted(adapters, key=lambda one: -one.distance)[:MAX_ROWS]}
    shown = [one for one in adapters if one.name in largest]
    yield from format_adapters(shown).splitlines()
    if len(shown) < len(adapters):
        yield f"the richest of {len(adapters)} adapters; report.adapters has all"
