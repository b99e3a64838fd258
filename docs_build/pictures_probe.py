"""Draw the pictures of docs/training.md and docs/width.md: `python docs_build/pictures_probe.py`.

This takes a minute on one free core.
"""

import re
from pathlib import Path

import matplotlib
import numpy as np
import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich._io.plots import REGIME_COLORS, STYLE

DOCS = Path(__file__).parents[1] / "docs"
SCALES, SEEDS, STEPS, RATE = np.geomspace(0.01, 30, 11), 5, 300, 0.03


def blobs(n=60):
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(n) % 3
    return torch.randn(3, 8, generator=generator)[labels] + torch.randn(n, 8, generator=generator), labels


class Scaled(nn.Module):
    """Two layers, outputs multiplied by s; hidden units in pairs of opposite outputs, so that it begins at 0."""

    def __init__(self, s, seed, width=60):
        super().__init__()
        torch.manual_seed(seed)
        self.s, self.net, half = s, nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 3)), width // 2
        with torch.no_grad():
            first, last = self.net[0], self.net[2]
            first.weight[half:], first.bias[half:] = first.weight[:half], first.bias[:half]
            last.weight[:, half:] = -last.weight[:, :half]
            last.bias.zero_()

    def forward(self, x):
        return self.s * self.net(x)


def measure_training(s, seed):
    x, y = blobs()
    model = Scaled(s, seed)
    probe = lt.Probe(model, x)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE / (s**2 if s > 1 else s))
    for _ in range(STEPS):
        optimizer.zero_grad()
        (model(x) - F.one_hot(y, 3)).square().sum(1).mean().backward()
        optimizer.step()
    probe.snapshot(STEPS)
    return list(probe.report().evidence.values())


def thresholds():
    found = np.array([[measure_training(float(s), seed) for seed in range(SEEDS)] for s in SCALES])
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 2.9), layout="constrained")
        names = {"kernel": "Kernel distance S", "gap": "Linearization gap"}
        for axes, values, (name, title) in zip(
            figure.subplots(1, 2), found.transpose(2, 0, 1), names.items(), strict=True
        ):
            axes.plot(SCALES, values.mean(1), color="0.2", marker=".")
            axes.fill_between(SCALES, values.min(1), values.max(1), color="0.2", alpha=0.2, lw=0)
            axes.axhline(LAZY[name], color=REGIME_COLORS["lazy"], ls="--", label=f"lazy below {LAZY[name]:g}")
            if name == "kernel":
                axes.axhline(RICH, color=REGIME_COLORS["rich"], ls="--", label=f"rich above {RICH:g}")
            axes.set(title=title, xlabel="outputs multiplied by s", xscale="log", yscale="log")
            axes.legend()
        figure.savefig(DOCS / "images/probe_thresholds.png", dpi=150)


def width():
    """What the page computes, with S of features and a few more steps."""
    code = "".join(re.findall(r"^```python\n(.*?)^```", (DOCS / "width.md").read_text(), re.MULTILINE | re.DOTALL)[:1])
    names = {}
    exec(compile(code, "width.md", "exec"), names)
    found = lt.width_check(
        names["Net"], (64, 128, 256, 512, 1024), names["batches"], loss=F.mse_loss, optimizer=names["optimizer"],
        steps=8, tangent=False, seeds=5,
    )  # fmt: skip
    found.plot().savefig(DOCS / "images/width_check.png", dpi=150)


if __name__ == "__main__":
    thresholds()
    width()
