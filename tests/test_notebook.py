"""How public nouns show themselves, in a terminal and in a notebook."""

import sys
from types import ModuleType, SimpleNamespace

import jax
import numpy as np
import pytest

import lazyrich as lr
from lazyrich._io.html import html_table
from lazyrich._io.progress import Progress

PROBLEM = lr.Problem(np.eye(2), [0.0, 1.0], kappa=0.5)
FLOW = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=-4.0), PROBLEM, rates=(1.0, 0.5))


def test_problems_and_flows_say_what_they_are():
    assert repr(PROBLEM) == "Problem(2 samples, 2 features, 1 output, Square loss, kappa 0.5)"
    assert repr(FLOW) == f"GradientFlow({FLOW.net!r}, {PROBLEM!r}, rates 1, 0.5)"
    assert "DeepLinear(" in repr(FLOW)


def test_what_is_many_or_traced_shows_itself_too():
    many = jax.tree.map(lambda leaf: np.stack([leaf, leaf]), FLOW)
    seen = []
    jax.eval_shape(lambda flow: seen.append((repr(flow), flow._repr_html_(), flow.problem._repr_html_())), FLOW)
    for text in (repr(many), many._repr_html_(), repr(many.problem), many.problem._repr_html_(), *seen[0]):
        assert "Problem(" in text
    assert "traced" in seen[0][0]


@pytest.fixture(scope="module")
def shown():
    """Return objects, each with words that its HTML must contain."""
    traj = lr.exact(FLOW, np.linspace(0, 30, 31))
    modes = lr.GradientFlow(
        lr.inits.aligned(np.diag([2.0, 1.0]), [0.1, 0.1]), lr.Problem(np.eye(2), np.diag([2.0, 1.0]))
    )
    return {
        "problem": (PROBLEM, ["2 × 2", "Square, κ = 0.5", "whitened"]),
        "network": (FLOW.net, ["DeepLinear", "(1, 2)", "norm"]),
        "flow": (FLOW, ["layer 1", "rate 0.5", "loss 0.312"]),
        "trajectory": (traj, ["data:image/png;base64", "exact by single neuron"]),
        "limit": (lr.limit(FLOW), ["data:image/png;base64", "feasibility"]),
        "explanation": (lr.explain(FLOW), ["whitened inputs", "single neuron"]),
        "theorem": (lr.TRAJECTORY_THEOREMS[0], ["one hidden unit", "kunin2024"]),
        "schedule": (lr.mode_schedule(modes), ["plateau", "<td>2</td>"]),
    }


@pytest.mark.parametrize(
    "noun", ["problem", "network", "flow", "trajectory", "limit", "explanation", "theorem", "schedule"]
)
def test_a_noun_has_its_page(shown, noun):
    thing, words = shown[noun]
    page = thing._repr_html_()
    assert all(word in page for word in words), page[:500]
    assert len(repr(thing)) < 1500


def test_a_claim_shows_what_it_judges():
    from lazyrich.papers.verify import select_claims

    (claim,) = select_claims("dln/transition-time")
    assert repr(claim).startswith("Claim(dln/transition-time, 5.4, displayed equations: depth 2")
    page = claim._repr_html_()
    assert "log(s/ε)/s" in page  # what must fail
    assert "<td>holds</td>" in page or "holds." in page


def test_a_sweep_shows_how_far_it_is():
    from lazyrich.sweep import Status

    page = Status("out", "mine:cell", 4, 3, {"tau=<1>": "Traceback\nValueError: no"})._repr_html_()
    assert '<progress value="3" max="4">' in page
    assert "tau=&lt;1&gt;</td><td>ValueError: no" in page


def test_names_of_the_user_are_text():
    assert (
        html_table([("<script>", "&")])
        == "<table><tbody><tr><td>&lt;script&gt;</td><td>&amp;</td></tr></tbody></table>"
    )


def test_progress_in_a_notebook_is_one_line_that_is_written_over(monkeypatch, capsys):
    lines = []
    handle = SimpleNamespace(update=lambda data, raw: lines.append(data["text/plain"]))
    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: SimpleNamespace(kernel=object())
    display.display = lambda data, raw, display_id: handle
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with Progress(True) as line:
        line.update("1 of 2: <b>")
        line.update(lambda: "2 of 2")
    assert [text.rsplit(",", 1)[0] for text in lines] == ["1 of 2: <b>", "2 of 2", ""]
    assert Progress(None).show
    package.get_ipython = lambda: None  # IPython is loaded, but this is no notebook
    assert not Progress(None).notebook
    assert capsys.readouterr().err == ""


def test_figures_show_themselves_without_a_magic_command():
    plots = (lr.exact(FLOW, [0.0, 1.0]).plot(), lr.limit(FLOW).plot(), lr.linear_regions(REGIONS).plot())
    assert all(figure._repr_png_().startswith(b"\x89PNG") for figure in plots)


REGIONS = lr.TwoLayer([[1.0, 0.5], [-0.3, 1.0]], [1.0, -1.0])


def test_regions_print_a_line_and_bibtex_its_lines():
    assert repr(lr.linear_regions(REGIONS)) == "Regions(4 regions, 2 lines, box (-1, 1, -1, 1))"
    assert "data:image/png;base64" in lr.linear_regions(REGIONS)._repr_html_()
    cited = lr.cite(lr.exact(FLOW, [0.0, 1.0]))
    assert repr(cited) == cited
    assert "\n" in repr(cited)


def test_the_coordinates_of_a_limit_are_whole_numbers():
    axes = lr.limit(FLOW).plot().axes[0]
    axes.figure.canvas.draw()
    assert all(tick == round(tick) for tick in axes.get_xticks())


def test_every_tick_of_a_limit_is_a_coordinate():
    rng = np.random.default_rng(0)
    flow = lr.GradientFlow(
        lr.inits.neuron(rng.normal(size=40), 1.0), lr.Problem(rng.normal(size=(5, 40)), rng.normal(size=5))
    )
    axes = lr.limit(flow).plot().axes[0]
    low, high = axes.get_xlim()
    assert all(1 <= tick <= 40 for tick in axes.get_xticks() if low <= tick <= high)
