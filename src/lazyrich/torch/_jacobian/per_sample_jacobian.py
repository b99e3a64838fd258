"""Per-sample Jacobian of a model, computed layer by layer by the cheapest method that agrees with autograd."""

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.func import jacrev, vmap

from lazyrich.torch._jacobian.factors import JacobianFactors, LayerFactors, check_finite_gradient
from lazyrich.torch._jacobian.layer_plan import FactorOrder, LayerPlan
from lazyrich.torch._jacobian.recorded_calls import (
    ParameterNames,
    RecordedCall,
    connected_calls,
    gradient_error,
    group_by_layer,
    join_uses,
    layers_with_parameters,
    record_calls,
    uses_of_layers,
)
from lazyrich.torch._jacobian.shared_parameters import SharedParameters, find_shared_parameters
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import DEFAULT_READER, OutputReader
from lazyrich.torch._model.preserve_model import trainable_parameters, widen_half_precision
from lazyrich.torch.layer_rules.in_projection import expose_projections

CHUNK_BYTES = 2**27  # activations and signals held while factors are formed
MAX_EXPANDED_BYTES = 2**22  # a larger Jacobian of one sample and layer is formed in parts, when kernels are computed
SMALL_PRODUCT_COST = 4.0  # cost of a multiplication in many small products, relative to one in a large product
MAX_SEPARATE_MATRICES = (
    4  # matrices of a layer that are factored separately, as queries, keys and values; more are multiplied out
)


