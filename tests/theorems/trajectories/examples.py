"""Flows on which each theorem holds, in general position; and for each hypothesis one on which only that fails."""

import jax
import jax.numpy as jnp
import numpy as np

import lazyrich as lr
from lazyrich.theorems.theorem import label

RNG = np.random.default_rng(7)
KEY = jax.random.key(5)
RATES = (0.6, 1.7)


def orthonormal(n, d, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(n, d)))[0]


def whitened(d, c=None, seed=0, rank=None):
    """A problem with κXᵀX = 1.4 I and labels in general position, of the given rank."""
    rng = np.random.default_rng(seed)
    X = np.sqrt(2.0) * orthonormal(d + 3, d, seed)
    y = rng.normal(size=(d + 3, 1 if c is None else c))
    if rank is not None:
        U, s, Vt = np.linalg.svd(y, full_matrices=False)
        s[rank:] = 0
        y = (U * s) @ Vt
    return lr.Problem(X, y[:, 0] if c is None else y, kappa=0.7)


def fat(d, n, c=None, seed=0):
    """Fewer samples than features, orthogonal: κXᵀX is a multiple of a projector."""
    y = np.random.default_rng(seed).normal(size=(n,) if c is None else (n, c))
    return lr.Problem(1.3 * orthonormal(d, n, seed).T, y)


def modes(d, h, c, seed=0, rates=RATES):
    """A network whose modes use hidden subspaces of their own, two dimensions each, unbalanced; and its problem."""
    rng = np.random.default_rng(seed)
    problem = whitened(d, c, seed)
    U, _, Vt = np.linalg.svd(problem.X.T @ problem.y)
    k = min(d, c)
    R = orthonormal(h, h, seed + 1)
    w, a = np.zeros((h, d)), np.zeros((h, c))
    for i in range(k):
        plane = R[:, 2 * i : 2 * i + 2]
        w[:, i], a[:, i] = (plane @ rng.normal(size=2) for _ in range(2))
    return lr.GradientFlow(lr.DeepLinear([w @ U.T, (a @ Vt).T]), problem, rates)


def deep(strengths, depth, seed=0):
    rates = (0.6, 1.7, 1.1, 0.8)[:depth]
    problem = whitened(4, 3, seed)
    target = problem.kappa * problem.X.T @ problem.y
    net = lr.inits.aligned(target, jnp.array(strengths), depth=depth, width=5, rates=rates, key=KEY)
    return lr.GradientFlow(net, problem, rates)


def separate(d=3, seed=0):
    """Orthogonal features of different sizes."""
    X = orthonormal(d + 2, d, seed) * np.array([0.7, 1.0, 1.6])[:d]
    return lr.Problem(X, np.random.default_rng(seed).normal(size=d + 2), kappa=0.8)


def sides(layers, power=1, seed=0):
    rng = np.random.default_rng(seed)
    return lr.Diagonal([rng.normal(size=(2, 3)) for _ in range(layers)], power)


def one_sided(layers, power, rates):
    """In every coordinate one side is zero and the other balanced."""
    size = np.array([[0.5, 0.0, 0.9], [0.0, 0.7, 0.0]])
    signs = [np.array([[1.0, 1.0, -1.0], [1.0, -1.0, 1.0]]), *[np.ones((2, 3))] * (layers - 1)]
    return lr.Diagonal([np.sqrt(rate) * s * size for rate, s in zip(rates, signs, strict=True)], power)


def sensing(eigenvalues, Q, start, seed=0):
    """Measurements with common eigenvectors Q and the given eigenvalues (n, m)."""
    A = np.einsum("ij,nj,kj->nik", Q, eigenvalues, Q)
    y = np.random.default_rng(seed).normal(size=len(A)) + 1
    return lr.GradientFlow(lr.Factorization(start), lr.Problem(A.reshape(len(A), -1), y), 0.6)


RELU = lr.inits.two_layer(KEY, d=3, h=4)
GENERAL = lr.Problem(RNG.normal(size=(5, 3)), RNG.normal(size=5))
GENERAL2 = lr.Problem(RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2)))
WIDE = lr.inits.gaussian(KEY, (3, 4, 2), std=0.6)
EIGENVALUES = orthonormal(4, 3, 1) * np.array([0.8, 1.0, 1.5])
AXES = orthonormal(3, 3, 2)
CROSSING = lr.inits.neuron(-0.8 * np.array([0.48, 0.6, 0.64]), delta=-1.0, rates=RATES)


