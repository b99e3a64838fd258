"""The plot of a trajectory: its loss, its kernel distance, its function and the sizes of its layers."""

from typing import Any

import jax
import matplotlib
import numpy as np
from jax.tree_util import Partial
from matplotlib.axes import Axes

from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich._core.stacked_map import vmap_over_stack
from lazyrich._core.types import LayerRates
from lazyrich._io.plots import COLORS, MAX_LINES, REGIME_COLORS, STYLE, Figure
from lazyrich.networks import Network
from lazyrich.networks.kernel_distance import kernel_distance_between
from lazyrich.networks.population_kernel import population_kernel_distance

MAX_OUTPUTS = 200  # of the kernel that is drawn; with more inputs, S is measured on some of them
MAX_TIMES = 400
LOSS_FLOOR = 1e-12  # relative to the largest loss: less would flatten the rest of the curve


def plot_trajectory(traj: Any) -> Figure:
    """Plot the loss, the kernel distance S, the function and the norms of the layers over time, in four panels."""
    times = np.asarray(traj.times)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 5.2), layout="constrained")
        (loss, distance), (function, sizes) = figure.subplots(2, 2, sharex=True)
        _draw_loss(loss, traj)
        _draw_kernel_distance(distance, traj)
        _draw_function(function, traj)
        for l, size in enumerate(traj.layer_norms.T, 1):
            dashes = (None, None) if l == 1 else (5 - min(l, 4), l)  # balanced layers would hide each other
            sizes.plot(times, size, label=f"layer {l}", dashes=dashes)
        sizes.set(title="Size of the layers", ylabel="Frobenius norm")
        sizes.legend(loc="best")
        _set_time_axes(function, sizes, times=times)
        figure.suptitle(str(traj.by), fontsize=8, color="0.35", x=0.01, ha="left")
    return figure


def _draw_loss(axes: Axes, traj: Any) -> None:
    loss = np.asarray(traj.loss)
    axes.plot(traj.times, loss)
    if np.any(loss > 0) and loss.max() > 100 * loss.min():
        axes.set_yscale("log")
        axes.set_ylim(bottom=max(loss.min() / 2, LOSS_FLOOR * loss.max()))
    axes.set(title="Training loss", ylabel="L")
    if traj.flow.decay is not None:
        axes.lines[0].set_label("loss of the data")
        axes.plot(traj.times, np.asarray(traj.objective), "--", label="with the penalty of decay")
        axes.legend(loc="best")


def _draw_kernel_distance(axes: Axes, traj: Any) -> None:
    """Draw S, with the limits of lazy and rich."""
    times, distance, title = _kernel_distance(traj)
    highest = float(np.max(distance))
    axes.plot(times, distance, color=REGIME_COLORS["rich"] if highest > RICH else COLORS[0])
    top = max(1.08 * highest, 1.3 * RICH)
    for limit, word, place in ((LAZY["kernel"], "lazy", "top"), (RICH, "rich", "bottom")):
        axes.axhline(limit, color=REGIME_COLORS[word], lw=0.8, ls="--", zorder=1)
        if word == "rich" or limit > 0.1 * top:  # where there is room for the word
            where, at = axes.get_yaxis_transform(), (0.99, limit)
            axes.text(*at, word, color=REGIME_COLORS[word], transform=where, ha="right", va=place, fontsize=8)
    axes.set(title=title, ylabel="S", ylim=(-0.02 * top, top))


def _kernel_distance(traj: Any) -> tuple[np.ndarray, np.ndarray, str]:
    """Return times, S at these times, and a title that says on how many inputs it was measured."""
    rows = np.unique(np.linspace(0, len(traj) - 1, min(len(traj), MAX_TIMES)).round().astype(int))
    nets, title = jax.tree.map(lambda leaf: leaf[rows], traj.nets), "Kernel distance S"
    flow, start = traj.flow, traj.start
    if not flow.problem.has_samples and start.neuron_parameters is not None:
        measure = Partial(_population_distance, flow.rates, start)
    else:
        X, on = _inputs(traj)
        measure, title = Partial(_distance, X, flow.rates, start), title + on
    return np.asarray(traj.times)[rows], np.asarray(vmap_over_stack(measure, nets, one_at_a_time=True)), title


def _inputs(traj: Any) -> tuple[jax.Array, str]:
    """Return the inputs on which the kernel is drawn, and words for them if they are not those of training."""
    if not traj.flow.problem.has_samples:
        width, _ = traj.start.n_inputs_outputs
        X = jax.random.normal(jax.random.key(0), (MAX_OUTPUTS, width))
        return X, f" on {MAX_OUTPUTS} random inputs"
    X = traj.flow.problem.X
    outputs = int(np.prod(jax.eval_shape(traj.start, X[:1]).shape))
    count = max(1, min(len(X), MAX_OUTPUTS // outputs))
    if count == len(X):
        return X, ""
    return X[np.linspace(0, len(X) - 1, count).round().astype(int)], f" on {count} of {len(X)} inputs"


def _distance(X: jax.Array, rates: LayerRates, start: Network, net: Network) -> jax.Array:
    return kernel_distance_between(X, rates, net, start)


def _population_distance(rates: LayerRates, start: Network, net: Network) -> jax.Array:
    return population_kernel_distance(net, start, rates)


def _draw_function(axes: Axes, traj: Any) -> None:
    """Draw the predictor of a linear network, the hidden units on infinite data, or the outputs."""
    count = len(traj.times)
    if traj.flow.net.linear_in_inputs:
        curves, name, title = np.asarray(traj.beta), r"\beta", "Linear predictor"
    elif not traj.flow.problem.has_samples:  # two layers, with one output
        norms = [
            np.asarray(layer).reshape(count, -1, layer[0].shape[-1] if layer.ndim > 2 else 1)
            for layer in traj.nets.layers
        ]
        curves, name = np.prod([np.linalg.norm(layer, axis=2) for layer in norms], axis=0), r"|a|\|w\|"
        title = "Size of the hidden units"
    else:
        curves, name, title = np.asarray(traj.outputs), "f", "Outputs on the training set"
    curves = curves.reshape(count, -1)
    for i in np.sort(np.argsort(-np.max(np.abs(curves), axis=0))[:MAX_LINES]):
        axes.plot(traj.times, curves[:, i], label=f"${name}_{{{i + 1}}}$")
    if curves.shape[1] > MAX_LINES:
        title += f" ({MAX_LINES} largest of {curves.shape[1]})"
    axes.set(title=title, ylabel=f"${name}$")
    if curves.shape[1] > 4:
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    elif curves.shape[1] > 1:
        axes.legend(loc="best")


def _set_time_axes(*bottom: Axes, times: np.ndarray) -> None:
    """Make time logarithmic if most of it is early."""
    positive = times[times > 0]
    spread = len(positive) > 2 and positive[-1] / positive[0] > 1000 and np.median(times) < 0.2 * times[-1]
    for axes in bottom:
        axes.set_xlabel("flow time t")
        if spread and times[0] > 0:
            axes.set_xscale("log")
        elif spread:
            axes.set_xscale("symlog", linthresh=positive[0])
            axes.set_xlim(left=0)
