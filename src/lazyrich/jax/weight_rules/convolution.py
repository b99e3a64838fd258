"""Rule for a weight that is the kernel of a convolution."""

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import jax.numpy as jnp
import numpy as np

from lazyrich._core.types import AnyArray
from lazyrich.jax._equation import Equation


@dataclass(frozen=True, eq=False)
class Convolution:
    """`conv_general_dilated`, with any strides, padding, groups and dilations (transposed convolutions dilate their
    input)."""

    eqn: Equation

    @classmethod
    def match(cls, eqn: Equation, operand: int) -> "Convolution | None":
        supported = (
            eqn.primitive.name == "conv_general_dilated" and operand == 1 and eqn.params["batch_group_count"] == 1
        )
        return cls(eqn) if supported else None

    @property
    def input_variable(self) -> Any:
        return self.eqn.invars[0]

    @property
    def groups(self) -> int:
        return self.eqn.params["feature_group_count"]

    def weight(self, W: AnyArray) -> AnyArray:
        out, *_ = shape = [W.shape[axis] for axis in self.eqn.params["dimension_numbers"].rhs_spec]
        matrix = W.transpose(self.eqn.params["dimension_numbers"].rhs_spec)
        return matrix.reshape(self.groups, out // self.groups, prod(shape[1:])).swapaxes(1, 2)

    def columns(self, value: AnyArray) -> AnyArray:
        return jnp.append(value.reshape(-1), jnp.zeros(1, value.dtype))[self._patches]

    def signals(self, out: AnyArray) -> AnyArray:
        signals = out.transpose(self.eqn.params["dimension_numbers"].out_spec)
        n, o, *places = signals.shape
        signals = signals.reshape(n, self.groups, o // self.groups, prod(places))
        return signals.transpose(1, 0, 3, 2).reshape(self.groups, n * prod(places), o // self.groups)

    @cached_property
    def _patches(self) -> np.ndarray:
        """Index of the input entry under the kernel at each position, (g, t, i); −1, where a zero is appended, for
        none."""
        p = self.eqn.params
        spec, g = p["dimension_numbers"], self.groups
        aval = self.input_variable.aval
        index = np.arange(aval.size, dtype=np.int32).reshape(aval.shape).transpose(spec.lhs_spec)
        sizes = [self.eqn.invars[1].aval.shape[axis] for axis in spec.rhs_spec[2:]]
        for axis, (size, dilation, (low, high)) in enumerate(
            zip(index.shape[2:], p["lhs_dilation"], p["padding"], strict=True), start=2
        ):
            shape = list(index.shape)
            shape[axis] = (size - 1) * dilation + 1 if size else 0
            spread = np.full(shape, -1, np.int32)
            spread[(slice(None),) * axis + (slice(None, None, dilation),)] = index
            index = _pad_indices(spread, axis, low, high)
        for axis, (size, dilation, stride) in enumerate(
            zip(sizes, p["rhs_dilation"], p["window_strides"], strict=True), start=2
        ):
            # Positions stay along `axis`, entries of the window are appended as last axes, in order.
            reach = (size - 1) * dilation + 1
            windows = np.lib.stride_tricks.sliding_window_view(index, reach, axis)
            index = windows[(slice(None),) * axis + (slice(None, None, stride),)][..., ::dilation]
        n, channels, *rest = index.shape
        places, window = rest[: len(sizes)], rest[len(sizes) :]
        split = index.reshape(n, g, channels // g, prod(places), prod(window))
        return split.transpose(1, 0, 3, 2, 4).reshape(g, n * prod(places), channels // g * prod(window))


def _pad_indices(index: np.ndarray, axis: int, low: int, high: int) -> np.ndarray:
    """Pad with −1 along an axis; negative padding cuts."""
    cut = slice(max(-low, 0), index.shape[axis] - max(-high, 0))
    index = index[(slice(None),) * axis + (cut,)]
    around = [(0, 0)] * index.ndim
    around[axis] = (max(low, 0), max(high, 0))
    return np.pad(index, around, constant_values=-1)
