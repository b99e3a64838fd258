"""Closed forms with weight decay against SciPy on the raw equations, and ratios of Bessel functions against SciPy's.

`python tests/theorems/trajectories/test_decayed_trajectories.py modes 1000` follows that many random flows of a kind.
"""

import collections
import itertools
import sys
from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ive, kve

import lazyrich as lr
from lazyrich.theorems.bessel_ratios import (
    LARGE_ORDER,
    constants_of_order,
    ratios_of_large_order,
    ratios_of_small_order,
)
from lazyrich.theorems.decayed_mode import decayed_factors


def random_mode(rng):
    """Draw a, w, s, λ: generic, balanced, opposed, one-sided, large, nearly balanced; s/λ from 0.1 to 1e4, or 1."""
    s = rng.choice([-1, 1, 1]) * 10 ** rng.uniform(-0.5, 0.5)
    decay = abs(s) if rng.random() < 0.1 else abs(s) / 10 ** rng.uniform(-1, 4)
    a, w = rng.normal(size=2) * 10 ** rng.uniform(-2, 0.5)
    match rng.choice(["generic", "balanced", "opposed", "one side", "large", "nearly"]):
        case "balanced":
            w = a
        case "opposed":
            w = -a
        case "one side":
            w = 0.0
        case "large":
            a, w = 30 * a, 30 * w
        case "nearly":
            w = a * (1 + 10 ** rng.uniform(-8, -2))
    return a, w, s, decay


def followed(a, w, s, decay, times):
    def field(_, v):
        return (s - v[0] * v[1]) * v[::-1] - decay * v

    states, least = [np.array([a, w])], 1e-15 * max(abs(a), abs(w))
    for now, then in itertools.pairwise(times):
        states.append(solve_ivp(field, (now, then), states[-1], "DOP853", rtol=1e-13, atol=least).y[:, -1])
    return np.array(states)


def error_of(a, w, s, decay):
    """Return the error of the closed form, and the effect of a change of the start in its last digits."""
    end = min(8 / decay + 20 / abs(s), 60 / abs(s))
    times = np.append(0.0, np.geomspace(1e-3, end, 6))
    p, m, single = abs(a + w), abs(a - w), np.array
    up, down = decayed_factors(single([p]), single([m]), single([s]), single([decay]), times[:, None])
    P, M = (a + w) * up[:, 0], (a - w) * down[:, 0]
    right = followed(a, w, s, decay, times)
    moved = followed(a, w * (1 + 4e-16) + 1e-17 * a, s, decay, times)
    size = max(abs(a), abs(w), abs(s) ** 0.5)
    return np.max(np.abs(np.stack([P + M, P - M], axis=1) / 2 - right)) / size, np.max(np.abs(moved - right)) / size


@pytest.mark.parametrize("seed", range(40))
def test_random_modes_against_the_raw_equations(seed):
    error, blur = error_of(*random_mode(np.random.default_rng(seed)))
    assert error < 1e-10 + blur


@pytest.mark.parametrize("ratio", [0.1, 1.0, 1.0 + 1e-12, 3.0, 1e6])
@pytest.mark.parametrize(("p", "m"), [(2.0, 1.0), (1.0, 0.0), (0.0, 1.0), (1e-8, 1e-8), (1e8, 1e-8), (1e8, 1e8)])
def test_long_times_are_finite_and_right(ratio, p, m):
    s, times = np.array([1.0]), np.array([[0.0], [1.0], [1e6], [1e12]])
    decay = s / ratio
    up, down = decayed_factors(np.array([p]), np.array([m]), s, decay, times)
    assert np.all(np.isfinite(up))
    assert np.all(np.isfinite(down))
    np.testing.assert_allclose([up[0], down[0]], 1.0, rtol=4e-14)
    beta = ((p * up[-1, 0]) ** 2 - (m * down[-1, 0]) ** 2) / 4
    assert beta == pytest.approx(0.0 if p == 0 else max(1 - 1 / ratio, 0.0), abs=3e-12)


def test_ratios_against_scipy():
    rng = np.random.default_rng(0)
    for _ in range(300):
        order = rng.choice([0.0, 0.5, -0.5, 1.0, 1e-9, rng.uniform(-0.5, 0.5), rng.uniform(0, 40)])
        x = 10 ** rng.uniform(-2, 2)
        K, above, I, higher = kve(order, x), kve(order + 1, x), ive(order, x), ive(order + 1, x)
        if np.hypot(order, x) < LARGE_ORDER:
            found = ratios_of_small_order(constants_of_order(np.array([order])), np.log([x]))
        else:
            found = ratios_of_large_order(np.array([order]), np.array([x]), np.array([1.0]))
        R, size = np.hypot(order, x), abs(order)
        c = np.log(np.pi * ive(size, x) / K) + 2 * x - 2 * (R - size * np.arcsinh(size / x))
        if np.all(np.isfinite([above / K, higher / I, c])):
            assert float(found[0][0]) == pytest.approx(x * above / K, rel=1e-12)
            assert float(found[1][0]) == pytest.approx(higher / I / x, rel=1e-12)
            assert float(found[2][0]) == pytest.approx(c, abs=1e-11)


