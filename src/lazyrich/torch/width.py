"""Check whether a parametrization transfers: the same training at several widths, and scaling exponents in the
width."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich._validate.integers import check_int
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.probe.width_exponents import WidthCheck
from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.data_loader import cycle_batches
from lazyrich.torch._model.loss import LossFunction, check_loss
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import NonFiniteModelError, check_model, measurement_mode
from lazyrich.torch._probe.layer_updates import ForwardObservation, LayerObservation, observe_layers, weighted_modules
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._probe.output_selection import select_outputs
from lazyrich.torch._probe.tangent_outputs import tangent_outputs
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch.kernel import kernel_of_reader

Optimizers = torch.optim.Optimizer | Sequence[torch.optim.Optimizer]

N_MEASURED_INPUTS = 16  # inputs on which layers, kernel and tangent model are measured


def width_check(
    make_model: Callable[[int], nn.Module],
    widths: Sequence[int],
    batches: Iterable[object],
    *,
    loss: LossFunction,
    optimizer: Callable[[nn.Module], Optimizers],
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
            check_model(model)
            runs[seed, n] = _train(model, training_batches, fixed, loss, optimizer, times, forward, tangent)
    torch.set_rng_state(state)
    return WidthCheck(_to_dataset(runs, widths, seeds, times))


@dataclass(frozen=True)
class _WidthRun:
    layers: Mapping[int, Mapping[str, Mapping[str, float]]]  # by step, layer and quantity
    softmax: Mapping[int, Mapping[str, Mapping[str, float]]]  # by step, module and quantity
    parameters: Mapping[str, Mapping[str, float]]  # by parameter and quantity
    whole: Mapping[str, float]
    tied: tuple[str, ...]
    optimizer: str


def _measurement_steps(steps: int) -> list[int]:
    """Return the steps 1, 2, 4, ... and the last one."""
    return sorted({*(2**k for k in range(steps.bit_length())), steps})


def _train(
    model: nn.Module,
    batches: Sequence[tuple[Batch, object]],
    inputs: Batch,
    loss: LossFunction,
    optimizer: Callable[[nn.Module], Optimizers],
    times: Sequence[int],
    forward: Forward | None,
    tangent: bool,
) -> _WidthRun:
    inputs = inputs.to(next(model.parameters()).device)
    reading, _ = select_outputs(model, inputs, forward, None, None, 0)
    whole = OutputReader(forward)
    optimizers = make_optimizers(model, optimizer)
    reader, start = OptimizerReader(model, list(optimizers)), metrics.copy_trainable_parameters(model)
    first = observe_layers(model, whole, inputs, start)
    kernel = kernel_of_reader(model, inputs, reading) if tangent else None
    layers: dict[int, dict[str, dict[str, float]]] = {}
    softmax: dict[int, dict[str, dict[str, float]]] = {}
    for step, (x, y) in enumerate(batches, 1):
        train_step(model, optimizers, whole, loss, x, y)
        if step in times:
            now = observe_layers(model, whole, inputs, start)
            readout, size = _readout(now), metrics.rms(now.outputs)
            layers[step] = {
                name: _compare_layers(one, first.layers[name], size if name == readout else None)
                for name, one in now.layers.items()
            }
            softmax[step] = {
                name: {"logit_size": metrics.rms(first.softmax[name]), "logit_change": metrics.rms(z - old)}
                for name, z in now.softmax.items()
                if (old := first.softmax.get(name)) is not None and len(old) == len(z) > 0
            }
    groups, decays = reader.groups_by_name(), reader.decays_of_a_step()
    parameters = {
        name: {
            "rate": float(group.get("lr", np.nan)),
            "weight_decay": float(group.get("weight_decay", 0.0)),
            "decay": decays[name],
            "axes": float(start[name].ndim),
        }
        for name, group in groups.items()
    }
    measured = _measure_model(model, reading, inputs, start, kernel)
    return _WidthRun(layers, softmax, parameters, measured, _tied_layers(model), reader.description)


def make_optimizers(
    model: nn.Module, optimizer: Callable[[nn.Module], Optimizers]
) -> tuple[torch.optim.Optimizer, ...]:
    """Return the optimizers of a model, or raise an error if the function does not make one or several."""
    made = optimizer(model)
    several = made if isinstance(made, list | tuple) else [made]
    for one in several:
        if not isinstance(one, torch.optim.Optimizer):
            raise TypeError(
                "optimizer must be a function of the model that makes one, or a list of several, such as lambda model: "
                f"torch.optim.SGD(model.parameters(), lr=0.1); found one that gives {type(one).__name__}"
            )
    return tuple(several)


def train_step(
    model: nn.Module,
    optimizers: Sequence[torch.optim.Optimizer],
    reader: OutputReader,
    loss: LossFunction,
    x: Batch,
    y: object,
) -> None:
    """Take one step on one batch."""
    device = next(model.parameters()).device
    for one in optimizers:
        one.zero_grad()
    loss(reader.loss_input(model, x.to(device)), y.to(device) if isinstance(y, Tensor) else y).backward()
    for one in optimizers:
        one.step()


def _readout(observed: ForwardObservation) -> str | None:
    """Return the last layer if its outputs are those of the model, up to a multiplier and a selection."""
    name, last = next(reversed(observed.layers.items()))
    width = observed.outputs.shape[-1] if observed.outputs.ndim > 1 else 1
    return name if last.width in (1, width) else None


def _tied_layers(model: nn.Module) -> tuple[str, ...]:
    """Return the layers whose weight is that of an earlier layer."""
    owners: dict[int, str] = {}
    return tuple(
        name
        for name, module in weighted_modules(model).items()
        if any(owners.setdefault(id(p), name) != name for p in module.parameters())
    )


def _measure_model(
    model: nn.Module, reading: OutputReader, inputs: Batch, start: Mapping[str, Tensor], kernel: Tensor | None
) -> dict[str, float]:
    """Return the distance of the function to the start; given the initial kernel, also S and the linearization gap."""
    if kernel is None:
        with measurement_mode(model), torch.no_grad():
            now = reading(model, inputs)
            with metrics.parameters_set_to(model, start):
                return {"function_distance": metrics.rms(now - reading(model, inputs))}
    outputs = tangent_outputs(model, start, inputs, reading=reading)
    distance = metrics.rms(outputs.now - outputs.start)
    gap = metrics.rms(outputs.now - outputs.tangent) / distance if distance else np.nan
    try:
        many = reading.directions is not None
        K, K0 = (one.numpy(force=True) for one in (kernel_of_reader(model, inputs, reading), kernel))
        turned = metrics.sampled_kernel_distance(K, K0, len(inputs), len(inputs), many)
        S = turned.distance[0]
    except NonFiniteModelError:
        S = np.inf
    return {"function_distance": distance, "linearization_gap": gap, "kernel_distance": S}


def _compare_layers(now: LayerObservation, first: LayerObservation, model_size: float | None) -> dict[str, float]:
    """Return the quantities of a layer; `model_size` is the size of the model's outputs if the layer is the last.

    A multiplier may follow outside of the module, so relative quantities are in units of the initial outputs (which are
    taken to be of order one after it) or, for the last layer, in units of the model's outputs.
    """
    begun, present = metrics.rms(first.outputs), metrics.rms(now.outputs)
    numerator, size = (1.0, begun) if model_size is None else (model_size, present)
    unit = numerator / size if size > 0 else 1.0
    one, other = (x.outputs @ x.outputs.T for x in (now, first))
    size = float(one.norm() * other.norm())
    # 1 − cos, from the difference of unit vectors, which is accurate even where it is small.
    apart = one / max(float(one.norm()), 1e-300) - other / max(float(other.norm()), 1e-300)
    own = metrics.rms(now.outputs - now.with_initial_weights)
    passed_on = metrics.rms(now.with_initial_weights - first.outputs)
    return {
        "activation": present,
        "change": metrics.rms(now.outputs - first.outputs),
        "own_update": own,
        "relative_update": unit * own,
        "passed_on": passed_on,
        "relative_passed_on": unit * passed_on,
        "feature_distance": float(apart.square().sum()) / 2 if size > 0 else np.nan,
    }


LAYER_QUANTITIES = (
    "activation", "change", "own_update", "relative_update", "passed_on", "relative_passed_on", "feature_distance",
)  # fmt: skip


def _to_dataset(
    runs: Mapping[tuple[int, int], _WidthRun], widths: Sequence[int], seeds: int, times: Sequence[int]
) -> Any:
    import xarray

    first = runs[0, widths[0]]
    data: dict[str, Any] = {}
    coords: dict[str, Any] = {"seed": list(range(seeds)), "width": list(widths), "step": list(times)}
    kinds = {"layer": LAYER_QUANTITIES, "softmax": ("logit_size", "logit_change")}
    for kind, quantities in kinds.items():
        tables = {key: run.layers if kind == "layer" else run.softmax for key, run in runs.items()}
        names = [name for name in tables[0, widths[0]][times[0]] if all(name in t[times[0]] for t in tables.values())]
        coords[kind] = names
        for quantity in quantities:
            numbers = [[[[tables[s, n][t][name][quantity] for name in names] for t in times] for n in widths]
                       for s in range(seeds)]  # fmt: skip
            shape = seeds, len(widths), len(times), len(names)
            data[quantity] = ("seed", "width", "step", kind), np.array(numbers, float).reshape(shape)
    coords["parameter"] = [name for name in first.parameters if all(name in run.parameters for run in runs.values())]
    for quantity in ("rate", "weight_decay", "decay", "axes"):
        table = [[[runs[s, n].parameters[name][quantity] for name in coords["parameter"]] for n in widths]
                 for s in range(seeds)]  # fmt: skip
        data[quantity] = ("seed", "width", "parameter"), np.array(table, float).reshape(seeds, len(widths), -1)
    for name in first.whole:
        data[name] = (
            ("seed", "width"),
            np.array([[runs[s, n].whole[name] for n in widths] for s in range(seeds)], float),
        )
    return xarray.Dataset(data, coords, attrs={"optimizer": first.optimizer, "tied": list(first.tied)})
