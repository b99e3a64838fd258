"""What every closed form promises, checked over TRAJECTORY_THEOREMS; a new one on what is in its file."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance, each
from examples import FURTHER, example, examples, first

import lazyrich as lr
from lazyrich.theorems.theorem import DEFECT_TOLERANCE, hypothesis_name

TIMES = np.array([0.0, 0.05, 0.4, 1.5, 6.0])  # always five times: one compilation per example


NAMED = {theorem.name: theorem for theorem in lr.TRAJECTORY_THEOREMS}
HYPOTHESES = [
    pytest.param(theorem, hypothesis, id=f"{theorem.name}-{hypothesis_name(hypothesis)}")
    for theorem in lr.TRAJECTORY_THEOREMS
    for hypothesis in theorem.hypotheses
]


# All tests of one example run in one process, which has compiled it.
@pytest.fixture(params=each({name: examples(theorem) for name, theorem in NAMED.items()}, 1))
def case(request):
    theorem, name = NAMED[request.param[0]], request.param[1]
    return theorem, example(theorem, name)


def size(net):
    return max(float(jnp.max(jnp.abs(leaf))) for leaf in jax.tree.leaves(net.layers))


def test_every_theorem_has_a_name_examples_and_counterexamples():
    assert len(NAMED) == len(lr.TRAJECTORY_THEOREMS), "two theorems have the same name"
    assert set(FURTHER) <= set(lr.TRAJECTORY_THEOREMS), "FURTHER has theorems that are not in TRAJECTORY_THEOREMS"
    for theorem in lr.TRAJECTORY_THEOREMS:
        name = f"the theorem '{theorem.name}'"
        assert theorem.statement, f"{name} has no statement: its formula needs a docstring"
        assert theorem.hypotheses, f"{name} has no hypotheses"
        names = {hypothesis_name(h) for h in theorem.hypotheses}
        assert len(names) == len(theorem.hypotheses), f"{name} has two hypotheses of the same name"
        assert theorem.equations, f"{name} needs `equations`, the differential equations that it solves"
        assert theorem.special_cases, f"{name} needs `special_cases`, the classical results that it contains"


def test_it_is_chosen_and_equals_integration(case):
    theorem, flow = case
    explanation = lr.explain(flow)
    assert explanation.theorem is theorem, f"on an example of '{theorem.name}':\n{explanation}"
    traj = lr.solve(flow, TIMES)
    assert (traj.by.kind, traj.by.method) == ("exact", theorem.name)
    reference = lr.integrate(flow, TIMES, rtol=1e-12)
    apart = distance(traj.nets.layers, reference.nets.layers)
    assert apart < 2e-9 * size(reference.nets), "the parameters differ from those of integrate"
    apart = float(jnp.max(jnp.abs(traj.outputs - reference.outputs)))
    assert apart < 2e-9 * float(jnp.max(jnp.abs(flow.problem.y))), "the outputs differ from those of integrate"


def test_it_starts_at_the_start(case):
    theorem, flow = case
    apart = distance(lr.exact(flow, TIMES, theorem=theorem)[0].layers, flow.net.layers)
    assert apart < 4e-15 * size(flow.net), "at t = 0 the formula does not give the initial parameters"


def test_semigroup(case):
    theorem, flow = case
    whole = lr.exact(flow, TIMES, theorem=theorem)
    middle = whole[2]
    rest = lr.exact(flow.with_net(middle), np.r_[0.0, 0.0, TIMES[2:] - TIMES[2]], theorem=theorem)
    apart = distance(rest[2:].nets.layers, whole[2:].nets.layers)
    assert apart < 1e-11 * size(whole.nets), "continued from a later time, the formula gives another trajectory"


def test_it_solves_the_differential_equation(case):
    theorem, flow = case
    step, center = 5e-4, TIMES + 0.01
    around = [lr.exact(flow, center + k * step, theorem=theorem).nets.layers for k in (-2, -1, 1, 2)]
    weights = np.array([1, -8, 8, -1]) / (12 * step)
    slope = jax.tree.map(lambda *leaves: sum(w * leaf for w, leaf in zip(weights, leaves, strict=True)), *around)
    here = lr.exact(flow, center, theorem=theorem)
    field = here.map(lambda net: flow.vector_field(net.layers))
    apart = distance(slope, field)
    assert apart < 1e-8 * max(size(here.nets), 1.0), "the slope of the formula is not −η ∂L/∂θ"


@pytest.mark.parametrize("theorem", [t for t in NAMED.values() if t.covers_decay], ids=lambda theorem: theorem.name)
def test_without_decay_it_is_the_theorem_without_decay(theorem):
    """At λ = 0, and as λ → 0."""
    flow = first(theorem)
    plain = lr.exact(lr.GradientFlow(flow.net, flow.problem, flow.rates), TIMES)
    assert not lr.TRAJECTORY_THEOREMS[[t.name for t in lr.TRAJECTORY_THEOREMS].index(plain.by.method)].covers_decay
    for size_of_decay, allowed in ((0.0, 2e-14), (1e-12, 1e-10), (1e-5, 1e-3)):
        decay = tuple(size_of_decay / rate for rate in flow.rates)
        near = lr.exact(lr.GradientFlow(flow.net, flow.problem, flow.rates, decay), TIMES, theorem=theorem)
        apart = distance(near.nets.layers, plain.nets.layers)
        assert apart < allowed * size(plain.nets), f"with decay {size_of_decay:g} it is off by {apart:.0e}"


@pytest.mark.parametrize(("theorem", "hypothesis"), HYPOTHESES)
def test_it_refuses_when_a_hypothesis_fails(theorem, hypothesis):
    flow, name = theorem.violating(hypothesis), hypothesis_name(hypothesis)
    with pytest.raises(lr.NoTheoremApplies, match=name) as refusal:
        lr.exact(flow, [1.0], theorem=theorem)
    defects = refusal.value.defects[theorem.name]
    assert not defects[name] <= DEFECT_TOLERANCE, f"after its change of the example, '{name}' still holds"
    others = [d for other, d in defects.items() if other != name and d is not None]
    assert all(d <= DEFECT_TOLERANCE for d in others), f"the change for '{name}' breaks other hypotheses: {defects}"
    assert lr.explain(flow).theorem is not theorem


def test_the_clock_runs_with_rates_and_kappa(case):
    """Twice the rates, or twice κ, is half the time."""
    theorem, flow = case
    expected = lr.exact(flow, TIMES, theorem=theorem).nets.layers
    problem = lr.Problem(flow.problem.X, flow.problem.y, kappa=2 * flow.problem.kappa)
    decay = None if flow.decay is None else tuple(2 * value for value in flow.decay)
    faster = lr.exact(lr.GradientFlow(flow.net, problem, flow.rates, decay), TIMES / 2, theorem=theorem).nets.layers
    assert distance(faster, expected) < 1e-11 * size(flow.net), "with twice the κ it is not twice as fast"
    rates = tuple(2 * rate for rate in flow.rates)
    there = lr.GradientFlow(flow.net, flow.problem, rates, flow.decay)
    faster = lr.exact(there, TIMES / 2, theorem=theorem).nets.layers
    assert distance(faster, expected) < 1e-11 * size(flow.net), "with twice the rates it is not twice as fast"


def test_extremes_are_finite_and_right(case):
    """t = 1e12, and scales 1e±8 of the network; at the end the gradient has gone, or nothing moves."""
    theorem, flow = case
    for scale in (1.0, 1e-8, 1e8):
        net = flow.net.with_layers(jax.tree.map(lambda leaf, s=scale: s * leaf, flow.net.layers))
        if isinstance(net, lr.Linearized):
            net = flow.net
        traj = lr.exact(flow.with_net(net), [0.0, 1e-12, 1.0, 1e6, 1e12], theorem=theorem)
        losses, at = np.asarray(traj.map(flow.objective)), f"from weights scaled by {scale:g}"
        finite = all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(traj.nets))
        assert finite, f"the parameters are not finite {at}"
        assert np.all(np.isfinite(losses)), f"the objective is not finite {at}"
        assert np.all(np.diff(losses) <= 1e-9 * losses[0]), f"the objective grows {at}"


@pytest.mark.parametrize("theorem", lr.TRAJECTORY_THEOREMS, ids=lambda theorem: theorem.name)
def test_derivatives_in_time_go_through(theorem):
    """∂/∂t of the objective by automatic differentiation is −Σ η‖its gradient‖²."""
    flow = first(theorem)
    lift = theorem.formula_up_to_rotation is None  # they are in closed form in t; the rotation is not

    def loss(t):
        return flow.objective(lr.exact(flow, jnp.array([t]), theorem=theorem, hidden_rotation=lift)[0])

    t = 0.4
    slopes = flow.gradient(lr.exact(flow, [t], theorem=theorem)[0])
    pairs = zip(flow.rates, slopes, strict=True)
    expected = -sum(float(rate) * float(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(s))) for rate, s in pairs)
    assert float(jax.grad(loss)(t)) == pytest.approx(expected, rel=1e-9), "d/dt of the objective is not −Σ η‖gradient‖²"


@pytest.mark.parametrize("theorem", lr.TRAJECTORY_THEOREMS, ids=lambda theorem: theorem.name)
def test_what_is_left_out_is_the_rotation_of_hidden_units_or_nothing(theorem):
    flow = first(theorem)
    if theorem.formula_up_to_rotation is None:
        with pytest.raises(ValueError, match=f"the theorem '{theorem.name}', which is used here, has no such part"):
            lr.exact(flow, [1.0], theorem=theorem, hidden_rotation=False)
    else:
        assert (
            "hidden units up to a rotation" in lr.exact(flow, [1.0], theorem=theorem, hidden_rotation=False).by.detail
        )
