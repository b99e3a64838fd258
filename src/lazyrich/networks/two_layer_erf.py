"""f(x) = a·erf(Wx/√2): the soft committee machine."""

import jax.numpy as jnp
from jax.scipy.special import erf
from jaxtyping import Array, Float

from lazyrich._core.types import ArrayLike, LayerRates
from lazyrich._validate.arrays import InputMatrix, check_array, check_rates
from lazyrich.networks.network import Network


class TwoLayerErf(Network):
    r"""A two-layer network of erf units with one output, $f(x) = \sum_k a_k\,\mathrm{erf}(w_k\cdot x/\sqrt2)$.

    It is the soft committee machine of Saad and Solla (1995), with trained outer weights. Units are not homogeneous in
    w, so nothing is conserved.

    >>> net = TwoLayerErf([[1.0, 0.0], [0.0, 1.0]], [2.0, -1.0])
    >>> net(jnp.array([[0.0, 0.0], [100.0, -100.0]]))
    Array([0., 3.], dtype=float64)
    """

    W: Float[Array, "h d"]
    a: Float[Array, " h"]

    def __init__(self, W: ArrayLike, a: ArrayLike):
        self.W = check_array("W", W, (2,))
        self.a = check_array("a", a, (1,))
        if len(self.W) != len(self.a):
            raise ValueError(
                f"W has one row and a one entry per hidden unit: found {len(self.W)} rows and {len(self.a)} entries"
            )

    @property
    def erf_parameters(self) -> tuple[Float[Array, "h d"], Float[Array, " h"]]:
        return self.W, self.a

    @property
    def n_inputs_outputs(self) -> tuple[int, int]:
        return self.W.shape[1], 1

    def _hidden(self, X: Array) -> tuple[Array, Array]:
        """Return the hidden values and their slopes, one row per hidden unit."""
        z = self.W @ X.T
        return erf(z / jnp.sqrt(2.0)), jnp.sqrt(2 / jnp.pi) * jnp.exp(-(z**2) / 2)

    def __call__(self, X: InputMatrix) -> Float[Array, " n"]:
        return self.a @ self._hidden(self.check_inputs(X))[0]

    def pullback(self, X: Float[Array, "n d"], r: Float[Array, " n"]) -> tuple[Array, Array]:
        hidden, slope = self._hidden(X)
        return self.a[:, None] * ((r * slope) @ X), hidden @ r

    def ntk(
        self, X: Float[Array, "n d"], X2: Float[Array, "m d"] | None = None, rates: LayerRates = None
    ) -> Float[Array, "n m"]:
        eta_w, eta_a = check_rates(rates, 2)
        hidden, slope = self._hidden(X)
        X2, hidden2, slope2 = (X, hidden, slope) if X2 is None else (X2, *self._hidden(X2))
        return eta_w * ((self.a[:, None] ** 2 * slope).T @ slope2) * (X @ X2.T) + eta_a * hidden.T @ hidden2
