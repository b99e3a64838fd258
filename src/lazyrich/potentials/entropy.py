"""Hyperbolic entropy: the potential of diagonal networks of depth two."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich.potentials.potential import Separable


def _log_cosh_sinh(s: Array) -> tuple[Array, Array, Array]:
    """|s|, 1 − e^{−2|s|}, 1 + e^{−2|s|}."""
    size = jnp.where(s >= 0, s, -s)
    return size, -jnp.expm1(-2 * size), 1 + jnp.exp(-2 * size)


class HyperbolicEntropy(Separable):
    r"""$\varphi(\beta) = \sum_i\int_0^{\beta_i}z_i$ with $\beta_i = A_ie^{\eta z_i} - B_ie^{-\eta z_i}$.

    Every diagonal network of depth 2 moves its coordinates along such a curve, z being the integral of the gradient
    and so zero at the start. With $\kappa = 2\sqrt{AB}$ and $c = \tfrac12\log(A/B)$ it is
    $\beta = \kappa\sinh(\eta z + c)$, and

    $$\varphi = \frac1\eta\sum_i\Big(\beta_i\,\mathrm{asinh}\frac{\beta_i}{\kappa_i} - \sqrt{\kappa_i^2 + \beta_i^2} +
      \kappa_i - c_i\beta_i\Big).$$

    azulay2021's $q_k$ (their theorem 1) is `HyperbolicEntropy.from_k`: $\sqrt k = 2\kappa$, η = 2; the linear term
    $-c\beta$ is there exactly for a biased initialization, $A \ne B$. As $k \to \infty$ it is
    $\beta^2/2\sqrt k$; as $k \to 0$ it is $\tfrac12\log(1/\sqrt k)\|\beta\|_1$, but only logarithmically. A one-sided
    coordinate, B = 0, has the relative entropy $\beta\log(\beta/A) - \beta$ on β > 0 (so has commuting matrix
    factorisation, in the eigenvalues).

    The parameters are log A and log B, so that scales of e^{±3000} are as good as others.

    >>> import jax.numpy as jnp
    >>> q = HyperbolicEntropy.from_k(jnp.log(0.1) * jnp.ones(2))     # from log √k
    >>> beta = jnp.array([0.3, -2.0])
    >>> bool(jnp.allclose(q.inverse(q.gradient(beta)), beta, rtol=1e-14))
    True
    """

    log_a: Float[Array, " d"]
    log_b: Float[Array, " d"]
    speed: Float[Array, ""]

    def __init__(self, log_a: Any, log_b: Any, speed: Any = 1.0):
        self.log_a, self.log_b = jnp.broadcast_arrays(jnp.asarray(log_a, float), jnp.asarray(log_b, float))
        self.speed = jnp.asarray(speed, float)

    @classmethod
    def from_k(cls, log_root_k: Any) -> "HyperbolicEntropy":
        r"""azulay2021's $q_k$, from $\log\sqrt k$ (one number per coordinate)."""
        log_side = jnp.asarray(log_root_k, float) - jnp.log(4.0)
        return cls(log_side, log_side, 2.0)

    @property
    def log_sides(self) -> tuple[Array, Array]:
        return self.log_a, self.log_b

    @property
    def _two(self) -> Array:
        return jnp.isfinite(self.log_a) & jnp.isfinite(self.log_b)

    @property
    def _centre(self) -> tuple[Array, Array]:
        """log √(AB) and c; where only one side lives, that side's logarithm and zero."""
        a, b = (jnp.where(jnp.isfinite(side), side, 0.0) for side in (self.log_a, self.log_b))
        two = self._two
        return jnp.where(two, (a + b) / 2, a + b), jnp.where(two, (a - b) / 2, 0.0)

    @property
    def _alone(self) -> Array:
        """+1 where only A lives, −1 where only B does, 0 where neither does."""
        return jnp.isfinite(self.log_a).astype(float) - jnp.isfinite(self.log_b).astype(float)

    @property
    def start(self) -> Float[Array, " d"]:
        """β at z = 0."""
        return self.inverse(jnp.zeros_like(self.log_a))

    def inverse(self, z: Array) -> Array:
        level, c = self._centre
        s = self.speed * z + c
        size, sinh, _ = _log_cosh_sinh(s)
        both = jnp.where(s >= 0, 1.0, -1.0) * jnp.exp(level + size) * sinh
        return jnp.where(self._two, both, self._alone * jnp.exp(level + self._alone * s))

    def stretch(self, z: Array) -> Array:
        level, c = self._centre
        s = self.speed * z + c
        size, _, cosh = _log_cosh_sinh(s)
        both = jnp.exp(level + size) * cosh
        return self.speed * jnp.where(self._two, both, self._alone**2 * jnp.exp(level + self._alone * s))

    def reach(self, z: Array) -> Array:
        return 2 * jnp.ones_like(z) / self.speed

    @property
    def level(self) -> Array:
        return jnp.max(jnp.maximum(self.log_a, self.log_b))

    @property
    def degree(self) -> int:
        return 2

    def scaled(self, log_factor: Any) -> "HyperbolicEntropy":
        return HyperbolicEntropy(self.log_a + 2 * log_factor, self.log_b + 2 * log_factor, self.speed)

    def _log_ratio(self, beta: Array) -> tuple[Array, Array, Array]:
        """|β|, log(|β|/κ) and log κ, κ = 2√(AB)."""
        log_kappa = self._centre[0] + jnp.where(self._two, jnp.log(2.0), 0.0)
        size = jnp.where(beta >= 0, beta, -beta)
        return size, jnp.log(jnp.where(size > 0, size, 1.0)) - log_kappa, log_kappa

    def _share(self, size: Array, ratio: Array) -> Array:
        """|β|/κ from its logarithm; at zero, where that has none, with the same derivative."""
        return jnp.where(size > 0, jnp.exp(ratio), size * jnp.exp(jnp.minimum(ratio, 700.0)))

    def gradient(self, beta: Array) -> Array:
        beta = jnp.asarray(beta, float)
        c = self._centre[1]
        size, ratio, _ = self._log_ratio(beta)
        far = ratio > 20
        u = self._share(size, jnp.where(far, 0.0, ratio))
        near = jnp.log1p(u + u**2 / (1 + jnp.sqrt(1 + u**2)))
        asinh = jnp.where(beta >= 0, 1.0, -1.0) * jnp.where(far & (size > 0), ratio + jnp.log(2.0), near)
        inside = beta * self._alone > 0
        alone = jnp.where(inside, self._alone * ratio, -jnp.inf * self._alone)
        return jnp.where(self._two, asinh - c, alone) / self.speed

    def terms(self, beta: Array) -> Array:
        beta = jnp.asarray(beta, float)
        c = self._centre[1]
        size, ratio, log_kappa = self._log_ratio(beta)
        far = ratio > 20
        u = self._share(size, jnp.where(far, 0.0, ratio))
        root = jnp.sqrt(1 + u**2)
        near = size * (jnp.log1p(u + u**2 / (1 + root)) - u / (1 + root))
        distant = size * (ratio + jnp.log(2.0) - 1) + jnp.exp(log_kappa)
        both = jnp.where(far & (size > 0), distant, near) - c * beta
        inside = beta * self._alone > 0
        alone = jnp.where(inside, size * (ratio - 1), jnp.where(beta == 0, 0.0, jnp.inf))
        return jnp.where(self._two, both, alone) / self.speed

    def dual(self, z: Array) -> Float[Array, ""]:
        level, c = self._centre
        s = self.speed * z + c
        size = jnp.where(s >= 0, s, -s)
        # 2√(AB)(cosh s − 1), which has no constant to be subtracted
        both = (
            4
            * jnp.exp(level + jnp.where(size > 60, size, 0.0))
            * jnp.where(size > 60, 0.25, jnp.sinh(jnp.where(size > 60, 0.0, size) / 2) ** 2)
        )
        return jnp.sum(jnp.where(self._two, both, self._alone**2 * jnp.exp(level + self._alone * s)) / self.speed)
