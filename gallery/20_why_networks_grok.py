"""Why networks grok

A diagonal network starts lazy and fits at once. Weight decay then shrinks its scale, and it moves along the limits of
smaller and smaller starts, from the shortest interpolator to the sparsest: the test error falls long after the fit.
Dots are predicted from the limits, without integrating.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(0)
X, truth = rng.normal(size=(20, 40)), np.zeros(40)
truth[:2] = 2.0, -1.5
problem = lr.Problem(X, X @ truth, kappa=1 / 20)
flow = lr.GradientFlow(lr.inits.tied_diagonal(40, alpha=10.0), problem, decay=1e-3)
times, late = np.geomspace(1e-5, 1e4, 150), np.geomspace(1, 1e4, 25)
traj, curve = lr.integrate(flow, times), lr.decay_curve(flow, late)

figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
axes.semilogx(times, traj.loss, color="0.6", label="training loss")
axes.semilogx(times, np.sum((traj.beta - truth) ** 2, axis=1), color="C0", label="test error")
axes.semilogx(late, np.sum((curve.beta - truth) ** 2, axis=1), "o", color="C2", label="predicted")
axes.set(xlabel="flow time t", title=f"Fits at t = {curve.fit_time:.1g}, rich from t = {curve.rich_time:.0f}")
axes.legend()
figure.savefig("20_why_networks_grok.png")
