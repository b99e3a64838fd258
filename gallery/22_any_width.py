"""Lazy to rich at infinite width

The predictor of a wide two-layer linear network follows an equation of its own, in which only the feature-learning
strength γ enters. Lines: infinite width. Dots: 400 random hidden units. The data are correlated.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 4)) @ np.array([[1.5, 0.5, 0, 0], [0, 1, 0.3, 0], [0, 0, 0.7, 0.2], [0, 0, 0, 0.5]])
problem = lr.Problem(X, X @ rng.normal(size=(4, 3)), kappa=1 / 30)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for gamma, color in ((0.05, "C0"), (1.0, "C1"), (20.0, "C2"), (1e4, "C3")):
    times = np.r_[0.0, np.geomspace(1e-3, 60, 200)]
    traj = lr.integrate(lr.GradientFlow(lr.inits.infinite_width(4, 3, gamma=gamma), problem), times)
    left.plot(times, traj.loss, color=color, label=f"γ = {gamma:g}")
    right.plot(times, lr.metrics.kernel_distance(traj), color=color)
    drawn = lr.inits.gaussian(jax.random.key(0), (4, 400, 3), std=(gamma * 400) ** -0.5)
    path = lr.integrate(lr.GradientFlow(drawn, problem), times[1::10], rtol=1e-5)
    left.plot(path.times, path.loss, ".", color=color)
for axes, title in ((left, "Loss"), (right, "Distance of the kernel from its start")):
    axes.set(xscale="log", xlabel="flow time", title=title, xlim=(1e-3, 60))
figure.legend(loc="outside lower center", ncols=4)
figure.savefig("22_any_width.png")
