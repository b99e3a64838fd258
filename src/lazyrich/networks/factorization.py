"""f(A) = ⟨A, UUᵀ⟩: a symmetric matrix, factored."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._core.types import ArrayLike, LayerRates
from lazyrich._validate.arrays import check_array, check_rates
from lazyrich.networks.network import LinearNetwork


class Factorization(LinearNetwork):
    r"""Matrix sensing with a factored matrix, $f(A) = \langle A, UU^\top\rangle$, U of shape (m, k).

    The inputs are measurement matrices A, flattened: X has $m^2$ columns. $\beta$ is $Z = UU^\top$, flattened
    (Gunasekar et al. 2017; smith2022, section 4.1). Only the symmetric part of A matters.

    >>> net = Factorization([[1.0], [2.0]])
    >>> net(jnp.eye(2).reshape(1, -1))         # the trace of UUᵀ
    Array([5.], dtype=float64)
    """

    U: Float[Array, "m k"]

    def __init__(self, U: ArrayLike):
        self.U = check_array("U", U, (2,))

    @property
    def matrix_factor(self) -> Float[Array, "m k"]:
        return self.U

    @property
    def n_inputs_outputs(self) -> tuple[int, int]:
        return self.U.shape[0] ** 2, 1

    @property
    def degrees(self) -> tuple[int]:
        return (2,)

    @property
    def beta(self) -> Float[Array, " d"]:
        return (self.U @ self.U.T).reshape(-1)

    def _as_matrix(self, G: Array) -> Float[Array, "m m"]:
        m = len(self.U)
        return G.reshape(m, m)

    def beta_pullback(self, G: Float[Array, " d"]) -> tuple[Array, ...]:
        slope = self._as_matrix(G)
        return ((slope + slope.T) @ self.U,)

    def ntk(
        self, X: Float[Array, "n d"], X2: Float[Array, "m d"] | None = None, rates: LayerRates = None
    ) -> Float[Array, "n m"]:
        (rate,) = check_rates(rates, 1)
        m = len(self.U)

        def features(X: Array) -> Array:
            A = X.reshape(-1, m, m)
            return ((A + jnp.swapaxes(A, 1, 2)) @ self.U).reshape(len(X), -1)

        first = features(X)
        return rate * first @ (first if X2 is None else features(X2)).T

    def conserved_quantities(self, rates: LayerRates = None) -> dict[str, Array]:
        """Return an empty dictionary: UᵀU̇ is symmetric, so not even a rotation is conserved."""
        return {}
