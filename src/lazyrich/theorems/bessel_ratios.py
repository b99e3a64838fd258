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
from typing import NamedTuple

import numpy as np

from lazyrich._core.array_namespace import fori_loop, has_jax_array, xp
from lazyrich._core.types import AnyArray

LARGE_ORDER = 25.0
N_TERMS = 16  # of the uniform expansion
FEWER_TERMS = ((1e8, 2), (300.0, 6), (60.0, 10))  # R from which fewer suffice
NODE_SPACING = 0.14  # of the trapezoidal rule for the integral of K
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


class Lengths(NamedTuple):
    """How far the expansions go for arguments up to x."""

    x: float
    fraction: int  # steps of the continued fraction
    series: int  # terms of Temme's series, for x < 2
    nodes: int  # of the integral of K, for x ≥ 2


BY_SERIES = (Lengths(1e-2, 3, 4, 0), Lengths(0.3, 6, 8, 0), Lengths(2.0, 12, 14, 0))
BY_INTEGRAL = (Lengths(8.0, 18, 0, 27), Lengths(np.inf, 26, 0, 17))
MAX_LENGTHS = Lengths(np.inf, 26, 14, 27)


class Order(NamedTuple):
    """An order ν, the order in [−1/2, 1/2] from which K is continued upward, and the constants of its series."""

    order: AnyArray
    steps: AnyArray
    first: AnyArray
    gamma_1: AnyArray
    gamma_2: AnyArray
    start: AnyArray

    def at(self, index: np.ndarray) -> "Order":
        return Order(*(value[index] for value in self))


def constants_of_order(order: AnyArray) -> Order:
    """Return what the functions of small order need of ν alone, for −1/2 ≤ ν ≤ `LARGE_ORDER`."""
    steps = xp.maximum(xp.ceil(order - 0.5), 0.0)
    v = order - steps
    square, gamma_1, gamma_2 = v * v, 0.0 * v, 0.0 * v
    for even, odd in zip(RECIPROCAL_GAMMA[-2::-2], RECIPROCAL_GAMMA[-1::-2], strict=True):
        gamma_1, gamma_2 = gamma_1 * square - odd, gamma_2 * square + even
    angle = np.pi * xp.where(v == 0, 1.0, v)
    return Order(order, steps, v, gamma_1, gamma_2, xp.where(v == 0, 1.0, angle / xp.sin(angle)))


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


def number_of_terms(R: float) -> int:
    """Return how many terms of the uniform expansion suffice from R upward."""
    return next((terms for least, terms in FEWER_TERMS if least <= R), N_TERMS)


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


def ratio_of_first_kind(order: AnyArray, x: AnyArray, steps: int = MAX_LENGTHS.fraction) -> AnyArray:
    """Return I_{ν+1}(x)/(x I_ν(x)) by its continued fraction. The relative error of its tail, less than 1e-3, is
    reduced by 1e-11 within the `Lengths` of x."""
    square, tail = x * x, order + steps
    R = xp.sqrt(tail**2 + square)

    def step(j: AnyArray, v: AnyArray) -> AnyArray:
        return 1 / (2 * (order + (steps - j)) + square * v)

    return fori_loop(0, steps, step, 1 / (tail + R) - 0.5 / R**2)


def _by_series(nu: Order, log_x: AnyArray, terms: int) -> tuple[AnyArray, AnyArray]:
    """Return xK_{ν+1}/K_ν and log(x^{|ν|}K_ν) for |ν| ≤ 1/2 by Temme's series (1975) for x < 2, in which everything is
    divided by (x/2)^{−|ν|}."""
    v, gamma_1, gamma_2 = nu.first, nu.gamma_1, nu.gamma_2
    lead, size, square = LOG_2 - log_x, xp.abs(v), v * v
    turn = 2 * size * lead
    fade = xp.exp(-turn)
    sinhc = xp.where(turn > 1e-200, -xp.expm1(-turn) / xp.where(turn > 1e-200, turn, 1.0), 1.0)
    f = nu.start * ((1 + fade) / 2 * gamma_1 + sinhc * lead * gamma_2)
    p = xp.where(v >= 0, 1.0, fade) / (2 * (gamma_2 - v * gamma_1))
    q = xp.where(v >= 0, fade, 1.0) / (2 * (gamma_2 + v * gamma_1))
    quarter = xp.exp(-2 * lead)

    def term(k: AnyArray, state: tuple[AnyArray, ...]) -> tuple[AnyArray, ...]:
        f, p, q, weight, total, rising = state
        f = (k * f + p + q) / (k * k - square)
        p, q, weight = p / (k - v), q / (k + v), weight * (quarter / k)
        return f, p, q, weight, total + weight * f, rising + weight * (p - k * f)

    first: tuple[AnyArray, ...] = (f, p, q, 1.0 + 0.0 * f, f, p)
    *_, total, rising = fori_loop(1, terms, term, first)
    return 2 * rising / total, size * LOG_2 + xp.log(total)


