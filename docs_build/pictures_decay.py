"""Draw the pictures of the page on weight decay: `python docs_build/pictures_decay.py [names]`."""

import sys

import numpy as np
from matplotlib.figure import Figure
from pictures import BLUE, GRAY, VERMILLION, save

import lazyrich as lr


def decay_curve() -> Figure:
    """The test error of a diagonal network that groks, and its prediction."""
    rng = np.random.default_rng(0)
    X, truth = rng.normal(size=(30, 80)), np.zeros(80)
    truth[:4] = 2.0, -1.5, 1.0, 1.0
    other = rng.normal(size=(500, 80))
    problem, test = lr.Problem(X, X @ truth, kappa=1 / 30), lr.Problem(other, other @ truth, kappa=1 / 500)
    flow = lr.GradientFlow(lr.inits.tied_diagonal(80, alpha=10.0), problem, decay=1e-3)
    end = 2e4
    traj = lr.integrate(flow, np.geomspace(1e-4, end, 200))
    late = np.geomspace(1.0, end, 25)
    curve = lr.decay_curve(flow, late)
    figure = Figure(figsize=(7.2, 3.2), layout="constrained")
    axes = figure.subplots()
    error = [float(test.value(other @ beta)) for beta in traj.beta]
    axes.semilogx(traj.times, traj.loss, color=GRAY, label="training loss")
    axes.semilogx(traj.times, error, color=BLUE, label="test error")
    axes.semilogx(late, curve.loss(test), "o", ms=4, color=VERMILLION, label="predicted from the limits")
    for time, label in ((curve.fit_time, "fits"), (curve.rich_time, "rich")):
        axes.axvline(time, color="0.7", lw=0.8, ls=":")
        axes.annotate(label, (time, 0.94), (3, 2), xycoords=("data", "axes fraction"), textcoords="offset points")
    axes.set(xlabel="flow time t", ylabel="L", title="Weight decay walks a lazy network to the rich regime")
    axes.legend(loc="center left")
    return figure


if __name__ == "__main__":
    save(globals(), sys.argv[1:])
