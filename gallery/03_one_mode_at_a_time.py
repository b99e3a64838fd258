"""One mode at a time

From a small initialization, a linear network learns the singular values of its target one after another, the largest
first. The dots mark the times at which each is half learned.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

target = np.diag([4.0, 2.0, 1.0, 0.5])
net = lr.inits.aligned(target, [1e-3] * 4)
flow = lr.GradientFlow(net, lr.Problem(np.eye(4), target))
times = np.linspace(0, 20, 500)
traj = lr.exact(flow, times)
modes = lr.metrics.mode_strengths(traj)

figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
for mode, strength in zip(modes.T, np.diag(target), strict=True):
    axes.plot(times, mode, label=f"s = {strength:g}")
    axes.plot(np.interp(strength / 2, mode, times), strength / 2, "ko", markersize=4)
axes.plot(times, traj.loss / 3, "k:", label="loss / 3")
axes.set(xlabel="flow time", ylabel="strength of the mode", title="Strong modes first")
figure.legend(loc="outside right upper")
figure.savefig("03_one_mode_at_a_time.png")
