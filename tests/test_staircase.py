import jax
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import linprog, minimize, nnls

import lazyrich as lr
from lazyrich.landmarks.cone_minimum import ActiveColumns
from lazyrich.landmarks.jump_process import UndecidedTie
from lazyrich.problem import Exponential, Logistic

FLAT = np.array([[-1.0, 1.0, 0.0], [2.0, -1.0, 1.0]]), np.array([2.0, 4.0])


def problem(seed=0, n=12, d=20, kappa=1.0):
    rng = np.random.default_rng(seed)
    X, beta = rng.normal(size=(n, d)), np.zeros(d)
    beta[:4] = 2.0, -1.5, 1.0, 0.6
    return lr.Problem(X, X @ beta, kappa=kappa)


def flow(X, y, net=None, **others):
    return lr.GradientFlow(
        lr.inits.tied_diagonal(np.shape(X)[1], 1.0) if net is None else net, lr.Problem(X, y, **others)
    )


def by_nnls(X, y, kappa=1.0, lower=1.0, upper=1.0):
    """The same process, from one NNLS problem a jump on the features that are at a bound."""
    d = X.shape[1]
    q, beta, time, lower, upper = np.zeros(d), np.zeros(d), 0.0, np.full(d, lower), np.full(d, upper)
    times, betas = [0.0], [beta]
    for _ in range(10 * d):
        g = kappa * X.T @ (X @ beta - y)
        g[np.abs(g) < 1e-10 * kappa * np.max(np.abs(X.T @ y))] = 0.0
        with np.errstate(all="ignore"):
            waits = np.where(g < 0, (upper - q) / -g, np.where(g > 0, (lower + q) / g, np.inf))
        if not np.isfinite(np.min(waits)):
            return np.array(times), np.array(betas)
        wait = np.min(waits)
        time, q = time + wait, q - wait * g
        sign = np.where(q > upper - 1e-11, 1.0, np.where(q < 1e-11 - lower, -1.0, 0.0))
        on = np.flatnonzero(sign)
        beta = np.zeros(d)
        beta[on] = nnls(X[:, on] * sign[on], y, maxiter=10000)[0] * sign[on]
        times.append(time)
        betas.append(beta)
    raise AssertionError("no end")


def against_integration(tiny, stairs):
    """Return the errors of the plateaus in their middle, and which of them the flow has reached there: those where the
    dual variables of all features that are not in use are far from their bounds."""
    middle = np.append((stairs.times[1:] + stairs.times[:-1]) / 2, 1.3 * stairs.times[-1])
    found = np.asarray(lr.integrate(tiny, np.append(0.0, middle)).beta)[1:]
    with_end = np.vstack([stairs.dual, stairs.dual[-1:]])
    q = (with_end[1:] + with_end[:-1]) / 2
    apart = np.minimum(stairs.upper - q, stairs.lower + q)
    apart[stairs.beta != 0] = np.inf
    reached = np.min(apart, axis=1) > 0.12
    assert np.sum(reached) > len(stairs) / 3
    return np.max(np.abs(found - stairs.beta), axis=1), reached


def least_weighted_l1(X, y, lower, upper):
    """The least Σ upper β₊ + lower β₋ of all interpolators, by HiGHS; sides without a bound stay at zero."""
    cost, X2 = np.concatenate([upper, lower]), np.hstack([X, -X])
    ends = np.where(np.isfinite(cost), np.inf, 0.0)
    found = linprog(
        np.where(ends > 0, cost, 0.0), A_eq=X2, b_eq=y, bounds=np.stack([np.zeros_like(ends), ends], 1), method="highs"
    )
    assert found.status == 0, found.message
    d = X.shape[1]
    return found.x[:d] - found.x[d:], found.fun


