"""The limit of a two-layer linear network under weight decay."""

import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, tree_to_numpy, xp
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.networks import DeepLinear, Network
from lazyrich.potentials.nuclear_norm import nuclear_norm_regression
from lazyrich.problem import Problem
from lazyrich.theorems.canonical_coordinates import unit_rate_weights
from lazyrich.theorems.decay import decays_of, every_layer_decays, product_penalty, raise_if_negligible
from lazyrich.theorems.example_flows import (
    RATES,
    replace_in_flow,
    with_logistic_loss,
    with_relu,
    without_decay,
)
from lazyrich.theorems.hypotheses import Defect, square_loss, two_linear_layers
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.theorem import LimitTheorem

SMALL = 1e-12  # relative to the largest singular value of [W₂ᵀ, W₁]: a smaller one is rounding
SMALL_STRENGTH = 1e-10  # relative: the outputs of two candidate solutions that differ by less are the same
TIED = 1e-7  # relative to μ: a singular value of the gradient this close to μ may belong to another solution


def full_rank_start(flow: GradientFlow) -> Defect:
    """The columns of [W₂ᵀ, W₁], one for each input and output, are linearly independent."""
    W, V = unit_rate_weights(flow)
    both = xp.concatenate([V.T, W], axis=1)
    if both.shape[0] < both.shape[1]:
        return float("inf")
    s = xp.linalg.svd(both, compute_uv=False)
    return xp.where(s[-1] > SMALL * s[0], 0.0, 1.0)


def nuclear_norm_limit(flow: GradientFlow) -> tuple[AnyArray, Network, Certificate]:
    r"""A two-layer linear network with weight decay stops at

    $$\beta_\infty = \mathrm{argmin}_\beta\ \tfrac\kappa2\|X\beta - Y\|_F^2 + \sqrt{\lambda_1\lambda_2}\,\|\beta\|_*,$$

    on any data and at any rates, if $Q = [W_2^\top/\sqrt{\eta_2}, W_1/\sqrt{\eta_1}]$ starts with linearly independent
    columns (so the hidden layer is at least as wide as inputs and outputs together). On whitened inputs these are the
    least-squares solution's singular values less $\sqrt{\lambda_1\lambda_2}/\kappa$, where positive.

    Proof: $\dot Q = QK$ with the symmetric $K = -\begin{pmatrix}\kappa_2 & G\\ G^\top & \kappa_1\end{pmatrix}$,
    $\kappa_l = \eta_l\lambda_l$ and G the gradient in β (times $\sqrt{\eta_1\eta_2}$). The objective is analytic and
    coercive, so the flow converges, and K with it. If $\|G\| > \sqrt{\kappa_1\kappa_2}$ at the end, K has a positive
    eigenvalue there, and solutions of $\dot\psi = K\psi$ grow without bound (Perron), hence Q, which does not. So
    $\|G\| \le \sqrt{\kappa_1\kappa_2}$, which with stationarity is optimality. Where the program has several solutions,
    `limit` refuses. The network is right up to a rotation of its hidden units.

    >>> import jax
    >>> from lazyrich import Problem, inits, limit
    >>> net = inits.gaussian(jax.random.key(0), (2, 4, 2))
    >>> limit(GradientFlow(net, Problem(np.eye(2), np.diag([3.0, 0.5])), decay=1.0)).value.round(12) + 0.0
    Array([[2., 0.],
           [0., 0.]], dtype=float64)
    """
    if not is_concrete(flow):
        raise ValueError(
            "the limit of a two-layer network with weight decay is a convex program, which is solved on known numbers: "
            "call lazyrich.limit outside of jit, vmap and grad"
        )
    problem, penalty = tree_to_numpy(flow.problem), float(product_penalty(flow))
    root = np.sqrt(problem.kappa)
    A, Y = root * problem.X, root * problem.y.reshape(problem.n, -1)
    raise_if_negligible(penalty, float(np.linalg.norm(A.T @ Y, 2)))
    beta = nuclear_norm_regression(A, Y, penalty)
    certificate, unique = _certify(A, Y, beta, penalty)
    if not unique:
        raise ValueError(
            "the nuclear-norm program has several solutions on these data, and which of them the flow reaches depends "
            "on its start: follow it with lazyrich.integrate(flow, times), or give more samples"
        )
    return beta.reshape(problem.d, *problem.y.shape[1:]), _network_at(flow, beta), certificate


