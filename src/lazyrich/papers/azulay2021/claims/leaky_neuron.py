"""Section 8 and appendix G: a neuron with the leaky ReLU."""

from typing import Any

import numpy as np

from lazyrich.papers.azulay2021.claims._biases import (
    FLOWED,
    ROUNDING,
    SOURCE,
    argmin,
    derivative,
    leaky,
    potential,
    sizes_of,
    unit,
    unseen,
)
from lazyrich.papers.checks.matrices import frame
from lazyrich.papers.claim import Setup, claim, undecidable
from lazyrich.papers.rule import Verdict

SLOPE = 0.4


def _leaky_relu(setup: Setup, slope: float, swapped: bool = False) -> Any:
    x = setup.rng.normal(size=20)
    return np.maximum(x, slope * x), ((1 - slope) * (x < 0 if swapped else x > 0) + slope) * x


@claim(
    SOURCE,
    "section 8 and appendix G",
    "σ(x) = max(x, ρx) is ((1 − ρ)1[x > 0] + ρ)x, with slopes 1 for x > 0 and ρ for x < 0, for any ρ > 0",
    tolerance=1e-12,
    why=ROUNDING,
    verdict=Verdict.CORRECTED,
    remark="for ρ ≤ 1; for ρ > 1 the slopes 1 and ρ change places",
)
def leaky_slopes(setup: Setup) -> Any:
    below, above = _leaky_relu(setup, 0.4), _leaky_relu(setup, 2.5, swapped=True)
    return np.stack([below[0], above[0]]), np.stack([below[1], above[1]])


@leaky_slopes.printed
def leaky_slopes_as_printed(setup: Setup) -> Any:
    return _leaky_relu(setup, 2.5)


@leaky_slopes.breaks("the slopes exchanged although ρ < 1")
def the_slopes_exchanged_although_rho_below_1(setup: Setup) -> Any:
    return _leaky_relu(setup, 0.4, swapped=True)


def _leaky_end(setup: Setup, mixed: bool = True) -> tuple[Any, ...]:
    """X, y, w̃(0), δ, the outputs at the end, w̃(∞), a(∞); one sample starts on the wrong side of its kink.

    The samples are nearly orthogonal, so that kinks are crossed and do not hold the flow.
    """
    rng = setup.rng
    n, d = sizes_of(setup)
    V = frame(rng, d, n)
    X = (np.diag(rng.uniform(0.9, 1.2, size=n)) + 0.02 * rng.normal(size=(n, n))) @ V.T
    sign = float(rng.choice([-1.0, 1.0]))
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0) if mixed else -sign * np.ones(n)
    y = signs * rng.uniform(0.7, 1.5, size=n)
    sides = 0.3 * sign * signs * np.where(np.arange(n) == 0, -1.0, 1.0)
    w = np.linalg.pinv(X) @ sides + 0.3 * unit(unseen(X) @ rng.normal(size=d))
    delta = rng.uniform(0.2, 0.6)
    a = sign * np.sqrt(delta + w @ w)
    end = leaky(w[None], np.array([a]), X, y, SLOPE, [300.0])[-1, 0]
    h = X @ end[:-1]
    return X, y, a * w, delta, end[-1] * np.where(h > 0, h, SLOPE * h), end[-1] * end[:-1], end[-1]


def _leaky_rows(X: np.ndarray, y: np.ndarray, sign: Any) -> np.ndarray:
    """The constraints on the branch of this sign of a, which are linear: c_n x_n."""
    return np.where(y * sign > 0, 1.0, SLOPE)[:, None] * X


def _leaky_kkt(setup: Setup, factor: float = 1.5) -> Any:
    X, y, start, delta, outputs, end, _ = _leaky_end(setup)
    slope = derivative(potential(delta, start, factor), end)
    return np.concatenate([slope, outputs]), np.concatenate([np.linalg.pinv(X) @ X @ slope, y])


@claim(
    SOURCE,
    "theorem 4",
    "a leaky ReLU neuron with δ ≥ 0 whose loss vanishes stops at a KKT point of q_δ(aw) over aσ(Xᵀw) = y",
    tolerance=1e-7,
    why="flow integrated at rtol 1e-12 across a kink until its loss has vanished",
)
def leaky_kkt(setup: Setup) -> Any:
    return _leaky_kkt(setup)


@leaky_kkt.breaks("z without its factor 3/2")
def leaky_kkt_z_without_its_factor_3_2(setup: Setup) -> Any:
    return _leaky_kkt(setup, factor=1.0)


def _leaky_argmin(setup: Setup, linear: bool) -> Any:
    X, y, start, delta, _, end, a = _leaky_end(setup)
    return end, argmin(potential(delta, start), X if linear else _leaky_rows(X, y, a), y)


@claim(
    SOURCE,
    "appendix G, end of the proof",
    "a leaky ReLU neuron stops at w̃(∞) = argmin q(w̃) over Xᵀw̃ = y",
    tolerance=1e-7,
    why=FLOWED,
    verdict=Verdict.CORRECTED,
    remark="over c_n x_nᵀw̃ = y_n, with the slope c_n ∈ {1, ρ} of sample n at the end",
)
def leaky_argmin(setup: Setup) -> Any:
    return _leaky_argmin(setup, False)


@leaky_argmin.printed
def leaky_argmin_as_printed(setup: Setup) -> Any:
    return _leaky_argmin(setup, True)


@leaky_argmin.breaks("the slopes of the other sign of a")
def the_slopes_of_the_other_sign_of_a(setup: Setup) -> Any:
    X, y, start, delta, _, end, a = _leaky_end(setup)
    return end, argmin(potential(delta, start), _leaky_rows(X, y, -a), y)


def _leaky_global(setup: Setup, signs: tuple[int, ...]) -> Any:
    """The lowest point on the branches of these signs of a(∞)."""
    X, y, start, delta, _, end, a = _leaky_end(setup, mixed=False)
    q = potential(delta, start)
    ends = [argmin(q, _leaky_rows(X, y, sign * a), y) for sign in signs]
    return end, min(ends, key=lambda w: float(q(w)))


@claim(
    SOURCE,
    "theorem 4, as displayed",
    "(a(∞), w(∞)) = argmin q_δ(aw) over aσ(Xᵀw) = y, for a leaky ReLU neuron with δ ≥ 0",
    tolerance=1e-7,
    why=FLOWED,
    verdict=Verdict.CORRECTED,
    remark="the argmin among a with the sign of a(0), which a keeps; the branch of the other sign can be lower "
    "(here all labels have the sign opposite to a(0))",
)
def leaky_branch(setup: Setup) -> Any:
    return _leaky_global(setup, (1,))


@leaky_branch.printed
def leaky_branch_as_printed(setup: Setup) -> Any:
    return _leaky_global(setup, (1, -1))


@leaky_branch.breaks("the other branch")
def the_other_branch(setup: Setup) -> Any:
    return _leaky_global(setup, (-1,))


undecidable(
    SOURCE,
    "section 8 (Vardi and Shamir 2020)",
    "no_bias_of_relu",
    "no explicit function of the parameters characterises the implicit bias of a single ReLU neuron (ρ = 0)",
    "it says that something does not exist, among all functions: no finite number of flows can show this",
)

undecidable(
    SOURCE,
    "section 9",
    "sample_complexity",
    "least ℓ₁ norm needs N = Ω(r* log d) samples, least ℓ₂ norm N = Ω(d)",
    "orders of growth with unnamed constants; finite sizes fit many of them",
)