def test_jumps_equal_a_process_of_nnls_problems():
    seen_leaving = 0
    for seed in range(8):
        data = problem(seed, kappa=1 / 12)
        stairs = lr.staircase(lr.GradientFlow(lr.inits.tied_diagonal(20, 0.3), data))
        times, betas = by_nnls(np.asarray(data.X), np.asarray(data.y), 1 / 12)
        assert stairs.times == pytest.approx(times, rel=1e-9)
        assert np.max(np.abs(stairs.beta - betas)) < 1e-10
        seen_leaving += sum(len(stairs[i].left) for i in range(len(stairs)))
        assert float(stairs.certificate.worst) < 1e-9
    assert seen_leaving > 8


def test_ends_at_basis_pursuit_whatever_the_exponents():
    rng = np.random.default_rng(1)
    for seed in range(6):
        data = problem(seed)
        exponents = rng.uniform(0.5, 2.0, size=(2, 20))
        stairs = lr.staircase(lr.GradientFlow(lr.inits.diagonal(20, 1.0), data), exponents)
        right, _ = least_weighted_l1(np.asarray(data.X), np.asarray(data.y), exponents[1], exponents[0])
        assert np.max(np.abs(stairs.end - right)) < 1e-10
        assert float(stairs.certificate.worst) < 1e-9
        times, betas = by_nnls(np.asarray(data.X), np.asarray(data.y), 1.0, exponents[1], exponents[0])
        assert stairs.times == pytest.approx(times, rel=1e-9)
        assert np.max(np.abs(stairs.beta - betas)) < 1e-10


def test_dual_variables_are_at_their_bounds_where_features_are_used():
    stairs = lr.staircase(lr.GradientFlow(lr.inits.tied_diagonal(20, 1.0), problem()))
    assert np.max(np.abs(stairs.dual)) < 1 + 1e-9
    for i in range(1, len(stairs)):
        used = stairs.supports[i]
        assert np.sign(stairs.beta[i, used]) == pytest.approx(stairs.dual[i, used], abs=1e-9)
    assert np.all(np.diff(stairs.loss) < 0)


@pytest.mark.parametrize(
    ("depth", "alpha", "allowed"),
    [(2, 1e-100, 1e-8), (3, 1e-4, 1e-8), pytest.param(4, 1e-3, 1e-8, marks=pytest.mark.slow)],
)
def test_plateaus_equal_an_integration_from_a_tiny_start(depth, alpha, allowed):
    data = problem(kappa=1 / 12)
    for net in (lr.inits.tied_diagonal(20, alpha, depth), lr.Diagonal([np.full((2, 20), alpha)] * depth)):
        long = lr.GradientFlow(net, data)
        stairs = lr.staircase(long).at()
        errors, reached = against_integration(long, stairs)
        assert np.median(errors) < 2e-9
        assert np.max(errors[reached]) < allowed


def exponents_of_approach(stairs, data):
    """Return p for each plateau of a tied network of depth two: in its middle (the last: at 1.3 times its beginning),
    the flow from α is off by the order of α^p. A feature out of use is α^{2(1 − |q|)} of one in use, and what is in use
    approaches the minimum at the smallest eigenvalue of 4√|β| ∇²L √|β|, at a flow time of log(1/α)/2 in slow time."""
    X, kappa = np.asarray(data.X), float(data.kappa)
    half = np.append(np.diff(stairs.times) / 2, 0.3 * stairs.times[-1])
    found = np.full(len(stairs), np.inf)
    for i, span in enumerate(half):
        beta, used = stairs.beta[i], stairs.beta[i] != 0
        q = stairs.dual[i] - span * kappa * X.T @ (X @ beta - np.asarray(data.y))
        root = np.sqrt(np.abs(beta[used]))
        rates = np.linalg.eigvalsh(4 * kappa * root[:, None] * (X[:, used].T @ X[:, used]) * root)
        found[i] = np.min(np.append(rates * span / 2, 2 * (1 - np.max(np.abs(q[~used])))))
    return found


