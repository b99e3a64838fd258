"""Piecewise-linear networks from kink to kink: crossings, sliding, rest at the origin."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import lazyrich as lr
from lazyrich.numerics import kinks


def random_flow(slope, seed, d=3, h=5, n=6):
    k1, k2, k3 = jax.random.split(jax.random.key(seed), 3)
    net = lr.inits.two_layer(k3, d, h, (0.5, 0.5), slope)
    return lr.GradientFlow(net, lr.Problem(jax.random.normal(k1, (n, d)), jax.random.normal(k2, (n,))))


def flat(net):
    return np.concatenate([np.asarray(net.W).ravel(), np.asarray(net.a)])


def drift(traj):
    delta = np.stack([np.asarray(traj[i].conserved_quantities(traj.flow.rates)["delta"]) for i in range(len(traj))])
    return np.max(np.abs(delta - delta[0]))


def test_a_neuron_that_slides_in_closed_form():
    """f = a|w·x| on orthonormal data wants f(x₁) < 0: it learns like a linear neuron until w₁ = 0, slides there, and
    goes on as a linear neuron of the other input alone."""
    X, y = jnp.eye(2), jnp.array([-0.5, 1.0])
    w, a = [0.3, 0.4], 0.6
    flow = lr.GradientFlow(lr.TwoLayer([w], [a], negative_slope=-1.0), lr.Problem(X, y))
    traj = lr.integrate(flow, [0.0, 0.3, 0.8, 2.0, 50.0])
    assert traj.by.method == "DOP853 from kink to kink"
    assert "1 slid on" in traj.by.detail

    def exactly(w, a, y, times):
        net = lr.DeepLinear([[w], [[a]]])
        return lr.exact(lr.GradientFlow(net, lr.Problem(jnp.eye(len(w)), y)), times)

    meets = brentq(lambda t: float(exactly(w, a, y, [t])[-1].weights[0][0, 0]), 0.01, 3.0, xtol=1e-15, rtol=1e-15)
    assert 0.3 < meets < 2.0
    there = exactly(w, a, y, [meets])[-1]
    for t, net in zip(np.asarray(traj.times), (traj[i] for i in range(5)), strict=True):
        if t <= meets:
            ref = exactly(w, a, y, [t])[-1]
            expected = [*np.asarray(ref.weights[0][0]), float(ref.weights[1][0, 0])]
        else:
            ref = exactly([float(there.weights[0][0, 1])], float(there.weights[1][0, 0]), y[1:], [t - meets])[-1]
            expected = [0.0, float(ref.weights[0][0, 0]), float(ref.weights[1][0, 0])]
        np.testing.assert_allclose(flat(net), expected, rtol=0, atol=2e-11)
    assert float(traj[-1].W[0, 0]) == 0.0


def test_a_neuron_that_comes_to_rest_at_the_origin():
    """In one dimension with δ > 0, |w| shrinks to 0 in finite time and stays, at a = √δ."""
    net = lr.TwoLayer([[0.5]], [1.0], negative_slope=-1.0)
    traj = lr.integrate(lr.GradientFlow(net, lr.Problem([[1.0], [-2.0]], [-1.0, -1.0])), [0.1, 5.0, 1e4])
    assert float(traj[0].W[0, 0]) > 0
    assert float(traj[1].W[0, 0]) == float(traj[2].W[0, 0]) == 0.0
    np.testing.assert_allclose(float(traj[2].a[0]), np.sqrt(0.75), rtol=1e-11)
    assert "come to rest at w = 0" in traj.by.detail


class Reference:
    """The same flow by other means: scipy's event finder on one configuration of gates at a time, the next one found by
    trying all (every pair on a kink: +, −, or a gate in between), velocities pair by pair."""

    def __init__(self, flow):
        self.X, self.y, self.rho = np.asarray(flow.problem.X), np.asarray(flow.problem.y), flow.net.negative_slope
        self.h, self.d = flow.net.W.shape
        self.state = flat(flow.net)
        z = self.X @ np.asarray(flow.net.W).T
        self.mode = np.sign(z).astype(int)

    def split(self, v):
        return v[: self.h * self.d].reshape(self.h, self.d), v[self.h * self.d :]

    def gates(self, v, mode):
        W, a = self.split(v)
        f = sum(a[k] * np.maximum(self.X @ W[k], self.rho * (self.X @ W[k])) * (mode[:, k] != 0) for k in range(self.h))
        r = f - self.y
        c = np.where(mode > 0, 1.0, self.rho)
        for k in range(self.h):
            on = mode[:, k] == 0
            if on.any():
                rest = (self.X[on] @ self.X[~on].T) @ (r[~on] * c[~on, k])
                c[on, k] = np.linalg.solve((self.X[on] @ self.X[on].T) * r[on], -rest)
        return r, c

    def velocity(self, v, mode):
        W, a = self.split(v)
        r, c = self.gates(v, mode)
        w_dot = np.stack([-a[k] * sum(r[i] * c[i, k] * self.X[i] for i in range(len(r))) for k in range(self.h)])
        hidden = np.where(mode == 0, 0.0, c * (self.X @ W.T))
        return np.concatenate([w_dot.ravel(), -(r @ hidden)])

    def run(self, end):
        t, v, mode = 0.0, self.state, self.mode
        for _ in range(200):
            free = [(i, k) for i in range(len(self.X)) for k in range(self.h) if mode[i, k] != 0]
            held = [(i, k) for i in range(len(self.X)) for k in range(self.h) if mode[i, k] == 0]
            events = [lambda t, v, i=i, k=k: self.X[i] @ self.split(v)[0][k] for i, k in free]
            for i, k in held:
                events += [
                    lambda t, v, i=i, k=k, mode=mode: self.gates(v, mode)[1][i, k] - 1,
                    lambda t, v, i=i, k=k, mode=mode: self.gates(v, mode)[1][i, k] - self.rho,
                ]
            for number, event in enumerate(events):
                event.terminal = True
                # A pair that has just left its kink must not count as coming back.
                event.direction = (
                    -mode[free[number]] if number < len(free) else (1 if (number - len(free)) % 2 == 0 else -1)
                )
            found = solve_ivp(
                lambda t, v, mode=mode: self.velocity(v, mode),
                (t, end),
                v,
                method="DOP853",
                rtol=1e-13,
                atol=1e-15,
                events=events,
            )
            t, v = found.t[-1], found.y[:, -1]
            if found.status == 0:
                return v
            hit = next(number for number, times in enumerate(found.t_events) if len(times))
            mode = mode.copy()
            if hit >= len(free):
                i, k = held[(hit - len(free)) // 2]
                mode[i, k] = 1 if (hit - len(free)) % 2 == 0 else -1
                continue
            i, k = free[hit]
            mode = self.choose(v, mode, i, k)
        raise AssertionError("too many switches")

    def choose(self, v, mode, i, k):
        good, on_kink = [], np.union1d(np.flatnonzero(mode[:, k] == 0), [i])
        for modes in itertools.product((1, -1, 0), repeat=len(on_kink)):
            trial = mode.copy()
            trial[on_kink, k] = modes
            _, c = self.gates(v, trial)
            z_dot = self.X @ self.split(self.velocity(v, trial))[0][k]
            on = trial[:, k] == 0
            inside = np.all((c[on, k] >= self.rho - 1e-9) & (c[on, k] <= 1 + 1e-9))
            if inside and all(new == 0 or new * z_dot[j] > 0 for j, new in zip(on_kink, modes, strict=True)):
                good.append(trial)
        assert len(good) == 1, "this reference is for generic switches"
        return good[0]


SLIDING = [
    (0.3, 1, 5.0, 5),
    (-1.0, 3, 5.0, 5),
    (0.0, 1, 10.0, 5),
    (0.3, 5, 5.0, 5),
    (0.2, 0, 3.0, 2),
    pytest.param(0.1, 0, 0.7, 50, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("slope", "seed", "end", "h"), SLIDING)
def test_against_another_event_solver(slope, seed, end, h):
    flow = random_flow(slope, seed, h=h)
    traj = lr.integrate(flow, [0.0, end / 3, end])
    assert " 0 slid on" not in traj.by.detail
    np.testing.assert_allclose(flat(traj[-1]), Reference(flow).run(end), rtol=0, atol=1e-9)
    assert drift(traj) < 1e-10


def blurred(flow, end, eps):
    """The same network with a ramp of width eps in place of the jump of the gate: smooth, and wrong by O(eps)."""
    X, y, rho = np.asarray(flow.problem.X), np.asarray(flow.problem.y), flow.net.negative_slope
    h, d = flow.net.W.shape

    def field(t, v):
        W, a = v[: h * d].reshape(h, d), v[h * d :]
        z = X @ W.T
        s = np.clip(z / eps + 0.5, 0, 1)
        hidden = rho * z + (1 - rho) * np.where(z > eps / 2, z, eps * s**2 / 2)
        r = hidden @ a - y
        return np.concatenate([-((r[:, None] * (rho + (1 - rho) * s) * a).T @ X).ravel(), -(r @ hidden)])

    return solve_ivp(field, (0, end), flat(flow.net), method="LSODA", rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.parametrize(("slope", "seed", "end"), [(0.3, 1, 5.0), (0.0, 5, 10.0)])
def test_it_is_the_limit_of_smooth_gates(slope, seed, end):
    """Filippov's solution is what gates with ever steeper ramps tend to; extrapolated to width 0, to eight digits."""
    flow = random_flow(slope, seed)
    ours = flat(lr.integrate(flow, [end])[-1])
    wide, half, quarter = (blurred(flow, end, eps) for eps in (4e-4, 2e-4, 1e-4))
    first = np.max(np.abs(quarter - ours))
    assert 1e-6 < first < 1e-4
    extrapolated = (4 * (2 * quarter - half) - (2 * half - wide)) / 3
    np.testing.assert_allclose(extrapolated, ours, rtol=0, atol=5e-8)


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_descent_tends_to_it(slope):
    flow = random_flow(slope, 0 if slope == 0 else 1)
    ours = flat(lr.integrate(flow, [5.0])[-1])
    gaps = [
        np.max(np.abs(flat(lr.descend(flow, round(5 / lr_), lr_, every=round(5 / lr_))[-1]) - ours))
        for lr_ in (1e-3, 1e-4)
    ]
    assert gaps[1] < 0.15 * gaps[0] < 1e-3


