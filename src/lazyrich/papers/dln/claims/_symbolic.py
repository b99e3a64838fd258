"""Networks whose weights are symbols, for proofs: the flow of ½‖W_L ⋯ W_1 − T‖² as expressions."""

from collections.abc import Sequence
from functools import reduce
from itertools import chain
from typing import Any


def matrix(name: str, rows: int, columns: int) -> Any:
    """Return a matrix of symbols."""
    from sympy import Matrix, symbols

    return Matrix(rows, columns, symbols(f"{name}:{rows * columns}"))


def times(layers: Sequence[Any]) -> Any:
    """Return W_L ⋯ W_1, given the first layer first."""
    return reduce(lambda below, W: W * below, layers)


def loss(layers: Sequence[Any], T: Any) -> Any:
    return sum(entry**2 for entry in times(layers) - T) / 2


def slopes(layers: Sequence[Any], T: Any) -> list[Any]:
    """Return ∂L/∂W_l, entry by entry, for layers that are matrices of symbols."""
    from sympy import diff

    value = loss(layers, T)
    return [W.applyfunc(lambda entry: diff(value, entry)) for W in layers]


def rate(quantity: Any, layers: Sequence[Any], T: Any) -> Any:
    """Return d/dt of a matrix of expressions in the weights, along the gradient flow."""
    from sympy import diff

    moving = list(zip(chain(*layers), chain(*slopes(layers, T)), strict=True))
    return quantity.applyfunc(lambda entry: -sum(diff(entry, w) * slope for w, slope in moving))


def hessian_at(layers: Sequence[Any], values: Sequence[Any], T: Any) -> Any:
    """Return the Hessian of the loss where the weights have these values, layer by layer, each row by row."""
    from sympy import hessian

    weights = list(chain(*layers))
    return hessian(loss(layers, T), weights).subs(dict(zip(weights, chain(*values), strict=True)))
