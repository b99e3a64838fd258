"""What gradient flow conserves, and scales that keep the function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import lazyrich.torch as lt
from lazyrich.jax import balance, rescale, tangent_kernel, upstream
from tests.jax_models.jax_zoo import made, normal

X = jnp.asarray(normal(30, 6, 1, 6, 6))


def convolution(p, x):
    x = jax.lax.conv(x, p["conv"]["w"], (1, 1), "SAME") + p["conv"]["b"][:, None, None]
    x = jax.lax.reduce_window(jax.nn.leaky_relu(x, 0.1), -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    x = jnp.maximum(0, x.reshape(len(x), -1) @ p["one"]["w"].T + p["one"]["b"])
    return jax.nn.relu(x @ p["two"]["w"].T + p["two"]["b"]) @ p["out"]["w"].T + p["out"]["b"]


def weights(seed=31):
    shapes = {"conv": (3, 1, 3, 3), "one": (5, 27), "two": (4, 5), "out": (2, 4)}
    return {
        name: {"w": jnp.asarray(normal((seed, k), *shape)), "b": jnp.asarray(normal((seed, k, 1), shape[0]))}
        for k, (name, shape) in enumerate(shapes.items())
    }


def in_torch(params):
    model = nn.Sequential(
        nn.Conv2d(1, 3, 3, padding=1), nn.LeakyReLU(0.1), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(27, 5), nn.ReLU(),
        nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 2),
    ).double()  # fmt: skip
    with torch.no_grad():
        for k, name in zip((0, 4, 6, 8), params, strict=True):
            model[k].weight.copy_(torch.tensor(np.asarray(params[name]["w"])))
            model[k].bias.copy_(torch.tensor(np.asarray(params[name]["b"])))
    return model


def test_conserved_quantities_are_those_of_pytorch_with_rates():
    params = weights()
    rates, named = {"conv": 0.3, "one.b": 2.0}, {"0": 0.3, "4.bias": 2.0}
    found, wanted = balance(convolution, params, X, rates=rates), lt.balance(in_torch(params), rates=named)
    assert [pair.name for pair in found.pairs] == ["conv → one", "one → two", "two → out"]
    for one, other in zip(found.pairs, wanted.pairs, strict=True):
        assert one.delta == pytest.approx(other.delta)
        assert one.relative == pytest.approx(other.relative)
        np.testing.assert_allclose(one.units, other.units)
    assert dict(found.reasons_without) == {"out": "it is the output"}


def test_gradients_keep_them():
    """The derivative of δ along the gradient of any loss is 0, unit by unit."""
    params = weights()
    rates = {"conv": 0.3, "one.b": 2.0}
    slope = jax.grad(lambda p: jnp.sum(jnp.sin(convolution(p, X))))(params)
    eta = {name: {part: rates.get(f"{name}.{part}", rates.get(name, 1.0)) for part in "wb"} for name in params}
    step = 1e-5
    moved = [jax.tree.map(lambda v, s, e, sign=sign: v + sign * step * e * s, params, slope, eta) for sign in (1, -1)]
    one, other = (balance(convolution, p, X, rates=rates).pairs for p in moved)
    for a, b in zip(one, other, strict=True):
        assert np.abs(a.units - b.units).max() < 1e-6 * np.abs(a.units).max() * step / 1e-5
        assert np.abs(a.units).max() > 0.1


def test_upstream_and_rescale_keep_the_function():
    params = weights()
    before = convolution(params, X)
    wanted = in_torch(params)
    lt.upstream_(wanted, 3.0)
    new = upstream(convolution, params, X, 3.0)
    np.testing.assert_allclose(convolution(new, X), before, rtol=1e-10)
    for k, name in zip((0, 4, 6, 8), params, strict=True):
        np.testing.assert_allclose(new[name]["w"], wanted[k].weight.detach(), rtol=1e-12)
        np.testing.assert_allclose(new[name]["b"], wanted[k].bias.detach(), rtol=1e-12)
    new = rescale(convolution, params, X, delta=-2.0, layers=("one", "two"))
    np.testing.assert_allclose(convolution(new, X), before, rtol=1e-10)
    assert balance(convolution, new, X).deltas["one → two"] == pytest.approx(-2.0)
    assert new["conv"] is not None
    np.testing.assert_array_equal(new["conv"]["w"], params["conv"]["w"])
    assert not np.allclose(tangent_kernel(convolution, new, X), tangent_kernel(convolution, params, X), rtol=1e-2)


def test_overall_scale_is_that_of_pytorch():
    params = weights()
    wanted = in_torch(params)
    lt.rescale_(wanted, tau=2.0, delta=1.0, layers=("4", "6"))
    new = rescale(convolution, params, X, tau=2.0, delta=1.0, layers=("one", "two"))
    for k, name in zip((0, 4, 6, 8), params, strict=True):
        np.testing.assert_allclose(new[name]["w"], wanted[k].weight.detach(), rtol=1e-10)
        np.testing.assert_allclose(new[name]["b"], wanted[k].bias.detach(), rtol=1e-10)


def test_reasons_are_named():
    f, params, x = made("linen", "mlp", np.float64)
    found = balance(f, params, x)
    assert found.deltas.keys() == {"Dense_2 → Dense_1"}  # Linen counts from the outermost
    assert found.reasons_without["Dense_1"] == "tanh is not homogeneous"
    f, params, x = made("equinox", "cnn", np.float64)
    assert balance(f, params, x).deltas.keys() == {"convs.0 → convs.1", "convs.1 → head"}


def test_several_readers_conserve_one_quantity():
    def f(p, x):
        h = jax.nn.relu(x @ p["W"])
        return h @ p["a"] + jnp.tanh(h @ p["b"])

    shapes = {"W": (3, 4), "a": (4, 2), "b": (4, 2)}
    p = {name: jnp.asarray(normal((32, k), *shape)) for k, (name, shape) in enumerate(shapes.items())}
    x = jnp.asarray(normal(33, 5, 3))
    (pair,) = balance(f, p, x).pairs
    assert pair.name == "W → a + b"
    wanted = (p["a"] ** 2 + p["b"] ** 2).sum(1) - (p["W"] ** 2).sum(0)
    np.testing.assert_allclose(pair.units, wanted)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda p: upstream(convolution, p, X, -1.0), "alpha must be a positive number; found -1.0"),
        (lambda p: upstream(convolution, p, X, 2.0, layers=("conv", "three")), "no layer 'three'; there are conv, one"),
        (lambda p: upstream(convolution, p, X, 2.0, layers="conv"), "must be the names of two layers.*; found 'conv'"),
        (lambda p: upstream(convolution, p, X, 2.0, layers=("two", "one")), "does not reach one: behind out"),
        (lambda p: rescale(convolution, p, X), "nothing to set: give tau"),
        (lambda p: rescale(convolution, jax.tree.map(jnp.zeros_like, p), X, delta=1.0), "one side are zero, or"),
        (lambda p: balance(convolution, p, X, rates={"one.w": 0.0}), "learning rate of 'one.w' must be positive for δ"),
        (lambda p: upstream(lambda p, x: x[:, 0, 0] @ p, p["two"]["w"].T, X[..., :5], 2.0), "no two layers can"),
    ],
)  # fmt: skip
def test_mistakes_are_told(call, said):
    with pytest.raises(ValueError, match=said):
        call(weights())
