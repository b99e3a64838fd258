"""Type aliases that several packages share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import jax
import numpy as np
from jaxtyping import PyTree

# ArrayLike: numbers from the user. Unlike `jax.typing.ArrayLike`, it includes lists of numbers.
#
# AnyArray: the argument or result of a formula that is written for NumPy and JAX. Statically, it is used as a JAX array
# is, and a NumPy array may take its place ("the Any trick" of typeshed: neither class is a subclass of the other).
#
# At run time, where tests check types, both are what they are in fact: the union of NumPy means floats by `complex`,
# and the reduction of an array of NumPy is a scalar.
if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike

    AnyArray = jax.Array | Any
else:

    @runtime_checkable
    class _SupportsArray(Protocol):
        def __array__(self) -> np.ndarray: ...

    AnyArray = jax.Array | np.ndarray | np.generic | float | int
    ArrayLike = AnyArray | Sequence | _SupportsArray

Layers = tuple[PyTree, ...]  # the parameters of a network, first layer first; most layers are one array
LayerRates = ArrayLike | Sequence[ArrayLike] | None  # learning rates: one number, one per layer, or ones
LayerDecay = ArrayLike | Sequence[ArrayLike] | None  # weight decay: one number, one per layer, or none
