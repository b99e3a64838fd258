"""Distance between two tangent kernels, from their blocks as these are computed: neither kernel is stored as a
whole."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

DEFAULT_REPEATS, DEFAULT_SUBSET_SIZE = 10, 100  # subsamples, and samples in each

Block = tuple[int, int, np.ndarray, np.ndarray]  # row, column, K and K₀ there: (m, c, m', c)


@dataclass(frozen=True)
class KernelDistance:
    r"""Distance of two kernels, $S = 1 - \langle K, K_0\rangle/(\|K\|\,\|K_0\|)$, and how it was computed.

    `error` is half the width of a 95 % interval (Student's t over the subsamples), and 0 if S is exact. `centered` is S
    of HKH, with the mean over the samples subtracted for each output. `growth` is $\|K\|/\|K_0\|$, on which S does not
    depend.
    """

    value: float
    error: float
    centered: float
    centered_error: float
    growth: float
    method: str

    @property
    def alignment(self) -> float:
        return 1 - self.value

    @property
    def centered_alignment(self) -> float:
        return 1 - self.centered

    def __str__(self) -> str:
        first, second = (
            f"{v:.4g}" + (f" ± {e:.2g}" if e else "")
            for v, e in ((self.value, self.error), (self.centered, self.centered_error))
        )
        return f"kernel distance S = {first} (centered {second}), growth {self.growth:.4g}; {self.method}"


@dataclass(frozen=True)
class TargetAlignment:
    """Cosine between the kernel and y yᵀ; `error` and `centered` are as in `KernelDistance`."""

    value: float
    error: float
    centered: float
    centered_error: float
    method: str

    @classmethod
    def from_distance(cls, distance: KernelDistance) -> "TargetAlignment":
        """Build the alignment from the distance between the kernel and y yᵀ."""
        return cls(
            distance.alignment, distance.error, distance.centered_alignment, distance.centered_error, distance.method
        )


class InnerProducts:
    r"""Accumulates the inner products for the cosine between two symmetric kernels, plain and centered.

    Sums over rows of a block are in the precision of the kernels, all others in float64. The products are those of $D =
    K - sK_0$ and $K_0$, with s from the first block: where the kernels are nearly parallel, D is small and $1 - \cos$
    does not cancel. Centering subtracts the mean over samples for each output: $\langle HXH, HYH\rangle = \langle X,
    Y\rangle - 2\langle R_X, R_Y\rangle/n + \langle T_X, T_Y\rangle/n^2$ with R the sums of X over the samples along its
    columns and T those of R along its rows.
    """

    def __init__(self, n: int, scale: float | None = None) -> None:
        self.n, self.scale = n, scale
        self.products = np.zeros(3)  # DD, DK₀, K₀K₀
        self.sums: np.ndarray | None = None  # (2, n, c, c): R of D and of K₀

    def add(self, row: int, column: int, one: np.ndarray, other: np.ndarray) -> None:
        """Add the block (m, c, m', c) with its corner at these samples, on or above the diagonal."""
        m, c, n, _ = one.shape
        size = _block_inner_product(other, other)
        if self.scale is None:
            scale = _block_inner_product(one, other) / size if size > 0 else 0.0
            self.scale = float(one.dtype.type(scale))  # rounded to the dtype in which it multiplies
        D = one - one.dtype.type(self.scale) * other
        twice = 1 if row == column else 2
        self.products += twice * np.array([_block_inner_product(D, D), _block_inner_product(D, other), size])
        if self.sums is None:
            self.sums = np.zeros((2, self.n, c, c))
        for total, X in zip(self.sums, (D, other), strict=True):
            total[row : row + m] += X.sum(2)
            if row != column:
                total[column : column + n] += X.sum(0).transpose(1, 2, 0)

    def products_per_pair(self) -> np.ndarray:
        """Return the three products per pair of samples, plain and centered: (2, 3)."""
        assert self.sums is not None, "no block was added"
        means = self.sums.sum(1)
        parts = [
            ((means[i] * means[j]).sum() / self.n - 2 * (self.sums[i] * self.sums[j]).sum()) / self.n
            for i, j in ((0, 0), (0, 1), (1, 1))
        ]
        return np.stack([self.products, self.products + np.array(parts)]) / self.n**2


def _block_inner_product(X: np.ndarray, Y: np.ndarray) -> float:
    """Return ⟨X, Y⟩ of blocks (m, c, n, c), row by row, in float64 where squares leave the range of float32 or
    cancel."""
    one, other = (Z.reshape(Z.shape[0] * Z.shape[1], -1) for Z in (X, Y))
    with np.errstate(over="ignore", invalid="ignore"):
        product = float(np.einsum("ij,ij->i", one, other).sum(dtype=np.float64))
    if 1e-20 < abs(product) < 1e30:
        return product
    return float(one.astype(np.float64).reshape(-1) @ other.astype(np.float64).reshape(-1))


def distances_from_products(table: np.ndarray, scale: float) -> list[float]:
    """Return S, S of the centered kernels, and ‖K‖/‖K₀‖, from the products of D = K − scale·K₀ and K₀."""
    distances, floor, floor0, growth = [], 0.0, 0.0, 1.0
    for dd, d0, base in table.tolist():
        size, inner = dd + 2 * scale * d0 + scale**2 * base, d0 + scale * base
        if size <= floor or base <= floor0:  # a zero kernel has no direction
            distances.append(0.0 if size <= floor and base <= floor0 else 1.0)
        elif inner <= 0:
            distances.append(1 - inner / math.sqrt(size * base))
        else:
            sine2 = min(max((dd - d0**2 / base) / size, 0.0), 1.0)
            distances.append(sine2 / (1 + math.sqrt(1 - sine2)))
        if len(distances) == 1:
            growth = math.sqrt(max(size, 0.0) / base) if base > 0 else (math.inf if size > 0 else 1.0)
            floor, floor0 = 1e-13 * size, 1e-13 * base  # a centered kernel below this is rounding only
    return [*distances, growth]


def from_all_blocks(n: int, blocks: Iterable[Block], method: str) -> KernelDistance:
    """Compute the distance from all blocks on and above the diagonal."""
    moments = InnerProducts(n)
    for row, column, one, other in blocks:
        moments.add(row, column, one, other)
    value, centered, growth = distances_from_products(moments.products_per_pair(), moments.scale or 0.0)
    return KernelDistance(value, 0.0, centered, 0.0, growth, method)


def from_subsets(n: int, kernels: Iterable[tuple[np.ndarray, np.ndarray]], method: str) -> KernelDistance:
    """Compute the distance from both kernels (m, c, m, c) on some random subsets of m of the n samples, with an error
    bar.

    The products on a subset depend on 1/m. This dependence is estimated from the halves of the subset, and extrapolated
    to n samples.
    """
    scale, tables = None, []
    for one, other in kernels:
        m = len(one)
        whole = InnerProducts(m, scale)
        whole.add(0, 0, one, other)
        scale, half = whole.scale, (m + 1) // 2
        parts = []
        for part in (slice(0, half), slice(half, m)):
            parts.append(InnerProducts(len(range(m)[part]), scale))
            parts[-1].add(0, 0, one[part, :, part], other[part, :, part])
        halves = np.mean([moments.products_per_pair() for moments in parts], 0)
        tables.append(whole.products_per_pair() + (whole.products_per_pair() - halves) * (1 - m / n))
    values, errors = _jackknife(tables, scale or 0.0)
    return KernelDistance(values[0], errors[0], values[1], errors[1], values[2], method)


def random_subsets(n: int, size: int, repeats: int, seed: int) -> Iterator[np.ndarray]:
    """Yield random subsets, which are disjoint if there are enough inputs."""
    if repeats < 2 or not 4 <= size <= n:
        raise ValueError(
            f"an error bar needs at least 2 subsamples of 4 to n = {n} inputs; found repeats={repeats}, size={size}"
        )
    generator = np.random.default_rng(seed)
    order = generator.permutation(n)
    for k in range(repeats):
        fresh = repeats * size <= n
        yield order[k * size : (k + 1) * size] if fresh else generator.permutation(n)[:size]


def _jackknife(tables: Sequence[np.ndarray], scale: float) -> tuple[list[float], list[float]]:
    """Return S, centered S and growth from the mean products, corrected for the bias of a ratio of means, and
    half-widths of their 95 % intervals.

    Both come from leaving out each subset once: Quenouille's bias is (r − 1) times the mean change, and the spread is
    Tukey's.
    """
    r, total = len(tables), np.sum(tables, 0)
    without = np.array([distances_from_products((total - table) / (r - 1), scale) for table in tables])
    spread = np.sqrt(np.square(without - without.mean(0)).sum(0) * (r - 1) / r)
    mended = r * np.array(distances_from_products(total / r, scale)) - (r - 1) * without.mean(0)
    return mended.clip(0).tolist(), (float(stdtrit(r - 1, 0.975)) * spread).tolist()
