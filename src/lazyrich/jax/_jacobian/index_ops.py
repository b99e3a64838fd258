"""Operations that only move the entries of an array, applied to arrays of entry numbers."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jax.extend import core
from jax.typing import DTypeLike
from jaxtyping import PyTree

from lazyrich.jax._equation import Atom, Equation


def _broadcast(index: np.ndarray, eqn: Equation) -> np.ndarray:
    shape, axes = eqn.params["shape"], eqn.params["broadcast_dimensions"]
    wide = [1] * len(shape)
    for axis, size in zip(axes, index.shape, strict=True):
        wide[axis] = size
    return np.broadcast_to(index.reshape(wide), shape)


def _slice(index: np.ndarray, eqn: Equation) -> np.ndarray:
    p = eqn.params
    steps = p["strides"] or (1,) * index.ndim
    return index[tuple(map(slice, p["start_indices"], p["limit_indices"], steps))]


def _split(index: np.ndarray, eqn: Equation) -> list[np.ndarray]:
    return np.split(index, np.cumsum(eqn.params["sizes"])[:-1], eqn.params["axis"])


def _identity(index: np.ndarray, eqn: Equation) -> np.ndarray:
    return index


INDEX_OPS: Mapping[str, Callable[[np.ndarray, Equation], PyTree]] = {
    "reshape": lambda index, eqn: index.reshape(eqn.params["new_sizes"]),
    "transpose": lambda index, eqn: index.transpose(eqn.params["permutation"]),
    "squeeze": lambda index, eqn: index.squeeze(tuple(eqn.params["dimensions"])),
    "rev": lambda index, eqn: np.flip(index, eqn.params["dimensions"]),
    "broadcast_in_dim": _broadcast,
    "slice": _slice,
    "split": _split,
    "convert_element_type": _identity,
    "copy": _identity,
    "copy_p": _identity,
    "name": _identity,
}
SCALAR_OPS = {"mul": 1, "div": -1}


def is_index_op(eqn: Equation) -> bool:
    """Return whether this operation only moves entries, with floating-point results and one variable as its input."""
    return (
        eqn.primitive.name in INDEX_OPS
        and len(eqn.invars) == 1
        and not isinstance(eqn.invars[0], core.Literal)
        and all(np.issubdtype(var.aval.dtype, np.floating) or _is_bfloat16(var.aval.dtype) for var in eqn.outvars)
        and not (eqn.primitive.name == "reshape" and eqn.params.get("dimensions") is not None)
    )


def apply_to_indices(index: np.ndarray, eqn: Equation) -> list[np.ndarray]:
    """Return the entry numbers of each result of an operation."""
    indices = INDEX_OPS[eqn.primitive.name](index, eqn)
    return indices if isinstance(indices, list) else [indices]


def scalar_multiple(eqn: Equation) -> tuple[Any, Atom | float, int] | None:
    """Return the array, the scalar, and 1 or −1 if an array is multiplied or divided by a scalar; a negation has the
    scalar −1."""
    name = eqn.primitive.name
    if name == "neg":
        return eqn.invars[0], -1.0, 1
    if name not in SCALAR_OPS:
        return None
    one, two = eqn.invars
    if two.aval.shape == () and one.aval.shape == eqn.outvars[0].aval.shape:
        return one, two, SCALAR_OPS[name]
    if name == "mul" and one.aval.shape == () and two.aval.shape == eqn.outvars[0].aval.shape:
        return two, one, 1
    return None


def _is_bfloat16(dtype: DTypeLike) -> bool:
    return str(dtype) == "bfloat16"
