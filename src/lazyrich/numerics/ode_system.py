"""In which variables a flow is integrated."""

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import is_concrete, to_numpy_if_concrete, xp
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.potentials.potential import Separable

FLOAT64_ROUNDING = 2 * float(jnp.finfo(float).eps)  # of its own size: below this, an error cannot be seen


class OdeSystem(eqx.Module):
    """An autonomous differential equation whose solution can be read as a network."""

    flow: GradientFlow
    words: ClassVar[str] = ""  # for the reader of `by`

    def start(self) -> PyTree:
        raise NotImplementedError

    def field(self, y: PyTree) -> PyTree:
        raise NotImplementedError

    def net(self, y: PyTree) -> Network:
        raise NotImplementedError

    def tolerances(self, rtol: Array, blur: Array) -> tuple[Array, Array]:
        """Return the relative and absolute error of a step that are worth a relative error rtol of the network."""
        raise NotImplementedError

    def blur(self) -> Array:
        """What an error of one in every coordinate would do to the outputs, relative to how far they have to go."""
        raise NotImplementedError

    def settled(self, y: PyTree) -> bool:
        """Return whether errors grow no more, so that a tightened tolerance may be given up."""
        return False

    def uncertainty(self, atol: float, blur: float) -> float:
        """Return how uncertain the absolute tolerance leaves the outputs, relative to how far they have to go."""
        return blur * atol

    @property
    def potential(self) -> Separable | None:
        r"""φ, if the equation is $\dot\nu = -\partial L/\partial f$ at $f = X\nabla\varphi^*(X^\top\nu)$."""
        return None

    def jacobian(self, y: PyTree) -> Float[Array, "p p"]:
        """∂field/∂y, flattened."""
        flat, unravel = ravel_pytree(y)
        return jax.jacfwd(lambda z: ravel_pytree(self.field(unravel(z)))[0])(flat)


class ParameterSystem(OdeSystem):
    """The displacement θ − θ₀: a lazy network hardly moves, and it is its movement that must be right."""

    def start(self) -> Layers:
        return jax.tree.map(xp.zeros_like, to_numpy_if_concrete(self.flow.net.layers))

    def _layers(self, y: Layers) -> Layers:
        return jax.tree.map(jnp.add, self.flow.net.layers, y)

    def field(self, y: Layers) -> Layers:
        return self.flow.field(self._layers(y))

    def net(self, y: Layers) -> Network:
        return self.flow.net.with_layers(self._layers(y))

    def tolerances(self, rtol: Array, blur: Array) -> tuple[Array, Array]:
        flow = jax.lax.stop_gradient(self.flow)
        leaves = jax.tree.leaves(flow.net.layers)
        sizes = jnp.stack([jnp.sqrt(jnp.mean(leaf**2)) for leaf in leaves])
        # A relative error at a small initialization is a shift in time later on, so the smallest layer sets the unit;
        # at a large one, the outputs do: an error δθ is worth ‖J‖ δθ of them.
        smallest = jnp.min(jnp.where(sizes > 0, sizes, jnp.inf))
        smallest = jnp.where(jnp.isfinite(smallest), smallest, 1.0)
        lazy = 1 / blur
        return rtol, jnp.maximum(rtol * jnp.minimum(smallest, lazy), FLOAT64_ROUNDING * jnp.max(sizes))

    def blur(self) -> Array:
        number = sum(leaf.size for leaf in jax.tree.leaves(self.flow.net.layers))
        return _jacobian_and_kernel_norms(self.flow)[0] * jnp.sqrt(number) / residual_norm(self.flow)


class MirrorSystem(OdeSystem):
    r"""The dual variable $\nu \in \mathbb R^n$ of a network that is `movable`: $\dot\nu = -\partial L/\partial f$, $G =
    X^\top\nu$.

    The network at $\nu$ is `net.moved(G)`. There are n variables instead of 2d or 4d, and a plateau of $\beta$ is a
    straight line of $\nu$.
    """

    words: ClassVar[str] = ", in the mirror variable"

    def start(self) -> AnyArray:
        return np.zeros(self.flow.problem.n)

    def field(self, y: Float[Array, " n"]) -> Float[Array, " n"]:
        return -self.flow.problem.slope(self.net(y)(self.flow.problem.X))

    def net(self, y: Float[Array, " n"]) -> Network:
        return self.flow.net.moved(y @ self.flow.problem.X, self.flow.rates)

    @property
    def potential(self) -> Separable | None:
        return diagonal_potential(self.flow.net, self.flow.rates) if self.flow.net.degree == 2 else None

    def jacobian(self, y: Float[Array, " n"]) -> Float[Array, "n n"]:
        # The outputs move with ν as df = K dν, K the tangent kernel.
        problem, net = self.flow.problem, self.net(y)
        return -problem.curvature(net(problem.X))[:, None] * net.ntk(problem.X, rates=self.flow.rates)

    def tolerances(self, rtol: Array, blur: Array) -> tuple[Array, Array]:
        # Only differences of ν matter; one of G = Xᵀν of order 1/(rate × degree) changes parameters by a factor. The
        # errors of the n coordinates of ν average out in G, so it is the entries of X that count, not its columns.
        # In a lazy network the outputs set the unit: an error δν is worth K δν of them.
        flow = jax.lax.stop_gradient(self.flow)
        fastest = jnp.max(jnp.stack(flow.rates)) * flow.net.degree
        entry = jnp.max(jnp.sqrt(jnp.mean(flow.problem.X**2, axis=0)))
        unit = 1 / (fastest * jnp.where(entry > 0, entry, 1.0))
        lazy = 1 / blur
        # The factor 2.5 was measured: with it the parameters come out as well as by integrating them.
        # Where labels are out of reach ν grows for ever, and so does its rounding.
        return 2 * FLOAT64_ROUNDING * jnp.ones(()), jnp.maximum(
            rtol * jnp.minimum(2.5 * unit, lazy), FLOAT64_ROUNDING * unit
        )

    def blur(self) -> Array:
        return _jacobian_and_kernel_norms(self.flow)[1] * jnp.sqrt(self.flow.problem.n) / residual_norm(self.flow)


def residual_norm(flow: GradientFlow) -> Array:
    """Return how far the outputs have to go: the norm of the residual; of one per sample for losses without a
    target."""
    if flow.problem.loss.margin:
        return jnp.sqrt(1.0 * flow.problem.n)
    size = jnp.linalg.norm((flow.outputs() - flow.problem.y).ravel())
    return jnp.where(size > 0, size, 1.0)


def _jacobian_and_kernel_norms(flow: GradientFlow, rounds: int = 8) -> tuple[Array, Array]:
    """Return ‖J‖ and ‖K‖ at the start, from below: by power iteration on K = Σ η_l J_l J_lᵀ."""
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


def choose_system(flow: GradientFlow) -> OdeSystem:
    """Return the smaller of the two systems, on the shortest data that give the same flow."""
    if flow.net.linear and is_concrete(flow):
        flow = GradientFlow(flow.net, flow.problem.compress(), flow.rates)
    parameters = sum(leaf.size for leaf in jax.tree.leaves(flow.net.layers))
    if flow.net.movable and flow.net.degree > 1 and flow.problem.n < parameters:
        return MirrorSystem(flow)
    return ParameterSystem(flow)
