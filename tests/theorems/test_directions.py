"""Derivatives of closed forms in random directions, hypotheses kept or not, against differences of integrated flows."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr

TIMES = np.array([0.0, 0.4, 1.7])
KEY = jax.random.key(5)
HALF, TARGET = np.diag([0.5, 0.4]), np.diag([2.0, 1.0])


def linear(weights, target=TARGET, X=None, rates=None):
    return lr.GradientFlow(lr.DeepLinear(weights), lr.Problem(np.eye(len(target)) if X is None else X, target), rates)


def diagonal(layers, power=1, y=(1.0, -1.0), rates=None):
    return lr.GradientFlow(lr.Diagonal(layers, power), lr.Problem(np.diag([1.0, 0.5]), y), rates)


SIDES = np.array([[0.8, 0.5], [0.3, 0.6]])
SPECIAL = {
    "aligned modes": {
        "balanced": lambda: linear([HALF, HALF]),
        "equal modes": lambda: linear([0.5 * np.eye(2), 0.3 * np.eye(2)], np.eye(2)),
        "no target": lambda: linear([HALF, 0.7 * np.eye(2)], np.zeros((2, 2))),
        "an absent mode": lambda: linear([np.diag([0.5, 0.0]), np.diag([0.5, 0.0])]),
        "unseen inputs": lambda: linear([[[0.5, 0.0, 0.2], [0.0, 0.4, 0.3]], HALF], TARGET, np.eye(2, 3)),
        "one input, one output": lambda: linear([[[0.3], [0.5]], [[0.4, -0.2]]], np.ones((1, 1))),
    },
    "isotropic imbalance": {
        "δ = 0": lambda: linear(lr.inits.isotropic(KEY, 2, 2, 2, 0.0).weights),
        "equal modes": lambda: linear(lr.inits.isotropic(KEY, 2, 2, 2, 0.5).weights, np.eye(2)),
        "no target": lambda: linear(lr.inits.isotropic(KEY, 2, 2, 2, -0.5).weights, np.zeros((2, 2))),
        "one unit": lambda: linear([[[0.4, 0.1]], [[0.3], [0.2]]]),
    },
    "deep aligned modes": {
        "equal modes": lambda: linear([0.6 * np.eye(2)] * 3, np.eye(2)),
        "no target": lambda: linear([HALF] * 3, np.zeros((2, 2))),
        "an absent mode": lambda: linear([np.diag([0.7, 0.0])] * 3),
        "four layers": lambda: linear([0.8 * np.eye(2)] * 4),
    },
    "diagonal coordinates": {
        "untied, depth 3": lambda: diagonal([SIDES] * 3),
        "untied, depth 3, no target": lambda: diagonal([SIDES] * 3, y=(0.0, 0.0)),
        "untied, depth 3, one side": lambda: diagonal([SIDES * [[1.0], [0.0]]] * 3),
        "tied, depth 3": lambda: diagonal([SIDES], 3, rates=0.6),
        "tied, depth 3, one side": lambda: diagonal([SIDES * [[1.0], [0.0]]], 3),
        "tied, depth 2, equal sides": lambda: diagonal([np.full((2, 2), 0.5)], 2),
    },
    "commuting factorization": {
        "a multiple of one": lambda: lr.GradientFlow(
            lr.Factorization(0.5 * np.eye(2)), lr.Problem(np.eye(4)[[0, 3]], [1.0, 2.0])
        ),
        "a zero eigenvalue": lambda: lr.GradientFlow(
            lr.Factorization(np.diag([0.5, 0.0])), lr.Problem(np.eye(4)[[0, 3]], [1.0, 0.0])
        ),
    },
    "single neuron": {
        "balanced": lambda: linear([[[0.6, 0.8]], [[1.0]]], np.array([1.0, 2.0])),
        "unseen inputs": lambda: linear([[[0.3, 0.2, 0.5]], [[0.4]]], np.array([1.0, 2.0]), np.eye(2, 3)),
        "no target": lambda: linear([[[0.6, 0.8]], [[0.5]]], np.zeros(2)),
    },
    "affine model": {},
}
QUICK = ("its example", "untied, depth 3", "an absent mode", "equal modes", "δ = 0")
CASES = [
    pytest.param(theorem, make, id=f"{theorem.name}, {name}", marks=() if name in QUICK and quick else pytest.mark.slow)
    for theorem in lr.TRAJECTORY_THEOREMS
    for quick in [theorem.name not in ("commuting factorization", "affine model", "single neuron")]
    for name, make in ({"its example": theorem.sample_flow} | SPECIAL.get(theorem.name, {})).items()
]


def direction_from(flow, seed, still=()):
    """Draw a random change of all arrays of a flow, except those that stay fixed."""
    rng = np.random.default_rng(seed)
    change = jax.tree.map(lambda leaf: 0.5 * rng.normal(size=leaf.shape), flow)
    for where in still:
        change = eqx.tree_at(where, change, None)
    return change


def moved(flow, change, step):
    return jax.tree.map(
        lambda leaf, d: leaf if d is None else leaf + step * d, flow, change, is_leaf=lambda x: x is None
    )


def read(nets):
    """Return all parameters as one vector, which no rotation of hidden units leaves unchanged."""
    leaves = jax.tree.leaves(nets.layers)
    return jnp.concatenate([jnp.ravel(leaf) for leaf in leaves])


def difference(f, h=2e-3):
    """Return the derivative at 0, to h⁶."""
    near, far, farther = (np.asarray(f(k * h)) - np.asarray(f(-k * h)) for k in (1, 2, 3))
    return (45 * near - 9 * far + farther) / (60 * h)


def split(flow, change):
    return eqx.partition(flow, jax.tree.map(lambda d: d is not None, change, is_leaf=lambda x: x is None))


@pytest.mark.parametrize(("theorem", "make"), CASES)
def test_derivatives_in_every_direction(theorem, make):
    """Of network, rates, labels and κ; of these and the inputs; and the transpose of the latter."""
    flow = jax.tree.map(jnp.asarray, make())

    def exact(part, rest):
        return read(lr.exact(eqx.combine(part, rest), TIMES, theorem=theorem).nets)

    own = [(lambda flow: flow.problem.X,)] if theorem.holds_nearby(flow) else []  # then the formula's own, else not
    for still in (*own, ()):
        change = direction_from(flow, 1, still)
        moving, rest = split(flow, change)
        found = jax.jvp(partial(exact, rest=rest), (moving,), (eqx.filter(change, eqx.is_array),))[1]
        expected = difference(
            lambda s, change=change: read(lr.integrate(moved(flow, change, s), TIMES, rtol=1e-12).nets)
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=3e-8 * (1 + np.max(np.abs(expected))))
    weights = np.cos(np.arange(found.size))
    pulled = jax.grad(lambda part: weights @ exact(part, rest))(moving)
    total = sum(np.sum(g * d) for g, d in zip(jax.tree.leaves(pulled), jax.tree.leaves(change), strict=True))
    assert total == pytest.approx(weights @ found, rel=1e-9, abs=1e-9)


# Limits


def end_of(flow, with_network):
    """Return the predictor after a long time, optionally with all parameters."""
    end = lr.integrate(flow, [400.0], rtol=1e-12).end
    value = jnp.ravel(end.beta) if end.linear_in_inputs else jnp.zeros(0)
    return np.asarray(jnp.concatenate([value, read(end)]) if with_network else value)


PARTS = {
    "network": lambda flow: flow.net,
    "rates": lambda flow: flow.rates,
    "X": lambda flow: flow.problem.X,
    "y": lambda flow: flow.problem.y,
}
FAT = lr.Problem([[1.0, 0.3, -0.2], [0.2, 1.0, 0.4]], [1.0, -0.6])
REFUSED = {  # by theorem; what depends on the way there, or turns a frame
    "spectral bias": ("network",),
    "wide linear network": ("network",),
    "vanishing bias": ("network", "X"),
    "commuting bias": ("X",),
    "aligned attention": ("network", "rates", "X", "y"),
    "Lasso": ("rates",),  # alone they make the decay of the layers uneven
    "shrunk neuron": ("network", "rates", "X", "y"),
    "nuclear norm": ("network", "rates", "X", "y"),
    "l1 margin": ("X", "y"),
    "l2 margin": ("X", "y"),
}
ENDS = {theorem.name: theorem.sample_flow for theorem in lr.LIMIT_THEOREMS} | {
    "diagonal bias, untied, depth 3": lambda: lr.GradientFlow(lr.Diagonal([np.full((2, 3), 0.7)] * 3), FAT),
    "diagonal bias, tied, depth 3": lambda: lr.GradientFlow(lr.Diagonal([np.full((2, 3), 0.7)], 3), FAT),
    "rank-one bias, three layers": lambda: lr.GradientFlow(
        lr.DeepLinear([0.8 * np.outer([0.6, 0.8], [0.8, 0, 0.6]), 0.8 * np.outer([1, 0], [0.6, 0.8]), [[0.8, 0]]]), FAT
    ),
    "vanishing bias, all seen": lambda: lr.GradientFlow(
        lr.DeepLinear([[[0.4, 0.1], [0.2, 0.5]], [[0.6, 0.3]]]),
        lr.Problem([[1.0, 0.2], [0.1, 1.1], [0.3, 0.4]], [1.0, 0.5, 0.2]),
    ),
    "commuting bias, a multiple of one": lambda: lr.GradientFlow(
        lr.Factorization(0.5 * np.eye(2)), lr.Problem([[1.0, 0.0, 0.0, 2.0]], [2.0])
    ),
}  # fmt: skip


WERE_WRONG = ("rank-one bias", "commuting bias", "vanishing bias", "spectral bias", "diagonal bias, untied, depth 3")


@pytest.mark.parametrize(
    ("name", "part"),
    [
        pytest.param(name, part, marks=() if name in WERE_WRONG and part == "network" else pytest.mark.slow)
        for name in ENDS
        for part in PARTS
    ],
)
def test_derivatives_of_limits_in_every_direction(name, part):
    """Right, or refused; and refused only where they are known to be."""
    flow = jax.tree.map(jnp.asarray, ENDS[name]())
    chosen = lr.limit(flow).by.method
    assert name.startswith(chosen)
    refused = REFUSED.get(chosen, ()) if "all seen" not in name else ()
    refused = ("network", "rates") if "untied" in name else refused
    with_network = lr.limit(flow).net is not None and chosen not in (
        "spectral bias",
        "wide linear network",
    )  # up to a rotation
    all_of_it = jax.tree.map(lambda _: True, PARTS[part](flow))
    spec = eqx.tree_at(PARTS[part], jax.tree.map(lambda _: False, flow), all_of_it)
    change = eqx.filter(direction_from(flow, 2), spec)
    moving, rest = eqx.partition(flow, spec)

    def limit(part):
        found = lr.limit(eqx.combine(part, rest), theorem=chosen)
        value = jnp.ravel(found.value) if flow.net.linear_in_inputs else jnp.zeros(0)
        return jnp.concatenate([value, read(found.net)]) if with_network else value

    if part in refused:
        with pytest.raises(
            ValueError, match=r"no derivative in|not differentiable in|grad cannot trace|outside of jit, vmap and grad"
        ):
            jax.jvp(limit, (moving,), (change,))
        return
    found = jax.jvp(limit, (moving,), (change,))[1]
    if "margin" in name:
        assert not np.any(found)
        return
    expected = difference(lambda s: end_of(moved(flow, change, s), with_network))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * (1 + np.max(np.abs(expected))))
