"""Show without this library what fails in Smith 2022 as it is printed."""

# These lines are to be read by others, without annotations.
# mypy: disable-error-code="assignment"

from lazyrich.papers.smith2022.claims.classification import relu_kernel
from lazyrich.papers.smith2022.claims.classification_experiments import (
    accuracy_formula,
    figure_nine,
    samples_of_the_bound,
)
from lazyrich.papers.smith2022.claims.laziness import linearized_homogeneity, many_solutions, time_rescaling
from lazyrich.papers.smith2022.claims.regression import figure_one, order_of_limits, rich_limit
from lazyrich.papers.smith2022.claims.sparse_regression import excess_norm


@time_rescaling.counterexample
def the_second_flow_is_slower() -> None:

    alpha, dt, ends = 4.0, 1e-5, []  # h = w², D = 2, L = ½(h − 9)²
    for scale, start, steps in ((alpha, 1.0, 2000), (1.0, 2.0, 2000), (1.0, 2.0, 8000)):
        w = start
        for _ in range(steps):  # α⁻²L(αh) from w_0 = 1, and α⁻²L(h) from α^{1/2}w_0 = 2
            w -= dt / alpha**2 * scale * (scale * w**2 - 9) * 2 * w
        ends.append(w)
    assert abs(ends[2] - 2 * ends[0]) < 1e-3  # equal up to α^{1/D}, at the time α^{2/D}t
    assert abs(ends[1] - 2 * ends[0]) > 0.01  # at the time t, as printed


@linearized_homogeneity.counterexample
def linearized_anew() -> None:

    alpha, w_0, w = 9.0, 2.0, 2.5  # h = w² − 0, D = 2: h̄(w) = h(w_0) + 2w_0(w − w_0)
    at_w_0 = w_0**2 + 2 * w_0 * (3 * w - w_0)  # h̄(α^{1/2}w) with the same h̄
    anew = (3 * w_0) ** 2 + 2 * (3 * w_0) * (3 * w - 3 * w_0)  # linearized at α^{1/2}w_0
    left = alpha * (w_0**2 + 2 * w_0 * (w - w_0))  # αh̄(w)
    assert left == anew
    assert abs(left - at_w_0) > 10  # printed


@figure_one.counterexample
def the_difference_at_both_scales() -> None:
    import numpy as np

    grid, largest = np.linspace(-2, 2, 41), []
    for alpha in (10.0, 0.1):
        v, w = np.meshgrid(alpha + grid, alpha + grid)
        f, linear = v**2 - w**2, 2 * alpha * (v - w)  # at x = 1, linearized at (α, α)
        largest.append(np.max(np.abs(f - linear)))
    assert np.allclose(largest, 4)  # alike; printed: small at α = 10, large at α = 0.1


@rich_limit.counterexample
def large_and_small_starts() -> None:
    import numpy as np

    X, y, ends = np.array([[1.0, 2.0]]), np.array([2.0]), []  # least ℓ1 norm: (0, 1); least ℓ2 norm: (0.4, 0.8)
    for alpha in (1e-4, 1e2):
        u, v = np.full(2, alpha), np.full(2, alpha)  # β = u² − v²
        for _ in range(20000):
            g = 1e-2 / (1 + 10 * alpha**2) * X.T @ (X @ (u**2 - v**2) - y)
            u, v = u - g * u, v + g * v
        ends.append(u**2 - v**2)
    assert np.allclose(ends[0], [0, 1], atol=0.01)  # α → 0
    assert np.allclose(ends[1], [0.4, 0.8], atol=0.01)  # α → ∞, as printed: not the least ℓ1 norm


@order_of_limits.counterexample
def nothing_happens_in_time() -> None:
    import numpy as np

    X, y, ends = np.array([[1.0, 2.0]]), np.array([2.0]), []
    for alpha in (1e-2, 1e-3, 1e-4):
        u, v = np.full(2, alpha), np.full(2, alpha)  # β = u² − v²
        for _ in range(50):  # up to the same time for every α
            g = 1e-2 * X.T @ (X @ (u**2 - v**2) - y)
            u, v = u - g * u, v + g * v
        ends.append(np.linalg.norm(u**2 - v**2))
    assert np.allclose(np.divide(ends[1:], ends[:-1]), 0.01, rtol=0.1)  # as α²: lim_{α→0} first gives 0


@accuracy_formula.counterexample
def the_error_and_not_the_accuracy() -> None:
    import numpy as np

    y, f = np.array([1, 1, -1, -1, -1]), np.array([2.0, 0.5, -1.0, -3.0, 4.0])  # four of five are right
    printed, accuracy = np.mean(y * f <= 0), np.mean(np.sign(f) == y)
    assert accuracy == 0.8
    assert np.isclose(printed, 1 - accuracy)


