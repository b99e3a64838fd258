"""Which room shows a flow, and what is refused."""

import jax
import numpy as np
import pytest

import lazyrich as lr
from lazyrich.explorer.tab_state import tab_state_of

TARGET = np.diag([1.0, 3.0])


def test_rooms_and_their_states():
    neuron = lr.GradientFlow(lr.inits.neuron([-0.5, 0.2], 1.0, (2.0, 0.5)), lr.Problem([[2.0, 1.0]], [1.0]), (2.0, 0.5))
    start, plane = tab_state_of(neuron)
    assert start["room"] == "neuron"
    assert plane is None
    state = start["state"]
    assert state["axis2"] == 0
    assert state["axis1"] == pytest.approx(5.0)
    assert (state["bx"], state["by"]) == pytest.approx((0.4, 0.2))
    assert abs(np.tan(np.radians(state["angle"])) - 0.5) < 1e-12
    assert state["delta"] == pytest.approx(1.0)
    modes = tab_state_of(lr.GradientFlow(lr.inits.aligned(TARGET, 1e-3, depth=3), lr.Problem(np.eye(2), TARGET)))[0]
    assert modes == {
        "room": "modes",
        "state": {"depth": 3, "modes": 2, "s1": 3.0, "s2": 1.0, "start": pytest.approx(1e-3)},
    }
    stops = tab_state_of(lr.GradientFlow(lr.inits.diagonal(2, 0.1, 0.4), lr.Problem([[1.0, 2.0]], [3.0])))[0]
    assert stops["state"]["alpha"] == pytest.approx(0.1)
    assert stops["state"]["shape"] == pytest.approx(0.4)


def test_imbalance_and_alignment_are_read_off_the_layers():
    net = lr.inits.lambda_balanced(jax.random.key(0), 2, 2, 2, 0.7, beta0=0.1 * np.eye(2))
    state = tab_state_of(lr.GradientFlow(net, lr.Problem(np.eye(2), TARGET)))[0]["state"]
    assert state["lambda"] == pytest.approx(0.7)
    assert state["cosine"] == 1
    assert state["start"] == pytest.approx(0.1)


def test_one_layer_has_modes_if_it_starts_along_the_target():
    flow = lr.GradientFlow(lr.DeepLinear([np.array([[0.1, 0.2]])]), lr.Problem(np.eye(2), [1.0, 2.0]))
    state = tab_state_of(flow)[0]["state"]
    assert state == {"depth": 1, "modes": 1, "s1": pytest.approx(5**0.5), "start": pytest.approx(0.05**0.5)}


def test_one_input_is_a_plane_of_which_the_data_see_a_line():
    state = tab_state_of(lr.GradientFlow(lr.inits.neuron([-0.5], 1.0), lr.Problem([[2.0]], [1.0])))[0]["state"]
    assert (state["b0x"], state["b0y"], state["axis1"], state["axis2"]) == (-0.5, 0, 4, 0)


REFUSED = {
    "takes a GradientFlow": 3.0,
    "trains with the square loss; found Logistic": lr.GradientFlow(
        lr.inits.neuron([0.1, 0.2]), lr.Problem(np.eye(2), [1.0, -1.0], lr.Logistic())
    ),
    "3 inputs that are not whitened do not fit": lr.GradientFlow(
        lr.inits.neuron([0.1, 0.2, 0.3]), lr.Problem(np.diag([1.0, 2.0, 3.0]), [1.0, -1.0, 0.5])
    ),
    "the modes of this network are not decoupled": lr.GradientFlow(
        lr.inits.gaussian(jax.random.key(0), (2, 3, 2)), lr.Problem(np.eye(2), TARGET)
    ),
    "not balanced .off by 7.1e-01": lr.GradientFlow(
        lr.DeepLinear([np.array([[0.1, 0.0]])]), lr.Problem(np.eye(2), [1.0, 1.0])
    ),
    "all modes have the same start; here their start is": lr.GradientFlow(
        lr.inits.aligned(TARGET, [0.1, 0.2], depth=3), lr.Problem(np.eye(2), TARGET)
    ),
    "learning rates of one": lr.GradientFlow(lr.inits.aligned(TARGET, 0.1), lr.Problem(np.eye(2), TARGET), (1.0, 2.0)),
    "one sample of two coordinates": lr.GradientFlow(
        lr.inits.tied_diagonal(3, 0.1), lr.Problem(np.eye(3), [1.0, 2.0, 3.0])
    ),
    "found 4 neurons of slope 0.1": lr.GradientFlow(
        lr.inits.two_layer(jax.random.key(0), 2, 4, negative_slope=0.1), lr.Problem(np.eye(2), [1.0, 2.0])
    ),
    "coordinates and labels of the points: the page shows values from 0 to 100": lr.GradientFlow(
        lr.inits.two_layer(jax.random.key(0), 2, 4), lr.Problem(1e200 * np.eye(2), [1.0, 2.0])
    ),
    "δ: the page shows values from 0 to 1000": lr.GradientFlow(
        lr.inits.neuron([0.1, 0.2], 1e5), lr.Problem(np.eye(2), [1.0, 2.0])
    ),
    "no tab shows a Factorization": lr.GradientFlow(lr.Factorization(np.eye(2)), lr.Problem(np.eye(4)[:2], [1.0, 2.0])),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_fits_no_room_is_refused_with_the_reason(message):
    with pytest.raises((TypeError, ValueError), match=message):
        tab_state_of(REFUSED[message])
