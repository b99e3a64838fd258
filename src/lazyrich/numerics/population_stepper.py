r"""Follow a piecewise-linear network on infinite data, past units that come to rest at w = 0.

The population loss is smooth wherever no unit has w = 0. Such a unit is on the kinks of all inputs at once, and the
gradient there depends on the direction from which it comes. A unit that arrives, which takes a finite time, is pushed
back from where it came, and rests.
"""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import AnyArray, Layers
from lazyrich._validate.integers import pluralize
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.numerics.diffrax_stepper import DiffraxStepper
from lazyrich.numerics.driver import Advance
from lazyrich.numerics.ode_system import OdeSystem, ParameterSystem
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.trajectory import Provenance, Trajectory

# Multiples of rtol: a unit whose w is this small beside its a, and beside its start, is at the origin.
ORIGIN_TOLERANCE = 20


def is_suitable(equation: OdeSystem) -> bool:
    """Return whether the network has units with kinks, and infinite data."""
    flow = equation.flow
    return not flow.problem.has_samples and flow.net.neuron_parameters is not None


def origin_errors(flow: GradientFlow) -> dict[str, AnyArray]:
    """Return the error condition, for `raise_if`, of leaky units that start at w = 0, where they have no gradient."""
    if flow.problem.has_samples or flow.net.neuron_parameters is None or flow.net.neuron_parameters[2] in (0, 1):
        return {}
    W, a, _ = flow.net.neuron_parameters
    message = (
        "a unit starts at w = 0, where the population loss has a kink and no gradient (the output weight of that unit "
        "is not 0). Leave the unit out, or start it with a small w"
    )
    return {message: (a != 0) & ~jnp.any(W != 0, axis=1)}


class RestingSystem(ParameterSystem):
    """The displacement θ − θ₀, with some units at rest at w = 0."""

    resting: Bool[Array, " h"]

    def vector_field(self, y: Layers) -> Layers:
        w_dot, a_dot = super().vector_field(y)
        return jnp.where(self.resting[:, None], 0.0, w_dot), a_dot


class _UnitReachesZero(StoppingCondition):
    """A unit has arrived at w = 0, or the user's condition holds."""

    until: StoppingCondition | None
    start: Float[Array, " h"]
    share: AnyArray

    def has_reached_zero(self, net: Network) -> Bool[Array, " h"]:
        assert net.neuron_parameters is not None
        size = jnp.linalg.norm(net.neuron_parameters[0], axis=1)
        other = jnp.minimum(jnp.abs(net.neuron_parameters[1]), self.start)
        return (size > 0) & (size < self.share * other)

    def holds(self, flow: GradientFlow, net: Network) -> Bool[Array, ""]:
        arrived = jnp.any(self.has_reached_zero(net))
        return arrived if self.until is None else arrived | self.until.holds(flow, net)


def arrival_condition(flow: GradientFlow, until: StoppingCondition | None, rtol: AnyArray) -> _UnitReachesZero:
    """Return the condition that a unit has arrived at w = 0, or the user's condition holds."""
    assert flow.net.neuron_parameters is not None
    return _UnitReachesZero(until, jnp.linalg.norm(flow.net.neuron_parameters[0], axis=1), ORIGIN_TOLERANCE * rtol)


def refuse_arrivals(trajectory: Trajectory, condition: _UnitReachesZero) -> Trajectory:
    """Raise an error if a traced flow ended where a unit arrives at w = 0."""
    message = (
        "a unit arrives at w = 0, where the population loss has a kink and the unit comes to rest. Inside jit, vmap "
        "and grad a flow is not followed past that: call integrate outside of them, or ask for times before"
    )
    nets = raise_if(trajectory.nets, {message: jnp.any(condition.has_reached_zero(trajectory.end))})
    return eqx.tree_at(lambda traj: traj.nets, trajectory, nets)


class PopulationStepper(DiffraxStepper):
    """Steps of diffrax's solvers; a unit that arrives at w = 0 is put there, and stays."""

    def __init__(self, flow: GradientFlow, equation: OdeSystem, times: np.ndarray, until: Any, *args: Any):
        assert flow.net.neuron_parameters is not None
        self.rest_times: list[float] = []
        self.user_until = until
        system = RestingSystem(equation.flow, jnp.zeros(len(flow.net.neuron_parameters[0]), bool))
        super().__init__(flow, system, times, until, *args)
        self.condition = arrival_condition(flow, until, self.rtol)
        self.until = self.condition

    def advance(self, remaining: np.ndarray, steps_left: int) -> Advance:
        advance = super().advance(remaining, steps_left)
        net = self.equation.network(self.y)
        if not advance.condition_met or (self.user_until is not None and _holds(self.user_until, self.flow, net)):
            return advance
        assert isinstance(self.equation, RestingSystem)
        arrived = self.condition.has_reached_zero(net)
        w, a = self.y
        self.y = (np.where(arrived[:, None], -np.asarray(self.flow.net.layers[0]), w), a)
        self.equation = RestingSystem(self.equation.flow, self.equation.resting | arrived)
        self.rest_times += [self.t] * int(jnp.sum(arrived))
        return advance._replace(y=self.y, condition_met=False)

    def provenance(self, times: np.ndarray) -> Provenance:
        by = super().provenance(times)
        if not self.rest_times:
            return by
        units = pluralize(len(self.rest_times), "unit")
        return Provenance(
            by.kind, by.method, f"{by.detail}; {units} at rest at w = 0, from t = {self.rest_times[0]:.3g}"
        )


_holds = eqx.filter_jit(lambda until, flow, net: until.holds(flow, net))
