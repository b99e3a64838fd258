"""Closed forms against references of 50 digits and more that are computed another way.

For two-layer networks QQᵀ comes from a matrix exponential twice as large (Van Loan's integral) in as many digits as
its exponentials need, and from Taylor integration of the raw flow; for deep modes the time comes from quadrature.
"""

import itertools

import jax
import jax.numpy as jnp
import mpmath as mp
import numpy as np
import pytest
from examples import orthonormal

import lazyrich as lr
from lazyrich._core import double_double as dd
from lazyrich.potentials.two_sided_coordinate import growth_of_both_sides
from lazyrich.theorems import deep_mode, mode
from lazyrich.theorems.regression import evolve_from_zero
from lazyrich.theorems.trajectories import neuron

DIGITS = 50


def exact_matrix(array):
    return mp.matrix(np.asarray(array).tolist())


def gram(W, A, b, delta, t):
    """ZᵀZ at time t, Z = [A, W] (h, c + d), at unit rates, target b (d, c), by Van Loan's block exponential."""
    c, d = A.cols, W.cols
    m = c + d
    Lam = mp.zeros(m)
    for i in range(c):
        Lam[i, i] = delta
    for i, j in itertools.product(range(d), range(c)):
        Lam[c + i, j] = Lam[j, c + i] = b[i, j]
    block = mp.zeros(2 * m)
    for i, j in itertools.product(range(m), range(m)):
        block[i, j], block[m + i, m + j] = -Lam[i, j] * t, Lam[i, j] * t
    for i in range(c):
        block[i, m + i] = t
    E = mp.expm(block)
    grown = E[m:, m:]
    integral = grown * E[:m, m:]
    Z = mp.zeros(A.rows, m)
    for i in range(A.rows):
        for j in range(m):
            Z[i, j] = A[i, j] if j < c else W[i, j - c]
    G = mp.eye(A.rows) + 2 * Z * integral * Z.T
    Y = Z * grown
    return Y.T * mp.inverse(G) * Y


def relative_error(ours, reference, rows, cols):
    block = reference[rows, cols]
    scale = max(abs(block[i, j]) for i in range(block.rows) for j in range(block.cols))
    if scale < mp.mpf("1e-290"):
        return 0.0  # below what a float can hold
    ours = np.atleast_2d(np.asarray(ours))
    return max(
        float(abs(mp.mpf(float(ours[i, j])) - block[i, j]) / scale)
        for i in range(block.rows)
        for j in range(block.cols)
    )


DELTAS = (0.0, 1e-8, -1e-8, 1e-3, -1e-3, 1.0, -1.0, 1e3, -1e3, 1e6, -1e6)
NORMS = (1e-12, 1e-3, 1.0, 1e2)
ANGLES = ((1.0, 0.0), (-1.0, 0.0), (-1.0, 1.4142135e-5), (0.3, 0.9))  # φ = 1, −1, −1 + 1e-10, and in between


def check_neurons(grid, ratio):
    b = np.array([1.3, 0.0])
    for delta, norm, angle in grid:
        net = lr.inits.neuron(norm * np.array(angle) / np.hypot(*angle), delta, rates=(1.0, ratio))
        a, w = float(net.weights[1][0, 0]), np.asarray(net.weights[0][0])
        exact_delta = mp.mpf(a) ** 2 - mp.mpf(ratio) * sum(mp.mpf(float(x)) ** 2 for x in w)
        R = mp.sqrt(exact_delta**2 / 4 + ratio * 1.69)
        # From the first instant to deep into convergence; no time is one at which w happens to cross zero
        times = [float(x / R) for x in (1.7e-6, 0.31, 3.1, 40.0, 150.0)]
        ours_a, ours_w = neuron.evolve(*map(jnp.asarray, (a, w, b, 1.0, ratio, times)))
        for t, ours, vector in zip(times, ours_a, ours_w, strict=True):
            mp.mp.dps = DIGITS + 30 + int(5 * float(R) * t)
            # unit rates: A = a, W = √η w, target √η b
            W = exact_matrix([w]) * mp.sqrt(mp.mpf(ratio))
            target = exact_matrix(b[:, None]) * mp.sqrt(mp.mpf(ratio))
            delta_ = mp.mpf(a) ** 2 - mp.mpf(ratio) * sum(mp.mpf(float(x)) ** 2 for x in w)
            N = gram(W, mp.matrix([[a]]), target, delta_, mp.mpf(t))
            N[1:, :] = N[1:, :] / mp.sqrt(mp.mpf(ratio))
            N[:, 1:] = N[:, 1:] / mp.sqrt(mp.mpf(ratio))
            v = np.asarray(vector)[:, None]
            square = ours**2
            errors = (
                relative_error(square, N, slice(0, 1), slice(0, 1)),
                relative_error(ours * v, N, slice(1, 3), slice(0, 1)),
                relative_error(v * v.T, N, slice(1, 3), slice(1, 3)),
            )
            assert max(errors) < 1e-12, (delta, norm, angle, t, errors)


