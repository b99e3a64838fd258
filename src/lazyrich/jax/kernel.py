"""The tangent kernel of any function of parameters and inputs, without ever forming the whole Jacobian."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._count import count
from lazyrich.jax._factors import Factors, gram, traced_out
from lazyrich.jax._model import Diverged, Function, Model, model, named, rows
from lazyrich.jax._rates import Rates, roots

Outputs = Literal["full", "each", "trace", "diagonal"]

KEPT_BYTES = 3 * 2**29  # factors of all samples are kept up to this size, and formed anew for each block above it
NOT_FINITE = (
    "the kernel is NaN or infinite, though parameters and outputs are finite. Likely a root or a norm at exactly 0, a "
    "branch that jnp.where leaves out, or weights too large for {}: add a small constant under the root, or measure an "
    "earlier state"
)
ROWS = 1024  # of a block of the kernel


def tangent_kernel(
    f: Function,
    params: Any,
    x: Any,
    x2: Any = None,
    *,
    rates: Rates = None,
    outputs: Outputs = "full",
    block: int | None = None,
) -> Array:
    r"""$K_{ik,jl} = \sum_p \eta_p\, \partial_p f_k(x_i)\, \partial_p f_l(x_j)$ over all parameters p.

    f(params, x) maps n samples, along the first axis of x (an array, or a tree of them), to (n, c) or (n,); params is
    any tree of floating-point arrays. The kernel is (n·c, n·c), sample i and output k at row i·c + k, in the precision
    of f; or (n·c, m·c) between x and m samples x2. `rates` gives parameters their learning rates by prefix of the name
    ("layers.0.weight"), the longest prefix that fits; 1 if none does. `outputs` may also be

    - "each": the kernel of each output with itself, $K_{ik,jk}$ as (c, n, m);
    - "trace": their sum over k, (n, m); it is not a proxy for the full kernel;
    - "diagonal": $K_{ik,ik}$, the squared norm of each gradient, (n, c).

    `block` samples are treated at once (chosen if None). `jit` and `grad` go through; values are then not looked at.

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
    return kernel_of(model(f, params, x, rates), rows(x), None if x2 is None else _second(x, x2), outputs, block)


def kernel_of(
    found: Model,
    first: Sequence[Any],
    second: Sequence[Any] | None = None,
    outputs: Outputs = "full",
    block: int | None = None,
) -> Array:
    """The kernel of a model that is checked."""
    with jax.default_matmul_precision("float32"):
        kernel = _kernel(found, first, second, outputs, block)
    if not isinstance(kernel, jax.core.Tracer) and not np.isfinite(kernel).all():
        raise Diverged(NOT_FINITE.format(kernel.dtype))
    return kernel


def kernel_product(f: Function, params: Any, x: Any, v: Any, x2: Any = None, *, rates: Rates = None) -> Array:
    r"""$\sum_{jl} K_{ik,jl} v_{jl}$ without the kernel: one derivative backward on x2 (or x), one forward on x.

    v is of the shape of f(params, x2), and the product of that of f(params, x).

    >>> f = lambda params, x: x @ params
    >>> kernel_product(f, jnp.zeros(2), jnp.eye(2), jnp.array([1.0, 3.0])).tolist()
    [1.0, 3.0]
    """
    model(f, params, x, rates)
    values = jax.tree.unflatten(jax.tree.structure(params), named(params)[1])
    names = named(params)[0]
    x, x2 = (jax.tree.map(jnp.asarray, part) for part in (x, x if x2 is None else x2))
    out, pull = jax.vjp(lambda params: f(params, x2), values)
    v = jnp.asarray(v, out.dtype)
    if v.shape != out.shape:
        raise ValueError(f"v must have the shape of the outputs, {out.shape}; found {v.shape}")
    leaves, tree = jax.tree.flatten(pull(v)[0])
    step = [root**2 * leaf for root, leaf in zip(roots(names, rates, out.dtype), leaves, strict=True)]
    return jax.jvp(lambda params: f(params, x), (values,), (jax.tree.unflatten(tree, step),))[1]