# Every kind of flow, from its network and data, against the raw equations. Flows of one kind and shape are drawn
# together, and SciPy follows them as one system, each in its own unit of time.

KINDS = {
    "neuron": "isotropic imbalance with decay",
    "modes": "aligned modes with decay",
    "isotropic": "isotropic imbalance with decay",
    "diagonal": "diagonal coordinates with decay",
    "ridge": "ridge flow",
}
TOGETHER = 50
MOVED = 1e-14  # relative change of the start that shows how ill-conditioned a flow is
MAX_LENGTHS = 2e4  # span of a flow, in units of its fastest rate


class RawFlow(NamedTuple):
    """A flow, and its raw equations as θ̇ = field(θ, numbers), for a stack of flows with two rows of θ for each."""

    flow: lr.GradientFlow
    start: np.ndarray
    field: Callable[..., np.ndarray]
    numbers: tuple[np.ndarray, ...]
    times: np.ndarray
    size: float  # of the parameters along the flow


def random_ratio(rng):
    return 1.0 if rng.random() < 0.05 else 10 ** rng.uniform(-1, 4)


def times_to_settle(strength, decay, fastest):
    """Return times at all scales, up to where modes have settled and the imbalance has faded."""
    end = min(8 / decay + 20 / strength, MAX_LENGTHS / fastest)
    return np.append(0.0, np.geomspace(1e-2 / fastest, end, 7))


def two_layers(rng, d, h, c, kind):
    """Draw a two-layer linear network: isotropic, or with modes in hidden planes of their own; and white data."""
    rates, kappa = 10 ** rng.uniform(-0.7, 0.7, 2), 10 ** rng.uniform(-0.5, 0.5)
    n = d + int(rng.integers(0, 3))
    X = np.linalg.qr(rng.normal(size=(n, d)))[0] * 10 ** rng.uniform(-0.5, 0.5)
    beta = rng.normal(size=(d, c)) * 10 ** rng.uniform(-0.5, 0.5)
    if kind == "modes":
        (W, V), (U, _, Vt) = np.zeros((2, h, max(d, c))), np.linalg.svd(beta)
        W, V, planes = W[:, :d], V[:, :c], np.linalg.qr(rng.normal(size=(h, h)))[0]
        for i in range(min(d, c)):
            w, a = rng.normal(size=(2, 2)) * 10 ** rng.uniform(-2, 0.5, size=(2, 1))
            a = rng.choice([1.0, -1.0]) * w if rng.random() < 0.2 else a  # balanced, or opposed
            W[:, i], V[:, i] = planes[:, 2 * i : 2 * i + 2] @ w, planes[:, 2 * i : 2 * i + 2] @ a
        layers = [W @ U.T * rates[0] ** 0.5, Vt.T @ V.T * rates[1] ** 0.5]
    else:
        delta = rng.choice([-1, 1, 1, 0]) * 10 ** rng.uniform(-3, 1)
        net = lr.inits.isotropic(
            jax.random.key(int(rng.integers(2**31))), d, h, c, delta, scale=10 ** rng.uniform(-1.5, 0.5), rates=rates
        )
        layers = [np.asarray(W) for W in net.weights]
    curvature = kappa * np.linalg.norm(X, 2) ** 2
    pull = np.linalg.norm(beta, 2) * np.prod(rates) ** 0.5 * curvature
    decay = pull / random_ratio(rng)
    y = X @ beta
    flow = lr.GradientFlow(lr.DeepLinear(layers), lr.Problem(X, y, kappa=kappa), tuple(rates), tuple(decay / rates))

    def field(theta, C, b, rates, decay):
        W, V = theta[..., : h * d].reshape(-1, 2, h, d), theta[..., h * d :].reshape(-1, 2, c, h)
        pull = b - np.swapaxes(V @ W @ C, 2, 3)  # d × c
        moves = np.swapaxes(pull @ V, 2, 3).reshape(len(W), 2, -1), np.swapaxes(W @ pull, 2, 3).reshape(len(W), 2, -1)
        return np.concatenate([rates[..., :1] * moves[0], rates[..., 1:] * moves[1]], axis=2) - decay * theta

    start = np.concatenate([W.ravel() for W in layers])
    size = max(np.max(np.abs(start)), float(np.max(np.abs(beta))) ** 0.5)
    fastest = decay + pull + curvature * np.max(rates) * sum(np.linalg.norm(W) ** 2 for W in layers)
    numbers = kappa * X.T @ X, kappa * X.T @ y, rates, np.atleast_1d(decay)
    return RawFlow(flow, start, field, numbers, times_to_settle(pull, decay, fastest), size)


