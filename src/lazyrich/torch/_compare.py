"""Two kernels compared block by block: exactly, or on random subsets with an error bar."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import torch
from scipy.stats import t as student
from torch import Tensor

from lazyrich.torch._factors import Factors
from lazyrich.torch._guard import Diverged
from lazyrich.torch._tangent import Tangent

Method = Literal["auto", "exact", "subsample"]
FactorsOf = Callable[[Tensor], Factors]

KEPT_BYTES = 3 * 2**29  # factors of all samples are kept up to this size, and formed anew for each block above it
ROWS = 1024  # of a block of the kernel
AFFORDABLE = 1e12  # multiplications per kernel below which "auto" is exact: about a minute on one core
REPEATS, SIZE = 10, 100  # subsamples, and samples in each


@dataclass(frozen=True)
class KernelDistance:
    r"""How far two kernels are apart, $S = 1 - \langle K, K_0\rangle/(\|K\|\,\|K_0\|)$, and how that was computed.

    `error` is half the width of a 95 % interval (Student's t over the subsamples), and 0 if S is exact. The `centred` S
    is that of HKH, with the mean over the samples taken off for each output; `growth` is $\|K\|/\|K_0\|$, to which S is
    blind.
    """

    value: float
    error: float
    centred: float
    centred_error: float
    growth: float
    method: str

    @property
    def alignment(self) -> float:
        return 1 - self.value

    @property
    def centred_alignment(self) -> float:
        return 1 - self.centred

    def __str__(self) -> str:
        first, second = (
            f"{v:.4g}" + (f" ± {e:.2g}" if e else "")
            for v, e in ((self.value, self.error), (self.centred, self.centred_error))
        )
        return f"kernel distance S = {first} (centred {second}), growth {self.growth:.4g}; {self.method}"


class Moments:
    r"""Collects, in float64, what the cosine between two symmetric kernels needs, also after centring.

    Kept are the products of $D = K - sK_0$ and $K_0$, with s from the first block: where the kernels are nearly
    parallel, D is small and $1 - \cos$ does not cancel. Centring takes the mean over samples off, for each output:
    $\langle HXH, HYH\rangle = \langle X, Y\rangle - 2\langle R_X, R_Y\rangle/n + \langle T_X, T_Y\rangle/n^2$ with R
    the sums of X over the samples along its columns and T those of R along its rows.
    """

    def __init__(self, n: int, scale: float | None = None) -> None:
        self.n, self.scale = n, scale
        self.products = torch.zeros(3, dtype=torch.float64)  # DD, DK₀, K₀K₀
        self.sums: Tensor | None = None  # (2, n, c, c): R of D and of K₀

    def add(self, row: int, column: int, one: Tensor, other: Tensor) -> None:
        """The block (m, c, m', c) with its corner at these samples, on or above the diagonal."""
        K, base = one.double(), other.double()
        if self.scale is None:
            size = float(base.pow(2).sum())
            self.scale = float((K * base).sum()) / size if size > 0 else 0.0
        D = torch.sub(K, base, alpha=self.scale)
        flat, flat0 = D.reshape(-1), base.reshape(-1)
        twice = 1 if row == column else 2
        self.products += twice * torch.stack([flat @ flat, flat @ flat0, flat0 @ flat0]).cpu()
        m, c, n, _ = D.shape
        if self.sums is None:
            self.sums = D.new_zeros(2, self.n, c, c)
        for total, X in zip(self.sums, (D, base), strict=True):
            total[row : row + m] += X.sum(2)
            if row != column:
                total[column : column + n] += X.sum(0).permute(1, 2, 0)

    def table(self) -> Tensor:
        """The three products per pair of samples, plain and centred: (2, 3)."""
        assert self.sums is not None, "no block was added"
        means = self.sums.sum(1)
        parts = [
            ((means[i] * means[j]).sum() / self.n - 2 * (self.sums[i] * self.sums[j]).sum()) / self.n
            for i, j in ((0, 0), (0, 1), (1, 1))
        ]
        return torch.stack([self.products, self.products + torch.stack(parts).cpu()]) / self.n**2


def _distances(table: Tensor, scale: float) -> Tensor:
    """S, S of the centred kernels, and ‖K‖/‖K₀‖, from the products of D = K − scale·K₀ and K₀."""
    found, floor, floor0 = [], 0.0, 0.0
    for dd, d0, base in table.tolist():
        size, inner = dd + 2 * scale * d0 + scale**2 * base, d0 + scale * base
        if size <= floor or base <= floor0:  # a kernel that is zero has no direction
            found.append(0.0 if size <= floor and base <= floor0 else 1.0)
        elif inner <= 0:
            found.append(1 - inner / math.sqrt(size * base))
        else:
            sine2 = min(max((dd - d0**2 / base) / size, 0.0), 1.0)
            found.append(sine2 / (1 + math.sqrt(1 - sine2)))
        if not floor:
            growth = math.sqrt(max(size, 0.0) / base) if base > 0 else (math.inf if size > 0 else 1.0)
            floor, floor0 = 1e-13 * size, 1e-13 * base  # where centring leaves nothing, it leaves rounding
    return torch.tensor([*found, growth], dtype=torch.float64)


def block_size(n: int, tangents: Sequence[Tangent], kept: int = KEPT_BYTES) -> int:
    """Samples per block: about `ROWS` rows, fewer if the factors of two blocks would not fit."""
    fitting = kept / (2 * sum(t.per_sample for t in tangents))
    rows = math.ceil(ROWS / tangents[0].outputs)
    return max(1, min(n, int(fitting), rows if fits(n, tangents, kept) else int(fitting)))


def fits(n: int, tangents: Sequence[Tangent], kept: int = KEPT_BYTES) -> bool:
    return n * sum(t.per_sample for t in tangents) <= kept


def blocks(ways: Sequence[FactorsOf], parts: Sequence[Tensor], keep: bool) -> Iterator[tuple[int, int, list[Tensor]]]:
    """The blocks (a, b), a ≤ b, of the kernels, as (m, c, m', c)."""

    def form(a: int) -> list[Factors]:
        return [way(parts[a]) for way in ways]

    get = cache(form) if keep else form
    for a in range(len(parts)):
        rows = get(a)
        for b in range(a, len(parts)):
            columns = rows if a == b else get(b)
            found = [one.gram(other) for one, other in zip(rows, columns, strict=True)]
            if not all(bool(torch.isfinite(block.double().square().sum())) for block in found):  # as S needs it
                raise Diverged(
                    f"the kernel is too large for {found[0].dtype}: the weights are about to diverge; measure an "
                    "earlier state, or model.double()"
                )
            yield a, b, found


def compare(
    tangents: Sequence[Tangent],
    ways: Sequence[FactorsOf],
    n: int,
    method: Method,
    repeats: int,
    size: int | None,
    seed: int,
) -> KernelDistance:
    work = n**2 / 2 * max(t.per_pair for t in tangents)
    if method not in ("auto", "exact", "subsample"):
        raise ValueError(f"method must be 'auto', 'exact' or 'subsample'; found {method!r}")
    c = tangents[0].outputs
    size = max(4, min(n // 2, SIZE, 4000 // c)) if size is None else size
    how = tangents[0].method
    if method == "exact" or (method == "auto" and (work <= AFFORDABLE or n <= 2 * size)):
        block = block_size(n, tangents)
        moments = Moments(n)
        for a, b, (one, other) in blocks(ways, torch.arange(n).split(block), fits(n, tangents)):
            moments.add(a * block, b * block, one, other)
        value, centred, growth = _distances(moments.table(), moments.scale or 0.0).tolist()
        return KernelDistance(value, 0.0, centred, 0.0, growth, f"exact on {n} inputs in eval mode: {how}")
    if repeats < 2 or not 4 <= size <= n:
        raise ValueError(
            f"an error bar needs at least 2 subsamples of 4 to n = {n} inputs; found repeats={repeats}, size={size}"
        )
    (value, centred, growth), error = _jackknife(*_subsamples(ways, _subsets(n, size, repeats, seed), n))
    said = f"{repeats} subsamples of {size} from {n} inputs in eval mode: {how}"
    return KernelDistance(value, error[0], centred, error[1], growth, said)


def _subsets(n: int, size: int, repeats: int, seed: int) -> Iterator[Tensor]:
    """Random subsets; disjoint ones as long as there are enough inputs."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(n, generator=generator)
    for k in range(repeats):
        fresh = repeats * size <= n
        yield order[k * size : (k + 1) * size] if fresh else torch.randperm(n, generator=generator)[:size]


def _subsamples(ways: Sequence[FactorsOf], subsets: Iterable[Tensor], n: int) -> tuple[Tensor, float]:
    """Of each subset of m inputs the products, as expected on all n: they depend on 1/m, and the halves say how."""
    scale, found = None, []
    for index in subsets:
        m = len(index)
        parts = index.split((m + 1) // 2)
        whole = Moments(m, scale)
        halves = []
        for a, b, (one, other) in blocks(ways, parts, keep=True):
            whole.add(a * len(parts[0]), b * len(parts[0]), one, other)
            scale = whole.scale
            if a == b:
                halves.append(Moments(len(parts[a]), scale))
                halves[-1].add(0, 0, one, other)
        half = torch.stack([part.table() for part in halves]).mean(0)
        found.append(whole.table() + (whole.table() - half) * (1 - m / n))
    return torch.stack(found), scale or 0.0


def _jackknife(tables: Tensor, scale: float) -> tuple[list[float], list[float]]:
    """S, centred S and growth from the mean products, and half the width of their 95 % intervals."""
    r = len(tables)
    whole = _distances(tables.mean(0), scale)
    without = torch.stack([_distances((tables.sum(0) - table) / (r - 1), scale) for table in tables])
    spread = (without - without.mean(0)).square().sum(0).mul((r - 1) / r).sqrt()
    return whole.tolist(), (float(student.ppf(0.975, r - 1)) * spread).tolist()
