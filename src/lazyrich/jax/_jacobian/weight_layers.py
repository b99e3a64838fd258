"""Group parameters into layers by the operations that use them as weights and biases, and collect all others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from jax.extend import core

from lazyrich._core.types import AnyArray
from lazyrich.jax._equation import Equation
from lazyrich.jax._jacobian.parameter_flow import ParameterFlow, View, trace_parameters
from lazyrich.jax._jacobian.program import Program
from lazyrich.jax.weight_rules import WEIGHT_RULES, Bias, Gather, WeightRule, find_bias

ReadPosition = tuple[int, int]  # the positions of an operation and of its operand

SMALL_PRODUCT_COST = 4.0  # cost of a multiplication in many small products, relative to one in a large product


@dataclass(frozen=True, eq=False)
class WeightLayer:
    """All uses of the same entries of one weight, joined along their positions, with g groups and t positions in
    total."""

    view: View
    uses: tuple[WeightRule, ...]
    bias: Bias | None
    sizes: tuple[int, int, int, int]  # g, t, i, o; a bias counts as one more input

    @property
    def leaves(self) -> tuple[int, ...]:
        """Positions of the weight and the bias among the parameters."""
        return (self.view.leaf,) if self.bias is None else (self.view.leaf, self.bias.view.leaf)

    @property
    def is_embedding(self) -> bool:
        return isinstance(self.uses[0], Gather)

    def without_bias(self) -> "WeightLayer":
        g, t, i, o = self.sizes
        return WeightLayer(self.view, self.uses, None, (g, t, i - 1, o))

    def gram_cost(self, c: int) -> float:
        """Return the number of multiplications for a pair of samples with c outputs, from the two factors."""
        g, t, i, o = self.sizes
        i = 1 if self.is_embedding else i
        return g * (i + c * c * o if t == 1 else SMALL_PRODUCT_COST * (t * t * i + c * t * t * o + c * c * t * o))

    def dense_cost(self, c: int) -> float:
        """Return the number of multiplications for a pair of samples with c outputs, from the Jacobian."""
        g, _, i, o = self.sizes
        return float("inf") if self.is_embedding else c * c * g * i * o


@dataclass(frozen=True, eq=False)
class WeightLayout:
    """The layers of a program, and the parameters that are in none."""

    program: Program
    layers: tuple[WeightLayer, ...]
    rest: tuple[int, ...]

    def without(self, leaves: Sequence[int]) -> "WeightLayout":
        """Return the layout with these parameters, and all that share a layer with them, moved to the rest."""
        bad = set(leaves)
        for layer in self.layers:
            if bad & set(layer.leaves):
                bad.update(layer.leaves)
        remaining = tuple(layer for layer in self.layers if not bad & set(layer.leaves))
        return WeightLayout(self.program, remaining, tuple(sorted({*self.rest, *bad})))


def find_layers(program: Program) -> WeightLayout:
    """Find the layers of a program: the reads of parameters that some rule matches, and the parameters left over."""
    flow = trace_parameters(program)
    reads = list(_reads_of_parameters(program, flow))
    uses: dict[tuple[object, ...], list[WeightRule]] = {}
    views: dict[tuple[object, ...], View] = {}
    explained: set[ReadPosition] = set()
    for position, operand, view in reads:
        eqn = program.jaxpr.eqns[position]
        use = next((u for u in (kind.match(eqn, operand) for kind in WEIGHT_RULES) if u is not None), None)
        if use is not None and view.is_injective:
            key = (*view.key, eqn.primitive.name, operand, str(eqn.params.get("dimension_numbers")), _n_groups(eqn))
            uses.setdefault(key, []).append(use)
            views[key] = view
            explained.add((position, operand))
    pairs = [_make_layer(views[key], group, program, flow) for key, group in uses.items()]
    added = {read for _, biases in pairs for read in biases}
    # A parameter belongs to layers with all of its entries and all of its uses, or not at all.
    strange = {view.leaf for position, operand, view in reads if (position, operand) not in explained | added}
    strange |= {flow.views[var].leaf for var in flow.ends if not isinstance(var, core.Literal) and var in flow.views}
    layers = [layer for layer, _ in pairs]
    strange |= {leaf for leaf in range(program.leaves) if _layers_overlap(program, layers, leaf)}
    layers = [layer.without_bias() if layer.bias and layer.bias.view.leaf in strange else layer for layer in layers]
    inside = {leaf for layer in layers for leaf in layer.leaves}
    start = WeightLayout(program, tuple(layers), tuple(leaf for leaf in range(program.leaves) if leaf not in inside))
    return start.without(sorted(strange))


def _reads_of_parameters(program: Program, flow: ParameterFlow) -> Iterator[tuple[int, int, View]]:
    """Yield the position, operand and view where a parameter is read by an operation that is not a further view of
    it."""
    for position, eqn in enumerate(program.jaxpr.eqns):
        passed = flow.views.get(eqn.outvars[0])
        for operand, atom in enumerate(eqn.invars):
            if not isinstance(atom, core.Literal) and (view := flow.views.get(atom)) is not None:
                on = passed is not None and passed.leaf == view.leaf and atom.aval.size == eqn.outvars[0].aval.size
                moved = passed is not None and passed.leaf == view.leaf and len(passed.path) > len(view.path)
                scaled = on and passed is not None and len(passed.scales) > len(view.scales)
                if not (moved or scaled):
                    yield position, operand, view


def _n_groups(eqn: Equation) -> int:
    return eqn.params.get("feature_group_count", 1)


def _make_layer(
    view: View, uses: Sequence[WeightRule], program: Program, flow: ParameterFlow
) -> tuple[WeightLayer, list[ReadPosition]]:
    """Return a layer, with its bias if all uses have the same one, and the positions where the bias is read."""
    places = sum(_signal_shape(use).shape[1] for use in uses)
    g, i, o = uses[0].weight(view.apply(np.broadcast_to(np.int8(0), program.parameters[view.leaf].aval.shape))).shape
    biases = [None if isinstance(use, Gather) else find_bias(use, program, flow) for use in uses]
    first = biases[0]
    same = [
        b for b in biases
        if b and first and b.view.key == first.view.key and np.array_equal(b.entries, first.entries)
    ]  # fmt: skip
    if first is None or len(same) < len(uses):
        return WeightLayer(view, tuple(uses), None, (g, places, i, o)), []
    return WeightLayer(view, tuple(uses), first, (g, places, i + 1, o)), [b.read_position for b in same]


def _signal_shape(use: WeightRule) -> AnyArray:
    return use.signals(np.broadcast_to(np.int8(0), use.eqn.outvars[0].aval.shape))


def _layers_overlap(program: Program, layers: Sequence[WeightLayer], leaf: int) -> bool:
    """Return whether two layers share an entry of this parameter."""
    shape = program.parameters[leaf].aval.shape
    parts = [layer.view.entry_indices(shape) for layer in layers if layer.view.leaf == leaf]
    parts += [layer.bias.entries for layer in layers if layer.bias is not None and layer.bias.view.leaf == leaf]
    if len(parts) < 2:
        return False
    counts = np.zeros(prod(shape), np.int32)
    for part in parts:
        counts[part.reshape(-1)] += 1
    return bool((counts > 1).any())
