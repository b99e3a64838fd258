"""Show without this library what fails in Varre et al. 2023 as it is printed."""

# These lines are to be read by others, without annotations.
# mypy: disable-error-code="assignment"

from lazyrich.papers.varre2023.claims.anisotropic import anisotropic_gradient
from lazyrich.papers.varre2023.claims.convergence import convexity
from lazyrich.papers.varre2023.claims.discrete_steps import discrete_directions, discrete_step
from lazyrich.papers.varre2023.claims.experiments import gaussian_start
from lazyrich.papers.varre2023.claims.mirror_flow import mirror_on_singular_values, nuclear_norm_asymptote, scalar_flow
from lazyrich.papers.varre2023.claims.noise_alignment import lyapunov_exponents, normalized_commutator
from lazyrich.papers.varre2023.claims.noise_scale import any_spectrum, jensen, scale_constant
from lazyrich.papers.varre2023.claims.reduction import alpha, reduced_start, woodbury
from lazyrich.papers.varre2023.claims.spectral_bias import descent
from lazyrich.papers.varre2023.claims.white_data import gap_equation, jump, residual_times_alpha


@reduced_start.counterexample
def the_start_is_scaled() -> None:
    import numpy as np

    gamma = 0.01
    P = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    start = np.sqrt(2 * gamma) * P @ P.T
    assert np.allclose(start, np.sqrt(2 * gamma) * np.eye(3))
    assert np.max(np.abs(start - np.eye(3))) > 0.8  # printed: = I


@woodbury.counterexample
def the_sign_of_the_second_term() -> None:
    import numpy as np

    alpha = 0.2 * np.random.default_rng(0).normal(size=(4, 2))
    inverse = np.linalg.inv(np.eye(4) - alpha @ alpha.T)
    second = alpha @ np.linalg.inv(np.eye(2) - alpha.T @ alpha) @ alpha.T
    assert np.allclose(inverse, np.eye(4) + second)
    assert np.max(np.abs(inverse - (np.eye(4) - second))) > 0.05  # printed


@alpha.counterexample
def beta_and_not_its_derivative() -> None:
    import numpy as np

    gamma, dt, target = 0.1, 1e-4, np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    Z_1, Z_2 = np.sqrt(2 * gamma) * np.eye(3), np.zeros((3, 2))
    for _ in range(5000):  # (3.4) with XᵀX = I
        R = target - Z_1 @ Z_2
        Z_1, Z_2 = Z_1 + dt * R @ Z_2.T, Z_2 + dt * Z_1.T @ R
    alpha, R = np.linalg.inv(Z_1).T @ Z_2, target - Z_1 @ Z_2
    right = np.linalg.inv(np.eye(3) - alpha @ alpha.T) @ alpha
    assert np.allclose(Z_1 @ Z_2, 2 * gamma * right, atol=1e-2)  # β
    assert np.max(np.abs(R @ Z_2.T @ Z_2 + Z_1 @ Z_1.T @ R - right)) > 0.3  # printed: β′


@scalar_flow.counterexample
def where_the_transposes_are() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    Z_1, alpha, r = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    Z_2 = Z_1.T @ alpha  # β = Z_1Z_2 under Z_1′ = rZ_2ᵀ, Z_2′ = Z_1ᵀr
    beta_speed = np.outer(r, Z_2) @ Z_2 + Z_1 @ Z_1.T @ r
    true, printed = Z_1 @ Z_1.T, Z_1.T @ Z_1
    assert np.allclose(np.outer(r, Z_2), np.outer(r, alpha) @ Z_1)
    assert np.allclose(beta_speed, true @ r + (alpha @ true @ alpha) * r)
    assert np.max(np.abs(beta_speed - printed @ r - (alpha @ printed @ alpha) * r)) > 0.1


