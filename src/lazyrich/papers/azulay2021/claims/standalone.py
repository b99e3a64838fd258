"""Show without this library what fails in Azulay et al. 2021 as it is printed."""

# These lines are to be read by others, without annotations.
# mypy: disable-error-code="assignment"

from lazyrich.papers.azulay2021.claims.diagonal_networks import biased_diagonal_bias, diagonal_gradient
from lazyrich.papers.azulay2021.claims.diagonal_scale_and_shape import lazy_entropy, rich_entropy
from lazyrich.papers.azulay2021.claims.leaky_neuron import leaky_argmin, leaky_branch, leaky_chain_rule, leaky_slopes
from lazyrich.papers.azulay2021.claims.many_neurons import balanced_metric, linear_term
from lazyrich.papers.azulay2021.claims.neuron_limits import lazy_scale, lazy_scale_kernel
from lazyrich.papers.azulay2021.claims.neuron_metric import neuron_gradient
from lazyrich.papers.azulay2021.claims.neuron_scale_and_shape import expansion, higher_orders, neuron_kernel
from lazyrich.papers.azulay2021.claims.simulations import xavier_is_balanced
from lazyrich.papers.azulay2021.claims.warped_potential import radial_slope, warp_at_zero, warped_metric


@diagonal_gradient.counterexample
def a_factor_n() -> None:
    import numpy as np

    rng, N, eps = np.random.default_rng(0), 5, 1e-6
    X, y, u, v, m, n = rng.normal(size=(3, N)), rng.normal(size=N), *rng.normal(size=(4, 3))
    step, losses = np.array([eps, 0, 0]), []
    for each in (u + step, u - step):  # w̃ = u₊v₊ − u₋v₋, L = (1/2N)Σr²
        losses.append(np.sum((y - X.T @ (each * v - m * n)) ** 2) / (2 * N))
    right = v[0] * (X[0] @ (y - X.T @ (u * v - m * n)))  # v₊ Σ x r
    assert np.isclose((losses[1] - losses[0]) / (2 * eps), right / N)  # printed: without 1/N
    assert abs(right) > 0.1


@neuron_gradient.counterexample
def a_factor_n_of_a_neuron() -> None:
    import numpy as np

    rng, N, eps = np.random.default_rng(0), 5, 1e-6
    X, y, a, w = rng.normal(size=(3, N)), rng.normal(size=N), 1.5, rng.normal(size=3)
    up, down = (np.sum((y - (a + step) * X.T @ w) ** 2) / (2 * N) for step in (eps, -eps))  # L = (1/2N)Σr²
    right = w @ (X @ (y - a * X.T @ w))  # wᵀΣ x r
    assert np.isclose((down - up) / (2 * eps), right / N)  # printed: without 1/N
    assert abs(right) > 0.1


@lazy_entropy.counterexample
def half_of_what_is_printed() -> None:
    import numpy as np
    from scipy.integrate import quad

    x = 1.5  # q_k″(x) = 1/√(k + 4x²): q_k is the integral of q_k′ = ½ arcsinh(2x/√k)
    for k in (1e6, 1e10):
        q = quad(lambda t, k: np.arcsinh(2 * t / np.sqrt(k)) / 2, 0, x, k)[0]
        assert np.isclose(q, x**2 / (2 * np.sqrt(k)), rtol=1e-4)  # printed: x²/√k


@rich_entropy.counterexample
def the_sign_of_the_first_term() -> None:
    import numpy as np
    from scipy.integrate import quad

    w, k = 1.5, 1e-16
    q = quad(lambda t: np.arcsinh(2 * t / np.sqrt(k)) / 2, 0, w, epsabs=1e-12)[0]
    log = np.log(4 * w / np.sqrt(k))
    assert np.isclose(q, -w / 2 + w / 2 * log, atol=1e-6)
    assert abs(q - (w / 2 + w / 2 * log)) > 1  # printed


@warp_at_zero.counterexample
def the_limit_is_the_root_of_delta() -> None:
    import numpy as np

    delta, x = 4.0, 1e-8
    slope = np.sqrt((x / (np.sqrt(x**2 + delta**2 / 4) + delta / 2)) * x)  # √(√(x² + δ²/4) − δ/2)
    g = slope / x * (delta / 2 + np.sqrt(delta**2 / 4 + x**2))
    assert np.isclose(g, np.sqrt(delta), rtol=1e-6)  # printed: 0


