"""The limits of diagonal networks."""

from collections.abc import Sequence

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import eager_or_traced, is_concrete, xp
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal, Network
from lazyrich.potentials.deep_entropy import DeepEntropy
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.potentials.dual_newton import bregman_projection_orthonormal, orthonormal_equations
from lazyrich.potentials.potential import Separable
from lazyrich.problem import Problem
from lazyrich.theorems.canonical_coordinates import forbid_gradient
from lazyrich.theorems.example_flows import (
    RATES,
    underdetermined_problem,
    with_logistic_loss,
    with_one_side,
    with_relu,
    with_unbalanced_layers,
)
from lazyrich.theorems.hypotheses import Defect, diagonal_network, solvable_coordinates, square_loss
from lazyrich.theorems.label_feasibility import feasibility_slack
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.optimality import (
    certify_along_scales,
    certify_optimality,
    refine_along_scales,
    refine_if_doubtful,
    with_uncertainty,
)
from lazyrich.theorems.theorem import LimitTheorem


def reachable_labels(flow: GradientFlow) -> Defect:
    """Coordinates that can have one sign only have it strictly at some solution of least squared error."""
    potential = diagonal_potential(flow.net, flow.rates)
    return feasibility_slack(flow.problem.X, flow.problem.y.reshape(-1), *potential.log_initial_sides)


def diagonal_limit(flow: GradientFlow) -> tuple[Array, Network, Certificate]:
    r"""A diagonal network trained with the square loss stops at

    $$\beta_\infty = \mathrm{argmin}_\beta\,\varphi(\beta) \quad\text{s.t.}\quad X\beta = y$$

    (or at the least squared error, if y cannot be reached), where φ is the hyperbolic entropy $q_k$ at depth 2, any
    initialization, and $q_D$ at depth D > 2, for balanced layers. The mirror map of φ is zero at the start: a biased
    initialization adds the linear term $-\nabla q_k(\beta_0)^\top\beta$, which azulay2021's appendix A leaves out.
    Every coordinate moves along its own curve, so φ also determines the parameters.

    >>> from lazyrich import inits, limit
    >>> flow = GradientFlow(inits.tied_diagonal(2, 1e-3), Problem([[1.0, 2.0]], [2.0]))
    >>> limit(flow, theorem="diagonal bias").value.round(4)          # near (0, 1), of least ℓ1 norm
    Array([0.001 , 0.9995], dtype=float64)
    """
    flow = _forbid_unbalancing_gradients(flow)
    X, y = flow.problem.X, flow.problem.y.reshape(-1)
    potential = diagonal_potential(flow.net, flow.rates)
    rows, target = orthonormal_equations(X, y)
    beta, z = bregman_projection_orthonormal(rows, target, potential)
    certificate = certify_optimality(potential, X, target @ rows, beta, z)
    refined = refine_if_doubtful(potential, X, rows, target, beta, certificate)
    if refined is None:
        return beta, _network_at_limit_dispatch(flow.net, flow.rates, potential, z), with_uncertainty(certificate, X, y)
    minimum, certificate = refined[0], with_uncertainty(refined[1], X, y)
    if isinstance(potential, DeepEntropy):
        return minimum.beta, _multiply_sides(flow.net, potential, *minimum.log_distances), certificate
    return minimum.beta, _network_at_limit_dispatch(flow.net, flow.rates, potential, minimum.z), certificate


def _forbid_unbalancing_gradients(flow: GradientFlow) -> GradientFlow:
    """Return the flow with layers and rates that raise an error if they are differentiated, where three or more
    separate layers must stay balanced."""
    if flow.net.degree == 2 or len(flow.net.layers) == 1 or is_concrete(flow):
        return flow
    still = jax.tree.map(lambda leaf: forbid_gradient(leaf, "layers and rates"), (flow.net, flow.rates))
    return eqx.tree_at(lambda flow: (flow.net, flow.rates), flow, still)


def _limits_at_scales(flow: GradientFlow, scales: Array) -> tuple[Array, Certificate]:
    flow = _forbid_unbalancing_gradients(flow)
    X, y = flow.problem.X, flow.problem.y.reshape(-1)
    potential = diagonal_potential(flow.net, flow.rates)
    rows, target = orthonormal_equations(X, y)
    beta, z = bregman_projection_orthonormal(rows, target, potential, scales)
    logs = xp.log(scales)
    certificate = certify_along_scales(potential, X, target @ rows, beta, z, logs)
    betas, certificate = refine_along_scales(potential, X, rows, target, beta, certificate, logs)
    return betas, with_uncertainty(certificate, X, y)


def _network_at_limit(net: Network, rates: Sequence[AnyArray], potential: Separable, z: Array) -> Network:
    if net.has_mirror_variable:
        return net.at_mirror_variable(z, rates)
    assert isinstance(potential, DeepEntropy)
    (_, _, log_u), (_, _, log_v) = potential._side_terms(z)
    return _multiply_sides(net, potential, log_u, log_v)


def _multiply_sides(net: Network, potential: DeepEntropy, log_u: Array, log_v: Array) -> Network:
    """Return the network with its sides multiplied by factors that are given by their distances from infinity: the
    logarithms of the remaining fraction of each."""
    assert net.signed_factors is not None
    factors = xp.exp(-xp.stack([log_u, log_v]) / (potential.depth - 2))
    flipped = (
        xp.prod(xp.stack([xp.sign(u) for u in net.signed_factors]), axis=0) ** (net.degree // len(net.signed_factors))
        < 0
    )
    factors = xp.where(xp.any(flipped, axis=0), factors[::-1], factors)
    return net.with_layers(tuple(u * factors for u in net.signed_factors))


_network_at_limit_dispatch = eager_or_traced(_network_at_limit, eqx.filter_jit(_network_at_limit))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(Diagonal(list(rng.uniform(0.3, 0.9, size=(2, 2, 5)))), underdetermined_problem(rng), RATES)


def _with_unreachable_sign(flow: GradientFlow) -> GradientFlow:
    """Set one side of the network to zero, and one label to −0.5, which needs that side."""
    return with_one_side(flow, Problem(np.eye(5)[:2], [1.0, -0.5]))


THEOREM = LimitTheorem(
    name="diagonal bias",
    title="From ridgeless regression to sparsity: where diagonal networks stop",
    intuition="Many coefficients fit the data, and the flow picks those of least hyperbolic entropy. From a "
    "large initialization this entropy is a weighted squared norm, as in ridgeless regression; from a small one "
    "it is nearly the ℓ1 norm, and the coefficients are sparse. The passage from one to the other is slow: it "
    "goes with the logarithm of the scale.",
    claims=(
        "azulay2021/diagonal-bias",
        "azulay2021/biased-diagonal-bias",
        "azulay2021/entropy-integral",
        "azulay2021/diagonal-mirror",
        "azulay2021/lazy-entropy",
        "azulay2021/rich-entropy",
        "azulay2021/rich-logarithm",
        "smith2022/interpolation",
        "smith2022/rich-limit",
    ),
    references=(
        ("azulay2021", "theorem 1 and appendix A"),
        ("woodworth2020", "theorems 1 and 3"),
        ("smith2022", "section 4"),
    ),
    hypotheses={
        diagonal_network: with_relu,
        square_loss: with_logistic_loss,
        solvable_coordinates: with_unbalanced_layers,
        reachable_labels: _with_unreachable_sign,
    },
    formula=diagonal_limit,
    example=_example,
    limits_at_scales=_limits_at_scales,
)
