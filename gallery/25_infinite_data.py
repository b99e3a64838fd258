"""Infinite data

With a teacher and Gaussian inputs the loss over all inputs has a closed form, so that a flow needs no samples, and its
loss is the test error. Flows on n samples approach it. Left: test errors. Right: the neurons, which find the teacher's.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(3)
teacher = lr.TwoLayer([[1.0, 0.0], [-0.5, 0.8], [-0.3, -0.9]], [1.0, 1.0, -1.0])
student = lr.TwoLayer(0.1 * rng.normal(size=(12, 2)), 0.1 * rng.normal(size=12))
population, times = lr.Population(teacher), np.r_[0.0, np.geomspace(0.3, 300, 60)]
traj = lr.integrate(lr.GradientFlow(student, population), times)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for n, color in ((20, "C2"), (200, "C3"), (2000, "C1")):
    flow = lr.GradientFlow(student, population.sample(jax.random.key(1), n))
    learned = lr.integrate(flow, times[1:], precision="single", rtol=1e-3)
    left.loglog(times[1:], learned.map(population.loss_of), color=color, label=f"{n} samples")
left.loglog(times[1:], traj.loss[1:], color="black", label="all inputs")
left.set(xlabel="flow time", title="Test error")
right.plot(*np.moveaxis(np.abs(traj.nets.a)[:, :, None] * traj.nets.W, 2, 0), color="C0", lw=1)
for w, a in zip(teacher.W, teacher.a, strict=True):
    right.plot(*np.stack([0 * w, 1.3 * abs(a) * w]).T, "--", color="0.5", zorder=0)
right.set(title="|a| w, and the teacher's (dashed)", aspect="equal")
left.legend()
figure.savefig("25_infinite_data.png")
