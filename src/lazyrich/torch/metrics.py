"""What the probe measures of a PyTorch model: activation patterns, features, parameters, tangent model, kernels.

Models are measured as they predict: in evaluation mode, without gradients. Nothing here hooks into a module:
activations are seen by a `TorchFunctionMode`, whether they are modules or plain calls such as `F.relu`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from scipy.stats import t as student
from torch import Tensor, nn
from torch.func import functional_call, jvp, vjp
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode

from lazyrich.torch._guard import leaves, measuring

# Functions whose kink, or whose bend, is at 0: which side an input lies on is its pattern.
_NAMES = (
    "relu relu_ relu6 leaky_relu leaky_relu_ prelu rrelu elu elu_ celu selu gelu silu mish softplus hardswish tanh "
    "tanh_ hardtanh"
)
ACTIVATIONS = frozenset(
    getattr(place, name) for place in (F, torch, Tensor) for name in _NAMES.split() if hasattr(place, name)
) | {torch._C._nn.gelu, torch._C._nn.softplus}
WEIGHTED = frozenset(
    {F.linear, F.bilinear, F.conv1d, F.conv2d, F.conv3d, F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d}
    | {torch.matmul, torch.bmm, torch.mm, torch.addmm, torch.einsum, Tensor.matmul, Tensor.__matmul__, Tensor.mm}
)


@dataclass(frozen=True)
class Observation:
    """A model on some inputs: its outputs (n, c), and per activation its pattern (bits) and its features."""

    outputs: Tensor
    patterns: Mapping[str, np.ndarray]
    units: Mapping[str, int]
    features: Mapping[str, Tensor]


@dataclass(eq=False)
class _Watch(TorchFunctionMode):
    """Records the sign of what enters each activation, and what leaves it, under the name of the layer before."""

    names: Mapping[int, str]
    count: int
    keep: int
    layer: str = "inputs"
    signs: dict[str, Tensor] = field(default_factory=dict)
    features: dict[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        entering = args[0] if args else kwargs.get("input")
        # What does not have the inputs in front, such as a temperature, is no activation of theirs.
        if func not in ACTIVATIONS or entering.ndim == 0 or len(entering) % self.count:
            result = func(*args, **kwargs)
            if func in WEIGHTED:
                found = [self.names[id(a)] for a in (*args, *kwargs.values()) if id(a) in self.names]
                self.layer = found[0] if found else self.layer
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


def observe(model: nn.Module, inputs: Tensor, keep: int = 100, block: int = 256) -> Observation:
    """The outputs, activation patterns and (for the first `keep` inputs) features of a model in evaluation mode.

    An activation is named after the weight layer that was used last before it; a second one after the same layer gets
    a number. Fused and scripted code hides its activations: they are then missing here.

    >>> model = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU(), nn.Linear(3, 1))
    >>> seen = observe(model, torch.eye(2))
    >>> list(seen.patterns), seen.outputs.shape, seen.features["0"].shape
    (['0'], torch.Size([2, 1]), torch.Size([2, 3]))
    """
    names = {id(parameter): layer_of(name) for name, parameter in model.named_parameters()}
    outputs, watches = [], []
    with measuring(model), torch.no_grad():
        for start in range(0, len(inputs), block):
            piece = inputs[start : start + block]
            with _Watch(names, len(piece), max(keep - start, 0)) as watch:
                outputs.append(model(piece).detach())
            watches.append(watch)
    labels = list(watches[0].signs)
    patterns = {label: np.concatenate([_packed(watch.signs[label]) for watch in watches]) for label in labels}
    units = {label: watches[0].signs[label].shape[1] for label in labels}
    features = {label: torch.cat([watch.features[label] for watch in watches]) for label in labels}
    return Observation(torch.cat(outputs).reshape(len(inputs), -1), patterns, units, features)


def _packed(signs: Tensor) -> np.ndarray:
    return np.packbits(signs.cpu().numpy(), axis=1)


def layer_of(name: str) -> str:
    """The module a parameter belongs to: `net.0.weight` is part of `net.0`; what is the model's own is of itself."""
    return name.rpartition(".")[0] or name


