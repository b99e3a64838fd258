"""Plateaus and sudden jumps

A diagonal network, initialized at α = 10⁻⁸, finds three large coordinates among forty. Most of the time is spent on
plateaus, where the solver takes few steps.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(0)
X, truth = rng.normal(size=(20, 40)) / np.sqrt(20), np.zeros(40)
truth[[3, 14, 15]] = 1.0, -2.0, 1.5
flow = lr.GradientFlow(lr.inits.diagonal(40, alpha=1e-8), lr.Problem(X, X @ truth))
times = np.linspace(0, 60, 600)
traj = lr.integrate(flow, times)
print(traj.by)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for path, true in zip(traj.beta.T, truth, strict=True):
    left.plot(times, path, color="C2" if true else "0.7", linewidth=1.6 if true else 0.6)
left.set(xlabel="flow time", title="Coordinates of β")
right.semilogy(times, traj.loss)
right.set(xlabel="flow time", title=f"Loss: {traj.stats['steps']} steps")
figure.savefig("09_plateaus.png")
