"""One cell of the phase diagram (d = 100, 50 neurons, n = 1000; kunin2024, figure 1b), to the time of 1e5 steps.

All in one run, one thread each. The rivals: a plain PyTorch loop of 1e5 full-batch steps at the authors' learning rate
5e-3/τ² (500 steps are timed, and multiplied); the same loop at the largest step that is stable, 1.9/ρ with ρ the
largest curvature along the path, which is the fair baseline; and scipy's RK45 at rtol 1e-6 (stopped after 15 s, and the
rest of the time estimated from the steps of the second half). Errors are those of the mean over eight seeds against
our own solver in double precision at rtol 1e-3, which takes 3 to 10 times the gradients; the last columns are its
worst single seed. Where the mean is off by more than 1 % (test error) or 2 % (S), descent is compared with itself, at
the authors' step and at half of it, on the same seeds, to see whether it converges at all.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate
from record import record
from timing import best_of

import lazyrich as lr
from lazyrich import phase
from lazyrich.numerics import float32_rkc_stepper

SEEDS = 8
PATIENCE = 15.0


def ours(flow, end, rtol=3e-2):
    return lr.integrate(flow, [end], precision="single", until=lr.LossBelow(1e-10), rtol=rtol, progress=False)


def fine(flow, end):
    """Run our solver in double precision throughout."""
    numbers = (jnp.asarray(value) for value in (end, 1e-10, 1e-3, 100_000))
    state = float32_rkc_stepper.advance(flow, float32_rkc_stepper.initial_rkc_state(flow), *numbers)
    unravel = jax.flatten_util.ravel_pytree(flow.net.layers)[1]
    return flow.net.with_layers(unravel(state.y)), float(state.rho)


def descent_gap(setups, tau):
    """Return how much the means over seeds differ between descents at the authors' step and at half of it."""
    found = []
    for halves in (1, 2):
        ends = [
            lr.descend(flow, halves * 100_000, 5e-3 / tau**2 / halves, precision="single", progress=False)[-1]
            for flow, _, _ in setups
        ]
        found.append(
            [
                phase.measure(net, flow.net, flow.problem, points, labels)
                for net, (flow, points, labels) in zip(ends, setups, strict=True)
            ]
        )
    gaps = []
    for name in ("test_error", "kernel_distance"):
        one, other = (np.array([float(each[name]) for each in row]) for row in found)
        gaps.append((one.mean() / other.mean() - 1, np.max(np.abs(one / other - 1))))
    return gaps


def torch_step_time(flow, lr_):
    import torch

    torch.set_num_threads(1)
    X, y, W, a = (
        torch.tensor(np.asarray(v), dtype=torch.float32) for v in (flow.problem.X, flow.problem.y, *flow.net.layers)
    )
    W.requires_grad_(), a.requires_grad_()
    optimizer = torch.optim.SGD([W, a], lr=lr_)

    def steps(count):
        began = time.perf_counter()
        for _ in range(count):
            optimizer.zero_grad()
            loss = ((torch.relu(X @ W.T) @ a - y) ** 2).mean()
            loss.backward()
            optimizer.step()
        return (time.perf_counter() - began) / count

    steps(50)
    return steps(500)


