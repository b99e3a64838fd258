"""Report of a probe: the numbers as an xarray dataset, the regime in words with its evidence, and a plot."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyrich._io.html import html_figure, html_table
from lazyrich.probe.adapter_table import (
    ADAPTER_HEADER,
    AdapterRegime,
    adapter_lines,
    adapter_regimes,
    adapter_rows,
    format_adapters,
)
from lazyrich.probe.dataset import rows_to_dataset
from lazyrich.probe.layer_table import HEADER, format_table, layer_regimes, table_lines, table_rows
from lazyrich.probe.regimes import LayerRegime, regime_word
from lazyrich.probe.text_report import headline, report_lines
from lazyrich.probe.thresholds import NO_MOVEMENT_BELOW, TOO_EARLY_BELOW
from lazyrich.probe.types import State

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray

    from lazyrich.probe.advice import Advice


@dataclass(frozen=True)
class Report:
    """Measurements of a probe. Print it for the regime in words; `data` has every number.

    `data` has the dimensions step, layer (modules that own parameters), adapter (of low rank, if there are any),
    activation (named by the layer before it), pair (adjacent homogeneous layers), reference (start or previous
    snapshot) and centered.
    """

    data: "xarray.Dataset"

    @classmethod
    def from_rows(cls, rows: Sequence[State], **attributes: Any) -> "Report":
        """Build a report from one row of measurements per snapshot."""
        return cls(rows_to_dataset(rows, **attributes))

    @property
    def evidence(self) -> dict[str, float]:
        """Quantities that determine the regime: kernel distance, and linearization gap relative to the distance of
        the function."""
        last = self.data.isel(step=-1)
        moved = float(last.function_distance)
        return {
            "kernel": float(last.kernel_distance.sel(reference="start", centered=False)),
            "gap": float(last.linearization_gap) / moved if moved != 0 else 0.0,
        }

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the kernel distance; NaN if unknown."""
        last = self.data.isel(step=-1).sel(centered=False)
        if "kernel_low" in last:
            return float(last.kernel_low), float(last.kernel_high)
        value, error = self.evidence["kernel"], float(last.kernel_error)
        return value - error, value + error

    @property
    def errors(self) -> dict[str, float]:
        """Half-widths of the 95 % intervals of the evidence; NaN if unknown. The gap is taken as exact."""
        low, high = self.interval
        return {"kernel": (high - low) / 2, "gap": 0.0}

    @property
    def function_scale(self) -> float:
        """The size with which the distance of the function is compared: its own at the start, or that of the targets
        if larger."""
        return max(float(self.data.start_size[-1]), self.data.attrs.get("target_size", 0.0))

    @property
    def regime(self) -> str:
        """`lazy`, `rich`, `in between`, or `too early` while the function has hardly moved.

        The whole error bar of the kernel distance has to be on one side of the limit. The linearization gap can only
        contradict "lazy"; where no tangent model could be computed (NaN), the kernel alone decides.
        """
        if float(self.data.function_distance[-1]) <= TOO_EARLY_BELOW * self.function_scale:
            return "too early"
        gap = self.evidence["gap"]
        if self.evidence["kernel"] != self.evidence["kernel"]:  # no kernel at the start: the gap alone speaks
            return regime_word(0.0, 0.0, gap)
        return regime_word(*self.interval, gap)

    @property
    def layers(self) -> list[LayerRegime]:
        """Every layer in a word, with its own distance S, linearization gap and movement; empty if not measured."""
        return layer_regimes(self)

    @property
    def adapters(self) -> list[AdapterRegime]:
        """Every low-rank adapter (LoRA) in a word, with the numbers of its own block of the kernel; empty without
        adapters."""
        return adapter_regimes(self)

    def table(self) -> str:
        """Return the table of all layers as text, after that of all adapters if there are any."""
        adapters = self.adapters
        return (format_adapters(adapters) + "\n\n" if adapters else "") + format_table(self.layers)

    @property
    def progress(self) -> float | None:
        """The fraction by which the loss is below that of the best constant output, on the probe's inputs; None if
        unknown."""
        chance = float(self.data.attrs.get("chance", float("nan")))
        if "probe_loss" not in self.data or not chance > 0:
            return None
        return 1 - float(self.data.probe_loss[-1]) / chance

    @property
    def fastest_layer(self) -> str:
        """The layer that has moved most relative to its size; if all began at zero, the one that moved most."""
        last = self.data.isel(step=-1)
        sized = last.relative_distance.where(last.relative_distance * NO_MOVEMENT_BELOW < 1, drop=True)
        return str((sized if sized.size else last.parameter_distance).idxmax("layer").item())

    def __str__(self) -> str:
        lines = [headline(self), *(f"  {topic:<10}{text}" for topic, text in report_lines(self))]
        layers, adapters = self.layers, self.adapters
        lines += [f"    {line}" for line in (adapter_lines(adapters) if adapters else ())]
        return "\n".join([*lines, *(f"    {line}" for line in (table_lines(layers) if layers else ()))])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        html = html_figure(self.plot()) + html_table(report_lines(self), (headline(self), ""))
        html += html_table(adapter_rows(self.adapters), ADAPTER_HEADER) if self.adapters else ""
        return html + (html_table(table_rows(self.layers), HEADER) if self.layers else "")

    def to_html(self, path: str | Path, title: str = "lazyrich report", advice: "Advice | None" = None) -> Path:
        """Write the report as one page for the browser, with tables, plots and code; it needs no network.

        `advice` (of `lazyrich.torch.advise`) is added with its table and code.
        """
        from lazyrich.probe.html_page import report_page

        path = Path(path)
        path.write_text(report_page(self, title, advice), encoding="utf-8")
        return path

    def truncated_at(self, step: int) -> "Report":
        """Return the report as it was at this snapshot."""
        return Report(self.data.sel(step=slice(None, step)))

    def plot(self) -> "matplotlib.figure.Figure":
        """Plot kernel, activation patterns, layers and tangent model over the steps."""
        from lazyrich.probe.plots import plot_report

        return plot_report(self)
