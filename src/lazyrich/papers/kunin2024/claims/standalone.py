"""Show without this library what fails in Kunin et al. 2024 as it is printed."""

# These lines are to be read by others, without annotations.
# mypy: disable-error-code="assignment"

from lazyrich.papers.kunin2024.claims.aligned_modes import lemma_10_deficiency, lemma_10_hypothesis
from lazyrich.papers.kunin2024.claims.deep_bias import deep_inverse
from lazyrich.papers.kunin2024.claims.deep_networks import definition_12_is_downstream, lemma_13_exponent
from lazyrich.papers.kunin2024.claims.experiments import figure_1_scaling, laplacian_kernel, smoothness_is_roughness
from lazyrich.papers.kunin2024.claims.isotropic import m_for_large_delta
from lazyrich.papers.kunin2024.claims.isotropic_parameters import one_output_system
from lazyrich.papers.kunin2024.claims.isotropic_starts import (
    gaussian_is_balanced,
    gaussian_is_isotropic,
    hyperboloid_pieces,
)
from lazyrich.papers.kunin2024.claims.linear_networks import wide_conservation_in_the_appendix
from lazyrich.papers.kunin2024.claims.linear_regions import two_colors
from lazyrich.papers.kunin2024.claims.network_regimes import balanced_is_rich
from lazyrich.papers.kunin2024.claims.neuron_balanced import balanced_mu
from lazyrich.papers.kunin2024.claims.neuron_basins import basins_with_rates
from lazyrich.papers.kunin2024.claims.neuron_downstream import omega_bernoulli
from lazyrich.papers.kunin2024.claims.neuron_dynamics import (
    cosine_of_beta,
    rates_absorbed_in_parameters,
    through_w_zero,
)
from lazyrich.papers.kunin2024.claims.neuron_flow import mu_is_invariant
from lazyrich.papers.kunin2024.claims.neuron_mirror_flow import mirror_multiplier
from lazyrich.papers.kunin2024.claims.neuron_regimes import upstream_separation
from lazyrich.papers.kunin2024.claims.neuron_unseen import never_zero
from lazyrich.papers.kunin2024.claims.piecewise_width import law_of_delta, small_scale_downstream_is_lazy


@wide_conservation_in_the_appendix.counterexample
def drift_with_two_rates() -> None:
    import numpy as np

    rng, eta_a, eta_w = np.random.default_rng(0), 1.0, 3.0
    A, W, G = rng.normal(size=(3, 2)), rng.normal(size=(3, 4)), rng.normal(size=(4, 2))  # G = Xᵀ(Xβ − Y)
    dA, dW = -eta_a * W @ G, -eta_w * A @ G.T  # gradient flow
    outer, inner = dA @ A.T + A @ dA.T, dW @ W.T + W @ dW.T  # the derivatives of AAᵀ and WWᵀ
    assert np.max(np.abs(outer - inner)) > 1  # printed: 0
    assert np.max(np.abs(eta_w * outer - eta_a * inner)) < 1e-12


@balanced_is_rich.counterexample
def balanced_and_lazy() -> None:
    import numpy as np

    w = np.tile(np.random.default_rng(0).normal(size=(5, 3)), (2, 1))
    w *= 10 / np.linalg.norm(w, axis=1, keepdims=True)
    a, beta = 10 * np.repeat([1.0, -1.0], 5), np.array([1.0, 2.0, 3.0])  # δ_k = a_k² − ‖w_k‖² = 0, and β(0) = 0
    kernel = (a @ a) * np.eye(3) + w.T @ w
    for _ in range(1000):  # gradient flow of ½‖Σ a_k w_k − β*‖² in small steps
        r = beta - a @ w
        a, w = a + 1e-4 * w @ r, w + 1e-4 * np.outer(a, r)
    assert np.linalg.norm(r) < 1e-6  # it has learned
    assert np.linalg.norm((a @ a) * np.eye(3) + w.T @ w - kernel) < 0.01 * np.linalg.norm(kernel)  # and is lazy


@m_for_large_delta.counterexample
def a_positive_matrix() -> None:
    import numpy as np

    A, W, I = 0.01 * np.eye(2), 10 * np.eye(2), np.eye(2)
    delta = (A @ A.T - W @ W.T)[0, 0]  # AAᵀ − WWᵀ = δI with δ = −99.9999
    M = np.kron(I, A.T @ A) + np.kron(W.T @ W, I)  # of two inputs and two outputs
    assert np.max(np.abs(M - abs(delta) * np.eye(4))) < 1e-3
    assert np.min(np.linalg.eigvalsh(M - delta * np.eye(4))) > 199  # printed: M → δI


