"""Tangent kernel of any function of parameters and inputs, without forming the whole Jacobian."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.integers import check_int
from lazyrich.jax._jacobian.checked_model import CheckedModel, Diverged, Function, check_model, check_samples
from lazyrich.jax._jacobian.factors import JacobianFactors, gram, outputs_as_columns
from lazyrich.jax._jacobian.learning_rates import Rates
from lazyrich.jax.linearization import value_and_jvp

OutputMode = Literal["full", "each", "trace", "diagonal"]

MAX_FACTOR_BYTES = 3 * 2**29  # factors of all samples are kept up to this size; above it, each block forms its own
NOT_FINITE_MESSAGE = (
    "the kernel is NaN or infinite, though parameters and outputs are finite. Likely a root or a norm at exactly 0, a "
    "branch that jnp.where leaves out, or weights too large for {}: add a small constant under the root, or measure an "
    "earlier state"
)
ROWS_PER_BLOCK = 1024  # rows in a block of the kernel


def tangent_kernel(
    f: Function,
    params: PyTree,
    x: PyTree,
    x2: PyTree = None,
    *,
    rates: Rates = None,
    outputs: OutputMode = "full",
    block: int | None = None,
) -> Array:
    r"""Return $K_{ik,jl} = \sum_p \eta_p\, \partial_p f_k(x_i)\, \partial_p f_l(x_j)$ over all parameters p.

    f(params, x) maps n samples, along the first axis of x (an array, or a tree of arrays), to (n, c) or (n,); params is
    any tree of floating-point arrays. The kernel is (n·c, n·c), with sample i and output k at row i·c + k, in the
    precision of f; or (n·c, m·c) between x and m samples x2. `rates` maps prefixes of parameter names
    ("layers.0.weight") to learning rates; the longest matching prefix counts, and the default is 1. `outputs` may also
    be

    - "each": the kernel of each output with itself, $K_{ik,jk}$ as (c, n, m);
    - "trace": their sum over k, (n, m); it is not a proxy for the full kernel;
    - "diagonal": $K_{ik,ik}$, the squared norm of each gradient, (n, c).

    `block` is the number of samples processed at once (chosen if None). `jit` and `grad` work; values are then not
    checked.

    >>> f = lambda params, x: x @ params["w"] + params["b"]
    >>> params = {"w": jnp.zeros((2, 1)), "b": jnp.zeros(1)}
    >>> x = jnp.array([[1.0, 0.0], [1.0, 2.0]])
    >>> tangent_kernel(f, params, x).tolist()
    [[2.0, 2.0], [2.0, 6.0]]
    >>> tangent_kernel(f, params, x, rates={"w": 4.0, "b": 0.0}).tolist()
    [[4.0, 4.0], [4.0, 20.0]]
    """
    if outputs not in ("full", "each", "trace", "diagonal"):
        raise ValueError(f"outputs must be 'full', 'each', 'trace' or 'diagonal'; found {outputs!r}")
    if outputs == "diagonal" and x2 is not None:
        raise ValueError("the diagonal is of one set of inputs: leave x2 out, or ask for outputs='each'")
    return kernel_of_model(
        check_model(f, params, x, rates),
        check_samples(x),
        None if x2 is None else _second_inputs(x, x2),
        outputs,
        block,
    )


def kernel_of_model(
    model: CheckedModel,
    first: Sequence[PyTree],
    second: Sequence[PyTree] | None = None,
    outputs: OutputMode = "full",
    block: int | None = None,
) -> Array:
    """Return the kernel of a checked model."""
    with jax.default_matmul_precision("float32"):
        return _check_finite(_assemble_kernel(model, first, second, outputs, block))


def _check_finite(kernel: Array) -> Array:
    if not isinstance(kernel, jax.core.Tracer) and not np.isfinite(kernel).all():
        raise Diverged(NOT_FINITE_MESSAGE.format(kernel.dtype))
    return kernel


def kernel_product(
    f: Function, params: PyTree, x: PyTree, v: ArrayLike, x2: PyTree = None, *, rates: Rates = None
) -> Array:
    r"""Return $\sum_{jl} K_{ik,jl} v_{jl}$ without the kernel: one derivative backward on x2 (or x), one forward on x.

    v has the shape of f(params, x2), and the product that of f(params, x).

    >>> f = lambda params, x: x @ params
    >>> kernel_product(f, jnp.zeros(2), jnp.eye(2), jnp.array([1.0, 3.0])).tolist()
    [1.0, 3.0]
    """
    model = check_model(f, params, x, rates)
    tree, inputs = jax.tree.structure(params), jax.tree.structure(x)
    first = jax.tree.unflatten(inputs, check_samples(x))
    second = first if x2 is None else jax.tree.unflatten(inputs, _second_inputs(x, x2))
    values = jax.tree.unflatten(tree, model.values)
    out, pull = jax.vjp(lambda params: f(params, second), values)
    v = jnp.asarray(v, out.dtype)
    if v.shape != out.shape:
        raise ValueError(f"v must have the shape of the outputs, {out.shape}; found {v.shape}")
    slopes = jax.tree.leaves(pull(v)[0])
    step = [(root**2 * slope).astype(slope.dtype) for root, slope in zip(model.sqrt_rates, slopes, strict=True)]
    return _check_finite(value_and_jvp(lambda params: f(params, first), values, jax.tree.unflatten(tree, step))[1])


def padded_blocks(samples: Sequence[PyTree], size: int) -> tuple[list[list[AnyArray]], int]:
    """Return blocks of one size, the last one padded with its last sample, since another size would be compiled
    again; and this size."""
    n = len(samples[0])
    blocks = math.ceil(n / size)
    size = math.ceil(n / blocks)
    missing = blocks * size - n
    whole = [
        part[np.minimum(np.arange(blocks * size), n - 1)] if missing else part
        for part in _to_numpy_if_concrete(samples)
    ]
    return [[part[k * size : (k + 1) * size] for part in whole] for k in range(blocks)], size


def _to_numpy_if_concrete(samples: Sequence[PyTree]) -> list[PyTree]:
    """Convert concrete arrays to NumPy, since JAX would compile a program for each slice."""
    return [part if isinstance(part, jax.core.Tracer) else np.asarray(part) for part in samples]


def block_size(n: int, models: Sequence[CheckedModel]) -> int:
    """Return the number of samples per block: about `ROWS_PER_BLOCK` rows, fewer if the factors of two blocks would
    not fit."""
    fitting = MAX_FACTOR_BYTES / (2 * sum(m.plan.sample_bytes for m in models) + 1)
    rows = math.ceil(ROWS_PER_BLOCK / models[0].plan.outputs)
    return max(1, min(n, int(fitting), rows if factors_fit(n, models) else int(fitting)))


def factors_fit(n: int, models: Sequence[CheckedModel]) -> bool:
    """Return whether the Jacobian factors of n samples fit into the memory allowed for them."""
    return n * sum(m.plan.sample_bytes for m in models) <= MAX_FACTOR_BYTES


def _assemble_kernel(
    model: CheckedModel, first: PyTree, second: PyTree, outputs: OutputMode, block: int | None
) -> Array:
    n, c = len(first[0]), model.plan.outputs
    size = block_size(n, [model]) if block is None else min(n, check_int("block", block))
    if outputs == "diagonal":
        return jnp.concatenate([_diagonal_gram(model.factors(part)) for part in padded_blocks(first, size)[0]])[:n]
    first, others = _to_numpy_if_concrete(first), _to_numpy_if_concrete(first if second is None else second)
    m = len(others[0])
    down, across = _block_starts(n, size), _block_starts(m, min(m, size))
    cached: dict[int, JacobianFactors] = {}

    def form_factors(samples: PyTree, start: int, keep: bool = False) -> JacobianFactors:
        if keep and start in cached:
            return cached[start]
        factors = model.factors([part[start : start + size] for part in samples])
        if keep:
            cached[start] = factors
        return factors

    each, wide = (c,) if outputs == "each" else (), c if outputs == "full" else 1
    whole = jnp.zeros((*each, n * wide, m * wide), model.plan.dtype)
    for row in down:
        one = form_factors(first, row, second is None and factors_fit(n, [model]))
        for column in across:
            if second is None and column < row:
                continue
            same = second is None and column == row
            part = GRAMS[outputs](one, one if same else form_factors(others, column, factors_fit(m, [model])))
            whole = _write_block(whole, part, row * wide, column * wide)
            if second is None and not same:
                whole = _write_block(whole, part.swapaxes(-1, -2), column * wide, row * wide)
    return whole


def _block_starts(n: int, size: int) -> list[int]:
    """Return the starts of blocks of one size; the last block ends with the samples, and may overlap the one before."""
    return [min(start, n - size) for start in range(0, n, size)]


@partial(jax.jit, donate_argnums=0)
def _write_block(whole: Array, part: Array, row: AnyArray, column: AnyArray) -> Array:
    """Write a part of the kernel into its place, without a second copy of the whole."""
    return jax.lax.dynamic_update_slice(whole, part, (*(0,) * (whole.ndim - 2), row, column))


def _second_inputs(x: PyTree, x2: PyTree) -> list[PyTree]:
    one, other = check_samples(x), check_samples(x2, "x2")
    if str(jax.tree.structure(x)) != str(jax.tree.structure(x2)):
        raise ValueError("x2 must be the same tree of arrays as x")
    other_shapes, shapes = ([part.shape[1:] for part in parts] for parts in (other, one))
    if other_shapes != shapes:
        raise ValueError(f"x2 must have samples of the shape of x, {shapes}; found {other_shapes}")
    kinds = [(str(part.dtype), str(like.dtype)) for part, like in zip(other, one, strict=True)]
    if wrong := next((pair for pair in kinds if ("float" in pair[0]) != ("float" in pair[1])), None):
        raise ValueError(f"x2 must be numbers of the kind of x, {wrong[1]}; found {wrong[0]}")
    return [part.astype(like.dtype) for part, like in zip(other, one, strict=True)]


full = jax.jit(gram)


@jax.jit
def _full_gram(one: JacobianFactors, other: JacobianFactors) -> Array:
    block = gram(one, other)
    return block.reshape(block.shape[0] * block.shape[1], -1)


@jax.jit
def _trace_gram(one: JacobianFactors, other: JacobianFactors) -> Array:
    return gram(outputs_as_columns(one), outputs_as_columns(other))[:, 0, :, 0]


@jax.jit
def _per_output_gram(one: JacobianFactors, other: JacobianFactors) -> Array:
    return jax.vmap(gram)(_outputs_first(one), _outputs_first(other))[:, :, 0, :, 0]


@jax.jit
def _diagonal_gram(factors: JacobianFactors) -> Array:
    def squares(sample: JacobianFactors) -> Array:
        single = _outputs_first(jax.tree.map(lambda leaf: leaf[None], sample))
        return jax.vmap(lambda a: gram(a, a)[0, 0, 0, 0])(single)

    return jax.lax.map(squares, factors)


def _outputs_first(factors: JacobianFactors) -> JacobianFactors:
    """Return one set of factors for each output, along a first axis."""
    c = factors.dense.shape[1]
    layers = tuple(
        (jnp.broadcast_to(A[None], (c, *A.shape)), jnp.moveaxis(G, 1, 0)[:, :, None]) for A, G in factors.layers
    )
    return JacobianFactors(jnp.moveaxis(factors.dense, 1, 0)[:, :, None], layers)


GRAMS: dict[str, Callable[..., Array]] = {"full": _full_gram, "each": _per_output_gram, "trace": _trace_gram}
