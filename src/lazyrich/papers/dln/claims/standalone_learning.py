"""Show without this library what fails in the notes as printed: sequential learning, limits, regimes."""

# These lines are to be read by others, without annotations.
# mypy: disable-error-code="assignment"

from lazyrich.papers.dln.claims.conservation import noether
from lazyrich.papers.dln.claims.implicit_regularization import deeper_is_lower_rank, greedy_path, nuclear_norm_commuting
from lazyrich.papers.dln.claims.lazy_and_rich import lazy_rate, straight_path
from lazyrich.papers.dln.claims.saddle_to_saddle import exercise_aligned, random_sequence, stage_zero
from lazyrich.papers.dln.claims.sequential_learning import (
    deep_time,
    deeper_is_sharper,
    greedy_sequence,
    inflection,
    midpoint_rate,
    transition_width,
    width_at_large_depth,
)
from lazyrich.papers.dln.claims.timescales import clean_separation


@greedy_sequence.counterexample
def at_the_beginning_of_an_interval() -> None:
    import numpy as np

    s, a, dt, half = np.array([3.0, 1.0]), np.full(2, 1e-8), 1e-4, None
    while half is None:  # balanced modes of depth 2, ȧ = 2a(s − a), until t_1*
        a = a + dt * 2 * a * (s - a)
        half = a[0] if a[0] >= 1.5 else None
    assert abs(half - 1.5) < 1e-2  # printed: W_eff ≈ s_1 u_1v_1ᵀ for all t in [t_1*, t_2*)


@deep_time.counterexample
def a_power_of_the_start() -> None:

    s, times = 2.0, []
    for start in (1e-3, 1e-6, 1e-9):
        a, t = start, 0.0
        while a < s / 2:  # a balanced mode of depth 3, ȧ = 3a^{4/3}(s − a), in steps of 1/1000 of a
            dt = 1e-3 * a / (3 * a ** (4 / 3) * (s - a))
            a, t = a * 1.001, t + dt
        times.append(t * s * start ** (1 / 3))
    assert 0.9 < times[2] < 1.1  # t ≈ 1/(s a_0^{1/3}); printed: (1/s) log(s/ε), a logarithm


@transition_width.counterexample
def exponent_of_the_width() -> None:
    import numpy as np
    from scipy.integrate import quad

    for L, exponent in ((2, 1.0), (3, 4 / 3), (4, 1.5)):  # ȧ = L a^{2 − 2/L}(s − a), from 10 % to 90 %
        ends = [(0.1 * s, 0.9 * s, (L, s)) for s in (1.0, 4.0)]
        wide = [quad(lambda a, L, s: 1 / (L * a ** (2 - 2 / L) * (s - a)), *end)[0] for end in ends]
        assert np.isclose(np.log(wide[0] / wide[1]) / np.log(4), exponent)  # printed: 1 at every L


@width_at_large_depth.counterexample
def the_constant() -> None:
    from scipy.integrate import quad

    s, L = 2.0, 10**6
    width = quad(lambda a: 1 / (L * a ** (2 - 2 / L) * (s - a)), 0.1 * s, 0.9 * s)[0]
    assert abs(width * L * s**2 - 13.283) < 1e-3  # 80/9 + 2 log 9; printed: 4


@inflection.counterexample
def where_the_curve_is_steepest() -> None:
    import numpy as np

    a, s = np.linspace(0, 2, 200001), 2.0
    for L in (2, 3, 10):
        steepest = a[np.argmax(L * a ** (2 - 2 / L) * (s - a))]
        assert abs(steepest - s * (2 * L - 2) / (3 * L - 2)) < 1e-4
        assert (abs(steepest - s / 2) > 0.1) == (L > 2)  # printed: s/2


@midpoint_rate.counterexample
def a_small_mode() -> None:
    speeds = [L * (0.1 / 2) ** (2 * (L - 1) / L) * 0.1 / 2 for L in range(2, 9)]  # s = 0.1
    assert speeds[:5] == sorted(speeds[:5], reverse=True)  # falls from L = 2 to 6; printed: grows with L
    assert speeds[5] > speeds[4]


