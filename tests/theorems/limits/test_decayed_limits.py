"""Limits under weight decay: convex programs, against solvers of another kind, and against long flows."""

import cvxpy as cp
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr
from lazyrich.potentials.nuclear_norm import nuclear_norm_regression
from lazyrich.potentials.penalized import lasso

TIGHT = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-13)
pytestmark = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")


def gap(X, y, penalty, beta, positive, negative):
    """The duality gap of the Lasso, relative to the loss at zero, by the formula of the dual program alone."""
    residual = y - X @ beta
    slope = X.T @ residual
    largest = max(np.max(slope[positive], initial=0.0), np.max(-slope[negative], initial=0.0))
    dual = residual * (min(1.0, penalty / largest) if largest > 0 else 1.0)
    price = 0.5 * residual @ residual + penalty * np.sum(np.abs(beta))
    return (price - (0.5 * y @ y - 0.5 * (y - dual) @ (y - dual))) / (0.5 * y @ y)


@pytest.mark.parametrize("kind", ["generic", "duplicated columns", "integers", "dead column", "signs"])
def test_the_lasso_closes_its_duality_gap(kind):
    rng = np.random.default_rng(len(kind))
    for _ in range(60):
        n, d = rng.integers(1, 9), rng.integers(1, 15)
        X, y, penalty = rng.normal(size=(n, d)), rng.normal(size=n), 10 ** rng.uniform(-8, 0.5)
        positive, negative = np.ones(d, bool), np.ones(d, bool)
        if kind == "duplicated columns":
            X[:, rng.integers(d)] = X[:, 0]
        elif kind == "integers":
            X = rng.integers(-2, 3, size=(n, d)).astype(float)
        elif kind == "dead column":
            X[:, rng.integers(d)] = 0.0
        elif kind == "signs":
            positive, negative = rng.random(d) < 0.7, rng.random(d) < 0.7
        beta = lasso(X, y, penalty, positive, negative).beta
        assert np.all(beta[~positive] <= 0)
        assert np.all(beta[~negative] >= 0)
        assert gap(X, y, penalty, beta, positive, negative) < 1e-11


@pytest.mark.parametrize("shape", [(6, 3, 2), (8, 5, 4), (3, 4, 4), (4, 6, 3)])
def test_the_nuclear_norm_program_equals_a_conic_solver(shape):
    n, d, c = shape
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) * np.logspace(0, -1, d)
    Y = X @ rng.normal(size=(d, 1)) @ rng.normal(size=(1, c)) + 0.1 * rng.normal(size=(n, c))
    beta, penalty = nuclear_norm_regression(X, Y, 0.1), 0.1
    B = cp.Variable((d, c))
    cp.Problem(cp.Minimize(0.5 * cp.sum_squares(X @ B - Y) + penalty * cp.normNuc(B))).solve(solver="CLARABEL", **TIGHT)
    assert np.max(np.abs(beta - B.value)) < 1e-5 * np.max(np.abs(beta))  # the conic solver's own accuracy
    slope = X.T @ (Y - X @ beta)
    assert np.linalg.norm(slope, 2) < penalty * (1 + 1e-9)
    assert np.vdot(slope, beta) == pytest.approx(penalty * np.linalg.norm(beta, "nuc"), rel=1e-10)


def test_on_whitened_inputs_singular_values_are_shrunk():
    net = lr.inits.gaussian(jax.random.key(1), (4, 8, 3))
    target = np.diag([3.0, 1.0, 0.2]) @ np.eye(3, 4)
    flow = lr.GradientFlow(net, lr.Problem(np.eye(4), target.T), decay=(0.25, 1.0))
    np.testing.assert_allclose(np.linalg.svd(lr.limit(flow).value)[1], [2.5, 0.5, 0.0], atol=1e-12)


def test_the_penalty_of_tied_and_untied_layers():
    """Of one tied layer it is λ/2, of two layers √(λ₁λ₂): seen on one coordinate, against integration."""
    problem = lr.Problem([[1.0]], [3.0])
    tied = lr.GradientFlow(lr.Diagonal([[[0.5], [0.4]]], power=2), problem, decay=1.0)
    untied = lr.GradientFlow(lr.Diagonal([[[0.5], [0.4]], [[0.3], [0.6]]]), problem, (1.0, 4.0), decay=(1.0, 0.25))
    assert float(lr.limit(tied).value[0]) == pytest.approx(2.5, abs=1e-13)
    assert float(lr.limit(untied).value[0]) == pytest.approx(2.5, abs=1e-13)
    for flow in (tied, untied):
        assert float(lr.integrate(flow, [0.0, 60.0]).beta[-1, 0]) == pytest.approx(2.5, abs=1e-8)


def test_a_side_that_is_zero_stays_zero():
    net = lr.Diagonal([[[0.5, 0.5], [0.0, 0.0]]], power=2)
    flow = lr.GradientFlow(net, lr.Problem(np.eye(2), [2.0, -2.0]), decay=1.0)
    np.testing.assert_allclose(lr.limit(flow).value, [1.5, 0.0], atol=1e-14)


def test_dependent_features_are_refused_by_name():
    X = np.array([[1.0, 1.0, 0.3], [2.0, 2.0, -0.4]])
    flow = lr.GradientFlow(lr.inits.tied_diagonal(3, 0.5), lr.Problem(X, [1.0, 2.5]), decay=0.1)
    with pytest.raises(ValueError, match="the Lasso has several solutions"):
        lr.limit(flow)
    net = lr.inits.gaussian(jax.random.key(1), (2, 4, 2))
    wide = lr.GradientFlow(net, lr.Problem([[1.0, 1.0]], [[1.0, 2.0]]), decay=0.1)
    assert lr.limit(wide).certificate.worst < 1e-10  # rank one: the group norm has one solution


