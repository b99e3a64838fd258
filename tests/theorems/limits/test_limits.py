"""What every limit theorem promises, checked over all members of LIMIT_THEOREMS: a new one on what is in its file."""

import cvxpy as cp
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import FURTHER, example, examples, first
from conftest import each
from scipy.optimize import nnls

import lazyrich as lr
from lazyrich.theorems.limits import diagonal, l1_margin, l2_margin, leaky, neuron, rank_one, spectral
from lazyrich.theorems.theorem import DEFECT_TOLERANCE, hypothesis_name

TIGHT = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas", "tol_ktratio"), 1e-12)
pytestmark = pytest.mark.filterwarnings("ignore:Solution may be inaccurate")


NAMED = {theorem.name: theorem for theorem in lr.LIMIT_THEOREMS}
HYPOTHESES = [
    pytest.param(theorem, hypothesis, id=f"{theorem.name}-{hypothesis_name(hypothesis)}")
    for theorem in lr.LIMIT_THEOREMS
    for hypothesis in theorem.hypotheses
]


@pytest.fixture(params=each({name: examples(theorem) for name, theorem in NAMED.items()}, 1))
def case(request):
    theorem, name = NAMED[request.param[0]], request.param[1]
    return theorem, example(theorem, name)


def size(tree):
    return max(float(jnp.max(jnp.abs(leaf))) for leaf in jax.tree.leaves(tree))


def difference(a, b):
    return size(jax.tree.map(jnp.subtract, a, b))


def test_every_theorem_has_a_name_cases_and_counterexamples():
    assert len(NAMED) == len(lr.LIMIT_THEOREMS), "two theorems have the same name"
    assert set(FURTHER) <= set(lr.LIMIT_THEOREMS), "FURTHER has theorems that are not in LIMIT_THEOREMS"
    for theorem in lr.LIMIT_THEOREMS:
        name = f"the theorem '{theorem.name}'"
        assert theorem.statement, f"{name} has no statement: its formula needs a docstring"
        assert theorem.hypotheses, f"{name} has no hypotheses"
        names = {hypothesis_name(h) for h in theorem.hypotheses}
        assert len(names) == len(theorem.hypotheses), f"{name} has two hypotheses of the same name"
        decided = set(theorem.decided_by_flow)
        assert decided <= set(theorem.hypotheses), f"{name}: `decided_by_flow` has what is not among its hypotheses"


def test_it_is_chosen_and_certified(case):
    theorem, flow = case
    found = lr.limit(flow)
    explanation = lr.explain(flow, of="limit")
    assert found.by.method == theorem.name, f"on an example of '{theorem.name}':\n{explanation}"
    assert explanation.theorem is theorem
    assert float(found.certificate.worst) < 1e-10, f"the certificate is larger than rounding: {found}"


def test_it_is_where_a_long_flow_ends(case):
    theorem, flow = case
    found = lr.limit(flow)
    if found.kind == "direction":
        pytest.skip("directions are reached like 1/log t: see the test of their flow")
    end = lr.integrate(flow, [0.0, 1e5], rtol=1e-11, until=lr.GradientBelow(1e-12)).end
    value = end.layers if isinstance(found.value, lr.networks.Network) else flow.beta(end)
    expected = found.value.layers if isinstance(found.value, lr.networks.Network) else found.value
    assert difference(value, expected) < 1e-8 * size(value), "a long integration ends elsewhere"
    if theorem.up_to_rotation:
        found_grams, end_grams = (
            (net.weights[0].T @ net.weights[0], net.weights[1] @ net.weights[1].T) for net in (found.net, end)
        )
        assert difference(found_grams, end_grams) < 1e-8 * size(end_grams), "the integrated layers have other Grams"
    elif found.net is not None:
        apart = difference(found.net.layers, end.layers)
        assert apart < 1e-8 * size(end.layers), "a long integration ends in another network"


