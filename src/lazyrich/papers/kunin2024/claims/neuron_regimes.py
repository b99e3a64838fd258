"""Section 3: lazy upstream, rich balanced, delayed downstream."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import brentq

from lazyrich.papers.checks.derivatives import rate
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import DELTAS, RATES, Neuron, at, draw, polar, solution
from lazyrich.papers.rule import Verdict


def _kernel_distance(one: Any, two: Any) -> float:
    return float(1 - np.sum(one * two) / (np.linalg.norm(one) * np.linalg.norm(two)))


def _speeds(setup: Setup, phi_downstream: float) -> Any:
    net = draw(setup.rng, 0.0, 0.4, low=0.9)
    found = []
    for sign, exponents in ((1.0, (1.0, 1.0)), (-1.0, (1.0, phi_downstream))):
        rates = np.array(
            [
                rate(lambda s: np.stack(polar(s[0], s[1:], net.target)), each.theta, each.field(each.theta))
                for each in at(sign * DELTAS, net.a * net.w, net)
            ]
        )
        found += [Evidence.slope(DELTAS, np.abs(rates[:, i]), exponents[i]) for i in (0, 1)]
    return Evidence.together(*found)


@claim(
    "kunin2024",
    "section 3",
    "At a given β₀ the velocities of μ and φ both grow as δ for δ → ∞; for δ → −∞ that of μ grows as |δ| and that of φ "
    "falls as 1/|δ|",
    tolerance=0.02,
    why="an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size (‖β‖/δ)²",
)
def speeds_of_mu_and_phi(setup: Setup) -> Any:
    return _speeds(setup, -1.0)


@speeds_of_mu_and_phi.breaks("as if φ did not slow down downstream")
def as_if_phi_did_not_slow_down_downstream(setup: Setup) -> Any:
    return _speeds(setup, 0.0)


def _lazy_line(net: Neuron, s: Any) -> Any:
    """The flow of linear regression from β₀, at time s."""
    gram = net.X.T @ net.X
    lam, Q = np.linalg.eigh(gram)
    off = Q.T @ (net.a * net.w - net.target)
    return net.target + (np.exp(-np.outer(s, lam)) * off) @ Q.T


def _lazy(setup: Setup, sign: float) -> Any:
    net = draw(setup.rng, 0.0, 0.3, low=0.9, stretch=(0.6, 1.4))
    s, errors = np.array([0.3, 1.0, 3.0]), []
    for each in at(sign * DELTAS[:3], net.a * net.w, net):
        a, w = each.path(np.concatenate([[0.0], s / abs(each.delta)]))
        errors.append(np.max(np.abs((a[:, None] * w)[1:] - _lazy_line(each, s))))
    return Evidence.slope(DELTAS[:3], errors, -2.0)


@claim(
    "kunin2024",
    "section 3",
    "For δ → ∞ the trajectory of β, in the time δt, becomes that of linear regression from β₀; the error falls as δ⁻²",
    tolerance=0.1,
    why="an exponent over 20 ≤ δ ≤ 80",
)
def lazy_upstream(setup: Setup) -> Any:
    return _lazy(setup, 1.0)


@lazy_upstream.breaks("δ → −∞")
def delta_to_infinity(setup: Setup) -> Any:
    return _lazy(setup, -1.0)


def _moved(setup: Setup, sign: float) -> Any:
    net = draw(setup.rng, 0.0, 0.3, low=0.9, stretch=(0.6, 1.4))
    nets = at(sign * DELTAS, net.a * net.w, net)
    times = 80 / DELTAS if sign > 0 else 40 * DELTAS  # the rates are at least 0.3 δ, or 0.6 ‖β*‖²/|δ| or so
    ends = [each.settled(time) for each, time in zip(nets, times, strict=True)]
    return Evidence.slope(DELTAS, [_kernel_distance(n.kernel, e.kernel) for n, e in zip(nets, ends, strict=True)], -4.0)


@claim(
    "kunin2024",
    "section 3",
    "Upstream the kernel hardly moves while the task is learned: the kernel distance S(0, ∞) falls as δ⁻⁴",
    tolerance=0.1,
    why="an exponent over 20 ≤ δ ≤ 160",
)
def lazy_kernel_upstream(setup: Setup) -> Any:
    return _moved(setup, 1.0)


@lazy_kernel_upstream.breaks("downstream")
def lazy_kernel_upstream_downstream(setup: Setup) -> Any:
    return _moved(setup, -1.0)


def _delayed(setup: Setup, sign: float) -> Any:
    net = draw(setup.rng, 0.0, 0.6, low=0.9)
    cosine = polar(net.a, net.w, net.target)[1]
    fast, whole = [], []
    for delta, each in zip(DELTAS, at(sign * DELTAS, net.a * net.w, net), strict=True):
        early, end = each.settled(3 / delta), each.settled(12 * delta)  # the slow rate is ‖β*‖²/|δ| > 2/|δ|
        fast.append(_kernel_distance(each.kernel, early.kernel))
        whole.append(abs(_kernel_distance(each.kernel, end.kernel) - 1 + cosine**2))
    return Evidence.together(Evidence.slope(DELTAS, fast, -4.0), Evidence.slope(DELTAS, whole, -2.0))


@claim(
    "kunin2024",
    "section 3; appendix A.3.1",
    "Downstream the regime is lazy, then rich: the kernel distance of the first phase, S(0, 3/|δ|), falls as δ⁻⁴, that "
    "of the whole flow, S(0, ∞), tends to 1 − φ₀² as δ⁻² (whitened inputs)",
    tolerance=0.1,
    why="exponents over 20 ≤ |δ| ≤ 160",
)
def neuron_delayed_rich(setup: Setup) -> Any:
    return _delayed(setup, -1.0)


@neuron_delayed_rich.breaks("upstream")
def neuron_delayed_rich_upstream(setup: Setup) -> Any:
    return _delayed(setup, 1.0)


def _slow_phi(setup: Setup, factor: float) -> Any:
    rng, deltas, errors = setup.rng, np.array([8.0, 16.0, 32.0]), []
    net = draw(rng, 0.0, 0.4, low=1.0, rates=RATES)
    slow = np.array([0.2, 0.4, 0.7])
    for each in at(-deltas, net.a * net.w, net):
        a, w = each.path(np.concatenate([[0.0], slow * -each.delta]))
        _, phi = polar(a, w, each.target)
        odds = phi[0] ** 2 / (1 - phi[0] ** 2) * np.exp(2 * factor * each.B**2 * slow)
        errors.append(np.max(np.abs(phi[1:] - np.sqrt(odds / (1 + odds)))))
    return Evidence.slope(deltas, errors, -2.0)


@claim(
    "kunin2024",
    "section 3",
    "Downstream, after the fast phase, φ follows φ' = η_aη_w‖β*‖²|δ|⁻¹φ(1 − φ²) from φ₀; at times "
    "∝ |δ| the error falls as δ⁻²",
    tolerance=0.15,
    why="an exponent over 8 ≤ |δ| ≤ 32",
)
def delayed_alignment(setup: Setup) -> Any:
    return _slow_phi(setup, RATES[0] * RATES[1])


@delayed_alignment.breaks("without the rates")
def delayed_alignment_without_the_rates(setup: Setup) -> Any:
    return _slow_phi(setup, 1.0)


def _same_scale(setup: Setup) -> tuple[Neuron, Any, Any]:
    """A strongly upstream neuron with ‖β₀‖ = ‖β*‖: (μ/‖β*‖, φ) at δt = 0 and 1."""
    rng = setup.rng
    net = draw(rng, 0.0, rng.uniform(-0.3, 0.3))
    each = at([1e3], net.B * net.w / np.linalg.norm(net.w), net)[0]
    mu, phi = polar(*each.path([0.0, 1.0 / each.delta]), each.target)
    return each, mu / each.B, phi


@claim(
    "kunin2024",
    "section 3",
    "For δ ≫ 0, φ is much faster than μ, and has reached ±1 before μ has changed",
    tolerance=1e-4,
    why="corrections of relative size (‖β‖/δ)²",
    verdict=Verdict.FAILS,
    remark="δ does not separate them, ‖β*‖/‖β₀‖ does: for large δ both follow β = β* + (β₀ − β*)e^{−δt}, so from "
    "‖β₀‖ = ‖β*‖ they move together, whatever δ",
)
def upstream_separation(setup: Setup) -> Any:
    each, mu, phi = _same_scale(setup)
    lazy = each.target + (each.a * each.w - each.target) * np.exp(-1.0)
    length = np.linalg.norm(lazy)
    return [mu[1], phi[1]], [length / each.B, lazy @ each.target / (length * each.B)]


@upstream_separation.printed
def upstream_separation_as_printed(setup: Setup) -> Any:
    _, mu, phi = _same_scale(setup)
    return [mu[1], phi[1]], [mu[0], 1.0]


def _half_way(setup: Setup, delta: float, sizes: Any) -> tuple[Any, Any]:
    """1 − φ when μ = ‖β*‖/2, and the kernel distance from there to the end, from ‖β₀‖ of several sizes."""
    gaps, distances = [], []
    net = draw(setup.rng, 0.0, 0.2, low=1.0)
    for size in sizes:
        each = at([delta], size * net.a * net.w, net)[0]
        late = 5 / delta if delta > 0 else 20.0
        time = brentq(lambda t, n=each: polar(*solution(n, np.array([t])), n.target)[0][0] - n.B / 2, 0.0, late)
        a, w = each.path([0.0, time])
        gaps.append(1 - polar(a, w, each.target)[1][-1])
        half = replace(each, a=a[-1], w=w[-1])
        distances.append(_kernel_distance(half.kernel, half.settled(40.0).kernel))
    return gaps, distances


SMALL = np.array([1e-1, 1e-2, 1e-3, 1e-4])


@claim(
    "kunin2024",
    "section 3 (what does separate φ from μ)",
    "Upstream, at any large δ: when μ has reached ‖β*‖/2, 1 − φ is of order (‖β₀‖/‖β*‖)²",
    tolerance=0.1,
    why="an exponent over two decades of ‖β₀‖",
)
def upstream_alignment(setup: Setup) -> Any:
    return Evidence.slope(SMALL[:3], _half_way(setup, 10.0, SMALL[:3])[0], 2.0)


@upstream_alignment.breaks("δ grows instead, at a given ‖β₀‖")
def delta_grows_instead(setup: Setup) -> Any:
    return Evidence.slope(1 / DELTAS, [_half_way(setup, delta, [0.3])[0][0] for delta in DELTAS], 2.0)


@claim(
    "kunin2024",
    "section 3",
    "Balanced, for ‖β₀‖ → 0: first w aligns, then μ grows; when μ has reached ‖β*‖/2, 1 − φ is of order ‖β₀‖",
    tolerance=0.05,
    why="an exponent over two decades of ‖β₀‖",
)
def silent_alignment(setup: Setup) -> Any:
    return Evidence.slope(SMALL[1:], _half_way(setup, 0.0, SMALL[1:])[0], 1.0)


@silent_alignment.breaks("downstream")
def silent_alignment_downstream(setup: Setup) -> Any:
    return Evidence.slope(SMALL[1:], _half_way(setup, -3.0, SMALL[1:])[0], 1.0)


@claim(
    "kunin2024",
    "section 3",
    "Balanced, for ‖β₀‖ → 0: in the second phase the kernel only grows; from μ = ‖β*‖/2 on, its distance to the last "
    "one is of order ‖β₀‖ (whitened inputs)",
    tolerance=0.05,
    why="an exponent over two decades of ‖β₀‖",
)
def fitting_phase(setup: Setup) -> Any:
    return Evidence.slope(SMALL[1:], _half_way(setup, 0.0, SMALL[1:])[1], 1.0)


@fitting_phase.breaks("downstream")
def fitting_phase_downstream(setup: Setup) -> Any:
    return Evidence.slope(SMALL[1:], _half_way(setup, -3.0, SMALL[1:])[1], 1.0)
