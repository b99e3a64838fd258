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
    flow = lr.GradientFlow(NET, PROBLEM, rates=(2.0, 3.0)).linearized()
    assert isinstance(flow.net, lr.Linearized)
    assert [float(r) for r in flow.rates] == [2.0, 3.0]
    assert jnp.allclose(flow.beta(), NET.beta[:, 0])