@radial_slope.counterexample
def three_halves_of_it() -> None:
    import numpy as np

    x, delta, eps, values = 1.3, 0.8, 1e-6, []
    for t in (x + eps, x - eps):  # q of theorem 2
        root = np.hypot(t, delta / 2)
        values.append((t**2 - delta / 2 * (delta / 2 + root)) * np.sqrt(root - delta / 2) / t)
    slope, printed = (values[0] - values[1]) / (2 * eps), np.sqrt(np.hypot(x, delta / 2) - delta / 2)
    assert np.isclose(slope, 1.5 * printed)
    assert abs(slope - printed) > 0.4


@warped_metric.counterexample
def the_metric_is_larger() -> None:
    import numpy as np

    a, w = 1.5, np.array([0.6, 0.8])
    delta, target, eps, hessian = a**2 - w @ w, a * w, 1e-6, []
    for step in eps * np.eye(2):  # ∇q = q̂′(‖w̃‖)w̃/‖w̃‖, with the q̂′ = (3/2)√(…) of theorem 2
        ends = [target + step, target - step]
        slopes = [1.5 * np.sqrt(np.sqrt(v @ v + delta**2 / 4) - delta / 2) * v / np.linalg.norm(v) for v in ends]
        hessian.append((slopes[0] - slopes[1]) / (2 * eps))
    H = np.linalg.inv(a**2 * np.eye(2) + np.outer(w, w))
    assert np.allclose(hessian, 1.5 * a * H)
    assert np.max(np.abs(hessian - a * H)) > 0.1  # printed: g is |a|


@expansion.counterexample
def three_halves_of_the_hessian() -> None:
    import numpy as np

    a, w, eps, hessian = 1.5, np.array([0.3, 0.4]), 1e-6, []
    alpha, s, delta = 0.75, 0.5, 2.0  # |a|‖w‖, (|a| − ‖w‖)/(|a| + ‖w‖), a² − ‖w‖²
    for step in eps * np.eye(2):  # ∇q for the q of theorem 2
        ends = [a * w + step, a * w - step]
        slopes = [1.5 * np.sqrt(np.sqrt(v @ v + delta**2 / 4) - delta / 2) * v / np.linalg.norm(v) for v in ends]
        hessian.append((slopes[0] - slopes[1]) / (2 * eps))
    B = np.eye(2) - (1 - s) ** 2 / (2 * (1 + s**2)) * np.outer(w, w) * 4  # u = 2w
    right = np.sqrt((1 - s) / (alpha * (1 + s))) * B  # printed
    assert np.allclose(hessian, 1.5 * right)


@biased_diagonal_bias.counterexample
def from_a_function_that_is_not_zero() -> None:
    import numpy as np

    x, y = np.array([1.0, 2.0]), 2.0
    u, v, m, n = np.array([1.0, 0.5]), np.array([1.0, 0.5]), np.full(2, 0.1), np.full(2, 0.1)  # w = uv − mn ≠ 0
    start, k = u * v - m * n, 4 * (u * v + m * n) ** 2 - 4 * (u * v - m * n) ** 2  # balanced: k = 16 uvmn
    for _ in range(50000):
        r = 1e-3 * (y - x @ (u * v - m * n)) * x
        u, v, m, n = u + r * v, v + r * u, m - r * n, n - r * m
    begin, end = np.arcsinh(2 * np.array([start, u * v - m * n]) / np.sqrt(k))  # 2∇Q_k
    assert abs(np.linalg.det([end - begin, x])) < 1e-2  # parallel to x: of Q_k(w) − ∇Q_k(w̃(0))ᵀw
    assert abs(np.linalg.det([end, x])) > 1  # printed: of Q_k


@balanced_metric.counterexample
def the_power_of_the_norm() -> None:
    import numpy as np

    rng, c = np.random.default_rng(0), np.array([0.2, 0.3, 0.5])
    w = rng.normal(size=3)  # w̃ = Σ a_i w_i, and a_i w_i = c_i w̃ with |a_i| = ‖w_i‖ (balanced)
    norm, unit = np.linalg.norm(w), w / np.linalg.norm(w)
    a, W = np.sqrt(c * norm), np.sqrt(c * norm)[:, None] * unit
    inverse = np.linalg.inv((a @ a) * np.eye(3) + W.T @ W)
    right = np.eye(3) - np.outer(unit, unit) / 2
    assert np.allclose(inverse, right / norm)  # ‖w̃‖
    assert not np.allclose(inverse, right / norm**2, rtol=0.1)  # printed: ‖w̃‖²


