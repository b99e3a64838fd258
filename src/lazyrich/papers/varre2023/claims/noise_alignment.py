"""Proposition 4.1 (c) and appendix D: whether noise aligns the weights."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.linalg import expm
from scipy.stats import chi2

from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.rule import Verdict
from lazyrich.papers.varre2023.claims._noise import (
    SIGMAS,
    STANDARD,
    boosts,
    growth,
    leading_exponent,
    noise_start,
    product_moment,
    tilted,
)


def _deviations(samples: np.ndarray, predicted: float) -> float:
    """How many standard errors the mean of the samples is off."""
    return float(abs(np.mean(samples) - predicted) / (np.std(samples) / np.sqrt(len(samples))))


def _commutators(y: np.ndarray) -> np.ndarray:
    """eᵢ = [zᵢ, a]₁₂ for each row i, from the first two columns."""
    out: np.ndarray = y[:-1, 0] * y[-1, 1] - y[:-1, 1] * y[-1, 0]
    return out


def _pair(d: int, power: float) -> np.ndarray:
    """For q = Σ_{i<j} [zᵢ, zⱼ]² and p = Σᵢ eᵢ²: dq = (d − 1)p dt + 2√(pq) dB, dp = (2q − 2p) dt + 2√(pq) dB."""
    return tilted(power, (2.0, -6.0, 5.0 - d), d - 1)


def _mean_commutator(setup: Setup, rate: float) -> Any:
    rng = setup.rng
    found, said = [], []
    for d in (2, 4):
        y, z = rng.normal(size=(2, d + 1))
        second = product_moment(0.8, y, z)
        found.append(second[:d, d] - second[d, :d])
        said.append(np.exp(-0.8 * rate) * (y[:d] * z[d] - y[d] * z[:d]))
    return np.concatenate(found), np.concatenate(said)


@claim(
    "varre2023",
    "Appendix D (alignment, mean)",
    "E[zᵢ, a] = [zᵢ(0), a(0)]e^{−t} (without absolute values)",
    tolerance=1e-10,
    why="matrix exponentials of small matrices",
)
def mean_commutator(setup: Setup) -> Any:
    return _mean_commutator(setup, 1.0)


@mean_commutator.breaks("e^{−t/2}")
def e_to_the_t_2(setup: Setup) -> Any:
    return _mean_commutator(setup, 0.5)


def _squared_commutator(setup: Setup, coupling: float) -> Any:
    """E Σ eᵢ² by fourth moments of y, and by P′ = 2Q − 2P, Q′ = (d − 1)P."""
    rng = setup.rng
    found, said = [], []
    for d in (2, 3):
        y, z = rng.normal(size=(2, d + 1))
        fourth = product_moment(1.0, y, z, y, z)
        rows = range(d)
        found.append(sum(fourth[i, d, i, d] - 2 * fourth[i, d, d, i] + fourth[d, i, d, i] for i in rows))
        e, c = y[:d] * z[d] - y[d] * z[:d], np.outer(y[:d], z[:d]) - np.outer(z[:d], y[:d])
        system = np.array([[-2.0, 2.0 * coupling], [d - 1.0, 0.0]])
        said.append((expm(system) @ [np.sum(e**2), np.sum(c**2) / 2])[0])
    return np.array(found), np.array(said)


@claim(
    "varre2023",
    "Appendix D (alignment, square)",
    "P = E Σᵢ[zᵢ, a]₁₂² and Q = E Σ_{i<j}[zᵢ, zⱼ]₁₂² solve P′ = 2Q − 2P, Q′ = (d − 1)P: growth at −1 + √(2d − 1) > 0",
    tolerance=1e-10,
    why="matrix exponentials of small matrices",
)
def squared_commutator(setup: Setup) -> Any:
    return _squared_commutator(setup, 1.0)


@squared_commutator.breaks("without the brackets of the rows, when it would decay")
def without_the_brackets_of_the_rows(setup: Setup) -> Any:
    return _squared_commutator(setup, 0.0)


def _absolute(setup: Setup, limit: float) -> Evidence:
    """E|[z₁, a]₁₂| for d = 2 at t = 3, from W = I, a = 0."""
    paths = setup.pick(100_000, 300_000)
    e = np.abs(_commutators(boosts(setup.rng, noise_start(2, 2, paths), 3.0))[0])
    return Evidence(_deviations(e, limit), f"{np.mean(e):.4f} ± {np.std(e) / np.sqrt(paths):.4f}, expected {limit:.4f}")


@claim(
    "varre2023",
    "Proposition 4.1 (c), d = 2",
    "E|[wᵢ, a]| tends to 0 (here for d = 2)",
    tolerance=SIGMAS,
    why=STANDARD,
    verdict=Verdict.FAILS,
    remark="for d = 2 and a(0) = 0, E|[wᵢ, a]₁₂| tends to (2/π)e^{−1/2}/P(χ²₃ > 1) |det W(0)| = 0.4819 |det W(0)|; "
    "E|e| = |e(0)|e^{−t} drops the local time of e at 0",
)
def absolute_commutator(setup: Setup) -> Any:
    return _absolute(setup, 2 / np.pi * np.exp(-0.5) / float(chi2.sf(1.0, 3)))


@absolute_commutator.printed
def absolute_commutator_as_printed(setup: Setup) -> Any:
    return _absolute(setup, 0.0)


@absolute_commutator.breaks("|det W(0)| itself")
def det_w_0_itself(setup: Setup) -> Any:
    return _absolute(setup, 1.0)


def _absolute_growth(setup: Setup, expected: float) -> Evidence:
    """The exponent of E‖e‖ for d = 3 between t = 2 and t = 4."""
    rng = setup.rng
    early = boosts(rng, noise_start(3, 2, setup.pick(40_000, 150_000)), 2.0)
    late = boosts(rng, early, 2.0)
    sizes = [np.linalg.norm(_commutators(y), axis=0) for y in (early, late)]
    rate, width = growth(sizes[0], sizes[1], 2.0)
    return Evidence(abs(rate - expected) / width, f"{rate:.3f} ± {width:.3f}, expected {expected:.3f}")


@claim(
    "varre2023",
    "Proposition 4.1 (c), d ≥ 3",
    "E|[wᵢ, a]| decays like e^{−t} (here for d = 3)",
    tolerance=SIGMAS,
    why=STANDARD,
    verdict=Verdict.FAILS,
    remark="it grows for d ≥ 3, like e^{0.253 t} for d = 3 (0.616 for d = 5), by the top eigenvalue of a "
    "tilted generator",
)
def absolute_commutator_growth(setup: Setup) -> Any:
    return _absolute_growth(setup, leading_exponent(_pair(3, 0.5)))


@absolute_commutator_growth.printed
def absolute_commutator_growth_as_printed(setup: Setup) -> Any:
    return _absolute_growth(setup, -1.0)


@absolute_commutator_growth.breaks("the exponent of the square")
def the_exponent_of_the_square(setup: Setup) -> Any:
    return _absolute_growth(setup, -1 + np.sqrt(5))


def _lyapunov(d: int) -> tuple[float, float, float]:
    """λ₁ and λ₂ by quadrature over the stationary laws of a²/‖w‖² and p/q, and the mean of the first."""

    def mean(power: float, root: float) -> float:
        def part(f: Callable[[float], float]) -> float:
            # s = 1 + y² takes the root (s − 1)^{−1/2} away
            return float(
                quad(
                    lambda y: 2 * y ** (1 + root) * (1 + y * y) ** power * np.exp(-(d - 1) * y * y / 2) * f(1 + y * y),
                    0,
                    np.inf,
                )[0]
            )

        return part(lambda s: 1 - 1 / s) / part(lambda s: 1.0)

    column = mean(d / 2 - 1, -1.0)
    first = (d - 2) / 2 * column
    return first, (d - 3) / 2 * mean((d - 3) / 2, 0.0) - first, column


def _frames(setup: Setup, d: int) -> np.ndarray:
    """The two exponents per path: a frame of two columns, made orthogonal after each unit of time."""
    rng, paths, burn, time = setup.rng, setup.pick(1000, 2500), 8, 40
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


@claim(
    "varre2023",
    "section 4.1, after Proposition 4.1",
    "For d ≥ 2 the top singular value of W grows without bound, the others decay to 0",
    tolerance=SIGMAS,
    why=STANDARD,
    verdict=Verdict.CORRECTED,
    remark="they go like e^{λ₁t}, e^{λ₂t}, …: λ₂ < 0 for d ≤ 5 only (λ₂ = 0.046 at d = 6), and λ₁ = 0 at d = 2",
)
def lyapunov_exponents(setup: Setup) -> Any:
    misses, seen = [], []
    for d in setup.pick((2, 3, 6), (2, 3, 4, 5, 6)):
        logs, (first, second, _) = _frames(setup, d), _lyapunov(d)
        misses += [_deviations(logs[0], first), _deviations(logs[1], second)]
        seen.append(f"d = {d}: {np.mean(logs[0]):.3f}, {np.mean(logs[1]):.3f}, expected {first:.3f}, {second:.3f}")
    signs = [np.sign(_lyapunov(d)[1]) for d in range(2, 10)] == [-1] * 4 + [1] * 4
    return Evidence(max(misses) if signs else 1e3, "; ".join(seen))


@lyapunov_exponents.printed
def lyapunov_exponents_as_printed(setup: Setup) -> Any:
    logs = _frames(setup, 9)[1]
    return Evidence(max(0.0, np.mean(logs)) / (np.std(logs) / np.sqrt(len(logs))), f"λ₂ = {np.mean(logs):.3f} at d = 9")


@lyapunov_exponents.breaks("without the correction of Itô: λ₁ = d/2 E[a²/‖w‖²]")
def without_the_correction_of_ito(setup: Setup) -> Any:
    return Evidence(_deviations(_frames(setup, 2)[0], _lyapunov(2)[2]))


def _alignment(setup: Setup, d: int, normalised: bool, expected: float) -> Evidence:
    """The exponent of a typical |[z₁, a]|, divided by ‖z₁‖‖a‖ or not."""
    rng = setup.rng
    early = boosts(rng, noise_start(d, d, setup.pick(12_000, 50_000)), 4.0)
    late = boosts(rng, early, 12.0)

    def log(y: np.ndarray) -> np.ndarray:
        size = np.sum((y[0, :, None] * y[-1, None] - y[-1, :, None] * y[0, None]) ** 2, axis=(0, 1))
        norms = np.sum(y[0] ** 2, axis=0) * np.sum(y[-1] ** 2, axis=0)
        out: np.ndarray = 0.5 * np.log(size / norms if normalised else size)
        return out

    rates = (log(late) - log(early)) / 12.0
    return Evidence(_deviations(rates, expected), f"d = {d}: {np.mean(rates):.3f}, expected {expected:.3f}")


@claim(
    "varre2023",
    "Proposition 4.1 (c), alignment",
    "[wᵢ, a] tends to 0, like e^{−t}: the rows of W align with a",
    tolerance=SIGMAS,
    why=STANDARD,
    verdict=Verdict.CORRECTED,
    remark="[wᵢ, a]/(‖wᵢ‖‖a‖) does, almost surely, like e^{(λ₂ − λ₁)t} (−0.237 at d = 2); a typical "
    "[wᵢ, a] goes like e^{(λ₁ + λ₂)t}",
)
def normalised_commutator(setup: Setup) -> Any:
    found = [_alignment(setup, d, True, _lyapunov(d)[1] - _lyapunov(d)[0]) for d in (2, 3)]
    return Evidence.worst(*found)


@normalised_commutator.printed
def normalised_commutator_as_printed(setup: Setup) -> Any:
    return _alignment(setup, 2, False, -1.0)


@normalised_commutator.breaks("no alignment")
def no_alignment(setup: Setup) -> Any:
    return _alignment(setup, 2, True, 0.0)


undecidable(
    "varre2023",
    "Appendix D, noise model",
    "any_spectrum",
    "The results on the noise process extend to any diagonal D in place of I",
    "the source does not say what the results become",
)
