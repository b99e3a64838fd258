"""Mirror flows by LSODA: the same as by diffrax on the same variable and on the weights, and never a silent failure."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.integrate
from scipy.integrate import LSODA, solve_ivp

import lazyrich as lr
from lazyrich.numerics import lsoda_stepper
from lazyrich.numerics.ode_system import choose_system
from lazyrich.problem import Loss

RNG = np.random.default_rng(5)
X = RNG.normal(size=(3, 6))
LOSSES = {
    "square": (lr.Square(), RNG.normal(size=3)),
    "logistic": (lr.Logistic(), np.array([1.0, -1.0, 1.0])),
    "exponential": (lr.Exponential(), np.array([1.0, -1.0, 1.0])),
}
one_sided = RNG.uniform(0.1, 0.6, size=(2, 6))
one_sided[0, 0] = one_sided[1, 1] = one_sided[:, 2] = 0.0
NETS = {
    "tied": lr.inits.tied_diagonal(6, 0.1),
    "tied, of all signs": lr.Diagonal([RNG.normal(size=(2, 6))], power=2),
    "tied, with dead sides": lr.Diagonal([one_sided], power=2),
    "untied": lr.Diagonal(list(RNG.normal(size=(2, 2, 6)))),
    "lazy": lr.inits.tied_diagonal(6, 5.0),
}
TIMES = np.array([0.0, 0.3, 0.3, 1.0, 4.0])


@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("loss", LOSSES)
def test_as_by_another_method_on_the_weights(net, loss):
    kind, y = LOSSES[loss]
    flow = lr.GradientFlow(NETS[net], lr.Problem(X, y, kind, 0.7), 1.3)
    ours = lr.integrate(flow, TIMES)
    assert ours.by.method == "LSODA"
    first = np.concatenate([np.ravel(layer) for layer in flow.net.layers])

    def by_hand(_, theta):
        weights = theta.reshape(-1, 2, 6)
        u, v = weights[0], weights[-1]
        slope = 1.3 * 0.7 * X.T @ kind.derivative(X @ (u[0] * v[0] - u[1] * v[1]), y) * np.array([[1.0], [-1.0]])
        return -np.ravel([2 * u * slope] if len(weights) == 1 else [v * slope, u * slope])

    with np.errstate(all="ignore"):
        theirs = solve_ivp(by_hand, (0, TIMES[-1]), first, "DOP853", np.unique(TIMES), rtol=1e-12, atol=1e-15).y.T
    found = np.concatenate([np.reshape(layer, (len(TIMES), -1)) for layer in ours.nets.layers], axis=1)
    np.testing.assert_allclose(found[[0, 1, 3, 4]], theirs, rtol=1e-8, atol=1e-9)
    np.testing.assert_array_equal(found[1], found[2])


@pytest.mark.parametrize("loss", LOSSES)
def test_the_curvature_is_the_derivative_of_the_slope(loss):
    kind, y = LOSSES[loss]
    f = RNG.normal(size=3)
    np.testing.assert_allclose(
        kind.second_derivative(f, y), (kind.derivative(f + 1e-6, y) - kind.derivative(f - 1e-6, y)) / 2e-6, rtol=1e-8
    )
    np.testing.assert_allclose(kind.second_derivative(f, y), Loss.second_derivative(kind, f, y), rtol=1e-14)


@pytest.mark.parametrize("alpha", [1e-3, 1e-12, 1e-100])
def test_over_plateaus_to_where_the_theorem_says(alpha):
    flow = lr.GradientFlow(lr.inits.tied_diagonal(6, alpha), lr.Problem(X, LOSSES["square"][1]))
    traj = lr.integrate(flow, [1e5], until=lr.LossBelow(1e-20))
    assert traj.by.method == "LSODA"
    np.testing.assert_allclose(traj.beta[-1], lr.limit(flow).value, rtol=1e-7, atol=1e-9)


def test_stops_at_the_end_of_the_first_step_where_the_condition_holds(monkeypatch):
    flow = lr.GradientFlow(NETS["tied"], lr.Problem(X, LOSSES["square"][1]))
    monkeypatch.setattr(lsoda_stepper, "CHUNK_STEPS", 1)
    one = lr.integrate(flow, [0.1, 50.0], until=lr.LossBelow(1e-3))
    monkeypatch.setattr(lsoda_stepper, "CHUNK_STEPS", 64)
    many = lr.integrate(flow, [0.1, 50.0], until=lr.LossBelow(1e-3))
    assert one.loss[-1] <= 1e-3
    assert (one.stats["steps"], one.stop_reason) == (many.stats["steps"], many.stop_reason)
    np.testing.assert_array_equal(one.times, many.times)
    before = lr.integrate(flow, [50.0], until=lr.LossBelow(1e-3))
    assert before.stats["steps"] == many.stats["steps"]
    with pytest.raises(lr.IntegrationError) as error:
        lr.integrate(flow, [50.0], until=lr.LossBelow(1e-3), max_steps=many.stats["steps"] - 1)
    assert error.value.trajectory.loss[-1] > 1e-3


class Failing(LSODA):
    def _step_impl(self):
        return (False, "no way on") if self.t > 0.1 else super()._step_impl()


class Astray(LSODA):
    def _step_impl(self):
        done = super()._step_impl()
        if self.t > 0.1:
            self.y = np.full_like(self.y, np.nan)
        return done


@pytest.mark.parametrize("broken", [Failing, Astray])
def test_what_it_cannot_do_is_done_by_diffrax(broken, monkeypatch):
    flow = lr.GradientFlow(NETS["untied"], lr.Problem(X, LOSSES["square"][1]))
    right = lr.integrate(flow, TIMES)
    monkeypatch.setattr(scipy.integrate, "LSODA", broken)
    found = lr.integrate(flow, TIMES)
    assert "Dopri8" in found.by.method
    np.testing.assert_allclose(found.beta, right.beta, rtol=1e-8)


def test_many_threads_at_once():
    flows = [
        lr.GradientFlow(lr.inits.tied_diagonal(6, a), lr.Problem(X, LOSSES["square"][1])) for a in (0.1, 0.2, 0.3, 0.4)
    ]
    alone = [lr.integrate(flow, TIMES).beta for flow in flows]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda flow: lr.integrate(flow, TIMES).beta, flows))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)


def test_many_samples_are_left_to_diffrax():
    inputs = np.random.default_rng(0).normal(size=(lsoda_stepper.MAX_SIZE + 1, lsoda_stepper.MAX_SIZE + 2))
    for rows, suits in ((lsoda_stepper.MAX_SIZE, True), (lsoda_stepper.MAX_SIZE + 1, False)):
        problem = lr.Problem(inputs[:rows], np.ones(rows))
        assert (
            lsoda_stepper.is_suitable(choose_system(lr.GradientFlow(lr.inits.tied_diagonal(problem.d, 0.1), problem)))
            is suits
        )


def test_what_is_not_there_stays_so_for_ever():
    """0 · e^∞ is 0 here."""
    nothing = lr.integrate(lr.GradientFlow(lr.Diagonal([np.zeros((2, 6))], 2), lr.Problem(X, np.ones(3))), [1e6])
    assert not np.any(nothing.beta)
    one_side = lr.Diagonal([np.array([[0.3] * 6, [0.0] * 6])], 2)
    against = lr.integrate(lr.GradientFlow(one_side, lr.Problem(np.abs(X), -np.ones(3))), [1e6])
    assert np.all(np.asarray(against.beta) >= 0)
    assert np.all(np.asarray(against.beta) < 1e-5)


@pytest.mark.filterwarnings("error")
def test_at_the_ends_of_float64():
    y = LOSSES["square"][1]
    large = lr.GradientFlow(NETS["tied"], lr.Problem(X, 1e300 * y))
    np.testing.assert_allclose(lr.integrate(large, [10.0]).beta[-1], lr.limit(large).value, rtol=1e-6)
    for unit in (1e80, 1e200):
        with pytest.raises(lr.IntegrationError, match="cannot be followed"):
            lr.integrate(lr.GradientFlow(NETS["tied"], lr.Problem(unit * X, y)), [1.0])
