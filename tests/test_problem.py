import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse

import lazyrich as lr

rng = np.random.default_rng(0)


def test_bad_input_is_refused_with_a_reason():
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match=r"found 3 rows in X and 2 in y. If samples are the columns of X, pass X.T"):
        lr.Problem(X, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"X has 1 entries that are NaN or infinite, the first at \(1, 0\)"):
        lr.Problem([[1.0], [np.nan]], [1.0, 2.0])
    with pytest.raises(ValueError, match="y has 1 entries that are NaN or infinite"):
        lr.Problem([[1.0], [2.0]], [1.0, np.inf])
    with pytest.raises(ValueError, match=r"X must have 2 axes; found shape \(3,\)"):
        lr.Problem(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match=r"X is empty: found shape \(0, 2\)"):
        lr.Problem(np.ones((0, 2)), np.ones(0))
    with pytest.raises(ValueError, match="kappa must be positive; found -1"):
        lr.Problem(X, np.ones(3), kappa=-1)
    with pytest.raises(ValueError, match=r"Logistic loss needs labels −1 and \+1; found values from 0 to 1"):
        lr.Problem(X, [0.0, 1.0, 1.0], lr.Logistic())
    with pytest.raises(TypeError, match="loss must be Square"):
        lr.Problem(X, np.ones(3), loss="square")
    with pytest.raises(ValueError, match="X must be a real array; found list"):
        lr.Problem([["a"]], [1.0])


def test_complex_numbers_are_refused():
    with pytest.raises(ValueError, match="X must be a real array; found list: its numbers are complex"):
        lr.Problem([[1j]], [1.0])


def test_what_holds_no_real_numbers_is_refused_in_our_words():
    torch = pytest.importorskip("torch")

    grad = torch.ones(2, 1, requires_grad=True)
    masked = np.ma.array([[1.0], [2.0]], mask=[[True], [False]])
    for X, reason in [
        (None, "found NoneType: some entries are no real numbers, None for one"),
        ("ab", "found str: its entries are of type <U2"),
        ([["1.5"]], "found list: its entries are of type <U3"),
        ({"a": 1}, "found dict: some entries are no real numbers"),
        ([[1.0], [1.0, 2.0]], r"found list: .*inhomogeneous.*\. Give numbers, in rows of equal length"),
        (object(), "found object: some entries are no real numbers"),
        ([[10**400]], "found list: int too large to convert to float"),
        (scipy.sparse.eye(2).tocsr(), "found csr_matrix: some entries are no real numbers"),
        (np.array([["2020-01-01"]], "M8[D]"), "found ndarray: its entries are of type datetime64"),
        (jax.random.key(0), "its entries are of type key"),
        (True, "found bool: True is no number"),
        (masked, "some entries are masked; fill or drop them first"),
        (grad, r"found Tensor: .*detach\(\)"),
    ]:
        with pytest.raises(ValueError, match=f"X must be a real array; .*{reason}"):
            lr.Problem(X, [1.0, 2.0])
    with pytest.raises(ValueError, match="kappa must be one number; found shape"):
        lr.Problem(np.eye(2), [1.0, 2.0], kappa=[1.0, 2.0])
    with pytest.raises(ValueError, match="kappa must be finite; found nan"):
        lr.Problem(np.eye(2), [1.0, 2.0], kappa=np.nan)
    with pytest.raises(ValueError, match=r"X must have 2 axes; found shape \(2, 2, 2\)"):
        lr.Problem(np.ones((2, 2, 2)), [1.0, 2.0])


def test_containers_are_welcome():
    torch = pytest.importorskip("torch")

    for X in (
        torch.eye(2),
        [jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])],
        np.eye(2, dtype=bool),
        jnp.eye(2, dtype="bfloat16"),
    ):
        assert np.array_equal(lr.Problem(X, [1, 2]).X, np.eye(2))
    traced = jax.jit(lambda a: lr.Problem([[a, 0.0], [0.0, a]], [1.0, a]).X)(1.0)
    assert np.array_equal(traced, np.eye(2))


def test_integers_are_welcome():
    problem = lr.Problem(np.array([[1, 2], [3, 4]]), np.array([1, 0]))
    assert problem.X.dtype == problem.y.dtype == jnp.float64


@pytest.mark.parametrize("kappa", [1.0, 1 / 7, 2 / 7])
def test_square_loss_in_the_sources_normalizations(kappa):
    X, y, beta = rng.normal(size=(7, 3)), rng.normal(size=7), rng.normal(size=3)
    residual = X @ beta - y
    assert float(lr.Problem(X, y, kappa=kappa).value(jnp.asarray(X @ beta))) == pytest.approx(
        kappa * 0.5 * residual @ residual
    )


