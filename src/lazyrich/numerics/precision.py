"""Conversion to another floating-point precision."""

from typing import Any

import equinox as eqx
import jax


def tree_cast(tree: Any, dtype: Any) -> Any:
    """Convert every floating-point array to another precision."""
    return jax.tree.map(lambda leaf: leaf.astype(dtype) if eqx.is_inexact_array(leaf) else leaf, tree)
