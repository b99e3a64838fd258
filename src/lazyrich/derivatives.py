"""Derivatives of closed forms that are right in every direction, also in those that leave a theorem's hypotheses.

A formula that holds on a thin set of networks (balanced ones, for example) has derivatives only along that set. In
other directions the value is the formula's, and the derivative solves the variational equation along it
(`numerics.sensitivity`).
"""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import is_concrete, to_numpy_if_concrete
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.numerics.sensitivity import MAX_SENSITIVITY, sensitivities
from lazyrich.theorems.theorem import TrajectoryTheorem

MAX_PARAMETERS = 400  # with more parameters, dense square matrices take minutes


def differentiable_layers(
    theorem: TrajectoryTheorem, flow: GradientFlow, times: AnyArray, hidden_rotation: bool = True
) -> Layers:
    """Return the layers along time by the theorem's formula, differentiable in every direction.

    Without `hidden_rotation`, values are determined up to a rotation of the hidden units; derivatives include it.
    """
    nearby = theorem.holds_nearby(flow)
    taken_as_given = [name for name in ("X", "y") if name not in theorem.holds_nearby_in]
    if is_concrete(flow) or (nearby and is_concrete([getattr(flow.problem, name) for name in taken_as_given])):
        return theorem.layers(flow, times, hidden_rotation)
    leaves, tree = jax.tree.flatten((flow, times))
    # Concrete arrays stay concrete: a rank, for example, is measured on them.
    traced = [index for index, leaf in enumerate(leaves) if isinstance(leaf, jax.core.Tracer)]

    def with_values(values: PyTree) -> tuple[GradientFlow, AnyArray]:
        value_of = dict(zip(traced, values, strict=True))
        return jax.tree.unflatten(tree, [value_of.get(index, leaf) for index, leaf in enumerate(leaves)])

    @jax.custom_jvp
    def path(*values: Array) -> Layers:
        return theorem.layers(*to_numpy_if_concrete(with_values(values)), hidden_rotation)

    @partial(path.defjvp, symbolic_zeros=True)
    def _(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
        moves = {index: change for index, change in zip(traced, tangents, strict=True) if _is_nonzero(change)}
        spec = jax.tree.unflatten(tree, [index in moves for index in range(len(leaves))])
        changes = jax.tree.unflatten(tree, [moves.get(index) for index in range(len(leaves))])
        if nearby and not any(getattr(spec[0].problem, name) for name in taken_as_given):
            moving, still = eqx.partition(with_values(primals), spec)

            def own(part: PyTree) -> Layers:
                flow, times = eqx.combine(part, still)
                return theorem.layers(flow, times, hidden_rotation)

            return jax.jvp(own, (moving,), (changes,))
        return _by_variation(theorem, *with_values(primals), spec, changes)

    return path(*[leaves[index] for index in traced])


def _is_nonzero(change: PyTree) -> bool:
    return not isinstance(change, SymbolicZero)


def _by_variation(
    theorem: TrajectoryTheorem, flow: GradientFlow, times: AnyArray, spec: PyTree, changes: PyTree
) -> PyTree:
    """Return the layers and their derivative, by the variational equation."""
    layers = differentiable_layers(theorem, flow, times)
    change = jax.tree.map(jnp.zeros_like, layers)
    if spec[1]:
        speeds = jax.vmap(flow.vector_field)(layers)
        change = jax.tree.map(lambda v: v * changes[1].reshape(-1, *[1] * (v.ndim - 1)), speeds)
    if any(jax.tree.leaves(spec[0])):
        slopes = _sensitivities(theorem, flow, times, spec[0])
        direction = jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(changes[0])])
        change = jax.tree.map(jnp.add, change, _reshape_like(slopes @ direction, layers))
    return layers, change


def _sensitivities(
    theorem: TrajectoryTheorem, flow: GradientFlow, times: AnyArray, spec: PyTree
) -> Float[Array, "t p z"]:
    """Return ∂θ/∂z at each of the times, or raise an error if it cannot be computed."""
    size = sum(leaf.size for leaf in jax.tree.leaves(flow.net.layers))
    if size > MAX_PARAMETERS:
        raise ValueError(
            f"derivatives of '{theorem.name}' solve an equation for all pairs of parameters, and this network has "
            f"{size} of them, more than {MAX_PARAMETERS}. Differentiate through lazyrich.integrate instead"
        )
    flow, times = to_numpy_if_concrete(jax.tree.map(_differentiable_once, (flow, times)))
    slopes, stable, finished = sensitivities(flow, lambda ts: theorem.layers(flow, ts), times, spec)
    unstable = (
        f"the derivatives of '{theorem.name}' grow beyond {MAX_SENSITIVITY:.0e} on the way: the flow stays near a "
        "saddle, from which it departs exponentially, and rounding would decide on them. Ask at earlier times"
    )
    interrupted = (
        f"the derivatives of '{theorem.name}' could not be computed: the flow has too many scales of time. "
        "Differentiate through lazyrich.integrate instead"
    )
    for message, fine in ((unstable, stable), (interrupted, finished)):
        if is_concrete(fine):
            if not fine:
                raise ValueError(message)
        else:
            slopes = eqx.error_if(slopes, ~fine, message)
    return jnp.asarray(slopes)


def _reshape_like(rows: Float[Array, "t p"], layers: Layers) -> Layers:
    """Reshape rows of parameters to the layers along time."""
    leaves, tree = jax.tree.flatten(layers)
    ends = [0]
    for leaf in leaves:
        ends.append(ends[-1] + leaf[0].size)
    parts = [rows[:, a:b].reshape(leaf.shape) for a, b, leaf in zip(ends, ends[1:], leaves, strict=False)]
    return jax.tree.unflatten(tree, parts)


@jax.custom_jvp
def _identity(value: Array) -> Array:
    return value


@partial(_identity.defjvp, symbolic_zeros=True)
def _identity_jvp(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    (value,), (change,) = primals, tangents
    if _is_nonzero(change):
        raise ValueError(
            "second derivatives of this closed form are not available: its first ones leave its hypotheses, and solve "
            "an equation of their own. Take differences of first ones instead"
        )
    return value, jnp.zeros_like(value)


def _differentiable_once(value: AnyArray) -> AnyArray:
    """Return the value unchanged, but raise an error if it is differentiated again."""
    return value if is_concrete(value) else _identity(value)
