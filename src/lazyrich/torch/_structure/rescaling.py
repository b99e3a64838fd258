"""Rescale parameters: everything is computed and checked first, then written, all or nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.learning_rates import Rates
from lazyrich.torch._model.output_reader import DEFAULT_READER, OutputReader, nested_tensors
from lazyrich.torch._model.parameter_slices import SliceableTensors, full_parameter_name, insert_slice
from lazyrich.torch._model.preserve_model import measurement_mode, to_double
from lazyrich.torch._structure.rescaling_path import RescalingPath

NORM_FUNCTION_TOLERANCE = 1e-3  # change across a normalization that counts as none, relative to the largest output


@dataclass(frozen=True)
class Rescaling:
    """Record of a rescaling that was applied, or with dry_run would be."""

    first: str
    last: str
    factors: Mapping[str, float | Tensor]  # by parameter or running statistic that changes
    delta: tuple[float, float] | None  # before and after; None across a normalization, where δ is not conserved
    tau: tuple[float, float] | None
    output: float  # the outputs are multiplied by this
    norms: tuple[str, ...]
    applied: bool
    change: float | None = None  # change of the function, measured on inputs, relative to the largest output
    tolerance: float = 0.0  # a measured change up to this size counts as none
    dual: bool = False  # whether the two layers enter only through the product of their outputs, as queries and keys do
    untrained: tuple[str, ...] = ()  # parameters among them that are frozen or have no gradient

    def __str__(self) -> str:
        between = "⇄" if self.dual else "→"
        lines = [f"{'rescaled' if self.applied else 'would rescale'} {self.first} {between} {self.last}"]
        by_factor: dict[str, list[str]] = {}
        for name, c in self.factors.items():
            by_factor.setdefault(f"{c:.6g}" if isinstance(c, float) else "one factor per unit", []).append(name)
        lines += [f"  × {c}: {', '.join(names)}" for c, names in by_factor.items()]
        if self.delta and self.tau:
            lines.append(f"  δ: {self.delta[0]:.4g} → {self.delta[1]:.4g}, τ: {self.tau[0]:.4g} → {self.tau[1]:.4g}")
        if self.untrained:
            names = ", ".join(self.untrained)
            lines.append(f"  not trained: {names}; to scale them changes how fast the others learn, no more")
        for where in self.norms:
            lines.append(f"  {where} takes the scale out again (up to its eps): nothing behind it was touched")
        if self.norms:
            lines.append("  so this is no other start, but an effective learning rate: weights divided by α before a "
                         "norm turn α² times as fast under SGD, α times under Adam")  # fmt: skip
        scaled = "" if self.output == 1 else f"changed: outputs × {self.output:.6g} = (τ/τ₀)², otherwise "
        if self.change is None:
            effect = "changed by what eps is worth" if self.norms else "kept by construction, up to rounding"
            return "\n".join([*lines, f"  function: {scaled}{effect}; not measured (pass inputs=...)"])
        effect = "kept" if self.change <= self.tolerance else "CHANGED"
        return "\n".join([*lines, f"  function: {scaled}{effect}, measured difference {self.change:.1e} "
                          f"(kept: up to {self.tolerance:.0e})"])  # fmt: skip


def apply_rescaling(
    model: nn.Module,
    here: RescalingPath,
    factors: Mapping[str, float | Tensor],
    rates: Rates,
    output: float,
    inputs: object,
    dry_run: bool,
    tolerance: float | None = None,
    reading: OutputReader = DEFAULT_READER,
) -> Rescaling:
    """Compute and check all new values, then write them unless `dry_run`. The function may change by `tolerance`."""
    tensors = SliceableTensors([*model.named_parameters(), *model.named_buffers()])
    new: dict[str, Tensor] = {}
    for name, factor in factors.items():
        new[full_parameter_name(name)] = insert_slice(name, _multiply(name, tensors[name], factor), tensors | new)
    default = _default_tolerance(model, bool(here.norms))
    allowed = default if tolerance is None else tolerance
    if here.norms and inputs is None and allowed < np.inf:
        raise ValueError(
            f"across {here.norms[0]} the function is kept up to its eps only, and how much that is has to be measured: "
            "pass inputs=..., one small batch; or tolerance=inf to change the function unseen. Nothing was changed"
        )
    change = None if inputs is None else _function_change(model, new, output, inputs, reading)
    if change is not None and not change <= allowed:
        why = (
            f"what {here.norms[0]} reads becomes so small that its eps counts; choose an α nearer to 1"
            if here.norms else "something in the forward pass sees the scale and was not seen here (a custom autograd "
            "function? a hook?), or rounds (in half precision only powers of 2 are free of that)"
        )  # fmt: skip
        raise ValueError(
            f"the outputs would change by {change:.1e} of the largest (allowed: {allowed:.0e}): {why}. Nothing was "
            "changed; tolerance=... allows more"
        )
    states = (SliceableTensors((name, by.get(name, p)) for name, p in model.named_parameters()) for by in ({}, new))
    sizes = [np.array(here.squared_norms(state, rates)) for state in states]
    delta, tau = zip(
        *((float(x[0] - x[1]), float(np.sqrt(np.sqrt(x.prod()) / here.sqrt_rate_product(rates)))) for x in sizes),
        strict=True,
    )
    if not dry_run:
        _write_all_or_nothing(tensors, new)
    conserved, dual = not here.norms, here.dual is not None
    return Rescaling(here.first.name, here.last.name, dict(factors), delta if conserved else None,
                     tau if conserved else None, output, here.norms, not dry_run, change, default, dual)  # fmt: skip


def _multiply(name: str, tensor: Tensor, factor: float | Tensor) -> Tensor:
    if tensor.itemsize == 1 or not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(
            f"'{name}' is stored as {tensor.dtype}, which is too coarse to be multiplied: rescale the model before "
            "it is quantized, or choose other layers"
        )
    new = (to_double(tensor.detach().cpu()) * factor).to(tensor)
    if not bool(torch.isfinite(new).all()) or bool(((new == 0) & (tensor != 0)).any()):
        raise ValueError(f"'{name}' would overflow or vanish in {tensor.dtype}: choose a less extreme scale")
    return new


def _default_tolerance(model: nn.Module, norms: bool) -> float:
    """Return the largest change of the function that counts as none, relative to the largest output.

    It covers rounding, or is 1e-3 where the eps of a normalization matters.
    """
    precision = next(model.parameters()).dtype
    rounding = {torch.float64: 1e-9, torch.complex128: 1e-9, torch.float32: 1e-4, torch.complex64: 1e-4}
    return NORM_FUNCTION_TOLERANCE if norms else rounding.get(precision, 5e-2)


def _function_change(
    model: nn.Module, new: Mapping[str, Tensor], output: float, inputs: object, reading: OutputReader
) -> float:
    """Return the measured change of the function beyond the announced factor, relative to the largest output."""
    with measurement_mode(model), torch.no_grad():
        before, after = (nested_tensors(reading.call_at(model, by, Batch.from_nested(inputs))) for by in ({}, new))
    pairs = [(to_double(x) * output, to_double(y)) for x, y in zip(before, after, strict=True)]
    return max(float((x - y).abs().max() / x.abs().max().clamp_min(1e-300)) for x, y in pairs)


def _write_all_or_nothing(tensors: Mapping[str, Tensor], new: Mapping[str, Tensor]) -> None:
    """Write the new values, and restore the old ones if an exception occurs."""
    old = {name: tensors[name].detach().clone() for name in new}
    try:
        with torch.no_grad():
            for name, value in new.items():
                tensors[name].copy_(value)
    except BaseException:
        for name, value in old.items():
            tensors[name].data.copy_(value)
        raise
