"""Flows on which each limit theorem holds, in general position; and for each hypothesis one on which it alone fails."""

import jax
import jax.numpy as jnp
import numpy as np

import lazyrich as lr
from lazyrich.theorems.theorem import label

RNG = np.random.default_rng(3)
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


def commuting(seed=0, start=None):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    eigenvalues = rng.normal(size=(2, 4))
    A = np.einsum("ij,nj,kj->nik", Q, eigenvalues, Q)
    y = eigenvalues @ rng.uniform(0.2, 1.5, size=4)
    U = Q @ np.diag([0.5, 0.8, 0.3, 0.6]) if start is None else start(Q)
    return lr.GradientFlow(lr.Factorization(U), lr.Problem(A.reshape(2, -1), y), 0.7)


SIDES = RNG.normal(size=(2, 2, 7)) * 0.7
NEURON = lr.inits.neuron(RNG.normal(size=7) * 0.3, 0.8, RATES)
DOWN = lr.inits.neuron(0.05 * np.asarray(data().min_norm) + 0.02, -0.9, RATES)
WHITE = lr.Problem(1.3 * np.linalg.qr(RNG.normal(size=(5, 3)))[0].T, RNG.normal(size=3))
CROSSING = lr.inits.neuron(-0.2 * np.asarray(WHITE.min_norm) + 0.05, -1.0)
LEAKY = lr.TwoLayer(RNG.normal(size=(1, 7)) * 0.4, [2.4], slope=0.3)
SEEN = lr.DeepLinear([RNG.normal(size=(3, 4)) @ data(c=2).X * 0.3, RNG.normal(size=(2, 3)) * 0.5])

EXAMPLES = {
    "diagonal bias": {
        "untied, any start": lr.GradientFlow(lr.Diagonal(list(SIDES)), data(), RATES),
        "depth 3": lr.GradientFlow(lr.Diagonal([[[0.5] * 7, [0.4] * 7]], power=3), data(), 0.7),
        "tied, unbiased": lr.GradientFlow(lr.inits.ones(7, 0.3), data(), 0.7),
        "shape": lr.GradientFlow(lr.inits.diagonal(7, 0.2, 0.6), data()),
        "one side": lr.GradientFlow(lr.Diagonal([np.array([[0.3] * 5, [0.0] * 5])], power=2), positive()),
        "depth 4, untied": lr.GradientFlow(
            lr.Diagonal([np.sqrt(r) * np.full((2, 7), 0.6) for r in (0.6, 1.2, 0.9, 1.1)]), data(), (0.6, 1.2, 0.9, 1.1)
        ),
        "labels out of reach": lr.GradientFlow(lr.inits.ones(6, 0.4), noisy()),
    },
    "single-neuron bias": {
        "upstream": lr.GradientFlow(NEURON, data(), RATES),
        "downstream": lr.GradientFlow(DOWN, data(), RATES),
        "crossing, whitened": lr.GradientFlow(CROSSING, WHITE),
        "labels out of reach": lr.GradientFlow(lr.inits.neuron([0.2, -0.1, 0.3, 0.1, 0.0, 0.2], 0.5), noisy()),
        "as TwoLayer": lr.GradientFlow(lr.TwoLayer(0.3 * RNG.normal(size=(1, 7)), [-1.9], slope=1.0), data(), RATES),
    },
    "rank-one bias": {
        "two layers, many units": lr.GradientFlow(balanced((7, 4, 1), RATES), data(), RATES),
        "three layers": lr.GradientFlow(balanced((7, 3, 2, 1), (0.7, 1.6, 1.1)), data(), (0.7, 1.6, 1.1)),
        "four layers": lr.GradientFlow(balanced((7, 3, 2, 3, 1), (1.0,) * 4, scale=0.9), data()),
    },
    "spectral bias": {
        "three outputs": lr.GradientFlow(lr.inits.orthogonal(KEY, d=7, c=3, gamma=0.3, h=9), data(c=3)),
        "one output": lr.GradientFlow(lr.inits.orthogonal(KEY, d=7, c=1, gamma=0.3, h=7), data(), (0.9, 0.9)),
    },
    "vanishing bias": {
        "two layers": lr.GradientFlow(SEEN, data(c=2), RATES),
        "three layers": lr.GradientFlow(lr.DeepLinear([SEEN.weights[0], np.eye(3), SEEN.weights[1]]), data(c=2)),
    },
    "leaky-neuron bias": {"leaky": lr.GradientFlow(LEAKY, data(3, 7, seed=2), RATES)},
    "commuting bias": {
        "square": commuting(),
        "few columns": commuting(start=lambda Q: Q[:, :3] * np.array([0.5, 0.8, 0.3])),
    },
    "affine bias": {
        "regression": lr.GradientFlow(lr.inits.gaussian(KEY, (7, 2)), data(c=2), 0.7),
        "out of reach": lr.GradientFlow(lr.inits.gaussian(KEY, (6, 1)), noisy(), 0.7),
        "tangent of ReLU": lr.GradientFlow(lr.Linearized(lr.inits.two_layer(KEY, d=7, h=5)), data(), RATES),
    },
    "l1 margin": {"tied": lr.GradientFlow(lr.inits.ones(4, 0.5), separable())},
    "l2 margin": {
        "one layer": lr.GradientFlow(lr.inits.gaussian(KEY, (4, 1)), separable(loss=lr.Logistic())),
        "two layers": lr.GradientFlow(lr.inits.gaussian(KEY, (4, 3, 1)), separable()),
    },
}


