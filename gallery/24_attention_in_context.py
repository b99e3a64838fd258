"""Attention learns in context

Linear attention learns linear regression in context. With merged key and query (left) it learns all at once, with
separate ones (right) one eigenvector of the inputs after another. Lines: random starts. Dots and dashes: closed forms.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng, D = np.random.default_rng(0), 4
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
white, times = lr.Problem.in_context(np.ones(D), 31), np.linspace(0, 6, 121)
U, v = rng.normal(size=(8, D, D)) / D, rng.normal(size=8) / 8**0.5
for size, color in ((1e-1, "C0"), (1e-2, "C1"), (1e-4, "C2")):
    flow = lr.GradientFlow(lr.MergedLinearAttention(size * U, size * v), white)
    grows = size / 2 * np.linalg.norm(v + np.trace(U, axis1=1, axis2=2) / 2) * np.array([0.6, 0.8])
    net = lr.MergedLinearAttention(grows[:, None, None] * np.eye(D) / 2, grows)
    left.plot(times, lr.integrate(flow, times).loss, color=color, label=f"start {size:g}")
    left.plot(times[::3], lr.exact(lr.GradientFlow(net, white), times[::3]).loss, ".", color=color)
problem, times = lr.Problem.in_context([1.0, 0.7, 0.4, 0.2], 31), np.geomspace(3, 1e5, 400)
net = lr.LinearAttention(*(0.01 * rng.normal(size=size) for size in (4, (4, D), (4, D))))
right.semilogx(times, lr.integrate(lr.GradientFlow(net, problem), times).loss)
net = lr.LinearAttention(np.full(D, 0.01), 0.01 * np.eye(D), 0.01 * np.eye(D))  # on the eigenvectors
right.hlines(lr.mode_schedule(lr.GradientFlow(net, problem)).plateau, *times[[0, -1]], color="0.6", ls="--", lw=0.8)
for axes, title in ((left, "Loss, merged key and query"), (right, "Loss, separate key and query")):
    axes.set(xlabel="flow time", title=title)
left.legend()
figure.savefig("24_attention_in_context.png")
