"""Every initialization has the coordinates it was asked for, measured on its parameters."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import lazyrich as lr
from lazyrich import inits

KEY = jax.random.key(0)
positive = st.floats(1e-8, 1e8)
signed = st.one_of(st.just(0.0), st.floats(1e-8, 1e8), st.floats(-1e8, -1e-8))
few = settings(max_examples=50, deadline=None)


@few
@given(tau=st.floats(1e-6, 1e4), delta=signed, eta_w=st.floats(1e-3, 1e3), eta_a=st.floats(1e-3, 1e3))
def test_tau_and_delta(tau, delta, eta_w, eta_a):
    w, a = inits.norms_from_tau_delta(tau, delta, (eta_w, eta_a))
    assert float(a * w) == pytest.approx(tau**2, rel=1e-13)
    large = max(eta_w * float(a) ** 2, eta_a * float(w) ** 2)
    assert abs(eta_w * float(a) ** 2 - eta_a * float(w) ** 2 - delta) <= 1e-14 * large
    alpha = inits.alpha_from_tau_delta(tau, delta, (eta_w, eta_a))
    assert abs(float(inits.delta_from_tau_alpha(tau, alpha, (eta_w, eta_a))) - delta) <= 1e-13 * large


def test_the_printed_transform_is_wrong():
    """kunin2024 prints δ² = τ²(α² − α⁻²): asked for δ = −1 it makes a network with δ = +1."""
    tau, delta = 0.1, -1.0
    x = delta**2 / tau**2
    alpha = np.sqrt((x + np.sqrt(x**2 + 4)) / 2)
    assert float(inits.delta_from_tau_alpha(tau, alpha)) == pytest.approx(1.0)
    net = inits.symmetrized(KEY, d=3, h=4, tau=tau, delta=delta)
    assert np.allclose(net.conserved_quantities()["delta"], delta)


@few
@given(
    norm=positive, delta=signed, eta_w=st.floats(1e-3, 1e3), eta_a=st.floats(1e-3, 1e3), sign=st.sampled_from([-1, 1])
)
def test_neuron(norm, delta, eta_w, eta_a, sign):
    beta0 = norm * np.array([0.6, 0.0, -0.8])
    net = inits.neuron(beta0, delta, (eta_w, eta_a), sign=sign)
    W, a = net.weights
    assert np.allclose(net.beta[:, 0], beta0, rtol=1e-13, atol=0)
    assert np.sign(a[0, 0]) == sign
    large = max(eta_w * float(a[0, 0]) ** 2, eta_a * float(jnp.sum(W**2)))
    assert abs(float(net.conserved_quantities((eta_w, eta_a))["Delta_1"][0, 0]) - delta) <= 1e-13 * large


def test_neuron_at_zero():
    assert float(inits.neuron([0.0, 0.0], delta=4.0).weights[1][0, 0]) == 2
    with pytest.raises(ValueError, match="leaves the direction of w open; pass direction"):
        inits.neuron([0.0, 0.0], delta=-1.0)
    net = inits.neuron([0.0, 0.0], delta=-4.0, direction=[3.0, 4.0])
    assert np.allclose(net.weights[0], [[1.2, 1.6]])
    assert float(net.weights[1][0, 0]) == 0
    with pytest.raises(ValueError, match="direction of its own"):
        inits.neuron([1.0, 0.0], direction=[0.0, 1.0])
    with pytest.raises(ValueError, match="direction has 3 entries, but beta0 has 2"):
        inits.neuron([0.0, 0.0], delta=-1.0, direction=[0.0, 1.0, 0.0])
    traced = jax.jit(lambda b: inits.neuron(b, 4.0).weights)(jnp.zeros(2))
    assert distance(traced, inits.neuron([0.0, 0.0], 4.0).weights) == 0
    with pytest.raises(ValueError, match="is zero and has no direction"):
        inits.neuron([0.0, 0.0], delta=-1.0, direction=[0.0, 0.0])


def test_neuron_is_differentiable_in_its_coordinates():
    def a_of(delta):
        return inits.neuron([0.6, 0.8], delta).weights[1][0, 0]

    numeric = (a_of(1e-5) - a_of(-1e-5)) / 2e-5
    assert float(jax.grad(a_of)(0.0)) == pytest.approx(float(numeric), rel=1e-6)
    # on the hyperbola's asymptote nothing is NaN
    assert np.isfinite(jax.grad(lambda d: inits.norms_from_tau_delta(0.0, d)[1])(1.0))


@few
@given(alpha=st.floats(1e-6, 1e4), s=st.floats(-0.999, 0.999))
def test_shape_and_scale(alpha, s):
    net = inits.neuron_from_shape([1.0, 1.0], alpha, s)
    a, w = float(net.weights[1][0, 0]), float(jnp.linalg.norm(net.weights[0]))
    assert a * w == pytest.approx(alpha)
    assert (a / w - 1) / (a / w + 1) == pytest.approx(s, abs=1e-12)  # azulay2021, section 7.2
    delta = float(net.conserved_quantities()["Delta_1"][0, 0])
    assert float(inits.delta_from_shape(alpha, s)) == pytest.approx(delta, abs=1e-12 * (a**2 + w**2))
    assert float(inits.shape_from_delta(alpha, delta)) == pytest.approx(s, abs=1e-9)
    u, v = (layer[0, 0] for layer in inits.diagonal(2, alpha, s).weights)
    assert float(inits.k_from_shape(alpha, s)) == pytest.approx((2 * (u**2 + v**2)) ** 2)  # azulay2021, Theorem 1


def test_diagonal_inits():
    net = inits.diagonal(4, alpha=0.3, shape=0.5)
    assert np.all(net.beta == 0)
    assert np.allclose(net.weights[1] / net.weights[0], 3)
    tied = inits.tied_diagonal(4, alpha=0.2, depth=3)
    assert tied.degree == 3
    assert np.all(tied.weights[0] == 0.2)
    with pytest.raises(ValueError, match="strictly between −1 and 1"):
        inits.diagonal(4, alpha=0.3, shape=1.0)


@pytest.mark.parametrize(("d", "h", "c"), [(5, 3, 4), (2, 3, 4), (4, 3, 2), (3, 6, 2), (1, 1, 1), (1, 4, 3), (4, 4, 4)])
@pytest.mark.parametrize("delta", [-2.0, 0.0, 1e-3, 3.0])
@pytest.mark.parametrize("rates", [None, (0.2, 3.0)])
def test_isotropic(d, h, c, delta, rates):
    net = inits.isotropic(KEY, d, h, c, delta, rates=rates)
    Delta = net.conserved_quantities(rates)["Delta_1"]
    bound = c if delta > 0 else d
    if h <= bound or delta == 0:
        assert np.allclose(Delta, delta * np.eye(h), atol=1e-12)
    else:  # δ times a projector whose range holds both layers
        assert np.allclose(Delta @ Delta, delta * Delta, atol=1e-12)
        assert float(jnp.trace(Delta)) == pytest.approx(delta * bound)
    Q = np.vstack([net.weights[0].T, net.weights[1]])
    assert np.allclose(Q @ Delta, delta * Q, atol=1e-12)
    assert np.linalg.matrix_rank(net.beta) == min(d, h, c)


def test_isotropic_with_a_given_predictor():
    beta0 = np.random.default_rng(0).normal(size=(4, 3))
    net = inits.lambda_balanced(KEY, 4, 5, 3, lam=-1.5, beta0=beta0)
    assert np.allclose(net.beta, beta0, atol=1e-13)
    rank_one = np.outer([1.0, 2.0, 0.0, 0.0], [1.0, 0.0, 1.0])
    net = inits.isotropic(KEY, 4, 2, 3, delta=0.5, beta0=rank_one)
    assert np.allclose(net.beta, rank_one, atol=1e-13)
    assert np.allclose(net.conserved_quantities()["Delta_1"], 0.5 * np.eye(2), atol=1e-12)
    with pytest.raises(ValueError, match="rank above h = 2"):
        inits.isotropic(KEY, 4, 2, 3, delta=0.5, beta0=beta0)
    with pytest.raises(ValueError, match=r"shape \(d, c\) = \(4, 3\)"):
        inits.isotropic(KEY, 4, 2, 3, delta=0.5, beta0=beta0.T)
    with pytest.raises(ValueError, match="h must be a whole number, at least 1"):
        inits.isotropic(KEY, 4, 0, 3, delta=0.5)


def test_varres_orthogonal_initialization():
    net = inits.orthogonal(KEY, d=3, h=7, c=2, gamma=0.8)
    assert np.allclose(net.weights[0].T @ net.weights[0], 1.6 * np.eye(3))
    Q = np.vstack([net.weights[0].T, net.weights[1]])
    delta = -2 * float(inits.gamma_from_delta(-2 * 0.8))
    assert np.allclose(Q @ net.conserved_quantities()["Delta_1"], delta * Q)
    with pytest.raises(ValueError, match="needs h ≥ d"):
        inits.orthogonal(KEY, d=3, h=2, c=2, gamma=0.8)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("rates", [1.0, "unequal"])
def test_aligned_is_balanced_and_aligned(depth, rates):
    target = np.random.default_rng(0).normal(size=(4, 3))
    rates = tuple(0.5 + np.arange(depth)) if rates == "unequal" else None
    strengths = np.array([0.3, -0.2, 0.1])
    net = inits.aligned(target, strengths, depth, width=5, rates=rates, key=KEY)
    U, _, Vt = np.linalg.svd(target, full_matrices=False)
    assert np.allclose(net.beta, U @ np.diag(strengths) @ Vt, atol=1e-13)
    for law in net.conserved_quantities(rates).values():
        assert np.allclose(law, 0, atol=1e-13)
    narrow = inits.aligned(target, 0.5, depth=3, width=2)
    assert np.allclose(narrow.beta, 0.5 * U[:, :2] @ Vt[:2], atol=1e-13)
    with pytest.raises(ValueError, match=r"one per mode \(3\); found 2"):
        inits.aligned(target, [1.0, 2.0])


def test_gaussian():
    net = inits.gaussian(KEY, (200, 300, 100), std=(0.5, 2.0))
    assert np.std(net.weights[0]) == pytest.approx(0.5, rel=0.02)
    assert np.std(net.weights[1]) == pytest.approx(2.0, rel=0.02)
    assert np.std(inits.gaussian(KEY, (400, 300)).weights[0]) == pytest.approx(1 / 20, rel=0.02)
    with pytest.raises(ValueError, match="one nonnegative number or one per layer"):
        inits.gaussian(KEY, (2, 3, 1), std=(1.0, 2.0, 3.0))
    sizes = jax.vmap(lambda s: jnp.std(inits.gaussian(KEY, (40, 50), s).weights[0]))(jnp.array([1.0, 2.0]))
    assert float(sizes[1]) == pytest.approx(2 * float(sizes[0]))
    with pytest.raises(ValueError, match="at least two positive numbers"):
        inits.gaussian(KEY, (2,))


def test_deep_orthogonal_satisfies_definition_12():
    net = inits.deep_orthogonal(KEY, d=4, depth=4, alpha=0.7)
    laws = list(net.conserved_quantities().values())
    for law in laws[:-1]:
        assert np.allclose(law, 0, atol=1e-14)
    assert np.allclose(laws[-1], -(0.7**2) * np.eye(4))  # aaᵀ − W W ᵀ = δI with δ = −α²
    with pytest.raises(ValueError, match="at least 2"):
        inits.deep_orthogonal(KEY, d=4, depth=1, alpha=0.7)


def test_teacher_student_shares_all_but_the_scales():
    one = inits.teacher_student(KEY, d=4, h=6, k=2, n=10, tau=1.0, delta=0.0)
    two = inits.teacher_student(KEY, d=4, h=6, k=2, n=10, tau=0.1, delta=0.5)
    assert distance(one[1:], two[1:]) == 0
    student, problem, teacher = two
    assert np.allclose(student.W[:3], student.W[3:])
    assert np.allclose(student.a[:3], -student.a[3:])
    assert float(jnp.max(jnp.abs(student(problem.X)))) < 1e-16
    assert np.allclose(problem.y, teacher(problem.X))
    assert np.allclose(jnp.linalg.norm(problem.X, axis=1), 1)
    directions = [net.W / jnp.linalg.norm(net.W, axis=1, keepdims=True) for net in (one[0], two[0])]
    assert distance(*directions) < 1e-14
    with pytest.raises(ValueError, match="in pairs"):
        inits.symmetrized(KEY, d=4, h=5)


NETS = {
    "deep linear": inits.gaussian(KEY, (3, 4, 2)),
    "relu": inits.two_layer(KEY, 3, 5),
    "diagonal": lr.Diagonal([np.array([[1.0, 2.0], [-3.0, 0.5]]), np.array([[0.3, 0.2], [1.0, 1.0]])]),
}


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("delta", [-3.0, 0.0, 1e-6, 2.0])
def test_rescale_moves_delta_and_keeps_the_function(name, delta):
    net, rates = NETS[name], (0.4, 1.5)
    X = np.random.default_rng(0).normal(size=(20, net.n_inputs_outputs[0]))
    new = inits.rescale(net, delta=delta, rates=rates)
    assert distance(new(X), net(X)) < 1e-13
    assert np.allclose(inits.tau_delta(new, rates)[1], delta, atol=1e-12)
    assert np.allclose(inits.tau_delta(new)[0], inits.tau_delta(net)[0])
    assert distance(inits.upstream(net, 3.0)(X), net(X)) < 1e-13
    assert distance(inits.scale_parameters(net, 3.0)(X), 9 * net(X)) < 1e-12


def test_rescale_to_tau_only_where_it_is_free():
    student = inits.symmetrized(KEY, d=3, h=6)
    moved = inits.rescale(student, tau=0.2, delta=-0.7)
    assert distance(moved, inits.symmetrized(KEY, d=3, h=6, tau=0.2, delta=-0.7)) < 1e-15
    with pytest.raises(ValueError, match=r"tau = 0.2 would change the function"):
        inits.rescale(NETS["relu"], tau=0.2)
    with pytest.raises(ValueError, match="no direction to grow in"):
        inits.rescale(inits.orthogonal(KEY, 2, 3, 1, 1.0), delta=1.0)
    with pytest.raises(ValueError, match="found DeepLinear of degree 3"):
        inits.rescale(inits.gaussian(KEY, (2, 2, 2, 2)), delta=1.0)
    with pytest.raises(ValueError, match="only one"):
        inits.upstream(inits.tied_diagonal(3, 1.0), 2.0)
    with pytest.raises(ValueError, match="alpha must be positive"):
        inits.upstream(NETS["relu"], -1.0)


def test_tangent_models_are_not_rescaled():
    with pytest.raises(ValueError, match="rescale the network, then linearize it"):
        inits.upstream(lr.Linearized(NETS["relu"]), 2.0)
    with pytest.raises(ValueError, match="rescale the network, then linearize it"):
        inits.scale_parameters(lr.Linearized(NETS["relu"]), 2.0)


def test_upstream_speeds_up_the_first_layer():
    problem = lr.Problem(np.eye(3), np.ones((3, 2)))
    slow = lr.GradientFlow(NETS["deep linear"], problem)
    fast = slow.with_net(inits.upstream(NETS["deep linear"], 5.0))
    first, last = (distance(fast.vector_field(fast.net.layers)[l], 0 * fast.net.layers[l]) for l in (0, 1))
    first0, last0 = (distance(slow.vector_field(slow.net.layers)[l], 0 * slow.net.layers[l]) for l in (0, 1))
    assert first == pytest.approx(5 * first0)
    assert last == pytest.approx(last0 / 5)


@pytest.mark.parametrize(("c1", "c2", "h"), [(1.5, 0.2, 7), (1.5, 0.2, 40), (2.0, 0.0, 4), (0.0, 3.0, 3)])
def test_wide(c1, c2, h):
    net = inits.wide(KEY, 4, h, 3, c1, c2)
    W, V = net.weights
    assert np.allclose(W.T @ W, c1 * np.eye(4))
    assert np.allclose(V @ V.T, c2 * np.eye(3))
    assert np.allclose(V @ W, 0, atol=1e-15)
    without = inits.infinite_width(4, 3, c1, c2)
    assert np.allclose(net.ntk(jnp.eye(4)), without.ntk(jnp.eye(4)))
    assert np.all(without.beta == 0)
    same = (inits.wide(KEY, 4, 9, 3, gamma=4.0), inits.wide(KEY, 4, 9, 3, 0.25, 0.25))
    assert all(np.array_equal(a, b) for a, b in zip(*(net.weights for net in same), strict=True))


def test_gaussian_networks_tend_to_infinite_width():
    """f = Σ a_i w_i·x / (γh) with a, w ~ N(0, 1) at the rate γh: at unit rates W₁ = w/√(γh), W₂ = a/√(γh)."""
    gamma, without = 2.0, inits.infinite_width(3, 2, gamma=2.0).ntk(jnp.eye(3))
    gaps = []
    for h in (100, 10_000):
        net = inits.gaussian(KEY, (3, h, 2), std=(gamma * h) ** -0.5)
        gaps.append(float(jnp.max(jnp.abs(net.ntk(jnp.eye(3)) - without))))
    assert gaps[1] < 0.02
    assert gaps[1] < 0.3 * gaps[0]


@pytest.mark.parametrize("rank_stabilized", [False, True])
def test_lora(rank_stabilized):
    net = inits.lora(KEY, 30, 6, 4, alpha=8, size=0.5, rank_stabilized=rank_stabilized)
    A, B = net.weights
    scale = 8 / 4 ** (0.5 if rank_stabilized else 1)
    assert np.allclose(A @ A.T, 0.5 * scale * np.eye(4))
    assert np.all(B == 0)
    drawn = inits.lora(KEY, 3000, 6, 4, distribution="gaussian").weights[0]
    assert np.allclose(jnp.sum(drawn**2, axis=1), 1 / 3, rtol=0.1)
    assert np.max(np.abs(drawn @ drawn.T - np.eye(4) / 3)) > 1e-4


def test_lora_is_the_adapter_of_a_frozen_layer():
    """Its flow is that of A and B beside W₀, at s times their clock."""
    rng = np.random.default_rng(0)
    d, c, rank, alpha, (eta_A, eta_B) = 4, 3, 2, 6.0, (0.5, 2.0)
    s, X, W0, labels = alpha / rank, rng.normal(size=(7, d)), rng.normal(size=(c, d)), rng.normal(size=(7, c))
    net = inits.lora(KEY, d, c, rank, alpha=alpha)
    flow = lr.GradientFlow(net, lr.Problem(X, labels).residual(W0.T), (eta_A, eta_B))

    def field(_, z):
        A, B = z[: rank * d].reshape(rank, d), z[rank * d :].reshape(c, rank)
        G = (X @ (W0 + s * B @ A).T - labels).T @ X
        return -np.concatenate([eta_A * s * (B.T @ G).ravel(), eta_B * s * (G @ A.T).ravel()])

    start = np.concatenate([np.ravel(net.weights[0]) / np.sqrt(s), np.zeros(c * rank)])
    z = solve_ivp(field, (0, 0.3), start, "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    merged = s * z[rank * d :].reshape(c, rank) @ z[: rank * d].reshape(rank, d)
    assert np.allclose(lr.integrate(flow, [0.3 * s]).beta[0], merged.T, atol=1e-9)


def test_lora_with_orthogonal_rows_has_a_closed_form():
    rng = np.random.default_rng(1)
    X = np.linalg.qr(rng.normal(size=(9, 5)))[0]
    net = inits.lora(KEY, 5, 3, 2, alpha=8, size=0.4)
    flow = lr.GradientFlow(net, lr.Problem(X, rng.normal(size=(9, 3))).residual(rng.normal(size=(5, 3))), (1.0, 4.0))
    assert lr.explain(flow).theorem.name == "isotropic imbalance"
    delta = float(jnp.trace(net.conserved_quantities(flow.rates)["Delta_1"])) / 2 / np.sqrt(4.0)
    assert delta == pytest.approx(-(8 / 2) * 0.4 * np.sqrt(4.0 / 1.0))
    assert np.allclose(lr.exact(flow, [0.7]).beta, lr.integrate(flow, [0.7]).beta, atol=1e-9)
    other = lr.GradientFlow(inits.lora(KEY, 5, 3, 2, distribution="gaussian"), flow.problem)
    assert not lr.explain(other)


def test_wide_networks_and_adapters_refuse():
    with pytest.raises(ValueError, match="orthogonal blocks need h ≥ 7 hidden units for d = 4 and c = 3; found h = 6"):
        inits.wide(KEY, 4, 6, 3, 1.0, 1.0)
    with pytest.raises(ValueError, match="give c1 and c2, or gamma alone; found c1 and gamma"):
        inits.wide(KEY, 4, 9, 3, 1.0, gamma=1.0)
    with pytest.raises(ValueError, match="or gamma alone; found none of them"):
        inits.infinite_width(4, 3)
    with pytest.raises(ValueError, match="one of c1 and c2 must be positive"):
        inits.infinite_width(4, 3, 0.0, 0.0)
    with pytest.raises(ValueError, match="c2 must not be negative; found -1"):
        inits.infinite_width(4, 3, 1.0, -1.0)
    with pytest.raises(ValueError, match="gamma must be positive; found 0"):
        inits.infinite_width(4, 3, gamma=0.0)
    with pytest.raises(ValueError, match=r"alpha and size must be positive.*found size = 0"):
        inits.lora(KEY, 4, 3, 2, size=0.0)
    with pytest.raises(ValueError, match="rank must be a whole number, between 1 and 4; found 5"):
        inits.lora(KEY, 4, 3, 5)
    with pytest.raises(ValueError, match="'orthogonal' or 'gaussian'; found 'zeros'"):
        inits.lora(KEY, 4, 3, 2, distribution="zeros")
    with pytest.raises(ValueError, match=r"shape \(4, 3\) of X⁺y; found \(3, 4\)"):
        lr.Problem(np.eye(4), np.ones((4, 3))).residual(np.ones((3, 4)))
    with pytest.raises(ValueError, match="square loss only; found Logistic"):
        lr.Problem(np.eye(2), [1.0, -1.0], lr.Logistic()).residual([1.0, 1.0])
