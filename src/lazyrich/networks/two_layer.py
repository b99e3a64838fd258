"""f(x) = a·σ(Wx), σ piecewise linear."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._core.types import ArrayLike, LayerRates
from lazyrich._validate.arrays import InputMatrix, check_array, check_rates, check_static_float
from lazyrich.networks.network import Network


class TwoLayer(Network):
    r"""A two-layer network with one output, $f(x) = \sum_k a_k \sigma(w_k \cdot x)$, $\sigma(z) = \max(z, \rho z)$.

    The slope $\rho \le 1$ is 0 for ReLU, between 0 and 1 for leaky ReLU, 1 for a linear network, −1 for |z|.
    At the kink $z = 0$ the derivative is taken to be $\rho$.

    Each neuron conserves $\delta_k = \eta_w a_k^2 - \eta_a \|w_k\|^2$ (kunin2024, section 5).

    >>> net = TwoLayer([[1.0, 0.0], [0.0, 1.0]], [2.0, -1.0])
    >>> net(jnp.array([[3.0, -1.0], [1.0, 1.0]]))
    Array([6., 1.], dtype=float64)
    """

    W: Float[Array, "h d"]
    a: Float[Array, " h"]
    negative_slope: float = eqx.field(static=True)

    def __init__(self, W: ArrayLike, a: ArrayLike, negative_slope: float = 0.0):
        self.W = check_array("W", W, (2,))
        self.a = check_array("a", a, (1,))
        self.negative_slope = check_static_float("negative_slope", negative_slope)
        if len(self.W) != len(self.a):
            raise ValueError(
                f"W has one row and a one entry per hidden neuron: found {len(self.W)} rows and {len(self.a)} entries"
            )
        if not self.negative_slope <= 1:
            raise ValueError(
                "negative_slope must be at most 1, so that σ(z) = max(z, negative_slope·z) bends at 0; "
                f"found {negative_slope}"
            )

    @property
    def weight_matrices(self) -> tuple[Array, ...] | None:
        return (self.W, self.a[None, :]) if self.linear_in_inputs else None

    @property
    def neuron_parameters(self) -> tuple[Float[Array, "h d"], Float[Array, " h"], float]:
        return self.W, self.a, self.negative_slope

    @property
    def smooth_in_parameters(self) -> bool:
        return self.linear_in_inputs

    @property
    def n_inputs_outputs(self) -> tuple[int, int]:
        return self.W.shape[1], 1

    @property
    def degrees(self) -> tuple[int, int]:
        return 1, 1

    @property
    def unit_norms(self) -> tuple[Float[Array, " h"], Float[Array, " h"]]:
        return jnp.linalg.norm(self.W, axis=1), jnp.abs(self.a)

    def rescale_units(self, w: Float[Array, " h"], a: Float[Array, " h"]) -> "TwoLayer":
        return self.with_layers((w[:, None] * self.W, self.a * a))

    @property
    def linear_in_inputs(self) -> bool:
        return self.negative_slope == 1

    @property
    def beta(self) -> Float[Array, " d"]:
        return self.W.T @ self.a if self.linear_in_inputs else super().beta

    def _hidden(self, X: Array) -> tuple[Array, Array]:
        """Return σ(Wx) and σ′(Wx), one row per hidden unit."""
        z = self.W @ X.T
        gate = jnp.where(z > 0, 1.0, self.negative_slope).astype(z.dtype)
        return z * gate, gate

    def __call__(self, X: InputMatrix) -> Float[Array, " n"]:
        return self.a @ self._hidden(self.check_inputs(X))[0]

    def pullback(self, X: Float[Array, "n d"], r: Float[Array, " n"]) -> tuple[Array, Array]:
        push = (r * self._hidden(X)[1]) @ X
        # Hidden units are homogeneous: Σ r σ(w·x) = w · Σ r σ′(w·x) x.
        return self.a[:, None] * push, jnp.sum(push * self.W, axis=1)

    def ntk(
        self, X: Float[Array, "n d"], X2: Float[Array, "m d"] | None = None, rates: LayerRates = None
    ) -> Float[Array, "n m"]:
        eta_w, eta_a = (jnp.asarray(rate, self.a.dtype) for rate in check_rates(rates, 2))
        hidden, gate = self._hidden(X)
        X2, hidden2, gate2 = (X, hidden, gate) if X2 is None else (X2, *self._hidden(X2))
        return eta_w * ((self.a[:, None] ** 2 * gate).T @ gate2) * (X @ X2.T) + eta_a * hidden.T @ hidden2

    def conserved_quantities(self, rates: LayerRates = None) -> dict[str, Array]:
        eta_w, eta_a = check_rates(rates, 2)
        return {"delta": eta_w * self.a**2 - eta_a * jnp.sum(self.W**2, axis=1)}
