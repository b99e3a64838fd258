"""The regression of section 4.3: its data, and descent until the loss is below 1e-4 (figures 3 to 5, table 1)."""

from collections.abc import Iterator
from typing import Any

import equinox as eqx
import jax
import numpy as np
import xarray

from lazyrich import inits
from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal
from lazyrich.numerics import descend
from lazyrich.papers.figure import Fact
from lazyrich.problem import Problem

PATHS = {0.1: 1e-2, 1.0: 1e-3, 10.0: 1e-4}  # α: the source's step η
EPOCHS = {0.1: 1001, 1.0: 757, 10.0: 77}  # the source's table 1
LOSS, MOST = 1e-4, 20_000
N, DIM = 10, 20
BLOCK = 250


def problem(rng: np.random.Generator) -> Problem:
    """Draw the regression N = 10, n = 20, x ~ N(0, I), y = ⟨x, β⟩ with β ~ U[−1, 1]; L is the mean squared error."""
    X, beta = rng.normal(size=(N, DIM)), rng.uniform(-1, 1, DIM)
    return Problem(X, X @ beta, kappa=2 / N)


@eqx.filter_jit
def _block(flows: GradientFlow, eta: Any) -> tuple[Any, Any]:
    """Run a block of steps of each flow, and return the weights and the loss after each step."""

    def one(flow: GradientFlow) -> tuple[Any, Any]:
        traj = descend(flow, BLOCK, eta, every=1)
        return traj.nets.layers[0], traj.loss

    return jax.vmap(one)(flows)


def train(
    problems: list[Problem], alpha: float, eta: float | None = None, most: int = MOST, keep: bool = True
) -> tuple[Any, Any, Any]:
    """Run descent from α𝟙 on each problem, with the source's step by default.

    Return the first epoch whose loss is below 1e-4 (−1: none), the losses over the epochs, and the weights (problem,
    epoch, ±, coordinate).
    """
    flows = [GradientFlow(inits.tied_diagonal(DIM, alpha), problem) for problem in problems]
    batch = jax.tree.map(lambda *leaves: np.stack(leaves), *flows)
    weights: list[Any] = [np.array(batch.net.weights[0])[:, None]]
    losses: list[Any] = []
    while not losses or (np.min(losses[-1], 1).max() >= LOSS and BLOCK * len(losses) < most):
        layer, loss = (np.asarray(part) for part in _block(batch, np.array(PATHS[alpha] if eta is None else eta)))
        weights, losses = [*(weights if keep else []), layer[:, 1:]], [*losses, loss if not losses else loss[:, 1:]]
        batch = eqx.tree_at(lambda flow: flow.net.weights, batch, (layer[:, -1],))
    loss = np.concatenate(losses, axis=1)
    below = loss < LOSS
    epochs = np.where(below.any(axis=1), below.argmax(axis=1), -1)
    return epochs, loss, np.concatenate(weights, axis=1)


def kernels(problem: Problem, alpha: float, eta: float | None = None) -> tuple[int, Any, Any]:
    """Return the epoch at which descent from α𝟙 stops, and the losses and kernels up to there."""
    (end,), (loss,), (weights,) = train([problem], alpha, eta)
    if end < 0:
        raise RuntimeError(f"descent from α = {alpha} did not come below {LOSS} in {MOST} epochs")
    K = jax.vmap(lambda w: Diagonal([w], power=2).ntk(problem.X))(weights[: end + 1])
    return int(end), loss[: end + 1], np.asarray(K)


def limits(problem: Problem, alphas: Any) -> Any:
    """Return K = 4X diag(√(4α⁴ + β²))Xᵀ at the limits of the flows from α𝟙, which conserve w₊w₋ = α²."""
    betas = np.asarray(limit(GradientFlow(inits.tied_diagonal(DIM, 1.0), problem), scales=alphas).value)
    X = np.asarray(problem.X)
    return np.array([4 * X * np.hypot(2 * a**2, beta) @ X.T for a, beta in zip(alphas, betas, strict=True)])


