"""The variables in which a flow is integrated."""

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import is_concrete, to_numpy_if_concrete, xp
from lazyrich._core.stacked_map import vmap_over_stack
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow, decay_rates_are_equal
from lazyrich.networks import Diagonal, Network
from lazyrich.numerics.tolerances import (
    Tolerances,
    mirror_sensitivity,
    mirror_tolerances,
    parameter_sensitivity,
    parameter_tolerances,
)
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.potentials.potential import Separable


class OdeSystem(eqx.Module):
    """An autonomous differential equation whose states correspond to networks."""

    flow: GradientFlow
    description: ClassVar[str] = ""  # description in `by`

    def initial_state(self) -> PyTree:
        raise NotImplementedError

    def vector_field(self, y: PyTree) -> PyTree:
        raise NotImplementedError

    def network(self, y: PyTree) -> Network:
        raise NotImplementedError

    def networks(self, flow: GradientFlow, states: PyTree) -> Network:
        """Return stacked states as networks of the flow that was given."""
        return vmap_over_stack(self.network, states)

    def sensitivity(self) -> Array:
        """Return the change of the outputs, relative to the residual, due to an error of one in every coordinate."""
        raise NotImplementedError

    def tolerances(self, rtol: Array, reach: Array) -> Tolerances:
        """Return the tolerances of a step that correspond to a relative error rtol of the network."""
        raise NotImplementedError

    def has_settled(self, y: PyTree) -> bool:
        """Return whether errors no longer grow, so that a tightened tolerance may be loosened again."""
        return False

    def output_uncertainty(self, atol: float, sensitivity: float) -> float:
        """Return the uncertainty of the outputs due to the absolute tolerance, relative to the residual."""
        return sensitivity * atol

    @property
    def potential(self) -> Separable | None:
        r"""The potential φ, if the equation is $\dot\nu = -\partial L/\partial f$ at $f = X\nabla\varphi^*(X^\top\nu)$,
        else None."""
        return None

    def jacobian(self, y: PyTree) -> Float[Array, "p p"]:
        """Return ∂field/∂y, flattened."""
        flat, unravel = ravel_pytree(y)
        return jax.jacfwd(lambda z: ravel_pytree(self.vector_field(unravel(z)))[0])(flat)


class ParameterSystem(OdeSystem):
    """The displacement θ − θ₀: a lazy network hardly moves, and its movement must be accurate."""

    def initial_state(self) -> Layers:
        return jax.tree.map(xp.zeros_like, to_numpy_if_concrete(self.flow.net.layers))

    def _layers(self, y: Layers) -> Layers:
        return jax.tree.map(jnp.add, self.flow.net.layers, y)

    def vector_field(self, y: Layers) -> Layers:
        return self.flow.vector_field(self._layers(y))

    def network(self, y: Layers) -> Network:
        return self.flow.net.with_layers(self._layers(y))

    def sensitivity(self) -> Array:
        return parameter_sensitivity(self.flow)

    def tolerances(self, rtol: Array, reach: Array) -> Tolerances:
        leaves = jax.tree.leaves(jax.lax.stop_gradient(self.flow).net.layers)
        return parameter_tolerances(rtol, jnp.stack([jnp.sqrt(jnp.mean(leaf**2)) for leaf in leaves]), reach)


