"""Statements about all real numbers, decided by z3: proved, or refuted by numbers that are printed.

`for_all(hypotheses, conclusion)` asks z3 for reals that satisfy the hypotheses and not the conclusion. There are none:
proved. There are: a counterexample. z3 gives up: undecided, which proves nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

RESOURCES = 3_000_000  # z3's own count of its steps, so that the answer does not depend on the machine; some seconds


@dataclass(frozen=True)
class Decision:
    """An answer: `holds` is True, False with a counterexample, or None, which is undecided, with the reason."""

    holds: bool | None
    counterexample: dict[str, str] = field(default_factory=dict)
    reason: str = ""

    def __str__(self) -> str:
        if self.holds:
            return "holds for all reals"
        numbers = ", ".join(f"{name} = {value}" for name, value in self.counterexample.items())
        return f"undecided: {self.reason}" if self.holds is None else f"fails at {numbers or 'every point'}"


def for_all(hypotheses: Sequence[Any], conclusion: Any, *, resources: int = RESOURCES) -> Decision:
    """Decide whether the conclusion holds for all reals that satisfy the hypotheses.

    Both are relations of SymPy between rational functions (with Abs, Max and Min), joined by And, Or, Not, Implies and
    Equivalent; a sequence of conclusions is their conjunction. Assumptions of symbols (positive and so on) are
    hypotheses, too. The hypotheses say that their denominators are not zero; of those of the conclusion it is part of
    what is to be shown. Hypotheses that no reals satisfy prove nothing.

    >>> from sympy import symbols
    >>> x, p = symbols("x"), symbols("p", positive=True)
    >>> print(for_all([x > p], x**2 > p * x))
    holds for all reals
    >>> print(for_all([x < p, x >= 0], x**2 < p * x))
    fails at x = 0, p = 1
    """
    import z3

    conclusions = conclusion if isinstance(conclusion, list | tuple) else [conclusion]
    write = _Writer()
    stated = [write(each) for each in conclusions]
    defined = write.take_conditions()
    given = [write(each) for each in hypotheses]
    given += [*write.take_conditions(), *write.assumptions()]
    found, model = _solve(given, resources)
    if found != z3.sat:
        return Decision(None, reason="no reals satisfy the hypotheses" if found == z3.unsat else "z3 gave up on them")
    found, model = _solve([*given, z3.Not(z3.And(*stated, *defined))], resources)
    if found == z3.unsat:
        return Decision(True)
    if found == z3.unknown:
        return Decision(None, reason="z3 gave up")
    return Decision(False, {str(symbol): _number(model, name) for symbol, name in write.names.items()})


def _solve(formulas: Sequence[Any], resources: int) -> tuple[Any, Any]:
    import z3

    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", resources)
    solver.add(*formulas)
    found = solver.check()
    return found, solver.model() if found == z3.sat else None


def _number(model: Any, name: Any) -> str:
    """Return the value of a variable: a fraction, or the decimals of an algebraic number."""
    import z3

    value = model.eval(name, model_completion=True)
    return str(Fraction(value.as_fraction())) if z3.is_rational_value(value) else value.as_decimal(12)


class _Writer:
    """Writes expressions and relations of SymPy as formulas of z3, with one real for each symbol."""

    def __init__(self) -> None:
        self.names: dict[Any, Any] = {}
        self._conditions: list[Any] = []

    def take_conditions(self) -> list[Any]:
        """Return the conditions of what was written since, that no denominator is zero."""
        conditions, self._conditions = self._conditions, []
        return conditions

    def assumptions(self) -> list[Any]:
        """Return what SymPy assumes of the symbols."""
        signs = {"positive": ">", "negative": "<", "nonnegative": ">=", "nonpositive": "<=", "nonzero": "!="}
        return [
            _compare(name, sign, 0)
            for symbol, name in self.names.items()
            for assumed, sign in signs.items()
            if getattr(symbol, f"is_{assumed}")
        ]

    def __call__(self, e: Any) -> Any:
        import sympy
        import z3

        if isinstance(e, bool) or e in (sympy.true, sympy.false):
            return z3.BoolVal(bool(e))
        if isinstance(e, sympy.core.relational.Relational):
            return _compare(self.term(e.lhs - e.rhs), e.rel_op, 0)
        joins = {sympy.And: z3.And, sympy.Or: z3.Or, sympy.Not: z3.Not, sympy.Implies: z3.Implies}
        for kind, join in joins.items():
            if isinstance(e, kind):
                return join(*map(self, e.args))
        if isinstance(e, sympy.Equivalent):
            first, *rest = map(self, e.args)
            return z3.And(*(first == other for other in rest))
        raise TypeError(f"a hypothesis or conclusion must be a relation; found {e!r}: write Eq(a, b), a < b, And(…)")

    def term(self, e: Any) -> Any:
        """Return an expression as a term of z3, and note that its denominators are not zero."""
        import sympy
        import z3

        if e.is_Rational:
            return z3.Q(e.p, e.q)
        if e.is_Symbol:
            return self.names.setdefault(e, z3.Real(f"x{len(self.names)}"))
        parts = [self.term(each) for each in e.args[: 1 if e.is_Pow else None]]
        if e.is_Add:
            return sum(parts[1:], parts[0])
        if e.is_Mul:
            return _product(parts)
        if e.is_Pow and e.exp.is_Integer:
            power = _product(parts * abs(int(e.exp)))
            if e.exp < 0:
                self._conditions.append(power != 0)
            return power if e.exp > 0 else 1 / power
        if isinstance(e, sympy.Abs):
            return z3.If(parts[0] < 0, -parts[0], parts[0])
        if isinstance(e, sympy.Max | sympy.Min):
            largest = parts[0]
            for part in parts[1:]:
                largest = z3.If((part > largest) if isinstance(e, sympy.Max) else (part < largest), part, largest)
            return largest
        raise TypeError(
            f"z3 decides rational functions of reals; found {e}: name it by a symbol, and state what is known of it "
            "(r ≥ 0 and r² = x for a root)"
        )


def _product(parts: Sequence[Any]) -> Any:
    product = parts[0]
    for part in parts[1:]:
        product = product * part
    return product


def _compare(left: Any, relation: str, right: Any) -> Any:
    results = {"==": left == right, "!=": left != right, "<": left < right, "<=": left <= right, ">": left > right}
    return {**results, ">=": left >= right}[relation]
