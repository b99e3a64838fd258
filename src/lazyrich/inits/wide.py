"""Wide two-layer linear networks, whose predictor follows an equation of its own: of any width, and of none."""

import numpy as np
from jaxtyping import Array, Key

from lazyrich._core.array_namespace import is_concrete, xp
from lazyrich._core.random import random_orthonormal
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.arrays import check_array_as_numpy, check_key
from lazyrich._validate.integers import check_int
from lazyrich.networks import DeepLinear


def wide(
    key: Key[Array, ""],
    d: int,
    h: int,
    c: int,
    c1: ArrayLike | None = None,
    c2: ArrayLike | None = None,
    *,
    gamma: ArrayLike | None = None,
) -> DeepLinear:
    r"""Return a two-layer linear network with orthogonal blocks, $W_1^\top W_1 = c_1I$, $W_2W_2^\top = c_2I$, $W_2W_1 =
    0$.

    Its predictor follows an equation of its own on any data with any loss, in which only $s = (c_1 + c_2)/2$ enters:
    `integrate` uses it. Give $c_1$ and $c_2$, or the feature-learning strength $\gamma = 1/s$, which puts $c_1 = c_2 =
    1/\gamma$. Needs $h \ge d + c$ hidden units, or only d if $c_2 = 0$ (varre2023, `orthogonal`), only c if $c_1 = 0$.

    >>> import jax
    >>> net = wide(jax.random.key(0), d=3, h=40, c=2, gamma=4.0)
    >>> W, V = net.weights
    >>> bool(np.allclose(W.T @ W, np.eye(3) / 4)), bool(np.allclose(V @ W, 0, atol=1e-15))
    (True, True)
    """
    d, h, c = check_int("d", d), check_int("h", h), check_int("c", c)
    c1, c2 = _scales(c1, c2, gamma)
    first, second = (not is_concrete(size) or bool(size > 0) for size in (c1, c2))
    min_width = first * d + second * c
    if h < min_width:
        raise ValueError(f"orthogonal blocks need h ≥ {min_width} hidden units for d = {d} and c = {c}; found h = {h}")
    frame = random_orthonormal(check_key(key), h, max(min_width, 1))
    W = frame[:, :d] if first else np.zeros((h, d))
    V = frame[:, min_width - c :] if second else np.zeros((h, c))
    return DeepLinear([xp.sqrt(c1) * W, xp.sqrt(c2) * V.T])


def infinite_width(
    d: int, c: int, c1: ArrayLike | None = None, c2: ArrayLike | None = None, *, gamma: ArrayLike | None = None
) -> DeepLinear:
    r"""Return the two-layer linear network of infinite width with $W_1^\top W_1 = c_1I$ and $W_2W_2^\top = c_2I$.

    d + c hidden units carry it exactly: on any data, with any loss, at all times and also along gradient descent,
    predictor and tangent kernel are those of every wider network with these scales. So there is no width to choose, and
    nothing random. A Gaussian start of h units, $W_1$ with variance $c_1/h$ and $W_2$ with $c_2/h$, tends to it as
    $1/\sqrt h$. In the maximal-update parametrization $f = \frac1{\gamma h}\sum_ia_iw_i\cdot x$ with rates $\gamma h$
    (Yang and Hu 2021; Bordelon and Pehlevan 2022) it has $c_1 = c_2 = 1/\gamma$: give γ, the feature-learning strength.

    >>> net = infinite_width(d=3, c=2, gamma=4.0)
    >>> [W.shape for W in net.weights], float(abs(net.beta).max())
    ([(5, 3), (2, 5)], 0.0)
    """
    d, c = check_int("d", d), check_int("c", c)
    c1, c2 = _scales(c1, c2, gamma)
    return DeepLinear([xp.sqrt(c1) * np.eye(d + c, d, -c), xp.sqrt(c2) * np.eye(c, d + c)])


def _scales(c1: ArrayLike | None, c2: ArrayLike | None, gamma: ArrayLike | None) -> tuple[AnyArray, AnyArray]:
    """Return the checked scales, from themselves or from the feature-learning strength."""
    if (gamma is None) == (c1 is None and c2 is None) or (gamma is None and (c1 is None or c2 is None)):
        passed = [name for name, value in (("c1", c1), ("c2", c2), ("gamma", gamma)) if value is not None]
        raise ValueError(f"give c1 and c2, or gamma alone; found {' and '.join(passed) or 'none of them'}")
    if gamma is not None:
        gamma = check_array_as_numpy("gamma", gamma, (0,))
        if is_concrete(gamma) and not gamma > 0:
            raise ValueError(f"gamma must be positive; found {float(gamma):g}")
        return 1 / gamma, 1 / gamma
    sizes = check_array_as_numpy("c1", c1, (0,)), check_array_as_numpy("c2", c2, (0,))
    for name, size in zip(("c1", "c2"), sizes, strict=True):
        if is_concrete(size) and size < 0:
            raise ValueError(f"{name} must not be negative; found {float(size):g}")
    if is_concrete(sizes) and max(sizes) == 0:
        raise ValueError("one of c1 and c2 must be positive: a network of zeros never moves")
    return sizes
