"""What every network promises, checked over all of them against naive computations."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import NETWORKS, distance, make_problem, moved

import lazyrich as lr
from lazyrich.networks import NETWORKS as CLASSES
from lazyrich.networks import Network, check_network


def test_every_class_is_under_test():
    tried = {type(net) for net, _ in NETWORKS.values()}
    untried = [kind.__name__ for kind in CLASSES if kind not in tried]
    assert not untried, f"{untried} of lazyrich.networks.NETWORKS have no example in MAKERS of tests/conftest.py"
    assert tried == set(CLASSES), "MAKERS of tests/conftest.py has networks that are not in lazyrich.networks.NETWORKS"


def test_every_promise_is_kept(flow):
    net, rough = flow.net, ("finite differences", "is conserved", "smooth")
    defects = check_network(net, flow.problem.X, flow.rates)
    for name, defect in defects.items():
        past_kinks = (
            name.endswith("is conserved") and not net.smooth_in_parameters
        )  # where the method of the check loses its order
        allowed = 1e-6 if past_kinks else 1e-9 if any(word in name for word in rough) else 1e-14
        assert defect < allowed, f"{type(net).__name__} promises '{name}', but is off by {defect:.1e}"
    laws = {name for name in defects if name.endswith("has no velocity")}
    assert {f"{law} has no velocity" for law in net.conserved_quantities(flow.rates)} == laws, (
        "not every conserved quantity is tried"
    )
    assert laws or net.degrees is None or len(net.layers) == 1, "degrees imply conserved quantities, but there are none"


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
    slope = float(sum(jax.tree.leaves(slopes)))
    assert slope == pytest.approx(numeric, rel=1e-6, abs=1e-7), "the gradient is not that of finite differences"


def test_field_has_the_rates(flow):
    for rate, velocity, slope in zip(flow.rates, flow.vector_field(flow.net.layers), flow.gradient(), strict=True):
        assert distance(velocity, jax.tree.map(lambda g, rate=rate: -rate * g, slope)) == 0, "the field is −η ∂L/∂θ"


def test_only_linear_networks_have_a_predictor(flow):
    if not flow.net.linear_in_inputs:
        with pytest.raises(ValueError, match="has no linear predictor"):
            _ = flow.net.beta


def test_tangent_models_are_homogeneous_but_for_a_constant(flow):
    net, X = moved(flow.net), flow.problem.X
    if isinstance(net, lr.Linearized):
        assert net.degree is None
        scaled = net.with_layers(jax.tree.map(lambda leaf: 1.7 * leaf, net.layers))
        # affine: the constant is f₀ − Df₀·θ₀ = (1 − D) f₀ for an anchor of degree D
        constant = (1 - net.anchor.degree) * net.anchor(X)
        assert distance(scaled(X) - constant, 1.7 * (net(X) - constant)) < 1e-12


def test_conserved_quantities_need_the_rates(flow):
    """With the wrong rates the laws are not conserved: the test above can fail."""
    net, wrong = moved(flow.net), tuple(reversed(flow.rates))
    if len({float(rate) for rate in flow.rates}) == 1 or not net.conserved_quantities(wrong):
        return
    _, change = jax.jvp(
        lambda layers: net.with_layers(layers).conserved_quantities(wrong),
        (net.layers,),
        (flow.vector_field(net.layers),),
    )
    assert max(float(jnp.max(jnp.abs(leaf))) for leaf in jax.tree.leaves(change)) > 1e-3, (
        "conserved(rates) does not depend on the rates"
    )


def test_stays_a_pytree(flow):
    net = flow.net
    copy = jax.tree.unflatten(jax.tree.structure(net), jax.tree.leaves(net))
    assert eqx.tree_equal(net, copy), "the network is not the tree of its arrays"
    stacked = jax.tree.map(lambda leaf: jnp.stack([leaf, 2 * leaf]), net)
    outputs = jax.vmap(lambda one: one(flow.problem.X))(stacked)
    assert distance(outputs[0], net(flow.problem.X)) < 1e-14, "under vmap it predicts something else"
    jitted = jax.jit(lambda one: one(flow.problem.X))(net)
    assert distance(jitted, net(flow.problem.X)) < 1e-14, "under jit it predicts something else"


def rotate_first_layer(net, X, rng):
    """W₁ → W₁R with X → XR."""
    R = jnp.asarray(np.linalg.qr(rng.normal(size=(3, 3)))[0])
    return net.with_layers((net.layers[0] @ R, *net.layers[1:])), X @ R, lambda slope: slope @ R.T


def permute_coordinates(net, X, rng):
    """Diagonal networks have no other symmetry of the inputs."""
    order = np.array([2, 0, 1])
    turned = net.with_layers(tuple(u[:, order] for u in net.layers))
    return turned, X[:, order], lambda slope: slope[:, np.argsort(order)]


def rotate_measurements(net, X, rng):
    """U → RᵀU with A → RᵀAR."""
    R = jnp.asarray(np.linalg.qr(rng.normal(size=(2, 2)))[0])
    XR = (R.T @ X.reshape(-1, 2, 2) @ R).reshape(len(X), -1)
    return lr.Factorization(R.T @ net.U), XR, lambda slope: R @ slope


# Class → symmetry of the inputs: the turned network and inputs, and how to turn the slope of its first layer back.
SYMMETRIES = {
    lr.DeepLinear: rotate_first_layer,
    lr.TwoLayer: rotate_first_layer,
    lr.Diagonal: permute_coordinates,
    lr.Factorization: rotate_measurements,
}


def test_rotating_the_inputs(flow):
    """Turning data and first layer together changes nothing. A class without such a symmetry has no entry."""
    net, X = moved(flow.net), flow.problem.X
    symmetry = SYMMETRIES.get(type(net))
    if symmetry is None:
        return
    turned, XR, turn_back = symmetry(net, X, np.random.default_rng(7))
    assert distance(turned(XR), net(X)) < 1e-13, "the outputs change when the inputs are turned"
    kernels = turned.ntk(XR, rates=flow.rates), net.ntk(X, rates=flow.rates)
    assert distance(*kernels) < 1e-12, "the tangent kernel changes when the inputs are turned"
    slopes, original = turned.pullback(XR, net(X)), net.pullback(X, net(X))
    assert distance(turn_back(slopes[0]), original[0]) < 1e-12, "the gradient does not turn with the inputs"


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


class Neuron(Network):
    """a·σ(w·x), with a smooth σ, one output: what the liars below are made of."""

    w: jax.Array
    a: jax.Array

    def __call__(self, X):
        return self.a * jnp.tanh(X @ self.w)


def kinked(self, X):
    return self.a * jnp.abs(X @ self.w)


def doubled(method):
    return lambda self, *given: jax.tree.map(lambda leaf: 2 * leaf, getattr(Network, method)(self, *given))


LIES = {
    "pullback is that of automatic differentiation": {"pullback": doubled("pullback")},
    "the kernel is that of the explicit Jacobian": {"ntk": doubled("ntk")},
    "each row is predicted on its own": {"__call__": lambda self, X: jnp.sum(X) + self.a * jnp.tanh(X @ self.w)},
    "delta has no velocity": {
        "conserved_quantities": lambda self, rates=None: {"delta": self.a**2 - jnp.sum(self.w**2)}
    },
    "homogeneous of degree 2": {"degree": 2},
    "layer 1 has degree 0": {"__call__": lambda self, X: self.a * (X @ self.w), "degrees": (0, 2)},
    "beta is the predictor": {"linear_in_inputs": True, "beta": property(lambda self: self.a * self.w)},
    "affine in the parameters": {"affine_in_parameters": True},
    "smooth in the parameters": {"__call__": kinked},
    "product of its factors": {"weight_matrices": property(lambda self: (self.w[None], self.a[None, None]))},
    "sum of its neurons": {"neuron_parameters": property(lambda self: (self.w[None], self.a[None], 0.0))},
    "stretched units are the same function": {
        "unit_norms": property(lambda self: (jnp.linalg.norm(self.w)[None], jnp.abs(self.a)[None])),
        "rescale_units": lambda self, w, a: self.with_layers((w[0] * self.w, a[0] * self.a)),
    },
    "strengths hold the largest weight": {"part_scales": property(lambda self: jnp.ones(1))},
    "sizes are": {"n_inputs_outputs": (4, 1)},
    "found \\(5, 1, 1\\)": {"__call__": lambda self, X: (X @ self.w)[:, None, None]},
    "has a beta, but does not say": {"beta": property(lambda self: self.w)},
    "moved by nothing it stays": {
        "has_mirror_variable": True,
        "linear_in_inputs": True,
        "beta": property(lambda self: self.a * self.w),
        "__call__": lambda self, X: self.a * (X @ self.w),
        "at_mirror_variable": lambda self, G, rates=None: self.with_layers((self.w + 1, self.a)),
    },
}


@pytest.mark.parametrize("lie", LIES)
def test_a_broken_promise_is_found(lie):
    net = type("Liar", (Neuron,), LIES[lie])(np.array([0.5, -0.3, 0.4]), np.array(0.8))
    X = np.random.default_rng(0).normal(size=(5, 3))
    with pytest.raises(AssertionError, match=rf"Liar.*{lie}"):
        check_network(net, X, rates=(1.0, 0.5))


def test_an_honest_network_passes():
    net, X = Neuron(np.array([0.5, -0.3, 0.4]), np.array(0.8)), np.random.default_rng(0).normal(size=(5, 3))
    assert max(check_network(net, X).values()) < 1e-6
    bent = type("Bent", (Neuron,), {"__call__": kinked, "smooth_in_parameters": False})
    assert max(check_network(bent(*net.layers), X).values()) < 1e-6


def test_homogeneity_implies_what_is_conserved():
    """‖u‖² − ‖v‖² and so on, with rates and degrees, for a network that says its degrees alone."""

    class Cubic(lr.networks.LinearNetwork):
        u: jax.Array
        v: jax.Array
        degrees = (2, 1)

        @property
        def beta(self):
            return self.u**2 * self.v

    rng = np.random.default_rng(0)
    net = Cubic(rng.normal(size=3), rng.normal(size=3))
    assert "delta_1 is conserved" in check_network(net, rng.normal(size=(5, 3)), rates=(1.0, 0.3))
    wrong = type("Wrong", (Cubic,), {"degrees": (1, 2)})(net.u, net.v)
    with pytest.raises(AssertionError, match="layer 1 has degree 1"):
        check_network(wrong, rng.normal(size=(5, 3)))


@pytest.mark.parametrize("value", [None, [1.0, 2.0], 3.0])
def test_parameters_that_are_no_arrays_are_refused(value):
    with pytest.raises(TypeError, match="parameters are arrays"):
        Neuron(value, np.array(0.8))
