"""The solver on data as they come: dependent, inconsistent, badly scaled, tall, single; scales down to e^−3450."""

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest

import lazyrich as lr
from fuzz.uneven_limits import minimizer
from lazyrich import potentials
from lazyrich.theorems.optimality import certify_optimality

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(6, 15)), RNG.normal(size=6)


def checked(X, y, alpha=0.05):
    """The limit, with what must be true of it looked at from outside: the gradient of the loss, and the mirror map."""
    X, y = np.asarray(X, float), np.asarray(y, float)
    found = lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(X.shape[1], alpha), lr.Problem(X, y)))
    beta = np.asarray(found.value)
    scale = np.linalg.norm(X, 2)
    size = scale * (np.linalg.norm(y) + scale * np.linalg.norm(beta))
    assert np.linalg.norm(X.T @ (X @ beta - y)) <= 1e-12 * (size or 1.0)
    mirror = np.arcsinh(beta / (2 * alpha**2))
    coefficients = np.linalg.lstsq(X.T, mirror, rcond=None)[0]
    assert np.linalg.norm(X.T @ coefficients - mirror) <= 1e-9 * (np.linalg.norm(mirror) or 1.0)
    assert float(found.certificate.worst) < 1e-10
    return beta


@pytest.mark.parametrize(
    "data",
    {
        "plain": (X, Y),
        "duplicate samples": (np.vstack([X, X[:2]]), np.r_[Y, Y[:2]]),
        "contradictory samples": (np.vstack([X, X[:2]]), np.r_[Y, Y[:2] + 1]),
        "rank one": (np.outer(Y, X[0]), Y),
        "more samples than features": (RNG.normal(size=(30, 5)), RNG.normal(size=30)),
        "one sample": (X[:1], Y[:1]),
        "one feature": (X[:, :1], Y),
        "one of each": ([[2.0]], [3.0]),
        "large": (1e8 * X, Y),
        "small": (1e-8 * X, Y),
        "rows of different size": (X * np.geomspace(1e-4, 1e4, 6)[:, None], Y * np.geomspace(1e-4, 1e4, 6)),
        "no labels": (X, 0 * Y),
        "a column of zeros": (X * (np.arange(15) > 0), Y),
    }.items(),
    ids=lambda item: item[0],
)
def test_data_as_they_come(data):
    checked(*data[1])


def test_equal_features_share_alike():
    beta = checked(np.hstack([X, X]), Y)
    np.testing.assert_allclose(beta[:15], beta[15:], rtol=1e-10)


def test_against_fifty_digits():
    """Newton in 50 digits from the result: it moves by less than 1e-13."""
    for log_root_k in (2.0, -20.0, -200.0):
        q = potentials.HyperbolicEntropy.from_k(jnp.full(15, log_root_k))
        beta, z = potentials.bregman_projection(X, Y, q)
        with mp.workdps(50):
            root = mp.exp(mp.mpf(log_root_k))
            A, y = mp.matrix(X.tolist()), mp.matrix(Y.tolist())
            nu = mp.matrix(np.linalg.lstsq(X.T, np.asarray(z), rcond=None)[0].tolist())
            for _ in range(8):
                image = [root / 2 * mp.sinh(2 * v) for v in A.T * nu]
                H = A * mp.diag([mp.sqrt(root**2 + 4 * b**2) for b in image]) * A.T
                nu += mp.lu_solve(H, y - A * mp.matrix(image))
            exact = np.array([float(root / 2 * mp.sinh(2 * v)) for v in A.T * nu])
        np.testing.assert_allclose(beta, exact, rtol=0, atol=1e-13 * np.max(np.abs(exact)))


def test_scales_of_three_thousand_digits():
    """k = 1e-3000; the planted sparse vector, where the dual degenerates, and labels in general position."""
    truth = np.zeros(15)
    truth[[2, 7]] = 1.0, -0.5
    for y in (X @ truth, Y):
        beta, _ = potentials.bregman_projection(X, y, potentials.HyperbolicEntropy.from_k(jnp.full(15, -3450.0)))
        pursuit, _ = potentials.basis_pursuit(X, y)
        assert float(jnp.max(jnp.abs(X @ beta - y))) < 1e-13
        assert float(jnp.sum(jnp.abs(beta))) < np.sum(np.abs(pursuit)) * 1.001


def test_how_fast_the_rich_limit_is_reached():
    """Off the support of basis pursuit β_i falls like (√k)^{1 − |x_i·ν|}, ν the dual of the linear program: a power
    of k, and a small one where the constraint is nearly tight."""
    pursuit, nu = potentials.basis_pursuit(X, Y)
    slack = 1 - np.abs(X.T @ nu)
    off = pursuit == 0
    logs = np.array([-60.0, -65.0])  # log α, with √k ∝ α²
    path = lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(15, 1.0), lr.Problem(X, Y)), scales=np.exp(logs))
    beta = np.abs(np.asarray(path.value))[:, off]
    slopes = np.log(beta[0] / beta[1]) / (2 * (logs[0] - logs[1]))
    np.testing.assert_allclose(slopes, slack[off], atol=1e-3)
    assert np.all(slack[off] > 0)


def test_dual_variables_that_agree_with_their_bounds_to_all_digits():
    """At depth 8 from α = 1e-6 they do to 36 digits; the limit is the sparsest vector, and the network ends there."""
    flow = lr.GradientFlow(lr.inits.tied_diagonal(15, 1e-6, depth=8), lr.Problem(X, Y))
    found = lr.limit(flow)
    pursuit, _ = potentials.basis_pursuit(X, Y)
    np.testing.assert_allclose(found.value, pursuit, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.net.beta, found.value, rtol=0, atol=1e-12)
    along = lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(15, 1.0, depth=8), lr.Problem(X, Y)), scales=[1e-6, 1.0])
    np.testing.assert_allclose(along.value[0], found.value, rtol=0, atol=1e-12)


