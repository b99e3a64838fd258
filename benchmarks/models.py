"""Models of common sizes, with random weights: ResNet-18 for small images, ViT-tiny, GPT-2 small, a character model,
and an encoder with adapters."""

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.skip = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + self.skip(x))


class ResNet18(nn.Module):
    """11.2 million weights; the stem is a 3 × 3 convolution without pooling, for images of 32 × 32."""

    def __init__(self, classes=10):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64)
        sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2),
                 (512, 512, 1)]  # fmt: skip
        self.blocks, self.head = nn.Sequential(*(Block(*size) for size in sizes)), nn.Linear(512, classes)

    def forward(self, x):
        return self.head(self.blocks(F.relu(self.norm(self.stem(x)))).mean((2, 3)))


class Layer(nn.Module):
    """A pre-norm block: attention, then an MLP with a hidden layer of four times the width."""

    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        parts = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*parts, is_causal=self.causal)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class ViTTiny(nn.Module):
    """5.4 million weights: twelve layers of width 192, patches of 4 × 4 of images of 32 × 32."""

    def __init__(self, classes=10, width=192):
        super().__init__()
        self.patches, self.token = nn.Conv2d(3, width, 4, 4), nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(0.02 * torch.randn(1, 65, width))
        self.layers = nn.Sequential(*(Layer(width, 3, causal=False) for _ in range(12)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.places
        return self.head(self.norm(self.layers(x))[:, 0])


class GPT2(nn.Module):
    """124 million weights: twelve layers of width 768, 50,257 tokens, with the output tied to the embedding table."""

    def __init__(self, width=768, tokens=50_257):
        super().__init__()
        self.tokens, self.places = nn.Embedding(tokens, width), nn.Embedding(1024, width)
        self.layers = nn.Sequential(*(Layer(width, 12, causal=True) for _ in range(12)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens, bias=False)
        self.head.weight = self.tokens.weight
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(x.shape[1]))
        return self.head(self.norm(self.layers(h)))


class NanoGPT(nn.Module):
    """62 thousand weights: two layers of width 48 on characters, with the output tied to the embedding table."""

    def __init__(self, width=48, characters=95, length=32):
        super().__init__()
        self.tokens, self.places = nn.Embedding(characters, width), nn.Embedding(length, width)
        self.layers = nn.Sequential(*(Layer(width, 4, causal=True) for _ in range(2)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, characters, bias=False)
        self.head.weight = self.tokens.weight
        for parameter in self.parameters():
            if parameter.ndim == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(x.shape[1]))
        return self.head(self.norm(self.layers(h)))


class Adapted(nn.Module):
    """A frozen linear layer with an adapter of low rank, W + 2 B A."""

    def __init__(self, base, rank=8):
        super().__init__()
        self.base_layer = base.requires_grad_(False)
        self.lora_A = nn.Linear(base.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, x):
        return self.base_layer(x) + 2 * self.lora_B(self.lora_A(x))


class BertLoRA(nn.Module):
    """An encoder of the size of BERT base (110 million weights), of which adapters and the head are trained."""

    def __init__(self, width=768, tokens=30_522, classes=2):
        super().__init__()
        self.tokens, self.places = nn.Embedding(tokens, width), nn.Embedding(512, width)
        self.layers = nn.Sequential(*(Layer(width, 12, causal=False) for _ in range(12)))
        self.norm = nn.LayerNorm(width)
        self.requires_grad_(False)
        for layer in self.layers:
            layer.qkv, layer.out = Adapted(layer.qkv), Adapted(layer.out)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(x.shape[1]))
        return self.head(self.norm(self.layers(h))[:, 0])


class BatchNormNet(nn.Module):
    """Two convolutions with batch norm for images of 28 × 28."""

    def __init__(self, width=8, classes=10):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(1, width, 5, 2), nn.BatchNorm2d(width)
        self.conv2, self.norm2 = nn.Conv2d(width, 2 * width, 5, 2), nn.BatchNorm2d(2 * width)
        self.head = nn.Linear(32 * width, classes)

    def forward(self, x):
        x = F.relu(self.norm1(self.conv1(x)))
        return self.head(F.relu(self.norm2(self.conv2(x))).flatten(1))


class SmallViT(nn.Module):
    """One pre-norm layer of width 32 on sixteen patches of an image of 28 × 28."""

    def __init__(self, width=32, classes=10):
        super().__init__()
        self.patches, self.layer = nn.Conv2d(1, width, 7, 7), Layer(width, 2, causal=False)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.norm(self.layer(self.patches(x).flatten(2).transpose(1, 2))).mean(1))
