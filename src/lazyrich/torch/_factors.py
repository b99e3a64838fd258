"""The Jacobian of a model, in factors: small enough to keep, and quick to multiply with itself."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lazyrich.torch.layers import NO_TOKEN


@dataclass(frozen=True)
class Factors:
    """Of m samples with c outputs: `dense` Jacobian columns (m, c, p), and layers kept as columns and signals.

    The latter are pairs of (m, t, i), or tokens (m, t), and (m, c, t, o): their Jacobian would have i·o columns.
    """

    dense: Tensor
    layers: tuple[tuple[Tensor, Tensor], ...] = ()

    def gram(self, other: "Factors") -> Tensor:
        """The block of the kernel between two sets of samples, (m, c, m', c)."""
        (m, c, p), n = self.dense.shape, len(other.dense)
        block = (self.dense.reshape(m * c, p) @ other.dense.reshape(n * c, p).T).view(m, c, n, c)
        for (one, back), (two, forth) in zip(self.layers, other.layers, strict=True):
            t, s, o = one.shape[1], two.shape[1], back.shape[-1]
            if t == s == 1:
                signal = back.reshape(m * c, o) @ forth.reshape(n * c, o).T
                block.addcmul_(_inner(one, two, block.dtype).view(m, 1, n, 1), signal.view(m, c, n, c))
                continue
            for i in range(m):
                # The sum over t first, then over s: t·s·c·o + s·c²·o multiplications instead of t·s·c²·o.
                seen = _inner(one[i : i + 1], two, block.dtype)[0].permute(1, 2, 0).reshape(n * s, t)
                moved = seen @ back[i].transpose(0, 1).reshape(t, c * o)
                moved = moved.view(n, s, c, o).transpose(1, 2).reshape(n, c, s * o)
                block[i] += (moved @ forth.reshape(n, c, s * o).transpose(1, 2)).transpose(0, 1)
        return block

    @property
    def bytes(self) -> int:
        return sum(t.numel() * t.element_size() for t in (self.dense, *(t for pair in self.layers for t in pair)))


def _inner(one: Tensor, two: Tensor, dtype: torch.dtype) -> Tensor:
    """The inner products of what the layer sees, (m, t, n, s)."""
    if one.ndim == 2:  # tokens: their one-hot vectors agree or do not
        one = one[:, :, None, None]
        return ((one == two) & (one != NO_TOKEN)).to(dtype)
    (m, t, i), (n, s, _) = one.shape, two.shape
    return (one.reshape(m * t, i) @ two.reshape(n * s, i).T).view(m, t, n, s)
