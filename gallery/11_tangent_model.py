"""A network and its tangent model

A ReLU network and its linearization at the initialization (the tangent model), trained on the same points at three
overall scales τ. The larger the scale, the less they differ.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

x = np.linspace(-1, 1, 9)
problem = lr.Problem(np.stack([x, np.ones(9)], axis=1), np.sin(3 * x), kappa=1 / 9)
fine = np.linspace(-1.2, 1.2, 300)
grid = np.stack([fine, np.ones(300)], axis=1)
figure, panels = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
for axes, tau in zip(panels, (0.2, 0.7, 2.0), strict=True):
    net = lr.inits.symmetrized(jax.random.key(0), d=2, h=40, tau=tau)
    flow = lr.GradientFlow(net, problem)
    time = [30 / tau**2]
    axes.plot(fine, lr.integrate(flow, time, precision="single").end(grid), label="network")
    axes.plot(fine, lr.exact(flow.linearize(), time).end(grid), "--", label="tangent model")
    axes.plot(x, problem.y, "k.")
    axes.set(title=f"τ = {tau:g}", xlabel="x")
panels[0].legend()
figure.savefig("11_tangent_model.png")
