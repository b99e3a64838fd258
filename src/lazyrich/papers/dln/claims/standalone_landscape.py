"""Show without this library what fails in the notes as printed: landscape, conservation, exact solutions."""

# These lines are to be read by others, without annotations.
# mypy: disable-error-code="assignment"

from lazyrich.papers.dln.claims.conservation import (
    balance_law,
    gaussian_defect,
    lambda_balanced,
    moving_gram,
    scaled_rotation,
)
from lazyrich.papers.dln.claims.exact_solution import b_equation, stays_aligned, worked_example
from lazyrich.papers.dln.claims.flow_equations import effective_flow
from lazyrich.papers.dln.claims.landscape import critical_subsets, degenerate_products, gradient
from lazyrich.papers.dln.claims.local_minima import proof_sketch
from lazyrich.papers.dln.claims.loss import loss_identity
from lazyrich.papers.dln.claims.saddles import (
    escape_rate,
    exponential_approach,
    flat_origin,
    index_along_a_family,
    index_of_a_saddle,
    most_ways_out,
)


@loss_identity.counterexample
def the_loss_of_the_best_predictor() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    X, Y, W = rng.normal(size=(3, 20)), rng.normal(size=(2, 20)), rng.normal(size=(2, 3))
    xx, yx, yy = X @ X.T / 20, Y @ X.T / 20, Y @ Y.T / 20
    T = yx @ np.linalg.inv(xx)
    loss, printed = np.sum((Y - W @ X) ** 2) / 40, np.trace((W - T) @ xx @ (W - T).T) / 2
    assert np.isclose(loss, printed + np.trace(yy - T @ xx @ T.T) / 2)
    assert abs(loss - printed) > 0.1


@gradient.counterexample
def the_shapes_do_not_fit() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    W_1, W_2, T = rng.normal(size=(3, 4)), rng.normal(size=(2, 3)), rng.normal(size=(2, 4))
    E, probe, eps = T - W_2 @ W_1, rng.normal(size=(2, 3)), 1e-6
    up, down = (np.sum((T - (W_2 + sign * eps * probe) @ W_1) ** 2) / 2 for sign in (1, -1))
    assert np.isclose((down - up) / (2 * eps), np.sum(probe * (E @ W_1.T)))  # −∂L/∂W_2 = (T − W_eff) W_1ᵀ
    assert E.shape[1] != W_1.shape[0]  # printed: (T − W_eff) W_1, which is no product


@critical_subsets.counterexample
def through_a_bottleneck() -> None:
    import numpy as np

    T, ranks = np.diag([3.0, 2.0, 1.0]), set()  # k = 3 modes through 2 hidden units
    for size in range(4):
        V, W = np.zeros((3, 2)), np.zeros((2, 3))  # W_2 and W_1 with the first `size` modes, if there is room
        for mode in range(min(size, 2)):
            V[mode, mode] = W[mode, mode] = np.sqrt(T[mode, mode])
        assert np.allclose([(T - V @ W) @ W.T, (V.T @ (T - V @ W)).T], 0)  # critical
        ranks.add(int(np.linalg.matrix_rank(V @ W)))
    assert ranks == {0, 1, 2}  # no W_eff of rank 3: 7 subsets are critical, with the minimum, and not 8


@degenerate_products.counterexample
def a_minimum_through_a_bottleneck() -> None:
    import numpy as np

    T = np.diag([3.0, 2.0, 1.0])
    V = np.sqrt(T)[:, :2]  # 3 → 2 → 3: W_2 = V, W_1 = Vᵀ
    E = T - V @ V.T
    assert np.allclose([E @ V, E.T @ V], 0)  # critical
    assert np.allclose(np.sum(E**2), 1)  # the least that rank 2 allows, and W_eff ≠ T
    assert np.min(np.linalg.svd(V)[1]) > 1.4  # and neither layer has a zero singular value


@proof_sketch.counterexample
def no_way_down() -> None:
    import numpy as np

    rng, T = np.random.default_rng(0), np.diag([3.0, 2.0, 1.0])
    V = np.sqrt(T)[:, :2]  # 3 → 2 → 3: the minimum misses mode 3
    for _ in range(2000):
        P, Q = 10.0 ** rng.uniform(-4, 0) * rng.normal(size=(2, 3, 2))
        assert np.sum((T - (V + P) @ (V + Q).T) ** 2) >= 1 - 1e-12  # the loss falls in no direction


