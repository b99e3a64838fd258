"""The rotation of hidden units by collocation, against rotations that are known."""

import numpy as np
import pytest
from scipy.linalg import expm

from lazyrich.theorems.rotation import integrate_rotation


def antisymmetric(h, seed=0):
    A = np.random.default_rng(seed).normal(size=(h, h))
    return A - A.T


@pytest.mark.parametrize("h", [2, 5])
def test_a_constant_turning(h):
    Omega, times = antisymmetric(h), np.array([0.0, 0.0, 1e-9, 0.3, 2.0, 7.0])
    found = integrate_rotation(lambda t: np.broadcast_to(Omega, (len(t), h, h)), times, h, 1.0, 16)
    np.testing.assert_allclose(found, [expm(t * Omega) for t in times], atol=1e-13)


def test_one_that_comes_and_goes():
    """In a plane the angle is an integral: of a peak that is far narrower than the time."""
    J, times = antisymmetric(2) / antisymmetric(2)[0, 1], np.array([1.0, 2.0, 3.0, 1e6])

    def turning(t):
        far = np.exp(-80 * np.abs(t - 2))
        return (160 * far / (1 + far) ** 2)[:, None, None] * J  # 40/cosh²

    found = integrate_rotation(turning, times, 2, 40.0, 16)
    angles = np.tanh(40 * (times - 2)) + np.tanh(80.0)
    np.testing.assert_allclose(found[:, 0, 0], np.cos(angles), atol=1e-12)
    np.testing.assert_allclose(found[:, 0, 1], np.sin(angles), atol=1e-12)


def test_turnings_that_do_not_commute():
    """O = exp(At) exp(Bt) turns by exp(−Bt) A exp(Bt) + B."""
    A, B, times = antisymmetric(4, 1), antisymmetric(4, 2), np.linspace(0, 3, 7)
    found = integrate_rotation(lambda t: np.array([expm(-s * B) @ A @ expm(s * B) + B for s in t]), times, 4, 1.0, 64)
    np.testing.assert_allclose(found, [expm(t * A) @ expm(t * B) for t in times], atol=1e-12)


def test_no_time_at_all():
    assert np.array_equal(integrate_rotation(lambda t: 1 / 0, np.zeros(2), 3, 1.0, 16), [np.eye(3)] * 2)


def test_rounding_of_the_turning_is_not_resolved():
    """What is random has no polynomial on any panel; it turns by 1e-9 in all, and is asked for some thousand times."""
    J, rng, asked = antisymmetric(2) / antisymmetric(2)[0, 1], np.random.default_rng(0), 0

    def turning(t):
        nonlocal asked
        asked += len(t)
        return (np.exp(-t) + 1e-18 * rng.normal(size=len(t)))[:, None, None] * J

    found = integrate_rotation(turning, np.array([1.0, 30.0, 1e9]), 2, 1.0, 16)
    np.testing.assert_allclose(found[:, 0, 1], np.sin(-np.expm1([-1.0, -30.0, -np.inf])), atol=1e-9)
    np.testing.assert_allclose(found[0, 0, 1], np.sin(-np.expm1(-1.0)), atol=1e-14)
    assert asked < 20_000


def test_what_is_no_number_is_not_halved():
    """No panel would be narrow enough: it is left as it is, for the caller to refuse."""
    asked = []

    def turning(t):
        asked.append(len(t))
        return np.where(t > 1, np.nan, 0.0)[:, None, None] * np.ones((2, 2))

    found = integrate_rotation(turning, np.array([0.0, 0.5, 2.0]), 2, 1.0, 16)
    np.testing.assert_allclose(found[:2], [np.eye(2)] * 2, atol=1e-15)
    assert np.all(np.isnan(found[2]))
    assert sum(asked) < 10_000
