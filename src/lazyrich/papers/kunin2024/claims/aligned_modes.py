"""Appendix B.1.7: the singular values of β from isotropic starts, a mirror flow; unit rates."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    FLOW,
    SIZES,
    UNIT,
    Array,
    data,
    modes,
    orthonormal,
    velocity,
)
from lazyrich.papers.oracles import flows
from lazyrich.papers.oracles.derivatives import rate
from lazyrich.papers.verdicts import Verdict

Case = tuple[int, int, int, float]  # d, h, c, δ


def _mode_data(rng: np.random.Generator, W: Array, A: Array) -> tuple[Array, Array]:
    """Draw data whose solution is near β, so that singular values neither meet nor vanish."""
    X, noise = data(rng, W.shape[1], A.shape[1])
    return X, X @ W.T @ A + 0.2 * noise


def _pull(W: Array, A: Array, X: Array, Y: Array) -> tuple[Array, Array]:
    """Return the singular values of β, and ∂L/∂λ_i = u_iᵀXᵀ(Xβ − Y)v_i."""
    U, sigma, Vt = np.linalg.svd(W.T @ A, full_matrices=False)
    return sigma, np.einsum("di,dc,ic->i", U, X.T @ (X @ W.T @ A - Y), Vt)


def _slope_of_singular_values(path: Callable[[float], Array]) -> Array:
    """Return the derivative of the singular values at s = 0, by fourth-order differences."""

    def slope(step: float) -> Array:
        ahead, behind = (np.linalg.svd(path(s), compute_uv=False) for s in (step, -step))
        return (ahead - behind) / (2 * step)

    return (4 * slope(1e-3) - slope(2e-3)) / 3


@claim(
    "kunin2024",
    "appendix B.1.7",
    "A singular value of any moving matrix β obeys $σ̇ = uᵀβ̇v$",
    quote=r"For a matrix $\beta$, the dynamics of one of its singular values are given by $\dot{\sigma} = u^\intercal "
    r"\dot{\beta} v$, where $u$ and $v$ are the corresponding left and right singular vectors.",
    tolerance=1e-8,
    why="singular values differentiated by differences of fourth order, step 1e-3",
)
def singular_value_speed(setup: Setup, sides: int = 1) -> Any:
    rng = setup.rng
    U, V = orthonormal(rng, 4, 3), orthonormal(rng, 3, 3)
    beta, moves = U * np.array([3.0, 2.0, 1.0]) @ V.T, rng.normal(size=(4, 3))
    stated = [
        singular_value_speed.formula.right({"u": U[:, [i]], "β̇": sides * moves, "v": V[:, [i]]})[0, 0] for i in range(3)
    ]
    return _slope_of_singular_values(lambda s: beta + s * moves), stated


singular_value_speed.breaks("counted once for each side", sides=2)


@singular_value_speed.proof("two rows and columns, in the basis of the singular vectors: implicit differentiation")
def singular_values_move(spoiled: bool) -> Any:
    from sympy import Matrix, diff, eye, symbols

    s, t, *g = symbols("s t g:4")
    one, two = symbols("sigma_1 sigma_2", positive=True)
    beta = Matrix([[one + t * g[0], t * g[1]], [t * g[2], two + t * g[3]]])
    polynomial = (beta.T * beta - s**2 * eye(2)).det()  # zero at s = σ_i(t)
    speed = -(diff(polynomial, t) / diff(polynomial, s)).subs({t: 0, s: one})
    return speed, g[1] if spoiled else g[0]


@claim(
    "kunin2024",
    "lemma 10",
    "If Δ = δ I_h, the singular values of β obey $λ̇_i = −√(δ² + 4λ_i²) ∂L/∂λ_i$ for i ≤ min(d, h, c), and "
    "the others stay zero",
    quote=r"Let $\Delta = \delta \mathbf{I}_h$. We then have that $\dot{\lambda} = -M \nabla_\lambda \mathcal{L}$, "
    r"where "
    r"$M \in \mathbb{R}^{\min(d, c) \times \min(d, c)}$ is a diagonal matrix with $$\begin{aligned} M_{ii} = "
    r"\begin{cases} \sqrt{\delta^2 + 4 \lambda_{i}^2} & i \leq \min(d, h, c) \\ 0 & \mathrm{otherwise} \end{cases}",
    tolerance=1e-7,
    why="singular values differentiated by differences of fourth order, step 1e-3",
)
def lemma_10(setup: Setup, isotropic: bool = True) -> Any:
    measured, predicted = [], []
    for d, h, c, delta in ((4, 2, 3, 1.5), (3, 3, 2, -1.5), (2, 3, 3, 1.5)):
        rng = setup.rng
        W, A = modes(rng, d, h, c, (2.0, 1.0), delta, UNIT)
        if not isotropic:
            A, W = A * np.linspace(0.5, 1.5, h)[:, None], W / np.linspace(0.5, 1.5, h)[:, None]
        X, Y = _mode_data(rng, W, A)
        dW, dA = velocity(W, A, X, Y, UNIT)
        sigma, pull = _pull(W, A, X, Y)
        moving = np.arange(min(d, c)) < min(d, h, c)
        path = _slope_of_singular_values(lambda s, W=W, A=A, dW=dW, dA=dA: (W + s * dW).T @ (A + s * dA))  # type: ignore[misc]
        measured.append(path)
        speeds = lemma_10.formula.right({"δ": delta, "λ_i": sigma, "∂L/∂λ_i": pull})
        predicted.append(np.where(moving, speeds, 0.0))
    return np.concatenate(measured), np.concatenate(predicted)


lemma_10.breaks("Δ not isotropic", isotropic=False)


@lemma_10.proof("h = 2, in the basis of the singular vectors, λ_i through s_i = (Σ_W²)_ii; any gradient")
def diagonal_preconditioner(spoiled: bool) -> Any:
    from sympy import Matrix, diag, sqrt, symbols

    s = symbols("s_1 s_2", positive=True)
    delta, G = symbols("delta", positive=True), Matrix(2, 2, symbols("g:4"))
    inner, outer = diag(*s), diag(*(each + delta for each in s))  # WᵀW and AᵀA
    moves = -(G * outer + inner * G)
    left, right = [], []
    for i, each in enumerate(s):
        M = 2 * each + (0 if spoiled else delta)  # √(δ² + 4λ²), positive
        printed = lemma_10.formula.right({"δ": delta, "λ_i": sqrt(each * (each + delta)), "∂L/∂λ_i": 1})
        left += [M**2, -M * G[i, i]]
        right += [printed**2, moves[i, i]]
    return left, right


@claim(
    "kunin2024",
    "lemma 10, proof",
    "Under Δ = I_h, as the lemma supposes, AᵀA and WᵀW have the right and left singular vectors of β as eigenvectors",
    quote=r"using the fact that, under $\Delta = \mathbf{I}_h$, the eigenvectors of $A^\intercal A$ are the right "
    r"singular vectors of $\beta$ and the eigenvectors of $W^\intercal W$ are the left singular vectors of $\beta$.",
    tolerance=1e-9,
    why="algebra in double precision",
    verdict=Verdict.CORRECTED,
    remark="Δ = δI_h: the lemma is of any δ, and so is this",
)
def lemma_10_hypothesis(setup: Setup, said: Callable[[float], float] = lambda delta: delta, bent: float = 0.0) -> Any:
    """Δ, and what of AᵀA and WᵀW is off the diagonal in the bases of β; `bent` makes Δ not isotropic."""
    measured, predicted = [], []
    for d, h, c, delta in ((4, 2, 3, 1.5), (3, 3, 2, -1.5), (2, 3, 3, 1.5)):
        W, A = modes(setup.rng, d, h, c, (2.0, 1.0), delta, UNIT)
        A = A * (1 + bent * np.arange(h))[:, None]
        U, _, Vt = np.linalg.svd(W.T @ A, full_matrices=False)
        across = [G - np.diag(np.diag(G)) for G in (Vt @ A.T @ A @ Vt.T, U.T @ W.T @ W @ U)]
        measured += [*(A @ A.T - W @ W.T).ravel(), *np.ravel(across)]
        predicted += [*(said(delta) * np.eye(h)).ravel(), *np.zeros(np.size(across))]
    return measured, predicted


lemma_10_hypothesis.printed(said=lambda delta: 1.0)
lemma_10_hypothesis.breaks("Δ not isotropic", bent=0.3)


@claim(
    "kunin2024",
    "lemma 10, proof",
    "If h < min(d, c), then M_ii = (Σ_A²)_ii + (Σ_W²)_ii = 0 for i > min(d, c)",
    quote=r"If $h < \min(d, c)$ then $M_{ii} = 0$ for $i > \min(d, c)$ accounting for rank deficiency of both $A$ and "
    r"$W$ in this case.",
    tolerance=1e-9,
    why="algebra in double precision",
    verdict=Verdict.CORRECTED,
    remark="for i > h, as the lemma says (M has min(d, c) rows; up to h it is √(δ² + 4λ_i²))",
)
def lemma_10_deficiency(setup: Setup, last: Callable[[int, int, int], int] = lambda d, h, c: h) -> Any:
    """M_ii in the bases of β; up to the `last` it is √(δ² + 4λ_i²)."""
    measured, predicted = [], []
    for d, h, c, delta in ((4, 2, 3, 1.5), (3, 2, 4, -1.5)):
        W, A = modes(setup.rng, d, h, c, (2.0, 1.0), delta, UNIT)
        U, sigma, Vt = np.linalg.svd(W.T @ A, full_matrices=False)
        measured += [*(np.diag(Vt @ A.T @ A @ Vt.T) + np.diag(U.T @ W.T @ W @ U))]
        predicted += [*np.where(np.arange(min(d, c)) < last(d, h, c), np.sqrt(delta**2 + 4 * sigma**2), 0.0)]
    return measured, predicted


lemma_10_deficiency.printed(last=lambda d, h, c: min(d, c))
lemma_10_deficiency.breaks("zero from the second on", last=lambda d, h, c: 1)


def _entropy(x: Any, delta: float) -> Any:
    """Return the hyperbolic entropy q_δ as printed."""
    root = np.sqrt(4 * x**2 + delta**2)
    return (2 * x * np.arcsinh(2 * x / abs(delta)) - root + abs(delta)) / 4


@claim(
    "kunin2024",
    "theorem 11",
    "If Δ = δ I_h, h ≥ min(d, c) and δ ≠ 0 (unit rates), λ follows the mirror flow of Σ q_δ(λ_i), q_δ the "
    "hyperbolic entropy",
    quote=r"Let $\Delta = \delta \mathbf{I}_h$ and assume $h \geq \min(d, c)$ and $\delta \ne 0$. … $$\dot{\lambda} = "
    r"-\left( \nabla^2 \Phi_\delta(\lambda) \right)^{-1} \nabla_{\lambda} \mathcal{L},$$ where $\Phi_\delta(\lambda) = "
    r"\sum_{i=1}^{\min(d, c)} q_\delta(\lambda_{i})$ and $q_\delta$ is the hyperbolic entropy potential $$q_\delta(x) "
    r"= "
    r"\frac{1}{4}\left(2x \sinh^{-1}\left(\frac{ 2x}{|\delta|}\right) - \sqrt{ 4x^2 + \delta^2} + |\delta|\right).$$",
    tolerance=1e-7,
    why="flow at rtol 1e-12, integrals by Gauss's rule with 16 nodes",
)
def theorem_11(setup: Setup, used: float = 1.0) -> Any:
    """The change of ∇Φ(λ), and −∫∇_λL dt by Gauss's rule."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    times = np.concatenate([[0.0], 0.15 * (nodes + 1), [0.3]])
    change, integral = [], []
    cases: Sequence[Case] = ((3, 3, 2, -1.5), (2, 3, 3, 1.5), (4, 2, 2, -0.5))
    for d, h, c, delta in cases:
        rng = setup.rng
        W, A = modes(rng, d, h, c, (2.0, 1.0), delta, UNIT)
        X, Y = _mode_data(rng, W, A)
        Ws, As = flows.deep_linear([W, A.T], X, Y, times, UNIT)
        sigmas, pulls = zip(*(_pull(W, A.T, X, Y) for W, A in zip(Ws, As, strict=True)), strict=True)
        dual = [rate(partial(_entropy, delta=used * delta), sigmas[i], 1.0) for i in (0, -1)]
        change.append(dual[1] - dual[0])
        integral.append(-0.15 * weights @ np.stack(pulls[1:-1]))
    return np.concatenate(change), np.concatenate(integral)


