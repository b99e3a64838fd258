"""`integrate` against independent integrators, at extremes, and through jit, vmap and grad."""

import diffrax as dfx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import NETWORKS, distance, make_problem
from jax.flatten_util import ravel_pytree
from scipy.integrate import solve_ivp

import lazyrich as lr
from lazyrich.numerics.ode_system import MirrorSystem, ParameterSystem, choose_system

TIMES = np.array([0.0, 0.1, 0.7, 2.0, 5.0])


def reference(flow, times, method="DOP853", rtol=1e-12):
    """scipy on the automatically differentiated loss: shares no formula with the library's gradients."""
    flat, unravel = ravel_pytree(flow.net.layers)
    rates = ravel_pytree(
        tuple(
            jax.tree.map(lambda leaf, r=r: r * jnp.ones_like(leaf), layer)
            for r, layer in zip(flow.rates, flow.net.layers, strict=True)
        )
    )[0]
    loss = jax.jit(jax.grad(lambda theta: flow.loss(flow.net.with_layers(unravel(theta)))))
    solution = solve_ivp(
        lambda t, theta: -rates * np.asarray(loss(theta)), (0, times[-1]), flat, method, times, rtol=rtol, atol=1e-14
    )
    assert solution.success
    return solution.y.T


def flat(traj):
    return np.stack([np.asarray(ravel_pytree(traj[i].layers)[0]) for i in range(len(traj))])


@pytest.mark.parametrize(
    "solver",
    [None, pytest.param(lr.Rodas(), marks=pytest.mark.slow), pytest.param(lr.RKC(), marks=pytest.mark.slow)],
    ids=["default", "rodas", "rkc"],
)
def test_every_network_against_scipy(flow, solver):
    kinks = isinstance(flow.net, lr.TwoLayer) and not flow.net.linear_in_inputs
    if kinks and isinstance(solver, lr.Rodas):
        return  # an implicit method is not meant for kinks
    rtol = 1e-12 if isinstance(solver, lr.RKC) else None  # of order 2
    traj = lr.integrate(flow, TIMES, solver=solver, rtol=rtol, max_steps=400_000)
    assert np.max(np.abs(flat(traj) - reference(flow, TIMES))) < 1e-8
    assert jnp.array_equal(traj.times, TIMES)
    if solver is None:
        drift = lr.metrics.conservation_drift(traj)
        assert all(float(jnp.max(value)) < 1e-9 for value in drift.values()), drift


@pytest.mark.parametrize("loss", [lr.Logistic(), pytest.param(lr.Exponential(), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["wide", "diagonal tied", pytest.param("deep", marks=pytest.mark.slow)])
def test_margin_losses_against_scipy(loss, name):
    net, rates = NETWORKS[name]
    if name == "wide":
        net = lr.DeepLinear([net.weights[0], net.weights[1][:1]])
    flow = lr.GradientFlow(net, make_problem(net, loss=loss), rates)
    assert np.max(np.abs(flat(lr.integrate(flow, TIMES)) - reference(flow, TIMES))) < 1e-8


def test_stiff_flow_against_radau():
    """A plateau of length 1e4, then modes whose speeds differ by 1e4: explicit methods would need 1e6 steps."""
    X = np.diag([1.0, 0.1, 0.01])
    flow = lr.GradientFlow(lr.inits.neuron([1e-5, 1e-5, -1e-5], delta=1e-3), lr.Problem(X, [1.0, 1.0, 1.0]))
    times = np.geomspace(1.0, 1e5, 9)
    traj = lr.integrate(flow, times)
    assert "Rodas" in traj.by.method
    assert np.max(np.abs(flat(traj) - reference(flow, times, "Radau", 1e-11))) < 1e-7


@pytest.mark.parametrize("scale", [1e-12, 1e-6])
def test_small_initialization_keeps_its_clock(scale):
    """β = w² from w(0) = scale: logistic growth with an exact time, after a plateau of length log(1/scale²)/(4s)."""
    flow = lr.GradientFlow(lr.Diagonal([[[scale], [0.0]]], power=2), lr.Problem([[1.0]], [1.0]))
    times = np.linspace(0, 20, 41)
    exact = 1 / (1 + (1 / scale**2 - 1) * np.exp(-4 * times))
    for solver in (None, dfx.Dopri8(), lr.Rodas()):
        traj = lr.integrate(flow, times, solver=solver)
        assert np.max(np.abs(traj.beta[:, 0] - exact)) < 1e-7


def test_very_long_times():
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.0], delta=1.0), lr.Problem(np.eye(2), [1.0, 2.0]))
    traj = lr.integrate(flow, [0.0, 1e-12, 1.0, 1e6])
    assert np.allclose(traj.beta[-1], [1.0, 2.0], atol=1e-9)
    assert distance(traj[1].layers, flow.net.layers) < 1e-10


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_rescaled_data_are_rescaled_time(scale):
    """X → cX, y → c y is time → c² time."""
    X, y = np.array([[1.0, 0.5], [0.0, 1.0]]), np.array([1.0, -1.0])
    net = lr.inits.neuron([0.3, 0.2], delta=0.1)
    base = lr.integrate(lr.GradientFlow(net, lr.Problem(X, y)), TIMES)
    other = lr.integrate(lr.GradientFlow(net, lr.Problem(scale * X, scale * y)), TIMES / scale**2)
    assert distance(base.nets.layers, other.nets.layers) < 1e-8