@pytest.mark.parametrize(("theorem", "hypothesis"), HYPOTHESES)
def test_it_refuses_when_a_hypothesis_fails(theorem, hypothesis):
    flow, name = theorem.violating(hypothesis), hypothesis_name(hypothesis)
    with pytest.raises(lr.NoTheoremApplies, match=name) as refusal:
        lr.limit(flow, theorem=theorem)
    defects = refusal.value.defects[theorem.name]
    assert not defects[name] <= DEFECT_TOLERANCE, f"after its change of the example, '{name}' still holds"
    others = [d for other, d in defects.items() if other != name and d is not None]
    assert all(d <= DEFECT_TOLERANCE for d in others), f"the change for '{name}' breaks other hypotheses: {defects}"


@pytest.mark.parametrize("name", ["untied, any start", "shape", "one side"])
def test_diagonal_limits_equal_a_convex_solver(name):
    """The same program in exponential cones, by Clarabel: KKT through conic duality, another algorithm altogether."""
    flow = example(diagonal.THEOREM, name)
    potential = lr.potentials.diagonal_potential(flow.net, flow.rates)
    A, B = np.exp(potential.log_a), np.exp(potential.log_b)
    X, y = np.asarray(flow.problem.X), np.asarray(flow.problem.y)
    # β = p − m with p log(p/A) − p + m log(m/B) − m has the same minimum: it is the dual of A e^z + B e^−z
    plus, minus = cp.Variable(len(A), nonneg=True), cp.Variable(len(A), nonneg=True)
    parts = [
        cp.sum(cp.kl_div(plus[A > 0], A[A > 0])),
        cp.sum(cp.kl_div(minus[B > 0], B[B > 0])) if np.any(B > 0) else 0,
    ]
    constraints = [X @ (plus - minus) == y, *([minus[B == 0] == 0] if np.any(B == 0) else [])]
    cp.Problem(cp.Minimize(sum(parts)), constraints).solve(solver=cp.CLARABEL, **TIGHT)
    assert float(jnp.max(jnp.abs(lr.limit(flow).value - (plus.value - minus.value)))) < 1e-6


def radial(flow, found, root):
    """The single neuron's potential, its coordinates, and the sign of its linear term."""
    w0, a0 = (np.ravel(layer) for layer in flow.net.layers)
    delta = float(flow.rates[0]) * a0[0] ** 2 - float(flow.rates[1]) * w0 @ w0
    crossed = np.sign(a0[0]) * np.sign(np.ravel(found.net.layers[1])[0])
    return lr.potentials.Radial(delta), lambda b: root * b, crossed


def deep_radial(flow, found, root):
    return lr.potentials.DeepRadial(len(flow.rates)), lambda b: b / root, 1.0


@pytest.mark.parametrize(
    ("theorem", "potential"),
    [
        pytest.param(neuron.THEOREM, radial, id="single-neuron bias"),
        pytest.param(rank_one.THEOREM, deep_radial, id="rank-one bias"),
    ],
)
def test_radial_limits_minimize_their_potential(theorem, potential):
    """The explicit solutions against a descent of the potential along the null space, from a start of its own."""
    from scipy.optimize import minimize

    for name in FURTHER[theorem]:
        flow = example(theorem, name)
        root = float(np.prod([np.sqrt(float(r)) for r in flow.rates]))
        found = lr.limit(flow)
        basis, best = np.asarray(flow.problem.null_space_basis), np.asarray(flow.problem.min_norm_solution)
        start = np.asarray(flow.net.beta).reshape(-1)
        phi, at, linear = potential(flow, found, root)
        slope = np.asarray(phi.gradient(jnp.asarray(at(start)))) * linear

        def objective(c, phi=phi, at=at, slope=slope, best=best, basis=basis):
            beta = jnp.asarray(at(best + basis @ c))
            return float(phi.value(beta) - slope @ beta), basis.T @ (np.asarray(phi.gradient(beta)) - slope)

        result = minimize(objective, np.full(basis.shape[1], 0.1), jac=True, method="BFGS", options={"gtol": 1e-12})
        np.testing.assert_allclose(best + basis @ result.x, found.value, atol=2e-6)