def diagonal(rng, d, layers):
    rates, kappa = 10 ** rng.uniform(-0.7, 0.7, layers), 10 ** rng.uniform(-0.5, 0.5)
    X = np.linalg.qr(rng.normal(size=(d + 2, d)))[0] * 10 ** rng.uniform(-0.7, 0.7, d)
    w = rng.normal(size=(layers, 2, d)) * 10 ** rng.uniform(-2, 0.5, size=(layers, 1, d))
    w[:, 1] *= rng.choice([1.0, 0.0, 1.0], size=d)  # one-sided
    beta = rng.normal(size=d) * 10 ** rng.uniform(-0.5, 0.5)
    rho = kappa * np.sum(X**2, axis=0) * (rates[0] * 2 if layers == 1 else np.prod(rates) ** 0.5)
    pull = np.max(rho * np.abs(beta))
    decay = pull / random_ratio(rng)
    y = X @ beta
    net = lr.Diagonal(list(w), power=3 - layers)
    flow = lr.GradientFlow(net, lr.Problem(X, y, kappa=kappa), tuple(rates), tuple(decay / rates))
    sign = np.array([[1.0], [-1.0]])

    def field(theta, C, b, rates, decay):
        w = theta.reshape(-1, 2, layers, 2, d)
        sides = w[:, :, 0] * w[:, :, -1]
        pull = (b - (sides[:, :, :1] - sides[:, :, 1:]) @ C)[:, :, None] * sign
        moves = 2 * pull * w if layers == 1 else pull * w[:, :, ::-1]
        return (rates[..., None, None] * moves).reshape(theta.shape) - decay * theta

    size = max(np.max(np.abs(w)), np.max(np.abs(beta)) ** 0.5)
    fastest = decay + pull + 4 * np.max(kappa * np.sum(X**2, axis=0)) * np.max(rates) * np.max(w**2)
    numbers = kappa * X.T @ X, (kappa * X.T @ y)[None], rates, np.atleast_1d(decay)
    return RawFlow(flow, w.ravel(), field, numbers, times_to_settle(pull, decay, fastest), size)


def ridge(rng, n, d, c, tangent):
    """Draw ridge regression, or the tangent model of a two-layer ReLU network; any rates of decay."""
    X, kappa = rng.normal(size=(n, d)) * 10 ** rng.uniform(-0.5, 0.5), 10 ** rng.uniform(-0.5, 0.5)
    y = rng.normal(size=(n, c)) * 10 ** rng.uniform(-0.5, 0.5)
    if tangent:
        W, a = rng.normal(size=(3, d)), rng.normal(size=3)
        W[0] *= np.sign(X[0] @ W[0])  # one unit at least is active
        net, y, on = lr.Linearized(lr.TwoLayer(W, a)), y[:, 0], X @ W.T > 0
        J = np.concatenate([(on[:, :, None] * X[:, None, :] * a[:, None]).reshape(n, -1), on * (X @ W.T)], axis=1)
        labels, start = y, np.append(W.ravel(), a)  # f is J·θ₀ + J·(θ − θ₀), plus what is missing: f − J·θ₀ = −f
        labels = labels - ((on * (X @ W.T)) @ a - J @ start)
        sizes, outputs = (3 * d, 3), 1
    else:
        W = rng.normal(size=(c, d))
        net, J, labels, start, sizes, outputs = lr.DeepLinear([W]), X, y, W.ravel(), (c * d,), c
    layers = len(sizes)
    rates = 10 ** rng.uniform(-0.7, 0.7, layers)
    curvature = kappa * np.linalg.norm(J, 2) ** 2 * np.max(rates)
    decay_rates = curvature / np.array([random_ratio(rng) for _ in range(layers)])
    if rng.random() < 0.5:
        decay_rates[:] = decay_rates[0]
    elif layers > 1 and rng.random() < 0.3:
        decay_rates[0] = 0.0
    flow = lr.GradientFlow(net, lr.Problem(X, y, kappa=kappa), tuple(rates), tuple(decay_rates / rates))
    eta, rate = np.repeat(rates, sizes), np.repeat(decay_rates, sizes)
    labels = labels.reshape(n, outputs)

    def field(theta, A, r, eta, rate):
        return eta * (r - theta.reshape(-1, 2, outputs, len(A[0, 0])) @ A).reshape(theta.shape) - rate * theta

    fastest = curvature + np.max(rate)
    slowest = np.min(rate[rate > 0], initial=fastest)
    size = max(np.max(np.abs(start)), 1.0)
    numbers = kappa * J.T @ J, kappa * labels.T @ J, eta, rate
    return RawFlow(flow, start, field, numbers, times_to_settle(fastest, slowest, fastest), size)