@residual_times_alpha.counterexample
def the_last_term() -> None:
    import numpy as np

    rng, gamma = np.random.default_rng(0), 0.1
    alpha, R = 0.3 * rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
    Q, I, C = 2 * gamma * np.linalg.inv(np.eye(4) - alpha @ alpha.T), np.eye(2), R.T @ alpha  # Q = Z_1Z_1ᵀ
    beta_speed, alpha_speed = Q @ R + R @ alpha.T @ Q @ alpha, R - alpha @ R.T @ alpha
    speed, P = R.T @ alpha_speed - beta_speed.T @ alpha, 2 * gamma * np.linalg.inv(I - alpha.T @ alpha)
    assert np.allclose(speed, R.T @ R - C @ C - C @ P - P @ C + 2 * gamma * C)
    assert np.max(np.abs(speed - (R.T @ R - C @ C - C @ P - P @ C + C))) > 0.1  # printed


@gap_equation.counterexample
def the_sign_in_the_last_line() -> None:
    import numpy as np

    rng, gamma, I = np.random.default_rng(0), 0.1, np.eye(2)
    C, G, S = rng.normal(size=(3, 2, 2))  # C = Rᵀα; RᵀR = GGᵀ and P = 2γ(I − αᵀα)⁻¹ = SSᵀ are symmetric
    P = S @ S.T
    speed = G @ G.T - C @ C - C @ P - P @ C + 2 * gamma * C  # of C, by the display before
    gap, M = C - C.T, gamma * I - (C + C.T) / 2 - P
    assert np.allclose(speed - speed.T, M @ gap + gap @ M)
    M = (I - C - C.T) / 2 - P
    assert np.max(np.abs(speed - speed.T - (M @ gap - gap @ M))) > 0.1  # printed


@jump.counterexample
def at_the_jump() -> None:
    import numpy as np

    s, gamma, seen = 1.0, 1e-8, []
    for time in (0.45, 0.5, 0.55):  # in units of log(1/γ): before, at and after 1/(2s)
        x, steps = 0.0, 200000
        dt = time * np.log(1 / gamma) / steps
        for _ in range(steps):
            x += dt * 2 * np.sqrt(x * x + gamma**2) * (s - x)
        seen.append(x)
    assert seen[0] < 0.25 < seen[1] < 0.4 < seen[2]
    assert abs(seen[1] - s / (1 + 2 * s)) < 1e-3  # printed: s, and 0 in the main text


@discrete_step.counterexample
def one_step_of_descent() -> None:
    import numpy as np

    rng, eta = np.random.default_rng(0), 0.1
    X, Y, W, a = rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=(3, 3)), rng.normal(size=3)
    R, S = X.T @ (Y - X @ W @ a), X.T @ X
    after, W_after = a + eta * W.T @ R, W + eta * np.outer(R, a)  # a step of descent on ½‖XWa − Y‖²
    first = R - eta * S @ (W @ W.T + (a @ a) * np.eye(3)) @ R
    assert np.allclose(X.T @ (Y - X @ W_after @ after), first - eta**2 * (a @ W.T @ R) * (S @ R))
    assert np.max(np.abs(after - (a + eta * W.T @ a))) > 0.1  # printed


@convexity.counterexample
def the_inequality_is_reversed() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    X, beta_star, beta = rng.normal(size=(5, 3)), rng.normal(size=3), rng.normal(size=3)
    loss = np.sum((X @ (beta - beta_star)) ** 2) / 2
    inner = X.T @ (X @ beta - X @ beta_star) @ (beta - beta_star)
    assert np.isclose(inner, 2 * loss)
    assert inner > 1.5 * loss > 1  # printed: ⟨∇L(β), β − β*⟩ ≤ L(β)


@anisotropic_gradient.counterexample
def the_order_of_the_factors() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    Z_1, Z_2 = rng.normal(size=(2, 3, 3))
    D = Z_1.T @ Z_1 - Z_2 @ Z_2.T  # the imbalance
    inverse = np.linalg.inv(Z_1).T
    assert np.allclose(inverse @ Z_2 @ Z_2.T, Z_1 - inverse @ D)
    assert np.max(np.abs(inverse @ Z_2 @ Z_2.T - (Z_1 - D @ inverse))) > 0.1  # printed


