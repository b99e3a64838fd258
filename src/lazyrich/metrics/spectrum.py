"""Singular values, rank, and alignment with a target."""

import jax
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array, Float

from lazyrich._core.power_of_two_scaling import normalize, restore_pair
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.arrays import check_array
from lazyrich._validate.integers import check_int
from lazyrich.metrics.measure import TrajectoryOrNetwork, measure_along, n_inputs_outputs
from lazyrich.networks import Network
from lazyrich.networks.kernel_distance import safe_ratio, unit_network
from lazyrich.trajectory import Trajectory


def singular_values(now: TrajectoryOrNetwork, layer: int | None = None) -> Array:
    """Return the singular values of the predictor (default) or of layer 1, 2, …, in the last axis, largest first."""
    return restore_pair("a singular value", measure_along(Partial(_singular_values, layer), now))


def _singular_values(layer: int | None, net: Network) -> tuple[Array, AnyArray]:
    matrix, exponent = _unit_matrix(net, layer)
    return jnp.linalg.svd(matrix, compute_uv=False), jnp.asarray(exponent)


def effective_rank(now: TrajectoryOrNetwork, layer: int | None = None) -> Array:
    """Return the exponential of the entropy of the normalized singular values (Roy & Vetterli 2007): between 1 and the
    rank; 0 for zero.

    >>> from lazyrich import DeepLinear
    >>> round(float(effective_rank(DeepLinear([jnp.diag(jnp.array([3.0, 3.0, 0.0]))]))), 12)
    2.0
    """
    return measure_along(Partial(_effective_rank, layer), now)


def _effective_rank(layer: int | None, net: Network) -> Array:
    s = _singular_values(layer, net)[0]
    p = safe_ratio(s, jnp.sum(s))
    entropy = -jnp.sum(jnp.where(p > 0, p * jnp.log(jnp.where(p > 0, p, 1.0)), 0.0))
    return jnp.where(jnp.sum(s) > 0, jnp.exp(entropy), 0.0)


def stable_rank(now: TrajectoryOrNetwork, layer: int | None = None) -> Array:
    """Return ‖W‖_F² / ‖W‖₂²; 0 for zero."""
    return measure_along(Partial(_stable_rank, layer), now)


def _stable_rank(layer: int | None, net: Network) -> Array:
    s = _singular_values(layer, net)[0]
    return jnp.sum(safe_ratio(s, s[0]) ** 2)


def mode_alignment(now: TrajectoryOrNetwork, target: ArrayLike | None = None) -> Array:
    r"""Return $|u_i^\top \hat u_i|\,|v_i^\top \hat v_i|$ between the singular vectors of predictor and target, mode by
    mode.

    It is 1 when the i-th mode of the predictor is the i-th mode of the target. The target is the least-squares solution
    by default.
    """
    U, _, Vt = jnp.linalg.svd(_target_matrix(now, target), full_matrices=False)
    return measure_along(Partial(_mode_alignment, U, Vt), now)


def _mode_alignment(U: Array, Vt: Array, net: Network) -> Array:
    u, _, vt = jnp.linalg.svd(_unit_matrix(net, None)[0], full_matrices=False)
    return jnp.abs(jnp.sum(u * U, axis=0)) * jnp.abs(jnp.sum(vt * Vt, axis=1))


def mode_strengths(now: TrajectoryOrNetwork, target: ArrayLike | None = None) -> Array:
    r"""Return $u_i^\top \beta v_i$ in the singular vectors of the target: how much of each mode is learned."""
    U, _, Vt = jnp.linalg.svd(_target_matrix(now, target), full_matrices=False)
    return restore_pair("a strength", measure_along(Partial(_mode_strengths, U, Vt), now))


def _mode_strengths(U: Array, Vt: Array, net: Network) -> tuple[Array, AnyArray]:
    matrix, exponent = _unit_matrix(net, None)
    return jnp.einsum("di,dc,ic->i", U, matrix, Vt), jnp.asarray(exponent)


