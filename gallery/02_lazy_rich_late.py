"""Lazy, rich and delayed rich

Three neurons start from the same function on the same task and differ only in the relative scale δ of their layers.
Upstream (δ > 0), the tangent kernel stays constant. Balanced, it rotates while the neuron learns. Downstream (δ < 0),
it rotates long after the loss first decreases.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

problem = lr.Problem(np.eye(2), [0.0, 1.0])
times = np.r_[0.0, np.geomspace(0.01, 100, 400)]
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for delta, name, color in ((4.0, "upstream", "C0"), (0.0, "balanced", "C1"), (-4.0, "downstream", "C2")):
    traj = lr.exact(lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=delta), problem), times)
    left.plot(times, traj.loss, color=color, label=f"{name}, δ = {delta:g}")
    right.plot(times, lr.metrics.kernel_distance(traj), color=color)
for axes, title in ((left, "Loss"), (right, "Distance of the kernel from its start")):
    axes.set(xscale="log", xlabel="flow time", title=title, xlim=(0.01, 100))
figure.legend(loc="outside lower center", ncols=3)
figure.savefig("02_lazy_rich_late.png")