# sides of a coordinate up to 16 decades apart: two-sided, one-sided, unrelated, labels of zero, features in other units
UNEVEN = {
    "refused with KKT 1e-4": ([[0.7, -1.2, 0.4, 0.9]], [0.8], [1e-8, 1e-3, 1e3, 1e6], [1e5, 1e-6, 1e2, 1e-2]),
    "stuck far away": ([[0.7, -1.2, 0.4], [0.3, 0.5, -0.6]], [0.8, -0.4], [1e-9, 3e-6, 2e-1], [1e-9, 3e-6, 2e-1]),
    "one side": ([[0.7, 1.2, 0.4], [0.3, 0.5, -0.6]], [0.8, 0.4], [1e-7, 3e-4, 2e-1], [1e-7, 0.0, 2e-1]),
    "units": ([[7e3, -1.2, 4e-4], [3e3, 0.5, -6e-4]], [0.8, -0.4], [1e-8, 3e-2, 2e3], [1e-8, 3e-2, 2e3]),
    # accepted with a certificate of 5e-16 while 3e-5 of it was wrong
    "no labels": ([[-1.1, 0.06, 0.85], [0.8, -0.56, 0.03]], [0.0, 0.0], [4.8, 3e-3, 44.2], [4.8, 3e-3, 0.0]),
}


@pytest.mark.parametrize("depth", [2, 3, 4])
@pytest.mark.parametrize("name", UNEVEN)
def test_coordinates_of_very_different_scales(name, depth):
    X, y, plus, minus = (np.array(part) for part in UNEVEN[name])
    sides = np.stack([plus, minus])
    found = lr.limit(lr.GradientFlow(lr.Diagonal([sides], power=depth), lr.Problem(X, y), 1.3))
    right = minimizer(X, y, sides, depth, 1.3)
    assert right is not None
    np.testing.assert_allclose(found.value, right, rtol=0, atol=1e-9 * np.max(np.abs(right)))


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("name", UNEVEN)
def test_coordinates_of_very_different_scales_inside_jit(name, depth):
    """The quicker method that is traced gives the same answer, or refuses: it is never wrong in silence."""
    X, y, plus, minus = (np.array(part) for part in UNEVEN[name])
    sides = np.stack([plus, minus])

    def value(y):
        return lr.limit(lr.GradientFlow(lr.Diagonal([sides], power=depth), lr.Problem(X, y), 1.3)).value

    try:
        found = np.asarray(jax.jit(value)(y))
    except RuntimeError:
        return
    np.testing.assert_allclose(found, value(y), rtol=0, atol=1e-8 * np.max(np.abs(value(y))))


def test_zero_labels_that_determine_the_limit():
    """As many samples as features: the limit is zero, whatever rounding leaves of a start of 1e15."""
    X = [[-0.78614757, 0.57848717, -1.35293946], [0.16986295, -1.4445437, 0.61191403], [1.74599473, 0.40301483, -0.109]]
    sides = [[3.98e-02, 3.2069e02, 1.2284e-01], [1.1521303e05, 1.6658e-06, 3.0734e-05]]
    found = lr.limit(lr.GradientFlow(lr.Diagonal([sides], power=3), lr.Problem(X, np.zeros(3)), 0.69))
    assert np.max(np.abs(found.value)) < 1e-100


def test_a_limit_that_rounding_decides_is_refused():
    """Two features that differ in the last digit share a label: the dual bounds of both are equal to rounding."""
    flow = lr.GradientFlow(lr.inits.tied_diagonal(2, 1e-10, depth=4), lr.Problem([[1.0, 1.0 + 2.0**-51]], [1.0]))
    with pytest.raises(RuntimeError, match=r"could not be certified \(feasibility.*KKT .*needed: 1e-06.*another scale"):
        lr.limit(flow)


def test_convex_programs_refuse_what_has_no_solution():
    with pytest.raises(ValueError, match="no solution"):
        potentials.basis_pursuit([[1.0], [1.0]], [1.0, 2.0])
    for norm in (1, 2):
        with pytest.raises(ValueError, match="separable"):
            potentials.max_margin([[1.0], [-1.0]], norm)
    with pytest.raises(ValueError, match="ℓ1 or the ℓ2"):
        potentials.max_margin([[1.0]], 3)


def test_a_certificate_does_not_measure_a_small_limit_by_a_large_start():
    """The start is 1e4, the limit about 1e-7: an error of 3e-5 of the limit is no rounding of the start."""
    potential = potentials.HyperbolicEntropy(np.log([1e4, 1e4]), np.log([1e-18, 1e-18]))
    wrong = np.array([1e-7, 1e-7 * (1 + 3e-5)])
    z = np.asarray(potential.gradient(wrong))
    assert np.max(np.abs(potential.inverse(0 * z))) > 1e3
    assert float(certify_optimality(potential, np.array([[1.0, -1.0]]), np.zeros(2), wrong, z).feasibility) > 1e-6


def test_a_dead_coordinate_does_not_spoil_the_certificate():
    """It has no side, and its dual variable no end: labels of zero, whose limit takes the safer method."""
    net = lr.Diagonal([[[0.0, 0.1, 0.1], [0.0, 0.5, 0.1]]], power=3)
    found = lr.limit(lr.GradientFlow(net, lr.Problem([[-0.55, 0.38, 0.24], [0.14, -0.57, 1.24]], [0.0, 0.0])))
    np.testing.assert_allclose(found.value, 0.0, atol=1e-20)
    assert float(found.certificate.worst) < 1e-12