def test_margins_equal_a_convex_solver():
    for theorem, norm in ((l1_margin.THEOREM, 1), (l2_margin.THEOREM, 2)):
        flow = first(theorem)
        Z = np.asarray(flow.problem.X) * np.asarray(flow.problem.y)[:, None]
        beta = cp.Variable(Z.shape[1])
        cp.Problem(cp.Minimize(cp.norm(beta, norm)), [Z @ beta >= 1]).solve(solver=cp.CLARABEL, **TIGHT)
        direction = beta.value / np.linalg.norm(beta.value)
        np.testing.assert_allclose(lr.limit(flow).value, direction, atol=1e-5)


def test_flows_of_margin_losses_turn_to_the_direction():
    """By t = 1e8 the direction is near, and nearer than at 1e4."""
    flow = example(l2_margin.THEOREM, "one layer")
    traj = lr.integrate(flow, [0.0, 1e4, 1e8], rtol=1e-8)
    beta = np.asarray(traj.beta)
    cosines = beta @ np.asarray(lr.limit(flow).value) / np.maximum(np.linalg.norm(beta, axis=1), 1e-300)
    assert cosines[2] > 0.999
    assert 1 - cosines[2] < 0.5 * (1 - cosines[1])


def test_corollary_of_the_spectral_bias():
    """varre2023, corollary 3.1: the singular values of W₁."""
    flow = example(spectral.THEOREM, "three outputs")
    found = lr.limit(flow)
    gamma, s = 0.3, np.linalg.svd(np.asarray(flow.problem.min_norm_solution), compute_uv=False)
    expected = np.r_[np.sqrt(np.sqrt(s**2 + gamma**2) + gamma), np.full(4, np.sqrt(2 * gamma))]
    np.testing.assert_allclose(np.linalg.svd(found.net.weights[0], compute_uv=False), expected, rtol=1e-12)


@pytest.mark.slow
def test_vanishing_product_is_not_enough():
    """azulay2021, theorem 3 as printed, fails: a(0) → 0 with W(0) fixed keeps away from the shortest solution."""
    problem = lr.Problem([[1.0, 0.5, -0.3]], [1.0])
    W = np.array([[0.5, 0.2, 0.9], [-0.3, 0.8, 0.1]])
    for eps in (1e-3, 1e-6):
        flow = lr.GradientFlow(lr.DeepLinear([W, eps * np.ones((1, 2))]), problem)
        with pytest.raises(lr.NoTheoremApplies, match="zero on null space"):
            lr.limit(flow, theorem="vanishing bias")
        end = lr.integrate(flow, [0.0, 1e4], rtol=1e-10, until=lr.LossBelow(1e-20))
        assert float(jnp.linalg.norm(end.beta[-1] - problem.min_norm_solution)) > 0.1


def test_scales_follow_one_path():
    flow = lr.GradientFlow(lr.inits.tied_diagonal(7, 1.0), example(diagonal.THEOREM, "shape").problem)
    scales = np.array([1e-6, 1e2, 1e-2, 1.0])
    path = lr.limit(flow, scales=scales)
    for scale, value in zip(scales, path.value, strict=True):
        alone = lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(7, scale), flow.problem)).value
        np.testing.assert_allclose(value, alone, rtol=0, atol=1e-12)
    upstream = example(neuron.THEOREM, "upstream")
    twice = upstream.with_net(upstream.net.with_layers(tuple(2 * layer for layer in upstream.net.layers)))
    np.testing.assert_allclose(lr.limit(upstream, scales=[1.0, 2.0]).value[1], lr.limit(twice).value, rtol=1e-13)
    with pytest.raises(ValueError, match="scales must be positive"):
        lr.limit(flow, scales=[1.0, 0.0])


