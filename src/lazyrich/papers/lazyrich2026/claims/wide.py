"""Wide two-layer linear networks: an equation of the predictor alone, for any data and any loss."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import expm, sqrtm

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode
from lazyrich.papers.oracles.matrices import frame, spectral
from lazyrich.papers.verdicts import Verdict

PLACE = "wide networks"
TIMES = np.array([0.0, 0.2, 0.7, 2.0])
RAW = "both flows are integrated by SciPy at rtol 1e-12"
D, C = 4, 3  # inputs and outputs
Slope = Callable[[np.ndarray], np.ndarray]  # ∂L/∂A of the predictor A = W₂W₁


class Start(NamedTuple):
    """A network in orthogonal blocks, and the gradient of a logistic loss on random data."""

    W1: np.ndarray
    W2: np.ndarray
    slope: Slope
    s: float
    e: float


def draw(rng: np.random.Generator, c1: float, c2: float, h: int = 9, bend: float = 0.0) -> Start:
    P = frame(rng, h, h)
    X, y = rng.normal(size=(12, D)), np.sign(rng.normal(size=(12, C)))
    W1 = np.sqrt(c1) * P[:, :D] + bend * rng.normal(size=(h, D))

    def slope(A: np.ndarray) -> np.ndarray:
        return (-y / (1 + np.exp(y * (X @ A.T)))).T @ X / 4

    return Start(W1, np.sqrt(c2) * P[:, D : D + C].T, slope, (c1 + c2) / 2, (c2 - c1) / 2)


def raw_flow(start: Start, kappa: float = 0.0, times: np.ndarray = TIMES) -> tuple[np.ndarray, np.ndarray]:
    """Return W₁ and W₂ along time, from their own equations, with weight decay κ."""
    W1, W2 = start.W1, start.W2

    def field(z: np.ndarray) -> np.ndarray:
        A, B = z[: W1.size].reshape(W1.shape), z[W1.size :].reshape(W2.shape)
        g = start.slope(B @ A)
        return -np.concatenate([(B.T @ g).ravel(), (g @ A.T).ravel()]) - kappa * z

    path = ode(field, np.concatenate([W1.ravel(), W2.ravel()]), times)
    return path[:, : W1.size].reshape(-1, *W1.shape), path[:, W1.size :].reshape(-1, *W2.shape)


def root(A: np.ndarray, s: Any) -> np.ndarray:
    """Return √(AAᵀ + s²)."""
    out: np.ndarray = np.real(sqrtm(A @ A.T + s**2 * np.eye(len(A))))
    return out


def predictor_flow(slope: Slope, scale: Callable[[float], Any], kappa: float = 0.0) -> np.ndarray:
    """Return A along time, from Ȧ = −√(AAᵀ + s²)∇L − ∇L√(AᵀA + s²) − 2κA with s = scale(t)."""

    def field(z: np.ndarray) -> np.ndarray:
        A, s = z[1:].reshape(C, D), scale(z[0])
        g = slope(A)
        names = {"A": A, "s": s, "∇L": g, "I": np.eye(C), "I′": np.eye(D)}
        return np.append(1.0, predictor_equation.formula.right(names) - 2 * kappa * A)

    return ode(field, np.zeros(1 + C * D), TIMES)[:, 1:].reshape(-1, C, D)


@claim(
    "lazyrich2026",
    PLACE,
    "from QᵀQ = diag(c₂I, c₁I) the predictor of the raw flow follows $Ȧ = −√(AAᵀ + s²I)∇L − ∇L√(AᵀA + s²I′)$, s = "
    "(c₁ + c₂)/2",
    quote="the predictor A = W₂W₁ follows Ȧ = −√(AAᵀ + s²)∇L − ∇L√(AᵀA + s²) with s = (c₁ + c₂)/2, on any data with "
    "any differentiable loss",
    tolerance=1e-8,
    why=RAW,
)
def predictor_equation(setup: Setup, mean: float = 0.5, bend: float = 0.0) -> Any:
    """A logistic loss, for four pairs of scales."""
    pairs = []
    for c1, c2 in ((1.7, 0.3), (0.3, 1.7), (0.9, 0.9), (0.05, 0.0)):
        start = draw(setup.rng, c1, c2, bend=bend)
        W1, W2 = raw_flow(start)
        pairs.append((W2 @ W1, predictor_flow(start.slope, partial(np.polyval, [mean * (c1 + c2)]))))
    measured, predicted = zip(*pairs, strict=True)
    return np.stack(measured), np.stack(predicted)


predictor_equation.breaks("s = c₁ + c₂", mean=1.0)
predictor_equation.breaks("layers not in orthogonal blocks", bend=0.1)


@predictor_equation.proof("c = d = 2, any QᵀQ and any gradient: the relation is conserved", whole=False)
def the_relation_is_conserved(spoilt: bool) -> Any:
    """With G = QᵀQ, Ġ = RG + GR and J = diag(I, −I): where GJG = 2eG + c₁c₂J, its derivative keeps it so."""
    from sympy import Matrix, diag, symbols, zeros

    g = Matrix(2, 2, symbols("g:4"))
    entries = symbols("q:10")
    G = Matrix(4, 4, lambda i, j: entries[min(i, j) * (7 - min(i, j)) // 2 + max(i, j)])
    R = -Matrix.vstack(Matrix.hstack(zeros(2, 2), g), Matrix.hstack(g.T, zeros(2, 2)))
    J, (e, c1, c2) = diag(1, 1, -1, -1), symbols("e c1 c2")
    defect = G * J * G - 2 * e * G - c1 * c2 * J
    moved = R * G + G * R
    change = moved * J * G + G * J * moved - 2 * e * moved
    # The defect follows a linear equation, so that zero stays zero.
    return (change - (R * defect + defect * R) * (2 if spoilt else 1)).expand(), zeros(4, 4)


@claim(
    "lazyrich2026",
    PLACE,
    "along the raw flow $W₂W₂ᵀ = eI + √(AAᵀ + s²I)$ and $W₁ᵀW₁ = −eI′ + √(AᵀA + s²I′)$, e = (c₂ − c₁)/2",
    quote="W₂W₂ᵀ = e + √(AAᵀ + s²) and W₁ᵀW₁ = −e + √(AᵀA + s²) with e = (c₂ − c₁)/2, so that the tangent kernel is a "
    "function of A",
    tolerance=1e-8,
    why="the raw flow, integrated by SciPy at rtol 1e-12",
)
def grams_from_the_predictor(setup: Setup, sign: float = 1.0) -> Any:
    start = draw(setup.rng, 1.3, 0.4)
    W1, W2 = raw_flow(start)
    names, pairs = {"s": start.s, "e": sign * start.e, "I": np.eye(C), "I′": np.eye(D)}, []
    for W, V in zip(W1, W2, strict=True):
        pairs += grams_from_the_predictor.sides(names | {"W₁": W, "W₂": V, "A": V @ W})
    left, right = zip(*pairs, strict=True)
    return np.concatenate([np.ravel(each) for each in left]), np.concatenate([np.ravel(each) for each in right])


grams_from_the_predictor.breaks("e of the other sign", sign=-1.0)


@claim(
    "lazyrich2026",
    PLACE,
    "with the same decay κ of both layers: the same equation with $s(t) = s₀e^{−2κt}$, and −2κA",
    quote="If both layers decay at the rate κ, the scale runs down, s(t) = s₀e^{−2κt}, and −2κA is added",
    tolerance=1e-8,
    why=RAW,
)
def decay_runs_the_scale_down(setup: Setup, pace: float = 1.0) -> Any:
    start, kappa = draw(setup.rng, 1.1, 0.5), 0.3
    W1, W2 = raw_flow(start, kappa)

    def scale(t: float) -> Any:
        return decay_runs_the_scale_down.formula.right({"s₀": start.s, "κ": pace * kappa, "t": t})

    return W2 @ W1, predictor_flow(start.slope, scale, kappa)


decay_runs_the_scale_down.breaks("s(t) = s₀e^{−κt}", pace=0.5)


def apply_adjoint_function(M: np.ndarray, X: np.ndarray, f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return f(ad_M)X of a symmetric M, in its eigenvectors."""
    values, V = np.linalg.eigh(M)
    out: np.ndarray = V @ (f(values[:, None] - values) * (V.T @ X @ V)) @ V.T
    return out


