"""Quantities that a probe measures: activation patterns, features, parameters, kernels.

Models are measured in evaluation mode, without gradients. Activations are observed by a `TorchFunctionMode` rather than
hooks, so that plain calls such as `F.relu` are included.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode

from lazyrich.probe import array_metrics
from lazyrich.tangent.parameter_names import layer_name_of
from lazyrich.tangent.sampled_distance import SampledDistance, sampled_kernel_distance, target_alignment
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import DEFAULT_READER, OutputReader
from lazyrich.torch._model.preserve_model import measurement_mode, preserve_model, to_double, trainable_parameters
from lazyrich.torch._structure.function_rules import KINKED_ACTIVATIONS, canonical_name
from lazyrich.torch.layer_rules import WEIGHTED_FUNCTIONS, rule_for

__all__ = [
    "Observation",
    "SampledDistance",
    "copy_constants",
    "copy_trainable_parameters",
    "effective_rank",
    "hamming_distance",
    "layer_norms",
    "observe",
    "parameters_set_to",
    "rms",
    "sampled_kernel_distance",
    "states_equal",
    "target_alignment",
]  # fmt: skip


@dataclass(frozen=True)
class Observation:
    """Outputs (n, c) of a model on some inputs, and for each activation its pattern (bits) and its features."""

    outputs: Tensor
    patterns: Mapping[str, np.ndarray]
    units: Mapping[str, int]
    features: Mapping[str, Tensor]

    def first(self, n: int) -> "Observation":
        """Return the observation of the first n inputs."""
        patterns = {name: bits[:n] for name, bits in self.patterns.items()}
        features = {name: part[:n] for name, part in self.features.items()}
        return Observation(self.outputs[:n], patterns, self.units, features)


@dataclass(eq=False)
class _ActivationRecorder(TorchFunctionMode):
    """Records the sign of the input of each activation, and its output, under the name of the layer before it."""

    names: Mapping[int, str]  # name of the layer, by the id of a parameter
    whole: Mapping[int, str]  # the same for layers that are not a torch function
    count: int
    keep: int
    layer: str = "inputs"
    signs: dict[str, Tensor] = field(default_factory=dict)
    features: dict[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        entering, name = args[0] if args else kwargs.get("input"), canonical_name(getattr(func, "__name__", ""))
        # Tensors without the samples along their first axis (such as a temperature) are not activations, and complex
        # ones have no sign.
        if name not in KINKED_ACTIVATIONS or entering.ndim == 0 or entering.is_complex() or len(entering) % self.count:
            result = func(*args, **kwargs)
            names = self.names if name in WEIGHTED_FUNCTIONS else self.whole
            layers = [names[id(a)] for a in (*args, *kwargs.values()) if id(a) in names]
            self.layer = layers[0] if layers else self.layer
            return result
        sign = entering.detach() > 0  # taken before the call, which may work in place
        result = func(*args, **kwargs)
        label, count = self.layer, 1
        while label in self.signs:
            count += 1
            label = f"{self.layer} ({count})"
        self.signs[label] = sign.reshape(self.count, -1)
        self.features[label] = result.detach().reshape(self.count, -1)[: self.keep].clone()
        return result


def observe(
    model: nn.Module, inputs: object, keep: int = 100, block: int | None = None, reading: OutputReader = DEFAULT_READER
) -> Observation:
    """Return the outputs, activation patterns and (for the first `keep` inputs) features of a model in evaluation mode.

    An activation is named after the last weight layer before it; a second one after the same layer gets a number.
    Activations inside fused or scripted code cannot be observed and are missing.

    >>> model = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU(), nn.Linear(3, 1))
    >>> seen = observe(model, torch.eye(2))
    >>> list(seen.patterns), seen.outputs.shape, seen.features["0"].shape
    (['0'], torch.Size([2, 1]), torch.Size([2, 3]))
    """
    names = {id(parameter): layer_name_of(name) for name, parameter in model.named_parameters()}
    whole = {
        id(parameter): names[id(parameter)]
        for kind, module in ((rule_for(module), module) for module in model.modules())
        if kind is not None and kind.names_activation and not kind.function_signatures
        for parameter in module.parameters(recurse=False)
    }
    outputs: list[Tensor] = []
    watches: list[_ActivationRecorder] = []
    # The tangent model uses the same sums in the same order, so that the two differ only by what was learned.
    with measurement_mode(model), sdpa_kernel(SDPBackend.MATH), torch.no_grad():
        for piece in Batch.from_nested(inputs).split(block or reading.chunk):
            with _ActivationRecorder(
                names, whole, len(piece), max(keep - sum(len(part) for part in outputs), 0)
            ) as watch:
                model_output = reading.call(model, piece)
            outputs.append(reading.select(model_output, len(piece)).detach())
            watches.append(watch)
    labels = list(watches[0].signs)
    patterns = {label: np.concatenate([_pack_bits(watch.signs[label]) for watch in watches]) for label in labels}
    units = {label: watches[0].signs[label].shape[1] for label in labels}
    features = {label: torch.cat([watch.features[label] for watch in watches]) for label in labels}
    return Observation(torch.cat(outputs), patterns, units, features)


def _pack_bits(signs: Tensor) -> np.ndarray:
    return np.packbits(signs.cpu().numpy(), axis=1)


def hamming_distance(now: Observation, start: Observation) -> dict[str, float]:
    """Return for each activation the fraction of (unit, input) pairs whose sign has changed (kunin2024, figure 1).

    >>> model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU(), nn.Linear(2, 1))
    >>> with torch.no_grad():
    ...     _ = model[0].weight.copy_(torch.tensor([[1.0, -1.0], [-1.0, 1.0]]))
    ...     before = observe(model, torch.eye(2))
    ...     _ = model[0].weight[0].neg_()
    >>> hamming_distance(observe(model, torch.eye(2)), before)
    {'0': 0.5}
    """
    if now.units != start.units or any(len(now.patterns[k]) != len(start.patterns[k]) for k in now.patterns):
        raise ValueError(
            f"the activations have changed from {dict(start.units)} to {dict(now.units)} (name: units): patterns can "
            "be compared only while the model computes the same layers on the same inputs; make a new probe"
        )
    return array_metrics.hamming_distance(now.patterns, start.patterns, now.units)


def effective_rank(features: Tensor) -> float:
    """Return the exponential of the entropy of the normalized singular values (Roy & Vetterli 2007): from 1 to
    min(features.shape), or 0 for zero features.

    >>> round(effective_rank(torch.diag(torch.tensor([3.0, 3.0, 0.0]))), 6)
    2.0
    """
    matrix = features.double()
    if matrix.shape[1] > 4 * matrix.shape[0]:  # the eigenvalues of the small Gram matrix are their squares
        values = torch.linalg.eigvalsh(matrix @ matrix.T).clamp_min(0).sqrt()
    else:
        values = torch.linalg.svdvals(matrix)
    return array_metrics.effective_rank(values.cpu().numpy())


def copy_trainable_parameters(model: nn.Module) -> dict[str, Tensor]:
    """Return a copy of the trainable parameters, shared ones once."""
    return {name: parameter.detach().clone() for name, parameter in trainable_parameters(model).items()}


def copy_constants(model: nn.Module) -> dict[str, Tensor]:
    """Return a copy, on the CPU, of everything else that the function depends on: buffers and frozen parameters."""
    frozen = [(name, value) for name, value in model.named_parameters() if not value.requires_grad]
    return {name: value.detach().cpu().clone() for name, value in [*model.named_buffers(), *frozen]}


def states_equal(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> bool:
    """Return whether two states have the same names with the same values."""
    return one.keys() == other.keys() and all(torch.equal(one[k].cpu(), value.cpu()) for k, value in other.items())


@contextmanager
def parameters_set_to(model: nn.Module, values: Mapping[str, Tensor]) -> Iterator[None]:
    """Set the trainable parameters to these values inside the context; buffers and frozen parameters keep theirs."""
    with preserve_model(model):
        for name, parameter in trainable_parameters(model).items():
            parameter.data = values[name].to(parameter)
        yield


def layer_norms(values: Mapping[str, Tensor], start: Mapping[str, Tensor] | None = None) -> dict[str, float]:
    """Return ‖θ_l − θ_l(0)‖ per layer (‖θ_l‖ without a start): weights and biases of one module together, in float64.

    >>> model = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    >>> before = copy_trainable_parameters(model)
    >>> with torch.no_grad():
    ...     _ = model[1].weight.add_(3.0), model[1].bias.add_(4.0)
    >>> {name: round(size, 5) for name, size in layer_norms(copy_trainable_parameters(model), before).items()}
    {'0': 0.0, '1': 5.0}
    """
    squares: dict[str, float] = {}
    for name, value in values.items():
        moved = to_double(value) if start is None else to_double(value) - to_double(start[name].to(value.device))
        squares[layer_name_of(name)] = squares.get(layer_name_of(name), 0.0) + float(moved.abs().square().sum())
    return {layer: square**0.5 for layer, square in squares.items()}


def rms(difference: Tensor) -> float:
    """Return the root mean square of the entries, computed in float64."""
    return float(difference.double().square().mean().sqrt())
