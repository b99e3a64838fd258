"""Values that make no sense are refused inside jit and vmap too, when the program runs, and in the same words."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lazyrich as lr

RNG = np.random.default_rng(0)
PROBLEM = lr.Problem(np.eye(2), [1.0, 2.0])
GENERAL = lr.GradientFlow(
    lr.DeepLinear([0.3 * RNG.normal(size=(2, 3)), 0.3 * RNG.normal(size=(1, 2))]),
    lr.Problem(RNG.normal(size=(5, 3)), RNG.normal(size=5)),
)
DIAGONAL = lr.GradientFlow(lr.inits.diagonal(3, 0.1), lr.Problem([[1.0, 2.0, 0.5]], [1.0]))
KEY = jax.random.key(0)


def neuron(scale=1.0):
    return lr.DeepLinear([scale * jnp.ones((1, 2)), jnp.ones((1, 1))])


def flow(scale=1.0, rate=1.0, kappa=1.0, label=2.0, inputs=1.0, power=0):
    problem = lr.Problem(inputs * jnp.eye(2), jnp.stack([1.0, jnp.asarray(label)]), kappa=kappa)
    return lr.GradientFlow(neuron(scale), problem, (rate, 1.0))


def replaced(weight):
    """Return a network whose weights were replaced without calling the constructor."""
    return lr.GradientFlow(neuron().with_layers((weight * jnp.ones((1, 2)), jnp.ones((1, 1)))), PROBLEM)


NOT_FINITE = "entries that are NaN or infinite"
RATE = "the learning rate of layer 1 must be positive"
CASES = {
    "exact, weight": (lambda v: lr.exact(flow(v), [1.0]).loss, 1.0, np.nan, NOT_FINITE),
    "exact, weight exchanged": (lambda v: lr.exact(replaced(v), [1.0]).loss, 1.0, np.inf, NOT_FINITE),
    "exact, rate": (lambda v: lr.exact(flow(rate=v), [1.0]).loss, 1.0, -1.0, RATE),
    "exact, kappa": (lambda v: lr.exact(flow(kappa=v), [1.0]).loss, 1.0, -1.0, "kappa must be positive"),
    "exact, label": (lambda v: lr.exact(flow(label=v), [1.0]).loss, 2.0, np.nan, NOT_FINITE),
    "exact, input": (lambda v: lr.exact(flow(inputs=v), [1.0]).loss, 1.0, np.nan, NOT_FINITE),
    "exact, times": (lambda v: lr.exact(flow(), jnp.stack([v, 1.0])).loss, 0.5, -3.0, "must start at 0 or later"),
    "exact, order": (lambda v: lr.exact(flow(), jnp.stack([v, 1.0])).loss, 0.5, 2.0, "times must be sorted"),
    "exact, NaN time": (lambda v: lr.exact(flow(), v).loss, 0.5, np.nan, f"times has {NOT_FINITE}"),
    "exact, far apart": (lambda v: lr.exact(flow(v), [1.0]).loss, 1.0, 1e200, "so far apart that|so large beside"),
    "solve, times": (lambda v: lr.solve(GENERAL, v).loss, 0.5, -1.0, "must start at 0 or later"),
    "limit, weight": (lambda v: lr.limit(flow(v)).value, 1.0, np.nan, NOT_FINITE),
    "limit, rate": (lambda v: lr.limit(flow(rate=v)).value, 1.0, 0.0, RATE),
    "limit, scales": (lambda v: lr.limit(DIAGONAL, scales=v[None]).value, 1.0, -1.0, "scales must be positive"),
    "integrate, times": (lambda v: lr.integrate(GENERAL, v).loss, 0.5, -1.0, "must start at 0 or later"),
    "integrate, weight": (lambda v: lr.integrate(flow(v), [1.0]).loss, 1.0, np.nan, NOT_FINITE),
    "integrate, overflow": (lambda v: lr.integrate(flow(v), [1.0]).loss, 1.0, 1e200, "Check the scale of data"),
    "integrate, rtol": (lambda v: lr.integrate(GENERAL, [1.0], rtol=v).loss, 1e-6, -1.0, "rtol must be positive"),
    "descend, too fast": (lambda v: lr.descend(GENERAL, 100, v).loss, 0.01, 10.0, "descent diverged"),
    "descend, lr": (lambda v: lr.descend(GENERAL, 10, v).loss, 0.01, -0.1, "lr must be positive"),
    "descend, momentum": (
        lambda v: lr.descend(GENERAL, 10, 0.01, momentum=v).loss, 0.5, 1.5, r"momentum must lie in \[0, 1\)"
    ),
    "descend, weight": (lambda v: lr.descend(flow(v), 10, 0.01).loss, 1.0, np.nan, NOT_FINITE),
    "diffuse, noise": (
        lambda v: lr.diffuse(GENERAL, [10.0], KEY, dt=0.05, sigma=v).loss, 0.01, 500.0, "left the range"
    ),
    "diffuse, sigma": (lambda v: lr.diffuse(GENERAL, [0.1], KEY, dt=0.1, sigma=v).loss, 0.01, np.nan, "sigma must be"),
    "diffuse, rate": (lambda v: lr.diffuse(flow(rate=v), [0.1], KEY, dt=0.1).loss, 0.5, -1.0, RATE),
    "basin": (lambda v: lr.basin(flow(v)), 1.0, np.nan, NOT_FINITE),
    "crossing_time": (lambda v: lr.crossing_time(flow(rate=v)), 1.0, -1.0, RATE),
    "labels": (
        lambda v: lr.integrate(
            lr.GradientFlow(neuron(), lr.Problem(jnp.eye(2), jnp.stack([1.0, v]), lr.Logistic())), [1.0]
        ).loss,
        -1.0, 0.5, "Logistic loss needs labels −1 and [+]1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_refused_outside_is_refused_inside(name):
    call, good, bad, sentence = CASES[name]
    right = call(jnp.asarray(good))
    program = jax.jit(call)
    np.testing.assert_allclose(program(good), right, rtol=1e-6)
    with pytest.raises(Exception, match=sentence):
        jax.block_until_ready(program(bad))
    with pytest.raises(Exception, match=sentence):
        jax.block_until_ready(jax.vmap(call)(jnp.array([good, bad])))
    if "exchanged" not in name:  # outside nobody looks at what was checked when it was made
        with pytest.raises((ValueError, OverflowError, RuntimeError), match=sentence.replace("has e", ".* e")):
            call(jnp.asarray(bad))


@pytest.mark.parametrize("scale", [1e-90, 1e60, 1e100])
def test_networks_far_from_one_are_followed_inside_as_outside(scale):
    def end(scale, of):
        net = lr.DeepLinear([scale * jnp.array([[0.1, 0.3]]), scale * jnp.array([[0.7]])])
        there = lr.GradientFlow(net, lr.Problem(jnp.eye(2), scale**2 * jnp.array([0.0, 1.0])))
        return of(there) / scale**2

    for of in (lambda f: lr.exact(f, jnp.array([2.0]) / scale**2).beta[0], lambda f: lr.limit(f).value):
        right = (
            end(1.0, of)
            if of.__code__.co_names[1] == "limit"
            else lr.exact(
                lr.GradientFlow(lr.DeepLinear([[[0.1, 0.3]], [[0.7]]]), lr.Problem(np.eye(2), [0.0, 1.0])), [2.0]
            ).beta[0]
        )
        np.testing.assert_allclose(jax.jit(lambda s, of=of: end(s, of))(scale), right, rtol=1e-12)
        both = jax.vmap(lambda s, of=of: end(s, of))(jnp.array([1.0, scale]))
        np.testing.assert_allclose(both[1], right, rtol=1e-12)


def test_gradients_are_refused_too():
    with pytest.raises(ValueError, match="must start at 0 or later"):
        jax.grad(lambda t: lr.exact(flow(), t).loss[0])(-1.0)
    with pytest.raises(ValueError, match="lr must be positive"):
        jax.grad(lambda v: lr.descend(GENERAL, 10, v).loss[-1])(-1.0)


METRICS = {
    "relative_distance": lambda net: lr.metrics.relative_distance(net, neuron()),
    "kernel_distance": lambda net: lr.metrics.kernel_distance(net, neuron(), np.eye(2)),
    "effective_rank": lambda net: lr.metrics.effective_rank(net, 1),
    "stable_rank": lr.metrics.stable_rank,
}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_metrics_of_a_network_that_is_not_finite_are_refused(name, bad):
    measure = jax.jit(lambda value: METRICS[name](neuron(value)))
    assert np.isfinite(measure(2.0))
    with pytest.raises(Exception, match=NOT_FINITE):
        jax.block_until_ready(measure(bad))