@pytest.mark.parametrize("alpha", [1e-50, 1e-100])
def test_the_distance_from_a_plateau_has_the_exponent_of_its_approach(alpha):
    """At α = 1e-100 the flow is within 1e-8 of exactly the plateaus whose exponent says so, and not of the others."""
    data = problem(kappa=1 / 12)
    tiny = lr.GradientFlow(lr.inits.tied_diagonal(20, alpha), data)
    stairs = lr.staircase(tiny)
    p = exponents_of_approach(stairs, data)
    errors, _ = against_integration(tiny, stairs.at())
    assert np.all(errors < 10 * alpha**p + 1e-9)
    assert np.all(errors[p < 0.05] > alpha ** (5 * p[p < 0.05]))  # and the flow is not on them
    if alpha == 1e-100:
        assert np.max(errors[p > 0.09]) < 1e-8
        assert np.sum(p > 0.09) > len(p) / 3
        assert np.min(errors[p < 0.05]) > 1e-8


def test_short_plateaus_are_approached_like_a_power_of_alpha():
    """In slow time all plateaus are the same; in flow time they last in proportion to log(1/α), and the flow has
    approached a plateau exponentially by then. So the error on each falls by one factor for each factor of α."""
    data, errors = problem(kappa=1 / 12), []
    for alpha in (1e-50, 1e-100, 1e-150):
        tiny = lr.GradientFlow(lr.inits.tied_diagonal(20, alpha), data)
        errors.append(against_integration(tiny, lr.staircase(tiny).at())[0])
    first, second, third = errors
    short = third > 1e-6
    assert 4 <= np.sum(short) < len(first) / 2
    assert np.max(first) > 0.03
    assert np.all(first[short] > 2 * second[short])
    assert np.all(second[short] > 2 * third[short])
    ratio = np.log(first / second)[short] / np.log(second / third)[short]
    assert ratio == pytest.approx(np.ones(np.sum(short)), abs=0.35)
    assert np.max(third[~short]) < 1e-6


@pytest.mark.parametrize("rates", [(1.0, 1.0), (0.5, 3.0)])
@pytest.mark.parametrize("depth", [2, 3])
def test_jump_times_of_layers_with_own_rates(depth, rates):
    """The clock against a raw integration of the parameters by SciPy: times to half of a coefficient."""
    X, y, alpha = np.eye(2), np.array([2.0, -1.0]), {2: 1e-30, 3: 1e-4}[depth]
    rates = (*rates, 1.7)[:depth]
    layers = [np.sqrt(rate) * np.full((2, 2), alpha) for rate in rates]
    stairs = lr.staircase(lr.GradientFlow(lr.Diagonal(layers), lr.Problem(X, y), rates)).at()

    def field(t, z):
        u = z.reshape(depth, 2, 2)
        slope = np.prod(u, axis=0)[0] - np.prod(u, axis=0)[1] - y
        signs = np.array([[1.0], [-1.0]])
        return np.stack([-r * slope * signs * np.prod(np.delete(u, l, 0), axis=0) for l, r in enumerate(rates)]).ravel()

    halves = [lambda t, z, i=i: np.prod(z.reshape(depth, 2, 2)[:, i, i]) - abs(y[i]) / 2 for i in range(2)]
    path = solve_ivp(
        field, (0, 2 * stairs.times[-1]), np.ravel(layers), method="LSODA", rtol=1e-9, atol=1e-300, events=halves
    )
    found = [event[0] for event in path.t_events]
    assert found == pytest.approx(stairs.times[1:], rel=0.05 if depth == 2 else 1e-3)


def test_unequal_weights_of_deep_networks_shift_the_bounds():
    data, rng = problem(3, kappa=1 / 12), np.random.default_rng(0)
    weights = 1e-4 * rng.uniform(0.5, 1.0, size=(2, 20))
    long = lr.GradientFlow(lr.Diagonal([weights], power=3), data)
    stairs = lr.staircase(long).at()
    assert stairs.upper == pytest.approx(np.max(weights) / weights[0])
    assert stairs.lower == pytest.approx(np.max(weights) / weights[1])
    errors, reached = against_integration(long, stairs)
    assert np.max(errors[reached]) < 1e-8


