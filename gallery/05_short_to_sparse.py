"""From the shortest to the sparsest solution

The limit of a diagonal network, for every scale of its initialization: from a large one it is the interpolator of least
ℓ₂ norm, from a small one that of least ℓ₁ norm. One call solves the convex problem of the theorem for all scales,
without training.
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
    axes.plot(scales, coordinate, color="C2" if true else "0.6", linewidth=2 if true else 1)
axes.set(xscale="log", xlabel="scale α of the start", ylabel="where β stops", title="Orange: the two that matter")
figure.savefig("05_short_to_sparse.png")
