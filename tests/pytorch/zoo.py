"""Small models to turn knobs on."""

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import fx, nn

torch.set_num_threads(1)
IMAGES = (5, 2, 8, 8)


def mlp(bias=True, slope=0.0, depth=3, width=6):
    act = nn.ReLU if slope == 0 else lambda: nn.LeakyReLU(slope)
    sizes = [4, *[width] * (depth - 1), 3]
    layers = [m for a, b in pairwise(sizes) for m in (nn.Linear(a, b, bias=bias), act())]
    return nn.Sequential(*layers[:-1])


class LeNet(nn.Module):
    def __init__(self, bias=True):
        super().__init__()
        self.one = nn.Conv2d(2, 4, 3, padding=1, bias=bias)
        self.two = nn.Conv2d(4, 6, 3, padding=1, bias=bias, groups=2)
        self.three = nn.Linear(6 * 4, 5, bias=bias)
        self.four = nn.Linear(5, 3, bias=bias)
        self.pool, self.drop = nn.MaxPool2d(2), nn.Dropout(0.3)

    def forward(self, x):
        x = self.pool(F.relu(self.one(x)))
        x = F.avg_pool2d(self.two(x).relu(), 2)
        return self.four(self.drop(F.leaky_relu(self.three(x.view(x.size(0), -1)), 0.1)))


class Residual(nn.Module):
    """A stream with two blocks, one of which changes its width."""

    def __init__(self, bias=True):
        super().__init__()
        self.stem = nn.Conv2d(2, 4, 3, padding=1, bias=bias)
        self.up, self.down = nn.Conv2d(4, 5, 3, padding=1, bias=bias), nn.Conv2d(5, 4, 3, padding=1, bias=bias)
        self.wide, self.back = nn.Conv2d(4, 6, 3, 2, 1, bias=bias), nn.Conv2d(6, 6, 3, padding=1, bias=bias)
        self.shortcut = nn.Conv2d(4, 6, 1, 2, bias=bias)
        self.head = nn.Linear(6, 3, bias=bias)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = F.relu(x + 0.5 * self.down(F.relu(self.up(x))))
        x = F.relu(self.shortcut(x) + self.back(F.relu(self.wide(x))))
        return self.head(x.mean((2, 3)))


class Raw(nn.Module):
    """Parameters without modules."""

    def __init__(self, bias=True):
        super().__init__()
        self.W, self.a = nn.Parameter(torch.randn(6, 4)), nn.Parameter(torch.randn(6, 3))
        self.b = nn.Parameter(torch.randn(6)) if bias else None

    def forward(self, x):
        z = x @ self.W.T
        return torch.relu(z if self.b is None else z + self.b) @ self.a


MODELS = {
    "mlp": (mlp, (5, 4)),
    "leaky": (lambda bias=True: mlp(bias, 0.2, 4), (5, 4)),
    "linear": (lambda bias=True: nn.Sequential(nn.Linear(4, 5, bias=bias), nn.Linear(5, 3, bias=bias)), (5, 4)),
    "cnn": (LeNet, IMAGES),
    "residual": (Residual, IMAGES),
    "raw": (Raw, (5, 4)),
    "transposed": (
        lambda bias=True: nn.Sequential(
            nn.ConvTranspose2d(2, 4, 2, bias=bias, groups=2), nn.PReLU(), nn.ConvTranspose2d(4, 3, 2, bias=bias),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        ),
        IMAGES,
    ),
}  # fmt: skip


def make(name, bias=True, seed=0, dtype=torch.float64):
    build, shape = MODELS[name]
    torch.manual_seed(seed)
    model, x = build(bias=bias).to(dtype), torch.randn(shape, dtype=dtype)
    with torch.no_grad():  # biases as large as weights, so that a wrong treatment shows
        for p in model.parameters():
            if p.ndim == 1:
                p.copy_(torch.randn_like(p))
    return model.eval(), x


def outputs(model, x):
    with torch.no_grad():
        return model(x)


def gap(one, other):
    return float((one - other).abs().max() / one.abs().max())


def state(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ln1, self.ln2, self.act = nn.LayerNorm(d), nn.LayerNorm(d), nn.GELU()
        self.qkv, self.out, self.up, self.down = (
            nn.Linear(a * d, b * d) for a, b in ((1, 3), (1, 1), (1, 2), (2, 1))
        )  # fmt: skip

    def forward(self, x):
        q, k, v = self.qkv(self.ln1(x)).chunk(3, -1)
        x = x + self.out(torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, -1) @ v)
        return x + self.down(self.act(self.up(self.ln2(x))))


class Transformer(nn.Module):
    def __init__(self, tied=False, norm=True):
        super().__init__()
        self.emb, self.pos = nn.Embedding(11, 8), nn.Parameter(torch.randn(1, 6, 8))
        self.blocks = nn.ModuleList([Block(8) for _ in range(2)] if norm else [])
        self.norm = nn.LayerNorm(8) if norm else nn.Identity()
        self.head = nn.Linear(8, 11, bias=False)
        if tied:
            self.head.weight = self.emb.weight

    def forward(self, x):
        x = self.emb(x) + self.pos[:, : x.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class MeanSquareNorm(nn.Module):
    """Written out, as in many language models."""

    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Decoder(nn.Module):
    """One block of a language model of today: positions by a table, attention by one call, a gated middle."""

    def __init__(self, d=8, heads=2):
        super().__init__()
        self.heads, self.tokens, self.positions = heads, nn.Embedding(11, d), nn.Embedding(6, d)
        self.norm1, self.norm2, self.norm3 = (MeanSquareNorm(d) for _ in range(3))
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.gate, self.up, self.down = nn.Linear(d, 5), nn.Linear(d, 5), nn.Linear(5, d)
        self.W, self.b = nn.Parameter(torch.randn(d, 3)), nn.Parameter(torch.randn(3))

    def attend(self, x):
        q, k, v = (m(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for m in (self.q, self.k, self.v))
        v = torch.cat([torch.tensor([], dtype=v.dtype), v], -2) if not isinstance(x, fx.Proxy) else v  # a cache
        return self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))

    def forward(self, x):
        x = self.tokens(x) + self.positions(torch.arange(6))
        x = x + self.attend(self.norm1(x))
        y = self.norm2(x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return torch.addmm(self.b, self.norm3(x)[:, -1], self.W)


def batch_norm():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(4, 3)).double()  # fmt: skip
    for _ in range(20):
        model(torch.randn(IMAGES, dtype=torch.float64))
    return model


class Normed(nn.Module):
    """A residual network with batch norm: blocks read the stream through convolutions that are normalized."""

    def __init__(self):
        super().__init__()
        self.stem, self.bn = nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.convs = nn.ModuleList(nn.Conv2d(4, 4, 3, padding=1, bias=False) for _ in range(4))
        self.bns = nn.ModuleList(nn.BatchNorm2d(4) for _ in range(4))
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        x = F.relu(self.bn(self.stem(x)))
        for i in (0, 2):
            y = F.relu(self.bns[i](self.convs[i](x)))
            x = F.relu(x + self.bns[i + 1](self.convs[i + 1](y)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


def train(model, x, optimizer, steps=20):
    target = torch.linspace(-1, 1, len(x), dtype=x.dtype)[:, None]
    for _ in range(steps):
        optimizer.zero_grad()
        ((model(x) - target) ** 2).mean().backward()
        optimizer.step()
