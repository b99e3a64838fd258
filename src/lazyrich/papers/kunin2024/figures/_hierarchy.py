"""The cells of figure 5c: networks of every α and seed on one share of all inputs of a random hierarchy."""

import math
import time
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich.papers.kunin2024.figures._ensemble import Ensemble, batches, layer_speeds, stack_members
from lazyrich.torch.data import random_hierarchy_model


class Layer(nn.Module):
    """x ↦ xW / fan^power with W ~ N(0, 1): power ½ in the hidden layers, 1 in the last (mean field)."""

    def __init__(self, inputs: int, outputs: int, power: float, scale: float, generator: torch.Generator):
        super().__init__()
        self.weight = nn.Parameter(scale * torch.randn(inputs, outputs, generator=generator))
        self.factor = inputs**-power

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight * self.factor


def network(inputs: int, width: int, hidden: int, classes: int, alpha: float, seed: int) -> nn.Sequential:
    """Return ReLU layers without biases, with the first layer's weights ÷ α and the last one's × α."""
    generator = torch.Generator().manual_seed(seed)
    sizes = [inputs, *[width] * hidden]
    layers: list[nn.Module] = []
    for depth, (fan, units) in enumerate(pairwise(sizes)):
        layers += [Layer(fan, units, 0.5, 1.0 if depth else 1 / alpha, generator), nn.ReLU()]
    return nn.Sequential(*layers, Layer(width, classes, 1.0, alpha, generator))


def cell(
    share: float,
    seed: int,
    *,
    grammar: dict[str, int],
    alphas: list[float],
    members: int,
    width: int,
    hidden: int,
    epochs: int,
    batch: int,
    test: int,
) -> dict[str, np.ndarray]:
    """Test and training accuracy (α, member) of networks that learned from this share of all inputs."""
    seeds = [1000 * seed + i for i in range(members)]
    models_by_seed = [random_hierarchy_model(**grammar, seed=s) for s in seeds]
    split = [each.split(share, test, seed=s) for each, s in zip(models_by_seed, seeds, strict=True)]
    models = [
        network(split[0][0][0].shape[1], width, hidden, grammar["classes"], alpha, s) for alpha in alphas for s in seeds
    ]
    ensemble = Ensemble(models)
    inputs, labels = stack_members([train for train, _ in split] * len(alphas))
    train(ensemble, inputs, labels, width=width, epochs=epochs, batch=batch, seed=seed)
    shape = (len(alphas), members)
    return {
        "test": ensemble.accuracy(*stack_members([t for _, t in split] * len(alphas))).reshape(shape).numpy(),
        "train": ensemble.accuracy(inputs, labels).reshape(shape).numpy(),
    }


def train(
    ensemble: Ensemble, inputs: Tensor, labels: Tensor, *, width: int, epochs: int, batch: int, seed: int
) -> None:
    """Train by SGD with momentum at a rate of 0.1 × width that falls by a cosine to zero at 80 % of the epochs."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.SGD(ensemble.parameters(), lr=0.1 * width, momentum=0.9)
    last = max(1, round(0.8 * epochs))
    for epoch in range(last):
        optimizer.param_groups[0]["lr"] = 0.1 * width * (1 + math.cos(math.pi * epoch / last)) / 2
        for x, y in batches(inputs, labels, batch, generator):
            optimizer.zero_grad()
            ensemble.loss(x, y).sum().backward()
            optimizer.step()


def speeds(seed: int, *, grammar: dict[str, int], alphas: list[float], width: int, hidden: int, **_: Any) -> np.ndarray:
    """Return the trace of the tangent kernel at the start, (α, layer): how fast each layer moves the function."""
    x, _labels = random_hierarchy_model(**grammar, seed=seed).sample(20, seed)
    models = [network(x.shape[1], width, hidden, grammar["classes"], alpha, seed) for alpha in alphas]
    return np.array([layer_speeds(model, x) for model in models])


def seconds(
    grammar: dict[str, int],
    alphas: list[float],
    shares: list[float],
    members: int,
    epochs: int,
    batch: int,
    **rest: Any,
) -> float:
    """Estimate the seconds for all cells on one core, from a few timed steps."""
    inputs = random_hierarchy_model(**grammar).n_inputs
    few = max(1, min(20, inputs // (2 * batch)))
    began = time.perf_counter()
    cell(
        few * batch / inputs,
        0,
        grammar=grammar,
        alphas=alphas,
        members=members,
        epochs=2,
        batch=batch,
        **rest | {"test": 1},
    )
    step = (time.perf_counter() - began) / (2 * few)
    return step * sum(round(0.8 * epochs) * math.ceil(s * inputs / batch) for s in shares)