def test_edges():
    one = lr.GradientFlow(lr.inits.neuron([0.5], delta=0.0), lr.Problem([[1.0]], [2.0]))
    assert float(lr.integrate(one, [50.0]).beta[0, 0]) == pytest.approx(2.0, abs=1e-8)
    zero_target = one.with_net(one.net)
    zero_target = lr.GradientFlow(one.net, lr.Problem([[1.0]], [0.0]))
    assert float(lr.integrate(zero_target, [1e4]).loss[0]) < 1e-6  # algebraic decay of a balanced neuron
    doubled = lr.GradientFlow(one.net, lr.Problem([[1.0], [1.0]], [2.0, 2.0]))
    assert distance(lr.integrate(doubled, [0.5]).nets, lr.integrate(one, [1.0]).nets) < 1e-8
    saddle = lr.GradientFlow(lr.DeepLinear([np.zeros((2, 1)), np.zeros((1, 2))]), one.problem)
    assert np.all(lr.integrate(saddle, [1e6]).beta == 0)
    assert len(lr.integrate(one, [0.0, 0.0])) == 2
    integers = lr.integrate(one, np.array([0, 1, 2]))
    assert integers.times.dtype == jnp.float64


def test_bad_input_is_refused():
    flow = lr.GradientFlow(lr.inits.neuron([0.5], delta=0.0), lr.Problem([[1.0]], [2.0]))
    with pytest.raises(ValueError, match=r"times must be sorted; times\[0\] = 2 is followed by 1. Use numpy.sort"):
        lr.integrate(flow, [2.0, 1.0])
    with pytest.raises(ValueError, match="start at 0 or later; found -1"):
        lr.integrate(flow, [-1.0, 1.0])
    with pytest.raises(ValueError, match="times is empty"):
        lr.integrate(flow, [])
    with pytest.raises(ValueError, match="times has 1 entries that are NaN or infinite"):
        lr.integrate(flow, [0.0, np.inf])
    with pytest.raises(ValueError, match="rtol must be positive"):
        lr.integrate(flow, [1.0], rtol=0.0)
    with pytest.raises(ValueError, match="max_steps must be a whole number, at least 1"):
        lr.integrate(flow, [1.0], max_steps=0)
    with pytest.raises(TypeError, match="until must be LossBelow"):
        lr.integrate(flow, [1.0], until=1e-3)
    with pytest.raises(TypeError, match="takes a GradientFlow"):
        lr.integrate(flow.net, [1.0])


def test_until():
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.0], delta=1.0), lr.Problem(np.eye(2), [1.0, 2.0]))
    traj = lr.integrate(flow, [0.0, 1.0, 1e6], until=lr.LossBelow(1e-8))
    assert len(traj) == 3
    assert float(traj.loss[-1]) <= 1e-8
    assert float(lr.integrate(flow, [0.99 * float(traj.times[-1])]).loss[0]) > 1e-9
    assert traj.stop_reason.startswith("the loss is at most 1e-08 at t = ")
    by_gradient = lr.integrate(flow, [1e6], until=lr.GradientBelow(1e-6))
    assert by_gradient.stop_reason.startswith("the gradient is at most 1e-06")
    missed = lr.integrate(flow, [0.0, 0.1], until=lr.LossBelow(1e-8))
    assert missed.stop_reason == "the last time came before the loss is at most 1e-08"
    at_once = lr.integrate(flow, [1.0], until=lr.LossBelow(100.0))
    assert at_once.stop_reason == "the loss is at most 100 at t = 0"
    assert float(at_once.times[0]) == 0


