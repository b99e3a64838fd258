"""Observe a model on some inputs: outputs, activation patterns and features, and its tangent model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core
from jaxtyping import PyTree

from lazyrich.jax._equation import Atom, Equation
from lazyrich.jax._jacobian.checked_model import CheckedModel, Diverged
from lazyrich.jax._jacobian.parameter_flow import trace_parameters
from lazyrich.jax._jacobian.program import KINKED_ACTIVATIONS, Program, called_name, evaluate
from lazyrich.jax.kernel import padded_blocks
from lazyrich.jax.linearization import value_and_jvp
from lazyrich.jax.weight_rules import WEIGHT_RULES
from lazyrich.tangent.parameter_names import layer_name_of

SAMPLES_PER_BLOCK = 256  # samples per pass
SMOOTH_ACTIVATIONS = frozenset({"tanh", "erf", "erfc"})  # operations that are curved at 0


@dataclass(frozen=True)
class Observation:
    """Outputs (n, c), and for each activation its pattern (bits), the number of its units, and features of the first
    inputs."""

    outputs: np.ndarray
    patterns: Mapping[str, np.ndarray]
    units: Mapping[str, int]
    features: Mapping[str, np.ndarray]


def observe(model: CheckedModel, samples: Sequence[PyTree], keep: int) -> Observation:
    """Return the outputs, activation patterns and (for the first `keep` inputs) features of a model.

    An activation is named after the last weight used before it; a second one after the same weight gets a number.
    """
    labels, look = _observer(model.plan.program, model.names)
    n = len(samples[0])
    parts, _ = padded_blocks(samples, min(n, SAMPLES_PER_BLOCK))
    blocks = [[np.asarray(leaf) for leaf in look(model.values, model.consts, part)] for part in parts]
    outputs, *rest = (np.concatenate([block[k] for block in blocks])[:n] for k in range(len(blocks[0])))
    if not np.isfinite(outputs).all():
        bad = int(np.argmin(np.isfinite(outputs).all(1)))
        raise Diverged(f"the output of f is NaN or infinite on sample {bad} of the probe: measure an earlier state")
    signs, features = rest[: len(labels)], rest[len(labels) :]
    return Observation(
        outputs,
        {label: np.packbits(sign, axis=1) for label, sign in zip(labels, signs, strict=True)},
        {label: sign.shape[1] for label, sign in zip(labels, signs, strict=True)},
        {label: part[:keep] for label, part in zip(labels, features, strict=True)},
    )


def tangent_outputs(now: CheckedModel, start: CheckedModel, samples: Sequence[PyTree]) -> tuple[np.ndarray, np.ndarray]:
    """Return the outputs (n, c) at the start, and those of the start's tangent model at the current parameters."""
    tangent = _tangent_program(now.plan.program)
    parts, _ = padded_blocks(samples, min(len(samples[0]), SAMPLES_PER_BLOCK))
    step = [one - other for one, other in zip(now.values, start.values, strict=True)]
    pairs = [tangent(start.values, step, now.consts, part) for part in parts]
    value, moved = (np.concatenate([np.asarray(block[k]) for block in pairs])[: len(samples[0])] for k in (0, 1))
    return value, moved


@lru_cache(maxsize=32)
def _tangent_program(program: Program) -> PyTree:
    def of(values: PyTree, step: PyTree, consts: PyTree, samples: PyTree) -> PyTree:
        def outputs(values: PyTree) -> PyTree:
            return jax.vmap(lambda sample: evaluate(program, consts, [*values, *sample])[0].reshape(-1))(samples)

        value, change = value_and_jvp(outputs, list(values), list(step))
        return value, value + change

    return jax.jit(of)


@lru_cache(maxsize=32)
def _observer(program: Program, names: tuple[str, ...]) -> tuple[list[str], Callable[..., PyTree]]:
    """Return the names of the activations, and a function that computes outputs, signs and features of each sample."""
    activations = _activations(program, names)
    keep = [pair[0] for pair in activations.values()] + [pair[1] for pair in activations.values()]

    def one(values: PyTree, consts: PyTree, sample: PyTree) -> PyTree:
        out, recorded = evaluate(program, consts, [*values, *sample], keep=keep)
        signs = [value.reshape(-1) > 0 for value in recorded[: len(activations)]]
        return [out.reshape(-1), *signs, *(value.reshape(-1) for value in recorded[len(activations) :])]

    return list(activations), jax.jit(jax.vmap(one, (None, None, 0)))


def _activations(program: Program, names: Sequence[str]) -> dict[str, tuple[Atom, Atom]]:
    """Return the input and output variables of each activation, under the name of the layer before it."""
    follow = trace_parameters(program)
    layer, activations = "inputs", {}
    for eqn in program.jaxpr.eqns:
        for operand, atom in enumerate(eqn.invars):
            view = None if isinstance(atom, core.Literal) else follow.views.get(atom)
            if view is not None and any(kind.match(eqn, operand) is not None for kind in WEIGHT_RULES):
                layer = layer_name_of(names[view.leaf])
        entering = _activation_input(eqn)
        if entering is not None and not _is_variance_clamp(eqn, program, follow.readers):
            label, count = layer, 1
            while label in activations:
                count += 1
                label = f"{layer} ({count})"
            activations[label] = entering, eqn.outvars[0]
    return activations


def _activation_input(eqn: Equation) -> PyTree:
    """Return the input of an activation with its kink or bend at 0, or None for other operations."""
    arrays = [atom for atom in eqn.invars if not isinstance(atom, core.Literal) and atom.aval.ndim]
    zero = any(isinstance(atom, core.Literal) and np.ndim(atom.val) == 0 and atom.val == 0 for atom in eqn.invars)
    name = eqn.primitive.name
    is_activation = called_name(eqn) in KINKED_ACTIVATIONS or name in SMOOTH_ACTIVATIONS or (name == "max" and zero)
    real = len(arrays) == 1 and jnp.issubdtype(arrays[0].aval.dtype, jnp.floating)
    return arrays[0] if is_activation and real and len(eqn.outvars) == 1 else None


def _is_variance_clamp(eqn: Equation, program: Program, readers: Mapping[core.Var, Sequence[int]]) -> bool:
    """Return whether an operation is a maximum with 0 followed by a root, which keeps a variance from being
    negative."""
    var = eqn.outvars[0]
    while eqn.primitive.name == "max" and len(readers.get(var, ())) == 1:
        after = program.jaxpr.eqns[readers[var][0]]
        if after.primitive.name in ("sqrt", "rsqrt"):
            return True
        if after.primitive.name not in ("add", "broadcast_in_dim", "reshape", "squeeze"):
            return False
        var = after.outvars[0]
    return False
