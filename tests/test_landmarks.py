import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq

import lazyrich as lr

PROBLEM = lr.Problem(np.eye(2), [0.0, 1.3])
RATES = (0.5, 2.0)


def neuron(beta0, delta, sign=1.0):
    return lr.GradientFlow(lr.inits.neuron(beta0, delta, RATES, sign), PROBLEM, RATES)


def test_basin_and_crossing_against_integration():
    rng = np.random.default_rng(0)
    crossed = 0
    for _ in range(12):
        flow = neuron(rng.normal(size=2), float(rng.normal() - 1.5), float(rng.choice([-1.0, 1.0])))
        times = np.linspace(0, 200, 801)
        a = np.asarray(lr.integrate(flow, times).nets.weights[1][:, 0, 0])
        assert int(lr.basin(flow)) == np.sign(a[-1])
        time = float(lr.crossing_time(flow))
        if a[0] * a[-1] < 0:
            crossed += 1
            after = int(np.argmax(a * a[0] < 0))
            assert times[after - 1] <= time <= times[after]
            assert abs(lr.exact(flow, [time]).end.weights[1][0, 0]) < 1e-14
        else:
            assert time == np.inf
    assert crossed >= 2
    assert int(lr.basin(lr.GradientFlow(lr.DeepLinear([[[0.0, -1.0]], [[1.0]]]), PROBLEM))) == 0
    with pytest.raises(lr.NoTheoremApplies, match="one hidden unit"):
        lr.basin(lr.GradientFlow(lr.inits.gaussian(jax.random.key(0), (2, 3, 1)), PROBLEM))


