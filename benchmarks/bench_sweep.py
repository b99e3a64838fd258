"""Sweeps of 1e5 trivial cells: the cost of computing, storing and reading a cell; batches of small
JAX cells; and the same sweep on a dask cluster of two workers, some of which are killed.

The rivals are joblib (in memory, and with `joblib.Memory`, which keeps a folder for each call) and a dask client that
maps the function over the cells, in memory. The limit is the call of the function and the system's write of the same
bytes. A log with one line for each call shows what was computed twice.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from functools import lru_cache
from pathlib import Path

from record import record

from lazyrich import sweep

COUNT = 2_000 if "--quick" in sys.argv else 100_000
SEEDS = 10
AXES = {"x": [i / 7 for i in range(COUNT // SEEDS)]}
HERE = Path(__file__).parent


@lru_cache
def _log(folder, process):
    return os.open(f"{folder}/{process}", os.O_CREAT | os.O_APPEND | os.O_WRONLY)


def trivial(x, seed, log=""):
    if log:
        os.write(_log(log, os.getpid()), f"{x!r} {seed}\n".encode())
    return {"a": 2.0 * x, "b": seed}


def small(x, seed):
    """Compute a small cell in JAX: twenty steps of descent on a random quadratic in three dimensions."""
    import jax
    import jax.numpy as jnp

    curvature = jnp.exp(jax.random.normal(jax.random.key(seed), (3,)))
    w = jnp.ones(3)
    for _ in range(20):
        w = w - 0.1 * x * curvature * w
    return {"loss": jnp.sum(curvature * w**2)}


@lru_cache
def _compile_small():
    import jax

    return jax.jit(small)


def small_in_jax(x, seed):
    """Compute the same cell as `small`, compiled by hand."""
    return _compile_small()(x, seed)


def clock(function):
    began = time.perf_counter()
    result = function()
    return result, time.perf_counter() - began


def points(count):
    return [(AXES["x"][cell // SEEDS], cell % SEEDS) for cell in range(count)]


def with_joblib(count, workers):
    from joblib import Parallel, delayed

    return Parallel(n_jobs=workers)(delayed(trivial)(x, seed) for x, seed in points(count))


def with_joblib_memory(folder, count):
    from joblib import Memory

    kept = Memory(folder / "memory", verbose=0).cache(trivial)
    return [kept(x, seed) for x, seed in points(count)]


def with_plain_dask(client, count):
    return client.gather(client.map(trivial, *zip(*points(count), strict=True), pure=False))


def bare(folder, count):
    file = os.open(folder / "bare", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    for cell in range(count):
        trivial(AXES["x"][cell % len(AXES["x"])], 0)
        os.write(file, bytes(120))
    os.close(file)


def cost_of_a_cell(folder):
    few = 1000
    _, stored = clock(lambda: with_joblib_memory(folder, few))
    with_joblib(10, 2)  # start its processes
    rivals = {engine: clock(lambda n=n: with_joblib(COUNT, n))[1] for engine, n in (("serial", 1), ("processes", 2))}
    _, least = clock(lambda: bare(folder, COUNT))
    sweep.run(trivial, {"x": [1.0]}, out=folder / "warm", engine="serial")  # import its modules
    for engine in ("serial", "processes"):
        asked = {"seeds": SEEDS, "out": folder / engine, "engine": engine, "workers": 2}
        _, run = clock(lambda asked=asked: sweep.run(trivial, AXES, **asked))
        _, again = clock(lambda asked=asked: sweep.run(trivial, AXES, strict=True, **asked))
        found, look = clock(lambda engine=engine: sweep.status(folder / engine))
        data, load = clock(lambda engine=engine: sweep.load(folder / engine))
        assert found.done == COUNT
        assert bool((data["a"] == 2 * data["x"]).all())
        per = [1e3 * seconds / COUNT for seconds in (run, again, look, load, rivals[engine], least)]
        print(
            f"{COUNT} trivial cells, {engine}: {per[0]:.3f} ms each; finished: {per[1]:.4f} ms in a second run, "
            f"{per[2]:.4f} in status, {per[3]:.4f} in load; joblib in memory {per[4]:.3f} ms, with Memory "
            f"{1e3 * stored / few:.2f} ms; bare {per[5]:.4f} ms",
            flush=True,
        )
        record(f"a trivial cell of {COUNT:,}, {engine}", ours=run / COUNT, rival="joblib, in memory",
               theirs=rivals[engine] / COUNT, limit=least / COUNT, limit_is="the call and the write")  # fmt: skip
        record(f"a trivial cell of {COUNT:,}, {engine}, kept", ours=run / COUNT, rival="joblib.Memory",
               theirs=stored / few)  # fmt: skip
        for what, seconds in {"a second run": again, "status": look, "load": load}.items():
            record(f"looking at a finished cell of {COUNT:,}, {engine}: {what}", ours=seconds / COUNT)


def batches(folder):
    """Time batches, including the compilation of the mapped function, and a twentieth of the cells one by one, after
    a warm-up."""
    count = COUNT // 10
    for function in (small, small_in_jax):
        per = {}
        for batch, some in ((None, count // 20), (256, count)):
            asked = {"seeds": SEEDS, "engine": "serial", "batch": batch}
            out = folder / f"{function.__name__}{batch}"
            sweep.run(function, {"x": [0.5]}, out=out.with_suffix(".warm"), **asked)
            axes = {"x": [1 + i / count for i in range(some // SEEDS)]}
            data, seconds = clock(lambda f=function, x=axes, o=out, a=asked: sweep.run(f, x, out=o, **a))
            assert bool(data["loss"].notnull().all())
            per[batch] = seconds / some
        what = f"a small JAX cell{', compiled by hand' * (function is small_in_jax)}, batch=256, of {count:,}"
        print(f"{what}: {1e3 * per[256]:.3f} ms, one by one {1e3 * per[None]:.3f} ms", flush=True)
        record(what, ours=per[256], rival="one by one", theirs=per[None])


def n_computed(log):
    """Return how many cells were computed, with and without repetitions."""
    lines = [line for file in log.iterdir() for line in file.read_text().splitlines()]
    return len(lines), len(set(lines))


def report(what, seconds, kills, out, log):
    calls, different = n_computed(log)
    found, look = clock(lambda: sweep.status(out))
    data, load = clock(lambda: sweep.load(out))
    lost = COUNT - found.done
    print(
        f"{what}: {seconds:.1f} s, {kills} kills; lost {lost}, computed twice {calls - different}; "
        f"status {look:.2f} s, load {load:.2f} s",
        flush=True,
    )
    assert (lost, different, found.failed) == (0, COUNT, {})
    assert bool((data["a"] == 2 * data["x"]).all())
    told = f"{kills} kills, nothing lost, {calls - different} computed twice; status {look:.2f} s, load {load:.2f} s"
    record(f"{what}, {COUNT:,} trivial cells", ours=seconds, note=told)


def on_dask(folder):
    """Run the sweep on two workers, of which one is killed with -9 five times; its nanny starts another."""
    from dask.distributed import Client, LocalCluster

    out, log = folder / "dask", folder / "dask-log"
    log.mkdir()
    kills, over = [], threading.Event()
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster:
        with Client(cluster) as client:
            with_plain_dask(client, 10)
            plain, theirs = clock(lambda: with_plain_dask(client, COUNT // 10))
            assert len(plain) == COUNT // 10
        _, ours = clock(lambda: sweep.run(trivial, AXES, seeds=SEEDS, out=folder / "calm", engine=cluster))
        print(
            f"{COUNT} trivial cells, dask cluster of 2 workers: {1e3 * ours / COUNT:.3f} ms each; client.map in memory "
            f"{1e4 * theirs / COUNT:.3f} ms",
            flush=True,
        )
        record(f"a trivial cell of {COUNT:,}, dask cluster of 2 workers", ours=ours / COUNT,
               rival="client.map, in memory", theirs=theirs / (COUNT // 10))  # fmt: skip

        def killer():
            while not over.wait(random.uniform(1.0, 3.0)) and len(kills) < 5:
                nanny = random.choice(list(cluster.workers.values()))
                if nanny.pid is not None and log.exists() and any(log.iterdir()):
                    os.kill(nanny.pid, signal.SIGKILL)
                    kills.append(nanny.pid)

        thread = threading.Thread(target=killer, daemon=True)
        thread.start()
        asked = {"seeds": SEEDS, "fixed": {"log": str(log)}, "out": out, "engine": cluster}
        _, seconds = clock(lambda: sweep.run(trivial, AXES, strict=True, **asked))
        over.set()
        thread.join()
        report("a dask cluster of 2 workers", seconds, len(kills), out, log)
        _, again = clock(lambda: sweep.run(trivial, AXES, strict=True, **asked))
        record(f"resuming a finished sweep of {COUNT:,} cells on dask", ours=again)


def main():
    random.seed(0)
    warnings.simplefilter("ignore")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as name:
        for part in (cost_of_a_cell, batches, on_dask):
            folder = Path(name) / part.__name__
            folder.mkdir()
            part(folder)


if __name__ == "__main__":
    import bench_sweep  # under the name by which workers import it

    bench_sweep.main()