def test_running_out_of_steps_keeps_what_was_computed():
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.0], delta=1.0), lr.Problem(np.eye(2), [1.0, 2.0]))
    with pytest.raises(lr.IntegrationError, match=r"ran out of 10 steps at t = .* of 1000 .*Raise max_steps") as caught:
        lr.integrate(flow, [0.0, 0.5, 1000.0], max_steps=10)
    partial = caught.value.trajectory
    assert len(partial) == 3
    assert 0.5 < float(partial.times[-1]) < 1000
    full = lr.integrate(flow, partial.times)
    assert distance(partial.nets.layers, full.nets.layers) < 1e-7


def test_a_field_that_is_not_finite_is_an_error_not_a_nan():
    problem = lr.Problem([[1.0]], [1.0], lr.Exponential())
    flow = lr.GradientFlow(lr.DeepLinear([[[-1e4]]]), problem)  # loss e^10000
    with pytest.raises(lr.IntegrationError, match="the field is not finite"):
        lr.integrate(flow, [1.0])


def test_mirror_variable_is_the_same_flow():
    rng = np.random.default_rng(0)
    problem = lr.Problem(rng.normal(size=(3, 10)), rng.normal(size=3), kappa=0.5)
    for net, rates in [
        (lr.Diagonal([rng.normal(size=(2, 10)), rng.normal(size=(2, 10))]), (0.3, 2.0)),
        (lr.Diagonal([rng.normal(size=(2, 10))], power=2), (0.7,)),
        (lr.Diagonal([0.5 + rng.random(size=(2, 10))], power=3), (0.7,)),
        (lr.Diagonal([rng.normal(size=(2, 10))], power=4), (0.2,)),
    ]:
        flow = lr.GradientFlow(net, problem, rates)
        assert isinstance(choose_system(flow), MirrorSystem)
        traj = lr.integrate(flow, TIMES)
        assert "mirror" in traj.by.detail
        assert np.max(np.abs(flat(traj) - reference(flow, TIMES))) < 1e-8
    deep = lr.GradientFlow(lr.Diagonal([rng.normal(size=(2, 10))] * 3), problem)
    assert isinstance(choose_system(deep), ParameterSystem)


def test_many_samples_are_compressed_for_linear_networks():
    rng = np.random.default_rng(0)
    problem = lr.Problem(rng.normal(size=(500, 3)), rng.normal(size=500))
    assert choose_system(lr.GradientFlow(lr.inits.neuron([1.0, 0.0, 0.0]), problem)).flow.problem.n == 4
    relu = lr.inits.two_layer(jax.random.key(0), 3, 4)
    assert choose_system(lr.GradientFlow(relu, problem)).flow.problem.n == 500


@pytest.mark.slow
def test_a_relu_flow_that_slides_is_followed_and_says_so():
    """kunin2024's teacher–student: many (neuron, sample) pairs slide on their kink, too many for one event each."""
    student, problem, _ = lr.inits.teacher_student(jax.random.key(0), d=10, h=30, k=3, n=100, tau=0.3)
    flow = lr.GradientFlow(student, problem)
    traj = lr.integrate(flow, [100.0])
    assert "where the flow slides on kinks" in traj.by.method
    descent = lr.descend(flow, steps=20_000, lr=5e-3)
    assert float(traj.loss[-1]) < 1e-4
    assert float(descent.loss[-1]) < 1e-4
    assert float(jnp.max(jnp.abs(traj.outputs[-1] - descent.outputs[-1]))) < 2e-2


def test_jit_vmap_and_grad_go_through():
    problem = lr.Problem(np.array([[1.0, 0.3], [0.0, 1.0]]), [1.0, 2.0])

    def end(delta, until=None):
        flow = lr.GradientFlow(lr.inits.neuron([0.3, 0.1], delta), problem, rates=(1.0, 0.5))
        return lr.integrate(flow, [0.0, 0.8], until=until).beta[-1]

    deltas = jnp.array([-1.0, 0.0, 2.0])
    plain = jnp.stack([end(delta) for delta in deltas])
    assert distance(jax.jit(end)(1.0), end(1.0)) < 1e-10
    assert distance(jax.vmap(end)(deltas), plain) < 1e-9
    numeric = (end(0.5 + 1e-4)[0] - end(0.5 - 1e-4)[0]) / 2e-4
    assert float(jax.grad(lambda delta: end(delta)[0])(0.5)) == pytest.approx(float(numeric), rel=1e-6)
    stopped = jax.jit(lambda delta: end(delta, lr.LossBelow(0.5)))(1.0)
    assert distance(stopped, end(1.0, lr.LossBelow(0.5))) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("solver", [lr.Rodas(), lr.RKC()])
