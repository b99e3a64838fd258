"""Modes far smaller than the network: hypotheses are measured mode by mode, and a defect relative to the weakest."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lazyrich as lr
from lazyrich.theorems.sensitivity import amplify_defect, sensitivity


def frames(turned, count=4):
    rng = np.random.default_rng(0)
    return [np.linalg.qr(rng.normal(size=(3, 3)))[0] if turned else np.eye(3) for _ in range(count)]


def deep_flow(size, factors, turned, small_target=1.0):
    """Three layers with a mode of this size, times a factor in each layer; and the frames."""
    Q = frames(turned)
    layers = [Q[l + 1] @ np.diag([1.0, 0.6, size * factors[l]]) @ Q[l].T for l in range(3)]
    target = Q[0] @ np.diag([2.0, 1.2, small_target]) @ Q[3].T
    return lr.GradientFlow(lr.DeepLinear(layers), lr.Problem(np.eye(3), target)), Q


def mode_alone(start, s, times):
    """The sizes of one mode in three layers, by LSODA on its own equation."""
    slope = lambda t, z: (s - z.prod()) * np.array([z[1] * z[2], z[0] * z[2], z[0] * z[1]])  # noqa: E731
    atol = 1e-12 * np.min(start)
    return solve_ivp(slope, (0, times[-1]), start, "LSODA", t_eval=times, rtol=1e-11, atol=atol).y


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("size", [1e-3, 1e-7, 1e-9])
def test_a_small_balanced_mode_of_deep_layers_is_learned_in_time(size, turned):
    flow, Q = deep_flow(size, np.ones(3), turned)
    times = np.array([0.5, 0.9]) / size
    traj, right = lr.exact(flow, times), mode_alone(np.full(3, size), 1.0, times)
    for l, W in enumerate(traj.nets.weights):
        found = np.einsum("i,tij,j->t", Q[l + 1][:, 2], np.asarray(W), Q[l][:, 2])
        np.testing.assert_allclose(found, right[l], rtol=1e-8 + 2e-14 / size)
    assert ("rounding of the weights" in traj.by.detail) == (turned and size < 1e-4)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("size", [1e-4, 1e-6, 1e-8])
def test_a_small_mode_of_unbalanced_layers_is_refused(size, turned):
    flow, _ = deep_flow(size, (1.0, 1.0, 4.0), turned)
    with pytest.raises(lr.NoTheoremApplies, match=r"balanced layers \(off by [78]e-01\)"):
        lr.exact(flow, [1.0])
    again = eqx.filter_jit(lambda flow: lr.exact(flow, [1.0], theorem="deep aligned modes").beta)
    with pytest.raises(Exception, match="'balanced layers' does not hold"):
        again(flow)


def test_an_isotropic_network_learns_modes_down_to_3e_14():
    target = np.diag([4.0, 2.0])
    for size in (1e-12, 1e-13, 3e-14):
        flow = lr.GradientFlow(lr.DeepLinear([np.diag([1.0, size])] * 2), lr.Problem(np.eye(2), target))
        late = -np.log(size) / 2
        traj = lr.exact(flow, [late, 40.0], theorem="isotropic imbalance")
        grown = 2 / (1 + (2 / size**2 - 1) * np.exp(-4 * late))  # the logistic curve
        np.testing.assert_allclose(traj.beta[:, 1, 1], [grown, 2.0], rtol=1e-12)
        assert "saddle" not in traj.by.detail
    absent = lr.GradientFlow(lr.DeepLinear([np.diag([1.0, 1e-15])] * 2), lr.Problem(np.eye(2), target))
    assert "decided by rounding" in lr.exact(absent, [40.0], theorem="isotropic imbalance").by.detail


def nearly_commuting(defect, size):
    X = np.stack([np.array([[1.0, defect], [defect, 0.0]]).ravel(), np.diag([0.0, 1.0]).ravel()])
    return lr.GradientFlow(lr.Factorization(np.diag([1.0, size])), lr.Problem(X, [4.0, 2.0]))


def nearly_orthogonal(defect, label):
    return lr.GradientFlow(lr.inits.tied_diagonal(2, 1.0), lr.Problem([[1.0, defect], [0.0, 1.0]], [1.0, label]))


def nearly_white(defect, size):
    problem = lr.Problem([[1.0, defect], [0.0, 1.0]], np.diag([4.0, 2.0]))
    return lr.GradientFlow(lr.DeepLinear([np.diag([1.0, size])] * 2), problem)


@pytest.mark.parametrize("make", [nearly_commuting, nearly_orthogonal, nearly_white])
def test_a_hypothesis_that_nearly_holds_is_measured_against_the_weakest_mode(make):
    assert lr.explain(make(4e-12, 0.5)).theorem is not None  # nothing is weak: it counts as held
    assert lr.explain(make(2e-15, 1e-10)).theorem is not None  # rounding: whatever it does, it is no reason
    weak = make(4e-12, 1e-10)
    assert lr.explain(weak).theorem is None
    with pytest.raises(lr.NoTheoremApplies, match="off by"):
        lr.exact(weak, [1.0])
    assert lr.solve(weak, [1.0]).by.kind == "integrated"


def test_inside_jit_a_hypothesis_that_nearly_holds_is_measured_alike():
    beta = eqx.filter_jit(lambda flow: lr.exact(flow, [1.0], theorem="aligned modes").beta)
    assert np.all(np.isfinite(beta(nearly_white(4e-12, 0.5))))
    with pytest.raises(Exception, match="'whitened inputs' does not hold"):
        beta(nearly_white(4e-12, 1e-10))


def test_where_a_defect_of_1e_12_decides_the_answer_solve_is_right():
    flow, times = nearly_commuting(5e-12, 1e-13), [6.5, 7.0]
    np.testing.assert_allclose(lr.solve(flow, times).loss, [1.31608087, 0.01064418], rtol=1e-5)  # DOP853, rtol 1e-12


def test_the_sensitivity_of_modes():
    """A mode of 1e-3 in two layers is 1e3 times weaker; in three, later by the square of it; so is a small target."""
    for depth in (2, 3):
        net = lr.DeepLinear([np.diag([1.0, 1e-3])] * depth)
        for s in (1.0, 1e-4):
            flow = lr.GradientFlow(net, lr.Problem(np.eye(2), np.diag([1.0, s])))
            assert float(sensitivity(flow)) == pytest.approx((1e3 / np.sqrt(2) if depth == 2 else 1e6) / s, rel=1e-6)
    absent = lr.GradientFlow(lr.DeepLinear([np.diag([1.0, 0.0])] * 2), lr.Problem(np.eye(2), np.diag([2.0, 1.0])))
    assert float(sensitivity(absent)) == np.inf
    for depth in (2, 3):  # nothing is to be learned
        nothing = lr.GradientFlow(lr.DeepLinear([np.eye(2)] * depth), lr.Problem(np.eye(2), np.zeros((2, 2))))
        assert float(sensitivity(nothing)) == 1
    np.testing.assert_array_equal(amplify_defect(jnp.array([1e-14, 1e-12, 1e-10]), np.inf), [1e-14, 1.0, 1e-10])
    np.testing.assert_array_equal(amplify_defect(jnp.array([1e-14, 1e-12, 1e-10]), 100.0), [1e-14, 1e-12, 1e-10])


@pytest.mark.parametrize("size", [1e-3, 3e-10, 1e-12])
def test_a_small_eigenvalue_in_a_turned_frame_grows_along_its_own_eigenvector(size):
    """The frame is known to 1e-14 of the network: what it gives a small row of the large one must not grow."""
    rng = np.random.default_rng(2)
    Q, R, S = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(3))
    target, start = np.array([2.0, 1.6, 1.0]), np.array([1.0, 0.8, size])
    A = np.einsum("ij,nj,kj->nik", Q, S, Q).reshape(3, 9)
    flow = lr.GradientFlow(lr.Factorization(Q @ np.diag(start) @ R), lr.Problem(A, S @ target))
    times = np.array([0.5, 1.0, 2.0]) * -np.log(size) / 2
    traj = lr.exact(flow, times)
    right = [np.diag(target / (1 + (target / start**2 - 1) * np.exp(-4 * target * t))) for t in times]
    found = Q.T @ np.asarray(traj.beta).reshape(-1, 3, 3) @ Q
    np.testing.assert_allclose(found, right, atol=1e-13 + 4e-15 / size)
    assert ("rounding of the weights" in traj.by.detail) == (size < 1e-7)
    np.testing.assert_allclose(Q.T @ np.asarray(lr.limit(flow).value).reshape(3, 3) @ Q, np.diag(target), atol=1e-9)


@pytest.mark.parametrize("turned", [False, True])
def test_an_unbalanced_small_mode_is_integrated_as_exactly_as_it_is_known(turned):
    factors = np.array([0.5, 2.0, 1.3])
    flow, Q = deep_flow(2e-6, factors, turned)
    start = 2e-6 * factors

    def half(t, z):
        return z.prod() - 0.5

    half.terminal = True
    slope = lambda t, z: (1.0 - z.prod()) * np.array([z[1] * z[2], z[0] * z[2], z[0] * z[1]])  # noqa: E731
    ran = solve_ivp(slope, (0, 1e8), start, "LSODA", rtol=1e-12, atol=1e-20, events=half)
    middle = ran.t_events[0][0]
    times = middle + np.array([-1.0, 0.0, 1.0, 1e5])
    right = solve_ivp(slope, (0, times[-1]), start, "LSODA", t_eval=times, rtol=1e-12, atol=1e-20).y.prod(axis=0)
    traj = lr.integrate(flow, times)
    found = np.einsum("i,tij,j->t", Q[0][:, 2], np.asarray(traj.beta), Q[3][:, 2])
    # A relative error of 1e-16 / 2e-6 in turned weights moves the time, 7e5, by that share of it.
    np.testing.assert_allclose(found, right, atol=1e-3 if turned else 1e-5)


def test_where_an_error_of_a_small_mode_grows_beyond_bounds_it_is_said():
    layers = [np.diag([1.0, 1e-4 * factor]) for factor in (1.0, 2.0, 0.5, 1.0, 1.5, 1.0)]
    flow = lr.GradientFlow(lr.DeepLinear(layers), lr.Problem(np.eye(2), np.diag([1.5, 1.0])))
    assert "leaves the outputs uncertain" in lr.integrate(flow, [1.0]).by.detail


def test_a_late_mode_with_a_larger_target_than_an_early_one_is_decided_by_rounding_in_turned_weights():
    # The units of the mode with target 1.2 carry the one with 1.5 at a rate 1.2^(1/3) · 0.3, from 1e-16, within 1e2.
    for turned in (False, True):
        flow, Q = deep_flow(1e-5, np.ones(3), turned, small_target=1.5)
        traj = lr.exact(flow, [1e3])
        assert ("learned much later than weaker ones" in traj.by.detail) == turned
        assert "decided by rounding" not in lr.exact(flow, [10.0]).by.detail
        learned = Q[0][:, 2] @ np.asarray(lr.integrate(flow, [1e3]).beta[0]) @ Q[3][:, 2]
        assert (learned > 1.4) == turned
