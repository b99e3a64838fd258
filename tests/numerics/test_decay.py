"""Flows with weight decay against SciPy on the raw equations, which are written out here."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.integrate
from scipy.integrate import solve_ivp

import lazyrich as lr
from lazyrich.numerics.ode_system import DecayedMirrorSystem, ParameterSystem, choose_system


def data(seed=0, n=4, d=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=n)


def raw_diagonal(weights, power, X, y, rates, decay, times, logistic=False, method="DOP853"):
    """The parameters of a diagonal network along its flow: β = Π u₊^p − Π u₋^p."""
    shape = np.shape(weights)

    def field(_, flat):
        u = flat.reshape(shape)
        sides = np.prod(u, axis=0) ** power
        f = X @ (sides[0] - sides[1])
        slope = X.T @ (-y / (1 + np.exp(y * f)) if logistic else f - y)
        out = np.empty(shape)
        for l in range(shape[0]):
            rest = np.prod(np.delete(u, l, axis=0), axis=0) if shape[0] > 1 else np.ones(shape[1:])
            gain = power * u[l] ** (power - 1) * rest**power
            out[l] = -rates[l] * (np.array([slope, -slope]) * gain + decay[l] * u[l])
        return out.ravel()

    found = solve_ivp(field, (0, times[-1]), np.ravel(weights), method, times, rtol=1e-11, atol=1e-13)
    assert found.success
    return found.y.T.reshape(len(times), *shape)


def stacked(traj):
    return np.stack([np.asarray(layer) for layer in traj.nets.layers], axis=1)


TIMES = np.array([0.0, 0.2, 1.0, 4.0, 15.0])


@pytest.mark.parametrize("logistic", [False, True])
@pytest.mark.parametrize("kind", ["untied", "tied"])
def test_diagonal_networks_in_the_mirror_variable(kind, logistic):
    X, y = data()
    y = np.sign(y) if logistic else y
    rng = np.random.default_rng(1)
    layers, power, rates = (2, 1, (0.5, 2.0)) if kind == "untied" else (1, 2, (0.7,))
    weights = rng.uniform(0.2, 1.5, size=(layers, 2, 6))
    decay = [0.3 / rate for rate in rates]
    problem = lr.Problem(X, y, lr.Logistic() if logistic else lr.Square())
    flow = lr.GradientFlow(lr.networks.Diagonal(list(weights), power), problem, rates, decay)
    assert isinstance(choose_system(flow), DecayedMirrorSystem)
    traj = lr.integrate(flow, TIMES)
    assert traj.by.method == "LSODA"
    assert "in the mirror variable" in traj.by.detail
    expected = raw_diagonal(weights, power, X, y, rates, decay, TIMES, logistic)
    np.testing.assert_allclose(stacked(traj), expected, rtol=0, atol=2e-8)
    other = lr.integrate(flow, TIMES, atol=1e-14, solver=lr.Rodas())
    np.testing.assert_allclose(stacked(other), expected, rtol=0, atol=2e-8)


def test_the_jacobian_of_the_mirror_variable():
    X, y = data()
    net = lr.networks.Diagonal(np.random.default_rng(1).uniform(0.2, 1.5, size=(2, 2, 6)))
    equation = choose_system(lr.GradientFlow(net, lr.Problem(X, y), decay=0.3))
    state = jnp.asarray([0.1, -0.2, 0.3, 0.05, 0.4])
    numerical = super(type(equation).__mro__[1], equation).jacobian(state)  # that of OdeSystem, by differentiation
    np.testing.assert_allclose(equation.jacobian(state), numerical, rtol=1e-12, atol=1e-13)


def test_the_jacobian_that_lsoda_gets(monkeypatch):
    """A wrong one costs steps, not accuracy, so that no trajectory shows it."""
    calls = []

    class Spy(scipy.integrate.LSODA):
        def __init__(self, fun, t0, y0, *others, **options):
            calls.append((fun, options["jac"], y0))
            super().__init__(fun, t0, y0, *others, **options)

    monkeypatch.setattr(scipy.integrate, "LSODA", Spy)
    X, y = data()
    net = lr.networks.Diagonal(np.random.default_rng(1).uniform(0.2, 1.5, size=(2, 2, 6)))
    lr.integrate(lr.GradientFlow(net, lr.Problem(X, y), decay=0.3), TIMES)
    field, jacobian, start = calls[0]
    state, step = start + 0.1 * np.arange(1, len(start) + 1), 1e-5 * np.eye(len(start))
    numerical = np.stack([(field(0.0, state + h) - field(0.0, state - h)) / 2e-5 for h in step], axis=1)
    np.testing.assert_allclose(jacobian(0.0, state), numerical, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("power", [1, 3])
def test_other_diagonal_networks_are_followed_in_their_parameters(power):
    """Unequal rates of decay, and depth three."""
    X, y = data()
    weights = np.random.default_rng(1).uniform(0.2, 1.2, size=(2 if power == 1 else 1, 2, 6))
    rates, decay = ((0.5, 2.0), (0.3, 0.3)) if power == 1 else ((0.5,), (0.4,))
    flow = lr.GradientFlow(lr.networks.Diagonal(list(weights), power), lr.Problem(X, y), rates, decay)
    assert isinstance(choose_system(flow), ParameterSystem)
    traj = lr.integrate(flow, TIMES)
    expected = raw_diagonal(weights, power, X, y, rates, decay, TIMES)
    np.testing.assert_allclose(stacked(traj), expected, rtol=0, atol=2e-8)


def test_a_lazy_start_far_into_its_decay():
    """From α = 100 to where nothing moves: 1,000 lifetimes of a weight, after which e^{−2κt} is below float64."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(10, 25))
    y = X[:, :2] @ [2.0, -1.0]
    flow = lr.GradientFlow(lr.inits.tied_diagonal(25, 100.0), lr.Problem(X, y, kappa=0.1), decay=0.02)
    traj = lr.integrate(flow, [10.0, 200.0, 500.0, 50_000.0])
    start, root = np.full((1, 2, 25), 100.0), np.sqrt(0.1)
    expected = raw_diagonal(start, 2, root * X, root * y, (1.0,), (0.02,), [10.0, 200.0, 500.0], method="LSODA")
    beta = expected[:, 0, 0] ** 2 - expected[:, 0, 1] ** 2
    np.testing.assert_allclose(traj.beta[:3], beta, rtol=0, atol=1e-6)
    # The end is the Lasso with threshold λ, for w₊² + w₋² = |β|: a subgradient.
    end = np.asarray(traj.beta[-1])
    push = -X.T @ (X @ end - y) * 0.1
    np.testing.assert_allclose(push[np.abs(end) > 1e-9], 0.01 * np.sign(end[np.abs(end) > 1e-9]), atol=1e-9)
    assert np.max(np.abs(push)) < 0.01 * (1 + 1e-6)


