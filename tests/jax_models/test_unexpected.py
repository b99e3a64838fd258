"""What functions hold and do beyond parameters and inputs: a right answer, or words."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from lazyrich.jax import Probe, kernel_distance, kernel_product, linearize, tangent_kernel
from tests.jax_models.jax_zoo import explicit, normal

X = jnp.asarray(normal(60, 5, 6))
PARAMS = {"W": jnp.asarray(normal(61, 6, 4)), "a": jnp.asarray(normal(62, 4, 2))}


def f(p, x):
    return jnp.tanh(x @ p["W"]) @ p["a"]


def same(found, wanted, slack=1e-10):
    assert np.abs(found - wanted).max() <= slack * np.abs(wanted).max()


# Two functions that read the same, and hold different arrays: each must get its own kernel.


def in_a_forward_rule(held):
    bent = jax.custom_jvp(jnp.tanh)
    bent.defjvp(lambda values, changes: (bent(*values), held * changes[0]))
    return bent


def in_a_backward_rule(held):
    bent = jax.custom_vjp(jnp.tanh)
    bent.defvjp(lambda x: (jnp.tanh(x), None), lambda _, change: (held * change,))
    return bent


def in_a_call(held):
    """Return an activation that is recognized by its name and not inlined."""

    def relu(x):
        return jnp.maximum(x, 0) * held

    return jax.jit(relu)


def in_a_branch(held):
    return jax.vmap(lambda z: lax.cond(z[0] > 0, lambda z: jnp.tanh(z) * held, lambda z: z, z))


def on_the_host(held):
    """Return a function with a host callback, whose text shows only its name."""

    def scaled(x):
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return x * jax.pure_callback(
            lambda z: np.sin(z) * held, shape, lax.stop_gradient(0 * x + 1), vmap_method="expand_dims"
        )

    return scaled


@pytest.mark.parametrize("make", [in_a_forward_rule, in_a_backward_rule, in_a_call, in_a_branch, on_the_host])
def test_what_is_held_where_the_text_does_not_show_it(make):
    for seed in (1, 2):
        bent = make(normal((63, seed), 4))
        g = lambda p, x, bent=bent: bent(x @ p["W"]) @ p["a"]  # noqa: E731
        same(tangent_kernel(g, PARAMS, X), explicit(g, PARAMS, X))


def test_measuring_prints_nothing(capfd):
    def printing(p, x):
        jax.debug.print("a step of {}", len(x))
        jax.debug.callback(lambda x: print("called"), x)
        return f(p, x)

    same(tangent_kernel(printing, PARAMS, X), explicit(f, PARAMS, X))
    jax.effects_barrier()
    assert capfd.readouterr().out == ""


def mixing(p, x):
    return f(p, x - x.mean(0))


MIXED = {
    "the first samples are equal": (mixing, PARAMS, jnp.concatenate([X[:1]] * 4 + [X])),
    "the readout is zero": (mixing, {**PARAMS, "a": 0 * PARAMS["a"]}, X),
    "a little": (lambda p, x: f(p, x + 1e-6 * x.mean(0)), PARAMS, X),
    "outputs are tiny": (lambda p, x: 1e-20 * mixing(p, x), PARAMS, X),
    "by a sum over earlier ones": (lambda p, x: jnp.cumsum(f(p, x), 0), PARAMS, X),
}


@pytest.mark.parametrize("how", MIXED)
def test_mixed_samples_are_found(how):
    with pytest.raises(ValueError, match="depends on the other samples"):
        tangent_kernel(*MIXED[how])


def test_mixed_samples_are_found_inside_of_jit():
    with pytest.raises(ValueError, match="depends on the other samples"):
        jax.jit(lambda p, x: tangent_kernel(mixing, p, x))(PARAMS, X)
    same(jax.jit(lambda p, x: tangent_kernel(f, p, x))(PARAMS, X), explicit(f, PARAMS, X))


def test_equal_samples_are_no_mixing():
    x = jnp.concatenate([X[:1]] * 3)
    same(tangent_kernel(f, PARAMS, x), explicit(f, PARAMS, x))


def test_outputs_of_rounding_at_the_start_are_no_mixing():
    """A centered function: at its start the output is a difference of two that are equal but for rounding."""
    g = lambda p, x: f(p, x) - jnp.sum(jnp.tanh(x @ PARAMS["W"])[:, :, None] * PARAMS["a"], 1)  # noqa: E731
    same(tangent_kernel(g, PARAMS, X), explicit(f, PARAMS, X))


def looped(p, x):
    return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, jnp.tanh(s[1] @ p["V"])), (0, x))[1]


def of_the_host(p, x):
    h = x @ p["W"]
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(h.shape, h.dtype), h, vmap_method="expand_dims")


@pytest.mark.parametrize(
    ("function", "params", "said"),
    [
        (looped, {"V": jnp.eye(6)}, "no derivative by its parameters, backward: .* needs a length that is known"),
        (of_the_host, PARAMS, "no derivative by its parameters, backward: .* a callback needs a rule"),
    ],
)
def test_what_has_no_derivative_is_told(function, params, said):
    with pytest.raises(ValueError, match=said):
        tangent_kernel(function, params, X)


def test_a_loop_over_what_is_no_parameter():
    def counted(p, x):
        steps = jax.vmap(lambda z: lax.while_loop(lambda k: k < jnp.abs(z[0]), lambda k: k + 0.3, 0.0))(x)
        return steps[:, None] * f(p, x)

    same(tangent_kernel(counted, PARAMS, X), explicit(counted, PARAMS, X))


@jax.custom_vjp
def straight(x):
    return jnp.sign(x)


straight.defvjp(lambda x: (jnp.sign(x), None), lambda _, change: (0.7 * change,))


def test_a_rule_for_backward_alone_serves_forward():
    """Products, tangent models and the probe push forward what JAX can only pull back."""
    g = lambda p, x: straight(x @ p["W"]) @ p["a"]  # noqa: E731
    K, v = explicit(g, PARAMS, X), normal(64, 5, 2)
    same(kernel_product(g, PARAMS, X, v).ravel(), K @ v.ravel())
    same(tangent_kernel(linearize(g, PARAMS), PARAMS, X), K)
    probe = Probe(g, PARAMS, X)
    probe.snapshot(1, jax.tree.map(lambda p: 1.01 * p, PARAMS))
    step = jnp.concatenate([leaf.ravel() for leaf in jax.tree.leaves(PARAMS)])
    J = jnp.concatenate([leaf.reshape(10, -1) for leaf in jax.tree.leaves(jax.jacrev(g)(PARAMS, X))], 1)
    moved = g(jax.tree.map(lambda p: 1.01 * p, PARAMS), X).ravel() - (g(PARAMS, X).ravel() + 0.01 * J @ step)
    gap = float(probe.report().data.linearization_gap[-1])
    assert gap == pytest.approx(float(jnp.sqrt((moved**2).mean())), rel=1e-9)


def test_the_two_sets_of_parameters_may_differ_in_precision():
    after = jax.tree.map(lambda p: (1.1 * p + 0.1).astype(jnp.float32), PARAMS)
    widened = jax.tree.map(lambda p: p.astype(jnp.float64), after)
    assert kernel_distance(f, PARAMS, after, X) == kernel_distance(f, PARAMS, widened, X)


@pytest.mark.parametrize(
    ("x2", "said"),
    [
        (X[:2, :3], r"samples of the shape of x, \[\(6,\)\]; found \[\(3,\)\]"),
        (jnp.ones((2, 6), int), "x2 must be numbers of the kind of x, float64; found int64"),
        ({"x": X}, "the same tree of arrays as x"),
        (X.at[0, 0].set(jnp.nan), "x2 has NaN or infinite entries"),
    ],
)
def test_the_second_set_is_checked_in_products_too(x2, said):
    for call in (lambda: tangent_kernel(f, PARAMS, X, x2), lambda: kernel_product(f, PARAMS, X, jnp.ones((2, 2)), x2)):
        with pytest.raises(ValueError, match=said):
            call()
