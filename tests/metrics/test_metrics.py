import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import NETWORKS, distance, make_problem, moved

import lazyrich as lr
from lazyrich import metrics
from lazyrich.networks.kernel_distance import cosine_distance

rng = np.random.default_rng(0)


def trajectory(name, steps=20):
    net, rates = NETWORKS[name]
    return lr.descend(lr.GradientFlow(net, make_problem(net), rates), steps=steps, lr=0.01)


QUICK = ("neuron", "deep", "diagonal tied", "relu")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in sorted(NETWORKS)]
)
def test_kernel_distance_is_one_minus_cosine(name):
    traj = trajectory(name)
    X, rates = traj.flow.problem.X, traj.flow.rates
    size = traj.start(X).size
    kernels = [np.asarray(traj[i].ntk(X, rates=rates)).reshape(size, size) for i in range(len(traj))]
    naive = [1 - np.sum(K * kernels[0]) / np.linalg.norm(K) / np.linalg.norm(kernels[0]) for K in kernels]
    ours = metrics.kernel_distance(traj)
    assert np.allclose(ours, naive, atol=1e-14)
    assert float(ours[0]) == 0
    assert np.allclose(metrics.kernel_distance(traj.end, traj.start, X, rates), ours[-1], rtol=1e-10)
    assert np.allclose(metrics.kernel_alignment(traj), 1 - ours)
    assert np.allclose(metrics.kernel_growth(traj), [np.linalg.norm(K) / np.linalg.norm(kernels[0]) for K in kernels])
    if isinstance(traj.start, lr.Linearized):
        assert np.all(ours == 0)


def test_tiny_kernel_distances_keep_their_digits():
    """K + εN with N ⟂ K: the distance is ε²/2 to leading order, far below what 1 − cosine can resolve."""
    K = np.diag([1.0, 2.0])
    N = np.array([[0.0, 1.0], [1.0, 0.0]]) * np.sqrt(5 / 2)
    for size in (1e-3, 1e-6, 1e-9):
        assert float(cosine_distance(jnp.asarray(K + size * N), jnp.asarray(K))) == pytest.approx(size**2 / 2, rel=1e-5)
    assert float(cosine_distance(jnp.asarray(N), jnp.asarray(K))) == pytest.approx(1)
    assert float(cosine_distance(jnp.asarray(-K), jnp.asarray(K))) == pytest.approx(2)
    for scale in (1e-200, 1e200):
        assert float(cosine_distance(jnp.asarray(scale * (K + N)), jnp.asarray(K))) == pytest.approx(1 - 1 / np.sqrt(2))


@pytest.mark.parametrize("scale", [1e-160, 1e-80, 1e80, 1e160])
def test_metrics_of_networks_far_from_one(scale):
    """Those without a unit are the same; the others scale, or are refused where float64 does not hold them."""
    draw = np.random.default_rng(0)
    X, (W0, W1), (a0, a1) = draw.normal(size=(4, 3)), draw.normal(size=(2, 5, 3)), draw.normal(size=(2, 5))
    free = {
        "kernel_distance": lambda A, B: metrics.kernel_distance(A, B, X),
        "kernel_growth": lambda A, B: metrics.kernel_growth(A, B, X),
        "kernel_split": lambda A, B: jnp.stack(metrics.kernel_split(A, B, X)),
        "target_alignment": lambda A, B: metrics.target_alignment(A, np.ones(4), X),
        "relative_distance": metrics.relative_distance,
        "relative_layer_distance": metrics.relative_layer_distance,
        "neuron_alignment": lambda A, B: metrics.neuron_alignment(A, scale * W0[:2]),
        "hamming_distance": lambda A, B: metrics.hamming_distance(A, B, X),
        "conservation_drift": lambda A, B: jnp.stack(list(metrics.conservation_drift(A, B).values())),
        "effective_rank": lambda A, B: metrics.effective_rank(A, 1),
        "stable_rank": lambda A, B: metrics.stable_rank(A, 1),
    }
    units = {  # and the power of the scale
        "parameter_distance": (metrics.parameter_distance, 1),
        "layer_distance": (metrics.layer_distance, 1),
        "singular_values": (lambda A, B: metrics.singular_values(A, 1), 1),
        "function_distance": (lambda A, B: metrics.function_distance(A, B, X), 2),
        "linearization_gap": (lambda A, B: metrics.linearization_gap(A, B, X), 2),
    }
    nets = [(lr.TwoLayer(s * W1, s * a1), lr.TwoLayer(s * W0, s * a0)) for s in (1.0, scale)]
    for name, metric in free.items():
        ones, far = (np.asarray(metric(*pair)) for pair in nets)
        np.testing.assert_allclose(far, ones, rtol=1e-9, atol=1e-13, err_msg=name)
    for name, (metric, power) in units.items():
        if power == 2 and abs(np.log10(scale)) > 150:
            for call in (metric, jax.jit(metric)):
                with pytest.raises(Exception, match="is a number that float64 does not hold"):
                    jax.block_until_ready(call(*nets[1]))
        else:
            ones, far = (np.asarray(metric(*pair)) for pair in nets)
            np.testing.assert_allclose(far, ones * scale**power, rtol=1e-9, err_msg=name)
    linear = [lr.DeepLinear([s * W1, s * a1[None]]) for s in (1.0, scale)]
    for metric in (metrics.effective_rank, metrics.stable_rank, metrics.layer_ratio):
        np.testing.assert_allclose(metric(linear[1]), metric(linear[0]), rtol=1e-9)
    target = [metrics.mode_alignment(net, draw.normal(size=(3, 1)) * 0 + X[0][:, None]) for net in linear]
    np.testing.assert_allclose(target[1], target[0], rtol=1e-9)
    assert float(metrics.effective_rank(lr.DeepLinear([1e308 * np.eye(2)]))) == pytest.approx(2)


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_velocities_far_from_one(scale):
    def at(s):
        net = lr.DeepLinear([[[0.1 * s, 0.3 * s]], [[0.7 * s]]])
        return lr.exact(lr.GradientFlow(net, lr.Problem(np.eye(2), [0.0, s * s])), np.array([0.0, 1.0]) / s**2)

    one, far = at(1.0), at(scale)
    np.testing.assert_allclose(metrics.kernel_velocity(far), metrics.kernel_velocity(one) * scale**2, rtol=1e-9)
    np.testing.assert_allclose(metrics.learning_speed(far), metrics.learning_speed(one) * scale**3, rtol=1e-9)