class PerSampleJacobian:
    """Per-sample Jacobian of a model at given parameter values, times the square roots of the learning rates.

    `weights` is a diagonal preconditioner; the kernel is then J diag(weights) Jᵀ. Create and use an instance inside
    `measurement_mode(model)`. The method for each layer is first tried on a few samples and compared with autograd,
    sample by sample. Where they disagree (the weight is also used elsewhere, samples are not along the first axis, the
    forward pass is another), `vmap(jacrev)` over the parameters of that layer is used instead; it is slower but
    general.
    """

    def __init__(
        self,
        model: nn.Module,
        state: Mapping[str, Tensor],
        inputs: object,
        rates: Mapping[str, float],
        kind: str,
        reading: OutputReader = DEFAULT_READER,
        weights: Mapping[str, Tensor] | None = None,
        by_layer: bool = False,
    ) -> None:
        self.model, self.kind, self.reading, self.by_layer = model, kind, reading, by_layer
        self.inputs = Batch.from_nested(inputs).map(lambda x: widen_half_precision(x.detach()))
        self.scales = {name: sqrt(rates[name]) for name in trainable_parameters(model) if rates[name] > 0}
        self._set_values(state)
        self.weights = (
            None if weights is None else {name: widen_half_precision(v.detach()) for name, v in weights.items()}
        )
        self.layers: dict[ParameterNames, LayerPlan] = {}
        self.general: tuple[str, ...] = ()
        self.shared = SharedParameters()
        self.looped = False
        self._plan()

    def _set_values(self, state: Mapping[str, Tensor]) -> None:
        values = [*self.model.named_parameters(), *self.model.named_buffers()]
        self.fixed = {name: widen_half_precision(state.get(name, value).detach().to(value)) for name, value in values}
        self.values = {name: v.clone().requires_grad_(name in self.scales) for name, v in self.fixed.items()}
        expose_projections(self.model)
        self.owners = layers_with_parameters(self.model, self.scales)

    def at(self, state: Mapping[str, Tensor]) -> Self:
        """Return the Jacobian at other values, by the same methods; call it inside `measurement_mode(model)`."""
        other = copy.copy(self)
        other._set_values(state)
        return other

    def __call__(self, x: Batch, values: Mapping[str, Tensor]) -> Tensor:
        try:
            out = self.reading.outputs_at(self.model, values, x)
        except ValueError as error:
            if len(x) > 1:
                raise
            raise ValueError(
                f"the model does not take one input at a time ({error}), which a kernel of per-sample gradients needs; "
                "a norm over a single number does not, say"
            ) from error
        return out.sum(1, keepdim=True) if self.kind == "sum" else out

    def factors(self, index: Tensor) -> JacobianFactors:
        """Return the Jacobian factors of the inputs with these indices."""
        parts = [self._factors(self.inputs[rows]) for rows in index.to(self.inputs.device).split(self.chunk)]
        return parts[0] if len(parts) == 1 else JacobianFactors.concatenate(parts)

    @property
    def method(self) -> str:
        """Summary of which method handles how many layers and parameters."""
        dense = sum(layer.start is not None for layer in self.layers.values())
        parts = [
            (len(self.layers) - dense, "layer(s) as products of Gram matrices"),
            (dense, "by per-sample Jacobians"),
        ]
        how = "sample by sample" if self.looped else "by vmap(jacrev) over these alone"
        parts.append((len(self.general), f"other parameter(s) {how}"))
        return ", ".join(f"{number} {words}" for number, words in parts if number)

    def _plan(self) -> None:
        n = len(self.inputs)
        tried = torch.linspace(0, n - 1, min(n, 4)).round().long()
        x = self.inputs[tried]
        out, calls, good, heard = self._choose_layers(x)
        if self.by_layer and len(x) > 1:
            uncovered = [name for name in self.scales if not any(name in names for names in good)]
            self.shared = find_shared_parameters(
                lambda values: self(x, values), self.values, uncovered, self.owners, self.scales, len(x)
            )
            if self.shared.tables:
                out, calls, good, heard = self._choose_layers(x)
        if heard < set(good):  # a zero gradient verifies nothing (a readout initialized at 0)
            heard |= self._verify_at_perturbed(x)
        c, start = out.shape[1], 0
        for names, group in good.items():
            if names not in heard:
                continue
            tables = [call.is_embedding for call in group]
            t = sum(call.columns.shape[1] for call in group if call.is_embedding == tables[0])
            _, _, g, o = group[0].signals(None).shape
            i, cost = 1 if tables[0] else group[0].columns.shape[-1], float("inf")
            if g <= MAX_SEPARATE_MATRICES and (self.weights is None or tables[0]) and len(set(tables)) == 1:
                cost = i + c * c * o if t == 1 else SMALL_PRODUCT_COST * (t * t * i + c * t * t * o + c * c * t * o)
            order = None if tables[0] else FactorOrder.of(group[0])
            weights = self._layer_preconditioner(names, order)
            if tables[0] or cost < c * c * o * i:
                self.layers[names] = LayerPlan(None, 0, t, g, g * cost, False, weights, order)
            elif len(set(tables)) == 2 or (
                g <= MAX_SEPARATE_MATRICES and (self.by_layer or c * o * i * out.element_size() > MAX_EXPANDED_BYTES)
            ):
                self.layers[names] = LayerPlan(None, 0, t, g, c * c * g * o * i, True, weights, order)
            else:
                self.layers[names] = LayerPlan(start, g * o * i, t, g, c * c * g * o * i, False, weights, order)
                start += g * o * i
        covered = {name for names in self.layers for name in names}
        self.shared = replace(self.shared, copied=tuple(k for k in self.shared.copied if k not in covered))
        for name in self.shared.copied:
            width = self.fixed[name].numel()
            self.layers[(name, None)] = LayerPlan(start, width, 0, 1, c * c * width)
            start += width
        self.general = tuple(name for name in self.scales if name not in covered.union(self.shared.copied))
        rest = sum(_view_as_real(self.fixed[name]).numel() for name in self.general)
        self.start, self.p, self.outputs, self.dtype = start, start + rest, c, out.dtype
        activations = sum(call.columns.numel() + 4 * call.shape.numel() for call in calls) / len(tried)
        self.chunk = max(1, int(CHUNK_BYTES / out.element_size() / (activations + 2 * c * rest + 1)))
        self.per_pair = sum(layer.cost for layer in self.layers.values()) + c * c * rest
        self.per_sample = self.factors(tried[:1]).nbytes

    def _layer_preconditioner(self, names: ParameterNames, order: FactorOrder | None) -> Tensor | None:
        """Return the preconditioner of a layer, in the order of its factors, or None without one."""
        if self.weights is None:
            return None
        return self.weights[str(names[0])] if order is None else order.arrange(self.weights)

    def _choose_layers(
        self, x: Batch
    ) -> tuple[Tensor, list[RecordedCall], dict[ParameterNames, list[RecordedCall]], set[ParameterNames]]:
        """Return the outputs on a few samples, and the layers whose factors are right."""
        with record_calls(self.owners, self.scales, len(x), self.shared.tables) as calls:
            out = self(x, self.values)
        if not out.requires_grad:
            raise ValueError("the outputs depend on no trainable parameter: is there a detach() in the model?")
        calls = connected_calls(out, calls)
        return out, calls, *self._verify_layers(out, calls, self.values)

    def _verify_layers(
        self, out: Tensor, calls: Sequence[RecordedCall], values: Mapping[str, Tensor]
    ) -> tuple[dict[ParameterNames, list[RecordedCall]], set[ParameterNames]]:
        """Return the layers whose factors reproduce autograd's gradient of each tried sample, and those of them
        where some gradient is nonzero."""
        groups = group_by_layer(calls)
        names_in_use = [name for names in groups for name in names if name is not None]
        good = {
            names: group
            for names, group in groups.items()
            if len({call.columns.shape[2:] for call in group if not call.is_embedding}) <= 1
            and (len({call.is_embedding for call in group}) == 1 or group[0].columns.shape[2] == 1)
            and all(call.columns.numel() for call in group)
            and all(names_in_use.count(name) == 1 for name in names if name)
        }
        heard: set[ParameterNames] = set()
        generator = torch.Generator().manual_seed(0)
        slack = 1e-8 if out.dtype == torch.float64 else 1e-4
        for sample in range(len(out)):
            probe = torch.randn(out.shape[1], generator=generator, dtype=torch.float64).to(out)
            edges = [call.edge for group in good.values() for call in group]
            differentiated: list[Any] = [*edges, *(values[name] for name in self.scales)]
            slopes_of = list(
                torch.autograd.grad(out[sample] @ probe, differentiated, retain_graph=True, allow_unused=True)
            )
            truth = {
                name: self.scales[name] * (torch.zeros_like(values[name]) if slope is None else slope.to_dense())
                for name, slope in zip(self.scales, slopes_of[len(edges) :], strict=True)
            }
            for name in truth if values is self.values else ():
                check_finite_gradient(name, truth[name])
            for names, group in list(good.items()):
                slopes = [slopes_of.pop(0) for _ in group]
                gap, size = gradient_error(
                    group, slopes, [truth[k] for k in names if k is not None], sample, self.scales
                )
                if not gap <= slack * size:
                    del good[names]
                    heard.discard(names)
                elif size > 0:
                    heard.add(names)
        return good, heard

    def _verify_at_perturbed(self, x: Batch) -> set[ParameterNames]:
        """Return the layers that are verified at perturbed parameters with nonzero gradients.

        The perturbation has the root-mean-square size of each parameter, or 0.1 if the parameter is 0.
        """
        generator, values = torch.Generator().manual_seed(0), dict(self.values)
        for name, parameter in self.model.named_parameters():
            if not (parameter.is_floating_point() or parameter.is_complex()) or parameter.itemsize == 1:
                continue  # quantized
            size = float(self.fixed[name].abs().square().mean().sqrt()) or 0.1
            noise = torch.randn(self.fixed[name].shape, generator=generator).to(self.fixed[name])
            values[name] = (self.fixed[name] + size * noise).requires_grad_(name in self.scales)
        with record_calls(self.owners, self.scales, len(x), self.shared.tables) as calls:
            try:
                out = self(x, values)
            except Exception:  # a model may fail at other parameter values
                return set()
        return self._verify_layers(out, calls, values)[1]

    def _factors(self, x: Batch) -> JacobianFactors:
        _, dense, pairs = self.differentiate(x)
        layers = [one for several in pairs.values() for one in several]
        if self.kind == "trace":  # the outputs are moved into the columns
            dense, layers = dense.reshape(len(dense), 1, -1), [one.outputs_as_columns() for one in layers]
        return JacobianFactors(dense, tuple(layers))

    def differentiate(
        self, x: Batch, sums: dict[str, Tensor] | None = None
    ) -> tuple[Tensor, Tensor, dict[ParameterNames, list[LayerFactors]]]:
        """Return the outputs (m, c), the dense columns (m, c, p) of the Jacobian, and the layers in factored form.

        Gradients of the sum of all outputs, by the parameters of layers with a plan, are added to `sums`.
        """
        covered = {name for names in self.layers for name in names}
        planned = {module: owner for module, owner in self.owners.items() if not {*owner[1], None} - {*covered, None}}
        values = self.shared.repeat(self.values, len(x)) if self.shared.copied else self.values
        with record_calls(planned, self.scales, len(x), self.shared.tables) as calls:
            out = self(x, values)
        m, c = out.shape
        copied = {(name, None) for name in self.shared.copied}
        layers = {names: layer for names, layer in self.layers.items() if names not in copied}
        groups, matrices = uses_of_layers(layers, calls)
        if any(sum(use.columns.shape[1] for use in matrices[k]) != layer.places for k, layer in layers.items()):
            groups, matrices = uses_of_layers(layers, connected_calls(out, calls))
        columns = {k: join_uses(k, [call.columns for call in matrices[k]], layer.places) for k, layer in layers.items()}
        edges = [call.edge for group in groups.values() for call in group]
        checked = [] if sums is None else [str(name) for names in layers for name in names if name]
        dense = out.new_empty(m, c, self.p)
        signals_of: dict[ParameterNames, list[Tensor]] = {
            names: [] for names, layer in layers.items() if layer.start is None
        }
        # signals of lookups in the same weight
        picked: dict[ParameterNames, list[Tensor]] = {names: [] for names in signals_of}
        for k in range(c if edges or copied else 0):
            differentiated: list[Any] = [*edges, *(self.values[name] for name in checked)]
            differentiated += [values[name] for name in self.shared.copied]
            slopes = list(
                torch.autograd.grad(out[:, k].sum(), differentiated, retain_graph=k + 1 < c, allow_unused=True)
            )
            for name, slope in zip(checked, slopes[len(edges) : len(edges) + len(checked)], strict=True):
                if sums is not None and slope is not None:
                    sums[name] = sums[name] + slope if name in sums else slope
            for name, slope in zip(self.shared.copied, slopes[len(edges) + len(checked) :], strict=True):
                place = self.layers[(name, None)].start or 0
                rows = dense.new_zeros(m, self.fixed[name].numel()) if slope is None else slope.reshape(m, -1)
                dense[:, k, place : place + rows.shape[1]] = self.scales[name] * rows
            for names, layer in layers.items():
                signals = [call.signals(slopes.pop(0)) for call in groups[names]]
                matrix = len(matrices[names])
                signal = join_uses(names, signals[:matrix], layer.places)
                if layer.start is None:
                    signals_of[names].append(signal)
                    picked[names] += [torch.cat(signals[matrix:], 1)[:, :, 0]] if signals[matrix:] else []
                    continue
                part = torch.einsum("mtgo,mtgi->mgoi", signal, columns[names])
                if layer.weights is not None:
                    part = part * layer.weights.sqrt()
                dense[:, k, layer.start : layer.start + layer.width] = part.reshape(m, -1)
        if self.general:
            dense[:, :, self.start :] = self._dense_jacobian(x, c)
        pairs = {
            names: self._layer_factors(names, matrices[names], groups[names], columns[names], signals, picked[names])
            for names, signals in signals_of.items()
        }
        self._check_finite(dense, pairs)
        return out.detach(), dense.detach(), pairs

    def _layer_factors(
        self,
        names: ParameterNames,
        matrices: Sequence[RecordedCall],
        group: Sequence[RecordedCall],
        columns: Tensor,
        signals: Sequence[Tensor],
        picked: Sequence[Tensor],
    ) -> list[LayerFactors]:
        """Return the factors of each matrix of a layer that is kept in factored form."""
        layer, signal = self.layers[names], torch.stack(list(signals), 1)
        if group[0].is_embedding:
            signal = signal[:, :, :, 0] * self.scales[str(names[0])]
            if layer.weights is not None:  # equal tokens have equal weights
                signal = signal * layer.weights.sqrt()[columns.clamp_min(0)][:, None]
            return [LayerFactors(columns, signal)]
        tokens = None
        if picked:
            which = torch.cat([call.columns for call in group[len(matrices) :]], 1)
            tokens = which, self.scales[str(names[0])] * torch.stack(list(picked), 1)
        weights = [None] * layer.groups if layer.weights is None else list(layer.weights)
        return [LayerFactors(columns[:, :, g].contiguous(), signal[:, :, :, g].contiguous(), layer.is_expanded, w,
        tokens) for g, w in enumerate(weights)]  # fmt: skip

    def _check_finite(self, dense: Tensor, pairs: Mapping[ParameterNames, Sequence[LayerFactors]]) -> None:
        """Raise an error that names the parameter if a derivative is not finite."""
        for names, layer in self.layers.items():
            name = next(name for name in names if name)
            if layer.start is not None:
                check_finite_gradient(name, dense[:, :, layer.start : layer.start + layer.width])
            else:
                for part in (tensor for one in pairs[names] for tensor in one.tensors):
                    check_finite_gradient(name, part)
        sizes = [_view_as_real(self.fixed[name]).numel() for name in self.general]
        for name, part in zip(self.general, dense[:, :, self.start :].split(sizes, 2), strict=True):
            check_finite_gradient(name, part)

    def _dense_jacobian(self, x: Batch, c: int) -> Tensor:
        """Return the Jacobian (m, c, ·) by the parameters that belong to no verified layer; a complex entry counts
        as two real ones."""
        part = {name: _view_as_real(self.fixed[name]) for name in self.general}

        def single(parts: Mapping[str, Tensor], sample: tuple[Tensor, ...]) -> Tensor:
            values = {k: torch.view_as_complex(v) if self.fixed[k].is_complex() else v for k, v in parts.items()}
            return self(x.with_tensors([one[None] for one in sample]), {**self.fixed, **values})[0]

        jacobians = None
        if not self.looped:
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", message="There is a performance drop")
                    jacobians = vmap(jacrev(single), (None, 0))(part, x.tensors)
            # vmap fails on control flow that depends on values, for example: loop over samples instead
            except Exception:
                self.looped = True
        if jacobians is None:
            parameters = [self.values[name] for name in self.general]
            rows = []
            for sample in x.split(1):
                out = self(sample, self.values)[0]
                rows += [torch.autograd.grad(out[k], parameters, retain_graph=True, materialize_grads=True,
                                             allow_unused=True) for k in range(c)]  # fmt: skip
            jacobians = {
                name: torch.stack([_view_as_real(grad.to_dense()) for grad in grads])
                for name, grads in zip(self.general, zip(*rows, strict=True), strict=True)
            }
        roots = {name: self.scales[name] for name in self.general} if self.weights is None else {
            name: self.scales[name] * self.weights[name].sqrt().flatten() for name in self.general
        }  # fmt: skip
        return torch.cat([roots[name] * jacobians[name].reshape(len(x), c, -1) for name in self.general], 2)


def _view_as_real(tensor: Tensor) -> Tensor:
    """Return a complex tensor with its real and imaginary parts along a last axis, and a real tensor unchanged."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor
