r"""One mode of a linear network with weight decay: its scalar Riccati equation, in ratios of Bessel functions.

Under decay λ of both layers the imbalance k of a mode of strength s falls as $kf$, $f = e^{-2\lambda t}$. Its Riccati
equation has two special solutions, $U = 4\lambda xK_{\nu+1}(x)/K_\nu(x)$, which attracts, and $-(kf)^2V$ with
$V = I_{\nu+1}(x)/(4\lambda xI_\nu(x))$, which repels, at the argument $x = kf/4\lambda$ and the order
$\nu = (s/\lambda - 1)/2$. Every other solution approaches U relative to them by

$$e = \exp\Big(-\tfrac12\int_0^t\big(U + (kf)^2V\big)\,dt'\Big) =
  \frac{I_\nu(x)}{K_\nu(x)}\,\frac{K_\nu(x_0)}{I_\nu(x_0)}.$$

As λ → 0 they become $U = S + 2s$, $V = 1/U$ and $e = e^{-St}$ with $S = \sqrt{k^2 + 4s^2}$, the constants of the mode
without decay.
"""

from typing import NamedTuple

import jax
import numpy as np

from lazyrich._core.array_namespace import has_jax_array, ignore_float_errors, xp
from lazyrich._core.linalg import exponential_decay
from lazyrich._core.types import AnyArray
from lazyrich.theorems.bessel_ratios import (
    LARGE_ORDER,
    N_TERMS,
    constants_of_order,
    number_of_terms,
    ratios_of_large_order,
    ratios_of_small_order,
)

SHORT = 2e-3  # 2λt up to which −log e is taken from its derivatives
BLOCK = 32768  # numbers that are computed together, so that they stay in the cache
SMALLEST_IMBALANCE_LOG = -200.0  # log(k/4λ) of balanced modes: squares of such an imbalance do not count


class RiccatiSolutions(NamedTuple):
    """The special solutions of the Riccati equation of a mode along time, and at the start."""

    U: AnyArray
    V: AnyArray
    U0: AnyArray
    V0: AnyArray
    e: AnyArray
    log_e: AnyArray  # log e + k∫f, which is small for a large imbalance
    one_minus_e: AnyArray  # 1 − e, without cancellation
    fade: AnyArray  # f
    shared: AnyArray  # k∫f


@ignore_float_errors
def riccati_solutions(s: AnyArray, k: AnyArray, decay: AnyArray, t: AnyArray) -> RiccatiSolutions:
    """Return U, V and e for s ≥ 0, k ≥ 0 and decay λ ≥ 0 of one shape at times that broadcast against it, with one
    axis more in front."""
    s, k, decay = xp.broadcast_arrays(s, k, decay)
    traced = has_jax_array(s, k, decay, t)
    unit, sigma = 4 * decay, 2 * (s - decay)
    log_fade = -2 * decay * t
    fade, span_of_fade = exponential_decay(2 * decay, t)  # f, ∫f
    kappa = k * fade
    U, V, c, _ = _dress(sigma, k, unit, log_fade)
    U0, V0, c0, log_ratio = _dress(sigma, k, unit, 0.0 * s)
    size = xp.abs(sigma)
    R, R0 = xp.hypot(sigma, kappa), xp.hypot(sigma, k)
    shared = k * span_of_fade  # −log e without a target
    # 2(R₀ − |ν| asinh(|ν|/x₀)) less the same at x; w = (R₀ − R)/4λ
    both = R0 + R
    w = _ratio(shared * (k + kappa) / 2, both)
    first = size + R0
    y = xp.minimum(_ratio(unit * w, first), 1 - 1e-16)
    far = y > (1e-3 if traced else 0.0)  # the series is for derivatives
    logs = xp.where(far, -xp.log1p(-y) / xp.where(far, y, 1.0), _log1p_series(y) if traced else 1.0)
    apart = _ratio(size, R0 + k) + _ratio(size, R + kappa)  # (R₀ − k + R − kf)/|σ|
    rest = size * t - size * (_ratio(shared, both) * apart + 2 * _ratio(w, first) * logs) + c0 - c
    L = rest + shared
    log_e, one_minus_e = -rest, -xp.expm1(-L)
    negative = (sigma < 0) & (unit > 0)
    if traced or np.any(negative):
        # For ν < 0 this was I_{|ν|}/K_{|ν|}; I_ν has a multiple of K_{|ν|} more.
        nu = _ratio(size, unit)
        log_more = xp.where(negative, xp.log(2 / np.pi * xp.sin(np.pi * xp.minimum(nu, 0.5))) - log_ratio, -np.inf)
        x = k / xp.where(negative, unit, 1.0)
        with_more = xp.logaddexp(-rest, log_more - 2 * x * fade) - xp.logaddexp(0.0, log_more - 2 * x)
        log_e, one_minus_e = xp.where(negative, with_more, log_e), one_minus_e / (1 + xp.exp(log_more - 2 * x))
    near = (2 * decay * t < SHORT) & ~_is_large(sigma, k, unit)
    if traced or np.any(near):
        # At short times, by Hermite's quadrature of ½(U + (kf)²V).
        first_rate, first_slope = _rate_and_slope(U0, V0, sigma, k)
        rate, slope = _rate_and_slope(U, V, sigma, kappa)
        span = xp.where(near, t, 0.0)
        short = span / 2 * (first_rate + rate) + span**2 / 12 * (first_slope - slope)
        log_e, one_minus_e = xp.where(near, shared - short, log_e), xp.where(near, -xp.expm1(-short), one_minus_e)
    return RiccatiSolutions(U, V, U0, V0, xp.exp(log_e - shared), log_e, one_minus_e, fade, shared)


