"""Section 7.2 and appendix F: scale and shape of a neuron."""

from typing import Any

import numpy as np

from lazyrich.papers.azulay2021.claims._biases import (
    ROUNDING,
    SOURCE,
    data,
    derivative,
    flow,
    hessian_of,
    layers,
    neuron_end,
    potential,
    shape,
    sizes_of,
    unit,
    unseen,
)
from lazyrich.papers.checks.matrices import frame
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.rule import Verdict


def _lemmas(setup: Setup, sign: float = 1.0) -> Any:
    rng = setup.rng
    w = rng.normal(size=4)
    a = rng.choice([-1.0, 1.0]) * np.linalg.norm(w) * rng.uniform(1.3, 4.0) ** rng.choice([-1, 1])
    alpha, s = shape(np.linalg.norm(w), a)
    delta = a**2 - w @ w
    size = np.sqrt(alpha**2 + delta**2 / 4)
    z = np.linalg.norm(derivative(potential(delta, a * w), a * w) - derivative(potential(delta, a * w, 0.0), a * w))
    measured = np.array([delta, size, size - delta / 2, size + delta / 2, z])
    predicted = [4 * alpha * s / (1 - s**2), alpha * (1 + s**2) / (1 - s**2), alpha * (1 - sign * s) / (1 + sign * s)]
    predicted += [alpha * (1 + sign * s) / (1 - sign * s), 1.5 * np.sqrt(alpha * (1 - sign * s) / (1 + sign * s))]
    return measured / predicted, np.ones(5)


@claim(
    SOURCE,
    "lemmas 1 and 2, appendix F.1",
    "δ = 4αs/(1 − s²); √(α² + δ²/4) = α(1 + s²)/(1 − s²), less or more δ/2: α((1 − s)/(1 + s))^±1; and so ‖z‖",
    tolerance=1e-11,
    why="identities: rounding, where √(α² + δ²/4) ± δ/2 loses up to three digits",
)
def neuron_shape(setup: Setup) -> Any:
    return _lemmas(setup)


@neuron_shape.breaks("−s for s in the second and third part of lemma 2")
def s_for_s_in_the_second_and_third_part_of_lemma_2(setup: Setup) -> Any:
    return _lemmas(setup, sign=-1.0)


def _shaped(u: np.ndarray, alpha: float, s: float) -> tuple[np.ndarray, float, np.ndarray]:
    """w, a and B of equation (27), for the direction u."""
    small, large = layers(alpha, s)
    return small * u, large, np.eye(len(u)) - (1 - s) ** 2 / (2 * (1 + s**2)) * np.outer(u, u)


def _expansion(setup: Setup, constant: float) -> Any:
    rng = setup.rng
    alpha, s = rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.7)
    w, a, B = _shaped(unit(rng.normal(size=5)), alpha, s)
    q = potential(a**2 - w @ w, a * w)
    return hessian_of(q, a * w), constant * np.sqrt((1 - s) / alpha / (1 + s)) * B


@claim(
    SOURCE,
    "appendix F.2",
    "∇²q(w̃(0)) = √((1 − s)/(α(1 + s))) B with B = I − (1 − s)²/(2(1 + s²)) uuᵀ",
    tolerance=1e-8,
    why="fourth-order differences at step 1e-4: 1e-12/1e-4 of rounding",
    verdict=Verdict.CORRECTED,
    remark="3/2 times this, for the q of theorem 2; B is right",
)
def expansion(setup: Setup) -> Any:
    return _expansion(setup, 1.5)


@expansion.printed
def expansion_as_printed(setup: Setup) -> Any:
    return _expansion(setup, 1.0)


@expansion.breaks("2 for 3/2")
def expansion_with_2_for_3_2(setup: Setup) -> Any:
    return _expansion(setup, 2.0)


def _neuron_kernel(setup: Setup, power: int, inverse: int = -1) -> Any:
    rng = setup.rng
    w, a, B = _shaped(unit(rng.normal(size=5)), 2.0, rng.uniform(0.1, 0.6))
    X = rng.normal(size=(6, 5))
    J = derivative(lambda p: p[-1] * (X @ p[:-1]), np.append(w, a))
    return J @ J.T, a**power * X @ np.linalg.matrix_power(B, inverse) @ X.T


@claim(
    SOURCE,
    "section 7.2",
    "the tangent kernel of a neuron at initialization is K(x, x′) = xᵀB⁻¹x′",
    tolerance=1e-11,
    why=ROUNDING,
    verdict=Verdict.CORRECTED,
    remark="K(x, x′) = a(0)² xᵀB⁻¹x′, as in appendix F.2",
)
def neuron_kernel(setup: Setup) -> Any:
    return _neuron_kernel(setup, 2)


