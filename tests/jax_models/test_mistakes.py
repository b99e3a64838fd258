"""A user's mistake gets an error that says what was found and what to do; and nothing is switched behind his back."""

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lazyrich.jax import Probe, kernel_distance, kernel_product, kernel_target_alignment, tangent_kernel
from tests.test_front_door import fresh

X = jnp.asarray(np.random.default_rng(0).normal(size=(6, 3)))
W = jnp.asarray(np.random.default_rng(1).normal(size=(3, 2)))


def f(params, x):
    return jnp.tanh(x @ params)


def g(params, x):
    return f(params["w"], x)


def mixing(params, x):
    return jnp.tanh((x - x.mean(0)) @ params)


class Normed(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(2)(nn.BatchNorm(use_running_average=False)(x))


def training_mode():
    model = Normed()
    held = model.init(jax.random.key(0), X)
    return (lambda p, x: model.apply({"params": p, **held}, x, mutable=["batch_stats"])[0]), held.pop("params")


MISTAKES = {
    "mixes": (mixing, W, X, r"depends on the other samples: one by one and in a batch of 3 .* \(train=False"),
    "training": (*training_mode(), X, "batch norm in training mode"),
    "squeezes": (lambda p, x: (x @ p[:, :1]).squeeze(), W, X, r"found \(\) for n = 1. If it drops .* \(len\(x\), -1\)"),
    "pairs": (lambda p, x: (x @ p, x), W, X, r"must return one array of floats, .* found tuple"),
    "integers": (lambda p, x: (x @ p).astype(int), W, X, "found int64"),
    "images": (lambda p, x: (x @ p)[:, :, None], W, X, r"found \(1, 2, 1\) for n = 1"),
    "integer parameters": (lambda p, x: x @ p["w"], {"w": W, "step": jnp.array(3)}, X, "'step' in params is of int"),
    "complex": (lambda p, x: (x @ p).real, W + 0j, X, "complex weights are two real ones"),
    "a module": (lambda p, x: x, eqx.nn.MLP(3, 2, 4, 1, key=jax.random.key(0)), X, "no array .* eqx.partition"),
    "nothing": (lambda p, x: x, {}, X, "params has no arrays"),
    "a list": (f, W, [1.0, 2.0], "x must be an array, or a tree of arrays; found a float in it"),
    "empty": (f, W, X[:0], r"samples along its first axis, .* found \[\(0, 3\)\]"),
    "ragged": (lambda p, x: x[0] @ p, W, (X, X[:4]), r"the same number in all arrays; found \[\(6, 3\), \(4, 3\)\]"),
    "shapes": (f, W, X[:, :2], r"raised on a batch of 1 sample\(s\), x of \(1, 2\) float64: TypeError: dot_general"),
    "NaN inputs": (f, W, X.at[1, 0].set(jnp.nan), "x has NaN or infinite entries"),
    "NaN weights": (f, W.at[0, 0].set(jnp.inf), X, "'params' in params has 1 of 6 entries that are NaN or infinite"),
    "NaN outputs": (lambda p, x: jnp.log(x) @ p, W, X, "output of f is NaN or infinite on sample"),
    "NaN slopes": (lambda p, x: jnp.sqrt(jnp.abs(p[:1, :1])) * x, 0 * W, X, "root or a norm at exactly 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told(name):
    function, params, x, said = MISTAKES[name]
    with pytest.raises(ValueError, match=said):
        tangent_kernel(function, params, x)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tangent_kernel(f, W, X, outputs="sum"), "outputs must be 'full', 'each', .*; found 'sum'"),
        (lambda: tangent_kernel(f, W, X, X, outputs="diagonal"), "leave x2 out"),
        (lambda: tangent_kernel(f, W, X, X[:, :2]), r"samples of the shape of x, \[\(3,\)\]; found \[\(2,\)\]"),
        (lambda: tangent_kernel(f, W, X, block=0), "block must be a whole number, at least 1"),
        (lambda: tangent_kernel(g, {"w": W}, X, rates={"v": 1.0}), "no parameter begins with 'v'; there are w"),
        (lambda: tangent_kernel(g, {"w": W}, X, rates={"w": -1.0}), "finite and at least 0; found -1.0"),
        (lambda: tangent_kernel(f, W, X, rates={"": 0.0}), "all learning rates are 0"),
        (lambda: kernel_product(f, W, X, X), r"v must have the shape of the outputs, \(6, 2\); found \(6, 3\)"),
        (lambda: kernel_distance(f, W, W.T, X), r"'params' is of shape \(3, 2\) in params and .* in params0"),
        (lambda: kernel_distance(f, W, W, X, method="fast"), "method must be"),
        (lambda: kernel_distance(f, W, W, X, method="subsample", size=3), "subsamples of 4 to n = 6 inputs; .* size=3"),
        (lambda: jax.jit(lambda W: kernel_distance(f, W, W, X).value)(W), "cannot be traced"),
        (lambda: kernel_target_alignment(f, W, X, jnp.arange(6)), "class numbers must be from 0 to 1; found 0 to 5"),
        (lambda: kernel_target_alignment(f, W, X, jnp.ones((6, 3))), r"targets must be of shape \(6, 2\)"),
        (lambda: Probe(f, W, X).snapshot(0, 2 * W), "step 0 comes after step 0, which is measured already"),
        (lambda: Probe(f, W, X).snapshot(1, W.T), "in the parameters of step 1: the two must have the same shapes"),
        (lambda: Probe(f, W, X).snapshot(1, W.at[0, 0].set(jnp.nan)), "in the parameters of step 1 has 1 of 6 entries"),
        (lambda: jax.jit(lambda W: Probe(f, W, X).last_step)(W), "between the steps, outside of jit"),
        (lambda: Probe(f, W, X, sample=0), "sample must be a whole number"),
    ],
)  # fmt: skip
def test_other_arguments_are_checked(call, said):
    with pytest.raises(ValueError, match=said):
        call()


USED = """
import sys, lazyrich.jax as lj, jax, jax.numpy as jnp
f = lambda p, x: jnp.tanh(x @ p)
for wanted in (False, True):
    jax.config.update("jax_enable_x64", wanted)
    x = jnp.ones((3, 2))
    K = lj.tangent_kernel(f, jnp.ones((2, 1)), x)
    lj.kernel_distance(f, jnp.ones((2, 1)), 2 * jnp.ones((2, 1)), x)
    lj.predict(K, jnp.ones((3, 1)))
    lj.infinite.mlp(2)(x)
    print(K.dtype, jax.config.jax_enable_x64)
core = "lazyrich.networks", "lazyrich.problem", "lazyrich._core.enable_float64", "torch", "diffrax", "equinox", "flax"
print(*(name for name in core if name in sys.modules))
"""


def test_precision_is_as_it_was_before_and_after_and_the_core_is_not_loaded():
    assert fresh("import lazyrich.jax, jax; print(jax.config.jax_enable_x64)") == ["False"]
    assert fresh(USED) == ["float32", "False", "float64", "True"]
