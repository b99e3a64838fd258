"""Sections 9 and 10: the simulations, and what is said of practice."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from lazyrich.papers.azulay2021.claims._biases import SOURCE, predictor
from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.verdicts import Verdict


def _trained_predictor(X: np.ndarray, y: np.ndarray, u: float) -> np.ndarray:
    """Return w̃ after a long time, for a diagonal network from u₊ = u₋ = v₊ = v₋ = u. The flow is stiff if X is
    badly conditioned."""

    def field(t: float, p: np.ndarray) -> np.ndarray:
        up, vp, um, vm = p.reshape(4, -1)
        pull = X.T @ (y - X @ (up * vp - um * vm))
        return np.concatenate([vp * pull, up * pull, -vm * pull, -um * pull])

    start = np.full(4 * X.shape[1], u)
    return predictor(solve_ivp(field, (0.0, 1e9), start, "LSODA", rtol=1e-9, atol=1e-11).y[:, -1].reshape(4, -1))


@claim(
    SOURCE,
    "section 9",
    "for every N ≤ d gradient flow reaches zero training error, and for N < d at points that depend on the start",
    quote=r"For every $N \leq d$ , gradient flow will generally reach a zero training error solution, however not "
    r"all of these solutions will be the same, allowing us to explore the effect of initialization over the implicit "
    r"bias.",
    tolerance=1e-4,
    why="integrated at rtol 1e-9 to t = 1e9, which the least singular value of a Gaussian matrix needs",
)
def zero_training_error(setup: Setup, beyond: int = 0) -> Any:
    rng, d = setup.rng, setup.size(6, 12)
    truth, errors, apart = np.eye(d)[0], [], []
    for N in range(1, d + 1):
        X = rng.normal(size=(N + beyond, d))
        y = X @ truth + 0.1 * rng.normal(size=N + beyond)
        ends = [_trained_predictor(X, y, u) for u in (0.1, 2.0)]
        errors += [np.linalg.norm(X @ w - y) / np.linalg.norm(y) for w in ends]
        apart.append(np.linalg.norm(ends[1] - ends[0]))
    differ = Evidence.true(min(apart[:-1]) > 1e-3, f"ends apart by {min(apart[:-1]):.1e} at least, N < d")
    return Evidence.together(Evidence(float(max(errors)), f"training error {max(errors):.1e} at most"), differ)


zero_training_error.breaks("N from 5 to d + 4", beyond=4)


def _glorot(before: int, after: int) -> float:
    """Return the variance of a weight between layers of these widths."""
    return 2 / (before + after)


@claim(
    SOURCE,
    "section 10",
    "Xavier initialization is balanced: s ≈ 0, in the mean over neurons",
    quote=r"For example, Xavier initialization (Glorot & Bengio, 2010) is roughly balanced by construction",
    tolerance=0.03,
    why="a mean over 2,000 neurons, each s with a standard deviation of about 0.05",
    verdict=Verdict.CORRECTED,
    remark="if there are as many outputs as inputs; with one output, as all networks of this source have, the outer "
    "layer is far smaller than the inner one",
)
def xavier_is_balanced(setup: Setup, outputs: int = 100, variance: Callable[[int, int], float] = _glorot) -> Any:
    """100 inputs, 25 neurons: the shape s of each, from the lengths of its weights in and out; 80 draws."""
    rng = setup.rng
    inner = np.linalg.norm(rng.normal(size=(80, 25, 100)) * np.sqrt(variance(100, 25)), axis=2)
    outer = np.linalg.norm(rng.normal(size=(80, 25, outputs)) * np.sqrt(variance(25, outputs)), axis=2)
    return Evidence.sampled((outer - inner) / (outer + inner), 0.0)


xavier_is_balanced.printed(outputs=1)
xavier_is_balanced.breaks("the variance 1/n_in, which is not Xavier's", variance=lambda before, after: 1 / before)


@xavier_is_balanced.proof("in general: E‖out‖² − E‖in‖² of a neuron has the sign of n_out − n_in", general=True)
def lengths_in_and_out(spoiled: bool) -> Any:
    from sympy import symbols

    into, hidden, out = symbols("i h o", positive=True)
    apart = out * 2 / (hidden + out) - into * 2 / (into + hidden)
    factor = 1 if spoiled else 2
    return [apart, apart.subs(out, into)], [factor * hidden * (out - into) / ((hidden + out) * (into + hidden)), 0]


@claim(
    SOURCE,
    "section 9",
    "least ℓ₂ norm needs N = Ω(d) samples: from Gaussian inputs it misses the share 1 − N/d of ‖β*‖², in the mean, "
    "however sparse β* is",
    quote=r"the minimal $\ell_2$ solution has a much higher sample complexity of $N = \Omega(d)$ .",
    tolerance=0.06,
    why="means of 600 draws, of relative standard error 0.013 at most",
)
def least_l2_needs_d(setup: Setup, missed: Callable[[float], float] = lambda share: 1 - share) -> Evidence:
    """r* = 5 entries of equal size, d = 60, a quarter, half and three quarters of d samples."""
    rng, d, measured = setup.rng, 60, []
    target = np.where(np.arange(d) < 5, 5**-0.5, 0.0)
    for N in (15, 30, 45):
        X = rng.normal(size=(600, N, d))
        short = np.swapaxes(X, 1, 2) @ np.linalg.solve(X @ np.swapaxes(X, 1, 2), (X @ target)[..., None])
        measured.append(Evidence.sampled(np.sum((short[..., 0] - target) ** 2, axis=1), missed(N / d)))
    return Evidence.worst(*measured)


least_l2_needs_d.breaks("half as many are enough", missed=lambda share: max(1 - 2 * share, 0.1))


undecidable(
    SOURCE,
    "section 9",
    "sample_complexity",
    "least ℓ₁ norm needs N = Ω(r* log d) samples (for least ℓ₂ norm see least-l2-needs-d)",
    "an order of growth in log d with an unnamed constant; finite sizes fit many of them",
    quote=r"since the minimal $\ell_1$ solution has a sample complexity of $N = \Omega(r^* \log d)$ , while the "
    r"minimal $\ell_2$ solution has a much higher sample complexity of $N = \Omega(d)$ .",
)
