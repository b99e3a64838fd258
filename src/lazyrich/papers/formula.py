"""Formulas of statements: the text that is printed is also what the check and the proof evaluate.

A statement has its formulas between dollars, `"balanced: $φ(t) = tanh(artanh φ₀ + ‖β*‖t)$"`. They are printed as they
stand, without the dollars. The check evaluates them on numbers and the proof on SymPy symbols, so a formula that is
altered in print makes both fail.
"""

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

Tree = tuple[Any, ...]

RELATIONS = re.compile(r"\s+([=≤≥<>→≈∝])\s+")
FUNCTIONS = {  # the name of the function in NumPy, and in SymPy if that differs
    "exp": ("exp",), "log": ("log",), "ln": ("log",), "sgn": ("sign",), "max": ("maximum", "Max"),
    "min": ("minimum", "Min"), "sin": ("sin",), "cos": ("cos",), "arctan": ("arctan", "atan"), "sinh": ("sinh",),
    "cosh": ("cosh",), "tanh": ("tanh",), "artanh": ("arctanh", "atanh"), "arsinh": ("arcsinh", "asinh"),
    "arcsinh": ("arcsinh", "asinh"), "asinh": ("arcsinh", "asinh"), "tr": ("trace",), "det": ("linalg.det", "det"),
    "diag": ("diag",),
}  # fmt: skip
CONSTANTS = {"e": ("e", "E"), "π": ("pi", "pi")}
FRACTIONS = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅛": "1/8"}
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))
NUMBER = r"\d+(?:\.\d+)?"
OPENING, CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class Formula:
    """A formula in the notation of the statements, such as "β_∞ = β* + αv".

    It is evaluated on the values of its names, which are numbers, arrays or SymPy expressions. A name is any text: "t",
    "η_w", "‖β*‖", "φ(t)". Every character must be read; else a ValueError says which was not.

    - Two-dimensional arrays are matrices: their products and powers are those of matrices (other than integer powers:
      of symmetric ones), ᵀ is the transpose, and "·" between two columns is their inner product.
    - Factors that stand side by side are multiplied before "/" divides: v/2R is v/(2R). After "/" they must touch.
    - The argument of a function is in brackets, or else what touches: "sinh 2s + 1" is sinh(2s) + 1.

    >>> float(Formula("x(t) = 2cosh²s/(1 + s)").right({"s": 0.0}))
    2.0
    """

    text: str

    def sides(self, values: Mapping[str, Any]) -> tuple[Any, Any]:
        """Return the first and the last side; of an inequality the side that is the smaller one first."""
        parts = RELATIONS.split(self.text)
        if len(parts) < 3:
            raise ValueError(f"a formula with two sides is needed; found {self.text!r}")
        first, last = self.left(values), self.right(values)
        return (last, first) if parts[1] in "≥>" else (first, last)

    def left(self, values: Mapping[str, Any]) -> Any:
        """Return the first side."""
        return self._side(values, 0)

    def right(self, values: Mapping[str, Any]) -> Any:
        """Return the last side, or the formula if it has only one."""
        return self._side(values, -1)

    def _side(self, values: Mapping[str, Any], index: int) -> Any:
        tree = _parse(RELATIONS.split(self.text)[::2][index], tuple(values))
        return _evaluate(tree, values, _namespace(values))


def split_formulas(prose: str) -> tuple[str, tuple[Formula, ...]]:
    """Return a statement without the dollars around its formulas, and the formulas.

    >>> split_formulas("for $x = 2y$ and $y > 0$")
    ('for x = 2y and y > 0', (Formula(text='x = 2y'), Formula(text='y > 0')))
    """
    parts = prose.split("$")
    if len(parts) % 2 == 0:
        raise ValueError(f"a formula stands between two dollars; found {len(parts) - 1} in {prose!r}")
    return "".join(parts), tuple(Formula(part) for part in parts[1::2])


class _Reader:
    """Read a formula by recursive descent, given the names that may occur."""

    def __init__(self, text: str, names: tuple[str, ...]) -> None:
        words = sorted({*names, *FUNCTIONS, *CONSTANTS}, key=len, reverse=True)
        exponents = "".join(SUPERSCRIPTS)
        pattern = rf"\s+|{'|'.join(map(re.escape, words))}|{NUMBER}|[{''.join(FRACTIONS)}]|[{exponents}]+|."
        self.text, self.names, self.at = text, names, 0
        self.tokens = re.findall(pattern, text.strip())

    def read(self) -> Tree:
        tree = self.sum()
        if self.at < len(self.tokens):
            raise self.error("unexpected")
        return tree

    def error(self, what: str) -> ValueError:
        found = "".join(self.tokens[self.at :]) or "the end"
        names = ", ".join(self.names) or "none"
        return ValueError(f"{what} {found!r} in the formula {self.text!r}, read with the names {names}")

    def peek(self, skip: bool = True) -> str:
        """Return the next token, or "" at the end."""
        at = self.at
        while skip and at < len(self.tokens) and self.tokens[at].isspace():
            at += 1
        return self.tokens[at] if at < len(self.tokens) else ""

    def take(self, *tokens: str) -> str:
        """Take the next token if it is one of these, and return it, else ""."""
        token = self.peek()
        if token not in tokens:
            return ""
        while self.tokens[self.at].isspace():
            self.at += 1
        self.at += 1
        return token

    def need(self, token: str) -> None:
        if not self.take(token):
            raise self.error(f"{token!r} is needed before")

    def sum(self) -> Tree:
        sign = self.take("−", "-")
        tree = ("−", self.quotient()) if sign else self.quotient()
        while operator := self.take("+", "−", "-"):
            tree = ("+" if operator == "+" else "−", tree, self.quotient())
        return tree

    def quotient(self) -> Tree:
        tree = self.product()
        while operator := self.take("·", "/", "⊕", "⊗"):
            tree = (operator, tree, self.product(touching=operator == "/"))
        return tree

    def product(self, touching: bool = False) -> Tree:
        """Read factors side by side; with `touching`, refuse a space between them."""
        tree = self.factor()
        while self.starts_factor(self.peek()):
            if touching and self.peek(skip=False).isspace():
                raise self.error("a/b c may mean (a/b)c or a/(bc): brackets are needed around")
            tree = ("×", tree, self.factor())
        return tree

    def starts_factor(self, token: str) -> bool:
        known = token in self.names or token in FUNCTIONS or token in CONSTANTS or token in FRACTIONS or token == "√"
        return known or (bool(token) and token in OPENING) or bool(re.fullmatch(NUMBER, token))

    def factor(self) -> Tree:
        token = self.peek()
        if token in FUNCTIONS and token not in self.names:
            return self.application(self.take(token))
        if token == "√":
            self.need("√")
            return ("√", self.atom())
        tree = self.atom()
        while (script := self.peek(skip=False)) and (script in "ᵀ^" or script[0] in SUPERSCRIPTS):
            tree = ("ᵀ", tree) if self.take("ᵀ") else ("^", tree, self.exponent())
        return tree

    def application(self, name: str) -> Tree:
        power = self.exponent() if self.peek(skip=False)[:1] in (*SUPERSCRIPTS, "^") else None
        if opened := self.take(*OPENING):
            arguments = [self.sum()]
            while self.take(","):
                arguments.append(self.sum())
            self.need(CLOSING[OPENING.index(opened)])
        else:
            arguments = [self.factor()]
            while self.starts_factor(self.peek(skip=False)):
                arguments = [("×", arguments[0], self.factor())]
        tree = ("call", name, *arguments)
        return tree if power is None else ("^", tree, power)

    def exponent(self) -> Tree:
        token = self.peek(skip=False)
        self.need(token)
        if token != "^":
            return ("number", "".join(SUPERSCRIPTS[char] for char in token))
        sign = self.take("−", "-")
        tree = self.atom()
        return ("−", tree) if sign else tree

    def atom(self) -> Tree:
        token = self.peek()
        if token in self.names:
            return ("name", self.take(token))
        if token in CONSTANTS:
            return ("constant", self.take(token))
        if token in FRACTIONS:
            return ("number", FRACTIONS[self.take(token)])
        if re.fullmatch(NUMBER, token):
            return ("number", self.take(token))
        opened = self.take(*OPENING)
        if not opened:
            raise self.error("cannot read")
        tree = self.sum()
        self.need(CLOSING[OPENING.index(opened)])
        return tree


