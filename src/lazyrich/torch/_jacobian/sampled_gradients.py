"""Gradients of a model along one random direction of its outputs for each pair of inputs: their inner products, layer
by layer."""

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn

from lazyrich.tangent.grouped_distance import GROUP_SIZE
from lazyrich.tangent.parameter_names import layer_name_of
from lazyrich.torch._jacobian.factors import LayerFactors
from lazyrich.torch._jacobian.layer_grams import layer_gram, layer_slopes
from lazyrich.torch._jacobian.per_sample_jacobian import PerSampleJacobian
from lazyrich.torch._jacobian.recorded_calls import ParameterNames
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters

SUM_TOLERANCE = {torch.float32: 1e-3, torch.float64: 1e-8}  # of the check against autograd, relative to Σ|⟨v_i, v_j⟩|


@dataclass(frozen=True)
class SignedReader(OutputReader):
    """Reads one number for each sample: its outputs along the random signs of its group.

    The last tensor of the batch is the number of each sample's group, a row of `signs` (groups, outputs).
    """

    signs: Tensor = field(default_factory=lambda: torch.empty(0))

    @classmethod
    def draw(cls, reading: OutputReader, groups: int, outputs: int, seed: int) -> "SignedReader":
        generator = torch.Generator().manual_seed(seed)
        signs = torch.randint(0, 2, (groups, outputs), generator=generator, dtype=torch.int8) * 2 - 1
        return cls(reading.forward, reading.positions, None, reading.chunk, signs)

    def outputs_at(self, model: nn.Module, values: Mapping[str, Tensor], batch: Batch) -> Tensor:
        outputs = super().outputs_at(model, values, batch)
        signs = self.signs.to(outputs.device)[batch.tensors[-1]]
        return (outputs * signs.to(outputs)).sum(1, keepdim=True)


@dataclass(frozen=True)
class SampledGradients:
    """Gradients v_i of r·f(x_i), by layer: Gram matrices ⟨v_i, v_j⟩ (n, n), products with a direction (n,), and the
    values r·f(x_i).

    `preconditioned` is the Gram matrix of all layers with a preconditioner between the gradients, of the first inputs.
    """

    values: Tensor
    grams: dict[str, Tensor]
    slopes: dict[str, Tensor]
    preconditioned: Tensor | None = None


