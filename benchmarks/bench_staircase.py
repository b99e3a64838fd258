"""The staircase of a vanishing initialization, against the flow from α = 1e-50, LARS and HiGHS.

All in one run, one thread, the same data. They answer different questions: the staircase gives every plateau, jump time
and the certified end; `lazyrich.integrate` the flow from one small scale; LARS (scikit-learn, if it is installed) the
lasso path, which is another path to the same end; HiGHS the end alone, basis pursuit. Errors are distances of the ends.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import numpy as np
from record import record
from timing import best_of

import lazyrich as lr


def make(n, d, k, seed=0):
    rng = np.random.default_rng(seed)
    X, beta = rng.normal(size=(n, d)), np.zeros(d)
    beta[:k] = rng.normal(size=k)
    return lr.Problem(X, X @ beta, kappa=1 / n)


def lars(problem):
    """Return the end of the lasso path and its number of steps; None if scikit-learn is not installed."""
    try:
        from sklearn.linear_model import lars_path
    except ImportError:
        return None
    X, y = np.asarray(problem.X), np.asarray(problem.y)
    alphas, _, path = lars_path(X, y, method="lasso", alpha_min=0.0, max_iter=10000)
    return path[:, -1], len(alphas) - 1


def main():
    for n, d, k in ((50, 200, 10), (200, 2000, 40), (200, 20000, 40)):
        problem = make(n, d, k)
        flow = lr.GradientFlow(lr.inits.tied_diagonal(d, 1.0), problem)
        stairs, best = best_of(lambda flow=flow: lr.staircase(flow), 5 if d < 20000 else 2)
        left = sum(len(stairs.leaving_features(i)) for i in range(len(stairs)))
        what = f"staircase, n = {n}, d = {d}: {len(stairs) - 1} jumps"
        print(f"{what}: {best:.3f} s, {left} features left; {stairs.certificate}")
        size = np.max(np.abs(stairs.end))
        if d > 2000:
            record(what, ours=best, note=f"certificate {float(stairs.certificate.worst):.0e}")
            continue
        (end, _), seconds = best_of(lambda problem=problem: lr.potentials.basis_pursuit(problem.X, problem.y), 1)
        error = np.max(np.abs(end - stairs.end)) / size
        record(what, ours=best, rival="HiGHS, the end alone", theirs=seconds, note=f"ends agree to {error:.0e}")
        print(f"  HiGHS, the end alone: {seconds:.3f} s, ratio {seconds / best:.1f}, ends agree to {error:.0e}")
        found, seconds = best_of(lambda problem=problem: lars(problem), 2)
        if found is not None:
            error = np.max(np.abs(found[0] - stairs.end)) / size
            note = f"another path to the same end, in {found[1]} steps; ends agree to {error:.0e}"
            record(what, ours=best, rival="LARS, scikit-learn", theirs=seconds, note=note)
            print(f"  LARS: {seconds:.3f} s, ratio {seconds / best:.1f}, {note}")
        if d > 200:
            continue
        tiny = lr.GradientFlow(lr.inits.tied_diagonal(d, 1e-50), problem)
        end = 1.3 * stairs.at(1e-50).times[-1]
        lr.integrate(tiny, [0.0, end])
        traj, seconds = best_of(lambda tiny=tiny, end=end: lr.integrate(tiny, [0.0, end]), 1)
        error = np.max(np.abs(np.asarray(traj.beta[-1]) - stairs.end)) / size
        note = f"the flow at one scale; ends agree to {error:.0e}"
        record(what, ours=best, rival="lazyrich.integrate, α = 1e-50", theirs=seconds, note=note)
        print(f"  integrate from α = 1e-50: {seconds:.2f} s, ratio {seconds / best:.0f}, {note}")


if __name__ == "__main__":
    main()
