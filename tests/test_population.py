"""The population loss against quadrature and Monte Carlo, its flow against SciPy and against samples."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance, normal
from scipy.integrate import solve_ivp

import lazyrich as lr
from lazyrich._core import gaussian_moments

KINDS = {
    "relu": lambda W, a: lr.TwoLayer(W, a),
    "leaky": lambda W, a: lr.TwoLayer(W, a, 0.3),
    "absolute value": lambda W, a: lr.TwoLayer(W, a, -1.0),
    "erf": lambda W, a: lr.TwoLayerErf(W, a),
    "linear": lambda W, a: lr.DeepLinear([W, a[None]]),
}
PAIRS = [(f, g) for f in KINDS for g in KINDS if "linear" not in (f, g) or f != g]


def net_of(kind, seed, h=3, d=2):
    return KINDS[kind](normal((seed, 0), h, d), normal((seed, 1), h))


def plane(*nets, panel=24, reach=10.0):
    """Return points and weights of E over x ~ N(0, I) in the plane: polar panels between the kinks of the networks."""
    kinks = [np.arctan2(-W[:, 0], W[:, 1]) % np.pi for W in (np.asarray(net.layers[0]) for net in nets)]
    cuts = np.concatenate([angle + k * np.pi for angle in kinks for k in (0, 1)] + [np.linspace(0, 2 * np.pi, 17)])
    edges = np.unique(cuts)
    x, w = np.polynomial.legendre.leggauss(panel)

    def composite(edges):
        low, high = edges[:-1, None], edges[1:, None]
        return ((low + high) / 2 + (high - low) / 2 * x).ravel(), ((high - low) / 2 * w).ravel()

    (phi, at_phi), (r, at_r) = composite(edges), composite(np.linspace(0, reach, 9))
    weights = np.outer(at_phi, at_r * r * np.exp(-(r**2) / 2)) / (2 * np.pi)
    points = np.stack([np.outer(np.cos(phi), r), np.outer(np.sin(phi), r)], -1)
    return points.reshape(-1, 2), weights.ravel()


def by_quadrature(net, teacher, kappa=1.0, points=None):
    X, weights = plane(net, teacher) if points is None else points
    r = np.asarray(net(X)).ravel() - np.asarray(teacher(X)).ravel()
    back = (kappa * weights * r).reshape(net(X).shape)
    return kappa / 2 * np.sum(weights * r**2), net.pullback(X, back)


@pytest.mark.parametrize(("student", "teacher"), PAIRS)
def test_loss_and_gradient_are_those_of_quadrature_in_the_plane(student, teacher):
    net, guide = net_of(student, 1), net_of(teacher, 2)
    flow = lr.GradientFlow(net, lr.Population(guide, kappa=0.7))
    loss, slopes = by_quadrature(net, guide, 0.7)
    assert abs(flow.loss() - loss) < 1e-10 * loss
    assert distance(flow.gradient(), slopes) < 1e-10


def test_loss_and_gradient_are_those_of_many_samples():
    net, guide = net_of("relu", 3, 4, 6), net_of("erf", 4, 3, 6)
    population = lr.Population(guide, covariance=np.diag(np.arange(1.0, 7.0)) + 0.5)
    parts = [population.sample(jax.random.key(k), 20_000) for k in range(20)]
    for exact, drawn in (
        (population.loss_of(net), [part.loss_of(net) for part in parts]),
        (population.gradient_of(net)[0], [part.gradient_of(net)[0] for part in parts]),
        (population.gradient_of(net)[1], [part.gradient_of(net)[1] for part in parts]),
    ):
        values = np.array(drawn)
        off = (np.mean(values, 0) - exact) / (np.std(values, 0, ddof=1) / np.sqrt(len(values)))
        assert np.sqrt(np.mean(off**2)) < 1.5
        assert np.max(np.abs(off)) < 3.9  # Student's t, 29 numbers
    assert np.ptp(np.array([part.loss_of(net) for part in parts])) > 0


def test_on_the_sphere():
    net, guide = net_of("leaky", 5, 4, 6), net_of("relu", 6, 3, 6)
    population = lr.Population(guide, "sphere")
    values = np.array([population.sample(jax.random.key(k), 20_000).loss_of(net) for k in range(20)])
    assert abs(np.mean(values) - population.loss_of(net)) < 3 * np.std(values, ddof=1) / np.sqrt(20)
    assert distance(6 * population.loss_of(net), lr.Population(guide).loss_of(net)) < 1e-14
    lazy = lr.DeepLinear([normal(7, 1, 6)])
    flow = lr.GradientFlow(lazy, population)
    assert isinstance(flow.problem, lr.Problem)
    assert distance(flow.loss(), population.loss_of(lazy)) < 1e-14
    with pytest.raises(ValueError, match="erf units"):
        lr.Population(net_of("erf", 1), "sphere")


def test_parallel_opposed_and_absent_units():
    w, a = np.array([[0.6, 0.8]]), np.ones(1)
    for scale in (1.0, 1e-200, 1e150, 1 + 1e-15, -1.0, -1e-9):
        U = np.concatenate([w, scale * w])
        assert distance(gaussian_moments.abs_abs(w, scale * w), [[abs(scale)]]) <= 1e-15 * abs(scale)
        slopes = jax.grad(lambda V: gaussian_moments.abs_abs(jnp.asarray(w), V)[0, 0])(jnp.asarray(scale * w))
        assert distance(slopes, np.sign(scale) * w) < 1e-14
        curve = jax.hessian(lambda V: jnp.sum(gaussian_moments.abs_abs(V, V)))(jnp.asarray(U))
        assert np.all(np.isfinite(curve))
        for of in (gaussian_moments.abs_abs, gaussian_moments.erf_erf):
            assert np.all(np.isfinite(jax.jacrev(of)(jnp.asarray(U), jnp.asarray(scale * U))))
    for sign, answer in ((1.0, 0.0), (-1.0, 0.5)):
        net = lr.TwoLayer(w, a)
        assert abs(lr.Population(lr.TwoLayer(sign * w, a)).loss_of(net) - answer) < 1e-15
    # between parallel and a little turned, the gradient agrees with 1/θ expanded: no digit is lost
    for angle in (1e-3, 1e-6, 1e-9):
        turned = np.array([[np.cos(angle), np.sin(angle)]])
        (slope, _) = lr.Population(lr.TwoLayer(turned, a)).gradient_of(lr.TwoLayer([[1.0, 0.0]], a))
        # ∂/∂u of (|u|²/2 − p(u, v)), p = |u||v|(sin θ + (π − θ)cos θ)/2π
        pull = (np.array([np.sin(angle), 0.0]) + (np.pi - angle) * turned[0]) / (2 * np.pi)
        assert np.max(np.abs(slope[0] - (np.array([0.5, 0.0]) - pull))) < 2e-16 + 1e-16 * angle
    # long erf units are signs: E sign(u·x)sign(v·x) = 1 − 2θ/π
    U = 1e120 * np.array([[1.0, 0.0], [np.cos(1.0), np.sin(1.0)]])
    assert distance(gaussian_moments.erf_erf(U, U), np.eye(2) + (1 - 2 / np.pi) * (1 - np.eye(2))) < 1e-14
    dead = lr.TwoLayer([[0.0, 0.0], [1.0, 0.5]], [0.0, 1.0])
    alone = lr.TwoLayer([[1.0, 0.5]], [1.0])
    population = lr.Population(net_of("relu", 2))
    assert abs(population.loss_of(dead) - population.loss_of(alone)) < 1e-15
    assert not np.any(population.gradient_of(dead)[0][0])
    assert distance(population.gradient_of(dead)[0][1], population.gradient_of(alone)[0][0]) < 1e-15


def test_a_unit_at_the_origin_has_the_slope_of_its_kink():
    """As in `TwoLayer`: the gradient is a ρ E r x, that of samples."""
    net = lr.TwoLayer([[0.0, 0.0], [1.0, 0.5]], [0.7, 1.0], 0.3)
    guide = net_of("erf", 2)
    X, weights = plane(lr.TwoLayer([[1.0, 0.5]], [1.0]), guide)
    assert distance(lr.Population(guide).gradient_of(net), by_quadrature(net, guide, points=(X, weights))[1]) < 1e-12


def test_an_erf_unit_at_the_origin_has_a_gradient():
    net = lr.TwoLayerErf([[0.0, 0.0], [1.0, 0.5]], [0.7, 1.0])
    for kind in ("erf", "relu"):
        guide = net_of(kind, 2)
        loss, slopes = by_quadrature(net, guide, points=plane(lr.TwoLayerErf([[1.0, 0.5]], [1.0]), guide))
        assert np.min(np.abs(slopes[0][0])) > 0.01
        assert distance(lr.Population(guide).gradient_of(net), slopes) < 1e-12
        assert abs(lr.Population(guide).loss_of(net) - loss) < 1e-12


def test_flow_is_that_of_scipy_and_the_sample_flows_approach_it():
    net, guide = net_of("relu", 8, 3, 3), net_of("relu", 9, 2, 3)
    population = lr.Population(guide)
    flow = lr.GradientFlow(net, population, rates=(1.0, 0.5))
    times = np.array([0.0, 1.0, 4.0])
    traj = lr.integrate(flow, times)
    assert traj.by.kind == "integrated"

    def product(U, V):
        u, v = np.linalg.norm(U, axis=1), np.linalg.norm(V, axis=1)
        c = np.clip((U @ V.T) / np.outer(u, v), -1, 1)
        theta = np.arccos(c)
        pull = (np.sin(theta)[..., None] * np.outer(1 / u, v)[..., None] * U[:, None]) + (np.pi - theta)[..., None] * V
        return np.outer(u, v) * (np.sin(theta) + (np.pi - theta) * c) / (2 * np.pi), pull / (2 * np.pi)

    V, b = np.asarray(guide.W), np.asarray(guide.a)

    def field(t, z):
        W, a = z[:9].reshape(3, 3), z[9:]
        (own, pull), (cross, toward) = product(W, W), product(W, V)
        slope = a[:, None] * (np.einsum("l,klj->kj", a, pull) - np.einsum("l,klj->kj", b, toward))
        return -np.concatenate([slope.ravel(), 0.5 * (own @ a - cross @ b)])

    start = np.concatenate([np.ravel(net.W), net.a])
    found = solve_ivp(field, (0, 4), start, "DOP853", times, rtol=1e-12, atol=1e-13).y.T
    assert distance(traj.nets.W, found[:, :9].reshape(3, 3, 3)) < 1e-9
    assert distance(traj.nets.a, found[:, 9:]) < 1e-9
    # loss_of is the test error of a network that learned from samples
    gaps = []
    for n in (100, 10_000):
        learned = lr.integrate(
            lr.GradientFlow(net, population.sample(jax.random.key(0), n), (1.0, 0.5)),
            times,
            precision="single",
            rtol=1e-3,
        )
        gaps.append(distance(learned.end.layers, traj.end.layers))
    assert gaps[1] < 0.3 * gaps[0]


def test_linear_networks_have_an_equivalent_problem_and_all_theorems():
    covariance = np.array([[2.0, 0.3], [0.3, 0.5]])
    for kind in KINDS:
        population = lr.Population(net_of(kind, 1), covariance=covariance, kappa=0.6)
        net = lr.inits.neuron([0.3, -0.1], delta=-1.0)
        problem = lr.GradientFlow(net, population).problem
        assert isinstance(problem, lr.Problem)
        assert problem.n == (2 if kind == "linear" else 3)
        for trial in (net, lr.DeepLinear([normal(4, 1, 2)])):
            assert distance(problem.loss_of(trial), population.loss_of(trial)) < 1e-14
            assert distance(problem.gradient_of(trial), population.gradient_of(trial)) < 1e-13
    white = lr.Population(lr.DeepLinear([normal(3, 2, 3)]))
    flow = lr.GradientFlow(lr.DeepLinear([normal(5, 1, 3), normal(6, 2, 1)]), white)
    assert flow.problem.whitening_defect() == 0
    assert flow.problem.c == 2
    traj = lr.exact(lr.GradientFlow(lr.inits.neuron([0.3, 0.1], -1.0), lr.Population(net_of("relu", 1))), [0.0, 3.0])
    assert traj.by.method == "single neuron"
    assert distance(traj.loss, traj.map(lr.Population(net_of("relu", 1)).loss_of)) < 1e-13


@pytest.mark.parametrize("kind", ["relu", "erf"])
def test_tangent_models(kind):
    net, guide = net_of(kind, 1), net_of("leaky", 2)
    moved = net.with_layers(tuple(layer + 0.1 * normal(9, *layer.shape) for layer in net.layers))
    tangent = lr.Linearized(net, moved.layers)
    points = plane(net, guide)
    loss, slopes = by_quadrature(tangent, guide, points=points)
    population = lr.Population(guide)
    assert abs(population.loss_of(tangent) - loss) < 1e-10 * loss
    assert distance(population.gradient_of(tangent), slopes) < 1e-9
    loss, slopes = by_quadrature(net, tangent, points=points)
    assert abs(lr.Population(tangent).loss_of(net) - loss) < 1e-10 * loss
    assert distance(lr.Population(tangent).gradient_of(net), slopes) < 1e-9
    direction = tuple(normal((k, 5), *layer.shape) for k, layer in enumerate(net.layers))
    X, weights = points
    along = jax.jvp(lambda layers: net.with_layers(layers)(X), (net.layers,), (direction,))[1]
    assert distance(population.gauss_newton_product(net, direction), net.pullback(X, weights * along)) < 1e-9
    linear = lr.Population(lr.Linearized(net, moved.layers)).linear_problem()
    best = np.linalg.lstsq((X * np.sqrt(weights)[:, None]), tangent(X) * np.sqrt(weights), rcond=None)[0]
    assert distance(linear.min_norm_solution, best) < 1e-9


def test_units_that_arrive_at_the_origin_rest():
    """The teacher is negative everywhere, so a unit with a > 0 shrinks in every direction; its a cannot vanish."""
    net = lr.TwoLayer([[0.3, 0.1], [-0.2, 0.3]], [0.9, -0.8])
    guide = lr.TwoLayer([[1.0, 0.2], [-1.0, 0.3], [0.0, -1.0]], [-2.0, -2.0, -2.0])
    flow = lr.GradientFlow(net, lr.Population(guide))
    traj = lr.integrate(flow, [0.0, 0.1, 3.0])
    assert "1 unit at rest at w = 0" in str(traj.by)
    assert np.all(np.asarray(traj.end.W[0]) == 0)
    assert abs(float(traj.end.a[0]) - np.sqrt(0.81 - 0.1)) < 1e-8  # a² − |w|² is conserved
    assert abs(float(traj.end.conserved_quantities()["delta"][1]) - (0.64 - 0.13)) < 1e-8
    # what remains is the flow without it
    later = lr.integrate(flow, [3.0, 4.0])
    alone = lr.TwoLayer(traj.end.W[1:], traj.end.a[1:])
    rest = lr.integrate(lr.GradientFlow(alone, flow.problem), [0.0, 1.0])
    assert distance(later.end.W[1:], rest.end.W) < 1e-8
    # the user's own condition still stops
    stopped = lr.integrate(flow, [0.0, 3.0], until=lr.LossBelow(float(traj.loss[1])))
    assert stopped.stop_reason.startswith("the loss is at most")
    # samples do the same
    learned = lr.integrate(
        lr.GradientFlow(net, flow.problem.sample(jax.random.key(0), 1000)), [3.0], precision="single", rtol=1e-3
    )
    assert np.linalg.norm(learned.end.W[0]) < 0.01
    with pytest.raises(ValueError, match="a unit starts at w = 0"):
        lr.integrate(lr.GradientFlow(lr.TwoLayer([[0.0, 0.0]], [1.0], 0.3), flow.problem), [0.0, 1.0])
    still = lr.integrate(lr.GradientFlow(lr.TwoLayer([[0.0, 0.0]], [1.0]), flow.problem), [0.0, 1.0])
    assert not np.any(still.end.W)


def test_traced():
    guide = net_of("relu", 2, 2, 2)

    def final(scale, bump):
        net = lr.TwoLayer(scale * normal((1, 0), 2, 2), normal((1, 1), 2))
        teacher = guide.with_layers((guide.W + bump, guide.a))
        return lr.integrate(lr.GradientFlow(net, lr.Population(teacher)), [0.0, 0.5], rtol=1e-12).loss[-1]

    value, slopes = jax.jit(jax.value_and_grad(final, (0, 1)))(0.8, 0.1)
    assert abs(value - final(0.8, 0.1)) < 1e-9
    eps = 1e-4
    for i, slope in enumerate(slopes):
        ends = [final(*(x + s * eps * (k == i) for k, x in enumerate((0.8, 0.1)))) for s in (-1, 1)]
        assert abs(slope - (ends[1] - ends[0]) / (2 * eps)) < 1e-6
    bad = jax.jit(lambda W: lr.integrate(lr.GradientFlow(lr.TwoLayer(W, [1.0]), lr.Population(guide)), [0.0, 0.1]).loss)
    with pytest.raises(Exception, match="NaN or infinite"):
        bad(jnp.array([[np.nan, 1.0]])).block_until_ready()
    losses = jax.vmap(lambda W: lr.Population(guide).loss_of(lr.TwoLayer(W, [1.0])))(jnp.stack([jnp.eye(2)[:1]] * 3))
    assert losses.shape == (3,)


def test_a_traced_flow_refuses_a_unit_that_arrives_at_the_origin():
    guide = lr.TwoLayer([[1.0, 0.2], [-1.0, 0.3], [0.0, -1.0]], [-2.0, -2.0, -2.0])

    def final(W, time):
        flow = lr.GradientFlow(lr.TwoLayer(W, [0.9, -0.8]), lr.Population(guide))
        return lr.integrate(flow, jnp.stack([0.0 * time, time])).loss[-1]

    W = jnp.array([[0.3, 0.1], [-0.2, 0.3]])  # as above: the first unit rests from t = 0.14
    flow = lr.GradientFlow(lr.TwoLayer(W, [0.9, -0.8]), lr.Population(guide))
    assert "1 unit at rest" in str(lr.integrate(flow, [0.0, 3.0]).by)
    assert distance(jax.jit(final)(W, 0.1), lr.integrate(flow, [0.1]).loss[-1]) < 1e-9
    slope, step = jax.grad(final, 1)(W, 0.1), 1e-5
    assert abs(slope - (final(W, 0.1 + step) - final(W, 0.1 - step)) / (2 * step)) < 1e-6
    for traced in (jax.jit(final), jax.grad(final)):
        with pytest.raises(Exception, match="a unit arrives at w = 0"):
            jax.block_until_ready(traced(W, 3.0))


def test_refusals():
    guide = net_of("relu", 2)
    population = lr.Population(guide)
    flow = lr.GradientFlow(net_of("relu", 1), population)
    for use in (
        flow.outputs,
        flow.ntk,
        lambda: population.whiten(),
        lambda: lr.metrics.kernel_distance(
            lr.Trajectory(flow, jnp.zeros(1), jax.tree.map(lambda x: x[None], flow.net), None)
        ),
    ):
        with pytest.raises(ValueError, match=r"this needs samples .* and a Population has none"):
            use()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        population.nothing  # noqa: B018
    assert not lr.explain(flow)
    assert "finitely many samples" in str(lr.explain(flow))
    for verb in (lr.limit, lambda flow: lr.exact(flow, [0.0, 1.0])):
        with pytest.raises(lr.NoTheoremApplies, match="finitely many samples"):
            verb(flow)
    with pytest.raises(ValueError, match="precision='single' is for problems with samples"):
        lr.integrate(flow, [0.0, 1.0], precision="single")
    deep = lr.networks.Linearized(lr.Factorization([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="takes 4 inputs"):
        lr.GradientFlow(deep, population)

    class Own(lr.Network):
        W: jax.Array

        def __call__(self, X):
            return jnp.sum(jnp.tanh(X @ self.W.T), axis=1)

    with pytest.raises(TypeError, match=r"expectations in closed form for linear .*; the network is a Own"):
        lr.GradientFlow(Own(np.eye(2)), population)
    with pytest.raises(TypeError, match="the teacher is a Own"):
        lr.Population(Own(np.eye(2)))
    with pytest.raises(ValueError, match="'gaussian' or 'sphere'"):
        lr.Population(guide, "uniform")
    with pytest.raises(ValueError, match="positive definite"):
        lr.Population(guide, covariance=np.diag([1.0, 0.0]))
    with pytest.raises(ValueError, match="symmetric"):
        lr.Population(guide, covariance=[[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        lr.Population(guide, covariance=np.eye(3))
    with pytest.raises(ValueError, match="kappa must be positive"):
        lr.Population(guide, kappa=0.0)


def test_large_scales_are_computed_or_refused():
    small, large = (lr.TwoLayer(scale * np.eye(2), [1.0, 2.0]) for scale in (1.0, 1e200))
    with pytest.raises(ValueError, match="squares of both overflow"):
        lr.Population(large).loss_of(large)
    with pytest.raises((ValueError, RuntimeError), match="squares of both overflow"):
        jax.block_until_ready(jax.jit(lambda net: lr.Population(large).loss_of(net))(large))
    turned = lr.TwoLayer(np.eye(2)[::-1], [1.0, 2.0])
    expected = lr.metrics.population_kernel_distance(turned, small)  # both layers scaled: the same S
    for size in (1e100, 1e-100):
        scaled = [net.with_layers([size * layer for layer in net.layers]) for net in (turned, small)]
        np.testing.assert_allclose(lr.metrics.population_kernel_distance(*scaled), expected, rtol=1e-13)


def test_descent_saving_and_pictures(tmp_path):
    flow = lr.GradientFlow(net_of("erf", 1), lr.Population(net_of("relu", 2)))
    steps = lr.descend(flow, 20, lr=0.1)
    layers = flow.net.layers
    for _ in range(20):
        layers = jax.tree.map(
            lambda leaf, g: leaf - 0.1 * g, layers, flow.problem.gradient_of(flow.net.with_layers(layers))
        )
    assert distance(steps.end.layers, layers) < 1e-12
    steps.save(tmp_path / "t.npz")
    again = lr.Trajectory.load(tmp_path / "t.npz")
    assert repr(again.flow) == repr(flow)
    assert "erf" not in repr(flow.problem)
    assert distance(again.loss, steps.loss) == 0
    assert steps.plot().axes[1].get_title() == "Kernel distance S on 200 random inputs"
    pytest.importorskip("xarray")
    assert set(steps.to_xarray().data_vars) == {"loss", "layer_1", "layer_2"}


def test_the_plot_of_a_piecewise_linear_student_has_its_kernel_distance():
    flow = lr.GradientFlow(net_of("relu", 1), lr.Population(net_of("relu", 2)), (1.0, 0.5))
    steps = lr.descend(flow, 5, lr=0.1)
    axes = steps.plot().axes[1]
    exact = [lr.metrics.population_kernel_distance(steps[i], steps.start, flow.rates) for i in range(6)]
    assert axes.get_title() == "Kernel distance S"
    np.testing.assert_allclose(axes.lines[0].get_ydata(), exact, atol=1e-12)
    assert exact[-1] > 1e-4


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_kernel_and_hamming_distance_are_those_of_many_inputs(slope):
    W, a = normal((1, 0), 4, 5), normal((1, 1), 4)
    start = lr.TwoLayer(W, a, slope)
    now = lr.TwoLayer(W + 0.7 * normal((2, 0), 4, 5), a + 0.7 * normal((2, 1), 4), slope)
    rates = (0.5, 2.0)
    exact = lr.metrics.population_kernel_distance(now, start, rates)
    turned = lr.metrics.population_hamming_distance(now, start)
    X, X2 = (np.asarray(jax.random.normal(jax.random.key(k), (40, 1500, 5))) for k in (0, 1))

    def inner(f, g):  # independent pairs of inputs: no diagonal
        return np.array([np.mean(f.ntk(x, y, rates) * g.ntk(x, y, rates)) for x, y in zip(X, X2, strict=True)])

    drawn = inner(now, start), inner(now, now), inner(start, start)
    means = [np.mean(part) for part in drawn]
    parts = 1 - drawn[0] / np.sqrt(drawn[1] * drawn[2])
    assert abs(1 - means[0] / np.sqrt(means[1] * means[2]) - exact) < 3 * np.std(parts, ddof=1) / np.sqrt(40)
    assert np.std(parts) < 0.05 < exact
    changed = [np.mean(now.activation_pattern(x) != start.activation_pattern(x)) for x in X]
    assert abs(np.mean(changed) - turned) < 3 * np.std(changed, ddof=1) / np.sqrt(40)


def test_kernel_distance_is_the_sum_over_pairs_of_parameters():
    """⟨K, K₀⟩ = Σ (E ∂f ∂f₀)², by quadrature in the plane."""
    net, start = net_of("relu", 1), net_of("relu", 2)
    X, weights = plane(net, start)
    J, J0 = (np.concatenate([np.asarray(part) for part in each._jacobian(X)], 1) for each in (net, start))
    pairs = [np.sum((A.T @ (weights[:, None] * B)) ** 2) for A, B in ((J, J0), (J, J), (J0, J0))]
    exact = lr.metrics.population_kernel_distance(net, start)
    assert abs(exact - (1 - pairs[0] / np.sqrt(pairs[1] * pairs[2]))) < 1e-12
    with pytest.raises(TypeError, match="piecewise-linear units"):
        lr.metrics.population_kernel_distance(net_of("erf", 1), start)