def altered(flow, **change):
    parts = {"net": flow.net, "problem": flow.problem, "rates": flow.rates} | change
    return lr.GradientFlow(**parts)


def with_loss(flow):
    y = jnp.where(flow.problem.y < 0, -1.0, 1.0)
    return altered(flow, problem=lr.Problem(flow.problem.X, y, lr.Logistic()))


def squared(flow):
    return altered(flow, problem=lr.Problem(flow.problem.X, flow.problem.y))


def shaken(flow, layer=0, size=1e-3):
    layers = list(flow.net.layers)
    noise = jnp.cos(1.0 + jnp.arange(layers[layer].size) ** 2).reshape(layers[layer].shape)
    layers[layer] = layers[layer] + size * noise
    return altered(flow, net=flow.net.with_layers(tuple(layers)))


def first(theorem):
    return next(iter(EXAMPLES[theorem].values()))


RELU = lr.GradientFlow(lr.inits.two_layer(KEY, d=7, h=4), data())
WIDE = lr.GradientFlow(lr.inits.gaussian(KEY, (7, 3, 1)), data())
MIXED = np.array([[0.3] * 5, [0.0] * 5])
INSEPARABLE = lr.Problem([[1.0], [-1.0], [0.5]], [1.0, 1.0, -1.0], lr.Exponential())

BREAKS = {
    "diagonal bias": {
        "diagonal network": RELU,
        "square loss": with_loss(first("diagonal bias")),
        "solvable coordinates": shaken(EXAMPLES["diagonal bias"]["depth 4, untied"]),
        "reachable labels": lr.GradientFlow(lr.Diagonal([MIXED], power=2), lr.Problem(np.eye(5)[:2], [1.0, -0.5])),
    },
    "single-neuron bias": {
        "two linear layers": RELU,
        "one hidden unit": WIDE,
        "one output": lr.GradientFlow(lr.inits.gaussian(KEY, (7, 1, 2)), data(c=2)),
        "square loss": with_loss(first("single-neuron bias")),
        "known sign": lr.GradientFlow(lr.inits.neuron(-np.asarray(data().min_norm), -0.9), data()),
    },
    "rank-one bias": {
        "two linear layers or more": RELU,
        "one output": lr.GradientFlow(lr.inits.gaussian(KEY, (7, 2, 2)), data(c=2)),
        "square loss": with_loss(first("rank-one bias")),
        "balanced weights": shaken(first("rank-one bias")),
        "clear of saddles": lr.GradientFlow(
            lr.DeepLinear([[[0.0, -1.0]], [[1.0]]]), lr.Problem(np.diag([1.0, 2.0]), [0.0, 1.0])
        ),
    },
    "spectral bias": {
        "two linear layers": RELU,
        "square loss": with_loss(EXAMPLES["spectral bias"]["one output"]),
        "orthogonal start": shaken(first("spectral bias")),
    },
    "vanishing bias": {
        "two linear layers or more": RELU,
        "square loss": with_loss(altered(first("vanishing bias"))),
        "wide enough": lr.GradientFlow(lr.DeepLinear([SEEN.weights[0][:1], SEEN.weights[1][:, :1]]), data(c=2)),
        "moving": lr.GradientFlow(lr.DeepLinear([np.zeros((3, 7)), np.zeros((2, 3))]), data(c=2)),
        "nothing unseen": shaken(first("vanishing bias")),
        "clear of saddles": lr.GradientFlow(
            lr.inits.aligned(jnp.diag(jnp.array([2.0, 1.0])), jnp.array([0.3, -0.2])),
            lr.Problem(np.eye(2), np.diag([2.0, 1.0])),
        ),
    },
    "leaky-neuron bias": {
        "leaky neuron": RELU,
        "square loss": with_loss(first("leaky-neuron bias")),
        "independent samples": lr.GradientFlow(lr.TwoLayer(LEAKY.W[:, :6], LEAKY.a, 0.3), noisy()),
        "known sign": lr.GradientFlow(
            lr.TwoLayer(-5.0 * data(3, 7, seed=2).min_norm[None], [0.9], slope=0.3), data(3, 7, seed=2)
        ),
    },
    "commuting bias": {
        "factored matrix": RELU,
        "square loss": with_loss(first("commuting bias")),
        "commuting measurements": shaken(first("commuting bias")),
        "reachable labels": altered(first("commuting bias"), problem=lr.Problem(np.eye(4).reshape(1, -1), [-1.0])),
    },
    "affine bias": {"affine in parameters": WIDE, "square loss": with_loss(first("affine bias"))},
    "l1 margin": {
        "diagonal network": with_loss(RELU),
        "depth two": lr.GradientFlow(lr.inits.ones(4, 0.5, depth=3), separable()),
        "margin loss": squared(first("l1 margin")),
        "two living sides": lr.GradientFlow(lr.Diagonal([MIXED[:, :4]], power=2), separable()),
        "separable data": lr.GradientFlow(lr.inits.ones(1, 0.5), INSEPARABLE),
    },
    "l2 margin": {
        "linear network": with_loss(RELU),
        "one output": with_loss(lr.GradientFlow(lr.inits.gaussian(KEY, (7, 3, 2)), data(c=2))),
        "margin loss": squared(first("l2 margin")),
        "separable data": lr.GradientFlow(lr.inits.gaussian(KEY, (1, 1)), INSEPARABLE),
    },
}

BROKEN = [(theorem.name, label(h)) for theorem in lr.LIMITS for h in theorem.hypotheses]
