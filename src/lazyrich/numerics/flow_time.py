"""Conversion between steps of descent and flow time, and the distance between descent and flow."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.arrays import NOT_FINITE_TEXT, check_array, check_positive
from lazyrich.numerics.integration import integrate
from lazyrich.numerics.optimizers import SGD, check_fraction
from lazyrich.trajectory import Trajectory

METHODS_NEAR_THE_FLOW = (SGD().method, SGD(nesterov=True).method)
Schedule = ArrayLike | Callable[[Any], Any]  # one number, one per step, or a function of the step, from 0


def flow_time_from_steps(steps: ArrayLike, lr: ArrayLike, momentum: ArrayLike = 0.0) -> Array:
    """Return the flow time of a number of steps: lr · steps / (1 − momentum), or with one lr for each step their sum
    up to there / (1 − momentum).

    >>> float(flow_time_from_steps(1000, 0.01, momentum=0.9))
    100.0...
    >>> float(flow_time_from_steps(2, [0.2, 0.1, 0.05]))
    0.3...
    """
    steps, gain = check_array("steps", steps, (0, 1)), 1 / (1 - check_fraction("momentum", momentum))
    lr = _as_array("lr", lr)
    if np.ndim(lr):
        grid = elapsed_times(check_learning_rates(lr))
        return gain * jnp.interp(_within("steps", steps, len(grid) - 1), jnp.arange(len(grid)), grid)
    return steps * check_positive("lr", lr) * gain


def steps_from_flow_time(time: ArrayLike, lr: ArrayLike, momentum: ArrayLike = 0.0) -> Array:
    """Return the number of steps for a flow time, as a real number."""
    time = check_array("time", time, (0, 1)) * (1 - check_fraction("momentum", momentum))
    lr = _as_array("lr", lr)
    if np.ndim(lr):
        grid = elapsed_times(check_learning_rates(lr))
        return jnp.interp(_within("time", time, grid[-1]), grid, jnp.arange(len(grid)))
    return time / check_positive("lr", lr)


def elapsed_times(rates: Float[Array, " steps"]) -> Float[Array, " steps_and_start"]:
    """Return the sum of the learning rates before each step, and of all of them."""
    return jnp.concatenate([jnp.zeros(1), jnp.cumsum(rates)])


def tabulate(name: str, schedule: Schedule, steps: int) -> ArrayLike:
    """Return a schedule as one number, or as one number for each of the steps."""
    value: Any = _as_array(name, schedule)
    if callable(schedule):
        try:
            value = jax.vmap(schedule)(jnp.arange(steps))
        except Exception:  # a function of plain numbers, with an `if` or `math` in it
            value = _as_array(name, _evaluate_at_steps(name, schedule, steps))
    if np.ndim(value) == 1 and len(value) != steps:
        raise ValueError(
            f"{name} must be one number, a function of the step, or one number for each of the {steps} steps; found "
            f"{len(value)} numbers"
        )
    return value


def learning_rates(lr: Schedule, steps: int) -> Array:
    """Return a learning rate as one positive number, or as one number for each of the steps."""
    rates = tabulate("lr", lr, steps)
    return check_learning_rates(rates) if np.ndim(rates) else check_positive("lr", rates)


def _evaluate_at_steps(name: str, schedule: Callable[[Any], Any], steps: int) -> list[Any]:
    """Return a function's values at the steps, one after another."""
    try:
        return [schedule(step) for step in range(steps)]
    except Exception as error:  # a function of the user can raise anything
        raise ValueError(
            f"{name} must be a function of one step, from 0 to {steps - 1}; it raised {error!r}"
        ) from error


def _as_array(name: str, value: Any) -> Any:
    """Return a list as an array, and anything else as it is."""
    return check_array(name, value, (0, 1)) if isinstance(value, (list, tuple)) else value


def check_learning_rates(lr: object) -> Float[Array, " steps"]:
    """Check that learning rates, one per step, are not negative and not all zero, and return them."""
    rates = check_array("lr", lr, (1,))
    if is_concrete(rates):
        values = np.asarray(rates)
        if not (np.all(values >= 0) and np.any(values > 0)):
            first = int(np.argmin(values))
            raise ValueError(f"lr must be nonnegative, and positive somewhere; found {values[first]:g} at step {first}")
        return rates
    constant = jax.lax.stop_gradient(rates)
    return raise_if(rates, {f"lr {NOT_FINITE_TEXT}": any_nonfinite(rates), "lr must be nonnegative": constant < 0})


def _within(name: str, value: Array, most: AnyArray) -> Array:
    """Check that steps or times are not beyond the end of a schedule, and return them."""
    if is_concrete(value, most):
        numbers, end = np.asarray(value), float(most)
        if np.any(numbers < 0) or np.any(numbers > end * (1 + 1e-12)):
            raise ValueError(f"{name} must lie between 0 and {end:g}, where the learning rates end; found {numbers}")
    return value


def flow_gap(descent: Trajectory, **options: Any) -> dict[str, Array]:
    """Measure the distance of descent from the flow at the same flow times, by integrating the flow (with the given
    options).

    A run with momentum and decoupled weight decay follows another flow, because momentum does not accelerate its decay.

    For each time: `parameters`, the distance relative to how far the flow has moved; `outputs`, the same on the
    training outputs; `loss`, the difference of losses. For plain descent all of them shrink in proportion to lr.
    """
    if not isinstance(descent, Trajectory):
        raise TypeError(f"flow_gap takes the Trajectory of a descent; found {type(descent).__name__}")
    if descent.by.kind == "descended" and descent.by.method not in METHODS_NEAR_THE_FLOW:
        raise ValueError(
            f"flow_gap compares gradient descent with the flow; found {descent.by.method}, whose small steps follow "
            "another equation"
        )
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
