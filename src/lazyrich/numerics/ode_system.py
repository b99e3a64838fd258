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
from lazyrich.population import Population
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.potentials.potential import Separable

FLOAT64_ROUNDING = 2 * float(jnp.finfo(float).eps)  # relative: a smaller error cannot be detected


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

    def tolerances(self, rtol: Array, blur: Array) -> tuple[Array, Array]:
        """Return the relative and absolute tolerance of a step that correspond to a relative error rtol of the
        network."""
        raise NotImplementedError

    def output_uncertainty(self) -> Array:
        """Return the effect on the outputs of an error of one in every coordinate, relative to the residual."""
        raise NotImplementedError

    def has_settled(self, y: PyTree) -> bool:
        """Return whether errors no longer grow, so that a tightened tolerance may be loosened again."""
        return False

    def uncertainty(self, atol: float, blur: float) -> float:
        """Return the uncertainty of the outputs due to the absolute tolerance, relative to the residual."""
        return blur * atol

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

    def tolerances(self, rtol: Array, blur: Array) -> tuple[Array, Array]:
        flow = jax.lax.stop_gradient(self.flow)
        leaves = jax.tree.leaves(flow.net.layers)
        sizes = jnp.stack([jnp.sqrt(jnp.mean(leaf**2)) for leaf in leaves])
        return rtol, parameter_tolerance(rtol, sizes, 1 / blur)

    def output_uncertainty(self) -> Array:
        number = sum(leaf.size for leaf in jax.tree.leaves(self.flow.net.layers))
        norms = _jacobian_and_kernel_norms if self.flow.problem.has_samples else _population_jacobian_norm
        return norms(self.flow)[0] * jnp.sqrt(number) / residual_norm(self.flow)


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

    def tolerances(self, rtol: Array, blur: Array) -> tuple[Array, Array]:
        # Only differences of ν matter; one of G = Xᵀν of order 1/(rate × degree) changes parameters by a factor. The
        # errors of the n coordinates of ν average out in G, so the unit is set by the entries of X, not by its columns.
        # In a lazy network the outputs set the unit: an error δν changes them by K δν.
        flow = jax.lax.stop_gradient(self.flow)
        fastest = jnp.max(jnp.stack(flow.rates)) * flow.net.degree
        entry = jnp.max(jnp.sqrt(jnp.mean(flow.problem.X**2, axis=0)))
        unit = 1 / (fastest * jnp.where(entry > 0, entry, 1.0))
        lazy = 1 / blur
        # The factor 2.5 was measured: with it the parameters are as accurate as by integrating them. Where labels
        # cannot be reached, ν grows without bound, and so does its rounding.
        return 2 * FLOAT64_ROUNDING * jnp.ones(()), jnp.maximum(
            rtol * jnp.minimum(2.5 * unit, lazy), FLOAT64_ROUNDING * unit
        )

    def output_uncertainty(self) -> Array:
        return _jacobian_and_kernel_norms(self.flow)[1] * jnp.sqrt(self.flow.problem.n) / residual_norm(self.flow)


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


def parameter_tolerance(rtol: AnyArray | float, sizes: Array, lazy: AnyArray | float) -> Array:
    """Return the absolute tolerance of parameters, from the sizes of the layers and the movement that fits the labels.

    A relative error at a small initialization becomes a shift in time, so the smallest layer sets the unit. At a large
    initialization the outputs do: an error δθ changes them by ‖J‖ δθ, and `lazy` is the δθ that changes them by what is
    to be learned.
    """
    smallest = jnp.min(jnp.where(sizes > 0, sizes, jnp.inf))
    smallest = jnp.where(jnp.isfinite(smallest), smallest, 1.0)
    return jnp.maximum(rtol * jnp.minimum(smallest, lazy), FLOAT64_ROUNDING * jnp.max(sizes))


def residual_norm(flow: GradientFlow) -> Array:
    """Return the norm of the residual; for losses without a target, that of a residual of one per sample."""
    if not flow.problem.has_samples:
        size = jnp.sqrt(2 * flow.loss() / flow.problem.kappa)
        return jnp.where(size > 0, size, 1.0)
    if flow.problem.loss.is_margin_loss:
        return jnp.sqrt(1.0 * flow.problem.n)
    size = jnp.linalg.norm((flow.outputs() - flow.problem.y).ravel())
    return jnp.where(size > 0, size, 1.0)


def _jacobian_and_kernel_norms(flow: GradientFlow, rounds: int = 8) -> tuple[Array, Array]:
    """Return lower bounds of ‖J‖ and ‖K‖ at the start, by power iteration on K = Σ η_l J_l J_lᵀ."""
    net, X = flow.net, flow.problem.X
    vector = jnp.cos(1.0 + jnp.arange(flow.problem.y.size) ** 2).reshape(net(X).shape)

    def round_(_: int, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        vector = state[0] / jnp.where(jnp.linalg.norm(state[0]) > 0, jnp.linalg.norm(state[0]), 1.0)
        pulled = net.pullback(X, vector)
        gain = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(pulled)))
        pushed = tuple(jax.tree.map(lambda leaf, r=r: r * leaf, p) for r, p in zip(flow.rates, pulled, strict=True))
        image = jax.jvp(lambda layers: net.with_layers(layers)(X), (net.layers,), (pushed,))[1]
        return image, gain, jnp.linalg.norm(image)

    zero = jnp.zeros(())
    return jax.lax.fori_loop(0, rounds, round_, (vector, zero, zero))[1:]


def _population_jacobian_norm(flow: GradientFlow, rounds: int = 8) -> tuple[Array]:
    """Return a lower bound of the root mean square of ‖J‖ at the start, by power iteration on E JᵀJ."""
    population = flow.problem
    assert isinstance(population, Population)
    flat, unravel = ravel_pytree(flow.net.layers)

    def round_(_: int, state: tuple[Array, Array]) -> tuple[Array, Array]:
        vector = state[0] / jnp.where(jnp.linalg.norm(state[0]) > 0, jnp.linalg.norm(state[0]), 1.0)
        image = ravel_pytree(population.gauss_newton_product(flow.net, unravel(vector)))[0]
        return image, jnp.sqrt(jnp.linalg.norm(image))

    vector = jnp.cos(1.0 + jnp.arange(flat.size) ** 2)
    return jax.lax.fori_loop(0, rounds, round_, (vector, jnp.zeros(())))[1:]


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
