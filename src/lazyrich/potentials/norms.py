"""Norms: the limits of the potentials of networks in the lazy and the rich regime."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._core.types import ArrayLike, LayerRates
from lazyrich._validate.arrays import check_array
from lazyrich.networks import Network
from lazyrich.potentials.potential import Potential


class L2(Potential):
    r"""$\tfrac12\|\beta\|^2$: gradient flow of linear regression, and every rotation-invariant lazy limit."""

    def value(self, beta: Array) -> Float[Array, ""]:
        return jnp.sum(jnp.asarray(beta, float) ** 2) / 2

    def gradient(self, beta: Array) -> Array:
        return jnp.asarray(beta, float)

    def inverse(self, z: Array) -> Array:
        return jnp.asarray(z, float)


class Mahalanobis(Potential):
    r"""$\tfrac12\beta^\top B\beta$: the RKHS norm of the tangent kernel $K(x, x') = x^\top B^{-1}x'$.

    `Mahalanobis.of(net)` takes B from the initial kernel of a linear network with one output: its lazy limit.

    >>> from lazyrich import inits
    >>> Mahalanobis.of(inits.tied_diagonal(2, alpha=0.5)).B * 8 * 0.5**2     # smith2022: the kernel is 8α²⟨x, x'⟩
    Array([[1., 0.],
           [0., 1.]], dtype=float64)
    """

    B: Float[Array, "d d"]

    def __init__(self, B: ArrayLike):
        self.B = check_array("B", B, (2,))
        if self.B.shape[0] != self.B.shape[1]:
            raise ValueError(f"B must be square; found shape {self.B.shape}")

    @classmethod
    def of(cls, net: Network, rates: LayerRates = None) -> "Mahalanobis":
        """Return the norm of a linear network's initial tangent kernel, which must be invertible."""
        if not isinstance(net, Network) or not net.linear_in_inputs or net.n_inputs_outputs[1] != 1:
            raise TypeError("Mahalanobis.of takes a linear network with one output")
        d = net.n_inputs_outputs[0]
        return cls(jnp.linalg.inv(net.ntk(jnp.eye(d), None, rates).reshape(d, d)))

    def value(self, beta: Array) -> Float[Array, ""]:
        return jnp.asarray(beta, float) @ self.B @ beta / 2

    def gradient(self, beta: Array) -> Array:
        return self.B @ jnp.asarray(beta, float)

    def inverse(self, z: Array) -> Array:
        return jnp.linalg.solve(self.B, z)


class _Norm(Potential):
    """A norm is convex, but not strictly convex: its gradient is a subgradient and has no inverse."""

    def inverse(self, z: Array) -> Array:
        raise ValueError(f"{type(self).__name__} is not strictly convex, so its mirror map has no inverse")


class L1(_Norm):
    r"""$\|\beta\|_1$, the rich limit of diagonal networks; its gradient is the sign."""

    def value(self, beta: Array) -> Float[Array, ""]:
        return jnp.sum(jnp.abs(jnp.asarray(beta, float)))

    def gradient(self, beta: Array) -> Array:
        return jnp.sign(jnp.asarray(beta, float))


class Nuclear(_Norm):
    r"""$\|\beta\|_*$, the sum of the singular values; its gradient is $UV^\top$ on the singular vectors in use."""

    def value(self, beta: Array) -> Float[Array, ""]:
        return jnp.sum(jnp.linalg.svd(jnp.asarray(beta, float), compute_uv=False))

    def gradient(self, beta: Array) -> Array:
        U, s, Vt = jnp.linalg.svd(jnp.asarray(beta, float), full_matrices=False)
        return (U * (s > s[0] * max(jnp.shape(beta)) * jnp.finfo(float).eps)) @ Vt
