"""Claims for the theorems that the library uses: each compared with the raw flow, on a random flow that satisfies
it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from lazyrich._limit import limit
from lazyrich._solve import exact
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.papers.claim import SOURCES, Setup, claim
from lazyrich.papers.oracles.flows import ode
from lazyrich.theorems import LIMIT_THEOREMS, TRAJECTORY_THEOREMS
from lazyrich.theorems.example_flows import with_more_decay, with_perturbed_weights
from lazyrich.theorems.theorem import LimitTheorem, Theorem, TrajectoryTheorem


def _example_flow(theorem: Theorem, setup: Setup) -> GradientFlow:
    return theorem.example(setup.rng, setup.key)


def _place(theorem: Theorem) -> tuple[str, str] | None:
    places = [place for place in theorem.references if place[0] in SOURCES]
    return places[0] if places else None


def _rename_check(check: Any, theorem: Theorem) -> Any:
    check.__name__ = "theorem_" + theorem.name.lower().replace(" ", "_").replace("-", "_")
    return check


def follow(flow: GradientFlow, times: Any) -> list[Any]:
    """Integrate the raw parameters with SciPy, using only the field of the flow. Return the network at each time."""
    start, unravel = ravel_pytree(flow.net.layers)
    field = jax.jit(lambda y: ravel_pytree(flow.vector_field(unravel(y)))[0])
    path = ode(lambda y: np.asarray(field(y)), start, times)
    return [flow.net.with_layers(unravel(jnp.asarray(y))) for y in path]


TIMES = np.array([0.3, 1.0, 3.0])
LATE = np.array([400.0])


Spoil = Callable[[GradientFlow], tuple[GradientFlow, GradientFlow]]


def compared_flows(theorem: Theorem) -> tuple[str, Spoil]:
    """Return a description, and a function that gives two flows: one for the formula, and one to compare it with.

    A hypothesis fails in both; if the theorem has none that can fail slightly, the second flow starts elsewhere, or has
    more decay, if the limit under decay does not depend on the start.
    """
    if theorem.counterexample is None and theorem.covers_decay:
        return "with half more decay", lambda flow: (flow, with_more_decay(flow))
    if theorem.counterexample is None:
        return "from another start", lambda flow: (flow, with_perturbed_weights(flow))
    how, drop = theorem.counterexample
    return how, lambda flow: (drop(flow), drop(flow))


def _trajectory(theorem: TrajectoryTheorem, where: tuple[str, str]) -> None:
    def formula(ours: GradientFlow, theirs: GradientFlow) -> Any:
        layers = theorem.formula(ours, jnp.asarray(TIMES))
        predicted = [ours.beta(ours.net.with_layers(jax.tree.map(lambda x, i=i: x[i], layers))) for i in range(3)]
        return np.stack([theirs.beta(net) for net in follow(theirs, TIMES)]), np.stack(predicted)

    def whole(setup: Setup, spoil: Spoil | None = None) -> Any:
        flow = _example_flow(theorem, setup)
        if spoil is not None:
            return formula(*spoil(flow))
        return np.stack([flow.beta(n) for n in follow(flow, TIMES)]), exact(flow, TIMES, theorem=theorem).beta

    registered = claim(
        *where,
        f"the closed form '{theorem.name}' is the gradient flow, at every time",
        tolerance=1e-9,
        why="the raw flow is integrated at rtol 1e-12, the closed form is right to rounding",
        library=True,
    )(_rename_check(whole, theorem))
    how, spoil = compared_flows(theorem)
    registered.breaks(how, spoil=spoil)


def _weights(net: Network | None) -> Any:
    """Return a_k w_k of each hidden unit, for networks that are not linear in their input."""
    assert net is not None
    assert net.neuron_parameters is not None
    W, a, _ = net.neuron_parameters
    return W * a[:, None]


def _stop(theorem: LimitTheorem, where: tuple[str, str]) -> None:
    def compare(value: Any, net: Network | None, theirs: GradientFlow) -> Any:
        end = follow(theirs, LATE)[0]
        if end.linear_in_inputs:
            return theirs.beta(end), value
        return _weights(end), _weights(net)

    def formula(ours: GradientFlow, theirs: GradientFlow) -> Any:
        value, net = theorem.formula(ours)[:2]
        return compare(value, net, theirs)

    def whole(setup: Setup, spoil: Spoil | None = None) -> Any:
        flow = _example_flow(theorem, setup)
        if spoil is not None:
            return formula(*spoil(flow))
        stopped = limit(flow, theorem=theorem)
        return compare(stopped.value, stopped.net, flow)

    registered = claim(
        *where,
        f"'{theorem.name}' predicts where the gradient flow stops",
        tolerance=1e-7,
        why="the raw flow is followed to t = 400, when the slowest mode has decayed below 1e-10",
        library=True,
    )(_rename_check(whole, theorem))
    how, spoil = compared_flows(theorem)
    registered.breaks(how, spoil=spoil)


for _exact in TRAJECTORY_THEOREMS:
    _at = _place(_exact)
    if _at is not None:
        _trajectory(_exact, _at)
for _limit in LIMIT_THEOREMS:
    _at = _place(_limit)
    if _at is not None:
        _stop(_limit, _at)
