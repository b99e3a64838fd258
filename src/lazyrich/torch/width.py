"""Check whether a parametrization transfers: the same training at several widths, and scaling exponents in the
width."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call

from lazyrich._validate.integers import check_int
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.probe.width_exponents import WidthCheck
from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.data_loader import cycle_batches
from lazyrich.torch._model.loss import LossFunction, check_loss
from lazyrich.torch._model.output_reader import Forward, OutputReader, copy_tensor_attributes, nested_tensors
from lazyrich.torch._model.preserve_model import NonFiniteModelError, _check_model, measurement_mode
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._probe.output_selection import select_outputs
from lazyrich.torch._probe.tangent_outputs import tangent_outputs
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch.kernel import kernel_of_reader

N_MEASURED_INPUTS = 16  # inputs on which layers, kernel and tangent model are measured


def width_check(
    make_model: Callable[[int], nn.Module],
    widths: Sequence[int],
    batches: Iterable[object],
    *,
    loss: LossFunction,
    optimizer: Callable[[nn.Module], torch.optim.Optimizer],
    steps: int = 5,
    seeds: int = 3,
    forward: Forward | None = None,
    inputs: object = None,
    tangent: bool = True,
) -> WidthCheck:
    r"""Train `make_model(n)` at several widths n, and fit how each measured quantity scales with n, layer by layer.

    Every width (and seed, which is set before the model is made) takes the same `steps` on the same `batches` (x, y)
    with its own `optimizer(model)` and `loss(outputs, y)`. On `inputs` (by default, some of the first batch) four
    quantities are measured for every layer: the size of its outputs, the contribution of its own update, $(W - W_0)x$,
    the change of its outputs, and S of their Gram matrix. For the model, S of the tangent kernel and the linearization
    gap are measured (not with `tangent=False`).

    A learning rate found at one width serves at others if the own updates of all layers keep their size: exponent 0. A
    layer with a negative exponent becomes lazy as the network grows, and one with a positive exponent explodes. The
    verdict gives the power of n by which to multiply the layer's rate. Sizes of outputs alone, as in a coordinate
    check, do not reveal a layer that stops learning.

    >>> def make(n):
    ...     return nn.Sequential(nn.Linear(4, n), nn.ReLU(), nn.Linear(n, 1))
    >>> draws = torch.Generator().manual_seed(3)
    >>> x, y = torch.randn(16, 4, generator=draws), torch.randn(16, 1, generator=draws)
    >>> found = width_check(
    ...     make,
    ...     (64, 256, 1024),
    ...     [(x, y)],
    ...     loss=nn.functional.mse_loss,
    ...     optimizer=lambda model: torch.optim.SGD(model.parameters(), lr=1e-4),
    ...     steps=1,
    ... )
    >>> print(found.verdict("0"))  # the standard parametrization: its first layer stops learning,
    becomes lazy with width: multiply its rate by n^(1/2)
    >>> print(found.verdict("2"))  # and its last one learns ever faster
    explodes with width: multiply its rate by n^(-1)
    """
    for name, factory in (("make_model", make_model), ("optimizer", optimizer)):
        if isinstance(factory, nn.Module) or not callable(factory):
            makes = "of the width, that makes a model" if name == "make_model" else "of the model, that makes one"
            raise TypeError(f"{name} must be a function {makes}; found {type(factory).__name__}")
    check_loss(loss)
    if not isinstance(widths, Iterable):
        raise TypeError(f"widths must be several whole numbers, such as (64, 256, 1024); found {widths!r:.60}")
    require_packages("width_check", "torch", "xarray")
    widths = sorted({check_int("a width", n) for n in widths})
    if len(widths) < 2:
        raise ValueError(f"exponents of width need at least two widths; found {widths}")
    times = _measurement_steps(check_int("steps", steps))
    training_batches = list(islice(cycle_batches(batches, torch.device("cpu"), steps), steps))
    fixed = Batch.from_nested(training_batches[0][0] if inputs is None else inputs)[:N_MEASURED_INPUTS]
    runs: dict[tuple[int, int], _WidthRun] = {}
    state = torch.get_rng_state()
    for seed in range(check_int("seeds", seeds)):
        for n in widths:
            torch.manual_seed(seed)
            model = unwrap_model(make_model(n))
            _check_model(model)
            runs[seed, n] = _train(model, training_batches, fixed, loss, optimizer, times, forward, tangent)
    torch.set_rng_state(state)
    return WidthCheck(_to_dataset(runs, widths, seeds, times))


@dataclass(frozen=True)
class _WidthRun:
    layers: Mapping[int, Mapping[str, Mapping[str, float]]]  # by step, layer and quantity
    whole: Mapping[str, float]
    optimizer: str


def _measurement_steps(steps: int) -> list[int]:
    """Return the steps 1, 2, 4, ... and the last one."""
    return sorted({*(2**k for k in range(steps.bit_length())), steps})


def _train(
    model: nn.Module,
    batches: Sequence[tuple[Batch, object]],
    inputs: Batch,
    loss: LossFunction,
    optimizer: Callable[[nn.Module], torch.optim.Optimizer],
    times: Sequence[int],
    forward: Forward | None,
    tangent: bool,
) -> _WidthRun:
    device = next(model.parameters()).device
    inputs = inputs.to(device)
    reading, _ = select_outputs(model, inputs, forward, None, None, 0)
    whole = OutputReader(forward)
    opt = optimizer(model)
    if not isinstance(opt, torch.optim.Optimizer):
        raise TypeError(
            "optimizer must be a function of the model that makes one, such as lambda model: "
            f"torch.optim.SGD(model.parameters(), lr=0.1); found one that gives {type(opt).__name__}"
        )
    words, start = OptimizerReader(model, opt).description, metrics.copy_trainable_parameters(model)
    first, _ = _observe_layers(model, whole, inputs, start)
    kernel = kernel_of_reader(model, inputs, reading) if tangent else None
    layers: dict[int, dict[str, dict[str, float]]] = {}
    for step, (x, y) in enumerate(batches, 1):
        opt.zero_grad()
        loss(whole.loss_input(model, x.to(device)), y.to(device) if isinstance(y, Tensor) else y).backward()
        opt.step()
        if step in times:
            now, size = _observe_layers(model, whole, inputs, start)
            layers[step] = {name: _compare_layers(now[name], first[name]) for name in now}
            for name, numbers in layers[step].items():
                unit = _output_scale(name == list(now)[-1], now[name], first[name], size)
                numbers["relative_update"] = unit * numbers["own_update"]
    return _WidthRun(layers, _measure_model(model, reading, inputs, start, kernel), words)


def _measure_model(
    model: nn.Module, reading: OutputReader, inputs: Batch, start: Mapping[str, Tensor], kernel: Tensor | None
) -> dict[str, float]:
    """Return the distance of the function to the start; given the initial kernel, also S and the linearization gap."""
    if kernel is None:
        with measurement_mode(model), torch.no_grad():
            now = reading(model, inputs)
            with metrics.parameters_set_to(model, start):
                return {"function_distance": metrics.rms(now - reading(model, inputs))}
    function = tangent_outputs(model, start, inputs, reading=reading)
    moved = metrics.rms(function.now - function.start)
    gap = metrics.rms(function.now - function.tangent) / moved if moved else np.nan
    try:
        many = reading.directions is not None
        K, K0 = (one.numpy(force=True) for one in (kernel_of_reader(model, inputs, reading), kernel))
        turned = metrics.sampled_kernel_distance(K, K0, len(inputs), len(inputs), many)
        S = turned.distance[0]
    except NonFiniteModelError:
        S = np.inf
    return {"function_distance": moved, "linearization_gap": gap, "kernel_distance": S}


@dataclass(frozen=True)
class _LayerObservation:
    """Outputs of a layer on the inputs (n, ·), and the size of the contribution of its weight updates since the
    start."""

    outputs: Tensor
    update: float


def _output_scale(last: bool, now: _LayerObservation, first: _LayerObservation, size: float) -> float:
    """Return the scale of one unit of a layer's output, since a multiplier may follow outside of the module.

    The outputs of a hidden layer are taken to be of order one after it, so they are measured relative to the start.
    Those of the last layer are taken to be the outputs of the model.
    """
    begun, present = metrics.rms(first.outputs), metrics.rms(now.outputs)
    if last:
        return size / present if present > 0 else 1.0
    return 1 / begun if begun > 0 else 1.0


def _observe_layers(
    model: nn.Module, reading: OutputReader, inputs: Batch, start: Mapping[str, Tensor]
) -> tuple[dict[str, _LayerObservation], float]:
    """Return the layers in the order of their first calls, and the size of the model's outputs."""
    outputs_of: dict[str, list[tuple[Tensor, Tensor]]] = {}
    with measurement_mode(model), torch.no_grad(), _record_layers(model, start, outputs_of):
        outputs = reading.loss_input(model, inputs)
    n = len(inputs)
    observations = {}
    for name, calls in outputs_of.items():
        parts = [out.double().reshape(n, -1) if out.numel() % n == 0 else out.double()[None] for out, _ in calls]
        updates = torch.cat([update.double().flatten() for _, update in calls])
        if len({len(part) for part in parts}) == 1:
            observations[name] = _LayerObservation(torch.cat(parts, 1), float(updates.square().mean().sqrt()))
    return observations, metrics.rms(outputs)


