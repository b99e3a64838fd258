"""Type aliases that several packages share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jaxtyping import PyTree
from numpy.typing import ArrayLike as ArrayLike  # unlike `jax.typing.ArrayLike`, it includes lists of numbers

# The argument or result of a formula that is written for NumPy and JAX. Statically, it is used as a JAX array is, and
# a NumPy array may take its place ("the Any trick" of typeshed: neither of the two classes is a subclass of the other).
# At run time it is one of these; a reduction of a NumPy array is a scalar.
if TYPE_CHECKING:
    AnyArray = jax.Array | Any
else:
    AnyArray = jax.Array | np.ndarray | np.generic | float

Layers = tuple[PyTree, ...]  # the parameters of a network, first layer first; most layers are one array
LayerRates = ArrayLike | Sequence[ArrayLike] | None  # learning rates: one number, one per layer, or ones
