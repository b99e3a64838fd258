"""Inner products of per-sample gradients of one output, for one layer: all pairs of samples at once, and with a
direction."""

import torch
from torch import Tensor

from lazyrich.torch._jacobian.factors import LayerFactors
from lazyrich.torch.layer_rules import NO_TOKEN

CHUNK_NUMBERS = 2**24  # numbers that are formed at once


def layer_gram(factors: LayerFactors, weights: Tensor | None = None) -> Tensor:
    """Return ⟨v_i, v_j⟩ of the gradients v_i of one layer, (n, n), by the cheaper of two ways.

    `factors` are those of one output. The gradients have o·i entries, and n·t·o·i + n²·o·i multiplications form and
    multiply them. Products of Gram matrices, Σ_ts (a_it·a_js)(g_it·g_js) over positions, cost n²·t²·(o + i).
    `weights` are entries of a diagonal preconditioner, in the order of the factors.
    """
    factors = factors.drop_silent_positions
    if factors.columns.ndim == 2:
        return _table_gram(factors, weights)
    (n, t, i), o = factors.columns.shape, factors.signals.shape[-1]
    if factors.tokens is None and weights is None and t * t * (n * (o + i) + 4 * n) < (t + n) * o * i:
        return _gram_of_products(factors.columns, factors.signals[:, 0])
    gram = factors.signals.new_zeros(n, n)
    step = max(1, CHUNK_NUMBERS // (n * i))
    for start in range(0, o, step):
        rows = _gradient_rows(factors, start, min(start + step, o))
        weighted = rows if weights is None else rows * weights[start : start + step].reshape(-1)
        gram += weighted @ rows.T
    return gram


def layer_slopes(factors: LayerFactors, direction: Tensor) -> Tensor:
    """Return ⟨v_i, d⟩ for a direction d in the order of the factors, (n,)."""
    factors = factors.drop_silent_positions
    signals = factors.signals[:, 0]
    if factors.columns.ndim == 2:
        return _table_slopes(factors.columns, signals, direction)
    slopes = ((factors.columns @ direction.T) * signals).sum((1, 2))
    if factors.tokens is not None:
        which, back = factors.tokens
        slopes = slopes + _table_slopes(which, back[:, 0], direction[:, : back.shape[-1]])
    return slopes


def _gram_of_products(columns: Tensor, signals: Tensor) -> Tensor:
    """Return Σ_ts (a_it·a_js)(g_it·g_js), some samples i at a time."""
    (n, t, i), o = columns.shape, signals.shape[-1]
    if t == 1:
        columns, signals = columns[:, 0], signals[:, 0]
        return (columns @ columns.T) * (signals @ signals.T)
    every, back, parts = columns.reshape(n * t, i), signals.reshape(n * t, o), []
    step = max(1, CHUNK_NUMBERS // (t * n * t))
    for start in range(0, n, step):
        one, two = columns[start : start + step].reshape(-1, i), signals[start : start + step].reshape(-1, o)
        products = (one @ every.T).mul_(two @ back.T)
        parts.append(products.view(-1, t, n, t).sum((1, 3)))
    return torch.cat(parts)


def _gradient_rows(factors: LayerFactors, start: int, stop: int) -> Tensor:
    """Return the gradients by some rows of the weight, (n, rows·i)."""
    part = factors.signals[:, 0, :, start:stop]
    gradients = part.transpose(1, 2) @ factors.columns
    if factors.tokens is not None:
        which, back = factors.tokens
        n, _, d = len(which), which.shape[1], back.shape[-1]
        here = (which >= start) & (which < stop)
        at = torch.where(here, which - start, 0)[:, :, None].expand(-1, -1, d)
        gradients[:, :, :d].scatter_add_(1, at, back[:, 0] * here[:, :, None])
        return gradients.reshape(n, -1)
    return gradients.reshape(len(gradients), -1)


def _table_gram(factors: LayerFactors, weights: Tensor | None) -> Tensor:
    """Return the products of gradients by a table, of which only the rows that are looked up are formed."""
    tokens, signals = factors.columns, factors.signals[:, 0]
    n, o = len(tokens), signals.shape[-1]
    table_rows, at = tokens.unique(return_inverse=True)
    learned = (tokens != NO_TOKEN)[:, :, None]
    gram, step = signals.new_zeros(n, n), max(1, CHUNK_NUMBERS // (n * len(table_rows)))
    for start in range(0, o, step):
        part = signals[..., start : start + step] * learned
        rows = part.new_zeros(n, len(table_rows), part.shape[-1]).scatter_add_(
            1, at[:, :, None].expand(part.shape), part
        )
        flat = rows.reshape(n, -1)
        if weights is not None:
            rows = rows * weights[table_rows.clamp_min(0), start : start + step]
        gram += rows.reshape(n, -1) @ flat.T
    return gram


def _table_slopes(tokens: Tensor, signals: Tensor, direction: Tensor) -> Tensor:
    learned = (tokens != NO_TOKEN)[:, :, None]
    return (direction[tokens.clamp_min(0)] * signals * learned).sum((1, 2))
