"""The solver on data as they come: dependent, inconsistent, badly scaled, tall, single; scales down to e^−3450."""

import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest

import lazyrich as lr
from lazyrich import potentials

RNG = np.random.default_rng(1)
X, Y = RNG.normal(size=(6, 15)), RNG.normal(size=6)


def checked(X, y, alpha=0.05):
    """The limit, with what must be true of it looked at from outside: the gradient of the loss, and the mirror map."""
    X, y = np.asarray(X, float), np.asarray(y, float)
    found = lr.limit(lr.GradientFlow(lr.inits.ones(X.shape[1], alpha), lr.Problem(X, y)))
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
        beta, z = potentials.project(X, Y, q)
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
        beta, _ = potentials.project(X, y, potentials.HyperbolicEntropy.from_k(jnp.full(15, -3450.0)))
        pursuit, _ = potentials.basis_pursuit(X, y)
        assert float(jnp.max(jnp.abs(X @ beta - y))) < 1e-13
        assert float(jnp.sum(jnp.abs(beta))) < np.sum(np.abs(pursuit)) * 1.001


def test_how_fast_the_rich_limit_is_reached():
    """Off the support of basis pursuit β_i falls like (√k)^{1 − |x_i·ν|}, ν the dual of the linear programme: a power
    of k, and a small one where the constraint is nearly tight."""
    pursuit, nu = potentials.basis_pursuit(X, Y)
    slack = 1 - np.abs(X.T @ nu)
    off = pursuit == 0
    logs = np.array([-60.0, -65.0])  # log α, with √k ∝ α²
    path = lr.limit(lr.GradientFlow(lr.inits.ones(15, 1.0), lr.Problem(X, Y)), scales=np.exp(logs))
    beta = np.abs(np.asarray(path.value))[:, off]
    slopes = np.log(beta[0] / beta[1]) / (2 * (logs[0] - logs[1]))
    np.testing.assert_allclose(slopes, slack[off], atol=1e-3)
    assert np.all(slack[off] > 0)


def test_a_scale_that_float64_cannot_resolve_is_refused():
    """At depth 8 from α = 1e-6 the dual variables agree with their bound to more digits than there are."""
    flow = lr.GradientFlow(lr.inits.ones(15, 1e-6, depth=8), lr.Problem(X, Y))
    with pytest.raises(RuntimeError, match=r"could not be certified.*another scale"):
        lr.limit(flow)


def test_convex_programmes_refuse_what_has_no_solution():
    with pytest.raises(ValueError, match="no solution"):
        potentials.basis_pursuit([[1.0], [1.0]], [1.0, 2.0])
    for norm in (1, 2):
        with pytest.raises(ValueError, match="separable"):
            potentials.max_margin([[1.0], [-1.0]], norm)
    with pytest.raises(ValueError, match="ℓ1 or the ℓ2"):
        potentials.max_margin([[1.0]], 3)
