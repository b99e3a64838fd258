"""Distance of kernels seen along random directions: unbiased products, intervals that cover, and extremes."""

import numpy as np
import pytest

from lazyrich.tangent.distance import InnerProducts, distances_from_products
from lazyrich.tangent.grouped_distance import grouped_kernel_distance

OUTPUTS, WEIGHTS = 7, 30


def jacobians(rng, n, shift):
    """Draw Jacobians (n, outputs, weights) of inputs from a population, at the start and after a shared change."""
    x = rng.normal(size=(n, 5)) * np.array([2.0, 1.0, 1.0, 0.5, 0.5])
    basis = np.random.default_rng(7).normal(size=(3, 5, OUTPUTS, WEIGHTS))
    start = np.einsum("ni,icw->ncw", x, basis[0]) + np.einsum("ni,icw->ncw", np.abs(x), basis[1])
    return start + shift * np.einsum("ni,icw->ncw", np.tanh(x), basis[2]), start


def seen(rng, n, shift, group=2):
    """Draw both kernels as the probe sees them: one direction of random signs for each group of inputs."""
    signs = np.repeat(rng.choice([-1.0, 1.0], size=(n // group, OUTPUTS)), group, 0)
    return [np.einsum("nc,ncw->nw", signs, J) @ np.einsum("nc,ncw->nw", signs, J).T for J in jacobians(rng, n, shift)]


def population_distance(shift, n=700):
    """Return S of many inputs with all outputs, without the blocks of an input with itself, plain and centered."""
    now, start = jacobians(np.random.default_rng(123), n, shift)
    found = []
    for J, J0 in ((now, start), (now - now.mean(0), start - start.mean(0))):
        K, K0 = (a.reshape(n * OUTPUTS, -1) @ a.reshape(n * OUTPUTS, -1).T for a in (J, J0))
        for kernel in (K, K0):
            blocks = kernel.reshape(n, OUTPUTS, n, OUTPUTS)
            blocks[np.arange(n), :, np.arange(n)] = 0
        found.append(1 - (K * K0).sum() / np.sqrt((K * K).sum() * (K0 * K0).sum()))
    return np.array(found)


@pytest.mark.parametrize("shift", [0.05, 0.4, 2.0])
def test_intervals_cover_the_population(shift):
    rng, truth = np.random.default_rng(0), population_distance(shift)
    draws = [grouped_kernel_distance(*seen(rng, 32, shift)) for _ in range(300)]
    covered = np.mean([(draw.low <= truth) & (truth <= draw.high) for draw in draws], 0)
    assert (covered > 0.91).all(), covered  # 3.5 standard errors below 95 %
    assert (covered < 0.999).all(), "bars are wider than they need to be"
    mean = np.mean([draw.distance for draw in draws], 0)
    # The bias of a ratio falls as 1/n; centering leaves half of the numbers.
    assert mean[0] == pytest.approx(truth[0], rel=0.12)
    assert mean[1] == pytest.approx(truth[1], rel=0.2)


def test_products_have_no_bias():
    """The products of pairs of groups are compared with those of the population, not their ratio."""
    rng, n, shift, found = np.random.default_rng(1), 16, 0.4, []
    for _ in range(3000):
        k, k0 = seen(rng, n, shift)
        off = 1 - np.kron(np.eye(n // 2), np.ones((2, 2)))
        found.append([(k * k0 * off).sum(), (k0 * k0 * off).sum()])
    now, start = jacobians(np.random.default_rng(123), 600, shift)
    K, K0 = (a.reshape(600 * OUTPUTS, -1) @ a.reshape(600 * OUTPUTS, -1).T for a in (now, start))
    for kernel in (K, K0):
        kernel.reshape(600, OUTPUTS, 600, OUTPUTS)[np.arange(600), :, np.arange(600)] = 0
    truth = np.array([(K * K0).sum(), (K0 * K0).sum()]) / (600 * 599) * n * (n - 2)
    error = np.std(found, 0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, 0) - truth) < 4 * error + 0.03 * truth).all()


def test_with_one_direction_for_all_it_is_the_plain_distance_between_groups():
    now, start = jacobians(np.random.default_rng(2), 20, 1.0)
    K, K0 = now[:, 0] @ now[:, 0].T, start[:, 0] @ start[:, 0].T
    off = 1 - np.kron(np.eye(10), np.ones((2, 2)))
    moments = InnerProducts(20)
    moments.add(0, 0, (K * off)[:, None, :, None], (K0 * off)[:, None, :, None])
    expected = distances_from_products(moments.products_per_pair(), moments.scale)
    found = grouped_kernel_distance(K, K0)
    assert found.distance[0] == pytest.approx(expected[0], rel=1e-12)
    assert found.growth == pytest.approx(expected[2], rel=1e-12)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_small_distances_at_any_scale(size):
    rng = np.random.default_rng(3)
    J0, step = rng.normal(size=(2, 24, 50))
    K0 = J0 @ J0.T
    small, smaller = (
        grouped_kernel_distance(size * (J0 + e * step) @ (J0 + e * step).T, size * K0) for e in (1e-4, 1e-6)
    )
    np.testing.assert_allclose(small.distance / smaller.distance, 1e4, rtol=1e-3)
    assert small.growth == pytest.approx(1, abs=1e-3)
    assert grouped_kernel_distance(size * K0, K0).distance == pytest.approx([0, 0], abs=1e-15)
    assert grouped_kernel_distance(size * K0, K0).growth == pytest.approx(size)


def test_stacked_layers_and_kernels_of_zero():
    rng = np.random.default_rng(4)
    K, K0 = seen(rng, 16, 0.4)
    none = np.zeros_like(K)
    found = grouped_kernel_distance(np.stack([K, K, none, none]), np.stack([K0, none, K0, none]))
    alone = grouped_kernel_distance(K, K0)
    np.testing.assert_allclose(found.distance[0], alone.distance)
    np.testing.assert_allclose(found.high[0], alone.high)
    assert np.isnan(found.distance[1:]).all()
    assert found.growth[1] == np.inf
    assert found.growth[2] == 0
    assert np.isnan(found.growth[3])
    constant = np.ones((16, 16))  # centering leaves nothing
    found = grouped_kernel_distance(K, constant)
    assert np.isfinite(found.distance[0])
    assert np.isnan(found.distance[1])


@pytest.mark.parametrize("n", [10, 15])
def test_too_few_inputs_are_refused(n):
    with pytest.raises(ValueError, match="multiple of 2 and at least 12"):
        grouped_kernel_distance(np.eye(n), np.eye(n))
