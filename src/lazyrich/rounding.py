"""Flows whose result is decided by rounding.

Some flows run into a saddle because a mode is absent, or opposed to its target. In others, only the last digits of the
weights determine what is learned. No formula and no integrator can follow a flow out of a saddle. A closed form goes
into it and stays; integration leaves it in a direction that its rounding errors determine. In both cases the provenance
contains the warnings of this module.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lazyrich._core.array_namespace import is_concrete, stop_gradient
from lazyrich._core.linalg import FLOAT64_EPS, cross_moment
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich.flow import GradientFlow
from lazyrich.nondimensionalize import ScaledFlow, nondimensionalize
from lazyrich.problem import Square

MEANINGLESS_DIFFERENCE = 1e-13  # relative: a smaller difference is meaningless
ABSENT_MODE_SIZE = 2e-14  # relative to a two-layer network: a smaller mode counts as absent
OPPOSED_TOLERANCE = 1e-11  # relative to a and w: accuracy of a + w, in frames for which the hypotheses hold
STRUCTURE_TOLERANCE = 1e-10  # tolerance for whitened, aligned and balanced
VISIBLE_ERROR = 1e-9  # relative; larger errors are reported
# The rate at which rounding errors grow at a saddle, the uncertainty of the smallest mode, and a description of the
# saddle.
GrowthAndUncertainty = tuple[float, float] | tuple[float, float, str]
ABSENT_MODE_MESSAGE = "a mode of the target is absent or opposed, to rounding: the flow runs into a saddle"
LATE_MODE_MESSAGE = "a mode of the target is learned much later than weaker ones: the flow passes a saddle"


def rounding_warning(flow: GradientFlow, times: ArrayLike, scaled: ScaledFlow | None = None) -> str:
    """Return a warning if rounding visibly changes the result at one of the times, else "".

    Rounding decides where the flow runs into a saddle, and it limits the accuracy of a mode that starts much smaller
    than the network.

    >>> import lazyrich as lr
    >>> net = lr.inits.aligned(np.diag([2.0, 1.0]), [-0.5, 0.5])
    >>> flow = GradientFlow(net, lr.Problem(np.eye(2), np.diag([2.0, 1.0])))
    >>> rounding_warning(flow, np.array([0.0, 25.0]))
    'a mode of the target is absent or opposed, to rounding: ... from about t = 7.7 on is decided by rounding'
    """
    if not flow.problem.has_samples or not isinstance(flow.problem.loss, Square):
        return ""
    scaled = nondimensionalize(flow) if scaled is None else scaled
    flow = stop_gradient(scaled.flow)
    if not is_concrete(flow, times) or scaled.underflows:
        return ""
    with np.errstate(all="ignore"):
        rate, blur, *saddle = _growth_and_uncertainty(flow)
        rate = float(np.ldexp(rate, scaled.time_exponent))
    if 0 < rate < np.inf and float(np.asarray(times)[-1]) > np.log(VISIBLE_ERROR / FLOAT64_EPS) / rate:
        late = np.log(VISIBLE_ERROR / FLOAT64_EPS) / rate
        which = saddle[0] if saddle else ABSENT_MODE_MESSAGE
        return f"{which}, and what it does from about t = {late:.2g} on is decided by rounding"
    if blur > VISIBLE_ERROR:
        return f"rounding of the weights leaves what is learned uncertain by {min(blur, 1.0):.0e} of its size"
    return ""


def _growth_and_uncertainty(flow: GradientFlow) -> GrowthAndUncertainty:
    """Return the growth rate and uncertainty due to rounding; (0, 0) where it plays no part."""
    net, problem = flow.net, flow.problem
    X, y, kappa = np.asarray(problem.X), np.asarray(problem.y).reshape(problem.n, -1), np.asarray(problem.kappa)[()]
    rates = [np.asarray(rate)[()] for rate in flow.rates]
    if net.weight_matrices is not None and len(net.weight_matrices) > 1:
        return _linear_network_growth([np.asarray(W) for W in net.weight_matrices], X, y, kappa, rates)
    if net.signed_factors is not None:
        weights = [np.asarray(u) for u in net.signed_factors]
        power = net.degree // len(weights)
        untied = len(weights) == 2 and power == 1
        rate = _of_diagonal_network(weights, X, y[:, 0], kappa, rates) if untied else 0.0
        return rate, _cancellation(np.prod(np.abs(weights), axis=0) ** power, X, y[:, 0])
    if net.matrix_factor is not None:
        return _of_factored_matrix(np.asarray(net.matrix_factor), X, y[:, 0], kappa * rates[0])
    return 0.0, 0.0


def _linear_network_growth(
    weights: list[np.ndarray], X: np.ndarray, y: np.ndarray, kappa: AnyArray, rates: Sequence[AnyArray]
) -> GrowthAndUncertainty:
    """Return the growth rate and uncertainty of a linear network on whitened inputs, from the unit-rate weights on the
    row space of X."""
    _, sizes, Vt = np.linalg.svd(X, full_matrices=False)
    basis = Vt[sizes > sizes[0] * max(X.shape) * FLOAT64_EPS].T
    strengths = sizes[: basis.shape[1]]
    if len(strengths) == 0 or 1 - (strengths[-1] / strengths[0]) ** 2 > STRUCTURE_TOLERANCE:
        return 0.0, 0.0
    rho, product = kappa * strengths[0] ** 2, np.prod(np.sqrt(rates))
    unit = [W / np.sqrt(rate) for W, rate in zip([weights[0] @ basis, *weights[1:]], rates, strict=True)]
    target = kappa * cross_moment(X, y, basis) / (rho * product)
    if not np.any(target) or not np.all(np.isfinite(target)):
        return 0.0, 0.0
    rate, blur, *saddle = _two_layer_growth(unit[0], unit[1], target) if len(unit) == 2 else _deep_growth(unit, target)
    return rho * product**2 * rate, blur, *saddle


def _two_layer_growth(first: np.ndarray, last: np.ndarray, target: np.ndarray) -> GrowthAndUncertainty:
    """Return the growth rate and uncertainty of two layers. Each mode must add a growing direction in the hidden layer;
    the first that adds none is not learned."""
    U, s, Vt = np.linalg.svd(target, full_matrices=False)
    s = s[s > 1e-12 * s[0]]
    k, h = len(s), len(first)
    Z = np.hstack([last.T, first])
    Delta, use = last.T @ last - first @ first.T, Z @ Z.T
    delta = float(np.sum(Delta * use)) / (float(np.trace(use)) or 1.0)
    top = np.max(np.abs(Z))
    if np.linalg.norm(Delta @ Z - delta * Z) > STRUCTURE_TOLERANCE * np.linalg.norm(Z) ** 3:
        delta = 0.0  # separate modes: only one with a = −w does not grow
    R = np.hypot(delta / 2, s)
    cos, sin = np.sqrt((1 + delta / (2 * R)) / 2), np.sqrt((1 - delta / (2 * R)) / 2)
    a, w = last.T @ Vt[:k].T, first @ U[:, :k]
    growing = a * cos + w * sin
    size, both = np.linalg.norm(growing, axis=0), np.linalg.norm(a, axis=0) + np.linalg.norm(w, axis=0)
    alive = (size > OPPOSED_TOLERANCE * both) & (both > ABSENT_MODE_SIZE * top)
    units = np.where(alive, growing / np.where(size > 0, size, 1.0), 0.0)
    ends = [j for j in range(1, k + 1) if j == k or s[j] < (1 - 1e-12) * s[j - 1]]  # not inside a group of equal modes
    if np.linalg.matrix_rank(units[:, :h], tol=ABSENT_MODE_SIZE) < min(h, k):  # otherwise no subset is deficient
        for j in ends:
            if np.linalg.matrix_rank(units[:, :j], tol=ABSENT_MODE_SIZE) < min(h, j):
                return float(delta / 2 + R[j - 1]), 0.0
    turned = np.max(np.abs(np.abs(U) - np.round(np.abs(U)))) + np.max(np.abs(np.abs(Vt) - np.round(np.abs(Vt)))) > 0
    # The smallest size with which modes of equal strength grow beside stronger ones.
    beside = np.linalg.qr(units, mode="complete")[0].T @ growing
    sizes = [np.linalg.svd(beside[i:, i:j], compute_uv=False)[-1] for i, j in pairwise([0, *ends]) if i < h]
    least = min(sizes)
    return 0.0, float(FLOAT64_EPS * top / least) if turned and least > 0 else 0.0


def _deep_growth(weights: list[np.ndarray], target: np.ndarray) -> GrowthAndUncertainty:
    """Return the growth rate and uncertainty of balanced and aligned layers: a mode that starts at zero, or against its
    target, ends at zero."""
    beta = np.linalg.multi_dot([W.T for W in weights])
    balance = [np.linalg.norm(V.T @ V - W @ W.T) / (np.linalg.norm(V) ** 2 + np.linalg.norm(W) ** 2 or 1.0)
               for W, V in pairwise(weights)]  # fmt: skip
    mixed = target / np.linalg.norm(target) + 0.61 * beta / (np.linalg.norm(beta) or 1.0)
    U, _, Vt = np.linalg.svd(mixed, full_matrices=False)
    modes = [U.T @ matrix @ Vt.T for matrix in (target, beta)]
    off = [np.linalg.norm(M - np.diag(np.diagonal(M))) / (np.linalg.norm(M) or 1.0) for M in modes]
    if max(*balance, *off) > STRUCTURE_TOLERANCE:
        return 0.0, 0.0
    s, L, top = np.diagonal(modes[0]), len(weights), max(np.max(np.abs(W)) for W in weights)
    present = np.abs(s) > 1e-12 * np.max(np.abs(s))
    sizes, ends = _mode_sizes(weights, U)
    learned = present & (sizes > 4 * MEANINGLESS_DIFFERENCE * top) & (np.sum(ends * Vt.T, axis=0) * s > 0)
    width = min(len(W) for W in weights[:-1])
    room = np.sort(np.abs(s[present]))[::-1][: min(width, np.sum(present))]
    if np.sum(learned) == 0:
        return 0.0, 0.0
    if np.sum(np.abs(s[learned])) >= (1 - 1e-12) * np.sum(room):
        # An error of a small mode shifts the time at which it is learned, which is longer by the factors of its size in
        # the other layers.
        if not any(np.max(np.sum(W != 0, axis=axis)) > 1 for W in weights for axis in (0, 1)):
            return 0.0, 0.0
        if rate := _growth_while_small(np.abs(s[learned]), sizes[learned], L):
            return rate, 0.0, LATE_MODE_MESSAGE
        return 0.0, float(FLOAT64_EPS * (top / np.min(sizes[learned])) ** (L - 1))
    return float(np.max(np.abs(s[present & ~learned])) * np.max(np.abs(s[learned])) ** (1 - 2 / L)), 0.0


def _growth_while_small(s: np.ndarray, sizes: np.ndarray, L: int) -> float:
    r"""Return the rate at which rounding errors grow while a small mode has not yet been learned beside a weaker one; 0
    if it is learned before they are visible.

    Where mode j is learned and mode i is not yet, the entries that connect i to the units of j in the middle layers
    grow at the rate $s_j^{1-2/L}(s_i - s_j)$: they start from rounding, but the middle layers are large. By itself, a
    mode of size m takes a time of about $1/((L-2)s_im^{L-2})$.
    """
    later = sizes[:, None] < 0.5 * sizes[None, :]
    growth = np.where(later, s[None, :] ** (1 - 2 / L) * (s[:, None] - s[None, :]), 0.0)
    alone = 1 / ((L - 2) * s * sizes ** (L - 2))
    lasts = growth * alone[:, None] > np.log(VISIBLE_ERROR / FLOAT64_EPS)
    return float(np.max(growth, where=lasts, initial=0.0))


def _mode_sizes(weights: list[np.ndarray], modes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of modes in the first layer, and their output directions after the last layer."""
    carriers, lengths_by_layer = modes, []
    for W in weights:
        image = W @ carriers
        lengths = np.linalg.norm(image, axis=0)
        lengths_by_layer.append(lengths)
        unit = image / np.where(lengths > 0, lengths, 1.0)
        # The component of a small mode along larger ones is rounding error, which the next layer would amplify.
        common = np.where(lengths[:, None] > lengths[None, :], unit.T @ image, 0.0)
        image = image - unit @ common
        lengths = np.linalg.norm(image, axis=0)
        carriers = image / np.where(lengths > 0, lengths, 1.0)
    return lengths_by_layer[0], carriers


