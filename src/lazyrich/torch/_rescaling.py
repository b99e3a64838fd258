"""Multiplying parameters: everything is computed and checked first, then written, all or nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich.torch._guard import measuring
from lazyrich.torch._rates import Rates
from lazyrich.torch._reading import flat
from lazyrich.torch._span import Span


@dataclass(frozen=True)
class Rescaling:
    """What a knob changed, or with dry_run would change."""

    first: str
    last: str
    factors: Mapping[str, float | Tensor]  # of each parameter and running statistic that changes
    delta: tuple[float, float] | None  # before and after; None across a normalisation, where none is conserved
    tau: tuple[float, float] | None
    output: float  # the outputs are multiplied by this
    norms: tuple[str, ...]
    applied: bool
    change: float | None = None  # measured on inputs, relative to the largest output

    def __str__(self) -> str:
        lines = [f"{'rescaled' if self.applied else 'would rescale'} {self.first} → {self.last}"]
        by_factor: dict[str, list[str]] = {}
        for name, c in self.factors.items():
            by_factor.setdefault(f"{c:.6g}" if isinstance(c, float) else "one factor per unit", []).append(name)
        lines += [f"  × {c}: {', '.join(names)}" for c, names in by_factor.items()]
        if self.delta and self.tau:
            lines.append(f"  δ: {self.delta[0]:.4g} → {self.delta[1]:.4g}, τ: {self.tau[0]:.4g} → {self.tau[1]:.4g}")
        for where in self.norms:
            lines.append(f"  {where} takes the scale out again (up to its eps): nothing behind it was touched")
        kept = "kept" if self.output == 1 else f"changed: outputs × {self.output:.6g} = (τ/τ₀)²"
        measured = "" if self.change is None else f" (measured difference {self.change:.1e})"
        return "\n".join([*lines, f"  function {kept}{measured}"])


def turn(
    model: nn.Module,
    here: Span,
    factors: Mapping[str, float | Tensor],
    rates: Rates,
    output: float,
    inputs: Any,
    dry_run: bool,
) -> Rescaling:
    """Compute everything, check it, and only then write."""
    tensors = dict(model.named_parameters()) | dict(model.named_buffers())
    new = {name: _multiplied(name, tensors[name], factor) for name, factor in factors.items()}
    change = None if inputs is None else _change(model, new, output, inputs, bool(here.norms))
    states = ({name: by.get(name, p) for name, p in model.named_parameters()} for by in ({}, new))
    sizes = [np.array(here.sizes(state, rates)) for state in states]
    delta, tau = zip(
        *((float(x[0] - x[1]), float(np.sqrt(np.sqrt(x.prod()) / here.root(rates)))) for x in sizes), strict=True
    )
    if not dry_run:
        _write(tensors, new)
    conserved = not here.norms
    return Rescaling(here.first.name, here.last.name, dict(factors), delta if conserved else None,
                     tau if conserved else None, output, here.norms, not dry_run, change)  # fmt: skip


def _multiplied(name: str, tensor: Tensor, factor: float | Tensor) -> Tensor:
    new = (tensor.detach().cpu().double() * factor).to(tensor)
    if not bool(torch.isfinite(new).all()) or bool(((new == 0) & (tensor != 0)).any()):
        raise ValueError(f"'{name}' would overflow or vanish in {tensor.dtype}: choose a less extreme scale")
    return new


def _change(model: nn.Module, new: Mapping[str, Tensor], output: float, inputs: Any, norms: bool) -> float:
    """The measured change of the function beyond the announced factor, relative to the largest output."""
    with measuring(model), torch.no_grad():
        before, after = (torch.func.functional_call(model, dict(by), (inputs,)) for by in ({}, new))
    pairs = [(x.double() * output, y.double()) for x, y in zip(flat(before), flat(after), strict=True)]
    gap = max(float((x - y).abs().max() / x.abs().max().clamp_min(1e-300)) for x, y in pairs)
    slack = {torch.float64: 1e-9, torch.float32: 1e-4}.get(next(model.parameters()).dtype, 5e-2)
    if not norms and not gap < slack:
        raise ValueError(
            f"the outputs would change by {gap:.1e} of the largest: something in the forward pass sees the scale and "
            "was not seen here (a custom autograd function? a hook?). Nothing was changed"
        )
    return gap


def _write(tensors: Mapping[str, Tensor], new: Mapping[str, Tensor]) -> None:
    """All or nothing."""
    old = {name: tensors[name].detach().clone() for name in new}
    try:
        with torch.no_grad():
            for name, value in new.items():
                tensors[name].copy_(value)
    except BaseException:
        for name, value in old.items():
            tensors[name].data.copy_(value)
        raise
