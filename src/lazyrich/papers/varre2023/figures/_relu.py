"""The ReLU teacher and student of figures 2 and 5."""

import jax
import numpy as np

from lazyrich import inits
from lazyrich.flow import GradientFlow
from lazyrich.problem import Problem

D, N, NEURONS = 5, 10, 20


def flow(seed: int, deviation: float, apart: bool = False) -> GradientFlow:
    """Draw N Gaussian points in R⁵, labels σ(w₀·x) + σ(w₁·x) with Gaussian w₀, w₁, and a Gaussian student.

    With `apart` the labels are 2σ(w₀·x) + σ(w₁·x) with orthonormal w₀, w₁, so that they are learned one by one.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D))
    W = rng.normal(size=(D, 2))
    labels = np.maximum(X @ np.linalg.qr(W)[0], 0) @ np.array([2.0, 1.0]) if apart else np.maximum(X @ W, 0).sum(1)
    net = inits.two_layer(jax.random.key(seed), D, NEURONS, (deviation, deviation))
    return GradientFlow(net, Problem(X, labels))
