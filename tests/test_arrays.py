"""One source for NumPy and JAX, and what is compiled."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr
from lazyrich._core.array_namespace import (
    cond,
    eager_or_traced,
    fori_loop,
    scan,
    stop_gradient,
    to_numpy_if_concrete,
    while_loop,
    xp,
)
from lazyrich._core.device import aligned_empty, to_jax, to_jax_zero_copy
from lazyrich._core.linalg import cholesky_solver, cholesky_whiten, nearest_orthogonal
from lazyrich._core.random import normal_and_uniform_arrays, normal_arrays
from lazyrich._core.stacked_map import vmap_over_stack
from lazyrich._validate.arrays import all_finite

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


WIDER = """
rng = np.random.default_rng(0)
before = len(compiled)
for alpha, d in ((1e-3, 7), (0.1, 9)):
    problem = lr.Problem(rng.normal(size=(3, d)), rng.normal(size=3))
    limit = lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(d, alpha), problem))
    assert "diagonal bias" in str(limit.by)
assert len(compiled) == before, f"{len(compiled) - before} programs for limits"
for count in (30, 47):
    W, target = np.linalg.qr(rng.normal(size=(4, 4)))[0], rng.normal(size=(4, 4))
    flow = lr.GradientFlow(lr.DeepLinear([W, W.T]), lr.Problem(np.eye(4), target))
    assert "isotropic imbalance" in str(lr.solve(flow, np.linspace(0, 5, count)).by)
assert len(compiled) == before, f"{len(compiled) - before} programs for wide networks"
for count in (17, 30):
    net = lr.DeepLinear([rng.normal(size=shape) for shape in ((3, 4), (3, 3), (2, 3))])
    flow = lr.GradientFlow(net, lr.Problem(rng.normal(size=(5, 4)), rng.normal(size=(5, 2))))
    lr.integrate(flow, np.linspace(0, 1, count))
    first = len(compiled) if count == 17 else first
