"""The layers of a report: regimes by the common rule, and a table of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lazyrich.probe.regimes import WORD_CODES, LayerRegime, LayerWord, layer_word
from lazyrich.probe.thresholds import NO_MOVEMENT_BELOW, TOO_EARLY_BELOW
from lazyrich.probe.types import State

if TYPE_CHECKING:
    from lazyrich.probe.report import Report

MAX_ROWS = 12  # of the table inside a report; `report.table()` has all
HEADER = ("layer", "word", "S", "95 % interval", "gap", "moved", "of the kernel")
_NAN = float("nan")
_EVIDENCE = ("distance", "low", "high", "gap", "share")
_COUNTED: tuple[LayerWord, ...] = ("lazy", "in between", "rich", "from zero", "does not move")


def layer_regimes(of: "Report") -> list[LayerRegime]:
    """Return the layers at the last snapshot, in the order of the model, with those that are frozen at the end."""
    if "layer_distance" not in of.data:
        return []
    last, early, rows = of.data.isel(step=-1), of.regime == "too early", []
    for name in last.layer.values.tolist():
        row = last.sel(layer=name)
        distance, low, high, gap, share = (float(row[f"layer_{which}"]) for which in _EVIDENCE)
        moved = float(row.relative_distance)
        word = layer_word(moved, distance, low, high, gap, share, early)
        rows.append(LayerRegime(str(name), word, distance, low, high, gap, share, moved))
    frozen = of.data.attrs.get("frozen", [])
    return rows + [LayerRegime(name, "does not move", _NAN, _NAN, _NAN, _NAN, 0.0, 0.0) for name in frozen]


def word_numbers(row: State, target_size: float) -> dict[str, float]:
    """Return the words of a row of measurements for a logger: a code for each layer (`WORD_CODES`), and how many
    layers have each word."""
    if "layer_distance" not in row:
        return {}
    early = row["function_distance"] <= TOO_EARLY_BELOW * max(row["start_size"], target_size)
    words: dict[str, LayerWord] = {
        name: layer_word(
            row["relative_distance"][name],
            row["layer_distance"][name],
            row["layer_low"][name],
            row["layer_high"][name],
            row["layer_gap"][name],
            row["layer_share"][name],
            early,
        )
        for name in row["layer_distance"]
    }
    counts = Counter(words.values())
    codes = {f"layer_regime/{name}": float(WORD_CODES[word]) for name, word in words.items()}
    return codes | {f"layers_{word.replace(' ', '_')}": float(counts[word]) for word in _COUNTED}


def table_rows(layers: Sequence[LayerRegime]) -> list[tuple[str, ...]]:
    """Return the cells of the table, one tuple for each layer."""
    return [
        (
            layer.name,
            layer.word,
            _format(layer.distance),
            f"{layer.low:.2g} to {layer.high:.2g}" if layer.low == layer.low else "–",
            _format(layer.gap),
            f"{layer.moved:.2g}" if layer.moved * NO_MOVEMENT_BELOW < 1 else "from 0",
            f"{layer.share:.1%}" if layer.share == layer.share else "–",
        )
        for layer in layers
    ]


def format_table(layers: Sequence[LayerRegime]) -> str:
    """Return the table of these layers as text."""
    return format_columns([HEADER, *table_rows(layers)])


def format_columns(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows as text in columns: the first two to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def summarize_layers(layers: Sequence[LayerRegime]) -> str:
    """Return how many layers have which word.

    >>> from lazyrich.probe.regimes import LayerRegime
    >>> numbers = (0.1, 0.08, 0.12, 0.5, 0.2, 0.3)
    >>> summarize_layers([LayerRegime("0", "rich", *numbers), LayerRegime("2", "rich", *numbers)])
    '2 rich'
    """
    return ", ".join(f"{n} {word}" for word, n in Counter(layer.word for layer in layers).most_common())


def table_lines(layers: Sequence[LayerRegime]) -> Iterator[str]:
    """Yield the lines of the table inside a report: all layers, or those that say most if they are many."""
    shown_layers = list(layers)
    if len(shown_layers) > MAX_ROWS:
        moving = [layer for layer in layers if layer.distance == layer.distance and layer.word != "does not move"]
        order = sorted(moving, key=lambda layer: -layer.distance)
        selection = {layer.name for layer in [*order[: MAX_ROWS - 4], *order[-4:]]}
        shown_layers = [layer for layer in layers if layer.name in selection] or shown_layers[:MAX_ROWS]
    yield from format_table(shown_layers).splitlines()
    if len(shown_layers) < len(layers):
        yield f"the richest and the laziest of {len(layers)} layers: {summarize_layers(layers)}; report.table() has all"


def _format(value: float) -> str:
    return f"{value:.2g}" if value == value else "–"
