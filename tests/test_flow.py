import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance

import lazyrich as lr

NET = lr.inits.neuron([1.0, 2.0], delta=1.0)
PROBLEM = lr.Problem(np.eye(2), [1.0, 0.0])


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="the network takes 2 inputs, but X has 3 features"):
        lr.GradientFlow(NET, lr.Problem(np.eye(3), np.ones(3)))
    with pytest.raises(ValueError, match="the network has 1 outputs, but y has 2"):
        lr.GradientFlow(NET, lr.Problem(np.eye(2), np.ones((2, 2))))
    with pytest.raises(ValueError, match="found 3 for 2 layer"):
        lr.GradientFlow(NET, PROBLEM, rates=(1.0, 2.0, 3.0))
    with pytest.raises(ValueError, match="learning rate of layer 2 must be positive; found -1"):
        lr.GradientFlow(NET, PROBLEM, rates=(1.0, -1.0))
    with pytest.raises(ValueError, match=r"learning rate of layer 1 must be positive; found 0. A frozen layer"):
        lr.GradientFlow(NET, PROBLEM, rates=(0.0, 1.0))
    for rates in ("ab", {"a": 1}, {1.0, 2.0}):
        with pytest.raises(ValueError, match=r"rates must be a real array; found (str|dict|set)"):
            lr.GradientFlow(NET, PROBLEM, rates=rates)
    for rates in ((None, 1), ("a", 1), (1j, 1), (True, 1)):
        with pytest.raises(ValueError, match=r"rates\[0\] must be a real number; found"):
            lr.GradientFlow(NET, PROBLEM, rates=rates)
    with pytest.raises(ValueError, match=r"rates\[1\] must be one number; found shape \(2,\)"):
        lr.GradientFlow(NET, PROBLEM, rates=(1, [1.0, 2.0]))
    with pytest.raises(ValueError, match=r"rates must have 0 or 1 axes; found shape \(2, 2\)"):
        lr.GradientFlow(NET, PROBLEM, rates=np.eye(2))
    with pytest.raises(TypeError, match="net must be a lazyrich network; found ndarray"):
        lr.GradientFlow(np.ones(3), PROBLEM)
    with pytest.raises(TypeError, match=r"problem must be a lazyrich.Problem"):
        lr.GradientFlow(NET, (np.eye(2), np.ones(2)))


def test_shapes_follow_y():
    vector, column = PROBLEM, lr.Problem(np.eye(2), [[1.0], [0.0]])
    for problem, shape in ((vector, (2,)), (column, (2, 1))):
        flow = lr.GradientFlow(NET, problem)
        assert flow.beta().shape == shape
        assert flow.outputs().shape == shape
        assert flow.ntk().shape == shape + shape
    assert (
        distance(
            lr.GradientFlow(NET, vector).vector_field(NET.layers), lr.GradientFlow(NET, column).vector_field(NET.layers)
        )
        == 0
    )


def test_one_rate_is_shared():
    assert [float(r) for r in lr.GradientFlow(NET, PROBLEM, rates=0.5).rates] == [0.5, 0.5]
    assert [float(r) for r in lr.GradientFlow(NET, PROBLEM, rates=np.array([1.0, 2.0])).rates] == [1.0, 2.0]


def test_outputs_move_with_the_kernel():
    """ḟ = −K ∂L/∂f (kunin2024, section 1)."""
    flow = lr.GradientFlow(NET, lr.Problem(np.random.default_rng(0).normal(size=(5, 2)), np.arange(5.0)), (0.3, 2.0))
    import jax

    _, velocity = jax.jvp(
        lambda layers: flow.outputs(NET.with_layers(layers)), (NET.layers,), (flow.vector_field(NET.layers),)
    )
    assert distance(velocity, -flow.ntk() @ flow.problem.slope(flow.outputs())) < 1e-12