@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0])
def test_many_neurons_in_the_plane_keep_what_is_conserved(delta):
    """kunin2024, figure 1a: at δ = 1 neurons slide into the origin, where all kinks meet, and rest for a while."""
    net, problem, _ = lr.inits.teacher_student(jax.random.key(3), 2, 50, 3, 20, 0.1, delta)
    flow = lr.GradientFlow(net, lr.Problem(problem.X, problem.y, kappa=0.1))
    traj = lr.integrate(flow, [0.0, 0.1, 0.5])
    assert drift(traj) < 1e-9
    assert bool(jnp.all(jnp.diff(traj.loss) < 0))
    if delta > 0:
        assert "come to rest" in traj.by.detail
        assert int(jnp.sum(jnp.all(traj[1].W == 0, axis=1))) >= 10
        gap = [float(jnp.max(jnp.abs(lr.descend(flow, n, 0.1 / n, every=n)[-1].W - traj[1].W))) for n in (1000, 10_000)]
        assert gap[1] < 0.2 * gap[0] < 1e-3


def test_stopping_saving_and_running_out():
    flow = random_flow(0.3, 3)
    dense = lr.integrate(flow, np.linspace(0, 5, 41))
    few = lr.integrate(flow, [0.0, 2.5, 5.0])
    np.testing.assert_allclose(flat(dense[20]), flat(few[1]), atol=1e-10)
    np.testing.assert_allclose(flat(dense[40]), flat(few[2]), atol=1e-10)
    stopped = lr.integrate(flow, [0.0, 100.0], until=lr.LossBelow(0.5))
    assert "the loss is at most 0.5 at t = " in stopped.stop_reason
    assert float(stopped.loss[-1]) <= 0.5 < float(dense.loss[0])
    assert lr.integrate(flow, [1.0], until=lr.LossBelow(1e3)).stop_reason.endswith("at t = 0")
    with pytest.raises(lr.IntegrationError, match="ran out of 20 steps") as error:
        lr.integrate(flow, [0.0, 50.0], max_steps=20)
    assert 0 < float(error.value.trajectory.times[-1]) < 50


