"""The flow that ends where a descent ends: against the end of the run, and against sums that NumPy keeps by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance

import lazyrich as lr

KINDS = ("descent", "batches", "label noise", "heavy ball", "nesterov", "schedule")


def draw_flow(rng, n=None, d=None):
    """A random diagonal network, tied or untied, with weights of both signs, and a problem that it can fit."""
    n = int(rng.integers(2, 6)) if n is None else n
    d = int(rng.integers(n + 2, 14)) if d is None else d
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-0.3, 0.3)
    problem = lr.Problem(X, X @ (rng.normal(size=d) * (rng.random(d) < 0.6)), kappa=1 / n)
    if rng.random() < 0.6:
        w = rng.uniform(0.3, 1.0, size=(2, d)) * rng.choice([-1, 1], size=(2, d))
        return lr.GradientFlow(lr.Diagonal([w], power=2), problem, float(rng.uniform(0.5, 2)))
    layers = rng.uniform(0.3, 1.0, size=(2, 2, d)) * rng.choice([-1, 1], size=(2, 2, d))
    return lr.GradientFlow(lr.Diagonal(list(layers)), problem, tuple(rng.uniform(0.5, 2, size=2)))


def sharpness_at(flow, net):
    """The curvature at an interpolator: that of the outputs alone."""
    return float(np.linalg.eigvalsh(np.asarray(flow.ntk(net)) * float(flow.problem.kappa))[-1])


def draw_run(flow, kind, rng):
    """Descend in ever longer runs until the outputs stand still. Return the run, and lr · sharpness at its end relative
    to the edge of stability; plain descent is led to a given one, up to 1.95/2."""
    aim, edge, options, steps = float(rng.choice([0.5, 1.0, 1.5, 1.9, 1.95])) / 2, 2.0, {}, 1 << 13
    kernel = np.asarray(flow.ntk(lr.limit(flow).net)) * float(flow.problem.kappa)
    rate, key = 1 / np.linalg.eigvalsh(kernel)[-1], jax.random.key(int(rng.integers(1 << 30)))
    if kind == "batches":
        options, rate = {"batch": 1, "key": key}, 0.7 / (flow.problem.n * np.max(np.diag(kernel)))
    if kind in ("heavy ball", "nesterov"):
        options = {"momentum": float(rng.choice([0.5, 0.9, 0.99])), "nesterov": kind == "nesterov"}
        edge = float(lr.SGD(**options).edge)
        rate *= 0.3 * edge
    if kind == "label noise":
        options, rate = {"label_noise": lambda k: 0.3 * (k < 1000), "key": key}, 0.7 * rate
    for trial in range(60):
        rates = rate
        if kind == "schedule":
            rates = np.concatenate([np.geomspace(rate, 0.3 * rate, 1000), np.full(steps - 1000, 0.3 * rate)])
        try:
            run = lr.descend(flow, steps, rates, every=steps, progress=False, **options)
        except lr.IntegrationError:
            rate *= 0.7
            continue
        reached = sharpness_at(flow, run.end) * float(np.max(rates)) / edge
        misfit = float(lr.equivalent_flow(run).misfit)
        if kind == "descent" and misfit < 0.5 and abs(reached / aim - 1) > 2e-3 and trial < 30:
            rate *= min((aim / reached) ** 0.7, 1.3)
        elif misfit > 2e-14 and steps < 1 << 19:
            steps *= 4
        else:
            return run, reached
    raise AssertionError(f"no run of this kind was found: {kind}, {flow}")


def errors_of(run):
    """The distance of the end of a run from the limit of its equivalent flow, and from that of its own flow."""
    found, own = lr.limit(lr.equivalent_flow(run)), lr.limit(run.flow)
    errors = max(distance(found.value, run.beta[-1]), distance(found.net.layers, run.end.layers))
    return errors, float(np.max(np.abs(own.value - run.beta[-1])))


@pytest.mark.parametrize("kind", KINDS)
def test_the_end_of_a_run_is_the_limit_of_its_equivalent_flow(kind):
    rng = np.random.default_rng(KINDS.index(kind))
    flow = draw_flow(rng, 3, 7)
    run, _ = draw_run(flow, kind, rng)
    error, own = errors_of(run)
    assert error < 1e-10
    assert own > 1e-4
    assert lr.equivalent_flow(run).converged


@pytest.mark.slow
def test_two_hundred_runs():
    errors, owns, edges = [], [], []
    for seed in range(200):
        rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
        run, reached = draw_run(draw_flow(rng), kind, rng)
        error, own = errors_of(run)
        errors.append(error)
        owns.append(own)
        edges += [2 * reached] if kind == "descent" else []
    assert max(errors) < 1e-10
    assert np.mean(np.array(owns) > 1e-3) > 0.5
    assert max(edges) > 1.945


def test_against_sums_by_hand():
    """The changes of scale and of the mirror variable of heavy ball are Σ c(ρ), and at μ = 0 those of Even et al."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3, 6))
    y = X @ rng.normal(size=6)
    flow = lr.GradientFlow(lr.inits.tied_diagonal(6, 0.5), lr.Problem(X, y, kappa=1 / 3))
    for step, mu in ((0.1, 0.0), (0.05, 0.9), (0.002, 0.99)):
        run = lr.descend(flow, 30_000, step, momentum=mu)
        w, rho = np.full((2, 6), 0.5), np.zeros((2, 6))
        change, sign = np.zeros((2, 6)), np.array([[1.0], [-1.0]])
        for _ in range(30_000):
            g = X.T @ (X @ (w[0] ** 2 - w[1] ** 2) - y) / 3
            rho = -2 * step * sign * g + mu * rho / (1 + rho)
            change += np.log(np.abs(1 + rho)) - (rho - mu * rho / (1 + rho)) / (1 - mu)
            w = (1 + rho) * w
        found = lr.equivalent_flow(run)
        assert distance(found.log_scale_change, change.mean(0)) < 1e-12
        assert distance(found.scale, 0.5 * np.exp(change.mean(0))) < 1e-12
        plus, minus = jnp.log(jnp.abs(found.net.weights[0]) / 0.5)
        shifts = [flow.problem.null_space_component(shift) for shift in (plus - minus, change[0] - change[1])]
        assert distance(*shifts) < 1e-11
        assert distance(plus - minus, shifts[0]) < 1e-11
        assert np.max(np.abs(change)) > 1e-2


