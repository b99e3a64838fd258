"""From the shortest to the sparsest

Where a diagonal network stops, for every scale of its start: the interpolator of least ℓ₂ norm from a large start, of
least ℓ₁ norm from a small one. Nothing is trained: one call solves the theorem's convex problem along all scales.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(0)
X, truth = rng.normal(size=(8, 12)), np.zeros(12)
truth[[1, 7]] = 1.0, -0.5
scales = np.geomspace(1e-4, 10, 60)
flow = lr.GradientFlow(lr.inits.tied_diagonal(12, alpha=1.0), lr.Problem(X, X @ truth))
path = lr.limit(flow, scales=scales)

figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
for coordinate, true in zip(np.asarray(path.value).T, truth, strict=True):
    axes.plot(scales, coordinate, color="C1" if true else "0.6", linewidth=2 if true else 1)
axes.set(xscale="log", xlabel="scale α of the start", ylabel="where β stops", title="Orange: the two that matter")
figure.savefig("05_short_to_sparse.png")