@mirror_on_singular_values.counterexample
def the_half_of_the_second_term() -> None:
    import numpy as np

    x, gamma, eps = 1.5, 0.3, 1e-6
    slopes = []
    for half in (0.5, 1.0):  # of the root
        up, down = ((t * np.arcsinh(t / gamma)) / 2 - half * np.hypot(t, gamma) for t in (x + eps, x - eps))
        slopes.append((up - down) / (2 * eps))
    assert np.isclose(slopes[0], np.arcsinh(x / gamma) / 2)  # the gradient that the proof needs
    assert abs(slopes[1] - np.arcsinh(x / gamma) / 2) > 0.4  # printed


@nuclear_norm_asymptote.counterexample
def half_of_the_logarithm() -> None:
    import numpy as np

    D, ratios = np.array([3.0, 1.0, 0.5]), []
    for gamma in (1e-50, 1e-100, 1e-200):
        psi = np.sum(D * np.arcsinh(D / gamma) - np.hypot(D, gamma)) / 2
        ratios.append(psi / (np.log(1 / gamma) * np.sum(D)))
    assert all(abs(ratio - 0.5) < 0.01 for ratio in ratios)  # printed: 1


@scale_constant.counterexample
def negative_at_dimension_five() -> None:
    from math import sqrt

    d, alpha = 5, 0.01
    assert sqrt(d) + (alpha - 1) * (sqrt(d) + 1) ** 2 / (2 * sqrt(d)) < -0.05  # printed: > c_0 > 0
    assert all(sqrt(d) - (sqrt(d) + 1) ** 2 / (2 * sqrt(d)) > 0 for d in range(6, 1000))  # d ≥ 6


@jensen.counterexample
def the_exponent_of_d() -> None:
    import numpy as np

    w = np.random.default_rng(0).normal(size=(6, 4))
    alpha, d = 0.5, len(w)
    rows = np.sum(w**2, axis=1)
    assert np.sum(rows) ** alpha >= d ** (alpha - 1) * np.sum(rows**alpha)
    assert np.sum(rows) ** alpha < d ** (1 - alpha) * np.sum(rows**alpha)  # printed: ≥


@discrete_directions.counterexample
def the_residual_falls() -> None:
    import numpy as np

    eta, W, a, target = 0.1, np.eye(3), np.zeros(3), np.array([1.0, 2.0, 2.0])  # XᵀX = I
    R = target - W @ a
    norms = [np.linalg.norm(R)]
    for _ in range(20):
        a, W = a + eta * W.T @ R, W + eta * np.outer(R, a)
        R = target - W @ a
        norms.append(np.linalg.norm(R))
    assert norms == sorted(norms, reverse=True)  # printed: R_t only grows in norm
    assert norms[-1] < 0.01 * norms[0]


@descent.counterexample
def the_residual_rises_on_the_way() -> None:
    import numpy as np

    X, best = np.diag([1.0, 0.42]), np.array([[0.004, 0.434], [-0.917, -0.629]]) / 1.194
    W1, W2, sizes = np.sqrt(2e-7) * np.eye(2, 3), np.zeros((3, 2)), []  # γ = 1e-7
    for _ in range(8000):  # gradient flow of ½‖X(W₁W₂ − best)‖² in small steps
        R = X.T @ X @ (best - W1 @ W2)
        W1, W2 = W1 + 5e-3 * R @ W2.T, W2 + 5e-3 * W1.T @ R
        sizes.append(np.sum(R**2))
    assert np.max(np.array(sizes[200:]) / sizes[:-200]) > 1.01  # printed: it falls, at the rate 2γλ_min or faster


