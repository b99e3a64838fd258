"""The cells of figure 5b: a small residual network with batch norm on images; what becomes of its first filters."""

import math
import os
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import torch
import xarray
from torch import Tensor, nn
from torch.nn import functional as F

from lazyrich.papers.figure import Scale
from lazyrich.torch.data import Images, images, leaves
from lazyrich.torch.data.folder import VARIABLE

CLASSES = {"cifar10": 10, "leaves": 8}
MARKS = 8  # times at which the filters are looked at

PRINTED = torch.tensor([[-0.25, -0.5, -0.25], [-0.5, 2.0, -0.5], [-0.25, -0.5, -0.25]])  # its sum is −1
CENTRED = PRINTED + torch.tensor([[0.0, 0, 0], [0, 1, 0], [0, 0, 0]])  # a Laplacian: its sum is 0


def block(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    """Convolution, batch norm, ReLU; batches are normalised by themselves, in tests, too."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(outputs, track_running_stats=False),
        nn.ReLU(),
    )


class Residual(nn.Module):
    """x ↦ x + two blocks of it."""

    def __init__(self, channels: int):
        super().__init__()
        self.inner = nn.Sequential(block(channels, channels), block(channels, channels))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inner(x)


class Scaled(nn.Module):
    """× a constant."""

    def __init__(self, by: float):
        super().__init__()
        self.by = by

    def forward(self, x: Tensor) -> Tensor:
        return self.by * x


def network(channels: list[int], stride: int, pool: int, classes: int, alpha: float, seed: int) -> nn.Sequential:
    """The network of cifar10-fast with first filters of 15 × 15, ÷ α. There the channels are 64, 128, 256, 512, and the
    first layer has stride 1 and no pooling."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers: list[nn.Module] = [block(3, channels[0], 15, stride), nn.MaxPool2d(pool)]
        for stage, (inputs, outputs) in enumerate(zip(channels, channels[1:], strict=False)):
            layers += [block(inputs, outputs), nn.MaxPool2d(2), *([] if stage % 2 else [Residual(outputs)])]
        layers += [nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(channels[-1], classes, bias=False), Scaled(0.125)]
    model = nn.Sequential(*layers)
    with torch.no_grad():
        filters(model).div_(alpha)
    return model


def filters(model: nn.Module) -> Tensor:
    """Those of the first layer, (channel, colour, 15, 15)."""
    return next(model.parameters())


def cell(
    member: int,
    alpha: float,
    seed: int,
    *,
    source: str,
    channels: list[int],
    stride: int,
    pool: int,
    n: int,
    test: int,
    batch: int,
    epochs: int,
    rate: float,
    augment: bool,
) -> dict[str, np.ndarray]:
    """Accuracies after training; the filters' mean roughness by both kernels at eight times and before; the filters."""
    number = 1000 * seed + member
    data = drawn(n, test, number, os.environ.get(VARIABLE))
    if data.source != source:
        raise ValueError(f"these cells were begun with {source}; found {data.source}")
    model = network(channels, stride, pool, CLASSES[source], alpha, number)
    first = filters(model)
    rough = [[float(roughness(first, kernel).mean()) for kernel in (PRINTED, CENTRED)]]
    steps = epochs * -(-n // batch)
    marks = {round(steps * k / MARKS) for k in range(1, MARKS + 1)}
    chosen = train(model, data.train, batch, epochs, rate, number, augment=augment and source == "cifar10")
    for step in chosen:
        if step in marks:
            rough.append([float(roughness(first, kernel).mean()) for kernel in (PRINTED, CENTRED)])
    return {
        "train": np.array(accuracy(model, *data.train)),
        "test": np.array(accuracy(model, *data.test)),
        "roughness": np.array(rough)[:, 0],
        "centred": np.array(rough)[:, 1],
        "filters": first.detach().movedim(1, -1).numpy(),
    }


def sweep(scale: Scale) -> xarray.Dataset:
    """All cells, (member, α), with the steps at which filters were looked at, and which data they are of."""
    source = images("cifar10", 1, 1).source
    fixed = {name: value for name, value in scale.parameters.items() if name not in ("alphas", "members")}
    axes = {"member": list(range(scale["members"])), "alpha": scale["alphas"]}
    data = scale.sweep(cell, axes, fixed=fixed | {"source": source}).isel(seed=0, drop=True)
    names = {"roughness": ("step",), "centred": ("step",), "filters": ("filter", "row", "column", "colour")}
    renamed = {name: (("member", "alpha", *names.get(name, ())), data[name].values) for name in data.data_vars}
    steps = scale["epochs"] * math.ceil(scale["n"] / scale["batch"])
    coords = {**axes, "step": [round(steps * k / MARKS) for k in range(MARKS + 1)]}
    return xarray.Dataset(renamed, coords, {"source": source, "n": scale["n"], "epochs": scale["epochs"]})


@lru_cache(1)
def drawn(n: int, test: int, seed: int, _folder: str | None) -> Images:
    """The images of a member, kept for its next α; they depend on the folder that the environment names."""
    return images("cifar10", n, test, seed)


def train(
    model: nn.Module,
    data: tuple[Tensor, Tensor],
    batch: int,
    epochs: int,
    rate: float,
    seed: int,
    *,
    faster: float = 1.0,
    augment: bool = False,
) -> Iterator[int]:
    """SGD with Nesterov's momentum, no decay, and says after each step how many there were. The rate rises to its peak
    in the first 5/24 of all steps and falls to zero; that of the first filters is `faster` times as large."""
    inputs, labels = data
    weights, factors = list(model.parameters()), (faster, 1.0)
    optimiser = torch.optim.SGD([{"params": weights[:1]}, {"params": weights[1:]}], rate, 0.9, nesterov=True)
    generator = torch.Generator().manual_seed(seed)
    steps, step = epochs * -(-len(labels) // batch), 0
    for _ in range(epochs):
        for chosen in torch.randperm(len(labels), generator=generator).split(batch):
            step += 1
            now = rate * float(np.interp(step / steps, [0, 5 / 24, 1], [0, 1, 0]))
            for group, factor in zip(optimiser.param_groups, factors, strict=True):
                group["lr"] = factor * now
            x = augmented(inputs[chosen], generator) if augment else inputs[chosen]
            optimiser.zero_grad()
            F.cross_entropy(model(x), labels[chosen]).backward()
            optimiser.step()
            yield step


def augmented(x: Tensor, generator: torch.Generator) -> Tensor:
    """Each image mirrored or not, moved by up to four pixels, and without a patch of 8 × 8."""
    n, size = len(x), x.shape[-1]
    x = torch.where(torch.rand(n, 1, 1, 1, generator=generator) < 0.5, x, x.flip(-1))
    x = F.pad(x, (4, 4, 4, 4), mode="reflect")
    down, right, top, left = (torch.randint(high, (n, 1), generator=generator) for high in (9, 9, size - 7, size - 7))
    pixels = torch.arange(size)
    rows, columns = (down + pixels)[:, None, :, None], (right + pixels)[:, None, None, :]
    x = x[torch.arange(n)[:, None, None, None], torch.arange(3)[:, None, None], rows, columns]
    gone = [(pixels >= start) & (pixels < start + 8) for start in (top, left)]
    return x.masked_fill((gone[0][:, :, None] & gone[1][:, None, :])[:, None], 0.0)


@torch.no_grad()
def accuracy(model: nn.Module, inputs: Tensor, labels: Tensor) -> float:
    """The share of inputs that are classified rightly, 500 at a time."""
    blocks = zip(inputs.split(500), labels.split(500), strict=True)
    return sum(int((model(x).argmax(-1) == y).sum()) for x, y in blocks) / len(labels)


@torch.no_grad()
def roughness(filters: Tensor, kernel: Tensor = PRINTED) -> Tensor:
    """‖(w/‖w‖) ∗ Δ‖² of each (…, 15, 15) filter: what the source calls its smoothness, and is small for smooth ones."""
    flat = filters.reshape(-1, 1, *filters.shape[-2:])
    unit = flat / flat.square().sum((-2, -1), keepdim=True).sqrt()
    return F.conv2d(unit, kernel[None, None].to(unit)).square().sum((-3, -2, -1)).reshape(filters.shape[:-2])


def as_a_rate(alpha: float, seed: int = 0, steps: int = 8, rate: float = 0.1) -> float:
    """Filters ÷ α at the common rate, against filters as they are at α² times the rate: how far the former × α, and all
    other weights, come to lie from the latter, relative to their largest entries. In double precision, with norms
    whose ε is next to nothing, and momentum."""
    inputs, labels = leaves(16 * steps, seed=seed)
    ends = []
    for by, faster in ((alpha, 1.0), (1.0, alpha**2)):
        model = network([8, 16], 4, 2, CLASSES["leaves"], 1.0, seed).double()
        filters(model).data.div_(by)
        for part in model.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.eps = 1e-30
        for _ in train(model, (inputs.double(), labels), 16, 1, rate, seed, faster=faster):
            pass
        filters(model).data.mul_(by)
        ends.append([weight.detach() for weight in model.parameters()])
    return max(float((one - other).abs().max() / other.abs().max()) for one, other in zip(*ends, strict=True))


def seconds(alphas: list[float], members: int, n: int, batch: int, epochs: int, **rest: Any) -> float:
    """Of all cells on one core: two steps are timed."""
    source = images("cifar10", 1, 1).source
    few = {"n": 2 * batch, "test": 1, "batch": batch, "epochs": 1, "source": source}
    cell(0, 1.0, 0, **rest | few)
    began = time.perf_counter()
    cell(0, 1.0, 0, **rest | few)
    return (time.perf_counter() - began) / 2 * epochs * math.ceil(n / batch) * len(alphas) * members