@pytest.mark.parametrize("ratio", [pytest.param(1.0, marks=pytest.mark.slow), 1e-4, 1e4])
def test_single_neuron_over_a_hard_grid(ratio):
    """A part of the grid, in general position to its axes; `slow` runs all of it."""
    check_neurons(list(itertools.product(DELTAS, NORMS, ANGLES))[::11], ratio)


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1e-4, 1e-2, 1.0, 1e2, 1e4])
def test_single_neuron_over_the_whole_grid(ratio):
    check_neurons(itertools.product(DELTAS, NORMS, ANGLES), ratio)


def test_single_neuron_ends_where_it_must():
    """At t = 1e6 and 1e12 every flow off the separatrix is at a∞ = ±√(l₊/η_w), aw = β*, in the basin of kunin2024's
    rule with rates; on it, in the saddle."""
    b = np.array([0.5, 1.2])
    for delta, norm, angle, ratio in itertools.product(DELTAS, NORMS, ANGLES, (1e-4, 1.0, 1e4)):
        unit = np.array([[5, -12], [12, 5]]) / 13 @ (np.array(angle) / np.hypot(*angle))
        net = lr.inits.neuron(norm * unit, delta, rates=(1.0, ratio))
        a, w = float(net.weights[1][0, 0]), np.asarray(net.weights[0][0])
        mp.mp.dps = DIGITS
        A, ww, wb = (
            mp.mpf(a),
            sum(mp.mpf(float(x)) ** 2 for x in w),
            sum(mp.mpf(float(x)) * mp.mpf(y) for x, y in zip(w, b, strict=True)),
        )
        d = A**2 - ratio * ww
        B2 = sum(mp.mpf(y) ** 2 for y in b)
        up = d / 2 + mp.sqrt(d**2 / 4 + ratio * B2)
        side = ratio * wb + A * up
        rate = abs(-ratio * B2 / up)
        if abs(side) < 1e-30 or float(rate) * 1e12 < 100:
            continue  # on the separatrix; or too slow to have ended
        ours_a, ours_w = neuron.evolve(*map(jnp.asarray, (a, w, b, 1.0, ratio, [1e12])))
        expected = mp.sign(side) * mp.sqrt(up)
        assert float(abs(mp.mpf(float(ours_a[0])) / expected - 1)) < 1e-14
        assert np.allclose(np.asarray(ours_a[0] * ours_w[0]), b, rtol=1e-14, atol=0)


SHAPES = [
    (1, 1, 1, 0.7, 1),
    (3, 2, 2, 0.6, 2),
    (2, 2, 3, -1.1, 1),
    (3, 4, 2, 0.0, 2),
    (2, 3, 2, -0.4, 0),
    (4, 1, 2, 3.0, 2),
]


def wide_case(d, h, c, delta, rank, scale=1.0):
    rng = np.random.default_rng(d + h + c)
    U, V = orthonormal(d, min(d, c), 1), orthonormal(c, min(d, c), 2)
    s = np.where(np.arange(min(d, c)) < rank, rng.uniform(0.5, 1.5, min(d, c)), 0.0)
    net = lr.inits.isotropic(jax.random.key(d), d, h, c, delta, scale=scale)
    return lr.GradientFlow(net, lr.Problem(np.eye(d), (U * s) @ V.T))