@neuron_kernel.counterexample
def the_size_of_the_kernel() -> None:
    import numpy as np

    a, w = 2.0, np.array([0.6, 0.8])
    s, u = 1 / 3, w / np.linalg.norm(w)  # s = (|a| − ‖w‖)/(|a| + ‖w‖)
    B = np.eye(2) - (1 - s) ** 2 / (2 * (1 + s**2)) * np.outer(u, u)
    kernel = a**2 * np.eye(2) + np.outer(w, w)  # ∂(aw·x)/∂(a, w) for x and x′
    assert np.allclose(kernel, a**2 * np.linalg.inv(B))
    assert np.max(np.abs(kernel - np.linalg.inv(B))) > 1  # printed


@leaky_slopes.counterexample
def a_slope_above_one() -> None:

    rho = 2.0  # the text allows any ρ > 0
    for x in (1.0, -1.0):
        defined, displayed = max(x, rho * x), ((1 - rho) * (x > 0) + rho) * x
        assert defined == {1.0: 2.0, -1.0: -1.0}[x]
        assert displayed == {1.0: 1.0, -1.0: -2.0}[x]


@leaky_argmin.counterexample
def the_slope_is_left_out() -> None:
    import numpy as np

    a, w, x, y, rho = 1.0, np.array([-1.0, 0.5]), np.array([1.0, 0.0]), -1.0, 0.5  # f = a max(w·x, ρ w·x)
    for _ in range(50000):
        slope = 1.0 if w @ x > 0 else rho
        r = y - a * slope * (w @ x)
        a, w = a + 1e-3 * r * slope * (w @ x), w + 1e-3 * r * a * slope * x
    assert abs(rho * (a * w) @ x - y) < 1e-6  # c_n x_nᵀw̃ = y_n with the slope c_n = ρ
    assert abs((a * w) @ x - y) > 0.9  # printed: Xᵀw̃ = y


@leaky_chain_rule.counterexample
def the_first_factor() -> None:
    import numpy as np

    a, w, eps = 2.0, np.array([0.6, 0.8]), 1e-6
    q, gradient = np.array([[2.0, 1.0], [1.0, 3.0]]), []  # any q of w̃ = aw: ½w̃ᵀQw̃
    for step in eps * np.eye(2):
        up, down = (a * (w + sign * step) @ q @ (a * (w + sign * step)) / 2 for sign in (1, -1))
        gradient.append((up - down) / (2 * eps))
    inner = q @ (a * w)  # ∂q/∂w̃
    assert np.allclose(gradient, a * inner)
    assert not np.allclose(gradient, inner * inner, rtol=0.2)  # printed: (∂q/∂w̃)∂q/∂w̃


@xavier_is_balanced.counterexample
def one_output() -> None:
    import numpy as np

    rng, d, h, shapes = np.random.default_rng(0), 100, 1000, []
    for outputs in (100, 1):  # Xavier: variance 2/(inputs + outputs) of each layer
        W = rng.normal(size=(h, d)) * np.sqrt(2 / (d + h))
        A = rng.normal(size=(h, outputs)) * np.sqrt(2 / (h + outputs))
        a, w = np.linalg.norm(A, axis=1), np.linalg.norm(W, axis=1)
        shapes.append(np.mean((a - w) / (a + w)))  # s = (|a| − ‖w‖)/(|a| + ‖w‖)
    assert abs(shapes[0]) < 0.01
    assert shapes[1] < -0.8  # printed: 0


