"""Conversion to another floating-point precision."""

import equinox as eqx
import jax
from jax.typing import DTypeLike
from jaxtyping import PyTree


def tree_cast(tree: PyTree, dtype: DTypeLike) -> PyTree:
    """Convert every floating-point array to another precision."""
    return jax.tree.map(lambda leaf: leaf.astype(dtype) if eqx.is_inexact_array(leaf) else leaf, tree)