@one_output_system.counterexample
def speed_of_one_neuron() -> None:
    import numpy as np

    a, w, beta = 2.0, np.array([1.0, 0.0]), np.array([3.0, 4.0])  # ‖β*‖ = 5
    r, norm = beta - a * w, np.linalg.norm(w)
    speed = (w @ r) * norm + a * (w @ (a * r)) / norm  # μ = a‖w‖ under ȧ = w·r, ẇ = ar
    delta, mu, cosine = a**2 - norm**2, a * norm, w @ beta / (norm * np.linalg.norm(beta))
    rate = np.sqrt(delta**2 + 4 * mu**2)
    assert np.isclose(speed, rate * (np.linalg.norm(beta) * cosine - mu))
    assert not np.isclose(speed, rate * (cosine - mu), rtol=0.5)  # printed


@gaussian_is_isotropic.counterexample
def norm_of_the_imbalance() -> None:
    import numpy as np

    for h in (100, 400):
        A, W = np.random.default_rng(h).normal(size=(2, h, h)) / np.sqrt(h)  # variances 1/h: δ = 1 − 1 = 0
        gap = A @ A.T - W @ W.T
        assert np.max(np.abs(gap)) < 8 / np.sqrt(h)  # each entry vanishes
        assert np.linalg.norm(gap, 2) > 3  # the matrix does not


@gaussian_is_balanced.counterexample
def norm_of_the_imbalance_between_layers() -> None:
    import numpy as np

    for d in (100, 400):
        W_1, W_2 = np.random.default_rng(d).normal(size=(2, d, d)) / np.sqrt(d)
        gap = W_2.T @ W_2 - W_1 @ W_1.T  # printed: 0 as d → ∞
        assert np.max(np.abs(gap)) < 8 / np.sqrt(d)  # each entry vanishes
        assert np.linalg.norm(gap, 2) > 3  # the matrix does not


@hyperboloid_pieces.counterexample
def two_pieces() -> None:
    import numpy as np

    a, delta = np.random.default_rng(0).normal(size=(100000, 2)), -1.0  # c = 2 outputs, d = 1 input, unit rates
    w = np.sqrt(np.sum(a**2, axis=1) - delta)  # ‖a‖² − w² = δ: w and −w are on the surface
    assert np.min(w) >= 1  # and nothing with |w| < 1: no path leads from one to the other


@definition_12_is_downstream.counterexample
def no_network_with_positive_delta() -> None:
    import numpy as np

    a, delta = np.random.default_rng(0).normal(size=3), 1.0
    gram = np.outer(a, a) - delta * np.eye(3)  # must be W_L W_Lᵀ, which has no negative eigenvalue
    assert np.linalg.eigvalsh(gram)[0] < -0.99 * delta


@lemma_13_exponent.counterexample
def one_matrix_three_inputs() -> None:
    import numpy as np

    rng, L, d = np.random.default_rng(0), 1, 3
    a, W = rng.normal(size=2), rng.normal(size=(2, d))  # β = Wᵀa: one matrix, so no balance is asked for
    squared, gram = np.sum((W.T @ a) ** 2), W @ W.T
    assert np.isclose(squared, a @ np.linalg.matrix_power(gram, L) @ a)
    assert not np.isclose(squared, a @ np.linalg.matrix_power(gram, d) @ a, rtol=0.1)  # printed


@deep_inverse.counterexample
def sherman_morrison_subtracts() -> None:
    import numpy as np

    beta, L = np.array([1.0, 2.0, 2.0]), 2
    b, I, square = np.linalg.norm(beta), np.eye(3), np.outer(beta, beta)
    M = b ** (2 * L / (L + 1)) * I + L * b ** (-2 / (L + 1)) * square
    first, second = b ** (-2 * L / (L + 1)) * I, L / (L + 1) * b ** (-(4 * L + 2) / (L + 1)) * square
    assert np.allclose(M @ (first - second), I)
    assert np.max(np.abs(M @ (first + second) - I)) > 0.5  # printed


@law_of_delta.counterexample
def mean_of_the_conserved_quantity() -> None:
    import numpy as np

    rng, d = np.random.default_rng(0), 10
    a, w = rng.normal(size=100000), rng.normal(size=(100000, d))  # w ~ N(0, I_d), as section 5 has it
    delta = a**2 - np.sum(w**2, axis=1)
    assert abs(np.mean(delta) - (1 - d)) < 0.1  # printed: 0
    assert abs(np.mean(a**2 - np.sum(w**2, axis=1) / d)) < 0.1  # with w ~ N(0, I/d) it is 0


