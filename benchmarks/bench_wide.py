"""A wide two-layer linear network, 50-50-50, at 1000 times: the closed form against the best integrators we know.

Ours: `exact` without the hidden rotation (`hidden_rotation=False`: predictor, kernel, singular values) and with
it. Rivals: `lazyrich.integrate` as it chooses, and with solvers of ours and of diffrax, on the same flow. The singular
values of the target span two to six decades, and the times reach until the last mode is learned; longer times cost the
closed form nothing.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import diffrax as dfx
import jax
import jax.numpy as jnp
import numpy as np
from record import record
from scipy.linalg import blas, lapack
from timing import best_of

import lazyrich as lr

N, COUNT = 50, 1000


def make(smallest=0.01):
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(N, N)))[0] for _ in range(2))
    target = (U * np.geomspace(1.0, smallest, N)) @ V.T
    net = lr.inits.isotropic(jax.random.key(0), N, N, N, delta=0.0, scale=0.03)
    return lr.GradientFlow(net, lr.Problem(np.eye(N), target))


def bare():
    """Run only the LAPACK and BLAS calls that the formula needs at every time.

    These are exponentials of [A, W] in the eigenvectors, the Gram matrix, its factor, a triangular solve, and the
    transformation back to the given frames.
    """
    rng = np.random.default_rng(1)
    Y, frame = rng.normal(size=(N, 2 * N)), np.linalg.qr(rng.normal(size=(N, N)))[0]
    rates, out = rng.uniform(-1, 1, size=(N, 2 * N)), np.empty((2, COUNT, N, N))
    for i, t in enumerate(np.linspace(0, 1, COUNT)):
        Z = Y * np.exp(rates * t)
        G = Z[:, :N] @ Z[:, :N].T + Z[:, N:] @ Z[:, N:].T + np.eye(N)
        C = lapack.dpotrf(G.T, lower=0)[0]
        Z = blas.dtrsm(1.0, C, Z.T, side=1, lower=0).T
        out[0, i], out[1, i] = Z[:, :N] @ frame, Z[:, N:] @ frame
    return out


def main():
    _, floor = best_of(bare, 5)
    print(f"the bare calls of LAPACK and BLAS: {floor:.3f} s")
    tight = {"integrate, as it chooses": {}, "integrate, Dopri8, rtol 1e-13": {"solver": dfx.Dopri8(), "rtol": 1e-13}}
    loose = {"integrate, Tsit5, rtol 1e-8": {"solver": dfx.Tsit5(), "rtol": 1e-8}}
    stable = {"integrate, RKC, rtol 1e-6": {"solver": lr.RKC(), "rtol": 1e-6}}
    for smallest, last, rivals in (
        (1e-2, 1e3, tight | loose | stable),
        (1e-2, 1e4, tight | stable),
        (1e-4, 1e6, {"integrate, as it chooses": {}} | stable),
        (1e-6, 1e8, {"integrate, as it chooses": {}} | stable),
    ):
        flow, times = make(smallest), jnp.geomspace(1e-2, last, COUNT)
        print(f"{N}-{N}-{N}, singular values 1 ... {smallest:g}, {COUNT} times to t = {last:g}, one thread")
        (_, first), (traj, ours) = (
            best_of(lambda f=flow, t=times: lr.exact(f, t, hidden_rotation=False), n) for n in (1, 5)
        )
        print(f"  {'exact, hidden_rotation=False':30s} {ours:8.3f} s   first call {first:.1f} s")
        (_, first), (full, taken) = (best_of(lambda f=flow, t=times: lr.exact(f, t), n) for n in (1, 2))
        apart = float(jnp.max(jnp.abs(full.beta - traj.beta)))
        print(f"  {'exact':30s} {taken:8.3f} s   first call {first:.1f} s; the two differ by {apart:.0e}")
        what = f"{N}-{N}-{N} at {COUNT} times, singular values 1 … {smallest:g}, t to {last:g}"
        for name, options in rivals.items():
            path, seconds = best_of(lambda f=flow, t=times, o=options: lr.integrate(f, t, **o), 2)
            error = float(jnp.max(jnp.abs(path.beta - traj.beta)))
            off = f"which is off by {error:.0e}"
            record(what, ours=ours, rival=name, theirs=seconds, note=off, limit=floor, limit_is="LAPACK and BLAS")
            record(f"{what}, with the hidden rotation", ours=taken, rival=name, theirs=seconds, note=off)
            print(
                f"  {name:30s} {seconds:8.3f} s  error {error:.0e}   ratio {seconds / ours:.1f} ({seconds / taken:.1f})"
            )


if __name__ == "__main__":
    main()
