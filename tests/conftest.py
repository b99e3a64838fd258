"""How the tests run, and the networks and problems that the contract tests run over."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr

# Most of the time of the tests is compilation of small programs that run once; half of it goes when the compiler does
# not optimize. An `XLA_FLAGS` of one's own is kept: `XLA_FLAGS= pytest …` tests the code that users run.
QUICK = (
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
    "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
)


def known(flags):
    """Whether this version of the compiler knows them: it ends a process that asks for others."""
    probe = [sys.executable, "-c", "from jaxlib import xla_client; xla_client.make_cpu_client()"]
    return subprocess.run(probe, env={**os.environ, "XLA_FLAGS": flags}, capture_output=True).returncode == 0


# Before the first computation; the processes that tests start inherit it.
if "XLA_FLAGS" not in os.environ and known(QUICK):
    os.environ["XLA_FLAGS"] = QUICK


def pytest_addoption(parser):
    parser.addoption("--first", action="store_true", help="of each parametrized test, the first example only")


def pytest_itemcollected(item):
    """With `--dist loadgroup` a file runs in one process, which compiles what it needs once; or as its marks say."""
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
MOST_MAPS = 25_000  # of the 65,530 that Linux allows a process by default


def pytest_runtest_teardown(item, nextitem):
    """Every compiled function holds some memory maps; when a process runs out of them, the compiler crashes."""
    if MAPS.exists() and MAPS.read_bytes().count(b"\n") > MOST_MAPS:
        jax.clear_caches()
        gc.collect()


def keys(seed=0):
    """An endless supply of keys."""
    key = jax.random.key(seed)
    while True:
        key, one = jax.random.split(key)
        yield one


def make_networks():
    """One of each kind, in general position: name → (network, rates)."""
    k = keys(1)
    wide = lr.inits.gaussian(next(k), (3, 4, 2), std=0.6)
    relu = lr.inits.two_layer(next(k), d=3, h=5, std=(0.7, 0.5))

    def diagonal(layers, power=1):
        return lr.Diagonal([0.4 + 0.5 * jax.random.uniform(next(k), (2, 3)) for _ in range(layers)], power)

    return {
        "regression": (lr.inits.gaussian(next(k), (3, 2)), (0.7,)),
        "neuron": (lr.inits.neuron([0.3, -0.4, 0.2], delta=-0.5, sign=-1.0), (0.5, 2.0)),
        "wide": (wide, (0.3, 1.7)),
        "deep": (lr.inits.gaussian(next(k), (3, 4, 2, 3, 1), std=0.7), (0.5, 2.0, 1.0, 0.3)),
        "diagonal untied": (diagonal(2), (0.5, 2.0)),
        "diagonal untied depth 3": (diagonal(3), (0.5, 2.0, 1.0)),
        "diagonal mixed": (diagonal(2, 2), (0.5, 2.0)),
        "diagonal tied": (diagonal(1, 2), (0.8,)),
        "diagonal tied depth 3": (diagonal(1, 3), (0.8,)),
        "diagonal tied depth 4": (diagonal(1, 4), (0.8,)),
        "factorization": (lr.Factorization(0.6 * jax.random.normal(next(k), (2, 2))), (0.7,)),
        "relu": (relu, (0.5, 2.0)),
        "leaky": (lr.TwoLayer(relu.W, relu.a, slope=0.2), (2.0, 0.5)),
        "absolute value": (lr.TwoLayer(relu.W, relu.a, slope=-1.0), (1.0, 1.0)),
        "two-layer linear": (lr.TwoLayer(relu.W, relu.a, slope=1.0), (2.0, 0.5)),
        "linearized wide": (lr.Linearized(wide), (0.3, 1.7)),
        "linearized relu": (lr.Linearized(relu), (0.5, 2.0)),
        "linearized diagonal": (lr.Linearized(diagonal(2)), (0.5, 2.0)),
    }


NETWORKS = make_networks()
# Data on which the piecewise-linear flows cross kinks but do not slide, where no smooth integrator is a reference.
SEEDS = {"relu": 3, "leaky": 6, "absolute value": 3}


def make_problem(net, n=6, seed=2, loss=None, kappa=1.0):
    """Data in general position for a network."""
    d, c = net.sizes
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = rng.normal(size=(n, c)) if c > 1 else rng.normal(size=n)
    if loss is not None and loss.margin:
        y = np.sign(y)
    return lr.Problem(X, y, loss, kappa)


@pytest.fixture(params=sorted(NETWORKS))
def flow(request):
    """A flow of each network with unequal rates."""
    net, rates = NETWORKS[request.param]
    return lr.GradientFlow(net, make_problem(net, seed=SEEDS.get(request.param, 2), kappa=0.3), rates)


def moved(net, seed=3, size=0.1):
    """The same network with perturbed parameters."""
    leaves, tree = jax.tree.flatten(net.layers)
    rng = np.random.default_rng(seed)
    return net.with_layers(jax.tree.unflatten(tree, [leaf + size * rng.normal(size=leaf.shape) for leaf in leaves]))


def each(examples, most):
    """pytest parameters (theorem, name), one group of tests per example; beyond the first few of each they are slow."""
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
    """The largest difference between two trees."""
    pairs = zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    return max(float(jnp.max(jnp.abs(x - y))) for x, y in pairs)
