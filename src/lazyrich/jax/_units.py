"""The hidden units that one layer writes, followed to the layers that read them through maps of degree 1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend import core

from lazyrich.jax._flatten import BENT, bind, called
from lazyrich.jax._layers import Layer, Layout
from lazyrich.jax._leaves import Followed, followed
from lazyrich.jax._moves import moved, moves, scaled

NONE = -1  # a zero that padding wrote: no unit


@dataclass(frozen=True, eq=False)
class Space:
    """What a layer writes: the layers that read it, with the unit that each of their inputs (g, i) comes from."""

    writer: Layer
    readers: tuple[tuple[Layer, np.ndarray], ...]
    reason: str = ""  # why it has no symmetry

    @property
    def units(self) -> int:
        g, _, _, o = self.writer.sizes
        return g * o


class Mixed(ValueError):
    """A map that is not of degree 1, or brings units together."""


def spaces(layout: Layout) -> list[Space]:
    """One for each layer, in their order."""
    found = followed(layout.program)
    return [_space(layer, layout, found) for layer in layout.layers]


def _space(layer: Layer, layout: Layout, found: Followed) -> Space:
    eqns = layout.program.jaxpr.eqns
    if len(layer.uses) > 1:
        return Space(layer, (), f"its weight is used {len(layer.uses)} times")
    labels: dict[Any, np.ndarray] = {layer.uses[0].eqn.outvars[0]: _labels(layer)}
    readers: list[tuple[Layer, np.ndarray]] = []
    for var in (queue := list(labels)):  # grows on the way
        if var in found.ends:
            return Space(layer, (), "it is the output")
        for position in found.readers.get(var, ()):
            eqn = eqns[position]
            try:
                reader = _reader(eqn, var, layout)
                if reader is not None:
                    readers.append((reader, _inputs(reader, labels[var])))
                    continue
                for out, label in zip(eqn.outvars, _passed(eqn, var, labels[var], layer, found), strict=True):
                    labels[out] = label
                    queue.append(out)
            except Mixed as error:
                return Space(layer, (), str(error))
    return Space(layer, tuple(readers), "" if readers else "nothing reads it")


def _labels(layer: Layer) -> np.ndarray:
    """The number of the unit of each entry that the layer writes."""
    use = layer.uses[0]
    shape = use.eqn.outvars[0].aval.shape
    index = use.signals(np.arange(int(np.prod(shape))).reshape(shape))
    g, _, o = index.shape
    units = np.arange(g * o).reshape(g, 1, o)
    found = np.empty(index.size, np.int64)
    found[index.reshape(-1)] = np.broadcast_to(units, index.shape).reshape(-1)
    return found.reshape(shape)


def _reader(eqn: Any, var: Any, layout: Layout) -> Layer | None:
    """The layer whose only use this is, with this variable as what it sees."""
    for layer in layout.layers:
        for use in layer.uses:
            if use.eqn is eqn:
                if use.other is not var or layer.table:
                    raise Mixed(f"it is read as a weight by {eqn.primitive.name}")
                if len(layer.uses) > 1:
                    raise Mixed("the weight that reads it is used several times")
                return layer
    return None


def _inputs(layer: Layer, labels: np.ndarray) -> np.ndarray:
    """Which unit each input (g, i) of a layer is, the same at all positions."""
    # One more than the label, so that the zeros of padding become NONE.
    seen = np.asarray(layer.uses[0].columns(labels.astype(np.float32) + 1)).astype(np.int64) - 1
    unit = seen.max(1)
    if not ((seen == unit[:, None]) | (seen == NONE)).all():
        raise Mixed("its units cannot be followed to the next layer")
    return unit


def _passed(eqn: Any, var: Any, labels: np.ndarray, layer: Layer, found: Followed) -> list[np.ndarray]:
    """The labels of what an operation of degree 1 writes."""
    name = eqn.primitive.name
    if moves(eqn):
        return moved(labels, eqn)
    scale = scaled(eqn)
    if scale is not None and scale[0] is var and scale[1] is not var:
        return [labels]
    if layer.bias is not None and name in ("add", "add_any") and _is_bias(eqn, var, layer, found):
        return [labels]
    if name in _REDUCTIONS:
        return [_REDUCTIONS[name](eqn, labels)]
    if name == "pad" and isinstance(eqn.invars[1], core.Literal) and float(eqn.invars[1].val) == 0:
        return [
            np.asarray(lax.pad(labels.astype(np.float32), np.float32(NONE), eqn.params["padding_config"])).astype(int)
        ]
    if _elementwise(eqn, var) and _homogeneous(eqn, var):
        return [labels]
    what = called(eqn)
    raise Mixed(f"{what} is not homogeneous" if _elementwise(eqn, var) else f"{what} mixes it with something else")


def _is_bias(eqn: Any, var: Any, layer: Layer, found: Followed) -> bool:
    (other,) = [atom for atom in eqn.invars if atom is not var] or [None]
    view = None if other is None or isinstance(other, core.Literal) else found.views.get(other)
    return view is not None and layer.bias is not None and view.leaf == layer.bias.view.leaf


def _elementwise(eqn: Any, var: Any) -> bool:
    """A function of this variable alone, entry by entry: by the names under which JAX keeps them."""
    inputs = [atom for atom in eqn.invars if not isinstance(atom, core.Literal)]
    known = {"abs", "max", "min", "tanh", "logistic", "erf", "erfc", "exp", "log", "sin", "cos", "sqrt", "square"}
    named = eqn.primitive.name in known | {"integer_pow", "pow", "sign"} or called(eqn) in BENT
    return named and inputs == [var] and len(eqn.outvars) == 1 and eqn.outvars[0].aval.shape == var.aval.shape


def _homogeneous(eqn: Any, var: Any) -> bool:
    """Is it of degree 1? Tried on numbers."""
    z = np.random.default_rng(0).normal(size=var.aval.shape).astype(var.aval.dtype)

    def value(scale: float) -> np.ndarray:
        given = [atom.val if isinstance(atom, core.Literal) else (scale * z).astype(z.dtype) for atom in eqn.invars]
        with jax.ensure_compile_time_eval():
            return np.asarray(bind(eqn, given)[0], float)

    base = value(1.0)
    return all(np.allclose(value(c), c * base, rtol=1e-5, atol=1e-6) for c in (0.25, 3.0))


def _reduced(eqn: Any, labels: np.ndarray) -> np.ndarray:
    axes = tuple(int(axis) for axis in eqn.params["axes"])
    low, high = labels.min(axes), labels.max(axes)
    if not (low == high).all():
        raise Mixed(f"{eqn.primitive.name} brings its units together")
    return high


def _windowed(eqn: Any, labels: np.ndarray) -> np.ndarray:
    p = eqn.params
    given = (p["window_dimensions"], p["window_strides"], p["padding"], p["base_dilation"], p["window_dilation"])
    with jax.ensure_compile_time_eval():
        high, low = (
            sign * np.asarray(lax.reduce_window((sign * labels).astype(np.float32), -np.inf, lax.max, *given))
            for sign in (1, -1)
        )
    if not (low == high).all():
        raise Mixed(f"{eqn.primitive.name} brings its units together")
    return high.astype(np.int64)


_REDUCTIONS: Mapping[str, Callable[[Any, np.ndarray], np.ndarray]] = {
    "reduce_sum": _reduced,
    "reduce_max": _reduced,
    "reduce_min": _reduced,
    "reduce_window_max": _windowed,
    "reduce_window_min": _windowed,
    "reduce_window_sum": _windowed,
}
