"""Factored per-sample Jacobians of a model: small enough to keep, and cheap to multiply with each other."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from lazyrich.torch._model.preserve_model import NonFiniteModelError
from lazyrich.torch.layer_rules import NO_TOKEN

N_DIAGONAL_STRIPS = 4  # strips into which a block on the diagonal of the kernel is cut
ROW_MULTIPLE = 8  # strips have a multiple of this many rows: products of other sizes took 1.5 times as long
MAX_EXPANDED_NUMBERS = 2**24  # entries of the Jacobian of one layer that are formed at once


@dataclass(frozen=True)
class LayerFactors:
    """Two factors of the Jacobian of one layer: `columns` (m, t, i), or tokens (m, t), and `signals` (m, c, t, o).

    `columns` are the inputs of the layer at t positions, and `signals` the derivatives of the c model outputs by its
    outputs. The Jacobian has i·o columns and is not formed. For layers with `is_expanded`, some of its columns are
    formed at a time: where products of Gram matrices would cost more, or where `weights` (o, i) of a preconditioner lie
    between the factors. If the matrix is also an embedding table (tied weights), `tokens` are the indices (m, s) and
    the signals (m, c, s, i) of the rows that are looked up.
    """

    columns: Tensor
    signals: Tensor
    is_expanded: bool = False
    weights: Tensor | None = None
    tokens: tuple[Tensor, Tensor] | None = None
    trace: bool = False  # of an expanded layer: `jacobian` flattens the model outputs into the columns

    @property
    def tensors(self) -> list[Tensor]:
        return [self.columns, self.signals, *(self.tokens or ())]

    @cached_property
    def drop_silent_positions(self) -> "LayerFactors":
        """The factors without positions whose signals are all 0, such as all but the last if only the last token is
        read out."""
        if self.signals.shape[2] == 1:
            return self
        alive = self.signals.ne(0).any(3).any(1).any(0)
        if bool(alive.all()) or not bool(alive.any()):
            return self
        return replace(self, columns=self.columns[:, alive], signals=self.signals[:, :, alive])

    def outputs_as_columns(self) -> "LayerFactors":
        """Return factors with the model outputs moved into the columns, so that `gram` sums over outputs."""
        m, c, t, o = self.signals.shape
        if self.is_expanded:
            return replace(self, trace=True)
        return replace(self, signals=self.signals.transpose(1, 2).reshape(m, 1, t, c * o))

    def jacobian(self, rows: slice) -> Tensor:
        """Return the Jacobian by some rows of the weight, of shape (m·c, rows·i), or (m, c·rows·i) if `trace`."""
        m, c, t, _ = self.signals.shape
        part = self.signals[..., rows]
        jacobian = part.permute(0, 1, 3, 2).reshape(m, -1, t) @ self.columns
        jacobian = jacobian.view(m, c, part.shape[-1], -1)
        if self.tokens is not None:
            which, back = self.tokens
            d = back.shape[-1]
            for i in range(m):
                here = (which[i] >= rows.start) & (which[i] < rows.stop)
                if bool(here.any()):
                    jacobian[i, :, :, :d].index_add_(1, which[i][here] - rows.start, back[i][:, here])
        return jacobian.reshape(m if self.trace else m * c, -1)


@dataclass(frozen=True)
class JacobianFactors:
    """Factors of the Jacobian of m samples with c outputs: `dense` columns (m, c, p), and layers kept in factored
    form."""

    dense: Tensor
    layers: tuple[LayerFactors, ...] = ()

    def gram(self, other: "JacobianFactors") -> Tensor:
        """Return the block of the kernel between two sets of samples, (m, c, m', c)."""
        (m, c, p), n = self.dense.shape, len(other.dense)
        one = self.dense.reshape(m * c, p)
        block = (_symmetric_product(one) if self is other else one @ other.dense.reshape(n * c, p).T).view(m, c, n, c)
        for mine, theirs in zip(
            (x.drop_silent_positions for x in self.layers), (x.drop_silent_positions for x in other.layers), strict=True
        ):
            if mine.is_expanded:
                _add_expanded_products(block.view(m * c, n * c), mine, theirs)
                continue
            (one, back), (two, forth) = (mine.columns, mine.signals), (theirs.columns, theirs.signals)
            t, s, o = one.shape[1], two.shape[1], back.shape[-1]
            if t == s == 1:
                signal = back.reshape(m * c, o) @ forth.reshape(n * c, o).T
                block.addcmul_(_column_inner_products(one, two, block.dtype).view(m, 1, n, 1), signal.view(m, c, n, c))
                continue
            for i in range(m):
                # The sum over t first, then over s: t·s·c·o + s·c²·o multiplications instead of t·s·c²·o.
                column_products = (
                    _column_inner_products(one[i : i + 1], two, block.dtype)[0].permute(1, 2, 0).reshape(n * s, t)
                )
                moved = column_products @ back[i].transpose(0, 1).reshape(t, c * o)
                moved = moved.view(n, s, c, o).transpose(1, 2).reshape(n, c, s * o)
                block[i] += (moved @ forth.reshape(n, c, s * o).transpose(1, 2)).transpose(0, 1)
        return block

    @property
    def nbytes(self) -> int:
        tensors = [self.dense, *(t for factors in self.layers for t in factors.tensors)]
        return sum(t.numel() * t.element_size() for t in tensors)

    @staticmethod
    def concatenate(parts: "list[JacobianFactors]") -> "JacobianFactors":
        """Concatenate the factors of several sets of samples."""
        layers = []
        for batches in zip(*(part.layers for part in parts), strict=True):
            tokens = None
            if batches[0].tokens is not None:
                pairs = [one.tokens for one in batches if one.tokens is not None]
                tokens = torch.cat([a for a, _ in pairs]), torch.cat([b for _, b in pairs])
            columns, signals = torch.cat([one.columns for one in batches]), torch.cat([one.signals for one in batches])
            layers.append(replace(batches[0], columns=columns, signals=signals, tokens=tokens))
        return JacobianFactors(torch.cat([part.dense for part in parts]), tuple(layers))


def _symmetric_product(rows: Tensor) -> Tensor:
    """Return rows · rowsᵀ, computing little more than its upper half."""
    product = rows.new_empty(len(rows), len(rows))
    step = -(-len(rows) // (N_DIAGONAL_STRIPS * ROW_MULTIPLE)) * ROW_MULTIPLE
    for start in range(0, len(rows), step):
        strip = rows[start : start + step] @ rows[start:].T
        product[start : start + step, start:] = strip
        product[start:, start : start + step] = strip.T
    return product


def _add_expanded_products(block: Tensor, one: LayerFactors, two: LayerFactors) -> None:
    """Add the product of two layer Jacobians to a block, some rows of the weight at a time."""
    o, i = one.signals.shape[-1], one.columns.shape[-1]
    step = max(1, MAX_EXPANDED_NUMBERS // ((len(one.signals) + len(two.signals)) * one.signals.shape[1] * i))
    for start in range(0, o, step):
        rows = slice(start, min(start + step, o))
        left = one.jacobian(rows)
        right = left if one is two else two.jacobian(rows)
        if one.weights is not None:
            weights = one.weights[rows].reshape(-1)
            left = left * weights.repeat(left.shape[1] // len(weights))
        block += left @ right.T


def _column_inner_products(one: Tensor, two: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the inner products of the layer's inputs, of shape (m, t, n, s)."""
    if one.ndim == 2:  # tokens stand for one-hot vectors
        one = one[:, :, None, None]
        return ((one == two) & (one != NO_TOKEN)).to(dtype)
    (m, t, i), (n, s, _) = one.shape, two.shape
    return (one.reshape(m * t, i) @ two.reshape(n * s, i).T).view(m, t, n, s)


def check_finite_gradient(name: str, slope: Tensor) -> None:
    """Raise an error that names the parameter if a derivative by it is not finite."""
    # the sum is a quick test, but may overflow
    if not bool(torch.isfinite(slope.sum())) and not bool(torch.isfinite(slope).all()):
        raise NonFiniteModelError(
            f"the derivative of the outputs by '{name}' is NaN or infinite, though the outputs are finite. Likely a "
            "root or a norm at exactly 0, a branch that torch.where leaves out, or weights that are about to diverge: "
            "add a small constant under the root, or measure an earlier state"
        )
