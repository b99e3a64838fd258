"""The cells of figure 5a: one LeNet-5, trained, with a probe that looks along the way."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lazyrich.papers.kunin2024.figures._ensemble import layer_speeds
from lazyrich.torch import Probe, upstream_
from lazyrich.torch.data import images


def lenet(seed: int) -> nn.Sequential:
    """LeNet-5 with ReLU and max pooling; He initialization, biases zero."""
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(),
        nn.Linear(120, 84), nn.ReLU(),
        nn.Linear(84, 10),
    )  # fmt: skip
    generator = torch.Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(weight)
        else:
            nn.init.kaiming_normal_(weight, nonlinearity="relu", generator=generator)
    return model


def cell(
    alpha: float,
    seed: int,
    *,
    n: int,
    test: int,
    batch: int,
    epochs: list[int],
    rate: float,
    momentum: float,
    sample: int,
    pixels: int,
) -> dict[str, np.ndarray]:
    """What the probe saw after each of these epochs, with the training loss and the test accuracy there."""
    data = images("mnist", n, test, seed)
    model = lenet(seed)
    upstream_(model, alpha)
    probe = Probe(model, data.train[0][:pixels], data.train[1][:pixels], sample=sample)
    speeds = layer_speeds(model, probe.inputs[:sample])
    rows = [(loss(model, *data.train), accuracy(model, *data.test))]
    for epoch in train(model, *data.train, batch=batch, epochs=epochs[-1], rate=rate, momentum=momentum, seed=seed):
        if epoch in epochs:
            probe.snapshot(epoch)
            rows.append((loss(model, *data.train), accuracy(model, *data.test)))
    seen = probe.report().data
    start = {"reference": "start", "centred": False}
    return {
        "kernel_distance": seen.kernel_distance.sel(start).values,
        "hamming_distance": seen.hamming_distance.sel(activation="all").values,
        "parameter_distance": seen.parameter_distance.sel(layer="all").values,
        "loss": np.array([row[0] for row in rows]),
        "accuracy": np.array([row[1] for row in rows]),
        "speed": speeds,
    }


def train(
    model: nn.Module,
    inputs: Tensor,
    labels: Tensor,
    *,
    batch: int,
    epochs: int,
    rate: float,
    momentum: float = 0.0,
    seed: int = 0,
) -> Iterator[int]:
    """SGD on the cross-entropy; yields after every epoch."""
    optimiser = torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum)
    generator = torch.Generator().manual_seed(seed)
    for epoch in range(1, epochs + 1):
        for chosen in torch.randperm(len(labels), generator=generator).split(batch):
            optimiser.zero_grad()
            F.cross_entropy(model(inputs[chosen]), labels[chosen]).backward()
            optimiser.step()
        yield epoch


@torch.no_grad()
def loss(model: nn.Module, inputs: Tensor, labels: Tensor) -> float:
    parts = zip(inputs.split(2000), labels.split(2000), strict=True)
    return float(sum(F.cross_entropy(model(x), y, reduction="sum") for x, y in parts)) / len(labels)


@torch.no_grad()
def accuracy(model: nn.Module, inputs: Tensor, labels: Tensor) -> float:
    parts = zip(inputs.split(2000), labels.split(2000), strict=True)
    return float(sum((model(x).argmax(1) == y).sum() for x, y in parts)) / len(labels)
