"""A mode of a deep linear network, ȧ = L|a|^{2−2/L}(s − a). Time is an elementary function of a, which is inverted to
machine accuracy."""

from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

# The three motions of a mode x = a/|s| of depth L, ẋ = ±L x^{2−2/L}(1 ∓ x), and the coordinate z in which each is most
# uniform.
RISING, FALLING, FADING = (
    0,
    1,
    2,
)  # rise to 1, z = logit x; fall to 1 from above, z = log(x − 1); decay to 0 against the target, z = log x
MAX_NEWTON_STEPS = 200  # of bracketed Newton, at most; a handful are used
BracketState = tuple[Array, Array, Array, Array, Array]
N_TERMS_NEAR = 60  # of a series in 1/x ≤ 1/2
N_TERMS_FAR = 28  # of one in 1/x ≤ 1/4


def _log_x(z: Array, kind: Array) -> Array:
    return jnp.where(kind == RISING, -jax.nn.softplus(-z), jnp.where(kind == FALLING, jax.nn.softplus(z), z))


def _dz_dt(log_x: Array, z: Array, kind: Array, L: int) -> Array:
    """Return dz/dT."""
    slow = jnp.exp(log_x * (1 - 2 / L))
    return L * jnp.where(kind == RISING, slow, -slow * jnp.where(kind == FALLING, jnp.exp(log_x), 1 + jnp.exp(log_x)))


def _time_by_logarithms(log_x: Array, log_gap: Array, kind: Array, L: int) -> Array:
    r"""Return the time, by logarithms: with $y = x^{1/L}$, $\sigma = \pm1$ and the roots $\omega_k^L = \sigma$,

    $$\int\frac{dy}{y^{L-1}(1 - \sigma y^L)}
      = \frac{y^{2-L}}{2-L} - \frac\sigma L\sum_k\mathrm{Re}\,\omega_k^2\log(1 - y/\omega_k).$$
    """
    y = jnp.exp(log_x / L)
    away = jnp.abs(log_x) > 1e-8
    # log|1 − y| from log|1 − x| where y is 1 to all digits
    at_one = jnp.where(away, jnp.log(jnp.abs(jnp.expm1(jnp.where(away, log_x, 1.0) / L))), log_gap - np.log(L))
    sums = []
    for shift in (0.0, np.pi / L):
        terms = []
        for k in range(L):
            angle = 2 * np.pi * k / L + shift
            cos, sin = np.cos(angle), np.sin(angle)
            if k == 0 and shift == 0:
                terms.append(at_one)
                continue
            modulus = 0.5 * jnp.log((1 - y * cos) ** 2 + (y * sin) ** 2)
            turn = jnp.arctan2(y * sin, 1 - y * cos)
            terms.append(np.cos(2 * angle) * modulus - np.sin(2 * angle) * turn)
        sums.append(sum(terms) / L)
    power = jnp.exp(log_x * (2 - L) / L) / (2 - L)
    return jnp.where(kind == FADING, -(power + sums[1]), power - sums[0])


def _time_by_series(log_x: Array, kind: Array, L: int) -> Array:
    """Return the time since x = ∞ by a series in 1/x, for large x, where the logarithms cancel."""
    inverse = jnp.exp(-jnp.maximum(log_x, np.log(2.0)))
    ratio = jnp.where(kind == FADING, -inverse, inverse)
    series = jnp.zeros_like(inverse)
    for n in range(N_TERMS_NEAR, -1, -1):
        series = series * ratio + 1 / ((n + 2) * L - 2)
    return series * inverse ** (2 - 2 / L)


@lru_cache
def _matching_constant(kind: int, L: int) -> float:
    """Return the constant that makes the two expressions for the time agree at x = 2."""
    with jax.ensure_compile_time_eval():
        two = jnp.log(2.0)
        return float(
            _time_by_series(two, jnp.array(kind), L) - _time_by_logarithms(two, jnp.zeros(()), jnp.array(kind), L)
        )


def _time_of_z(z: Array, kind: Array, L: int) -> Array:
    """Return T as a function of z, up to a constant."""
    log_x = _log_x(z, kind)
    log_gap = jnp.where(kind == RISING, -jax.nn.softplus(z), z)
    two = np.log(2.0)
    joint = jnp.where(kind == FADING, _matching_constant(FADING, L), _matching_constant(FALLING, L))
    close = _time_by_logarithms(jnp.minimum(log_x, two), log_gap, kind, L) + jnp.where(kind == RISING, 0.0, joint)
    return jnp.where(log_x > two, _time_by_series(log_x, kind, L), close)


