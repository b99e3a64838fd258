"""Numbers with fewer digits, where they are enough."""

from typing import Any

import equinox as eqx
import jax


def tree_cast(tree: Any, dtype: Any) -> Any:
    """Convert every array of numbers to another precision."""
    return jax.tree.map(lambda leaf: leaf.astype(dtype) if eqx.is_inexact_array(leaf) else leaf, tree)
