"""Restore the user's model exactly after a measurement, and raise an explanatory error for models that cannot be
measured."""

import copy
import random
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.dtypes import isfinite, to_double, widen_half_precision
from lazyrich.torch._model.output_reader import DEFAULT_READER, SAMPLES_PER_PASS, OutputReader, nested_tensors
from lazyrich.torch._model.sample_independence import check_independent, check_repeatable, check_width

__all__ = [
    "SAMPLES_PER_PASS",
    "NonFiniteModelError",
    "check_outputs",
    "copy_of",
    "isfinite",
    "measurement_mode",
    "preserve_model",
    "to_double",
    "trainable_parameters",
    "widen_half_precision",
]

SHARDED_MESSAGE = (
    "none of them holds the weights, so none can measure them. A Probe gathers models of fully_shard (FSDP2). For "
    "others, load the full state dict into a plain copy of the model in the first process, and measure that"
)


class NonFiniteModelError(ValueError):
    """Weights, outputs or derivatives are NaN or infinite, so there is nothing to measure."""


@contextmanager
def preserve_model(model: nn.Module) -> Iterator[None]:
    """Restore the model on exit, even after an exception.

    It restores the values of parameters and buffers, every `.grad` (None inside, so that nothing accumulates into
    it), `requires_grad`, each module's mode, hooks and other attributes, and the global random states of torch on the
    CPU and on the model's devices, of NumPy and of Python. The user's hooks stay active inside.

    >>> model = nn.BatchNorm1d(2)
    >>> with preserve_model(model):
    ...     _ = model.eval().running_mean.fill_(7.0)
    >>> model.training, model.running_mean.tolist()
    (True, [0.0, 0.0])
    """
    tensors = [*model.parameters(), *model.buffers()]
    values = [(t, t.data, t.data.clone(), t.grad, t.requires_grad) for t in tensors]
    modules = [(m, m.training, dict(m.__dict__), _module_contents(m)) for m in model.modules()]
    cards = sorted({t.device.index or 0 for t in tensors if t.device.type == "cuda"})
    numbers = get_rng_state()
    for tensor in tensors:
        tensor.grad = None
    try:
        with torch.random.fork_rng(devices=cards):
            yield
    finally:
        set_rng_state(numbers)
        for module, training, attributes, contents in modules:
            module.__dict__.clear()
            module.__dict__.update(attributes)
            for container, content in contents:
                container.clear()
                (container.update if hasattr(container, "update") else container.extend)(content)
            if module.training != training:  # scripted modules do not keep their mode in __dict__
                module.training = training
        for tensor, data, copy, grad, trained in values:
            tensor.data = data  # through .data, so that an autograd graph of the user's with this tensor stays valid
            if not torch.equal(data, copy):
                data.copy_(copy)
            tensor.requires_grad_(trained)
            tensor.grad = grad


def get_rng_state() -> tuple[Any, Any]:
    """Return the states of NumPy's and of Python's global generator."""
    return np.random.get_state(), random.getstate()  # noqa: NPY002


def set_rng_state(state: tuple[Any, Any]) -> None:
    np.random.set_state(state[0])  # noqa: NPY002
    random.setstate(state[1])


def _module_contents(module: nn.Module) -> list[tuple[Any, Any]]:
    """Return the module's dictionaries (parameters, buffers, children, hooks, ...), sets and lists, each with a
    copy."""
    kinds = (dict, set, list, deque)
    return [(value, value.copy()) for value in module.__dict__.values() if isinstance(value, kinds)]


def copy_of(model: nn.Module) -> nn.Module:
    """Copy a model, including one with non-leaf tensors, which `copy.deepcopy` refuses; these are detached and cloned.

    The weights of `torch.nn.utils.weight_norm`, which every forward pass computes anew, are such tensors.
    """
    stored_tensors = [x for module in model.modules() for x in nested_tensors(module.__dict__)]
    return copy.deepcopy(model, {id(x): x.detach().clone() for x in stored_tensors if not x.is_leaf})