def hamming_distance(now: Observation, start: Observation) -> dict[str, float]:
    """Per activation, the fraction of (unit, input) pairs that are on the other side of 0 (kunin2024, figure 1).

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
    return {
        label: int(np.bitwise_count(bits ^ start.patterns[label]).sum()) / (len(bits) * now.units[label])
        for label, bits in now.patterns.items()
    }


def effective_rank(features: Tensor) -> float:
    """exp of the entropy of the normalised singular values (Roy & Vetterli 2007): 1 to min(features.shape); 0 for zero.

    >>> round(effective_rank(torch.diag(torch.tensor([3.0, 3.0, 0.0]))), 6)
    2.0
    """
    values = torch.linalg.svdvals(features.double())
    if not values.sum() > 0:
        return 0.0
    share = values / values.sum()
    return float(torch.exp(torch.special.entr(share).sum()))


def parameters(model: nn.Module) -> dict[str, Tensor]:
    """A copy of the trainable parameters, shared ones once."""
    return {name: parameter.detach().clone() for name, parameter in leaves(model).items()}


def layer_norms(values: Mapping[str, Tensor], start: Mapping[str, Tensor] | None = None) -> dict[str, float]:
    """‖θ_l − θ_l(0)‖ per layer (‖θ_l‖ without a start): weights and biases of one module together, in float64.

    >>> model = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    >>> before = parameters(model)
    >>> with torch.no_grad():
    ...     _ = model[1].weight.add_(3.0), model[1].bias.add_(4.0)
    >>> {name: round(size, 5) for name, size in layer_norms(parameters(model), before).items()}
    {'0': 0.0, '1': 5.0}
    """
    squares: dict[str, float] = {}
    for name, value in values.items():
        moved = value.double() if start is None else value.double() - start[name].double()
        squares[layer_of(name)] = squares.get(layer_of(name), 0.0) + float(moved.abs().square().sum())
    return {layer: square**0.5 for layer, square in squares.items()}


def tangent_outputs(
    model: nn.Module,
    start: Mapping[str, Tensor],
    buffers: Mapping[str, Tensor],
    inputs: Tensor,
    block: int = 256,
) -> Tensor:
    """f(θ₀) + ∂f(θ₀)(θ − θ₀) on the inputs, (n, c): the model linearized at `start`, at its present parameters."""
    now = leaves(model)
    start = {name: value.to(now[name].device) for name, value in start.items()}
    direction = {name: now[name].detach() - value for name, value in start.items()}
    pieces = []
    with measuring(model), sdpa_kernel(SDPBackend.MATH), torch.no_grad():  # fused attention has no forward derivative
        for first in range(0, len(inputs), block):
            piece = inputs[first : first + block]

            def function(values: dict[str, Tensor], piece: Tensor = piece) -> Tensor:
                return functional_call(model, {**values, **buffers}, (piece,), tie_weights=True)

            pieces.append(_tangent(function, dict(start), direction))
    return torch.cat(pieces).reshape(len(inputs), -1)


def _tangent(function: Callable[..., Tensor], start: dict[str, Tensor], direction: dict[str, Tensor]) -> Tensor:
    try:
        value, change, *_ = jvp(function, (start,), (direction,))
    except NotImplementedError:
        # Some layers (recurrent ones, weight norm) have no forward derivative: differentiate the backward pass, which
        # is linear in what it is given.
        with torch.enable_grad():
            value, backward, *_ = vjp(function, start)
            _, forward, *_ = vjp(backward, torch.zeros_like(value))
            (change,) = forward((direction,))
    return (value + change).detach()


def rms(difference: Tensor) -> float:
    return float(difference.double().square().mean().sqrt())


@dataclass(frozen=True)
class Shift:
    """How a kernel lies to another: S = 1 − cosine, plain and centred, with half of their 95 % intervals; ‖K‖/‖K₀‖."""

    distance: tuple[float, float]
    error: tuple[float, float]
    growth: float


def kernel_shift(K: Tensor, K0: Tensor, inputs: int, population: int | None = None) -> Shift:
    """The distance S of two kernels on n `inputs`, drawn from a `population` (None: endless) for which it stands.

    Kernels are (n·c, n·c) with index i·c + k; centring removes each output's mean over the inputs, on both sides. The
    jackknife (each input left out once) gives the error bar, and takes off the bias of order 1/n. With the whole
    population there neither is needed.

    >>> K = torch.diag(torch.tensor([1.0, 2.0]))
    >>> kernel_shift(3 * K, K, inputs=2, population=2).growth
    3.0
    """
    blocks = inputs, len(K) // inputs, inputs, len(K) // inputs
    now, start = (kernel.double().reshape(blocks) for kernel in (K, K0))
    distance = _distance(now, start), _distance(_centred(now), _centred(start))
    growth = float(now.norm() / start.norm()) if bool(start.any()) else np.inf
    missing = 1 - inputs / population if population else 1.0
    if inputs < 3 or missing == 0:
        return Shift(distance, (0.0, 0.0) if missing == 0 else (np.nan, np.nan), growth)
    inner, square, square0 = (_left_out(one, other) for one, other in ((now, start), (now, now), (start, start)))
    without = 1 - inner / (square * square0).clamp_min(1e-300).sqrt()
    spread = ((inputs - 1) * without.var(1, correction=0)).sqrt()
    bias = (inputs - 1) * (without.mean(1) - torch.tensor(distance, dtype=torch.float64))
    values = (torch.tensor(distance, dtype=torch.float64) - missing * bias).clamp_min(0.0).tolist()
    errors = (student.ppf(0.975, inputs - 1) * missing**0.5 * spread).tolist()
    return Shift((values[0], values[1]), (errors[0], errors[1]), growth)


def _left_out(X: Tensor, Y: Tensor) -> Tensor:
    """⟨X, Y⟩ and ⟨HXH, HYH⟩ of symmetric (n, c, n, c) when input i is left out, for every i: (2, n)."""
    m = len(X) - 1
    products = (X * Y).sum((1, 3))
    plain = products.sum() - 2 * products.sum(0) + products.diagonal()
    (rows, own), (rows0, own0) = ((Z.sum(2), Z.diagonal(dim1=0, dim2=2).permute(2, 0, 1)) for Z in (X, Y))
    # Row sums without i, R_j − X_ji for j ≠ i; and the sum of all without i.
    crossed = torch.einsum("jkl,jkil->i", rows, Y) + torch.einsum("jkl,jkil->i", rows0, X)
    sums = (rows * rows0).sum() - crossed + products.sum(0) - ((rows - own) * (rows0 - own0)).sum((1, 2))
    total, total0 = (r.sum(0) - r - r.transpose(1, 2) + o for r, o in ((rows, own), (rows0, own0)))
    centred = plain - 2 / m * sums + (total * total0).sum((1, 2)) / m**2
    return torch.stack([plain, centred])


def _distance(K: Tensor, K0: Tensor) -> float:
    """1 − cosine, without cancellation when the two are nearly parallel (as `lazyrich.metrics`); 1 if one is zero."""
    one, other = K.flatten(), K0.flatten()
    size, size0 = float(one @ one), float(other @ other)
    if not size > 0 or not size0 > 0:
        return float(size > 0 or size0 > 0)
    inner = float(one @ other)
    if inner <= 0:
        return 1 - inner / (size * size0) ** 0.5
    rest = torch.sub(one, other, alpha=inner / size0)
    sine2 = min(float(rest @ rest) / size, 1.0)
    return sine2 / (1 + (1 - sine2) ** 0.5)


def _centred(K: Tensor) -> Tensor:
    K = K - K.mean(0, keepdim=True)
    return K - K.mean(2, keepdim=True)


def target_alignment(K: Tensor, targets: Tensor) -> tuple[float, float]:
    """The cosine between the kernel and y yᵀ, for targets y of shape (n, c), plain and centred over the inputs.

    How much of the kernel is the task. With class labels only the centred one tells: one-hot rows are mostly mean.
    """
    y, n = targets.double(), len(targets)
    now = K.double().reshape(n, len(K) // n, n, len(K) // n)
    return _cosine(now, y), _cosine(_centred(now), y - y.mean(0))


def _cosine(K: Tensor, y: Tensor) -> float:
    size = float(K.norm() * y.square().sum())
    return float(torch.einsum("ik,ikjl,jl->", y, K, y)) / size if size > 0 else 0.0
