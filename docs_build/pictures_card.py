"""Draw the preview card of the site, 1200 by 630: `python docs_build/pictures_card.py`."""

import sys

import numpy as np
from matplotlib.figure import Figure
from pictures import save

import lazyrich as lr
from lazyrich._io.palette import LIGHT

RUNS = (("lazy", "Lazy", 4.0), ("rich", "Rich", 0.0), ("late", "Delayed rich", -4.0))


def card() -> Figure:
    """The three paths of one neuron, under the headline of the site."""
    figure = Figure(figsize=(7.5, 3.9375))
    text, plane = figure.add_axes((0, 0, 1, 1)), figure.add_axes((0.55, 0.08, 0.43, 0.84))
    problem, times = lr.Problem(np.eye(2), [0.0, 1.0]), np.geomspace(1e-2, 80, 300)
    for each in (text, plane):
        each.axis("off")
    for radius in (0.25, 0.5, 0.75, 1.0, 1.25):
        angle = np.linspace(0, 2 * np.pi, 200)
        plane.plot(radius * np.cos(angle), 1 + radius * np.sin(angle), color=LIGHT["line"], lw=0.8)
    for i, (color, word, delta) in enumerate(RUNS):
        flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=delta), problem)
        beta = np.vstack([flow.beta(), lr.exact(flow, times).beta])
        plane.plot(*beta.T, color=LIGHT[color], lw=4, solid_capstyle="round")
        text.text(0.06, 0.30 - 0.085 * i, word, color=LIGHT[color], size=14, weight="bold")
    plane.plot(-0.5, 0, "o", color=LIGHT["ink"], ms=9)
    plane.plot(0, 1, "o", color=LIGHT["paper"], mec=LIGHT["ink"], mew=1.6, ms=12)
    plane.set(xlim=(-0.72, 0.5), ylim=(-0.14, 1.2), aspect="equal")
    text.set(xlim=(0, 1), ylim=(0, 1))
    text.text(0.06, 0.86, "lazyrich", color=LIGHT["ink"], size=15, weight="bold")
    headline = "Same function,\nsame task,\nthree ways to learn."
    text.text(0.06, 0.76, headline, color=LIGHT["ink"], size=20, weight="bold", va="top", linespacing=1.25)
    return figure


if __name__ == "__main__":
    save(globals(), sys.argv[1:])
