"""Infinite width in closed form: against quadrature, Monte Carlo over wide networks, and hand calculation."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from lazyrich.jax import infinite, tangent_kernel
from tests.jax_models.jax_zoo import normal

X = jnp.asarray(normal(40, 4, 3))
ACTIVATIONS = {
    "relu": (infinite.relu, jax.nn.relu),
    "leaky": (infinite.leaky_relu(0.3), lambda z: jnp.where(z > 0, z, 0.3 * z)),
    "absolute": (infinite.absolute, jnp.abs),
    "erf": (infinite.erf, jax.scipy.special.erf),
    "linear": (infinite.linear, lambda z: z),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_moments_against_quadrature(name):
    """Of φ(u)φ(v) and φ′(u)φ′(v), by polar coordinates of two independent normal variables."""
    activation, phi = ACTIVATIONS[name]
    uu, vv, uv = 1.7, 0.6, -0.5
    L = np.linalg.cholesky([[uu, uv], [uv, vv]])
    nodes, weights = np.polynomial.legendre.leggauss(80)
    angle = np.linspace(0, 2 * np.pi, 20_001)[:-1]
    r, w = 4.5 * (nodes + 1), 4.5 * weights
    plane = np.stack([np.cos(angle), np.sin(angle)])[:, None] * r[:, None]
    u, v = np.tensordot(L, plane, 1)
    density = (w * r * np.exp(-(r**2) / 2))[:, None] / len(angle)
    slope = jax.vmap(jax.vmap(jax.grad(phi)))
    assert activation.moment(uu, vv, uv) == pytest.approx(float((density * phi(u) * phi(v)).sum()), rel=1e-5)
    found = float((density * slope(u) * slope(v)).sum())
    assert activation.derivative_moment(uu, vv, uv) == pytest.approx(found, rel=1e-3)


def network(phi, weight, bias):
    def f(params, x):
        h = x
        for l, (W, b) in enumerate(params):
            h = weight / np.sqrt(len(W)) * ((phi(h) if l else h) @ W) + bias * b
        return h

    return f


def drawn(seed, widths):
    rng = np.random.default_rng(seed)
    return [(rng.normal(size=sizes), rng.normal(size=sizes[1:])) for sizes in pairwise(widths)]


@pytest.mark.parametrize("name", [n if n == "relu" else pytest.param(n, marks=pytest.mark.slow) for n in ACTIVATIONS])
def test_wide_networks_come_to_it(name):
    """Kernels of networks of width 400, in the mean over seeds, with layer-wise rates; and how their outputs spread."""
    activation, phi = ACTIVATIONS[name]
    weight, bias, rates = 1.3, 0.4, (0.5, 2.0, 0.7)
    f = jax.jit(network(phi, weight, bias))
    wanted = infinite.mlp(3, activation, weight=weight, bias=bias, rates=rates)(X)
    named = {str(l): rate for l, rate in enumerate(rates)}
    found = np.stack([tangent_kernel(f, drawn(seed, (3, 400, 400, 1)), X, rates=named) for seed in range(10)])
    spread, size = np.std(found, 0) / np.sqrt(9), np.abs(wanted.ntk).max()
    assert np.all(np.abs(found.mean(0) - wanted.ntk) < 4 * spread + 0.01 * size)
    assert np.all(spread < 0.05 * size)
    outputs = np.stack([f(drawn(seed, (3, 60, 60, 1)), X)[:, 0] for seed in range(800)])
    np.testing.assert_allclose(np.cov(outputs.T), wanted.nngp, atol=0.2 * np.abs(wanted.nngp).max())


def test_one_layer_is_linear_regression_and_rates_pick_layers():
    x2 = jnp.asarray(normal(41, 2, 3))
    K = 1.7**2 * X @ x2.T / 3 + 0.25
    found = infinite.mlp(1, weight=1.7, bias=0.5, rates=(3.0,))(X, x2)
    np.testing.assert_allclose(found.nngp, K)
    np.testing.assert_allclose(found.ntk, 3 * K)
    parts = [infinite.mlp(3, rates=[float(k == l) for k in range(3)])(X).ntk for l in range(3)]
    np.testing.assert_allclose(sum(parts), infinite.mlp(3)(X).ntk)
    np.testing.assert_allclose(parts[-1], infinite.mlp(3)(X).nngp)  # only the last layer: random features


def test_relu_by_hand():
    """Two inputs at an angle θ: E φφ = ‖x‖‖x'‖ (sin θ + (π − θ) cos θ)/2π, E φ′φ′ = (π − θ)/2π (Cho & Saul 2009)."""
    theta = 0.7
    x = jnp.array([[2.0, 0.0], [3 * np.cos(theta), 3 * np.sin(theta)]])
    nngp, slope = 6 * (np.sin(theta) + (np.pi - theta) * np.cos(theta)) / (4 * np.pi), (np.pi - theta) / (2 * np.pi)
    found = infinite.mlp(2)(x)
    assert found.nngp[0, 1] == pytest.approx(nngp)
    assert found.ntk[0, 1] == pytest.approx(nngp + slope * 3 * np.cos(theta))


def test_diagonals_are_exact_in_single_precision():
    x = X.astype(jnp.float32)
    found, wanted = infinite.mlp(5)(x), infinite.mlp(5)(x.astype(jnp.float64))
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == jnp.float32
        np.testing.assert_allclose(np.diag(one), np.diag(other), rtol=2e-6)
        np.testing.assert_allclose(one, other, rtol=1e-4)


@pytest.mark.parametrize("name", ["relu", "erf"])
def test_jit_and_grad_go_through(name):
    kernels = jax.jit(infinite.mlp(3, ACTIVATIONS[name][0], bias=0.1))
    check_grads(lambda x: kernels(x).nngp, (X,), 1, rtol=1e-4, modes=["rev"])
    apart = 1 - np.eye(4)
    check_grads(lambda x: kernels(x).ntk * apart, (X,), 1, rtol=1e-4, modes=["rev"])
    assert np.isfinite(jax.grad(lambda x: kernels(x).ntk.sum())(X)).all()


def test_zero_inputs_and_scales():
    zero = jnp.zeros((2, 3))
    assert np.all(infinite.mlp(3)(zero).ntk == 0)
    for scale in (1e-150, 1e150):
        np.testing.assert_allclose(infinite.mlp(2)(scale * X).ntk / scale**2, infinite.mlp(2)(X).ntk, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: infinite.mlp(0), "depth must be a whole number, at least 1; found 0"),
        (lambda: infinite.mlp(2, rates=(1.0,)), "one for each of the 2 layers; found 1"),
        (lambda: infinite.mlp(2)(X, X[:, :2]), "as many features; found 3 and 2"),
        (lambda: infinite.mlp(2)(X[0]), r"shape \(samples, features\); found \(3,\)"),
        (lambda: infinite.mlp(2)(jnp.ones((2, 2), int)), "must be floating-point numbers"),
    ],
)
def test_mistakes_are_told(call, said):
    with pytest.raises(ValueError, match=said):
        call()
