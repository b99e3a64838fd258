"""The flow with label noise, as a stochastic differential equation."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lazyrich._check import as_times, concrete, positive
from lazyrich.flow import GradientFlow
from lazyrich.trajectory import By, Trajectory


def diffuse(
    flow: GradientFlow, times: Any, key: Key[Array, ""], *, dt: float, sigma: Any = 1.0, drift: bool = True
) -> Trajectory:
    r"""$d\theta_l = -\eta_l\,\partial L/\partial\theta_l\,dt + \eta_l\,\kappa\,\sigma\,J_l^\top dB$ with one Brownian
    motion per label (Itô).

    This is gradient descent with label noise in continuous time (varre2023, appendix D): noise of standard deviation
    s and step size lr give $\sigma = s\sqrt{\text{lr}}$. Without `drift`, and with X = I, it is the pure-noise
    process $dW = dB\,a^\top$, $da = W^\top dB$ of varre2023, equation (4.1). Followed by the Euler–Maruyama method
    with steps of at most `dt`, whose error in law is of order dt. Vectorise over keys with `vmap`.

    >>> from lazyrich import DeepLinear, Problem
    >>> flow = GradientFlow(DeepLinear([jnp.eye(2), jnp.zeros((1, 2))]), Problem(jnp.eye(2), jnp.zeros(2)))
    >>> traj = diffuse(flow, [0.0, 1.0], jax.random.key(0), dt=0.01, drift=False)
    >>> traj.nets.weights[0].shape
    (2, 2, 2)
    """
    times = as_times(times)
    if not concrete(times):
        raise ValueError("diffuse needs known times, not traced ones: they set the number of steps")
    dt = float(positive("dt", dt))
    grid = np.concatenate([[0.0], np.asarray(times)])
    counts = np.ceil(np.diff(grid) / dt - 1e-9).astype(int)
    sizes = np.diff(grid) / np.maximum(counts, 1)
    layers, saved, sigma = flow.net.layers, [], jnp.asarray(sigma, float)
    for i, (count, size) in enumerate(zip(counts, sizes, strict=True)):
        layers = _stretch(flow, layers, jax.random.fold_in(key, i), jnp.array(count), jnp.array(size), sigma, drift)
        saved.append(layers)
    nets = jax.vmap(flow.net.with_layers)(jax.tree.map(lambda *leaves: jnp.stack(leaves), *saved))
    return Trajectory(flow, times, nets, By("diffused", "Euler–Maruyama", f"dt {dt:g}"))


@eqx.filter_jit
def _stretch(flow: GradientFlow, layers: Any, key: Any, count: Any, size: Any, sigma: Array, drift: bool) -> Any:
    X, kappa = flow.problem.X, flow.problem.kappa

    def step(i: Any, layers: Any) -> Any:
        net = flow.net.with_layers(layers)
        outputs = net(X)
        push = kappa * sigma * jnp.sqrt(size) * jax.random.normal(jax.random.fold_in(key, i), outputs.shape)
        if drift:
            push = push - size * flow.problem.slope(outputs)
        kicks = zip(flow.rates, net.pullback(X, push), strict=True)
        moves = tuple(jax.tree.map(lambda leaf, rate=rate: rate * leaf, kick) for rate, kick in kicks)
        return jax.tree.map(jnp.add, layers, moves)

    return jax.lax.fori_loop(0, count, step, layers)