@two_colors.counterexample
def five_regions_around_a_point() -> None:
    import numpy as np

    t = 2 * np.pi * (np.arange(100000) + 0.5) / 100000  # once around the origin
    x, y = np.cos(t), np.sin(t)
    hidden = np.maximum([x, -x, -y], 0)
    top = hidden[0] - hidden[1] + hidden[2]  # the neuron of the second layer
    active = np.array([x > 0, -x > 0, -y > 0, top > 0])
    changes = np.sum(np.any(active != np.roll(active, 1, axis=1), axis=0))
    assert changes == 5  # five regions in a circle, each next to two others: two colors do not do


@figure_1_scaling.counterexample
def negative_delta_becomes_positive() -> None:
    import numpy as np

    tau = 1.0
    for delta in (-1.0, 0.3):
        made = []
        for right in (delta**2, delta):  # printed: δ² = τ²(α² − α⁻²); true: δ = τ²(α² − α⁻²)
            square = (right / tau**2 + np.sqrt(right**2 / tau**4 + 4)) / 2  # α², the positive root
            made.append(tau**2 * square - tau**2 / square)  # a² − ‖w‖² of a = τα, ‖w‖ = τ/α
        assert np.isclose(made[1], delta)
        assert abs(made[0] - delta) > 0.2


@laplacian_kernel.counterexample
def it_does_not_annihilate_constants() -> None:
    import numpy as np

    kernel = np.array([[-0.25, -0.5, -0.25], [-0.5, 2.0, -0.5], [-0.25, -0.5, -0.25]])
    y, x = np.mgrid[-1:2, -1:2]
    assert np.sum(kernel) == -1  # a constant is not annihilated
    kernel[1, 1] = 3.0
    assert np.sum(kernel) == np.sum(kernel * x) == np.sum(kernel * x * y) == 0
    assert np.sum(kernel * x**2) == np.sum(kernel * y**2) == -2  # −∇² of x² and of y²


@smoothness_is_roughness.counterexample
def rougher_filters_have_more() -> None:
    import numpy as np
    from scipy.signal import convolve2d

    kernel = np.array([[-0.25, -0.5, -0.25], [-0.5, 3.0, -0.5], [-0.25, -0.5, -0.25]])
    x, measured = np.arange(24), []
    for k in (0.2, 0.5, 1.0, 2.0):  # from a smooth wave to a rough one
        wave = np.tile(np.cos(k * x), (24, 1))
        measured.append(np.sum(convolve2d(wave / np.linalg.norm(wave), kernel, mode="valid") ** 2))
    assert measured == sorted(measured)  # printed: smoothness
    assert measured[-1] > 50 * measured[0]


@mu_is_invariant.counterexample
def a_negative_factor() -> None:
    import numpy as np

    a, w, alpha = 2.0, np.array([3.0, 4.0]), -1.0  # of any α ≠ 0, as appendix A has the symmetry
    mu, rescaled = a * np.linalg.norm(w), (alpha * a) * np.linalg.norm(w / alpha)
    assert np.allclose(alpha * a * (w / alpha), a * w)  # the function is the same
    assert rescaled == -mu


@cosine_of_beta.counterexample
def angle_of_a_negative_neuron() -> None:
    import numpy as np

    a, w, target = -2.0, np.array([3.0, 4.0]), np.array([1.0, 0.0])
    beta, phi = a * w, w @ target / np.linalg.norm(w)  # φ = w·β*/(‖w‖‖β*‖) = 0.6
    cosine = beta @ target / np.linalg.norm(beta)
    assert np.isclose(cosine, -0.6)
    assert np.isclose(phi, 0.6)


@through_w_zero.counterexample
def the_weights_pass_through_zero() -> None:
    import numpy as np

    a, w, dt = np.array(2.0), np.array([-1.0, 0.0]), 1e-4  # δ = 3, w antiparallel to β* = (1, 0)
    mu, phi, delta = 2.0, -1.0, 3.0  # μ = a‖w‖
    for _ in range(100000):  # gradient flow in small steps, and equation (2) for μ; φ = −1 is a fixed point of it
        r = np.array([1.0, 0.0]) - a * w
        a, w, mu = a + dt * w @ r, w + dt * a * r, mu + dt * np.sqrt(delta**2 + 4 * mu**2) * (phi - mu)
    assert np.allclose(a * w, [1, 0], atol=1e-4)
    assert np.isclose(a * np.linalg.norm(w), 1, atol=1e-4)  # μ of the flow
    assert np.isclose(mu, -1, atol=1e-4)  # μ of equation (2)