@deeper_is_sharper.counterexample
def a_small_mode_gets_wider() -> None:
    from scipy.integrate import quad

    s = 0.1  # time from 10 % to 90 % of a mode, ȧ = L a^{2 − 2/L}(s − a)
    widths = [quad(lambda a, L: 1 / (L * a ** (2 - 2 / L) * (s - a)), s / 10, 0.9 * s, L)[0] for L in (2, 3, 4)]
    assert widths == sorted(widths)  # printed: the deeper, the sharper
    assert widths[2] > 1.5 * widths[0]


@stage_zero.counterexample
def a_power_at_depth_three() -> None:
    import numpy as np

    times = []
    for eps in (1e-1, 1e-2):
        C, B, A = eps * np.random.default_rng(0).normal(size=(3, 6, 6))
        t = np.float64(0)
        while np.linalg.norm(C @ B @ A, 2) < 1:  # depth 3, T = diag(2, 0, …, 0)
            E, dt = np.diag([2.0, 0, 0, 0, 0, 0]) - C @ B @ A, 0.01 / max(map(np.linalg.norm, (A, B, C)))
            C, B, A, t = C + dt * E @ (B @ A).T, B + dt * C.T @ E @ A.T, A + dt * (C @ B).T @ E, t + dt
        times.append(t)
    assert 6 < times[1] / times[0] < 20  # ∝ 1/ε; printed: log(s/ε)/s, a ratio below 2


@random_sequence.counterexample
def rank_after_stage_one() -> None:
    import numpy as np

    T, dt = np.diag([3.0, 1.0]), 1e-3
    V, W = 1e-6 * np.random.default_rng(0).normal(size=(2, 2, 4))  # W_2 and W_1ᵀ
    while np.linalg.norm(V @ W.T, 2) < 2.99:  # stage 1
        E = T - V @ W.T
        V, W = V + dt * E @ W, W + dt * E.T @ V
    assert np.allclose(V @ W.T, np.diag([3.0, 0.0]), atol=0.02)  # mode 1 has escaped; printed: mode r + 1 = 2


@exercise_aligned.counterexample
def the_second_time() -> None:
    from math import log

    assert abs(log(9000) / 18 - 0.506) < 5e-4  # printed: 0.50
    for s, printed, true in ((10, 0.46, 0.461), (9, 0.50, 0.506), (1, 3.45, 3.453)):
        assert abs(log(s / 1e-3 - 1) / (2 * s) - true) < 5e-4  # half of ȧ = 2a(s − a) from a(0) = 10⁻³
        assert (abs(true - printed) > 0.005) == (s == 9)


@greedy_path.counterexample
def less_norm_at_equal_loss() -> None:
    import numpy as np

    s = np.array([3.0, 2.0])
    plateau = np.array([3.0, 0.0])  # mode 1 is learned, mode 2 is not
    loss = np.sum((s - plateau) ** 2)
    together = s - np.sqrt(loss / 2)  # both grow: soft thresholding
    one_rate = s * (1 - np.sqrt(loss / np.sum(s**2)))  # depth 1: both grow in proportion
    assert np.allclose([np.sum((s - together) ** 2), np.sum((s - one_rate) ** 2)], loss)
    assert np.sum(together) < np.sum(one_rate) < np.sum(plateau)  # nuclear norms; printed: both need more


@lazy_rate.counterexample
def the_rate_is_lambda() -> None:
    import numpy as np

    lam, t, s = 200.0, 0.01, 2.0
    w, v, dt = 0.0, np.sqrt(lam), 1e-6  # v² − w² = λ
    for _ in range(int(t / dt)):
        w, v = w + dt * v * (s - v * w), v + dt * w * (s - v * w)
    assert abs(v * w - s * (1 - np.exp(-lam * t))) < 1e-2
    assert abs(v * w - s * (1 - np.exp(-t))) > 1  # printed


