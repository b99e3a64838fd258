"""Wide two-layer linear networks on correlated data, for which there is no closed form: the cost and the width.

Networks 10-h-5 of h = 64 and 4,096 hidden units in orthogonal blocks, by `lazyrich.integrate`: in the predictor, as it
chooses, with and without the hidden rotation, and in all layers. In the predictor, the cost should not depend on h.
Times are those of the processor.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import time

import jax
import jax.numpy as jnp
import numpy as np
from record import record
from timing import best_of

import lazyrich as lr
from lazyrich.numerics import integration


def main():
    """Time `integrate` at two widths, in the predictor and in the layers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 10)) * np.geomspace(2.0, 0.2, 10)
    problem, times = lr.Problem(X, X @ rng.normal(size=(10, 5)), kappa=1 / 40), np.linspace(0, 50, 21)
    print("10-h-5 on correlated data, 21 times to t = 50")
    for h in (64, 4096):
        flow = lr.GradientFlow(lr.inits.wide(jax.random.key(0), 10, h, 5, gamma=5.0), problem)
        inside = integration.predictor_system
        lr.integrate(flow, times), lr.integrate(flow, times, hidden_rotation=False)  # compiled
        traj, ours = best_of(lambda f=flow: lr.integrate(f, times), 5, time.process_time)
        _, alone = best_of(lambda f=flow: lr.integrate(f, times, hidden_rotation=False), 5, time.process_time)
        integration.predictor_system = lambda *_: None
        lr.integrate(flow, times)
        full, layers = best_of(lambda f=flow: lr.integrate(f, times), 2, time.process_time)
        integration.predictor_system = inside
        off = float(jnp.max(jnp.abs(full.beta - traj.beta)))
        name = "integrate in all layers"
        record(f"10-{h}-5 on correlated data", ours=ours, rival=name, theirs=layers, note=f"they differ by {off:.0e}")
        record(f"10-{h}-5 on correlated data, predictor alone", ours=alone, rival=name, theirs=layers)
        print(f"  h = {h:5d}: {ours:.3f} s, predictor alone {alone:.3f} s, all layers {layers:.3f} s; apart {off:.0e}")


if __name__ == "__main__":
    main()