@balanced_mu.counterexample
def a_target_of_norm_two() -> None:
    import numpy as np

    a, w, dt, T = np.array(1.0), np.array([0.6, 0.8]), 1e-5, 0.7  # balanced, φ(0) = 0.6, μ(0) = 1; β* = (2, 0)
    for _ in range(int(T / dt)):  # gradient flow in small steps
        r = np.array([2.0, 0.0]) - a * w
        a, w = a + dt * w @ r, w + dt * a * r
    start, s, mu = np.arctanh(0.6), np.arctanh(0.6) + 2 * T, a * np.linalg.norm(w)
    for scale, wrong in ((2, False), (1, True)):  # ‖β*‖ before both cosh², and as printed
        c = 2 * scale * np.cosh(start) ** 2 - (2 * start + np.sinh(2 * start))
        assert (abs(mu - 2 * scale * np.cosh(s) ** 2 / (2 * s + np.sinh(2 * s) + c)) > 1e-3) == wrong


@basins_with_rates.counterexample
def the_other_sign_with_rates() -> None:
    import numpy as np

    eta_a, eta_w, a, w, beta, dt = 1.0, 9.0, 1.0, -2.0, 1.0, 1e-4  # one input
    delta = eta_w * a**2 - eta_a * w**2
    true = np.sign(eta_a * w * beta + a / 2 * (delta + np.sqrt(delta**2 + 4 * eta_a * eta_w * beta**2)))
    without = np.sign(w * beta + a / 2 * ((a**2 - w**2) + np.sqrt((a**2 - w**2) ** 2 + 4 * beta**2)))  # printed
    for _ in range(100000):
        r = beta - a * w
        a, w = a + dt * eta_a * w * r, w + dt * eta_w * a * r
    assert np.sign(a) == true == 1
    assert without == -1


@upstream_separation.counterexample
def both_move_at_one_speed() -> None:
    import numpy as np

    beta, unit = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    for delta in (1e2, 1e4, 1e6):
        a = np.sqrt((delta + np.sqrt(delta**2 + 4)) / 2)
        w = unit / a  # a² − ‖w‖² = δ, and ‖β(0)‖ = ‖β*‖ = 1
        r = beta - a * w
        mu_speed = (w @ r) * np.linalg.norm(w) + a * (w @ (a * r)) / np.linalg.norm(w)
        phi_speed = a * (r @ beta) / np.linalg.norm(w)  # of w·β*/‖w‖, where w·β* = 0
        assert 0.9 < abs(phi_speed / mu_speed) < 1.1  # printed: φ is much faster


@mirror_multiplier.counterexample
def the_sign_of_the_multiplier() -> None:
    import numpy as np

    rng, dt = np.random.default_rng(0), 1e-3
    X, y, beta, integral = rng.normal(size=(2, 4)), np.array([1.0, 2.0]), np.zeros(4), np.zeros(2)
    for _ in range(50000):  # gradient flow, Φ = ½‖β‖²
        rho = X @ beta - y
        beta, integral = beta - dt * X.T @ rho, integral + dt * rho
    assert np.allclose(beta, X.T @ -integral)  # ∇Φ(β_∞) − ∇Φ(β_0) = Xᵀν with ν = −∫ρ
    assert not np.allclose(beta, X.T @ integral, atol=0.1)  # printed


@never_zero.counterexample
def beta_changes_its_sign() -> None:
    import numpy as np

    a, w = np.random.default_rng(0).normal(size=(2, 4000))
    a, w = a[a**2 > w**2], w[a**2 > w**2]  # d = 1 and δ > 0, β* = 1
    start = a * w
    for _ in range(20000):  # gradient flow in small steps
        r = 1 - a * w
        a, w = a + 1e-3 * w * r, w + 1e-3 * a * r
    assert np.min(a * w) > 0.5  # all learn β* = 1
    assert 0.45 < np.mean(start < 0) < 0.55  # and half of them pass β = 0; printed: measure zero


