"""Two-layer ReLU networks on sparse parity, from large weights under weight decay."""

from typing import Any

import numpy as np

FIT_LOSS = 0.05  # relative to the first loss: the training labels are fitted
LATEST = 1.8  # beyond log α, in units of 1/λ: the end of a run


def accuracy(outputs: Any, labels: Any) -> np.ndarray:
    """Return the share of outputs whose sign is right, along the last axis."""
    return np.mean(np.sign(np.asarray(outputs)) == np.asarray(labels), axis=-1)


def cell(
    alpha: float,
    decay: float,
    seed: int,
    *,
    d: int,
    n: int,
    width: int,
    test: int,
    rtol: float,
    every: float,
    latest: float = LATEST,
    start: int | None = None,
) -> dict[str, Any]:
    """Follow the flow of one network, whose weights at the start are multiplied by α.

    The label is the product of two of d signs. Neurons come in pairs whose outputs cancel at the start. Seeds choose
    data and start; `start` chooses another start on the data of the seed.
    """
    import lazyrich as lr

    rng = np.random.default_rng(seed)
    points = rng.choice([-1.0, 1.0], size=(n + test, d))
    labels = points[:, 0] * points[:, 1]
    rng = rng if start is None else np.random.default_rng([start, 77])
    W, a = rng.normal(size=(width // 2, d)) / np.sqrt(d), rng.normal(size=width // 2) / np.sqrt(width / 2)
    net = lr.TwoLayer(alpha * np.vstack([W, W]), alpha * np.concatenate([a, -a]), negative_slope=0.0)
    flow = lr.GradientFlow(net, lr.Problem(points[:n], labels[:n], kappa=1 / n), decay=decay)
    late = np.arange(every, np.log(alpha) + latest, every) / decay
    times = np.unique(np.concatenate([np.geomspace(0.3, 300, 25) / alpha**2, late]))
    times = np.concatenate([[0.0], times[times <= late[-1]]])
    traj = lr.integrate(flow, times, precision="single", rtol=rtol, progress=False)
    loss = np.asarray(traj.loss)
    outputs = [np.asarray(net(points[n:])) for net in (traj[i] for i in range(len(traj)))]
    return {
        "times": np.asarray(traj.times),
        "loss": loss,
        "train": accuracy(traj.outputs, labels[:n]),
        "test": accuracy(outputs, labels[n:]),
        "gradients": traj.stats["gradients"],
    }