def isotropic(d, h, c, delta, seed=0, rank=None):
    net = lr.inits.isotropic(jax.random.fold_in(KEY, seed), d, h, c, delta, rates=RATES)
    return lr.GradientFlow(net, whitened(d, c, seed, rank), RATES)


EXAMPLES = {
    "single neuron": {
        "downstream": lr.GradientFlow(CROSSING, whitened(3), RATES),
        "upstream, a < 0": lr.GradientFlow(
            lr.inits.neuron([0.3, 0.2, -0.4], 0.7, RATES, sign=-1.0), whitened(3), RATES
        ),
        "balanced": lr.GradientFlow(lr.inits.neuron([0.3, 0.2, -0.4], 0.0, RATES), whitened(3, seed=4), RATES),
        "two samples": lr.GradientFlow(CROSSING, fat(3, 2), RATES),
        "as TwoLayer": lr.GradientFlow(lr.TwoLayer([[0.3, -0.2, 0.5]], [0.4], slope=1.0), whitened(3), RATES),
        "one feature": lr.GradientFlow(lr.DeepLinear([[[-0.5]], [[0.4]]]), lr.Problem([[1.5]], [1.0])),
    },
    "aligned modes": {
        "planes": modes(4, 6, 3),
        "one input, one output": lr.GradientFlow(
            lr.TwoLayer(RNG.normal(size=(5, 1)), RNG.normal(size=5), 1.0), whitened(1), RATES
        ),
        "orthogonal": lr.GradientFlow(lr.inits.orthogonal(KEY, d=3, c=2, gamma=0.3, h=4), whitened(3, 2)),
        "one sample": lr.GradientFlow(lr.inits.two_layer(KEY, 3, 4, slope=1.0), fat(3, 1)),
    },
    "isotropic imbalance": {
        "downstream": isotropic(3, 4, 2, -1.0),
        "upstream": isotropic(3, 4, 2, 1.5),
        "balanced, rank one": isotropic(3, 4, 2, 0.0, rank=1),
        "one unit": isotropic(3, 1, 2, -0.4),
    },
    "deep aligned modes": {
        "three layers": deep([0.1, 2.5, -0.2], 3),
        "four layers": deep([0.3, 0.05, 0.4], 4, seed=1),
    },
    "diagonal coordinates": {
        "untied": lr.GradientFlow(sides(2), separate(), RATES),
        "tied, depth 3, both sides": lr.GradientFlow(
            lr.Diagonal([[[0.5, 0.3, -0.4], [0.6, 0.8, -0.7]]], power=3), separate(), 0.6
        ),
        "tied": lr.GradientFlow(sides(1, 2), separate(), 0.6),
        "untied, depth 4, both sides": lr.GradientFlow(
            lr.Diagonal([np.sqrt(r) * np.array([[0.3, -0.2, 0.7], [0.3, 0.2, 0.0]]) for r in (0.6, 1.7, 1.1, 0.8)]),
            separate(),
            (0.6, 1.7, 1.1, 0.8),
        ),
        "tied, depth 3": lr.GradientFlow(one_sided(1, 3, (0.6,)), separate(), 0.6),
        "untied, depth 3": lr.GradientFlow(one_sided(3, 1, (0.6, 1.7, 1.1)), separate(), (0.6, 1.7, 1.1)),
        "two layers of squares": lr.GradientFlow(one_sided(2, 2, RATES), separate(), RATES),
    },
    "commuting factorization": {
        "square": sensing(EIGENVALUES, AXES, AXES @ np.diag([0.6, 0.9, 0.3]) @ orthonormal(3, 3, 6)),
        "low rank": sensing(EIGENVALUES, AXES, AXES[:, :2] * 0.4),
    },
    "affine model": {
        "regression": lr.GradientFlow(lr.inits.gaussian(KEY, (3, 2)), GENERAL2, 0.6),
        "few samples": lr.GradientFlow(
            lr.DeepLinear([RNG.normal(size=(1, 3))]), lr.Problem(RNG.normal(size=(2, 3)), [1.0, -1.0])
        ),
        "tangent of ReLU": lr.GradientFlow(lr.Linearized(RELU), GENERAL, RATES),
        "tangent of wide": lr.GradientFlow(lr.Linearized(WIDE), GENERAL2, RATES),
        "difference": lr.GradientFlow(sides(1, 1), GENERAL, 0.6),
    },
}


