"""The cells of figure 5d: one-layer transformers of several seeds on arithmetic modulo p, until they generalise."""

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lazyrich.papers.kunin2024.figures._ensemble import Ensemble, batches, stacked
from lazyrich.torch.data import modular


class Transformer(nn.Module):
    """One block of the public code that the source names: the stream starts from the normalised embeddings, and the
    answer is read at the last place, whose query alone is needed."""

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
        stream = self.before(self.tokens(x) + self.places.weight[:length])
        query, key, value = (part.reshape(n, length, self.heads, -1) for part in self.attention(stream).chunk(3, -1))
        weights = ((query[:, -1:] * key).sum(-1) / math.sqrt(key.shape[-1])).softmax(1)
        last = stream[:, -1] + self.mix((weights[..., None] * value).sum(1).flatten(1))
        return self.head(self.after(last + self.down(F.gelu(self.up(self.between(last))))))


def transformer(p: int, width: int, alpha: float, seed: int) -> Transformer:
    """The embeddings of tokens and places ÷ α: the norm behind them keeps the function."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Transformer(p + 2, width)
    with torch.no_grad():
        for weight in (model.tokens.weight, model.places.weight):
            weight /= alpha
    return model


def cell(
    tau: float,
    alpha: float,
    seed: int,
    *,
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
    """Steps to 99 % on training and test pairs of each member (the budget where it is not reached), and the accuracies
    (time, member) on the way."""
    seeds = [1000 * seed + i for i in range(members)]
    sets = [modular(p, operation, share, seed=s) for s in seeds]
    ensemble = Ensemble([transformer(p, width, alpha, s) for s in seeds])
    train, test = stacked([a for a, _ in sets]), stacked([b for _, b in sets])
    seen = np.zeros((2, steps // every + 1, members))
    for step in optimise(ensemble, *train, tau=tau, batch=batch, rate=rate, steps=steps, seed=seed):
        if step % every == 0:
            seen[:, step // every :] = [[np.array(ensemble.accuracy(*part))] for part in (train, test)]
            if (seen[1, step // every] >= 0.99).all():
                break
    return {
        "steps_train": reached(seen[0], every),
        "steps_test": reached(seen[1], every),
        "train": seen[0],
        "test": seen[1],
    }


def optimise(
    ensemble: Ensemble, inputs: Tensor, labels: Tensor, *, tau: float, batch: int, rate: float, steps: int, seed: int
):
    """Adam with β = (0.9, 0.98), no decay, ten steps of warm-up; the logits × τ, the rate ÷ τ². Yields every step."""
    optimiser = torch.optim.Adam(ensemble.parameters(), betas=(0.9, 0.98))
    generator = torch.Generator().manual_seed(seed)
    step = 0
    while True:
        for x, y in batches(inputs, labels, batch, generator):
            yield step
            if step == steps:
                return
            optimiser.param_groups[0]["lr"] = rate / tau**2 * min(1.0, step / 10)
            optimiser.zero_grad()
            ensemble.loss(x, y, tau).sum().backward()
            optimiser.step()
            step += 1


def reached(accuracy: np.ndarray, every: int) -> np.ndarray:
    """The first step at which each member has 99 %; the last step if none."""
    there = accuracy >= 0.99
    return np.where(there.any(0), there.argmax(0), len(accuracy) - 1) * float(every)
