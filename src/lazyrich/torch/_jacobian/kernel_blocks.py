"""Compare two kernels block by block: exactly, or on random subsets with an error bar."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from lazyrich.tangent.distance import DEFAULT_SUBSET_SIZE, KernelDistance, from_all_blocks, from_subsets, random_subsets
from lazyrich.torch._jacobian.factors import ROW_MULTIPLE, JacobianFactors
from lazyrich.torch._jacobian.per_sample_jacobian import PerSampleJacobian
from lazyrich.torch._model.preserve_model import NonFiniteModelError

Method = Literal["auto", "exact", "subsample"]
FactorsOf = Callable[[Tensor], JacobianFactors]

MAX_FACTOR_BYTES = 3 * 2**29  # factors of all samples are kept up to this size; above it, each block forms its own
ROWS_PER_BLOCK = 1024  # rows in a block of the kernel
MAX_EXACT_COST = 1e12  # multiplications per kernel below which "auto" is exact: about a minute on one core


def block_size(n: int, tangents: Sequence[PerSampleJacobian], max_factor_bytes: int = MAX_FACTOR_BYTES) -> int:
    """Return the number of samples per block: about `ROWS_PER_BLOCK` rows, fewer if the factors of two blocks would
    not fit."""
    fitting = max_factor_bytes / (2 * sum(t.per_sample for t in tangents))
    rows = math.ceil(ROWS_PER_BLOCK / tangents[0].outputs / ROW_MULTIPLE) * ROW_MULTIPLE
    return max(1, min(n, int(fitting), rows if factors_fit(n, tangents, max_factor_bytes) else int(fitting)))


def factors_fit(n: int, tangents: Sequence[PerSampleJacobian], max_factor_bytes: int = MAX_FACTOR_BYTES) -> bool:
    """Return whether the Jacobian factors of n samples fit into the memory allowed for them."""
    return n * sum(t.per_sample for t in tangents) <= max_factor_bytes


def kernel_blocks(
    ways: Sequence[FactorsOf], parts: Sequence[Tensor], keep: bool
) -> Iterator[tuple[int, int, list[Tensor]]]:
    """Yield the blocks (a, b), a ≤ b, of each kernel, as (m, c, m', c), ordered by b."""

    def form(a: int) -> list[JacobianFactors]:
        return [way(parts[a]) for way in ways]

    get = cache(form) if keep else form
    for b in range(len(parts)):
        columns = get(b)
        for a in range(b + 1):
            rows = columns if a == b else get(a)
            grams = [one.gram(other) for one, other in zip(rows, columns, strict=True)]
            if not all(_has_finite_squares(block) for block in grams):
                raise NonFiniteModelError(
                    f"the kernel is too large for {grams[0].dtype}: the weights are about to diverge; measure an "
                    "earlier state, or model.double()"
                )
            yield a, b, grams


def _has_finite_squares(block: Tensor) -> bool:
    """Return whether the sum of squares of a block is finite in double precision, as S requires."""
    size = max(abs(float(value)) for value in torch.aminmax(block))
    return math.isfinite(size * size * block.numel())


def assemble_kernels(
    ways: Sequence[FactorsOf], parts: Sequence[Tensor], keep: bool, until: float = math.inf
) -> list[Tensor]:
    """Return the kernels (n, c, n, c), assembled from their blocks.

    `until` is a limit in processor seconds. If the next part of the inputs would exceed it, judging by the time taken
    so far, the result is the kernel of the inputs done so far.
    """
    began = time.process_time()
    kernels: list[Tensor] = []
    places = torch.cat([torch.zeros(1, dtype=torch.long), torch.tensor([len(part) for part in parts]).cumsum(0)])
    reached = 0
    for a, b, several in kernel_blocks(ways, parts, keep):
        here, there = (slice(int(places[k]), int(places[k + 1])) for k in (a, b))
        if not kernels:
            n = int(places[-1])
            kernels = [block.new_empty(n, block.shape[1], n, block.shape[1]) for block in several]
        for kernel, block in zip(kernels, several, strict=True):
            kernel[here, :, there] = block
            kernel[there, :, here] = block.permute(2, 3, 0, 1)
        if a == b:
            now, reached = time.process_time(), there.stop
            if now + (now - began) * (2 * b + 3) / (b + 1) ** 2 > until:  # (b + 1)² pairs are done, (b + 2)² come next
                break
    return [kernel[:reached, :, :reached] for kernel in kernels]


def compare_kernels(
    tangents: Sequence[PerSampleJacobian],
    ways: Sequence[FactorsOf],
    n: int,
    method: Method,
    repeats: int,
    size: int | None,
    seed: int,
) -> KernelDistance:
    """Return the distance of two kernels on n inputs: exact, or from random subsets if that takes too long."""
    work = n**2 / 2 * max(t.per_pair for t in tangents)
    if method not in ("auto", "exact", "subsample"):
        raise ValueError(f"method must be 'auto', 'exact' or 'subsample'; found {method!r}")
    c = tangents[0].outputs
    size = max(4, min(n // 2, DEFAULT_SUBSET_SIZE, 4000 // c)) if size is None else size
    how = tangents[0].method
    if method == "exact" or (method == "auto" and (work <= MAX_EXACT_COST or n <= 2 * size)):
        block = block_size(n, tangents)
        blocks = kernel_blocks(ways, torch.arange(n).split(block), factors_fit(n, tangents))
        kernels = ((a * block, b * block, _to_numpy(one), _to_numpy(other)) for a, b, (one, other) in blocks)
        return from_all_blocks(n, kernels, f"exact on {n} inputs in eval mode: {how}")
    indices = (torch.as_tensor(index) for index in random_subsets(n, size, repeats, seed))
    halves = (assemble_kernels(ways, index.split((len(index) + 1) // 2), keep=True) for index in indices)
    description = f"{repeats} subsamples of {size} from {n} inputs in eval mode: {how}"
    return from_subsets(n, ((_to_numpy(one), _to_numpy(other)) for one, other in halves), description)


def _to_numpy(block: Tensor) -> np.ndarray:
    return block.numpy(force=True)
