"""Proofs of statements about all real numbers, decided by z3 (see `real_arithmetic.py`)."""

from typing import Any

from lazyrich.papers.azulay2021.claims.diagonal_scale_and_shape import diagonal_shape
from lazyrich.papers.azulay2021.claims.leaky_neuron import leaky_slopes
from lazyrich.papers.azulay2021.claims.neuron_scale_and_shape import increasing_potential
from lazyrich.papers.azulay2021.claims.warped_potential import warp_rises
from lazyrich.papers.real_arithmetic import for_all


@diagonal_shape.proof("in general: 4k̂ ≤ √k < 8k̂ for α > 0 and −1 < s < 1", whole=False)
def between_four_and_eight(spoiled: bool) -> Any:
    from sympy import symbols

    alpha, s = symbols("alpha", positive=True), symbols("s", real=True)
    root_k, hat = 4 * alpha * (1 + s**2) / (1 - s**2), alpha / (1 - s**2)
    return for_all([s > -1, s < 1], [4 * hat <= root_k, root_k < (7 if spoiled else 8) * hat])


@leaky_slopes.proof(
    "in general: the larger of x and ρx is x or ρx by the sign of x, for ρ ≤ 1, and not for ρ > 1", general=True
)
def larger_of_two_slopes(spoiled: bool) -> Any:
    from sympy import Eq, Implies, Max, symbols

    x, rho = symbols("x", real=True), symbols("rho", positive=True)
    kinked = Max(x, rho * x)
    stated = [Implies(x > 0, Eq(kinked, x)), Implies(x <= 0, Eq(kinked, rho * x))]
    return for_all([] if spoiled else [rho <= 1], stated)


@increasing_potential.proof("in general: √(x² + δ²/4) − δ/2 > 0 for x > 0, so that q̂′ is positive", whole=False)
def root_above_half(spoiled: bool) -> Any:
    from sympy import Eq, symbols

    delta = symbols("delta", real=True)
    root = symbols("r", nonnegative=True)
    x = symbols("x", **({"nonnegative": True} if spoiled else {"positive": True}))
    return for_all([Eq(root**2, x**2 + delta**2 / 4)], root > delta / 2)


@warp_rises.proof(
    "in general, δ of either sign: its numerator and each factor below are positive for x > 0", whole=False
)
def every_factor_is_positive(spoiled: bool) -> Any:
    from sympy import Eq, symbols

    delta, x, root = symbols("delta", real=True), symbols("x", positive=True), symbols("r", nonnegative=True)
    known = Eq(root**2, x**2 + (0 if spoiled else 1) * delta**2 / 4)
    return for_all([known], [2 * root - delta > 0, root > 0, root - delta / 2 > 0])