theorem_11.breaks("q_δ with 2δ", used=2.0)


@theorem_11.proof("from lemma 10, which is proved at h = 2: q_δ″ = 1/√(δ² + 4x²), the inverse of its M_ii")
def second_derivative_of_the_entropy(spoiled: bool) -> Any:
    from sympy import asinh, diff, sqrt, symbols

    x, delta = symbols("x delta", positive=True)  # |δ|
    factor = 1 if spoiled else 2
    q = (2 * x * asinh(factor * x / delta) - sqrt(4 * x**2 + delta**2) + delta) / 4
    return diff(q, x, 2), 1 / sqrt(delta**2 + 4 * x**2)


@claim(
    "kunin2024",
    "section 4 and appendix B.1.7",
    "q_δ goes from an ℓ1 penalty ($2q_δ/ln(1/|δ|) → |x|$ as δ → 0) to an ℓ2 penalty ($2|δ|q_δ → x²$ as |δ| → ∞)",
    quote=r"Termed *hyperbolic entropy*, this potential smoothly interpolates between an $\ell^1$ and $\ell^2$ "
    r"penalty on "
    r"the singular values for the rich ($\delta \to 0$) and lazy ($\delta \to \pm \infty$) regimes respectively.",
    tolerance=0.05,
    why="exponents −1 in ln(1/|δ|), |δ| from 1e-20 to 1e-160, and −2 in |δ|, from 10 to 300",
)
def entropy_limits(setup: Setup, power: float = 1.0) -> Evidence:
    x = setup.rng.uniform(0.5, 2.0, 3)
    tiny = 10.0 ** -np.array([20, 40, 80, 160])
    log = np.log(1 / tiny)

    def gap(index: int, size: float) -> float:
        names = {"q_δ": _entropy(x, size), "|δ|": size, "|x|": x**power, "x": x ** ((3 - power) / 2)}
        return float(np.linalg.norm(np.subtract(*entropy_limits.formulas[index].sides(names))))

    rich, lazy = [gap(0, size) for size in tiny], [gap(1, size) for size in SIZES]
    return Evidence.worst(Evidence.slope(log, rich, -1.0), Evidence.slope(SIZES, lazy, -2.0))


