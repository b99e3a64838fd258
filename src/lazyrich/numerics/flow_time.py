"""Conversion between steps of descent and flow time, and the distance between descent and flow."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_array, check_positive, check_static_float
from lazyrich.numerics.integration import integrate
from lazyrich.trajectory import Trajectory


def flow_time_from_steps(steps: ArrayLike, lr: ArrayLike, momentum: ArrayLike = 0.0) -> Array:
    """Return the flow time of a number of steps: lr · steps / (1 − momentum).

    >>> float(flow_time_from_steps(1000, 0.01, momentum=0.9))
    100.0...
    """
    return check_array("steps", steps, (0, 1)) * check_positive("lr", lr) / (1 - check_momentum(momentum))


def steps_from_flow_time(time: ArrayLike, lr: ArrayLike, momentum: ArrayLike = 0.0) -> Array:
    """Return the number of steps for a flow time, as a real number."""
    return check_array("time", time, (0, 1)) * (1 - check_momentum(momentum)) / check_positive("lr", lr)


def check_momentum(value: object) -> Array:
    """Check that the momentum is in [0, 1), and return it."""
    if is_concrete(value) and not 0 <= check_static_float("momentum", value) < 1:
        raise ValueError(f"momentum must lie in [0, 1); found {value}")
    momentum = check_array("momentum", value, (0,))
    if is_concrete(momentum):
        return momentum
    known = jax.lax.stop_gradient(momentum)
    return raise_if(momentum, {"momentum must lie in [0, 1)": (known < 0) | (known >= 1)})


def flow_gap(descent: Trajectory, **options: Any) -> dict[str, Array]:
    """Measure the distance of descent from the flow at the same flow times, by integrating the flow (with the given
    options).

    For each time: `parameters`, the distance relative to how far the flow has moved; `outputs`, the same on the
    training outputs; `loss`, the difference of losses. For plain descent all of them shrink in proportion to lr.
    """
    if not isinstance(descent, Trajectory):
        raise TypeError(f"flow_gap takes the Trajectory of a descent; found {type(descent).__name__}")
    flow = integrate(descent.flow, descent.times, **options)

    def relative(ours: PyTree, theirs: PyTree) -> Array:
        pairs = list(zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True))
        apart = sum(jnp.sum((a - b) ** 2, axis=tuple(range(1, a.ndim))) for a, b in pairs)
        moved = sum(jnp.sum((b - b[0]) ** 2, axis=tuple(range(1, b.ndim))) for _, b in pairs)
        return jnp.sqrt(jnp.where(moved > 0, apart / jnp.where(moved > 0, moved, 1.0), 0.0))

    return {
        "parameters": relative(descent.nets.layers, flow.nets.layers),
        "outputs": relative(descent.outputs, flow.outputs),
        "loss": descent.loss - flow.loss,
    }
