"""What a tangent model has learned at time t: against integration, against solves, in three kinds of arrays."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax.test_util import check_grads
from scipy.integrate import solve_ivp

import lazyrich.jax.prediction as with_derivative
from lazyrich.tangent import predict

N, C, M = 4, 2, 3


def drawn(seed=0, rank=20, n=N, c=C, m=M):
    """Features of training and new inputs, kernels, targets and starts."""
    rng = np.random.default_rng(seed)
    J, J_new = rng.normal(size=(n * c, rank)), rng.normal(size=(m * c, rank))
    return J, J_new, rng.normal(size=(n, c)), rng.normal(size=(n, c)), rng.normal(size=(m, c))


def integrated(J, J_new, y, f0, f0_new, t, kappa, ridge):
    """The flow of the parameters of the linear model itself."""

    def field(_, theta):
        return -kappa * (J.T @ (J @ theta + f0.ravel() - y.ravel()) + ridge * theta)

    theta = solve_ivp(field, (0, t), np.zeros(J.shape[1]), rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]
    return (J @ theta).reshape(y.shape) + f0, (J_new @ theta).reshape(f0_new.shape) + f0_new


@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("t", [0.0, 0.03, 0.9])
def test_it_is_the_flow_of_the_parameters(t, ridge):
    J, J_new, y, f0, f0_new = drawn()
    now, new = integrated(J, J_new, y, f0, f0_new, t, 0.3, ridge)
    given = {"kappa": 0.3, "ridge": ridge}
    np.testing.assert_allclose(predict(J @ J.T, y, t, start=f0, **given).mean, now, atol=1e-8)
    found = predict(J @ J.T, y, t, J_new @ J.T, start=f0, start_new=f0_new, **given)
    np.testing.assert_allclose(found.mean, new, atol=1e-8)
    assert found.covariance is None


@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_the_end_is_kernel_regression_and_late_times_come_to_it(ridge):
    J, J_new, y, f0, f0_new = drawn(1)
    K, K_new = J @ J.T, J_new @ J.T
    wanted = K_new @ np.linalg.solve(K + ridge * np.eye(len(K)), (y - f0).ravel())
    found = predict(K, y, [1e30, math.inf], K_new, start=f0, start_new=f0_new, ridge=ridge).mean
    for each in found:
        np.testing.assert_allclose(each, wanted.reshape(M, C) + f0_new, atol=1e-10)


def test_fewer_parameters_than_targets_end_at_least_squares():
    J, J_new, y, *_ = drawn(2, rank=3)
    theta = np.linalg.lstsq(J, y.ravel(), rcond=None)[0]
    for t in (1e30, math.inf):
        np.testing.assert_allclose(predict(J @ J.T, y, t).mean.ravel(), J @ theta, atol=1e-9)
        np.testing.assert_allclose(predict(J @ J.T, y, t, J_new @ J.T).mean.ravel(), J_new @ theta, atol=1e-9)


def test_one_kernel_for_all_outputs_is_the_kernel_times_the_identity():
    J, J_new, y, f0, f0_new = drawn(3)
    k, k_new = J[:N] @ J[:N].T, J_new[:M] @ J[:N].T
    whole, whole_new = np.kron(k, np.eye(C)), np.kron(k_new, np.eye(C))
    starts = {"start": f0, "start_new": f0_new}
    for t in (0.1, [0.1, math.inf]):
        found, wanted = predict(k, y, t, k_new, **starts), predict(whole, y, t, whole_new, **starts)
        assert found.mean.shape == (*np.shape(t), M, C)
        np.testing.assert_allclose(found.mean, wanted.mean, atol=1e-12)


def test_one_output_without_an_axis():
    J, J_new, y, *_ = drawn(4)
    k, k_new = J[:N] @ J[:N].T, J_new[:M] @ J[:N].T
    found = predict(k, y[:, 0], [0.1, 2.0], k_new)
    assert found.mean.shape == (2, M)
    np.testing.assert_allclose(found.mean, predict(k, y[:, :1], [0.1, 2.0], k_new).mean[..., 0])
    np.testing.assert_allclose(found.mean[1], predict(k, y[:, 0], 2.0, k_new).mean)


def test_the_covariance_is_that_of_many_random_starts():
    J, J_new, y, *_ = drawn(5, rank=12, n=3, c=1, m=2)
    y, K, K_new = y[:, 0], J @ J.T, J_new @ J.T
    rng = np.random.default_rng(0)
    root = rng.normal(size=(5, 5))
    G = root @ root.T
    found = predict(K, y, 0.08, K_new, initial=(G[:3, :3], G[3:, :3], G[3:, 3:]))
    starts = rng.normal(size=(200_000, 5)) @ root.T
    weights = predict(K, np.eye(3), 0.08, K_new).mean  # how much of each target is learned
    ends = starts[:, 3:] + (y - starts[:, :3]) @ weights.T
    np.testing.assert_allclose(found.mean, ends.mean(0), atol=0.05)
    np.testing.assert_allclose(found.covariance, np.cov(ends.T), atol=0.02 * np.abs(G).max())
    one = predict(K, y, 0.08, initial=G[:3, :3]).covariance
    both = predict(K, y, 0.08, K, initial=(G[:3, :3],) * 3).covariance
    np.testing.assert_allclose(one, both)


def test_with_its_own_kernel_as_initial_one_it_ends_at_the_posterior():
    J, J_new, y, *_ = drawn(6)
    K, K_new, K_both = J @ J.T, J_new @ J.T, J_new @ J_new.T
    wanted = K_both - K_new @ np.linalg.solve(K + 0.5 * np.eye(len(K)), K_new.T)
    # Early stopping of the ridge is not the posterior: with a ridge, A K Aᵀ lacks the noise ρ A Aᵀ.
    A = K_new @ np.linalg.inv(K + 0.5 * np.eye(len(K)))
    found = predict(K, y, K_new=K_new, ridge=0.5, initial=(K, K_new, K_both)).covariance
    np.testing.assert_allclose(found + 0.5 * A @ A.T, wanted, atol=1e-10)
    found = predict(K, y, K_new=K_new, initial=(K, K_new, K_both)).covariance
    np.testing.assert_allclose(found, K_both - K_new @ np.linalg.solve(K, K_new.T), atol=1e-9)
    times = predict(K, y, [0.0, 1.0], K_new, initial=(K, K_new, K_both)).covariance
    assert times.shape == (2, M * C, M * C)
    np.testing.assert_allclose(times[0], K_both)


@pytest.mark.parametrize("kind", ["jax", "torch", "float32"])
def test_the_same_function_serves_other_arrays(kind):
    J, J_new, y, f0, f0_new = drawn(7)
    make = {"jax": jnp.asarray, "torch": torch.as_tensor, "float32": lambda a: np.asarray(a, np.float32)}[kind]
    call = with_derivative.predict if kind == "jax" else predict
    G = np.eye(len(J)), J_new @ J.T, J_new @ J_new.T

    def run(call, make):
        starts = {"start": make(f0), "start_new": make(f0_new), "initial": [make(part) for part in G]}
        return call(make(J @ J.T), make(y), make(np.array([0.1, 2.0, np.inf])), make(J_new @ J.T), **starts)

    found, wanted = run(call, make), run(predict, np.asarray)
    for one, other in zip(found, wanted, strict=True):
        assert type(one) is type(make(y))
        np.testing.assert_allclose(np.asarray(one), other, atol=1e-10 if kind != "float32" else 2e-4)


def test_gradients_of_pytorch_go_through():
    J, J_new, y, *_ = (torch.as_tensor(part) for part in drawn(8, n=2, m=1))
    assert torch.autograd.gradcheck(
        lambda J, y: predict(J @ J.T, y, [0.1, math.inf], J_new @ J.T).mean, (J.requires_grad_(), y.requires_grad_())
    )


def coincide():
    """A kernel with equal eigenvalues, nearly equal ones, and one that is zero."""
    Q = np.linalg.qr(np.random.default_rng(9).normal(size=(6, 6)))[0]
    return (Q * np.array([2.0, 2.0, 2.0, 1e-3, 1e-3 + 1e-9, 0.5])) @ Q.T


@pytest.mark.parametrize("t", [0.0, 0.01, 1.0, 30.0, math.inf])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_derivatives_exist_where_eigenvalues_coincide(t, ridge):
    rng = np.random.default_rng(10)
    K, y, K_new = coincide(), rng.normal(size=6), rng.normal(size=(2, 6))

    def read(K, y, kappa, ridge):
        return with_derivative.predict((K + K.T) / 2, y, t, K_new, kappa=kappa, ridge=ridge).mean

    values = [jnp.asarray(v) for v in (K, y, 1.3, ridge + 0.0)]
    step = rng.normal(size=(6, 6))
    h = 1e-6  # central differences of the formula in NumPy
    plain = [predict(K + s * h * (step + step.T), y, t, K_new, kappa=1.3, ridge=ridge).mean for s in (1, -1)]
    _, found = jax.jvp(lambda K: read(K, *values[1:]), (values[0],), (jnp.asarray(step + step.T),))
    np.testing.assert_allclose(found, (plain[0] - plain[1]) / (2 * h), rtol=2e-5, atol=1e-7)
    pulled = jax.grad(lambda K: read(K, *values[1:]).sum())(values[0])
    np.testing.assert_allclose(jnp.sum(pulled * (step + step.T)), found.sum(), rtol=1e-8, atol=1e-9)
    if t < math.inf:
        check_grads(lambda y, kappa: read(values[0], y, kappa, values[3]), values[1:3], 1, rtol=1e-5)


def test_time_has_a_derivative_and_jit_goes_through():
    J, J_new, y, *_ = (jnp.asarray(part) for part in drawn(11))

    @jax.jit
    def read(t, ridge):
        return with_derivative.predict(J @ J.T, y, t, J_new @ J.T, ridge=ridge).mean

    check_grads(read, (0.3, 0.2), 1, rtol=1e-5)
    K, K_new = np.asarray(J @ J.T), np.asarray(J_new @ J.T)
    np.testing.assert_allclose(read(0.3, 0.2), predict(K, np.asarray(y), 0.3, K_new, ridge=0.2).mean)


def test_a_kernel_of_zeros_learns_nothing():
    y = np.ones(3)
    for t in (0.0, 5.0, math.inf):
        np.testing.assert_array_equal(predict(np.zeros((3, 3)), y, t, start=2 * y).mean, 2 * y)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_scale_of_the_kernel_is_a_scale_of_time(scale):
    J, J_new, y, *_ = drawn(12)
    K, K_new = J @ J.T, J_new @ J.T
    found = predict(scale * K, y, [0.5 / scale, math.inf], scale * K_new).mean
    np.testing.assert_allclose(found, predict(K, y, [0.5, math.inf], K_new).mean, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"K": np.ones((3, 4))}, r"K must be a square matrix and y an array .* found \(3, 4\) and \(4, 2\)"),
        ({"K": np.eye(5)}, r"targets of shape \(4, 2\) the kernel must be \(8, 8\), or \(4, 4\) .* found \(5, 5\)"),
        ({"K": np.triu(np.ones((4, 4)))}, "K must be symmetric, on one set of inputs; .* differ by 1.0e"),
        ({"K": np.eye(4) * np.nan}, "K has entries that are NaN or infinite"),
        ({"K": np.eye(4, dtype=int)}, "floating-point numbers; found int64"),
        ({"K": [[1.0]]}, "an array of NumPy, JAX or PyTorch; found list"),
        ({"t": -1.0}, "times must be at least 0; found -1.0"),
        ({"t": math.nan}, "times must be at least 0; found nan"),
        ({"t": np.ones((2, 2))}, r"a number or a vector of times; found shape \(2, 2\)"),
        ({"kappa": 0.0}, "kappa must be a finite number, above 0; found 0.0"),
        ({"ridge": -1.0}, "ridge must be a finite number, at least 0; found -1.0"),
        ({"K_new": np.ones((2, 3))}, r"it needs 4 columns, one for each row of K; found \(2, 3\)"),
        ({"start": np.ones(4)}, r"start must have the shape of the outputs, \(4, 2\); found \(4,\)"),
        ({"start": np.ones((4, 2)), "K_new": np.ones((1, 4))}, "pass start_new="),
        ({"initial": np.eye(3)}, r"initial must be one covariance of shape \(4, 4\); found \(3, 3\)"),
        ({"initial": (np.eye(4),), "K_new": np.ones((1, 4))}, "three covariances, .* found 1"),
    ],
)  # fmt: skip
def test_mistakes_are_told(change, said):
    with pytest.raises((ValueError, TypeError), match=said):
        predict(**{"K": np.eye(4), "y": np.ones((4, 2)), **change})
