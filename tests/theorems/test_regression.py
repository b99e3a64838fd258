"""Linear regression whose features are nearly dependent, or measured in other units, against 150 digits."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest

import lazyrich as lr
from lazyrich.theorems.regression import decompose, evolve_from_zero


def regression(X, y, rates=None):
    return lr.GradientFlow(lr.DeepLinear([np.zeros((1, np.shape(X)[1]))]), lr.Problem(X, y), rates)


def reference(X, y, t=mp.inf):
    """Return β(t) of ½‖Xβ − y‖² from β = 0, in 150 digits. (X must have full rank.)"""
    mp.mp.dps = 150
    U, s, Vt = mp.svd_r(mp.matrix(np.asarray(X).tolist()))
    along = U.T * mp.matrix(np.asarray(y).tolist())
    settled = [c / sigma * (1 - mp.exp(-(sigma**2) * mp.mpf(t))) for c, sigma in zip(along, s, strict=True)]
    return np.array([float(b) for b in Vt.T * mp.matrix(settled)])


def orthogonal(rng, n):
    return np.linalg.qr(rng.normal(size=(n, n)))[0]


def test_the_limit_of_a_weak_feature_is_not_zero():
    found = lr.limit(regression(np.diag([1.0, 1e-8]), [1.0, 1.0]))
    np.testing.assert_allclose(found.value, [1.0, 1e8], rtol=1e-15)
    assert float(found.certificate.worst) < 1e-15


@pytest.mark.parametrize(("labels", "t"), [([1.0, 1e8], 1.0), ([1.0, 1.0], 1e8), ([1.0, 1.0], 1e18)])
def test_a_weak_feature_is_learned_in_its_own_time(labels, t):
    X = np.diag([1.0, 1e-8])
    right = [y / x * -np.expm1(-(x**2) * t) for x, y in zip(np.diag(X), labels, strict=True)]
    np.testing.assert_allclose(lr.exact(regression(X, labels), [t]).beta[0], right, rtol=1e-14)


@pytest.mark.parametrize("small", [1e-4, 1e-5, 1e-6, 1e-7])
def test_the_condition_number_is_not_squared(small):
    rng = np.random.default_rng(0)
    X = orthogonal(rng, 3) @ np.diag([1, np.sqrt(small), small]) @ orthogonal(rng, 3).T
    y = X @ np.array([1.0, -2.0, 3.0])
    for t in (1.0, 1 / small, 1 / small**2, 1e3 / small**2):
        ours = lr.exact(regression(X, y), [t]).beta[0]
        np.testing.assert_allclose(ours, reference(X, y, t), rtol=0, atol=1e-16 * 30 / small)
    np.testing.assert_allclose(lr.limit(regression(X, y)).value, reference(X, y), rtol=0, atol=1e-16 * 30 / small)


def in_other_units(name):
    """Draw X with features (columns), samples (rows) or both in different units."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(4, 8) if "wide" in name else (8, 4))
    if "features" in name:
        X = X * 10.0 ** rng.uniform(-12, 0, size=X.shape[1])
    if "samples" in name:
        X = X * 10.0 ** rng.uniform(-12, 0, size=(len(X), 1))
    if "one" in name:
        X[:, 2] *= 1e-30
    return X, rng.normal(size=len(X))


UNITS = ("features", "samples", "features and samples", "wide, features", "wide, samples", "one", "wide, one")


@pytest.mark.parametrize("name", UNITS)
def test_every_entry_is_right_whatever_its_unit(name):
    X, y = in_other_units(name)
    for t in (1e-3, 1.0, 1e6, 1e12, 1e30, 1e80):
        np.testing.assert_allclose(lr.exact(regression(X, y), [t]).beta[0], reference(X, y, t), rtol=1e-12)
    found = lr.limit(regression(X, y))
    np.testing.assert_allclose(found.value, reference(X, y), rtol=1e-12)


def test_forty_features_of_which_one_is_in_other_units():
    rng = np.random.default_rng(0)
    X, beta = rng.normal(size=(60, 40)), np.ones(40)
    X[:, 3] *= 3e-8
    beta[3] = 1e7
    traj = lr.exact(regression(X, X @ beta), [1e18])
    np.testing.assert_allclose(traj.beta[0], beta, rtol=1e-12)
    assert float(traj.loss[0]) < 1e-25