def rk45(flow, end):
    """Return the seconds, and whether they are an estimate."""
    X, y, (h, d) = np.asarray(flow.problem.X), np.asarray(flow.problem.y), flow.net.W.shape
    kappa = float(flow.problem.kappa)

    def field(t, v):
        W, a = v[: h * d].reshape(h, d), v[h * d :]
        z = X @ W.T
        active = z > 0
        hidden = z * active
        r = kappa * (hidden @ a - y)
        return np.concatenate([-((r[:, None] * active * a).T @ X).ravel(), -(r @ hidden)])

    start = np.concatenate([np.asarray(layer).ravel() for layer in flow.net.layers])
    began = time.perf_counter()
    solver = scipy.integrate.RK45(field, 0.0, start, end, rtol=1e-6, atol=1e-9)
    marks = []
    while solver.status == "running" and time.perf_counter() - began < PATIENCE:
        solver.step()
        marks.append((time.perf_counter() - began, solver.t))
    spent = marks[-1][0]
    if solver.status == "finished":
        return spent, False
    (s0, t0), (s1, t1) = marks[len(marks) // 2], marks[-1]
    return spent + (end - t1) * (s1 - s0) / (t1 - t0), True


def products():
    """Return the seconds for the two products of a gradient, X Wᵀ and its transpose for W, at the speed of a large
    product."""
    large = np.ones((2000, 2000), np.float32)
    rate = 2 * 2000**3 / best_of(lambda: large @ large, 5)[1]
    return 2 * 2 * 1000 * 100 * 50 / rate


def main():
    bare = products()
    quick = "--quick" in sys.argv
    print(
        "   τ    δ  seconds gradients | PyTorch, 1e5   ratio | largest step (steps)   ratio |    RK45   ratio | errors"
    )
    ratios, against_scipy, most = [], [], []
    for tau in (0.1, 0.316, 1.0, 2.0):
        for delta in (-1.0, 0.0, 1.0):
            rows, setups = [], []
            for seed in range(1 if quick else SEEDS):
                problem, points, labels = phase._problem_and_test_data(seed, 100, 3, 1000, 10_000, 0.0)
                start = phase._make_student(jnp.asarray(seed), 100, 50, jnp.asarray(tau), jnp.asarray(delta), 0.0)
                flow, end = lr.GradientFlow(start, problem), 500 / tau**2
                setups.append((flow, points, labels))
                ours(flow, end)
                seconds = []
                for _ in range(3):
                    began = time.perf_counter()
                    traj = ours(flow, end)
                    seconds.append(time.perf_counter() - began)
                net, rho = fine(flow, end)
                found = [phase.measure(each, start, problem, points, labels) for each in (traj[-1], net)]
                rows.append((min(seconds), traj.stats["gradients"], rho, found))
                if seed == 0:
                    step = torch_step_time(flow, 5e-3 / tau**2)
                    scipy_seconds, guessed = rk45(flow, end)
            mine, gradients, rho = (np.mean([row[i] for row in rows]) for i in range(3))
            means = {}
            for name in ("test_error", "kernel_distance"):
                got, true = (np.array([float(row[3][i][name]) for row in rows]) for i in range(2))
                means[name] = (got.mean() / true.mean() - 1, np.max(np.abs(got / true - 1)))
            loop, safe = 1e5 * step, end * rho / 1.9
            ratios.append(loop / mine)
            against_scipy.append(scipy_seconds / mine)
            (test, test_worst), (S, S_worst) = means["test_error"], means["kernel_distance"]
            print(
                f"{tau:5g} {delta:4g} {mine:7.3f} {gradients:9.0f} | {loop:13.1f} {loop / mine:7.0f} | "
                f"{safe * step:9.1f} ({safe:7.0f})  {safe * step / mine:8.1f} | "
                f"{'~' if guessed else ' '}{scipy_seconds:6.0f} {scipy_seconds / mine:7.0f} | "
                f"test {100 * test:+.2f} % (worst {100 * test_worst:.1f}), "
                f"S {100 * S:+.2f} % (worst {100 * S_worst:.1f})",
                flush=True,
            )
            what = f"a student of the phase diagram, τ = {tau:g}, δ = {delta:g}, to the time of 1e5 steps"
            note = f"{gradients:.0f} gradients; off by {100 * test:+.1f} % (test error), {100 * S:+.1f} % (S)"
            guess = ", estimated" if guessed else ""
            limit = {"limit": gradients * bare, "limit_is": "the products of its gradients, as fast as a large one"}
            record(what, ours=mine, rival="PyTorch, 1e5 steps", theirs=loop, note=note, **limit)
            most.append(loop / gradients / bare)
            few = f"{safe:.0f} steps"
            record(what, ours=mine, rival="PyTorch at the largest stable step", theirs=safe * step, note=few)
            record(what, ours=mine, rival=f"scipy RK45, rtol 1e-6{guess}", theirs=scipy_seconds)
            if not quick and (abs(test) > 0.01 or abs(S) > 0.02):
                (test, test_worst), (S, S_worst) = descent_gap(setups, tau)
                print(
                    f"           descent at the authors' step against half of it: test {100 * test:+.2f} % "
                    f"(worst {100 * test_worst:.1f}), S {100 * S:+.2f} % (worst {100 * S_worst:.1f})",
                    flush=True,
                )
    print(f"PyTorch: least {min(ratios):.0f}, median {np.median(ratios):.0f}; RK45: least {min(against_scipy):.0f}")
    print(
        f"with nothing but the products of its gradients, PyTorch: least {min(most):.0f}, median {np.median(most):.0f}"
    )


if __name__ == "__main__":
    main()
