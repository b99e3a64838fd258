"""What is special to each network."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import NETWORKS, distance

import lazyrich as lr


def test_shapes_are_refused():
    with pytest.raises(
        ValueError, match=r"weights\[1\] of shape \(1, 3\) does not follow weights\[0\] of shape \(2, 4\)"
    ):
        lr.DeepLinear([np.ones((2, 4)), np.ones((1, 3))])
    with pytest.raises(ValueError, match="at least one weight matrix"):
        lr.DeepLinear([])
    with pytest.raises(ValueError, match=r"weights\[0\] must have 2 axes; found shape \(3,\)"):
        lr.DeepLinear([np.ones(3)])
    with pytest.raises(ValueError, match=r"shape \(2, d\), the row u₊ above the row u₋; found \[\(3, 2\)\]"):
        lr.Diagonal([np.ones((3, 2))])
    with pytest.raises(ValueError, match="a Diagonal network needs at least one weight matrix; found none"):
        lr.Diagonal([])
    with pytest.raises(ValueError, match="found 2 rows and 3 entries"):
        lr.TwoLayer(np.ones((2, 4)), np.ones(3))
    with pytest.raises(ValueError, match="slope must be at most 1"):
        lr.TwoLayer(np.ones((2, 4)), np.ones(2), negative_slope=1.5)
    with pytest.raises(ValueError, match=r"W has 1 entries that are NaN or infinite, the first at \(0, 1\)"):
        lr.TwoLayer([[1.0, np.nan]], [1.0])


def test_integers_become_floats():
    net = lr.DeepLinear([np.ones((1, 2), int)])
    assert net.weights[0].dtype == jnp.float64


def test_one_class_for_single_wide_and_deep():
    w, a = jnp.array([1.0, -2.0]), 3.0
    neuron = lr.DeepLinear([w[None], [[a]]])
    assert distance(neuron.beta[:, 0], a * w) == 0
    W, A = jnp.arange(6.0).reshape(3, 2), jnp.arange(3.0)[:, None]
    assert distance(lr.DeepLinear([W, A.T]).beta, W.T @ A) == 0  # kunin2024's β = WᵀA


def test_kernel_of_the_single_neuron_is_kunins():
    eta_w, eta_a, a, w = 0.3, 1.7, 1.3, jnp.array([0.2, -0.5])
    X = jnp.asarray(np.random.default_rng(0).normal(size=(4, 2)))
    printed = X @ (eta_w * a**2 * jnp.eye(2) + eta_a * jnp.outer(w, w)) @ X.T
    ours = lr.DeepLinear([w[None], [[a]]]).ntk(X, rates=(eta_w, eta_a))[:, 0, :, 0]
    assert distance(ours, printed) < 1e-14


def test_kernel_of_the_tied_diagonal_network_is_smiths():
    """8α²⟨x, x′⟩ for w₊ = w₋ = α1 (smith2022, section 4)."""
    X = jnp.asarray(np.random.default_rng(0).normal(size=(4, 3)))
    assert distance(lr.inits.tied_diagonal(3, alpha=0.3).ntk(X), 8 * 0.3**2 * X @ X.T) < 1e-14


def test_linear_two_layer_is_deep_linear():
    net, rates = NETWORKS["two-layer linear"]
    twin = lr.DeepLinear([net.W, net.a[None]])
    X = jnp.asarray(np.random.default_rng(0).normal(size=(4, 3)))
    assert distance(net.beta, twin.beta[:, 0]) < 1e-15
    assert distance(net.ntk(X, rates=rates), twin.ntk(X, rates=rates)[:, 0, :, 0]) < 1e-13
    assert (
        distance(net.conserved_quantities(rates)["delta"], jnp.diagonal(twin.conserved_quantities(rates)["Delta_1"]))
        < 1e-14
    )


def test_relu_kink_takes_the_slope():
    net = lr.TwoLayer([[1.0]], [1.0], negative_slope=0.25)
    assert float(net.pullback(jnp.zeros((1, 1)) + 0.0, jnp.ones(1))[0][0, 0]) == 0
    assert float(net.ntk(jnp.array([[-2.0]]))[0, 0]) == pytest.approx(0.25**2 * 4 * 2)


@pytest.mark.parametrize("name", [name for name in NETWORKS if name.startswith("diagonal")])
def test_moved_solves_the_equation_of_the_parameters(name):
    """d/ds of moved(sĠ) is the field whose ∂L/∂β is −Ġ, along the whole path; and moved(0) is the network."""
    net, rates = NETWORKS[name]
    G = jnp.array([0.3, -0.2, 0.1])
    if not net.has_mirror_variable:
        with pytest.raises(ValueError, match="no closed form"):
            net.at_mirror_variable(G, rates)
        return
    assert distance(net.at_mirror_variable(jnp.zeros(3), rates).layers, net.layers) < 1e-15
    for s in (0.0, 0.5, 1.0):
        _, velocity = jax.jvp(lambda s: net.at_mirror_variable(s * G, rates).layers, (s,), (1.0,))
        lifted = net.at_mirror_variable(s * G, rates).beta_pullback(G)
        expected = tuple(rate * slope for rate, slope in zip(rates, lifted, strict=True))
        assert distance(velocity, expected) < 1e-13
    onwards = net.at_mirror_variable(0.4 * G, rates).at_mirror_variable(0.6 * G, rates)
    assert distance(onwards.layers, net.at_mirror_variable(G, rates).layers) < 1e-14


def test_linearized_is_the_tangent():
    net, _ = NETWORKS["relu"]
    X = jnp.asarray(np.random.default_rng(0).normal(size=(4, 3)))
    tangent = lr.Linearized(net)
    assert distance(tangent(X), net(X)) == 0
    gaps = []
    for size in (1e-2, 1e-3):
        layers = jax.tree.map(lambda leaf, size=size: leaf + size, net.layers)
        gaps.append(distance(tangent.with_layers(layers)(X), net.with_layers(layers)(X)))
    assert gaps[1] < gaps[0] / 50  # second order
