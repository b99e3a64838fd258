"""The cells of figure 5b: what becomes of the first filters of a small residual network with batch norm."""

import math
import os
import time
from functools import lru_cache
from typing import Any

import numpy as np
import torch
import xarray
from torch import Tensor, nn
from torch.nn import functional as F

from lazyrich.papers.figure import Scale
from lazyrich.papers.kunin2024.figures._residual import accuracy, filters, network, train
from lazyrich.torch.data import Images, dead_leaves, load_images
from lazyrich.torch.data.folder import ENVIRONMENT_VARIABLE

CLASSES = {"cifar10": 10, "dead_leaves": 8}
MARKS = 8  # times at which the filters are looked at

PRINTED = torch.tensor([[-0.25, -0.5, -0.25], [-0.5, 2.0, -0.5], [-0.25, -0.5, -0.25]])  # its sum is −1
CENTERED = PRINTED + torch.tensor([[0.0, 0, 0], [0, 1, 0], [0, 0, 0]])  # a Laplacian: its sum is 0


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
    """Train one network, and return accuracies, statistics of the filters before training and at eight times, and
    the filters."""
    number = 1000 * seed + member
    data = draw_images(n, test, number, os.environ.get(ENVIRONMENT_VARIABLE))
    if data.source != source:
        raise ValueError(f"these cells were begun with {source}; found {data.source}")
    model = network(channels, stride, pool, CLASSES[source], alpha, number)
    first = filters(model)
    observed = [roughness_of_filters(first)]
    steps = epochs * -(-n // batch)
    marks = {round(steps * k / MARKS) for k in range(1, MARKS + 1)}
    augment = augment and source == "cifar10"  # a mirrored leaf points elsewhere
    for step in train(model, data.train, batch, epochs, rate, number, augment=augment):
        if step in marks:
            observed.append(roughness_of_filters(first))
    return {
        "train": np.array(accuracy(model, *data.train)),
        "test": np.array(accuracy(model, *data.test)),
        **{name: np.array([each[name] for each in observed]) for name in observed[0]},
        "filters": first.detach().movedim(1, -1).numpy(),
    }


def sweep(scale: Scale) -> xarray.Dataset:
    """Compute all cells, (member, α), with the steps at which filters were measured, and the name of the data."""
    source = load_images("cifar10", 1, 1).source
    fixed = {name: value for name, value in scale.parameters.items() if name not in ("alphas", "members")}
    axes = {"member": list(range(scale["members"])), "alpha": scale["alphas"]}
    data = scale.sweep(cell, axes, fixed=fixed | {"source": source}).isel(seed=0, drop=True)
    names: dict[str, tuple[str, ...]] = dict.fromkeys(("roughness", "centered", "oriented"), ("step",))
    names |= {"filters": ("filter", "row", "column", "color")}
    renamed = {name: (("member", "alpha", *names.get(str(name), ())), data[name].values) for name in data.data_vars}
    steps = scale["epochs"] * math.ceil(scale["n"] / scale["batch"])
    coords = {**axes, "step": [round(steps * k / MARKS) for k in range(MARKS + 1)]}
    return xarray.Dataset(renamed, coords, {"source": source, "n": scale["n"], "epochs": scale["epochs"]})


@lru_cache(1)
def draw_images(n: int, test: int, seed: int, _folder: str | None) -> Images:
    """Return the images of a member, cached for its next α; they depend on the folder in the environment variable."""
    return load_images("cifar10", n, test, seed)


def roughness_of_filters(weights: Tensor) -> dict[str, float]:
    """Return means over filters: their roughness by the printed kernel and by the one of sum 0, and their
    orientation."""
    return {
        "roughness": float(roughness(weights).mean()),
        "centered": float(roughness(weights, CENTERED).mean()),
        "oriented": float(orientation(weights).mean()),
    }


@torch.no_grad()
def orientation(weights: Tensor) -> Tensor:
    """Return |Σ P e^{2iθ}| / Σ P for each filter: 1 for a grating, 0 if no direction is preferred.

    P is the power of a filter (channel, color, …), averaged over colors, at each frequency, and θ the angle of the
    frequency.
    """
    gray = weights.mean(-3)
    power = torch.fft.fft2(gray - gray.mean((-2, -1), keepdim=True)).abs().square()
    down, right = (torch.fft.fftfreq(size) for size in gray.shape[-2:])
    turned = torch.polar(torch.ones(gray.shape[-2:]), 2 * torch.atan2(down[:, None], right))
    return (power * turned).sum((-2, -1)).abs() / power.sum((-2, -1))


@torch.no_grad()
def roughness(weights: Tensor, kernel: Tensor = PRINTED) -> Tensor:
    """Return ‖(w/‖w‖) ∗ Δ‖² of each (…, 15, 15) filter: the source's smoothness, which is small for smooth filters."""
    flat = weights.reshape(-1, 1, *weights.shape[-2:])
    unit = flat / flat.square().sum((-2, -1), keepdim=True).sqrt()
    return F.conv2d(unit, kernel[None, None].to(unit)).square().sum((-3, -2, -1)).reshape(weights.shape[:-2])


def as_a_rate(alpha: float, seed: int = 0, steps: int = 8, rate: float = 0.1, power: float = 2.0) -> float:
    """Compare filters ÷ α at the common rate with unchanged filters at α² times the rate.

    Return how far the former × α, and all other weights, end from the latter, relative to their largest entries. The
    comparison is in double precision, with norms whose ε is negligible, and with momentum.
    """
    inputs, labels = dead_leaves(16 * steps, seed=seed)
    ends = []
    for by, faster in ((alpha, 1.0), (1.0, alpha**power)):
        model = network([8, 16], 4, 2, CLASSES["dead_leaves"], 1.0, seed).double()
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
    """Estimate the seconds for all cells on one core, from two timed steps with a few images."""
    few = min(batch, 32)
    shape = rest | {"n": 2 * few, "test": 1, "batch": few, "epochs": 1, "source": load_images("cifar10", 1, 1).source}
    cell(0, 1.0, 0, **shape)  # the first time, which takes longer
    began = time.perf_counter()
    cell(0, 1.0, 0, **shape)
    return (time.perf_counter() - began) / (2 * few) * n * epochs * len(alphas) * members
