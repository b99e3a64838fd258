"""Section 5 and appendix C.2: two-layer networks f(x) = Σ_k a_k σ(w_k·x), σ(z) = max(z, γz)."""

from typing import Any

import numpy as np

from lazyrich.papers.checks.derivatives import jacobian, rate
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    RATES,
    ROUNDING,
    SIZES,
    UNIT,
    Array,
    orthonormal,
    pack,
    turned,
    unit_vector,
    unpack,
)

GAMMA = 0.2


def _gates(W: Array, X: Array, gamma: float = GAMMA) -> Array:
    """c_ki = σ′(w_k·x_i)."""
    return np.where(np.real(W @ X.T) > 0, 1.0, gamma)


def _bent(setup: Setup, balanced: bool = False) -> tuple[Array, Array, Array, Array]:
    """W, a, X, y: generic, with both signs of a; or with δ_k = 0."""
    rng = setup.rng
    W, a = rng.normal(size=(4, 3)), rng.uniform(0.5, 1.5, 4) * np.array([1.0, 1.0, -1.0, -1.0])
    if balanced:
        a *= np.sqrt(RATES[1] / RATES[0]) * np.linalg.norm(W, axis=1) / np.abs(a)
    return W, a, rng.normal(size=(6, 3)), rng.normal(size=6)


def _outputs(theta: Array, X: Array) -> Array:
    W, a = unpack(theta, 3, 4, 1)
    return a[:, 0] @ (_gates(W, X) * (W @ X.T))


def _outputs_kernel(theta: Array, X: Array) -> Array:
    """The tangent kernel, differentiated."""
    J = jacobian(lambda theta: _outputs(theta, X), theta)
    return (J * np.repeat(RATES, (12, 4))) @ J.T


def _bent_speed(W: Array, a: Array, X: Array, y: Array) -> tuple[Array, Array, Array]:
    """θ, θ̇ from the loss alone, and ξ_k = Σ_i c_ki x_i (f(x_i) − y_i)."""
    theta = pack(W, a)
    J = jacobian(lambda theta: _outputs(theta, X), theta)
    residual = _outputs(theta, X) - y
    return theta, -np.repeat(RATES, (W.size, a.size)) * (J.T @ residual), (_gates(W, X) * residual) @ X


def _neuron_m(W: Array, a: Array, sign: float = 1.0) -> Array:
    """M_k from β_k and δ_k, as printed."""
    delta = RATES[0] * a**2 - RATES[1] * np.sum(W**2, axis=1)
    beta = a[:, None] * W
    square = np.sum(beta**2, axis=1)
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * square)
    plus, minus = (kappa + sign * delta) / 2, (kappa - sign * delta) / 2
    return plus[:, None, None] * np.eye(3) + (minus / square)[:, None, None] * beta[:, :, None] * beta[:, None, :]


def _bent_flow(setup: Setup, sign: float) -> Any:
    W, a, X, y = _bent(setup)
    theta, speed, xi = _bent_speed(W, a, X, y)
    measured = rate(lambda t: unpack(t, 3, 4, 1)[1] * unpack(t, 3, 4, 1)[0], theta, speed)
    return measured, -np.einsum("kde,ke->kd", _neuron_m(W, a, sign), xi)


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "β̇_k = −M_kξ_k with M_k = ½(κ_k + δ_k)I + ½(κ_k − δ_k)β_kβ_kᵀ/‖β_k‖², κ_k² = δ_k² + 4η_aη_w‖β_k‖², "
    "ξ_k = Σ_i c_ki x_i ρ_i",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_flow(setup: Setup) -> Any:
    return _bent_flow(setup, 1.0)


@piecewise_flow.breaks("δ_k of the wrong sign")
def piecewise_flow_delta_k_of_the_wrong_sign(setup: Setup) -> Any:
    return _bent_flow(setup, -1.0)


