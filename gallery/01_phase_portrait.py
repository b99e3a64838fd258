"""A phase portrait in a dozen lines

Paths of the predictor β = aw of one neuron from a ring of initial values, for three relative scales δ = a² − |w|².
Every path is computed in closed form.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

problem = lr.Problem(np.eye(2), [0.0, 1.0])  # the target is β = (0, 1)
figure, panels = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for axes, delta in zip(panels, (-1.0, 0.0, 1.0), strict=True):
    for angle in np.linspace(0.1, 2 * np.pi, 24):
        net = lr.inits.neuron(1.5 * np.array([np.cos(angle), np.sin(angle)]), delta=delta)
        traj = lr.exact(lr.GradientFlow(net, problem), np.geomspace(1e-3, 100, 300))
        axes.plot(*traj.beta.T, color="C0" if traj.nets.weights[1][-1] > 0 else "C2", linewidth=0.9)
    axes.plot(0, 1, "k*", markersize=10)
    axes.set(title=f"δ = {delta:g}", xlabel="β₁", ylabel="β₂", aspect="equal")
figure.savefig("01_phase_portrait.png")