def coth_factor(x: np.ndarray) -> np.ndarray:
    safe = np.where(x == 0, 1.0, x)
    return np.where(x == 0, 1.0, safe / np.tanh(safe))


@claim(
    "lazyrich2026",
    PLACE,
    "Q = Q₀Ke^M with Ṁ = (x coth x)Γ, K̇ = K (tanh x/2)Γ, x = ad_M, is the raw flow, hidden units included",
    quote="Q = Q₀Ke^M with Ṁ = (x coth x)Γ and K̇ = K (tanh x/2)Γ, where x = ad_M, Γ = −[[0, ∇L], [∇Lᵀ, 0]] and K = "
    "diag(K₂, K₁) is orthogonal",
    tolerance=1e-8,
    why=RAW,
)
def exponential_coordinates(
    setup: Setup, even: Any = coth_factor, turn: Any = lambda x: np.tanh(x / 2)
) -> tuple[np.ndarray, np.ndarray]:
    start, n = draw(setup.rng, 1.3, 0.4), C + D
    W1, W2 = raw_flow(start)
    Q0 = np.hstack([start.W2.T, start.W1])

    def field(z: np.ndarray) -> np.ndarray:
        M, K = z.reshape(2, n, n)
        A = start.s * spectral(lambda m: np.sinh(2 * m), M)[:C, C:]
        G = np.zeros((n, n))
        G[:C, C:] = -start.slope(A)
        G += G.T
        return np.stack([apply_adjoint_function(M, G, even), K @ apply_adjoint_function(M, G, turn)])

    path = ode(field, np.stack([np.zeros((n, n)), np.eye(n)]), TIMES)
    measured = [Q0 @ K @ expm(M) for M, K in path]
    return np.concatenate([W2.swapaxes(1, 2), W1], axis=2), np.stack(measured)


