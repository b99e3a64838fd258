"""Factored per-sample Jacobians of a model: small enough to keep, and cheap to multiply with each other."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from lazyrich.jax.weight_rules import are_token_ids

HIGHEST_PRECISION = jax.lax.Precision.HIGHEST


class JacobianFactors(NamedTuple):
    """Factors of the Jacobian of m samples with c outputs: `dense` columns (m, c, p), and layers kept as columns and
    signals.

    The columns of a layer are (m, g, t, i), or tokens (m, t), and its signals (m, c, g, t, o). Its Jacobian would have
    g·i·o columns.
    """

    dense: Array
    layers: tuple[tuple[Array, Array], ...] = ()


def gram(one: JacobianFactors, other: JacobianFactors) -> Array:
    """Return the block of the kernel between two sets of samples, (m, c, m', c')."""
    block = jnp.einsum("mcp,ndp->mcnd", one.dense, other.dense, precision=HIGHEST_PRECISION)
    for (A, G), (B, H) in zip(one.layers, other.layers, strict=True):
        if G.shape[3] == H.shape[3] == 1 and not are_token_ids(A):
            column_products = jnp.einsum("mgi,ngi->gmn", A[:, :, 0], B[:, :, 0], precision=HIGHEST_PRECISION)
            if len(column_products) == 1:
                signal = jnp.einsum("mco,ndo->mcnd", G[:, :, 0, 0], H[:, :, 0, 0], precision=HIGHEST_PRECISION)
                block += column_products[0][:, None, :, None] * signal
            else:
                signal = jnp.einsum("mcgo,ndgo->gmcnd", G[:, :, :, 0], H[:, :, :, 0], precision=HIGHEST_PRECISION)
                block += jnp.einsum("gmn,gmcnd->mcnd", column_products, signal, precision=HIGHEST_PRECISION)
        else:
            block += jax.lax.map(partial(_one_against_many, B, H), (A, G))
    return block


def diagonal_blocks(factors: JacobianFactors) -> Array:
    """Return the kernel of each sample with itself, (m, c, c)."""
    return jax.lax.map(lambda one: gram(*(jax.tree.map(lambda a: a[None], one),) * 2)[0, :, 0], factors)


def _one_against_many(B: Array, H: Array, sample: tuple[Array, Array]) -> Array:
    """Return the products of one sample with many, (c, n, d).

    The sum over t comes first, then that over s: t·s·c·o + s·c²·o multiplications instead of t·s·c²·o.
    """
    A, G = sample
    if are_token_ids(A):  # tokens stand for one-hot vectors
        column_products = ((A[:, None, None] == B) & (A[:, None, None] >= 0)).astype(G.dtype)[None]  # (1, t, n, s)
    else:
        column_products = jnp.einsum("gti,ngsi->gtns", A, B, precision=HIGHEST_PRECISION)
    passed = jnp.einsum("gtns,cgto->nscgo", column_products, G, precision=HIGHEST_PRECISION)
    return jnp.einsum("nscgo,ndgso->cnd", passed, H, precision=HIGHEST_PRECISION)


def outputs_as_columns(factors: JacobianFactors) -> JacobianFactors:
    """Move the outputs into the columns, so that the kernel is Σ_k K_{ik,jk}."""
    m, c, p = factors.dense.shape
    layers = tuple((A, jnp.moveaxis(G, 1, -2).reshape(m, 1, *G.shape[2:4], c * G.shape[4])) for A, G in factors.layers)
    return JacobianFactors(factors.dense.reshape(m, 1, c * p), layers)


def nbytes(factors: PyTree) -> int:
    """Return the number of bytes of arrays, or of arrays with these shapes."""
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(factors))
