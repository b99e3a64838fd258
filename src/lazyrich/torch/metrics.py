"""What the probe measures of a PyTorch model: activation patterns, features, parameters, kernels.

Models are measured as they predict: in evaluation mode, without gradients. Nothing here hooks into a module:
activations are seen by a `TorchFunctionMode`, whether they are modules or plain calls such as `F.relu`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from scipy.stats import t as student
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lazyrich.torch._batch import Batch
from lazyrich.torch._compare import Moments, _distances
from lazyrich.torch._guard import double, leaves, measuring, untouched
from lazyrich.torch._outputs import PLAIN, Reading
from lazyrich.torch.functions import BENT, spelling
from lazyrich.torch.layers import WEIGHTED, kind_of

LEAST = 5  # inputs of a sample that stands for more: without one of them, the centred estimate needs four


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

    names: Mapping[int, str]  # of the layer, by the id of a parameter
    whole: Mapping[int, str]  # the same of layers that no function of torch's stands for
    count: int
    keep: int
    layer: str = "inputs"
    signs: dict[str, Tensor] = field(default_factory=dict)
    features: dict[str, Tensor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        entering, name = args[0] if args else kwargs.get("input"), spelling(getattr(func, "__name__", ""))
        # What does not have the inputs in front, such as a temperature, is no activation of theirs; nothing complex has
        # a sign.
        if name not in BENT or entering.ndim == 0 or entering.is_complex() or len(entering) % self.count:
            result = func(*args, **kwargs)
            names = self.names if name in WEIGHTED else self.whole
            found = [names[id(a)] for a in (*args, *kwargs.values()) if id(a) in names]
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


def observe(
    model: nn.Module, inputs: Any, keep: int = 100, block: int | None = None, reading: Reading = PLAIN
) -> Observation:
    """The outputs, activation patterns and (for the first `keep` inputs) features of a model in evaluation mode.

    An activation is named after the weight layer that was used last before it; a second one after the same layer gets
    a number. Fused and scripted code hides its activations: they are then missing here.

    >>> model = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU(), nn.Linear(3, 1))
    >>> seen = observe(model, torch.eye(2))
    >>> list(seen.patterns), seen.outputs.shape, seen.features["0"].shape
    (['0'], torch.Size([2, 1]), torch.Size([2, 3]))
    """
    names = {id(parameter): layer_of(name) for name, parameter in model.named_parameters()}
    whole = {
        id(parameter): names[id(parameter)]
        for kind, module in ((kind_of(module), module) for module in model.modules())
        if kind is not None and kind.weighted and not kind.calls
        for parameter in module.parameters(recurse=False)
    }
    outputs: list[Tensor] = []
    watches: list[_Watch] = []
    with measuring(model), torch.no_grad():
        for piece in Batch.of(inputs).split(block or reading.chunk):
            with _Watch(names, whole, len(piece), max(keep - sum(len(part) for part in outputs), 0)) as watch:
                found = reading.called(model, piece)
            outputs.append(reading.outputs(found, len(piece)).detach())
            watches.append(watch)
    labels = list(watches[0].signs)
    patterns = {label: np.concatenate([_packed(watch.signs[label]) for watch in watches]) for label in labels}
    units = {label: watches[0].signs[label].shape[1] for label in labels}
    features = {label: torch.cat([watch.features[label] for watch in watches]) for label in labels}
    return Observation(torch.cat(outputs), patterns, units, features)


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


def constants(model: nn.Module) -> dict[str, Tensor]:
    """A copy, on the CPU, of all else that the function depends on: buffers and frozen parameters."""
    frozen = [(name, value) for name, value in model.named_parameters() if not value.requires_grad]
    return {name: value.detach().cpu().clone() for name, value in [*model.named_buffers(), *frozen]}


def same(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> bool:
    """Are these the same names with the same values?"""
    return one.keys() == other.keys() and all(torch.equal(one[k].cpu(), value.cpu()) for k, value in other.items())


@contextmanager
def at(model: nn.Module, values: Mapping[str, Tensor]) -> Iterator[None]:
    """Inside, the trainable parameters have these values; buffers and frozen parameters stay as they are now."""
    with untouched(model):
        for name, parameter in leaves(model).items():
            parameter.data = values[name].to(parameter)
        yield


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
        moved = double(value) if start is None else double(value) - double(start[name].to(value.device))
        squares[layer_of(name)] = squares.get(layer_of(name), 0.0) + float(moved.abs().square().sum())
    return {layer: square**0.5 for layer, square in squares.items()}


def rms(difference: Tensor) -> float:
    return float(difference.double().square().mean().sqrt())


@dataclass(frozen=True)
class Shift:
    """How a kernel lies to another: S = 1 − cosine, plain and centred, with half of their 95 % intervals; ‖K‖/‖K₀‖."""

    distance: tuple[float, float]
    error: tuple[float, float]
    growth: float


def kernel_shift(K: Tensor, K0: Tensor, inputs: int, population: int | None = None, directions: bool = False) -> Shift:
    r"""The distance S of two kernels on n `inputs`, drawn from a `population` (None: endless) for which it stands.

    Kernels are (n·c, n·c) with index i·c + k; centring removes each output's mean over the inputs, on both sides. A
    small sample gives the diagonal of a kernel too much weight. So the products that S is made of are estimated first,
    without bias: as they are on the sample, and from distinct inputs alone (for an endless population), mixed by the
    share of the population that was drawn. The jackknife (each input left out once) gives the error bar of the result.

    With `directions`, the outputs are products with independent random vectors r_a that stand for all outputs: of two
    different ones $E (r_a^\top A r_b)(r_a^\top B r_b) = \langle A, B\rangle$ up to a factor, so the products are
    those of distinct directions alone, and leaving each direction out once adds to the error bar.

    >>> K = torch.diag(torch.tensor([1.0, 2.0]))
    >>> kernel_shift(3 * K, K, inputs=2, population=2).growth
    3.0
    """
    now, start = (_blocks(kernel, inputs, directions) for kernel in (K, K0))
    found = _shift(now, start, population)
    if not directions:
        return found
    c = now.shape[1]
    others = [[b for b in range(c) if b != a] for a in range(c)]
    parts = [(now[:, rest][:, :, :, rest], start[:, rest][:, :, :, rest]) for rest in others]
    distances = [_shift(one, other, population, error=False).distance for one, other in parts]
    without = torch.tensor(distances, dtype=torch.float64)
    spread = student.ppf(0.975, c - 1) * ((c - 1) * without.var(0, correction=0)).sqrt()
    errors = [float(np.hypot(error, more)) for error, more in zip(found.error, spread.tolist(), strict=True)]
    return Shift(found.distance, (errors[0], errors[1]), found.growth)


def _shift(now: Tensor, start: Tensor, population: int | None, error: bool = True) -> Shift:
    """Of kernels (n, c, n, c), with the error for the inputs that were left out."""
    inputs = len(now)
    moments = Moments(inputs)
    moments.add(0, 0, now, start)
    scale = moments.scale or 0.0
    *distance, growth = _distances(moments.table(), scale).tolist()
    drawn = inputs / population if population else 0.0
    if inputs < LEAST or drawn == 1:
        return Shift((distance[0], distance[1]), (0.0, 0.0) if drawn == 1 else (np.nan, np.nan), growth)
    D = torch.sub(now, start, alpha=scale)
    products = [_products(one, other, drawn) for one, other in ((D, D), (D, start), (start, start))]
    tables = torch.stack(products, -1).cpu()
    whole = _distances(tables[0], scale)[:2]
    if not error:
        return Shift((float(whole[0]), float(whole[1])), (np.nan, np.nan), growth)
    without = torch.stack([_distances(table, scale)[:2] for table in tables[1:]])
    spread = ((inputs - 1) * without.var(0, correction=0)).sqrt()
    errors = (student.ppf(0.975, inputs - 1) * (1 - drawn) ** 0.5 * spread).tolist()
    return Shift((float(whole[0]), float(whole[1])), (errors[0], errors[1]), growth)


def _blocks(K: Tensor, n: int, distinct: bool) -> Tensor:
    """As (n, c, n, c); `distinct` outputs only, the others are 0."""
    blocks = K.double().reshape(n, len(K) // n, n, len(K) // n)
    if not distinct:
        return blocks
    same = torch.eye(blocks.shape[1], dtype=blocks.dtype, device=K.device)
    return blocks * (1 - same)[:, None]


def _products(X: Tensor, Y: Tensor, drawn: float) -> Tensor:
    """⟨X, Y⟩ and ⟨HXH, HYH⟩ per pair of inputs of the population; of all n inputs, and without each: (1 + n, 2)."""
    n = len(X)
    m = torch.tensor([n, *[n - 1] * n], dtype=X.dtype, device=X.device)
    own = torch.arange(n)
    hollow, hollow0 = X.clone(), Y.clone()
    hollow[own, :, own] = hollow0[own, :, own] = 0
    plain, rows, total = _sums(X, Y)
    sampled = torch.stack([plain, plain - 2 / m * rows + total / m**2], 1) / m[:, None] ** 2
    # The centred one is ⟨X_ij, Y_ij⟩ − 2⟨X_ij, Y_ik⟩ + ⟨X_ij, Y_kl⟩ in the mean over distinct i, j, k, l: with one
    # output, the unbiased HSIC of Song et al. (2012); with several, a block and its mirror image are not the same.
    plain, rows, total = _sums(hollow, hollow0)
    mirrored, mirrored_rows, _ = _sums(hollow, hollow0.transpose(1, 3))
    quadruples = total - 2 * (rows + mirrored_rows) + plain + mirrored
    pairs, triples = m * (m - 1), m * (m - 1) * (m - 2)
    centred = plain / pairs - 2 * (rows - plain) / triples + quadruples / (triples * (m - 3))
    return drawn * sampled + (1 - drawn) * torch.stack([plain / pairs, centred], 1)


def _sums(X: Tensor, Y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """⟨X, Y⟩, ⟨R, R'⟩ of the sums R over the inputs along one side, and ⟨T, T'⟩ of those along both, for symmetric
    (n, c, n, c): of all n inputs, and when input i is left out, for every i."""
    products = (X * Y).sum((1, 3))
    plain = products.sum() - 2 * products.sum(0) + products.diagonal()
    (rows, own), (rows0, own0) = ((Z.sum(2), Z.diagonal(dim1=0, dim2=2).permute(2, 0, 1)) for Z in (X, Y))
    # Row sums without i, R_j − X_ji for j ≠ i; and the sum of all without i.
    crossed = torch.einsum("jkl,jkil->i", rows, Y) + torch.einsum("jkl,jkil->i", rows0, X)
    sums = (rows * rows0).sum() - crossed + products.sum(0) - ((rows - own) * (rows0 - own0)).sum((1, 2))
    all_, all0 = rows.sum(0), rows0.sum(0)
    total, total0 = (t - r - r.transpose(1, 2) + o for t, r, o in ((all_, rows, own), (all0, rows0, own0)))
    whole = products.sum(), (rows * rows0).sum(), (all_ * all0).sum()
    parts = plain, sums, (total * total0).sum((1, 2))
    one, two, three = (torch.cat([w[None], part]) for w, part in zip(whole, parts, strict=True))
    return one, two, three


def target_alignment(
    K: Tensor, targets: Tensor, population: int | None = None, directions: bool = False
) -> tuple[float, float]:
    """The cosine between the kernel and y yᵀ, for targets y of shape (n, c), plain and centred over the inputs.

    How much of the kernel is the task. With class labels only the centred one tells: one-hot rows are mostly mean. The
    `population` that the n inputs stand for, and `directions`, are as in `kernel_shift`.
    """
    y = targets.double().flatten()
    plain, centred = kernel_shift(K, torch.outer(y, y), len(targets), population, directions).distance
    return 1 - plain, 1 - centred