def test_unequal_exponents_against_an_integration():
    data, rng = problem(5, kappa=1 / 12), np.random.default_rng(0)
    exponents = rng.uniform(0.8, 1.2, size=20)
    stairs = lr.staircase(lr.GradientFlow(lr.inits.tied_diagonal(20, 1.0), data), exponents).at(1e-100)
    tiny = lr.GradientFlow(lr.inits.tied_diagonal(20, 1e-100**exponents), data)
    errors, reached = against_integration(tiny, stairs)
    assert np.max(errors[reached]) < 1e-8


def test_one_side_gives_one_sign():
    X, y = np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0]]), np.array([2.0, 1.5])
    net = lr.Diagonal([np.array([[1e-60] * 3, [0.0] * 3])], power=2)
    stairs = lr.staircase(flow(X, y, net))
    assert np.all(stairs.beta >= 0)
    assert stairs.end == pytest.approx(least_weighted_l1(X, y, np.full(3, np.inf), np.ones(3))[0], abs=1e-12)
    end = lr.integrate(flow(X, y, net), [stairs.at().times[-1] * 1.5]).beta[-1]
    assert np.asarray(end) == pytest.approx(stairs.end, abs=1e-8)
    # labels that no nonnegative predictor reaches: the least squared error
    stairs = lr.staircase(flow(X, [-3.0, 1.0], net))
    assert stairs.end == pytest.approx(nnls(X, np.array([-3.0, 1.0]))[0], abs=1e-12)
    assert float(stairs.certificate.feasibility) < 1e-12


def test_nothing_to_learn():
    X = np.array([[1.0, 0.0], [0.5, 0.0]])
    for y, net in (([0.0, 0.0], None), ([1.0, -2.0], None), ([1.0, 1.0], lr.Diagonal([np.zeros((2, 2))], power=3))):
        stairs = lr.staircase(flow(X, y, net))
        assert len(stairs) == 1
        assert not np.any(stairs.end)
        assert stairs.plot().axes
        assert "1 plateau" in repr(stairs)
    dead = lr.staircase(flow(X, [1.0, 0.5]))
    assert dead.end == pytest.approx([1.0, 0.0])


def test_identical_columns_share_in_proportion_to_their_start():
    X, y = FLAT
    double = np.column_stack([X, -X[:, 2], X[:, 0]])
    alpha = 1e-60 * np.array([1.0, 1.0, 1.0, 2.0, 3.0])
    tiny = flow(double, y, lr.inits.tied_diagonal(5, alpha))
    stairs, alone = lr.staircase(tiny).at(), lr.staircase(flow(X, y))
    assert stairs.slow_times == pytest.approx(alone.slow_times)
    assert stairs.end == pytest.approx([0.0, 2.0, 6 / 5, -24 / 5, 0.0])
    assert stairs[1].beta == pytest.approx(alone[1].beta[0] * np.array([0.1, 0, 0, 0, 0.9]))
    middle = np.append((stairs.times[1:] + stairs.times[:-1]) / 2, 1.5 * stairs.times[-1])
    found = np.asarray(lr.integrate(tiny, np.append(0.0, middle)).beta)[1:]
    assert np.max(np.abs(found - stairs.beta)) < 1e-8
    first = lr.staircase(flow(double, y, lr.inits.tied_diagonal(5, alpha, depth=3)))
    assert first.supports[1].tolist() == [4]  # at depth 3 the larger weight alone
    assert lr.staircase(flow(double, y), [2.0, 1.0, 1.0, 1.0, 1.0]).supports[1].tolist() == [4]


def test_ties_are_right_or_refused():
    both = lr.staircase(flow(np.eye(3), [1.0, -1.0, 0.5]))
    assert [s.tolist() for s in both.supports] == [[], [0, 1], [0, 1, 2]]
    X = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]).T
    # x1 + x2 = x3 + x4, and all four reach the bound together
    with pytest.raises(UndecidedTie, match=r"features \[2, 3\] reach their bounds together with features \["):
        lr.staircase(flow(X, [1.0, 1.0, 1.0, 1.0]))
    with pytest.raises(UndecidedTie, match="columns of X depend on one another"):
        lr.staircase(flow([[1.0, 2.0]], [1.0]), [1.0, 2.0])  # parallel, with bounds in the same ratio


