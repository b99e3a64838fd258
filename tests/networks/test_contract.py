"""What every network promises, checked over all of them against naive computations."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import NETWORKS, distance, make_problem, moved

import lazyrich as lr
from lazyrich.networks import NETWORKS as CLASSES


def test_every_class_is_under_test():
    assert {type(net) for net, _ in NETWORKS.values()} == set(CLASSES)


def jacobian(net, X):
    """The explicit Jacobian of the outputs: one block (outputs, parameters) per layer."""
    blocks = jax.jacrev(lambda layers: net.with_layers(layers)(X))(net.layers)
    size = net(X).size
    return [jnp.concatenate([leaf.reshape(size, -1) for leaf in jax.tree.leaves(block)], axis=1) for block in blocks]


def test_gradient_equals_automatic_differentiation(flow):
    net = moved(flow.net)
    automatic = jax.grad(lambda layers: flow.loss(net.with_layers(layers)))(net.layers)
    assert distance(flow.gradient(net), automatic) < 1e-12


@pytest.mark.parametrize("loss", [lr.Square(), lr.Logistic(), lr.Exponential()])
def test_gradient_equals_finite_differences(flow, loss):
    net = moved(flow.net, seed=5)
    problem = make_problem(net, loss=loss, kappa=0.5)
    flow = lr.GradientFlow(net, problem)
    rng = np.random.default_rng(0)
    direction = jax.tree.map(lambda leaf: jnp.asarray(rng.normal(size=leaf.shape)), net.layers)
    step = 1e-5

    def loss_at(s):
        return float(flow.loss(net.with_layers(jax.tree.map(lambda a, b: a + s * b, net.layers, direction))))

    numeric = (loss_at(step) - loss_at(-step)) / (2 * step)
    slopes = jax.tree.map(lambda a, b: jnp.sum(a * b), flow.gradient(), direction)
    assert float(sum(jax.tree.leaves(slopes))) == pytest.approx(numeric, rel=1e-6, abs=1e-7)


def test_field_has_the_rates(flow):
    for rate, velocity, slope in zip(flow.rates, flow.field(flow.net.layers), flow.gradient(), strict=True):
        assert distance(velocity, jax.tree.map(lambda g, rate=rate: -rate * g, slope)) == 0


def test_ntk_equals_the_explicit_jacobian(flow):
    net, X, X2 = moved(flow.net), flow.problem.X, flow.problem.X[:4] + 0.3
    left, right = jacobian(net, X), jacobian(net, X2)
    expected = sum(rate * a @ b.T for rate, a, b in zip(flow.rates, left, right, strict=True))
    kernel = net.ntk(X, X2, flow.rates)
    assert kernel.shape == net(X).shape + net(X2).shape
    assert distance(kernel.reshape(expected.shape), expected) < 1e-12
    square = sum(rate * a @ a.T for rate, a in zip(flow.rates, left, strict=True))
    assert distance(net.ntk(X, rates=flow.rates).reshape(square.shape), square) < 1e-12


def test_linear_predictor(flow):
    net, X = moved(flow.net), flow.problem.X
    if net.linear:
        assert distance(net(X), X @ net.beta) < 1e-14
        assert distance(net(2 * X - X[::-1]), 2 * net(X) - net(X[::-1])) < 1e-13
    else:
        with pytest.raises(ValueError, match="has no linear predictor"):
            _ = net.beta


def test_homogeneity(flow):
    net, X = moved(flow.net), flow.problem.X
    scaled = net.with_layers(jax.tree.map(lambda leaf: 1.7 * leaf, net.layers))
    if isinstance(net, lr.Linearized):
        # affine: the constant is f₀ − Df₀·θ₀ = (1 − D) f₀ for an anchor of degree D
        constant = (1 - net.anchor.degree) * net.anchor(X)
        assert distance(scaled(X) - constant, 1.7 * (net(X) - constant)) < 1e-12
    else:
        assert distance(scaled(X), 1.7**net.degree * net(X)) < 1e-12


def test_conserved_quantities_have_no_velocity(flow):
    """d/dt of each law along the field vanishes, at a random point, for random data."""
    net = moved(flow.net)
    velocity = flow.field(net.layers)
    laws, rate_of_change = jax.jvp(
        lambda layers: net.with_layers(layers).conserved(flow.rates), (net.layers,), (velocity,)
    )
    assert laws.keys() == rate_of_change.keys()
    assert bool(laws) != isinstance(net, lr.Linearized) or len(net.layers) == 1
    for name, change in rate_of_change.items():
        assert float(jnp.max(jnp.abs(change))) < 1e-13 * (1 + float(jnp.max(jnp.abs(laws[name])))), name


def test_conserved_quantities_need_the_rates(flow):
    """With the wrong rates the laws are not conserved: the test above can fail."""
    net, wrong = moved(flow.net), tuple(reversed(flow.rates))
    if len({float(rate) for rate in flow.rates}) == 1 or isinstance(net, lr.Linearized):
        return
    _, change = jax.jvp(
        lambda layers: net.with_layers(layers).conserved(wrong), (net.layers,), (flow.field(net.layers),)
    )
    assert max(float(jnp.max(jnp.abs(leaf))) for leaf in jax.tree.leaves(change)) > 1e-3


def test_stays_a_pytree(flow):
    net = flow.net
    copy = jax.tree.unflatten(jax.tree.structure(net), jax.tree.leaves(net))
    assert eqx.tree_equal(net, copy)
    stacked = jax.tree.map(lambda leaf: jnp.stack([leaf, 2 * leaf]), net)
    outputs = jax.vmap(lambda one: one(flow.problem.X))(stacked)
    assert distance(outputs[0], net(flow.problem.X)) < 1e-14
    assert distance(jax.jit(lambda one: one(flow.problem.X))(net), net(flow.problem.X)) < 1e-14


def test_rotating_the_inputs(flow):
    """Rotating data and first layer together changes nothing (diagonal networks: permuting coordinates)."""
    net, X = moved(flow.net), flow.problem.X
    if isinstance(net, lr.Linearized):
        return
    rng = np.random.default_rng(7)
    if isinstance(net, lr.Diagonal):
        order = np.array([2, 0, 1])
        turned, XR = net.with_layers(tuple(u[:, order] for u in net.layers)), X[:, order]
    elif isinstance(net, lr.Factorization):  # A → RᵀAR with U → RᵀU
        R = jnp.asarray(np.linalg.qr(rng.normal(size=(2, 2)))[0])
        turned, XR = lr.Factorization(R.T @ net.U), (R.T @ X.reshape(-1, 2, 2) @ R).reshape(len(X), -1)
    else:
        R = jnp.asarray(np.linalg.qr(rng.normal(size=(3, 3)))[0])
        turned, XR = net.with_layers((net.layers[0] @ R, *net.layers[1:])), X @ R
    assert distance(turned(XR), net(X)) < 1e-13
    assert distance(turned.ntk(XR, rates=flow.rates), net.ntk(X, rates=flow.rates)) < 1e-12
    slopes, original = turned.pullback(XR, net(X)), net.pullback(X, net(X))
    if isinstance(net, lr.Diagonal):
        back = slopes[0][:, np.argsort(order)]
    else:
        back = R @ slopes[0] if isinstance(net, lr.Factorization) else slopes[0] @ R.T
    assert distance(back, original[0]) < 1e-12


def test_permuting_hidden_units(flow):
    net, X = moved(flow.net), flow.problem.X
    if isinstance(net, lr.TwoLayer):
        order = np.random.default_rng(0).permutation(len(net.a))
        mixed = net.with_layers((net.W[order], net.a[order]))
    elif isinstance(net, lr.DeepLinear) and net.degree > 1:  # any rotation of the hidden layer
        R = jnp.asarray(np.linalg.qr(np.random.default_rng(0).normal(size=(net.widths[1],) * 2))[0])
        mixed = net.with_layers((R @ net.weights[0], net.weights[1] @ R.T, *net.weights[2:]))
    else:
        return
    assert distance(mixed(X), net(X)) < 1e-13
    assert distance(mixed.ntk(X, rates=flow.rates), net.ntk(X, rates=flow.rates)) < 1e-12