class GradientSampler:
    """Measures the sampled gradients of a model on the first n of its inputs, at any parameter values.

    How each layer is handled is decided once, where factors are compared with autograd sample by sample. Each
    measurement with `check` then compares ‖Σ_i v_i‖² of each layer with that of autograd's gradient of the sum. If they
    disagree, the methods are chosen again, and a layer that has no other is measured by autograd alone.
    """

    def __init__(
        self,
        model: nn.Module,
        inputs: Batch,
        reading: SignedReader,
        rates: Mapping[str, float],
        group_size: int = GROUP_SIZE,
    ) -> None:
        self.model, self.reading, self.rates = model, reading, dict(rates)
        groups = torch.arange(len(inputs), device=inputs.device) // group_size
        self.inputs = inputs.with_tensors([*inputs.tensors, groups])
        with measurement_mode(model):
            self.jacobian = self._plan({})

    def _plan(self, state: Mapping[str, Tensor]) -> PerSampleJacobian:
        return PerSampleJacobian(self.model, state, self.inputs, self.rates, "full", self.reading, None, by_layer=True)

    def with_rates(self, rates: Mapping[str, float]) -> "GradientSampler":
        """Return a sampler with other learning rates, all positive, which measures by the same methods."""
        other = copy.copy(self)
        other.rates, other.jacobian = dict(rates), copy.copy(self.jacobian)
        other.jacobian.scales = {name: math.sqrt(rates[name]) for name in self.jacobian.scales}
        return other

    @property
    def bytes_per_sample(self) -> int:
        return self.jacobian.per_sample

    @property
    def layers(self) -> list[str]:
        """The layers that the kernel is a sum over, in the order of the model."""
        return list(dict.fromkeys(layer_name_of(name) for name in self.jacobian.scales))

    def measure(
        self,
        state: Mapping[str, Tensor],
        n: int,
        direction: Mapping[str, Tensor] | None = None,
        weights: Mapping[str, Tensor] | None = None,
        weighted: int = 0,
        check: bool = True,
        products: bool = True,
    ) -> SampledGradients:
        """Measure at these values of the parameters ({}: those of the model) on the first n inputs.

        `direction` has the shapes of the parameters. `weights` is a diagonal preconditioner, for which the first
        `weighted` inputs are used. Without `products`, only the values and slopes are measured.
        """
        what = n, direction, weights, weighted
        with measurement_mode(self.model):
            gradients, wrong = self._measure(self.jacobian.at(state), *what, check and products, products)
            if wrong:
                self.jacobian = self._plan(state)
                gradients, wrong = self._measure(self.jacobian, *what, check and products, products)
            if wrong:
                raise ValueError(
                    f"the gradients of '{wrong[0]}' on single inputs do not add up to autograd's gradient of their "
                    "sum: does its forward pass depend on the other inputs of the batch? Freeze this layer, or pass "
                    "exact=True"
                )
        return gradients

    def _measure(
        self,
        jacobian: PerSampleJacobian,
        n: int,
        direction: Mapping[str, Tensor] | None,
        weights: Mapping[str, Tensor] | None,
        weighted: int,
        check: bool,
        products: bool,
    ) -> tuple[SampledGradients, list[str]]:
        sums: dict[str, Tensor] | None = {} if check else None
        values, dense, factors = _differentiate(jacobian, n, sums)
        grams: dict[str, Tensor] = {}
        slopes: dict[str, Tensor] = {}
        none = torch.zeros(n, dtype=torch.float64)
        wrong: list[str] = []
        other = None if weights is None else torch.zeros(weighted, weighted, dtype=torch.float64)
        for names, place in _layer_columns(jacobian):
            whole = torch.zeros(n, n, dtype=torch.float64)
            moved = None if direction is None else _arrange(jacobian, names, direction, jacobian.scales)
            ratio = None if weights is None else _arrange(jacobian, names, weights, None)
            for k, full in enumerate(factors.get(names, [])):
                for name, part, columns in _split_bias(names, full):
                    layer = layer_name_of(name)
                    if products:
                        gram = layer_gram(part).double().cpu()
                        whole += gram
                        grams[layer] = grams[layer] + gram if layer in grams else gram
                    if other is not None and ratio is not None:
                        few = _first_samples(part, weighted)
                        own = ratio if ratio.ndim == 2 else ratio[k, :, columns]
                        other += layer_gram(few, own).double().cpu()
                    if moved is not None:
                        slope = layer_slopes(part, moved if moved.ndim == 2 else moved[k, :, columns])
                        slopes[layer] = slopes.get(layer, none) + slope.double().cpu()
            layer = layer_name_of(next(name for name in names if name))
            if place is not None:
                rows = dense[:, place]
                if products:
                    gram = (rows @ rows.T).double().cpu()
                    whole += gram
                    grams[layer] = grams[layer] + gram if layer in grams else gram
                if other is not None and ratio is not None:
                    few_rows = rows[:weighted]
                    other += ((few_rows * ratio.flatten()) @ few_rows.T).double().cpu()
                if moved is not None:
                    slopes[layer] = slopes.get(layer, none) + (rows @ moved.flatten()).double().cpu()
            if sums is not None and not _agrees_with_autograd(jacobian, names, whole, sums):
                wrong.append(layer)
        order = [layer for layer in self.layers if layer in grams]
        return SampledGradients(values, {k: grams[k] for k in order}, slopes, other), wrong


def _differentiate(
    jacobian: PerSampleJacobian, n: int, sums: dict[str, Tensor] | None
) -> tuple[Tensor, Tensor, dict[ParameterNames, list[LayerFactors]]]:
    """Return r·f (n,), the dense columns (n, p) and the factors of every layer, from passes of a size that fits."""
    parts = [
        jacobian.differentiate(jacobian.inputs[rows], sums)
        for rows in torch.arange(n, device=jacobian.inputs.device).split(jacobian.chunk)
    ]
    values, dense = (torch.cat([part[i] for part in parts])[:, 0] for i in (0, 1))  # type: ignore[misc]
    if len(parts) == 1:
        return values, dense, parts[0][2]
    factors = {}
    for names in parts[0][2]:
        several = zip(*(part[2][names] for part in parts), strict=True)
        factors[names] = [_concatenate(pieces) for pieces in several]
    return values, dense, factors


