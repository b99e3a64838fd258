"""Proofs of statements about all real numbers, decided by z3 (see `real_arithmetic.py`)."""

from typing import Any

from lazyrich.papers.dln.claims.implicit_regularization import greedy_path
from lazyrich.papers.dln.claims.landscape import degenerate_products
from lazyrich.papers.real_arithmetic import for_all


@greedy_path.proof("two modes, a = (a_1, 0) with a_1 ≤ s_1 − s_2: no b of at most its loss has a smaller norm")
def none_is_smaller(spoiled: bool) -> Any:
    from sympy import symbols

    s1, s2 = symbols("s1 s2", positive=True)
    a1, b1, b2 = symbols("a1 b1 b2", nonnegative=True)
    loss = (s1 - a1) ** 2 + s2**2
    return for_all([a1 <= s1 - (0 if spoiled else s2), (s1 - b1) ** 2 + (s2 - b2) ** 2 <= loss], b1 + b2 >= a1)


@degenerate_products.proof(
    "widths 1, 2, 1: where the slopes vanish and neither layer is zero, W_eff = T; widths 2, 1, 2: not so", whole=False
)
def slopes_of_two_layers(spoiled: bool) -> Any:
    """With the bottleneck z3 finds a saddle of rank one: no layer has a zero singular value, and W_eff ≠ T."""
    from sympy import Eq, Matrix, Ne, Or, diag, symbols

    wide, one = (Matrix(2, 1, symbols(f"{name}:2", real=True)) for name in "vw")
    s, u = symbols("s u", positive=True)
    inner, outer, T = (one.T, wide, diag(s, u)) if spoiled else (one, wide.T, Matrix([[s]]))
    error = T - outer * inner
    slopes = [Eq(entry, 0) for slope in (outer.T * error, error * inner.T) for entry in slope]
    not_zero = [Or(*(Ne(entry, 0) for entry in layer)) for layer in (one, wide)]
    return for_all([*slopes, *not_zero], [Eq(entry, 0) for entry in error])
