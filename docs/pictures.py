"""The pictures of the documentation, drawn with the library itself: `python docs/pictures.py [names]`."""

import sys
from pathlib import Path
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import matplotlib
import numpy as np
from matplotlib.figure import Figure

import lazyrich as lr
from lazyrich import demo
from lazyrich._draw import STYLE

OUT = Path(__file__).parent / "pictures"
BLUE, VERMILLION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "0.55"


def first_trajectory() -> Figure:
    """The first plot of the tutorial."""
    problem = lr.Problem(np.eye(2), [0.0, 1.0])
    flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=-1.0), problem)
    return lr.integrate(flow, np.linspace(0, 12, 241)).plot()


def regimes() -> Figure:
    """One neuron, one task, three relative scales."""
    return demo.draw(demo.compute())


def stages() -> Figure:
    """From a small initialization, one mode after another."""
    strengths = jnp.array([4.0, 2.0, 1.0])
    key_u, key_v, key_net = jax.random.split(jax.random.key(1), 3)
    U, V = (jnp.linalg.qr(jax.random.normal(key, (5, 3)))[0] for key in (key_u, key_v))
    problem = lr.Problem(np.eye(5), (U * strengths) @ V.T)
    net = lr.inits.gaussian(key_net, (5, 5, 5), std=1e-4)
    times = np.linspace(0, 14, 601)
    traj = lr.integrate(lr.GradientFlow(net, problem), times)

    figure = Figure(figsize=(9.6, 3.0), layout="constrained")
    modes, loss = figure.subplots(1, 2)
    learned = np.asarray(lr.metrics.mode_strengths(traj))
    for i, colour in enumerate((BLUE, VERMILLION, GREEN)):
        modes.plot(times, learned[:, i], color=colour)
        modes.annotate(f"mode {i + 1}", (times[-1], strengths[i]), (0, 4), textcoords="offset points", ha="right")
        modes.axhline(strengths[i], color=colour, linewidth=0.8, linestyle=":")
    modes.set(title="Strength of each mode of the target", xlabel="flow time t", ylabel=r"$u_i^\top \beta\, v_i$")
    modes.set(ylim=(-0.2, 4.6))
    loss.plot(times, traj.loss, color="black")
    remaining = 0.5 * np.cumsum(np.asarray(strengths)[::-1] ** 2)[::-1]
    for level in remaining:
        loss.axhline(level, color=GREY, linewidth=0.8, linestyle=":")
    loss.set(
        title="Training loss (dotted: what the missing modes weigh)",
        xlabel="flow time t",
        ylabel="L",
        ylim=(-0.4, 11.4),
    )
    return figure


class Counted(lr.Square):
    """The square loss, which counts how often its slope is asked for."""

    def slope(self, f: Any, y: Any) -> Any:
        jax.debug.callback(_count)
        return super().slope(f, y)


COUNTS = {"field": 0}


def _count() -> None:
    COUNTS["field"] += 1


def solvers() -> Figure:
    """What three ways of integrating cost as the data become ill-conditioned."""
    d, conditions = 20, np.array([1.0, 10.0, 100.0, 1000.0])
    ways = (("Dopri8, explicit", diffrax.Dopri8(), BLUE), ("RKC, stabilised", lr.RKC(), GREEN))
    ways += (("Rodas, implicit", lr.Rodas(), VERMILLION),)
    figure = Figure(figsize=(5.6, 3.2), layout="constrained")
    axes = figure.subplots()
    for name, solver, colour in ways:
        cost = []
        for condition in conditions:
            X = np.diag(np.geomspace(1, condition, d) ** 0.5)
            problem = lr.Problem(X, X @ np.ones(d), loss=Counted())
            flow = lr.GradientFlow(lr.inits.neuron(np.full(d, 0.1), delta=0.0), problem)
            COUNTS["field"] = 0
            traj = lr.integrate(flow, [10.0], solver=solver, rtol=1e-5)
            jax.effects_barrier()
            jacobians = traj.stats["steps"] * (d + 1) if isinstance(solver, lr.Rodas) else 0
            cost.append(COUNTS["field"] + jacobians)
        axes.loglog(conditions, cost, "o-", color=colour, label=name)
    axes.set(xlabel=r"condition number of $X^\top X$", ylabel="evaluations of the field")
    axes.legend(loc="upper left")
    return figure


def main(names: list[str]) -> None:
    OUT.mkdir(exist_ok=True)
    for name in names or ["first_trajectory", "regimes", "stages", "solvers"]:
        with matplotlib.rc_context(STYLE):
            globals()[name]().savefig(OUT / f"{name}.png", dpi=160)


if __name__ == "__main__":
    main(sys.argv[1:])