@pytest.mark.parametrize("loss", [lr.Square(), lr.Logistic(), lr.Exponential()])
def test_slope_is_the_derivative(loss):
    y = np.sign(rng.normal(size=6))
    problem = lr.Problem(rng.normal(size=(6, 2)), y, loss, kappa=0.7)
    f = jnp.asarray(rng.normal(size=6))
    assert np.allclose(problem.slope(f), jax.grad(problem.value)(f), rtol=1e-13)


def test_margin_losses_do_not_overflow():
    problem = lr.Problem([[1.0], [1.0]], [1.0, -1.0], lr.Logistic())
    assert float(problem.value(jnp.array([-1e8, 0.0]))) == pytest.approx(1e8)
    assert np.all(np.isfinite(problem.slope(jnp.array([-1e8, 1e8]))))


def test_least_squares_and_null_space():
    X = rng.normal(size=(5, 8)) @ np.diag([1, 1, 1, 1, 0, 0, 1, 1])
    X[4] = X[3]  # duplicate rows: rank 4
    y = rng.normal(size=(5, 2))
    problem = lr.Problem(X, y)
    assert problem.rank == 4
    assert np.allclose(problem.min_norm_solution, np.linalg.pinv(X) @ y, atol=1e-12)
    assert np.allclose(problem.null_projector, np.eye(8) - np.linalg.pinv(X) @ X, atol=1e-12)
    N = problem.null_space_basis
    assert N.shape == (8, 4)
    assert np.allclose(N.T @ N, np.eye(4), atol=1e-12)
    assert np.allclose(X @ N, 0, atol=1e-12)
    assert np.allclose(N @ N.T, problem.null_projector, atol=1e-12)
    assert problem.interpolation_defect() > 0.01  # two labels for the same input


def test_defects():
    X = np.linalg.qr(rng.normal(size=(6, 3)))[0]
    assert lr.Problem(X, np.ones(6)).whitening_defect() < 1e-15
    assert lr.Problem(X, np.ones(6), kappa=2.0).whitening_defect() == pytest.approx(1.0)
    assert lr.Problem(2 * X, np.ones(6), kappa=0.25).whitening_defect() < 1e-15
    assert lr.Problem(X, X @ [1.0, 2.0, 3.0]).interpolation_defect() < 1e-15
    assert lr.Problem(X, np.zeros(6)).interpolation_defect() == 0


def test_separability_is_measured_by_the_smallest_hinge_loss():
    X = np.array([[1.0], [2.0], [-1.0], [-3.0]])
    assert lr.Problem(X, [1, 1, -1, -1], lr.Logistic()).interpolation_defect() == pytest.approx(0, abs=1e-9)
    # one label flipped: the best β gives (1 − y x β)₊; brute force over a grid of β
    y = np.array([1.0, 1.0, -1.0, 1.0])
    brute = min(np.mean(np.maximum(0, 1 - y * X[:, 0] * b)) for b in np.linspace(-3, 3, 6001))
    assert lr.Problem(X, y, lr.Exponential()).interpolation_defect() == pytest.approx(brute, abs=1e-3)
    assert brute > 0.1


@pytest.mark.parametrize("kappa", [1.0, 0.25])
def test_whitening(kappa):
    X, y = rng.normal(size=(7, 3)) * [1.0, 10.0, 0.1], rng.normal(size=7)
    problem = lr.Problem(X, y, kappa=kappa)
    white = problem.whiten()
    assert white.whitening_defect() < 1e-13
    # the same least-squares fit in other coordinates
    assert np.allclose(white.X @ white.min_norm_solution, X @ problem.min_norm_solution, atol=1e-12)
    values, vectors = np.linalg.eigh(kappa * X.T @ X)
    assert np.allclose(white.X, X @ (vectors / np.sqrt(values)) @ vectors.T, atol=1e-10)
    with pytest.raises(ValueError, match="X has rank 1 but 2 features"):
        lr.Problem([[1.0, 1.0], [2.0, 2.0]], [1.0, 2.0]).whiten()


@pytest.mark.parametrize("c", [None, 2])
def test_compression_keeps_every_loss(c):
    X, y = rng.normal(size=(50, 3)), rng.normal(size=(50, c) if c else 50)
    problem = lr.Problem(X, y, kappa=0.3)
    short = problem.compress()
    assert short.n == 3 + (c or 1)
    for _ in range(3):
        beta = rng.normal(size=(3, c) if c else 3)
        assert float(short.value(short.X @ beta)) == pytest.approx(float(problem.value(problem.X @ beta)), rel=1e-12)
    logistic = lr.Problem(X, np.sign(X[:, 0]), lr.Logistic())
    assert logistic.compress() is logistic


@pytest.mark.parametrize("scale", [1e-12, 1e-8, 1e8])
def test_scales(scale):
    X, y = rng.normal(size=(4, 6)), rng.normal(size=4)
    problem = lr.Problem(scale * X, y)
    assert problem.rank == 4
    assert np.allclose(problem.min_norm_solution * scale, np.linalg.pinv(X) @ y, rtol=1e-9)
    assert problem.interpolation_defect() < 1e-12
