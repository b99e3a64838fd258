"""The flow of a two-layer linear network in its predictor, against the raw equations of its layers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lazyrich as lr

TIMES = np.array([0.0, 0.4, 1.5, 6.0])
SCALES = [(1.0, 1.0), (1.7, 0.3), (0.3, 1.7), (2.0, 0.0), (0.02, 0.02)]
KEY = jax.random.key(0)


def data(loss, d, c, n):
    rng = np.random.default_rng(d + c + n)
    X = rng.normal(size=(n, d)) * rng.uniform(0.3, 2, d)
    y = rng.normal(size=(n, c))
    return lr.Problem(X, np.sign(y) if loss.is_margin_loss else y, loss, 1 / n)


def raw(flow, times):
    """Return the layers along time by SciPy on their own equations, in NumPy; every time is the end of a step."""
    (W, V), (first, second) = (np.asarray(W) for W in flow.net.weights), (float(rate) for rate in flow.rates)
    shrink = np.repeat([float(rate) for rate in flow.decay_rates], [W.size, V.size])
    X, y, kappa = np.asarray(flow.problem.X), np.asarray(flow.problem.y), float(flow.problem.kappa)

    def field(_, z):
        W1, W2 = z[: W.size].reshape(W.shape), z[W.size :].reshape(V.shape)
        f = X @ W1.T @ W2.T
        slope = -y / (1 + np.exp(y * f)) if flow.problem.loss.is_margin_loss else f - y
        G = kappa * slope.T @ X
        return -np.concatenate([first * (W2.T @ G).ravel(), second * (G @ W1.T).ravel()]) - shrink * z

    z, found = np.concatenate([W.ravel(), V.ravel()]), []
    for t, after in zip(np.append(0.0, times), times, strict=False):
        z = solve_ivp(field, (t, after), z, "DOP853", rtol=1e-12, atol=1e-14).y[:, -1] if after > t else z
        found.append(z)
    found = np.stack(found)
    return found[:, : W.size].reshape(-1, *W.shape), found[:, W.size :].reshape(-1, *V.shape)


def largest(a, b):
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize(
    ("loss", "d", "c", "n", "h"),
    [
        (lr.Square(), 5, 3, 4, 8),
        (lr.Logistic(), 4, 2, 30, 9),
        pytest.param(lr.Square(), 3, 6, 10, 64, marks=pytest.mark.slow),
        pytest.param(lr.Logistic(), 5, 1, 12, 512, marks=pytest.mark.slow),
    ],
)
def test_layers_against_the_raw_equations(loss, d, c, n, h, scales):
    flow = lr.GradientFlow(lr.inits.wide(KEY, d, h, c, *scales), data(loss, d, c, n), (0.7, 1.4))
    W, V = raw(flow, TIMES)
    traj = lr.integrate(flow, TIMES, rtol=1e-11)
    assert traj.by.detail.endswith("in the predictor")
    assert largest(traj.nets.weights[0], W) < 1e-9
    assert largest(traj.nets.weights[1], V) < 1e-9
    assert all(float(np.max(drift)) < 1e-9 for drift in lr.metrics.conservation_drift(traj).values())
    free = lr.integrate(flow, TIMES, hidden_rotation=False, rtol=1e-11)
    assert free.by.detail.endswith("in the predictor, hidden units up to a rotation")
    for one in (lambda W, V: V @ W, lambda W, V: W.swapaxes(1, 2) @ W, lambda W, V: V @ V.swapaxes(1, 2)):
        assert largest(one(*map(np.asarray, free.nets.weights)), one(W, V)) < 1e-9
    if d * c > 1 and h > d:  # there is something to rotate
        assert largest(free.nets.weights[0], W) > 1e-6
    assert largest(lr.metrics.kernel_distance(free), lr.metrics.kernel_distance(traj)) < 1e-9
    assert largest(lr.metrics.singular_values(free), lr.metrics.singular_values(traj)) < 1e-9


def test_the_width_does_not_matter():
    problem = data(lr.Square(), 4, 2, 9)
    paths = [
        lr.integrate(lr.GradientFlow(net, problem), TIMES)
        for net in (
            lr.inits.infinite_width(4, 2, 1.2, 0.4),
            lr.inits.wide(KEY, 4, 7, 2, 0.4, 1.2),
            lr.inits.wide(KEY, 4, 900, 2, 0.8, 0.8),
        )
    ]
    assert largest(paths[0].beta, paths[1].beta) < 1e-12
    assert largest(paths[0].beta, paths[2].beta) < 1e-12
    assert {traj.stats["steps"] for traj in paths} == {paths[0].stats["steps"]}


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("loss", [lr.Square(), pytest.param(lr.Logistic(), marks=pytest.mark.slow)])
def test_weight_decay_against_the_raw_equations(loss, scales):
    net, problem = lr.inits.wide(KEY, 5, 20, 2, *scales), data(loss, 5, 2, 6)
    flow = lr.GradientFlow(net, problem, (0.7, 1.4), decay=(0.2 / 0.7, 0.2 / 1.4))
    W, V = raw(flow, TIMES)
    traj = lr.integrate(flow, TIMES, rtol=1e-11)
    assert traj.by.detail.endswith("in the predictor")
    assert largest(traj.nets.weights[0], W) < 1e-9
    assert largest(traj.nets.weights[1], V) < 1e-9
    free = lr.integrate(flow, TIMES, hidden_rotation=False)
    assert largest(free.beta, traj.beta) < 1e-9
    assert "in the predictor" not in lr.integrate(lr.GradientFlow(net, problem, decay=(0.1, 0.2)), [0.1]).by.detail


def test_decay_for_a_very_long_time():
    """The scale s falls by e^{−2000}, and with it every mode below the decay; the others shrink by λ."""
    target = np.diag([2.0, 1.0, 0.2])
    flow = lr.GradientFlow(lr.inits.wide(KEY, 3, 8, 3, 2.0, 1.0), lr.Problem(np.eye(3), target), decay=0.5)
    end = lr.integrate(flow, [2e3]).end
    assert largest(end.beta, np.diag([1.5, 0.5, 0.0])) < 1e-8


def mode(sigma, s, t):
    """Return a = s sinh θ with θ′ = 2(σ − a) from θ = 0: e^θ solves a Riccati equation with the roots z₊ and −1/z₊."""
    z = (sigma + np.hypot(sigma, s)) / s
    decay = np.exp(-2 * np.hypot(sigma, s) * t)
    ratio = (1 - z) / (1 + 1 / z) * decay
    e = (z + ratio / z) / (1 - ratio)
    return s * (e - 1 / e) / 2


@pytest.mark.parametrize("size", [1e-3, 1e-8, 1e-60])
def test_small_modes_beside_large_ones_keep_their_clock(size):
    """On whitened inputs the modes are known, also while s is far below the rounding of those that are learned."""
    rng, strengths, times = np.random.default_rng(1), np.array([3.0, 1.0, 0.4, 0.1]), np.linspace(0, 12, 30)
    times = times * np.log(1 / size)
    U, V = (np.linalg.qr(rng.normal(size=(n, n)))[0] for n in (5, 4))
    problem = lr.Problem(np.eye(5), (U[:, :4] * strengths) @ V.T)
    flow = lr.GradientFlow(lr.inits.wide(KEY, 5, 12, 4, size, 0.2 * size), problem)
    wanted = [(U[:, :4] * mode(strengths, 0.6 * size, t)) @ V.T for t in times]
    assert largest(lr.integrate(flow, times, hidden_rotation=False).beta, wanted) < 2e-8


def test_whitened_inputs_have_a_closed_form():
    rng = np.random.default_rng(2)
    X = np.linalg.qr(rng.normal(size=(9, 4)))[0]
    for net in (lr.inits.wide(KEY, 4, 300, 2, 1.3, 0.4), lr.inits.infinite_width(4, 2, gamma=0.1)):
        flow = lr.GradientFlow(net, lr.Problem(X, rng.normal(size=(9, 2))), (0.5, 2.0))
        exact = lr.exact(flow, TIMES)
        assert exact.by.method == "aligned modes"
        for ours, known in zip(lr.integrate(flow, TIMES).nets.weights, exact.nets.weights, strict=True):
            assert largest(ours, known) < 1e-9


def test_stiff_flows_end_at_the_shortest_solution():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 6)) * np.array([1.0, 1.0, 0.1, 0.1, 0.01, 0.01])
    problem = lr.Problem(X, X @ rng.normal(size=(6, 3)))
    flow = lr.GradientFlow(lr.inits.wide(KEY, 6, 30, 3, 0.5, 2.0), problem)
    traj = lr.integrate(flow, [0.0, 1e3, 1e8])
    assert "Rodas" in traj.by.method
    assert largest(traj.beta[-1], problem.min_norm_solution) < 1e-6 * np.max(np.abs(problem.min_norm_solution))


def test_stopping_and_other_solvers():
    flow = lr.GradientFlow(lr.inits.wide(KEY, 4, 20, 2, gamma=3.0), data(lr.Square(), 4, 2, 3))
    traj = lr.integrate(flow, [1e6], until=lr.LossBelow(1e-12))
    assert float(traj.loss[-1]) <= 1e-12
    assert traj.stats["stopped early"]
    full, looser = lr.integrate(flow, TIMES), lr.integrate(flow, TIMES, solver=lr.RKC(), rtol=1e-8)
    assert largest(full.beta, looser.beta) < 1e-6


def test_other_starts_are_followed_in_their_layers():
    net = lr.inits.wide(KEY, 4, 20, 2, gamma=3.0)
    W, V = (np.asarray(layer) for layer in net.weights)
    problem = data(lr.Square(), 4, 2, 3)
    for bent in ((W + 1e-6 * np.eye(*W.shape), V), (W, V + 1e-6), (W * 1e9, V * 1e9), (0 * W, 0 * V)):
        flow = lr.GradientFlow(lr.DeepLinear(bent), problem)
        assert "in the predictor" not in lr.integrate(flow, [1e-3]).by.detail
    with pytest.raises(ValueError, match=r"orthogonal blocks \(inits.wide\); found layers off by .e-0. of their size"):
        lr.integrate(lr.GradientFlow(lr.DeepLinear([W, V + 1e-6]), problem), [1.0], hidden_rotation=False)
    diagonal = lr.GradientFlow(lr.inits.tied_diagonal(4, 0.1), lr.Problem(problem.X, problem.y[:, 0]))
    with pytest.raises(ValueError, match="found Diagonal, which is no two-layer linear network"):
        lr.integrate(diagonal, [1.0], hidden_rotation=False)
    # The reason was that layers "off by 1e-16 of their size" are no orthogonal blocks.
    with pytest.raises(ValueError, match=r"found layers that decay at different rates, 0\.1 and 0\.2"):
        lr.integrate(lr.GradientFlow(net, problem, decay=(0.1, 0.2)), [1.0], hidden_rotation=False)
    faint = lr.Problem(problem.X, 1e-12 * problem.y)
    with pytest.raises(ValueError, match="found labels so small beside the layers that rounding of the layers"):
        lr.integrate(lr.GradientFlow(net, faint), [1.0], hidden_rotation=False)
    with pytest.raises(ValueError, match="found a flow that is traced"):
        jax.jit(
            lambda y: lr.integrate(lr.GradientFlow(net, lr.Problem(problem.X, y)), [1.0], hidden_rotation=False).loss
        )(problem.y)


def test_traced_flows_are_followed_in_their_layers():
    problem = data(lr.Square(), 3, 1, 4)

    def loss(size):
        net = lr.inits.infinite_width(3, 1, size, size)
        return lr.integrate(lr.GradientFlow(net, problem), [0.5]).loss[0]

    slope, step = jax.grad(loss)(0.5), 1e-5
    assert float(slope) == pytest.approx(float(loss(0.5 + step) - loss(0.5 - step)) / (2 * step), rel=1e-6)
    assert jnp.isfinite(jax.jit(loss)(0.5))


def test_two_layer_networks_of_slope_one_are_linear():
    frame = np.linalg.qr(np.random.default_rng(0).normal(size=(9, 4)))[0]
    net = lr.TwoLayer(0.8 * frame[:, :3], 0.4 * frame[:, 3], negative_slope=1.0)
    X = np.random.default_rng(1).normal(size=(6, 3))
    traj = lr.integrate(lr.GradientFlow(net, lr.Problem(X, X @ [1.0, -1.0, 2.0])), TIMES)
    assert "in the predictor" in traj.by.detail
    assert traj.nets.W.shape == (4, 9, 3)
    deep = lr.GradientFlow(lr.DeepLinear([net.W, net.a[None]]), lr.Problem(X, X @ [[1.0], [-1.0], [2.0]]))
    W, V = raw(deep, TIMES)
    assert largest(traj.nets.W, W) < 1e-9
    assert largest(traj.nets.a[:, None], V) < 1e-9
