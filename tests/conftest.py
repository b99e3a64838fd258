"""How the tests run, and the networks and problems that the contract tests run over."""

import gc
import importlib.util
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from itertools import count, pairwise
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.interpreters import mlir

import lazyrich as lr
from lazyrich._core import enable_float64 as enable_float64  # before any test makes an array of its own
from tests.explorer.chromium import browser, file, visit  # noqa: F401, the fixtures of a browser

if importlib.util.find_spec("torchvision"):  # only slow tests install it
    import tests.pytorch.torchvision_import  # noqa: F401

# Most of the time of the tests is compilation of small programs that run once; half of it goes when the compiler does
# not optimize. An `XLA_FLAGS` of one's own is kept: `XLA_FLAGS= pytest …` tests the code that users run.
QUICK = (
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
    "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
)


def known(flags):
    """Return whether this version of the compiler accepts the flags, since it aborts a process with unknown ones."""
    probe = [sys.executable, "-c", "from jaxlib import xla_client; xla_client.make_cpu_client()"]
    return subprocess.run(probe, env={**os.environ, "XLA_FLAGS": flags}, capture_output=True).returncode == 0


# Before the first computation; the processes that tests start inherit it.
if "XLA_FLAGS" not in os.environ and known(QUICK):
    os.environ["XLA_FLAGS"] = QUICK
lr.enable_compilation_cache()  # a second run compiles what has changed
os.environ.setdefault("OMP_NUM_THREADS", "1")  # PyTorch: tests run side by side
# A sixth of the rest goes to making the compiler's context anew for each of thousands of programs: one serves all.
mlir.make_ir_context = cache(mlir.make_ir_context)
jax.config.update("jax_traceback_in_locations_limit", 0)
# Another seventh goes to looking through everything for cycles, of which there are few: see below.
gc.disable()


# No folder here may be called torch: where PyTorch is not installed, it would be taken for it.


def pytest_addoption(parser):
    parser.addoption("--first", action="store_true", help="of each parametrized test, the first example only")


def pytest_itemcollected(item):
    """Group the tests of a file, unless a mark says otherwise, so that `--dist loadgroup` compiles for them in one
    process."""
    if item.get_closest_marker("xdist_group") is None:
        item.add_marker(pytest.mark.xdist_group(item.nodeid.split("::")[0]))


@pytest.hookimpl(trylast=True)  # after those that `-m` leaves out
def pytest_collection_modifyitems(config, items):
    if config.getoption("--first"):
        first = {}
        for item in items:
            first.setdefault(item.nodeid.split("[")[0], item)
        items[:] = first.values()


MAPS = Path("/proc/self/maps")
MOST_MAPS = 40_000  # of the 65,530 that Linux allows a process by default
EVERY = 16  # tests: to count them takes 25 ms when they are many
_ended = count(1)


def pytest_collection_finish(session):
    """Check that groups are in effect; otherwise every process would compile for every file and create its fixtures."""
    if session.config.getoption("loadgroup", False):
        assert any("@" in item.nodeid for item in session.items), "pytest and pytest-xdist do not fit: no groups"


def pytest_runtest_teardown(item, nextitem):
    """Clear JAX's caches now and then: compiled functions hold memory maps, and the compiler crashes without free
    ones."""
    if next(_ended) % EVERY == 0 and MAPS.exists() and MAPS.read_bytes().count(b"\n") > MOST_MAPS:
        jax.clear_caches()
        gc.collect()


def normal(seed, *shape, std=1.0):
    return std * np.random.default_rng(seed).normal(size=shape)


def deep(seed, *widths, std):
    return lr.DeepLinear([normal((seed, l), *sizes[::-1], std=std) for l, sizes in enumerate(pairwise(widths))])


def diagonal(seed, layers, power=1):
    return lr.Diagonal(list(np.random.default_rng(seed).uniform(0.4, 0.9, size=(layers, 2, 3))), power)


def relu(slope):
    """Return a ReLU network that, with the data of SEEDS, crosses kinks and slides on none; rounded to two digits,
    it would slide."""
    W = [
        [-1.235, 0.245, -0.481],
        [-0.287, -0.057, -1.404],
        [1.029, -0.943, 0.528],
        [-0.893, -1.197, 0.042],
        [0.223, -0.118, 0.014],
    ]
    return lr.TwoLayer(W, [-0.466, 0.882, 0.281, -0.608, 0.61], slope)