def _bent_kernel(setup: Setup, gamma: float) -> Any:
    W, a, X, _ = _bent(setup)
    gates = _gates(W, X, gamma)
    return _outputs_kernel(pack(W, a), X), np.einsum("ki,id,kde,je,kj->ij", gates, X, _neuron_m(W, a), X, gates)


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "The tangent kernel is K_ij = Σ_k c_ki x_iᵀM_kx_j c_kj",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_kernel(setup: Setup) -> Any:
    return _bent_kernel(setup, GAMMA)


@piecewise_kernel.breaks("without the activation pattern")
def without_the_activation_pattern(setup: Setup) -> Any:
    return _bent_kernel(setup, 1.0)


def _polar(theta: Array) -> Array:
    """β̂_k = sgn(a_k)β_k/‖β_k‖ and μ_k = sgn(a_k)‖β_k‖, side by side."""
    W, a = unpack(theta, 3, 4, 1)
    beta, sign = a * W, np.sign(a.real)
    norm = np.sqrt(np.sum(beta**2, axis=1, keepdims=True))
    return np.hstack([sign * beta / norm, sign * norm])


def _polar_rates(mu: Array, unit: Array, xi: Array, delta: Array) -> Array:
    """Their derivatives as printed."""
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * mu**2)
    along = np.sum(unit * xi, axis=1)
    turn = -((kappa + delta) / (2 * mu))[:, None] * (xi - along[:, None] * unit)
    return np.hstack([turn, -(kappa * along)[:, None]])


def _bent_polar(setup: Setup, sign: float) -> Any:
    W, a, X, y = _bent(setup)
    theta, speed, xi = _bent_speed(W, a, X, y)
    here, delta = _polar(theta), RATES[0] * a**2 - RATES[1] * np.sum(W**2, axis=1)
    return rate(_polar, theta, speed), _polar_rates(here[:, 3], here[:, :3], xi, sign * delta)


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "μ̇_k = −κ_k β̂_k·ξ_k and dβ̂_k/dt = −((κ_k + δ_k)/2μ_k)(I − β̂_kβ̂_kᵀ)ξ_k, κ_k² = δ_k² + 4η_aη_wμ_k²",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_coordinates(setup: Setup) -> Any:
    return _bent_polar(setup, 1.0)


@piecewise_coordinates.breaks("δ_k of the wrong sign")
def piecewise_coordinates_delta_k_of_the_wrong_sign(setup: Setup) -> Any:
    return _bent_polar(setup, -1.0)


def _bent_late(setup: Setup, rates: tuple[float, float]) -> Any:
    W, a, X, y = _bent(setup)

    def field(theta: Array) -> Array:
        W, a = unpack(theta, 3, 4, 1)
        xi = (_gates(W, X) * (_outputs(theta, X) - y)) @ X
        return pack(-RATES[0] * a * xi, -RATES[1] * np.sum(W * xi, axis=1))

    theta, step = pack(W, a), 0.5 / 2000
    for _ in range(2000):  # flows slide along kinks, where an adaptive step would shrink to nothing
        theta = theta + step * field(theta + step / 2 * field(theta))
    V, b = unpack(theta, 3, 4, 1)
    return rates[0] * b[:, 0] ** 2 - rates[1] * np.sum(V**2, axis=1), rates[0] * a**2 - rates[1] * np.sum(W**2, axis=1)


@claim(
    "kunin2024",
    "section 5",
    "Each neuron of a two-layer piecewise linear network conserves δ_k = η_w a_k² − η_a‖w_k‖², also where it "
    "crosses data",
    tolerance=1e-3,
    why="midpoint rule with 2000 steps, of first order where the flow slides along a kink",
)
def piecewise_conservation(setup: Setup) -> Any:
    return _bent_late(setup, RATES)


@piecewise_conservation.breaks("without the rates")
def without_the_rates(setup: Setup) -> Any:
    return _bent_late(setup, UNIT)


