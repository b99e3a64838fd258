"""Kernel distance of a model and of each of its layers to the start, from one random direction for each pair of
inputs."""

import time
from collections.abc import Mapping
from math import nan

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich.probe.types import Row, State
from lazyrich.tangent.grouped_distance import GROUP_SIZE, MIN_GROUPS, GroupedDistance, grouped_kernel_distance
from lazyrich.torch._jacobian.sampled_gradients import GradientSampler, SampledGradients, SignedReader
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.learning_rates import Rates, rates_by_name
from lazyrich.torch._model.output_reader import OutputReader

SIZES = (32, 64, 128)  # numbers of inputs of a snapshot
MAX_BYTES = 2**30  # of the factors of all gradients
MAX_START_SECONDS = 5.0
CHOICE_PASSES = 12
MAX_PRECONDITIONED = 32  # inputs for the kernel in the optimizer's geometry


def group_size(inputs: int) -> int | None:
    """Return how many inputs share a direction: two, or one if there are few; None if there are too few at all."""
    for size in (GROUP_SIZE, 1):
        if inputs // size >= MIN_GROUPS:
            return size
    return None


def largest_sample(n: int, bytes_per_sample: int, seconds: float) -> int:
    """Return the largest of the sizes up to n whose gradients fit in memory and whose start is measured soon.

    `seconds` are those of the choice of methods, which took about `CHOICE_PASSES` passes of one input.
    """
    fits = [
        size
        for size in SIZES
        if size < n and size * bytes_per_sample <= MAX_BYTES and size * seconds / CHOICE_PASSES <= MAX_START_SECONDS
    ]
    whole = n * bytes_per_sample <= MAX_BYTES and n * seconds / CHOICE_PASSES <= MAX_START_SECONDS
    return n if whole or n <= min(SIZES) else max(fits, default=min(SIZES))