def wide_errors(flow, t):
    W, A = np.asarray(flow.net.weights[0]), np.asarray(flow.net.weights[1]).T
    c, d = A.shape[1], W.shape[1]
    traj = lr.exact(flow, [t], theorem="isotropic imbalance", hidden_rotation=False)[0]
    mp.mp.dps = DIGITS
    W_, A_, b = map(exact_matrix, (W, A, flow.problem.y))
    Delta = A_ * A_.T - W_ * W_.T
    N = A_ * A_.T + W_ * W_.T
    h = A_.rows
    delta = sum(Delta[i, j] * N[i, j] for i in range(h) for j in range(h)) / sum(N[i, i] for i in range(h))
    size = float(abs(delta)) + float(mp.mnorm(b, "f")) * 2
    mp.mp.dps = DIGITS + 30 + int(3 * size * t)
    reference = gram(W_, A_, b, delta, mp.mpf(t))
    W1, W2 = (np.asarray(layer) for layer in traj.weights)
    return (
        relative_error(W2 @ W2.T, reference, slice(0, c), slice(0, c)),
        relative_error(W1.T @ W1, reference, slice(c, c + d), slice(c, c + d)),
        relative_error(traj.beta, reference, slice(c, c + d), slice(0, c)),
    )


@pytest.mark.parametrize(("d", "h", "c", "delta", "rank"), SHAPES)
@pytest.mark.parametrize("scale", [pytest.param(1e-6, marks=pytest.mark.slow), 1.0])
def test_wide_networks_of_any_shape(d, h, c, delta, rank, scale):
    flow = wide_case(d, h, c, delta, rank, scale)
    for t in (1e-6, 0.5, 7.0, 40.0):
        # A small network amplifies rounding on its way out of the saddle: that is its condition, t·λ
        assert max(wide_errors(flow, t)) < 1e-12 * (1 + t), t


@pytest.mark.slow
@pytest.mark.parametrize(("d", "h", "c", "delta", "rank"), [(30, 8, 20, -0.5, 20), (30, 8, 20, 0.7, 3)])
def test_a_large_rectangular_network(d, h, c, delta, rank):
    assert max(wide_errors(wide_case(d, h, c, delta, rank), 3.0)) < 1e-12


@pytest.mark.parametrize("case", ["neuron", "wide"])
def test_against_taylor_integration_of_the_raw_flow(case):
    """Parameters themselves, the hidden rotation included, with nothing but the definition of the flow."""
    mp.mp.dps = 30
    if case == "neuron":
        flow = lr.GradientFlow(
            lr.inits.neuron([0.1, -0.7], -0.9, (0.5, 2.0)), lr.Problem(np.eye(2), [0.4, 1.1]), (0.5, 2.0)
        )
    else:
        flow = wide_case(2, 2, 2, 0.6, 2)
    W0, V0 = (np.asarray(layer) for layer in flow.net.weights)
    (h, d), c = W0.shape, V0.shape[0]
    b = exact_matrix(np.asarray(flow.problem.y).reshape(d, c))
    rates = [mp.mpf(float(rate)) for rate in flow.rates]

    def field(_, y):
        W, V = mp.matrix(h, d), mp.matrix(c, h)
        for i, (r, s) in enumerate(itertools.product(range(h), range(d))):
            W[r, s] = y[i]
        for i, (r, s) in enumerate(itertools.product(range(c), range(h))):
            V[r, s] = y[h * d + i]
        gap = b.T - V * W
        dW, dV = rates[0] * V.T * gap, rates[1] * gap * W.T
        return [dW[i, j] for i in range(h) for j in range(d)] + [dV[i, j] for i in range(c) for j in range(h)]

    start = [mp.mpf(float(x)) for x in np.concatenate([W0.ravel(), V0.ravel()])]
    solution = mp.odefun(field, 0, start)
    name = "single neuron" if case == "neuron" else "isotropic imbalance"
    for t in (0.3, 2.0):
        expected = np.array([float(x) for x in solution(t)])
        layers = lr.exact(flow, [t], theorem=name)[0].weights
        ours = np.concatenate([np.asarray(layer).ravel() for layer in layers])
        assert np.max(np.abs(ours - expected)) < (1e-15 if case == "neuron" else 1e-12) * np.max(np.abs(expected)) * 4


