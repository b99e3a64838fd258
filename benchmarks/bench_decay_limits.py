"""Where networks stop under weight decay: the Lasso beside celer and skglm, the nuclear norm beside Clarabel.

All in one run, one thread, the same data, equal accuracy: celer and skglm run to the tolerance at which their duality
gap is at most 1e-10 of the loss at zero; ours is exact on its support, with the gap that is printed. Clarabel gets the
nuclear-norm program through cvxpy at tolerances of 1e-12; only its own solve time is counted. celer and skglm are not
dependencies of anything: without them their rows are left out (`pip install celer skglm`).
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import warnings

import cvxpy as cp
import jax
import numpy as np
from record import record
from timing import best_of

import lazyrich as lr

warnings.simplefilter("ignore")


def sparse_problem(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    truth = np.zeros(d)
    truth[: n // 5] = rng.normal(size=n // 5)
    return np.asfortranarray(X), X @ truth + 0.1 * rng.normal(size=n)


def gap(X, y, penalty, beta):
    residual = y - X @ beta
    dual = residual * min(1.0, penalty / np.max(np.abs(X.T @ residual)))
    price = 0.5 * residual @ residual + penalty * np.sum(np.abs(beta))
    return (price - dual @ y + 0.5 * dual @ dual) / (0.5 * y @ y)


def celer(X, y, penalty):
    from celer import Lasso

    model = Lasso(alpha=penalty / len(y), tol=1e-10, fit_intercept=False, max_iter=1000, max_epochs=10**6)
    return lambda: model.fit(X, y).coef_


def skglm(X, y, penalty):
    from skglm import Lasso

    model = Lasso(alpha=penalty / len(y), tol=1e-9 * penalty / len(y), fit_intercept=False, max_iter=1000)
    return lambda: model.fit(X, y).coef_


def lasso(n, d, shares):
    X, y = sparse_problem(n, d)
    net = lr.inits.tied_diagonal(d, 0.1)
    for share in shares:
        penalty = share * np.max(np.abs(X.T @ y))
        flow = lr.GradientFlow(net, lr.Problem(X, y), decay=2 * penalty)
        found, ours = best_of(lambda flow=flow: lr.limit(flow).value, 3)
        found = np.asarray(found)
        print(f"Lasso n = {n}, d = {d}, μ = {share:g} μ_max: {np.sum(found != 0)} features, {ours:.3f} s", flush=True)
        for name, rival in (("celer", celer), ("skglm", skglm)):
            try:
                solve = rival(X, y, penalty)
                solve()  # compiled at the first call
            except ImportError:
                continue
            theirs, seconds = best_of(solve, 3)
            note = f"gaps {gap(X, y, penalty, found):.0e} and {gap(X, y, penalty, theirs):.0e}"
            print(f"    {name} {seconds:.3f} s, {note}", flush=True)
            what = f"Lasso limit, n = {n}, d = {d}, μ = {share:g} of the largest"
            record(f"{what}: {name}", ours=ours, rival=name, theirs=seconds, note=note)


def nuclear(n, d, c, penalty):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    Y = X @ rng.normal(size=(d, 2)) @ rng.normal(size=(2, c)) + 0.1 * rng.normal(size=(n, c))
    net = lr.inits.gaussian(jax.random.key(0), (d, d + c, c))
    flow = lr.GradientFlow(net, lr.Problem(X, Y), decay=penalty)
    found, ours = best_of(lambda: lr.limit(flow), 3)
    B = cp.Variable((d, c))
    task = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(X @ B - Y) + penalty * cp.normNuc(B)))
    task.solve(solver="CLARABEL", max_threads=1, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    apart = np.max(np.abs(B.value - np.asarray(found.value))) / np.max(np.abs(found.value))
    note = f"our certificate {float(found.certificate.worst):.0e}; apart {apart:.0e}"
    print(f"nuclear norm {d} × {c}, n = {n}: {ours:.3f} s, Clarabel {task.solver_stats.solve_time:.3f} s, {note}")
    record(
        f"nuclear-norm limit, {d} × {c}, n = {n}",
        ours=ours,
        rival="Clarabel",
        theirs=task.solver_stats.solve_time,
        note=note,
    )


if __name__ == "__main__":
    lasso(100, 1000, (0.3, 0.03, 0.003))
    lasso(200, 20_000, (0.3, 0.03))
    for shape in ((40, 10, 5), (60, 20, 10)):
        nuclear(*shape, penalty=1.0)
