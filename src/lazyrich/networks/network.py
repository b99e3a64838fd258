"""The interface of all networks."""

from dataclasses import fields
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PyTree

from lazyrich._core.array_namespace import has_jax_array, is_concrete, to_numpy_if_concrete, xp
from lazyrich._core.types import AnyArray, LayerRates, Layers
from lazyrich._io.html import html_table
from lazyrich._validate.arrays import InputMatrix, check_array, check_rates, check_rates_like

N = TypeVar("N", bound="Network")

MAX_AXES = 9  # maximal number of axes of a parameter array


class Network(eqx.Module):
    """A network is its own parameters, a pytree.

    A subclass is a dataclass with `__call__(X)`, which predicts on each row of X separately and returns shape (n,) or
    (n, c). Its fields are parameters: arrays of real numbers, or trees of them. Values that are not trained are static
    (`eqx.field(static=True)`) or, if they are arrays, left out of `layers`. Everything else has a default, by automatic
    differentiation; override it where a closed form is known.

    - `layers`, the trained parameters, one entry per learning rate: by default the fields, in their order;
    - `pullback(X, r)`, the vector–Jacobian product Jᵀr in the shape of `layers`;
    - `ntk(X, X2, rates)`, the tangent kernel Σ_l η_l J_l J_lᵀ, of shape `net(X).shape + net(X2).shape`;
    - `conserved_quantities(rates)`, the quantities that every gradient flow conserves, whatever the data and the loss:
      by default those that `degrees` imply;
    - `n_inputs_outputs`, `degrees` and the other properties, which declare what is known about the network: by default
      nothing.

    Declared properties are trusted; `networks.check_network` tests them.

    >>> class Gated(Network):
    ...     W: Array
    ...     G: Array
    ...
    ...     def __call__(self, X):
    ...         return jnp.sum((X @ self.W.T) * jax.nn.sigmoid(X @ self.G.T), axis=1)
    >>> net = Gated(np.array([[1.0, 2.0]]), np.array([[0.0, 0.0]]))
    >>> net(jnp.eye(2)), net.ntk(jnp.eye(2)).tolist()
    (Array([0.5, 1. ], dtype=float64), [[0.3125, 0.0], [0.0, 0.5]])
    """

    def __check_init__(self) -> None:
        """Check that the fields are arrays, and convert them to float64, so that networks can be stacked, saved and
        differentiated."""
        for field in fields(self):
            if field.metadata.get("static", False):
                continue
            name, value = f"{type(self).__name__}.{field.name}", getattr(self, field.name)
            leaves, tree = jax.tree.flatten(value)
            if not leaves:
                raise TypeError(f"{name} is {value!r:.40}: parameters are arrays, np.array(...) for instance")
            for leaf in leaves:
                if not isinstance(leaf, (jax.Array, np.ndarray)):
                    raise TypeError(
                        f"{name} holds a {type(leaf).__name__}, {leaf!r:.40}: parameters are arrays, `np.array(...)`; "
                        f"what is not trained is declared static, `{field.name}: ... = eqx.field(static=True)`"
                    )
            arrays = [check_array(name, leaf, range(MAX_AXES)) for leaf in leaves]
            if any(new is not old for new, old in zip(arrays, leaves, strict=True)):
                # the module is frozen, but still being initialized
                object.__setattr__(self, field.name, jax.tree.unflatten(tree, arrays))

    @property
    def layers(self) -> Layers:
        return tuple(getattr(self, field.name) for field in fields(self) if not field.metadata.get("static", False))

    def _repr_html_(self) -> str:
        rows = [
            (f"{l}", " + ".join(str(leaf.shape) for leaf in leaves), _tree_norm(leaves))
            for l, leaves in enumerate(map(jax.tree.leaves, self.layers), 1)
        ]
        return html_table(rows, (f"{type(self).__name__}: layer", "shape", "norm"))

    def with_layers(self: N, layers: Layers) -> N:
        """Return the network with other parameters."""
        return eqx.tree_at(lambda net: net.layers, self, layers)

    def __call__(self, X: InputMatrix) -> Array:
        raise NotImplementedError(f"{type(self).__name__} has no __call__(X), the prediction on the rows of X")

    def pullback(self, X: Float[Array, "n d"], r: Array) -> Layers:
        return jax.vjp(lambda layers: self.with_layers(layers)(X), self.layers)[1](r)[0]

    def ntk(self, X: Float[Array, "n d"], X2: Float[Array, "m d"] | None = None, rates: LayerRates = None) -> Array:
        rates = check_rates(rates, len(self.layers))
        first = self._jacobian(X)
        second = first if X2 is None else self._jacobian(X2)
        outputs = [jax.eval_shape(self, inputs).shape for inputs in (X, X if X2 is None else X2)]
        kernel: PyTree = sum(rate * A @ B.T for rate, A, B in zip(rates, first, second, strict=True))
        return kernel.reshape(outputs[0] + outputs[1])

    def _jacobian(self, X: Array) -> list[Float[Array, "outputs parameters"]]:
        """Return ∂net(X)/∂θ_l for each layer, flattened. It is computed row by row, because an output depends only
        on its own row of X."""

        def blocks(x: Array) -> Layers:
            return jax.jacrev(lambda layers: self.with_layers(layers)(x[None]).reshape(-1))(self.layers)

        rows = jax.vmap(blocks)(X)  # leaves of shape (n, c, …)
        return [
            jnp.concatenate([leaf.reshape(leaf.shape[0] * leaf.shape[1], -1) for leaf in jax.tree.leaves(block)], 1)
            for block in rows
        ]

    def conserved_quantities(self, rates: LayerRates = None) -> dict[str, Array]:
        r"""Return the quantities that every gradient flow conserves. The default follows from homogeneity:
        $\frac{d}{dt}\|\theta_l\|^2 = -2\eta_ld_l\langle f, \partial L/\partial f\rangle$ with the same inner product
        for every layer of degree $d_l$."""
        if self.degrees is None:
            return {}
        rates = check_rates_like(self.layers, rates)
        squares = [sum(xp.sum(leaf**2) for leaf in jax.tree.leaves(layer)) for layer in self.layers]
        pace = [rate * degree for rate, degree in zip(rates, self.degrees, strict=True)]
        return {f"delta_{l}": pace[l - 1] * squares[l] - pace[l] * squares[l - 1] for l in range(1, len(squares))}

    @property
    def n_inputs_outputs(self) -> tuple[int | None, int | None]:
        """The numbers of inputs and outputs; None where they depend on the inputs given."""
        return None, None

    @property
    def degrees(self) -> tuple[int, ...] | None:
        """The degree in each layer alone, f(…, cθ_l, …) = c^degrees[l] f(θ) for c > 0; None if unknown."""
        return None

    @property
    def degree(self) -> int | Any:
        """The degree in all layers together, f(cθ) = c^degree f(θ) for c > 0; None if unknown."""
        return None if self.degrees is None else sum(self.degrees)

    @property
    def part_scales(self) -> AnyArray:
        """The largest absolute weight of each part that moves independently; by default the whole network is one
        part."""
        return xp.max(xp.stack([xp.max(xp.abs(leaf)) for leaf in jax.tree.leaves(self.layers)]), keepdims=True)

    def check_inputs(self, X: InputMatrix) -> Array:
        """Check that X, one input per row, fits the network, and return it."""
        X = X if isinstance(X, jax.Array) else check_array("X", X, (1, 2))
        X = X if has_jax_array(*jax.tree.leaves(self.layers)) else to_numpy_if_concrete(X)
        if self.n_inputs_outputs[0] is not None and X.shape[-1:] != self.n_inputs_outputs[:1]:
            raise ValueError(
                f"the network takes {self.n_inputs_outputs[0]} inputs; found X of shape {X.shape}, one row per input"
            )
        return X

    @property
    def weight_matrices(self) -> tuple[Array, ...] | None:
        """(W_1, …, W_L) if the network is W_L ⋯ W_1 x, else None."""
        return None

    @property
    def signed_factors(self) -> tuple[Float[Array, "2 d"], ...] | None:
        """(u_1, …, u_L), the row u₊ above the row u₋, if β = ∏ u₊^p − ∏ u₋^p with p = degree / L, else None."""
        return None

    @property
    def matrix_factor(self) -> Float[Array, "m k"] | None:
        """U if the network is A ↦ ⟨A, UUᵀ⟩, else None."""
        return None

    @property
    def neuron_parameters(self) -> tuple[Float[Array, "h d"], Float[Array, " h"], float] | None:
        """(W, a, ρ) if the network is Σ_k a_k max(w_k·x, ρ w_k·x), else None."""
        return None

    @property
    def attention_heads(self) -> tuple[Float[Array, " h"], Float[Array, "h d"], Float[Array, "h d"]] | None:
        """(v, K, Q) if the network is ⟨M, A⟩ with M = Σ_h v_h k_h q_hᵀ, heads of rank one, else None."""
        return None

    @property
    def erf_parameters(self) -> tuple[Float[Array, "h d"], Float[Array, " h"]] | None:
        """(W, a) if the network is Σ_k a_k erf(w_k·x/√2), else None."""
        return None

    def activation_pattern(self, X: Float[Array, "n d"]) -> Bool[Array, "n h"]:
        """Return which neurons are active on which input: w_k·x_i > 0."""
        if self.neuron_parameters is None:
            raise TypeError(f"activation patterns belong to TwoLayer networks; found {type(self).__name__}")
        return X @ self.neuron_parameters[0].T > 0

    @property
    def unit_norms(self) -> tuple[Array, Array] | None:
        """The norms (‖w_k‖, ‖a_k‖) of the weights into and out of each hidden unit, if there is one hidden layer, else
        None."""
        return None

    def rescale_units(self: N, w: Array, a: Array) -> N:
        """Return the network with the weights into each hidden unit multiplied by w and those out of it by a, if it has
        `unit_norms`."""
        raise ValueError(f"{type(self).__name__} has no hidden units to stretch")

    @property
    def affine_in_parameters(self) -> bool:
        """Whether the prediction is affine in the parameters, so that the kernel never changes."""
        return False

    @property
    def smooth_in_parameters(self) -> bool:
        """Whether the prediction is smooth in the parameters; otherwise it is piecewise smooth, with kinks."""
        return True

    @property
    def has_mirror_variable(self) -> bool:
        """Whether the parameters depend on history only through −∫∂L/∂β dt, so that `at_mirror_variable` returns
        them."""
        return False

    def at_mirror_variable(self: N, G: Array, rates: LayerRates = None) -> N:
        """Return the network at the time when −∫∂L/∂β dt = G, if it `has_mirror_variable`."""
        raise ValueError(f"{type(self).__name__} has no closed form in G = −∫∂L/∂β dt")

    @property
    def linear_in_inputs(self) -> bool:
        """Whether the prediction is linear in x, so that `beta` exists."""
        return False

    @property
    def beta(self) -> Array:
        """The linear predictor: net(X) = X @ beta."""
        raise ValueError(
            f"{type(self).__name__} is not linear in its input and has no linear predictor beta; call net(X)"
        )