assert first <= before + 6, f"{first - before} programs to integrate"
assert len(compiled) == first, f"{len(compiled) - first} programs for another number of times"
"""


def test_what_is_compiled_in_a_fresh_process():
    done = subprocess.run([sys.executable, "-c", COUNT + WIDER], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1500:]


def test_programs_are_stored_for_the_next_process(tmp_path):
    code = "import lazyrich as lr; lr.enable_compilation_cache(); lr.inits; import jax; jax.jit(lambda x: x + 1)(1.0)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    for place in (tmp_path / "here", tmp_path / "a file" / "there"):
        (tmp_path / "a file").write_text("")  # where no folder can be made, nothing is stored, and nothing is said
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment | {"LAZYRICH_CACHE": str(place)},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
    assert any((tmp_path / "here" / "programs").iterdir())
    environment["JAX_COMPILATION_CACHE_DIR"] = str(tmp_path / "own")
    subprocess.run(
        [sys.executable, "-c", code], env=environment | {"LAZYRICH_CACHE": str(tmp_path / "other")}, check=True
    )
    assert (tmp_path / "own").exists()
    assert not (tmp_path / "other").exists()


def test_functions_of_either():
    assert type(xp.sqrt(np.ones(2))) is np.ndarray
    assert isinstance(xp.sqrt(jnp.ones(2)), jax.Array)
    assert isinstance(xp.where(np.array([True, False]), 1.0, jnp.zeros(2)), jax.Array)
    assert jax.grad(lambda x: xp.sum(xp.asarray(x) ** 2))(3.0) == 6.0
    tree = {"a": jnp.ones(2)}
    assert type(to_numpy_if_concrete(tree)["a"]) is np.ndarray
    assert jax.grad(lambda x: x * stop_gradient(x))(3.0) == 3.0
    assert jax.jit(lambda x: to_numpy_if_concrete(x))(1.0) == 1.0


def test_ahead_by_numpy_or_traced():
    half = eager_or_traced(lambda x: x / 0 if x.ndim == 0 else x / 2, jax.jit(lambda x: x / 2))
    with np.errstate(all="raise"):  # warnings of known numbers are not the user's
        assert half(np.float64(1.0)) == np.inf
    assert jax.grad(half)(1.0) == 0.5


@pytest.mark.parametrize("count", [1, 64, 65])
@pytest.mark.parametrize("one_at_a_time", [False, True])
def test_along_any_number(count, one_at_a_time):
    rows = jnp.arange(3.0 * count).reshape(count, 3)
    np.testing.assert_array_equal(vmap_over_stack(jnp.sum, rows, one_at_a_time), rows.sum(axis=1))
    traced = jax.jit(lambda rows: vmap_over_stack(jnp.sum, rows, one_at_a_time))(rows)
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


def test_control_flow_of_either():
    def doubled(state):
        return state[0] * 2, state[1] + 1

    def below(state):
        return state[1] < 5

    for start in ((np.float64(1.0), np.int64(0)), (jnp.array(1.0), jnp.array(0))):
        assert while_loop(below, doubled, start)[0] == 32
        assert fori_loop(0, 3, lambda _, state: doubled(state), start)[0] == 8
        assert cond(start[0] > 0, lambda start=start: start[0], lambda start=start: -start[0]) == 1
        total, sums = scan(lambda total, item: (total + item, total + item), start[0], start[0] * np.arange(4))
        assert total == 7
        np.testing.assert_array_equal(sums, [1.0, 2.0, 4.0, 7.0])


@pytest.mark.parametrize(("depth", "untied"), [(2, True), (2, False), (3, False)])
def test_limits_by_numpy_and_traced(depth, untied):
    rng = np.random.default_rng(depth)
    problem = lr.Problem(rng.normal(size=(3, 8)), rng.normal(size=3))
    net = lr.inits.diagonal(8, 0.1, 0.3) if untied else lr.inits.tied_diagonal(8, 0.1, depth)
    flow = lr.GradientFlow(net, problem)
    by_numpy, by_jax = lr.limit(flow), jax.jit(lambda flow: lr.limit(flow).value)(flow)
    np.testing.assert_allclose(by_numpy.value, by_jax, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(by_numpy.net.beta, by_jax, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("delta", [-0.7, 0.0, 0.4])
def test_wide_networks_by_numpy_and_traced(delta):
    """The rotation of the hidden units is found by collocation and, traced, by an integrator."""
    rates = (1.0, 0.5)
    net = lr.inits.isotropic(jax.random.key(1), 4, 3, 3, delta=delta, rates=rates)
    flow = lr.GradientFlow(net, lr.Problem(np.eye(4), np.random.default_rng(0).normal(size=(4, 3))), rates)
    times = np.array([0.0, 1e-3, 0.4, 2.0, 50.0, 1e4])
    name = "isotropic imbalance"
    by_jax = jax.jit(lambda flow: lr.exact(flow, times, theorem=name).nets.layers)(flow)
    by_numpy = lr.exact(flow, times, theorem=name)
    for ours, theirs in zip(by_numpy.nets.layers, by_jax, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-11)
    alone = lr.exact(flow, times, theorem=name, hidden_rotation=False)
    np.testing.assert_allclose(by_numpy.beta, alone.beta, rtol=0, atol=4e-15)


def test_linear_algebra_of_either():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(3, 4, 6))
    G, nearly = Y @ np.swapaxes(Y, 1, 2), np.linalg.qr(rng.normal(size=(4, 4)))[0] + 1e-9 * rng.normal(size=(4, 4))
    (white,) = cholesky_whiten(G.copy(), Y.copy())
    np.testing.assert_allclose(white @ np.swapaxes(white, 1, 2), [np.eye(4)] * 3, atol=1e-12)
    np.testing.assert_allclose(white, cholesky_whiten(jnp.asarray(G), jnp.asarray(Y))[0], atol=1e-12)
    for matrix, side in ((G[0], Y[0, :, 0]), (jnp.asarray(G[0]), jnp.asarray(Y[0, :, 0]))):
        np.testing.assert_allclose(G[0] @ cholesky_solver(matrix)(side), Y[0, :, 0], atol=1e-12)
        assert np.all(np.isnan(cholesky_solver(-matrix)(side)))
        assert np.all(np.isnan(cholesky_whiten(-matrix, +matrix)[0]))
    turned = nearest_orthogonal(nearly)
    np.testing.assert_allclose(turned.T @ turned, np.eye(4), atol=1e-15)


@pytest.mark.parametrize("key", [jax.random.key(3), jax.random.PRNGKey(3), jax.random.key(3, impl="rbg")])
def test_numbers_drawn_together_are_those_drawn_alone(key):
    shapes = [(2, 3), (5,), (9, 8)]
    keys = jax.random.split(key, 3)
    for (normal, uniform), k, shape in zip(normal_and_uniform_arrays(key, shapes), keys, shapes, strict=True):
        np.testing.assert_allclose(normal, jax.random.normal(k, shape), rtol=1e-14)
        np.testing.assert_array_equal(uniform, jax.random.uniform(k, shape))
    if "rbg" in str(key.dtype):
        return  # whose numbers are others under vmap, by design
    many = jax.vmap(lambda k: normal_arrays(k, shapes)[0])(keys)
    np.testing.assert_allclose(many[1], normal_arrays(keys[1], shapes)[0], rtol=1e-14)


ON_ONE_CORE = """if True:
    import os
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import jax, numpy as np, lazyrich as lr
    def same(value, at):
        found = jax.tree.leaves((jax.jit(value)(at), jax.vjp(value, at)[0]))
        print(all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in zip(found, 2 * jax.tree.leaves(value(at)))))