def _of_diagonal_network(
    weights: list[np.ndarray], X: np.ndarray, y: np.ndarray, kappa: AnyArray, rates: Sequence[AnyArray]
) -> float:
    """Return the rate at which rounding errors grow in an untied diagonal network, in coordinates with u = −v on both
    sides, in the direction of their gradient.

    On orthogonal features this direction is the sign of the target at all times; on others, that of the initial
    gradient.
    """
    gram = X.T @ X
    rho = np.diagonal(gram)
    orthogonal = np.max(np.abs(gram - np.diag(rho))) <= STRUCTURE_TOLERANCE * np.max(rho)
    plus, minus = np.prod(weights, axis=0)
    pull = X.T @ (y if orthogonal else y - X @ (plus - minus))
    u, v = (layer / np.sqrt(rate) for layer, rate in zip(weights, rates, strict=True))
    side = np.sign(pull) * np.array([[1.0], [-1.0]])
    growing, size = np.linalg.norm(u + side * v, axis=0), np.linalg.norm(np.abs(u) + np.abs(v), axis=0)
    below_rounding = (size > 0) & (growing <= MEANINGLESS_DIFFERENCE * size) & (pull != 0)
    return float(np.max(np.where(below_rounding, kappa * np.abs(pull), 0.0)) * np.sqrt(rates[0] * rates[1]))