def neuron_alignment(now: TrajectoryOrNetwork, directions: ArrayLike) -> Array:
    """Return the cosine between each neuron's incoming weights and each direction, of shape (…, neurons, directions); 0
    for zero weights."""
    directions = check_array("directions", directions, (1, 2))
    return measure_along(Partial(_neuron_alignment, jnp.atleast_2d(directions)), now)


def _neuron_alignment(directions: Array, net: Network) -> Array:
    W = _predictor_or_layer(net, 1)
    if W.shape[1] != directions.shape[1]:
        raise ValueError(f"directions must have {W.shape[1]} entries each; found {directions.shape[1]}")
    W, directions = (safe_ratio(rows, jnp.max(jnp.abs(rows), axis=1, keepdims=True)) for rows in (W, directions))
    return safe_ratio(W @ directions.T, jnp.linalg.norm(W, axis=1)[:, None] * jnp.linalg.norm(directions, axis=1))


def _unit_matrix(net: Network, layer: int | None) -> tuple[Array, AnyArray]:
    """Return the predictor or a layer divided by a power of two, and the exponent."""
    if layer is not None:
        return normalize(_predictor_or_layer(net, layer))
    unit, size = unit_network(net)
    matrix, exponent = normalize(_predictor_or_layer(unit, None))
    return matrix, exponent + (unit.degree or 1) * size


def _predictor_or_layer(net: Network, layer: int | None) -> Float[Array, "_ _"]:
    """Return the predictor as a (d, c) matrix, or a layer."""
    if layer is None:
        beta = net.beta
        return beta[:, None] if beta.ndim == 1 else beta
    weights = net.layers[check_int("layer", layer, most=len(net.layers)) - 1]
    if not isinstance(weights, jax.Array) or weights.ndim > 2:
        shapes = [leaf.shape for leaf in jax.tree.leaves(weights)]
        raise ValueError(f"layer {layer} of {type(net).__name__} is not a matrix: it holds arrays of shapes {shapes}")
    return jnp.atleast_2d(weights)


def _target_matrix(now: TrajectoryOrNetwork, target: ArrayLike | None) -> Array:
    if target is None:
        if not isinstance(now, Trajectory):
            raise ValueError("a network alone has no target: pass target=...")
        target = now.flow.problem.min_norm_solution
    target = check_array("target", target, (1, 2))
    target = target[:, None] if target.ndim == 1 else target
    if None not in n_inputs_outputs(now) and target.shape != n_inputs_outputs(now):
        raise ValueError(
            f"target must have the shape (d, c) = {n_inputs_outputs(now)} of the predictor; found {target.shape}"
        )
    return jnp.asarray(normalize(target)[0])


def layer_ratio(now: TrajectoryOrNetwork, outer_first: bool = False) -> Array:
    r"""Return $\alpha = W_1^+W_2^\top$ of a two-layer linear network, of shape (…, d, c), which is invariant under
    rotations of the hidden units.

    From varre2023's orthogonal initialization it is the mirror coordinate: $\dot\alpha = R - \alpha R^\top\alpha$ and
    $\beta = 2\gamma(I - \alpha\alpha^\top)^{-1}\alpha$ (lemma 3.3, where β is misprinted as its derivative).
    `outer_first` returns $(W_2^\top)^+W_1$ instead, of shape (…, c, d): times β* it is the ν of kunin2024, appendix
    B.1, which obeys a matrix Riccati equation when c = h.
    """
    return restore_pair("the ratio", measure_along(Partial(_layer_ratio, bool(outer_first)), now))


def _layer_ratio(outer_first: bool, net: Network) -> tuple[Array, AnyArray]:
    if net.weight_matrices is None or len(net.weight_matrices) != 2:
        raise ValueError(f"layer_ratio is about two-layer linear networks; found {len(net.layers)} layer(s)")
    (W, w), (A, a) = normalize(net.weight_matrices[0]), normalize(net.weight_matrices[1].T)
    if outer_first:
        return jnp.linalg.pinv(A) @ W, jnp.asarray(w - a)
    return jnp.linalg.pinv(W) @ A, jnp.asarray(a - w)
