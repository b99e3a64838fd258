"""Draw the family tree of the theorems: `python docs_build/pictures_family_tree.py`."""

import itertools
import sys
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from pictures import BLUE, GREEN, VERMILLION, save

import lazyrich as lr

COLORS = (BLUE, GREEN, VERMILLION, "0.35", "0.6")


def _theorem_positions() -> tuple[list[Any], dict[Any, list[int]], dict[Any, float], dict[Any, float]]:
    """Theorems by equation; the rows of each one's cases; the heights of theorems and of equations."""
    equations = list(dict.fromkeys(e for theorem in lr.TRAJECTORY_THEOREMS for e in theorem.equations))
    theorems = sorted(lr.TRAJECTORY_THEOREMS, key=lambda t: [equations.index(t.equations[end]) for end in (0, -1)])
    cases = list(dict.fromkeys(case for theorem in theorems for case in theorem.special_cases))
    rows = {theorem: [cases.index(case) for case in theorem.special_cases] for theorem in theorems}
    heights = {theorem: (rows[theorem][0] + rows[theorem][-1]) / 2 for theorem in theorems}
    places: dict[Any, float] = {}
    for equation in equations:
        under = [heights[theorem] for theorem in theorems if equation in theorem.equations]
        places[equation] = max((min(under) + max(under)) / 2, max(places.values(), default=-2.0) + 1.7)
    return cases, rows, heights, places


def family_tree() -> Figure:
    """Which theorem contains which classical case, and on which equation it rests."""
    cases, rows, heights, places = _theorem_positions()
    figure = Figure(figsize=(8.8, 0.35 * len(cases) + 0.7))
    axes = figure.add_axes((0.005, 0.005, 0.99, 0.99))
    axes.set(xlim=(-0.4, 100.4), ylim=(len(cases) + 0.1, -1.3))
    axes.axis("off")
    colors = dict(zip(places, itertools.cycle(COLORS), strict=False))

    def box(left: float, middle: float, width: float, height: float, color: str, fill: str) -> None:
        corner = (left, middle - height / 2)
        style = matplotlib.patches.BoxStyle("Round", pad=0, rounding_size=0.35)
        patch = matplotlib.patches.FancyBboxPatch(corner, width, height, style, linewidth=1.2, zorder=2)
        patch.set(edgecolor=color, facecolor=fill, mutation_aspect=0.22)
        axes.add_patch(patch)

    def line(x0: float, y0: float, x1: float, y1: float, color: str, **style: Any) -> None:
        s = np.linspace(0, 1, 60)
        axes.plot(
            x0 + (x1 - x0) * s, y0 + (y1 - y0) * s**2 * (3 - 2 * s), color=color, linewidth=1.2, zorder=1, **style
        )

    for x, width, title in ((0, 23, "equation"), (29.5, 23, "theorem"), (59, 41, "classical cases that it contains")):
        axes.text(x + width / 2, -0.95, title, ha="center", va="center", fontsize=10, color="0.3", style="italic")
    for equation, place in places.items():
        box(0, place, 23, 1.5, colors[equation], "white")
        axes.text(11.5, place - 0.34, equation.name, ha="center", va="center", fontsize=9.5)
        axes.text(11.5, place + 0.33, equation.formula, ha="center", va="center", fontsize=9)
    for theorem, height in heights.items():
        color = colors[theorem.equations[0]]
        box(29.5, height, 23, 0.86, color, color)
        axes.text(41, height, theorem.name, ha="center", va="center", fontsize=9.2, color="white", weight="bold")
        for equation in theorem.equations:
            line(23, places[equation], 29.5, height, colors[equation])
        for i in rows[theorem]:
            line(52.5, height, 59, i, color)
        for other, when in theorem.special_theorems:
            top, bottom = heights[other] + 0.43, height - 0.43
            arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", (38, top), (38, bottom), arrowprops=arrow)
            axes.text(39, (top + bottom) / 2, f"contains it,\n{when}", va="center", fontsize=8.5, color="0.25")
    for i, (case, source) in enumerate(cases):
        box(59, i, 41, 0.78, "0.6", "0.97")
        axes.text(60, i, case, va="center", fontsize=8.8)
        axes.text(99.2, i, source, va="center", ha="right", fontsize=8, color="0.35")
    return figure


if __name__ == "__main__":
    save(globals(), sys.argv[1:])