def _z_of_time(T: Array, z0: Array, kind: Array, L: int) -> Array:
    """Return the z at which `_time_of_z` exceeds its value at z0 by T, by Newton steps inside a bracket from simpler
    equations on either side."""
    log_x0 = _log_x(z0, kind)
    # Bounds: ẋ ≥ −2L max(x^{2−2/L}, x^{3−2/L}) while x fades, and ẋ ≥ −L x^{3−2/L} while it falls to 1.
    q, twice = 2 - 2 / L, jnp.where(kind == FADING, 2.0, 1.0)
    floor = -jnp.log(jnp.exp(-q * log_x0) + twice * L * q * T) / q
    slow = -L / (L - 2) * jnp.log(jnp.maximum(jnp.exp(log_x0 * (2 - L) / L), 1.0) + 2 * (L - 2) * T)
    fading_low = jnp.where(floor >= 0, floor, slow)
    falling_low = jnp.where(floor >= np.log(2.0), jnp.log(jnp.expm1(jnp.maximum(floor, 0.5))), -L * 2.0**q * T)
    falling_low = jnp.minimum(falling_low, z0 - L * jnp.where(log_x0 < np.log(2.0), 2.0**q, 0.0) * T)
    low = jnp.where(kind == RISING, z0, jnp.minimum(jnp.where(kind == FALLING, falling_low, fading_low), z0))
    high = z0 + jnp.where(kind == RISING, L, jnp.where(kind == FALLING, -L, 0.0)) * T
    other = high
    rising = kind == RISING
    origin = _time_of_z(z0, kind, L)
    # A first guess from the power law ẏ = ±y^{L−1} that holds far from the target
    start = jnp.exp(log_x0 * (2 - L) / L)
    remaining = start - (L - 2) * T
    climbing = jnp.where(remaining > 1, -L / (L - 2) * jnp.log(jnp.maximum(remaining, 1.0)), -0.1)
    guess = jnp.where(
        remaining > 1, climbing - jnp.log(-jnp.expm1(jnp.minimum(climbing, -1e-3))), L * (T - start / (L - 2))
    )
    fading = -L / (L - 2) * jnp.log(start + (L - 2) * T)
    z = jnp.clip(jnp.where(rising, guess, jnp.where(kind == FADING, fading, other)), low, high)

    def step(state: BracketState) -> BracketState:
        z, low, high, _, n = state
        error = _time_of_z(z, kind, L) - origin - T
        too_far = error > 0  # z is past the answer, in the direction of the motion
        right = too_far == rising
        low, high = jnp.where(right, low, z), jnp.where(right, z, high)
        new = z - error * _dz_dt(_log_x(z, kind), z, kind, L)
        # Bisect every third step of a wide bracket, so that it closes whatever Newton does.
        halve = ~((new >= low) & (new <= high)) | ((n % 3 == 2) & (high - low > 1e-2))
        new = jnp.where(halve, (low + high) / 2, new)
        moving = jnp.abs(new - z) > 2e-16 * (1 + jnp.abs(z))
        return jnp.where(error == 0, z, new), low, high, moving & (error != 0), n + 1

    def go_on(state: BracketState) -> Array:
        return jnp.any(state[3]) & (state[4] < MAX_NEWTON_STEPS)

    moving = jnp.ones_like(z, bool)
    return jax.lax.while_loop(go_on, step, (z, low, high, moving, jnp.array(0)))[0]


def _log_x_of_time(log_x0: Array, kind: Array, T: Array, L: int) -> Array:
    """Return log x(T) of a mode that starts at x₀."""
    gap = jnp.where(kind == RISING, jnp.log(-jnp.expm1(jnp.minimum(log_x0, -1e-300))), 0.0)
    above = jnp.log(jnp.expm1(jnp.maximum(log_x0, 1e-300)))
    z0 = jnp.where(kind == RISING, log_x0 - gap, jnp.where(kind == FALLING, above, log_x0))
    still = (kind != FADING) & (log_x0 == 0)
    z = _z_of_time(T, jnp.where(still, 0.0, z0), kind, L)
    return jnp.where(still, 0.0, jnp.where(T == 0, log_x0, _log_x(z, kind)))


