"""Depth: a longer plateau, a sharper transition

One mode of balanced linear networks of depth 1 to 5, all started at a hundredth of the target. Time is in units of the
half-time of each mode.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

problem = lr.Problem([[1.0]], [1.0])
figure, axes = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
for depth in range(1, 6):
    flow = lr.GradientFlow(lr.inits.aligned([[1.0]], 1e-2, depth=depth), problem)
    wide = np.geomspace(1e-3, 1e4, 2000)
    half = np.interp(0.5, lr.exact(flow, wide).beta[:, 0], wide)
    times = np.linspace(0, 2.5, 400)
    axes.plot(times, lr.exact(flow, times * half).beta[:, 0], label=f"{depth}: half at t = {half:.1f}")
axes.set(xlabel="time / half-time", ylabel="mode / target", title="Balanced layers, by depth")
axes.legend(title="depth")
figure.savefig("04_depth.png")
