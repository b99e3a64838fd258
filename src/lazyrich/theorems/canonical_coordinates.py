"""A linear network in the coordinates in which every theorem is short: unit rates, whitened inputs."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import eager_or_traced, is_concrete, xp
from lazyrich._core.linalg import cross_moment
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.problem import Problem


def forbid_gradient(value: AnyArray, name: str = "X") -> AnyArray:
    """Return the value unchanged, but raise an error if it is differentiated: changing it would violate a hypothesis,
    or rotate singular vectors that the formula takes as given."""
    return value if is_concrete(value) else _forbid_gradient(value, name)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _forbid_gradient(value: Array, name: str) -> Array:
    return value


@partial(_forbid_gradient.defjvp, symbolic_zeros=True)
def _forbid_gradient_jvp(name: str, primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    (value,), (change,) = primals, tangents
    if not isinstance(change, SymbolicZero):
        raise ValueError(
            f"this closed form is not differentiable in {name}, which it takes as given (to move it breaks a "
            "hypothesis, or turns the singular vectors of the target). Differentiate through lazyrich.integrate instead"
        )
    return value, jnp.zeros_like(value)


def row_space_basis(problem: Problem) -> AnyArray | None:
    """Return an orthonormal basis of the row space of X; None when that is everything (or traced)."""
    if not is_concrete(problem.X):
        return None
    X = np.asarray(problem.X)
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    r = int(np.sum(s > s[0] * max(X.shape) * np.finfo(float).eps))
    return None if r == X.shape[1] else Vt[:r].T


def whitening_scale(problem: Problem) -> AnyArray:
    r"""Return $\rho$, the mean of the nonzero eigenvalues of $\kappa X^\top X$."""
    basis = row_space_basis(problem)
    r = problem.d if basis is None else basis.shape[1]
    return problem.kappa * xp.sum(problem.X**2) / max(r, 1)


def projector_defect(problem: Problem) -> AnyArray:
    """Return the relative deviation of XᵀX from a multiple of a projector."""
    basis = row_space_basis(problem)
    if basis is not None and basis.shape[1] == 0:
        return float("inf")
    X = problem.X if basis is None else problem.X @ basis
    if is_concrete(X):
        values = np.linalg.svd(np.asarray(X), compute_uv=False)
        return float(1 - (values[-1] / values[0]) ** 2) if len(values) == X.shape[1] else float("inf")
    gram = X.T @ X
    rho = jnp.trace(gram) / X.shape[1]
    return jnp.linalg.norm(gram / rho - jnp.eye(X.shape[1]))


class Canonical(eqx.Module):
    r"""The flow of $\tilde W_l$ at unit rates with loss $\tfrac12\|\tilde\beta - b\|^2$, in the time `time_factor` · t.

    If $\kappa X^\top X = \rho\Pi$ with a projector $\Pi = VV^\top$, then $W_1(I - \Pi)$ never moves, and
    $\tilde W_l = W_l/\sqrt{\eta_l}$ (with $W_1V$ for $W_1$) follow the unit-rate flow towards
    $b = V^\top\kappa X^\top y/(\rho c)$, $c = \prod_l\sqrt{\eta_l}$, at $\rho c^2$ times the speed.
    """

    weights: tuple[Array, ...]
    target: Float[Array, "r c"]
    time_factor: Float[Array, ""]
    sqrt_rates: tuple[Array, ...]
    basis: Float[Array, "d r"] | None
    null_space_part: Array | None

    def to_layers(self, net: Network, weights: tuple[Array, ...], fade: Float[Array, " t"] | None = None) -> Layers:
        """Return the network's layers, from these weights stacked along time in front. The part of the first layer in
        the null space of X is multiplied by `fade`."""
        ones = [is_concrete(root) and root == 1 for root in self.sqrt_rates]  # the default rates
        layers = [W if one else root * W for one, root, W in zip(ones, self.sqrt_rates, weights, strict=True)]
        if self.basis is not None and self.null_space_part is not None:
            rest = self.null_space_part if fade is None else fade[:, None, None] * self.null_space_part
            layers[0] = layers[0] @ self.basis.T + rest
        return tuple(layer.reshape(len(layer), *own.shape) for layer, own in zip(layers, net.layers, strict=True))


def to_canonical(flow: GradientFlow) -> Canonical:
    """Return the flow of a linear network in canonical coordinates. Whether its inputs are whitened is not checked.

    X and y must not be differentiated: the formulas that use this take the target's singular vectors as given.
    """
    return _to_canonical_dispatch(flow, row_space_basis(flow.problem), whitening_scale(flow.problem))


def _to_canonical(flow: GradientFlow, basis: PyTree, rho: Array) -> Canonical:
    weights = flow.net.weight_matrices
    assert weights is not None
    problem = flow.problem
    X = forbid_gradient(problem.X)
    roots = tuple(xp.sqrt(rate) for rate in flow.rates)
    product = xp.prod(xp.stack(roots))
    y = forbid_gradient(problem.y, "y").reshape(problem.n, problem.c)
    target = problem.kappa * cross_moment(X, y, basis)
    first, rest = weights[0], None
    if basis is not None:
        first, rest = first @ basis, first - first @ basis @ basis.T
    scaled = tuple(W / root for W, root in zip((first, *weights[1:]), roots, strict=True))
    safe = xp.where(rho > 0, rho, 1.0)
    return Canonical(scaled, target / (safe * product), rho * product**2, roots, basis, rest)


_to_canonical_dispatch = eager_or_traced(_to_canonical, eqx.filter_jit(_to_canonical))


def unit_rate_weights(flow: GradientFlow) -> tuple[Array, ...]:
    """Return W_l/√η_l for each layer, which evolve at unit rates."""
    weights = flow.net.weight_matrices
    assert weights is not None
    return tuple(W / xp.sqrt(rate) for W, rate in zip(weights, flow.rates, strict=True))