def test_a_strong_decay_leaves_nothing():
    problem = lr.Problem([[1.0, 0.2], [0.0, 1.0]], [1.0, 0.5])
    for net in (
        lr.inits.tied_diagonal(2, 0.5),
        lr.inits.neuron([0.1, 0.2]),
        lr.inits.gaussian(jax.random.key(0), (2, 3, 1)),
    ):
        found = lr.limit(lr.GradientFlow(net, problem, decay=10.0))
        np.testing.assert_array_equal(np.asarray(found.value).ravel(), [0.0, 0.0])
        assert all(np.all(np.asarray(layer) == 0) for layer in found.net.layers)


def test_a_neuron_that_may_end_in_the_saddle_is_refused_and_answered_later():
    problem = lr.Problem([[1.0, 0.3], [0.0, 2.0]], [1.0, 1.5])
    flow = lr.GradientFlow(lr.inits.neuron([-0.3, -0.1]), problem, decay=0.2)
    with pytest.raises(lr.NoTheoremApplies, match="Integrate further and compute the limit from there"):
        lr.limit(flow)
    path = lr.integrate(flow, [0.0, 20.0])
    later = lr.limit(path)
    end = lr.integrate(flow, [0.0, 400.0]).beta[-1]
    np.testing.assert_allclose(later.value, end, rtol=1e-8)
    with pytest.raises(ValueError, match="outside of jit"):
        jax.jit(lambda t: lr.limit(lr.GradientFlow(flow.net, problem, decay=t), theorem="shrunk neuron").value)(0.2)


def test_derivatives_of_ridge_and_lasso_equal_differences():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(4, 6)), rng.normal(size=4)
    for net in (lr.inits.gaussian(jax.random.key(0), (6, 1)), lr.inits.tied_diagonal(6, 0.5)):

        def value(decay, shift, net=net):
            problem = lr.Problem(X + shift, y)
            return jnp.sum(jnp.sin(lr.limit(lr.GradientFlow(net, problem, decay=decay)).value))

        for index, step in ((0, 1e-5), (1, 1e-6)):
            ahead, behind = ([0.3, 0.0] for _ in range(2))
            ahead[index] += step
            behind[index] -= step
            numeric = (float(value(*ahead)) - float(value(*behind))) / (2 * step)
            assert float(jax.grad(value, index)(0.3, 0.0)) == pytest.approx(numeric, rel=1e-5)


def test_ridge_from_the_normal_equations():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(4, 6)), rng.normal(size=(4, 2))
    flow = lr.GradientFlow(lr.inits.gaussian(jax.random.key(0), (6, 2)), lr.Problem(X, Y, kappa=0.7), 0.3, decay=0.05)
    wanted = np.linalg.solve(0.7 * X.T @ X + 0.05 * np.eye(6), 0.7 * X.T @ Y)
    np.testing.assert_allclose(lr.limit(flow).value, wanted, rtol=1e-11)
    tangent = lr.GradientFlow(
        lr.inits.two_layer(jax.random.key(1), 6, 5), lr.Problem(X, Y[:, 0]), (0.5, 2.0), (0.1, 0.4)
    )
    tangent = tangent.linearize()
    end = lr.limit(tangent)
    late = lr.integrate(tangent, [0.0, 2000.0]).end
    for found, wanted in zip(end.net.layers, late.layers, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_a_path_in_the_decay():
    """One row per decay, as the single limits; the smallest come near the limit without decay, of least l1 norm."""
    rng = np.random.default_rng(3)
    problem = lr.Problem(rng.normal(size=(4, 9)), rng.normal(size=4))
    net, decays = lr.inits.tied_diagonal(9, 0.5), [1.0, 1e-2, 1e-9]
    path = lr.limit(lr.GradientFlow(net, problem, decay=1.0), decays=decays)
    assert path.value.shape == (3, 9)
    np.testing.assert_array_equal(path.decays, decays)
    for decay, row in zip(decays, path.value, strict=True):
        np.testing.assert_array_equal(row, lr.limit(lr.GradientFlow(net, problem, decay=decay)).value)
    np.testing.assert_allclose(path.value[-1], lr.potentials.basis_pursuit(problem.X, problem.y)[0], atol=1e-7)
    assert path.plot().axes
    with pytest.raises(ValueError, match="decays must be positive"):
        lr.limit(lr.GradientFlow(net, problem), decays=[0.0])
    with pytest.raises(ValueError, match="scales or decays"):
        lr.limit(lr.GradientFlow(net, problem), decays=[1.0], scales=[1.0])


@pytest.mark.parametrize("kind", ["neuron", "diagonal", "two layers"])
def test_special_points(kind):
    """Zero labels and inputs, tiny labels: nothing is learned. A penalty below rounding of the labels is refused."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4, 6)), rng.normal(size=4)
    nets = {
        "neuron": lr.inits.neuron(np.full(6, 0.1)),
        "diagonal": lr.inits.tied_diagonal(6, 0.5),
        "two layers": lr.inits.gaussian(jax.random.key(0), (6, 8, 1)),
    }
    for data in ((X, 0 * y), (0 * X, y), (X, 1e-160 * y)):
        found = lr.limit(lr.GradientFlow(nets[kind], lr.Problem(*data), decay=0.1))
        assert not np.any(np.asarray(found.value))
    for data, decay in (((1e100 * X, 1e100 * y), 0.1), ((X, y), 1e-300)):
        with pytest.raises(ValueError, match=r"float64 cannot tell it from none\. Raise the decay"):
            lr.limit(lr.GradientFlow(nets[kind], lr.Problem(*data), decay=decay))