@gaussian_start.counterexample
def variance_for_standard_deviation() -> None:
    import numpy as np

    rng, ratios = np.random.default_rng(0), []
    Y = np.linalg.qr(rng.normal(size=(10, 3)))[0] * [4.0, 2.5, 1.2]  # d = 10 inputs, X = I, rank k = 3
    for deviation in (0.1, 0.01):  # variance 0.01, as printed; standard deviation 0.01
        W1, W2 = deviation * rng.normal(size=(10, 200)), np.zeros((200, 3))
        for _ in range(1500):  # gradient flow of ½‖W₁W₂ − Y‖² in small steps
            W1, W2 = W1 + 0.01 * (Y - W1 @ W2) @ W2.T, W2 + 0.01 * W1.T @ (Y - W1 @ W2)
        ratios.append(np.divide(*np.linalg.svd(W1, compute_uv=False)[[3, 2]]))
    assert ratios[0] > 0.7 and ratios[1] < 0.3  # σ₄/σ₃: only the second is nearly of rank 3


@any_spectrum.counterexample
def one_noise_for_the_others() -> None:
    import numpy as np

    D, rng, h, means = np.array([1.0, 0.05, 0.05, 0.05, 0.05]), np.random.default_rng(0), 0.1, []
    y = np.eye(6)[5][:, None] * np.ones(4000)  # w = 0, a = 1; dw_j = d_j a dB_j, da = Σ d_j w_j dB_j
    for _ in range(200):  # exact steps of each noise, and of the drift of their Stratonovich form
        for j, b in enumerate(D[:, None] * np.sqrt(h) * rng.normal(size=(5, 4000))):
            y[j], y[5] = np.cosh(b) * y[j] + np.sinh(b) * y[5], np.sinh(b) * y[j] + np.cosh(b) * y[5]
        y *= np.exp(-h / 2 * np.append(D**2, D @ D))[:, None]
        means.append(np.mean(np.abs(y[5]) ** 0.5))
    assert means[199] < 0.5 * means[49]  # E|a|^½ falls from t = 5 to t = 20; by proposition 4.1 (b) it diverges


@lyapunov_exponents.counterexample
def the_second_singular_value_grows() -> None:
    import numpy as np

    rng, d, h, values = np.random.default_rng(0), 12, 0.1, []
    y = np.eye(13, 12)  # W = I and a = 0; dw_j = a dB_j, da = Σ w_j dB_j
    for _ in range(200):  # exact steps of each noise, and of the drift of their Stratonovich form
        for j, b in enumerate(np.sqrt(h) * rng.normal(size=d)):
            y[j], y[d] = np.cosh(b) * y[j] + np.sinh(b) * y[d], np.sinh(b) * y[j] + np.cosh(b) * y[d]
        y *= np.exp(-h / 2 * np.append(np.ones(d), d))[:, None]
        values.append(np.linalg.svd(y[:d], compute_uv=False)[1])
    assert values[199] > 10 * values[49] > 10  # the second one; printed: all but the top one decay to 0


@normalized_commutator.counterexample
def the_commutator_itself_grows() -> None:
    import numpy as np

    rng, d, h, values = np.random.default_rng(0), 12, 0.1, []
    y = np.eye(13, 12)  # W = I and a = 0; dw_j = a dB_j, da = Σ w_j dB_j
    for _ in range(200):  # exact steps of each noise, and of the drift of their Stratonovich form
        for j, b in enumerate(np.sqrt(h) * rng.normal(size=d)):
            y[j], y[d] = np.cosh(b) * y[j] + np.sinh(b) * y[d], np.sinh(b) * y[j] + np.cosh(b) * y[d]
        y *= np.exp(-h / 2 * np.append(np.ones(d), d))[:, None]
        values.append(np.linalg.norm(np.outer(y[0], y[d]) - np.outer(y[d], y[0])))
    assert values[199] > 100 * values[49]  # printed: [w₁, a] → 0; its share of ‖w₁‖‖a‖ does
