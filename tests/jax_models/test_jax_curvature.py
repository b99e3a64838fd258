"""The sharpness of JAX functions against the dense Hessian, and Adam's step sizes from the state of optax."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

import lazyrich.jax as lj


def problem(dtype=jnp.float32):
    keys = jax.random.split(jax.random.key(0), 4)
    params = {"in": jax.random.normal(keys[0], (4, 6)), "out": [jax.random.normal(keys[1], (6, 2)), jnp.zeros(2)]}
    x, y = jax.random.normal(keys[2], (12, 4)), jax.random.normal(keys[3], (12, 2))
    params, x, y = jax.tree.map(lambda leaf: leaf.astype(dtype), (params, x, y))
    return lambda p: jnp.mean((jnp.tanh(x @ p["in"]) @ p["out"][0] + p["out"][1] - y) ** 2), params


def dense(loss, params, steps=None):
    z, unravel = ravel_pytree(params)
    H = np.asarray(jax.hessian(lambda z: loss(unravel(z)))(z), float)
    root = np.sqrt(np.ones(z.size) if steps is None else np.asarray(ravel_pytree(steps)[0], float))
    return np.linalg.eigvalsh(root[:, None] * H * root)[-1]


def test_against_the_dense_hessian():
    loss, params = problem()
    assert float(lj.sharpness(loss, params)) == pytest.approx(dense(loss, params), rel=2e-5)
    with jax.enable_x64(True):
        loss, params = problem(jnp.float64)
        assert float(lj.sharpness(loss, params)) == pytest.approx(dense(loss, params), rel=1e-8)
        found = lj.sharpness(loss, params, step_size=0.1, edge=3.8)
        assert found.value == pytest.approx(0.1 * dense(loss, params), rel=1e-8)
        assert found.ratio == pytest.approx(0.1 * dense(loss, params) / 3.8, rel=1e-8)


def test_with_the_state_of_optax():
    optax = pytest.importorskip("optax")
    with jax.enable_x64(True):
        loss, params = problem(jnp.float64)
        optimizer = optax.chain(optax.clip_by_global_norm(1e3), optax.adamw(0.01, b2=0.99))
        state, second = optimizer.init(params), jax.tree.map(jnp.zeros_like, params)
        with pytest.raises(ValueError, match="Adam has taken no step yet"):
            lj.adam_step_size(state, 0.01, b2=0.99)
        for _ in range(4):
            slope = jax.grad(loss)(params)
            second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g**2, second, slope)
            change, state = optimizer.update(slope, state, params)
            params = optax.apply_updates(params, change)
        steps = lj.adam_step_size(state, 0.01, b2=0.99)
        expected = jax.tree.map(lambda v: 0.01 / (jnp.sqrt(v / (1 - 0.99**4)) + 1e-8), second)
        assert all(np.allclose(a, b) for a, b in zip(*map(jax.tree.leaves, (steps, expected)), strict=True))
        found = lj.sharpness(loss, params, step_size=steps, edge=38.0)
        assert found.value == pytest.approx(dense(loss, params, expected), rel=1e-8)
        with pytest.raises(ValueError, match="no part of this optimizer's state has `nu` and `count`"):
            lj.adam_step_size(optax.sgd(0.1).init(params), 0.1)


def test_functions_with_a_backward_pass_of_their_own():
    @jax.custom_vjp
    def square(x):
        return x**2

    square.defvjp(lambda x: (x**2, x), lambda x, g: (2 * x * g,))
    assert float(lj.sharpness(lambda p: jnp.sum(3 * square(p)), jnp.ones(4))) == pytest.approx(6.0, rel=1e-5)


def test_bad_input_is_refused():
    loss, params = problem()
    with pytest.raises(ValueError, match=r"loss\(params\) must be one number; found shape \(2,\)"):
        lj.sharpness(lambda p: p["out"][1], params)
    with pytest.raises(ValueError, match=r"needs params of real floating-point arrays; found \['int"):
        lj.sharpness(lambda p: jnp.sum(1.0 * p), jnp.arange(3))
    with pytest.raises(ValueError, match="single precision at least; found bfloat16"):
        lj.sharpness(lambda p: jnp.sum(p), jnp.ones(3, jnp.bfloat16))
    with pytest.raises(ValueError, match="between the steps, outside of jit"):
        jax.jit(lambda p: float(lj.sharpness(loss, p)))(params)
    with pytest.raises(ValueError, match="step_size must be a number, or a tree like params"):
        lj.sharpness(loss, params, step_size=[1.0, 2.0])
    with pytest.raises(ValueError, match="step_size must be finite and not negative"):
        lj.sharpness(loss, params, step_size=-0.1)
    with pytest.raises(ValueError, match="the curvature is NaN"):
        lj.sharpness(lambda p: jnp.sum(jnp.sqrt(p) - p), jnp.zeros(3))


def test_the_probe_measures_it_beside_the_kernel():
    loss, params = problem()
    x = jax.random.normal(jax.random.key(1), (12, 4))
    probe = lj.Probe(lambda p, x: jnp.tanh(x @ p["in"]) @ p["out"][0] + p["out"][1], params, x, sharpness=loss)
    moved = jax.tree.map(lambda leaf: 0.9 * leaf, params)
    probe.snapshot(1, moved)
    expected = [dense(loss, params), dense(loss, moved)]
    assert np.allclose(probe.report().data.sharpness, expected, rtol=2e-5)
    assert "sharpness λ = " in str(probe.report())
