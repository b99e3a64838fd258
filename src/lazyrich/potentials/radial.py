"""Potentials that depend on the norm of the predictor: single neurons, and deep networks of rank one."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._core.linalg import norms_from_product_and_difference
from lazyrich._core.types import ArrayLike
from lazyrich.potentials.potential import Potential


def _norm_and_direction(beta: Array) -> tuple[Array, Array]:
    """Return ‖β‖ and β/‖β‖, which is 0 at 0."""
    size = jnp.linalg.norm(jnp.where(jnp.any(beta != 0), beta, 1.0))
    size = jnp.where(jnp.any(beta != 0), size, 0.0)
    return size, beta / jnp.where(size > 0, size, 1.0)


class Radial(Potential):
    r"""The potential of a single neuron $\beta = aw$ with $\delta = a^2 - \|w\|^2$, at unit rates.

    Its mirror map is the weight vector itself: $\nabla\varphi = \mathrm{sgn}(a)\,w$ is $\beta/\|\beta\|$ times
    $\|w\| = \sqrt{(\sqrt{\delta^2 + 4\|\beta\|^2} - \delta)/2}$, and the inverse is $z\sqrt{\|z\|^2 + \delta}$. So

    $$\varphi(\beta) = \|w\|^2|a| - \tfrac13\big(|a|^3 - \delta_+^{3/2}\big),$$

    which vanishes at zero. kunin2024's $\Psi_\delta$ (theorem 1) is $\sqrt2\,\varphi$ and azulay2021's
    $\hat q_\delta$ (theorem 2) is $\tfrac32\varphi$, each up to a constant. Upstream, δ → ∞, it is
    $\|\beta\|^2/2\sqrt\delta$; downstream, δ → −∞, it is $\sqrt{|\delta|}\,\|\beta\|$, with a kink at zero.

    >>> phi = Radial(-2.0)
    >>> beta = jnp.array([0.6, -0.8])
    >>> bool(jnp.allclose(phi.inverse(phi.gradient(beta)), beta))
    True
    """

    delta: Float[Array, ""]

    def __init__(self, delta: ArrayLike):
        self.delta = jnp.asarray(delta, float)

    def value(self, beta: Array) -> Float[Array, ""]:
        size, _ = _norm_and_direction(jnp.asarray(beta, float))
        a, w = norms_from_product_and_difference(size, self.delta)
        rest = jnp.sqrt(jnp.maximum(self.delta, 0.0))
        # w²a − (a³ − rest³)/3 with a² − rest² = w², without cancellation
        total = jnp.where(a + rest > 0, a + rest, 1.0)
        up = w**2 * (2 * a**2 + 2 * a * rest - rest**2) / (3 * total)
        down = a * (2 * a**2 - 3 * self.delta) / 3
        return jnp.where(self.delta >= 0, up, down)

    def gradient(self, beta: Array) -> Array:
        size, direction = _norm_and_direction(jnp.asarray(beta, float))
        return norms_from_product_and_difference(size, self.delta)[1] * direction

    def inverse(self, z: Array) -> Array:
        square = jnp.sum(z**2) + self.delta
        return z * jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0)


class DeepRadial(Potential):
    r"""$\varphi(\beta) = \frac{L}{L+1}\|\beta\|^{1+1/L}$: deep linear networks with L balanced layers of rank one.

    L = 2 is azulay2021's proposition 1, and `Radial(0)`; deeper ones are kunin2024's theorem 15 (which counts hidden
    layers). As L → ∞ it is the norm.

    >>> phi = DeepRadial(3)
    >>> beta = jnp.array([0.6, -0.8])
    >>> bool(jnp.allclose(phi.inverse(phi.gradient(beta)), beta))
    True
    """

    depth: int = eqx.field(static=True)

    def __init__(self, depth: int):
        if depth < 1:
            raise ValueError(f"a network has at least one layer; found a depth of {depth}")
        self.depth = int(depth)

    def value(self, beta: Array) -> Float[Array, ""]:
        size, _ = _norm_and_direction(jnp.asarray(beta, float))
        return self.depth / (self.depth + 1) * size ** (1 + 1 / self.depth)

    def gradient(self, beta: Array) -> Array:
        size, direction = _norm_and_direction(jnp.asarray(beta, float))
        return size ** (1 / self.depth) * direction

    def inverse(self, z: Array) -> Array:
        size, direction = _norm_and_direction(jnp.asarray(z, float))
        return size**self.depth * direction
