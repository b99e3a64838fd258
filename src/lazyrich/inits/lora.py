"""Low-rank adapters on a linear layer."""

from typing import Literal

import numpy as np
from jaxtyping import Array, Key

from lazyrich._core.array_namespace import is_concrete, xp
from lazyrich._core.random import normal_arrays, random_orthonormal
from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_array_as_numpy, check_key, check_static_float
from lazyrich._validate.integers import check_int
from lazyrich._validate.numbers import check_flag, check_word
from lazyrich.networks import DeepLinear

KAIMING_ROW = 1 / 3  # squared norm of a row of A, in the mean, by Kaiming's uniform rule with a = √5


def lora(
    key: Key[Array, ""],
    d: int,
    c: int,
    rank: int,
    alpha: float | None = None,
    *,
    rank_stabilized: bool = False,
    size: ArrayLike = KAIMING_ROW,
    distribution: Literal["orthogonal", "gaussian"] = "orthogonal",
) -> DeepLinear:
    r"""Return the adapter $sBA$ of a linear layer $W_0 + sBA$ (Hu et al. 2022): $W_1 = \sqrt s\,A$ of shape (rank, d),
    $W_2 = \sqrt s\,B = 0$.

    The scale is $s = \alpha/r$, or $\alpha/\sqrt r$ if `rank_stabilized` (Kalajdzievski 2023); by default s = 1. The
    rows of A have squared norm `size`, in the mean if they are Gaussian; 1/3 is that of Kaiming's rule, the common
    default. The frozen layer enters through the labels: use `problem.residual(W0.T)`. A and B may have rates of their
    own. A flow with rates $(\eta_A, \eta_B)$ from this network runs s times as fast as that of A and B with these
    rates: its time t is their time t/s.

    With orthogonal rows the imbalance is isotropic, $\delta = -s\,\text{size}\,\sqrt{\eta_B/\eta_A}$ in units of the
    predictor, so that `exact` applies on whitened inputs. Adapters are downstream networks.

    >>> import jax
    >>> net = lora(jax.random.key(0), d=64, c=32, rank=8, alpha=16)
    >>> bool(np.allclose(net.weights[0] @ net.weights[0].T, 2 / 3 * np.eye(8))), float(abs(net.beta).max())
    (True, 0.0)
    """
    d, c, rank = check_int("d", d), check_int("c", c), check_int("rank", rank, most=d)
    check_flag("rank_stabilized", rank_stabilized)
    check_word("distribution", distribution, ("orthogonal", "gaussian"))
    alpha = float(rank) ** (0.5 if rank_stabilized else 1.0) if alpha is None else check_static_float("alpha", alpha)
    size = check_array_as_numpy("size", size, (0,))
    if not alpha > 0 or (is_concrete(size) and not size > 0):
        culprit = f"alpha = {alpha:g}" if not alpha > 0 else f"size = {float(size):g}"
        raise ValueError(
            f"alpha and size must be positive, since an adapter with A = B = 0 never moves; found {culprit}"
        )
    scale = alpha / rank ** (0.5 if rank_stabilized else 1.0)
    if distribution == "orthogonal":
        A = random_orthonormal(check_key(key), d, rank).T
    else:
        A = normal_arrays(check_key(key), [(rank, d)])[0] / np.sqrt(d)
    return DeepLinear([xp.sqrt(scale * size) * A, np.zeros((c, rank))])
