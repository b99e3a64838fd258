"""Observe what each layer contributes in a forward pass: its outputs now, and those with its initial weights."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader, copy_tensor_attributes, nested_tensors
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters


@dataclass(frozen=True)
class LayerObservation:
    """Outputs of a layer on the inputs (n, ·) now, and those of its initial weights on the same inputs of the layer.

    `input_size` is the root mean square of what the layer receives, and `width` the last axis of its outputs.
    """

    outputs: Tensor
    with_initial_weights: Tensor
    input_size: float
    width: int


@dataclass(frozen=True)
class ForwardObservation:
    """Layers and arguments of softmax, each in the order of their first calls, and the outputs of the model."""

    layers: dict[str, LayerObservation]
    softmax: dict[str, Tensor]
    outputs: Tensor


def weighted_modules(model: nn.Module) -> dict[str, nn.Module]:
    """Return the modules that own trainable weights and are called as a unit."""
    modules = {}
    for name, module in model.named_modules():
        own = any(p.requires_grad for p in module.parameters(recurse=False))
        deeper = any(True for child in module.children() for _ in child.parameters())
        if own and (not deeper or isinstance(module, nn.MultiheadAttention)):
            modules[name] = module
    return modules


def observe_layers(
    model: nn.Module, reader: OutputReader, inputs: Batch, start: Mapping[str, Tensor]
) -> ForwardObservation:
    """Run the model once, in evaluation mode, and return what its layers and softmaxes received and returned."""
    calls: dict[str, list[tuple[Tensor, Tensor, float]]] = {}
    softmax: dict[str, list[Tensor]] = {}
    repeating = [False]  # whether a layer is run again, with its initial weights
    with (
        measurement_mode(model),
        torch.no_grad(),
        sdpa_kernel(SDPBackend.MATH),  # fused attention hides its softmax
        _record_layers(model, start, calls, repeating),
        _record_softmax(model, softmax, repeating),
    ):
        outputs = reader.loss_input(model, inputs)
    n, layers = len(inputs), {}
    for name, several in calls.items():
        now = [_by_sample(call[0], n) for call in several]
        initial = [_by_sample(call[1], n) for call in several]
        if len({len(part) for part in now}) == 1:
            width = several[-1][0].shape[-1] if several[-1][0].ndim else 1
            layers[name] = LayerObservation(torch.cat(now, 1), torch.cat(initial, 1), several[0][2], width)
    flat = {name: torch.cat([part.double().flatten() for part in parts]) for name, parts in softmax.items()}
    return ForwardObservation(layers, flat, outputs)


def _by_sample(output: Tensor, n: int) -> Tensor:
    return output.double().reshape(n, -1) if output.numel() % n == 0 else output.double().flatten()[None]


@contextmanager
def _record_layers(
    model: nn.Module,
    start: Mapping[str, Tensor],
    calls: dict[str, list[tuple[Tensor, Tensor, float]]],
    repeating: list[bool],
) -> Iterator[None]:
    """Record the outputs of the layers in a forward pass, with the current and with the initial weights."""
    names = {id(p): name for name, p in trainable_parameters(model).items()}
    handles = []

    def record(name: str, own: Mapping[str, Tensor]) -> Callable[..., None]:
        def hook(module: nn.Module, args: Any, kwargs: Any, output: object) -> None:
            if repeating[0]:
                return
            repeating[0] = True
            try:
                before = nested_tensors(
                    functional_call(module, dict(copy_tensor_attributes(module, own)), args, kwargs)
                )
            finally:
                repeating[0] = False
            out, received = nested_tensors(output), nested_tensors((args, kwargs))
            if out and out[0].is_floating_point():
                size = metrics.rms(received[0]) if received and received[0].is_floating_point() else float("nan")
                calls.setdefault(name, []).append((out[0].detach().clone(), before[0].detach(), size))

        return hook

    for name, module in weighted_modules(model).items():
        # a tied weight is listed under the name of its first use
        own = {k: start[names[id(p)]] for k, p in module.named_parameters() if id(p) in names}
        handles.append(module.register_forward_hook(record(name, own), with_kwargs=True))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class _SoftmaxRecorder(TorchDispatchMode):
    """Calls `record` with the finite entries of every argument of softmax."""

    def __init__(self, record: Callable[[Tensor], None]) -> None:
        super().__init__()
        self.record = record

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.overloadpacket in (torch.ops.aten._softmax, torch.ops.aten._safe_softmax):
            self.record(args[0][torch.isfinite(args[0])].clone())
        return func(*args, **(kwargs or {}))


@contextmanager
def _record_softmax(model: nn.Module, found: dict[str, list[Tensor]], repeating: list[bool]) -> Iterator[None]:
    """Record the arguments of softmax by the module that computes it."""
    stack, handles = [""], []
    for name, module in model.named_modules():
        handles.append(module.register_forward_pre_hook(lambda m, args, name=name: stack.append(name)))
        handles.append(module.register_forward_hook(lambda *_: (stack.pop(), None)[1]))

    def record(logits: Tensor) -> None:
        if not repeating[0]:
            found.setdefault(stack[-1], []).append(logits)

    with _SoftmaxRecorder(record):
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
