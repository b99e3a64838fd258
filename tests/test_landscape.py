import jax
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

import lazyrich as lr
from lazyrich.landscape import critical_points, escape_rates, hessian, morse_index


def make_target(d, c, s):
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(n, n)))[0][:, : len(s)] for n in (d, c))
    return (U * np.asarray(s)) @ V.T


TARGET = make_target(4, 3, [3.0, 2.0, 0.5])


def test_hessian_against_autodiff():
    net = lr.inits.gaussian(jax.random.key(0), (4, 2, 5, 3))
    flow = lr.GradientFlow(net, lr.Problem(np.eye(4), TARGET))
    flat, unravel = ravel_pytree(net.layers)
    expected = jax.hessian(lambda x: flow.loss(net.with_layers(unravel(x))))(flat)
    assert np.allclose(hessian(net, TARGET), expected, atol=1e-13)


@pytest.mark.parametrize(("depth", "width"), [(2, 3), (2, 5), (2, 1), (3, 3), (3, 2), (4, 3)])
def test_critical_points(depth, width):
    found = critical_points(TARGET, depth, width)
    flow = lr.GradientFlow(found[0].net, lr.Problem(np.eye(4), TARGET))
    assert len({point.modes for point in found}) == len(found) == {1: 4, 2: 7}.get(width, 8)
    for point in found:
        assert all(float(np.max(np.abs(g))) < 1e-13 for g in flow.gradient(point.net))
        assert float(flow.loss(point.net)) == pytest.approx(point.loss, abs=1e-13)
        assert all(float(np.max(np.abs(D))) < 1e-13 for D in point.net.conserved_quantities().values())
        assert morse_index(point.net, TARGET) == point.index
    assert [point.kind for point in found].count("minimum") == 1
    assert found[-1].kind == "minimum"
    assert all((point.kind == "strict saddle") == (point.index > 0) for point in found)


def test_escapes_grow_at_their_rates():
    saddle = next(point for point in critical_points(TARGET, depth=3) if point.modes == (1,))
    rates, directions = escape_rates(saddle.net, TARGET)
    assert rates == pytest.approx([2 ** (1 / 3) * (3 - 2)])
    layers = tuple(W + 1e-6 * D for W, D in zip(saddle.net.weights, directions[0], strict=True))
    flow = lr.GradientFlow(saddle.net, lr.Problem(np.eye(4), TARGET))
    for slope, D in zip(flow.vector_field(layers), directions[0], strict=True):
        assert np.allclose(slope, 1e-6 * rates[0] * D, atol=1e-11)


def test_targets_with_fewer_modes_and_refusals():
    assert len(critical_points(make_target(4, 3, [2.0, 1.0]), width=4)) == 4
    with pytest.raises(ValueError, match="depth must be at least 2"):
        critical_points(TARGET, depth=1)
    with pytest.raises(ValueError, match="at most 14 modes"):
        critical_points(np.diag(np.arange(1.0, 20.0)))
    with pytest.raises(ValueError, match="the target has shape"):
        hessian(lr.DeepLinear([np.eye(2)]), TARGET)