def raw_relu(W, a, X, y, slope, rates, decay, times, dt=1e-4):
    """Midpoint steps of fixed size, which go back and forth across a kink that the flow slides on."""

    def field(V, b):
        z = X @ V.T
        gate = np.where(z > 0, 1.0, slope)
        r = (z * gate) @ b - y
        return (
            -rates[0] * (((r[:, None] * gate * b).T @ X) + decay[0] * V),
            -rates[1] * ((z * gate).T @ r + decay[1] * b),
        )

    states, saved = (W, a), []
    for step in range(round(times[-1] / dt)):
        half = [part + dt / 2 * move for part, move in zip(states, field(*states), strict=True)]
        states = tuple(part + dt * move for part, move in zip(states, field(*half), strict=True))
        if np.any(np.abs((step + 1) * dt - times) < dt / 2):
            saved.append(np.concatenate([states[0].ravel(), states[1]]))
    return np.array(saved)


@pytest.mark.parametrize("seed", [1, 4, 6])
def test_relu_networks_from_kink_to_kink(seed):
    rng = np.random.default_rng(seed)
    W, a, X, y = rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=(5, 3)), rng.normal(size=5)
    times, rates, decay = np.array([0.3, 1.0, 3.0]), (1.0, 0.6), (0.2, 0.35)
    flow = lr.GradientFlow(lr.TwoLayer(W, a, 0.1), lr.Problem(X, y), rates, decay)
    traj = lr.integrate(flow, times)
    assert traj.by.method == "DOP853 from kink to kink"
    assert "not unique" not in traj.by.detail
    found = np.concatenate([np.asarray(traj.nets.W).reshape(3, -1), np.asarray(traj.nets.a)], axis=1)
    np.testing.assert_allclose(found, raw_relu(W, a, X, y, 0.1, rates, decay, times), rtol=0, atol=5e-4)


