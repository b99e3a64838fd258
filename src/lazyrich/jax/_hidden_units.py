"""Follow the hidden units that a layer writes, through maps of degree 1, to the layers that read them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend import core

from lazyrich.jax._equation import Equation
from lazyrich.jax._jacobian.index_ops import apply_to_indices, is_index_op, scalar_multiple
from lazyrich.jax._jacobian.parameter_flow import ParameterFlow, trace_parameters
from lazyrich.jax._jacobian.program import KINKED_ACTIVATIONS, called_name, evaluate_equation
from lazyrich.jax._jacobian.weight_layers import WeightLayer, WeightLayout

NO_UNIT = -1  # label of a zero from padding, which belongs to no unit


@dataclass(frozen=True, eq=False)
class ActivationSpace:
    """Activations that one layer writes, and the layers that read them, with the unit of each of their inputs (g,
    i)."""

    writer: WeightLayer
    readers: tuple[tuple[WeightLayer, np.ndarray], ...]
    reason: str = ""  # why it has no rescaling symmetry

    @property
    def units(self) -> int:
        g, _, _, o = self.writer.sizes
        return g * o


class UnitsMixed(ValueError):
    """A map is not of degree 1, or combines several units."""


def activation_spaces(layout: WeightLayout) -> list[ActivationSpace]:
    """Return one space for each layer, in the order of the layers."""
    flow = trace_parameters(layout.program)
    return [_follow_layer(layer, layout, flow) for layer in layout.layers]


def _follow_layer(layer: WeightLayer, layout: WeightLayout, flow: ParameterFlow) -> ActivationSpace:
    eqns = layout.program.jaxpr.eqns
    if len(layer.uses) > 1:
        return ActivationSpace(layer, (), f"its weight is used {len(layer.uses)} times")
    labels: dict[core.Var, np.ndarray] = {layer.uses[0].eqn.outvars[0]: _unit_labels(layer)}
    readers: list[tuple[WeightLayer, np.ndarray]] = []
    for var in (queue := list(labels)):  # the list grows during the loop
        if var in flow.ends:
            return ActivationSpace(layer, (), "it is the output")
        for position in flow.readers.get(var, ()):
            eqn = eqns[position]
            try:
                reader = _reading_layer(eqn, var, layout)
                if reader is not None:
                    readers.append((reader, _unit_of_inputs(reader, labels[var])))
                    continue
                for out, label in zip(eqn.outvars, _propagate(eqn, var, labels[var], layer, flow), strict=True):
                    labels[out] = label
                    queue.append(out)
            except UnitsMixed as error:
                return ActivationSpace(layer, (), str(error))
    return ActivationSpace(layer, tuple(readers), "" if readers else "nothing reads it")


def _unit_labels(layer: WeightLayer) -> np.ndarray:
    """Return the unit number of each entry that the layer writes."""
    use = layer.uses[0]
    shape = use.eqn.outvars[0].aval.shape
    index = use.signals(np.arange(int(np.prod(shape))).reshape(shape))
    g, _, o = index.shape
    units = np.arange(g * o).reshape(g, 1, o)
    labels = np.empty(index.size, np.int64)
    labels[index.reshape(-1)] = np.broadcast_to(units, index.shape).reshape(-1)
    return labels.reshape(shape)


def _reading_layer(eqn: Equation, var: core.Var, layout: WeightLayout) -> WeightLayer | None:
    """Return the layer that this operation applies with this variable as its input, or None if it applies none."""
    for layer in layout.layers:
        for use in layer.uses:
            if use.eqn is eqn:
                if use.input_variable is not var or layer.is_embedding:
                    raise UnitsMixed(f"it is read as a weight by {eqn.primitive.name}")
                if len(layer.uses) > 1:
                    raise UnitsMixed("the weight that reads it is used several times")
                return layer
    return None


def _unit_of_inputs(layer: WeightLayer, labels: np.ndarray) -> np.ndarray:
    """Return the unit of each input (g, i) of a layer, which must be the same at all positions."""
    # Labels are shifted by one, so that the zeros of padding become NO_UNIT.
    unit_of_columns = np.asarray(layer.uses[0].columns(labels.astype(np.float32) + 1)).astype(np.int64) - 1
    unit = unit_of_columns.max(1)
    if not ((unit_of_columns == unit[:, None]) | (unit_of_columns == NO_UNIT)).all():
        raise UnitsMixed("its units cannot be followed to the next layer")
    return unit


def _propagate(
    eqn: Equation, var: core.Var, labels: np.ndarray, layer: WeightLayer, flow: ParameterFlow
) -> list[np.ndarray]:
    """Return the labels of the results of an operation of degree 1, or raise `UnitsMixed`."""
    name = eqn.primitive.name
    if is_index_op(eqn):
        return apply_to_indices(labels, eqn)
    scale = scalar_multiple(eqn)
    if scale is not None and scale[0] is var and scale[1] is not var:
        return [labels]
    if layer.bias is not None and name in ("add", "add_any") and _is_bias(eqn, var, layer, flow):
        return [labels]
    if name in _REDUCTIONS:
        return [_REDUCTIONS[name](eqn, labels)]
    if name == "pad" and isinstance(eqn.invars[1], core.Literal) and float(eqn.invars[1].val) == 0:
        return [
            np.asarray(lax.pad(labels.astype(np.float32), np.float32(NO_UNIT), eqn.params["padding_config"])).astype(
                int
            )
        ]
    if _is_elementwise(eqn, var) and _is_homogeneous(eqn, var):
        return [labels]
    what = called_name(eqn)
    raise UnitsMixed(
        f"{what} is not homogeneous" if _is_elementwise(eqn, var) else f"{what} mixes it with something else"
    )


def _is_bias(eqn: Equation, var: core.Var, layer: WeightLayer, flow: ParameterFlow) -> bool:
    (other,) = [atom for atom in eqn.invars if atom is not var] or [None]
    view = None if other is None or isinstance(other, core.Literal) else flow.views.get(other)
    return view is not None and layer.bias is not None and view.leaf == layer.bias.view.leaf


def _is_elementwise(eqn: Equation, var: Any) -> bool:
    """Return whether an operation is an elementwise function of this variable alone, judging by its name in JAX."""
    inputs = [atom for atom in eqn.invars if not isinstance(atom, core.Literal)]
    elementwise = {"abs", "max", "min", "tanh", "logistic", "erf", "erfc", "exp", "log", "sin", "cos", "sqrt", "square"}
    named = eqn.primitive.name in elementwise | {"integer_pow", "pow", "sign"} or called_name(eqn) in KINKED_ACTIVATIONS
    return named and inputs == [var] and len(eqn.outvars) == 1 and eqn.outvars[0].aval.shape == var.aval.shape


def _is_homogeneous(eqn: Equation, var: Any) -> bool:
    """Return whether an operation has degree 1, tested on random numbers."""
    z = np.random.default_rng(0).normal(size=var.aval.shape).astype(var.aval.dtype)

    def value(scale: float) -> np.ndarray:
        operands = [atom.val if isinstance(atom, core.Literal) else (scale * z).astype(z.dtype) for atom in eqn.invars]
        with jax.ensure_compile_time_eval():
            return np.asarray(evaluate_equation(eqn, operands)[0], float)

    base = value(1.0)
    return all(np.allclose(value(c), c * base, rtol=1e-5, atol=1e-6) for c in (0.25, 3.0))


def _propagate_reduction(eqn: Equation, labels: np.ndarray) -> np.ndarray:
    axes = tuple(int(axis) for axis in eqn.params["axes"])
    low, high = labels.min(axes), labels.max(axes)
    if not (low == high).all():
        raise UnitsMixed(f"{eqn.primitive.name} brings its units together")
    return high


def _propagate_window(eqn: Equation, labels: np.ndarray) -> np.ndarray:
    p = eqn.params
    window = (p["window_dimensions"], p["window_strides"], p["padding"], p["base_dilation"], p["window_dilation"])
    with jax.ensure_compile_time_eval():
        high, low = (
            sign * np.asarray(lax.reduce_window((sign * labels).astype(np.float32), -np.inf, lax.max, *window))
            for sign in (1, -1)
        )
    if not (low == high).all():
        raise UnitsMixed(f"{eqn.primitive.name} brings its units together")
    return high.astype(np.int64)


_REDUCTIONS: Mapping[str, Callable[[Equation, np.ndarray], np.ndarray]] = {
    "reduce_sum": _propagate_reduction,
    "reduce_max": _propagate_reduction,
    "reduce_min": _propagate_reduction,
    "reduce_window_max": _propagate_window,
    "reduce_window_min": _propagate_window,
    "reduce_window_sum": _propagate_window,
}
