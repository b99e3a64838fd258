"""Compare the tangent kernels of two networks, on inputs."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.power_of_two_scaling import normalize
from lazyrich._core.types import AnyArray, LayerRates
from lazyrich.networks.network import Network


def unit_network(net: Network) -> tuple[Network, AnyArray]:
    """Return the network with its parameters divided by a power of two, and the exponent.

    A network that is not known to be homogeneous, or has arrays outside of its layers, is returned unchanged with
    exponent 0.
    """
    has_constants = len(jax.tree.leaves(net)) > len(jax.tree.leaves(net.layers))  # arrays outside of the layers
    if net.degree is None or has_constants:
        return net, np.zeros((), int)
    layers, exponent = normalize(net.layers)
    return net.with_layers(layers), exponent


def unit_inputs(net: Network, X: Array) -> tuple[Array, AnyArray]:
    """Return the inputs divided by a power of two, and the exponent; unchanged, with exponent 0, if outputs do not
    scale with them."""
    scales = net.linear_in_inputs or net.neuron_parameters is not None
    return normalize(X) if scales and net.degree is not None else (X, np.zeros((), int))


def safe_ratio(numerator: Array, denominator: Array) -> Array:
    """Return numerator / denominator, with 0/0 = 0."""
    return jnp.where(numerator == 0, 0.0, numerator / jnp.where(numerator == 0, 1.0, denominator))


def kernel_matrix(net: Network, X: Array, rates: LayerRates) -> Array:
    """Return the tangent kernel as a square matrix, with a row for each input and output."""
    kernel = net.ntk(X, None, rates)
    size = kernel.shape[0] * (kernel.shape[1] if kernel.ndim == 4 else 1)
    return kernel.reshape(size, size)


def unit_kernel(net: Network, X: Array, rates: LayerRates) -> tuple[Array, AnyArray]:
    """Return the kernel divided by a power of two, and the exponent. For degree D, K(cθ) = c^{2D − 2}K(θ)."""
    unit, size = unit_network(net)
    X, x = unit_inputs(net, X)
    K, k = normalize(kernel_matrix(unit, X, rates))
    return K, k + 2 * ((unit.degree or 1) - 1) * size + 2 * x


def _frobenius_inner(K: Array, L: Array) -> Array:
    """Return ⟨K, L⟩. Rows are summed in the arrays' precision, which is fast, and the row sums in float64, which is
    exact enough for float32 kernels."""
    return jnp.sum(jnp.sum(K * L, axis=-1), dtype=float)


def cosine_distance(K: Array, K0: Array) -> Array:
    r"""Return $1 - \langle K, K_0\rangle / (\|K\|\,\|K_0\|)$, without cancellation when the two are nearly parallel.

    With r the sine of the angle, $\|K - cK_0\|/\|K\|$ at the best c, the distance is $r^2/(1 + \sqrt{1 - r^2})$.
    """
    # Scaled to unit size first, so that squares neither overflow nor underflow.
    K, K0 = (safe_ratio(k, jnp.max(jnp.abs(k))) for k in (K, K0))
    inner, square, square0 = _frobenius_inner(K, K0), _frobenius_inner(K, K), _frobenius_inner(K0, K0)
    rest = K - safe_ratio(inner, square0).astype(K.dtype) * K0
    sine2 = jnp.minimum(safe_ratio(_frobenius_inner(rest, rest), square), 1.0)
    near = safe_ratio(sine2, 1 + jnp.sqrt(1 - sine2))
    far = 1 - safe_ratio(inner, jnp.sqrt(square * square0))
    return jnp.where(inner > 0, near, far)


def kernel_distance_between(X: Array, rates: LayerRates, net: Network, reference: Network) -> Array:
    """Return S between two networks: 1 if one kernel is zero, 0 if both are."""
    K, K0 = (unit_kernel(each, X, rates)[0] for each in (net, reference))
    one_zero = jnp.all(K == 0) ^ jnp.all(K0 == 0)
    both_zero = jnp.all(K == 0) & jnp.all(K0 == 0)
    return jnp.where(both_zero, 0.0, jnp.where(one_zero, 1.0, cosine_distance(K, K0)))
