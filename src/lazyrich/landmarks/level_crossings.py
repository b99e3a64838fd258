"""Times at which a curve along a trajectory, such as the loss, passes a level."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, stop_gradient
from lazyrich._core.types import ArrayLike
from lazyrich._solve import exact, find_closed_form
from lazyrich._validate.arrays import check_array
from lazyrich.flow import GradientFlow, raise_if_decayed
from lazyrich.networks import Network
from lazyrich.problem import Square
from lazyrich.theorems.theorem import TrajectoryTheorem

COUNT = 512  # number of times evaluated together
LATEST = 1e290  # in nondimensional units: the flow has ended by then
MIN_RESOLUTION = 1e7  # multiples of its rounding error at which a residual is accurate and small enough to be continued
DIFFERENTIABLE = 1e4  # multiples of its rounding error above which a residual has an accurate derivative
LEVEL_TOLERANCE = 1e-12  # relative distance within which a level cannot be distinguished from the final loss


def time_to_loss(flow: GradientFlow, loss: ArrayLike) -> Array:
    """Return the time at which the training loss has fallen to a value, from the closed form; inf if that never
    happens.

    The loss decreases along a gradient flow, so there is one such time. Below the rounding error of the labels, the
    residual is continued by the tangent kernel at the end. The result can be differentiated by `grad`.

    >>> from lazyrich import Problem, exact, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0], delta=1.0), Problem([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0]))
    >>> time = time_to_loss(flow, 1e-20)
    >>> bool(abs(flow.loss(exact(flow, [time]).end) / 1e-20 - 1) < 1e-6)
    True
    """
    level = check_array("loss", loss, (0,))
    if not is_concrete(stop_gradient(flow), stop_gradient(level)):
        raise ValueError("time_to_loss searches and cannot be traced by jit or vmap; grad alone goes through it")
    raise_if_decayed(flow, "time_to_loss")
    theorem, units = find_closed_form(stop_gradient(flow))
    values, target = units.flow, float(np.ldexp(float(stop_gradient(level)), -units.loss_exponent))

    def curve(times: Array) -> Array:
        return jax.vmap(values.loss)(theorem.networks_up_to_rotation(values, times))

    floor = rounding_of_loss(values)
    if target < MIN_RESOLUTION**2 * floor:
        time = _below_rounding(theorem, values, curve, target, floor)
    else:
        time = first_crossing(curve, target, falling=True)
    if not np.isfinite(time) and target > 0:
        end = float(curve(grid(0.0, LATEST))[-1])
        if abs(end - target) <= LEVEL_TOLERANCE * end:
            raise ValueError(
                f"the loss ends within rounding of {float(stop_gradient(level)):g}, and float64 cannot tell whether "
                "it gets there; ask for a loss that is larger by a part in a billion"
            )
    if not np.isfinite(time) or time == 0 or is_concrete(flow, level):
        return jnp.asarray(units.unscale_times(np.asarray(time)))
    if target < DIFFERENTIABLE**2 * floor:
        raise _unresolved_loss_error("there is no derivative there")
    # One Newton step from the solution does not change it, but has its derivative.
    there = exact(flow, units.unscale_times(np.asarray([time])), theorem=theorem).end
    slopes = stop_gradient(flow).gradient(stop_gradient(there))
    speed = -sum(
        jnp.sum(rate * leaf**2)
        for rate, slope in zip(stop_gradient(flow).rates, slopes, strict=True)
        for leaf in jax.tree.leaves(slope)
    )
    return units.unscale_times(np.asarray(time)) - (flow.loss(there) - level) / speed


def rounding_of_loss(flow: GradientFlow) -> float:
    """Return the loss of residuals that are rounding errors of the labels (0 for losses other than the square loss)."""
    errors = 4 * np.finfo(float).eps * np.asarray(flow.problem.y)
    return 0.5 * float(flow.problem.kappa) * float(np.sum(errors**2)) if isinstance(flow.problem.loss, Square) else 0.0


def _unresolved_loss_error(why: str) -> ValueError:
    return ValueError(f"float64 does not resolve a loss so small beside these labels, and {why}; ask for a larger one")


def _below_rounding(
    theorem: TrajectoryTheorem,
    flow: GradientFlow,
    curve: Callable[[Array], Array],
    level: float,
    floor: float,
) -> float:
    """Return the time at which the loss passes a level that is below the rounding error of the labels.

    Starting from a loss that is well resolved, the residual r obeys ṙ = −κK r with the tangent kernel K at the end.
    """
    if float(flow.loss()) <= level:
        return 0.0
    first, second = (first_crossing(curve, part * MIN_RESOLUTION**2 * floor, falling=True) for part in (1e3, 1.0))
    if level <= 0 or not np.isfinite(second):
        # a flow does not reach a critical point in finite time; or the loss ends far above the level
        return float("inf")
    nets = theorem.networks_up_to_rotation(flow, grid(first, second))
    start, end = (jax.tree.map(lambda leaf, i=i: leaf[i], nets) for i in (0, -1))
    n, kappa = flow.problem.y.size, float(flow.problem.kappa)
    speeds, V = np.linalg.eigh(kappa * np.asarray(flow.ntk(end)).reshape(n, n))
    moves = speeds > n * np.finfo(float).eps * speeds[-1]

    def residual(net: Network) -> np.ndarray:
        return V.T @ np.asarray(flow.outputs(net) - flow.problem.y).ravel()

    def log_loss(gap: float) -> float:
        with np.errstate(divide="ignore"):
            terms = 2 * np.log(np.abs(residual(end)[moves])) - 2 * speeds[moves] * gap
        return float(np.log(0.5 * kappa) + np.logaddexp.reduce(terms))

    stays = 0.5 * kappa * float(np.sum(residual(end)[~moves] ** 2))
    if stays >= level:
        if stays > 64 * floor:
            return float("inf")
        raise _unresolved_loss_error("what the network cannot fit is rounding")
    predicted, actual = (residual(start) * np.exp(-speeds * (second - first)))[moves], residual(end)[moves]
    if not np.linalg.norm(predicted - actual) < 1e-3 * np.linalg.norm(actual):
        raise _unresolved_loss_error("it does not fall exponentially there")
    low, high = 0.0, 1.0 / float(speeds[-1])
    while log_loss(high) > np.log(level - stays):
        low, high = high, 2 * high
    from scipy.optimize import brentq  # imported here because it is slow to import

    gap = brentq(lambda gap: log_loss(gap) - np.log(level - stays), low, high, xtol=1e-300, rtol=1e-14)
    return second + gap


def first_crossing(curve: Callable[[Array], Array], level: float, falling: bool) -> float:
    """Return the first time at which a curve passes a level, by a grid over all time scales that is refined repeatedly;
    inf if it never does."""
    low, high = 0.0, LATEST
    for _ in range(40):
        times = grid(low, high)
        values = np.asarray(curve(times))
        if np.any(np.isnan(values)):
            raise OverflowError("the closed form is not a number at some time: the numbers of this flow are too large")
        passed = values <= level if falling else values >= level
        if passed[0]:
            return float(times[0])
        if not passed.any():
            return float("inf") if high == LATEST else float(high)
        last = int(np.argmax(passed))
        low, high = float(times[last - 1]), float(times[last])
        if high - low <= 4e-16 * high:
            break
    return high


def grid(low: float, high: float) -> Array:
    """Return COUNT times from `low` to `high`, evenly spaced in log t unless they are close. The count is fixed so that
    one compiled program serves all grids."""
    if low > 0 and high < 4 * low:
        return jnp.asarray(np.linspace(low, high, COUNT))
    if low > 0:
        return jnp.asarray(np.geomspace(low, high, COUNT))
    return jnp.asarray(np.concatenate([[0.0], np.geomspace(min(1 / LATEST, high / 2), high, COUNT - 1)]))
