"""LeNet-5, 10 outputs: the distance between the tangent kernels of two sets of parameters, in JAX, time and memory.

Ours: `lazyrich.jax.kernel_distance`, exact, in float32. Rival: vmap of `jax.jacrev`, 100 samples at a time, the
Jacobians flattened, kept and multiplied. Each runs in its own process on one thread; seconds are processor time, so
that other work on the machine counts less. Compilation is shown separately: the time of a first call on 200 inputs
beyond that of a second one. Then all inputs are measured, with other parameters. Memory is the largest resident size
above that after a warm-up on a few inputs.

`bench_jax.py`: n = 1000 both ways, then n = 5000 ours, exact and from subsamples. `bench_jax.py 200`: another n.

neural-tangents does not import with current JAX. If NEURAL_TANGENTS_PYTHON names a Python that has it (3.11 with
`pip install jax==0.4.30 jaxlib==0.4.30 neural-tangents==0.6.5 "numpy<2" "scipy<1.13"`), two of its implementations run
there too, at n = 200: blocks of 20 samples (or of BLOCK) on and above the diagonal.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import json
import os
import resource
import subprocess
import sys
import time
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from record import record

OUTPUTS, WARM, SMALL = 10, 20, 200
BLOCK = int(os.environ.get("BLOCK", "20"))  # samples at once in neural-tangents
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
    """Return parameters, and twice the same with each entry moved by a fifth of its layer's standard deviation."""
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


@cache
def theirs(implementation):
    import neural_tangents as nt
    from jax._src import source_info_util
    from jax.interpreters import ad

    # neural-tangents reads these there; in JAX 0.4.30 they are elsewhere
    ad.source_info_util, ad.config = source_info_util, jax.config
    way = getattr(nt.NtkImplementation, implementation)
    return jax.jit(nt.empirical_ntk_fn(lenet, trace_axes=(), vmap_axes=0, implementation=way))


def neural_tangents(implementation, params, start, x):
    kernel, sums = theirs(implementation), np.zeros(3)
    for i in range(0, len(x), BLOCK):
        for j in range(i, len(x), BLOCK):
            pair = x[i : i + BLOCK], x[j : j + BLOCK]
            one, other = (np.asarray(kernel(*pair, p), float) for p in (params, start))
            sums += (1 if i == j else 2) * np.array([(one * other).sum(), (one * one).sum(), (other * other).sum()])
    return float(1 - sums[0] / np.sqrt(sums[1] * sums[2])), 0.0


THEIRS = {"nt-structured": "STRUCTURED_DERIVATIVES", "nt-contracted": "JACOBIAN_CONTRACTION"}
WAYS = {"ours": ours, "subsamples": lambda *given: ours(*given, "subsample"), "jacrev": jacobians}
WAYS |= {way: partial(neural_tangents, implementation) for way, implementation in THEIRS.items()}


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run_timed(way, *given):
    began = time.process_time()
    found = WAYS[way](*given)
    return time.process_time() - began, found


def measure(way, n):
    start, other, params = networks()
    x = jnp.asarray(np.random.default_rng(1).normal(size=(n, 1, 28, 28)), jnp.float32)
    WAYS[way](other, start, x[:WARM])
    before = peak()
    compiling = run_timed(way, other, start, x[:SMALL])[0] - run_timed(way, params, start, x[:SMALL])[0]
    clock = time.perf_counter()
    seconds, (value, error) = run_timed(way, params, start, x)
    found = {"seconds": seconds, "compiling": compiling, "wall": time.perf_counter() - clock, "memory": peak() - before}
    print(json.dumps({"value": value, "error": error, **found}))


def apart(way, n, python=sys.executable):
    done = subprocess.run([python, __file__, way, str(n)], check=True, stdout=subprocess.PIPE, text=True)
    row = json.loads(done.stdout.splitlines()[-1])
    print(
        f"n = {n:5d}  {way:13s} S = {row['value']:.8f} ± {row['error']:.1g}   {row['seconds']:7.1f} s of the processor"
        f" ({row['wall']:.1f} s by the clock; compilation {row['compiling']:.1f} s), "
        f"{row['memory'] / 1e9:5.2f} GB",
        flush=True,
    )
    return row


def _whole(row):
    return row["seconds"] + row["compiling"]


def against(n, rival, python=sys.executable):
    our, their = apart("ours", n), apart(rival, n, python)
    time, memory = (their[what] / our[what] for what in ("seconds", "memory"))
    record(f"kernel distance in JAX, n = {n}", ours=our["seconds"], rival=rival, theirs=their["seconds"])
    record(f"kernel distance in JAX, n = {n}: memory", ours=our["memory"] / 1e9, rival=rival,
           theirs=their["memory"] / 1e9, unit="GB")  # fmt: skip
    print(
        f"ratios: time {time:.1f} (with compilation {_whole(their) / _whole(our):.1f}), memory {memory:.1f}; "
        f"S differs by {abs(their['value'] / our['value'] - 1):.1e} of it",
        flush=True,
    )


def main(n, few, more):
    against(n, "jacrev")
    if python := os.environ.get("NEURAL_TANGENTS_PYTHON"):
        for rival in THEIRS:
            try:
                against(few, rival, python)
            except subprocess.CalledProcessError as error:
                print(f"{rival}: left out; {python} could not ({error})")
    else:
        print("neural-tangents: left out; NEURAL_TANGENTS_PYTHON names no Python that has it (see the top of the file)")
    if more:
        for way in ("ours", "subsamples"):
            row = apart(way, 5 * n)
            record(f"kernel distance in JAX, n = {5 * n}, {way}", ours=row["seconds"],
                   note=f"{row['memory'] / 1e9:.2f} GB")  # fmt: skip


if __name__ == "__main__":
    match sys.argv[1:]:
        case [way, n]:
            measure(way, int(n))
        case [n]:
            main(int(n), int(n), more=False)
        case _:
            main(1000, 200, more=True)
