"""LeNet-5, 10 outputs: the distance between the tangent kernels of two sets of parameters, in JAX, time and memory.

Ours: `lazyrich.jax.kernel_distance`, exact, in float32. Rival: vmap of `jax.jacrev`, 100 samples at a time, the
Jacobians flattened, kept and multiplied. Each runs in a process of its own on one thread; seconds are of the processor,
so that other work on the machine counts less. The first call, with compilation, is shown apart: a second call with
other parameters is measured. Memory is the largest resident size above that after a warm-up on a few inputs.

`bench_jax.py`: n = 1000 both ways, then n = 5000 ours, exact and from subsamples. `bench_jax.py 200`: another n.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import json
import resource
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

OUTPUTS, WARM = 10, 20
SHAPES = {"conv1": (6, 1, 5, 5), "conv2": (16, 6, 5, 5), "fc1": (400, 120), "fc2": (120, 84), "fc3": (84, OUTPUTS)}


def lenet(params, x):
    def layer(name, x, padding=None):
        W, b = params[name]["w"], params[name]["b"]
        if W.ndim == 2:
            return x @ W + b
        out = lax.conv(x, W, (1, 1), padding) + b[:, None, None]
        return lax.reduce_window(jax.nn.relu(out), -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    x = layer("conv2", layer("conv1", x, "SAME"), "VALID").reshape(len(x), -1)
    return layer("fc3", jax.nn.relu(layer("fc2", jax.nn.relu(layer("fc1", x)))))


def networks():
    """Parameters; the same with each entry moved by a fifth of its layer's spread, twice."""
    rng = np.random.default_rng(0)
    fans = {name: np.prod(shape[1:]) if len(shape) == 4 else shape[0] for name, shape in SHAPES.items()}
    start = {
        name: {
            "w": rng.uniform(-1, 1, shape) / np.sqrt(fans[name]),
            "b": rng.uniform(-1, 1, shape[0] if len(shape) == 4 else shape[1]) / np.sqrt(fans[name]),
        }
        for name, shape in SHAPES.items()
    }
    moved = [jax.tree.map(lambda v: v + 0.2 * v.std() * rng.normal(size=v.shape), start) for _ in range(2)]
    return [jax.tree.map(lambda v: jnp.asarray(v, jnp.float32), each) for each in (start, *moved)]


def ours(params, start, x, method="exact"):
    from lazyrich.jax import kernel_distance

    found = kernel_distance(lenet, params, start, x, method=method)
    return found.value, found.error


@jax.jit
def rows(params, x):
    found = jax.vmap(lambda sample: jax.jacrev(lambda p: lenet(p, sample[None])[0])(params))(x)
    return jnp.concatenate([part.reshape(len(x) * OUTPUTS, -1) for part in jax.tree.leaves(found)], 1)


@jax.jit
def product(J):
    return J @ J.T


def jacobians(params, start, x):
    def kernel(params):
        parts = [rows(params, x[k : k + 100]) for k in range(0, len(x), 100)]
        J = jnp.concatenate(parts)
        del parts
        return product(J).block_until_ready()

    K, K0 = kernel(params), kernel(start)
    sums = np.zeros(3)  # one float32 sum over 1e8 entries would be off by 0.6 %
    for k in range(0, len(K), 100):
        one, other = (np.asarray(part[k : k + 100], float) for part in (K, K0))
        sums += [(one * other).sum(), (one * one).sum(), (other * other).sum()]
    return float(1 - sums[0] / np.sqrt(sums[1] * sums[2])), 0.0


WAYS = {"ours": ours, "subsamples": lambda *given: ours(*given, "subsample"), "jacrev": jacobians}


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(way, n):
    start, other, params = networks()
    x = jnp.asarray(np.random.default_rng(1).normal(size=(n, 1, 28, 28)), jnp.float32)
    WAYS[way](other, start, x[:WARM])
    before, began = peak(), time.process_time()
    WAYS[way](other, start, x)
    first, memory = time.process_time() - began, peak() - before
    began, clock = time.process_time(), time.perf_counter()
    value, error = WAYS[way](params, start, x)
    seconds, wall = time.process_time() - began, time.perf_counter() - clock
    found = {"value": value, "error": error, "seconds": seconds, "first": first, "wall": wall, "memory": memory}
    print(json.dumps(found))


def apart(way, n):
    done = subprocess.run([sys.executable, __file__, way, str(n)], check=True, capture_output=True, text=True)
    row = json.loads(done.stdout)
    print(
        f"n = {n:5d}  {way:10s} S = {row['value']:.8f} ± {row['error']:.1g}   {row['seconds']:7.1f} s of the processor"
        f" ({row['wall']:.1f} s by the clock; the first call, with compilation, {row['first']:.1f} s), "
        f"{row['memory'] / 1e9:5.2f} GB",
        flush=True,
    )
    return row


def main(n, more):
    our, rival = apart("ours", n), apart("jacrev", n)
    print(
        f"ratios: time {rival['seconds'] / our['seconds']:.1f} (with compilation {rival['first'] / our['first']:.1f}), "
        f"memory {rival['memory'] / our['memory']:.1f}; S differs by {abs(rival['value'] / our['value'] - 1):.1e} of it"
    )
    if more:
        apart("ours", 5 * n)
        apart("subsamples", 5 * n)


if __name__ == "__main__":
    match sys.argv[1:]:
        case [way, n]:
            measure(way, int(n))
        case [n]:
            main(int(n), more=False)
        case _:
            main(1000, more=True)