def kernels_along_training(problem: Problem, alpha: float, most: int) -> xarray.Dataset:
    """Compute figures 4 and 5: the kernel every ten epochs (or at `most` of these), and at the limit of the flow."""
    end, loss, K = kernels(problem, alpha)
    (stop,) = limits(problem, [alpha])
    tens = np.unique(np.r_[np.arange(0, end, 10), end])
    saved = tens[np.unique(np.linspace(0, len(tens) - 1, most).astype(int))]
    change = np.linalg.norm(K - K[0], axis=(1, 2)) / np.linalg.norm(K[0])
    return xarray.Dataset(
        {
            "kernel": (("epoch", "i", "j"), K[saved]),
            "change": ("epoch", change[saved]),
            "loss": ("epoch", loss[saved]),
            "gram": (("i", "j"), np.asarray(problem.X @ problem.X.T)),
            "limit": (("i", "j"), stop),
        },
        coords={"epoch": saved, "i": np.arange(1, N + 1), "j": np.arange(1, N + 1)},
        attrs={"alpha": alpha, "eta": PATHS[alpha]},
    )


def along_facts(data: xarray.Dataset) -> Iterator[Fact]:
    start = 8 * data.attrs["alpha"] ** 2 * data.gram
    yield Fact.equal("the kernel begins as 8α²⟨x, x′⟩", data.kernel[0], start, 1e-12).on("smith2022/regression-kernel")
    yield Fact.at_most("training ends at a loss below 1e-4", data.loss[-1], LOSS).of_ours()
    # at a loss of 1e-4 the residual is some half per cent of what it was, more in the slow directions
    yield Fact.equal(
        "descent ends where the flow's implicit bias puts the kernel", data.kernel[-1], data["limit"], 0.02
    ).on("smith2022/kernel-change")


def paint(axes: Any, matrix: Any, reach: float, title: str) -> Any:
    """Plot a kernel on the 10 × 10 grid of training points."""
    image = axes.imshow(matrix, vmin=-reach, vmax=reach, cmap="cividis")
    axes.set_title(title)
    axes.set_xticks([0, 4, 9], ["1", "5", "10"])
    axes.set_yticks([0, 4, 9], ["1", "5", "10"])
    axes.spines[:].set_visible(False)
    return image


def snapshots(data: xarray.Dataset, rows: list[int]) -> Any:
    """Plot kernels at some of the epochs on one scale, and the distance that the kernel has moved."""
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(9.6, 2.5), layout="constrained")
    panels = figure.subplots(1, len(rows) + 1, width_ratios=[*[1] * len(rows), 1.35])
    reach = float(abs(data.kernel).max())
    for axes, row in zip(panels, rows, strict=False):
        image = paint(axes, data.kernel[row], reach, f"epoch {int(data.epoch[row])}")
        axes.set(xlabel="$j$")
    panels[0].set_ylabel("$i$")
    figure.colorbar(image, ax=panels[:-1].tolist(), shrink=0.8, pad=0.01, label="$K(x_i, x_j)$")
    last = panels[-1]
    last.plot(data.epoch, data.change, color=COLORS[0])
    last.plot(data.epoch[rows], data.change[rows], "o", ms=4, color=COLORS[0], clip_on=False)
    there = float(np.linalg.norm(data["limit"] - data.kernel[0]) / np.linalg.norm(data.kernel[0]))
    last.axhline(there, ls="--", lw=1, color="black")
    last.annotate("limit of the flow", (1, there), (0, 3), va="bottom", ha="right", fontsize=8,
                  xycoords=("axes fraction", "data"), textcoords="offset points")  # fmt: skip
    last.set(
        xlabel="epoch", title=r"$\|K - K_0\| / \|K_0\|$", ylim=(0, 1.15 * float(np.max([there, *data.change.values])))
    )
    return figure