def _classify_modes(a0: Array, s: Array, L: int) -> tuple[Array, ...]:
    """Return which modes are absent, which have no target, log x₀, the kind of motion, and s^{2−2/L}, the rate of the
    mode's clock."""
    size, target = jnp.abs(a0), jnp.abs(s)
    dead, flat = size == 0, target == 0
    size, target = jnp.where(dead, 1.0, size), jnp.where(flat, 1.0, target)
    kind = jnp.where(jnp.sign(a0) * jnp.sign(s) < 0, FADING, jnp.where(size > target, FALLING, RISING))
    return dead, flat, jnp.log(size) - jnp.log(target), kind, target ** (2 - 2 / L)


def _log_growth_and_log_x(a0: Array, s: Array, t: Array, L: int) -> tuple[Array, Array]:
    """Return log a(t)/a₀ and log x(t)."""
    dead, flat, log_x0, kind, clock = _classify_modes(a0, s, L)
    log_x = _log_x_of_time(log_x0, kind, clock * t, L)
    faded = -jnp.log1p((2 * L - 2) * jnp.abs(a0) ** (2 - 2 / L) * t) / (2 - 2 / L)
    return jnp.where(dead, 0.0, jnp.where(flat, faded, log_x - log_x0)), log_x


@partial(jax.custom_jvp, nondiff_argnums=(3,))
def growth(a0: Array, s: Array, t: Array, L: int) -> Array:
    r"""Return $(a(t)/a_0)^{1/L}$ for $\dot a = L|a|^{2-2/L}(s - a)$, L ≥ 3: the factor by which each layer grows."""
    a0, s, t = jnp.broadcast_arrays(a0, s, t)
    return jnp.exp(_log_growth_and_log_x(a0, s, t, L)[0] / L)


@growth.defjvp
def _growth_jvp(L: int, primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    r"""Differentiate `growth`. For $\dot a = f(a)$: $\partial a/\partial a_0 = f(a)/f(a_0)$, $\partial a/\partial t =
    f(a)$, and $\partial a/\partial s$ follows from Euler's relation for $a(c a_0, cs, c^{-q}t) = c\,a(a_0, s, t)$, q =
    2 − 2/L.

    Euler's relation subtracts nearly equal numbers while s is small beside a. There $\partial a/\partial s =
    f(a)\int_{a_0}^a da/(L|a|^q(s-a)^2)$ is computed by a series in s/a.
    """
    a0, s, t = jnp.broadcast_arrays(*primals)
    q = 2 - 2 / L
    dead, flat, log_x0, kind, clock = _classify_modes(a0, s, L)
    log_rho, log_x = _log_growth_and_log_x(a0, s, t, L)  # ρ = a/a₀
    rho = jnp.exp(log_rho)
    side = jnp.where(kind == FADING, -1.0, 1.0)  # the sign of s, where that of a is +
    # f in units of s, with 1 − x or 1 + x for s − a
    room0, room = (jnp.where(kind == FADING, 1 + jnp.exp(log), -jnp.expm1(log)) for log in (log_x0, log_x))
    still = (kind != FADING) & (log_x0 == 0)
    T = jnp.where(flat, 0.0, clock * t)
    ratio = jnp.where(still, jnp.exp(-L * T), room / jnp.where(room0 == 0, 1.0, room0))
    from_start = rho**q * jnp.where(flat, rho, ratio)
    x, x0 = jnp.exp(jnp.minimum(log_x, 700.0)), jnp.exp(jnp.minimum(log_x0, 700.0))
    from_target = side * (x + side * q * T * L * jnp.exp(q * jnp.minimum(log_x, 300.0)) * room - x0 * from_start)
    small = flat | (log_x > np.log(4.0))
    inverse = jnp.where(flat, 0.0, side * jnp.exp(-jnp.where(small, log_x, 0.0)))  # s/a
    series, power = jnp.zeros_like(x), jnp.ones_like(x)
    for k in range(N_TERMS_FAR):
        series = series - (k + 1) / (q + 1 + k) * power * jnp.expm1((q + 1 + k) * log_rho)
        power = power * inverse
    from_target = jnp.where(small, (1 - inverse) * series, from_target)
    a = a0 * rho
    speed = L * jnp.abs(a) ** q * (s - a)
    change = from_start * tangents[0] + from_target * tangents[1] + speed * tangents[2]
    safe = jnp.where(dead, 1.0, a0)
    factor = jnp.exp(log_rho / L)
    return factor, jnp.where(dead, 0.0, (change / rho - tangents[0]) / safe * factor / L)
