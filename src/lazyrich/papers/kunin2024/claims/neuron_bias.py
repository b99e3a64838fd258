"""Section 3, theorem 1, and appendices A.4.3 and A.4.4: where the neuron stops."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize

from lazyrich.papers.checks.derivatives import gradient, rate
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import (
    PRODUCT_ONE,
    RATES,
    SIGNS,
    Neuron,
    at,
    draw,
    kappa_of,
    point,
    potential_of,
    stack,
)
from lazyrich.papers.rule import Verdict


def _azulay(x: Any, delta: float) -> Any:
    """q_δ of theorem 5."""
    root = np.sqrt(x**2 + delta**2 / 4)
    return (x**2 - delta / 2 * (delta / 2 + root)) * np.sqrt(root - delta / 2) / x


def _least_of(objective: Callable[[Any], Any], X: Any, y: Any) -> Any:
    """The minimiser over Xβ = y, by quasi-Newton steps in the null space."""
    best = np.linalg.pinv(X) @ y
    free = np.linalg.svd(X)[2][np.linalg.matrix_rank(X) :]
    found = minimize(
        lambda z: objective(best + z @ free),
        np.zeros(len(free)),
        jac=lambda z: free @ gradient(objective, best + z @ free),
        method="BFGS",
        options={"gtol": 1e-11},
    )
    return best + found.x @ free


def _bias(net: Neuron, sign: float = 1.0, product: float = 1.0) -> Any:
    """The minimiser of theorem 1, its second term times `sign`, at √product·β."""
    root, start = np.sqrt(product), net.a * net.w
    psi = np.sqrt(kappa_of(product * (start @ start), net.delta) - net.delta)
    pull = sign * psi * start / np.linalg.norm(start)
    return _least_of(lambda b: potential_of(root * b, net.delta) - root * (pull @ b), net.X, net.y)


def _kept(rng: np.random.Generator, delta: float, **options: Any) -> Neuron:
    """A neuron on data with two unseen directions, whose a keeps its sign."""
    return draw(rng, delta, 0.7, low=0.4, **{"d": 4, "rank": 2, "stretch": (0.8, 1.2), **options})


def _turned(rng: np.random.Generator, **options: Any) -> Neuron:
    """The same, and a changes its sign."""
    return draw(rng, -1.2, -0.8, low=0.2, **{"d": 4, "rank": 2, "stretch": (0.8, 1.2), **options})


LIMIT = "the flow's end at rtol 1e-12 after e^-20 or more; the minimiser's gradient is below 1e-10"


def _theorem_1(setup: Setup, sign: float) -> Any:
    rng, pairs = setup.rng, []
    for delta in SIGNS:
        net = _kept(rng, delta, stretch=(0.7, 1.3), d=setup.pick(4, 8), rank=setup.pick(2, 4))
        pairs.append((net.end()[1], _bias(net, sign)))
    return stack(pairs)


@claim(
    "kunin2024",
    "section 3, theorem 1",
    "β_∞ minimises Ψ_δ(β) − ψ_δβ̂₀·β over Xβ = y, for δ > 0, = 0 and < 0, if β(t) is never zero",
    tolerance=1e-6,
    why=LIMIT,
)
def theorem_1(setup: Setup) -> Any:
    return _theorem_1(setup, 1.0)


@theorem_1.breaks("without the term of the initialization")
def without_the_term_of_the_initialization(setup: Setup) -> Any:
    return _theorem_1(setup, 0.0)


@theorem_1.breaks("β passes zero: a changes its sign")
def beta_passes_zero(setup: Setup) -> Any:
    net = _turned(setup.rng)
    return net.end()[1], _bias(net)


@claim(
    "kunin2024",
    "appendix A.4.3",
    "Theorem 1 could potentially be extended to all initializations with ‖β₀‖ > 0, across the sign change of a",
    tolerance=1e-6,
    why=LIMIT,
    verdict=Verdict.CORRECTED,
    remark="it extends if the second term is multiplied by sgn(a₀a_∞)",
)
def theorem_1_across_the_sign_change(setup: Setup) -> Any:
    net = _turned(setup.rng)
    a, beta = net.end()
    return Evidence.together(
        Evidence.true(a * net.a < 0, "a changes sign"), Evidence.equal(beta, _bias(net, np.sign(a * net.a)))
    )


@theorem_1_across_the_sign_change.printed
def theorem_1_across_the_sign_change_as_printed(setup: Setup) -> Any:
    net = _turned(setup.rng)
    return net.end()[1], _bias(net)


def _theorem_1_rates(setup: Setup, product: float) -> Any:
    rng = setup.rng
    nets = [_kept(rng, delta, rates=RATES) for delta in SIGNS]
    return stack((net.end()[1], _bias(net, 1.0, product)) for net in nets)


@claim(
    "kunin2024",
    "section 3, theorem 1",
    "Theorem 1 for layer-wise rates, as the section has them",
    tolerance=1e-6,
    why=LIMIT,
    verdict=Verdict.CORRECTED,
    remark="true for η_aη_w = 1; otherwise Ψ_δ and ψ_δ are to be taken at √(η_aη_w)β and √(η_aη_w)β₀",
)
def theorem_1_with_rates(setup: Setup) -> Any:
    one = _kept(setup.rng, -1.2, rates=PRODUCT_ONE)
    return stack([_theorem_1_rates(setup, RATES[0] * RATES[1]), (one.end()[1], _bias(one))])


@theorem_1_with_rates.printed
def theorem_1_with_rates_as_printed(setup: Setup) -> Any:
    return _theorem_1_rates(setup, 1.0)


def _equivalence(setup: Setup, factor: float) -> Any:
    beta = point(setup.rng)
    return stack(
        (potential_of(r * beta, D), factor * _azulay(r * np.linalg.norm(beta), D))
        for D in SIGNS
        for r in (0.3, 0.7, 2.0)
    )


@claim(
    "kunin2024",
    "appendix A.4.3",
    "Φ_δ(β) = (2√2/3)q_δ(‖β‖) + c_δ with the q_δ of theorem 5, for both signs of δ",
    tolerance=1e-9,
    why="algebra in double precision; one form cancels where the other does not",
)
def two_potentials(setup: Setup) -> Any:
    return _equivalence(setup, 2 * np.sqrt(2) / 3)


@two_potentials.breaks("with 2/3 for 2√2/3")
def with_2_3_for_2root2_3(setup: Setup) -> Any:
    return _equivalence(setup, 2 / 3)


def _z(net: Neuron, delta: float) -> Any:
    start = net.a * net.w
    size = np.linalg.norm(start)
    return -1.5 * np.sqrt(np.sqrt(size**2 + delta**2 / 4) - delta / 2) * start / size


def _theorem_5(setup: Setup, scale: float) -> Any:
    rng, pairs = setup.rng, []

    def objective(beta: Any, delta: float, z: Any) -> Any:
        return _azulay(np.sqrt(beta @ beta), delta) + scale * (z @ beta)

    for delta in SIGNS:
        net = _kept(rng, delta)
        least = _least_of(partial(objective, delta=net.delta, z=_z(net, net.delta)), net.X, net.y)
        pairs.append((net.end()[1], least))
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.3, theorem 5",
    "β_∞ minimises q_δ(‖β‖) + z·β over Xβ = y, z = −(3/2)√(√(‖β₀‖² + δ²/4) − δ/2) β̂₀; also for δ < 0, "
    "where a keeps its sign",
    tolerance=1e-6,
    why=LIMIT,
)
def theorem_5(setup: Setup) -> Any:
    return _theorem_5(setup, 1.0)


@theorem_5.breaks("z without its factor 3/2")
def z_without_its_factor_3_2(setup: Setup) -> Any:
    return _theorem_5(setup, 2 / 3)


def _slope_of_q(setup: Setup, factor: float) -> Any:
    x, pairs = setup.rng.uniform(0.3, 2.0), []
    for delta in SIGNS:
        root = np.sqrt(np.sqrt(x**2 + delta**2 / 4) - delta / 2)
        pairs.append((rate(partial(_azulay, delta=delta), np.array([x]), 1.0), [factor * root]))
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.4",
    "∇q_δ(x) = (3/2)sgn(x)√(√(x² + δ²/4) − δ/2)",
    tolerance=1e-9,
    why="derivatives by complex step",
)
def slope_of_q(setup: Setup) -> Any:
    return _slope_of_q(setup, 1.5)


@slope_of_q.breaks("without the factor 3/2")
def without_the_factor_3_2(setup: Setup) -> Any:
    return _slope_of_q(setup, 1.0)


def _one_unseen(net: Neuron, sign: float) -> Any:
    """The interpolating solution of A.4.4, ± its α."""
    v = np.linalg.svd(net.X)[2][-1]
    k = -2 / 3 * _z(net, net.delta) @ v
    half = (k**2 + net.delta) / 2
    return net.target + sign * k * np.sqrt(half + np.sqrt(half**2 + net.B**2)) * v


def _line(setup: Setup, delta_sign: float) -> Any:
    rng = setup.rng
    nets = [_kept(rng, delta, d=3) for delta in SIGNS]
    return stack((net.end()[1], _one_unseen(net, delta_sign)) for net in nets)


@claim(
    "kunin2024",
    "appendix A.4.4",
    "One unseen direction v: β_∞ = β* + αv, α = k√(½(k² + δ) + √(¼(k² + δ)² + ‖β*‖²)), k = −(2/3)z·v, "
    "if a keeps its sign",
    tolerance=1e-7,
    why="the flow's end at rtol 1e-12 after e^-20 or more",
)
def one_unseen_direction(setup: Setup) -> Any:
    return _line(setup, 1.0)


@one_unseen_direction.breaks("−α")
def one_unseen_direction_alpha(setup: Setup) -> Any:
    return _line(setup, -1.0)


def _turned_line(setup: Setup, sign: float) -> Any:
    net = _turned(setup.rng, d=3)
    a, beta = net.end()
    return Evidence.together(
        Evidence.true(a * net.a < 0, "a changes sign"), Evidence.equal(beta, _one_unseen(net, sign))
    )


@claim(
    "kunin2024",
    "appendix A.4.4",
    "β* − αv is where trajectories end that pass through the origin, so that a changes its sign",
    tolerance=1e-7,
    why="the flow's end at rtol 1e-12 after e^-20 or more",
)
def one_unseen_direction_turned(setup: Setup) -> Any:
    return _turned_line(setup, -1.0)


@one_unseen_direction_turned.breaks("+α")
def one_unseen_direction_turned_alpha(setup: Setup) -> Any:
    return _turned_line(setup, 1.0)


def _unseen(net: Neuron, sign: float, share: float = 1.0) -> Any:
    """β⁺ + a_∞Pw₀, with a_∞ from the conservation of δ."""
    eta_w, eta_a = net.rates
    out = net.w - np.linalg.pinv(net.X) @ net.X @ net.w
    v = net.delta + share * eta_a * out @ out
    return net.target + sign * np.sqrt((v + np.sqrt(v**2 + 4 * eta_a * eta_w * net.B**2)) / (2 * eta_w)) * out


def _any_nullity(setup: Setup, share: float) -> Any:
    rng, pairs = setup.rng, []
    for rank, delta in ((3, 1.2), (2, 0.0), (1, -1.2), (2, -1.2)):
        net = _kept(rng, delta, d=4, rank=rank, rates=RATES)
        noisy = replace(
            net, y=net.y + 0.3 * (np.eye(len(net.y)) - net.X @ np.linalg.pinv(net.X)) @ rng.normal(size=len(net.y))
        )
        pairs.append((noisy.end()[1], _unseen(noisy, np.sign(net.a), share)))
    turned = _turned(rng, rates=RATES)
    return stack([*pairs, (turned.end()[1], _unseen(turned, -np.sign(turned.a), share))])


@claim(
    "kunin2024",
    "appendix A.4.4 (beyond one dimension)",
    "For any number of unseen directions β_∞ = X⁺y + a_∞Pw₀, a_∞² = (v + √(v² + 4η_aη_w‖X⁺y‖²))/2η_w, "
    "v = δ + η_a‖Pw₀‖², P the projector on what X does not see; any rates, also for noisy y and if a changes its sign",
    tolerance=1e-7,
    why="the flow's end at rtol 1e-12 after e^-20 or more",
)
def any_nullity(setup: Setup) -> Any:
    return _any_nullity(setup, 1.0)


@any_nullity.breaks("δ for v")
def delta_for_v(setup: Setup) -> Any:
    return _any_nullity(setup, 0.0)


def _vanishing(setup: Setup, cases: Any) -> Any:
    rng, found = setup.rng, []
    net, sizes = _kept(rng, 0.0), np.array([1e-2, 1e-3, 1e-4])
    for delta, exponent in cases:
        nets = [at([delta], size * net.a * net.w, net)[0] for size in sizes]
        found.append(Evidence.slope(sizes, [np.linalg.norm(n.end()[1] - n.target) for n in nets], exponent))
    return Evidence.together(*found)


@claim(
    "kunin2024",
    "section 3",
    "For vanishing initializations upstream and balanced neurons have the same bias, to the shortest solution X⁺y: the "
    "distance falls as ‖β₀‖ for δ > 0 and as ‖β₀‖^½ for δ = 0",
    tolerance=0.02,
    why="an exponent over two decades of ‖β₀‖",
)
def vanishing_initialization(setup: Setup) -> Any:
    return _vanishing(setup, ((1.2, 1.0), (0.0, 0.5)))


@vanishing_initialization.breaks("downstream")
def vanishing_initialization_downstream(setup: Setup) -> Any:
    return _vanishing(setup, ((-1.2, 0.5),))


def _preserved(setup: Setup, sign: float) -> Any:
    rng, deltas = setup.rng, np.array([20.0, 40.0, 80.0])
    net = _kept(rng, 0.0)
    out = net.w - np.linalg.pinv(net.X) @ net.X @ net.w
    expected = net.target + net.B / np.linalg.norm(net.w - out) * out
    nets = at(sign * deltas, net.a * net.w, net)
    ends = [n.settled(20 * delta) for n, delta in zip(nets, deltas, strict=True)]
    return Evidence.slope(deltas, [np.linalg.norm(n.a * n.w - expected) for n in ends], -2.0)


@claim(
    "kunin2024",
    "section 3",
    "Downstream the term of the initialization decides: for δ → −∞ the flow ends at X⁺y + "
    "(‖X⁺y‖/‖Qβ₀‖)Pβ₀, up to δ⁻², which keeps the shares of β₀'s direction that X sees (Qβ₀) and does not (Pβ₀)",
    tolerance=0.15,
    why="an exponent over 20 ≤ |δ| ≤ 80",
)
def direction_preserved(setup: Setup) -> Any:
    return _preserved(setup, -1.0)


@direction_preserved.breaks("δ → ∞")
def direction_preserved_delta_to_infinity(setup: Setup) -> Any:
    return _preserved(setup, 1.0)