@pytest.mark.parametrize("loss", [Logistic(), Exponential()])
def test_margin_losses_have_plateaus_until_the_data_are_separable(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), rng.choice([-1.0, 1.0], size=30)
    data = lr.Problem(X, y, loss, kappa=1 / 30)
    stairs = lr.staircase(lr.GradientFlow(lr.inits.tied_diagonal(4, 1.0), data))
    assert not stairs.stop_reason
    assert len(stairs) > 3
    for i in range(1, len(stairs)):
        sign = np.sign(stairs.dual[i, stairs.supports[i]])
        part = X[:, stairs.supports[i]] * sign

        def value(b, part=part):
            return float(np.mean(np.asarray(loss.value(part @ b, y))))

        least = minimize(value, np.ones(part.shape[1]), bounds=[(0, None)] * part.shape[1], tol=1e-14)
        assert stairs.loss[i] <= least.fun + 1e-12
        assert stairs.beta[i, stairs.supports[i]] * sign == pytest.approx(least.x, abs=1e-5)
    assert float(stairs.certificate.feasibility) < 1e-12
    errors, reached = against_integration(lr.GradientFlow(lr.inits.tied_diagonal(4, 1e-100), data), stairs.at(1e-100))
    assert np.max(errors[reached]) < 1e-8
    separable = lr.staircase(flow(rng.normal(size=(6, 9)), rng.choice([-1.0, 1.0], size=6), loss=loss))
    assert "the loss has no minimum on features [" in separable.stop_reason
    assert len(separable) > 1
    with pytest.raises(ValueError, match="this staircase has no last plateau: at slow time"):
        _ = separable.end


