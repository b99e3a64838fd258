r"""The curve along which weight decay moves a fitted diagonal network, from the lazy limit to the rich one."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.types import ArrayLike
from lazyrich._limit import limit
from lazyrich._validate.arrays import check_times
from lazyrich.flow import GradientFlow, decay_rates_are_equal
from lazyrich.networks import Diagonal
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.problem import Problem, Square
from lazyrich.trajectory import Provenance

FITTED = 0.05  # of the first loss
LATEST = 700.0  # κt: beyond it e^{−κt} underflows


@dataclass(frozen=True)
class DecayCurve:
    """The predicted predictors `beta` at `times`, the time at which a lazy start has fitted, and the time at which
    decay has brought the weights to the scale of the rich regime."""

    times: Float[Array, " t"]
    beta: Float[Array, "t d"]
    fit_time: float
    rich_time: float
    by: Provenance

    def loss(self, problem: Problem) -> Float[Array, " t"]:
        """Return the loss of the predicted predictors on other data: the curve of the test error."""
        if not isinstance(problem, Problem):
            raise TypeError(f"problem must be a lazyrich.Problem; found {type(problem).__name__}")
        if (problem.d, problem.y.ndim) != (self.beta.shape[1], 1):
            raise ValueError(
                f"the predictors have {self.beta.shape[1]} features and one output; found a problem with {problem.d} "
                f"features and labels of shape {problem.y.shape}"
            )
        return jnp.stack([problem.value(problem.X @ beta) for beta in self.beta])


def decay_curve(flow: GradientFlow, times: ArrayLike) -> DecayCurve:
    r"""Predict where weight decay has moved a diagonal network of depth two, without integrating.

    At every time β is the point with its own $X\beta$ that is nearest to zero in the potential of the start scaled by
    $e^{-\kappa t}$. After fitting, $X\beta = y$ up to a term of order λ, so the flow walks along the limits of flows
    without decay from that start, `limit(flow, scales=exp(−κt))`, from the shortest interpolator to the sparsest. The
    error is of order λ, and grows late, when the flow goes on to the Lasso: the limits end at basis pursuit.

    `fit_time` is when the tangent model has 5 % of its first loss. `rich_time` is when the two sides of the network,
    scaled, have the size of the largest |β| at the last time. The rate $\kappa = \eta_l\lambda_l$ must be the same for
    all layers. (That decay makes the change sharp is due to Lyu et al. 2023.)

    >>> from lazyrich import Problem, inits
    >>> flow = GradientFlow(inits.tied_diagonal(3, 10.0), Problem([[1.0, 2.0, 2.1]], [3.0]), decay=0.01)
    >>> curve = decay_curve(flow, [1.0, 500.0])
    >>> curve.beta.round(3).tolist()
    [[0.319, 0.638, 0.67], [0.053, 0.629, 0.805]]
    >>> round(curve.fit_time, 5), round(curve.rich_time)
    (0.0002, 241)
    """
    times = check_times(times)
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"decay_curve takes a GradientFlow; found {type(flow).__name__}")
    if not is_concrete(flow, times):
        raise ValueError("decay_curve cannot be traced by jit, vmap or grad: call it outside of them")
    if flow.decay is None:
        raise ValueError("decay_curve is about flows with weight decay; pass decay to GradientFlow")
    if not (isinstance(flow.net, Diagonal) and flow.net.degree == 2 and isinstance(flow.problem.loss, Square)):
        raise ValueError(
            f"decay_curve is for diagonal networks of depth two and the square loss; found {type(flow.net).__name__} "
            f"of degree {flow.net.degree} and {type(flow.problem.loss).__name__}"
        )
    if not decay_rates_are_equal(flow):
        kappas = ", ".join(f"{float(rate):g}" for rate in flow.decay_rates)
        raise ValueError(f"decay_curve needs the same rate × decay for all layers; found {kappas}")
    kappa = float(flow.decay_rates[0])
    if float(times[-1]) * kappa > LATEST:
        raise ValueError(
            f"times must be at most {LATEST / kappa:g} at this decay: later, the scale e^(−κt) leaves the range of "
            f"floating point, and the flow is at its end, lazyrich.limit(flow); found {float(times[-1]):g}"
        )
    undecayed = GradientFlow(flow.net, flow.problem, flow.rates)
    order = jnp.exp(-kappa * times)
    limits = limit(undecayed, scales=order)
    largest = float(jnp.max(jnp.abs(limits.value[-1])))
    log_sides = float(diagonal_potential(flow.net, flow.rates).log_beta_scale)
    rich_time = (log_sides - np.log(largest)) / (2 * kappa) if largest > 0 else np.inf
    return DecayCurve(times, limits.value, _lazy_fit_time(flow), max(float(rich_time), 0.0), limits.by)


def _lazy_fit_time(flow: GradientFlow) -> float:
    """Return when the tangent model's loss has fallen to `FITTED` of the first one."""
    problem = flow.problem
    rates, U = np.linalg.eigh(np.asarray(flow.net.ntk(problem.X, rates=flow.rates)) * float(problem.kappa))
    residual = U.T @ np.asarray(flow.outputs() - problem.y)
    residual = (residual / max(float(np.max(np.abs(residual))), np.finfo(float).tiny)) ** 2
    moving = rates > 1e-12 * np.max(rates, initial=0.0)
    goal = FITTED * np.sum(residual)
    if not np.sum(residual) > 0:
        return 0.0
    if not np.sum(residual[~moving]) < goal:
        return np.inf

    def excess(log_time: float) -> float:
        return float(np.sum(residual * np.exp(-2 * np.where(moving, rates, 0.0) * np.exp(log_time))) - goal)

    from scipy.optimize import brentq

    low, high = np.log(1e-6 / np.max(rates)), np.log(40 / np.min(rates[moving]))
    return float(np.exp(brentq(excess, low, high)))
