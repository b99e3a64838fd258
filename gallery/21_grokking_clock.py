"""One clock for all scales

Diagonal networks from four large scales under weight decay generalize at different times. Against λt − log α they are
one curve, which is why one run predicts all others.
"""

import matplotlib.pyplot as plt
import numpy as np

import lazyrich as lr

rng = np.random.default_rng(0)
X, truth = rng.normal(size=(20, 40)), np.zeros(40)
truth[:2] = 2.0, -1.5
problem, decay = lr.Problem(X, X @ truth, kappa=1 / 20), 0.01

figure, (plain, clock) = plt.subplots(1, 2, figsize=(7.6, 3.2), layout="constrained", sharey=True)
for i, alpha in enumerate((3.0, 10.0, 30.0, 100.0)):
    times = np.linspace(1.0, (np.log(alpha) + 3) / decay, 120)
    traj = lr.integrate(lr.GradientFlow(lr.inits.tied_diagonal(40, alpha), problem, decay=decay), times)
    error = np.sum((traj.beta - truth) ** 2, axis=1)
    plain.plot(times, error, color=f"C{i}", label=f"α = {alpha:g}")
    clock.plot(decay * times - np.log(alpha), error, color=f"C{i}", linewidth=4 - i)
plain.set(xlabel="flow time t", ylabel="test error", title="Larger starts generalize later")
clock.set(xlabel="λt − log α", title="One curve")
plain.legend()
figure.savefig("21_grokking_clock.png")