@pytest.mark.parametrize("exponent", [-200, 150])
def test_extreme_units(exponent):
    X, y = FLAT
    plain, size = lr.staircase(flow(X, y)), 10.0**exponent
    scaled = lr.staircase(flow(X, size * y, kappa=1 / size if exponent > 0 else 1.0))
    assert scaled.beta / size == pytest.approx(plain.beta, rel=1e-12, abs=1e-14)
    assert scaled.dual == pytest.approx(plain.dual, abs=1e-12)
    wide = lr.staircase(flow(size * X, y))
    assert wide.beta * size == pytest.approx(plain.beta, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("depth", [2, 3])
def test_mode_schedule_tells_the_same_story(depth):
    """Where both apply: diagonal networks on orthogonal features, and deep linear networks on whitened inputs."""
    strengths = np.array([4.0, 2.0, 1.0])
    errors = []
    for alpha in (1e-20, 1e-40) if depth == 2 else (1e-3, 1e-4):
        diagonal = lr.GradientFlow(lr.Diagonal([np.full((2, 3), alpha)] * depth), lr.Problem(np.eye(3), strengths))
        stairs = lr.staircase(diagonal).at()
        plan = lr.mode_schedule(diagonal)
        deep = lr.inits.aligned(np.diag(strengths), alpha**depth, depth=depth)
        linear = lr.mode_schedule(lr.GradientFlow(deep, lr.Problem(np.eye(3), np.diag(strengths))))
        for schedule in (plan, linear):
            assert schedule.mode.tolist() == [0, 1, 2]
            assert schedule.plateau == pytest.approx(stairs.loss[1:], abs=1e-7)
        errors.append([np.max(np.abs(schedule.time / stairs.times[1:] - 1)) for schedule in (plan, linear)])
    assert np.all(np.array(errors[1]) < 0.6 * np.array(errors[0]))
    assert np.max(errors[1]) < 0.02


def test_views():
    stairs = lr.staircase(flow(*FLAT))
    assert [len(stairs), len(stairs[1:]), stairs[-1].start] == [4, 3, stairs.times[-1]]
    assert stairs[-1].end == np.inf
    assert stairs[2].entered.tolist() == [2]
    assert stairs[2].left.tolist() == [0]
    assert stairs[1:].dual == pytest.approx(stairs.dual[1:])
    assert np.array_equal(stairs.predictor([0.0, 0.2, 9.0]), stairs.beta[[0, 1, 3]])
    real = stairs.at(1e-50)
    assert real.times == pytest.approx(stairs.times * np.log(1e50) / 2)
    assert real.scale == 1e-50
    assert real.to_xarray()["beta"].shape == (4, 3)
    assert real.to_xarray().attrs["clock"] == "flow time at scale 1e-50"
    assert len(real.plot().axes) == 2
    assert "<img" in real._repr_html_()
    data = lr.Problem(problem(0, 40, 60).X, np.random.default_rng(0).normal(size=40))
    long = str(lr.staircase(lr.GradientFlow(lr.inits.tied_diagonal(60, 1.0), data)))
    assert "…" in long
    assert len(long.splitlines()) < 30


def test_refusals_say_why():
    X, y = FLAT
    with pytest.raises(ValueError, match="diagonal networks of depth 2 or more; found DeepLinear"):
        lr.staircase(lr.GradientFlow(lr.inits.aligned(np.eye(2), 0.1), lr.Problem(np.eye(2), np.eye(2))))
    with pytest.raises(ValueError, match="of degree 1"):
        lr.staircase(flow(X, y, lr.inits.tied_diagonal(3, 1.0, depth=1)))
    with pytest.raises(ValueError, match="must be balanced"):
        lr.staircase(flow(X, y, lr.Diagonal([np.ones((2, 3)), np.ones((2, 3)), 2 * np.ones((2, 3))])))
    with pytest.raises(ValueError, match="found a flow with decay"):
        lr.staircase(lr.GradientFlow(lr.inits.tied_diagonal(3, 1.0), lr.Problem(X, y), decay=0.1))
    with pytest.raises(ValueError, match="exponents are positive, one per coordinate"):
        lr.staircase(flow(X, y), [1.0, 0.0, 1.0])
    with pytest.raises(ValueError, match="exponents are for depth 2"):
        lr.staircase(flow(X, y, lr.inits.tied_diagonal(3, 1.0, depth=3)), [1.0, 2.0, 1.0])
    with pytest.raises(TypeError, match="takes a GradientFlow"):
        lr.staircase(lr.Problem(X, y))
    with pytest.raises(ValueError, match="cannot be traced"):
        jax.jit(lambda y: lr.staircase(flow(X, y)).times)(y)
    stairs = lr.staircase(flow(X, y))
    with pytest.raises(ValueError, match="no flow time at scale 1"):
        stairs.at()
    with pytest.raises(ValueError, match="the scale must be positive"):
        stairs.at(-1.0)
    with pytest.raises(IndexError, match="4 plateaus; index 7 is outside"):
        stairs[7]
    with pytest.raises(IndexError, match="goes forward"):
        stairs[::-1]
    with pytest.raises(ValueError, match="times must not lie before the first plateau, at 0"):
        stairs.predictor(-1.0)


def test_columns_that_come_and_go_keep_their_factorization():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 12))
    columns = ActiveColumns(X)
    for i in range(12):
        columns.add(i)
        if len(columns) == 6 or i % 3 == 2:
            columns.drop(int(rng.integers(len(columns))))
        target = rng.normal(size=6)
        right = np.linalg.lstsq(X[:, columns.index], target, rcond=None)[0]
        assert columns.solve(target) == pytest.approx(right, rel=1e-10)
        assert columns.matrix == pytest.approx(X[:, columns.index])
        inverse = np.linalg.pinv(X[:, columns.index])
        assert columns.sensitivities() == pytest.approx(np.linalg.norm(inverse, axis=1))
