"""In which variables a flow is integrated."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from lazyrich._check import concrete
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal, Network, TwoLayer


class System(eqx.Module):
    """An autonomous differential equation whose solution can be read as a network."""

    flow: GradientFlow

    def start(self) -> Any:
        raise NotImplementedError

    def field(self, y: Any) -> Any:
        raise NotImplementedError

    def net(self, y: Any) -> Network:
        raise NotImplementedError

    def tolerances(self, rtol: Array) -> tuple[Array, Array]:
        """The relative and absolute error of a step that are worth a relative error rtol of the network."""
        raise NotImplementedError

    def jacobian(self, y: Any) -> Float[Array, "p p"]:
        """∂field/∂y, flattened."""
        flat, unravel = ravel_pytree(y)
        return jax.jacfwd(lambda z: ravel_pytree(self.field(unravel(z)))[0])(flat)

    @property
    def smooth(self) -> bool:
        return not isinstance(self.flow.net, TwoLayer) or self.flow.net.linear


class Parameters(System):
    """The parameters themselves."""

    def start(self) -> tuple[Any, ...]:
        return self.flow.net.layers

    def field(self, y: tuple[Any, ...]) -> tuple[Any, ...]:
        return self.flow.field(y)

    def net(self, y: tuple[Any, ...]) -> Network:
        return self.flow.net.with_layers(y)

    def tolerances(self, rtol: Array) -> tuple[Array, Array]:
        # A relative error at a small initialization is a shift in time later on, so the smallest layer sets the unit.
        sizes = jnp.stack([jnp.sqrt(jnp.mean(leaf**2)) for leaf in jax.tree.leaves(self.flow.net.layers)])
        smallest = jnp.min(jnp.where(sizes > 0, sizes, jnp.inf))
        return rtol, rtol * jnp.where(jnp.isfinite(smallest), smallest, 1.0)


class Mirror(System):
    r"""The dual variable $\nu \in \mathbb R^n$ of a diagonal network: $\dot\nu = -\partial L/\partial f$, $G =
    X^\top\nu$.

    The network at $\nu$ is `net.moved(G)`. There are n variables instead of 2d or 4d, and a plateau of $\beta$ is a
    straight line of $\nu$.
    """

    def start(self) -> Float[Array, " n"]:
        return jnp.zeros(self.flow.problem.n)

    def field(self, y: Float[Array, " n"]) -> Float[Array, " n"]:
        return -self.flow.problem.slope(self.net(y)(self.flow.problem.X))

    def net(self, y: Float[Array, " n"]) -> Network:
        assert isinstance(self.flow.net, Diagonal)
        return self.flow.net.moved(y @ self.flow.problem.X, self.flow.rates)

    def jacobian(self, y: Float[Array, " n"]) -> Float[Array, "n n"]:
        # The outputs move with ν as df = K dν, K the tangent kernel.
        problem, net = self.flow.problem, self.net(y)
        curvature = jax.jvp(problem.slope, (net(problem.X),), (jnp.ones(problem.n),))[1]
        return -curvature[:, None] * net.ntk(problem.X, rates=self.flow.rates)

    def tolerances(self, rtol: Array) -> tuple[Array, Array]:
        # Only differences of ν matter; one of G = Xᵀν of order 1/(rate × degree) changes parameters by a factor. The
        # errors of the n coordinates of ν average out in G, so it is the entries of X that count, not its columns.
        fastest = jnp.max(jnp.stack(self.flow.rates)) * self.flow.net.degree
        entry = jnp.max(jnp.sqrt(jnp.mean(self.flow.problem.X**2, axis=0)))
        return jnp.zeros(()), rtol / (4 * fastest * jnp.where(entry > 0, entry, 1.0))  # 4: measured, for errors of rtol


def system(flow: GradientFlow) -> System:
    """The smaller of the two systems, on the shortest data that give the same flow."""
    if flow.net.linear and concrete(flow):
        flow = GradientFlow(flow.net, flow.problem.compress(), flow.rates)
    parameters = sum(leaf.size for leaf in jax.tree.leaves(flow.net.layers))
    if isinstance(flow.net, Diagonal) and flow.net.movable and flow.net.degree > 1 and flow.problem.n < parameters:
        return Mirror(flow)
    return Parameters(flow)
