"""How much a flow amplifies the defect of a hypothesis.

A defect is measured relative to the whole network or the whole target. It also acts on the weakest mode, whose initial
or target value may be many orders of magnitude smaller; relative to that mode the defect is larger by the same factor.
"""

import equinox as eqx
import numpy as np

from lazyrich._core.array_namespace import eager_or_traced, is_concrete, xp
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.problem import Square
from lazyrich.theorems.canonical_coordinates import Canonical, to_canonical
from lazyrich.theorems.common_eigenvectors import common_eigenvectors, matrix_factor_of, measurements
from lazyrich.theorems.mode import shared_singular_vectors

DEFECT_TOLERANCE = 1e-11  # a hypothesis holds when its defect is at most this
ROUNDING_DEFECT = 1e-13  # a defect up to this is the rounding of weights, data and frames, and is never amplified
VISIBLE_CHANGE = 1e-9  # relative to a mode: smaller changes do not count
MIN_TARGET = 1e-13  # relative to the largest: a smaller target counts as zero


def amplify_defect(defect: AnyArray, factor: AnyArray) -> AnyArray:
    """Multiply a defect within the tolerance, but above rounding, by the factor (up to 1).

    It stays unchanged if the product is below VISIBLE_CHANGE.
    """
    large = xp.minimum(defect * xp.maximum(factor, 1.0), 1.0)
    return xp.where((defect > ROUNDING_DEFECT) & (defect <= DEFECT_TOLERANCE) & (large > VISIBLE_CHANGE), large, defect)


def exceeds_rounding(defect: AnyArray | None) -> bool:
    """Return whether a defect is above rounding and within the tolerance, or traced and therefore unknown."""
    return defect is not None and (
        not is_concrete(defect) or bool(ROUNDING_DEFECT < np.asarray(defect) <= DEFECT_TOLERANCE)
    )


def sensitivity(flow: GradientFlow) -> AnyArray:
    """Return the size of network and target relative to the weakest mode that is to be learned; inf if it cannot be
    learned.

    The result is 1 for flows that are not made of modes.
    """
    net = flow.net
    if not isinstance(flow.problem.loss, Square):
        return 1.0
    if net.weight_matrices is not None and len(net.weight_matrices) > 1:
        canonical = to_canonical(flow)
        return _two_layers(canonical) if len(canonical.weights) == 2 else _deep(canonical)
    if net.signed_factors is not None:
        return _diagonal_sensitivity(flow)
    return _commuting_sensitivity(flow) if net.matrix_factor is not None else 1.0


def _amplification(sizes: AnyArray, relevant: AnyArray, top: AnyArray) -> AnyArray:
    """Return `top` over the smallest of the wanted sizes; 1 if none is wanted."""
    least = xp.min(xp.where(relevant, sizes, top))
    ratio = xp.where(least > 0, top / xp.where(least > 0, least, 1.0), np.inf)
    return xp.where(xp.any(relevant), ratio, 1.0)


def _two_layer_sensitivity(canonical: Canonical) -> AnyArray:
    """Return the sensitivity of two layers, from what each mode adds to the growing directions of the faster ones (by a
    QR factorization)."""
    W, V = canonical.weights
    U, s, Vt = xp.linalg.svd(canonical.target, full_matrices=False)
    top = xp.maximum(xp.max(xp.abs(W)), xp.max(xp.abs(V)))
    a, w = V.T @ Vt.T, W @ U
    Z = xp.concatenate([V.T, W], axis=1) / xp.where(top > 0, top, 1.0)
    use, Delta = Z @ Z.T, (V.T @ V - W @ W.T) / xp.where(top > 0, top, 1.0) ** 2
    delta = top**2 * xp.sum(Delta * use) / xp.where(top > 0, xp.trace(use), 1.0)
    count = min(len(W), len(s))
    relevant, amplifications = s > MIN_TARGET * s[0], []
    for imbalance in (delta, 0.0 * delta):  # shared by all modes; or zero, for separate modes, in which a + w grows
        half = imbalance / 2 / xp.where(relevant, xp.hypot(imbalance / 2, s), 1.0)
        growing = a * xp.sqrt((1 + half) / 2) + w * xp.sqrt((1 - half) / 2)
        sizes = xp.abs(xp.diagonal(xp.linalg.qr(growing, mode="r")))
        amplifications.append(_amplification(sizes[:count], relevant[:count], top))
    return xp.maximum(*amplifications) * _amplification(s, relevant, s[0])


def _deep_sensitivity(canonical: Canonical) -> AnyArray:
    """Return the sensitivity of a deep network, from the smallest mode of its first layer. An error of this mode shifts
    the time at which it is learned, which is longer by the factors of all its other layers."""
    left, right = shared_singular_vectors(canonical)
    beta = xp.linalg.multi_dot([W.T for W in canonical.weights])
    k, L = min(len(left), len(right)), len(canonical.weights)
    start, s = (xp.sum(left[:, :k] * (M @ right[:, :k]), axis=0) for M in (beta, canonical.target))
    top = xp.max(xp.stack([xp.max(xp.abs(W)) for W in canonical.weights]))
    opposed = start * s < -ROUNDING_DEFECT * xp.max(xp.abs(start)) * xp.max(xp.abs(s))
    sizes = xp.where(opposed, 0.0, xp.linalg.norm(canonical.weights[0] @ left[:, :k], axis=0))
    strength = xp.abs(s)
    order = xp.argsort(-strength)[: min(len(W) for W in canonical.weights[:-1])]
    relevant = strength > MIN_TARGET * xp.max(strength)
    return _amplification(sizes[order], relevant[order], top) ** (L - 1) * _amplification(
        strength, relevant, xp.max(strength)
    )


def _diagonal_sensitivity(flow: GradientFlow) -> AnyArray:
    """Return the sensitivity of a diagonal network. Coordinates are multiplied, never added to, so a small one is late
    only where its speed depends on its size."""
    net, X = flow.net, flow.problem.X
    assert net.signed_factors is not None
    _, relevant, spread = _label_correlations(X, flow.problem.y.reshape(-1))
    sizes = xp.max(xp.stack([xp.max(xp.abs(u), axis=0) for u in net.signed_factors]), axis=0)
    return spread * _amplification(sizes, relevant & (sizes > 0), xp.max(sizes)) ** (net.degree - 2)


def _commuting_sensitivity(flow: GradientFlow) -> AnyArray:
    Q, U = common_eigenvectors(flow), matrix_factor_of(flow)
    values = xp.einsum("ji,njk,ki->ni", Q, measurements(flow), Q)
    pull, relevant, spread = _label_correlations(values, flow.problem.y.reshape(-1))
    rows = xp.linalg.norm(Q.T @ U, axis=1)
    return spread * _amplification(rows, relevant & (pull > 0), xp.max(rows))


def _label_correlations(X: AnyArray, y: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the normalized correlation of each column of X with the labels, which of them are nonzero, and the ratio
    of the largest to the smallest."""
    size = xp.linalg.norm(X, axis=0)
    pull = xp.where(size > 0, X.T @ y / xp.where(size > 0, size, 1.0), 0.0)
    largest = xp.max(xp.abs(pull))
    relevant = xp.abs(pull) > MIN_TARGET * largest
    return pull, relevant, _amplification(xp.abs(pull), relevant, largest)


_two_layers = eager_or_traced(_two_layer_sensitivity, eqx.filter_jit(_two_layer_sensitivity))
_deep = eager_or_traced(_deep_sensitivity, eqx.filter_jit(_deep_sensitivity))
