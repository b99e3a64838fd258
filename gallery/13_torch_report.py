"""A report on a PyTorch model

A probe in the training loop reports whether the network was lazy, which layer learned, and the evidence.
"""

import torch
from torch import nn

import lazyrich.torch as lt

torch.manual_seed(0)
images, labels = lt.data.drawn_digits(300)  # drawn; or your own MNIST files: lt.data.mnist("folder", 10_000)
model = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
probe = lt.Probe(model, images[:100], labels[:100], sample=50)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(1, 201):
    batch = torch.randint(0, 300, (50,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
    optimizer.step()
    if step % 25 == 0:
        probe.snapshot(step)
report = probe.report()
print(report)
figure = report.plot()
figure.savefig("13_torch_report.png")
