"""Draw the pictures of the pages on limits with the library itself: `python docs_build/pictures_bias.py [names]`."""

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from pictures import BLUE, GRAY, GREEN, VERMILLION, save

import lazyrich as lr
from lazyrich import potentials


def sensing(d: int = 40, n: int = 14, sparsity: int = 3) -> lr.Problem:
    """Few measurements of a sparse vector."""
    rng = np.random.default_rng(4)
    truth = np.zeros(d)
    truth[:sparsity] = 1.0, -0.7, 0.5
    X = rng.normal(size=(n, d)) / np.sqrt(n)
    return lr.Problem(X, X @ truth)


def lazy_to_rich() -> Figure:
    """The limit of a diagonal network over the scale of its initialization."""
    problem = sensing()
    scales = np.geomspace(1e-6, 1e2, 80)
    path = lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(problem.d, 1.0), problem), scales=scales)
    beta, shortest = np.asarray(path.value), np.asarray(problem.min_norm_solution)
    sparsest, _ = potentials.basis_pursuit(problem.X, problem.y)
    figure = Figure(figsize=(9.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    for i in range(3, problem.d):
        left.plot(scales, beta[:, i], color="0.75", linewidth=0.8, label="the others" if i == 3 else None)
    for i, color in enumerate((BLUE, VERMILLION, GREEN)):
        left.plot(scales, beta[:, i], color=color, label=rf"$\beta_{i + 1}$, in the true support")
    left.set(xscale="log", xlabel=r"scale $\alpha$ of the initialization", ylabel=r"$\beta_\infty$")
    left.set(title="Where training stops")
    left.legend()
    for target, color, dashes, name in (
        (sparsest, BLUE, "-", r"to the least $\ell_1$ norm"),
        (shortest, VERMILLION, "--", r"to the least $\ell_2$ norm"),
    ):
        away = np.linalg.norm(beta - target, axis=1) / np.linalg.norm(shortest - sparsest)
        right.plot(scales, away, dashes, color=color, label=name)
    right.set(xscale="log", yscale="log", xlabel=r"scale $\alpha$ of the initialization", ylim=(1e-4, 2))
    right.set(title="Distance, relative to that between the two")
    right.legend()
    return figure


def _grid(phi: Any, span: float = 1.9, count: int = 161) -> tuple[np.ndarray, np.ndarray]:
    axis = np.linspace(-span, span, count)
    points = jnp.stack(jnp.meshgrid(jnp.asarray(axis), jnp.asarray(axis)), axis=-1).reshape(-1, 2)
    return axis, np.asarray(jax.vmap(phi.value)(points)).reshape(count, count)


def contours() -> Figure:
    """Level sets of potentials in the plane, and the point on a line of solutions that has the least."""
    x, y = jnp.array([[1.0, 2.0]]), jnp.array([2.0])
    line = np.linspace(-1.9, 1.9, 2)
    entropies = [
        (r"$q_k$, $k = 10^{4}$: as $\ell_2$", potentials.HyperbolicEntropy.from_k(jnp.full(2, np.log(1e2)))),
        (r"$q_k$, $k = 1$", potentials.HyperbolicEntropy.from_k(jnp.zeros(2))),
        (r"$q_k$, $k = 10^{-12}$", potentials.HyperbolicEntropy.from_k(jnp.full(2, np.log(1e-6)))),
        (r"$q_4$, $\alpha = 10^{-2}$: as $\ell_1$", potentials.DeepEntropy(*[jnp.full(2, np.log(1e-2))] * 2, 4, 8.0)),
        (r"$q_k$ from $\beta_0 = (0.9, 0.1)$, $k = 0.1$", None),
        (r"neuron from $\beta_0$, $\delta = 3$", potentials.Radial(3.0)),
        (r"neuron from $\beta_0$, $\delta = 0$", potentials.Radial(0.0)),
        (r"neuron from $\beta_0$, $\delta = -3$", potentials.Radial(-3.0)),
    ]
    start = jnp.array([0.9, 0.1])
    figure = Figure(figsize=(9.6, 5.0), layout="constrained")
    for axes, (name, phi) in zip(figure.subplots(2, 4, sharex=True, sharey=True).flat, entropies, strict=True):
        begins = None
        if phi is None:
            root = np.sqrt(0.1)
            shift = np.arcsinh(2 * np.asarray(start) / root)
            level = np.log(root / 4)
            phi = potentials.HyperbolicEntropy(level + shift, level - shift, 2.0)
            begins = start
        if isinstance(phi, potentials.Separable):
            best, _ = potentials.bregman_projection(x, y, phi)
            value = phi
        else:  # a neuron: its potential minus the slope at the start
            begins = start
            net = lr.inits.neuron(start, phi.delta)
            best = lr.limit(lr.GradientFlow(net, lr.Problem(x, y))).value
            value = _Tilted(phi, phi.gradient(start))
        axis, values = _grid(value)
        lowest, here = float(np.min(values)), float(value.value(best))
        levels = np.sort(lowest + (here - lowest) * np.array([0.15, 0.4, 0.7, 1.0, 1.4, 1.9, 2.5]))
        axes.contour(axis, axis, values, levels=np.unique(levels), colors=[BLUE], linewidths=0.9, linestyles="solid")
        axes.plot(line, (2 - line) / 2, color="black", linewidth=1.0)
        axes.plot(*best, "o", color=VERMILLION, markersize=6)
        if begins is not None:
            axes.plot(*begins, "s", color=GREEN, markersize=5)
        axes.set(title=name, aspect="equal", xlim=(-1.9, 1.9), ylim=(-1.9, 1.9))
    figure.supxlabel(r"$\beta_1$", fontsize=9)
    figure.supylabel(r"$\beta_2$", fontsize=9)
    return figure


class _Tilted:
    """φ(β) − ⟨slope, β⟩."""

    def __init__(self, phi: Any, slope: Any):
        self.phi, self.slope = phi, slope

    def value(self, beta: Any) -> Any:
        return self.phi.value(beta) - self.slope @ beta


def trade_off() -> Figure:
    """Where a neuron stops on a line of solutions, over δ, for three sizes of the start."""
    problem = lr.Problem([[1.0, 2.0]], [2.0])
    direction = np.array([0.8, 0.6])
    deltas = np.concatenate([-np.geomspace(30, 1e-2, 60), np.geomspace(1e-2, 30, 60)])
    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    plane, curve = figure.subplots(1, 2, width_ratios=[1, 1.4])
    line = np.linspace(-0.6, 2.2, 2)
    plane.plot(line, (2 - line) / 2, color="black", linewidth=1.0)
    shortest = np.asarray(problem.min_norm_solution)
    plane.plot(*shortest, "*", color="black", markersize=11, label=r"shortest, $X^+y$")
    along = 2 / (direction @ np.array([1.0, 2.0])) * direction
    plane.plot(*along, "D", color=GRAY, markersize=6, label=r"along $\beta_0$")
    plane.plot([0, 2.4 * direction[0]], [0, 2.4 * direction[1]], ":", color=GRAY, linewidth=1.0)
    for size, color in ((0.2, BLUE), (0.6, GREEN), (1.4, VERMILLION)):
        start = size * direction
        flow = [lr.GradientFlow(lr.inits.neuron(start, delta), problem) for delta in deltas]
        ends = np.stack([np.asarray(lr.limit(f).value) for f in flow])
        plane.plot(*start, "s", color=color, markersize=5, label=rf"$\beta_0$, $\|\beta_0\| = {size}$")
        plane.plot(*ends[[0, -1]].T, "o", color=color, markersize=4, fillstyle="none")
        unseen = (ends - shortest) @ np.array([2.0, -1.0]) / np.sqrt(5)
        curve.plot(deltas, unseen, color=color, label=rf"$\|\beta_0\| = {size}$")
    curve.axhline(0, color="black", linewidth=0.8)
    curve.annotate("shortest", (-28, 0.01), ha="left", va="bottom", fontsize=8)
    level = (along - shortest) @ np.array([2.0, -1.0]) / np.sqrt(5)
    curve.axhline(level, color=GRAY, linewidth=0.8, linestyle=":")
    curve.annotate(r"along $\beta_0$", (-28, level + 0.01), ha="left", va="bottom", fontsize=8)
    curve.set(xscale="symlog", xlabel=r"$\delta$ (upstream to the right)", ylabel="distance along the line")
    curve.set(title="Where on the line of solutions it stops")
    curve.set_xscale("symlog", linthresh=0.1)
    curve.legend(loc="upper right", bbox_to_anchor=(1.0, 0.78))
    plane.set(
        title="The line of solutions", xlabel=r"$\beta_1$", ylabel=r"$\beta_2$", xlim=(-0.3, 2.1), ylim=(-0.2, 1.5)
    )
    plane.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def how_rich() -> Figure:
    """The distance to basis pursuit over k, down to 1e-6000."""
    rng = np.random.default_rng(0)
    d, n = 1000, 100
    X = rng.normal(size=(n, d)) / np.sqrt(n)
    truth = np.zeros(d)
    truth[:20] = rng.normal(size=20)
    y = X @ truth + 0.1 * rng.normal(size=n)
    pursuit, _ = potentials.basis_pursuit(X, y)
    logs = -np.geomspace(2.0, 6900.0, 40)  # log √k
    unit = potentials.HyperbolicEntropy.from_k(jnp.zeros(d))
    points = [np.asarray(potentials.bregman_projection(X, y, unit.with_scaled_layers(log / 2))[0]) for log in logs]
    away = np.linalg.norm(np.stack(points) - pursuit, axis=1) / np.linalg.norm(pursuit)
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    digits = -2 * logs / np.log(10)
    axes.plot(digits, away, color=BLUE, label=r"$\|\beta_\infty - \beta_{\ell_1}\| / \|\beta_{\ell_1}\|$")
    axes.plot(digits, away[8] * digits[8] / digits, ":", color=GRAY, label=r"$\propto 1/\log(1/k)$")
    axes.axvline(1230, color=VERMILLION, linewidth=0.9, linestyle="--", label=r"smallest $\alpha$ in float64")
    axes.set(xscale="log", yscale="log", xlabel=r"$\log_{10}(1/k)$: digits of smallness", ylabel="relative distance")
    axes.set(title="How far the limit is from basis pursuit (d = 1000, N = 100)")
    axes.legend()
    return figure


if __name__ == "__main__":
    save(globals(), sys.argv[1:])
