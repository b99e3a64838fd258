"""Networks W_L ⋯ W_1 and targets T of shape (outputs, inputs), as in the note."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, minimize
from scipy.stats import t

from lazyrich.papers.claim import Evidence, Setup
from lazyrich.papers.oracles.flows import deep_linear, ode
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.verdicts import Grade

Layers = list[np.ndarray]


def orthonormal(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Draw m orthonormal columns in n dimensions."""
    return frame(rng, n, n)[:, :m]


def strengths(rng: np.random.Generator, k: int) -> np.ndarray:
    """Draw singular values near k, …, 2, 1, at least 0.7 apart."""
    return np.arange(k, 0, -1) + rng.uniform(-0.15, 0.15, size=k)


def target(rng: np.random.Generator, s: Any, c: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw a target with these singular values, and return it with its singular vectors."""
    U, V = orthonormal(rng, c, len(s)), orthonormal(rng, d, len(s))
    return (U * np.asarray(s)) @ V.T, U, V


def normal(rng: np.random.Generator, widths: Sequence[int], scale: float = 1.0) -> Layers:
    return [scale * rng.normal(size=(m, n)) for n, m in pairwise(widths)]


def aligned_layers(rng: np.random.Generator, U: np.ndarray, a: Any, V: np.ndarray, depth: int, width: int) -> Layers:
    """Return balanced layers whose product is U diag(a) Vᵀ, with random hidden bases."""
    frames = [V, *[orthonormal(rng, width, len(a)) for _ in range(depth - 1)], U]
    return [(out * np.asarray(a) ** (1 / depth)) @ inp.T for inp, out in pairwise(frames)]


def product(layers: Sequence[np.ndarray], size: int | None = None) -> np.ndarray:
    """Return the product W_b ⋯ W_a of the given layers, first layer first; the identity of `size` for none."""
    out = layers[0] if layers else np.eye(size or 0)
    for W in layers[1:]:
        out = W @ out
    return out


def loss_of(layers: Sequence[np.ndarray], T: np.ndarray) -> Any:
    R = product(layers) - T
    return 0.5 * np.sum(R * R)


def gradients(layers: Layers, T: np.ndarray) -> Layers:
    """Return the gradients by the printed formula, W_{L:l+1}ᵀ (W_eff − T) W_{l−1:1}ᵀ."""
    R, (c, d) = product(layers) - T, T.shape
    return [product(layers[l + 1 :], c).T @ R @ product(layers[:l], d).T for l in range(len(layers))]


def complex_step(loss: Callable[[Layers], Any], layers: Layers) -> Layers:
    """Return the gradient of an analytic function, accurate to rounding, by complex steps."""
    out = []
    for l, W in enumerate(layers):
        grad = np.zeros_like(W)
        for i in np.ndindex(W.shape):
            moved = [V.astype(complex) for V in layers]
            moved[l][i] += 1e-30j
            grad[i] = loss(moved).imag / 1e-30
        out.append(grad)
    return out


def minimize_loss(layers: Layers, T: np.ndarray, decay: float = 0.0, slope: float = 1.0) -> Layers:
    """Descend to a local minimum of ½‖W_L φ(⋯ φ(W_1)) − T‖² + ½ decay Σ‖W‖², by L-BFGS; φ is linear at slope 1."""
    ends, shapes = np.cumsum([0, *(W.size for W in layers)]), [W.shape for W in layers]

    def split(x: np.ndarray) -> Layers:
        return [x[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]

    def value(x: np.ndarray) -> tuple[float, np.ndarray]:
        Ws, below, bends = split(x), [np.eye(T.shape[1])], []
        for W in Ws[:-1]:
            bends.append(np.where(W @ below[-1] > 0, 1.0, slope))
            below.append(bends[-1] * (W @ below[-1]))
        back = Ws[-1] @ below[-1] - T
        loss, grads = 0.5 * float(np.sum(back**2)), []
        for W, inputs, bend in zip(Ws[::-1], below[::-1], [*bends[::-1], 1.0], strict=True):
            grads.append(back @ inputs.T)
            back = bend * (W.T @ back)
        grad = np.concatenate([g.ravel() for g in reversed(grads)])
        return loss + 0.5 * decay * float(x @ x), grad + decay * x

    start = np.concatenate([W.ravel() for W in layers])
    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-16, "gtol": 1e-10}
    return split(minimize(value, start, jac=True, method="L-BFGS-B", options=options).x)


def run(layers: Layers, T: np.ndarray, times: Any, rtol: float = 1e-11) -> Layers:
    """Solve the raw flow on whitened inputs, and return each layer over time."""
    return deep_linear(layers, np.eye(T.shape[1]), T.T, times, rtol=rtol)


def product_over_time(path: Layers) -> np.ndarray:
    return product([np.asarray(W) for W in path])


def filled_in(field: Callable[..., np.ndarray], *rest: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Return a field with all but its first argument filled in."""
    return lambda y: field(y, *rest)


def first_passage(times: Any, values: np.ndarray, level: float) -> float:
    """Return the time at which a smooth curve first passes a level, or inf."""
    passed = np.flatnonzero((values[1:] > level) != (values[:-1] > level))
    if not len(passed):
        return float("inf")
    near = slice(max(passed[0] - 8, 0), passed[0] + 10)
    return float(
        brentq(CubicSpline(times[near], values[near] - level), times[passed[0]], times[passed[0] + 1], rtol=1e-13)
    )


def flow_of_one_mode(s: float, a0: float, depth: int, times: Any) -> np.ndarray:
    """Solve the raw flow of one mode: a chain of `depth` weights, which stay equal."""
    return ode(lambda w: w ** (depth - 1) * (s - w**depth), a0 ** (1 / depth), times, rtol=1e-11) ** depth


def clock(s: float, a0: float, a1: float, depth: int) -> float:
    """Return the time from a₀ to a₁ by the boxed equation of 5.3, as an integral over log a."""
    integral = quad(
        lambda x: np.exp(x * (2 / depth - 1)) / (depth * (s - np.exp(x))), log(a0), log(a1), epsabs=0, limit=500
    )
    return float(integral[0])


def per_log(sizes: Any, spent: Any, expected: float, unit: float | None = None) -> Evidence:
    """Fit the delay for every factor e by which the start is smaller, over three sizes or more, and compare it with the
    expected one.

    The error is in units of the expected delay (or of `unit`); the description gives the 95 % interval.
    """
    x, y = np.log(1 / np.asarray(sizes, float)), np.asarray(spent, float)
    (slope, _), cover = np.polyfit(x, y, 1, cov="unscaled")
    residual = y - np.polyval(np.polyfit(x, y, 1), x)
    width = float(t.ppf(0.975, len(x) - 2) * np.sqrt(cover[0, 0] * np.sum(residual**2) / (len(x) - 2)))
    summary = f"{slope:.4f} ± {width:.1g} for each factor e of ε, expected {expected:.4f}, over {len(x)} sizes"
    return Evidence(abs(float(slope) - expected) / (unit or abs(expected)), summary, Grade.TREND)


def transpose(W: np.ndarray) -> np.ndarray:
    return np.swapaxes(W, -1, -2)


def curves(rng: np.random.Generator, s: Any, a0: Any, depth: int, times: Any) -> np.ndarray:
    """Return the strength of each mode in the raw flow of balanced aligned layers, of shape (times, modes)."""
    k = len(s)
    T, U, V = target(rng, s, k, k + 1)
    layers = aligned_layers(rng, U, np.broadcast_to(a0, (k,)), V, depth, k + 2)
    return np.einsum("ik,tij,jk->tk", U, product_over_time(run(layers, T, times)), V)


def half_times(setup: Setup, s: Any, a0: float, last: float) -> np.ndarray:
    """Return the times at which each mode of a depth-2 raw flow reaches half of its target."""
    times = np.linspace(0, last, 1500)
    a = curves(setup.rng, np.asarray(s), a0, 2, times)
    return np.array([first_passage(times, a[:, i], s[i] / 2) for i in range(len(s))])


def truncations(U: np.ndarray, s: np.ndarray, V: np.ndarray) -> np.ndarray:
    return np.array([(U * s)[:, :r] @ V[:, :r].T for r in range(len(s) + 1)])


def sequence(setup: Setup, random: bool, place: float, ahead: int = 0) -> Evidence:
    """Measure, for smaller starts, the distance of W_eff from the rank-r truncation at a fraction `place` of the way
    from t_r* to t_{r+1}*; or from the truncation with `ahead` more modes."""
    rng = setup.rng
    s = np.array([4.0, 2.0, 1.0]) * rng.uniform(0.95, 1.05, 3)
    T, U, V = target(rng, s, 3, 3)
    bases, starts = truncations(U, s, V), normal(rng, (3, 6, 3))
    misses = []
    for size in (1e-3, 1e-6, 1e-9):  # of the weights
        layers = [size * W for W in starts] if random else aligned_layers(setup.rng, U, np.full(3, size**2), V, 2, 6)
        marks = np.array([0.0, *np.log(1 / size) / s, 2 * log(1 / size) / s[-1]])
        times = marks[:-1] + place * np.diff(marks)
        path = product_over_time(run(layers, T, times))
        misses.append(np.max(np.linalg.norm(path[: len(bases) - ahead] - bases[ahead:], axis=(1, 2))) / s[0])
    falling = misses[0] > misses[1] > misses[2]
    return Evidence(misses[-1] if falling else max(misses), ", ".join(f"{miss:.1e}" for miss in misses))
