"""The potential of diagonal networks of depth three or more."""

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import as_float64_copy, ignore_float_errors, xp
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich.potentials.potential import Separable
from lazyrich.potentials.two_sided_coordinate import distance_to_fixed_point


class DeepEntropy(Separable):
    r"""The potential $q_D$ of balanced diagonal networks of depth D ≥ 3 (Woodworth et al. 2020, theorem 3).

    A coordinate with sides $r_+^D - r_-^D$ moves along

    $$\beta = r_+^D(1 - \eta z\,r_+^{D-2})^{-q} - r_-^D(1 + \eta z\,r_-^{D-2})^{-q}, \qquad q = D/(D-2),$$

    z being the integral of the gradient; φ is the integral of its inverse. From $r_+ = r_- = \alpha$ this is
    $\beta = \alpha^Dh_D(\eta z\alpha^{D-2})$. As α → 0, φ tends to the ℓ1 norm for
    every D ≥ 2. A side may be zero (its logarithm is −inf); then β has one sign.

    >>> import jax.numpy as jnp
    >>> phi = DeepEntropy(jnp.log(0.1) * jnp.ones(2), jnp.log(0.1) * jnp.ones(2), 3)
    >>> beta = jnp.array([0.3, -2.0])
    >>> bool(jnp.allclose(phi.inverse(phi.gradient(beta)), beta, rtol=1e-13))
    True
    """

    log_plus: Float[Array, " d"]
    log_minus: Float[Array, " d"]
    depth: int = eqx.field(static=True)
    speed: Float[Array, ""]

    def __init__(self, log_plus: ArrayLike, log_minus: ArrayLike, depth: int, speed: ArrayLike = 1.0):
        if depth < 3:
            raise ValueError(f"DeepEntropy needs a depth of 3 or more; found {depth}. Depth 2 is HyperbolicEntropy")
        self.log_plus, self.log_minus = xp.broadcast_arrays(as_float64_copy(log_plus), as_float64_copy(log_minus))
        self.depth, self.speed = int(depth), as_float64_copy(speed)

    @property
    def log_initial_sides(self) -> tuple[Array, Array]:
        return self.log_plus, self.log_minus

    @property
    def _exponent(self) -> float:
        return self.depth / (self.depth - 2)

    def _side_terms(self, z: Array) -> tuple[tuple[Array, Array, Array], ...]:
        """Return (nonzero, A, log u) of each side: β = A u₊^−q − B u₋^−q."""
        terms = []
        for log_r, sign in ((self.log_plus, -1.0), (self.log_minus, 1.0)):
            lives = xp.isfinite(log_r)
            log_r = xp.where(lives, log_r, 0.0)
            shift = sign * self.speed * z * xp.exp((self.depth - 2) * log_r)
            terms.append((lives, xp.exp(self.depth * log_r), xp.log1p(xp.where(lives, shift, 0.0))))
        return tuple(terms)

    @property
    def start(self) -> Float[Array, " d"]:
        """The β at z = 0."""
        return self.inverse(xp.zeros_like(self.log_plus))

    @ignore_float_errors
    def inverse(self, z: Array) -> Array:
        (p, A, log_u), (m, B, log_v) = self._side_terms(z)
        A, B = xp.where(p, A, 0.0), xp.where(m, B, 0.0)
        return A * xp.expm1(-self._exponent * log_u) - B * xp.expm1(-self._exponent * log_v) + (A - B)

    @ignore_float_errors
    def jacobian_diagonal(self, z: Array) -> Array:
        total = xp.zeros_like(z)
        for (lives, A, log_u), log_r in zip(self._side_terms(z), (self.log_plus, self.log_minus), strict=True):
            rate = xp.exp((self.depth - 2) * xp.where(lives, log_r, 0.0))
            total = total + xp.where(lives, A * rate * xp.exp(-(self._exponent + 1) * log_u), 0.0)
        return self.speed * self._exponent * total

    @ignore_float_errors
    def step_scale(self, z: Array) -> Array:
        (p, _, log_u), (m, _, log_v) = self._side_terms(z)
        widths = [
            xp.where(lives, xp.exp(log + (2 - self.depth) * xp.where(lives, log_r, 0.0)), np.inf)
            for lives, log, log_r in ((p, log_u, self.log_plus), (m, log_v, self.log_minus))
        ]
        return xp.minimum(*widths) / (2 * self.speed)

    @ignore_float_errors
    def in_domain(self, z: AnyArray) -> AnyArray:
        return xp.all(xp.stack([xp.isfinite(log_u) for _, _, log_u in self._side_terms(z)]))

    @property
    def log_beta_scale(self) -> Array:
        return self.depth * xp.max(xp.maximum(self.log_plus, self.log_minus))

    @property
    def degree(self) -> int:
        return self.depth

    def with_scaled_layers(self, log_factor: AnyArray) -> "DeepEntropy":
        # z is bounded by r^{2−D}: its unit is rescaled with r, so that the domain stays the same.
        speed = self.speed * xp.exp((2 - self.depth) * log_factor)
        return DeepEntropy(self.log_plus + log_factor, self.log_minus + log_factor, self.depth, speed)

    @ignore_float_errors
    def gradient(self, beta: Array) -> Array:
        beta = xp.asarray(beta, float)
        D, q = self.depth, self._exponent
        lives = [xp.isfinite(log_r) for log_r in (self.log_plus, self.log_minus)]
        plus, minus = (
            xp.where(alive, log_r, 0.0) for alive, log_r in zip(lives, (self.log_plus, self.log_minus), strict=True)
        )
        a, b = xp.exp((2 - D) * plus), xp.exp((2 - D) * minus)
        A, B = xp.exp(D * plus), xp.exp(D * minus)
        gap = beta - (A - B)
        rises = gap >= 0
        still = gap == 0
        size = xp.where(still, 1.0, xp.where(rises, gap, -gap))
        x, _ = distance_to_fixed_point(
            xp.where(rises, a, b), xp.where(rises, b, a), xp.where(rises, beta, -beta), size, q
        )
        both = xp.where(still, 0.0, xp.where(rises, x, -x))
        # One side alone: β = A(1 − ηz/a)^−q, on one sign only
        side = xp.where(lives[0], 1.0, -1.0)
        share = side * beta / xp.where(lives[0], A, B)
        inside = share > 0
        root = -xp.expm1(-xp.log(xp.where(inside, share, 1.0)) / q)
        alone = side * xp.where(inside, xp.where(lives[0], a, b) * root, -np.inf)
        return xp.where(lives[0] & lives[1], both, alone) / self.speed

    def _conjugate(self, z: Array) -> Array:
        total = xp.zeros_like(z)
        for (lives, _, log_u), log_r in zip(self._side_terms(z), (self.log_plus, self.log_minus), strict=True):
            square = xp.exp(2 * xp.where(lives, log_r, 0.0))  # A a = r²
            total = total + xp.where(lives, square * xp.expm1((1 - self._exponent) * log_u), 0.0)
        return total / (self.speed * (self._exponent - 1))

    @ignore_float_errors
    def terms(self, beta: Array) -> Array:
        z = self.gradient(beta)
        finite = xp.isfinite(z)
        safe = xp.where(finite, z, 0.0)
        return xp.where(finite, safe * beta - self._conjugate(safe), np.inf)

    @ignore_float_errors
    def conjugate(self, z: Array) -> Float[Array, ""]:
        return xp.sum(self._conjugate(z))
