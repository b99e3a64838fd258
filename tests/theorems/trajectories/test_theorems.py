"""Check what every closed form promises, over all members of TRAJECTORY_THEOREMS and on what is in its file."""

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
    assert len(NAMED) == len(lr.TRAJECTORY_THEOREMS)
    assert set(FURTHER) <= set(lr.TRAJECTORY_THEOREMS)
    for theorem in lr.TRAJECTORY_THEOREMS:
        assert theorem.statement
        assert theorem.hypotheses
        assert len({hypothesis_name(h) for h in theorem.hypotheses}) == len(theorem.hypotheses)
        assert theorem.equations
        assert theorem.special_cases


def test_it_is_chosen_and_equals_integration(case):
    theorem, flow = case
    assert lr.explain(flow).used is theorem
    traj = lr.solve(flow, TIMES)
    assert traj.by.kind == "exact"
    assert traj.by.method == theorem.name
    reference = lr.integrate(flow, TIMES, rtol=1e-12)
    assert distance(traj.nets.layers, reference.nets.layers) < 2e-9 * size(reference.nets)
    assert float(jnp.max(jnp.abs(traj.outputs - reference.outputs))) < 2e-9 * float(jnp.max(jnp.abs(flow.problem.y)))


def test_it_starts_at_the_start(case):
    theorem, flow = case
    assert distance(lr.exact(flow, TIMES, theorem=theorem)[0].layers, flow.net.layers) < 4e-15 * size(flow.net)


def test_semigroup(case):
    theorem, flow = case
    whole = lr.exact(flow, TIMES, theorem=theorem)
    middle = whole[2]
    rest = lr.exact(flow.with_net(middle), np.r_[0.0, 0.0, TIMES[2:] - TIMES[2]], theorem=theorem)
    assert distance(rest[2:].nets.layers, whole[2:].nets.layers) < 1e-11 * size(whole.nets)


def test_it_solves_the_differential_equation(case):
    theorem, flow = case
    step, center = 5e-4, TIMES + 0.01
    around = [lr.exact(flow, center + k * step, theorem=theorem).nets.layers for k in (-2, -1, 1, 2)]
    weights = np.array([1, -8, 8, -1]) / (12 * step)
    slope = jax.tree.map(lambda *leaves: sum(w * leaf for w, leaf in zip(weights, leaves, strict=True)), *around)
    here = lr.exact(flow, center, theorem=theorem)
    field = here.map(lambda net: flow.vector_field(net.layers))
    assert distance(slope, field) < 1e-8 * max(size(here.nets), 1.0)


@pytest.mark.parametrize(("theorem", "hypothesis"), HYPOTHESES)
def test_it_refuses_when_a_hypothesis_fails(theorem, hypothesis):
    flow, name = theorem.violating(hypothesis), hypothesis_name(hypothesis)
    with pytest.raises(lr.NoTheoremApplies, match=name) as refusal:
        lr.exact(flow, [1.0], theorem=theorem)
    defects = refusal.value.defects[theorem.name]
    assert not defects[name] <= DEFECT_TOLERANCE
    others = [d for other, d in defects.items() if other != name and d is not None]
    assert all(d <= DEFECT_TOLERANCE for d in others), defects
    assert lr.explain(flow).used is not theorem


def test_the_clock_runs_with_rates_and_kappa(case):
    """Twice the rates, or twice κ, is half the time."""
    theorem, flow = case
    expected = lr.exact(flow, TIMES, theorem=theorem).nets.layers
    problem = lr.Problem(flow.problem.X, flow.problem.y, kappa=2 * flow.problem.kappa)
    faster = lr.exact(lr.GradientFlow(flow.net, problem, flow.rates), TIMES / 2, theorem=theorem).nets.layers
    assert distance(faster, expected) < 1e-11 * size(flow.net)
    rates = tuple(2 * rate for rate in flow.rates)
    faster = lr.exact(lr.GradientFlow(flow.net, flow.problem, rates), TIMES / 2, theorem=theorem).nets.layers
    assert distance(faster, expected) < 1e-11 * size(flow.net)


def test_extremes_are_finite_and_right(case):
    """t = 1e12, and scales 1e±8 of the network; at the end the gradient has gone, or nothing moves."""
    theorem, flow = case
    for scale in (1.0, 1e-8, 1e8):
        net = flow.net.with_layers(jax.tree.map(lambda leaf, s=scale: s * leaf, flow.net.layers))
        if isinstance(net, lr.Linearized):
            net = flow.net
        traj = lr.exact(flow.with_net(net), [0.0, 1e-12, 1.0, 1e6, 1e12], theorem=theorem)
        assert all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(traj.nets))
        assert bool(jnp.all(jnp.isfinite(traj.loss)))
        losses = np.asarray(traj.loss)
        assert np.all(np.diff(losses) <= 1e-9 * losses[0])


@pytest.mark.parametrize("theorem", lr.TRAJECTORY_THEOREMS, ids=lambda theorem: theorem.name)
def test_derivatives_in_time_go_through(theorem):
    """∂/∂t of the loss by automatic differentiation is −Σ η‖∂L/∂θ‖²."""
    flow = first(theorem)
    lift = theorem.formula_up_to_rotation is None  # they are in closed form in t; the rotation is not

    def loss(t):
        return lr.exact(flow, jnp.array([t]), theorem=theorem, hidden_rotation=lift).loss[0]

    t = 0.4
    slopes = flow.gradient(lr.exact(flow, [t], theorem=theorem)[0])
    pairs = zip(flow.rates, slopes, strict=True)
    expected = -sum(float(rate) * float(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(s))) for rate, s in pairs)
    assert float(jax.grad(loss)(t)) == pytest.approx(expected, rel=1e-9)


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
