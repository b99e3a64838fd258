"""What a probe adds to training: LeNet-5, 60,000 images of MNIST's size (drawn digits), one snapshot per epoch.

One thread, processor time. An epoch (batches of 64, SGD) is timed over a tenth of its batches, and multiplied;
snapshots with 500, 1000 and 2000 probe inputs, the kernel on 100 of them with all ten outputs. The bar is 10 % of an
epoch.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import time

import torch
from torch import nn
from torch.nn import functional as F

from lazyrich.torch import Probe
from lazyrich.torch.data import digits

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
    """Seconds for all images, from the first batches."""
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
    began = time.process_time()
    for x, y in zip(images.split(BATCH), labels.split(BATCH), strict=True):
        optimiser.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimiser.step()
    return (time.process_time() - began) * IMAGES / len(images)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    images, labels = digits(IMAGES // TIMED)
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
        print(f"a snapshot on {n:4d} inputs (kernel on {probe.sample}): {min(took):.2f} s, {share:.1f} % of an epoch")


if __name__ == "__main__":
    main()