def test_a_neuron_that_slides_while_it_decays():
    """f = a|w·x| on orthonormal data wants f(x₁) < 0: w₁ falls to 0 and stays, and what is left is a linear neuron."""
    w, a, y, rates, decay = [0.3, 0.4], 0.6, np.array([-0.5, 1.0]), (1.0, 0.5), (0.2, 0.1)
    flow = lr.GradientFlow(lr.TwoLayer([w], [a], -1.0), lr.Problem(np.eye(2), y), rates, decay)

    def linear(t, state):  # w₁ = 0 stays 0
        w, a = state[:2], state[2]
        r = a * w - y
        dw = -rates[0] * (r * a * (w != 0) + decay[0] * w)
        return [*dw, -rates[1] * (r @ w + decay[1] * a)]

    meets = lambda t, state: state[0]  # noqa: E731
    meets.terminal = True
    first = solve_ivp(linear, (0, 5), [*w, a], "DOP853", events=meets, rtol=1e-12, atol=1e-14)
    there = first.y[:, -1] * [0.0, 1.0, 1.0]
    times = first.t[-1] + np.array([1.0, 4.0])
    expected = solve_ivp(linear, (first.t[-1], times[-1]), there, "DOP853", times, rtol=1e-12, atol=1e-14).y.T
    traj = lr.integrate(flow, times)
    assert "1 slid on" in traj.by.detail
    found = np.column_stack([np.asarray(traj.nets.W)[:, 0], np.asarray(traj.nets.a)])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_a_dead_neuron_stays_dead_while_it_decays():
    """After 60 lifetimes, when a weight is far below the tolerance of the others, its signs are what they were."""
    X, y = np.array([[1.0, 0.2], [0.3, 1.0]]), np.array([1.0, 2.0])
    W, a = np.array([[1.0, 1.0], [-1.0, -0.5]]), np.array([1.0, 3.0])
    traj = lr.integrate(lr.GradientFlow(lr.TwoLayer(W, a), lr.Problem(X, y), decay=0.5), [1.0, 120.0])
    np.testing.assert_allclose(traj[1].W[1], np.exp(-60.0) * W[1], rtol=1e-8)
    assert "kink to kink" in traj.by.method
    assert "0 kinks crossed" in traj.by.detail


def test_single_precision_is_accurate_after_the_decay():
    """A layer that started 50 times as large as it ends: errors are relative to what is left of it."""
    X, y = data(3, 8, 6)
    rng = np.random.default_rng(4)
    W, a = rng.normal(size=(5, 6)), rng.normal(size=5)
    net = lr.TwoLayer(50 * np.vstack([W, W]), 50 * np.concatenate([a, -a]))
    flow = lr.GradientFlow(net, lr.Problem(X, y), decay=0.1)
    times = np.log(50) / 0.1 * np.array([0.5, 1.0, 1.4])
    quick, fine = lr.integrate(flow, times, precision="single", rtol=1e-3), lr.integrate(flow, times)
    np.testing.assert_allclose(quick.outputs, fine.outputs, rtol=0, atol=2e-3)
    np.testing.assert_allclose(quick.layer_norms, fine.layer_norms, rtol=6e-3)


def test_a_loss_that_rises_again_stops_the_flow_on_its_way():
    """Under decay the loss may dip and come back, within one chunk of steps."""
    X, y = data(5, 3, 8)
    flow = lr.GradientFlow(lr.inits.tied_diagonal(8, 3.0), lr.Problem(X, y), decay=0.2)
    dense = lr.integrate(flow, np.linspace(0, 40, 400))
    lowest, last = float(jnp.min(dense.loss)), float(dense.loss[-1])
    assert lowest < 0.2 * last
    level = float(np.sqrt(lowest * last))
    traj = lr.integrate(flow, [40.0], until=lr.LossBelow(level))
    first = float(dense.times[np.argmax(np.asarray(dense.loss) <= level)])
    assert abs(float(traj.times[-1]) - first) < 0.5


