"""The tangent model of a network."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from lazyrich._core.types import LayerRates, Layers
from lazyrich._validate.arrays import InputMatrix, check_array
from lazyrich.networks.network import MAX_AXES, Network, check_network_type


class Linearized(Network):
    r"""The tangent model $\bar f(x; \theta) = f(x; \theta_0) + D f(x; \theta_0)\,(\theta - \theta_0)$.

    It starts at $\theta = \theta_0$, the network it is made from, or at `theta`. Its kernel never changes; a lazy
    network is one that stays close to it (Chizat et al. 2019; smith2022, section 2). It is affine in $\theta$, and
    homogeneous only by chance, so it has no degree. It has no conserved quantities: the part of $\theta$ in the null
    space of the Jacobian on the data stays constant, but that space depends on the data.

    >>> from lazyrich.networks import DeepLinear
    >>> tangent = Linearized(DeepLinear([[[1.0]], [[2.0]]]))
    >>> tangent.with_layers((jnp.array([[2.0]]), jnp.array([[3.0]]))).beta    # 2 + 2·1 + 1·1, where 3·2 is curved
    Array([[5.]], dtype=float64)
    """

    anchor: Network
    theta: Layers

    def __init__(self, anchor: Network, theta: Layers | None = None):
        self.anchor = check_network_type("anchor", anchor)
        self.theta = anchor.layers
        if theta is not None:
            self.theta = tuple(
                _like_layer(l, old, new) for l, (old, new) in enumerate(zip(anchor.layers, theta, strict=False))
            )
            shapes, anchor_shapes = (
                [leaf.shape for leaf in jax.tree.leaves(tree)] for tree in (self.theta, anchor.layers)
            )
            if shapes != anchor_shapes or len(tuple(theta)) != len(anchor.layers):
                raise ValueError(f"theta must have the shapes of the anchor's layers, {anchor_shapes}; found {shapes}")

    @property
    def layers(self) -> Layers:
        return self.theta

    @property
    def affine_in_parameters(self) -> bool:
        return True

    @property
    def n_inputs_outputs(self) -> tuple[int | None, int | None]:
        return self.anchor.n_inputs_outputs

    @property
    def linear_in_inputs(self) -> bool:
        return self.anchor.linear_in_inputs

    def tangent_of(self, read: Callable[[Network], Array]) -> Array:
        """Return read(anchor) plus its directional derivative towards θ: what `read` is of the tangent model."""
        shift = jax.tree.map(jnp.subtract, self.theta, self.anchor.layers)
        value, change = jax.jvp(lambda layers: read(self.anchor.with_layers(layers)), (self.anchor.layers,), (shift,))
        return value + change

    @property
    def beta(self) -> Array:
        if not self.linear_in_inputs:
            return self.anchor.beta  # raises the error that explains why there is none
        return self.tangent_of(lambda net: net.beta)

    def __call__(self, X: InputMatrix) -> Array:
        return self.tangent_of(lambda net: net(X))

    def pullback(self, X: Float[Array, "n d"], r: Array) -> Layers:
        return self.anchor.pullback(X, r)

    def ntk(self, X: Float[Array, "n d"], X2: Float[Array, "m d"] | None = None, rates: LayerRates = None) -> Array:
        return self.anchor.ntk(X, X2, rates)


def _like_layer(l: int, old: PyTree, new: PyTree) -> PyTree:
    """Return the checked entries of `new`, which may hold lists, in the tree structure of the layer `old`."""
    return jax.tree.map(lambda _, entry: check_array(f"theta[{l}]", entry, range(MAX_AXES)), old, new)
