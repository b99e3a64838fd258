"""The cells of figure 5b: a small residual network with batch norm on images; what becomes of its first filters."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lazyrich.papers.kunin2024.figures._ensemble import Ensemble, batches
from lazyrich.torch.data import images

LAPLACIAN = torch.tensor([[-0.25, -0.5, -0.25], [-0.5, 2.0, -0.5], [-0.25, -0.5, -0.25]])  # as printed; its sum is −1


def block(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    """Convolution, batch norm, ReLU; batches are normalised by themselves, in tests, too."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False),
        nn.BatchNorm2d(outputs, track_running_stats=False),
        nn.ReLU(),
    )


class Residual(nn.Module):
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


def network(channels: int, stride: int, classes: int, alpha: float, seed: int) -> nn.Sequential:
    """A smaller relative of cifar10-fast's network with first filters of 15 × 15, ÷ α: the norm behind them keeps the
    function (up to its eps), and their rate is α² times as large, relative to their size."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = nn.Sequential(
            block(3, channels, 15, stride), nn.MaxPool2d(2),
            block(channels, 2 * channels), nn.MaxPool2d(2), Residual(2 * channels),
            nn.AdaptiveMaxPool2d(1), nn.Flatten(),
            nn.Linear(2 * channels, classes, bias=False), Scaled(0.125),
        )  # fmt: skip
    with torch.no_grad():
        model[0][0].weight /= alpha
    return model


def cell(
    alpha: float,
    seed: int,
    *,
    members: int,
    channels: int,
    stride: int,
    n: int,
    test: int,
    batch: int,
    epochs: int,
    rate: float,
    shown: int,
) -> dict[str, np.ndarray]:
    """Accuracies (member), roughness of the first filters (member, filter) before and after, and some filters."""
    sets = [images("cifar10", n, test, 1000 * seed + i) for i in range(members)]
    classes = int(max(each.train[1].max() for each in sets)) + 1
    ensemble = Ensemble([network(channels, stride, classes, alpha, 1000 * seed + i) for i in range(members)])
    first = next(iter(ensemble.weights.values()))
    before = roughness(first.detach())
    inputs, labels = (torch.stack([each.train[k] for each in sets]) for k in (0, 1))
    train(ensemble, inputs, labels, batch=batch, epochs=epochs, rate=rate, seed=seed)
    after = first.detach()
    return {
        "train": ensemble.accuracy(inputs, labels).numpy(),
        "test": ensemble.accuracy(*(torch.stack([each.test[k] for each in sets]) for k in (0, 1))).numpy(),
        "before": before.numpy(),
        "after": roughness(after).numpy(),
        "filters": after[0, :shown].movedim(1, -1).numpy(),
    }


def train(
    ensemble: Ensemble, inputs: Tensor, labels: Tensor, *, batch: int, epochs: int, rate: float, seed: int
) -> None:
    """SGD with Nesterov's momentum, no decay; the rate rises to its peak in the first fifth and falls to zero."""
    optimiser = torch.optim.SGD(ensemble.parameters(), lr=rate, momentum=0.9, nesterov=True)
    generator = torch.Generator().manual_seed(seed)
    steps = epochs * -(-inputs.shape[1] // batch)
    step = 0
    for _ in range(epochs):
        for x, y in batches(inputs, labels, batch, generator):
            optimiser.param_groups[0]["lr"] = rate * np.interp((step + 1) / steps, [0, 5 / 24, 1], [0, 1, 0])
            optimiser.zero_grad()
            ensemble.loss(x, y).sum().backward()
            optimiser.step()
            step += 1


def roughness(filters: Tensor) -> Tensor:
    """‖(w/‖w‖) ∗ Δ‖² of each (…, 15, 15) filter, and its mean over the input channels: what the source calls its
    smoothness, and is small for smooth filters."""
    flat = filters.reshape(-1, 1, *filters.shape[-2:])
    unit = flat / flat.square().sum((-2, -1), keepdim=True).sqrt()
    return (
        F.conv2d(unit, LAPLACIAN[None, None].to(unit)).square().sum((-3, -2, -1)).reshape(filters.shape[:-2]).mean(-1)
    )