def test_time_to_loss_and_its_derivative():
    flow = neuron([0.1, 0.2], -1.0)
    time = float(lr.time_to_loss(flow, 1e-3))
    reference = brentq(lambda t: float(lr.integrate(flow, [t], rtol=1e-12).loss[0]) - 1e-3, 0.1, 30, xtol=1e-12)
    assert time == pytest.approx(reference, rel=1e-8)
    assert lr.time_to_loss(flow, 10.0) == 0
    noisy = lr.GradientFlow(flow.net, lr.Problem([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [0.0, 1.3, 1.0]), RATES)
    assert lr.time_to_loss(noisy, 0.4) == np.inf

    def to_loss(delta):
        return lr.time_to_loss(neuron(jnp.array([0.1, 0.2]), delta), 1e-3)

    numeric = (to_loss(-0.999) - to_loss(-1.001)) / 2e-3
    assert float(jax.grad(to_loss)(-1.0)) == pytest.approx(float(numeric), rel=1e-5)


def test_schedule_of_balanced_modes_has_the_logistic_times():
    """β̇ = 2β(s − β): half at ln(s/ε − 1)/2s, from 10 % to 90 % in ln(81)/2s."""
    s, eps = np.array([3.0, 2.0, 0.5]), 1e-4
    flow = lr.GradientFlow(lr.inits.aligned(np.diag(s), eps, key=jax.random.key(0)), lr.Problem(np.eye(3), np.diag(s)))
    plan = lr.mode_schedule(flow)
    assert list(plan.mode) == [0, 1, 2]
    assert np.allclose(plan.time, np.log(s / eps - 1) / (2 * s), rtol=1e-12)
    assert np.allclose(plan.width, np.log(81) / (2 * s), rtol=1e-10)
    assert np.allclose(plan.plateau, [0.5 * (4 + 0.25), 0.125, 0.0], rtol=1e-3, atol=1e-12)
    small = lr.GradientFlow(lr.inits.aligned(np.diag(s), 1e-9), flow.problem)
    later = lr.mode_schedule(small)
    middle = float(lr.exact(small, [(later.time[1] + later.time[2]) / 2]).loss[0])
    assert middle == pytest.approx(later.plateau[1], rel=1e-2)  # the flow rests at the saddle in between
    assert plan.plot().axes
    assert len(plan) == 3


@pytest.mark.slow
def test_schedule_of_deep_and_diagonal_networks_orders_modes():
    s = np.array([1.0, 2.0])
    net = lr.inits.aligned(np.diag(s), 1e-3, depth=3)
    plan = lr.mode_schedule(lr.GradientFlow(net, lr.Problem(np.eye(2), np.diag(s))))
    assert list(plan.target) == pytest.approx([2.0, 1.0])
    flow = lr.GradientFlow(lr.inits.diagonal(2, 1e-4), lr.Problem(np.eye(2), [0.5, -2.0]))
    plan = lr.mode_schedule(flow)
    assert list(plan.mode) == [1, 0]
    assert list(plan.target) == [-2.0, 0.5]
    assert np.all(plan.time > 0)
    half = lr.exact(flow, [plan.time[0]]).beta[0, 1]
    assert half == pytest.approx(-1.0, rel=1e-10)
    stuck = lr.GradientFlow(lr.DeepLinear([[[0.0, -1.0]], [[1.0]]]), PROBLEM)
    assert lr.mode_schedule(stuck).time[0] == np.inf


@pytest.mark.slow
def test_limits_are_approached():
    times = np.geomspace(0.01, 1e4, 40)
    far = {}
    for delta in (10.0, 100.0, 1000.0):
        far[delta] = lr.regime_limits(neuron([0.3, 0.1], delta), times).distance["lazy"]
    assert far[10.0] > 3 * far[100.0] > 9 * far[1000.0]
    late = times[times > 1]
    delayed = [lr.regime_limits(neuron([0.3, 0.1], d), late).distance["delayed rich"] for d in (-10.0, -100.0)]
    assert delayed[1] < 0.2 * delayed[0]
    # Away from its jumps the staircase is met, the better the smaller the start
    for eps in (1e-6, 1e-12):
        flow = lr.GradientFlow(lr.inits.aligned(np.diag([2.0, 1.0]), eps), lr.Problem(np.eye(2), np.diag([2.0, 1.0])))
        plan = lr.mode_schedule(flow)
        apart = [plan.time[0] / 2, plan.time.mean(), 2 * plan.time[1]]
        assert lr.regime_limits(flow, apart).distance["rich"] < (0.1 if eps == 1e-6 else 0.01)


@pytest.mark.slow
def test_kernel_split_adds_up_and_tells_regimes_apart():
    for delta, wide in ((9.0, False), (0.0, False), (-9.0, False), (0.5, True)):
        if wide:
            problem = lr.Problem(np.eye(3), np.random.default_rng(0).normal(size=(3, 2)))
            flow = lr.GradientFlow(lr.inits.isotropic(jax.random.key(0), 3, 2, 2, delta), problem)
        else:
            flow = neuron([0.3, 0.1], delta)
        traj = lr.exact(flow, [0.0, 1.0, 100.0])
        magnitude, direction = lr.metrics.kernel_split(traj)
        whole = np.asarray(lr.metrics.kernel_distance(traj))
        assert np.allclose(magnitude + direction, whole, atol=1e-14)
        if delta == -9.0:
            assert direction[-1] > 0.2
            assert abs(magnitude[-1]) < 0.2 * direction[-1]
    # turning the unit alone is all direction, scaling it alone all magnitude
    net = lr.DeepLinear([[[1.0, 0.0]], [[0.5]]])
    X = np.eye(2)
    turned, scaled = lr.DeepLinear([[[0.0, 1.0]], [[0.5]]]), lr.DeepLinear([[[2.0, 0.0]], [[0.5]]])
    magnitude, direction = lr.metrics.kernel_split(turned, net, X)
    assert abs(magnitude) < 1e-15 < direction
    magnitude, direction = lr.metrics.kernel_split(scaled, net, X)
    assert abs(direction) < 1e-15 < magnitude
    with pytest.raises(ValueError, match="two-layer networks"):
        lr.metrics.kernel_split(lr.inits.diagonal(2, 1.0), lr.inits.diagonal(2, 2.0), X)


def test_layer_ratio_is_the_mirror_coordinate_of_varre2023():
    gamma, d = 0.4, 3
    rng = np.random.default_rng(0)
    problem = lr.Problem(rng.normal(size=(4, d)), rng.normal(size=4))  # any data: this is about coordinates
    flow = lr.GradientFlow(lr.inits.orthogonal(jax.random.key(0), d=d, c=1, gamma=gamma, h=5), problem)
    traj = lr.integrate(flow, [0.3, 2.0, 50.0])
    alpha = np.asarray(lr.metrics.layer_ratio(traj))
    for a, beta in zip(alpha, np.asarray(traj.beta), strict=True):
        inverse = np.linalg.solve(np.eye(d) - a @ a.T, a)
        assert np.allclose(2 * gamma * inverse[:, 0], beta, rtol=1e-8)


def test_layer_ratio_solves_the_matrix_riccati_equation_when_c_is_h():
    """ν = A⁻¹Wβ*: ν̇ = β*ᵀβ* − δν − ν² (kunin2024, appendix B.1)."""
    rng = np.random.default_rng(0)
    target = rng.normal(size=(3, 2))
    flow = lr.GradientFlow(lr.inits.isotropic(jax.random.key(0), 3, 2, 2, 0.8), lr.Problem(np.eye(3), target))
    step = 1e-4
    traj = lr.exact(flow, [0.5 - step, 0.5, 0.5 + step], theorem="isotropic imbalance")
    nu = np.asarray(lr.metrics.layer_ratio(traj, outer_first=True)) @ target
    slope = (nu[2] - nu[0]) / (2 * step)
    assert np.allclose(slope, target.T @ target - 0.8 * nu[1] - nu[1] @ nu[1], atol=1e-6)


def test_edges_of_the_answers():
    nothing = lr.GradientFlow(lr.DeepLinear([[[1.0, 0.0]], [[1.0]]]), lr.Problem(np.eye(2), [0.0, 0.0]))
    assert int(lr.basin(nothing)) == 0
    flow = neuron([0.1, 0.2], -1.0)
    slow = lr.GradientFlow(flow.net, PROBLEM, tuple(1e-14 * rate for rate in flow.rates))
    assert float(lr.time_to_loss(slow, 1e-3)) == pytest.approx(1e14 * float(lr.time_to_loss(flow, 1e-3)), rel=1e-9)
    slope = jax.grad(lambda level: lr.time_to_loss(flow, level))(1e-3)
    numeric = (lr.time_to_loss(flow, 1.001e-3) - lr.time_to_loss(flow, 0.999e-3)) / 2e-6
    assert float(slope) == pytest.approx(float(numeric), rel=1e-5)
    with pytest.raises(ValueError, match="Factorization has neither"):
        lr.mode_schedule(lr.GradientFlow(lr.Factorization(np.eye(2)), lr.Problem(np.eye(4)[[0, 3]], [1.0, 2.0])))
    with pytest.raises(ValueError, match="only if inputs are whitened"):
        lr.mode_schedule(lr.GradientFlow(lr.DeepLinear([[[1.0, 0.0]]]), lr.Problem(np.diag([1.0, 2.0]), [1.0, 1.0])))
    against = lr.GradientFlow(
        lr.inits.aligned(np.diag([3.0, 1.0]), [-0.1, 0.1]), lr.Problem(np.eye(2), np.diag([3.0, 1.0]))
    )
    plan = lr.mode_schedule(against)
    assert np.isinf(plan.time[1])
    assert plan.plateau[0] == pytest.approx(0.5 * 3.1**2)
    assert plan.plateau[1] == pytest.approx(4.5)  # what is opposed to its target ends at zero


def test_losses_below_rounding_have_a_time():
    """By mpmath with 60 digits: 21.478160649652."""
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.3], 1.0), lr.Problem(np.eye(2), [0.0, 1.0]))
    assert float(lr.time_to_loss(flow, 1e-32)) == pytest.approx(21.478160649652, rel=1e-9)
    assert lr.time_to_loss(flow, 0.0) == np.inf
    gap = float(lr.time_to_loss(flow, 1e-200)) - float(lr.time_to_loss(flow, 1e-100))
    rate = float(np.linalg.eigvalsh(flow.ntk(lr.exact(flow, [1e3]).end))[0])
    assert gap == pytest.approx(100 * np.log(10) / (2 * rate), rel=1e-9)
    with pytest.raises(ValueError, match="there is no derivative there"):
        jax.grad(lambda level: lr.time_to_loss(flow, level))(1e-40)
    # Two samples with one input and labels that differ: the loss ends at 0.25.
    noisy = lr.GradientFlow(lr.inits.neuron([0.1, 0.3], 1.0), lr.Problem(np.eye(3)[:, :2], [0.0, 1.0, 0.7]))
    assert lr.time_to_loss(noisy, 0.24) == lr.time_to_loss(noisy, 1e-40) == np.inf
    with pytest.raises(ValueError, match="cannot tell whether it gets there"):
        lr.time_to_loss(noisy, 0.245 * (1 - 1e-14))


