"""Split weights that hold several layers, at the end of a forward pass."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lazyrich.torch._model.parameter_slices import ParameterSlice
from lazyrich.torch._structure.space import Layer

if TYPE_CHECKING:
    from lazyrich.torch._structure.forward_pass import ForwardPass

Rows = frozenset[int]


def split_fused_layers(forward_pass: "ForwardPass") -> None:
    """Split each layer whose rows are used separately into one layer for each use.

    Rows that are later combined, or also used together, scale together and stay one layer.
    """
    divided: dict[int, list[tuple[int, Rows]]] = {}
    for layer, cuts in forward_pass.cuts.items():
        ways = _row_groups(forward_pass, layer, cuts)
        if len(ways) > 1:
            divided[layer] = ways
        else:
            whole = forward_pass.layers[layer].writes
            forward_pass.merge_spaces([forward_pass.value(whole), *(forward_pass.value(key) for key, _ in ways)])
    if divided:
        _replace_layers(forward_pass, divided)


def _row_groups(
    forward_pass: "ForwardPass", layer: int, cuts: Sequence[tuple[int, tuple[int, ...]]]
) -> list[tuple[int, Rows]]:
    """Return the spaces that rows of a layer write, each with its own, disjoint set of rows."""
    start = forward_pass.layers[layer].writes
    everything = frozenset(range(forward_pass.rows_of(layer)))
    rows_of_space: dict[int, Rows] = {}
    for space, its in [(start, tuple(everything)), *cuts]:
        root = forward_pass.find(space)
        if forward_pass.is_used_otherwise(root, layer):
            rows_of_space[root] = rows_of_space.get(root, frozenset()) | frozenset(its)
    merged: list[tuple[int, Rows]] = []
    for key, rows in rows_of_space.items():
        touching = [other for other in merged if other[1] & rows]
        for other, more in touching:
            forward_pass.merge_spaces([forward_pass.value(key), forward_pass.value(other)])
            rows |= more
        merged = [other for other in merged if other not in touching] + [(forward_pass.find(key), rows)]
    if rest := everything - frozenset().union(*(rows for _, rows in merged)):
        merged.append((forward_pass.new_space().space, rest))  # rows that nothing reads
    return sorted(merged, key=lambda way: min(way[1]))


def _replace_layers(forward_pass: "ForwardPass", divided: dict[int, list[tuple[int, Rows]]]) -> None:
    layers: list[Layer] = []
    places: dict[int, list[int]] = {}
    for number, layer in enumerate(forward_pass.layers):
        ways = divided.get(number)
        parts = [layer] if ways is None else _split_layer(forward_pass, layer, ways)
        places[number] = list(range(len(layers), len(layers) + len(parts)))
        layers += parts
    for key, draft in enumerate(forward_pass.drafts):
        draft.readers = [place for number in draft.readers for place in places[number]]
        draft.writers = [place for number in draft.writers if number not in divided for place in places[number]]
        if forward_pass.find(key) == key:
            parts_here = [(n, i) for n, ways in divided.items() for i, (root, _) in enumerate(ways) if root == key]
            draft.writers += [places[n][i] for n, i in parts_here]
    forward_pass.layers = layers


def _split_layer(forward_pass: "ForwardPass", layer: Layer, ways: Sequence[tuple[int, Rows]]) -> list[Layer]:
    """Return one layer for each group of rows, named 'q', 'k' and 'v' where attention determines these roles, else
    by its rows."""
    roles: dict[int, str] = {}
    for one, other, _, _ in forward_pass.duals:
        pair = forward_pass.find(one.space), forward_pass.find(other.space)
        if set(pair) <= {key for key, _ in ways} and pair[0] != pair[1]:
            roles = dict(zip(pair, "qk", strict=True))
    rest = [key for key, _ in ways if key not in roles]
    if roles and len(rest) == 1:
        roles[rest[0]] = "v"
    parts = []
    for key, rows in ways:
        weight = ParameterSlice(layer.weight, sorted(rows), layer.out_axis)
        bias = None if layer.bias is None else ParameterSlice(layer.bias, sorted(rows))
        name = f"{layer.name}.{roles[key]}" if key in roles else f"{layer.name}{ParameterSlice('', sorted(rows))}"
        parts.append(replace(layer, name=name, weight=weight, bias=bias, writes=key))
    return parts
