"""The largest curvature of the loss, which bounds the learning rates at which descent is stable."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.lanczos import largest_eigenvalue
from lazyrich._core.types import Layers
from lazyrich.flow import GradientFlow
from lazyrich.trajectory import Trajectory

MAX_DENSE = 1000  # parameters whose Hessian is formed inside jit, vmap and grad


def sharpness(now: Trajectory | GradientFlow) -> Array:
    r"""Return the largest curvature of what is descended, $\lambda_{\max}(\sqrt\eta\,\nabla^2L\,\sqrt\eta)$: at every
    time of a trajectory, or at the network of a flow.

    With unit rates it is the largest eigenvalue of the Hessian of the loss; rates $\eta_l$ weight the layers, and
    weight decay adds its own curvature. Gradient descent is stable while it is below 2/lr, with momentum m below
    2(1 + m)/lr, Nesterov's below 2(1 + m)/((1 + 2m) lr). Descent with large steps raises it to there and stays near the
    edge of stability (Cohen, Kaur, Li, Kolter, Talwalkar 2021).

    It is found by the Lanczos method from products of the Hessian with vectors, at saddles too, where curvatures are
    negative. Inside `jit`, `vmap` and `grad` the Hessian of at most 1000 parameters is formed.

    >>> from lazyrich import Problem, inits
    >>> flow = GradientFlow(inits.tied_diagonal(2, 1.0), Problem([[1.0, 2.0]], [0.0]))
    >>> sharpness(flow).round(6)                              # ‖x‖² · (w₊² + w₋²) · 4
    Array(40., dtype=float64)
    """
    if isinstance(now, GradientFlow):
        return _of_flow(now)
    if not isinstance(now, Trajectory):
        raise TypeError(f"sharpness takes a Trajectory or a GradientFlow; found {type(now).__name__}")
    if not is_concrete(now.nets, now.flow):
        return jax.lax.map(lambda net: _dense_largest_eigenvalue(now.flow, net.layers), now.nets)
    return jnp.asarray([_of_flow(now.flow.with_net(now[index])) for index in range(len(now))], float)


def _of_flow(flow: GradientFlow) -> Array:
    if not is_concrete(flow):
        return _dense_largest_eigenvalue(flow, flow.net.layers)
    z = ravel_pytree(flow.net.layers)[0]
    start = np.random.default_rng(0).normal(size=z.size)
    return jnp.asarray(largest_eigenvalue(lambda v: np.asarray(_product(flow, z, v)), start, np.dot), float)


@eqx.filter_jit
def _product(flow: GradientFlow, z: Array, v: Array) -> Array:
    """Return the product of √η ∇²L √η at z with a vector."""
    _, unravel = ravel_pytree(flow.net.layers)
    layers = [jax.tree.map(partial(jnp.full_like, fill_value=1.0), layer) for layer in flow.net.layers]
    scaled = tuple(
        jax.tree.map(lambda one, rate=rate: jnp.sqrt(rate) * one, layer)
        for rate, layer in zip(flow.rates, layers, strict=True)
    )
    roots = ravel_pytree(scaled)[0]

    def gradient(z: Array) -> Array:
        return ravel_pytree(flow.gradient(flow.net.with_layers(unravel(z))))[0]

    return roots * jax.jvp(gradient, (z,), (roots * v,))[1]


def _dense_largest_eigenvalue(flow: GradientFlow, layers: Layers) -> Array:
    """Return the largest eigenvalue of the Hessian, formed column by column."""
    z = ravel_pytree(layers)[0]
    if z.size > MAX_DENSE:
        raise ValueError(
            f"inside jit, vmap and grad, sharpness forms the Hessian of at most {MAX_DENSE} parameters; the network "
            f"has {z.size}. Call it outside"
        )
    hessian = jax.vmap(lambda v: _product(flow, z, v))(jnp.eye(z.size))
    return jnp.linalg.eigvalsh((hessian + hessian.T) / 2)[-1]
