"""Further flows on which each limit theorem holds, in general position; the theorem's own file has one, too."""

from functools import cache

import jax
import numpy as np

import lazyrich as lr
from lazyrich.theorems.limits import (
    affine,
    commuting,
    diagonal,
    l1_margin,
    l2_margin,
    leaky,
    neuron,
    rank_one,
    spectral,
    vanishing,
    wide,
)

KEY = jax.random.key(2)
RATES = (0.7, 1.6)


def data(n=4, d=7, c=None, seed=0):
    rng = np.random.default_rng(seed)
    return lr.Problem(rng.normal(size=(n, d)), rng.normal(size=(n,) if c is None else (n, c)), kappa=0.6)


def noisy():
    """Duplicate inputs with different labels: not interpolable, and of rank 3."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3, 6))
    return lr.Problem(np.vstack([X, X[:2]]), rng.normal(size=5))


def positive(n=3, d=5):
    """Labels that a positive predictor reaches."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, d))
    return lr.Problem(X, X @ rng.uniform(0.3, 1.0, size=d))


def separable(n=6, d=4, loss=None):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, d))
    return lr.Problem(X, np.sign(X @ rng.normal(size=d)), loss or lr.Exponential())


def balanced(sizes, rates, scale=0.6, seed=0):
    """Layers of rank one, balanced at these rates."""
    rng = np.random.default_rng(seed)
    units = [v / np.linalg.norm(v) for v in (rng.normal(size=n) for n in sizes[:-1])] + [np.ones(1)]
    weights = [
        scale * np.sqrt(rate) * np.outer(after, before)
        for rate, before, after in zip(rates, units[:-1], units[1:], strict=True)
    ]
    return lr.DeepLinear(weights)


def sensing(seed=0, start=None):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    eigenvalues = rng.normal(size=(2, 4))
    A = np.einsum("ij,nj,kj->nik", Q, eigenvalues, Q)
    y = eigenvalues @ rng.uniform(0.2, 1.5, size=4)
    U = Q @ np.diag([0.5, 0.8, 0.3, 0.6]) if start is None else start(Q)
    return lr.GradientFlow(lr.Factorization(U), lr.Problem(A.reshape(2, -1), y), 0.7)


def normal(*shape, seed):
    return np.random.default_rng(seed).normal(size=shape)


def downstream():
    net = lr.inits.neuron(0.05 * np.asarray(data().min_norm_solution) + 0.02, -0.9, RATES)
    return lr.GradientFlow(net, data(), RATES)


def crossing():
    white = lr.Problem(1.3 * np.linalg.qr(normal(5, 3, seed=1))[0].T, normal(3, seed=2))
    return lr.GradientFlow(lr.inits.neuron(-0.2 * np.asarray(white.min_norm_solution) + 0.05, -1.0), white)


def seen(*between):
    """Return a network whose first layer has no component in the null space of X."""
    first, last = normal(3, 4, seed=5) @ data(c=2).X * 0.3, normal(2, 3, seed=6) * 0.5
    return lr.DeepLinear([first, *between, last])