class MirrorSystem(OdeSystem):
    r"""The dual variable $\nu \in \mathbb R^n$ of a network with a mirror variable: $\dot\nu = -\partial L/\partial f$,
    $G = X^\top\nu$.

    The network at $\nu$ is `net.at_mirror_variable(G)`. There are n variables instead of 2d or 4d, and a plateau of
    $\beta$ is a straight line of $\nu$.
    """

    description: ClassVar[str] = ", in the mirror variable"

    def initial_state(self) -> AnyArray:
        return np.zeros(self.flow.problem.n)

    def vector_field(self, y: Float[Array, " n"]) -> Float[Array, " n"]:
        return -self.flow.problem.slope(self.network(y)(self.flow.problem.X))

    def network(self, y: Float[Array, " n"]) -> Network:
        return self.flow.net.at_mirror_variable(y @ self.flow.problem.X, self.flow.rates)

    @property
    def potential(self) -> Separable | None:
        return diagonal_potential(self.flow.net, self.flow.rates) if self.flow.net.degree == 2 else None

    def jacobian(self, y: Float[Array, " n"]) -> Float[Array, "n n"]:
        # The outputs change with ν as df = K dν, where K is the tangent kernel.
        problem, net = self.flow.problem, self.network(y)
        return -problem.curvature(net(problem.X))[:, None] * net.ntk(problem.X, rates=self.flow.rates)

    def sensitivity(self) -> Array:
        return mirror_sensitivity(self.flow)

    def tolerances(self, rtol: Array, reach: Array) -> Tolerances:
        # A difference of G = Xᵀν of order 1/(rate × degree) changes parameters by a factor. The errors of the n
        # coordinates of ν average out in G, so the unit is set by the entries of X, not by its columns.
        flow = jax.lax.stop_gradient(self.flow)
        fastest = jnp.max(jnp.stack(flow.rates)) * flow.net.degree
        entry = jnp.max(jnp.sqrt(jnp.mean(flow.problem.X**2, axis=0)))
        return mirror_tolerances(rtol, 1 / (fastest * jnp.where(entry > 0, entry, 1.0)), reach)


class DecayedMirrorSystem(MirrorSystem):
    r"""The dual variable of a diagonal network of depth two under weight decay with the same rate κ = η_lλ_l for all
    layers.

    The layers are $e^{-\kappa t}$ times those of a flow without decay, whose mirror variable still obeys
    $\dot\nu = -\partial L/\partial f$: $\beta(t) = e^{-2\kappa t}\beta(\nu)$, with the map ν → β of the start. The
    state is (ν, κt). At depth D the field is multiplied by $e^{-(D-2)\kappa t}$, so that ν converges. The weights then
    depend on it ever more steeply, as $e^{(D-2)\kappa t}$, so deeper networks are followed in their parameters.
    """

    decay_rate: Float[Array, ""]

    def initial_state(self) -> AnyArray:
        return np.zeros(self.flow.problem.n + 1)

    def vector_field(self, y: Float[Array, " n+1"]) -> Float[Array, " n+1"]:
        return jnp.append(super().vector_field(y), self.decay_rate)

    def network(self, y: Float[Array, " n+1"]) -> Network:
        net = self.flow.net
        assert isinstance(net, Diagonal)
        return net.at_mirror_variable(y[:-1] @ self.flow.problem.X, self.flow.rates, log_scale=-y[-1])

    def jacobian(self, y: Float[Array, " n+1"]) -> Float[Array, "n+1 n+1"]:
        outputs = self.network(y)(self.flow.problem.X)
        fall = 2 * self.flow.problem.curvature(outputs) * outputs  # f is e^{−2κt} times a function of ν
        return jnp.pad(jnp.column_stack([super().jacobian(y), fall]), ((0, 1), (0, 0)))


def choose_system(flow: GradientFlow) -> OdeSystem:
    """Return the smaller of the two systems, on compressed data that give the same flow."""
    if flow.net.linear_in_inputs and is_concrete(flow):
        flow = flow.with_problem(flow.problem.compress())
    parameters = sum(leaf.size for leaf in jax.tree.leaves(flow.net.layers))
    if not (flow.net.has_mirror_variable and flow.net.degree > 1 and flow.problem.n < parameters):
        return ParameterSystem(flow)
    if flow.decay is None:
        return MirrorSystem(flow)
    if isinstance(flow.net, Diagonal) and flow.net.degree == 2 and decay_rates_are_equal(flow):
        return DecayedMirrorSystem(flow, flow.decay_rates[0])
    return ParameterSystem(flow)
