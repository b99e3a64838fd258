"""Verify pairs found by tracing: run the model with each pair rescaled and compare the outputs."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.minimum_precision import MinimumPrecision
from lazyrich.torch._model.output_reader import OutputReader, nested_tensors
from lazyrich.torch._model.parameter_slices import SliceableTensors, full_parameter_name, insert_slice
from lazyrich.torch._model.perturbed_parameters import perturb_parameters
from lazyrich.torch._model.preserve_model import measurement_mode, to_double
from lazyrich.torch._structure.space import DualSpaces, Structure

N_SAMPLES = 2  # samples on which a pair is tested
TOLERANCE_OF_DTYPE = {torch.float64: 1e-9}  # relative to the largest output
DEFAULT_TOLERANCE = 1e-3  # the same in lower precision
CHANGED_TEXT = "the outputs change when its scale does, as a run showed"

Place = int | DualSpaces


def verify_structure(model: nn.Module, layout: Structure, batch: Batch, reading: OutputReader) -> Structure:
    """Keep the pairs of a structure whose rescaling keeps the function in a run, and mark the others as fixed.

    All pairs are scaled at once, each by a power of 2, which is free of rounding, at parameters where nothing hides a
    change (`perturb_parameters`). If the outputs change, the responsible pairs are found by bisection. A pair that
    keeps the function has a conserved quantity only if its gradients are those of the function, which a backward pass
    checks.
    """
    places: list[Place] = [
        key for key, space in layout.spaces.items() if space.is_free and space.readers and space.writers
    ]
    places = [place for place in (*places, *layout.duals) if _scaling_exponents(layout, place)]
    places = [place for place in places if isinstance(place, DualSpaces) or not layout.spaces[place].norms]
    if not places:
        return layout
    with measurement_mode(model), torch.no_grad(), sdpa_kernel(SDPBackend.MATH), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = _ScaledRun(model, layout, batch, reading)
        wrong = run.sensitive_places(places)
        unconserved = run.unconserved_places([place for place in places if place not in wrong])
    layout = replace(layout, unconserved=frozenset(unconserved))
    if not wrong:
        return layout
    spaces = {
        key: replace(space, fixed=(*space.fixed, CHANGED_TEXT)) if key in wrong else space
        for key, space in layout.spaces.items()
    }
    duals = tuple(pair for pair in layout.duals if pair not in wrong)
    return replace(layout, spaces=spaces, duals=duals)


class _ScaledRun:
    """A model at perturbed parameters, and its outputs there."""

    def __init__(self, model: nn.Module, layout: Structure, batch: Batch, reading: OutputReader) -> None:
        self.model, self.layout, self.reading = model, layout, reading
        own = SliceableTensors([*model.named_parameters(), *model.named_buffers()])
        # A model may fail at other values, in other precision, or on fewer samples.
        ways = [
            (values, part)
            for values in (SliceableTensors(perturb_parameters(model)), own)
            for part in (batch[:N_SAMPLES], batch)
        ]
        for self.values, part in ways:
            self.dtype = next((v.dtype for v in self.values.values() if v.is_floating_point()), torch.float64)
            self.batch = part.map(lambda x: x.to(self.dtype) if x.is_floating_point() else x)
            try:
                self.before = self.outputs(self.values)
            except Exception:
                continue
            if all(bool(torch.isfinite(x).all()) for x in self.before):
                break

    def outputs(self, values: Mapping[str, Tensor]) -> list[Tensor]:
        with MinimumPrecision(self.dtype) as precision:
            outputs = nested_tensors(self.reading.call_at(self.model, dict(values), self.batch))
        self.tolerance = TOLERANCE_OF_DTYPE.get(precision.coarsest, DEFAULT_TOLERANCE)
        self.half = precision.coarsest in (torch.float16, torch.bfloat16)
        return [to_double(x) for x in outputs]

    def sensitive_places(self, places: Sequence[Place]) -> set[Place]:
        """Return the places whose scale changes the outputs."""
        if not places or self.is_unchanged(places):
            return set()
        if len(places) == 1:
            return set(places)
        half = len(places) // 2
        return self.sensitive_places(places[:half]) | self.sensitive_places(places[half:])

    def is_unchanged(self, places: Sequence[Place]) -> bool:
        """Return whether the outputs stay the same when each of these places is scaled by its own power of 2."""
        new = SliceableTensors(self.values)
        for i, place in enumerate(places):
            for name, power in _scaling_exponents(self.layout, place).items():
                new[full_parameter_name(name)] = insert_slice(
                    name, new[name] * 2.0 ** (power * (1 + i % 2) * (-1) ** (i // 2)), new
                )
        try:
            after = self.outputs(new)
        except Exception:
            return False
        pairs = zip(self.before, after, strict=True)
        gaps = [(float((x - y).abs().max()), float(x.abs().max())) for x, y in pairs if x.numel()]
        return all(gap <= self.tolerance * size for gap, size in gaps)

    def unconserved_places(self, places: Sequence[Place]) -> set[Place]:
        """Return the places where the gradient has a component along the scale although the outputs do not depend on
        it."""
        values, slopes = self.values, self.gradients()
        unconserved = set()
        for place in places if slopes else ():
            powers = {
                name: power
                for name, power in _scaling_exponents(self.layout, place).items()
                if full_parameter_name(name) in slopes
            }
            terms = [power * to_double(values[name].conj() * slopes[name]).real.sum() for name, power in powers.items()]
            sizes = [to_double(values[name]).norm() * to_double(slopes[name]).norm() for name in powers]
            if terms and abs(float(sum(terms))) > self.tolerance * float(sum(sizes)):
                unconserved.add(place)
        return unconserved

    def gradients(self) -> SliceableTensors:
        """Return the gradients of a random sum of the outputs by the parameters, or an empty mapping without usable
        derivatives."""
        names = [name for name, p in self.model.named_parameters() if p.is_floating_point() or p.is_complex()]
        values = SliceableTensors(self.values)
        for layer in self.layout.layers:
            if layer.untrained is not None:  # the row of a padding token has no gradient, whatever its values
                values[layer.weight] = values[layer.weight].clone()
                values[layer.weight][layer.untrained] = 0
        self.values = values
        leaves = {name: values[name].detach().requires_grad_() for name in names}
        generator = torch.Generator().manual_seed(0)
        try:
            with torch.enable_grad():
                outputs = [x for x in self.outputs(values | leaves) if x.requires_grad]
                weights = [torch.randn(x.shape, generator=generator, dtype=x.dtype).to(x) for x in outputs]
                total = sum(((x * y).real.sum() for x, y in zip(outputs, weights, strict=True)), torch.zeros(()))
                gradients = torch.autograd.grad(total, list(leaves.values()), allow_unused=True, materialize_grads=True)
        except Exception:  # an operation without a derivative, or a `forward` for prediction only
            return SliceableTensors()
        return (
            SliceableTensors() if self.half else SliceableTensors(zip(leaves, gradients, strict=True))
        )  # half precision is too coarse for this test


def _scaling_exponents(layout: Structure, place: Place) -> dict[str, int]:
    """Return the power for each parameter, or an empty mapping where tied weights allow no scaling."""
    try:
        return layout.dual_exponents(*place.keys) if isinstance(place, DualSpaces) else layout.exponents([place])
    except ValueError:
        return {}
