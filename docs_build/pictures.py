"""Draw the pictures of the documentation with the library itself: `python docs_build/pictures.py [names]`."""

import sys
from pathlib import Path
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import matplotlib
import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

import lazyrich as lr
from lazyrich import demo
from lazyrich._io.palette import LIGHT
from lazyrich._io.plots import STYLE

OUT = Path(__file__).parents[1] / "docs" / "pictures"
BLUE, VERMILLION, GREEN, GRAY = LIGHT["lazy"], LIGHT["late"], LIGHT["rich"], LIGHT["mid"]


def first_trajectory() -> Figure:
    """The first plot of the tutorial."""
    problem = lr.Problem(np.eye(2), [0.0, 1.0])
    flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=-1.0), problem)
    return lr.integrate(flow, np.linspace(0, 12, 241)).plot()


def regimes() -> Figure:
    """One neuron, one task, three relative scales."""
    return demo.plot(demo.compute_trajectories())


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
    for i, color in enumerate((BLUE, VERMILLION, GREEN)):
        modes.plot(times, learned[:, i], color=color)
        modes.annotate(f"mode {i + 1}", (times[-1], strengths[i]), (0, 4), textcoords="offset points", ha="right")
        modes.axhline(strengths[i], color=color, linewidth=0.8, linestyle=":")
    modes.set(title="Strength of each mode of the target", xlabel="flow time t", ylabel=r"$u_i^\top \beta\, v_i$")
    modes.set(ylim=(-0.2, 4.6))
    loss.plot(times, traj.loss, color="black")
    remaining = 0.5 * np.cumsum(np.asarray(strengths)[::-1] ** 2)[::-1]
    for level in remaining:
        loss.axhline(level, color=GRAY, linewidth=0.8, linestyle=":")
    loss.set(
        title="Training loss (dotted: what the missing modes weigh)",
        xlabel="flow time t",
        ylabel="L",
        ylim=(-0.4, 11.4),
    )
    return figure


class Counted(lr.Square):
    """The square loss, which counts how often its slope is asked for."""

    def derivative(self, f: Any, y: Any) -> Any:
        jax.debug.callback(_count)
        return super().derivative(f, y)


COUNTS = {"field": 0}


def _count() -> None:
    COUNTS["field"] += 1


def solvers() -> Figure:
    """What three ways of integrating cost as the data become ill-conditioned."""
    d, conditions = 20, np.array([1.0, 10.0, 100.0, 1000.0])
    ways = (("Dopri8, explicit", diffrax.Dopri8(), BLUE), ("RKC, stabilized", lr.RKC(), GREEN))
    ways += (("Rodas, implicit", lr.Rodas(), VERMILLION),)
    figure = Figure(figsize=(5.6, 3.2), layout="constrained")
    axes = figure.subplots()
    for name, solver, color in ways:
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
        axes.loglog(conditions, cost, "o-", color=color, label=name)
    axes.set(xlabel=r"condition number of $X^\top X$", ylabel="evaluations of the field")
    axes.legend(loc="upper left")
    return figure


