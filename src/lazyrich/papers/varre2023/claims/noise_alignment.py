"""Proposition 4.1 (c) and appendix D: whether noise aligns the weights."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.stats import chi2

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.varre2023.claims._noise import (
    SIGMAS,
    STANDARD,
    boosts,
    growth,
    leading_exponent,
    noise_start,
    product_moment,
    tilted_generator,
)
from lazyrich.papers.verdicts import Grade, Verdict


def _deviations(samples: np.ndarray, predicted: float) -> float:
    """Return by how many standard errors the mean of the samples is off."""
    return float(abs(np.mean(samples) - predicted) / (np.std(samples) / np.sqrt(len(samples))))


def _commutators(y: np.ndarray) -> np.ndarray:
    """Return eᵢ = [zᵢ, a]₁₂ for each row i, from the first two columns."""
    out: np.ndarray = y[:-1, 0] * y[-1, 1] - y[:-1, 1] * y[-1, 0]
    return out


def _pair(d: int, power: float) -> np.ndarray:
    """Return the generator for q = Σ_{i<j} [zᵢ, zⱼ]² and p = Σᵢ eᵢ²: dq = (d − 1)p dt + 2√(pq) dB, dp = (2q − 2p) dt
    + 2√(pq) dB."""
    return tilted_generator(power, (2.0, -6.0, 5.0 - d), d - 1)


@claim(
    "varre2023",
    "Appendix D (alignment, mean)",
    "$E[zᵢ, a] = [zᵢ(0), a(0)]e^{−t}$ (without absolute values)",
    quote=r"d\mathbb{E} [[\mathbf{z}_i, \mathbf{a}]] = -\mathbb{E} [[\mathbf{z}_i, \mathbf{a}]] dt.$$ Hence, we have, "
    r"$$\mathbb{E} [[\mathbf{z}_i, \mathbf{a}]] = [\mathbf{z}_i(0), \mathbf{a}(0)] e^{-t}.$$",
    tolerance=1e-10,
    why="matrix exponentials of small matrices",
)
def mean_commutator(setup: Setup, rate: float = 1.0) -> Any:
    rng = setup.rng
    measured, stated = [], []
    for d in (2, 4):
        y, z = rng.normal(size=(2, d + 1))
        second = product_moment(0.8, y, z)
        names = {"E[zᵢ, a]": second[:d, d] - second[d, :d], "[zᵢ(0), a(0)]": y[:d] * z[d] - y[d] * z[:d]}
        sides = mean_commutator.formula.sides(names | {"t": 0.8 * rate})
        measured.append(sides[0])
        stated.append(sides[1])
    return np.concatenate(measured), np.concatenate(stated)


mean_commutator.breaks("e^{−t/2}", rate=0.5)


def _ito(left: Any, right: Any) -> Any:
    """Return Itô's term of a product of two entries, Σⱼ (Gⱼ left)(Gⱼ right)ᵀ, for the vectors of two columns."""
    from sympy import Matrix

    d = len(left) - 1
    total = Matrix.zeros(d + 1, d + 1)
    for j in range(d):
        one, two = (Matrix([v[d] if i == j else 0 for i in range(d)] + [v[j]]) for v in (left, right))
        total += one * two.T
    return total


@mean_commutator.proof("d = 3, symbols for two columns of W and their entries of a")
def drift_of_the_commutator(spoiled: bool) -> Any:
    """The drift of zᵢ₁a₂ − zᵢ₂a₁ is Itô's term alone, which is −[zᵢ, a]₁₂."""
    from sympy import symbols

    y, z = symbols("y:4"), symbols("z:4")
    mixed = _ito(y, z)
    measured = [mixed[i, 3] - mixed[3, i] for i in range(3)]
    return measured, [(1 if spoiled else -1) * (y[i] * z[3] - y[3] * z[i]) for i in range(3)]


