"""Which direction a classifier grows in

With the logistic loss and separable data, the predictor grows forever and only its direction converges. It maximizes
the margin, in the ℓ₂ norm for a linear model and in the ℓ₁ norm for a diagonal network. Both limits have certificates.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(1)
y = np.repeat([1.0, -1.0], 12)
X = y[:, None] * (rng.uniform(0, 2, size=(24, 2)) + np.array([1.0, 0.5]))
X[0] = 1.0, 0.5  # the point nearest to the boundary
problem = lr.Problem(X, y, loss=lr.Logistic())

figure, axes = plt.subplots(figsize=(4.6, 4), layout="constrained")
axes.scatter(*X.T, c=np.where(y > 0, "C0", "C2"), s=18)
linear, diagonal = lr.DeepLinear([[[0.0, 0.0]]]), lr.inits.tied_diagonal(2, 0.1)
for net, name, dash in ((linear, "linear: ℓ₂", "-"), (diagonal, "diagonal: ℓ₁", "--")):
    beta = np.asarray(lr.limit(lr.GradientFlow(net, problem)).value)
    across = np.array([-beta[1], beta[0]]) / np.linalg.norm(beta)
    axes.plot(*np.outer(across, [-3, 3]), "k" + dash, label=f"{name}, ({beta[0]:.2f}, {beta[1]:.2f})")
axes.set(aspect="equal", title="Boundaries in the limit of infinite time")
axes.legend()
figure.savefig("06_maximum_margin.png")