def test_unequal_rates_are_a_rescaling():
    """W/√η_w, a/√η_a follow the flow with equal rates."""
    rates = (0.3, 2.0)
    flow = lr.GradientFlow(NET, PROBLEM, rates)
    W, a = flow.vector_field(NET.layers)
    twin = lr.DeepLinear([layer / np.sqrt(rate) for layer, rate in zip(NET.layers, rates, strict=True)])
    eta = np.sqrt(rates[0] * rates[1])
    same = lr.GradientFlow(twin, lr.Problem(eta * PROBLEM.X, PROBLEM.y))
    assert distance(same.vector_field(twin.layers), (W / np.sqrt(rates[0]), a / np.sqrt(rates[1]))) < 1e-15


def test_linearized():
    flow = lr.GradientFlow(NET, PROBLEM, rates=(2.0, 3.0)).linearize()
    assert isinstance(flow.net, lr.Linearized)
    assert [float(r) for r in flow.rates] == [2.0, 3.0]
    assert jnp.allclose(flow.beta(), NET.beta[:, 0])


def test_weight_decay_is_refused_where_it_makes_no_sense():
    with pytest.raises(ValueError, match="weight decay of layer 2 must be 0 or positive; found -1"):
        lr.GradientFlow(NET, PROBLEM, decay=(1.0, -1.0))
    with pytest.raises(ValueError, match="decay must be one number, or one per layer: found 3 for 2"):
        lr.GradientFlow(NET, PROBLEM, decay=(1.0, 1.0, 1.0))
    for decay in (None, 0, (0.0, 0.0), np.zeros(2)):
        assert lr.GradientFlow(NET, PROBLEM, decay=decay).decay is None


def test_the_field_with_weight_decay_descends_the_objective():
    import jax

    flow = lr.GradientFlow(NET, PROBLEM, (0.5, 2.0), decay=(0.3, 0.7))
    slopes = jax.grad(lambda layers: flow.objective(NET.with_layers(layers)))(NET.layers)
    assert (
        distance(flow.vector_field(NET.layers), tuple(-r * g for r, g in zip((0.5, 2.0), slopes, strict=True))) < 1e-14
    )
    assert distance(flow.gradient(), slopes) < 1e-14
    squares = [float(np.sum(np.asarray(layer) ** 2)) for layer in NET.layers]
    assert abs(float(flow.objective() - flow.loss()) - (0.15 * squares[0] + 0.35 * squares[1])) < 1e-14
    assert [float(rate) for rate in flow.decay_rates] == pytest.approx([0.15, 1.4])
    assert "decay 0.3, 0.7" in repr(flow)
    assert "decay 0.7" in flow._repr_html_()
    assert flow.with_net(NET).decay == flow.decay == flow.with_problem(PROBLEM).decay


@pytest.mark.parametrize("theorem", [*lr.TRAJECTORY_THEOREMS, *lr.LIMIT_THEOREMS], ids=lambda theorem: theorem.name)
def test_a_theorem_without_weight_decay_refuses_it(theorem):
    flow = theorem.sample_flow()
    if not theorem.covers_decay:
        decayed = lr.GradientFlow(flow.net, flow.problem, flow.rates, decay=1e-3)
        assert theorem.defects(decayed)["no weight decay"] == np.inf


def test_weight_decay_in_other_units():
    """Scaled by powers of two, the flow with decay is the same flow."""
    from lazyrich.nondimensionalize import nondimensionalize

    problem = lr.Problem(1e40 * np.eye(2), [1e-90, 2e-90])
    flow = lr.GradientFlow(lr.inits.neuron([1e-70, 0.0], 1e-130), problem, (1e-3, 1e-3), decay=1e-51)
    scaled = nondimensionalize(flow)
    assert scaled.time_exponent != 0
    assert abs(float(scaled.flow.objective()) - float(np.ldexp(float(flow.objective()), -scaled.loss_exponent))) < 1e-12
    field = scaled.unscale_layers(scaled.flow.vector_field(scaled.flow.net.layers))
    for ours, theirs in zip(field, flow.vector_field(flow.net.layers), strict=True):
        np.testing.assert_allclose(ours, np.ldexp(np.asarray(theirs), -scaled.time_exponent), rtol=1e-12)
