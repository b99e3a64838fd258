"""Compare a model with its tangent model, f(θ₀) + ∂f(θ₀)(θ − θ₀)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.func import jvp
from torch.nn.attention import SDPBackend, sdpa_kernel

from lazyrich.torch._jacobian.forward_mode import load_forward_rules
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import DEFAULT_READER, OutputReader
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters, widen_half_precision

Function = Callable[[dict[str, Tensor]], Tensor]


@dataclass(frozen=True)
class TangentOutputs:
    """Outputs (n, c) at the current parameters, at the initial ones, and of the tangent model at the current ones.

    If there is no tangent model, `tangent` is NaN and `reason_missing` says why; otherwise it is empty.
    """

    now: Tensor
    start: Tensor
    tangent: Tensor
    reason_missing: str = ""


def tangent_outputs(
    model: nn.Module,
    start: Mapping[str, Tensor],
    inputs: object,
    block: int | None = None,
    reading: OutputReader = DEFAULT_READER,
    outputs: Tensor | None = None,
) -> TangentOutputs:
    """Evaluate the model, and its tangent model at the trainable parameters `start`, in evaluation mode.

    Both use the current buffers, since changed running statistics of batch norm are not learning. Half precision is
    widened to float32, because it is too coarse for differences. Current `outputs`, if given, are not computed again.

    >>> model = nn.Linear(2, 1)
    >>> start = {name: value.detach().clone() for name, value in model.named_parameters()}
    >>> _ = model.bias.data.add_(1.0)
    >>> found = tangent_outputs(model, start, torch.eye(2))
    >>> bool(torch.allclose(found.now, found.tangent)), (found.now - found.start).round().flatten().tolist()
    (True, [1.0, 1.0])
    """
    own = dict([*model.named_parameters(), *model.named_buffers()])
    present = {name: widen_half_precision(value.detach()) for name, value in own.items()}
    begin = {name: start[name].to(present[name]) for name in trainable_parameters(model)}
    direction = {name: present[name] - value for name, value in begin.items()}
    still = not any(bool(change.any()) for change in direction.values())
    if any(present[name].dtype != value.dtype for name, value in own.items()):
        outputs = None  # given outputs have half precision
    pieces: list[tuple[Tensor, Tensor, Tensor]] = []
    without = ""
    with (
        measurement_mode(model),
        sdpa_kernel(SDPBackend.MATH),
        torch.no_grad(),
    ):  # fused attention has no forward-mode derivative
        done = 0
        for piece in Batch.from_nested(inputs).map(widen_half_precision).split(block or reading.chunk):

            def function(values: dict[str, Tensor], piece: Batch = piece) -> Tensor:
                return reading.outputs_at(model, {**present, **values}, piece)

            now = function({}) if outputs is None else outputs[done : done + len(piece)]
            done += len(piece)
            if still:
                pieces.append((now, now, now))
                continue
            try:
                value, change = value_and_jvp(function, begin, direction)
            except RuntimeError as error:
                without = str(error).partition("\n")[0]
                value, change = function(begin), torch.full_like(now, torch.nan)
            pieces.append((now, value, value + change))
    found, value, tangent = (torch.cat(parts) for parts in zip(*pieces, strict=True))
    return TangentOutputs(found, value, tangent, without)


def value_and_jvp(function: Function, start: dict[str, Tensor], direction: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the value of a function at the start, and its derivative in a direction."""
    load_forward_rules()
    try:
        value, change, *_ = jvp(function, (start,), (direction,))
        return value.detach(), change.detach()
    except RuntimeError:
        # Some layers (recurrent ones, weight norm, custom functions) have no forward-mode derivative.
        return _jvp_by_double_backward(function, start, direction)


def _jvp_by_double_backward(
    function: Function, start: dict[str, Tensor], direction: dict[str, Tensor]
) -> tuple[Tensor, Tensor]:
    """Compute `value_and_jvp` by differentiating the backward pass, which is linear in the output weights u."""
    with torch.enable_grad():
        values = {name: value.detach().clone().requires_grad_() for name, value in start.items()}
        out = function(values)
        generator = torch.Generator().manual_seed(0)
        u = torch.randn(out.shape, generator=generator).to(out).requires_grad_()
        slopes = torch.autograd.grad(out, list(values.values()), u, create_graph=True, allow_unused=True)
        reached = [(s, d) for s, d in zip(slopes, direction.values(), strict=True) if s is not None]
        expected = sum(float((slope.detach().conj() * moved).real.double().sum()) for slope, moved in reached)
        reached = [(slope, moved) for slope, moved in reached if slope.requires_grad]
        change = torch.zeros_like(out)
        if reached:
            (change,) = torch.autograd.grad([s for s, _ in reached], u, [d for _, d in reached], materialize_grads=True)
    # The result would be wrong without an error if a backward pass hides its input from autograd (`.data`, numpy).
    by_double_backward, size = float((u * change).double().sum()), float((u * change).abs().double().sum())
    if not abs(by_double_backward - expected) <= 1e-3 * max(size, abs(expected)):
        raise RuntimeError("the backward pass of some layer cannot be differentiated, and it has no forward derivative")
    return out.detach(), change.detach()
