"""A tied diagonal network, d = 1000, N = 100, from w = α: time to loss 1e-12.

Ours: `integrate`, which solves for the mirror variable ν ∈ R^N. Rivals: scipy's LSODA on the 2000 parameters, and, for
reference, LSODA on ν with the analytic Jacobian, as an expert would write it for this one problem. Both run at
rtol 1e-8; ours at its default, which is finer, and at 1e-8.
"""

import sys
import time

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import numpy as np
from record import record
from scipy.integrate import solve_ivp

import lazyrich as lr

D, N, LOSS, HORIZON, RTOL = 1000, 100, 1e-12, 1e6, 1e-8
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, D))
Y = X[:, :5].sum(axis=1) / np.sqrt(5) + 0.1 * RNG.normal(size=N)


def run_timed(function):
    began = time.perf_counter()
    result = function()
    return result, time.perf_counter() - began


def best(function, times=3):
    return min((run_timed(function) for _ in range(times)), key=lambda pair: pair[1])


def ours(alpha, **options):
    flow = lr.GradientFlow(lr.inits.tied_diagonal(D, alpha), lr.Problem(X, Y))
    return lr.integrate(flow, [HORIZON], until=lr.LossBelow(LOSS), **options)


def lsoda(field, start, beta_of, alpha, **options):
    def done(_, state):
        return 0.5 * np.sum((X @ beta_of(state) - Y) ** 2) - LOSS

    done.terminal = True
    solution = solve_ivp(field, (0, HORIZON), start, "LSODA", events=done, rtol=RTOL, **options)
    return beta_of(solution.y[:, -1])


def on_parameters(alpha):
    def field(_, w):
        slope = X.T @ (X @ (w[:D] ** 2 - w[D:] ** 2) - Y)
        return np.r_[-2 * w[:D] * slope, 2 * w[D:] * slope]

    return lsoda(field, np.full(2 * D, alpha), lambda w: w[:D] ** 2 - w[D:] ** 2, alpha, atol=1e-8 * alpha)


def by_hand(alpha):
    def beta_of(nu):
        return 2 * alpha**2 * np.sinh(4 * X.T @ nu)

    def jacobian(_, nu):
        return -(X * (8 * alpha**2 * np.cosh(4 * X.T @ nu))) @ X.T

    # LSODA's default first step overshoots the plateau at small α and overflows, so one is given.
    start = {"first_step": 1e-6, "max_step": 1.0}
    return lsoda(lambda _, nu: Y - X @ beta_of(nu), np.zeros(N), beta_of, alpha, atol=1e-8, jac=jacobian, **start)


def main(alphas):
    print(f"d = {D}, N = {N}, time to loss {LOSS:g}, one thread; error: largest |Δβ| to ours at rtol 1e-11")
    for alpha in alphas:
        _, first = run_timed(lambda alpha=alpha: ours(alpha))
        traj, warm = best(lambda alpha=alpha: ours(alpha))
        same, alike = best(lambda alpha=alpha: ours(alpha, rtol=RTOL))
        exact = ours(alpha, rtol=1e-11).beta[-1]

        def error(beta, exact=exact):
            return float(np.max(np.abs(beta - exact)))

        print(f"\nalpha = {alpha:g}: {traj.by}; first call {first:.1f} s")
        print(f"  {'lazyrich.integrate':26s} {warm:8.3f} s   error {error(traj.beta[-1]):.0e}")
        print(f"  {'... at their rtol':26s} {alike:8.3f} s   error {error(same.beta[-1]):.0e}")
        for name, rival in (("LSODA on the parameters", on_parameters), ("LSODA on ν, by hand", by_hand)):
            beta, seconds = best(lambda rival=rival, alpha=alpha: rival(alpha), 1 if rival is on_parameters else 3)
            what, off = (
                f"stiff diagonal flow, α = {alpha:g}, time to loss {LOSS:g}",
                f"which is off by {error(beta):.0e}",
            )
            record(what, ours=warm, rival=name, theirs=seconds, note=off)
            also = f"{off}, ours by {error(same.beta[-1]):.0e}"
            record(f"{what}, both at rtol {RTOL:g}", ours=alike, rival=name, theirs=seconds, note=also)
            print(
                f"  {name:26s} {seconds:8.3f} s   error {error(beta):.0e}   ratio {seconds / warm:.1f}, "
                f"at their rtol {seconds / alike:.1f}"
            )


if __name__ == "__main__":
    main([float(arg) for arg in sys.argv[1:]] or [1e-3, 1e-6])