@pytest.mark.parametrize("scale", [1e-80, 1e-7, 1e60, 1e80])
def test_landmarks_scale_with_the_network(scale):
    def at(k):
        net = lr.DeepLinear([[[-0.1 * k, 0.3 * k]], [[-0.7 * k]]])
        return lr.GradientFlow(net, lr.Problem(np.eye(2), [0.0, k * k]))

    one, other = at(1.0), at(scale)
    assert lr.basin(one) == lr.basin(other)
    for time in (
        lr.crossing_time,
        lambda flow: lr.mode_schedule(flow).time[0],
        lambda flow: lr.mode_schedule(flow).width[0],
    ):
        assert float(time(other)) * scale**2 == pytest.approx(float(time(one)), rel=1e-9)
    if 1e-75 < scale < 1e75:  # else the loss itself is no number
        times = [float(lr.time_to_loss(flow, 1e-6 * float(flow.loss()))) for flow in (one, other)]
        assert times[1] * scale**2 == pytest.approx(times[0], rel=1e-9)


def test_the_last_plateau_is_where_the_loss_ends():
    problem = lr.Problem(np.eye(3), np.diag([3.0, 2.0, 1.0]))
    wide = lr.GradientFlow(lr.inits.isotropic(jax.random.key(0), 3, 3, 3, 0.5), problem)
    for flow in (
        wide,
        lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], -4.0), lr.Problem(np.eye(2), [0.0, 1.0])),
        lr.GradientFlow(lr.inits.neuron([0.0, -1.0], 0.0), lr.Problem(np.eye(2), [0.0, 1.0])),
    ):
        plan = lr.mode_schedule(flow)
        assert plan.plateau[-1] == pytest.approx(float(lr.exact(flow, [1e6]).loss[0]), abs=1e-14)
        assert np.all(plan.loss_drop >= 0)
        assert float(flow.loss()) - np.sum(plan.loss_drop) == pytest.approx(plan.plateau[-1], abs=1e-12)


@pytest.mark.parametrize("exponent", [-140, -80, 80, 140])
def test_regimes_are_as_near_in_every_unit(exponent):
    def distance(s):
        net = lr.DeepLinear([s * np.array([[0.3, 0.1]]), s * np.array([[0.7]])])
        flow = lr.GradientFlow(net, lr.Problem(np.eye(2), s * s * np.array([1.0, 2.0])))
        return lr.regime_limits(flow, np.array([0.1, 1.0, 10.0]) / s / s).distance

    assert distance(2.0 ** (3 * exponent)) == pytest.approx(distance(1.0), rel=1e-12)


def test_a_schedule_inside_jit_is_refused_in_words():
    flow = lr.GradientFlow(
        lr.inits.aligned(np.diag([2.0, 1.0]), [0.01, 0.01]), lr.Problem(np.eye(2), np.diag([2.0, 1.0]))
    )
    with pytest.raises(ValueError, match="not known inside jit, vmap or grad: call it outside"):
        jax.jit(lambda net: lr.mode_schedule(lr.GradientFlow(net, flow.problem)).time)(flow.net)
