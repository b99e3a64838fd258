"""Arguments that networks and initializations refuse, in words of ours: not run with types checked at every call."""

import equinox as eqx
import jax
import numpy as np
import pytest
from conftest import distance

import lazyrich as lr


def test_bad_arguments_are_refused_with_a_reason():
    W = np.ones((2, 3))
    for power in (0, 1.5, True, None, "2", np.nan, np.inf, -1, 1j):
        with pytest.raises(ValueError, match="power must be a whole number, at least 1; found"):
            lr.Diagonal([W], power=power)
    assert lr.Diagonal([W], power=2.0).power == lr.Diagonal([W], power=np.int64(2)).power == 2
    for slope in (-np.inf, np.nan):
        with pytest.raises(ValueError, match="slope must be finite; found"):
            lr.TwoLayer(W, [1.0, 1.0], slope)
    for slope in (None, "a", 1j, True):
        with pytest.raises(ValueError, match="slope must be a real number; found"):
            lr.TwoLayer(W, [1.0, 1.0], slope)
    with pytest.raises(ValueError, match="slope must be a known number, not traced"):
        jax.jit(lambda s: lr.TwoLayer(W, [1.0, 1.0], s)(W))(0.5)
    assert jax.jit(lambda a: lr.TwoLayer(W, a, 0.5)(W))(np.ones(2)).shape == (2,)
    for weights in (None, 3, 2.5):
        for network in (lr.DeepLinear, lr.Diagonal):
            with pytest.raises(TypeError, match="weights must be a list of matrices, one per layer, first layer first"):
                network(weights)
    with pytest.raises(TypeError, match="anchor must be a lazyrich network; found MLP"):
        lr.Linearized(eqx.nn.MLP(2, 1, 3, 1, key=jax.random.key(0)))
    net = lr.DeepLinear([W, np.ones((1, 2))])
    with pytest.raises(
        ValueError, match=r"the shapes of the anchor's layers, \[\(2, 3\), \(1, 2\)\]; found \[\(2, 3\)\]"
    ):
        lr.Linearized(net, [W])
    moved = (2 * net.weights[0], 3 * net.weights[1])
    assert distance(lr.Linearized(net, moved), lr.Linearized(net).with_layers(moved)) == 0


def test_numbers_in_arrays_of_objects_are_numbers():
    X = np.array([[1.0, 2], [np.float32(3), 4.0]], dtype=object)
    assert distance(lr.Problem(X, [1.0, 2.0]).X, np.array([[1.0, 2.0], [3.0, 4.0]])) == 0
    for strange in ("a", None, True, 1j, [1.0]):
        X[1, 1] = strange
        with pytest.raises(ValueError, match="X must be a real array; found ndarray: some entries are no real numbers"):
            lr.Problem(X, [1.0, 2.0])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [1.0, 0.0]}).astype("Float64")
    labels = pandas.Series([1.0, 2.0], dtype="Float64")
    assert distance(lr.Problem(frame, labels).X, np.array([[1.0, 1.0], [2.0, 0.0]])) == 0
    frame.loc[0, "a"] = pandas.NA
    with pytest.raises(ValueError, match="some entries are no real numbers, <NA> for one"):
        lr.Problem(frame, labels)


def test_initializations_refuse_nonsense():
    key, net = jax.random.key(0), lr.TwoLayer(np.ones((2, 3)), [1.0, 1.0])
    for wrong, error, reason in [
        (
            lambda: lr.inits.tied_diagonal(3, 0.1, depth=2.7),
            ValueError,
            "depth must be a whole number, at least 1; found 2.7",
        ),
        (lambda: lr.inits.tied_diagonal(2.5, 0.1), ValueError, "d must be a whole number, at least 1; found 2.5"),
        (lambda: lr.inits.tied_diagonal(3, "a"), ValueError, "alpha must be a real array; found str"),
        (lambda: lr.inits.diagonal(True, 0.1), ValueError, "d must be a whole number, at least 1; found True"),
        (
            lambda: lr.inits.diagonal(3, [0.1, 0.2]),
            ValueError,
            r"alpha must be one number, or one per coordinate \(3\)",
        ),
        (lambda: lr.inits.two_layer(key, 3, 2.5), ValueError, "h must be a whole number, at least 1; found 2.5"),
        (lambda: lr.inits.two_layer(3, 3, 2), TypeError, "key must come from"),
        (lambda: lr.inits.two_layer(key, 3, 2, std=(1.0,)), ValueError, "std must be two numbers"),
        (lambda: lr.inits.teacher(key, 3, 0), ValueError, "k must be a whole number, at least 1; found 0"),
        (lambda: lr.inits.symmetrized(key, 3, 4.5), ValueError, "h must be a whole number, at least 2; found 4.5"),
        (lambda: lr.inits.symmetrized(key, 3, 4, tau="a"), ValueError, "tau must be a real number; found str"),
        (lambda: lr.inits.symmetrized(key, 3, 4, delta=np.nan), ValueError, "delta must be finite; found nan"),
        (lambda: lr.inits.scale_parameters("a", 2.0), TypeError, "net must be a lazyrich network; found str"),
        (lambda: lr.inits.rescale(None, 2.0), TypeError, "net must be a lazyrich network; found NoneType"),
        (lambda: lr.inits.rescale(net, delta=np.ones(3)), ValueError, r"one per hidden unit \(2,\); found \(3,\)"),
    ]:
        with pytest.raises(error, match=reason):
            wrong()
