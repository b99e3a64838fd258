"""Models that are affine in their parameters, with weight decay: the flow of ridge regression."""

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import eager_or_traced, is_concrete, xp
from lazyrich._core.linalg import exponential_decay
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.theorems.equations import DECAYED_LINEAR
from lazyrich.theorems.example_flows import underdetermined_problem, with_decay, with_logistic_loss, with_relu
from lazyrich.theorems.hypotheses import affine_in_parameters, square_loss
from lazyrich.theorems.regression import (
    PRODUCT_ROUNDING,
    as_regression,
    decompose,
    evolve_from_zero,
    relative_uncertainty,
)
from lazyrich.theorems.theorem import TrajectoryTheorem
from lazyrich.theorems.trajectories.affine import refuse_uncertain


def ridge_flow(flow: GradientFlow, times: Float[Array, " t"]) -> Layers:
    r"""A model that is affine in its parameters, with the square loss and weight decay, one rate per layer: ridge
    regression, and the tangent model of any network.

    With $\varphi = \theta/\sqrt\eta$, $A = \sqrt\kappa J\sqrt\eta$ and $k = \eta\lambda$ the flow is
    $\dot\varphi = A^\top(r - A\varphi) - k\varphi$, where r is what the model misses at θ = 0. If k is the same number
    for all layers, then in each singular vector $u, v$ of A

    $$v\cdot\varphi(t) = e^{-(s^2 + k)t}\,v\cdot\varphi_0 + s\,u\cdot r\,\frac{1 - e^{-(s^2 + k)t}}{s^2 + k},$$

    and the rest of φ decays as $e^{-kt}$. Otherwise the rows $\sqrt k$ are added to A, with labels of zero: the same
    flow without decay. Decay pulls the parameters of a tangent model to zero, not to the point of its expansion.

    >>> from lazyrich import DeepLinear, Problem, exact
    >>> flow = GradientFlow(DeepLinear([[[0.0, 3.0]]]), Problem([[2.0, 0.0]], [2.0]), decay=1.0)    # 4/(4 + 1), and 0
    >>> exact(flow, [0.5, 1e6], theorem="ridge flow").beta.round(12)
    Array([[0.734332  , 1.81959198],
           [0.8       , 0.        ]], dtype=float64)
    """
    A, r, layers = as_regression(flow)
    start = _start(flow, r.shape[1])
    rates = flow.decay_rates
    if is_concrete(rates) and np.ptp([float(rate) for rate in rates]) == 0:
        w, uncertain = _evolve_dispatch(A, r, start, rates[0], times)
    else:
        sizes = [sum(leaf.size for leaf in jax.tree.leaves(layer)) for layer in flow.net.layers]
        roots = xp.concatenate([xp.sqrt(rate) * np.ones(size) for rate, size in zip(rates, sizes, strict=True)])
        roots = roots[: len(start)]  # outputs that share their inputs share their decay
        rows, labels = roots[:, None] * np.eye(len(start)), -roots[:, None] * start
        w, uncertain = evolve_from_zero(xp.concatenate([A, rows]), xp.concatenate([r, labels]), times)
    return layers(refuse_uncertain(w, uncertain))


def _start(flow: GradientFlow, outputs: int) -> AnyArray:
    """Return θ₀/√η in the order of the Jacobian's columns; one column per output if these share their inputs."""
    leaves = [
        (leaf / xp.sqrt(rate)).reshape(-1)
        for rate, layer in zip(flow.rates, flow.net.layers, strict=True)
        for leaf in jax.tree.leaves(layer)
    ]
    weights = flow.net.weight_matrices
    if weights is not None and len(weights) == 1:
        return leaves[0].reshape(outputs, -1).T
    return xp.concatenate(leaves)[:, None]


def _evolve(A: AnyArray, r: AnyArray, start: AnyArray, k: AnyArray, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return φ(t) − φ₀ for one rate of decay, and its relative uncertainty due to rounding."""
    U, s, V = decompose(A)
    along = U.T @ r
    fade, tau = exponential_decay(s**2 + k, t[:, None])
    settled, fade = (s * tau)[:, :, None], fade[:, :, None]
    w = V @ (settled * along)
    # One step of iterative refinement, as without decay.
    pulled = V.T @ w
    missed = U.T @ (r - A @ w) - fade * along
    step = V @ (settled * missed - (k * tau)[:, :, None] * pulled)
    blur = PRODUCT_ROUNDING * (xp.abs(V) @ (settled * (xp.abs(U).T @ (xp.abs(A) @ xp.abs(w)))))
    uncertain = relative_uncertainty(A, r, w, xp.maximum(xp.abs(step), blur), s[0] * tau[:, 0])
    progress = k * exponential_decay(k, t)[1]
    shrunk = progress[:, None, None] * start + V @ ((k * tau - progress[:, None])[:, :, None] * (V.T @ start))
    return w + step - shrunk, xp.max(uncertain)


_evolve_dispatch = eager_or_traced(_evolve, eqx.filter_jit(_evolve))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return with_decay(GradientFlow(gaussian(key, (5, 2)), underdetermined_problem(rng, c=2), 0.7))


THEOREM = TrajectoryTheorem(
    name="ridge flow",
    title="Ridge regression in time",
    intuition="In a model that is affine in its parameters, weight decay pulls every parameter to zero while the "
    "data pull it to the fit. In each singular direction of the inputs the two forces add up to one exponential. "
    "The flow ends at the ridge solution, and directions that no sample touches decay to zero.",
    claims=("smith2022/kernel-method",),
    references=(("lazyrich2026", "weight decay"), ("smith2022", "section 3.2"), ("jacot2018", "")),
    hypotheses={affine_in_parameters: with_relu, square_loss: with_logistic_loss},
    formula=ridge_flow,
    example=_example,
    covers_decay=True,
    equations=(DECAYED_LINEAR,),
    special_cases=(("ridge regression", "Hoerl and Kennard 1970"), ("tangent model of any network", "")),
)
