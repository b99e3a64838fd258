"""Sparse classification, section 5.2: its law, and descent from networks of several sizes (figures 9 to 11)."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray

from lazyrich.flow import GradientFlow
from lazyrich.networks import TwoLayer
from lazyrich.numerics import descend
from lazyrich.problem import Logistic, Problem

ETA, NEURONS, TEST = 0.1, 10, 1000


def sample(rng: np.random.Generator, copies: int, N: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw from ρ: (x₁, x₂) is (±1, 0) with label 1 or (0, ±1) with label −1; the other coordinates are random
    signs."""
    X = rng.choice([-1.0, 1.0], (copies, N, n))
    y = rng.choice([-1.0, 1.0], (copies, N))
    X[..., 0] *= y > 0
    X[..., 1] *= y < 0
    return X, y


@eqx.filter_jit
def _train(W: Any, a: Any, X: Any, y: Any, Z: Any, labels: Any, epochs: int, every: int) -> tuple[Any, ...]:
    """Return the accuracies on the test inputs Z and on X over the epochs, and the weights at the end."""

    def one(W: Any, a: Any, X: Any, y: Any, Z: Any, labels: Any) -> tuple[Any, ...]:
        flow = GradientFlow(TwoLayer(W, a), Problem(X, y, Logistic(), kappa=1 / len(y)))
        traj = descend(flow, epochs, ETA, every=every)
        right = lambda X, y: jax.lax.map(lambda net: jnp.mean(net(X) * y > 0), traj.nets)  # noqa: E731
        return right(Z, labels), right(X, y), *traj.end.layers

    return jax.vmap(one)(W, a, X, y, Z, labels)


def cell(N: int, r: float, n: int, K: int, epochs: int, every: int, seed: int) -> dict[str, Any]:
    """Train K networks with v, u ~ N(0, r²), each on its own data set.

    Return averages of the accuracies over the epochs, of ‖w‖₁ at the end, and of the fraction of weights below a
    twentieth of the largest, with their standard errors. The same seed draws the same data and, except for r, the same
    networks.
    """
    rng = np.random.default_rng([seed, N, n])
    X, y = sample(rng, K, N, n)
    Z, labels = sample(rng, K, TEST, n)
    W, a = r * rng.normal(size=(K, NEURONS, n)), r * rng.normal(size=(K, NEURONS))
    test, train, W, a = (np.asarray(part, float) for part in _train(W, a, X, y, Z, labels, epochs, every))
    w = np.abs(np.concatenate([W.reshape(K, -1), a], axis=1))
    near_zero = np.mean(w < w.max(1, keepdims=True) / 20, axis=1)
    return {
        "test": test.mean(0),
        "spread": _error(test[:, -1]),
        "train": train.mean(0),
        "l1": w.sum(1).mean(),
        "l1_spread": _error(w.sum(1)),
        "near_zero": near_zero.mean(),
        "near_zero_spread": _error(near_zero),
    }


def _error(samples: np.ndarray) -> float:
    """Return the standard error of the mean."""
    return float(np.std(samples, ddof=1) / np.sqrt(len(samples)))


def grid(scale: Any) -> xarray.Dataset:
    """Compute the cells of figures 9 and 10, over N and r."""
    epochs, every = scale["epochs"], scale["every"]
    fixed = {"n": scale["n"], "K": scale["K"], "epochs": epochs, "every": every}
    data = scale.sweep(cell, {"N": scale["N"], "r": scale["r"]}, fixed=fixed).isel(seed=0, drop=True)
    (axis,) = data.test.dims[2:]
    data = data.drop_vars([v for v in data.coords if v == axis]).rename({axis: "epoch", data.train.dims[2]: "epoch"})
    return data.assign_coords(epoch=every * np.arange(data.sizes["epoch"]))