DERIVATIVES = {
    "diagonal, scale": lambda x: lr.GradientFlow(lr.inits.tied_diagonal(5, x), PROBLEM),
    "diagonal, bias": lambda x: lr.GradientFlow(
        lr.Diagonal([jnp.array([[0.3] * 4 + [x], [0.2] * 5])], power=2), PROBLEM
    ),
    "diagonal, depth 3": lambda x: lr.GradientFlow(lr.inits.tied_diagonal(5, x, depth=3), PROBLEM),
    "diagonal, label": lambda x: lr.GradientFlow(
        lr.inits.tied_diagonal(5, 0.3), lr.Problem(PROBLEM.X, PROBLEM.y * jnp.array([x, 1.0]))
    ),
    "diagonal, input": lambda x: lr.GradientFlow(
        lr.inits.tied_diagonal(5, 0.3), lr.Problem(PROBLEM.X * jnp.array([x, 1.0, 1.0, 1.0, 1.0]), PROBLEM.y)
    ),
    "neuron, δ": lambda x: lr.GradientFlow(lr.inits.neuron([0.2, 0.1, -0.1, 0.3, 0.2], x), PROBLEM),
    "rank one, strength": lambda x: lr.GradientFlow(
        lr.DeepLinear([x * jnp.ones((1, 5)) / jnp.sqrt(5.0), x * jnp.ones((1, 1)), x * jnp.ones((1, 1))]), PROBLEM
    ),
    "affine, start": lambda x: lr.GradientFlow(lr.DeepLinear([jnp.array([[x, 0.3, 0.1, 0.0, 0.2]])]), PROBLEM),
}
PROBLEM = lr.Problem([[1.0, 0.3, -0.2, 0.8, 0.1], [0.2, 1.0, 0.4, -0.3, 0.5]], [1.0, -0.6])


HEAVY = ("diagonal, depth 3", "diagonal, bias", "diagonal, label")


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if n in HEAVY else ()) for n in DERIVATIVES])
def test_derivatives_equal_finite_differences(name):
    def outcome(x):
        return jnp.sum(lr.limit(DERIVATIVES[name](x)).value * jnp.arange(1.0, 6.0))

    x, step = 0.7, 1e-5
    numeric = float(outcome(x + step) - outcome(x - step)) / (2 * step)
    assert float(jax.grad(outcome)(x)) == pytest.approx(numeric, rel=1e-7, abs=1e-9)


def test_jit_and_vmap_go_through():
    values = jnp.array([0.01, 0.3, 2.0])
    batch = jax.jit(jax.vmap(lambda x: lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(5, x), PROBLEM)).value))(values)
    for x, row in zip(values, batch, strict=True):
        np.testing.assert_allclose(
            row, lr.limit(lr.GradientFlow(lr.inits.tied_diagonal(5, x), PROBLEM)).value, atol=1e-13
        )


