"""What every network offers."""

from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._check import Rows, as_array

N = TypeVar("N", bound="Network")


class Network(eqx.Module):
    """A network is its own parameters, a pytree.

    `layers` is the tuple of what moves under training, one entry per learning rate, first layer first.
    `net(X)` is the output on the rows of X, of shape (n,) or (n, c). A subclass gives

    - `__call__(X)`, the prediction;
    - `pullback(X, r)`, the vector–Jacobian product Jᵀr in the shape of `layers`;
    - `ntk(X, X2, rates)`, the tangent kernel Σ_l η_l J_l J_lᵀ, of shape `net(X).shape + net(X2).shape`;
    - `conserved(rates)`, what every gradient flow keeps constant, whatever the data and the loss;
    - `sizes`, the numbers of inputs and outputs;
    - `degree`, with f(cθ) = c^degree f(θ) for c > 0.
    """

    @property
    def layers(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def with_layers(self: N, layers: tuple[Any, ...]) -> N:
        """The same network with other parameters."""
        return eqx.tree_at(lambda net: net.layers, self, layers)

    def __call__(self, X: Rows) -> Array:
        raise NotImplementedError

    def pullback(self, X: Float[Array, "n d"], r: Array) -> tuple[Any, ...]:
        raise NotImplementedError

    def ntk(self, X: Float[Array, "n d"], X2: Float[Array, "m d"] | None = None, rates: Any = None) -> Array:
        raise NotImplementedError

    def conserved(self, rates: Any = None) -> dict[str, Array]:
        raise NotImplementedError

    @property
    def sizes(self) -> tuple[int, int]:
        raise NotImplementedError

    @property
    def degree(self) -> int:
        raise NotImplementedError

    @property
    def strengths(self) -> Float[Array, " parts"]:
        """The largest weight of each part that can move on its own; all of the network is one part, unless it knows."""
        return jnp.max(jnp.stack([jnp.max(jnp.abs(leaf)) for leaf in jax.tree.leaves(self.layers)]), keepdims=True)

    def rows(self, X: Rows) -> Array:
        """Inputs, one per row, that this network can take."""
        X = X if isinstance(X, jax.Array) else as_array("X", X, (1, 2))
        if X.shape[-1:] != self.sizes[:1]:
            raise ValueError(f"the network takes {self.sizes[0]} inputs; found X of shape {X.shape}, one row per input")
        return X

    @property
    def factors(self) -> tuple[Array, ...] | None:
        """(W_1, …, W_L) if the network is W_L ⋯ W_1 x, else None."""
        return None

    @property
    def sides(self) -> tuple[Float[Array, "2 d"], ...] | None:
        """(u_1, …, u_L), the row u₊ above the row u₋, if β = ∏ u₊^p − ∏ u₋^p with p = degree / L, else None."""
        return None

    @property
    def root(self) -> Float[Array, "m k"] | None:
        """U if the network is A ↦ ⟨A, UUᵀ⟩, else None."""
        return None

    @property
    def neurons(self) -> tuple[Float[Array, "h d"], Float[Array, " h"], float] | None:
        """(W, a, ρ) if the network is Σ_k a_k max(w_k·x, ρ w_k·x), else None."""
        return None

    @property
    def affine(self) -> bool:
        """Is the prediction affine in the parameters, so that the kernel never changes?"""
        return False

    @property
    def smooth(self) -> bool:
        """Is the prediction smooth in the parameters? If not, it is piecewise so, and has kinks."""
        return True

    @property
    def movable(self) -> bool:
        """Do the parameters depend on history only through −∫∂L/∂β dt? Then `moved` gives them."""
        return False

    def moved(self: N, G: Array, rates: Any = None) -> N:
        """The network at the time when −∫∂L/∂β dt = G, if it is `movable`."""
        raise ValueError(f"{type(self).__name__} has no closed form in G = −∫∂L/∂β dt")

    @property
    def linear(self) -> bool:
        """Is the prediction linear in x, so that `beta` exists?"""
        return False

    @property
    def beta(self) -> Array:
        """The linear predictor: net(X) = X @ beta."""
        raise ValueError(
            f"{type(self).__name__} is not linear in its input and has no linear predictor beta; call net(X)"
        )


def is_network(name: str, value: Any) -> Network:
    """The value itself, if it is one of ours."""
    if not isinstance(value, Network):
        raise TypeError(f"{name} must be a lazyrich network; found {type(value).__name__}")
    return value


class LinearNetwork(Network):
    """A network that is linear in x. A subclass gives `beta` and `lift(G)` = J_βᵀG, and gets the rest."""

    @property
    def linear(self) -> bool:
        return True

    def lift(self, G: Array) -> tuple[Any, ...]:
        """The gradient with respect to `layers` of a function of β whose gradient is G."""
        raise NotImplementedError

    def __call__(self, X: Rows) -> Array:
        return self.rows(X) @ self.beta

    def pullback(self, X: Float[Array, "n d"], r: Array) -> tuple[Any, ...]:
        return self.lift((r.T @ X).T)  # three times faster than X.T @ r for one output
