"""A network of your own

Define one class with `__call__`. From larger initializations, the tangent kernel of these gated units rotates less.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Array

import lazyrich as lr


class Gated(lr.Network):
    W: Array
    a: Array

    def __call__(self, X):
        return jax.nn.silu(X @ self.W.T) @ self.a


W, a, X, y = (np.random.default_rng(i).normal(size=s) for i, s in enumerate(((10, 3), 10, (12, 3), 12)))
figure, axes = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
for scale in (0.3, 1.0, 3.0):
    flow = lr.GradientFlow(Gated(scale * W, scale * a), lr.Problem(X, y))
    traj = lr.integrate(flow, np.linspace(0, 10 / scale**2, 60))
    axes.plot(traj.times * scale**2, lr.metrics.kernel_distance(traj), label=f"start × {scale:g}")
axes.set(xlabel="flow time × scale²", title="Distance of the kernel from its start")
axes.legend()
figure.savefig("12_own_network.png")
