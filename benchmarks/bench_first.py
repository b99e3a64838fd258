"""Time the first call in a fresh process against code without this library: import, make, solve, and once more.

Every row is a process of its own, ours and the bare one in turn; medians are reported. Mainly compilation is measured.
`again` is the same call with another number of times and another network of the same shape. Each time is followed by
the number of compiled programs. The bare counterparts are, for trajectories, diffrax's Dopri8 on the same equations,
jitted, at the tolerance with which the closed form can be checked (rtol 1e-10); for the limit of a diagonal network, a
damped Newton method on the dual, in NumPy and SciPy, from large weights to small ones, which compiles nothing.

A second process with the compilation cache: `python bench_first.py --stored`.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
COUNTS = (301, 417)  # numbers of times in the first call and in the second
STORED = "--stored" in sys.argv
D, N, ALPHA = 100, 20, 1e-3  # of the limit


class Clock:
    """Seconds and number of compiled programs since the last mark."""

    def __init__(self):
        self.seen, self.marks, self.compiled = {}, time.perf_counter(), 0

    def watch(self):
        from jax._src import compiler

        original = compiler.backend_compile_and_load

        def counted(*args, **options):
            self.compiled += 1
            return original(*args, **options)

        compiler.backend_compile_and_load = counted

    def mark(self, name):
        self.seen[name] = (time.perf_counter() - self.marks, self.compiled)
        self.marks, self.compiled = time.perf_counter(), 0


def import_library(clock):
    import lazyrich as lr

    if STORED:
        lr.enable_compilation_cache()
    lr.exact, lr.inits.neuron, lr.limit, lr.metrics, lr.Problem  # noqa: B018 (the front door is lazy)
    clock.mark("import")
    clock.watch()
    return lr


def imported_bare(clock):
    import jax

    jax.config.update("jax_enable_x64", True)
    import diffrax as dfx
    import jax.numpy as jnp

    clock.mark("import")
    clock.watch()
    return jax, jnp, dfx


def data(index, shape):
    import numpy as np

    return np.random.default_rng(index).normal(size=shape)


def neuron(clock):
    lr = import_library(clock)
    import numpy as np

    for index, count in enumerate(COUNTS):
        flow = lr.GradientFlow(lr.inits.neuron(0.3 * data(index, 2), delta=-1.0), lr.Problem(np.eye(2), [0.6, 0.8]))
        clock.mark("make" if index == 0 else "make again")
        lr.solve(flow, np.linspace(0, 10, count)).nets.weights[0].block_until_ready()
        clock.mark("call" if index == 0 else "again")


def wide(clock, theorem="isotropic imbalance", **options):
    lr = import_library(clock)
    import jax
    import numpy as np

    for index, count in enumerate(COUNTS):
        net = lr.inits.isotropic(jax.random.key(index), 6, 5, 4, delta=0.5, scale=0.3)
        flow = lr.GradientFlow(net, lr.Problem(np.eye(6), data(index, (6, 4))))
        clock.mark("make" if index == 0 else "make again")
        lr.exact(flow, np.linspace(0, 10, count), **options).nets.weights[0].block_until_ready()
        clock.mark("call" if index == 0 else "again")


def wide_without_rotation(clock):
    wide(clock, hidden_rotation=False)


def weights(index):
    return data(index, (5, 6)) / 2.4, data(5, (5, 5)) / 2.2, data(6, (4, 5)) / 2.2


def draw_inits(clock):
    lr = import_library(clock)
    import jax

    for index in range(2):
        clock.mark("make" if index == 0 else "make again")
        lr.inits.gaussian(jax.random.key(index), (6, 5, 5, 4)).weights[0].block_until_ready()
        clock.mark("call" if index == 0 else "again")


def deep(clock):
    lr = import_library(clock)
    import numpy as np

    for index, count in enumerate(COUNTS):
        net = lr.DeepLinear(weights(index))
        flow = lr.GradientFlow(net, lr.Problem(data(5 + index, (10, 6)), data(index, (10, 4))))
        clock.mark("make" if index == 0 else "make again")
        lr.integrate(flow, np.linspace(0, 1, count)).nets.weights[0].block_until_ready()
        clock.mark("call" if index == 0 else "again")


def limit(clock):
    lr = import_library(clock)
    for index in range(2):
        problem = lr.Problem(data(index, (N, D)), data(5 + index, N))
        flow = lr.GradientFlow(lr.inits.tied_diagonal(D, ALPHA), problem)
        clock.mark("make" if index == 0 else "make again")
        lr.limit(flow).value.block_until_ready()
        clock.mark("call" if index == 0 else "again")


def metrics(clock):
    lr = import_library(clock)
    import numpy as np

    for index, count in enumerate(COUNTS):
        flow = lr.GradientFlow(lr.inits.neuron(0.3 * data(index, 2), delta=-1.0), lr.Problem(np.eye(2), [0.6, 0.8]))
        traj = lr.solve(flow, np.linspace(0, 10, count))
        clock.mark("make" if index == 0 else "make again")
        traj.loss, traj.beta, lr.metrics.kernel_distance(traj), lr.metrics.parameter_distance(traj)
        clock.mark("call" if index == 0 else "again")


def _bare(clock, nets, problems):
    """Solve a linear network by Dopri8 on its weights, without this library."""
    jax, jnp, dfx = imported_bare(clock)

    def field(_, weights, args):
        X, y = args

        def loss(weights):
            out = X
            for W in weights:
                out = out @ W.T
            return 0.5 * jnp.sum((out - y) ** 2)

        return jax.tree.map(jnp.negative, jax.grad(loss)(weights))

    @jax.jit
    def run(weights, args, times):
        return dfx.diffeqsolve(
            dfx.ODETerm(field),
            dfx.Dopri8(),
            0.0,
            times[-1],
            None,
            weights,
            args,
            saveat=dfx.SaveAt(ts=times),
            stepsize_controller=dfx.PIDController(rtol=1e-10, atol=1e-12),
            max_steps=100_000,
        ).ys

    import numpy as np

    for index, (count, weights, (X, y, last)) in enumerate(zip(COUNTS, nets, problems, strict=True)):
        clock.mark("make" if index == 0 else "make again")
        jax.block_until_ready(run([np.asarray(W) for W in weights], (X, y), np.linspace(0, last, count)))
        clock.mark("call" if index == 0 else "again")


def bare_neuron(clock):
    import numpy as np

    nets = [(data(index, (1, 2)), data(5 + index, (1, 1))) for index in range(2)]
    _bare(clock, nets, [(np.eye(2), np.array([[0.6], [0.8]]), 10.0)] * 2)


def bare_wide(clock):
    import numpy as np

    nets = [(0.3 * data(index, (5, 6)), 0.3 * data(5 + index, (4, 5))) for index in range(2)]
    _bare(clock, nets, [(np.eye(6), data(index, (6, 4)), 10.0) for index in range(2)])


def bare_deep(clock):
    _bare(
        clock,
        [weights(index) for index in range(2)],
        [(data(5 + index, (10, 6)), data(index, (10, 4)), 1.0) for index in range(2)],
    )


def bare_limit(clock):
    """Solve β = 2α² sinh(4Xᵀν), Xβ = y by Newton's method on ν, with steps halved until the dual falls, for α from 1
    down."""
    import numpy as np
    import scipy.linalg

    clock.mark("import")
    for index in range(2):
        X, y = data(index, (N, D)), data(5 + index, N)
        nu = np.zeros(N)
        clock.mark("make" if index == 0 else "make again")
        for alpha in np.geomspace(1.0, ALPHA, 13):
            nu = nu * np.log(1 / alpha**2 + 1) / max(np.log(10 ** (-2 * np.log10(alpha) - 0.5) + 1), 1e-3)

            def dual(nu, alpha=alpha, X=X, y=y):
                return alpha**2 / 2 * np.sum(np.cosh(4 * X.T @ nu)) - y @ nu

            for _ in range(100):
                residual = y - X @ (2 * alpha**2 * np.sinh(4 * X.T @ nu))
                if np.linalg.norm(residual) < 1e-12 * np.linalg.norm(y):
                    break
                curvature = 8 * alpha**2 * np.cosh(4 * X.T @ nu)
                step = scipy.linalg.cho_solve(scipy.linalg.cho_factor((X * curvature) @ X.T), residual)
                share, before = 1.0, dual(nu)
                while share > 1e-12 and not dual(nu + share * step) <= before - 1e-4 * share * (step @ residual):
                    share /= 2
                nu = nu + share * step
        clock.mark("call" if index == 0 else "again")


ROWS = (
    ("neuron, solve", neuron, bare_neuron),
    ("6-5-4, exact", wide, bare_wide),
    ("6-5-4, exact, hidden_rotation=False", wide_without_rotation, bare_wide),
    ("6-5-5-4, integrate", deep, bare_deep),
    (f"diagonal {D}, limit", limit, bare_limit),
    ("loss, β, two metrics", metrics, None),
    ("6-5-5-4, drawn by inits", draw_inits, None),
)
CASES = {case.__name__: case for row in ROWS for case in row[1:] if case}


def fresh(case, **environment):
    """Run a case in a new process, and return its output."""
    return subprocess.run(
        [sys.executable, __file__, case.__name__, *["--stored"] * STORED],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    ).stdout


def medians(runs):
    return {name: (statistics.median(run[name][0] for run in runs), runs[-1][name][1]) for name in runs[0]}


def measure(cases, rounds=ROUNDS, **environment):
    """Run each case in turn, `rounds` times, and return medians of the seconds and the numbers of compiled programs."""
    found = {case: [] for case in cases}
    for _ in range(rounds):
        for case, runs in found.items():
            runs.append(json.loads(fresh(case, **environment)))
    return {case: medians(runs) for case, runs in found.items()}


def format_times(seen, name):
    seconds, programs = seen[name]
    return f"{name} {seconds:.3f} s ({programs})"


def main():
    from record import record  # not imported in the timed processes

    print("first call in a fresh process, one thread; in brackets the number of programs compiled")
    for title, ours, bare in ROWS:
        if STORED:
            with tempfile.TemporaryDirectory() as folder:
                cache = {"LAZYRICH_CACHE": folder}
                fresh(ours, **cache)
                seen = measure([ours], **cache)[ours]
            print(f"  {title:26s} second process: {format_times(seen, 'make')}, {format_times(seen, 'call')}")
            continue
        found = measure([ours, bare] if bare else [ours])
        seen = found[ours]
        print(f"  {title:26s} " + ", ".join(format_times(seen, name) for name in seen))
        if not bare:
            record(f"{title}: first call in a fresh process", ours=seen["call"][0])
        else:
            theirs = found[bare]
            first = seen["make"][0] + seen["call"][0]
            record(f"{title}: first call in a fresh process", ours=first, rival="bare", theirs=theirs["call"][0])
            shown = ", ".join(format_times(theirs, name) for name in ("import", "call", "again"))
            print(f"  {'  bare':26s} {shown}   ratio {first / theirs['call'][0]:.2f}")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in CASES:
        clock = Clock()
        CASES[sys.argv[1]](clock)
        print(json.dumps(clock.seen))
    else:
        main()
