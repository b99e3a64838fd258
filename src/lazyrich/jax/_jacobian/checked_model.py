"""Check a user's function with its parameters and inputs, and explain in an error why it cannot be measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import DTypeLike
from jaxtyping import PyTree

from lazyrich._core.types import AnyArray
from lazyrich.jax._jacobian.learning_rates import Rates, sqrt_rates
from lazyrich.jax._jacobian.plan import FAST_COMPILE_OPTIONS, N_TEST_SAMPLES, JacobianPlan, plan_of
from lazyrich.jax._jacobian.program import Program, evaluate, trace_program

Function = Callable[[PyTree, PyTree], PyTree]

N_BATCH_TEST = 3  # samples on which f is compared with itself, one by one and in a batch
N_DISTINCT_SEARCH = 64  # samples among which distinct ones are searched


class Diverged(ValueError):
    """Parameters, outputs or derivatives are NaN or infinite, so there is nothing to measure."""


@dataclass(frozen=True, eq=False)
class CheckedModel:
    """f at given parameters: its Jacobian plan, the arrays that it closes over, and its parameters by name."""

    plan: JacobianPlan
    consts: tuple[AnyArray, ...]
    names: tuple[str, ...]
    values: tuple[AnyArray, ...]
    sqrt_rates: tuple[AnyArray, ...]

    def factors(self, samples: Sequence[PyTree]) -> PyTree:
        return self.plan.factors(self.values, self.consts, self.sqrt_rates, samples)

    def with_params(self, params: PyTree, what: str = "params") -> "CheckedModel":
        """Return the same model at other parameters."""
        names, values = named_parameters(params, what)
        before, after = (
            {name: f"of shape {value.shape}" for name, value in zip(*pair, strict=True)}
            for pair in ((self.names, self.values), (names, values))
        )
        for name in {**before, **after}:
            was, became = before.get(name, "absent"), after.get(name, "absent")
            if was != became:
                raise ValueError(
                    f"'{name}' is {was} in params and {became} in {what}: the two must have the same shapes"
                )
        cast = tuple(value.astype(like.dtype) for value, like in zip(values, self.values, strict=True))
        return CheckedModel(self.plan, self.consts, self.names, cast, self.sqrt_rates)


def check_model(f: Function, params: PyTree, x: PyTree, rates: Rates = None) -> CheckedModel:
    """Check f at these parameters and inputs, and plan its Jacobian, with the factors tested on some samples.

    Inside of `jit`, `grad` or `vmap`, where there are no values, the test uses random numbers.
    """
    names, values = named_parameters(params)
    tree = jax.tree.structure(x)
    samples = check_samples(x)
    structure = jax.tree.structure(params)

    def batch(values: Sequence[PyTree], parts: Sequence[PyTree]) -> PyTree:
        return f(jax.tree.unflatten(structure, values), jax.tree.unflatten(tree, parts))

    def single(values: Sequence[PyTree], parts: Sequence[PyTree]) -> PyTree:
        return batch(values, [part[None] for part in parts])[0]

    shapes = [jax.ShapeDtypeStruct(value.shape, value.dtype) for value in values]
    n = len(samples[0])
    for m in sorted({1, min(n, 2)}):
        _check_shape(batch, shapes, [jax.ShapeDtypeStruct((m, *part.shape[1:]), part.dtype) for part in samples], m)
    others = _perturbed_parameters(values)
    with jax.default_matmul_precision("float32"):
        program, consts = trace_program(
            single, shapes, [jax.ShapeDtypeStruct(part.shape[1:], part.dtype) for part in samples]
        )
        _check_samples_independent(batch, program, consts, values, others, samples)
    plan = _drop_wrong_layers(plan_of(program), values, others, consts, samples)
    return CheckedModel(plan, consts, names, values, tuple(sqrt_rates(names, rates, plan.dtype)))


def named_parameters(params: PyTree, what: str = "params") -> tuple[tuple[str, ...], tuple[AnyArray, ...]]:
    """Return the names and values of the parameters, with half precision widened to float32, as a kernel needs."""
    leaves = jax.tree_util.tree_leaves_with_path(params)
    if not leaves:
        raise ValueError(f"{what} has no arrays: without parameters nothing is learned")
    names, values = [], []
    for path, leaf in leaves:
        name = jax.tree_util.keystr(path, simple=True, separator=".") or "params"
        if not isinstance(leaf, (jax.Array, np.ndarray, np.generic, float)):
            raise ValueError(
                f"'{name}' in {what} is a {type(leaf).__name__}, and no array of numbers to be trained. Split the "
                "model: `params, static = eqx.partition(model, eqx.is_inexact_array)`, or "
                "`nnx.split(model, nnx.Param, ...)`, and let f put it together"
            )
        value = jnp.asarray(leaf)
        if not jnp.issubdtype(value.dtype, jnp.floating):
            raise ValueError(
                f"'{name}' in {what} is of {value.dtype}: parameters are real floating-point numbers. What is not "
                "trained (counters, keys, tables of integers) belongs into f; complex weights are two real ones"
            )
        if value.dtype.itemsize < 4:
            value = value.astype(jnp.float32)
        # Values are checked with NumPy, since JAX would compile a program for each shape.
        if not _is_tracing(value) and (bad := int((~np.isfinite(value)).sum())):
            raise Diverged(f"'{name}' in {what} has {bad} of {value.size} entries that are NaN or infinite")
        names.append(name.removesuffix(".value"))
        values.append(value)
    return tuple(names), tuple(values)


def check_samples(x: PyTree, name: str = "x") -> list[PyTree]:
    """Return the input arrays, checked to have the samples along their first axis."""
    checked = []
    for part in jax.tree.leaves(x):
        if not isinstance(part, (jax.Array, np.ndarray)):
            raise ValueError(f"{name} must be an array, or a tree of arrays; found a {type(part).__name__} in it")
        part = jnp.asarray(part)
        if part.dtype in (jnp.bfloat16, jnp.float16):
            part = part.astype(jnp.float32)
        if not _is_tracing(part) and jnp.issubdtype(part.dtype, jnp.inexact) and not np.isfinite(part).all():
            raise ValueError(f"{name} has NaN or infinite entries; remove or impute them first")
        checked.append(part)
    sizes = {part.shape[0] if part.ndim else None for part in checked}
    if len(sizes) != 1 or None in sizes or not min(part.size for part in checked):
        shapes = [part.shape for part in checked]
        raise ValueError(f"{name} needs samples along its first axis, the same number in all arrays; found {shapes}")
    return checked


def _check_shape(batch: Callable[..., PyTree], values: Sequence[PyTree], parts: Sequence[PyTree], m: int) -> None:
    what = ", ".join(f"{part.shape} {part.dtype}" for part in parts)
    try:
        out = jax.eval_shape(batch, values, parts)
    except Exception as error:
        raise ValueError(
            f"f(params, x) raised on a batch of {m} sample(s), x of {what}: {type(error).__name__}: {error}. f is "
            "called with params in the structure in which they were given, and x with samples along its first axis"
        ) from error
    if not hasattr(out, "shape") or not jnp.issubdtype(out.dtype, jnp.floating):
        kind = out.dtype if hasattr(out, "dtype") else type(out).__name__
        raise ValueError(
            f"f must return one array of floats, of shape (n, c) or (n,); found {kind}. If it returns more (a state, "
            "new batch statistics), let it return the outputs only"
        )
    if out.ndim not in (1, 2) or out.shape[0] != m or 0 in out.shape:
        raise ValueError(
            f"f must return shape (n, c) or (n,) for n samples; found {out.shape} for n = {m}. If it drops axes of "
            "length 1 (squeeze), let it reshape to (len(x), -1); if it has more axes, let it flatten or pick some"
        )


@lru_cache(maxsize=32)
def _single_and_batched_outputs(single: Program, many: Program) -> PyTree:
    """Compile a function that returns the outputs of samples one by one and in one batch; it is compiled ahead of
    the call, so that it runs on values inside of a transformation."""

    def both(values: PyTree, consts: PyTree, others: PyTree, parts: PyTree) -> PyTree:
        apart = jax.vmap(lambda sample: evaluate(single, consts, [*values, *sample])[0])(parts)
        return apart, evaluate(many, others, [*values, *parts])[0]

    shapes = [
        [jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype) for var in variables]
        for variables in (
            many.parameters,
            single.jaxpr.constvars,
            many.jaxpr.constvars,
            many.jaxpr.invars[many.leaves :],
        )
    ]
    return jax.jit(both).lower(*shapes).compile(compiler_options=FAST_COMPILE_OPTIONS)


def _check_samples_independent(
    batch: Callable[..., PyTree], single: Program, consts: PyTree, values: PyTree, others: PyTree, samples: PyTree
) -> None:
    """Raise an error if the output of a sample depends on the others.

    The test is repeated at perturbed parameters, since a readout initialized at 0 would hide the dependence.
    """
    if _is_tracing(consts):
        return
    places, parts = _distinct_samples(samples, N_BATCH_TEST)
    shapes = [jax.ShapeDtypeStruct(value.shape, value.dtype) for value in (*values, *parts)]
    many, batch_consts = trace_program(batch, shapes[: len(values)], shapes[len(values) :])
    if _is_tracing(batch_consts):
        return
    both = _single_and_batched_outputs(single, many)
    gap = large = 0.0
    for at in (others,) if _is_tracing(values) else (values, others):
        arguments = [list(part) for part in (at, consts, batch_consts, parts)]
        apart, together = (np.asarray(out, float).reshape(len(places), -1) for out in both(*arguments))
        finite = np.isfinite(apart).all(1)
        if at is values and not _is_tracing(samples) and not finite.all():
            bad = places[int(np.argmin(finite))]
            raise Diverged(f"the output of f is NaN or infinite on sample {bad}; there is no kernel to measure")
        if finite.all():
            gap = max(gap, float(np.nan_to_num(np.abs(apart - together), nan=np.inf).max()))
            large = max(large, float(np.abs(apart).max()))
    if gap > min(max(1e-8, 1e4 * single.machine_epsilon), max(1e-3, 5 * single.machine_epsilon)) * large:
        raise ValueError(
            f"the output of a sample depends on the other samples: one by one and in a batch of {len(places)} they "
            f"differ by {gap:.1e}, the largest output is {large:.1e}. Likely f uses statistics of the batch (batch "
            "norm in training mode), or mixes its samples: give it fixed statistics (train=False, "
            "use_running_average=True, inference mode), so that it is a function of one input"
        )


def _drop_wrong_layers(
    plan: JacobianPlan, values: PyTree, others: PyTree, consts: PyTree, samples: PyTree
) -> JacobianPlan:
    """Return the plan without layers whose factors disagree with the derivative."""
    if _is_tracing(consts):
        return plan
    _, parts = _distinct_samples(samples, N_TEST_SAMPLES)
    # Perturbed parameters first, since a zero gradient verifies nothing (a readout initialized at 0).
    bad = plan.disagreeing_parameters(others, list(consts), parts)
    if bad is None and not _is_tracing(values):
        bad = plan.disagreeing_parameters([np.asarray(v) for v in values], list(consts), parts)
    return _plan_without(plan, tuple(bad)) if bad else plan


def _perturbed_parameters(values: PyTree) -> list[np.ndarray]:
    """Return perturbed parameters of about the same size, or random ones where values are traced."""
    rng = np.random.default_rng(0)
    base = [np.zeros(v.shape, v.dtype) if _is_tracing(v) else np.asarray(v) for v in values]
    sizes = [float(np.linalg.norm(v) / max(v.size, 1) ** 0.5) or 0.3 for v in base]
    return [v + (0.3 * size * rng.normal(size=v.shape)).astype(v.dtype) for v, size in zip(base, sizes, strict=True)]


def _distinct_samples(samples: PyTree, many: int) -> tuple[list[int], list[np.ndarray]]:
    """Return the indices of some samples, distinct if possible, and the samples; random ones inside of a
    transformation.

    Equal samples would not reveal a mean over the batch, which equals each of them.
    """
    n = len(samples[0])
    if _is_tracing(samples):
        rng = np.random.default_rng(0)
        return list(range(min(n, many))), [
            _random_like_samples(rng, (min(n, many), *p.shape[1:]), p.dtype) for p in samples
        ]
    arrays = [np.asarray(part) for part in samples]
    spread = np.unique(np.linspace(0, n - 1, N_DISTINCT_SEARCH).astype(int)).tolist()
    first = {b"".join(part[k].tobytes() for part in arrays): k for k in reversed(spread)}
    indices = sorted(first.values())[:many]
    indices += [k for k in spread if k not in indices][: min(n, many) - len(indices)]
    return indices, [part[indices] for part in arrays]


@lru_cache(maxsize=32)
def _plan_without(plan: JacobianPlan, leaves: tuple[int, ...]) -> JacobianPlan:
    return JacobianPlan(plan.layout.without(leaves))


def _random_like_samples(rng: np.random.Generator, shape: Sequence[int], dtype: DTypeLike) -> np.ndarray:
    floats = jnp.issubdtype(dtype, jnp.inexact)
    return (rng.normal(size=shape) if floats else np.zeros(shape)).astype(dtype)


def _is_tracing(*trees: PyTree) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(trees))