@linear_term.counterexample
def root_of_a_vector() -> None:
    import numpy as np

    delta, start = 1.0, np.array([0.6, -0.8, 0.5])
    root = lambda w: np.sqrt(w @ w + delta**2 / 4)
    radial = lambda w: (w @ w - delta / 2 * (delta / 2 + root(w))) * np.sqrt(root(w) - delta / 2) / np.sqrt(w @ w)
    slope = [(radial(start + e) - radial(start - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    u = start / np.sqrt(start @ start)
    assert np.allclose(slope, 1.5 * np.sqrt(root(start) - delta / 2) * u)  # −z, so that ∇q vanishes at the start
    assert not np.allclose(slope, 1.5 * np.sqrt(root(start) - delta / 2 * u), rtol=0.5)  # printed


@higher_orders.counterexample
def the_third_order_stays() -> None:
    import numpy as np

    rest, s, v = [], 0.2, np.array([0.8, 0.6])
    for alpha in (1e2, 1e4, 1e6):  # ‖w‖‖a‖ = α with shape s, w along the first axis
        delta, start = alpha * 4 * s / (1 - s**2), np.array([alpha, 0.0])
        root = lambda w: np.sqrt(np.sqrt(w @ w + delta**2 / 4) - delta / 2) * w / np.sqrt(w @ w)
        slope = lambda t: 1.5 * (root(start + t * alpha * v) - root(start))  # ∇q at a distance in proportion to α
        second = slope(1e-5) / 1e-5
        rest.append(np.linalg.norm(slope(1.0) - second) / np.linalg.norm(second))
    assert np.ptp(rest) < 1e-3 < 0.1 < min(rest)  # (1 − s)²/α falls to 1e-6; the other orders are not negligible


@lazy_scale.counterexample
def the_way_to_go_grows_with_the_scale() -> None:
    import numpy as np
    from scipy.integrate import solve_ivp

    off, x, u = [], np.array([1.0, 0.3]), np.array([0.8, -0.6])
    B = np.linalg.inv(np.eye(2) - (1 - 0.2) ** 2 / (2 * (1 + 0.2**2)) * np.outer(u, u))  # of shape s = 0.2
    flow = lambda t, p: (1 - p[2] * p[:2] @ x) * np.append(p[2] * x, p[:2] @ x)  # one sample x with the label 1
    for start in (np.sqrt(alpha) * np.append(u / np.sqrt(1.5), np.sqrt(1.5)) for alpha in (1e3, 1e4)):
        end = solve_ivp(flow, (0, 0.06), start, method="LSODA", rtol=1e-9, atol=1e-9).y[:, -1]
        way = end[2] * end[:2] - start[2] * start[:2]  # lazy: least (w − w̃(0))ᵀB(w − w̃(0)) over x·w = 1
        off.append(np.linalg.norm(way - B @ x * (x @ way) / (x @ B @ x)) / np.linalg.norm(way))
    assert min(off) > 0.02 and abs(off[1] / off[0] - 1) < 0.01  # printed: it vanishes as α → ∞


@lazy_scale_kernel.counterexample
def the_kernel_moves_at_every_scale() -> None:
    import numpy as np
    from scipy.integrate import solve_ivp

    change, x = [], np.array([1.0, 0.3])
    for alpha in (1e2, 1e3, 1e4):  # shape s = 0.2: a/‖w‖ = 1.5; one sample with the label 1
        p = np.append(np.sqrt(alpha / 1.5) * np.array([0.8, -0.6]), np.sqrt(1.5 * alpha))
        flow = lambda t, p: (1 - p[2] * p[:2] @ x) * np.append(p[2] * x, p[:2] @ x)
        end = solve_ivp(flow, (0, 60 / alpha), p, method="LSODA", rtol=1e-9, atol=1e-9).y[:, -1]
        kernel = [q[2] ** 2 * x @ x + (q[:2] @ x) ** 2 for q in (p, end)]
        change.append(kernel[1] / kernel[0] - 1)
    assert max(change) < -0.05 and abs(change[2] / change[1] - 1) < 0.01  # printed: fixed as α → ∞


@leaky_branch.counterexample
def the_other_sign_is_lower() -> None:
    import numpy as np

    slope, delta, y, w, a = 0.5, 0.3, -1.0, -0.1, np.sqrt(0.31)  # f(1) = aσ(w), a² − w² = δ
    grid, start = lambda end: np.linspace(-0.1 * np.sqrt(0.31), end, 100001), -0.1 * np.sqrt(0.31)
    root = lambda v: np.sqrt(np.sqrt(v**2 + delta**2 / 4) - delta / 2) * np.sign(v)
    q = lambda end: np.trapezoid(1.5 * (root(grid(end)) - root(start)), grid(end))  # q and q′ vanish at the start
    for _ in range(20000):  # descent of ½(f − y)² in small steps
        g = 1e-2 * (a * slope * w - y) * slope
        a, w = a - g * w, w - g * a
    assert w < 0 < a and np.isclose(a * w, y / slope)  # the flow ends at aw = −2
    assert q(-1.0) < q(a * w)  # a < 0 < w fits with aw = −1, at a lower q
