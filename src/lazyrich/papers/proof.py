"""Proofs by computer algebra: an identity whose two sides are equal as expressions, or a fact decided without rounding.

A proof is a function of one argument, `spoiled`: with False it returns what is to be proved, with True the same with
its formula changed in one place, which must then be refuted. What it returns is

- a pair (left, right) of SymPy expressions, matrices, or sequences of them: equal, by rewriting alone; or
- a statement about all real numbers that z3 decides (see `real_arithmetic.py`): the changed one must have a
  counterexample; or
- a Boolean that is decided exactly: by rational arithmetic, by SymPy, or by intervals of mpmath that do not overlap.
  None, and whatever else is no Boolean, is undecided: it neither proves nor refutes.
"""

import hashlib
import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from lazyrich._io import compilation_cache
from lazyrich._io.npz_file import atomic_write
from lazyrich.papers.fingerprint import fingerprint
from lazyrich.papers.real_arithmetic import Decision, for_all

Prove = Callable[[bool], Any]


@dataclass(frozen=True)
class Proof:
    """A proof with its scope: "in general", or the sizes.

    - `whole`: it proves the statement as it is checked, at that scope, and not a step, one part or a special case.
    - `general`: it proves it in the generality in which it is printed, and not only at one size.
    """

    scope: str
    prove: Prove
    whole: bool = True
    general: bool = False

    @property
    def by(self) -> str:
        """What decides it: z3 if it is a statement about all reals, and otherwise SymPy or exact arithmetic."""
        return "z3" if for_all.__name__ in self.prove.__code__.co_names else "computer algebra"

    def check(self) -> str:
        """Return what is wrong with the proof: "" if it proves the formula and refutes the changed one.

        The result is cached by the hash of the code, if the proof belongs to this package.
        """
        if not self.prove.__module__.startswith(__package__):
            return self._trouble()
        kept = compilation_cache.cache_directory("proofs") / self._key
        if kept.exists():
            return kept.read_text(encoding="utf-8")
        trouble = self._trouble()
        with atomic_write(kept) as file:
            file.write(trouble.encode())
        return trouble

    def _trouble(self) -> str:
        found = self.prove(False)
        if not _is_true(found):
            why = f": it {found}" if isinstance(found, Decision) else ""
            return f"the proof does not go through ({self.scope}){why}"
        if not _is_false(self.prove(True)):
            return f"the proof goes through with the formula spoiled, or cannot tell ({self.scope})"
        return ""

    @property
    def _key(self) -> str:
        versions = [version(package) for package in ("sympy", "z3-solver") if find_spec(package.split("-")[0])]
        parts = [fingerprint(self.prove.__module__), inspect.getsource(self.prove), self.scope, *versions]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _is_true(sides: Any) -> bool:
    """Return whether two sides are equal, entry by entry, as expressions; or whether a Boolean is true."""
    if not isinstance(sides, tuple):
        return _truth_value(sides) is True
    gaps = [left - right for left, right in entries(*sides)]
    return bool(gaps) and all(is_zero(gap) for gap in gaps)


def _is_false(sides: Any) -> bool:
    """Return whether two sides clearly differ at a point where every symbol is a number; or whether a Boolean is
    false."""
    if not isinstance(sides, tuple):
        return _truth_value(sides) is False
    return any(_clearly_not_zero(left - right) for left, right in entries(*sides))


def _truth_value(found: Any) -> bool | None:
    """Return the value of a decision or of a Boolean of Python, NumPy or SymPy, or None for anything else, which is
    undecided."""
    import sympy

    if isinstance(found, Decision):
        return found.holds
    return bool(found) if isinstance(found, bool | np.bool_ | type(sympy.true) | type(sympy.false)) else None


def entries(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the two sides entry by entry."""
    import sympy

    if isinstance(left, list | tuple):
        for one, other in zip(left, right, strict=True):
            yield from entries(one, other)
    elif isinstance(left, sympy.MatrixBase):
        if not isinstance(right, sympy.MatrixBase) or left.shape != right.shape:
            raise ValueError(f"a matrix of shape {left.shape} is compared with {getattr(right, 'shape', right)}")
        yield from zip(left, right, strict=True)
    else:
        yield sympy.sympify(left), sympy.sympify(right)


def is_zero(expression: Any) -> bool:
    """Return whether an expression is zero by rewriting alone, without inserting numbers.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> is_zero((x + 1) ** 2 - x**2 - 2 * x - 1), is_zero(sympy.sin(x) - x)
    (True, False)
    """
    import sympy

    expression = sympy.sympify(expression)
    if expression == 0:
        return True
    rewritings = (
        sympy.expand,
        lambda e: sympy.expand(sympy.fraction(sympy.together(e))[0]),
        lambda e: sympy.simplify(e.rewrite(sympy.exp)),
        sympy.radsimp,
        sympy.simplify,
    )
    return any(rewrite(expression) == 0 for rewrite in rewritings)


def _clearly_not_zero(expression: Any) -> bool:
    """Return whether an expression is nonzero at one of a few points of small rationals, in thirty digits."""
    import sympy

    expression = sympy.sympify(expression)
    symbols = sorted(expression.free_symbols, key=str)
    for start in range(3):
        primes = itertools.islice((sympy.prime(n) for n in itertools.count(3 + 5 * start)), len(symbols))
        values = {symbol: sympy.Rational(prime, 11) for symbol, prime in zip(symbols, primes, strict=True)}
        value = sympy.N(expression.subs(values), 30)
        if value.is_number and value.is_finite and abs(value) > sympy.Rational(1, 10**9):
            return True
    return False
