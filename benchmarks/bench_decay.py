"""1e4 modes with weight decay × 100 times, s/λ from 0.1 to 1e4: the closed form against integration.

Ours: the formula of `aligned modes with decay` and `diagonal coordinates with decay`, in NumPy. Rivals: diffrax's
Dopri8, vmapped over modes, and scipy's DOP853, one mode after another on a sample, both at rtol 1e-9. Errors are the
largest |Δβ| to ours.

What NumPy permits: one pass over the 1e6 numbers, such as `exp`, takes 0.7 to 1.1 ms on the machine that was used. A
fiftieth of diffrax's 0.5 s is about 10 passes, and a thousandth of scipy's 24 s about 25. The formula needs more than
80 passes around the Bessel ratios, and the ratios take longer than those: neither bar can be met in NumPy.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import time

import diffrax as dfx
import jax
import jax.numpy as jnp
import numpy as np
from record import record
from scipy.integrate import solve_ivp
from timing import best_of

import lazyrich as lr
from lazyrich.theorems.mode import evolve_mode

lr.GradientFlow  # noqa: B018 (float64 from the start)

COUNT, SAMPLE, RTOL, REPEATS = 10_000, 20, 1e-9, 3
TIMES = np.linspace(0.0, 10.0, 100)
RNG = np.random.default_rng(0)
A, W = RNG.normal(size=(2, COUNT))
S = np.exp(RNG.uniform(-1, 1, COUNT))
DECAY = S / 10 ** RNG.uniform(-1, 4, COUNT)


def field(_, state, args):
    (a, w), (s, decay) = state, args
    gap = s - a * w
    return gap * w - decay * a, gap * a - decay * w


@jax.jit
def by_diffrax(a, w, s, decay):
    def one(a, w, s, decay):
        found = dfx.diffeqsolve(
            dfx.ODETerm(field),
            dfx.Dopri8(),
            0.0,
            TIMES[-1],
            None,
            (a, w),
            (s, decay),
            saveat=dfx.SaveAt(ts=jnp.asarray(TIMES)),
            stepsize_controller=dfx.PIDController(rtol=RTOL, atol=RTOL / 100),
            max_steps=None,
        ).ys
        return found[0] * found[1]

    return jax.vmap(one, out_axes=1)(a, w, s, decay)


def by_scipy(i):
    found = solve_ivp(
        lambda t, v: field(t, v, (S[i], DECAY[i])),
        (0.0, TIMES[-1]),
        [A[i], W[i]],
        "DOP853",
        TIMES,
        rtol=RTOL,
        atol=RTOL / 100,
    ).y
    return found[0] * found[1]


def main():
    ours, fast = best_of(lambda: evolve_mode(A[:, None], W[:, None], S, TIMES, DECAY)[2], REPEATS, time.process_time)
    jax.block_until_ready(by_diffrax(A, W, S, DECAY))  # compiled
    rival, slow = best_of(lambda: np.asarray(by_diffrax(A, W, S, DECAY)), 1, time.process_time)
    print(f"ours {fast:.3f} s; diffrax {slow:.2f} s, {slow / fast:.0f} times; error {np.max(np.abs(rival - ours)):.0e}")
    note = f"largest difference {np.max(np.abs(rival - ours)):.0e}"
    record("1e4 modes with decay × 100 times", ours=fast, rival="diffrax Dopri8, rtol 1e-9", theirs=slow, note=note)
    sample, taken = best_of(lambda: np.stack([by_scipy(i) for i in range(SAMPLE)], axis=1), 1, time.process_time)
    slower, error = taken * COUNT / SAMPLE, np.max(np.abs(sample - ours[:, :SAMPLE]))
    print(f"scipy {slower:.0f} s, {slower / fast:.0f} times; error {error:.0e}")
    note = f"measured on {SAMPLE} modes; largest difference {error:.0e}"
    record("1e4 modes with decay × 100 times", ours=fast, rival="scipy DOP853, rtol 1e-9", theirs=slower, note=note)


if __name__ == "__main__":
    main()