@neuron_kernel.printed
def neuron_kernel_as_printed(setup: Setup) -> Any:
    return _neuron_kernel(setup, 0)


@neuron_kernel.breaks("B for B⁻¹")
def b_for_b_1(setup: Setup) -> Any:
    return _neuron_kernel(setup, 2, inverse=1)


def _rkhs(setup: Setup, power: int = -1) -> Any:
    """f = Σ γ_j K(·, x_j) with f(x_j) = wᵀx_j has ‖f‖² = γᵀKγ."""
    rng = setup.rng
    d = sizes_of(setup)[1]
    V = frame(rng, d, d)
    X, w = np.eye(d) + 0.2 * rng.normal(size=(d, d)) / np.sqrt(d), rng.normal(size=d)
    A = (V * np.linspace(0.5, 3, d)) @ V.T
    K = X @ A @ X.T
    weights = np.linalg.solve(K, X @ w)
    return weights @ K @ weights, w @ np.linalg.matrix_power(A, power) @ w


@claim(
    SOURCE,
    "lemma 4",
    "f(x) = wᵀx has the norm ‖f‖²_K = wᵀA⁻¹w for the kernel K(x, x′) = xᵀAx′",
    tolerance=1e-10,
    why="identities: rounding, condition number about 10",
)
def rkhs_norm(setup: Setup) -> Any:
    return _rkhs(setup)


@rkhs_norm.breaks("A for A⁻¹")
def a_for_a_1(setup: Setup) -> Any:
    return _rkhs(setup, power=1)


def _anti(setup: Setup, shapes: Any) -> Evidence:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    u, alphas = unit(rng.normal(size=X.shape[1])), np.array([1e-3, 1e-4, 1e-5])
    starts = [_shaped(u, alpha, s) for alpha, s in zip(alphas, shapes, strict=True)]
    ends = np.array([neuron_end(w, a, X, y, 100.0) for w, a, _ in starts])
    return Evidence.slope(alphas, np.linalg.norm(ends - np.linalg.pinv(X) @ y, axis=1), 0.5)


@claim(
    SOURCE,
    "section 7.2 and appendix F.1",
    "at a fixed shape 0 ≤ s < 1 a neuron stops at the shortest interpolator as α → 0 (the anti-NTK regime)",
    tolerance=0.02,
    why="an exponent: the distance is |a(∞)|‖P⊥w(0)‖, in proportion to √α; next order √α",
)
def anti_kernel(setup: Setup) -> Any:
    return _anti(setup, [0.3] * 3)


@anti_kernel.breaks("s → −1 while α → 0: ‖w(0)‖ = 1 stays, a(0) = α")
def s_to_1_while_alpha_to_0(setup: Setup) -> Any:
    return _anti(setup, [(a - 1) / (a + 1) for a in (1e-3, 1e-4, 1e-5)])


def _growth(setup: Setup, power: int = 1) -> Evidence:
    """The change of a neuron's kernel at s = 0.3, relative to its first size (or, power 0, not)."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    u, alphas, found = unit(rng.normal(size=X.shape[1])), np.array([1e-3, 1e-4, 1e-5]), []
    for alpha in alphas:
        w, a, _ = _shaped(u, alpha, 0.3)
        W, ends = flow(w, a, X, y, [0.0, 100.0])
        kernels = [b[0] ** 2 * X @ X.T + np.outer(X @ v[0], X @ v[0]) for v, b in zip(W, ends, strict=True)]
        found.append(np.linalg.norm(kernels[1] - kernels[0]) / np.linalg.norm(kernels[0]) ** power)
    return Evidence.slope(alphas, found, -1.0)


@claim(
    SOURCE,
    "section 6, after theorem 3",
    "from a vanishing initialization the tangent kernel does not stay: its relative change grows without bound",
    tolerance=0.02,
    why="an exponent: it ends at a fixed size and starts in proportion to α; next order √α",
)
def anti_kernel_moves(setup: Setup) -> Any:
    return _growth(setup)


@anti_kernel_moves.breaks("the change itself, which tends to a constant")
def the_change_itself(setup: Setup) -> Any:
    return _growth(setup, power=0)


def _far(setup: Setup, bounded: bool, part: float = 1.0) -> tuple[np.ndarray, list[float], list[float]]:
    """α → ∞ at s = 0.2: how far a neuron stops from the Mahalanobis minimiser, relative to its way, and how much its
    kernel changes. `bounded`: the labels are the outputs at the start but for a residual of length 1.5."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    # half in what the data see, so that the outputs at the start grow with α, and half not
    u = unit(unit(np.linalg.pinv(X) @ y) + unit(unseen(X) @ rng.normal(size=X.shape[1])))
    alphas, off, changes = np.array([100.0, 200.0, 400.0, 800.0]), [], []
    for alpha in alphas:
        w, a, B = _shaped(u, alpha, 0.2)
        spread = np.linalg.inv(np.eye(len(u)) + part * (B - np.eye(len(u))))
        labels = y + a * X @ w if bounded else y
        W, ends = flow(w, a, X, labels, [60.0 / alpha])
        way = ends[-1, 0] * W[-1, 0] - a * w
        lazy = spread @ X.T @ np.linalg.solve(X @ spread @ X.T, labels - a * X @ w)
        off.append(float(np.linalg.norm(way - lazy) / np.linalg.norm(way)))
        change = (ends[-1, 0] ** 2 - a**2) * np.eye(len(u)) + np.outer(W[-1, 0], W[-1, 0]) - np.outer(w, w)
        changes.append(float(np.linalg.norm(change)))
    return alphas, off, changes


