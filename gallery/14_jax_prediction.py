"""What the tangent kernel predicts of a JAX function

The tangent kernel of any f(params, x) gives its lazy twin at every time. The dots are the wide one, trained.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt

import lazyrich.jax as lj


def f(params, x):
    return jnp.tanh(x @ params["W"] + params["b"]) @ params["v"] / params["v"].shape[0] ** 0.5


keys, x = jax.random.split(jax.random.key(0), 3), jnp.linspace(-1, 1, 7)[:, None]
y, fine = jnp.sin(4 * x), jnp.linspace(-1.3, 1.3, 200)[:, None]
figure, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
for width, colour in ((10, "C1"), (2000, "C0")):
    p = {n: jax.random.normal(k, s) for n, k, s in zip("Wbv", keys, ((1, width), (width,), (width, 1)), strict=True)}
    K, K_new = (lj.tangent_kernel(f, p, points, x) for points in (x, fine))
    lazy = lj.predict(K, y, 100.0, K_new, start=f(p, x), start_new=f(p, fine)).mean
    axes.plot(fine, lazy, color=colour, label=f"tangent model, width {width}")
for _ in range(5000):
    p = jax.tree.map(lambda a, g: a - 0.02 * g, p, jax.grad(lambda q: jnp.sum((f(q, x) - y) ** 2) / 2)(p))
axes.plot(fine[::8], f(p, fine)[::8], "C0.", label="the wide network, trained")
axes.plot(x, y, "k+")
axes.legend()
figure.savefig("14_jax_prediction.png")
