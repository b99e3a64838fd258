"""A report as one page for the browser, which needs no network."""

from html import escape
from typing import TYPE_CHECKING

from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich._io.html import html_figure, html_pre, html_table
from lazyrich.probe.adapter_table import ADAPTER_HEADER, adapter_rows
from lazyrich.probe.layer_table import HEADER, summarize_layers, table_rows
from lazyrich.probe.text_report import headline, report_lines
from lazyrich.probe.thresholds import TOO_EARLY_BELOW

if TYPE_CHECKING:
    from lazyrich.probe.advice import Advice
    from lazyrich.probe.report import Report

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { padding: .25rem .7rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
img { max-width: 100%; background: white; }
pre { background: #8882; padding: .8rem; overflow-x: auto; }
.lazy { color: #b35f00; } .rich { color: #8a3fd1; } .zero { color: #00789e; } .still { color: #888; }
@media (prefers-color-scheme: dark) { .lazy { color: #f89441; } .rich { color: #c79bf2; } .zero { color: #5fc6e8; } }
"""
_CLASSES = {"lazy": "lazy", "rich": "rich", "from zero": "zero", "does not move": "still"}


def report_page(of: "Report", title: str = "lazyrich report", advice: "Advice | None" = None) -> str:
    """Return the page: the regime with its evidence, the layers in a table and a plot, the curves, advice and code."""
    parts = [
        f"<h1>{escape(headline(of))}</h1>",
        html_table(report_lines(of)),
        *_adapter_section(of),
        *_layer_section(of),
        "<h2>Over the steps</h2>",
        html_figure(of.plot()),
        "<h2>How to change it</h2>",
        *((advice._repr_html_(),) if advice is not None else ()),
        html_pre(change_code(of)),
        "<h2>Words</h2>",
        f"<p>{escape(words_text())}</p>",
    ]
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<style>{_STYLE}</style>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _adapter_section(of: "Report") -> list[str]:
    rows = adapter_rows(of.adapters)
    return ["<h2>Adapters</h2>", html_table(rows, ADAPTER_HEADER)] if rows else []


def _layer_section(of: "Report") -> list[str]:
    layers = of.layers
    if not layers:
        return []
    from lazyrich.probe.plots import plot_layers

    table = html_table(table_rows(layers), HEADER)
    for word, kind in _CLASSES.items():
        table = table.replace(f"<td>{word}</td>", f'<td class="{kind}">{word}</td>')
    paragraph = f"<p>{escape(summarize_layers(layers))}</p>"
    return ["<h2>Layers</h2>", paragraph, html_figure(plot_layers(of)), table]


def change_code(of: "Report") -> str:
    """Return code that measures again, and code that makes the model richer or lazier."""
    attrs = of.data.attrs
    pairs = [str(pair) for pair in of.data.pair.values] if "pair" in of.data.coords else []
    lines = [
        "import lazyrich.torch as lt",
        "",
        "probe = lt.Probe(model, inputs)  # before training",
        "probe.snapshot(step)             # inside the loop",
        'probe.report().to_html("report.html")',
    ]
    if attrs.get("knob") == "upstream_" and pairs:
        goal = "lazier" if of.regime == "rich" else "richer"
        alpha = "0.5" if goal == "lazier" else "2.0"
        lines += ["", f"lt.upstream_(model, {alpha}, inputs=inputs)  # {goal}: another start, the same function"]
    return "\n".join(lines)


def words_text() -> str:
    """Return what the words mean."""
    return (
        f"lazy: the kernel distance S is below {LAZY['kernel']:g} with its whole 95 % interval, and the tangent model "
        f"misses less than {LAZY['gap']:g} of the change. rich: the whole interval is above {RICH:g}. in between: "
        "neither. from zero: the layer had no kernel at the start, such as the layers behind a readout that begins at "
        "0. does not move: its parameters are as they were. no gradient: it moved without a kernel, by weight decay, "
        f"say. too early: the function has moved by less than {TOO_EARLY_BELOW:.0%} of its size. A layer's S is that "
        "of its own block of the tangent kernel; its gap is the part of its own contribution to the change of the "
        "function that its derivative at the start misses."
    )
