"""1e5 single neurons × 100 times, every δ, rate and sign mixed: the closed form against integration.

Ours: `exact` under vmap and jit, accurate to rounding. Rivals: diffrax's Tsit5 and Dopri8, vmapped over neurons, and
scipy's DOP853, one neuron after another on a sample; at a loose tolerance, and at the tight one with which they are as
near to the same accuracy as possible. Errors are the largest |Δa| to ours. Everything runs twice: normally, and with
glibc's memory in large pages (GLIBC_TUNABLES=glibc.malloc.hugetlb=1), since fresh memory for the 240 MB of our results
takes two fifths of our time.
"""

import json
import os
import subprocess
import sys

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import diffrax as dfx
import jax
import jax.numpy as jnp
import numpy as np
from record import record
from scipy.integrate import solve_ivp
from timing import best_of

import lazyrich as lr

lr.GradientFlow  # noqa: B018 (the core is loaded, and with it float64, before the first array is made)

COUNT, SAMPLE, CHILD = 100_000, 100, "--measured"
TIMES = jnp.linspace(0.0, 10.0, 100)
TARGET = np.array([0.6, 0.8])
TOLERANCES = (1e-6, 1e-12)  # relative; absolute ones are a hundredth of them
RNG = np.random.default_rng(0)
A = RNG.normal(size=COUNT)
W = RNG.normal(size=(COUNT, 2))
RATES = np.exp(RNG.uniform(-1, 1, size=(COUNT, 2)))


def flow_of(a, w, rates):
    net = lr.DeepLinear([w[None, :], a[None, None]])
    return lr.GradientFlow(net, lr.Problem(np.eye(2), TARGET), (rates[0], rates[1]))


@jax.jit
def closed_form(a, w, rates):
    def one(a, w, rates):
        nets = lr.exact(flow_of(a, w, rates), TIMES).nets
        return nets.weights[1][:, 0, 0], nets.weights[0][:, 0, :]

    return jax.vmap(one)(a, w, rates)


def field(_, state, rates):
    a, w = state
    gap = TARGET - a * w
    return rates[1] * (w @ gap), rates[0] * a * gap


def by_diffrax(solver, rtol):
    @jax.jit
    def run(a, w, rates):
        def one(a, w, rates):
            return dfx.diffeqsolve(
                dfx.ODETerm(field),
                solver,
                0.0,
                TIMES[-1],
                None,
                (a, w),
                rates,
                saveat=dfx.SaveAt(ts=TIMES),
                stepsize_controller=dfx.PIDController(rtol=rtol, atol=rtol / 100),
                max_steps=None,
            ).ys

        return jax.vmap(one)(a, w, rates)

    return run


def by_scipy(count, rtol):
    paths = []
    for a, w, rates in zip(A[:count], W[:count], RATES[:count], strict=True):

        def slope(_, y, rates=rates):
            gap = TARGET - y[0] * y[1:]
            return np.r_[rates[1] * (y[1:] @ gap), rates[0] * y[0] * gap]

        solution = solve_ivp(
            slope, (0, 10), np.r_[a, w], "DOP853", t_eval=np.asarray(TIMES), rtol=rtol, atol=rtol / 100
        )
        paths.append(solution.y[0])
    return np.array(paths)


@jax.jit
def write_zeros(a):
    """Return as many numbers as `closed_form`, without computing them."""
    each = jnp.broadcast_to(a[:, None], (COUNT, len(TIMES)))
    return 1.5 * each, 2.5 * jnp.broadcast_to(each[..., None], (*each.shape, 2))


def measure():
    """Return the time to write the results of one neuron; and for each rival: name, rtol, trajectories per second of
    both, and error."""
    jax.block_until_ready(write_zeros(A))
    _, writing = best_of(lambda: write_zeros(A), 7)
    jax.block_until_ready(closed_form(A, W, RATES))
    (ours, _), seconds = best_of(lambda: closed_form(A, W, RATES), 7)
    rows, best = [], COUNT / seconds
    for rtol in TOLERANCES:
        for name, solver in (("diffrax Tsit5, vmapped", dfx.Tsit5()), ("diffrax Dopri8, vmapped", dfx.Dopri8())):
            few = COUNT // 20  # enough to see the rate
            run = by_diffrax(solver, rtol)
            jax.block_until_ready(run(A[:few], W[:few], RATES[:few]))
            (path, _), taken = best_of(lambda run=run, few=few: run(A[:few], W[:few], RATES[:few]), 2)
            rows.append((name, rtol, best, few / taken, float(np.max(np.abs(path - ours[:few])))))
        path, taken = best_of(lambda rtol=rtol: by_scipy(SAMPLE, rtol), 1)
        error = float(np.max(np.abs(path - ours[:SAMPLE])))
        rows.append(("scipy DOP853, each", rtol, best, SAMPLE / taken, error))
    return writing / COUNT, rows


def in_large_pages():
    """Run the same in a process whose memory has pages of 2 MB."""
    tuned = os.environ | {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    done = subprocess.run([sys.executable, __file__, CHILD], env=tuned, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    print(f"{COUNT} single neurons x {len(TIMES)} times, one thread; trajectories per second")
    for where, (writing, rows) in (("", measure()), (", memory in large pages", in_large_pages())):
        what = f"a single neuron × {len(TIMES)} times, of {COUNT} with all δ, signs and rates{where}"
        print(f"  {'lazyrich.exact' + where:40s} {rows[0][2]:10,.0f}/s")
        for name, rtol, ours, theirs, error in rows:
            off = f"which is off by {error:.0e}"
            limit = {"limit": writing, "limit_is": "writing the results"}
            record(what, ours=1 / ours, rival=f"{name}, rtol {rtol:g}", theirs=1 / theirs, note=off, **limit)
            print(f"  {name:26s} rtol {rtol:g}  {theirs:10,.0f}/s   error {error:.0e}   ratio {ours / theirs:,.0f}")
    for last in (1.0, 1e6):
        scaled = jax.jit(lambda a, w, r, last=last: _ends(a, w, r, last))
        jax.block_until_ready(scaled(A, W, RATES))
        _, taken = best_of(lambda scaled=scaled: scaled(A, W, RATES))
        print(f"  exact to t = {last:g}: {taken:.2f} s for all")


def _ends(a, w, rates, last):
    return jax.vmap(lambda a, w, r: lr.exact(flow_of(a, w, r), last * TIMES / 10).nets.weights)(a, w, rates)


if __name__ == "__main__":
    if CHILD in sys.argv:
        print(json.dumps(measure()))
    else:
        main()
