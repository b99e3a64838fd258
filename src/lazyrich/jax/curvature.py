"""Sharpness of a JAX model: the largest curvature of its loss, in the geometry of its optimizer."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, PyTree

from lazyrich._core.lanczos import TOLERANCE, largest_eigenvalue
from lazyrich._core.types import AnyArray
from lazyrich.tangent.sharpness import Sharpness


def sharpness(
    loss: Callable[[PyTree], AnyArray],
    params: PyTree,
    *,
    step_size: PyTree = None,
    edge: float = 2.0,
    seed: int = 0,
) -> Sharpness:
    r"""Return the largest curvature of loss(params), by the Lanczos method from products of the Hessian with vectors.

    Without a `step_size` this is the largest eigenvalue of the Hessian. With one, P, it is that of
    $\sqrt P\,\nabla^2L\,\sqrt P$: a learning rate, or a tree like params with one number for each entry, as
    `adam_step_size` returns it. Steps are stable while it is below the `edge`: 2 for gradient descent, 2(1 + m) for
    heavy ball, 2(1 + m)/(1 + 2m) for Nesterov, 2(1 + b1)/(1 − b1) for Adam.

    >>> loss = lambda params: jnp.sum((params["a"] * params["b"] - 1.0) ** 2)
    >>> params = {"a": jnp.array(2.0), "b": jnp.array(0.5)}
    >>> print(sharpness(loss, params))
    λ = 8.5
    >>> print(sharpness(loss, params, step_size=0.2))
    lr · λ = 1.7, 85 % of the edge of stability (2)
    """
    leaves = jax.tree.leaves(params)
    if not leaves or any(not jnp.issubdtype(jnp.result_type(leaf), jnp.floating) for leaf in leaves):
        raise ValueError(
            "sharpness needs params of real floating-point arrays; found "
            f"{[str(jnp.result_type(leaf)) for leaf in leaves][:6]}"
        )
    if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
        raise ValueError("sharpness measures numbers: call it between the steps, outside of jit, grad and scan")
    kinds = {jnp.result_type(leaf) for leaf in leaves}
    epsilon = max(float(jnp.finfo(kind).eps) for kind in kinds)
    if epsilon > 1e-6:
        raise ValueError(f"curvatures need single precision at least; found {', '.join(sorted(map(str, kinds)))}")
    if jax.eval_shape(loss, params).shape != ():
        raise ValueError(f"loss(params) must be one number; found shape {jax.eval_shape(loss, params).shape}")
    point, unravel = ravel_pytree(params)
    root = jnp.sqrt(_flat_step_size(step_size, params)).astype(point.dtype)

    def gradient(z: Array) -> Array:
        return ravel_pytree(jax.grad(loss)(unravel(z)))[0]

    @jax.jit
    def product(z: Array, root: Array, vector: Array) -> Array:
        _, pull = jax.vjp(gradient, z)  # the Hessian is symmetric, and some functions have no forward derivative
        return root * pull(root * vector)[0]

    start = jax.random.normal(jax.random.key(seed), point.shape, point.dtype)
    eigenvalue = largest_eigenvalue(
        lambda v: product(point, root, v), start, lambda u, v: float(jnp.vdot(u, v)), max(TOLERANCE, 50 * epsilon)
    )
    return Sharpness(eigenvalue, None if step_size is None else float(edge))


def _flat_step_size(step_size: PyTree, params: PyTree) -> AnyArray:
    """Return the step size of every entry of params, flattened."""
    if step_size is None:
        return jnp.ones(())
    if jax.tree_util.treedef_is_leaf(jax.tree.structure(step_size)):
        flat = jnp.asarray(step_size)
    else:
        if str(jax.tree.structure(step_size)) != str(jax.tree.structure(params)):
            raise ValueError("step_size must be a number, or a tree like params with one number for each entry")
        flat = ravel_pytree(jax.tree.map(lambda p, size: jnp.broadcast_to(size, jnp.shape(p)), params, step_size))[0]
    if not bool(jnp.all((flat >= 0) & jnp.isfinite(flat))):
        raise ValueError("step_size must be finite and not negative: steps up the gradient are not stable at any size")
    return flat


def adam_step_size(state: PyTree, lr: float, *, b2: float = 0.999, eps: float = 1e-8) -> PyTree:
    r"""Return lr/(√v̂ + ε) for each entry of the parameters, from the state of Adam or AdamW in optax.

    The state may be that of a chain; the first part with `nu` and `count` is read.
    """
    parts = jax.tree.leaves(state, is_leaf=lambda part: hasattr(part, "nu") and hasattr(part, "count"))
    adam_states = [part for part in parts if hasattr(part, "nu")]
    if not adam_states:
        raise ValueError("no part of this optimizer's state has `nu` and `count`, as that of optax.adam does")
    count = int(adam_states[0].count)
    if count == 0:
        raise ValueError("Adam has taken no step yet, so it has not seen the gradients that it divides by")
    return jax.tree.map(lambda nu: lr / (jnp.sqrt(nu / (1 - b2**count)) + eps), adam_states[0].nu)