@pytest.mark.parametrize("unit", [1.0, 1e-30])
def test_repeated_samples_and_features_are_no_new_directions(unit):
    """Two samples twice with labels that contradict, one feature twice, and perhaps one feature in other units."""
    rng = np.random.default_rng(3)
    few = rng.normal(size=(3, 5))
    few[:, 1] = few[:, 0]
    few[:, 4] *= unit
    y = rng.normal(size=5)
    X = np.vstack([few, few[:2]])
    means = np.array([(y[0] + y[3]) / 2, (y[1] + y[4]) / 2, y[2]])
    weighted = few * np.sqrt([[2.0], [2.0], [1.0]])
    for t in (1.0, 1e3, 1e70):
        right = reference(weighted, means * np.sqrt([2.0, 2.0, 1.0]), t)
        np.testing.assert_allclose(lr.exact(regression(X, y), [t]).beta[0], right, rtol=1e-11)
    np.testing.assert_allclose(lr.limit(regression(X, y)).value, reference(few, means), rtol=1e-11)


def test_tangent_models_do_not_square_it_either():
    rng = np.random.default_rng(1)
    net = lr.TwoLayer(rng.normal(size=(6, 2)), rng.normal(size=6))
    first = rng.normal(size=(3, 2))
    X = np.vstack([first, first[0] + 1e-7 * rng.normal(size=2)])
    flow = lr.GradientFlow(lr.Linearized(net), lr.Problem(X, rng.normal(size=4)), (0.5, 1.5))
    J = np.hstack([np.sqrt(rate) * np.asarray(block) for rate, block in zip((0.5, 1.5), net._jacobian(X), strict=True)])
    gap = np.asarray(flow.problem.y - flow.outputs())
    for end, t in ((lr.exact(flow, [1e18]).end, 1e18), (lr.limit(flow).value, mp.inf)):
        moved = [np.ravel(new - old) for new, old in zip(end.layers, net.layers, strict=True)]
        ours = np.concatenate([part / np.sqrt(rate) for part, rate in zip(moved, (0.5, 1.5), strict=True)])
        right = reference(J, gap, t)
        assert np.max(np.abs(ours - right)) < 1e-8 * np.max(np.abs(right))
        assert np.max(np.abs(right)) > 1e5


def test_what_float64_cannot_tell_is_refused():
    """Two samples that differ by 1e-13 with other labels: float64 knows their difference to three digits."""
    rng = np.random.default_rng(2)
    first = rng.normal(size=(1, 4))
    X = np.vstack([first, first * (1 + 1e-13 * rng.normal(size=4))])
    flow = regression(X, [1.0, -1.0])
    with pytest.raises(RuntimeError, match="too ill-conditioned"):
        lr.limit(flow)
    with pytest.raises(RuntimeError, match=r"nearly dependent.*earlier times.*uncertain by"):
        lr.exact(flow, [1e40])
    assert np.all(np.isfinite(lr.exact(flow, [1.0]).beta))  # long before their difference plays a part


@pytest.mark.parametrize("name", [*UNITS, "plain"])
def test_traced_and_known_numbers_agree(name):
    X, y = in_other_units(name)
    times = jnp.array([1.0, 1e12, 1e40])

    def path(y):
        return lr.exact(regression(X, y), times).beta

    def end(X):
        return lr.limit(regression(X, y)).value

    np.testing.assert_allclose(jax.jit(path)(y), path(y), rtol=1e-13)
    np.testing.assert_allclose(jax.vmap(path)(jnp.stack([y, 2 * y]))[1], 2 * path(y), rtol=1e-13)
    np.testing.assert_allclose(jax.jit(end)(X), end(X), rtol=1e-13)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
@pytest.mark.parametrize("repeated", [False, True])
def test_derivatives_in_everything_against_differences(shape, repeated):
    rng = np.random.default_rng(4)
    A, r, t = rng.normal(size=shape), rng.normal(size=(shape[0], 2)), np.array([0.3, 2.0])
    if repeated:
        A[1], A[:, 1] = A[0], A[:, 0]
    dA, dr = rng.normal(size=shape), rng.normal(size=r.shape)

    def along(h):
        return evolve_from_zero(A + h * dA, r + h * dr, t * (1 + h))[0]

    ours = jax.jvp(along, (0.0,), (1.0,))[1]
    step = 1e-5
    np.testing.assert_allclose(ours, (along(step) - along(-step)) / (2 * step), rtol=1e-6, atol=1e-8)
    back = jax.jit(jax.grad(lambda h: jnp.sum(along(h) ** 2)))(0.0)
    np.testing.assert_allclose(back, 2 * np.sum(along(0.0) * ours), rtol=1e-12)


