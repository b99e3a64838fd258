"""One source for NumPy and JAX, and what is compiled."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr
from lazyrich._along import along
from lazyrich._arrays import ahead, fixed, known, xp

COUNT = """
import jax._src.compiler as compiler
import numpy as np

compiled = []
original = compiler.backend_compile_and_load
compiler.backend_compile_and_load = lambda *args, **options: compiled.append(1) or original(*args, **options)

import lazyrich as lr

problem = lr.Problem(np.eye(2), [0.0, 1.0])
for delta, count in ((-4.0, 301), (2.0, 417), (0.0, 5)):
    flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.1], delta=delta), problem, (1.0, 0.5))
    traj = lr.solve(flow, np.linspace(0, 30, count))
    assert "single neuron" in str(traj.by)
assert not compiled, f"{len(compiled)} programs for single neurons"
traj = lr.solve(flow, np.linspace(0, 30, 301))
traj.loss, traj.beta, lr.metrics.kernel_distance(traj), lr.metrics.parameter_distance(traj)
once = len(compiled)
traj = lr.solve(lr.GradientFlow(lr.inits.neuron([0.3, 0.1], delta=1.0), problem), np.linspace(0, 30, 417))
traj.loss, traj.beta, lr.metrics.kernel_distance(traj), lr.metrics.parameter_distance(traj)
assert once == len(compiled), "compiled again for another number of times, or another neuron"
"""


def test_what_is_compiled_in_a_fresh_process():
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1500:]


def test_functions_of_either():
    assert type(xp.sqrt(np.ones(2))) is np.ndarray
    assert isinstance(xp.sqrt(jnp.ones(2)), jax.Array)
    assert isinstance(xp.where(np.array([True, False]), 1.0, jnp.zeros(2)), jax.Array)
    assert jax.grad(lambda x: xp.sum(xp.asarray(x) ** 2))(3.0) == 6.0
    tree = {"a": jnp.ones(2)}
    assert type(known(tree)["a"]) is np.ndarray
    assert jax.grad(lambda x: x * fixed(x))(3.0) == 3.0
    assert jax.jit(lambda x: known(x))(1.0) == 1.0


def test_ahead_by_numpy_or_traced():
    half = ahead(lambda x: x / 0 if x.ndim == 0 else x / 2, jax.jit(lambda x: x / 2))
    with np.errstate(all="raise"):  # warnings of known numbers are not the user's
        assert half(np.float64(1.0)) == np.inf
    assert jax.grad(half)(1.0) == 0.5


@pytest.mark.parametrize("count", [1, 64, 65])
@pytest.mark.parametrize("one_at_a_time", [False, True])
def test_along_any_number(count, one_at_a_time):
    rows = jnp.arange(3.0 * count).reshape(count, 3)
    np.testing.assert_array_equal(along(jnp.sum, rows, one_at_a_time), rows.sum(axis=1))
    traced = jax.jit(lambda rows: along(jnp.sum, rows, one_at_a_time))(rows)
    np.testing.assert_array_equal(traced, rows.sum(axis=1))


def test_users_arrays_are_copied():
    X, y, times = np.eye(2), np.array([0.0, 1.0]), np.linspace(0, 1, 3)
    flow = lr.GradientFlow(lr.inits.neuron([0.5, 0.1]), lr.Problem(X, y))
    traj = lr.solve(flow, times)
    before = np.array(traj.loss)
    X[:], y[:], times[:] = 7.0, 7.0, 7.0
    np.testing.assert_array_equal(traj.loss, before)
    np.testing.assert_array_equal(traj.times, [0.0, 0.5, 1.0])


def test_the_traced_path_has_the_same_digits():
    """What concrete calls no longer reach."""
    problem = lr.Problem(np.eye(2), [0.3, 1.0])
    for delta in (-9.0, 0.0, 1e-9, 4.0):
        flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.1], delta=delta), problem, (1.0, 0.5))
        times = np.array([0.0, 1e-9, 0.3, 3.0, 1e6])
        by_jax = jax.jit(lambda flow, times=times: lr.exact(flow, times, theorem="single neuron").nets.layers)(flow)
        for ours, theirs in zip(lr.exact(flow, times).nets.layers, by_jax, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=1e-15)
