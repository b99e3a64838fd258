"""The scale of an adapter, on whitened data

A low-rank adapter W₀ + sBA with B = 0 is a downstream network with a closed form. Left: steps until a tenth of the loss
is left, against its scale |δ|. Right: with a large scale, what A sees is learned early, and the rest after A rotates.
"""

import jax
import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(0)
frames = [np.linalg.qr(rng.normal(size=(n, n)))[0][:, :4] for n in (24, 12)]
problem = lr.Problem(np.eye(24), (frames[0] * [3.0, 2.0, 1.0, 0.5]) @ frames[1].T)
times, scales = np.r_[0.0, np.geomspace(1e-3, 3e3, 400)], 3 * np.geomspace(0.01, 30, 25)
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for rank, color in ((4, "C0"), (6, "C1"), (12, "C2")):
    nets = [lr.inits.lora(jax.random.key(0), 24, 12, rank, size=scale) for scale in scales]
    paths = [lr.exact(lr.GradientFlow(net, problem), times, hidden_rotation=False) for net in nets]
    reached = [times[np.argmax(path.loss < 0.1 * path.loss[0])] for path in paths]
    left.loglog(scales / 3, reached * np.hypot(scales, 6), color=color, label=f"rank {rank}")
    right.plot(times, paths[-1].loss / paths[-1].loss[0], color=color)
    right.plot(times, lr.metrics.kernel_distance(paths[-1]), "--", color=color)
left.set(xlabel="|δ| / σ₁", ylabel="steps", title="Steps to a tenth of the loss")
right.set(xscale="log", xlabel="flow time", title="|δ| = 30 σ₁: loss, S (dashed)")
figure.legend(loc="outside lower center", ncols=3)
figure.savefig("23_lora_scale.png")