@contextmanager
def _record_layers(
    model: nn.Module, start: Mapping[str, Tensor], outputs_of: dict[str, list[tuple[Tensor, Tensor]]]
) -> Iterator[None]:
    """Record in `outputs_of` the outputs of the layers in a forward pass, and the part that weight updates since the
    start contribute."""
    handles, inside = [], [False]

    def record(name: str, own: Mapping[str, Tensor]) -> Callable[..., None]:
        def hook(module: nn.Module, args: Any, kwargs: Any, output: object) -> None:
            if inside[0]:
                return
            inside[0] = True
            try:
                before = nested_tensors(
                    functional_call(module, dict(copy_tensor_attributes(module, own)), args, kwargs)
                )
            finally:
                inside[0] = False
            out = nested_tensors(output)
            if out and out[0].is_floating_point():
                outputs_of.setdefault(name, []).append((out[0].detach().clone(), out[0].detach() - before[0]))

        return hook

    for name, module in weighted_modules(model).items():
        own = {k: start[f"{name}.{k}" if name else k] for k, _ in module.named_parameters()
               if (f"{name}.{k}" if name else k) in start}  # fmt: skip
        handles.append(module.register_forward_hook(record(name, own), with_kwargs=True))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def weighted_modules(model: nn.Module) -> dict[str, nn.Module]:
    """Return the modules that own trainable weights and are called as a unit."""
    modules = {}
    for name, module in model.named_modules():
        own = any(p.requires_grad for p in module.parameters(recurse=False))
        deeper = any(True for child in module.children() for _ in child.parameters())
        if own and (not deeper or isinstance(module, nn.MultiheadAttention)):
            modules[name] = module
    return modules