def draw_together(kind, rng, count=TOGETHER):
    """Draw some flows of one kind and one shape."""
    pick = lambda *values: int(rng.choice(values))  # noqa: E731
    match kind:
        case "neuron":
            d = pick(1, 2, 3)
            return [two_layers(rng, d, 1, 1, "isotropic") for _ in range(count)]
        case "isotropic":
            shape = pick(2, 3), pick(1, 2, 3, 4), pick(2, 3)
            return [two_layers(rng, *shape, "isotropic") for _ in range(count)]
        case "modes":
            d, c = pick(1, 2, 3), pick(1, 2, 3)
            h = 2 * min(d, c) + pick(0, 1)
            return [two_layers(rng, d, h, c, "modes") for _ in range(count)]
        case "diagonal":
            shape = pick(1, 3, 5), pick(1, 2)
            return [diagonal(rng, *shape) for _ in range(count)]
        case _:
            shape = pick(2, 3, 4), pick(2, 3, 5), pick(1, 2), bool(rng.random() < 0.4)
            return [ridge(rng, *shape) for _ in range(count)]


def by_raw_equations(drawn, rng):
    """Return the parameters of each flow at its times, from its start and from a start changed in its last digits."""
    starts = np.stack([raw.start for raw in drawn])
    starts = np.stack([starts, starts * (1 + MOVED * rng.uniform(-1, 1, size=starts.shape))], axis=1)
    times = np.stack([raw.times for raw in drawn])
    size = np.array([raw.size for raw in drawn])[:, None, None]
    numbers = [np.stack(stack)[:, None] for stack in zip(*(raw.numbers for raw in drawn), strict=True)]

    states, now = [starts], starts / size
    for before, after in itertools.pairwise(times.T):

        def together(_, z, before=before, after=after):
            moves = drawn[0].field(z.reshape(starts.shape) * size, *numbers)
            return (moves * ((after - before)[:, None, None] / size)).ravel()

        now = solve_ivp(together, (0.0, 1.0), now.ravel(), "DOP853", rtol=3e-14, atol=1e-16).y[:, -1]
        now = now.reshape(starts.shape)
        states.append(now * size)
    return np.moveaxis(np.stack(states), 0, 2)  # flow, start, time, parameter


def errors_of_flows(kind, seed, count=TOGETHER):
    """Return, for each of some flows, the error of `exact` (NaN: refused), the effect of a change of the start in its
    last digits, and the refusal."""
    rng = np.random.default_rng([list(KINDS).index(kind), seed])
    drawn = draw_together(kind, rng, count)
    right = by_raw_equations(drawn, rng)
    found = []
    for raw, (states, moved) in zip(drawn, right, strict=True):
        blur = np.max(np.abs(moved - states)) / raw.size
        try:
            traj = lr.exact(raw.flow, raw.times, theorem=KINDS[kind])
        except (ValueError, OverflowError) as refusal:
            found.append((np.nan, blur, str(refusal)))
            continue
        ours = [np.asarray(leaf).reshape(len(raw.times), -1) for leaf in jax.tree.leaves(traj.nets.layers)]
        error = np.max(np.abs(np.concatenate(ours, axis=1) - states)) / raw.size
        found.append((error if np.isfinite(error) else np.inf, blur, ""))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_random_flows_of_every_kind_against_the_raw_equations(kind):
    for error, blur, refusal in errors_of_flows(kind, 0, 5):
        assert not refusal
        assert error < 1e-9 + 100 * blur


def main(kind, count, first=0):
    """Follow many flows of a kind, and print the errors."""
    found = [one for seed in range(first, first + count // TOGETHER) for one in errors_of_flows(kind, seed)]
    errors, blurs = (np.array([one[i] for one in found]) for i in (0, 1))
    refusals = collections.Counter(one[2][:100] for one in found if one[2])
    done = errors[~np.isnan(errors)]
    print(f"{kind}: {len(found)} flows, {sum(refusals.values())} refused; error: worst {np.max(done):.1e}, "
          f"99 % {np.quantile(done, 0.99):.1e}, median {np.median(done):.1e}")  # fmt: skip
    above = np.flatnonzero(errors > 1e-9)
    decided = above[errors[above] < 100 * blurs[above]]
    print(f"  above 1e-9: {len(above)}, of which {len(decided)} move by as much if the start moves by {MOVED:.0e}")
    for i in np.setdiff1d(above, decided):
        print(f"  WRONG: seed {first + i // TOGETHER}, flow {i % TOGETHER}: {errors[i]:.1e}, moved by {blurs[i]:.1e}")
    for refusal, number in refusals.items():
        print(f"  refused {number} times: {refusal}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
