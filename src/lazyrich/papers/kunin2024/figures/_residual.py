"""The network of figure 5b, a smaller relative of cifar10-fast's, and how it is trained."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F


def block(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    """Return convolution, batch norm and ReLU; the statistics are those of the batch, also in tests."""
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
    """Return the network of cifar10-fast with first filters of 15 × 15, ÷ α.

    In cifar10-fast the channels are 64, 128, 256, 512, and the first layer has stride 1 and no pooling.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers: list[nn.Module] = [block(3, channels[0], 15, stride), nn.MaxPool2d(pool)]
        for stage, (inputs, outputs) in enumerate(pairwise(channels)):
            layers += [block(inputs, outputs), nn.MaxPool2d(2), *([] if stage % 2 else [Residual(outputs)])]
        layers += [nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(channels[-1], classes, bias=False), Scaled(0.125)]
    model = nn.Sequential(*layers)
    with torch.no_grad():
        filters(model).div_(alpha)
    return model


def filters(model: nn.Module) -> Tensor:
    """Return the filters of the first layer, (channel, color, 15, 15)."""
    return next(model.parameters())


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
    """Train by SGD with Nesterov's momentum and no decay; yield the number of steps after each.

    The rate rises to its peak in the first 5/24 of all steps and falls to zero; that of the first filters is `faster`
    times as large.
    """
    inputs, labels = data
    weights, factors = list(model.parameters()), (faster, 1.0)
    optimizer = torch.optim.SGD([{"params": weights[:1]}, {"params": weights[1:]}], rate, 0.9, nesterov=True)
    generator = torch.Generator().manual_seed(seed)
    steps, step = epochs * -(-len(labels) // batch), 0
    for _ in range(epochs):
        for subset in torch.randperm(len(labels), generator=generator).split(batch):
            step += 1
            now = rate * float(np.interp(step / steps, [0, 5 / 24, 1], [0, 1, 0]))
            for group, factor in zip(optimizer.param_groups, factors, strict=True):
                group["lr"] = factor * now
            x = augment_images(inputs[subset], generator) if augment else inputs[subset]
            optimizer.zero_grad()
            F.cross_entropy(model(x), labels[subset]).backward()
            optimizer.step()
            yield step


def augment_images(x: Tensor, generator: torch.Generator) -> Tensor:
    """Mirror each image at random, shift it by up to four pixels, and remove a patch of 8 × 8."""
    n, size = len(x), x.shape[-1]
    x = torch.where(torch.rand(n, 1, 1, 1, generator=generator) < 0.5, x, x.flip(-1))
    x = F.pad(x, (4, 4, 4, 4), mode="reflect")
    down, right, top, left = (torch.randint(high, (n, 1), generator=generator) for high in (9, 9, size - 7, size - 7))
    pixels = torch.arange(size)
    rows, columns = (down + pixels)[:, None, :, None], (right + pixels)[:, None, None, :]
    x = x[torch.arange(n)[:, None, None, None], torch.arange(3)[:, None, None], rows, columns]
    masked = [(pixels >= start) & (pixels < start + 8) for start in (top, left)]
    return x.masked_fill((masked[0][:, :, None] & masked[1][:, None, :])[:, None], 0.0)


@torch.no_grad()
def accuracy(model: nn.Module, inputs: Tensor, labels: Tensor) -> float:
    """Return the fraction of inputs that are classified correctly, 500 at a time."""
    blocks = zip(inputs.split(500), labels.split(500), strict=True)
    return sum(int((model(x).argmax(-1) == y).sum()) for x, y in blocks) / len(labels)
