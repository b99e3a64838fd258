"""Linear attention against its own raw equations, attention on tokens, Monte Carlo and the plateaus it visits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance, normal
from scipy.integrate import solve_ivp

import lazyrich as lr
from lazyrich.networks import prompt_features

EIGENVALUES = np.array([1.0, 0.7, 0.4, 0.2])


def moments(values, N):
    """Return Λ and C = E b bᵀ."""
    cov = np.diag(values)
    return cov, cov @ cov + (cov @ cov + np.trace(cov) * cov) / N


def raw_separate(values, N, shape):
    """Return the flow of (v, K, Q) on all prompts, by hand: the gradient in M is C M Λ − Λ²."""
    cov, C = moments(values, N)
    H, R, D = shape

    def field(t, z):
        v, K, Q = z[:H], z[H : H + H * R * D].reshape(shape), z[H + H * R * D :].reshape(shape)
        G = cov @ cov - C @ np.einsum("h,hrd,hre->de", v, K, Q) @ cov
        w = v[:, None, None]
        parts = np.einsum("hrd,de,hre->h", K, G, Q), w * (Q @ G.T), w * (K @ G)
        return np.concatenate([part.ravel() for part in parts])

    return field


def ravel(net):
    return np.concatenate([np.ravel(layer) for layer in net.layers])


def test_features_are_attention_on_tokens():
    """Attention without softmax, on tokens (x, y) with the query's y zero; only the blocks v and U do not vanish."""
    rng = np.random.default_rng(0)
    n, N, D = 5, 4, 3
    x, w, query = rng.normal(size=(n, N, D)), rng.normal(size=(n, D)), rng.normal(size=(n, D))
    y = np.einsum("nid,nd->ni", x, w)
    net = lr.LinearAttention(*(rng.normal(size=s) for s in ((2,), (2, 2, D), (2, 2, D))))
    tokens = np.concatenate([np.concatenate([x, query[:, None]], 1), np.append(y, np.zeros((n, 1)), 1)[..., None]], 2)
    output = tokens.copy()
    for v, K, Q in zip(*map(np.asarray, net.layers), strict=True):
        value = np.zeros((D + 1, D + 1))
        value[D, D] = v
        key, ask = (np.pad(part, ((0, 0), (0, 1))) for part in (K, Q))
        scores = (tokens @ ask.T) @ np.swapaxes(tokens @ key.T, 1, 2)  # from each token to each
        output = output + scores @ (tokens @ value.T) / N
    assert distance(net(prompt_features(x, y, query)), output[:, -1, -1]) < 1e-13


def test_the_problem_is_the_mean_over_prompts():
    rng = np.random.default_rng(1)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    cov = turn * [1.0, 0.6, 0.3] @ turn.T
    problem = lr.Problem.in_context(cov, 5)
    root = np.linalg.cholesky(cov)
    net = lr.MergedLinearAttention(normal(1, 2, 3, 3, std=0.5), normal(2, 2))
    losses, slopes = [], []
    for _ in range(20):
        x, query, w = (
            rng.normal(size=(20_000, 5, 3)) @ root.T,
            rng.normal(size=(20_000, 3)) @ root.T,
            rng.normal(size=(20_000, 3)),
        )
        X, y = prompt_features(x, np.einsum("nid,nd->ni", x, w), query), np.sum(w * query, 1)
        drawn = lr.Problem(X, y, kappa=1 / 20_000)
        losses.append(drawn.loss_of(net))
        slopes.append(drawn.gradient_of(net)[0].ravel())
    for found, exact in ((losses, problem.loss_of(net)), (slopes, problem.gradient_of(net)[0].ravel())):
        error = np.std(found, 0, ddof=1) / np.sqrt(20)
        off = np.abs(np.mean(found, 0) - exact) / error
        assert np.sqrt(np.mean(off**2)) < 1.7
        assert np.max(off) < 3.9
    C = cov @ cov + (cov @ cov + np.trace(cov) * cov) / 5
    assert distance(problem.min_norm_solution.reshape(3, 3), np.linalg.solve(C, cov)) < 1e-12
    assert distance(problem.loss_of(net.with_layers((0 * net.key_query, net.value))), np.trace(cov) / 2) < 1e-14


