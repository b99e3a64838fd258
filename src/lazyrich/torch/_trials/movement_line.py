"""Predict the kernel distance under a knob from one measured run, without training again."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from lazyrich.tangent.grouped_distance import GroupedDistance, grouped_kernel_distance
from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.learning_rates import rate_of
from lazyrich.torch._model.loss import LossFunction
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._model.preserve_model import SAMPLES_PER_PASS, measurement_mode, trainable_parameters
from lazyrich.torch._probe.output_selection import count_outputs
from lazyrich.torch._probe.sampled_kernel import SampledKernel
from lazyrich.torch.knobs import Effect

MAX_INPUTS = 64  # of the sampled kernels
FIRST, SEARCH_FACTOR, MAX_FRACTION = 0.2, 1.5, 1e4  # of the search along the line, in units of 1 / output scale
RISE = 1.2  # of the loss over its least value, which ends the search
MIN_FALL = 0.5  # of the fall of the loss in the measured run
FRACTION_TOLERANCE, TOLERANCE = 5e-3, 1e-6  # of the multiple, and of the loss

State = Mapping[str, Tensor]
UNCHANGED = Effect()


@dataclass(frozen=True)
class KernelMeter:
    """Measures S between two states of a model by sampled kernels, on the same inputs and directions every time."""

    sampled: SampledKernel
    _start_grams: dict[object, Tensor] = field(default_factory=dict)  # of the start of a run, by rates

    @classmethod
    def of(cls, model: nn.Module, inputs: Batch, reading: OutputReader, seed: int) -> "KernelMeter":
        reader, width = count_outputs(model, inputs, reading.forward, reading.positions)
        return cls(SampledKernel(model, inputs[:MAX_INPUTS], reader, width, None, seed))

    def distance(self, start: State, now: State, rates: Mapping[str, float]) -> GroupedDistance:
        """Return S of the whole kernel, with the current buffers at both states and these learning rates.

        `start` is always the same.
        """
        sampled, key = self.sampled, tuple(sorted(rates.items()))
        sampler = sampled.sampler.with_rates({name: rate_of(name, rates) for name in start})

        def kernel(state: State) -> Tensor:
            return torch.stack(list(sampler.measure(state, sampled.n).grams.values())).sum(0)

        if key not in self._start_grams:
            self._start_grams[key] = kernel(start)
        return grouped_kernel_distance(kernel(now).numpy(), self._start_grams[key].numpy(), sampled.group_size)

    def shares(self) -> dict[str, float]:
        """Return each layer's share of the trace of the kernel at the present parameters."""
        grams = self.sampled.sampler.measure({}, self.sampled.n).grams
        traces = {layer: float(gram.trace()) for layer, gram in grams.items()}
        return {layer: trace / max(sum(traces.values()), 1e-300) for layer, trace in traces.items()}


class MovementLine:
    """Predicts S where training under a knob has learned as much as a measured run.

    To leading order, a knob multiplies the movement of each parameter by a known factor, and all movements by a common
    one, c. So the parameters are θ₀ + c·m·Δθ, with Δθ the movement of the measured run, and c is the smallest number
    for which the loss is that of the measured run, or the one with the least loss if the line does not reach it. There
    the kernel is measured. For a knob that does nothing, this is the measured run itself. A measured run may also have
    a knob, whose effect is `base`; predictions then start from there.
    """

    def __init__(
        self,
        model: nn.Module,
        start: State,
        meter: KernelMeter,
        known: tuple[Batch, object],
        loss: LossFunction,
        reading: OutputReader,
        base: Effect = UNCHANGED,
    ) -> None:
        self.model, self.start, self.meter, self.base = model, dict(start), meter, base
        self.end = {name: p.detach().clone() for name, p in trainable_parameters(model).items()}
        self.inputs, self.targets, self.loss, self.reading = *known, loss, reading
        self.initial = self._outputs(self.start)
        self.level = self._loss_at(base, 1.0)

    def _outputs(self, state: State) -> Tensor:
        with measurement_mode(self.model), torch.no_grad(), metrics.parameters_set_to(self.model, state):
            parts = self.inputs.split(SAMPLES_PER_PASS)
            return torch.cat([self.reading.loss_input(self.model, part) for part in parts])

    def _state(self, effect: Effect, fraction: float) -> dict[str, Tensor]:
        def factor(name: str) -> float:
            return fraction * rate_of(name, effect.movement) / rate_of(name, self.base.movement)

        return {name: value + factor(name) * (self.end[name] - value) for name, value in self.start.items()}

    def _loss_at(self, effect: Effect, fraction: float) -> float:
        now = self._outputs(self._state(effect, fraction))
        before = self.initial if effect.centered else torch.zeros_like(now)
        return float(self.loss(before + effect.output_scale * (now - before), self.targets))

    def fraction(self, effect: Effect) -> float | None:
        """Return c: the least multiple that has the loss of the measured run, or the one with the least loss; None if
        that is not even half of the way down."""
        level, losses, c = self.level + TOLERANCE * abs(self.level), {0.0: self._loss_at(effect, 0.0)}, 0.0
        following = FIRST * self.base.output_scale / effect.output_scale
        while c < MAX_FRACTION:
            c, following = following, following * SEARCH_FACTOR
            losses[c] = self._loss_at(effect, c)
            if losses[c] <= level:
                return self._crossing(effect, max(x for x in losses if x < c), c, level)
            least = min(losses, key=losses.__getitem__)
            if not math.isfinite(losses[c]) or (0 < least < c and losses[c] > RISE * losses[least]):
                break
        c = min((x for x in losses if x > 0), key=losses.__getitem__)
        low, high = c / SEARCH_FACTOR, c * SEARCH_FACTOR
        while high - low > FRACTION_TOLERANCE * high:  # thirds of the interval around the least loss
            one, other = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, other) if self._loss_at(effect, one) < self._loss_at(effect, other) else (one, high)
        c = (low + high) / 2
        fell, wanted = losses[0.0] - self._loss_at(effect, c), losses[0.0] - self.level
        return c if fell >= MIN_FALL * wanted else None

    def _crossing(self, effect: Effect, low: float, high: float, level: float) -> float:
        while high - low > FRACTION_TOLERANCE * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self._loss_at(effect, middle) <= level else (middle, high)
        return high

    def distance(self, effect: Effect) -> float | None:
        """Return the predicted S, or None where the line does not lead to the loss."""
        if (c := self.fraction(effect)) is None:
            return None
        return float(self.meter.distance(self.start, self._state(effect, c), effect.rates).distance[0])
