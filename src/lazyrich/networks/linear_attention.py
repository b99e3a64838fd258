"""Linear attention on prompts of linear regression: f = ⟨M, b xᵀ⟩, b the context and x the query."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_array
from lazyrich.networks.network import LinearNetwork


def prompt_features(x: ArrayLike, y: ArrayLike, query: ArrayLike) -> Float[Array, "n d2"]:
    r"""Return the features $b\,x^\top$ of prompts, flattened: $b = \frac1N\sum_i y_ix_i$ and x the query.

    `x` has shape (prompts, N, D), `y` (prompts, N), `query` (prompts, D). Attention without softmax, and with the
    blocks of its weights that stay zero left out, is linear in them (Zhang, Singh, Latham and Saxe 2025, section 2).

    >>> prompt_features([[[1.0, 0.0], [0.0, 2.0]]], [[1.0, 1.0]], [[3.0, 4.0]])
    Array([[1.5, 2. , 3. , 4. ]], dtype=float64)
    """
    x, y, query = check_array("x", x, (3,)), check_array("y", y, (2,)), check_array("query", query, (2,))
    if x.shape[:2] != y.shape or query.shape != (len(x), x.shape[2]):
        raise ValueError(
            "x has shape (prompts, N, D), y (prompts, N) and query (prompts, D); "
            f"found {x.shape}, {y.shape} and {query.shape}"
        )
    b = jnp.mean(y[..., None] * x, axis=1)
    return (b[:, :, None] * query[:, None, :]).reshape(len(x), -1)


def _check_square(name: str, d: int, d2: int) -> None:
    if d != d2:
        raise ValueError(f"{name} act on prompts of one dimension: found {d} and {d2}")


class MergedLinearAttention(LinearNetwork):
    r"""Linear attention with merged key and query, $f = \sum_h v_h\,b^\top U_hx$, on `prompt_features`.

    It is a two-layer linear network with one output on the D² features $b x^\top$, and all theorems for those apply,
    with `Problem.in_context`.

    >>> net = MergedLinearAttention([[[1.0, 0.0], [0.0, 1.0]]], [2.0])
    >>> net.beta
    Array([2., 0., 0., 2.], dtype=float64)
    """

    key_query: Float[Array, "h d d"]
    value: Float[Array, " h"]

    def __init__(self, key_query: ArrayLike, value: ArrayLike):
        self.key_query = check_array("key_query", key_query, (3,))
        self.value = check_array("value", value, (1,))
        _check_square("key and query", *self.key_query.shape[1:])
        if len(self.key_query) != len(self.value):
            raise ValueError(
                f"key_query and value have one entry per head: found {len(self.key_query)} and {len(self.value)}"
            )

    @property
    def n_inputs_outputs(self) -> tuple[int, int]:
        return int(np.prod(self.key_query.shape[1:])), 1

    @property
    def degrees(self) -> tuple[int, int]:
        return 1, 1

    @property
    def weight_matrices(self) -> tuple[Array, ...]:
        return self.key_query.reshape(len(self.value), -1), self.value[None]

    @property
    def beta(self) -> Float[Array, " d2"]:
        return self.value @ self.key_query.reshape(len(self.value), -1)


class LinearAttention(LinearNetwork):
    r"""Linear attention with separate keys and queries, $f = \sum_h v_h\,b^\top K_h^\top Q_hx$, on `prompt_features`.

    Heads have any rank: `key` and `query` have shape (heads, rank, D), or (heads, D) for rank one. Each head is of
    degree three, so that from a small start heads are learned suddenly, one after another (Zhang, Singh, Latham and
    Saxe 2025, section 4).

    >>> net = LinearAttention([2.0], [[1.0, 0.0]], [[0.0, 3.0]])
    >>> net.beta
    Array([0., 6., 0., 0.], dtype=float64)
    """

    value: Float[Array, " h"]
    key: Float[Array, "h r d"]
    query: Float[Array, "h r d"]

    def __init__(self, value: ArrayLike, key: ArrayLike, query: ArrayLike):
        self.value = check_array("value", value, (1,))
        self.key, self.query = (
            part[:, None] if part.ndim == 2 else part
            for part in (check_array(name, matrix, (2, 3)) for name, matrix in (("key", key), ("query", query)))
        )
        _check_square("key and query", self.key.shape[2], self.query.shape[2])
        if self.key.shape != self.query.shape or len(self.key) != len(self.value):
            raise ValueError(
                "value, key and query have one entry per head, and key and query the same rank: found shapes "
                f"{self.value.shape}, {self.key.shape} and {self.query.shape}"
            )

    @property
    def n_inputs_outputs(self) -> tuple[int, int]:
        return self.key.shape[2] ** 2, 1

    @property
    def degrees(self) -> tuple[int, int, int]:
        return 1, 1, 1

    @property
    def attention_heads(self) -> tuple[Float[Array, " h"], Float[Array, "h d"], Float[Array, "h d"]] | None:
        return (self.value, self.key[:, 0], self.query[:, 0]) if self.key.shape[1] == 1 else None

    @property
    def beta(self) -> Float[Array, " d2"]:
        return jnp.einsum("h,hrd,hre->de", self.value, self.key, self.query).reshape(-1)

    def beta_pullback(self, G: Float[Array, " d2"]) -> tuple[Array, ...]:
        slope = G.reshape(self.key.shape[2], -1)
        toward = jnp.einsum("de,hre->hrd", slope, self.query)  # ∂L/∂K without the value
        back = jnp.einsum("de,hrd->hre", slope, self.key)
        v = self.value[:, None, None]
        return jnp.sum(self.key * toward, axis=(1, 2)), v * toward, v * back
