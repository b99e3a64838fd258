"""Closed forms under the symmetries of the problem, under transformations of JAX, and their derivatives."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance
from examples import KEY, RATES, example, fat, orthonormal, whitened

import lazyrich as lr
from lazyrich.theorems.trajectories import aligned, deep, isotropic, neuron

TIMES = np.array([0.0, 0.05, 0.4, 1.5, 6.0])
TWO_LAYERS = [
    (neuron.THEOREM, "downstream"), (neuron.THEOREM, "two samples"), (aligned.THEOREM, "planes"),
    (isotropic.THEOREM, "downstream"), (isotropic.THEOREM, "upstream"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("theorem", "name"), [pytest.param(*pair, id=f"{pair[0].name}-{pair[1]}") for pair in TWO_LAYERS]
)
def test_rotations_of_inputs_outputs_and_hidden_units(theorem, name):
    flow = example(theorem, name)
    W, V = flow.net.weights
    R, H, O = orthonormal(W.shape[1], W.shape[1], 1), orthonormal(len(W), len(W), 2), orthonormal(len(V), len(V), 3)
    y = flow.problem.y
    labels = y * O[0, 0] if y.ndim == 1 else y @ O.T
    turned = lr.GradientFlow(
        lr.DeepLinear([H @ W @ R.T, O @ V @ H.T]),
        lr.Problem(flow.problem.X @ R.T, labels, kappa=flow.problem.kappa),
        flow.rates,
    )
    W_t, V_t = lr.exact(flow, TIMES, theorem=theorem).nets.weights
    new_W, new_V = lr.exact(turned, TIMES, theorem=theorem).nets.weights
    assert distance((new_W, new_V), (H @ W_t @ R.T, O @ V_t @ H.T)) < 1e-11


def test_mirror_symmetry_of_the_neuron():
    """(a, w) → (−a, −w) is the same function."""
    flow = example(neuron.THEOREM, "downstream")
    other = flow.with_net(flow.net.with_layers(jax.tree.map(jnp.negative, flow.net.layers)))
    ours, mirrored = (lr.exact(f, TIMES).nets.layers for f in (flow, other))
    assert distance(ours, jax.tree.map(jnp.negative, mirrored)) == 0


def test_lift_changes_hidden_rotation_only():
    flow = example(isotropic.THEOREM, "downstream")
    full, free = lr.exact(flow, TIMES), lr.exact(flow, TIMES, hidden_rotation=False)
    assert "up to a rotation" in free.by.detail
    assert distance(full.beta, free.beta) < 1e-12
    assert distance(full.map(flow.ntk), free.map(flow.ntk)) < 1e-12
    assert distance(full.nets.weights[0][1:], free.nets.weights[0][1:]) > 1e-3


def test_without_the_rotation_the_predictor_is_right_where_the_data_see_nothing():
    W, V = lr.inits.isotropic(KEY, 2, 3, 2, 0.5).weights
    net = lr.DeepLinear([jnp.hstack([W, jnp.array([[0.3], [-0.8], [0.5]])]), V])
    flow = lr.GradientFlow(net, lr.Problem(np.eye(2, 3), np.diag([2.0, 1.0])))
    full, free = (
        lr.exact(flow, [1.3], theorem="isotropic imbalance", hidden_rotation=lift).beta for lift in (True, False)
    )
    assert distance(free, full) < 1e-12


def ends(make, t=1.1):
    """Return two scalar functions of a number x: one of the exact trajectory at t, and one of the integrated one."""

    def read(net):
        return sum(jnp.sum(jnp.sin(leaf + 0.3)) for leaf in jax.tree.leaves(net.layers))

    def exact(x):
        return read(lr.exact(make(x), [t])[0])

    def integrated(x):
        return float(read(lr.integrate(make(x), [t], rtol=1e-12)[0]))

    return exact, integrated


TARGET = whitened(3, 2)
MAKERS = {
    "neuron, δ": lambda x: lr.GradientFlow(lr.inits.neuron(jnp.array([-0.5, 0.2, 0.1]), x, RATES), whitened(3), RATES),
    "neuron, β₀": lambda x: lr.GradientFlow(
        lr.inits.neuron(jnp.array([-0.5, x, 0.1]), -1.0, RATES), whitened(3), RATES
    ),
    "neuron, rate": lambda x: lr.GradientFlow(lr.DeepLinear([[[0.3, 0.2]], [[0.4]]]), whitened(2), (1.0, 1.0 + x**2)),
    "neuron, label": lambda x: lr.GradientFlow(
        lr.DeepLinear([[[0.3, 0.2]], [[0.4]]]), lr.Problem(np.eye(2), jnp.array([x, 1.0]))
    ),
    "neuron, unseen": lambda x: lr.GradientFlow(lr.DeepLinear([jnp.array([[0.3, 0.2, x]]), [[0.4]]]), fat(3, 2)),
    "modes, strength": lambda x: lr.GradientFlow(
        lr.inits.upstream(lr.inits.aligned(TARGET.X.T @ TARGET.y, jnp.array([x, 0.2]), key=KEY, width=3), 1.3), TARGET
    ),
    "isotropic, δ": lambda x: lr.GradientFlow(lr.inits.isotropic(KEY, 3, 2, 2, x), TARGET),
    "deep, strength": lambda x: lr.GradientFlow(
        lr.inits.aligned(TARGET.X.T @ TARGET.y, jnp.array([x, 0.2]), depth=3), TARGET
    ),
    "diagonal, weight": lambda x: lr.GradientFlow(
        lr.Diagonal([jnp.array([[x, 0.2], [0.3, -0.5]]), jnp.array([[0.4, 0.1], [0.2, 0.6]])]), whitened(2), RATES
    ),
    "deep diagonal, weight": lambda x: lr.GradientFlow(
        lr.Diagonal([jnp.array([[x, 0.4], [0.3, 1.2]])], power=3), whitened(2), 0.6 + x**2
    ),
    "factorization, scale": lambda x: lr.GradientFlow(
        lr.Factorization(x * jnp.eye(2)), lr.Problem(np.eye(4)[[0, 3]], [1.0, 2.0])
    ),
    "affine, anchor": lambda x: lr.GradientFlow(
        lr.Linearized(lr.DeepLinear([jnp.array([[x, 0.3], [0.1, -0.4]]), jnp.array([[0.5, x]])])),
        lr.Problem([[1.0, 0.2], [0.3, -1.0], [2.0, 1.0]], [1.0, 0.0, 0.5]),
    ),
}


QUICK = ("neuron, δ",)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in MAKERS])
def test_derivatives_equal_finite_differences_through_the_flow(name):
    exact, integrated = ends(MAKERS[name])
    x, step = 0.7, 1e-4
    numeric = (integrated(x + step) - integrated(x - step)) / (2 * step)
    assert float(jax.grad(exact)(x)) == pytest.approx(numeric, rel=1e-6, abs=1e-7)


def test_derivatives_near_a_separatrix_and_at_zeros():
    """Nothing is NaN where a, w, a mode or a target vanish; and far beyond convergence."""
    for a, w, b in (
        (0.0, 0.5, 1.0),
        (0.5, 0.0, 1.0),
        (1.0, -1.0, 1.0),
        (0.5, 0.2, 0.0),
        (0.0, 0.0, 0.0),
        (1e-9, 1e-9, 1.0),
    ):

        def loss(a, w, b=b, t=3.0):
            flow = lr.GradientFlow(lr.DeepLinear([w[None, None], a[None, None]]), lr.Problem([[1.0]], [b]))
            return sum(lr.exact(flow, [t, 1e6], theorem=name).loss.sum() for name in ("single neuron", "aligned modes"))

        slopes = jax.grad(loss, argnums=(0, 1))(jnp.array(a), jnp.array(w))
        assert all(bool(jnp.isfinite(s)) for s in slopes), (a, w, b)


def test_jit_and_vmap():
    flow = example(neuron.THEOREM, "downstream")

    def beta(delta):
        net = lr.inits.neuron(jnp.array([0.3, -0.2, 0.1]), delta, RATES)
        return lr.exact(lr.GradientFlow(net, flow.problem, RATES), [0.7, 2.0]).beta

    deltas = jnp.array([-2.0, 0.0, 2.0])
    expected = jnp.stack([beta(delta) for delta in deltas])
    assert distance(jax.vmap(beta)(deltas), expected) < 1e-14
    assert distance(jax.jit(jax.vmap(beta))(deltas), expected) < 1e-14
    unseen = example(neuron.THEOREM, "two samples")
    inside = eqx.filter_jit(lambda net: lr.exact(unseen.with_net(net), [1.0]).beta)(unseen.net)
    assert distance(inside, lr.exact(unseen, [1.0]).beta) < 1e-14


def test_inside_jit_a_broken_hypothesis_is_found_at_run_time():
    def beta(X):
        return lr.exact(lr.GradientFlow(lr.DeepLinear([[[0.3, 0.2]], [[0.4]]]), lr.Problem(X, [1.0, 2.0])), [1.0]).beta

    assert np.all(np.isfinite(eqx.filter_jit(beta)(jnp.eye(2))))
    with pytest.raises(Exception, match="whitened inputs"):
        eqx.filter_jit(beta)(jnp.diag(jnp.array([1.0, 1.001])))


def test_an_absent_mode_stays_on_its_saddle():
    target = np.diag([2.0, 1.0])
    for depth, name in ((2, "aligned modes"), (3, "deep aligned modes")):
        net = lr.inits.aligned(target, jnp.array([0.0, 0.1]), depth=depth, key=KEY)
        end = lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(2), target)), [1e4], theorem=name).beta[0]
        assert np.allclose(end, np.diag([0.0, 1.0]), atol=1e-13)


def test_separatrix_and_saddle_of_the_neuron():
    problem = lr.Problem(np.eye(2), [0.0, 2.0])
    saddle = lr.exact(lr.GradientFlow(lr.DeepLinear([[[0.0, 0.0]], [[0.0]]]), problem), [0.0, 1e6])
    assert float(jnp.max(jnp.abs(saddle.beta))) == 0
    on_it = lr.exact(lr.GradientFlow(lr.DeepLinear([[[0.0, -1.0]], [[1.0]]]), problem), [1.0, 1e3])
    assert np.allclose(on_it.beta[0], [0.0, -(1 / (1 + (np.exp(4) - 1) * 1.5))], rtol=1e-12)  # β̇ = −2β(2 + β) for |β|
    assert float(jnp.max(jnp.abs(on_it.beta[1]))) < 1e-300


def test_derivatives_where_a_layer_or_the_imbalance_is_exactly_zero():
    """A row of zeros still has a derivative, and δ = 0 has one from both sides."""
    W = lr.inits.orthogonal(KEY, d=2, c=2, gamma=0.5, h=2).weights[0]
    V = jnp.diag(jnp.array([1.0, 0.9])) @ W.T
    problem = lr.Problem(np.eye(2), np.diag([2.0, 1.0]))

    def from_zero(s):
        return lr.exact(lr.GradientFlow(lr.DeepLinear([W, s * V]), problem), [0.5], theorem="aligned modes").loss[0]

    def balanced(a):
        net = lr.DeepLinear([jnp.array([[0.1, 0.0]]), a[None, None]])
        return lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(2), [0.3, 1.0])), [2.0]).beta[0, 1]

    for function, x in ((from_zero, jnp.array(0.0)), (balanced, jnp.array(0.1))):
        numeric = (function(x + 1e-5) - function(x - 1e-5)) / 2e-5
        assert float(jax.grad(function)(x)) == pytest.approx(float(numeric), rel=1e-7)


def test_a_predictor_opposite_to_the_target_is_aligned_with_it():
    Y = np.random.default_rng(1).normal(size=(3, 3))
    strengths = -0.1 * np.linalg.svd(Y, compute_uv=False)
    for depth, theorem in ((2, aligned.THEOREM), (3, deep.THEOREM)):
        flow = lr.GradientFlow(lr.inits.aligned(Y, strengths, depth=depth), lr.Problem(np.eye(3), Y))
        assert lr.explain(flow).theorem is theorem


@pytest.mark.slow
def test_large_modes_against_a_small_target_fade():
    """Reference: scipy's Radau on w, with ẇ = −0.6·4 w³(w⁴ + 1) and ȧ likewise."""
    flow = lr.GradientFlow(lr.Diagonal([[[12.0], [0.0]]], power=4), lr.Problem([[1.0]], [-1.0]), 0.6)
    assert float(lr.exact(flow, [3e-5]).nets.weights[0][0, 0, 0]) == pytest.approx(3.63453058402716, rel=1e-11)
    deep = lr.GradientFlow(lr.DeepLinear([[[50.0]], [[50.0]], [[-50.0]]]), lr.Problem([[1.0]], [1.0]))
    without = lr.GradientFlow(deep.net, lr.Problem([[1.0]], [0.0]))  # and with no target at all
    for flow in (deep, without):
        expected = float(lr.integrate(flow, [0.003], rtol=1e-12).beta[0, 0])
        assert float(lr.exact(flow, [0.003]).beta[0, 0]) == pytest.approx(expected, rel=1e-8)


def test_rows_of_rounding_size_stay_on_their_saddle():
    Q = orthonormal(3, 3, 0)
    A = np.stack([np.outer(q, q) for q in Q.T]).reshape(3, 9)
    flow = lr.GradientFlow(lr.Factorization(0.5 * Q[:, :1]), lr.Problem(A, np.ones(3)))
    assert np.allclose(lr.exact(flow, [10.0, 40.0, 1e4]).loss, 1.0)