def _tree_norm(leaves: list[AnyArray]) -> str:
    return f"{np.sqrt(sum(np.sum(np.asarray(leaf) ** 2) for leaf in leaves)):.3g}" if is_concrete(leaves) else "traced"


def check_network_type(name: str, value: object) -> Network:
    """Return the value if it is a network, and raise an error otherwise."""
    if not isinstance(value, Network):
        raise TypeError(f"{name} must be a lazyrich network; found {type(value).__name__}")
    return value


class LinearNetwork(Network):
    """A network that is linear in x. A subclass defines `beta`, of shape (d,) or (d, c), and inherits the rest;
    defining `beta_pullback(G)` = J_βᵀG in closed form makes it faster."""

    @property
    def linear_in_inputs(self) -> bool:
        return True

    @property
    def n_inputs_outputs(self) -> tuple[int | None, int | None]:
        shape = jax.eval_shape(lambda net: net.beta, self).shape
        return (*shape, 1)[0], (*shape, 1)[1]

    def beta_pullback(self, G: Array) -> Layers:
        """Return the gradient with respect to `layers` of a function of β whose gradient is G."""
        return jax.vjp(lambda layers: self.with_layers(layers).beta, self.layers)[1](G)[0]

    def __call__(self, X: InputMatrix) -> Array:
        return self.check_inputs(X) @ self.beta

    def pullback(self, X: Float[Array, "n d"], r: Array) -> Layers:
        return self.beta_pullback((r.T @ X).T)  # three times faster than X.T @ r for one output