@claim(
    "varre2023",
    "Appendix D (alignment, square)",
    "The drift of eᵢ² is −2eᵢ² + Σⱼcᵢⱼ²: P = E Σᵢeᵢ² and Q = E Σ_{i<j}cᵢⱼ² solve $P′ = 2Q − 2P$, $Q′ = (d − 1)P$, and "
    "grow at $−1 + √(2d − 1)$ > 0",
    quote=r"de_i^2 &= -2e_i^2 dt + \sum_j c_{ij}^2 dt - 2e_i \sum_j c_{ij} d\mathbf{B}_t^j.",
    tolerance=1e-10,
    why="matrix exponentials of small matrices",
)
def squared_commutator(setup: Setup, coupling: float = 1.0) -> Any:
    """E Σ eᵢ² by fourth moments of y, and by P′ = 2Q − 2P, Q′ = (d − 1)P."""
    rng = setup.rng
    measured, stated = [], []
    for d in (2, 3):
        y, z = rng.normal(size=(2, d + 1))
        fourth = product_moment(1.0, y, z, y, z)
        rows = range(d)
        measured.append(sum(fourth[i, d, i, d] - 2 * fourth[i, d, d, i] + fourth[d, i, d, i] for i in rows))
        e, c = y[:d] * z[d] - y[d] * z[:d], np.outer(y[:d], z[:d]) - np.outer(z[:d], y[:d])
        units = {"P": 1.0, "Q": 0.0, "d": d}, {"P": 0.0, "Q": coupling, "d": d}
        system = np.array([[formula.right(unit) for unit in units] for formula in squared_commutator.formulas[:2]])
        stated.append((expm(system) @ [np.sum(e**2), np.sum(c**2) / 2])[0])
    return np.array(measured), np.array(stated)


squared_commutator.breaks("without the brackets of the rows, when it would decay", coupling=0.0)


@squared_commutator.proof("d = 2, symbols for two columns: the drift of Σ eᵢ²; and its rate of growth for every d")
def drift_of_the_square(spoiled: bool) -> Any:
    """With the noise Σⱼ (∂e/∂y Gⱼy + ∂e/∂z Gⱼz) dBⱼ of e, and its drift −e."""
    from sympy import Matrix, diff, symbols

    y, z, d = symbols("y:3"), symbols("z:3"), symbols("d", positive=True)
    total, c = 0, y[0] * z[1] - y[1] * z[0]
    for i in range(2):
        e = y[i] * z[2] - y[2] * z[i]
        total += 2 * e * (e if spoiled else -e)
        for j in range(2):
            moves = [*(v[2] if k == j else v[j] if k == 2 else 0 for v in (y, z) for k in range(3))]
            total += sum(diff(e, s) * m for s, m in zip([*y, *z], moves, strict=True)) ** 2
    squares = sum((y[i] * z[2] - y[2] * z[i]) ** 2 for i in range(2))
    P, Q = symbols("P Q")
    moves_P, moves_Q, rate = (formula.right({"P": P, "Q": Q, "d": d}) for formula in squared_commutator.formulas)
    system = Matrix([moves_P, moves_Q]).jacobian([P, Q])
    drift = moves_P.subs({P: squares, Q: c**2})
    return [total, (system - rate * Matrix.eye(2)).det()], [drift, 0]


Law = Callable[[], tuple[float, float, float]]


def _true_law() -> tuple[float, float, float]:
    """Return the limit at d = 2, and the exponents at d = 3 and d = 5."""
    limit = 2 / np.pi * np.exp(-0.5) / float(chi2.sf(1.0, 3))
    return limit, leading_exponent(_pair(3, 0.5)), leading_exponent(_pair(5, 0.5))


@claim(
    "varre2023",
    "Proposition 4.1 (c)",
    "E|[wᵢ, a]₁₂| tends to 0.482 |det W(0)| for d = 2 and a(0) = 0, and grows for d ≥ 3: like e^{0.253 t} for d = 3, "
    "e^{0.616 t} for d = 5",
    quote=r"Denote the  $i^{\text{th}}$  row of  $\mathbf{W}$  as  $\mathbf{w}_i$ . Using  $[\mathbf{w}_i, \mathbf{a}] "
    r"\stackrel{\text{def}}{=} \mathbf{w}_i \mathbf{a}^\top - \mathbf{a} \mathbf{w}_i^\top$ ,* $$\lim_{t \rightarrow "
    r"\infty} \mathbb{E} [|\mathbf{w}_i, \mathbf{a}|] \rightarrow 0.$$",
    tolerance=SIGMAS,
    why=STANDARD,
    verdict=Verdict.FAILS,
    remark="for d = 2 the limit is (2/π)e^{−1/2}/P(χ²₃ > 1) |det W(0)| = 0.4819 |det W(0)|, and for d ≥ 3 it grows, by "
    "the top eigenvalue of a tilted generator. The proof's E|e| = |e(0)|e^{−t} drops the local time of e at 0 (from "
    "a(0) = 0 it would be 0 at every time); from a(0) ≠ 0 the mean does not tend to 0 either, while the median does. "
    "Without absolute values the mean does decay like e^{−t}, and along almost "
    "every path the commutator's share of ‖wᵢ‖‖a‖ does tend to 0",
)
def absolute_commutator(setup: Setup, law: Law = _true_law) -> Any:
    """From W = I, a = 0: the mean of |e₁| for d = 2 at t = 3; the exponent of E‖e‖ for d = 3 and 5 up to t = 4."""
    rng = setup.rng
    limit, *exponents = law()
    e = np.abs(_commutators(boosts(rng, noise_start(2, 2, setup.size(60_000, 300_000)), 3.0))[0])
    misses, summary = [_deviations(e, limit)], [f"d = 2: {np.mean(e):.4f} ± {np.std(e) / np.sqrt(len(e)):.4f}"]
    for d, expected in zip((3, 5), exponents, strict=True):
        early = boosts(rng, noise_start(d, 2, setup.size(30_000, 150_000)), 2.0)
        late = boosts(rng, early, 2.0)
        sizes = [np.linalg.norm(_commutators(y), axis=0) for y in (early, late)]
        rate, width = growth(sizes[0], sizes[1], 2.0)
        misses.append(abs(rate - expected) / width)
        summary.append(f"d = {d}: exponent {rate:.3f} ± {width:.3f}, expected {expected:.3f}")
    return Evidence(max(misses), "; ".join(summary), Grade.SAMPLED)


