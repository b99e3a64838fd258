"""Record the calls of layers during a forward pass, from which both factors of the per-sample Jacobian are computed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import GradientEdge, get_gradient_edge

from lazyrich.torch.layer_rules import NO_TOKEN, LayerRule, rule_for

ParameterNames = tuple[str | None, str | None]  # names of a layer's trainable weight and bias
LayerOwners = dict[nn.Module, tuple[LayerRule, ParameterNames]]


@dataclass(frozen=True)
class RecordedCall:
    """One call of a layer: its input columns (m, t, g, i), or tokens (m, t) of an embedding, and the gradient edge
    of its output."""

    names: ParameterNames
    kind: LayerRule
    module: nn.Module
    columns: Tensor
    edge: GradientEdge
    shape: torch.Size  # of the output
    dtype: torch.dtype

    @property
    def is_embedding(self) -> bool:
        """Whether the call looks up rows of a table."""
        return self.columns.ndim == 2

    def signals(self, gradient: Tensor | None) -> Tensor:
        """Return the gradient by the layer's output as (m, t, g, o), where None stands for zero."""
        if gradient is None:
            gradient = torch.zeros(self.shape, dtype=self.dtype, device=self.columns.device)
        signals = self.kind.signals(self.module, gradient, len(self.columns))
        assert signals is not None, "the output had another shape when it was recorded"
        return signals


@contextmanager
def record_calls(
    layers: LayerOwners, scales: dict[str, float], m: int, shared: Set[str | None] = frozenset()
) -> Iterator[list[RecordedCall]]:
    """Record the calls of these layers during one forward pass over m samples, with columns times the scale of their
    parameter.

    Tables whose weight is in `shared` are looked up once for all samples, as position embeddings are. Their output is
    repeated for each sample.
    """
    calls: list[RecordedCall] = []

    def record(module: nn.Module, args: Any, output: object) -> Tensor | None:
        tensors = bool(args) and all(isinstance(x, Tensor) for x in args)
        if not (tensors and isinstance(output, Tensor) and output.requires_grad):
            return None
        kind, (weight, bias) = layers[module]
        repeated = None
        if weight in shared:
            rows = output if output.ndim > 2 and len(output) == 1 else output[None]
            repeated = output = rows.expand(m, *rows.shape[1:])
            args = [x.reshape(1, -1).expand(m, -1) for x in args]
        parts: list[Tensor | None] = []
        with torch.no_grad():
            out = kind.signals(module, output.detach(), m)
            if weight is not None:
                call_columns = kind.columns(module, [x.detach() for x in args], m)
                if call_columns is not None and call_columns.ndim > 2 and scales[weight] != 1:  # tokens are indices
                    call_columns = scales[weight] * call_columns
                parts.append(call_columns)
            if bias is not None and out is not None:
                parts.append(out.new_full((*out.shape[:3], 1), scales[bias]))
        columns = [part for part in parts if part is not None and out is not None and part.shape[1] == out.shape[1]]
        if len(columns) == (weight is not None) + (bias is not None):
            # Take the edge now: a later in-place ReLU would change the meaning of `output`.
            edge = get_gradient_edge(output)
            calls.append(
                RecordedCall((weight, bias), kind, module, torch.cat(columns, -1), edge, output.shape, output.dtype)
            )
        return repeated

    handles = [module.register_forward_hook(record) for module in layers]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def layers_with_parameters(model: nn.Module, leaves: dict[str, Any]) -> LayerOwners:
    """Return the layers that have a rule and own trainable parameters, with the names of these parameters."""
    name_of_id = {
        id(parameter): name
        for name, parameter in model.named_parameters()
        if name in leaves and not parameter.is_complex()
    }
    owners: LayerOwners = {}
    for module in model.modules():
        if (kind := rule_for(module)) is not None:
            own = module._parameters
            weight, bias = (
                name_of_id.get(id(own[part])) if own.get(part) is not None else None for part in ("weight", "bias")
            )
            if weight is not None or bias is not None:
                owners[module] = kind, (weight, bias)
    return owners


