"""Where descent ends

Gradient descent on a diagonal network ends at another solution than the flow: at that of another gradient flow, which
`equivalent_flow` returns. Beyond the edge of stability of the flow's own end, descent ends where the loss is flatter.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(0)
X, truth = rng.normal(size=(10, 30)), np.r_[1.0, -1.0, 1.0, np.zeros(27)]
flow = lr.GradientFlow(lr.inits.tied_diagonal(30, alpha=0.1), lr.Problem(X, X @ truth, kappa=1 / 10))
own = lr.limit(flow)
edge = 2 / lr.metrics.sharpness(flow.with_net(own.net))
rates = edge * np.linspace(0.1, 1.4, 14)
runs = [lr.descend(flow, 20_000, rate) for rate in rates]
gap = [np.abs(run.beta[-1] - own.value).max() for run in runs]
same = [np.abs(run.beta[-1] - lr.limit(lr.equivalent_flow(run)).value).max() for run in runs]

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
left.plot(rates, gap, "o-", label="from the end of the flow")
left.plot(rates, same, "x-", label="from the end of the equivalent flow")
left.legend()
left.set(yscale="log", xlabel="learning rate", title="Where descent ends: distance")
right.plot(rates, [lr.metrics.sharpness(run[-1:])[0] for run in runs], "o-")
right.plot(rates[5:], 2 / rates[5:], "k--", linewidth=0.8, label="2 / lr")
right.set(xlabel="learning rate", title="Sharpness at the end")
figure.savefig("19_where_descent_ends.png")