def test_mode_formula_equals_the_single_neuron():
    """Two formulas of different origin, over signs, zeros, separatrices and twelve orders of magnitude."""
    rng = np.random.default_rng(0)
    count = 2000
    a, w, s = rng.normal(size=(3, count)) * 10.0 ** rng.integers(-8, 4, (3, count))
    w[::7] = -a[::7] * (1 + rng.choice([1e-10, -1e-10, 1e-5], size=len(a[::7])))
    a[::11], w[::13] = 0.0, 0.0
    times = jnp.array([0.0, 1e-6, 1e-2, 0.1, 1.0, 30.0, 1e3, 1e6])
    one = jnp.ones(())
    A, W = jax.vmap(lambda a, w, s: neuron.evolve(a, w[None], s[None], one, one, times))(a, w, s)
    new_a, new_w, beta, left = jax.vmap(lambda a, w, s: mode.evolve_mode(a[None, None], w[None, None], s[None], times))(
        a, w, s
    )
    pairs = ((new_a[..., 0, 0], A), (new_w[..., 0, 0], W[..., 0]), (beta[..., 0], A * W[..., 0]))
    # How far a rounding of a ± w, the distance to the separatrix, is carried
    condition = np.abs(a) / np.maximum(np.abs(a + w * np.where(s >= 0, 1, -1)), 1e-300)
    for ours, other in pairs:
        error = np.max(np.abs(ours - other) / np.maximum(np.abs(other), 1e-200), axis=1)
        assert np.all(error < 1e-13 * np.maximum(1, condition))
    assert np.all(np.isfinite(left))
    gap = s[:, None] - np.asarray(beta[..., 0])
    scale = np.abs(s[:, None]) + np.abs(np.asarray(beta[..., 0]))
    assert np.all(np.abs(np.asarray(left[..., 0]) - gap) < 1e-12 * (scale + 1e-300))


GROWTH = jax.jit(deep_mode.growth, static_argnums=3)  # as in every trajectory: one program per depth


@pytest.mark.parametrize("L", [3, 4, 7])
@pytest.mark.parametrize(
    ("sign", "start", "end"),
    [
        (1, "1e-12", "1e-11"), (1, "1e-6", "0.5"), (1, "0.01", "0.999999999"), (1, "1.0000001", "1.00000001"),
        (1, "3", "1.5"), (1, "1e8", "1e7"), (1, "1e8", "1.5"), (-1, "1e-6", "1e-7"), (-1, "1.5", "0.5"), (-1, "1e8",
        "1e-3"),
    ],
)  # fmt: skip
def test_deep_modes_against_quadrature(L, sign, start, end):
    mp.mp.dps = 30
    x0, x = mp.mpf(float(start)), mp.mpf(end)
    e = mp.mpf(2) / L
    if sign < 0:
        ends, rate = (mp.log(x0), mp.log(x)), lambda z: -1 / (L * mp.exp(z * (1 - e)) * (1 + mp.exp(z)))
    elif x0 > 1:
        ends, rate = (mp.log(x0 - 1), mp.log(x - 1)), lambda z: -((1 + mp.exp(z)) ** (e - 2)) / L
    else:
        ends, rate = (mp.log(x0 / (1 - x0)), mp.log(x / (1 - x))), lambda z: (1 / (1 + mp.exp(-z))) ** (e - 1) / L
    time = mp.quad(rate, mp.linspace(*ends, 9))
    ours = GROWTH(jnp.array([float(x0)]), jnp.array([float(sign)]), jnp.array([float(time)]), L)
    expected = (x / x0) ** (mp.mpf(1) / L)
    condition = float(abs(time) * L * x ** (1 - e) * abs(1 - sign * x))
    assert float(abs(mp.mpf(float(ours[0])) / expected - 1)) < 4e-15 * (1 + condition)