def _bent_balanced(setup: Setup, factor: float) -> Any:
    W, a, X, y = _bent(setup, balanced=True)
    theta, speed, xi = _bent_speed(W, a, X, y)
    here, pace = _polar(theta), np.sqrt(RATES[0] * RATES[1])
    unit, mu = here[:, :3], here[:, 3]
    along = np.sum(unit * xi, axis=1)[:, None]
    turn = -pace * np.sign(mu)[:, None] * (xi - along * unit)
    return rate(_polar, theta, speed), np.hstack([turn, -factor * pace * np.abs(mu)[:, None] * along])


@claim(
    "kunin2024",
    "section 5, balanced",
    "If δ_k = 0, dβ̂_k/dt = −√(η_aη_w) sgn(μ_k)(I − β̂_kβ̂_kᵀ)ξ_k and μ̇_k = −2√(η_aη_w)|μ_k| β̂_k·ξ_k",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_balanced(setup: Setup) -> Any:
    return _bent_balanced(setup, 2.0)


@piecewise_balanced.breaks("without the 2")
def without_the_2(setup: Setup) -> Any:
    return _bent_balanced(setup, 1.0)


def _bent_limits(setup: Setup, towards: float) -> Evidence:
    """How fast M_k/|δ_k| and the rates over |δ_k|, at fixed β_k and ξ_k, tend to the printed limits."""
    rng = setup.rng
    unit, xi = np.stack([unit_vector(rng, 3) for _ in range(4)]), rng.normal(size=(4, 3))
    mu = rng.uniform(0.5, 1.5, 4) * np.array([1.0, 1.0, -1.0, -1.0])
    along = np.sum(unit * xi, axis=1)[:, None]
    still = np.hstack([0 * xi, -along])
    moving = np.hstack([-(xi - along * unit) / mu[:, None], -along])
    ends = {1.0: (np.stack([np.eye(3)] * 4), moving), -1.0: (unit[:, :, None] * unit[:, None, :], still)}
    found = []
    for sign in (1.0, -1.0):
        gaps: list[list[float]] = [[], []]
        for size in SIZES:
            kappa = np.sqrt(size**2 + 4 * RATES[0] * RATES[1] * mu**2)
            large, small = (kappa + size) / 2, RATES[0] * RATES[1] * mu**2 * 2 / (kappa + size)
            outer, inner = (large, small) if sign > 0 else (small, large)
            M = outer[:, None, None] * np.eye(3) + inner[:, None, None] * unit[:, :, None] * unit[:, None, :]
            rates = _polar_rates(mu, unit, xi, np.full(4, sign * size))
            gaps[0].append(float(np.linalg.norm(M / size - ends[sign * towards][0])))
            gaps[1].append(float(np.linalg.norm(rates / size - ends[sign * towards][1])))
        found += [Evidence.slope(SIZES, gap, -2.0) for gap in gaps]
    return Evidence.worst(*found)


@claim(
    "kunin2024",
    "section 5, downstream and upstream",
    "For δ_k ≪ 0, M_k ≈ |δ_k|β̂_kβ̂_kᵀ, β̂_k stands still and μ̇_k ≈ −|δ_k|β̂_k·ξ_k; for δ_k ≫ 0, M_k ≈ δ_kI, "
    "dβ̂_k/dt ≈ −δ_kμ_k⁻¹(I − β̂_kβ̂_kᵀ)ξ_k and μ̇_k ≈ −δ_kβ̂_k·ξ_k",
    tolerance=0.05,
    why="relative differences of order δ_k⁻²: an exponent, over |δ_k| from 10 to 300",
)
def piecewise_limits(setup: Setup) -> Any:
    return _bent_limits(setup, 1.0)


@piecewise_limits.breaks("upstream and downstream exchanged")
def upstream_and_downstream_exchanged(setup: Setup) -> Any:
    return _bent_limits(setup, -1.0)


LARGE = 10 * SIZES


def _bent_regime(setup: Setup, sign: float) -> tuple[Array, Array]:
    """For each |δ_k| = Λ, at fixed β_k(0): kernel distance and relative movement of the parameters at time 10/Λ."""
    turns, moves = [], []
    for size in LARGE:
        rng = setup.rng
        signs, y = np.array([1.0, 1.0, -1.0, -1.0]), 2 * np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
        axes, X, units = orthonormal(rng, 3, 3), np.zeros((6, 3)), np.zeros((4, 3))
        while np.min(np.abs(X @ units.T)) < 0.05:  # y_ix_i in a cone; w_k across it, and no w_k·x_i near a kink
            X = y[:, None] / 2 * (axes[0] + 0.5 * np.stack([unit_vector(rng, 3) for _ in y]))
            units = np.stack([unit_vector(rng, 2) for _ in signs]) @ axes[1:]
        large = (size + np.sqrt(size**2 + 0.04 * RATES[0] * RATES[1])) / 2  # ‖β_k(0)‖ = 0.1
        outer, inner = (large, 0.01 * RATES[0] * RATES[1] / large)[:: int(sign)]
        W, a = np.sqrt(inner / RATES[1]) * units, np.sqrt(outer / RATES[0]) * signs
        theta, step = pack(W, a), 0.02 / size

        def field(theta: Array, X: Array = X, y: Array = y) -> Array:
            W, a = unpack(theta, 3, 4, 1)
            xi = (_gates(W, X) * (_outputs(theta, X) - y)) @ X
            return pack(-RATES[0] * a * xi, -RATES[1] * np.sum(W * xi, axis=1))

        kernels = []
        for point in (theta, None):
            if point is None:
                for _ in range(500):
                    theta = theta + step * field(theta + step / 2 * field(theta))
            kernels.append(_outputs_kernel(theta, X))
        turns.append(turned(kernels[1], kernels[0]))
        moves.append(np.linalg.norm(theta - pack(W, a)) / np.linalg.norm(pack(W, a)))
    return np.array(turns), np.array(moves)


@claim(
    "kunin2024",
    "section 5, downstream",
    "For δ_k ≪ 0 neither directions nor activation patterns change, only μ_k does: the tangent kernel stays constant",
    tolerance=0.3,
    why="w_k turns by 1/Λ², relatively: an exponent −4 of the kernel distance, over |δ_k| = Λ from 100 to 3000",
)
def downstream_is_lazy(setup: Setup) -> Any:
    return Evidence.slope(LARGE, _bent_regime(setup, -1.0)[0], -4.0)


@downstream_is_lazy.breaks("upstream")
def downstream_is_lazy_upstream(setup: Setup) -> Any:
    return Evidence.slope(LARGE, _bent_regime(setup, 1.0)[0], -4.0)


@claim(
    "kunin2024",
    "section 5, upstream",
    "For δ_k ≫ 0 the parameters hardly move and yet the kernel changes, as activation patterns do",
    tolerance=0.1,
    why="the relative movement is of order 1/Λ and the kernel distance does not depend on Λ: exponents −1 and 0, Λ "
    "from 100 to 3000; separable data, on which flows do not slide along kinks",
)
def upstream_is_rich(setup: Setup) -> Any:
    turns, moves = _bent_regime(setup, 1.0)
    seen = f"kernel distance {turns[-1]:.2f} at a movement of {moves[-1]:.0e}"
    found = Evidence.worst(Evidence.slope(LARGE, turns, 0.0), Evidence.slope(LARGE, moves, -1.0))
    return Evidence(found.error, f"{found.seen}; {seen}")


@upstream_is_rich.breaks("downstream")
def upstream_is_rich_downstream(setup: Setup) -> Any:
    return Evidence.slope(LARGE, _bent_regime(setup, -1.0)[0], 0.0)