def parts_of(samples: Sequence[Any], size: int) -> tuple[list[list[Any]], int]:
    """Blocks of one size, the last one filled up with its last sample: another size would be compiled again."""
    n = len(samples[0])
    blocks = math.ceil(n / size)
    size = math.ceil(n / blocks)
    missing = blocks * size - n
    whole = [jnp.concatenate([part, jnp.repeat(part[-1:], missing, 0)]) if missing else part for part in samples]
    return [[part[k * size : (k + 1) * size] for part in whole] for k in range(blocks)], size


def block_size(n: int, models: Sequence[Model]) -> int:
    """Samples per block: about `ROWS` rows, fewer if the factors of two blocks would not fit."""
    fitting = KEPT_BYTES / (2 * sum(m.plan.sample_bytes for m in models) + 1)
    wanted = math.ceil(ROWS / models[0].plan.outputs)
    return max(1, min(n, int(fitting), wanted if fits(n, models) else int(fitting)))


def fits(n: int, models: Sequence[Model]) -> bool:
    return n * sum(m.plan.sample_bytes for m in models) <= KEPT_BYTES


def _kernel(found: Model, first: Any, second: Any, outputs: Outputs, block: int | None) -> Array:
    n, c = len(first[0]), found.plan.outputs
    size = block_size(n, [found]) if block is None else min(n, count("block", block))
    parts, size = parts_of(first, size)
    if outputs == "diagonal":
        return jnp.concatenate([_diagonal(found.factors(part)) for part in parts])[:n]
    if second is None:
        m = n
        grid: list[list[Any]] = [[None] * len(parts) for _ in parts]
        kept = {a: found.factors(part) for a, part in enumerate(parts)} if fits(n, [found]) else {}
        for a in range(len(parts)):
            one = kept.get(a) or found.factors(parts[a])
            for b in range(a, len(parts)):
                grid[a][b] = GRAMS[outputs](one, one if a == b else kept.get(b) or found.factors(parts[b]))
                grid[b][a] = jnp.moveaxis(grid[a][b], (-4, -3), (-2, -1)) if a != b else grid[a][b]
    else:
        m = len(second[0])
        others, _ = parts_of(second, min(m, size))
        kept = {b: found.factors(part) for b, part in enumerate(others)} if fits(m, [found]) else {}
        grid = []
        for part in parts:
            one = found.factors(part)
            grid.append([GRAMS[outputs](one, kept.get(b) or found.factors(other)) for b, other in enumerate(others)])
    whole = jnp.concatenate([jnp.concatenate(row, -2) for row in grid], -4)
    whole = whole[..., :n, :, :m, :]  # without what blocks were filled up with
    if outputs == "full":
        return whole.reshape(n * c, m * c)
    return whole[..., 0, :, 0]


def _second(x: Any, x2: Any) -> list[Any]:
    one, other = rows(x), rows(x2, "x2")
    found, needed = ([part.shape[1:] for part in parts] for parts in (other, one))
    if found != needed:
        raise ValueError(f"x2 must have samples of the shape of x, {needed}; found {found}")
    return [part.astype(like.dtype) for part, like in zip(other, one, strict=True)]


@jax.jit
def full(one: Factors, other: Factors) -> Array:
    return gram(one, other)


@jax.jit
def _trace(one: Factors, other: Factors) -> Array:
    return gram(traced_out(one), traced_out(other))


@jax.jit
def _each(one: Factors, other: Factors) -> Array:
    return jax.vmap(lambda a, b: gram(a, b))(_outputs_first(one), _outputs_first(other))


@jax.jit
def _diagonal(factors: Factors) -> Array:
    def squares(sample: Factors) -> Array:
        single = _outputs_first(jax.tree.map(lambda leaf: leaf[None], sample))
        return jax.vmap(lambda a: gram(a, a)[0, 0, 0, 0])(single)

    return jax.lax.map(squares, factors)


def _outputs_first(factors: Factors) -> Factors:
    """One set of factors for each output, along a first axis."""
    c = factors.dense.shape[1]
    layers = tuple(
        (jnp.broadcast_to(A[None], (c, *A.shape)), jnp.moveaxis(G, 1, 0)[:, :, None]) for A, G in factors.layers
    )
    return Factors(jnp.moveaxis(factors.dense, 1, 0)[:, :, None], layers)


GRAMS: dict[str, Any] = {"full": full, "each": _each, "trace": _trace}
