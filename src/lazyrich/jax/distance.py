"""Distance between tangent kernels of a function at two parameters, block by block, without storing either kernel."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.types import ArrayLike
from lazyrich.jax._jacobian.checked_model import CheckedModel, Diverged, Function, check_model, check_samples
from lazyrich.jax._jacobian.factors import JacobianFactors, nbytes
from lazyrich.jax._jacobian.learning_rates import Rates
from lazyrich.jax.kernel import MAX_FACTOR_BYTES, NOT_FINITE_MESSAGE, block_size, full, padded_blocks
from lazyrich.tangent.distance import (
    DEFAULT_REPEATS,
    DEFAULT_SUBSET_SIZE,
    Block,
    KernelDistance,
    TargetAlignment,
    from_all_blocks,
    from_subsets,
    random_subsets,
)

Method = Literal["auto", "exact", "subsample"]
FactorsOf = Callable[[Sequence[PyTree]], JacobianFactors]

MAX_EXACT_COST = 1e12  # multiplications per kernel below which "auto" is exact: about a minute on one core


def kernel_distance(
    f: Function,
    params: PyTree,
    params0: PyTree,
    x: PyTree,
    *,
    rates: Rates = None,
    method: Method = "auto",
    repeats: int = DEFAULT_REPEATS,
    size: int | None = None,
    seed: int = 0,
) -> KernelDistance:
    r"""Measure how far the tangent kernel at `params` is from that at `params0` on the inputs x: 0 is lazy.

    Method "exact" streams over blocks of both kernels and stores neither; sums are in float64 whatever the precision of
    f. "subsample" measures S on `repeats` random subsets of `size` inputs, subtracts the leading bias of a small subset
    (from its halves), and gives an error bar. "auto" is exact up to about 1e12 multiplications. f, x and `rates` are as
    in `tangent_kernel`. The result is a number; the function cannot be traced by `jit` or `grad`.

    >>> f = lambda params, x: jax.nn.relu(x @ params["W"]) @ params["a"]
    >>> x, keys = jax.random.normal(jax.random.key(0), (20, 3)), jax.random.split(jax.random.key(1))
    >>> start = {"W": jax.random.normal(keys[0], (3, 50)), "a": jax.random.normal(keys[1], (50, 1))}
    >>> print(kernel_distance(f, {**start, "W": 1.1 * start["W"]}, start, x))
    kernel distance S = ... (centered ...), growth 1.1...; exact on 20 inputs: 1 layer(s) ...
    """
    now = check_model(f, params, x, rates)
    start = now.with_params(params0, "params0")
    return _compare([now, start], [now.factors, start.factors], check_samples(x), method, repeats, size, seed)


def kernel_target_alignment(
    f: Function,
    params: PyTree,
    x: PyTree,
    targets: ArrayLike | None,
    *,
    rates: Rates = None,
    method: Method = "auto",
    repeats: int = DEFAULT_REPEATS,
    size: int | None = None,
    seed: int = 0,
) -> TargetAlignment:
    """Return the cosine between the kernel and y yᵀ: how well the kernel is aligned with the task.

    Targets have the shape of the outputs, (n, c) or (n,); or they are class numbers (n,) for c > 1 outputs, which
    become one-hot. The other arguments are as in `kernel_distance`.

    >>> f = lambda params, x: x @ params
    >>> kernel_target_alignment(f, jnp.zeros(2), jnp.eye(2), jnp.ones(2)).value
    0.7071...
    """
    model = check_model(f, params, x, rates)
    samples = check_samples(x)
    y = one_hot(targets, len(samples[0]), model.plan.outputs).astype(model.plan.dtype)

    # The targets are passed along as one more input, which f does not receive.
    def kernel(parts: Sequence[PyTree]) -> JacobianFactors:
        return model.factors(parts[:-1])

    def outer(parts: Sequence[PyTree]) -> JacobianFactors:
        return JacobianFactors(jnp.asarray(parts[-1])[:, :, None])

    return TargetAlignment.from_distance(
        _compare([model], [kernel, outer], [*samples, jnp.asarray(y)], method, repeats, size, seed)
    )


def one_hot(targets: ArrayLike | None, n: int, c: int) -> np.ndarray:
    """Return the targets as (n, c), with class numbers converted to one-hot vectors."""
    y = np.asarray(targets)
    if y.shape == (n,) and c > 1 and np.issubdtype(y.dtype, np.integer):
        if y.min() < 0 or y.max() >= c:
            raise ValueError(f"class numbers must be from 0 to {c - 1}; found {y.min()} to {y.max()}")
        y = np.eye(c)[y]
    if y.size != n * c or len(y) != n:
        raise ValueError(f"targets must be of shape {(n, c)}, or {(n,)} class numbers; found {y.shape}, {y.dtype}")
    if not np.isfinite(y).all():
        raise ValueError("targets have entries that are NaN or infinite")
    return y.reshape(n, c)


def _compare(
    models: Sequence[CheckedModel],
    ways: Sequence[FactorsOf],
    samples: Sequence[PyTree],
    method: Method,
    repeats: int,
    size: int | None,
    seed: int,
) -> KernelDistance:
    if method not in ("auto", "exact", "subsample"):
        raise ValueError(f"method must be 'auto', 'exact' or 'subsample'; found {method!r}")
    if any(isinstance(leaf, jax.core.Tracer) for m in models for leaf in (*m.values, *m.consts, *samples)):
        raise ValueError(
            "a kernel distance is a number, and cannot be traced: take `tangent_kernel` inside of jit or grad"
        )
    n, plan = len(samples[0]), models[0].plan
    size = max(4, min(n // 2, DEFAULT_SUBSET_SIZE, 4000 // plan.outputs)) if size is None else size
    affordable = n**2 / 2 * plan.pair_cost <= MAX_EXACT_COST or n <= 2 * size
    with jax.default_matmul_precision("float32"):
        if method == "exact" or (method == "auto" and affordable):
            blocks = _kernel_blocks(ways, samples, block_size(n, models))
            return from_all_blocks(n, blocks, f"exact on {n} inputs: {plan.method}")
        description = f"{repeats} subsamples of {size} from {n} inputs: {plan.method}"
        pieces = (
            _subset_kernels(ways, [part[index] for part in samples]) for index in random_subsets(n, size, repeats, seed)
        )
        return from_subsets(n, pieces, description)


def _subset_kernels(ways: Sequence[FactorsOf], samples: Sequence[PyTree]) -> tuple[np.ndarray, np.ndarray]:
    """Return both kernels on one subset."""
    one, other = (_to_numpy(full(factors, factors)) for factors in (way(samples) for way in ways))
    return one, other


def _kernel_blocks(ways: Sequence[FactorsOf], samples: Sequence[PyTree], rows_per_block: int) -> Iterator[Block]:
    """Yield the blocks of both kernels on and above the diagonal, keeping factors if they fit in memory."""
    n = len(samples[0])
    parts, step = padded_blocks(samples, rows_per_block)
    cached: dict[int, list[JacobianFactors]] = {}

    def form(a: int) -> list[JacobianFactors]:
        if a in cached:
            return cached[a]
        factors = [way(parts[a]) for way in ways]
        if nbytes(factors) * len(parts) <= MAX_FACTOR_BYTES:
            cached[a] = factors
        return factors

    for a in range(len(parts)):
        one = form(a)
        for b in range(a, len(parts)):
            other = one if a == b else form(b)
            kernels = [_to_numpy(full(first, second)) for first, second in zip(one, other, strict=True)]
            # Remove the padding of the last block.
            m, k = (min(step, n - i * step) for i in (a, b))
            yield a * step, b * step, kernels[0][:m, :, :k], kernels[1][:m, :, :k]


def _to_numpy(block: ArrayLike) -> np.ndarray:
    array = np.asarray(block)
    if not np.isfinite(array).all():
        raise Diverged(NOT_FINITE_MESSAGE.format(array.dtype))
    return array
