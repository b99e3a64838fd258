"""Small models, data and training loops for the tests of probe and diagnosis."""

import torch
from torch import nn
from torch.nn import functional as F


def mlp(width=20, inputs=8, outputs=3, activation=nn.ReLU):
    return nn.Sequential(nn.Linear(inputs, width), activation(), nn.Linear(width, outputs))


class Everything(nn.Module):
    """Batch norm, dropout, a buffer, a shared weight, a frozen one."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.drop = nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.5)
        self.second, self.frozen, self.out = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 3)
        self.second.weight = self.first.weight
        self.frozen.requires_grad_(False)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x):
        x = self.drop(F.relu(self.norm(self.first(x))))
        return self.out(F.relu(self.frozen(F.relu(self.second(self.scale * x)))))


def blobs(n=60, seed=0):
    """Three clusters that overlap."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(n) % 3
    return torch.randn(3, 8, generator=generator)[labels] + torch.randn(n, 8, generator=generator), labels


def train(model, probe, x, y, steps=30, rate=0.1, every=10, loss=F.cross_entropy):
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=rate)
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        value = loss(model(x), y)
        value.backward()
        optimizer.step()
        if step % every == 0:
            probe.snapshot(step, loss=float(value.detach()))
    return float(value.detach())


def state_of(model):
    """Everything that must stay: values, gradients, modes, hooks, random numbers."""
    return (
        {name: value.clone() for name, value in model.state_dict().items()},
        {name: (p.grad, None if p.grad is None else p.grad.clone()) for name, p in model.named_parameters()},
        {name: module.training for name, module in model.named_modules()},
        {
            name: {key: dict(value) for key, value in vars(module).items() if key.endswith("hooks")}
            for name, module in model.named_modules()
        },
        [p.requires_grad for p in model.parameters()],
        torch.get_rng_state(),
    )


def assert_same(model, before):
    values, grads, modes, hooks, trained, random = before
    now = state_of(model)
    assert all(torch.equal(values[name], now[0][name]) for name in values)
    for name, (grad, value) in grads.items():
        assert now[1][name][0] is grad
        assert grad is None or torch.equal(grad, value)
    assert (modes, hooks, trained) == (now[2], now[3], now[4])
    assert torch.equal(random, now[5])


def in_use():
    """A model in mixed modes with gradients and hooks, in the middle of training; inputs and labels."""
    torch.manual_seed(0)
    model, (x, y) = Everything(), blobs()
    model.first.register_forward_hook(lambda *_: None)
    model.out.register_full_backward_hook(lambda *_: None)
    F.cross_entropy(model(x), y).backward()
    model.norm.eval()
    return model, x, y


def scaled(scale, activation, seed, width=60):
    """A network with outputs scaled by `scale`, zero at the start (hidden units in pairs of opposite outputs)."""
    torch.manual_seed(seed)
    model = mlp(width, activation=activation)
    half = width // 2
    with torch.no_grad():
        model[0].weight[half:], model[0].bias[half:] = model[0].weight[:half], model[0].bias[:half]
        model[2].weight[:, half:] = -model[2].weight[:, :half]
        model[2].bias.zero_()

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = model

        def forward(self, x):
            return scale * self.net(x)

    return Scaled()


def mean_square(outputs, labels):
    return (outputs - F.one_hot(labels, 3)).square().sum(1).mean()


class Residual(nn.Module):
    """A small ResNet: convolutions, batch norm, a skip connection, average pooling."""

    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.conv1, self.norm1 = nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.conv2, self.norm2 = nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        x = F.relu(self.norm(self.stem(x)))
        x = F.relu(x + self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x))))))
        return self.head(x.mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(7, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
        self.readout = nn.Linear(8, 3)

    def forward(self, x):
        return self.readout(self.block(self.tokens(x))[:, -1])


def broken(model):
    with torch.no_grad():
        model[2].weight[0, 0] = float("nan")
    return model
