"""A function of one sample as a flat list of operations, which can be run with some values recorded or shifted."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import count as numbers
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core
from jaxtyping import Array, PyTree

from lazyrich._core.types import AnyArray
from lazyrich.jax._equation import Atom, Equation

MAX_UNROLLED_STEPS = (
    64  # scans up to this length are unrolled; in longer ones, parameters are handled by automatic differentiation
)

# Activations that JAX traces as a call of their own. They are not inlined, so that their inputs and outputs can be
# observed.
KINKED_ACTIVATIONS = frozenset({
    "relu", "relu6", "leaky_relu", "elu", "celu", "selu", "gelu", "silu", "swish", "mish", "softplus", "hard_swish",
    "hard_silu", "hard_tanh", "squareplus",
})  # fmt: skip


_unique_numbers = numbers()


@dataclass(frozen=True, eq=False)
class Program:
    """Operations in order, without dead ones. Two programs are equal if their texts, including those of derivatives,
    are."""

    jaxpr: Any  # flat
    leaves: int  # number of parameters among the inputs; they come first, then the sample
    text: str

    @property
    def parameters(self) -> Sequence[PyTree]:
        return self.jaxpr.invars[: self.leaves]

    @property
    def machine_epsilon(self) -> float:
        """The machine epsilon of the coarsest floating-point type in the program."""
        kinds = {var.aval.dtype for eqn in self.jaxpr.eqns for var in eqn.outvars}
        kinds |= {var.aval.dtype for var in self.jaxpr.outvars}
        return max(float(jnp.finfo(kind).eps) for kind in kinds if jnp.issubdtype(kind, jnp.floating))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and (self.leaves, self.text) == (other.leaves, other.text)

    def __hash__(self) -> int:
        return hash(self.text)


def trace_program(
    function: Callable[..., PyTree], leaves: Sequence[PyTree], sample: Sequence[PyTree]
) -> tuple[Program, tuple[AnyArray, ...]]:
    """Trace function(leaves, sample) → array on shapes, with all calls inlined; return the program and the arrays it
    closes over.

    The text of the program includes its derivative, since functions with a custom rule print only their name. It also
    includes a hash of every array that the program does not take as an argument.
    """
    count = len(leaves)
    closed = jax.make_jaxpr(lambda *values: function(values[:count], values[count:]))(*leaves, *sample)
    again = jax.make_jaxpr(lambda *values: _inline_calls(closed.jaxpr, closed.consts, values))(*leaves, *sample)
    program = Program(_drop_dead_equations(again.jaxpr), count, "")

    def slopes(consts: PyTree, *values: PyTree) -> PyTree:
        out, pull = jax.vjp(lambda leaves: evaluate(program, consts, [*leaves, *values[count:]])[0], values[:count])
        return pull(jnp.ones_like(out))

    try:
        derivative = jax.make_jaxpr(slopes)(tuple(again.consts), *leaves, *sample)
    except Exception as error:
        raise ValueError(
            f"f has no derivative by its parameters, backward: {type(error).__name__}: {error}. A loop needs a length "
            "that is known (lax.scan, or fori_loop with numbers as bounds); a callback needs a rule (jax.custom_vjp)"
        ) from error
    const_values = [
        *map(_array_fingerprint, derivative.consts),
        *_hidden_content(program.jaxpr),
        *_hidden_content(derivative.jaxpr),
    ]
    return Program(program.jaxpr, count, f"{program.jaxpr}\n{derivative.jaxpr}\n{const_values}"), tuple(again.consts)


def _hidden_content(jaxpr: core.Jaxpr) -> Iterator[str]:
    """Yield content of operations that their text does not show: arrays inside of calls, and host callbacks."""
    for eqn in jaxpr.eqns:
        if (callback := eqn.params.get("callback")) is not None:
            yield str(id(getattr(callback, "callback_func", callback)))
        for body in jax.tree.leaves(list(eqn.params.values())):
            if isinstance(body, core.ClosedJaxpr):
                yield from map(_array_fingerprint, body.consts)
                yield from _hidden_content(body.jaxpr)
            elif isinstance(body, core.Jaxpr):
                yield from _hidden_content(body)


def _array_fingerprint(value: Array) -> str:
    """Return a string that identifies the entries of an array; for a traced array, one that is unique."""
    if isinstance(value, jax.core.Tracer):
        return f"traced {next(_unique_numbers)}"
    array = np.asarray(value)
    return f"{array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}"


def evaluate_equation(eqn: Equation, values: Sequence[PyTree]) -> list[PyTree]:
    """Evaluate one operation on values."""
    with getattr(eqn.ctx, "manager", nullcontext()):
        results = eqn.primitive.bind(*values, **eqn.primitive.get_bind_params(eqn.params))
    return list(results) if eqn.primitive.multiple_results else [results]


def evaluate(
    program: Program,
    consts: Sequence[PyTree],
    values: Sequence[PyTree],
    taps: Mapping[core.Var, AnyArray] | None = None,
    keep: Sequence[PyTree] = (),
) -> tuple[PyTree, list[PyTree]]:
    """Return the output of the program, and the values of the variables in `keep`. A tap is added to the value of
    its variable."""
    jaxpr, taps = program.jaxpr, taps or {}
    env: dict[core.Var, PyTree] = {}
    env.update(zip(jaxpr.constvars, consts, strict=True))
    env.update(zip(jaxpr.invars, values, strict=True))

    def read(atom: Atom) -> PyTree:
        return atom.val if isinstance(atom, core.Literal) else env[atom]

    for eqn in jaxpr.eqns:
        results = evaluate_equation(eqn, [read(atom) for atom in eqn.invars])
        for var, value in zip(eqn.outvars, results, strict=True):
            env[var] = value + taps[var] if var in taps else value
    return read(jaxpr.outvars[0]), [read(atom) for atom in keep]


def called_name(eqn: Equation) -> str:
    """Return the name of the function that an operation calls, or of the operation."""
    name = eqn.params.get("name")
    if name is None and (body := eqn.params.get("call_jaxpr")) is not None:
        name = getattr(body.jaxpr.debug_info, "func_name", None)
    return name if isinstance(name, str) else eqn.primitive.name


def inner_jaxpr(eqn: Equation) -> tuple[PyTree, Sequence[PyTree]] | None:
    """Return the operations inside a call, or None. Functions with a custom derivative are not opened, since theirs
    is the one to use."""
    if eqn.primitive.name in ("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint"):
        if called_name(eqn) in KINKED_ACTIVATIONS:
            return None
        body = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
        return (body.jaxpr, body.consts) if isinstance(body, core.ClosedJaxpr) else (body, ())
    return None


def _inline_calls(jaxpr: core.Jaxpr, consts: Sequence[PyTree], values: Sequence[PyTree]) -> list[PyTree]:
    env: dict[core.Var, PyTree] = {}
    env.update(zip(jaxpr.constvars, consts, strict=True))
    env.update(zip(jaxpr.invars, values, strict=True))

    def read(atom: Atom) -> PyTree:
        return atom.val if isinstance(atom, core.Literal) else env[atom]

    for eqn in jaxpr.eqns:
        operands = [read(atom) for atom in eqn.invars]
        body = inner_jaxpr(eqn)
        if body is not None:
            results = _inline_calls(*body, operands)
        elif eqn.primitive.name == "scan" and 0 < eqn.params["length"] <= MAX_UNROLLED_STEPS:
            results = _unroll_scan(eqn.params, operands)
        else:
            results = evaluate_equation(eqn, operands)
        env.update(zip(eqn.outvars, results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _unroll_scan(params: Mapping[str, Any], operands: Sequence[PyTree]) -> list[PyTree]:
    """Unroll a scan, step by step, and return its results."""
    body, length = params["jaxpr"], params["length"]
    fixed, carried = params["num_consts"], params["num_consts"] + params["num_carry"]
    consts, carry, rows = operands[:fixed], list(operands[fixed:carried]), operands[carried:]
    order = range(length)[::-1] if params["reverse"] else range(length)
    outs: dict[int, list[PyTree]] = {}
    for i in order:
        step = [jax.lax.index_in_dim(row, i, keepdims=False) for row in rows]
        results = _inline_calls(body.jaxpr, body.consts, [*consts, *carry, *step])
        carry, outs[i] = results[: len(carry)], results[len(carry) :]
    return [*carry, *(jnp.stack(column) for column in zip(*(outs[i] for i in range(length)), strict=True))]


def _drop_dead_equations(jaxpr: core.Jaxpr) -> core.Jaxpr:
    """Remove operations whose results are not used, including prints."""
    live = {atom for atom in jaxpr.outvars if not isinstance(atom, core.Literal)}
    live_equations = []
    for eqn in reversed(jaxpr.eqns):
        if any(var in live for var in eqn.outvars):
            live_equations.append(eqn)
            live.update(atom for atom in eqn.invars if not isinstance(atom, core.Literal))
    return jaxpr.replace(eqns=live_equations[::-1])