@straight_path.counterexample
def it_turns_with_the_target() -> None:
    import numpy as np

    T, start, lam, dt = np.diag([2.0, 1.0]), np.array([[0.0, 1.0], [1.0, 0.0]]), 1e4, 1e-6
    V, W = np.sqrt(lam) * np.eye(2), start / np.sqrt(lam)  # VᵀV − WWᵀ = λI up to 1/λ
    for _ in range(2000):
        E = T - V @ W
        V, W = V + dt * E @ W.T, W + dt * V.T @ E
    assert np.allclose(V @ W, T, atol=1e-2)
    assert abs(np.sum(V @ W * start)) < 1e-2  # at a right angle to where it started; printed: barely changes


@noether.counterexample
def only_the_trace_is_conserved() -> None:
    import numpy as np

    def loss(p, x=0.7):  # ½(V·φ(wx) − 1)², φ(z) = z³/‖z‖²: what scaling w does, V undoes, and nothing else
        return 0.5 * (p[:2] @ (p[2:] * x) ** 3 / np.sum((p[2:] * x) ** 2) - 1) ** 2

    V, w = np.array([1.0, 0.5]), np.array([1.0, 2.0])
    G = [(loss(np.append(V, w) + e) - loss(np.append(V, w) - e)) / 2e-6 for e in 1e-6 * np.eye(4)]
    rate = np.outer(w, G[2:]) + np.outer(G[2:], w) - np.outer(V, G[:2]) - np.outer(G[:2], V)  # of VVᵀ − wwᵀ
    assert abs(np.trace(rate)) < 1e-8
    assert np.max(np.abs(rate)) > 0.1  # printed: the matrix is conserved


@clean_separation.counterexample
def the_slower_mode_is_wide() -> None:
    import numpy as np

    s1, s2, start = 40.0, 1.0, 0.09
    time = lambda s, part: np.log((s / start - 1) * part / (1 - part)) / (2 * s)  # a(t) = part · s, at depth 2
    assert 1 / s1 < (time(s2, 0.5) - time(s1, 0.5)) / 40  # 1/s₁ ≪ t₂* − t₁*
    assert time(s2, 0.1) < time(s1, 0.9)  # a tenth of mode 2 is learned before nine tenths of mode 1


@nuclear_norm_commuting.counterexample
def the_norm_grows_without_bound() -> None:
    import numpy as np
    from scipy.integrate import solve_ivp

    def flow(t, p, seen=np.array([[0.0, 1.0], [1.0, 1.0]])):  # of ½‖seen entries of W₂W₁ − [[?, 1], [1, 0]]‖²
        W2, W1 = p.reshape(2, 2, 2)
        R = seen * (np.array([[0.0, 1.0], [1.0, 0.0]]) - W2 @ W1)
        return np.append(R @ W1.T, W2.T @ R)

    ends = solve_ivp(flow, (0, 1e6), 0.01 * np.array([1, 0, 0, 1] * 2), "LSODA", (1e2, 1e6), rtol=1e-9, atol=1e-9)
    norms = [np.linalg.norm(W2 @ W1, "nuc") for W2, W1 in ends.y.T.reshape(2, 2, 2, 2)]
    assert norms[1] > norms[0] + 1 > 3  # it grows; the least is 2, with 0 for ?


@deeper_is_lower_rank.counterexample
def same_solution_at_every_depth() -> None:
    import numpy as np
    from scipy.integrate import solve_ivp

    A = np.linalg.svd(np.array([[2.5, -1.0, -1.0]]))[2][1:]  # W = diag(0, 1, 1) and W = diag(2.5, 0, 0) fit
    for depth in (2, 3, 4):  # W_eff = diag(u^depth), from 1e-10 times the identity
        flow = lambda t, u, L=depth: -(u ** (L - 1)) * (A.T @ (A @ (u**L - [0.0, 1.0, 1.0])))
        span, start = (0, 400 * 1e-10 ** (2 / depth - 1)), np.full(3, 1e-10 ** (1 / depth))
        end = solve_ivp(flow, span, start, "LSODA", rtol=1e-10, atol=1e-16).y[:, -1] ** depth
        assert np.allclose(end, [0, 1, 1], atol=0.05)  # of rank two at every depth, where rank one would fit