def test_objective_in_trajectories_and_datasets(tmp_path):
    X, y = data()
    net = lr.networks.Diagonal(np.random.default_rng(1).uniform(0.2, 1.5, size=(2, 2, 6)))
    flow = lr.GradientFlow(net, lr.Problem(X, y), (1.0, 2.0), decay=(0.1, 0.4))
    traj = lr.integrate(flow, np.linspace(0, 3, 7))
    u = stacked(traj)
    penalty = 0.05 * np.sum(u[:, 0] ** 2, axis=(1, 2)) + 0.2 * np.sum(u[:, 1] ** 2, axis=(1, 2))
    np.testing.assert_allclose(traj.objective, np.asarray(traj.loss) + penalty, rtol=1e-13)
    assert np.all(np.diff(traj.objective) < 0)
    dataset = traj.to_xarray()
    np.testing.assert_array_equal(dataset["objective"], traj.objective)
    assert "objective" not in lr.integrate(lr.GradientFlow(net, lr.Problem(X, y)), [1.0]).to_xarray()
    traj.save(tmp_path / "run.npz")
    back = lr.Trajectory.load(tmp_path / "run.npz")
    assert [float(value) for value in back.flow.decay] == [0.1, 0.4]
    np.testing.assert_array_equal(back.objective, traj.objective)
    labels = [line.get_label() for line in traj.plot().axes[0].lines]
    assert labels == ["loss of the data", "with the penalty of decay"]
    assert "decay 0.1, 0.4" in repr(flow)
    assert "decay 0.4" in flow._repr_html_()


def test_conserved_quantities_decay():
    X, y = data()
    rates, rng = (0.5, 2.0), np.random.default_rng(1)
    nets = {
        "untied": (lr.networks.Diagonal(rng.uniform(0.2, 1.5, size=(2, 2, 6))), rates),
        "tied, cubic": (lr.networks.Diagonal(rng.uniform(0.2, 1.0, size=(1, 2, 6)), 3), (0.5,)),
        "linear": (lr.DeepLinear([rng.normal(size=(3, 6)), rng.normal(size=(1, 3))]), rates),
        "ReLU": (lr.TwoLayer(rng.normal(size=(3, 6)), rng.normal(size=3)), rates),
    }
    for name, (net, rate) in nets.items():
        flow = lr.GradientFlow(net, lr.Problem(X, y), rate, [0.25 / r for r in rate])
        drift = lr.metrics.conservation_drift(lr.integrate(flow, [0.5, 2.0]))
        assert drift, name
        assert max(float(jnp.max(value)) for value in drift.values()) < 1e-8, (name, drift)
    unequal = lr.integrate(lr.GradientFlow(nets["untied"][0], lr.Problem(X, y), rates, 0.25), [1.0])
    with pytest.raises(ValueError, match=r"is the same for all layers; found 0\.125, 0\.5"):
        lr.metrics.conservation_drift(unequal)


def test_diffusion_decays_with_its_flow():
    """Without noise, its steps are Euler's on the raw equations."""
    X, y = data()
    u, steps, dt = np.random.default_rng(1).uniform(0.2, 1.5, size=(2, 2, 6)), 50, 0.01
    flow = lr.GradientFlow(lr.networks.Diagonal(list(u)), lr.Problem(X, y), decay=(0.3, 0.7))
    found = lr.diffuse(flow, [steps * dt], jax.random.key(0), dt=dt, sigma=0.0)
    for _ in range(steps):
        slope = X.T @ (X @ (u[0, 0] * u[1, 0] - u[0, 1] * u[1, 1]) - y)
        sides = np.array([slope, -slope])
        u = u - dt * np.stack([sides * u[1] + 0.3 * u[0], sides * u[0] + 0.7 * u[1]])
    np.testing.assert_allclose(stacked(found)[-1], u, rtol=0, atol=1e-12)
