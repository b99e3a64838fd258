"""A linear network in the coordinates in which every theorem is short: unit rates, whitened inputs."""

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float

from lazyrich._arrays import Numbers, ahead, xp
from lazyrich._check import concrete
from lazyrich._linalg import pull
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.problem import Problem


def constant(value: Numbers, name: str = "X") -> Numbers:
    """The value itself, which refuses to be differentiated: to move it would break a hypothesis, or turn a frame that
    the formula takes as given."""
    return value if concrete(value) else _constant(value, name)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _constant(value: Array, name: str) -> Array:
    return value


@partial(_constant.defjvp, symbolic_zeros=True)
def _constant_jvp(name: str, primals: Any, tangents: Any) -> Any:
    (value,), (change,) = primals, tangents
    if not isinstance(change, SymbolicZero):
        raise ValueError(
            f"this closed form is not differentiable in {name}, which it takes as given (to move it breaks a "
            "hypothesis, or turns the singular vectors of the target). Differentiate through lazyrich.integrate instead"
        )
    return value, jnp.zeros_like(value)


def seen(problem: Problem) -> Numbers | None:
    """An orthonormal basis of the row space of X; None when that is everything (or traced)."""
    if not concrete(problem.X):
        return None
    X = np.asarray(problem.X)
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    r = int(np.sum(s > s[0] * max(X.shape) * np.finfo(float).eps))
    return None if r == X.shape[1] else Vt[:r].T


def strength(problem: Problem) -> Numbers:
    r"""$\rho$, the mean of the nonzero eigenvalues of $\kappa X^\top X$."""
    basis = seen(problem)
    r = problem.d if basis is None else basis.shape[1]
    return problem.kappa * xp.sum(problem.X**2) / max(r, 1)


def unwhitened(problem: Problem) -> Numbers:
    """By how much XᵀX differs from a multiple of a projector, relatively."""
    basis = seen(problem)
    if basis is not None and basis.shape[1] == 0:
        return float("inf")
    X = problem.X if basis is None else problem.X @ basis
    if concrete(X):
        values = np.linalg.svd(np.asarray(X), compute_uv=False)
        return float(1 - (values[-1] / values[0]) ** 2) if len(values) == X.shape[1] else float("inf")
    gram = X.T @ X
    rho = jnp.trace(gram) / X.shape[1]
    return jnp.linalg.norm(gram / rho - jnp.eye(X.shape[1]))


class Canonical(eqx.Module):
    r"""The flow of $\tilde W_l$ at unit rates with loss $\tfrac12\|\tilde\beta - b\|^2$, in the time clock · t.

    If $\kappa X^\top X = \rho\Pi$ with a projector $\Pi = VV^\top$, then $W_1(I - \Pi)$ never moves, and
    $\tilde W_l = W_l/\sqrt{\eta_l}$ (with $W_1V$ for $W_1$) follow the unit-rate flow towards
    $b = V^\top\kappa X^\top y/(\rho c)$, $c = \prod_l\sqrt{\eta_l}$, at $\rho c^2$ times the speed.
    """

    weights: tuple[Array, ...]
    target: Float[Array, "r c"]
    clock: Float[Array, ""]
    roots: tuple[Array, ...]
    basis: Float[Array, "d r"] | None
    rest: Array | None

    def restored(self, net: Network, weights: tuple[Array, ...]) -> tuple[Any, ...]:
        """The network's layers, from these weights stacked along time in front."""
        ones = [concrete(root) and root == 1 for root in self.roots]  # as rates are, unless they are given
        layers = [W if one else root * W for one, root, W in zip(ones, self.roots, weights, strict=True)]
        if self.basis is not None and self.rest is not None:
            layers[0] = layers[0] @ self.basis.T + self.rest
        return tuple(layer.reshape(len(layer), *own.shape) for layer, own in zip(layers, net.layers, strict=True))


def canonical(flow: GradientFlow) -> Canonical:
    """The flow in canonical coordinates. It must be one of a linear network; whether it is whitened is not asked.

    X and y are constants: the formulas that use this take the target's singular vectors as given.
    """
    return _canonical(flow, seen(flow.problem), strength(flow.problem))


def _in_coordinates(flow: GradientFlow, basis: Any, rho: Array) -> Canonical:
    weights = flow.net.factors
    assert weights is not None
    problem = flow.problem
    X = constant(problem.X)
    roots = tuple(xp.sqrt(rate) for rate in flow.rates)
    product = xp.prod(xp.stack(roots))
    y = constant(problem.y, "y").reshape(problem.n, problem.c)
    target = problem.kappa * pull(X, y, basis)
    first, rest = weights[0], None
    if basis is not None:
        first, rest = first @ basis, first - first @ basis @ basis.T
    scaled = tuple(W / root for W, root in zip((first, *weights[1:]), roots, strict=True))
    safe = xp.where(rho > 0, rho, 1.0)
    return Canonical(scaled, target / (safe * product), rho * product**2, roots, basis, rest)


_canonical = ahead(_in_coordinates, eqx.filter_jit(_in_coordinates))


def unit_rate_weights(flow: GradientFlow) -> tuple[Array, ...]:
    """W_l/√η_l, which flow at unit rates."""
    weights = flow.net.factors
    assert weights is not None
    return tuple(W / xp.sqrt(rate) for W, rate in zip(weights, flow.rates, strict=True))
