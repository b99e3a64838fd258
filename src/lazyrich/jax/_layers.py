"""Which parameters enter by a use that is known, and how: weights by layers, with their biases; and all the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from jax.extend import core

from lazyrich.jax._flatten import Program
from lazyrich.jax._leaves import Followed, View, followed
from lazyrich.jax.uses import USES, Biased, Gather, Use, biased

SLOW = 4.0  # one multiplication in many small products costs as much as these in one large product


@dataclass(frozen=True, eq=False)
class Layer:
    """All uses of the same entries of one weight, joined along their positions; with g groups, t positions in all."""

    view: View
    uses: tuple[Use, ...]
    bias: Biased | None
    sizes: tuple[int, int, int, int]  # g, t, i, o; the bias is one more input

    @property
    def leaves(self) -> tuple[int, ...]:
        """Numbers of the weight and the bias."""
        return (self.view.leaf,) if self.bias is None else (self.view.leaf, self.bias.view.leaf)

    @property
    def table(self) -> bool:
        return isinstance(self.uses[0], Gather)

    def gram(self, c: int) -> float:
        """Multiplications for a pair of samples with c outputs, from the two factors."""
        g, t, i, o = self.sizes
        i = 1 if self.table else i
        return g * (i + c * c * o if t == 1 else SLOW * (t * t * i + c * t * t * o + c * c * t * o))

    def dense(self, c: int) -> float:
        """The same from the Jacobian."""
        g, _, i, o = self.sizes
        return float("inf") if self.table else c * c * g * i * o


@dataclass(frozen=True, eq=False)
class Layout:
    """The layers of a program, and the parameters that are in none."""

    program: Program
    layers: tuple[Layer, ...]
    rest: tuple[int, ...]

    def without(self, leaves: Sequence[int]) -> "Layout":
        """Those parameters go with the rest, and so does all that shares a layer with them."""
        bad = set(leaves)
        for layer in self.layers:
            if bad & set(layer.leaves):
                bad.update(layer.leaves)
        kept = tuple(layer for layer in self.layers if not bad & set(layer.leaves))
        return Layout(self.program, kept, tuple(sorted({*self.rest, *bad})))


def layout(program: Program) -> Layout:
    found = followed(program)
    reads = list(_reads(program, found))
    uses: dict[tuple[Any, ...], list[Use]] = {}
    views: dict[tuple[Any, ...], View] = {}
    known: set[tuple[int, int]] = set()
    for position, operand, view in reads:
        eqn = program.jaxpr.eqns[position]
        use = next((u for u in (kind.found(eqn, operand) for kind in USES) if u is not None), None)
        if use is not None and view.once:
            key = (*view.key, eqn.primitive.name, operand, str(eqn.params.get("dimension_numbers")), _groups(eqn))
            uses.setdefault(key, []).append(use)
            views[key] = view
            known.add((position, operand))
    layers = [_layer(views[key], group, program, found) for key, group in uses.items()]
    counts = [sum(view.leaf == leaf for _, _, view in reads) for leaf in range(program.leaves)]
    layers = [_checked_bias(layer, counts, program, layers) for layer in layers]
    inside = {leaf for layer in layers for leaf in layer.leaves}
    biases = {layer.bias.view.leaf for layer in layers if layer.bias is not None}
    other = {view.leaf for position, operand, view in reads if (position, operand) not in known} - biases
    other |= {found.views[var].leaf for var in found.ends if not isinstance(var, core.Literal) and var in found.views}
    other |= {leaf for leaf in inside if _overlap(program, [layer for layer in layers if layer.view.leaf == leaf])}
    start = Layout(program, tuple(layers), tuple(leaf for leaf in range(program.leaves) if leaf not in inside))
    return start.without(sorted(other))


def _reads(program: Program, found: Followed) -> Iterator[tuple[int, int, View]]:
    """Where a parameter, or a view of it, is read by something that gives no further view of it."""
    for position, eqn in enumerate(program.jaxpr.eqns):
        passed = found.views.get(eqn.outvars[0])
        for operand, atom in enumerate(eqn.invars):
            if not isinstance(atom, core.Literal) and (view := found.views.get(atom)) is not None:
                on = passed is not None and passed.leaf == view.leaf and atom.aval.size == eqn.outvars[0].aval.size
                moved = passed is not None and passed.leaf == view.leaf and len(passed.path) > len(view.path)
                scaled = on and passed is not None and len(passed.scales) > len(view.scales)
                if not (moved or scaled):
                    yield position, operand, view


def _groups(eqn: Any) -> int:
    return eqn.params.get("feature_group_count", 1)


def _layer(view: View, uses: Sequence[Use], program: Program, found: Followed) -> Layer:
    shapes = [_signals(use).shape for use in uses]
    W = uses[0].weight(view.index(program.parameters[view.leaf].aval.shape))
    biases = [None if isinstance(use, Gather) else biased(use, program, found) for use in uses]
    first = biases[0]
    same = first is not None and all(
        b is not None and b.view.key == first.view.key and np.array_equal(b.entries, first.entries) for b in biases
    )
    return Layer(
        view, tuple(uses), first if same else None, (W.shape[0], sum(s[1] for s in shapes), W.shape[1], W.shape[2])
    )


def _signals(use: Use) -> np.ndarray:
    return use.signals(np.empty(use.eqn.outvars[0].aval.shape, np.int8))


def _checked_bias(layer: Layer, counts: Sequence[int], program: Program, layers: Sequence[Layer]) -> Layer:
    """With its bias if that has no other reader."""
    if layer.bias is None:
        return layer
    leaf = layer.bias.view.leaf
    sharing = sum(other.bias is not None and other.bias.view.leaf == leaf for other in layers)
    g, t, i, o = layer.sizes
    if counts[leaf] != len(layer.uses) or sharing > 1 or prod(program.parameters[leaf].aval.shape) != g * o:
        return Layer(layer.view, layer.uses, None, layer.sizes)
    return Layer(layer.view, layer.uses, layer.bias, (g, t, i + 1, o))


def _overlap(program: Program, layers: Sequence[Layer]) -> bool:
    """Do two layers share an entry of their weight?"""
    if len(layers) < 2:
        return False
    shape = program.parameters[layers[0].view.leaf].aval.shape
    seen = np.zeros(prod(shape), np.int32)
    for layer in layers:
        seen[layer.view.index(shape).reshape(-1)] += 1
    return bool((seen > 1).any())
