"""Derivatives of `exact` by the variational equation: where they are refused, and inside jit, vmap and landmarks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr

TARGET = np.diag([2.0, 1.0])
PROBLEM = lr.Problem(np.eye(2), TARGET)
HALF = jnp.diag(jnp.array([0.5, 0.4]))


def beta(W, times=(1.3,)):
    return lr.exact(lr.GradientFlow(lr.DeepLinear([W, HALF]), PROBLEM), list(times), theorem="aligned modes").beta[-1]


def test_inside_jit_and_vmap_they_are_the_same():
    outside = jax.jacfwd(beta)(HALF)
    assert float(outside[0, 1, 1, 0]) == pytest.approx(0.16600, abs=1e-5)  # the formula's own says 1.33
    np.testing.assert_allclose(jax.jit(jax.jacfwd(beta))(HALF), outside, rtol=0, atol=1e-9)
    many = jax.jit(jax.vmap(jax.grad(lambda W: jnp.sum(beta(W)))))(jnp.stack([HALF, 2 * HALF]))
    np.testing.assert_allclose(many[0], jnp.sum(outside, axis=(0, 1)), rtol=0, atol=1e-9)


def test_a_rotation_that_is_left_out_leaves_the_derivative():
    iso = lr.inits.isotropic(jax.random.key(0), 2, 3, 2, 0.5)

    def at(rate, lift):
        flow = lr.GradientFlow(iso, PROBLEM, (rate, 1.0))
        return lr.exact(flow, [1.3], theorem="isotropic imbalance", hidden_rotation=lift).beta[0]

    found = [jax.jacfwd(lambda rate, lift=lift: at(rate, lift))(1.0) for lift in (True, False)]
    np.testing.assert_allclose(*found, rtol=0, atol=1e-9)


def test_far_beyond_convergence():
    np.testing.assert_allclose(jax.jacfwd(lambda W: beta(W, [0.0, 1e6]))(HALF), 0.0, atol=1e-9)


def test_second_derivatives_are_refused():
    with pytest.raises(ValueError, match="second derivatives of this closed form are not available"):
        jax.hessian(lambda W: jnp.sum(beta(W)))(HALF)


def test_beside_a_saddle_they_are_refused():
    """From an absent mode every departure grows as e^{st}."""
    absent = jnp.diag(jnp.array([0.5, 0.0]))

    def end(W, t):
        return lr.exact(lr.GradientFlow(lr.DeepLinear([W, absent]), PROBLEM), [t], theorem="aligned modes").beta[
            0, 0, 0
        ]

    assert np.all(np.isfinite(jax.grad(end)(absent, 5.0)))
    with pytest.raises(ValueError, match=r"grow beyond 1e\+12 on the way: the flow stays near a saddle"):
        jax.grad(end)(absent, 50.0)
    with pytest.raises(Exception, match=r"grow beyond 1e\+12 on the way"):
        jax.jit(jax.grad(lambda W: end(W, 50.0)))(absent).block_until_ready()


def test_large_networks_are_referred_to_integrate():
    large = lr.inits.isotropic(jax.random.key(0), 2, 120, 2, 0.5)
    with pytest.raises(
        ValueError, match=r"this network has 480 of them, more than 400\. Differentiate through lazyrich.int"
    ):
        jax.grad(lambda s: lr.exact(lr.GradientFlow(large, PROBLEM, (s, s)), [1.0], hidden_rotation=False).loss[0])(1.0)


def test_the_time_to_a_loss_moves_as_the_flow_does():
    step = jnp.array([[0.0, 0.3], [0.7, 0.0]])

    def time(s):
        return lr.time_to_loss(lr.GradientFlow(lr.DeepLinear([HALF + s * step + s * HALF, HALF]), PROBLEM), 0.1)

    def loss(s, t):
        return lr.integrate(
            lr.GradientFlow(lr.DeepLinear([HALF + s * step + s * HALF, HALF]), PROBLEM), [t], rtol=1e-12
        ).loss[0]

    t, h = float(time(0.0)), 1e-4
    by_differences = -(loss(h, t) - loss(-h, t)) / (loss(0.0, t + h) - loss(0.0, t - h))
    assert float(jax.grad(time)(0.0)) == pytest.approx(float(by_differences), rel=1e-6)