def _rate_and_slope(U: AnyArray, V: AnyArray, sigma: AnyArray, kappa: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return ½(U + Y) and its derivative in time, Y = κ²V."""
    Y = kappa**2 * V
    return (U + Y) / 2, (Y * Y - U * U + 2 * sigma * (U + Y)) / 4


def _log1p_series(y: AnyArray) -> AnyArray:
    """Return −log(1 − y)/y for small y."""
    return 1 + y * (1 / 2 + y * (1 / 3 + y * (1 / 4 + y * (1 / 5 + y * (1 / 6)))))


def _ratio(x: AnyArray, y: AnyArray) -> AnyArray:
    return x / xp.where(y > 0, y, 1.0)


def _is_large(sigma: AnyArray, kappa: AnyArray, unit: AnyArray) -> AnyArray:
    return xp.hypot(sigma, kappa) >= LARGE_ORDER * unit


def _dress(sigma: AnyArray, k: AnyArray, unit: AnyArray, log_fade: AnyArray) -> tuple[AnyArray, ...]:
    """Return U, V, c and log(I/K) − 2x at κ = k e^{log_fade}; σ, k and the unit broadcast against it."""
    if not has_jax_array(sigma, k, unit, log_fade):
        return _dress_eagerly(sigma, k, unit, log_fade)
    kappa = k * xp.exp(log_fade)
    sigma, kappa, unit, k, log_fade = xp.broadcast_arrays(sigma, kappa, unit, k, log_fade)
    large = _is_large(sigma, kappa, unit)
    plenty = _of_large_order(xp.where(large, sigma, 1.0), xp.where(large, kappa, 1.0), xp.where(large, unit, 0.0))

    def both() -> tuple[AnyArray, ...]:
        order, start, scale = (xp.where(large, 1.0, value) for value in (sigma, k, unit))
        few = _of_small_order(order, start, scale, xp.where(large, 0.0, log_fade))
        return tuple(xp.where(large, x, y) for x, y in zip(plenty, few, strict=True))

    return jax.lax.cond(xp.all(large), lambda: plenty, both)


def _dress_eagerly(sigma: AnyArray, k: AnyArray, unit: AnyArray, log_fade: AnyArray) -> tuple[AnyArray, ...]:
    """Use each formula only where it is needed. Neighbors of similar order need the same one, of the same length."""
    kappa = k * np.exp(log_fade)
    ratio = np.hypot(sigma, kappa) / unit
    least = np.min(ratio, initial=np.inf)
    if not least < LARGE_ORDER:
        return _of_large_order(sigma, kappa, unit, number_of_terms(least))
    modes = np.broadcast_to(np.arange(sigma.size).reshape(sigma.shape), kappa.shape)
    factors, small = np.empty((4, *kappa.shape)), ratio < LARGE_ORDER
    large = modes[~small]
    factors[:, ~small] = _of_large_order(sigma.ravel()[large], kappa[~small], unit.ravel()[large])
    mode = modes[small]
    distinct_modes = np.unique(mode)
    place = np.zeros(sigma.size, int)
    place[distinct_modes] = np.arange(len(distinct_modes))
    sigma, k, unit = (value.ravel()[distinct_modes] for value in (sigma, k, unit))
    factors[:, small] = _of_small_order(sigma, k, unit, log_fade[small], place[mode])
    return tuple(factors)


def _of_large_order(sigma: AnyArray, kappa: AnyArray, unit: AnyArray, terms: int = N_TERMS) -> tuple[AnyArray, ...]:
    U, V, c = ratios_of_large_order(sigma, kappa, unit, terms)
    size = xp.abs(sigma)
    R = xp.hypot(size, kappa)
    angle = xp.log((size + R) / xp.where(kappa > 0, kappa, 1e-300))
    log_ratio = 2 * size * (_ratio(size, R + kappa) - angle) / xp.where(unit > 0, unit, 1.0) - np.log(np.pi) + c
    return U, V, c, xp.where(unit > 0, log_ratio, np.inf)


def _of_small_order(
    sigma: AnyArray, k: AnyArray, unit: AnyArray, log_fade: AnyArray, mode: np.ndarray | None = None
) -> tuple[AnyArray, ...]:
    """Return the same for each mode, or for `mode` at each `log_fade`."""
    log_k = xp.maximum(xp.log(xp.maximum(k / unit, 1e-300)), SMALLEST_IMBALANCE_LOG)
    nu = constants_of_order(sigma / unit)
    if mode is not None:
        nu, log_k, unit = nu.at(mode), log_k[mode], unit[mode]
    r, v, c, log_ratio = ratios_of_small_order(nu, log_k + log_fade)
    return unit * r, v / unit, c, log_ratio


def decayed_factors(p: AnyArray, m: AnyArray, s: AnyArray, decay: AnyArray, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    r"""Return the factors by which $\|a + w\|$, p at the start, and $\|a - w\|$, m at the start, have changed at t.

    They solve $\dot P = (s - \beta - \lambda)P$, $\dot M = -(s - \beta + \lambda)M$ with $4\beta = P^2 - M^2$. With the
    special solutions of `riccati_solutions`, for s ≥ 0,

    $$\Big(\frac Pp\Big)^2 = \frac{U + e(kf)^2V + m^2(UV_0 - ef^2VU_0)}{p^2(1 - e) + k^2V_0 + eU_0}, \qquad
      \frac{PM}{pm} = f.$$

    For s < 0 the two exchange their parts.
    """
    if has_jax_array(p, m, s, decay, t) or np.ndim(s) != 1 or np.size(t) != len(t):
        return _factors(p, m, s, decay, t)
    decay = np.broadcast_to(decay, s.shape)
    up, down = np.empty((2, len(t), len(s)))
    width = max(BLOCK // len(t), 1)
    order = np.argsort(np.abs(s) / np.where(decay > 0, decay, 1e-300))
    for i in range(0, len(s), width):
        now = order[i : i + width]
        up[:, now], down[:, now] = _factors(p[now], m[now], s[now], decay[now], t)
    return up, down


@ignore_float_errors
def _factors(p: AnyArray, m: AnyArray, s: AnyArray, decay: AnyArray, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    turned = s < 0
    p, m = xp.where(turned, m, p), xp.where(turned, p, m)
    U, V, U0, V0, e, _, one_minus_e, f, _ = riccati_solutions(xp.abs(s), p * m, decay, t)
    above = U + e * (p * m * f) ** 2 * V + m**2 * (U * V0 - e * f**2 * V * U0)
    below = p**2 * one_minus_e + (p * m) ** 2 * V0 + e * U0
    still = s == 0  # without decay and imbalance nothing moves
    frozen = still & (p * m == 0) & (p + m == 0)
    above, below = xp.where(frozen, f, above), xp.where(frozen, 1.0, below)
    safe_above, safe_below = xp.where(above > 0, above, 1.0), xp.where(below > 0, below, 1.0)
    up = xp.where(below > 0, xp.sqrt(xp.maximum(above, 0.0)) / xp.sqrt(safe_below), 0.0)
    down = xp.where(above > 0, f * (xp.sqrt(below) / xp.sqrt(safe_above)), 0.0)
    return xp.where(turned, down, up), xp.where(turned, up, down)