# Made when they are asked for.
FURTHER = {
    diagonal.THEOREM: {
        "untied, any start": lambda: lr.GradientFlow(lr.Diagonal(list(0.7 * normal(2, 2, 7, seed=3))), data(), RATES),
        "depth 3": lambda: lr.GradientFlow(lr.Diagonal([[[0.5] * 7, [0.4] * 7]], power=3), data(), 0.7),
        "tied, unbiased": lambda: lr.GradientFlow(lr.inits.tied_diagonal(7, 0.3), data(), 0.7),
        "shape": lambda: lr.GradientFlow(lr.inits.diagonal(7, 0.2, 0.6), data()),
        "one side": lambda: lr.GradientFlow(lr.Diagonal([np.array([[0.3] * 5, [0.0] * 5])], power=2), positive()),
        "depth 4, untied": lambda: lr.GradientFlow(
            lr.Diagonal([np.sqrt(r) * np.full((2, 7), 0.6) for r in (0.6, 1.2, 0.9, 1.1)]), data(), (0.6, 1.2, 0.9, 1.1)
        ),
        "labels out of reach": lambda: lr.GradientFlow(lr.inits.tied_diagonal(6, 0.4), noisy()),
    },
    neuron.THEOREM: {
        "upstream": lambda: lr.GradientFlow(lr.inits.neuron(normal(7, seed=4) * 0.3, 0.8, RATES), data(), RATES),
        "downstream": downstream,
        "crossing, whitened": crossing,
        "labels out of reach": lambda: lr.GradientFlow(lr.inits.neuron([0.2, -0.1, 0.3, 0.1, 0.0, 0.2], 0.5), noisy()),
        "as TwoLayer": lambda: lr.GradientFlow(
            lr.TwoLayer(0.3 * normal(1, 7, seed=8), [-1.9], negative_slope=1.0), data(), RATES
        ),
    },
    rank_one.THEOREM: {
        "two layers, many units": lambda: lr.GradientFlow(balanced((7, 4, 1), RATES), data(), RATES),
        "three layers": lambda: lr.GradientFlow(balanced((7, 3, 2, 1), (0.7, 1.6, 1.1)), data(), (0.7, 1.6, 1.1)),
        "four layers": lambda: lr.GradientFlow(balanced((7, 3, 2, 3, 1), (1.0,) * 4, scale=0.9), data()),
    },
    spectral.THEOREM: {
        "three outputs": lambda: lr.GradientFlow(lr.inits.orthogonal(KEY, d=7, c=3, gamma=0.3, h=9), data(c=3)),
        "one output": lambda: lr.GradientFlow(lr.inits.orthogonal(KEY, d=7, c=1, gamma=0.3, h=7), data(), (0.9, 0.9)),
    },
    wide.THEOREM: {
        "one output, as wide as needed": lambda: lr.GradientFlow(lr.inits.infinite_width(7, 1, 0.3, 0.2), data()),
        "labels out of reach": lambda: lr.GradientFlow(lr.inits.wide(KEY, 6, 30, 1, gamma=2.0), noisy(), RATES),
        "downstream layers of zeros": lambda: lr.GradientFlow(lr.inits.wide(KEY, 7, 9, 2, 0.0, 0.4), data(c=2), RATES),
    },
    vanishing.THEOREM: {
        "two layers": lambda: lr.GradientFlow(seen(), data(c=2), RATES),
        "three layers": lambda: lr.GradientFlow(seen(np.eye(3)), data(c=2)),
    },
    leaky.THEOREM: {
        "leaky": lambda: lr.GradientFlow(
            lr.TwoLayer(normal(1, 7, seed=9) * 0.4, [2.4], negative_slope=0.3), data(3, 7, seed=2), RATES
        ),
    },
    commuting.THEOREM: {
        "square": sensing,
        "few columns": lambda: sensing(start=lambda Q: Q[:, :3] * np.array([0.5, 0.8, 0.3])),
    },
    affine.THEOREM: {
        "regression": lambda: lr.GradientFlow(lr.inits.gaussian(KEY, (7, 2)), data(c=2), 0.7),
        "out of reach": lambda: lr.GradientFlow(lr.inits.gaussian(KEY, (6, 1)), noisy(), 0.7),
        "tangent of ReLU": lambda: lr.GradientFlow(lr.Linearized(lr.inits.two_layer(KEY, d=7, h=5)), data(), RATES),
    },
    l1_margin.THEOREM: {"tied": lambda: lr.GradientFlow(lr.inits.tied_diagonal(4, 0.5), separable())},
    l2_margin.THEOREM: {
        "one layer": lambda: lr.GradientFlow(lr.inits.gaussian(KEY, (4, 1)), separable(loss=lr.Logistic())),
        "two layers": lambda: lr.GradientFlow(lr.inits.gaussian(KEY, (4, 3, 1)), separable()),
    },
}


def examples(theorem):
    """Name → maker of a flow on which the theorem holds; the last is that of its file."""
    return {**FURTHER.get(theorem, {}), "its own": theorem.sample_flow}


@cache
def example(theorem, name):
    return examples(theorem)[name]()


def first(theorem):
    return example(theorem, next(iter(examples(theorem))))