def test_trajectories_at_other_times_are_not_compared():
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.2], 1.0), lr.Problem(np.eye(2), [0.0, 1.0], kappa=1e9))
    one, other = lr.exact(flow, [0.0, 1e-9]), lr.exact(flow, [0.0, 9e-9])
    with pytest.raises(ValueError, match="the two trajectories have different times"):
        metrics.function_distance(one, other)


def test_zero_kernels():
    zero, some = lr.DeepLinear([np.zeros((2, 3)), np.zeros((1, 2))]), NETWORKS["wide"][0]
    some = lr.DeepLinear([some.weights[0][:2], some.weights[1][:1, :2]])
    X = rng.normal(size=(4, 3))
    assert float(metrics.kernel_distance(some, zero, X)) == 1
    assert float(metrics.kernel_distance(zero, zero, X)) == 0


def test_kernel_velocity_is_a_derivative():
    net, rates = NETWORKS["wide"]
    flow = lr.GradientFlow(net, make_problem(net), rates)
    traj = lr.integrate(flow, [0.5 - 1e-4, 0.5, 0.5 + 1e-4])
    K = [flow.ntk(traj[i]) for i in range(3)]
    numeric = jnp.linalg.norm((K[2] - K[0]).ravel()) / 2e-4 / jnp.linalg.norm(K[1].ravel())
    assert float(metrics.kernel_velocity(traj)[1]) == pytest.approx(float(numeric), rel=1e-5)


def test_target_alignment():
    net, _ = NETWORKS["relu"]
    X, y = rng.normal(size=(5, 3)), rng.normal(size=5)
    K = net.ntk(jnp.asarray(X))
    expected = np.sum(K * np.outer(y, y)) / np.linalg.norm(K) / np.linalg.norm(np.outer(y, y))
    assert float(metrics.target_alignment(net, y, X)) == pytest.approx(expected)
    with pytest.raises(ValueError, match="has no labels"):
        metrics.target_alignment(net)


def test_hamming_distance():
    net, _ = NETWORKS["relu"]
    X = rng.normal(size=(50, 3))
    flipped = lr.TwoLayer(net.W.at[0].multiply(-1), net.a)
    assert float(metrics.hamming_distance(flipped, net, X)) == pytest.approx(1 / 5)
    assert float(metrics.hamming_distance(trajectory("relu"))[0]) == 0
    with pytest.raises(TypeError, match="belong to TwoLayer networks; found DeepLinear"):
        metrics.hamming_distance(NETWORKS["wide"][0], NETWORKS["wide"][0], X)


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_parameter_distances(name):
    net = NETWORKS[name][0]
    other = moved(net)
    apart = [
        np.sqrt(sum(np.sum((a - b) ** 2) for a, b in zip(jax.tree.leaves(p), jax.tree.leaves(q), strict=True)))
        for p, q in zip(other.layers, net.layers, strict=True)
    ]
    size = [np.linalg.norm(np.concatenate([leaf.ravel() for leaf in jax.tree.leaves(p)])) for p in net.layers]
    assert np.allclose(metrics.layer_distance(other, net), apart)
    assert np.allclose(metrics.relative_layer_distance(other, net), np.array(apart) / size)
    assert np.allclose(metrics.parameter_distance(other, net), np.linalg.norm(apart))
    assert np.allclose(metrics.relative_distance(other, net), np.linalg.norm(apart) / np.linalg.norm(size))


