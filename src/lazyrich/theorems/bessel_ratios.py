r"""Ratios of modified Bessel functions of one order and the next, without overflow, for real orders from −1/2.

With the order $\nu = \sigma/u$ and the argument $x = \kappa/u$, for a unit u ≥ 0,

$$U = u\,x\,\frac{K_{\nu+1}(x)}{K_\nu(x)}, \qquad V = \frac1{u\,x}\,\frac{I_{\nu+1}(x)}{I_\nu(x)}, \qquad
  c = \log\frac{\pi I_{|\nu|}(x)}{K_{|\nu|}(x)} - 2\Big(R - |\nu|\operatorname{asinh}\frac{|\nu|}x\Big), \qquad
  R = \sqrt{\nu^2 + x^2},$$

stay finite as x → 0; as u → 0 they are $U = \sigma + uR$, $V = 1/U$ and c = 0. Beyond `LARGE_ORDER` of R the uniform
expansion in 1/R has converged (Olver 1997, chapter 10). Below, I is a continued fraction, and K starts at an order in
[−1/2, 1/2], from Temme's series or an integral, and is continued upward by its recurrence.
"""

from fractions import Fraction

import numpy as np

from lazyrich._core.array_namespace import fori_loop, has_jax_array, xp
from lazyrich._core.types import AnyArray

LARGE_ORDER = 25.0
N_TERMS = 16  # of the uniform expansion
N_STEPS = 26  # of the continued fraction
N_SERIES = 14  # terms of Temme's series, for x < 2
N_NODES, NODE_SPACING = 27, 0.14  # of the integral of K, for x ≥ 2: trapezoidal rule
LOG_2 = float(np.log(2.0))
SMALLEST_LOG = -230.0  # of x: below, functions of orders above 1/2 are those at zero
# 1/Γ(1 + z) = Σ c_k z^k
RECIPROCAL_GAMMA = np.array(
    [
        *(1.0, 0.5772156649015329, -0.6558780715202539, -0.04200263503409524, 0.16653861138229148),
        *(-0.04219773455554433, -0.009621971527876973, 0.0072189432466631, -0.0011651675918590652),
        *(-0.00021524167411495098, 0.0001280502823881162, -2.013485478078824e-05, -1.2504934821426706e-06),
        *(1.133027231981696e-06, -2.056338416977607e-07, 6.116095104481416e-09, 5.002007644469223e-09),
        *(-1.18127457048702e-09, 1.0434267116911005e-10, 7.782263439905071e-12, -3.696805618642206e-12),
        5.100370287454476e-13,
    ]
)


def _expansions() -> tuple[np.ndarray, np.ndarray]:
    r"""Return the coefficients of $b_k$ and $C_k$ in powers of $q = \nu^2/R^2$, one row for each k.

    $S = x\,d\log I_\nu/dx$ solves $S^2 + xS' = x^2 + \nu^2$, so that $S = R + (1 - q)\sum_kb_k(q)R^{-k}$; for K the
    sign of R changes, and $c = 2\sum_{k\text{ odd}}C_kR^{-k}$.
    """
    b, a = [np.array([Fraction(-1, 2)])], [np.array([Fraction(-1, 2), Fraction(1, 2)])]  # a = (1 − q) b
    for k in range(1, N_TERMS):
        row = (1 - k - 2 * np.arange(k + 1)) * a[k - 1]  # x d/dx of aR^{1−k} is (1 − q) times this
        row = row + sum(np.convolve(b[i], a[k - 1 - i]) for i in range(k))
        b.append(row * Fraction(-1, 2))
        a.append(np.convolve([Fraction(1), Fraction(-1)], b[k]))
    table, integral = np.zeros((2, N_TERMS, N_TERMS))
    for k, row in enumerate(b):
        table[k, : k + 1] = row
        if k % 2:
            integral[k, : k + 1] = row / -(k + 2 * np.arange(k + 1))
    return table, integral