def test_affine_model_with_a_singular_kernel():
    mp.mp.dps = DIGITS
    rng = np.random.default_rng(0)
    J, r = rng.normal(size=(4, 2)), rng.normal(size=4)
    for t in (1e-8, 0.3, 20.0):
        block = mp.zeros(5)
        for i in range(4):
            block[i, 4] = mp.mpf(r[i]) * t
            for j in range(4):
                block[i, j] = -sum(mp.mpf(J[i, k]) * mp.mpf(J[j, k]) for k in range(2)) * t
        settled = mp.expm(block)[:4, 4]  # ∫₀ᵗ e^{−JJᵀs} r ds
        expected = [sum(mp.mpf(J[i, k]) * settled[i] for i in range(4)) for k in range(2)]
        ours = evolve_from_zero(J, r[:, None], np.array([t]))[0][0, :, 0]
        assert max(abs(float(mp.mpf(float(o)) - x)) for o, x in zip(ours, expected, strict=True)) < 1e-15 * t * 10


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_double_double(wrap):
    mp.mp.dps = 60
    rng = np.random.default_rng(0)
    a, b = (jnp.asarray(rng.normal(size=200) * 10.0 ** rng.integers(-8, 8, 200)) for _ in range(2))

    def value(pair, i):
        return mp.mpf(float(pair[0][i])) + mp.mpf(float(pair[1][i]))

    def check(function, reference):
        pair = wrap(function)(a, b)
        for i in range(200):
            expected = reference(mp.mpf(float(a[i])), mp.mpf(float(b[i])))
            assert abs(value(pair, i) / expected - 1) < 1e-30

    check(lambda a, b: dd.mul(dd.two_sum(a, b), dd.two_product(a, b)), lambda x, y: (x + y) * (x * y))
    check(lambda a, b: dd.div(dd.two_sum(a, b), dd.two_product(a, b)), lambda x, y: (x + y) / (x * y))
    check(lambda a, b: dd.sqrt(dd.mul(dd.two_sum(a, b), dd.two_sum(a, b))), lambda x, y: abs(x + y))
    total = wrap(dd.dot)(a, b)
    expected = sum(mp.mpf(float(x)) * mp.mpf(float(y)) for x, y in zip(a, b, strict=True))
    assert abs((mp.mpf(float(total[0])) + mp.mpf(float(total[1]))) / expected - 1) < 1e-28


@pytest.mark.parametrize("D", [3, 8])
def test_both_sides_of_a_deep_diagonal_coordinate_against_quadrature(D):
    """The time at which the formula's own end is reached, integrated in 30 digits in another variable: log m or log n,
    whichever moved more."""
    rng, q, run = np.random.default_rng(D), mp.mpf(D) / (D - 2), jax.jit(growth_of_both_sides, static_argnums=4)
    for _ in range(6):
        plus, minus = 10 ** rng.uniform(-5, 1, 2)
        s, part = rng.choice([-1.0, 0.0, 1.0]) * 10 ** rng.uniform(-3, 1), rng.uniform(0.05, 1.2)
        T = part * float(min(plus, minus) ** (2.0 - D)) / max(abs(s), plus**D, minus**D)
        with mp.workdps(30):
            ends = run(jnp.array(plus), jnp.array(minus), jnp.array(s), jnp.array([T]), D)
            m0, n0 = mp.mpf(plus) ** (2 - D), mp.mpf(minus) ** (2 - D)
            m, n = (v * mp.mpf(float(f[0])) ** (2 - D) for v, f in zip((m0, n0), ends, strict=True))
            total = m0 + n0
            assert abs((m + n) / total - 1) < 1e-13

            def pull(m, n):
                return s - m**-q + n**-q  # noqa: B023

            if abs(mp.log(m / m0)) > abs(mp.log(n / n0)):
                low, high, rate = mp.log(m0), mp.log(m), lambda u: -pull(mp.exp(u), total - mp.exp(u)) / mp.exp(u)  # noqa: B023
            else:
                low, high, rate = mp.log(n0), mp.log(n), lambda u: pull(total - mp.exp(u), mp.exp(u)) / mp.exp(u)  # noqa: B023
            panels = [high + (low - high) * mp.mpf(2) ** -j for j in range(12)] + [high]
            taken = mp.quad(lambda u: 1 / rate(u), panels)  # noqa: B023
            # An error of the time, as one of the logarithm, with its condition; at rest the time says nothing.
            speed = abs(rate(high))
            rested = abs(pull(m, n)) < 1e-12 * (m**-q + n**-q)
            assert rested or abs(taken - T) * speed < 1e-13 * (1 + T * speed), (plus, minus, s, T)


def test_both_sides_from_far_above_find_a_small_target():
    """β₀ = 1e32, s = ±1: the end is not a difference of large numbers."""
    for s in (1.0, -1.0, 0.0):
        first, second = growth_of_both_sides(jnp.array(1e8), jnp.array(0.3), jnp.array(s), jnp.array([1e12]), 4)
        assert abs((1e8 * first[0]) ** 4 - (0.3 * second[0]) ** 4 - s) < 1e-13