absolute_commutator.printed(law=lambda: (0.0, -1.0, -1.0))
absolute_commutator.breaks("like e^{−t} for d ≥ 3", law=lambda: (_true_law()[0], -1.0, -1.0))


@absolute_commutator.counterexample
def it_stays_at_one_half() -> None:
    import numpy as np

    rng, dt = np.random.default_rng(0), 0.01
    W, a, summaries = np.tile(np.eye(2), (40000, 1, 1)), np.zeros((40000, 2)), []
    for step in range(1, 601):
        B = np.sqrt(dt) * rng.normal(size=(40000, 2))
        W, a = W + B[:, :, None] * a[:, None, :], a + np.einsum("nij,ni->nj", W, B)
        if step in (200, 600):  # t = 2 and t = 6
            summaries.append(np.mean(np.abs(W[:, 0, 0] * a[:, 1] - W[:, 0, 1] * a[:, 0])))
    assert min(summaries) > 0.35  # 0.48 in the limit; e^{−6} is 0.002


@absolute_commutator.proof(
    "d = 2 from W = I, a = 0: the proof's formula E|e| = |e(0)|e^{−t} = 0 is false, since E Σe² > 0", whole=False
)
def not_zero(spoiled: bool) -> Any:
    """P = 2e^{−t} sinh(√3 t)/√3 solves P′ = 2Q − 2P, Q′ = P from P = 0, Q = 1, and is not zero."""
    from sympy import cosh, diff, exp, sinh, sqrt, symbols

    t = symbols("t", positive=True)
    P = 2 * exp(-t) * sinh(sqrt(3) * t) / sqrt(3)
    Q = exp(-t) * (cosh(sqrt(3) * t) + (2 if spoiled else 1) * sinh(sqrt(3) * t) / sqrt(3))
    return [diff(P, t), diff(Q, t), P.subs(t, 0), Q.subs(t, 0)], [2 * Q - 2 * P, P, 0, 1]


def _lyapunov(d: int) -> tuple[float, float]:
    """Return λ₁ and λ₂ by quadrature over the stationary laws of a²/‖w‖² and p/q."""

    def mean(power: float, root: float) -> float:
        def part(f: Callable[[float], float]) -> float:
            # s = 1 + y² removes the singularity (s − 1)^{−1/2}
            return float(
                quad(
                    lambda y: 2 * y ** (1 + root) * (1 + y * y) ** power * np.exp(-(d - 1) * y * y / 2) * f(1 + y * y),
                    0,
                    np.inf,
                )[0]
            )

        return part(lambda s: 1 - 1 / s) / part(lambda s: 1.0)

    first = (d - 2) / 2 * mean(d / 2 - 1, -1.0)
    return first, (d - 3) / 2 * mean((d - 3) / 2, 0.0) - first


def _frames(rng: np.random.Generator, d: int, paths: int) -> np.ndarray:
    """Return the two exponents of each path, from two columns that are orthogonalized after each unit of time."""
    burn, time = 8, 30
    y, logs = rng.normal(size=(d + 1, 2, paths)), np.zeros((2, paths))
    for t in range(burn + time):
        y = boosts(rng, y, 1.0)
        one = np.linalg.norm(y[:, 0], axis=0)
        y[:, 0] /= one
        y[:, 1] -= y[:, 0] * np.sum(y[:, 0] * y[:, 1], axis=0)
        two = np.linalg.norm(y[:, 1], axis=0)
        y[:, 1] /= two
        logs += np.log([one, two]) * (t >= burn)
    return logs / time


def _others_decay(d: int) -> tuple[float, float]:
    """Return the exponents as printed, where the second is at most 0."""
    first, second = _lyapunov(d)
    return first, min(0.0, second)