def test_label_noise_lowers_the_scale_by_its_clock():
    """At an interpolator log α_i falls by ½γ²s²κ²η²‖X_i‖² a step, for β = ½(w₊² − w₋²), so four times that here."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(10, 30))
    y = X @ np.r_[1.0, -1.0, 1.0, np.zeros(27)]
    flow = lr.GradientFlow(lr.inits.tied_diagonal(30, 0.1), lr.Problem(X, y, kappa=1 / 10))
    run = lr.descend(flow, 60_000, 0.005, label_noise=0.5, key=jax.random.key(0), every=10_000)
    first, last = (lr.equivalent_flow(run[: k + 1]).log_scale_change for k in (1, 6))
    rate = 4 * 0.5 * (0.005 * 0.5 / 10) ** 2 * np.sum(X**2, axis=0)
    assert np.allclose((first - last) / (50_000 * rate), 1, atol=0.05)


def test_a_run_that_has_not_converged_says_so_and_shares_the_mirror_path():
    rng = np.random.default_rng(5)
    flow = draw_flow(rng, 3, 7)
    run = lr.descend(flow, 60, 0.02, momentum=0.9, every=20)
    for part in (run, run[:2], run[:1]):
        found = lr.equivalent_flow(part)
        assert not found.converged
        assert "of a run that has not converged: misfit" in repr(found)
        assert distance(lr.limit(found).value, lr.limit(flow.with_net(part.end)).value) < 1e-11
    assert distance(lr.equivalent_flow(run[:1]).net, flow.net) < 1e-15


def test_saved_runs_and_batches_of_runs(tmp_path):
    rng = np.random.default_rng(6)
    flow = draw_flow(rng, 3, 7)
    run = lr.descend(flow, 100, 0.02, batch=2, key=jax.random.key(0))
    run.save(tmp_path / "run.npz")
    found = lr.equivalent_flow(lr.Trajectory.load(tmp_path / "run.npz"))
    assert distance(found, lr.equivalent_flow(run)) == 0

    def scale(key):
        return lr.equivalent_flow(lr.descend(flow, 100, 0.02, batch=2, key=key)).scale

    keys = jax.random.split(jax.random.key(0), 3)
    assert distance(jax.jit(jax.vmap(scale))(keys), jnp.stack([scale(key) for key in keys])) < 1e-12


def test_trajectories_of_an_equivalent_flow_are_saved(tmp_path):
    """They were refused: "cannot save a EquivalentFlow"."""
    rng = np.random.default_rng(1)
    other = lr.equivalent_flow(lr.descend(draw_flow(rng), 50, lr=0.02))
    lr.integrate(other, [0.0, 1.0]).save(tmp_path / "run.npz")
    loaded = lr.Trajectory.load(tmp_path / "run.npz").flow
    assert type(loaded) is lr.GradientFlow
    np.testing.assert_array_equal(loaded.net.weights, other.net.weights)


def test_weights_at_zero_stay_there():
    """A coordinate without weights, one with one side only, and one without data."""
    X = np.array([[1.0, 2.0, 0.0, 1.0], [0.5, -1.0, 0.0, 2.0]])
    w = np.array([[0.0, 0.7, 0.5, 0.4], [0.0, 0.0, 0.6, 0.9]])
    flow = lr.GradientFlow(lr.Diagonal([w], power=2), lr.Problem(X, X @ [0.0, 0.8, 1.0, 0.5]))
    run = lr.descend(flow, 20_000, 0.04)
    assert errors_of(run)[0] < 1e-10
    found = lr.equivalent_flow(run)
    assert np.all(found.net.weights[0][w == 0] == 0)
    assert np.allclose(found.net.weights[0][:, 2], w[:, 2], rtol=1e-15)
    assert np.all(np.asarray(found.scale)[:2] == 0)


def test_labels_that_cannot_be_fitted_and_labels_of_zero():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(9, 4))
    net = lr.inits.tied_diagonal(4, 0.3)
    for y in (rng.normal(size=9), np.zeros(9)):
        flow = lr.GradientFlow(net, lr.Problem(X, y, kappa=1 / 9))
        run = lr.descend(flow, 20_000, 0.2)
        assert lr.equivalent_flow(run).converged
        assert errors_of(run)[0] < 1e-10


@pytest.mark.parametrize("unit", [1e-120, 1e120])
def test_extreme_units(unit):
    """The same run in other units of the labels: scales by √unit, and the same relative errors."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(2, 5))
    y = X @ rng.normal(size=5)
    flows = [
        lr.GradientFlow(lr.inits.tied_diagonal(5, 0.4 * np.sqrt(u)), lr.Problem(X, u * y), 1 / u) for u in (1.0, unit)
    ]
    one, other = (lr.equivalent_flow(lr.descend(flow, 5000, 0.02)) for flow in flows)
    assert np.allclose(other.scale / np.sqrt(unit), one.scale, rtol=1e-12)
    assert np.allclose(lr.limit(other).value / unit, lr.limit(one).value, rtol=1e-10)


