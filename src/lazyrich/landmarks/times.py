"""When a curve of a trajectory passes a level: the loss, or anything else."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._arrays import fixed
from lazyrich._check import as_array, concrete
from lazyrich.flow import GradientFlow
from lazyrich.theorems.theorem import TrajectoryTheorem
from lazyrich.verbs import exact, explain

LONGEST = 1e12  # times are sought between 1/LONGEST and LONGEST, in units of the flow's own


def time_to_loss(flow: GradientFlow, loss: Any) -> Array:
    """The time at which the training loss has fallen to a value, from the closed form; inf if it never gets there.

    The loss falls all along a gradient flow, so there is one such time. `grad` goes through it.

    >>> from lazyrich import Problem, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0], delta=1.0), Problem([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0]))
    >>> time = time_to_loss(flow, 1e-20)
    >>> bool(abs(flow.loss(exact(flow, [time]).end) / 1e-20 - 1) < 1e-6)
    True
    """
    level = as_array("loss", loss, (0,))
    values, known = fixed(flow), fixed(level)
    if not concrete(values, known):
        raise ValueError("time_to_loss searches and cannot be traced by jit or vmap; grad alone goes through it")
    theorem = theorem_of(values)

    def curve(times: Array) -> Array:
        return jax.vmap(values.loss)(theorem.cheapest(values, times))

    time = first_time(curve, float(known), falling=True, unit=own_unit(values))
    if not np.isfinite(time) or time == 0:
        return jnp.asarray(time)
    if concrete(flow, level):
        return jnp.asarray(time)
    # One Newton step from the answer does not move it, but carries its derivative.
    end = jax.tree.map(lambda leaf: leaf[0], theorem.cheapest(flow, jnp.asarray([time])))
    slopes = values.gradient(fixed(end))
    speed = -sum(
        jnp.sum(rate * leaf**2)
        for rate, slope in zip(values.rates, slopes, strict=True)
        for leaf in jax.tree.leaves(slope)
    )
    return time - (flow.loss(end) - level) / speed


def theorem_of(flow: GradientFlow) -> TrajectoryTheorem:
    """The theorem that gives the trajectory."""
    used = explain(flow).used
    if used is None:
        exact(flow, [0.0])  # which says what is missing
    assert isinstance(used, TrajectoryTheorem)
    return used


def own_unit(flow: GradientFlow) -> float:
    """The time unit of a flow: one over the fastest rate at which outputs move per unit of squared weight."""
    fastest = float(max(flow.rates)) * float(flow.problem.kappa) * float(jnp.linalg.norm(flow.problem.X, 2)) ** 2
    return 1 / fastest if fastest > 0 else 1.0


def first_time(curve: Any, level: float, falling: bool, unit: float) -> float:
    """The first time at which a curve passes a level: a look at all scales, then ever finer ones."""
    longest = LONGEST * unit
    times = np.concatenate([[0.0], np.geomspace(unit / LONGEST, longest, 511)])
    for _ in range(20):
        values = np.asarray(curve(jnp.asarray(times)))
        passed = values <= level if falling else values >= level
        if passed[0]:
            return float(times[0])
        if not passed.any():
            return float("inf") if times[-1] >= longest else float(times[-1])
        last = int(np.argmax(passed))
        low, high = times[last - 1], times[last]
        if high - low <= 4e-16 * high:
            break
        times = np.linspace(low, high, 512)
    return float(high)
