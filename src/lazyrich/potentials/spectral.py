"""Potentials of matrices, through their singular values or eigenvalues."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_array, check_positive
from lazyrich.potentials.entropy import HyperbolicEntropy
from lazyrich.potentials.potential import Potential


class SpectralEntropy(Potential):
    r"""$\varphi(\beta) = \tfrac12\sum_i\big(\sigma_i\,\mathrm{asinh}(\sigma_i/\gamma) - \sqrt{\sigma_i^2 + \gamma^2} +
    \gamma\big)$ over the singular values of β.

    It is the potential of the mirror flow of a two-layer network's singular values from the orthogonal initialization
    (varre2023, theorem 3.2, with the ½ that its second term lacks in print). As γ → 0 it is
    $\tfrac12\log(1/\gamma)$ times the nuclear norm.

    >>> phi = SpectralEntropy(0.1)
    >>> beta = jnp.array([[0.3, 0.1], [0.0, -2.0]])
    >>> bool(jnp.allclose(phi.inverse(phi.gradient(beta)), beta))
    True
    """

    gamma: Float[Array, ""]

    def __init__(self, gamma: ArrayLike):
        self.gamma = check_positive("gamma", gamma)

    @property
    def _scalar_potential(self) -> HyperbolicEntropy:
        log_side = jnp.log(self.gamma / 2)
        return HyperbolicEntropy(log_side, log_side, 2.0)

    def value(self, beta: Array) -> Float[Array, ""]:
        return jnp.sum(self._scalar_potential.terms(jnp.linalg.svd(jnp.asarray(beta, float), compute_uv=False)))

    def _apply_to_singular_values(self, matrix: Array, inverse: bool) -> Array:
        U, s, Vt = jnp.linalg.svd(jnp.asarray(matrix, float), full_matrices=False)
        return (U * (self._scalar_potential.inverse(s) if inverse else self._scalar_potential.gradient(s))) @ Vt

    def gradient(self, beta: Array) -> Array:
        return self._apply_to_singular_values(beta, False)

    def inverse(self, z: Array) -> Array:
        return self._apply_to_singular_values(z, True)


class MatrixEntropy(Potential):
    r"""$\varphi(Z) = \mathrm{tr}(Z\log Z - Z - Z\log Z_0)$ for positive definite Z: relative entropy from $Z_0$.

    A factored matrix $Z = UU^\top$ follows its mirror flow when its measurements commute with each other and with $Z_0$
    (Gunasekar et al. 2017; smith2022, theorem 1, is its limit $Z_0 \to 0$, the nuclear norm). The mirror map
    $\log Z - \log Z_0$ is zero at the start.

    >>> phi = MatrixEntropy(0.1 * jnp.eye(2))
    >>> Z = jnp.array([[0.5, 0.2], [0.2, 1.0]])
    >>> bool(jnp.allclose(phi.inverse(phi.gradient(Z)), Z))
    True
    """

    log_start: Float[Array, "m m"]

    def __init__(self, start: ArrayLike):
        self.log_start = _matrix_function(check_array("start", start, (2,)), jnp.log)

    def value(self, beta: Array) -> Float[Array, ""]:
        Z = jnp.asarray(beta, float)
        values = jnp.linalg.eigvalsh(Z)
        safe = jnp.where(values > 0, values, 1.0)
        return jnp.sum(jnp.where(values > 0, safe * jnp.log(safe) - safe, 0.0)) - jnp.sum(Z * self.log_start)

    def gradient(self, beta: Array) -> Array:
        return _matrix_function(jnp.asarray(beta, float), jnp.log) - self.log_start

    def inverse(self, z: Array) -> Array:
        return _matrix_function(z + self.log_start, jnp.exp)


def _matrix_function(matrix: Array, f: Callable[[Array], Array]) -> Array:
    """Return f of a symmetric matrix."""
    values, Q = jnp.linalg.eigh((matrix + matrix.T) / 2)
    return (Q * f(values)) @ Q.T


class LogDet(Potential):
    r"""$\varphi(W_1, W_2) = \tfrac12\|W_1\|_F^2 + \tfrac12\|W_2\|_F^2 - \gamma\log\det(W_1^\top W_1)$, on a pair.

    Two-layer networks minimize it among all interpolating pairs of layers when they start from
    $W_1 = \sqrt{2\gamma}P$, $W_2 = 0$ (varre2023, theorem 3.1). $W_1$ has shape (h, d), h ≥ d. It is convex in the
    singular values; gradient and inverse take and return pairs.

    >>> phi = LogDet(0.5)
    >>> W = (jnp.array([[1.0, 0.2], [0.0, 2.0], [0.3, 0.1]]), jnp.ones((1, 3)))
    >>> bool(jnp.allclose(phi.inverse(phi.gradient(W))[0], W[0]))
    True
    """

    gamma: Float[Array, ""]

    def __init__(self, gamma: ArrayLike):
        self.gamma = check_positive("gamma", gamma)

    def value(self, beta: PyTree) -> Float[Array, ""]:
        W1, W2 = (jnp.asarray(W, float) for W in beta)
        s = jnp.linalg.svd(W1, compute_uv=False)
        return (jnp.sum(W1**2) + jnp.sum(W2**2)) / 2 - 2 * self.gamma * jnp.sum(jnp.log(s))

    def gradient(self, beta: PyTree) -> PyTree:
        W1, W2 = (jnp.asarray(W, float) for W in beta)
        U, s, Vt = jnp.linalg.svd(W1, full_matrices=False)
        return (U * (s - 2 * self.gamma / s)) @ Vt, W2

    def inverse(self, z: PyTree) -> PyTree:
        Z1, Z2 = (jnp.asarray(Z, float) for Z in z)
        # s − 2γ/s = ±σ. The singular vectors are those of Z₁, which alone does not determine the sign of σ. It is taken
        # as positive, which is wrong only if W₁ᵀW₁ − 2γ has negative directions; an orthogonal start never produces
        # them.
        U, t, Vt = jnp.linalg.svd(Z1, full_matrices=False)
        return (U * ((t + jnp.sqrt(t**2 + 8 * self.gamma)) / 2)) @ Vt, Z2

    def hessian(self, beta: PyTree) -> PyTree:
        """Return the Hessian as a pair of pairs of arrays, as `jax.hessian` does."""
        return jax.hessian(self.value)(tuple(jnp.asarray(W, float) for W in beta))

    def bregman(self, beta: PyTree, start: PyTree) -> Float[Array, ""]:
        slope = self.gradient(start)
        shift = sum(jnp.sum(g * (jnp.asarray(W) - jnp.asarray(V))) for g, W, V in zip(slope, beta, start, strict=True))
        return self.value(beta) - self.value(start) - shift

    def conjugate(self, z: PyTree) -> Float[Array, ""]:
        beta = self.inverse(z)
        return sum(jnp.sum(a * b) for a, b in zip(z, beta, strict=True)) - self.value(beta)