def _ring(count: int, radius: float) -> np.ndarray:
    angle = 2 * np.pi * (np.arange(count) + 0.5) / count
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _below(radius: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return np.stack([radius * np.sin(angle), -radius * np.cos(angle)], axis=1)


def neuron_portrait() -> Figure:
    """Paths of the predictor of one neuron, and its two basins, for three relative scales."""
    problem = lr.Problem(np.eye(2), [0.0, 1.0])
    times = np.concatenate([np.linspace(0, 4, 200), np.linspace(4.1, 60, 300)])
    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    radii = np.concatenate([np.geomspace(1e-6, 0.1, 40), np.linspace(0.11, 2.4, 80)])
    for axes, delta in zip(panels, (-1.0, 0.0, 1.0), strict=True):

        def flow(beta0: Any, delta: float = delta) -> lr.GradientFlow:
            return lr.GradientFlow(lr.inits.neuron(beta0, delta=delta), problem)

        side = jax.jit(jax.vmap(lambda b: lr.basin(flow(b))))
        if delta < 0:  # at each radius, the angle from straight down at which the basin changes: bisection
            low, high = np.zeros_like(radii), np.full_like(radii, np.pi)
            for _ in range(40):
                middle = (low + high) / 2
                inside = np.asarray(side(jnp.asarray(_below(radii, middle)))) < 0
                low, high = np.where(inside, middle, low), np.where(inside, high, middle)
            edge = np.concatenate([_below(radii, -low)[::-1], _below(radii, low)])
            axes.fill(*np.concatenate([edge, [[3.0, -3.0], [-3.0, -3.0]]]).T, color="#F6D5C3", zorder=0)
            axes.plot(*edge.T, color="black", linewidth=1.4, zorder=3)
        for start in _ring(28, 1.5):
            traj = lr.exact(flow(start), times)
            path = np.asarray(traj.beta)
            below = float(lr.basin(flow(start))) < 0
            color = VERMILLION if below else BLUE
            before = np.asarray(traj.nets.weights[1][:, 0, 0]) >= 0
            axes.plot(*path[before].T, color=color, linewidth=1.0)
            if below:
                axes.plot(*path[~before].T, color=color, linewidth=1.2, linestyle=":")
            spot = int(np.argmax(np.linalg.norm(path - start, axis=1) > 0.22))
            arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 0.8, "mutation_scale": 7}
            axes.annotate("", path[spot + 1], path[spot], arrowprops=arrow)
        if delta == 0:
            axes.plot([0, 0], [-1.6, 0], color="black", linewidth=1.6)
        axes.plot(0, 1, "*", color="black", markersize=11, zorder=5)
        if delta <= 0:  # upstream, β = 0 is a point like any other
            axes.plot(0, 0, "o", color="white", markeredgecolor="black", markersize=5, zorder=5)
        word = {-1.0: "downstream", 0.0: "balanced", 1.0: "upstream"}[delta]
        axes.set(title=rf"{word}, $\delta = {delta:+g}$" if delta else rf"{word}, $\delta = 0$", xlabel=r"$\beta_1$")
        axes.set(xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal")
    panels[0].set_ylabel(r"$\beta_2$")
    mark = matplotlib.lines.Line2D
    handles = [
        mark([], [], color=BLUE, label=r"$a_\infty > 0$"),
        mark([], [], color=VERMILLION, label=r"$a_\infty < 0$, dotted once $a < 0$"),
        mark([], [], color="black", label="separatrix: ends in the saddle"),
        mark([], [], color="white", marker="o", markeredgecolor="black", label="saddle"),
        mark([], [], color="white", marker="*", markeredgecolor="black", markerfacecolor="black", label=r"$\beta_*$"),
    ]
    handles[-1].set_markersize(10)
    figure.legend(handles=handles, loc="outside lower center", ncols=5)
    return figure


def mode_curves() -> Figure:
    """One mode from rich to lazy, and at growing depth."""
    problem, small = lr.Problem([[1.0]], [1.0]), 1e-3
    figure = Figure(figsize=(9.6, 3.2), layout="constrained")
    kappas, depths = figure.subplots(1, 2)
    shades = matplotlib.colormaps["cividis"]
    for i, kappa in enumerate((0.0, 0.01, 0.1, 1.0, 10.0)):
        flow = lr.GradientFlow(lr.inits.neuron([small], delta=kappa), problem)
        scaled = np.linspace(0, 16, 401)
        traj = lr.exact(flow, scaled / np.hypot(kappa, 2), theorem="aligned modes")
        kappas.plot(scaled, traj.beta[:, 0], color=shades(i / 4.6), label=f"{kappa:g}")
    kappas.set(title=r"Two layers, by imbalance $\kappa$", xlabel=r"rescaled time $t\sqrt{\kappa^2 + 4s^2}$")
    kappas.set(ylabel=r"$\beta / s$")
    kappas.legend(title=r"$\kappa / s$", loc="lower right")
    for i, depth in enumerate(range(1, 7)):
        flow = lr.GradientFlow(lr.inits.aligned([[1.0]], small, depth=depth), problem)
        scaled, wide = np.linspace(0, 3, 1001), np.geomspace(1e-2, 1e6, 1001)
        half = np.interp(0.5, lr.exact(flow, wide).beta[:, 0], wide)
        depths.plot(scaled, lr.exact(flow, scaled * half).beta[:, 0], color=shades(i / 5.6), label=f"{depth}")
    depths.set(title="Balanced layers, by depth L", xlabel="time / time to half of the target", ylabel=r"$a / s$")
    depths.legend(title="L", loc="lower right")
    return figure


def staircase() -> Figure:
    """The schedule of a deep network that starts small, with the exact curves on top of it."""
    target = np.diag([4.0, 2.0, 1.0])
    flow = lr.GradientFlow(lr.inits.aligned(target, 1e-3, depth=3), lr.Problem(np.eye(3), target))
    plan = lr.mode_schedule(flow)
    figure = plan.plot()
    modes, loss = figure.axes
    end = loss.get_xlim()[1]
    traj = lr.exact(flow, np.linspace(0, end, 601))
    modes.plot(traj.times, lr.metrics.mode_strengths(traj), color=GRAY, linewidth=1.0, zorder=1)
    loss.plot(traj.times, traj.loss, color=VERMILLION, linewidth=1.2, label="exact loss")
    loss.legend(loc="upper right")
    return figure


def neuron_landmarks() -> Figure:
    """Crossing time and time to a loss of one neuron against its relative scale: the separatrix in between."""
    problem = lr.Problem(np.eye(2), [0.0, 1.0])

    def flow(delta: float) -> lr.GradientFlow:
        return lr.GradientFlow(lr.inits.neuron([0.45, -0.3], delta=delta), problem)

    low, high = -3.0, 1.0  # where the basin changes: bisection
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float(lr.basin(flow(middle))) < 0 else (low, middle)
    edge, reach = low, np.concatenate([np.geomspace(1e-10, 0.1, 30), np.linspace(0.15, 2.5, 25)])
    figure = Figure(figsize=(6.4, 3.3), layout="constrained")
    axes = figure.subplots()
    for side, color in ((-1, VERMILLION), (1, BLUE)):
        deltas = edge + side * reach
        finish = [float(lr.time_to_loss(flow(delta), 1e-6)) for delta in deltas]
        label = r"loss $10^{-6}$, " + (r"$a_\infty < 0$" if side < 0 else r"$a_\infty > 0$")
        axes.plot(deltas, finish, color=color, label=label)
        if side < 0:
            cross = [float(lr.crossing_time(flow(delta))) for delta in deltas]
            axes.plot(deltas, cross, color=color, linestyle="--", label="a crosses zero")
    axes.axvline(edge, color="black", linewidth=1.0)
    axes.annotate(
        "separatrix", (edge, 1), (5, -2), xycoords=("data", "axes fraction"), textcoords="offset points", va="top"
    )
    axes.set(xlabel=r"relative scale $\delta$", ylabel="flow time", xlim=(edge - 2.5, edge + 2.5), ylim=(0, None))
    axes.legend(loc="upper right")
    return figure


def limits() -> Figure:
    """How near one neuron is to its limits, against its relative scale."""
    problem = lr.Problem(np.eye(2), [0.0, 1.0])
    scales = np.concatenate([-np.geomspace(300, 0.03, 17), [0.0], np.geomspace(0.03, 300, 17)])
    times = np.concatenate([[0.0], np.geomspace(1e-3, 1e5, 600)])
    found: dict[str, list[tuple[float, float]]] = {"lazy": [], "rich": [], "delayed rich": []}
    for delta in scales:
        flow = lr.GradientFlow(lr.inits.neuron([0.3, 0.1], delta=delta), problem)
        for name, distance in lr.regime_limits(flow, times).distance.items():
            found[name].append((delta, distance))
    figure = Figure(figsize=(6.4, 3.3), layout="constrained")
    axes = figure.subplots()
    for (name, points), color in zip(found.items(), (BLUE, GREEN, VERMILLION), strict=True):
        axes.plot(*np.array(points).T, "o-", color=color, markersize=3.5, label=name)
    axes.set_xscale("symlog", linthresh=0.1)
    axes.set_xticks([-100, -10, -1, 0, 1, 10, 100])
    axes.set_yscale("log")
    axes.set(xlabel=r"relative scale $\delta$", ylabel="distance to the limit")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def kernel_parts() -> Figure:
    """The kernel distance of one neuron, split, for three relative scales."""
    figure = Figure(figsize=(9.6, 3.0), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for axes, (name, delta) in zip(panels, (("upstream", 1.0), ("balanced", 0.0), ("downstream", -1.0)), strict=True):
        flow = lr.GradientFlow(lr.inits.neuron([-0.1, 0.02], delta), lr.Problem(np.eye(2), [0.0, 1.0]))
        traj = lr.exact(flow, np.geomspace(1e-2, 60, 301))
        magnitude, direction = lr.metrics.kernel_split(traj)
        axes.axhline(0, color="0.8", linewidth=0.8)
        axes.plot(traj.times, magnitude + direction, color="0.75", linewidth=5, label="S, their sum")
        axes.plot(traj.times, magnitude, color=BLUE, linestyle="--", label="from magnitude")
        axes.plot(traj.times, direction, color=VERMILLION, linestyle="-.", label="from direction")
        axes.set(title=rf"{name}, $\delta = {delta:+g}$" if delta else rf"{name}, $\delta = 0$", xlabel="flow time t")
        axes.set_xscale("log")
    panels[0].set_ylabel("kernel distance S")
    panels[0].legend(loc="upper left")
    return figure


def layer_ratios() -> Figure:
    """The mirror coordinate from an orthogonal first layer, and the predictor that it stands for."""
    target = np.diag([4.0, 2.0, 1.0])
    net = lr.inits.orthogonal(jax.random.key(0), d=3, h=5, c=3, gamma=0.01)
    traj = lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(3), target)), np.linspace(0, 8, 401))
    alpha = np.linalg.svd(np.asarray(lr.metrics.layer_ratio(traj)), compute_uv=False)
    figure = Figure(figsize=(8.4, 2.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    for i, color in enumerate((BLUE, VERMILLION, GREEN)):
        left.plot(traj.times, alpha[:, i], color=color, label=f"mode {i + 1}")
        right.plot(traj.times, lr.metrics.mode_strengths(traj)[:, i], color=color)
    left.axhline(1, color=GRAY, linewidth=0.8, linestyle=":")
    left.set(title=r"Singular values of $W_1^+W_2^\top$", xlabel="flow time t", ylabel=r"$\alpha_i$", ylim=(0, 1.05))
    left.legend(loc="lower right")
    right.set(title="Modes of the predictor", xlabel="flow time t", ylabel=r"$\beta_i$")
    return figure


def recover() -> Figure:
    """The learning curve from which an initialization is read, and the two initial predictors that explain it."""
    problem, times = lr.Problem(np.eye(2), [0.0, 1.0]), np.r_[0.0, np.geomspace(0.05, 10, 19)]

    def trajectory(z: Any, times: Any = times) -> lr.Trajectory:
        return lr.exact(lr.GradientFlow(lr.inits.neuron(z[1:], delta=z[0]), problem), times)

    truth, rng = jnp.array([-2.0, -0.4, -0.6]), np.random.default_rng(0)
    loss = trajectory(truth).loss * np.exp(0.01 * rng.normal(size=len(times)))
    misfit = jax.jit(jax.value_and_grad(lambda z: jnp.sum(jnp.log(trajectory(z).loss / loss) ** 2) / 2e-4))
    starts = rng.normal(size=(8, 3))
    fit = min((minimize(misfit, start, jac=True, method="BFGS") for start in starts), key=lambda fit: fit.fun).x
    fit[1] = -abs(fit[1])
    fine = np.linspace(0, 12, 1201)
    figure = Figure(figsize=(9.6, 3.2), layout="constrained")
    curve, plane = figure.subplots(1, 2, width_ratios=(1.5, 1))
    for start, color, label in ((starts[0], GRAY, "one of the first guesses"), (fit, BLUE, "fit")):
        curve.semilogy(fine, trajectory(jnp.asarray(start), fine).loss, color=color, label=label)
    curve.semilogy(times, loss, "o", color="black", markersize=4, label="observed, ±1 %")
    curve.set(title="Training loss", xlabel="flow time t", ylabel="L", xlim=(-0.3, 10.5), ylim=(float(loss[-1]) / 3, 4))
    curve.legend(loc="lower left")
    for start, color, dashes, label in ((fit, BLUE, "-", "fit"), (fit * [1, -1, 1], VERMILLION, "--", "its mirror")):
        path = np.asarray(trajectory(jnp.asarray(start), fine).beta)
        plane.plot(*path.T, color=color, linestyle=dashes, label=label)
        plane.plot(*path[0], "o", color=color, markersize=5)
    plane.plot(*truth[1:], "o", color="none", markeredgecolor="black", markersize=10, label=r"true $\beta_0$")
    plane.plot(0, 1, "*", color="black", markersize=11, label=r"$\beta_*$")
    plane.set(title="Path of the predictor", xlabel=r"$\beta_1$", ylabel=r"$\beta_2$", aspect="equal", xlim=(-0.8, 0.8))
    plane.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


def save(makers: dict[str, Any], names: list[str]) -> None:
    """Draw the pictures of these names, or all that a module makes."""
    OUT.mkdir(exist_ok=True)
    drawn = [name for name, maker in makers.items() if getattr(maker, "__annotations__", {}).get("return") is Figure]
    for name in names or drawn:
        with matplotlib.rc_context(STYLE):
            makers[name]().savefig(OUT / f"{name}.png", dpi=160)


if __name__ == "__main__":
    save(globals(), sys.argv[1:])