@index_of_a_saddle.counterexample
def hidden_units_count() -> None:
    import numpy as np

    s, h = [3.0, 2.0], 4  # k = 2 modes, 4 hidden units, at the origin: r = 0
    H = np.zeros((4 * h, 4 * h))  # the Hessian of ½‖T − W_2W_1‖² in (W_2, W_1): −⟨T, dW_2 dW_1⟩ twice
    for unit in range(h):
        for mode in range(2):
            i, j = 2 * unit + mode, 2 * h + 2 * unit + mode
            H[i, j] = H[j, i] = -s[mode]
    assert np.sum(np.linalg.eigvalsh(H) < 0) == 8  # (h − r)(k − r); printed: k − r = 2


@most_ways_out.counterexample
def flat_at_depth_three() -> None:
    import numpy as np

    rng, T = np.random.default_rng(0), np.diag([2.0, 1.0])
    for _ in range(100):
        A, B, C = rng.normal(size=(3, 2, 2))  # any way out of the origin, at depth 3
        near, far = (np.sum((T - eps**3 * C @ B @ A) ** 2) - 5 for eps in (1e-2, 2e-2))
        assert np.isclose(far / near, 8, rtol=0.05)  # ε³: no curvature, index 0; printed: k = 2


@index_along_a_family.counterexample
def two_indices_for_one_subset() -> None:
    import numpy as np

    s, found = np.diag([2.0, 1.0]), []
    for B in (np.zeros((2, 2)), np.diag([1.0, 0.0]), np.eye(2)):  # W_2; W_1 = W_3 = 0: W_eff = 0 and critical
        M = -np.kron(s, B)  # second order of the loss, −⟨T, C B A⟩, as a form in C = W_3 and A = W_1
        H = np.block([[np.zeros((4, 4)), M], [M.T, np.zeros((4, 4))]])
        found.append(int(np.sum(np.linalg.eigvalsh(H) < -1e-12)))
    assert found == [0, 2, 4]  # k · rank W_2, for one subset S = ∅


@escape_rate.counterexample
def missing_the_first_or_the_last() -> None:
    import numpy as np

    s, times = np.array([3.0, 2.0, 1.0]), []
    for start in ([0, 0, 0], [0, 2, 1], [3, 2, 0]):  # the origin, a saddle without mode 1, without mode 3
        w, dt, t = np.sqrt(np.array(start, float)) + 1e-6, 1e-3, 0.0  # each of both layers, aligned
        missing = int(np.argmin(start))
        while w[missing] ** 2 < s[missing] / 2:
            w, t = w + dt * w * (s - w**2), t + dt
        times.append(t)
    assert abs(times[1] - times[0]) < 0.01  # with one mode missing, and as fast as from the origin
    assert times[2] > 2.5 * times[1]


@flat_origin.counterexample
def slower_than_another_saddle() -> None:
    import numpy as np

    times = []
    for eps in (1e-2, 1e-3):  # depth 3, s_1 = 2, from a balanced start of size ε: ẇ = w²(s − w³) of each layer
        w, t = eps, 0.0
        while w < 1.0:
            t, w = t + 1e-3 / (w * (2 - w**3)), w * 1.001
        times.append(t)
    assert 9 < times[1] / times[0] < 11  # 1/ε: the origin is flat
    assert times[1] > 10 * np.log(1e3) / (2 - 1)  # s_2 = 1: its saddle takes log(1/ε)/(s_1 − s_2)


@exponential_approach.counterexample
def the_rate_does_not_vanish() -> None:
    import numpy as np

    s, a, dt, gaps = 2.0, 0.5, 1e-4, []  # a mode of depth 2, ȧ = 2a(s − a), that reaches its plateau
    for step in range(40000):
        if step in (20000, 30000):
            gaps.append(s - a)
        a += dt * 2 * a * (s - a)
    assert abs(np.log(gaps[0] / gaps[1]) - 2 * s) < 0.01  # |s − a| ∝ exp(−2st): exponentially fast


@effective_flow.counterexample
def order_of_the_last_factors() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    A, B, C, T = rng.normal(size=(4, 2, 2))  # W_1, W_2, W_3
    E, eps = T - C @ B @ A, 1e-7
    dA, dB, dC = (C @ B).T @ E, C.T @ E @ A.T, E @ (B @ A).T  # gradient flow
    moved = ((C + eps * dC) @ (B + eps * dB) @ (A + eps * dA) - C @ B @ A) / eps
    terms = [(C @ B, np.eye(2)), (C, A), (np.eye(2), B @ A)]  # W_{L:l+1} and W_{l−1:1}
    assert np.allclose(moved, sum(P @ P.T @ E @ Q.T @ Q for P, Q in terms), atol=1e-4)
    assert np.max(np.abs(moved - sum(P @ P.T @ E @ Q @ Q.T for P, Q in terms))) > 0.1  # printed