SLOPES, INTEGRALS = _expansions()


def _sum_expansion(
    coefficients: np.ndarray, first: int, q: AnyArray, inverse: AnyArray, terms: int = N_TERMS
) -> AnyArray:
    """Return the sum over every second k from `first` of coefficients_k(q) times inverse^k."""
    total, square = 0.0 * q, inverse**2
    for k in range(terms - 2 + first, -1, -2):
        row = coefficients[k, k]
        for j in range(k - 1, -1, -1):
            row = row * q + coefficients[k, j]
        total = total * square + row
    return total * inverse if first else total


def ratios_of_large_order(
    sigma: AnyArray, kappa: AnyArray, unit: AnyArray, terms: int = N_TERMS
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return U, V and c by the uniform expansion."""
    R = xp.sqrt(sigma * sigma + kappa * kappa)
    R = xp.where(R > 0, R, 1.0)
    q, inverse = (sigma / R) ** 2, unit / R
    even = _sum_expansion(SLOPES, 0, q, inverse, terms)
    odd = _sum_expansion(SLOPES, 1, q, inverse, terms)
    below = xp.where(sigma < 0, R - sigma, R + sigma)
    plain = xp.where(sigma < 0, kappa**2 / below, below)  # σ + R
    U = plain - unit * (kappa / R) ** 2 * (even - odd)
    V = xp.where(sigma < 0, below / kappa**2, 1 / below) + inverse * (even + odd) / R
    return U, V, 2 * _sum_expansion(INTEGRALS, 1, q, inverse, terms)


def ratio_of_first_kind(order: AnyArray, x: AnyArray) -> AnyArray:
    """Return I_{ν+1}(x)/(x I_ν(x)) by its continued fraction. Up to R = `LARGE_ORDER` the relative error of its tail,
    less than 1e-3, is reduced by 1e-11."""
    square, tail = x * x, order + N_STEPS
    R = xp.sqrt(tail**2 + square)

    def step(j: AnyArray, v: AnyArray) -> AnyArray:
        return 1 / (2 * (order + N_STEPS - j) + square * v)

    return fori_loop(0, N_STEPS, step, 1 / (tail + R) - 0.5 / R**2)


def _fractional_order(order: AnyArray, log_x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return xK_{ν+1}/K_ν and log(x^{|ν|}K_ν) for |ν| ≤ 1/2."""
    below = log_x < LOG_2
    if not has_jax_array(order, log_x):
        found = np.empty((2, *np.shape(log_x)))
        for part, function in ((below, _by_series), (~below, _by_integral)):
            if np.any(part):
                found[:, part] = function(order[part], log_x[part])
        return found[0], found[1]
    series = _by_series(order, xp.where(below, log_x, 0.0))
    integral = _by_integral(order, xp.where(below, 1.0, log_x))
    return xp.where(below, series[0], integral[0]), xp.where(below, series[1], integral[1])


def _by_series(v: AnyArray, log_x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return them by Temme's series (1975) for x < 2, in which everything is divided by (x/2)^{−|ν|}."""
    lead, size, square = LOG_2 - log_x, xp.abs(v), v * v
    gamma_1, gamma_2 = 0.0 * v, 0.0 * v
    for even, odd in zip(RECIPROCAL_GAMMA[-2::-2], RECIPROCAL_GAMMA[-1::-2], strict=True):
        gamma_1, gamma_2 = gamma_1 * square - odd, gamma_2 * square + even
    angle = np.pi * xp.where(v == 0, 1.0, v)
    start = xp.where(v == 0, 1.0, angle / xp.sin(angle))
    turn = 2 * size * lead
    fade = xp.exp(-turn)
    sinhc = xp.where(turn > 1e-200, -xp.expm1(-turn) / xp.where(turn > 1e-200, turn, 1.0), 1.0)
    f = start * ((1 + fade) / 2 * gamma_1 + sinhc * lead * gamma_2)
    p = xp.where(v >= 0, 1.0, fade) / (2 * (gamma_2 - v * gamma_1))
    q = xp.where(v >= 0, fade, 1.0) / (2 * (gamma_2 + v * gamma_1))
    quarter = xp.exp(-2 * lead)

    def term(k: AnyArray, state: tuple[AnyArray, ...]) -> tuple[AnyArray, ...]:
        f, p, q, weight, total, rising = state
        f = (k * f + p + q) / (k * k - square)
        p, q, weight = p / (k - v), q / (k + v), weight * quarter / k
        return f, p, q, weight, total + weight * f, rising + weight * (p - k * f)

    first: tuple[AnyArray, ...] = (f, p, q, 1.0 + 0.0 * f, f, p)
    *_, total, rising = fori_loop(1, N_SERIES, term, first)
    return 2 * rising / total, size * LOG_2 + xp.log(total)


def _by_integral(v: AnyArray, log_x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return them by the trapezoidal rule for K = ∫ e^{−x cosh t} cosh νt dt, x ≥ 2; cosh νt has a recurrence."""
    x = xp.exp(log_x)
    double, double_above = 2 * xp.cosh(v * NODE_SPACING), 2 * xp.cosh((v + 1) * NODE_SPACING)
    one = 1.0 + 0.0 * x * v

    def node(j: AnyArray, state: tuple[AnyArray, ...]) -> tuple[AnyArray, ...]:
        here, above, wave, before, wave_above, before_above = state
        decay = xp.exp(-2 * x * xp.sinh(j * NODE_SPACING / 2) ** 2)
        here, above = here + decay * wave, above + decay * wave_above
        return here, above, double * wave - before, wave, double_above * wave_above - before_above, wave_above

    start: tuple[AnyArray, ...] = (0.5 * one, 0.5 * one, double / 2 * one, one, double_above / 2 * one, one)
    here, above, *_ = fori_loop(1, N_NODES, node, start)
    return x * above / here, xp.log(NODE_SPACING * here) - x + xp.abs(v) * log_x


def ratios_of_small_order(order: AnyArray, log_x: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Return xK_{ν+1}/K_ν, I_{ν+1}/(xI_ν), c and log(I_{|ν|}/K_{|ν|}) − 2x for −1/2 ≤ ν ≤ `LARGE_ORDER`."""
    steps = xp.maximum(xp.ceil(order - 0.5), 0.0)
    first = order - steps
    log_x = xp.where(steps > 0, xp.maximum(log_x, SMALLEST_LOG), log_x)
    x, size = xp.exp(log_x), xp.abs(order)
    square = x * x
    r, log_K = _fractional_order(first, log_x)
    log_K = log_K + xp.where(first < 0, xp.where(steps > 0, 2 * first * log_x, 0.0), 0.0)  # log(x^νK_ν)

    def upward(j: AnyArray, state: tuple[AnyArray, AnyArray]) -> tuple[AnyArray, AnyArray]:
        r, product = state
        more = j < steps
        return xp.where(more, 2 * (first + j + 1) + square / r, r), xp.where(more, product * r, product)

    last = int(LARGE_ORDER) + 1 if has_jax_array(steps) else int(np.max(steps, initial=0))
    r, product = fori_loop(0, last, upward, (r, xp.ones_like(r)))
    log_K = log_K + xp.log(product)
    v = ratio_of_first_kind(order, x)
    R = xp.hypot(size, x)
    negative = order < 0
    if has_jax_array(v) or np.any(negative):
        both = square * ratio_of_first_kind(size, x) + xp.where(negative, r + 2 * size, r)
    else:
        both = square * v + r
    both = xp.log(both)
    c = np.log(np.pi) - both - 2 * (log_K + R - size * xp.log(xp.maximum(size + R, 1e-300)))
    return r, v, c, 2 * size * log_x - 2 * log_K - both - 2 * x