def test_distances_at_extreme_scales():
    for scale in (1e-200, 1e200):
        a, b = lr.DeepLinear([[[scale, 0.0]]]), lr.DeepLinear([[[0.0, scale]]])
        assert float(metrics.parameter_distance(a, b)) == pytest.approx(np.sqrt(2) * scale)
        assert float(metrics.relative_distance(a, b)) == pytest.approx(np.sqrt(2))


def test_function_distance_and_linearization_gap():
    traj = trajectory("wide")
    outputs = np.asarray(traj.outputs)
    assert np.allclose(metrics.function_distance(traj), np.sqrt(np.mean((outputs - outputs[0]) ** 2, axis=(1, 2))))
    lazy = lr.descend(traj.flow.linearize(), steps=20, lr=0.01)
    gap = metrics.function_distance(traj, lazy)
    assert np.allclose(gap, np.sqrt(np.mean((outputs - np.asarray(lazy.outputs)) ** 2, axis=(1, 2))))
    assert np.all(metrics.linearization_gap(lazy) < 1e-14)
    net, other = traj.start, moved(traj.start, size=0.3)
    X = traj.flow.problem.X
    W, V = net.weights
    W1, V1 = other.weights
    tangent = X @ (V @ W + V @ (W1 - W) + (V1 - V) @ W).T
    expected = np.sqrt(np.mean((other(X) - tangent) ** 2))
    assert float(metrics.linearization_gap(other, net, X)) == pytest.approx(float(expected))
    with pytest.raises(ValueError, match="different times"):
        metrics.function_distance(traj, lazy[:3])


def test_functions_of_different_kinds_of_networks():
    X = rng.normal(size=(4, 3))
    neuron, relu = lr.inits.neuron([1.0, 2.0, 3.0]), lr.TwoLayer([[1.0, 2.0, 3.0]], [1.0], negative_slope=1.0)
    assert float(metrics.function_distance(neuron, relu, X)) < 1e-14
    with pytest.raises(ValueError, match=r"\(3, 1\) and \(3, 2\) cannot be compared"):
        metrics.function_distance(neuron, NETWORKS["wide"][0], X)


def test_drift_does_not_depend_on_the_unit_of_the_rates():
    net, _ = NETWORKS["wide"]
    problem = make_problem(net)
    drifts = [
        metrics.conservation_drift(lr.descend(lr.GradientFlow(net, problem, (r, r)), steps=20, lr=0.02 / r))["Delta_1"]
        for r in (1.0, 1e-6)
    ]
    assert np.allclose(drifts[0], drifts[1], rtol=1e-6)


def test_learning_speed():
    traj = trajectory("deep")
    field = traj.flow.vector_field(traj[3].layers)
    assert np.allclose(metrics.learning_speed(traj)[3], [np.linalg.norm(layer) for layer in field])


def test_conservation_drift():
    net, rates = NETWORKS["wide"]
    grown = lr.DeepLinear([net.weights[0], 2 * net.weights[1]])
    drift = metrics.conservation_drift(grown, net, rates)["Delta_1"]
    before, after = (n.conserved_quantities(rates)["Delta_1"] for n in (net, grown))
    squares = [max(rates) * np.max(np.abs(w)) ** 2 for w in (*net.weights, *grown.weights)]
    biggest = max(np.max(np.abs(before)), *squares)
    assert float(drift) == pytest.approx(float(np.max(np.abs(after - before)) / biggest))
    stuck = lr.Diagonal([[[0.0, 1.0], [1.0, 1.0]]], power=3)  # a weight at zero: the law is infinite, and stays
    assert float(metrics.conservation_drift(stuck, stuck)["c"]) == 0


