"""Two kernels on a sample that stands for more inputs: their distance without the bias of a small sample."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from lazyrich.tangent.distance import Moments, distances

LEAST = 5  # inputs of a sample that stands for more: without one of them, the centred estimate needs four


@dataclass(frozen=True)
class Shift:
    """How a kernel lies to another: S = 1 − cosine, plain and centred, with half of their 95 % intervals; ‖K‖/‖K₀‖."""

    distance: tuple[float, float]
    error: tuple[float, float]
    growth: float


def kernel_shift(
    K: np.ndarray, K0: np.ndarray, inputs: int, population: int | None = None, directions: bool = False
) -> Shift:
    r"""The distance S of two kernels on n `inputs`, drawn from a `population` (None: endless) for which it stands.

    Kernels are (n·c, n·c) with index i·c + k; centring removes each output's mean over the inputs, on both sides. A
    small sample gives the diagonal of a kernel too much weight. So the products that S is made of are estimated first,
    without bias: as they are on the sample, and from distinct inputs alone (for an endless population), mixed by the
    share of the population that was drawn. The jackknife (each input left out once) gives the error bar of the result.

    With `directions`, the outputs are products with independent random vectors r_a that stand for all outputs: of two
    different ones $E (r_a^\top A r_b)(r_a^\top B r_b) = \langle A, B\rangle$ up to a factor, so the products are
    those of distinct directions alone, and leaving each direction out once adds to the error bar.

    >>> K = np.diag([1.0, 2.0])
    >>> kernel_shift(3 * K, K, inputs=2, population=2).growth
    3.0
    """
    now, start = (_blocks(kernel, inputs, directions) for kernel in (K, K0))
    found = _shift(now, start, population)
    if not directions:
        return found
    c = now.shape[1]
    others = [[b for b in range(c) if b != a] for a in range(c)]
    parts = [(now[:, rest][:, :, :, rest], start[:, rest][:, :, :, rest]) for rest in others]
    without = [_shift(one, other, population, error=False).distance for one, other in parts]
    spread = student.ppf(0.975, c - 1) * np.sqrt((c - 1) * np.var(without, 0))
    plain, centred = np.hypot(found.error, spread).tolist()
    return Shift(found.distance, (plain, centred), found.growth)


def _shift(now: np.ndarray, start: np.ndarray, population: int | None, error: bool = True) -> Shift:
    """Of kernels (n, c, n, c), with the error for the inputs that were left out."""
    inputs = len(now)
    moments = Moments(inputs)
    moments.add(0, 0, now, start)
    scale = moments.scale or 0.0
    *distance, growth = distances(moments.table(), scale)
    drawn = inputs / population if population else 0.0
    if inputs < LEAST or drawn == 1:
        return Shift((distance[0], distance[1]), (0.0, 0.0) if drawn == 1 else (np.nan, np.nan), growth)
    D = now - scale * start
    products = [_products(one, other, drawn, error) for one, other in ((D, D), (D, start), (start, start))]
    tables = np.stack(products, -1)
    whole = distances(tables[0], scale)[:2]
    if not error:
        return Shift((whole[0], whole[1]), (np.nan, np.nan), growth)
    without = [distances(table, scale)[:2] for table in tables[1:]]
    spread = np.sqrt((inputs - 1) * np.var(without, 0))
    errors = (student.ppf(0.975, inputs - 1) * (1 - drawn) ** 0.5 * spread).tolist()
    return Shift((whole[0], whole[1]), (errors[0], errors[1]), growth)


def target_alignment(
    K: np.ndarray, targets: np.ndarray, population: int | None = None, directions: bool = False
) -> tuple[float, float]:
    """The cosine between the kernel and y yᵀ, for targets y of shape (n, c), plain and centred over the inputs.

    How much of the kernel is the task. With class labels only the centred one tells: one-hot rows are mostly mean. The
    `population` that the n inputs stand for, and `directions`, are as in `kernel_shift`.
    """
    y = np.asarray(targets, np.float64).reshape(-1)
    plain, centred = kernel_shift(K, np.outer(y, y), len(targets), population, directions).distance
    return 1 - plain, 1 - centred


def _blocks(K: np.ndarray, n: int, distinct: bool) -> np.ndarray:
    """As (n, c, n, c); `distinct` outputs only, the others are 0."""
    blocks = np.asarray(K, np.float64).reshape(n, len(K) // n, n, len(K) // n)
    return blocks * (1 - np.eye(blocks.shape[1]))[:, None] if distinct else blocks


def _products(X: np.ndarray, Y: np.ndarray, drawn: float, each: bool) -> np.ndarray:
    """⟨X, Y⟩ and ⟨HXH, HYH⟩ per pair of inputs of the population; of all n inputs, and without `each`: (1 + n, 2)."""
    n = len(X)
    m = np.array([n, *[n - 1] * n * each], np.float64)
    own = np.arange(n)
    hollow, hollow0 = X.copy(), Y.copy()
    hollow[own, :, own] = hollow0[own, :, own] = 0
    plain, rows, total = _sums(X, Y, each)
    sampled = np.stack([plain, plain - 2 / m * rows + total / m**2], 1) / m[:, None] ** 2
    # The centred one is ⟨X_ij, Y_ij⟩ − 2⟨X_ij, Y_ik⟩ + ⟨X_ij, Y_kl⟩ in the mean over distinct i, j, k, l: with one
    # output, the unbiased HSIC of Song et al. (2012); with several, a block and its mirror image are not the same.
    plain, rows, total = _sums(hollow, hollow0, each)
    mirrored, mirrored_rows, _ = _sums(hollow, hollow0.swapaxes(1, 3), each)
    quadruples = total - 2 * (rows + mirrored_rows) + plain + mirrored
    pairs, triples = m * (m - 1), m * (m - 1) * (m - 2)
    centred = plain / pairs - 2 * (rows - plain) / triples + quadruples / (triples * (m - 3))
    return drawn * sampled + (1 - drawn) * np.stack([plain / pairs, centred], 1)


def _sums(X: np.ndarray, Y: np.ndarray, each: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """⟨X, Y⟩, ⟨R, R'⟩ of the sums R over the inputs along one side, and ⟨T, T'⟩ of those along both, for symmetric
    (n, c, n, c): of all n inputs, and when input i is left out, for `each` i."""
    own = np.arange(len(X))
    rows, rows0 = X.sum(2), Y.sum(2)
    all_, all0 = rows.sum(0), rows0.sum(0)
    if not each:
        flat = np.vdot(X, Y), np.vdot(rows, rows0), np.vdot(all_, all0)
        return np.array(flat[:1]), np.array(flat[1:2]), np.array(flat[2:])
    products = (X * Y).sum((1, 3))
    plain = products.sum() - 2 * products.sum(0) + products.diagonal()
    self_, self0 = X[own, :, own], Y[own, :, own]
    # Row sums without i, R_j − X_ji for j ≠ i; and the sum of all without i.
    crossed = np.einsum("jkl,jkil->i", rows, Y) + np.einsum("jkl,jkil->i", rows0, X)
    sums = (rows * rows0).sum() - crossed + products.sum(0) - ((rows - self_) * (rows0 - self0)).sum((1, 2))
    total, total0 = (t - r - r.swapaxes(1, 2) + o for t, r, o in ((all_, rows, self_), (all0, rows0, self0)))
    whole = products.sum(), (rows * rows0).sum(), (all_ * all0).sum()
    parts = plain, sums, (total * total0).sum((1, 2))
    one, two, three = (np.concatenate([[w], part]) for w, part in zip(whole, parts, strict=True))
    return one, two, three