def _certify(A: AnyArray, Y: AnyArray, beta: AnyArray, penalty: float) -> tuple[Certificate, bool]:
    """Return the violation of the optimality conditions, relative to the penalty, with the duality gap, and whether no
    other predictor satisfies them."""
    residual = Y - A @ beta
    slope = A.T @ residual
    U, s, Vt = np.linalg.svd(beta, full_matrices=False)
    rank = int(np.sum(s > 1e-10 * max(s[0], np.finfo(float).tiny)))
    U, Vt = U[:, :rank], Vt[:rank]
    inside = max(np.linalg.norm(slope @ Vt.T - penalty * U), np.linalg.norm(U.T @ slope - penalty * Vt))
    sizes = np.linalg.svd(slope, compute_uv=False)
    shrink = min(1.0, penalty / max(sizes[0], np.finfo(float).tiny))
    unit = max(float(np.max(np.abs(Y))), float(np.finfo(float).tiny))  # squares of very small labels underflow
    Y, residual, price = Y / unit, residual / unit, penalty / unit * np.sum(s / unit)
    square = np.sum(residual**2)
    gap = 0.5 * square + price - shrink * np.sum(residual * Y) + 0.5 * shrink**2 * square
    certificate = Certificate(
        0.0, max(inside, sizes[0] - penalty) / penalty, float(safe_ratio(gap, 0.5 * np.sum(Y**2)))
    )
    # Any solution is LMRᵀ with M symmetric, L and R being the singular vectors of the gradient with singular value μ.
    left, values, right = np.linalg.svd(slope, full_matrices=False)
    tied = values >= penalty * (1 - TIED)
    if not np.any(tied):
        return certificate, True
    outputs = np.einsum("ni,jc->ijnc", A @ left[:, tied], right[tied])
    i, j = np.triu_indices(len(outputs))
    independent = (outputs + outputs.swapaxes(0, 1))[i, j].reshape(len(i), -1)
    strengths = np.linalg.svd(independent, compute_uv=False)
    fits = len(independent) <= independent.shape[1]
    return certificate, fits and bool(strengths[-1] > SMALL_STRENGTH * strengths[0])


def _network_at(flow: GradientFlow, beta: AnyArray) -> Network:
    """Return a network with this predictor whose layers have the least penalty."""
    net, (decay_1, decay_2) = flow.net, (float(value) for value in decays_of(flow))
    first, second = net.layers
    U, s, Vt = np.linalg.svd(beta, full_matrices=False)
    hidden = np.eye(first.shape[0])[:, : len(s)]
    share = (decay_2 / decay_1) ** 0.25
    W = (hidden * (np.sqrt(s) * share)) @ U.T
    V = (Vt.T * (np.sqrt(s) / share)) @ hidden.T
    return net.with_layers((W.reshape(first.shape), V.reshape(second.shape)))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    problem = Problem(rng.normal(size=(5, 3)), rng.normal(size=(5, 2)))
    return GradientFlow(gaussian(key, (3, 6, 2)), problem, RATES, decay=(0.2, 0.1))


def _with_narrow_layer(flow: GradientFlow) -> GradientFlow:
    """Keep only two hidden units."""
    first, second = flow.net.layers
    return replace_in_flow(flow, net=DeepLinear([first[:2], second[:, :2]]))


THEOREM = LimitTheorem(
    name="nuclear norm",
    title="Weight decay on two linear layers is a nuclear-norm penalty",
    intuition="Decay of two layers acts on their product as a penalty on the sum of its singular values. Weak "
    "singular values are switched off, so decay lowers the rank of what is learned. The hidden layer must be wide "
    "enough to begin with every direction, because a direction that is missing cannot be switched on.",
    claims=(
        "lazyrich2026/two-layers-stop-at-the-nuclear-norm",
        "lazyrich2026/balance-decays",
    ),
    references=(("lazyrich2026", "weight decay"), ("srebro2004", "")),
    hypotheses={
        every_layer_decays: without_decay,
        two_linear_layers: with_relu,
        square_loss: with_logistic_loss,
        full_rank_start: _with_narrow_layer,
    },
    formula=nuclear_norm_limit,
    example=_example,
    up_to_rotation=True,
    covers_decay=True,
)
