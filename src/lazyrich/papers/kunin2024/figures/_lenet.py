"""The cells of figure 5a: one LeNet-5, trained, with a probe that looks along the way."""

import time
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, jacrev
from torch.nn import functional as F

from lazyrich.papers.kunin2024.figures._ensemble import layer_speeds
from lazyrich.torch import Probe, metrics, upstream_
from lazyrich.torch.data import load_images


def lenet(seed: int) -> nn.Sequential:
    """Return LeNet-5 with ReLU and max pooling, He initialization and zero biases."""
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
    seen: int,
    sample: int,
    apart: int,
) -> dict[str, np.ndarray]:
    """Return kernel, Hamming and parameter distance, training loss and test accuracy along the epochs (0 first).

    At the end, also return the kernel distances due to activation patterns alone, and due to weights alone.
    """
    data = load_images("mnist", n, test, seed)
    model, start = lenet(seed), lenet(seed)
    for each in (model, start):
        upstream_(each, alpha)
    probe = Probe(model, data.train[0][:seen], data.train[1][:seen], sample=sample)
    units = np.array(list(metrics.observe(model, data.train[0][:1]).units.values()), float)
    rows = [(loss(model, *data.train), accuracy(model, *data.test))]
    for epoch in train(model, *data.train, batch=batch, epochs=epochs[-1], rate=rate, seed=seed):
        if epoch in epochs:
            probe.snapshot(epoch)
            rows.append((loss(model, *data.train), accuracy(model, *data.test)))
    report = probe.report().data
    x = data.train[0][:apart]
    K0 = kernel(start, start, x)
    return {
        "kernel_distance": report.kernel_distance.sel(reference="start", centered=False).values,
        "hamming_distance": report.hamming_distance.values @ units / units.sum(),
        "parameter_distance": np.sqrt(np.square(report.parameter_distance.values).sum(1)),
        "loss": np.array([row[0] for row in rows]),
        "accuracy": np.array([row[1] for row in rows]),
        "by_patterns": distance(kernel(start, model, x), K0),
        "by_weights": distance(kernel(model, start, x), K0),
    }


def speeds(alphas: list[float], apart: int, seed: int) -> np.ndarray:
    """Return how fast each layer moves the function at the start, (α, layer)."""
    inputs, measured = load_images("mnist", apart, 1, seed).train[0], []
    for alpha in alphas:
        model = lenet(seed)
        upstream_(model, alpha)
        measured.append(layer_speeds(model, inputs))
    return np.array(measured)


def train(
    model: nn.Module, inputs: Tensor, labels: Tensor, *, batch: int, epochs: int, rate: float, seed: int = 0
) -> Iterator[int]:
    """Train by SGD on the cross-entropy; yield after every epoch."""
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    for epoch in range(1, epochs + 1):
        for subset in torch.randperm(len(labels), generator=generator).split(batch):
            optimizer.zero_grad()
            F.cross_entropy(model(inputs[subset]), labels[subset]).backward()
            optimizer.step()
        yield epoch


@torch.no_grad()
def loss(model: nn.Module, inputs: Tensor, labels: Tensor) -> float:
    parts = zip(inputs.split(2000), labels.split(2000), strict=True)
    return float(sum(F.cross_entropy(model(x), y, reduction="sum") for x, y in parts)) / len(labels)


@torch.no_grad()
def accuracy(model: nn.Module, inputs: Tensor, labels: Tensor) -> float:
    parts = zip(inputs.split(2000), labels.split(2000), strict=True)
    return float(sum((model(x).argmax(1) == y).sum() for x, y in parts)) / len(labels)


class Gated(nn.Module):
    """The weights of one model behind the activation patterns of another: which units are on, and which pixel of a pool
    is the largest, is decided by the other."""

    def __init__(self, weights: nn.Sequential, patterns: nn.Sequential):
        super().__init__()
        self.weights, self.patterns = weights, [patterns]  # in a list: not trained

    def forward(self, x: Tensor) -> Tensor:
        other = x
        for layer, decides in zip(self.weights, self.patterns[0], strict=True):
            before, other = other, decides(other)
            if hasattr(layer, "weight") or isinstance(layer, nn.Flatten):
                x = layer(x)
            elif isinstance(layer, nn.ReLU):
                x = x * (before > 0)
            else:
                _, largest = F.max_pool2d(before, 2, return_indices=True)
                x = x.flatten(2).gather(2, largest.flatten(2)).reshape(largest.shape)
        return x


def kernel(weights: nn.Sequential, patterns: nn.Sequential, inputs: Tensor) -> Tensor:
    """Return the tangent kernel (n, c, n, c) in the weights of one model, with the patterns of another."""
    model = Gated(weights, patterns)
    values = {name: value.detach() for name, value in model.named_parameters()}
    with torch.no_grad():
        shape = model(inputs).shape
    J = jacrev(lambda p: functional_call(model, p, (inputs,)))(values)
    K = sum(j.reshape(shape.numel(), -1) @ j.reshape(shape.numel(), -1).T for j in J.values())
    return K.reshape(*shape, *shape)


def distance(K: Tensor, K0: Tensor) -> np.ndarray:
    """Return S = 1 − ⟨K, K₀⟩ / (‖K‖ ‖K₀‖)."""
    return np.array(1 - float((K * K0).sum() / (K.norm() * K0.norm())))


def seconds(alphas: list[float], runs: int, n: int, epochs: list[int], batch: int, rate: float, **_: object) -> float:
    """Estimate the seconds for all cells on one core, from ten timed steps."""
    data = load_images("mnist", 10 * batch, 1)
    began = time.perf_counter()
    for _epoch in train(lenet(0), *data.train, batch=batch, epochs=1, rate=rate):
        pass
    return (time.perf_counter() - began) / 10 * epochs[-1] * -(-n // batch) * len(alphas) * runs
