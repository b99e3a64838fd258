"""Tangent model of any function."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import PyTree

from lazyrich.jax._jacobian.checked_model import Function


def linearize(f: Function, params: PyTree) -> Function:
    r"""Return $\bar f(\theta, x) = f(\theta_0, x) + \partial f(\theta_0, x)\,(\theta - \theta_0)$ with θ₀ = `params`.

    It is affine in θ. Its tangent kernel is that of f at θ₀ for every θ; it can be trained and measured like any
    other function.

    >>> f = lambda params, x: x * params["a"] * params["w"]
    >>> tangent = linearize(f, {"a": jnp.array(1.0), "w": jnp.array(2.0)})
    >>> tangent({"a": jnp.array(2.0), "w": jnp.array(3.0)}, jnp.ones(1)).tolist()  # 2 + 2·1 + 1·1, where 2·3 is curved
    [5.0]
    """

    def tangent(theta: PyTree, x: PyTree) -> PyTree:
        shift = jax.tree.map(lambda now, start: jnp.asarray(now, jnp.result_type(start)) - start, theta, params)
        value, change = value_and_jvp(lambda p: f(p, x), params, shift)
        return value + change

    return tangent


def value_and_jvp(function: Callable[[PyTree], PyTree], at: PyTree, step: PyTree) -> tuple[PyTree, PyTree]:
    """Return the value of a function, and its derivative along a step, even if it only has a rule for the backward
    pass."""
    if "custom_vjp_call" not in str(jax.make_jaxpr(function)(at)):
        return jax.jvp(function, (at,), (step,))
    value, pull = jax.vjp(function, at)  # the forward derivative is the transpose of the backward one
    return value, jax.linear_transpose(lambda v: pull(v)[0], value)(step)[0]
