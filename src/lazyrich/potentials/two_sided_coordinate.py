"""A coordinate of a deep diagonal network with two nonzero sides: time as an integral, inverted."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import fori_loop, sigmoid, softplus, stop_gradient, xp
from lazyrich._core.linalg import exponential_decay

N_PANELS, N_NODES = 256, 12  # Gauss–Legendre panels and nodes; the integrand is analytic in a strip of half-width 2.6
LINEAR_THRESHOLD = 1e-14  # relative: at a smaller distance from the fixed point, the linearized equation is used
EXPANSION_THRESHOLD = 1e-6
TAIL_LENGTH = 40.0  # beyond the turn by this much, the integrand is constant to all digits
MAX_NEWTON_STEPS = 60  # of bracketed Newton inside a panel, at most; a handful are used
INTEGRATION_RANGE = 1000.0
BracketState = tuple[Array, Array, Array, Array, Array]


def _relative_power_difference(v: Array, q: float) -> Array:
    """Return (1 − (1 + v)^−q)/v."""
    safe = jnp.where(v > 0, v, 1.0)
    return jnp.where(v > 0, -jnp.expm1(-q * jnp.log1p(safe)) / safe, q)


def distance_to_fixed_point(m0: Array, n0: Array, s: Array, gap: Array, q: float) -> tuple[Array, Array]:
    """Return (m₀ − m*, m*) with m*^−q − n*^−q = s = m₀^−q − n₀^−q + gap and m* + n* = m₀ + n₀."""

    def excess(zeta: Array) -> Array:  # m₀ − m* = m₀ σ(ζ)
        x, log_fall = m0 * sigmoid(zeta), softplus(zeta)
        up, down = m0**-q * xp.exp(q * log_fall), (n0 + x) ** -q
        change = m0**-q * xp.expm1(q * log_fall) - n0**-q * xp.expm1(-q * xp.log1p(x / n0))
        # Measured from the start or from zero, whichever subtracts smaller numbers.
        far = xp.maximum(up, down) < xp.maximum(m0**-q, n0**-q) / 2
        return xp.where(far, up - down - s, change - gap)

    def halve(bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = bracket
        middle = (low + high) / 2
        past = excess(middle) > 0
        return xp.where(past, low, middle), xp.where(past, middle, high)

    ends = xp.full_like(m0, -INTEGRATION_RANGE), xp.full_like(m0, INTEGRATION_RANGE)
    zeta = stop_gradient(fori_loop(0, 64, lambda _, ends: halve(ends), ends)[0])
    slope = m0**-q * q * xp.exp(q * softplus(zeta)) * sigmoid(zeta)
    x = m0 * sigmoid(zeta)
    slope = slope + q * (n0 + x) ** (-q - 1) * x * sigmoid(-zeta)
    # One Newton step refines the root and provides its derivatives.
    zeta = zeta - excess(zeta) / stop_gradient(xp.where(slope > 0, slope, 1.0))
    return m0 * sigmoid(zeta), m0 * sigmoid(-zeta)


def _expansion_at_fixed_point(m0: Array, n0: Array, gap: Array, T: Array, q: float) -> Array:
    r"""Return m − m₀ to second order in the distance from the fixed point: $\dot\delta = -g - \lambda\delta -
    \tfrac12\mu\delta^2$."""
    rate = q * (m0 ** (-q - 1) + n0 ** (-q - 1))
    bend = q * (q + 1) * (n0 ** (-q - 2) - m0 ** (-q - 2))
    x = rate * T
    small = jnp.where(x < 1, x, 0.0)
    series = jnp.zeros_like(x)
    for k in range(9, 0, -1):  # (sinh x − x)/x³
        series = (series * small**2 + 1.0) / ((2 * k + 1) * (2 * k))
    fade, tau = exponential_decay(rate, T)
    late = (tau * (1 + fade) - 2 * T * fade) / rate**2
    twice = jnp.where(x < 1, 2 * jnp.exp(-small) * T**3 * series, late)  # ∫e^{−λ(T−u)} τ(u)² du
    return -gap * tau - bend * gap**2 * twice / 2


def _blend_derivatives(at_rest: Array, near: Array, expansion: Array, far: Array) -> Array:
    """Return the value `far`, but near the fixed point with the derivatives of the expansion, where those of `far`
    cancel; at rest, return the expansion."""
    value = jnp.where(at_rest, expansion, far)
    frozen = jax.lax.stop_gradient
    return jnp.where(near & ~at_rest, frozen(value) + (expansion - frozen(expansion)), value)


def growth_of_both_sides(plus: Array, minus: Array, s: Array, T: Array, D: int) -> tuple[Array, Array]:
    r"""Return $(r_+(T)/r_+, r_-(T)/r_-)$ for $\dot r_\pm = \pm r_\pm^{D-1}(s - r_+^D + r_-^D)/(D-2)$, D ≥ 3, one
    coordinate.

    $m = r_+^{2-D}$ and $n = r_-^{2-D}$ have a constant sum, so the coordinate obeys one autonomous equation
    $\dot m = -(s - m^{-q} + n^{-q})$, $q = D/(D-2)$, with one fixed point. In $y = \log\frac{n}{m - m_*}$ (the sides
    swapped if β must fall) the time $T = \int F\,dy$ has an integrand without cancellation, analytic near the real
    axis and constant at its end: Gauss–Legendre panels give it to machine accuracy, Newton's method inverts it.
    """
    q = D / (D - 2)
    gap = s - (plus**D - minus**D)
    rises = gap >= 0
    m0, n0 = (jnp.where(rises, a, b) ** (2.0 - D) for a, b in ((plus, minus), (minus, plus)))
    start = jnp.where(rises, gap, -gap)
    still = start <= LINEAR_THRESHOLD * (plus**D + minus**D)
    gap = jnp.where(still, 1.0, start)
    x0, m_end = distance_to_fixed_point(m0, n0, jnp.where(rises, s, -s), gap, q)
    n_end = n0 + x0

    def F(y: Array) -> Array:
        x, n = n_end * jax.nn.sigmoid(-y), n_end * jax.nn.sigmoid(y)
        pull = m_end ** (-q - 1) * _relative_power_difference(x / m_end, q) + n ** (
            -q - 1
        ) * _relative_power_difference(x / n, q)
        return jax.nn.sigmoid(y) / pull

    points, weights = (jnp.asarray(v) for v in np.polynomial.legendre.leggauss(N_NODES))
    points, weights = (1 + points) / 2, weights / 2  # on [0, 1]

    def integrate_between(low: Array, width: Array) -> Array:
        return width * (F(low[..., None] + width[..., None] * points) @ weights)

    y0 = jnp.log(n0) - jnp.log(x0)
    turn = jax.lax.stop_gradient(jnp.maximum(jnp.log(n_end) - jnp.log(m_end), y0) + TAIL_LENGTH)
    width = (turn - y0) / N_PANELS
    edges = y0 + width * jnp.arange(N_PANELS)
    reached = jnp.concatenate([jnp.zeros(1), jnp.cumsum(integrate_between(edges, jnp.full(N_PANELS, width)))])
    at_rest = F(turn)

    def position(T: Array) -> Array:
        """Return y at time T."""
        k = jnp.clip(jnp.searchsorted(jax.lax.stop_gradient(reached), T, side="right") - 1, 0, N_PANELS - 1)
        edge, need = edges[k], T - reached[k]

        def step(state: BracketState) -> BracketState:
            part, low, high, _, rounds = state
            error = integrate_between(edge, part) - need
            low, high = jnp.where(error > 0, low, part), jnp.where(error > 0, part, high)
            new = part - error / F(edge + part)
            new = jnp.where((new >= low) & (new <= high), new, (low + high) / 2)
            return new, low, high, jnp.abs(new - part) > 2e-16 * (1 + jnp.abs(edge)), rounds + 1

        start = (width / 2, jnp.zeros_like(width), width, jnp.array(True), jnp.array(0))
        start = jax.lax.stop_gradient(start)
        part = jax.lax.while_loop(lambda state: state[3] & (state[4] < MAX_NEWTON_STEPS), step, start)[0]
        part = jax.lax.stop_gradient(part)
        inside = edge + part - (integrate_between(edge, part) - need) / jax.lax.stop_gradient(F(edge + part))
        return jnp.where(reached[-1] < T, turn + (T - reached[-1]) / at_rest, inside)

    y = jnp.where(T > 0, jax.vmap(position)(jnp.ravel(T)).reshape(T.shape), y0)
    m, n = m_end + n_end * jax.nn.sigmoid(-y), n_end * jax.nn.sigmoid(y)
    step = _expansion_at_fixed_point(m0, n0, start, T, q)
    near = still | (T == 0), start <= EXPANSION_THRESHOLD * (plus**D + minus**D)
    m, n = (_blend_derivatives(*near, expansion, far) for expansion, far in ((m0 + step, m), (n0 - step, n)))
    first, second = (m / m0) ** (-1 / (D - 2)), (n / n0) ** (-1 / (D - 2))
    return jnp.where(rises, first, second), jnp.where(rises, second, first)
