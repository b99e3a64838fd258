"""Distance of two kernels from products of gradients along random directions of the outputs, one for each group of
inputs."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import stdtrit

GROUP_SIZE = 2  # inputs that share a random direction
MIN_GROUPS = 6  # least number of groups, for an error bar
_ROUNDING = 1e-13  # relative to the plain product: a smaller centered one is rounding only


@dataclass(frozen=True)
class GroupedDistance:
    """S = 1 − cosine of kernels, plain and centered, with 95 % intervals, (..., 2); and ‖K‖/‖K₀‖, (...,).

    S is NaN where one of the two kernels is zero.
    """

    distance: np.ndarray
    low: np.ndarray
    high: np.ndarray
    growth: np.ndarray


def grouped_kernel_distance(K: np.ndarray, K0: np.ndarray, group_size: int = GROUP_SIZE) -> GroupedDistance:
    r"""Return the distance S of kernels that were seen along random directions, (..., n, n), without bias.

    The n inputs are in groups of `group_size`, and each group p has one random vector $r_p$ of independent signs over
    all outputs. The entries are $k_{ij} = r_p^\top K(x_i, x_j)\, r_q$ for i in p and j in q. For two different groups
    $E\,(r_p^\top A\, r_q)(r_p^\top B\, r_q) = \langle A, B\rangle$, so the sum of $k_{ij} k^0_{ij}$ over pairs of
    groups estimates the inner product of the two kernels on an infinite population of inputs, which has no blocks (i,
    i). Centering subtracts the mean of each group on both sides, as its inputs share their direction.

    A group, with its inputs and its direction, is an independent draw. The interval is that of the jackknife over
    groups of log S, $S\,e^{\pm t\,\mathrm{se}}$ with Student's t; it holds both sources of error.

    >>> rng = np.random.default_rng(0)
    >>> J0, J = rng.normal(size=(2, 40, 300))
    >>> found = grouped_kernel_distance(J @ J.T, J @ J.T)
    >>> found.distance.tolist(), found.growth.tolist()
    ([0.0, 0.0], 1.0)
    >>> found = grouped_kernel_distance((J + J0) @ (J + J0).T, J0 @ J0.T)
    >>> bool((found.low < found.distance).all() and (found.distance < found.high).all())
    True
    """
    K, K0 = (np.asarray(kernel, np.float64) for kernel in (K, K0))
    groups = K.shape[-1] // group_size
    if K.shape != K0.shape or K.shape[-1] != K.shape[-2] or groups * group_size != K.shape[-1] or groups < MIN_GROUPS:
        raise ValueError(
            f"two kernels of one shape (..., n, n) are needed, with n a multiple of {group_size} and at least "
            f"{MIN_GROUPS * group_size}; found {K.shape} and {K0.shape}"
        )
    size = np.maximum(np.abs(K).max((-1, -2)), np.finfo(float).tiny)[..., None, None]
    size0 = np.maximum(np.abs(K0).max((-1, -2)), np.finfo(float).tiny)[..., None, None]
    now, start = K / size, K0 / size0  # so that squares stay in range
    plain = _between_groups(now, start, group_size)
    center = _group_centering(K.shape[-1], group_size)
    centered = _between_groups(center @ now @ center, center @ start @ center, group_size)
    floor = _ROUNDING * plain.tables.sum((-1, -2))[[0, 2]]
    columns = [plain.interval(np.zeros_like(floor)), centered.interval(floor)]
    distance, low, high = (np.stack([column[i] for column in columns], -1) for i in range(3))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        growth = plain.growth() * (size / size0)[..., 0, 0]
    return GroupedDistance(distance, low, high, growth)


@dataclass(frozen=True)
class _GroupProducts:
    """Inner products ⟨K, K⟩, ⟨D, K₀⟩, ⟨K₀, K₀⟩, ⟨D, D⟩ by pairs of groups, (4, ..., G, G), with D = K − scale·K₀."""

    tables: np.ndarray
    scale: np.ndarray

    def growth(self) -> np.ndarray:
        size, _, base, _ = self.tables.sum((-1, -2))
        return np.where(base > 0, np.sqrt(size / np.where(base > 0, base, 1.0)), np.where(size > 0, np.inf, np.nan))

    def interval(self, floor: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return S with both ends of its interval; `floor` is what ⟨K, K⟩ and ⟨K₀, K₀⟩ must exceed."""
        groups, whole = self.tables.shape[-1], self.tables.sum((-1, -2))
        S = _distance(whole, self.scale)
        without = _distance(whole[..., None] - 2 * self.tables.sum(-1), self.scale[..., None])
        tiny = np.finfo(float).tiny
        spread = np.sqrt((groups - 1) * np.var(np.log(np.maximum(without, tiny)), -1))
        half = _student_factor(groups - 1) * spread
        none = ~((whole[0] > floor[0]) & (whole[2] > floor[1]))
        with np.errstate(over="ignore"):
            low, high = S * np.exp(-half), np.where(S > 0, np.minimum(S * np.exp(half), 2.0), 0.0)
        bounds = [np.where(none, np.nan, value) for value in (S, low, high)]
        return bounds[0], bounds[1], bounds[2]


def _between_groups(K: np.ndarray, K0: np.ndarray, group_size: int) -> _GroupProducts:
    base = (K0 * K0).sum((-1, -2))
    scale = (K * K0).sum((-1, -2)) / np.where(base > 0, base, 1.0)
    D = K - scale[..., None, None] * K0
    groups = K.shape[-1] // group_size
    products = np.stack([K * K, D * K0, K0 * K0, D * D])
    blocks = products.reshape(*products.shape[:-2], groups, group_size, groups, group_size).sum((-1, -3))
    return _GroupProducts(blocks * (1 - np.eye(groups)), scale)


@cache
def _student_factor(freedom: int) -> float:
    return float(stdtrit(freedom, 0.975))


@cache
def _group_centering(n: int, group_size: int) -> np.ndarray:
    """Return the projection that subtracts the mean of each group."""
    return np.eye(n) - np.kron(np.eye(n // group_size), np.full((group_size, group_size), 1 / group_size))


def _distance(products: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return S from the four products, without cancellation where the kernels are nearly parallel."""
    size, d0, base, dd = products
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = d0 + scale * base
        area = size * base
        sine2 = np.clip((dd * base - d0 * d0) / area, 0.0, 1.0)
        cosine = inner / np.sqrt(area)
        return np.where(cosine > 0, sine2 / (1 + np.sqrt(1 - sine2)), 1 - cosine)
