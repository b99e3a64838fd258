"""Recover an initialization

From twenty noisy losses, gradient descent through the exact trajectory recovers the initial δ and β.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import lazyrich as lr

problem, times = lr.Problem(np.eye(2), [0.0, 1.0]), np.r_[0.0, np.geomspace(0.05, 10, 19)]


def loss(z):  # of z = (δ, β₀)
    return lr.exact(lr.GradientFlow(lr.inits.neuron(z[1:], delta=z[0]), problem), times).loss


rng, truth = np.random.default_rng(0), jnp.array([-2.0, -0.4, -0.6])
measured = loss(truth) * np.exp(0.01 * rng.normal(size=20))
misfit = jax.jit(jax.value_and_grad(lambda z: jnp.sum(jnp.log(loss(z) / measured) ** 2)))
best = min((minimize(misfit, z, jac=True) for z in rng.normal(size=(4, 3))), key=lambda fit: fit.fun).x
figure, axes = plt.subplots(figsize=(5.5, 3.2), layout="constrained")
axes.loglog(times[1:], measured[1:], "ko", markersize=4, label=f"observed, δ = {truth[0]:g}, β = {truth[1:]}")
axes.loglog(times[1:], loss(best)[1:], label=f"recovered, δ = {best[0]:.2f}, β = {best[1:].round(2)}")
axes.set(xlabel="flow time", ylabel="loss")
axes.legend(title="|β₁| only: its sign is invisible")
figure.savefig("16_recover_an_initialization.png")
