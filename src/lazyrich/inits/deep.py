"""Deep linear networks."""

from collections.abc import Sequence
from itertools import pairwise

import jax
import numpy as np
from jaxtyping import Array, Key

from lazyrich._core.array_namespace import is_concrete, stop_gradient, to_numpy_if_concrete, xp
from lazyrich._core.linalg import abs_right, raise_if_differentiated
from lazyrich._core.random import normal_arrays, random_orthonormal
from lazyrich._core.types import AnyArray, ArrayLike, LayerRates
from lazyrich._validate.arrays import check_array_as_numpy, check_key, check_rates
from lazyrich._validate.integers import check_int
from lazyrich.networks import DeepLinear


def gaussian(key: Key[Array, ""], widths: Sequence[int], std: ArrayLike | None = None) -> DeepLinear:
    r"""Draw independent Gaussian weights. `std` is one number or one per layer; by default $1/\sqrt{\text{inputs}}$ of
    each layer.

    >>> [W.shape for W in gaussian(jax.random.key(0), (5, 7, 3), std=(0.1, 1.0)).weights]
    [(7, 5), (3, 7)]
    """
    if not isinstance(widths, (tuple, list)) or len(widths) < 2:
        raise ValueError(f"widths must be (d, n_1, …, c), at least two positive numbers; found {widths!r:.60}")
    widths = tuple(check_int(f"widths[{l}]", n) for l, n in enumerate(widths))
    depth = len(widths) - 1
    if std is None:
        std = [n**-0.5 for n in widths[:-1]]
    stds = check_array_as_numpy("std", std, (0, 1)).reshape(-1)
    if stds.size not in (1, depth) or (is_concrete(stds) and np.any(np.asarray(stds) < 0)):
        raise ValueError(f"std must be one nonnegative number or one per layer ({depth}); found {std}")
    matrices = normal_arrays(check_key(key), [(m, n) for n, m in pairwise(widths)])
    return DeepLinear([s * W for s, W in zip(xp.broadcast_to(stds, (depth,)), matrices, strict=True)])


def aligned(
    target: ArrayLike,
    strengths: ArrayLike | AnyArray,
    depth: int = 2,
    width: int | None = None,
    rates: LayerRates = None,
    key: Key[Array, ""] | None = None,
) -> DeepLinear:
    r"""Return a balanced network aligned with a target: $\beta = \sum_i a_i u_i v_i^\top$ for the singular vectors of
    `target` (d, c).

    Every layer contains the modes $a_i$ = `strengths` (a number, or one per mode) with equal share, so all $\Delta_l$
    vanish. `target` is $X^\top y$ for whitened data (Saxe et al. 2014; dln, section 5). Hidden layers have `width`
    units (default: number of modes), rotated at random if a key is given.

    >>> net = aligned(np.diag([3.0, 1.0]), 0.01, depth=3)
    >>> np.linalg.svd(net.beta, compute_uv=False).round(12)
    array([0.01, 0.01])
    """
    depth = check_int("depth", depth)
    target = check_array_as_numpy("target", target, (1, 2))
    target = target[:, None] if target.ndim == 1 else target
    rates = to_numpy_if_concrete(check_rates(rates, depth))
    U, values, Vt = xp.linalg.svd(target, full_matrices=False)
    if not is_concrete(target):
        still = stop_gradient(values)
        degenerate = xp.min(xp.append(still[:-1] - still[1:], still[-1])) <= 1e-13 * still[0]
        message = "the singular vectors of the target have no derivative where two singular values meet, or one is zero"
        U, Vt = (raise_if_differentiated(part, degenerate, message) for part in (U, Vt))
    modes = U.shape[1]
    width = modes if width is None else check_int("width", width)
    modes = min(modes, width) if depth > 1 else modes
    strengths = check_array_as_numpy("strengths", strengths, (0, 1))
    if strengths.ndim and len(strengths) < modes:
        raise ValueError(f"strengths must be one number or one per mode ({modes}); found {len(strengths)}")
    strengths = xp.broadcast_to(strengths[:modes] if strengths.ndim else strengths, (modes,))
    # Balanced with rates: the share of layer l is √η_l (|a| / ∏√η)^{1/L}; the last layer has the sign.
    roots = xp.sqrt(xp.stack(rates))
    if depth > 1 and not is_concrete(strengths):
        strengths = raise_if_differentiated(
            strengths,
            xp.any(stop_gradient(strengths) == 0),
            f"a layer carries |a|^(1/{depth}) of a mode a, which has no derivative at a = 0: differentiate where no "
            "strength is zero",
        )
    share = (abs_right(strengths) / xp.prod(roots)) ** (1 / depth)
    hidden: list[AnyArray] = [np.eye(width, modes)] * (depth - 1)
    if key is not None:
        hidden = [
            random_orthonormal(k, width, modes)
            for k in jax.random.split(check_key(key), max(depth - 1, 1))[: depth - 1]
        ]
    frames = [U[:, :modes], *hidden, Vt.T[:, :modes] * xp.where(strengths < 0, -1.0, 1.0)]
    return DeepLinear(
        [root * (out * share) @ inp.T for root, inp, out in zip(roots, frames[:-1], frames[1:], strict=True)]
    )


def deep_orthogonal(key: Key[Array, ""], d: int, depth: int, alpha: ArrayLike) -> DeepLinear:
    r"""Return a network with $W_l = \alpha O_l$, random orthogonal d × d matrices, below a zero readout (kunin2024,
    Definition 12); $\delta = -\alpha^2$.

    `depth` counts all layers, including the readout.
    """
    d, depth = check_int("d", d), check_int("depth", depth, least=2)
    layers = [
        check_array_as_numpy("alpha", alpha, (0,)) * random_orthonormal(k, d, d)
        for k in jax.random.split(check_key(key), depth - 1)
    ]
    return DeepLinear([*layers, np.zeros((1, d))])