def _far_off(setup: Setup, bounded: bool, part: float = 1.0) -> Evidence:
    alphas, off, _ = _far(setup, bounded, part)
    return Evidence.slope(alphas, off, -1.0)


def _far_kernel(setup: Setup, bounded: bool, power: int = 1) -> Evidence:
    alphas, _, changes = _far(setup, bounded)
    return Evidence.slope(alphas, changes / alphas**power, -1.0)


@claim(
    SOURCE,
    "section 7.2 and appendix F.2.1",
    "as α → ∞ at fixed 0 ≤ s < 1 a neuron stops at argmin (w − w̃(0))ᵀB(w − w̃(0)) over Xᵀw = y",
    tolerance=0.05,
    why="an exponent: the relative distance is the residual over α; next order 1e-2",
    verdict=Verdict.CORRECTED,
    remark="only if y − Xᵀw̃(0) stays bounded: at fixed y the way to go grows with α, the third order is as large "
    "as the second, which (26) forgets, and the relative distance stays",
)
def lazy_scale(setup: Setup) -> Any:
    return _far_off(setup, True)


@lazy_scale.printed
def lazy_scale_as_printed(setup: Setup) -> Any:
    return _far_off(setup, False)


@lazy_scale.breaks("B = I although s < 1")
def b_is_i_although_s_below_1(setup: Setup) -> Any:
    return _far_off(setup, True, part=0.0)


@claim(
    SOURCE,
    "section 7.2",
    "as α → ∞ at fixed 0 ≤ s < 1 the tangent kernel of a neuron is fixed during training",
    tolerance=0.05,
    why="an exponent: the relative change is the residual over α; next order 1e-2",
    verdict=Verdict.CORRECTED,
    remark="only if y − Xᵀw̃(0) stays bounded (or is small compared with α): at fixed y the relative change stays",
)
def lazy_scale_kernel(setup: Setup) -> Any:
    return _far_kernel(setup, True)


@lazy_scale_kernel.printed
def lazy_scale_kernel_as_printed(setup: Setup) -> Any:
    return _far_kernel(setup, False)


@lazy_scale_kernel.breaks("the change itself, not relative to the kernel, which grows as α")
def lazy_scale_kernel_the_change_itself(setup: Setup) -> Any:
    return _far_kernel(setup, True, power=0)


def _upstream(setup: Setup, centred: bool) -> Evidence:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    u, gaps, found = unit(rng.normal(size=X.shape[1])), np.array([0.04, 0.02, 0.01]), []
    for gap in gaps:
        w, a, _ = _shaped(u, 1.0, 1 - gap)
        start = a * w if centred else 0 * w
        found.append(neuron_end(w, a, X, y, 40.0 * gap) - start - np.linalg.pinv(X) @ (y - X @ start))
    return Evidence.slope(gaps, np.linalg.norm(np.array(found), axis=1), 2.0)


@claim(
    SOURCE,
    "section 7.2 and appendix F.2.2",
    "as s → 1 at fixed α a neuron stops at the interpolator nearest to w̃(0)",
    tolerance=0.05,
    why="an exponent: the distance falls as (1 − s)²; next order 0.02",
)
def lazy_neuron_shape(setup: Setup) -> Any:
    return _upstream(setup, True)


@lazy_neuron_shape.breaks("the interpolator nearest to zero")
def the_interpolator_nearest_to_zero(setup: Setup) -> Any:
    return _upstream(setup, False)