def test_what_has_no_equivalent_flow_is_refused():
    rng = np.random.default_rng(9)
    flow = draw_flow(rng, 3, 7)
    X, y = flow.problem.X, flow.problem.y
    problem = lr.Problem(X, y)
    with pytest.raises(TypeError, match="equivalent_flow takes the Trajectory of a descent; found GradientFlow"):
        lr.equivalent_flow(flow)
    for run, reason in [
        (lr.integrate(flow, [0.0, 0.1]), "it needs a run of descend; found a trajectory integrated"),
        (lr.descend(flow, 5, 0.01, optimizer=lr.Adam()), "needs steps of gradient descent.* found descended by Adam"),
        (lr.descend(flow, 5, 0.01)[3:3], "needs the last steps of a run; found a trajectory without times"),
        (lr.descend(flow, 5, 0.01, precision="single"), "in double precision; found .* gradients in float32"),
        (
            lr.descend(lr.GradientFlow(lr.inits.neuron(np.zeros(7), delta=1.0), problem), 5, 0.01),
            "needs a Diagonal network of depth two, tied or not; found DeepLinear",
        ),
        (
            lr.descend(lr.GradientFlow(flow.net, problem, decay=0.1), 5, 0.01),
            "it needs a flow without weight decay, whose end depends on the start",
        ),
        (
            lr.descend(lr.GradientFlow(lr.Diagonal([np.ones((2, 7))], power=3), problem), 5, 0.001),
            "needs a Diagonal network of depth two, tied or not; found Diagonal",
        ),
        (
            lr.descend(lr.GradientFlow(flow.net, lr.Problem(X, np.sign(y), lr.Logistic())), 5, 0.01),
            "needs the square loss; found Logistic, whose runs end at infinity",
        ),
    ]:
        with pytest.raises(ValueError, match=f"no gradient flow is known that ends where this run ends: .*{reason}"):
            lr.equivalent_flow(run)
    # one step that ends at zero exactly: what the weight was is lost
    flow = lr.GradientFlow(lr.inits.tied_diagonal(1, 1.0), lr.Problem([[1.0]], [1.0]))
    with pytest.raises(ValueError, match=r"a weight became zero or smaller than 1e-290 on the way"):
        lr.equivalent_flow(lr.descend(flow, 1, 0.5))
