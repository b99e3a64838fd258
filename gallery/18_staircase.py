"""The staircase of a vanishing start

As the initialization of a diagonal network vanishes, its flow becomes a staircase: plateaus at saddles, and jumps at
which features enter and leave. Black: the limit. Colors: the flow itself, from α = 10⁻³ to 10⁻¹⁰⁰.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(187)
X, y = rng.normal(size=(3, 5)), rng.normal(size=3)
problem = lr.Problem(X, y, kappa=1 / 3)
stairs = lr.staircase(lr.GradientFlow(lr.inits.tied_diagonal(5, 1.0), problem))
print(stairs)
grid = np.linspace(0, 1.3 * stairs.times[-1], 1000)

figure, panels = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for alpha, color in zip((1e-3, 1e-10, 1e-30, 1e-100), plt.cm.plasma([0.8, 0.6, 0.35, 0.1]), strict=True):
    flow = lr.GradientFlow(lr.inits.tied_diagonal(5, alpha), problem)
    traj = lr.integrate(flow, grid * np.log(1 / alpha) / 2)
    panels[0].plot(grid, traj.beta[:, 1], color=color, label=f"α = {alpha:.0e}")
    panels[1].plot(grid, traj.loss, color=color)
panels[0].plot(grid, stairs.predictor(grid)[:, 1], "k--", lw=1, label="limit")
panels[1].step(np.append(stairs.times, grid[-1]), np.append(stairs.loss, stairs.loss[-1]), "k--", lw=1, where="post")
panels[0].set(xlabel="2t / log(1/α)", title="A coefficient that comes and goes")
panels[1].set(xlabel="2t / log(1/α)", title="Loss")
panels[0].legend()
figure.savefig("18_staircase.png")