@pytest.mark.parametrize("rank", [1, 2])
def test_integration_is_that_of_the_raw_equations(rank):
    N, D = 31, 4
    net = lr.LinearAttention(*(0.3 * normal((3, k), 3, *s) for k, s in enumerate([(), (rank, D), (rank, D)])))
    times = np.array([0.0, 2.0, 20.0])
    traj = lr.integrate(lr.GradientFlow(net, lr.Problem.in_context(EIGENVALUES, N)), times)
    found = solve_ivp(
        raw_separate(EIGENVALUES, N, (3, rank, D)), (0, 20), ravel(net), "DOP853", times, rtol=1e-12, atol=1e-14
    ).y.T
    assert distance(np.stack([ravel(traj[i]) for i in range(3)]), found) < 1e-9


def test_merged_attention_on_white_inputs_is_logistic():
    """‖M‖' = 2‖M‖(√D − c‖M‖), c = 1 + (1 + D)/N: the two-layer theorems of linear networks give it."""
    N, D, size = 31, 4, 1e-2
    v = size * np.array([0.6, -0.8])
    net = lr.MergedLinearAttention(v[:, None, None] * np.eye(D) / np.sqrt(D), v)
    times = np.linspace(0, 4, 9)
    traj = lr.exact(lr.GradientFlow(net, lr.Problem.in_context(np.ones(D), N)), times)
    c, m = 1 + (1 + D) / N, size**2
    logistic = np.sqrt(D) / c / (1 + (np.sqrt(D) / (c * m) - 1) * np.exp(-2 * np.sqrt(D) * times))
    assert distance(jnp.linalg.norm(traj.beta, axis=1), logistic) < 1e-12
    generic = lr.MergedLinearAttention(normal(5, 3, D, D, std=0.1), normal(6, 3, std=0.1))
    flow = lr.GradientFlow(generic, lr.Problem.in_context(EIGENVALUES, N))
    cov, C = moments(EIGENVALUES, N)

    def field(t, z):
        U, v = z[: 3 * D * D].reshape(3, D, D), z[3 * D * D :]
        G = cov @ cov - C @ np.tensordot(v, U, 1) @ cov
        return np.concatenate([(v[:, None, None] * G).ravel(), np.sum(U * G, (1, 2))])

    found = solve_ivp(field, (0, 60), ravel(generic), "DOP853", [1.0, 60.0], rtol=1e-12, atol=1e-14).y.T
    traj = lr.integrate(flow, [1.0, 60.0])
    assert distance(np.stack([ravel(traj[i]) for i in range(2)]), found) < 1e-9
    end = lr.limit(flow.with_net(generic.with_layers(tuple(1e-3 * layer for layer in generic.layers))))
    assert distance(end.value.reshape(D, D), np.linalg.solve(C, cov)) < 1e-6


def test_aligned_heads_are_modes_of_depth_three():
    N, D = 31, 4
    turn = np.linalg.qr(normal(7, D, D))[0]
    size = np.array([0.1, 0.12, 0.15, 0.2])
    net = lr.LinearAttention(size, turn.T * size[:, None], turn.T * size[:, None])
    flow = lr.GradientFlow(net, lr.Problem.in_context(turn * EIGENVALUES @ turn.T, N))
    times = np.array([0.0, 5.0, 30.0, 300.0, 1e5])
    traj = lr.exact(flow, times)
    assert traj.by.method == "aligned attention"
    aligned = np.concatenate([size, np.ravel(np.diag(size)), np.ravel(np.diag(size))])
    found = solve_ivp(
        raw_separate(EIGENVALUES, N, (D, 1, D)), (0, 300), aligned, "DOP853", times[:-1], rtol=1e-12, atol=1e-15
    ).y.T[:, :D]
    assert distance(traj.nets.value[:-1], found) < 1e-9
    assert (
        distance(traj.nets.value[-1] ** 3, 1 / (EIGENVALUES * (1 + (1 + EIGENVALUES.sum() / EIGENVALUES) / N))) < 1e-12
    )


