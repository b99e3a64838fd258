"""Lazy, rich, and late

The same function and the same task. Only the relative scale δ of the two layers differs: the kernel of the upstream
neuron keeps still, that of the balanced one turns while it learns, that of the downstream one long after its first
success.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

problem = lr.Problem(np.eye(2), [0.0, 1.0])
times = np.r_[0.0, np.geomspace(0.01, 100, 400)]
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for delta, name, color in ((4.0, "upstream", "C0"), (0.0, "balanced", "C2"), (-4.0, "downstream", "C1")):
    traj = lr.exact(lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=delta), problem), times)
    left.plot(times, traj.loss, color=color, label=f"{name}, δ = {delta:g}")
    right.plot(times, lr.metrics.kernel_distance(traj), color=color)
for axes, title in ((left, "Loss"), (right, "Distance of the kernel from its start")):
    axes.set(xscale="log", xlabel="flow time", title=title, xlim=(0.01, 100))
figure.legend(loc="outside lower center", ncols=3)
figure.savefig("02_lazy_rich_late.png")