def _compare_layers(now: _LayerObservation, first: _LayerObservation) -> dict[str, float]:
    one, other = (x.outputs @ x.outputs.T for x in (now, first))
    size = float(one.norm() * other.norm())
    # 1 − cos, from the difference of unit vectors, which is accurate even where it is small.
    apart = one / max(float(one.norm()), 1e-300) - other / max(float(other.norm()), 1e-300)
    return {
        "activation": metrics.rms(now.outputs),
        "change": metrics.rms(now.outputs - first.outputs),
        "own_update": now.update,
        "feature_distance": float(apart.square().sum()) / 2 if size > 0 else np.nan,
    }


def _to_dataset(
    runs: Mapping[tuple[int, int], _WidthRun], widths: Sequence[int], seeds: int, times: Sequence[int]
) -> Any:
    import xarray

    first = runs[0, widths[0]]
    layers = [name for name in first.layers[times[0]] if all(name in run.layers[times[0]] for run in runs.values())]
    data: dict[str, Any] = {}
    for name in ("activation", "change", "own_update", "relative_update", "feature_distance"):
        table = [[[[runs[s, n].layers[t][layer][name] for layer in layers] for t in times] for n in widths]
                 for s in range(seeds)]  # fmt: skip
        data[name] = (
            ("seed", "width", "step", "layer"),
            np.array(table, float).reshape(seeds, len(widths), len(times), -1),
        )
    for name in first.whole:
        data[name] = (
            ("seed", "width"),
            np.array([[runs[s, n].whole[name] for n in widths] for s in range(seeds)], float),
        )
    coords = {"seed": list(range(seeds)), "width": list(widths), "step": list(times), "layer": layers}
    return xarray.Dataset(data, coords, attrs={"optimizer": first.optimizer})