def test_grad_through_our_own_solvers(solver):
    flow = lr.GradientFlow(lr.inits.neuron([0.3, 0.1], 0.5), lr.Problem(np.eye(2), [1.0, 2.0]))

    def loss_after(layers):
        return lr.integrate(
            flow.with_net(flow.net.with_layers(layers)), [0.5], solver=solver, rtol=1e-7, max_steps=512
        ).loss[0]

    slope = jax.grad(loss_after)(flow.net.layers)
    step = 1e-4
    up, down = (flow.net.layers[0].at[0, 0].add(s) for s in (step, -step))
    numeric = (loss_after((up, flow.net.layers[1])) - loss_after((down, flow.net.layers[1]))) / (2 * step)
    assert float(slope[0][0, 0]) == pytest.approx(float(numeric), rel=1e-4)


def test_running_out_inside_jit_says_what_to_do():
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.0], delta=1.0), lr.Problem(np.eye(2), [1.0, 2.0]))
    with pytest.raises(Exception, match="ran out of 20 steps inside jit, vmap or grad"):
        jax.jit(lambda net: lr.integrate(flow.with_net(net), [1e6], max_steps=20).beta)(flow.net)


def test_progress_is_shown(capfd):
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.0], delta=1.0), lr.Problem(np.eye(2), [1.0, 2.0]))
    lr.integrate(flow, [1.0], progress=True)
    assert "t = 1 of 1, loss" in capfd.readouterr().err
    lr.integrate(flow, [1.0], progress=False)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("solver", "order"), [(lr.RKC(), 2), (lr.Rodas(), 5)])
def test_order_of_convergence(solver, order):
    term, y0 = dfx.ODETerm(lambda t, y, args: -(y**3) + jnp.sin(y[::-1])), jnp.array([1.0, 0.3])

    def end(solver, n):
        return dfx.diffeqsolve(term, solver, 0.0, 2.0, 2.0 / n, y0, max_steps=None).ys[-1]

    exact = end(dfx.Dopri8(), 2000)
    errors = [distance(end(solver, n), exact) for n in (20, 40, 80)]
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.35)


def test_rkc_handles_time_dependence():
    term = dfx.ODETerm(lambda t, y, args: -y * jnp.cos(3 * t))
    errors = []
    for n in (40, 80):
        end = dfx.diffeqsolve(term, lr.RKC(), 0.0, 2.0, 2.0 / n, jnp.ones(2)).ys[-1]
        errors.append(float(jnp.max(jnp.abs(end - np.exp(-np.sin(6.0) / 3)))))
    assert errors[1] < errors[0] / 3.3


def test_rkc_needs_few_evaluations_on_a_stiff_problem():
    """Heat equation with ρ = 4·n²: stable with far fewer stages than the ρT/2 Euler steps."""
    n = 100
    L = n**2 * (np.diag(-2 * np.ones(n)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1))
    values, V = np.linalg.eigh(L)
    start = np.sin(np.linspace(0, 3, n))
    exact = V @ (np.exp(0.1 * values) * (V.T @ start))
    controller = dfx.PIDController(rtol=1e-6, atol=1e-8)
    solution = dfx.diffeqsolve(
        dfx.ODETerm(lambda t, y, args: jnp.asarray(L) @ y),
        lr.RKC(),
        0.0,
        0.1,
        None,
        jnp.asarray(start),
        stepsize_controller=controller,
        max_steps=5000,
    )
    assert np.max(np.abs(solution.ys[-1] - exact)) < 1e-5
    assert int(solution.stats["num_steps"]) < 1000


@pytest.mark.parametrize("scale", [*(pytest.param(scale, marks=pytest.mark.slow) for scale in (1e-2, 1.0, 1e2)), 1e4])
def test_lazy_networks_move_as_they_should(scale):
    """The tangent model has the exact outputs y − exp(−Kt)(y − f₀); it moves by 1/scale, far less than its own size."""
    rng = np.random.default_rng(0)
    problem = lr.Problem(rng.normal(size=(5, 10)), rng.normal(size=5))
    flow = lr.GradientFlow(
        lr.inits.symmetrized(jax.random.key(0), 10, 20, tau=scale, negative_slope=1.0), problem
    ).linearize()
    values, V = np.linalg.eigh(flow.ntk())
    times = np.array([0.3, 1.0, 3.0, 30.0]) / values[0]
    decay = np.exp(-times[:, None] * values)
    exact = problem.y - (V * decay[:, None, :]) @ V.T @ problem.y
    tolerance = 1e-8 if scale < 1e4 else 1e-5  # at 1e4, f is a difference of numbers of size 1e8
    assert np.max(np.abs(lr.integrate(flow, times).outputs - exact)) < tolerance


