"""Online SGD: its equations in many dimensions against quadrature, the population flow, and simulated runs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance, normal
from scipy.special import erf

import lazyrich as lr
from lazyrich.numerics.online_flow import _Overlaps

TEACHER = lr.TwoLayerErf(normal((9, 0), 2, 5), [1.0, 0.7])
STUDENT = lr.TwoLayerErf(0.5 * normal((9, 1), 3, 5), 0.5 * normal((9, 2), 3))


def test_without_noise_it_is_the_population_flow():
    population = lr.Population(TEACHER, kappa=0.8)
    flow = lr.GradientFlow(STUDENT, population, rates=(1.2, 0.6), decay=(0.01, 0.03))
    times = [0.0, 1.0, 6.0]
    found, traj = lr.online_flow(flow, times, 0.0), lr.integrate(flow, times)
    W = traj.nets.W
    assert distance(found.loss, traj.loss) < 1e-8
    assert distance(found.student, jnp.einsum("tid,tkd->tik", W, W)) < 1e-8
    assert distance(found.teacher, jnp.einsum("tid,md->tim", W, TEACHER.W)) < 1e-8
    assert distance(found.outer, traj.nets.a) < 1e-8


@pytest.mark.parametrize("label_noise", [0.0, 0.6])
def test_the_covariance_of_gradients_is_that_of_quadrature_in_the_plane(label_noise):
    W, a = normal((3, 0), 3, 2), normal((3, 1), 3)
    W[1] = W[0]  # identical units
    U, v = normal((4, 0), 2, 2), normal((4, 1), 2)
    field = _Overlaps(jnp.asarray(v), (1.0, 1.0), (0.0, 0.0), 1.0, 1.0, label_noise)
    Z = jnp.concatenate([W, U])
    found = field._gradient_covariance(Z @ Z.T, jnp.asarray(a))
    x, w = np.polynomial.hermite_e.hermegauss(160)
    points = np.stack(np.meshgrid(x, x), -1).reshape(-1, 2)
    weights = np.outer(w, w).ravel() / (2 * np.pi)
    g, slope = lambda z: erf(z / np.sqrt(2)), lambda z: np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2)
    error = g(points @ W.T) @ a - g(points @ U.T) @ v
    push = slope(points @ W.T) * a
    right = np.einsum("n,ni,nk->ik", weights * (error**2 + label_noise**2), push, push)
    assert distance(found, right) < 1e-10


def simulate(flow, lr_d, label_noise, steps, runs, rng):
    """Take the steps of online SGD in NumPy, many runs at once; return Q, R and a at the end of each."""
    U, v = (np.asarray(part) for part in (flow.problem.teacher.W, flow.problem.teacher.a))
    W, a = (np.repeat(np.asarray(part)[None], runs, 0) for part in (flow.net.W, flow.net.a))
    d = U.shape[1]
    for _ in range(steps):
        x = rng.normal(size=(runs, d))
        z = np.einsum("rhd,rd->rh", W, x)
        hidden, slope = erf(z / np.sqrt(2)), np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2)
        error = np.sum(a * hidden, axis=1) - erf(x @ U.T / np.sqrt(2)) @ v - label_noise * rng.normal(size=runs)
        push = lr_d / d * error[:, None]
        W, a = W - (push * a * slope)[:, :, None] * x[:, None], a - push * hidden
    return np.einsum("rid,rkd->rik", W, W), W @ U.T, a


def test_simulated_runs_follow_it():
    d, lr_d, label_noise, runs, rng = 300, 1.0, 0.2, 24, np.random.default_rng(0)
    U = np.linalg.qr(rng.normal(size=(d, 2)))[0].T
    W = 0.5 * np.linalg.qr(rng.normal(size=(d, 3)))[0].T + 0.2 * U[[0, 0, 1]]
    flow = lr.GradientFlow(lr.TwoLayerErf(W, [0.6, 0.5, 0.4]), lr.Population(lr.TwoLayerErf(U, [1.0, 0.7])))
    drawn = simulate(flow, lr_d, label_noise, 2 * d, runs, rng)
    found = lr.online_flow(flow, [2.0 * lr_d], lr_d, label_noise=label_noise)
    without = lr.online_flow(flow, [2.0 * lr_d], 0.0)
    parts = ((now.student[-1], now.teacher[-1], now.outer[-1]) for now in (found, without))
    off = []
    for one, right, other in zip(drawn, *parts, strict=True):
        error, spread = one.mean(axis=0) - right, one.std(axis=0, ddof=1) / np.sqrt(runs)
        assert np.all(np.abs(error) < 4 * spread + 1 / d)
        off.append(np.max(np.abs(one.mean(axis=0) - other) / spread))
    assert max(off) > 15  # the noise of the steps matters


def test_fresh_batches_of_a_population():
    flow = lr.GradientFlow(STUDENT, lr.Population(TEACHER))
    keys = jax.random.split(jax.random.key(0), 4000)
    ends = jax.vmap(lambda key: lr.descend(flow, 1, lr=0.1, batch=2, key=key).end.layers[0])(keys)
    exact = lr.descend(flow, 1, lr=0.1).end.layers[0]
    error, spread = np.mean(ends, axis=0) - exact, np.std(ends, axis=0, ddof=1) / np.sqrt(len(keys))
    assert np.all(np.abs(error) < 4 * spread)
    assert np.max(spread) > 1e-4
    with pytest.raises(ValueError, match="label noise on infinite data needs samples: pass batch=1"):
        lr.descend(flow, 3, lr=0.1, label_noise=0.1, key=keys[0])


def test_derivatives_and_extremes():
    flow = lr.GradientFlow(STUDENT, lr.Population(TEACHER))
    last = lambda lr_d: lr.online_flow(flow, [3.0], lr_d).loss[-1]  # noqa: E731
    slope = jax.jit(jax.grad(last))(0.5)
    assert abs(slope - (last(0.5 + 1e-4) - last(0.5 - 1e-4)) / 2e-4) < 1e-6 * abs(slope)
    resting = lr.GradientFlow(lr.TwoLayerErf(np.zeros((2, 5)), [0.0, 0.0]), lr.Population(TEACHER))
    assert np.max(np.abs(lr.online_flow(resting, [2.0], 1.0).outer)) == 0


def test_refusals():
    flow = lr.GradientFlow(STUDENT, lr.Population(TEACHER))
    with pytest.raises(ValueError, match="lr_d, the learning rate times the dimension, must not be negative; found -1"):
        lr.online_flow(flow, [1.0], -1.0)
    with pytest.raises(Exception, match="the overlaps leave the range of float64"):
        lr.online_flow(flow, [1e9], 1e308).loss.block_until_ready()
    relu = lr.TwoLayer(np.eye(2, 5), [1.0, 1.0])
    for student, population in ((STUDENT, lr.Population(relu)), (relu, lr.Population(TEACHER))):
        with pytest.raises(TypeError, match=r"closed forms for two-layer networks of erf units.*found"):
            lr.online_flow(lr.GradientFlow(student, population), [1.0], 0.1)
    with pytest.raises(TypeError, match="a Problem"):
        lr.online_flow(lr.GradientFlow(STUDENT, lr.Problem(np.eye(5), np.ones(5))), [1.0], 0.1)
    with pytest.raises(ValueError, match="inputs of covariance I"):
        lr.online_flow(lr.GradientFlow(STUDENT, lr.Population(TEACHER, covariance=2 * np.eye(5))), [1.0], 0.1)
