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

from lazyrich._core.array_namespace import xp
from lazyrich._core.types import AnyArray

LARGE_ORDER = 25.0
N_TERMS = 16  # of the uniform expansion
N_SERIES = 14  # terms of Temme's series, for x < 2
N_NODES, NODE_SPACING = 27, 0.14  # of the integral of K, for x ≥ 2: trapezoidal rule
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


def _sum_expansion(coefficients: np.ndarray, first: int, q: AnyArray, inverse: AnyArray) -> AnyArray:
    """Return the sum over every second k from `first` of coefficients_k(q) times inverse^k."""
    total = 0.0 * q
    for k in range(N_TERMS - 2 + first, -1, -2):
        row = total * 0.0 + coefficients[k, k]
        for j in range(k - 1, -1, -1):
            row = row * q + coefficients[k, j]
        total = total * inverse**2 + row
    return total * inverse if first else total


def ratios_of_large_order(sigma: AnyArray, kappa: AnyArray, unit: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return U, V and c by the uniform expansion."""
    R = xp.hypot(sigma, kappa)
    R = xp.where(R > 0, R, 1.0)
    q, inverse = (sigma / R) ** 2, unit / R
    even, odd = _sum_expansion(SLOPES, 0, q, inverse), _sum_expansion(SLOPES, 1, q, inverse)
    below = xp.where(sigma < 0, R - sigma, R + sigma)
    plain = xp.where(sigma < 0, kappa**2 / below, below)  # σ + R
    U = plain - unit * (kappa / R) ** 2 * (even - odd)
    V = xp.where(sigma < 0, below / kappa**2, 1 / below) + inverse * (even + odd) / R
    return U, V, 2 * _sum_expansion(INTEGRALS, 1, q, inverse)


def ratio_of_first_kind(order: AnyArray, x: AnyArray) -> AnyArray:
    """Return I_{ν+1}(x)/(x I_ν(x)) by its continued fraction, which starts at a large order."""
    steps = int(LARGE_ORDER) + 1
    _, v, _ = ratios_of_large_order(order + steps, x, 1.0)
    square = x * x
    for j in range(steps, 0, -1):
        v = 1 / (2 * (order + j) + square * v)
    return v


def _fractional_order(order: AnyArray, log_x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return xK_{ν+1}/K_ν and log(x^{|ν|}K_ν) for |ν| ≤ 1/2."""
    log_half = log_x - np.log(2.0)
    below = log_x < np.log(2.0)
    # Temme's series (1975); everything is divided by (x/2)^{−|ν|}
    v = order
    even, odd = RECIPROCAL_GAMMA[::2], RECIPROCAL_GAMMA[1::2]
    gamma_1 = -sum(value * v ** (2 * k) for k, value in enumerate(odd))
    gamma_2 = sum(value * v ** (2 * k) for k, value in enumerate(even))
    zero = v == 0
    safe = xp.where(zero, 1.0, v)
    start = xp.where(zero, 1.0, np.pi * safe / xp.sin(np.pi * safe))
    size = xp.abs(v)
    lead = xp.where(below, -log_half, 0.0)  # log(2/x) ≥ 0
    turn = 2 * size * lead
    fade = xp.exp(-turn)
    sinhc = xp.where(turn > 1e-200, -xp.expm1(-turn) / xp.where(turn > 1e-200, turn, 1.0), 1.0)
    f = start * ((1 + fade) / 2 * gamma_1 + sinhc * lead * gamma_2)
    p = xp.where(v >= 0, 1.0, fade) / (2 * (gamma_2 - v * gamma_1))
    q = xp.where(v >= 0, fade, 1.0) / (2 * (gamma_2 + v * gamma_1))
    quarter, weight = xp.exp(-2 * lead), 1.0
    total, rising = f, p
    for k in range(1, N_SERIES):
        f = (k * f + p + q) / (k * k - v * v)
        p, q = p / (k - v), q / (k + v)
        weight = weight * quarter / k
        total, rising = total + weight * f, rising + weight * (p - k * f)
    # K = ∫ e^{−x cosh t} cosh νt dt
    x = xp.exp(xp.where(below, np.log(2.0), log_x))
    t = NODE_SPACING * np.arange(1, N_NODES)
    here, above = 0.5, 0.5
    for node in t:
        decay = xp.exp(-2 * x * np.sinh(node / 2) ** 2)
        here, above = here + decay * xp.cosh(v * node), above + decay * xp.cosh((v + 1) * node)
    ratio = xp.where(below, 2 * rising / total, x * above / here)
    integral = xp.log(NODE_SPACING * here) - x + size * log_x
    return ratio, xp.where(below, size * np.log(2.0) + xp.log(total), integral)


def ratios_of_small_order(order: AnyArray, log_x: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Return xK_{ν+1}/K_ν, I_{ν+1}/(xI_ν), c and log(I_{|ν|}/K_{|ν|}) for −1/2 ≤ ν ≤ `LARGE_ORDER`."""
    steps = xp.maximum(xp.ceil(order - 0.5), 0.0)
    first = order - steps
    log_x = xp.where(steps > 0, xp.maximum(log_x, SMALLEST_LOG), log_x)
    x, size = xp.exp(log_x), xp.abs(order)
    square = x * x
    r, log_K = _fractional_order(first, log_x)
    log_K = log_K + xp.where(first < 0, xp.where(steps > 0, 2 * first * log_x, 0.0), 0.0)  # log(x^νK_ν)
    for j in range(int(LARGE_ORDER) + 1):
        more = j < steps
        log_K = xp.where(more, log_K + xp.log(xp.where(more, r, 1.0)), log_K)
        r = xp.where(more, 2 * (first + j + 1) + square / xp.where(more, r, 1.0), r)
    v = ratio_of_first_kind(order, x)
    R = xp.hypot(size, x)
    both = xp.log(square * ratio_of_first_kind(size, x) + xp.where(order < 0, r + 2 * size, r))
    c = np.log(np.pi) - both - 2 * (log_K + R - size * xp.log(xp.maximum(size + R, 1e-300)))
    return r, v, c, 2 * size * log_x - 2 * log_K - both