@balance_law.counterexample
def the_first_layer_moves() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    W, V, T = rng.normal(size=(3, 2, 2))  # W_1, W_2
    start, last = W.T @ W, V.T @ V - W @ W.T
    for _ in range(20000):
        E = T - V @ W
        W, V = W + 1e-4 * V.T @ E, V + 1e-4 * E @ W.T
    assert np.max(np.abs(W.T @ W - start)) > 0.1  # l = 1, as printed, with no W_0
    assert np.max(np.abs(V.T @ V - W @ W.T - last)) < 1e-2  # l = 2 = L, which is not in the printed range


@moving_gram.counterexample
def one_factor_too_many() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    A, B, C, T = rng.normal(size=(4, 2, 2))  # W_1, W_2, W_3; l = 2
    E = T - C @ B @ A
    dA, dB = (C @ B).T @ E, C.T @ E @ A.T  # gradient flow
    true, printed = (C @ B).T @ E @ A.T, E.T @ (C @ B) @ B @ A.T  # W_{<1} = I, W_{≥2} = W_3W_2
    assert np.allclose(dA @ A.T + A @ dA.T, true + true.T)
    assert np.allclose(dB.T @ B + B.T @ dB, true + true.T)
    assert np.max(np.abs(true + true.T - printed - printed.T)) > 0.1


@lambda_balanced.counterexample
def no_balance_at_the_first_layer() -> None:
    import numpy as np

    lam, dt, T = 1.0, 1e-4, np.diag([3.0, 1.0])
    W = np.eye(2)  # W_1ᵀW_1 = λI: λ-balanced at l = 1, with W_0 = 0
    V = np.sqrt(2) * np.eye(2)  # W_2ᵀW_2 = W_1W_1ᵀ + λI
    for _ in range(50000):
        E = T - V @ W
        W, V = W + dt * V.T @ E, V + dt * E @ W.T
    assert np.max(np.abs(V.T @ V - W @ W.T - lam * np.eye(2))) < 1e-2  # l = 2 stays
    assert np.max(np.abs(W.T @ W - lam * np.eye(2))) > 0.5  # l = 1 does not


@scaled_rotation.counterexample
def the_printed_order_is_lost() -> None:
    import numpy as np

    O, T, dt = np.array([[0.6, -0.8], [0.8, 0.6]]), np.array([[3.0, 1.0], [0.0, 1.0]]), 1e-4
    W, V = O, O.T  # W_1 = W_2ᵀ: both orders hold
    for _ in range(20000):
        E = T - V @ W
        W, V = W + dt * V.T @ E, V + dt * E @ W.T
    assert np.max(np.abs(V.T @ V - W @ W.T)) < 1e-2  # balance
    assert np.max(np.abs(W.T @ W - V @ V.T)) > 0.1  # printed


@gaussian_defect.counterexample
def the_norm_of_the_defect() -> None:
    import numpy as np

    for n in (50, 400):
        W, V = np.random.default_rng(n).normal(size=(2, n, n)) / np.sqrt(n)
        defect, size = V.T @ V - W @ W.T, np.linalg.norm(W @ W.T)
        assert np.max(np.abs(defect)) < 8 / np.sqrt(n)  # entry by entry it vanishes
        assert 0.8 < np.linalg.norm(defect) / size < 1.2  # as a matrix it does not: printed 0


@stays_aligned.counterexample
def layers_that_are_not_aligned() -> None:
    import numpy as np

    T, M = np.diag([3.0, 1.0]), np.array([[1.0, 1.0], [0.0, 1.0]])
    V, W = np.diag([0.5, 0.2]) @ M, np.linalg.inv(M)  # W_2W_1 = diag(0.5, 0.2): the singular vectors of T
    worst = 0.0
    for _ in range(20000):
        E = T - V @ W
        V, W = V + 1e-4 * E @ W.T, W + 1e-4 * V.T @ E
        worst = max(worst, abs((V @ W)[0, 1]))
    assert worst > 0.1  # printed: W_eff stays diagonal


@b_equation.counterexample
def two_and_three_layers() -> None:
    import numpy as np

    s, a = 2.0, 0.5
    for L in (2, 3, 4):
        b, speed = a ** (2 / L), L * a ** (2 - 2 / L) * (s - a)  # ȧ of a balanced mode
        moved = 2 / L * a ** (2 / L - 1) * speed
        assert np.isclose(moved, 2 * b ** (L / 2) * (s - b ** (L / 2)))
        assert abs(moved - (2 * s * b ** ((L - 1) / 2) - 2 * s * b)) > 0.05  # printed


@worked_example.counterexample
def the_first_time() -> None:
    from math import log

    assert abs(log(300) / 6 - 0.951) < 5e-4  # printed: 0.97
    a, dt, t = 0.01, 1e-5, 0.0
    while a < 1.5:  # ȧ = 2a(s − a) with s = 3, until half of the mode is learned
        a, t = a + dt * 2 * a * (3 - a), t + dt
    assert abs(t - 0.950) < 1e-3
