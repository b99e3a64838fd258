"""Networks of any width in parametrizations whose exponents of width are known (Yang & Hu 2021, Yang et al. 2022)."""

import torch
from torch import nn
from torch.nn import functional as F

INPUTS = 8


class Scaled(nn.Module):
    """y = multiplier · W x, W from a normal distribution."""

    def __init__(self, inputs, outputs, std, multiplier=1.0):
        super().__init__()
        self.weight, self.multiplier = nn.Parameter(std * torch.randn(outputs, inputs)), multiplier

    def forward(self, x):
        return self.multiplier * F.linear(x, self.weight)


class MLP(nn.Module):
    """Two hidden layers, in the standard, the NTK or the maximal update parametrization."""

    def __init__(self, n, kind):
        super().__init__()
        first, hidden, last = {
            "standard": ((INPUTS**-0.5, 1.0), (n**-0.5, 1.0), (n**-0.5, 1.0)),
            "ntk": ((1.0, INPUTS**-0.5), (1.0, n**-0.5), (1.0, n**-0.5)),
            "mup": ((INPUTS**-0.5, 1.0), (n**-0.5, 1.0), (1.0, 1 / n)),
        }[kind]
        self.n, self.kind = n, kind
        self.first, self.hidden, self.last = Scaled(INPUTS, n, *first), Scaled(n, n, *hidden), Scaled(n, 1, *last)

    def forward(self, x):
        return self.last(torch.tanh(self.hidden(torch.tanh(self.first(x)))))


def sgd(lr, frozen_input=False):
    """Return SGD, with the rates n, 1 and n if the model is in the maximal update parametrization."""

    def make(model):
        ends = model.n if model.kind == "mup" else 1.0
        return torch.optim.SGD(
            [
                {"params": model.first.parameters(), "lr": lr * (1.0 if frozen_input else ends)},
                {"params": model.hidden.parameters(), "lr": lr},
                {"params": model.last.parameters(), "lr": lr * ends},
            ]
        )

    return make


def adam(lr):
    """Return Adam; in the maximal update parametrization, matrices between hidden layers have the rate lr/n."""

    def make(model):
        inner = {id(p) for name, p in model.named_parameters() if model.inner(name)}
        matrices = [p for p in model.parameters() if id(p) in inner]
        rest = [p for p in model.parameters() if id(p) not in inner]
        return torch.optim.Adam(
            [{"params": matrices, "lr": lr / model.n if model.kind == "mup" else lr}, {"params": rest}],
            lr=lr,
            eps=1e-12,
        )

    return make


MLP.inner = lambda self, name: name.startswith("hidden")


class Transformer(nn.Module):
    """One block with attention of two heads, read at the last position: standard, or maximal updates."""

    def __init__(self, n, kind, tokens=11):
        super().__init__()
        self.n, self.kind = n, kind
        self.embed = nn.Embedding(tokens, n)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(n) for _ in range(3))
        self.q, self.k, self.v, self.o = (Scaled(n, n, n**-0.5) for _ in range(4))
        self.up, self.down = Scaled(n, 2 * n, n**-0.5), Scaled(2 * n, n, (2 * n) ** -0.5)
        self.head = Scaled(n, tokens, 1.0, 1 / n) if kind == "mup" else Scaled(n, tokens, n**-0.5)

    def inner(self, name):
        return name.split(".")[0] in ("q", "k", "v", "o", "up", "down")

    def attend(self, x):
        q, k, v = (m(x).unflatten(-1, (2, -1)).transpose(1, 2) for m in (self.q, self.k, self.v))
        scale = 2 / self.n if self.kind == "mup" else (2 / self.n) ** 0.5
        weights = torch.softmax(scale * q @ k.transpose(-1, -2), -1)
        return self.o((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = self.embed(x)
        x = x + self.attend(self.norm1(x))
        x = x + self.down(F.relu(self.up(self.norm2(x))))
        return self.head(self.norm3(x)[:, -1])
