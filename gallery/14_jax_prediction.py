"""What the tangent kernel predicts for a JAX function

The tangent kernel of f(params, x) predicts its linearization (line). The dots are f itself, trained for the same time.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt

import lazyrich.jax as lj


def f(p, x):
    return jnp.tanh(x @ p["W"] + p["b"]) @ p["v"] / p["v"].shape[0] ** 0.5


def step(_, p):
    return jax.tree.map(lambda a, g: a - 0.02 * g, p, jax.grad(lambda q: jnp.sum((f(q, x) - y) ** 2) / 2)(p))


keys, (x, fine) = jax.random.split(jax.random.key(0), 3), (jnp.linspace(-1, 1, n)[:, None] for n in (7, 50))
y, (figure, panels) = jnp.sin(4 * x), plt.subplots(1, 2, figsize=(8, 3), sharey=True, layout="constrained")
for axes, h in zip(panels, (10, 2000), strict=True):
    p = {n: jax.random.normal(k, s) for n, k, s in zip("Wbv", keys, ((1, h), (h,), (h, 1)), strict=True)}
    K, K_new = (lj.tangent_kernel(f, p, points, x) for points in (x, fine))
    axes.plot(fine, lj.predict(K, y, 100.0, K_new, start=f(p, x), start_new=f(p, fine)).mean)
    axes.plot(fine, f(jax.lax.fori_loop(0, 5000, step, p), fine), "C1.")
    axes.plot(x, y, "k+", markersize=9)
    axes.set(title=f"{h} units", xlabel="x")
figure.savefig("14_jax_prediction.png")
