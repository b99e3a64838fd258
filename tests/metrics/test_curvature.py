"""The sharpness against the eigenvalues of the dense Hessian."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

import lazyrich as lr
from lazyrich._core.lanczos import largest_eigenvalue
from lazyrich.metrics import sharpness
from lazyrich.networks.network import LinearNetwork

rng = np.random.default_rng(0)
X, y = rng.normal(size=(9, 4)), rng.normal(size=9)
PROBLEM = lr.Problem(X, y, kappa=1 / 9)


def dense(flow):
    """The whole spectrum of √η ∇²(objective) √η, by automatic differentiation of the loss itself."""
    z, unravel = ravel_pytree(flow.net.layers)
    sizes = [sum(leaf.size for leaf in jax.tree.leaves(layer)) for layer in flow.net.layers]
    roots = np.repeat(np.sqrt([float(rate) for rate in flow.rates]), sizes)
    hessian = jax.hessian(lambda z: flow.objective(flow.net.with_layers(unravel(z))))(z)
    return np.linalg.eigvalsh(roots[:, None] * np.asarray(hessian) * roots)


class Squares(LinearNetwork):
    """β = w², which cannot have a sign."""

    w: Float[Array, " d"]

    @property
    def beta(self):
        return self.w**2


FLOWS = {
    "diagonal": lr.GradientFlow(lr.Diagonal(list(rng.normal(size=(2, 2, 4)))), PROBLEM, (0.5, 2.0)),
    "linear": lr.GradientFlow(lr.inits.gaussian(jax.random.key(0), (4, 6, 5, 1), 0.6), PROBLEM),
    "relu": lr.GradientFlow(lr.TwoLayer(rng.normal(size=(12, 4)), rng.normal(size=12)), PROBLEM, (1.0, 0.1)),
    "decayed": lr.GradientFlow(lr.TwoLayer(rng.normal(size=(5, 4)), rng.normal(size=5)), PROBLEM, None, (0.3, 0.1)),
    "logistic": lr.GradientFlow(lr.inits.tied_diagonal(4, 0.7), lr.Problem(X, np.sign(y), lr.Logistic())),
    # all eigenvalues come in pairs: two equal coordinates, and both signs alike
    "degenerate": lr.GradientFlow(lr.inits.tied_diagonal(4, 0.7), lr.Problem(np.eye(4), np.zeros(4))),
    # at the saddle of a product: eigenvalues ±σ
    "saddle": lr.GradientFlow(lr.DeepLinear([np.zeros((3, 4)), np.zeros((1, 3))]), PROBLEM),
    "one parameter": lr.GradientFlow(lr.DeepLinear([[[0.3]]]), lr.Problem([[2.0]], [1.0])),
    "flat": lr.GradientFlow(lr.DeepLinear([np.zeros((3, 4)), np.zeros((2, 3)), np.zeros((1, 2))]), PROBLEM),
    # a maximum along all directions but one: the largest curvature is far below the largest in absolute value
    "mostly negative": lr.GradientFlow(
        Squares(np.array([0.1, 0.2, 0.3, 0.1])), lr.Problem(X, X @ [9.0, 5.0, 1.0, 3.0])
    ),
}


@pytest.mark.parametrize("name", FLOWS)
def test_against_the_dense_hessian(name):
    spectrum = dense(FLOWS[name])
    size = max(abs(spectrum[0]), abs(spectrum[-1]))
    assert abs(float(sharpness(FLOWS[name])) - spectrum[-1]) <= 1e-8 * size
    inside = jax.jit(lambda net: sharpness(FLOWS[name].with_net(net)))(FLOWS[name].net)
    assert abs(float(inside) - spectrum[-1]) <= 1e-10 * size


def test_the_examples_are_what_they_are_called():
    degenerate, saddle, negative = (dense(FLOWS[name]) for name in ("degenerate", "saddle", "mostly negative"))
    assert degenerate[-1] - degenerate[-2] < 1e-12
    assert saddle[0] == pytest.approx(-saddle[-1])
    assert np.max(np.abs(dense(FLOWS["flat"]))) == 0
    assert -negative[0] > 1.2 * negative[-1]


def test_along_a_trajectory_and_under_transformations():
    flow = FLOWS["linear"]
    run = lr.descend(flow, 60, 0.05, every=20)
    found = sharpness(run)
    expected = [dense(flow.with_net(run[i]))[-1] for i in range(4)]
    assert np.allclose(found, expected, rtol=1e-9)
    assert np.allclose(jax.jit(lambda s: sharpness(lr.descend(flow, 60, s, every=20)))(0.05), expected, rtol=1e-9)

    def scaled(c):
        return sharpness(flow.with_net(flow.net.with_layers(tuple(c * W for W in flow.net.layers))))

    numeric = (scaled(1 + 1e-6) - scaled(1 - 1e-6)) / 2e-6
    assert float(jax.grad(scaled)(1.0)) == pytest.approx(float(numeric), rel=1e-6)
    assert np.allclose(jax.vmap(scaled)(jnp.array([1.0, 0.5])), [scaled(1.0), scaled(0.5)], rtol=1e-9)


def test_random_operators():
    """Clusters at the top, negative and huge parts below, and dimensions up to 300."""
    for seed in range(30):
        r = np.random.default_rng(seed)
        p = int(r.integers(1, 300))
        values = r.normal(size=p) * 10 ** r.uniform(-3, 3, size=p)
        values[: p // 3] = np.max(values) * (1 - 10 ** r.uniform(-12, 0, size=p // 3))
        Q = np.linalg.qr(r.normal(size=(p, p)))[0]
        A = Q * values @ Q.T
        found = largest_eigenvalue(lambda v, A=A: A @ v, r.normal(size=p), np.dot)
        assert abs(found - np.max(values)) <= 1e-8 * np.max(np.abs(values))


def test_bad_input_is_refused():
    with pytest.raises(TypeError, match="sharpness takes a Trajectory or a GradientFlow; found DeepLinear"):
        sharpness(FLOWS["linear"].net)
    wide = lr.GradientFlow(lr.inits.gaussian(jax.random.key(0), (4, 201, 1), 0.6), PROBLEM)
    with pytest.raises(ValueError, match="forms the Hessian of at most 1000 parameters; the network has 1005"):
        jax.jit(lambda net: sharpness(wide.with_net(net)))(wide.net)
    far = lr.GradientFlow(lr.inits.tied_diagonal(4, 1e160), PROBLEM)
    with pytest.raises(ValueError, match="the curvature is NaN, or beyond the range of floating point"):
        sharpness(far)
    with pytest.warns(UserWarning, match="after 2000 products the largest curvature has converged only to"):
        largest_eigenvalue(lambda v: v * np.linspace(0, 1, 4000), np.ones(4000), np.dot, 0.0)