class SampledKernel:
    """Measures a model on the first n of its inputs, along one random direction of the outputs for each pair of them.

    The Gram matrices of the start are kept, (layers, n, n). If buffers have moved, they are measured again at the
    initial parameters with the current buffers. The linearization gap compares the derivative along the movement of
    each layer now with that at the start.
    """

    def __init__(
        self, model: nn.Module, inputs: Batch, reading: OutputReader, outputs: int, rates: Rates, seed: int
    ) -> None:
        size = group_size(len(inputs))
        if size is None:
            raise ValueError(
                f"a sampled kernel needs at least {MIN_GROUPS} inputs; found {len(inputs)}: pass more, or exact=True"
            )
        self.group_size, self.n = size, len(inputs) // size * size
        signed = SignedReader.draw(reading, self.n // size, outputs, seed)
        began = time.perf_counter()
        self.sampler = GradientSampler(model, inputs[: self.n], signed, rates_by_name(model, rates), size)
        self.n = largest_sample(self.n, self.sampler.bytes_per_sample, time.perf_counter() - began)
        self.signs, self.layers, self.n_measured = signed.signs, self.sampler.layers, self.n
        self.start: Tensor = torch.empty(0)  # (layers, n, n)
        self.previous: Tensor = torch.empty(0)
        self.groups: dict[str, list[str]] = {}  # adapters, and their layers

    def measure_start(self) -> Row:
        """Measure the start, on all inputs, and return the row of a model that has not moved."""
        self.n_measured = self.n
        gradients = self.sampler.measure({}, self.n)
        self.start = self.previous = self._stack(gradients)
        exists = self.start.abs().amax((1, 2)) > 0
        distance = {layer: 0.0 if there else nan for layer, there in zip(self.layers, exists.tolist(), strict=True)}
        zero, row = [0.0, 0.0], {}
        if self.groups:
            zeros = dict.fromkeys(self.groups, 0.0)
            names = ("adapter_distance", "adapter_low", "adapter_high", "adapter_gap")
            row = {**dict.fromkeys(names, zeros), "adapter_share": self._group_shares(self._shares(self.start))}
        return {
            **row,
            "kernel_distance": [zero, zero],
            "kernel_error": zero,
            "kernel_low": zero,
            "kernel_high": zero,
            "kernel_growth": 1.0,
            "relative_gap": 0.0,
            "layer_distance": distance,
            "layer_low": distance,
            "layer_high": distance,
            "layer_gap": dict.fromkeys(self.layers, 0.0),
            "layer_share": self._shares(self.start),
        }

    def measure(
        self,
        n: int,
        start: Mapping[str, Tensor],
        now: Mapping[str, Tensor],
        moved_buffers: bool,
        weights: Mapping[str, Tensor] | None = None,
    ) -> Row:
        """Measure the current model on the first n inputs, with the initial and the current parameters given."""
        self.n_measured = n = min(n, self.n) // self.group_size * self.group_size
        weighted = min(n, MAX_PRECONDITIONED) // self.group_size * self.group_size
        direction = {name: now[name] - start[name].to(now[name]) for name in now}
        gradients = self.sampler.measure({}, n, direction, weights, weighted)
        remeasured = moved_buffers or self.start.shape[-1] < n
        base = self.sampler.measure(start, n, direction, weights, weighted, False, remeasured)
        if remeasured:
            self.start = self._stack(base)
        kernels, previous = self._stack(gradients), self.previous[:, :n, :n]
        row = self._distances(kernels, self.start[:, :n, :n])
        if moved_buffers or previous.shape[-1] < n:
            between = [nan, nan]  # the previous kernel had other buffers
        else:
            between = grouped_kernel_distance(_sum(kernels), _sum(previous), self.group_size).distance.tolist()
        row["kernel_distance"] = [row["kernel_distance"], between]
        row |= self._gaps(gradients, base)
        if gradients.preconditioned is not None and base.preconditioned is not None:
            there = grouped_kernel_distance(
                gradients.preconditioned.numpy(), base.preconditioned.numpy(), self.group_size
            )
            row["preconditioned_distance"] = there.distance.tolist()
            row["preconditioned_error"] = ((there.high - there.low) / 2).tolist()
        self.previous = kernels
        return row

    def target_alignment(self, targets: Tensor) -> Row:
        """Return the cosine between the last kernel and y yᵀ, for targets (n, c), with its error."""
        n = self.previous.shape[-1]
        signs = self.signs.repeat_interleave(self.group_size, 0)[:n]
        z = (signs.double() * targets[:n].double()).sum(1).numpy()
        comparison = grouped_kernel_distance(_sum(self.previous), np.outer(z, z), self.group_size)
        return {
            "target_alignment": (1 - comparison.distance).tolist(),
            "target_error": ((comparison.high - comparison.low) / 2).tolist(),
        }

    def _stack(self, gradients: SampledGradients) -> Tensor:
        n = len(gradients.values)
        none = torch.zeros(n, n, dtype=torch.float64)
        return torch.stack([gradients.grams.get(layer, none) for layer in self.layers])

    def _distances(self, kernels: Tensor, start: Tensor) -> Row:
        places = [[self.layers.index(layer) for layer in layers] for layers in self.groups.values()]
        now, before = (
            torch.cat([x.sum(0, keepdim=True), x, *(x[some].sum(0, keepdim=True) for some in places)]).numpy()
            for x in (kernels, start)
        )
        distances = grouped_kernel_distance(now, before, self.group_size)
        whole = GroupedDistance(distances.distance[0], distances.low[0], distances.high[0], distances.growth[0])

        def by_layer(values: np.ndarray) -> dict[str, float]:
            return dict(zip(self.layers, values[1 : 1 + len(self.layers), 0].tolist(), strict=True))

        def by_group(values: np.ndarray) -> dict[str, float]:
            return dict(zip(self.groups, values[1 + len(self.layers) :, 0].tolist(), strict=True))

        row: Row = {}
        if self.groups:
            row = {
                "adapter_distance": by_group(distances.distance),
                "adapter_low": by_group(distances.low),
                "adapter_high": by_group(distances.high),
                "adapter_share": self._group_shares(self._shares(kernels)),
            }
        return {
            **row,
            "kernel_distance": whole.distance.tolist(),
            "kernel_error": ((whole.high - whole.low) / 2).tolist(),
            "kernel_low": whole.low.tolist(),
            "kernel_high": whole.high.tolist(),
            "kernel_growth": float(whole.growth),
            "layer_distance": by_layer(distances.distance),
            "layer_low": by_layer(distances.low),
            "layer_high": by_layer(distances.high),
            "layer_share": self._shares(kernels),
        }

    def _shares(self, kernels: Tensor) -> dict[str, float]:
        traces = kernels.diagonal(dim1=1, dim2=2).sum(1)
        return dict(zip(self.layers, (traces / traces.sum().clamp_min(1e-300)).tolist(), strict=True))

    def _gaps(self, now: SampledGradients, start: SampledGradients) -> Row:
        r"""Return the linearization gap relative to the change of the function, whole and by layer.

        With $s_l(t) = \langle v(t), \theta_l(t) - \theta_l(0)\rangle$, the gap of the model is $f - f_0 - \sum_l
        s_l(0)$. To second order it is the sum over layers of $\frac12 (s_l(t) - s_l(0))$, and the change of the
        function that of $\frac12 (s_l(t) + s_l(0))$; the gap of a layer is the ratio of the two.
        """
        none = torch.zeros(len(now.values), dtype=torch.float64)
        changed = now.values.double().cpu() - start.values.double().cpu()
        predicted = sum((start.slopes.get(layer, none) for layer in self.layers), none)
        gaps = {
            layer: _ratio(
                now.slopes.get(layer, none) - start.slopes.get(layer, none),
                now.slopes.get(layer, none) + start.slopes.get(layer, none),
            )
            for layer in self.layers
        }
        row = {"relative_gap": _ratio(changed - predicted, changed), "layer_gap": gaps}
        if self.groups:
            sums = {
                name: [sum((of.slopes.get(layer, none) for layer in layers), none) for of in (now, start)]
                for name, layers in self.groups.items()
            }
            row["adapter_gap"] = {
                name: _ratio(after - before, after + before) for name, (after, before) in sums.items()
            }
        return row

    def _group_shares(self, shares: Mapping[str, float]) -> dict[str, float]:
        return {name: sum(shares[layer] for layer in layers) for name, layers in self.groups.items()}

    def state_dict(self) -> Row:
        return {"layers": self.layers, "start": self.start, "previous": self.previous}

    def load_state_dict(self, state: State) -> None:
        self.layers = list(state["layers"])
        self.start, self.previous = state["start"], state["previous"]


def _sum(kernels: Tensor) -> np.ndarray:
    return kernels.sum(0).numpy()


def _ratio(part: Tensor, whole: Tensor) -> float:
    size = float(whole.norm())
    return float(part.norm()) / size if size > 0 else 0.0
