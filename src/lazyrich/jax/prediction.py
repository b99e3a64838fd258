"""`predict` for JAX arrays, with a derivative that exists even where eigenvalues of the kernel coincide."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._core.types import AnyArray
from lazyrich.tangent.prediction import nonzero_directions, spectral_gains, spectral_response
from lazyrich.tangent.prediction import predict as shared

SERIES_THRESHOLD = 0.1  # below it, the divided difference of (1 − e⁻ᶻ)/z is summed from its series
N_SERIES_TERMS = 9  # terms of the series: 0.1⁹/10! is below the rounding of float64


@jax.custom_jvp
def kernel_response(K: Array, r: Array, times: Array, kappa: AnyArray, ridge: AnyArray) -> Array:
    r"""Return g_t(K) r, with the derivative of Daleckii and Krein, $Q(\Gamma \circ Q^T \dot K Q)Q^T r$ with Γ the
    divided differences of g at the eigenvalues. The derivative of eigenvectors would be 1/0 where two eigenvalues
    are equal."""
    return spectral_response(K, r, times, kappa, ridge)


@kernel_response.defjvp
def _kernel_response_jvp(values: tuple[AnyArray, ...], changes: tuple[AnyArray, ...]) -> tuple[Array, Array]:
    K, r, times, kappa, ridge = values
    dK, dr, *others = changes
    eigenvalues, Q = jnp.linalg.eigh(K)
    of_spectrum = partial(spectral_gains, jnp, jax.lax.stop_gradient(eigenvalues))
    g, dg = jax.jvp(lambda *rest: of_spectrum(*rest), (times, kappa, ridge), tuple(others))
    turned, moved = Q.T @ r, Q.T @ ((dK + dK.T) / 2) @ Q
    inner = jax.vmap(lambda t: (_divided_differences(eigenvalues, t, kappa, ridge) * moved) @ turned)(times)
    inner += dg[:, :, None] * turned + g[:, :, None] * (Q.T @ dr)
    return Q @ (g[:, :, None] * turned), Q @ inner


def _divided_differences(
    eigenvalues: Float[Array, " n"], t: Array, kappa: AnyArray, ridge: AnyArray
) -> Float[Array, "n n"]:
    """Return (g(λᵢ) − g(λⱼ))/(λᵢ − λⱼ), and g′ on the diagonal, without cancellation."""
    nonzero = nonzero_directions(jnp, eigenvalues)
    g = spectral_gains(jnp, eigenvalues, t[None], kappa, ridge)[0]
    rate = jnp.where(nonzero, eigenvalues + ridge, 1.0)
    i, j = (rate[:, None], rate[None, :])
    both = nonzero[:, None] & nonzero[None, :]
    end = jnp.isinf(t)
    a = kappa * jnp.where(end, 1.0, t)
    high, gap = a * jnp.maximum(i, j), a * jnp.abs(i - j)
    # Far apart: the quotient itself. Directions that are never learned have g = 0 at λ = 0.
    level = jnp.where(nonzero, eigenvalues, 0.0)
    apart = level[:, None] - level[None, :]
    direct = (g[:, None] - g[None, :]) / jnp.where(apart == 0, 1.0, apart)
    # Close together, and not small: by the product rule for 1 − exp(−aλ) and 1/λ.
    slope = (
        a * jnp.exp(-a * jnp.minimum(i, j)) * jnp.where(gap == 0, 1.0, -jnp.expm1(-gap) / jnp.where(gap == 0, 1, gap))
    )
    product = slope / j + jnp.expm1(-a * i) / (i * j)
    near = jnp.where(high < SERIES_THRESHOLD, a**2 * _divided_difference_series(a * i, a * j), product)
    difference = jnp.where(both & (gap <= 0.5 * high), near, jnp.where(apart == 0, 0.0, direct))
    return jnp.where(both & end, -1 / (i * j), difference)


def _divided_difference_series(z: Array, w: Array) -> Array:
    """Return the divided difference of (1 − e⁻ᶻ)/z at small z and w: Σₖ (−1)ᵏ hₖ₋₁(z, w)/(k + 1)!, where h are the
    sums of monomials."""
    total = homogeneous = power = jnp.ones_like(z + w)
    total, factor = -0.5 * total, -0.5
    for k in range(2, N_SERIES_TERMS):
        power = power * w
        homogeneous = z * homogeneous + power
        factor *= -1 / (k + 1)
        total = total + factor * homogeneous
    return total


predict = partial(shared, response=kernel_response)
predict.__doc__ = shared.__doc__
