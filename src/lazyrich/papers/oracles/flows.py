"""Integrate flows with SciPy: no solver is shared with the library, and nothing is compiled."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

RTOL = 1e-12


def ode(field: Callable[[np.ndarray], np.ndarray], start: Any, times: Any, rtol: float = RTOL) -> np.ndarray:
    """Solve y′ = field(y) from `start` (of any shape) at t = 0 by DOP853, and return y at the given times, times
    first."""
    start, times = np.asarray(start, float), np.asarray(times, float)
    scale = np.max(np.abs(start)) or 1.0
    found = solve_ivp(
        (lambda t, y: field(y)) if start.ndim == 1 else (lambda t, y: field(y.reshape(start.shape)).ravel()),
        (0.0, float(times[-1])),
        start.ravel(),
        method="DOP853",
        t_eval=times,
        rtol=rtol,
        atol=rtol * 1e-3 * scale,
    )
    if not found.success:
        raise RuntimeError(found.message)
    return found.y.T.reshape(len(times), *start.shape)


def deep_linear(
    weights: Sequence[Any], X: Any, Y: Any, times: Any, rates: Sequence[float] | None = None, rtol: float = RTOL
) -> list[np.ndarray]:
    """Solve the gradient flow of ½‖X (W_L ⋯ W_1)ᵀ − Y‖² on the raw weights, W_l of shape (n_l, n_{l−1}), one rate
    per layer.

    Return each layer over time, of shape (times, n_l, n_{l−1}).
    """
    layers = [np.atleast_2d(np.asarray(W, float)) for W in weights]
    X, Y = np.asarray(X, float), np.asarray(Y, float)
    Y = Y[:, None] if Y.ndim == 1 else Y
    cuts = np.cumsum([0, *(W.size for W in layers)]).tolist()
    places = [(a, b, W.shape) for a, b, W in zip(cuts, cuts[1:], layers, strict=False)]
    speeds = np.repeat(np.ones(len(layers)) if rates is None else rates, [W.size for W in layers])

    def field(y: np.ndarray) -> np.ndarray:
        Ws, below, out = [y[a:b].reshape(shape) for a, b, shape in places], [X], np.empty_like(y)
        for W in Ws:
            below.append(below[-1] @ W.T)
        back = Y - below.pop()
        while Ws:
            a, b, shape = places[len(Ws) - 1]
            np.matmul(back.T, below.pop(), out=out[a:b].reshape(shape))
            W = Ws.pop()
            if Ws:
                back = back @ W
        return speeds * out

    path = ode(field, np.concatenate([W.ravel() for W in layers]), times, rtol)
    return [path[:, a:b].reshape(len(path), *shape) for a, b, shape in places]
