"""Two-layer ReLU networks on sparse parity, from large weights under weight decay."""

from typing import Any

import numpy as np

from lazyrich.probe.grokking_clock import GrokkingRun, grokking_run

CURVE = np.linspace(-0.6, 1.6, 45)  # λt − log α


def run_of(
    alpha: float,
    decay: float,
    seed: int,
    *,
    d: int,
    n: int,
    width: int,
    test: int,
    rtol: float,
    points: int,
    latest: float,
    start: int | None = None,
) -> tuple[GrokkingRun, np.ndarray]:
    """Follow the flow of one network to λt = log α + `latest`; return when it fitted and generalized, and its test
    accuracy at the times of `CURVE`.

    The label is the product of two of d signs. Neurons come in pairs whose outputs cancel at the start; all weights at
    the start are multiplied by α. The seed chooses data and start; `start` chooses another start on the same data.
    """
    import lazyrich as lr

    rng = np.random.default_rng(seed)
    inputs = rng.choice([-1.0, 1.0], size=(n + test, d))
    labels = inputs[:, 0] * inputs[:, 1]
    rng = rng if start is None else np.random.default_rng([start, 77])
    W, a = rng.normal(size=(width // 2, d)) / np.sqrt(d), rng.normal(size=width // 2) / np.sqrt(width / 2)
    net = lr.TwoLayer(alpha * np.vstack([W, W]), alpha * np.concatenate([a, -a]))
    flow = lr.GradientFlow(net, lr.Problem(inputs[:n], labels[:n], kappa=1 / n), decay=decay)
    end = (max(np.log(alpha), 0.0) + latest) / decay
    times = np.unique(np.concatenate([[0.0], np.geomspace(1e-4 * end, end, 40), np.linspace(0, end, points)]).round(9))
    traj = lr.integrate(flow, times, precision="single", rtol=rtol, progress=False)
    train = np.mean(np.sign(np.asarray(traj.outputs)) == labels[:n], axis=1)
    outputs = [np.asarray(traj[i](inputs[n:])) for i in range(len(traj))]
    accuracy = np.mean(np.sign(outputs) == labels[n:], axis=1)
    accuracy[0] = train[0] = 0.5  # all outputs are zero
    run = grokking_run(times, train, accuracy, alpha=alpha, decay=decay, train_loss=traj.loss)
    return run, np.interp((CURVE + np.log(alpha)) / decay, times, accuracy)


def cell(alpha: float, decay: float, seed: int, **setup: Any) -> dict[str, Any]:
    """Return the times of one run and its curve, for a sweep."""
    run, curve = run_of(alpha, decay, seed, **setup)
    return {"t_fit": run.t_fit, "t_grok": run.t_grok, "accuracy": curve}


def constant_at_strong_decay(decay: float, seed: int, *, alpha: float, **setup: Any) -> dict[str, Any]:
    """Return the constant of the clock at a strong decay."""
    return {"constant": run_of(alpha, decay, seed, **setup)[0].constant}


def constant_at_small_start(alpha: float, seed: int, *, decay: float, **setup: Any) -> dict[str, Any]:
    """Return the constant of the clock at a small start."""
    return {"constant": run_of(alpha, decay, seed, **setup)[0].constant}