exponential_coordinates.breaks("Ṁ = Γ, which holds where M and Γ commute", even=np.ones_like)
exponential_coordinates.breaks("hidden units that do not turn", turn=np.zeros_like)


@claim(
    "lazyrich2026",
    PLACE,
    "on whitened data with target Σ, H = G − [[eI, Σ], [Σᵀ, −eI]] obeys Ḣ = s² + [[ΣΣᵀ, 0], [0, ΣᵀΣ]] − H², from any "
    "point of the manifold",
    quote="On whitened data with target T, the Gram matrix G of Q is H + [[eI, T], [Tᵀ, −eI]] with Ḣ = K² − H² and "
    "K² = s² + diag(TTᵀ, TᵀT), whatever the predictor at the start",
    tolerance=1e-8,
    why="the raw flow at rtol 1e-12; the Riccati equation by the matrix exponential of its linear system",
)
def whitened_riccati(setup: Setup, factor: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """From a start with a predictor that is not aligned with the target."""
    rng = setup.rng
    start, target, n = draw(rng, 1.3, 0.4), rng.normal(size=(C, D)), C + D
    moved = np.zeros((n, n))
    moved[:C, C:] = 0.4 * rng.normal(size=(C, D))
    Q = np.hstack([start.W2.T, start.W1]) @ expm(moved + moved.T)
    start = start._replace(W1=Q[:, C:], W2=Q[:, :C].T, slope=lambda A: A - target)
    W1, W2 = raw_flow(start)
    path = np.concatenate([W2.swapaxes(1, 2), W1], axis=2)
    G = path.swapaxes(1, 2) @ path
    shift = np.block([[start.e * np.eye(C), target], [target.T, -start.e * np.eye(D)]])
    square = np.zeros((n, n))
    square[:C, :C], square[C:, C:] = target @ target.T, target.T @ target
    square += factor * start.s**2 * np.eye(n)
    # H = U̇U⁻¹ with Ü = K²U
    linear = np.block([[np.zeros((n, n)), np.eye(n)], [square, np.zeros((n, n))]])
    measured = []
    for t in TIMES:
        U = expm(t * linear) @ np.vstack([np.eye(n), G[0] - shift])
        measured.append(U[n:] @ np.linalg.inv(U[:n]) + shift)
    return G, np.stack(measured)


whitened_riccati.breaks("2s² in place of s²", factor=2.0)


@claim(
    "lazyrich2026",
    PLACE,
    "from c₂ = 0 it is the flow of Varre et al. (2023) with γ = s, and ends at X⁺Y as from every other (c₁, c₂)",
    quote="From c₂ = 0 it is the flow of Varre et al. (2023), γ = s; for the square loss it ends at the minimum-norm "
    "solution from every c₁ and c₂",
    tolerance=1e-8,
    why="flows at rtol 1e-12, until the slowest mode is below rounding",
)
def varre_is_a_special_case(setup: Setup, second: float = 0.9, bend: float = 0.0) -> Evidence:
    """W₁W₁ᵀ in their notation is γ + √(ββᵀ + γ²) along the flow from W₁ = √(2γ)P; and the ends from three pairs."""
    rng, gamma = setup.rng, 0.35
    X = np.diag([1.6, 1.1, 0.8]) @ frame(rng, D, D)[:3]
    Y = rng.normal(size=(3, C))
    best = (np.linalg.pinv(X) @ Y).T

    def from_scales(c1: float, c2: float) -> Start:
        return draw(rng, c1, c2, bend=bend)._replace(slope=lambda A: (X @ A.T - Y).T @ X)

    W1, W2 = raw_flow(from_scales(2 * gamma, 0.0))
    theirs = [gamma * np.eye(D) + root((V @ W).T, gamma) for V, W in zip(W2, W1, strict=True)]
    ends = [raw_flow(from_scales(c1, c2), times=np.array([60.0])) for c1, c2 in ((0.7, 0.0), (0.5, second), (0.0, 1.2))]
    return Evidence.worst(
        Evidence.equal(W1.swapaxes(1, 2) @ W1, theirs),
        *(Evidence.equal((V @ W)[-1], best) for W, V in ends),
    )


varre_is_a_special_case.breaks("layers not in orthogonal blocks", bend=0.1)


@claim(
    "lazyrich2026",
    PLACE,
    "h Gaussian hidden units of variances c₁/h and c₂/h approach this flow as h^{−1/2}",
    quote="A Gaussian start of h hidden units, with variances c₁/h and c₂/h, approaches it as h^{−1/2}",
    tolerance=0.05,
    why="an exponent, from the root mean square over 40 draws at each of four widths",
    verdict=Verdict.CONJECTURED,
    remark="the exponent is that of the law of large numbers for QᵀQ at the start; a bound that holds for all times is "
    "not proved",
)
def gaussian_start(setup: Setup, power: float = 0.5) -> Evidence:
    """The flow of G = QᵀQ has no h in it, so that large widths cost nothing."""
    rng, times = setup.rng, np.array([0.0, 0.7])
    task, widths = draw(rng, 1.0, 0.6), np.array([200, 800, 3200, 12800])
    ideal = predictor_flow(task.slope, lambda t: 0.8)
    target, n = ideal[2], C + D

    def gap(h: int) -> float:
        Q = rng.normal(size=(h, n)) * np.sqrt(np.repeat([0.6, 1.0], [C, D]) * float(h) ** (-2 * power))

        def field(G: np.ndarray) -> np.ndarray:
            R = np.zeros((n, n))
            R[:C, C:] = -task.slope(G[:C, C:])
            R += R.T
            return R @ G + G @ R

        G = ode(field, Q.T @ Q, times, rtol=1e-8)[-1]
        return float(np.mean((G[:C, C:] - target) ** 2))

    values = [np.sqrt(np.mean([gap(int(h)) for _ in range(40)])) for h in widths]
    return Evidence.slope(widths, values, -0.5)


gaussian_start.breaks("variances c/h^{1.1}", power=0.55)