def _by_integral(nu: Order, log_x: AnyArray, nodes: int) -> tuple[AnyArray, AnyArray]:
    """Return the same by the trapezoidal rule for K = ∫ e^{−x cosh t} cosh νt dt, x ≥ 2; cosh νt has a recurrence."""
    v, x = nu.first, xp.exp(log_x)
    double, double_above = 2 * xp.cosh(v * NODE_SPACING), 2 * xp.cosh((v + 1) * NODE_SPACING)
    one = 1.0 + 0.0 * x * v

    def node(j: AnyArray, state: tuple[AnyArray, ...]) -> tuple[AnyArray, ...]:
        here, above, wave, before, wave_above, before_above = state
        decay = xp.exp(-2 * x * xp.sinh(j * NODE_SPACING / 2) ** 2)
        here, above = here + decay * wave, above + decay * wave_above
        return here, above, double * wave - before, wave, double_above * wave_above - before_above, wave_above

    start: tuple[AnyArray, ...] = (0.5 * one, 0.5 * one, double / 2 * one, one, double_above / 2 * one, one)
    here, above, *_ = fori_loop(1, nodes, node, start)
    return x * above / here, xp.log(NODE_SPACING * here) - x + xp.abs(v) * log_x


def ratios_of_small_order(nu: Order, log_x: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Return xK_{ν+1}/K_ν, I_{ν+1}/(xI_ν), c and log(I_{|ν|}/K_{|ν|}) − 2x for −1/2 ≤ ν ≤ `LARGE_ORDER`."""
    log_x = xp.where(nu.steps > 0, xp.maximum(log_x, SMALLEST_LOG), log_x)
    if has_jax_array(nu.order, log_x):
        below = log_x < LOG_2
        series = _by_series(nu, xp.where(below, log_x, 0.0), MAX_LENGTHS.series)
        integral = _by_integral(nu, xp.where(below, 1.0, log_x), MAX_LENGTHS.nodes)
        r, log_K = (xp.where(below, x, y) for x, y in zip(series, integral, strict=True))
        return _continue_upward(nu, log_x, (r, log_K), MAX_LENGTHS)
    ratios, above = np.empty((4, *log_x.shape)), -np.inf
    for lengths in (*BY_SERIES, *BY_INTEGRAL):
        top = np.log(lengths.x)
        part = np.flatnonzero((log_x >= above) & (log_x < top))
        above = top
        if len(part):
            own, logs = nu.at(part), log_x[part]
            start = _by_series(own, logs, lengths.series) if lengths.series else _by_integral(own, logs, lengths.nodes)
            ratios[:, part] = _continue_upward(own, logs, start, lengths)
    return ratios[0], ratios[1], ratios[2], ratios[3]


def _continue_upward(
    nu: Order, log_x: AnyArray, start: tuple[AnyArray, AnyArray], lengths: Lengths
) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Continue K upward to the order ν, and put the functions together."""
    order, steps, first, x = nu.order, nu.steps, nu.first, xp.exp(log_x)
    size, square, (r, log_K) = xp.abs(order), x * x, start
    log_K = log_K + xp.where((first < 0) & (steps > 0), 2 * first * log_x, 0.0)  # log(x^νK_ν)

    def upward(j: AnyArray, state: tuple[AnyArray, AnyArray]) -> tuple[AnyArray, AnyArray]:
        r, product = state
        more = j < steps
        return xp.where(more, 2 * (first + j + 1) + square / r, r), xp.where(more, product * r, product)

    last = int(LARGE_ORDER) + 1 if has_jax_array(steps) else int(np.max(steps, initial=0))
    r, product = fori_loop(0, last, upward, (r, xp.ones_like(r)))
    log_K = log_K + xp.log(product)
    v = ratio_of_first_kind(order, x, lengths.fraction)
    R = xp.sqrt(size * size + square)
    negative = order < 0
    if has_jax_array(v) or np.any(negative):
        both = square * ratio_of_first_kind(size, x, lengths.fraction) + xp.where(negative, r + 2 * size, r)
    else:
        both = square * v + r
    both = xp.log(both)
    c = np.log(np.pi) - both - 2 * (log_K + R - size * xp.log(xp.maximum(size + R, 1e-300)))
    return r, v, c, 2 * size * log_x - 2 * log_K - both - 2 * x
