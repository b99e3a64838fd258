"""Hyperbolic entropy: the potential of diagonal networks of depth two."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import (
    array_namespace,
    as_float64_copy,
    has_jax_array,
    ignore_float_errors,
    xp,
)
from lazyrich._core.linalg import abs_right as absolute
from lazyrich._core.linalg import copysign_right
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich.potentials.potential import MirrorMaps, Separable


class HyperbolicEntropy(Separable):
    r"""$\varphi(\beta) = \sum_i\int_0^{\beta_i}z_i$ with $\beta_i = A_ie^{\eta z_i} - B_ie^{-\eta z_i}$.

    Every diagonal network of depth 2 moves its coordinates along such a curve, z being the integral of the gradient and
    so zero at the start. With $\kappa = 2\sqrt{AB}$ and $c = \tfrac12\log(A/B)$ it is
    $\beta = \kappa\sinh(\eta z + c)$, and

    $$\varphi = \frac1\eta\sum_i\Big(\beta_i\,\mathrm{asinh}\frac{\beta_i}{\kappa_i} - \sqrt{\kappa_i^2 + \beta_i^2} +
      \kappa_i - c_i\beta_i\Big).$$

    azulay2021's $q_k$ (their theorem 1) is `HyperbolicEntropy.from_k`: $\sqrt k = 2\kappa$, η = 2; the linear term
    $-c\beta$ is nonzero exactly for a biased initialization, $A \ne B$. As $k \to \infty$ it is
    $\beta^2/2\sqrt k$; as $k \to 0$ it is $\tfrac12\log(1/\sqrt k)\|\beta\|_1$, but only logarithmically. A one-sided
    coordinate, B = 0, has the relative entropy $\beta\log(\beta/A) - \beta$ on β > 0 (so has commuting matrix
    factorization, in the eigenvalues).

    The parameters are log A and log B, so that scales from exp(−3000) to exp(3000) are represented without overflow.

    >>> import jax.numpy as jnp
    >>> q = HyperbolicEntropy.from_k(jnp.log(0.1) * jnp.ones(2))     # from log √k
    >>> beta = jnp.array([0.3, -2.0])
    >>> bool(jnp.allclose(q.inverse(q.gradient(beta)), beta, rtol=1e-14))
    True
    """

    has_full_domain = True
    log_a: Float[Array, " d"]
    log_b: Float[Array, " d"]
    speed: Float[Array, ""]

    def __init__(self, log_a: ArrayLike, log_b: ArrayLike, speed: ArrayLike = 1.0):
        self.log_a, self.log_b = xp.broadcast_arrays(as_float64_copy(log_a), as_float64_copy(log_b))
        self.speed = as_float64_copy(speed)

    @classmethod
    def from_k(cls, log_root_k: ArrayLike) -> "HyperbolicEntropy":
        r"""Return azulay2021's $q_k$, from $\log\sqrt k$ (one number per coordinate)."""
        log_side = xp.asarray(log_root_k, float) - np.log(4.0)
        return cls(log_side, log_side, 2.0)

    @property
    def log_initial_sides(self) -> tuple[Array, Array]:
        return self.log_a, self.log_b

    @property
    def _center(self) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
        """The values log √(AB) and c (for one nonzero side, its logarithm and zero); whether both sides are nonzero;
        and +1 where only A is nonzero, −1 where only B is, 0 where both or neither are."""
        a, b = self.log_a, self.log_b
        xp = array_namespace(a, b)
        lives_a, lives_b = xp.isfinite(a), xp.isfinite(b)
        a, b, two = xp.where(lives_a, a, 0.0), xp.where(lives_b, b, 0.0), lives_a & lives_b
        level, c = xp.where(two, (a + b) / 2, a + b), xp.where(two, (a - b) / 2, 0.0)
        return level, c, two, lives_a.astype(float) - lives_b.astype(float)

    @property
    def start(self) -> Float[Array, " d"]:
        """The β at z = 0."""
        return self.inverse(xp.zeros_like(self.log_a))

    @ignore_float_errors
    def inverse(self, z: Array) -> Array:
        return self.mirror_maps().inverse(z)

    @ignore_float_errors
    def jacobian_diagonal(self, z: Array) -> Array:
        return self.mirror_maps().jacobian_diagonal(z)

    def mirror_maps_by_scale(self) -> Callable[[AnyArray], MirrorMaps]:
        level, c, two, alone = self._center
        speed, both_live = self.speed, not has_jax_array(two) and bool(np.all(two))
        reach = 2 / speed if both_live else xp.where(two | (alone != 0), 2 / speed, np.inf)

        def maps_at(log_factor: AnyArray) -> MirrorMaps:
            size_of = level + 2 * log_factor

            def select_side(both: AnyArray, s: AnyArray, power: int) -> AnyArray:
                """Return the value for both sides, or that of the nonzero side where the other is zero."""
                return both if both_live else xp.where(two, both, alone**power * xp.exp(size_of + alone * s))

            def inverse(z: AnyArray) -> AnyArray:
                s = speed * z + c
                xp, size = array_namespace(s), absolute(s)
                return select_side(copysign_right(-xp.exp(size_of + size) * xp.expm1(-2 * size), s), s, 1)

            def stretch(z: AnyArray) -> AnyArray:
                s = speed * z + c
                xp, size = array_namespace(s), absolute(s)
                return speed * select_side(xp.exp(size_of + size) * (1 + xp.exp(-2 * size)), s, 2)

            return MirrorMaps(inverse, stretch, lambda z: reach, lambda z: np.True_)

        return maps_at

    def step_scale(self, z: Array) -> Array:
        return xp.broadcast_to(self.mirror_maps().step_scale(z), z.shape)

    @property
    def log_beta_scale(self) -> Array:
        return xp.max(xp.maximum(self.log_a, self.log_b))

    @property
    def degree(self) -> int:
        return 2

    def with_scaled_layers(self, log_factor: AnyArray) -> "HyperbolicEntropy":
        return HyperbolicEntropy(self.log_a + 2 * log_factor, self.log_b + 2 * log_factor, self.speed)

    def _log_ratio(self, beta: Array) -> tuple[Array, Array, Array]:
        """Return |β|, log(|β|/κ) and log κ, κ = 2√(AB)."""
        level, _, two, _ = self._center
        xp = array_namespace(beta, level)
        log_kappa = level + xp.where(two, np.log(2.0), 0.0)
        size = xp.where(beta >= 0, beta, -beta)
        return size, xp.log(xp.where(size > 0, size, 1.0)) - log_kappa, log_kappa

    def _ratio_from_log(self, size: Array, ratio: Array) -> Array:
        """Return |β|/κ from its logarithm; at β = 0, where the logarithm is infinite, with the same derivative."""
        return xp.where(size > 0, xp.exp(ratio), size * xp.exp(xp.minimum(ratio, 700.0)))

    @ignore_float_errors
    def gradient(self, beta: Array) -> Array:
        _, c, two, side = self._center
        xp = array_namespace(beta, c)
        beta = xp.asarray(beta, float)
        size, ratio, _ = self._log_ratio(beta)
        far = ratio > 20
        u = self._ratio_from_log(size, xp.where(far, 0.0, ratio))
        near = xp.log1p(u + u**2 / (1 + xp.sqrt(1 + u**2)))
        asinh = xp.where(beta >= 0, 1.0, -1.0) * xp.where(far & (size > 0), ratio + np.log(2.0), near)
        alone = xp.where(beta * side > 0, side * ratio, -np.inf * side)
        return xp.where(two, asinh - c, alone) / self.speed

    @ignore_float_errors
    def terms(self, beta: Array) -> Array:
        _, c, two, side = self._center
        xp = array_namespace(beta, c)
        beta = xp.asarray(beta, float)
        size, ratio, log_kappa = self._log_ratio(beta)
        far = ratio > 20
        u = self._ratio_from_log(size, xp.where(far, 0.0, ratio))
        root = xp.sqrt(1 + u**2)
        near = size * (xp.log1p(u + u**2 / (1 + root)) - u / (1 + root))
        distant = size * (ratio + np.log(2.0) - 1) + xp.exp(log_kappa)
        both = xp.where(far & (size > 0), distant, near) - c * beta
        alone = xp.where(beta * side > 0, size * (ratio - 1), xp.where(beta == 0, 0.0, np.inf))
        return xp.where(two, both, alone) / self.speed

    @ignore_float_errors
    def conjugate(self, z: Array) -> Float[Array, ""]:
        level, c, two, alone = self._center
        s = self.speed * z + c
        xp = array_namespace(s)
        size = xp.where(s >= 0, s, -s)
        # 2√(AB)(cosh s − 1), written without subtracting a constant
        both = (
            4
            * xp.exp(level + xp.where(size > 60, size, 0.0))
            * xp.where(size > 60, 0.25, xp.sinh(xp.where(size > 60, 0.0, size) / 2) ** 2)
        )
        return xp.sum(xp.where(two, both, alone**2 * xp.exp(level + alone * s)) / self.speed)
