"""Write SymPy expressions as terms of Coq over the reals, node by node, and refuse whatever has no exact counterpart.

The text follows the tree of the expression: nothing is simplified on the way. Where Coq's total functions mean what
SymPy means only on a domain (1/x, √x, log x, x^y), `domain` collects the conditions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

# Words of Coq and of its library of the reals that a variable must not hide.
RESERVED = re.compile(
    "as|at|cofix|else|end|exists|fix|for|forall|fun|if|in|let|match|mod|return|then|using|where|with|Prop|Set|Type|R|PI|"
    "exp|ln|sqrt|sin|cos|sinh|cosh|tanh|arcsinh|atan|Rpower|Rabs|Rmax|Rmin|I|O|S|e|INR|IZR|root[0-9]+|power[0-9]+|"
    "rule[0-9]+|log_.*|E"
)
FUNCTIONS = {
    "exp": "exp",
    "log": "ln",
    "sin": "sin",
    "cos": "cos",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "asinh": "arcsinh",
    "atan": "atan",
    "Abs": "Rabs",
}
SUM, PRODUCT, SIGN, POWER, ATOM = range(5)  # how tightly a term binds


class NotExportable(ValueError):
    """An expression has a node without an exact counterpart among the real functions of Coq."""


@dataclass
class Writer:
    """Writes expressions with one name for each symbol, in the order of appearance."""

    names: dict[Any, str] = field(default_factory=dict)

    def __call__(self, expression: Any) -> str:
        return self._term(expression)[0]

    def name(self, symbol: Any) -> str:
        """Return the variable of a symbol, or of a function at an argument, which may be any real."""
        if symbol not in self.names:
            plain = re.sub(r"\W|[^\x00-\x7f]", "_", str(getattr(symbol, "name", "") or symbol.func))
            plain = plain if re.match(r"[A-Za-z]", plain) and not RESERVED.fullmatch(plain) else f"v_{plain}"
            taken = set(self.names.values())
            tries = [plain, *(f"{plain}_{n}" for n in range(1, len(taken) + 2))]
            self.names[symbol] = next(each for each in tries if each not in taken)
        return self.names[symbol]

    def _term(self, e: Any) -> tuple[str, int]:
        import sympy

        if e.is_Integer:
            return (str(e), ATOM) if e >= 0 else (f"(-{-e})", ATOM)
        if e.is_Rational:
            return f"({e.p} / {e.q})", ATOM
        if e is sympy.pi:
            return "PI", ATOM
        if e is sympy.E:
            return "exp 1", POWER - 1
        if e.is_Symbol or is_opaque(e) or e in self.names:
            return self.name(e), ATOM
        if e.is_Add:
            return self._sum(e), SUM
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow and not isinstance(e, sympy.exp):
            return self._power(e.base, e.exp)
        coq = FUNCTIONS.get(type(e).__name__)
        if coq is None or len(e.args) != 1:
            raise NotExportable(f"{type(e).__name__} has no counterpart: {e}")
        return f"{coq} {self.within(e.args[0], ATOM)}", SIGN

    def within(self, e: Any, least: int = ATOM) -> str:
        """Return a term as an argument, in parentheses if it needs them."""
        text, binds = self._term(e)
        return text if binds >= least else f"({text})"

    def _sum(self, e: Any) -> str:
        parts = []
        for term in e.args:
            negative = term.as_coeff_Mul()[0].is_negative
            text = self.within(-term if negative else term, PRODUCT)
            parts.append(f"{'-' if negative else '+'} {text}")
        return " ".join(parts).removeprefix("+ ")

    def _product(self, e: Any) -> tuple[str, int]:
        above: list[Any] = []
        below: list[Any] = []
        for factor in e.args:
            inverse = factor.is_Pow and factor.exp.is_Rational and factor.exp < 0
            (below if inverse else above).append(1 / factor if inverse else factor)
        top = " * ".join(self.within(factor, SIGN) for factor in above) or "1"
        for factor in below:
            top += f" / {self.within(factor, SIGN)}"
        return top, PRODUCT

    def _power(self, base: Any, exponent: Any) -> tuple[str, int]:
        import sympy

        if exponent.is_Integer:
            power = f"{self.within(base, ATOM)} ^ {abs(exponent)}" if abs(exponent) != 1 else self.within(base, SIGN)
        elif exponent.is_Rational and exponent.q == 2:
            root = self.names.get(base ** sympy.Rational(1, 2)) or f"sqrt {self.within(base, ATOM)}"
            power = f"({root}) ^ {abs(exponent.p)}" if abs(exponent.p) != 1 else root
        else:
            return f"Rpower {self.within(base, ATOM)} {self.within(exponent, ATOM)}", SIGN
        return (power, SIGN) if exponent > 0 else (f"/ ({power})", SIGN)


def is_opaque(e: Any) -> bool:
    """Return whether a node stands for any real: an unknown function at a point, or its derivative there."""
    import sympy

    return isinstance(e, sympy.Derivative | sympy.core.function.AppliedUndef)


def is_symbolic_power(e: Any) -> bool:
    """Return whether a node is a power that is written as Coq's Rpower."""
    import sympy

    return e.is_Pow and not isinstance(e, sympy.exp) and not (e.exp.is_Rational and e.exp.q <= 2)


