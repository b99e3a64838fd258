"""The limit of a diagonal network of depth two under weight decay."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from lazyrich._core.array_namespace import is_concrete, stop_gradient, tree_to_numpy, xp
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal, Network
from lazyrich.networks.diagonal import sum_and_difference
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.potentials.penalized import LassoSolution, lasso
from lazyrich.theorems.canonical_coordinates import forbid_gradient
from lazyrich.theorems.decay import every_layer_decays, product_penalty, raise_if_negligible
from lazyrich.theorems.example_flows import (
    RATES,
    underdetermined_problem,
    with_logistic_loss,
    with_relu,
    with_uneven_decay,
    without_decay,
)
from lazyrich.theorems.hypotheses import (
    depth_two,
    diagonal_network,
    equal_decay_rates,
    square_loss,
)
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.theorem import LimitTheorem


def lasso_limit(flow: GradientFlow) -> tuple[AnyArray, Network, Certificate]:
    r"""A diagonal network of depth two with weight decay stops at the Lasso,

    $$\beta_\infty = \mathrm{argmin}_\beta\ \tfrac\kappa2\|X\beta - y\|^2 + \mu\|\beta\|_1, \qquad
      \mu = \sqrt{\lambda_1\lambda_2}$$

    ($\mu = \lambda/2$ if the layers are tied), on any data and from any start whose rates of decay $\eta_l\lambda_l$
    are equal. A side of a coordinate that starts at zero stays there, and the coordinate keeps the sign of the other.
    The logarithm of each side changes at the rate $\mp2\partial L/\partial\beta_i - 2\mu$, times
    $\sqrt{\eta_1\eta_2}$, so where the flow comes to rest no side can still grow: $|\partial L/\partial\beta_i| \le
    \mu$. Where the Lasso has several solutions, the one that is reached depends on the start, and `limit` refuses.

    >>> from lazyrich import Problem, inits, limit
    >>> flow = GradientFlow(inits.tied_diagonal(3, 0.5), Problem(np.eye(3), [3.0, -2.0, 0.5]), decay=2.0)
    >>> limit(flow).value
    Array([ 2., -1.,  0.], dtype=float64)
    """
    X, y, net, penalty = flow.problem.X, flow.problem.y.reshape(-1), flow.net, product_penalty(flow)
    root = xp.sqrt(flow.problem.kappa)
    A, b, constants = root * X, root * y, stop_gradient(flow)
    if not is_concrete(constants):
        raise ValueError(
            "the Lasso limit is computed by an active set, which jit and vmap cannot trace: call lazyrich.limit "
            "outside of them. grad alone goes through it"
        )
    positive, negative = _sides_alive(constants)
    pull = float(
        np.max(np.abs(np.asarray(constants.problem.X).T @ np.asarray(constants.problem.y).reshape(-1)), initial=0.0)
    )
    raise_if_negligible(float(product_penalty(constants)), float(constants.problem.kappa) * pull)
    solution = _solve(constants, positive, negative)
    if not solution.unique:
        raise ValueError(
            "the Lasso has several solutions on these data (columns that reach the penalty are dependent, duplicated "
            "features say), and which of them the flow reaches depends on its start: follow it with "
            "lazyrich.integrate(flow, times), or drop the dependent features"
        )
    beta = solution.beta if is_concrete(flow) else _differentiable(A, b, penalty, solution.beta)
    return beta, _network_at(net, flow, beta), _certify(constants, solution, positive, negative)


def _sides_alive(flow: GradientFlow) -> tuple[Bool[np.ndarray, " d"], Bool[np.ndarray, " d"]]:
    """Return which coordinates can be positive, and which negative."""
    first, second = diagonal_potential(flow.net, flow.rates).log_initial_sides
    return np.isfinite(np.asarray(first)), np.isfinite(np.asarray(second))


def _solve(flow: GradientFlow, positive: np.ndarray, negative: np.ndarray) -> LassoSolution:
    problem = tree_to_numpy(flow.problem)
    root = np.sqrt(problem.kappa)
    return lasso(root * problem.X, root * problem.y.reshape(-1), float(product_penalty(flow)), positive, negative)


def _differentiable(A: Array, b: Array, penalty: Array, beta: np.ndarray) -> Array:
    """Return β as a function of the data and the penalty, for the support and signs that are known."""
    support = np.flatnonzero(beta)
    columns = A[:, support]
    inside = jnp.linalg.solve(columns.T @ columns, columns.T @ b - penalty * np.sign(beta[support]))
    inside = inside + (beta[support] - stop_gradient(inside))  # the value of the solver, which is more accurate
    return jnp.zeros(len(beta)).at[support].set(inside)


def _certify(flow: GradientFlow, solution: LassoSolution, positive: np.ndarray, negative: np.ndarray) -> Certificate:
    """Return the violation of |Xᵀr| ≤ μ with equality on the support, relative to μ, and the duality gap, relative to
    the loss at zero."""
    problem, penalty = tree_to_numpy(flow.problem), float(product_penalty(flow))
    root = np.sqrt(problem.kappa)
    X, y, beta, residual = root * problem.X, root * problem.y.reshape(-1), solution.beta, solution.residual
    correlation = X.T @ residual
    on = beta != 0
    outside = np.maximum(np.where(positive, correlation, 0.0), np.where(negative, -correlation, 0.0))
    kkt = max(
        np.max(np.abs(correlation - penalty * np.sign(beta))[on], initial=0.0),
        np.max(outside[~on] - penalty, initial=0.0),
    )
    feasibility = np.linalg.norm(X @ beta + residual - y) / max(np.linalg.norm(y), np.finfo(float).tiny)
    shrink = min(1.0, penalty / max(np.max(outside, initial=0.0), np.finfo(float).tiny))
    unit = max(float(np.max(np.abs(y))), np.finfo(float).tiny)  # squares of very small labels underflow
    y, residual, price = y / unit, residual / unit, penalty / unit * np.sum(np.abs(beta / unit))
    gap = 0.5 * residual @ residual + price - shrink * (residual @ y) + 0.5 * shrink**2 * (residual @ residual)
    return Certificate(feasibility, kkt / penalty, float(safe_ratio(gap, 0.5 * y @ y)))


def _network_at(net: Network, flow: GradientFlow, beta: AnyArray) -> Network:
    """Return the network whose sides have grown or shrunk from the start to those of β: one side of each coordinate is
    zero."""
    assert net.signed_factors is not None
    logs = diagonal_potential(net, flow.rates).log_initial_sides
    sizes = xp.stack([xp.maximum(beta, 0.0), xp.maximum(-beta, 0.0)])
    logs = xp.where(xp.isfinite(xp.stack(logs)), xp.stack(logs), 0.0)
    rise, fall = (_root(size) * xp.exp(-log / 2) for size, log in zip(sizes, logs, strict=True))
    factors = xp.stack([rise, fall])
    if len(net.signed_factors) == 1:
        return net.with_layers((net.signed_factors[0] * factors,))
    u, v = net.signed_factors
    # Rates that move alone make the decay uneven, and then the layers at the end depend on the way there.
    first, second = (forbid_gradient(rate, "the rates") for rate in flow.rates)
    ratio = xp.sqrt(first / second)
    up, down = sum_and_difference(u, v, ratio)
    up, down = up * factors, down * factors[::-1]
    return net.with_layers((up + down, (up - down) / ratio))


def _root(size: AnyArray) -> AnyArray:
    """Return √size, with a derivative of zero at zero."""
    alive = size > 0
    return xp.where(alive, xp.sqrt(xp.where(alive, size, 1.0)), 0.0)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    net = Diagonal(list(rng.uniform(0.3, 0.9, size=(2, 2, 5))))
    return GradientFlow(net, underdetermined_problem(rng), RATES, decay=tuple(0.2 / rate for rate in RATES))


def _with_depth_three(flow: GradientFlow) -> GradientFlow:
    """Replace the network by one of depth three."""
    net = Diagonal([np.full((2, flow.problem.d), 0.6)], power=3)
    return GradientFlow(net, flow.problem, decay=0.2)


THEOREM = LimitTheorem(
    name="Lasso",
    title="Weight decay on a diagonal network is the Lasso",
    intuition="The cheapest way to write a coefficient as a product is with factors of equal cost, so decay of "
    "both factors acts on their product as an ℓ1 penalty. The initialization is forgotten, and the network ends "
    "at the Lasso. Its penalty is the geometric mean of the decays of the layers.",
    claims=(
        "lazyrich2026/diagonal-networks-stop-at-the-lasso",
        "lazyrich2026/mirror-variable-decays",
        "lazyrich2026/one-curve-for-all-scales",
        "lazyrich2026/walks-along-the-limits",
    ),
    references=(("lazyrich2026", "weight decay"), ("tibshirani1996", "")),
    hypotheses={
        every_layer_decays: without_decay,
        diagonal_network: with_relu,
        depth_two: _with_depth_three,
        square_loss: with_logistic_loss,
        equal_decay_rates: with_uneven_decay,
    },
    formula=lasso_limit,
    example=_example,
    covers_decay=True,
)
