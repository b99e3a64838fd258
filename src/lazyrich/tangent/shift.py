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


def kernel_shift(K: np.ndarray, K0: np.ndarray, inputs: int, population: int | None = None) -> Shift:
    """The distance S of two kernels on n `inputs`, drawn from a `population` (None: endless) for which it stands.

    Kernels are (n·c, n·c) with index i·c + k; centring removes each output's mean over the inputs, on both sides. A
    small sample gives the diagonal of a kernel too much weight. So the products that S is made of are estimated first,
    without bias: as they are on the sample, and from distinct inputs alone (for an endless population), mixed by the
    share of the population that was drawn. The jackknife (each input left out once) gives the error bar of the result.

    >>> K = np.diag([1.0, 2.0])
    >>> kernel_shift(3 * K, K, inputs=2, population=2).growth
    3.0
    """
    now, start = (_blocks(kernel, inputs) for kernel in (K, K0))
    moments = Moments(inputs)
    moments.add(0, 0, now, start)
    scale = moments.scale or 0.0
    *distance, growth = distances(moments.table(), scale)
    drawn = inputs / population if population else 0.0
    if inputs < LEAST or drawn == 1:
        return Shift((distance[0], distance[1]), (0.0, 0.0) if drawn == 1 else (np.nan, np.nan), growth)
    D = now - scale * start
    products = [_products(one, other, drawn) for one, other in ((D, D), (D, start), (start, start))]
    whole, *without = (distances(table, scale)[:2] for table in np.stack(products, -1))
    spread = np.sqrt((inputs - 1) * np.var(without, 0))
    errors = (student.ppf(0.975, inputs - 1) * (1 - drawn) ** 0.5 * spread).tolist()
    return Shift((whole[0], whole[1]), (errors[0], errors[1]), growth)


def target_alignment(K: np.ndarray, targets: np.ndarray, population: int | None = None) -> tuple[float, float]:
    """The cosine between the kernel and y yᵀ, for targets y of shape (n, c), plain and centred over the inputs.

    How much of the kernel is the task. With class labels only the centred one tells: one-hot rows are mostly mean. The
    `population` that the n inputs stand for is as in `kernel_shift`.
    """
    y = np.asarray(targets, np.float64).reshape(-1)
    plain, centred = kernel_shift(K, np.outer(y, y), len(targets), population).distance
    return 1 - plain, 1 - centred


def _blocks(K: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(K, np.float64).reshape(n, len(K) // n, n, len(K) // n)


def _products(X: np.ndarray, Y: np.ndarray, drawn: float) -> np.ndarray:
    """⟨X, Y⟩ and ⟨HXH, HYH⟩ per pair of inputs of the population; of all n inputs, and without each: (1 + n, 2)."""
    n = len(X)
    m = np.array([n, *[n - 1] * n], np.float64)
    own = np.arange(n)
    hollow, hollow0 = X.copy(), Y.copy()
    hollow[own, :, own] = hollow0[own, :, own] = 0
    plain, rows, total = _sums(X, Y)
    sampled = np.stack([plain, plain - 2 / m * rows + total / m**2], 1) / m[:, None] ** 2
    # The centred one is ⟨X_ij, Y_ij⟩ − 2⟨X_ij, Y_ik⟩ + ⟨X_ij, Y_kl⟩ in the mean over distinct i, j, k, l: with one
    # output, the unbiased HSIC of Song et al. (2012); with several, a block and its mirror image are not the same.
    plain, rows, total = _sums(hollow, hollow0)
    mirrored, mirrored_rows, _ = _sums(hollow, hollow0.swapaxes(1, 3))
    quadruples = total - 2 * (rows + mirrored_rows) + plain + mirrored
    pairs, triples = m * (m - 1), m * (m - 1) * (m - 2)
    centred = plain / pairs - 2 * (rows - plain) / triples + quadruples / (triples * (m - 3))
    return drawn * sampled + (1 - drawn) * np.stack([plain / pairs, centred], 1)


def _sums(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """⟨X, Y⟩, ⟨R, R'⟩ of the sums R over the inputs along one side, and ⟨T, T'⟩ of those along both, for symmetric
    (n, c, n, c): of all n inputs, and when input i is left out, for every i."""
    own = np.arange(len(X))
    products = (X * Y).sum((1, 3))
    plain = products.sum() - 2 * products.sum(0) + products.diagonal()
    (rows, self_), (rows0, self0) = ((Z.sum(2), Z[own, :, own]) for Z in (X, Y))
    # Row sums without i, R_j − X_ji for j ≠ i; and the sum of all without i.
    crossed = np.einsum("jkl,jkil->i", rows, Y) + np.einsum("jkl,jkil->i", rows0, X)
    sums = (rows * rows0).sum() - crossed + products.sum(0) - ((rows - self_) * (rows0 - self0)).sum((1, 2))
    all_, all0 = rows.sum(0), rows0.sum(0)
    total, total0 = (t - r - r.swapaxes(1, 2) + o for t, r, o in ((all_, rows, self_), (all0, rows0, self0)))
    whole = products.sum(), (rows * rows0).sum(), (all_ * all0).sum()
    parts = plain, sums, (total * total0).sum((1, 2))
    one, two, three = (np.concatenate([[w], part]) for w, part in zip(whole, parts, strict=True))
    return one, two, three
