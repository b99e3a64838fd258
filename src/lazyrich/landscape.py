r"""The loss landscape of deep linear networks, $L = \tfrac12\|W_L\cdots W_1 - \beta_*^\top\|_F^2$: critical points,
their Hessians, and the escape directions of saddles.

Inputs are whitened. Targets have shape (d, c), as predictors do everywhere in the library.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Float

from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_array
from lazyrich._validate.integers import check_int
from lazyrich.networks import DeepLinear, Network
from lazyrich.networks.network import check_network_type

MAX_MODES = 14  # there are 2^k critical points
ZERO_TOLERANCE = 1e-9  # eigenvalues below this fraction of the largest count as zero


@dataclass(frozen=True)
class CriticalPoint:
    """A critical point at which some modes of the target are learned and the others are zero.

    - `modes`: the learned modes, by strength, from 0;
    - `net`: a balanced network there (critical points come in families, related by changes of basis in the hidden
      layers);
    - `loss`: ½ Σ s² over the modes not learned;
    - `index`: the Morse index, the number of directions of negative curvature;
    - `kind`: "minimum", "strict saddle", or "flat saddle" (index 0: escape is not exponential, but by a power of time).
    """

    modes: tuple[int, ...]
    net: DeepLinear
    loss: float
    index: int
    kind: str


def critical_points(target: ArrayLike, depth: int = 2, width: int | None = None) -> list[CriticalPoint]:
    r"""Return the critical points of a deep linear network, one for each set S of at most `width` modes of the target,
    highest loss first.

    For k distinct singular values every critical point has $W_L\cdots W_1 = \sum_{\alpha\in S} s_\alpha u_\alpha
    v_\alpha^\top$ (dln, section 2.2; Baldi & Hornik 1989). With r = |S| and h units in each hidden layer (default k),
    the balanced one has index $(h-r)(k-r) + \#\{\alpha\in S, \beta\notin S: s_\beta > s_\alpha\}$ at depth 2, and
    the second term alone at depth 3 or more: there the origin and every truncation of the target are flat.

    >>> for point in critical_points([[3.0, 0.0], [0.0, 1.0]], depth=3):
    ...     print(point.modes, point.loss, point.index, point.kind)
    () 5.0 0 flat saddle
    (1,) 4.5 1 strict saddle
    (0,) 0.5 0 flat saddle
    (0, 1) 0.0 0 minimum
    """
    U, s, Vt = _nonzero_svd(target)
    depth, k = check_int("depth", depth), len(s)
    width = max(k, 1) if width is None else check_int("width", width)
    if depth < 2:
        raise ValueError("a network of depth 1 has one critical point, its minimum; depth must be at least 2")
    if k > MAX_MODES:
        raise ValueError(f"a target with {k} modes has 2^{k} critical points; at most {MAX_MODES} modes are listed")
    points = []
    for r in range(min(width, k) + 1):
        for modes in combinations(range(k), r):
            rest = [b for b in range(k) if b not in modes]
            swaps = sum(1 for a in modes for b in rest if s[b] > s[a])
            index = swaps + ((width - r) * (k - r) if depth == 2 else 0)
            kind = "minimum" if modes == tuple(range(min(width, k))) else "strict saddle" if index else "flat saddle"
            share = np.eye(width)[:, :r] * s[list(modes)] ** (1 / depth)
            hidden = share @ np.eye(width)[:r]
            layers = [share @ U.T[list(modes)], *[hidden] * (depth - 2), Vt.T[:, list(modes)] @ share.T]
            points.append(CriticalPoint(modes, DeepLinear(layers), 0.5 * float(np.sum(s[rest] ** 2)), index, kind))
    return sorted(points, key=lambda point: -point.loss)


def hessian(net: Network, target: ArrayLike) -> Float[np.ndarray, "p p"]:
    r"""Return the Hessian of the loss in the weights, layer by layer, each row by row.

    With $W_L\cdots W_1 = A_lW_lB_l$ and the error $R$ it is $J^\top J$, $J_l = A_l\otimes B_l^\top$, plus
    $\langle R, A_m\,dW_m\,W_{m-1}\cdots W_{l+1}\,dW_l\,B_l\rangle$ for each pair of layers $l < m$.

    >>> hessian(DeepLinear([[[0.0]], [[0.0]]]), [[3.0]])
    array([[ 0., -3.],
           [-3.,  0.]])
    """
    Ws = _weight_matrices(net)
    T = np.asarray(check_array("target", target, (2,))).T
    if T.shape != (len(Ws[-1]), Ws[0].shape[1]):
        sizes = Ws[0].shape[1], len(Ws[-1])
        raise ValueError(f"the network has {sizes} inputs and outputs, but the target has shape {T.shape[::-1]}")
    depth, below, above = len(Ws), [np.eye(T.shape[1])], [np.eye(T.shape[0])]
    for W in Ws:
        below.append(W @ below[-1])
    for W in Ws[:0:-1]:
        above.insert(0, above[0] @ W)
    R = below[-1] - T
    J = np.hstack([np.kron(A, B.T) for A, B in zip(above, below, strict=False)])
    H = J.T @ J
    ends = np.cumsum([0, *(W.size for W in Ws)])
    for l in range(depth):
        between = np.eye(Ws[l].shape[0])
        for m in range(l + 1, depth):
            block = np.einsum("jp,qi->ijpq", between, below[l] @ R.T @ above[m]).reshape(Ws[m].size, Ws[l].size)
            H[ends[m] : ends[m + 1], ends[l] : ends[l + 1]] += block
            H[ends[l] : ends[l + 1], ends[m] : ends[m + 1]] += block.T
            between = Ws[m] @ between
    return H


def morse_index(net: Network, target: ArrayLike, tolerance: float = ZERO_TOLERANCE) -> int:
    """Return the number of directions of negative curvature, counted from the eigenvalues of the Hessian.

    Eigenvalues within `tolerance` of zero, relative to the largest (or to that of the minimum), count as zero.

    >>> morse_index(DeepLinear([[[0.0, 0.0]], [[0.0], [0.0]]]), [[3.0, 0.0], [0.0, 1.0]])
    2
    """
    return len(escape_rates(net, target, tolerance)[0])


def escape_rates(
    net: Network, target: ArrayLike, tolerance: float = ZERO_TOLERANCE
) -> tuple[Float[np.ndarray, " m"], list[tuple[np.ndarray, ...]]]:
    """Return the rates at which the gradient flow leaves a critical point, fastest first, and the directions: a
    perturbation along a direction grows as exp(rate · t). A direction has the shape of the layers and norm 1.

    >>> rates, directions = escape_rates(DeepLinear([[[0.0]], [[0.0]]]), [[3.0]])
    >>> rates, [round(float(abs(W[0, 0])), 6) for W in directions[0]]
    (array([3.]), [0.707107, 0.707107])
    """
    values, vectors = np.linalg.eigh(hessian(net, target))
    s = np.linalg.svd(np.asarray(target, float), compute_uv=False)
    shapes = [W.shape for W in _weight_matrices(net)]
    scale = max(float(np.max(np.abs(values))), float(s[0]) ** (2 - 2 / len(shapes)))
    negative = np.flatnonzero(values < -tolerance * scale)
    ends = np.cumsum([0, *(rows * columns for rows, columns in shapes)])
    split = [
        tuple(vectors[a:b, i].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False))
        for i in negative
    ]
    return -values[negative], split


def _weight_matrices(net: Network) -> list[np.ndarray]:
    weights = check_network_type("net", net).weight_matrices
    if weights is None:
        raise ValueError(f"this is the landscape of linear networks W_L ⋯ W_1 x; found {type(net).__name__}")
    return [np.asarray(W) for W in weights]


def _nonzero_svd(target: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the singular value decomposition of the target, without singular values that are zero up to rounding."""
    matrix = np.asarray(check_array("target", target, (2,)))
    U, s, Vt = np.linalg.svd(matrix, full_matrices=False)
    k = int(np.sum(s > max(matrix.shape) * np.finfo(float).eps * s[0]))
    return U[:, :k], s[:k], Vt[:k]
