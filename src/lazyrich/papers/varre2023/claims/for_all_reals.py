"""Proofs of statements about all real numbers, decided by z3 (see `real_arithmetic.py`)."""

from typing import Any

from lazyrich.papers.real_arithmetic import for_all
from lazyrich.papers.varre2023.claims.setting import not_convex


@not_convex.proof(
    "the first half, entry by entry of the residual, which is linear in β: a square is convex", whole=False
)
def below_the_chord(spoiled: bool) -> Any:
    from sympy import symbols

    r, q, t = symbols("r q t", real=True)
    power = 3 if spoiled else 2
    return for_all([t >= 0, t <= 1], (t * r + (1 - t) * q) ** power <= t * r**power + (1 - t) * q**power)
