"""Limits at special points: continued from a trajectory, without a target, derivatives in X, extreme scales."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr

X, Y = np.array([[1.0, 0.4, 0.2], [0.1, 1.3, -0.5]]), np.array([1.0, -0.5])
# Downstream and against the labels: whether a crosses zero is not known at the start.
CROSSING = lr.GradientFlow(lr.inits.neuron([-1.0, 1.2, 0.3], -0.5), lr.Problem(X, Y))


def test_the_limit_of_a_trajectory_continues_from_its_end():
    with pytest.raises(
        lr.NoTheoremApplies, match=r"known sign(.|\n)*lazyrich.limit\(lazyrich.integrate\(flow, times\)\)"
    ):
        lr.limit(CROSSING)
    found = lr.limit(lr.integrate(CROSSING, [0.0, 20.0]))
    late = lr.integrate(CROSSING, [0.0, 300.0]).beta[-1]
    assert np.asarray(found.value) == pytest.approx(np.asarray(late), abs=1e-8)
    with pytest.raises(TypeError, match="GradientFlow or a Trajectory"):
        lr.limit(3)


def test_a_network_at_rest_gets_no_such_advice():
    flow = lr.GradientFlow(lr.DeepLinear([np.zeros((1, 3)), [[0.0]]]), lr.Problem(X, Y))
    with pytest.raises(lr.NoTheoremApplies) as refusal:
        lr.limit(flow)
    assert "ask again" not in str(refusal.value)


def value(net, X, y):
    return jnp.sum(lr.limit(lr.GradientFlow(net, lr.Problem(X, y))).value * jnp.array([1.0, 0.3, -0.7])[: X.shape[1]])


NETS = {
    "neuron": lr.inits.neuron([0.3, 0.2, -0.4], 0.7),
    "diagonal": lr.inits.tied_diagonal(3, 0.5),
    "affine": lr.DeepLinear([[[0.1, 0.2, 0.3]]]),
}


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("data", ["generic", "orthonormal", "more samples than features"])
def test_derivatives_in_the_inputs(name, data):
    """Also for equal singular values, and for labels that are out of reach."""
    rng = np.random.default_rng(0)
    inputs = {"generic": X, "orthonormal": np.eye(2, 3), "more samples than features": rng.normal(size=(5, 3))}[data]
    y, direction = rng.normal(size=len(inputs)), rng.normal(size=inputs.shape)
    slope = jnp.sum(jax.grad(value, argnums=1)(NETS[name], jnp.asarray(inputs), y) * direction)
    h = 1e-5
    numeric = (value(NETS[name], inputs + h * direction, y) - value(NETS[name], inputs - h * direction, y)) / (2 * h)
    assert float(slope) == pytest.approx(float(numeric), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", NETS)
def test_duplicated_samples_have_no_derivative_in_the_inputs(name):
    twice = jnp.asarray(np.stack([X[0], X[0]]))
    assert np.isfinite(value(NETS[name], twice, np.ones(2)))
    with pytest.raises(ValueError, match="no derivative in X"):
        jax.grad(value, argnums=1)(NETS[name], twice, np.ones(2))


def test_without_a_target():
    """The predictor ends at zero on what the data see; a downstream neuron has no derivative there."""
    square = np.array([[1.0, 0.3], [0.2, 0.9]])
    for net in (lr.DeepLinear([[[0.3, -0.9]], [[1.4]]]), lr.Diagonal([[[1.0, 0.1], [-0.7, 0.1]]], 2)):
        flow = lr.GradientFlow(net, lr.Problem(square, np.zeros(2)))
        assert np.asarray(lr.limit(flow).value) == pytest.approx(np.zeros(2), abs=1e-12)
    downstream = lr.inits.neuron([0.3, 0.2], -1.0)
    with pytest.raises(ValueError, match="ends at a = 0"):
        jax.grad(value, argnums=2)(downstream, square, jnp.zeros(2))


@pytest.mark.parametrize("scale", [1e100, 1e-100])
def test_limits_in_extreme_units(scale):
    plain = lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(3, 0.5), lr.Problem(X, Y))).value
    grown = lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(3, 0.5 * scale), lr.Problem(X, Y * scale**2))).value
    assert np.asarray(grown) / scale**2 == pytest.approx(np.asarray(plain), rel=1e-9)


def test_what_is_no_theorem_is_refused():
    for verb in (lambda: lr.exact(CROSSING, [1.0], theorem=3), lambda: lr.limit(CROSSING, theorem=3)):
        with pytest.raises(TypeError, match="a Theorem or its name; found 3"):
            verb()


@pytest.mark.parametrize(
    ("sides", "X", "y"),
    [
        # A first step of twice the way to the end of the domain's half ended at its end, but for rounding.
        ([[0.5, 0.1, 0.1], [0.5, 0.1, 0.5]], [[-0.4, -0.7, 0.0], [0.6, 0.2, 0.0]], [0.024, -0.16]),
        ([[0.5, 0.0, 0.0], [0.5, 1.0, 0.1]], [[-0.5, -0.9, 0.01], [0.6, -0.3, 0.85]], [-0.6, -1.4]),
        # A coordinate without sides may be moved at will: it says nothing about how near the solution is.
        ([[0.1, 0.0, 1.0], [0.5, 0.0, 1.0]], [[-0.41, -0.28, 0.0], [0.74, -0.18, 0.0]], [0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("power", [2, 3, 4])
def test_near_the_end_of_the_domain_and_with_dead_coordinates(sides, X, y, power):
    flow = lr.GradientFlow(lr.Diagonal([np.array(sides)], power), lr.Problem(X, y))
    found = lr.limit(flow)
    end = lr.integrate(flow, [3e4], until=lr.LossBelow(1e-24))
    np.testing.assert_allclose(found.value, end.beta[-1], atol=1e-5)  # slow where all goes to zero