def _concatenate(pieces: tuple[LayerFactors, ...]) -> LayerFactors:
    columns, signals = torch.cat([one.columns for one in pieces]), torch.cat([one.signals for one in pieces])
    pairs = [one.tokens for one in pieces if one.tokens is not None]
    tokens = (torch.cat([a for a, _ in pairs]), torch.cat([b for _, b in pairs])) if pairs else None
    return replace(pieces[0], columns=columns, signals=signals, tokens=tokens)


def _split_bias(names: ParameterNames, factors: LayerFactors) -> list[tuple[str, LayerFactors, slice]]:
    """Return the factors with a parameter that names their layer, and their columns.

    The weight and the bias of a model that is one layer itself are layers of their own.
    """
    weight, bias = names
    if weight is None or bias is None or layer_name_of(weight) == layer_name_of(bias):
        return [(str(weight or bias), factors, slice(None))]
    places = ((weight, slice(0, -1)), (bias, slice(-1, None)))
    return [(name, replace(factors, columns=factors.columns[..., place]), place) for name, place in places]


def _first_samples(factors: LayerFactors, n: int) -> LayerFactors:
    """Return the factors of the first n samples."""
    tokens = None if factors.tokens is None else (factors.tokens[0][:n], factors.tokens[1][:n])
    return replace(factors, columns=factors.columns[:n], signals=factors.signals[:n], tokens=tokens)


def _layer_columns(jacobian: PerSampleJacobian) -> list[tuple[ParameterNames, slice | None]]:
    """Return the parameters of each layer, with their dense columns if they have any."""
    pieces: list[tuple[ParameterNames, slice | None]] = []
    for names, layer in jacobian.layers.items():
        pieces.append((names, None if layer.start is None else slice(layer.start, layer.start + layer.width)))
    start = jacobian.start
    for name in jacobian.general:
        value = jacobian.fixed[name]
        width = value.numel() * (2 if value.is_complex() else 1)
        pieces.append(((name, None), slice(start, start + width)))
        start += width
    return pieces


def _arrange(
    jacobian: PerSampleJacobian,
    names: ParameterNames,
    values: Mapping[str, Tensor],
    scales: Mapping[str, float] | None,
) -> Tensor:
    """Return tensors of the shapes of the parameters in the order of the factors, divided by the parameters' scales."""
    own = {name: values[name].to(jacobian.fixed[name]) for name in names if name is not None}
    if scales is not None:
        own = {name: value / scales[name] for name, value in own.items()}
    plan = jacobian.layers.get(names)
    if plan is None or plan.factor_order is None:
        value = own[str(names[0])]
        return torch.view_as_real(value.resolve_conj()) if value.is_complex() else value
    return plan.factor_order.arrange(own)


def _agrees_with_autograd(
    jacobian: PerSampleJacobian, names: ParameterNames, gram: Tensor, sums: Mapping[str, Tensor]
) -> bool:
    """Return whether ‖Σ_i v_i‖² from the Gram matrix is that of autograd's gradient, for a layer with a plan."""
    if names not in jacobian.layers:
        return True
    if names[0] in jacobian.shared.copied:  # rows that autograd has given
        return True
    verified = [(name, sums[name]) for name in names if name is not None and name in sums]
    truth = sum(jacobian.scales[name] ** 2 * float(value.double().square().sum()) for name, value in verified)
    tolerance = SUM_TOLERANCE.get(jacobian.dtype, 1e-3)
    return abs(float(gram.sum()) - truth) <= tolerance * float(gram.abs().sum()) + 1e-300


def default_rates(model: nn.Module) -> dict[str, float]:
    """Return rate 1 for every trainable parameter."""
    return dict.fromkeys(trainable_parameters(model), 1.0)
