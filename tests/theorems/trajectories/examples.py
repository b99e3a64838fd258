"""Further flows on which each theorem holds, in general position; the theorem's own file has one, too."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

import lazyrich as lr
from lazyrich.theorems.example_flows import with_decay
from lazyrich.theorems.trajectories import (
    affine,
    aligned,
    aligned_decayed,
    commuting,
    deep,
    diagonal,
    diagonal_decayed,
    isotropic,
    isotropic_decayed,
    neuron,
    ridge,
)

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


def deep_net(strengths, depth, seed=0):
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


def normal(*shape, seed):
    return np.random.default_rng(seed).normal(size=shape)


def general(c=None, seed=7):
    return lr.Problem(normal(5, 3, seed=seed), normal(*((5,) if c is None else (5, c)), seed=seed + 1))


def crossing(problem):
    return lr.GradientFlow(lr.inits.neuron(-0.8 * np.array([0.48, 0.6, 0.64]), -1.0, RATES), problem, RATES)


def neuron_flow(delta, seed=0, **options):
    return lr.GradientFlow(lr.inits.neuron([0.3, 0.2, -0.4], delta, RATES, **options), whitened(3, seed=seed), RATES)


def isotropic_flow(d, h, c, delta, seed=0, rank=None):
    net = lr.inits.isotropic(jax.random.fold_in(KEY, seed), d, h, c, delta, rates=RATES)
    return lr.GradientFlow(net, whitened(d, c, seed, rank), RATES)


def sensed(start):
    axes = orthonormal(3, 3, 2)
    return sensing(orthonormal(4, 3, 1) * np.array([0.8, 1.0, 1.5]), axes, start(axes))


def tangent(net, problem, decay=None):
    return lr.GradientFlow(lr.Linearized(net), problem, RATES, decay)


# Made when they are asked for.
FURTHER = {
    neuron.THEOREM: {
        "downstream": lambda: crossing(whitened(3)),
        "upstream, a < 0": lambda: neuron_flow(0.7, sign=-1.0),
        "balanced": lambda: neuron_flow(0.0, seed=4),
        "two samples": lambda: crossing(fat(3, 2)),
        "as TwoLayer": lambda: lr.GradientFlow(
            lr.TwoLayer([[0.3, -0.2, 0.5]], [0.4], negative_slope=1.0), whitened(3), RATES
        ),
        "one feature": lambda: lr.GradientFlow(lr.DeepLinear([[[-0.5]], [[0.4]]]), lr.Problem([[1.5]], [1.0])),
    },
    aligned.THEOREM: {
        "planes": lambda: modes(4, 6, 3),
        "one input, one output": lambda: lr.GradientFlow(
            lr.TwoLayer(normal(5, 1, seed=3), normal(5, seed=4), 1.0), whitened(1), RATES
        ),
        "orthogonal": lambda: lr.GradientFlow(lr.inits.orthogonal(KEY, d=3, c=2, gamma=0.3, h=4), whitened(3, 2)),
        "orthogonal blocks": lambda: lr.GradientFlow(lr.inits.wide(KEY, 3, 9, 2, 0.3, 0.8), whitened(3, 2), RATES),
        "one sample": lambda: lr.GradientFlow(lr.inits.two_layer(KEY, 3, 4, negative_slope=1.0), fat(3, 1)),
    },
    aligned_decayed.THEOREM: {
        "planes": lambda: with_decay(modes(4, 6, 3), 0.3),
        "one input, one output": lambda: with_decay(
            lr.GradientFlow(lr.TwoLayer(normal(5, 1, seed=3), normal(5, seed=4), 1.0), whitened(1), RATES), 0.02
        ),
        "balanced, all fade": lambda: with_decay(
            lr.GradientFlow(
                lr.DeepLinear([0.7 * np.eye(2), 0.7 * np.eye(2)]), lr.Problem(np.eye(2), np.diag([1.0, 0.5]))
            ),
            1.2,
        ),
        "few samples": lambda: with_decay(
            lr.GradientFlow(lr.inits.two_layer(KEY, 3, 4, negative_slope=1.0), fat(3, 1)), 0.1
        ),
    },
    isotropic.THEOREM: {
        "downstream": lambda: isotropic_flow(3, 4, 2, -1.0),
        "upstream": lambda: isotropic_flow(3, 4, 2, 1.5),
        "balanced, rank one": lambda: isotropic_flow(3, 4, 2, 0.0, rank=1),
        "one unit": lambda: isotropic_flow(3, 1, 2, -0.4),
    },
    deep.THEOREM: {
        "three layers": lambda: deep_net([0.1, 2.5, -0.2], 3),
        "four layers": lambda: deep_net([0.3, 0.05, 0.4], 4, seed=1),
    },
    diagonal.THEOREM: {
        "untied": lambda: lr.GradientFlow(sides(2), separate(), RATES),
        "tied, depth 3, both sides": lambda: lr.GradientFlow(
            lr.Diagonal([[[0.5, 0.3, -0.4], [0.6, 0.8, -0.7]]], power=3), separate(), 0.6
        ),
        "tied": lambda: lr.GradientFlow(sides(1, 2), separate(), 0.6),
        "untied, depth 4, both sides": lambda: lr.GradientFlow(
            lr.Diagonal([np.sqrt(r) * np.array([[0.3, -0.2, 0.7], [0.3, 0.2, 0.0]]) for r in (0.6, 1.7, 1.1, 0.8)]),
            separate(),
            (0.6, 1.7, 1.1, 0.8),
        ),
        "tied, depth 3": lambda: lr.GradientFlow(one_sided(1, 3, (0.6,)), separate(), 0.6),
        "untied, depth 3": lambda: lr.GradientFlow(one_sided(3, 1, (0.6, 1.7, 1.1)), separate(), (0.6, 1.7, 1.1)),
        "two layers of squares": lambda: lr.GradientFlow(one_sided(2, 2, RATES), separate(), RATES),
    },
    commuting.THEOREM: {
        "square": lambda: sensed(lambda axes: axes @ np.diag([0.6, 0.9, 0.3]) @ orthonormal(3, 3, 6)),
        "low rank": lambda: sensed(lambda axes: axes[:, :2] * 0.4),
    },
    affine.THEOREM: {
        "regression": lambda: lr.GradientFlow(lr.inits.gaussian(KEY, (3, 2)), general(2), 0.6),
        "few samples": lambda: lr.GradientFlow(
            lr.DeepLinear([normal(1, 3, seed=1)]), lr.Problem(normal(2, 3, seed=2), [1.0, -1.0])
        ),
        "tangent of ReLU": lambda: tangent(lr.inits.two_layer(KEY, d=3, h=4), general()),
        "tangent of wide": lambda: tangent(lr.inits.gaussian(KEY, (3, 4, 2), std=0.6), general(2)),
        "difference": lambda: lr.GradientFlow(sides(1, 1), general(), 0.6),
    },
    isotropic_decayed.THEOREM: {
        "downstream": lambda: with_decay(isotropic_flow(3, 4, 2, -1.0), 0.1),
        "upstream": lambda: with_decay(isotropic_flow(3, 4, 2, 1.5), 0.02),
        "balanced, rank one": lambda: with_decay(isotropic_flow(3, 4, 2, 0.0, rank=1), 0.1),
        "more outputs": lambda: with_decay(isotropic_flow(2, 3, 4, 0.7), 0.4),
        "one unit": lambda: with_decay(isotropic_flow(3, 1, 2, -0.4), 0.1),
        "neuron": lambda: with_decay(crossing(whitened(3)), 0.1),
        "neuron, two samples": lambda: with_decay(crossing(fat(3, 2)), 0.3),
    },
    diagonal_decayed.THEOREM: {
        "untied": lambda: with_decay(lr.GradientFlow(sides(2), separate(), RATES), 0.3),
        "tied": lambda: with_decay(lr.GradientFlow(sides(1, 2), separate(), 0.6), 0.05),
        "tied, equal sides": lambda: with_decay(
            lr.GradientFlow(lr.inits.tied_diagonal(3, 0.3), lr.Problem(np.diag([1.0, 0.5, 0.0]), [2.0, 0.1, 0.0])), 0.1
        ),
    },
    ridge.THEOREM: {
        "regression": lambda: lr.GradientFlow(lr.inits.gaussian(KEY, (3, 2)), general(2), 0.6, 0.1),
        "few samples": lambda: lr.GradientFlow(
            lr.DeepLinear([normal(1, 3, seed=1)]), lr.Problem(normal(2, 3, seed=2), [1.0, -1.0]), decay=0.5
        ),
        "tangent of ReLU": lambda: tangent(lr.inits.two_layer(KEY, d=3, h=4), general(), (0.1, 0.4)),
        "tangent of wide": lambda: with_decay(tangent(lr.inits.gaussian(KEY, (3, 4, 2), std=0.6), general(2)), 0.3),
        "one layer of two": lambda: tangent(lr.inits.two_layer(KEY, d=3, h=4), general(), (0.0, 0.4)),
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
