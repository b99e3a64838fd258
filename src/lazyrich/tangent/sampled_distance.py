"""Distance of two kernels on a sample of a larger population of inputs, without the bias of a small sample."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from lazyrich.tangent.distance import InnerProducts, distances_from_products

MIN_INPUTS = 5  # least number of inputs in a sample: with one left out, the centered estimate needs four


@dataclass(frozen=True)
class SampledDistance:
    """S = 1 − cosine of two kernels, plain and centered, with half-widths of their 95 % intervals; and ‖K‖/‖K₀‖."""

    distance: tuple[float, float]
    error: tuple[float, float]
    growth: float


def sampled_kernel_distance(
    K: np.ndarray, K0: np.ndarray, inputs: int, population: int | None = None, directions: bool = False
) -> SampledDistance:
    r"""Return the distance S of two kernels on n `inputs`, which are a sample of a `population` (None: infinite).

    Kernels are (n·c, n·c) with index i·c + k. Centering subtracts each output's mean over the inputs, on both sides. A
    small sample gives the diagonal of a kernel too much weight. So the products in S are first estimated without bias:
    their values on the sample, and those from distinct inputs only (for an infinite population), are mixed by the
    fraction of the population that was drawn. The jackknife (each input left out once) gives the error bar.

    With `directions`, the outputs are products with independent random vectors r_a that represent all outputs. For two
    different ones $E (r_a^\top A r_b)(r_a^\top B r_b) = \langle A, B\rangle$ up to a factor, so only products of
    distinct directions are used, and leaving out each direction once adds to the error bar.

    >>> K = np.diag([1.0, 2.0])
    >>> sampled_kernel_distance(3 * K, K, inputs=2, population=2).growth
    3.0
    """
    now, start = (_output_blocks(kernel, inputs, directions) for kernel in (K, K0))
    distance = _distance_with_error(now, start, population)
    if not directions:
        return distance
    c = now.shape[1]
    others = [[b for b in range(c) if b != a] for a in range(c)]
    parts = [(now[:, rest][:, :, :, rest], start[:, rest][:, :, :, rest]) for rest in others]
    without = [_distance_with_error(one, other, population, error=False).distance for one, other in parts]
    spread = stdtrit(c - 1, 0.975) * np.sqrt((c - 1) * np.var(without, 0))
    plain, centered = np.hypot(distance.error, spread).tolist()
    return SampledDistance(distance.distance, (plain, centered), distance.growth)


def _distance_with_error(
    now: np.ndarray, start: np.ndarray, population: int | None, error: bool = True
) -> SampledDistance:
    """Return the distance of kernels (n, c, n, c), with the error for the inputs that were not drawn."""
    inputs = len(now)
    moments = InnerProducts(inputs)
    moments.add(0, 0, now, start)
    scale = moments.scale or 0.0
    *distance, growth = distances_from_products(moments.products_per_pair(), scale)
    fraction = inputs / population if population else 0.0
    if inputs < MIN_INPUTS or fraction == 1:
        return SampledDistance((distance[0], distance[1]), (0.0, 0.0) if fraction == 1 else (np.nan, np.nan), growth)
    base = _PairTable.of(start)
    D = _PairTable(_PairTable.of(now).table - scale * base.table)
    products = [_inner_products(one, other, fraction, error) for one, other in ((D, D), (D, base), (base, base))]
    tables = np.stack(products, -1)
    whole = distances_from_products(tables[0], scale)[:2]
    if not error:
        return SampledDistance((whole[0], whole[1]), (np.nan, np.nan), growth)
    without = [distances_from_products(table, scale)[:2] for table in tables[1:]]
    spread = np.sqrt((inputs - 1) * np.var(without, 0))
    errors = (stdtrit(inputs - 1, 0.975) * (1 - fraction) ** 0.5 * spread).tolist()
    return SampledDistance((whole[0], whole[1]), (errors[0], errors[1]), growth)


def target_alignment(
    K: np.ndarray, targets: np.ndarray, population: int | None = None, directions: bool = False
) -> tuple[float, float]:
    """Return the cosine between the kernel and y yᵀ, for targets y of shape (n, c), plain and centered over the inputs.

    It measures how well the kernel is aligned with the task. With class labels only the centered one is informative,
    since one-hot rows are mostly their mean. `population` and `directions` are as in `sampled_kernel_distance`.
    """
    y = np.asarray(targets, np.float64).reshape(-1)
    plain, centered = sampled_kernel_distance(K, np.outer(y, y), len(targets), population, directions).distance
    return 1 - plain, 1 - centered


def _output_blocks(K: np.ndarray, n: int, distinct: bool) -> np.ndarray:
    """Reshape a kernel to (n, c, n, c); with `distinct`, set the products of an output with itself to 0."""
    blocks = np.asarray(K, np.float64).reshape(n, len(K) // n, n, len(K) // n)
    return blocks * (1 - np.eye(blocks.shape[1]))[:, None] if distinct else blocks


@dataclass(frozen=True)
class _PairTable:
    """A symmetric kernel by pairs of inputs: the block of outputs of each pair is one row of `table`, (n, n, c²)."""

    table: np.ndarray

    @classmethod
    def of(cls, blocks: np.ndarray) -> "_PairTable":
        n, c = blocks.shape[:2]
        return cls(np.ascontiguousarray(blocks.swapaxes(1, 2)).reshape(n, n, c * c))

    @cached_property
    def diagonal(self) -> np.ndarray:
        """The blocks of each input with itself."""
        return self.table[np.arange(len(self.table)), np.arange(len(self.table))]

    @cached_property
    def row_sums(self) -> np.ndarray:
        """The sums of the blocks of each input with all inputs."""
        return self.table.sum(1)

    def weighted_row_sums(self, *vectors: np.ndarray) -> np.ndarray:
        """Return Σ_j v_j·X_ij for each input i and each of the vectors v (n, c²)."""
        return self.table.reshape(len(self.table), -1) @ np.stack([v.reshape(-1) for v in vectors], 1)


def _transpose_blocks(rows: np.ndarray) -> np.ndarray:
    """Transpose the blocks of outputs."""
    c = math.isqrt(rows.shape[1])
    return rows.reshape(-1, c, c).swapaxes(1, 2).reshape(rows.shape)


def _dot(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.einsum("...k,...k->...", one, other)


def _inner_products(X: _PairTable, Y: _PairTable, fraction: float, each: bool) -> np.ndarray:
    """Return ⟨X, Y⟩ and ⟨HXH, HYH⟩ per pair of inputs of the population, for all n inputs and, with `each`, without
    each one: (1 + n, 2)."""
    n = len(X.table)
    m = np.array([n, *[n - 1] * n * each], np.float64)
    rows, rows0, own, own0 = X.row_sums, Y.row_sums, X.diagonal, Y.diagonal
    bare, bare0 = rows - own, rows0 - own0  # without the diagonal
    pairs, crossed = _dot(X.table, Y.table), _dot(X.table, Y.table.swapaxes(0, 1))
    # Σ_j R_j·Y_ji is Σ_j R_jᵀ·Y_ij, since the kernels are symmetric.
    turned = [_transpose_blocks(v) for v in (rows, rows0, bare, bare0)]
    by, by_bare, by_mirror = Y.weighted_row_sums(turned[0], turned[2], bare).T
    by0, by_bare0, by_mirror0 = X.weighted_row_sums(turned[1], turned[3], bare0).T
    hollow, hollow_crossed = (table * (1 - np.eye(n)) for table in (pairs, crossed))
    diagonal = _dot(bare, own0) + _dot(bare0, own)
    mirrored_diagonal = _dot(bare, _transpose_blocks(own0)) + _dot(turned[3], own)

    plain, within = (
        _leave_one_out_pairs(pairs, each),
        _leave_one_out_rows(rows, rows0, by + by0, pairs, own, own0, each),
    )
    total = _leave_one_out_total(rows, rows0, own, own0, each)
    sampled = np.stack([plain, plain - 2 / m * within + total / m**2], 1) / m[:, None] ** 2
    # The centered one is the mean of ⟨X_ij, Y_ij⟩ − 2⟨X_ij, Y_ik⟩ + ⟨X_ij, Y_kl⟩ over distinct i, j, k, l. With one
    # output, it is the unbiased HSIC of Song et al. (2012). With several outputs, a block differs from its transpose.
    none = np.zeros_like(own)
    plain, mirrored = _leave_one_out_pairs(hollow, each), _leave_one_out_pairs(hollow_crossed, each)
    within = _leave_one_out_rows(bare, bare0, by_bare + by_bare0 - diagonal, hollow, none, none, each)
    total = _leave_one_out_total(bare, bare0, none, none, each)
    meetings = by_mirror + by_mirror0 - mirrored_diagonal
    mirrored_within = _leave_one_out_rows(bare, turned[3], meetings, hollow_crossed, none, none, each)
    quadruples = total - 2 * (within + mirrored_within) + plain + mirrored
    doubles, triples = m * (m - 1), m * (m - 1) * (m - 2)
    centered = plain / doubles - 2 * (within - plain) / triples + quadruples / (triples * (m - 3))
    return fraction * sampled + (1 - fraction) * np.stack([plain / doubles, centered], 1)


# The next functions return sums over all n inputs and, with `each`, over all but one, computed from the terms of that
# one.


def _leave_one_out_list(whole: float, parts: np.ndarray, each: bool) -> np.ndarray:
    return np.array([whole, *parts]) if each else np.array([whole])


def _leave_one_out_pairs(pairs: np.ndarray, each: bool) -> np.ndarray:
    """Return ⟨X, Y⟩ from the product of each pair."""
    whole = pairs.sum()
    return _leave_one_out_list(whole, whole - 2 * pairs.sum(0) + pairs.diagonal(), each)


def _leave_one_out_rows(
    rows: np.ndarray,
    rows0: np.ndarray,
    block_sums: np.ndarray,
    pairs: np.ndarray,
    own: np.ndarray,
    own0: np.ndarray,
    each: bool,
) -> np.ndarray:
    """Return ⟨R, R'⟩ of the sums R over the inputs along one side; without i they are R_j − X_ji for j ≠ i."""
    whole = _dot(rows, rows0).sum()
    return _leave_one_out_list(whole, whole - block_sums + pairs.sum(0) - _dot(rows - own, rows0 - own0), each)


def _leave_one_out_total(
    rows: np.ndarray, rows0: np.ndarray, own: np.ndarray, own0: np.ndarray, each: bool
) -> np.ndarray:
    """Return ⟨T, T'⟩ of the sums along both sides."""
    all_, all0 = rows.sum(0), rows0.sum(0)
    less, less0 = (t - r - _transpose_blocks(r) + o for t, r, o in ((all_, rows, own), (all0, rows0, own0)))
    return _leave_one_out_list(all_ @ all0, _dot(less, less0), each)
