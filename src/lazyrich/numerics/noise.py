"""The flow with label noise, as a stochastic differential equation."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lazyrich._check import as_array, as_key, as_times, concrete, count, number, positive
from lazyrich.flow import GradientFlow
from lazyrich.numerics.record import IntegrationError
from lazyrich.problem import Square
from lazyrich.trajectory import By, Trajectory


def diffuse(
    flow: GradientFlow,
    times: Any,
    key: Key[Array, ""],
    *,
    dt: float,
    sigma: Any = 1.0,
    drift: bool = True,
    max_steps: int = 10**7,
) -> Trajectory:
    r"""$d\theta_l = -\eta_l\,\partial L/\partial\theta_l\,dt + \eta_l\,\kappa\,\sigma\,J_l^\top dB$ with one Brownian
    motion per label (Itô).

    This is gradient descent with label noise in continuous time (varre2023, appendix D): noise of standard deviation
    s and step size lr give $\sigma = s\sqrt{\text{lr}}$. Without `drift`, and with X = I, it is the pure-noise
    process $dW = dB\,a^\top$, $da = W^\top dB$ of varre2023, equation (4.1). Followed by the Euler–Maruyama method
    with steps of at most `dt`, whose error in law is of order dt; more than `max_steps` of them are refused at once.
    Vectorise over keys with `vmap`.

    >>> from lazyrich import DeepLinear, Problem
    >>> flow = GradientFlow(DeepLinear([jnp.eye(2), jnp.zeros((1, 2))]), Problem(jnp.eye(2), jnp.zeros(2)))
    >>> traj = diffuse(flow, [0.0, 1.0], jax.random.key(0), dt=0.01, drift=False)
    >>> traj.nets.weights[0].shape
    (2, 2, 2)
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"diffuse takes a GradientFlow; found {type(flow).__name__}")
    if not concrete(times, dt):
        raise ValueError("diffuse needs a known dt and known times, not traced ones: they set the number of steps")
    if not isinstance(flow.problem.loss, Square):
        raise ValueError(f"label noise is for the square loss; found {type(flow.problem.loss).__name__}")
    if not isinstance(drift, (bool, np.bool_)):
        raise TypeError(f"drift must be True or False; found {drift!r:.60}")
    positive("dt", dt)
    dt, max_steps = number("dt", dt), count("max_steps", max_steps)
    sigma, key, saved_at = as_array("sigma", sigma, (0,)), as_key(key), as_times(times)
    grid = np.concatenate([[0.0], np.asarray(times, float).reshape(-1)])
    with np.errstate(over="ignore"):
        counts = np.ceil(np.diff(grid) / dt * (1 - 1e-9))  # a last step that is only rounding is none
    if not counts.sum() <= max_steps:
        raise ValueError(
            f"dt = {dt:g} makes {counts.sum():.3g} steps until t = {grid[-1]:g}, more than max_steps = {max_steps:,}: "
            "take a larger dt or less time, or raise max_steps"
        )
    sizes = np.diff(grid) / np.maximum(counts, 1)
    layers, saved = flow.net.layers, []
    for i, (steps, size) in enumerate(zip(counts.astype(int), sizes, strict=True)):
        layers = _stretch(flow, layers, jax.random.fold_in(key, i), jnp.array(steps), jnp.array(size), sigma, drift)
        saved.append(layers)
    nets = jax.vmap(flow.net.with_layers)(jax.tree.map(lambda *leaves: jnp.stack(leaves), *saved))
    traj = Trajectory(flow, saved_at, nets, By("diffused", "Euler–Maruyama", f"dt {dt:g}"))
    if concrete(nets):
        finite = np.all(
            [np.isfinite(layer.reshape(len(saved_at), -1)).all(axis=1) for layer in jax.tree.leaves(nets.layers)],
            axis=0,
        )
        if not finite.all():
            first = int(np.argmin(finite))
            raise IntegrationError(
                f"the diffusion left the range of floating point before t = {grid[1 + first]:g}: take a dt below "
                f"{dt:g}, or less noise. What came before is in the `trajectory` of this error.",
                traj[:first],
            )
    return traj


@eqx.filter_jit
def _stretch(flow: GradientFlow, layers: Any, key: Any, steps: Any, size: Any, sigma: Array, drift: bool) -> Any:
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

    return jax.lax.fori_loop(0, steps, step, layers)
