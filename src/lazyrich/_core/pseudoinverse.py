"""The pseudoinverse of the inputs X, with the derivatives that hold while the rank of X is constant.

Those of a singular value decomposition do not exist where two singular values meet, as they do for whitened inputs.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import eager_or_traced, is_concrete, xp
from lazyrich._core.linalg import numerical_rank, raise_if_differentiated
from lazyrich._core.types import AnyArray


def _least_squares(X: AnyArray, y: AnyArray) -> AnyArray:
    """Return X⁺y."""
    return xp.linalg.lstsq(X, y)[0]


_least_squares_traced = jax.custom_jvp(_least_squares)
least_squares = eager_or_traced(_least_squares, _least_squares_traced)


@_least_squares_traced.defjvp
def _least_squares_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    (X, y), (dX, dy) = primals, tangents
    beta, inverse = least_squares(X, y), jnp.linalg.pinv(X)
    off = inverse.T @ beta
    return beta, inverse @ (dy - dX @ beta + inverse.T @ (dX.T @ (y - X @ beta))) + project_to_null_space(X, dX.T @ off)


def _project_to_null_space(X: AnyArray, v: AnyArray) -> AnyArray:
    """Return (I − X⁺X)v."""
    _, s, Vt = xp.linalg.svd(X, full_matrices=False)
    number = numerical_rank(s, X.shape)
    row_space = Vt * (np.arange(len(s)) < number)[:, None]
    return xp.where(number == X.shape[1], 0.0, v - row_space.T @ (row_space @ v))


_project_to_null_space_traced = jax.custom_jvp(_project_to_null_space)
project_to_null_space = eager_or_traced(_project_to_null_space, _project_to_null_space_traced)


@_project_to_null_space_traced.defjvp
def _project_to_null_space_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    (X, v), (dX, dv) = primals, tangents
    out, inverse = project_to_null_space(X, v), jnp.linalg.pinv(X)
    return out, project_to_null_space(X, dv - dX.T @ (inverse.T @ v)) - inverse @ (dX @ out)


def rank_guarded(X: Float[Array, "n d"]) -> Float[Array, "n d"]:
    """Return X unchanged, but raise an error if it is differentiated where its rank can change, and with it everything
    that depends on X⁺."""
    constant = jax.lax.stop_gradient(X)
    if is_concrete(X):
        return X
    message = (
        f"there is no derivative in X here: its {X.shape[0]} rows and {X.shape[1]} columns have dependent ones on both "
        "sides (duplicated samples, say), and the slightest change of X changes its rank. Drop them first"
    )
    return raise_if_differentiated(
        X, numerical_rank(jnp.linalg.svd(constant, compute_uv=False), X.shape) < min(X.shape), message
    )