def test_spectra():
    traj = trajectory("wide")
    s = np.linalg.svd(np.asarray(traj.beta), compute_uv=False)
    assert np.allclose(metrics.singular_values(traj), s)
    assert np.allclose(metrics.singular_values(traj.start, layer=1), np.linalg.svd(traj.start.weights[0])[1])
    p = s / s.sum(axis=1, keepdims=True)
    assert np.allclose(metrics.effective_rank(traj), np.exp(-np.sum(p * np.log(p), axis=1)))
    assert np.allclose(metrics.stable_rank(traj), np.sum(s**2, axis=1) / s[:, 0] ** 2)
    zero = lr.DeepLinear([np.zeros((2, 2))])
    assert float(metrics.effective_rank(zero)) == float(metrics.stable_rank(zero)) == 0
    with pytest.raises(ValueError, match="layer must be a whole number, between 1 and 2; found 3"):
        metrics.singular_values(traj, layer=3)


def test_modes():
    target = rng.normal(size=(4, 3))
    net = lr.inits.aligned(target, [0.3, 0.2, 0.1], depth=3)
    assert np.allclose(metrics.mode_alignment(net, target), 1)
    assert np.allclose(metrics.mode_strengths(net, target), [0.3, 0.2, 0.1])
    other = lr.DeepLinear([rng.normal(size=(3, 4))])
    assert np.all(np.asarray(metrics.mode_alignment(other, target)) < 1)
    with pytest.raises(ValueError, match="has no target"):
        metrics.mode_strengths(net)


def test_neuron_alignment():
    net = lr.TwoLayer([[3.0, 0.0], [0.0, 0.0], [1.0, 1.0]], [1.0, 1.0, 1.0])
    assert np.allclose(metrics.neuron_alignment(net, [2.0, 0.0]), [[1.0], [0.0], [np.sqrt(0.5)]])


def test_misuse_is_explained():
    net = NETWORKS["wide"][0]
    with pytest.raises(ValueError, match="pass start="):
        metrics.parameter_distance(net)
    with pytest.raises(ValueError, match="pass X="):
        metrics.kernel_distance(net, net)
    with pytest.raises(TypeError, match="need a Trajectory or a network; found int"):
        metrics.parameter_distance(3, net)
    with pytest.raises(TypeError, match="need a Trajectory or a network; found int"):
        metrics.singular_values(3)


def test_metrics_go_through_jit_and_grad():
    net, rates = NETWORKS["wide"]
    X = jnp.asarray(rng.normal(size=(4, 3)))
    other = moved(net)
    plain = metrics.kernel_distance(other, net, X, rates)
    assert distance(jax.jit(lambda a: metrics.kernel_distance(a, net, X, rates))(other), plain) < 1e-15
    slope = jax.grad(lambda layers: metrics.kernel_distance(other.with_layers(layers), net, X, rates))(other.layers)
    assert all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in slope)


def test_what_cannot_be_measured_is_refused():
    net, other = lr.DeepLinear([np.ones((2, 3)), np.ones((1, 2))]), lr.DeepLinear([np.ones((1, 3))])
    X = np.ones((4, 3))
    for wrong, error, reason in [
        (lambda: metrics.kernel_distance(None, net, X), TypeError, "need a Trajectory or a network; found NoneType"),
        (lambda: metrics.kernel_distance(net, "a", X), TypeError, "start must be a lazyrich network; found str"),
        (
            lambda: metrics.kernel_distance(net, net, np.ones((4, 2))),
            ValueError,
            "takes 3 inputs, but X has 2 features",
        ),
        (lambda: metrics.parameter_distance(net, other), ValueError, r"parameters of shapes .* cannot be compared"),
        (lambda: metrics.kernel_velocity(net), TypeError, "need a Trajectory; found DeepLinear"),
        (lambda: metrics.learning_speed(net), TypeError, "need a Trajectory; found DeepLinear"),
        (
            lambda: metrics.target_alignment(net, y=[1.0], X=X),
            ValueError,
            "one label per row of X and output, 4; found 1",
        ),
        (lambda: metrics.target_alignment(net, y="ab", X=X), ValueError, "y must be a real array; found str"),
        (lambda: metrics.singular_values(net, layer=1.5), ValueError, "layer must be a whole number, between 1 and 2"),
        (lambda: metrics.singular_values(net, layer=True), ValueError, "layer must be a whole number, between 1 and 2"),
        (lambda: metrics.mode_alignment(net, np.ones(2)), ValueError, r"shape \(d, c\) = \(3, 1\) .* found \(2, 1\)"),
        (lambda: metrics.neuron_alignment(net, np.ones(2)), ValueError, "directions must have 3 entries each; found 2"),
        (lambda: net(np.ones((4, 2))), ValueError, r"takes 3 inputs; found X of shape \(4, 2\)"),
        (lambda: net("a"), ValueError, "X must be a real array; found str"),
    ]:
        with pytest.raises(error, match=reason):
            wrong()