def test_second_derivatives():
    X, y = np.random.default_rng(5).normal(size=(2, 3, 3))[0], np.ones(3)

    def last(scale):
        return jnp.sum(lr.exact(regression(X * scale, y), [0.7]).beta ** 2)

    first, step = jax.grad(last), 1e-5
    numeric = (first(1.0 + step) - first(1.0 - step)) / (2 * step)
    assert float(jax.grad(first)(1.0)) == pytest.approx(float(numeric), rel=1e-7)


def test_singular_vectors_are_orthonormal_in_every_way():
    rng = np.random.default_rng(6)
    plain = rng.normal(size=(30, 20))
    for A in (plain, plain.T, plain * 10.0 ** rng.uniform(-9, 0, size=20), np.vstack([plain[:5], plain[:5]])):
        U, s, V = decompose(A)
        kept = s > 0
        assert np.sum(kept) == np.linalg.matrix_rank(A / np.max(np.abs(A), axis=0))
        for frame in (U, V):
            np.testing.assert_allclose(frame.T @ frame, np.diag(kept.astype(float)), atol=1e-13)
        np.testing.assert_allclose((U * s) @ V.T, A, atol=1e-13 * np.max(np.abs(A)))
    assert not np.any(decompose(np.zeros((2, 3)))[1])


NETWORKS = {
    "single neuron": lr.DeepLinear([[[0.3, 0.1]], [[1.0]]]),
    "rank one": lr.DeepLinear([[[0.6, 0.8]], [[1.0]], [[1.0]]]),
    "spectral": lr.DeepLinear([np.eye(2), np.zeros((1, 2))]),
    "vanishing": lr.DeepLinear([0.3 * np.eye(2) + 0.1, [[0.2, 0.5]]]),
    "tied": lr.Diagonal([0.5 * np.ones((2, 2))], 2),
    "untied": lr.Diagonal([0.5 * np.ones((2, 2)), 0.3 * np.ones((2, 2))]),
    "deep diagonal": lr.Diagonal([0.5 * np.ones((2, 2))], 3),
}


def right_or_refused(net, X, y, right):
    """Return the limit of a non-affine network after comparing it with the one β with Xβ = y, or None if there is an
    error."""
    try:
        value = lr.limit(lr.GradientFlow(net, lr.Problem(X, y))).value
    except (RuntimeError, lr.NoTheoremApplies):
        return None
    np.testing.assert_allclose(value, right, rtol=1e-6)
    return value


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("small", [1e-9, 1e-12, 1e-14, 1e-17, 1e-30])
def test_no_network_forgets_a_weak_feature(name, small):
    found = right_or_refused(NETWORKS[name], np.diag([1.0, small]), [1.0, 1.0], [1.0, 1 / small])
    assert found is not None or name not in ("tied", "untied", "deep diagonal")


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("apart", [1e-6, 1e-9, 1e-12, 1e-14])
def test_no_network_certifies_the_difference_of_samples_that_rounding_decides(name, apart):
    X = np.array([[1.0, 1.1], [1.0, 1.1 + apart]])
    slope = 1 / (X[1, 1] - X[0, 1])  # exact, as the difference is
    found = right_or_refused(NETWORKS[name], X, [1.0, 2.0], [1 - 1.1 * slope, slope])
    assert found is not None or apart < 1e-8


def test_a_traced_limit_is_refused_where_rounding_decides():
    def value(X):
        return lr.limit(lr.GradientFlow(NETWORKS["single neuron"], lr.Problem(X, np.array([1.0, 2.0])))).value

    with pytest.raises(Exception, match="could not be certified"):
        jax.block_until_ready(jax.jit(value)(jnp.array([[1.0, 1.1], [1.0, 1.1 + 1e-14]])))
    assert np.all(np.isfinite(jax.jit(value)(jnp.array([[1.0, 1.1], [1.0, 2.1]]))))


@pytest.mark.parametrize("name", ["single neuron", "rank one"])
@pytest.mark.parametrize("seed", range(5))
def test_what_the_data_do_not_see_is_a_unit_of_its_rounding(name, seed):
    """From labels of zero nothing is left of β but its unseen part, which rounding of a projection makes visible."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(2, 3)), rng.normal(size=3)
    w = w / np.linalg.norm(w)
    layers = [w[None], [[1.0]]] if name == "rank one" else [w[None], [[2.0]]]
    found = lr.limit(lr.GradientFlow(lr.DeepLinear(layers), lr.Problem(X, np.zeros(2))))
    np.testing.assert_allclose(X @ found.value, 0.0, atol=1e-14)
    assert np.linalg.norm(found.value) > 1e-3