@contextmanager
def measurement_mode(model: nn.Module) -> Iterator[None]:
    """Enter `preserve_model` with the model in eval mode, gradients on and full precision, whatever the caller's
    context."""
    kinds = {p.device.type for p in model.parameters()} or {"cpu"}
    plainly = torch.autocast(min(kinds), enabled=False)
    with preserve_model(model), torch.inference_mode(False), torch.enable_grad(), plainly, full_precision(model):
        try:
            model.eval()
        except NotImplementedError as error:  # exported programs
            raise ValueError(
                f"{type(model).__name__} cannot be switched to evaluation mode ({error}): give the module that it was "
                "made of"
            ) from error
        for table in model.modules():
            if isinstance(table, (nn.Embedding, nn.EmbeddingBag)):
                table.sparse = False  # a sparse gradient has no derivative
        yield


@contextmanager
def full_precision(model: nn.Module) -> Iterator[None]:
    """Disable TF32 and bfloat16 in float32 products, and kernels that have no derivative in eval mode."""
    backends: Any = torch.backends
    switches: list[tuple[Any, str, Any]]
    # PyTorch 2.9, where reading the older switches may raise an error
    if hasattr(backends.cuda.matmul, "fp32_precision"):
        parts = [part for library in (backends.cudnn, backends.mkldnn) for part in (library.conv, library.rnn)]
        parts += [backends.cuda.matmul, backends.mkldnn.matmul]
        switches = [(part, "fp32_precision", "ieee") for part in parts]
    else:
        switches = [(part, "allow_tf32", False) for part in (backends.cuda.matmul, backends.cudnn)]
    if any(isinstance(module, nn.RNNBase) for module in model.modules()):
        # cuDNN's recurrent layers have a backward pass in training mode only
        switches.append((backends.cudnn, "enabled", False))
    before = [getattr(part, name) for part, name, _ in switches]
    fast = backends.mha.get_fastpath_enabled()
    try:
        for part, name, value in switches:
            setattr(part, name, value)
        backends.mha.set_fastpath_enabled(False)  # the fast path of attention has no derivative
        yield
    finally:
        for (part, name, _), value in zip(switches, before, strict=True):
            setattr(part, name, value)
        backends.mha.set_fastpath_enabled(fast)


def trainable_parameters(model: nn.Module) -> dict[str, nn.Parameter]:
    """Return the trainable parameters by name, in the model's order; a shared one once, under its first name.

    >>> model = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU(), nn.Linear(3, 1))
    >>> _ = model[2].bias.requires_grad_(False)
    >>> list(trainable_parameters(model))
    ['0.weight', '2.weight']
    """
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def check_outputs(model: nn.Module, inputs: object, reading: OutputReader = DEFAULT_READER) -> Tensor:
    """Return the outputs in eval mode, of shape (n, c) (c = 1 if the model returns (n,)), or raise an error that
    explains why the model cannot be measured.

    It raises an error for: no trainable parameters, NaN or infinite weights, lazy (uninitialized) layers, empty or
    non-finite inputs, a forward pass that raises (the layer is named), outputs that are not finite floats of shape
    (n, c) or (n,), that differ from pass to pass, or where samples depend on each other.

    >>> check_outputs(nn.Linear(3, 2), torch.ones(5, 3)).shape
    torch.Size([5, 2])
    >>> check_outputs(nn.Linear(3, 2), torch.ones(5, 4))
    Traceback (most recent call last):
    ValueError: the forward pass raised in the model itself (Linear) on an input of shape (5, 4), torch.float32: ...
    """
    check_model(model)
    batch = Batch.from_nested(inputs)
    with measurement_mode(model), torch.no_grad(), name_layer_in_errors(model, reading) as run:

        def outputs(part: Batch) -> Tensor:
            return reading.select(run(part), len(part))

        parts = [outputs(part) for part in batch.split(reading.chunk)]
        check_width(*parts)
        values = torch.cat(parts)
        if not bool(torch.isfinite(values).all()):
            bad = int(torch.nonzero(~torch.isfinite(values).all(1))[0])
            raise NonFiniteModelError(
                f"the model's output is NaN or infinite on sample {bad}; there is no kernel to measure"
            )
        first = batch[: reading.chunk]
        check_repeatable(model, outputs, first, values[: len(first)])
        check_independent(model, outputs, batch, values, reading)
    return values