def test_what_is_not_determined_is_said():
    """Where a changes its sign on a kink, both sides are ways on."""
    flow = random_flow(0.3, 4)
    assert "the flow is not unique" in lr.integrate(flow, [20.0]).by.detail
    # A start at w = 0 is on all kinks at once: left to the general solver.
    net = lr.TwoLayer([[0.0, 0.0], [1.0, 0.3]], [1.0, 0.5])
    traj = lr.integrate(lr.GradientFlow(net, lr.Problem([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0])), [1.0])
    assert "kink to kink" not in traj.by.method


def test_margin_losses_and_rates():
    """Conserved with unequal rates, under the logistic loss."""
    k1, k2, k3 = jax.random.split(jax.random.key(2), 3)
    X = jax.random.normal(k1, (8, 3))
    y = jnp.sign(jax.random.normal(k2, (8,)))
    net = lr.inits.two_layer(k3, 3, 4, (0.5, 0.5), 0.1)
    traj = lr.integrate(lr.GradientFlow(net, lr.Problem(X, y, lr.Logistic()), rates=(1.0, 0.3)), [0.0, 20.0])
    assert "kink to kink" in traj.by.method
    assert drift(traj) < 1e-10


def test_the_shortest_pull_in_a_box():
    rng = np.random.default_rng(0)
    X, pull = rng.normal(size=(2, 3)), rng.normal(size=3)
    low, high = np.array([-0.1, -0.2]), np.array([0.3, 0.1])
    best = kinks._min_norm_in_box(X, pull, low, high)
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 201) for a, b in zip(low, high, strict=True))), -1).reshape(-1, 2)
    assert np.linalg.norm(pull + best @ X) <= np.min(np.linalg.norm(pull + grid @ X, axis=1)) + 1e-12


