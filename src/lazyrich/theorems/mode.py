"""Modes of a linear network: the frames in which they decouple, and the scalar Riccati equation that each obeys at
depth 2. Saxe's solution, λ-balanced and diagonal networks, and commuting measurements use it."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import array_namespace, eager_or_traced, stop_gradient, xp
from lazyrich._core.linalg import abs_right as absolute
from lazyrich._core.linalg import exponential_decay, safe_norm, safe_ratio
from lazyrich._core.types import AnyArray
from lazyrich.theorems.canonical_coordinates import Canonical
from lazyrich.theorems.decayed_mode import decayed_factors

MODE_SUM_ROUNDING = 16 * float(np.finfo(float).eps)
FRAME_TOLERANCE = (
    1e-11  # relative accuracy of a hidden vector if modes are separate up to the tolerance of the hypotheses
)


def evolve_mode_beta(p: Array, m: Array, beta0: Array, s: Array, t: Array) -> tuple[Array, Array, Array, Array]:
    r"""Return the mode $\beta = \tfrac14(P^2 - M^2)$ with $P = p e^G$, $M = m e^{-G}$, $\dot G = s - \beta$.

    $e^{2G}$ solves a scalar Riccati equation. With $\kappa = pm$, $S = \sqrt{\kappa^2 + 4s^2}$, $E = e^{-St}$,
    $\tau = (1 - E)/S$,

    $$D_p = (p^2 + S - 2s)\tau + 2E, \quad D_m = (m^2 + S + 2s)\tau + 2E, \quad e^{2G} = D_m/D_p, \quad
      s - \beta = \frac{4E\,(s - \beta_0)}{D_pD_m}.$$

    The function returns β, s − β, D_p and D_m. Each is a sum of terms of one sign.
    """
    xp = array_namespace(p, m, beta0, s, t)
    kappa = p * m
    twice = 2 * absolute(s)
    corner = (kappa == 0) & (s == 0)
    # Only the square of κ enters; at κ = 0, S = 2|s|, also for the derivatives.
    S = xp.where(kappa == 0, twice, xp.hypot(xp.where(kappa == 0, 1.0, kappa), twice))
    safe = xp.where(corner, 1.0, S + twice)
    less = kappa**2 / safe  # S − 2|s|
    more = S + twice
    E, tau = exponential_decay(S, t)
    up, down = xp.where(s >= 0, less, more), xp.where(s >= 0, more, less)
    D_p, D_m = (p**2 + up) * tau + 2 * E, (m**2 + down) * tau + 2 * E
    both = p + m
    apart = 4 * beta0 / xp.where(both > 0, both, 1.0)  # p − m
    # In pD_m − mD_p, p + m ∓ … cancels when s and β₀ have opposite signs: near the separatrix.
    opposite = apart * s < 0
    smaller = xp.where(apart >= 0, m, p)
    share = 2 * s / xp.where(corner, 1.0, S + kappa)
    gap = (kappa + less) / xp.where(corner, 1.0, S + kappa)  # 1 − |share|
    bracket = xp.where(opposite, 2 * smaller + gap * absolute(apart), both + share * apart)
    first = 2 * s * tau * bracket + 2 * E * apart
    # On the separatrix one denominator is 2E and decays with E; its ratios stay finite.
    safe_p, safe_m = xp.where(D_p > 0, D_p, 1.0), xp.where(D_m > 0, D_m, 1.0)
    beta = first / safe_m * ((p * (D_m / safe_p) + m) / 4)
    beta = xp.where(p == 0, -(m**2 * D_p / safe_m) / 4, xp.where(m == 0, p**2 * D_m / safe_p / 4, beta))
    fading_p, fading_m = (xp.where(D > 0, 2 * E / safe, 1.0) for D, safe in ((D_p, safe_p), (D_m, safe_m)))
    residual = (s - beta0) * xp.where(s >= 0, fading_p * (2 / safe_m), fading_m * (2 / safe_p))
    return beta, residual, D_p, D_m


def evolve_mode(
    a: Float[Array, "*m h"],
    w: Float[Array, "*m h"],
    s: Float[Array, "*m"],
    t: Float[Array, " t"],
    decay: Float[Array, "*m"] | None = None,
) -> tuple[Float[Array, "t *m h"], Float[Array, "t *m h"], Float[Array, "t *m"], Float[Array, "t *m"]]:
    r"""Solve $\dot a = (s - a\cdot w)\,w$, $\dot w = (s - a\cdot w)\,a$ for vectors: return a(t), w(t), β = a·w and s −
    β.

    $a \pm w$ keep their directions and are multiplied by $e^{\pm G}$, for any signs and any angle between a and w. With
    weight decay λ, $-\lambda a$ and $-\lambda w$ are added to the right sides, and the factors are those of
    `decayed_factors`.
    """
    t = t.reshape(-1, *([1] * s.ndim))
    plus, minus = _sum_without_rounding(a, w), _sum_without_rounding(a, -w)
    p, m = safe_norm(plus), safe_norm(minus)
    if decay is not None:
        up, down = decayed_factors(p, m, s, decay, t)
        beta = ((p * up) ** 2 - (m * down) ** 2) / 4
        up, down = up[..., None], down[..., None]
        return (plus * up + minus * down) / 2, (plus * up - minus * down) / 2, beta, s - beta
    beta, residual, D_p, D_m = evolve_mode_beta(p, m, xp.sum(a * w, axis=-1), s, t)
    up, down = _sqrt_ratio_dispatch(D_m, D_p), _sqrt_ratio_dispatch(D_p, D_m)  # e^{±G}
    return *_rotate_hyperbolically(a, w, plus, minus, up, down, beta), beta, residual


def _sum_without_rounding(a: Array, w: Array, rounding: float = MODE_SUM_ROUNDING) -> Array:
    """Return a + w, set to zero where it is rounding error, whose direction is arbitrary and would grow. The derivative
    is kept."""
    xp = array_namespace(a, w)
    both = a + w
    blurred = safe_norm(both) <= rounding * (safe_norm(a) + safe_norm(w))
    return both - stop_gradient(xp.where(blurred[..., None], both, 0.0))


def _sqrt_ratio(x: AnyArray, y: AnyArray) -> AnyArray:
    """Return √(x/y); 0 where x has underflowed, and a large number where y has (it then multiplies zero)."""
    xp = array_namespace(x, y)
    return xp.sqrt(x) / xp.sqrt(xp.maximum(y, 1e-300))


_sqrt_ratio_traced = jax.custom_jvp(_sqrt_ratio)
_sqrt_ratio_dispatch = eager_or_traced(_sqrt_ratio, _sqrt_ratio_traced)


@_sqrt_ratio_traced.defjvp
def _sqrt_ratio_jvp(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    (x, y), (dx, dy) = primals, tangents
    root = _sqrt_ratio_traced(x, y)
    safe = [jnp.where(value > 1e-300, value, 1.0) for value in (x, y)]
    return root, root / 2 * (jnp.where(x > 1e-300, dx, 0.0) / safe[0] - jnp.where(y > 1e-300, dy, 0.0) / safe[1])


def _rotate_hyperbolically(
    a: Array, w: Array, plus: Array, minus: Array, up: Array, down: Array, beta: Array
) -> tuple[Array, Array]:
    """Return cosh G a + sinh G w and cosh G w + sinh G a, with the smaller one corrected to fit β."""
    xp = array_namespace(a, w, up, down, beta)
    up, down = up[..., None], down[..., None]
    new_a, new_w = (plus * up + minus * down) / 2, (plus * up - minus * down) / 2
    # A small w beside a large a is a difference of nearly equal numbers; β = a·w determines its component along a.
    error = beta - xp.sum(new_a * new_w, axis=-1)
    size_a, size_w = xp.sum(new_a**2, axis=-1), xp.sum(new_w**2, axis=-1)
    large = xp.maximum(size_a, size_w)
    step = (error / xp.where(large > 0, large, 1.0))[..., None]
    a_leads = (size_a >= size_w)[..., None]
    return xp.where(a_leads, new_a, new_a + step * new_w), xp.where(a_leads, new_w + step * new_a, new_w)


def shared_singular_vectors(canonical: Canonical) -> tuple[Float[Array, "r r"], Float[Array, "c c"]]:
    """Return singular vectors that the target and the initial predictor share, if they share any.

    They are those of a generic sum, so that the network resolves a degenerate target, and vice versa. They are
    constants of the theorem: derivatives are stopped.
    """
    xp = array_namespace(canonical.target, canonical.weights)
    b = canonical.target
    first, last = canonical.weights[0], canonical.weights[-1]
    beta = xp.linalg.multi_dot([W.T for W in canonical.weights]) if len(canonical.weights) > 1 else first.T
    sizes = [xp.linalg.norm(W) for W in canonical.weights]
    beta = xp.where(xp.linalg.norm(beta) <= MODE_SUM_ROUNDING * xp.prod(xp.stack(sizes)), 0.0, beta)  # only rounding
    both = _normalize(b) + 0.47 * _normalize(beta)  # not 1, because the two may be opposite
    parts = [b, beta, first.T @ (first @ both), both @ last @ last.T]
    mixed = sum(weight * _normalize(part) for weight, part in zip((1.0, 0.61, 0.37, 0.23), parts, strict=True))
    U, _, Vt = xp.linalg.svd(stop_gradient(mixed), full_matrices=True)
    return U, Vt.T


def _normalize(matrix: Array) -> Array:
    xp = array_namespace(matrix)
    size = xp.linalg.norm(matrix)
    return matrix / xp.where(size > 0, size, 1.0)


def split_modes(canonical: Canonical, rounding: float = MODE_SUM_ROUNDING) -> tuple[Array, Array, Array, Array, Array]:
    """Return (a, w, s, left, right), with one row of a and w per mode. Beyond min(d, c) modes, only one of the two has
    rows.

    A mode of `rounding` size counts as absent: it stays on its saddle. So does one with a = −w up to rounding: the
    frames are no more accurate, and the remainder of a + w would grow in an arbitrary direction.
    """
    xp = array_namespace(canonical.target, canonical.weights)
    left, right = shared_singular_vectors(canonical)
    w, a = (canonical.weights[0] @ left).T, (canonical.weights[-1].T @ right).T
    k = min(len(w), len(a))
    s = xp.sum(left[:, :k] * (canonical.target @ right[:, :k]), axis=0)
    top = xp.maximum(xp.max(xp.abs(w)), xp.max(xp.abs(a)))
    a, w, s = zero_small_rows(a, top, rounding), zero_small_rows(w, top, rounding), zero_small_rows(s[:, None])[:, 0]
    plus, minus = (
        _sum_without_rounding(a[:k], w[:k], FRAME_TOLERANCE),
        _sum_without_rounding(a[:k], -w[:k], FRAME_TOLERANCE),
    )
    a, w = (xp.concatenate([new, old[k:]]) for new, old in (((plus + minus) / 2, a), ((plus - minus) / 2, w)))
    return a, w, s, left, right


def zero_small_rows(rows: Array, top: Array | None = None, rounding: float = MODE_SUM_ROUNDING) -> Array:
    """Set rows of rounding size to zero; their derivatives are kept."""
    xp = array_namespace(rows, top)
    top = xp.max(xp.abs(rows)) if top is None else top
    small = xp.max(xp.abs(rows), axis=1, keepdims=True) <= rounding * top
    return rows - stop_gradient(xp.where(small, rows, 0.0))


def off_diagonal(matrix: Array) -> Array:
    """Return the norm of the off-diagonal part of a matrix, relative to that of the matrix."""
    return safe_ratio(xp.linalg.norm(matrix * (1 - np.eye(matrix.shape[0], matrix.shape[1]))), xp.linalg.norm(matrix))


def overlaps_with_larger(rows: Float[Array, "k h"]) -> Float[Array, "k h"]:
    """Return the component of each row along larger rows. Between separate modes it is rounding error. In a small mode,
    or one that is nearly opposed to its target, it would grow with the larger ones, and the flow would end beside its
    minimum.
    """
    xp = array_namespace(rows)
    sizes = xp.linalg.norm(rows, axis=1)
    unit = rows / xp.where(sizes > 0, sizes, 1.0)[:, None]
    order = xp.argsort(xp.argsort(-sizes))
    overlaps = xp.where(order[:, None] > order[None, :], rows @ unit.T, 0.0)
    return stop_gradient(overlaps @ unit)