@samples_of_the_bound.counterexample
def samples_for_a_given_error() -> None:
    from math import ceil, sqrt

    error, needed = 0.1, []
    for n in (10, 100, 1000):
        needed.append(ceil(n / error**2 - 1e-6))  # the least N with √(n/N) ≤ error
        assert sqrt(n / needed[-1]) <= error * (1 + 1e-9) < sqrt(n / (0.99 * needed[-1]))
    assert needed == [1000, 10000, 100000]  # O(n); printed: O(n²)


@relu_kernel.counterexample
def the_variance_of_the_outer_layer() -> None:
    import numpy as np

    rng, r_v, r_u, x = np.random.default_rng(0), 2.0, 0.5, np.array([1.0, 1.0])
    v, u = (
        r_v * rng.normal(size=400000),
        r_u * rng.normal(size=(400000, 2)),
    )  # f = v relu(u·x), r_v is a standard deviation
    kernel = np.mean(np.maximum(u @ x, 0) ** 2 + v**2 * (u @ x > 0) * (x @ x))
    assert abs(kernel - (r_u**2 / 2 + r_v**2 / 2) * (x @ x)) < 0.05
    assert abs(kernel - (r_u**2 / 2 + r_v / 2) * (x @ x)) > 1  # printed: v of variance r_v


@many_solutions.counterexample
def linear_convergence_of_the_outputs() -> None:
    import numpy as np

    rng, alpha, t = np.random.default_rng(0), 100.0, 0.0
    X, y = rng.normal(size=(3, 5)), rng.normal(size=3)  # infinitely many solutions
    u, v = np.ones(5), np.ones(5)  # f = αX(u² − v²), trained on ½‖f − y‖²/α²
    rate = 8 * np.linalg.eigvalsh(X @ X.T)[0]  # the least eigenvalue of the tangent kernel at the start
    for _ in range(2000):
        g = 2e-4 * 2 / alpha * X.T @ (alpha * X @ (u**2 - v**2) - y)
        u, v, t = u - g * u, v + g * v, t + 2e-4
        assert np.sum((alpha * X @ (u**2 - v**2) - y) ** 2) <= 1.01 * np.exp(-0.95 * rate * t) * (y @ y)


@excess_norm.counterexample
def below_the_least_norm() -> None:
    import numpy as np
    from scipy.optimize import linprog

    rng, N, n = np.random.default_rng(0), 100, 250
    X, w = rng.normal(size=(N, n)), np.full((2, n), 1e-3)  # β = w₊² − w₋² from α = 1e-3
    y = X[:, :5] @ np.full(5, 5**-0.5) + 0.1 * rng.normal(size=N)
    for _ in range(12000):  # to t = 12: 10⁴ epochs of four batches with the step 3e-4
        w *= 1 + 1e-3 * 4 / N * np.array([[-1.0], [1.0]]) * (X.T @ (X @ (w[0] ** 2 - w[1] ** 2) - y))
    least = linprog(np.ones(2 * n), A_eq=np.hstack([X, -X]), b_eq=y).fun
    assert np.sum(np.abs(w[0] ** 2 - w[1] ** 2)) - least < -0.3  # printed: ≈ +0.8; Xβ = y does not hold yet


@figure_nine.counterexample
def near_chance_from_both_scales() -> None:
    import numpy as np

    rng, T, A = np.random.default_rng(0), lambda z: z.transpose(0, 2, 1), np.eye(2)
    X, k = rng.choice([-1.0, 1.0], (12, 1050, 20)), rng.integers(0, 4, (12, 1050))  # 12 data sets, 50 to train
    X[..., :2], y = np.vstack([A, -A])[k], np.where(k % 2 == 0, 1.0, -1.0)[..., None]  # ±e₁ or ±e₂ decides
    for r in (0.1, 1.0):
        u, v, A = r * rng.normal(size=(12, 20, 10)), r * rng.normal(size=(12, 10, 1)), X[:, :50]
        for _ in range(1200):  # descent of the logistic loss
            g = 0.002 * y[:, :50] / (1 + np.exp(y[:, :50] * ((z := np.maximum(A @ u, 0)) @ v)))
            u, v = u + T(A) @ ((z > 0) * g) * T(v), v + T(z) @ g
        assert 0.45 < np.mean(y[:, 50:] * (np.maximum(X[:, 50:] @ u, 0) @ v) > 0) < 0.57  # near chance, from both