"""


def on_one_core(code):
    """Run code on one core, where XLA compiles other programs: empty arrays beside a factorization became invalid
    calls."""
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system does not say which cores are used")
    as_shipped = os.environ | {"XLA_FLAGS": ""}
    done = subprocess.run([sys.executable, "-c", ON_ONE_CORE + code], capture_output=True, text=True, env=as_shipped)
    assert (done.returncode, set(done.stdout.split())) == (0, {"True"}), done.stderr


def test_closed_forms_on_one_core():
    on_one_core("""if True:
    problem = lr.Problem(np.eye(2), np.diag([2.0, 1.0]))
    def deep(size):
        net = lr.inits.aligned(np.diag([2.0, 1.0]), size * np.ones(2), depth=3, key=jax.random.key(1))
        return lr.exact(lr.GradientFlow(net, problem), [0.0, 1.0]).beta[-1].sum()
    def wide(size):
        net = lr.DeepLinear([size * np.eye(2), 0.5 * np.eye(2)])
        flow = lr.GradientFlow(net, problem)
        return lr.exact(flow, [0.0, 1.0], theorem="isotropic imbalance", hidden_rotation=False).beta[-1].sum()
    same(deep, 0.5)
    same(wide, 0.4)
    """)


@pytest.mark.slow
def test_every_theorem_on_one_core():
    on_one_core("""if True:
    from lazyrich.theorems import TRAJECTORY_THEOREMS
    def scaled(flow, size):
        return flow.with_net(flow.net.with_layers(jax.tree.map(lambda leaf: size * leaf, flow.net.layers)))
    for theorem in TRAJECTORY_THEOREMS:
        flow = theorem.example(np.random.default_rng(0), jax.random.key(0))
        same(lambda size: lr.exact(scaled(flow, size), [0.0, 1.0], theorem=theorem.name).loss, 1.0)
    """)


@pytest.mark.parametrize("shape", [(3,), (200, 70)])
def test_numbers_for_jax(shape):
    """What is stored is a copy; what is handed over is not, if it lies where JAX wants it."""
    mine = aligned_empty(shape)
    mine[...] = 1.0
    copy, same = to_jax(mine), to_jax_zero_copy(mine)
    mine[0] = 2.0
    assert np.all(np.asarray(copy) == 1)
    np.testing.assert_array_equal(same, mine)
    mine.flags.writeable = False  # it may be somebody else's
    kept = np.array(mine)
    again = to_jax_zero_copy(mine)
    mine.flags.writeable = True
    mine[0] = 3.0
    np.testing.assert_array_equal(again, kept)
    np.testing.assert_array_equal(to_jax_zero_copy(np.broadcast_to(kept, (2, *shape))[:, ::-1]), [kept[::-1]] * 2)
    assert to_jax(mine.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(("entries", "expected"), [
    ([1.0, 2.0], True), ([1e308, 1e308, -1.0], True), ([np.nan, 1.0], False), ([np.inf, -np.inf], False),
    ([-np.inf, 1.0], False), ([], True),
])  # fmt: skip
def test_finite(entries, expected):
    assert all_finite(np.array(entries, float)) is expected