def _without_ito(d: int) -> tuple[float, float]:
    """Return the exponents with λ₁ without Itô's correction, which is not zero at d = 2."""
    first, second = _lyapunov(d)
    return first + 0.5, second


@claim(
    "varre2023",
    "section 4.1, after Proposition 4.1",
    "The singular values of W go like e^{λ₁t}, e^{λ₂t}, …; λ₁ ≥ 0 with λ₁ = 0 at d = 2, and λ₂ < 0 for d ≤ 5 only",
    quote=r"This phenomenon can be further seen through the evolution of singular values, where the top singular value "
    r"of  $\mathbf{W}$  grows unboundedly, whereas the remaining singular values decay to 0 as depicted in Figure 3a",
    tolerance=SIGMAS,
    why=STANDARD,
    verdict=Verdict.CORRECTED,
    remark="the others decay for d ≤ 5 (d = 2 is figure 3a); from d = 6 on λ₂ > 0 (0.046 there), and they grow, too, "
    "if more slowly than the top one; at d = 2 the top one does not grow along typical paths, λ₁ = 0",
)
def lyapunov_exponents(setup: Setup, law: Callable[[int], tuple[float, float]] = _lyapunov) -> Any:
    misses, summaries = [], []
    for d in setup.size((2, 3, 12), (2, 3, 4, 5, 6, 12)):
        logs, expected = _frames(setup.rng, d, setup.size(600, 2500)), law(d)
        misses += [_deviations(each, value) for each, value in zip(logs, expected, strict=True)]
        means = ", ".join(f"{np.mean(each):.3f}" for each in logs)
        summaries.append(f"d = {d}: {means}, expected {expected[0]:.3f}, {expected[1]:.3f}")
    signs = [np.sign(_lyapunov(d)[1]) for d in range(2, 10)] == [-1] * 4 + [1] * 4
    return Evidence(max(misses) if signs else 1e3, "; ".join(summaries), Grade.SAMPLED)


lyapunov_exponents.printed(law=_others_decay)
lyapunov_exponents.breaks("without the correction of Itô in λ₁", law=_without_ito)


def _log_share(y: np.ndarray) -> np.ndarray:
    """Return ln of |[z₁, a]| over ‖z₁‖‖a‖, by path."""
    norms = np.sum(y[0] ** 2, axis=0) * np.sum(y[-1] ** 2, axis=0)
    out: np.ndarray = _log_commutator(y) - 0.5 * np.log(norms)
    return out


def _log_commutator(y: np.ndarray) -> np.ndarray:
    """Return ln of |[z₁, a]|, by path."""
    size = np.sum((y[0, :, None] * y[-1, None] - y[-1, :, None] * y[0, None]) ** 2, axis=(0, 1))
    out: np.ndarray = 0.5 * np.log(size)
    return out


@claim(
    "varre2023",
    "section 4.1, after Proposition 4.1 (alignment)",
    "[wᵢ, a]/(‖wᵢ‖‖a‖) tends to 0 almost surely, like e^{(λ₂ − λ₁)t}: the rows of W align with a",
    quote=r"However, despite the fact that the norm grows, the commutator  $[\mathbf{w}_i, \mathbf{a}]$  goes to zero, "
    r"indicating that all the rows of  $\mathbf{w}_i$  align towards  $\mathbf{a}$ .",
    tolerance=SIGMAS,
    why=STANDARD,
    verdict=Verdict.CORRECTED,
    remark="the rows do align, at the rate λ₂ − λ₁ < 0 of the commutator's share of ‖wᵢ‖‖a‖ (−0.237 at d = 2); the "
    "commutator itself typically goes like e^{(λ₁ + λ₂)t}, which falls at d = 2 and grows for d ≥ 4",
)
def normalized_commutator(
    setup: Setup, measure: Callable[[np.ndarray], np.ndarray] = _log_share, aligns: float = 1.0
) -> Any:
    """The rate of a path's commutator between t = 4 and t = 12, for d = 2 and d = 5."""
    rng, misses, summaries = setup.rng, [], []
    for d in (2, 5):
        first, second = _lyapunov(d)
        expected = aligns * (second - first)
        early = boosts(rng, noise_start(d, d, setup.size(4000, 30_000)), 4.0)
        late = boosts(rng, early.copy(), 8.0)
        rates = (measure(late) - measure(early)) / 8.0
        misses.append(_deviations(rates, expected))
        summaries.append(f"d = {d}: {np.mean(rates):.3f}, expected {expected:.3f}")
    return Evidence(max(misses), "; ".join(summaries), Grade.SAMPLED)


normalized_commutator.printed(measure=_log_commutator)
normalized_commutator.breaks("no alignment", aligns=0.0)
