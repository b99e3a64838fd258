"""A wide two-layer linear network, 50-50-50, at 1000 times: the closed form against the best integrators we know.

Ours: `exact` with the hidden rotation left out (`lift=False`: predictor, kernel, singular values) and with it. Rivals:
`lazyrich.integrate` as it chooses, and with each of its solvers, on the same flow. Target singular values 1 … 0.01, so
that learning takes until t ≈ 1000; and again ten times longer, which costs the closed form nothing.
"""

import time

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import diffrax as dfx
import jax
import jax.numpy as jnp
import numpy as np

import lazyrich as lr

N, COUNT = 50, 1000


def make():
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(N, N)))[0] for _ in range(2))
    target = (U * np.geomspace(1.0, 0.01, N)) @ V.T
    net = lr.inits.isotropic(jax.random.key(0), N, N, N, delta=0.0, scale=0.03)
    return lr.GradientFlow(net, lr.Problem(np.eye(N), target))


def timed(function, repeats):
    best, result = np.inf, None
    for _ in range(repeats):
        began = time.perf_counter()
        result = jax.block_until_ready(function())
        best = min(best, time.perf_counter() - began)
    return result, best


def main():
    flow = make()
    for last in (1e3, 1e4):
        times = jnp.geomspace(1e-2, last, COUNT)
        print(f"{N}-{N}-{N}, {COUNT} times to t = {last:g}, one thread")
        (_, first), (traj, ours) = (timed(lambda t=times: lr.exact(flow, t, lift=False), n) for n in (1, 5))
        print(f"  {'exact, lift=False':30s} {ours:8.3f} s   first call {first:.1f} s")
        (_, first), (full, taken) = (timed(lambda t=times: lr.exact(flow, t), n) for n in (1, 1))
        print(f"  {'exact':30s} {taken:8.3f} s   first call {first:.1f} s")
        beta = traj.beta
        rivals = {"integrate, as it chooses": {}, "integrate, Dopri8": {"solver": dfx.Dopri8()}}
        rivals["integrate, Tsit5, rtol 1e-8"] = {"solver": dfx.Tsit5(), "rtol": 1e-8}
        rivals["integrate, RKC, rtol 1e-6"] = {"solver": lr.RKC(), "rtol": 1e-6}
        for name, options in rivals.items():
            path, seconds = timed(lambda t=times, o=options: lr.integrate(flow, t, **o), 2)
            error = float(jnp.max(jnp.abs(path.beta - beta)))
            print(
                f"  {name:30s} {seconds:8.3f} s   error {error:.0e}   ratio {seconds / ours:.0f} ({seconds / taken:.0f})"
            )
        error = float(jnp.max(jnp.abs(full.beta - beta)))
        print(f"  the two closed forms differ by {error:.0e}")


if __name__ == "__main__":
    main()