def connected_calls(out: Tensor, calls: Sequence[RecordedCall]) -> list[RecordedCall]:
    """Return the calls that the outputs depend on: not those whose result is detached, such as the norms of DoRA."""
    edges = [call.edge for call in calls]
    slopes = torch.autograd.grad(out.sum(), edges, retain_graph=True, allow_unused=True) if edges else ()
    return [call for call, slope in zip(calls, slopes, strict=True) if slope is not None]


def group_by_layer(calls: Sequence[RecordedCall]) -> dict[ParameterNames, list[RecordedCall]]:
    """Group the calls by layer. With tied weights, table lookups join the group of the matrix and come after its
    calls."""
    groups: dict[ParameterNames, list[RecordedCall]] = {}
    for call in sorted(calls, key=lambda call: call.is_embedding):
        same = [names for names in groups if names[0] == call.names[0]] if call.is_embedding else []
        groups.setdefault(same[0] if same else call.names, []).append(call)
    return groups


def uses_of_layers(
    layers: Iterable[ParameterNames], calls: Sequence[RecordedCall]
) -> tuple[dict[ParameterNames, list[RecordedCall]], dict[ParameterNames, list[RecordedCall]]]:
    """Return the calls of each layer, and those of them that are of the kind of the first: products or lookups."""
    by_layer = group_by_layer(calls)
    groups = {names: by_layer.get(names, []) for names in layers}
    same_kind = {
        names: [call for call in group if call.is_embedding == group[0].is_embedding] for names, group in groups.items()
    }
    return groups, same_kind


def join_uses(names: ParameterNames, parts: list[Tensor], places: int) -> Tensor:
    """Concatenate the uses of one layer along its positions."""
    if sum(part.shape[1] for part in parts) != places:
        layer = next(name for name in names if name).rpartition(".")[0]
        raise ValueError(
            f"layer '{layer}' is applied at a number of positions that varies from sample to sample, as experts are; "
            "the kernel needs the same computation for all inputs of one shape: freeze this layer "
            "(requires_grad_(False)), or measure a model without routing"
        )
    return parts[0] if len(parts) == 1 else torch.cat(parts, 1)


def gradient_error(
    group: Sequence[RecordedCall],
    slopes: Sequence[Tensor | None],
    truth: Sequence[Tensor],
    sample: int,
    scales: Mapping[str, float],
) -> tuple[float, float]:
    """Return the distance between one sample's gradient from its factors and the true gradient, and the norm of the
    true one."""
    signals = [call.signals(slope)[sample] for call, slope in zip(group, slopes, strict=True)]
    table = torch.zeros_like(truth[0])
    for call, signal in zip(group, signals, strict=True):
        if call.is_embedding:
            tokens = call.columns[sample]
            learned = tokens != NO_TOKEN
            table.index_add_(0, tokens[learned], scales[str(call.names[0])] * signal[learned, 0])
    if all(call.is_embedding for call in group):
        return float((table - truth[0]).double().norm()), float(truth[0].double().norm())
    from_factors = torch.stack(
        [
            torch.einsum("tgo,tgi->goi", s, call.columns[sample])
            for call, s in zip(group, signals, strict=True)
            if not call.is_embedding
        ]
    ).sum(0)
    if from_factors.numel() != sum(part.numel() for part in truth):
        return float("inf"), 0.0
    call, truth = group[0], list(truth)
    if call.names[0] is not None:
        truth[0] = call.kind.as_matrices(call.module, truth[0] - table)
    by_autograd = torch.cat([part.reshape(*from_factors.shape[:2], -1) for part in truth], -1)
    size = float(by_autograd.double().norm()) + float(table.double().norm())
    return float((from_factors - by_autograd).double().norm()), size