def _cancellation(sides: np.ndarray, X: np.ndarray, y: np.ndarray) -> float:
    """Return the uncertainty of β, the difference of its two sides, relative to the predictor that fits the labels."""
    blur = FLOAT64_EPS * float(np.max(sides))
    # The labels that can be reached are at least as long as their component along XXᵀy, and ‖Xβ‖ ≤ ‖X‖ √d max|β|. This
    # bound is usually sufficient.
    along = X @ (y @ X)
    least = abs(y @ along) / (np.linalg.norm(along) * np.linalg.norm(X) * np.sqrt(X.shape[1]))
    if blur < VISIBLE_ERROR * least:
        return blur / least
    fitted = np.max(np.abs(np.linalg.lstsq(X, y)[0]))
    return float(blur / fitted) if fitted > 0 else 0.0


def _of_factored_matrix(U: np.ndarray, X: np.ndarray, y: np.ndarray, speed: float) -> GrowthAndUncertainty:
    """Return the growth rate and uncertainty of a factored matrix that is zero, or small, in a direction of the
    measurements' gradient."""
    pull = (y @ X).reshape(len(U), len(U))
    values, Q = np.linalg.eigh((pull + pull.T) / 2)
    sizes, top = np.linalg.norm(Q.T @ U, axis=1), np.max(np.abs(U))
    absent, present = sizes <= MEANINGLESS_DIFFERENCE * top, values > 1e-12 * np.max(np.abs(values), initial=0.0)
    if np.any(absent & present):
        return 2 * speed * float(np.max(values[absent & present])), 0.0
    turned = np.max(np.sum(U != 0, axis=0)) > 1 or np.max(np.sum(U != 0, axis=1)) > 1
    # The smallest singular value of U on these directions determines the effect of rounding as it grows.
    least = np.min(np.linalg.svd(Q.T[present] @ U, compute_uv=False), initial=np.inf)
    return 0.0, float(FLOAT64_EPS * top / least) if turned and 0 < least < np.inf else 0.0
