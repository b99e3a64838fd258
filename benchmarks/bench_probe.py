"""Measure the cost of a probe in training: LeNet-5, 60,000 images of MNIST's size (drawn digits), a snapshot per epoch.

One thread, processor time. An epoch (batches of 64, SGD) is timed over a tenth of its batches, and multiplied;
snapshots have 500, 1000 and 2000 probe inputs, the kernel on 100 of them with all ten outputs. The limit is 10 % of an
epoch.

Then models of common sizes, each in a process of its own, with AdamW: the planned and the actual cost of a snapshot of
the full kernel within a budget (60 s and 3 GB; GPT-2: 300 s and 8 GB). `bench_probe.py large` runs only these.

The default, a sampled kernel within a share of the time of training, is measured by `bench_share.py`.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import json
import resource
import subprocess
import sys
import time

import models
import torch
from record import record
from torch import nn
from torch.nn import functional as F

from lazyrich.torch import Probe
from lazyrich.torch.data import drawn_digits

IMAGES, BATCH, TIMED = 60_000, 64, 10


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


def epoch(model, images, labels):
    """Return the seconds for all images, extrapolated from the first batches."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    began = time.process_time()
    for x, y in zip(images.split(BATCH), labels.split(BATCH), strict=True):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    return (time.process_time() - began) * IMAGES / len(images)


LARGE = {
    "ResNet-18": (models.ResNet18, lambda: torch.randn(64, 3, 32, 32), None, "60s 3GB"),
    "ViT-tiny": (models.ViTTiny, lambda: torch.randn(64, 3, 32, 32), None, "60s 3GB"),
    "GPT-2 small": (models.GPT2, lambda: torch.randint(50_257, (16, 32)), -1, "300s 8GB"),
}


def large(name):
    """Run in this process: a probe within the budget, one step of AdamW, one snapshot."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    make, inputs, positions, budget = LARGE[name]
    model, x = make(), inputs()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    probe = Probe(model, x, positions=positions, optimizer=optimizer, budget=budget)
    out = model(x[:4])
    (out if out.ndim == 2 else out[:, -1]).square().mean().backward()
    optimizer.step()
    began, clock = time.process_time(), time.perf_counter()
    numbers = probe.snapshot(1)
    seconds, wall = time.process_time() - began, time.perf_counter() - clock
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    row = {"plan": str(probe.plan), "seconds": seconds, "wall": wall, "memory": memory, "S": numbers["kernel_distance"]}
    print(json.dumps(row))


def all_large():
    for name in LARGE:
        done = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True)
        row = json.loads(done.stdout)
        print(f"{name}: planned {row['plan']}", flush=True)
        record(
            f"a snapshot of {name}", ours=row["seconds"], note=f"planned {row['plan']}; {row['memory'] / 1e9:.2f} GB"
        )
        print(
            f"  took {row['seconds']:.1f} s of the processor ({row['wall']:.1f} s by the clock), "
            f"{row['memory'] / 1e9:.2f} GB with all there is",
            flush=True,
        )


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    images, labels = drawn_digits(IMAGES // TIMED)
    model = LeNet()
    epoch(model, images[:640], labels[:640])
    seconds = [epoch(model, images, labels) for _ in range(3)]
    print(f"an epoch of {IMAGES} images: {min(seconds):.1f} s")
    for n in (500, 1000, 2000):
        probe = Probe(model, images[:n], labels[:n])
        took = []
        for step in range(1, 6):
            epoch(model, images[:64], labels[:64])
            began = time.process_time()
            probe.snapshot(step)
            took.append(time.process_time() - began)
        share = 100 * min(took) / min(seconds)
        record(
            f"a snapshot of LeNet-5 on {n} inputs", ours=min(took), rival="an epoch of training", theirs=min(seconds)
        )
        print(f"a snapshot on {n:4d} inputs (kernel on {probe.sample}): {min(took):.2f} s, {share:.1f} % of an epoch")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    if len(sys.argv) == 1 or sys.argv[1] == "large":
        all_large()
    if len(sys.argv) > 1 and sys.argv[1] in LARGE:
        large(sys.argv[1])