MAKERS = {  # one of each kind, in general position: name → (maker, rates)
    "regression": (lambda: deep(1, 3, 2, std=0.6), (0.7,)),
    "neuron": (lambda: lr.inits.neuron([0.3, -0.4, 0.2], delta=-0.5, sign=-1.0), (0.5, 2.0)),
    "wide": (lambda: deep(2, 3, 4, 2, std=0.6), (0.3, 1.7)),
    "deep": (lambda: deep(10, 3, 4, 2, 3, 1, std=0.7), (0.5, 2.0, 1.0, 0.3)),
    "diagonal untied": (lambda: diagonal(4, 2), (0.5, 2.0)),
    "diagonal untied depth 3": (lambda: diagonal(5, 3), (0.5, 2.0, 1.0)),
    "diagonal mixed": (lambda: diagonal(6, 2, 2), (0.5, 2.0)),
    "diagonal tied": (lambda: diagonal(7, 1, 2), (0.8,)),
    "diagonal tied depth 3": (lambda: diagonal(8, 1, 3), (0.8,)),
    "diagonal tied depth 4": (lambda: diagonal(11, 1, 4), (0.8,)),
    "factorization": (lambda: lr.Factorization(normal(10, 2, 2, std=0.6)), (0.7,)),
    "relu": (lambda: relu(0.0), (0.5, 2.0)),
    "leaky": (lambda: relu(0.2), (2.0, 0.5)),
    "absolute value": (lambda: relu(-1.0), (1.0, 1.0)),
    "erf": (lambda: lr.TwoLayerErf(normal((12, 0), 4, 3, std=0.7), normal((12, 1), 4, std=0.7)), (0.5, 2.0)),
    "attention": (
        lambda: lr.LinearAttention(*(normal((13, k), 2, *s) for k, s in enumerate([(), (2, 2), (2, 2)]))),
        (0.5, 2.0, 1.0),
    ),
    "merged attention": (lambda: lr.MergedLinearAttention(normal((14, 0), 3, 2, 2), normal((14, 1), 3)), (0.5, 2.0)),
    "two-layer linear": (lambda: relu(1.0), (2.0, 0.5)),
    "linearized wide": (lambda: lr.Linearized(deep(2, 3, 4, 2, std=0.6)), (0.3, 1.7)),
    "linearized relu": (lambda: lr.Linearized(relu(0.0)), (0.5, 2.0)),
    "linearized diagonal": (lambda: lr.Linearized(diagonal(9, 2)), (0.5, 2.0)),
}


class Made(Mapping):
    """name → (network, rates), each network made when it is first asked for: collecting tests computes nothing."""

    def __getitem__(self, name):
        return made(name)

    def __iter__(self):
        return iter(MAKERS)

    def __len__(self):
        return len(MAKERS)


@cache
def made(name):
    maker, rates = MAKERS[name]
    return maker(), rates


NETWORKS = Made()
# Data on which the piecewise-linear flows cross kinks but do not slide, where no smooth integrator is a reference.
SEEDS = {"relu": 3, "leaky": 6, "absolute value": 3}


def make_problem(net, n=6, seed=2, loss=None, kappa=1.0):
    """Return data in general position for a network."""
    d, c = net.n_inputs_outputs
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = rng.normal(size=(n, c)) if c > 1 else rng.normal(size=n)
    if loss is not None and loss.is_margin_loss:
        y = np.sign(y)
    return lr.Problem(X, y, loss, kappa)


@pytest.fixture(params=sorted(NETWORKS))
def flow(request):
    """Return a flow of each network with unequal rates."""
    net, rates = NETWORKS[request.param]
    return lr.GradientFlow(net, make_problem(net, seed=SEEDS.get(request.param, 2), kappa=0.3), rates)


def moved(net, seed=3, size=0.1):
    """Return the same network with perturbed parameters."""
    leaves, tree = jax.tree.flatten(net.layers)
    rng = np.random.default_rng(seed)
    return net.with_layers(jax.tree.unflatten(tree, [leaf + size * rng.normal(size=leaf.shape) for leaf in leaves]))


def each(examples, most):
    """Return pytest parameters (theorem, name), one group of tests per example; beyond the first few, they are
    marked slow."""
    return [
        pytest.param(
            (theorem, name),
            marks=[pytest.mark.xdist_group(f"{theorem}: {name}"), *([pytest.mark.slow] if i >= most else [])],
            id=f"{theorem}: {name}",
        )
        for theorem, found in examples.items()
        for i, name in enumerate(found)
    ]


def distance(a, b):
    """Return the largest difference between two trees."""
    pairs = zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    return max(float(jnp.max(jnp.abs(x - y))) for x, y in pairs)
