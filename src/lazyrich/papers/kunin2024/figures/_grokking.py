"""The cells of figure 5d: one-layer transformers of every α and several seeds on arithmetic modulo p."""

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lazyrich.papers.kunin2024.figures._ensemble import Ensemble, batches, stack_members
from lazyrich.torch.data import modular_arithmetic

if TYPE_CHECKING:
    import xarray

EMBEDDINGS = ("tokens.weight", "places.weight")


class Transformer(nn.Module):
    """One block of the public code that the source names: the stream starts from the normalized embeddings, and the
    answer is read at the last place, whose query alone is needed. A token in its place has one key and one value,
    whatever the others are, so that these are computed once for all inputs."""

    def __init__(self, tokens: int, width: int = 128, heads: int = 4, places: int = 5):
        super().__init__()
        self.tokens, self.places = nn.Embedding(tokens, width), nn.Embedding(places, width)
        self.before, self.between, self.after = (nn.LayerNorm(width) for _ in range(3))
        self.attention, self.mix = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.head = nn.Linear(width, tokens, bias=False)
        self.heads = heads
        nn.init.xavier_uniform_(self.attention.weight)
        nn.init.zeros_(self.attention.bias)
        nn.init.zeros_(self.mix.bias)

    def forward(self, x: Tensor) -> Tensor:
        n, length = x.shape
        table = self.before(self.tokens.weight[:, None] + self.places.weight[:length])  # (token, place, width)
        query, keys, values = self.attention(table).chunk(3, -1)
        rows = x * length + torch.arange(length)
        key, value = (F.embedding(rows, y.flatten(0, 1)).reshape(n, length, self.heads, -1) for y in (keys, values))
        query_vectors = F.embedding(x[:, -1], query[:, length - 1]).reshape(n, 1, self.heads, -1)
        weights = ((query_vectors * key).sum(-1) / math.sqrt(key.shape[-1])).softmax(1)
        last = F.embedding(x[:, -1], table[:, length - 1])
        last = last + self.mix((weights[..., None] * value).sum(1).flatten(1))
        return self.head(self.after(last + self.down(F.gelu(self.up(self.between(last))))))