def check_model(model: nn.Module) -> None:
    """Raise an error for a model that cannot be measured, with the reason."""
    if not isinstance(model, nn.Module):
        raise ValueError(f"a model must be a torch.nn.Module; found {type(model).__name__}")
    if isinstance(model, torch.jit.ScriptModule):
        raise ValueError("a scripted model hides its layers: give the module that it was made of, or a copy of it")
    if torch.empty(0).is_meta:
        raise ValueError(
            "the default device is 'meta', on which nothing has values: measure outside of "
            "`with torch.device('meta')`, or after torch.set_default_device('cpu')"
        )
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if torch.nn.parameter.is_lazy(tensor):
            raise ValueError(f"'{name}' has no shape yet (a lazy layer): run the model once on a batch first")
        if tensor.is_meta:
            raise ValueError(
                f"'{name}' has no values (device meta): load or initialize the model first, after "
                "model.to_empty(device='cpu')"
            )
        if hasattr(tensor, "full_tensor") or getattr(tensor, "_is_flat_param", False):
            raise ValueError(f"'{name}' is spread over several processes (a DTensor, or FSDP): {SHARDED_MESSAGE}")
        if tensor.layout != torch.strided:
            raise ValueError(f"'{name}' is sparse ({tensor.layout}): store it densely, as {name}.to_dense()")
        if tensor.is_inference():
            raise ValueError(
                f"'{name}' was made in torch.inference_mode(), where nothing can be learned: make the model outside of "
                "it, or measure copy.deepcopy(model)"
            )
        if not bool(isfinite(tensor).all()):
            count = int((~isfinite(tensor)).sum())
            raise NonFiniteModelError(
                f"'{name}' has {count} of {tensor.numel()} entries that are NaN or infinite; the model has diverged "
                "or was not initialized: measure an earlier state"
            )
    if not trainable_parameters(model):
        total = sum(1 for _ in model.parameters())
        reason = f"all {total} have requires_grad=False" if total else "it has none at all"
        raise ValueError(
            f"{type(model).__name__} has no trainable parameters: {reason}. Without them nothing is learned"
        )


@contextmanager
def name_layer_in_errors(model: nn.Module, reading: OutputReader = DEFAULT_READER) -> Iterator[Callable[[Batch], Any]]:
    """Yield a function that calls the model on a batch, and names the innermost layer in the error if one occurs."""
    stack: list[tuple[str, nn.Module, Any]] = []
    for name, module in model.named_modules():
        if not isinstance(module, torch.jit.ScriptModule):
            module.register_forward_pre_hook(lambda m, args, name=name: stack.append((name, m, args)))
            module.register_forward_hook(lambda *_: (stack.pop(), None)[1])

    def run(batch: Batch) -> Any:
        stack.clear()
        try:
            return reading.call(model, batch)
        except Exception as error:
            name, module, args = stack[-1] if stack else ("", model, ())
            where = f"layer '{name}'" if name else "the model itself"
            got = next((a for a in args if isinstance(a, Tensor)), batch.tensors[0])
            plain = len(batch.tensors) == 1 or any(a is got for a in args)
            what = f"an input of shape {tuple(got.shape)}, {got.dtype}" if plain else batch.description
            raise ValueError(
                f"the forward pass raised in {where} ({type(module).__name__}) on {what}: {error}"
                + (
                    _shape_advice(got, module)
                    if plain
                    else ". Is it called as it should be? forward=lambda model, batch: ..."
                )
            ) from error

    yield run


def _shape_advice(got: Tensor, module: nn.Module) -> str:
    weight = next(module.parameters(), None)
    if isinstance(module, nn.Embedding) and got.is_floating_point():
        return ". An embedding takes integer tokens: pass inputs.long()"
    if weight is None or isinstance(module, nn.Embedding):
        return ""
    if got.dtype != weight.dtype:
        return f". The weights are {weight.dtype}: pass inputs.to({weight.dtype})"
    if got.device != weight.device:
        return f". The weights are on {weight.device}: pass inputs.to('{weight.device}')"
    return ""
