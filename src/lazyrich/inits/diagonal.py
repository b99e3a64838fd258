"""Diagonal networks."""

from lazyrich._core.array_namespace import is_concrete, xp
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.arrays import check_array_as_numpy
from lazyrich._validate.integers import check_int
from lazyrich.networks import Diagonal


def diagonal(d: int, alpha: ArrayLike, shape: ArrayLike = 0.0) -> Diagonal:
    r"""Return an untied, unbiased diagonal network in azulay2021's scale and shape: $uv = \alpha$, $v/u = (1+s)/(1-s)$
    in every coordinate.

    `alpha` and `shape` are numbers or one per coordinate. $\beta = 0$ at the start.

    >>> net = diagonal(3, alpha=4.0, shape=0.5)
    >>> (net.weights[0] * net.weights[1])[0], (net.weights[1] / net.weights[0])[0]
    (Array([4., 4., 4.], dtype=float64), Array([3., 3., 3.], dtype=float64))
    """
    d, alpha, s = check_int("d", d), _per_coordinate("alpha", alpha, d), _per_coordinate("shape", shape, d)
    if is_concrete(alpha, s) and not bool(xp.all(xp.abs(s) < 1) & xp.all(alpha > 0)):
        raise ValueError(f"need a scale alpha > 0 and a shape strictly between −1 and 1; found {alpha} and {s}")
    ratio = (1 + s) / (1 - s)
    u, v = xp.sqrt(alpha / ratio), xp.sqrt(alpha * ratio)
    return Diagonal([xp.broadcast_to(u, (2, d)), xp.broadcast_to(v, (2, d))])


def tied_diagonal(d: int, alpha: ArrayLike, depth: int = 2) -> Diagonal:
    r"""Return a tied diagonal network, $w_+ = w_- = \alpha\mathbb 1$ (smith2022, section 4; Woodworth et al. 2020):
    $\beta = w_+^D - w_-^D = 0$."""
    d = check_int("d", d)
    return Diagonal([xp.broadcast_to(_per_coordinate("alpha", alpha, d), (2, d))], power=check_int("depth", depth))


def _per_coordinate(name: str, value: ArrayLike, d: int) -> AnyArray:
    """Check a value that is one number, or one per coordinate, and return it as an array."""
    array = check_array_as_numpy(name, value, (0, 1))
    if array.shape not in ((), (1,), (d,)):
        raise ValueError(f"{name} must be one number, or one per coordinate ({d}); found {len(array)}")
    return array
