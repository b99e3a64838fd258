"""Where a diagonal network stops, d = 1000, N = 100: the dual Newton method against Clarabel, HiGHS and the flow.

All in one run, one thread, the same data. Clarabel gets the same convex program in exponential cones (through cvxpy;
only its own solve time is counted), the flow is followed by scipy's DOP853 on the parameters to a residual of 1e-8, and
by `lazyrich.integrate` as it chooses. The residual is ‖Xβ − y‖/‖y‖; errors are relative distances to ours, whose
certificate is of the order of rounding. (At k = 1e-30 DOP853 does not finish in ten minutes and is left out.)
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import time
import warnings

import cvxpy as cp
import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate
from record import record
from timing import best_of

import lazyrich as lr


def make(d, N, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, d)) / np.sqrt(N)
    truth = np.zeros(d)
    truth[: max(1, N // 5)] = rng.normal(size=max(1, N // 5))
    return lr.Problem(X, X @ truth + 0.1 * rng.normal(size=N))


def clarabel(problem, alpha):
    """Solve for β = p − m with relative entropies to α² each, the dual of 2α² cosh z, by Clarabel."""
    X, y, d = np.asarray(problem.X), np.asarray(problem.y), problem.d
    plus, minus = cp.Variable(d), cp.Variable(d)
    unit = alpha**2
    entropy = -cp.sum(cp.entr(plus) + cp.entr(minus)) - (1 + np.log(unit)) * cp.sum(plus + minus)
    task = cp.Problem(cp.Minimize(entropy), [X @ (plus - minus) == y])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            task.solve(solver=cp.CLARABEL, max_threads=1)
        except cp.error.SolverError as error:
            return None, np.nan, str(error)
    return plus.value - minus.value, task.solver_stats.solve_time, task.status


def flow_by_scipy(problem, alpha):
    X, y, d = np.asarray(problem.X), np.asarray(problem.y), problem.d

    def field(t, w):
        slope = X.T @ (X @ (w[:d] ** 2 - w[d:] ** 2) - y)
        return np.concatenate([-2 * w[:d] * slope, 2 * w[d:] * slope])

    def done(t, w):
        return np.linalg.norm(X @ (w[:d] ** 2 - w[d:] ** 2) - y) - 1e-8 * np.linalg.norm(y)

    done.terminal = True
    began = time.perf_counter()
    path = scipy.integrate.solve_ivp(
        field, (0, 1e6), np.full(2 * d, alpha), method="DOP853", rtol=1e-9, atol=1e-16, events=done
    )
    return path.y[:d, -1] ** 2 - path.y[d:, -1] ** 2, time.perf_counter() - began


def main():
    problem = make(1000, 100)
    pursuit, seconds = best_of(lambda: lr.potentials.basis_pursuit(problem.X, problem.y)[0], 2)
    print(f"d = 1000, N = 100, one thread.  Basis pursuit by HiGHS: {seconds:.3f} s")
    for k in (1e-4, 1e-8, 1e-16, 1e-30):
        alpha = (np.sqrt(k) / 4) ** 0.5  # √k = 4α²
        flow = lr.GradientFlow(lr.inits.tied_diagonal(problem.d, alpha), problem)
        (_, first), (ours, best) = (best_of(lambda f=flow: lr.limit(f).value, n) for n in (1, 7))
        residual = float(jnp.linalg.norm(problem.X @ ours - problem.y) / jnp.linalg.norm(problem.y))
        far = float(jnp.linalg.norm(ours - pursuit) / np.linalg.norm(pursuit))
        print(f"\nk = {k:g}: distance to basis pursuit {far:.3f}")
        print(f"  {'limit':32s} {best * 1e3:9.1f} ms  residual {residual:.0e}   (first call {first:.1f} s)")
        scale = float(jnp.linalg.norm(ours))
        beta, seconds, status = clarabel(problem, alpha)
        error = np.nan if beta is None else np.linalg.norm(beta - ours) / scale
        what = f"where a diagonal network stops, d = 1000, N = 100, k = {k:g}"
        note = f"residual {residual:.0e}; Clarabel is off by {error:.0e}, {status}"
        record(what, ours=best, rival="Clarabel, its own time", theirs=seconds, note=note)
        print(
            f"  {'Clarabel (its own time)':32s} {seconds * 1e3:9.1f} ms  error {error:.0e}  "
            f"ratio {seconds / best:8.1f}  {status}"
        )
        if k > 1e-20:
            beta, seconds = flow_by_scipy(problem, alpha)
            error = np.linalg.norm(beta - ours) / scale
            record(what, ours=best, rival="flow, scipy DOP853", theirs=seconds, note=f"which is off by {error:.0e}")
            print(
                f"  {'flow, scipy DOP853':32s} {seconds * 1e3:9.1f} ms  error {error:.0e}  ratio {seconds / best:8.1f}"
            )

        def run(f=flow):
            return lr.integrate(f, [0.0, 1e6], until=lr.LossBelow(1e-16))

        run()
        traj, seconds = best_of(run, 2)
        error = np.linalg.norm(traj.beta[-1] - ours) / scale
        record(what, ours=best, rival="flow, lazyrich.integrate", theirs=seconds, note=f"which is off by {error:.0e}")
        print(
            f"  {'flow, lazyrich.integrate':32s} {seconds * 1e3:9.1f} ms  error {error:.0e}  "
            f"ratio {seconds / best:8.1f}"
        )

    print("\nA path of 40 scales, α from 1e-8 to 1e2, against one point at 1e-8")
    flow, scales = lr.GradientFlow(lr.inits.tied_diagonal(problem.d, 1.0), problem), np.geomspace(1e-8, 1e2, 40)
    one = lr.GradientFlow(lr.inits.tied_diagonal(problem.d, 1e-8), problem)
    (_, alone), (_, path) = (
        [best_of(run, n) for n in (1, 5)][1]
        for run in (lambda: lr.limit(one).value, lambda: lr.limit(flow, scales=scales).value)
    )
    record("limits at 40 scales, α from 1e-8 to 1e2", ours=path, rival="40 times one", theirs=40 * alone)
    print(f"  one {alone * 1e3:.1f} ms, forty {path * 1e3:.1f} ms: ratio {path / alone:.1f}")

    print("\nGrowth, k = 1e-8: time / N²d")
    for d, N in ((1000, 100), (4000, 100), (4000, 200), (20000, 500)):
        large = make(d, N)
        flow = lr.GradientFlow(lr.inits.tied_diagonal(d, (1e-4 / 4) ** 0.5), large)
        jax.block_until_ready(lr.limit(flow).value)
        found, seconds = best_of(lambda f=flow: lr.limit(f), 1)
        record(f"where a diagonal network stops, d = {d}, N = {N}, k = 1e-8", ours=seconds)
        print(
            f"  d = {d:6d}, N = {N:4d}: {seconds:7.3f} s, {seconds / (N * N * d) * 1e9:6.2f} ns per N²d; "
            f"{found.certificate}"
        )


if __name__ == "__main__":
    main()