def transformer(p: int, width: int, alpha: float, seed: int) -> Transformer:
    """Return a transformer with the embeddings of tokens and positions ÷ α, which the norm after them compensates."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Transformer(p + 2, width)
    with torch.no_grad():
        for name in EMBEDDINGS:
            model.get_parameter(name).div_(alpha)
    return model


def cell(
    tau: float,
    seed: int,
    *,
    alphas: list[float],
    p: int,
    operation: str,
    share: float,
    width: int,
    members: int,
    batch: int,
    rate: float,
    steps: int,
    every: int,
) -> dict[str, np.ndarray]:
    """Return the accuracies (time, α, member) on training and test pairs along the steps, and the distance that the
    token embeddings have moved, relative to their initial size.

    Members of one number have the same pairs, weights and batches for every α, except for the scale of the embeddings.
    """
    seeds = [1000 * seed + i for i in range(members)]
    sets = [modular_arithmetic(p, operation, share, seed=s) for s in seeds]
    ensemble = Ensemble([transformer(p, width, alpha, s) for alpha in alphas for s in seeds])
    parts = [stack_members([split[i] for split in sets] * len(alphas)) for i in (0, 1)]
    start = ensemble.weights[EMBEDDINGS[0]].detach().clone()
    observed = np.zeros((3, steps // every + 1, len(alphas), members))
    for step in optimize(ensemble, sets, len(alphas), tau=tau, batch=batch, rate=rate, steps=steps, seed=seed):
        if step % every == 0:
            away = (ensemble.weights[EMBEDDINGS[0]].detach() - start).norm(dim=(1, 2)) / start.norm(dim=(1, 2))
            now = [*(ensemble.accuracy(*part) for part in parts), away]
            observed[:, step // every] = [each.reshape(len(alphas), members).numpy() for each in now]
    return dict(zip(("train", "test", "moved"), observed, strict=True))


def optimize(
    ensemble: Ensemble, sets: list, copies: int, *, tau: float, batch: int, rate: float, steps: int, seed: int
) -> Iterator[int]:
    """Train by Adam with β = (0.9, 0.98), no decay, ten steps of warm-up, logits × τ and rate ÷ τ²; yield every
    step."""
    optimizer = torch.optim.Adam(ensemble.parameters(), betas=(0.9, 0.98), fused=True)
    generator = torch.Generator().manual_seed(seed)
    inputs, labels = stack_members([train for train, _ in sets])
    step = 0
    while True:
        for x, y in batches(inputs, labels, batch, generator):
            yield step
            if step == steps:
                return
            optimizer.param_groups[0]["lr"] = rate / tau**2 * min(1.0, step / 10)
            optimizer.zero_grad()
            ensemble.loss(x.repeat(copies, 1, 1), y.repeat(copies, 1), tau).sum().backward()
            optimizer.step()
            step += 1


def as_a_rate(
    alpha: float,
    p: int = 11,
    width: int = 32,
    steps: int = 30,
    rate: float = 1e-3,
    seed: int = 0,
    power: float = 1.0,
) -> float:
    """Compare embeddings ÷ α with their rate × α.

    Return the largest difference of the embeddings (the first ones × α) and of the logits after some steps of Adam,
    relative to their size, without the epsilons of norms and optimizer.
    """
    (x, y), _ = modular_arithmetic(p, "multiplication", 0.7, seed)
    ends = []
    for scale, speed in ((alpha, 1.0), (1.0, alpha**power)):
        model = transformer(p, width, 1.0, seed).double()
        for norm in (model.before, model.between, model.after):
            norm.eps = 1e-40
        with torch.no_grad():
            for name in EMBEDDINGS:
                model.get_parameter(name).div_(scale)
        groups: list[dict[str, Any]] = [{"params": [], "lr": speed * rate}, {"params": [], "lr": rate}]
        for name, weight in model.named_parameters():
            groups[name not in EMBEDDINGS]["params"].append(weight)
        optimizer = torch.optim.Adam(groups, betas=(0.9, 0.98), eps=1e-40)
        for _ in range(steps):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        ends.append([scale * model.get_parameter(name).detach() for name in EMBEDDINGS] + [model(x).detach()])
    return max(float((one - other).abs().max() / other.abs().max()) for one, other in zip(*ends, strict=True))


def share_of_embeddings(p: int = 97, width: int = 128) -> float:
    """Return the fraction of all parameters that are embeddings."""
    sizes = {name: weight.numel() for name, weight in Transformer(p + 2, width).named_parameters()}
    return sum(sizes[name] for name in EMBEDDINGS) / sum(sizes.values())


def members(data: "xarray.Dataset", alphas: list[float], every: int) -> "xarray.Dataset":
    """Return the sweep over τ and runs, with all members of all runs along one axis, and the steps as coordinate of
    time."""
    import xarray

    observed = {name: data[name].transpose("tau", "seed", ...).values for name in ("train", "test", "moved")}
    axes = ("tau", "time", "alpha", "member")
    return xarray.Dataset(
        {name: (axes, np.concatenate(list(np.moveaxis(values, 1, 0)), -1)) for name, values in observed.items()},
        coords={"tau": data.tau.values, "alpha": alphas, "time": every * np.arange(observed["test"].shape[2])},
    )


def seconds(cells: int, steps: int, every: int, **rest: Any) -> float:
    """Estimate the seconds for all cells on one core, from a few timed steps."""
    few = 10
    times = []
    for count in (1, 1, 1 + few):  # the first one warms up
        began = time.perf_counter()
        cell(1.0, 0, steps=count, every=count, **rest)
        times.append(time.perf_counter() - began)
    return cells * steps * max(times[2] - times[1], 0.0) / few


def faster(tau: float, seed: int, **fixed: Any) -> dict[str, np.ndarray]:
    """Compute a cell under another name, so that its results are stored separately."""
    return cell(tau, seed, **fixed)
