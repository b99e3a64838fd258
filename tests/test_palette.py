"""One palette in pages and plots: the contrast of every color of text, and the styles of Matplotlib."""

from pathlib import Path

import matplotlib
import pytest

import lazyrich
from lazyrich._io.palette import CYCLE, DARK, LIGHT, css_variables

ROOT = Path(lazyrich.__file__).parent
STYLES = {"lazyrich": LIGHT, "lazyrich-dark": DARK}
TEXTS = [
    (name, ground) for name in ("ink", "soft", "link", "lazy", "rich", "late", "mid") for ground in ("paper", "wash")
]
TEXTS += [(f"code-{kind}", "wash") for kind in "ksnf"] + [
    (name, f"{name}-t") for name in ("lazy", "rich", "late", "mid")
]
TEXTS += [("soft", "lazy-t"), ("soft", "rich-t"), ("soft", "late-t"), ("paper", "ink"), ("on", "late")]


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_color_of_text_can_be_read(palette):
    low = {pair: round(contrast(*(palette[name] for name in pair)), 2) for pair in TEXTS}
    assert {pair: found for pair, found in low.items() if found < 4.5} == {}
    assert contrast(palette["edge"], palette["paper"]) > 3  # outlines


def test_both_palettes_have_the_same_names_and_the_variables_have_both():
    assert LIGHT.keys() == DARK.keys()
    text = css_variables()
    assert text.count("--lazy: #7d9bff") == 2  # where the system asks, and where the page does
    assert text.count("--lazy: #2348c0") == 1


@pytest.mark.parametrize("name", STYLES)
def test_plots_have_the_colors_of_the_pages(name):
    palette = STYLES[name]
    style = matplotlib.rc_params_from_file(ROOT / f"{name}.mplstyle", use_default_template=False)
    cycle = [f"#{color.lstrip('#').lower()}" for color in style["axes.prop_cycle"].by_key()["color"]]
    assert cycle == [palette[each] for each in CYCLE]
    colors = {
        "figure.facecolor": "paper",
        "axes.facecolor": "paper",
        "savefig.facecolor": "paper",
        "text.color": "ink",
        "axes.titlecolor": "ink",
        "axes.labelcolor": "soft",
        "xtick.labelcolor": "soft",
        "axes.edgecolor": "edge",
        "grid.color": "line",
    }
    assert {key: f"#{style[key].lstrip('#').lower()}" for key in colors} == {
        key: palette[value] for key, value in colors.items()
    }


def test_a_style_is_used_by_its_name():
    from matplotlib import pyplot

    with pyplot.style.context("lazyrich.lazyrich-dark"):
        assert matplotlib.rcParams["figure.facecolor"].lower().lstrip("#") == DARK["paper"][1:]
