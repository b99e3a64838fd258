"""Networks on sparse parity, from large weights under weight decay: by gradient flow or by AdamW."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich.networks import Network, TwoLayer
from lazyrich.probe.grokking_clock import GrokkingRun, grokking_run

CURVE = np.linspace(-0.6, 1.6, 45)  # λt − log α


class Gelu(Network):
    """f(x) = a · GELU(Wx)."""

    W: Float[Array, "h d"]
    a: Float[Array, " h"]

    def __call__(self, X: Array | np.ndarray) -> Array:
        return jax.nn.gelu(X @ self.W.T, approximate=False) @ self.a


class ThreeLayers(Network):
    """f(x) = a · ReLU(V ReLU(Wx))."""

    W: Float[Array, "k d"]
    V: Float[Array, "h k"]
    a: Float[Array, " h"]

    def __call__(self, X: Array | np.ndarray) -> Array:
        return jnp.maximum(jnp.maximum(X @ self.W.T, 0) @ self.V.T, 0) @ self.a


def start_of(kind: str, rng: np.random.Generator, alpha: float, d: int, width: int) -> Network:
    """Return a network whose neurons of the last hidden layer come in pairs that cancel, with all weights times α."""
    half = width // 2
    W, a = rng.normal(size=(half, d)) / np.sqrt(d), rng.normal(size=half) / np.sqrt(half)
    a = alpha * np.concatenate([a, -a])
    if kind == "three layers":
        V = rng.normal(size=(half, half)) * np.sqrt(2 / half)
        return ThreeLayers(jnp.asarray(np.sqrt(2) * alpha * W), jnp.asarray(alpha * np.vstack([V, V])), jnp.asarray(a))
    W = alpha * np.vstack([W, W])
    return Gelu(jnp.asarray(W), jnp.asarray(a)) if kind == "GELU" else TwoLayer(W, a)


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
    kind: str = "ReLU",
    step: float | None = None,
    batch: int | None = None,
) -> tuple[GrokkingRun, np.ndarray]:
    """Follow one network to λt = log α + `latest`; return when it fitted and generalized, and its test accuracy at the
    times of `CURVE`.

    The label is the product of two of d signs. The seed chooses data and start; `start` chooses another start on the
    same data. With a `step` it is trained by AdamW at this learning rate, in batches if given, and not by the flow.
    """
    import lazyrich as lr

    rng = np.random.default_rng(seed)
    inputs = rng.choice([-1.0, 1.0], size=(n + test, d))
    labels = inputs[:, 0] * inputs[:, 1]
    rng = rng if start is None else np.random.default_rng([start, 77])
    net = start_of(kind, rng, alpha, d, width)
    flow = lr.GradientFlow(net, lr.Problem(inputs[:n], labels[:n], kappa=1 / n), decay=decay)
    end = (max(np.log(alpha), 0.0) + latest) / decay
    if step is None:
        times = np.append(0.0, np.append(np.geomspace(1e-4 * end, end, 40), np.linspace(0, end, points)))
        traj = lr.integrate(flow, np.unique(times.round(9)), precision="single", rtol=rtol, progress=False)
    else:
        steps = round(end / step)
        key = None if batch is None else jax.random.key(seed)
        traj = lr.descend(
            flow, steps, step, every=steps // points, optimizer=lr.Adam(), decoupled=True, batch=batch, key=key,
            precision="single", progress=False,
        )  # fmt: skip
    train = np.mean(np.sign(np.asarray(traj.outputs)) == labels[:n], axis=1)
    outputs = [np.asarray(traj[i](inputs[n:])) for i in range(len(traj))]
    accuracy = np.mean(np.sign(outputs) == labels[n:], axis=1)
    accuracy[0] = train[0] = 0.5  # all outputs are zero
    run = grokking_run(
        traj.times, train, accuracy, alpha=alpha, decay=decay, train_loss=traj.loss,
        optimizer="gd" if step is None else "adamw", full_batch=batch is None,
    )  # fmt: skip
    return run, np.interp((CURVE + np.log(alpha)) / decay, np.asarray(traj.times), accuracy)


def cell(alpha: float, decay: float, seed: int, **setup: Any) -> dict[str, Any]:
    """Return the times of one run and its curve, for a sweep."""
    run, curve = run_of(alpha, decay, seed, **setup)
    return {"t_fit": run.t_fit, "t_grok": run.t_grok, "accuracy": curve}


def times_of_kind(kind: str, alpha: float, decay: float, seed: int, **setup: Any) -> dict[str, Any]:
    """Return the times of one run of a kind of network; NaN if it does not generalize in time."""
    try:
        run, _ = run_of(alpha, decay, seed, kind=kind, **setup)
    except ValueError as error:
        if "never reaches" not in str(error):
            raise
        return {"t_fit": np.nan, "t_grok": np.nan}
    return {"t_fit": run.t_fit, "t_grok": run.t_grok}


def adamw_in_batches(alpha: float, decay: float, seed: int, **setup: Any) -> dict[str, Any]:
    """Return the times of one run of minibatch AdamW."""
    return times_of_kind("ReLU", alpha, decay, seed, step=1e-3, batch=32, **setup)


def adamw(alpha: float, decay: float, seed: int, **setup: Any) -> dict[str, Any]:
    """Return the times of one run of AdamW with all data at each step."""
    return times_of_kind("ReLU", alpha, decay, seed, step=1e-3, **setup)


def constant_at_strong_decay(decay: float, seed: int, *, alpha: float, **setup: Any) -> dict[str, Any]:
    """Return the constant of the clock at a strong decay."""
    return {"constant": run_of(alpha, decay, seed, **setup)[0].constant}


def constant_at_small_start(alpha: float, seed: int, *, decay: float, **setup: Any) -> dict[str, Any]:
    """Return the constant of the clock at a small start."""
    return {"constant": run_of(alpha, decay, seed, **setup)[0].constant}
