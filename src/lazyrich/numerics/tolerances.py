"""How small the error of a step must be, in each of the variables in which a flow is integrated.

A user asks for a relative error `rtol` of the network. Two lengths turn it into an absolute error of a coordinate: the
unit of the coordinate, and the `reach`: the distance that each coordinate must move to fit the labels, estimated at the
start. In a lazy network the reach is the smaller of the two. Its inverse is the sensitivity of the outputs: the change
of the outputs, relative to the residual, that an error of one in every coordinate causes.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array

from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.population import Population

FLOAT64_ROUNDING = 2 * float(jnp.finfo(float).eps)  # relative: a smaller error cannot be detected
MIN_RTOL = 2e-14  # smallest relative tolerance that steps in float64 can satisfy
LSODA_MIN_RTOL = 3e-14  # LSODA accepts no smaller relative tolerance
MAX_OUTPUT_UNCERTAINTY = 1e-6  # relative to the residual; a larger uncertainty is reported

# Values of rtol if none is given: for smooth networks, for piecewise-linear ones, for those that are followed from kink
# to kink, and in single precision.
SMOOTH_RTOL, PIECEWISE_RTOL, KINK_TO_KINK_RTOL, SINGLE_RTOL = 1e-10, 1e-11, 1e-12, 3e-2
# Range of rtol for a flow that slides on kinks; the tightest that the number of steps permits is chosen.
MIN_SLIDING_RTOL, MAX_SLIDING_RTOL = 1e-4, 1e-2
POWER_ITERATIONS = 8


class Tolerances(NamedTuple):
    """The relative and the absolute error that a step may have in each coordinate."""

    rtol: AnyArray | float
    atol: AnyArray | float


def parameter_tolerances(rtol: AnyArray | float, sizes: Array, reach: AnyArray | float) -> Tolerances:
    """Return the tolerances of parameters, from the root mean square of each layer and the reach.

    A relative error at a small initialization becomes a shift in time, so the smallest layer sets the unit.
    """
    smallest = jnp.min(jnp.where(sizes > 0, sizes, jnp.inf))
    unit = jnp.where(jnp.isfinite(smallest), smallest, 1.0)
    return Tolerances(rtol, jnp.maximum(rtol * jnp.minimum(unit, reach), FLOAT64_ROUNDING * jnp.max(sizes)))


def mirror_tolerances(rtol: Array, unit: Array, reach: Array) -> Tolerances:
    """Return the tolerances of the mirror variable ν, from the change that multiplies a parameter by a factor.

    The factor 2.5 was measured: with it the parameters are as accurate as by integrating them. Only differences of ν
    matter. Where labels cannot be reached, ν grows without bound, and so does its rounding.
    """
    atol = jnp.maximum(rtol * jnp.minimum(2.5 * unit, reach), FLOAT64_ROUNDING * unit)
    return Tolerances(2 * FLOAT64_ROUNDING * jnp.ones(()), atol)


def predictor_tolerances(rtol: Array, reach: Array) -> Tolerances:
    """Return the tolerances of N = asinh(A/s)/2.

    An error of N is a relative error of A or, in a lazy network, one of A/s. The factor 1/4 was measured: with it the
    parameters are as accurate as by integrating them.
    """
    atol = jnp.maximum(rtol / 4 * jnp.minimum(1.0, reach), np.finfo(float).tiny)
    return Tolerances(FLOAT64_ROUNDING * jnp.ones(()), atol)


def mode_tolerances(rtol: Array, growth: Array) -> Tolerances:
    """Return the tolerances of coordinates that are measured in their own sizes and whose errors grow by a factor."""
    tight = jnp.maximum(rtol / growth, MIN_RTOL)
    return Tolerances(tight, tight)


def uncertainty_warning(uncertainty: float) -> str:
    """Return a warning if rounding leaves the outputs uncertain, else ""."""
    if uncertainty <= MAX_OUTPUT_UNCERTAINTY:  # false for NaN
        return ""
    return f"; rounding at this scale leaves the outputs uncertain by {uncertainty:.0e} of what they have to go"


def residual_norm(flow: GradientFlow) -> Array:
    """Return the norm of the residual; for losses without a target, that of a residual of one per sample."""
    if not flow.problem.has_samples:
        size = jnp.sqrt(2 * flow.loss() / flow.problem.kappa)
        return jnp.where(size > 0, size, 1.0)
    if flow.problem.loss.is_margin_loss:
        return jnp.sqrt(1.0 * flow.problem.n)
    size = jnp.linalg.norm((flow.outputs() - flow.problem.y).ravel())
    return jnp.where(size > 0, size, 1.0)


def parameter_sensitivity(flow: GradientFlow) -> Array:
    """Return the sensitivity of the outputs to errors of the parameters."""
    parameters = sum(leaf.size for leaf in jax.tree.leaves(flow.net.layers))
    norm = _jacobian_and_kernel_norms(flow)[0] if flow.problem.has_samples else _population_jacobian_norm(flow)
    return norm * jnp.sqrt(parameters) / residual_norm(flow)


def mirror_sensitivity(flow: GradientFlow) -> Array:
    """Return the sensitivity of the outputs to errors of the mirror variable, in which they change as df = K dν."""
    return _jacobian_and_kernel_norms(flow)[1] * jnp.sqrt(flow.problem.n) / residual_norm(flow)


def _jacobian_and_kernel_norms(flow: GradientFlow) -> tuple[Array, Array]:
    """Return lower bounds of ‖J‖ and ‖K‖ at the start, by power iteration on K = Σ η_l J_l J_lᵀ."""
    net, X = flow.net, flow.problem.X
    vector = jnp.cos(1.0 + jnp.arange(flow.problem.y.size) ** 2).reshape(net(X).shape)

    def multiply(_: int, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        pulled = net.pullback(X, _normalize(state[0]))
        gain = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(pulled)))
        pushed = tuple(jax.tree.map(lambda leaf, r=r: r * leaf, p) for r, p in zip(flow.rates, pulled, strict=True))
        image = jax.jvp(lambda layers: net.with_layers(layers)(X), (net.layers,), (pushed,))[1]
        return image, gain, jnp.linalg.norm(image)

    zero = jnp.zeros(())
    return jax.lax.fori_loop(0, POWER_ITERATIONS, multiply, (vector, zero, zero))[1:]


def _population_jacobian_norm(flow: GradientFlow) -> Array:
    """Return a lower bound of the root mean square of ‖J‖ at the start, by power iteration on E JᵀJ."""
    population = flow.problem
    assert isinstance(population, Population)
    flat, unravel = ravel_pytree(flow.net.layers)

    def multiply(_: int, state: tuple[Array, Array]) -> tuple[Array, Array]:
        image = ravel_pytree(population.gauss_newton_product(flow.net, unravel(_normalize(state[0]))))[0]
        return image, jnp.sqrt(jnp.linalg.norm(image))

    vector = jnp.cos(1.0 + jnp.arange(flat.size) ** 2)
    return jax.lax.fori_loop(0, POWER_ITERATIONS, multiply, (vector, jnp.zeros(())))[1]


def _normalize(vector: Array) -> Array:
    """Return a vector divided by its norm; zeros stay."""
    norm = jnp.linalg.norm(vector)
    return vector / jnp.where(norm > 0, norm, 1.0)