def nodes(expression: Any) -> Iterator[Any]:
    """Yield the nodes of an expression, inner ones first, without those below an opaque node."""
    if not is_opaque(expression):
        for each in expression.args:
            yield from nodes(each)
    yield expression


def domain(*expressions: Any) -> list[tuple[str, Any]]:
    """Return the conditions under which the expressions mean in Coq what they mean in SymPy, inner ones first.

    Each is a relation to zero ("<>", ">=" or ">") of an expression. Those that hold by sight are left out.
    """
    import sympy

    found: dict[tuple[str, Any], None] = {}
    for e in (node for each in expressions for node in nodes(each)):
        if isinstance(e, sympy.log):
            found[">", e.args[0]] = None
        elif e.is_Pow and not isinstance(e, sympy.exp):
            if e.exp.is_Integer:
                if e.exp < 0:
                    found["<>", e.base] = None
            elif e.exp.is_Rational and e.exp.q == 2:
                found[">" if e.exp < 0 else ">=", e.base] = None
            else:
                found[">", e.base] = None
    return [(relation, e) for relation, e in found if not _has_obvious_sign(relation, e)]


def _has_obvious_sign(relation: str, e: Any) -> bool:
    sign = sign_by_sight(e)
    return sign == 2 or (relation == "<>" and sign == -2) or (relation == ">=" and sign == 1)


def sign_by_sight(e: Any) -> int:
    """Return 2 for what is positive, 1 not negative, −1 not positive, −2 negative: by the signs of its parts; else 0.

    >>> from sympy import symbols
    >>> x, p = symbols("x"), symbols("p", positive=True)
    >>> [sign_by_sight(e) for e in (1 + x**2, p * x**2, -p, x, p - 1)]
    [2, 1, -2, 0, 0]
    """
    import sympy

    if e.is_Number:
        return 2 * int(sympy.sign(e))
    if e.is_Symbol:
        return 2 if e.is_positive else -2 if e.is_negative else 1 if e.is_nonnegative else 0
    if e in (sympy.pi, sympy.E) or isinstance(e, sympy.exp | sympy.cosh):
        return 2
    signs = [sign_by_sight(part) for part in e.args]
    if e.is_Add:
        least, most = min(signs), max(signs)
        return max(signs) if least > 0 else min(signs) if most < 0 else 0
    if e.is_Mul:
        product = 2
        for sign in signs:
            product = 0 if 0 in (sign, product) else (1 if sign * product > 0 else -1) * min(abs(sign), abs(product))
        return product
    if e.is_Pow:
        return _sign_of_power(signs[0], e.exp)
    return 0


def _sign_of_power(sign: int, exponent: Any) -> int:
    if sign == 2:
        return 2
    if exponent.is_Integer and exponent % 2 == 0:
        return 2 if abs(sign) == 2 else 1
    if exponent.is_Integer:
        return sign
    return 1 if exponent.is_Rational and sign == 1 else 0