@lemma_10_hypothesis.counterexample
def imbalance_that_is_not_the_identity() -> None:
    import numpy as np

    rng, delta = np.random.default_rng(0), -1.5
    Q, U, V = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(3))
    A = Q @ np.diag([1.0, 0.5, 0.2]) @ V.T
    W = Q @ np.diag(np.sqrt([1.0 - delta, 0.25 - delta, 0.04 - delta])) @ U.T
    found = A @ A.T - W @ W.T
    assert np.allclose(found, delta * np.eye(3))  # what the lemma supposes
    assert np.max(np.abs(found - np.eye(3))) > 2  # printed: Δ = I_h
    assert np.allclose(np.abs(np.linalg.svd(W.T @ A)[2]), np.abs(V.T))  # β has the vectors that the proof needs


@lemma_10_deficiency.counterexample
def deficiency_begins_after_the_hidden_units() -> None:
    import numpy as np

    (d, h, c), delta, b = (4, 2, 3), 1.5, np.array([2.0, 1.0])  # the singular values of β
    a2 = (delta + np.sqrt(delta**2 + 4 * b**2)) / 2
    A, W = np.eye(h, c) * np.sqrt(a2)[:, None], np.eye(h, d) * np.sqrt(a2 - delta)[:, None]
    assert np.allclose(A @ A.T - W @ W.T, delta * np.eye(h))
    U, S, Vt = np.linalg.svd(W.T @ A, full_matrices=False)
    M = np.diag(Vt @ A.T @ A @ Vt.T) + np.diag(U.T @ W.T @ W @ U)  # min(d, c) = 3 entries
    assert np.allclose(M[:h], np.sqrt(delta**2 + 4 * S[:h] ** 2))
    assert abs(M[h]) < 1e-12  # and 3 > min(d, c) is false: as printed it were √(δ² + 0) = 1.5


@small_scale_downstream_is_lazy.counterexample
def few_neurons_far_downstream() -> None:
    import numpy as np

    draws = np.split(np.random.default_rng(0).normal(size=(139, 4)), [128, 131])
    X, T, V = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in draws)  # samples, teacher, half the neurons
    W, a, y, K = np.vstack([V, V]), 0.01 * np.repeat([1.0, -1.0], 8), np.maximum(X @ T.T, 0) @ [1, -1, 1], []
    for step in range(4001):  # descent from δ = 1e-4 − 1, τ = 0.1: 16 neurons, 128 samples
        Z, H = np.maximum(X @ W.T, 0), (X @ W.T > 0) * 1.0
        K += [(H * a**2 @ H.T) * (X @ X.T) + Z @ Z.T] if step in (0, 4000) else []
        r = (Z @ a - y) / (np.sum(H * a**2) + np.sum(Z**2))
        W, a = W - a[:, None] * ((H * r[:, None]).T @ X), a - Z.T @ r
    assert np.sum(K[0] * K[1]) < 0.95 * np.linalg.norm(K[0]) * np.linalg.norm(K[1])  # it is not lazy


@rates_absorbed_in_parameters.counterexample
def rates_of_product_one_are_not_both_one() -> None:
    import numpy as np
    from scipy.integrate import solve_ivp

    def end(a, w, eta_a, eta_w, beta):  # gradient flow of ½(aw − β*)², each layer at its rate
        flow = lambda t, p: [eta_a * p[1] * (beta - p[0] * p[1]), eta_w * p[0] * (beta - p[0] * p[1])]
        return solve_ivp(flow, (0, 5), [a, w], "LSODA", rtol=1e-9).y[:, -1]

    two, one = end(0.5, 0.3, 0.25, 4.0, 2.0), end(0.5, 0.3, 1.0, 1.0, 2.0)  # η_a η_w = 1 in both
    assert abs(two[0] - one[0]) > 0.5  # the solutions at unit rates do not give a
    assert np.allclose(end(2 * 0.5, 0.5 * 0.3, 1, 1, 2.0) / [2, 0.5], two)  # √η_w a and √η_a w at unit rates do


@omega_bernoulli.counterexample
def norm_of_the_target() -> None:
    import numpy as np

    a, w, target = 2.0, np.array([1.0, 0.0]), np.array([3.0, 4.0])
    omega, upsilon, square = w @ target, a / (w @ target), a**2 * w @ w  # the printed ‖β‖², of β = aw
    rate = a * (target - a * w) @ target  # of ω, as ẇ = a(β* − aw) at unit rates
    assert np.isclose(rate, omega * (upsilon * target @ target - upsilon**2 * omega**2))
    assert not np.isclose(rate, omega * (upsilon * square - upsilon**2 * omega**2), rtol=0.5)  # printed