def test_rounding_at_large_scales_is_said():
    rng = np.random.default_rng(0)
    problem = lr.Problem(rng.normal(size=(5, 10)), rng.normal(size=5))
    for net in (
        lr.inits.symmetrized(jax.random.key(0), 10, 20, tau=1e6, negative_slope=1.0),
        lr.inits.tied_diagonal(10, 1e6),
    ):
        flow = lr.GradientFlow(net, problem)
        assert "rounding at this scale leaves the outputs uncertain" in lr.integrate(flow, [1e-12]).by.detail


def test_a_stiff_relu_flow_away_from_kinks_keeps_its_tolerance():
    X, y = np.array([[100.0, 100.1], [100.0, 99.9]]), np.array([230.0, 231.0])
    W, a, times = [[1.0, 1.0], [1.0, 1.2]], [1.0, 0.8], np.array([0.1, 1.0, 10.0])
    relu = lr.integrate(lr.GradientFlow(lr.TwoLayer(W, a), lr.Problem(X, y)), times)
    linear = lr.integrate(lr.GradientFlow(lr.TwoLayer(W, a, negative_slope=1.0), lr.Problem(X, y)), times)
    assert "slides" not in relu.by.method
    assert distance(relu.nets.layers, linear.nets.layers) < 1e-8


def test_the_mirror_jacobian():
    rng = np.random.default_rng(0)
    for loss in (lr.Square(), lr.Logistic()):
        problem = lr.Problem(rng.normal(size=(3, 10)), np.sign(rng.normal(size=3)), loss, kappa=0.5)
        mirror = choose_system(lr.GradientFlow(lr.Diagonal([rng.normal(size=(2, 10))] * 2), problem, (0.3, 2.0)))
        nu = jnp.asarray(0.1 * rng.normal(size=3))
        assert distance(mirror.jacobian(nu), jax.jacfwd(mirror.vector_field)(nu)) < 1e-13


def test_stopping_on_a_saved_time_saves_it_once():
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.0], delta=1.0), lr.Problem(np.eye(2), [1.0, 2.0]))
    traj = lr.integrate(flow, np.linspace(0, 20, 2001), until=lr.LossBelow(1e-8), solver=lr.Rodas())
    assert np.all(np.diff(traj.times) > 0)
    assert float(traj.loss[-1]) <= 1e-8 < float(traj.loss[-2])


def test_grad_at_a_zero_layer_is_finite():
    flow = lr.GradientFlow(lr.inits.orthogonal(jax.random.key(0), 3, 4, 1, 0.5), lr.Problem(np.eye(3), np.ones(3)))
    slope = jax.grad(lambda layers: lr.integrate(flow.with_net(flow.net.with_layers(layers)), [0.5]).loss[0])(
        flow.net.layers
    )
    assert all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in slope)


def test_vmap_over_the_stopping_loss():
    flow = lr.GradientFlow(lr.inits.neuron([0.1, 0.0], delta=1.0), lr.Problem(np.eye(2), [1.0, 2.0]))
    ends = jax.vmap(lambda v: lr.integrate(flow, [0.0, 20.0], until=lr.LossBelow(v)).times[-1])(jnp.array([1e-3, 1e-6]))
    assert 0 < float(ends[0]) < float(ends[1]) < 20
    with pytest.raises(TypeError, match="solver must estimate its error"):
        lr.integrate(flow, [1.0], solver=dfx.Euler())


def test_times_that_float64_cannot_follow_are_named():
    flow = lr.GradientFlow(lr.DeepLinear([[[0.3, 0.1]], [[0.5]]]), lr.Problem([[1.0, 2.0], [0.5, 1.0]], [1.0, 2.0]))
    with pytest.raises(ValueError, match=r"times must be 0, or at least 2\.23e-308"):
        lr.integrate(flow, [0.0, 1e-320])
    with pytest.raises(lr.IntegrationError, match=r"that of a flow at rest .* no step leads from there to t = 1e\+300"):
        lr.integrate(flow, [1e300])
    assert lr.integrate(flow, [1e-300]).loss[0] == flow.loss()
