"""ReLU neurons in the plane

Twenty neurons learn from a teacher; every kink is located exactly. From a small upstream initialization (the first
layer learns faster) they condense onto a few directions. From a large one they hardly rotate.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

figure, panels = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for axes, (tau, delta) in zip(panels, ((0.1, 1.0), (2.0, 0.0)), strict=True):
    traj = lr.phase.planar_student(tau, delta, seed=1, width=20, n=12, time=20.0, saves=80)
    lr.linear_regions(traj[-1], (-1.2, 1.2, -1.2, 1.2)).draw(axes)
    turned = np.asarray(traj.nets.W)
    units = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    for k in range(units.shape[1]):
        axes.plot(*units[:, k].T, color="k", linewidth=0.8)
        axes.plot(*units[-1, k], "ko", markersize=4)
    axes.set(title=f"τ = {tau:g}, δ = {delta:g}", aspect="equal")
figure.savefig("10_relu_in_the_plane.png")
