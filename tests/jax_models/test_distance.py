"""How far kernels have moved: against the naive formula, and against the room of PyTorch."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from lazyrich.jax import kernel_distance, kernel_target_alignment, tangent_kernel
from lazyrich.tangent.distance import InnerProducts, distances_from_products
from lazyrich.tangent.sampled_distance import sampled_kernel_distance, target_alignment
from lazyrich.torch import metrics as of_torch
from tests.jax_models.jax_zoo import normal
from tests.jax_models.test_jax_kernel import mlp as two_layer
from tests.jax_models.test_jax_kernel import mlp_params

X = jnp.asarray(normal(20, 12, 3))


def mlp(params, x):
    """Its blocks of outputs are not symmetric, as those of two layers alone would be."""
    return jnp.tanh(two_layer(params, x))


def moved(params, size, seed=21):
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: leaf + size * rng.normal(size=leaf.shape).astype(leaf.dtype), params)


def centered(K, n):
    H = np.kron(np.eye(n) - 1 / n, np.eye(len(K) // n))
    return H @ K @ H


def naive(K, K0):
    return 1 - (K * K0).sum() / np.sqrt((K**2).sum() * (K0**2).sum())


def kernels(size):
    params = mlp_params()
    after = moved(params, size)
    return params, after, *(np.asarray(tangent_kernel(mlp, p, X)) for p in (after, params))


def test_exact_is_the_naive_formula(monkeypatch):
    params, after, K, K0 = kernels(0.3)
    for rows in (1024, 5):  # one block, and blocks of which the last is filled up
        monkeypatch.setattr("lazyrich.jax.kernel.ROWS_PER_BLOCK", rows)
        found = kernel_distance(mlp, after, params, X)
        assert found.value == pytest.approx(naive(K, K0), rel=1e-9)
        assert found.centered == pytest.approx(naive(centered(K, 12), centered(K0, 12)), rel=1e-9)
        assert found.growth == pytest.approx(np.linalg.norm(K) / np.linalg.norm(K0))
        assert (found.error, found.centered_error) == (0, 0)
        assert "exact on 12 inputs" in str(found)


def test_small_distances_do_not_cancel():
    """S is of second order in the movement: at 1e-7 it is near 1e-14, where 1 − cosine has lost all digits."""
    params = mlp_params()
    at = {size: kernel_distance(mlp, moved(params, size), params, X).value for size in (1e-4, 1e-7)}
    assert at[1e-7] == pytest.approx(1e-6 * at[1e-4], rel=1e-2)
    assert kernel_distance(mlp, params, params, X).value < 1e-30


def test_subsamples_hold_the_exact_value():
    rng = np.random.default_rng(22)
    x = jnp.asarray(rng.normal(size=(150, 3)))
    params = mlp_params()
    after = moved(params, 0.3)
    exact = kernel_distance(mlp, after, params, x, method="exact")
    found = kernel_distance(mlp, after, params, x, method="subsample", size=30, repeats=5)
    assert 0 < found.error < exact.value
    assert abs(found.value - exact.value) < 2 * found.error
    assert abs(found.centered - exact.centered) < 2 * found.centered_error
    assert "5 subsamples of 30 from 150 inputs" in found.method


def test_alignment_to_targets():
    params, _, _, K0 = kernels(0.0)
    y = normal(23, 12, 2)
    found = kernel_target_alignment(mlp, params, X, y)
    outer = np.outer(y.ravel(), y.ravel())
    assert found.value == pytest.approx(1 - naive(K0, outer), rel=1e-9)
    assert found.centered == pytest.approx(1 - naive(centered(K0, 12), centered(outer, 12)), rel=1e-9)
    labels = np.arange(12) % 2
    assert kernel_target_alignment(mlp, params, X, labels) == kernel_target_alignment(mlp, params, X, np.eye(2)[labels])


def test_a_kernel_of_zeros_has_no_direction():
    zero = jax.tree.map(jnp.zeros_like, mlp_params())
    f = lambda p, x: mlp(p, x) * p[1][1].sum()  # noqa: E731
    assert kernel_distance(f, zero, zero, X).value == 0
    assert kernel_distance(f, mlp_params(), zero, X).value == 1
    assert kernel_distance(f, zero, mlp_params(), X).growth == 0


@pytest.mark.parametrize("population", [None, 12, 40])
def test_a_sample_that_stands_for_more_as_in_pytorch(population):
    _, _, K, K0 = kernels(0.3)
    found = sampled_kernel_distance(K, K0, 12, population)
    wanted = of_torch.sampled_kernel_distance(torch.tensor(K), torch.tensor(K0), 12, population)
    assert found.distance == pytest.approx(wanted.distance, rel=1e-9)
    assert found.error == pytest.approx(wanted.error, rel=1e-9)
    assert found.growth == pytest.approx(wanted.growth)
    y = normal(24, 12, 2)
    assert target_alignment(K, y, population) == pytest.approx(
        of_torch.target_alignment(torch.tensor(K), torch.tensor(y), population), rel=1e-9
    )


def test_opposite_kernels_are_at_distance_two():
    moments = InnerProducts(2)
    K = np.ones((2, 1, 2, 1))
    moments.add(0, 0, -K, K)
    assert distances_from_products(moments.products_per_pair(), moments.scale)[0] == pytest.approx(2)