def altered(flow, **change):
    """The same flow with another net, problem or rates."""
    parts = {"net": flow.net, "problem": flow.problem, "rates": flow.rates} | change
    return lr.GradientFlow(**parts)


def with_loss(flow):
    y = jnp.where(flow.problem.y < 0, -1.0, 1.0)
    return altered(flow, problem=lr.Problem(flow.problem.X, y, lr.Logistic(), flow.problem.kappa))


def nudged(flow, size=1e-3):
    """The inputs moved a little, the target not: nearly whitened, nearly orthogonal."""
    old = flow.problem
    X = old.X * (1 + size * jnp.cos(jnp.arange(old.X.size)).reshape(old.X.shape))
    y = X @ jnp.linalg.solve(X.T @ X, old.X.T @ old.y)
    return altered(flow, problem=lr.Problem(X, y, kappa=old.kappa))


def shaken(flow, layer=0, size=1e-3):
    layers = list(flow.net.layers)
    layers[layer] = layers[layer] + size * jnp.cos(1.0 + jnp.arange(layers[layer].size) ** 2).reshape(
        layers[layer].shape
    )
    return altered(flow, net=flow.net.with_layers(tuple(layers)))


NEURON, MODES = EXAMPLES["single neuron"]["downstream"], EXAMPLES["aligned modes"]["planes"]
ISOTROPIC, DEEP = EXAMPLES["isotropic imbalance"]["downstream"], EXAMPLES["deep aligned modes"]["three layers"]
UNTIED, SENSING = EXAMPLES["diagonal coordinates"]["untied, depth 3"], EXAMPLES["commuting factorization"]["square"]
AFFINE = EXAMPLES["affine model"]["regression"]
OTHER = lr.GradientFlow(RELU, GENERAL)
ONE_LAYER = lr.GradientFlow(lr.inits.gaussian(KEY, (3, 2)), whitened(3, 2))

BREAKS = {
    "single neuron": {
        "two linear layers": lr.GradientFlow(lr.inits.gaussian(KEY, (3, 1)), whitened(3)),
        "one hidden unit": lr.GradientFlow(lr.inits.gaussian(KEY, (3, 2, 1)), whitened(3)),
        "one output": lr.GradientFlow(lr.inits.gaussian(KEY, (3, 1, 2)), whitened(3, 2)),
        "square loss": with_loss(NEURON),
        "whitened inputs": nudged(NEURON),
    },
    "aligned modes": {
        "two linear layers": ONE_LAYER,
        "square loss": with_loss(MODES),
        "whitened inputs": nudged(MODES),
        "modes apart": shaken(MODES),
    },
    "isotropic imbalance": {
        "two linear layers": ONE_LAYER,
        "square loss": with_loss(ISOTROPIC),
        "whitened inputs": nudged(ISOTROPIC),
        "isotropic imbalance": shaken(ISOTROPIC),
    },
    "deep aligned modes": {
        "three linear layers or more": MODES,
        "square loss": with_loss(DEEP),
        "whitened inputs": nudged(DEEP),
        "balanced layers": altered(DEEP, rates=tuple(1.001 * r if l == 1 else r for l, r in enumerate(DEEP.rates))),
        "aligned with target": altered(DEEP, problem=lr.Problem(DEEP.problem.X, whitened(4, 3, 0).y + 1e-3, kappa=0.7)),
    },
    "diagonal coordinates": {
        "diagonal network": OTHER,
        "square loss": with_loss(UNTIED),
        "orthogonal features": nudged(UNTIED),
        "solvable coordinates": shaken(UNTIED),
    },
    "commuting factorization": {
        "factored matrix": OTHER,
        "square loss": with_loss(SENSING),
        "commuting measurements": shaken(SENSING, size=1e-7),
        "orthogonal eigenvalues": sensing(EIGENVALUES + 1e-3, AXES, AXES * 0.5),
    },
    "affine model": {"affine in parameters": OTHER, "square loss": with_loss(AFFINE)},
}

BROKEN = [(theorem.name, label(h)) for theorem in lr.EXACT for h in theorem.hypotheses]
