"""f(x) = W_L ⋯ W_1 x."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.types import AnyArray, ArrayLike, LayerRates, Layers
from lazyrich._validate.arrays import check_layers, check_rates
from lazyrich.networks.network import LinearNetwork


class DeepLinear(LinearNetwork):
    r"""A linear network of any depth and widths, $f(x) = W_L \cdots W_1 x$, $W_l$ of shape $(n_l, n_{l-1})$.

    The single neuron of kunin2024 is `DeepLinear([w[None, :], [[a]]])`, its wide network
    $A^\top W x$ is `DeepLinear([W, A.T])`.

    Under the flow $\dot W_l = -\eta_l \partial L / \partial W_l$ every matrix
    $\Delta_l = \eta_l W_{l+1}^\top W_{l+1} - \eta_{l+1} W_l W_l^\top$ is conserved (kunin2024, section 4; dln 4.1).

    >>> net = DeepLinear([[[1.0, 2.0]], [[3.0]]])
    >>> net.beta.ravel()
    Array([3., 6.], dtype=float64)
    >>> net.conserved_quantities()["Delta_1"]      # a² − |w|²
    Array([[4.]], dtype=float64)
    """

    weights: tuple[Float[Array, "_ _"], ...]

    def __init__(self, weights: Sequence[ArrayLike] | AnyArray):
        self.weights = check_layers("weights", weights)
        if not self.weights:
            raise ValueError("a DeepLinear network needs at least one weight matrix; found none")
        for l in range(1, self.degree):
            below, above = self.weights[l - 1].shape, self.weights[l].shape
            if above[1] != below[0]:
                raise ValueError(
                    f"weights[{l}] of shape {above} does not follow weights[{l - 1}] of shape {below}: "
                    "each matrix has shape (outputs, inputs), first layer first"
                )

    @property
    def layers(self) -> Layers:
        return self.weights

    @property
    def weight_matrices(self) -> tuple[Array, ...]:
        return self.weights

    @property
    def affine_in_parameters(self) -> bool:
        return self.degree == 1

    @property
    def n_inputs_outputs(self) -> tuple[int, int]:
        return self.widths[0], self.widths[-1]

    @property
    def degrees(self) -> tuple[int, ...]:
        return (1,) * len(self.weights)

    @property
    def degree(self) -> int:
        return len(self.weights)

    @property
    def unit_norms(self) -> tuple[Array, Array] | None:
        if self.degree != 2:
            return None
        return jnp.linalg.norm(self.weights[0], axis=1), jnp.linalg.norm(self.weights[1], axis=0)

    def rescale_units(self, w: Float[Array, " h"], a: Float[Array, " h"]) -> "DeepLinear":
        if self.degree != 2:
            return super().rescale_units(w, a)
        return self.with_layers((w[:, None] * self.weights[0], self.weights[1] * a))

    @property
    def widths(self) -> tuple[int, ...]:
        """The layer widths (d, n₁, …, nₗ₋₁, c)."""
        return (self.weights[0].shape[1], *(W.shape[0] for W in self.weights))

    def _products_below(self) -> list[AnyArray]:
        """Return the products B_l = W_{l−1} ⋯ W_1 for each layer, followed by the product of all layers."""
        products: list[AnyArray] = [np.eye(self.widths[0])]
        for l, W in enumerate(self.weights):
            products.append(W if l == 0 else W @ products[-1])
        return products

    def _products_above(self) -> list[AnyArray]:
        """Return the products A_l = W_L ⋯ W_{l+1} for each layer."""
        products: list[AnyArray] = [np.eye(self.widths[-1])]
        for l, W in enumerate(self.weights[:0:-1]):
            products.append(W if l == 0 else products[-1] @ W)
        return products[::-1]

    @property
    def beta(self) -> Float[Array, "d c"]:
        return self._products_below()[-1].T

    def beta_pullback(self, G: Float[Array, "d c"]) -> tuple[Array, ...]:
        # ∂L/∂W_l = A_lᵀ Gᵀ B_lᵀ
        return tuple(A.T @ (G.T @ B.T) for A, B in zip(self._products_above(), self._products_below(), strict=False))

    def ntk(
        self, X: Float[Array, "n d"], X2: Float[Array, "m d"] | None = None, rates: LayerRates = None
    ) -> Float[Array, "n c m c"]:
        X2 = X if X2 is None else X2
        terms = [
            rate * jnp.einsum("ij,cd->icjd", (X @ B.T) @ (X2 @ B.T).T, A @ A.T)
            for rate, A, B in zip(
                check_rates(rates, self.degree), self._products_above(), self._products_below(), strict=False
            )
        ]
        return jnp.sum(jnp.stack(terms), axis=0)

    def conserved_quantities(self, rates: LayerRates = None) -> dict[str, Array]:
        rates = check_rates(rates, self.degree)
        return {
            f"Delta_{l + 1}": rates[l] * V.T @ V - rates[l + 1] * W @ W.T
            for l, (W, V) in enumerate(zip(self.weights[:-1], self.weights[1:], strict=True))
        }
