"""Section 4 and appendix B.1: two-layer linear networks f(x) = AᵀWx, W (h, d), A (h, c), β = WᵀA."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.checks.derivatives import jacobian
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    FLOW,
    RATES,
    ROUNDING,
    SIZES,
    Array,
    M_of,
    after_a_while,
    data,
    oplus,
    pack,
    unpack,
    velocity,
)
from lazyrich.papers.rule import Verdict


def _vec(beta: Array) -> Array:
    """Columns one below the other."""
    return beta.ravel(order="F")


def _wide(setup: Setup, d: int = 4, h: int = 3, c: int = 2) -> tuple[Array, Array, Array, Array]:
    """A generic two-layer network and data."""
    rng = setup.rng
    return rng.normal(size=(h, d)), rng.normal(size=(h, c)), *data(rng, d, c)


@claim(
    "kunin2024",
    "section 4",
    "Δ = η_w AAᵀ − η_a WWᵀ is conserved by the flow of a two-layer linear network, for any data",
    tolerance=1e-9,
    why=FLOW,
)
def wide_conservation(setup: Setup) -> Any:
    W, A, X, Y = _wide(setup, *setup.pick((4, 3, 2), (8, 6, 5)))
    Wt, At = after_a_while(W, A, X, Y, time=2.0)
    return RATES[0] * At @ At.T - RATES[1] * Wt @ Wt.T, RATES[0] * A @ A.T - RATES[1] * W @ W.T


@wide_conservation.breaks("the rates of the layers exchanged")
def the_rates_of_the_layers_exchanged(setup: Setup) -> Any:
    W, A, X, Y = _wide(setup)
    Wt, At = after_a_while(W, A, X, Y, time=2.0)
    return RATES[1] * At @ At.T - RATES[0] * Wt @ Wt.T, RATES[1] * A @ A.T - RATES[0] * W @ W.T


def _drift(setup: Setup, at: float, wt: float) -> Any:
    W, A, X, Y = _wide(setup)
    dW, dA = velocity(W, A, X, Y)
    printed = -RATES[0] * (X.T @ (X @ W.T @ A - Y) @ A.T).T, -RATES[1] * W @ X.T @ (X @ W.T @ A - Y)
    np.testing.assert_allclose(pack(dW, dA), pack(*printed), rtol=1e-10, atol=1e-10)  # the printed Ẇ and Ȧ are right
    size = np.linalg.norm(dA @ A.T + A @ dA.T)
    return (at * (dA @ A.T + A @ dA.T) - wt * (dW @ W.T + W @ dW.T)) / size, np.zeros((3, 3))


@claim(
    "kunin2024",
    "appendix B.1",
    "Δ = A₀A₀ᵀ − W₀W₀ᵀ is conserved under Ȧ = −η_a WXᵀ(Xβ − Y), Ẇᵀ = −η_w Xᵀ(Xβ − Y)Aᵀ",
    tolerance=1e-12,
    why="derivatives by complex steps, exact to rounding",
    verdict=Verdict.CORRECTED,
    remark="the rates are missing: η_w AAᵀ − η_a WWᵀ is conserved, as in section 4",
)
def wide_conservation_in_the_appendix(setup: Setup) -> Any:
    return _drift(setup, *RATES)


@wide_conservation_in_the_appendix.printed
def wide_conservation_in_the_appendix_as_printed(setup: Setup) -> Any:
    return _drift(setup, 1.0, 1.0)


@wide_conservation_in_the_appendix.breaks("the rates of the layers exchanged")
def wide_conservation_in_the_appendix_the_rates_of_the_layers_exchanged(setup: Setup) -> Any:
    return _drift(setup, *RATES[::-1])


def _tangent_kernel(setup: Setup, M: Callable[[Array, Array], Array]) -> Any:
    W, A, X, _ = _wide(setup)

    def outputs(theta: Array) -> Array:
        first, last = unpack(theta, 4, 3, 2)
        return _vec(X @ first.T @ last)

    J = jacobian(outputs, pack(W, A))
    speeds = np.repeat(RATES, (W.size, A.size))
    spread = np.kron(np.eye(2), X)
    return (J * speeds) @ J.T, spread @ M(W, A) @ spread.T


@claim(
    "kunin2024",
    "section 4 and appendix B.1",
    "The tangent kernel is K = (I_c ⊗ X)(η_w AᵀA ⊕ η_a WᵀW)(I_c ⊗ Xᵀ), outputs stacked column by column",
    tolerance=1e-12,
    why=ROUNDING,
)
def wide_tangent_kernel(setup: Setup) -> Any:
    return _tangent_kernel(setup, M_of)


@wide_tangent_kernel.breaks("the rates of the layers exchanged")
def wide_tangent_kernel_the_rates_of_the_layers_exchanged(setup: Setup) -> Any:
    return _tangent_kernel(setup, lambda W, A: M_of(W, A, RATES[::-1]))


def _function_flow(setup: Setup, stack: Callable[[Array], Array]) -> Any:
    W, A, X, Y = _wide(setup)
    dW, dA = velocity(W, A, X, Y)
    return stack(dW.T @ A + W.T @ dA), -M_of(W, A) @ stack(X.T @ X @ W.T @ A - X.T @ Y)


@claim(
    "kunin2024",
    "section 4 and appendix B.1.2",
    "vec(β̇) = −(η_w AᵀA ⊕ η_a WᵀW) vec(XᵀXβ − XᵀY), vec stacking columns",
    tolerance=1e-12,
    why=ROUNDING,
)
def wide_function_flow(setup: Setup) -> Any:
    return _function_flow(setup, _vec)


@wide_function_flow.breaks("vec stacking rows")
def vec_stacking_rows(setup: Setup) -> Any:
    return _function_flow(setup, np.ravel)


def _outer(beta: Array, delta: float, sign: float = 1.0) -> tuple[Array, Array]:
    """η_w aaᵀ and η_a wwᵀ of one neuron from β = waᵀ and δ, as printed."""
    square = np.sum(beta**2)
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * square)
    return (kappa + sign * delta) / 2 * beta.T @ beta / square, (kappa - sign * delta) / 2 * beta @ beta.T / square


def _theorem_2(setup: Setup, sign: float) -> Any:
    W, A, X, Y = _wide(setup)
    Wt, At = after_a_while(W, A, X, Y)
    delta = np.diag(RATES[0] * A @ A.T - RATES[1] * W @ W.T)
    return M_of(Wt, At), sum(oplus(*_outer(np.outer(w, a), dk, sign)) for w, a, dk in zip(Wt, At, delta, strict=True))


@claim(
    "kunin2024",
    "theorem 2",
    "M(t) = Σ_k M_k, each a Kronecker sum given by β_k(t) = w_k a_kᵀ and the conserved δ_k = Δ_kk",
    tolerance=1e-9,
    why=FLOW,
)
def theorem_2(setup: Setup) -> Any:
    return _theorem_2(setup, 1.0)


@theorem_2.breaks("δ_k of the wrong sign")
def delta_k_of_the_wrong_sign(setup: Setup) -> Any:
    return _theorem_2(setup, -1.0)


def _one_unit(setup: Setup, d: int, c: int, sign: float = 1.0) -> tuple[Array, Array]:
    rng = setup.rng
    w, a = rng.normal(size=(1, d)), rng.normal(size=(1, c))
    J = jacobian(lambda theta: _vec(np.outer(theta[:d], theta[d:])), pack(w, a))
    delta = RATES[0] * np.sum(a**2) - RATES[1] * np.sum(w**2)
    beta, square = w.T @ a, np.sum(w**2) * np.sum(a**2)
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * square)
    if d == c == 1:
        M = kappa * np.eye(1)
    elif c == 1:
        M = (kappa + sign * delta) / 2 * np.eye(d) + (kappa - sign * delta) / 2 * beta @ beta.T / square
    else:
        M = (kappa + sign * delta) / 2 * beta.T @ beta / square + (kappa - sign * delta) / 2 * np.eye(c)
    return (J * np.repeat(RATES, (d, c))) @ J.T, M


@claim(
    "kunin2024",
    "appendix B.1.4",
    "For one hidden unit M is ½(κ+δ) I + ½(κ−δ) ββᵀ/‖β‖² if c = 1, ½(κ+δ) βᵀβ/‖β‖² + ½(κ−δ) I if d = 1, κ if both; "
    "κ² = δ² + 4η_aη_w‖β‖²",
    tolerance=1e-12,
    why=ROUNDING,
)
def one_hidden_unit(setup: Setup) -> Any:
    pairs = [_one_unit(setup, d, c) for d, c in ((4, 1), (1, 3), (1, 1))]
    return [np.concatenate([pair[side].ravel() for pair in pairs]) for side in (0, 1)]


@one_hidden_unit.breaks("δ of the wrong sign")
def delta_of_the_wrong_sign(setup: Setup) -> Any:
    return _one_unit(setup, 4, 1, -1.0)


def _unit_at(w: Array, a: Array, delta: float) -> Array:
    """M of one hidden unit in these directions with ‖β‖ = 1, from its weights."""
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1])
    small = 2 * RATES[0] * RATES[1] / (kappa + abs(delta))  # (κ − |δ|)/2 without cancellation
    large = (kappa + abs(delta)) / 2
    outer, inner = (large, small) if delta > 0 else (small, large)
    return M_of(np.sqrt(inner / RATES[1]) * w[None], np.sqrt(outer / RATES[0]) * a[None])


def _unit_limits(setup: Setup, towards: float) -> Evidence:
    rng = setup.rng
    w, a = (v / np.linalg.norm(v) for v in (rng.normal(size=4), rng.normal(size=3)))
    one = np.ones(1)
    cases = (  # d, c, the sign of δ, the limit of M/|δ|
        (w, one, towards, np.eye(4)),
        (one, a, towards, np.outer(a, a)),
        (w, one, -towards, np.outer(w, w)),
        (one, a, -towards, np.eye(3)),
        (one, one, towards, np.eye(1)),
        (one, one, -towards, np.eye(1)),
    )
    return Evidence.worst(
        *(
            Evidence.slope(SIZES, [np.linalg.norm(_unit_at(u, v, sign * size) / size - end) for size in SIZES], -2.0)
            for u, v, sign, end in cases
        )
    )


@claim(
    "kunin2024",
    "appendix B.1.4",
    "One hidden unit: as δ → +∞, M/|δ| tends to I_d (c = 1) or to βᵀβ/‖β‖² (d = 1); as δ → −∞, to ββᵀ/‖β‖² (c = 1) or "
    "I_c (d = 1); if d = c = 1 to 1 both ways",
    tolerance=0.05,
    why="the difference is of order δ⁻²: an exponent, over |δ| from 10 to 300",
)
def one_hidden_unit_limits(setup: Setup) -> Any:
    return _unit_limits(setup, 1.0)


@one_hidden_unit_limits.breaks("the two limits exchanged")
def the_two_limits_exchanged(setup: Setup) -> Any:
    return _unit_limits(setup, -1.0)