@cache
def _parse(text: str, names: tuple[str, ...]) -> Tree:
    return _Reader(text, names).read()


def _namespace(values: Mapping[str, Any]) -> Any:
    """Return SymPy if a value is from there, else NumPy."""
    return sys.modules["sympy"] if any(_is_symbolic(value) for value in values.values()) else np


def _is_symbolic(value: Any) -> bool:
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic | sympy.MatrixBase)


def _evaluate(tree: Tree, values: Mapping[str, Any], space: Any) -> Any:
    kind, *parts = tree
    if kind == "name":
        value = values[parts[0]]
        return space.Integer(value) if space is not np and isinstance(value, int) else value
    if kind == "constant":
        return getattr(space, CONSTANTS[parts[0]][space is not np])
    if kind == "number":
        fraction = Fraction(parts[0])
        if space is not np:
            return space.Rational(fraction.numerator, fraction.denominator)
        return fraction.numerator if fraction.denominator == 1 else float(fraction)
    if kind == "call":
        function = _function(FUNCTIONS[parts[0]], space)
        return function(*(_evaluate(part, values, space) for part in parts[1:]))
    return OPERATIONS[kind](*(_evaluate(part, values, space) for part in parts))


def _function(names: tuple[str, ...], space: Any) -> Any:
    function = space
    for part in names[0 if space is np else -1].split("."):
        function = getattr(function, part)
    return function


def _shape(value: Any) -> tuple[int, ...]:
    """Return the shape of a matrix of NumPy or SymPy; () for everything else."""
    shape = getattr(value, "shape", ())
    return shape if len(shape) == 2 else ()


def _multiply(left: Any, right: Any) -> Any:
    return left @ right if _shape(left) and _shape(right) else left * right


def _dot(left: Any, right: Any) -> Any:
    shape = _shape(left)
    columns = shape == _shape(right) and shape[1:] == (1,)
    return (left.T @ right)[0, 0] if columns else _multiply(left, right)


def _kronecker(left: Any, right: Any) -> Any:
    if isinstance(left, np.ndarray):
        return np.kron(left, right)
    from sympy.matrices import kronecker_product

    return kronecker_product(left, right)


def _kronecker_sum(left: Any, right: Any) -> Any:
    return _kronecker(left, _identity(right)) + _kronecker(_identity(left), right)


def _identity(matrix: Any) -> Any:
    return np.eye(len(matrix)) if isinstance(matrix, np.ndarray) else matrix.eye(matrix.rows)


def _power(base: Any, exponent: Any) -> Any:
    if not (isinstance(base, np.ndarray) and _shape(base)):
        return base**exponent
    if isinstance(exponent, int):
        return np.linalg.matrix_power(base, exponent)
    values, vectors = np.linalg.eigh(base)
    return (vectors * np.maximum(values, 0.0) ** exponent) @ vectors.T


def _root(value: Any) -> Any:
    if _is_symbolic(value):
        return value ** sys.modules["sympy"].Rational(1, 2)
    return _power(value, 0.5) if _shape(value) else np.sqrt(value)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda left, right: left + right,
    "−": lambda left, *right: left - right[0] if right else -left,
    "×": _multiply,
    "·": _dot,
    "⊗": _kronecker,
    "⊕": _kronecker_sum,
    "/": lambda left, right: left / right,
    "^": _power,
    "√": _root,
    "ᵀ": lambda matrix: matrix.T,
}