def test_the_unit_of_time_does_not_matter():
    rng = np.random.default_rng(0)
    net = lr.TwoLayer(rng.normal(size=(6, 2)), rng.normal(size=6))
    X, y = rng.normal(size=(8, 2)), rng.normal(size=8)
    slow, fast = (
        lr.integrate(lr.GradientFlow(net, lr.Problem(X, y, kappa=c)), np.array([0.3, 1.0, 3.0]) / c)
        for c in (1.0, 1e12)
    )
    np.testing.assert_allclose(fast.nets.W, slow.nets.W, rtol=0, atol=1e-11)


def test_a_lazy_network_keeps_its_outputs():
    """At scale 1e4 the weights move by 1e-4 of themselves, and it is that movement that must be right."""
    W = 1e4 * np.random.default_rng(0).normal(size=(2, 2))
    net = lr.TwoLayer(np.vstack([W, W]), 1e4 * np.array([1.0, 0.7, -1.0, -0.7]))
    flow = lr.GradientFlow(net, lr.Problem([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], [0.3, -0.5, 0.2]))
    times = np.array([0.3, 1.0, 3.0]) / 1e8
    traj = lr.integrate(flow, times)
    assert "kink to kink" in traj.by.method
    np.testing.assert_allclose(traj.outputs, lr.exact(flow.linearize(), times).outputs, atol=5e-7)
    huge = lr.integrate(flow.with_net(lr.TwoLayer(1e4 * net.W, 1e4 * net.a)), times / 1e8)
    assert "rounding at this scale" in huge.by.detail


def test_labels_as_a_column_and_repeated_samples():
    net = lr.TwoLayer([[1.0, 0.5]], [1.0])
    column, row = (
        lr.integrate(lr.GradientFlow(net, lr.Problem([[1.0, 0.0], [0.0, 1.0]], y)), [1.0])
        for y in ([[2.0], [1.0]], [2.0, 1.0])
    )
    np.testing.assert_allclose(column.nets.W, row.nets.W)
    X = [[1.0, 0.0]] * 30 + [[-0.5, 1.0], [0.2, -1.0]]
    flow = lr.GradientFlow(lr.TwoLayer([[0.5, 0.5]], [2.0]), lr.Problem(X, [-1.0] * 31 + [5.0]))
    assert bool(jnp.isfinite(lr.integrate(flow, [0.1]).loss[-1]))


def test_a_start_on_a_kink_that_is_not_unique_is_said():
    net = lr.TwoLayer([[0.0, 1.0]], [1.0])
    traj = lr.integrate(lr.GradientFlow(net, lr.Problem([[1.0, 0.0], [0.0, 1.0]], [2.0, 1.0])), [1.0])
    assert "not unique" in traj.by.detail
