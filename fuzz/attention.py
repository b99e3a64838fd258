"""Attention as in timm, torchvision and transformers: each listed pair is rescaled; kernels are compared with autograd.

A pair is rescaled in double precision, on a copy in which no small gain of a branch hides the change.
"""

import copy
import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lazyrich.torch as lt
from fuzz.models import gap, naive_kernel
from fuzz.ring import Outcome

STYLES = ("timm", "torchvision", "separate", "gpt2")
KEPT = 1e-9  # relative to the largest output, in double precision


class Attention(nn.Module):
    """Self-attention of (n, tokens, width), in the style of a library."""

    def __init__(self, style: str, width: int, heads: int, bias: bool, eager: bool) -> None:
        super().__init__()
        self.style, self.heads, self.eager = style, heads, eager
        match style:
            case "timm":
                self.qkv = nn.Linear(width, 3 * width, bias=bias)
            case "torchvision":
                self.attention = nn.MultiheadAttention(width, heads, bias=bias, batch_first=True)
                return
            case "separate":
                self.query, self.key, self.value = (nn.Linear(width, width, bias=bias) for _ in range(3))
            case "gpt2":  # as Conv1D of transformers: the weight is transposed
                self.weight = nn.Parameter(torch.randn(width, 3 * width) / math.sqrt(width))
                self.bias = nn.Parameter(torch.randn(3 * width) / math.sqrt(width))
        self.proj = nn.Linear(width, width, bias=bias)

    def split(self, x: Tensor) -> list[Tensor]:
        """Return the queries, keys and values, each of shape (n, heads, tokens, width of a head)."""
        n, t, width = x.shape
        h, e = self.heads, width // self.heads
        if self.style == "timm":
            return list(self.qkv(x).reshape(n, t, 3, h, e).permute(2, 0, 3, 1, 4).unbind(0))
        if self.style == "separate":
            parts = [self.query(x), self.key(x), self.value(x)]
        else:
            fused = torch.addmm(self.bias, x.reshape(-1, width), self.weight).view(n, t, 3 * width)
            parts = list(fused.split(width, dim=2))
        return [part.view(n, t, h, e).transpose(1, 2) for part in parts]

    def forward(self, x: Tensor) -> Tensor:
        if self.style == "torchvision":
            return self.attention(x, x, x, need_weights=False)[0]
        q, k, v = self.split(x)
        if self.eager:
            mixed = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1) @ v
        else:
            mixed = F.scaled_dot_product_attention(q, k, v)
        return self.proj(mixed.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    """A residual branch of attention, with or without a norm before it, and the gain of LayerScale."""

    def __init__(self, style: str, width: int, heads: int, bias: bool, eager: bool, norm: bool, gain: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()
        self.attn = Attention(style, width, heads, bias, eager)
        self.gamma = nn.Parameter(torch.full((width,), gain))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.gamma * self.attn(self.norm(x))


class Model(nn.Module):
    def __init__(self, blocks: list[Block], width: int) -> None:
        super().__init__()
        self.embed, self.blocks, self.head = nn.Linear(4, width), nn.Sequential(*blocks), nn.Linear(width, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.blocks(self.embed(x))[:, 0])


def draw(rng: np.random.Generator) -> dict[str, Any]:
    heads = int(rng.integers(1, 4))
    return {
        "styles": [str(rng.choice(STYLES)) for _ in range(int(rng.integers(1, 3)))],
        "heads": heads,
        "width": heads * int(rng.integers(1, 5)),
        "tokens": int(rng.integers(1, 6)),
        "n": int(rng.integers(2, 5)),
        "bias": bool(rng.integers(2)),
        "eager": bool(rng.integers(2)),
        "norm": bool(rng.integers(2)),
        "gain": float(rng.choice([1.0, 1e-2, 1e-5, 1e-6, 0.0])),
        "factor": float(np.round(10 ** rng.uniform(-0.7, 0.7), 3)),
        "seed": int(rng.integers(2**31)),
    }


def check(
    styles: list[str], heads: int, width: int, tokens: int, n: int, bias: bool, eager: bool, norm: bool, gain: float,
    factor: float, seed: int,
) -> Outcome:  # fmt: skip
    torch.manual_seed(seed)
    blocks = [Block(style, width, heads, bias, eager, norm, gain) for style in styles]
    model, x = Model(blocks, width).double(), torch.randn(n, tokens, 4, dtype=torch.float64)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):  # torch initializes some of them to 0, where they have no effect
                parameter.normal_()
    pairs = lt.balance(model, inputs=x).pairs
    ends = {(pair.writers, pair.readers) for pair in pairs}
    errors = [gap(lt.tangent_kernel(model, x), naive_kernel(model, x)) / KEPT]
    for place, style in enumerate(styles):
        missing = [pair for pair in expected_pairs(style, f"blocks.{place}.attn") if pair not in ends]
        if missing:
            raise AssertionError(f"the pair {missing[0]} is not listed; there are {sorted(ends)}")
    revealed = copy.deepcopy(model)
    for block in revealed.blocks:
        block.gamma.data.normal_()  # type: ignore[union-attr, operator]
    before = revealed(x).detach()
    for pair in pairs:
        scaled = copy.deepcopy(revealed)
        layers = pair.writers[0], pair.readers[0]
        lt.upstream_(scaled, factor, layers=layers, inputs=x, tolerance=float("inf"))
        if all(torch.equal(p, q) for p, q in zip(scaled.parameters(), revealed.parameters(), strict=True)):
            raise AssertionError(f"the pair {layers} was rescaled by {factor}, and nothing changed")
        errors.append(gap(scaled(x).detach(), before) / KEPT)
    return Outcome(" and ".join(sorted(set(styles))), max(errors))


def expected_pairs(style: str, where: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the pairs that must be listed, as names of writers and readers: queries and keys, values and
    projection."""
    q, k, v, out = {
        "timm": ("qkv.q", "qkv.k", "qkv.v", "proj"),
        "torchvision": ("attention.q", "attention.k", "attention.v", "attention.out_proj"),
        "separate": ("query", "key", "value", "proj"),
        "gpt2": ("q", "k", "v", "proj"),
    }[style]
    return [((f"{where}.{q}",), (f"{where}.{k}",)), ((f"{where}.{v}",), (f"{where}.{out}",))]