entropy_limits.breaks("ℓ1 and ℓ2 exchanged", power=2.0)


@entropy_limits.proof("any x > 0, both limits; asinh as a logarithm", general=True)
def limits_of_the_entropy(spoiled: bool) -> Any:
    from sympy import expand_log, limit, log, oo, sqrt, symbols

    x, size = symbols("x size", positive=True)
    root = sqrt(4 * x**2 + size**2)
    q = (2 * x * (log(2 * x + root) - log(size)) - root + size) / 4
    names = {"q_δ": q, "|δ|": size, "|x|": x**2 if spoiled else x, "x": x}
    (rich, one), (lazy, two) = entropy_limits.sides(names)
    return [limit(expand_log(rich), size, 0, "+"), limit(lazy, size, oo)], [one, two]


@claim(
    "kunin2024",
    "appendix B.1.7",
    "On white inputs, from singular vectors that are those of β*: they stay, each singular value goes its own way, and "
    "the end does not depend on δ",
    quote=r"we can ensure that the singular vectors remain constant and thus derive an inductive bias on the singular "
    r"values. However, in this setting the dynamics decouple completely, implying there is no difference between "
    r"applying "
    r"an $\ell^1$ or $\ell^2$ penalty on the singular values. Consequently, even though the dynamics will depend on "
    r"$\delta$, the final interpolating solution will be independent of $\delta$",
    tolerance=1e-7,
    why=FLOW + ", to t = 60, when the slowest mode has decayed below 1e-10",
)
def aligned_start(setup: Setup, turn: float = 0.0) -> Any:
    """Uᵀβ(t)V off its diagonal early on, and β at the end, for each δ; `turn` mixes the first two columns of β*'s U."""
    early, ends, target = [], [], np.array([2.0, 0.5])
    for delta in (-2.0, -0.3, -0.01):
        rng = setup.rng
        W, A = modes(rng, 3, 3, 2, (1.0, 0.3), delta, UNIT)
        U, _, Vt = np.linalg.svd(W.T @ A)
        c, s = np.cos(turn), np.sin(turn)
        goal = U @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])[:, :2] * target @ Vt
        Ws, As = flows.deep_linear([W, A.T], np.eye(3), goal, [0.3, 60.0], UNIT)
        inside = U.T @ Ws[0].T @ As[0].T @ Vt.T
        early.append(inside - np.pad(np.diag(np.diag(inside)), ((0, 1), (0, 0))))
        ends.append(U.T @ Ws[1].T @ As[1].T @ Vt.T)
    end = np.pad(np.diag(target), ((0, 1), (0, 0)))
    return np.stack([*early, *ends]), np.stack([*[np.zeros((3, 2))] * 3, *[end] * 3])


aligned_start.breaks("singular vectors that are not those of β*", turn=0.5)