def test_the_plateaus_are_those_that_random_starts_visit():
    """L_j = tr Λ/2 − Σ_{i ≤ j} λ_i/(2(1 + (1 + tr Λ/λ_i)/N)): four digits, from random small heads."""
    N, D = 31, 4
    plateaus = (
        EIGENVALUES.sum() / 2
        - np.append(0, np.cumsum(EIGENVALUES / (1 + (1 + EIGENVALUES.sum() / EIGENVALUES) / N))) / 2
    )
    problem = lr.Problem.in_context(EIGENVALUES, N)
    rng = np.random.default_rng(0)
    start = 1e-2 * rng.normal(size=D + 2 * D * D)
    times = np.geomspace(1, 3e6, 6000)
    found = solve_ivp(
        raw_separate(EIGENVALUES, N, (D, 1, D)), (0, 3e6), start, "LSODA", times, rtol=1e-9, atol=1e-13
    ).y.T
    heads = [(z[:D], z[D : D + D * D].reshape(D, D), z[D + D * D :].reshape(D, D)) for z in found]
    M = jnp.stack([np.einsum("h,hd,he->de", *head).ravel() for head in heads])
    loss = np.asarray(jax.vmap(lambda beta: problem.value(problem.X @ beta))(M))
    assert (
        distance(problem.loss_of(lr.LinearAttention(np.zeros(1), np.ones((1, D)), np.ones((1, D)))), plateaus[0])
        < 1e-14
    )
    for j, plateau in enumerate(plateaus):
        assert np.min(np.abs(loss - plateau)) < 1e-4, j
        # and it rests there: the slope in log t has a minimum
    slope = -np.gradient(loss, np.log(times))
    for lower, upper in zip(plateaus[2:], plateaus[1:-1], strict=False):
        between = (loss < (plateaus[0] + upper) / 2 + 1) & (loss > (lower + upper) / 2) & (loss < upper + 0.05)
        assert np.min(slope[between]) < 0.1 * np.max(slope)
    schedule = lr.mode_schedule(
        lr.GradientFlow(lr.LinearAttention(np.full(D, 1e-2), 1e-2 * np.eye(D), 1e-2 * np.eye(D)), problem)
    )
    assert distance(schedule.plateau, plateaus[1:]) < 1e-6


@pytest.mark.parametrize("unit", [1e-190, 1e190])
def test_a_covariance_in_any_units(unit):
    """Squares of the covariance overflowed, and the error named labels that nobody had given."""
    right = lr.Problem.in_context(EIGENVALUES, 7)
    found = lr.Problem.in_context(unit * EIGENVALUES, 7)
    assert distance(found.X / unit**1.5, right.X) < 1e-13
    assert distance(found.y / unit**0.5, right.y) < 1e-13


def test_a_context_of_any_length():
    np.testing.assert_allclose(
        lr.Problem.in_context([1.0, 0.5], 1e308).min_norm_solution.reshape(2, 2), [[1.0, 0.0], [0.0, 2.0]], atol=1e-14
    )


@pytest.mark.parametrize("values", [[0.1, 0.1, 0.1], [0.1, -0.1, 0.1], [0.1, 0.1, 0.0]])
def test_the_limit_of_aligned_heads_is_where_their_closed_form_ends(values):
    """A head of the wrong sign ends at zero, and one of zeros stays there."""
    size = np.abs(np.diag(values))
    flow = lr.GradientFlow(lr.LinearAttention(values, size, size), lr.Problem.in_context([1.0, 0.5, 0.2], 20))
    found = lr.limit(flow)
    assert found.by.method == "aligned attention"
    assert distance(found.value, lr.exact(flow, [1e12]).beta[-1]) < 1e-11
    best = np.diagonal(flow.problem.min_norm_solution.reshape(3, 3))
    ends = np.diagonal(found.value.reshape(3, 3))
    np.testing.assert_allclose(ends, np.where(np.array(values) > 0, best, 0.0), rtol=1e-12, atol=1e-15)


def test_refusals():
    with pytest.raises(ValueError, match="positive definite"):
        lr.Problem.in_context([1.0, 0.0], 3)
    with pytest.raises(ValueError, match="symmetric"):
        lr.Problem.in_context([[1.0, 0.5], [0.0, 1.0]], 3)
    with pytest.raises(ValueError, match="square matrix"):
        lr.Problem.in_context(np.ones((2, 3)), 3)
    with pytest.raises((TypeError, ValueError), match="context_length"):
        lr.Problem.in_context([1.0], 0)
    with pytest.raises(ValueError, match="one entry per head"):
        lr.LinearAttention([1.0], np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match="one entry per head"):
        lr.MergedLinearAttention(np.ones((2, 3, 3)), [1.0])
    with pytest.raises(ValueError, match="one dimension"):
        lr.MergedLinearAttention(np.ones((2, 3, 2)), np.ones(2))
    with pytest.raises(ValueError, match=r"shape \(prompts, N, D\)"):
        prompt_features(np.ones((2, 3, 2)), np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="the network takes 9 inputs"):
        lr.GradientFlow(
            lr.LinearAttention([1.0], np.ones((1, 3)), np.ones((1, 3))), lr.Problem.in_context([1.0, 1.0], 3)
        )
