"""Make the figure and the table of LeNet-5 on MNIST from rescaled initializations (kunin2024, figure 5a).

`python docs_build/pictures_torch.py FOLDER_WITH_MNIST [SEEDS]` takes about a minute per seed on one free core.
"""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt

IMAGES = Path(__file__).parents[1] / "docs" / "images"


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)
        for layer in self.children():
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


def run(folder, seed):
    images, labels = lt.data.mnist(folder, 10_000)
    torch.manual_seed(seed)
    model = LeNet()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=64, shuffle=True)
    return lt.diagnose(
        model,
        loader,
        steps=600,
        loss=F.cross_entropy,
        optimizer=lambda parameters: torch.optim.SGD(parameters, lr=1e-3),
        inputs=images[:500],
        targets=labels[:500],
        snapshots=6,
    )


def table(diagnoses):
    yield "| α | kernel distance S | patterns switched | ‖θ − θ₀‖ | gap | loss | steps | fastest layer | regime |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for alpha, runs in diagnoses[0].matched_runs(*diagnoses[1:]).items():
        rows = [
            (r.S, 100 * r.hamming_distance, r.parameter_distance, r.report.evidence["gap"], r.loss, len(r.losses))
            for r in runs
        ]
        mean, error = np.mean(rows, 0), np.std(rows, 0, ddof=1) / np.sqrt(len(rows))
        columns = zip(mean, error, (3, 1, 2, 2, 2, 0), strict=True)
        S, patterns, moved, gap, loss, steps = (f"{m:.{digits}f} ± {e:.{digits}f}" for m, e, digits in columns)
        kinds, fast = ([of(r) for r in runs] for of in (lambda r: r.regime, lambda r: r.report.fastest_layer))
        said, layers = (
            ", ".join(f"{k} {x.count(k)}" for k in sorted(set(x), key=x.count)[::-1]) for x in (kinds, fast)
        )
        yield f"| {alpha:g} | {S} | {patterns} % | {moved} | {gap} | {loss} | {steps} | {layers} | {said} |"


def publish(diagnoses):
    print(diagnoses[0].summary(*diagnoses[1:]), *table(diagnoses), sep="\n")
    print(*table([dataclasses.replace(found, match="steps") for found in diagnoses]), sep="\n")
    diagnoses[0].plot(*diagnoses[1:]).savefig(IMAGES / "torch_probe.png", dpi=160)


if __name__ == "__main__":
    publish([run(sys.argv[1], seed) for seed in range(int(sys.argv[2]) if len(sys.argv) > 2 else 5)])