@pytest.mark.parametrize("delta", [1.0, 0.0, -1.0])
def test_neurons_on_data_as_they_come(delta):
    """No labels, one sample, scales of 1e±8, more samples than features: right, or refused for the sign alone."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4, 7)), rng.normal(size=4)
    net = lr.inits.neuron(0.1 * rng.normal(size=7), delta)
    tall = lr.Problem(rng.normal(size=(20, 7)), rng.normal(size=20))
    for problem in (
        lr.Problem(X, 0 * y),
        lr.Problem(X[:1], y[:1]),
        lr.Problem(1e8 * X, y),
        lr.Problem(1e-8 * X, y),
        tall,
    ):
        flow = lr.GradientFlow(net, problem)
        if not lr.explain(flow, of="limit"):
            assert delta < 0
            with pytest.raises(lr.NoTheoremApplies, match="known sign"):
                lr.limit(flow)
            continue
        found = lr.limit(flow)
        assert float(found.certificate.worst) < 1e-10
        assert bool(jnp.all(jnp.isfinite(found.value)))


def test_networks_that_sit_on_a_saddle_are_refused():
    problem = lr.Problem([[1.0, 0.5, -0.3]], [1.0])
    for net in (
        lr.DeepLinear([np.zeros((1, 3)), np.zeros((1, 1))]),
        lr.DeepLinear([np.zeros((3, 3)), np.zeros((1, 3))]),
        lr.DeepLinear([np.zeros((2, 3)), np.zeros((2, 2)), np.zeros((1, 2))]),
        lr.Diagonal([np.zeros((2, 3))], power=2),
        lr.Diagonal([np.zeros((2, 3))], power=3),
    ):
        with pytest.raises(lr.NoTheoremApplies):
            lr.limit(lr.GradientFlow(net, problem))


@pytest.mark.slow
def test_flows_that_end_in_a_saddle_are_refused():
    """Balanced and opposite to the target: one neuron, many, deep, one mode of two; whitened, and on an eigenline."""
    white, line = lr.Problem(np.eye(2), [0.0, 1.0]), lr.Problem(np.diag([1.0, 2.0]), [0.0, 1.0])
    two = lr.Problem(np.eye(2), np.diag([2.0, 1.0]))
    column = np.array([[0.0, -1.0]])
    for problem, net in (
        (white, lr.DeepLinear([column, [[1.0]]])),
        (line, lr.DeepLinear([column, [[1.0]]])),
        (white, lr.DeepLinear([np.vstack([column, column]) / np.sqrt(2), np.ones((1, 2)) / np.sqrt(2)])),
        (line, lr.DeepLinear([column, [[1.0]], [[1.0]]])),
        (white, lr.DeepLinear([column, [[1.0]], [[1.0]]])),
        (two, lr.inits.aligned(jnp.diag(jnp.array([2.0, 1.0])), jnp.array([0.3, -0.2]))),
        (two, lr.inits.aligned(jnp.diag(jnp.array([2.0, 1.0])), jnp.array([0.3, -0.2]), depth=3)),
    ):
        flow = lr.GradientFlow(net, problem)
        with pytest.raises(lr.NoTheoremApplies):
            lr.limit(flow)
        # the same, turned a little, escapes
    turned = lr.limit(lr.GradientFlow(lr.DeepLinear([[[1e-3, -1.0]], [[np.sqrt(1 + 1e-6)]]]), line))
    np.testing.assert_allclose(turned.value, [0.0, 0.5], atol=1e-12)


def test_it_explains_cites_draws_and_says_what_it_is():
    flow = first(diagonal.THEOREM)
    found = lr.limit(flow)
    assert "limit() would use: diagonal bias" in str(lr.explain(flow, of="limit"))
    assert "@inproceedings{azulay2021" in lr.cite(found)
    assert "feasibility" in repr(found)
    assert found.plot().axes[0].get_xlabel() == "coordinate i"
    assert len(lr.limit(flow, scales=[0.1, 1.0]).plot().axes) == 2
    column = lr.limit(lr.GradientFlow(flow.net, lr.Problem(flow.problem.X, flow.problem.y[:, None]), flow.rates))
    assert column.value.shape == (7, 1)
    bent = lr.limit(example(leaky.THEOREM, "leaky"))
    assert "KKT point" in bent.by.detail
    with pytest.raises(ValueError, match="no plot"):
        bent.plot()
    with pytest.raises(ValueError, match="trajectory"):
        lr.explain(flow, of="loss")
    with pytest.raises(TypeError, match="GradientFlow"):
        lr.limit(flow.net)


def test_what_is_balanced_to_rounding_does_not_grow_out_of_the_last_digit():
    """Layers of opposite sign that are balanced at their rates: each coordinate has one side, the labels are out of
    reach, and the flow ends at the least squares of that sign."""
    ratio = np.sqrt(1.4329901838945678 / 1.9811730745022824)
    v = np.array([[0.0, 2.3534908551062137, 1.7287123870108163], [-0.41402417151322723, 0.0, 0.03914409882979047]])
    net = lr.Diagonal([ratio * v * np.array([[-1.0], [1.0]]), v])
    X = np.array([[-0.37210862239433845, 0.8611606878954121, 0.08011189164418556]])
    X = np.vstack([X, [-0.9083777659981572, -0.40958617207672277, 0.18354716480952318]])
    y = np.array([2.1249251327025123, -0.30916164969099474])
    flow = lr.GradientFlow(net, lr.Problem(X, y), (1.4329901838945678, 1.9811730745022824))
    with pytest.raises(lr.NoTheoremApplies, match="reachable labels"):
        lr.limit(flow)
    end = lr.integrate(flow, [1e6])  # its dual variable grows for ever
    np.testing.assert_allclose(end.beta[-1], -nnls(-X, y)[0], atol=1e-9)
