"""Varre et al. 2023, On the spectral bias of two-layer linear networks: the flow from W₁ = √(2γ)P, W₂ = 0."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from lazyrich.claims.claim import Evidence, Setup, claim
from lazyrich.claims.oracle import deep_linear, ode

TIMES = np.array([0.0, 0.3, 0.8, 1.5, 3.0])
LATE = np.array([0.0, 40.0])  # e^{−40 · 0.8} is below rounding: the slowest rate of the set-ups below is above 0.8
FLOW = "flows at rtol 1e-12"


class Task(NamedTuple):
    """Data with β* = X⁺Y, and the start √(2γ)P with PPᵀ = I."""

    X: np.ndarray
    Y: np.ndarray
    P: np.ndarray
    gamma: float
    best: np.ndarray


def _orthogonal(rng: np.random.Generator, n: int) -> np.ndarray:
    Q: np.ndarray = np.linalg.qr(rng.normal(size=(n, n)))[0]
    return Q


def _task(rng: np.random.Generator, d: int = 4, n: int = 3, k: int = 2, l: int = 6, white: bool = False) -> Task:  # noqa: E741
    """Random data of condition 2 (1 if white), and singular values of β* in [0.9, 1.1] and, if k = 2, in [1.8, 2.2]."""
    n = d if white else n
    rows = _orthogonal(rng, d)[:, :n]
    X = _orthogonal(rng, n) @ np.diag(np.ones(n) if white else np.linspace(1.6, 0.8, n)) @ rows.T
    values = np.linspace(2.0, 1.0, k) if k > 1 else np.ones(1)
    best = rows @ _orthogonal(rng, n)[:, :k] @ np.diag(values * rng.uniform(0.9, 1.1, k)) @ _orthogonal(rng, k)
    return Task(X, X @ best, _orthogonal(rng, l)[:d], rng.uniform(0.25, 0.4), best)


class Path(NamedTuple):
    """The flow over time: layers, their projections on P, the predictor, R = Xᵀ(Y − Xβ), and α = Z₁⁻ᵀZ₂."""

    W1: np.ndarray
    W2: np.ndarray
    Z1: np.ndarray
    Z2: np.ndarray
    beta: np.ndarray
    R: np.ndarray
    alpha: np.ndarray


def _flow(task: Task, times: Any = TIMES, W1: Any = None, W2: Any = None, rates: Any = None) -> Path:
    """The raw gradient flow of ½‖XW₁W₂ − Y‖²; from the start of the source unless told otherwise."""
    X, Y, P, gamma, best = task
    W1 = np.sqrt(2 * gamma) * P if W1 is None else W1
    W2 = np.zeros((P.shape[1], Y.shape[1])) if W2 is None else W2
    lower, upper = deep_linear([W1.T, W2.T], X, Y, times, rates)
    W1, W2 = lower.swapaxes(1, 2), upper.swapaxes(1, 2)
    Z1, Z2 = W1 @ P.T, P @ W2
    alpha = np.linalg.solve(Z1.swapaxes(1, 2), Z2)
    return Path(W1, W2, Z1, Z2, W1 @ W2, X.T @ (Y - X @ (W1 @ W2)), alpha)


def _velocity(path: Path) -> np.ndarray:
    """β′ = RW₂ᵀW₂ + W₁W₁ᵀR, from (2.4)."""
    out: np.ndarray = path.R @ path.W2.swapaxes(1, 2) @ path.W2 + path.W1 @ path.W1.swapaxes(1, 2) @ path.R
    return out


def _inverse(alpha: np.ndarray) -> np.ndarray:
    """(I − ααᵀ)⁻¹."""
    out: np.ndarray = np.linalg.inv(np.eye(alpha.shape[-2]) - alpha @ alpha.swapaxes(-1, -2))
    return out


def _singular(A: np.ndarray) -> np.ndarray:
    out: np.ndarray = np.linalg.svd(A, compute_uv=False)
    return out


def _gradient(f: Callable[[np.ndarray], Any], x: np.ndarray) -> np.ndarray:
    """The gradient of an analytic f by a complex step: exact to rounding."""
    steps = 1e-30j * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([np.imag(f(x + step)) / 1e-30 for step in steps]).reshape(x.shape)


def _along(f: Callable[[np.ndarray], Any], x: np.ndarray, v: np.ndarray, h: float = 1e-3) -> np.ndarray:
    """The derivative of f at x along v, by differences of fourth order."""
    out: np.ndarray = (8 * (f(x + h * v) - f(x - h * v)) - (f(x + 2 * h * v) - f(x - 2 * h * v))) / (12 * h)
    return out


# The reduction, the invariant, and α.


def _reduced(task: Task, start: float) -> np.ndarray:
    X, Y, P, gamma, best = task
    d = len(P)

    def field(Z: np.ndarray) -> np.ndarray:
        Z1, Z2 = Z[:, :d], Z[:, d:]
        R = X.T @ (Y - X @ Z1 @ Z2)
        return np.hstack([R @ Z2.T, Z1.T @ R])

    Z = ode(field, np.hstack([start * np.eye(d), np.zeros((d, Y.shape[1]))]), TIMES)
    return np.concatenate([(Z[:, :, :d] @ P).ravel(), (P.T @ Z[:, :, d:]).ravel()])


def _layers(path: Path) -> np.ndarray:
    return np.concatenate([path.W1.ravel(), path.W2.ravel()])


@claim(
    "varre2023",
    "Lemma 3.1",
    "From W₁ = √(2γ)P, W₂ = 0 the flow is W₁ = Z₁P, W₂ = PᵀZ₂ with Z₁′ = RZ₂ᵀ, Z₂′ = Z₁ᵀR, Z₁(0) = √(2γ)I, Z₂(0) = 0",
    tolerance=1e-8,
    why=FLOW,
    verdict="corrected",
    correction="Z₁(0) = √(2γ)PPᵀ is √(2γ)I, not I as the proof has it",
)
def reduction(setup: Setup) -> Any:
    task = _task(setup.rng)
    return _layers(_flow(task)), _reduced(task, np.sqrt(2 * task.gamma))


@reduction.printed
def _(setup: Setup) -> Any:
    task = _task(setup.rng)
    return _layers(_flow(task)), _reduced(task, 1.0)


@reduction.breaks("W₂(0) outside of the span of Pᵀ")
def _(setup: Setup) -> Any:
    rng = setup.rng
    task = _task(rng)
    start = (np.eye(6) - task.P.T @ task.P) @ rng.normal(size=(6, 2))
    return _layers(_flow(task, W2=0.5 * start)), _reduced(task, np.sqrt(2 * task.gamma))


def _imbalance(setup: Setup, rates: Any = None) -> Any:
    task = _task(setup.rng)
    path = _flow(task, rates=rates)
    found = path.Z1.swapaxes(1, 2) @ path.Z1 - path.Z2 @ path.Z2.swapaxes(1, 2)
    return found, np.broadcast_to(2 * task.gamma * np.eye(4), found.shape)


@claim(
    "varre2023",
    "Lemma 3.2, (C.8)",
    "Z₁ᵀZ₁ − Z₂Z₂ᵀ = 2γI all along the flow",
    tolerance=1e-8,
    why=FLOW,
)
def invariant(setup: Setup) -> Any:
    return _imbalance(setup)


@invariant.breaks("another learning rate for each layer")
def _(setup: Setup) -> Any:
    return _imbalance(setup, (1.0, 1.5))


@claim(
    "varre2023",
    "Lemma 3.3, Lemma C.2, (C.12)",
    "α = Z₁⁻ᵀZ₂ solves the closed equation α′ = R − αRᵀα with β = 2γ(I − ααᵀ)⁻¹α and Z₁Z₁ᵀ = 2γ(I − ααᵀ)⁻¹",
    tolerance=1e-8,
    why=FLOW,
    verdict="corrected",
    correction="Lemma 3.3 prints β′ = (I − ααᵀ)⁻¹α: it is β, and the factor 2γ is missing (Lemma C.2 has it)",
)
def alpha(setup: Setup) -> Any:
    task = _task(setup.rng)
    path = _flow(task)

    def field(a: np.ndarray) -> np.ndarray:
        R = task.X.T @ (task.Y - task.X @ (2 * task.gamma * _inverse(a) @ a))
        return R - a @ R.T @ a

    a = ode(field, np.zeros((4, 2)), TIMES)
    gram = 2 * task.gamma * _inverse(a)
    parts = (path.alpha, a), (path.beta, gram @ a), (path.Z1 @ path.Z1.swapaxes(1, 2), gram)
    return tuple(np.concatenate([part[side].ravel() for part in parts]) for side in (0, 1))


@alpha.printed
def _(setup: Setup) -> Any:
    path = _flow(_task(setup.rng))
    return _velocity(path), _inverse(path.alpha) @ path.alpha


@alpha.breaks("W₁(0) with rows of different lengths")
def _(setup: Setup) -> Any:
    task = _task(setup.rng)
    path = _flow(task, W1=np.diag([0.5, 0.7, 0.9, 1.1]) @ task.P)
    return path.beta, 2 * task.gamma * _inverse(path.alpha) @ path.alpha


def _woodbury(setup: Setup, sign: float) -> Any:
    a = _flow(_task(setup.rng)).alpha[1:]
    at = a.swapaxes(1, 2)
    return np.eye(4) + sign * a @ np.linalg.inv(np.eye(2) - at @ a) @ at, _inverse(a)


@claim(
    "varre2023",
    "Lemma C.6, proof of (ii)",
    "(I − ααᵀ)⁻¹ = I + α(I − αᵀα)⁻¹αᵀ, so that β stays in the span of Xᵀ with α",
    tolerance=1e-9,
    why="matrices of condition below 1e3",
    verdict="corrected",
    correction="the sign of the second term is +, not −",
)
def woodbury(setup: Setup) -> Any:
    return _woodbury(setup, 1.0)


@woodbury.printed
def _(setup: Setup) -> Any:
    return _woodbury(setup, -1.0)


@woodbury.breaks("half of the second term")
def _(setup: Setup) -> Any:
    return _woodbury(setup, 0.5)


# Theorem 3.1 and what goes with it.


def _decay(task: Task, eigenvalue: float) -> Evidence:
    """L′ ≤ −4γλL at every time, with L′ = −‖W₁ᵀR‖² − ‖RW₂ᵀ‖²."""
    path = _flow(task, np.linspace(0, 6, 25))
    residual = task.X @ path.beta - task.Y
    rate = np.sum((path.W1.swapaxes(1, 2) @ path.R) ** 2, axis=(1, 2))
    rate += np.sum((path.R @ path.W2.swapaxes(1, 2)) ** 2, axis=(1, 2))
    rate /= np.sum(residual**2, axis=(1, 2)) / 2
    return Evidence.most(-np.min(rate), -4 * task.gamma * eigenvalue)


def _ill_conditioned(rng: np.random.Generator) -> Task:
    """Data on which ‖R‖ does not fall all the time."""
    raise NotImplementedError


def _limit(setup: Setup, W2: float = 0.0) -> tuple[Task, Path]:
    rng = setup.rng
    task = _task(rng)
    return task, _flow(task, LATE, W2=W2 * rng.normal(size=(6, 2)))


@claim(
    "varre2023",
    "Theorem 3.1 (i) and (ii)",
    "The flow reaches zero loss, and β tends to the interpolator of least norm, X⁺Y",
    tolerance=1e-8,
    why=FLOW,
)
def least_norm(setup: Setup) -> Any:
    task, path = _limit(setup)
    return np.vstack([path.beta[-1], task.X @ path.beta[-1]]), np.vstack([np.linalg.pinv(task.X) @ task.Y, task.Y])


@least_norm.breaks("W₂(0) ≠ 0")
def _(setup: Setup) -> Any:
    task, path = _limit(setup, W2=0.5)
    return path.beta[-1], np.linalg.pinv(task.X) @ task.Y


def _potential(setup: Setup, factor: float) -> Any:
    """The potential (3.1), with factor · γ, where the flow ends, and the least of it over the interpolators."""
    rng = setup.rng
    d, k, l = 3, 2, 4  # noqa: E741
    task = _task(rng, d=d, n=2, k=k, l=l)
    gamma = factor * task.gamma

    def split(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return w[: d * l].reshape(d, l), w[d * l :].reshape(l, k)

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        W1, W2 = split(w)
        gram = W1 @ W1.T
        slope = np.concatenate([(W1 - 2 * gamma * np.linalg.solve(gram, W1)).ravel(), W2.ravel()])
        return 0.5 * w @ w - gamma * np.linalg.slogdet(gram)[1], slope

    def miss(w: np.ndarray) -> np.ndarray:
        W1, W2 = split(w)
        return (task.X @ W1 @ W2 - task.Y).ravel()

    path = _flow(task, LATE)
    ends = value(np.concatenate([path.W1[-1].ravel(), path.W2[-1].ravel()]))[0]
    constraint = {"type": "eq", "fun": miss}
    least = np.inf
    for _ in range(setup.pick(3, 8)):
        start = rng.normal(size=l * (d + k))
        found = minimize(value, start, jac=True, method="SLSQP", constraints=constraint, options={"ftol": 1e-14, "maxiter": 500})
        if np.max(np.abs(miss(found.x))) < 1e-8:
            least = min(least, found.fun)
    return ends, least


@claim(
    "varre2023",
    "Theorem 3.1 (iii), (3.1)",
    "The limit of the flow minimises ½‖W₂‖² + ½‖W₁‖² − γ log det W₁W₁ᵀ over all (W₁, W₂) that interpolate",
    tolerance=1e-6,
    why="SLSQP from random starts; its constraint is met to 1e-8",
)
def variational(setup: Setup) -> Any:
    return _potential(setup, 1.0)


@variational.breaks("2γ in place of γ")
def _(setup: Setup) -> Any:
    return _potential(setup, 2.0)


def _nuclear(setup: Setup, moved: float) -> Any:
    """The nuclear norm of X⁺Y (moved along the kernel of X), and the least over the interpolators."""
    rng = setup.rng
    task = _task(rng, d=5, n=3)
    kernel = np.linalg.svd(task.X)[2][3:].T
    base = np.linalg.pinv(task.X) @ task.Y

    def value(c: np.ndarray) -> tuple[float, np.ndarray]:
        U, s, Vt = np.linalg.svd(base + kernel @ c.reshape(2, 2), full_matrices=False)
        return float(np.sum(s)), (kernel.T @ U @ Vt).ravel()

    least = min(minimize(value, rng.normal(size=4), jac=True, method="BFGS").fun for _ in range(3))
    direction = rng.normal(size=4)
    return value(moved * direction / np.linalg.norm(direction))[0], least


@claim(
    "varre2023",
    "section 3.1, after Theorem 3.1",
    "The interpolator of least Frobenius norm is also one of least nuclear norm",
    tolerance=1e-6,
    why="BFGS stops at a gradient of 1e-5, which is 1e-10 in the value",
)
def nuclear_norm(setup: Setup) -> Any:
    return _nuclear(setup, 0.0)


@nuclear_norm.breaks("another interpolator")
def _(setup: Setup) -> Any:
    return _nuclear(setup, 0.5)


def _spectra(values: np.ndarray, gamma: float, d: int = 4) -> np.ndarray:
    """The singular values of W₁ (d of them) and of W₂ that go with those of β."""
    root = np.sqrt(values**2 + gamma**2)
    rest = np.full((*values.shape[:-1], d - values.shape[-1]), np.sqrt(2 * gamma))
    return np.concatenate([np.sqrt(root + gamma), rest, values / np.sqrt(root + gamma)], axis=-1)


@claim(
    "varre2023",
    "Corollary 3.1, Lemma C.10",
    "At the limit σᵢ(W₁)² = γ + √(σᵢ(β*)² + γ²) for i ≤ k and 2γ for the others, and σᵢ(W₂)² = −γ + √(σᵢ(β*)² + γ²)",
    tolerance=1e-8,
    why=FLOW,
)
def singular_values_at_the_limit(setup: Setup) -> Any:
    task, path = _limit(setup)
    found = np.concatenate([_singular(path.W1[-1]), _singular(path.W2[-1])])
    return found, _spectra(_singular(np.linalg.pinv(task.X) @ task.Y), task.gamma)


@singular_values_at_the_limit.breaks("W₂(0) ≠ 0")
def _(setup: Setup) -> Any:
    task, path = _limit(setup, W2=0.5)
    found = np.concatenate([_singular(path.W1[-1]), _singular(path.W2[-1])])
    return found, _spectra(_singular(np.linalg.pinv(task.X) @ task.Y), task.gamma)


def _spectra_on_the_way(setup: Setup, factor: float) -> Any:
    task = _task(setup.rng)
    path = _flow(task)
    found = np.concatenate([_singular(path.W1), _singular(path.W2)], axis=-1)
    return found, _spectra(_singular(path.beta), factor * task.gamma)


@claim(
    "varre2023",
    "Lemma C.10, (C.16)",
    "σᵢ(Z₁)² = γ + √(γ² + σᵢ(β)²) and σᵢ(Z₂)² = −γ + √(γ² + σᵢ(β)²) at every time, for any data",
    tolerance=1e-8,
    why=FLOW,
)
def singular_values_on_the_way(setup: Setup) -> Any:
    return _spectra_on_the_way(setup, 1.0)


@singular_values_on_the_way.breaks("2γ in place of γ")
def _(setup: Setup) -> Any:
    return _spectra_on_the_way(setup, 2.0)


def _rank(setup: Setup, balanced: bool) -> Any:
    rng = setup.rng
    task = _task(rng)
    W2 = 0.5 * _orthogonal(rng, 6)[:, :2] @ np.diag([1.0, 0.6])
    W1 = _orthogonal(rng, 4)[:, :2] @ W2.T if balanced else None
    path = _flow(task, W1=W1, W2=W2)
    return Evidence.equal(_singular(path.W1)[:, 2:] / _singular(path.W1)[:, :1], np.zeros((len(TIMES), 2)))


@claim(
    "varre2023",
    "section 2, initialization",
    "From W₁ᵀW₁ = W₂W₂ᵀ the rank of W₁ is at most k at every time, whatever the scale",
    tolerance=1e-8,
    why=FLOW,
)
def balanced_rank(setup: Setup) -> Any:
    return _rank(setup, True)


@balanced_rank.breaks("the start of the source, which is not balanced")
def _(setup: Setup) -> Any:
    return _rank(setup, False)


# Anisotropic imbalance.


def _anisotropic(setup: Setup) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Z₁ and Z₂ on the way from Z₁(0) = √D, W₂ = 0, and D."""
    task = _task(setup.rng)
    D = np.diag([0.2, 0.5, 0.8, 1.4])
    path = _flow(task, W1=np.sqrt(D) @ task.P)
    return path.Z1, path.Z2, D


@claim(
    "varre2023",
    "Lemma C.4, last display",
    "With imbalance D, condition (P2) at the limit of the flow asks for ∇Ψ₁(Z₁) = Z₁⁻ᵀZ₂Z₂ᵀ = Z₁ − Z₁⁻ᵀD",
    tolerance=1e-8,
    why=FLOW,
    verdict="corrected",
    correction="the factors are in the other order: Z₁⁻ᵀD, not DZ₁⁻ᵀ",
)
def anisotropic_gradient(setup: Setup) -> Any:
    Z1, Z2, D = _anisotropic(setup)
    back = np.linalg.inv(Z1).swapaxes(1, 2)
    return back @ Z2 @ Z2.swapaxes(1, 2), Z1 - back @ D


@anisotropic_gradient.printed
def _(setup: Setup) -> Any:
    Z1, Z2, D = _anisotropic(setup)
    back = np.linalg.inv(Z1).swapaxes(1, 2)
    return back @ Z2 @ Z2.swapaxes(1, 2), Z1 - D @ back


@anisotropic_gradient.breaks("the mean of D in place of D")
def _(setup: Setup) -> Any:
    Z1, Z2, D = _anisotropic(setup)
    back = np.linalg.inv(Z1).swapaxes(1, 2)
    return back @ Z2 @ Z2.swapaxes(1, 2), Z1 - back * np.trace(D) / 4


def _jacobian(setup: Setup, D: np.ndarray) -> Any:
    """The Jacobian of Z ↦ Z − Z⁻ᵀD, and its transpose: the same if and only if the map is a gradient."""
    rng = setup.rng
    Z = _orthogonal(rng, 3) @ np.diag([0.7, 1.0, 1.5]) @ _orthogonal(rng, 3)
    columns = [_along(lambda Z: Z - np.linalg.inv(Z).T @ D, Z, E).ravel() for E in np.eye(9).reshape(9, 3, 3)]
    return np.array(columns), np.array(columns).T


@claim(
    "varre2023",
    "Lemma C.4, proof",
    "Z₁ − Z₁⁻ᵀD is a gradient when D = 2γI, and there is no potential Ψ₁ when D is not a multiple of I",
    tolerance=1e-8,
    why="differences of fourth order with step 1e-3",
)
def no_potential(setup: Setup) -> Any:
    return _jacobian(setup, 0.6 * np.eye(3))


@no_potential.breaks("D is not a multiple of I")
def _(setup: Setup) -> Any:
    return _jacobian(setup, np.diag([0.2, 0.6, 1.0]))


def _tilt(setup: Setup) -> tuple[np.ndarray, np.ndarray]:
    """How far β ends from X⁺Y when W₁(0) = √(2γ)(I + εS)P, S mixing the rows of X with its kernel."""
    rng = setup.rng
    task = _task(rng)
    span = np.linalg.pinv(task.X) @ task.X
    S = span @ rng.normal(size=(4, 4)) @ (np.eye(4) - span)
    S = (S + S.T) / np.linalg.norm(S)
    sizes = np.array([0.01, 0.02, 0.04])
    ends = [_flow(task, LATE, W1=np.sqrt(2 * task.gamma) * (np.eye(4) + size * S) @ task.P).beta[-1] for size in sizes]
    return sizes, np.array([np.linalg.norm(end - task.best) for end in ends])


@claim(
    "varre2023",
    "Lemma C.4, proof (the proof breaks)",
    "If W₁(0)W₁(0)ᵀ is off 2γI by ε, so that rows and kernel of X mix, β ends at a distance of order ε from X⁺Y",
    tolerance=0.1,
    why="an exponent, over ε from 0.01 to 0.04: the next order is relative ε",
)
def anisotropic_limit(setup: Setup) -> Any:
    return Evidence.slope(*_tilt(setup), 1.0)


@anisotropic_limit.breaks("as if of second order")
def _(setup: Setup) -> Any:
    return Evidence.slope(*_tilt(setup), 2.0)


# Mirror flows.


def _entropy(gamma: float, half: bool) -> Callable[[np.ndarray], Any]:
    """Σ ½[s asinh(s/γ) − √(s² + γ²)], or as printed with the ½ on the first term only."""
    weight = 0.5 if half else 1.0
    return lambda s: np.sum(0.5 * s * np.arcsinh(s / gamma) - weight * np.sqrt(s * s + gamma * gamma))


def _mirror(setup: Setup, half: bool, W1: Any = None) -> Any:
    """(∇Ψ(D))′ with D′ = diag UᵀβʹV, and −∇L in D by differences (exact: L is quadratic)."""
    task = _task(setup.rng)
    path = _flow(task, W1=None if W1 is None else W1 @ task.P)
    found, wanted = [], []
    for beta, velocity in zip(path.beta[1:], _velocity(path)[1:], strict=True):
        U, s, Vt = np.linalg.svd(beta, full_matrices=False)
        moves = np.diag(U.T @ velocity @ Vt.T)
        found.append(_along(lambda s: _gradient(_entropy(task.gamma, half), s), s, moves))
        wanted.append(-_gradient(lambda s, U=U, Vt=Vt: np.sum((task.X @ (U * s) @ Vt - task.Y) ** 2) / 2, s))
    return np.array(found), np.array(wanted)


@claim(
    "varre2023",
    "Theorem 3.2 (a), Lemma C.13",
    "The singular values D of β follow the mirror flow (∇Ψ(D))′ = −∇_D L with Ψ = ½ tr[D asinh(D/γ) − √(D² + γ²)]",
    tolerance=1e-6,
    why="differences of fourth order with step 1e-3 over singular values of 0.2 and more",
    verdict="corrected",
    correction="the ½ belongs to both terms: the gradient is ½ asinh(D/γ)",
)
def mirror_on_singular_values(setup: Setup) -> Any:
    return _mirror(setup, True)


@mirror_on_singular_values.printed
def _(setup: Setup) -> Any:
    return _mirror(setup, False)


@mirror_on_singular_values.breaks("anisotropic W₁(0)")
def _(setup: Setup) -> Any:
    return _mirror(setup, True, W1=np.diag([0.4, 0.7, 1.0, 1.3]))


def _asymptote(setup: Setup, factor: float) -> Any:
    """Ψ at γ over ln(1/γ)‖β‖_*, extrapolated: the slope of Ψ in ln(1/γ), as γ falls."""
    beta = setup.rng.normal(size=(4, 3))
    s = _singular(beta)
    gammas = np.array([1e-2, 1e-4, 1e-6]) * s[-1]
    slopes = [(_entropy(g / 10, True)(s) - _entropy(g, True)(s)) / np.log(10) for g in gammas]
    errors = np.abs(np.array(slopes) / (factor * np.sum(s)) - 1)
    return Evidence(float(errors[-1]), "errors at three scales " + ", ".join(f"{e:.1e}" for e in errors))


@claim(
    "varre2023",
    "section 3.2, after Theorem 3.2",
    "As γ → 0 the potential grows like Ψ ~ ½ ln(1/γ)‖β‖_*",
    tolerance=1e-6,
    why="the slope in ln(1/γ) is reached at order γ²",
    verdict="corrected",
    correction="the factor ½ is missing (with either form of Ψ)",
)
def nuclear_norm_asymptote(setup: Setup) -> Any:
    return _asymptote(setup, 0.5)


@nuclear_norm_asymptote.printed
def _(setup: Setup) -> Any:
    return _asymptote(setup, 1.0)


@nuclear_norm_asymptote.breaks("a quarter")
def _(setup: Setup) -> Any:
    return _asymptote(setup, 0.25)


def _radial(gamma: float) -> Callable[[np.ndarray], Any]:
    """ψ_γ of Theorem 3.2 (b)."""

    def value(beta: np.ndarray) -> Any:
        q = np.sqrt(np.sum(beta * beta) + gamma * gamma) + gamma
        return 2 / 3 * q**1.5 - 2 * gamma * q**0.5

    return value


def _warp(task: Task, beta: np.ndarray) -> np.ndarray:
    out: np.ndarray = np.sqrt(task.gamma + np.sqrt(np.sum(beta**2, axis=(-1, -2)) + task.gamma**2))
    return out


def _mirror_on_beta(setup: Setup, warped: bool = True, k: int = 1) -> Any:
    task = _task(setup.rng, k=k)
    path = _flow(task)
    psi = _radial(task.gamma)
    pairs = zip(path.beta, _velocity(path), strict=True)
    found = [_along(lambda b: _gradient(psi, b), beta, velocity) for beta, velocity in pairs]
    return np.array(found), path.R * (_warp(task, path.beta)[:, None, None] if warped else 1.0)


@claim(
    "varre2023",
    "Theorem 3.2 (b), Lemma C.7",
    "For k = 1, (∇ψ_γ(β))′ = −[γ + √(‖β‖² + γ²)]^½ ∇L(β) with ψ_γ = ⅔q^{3/2} − 2γq^{1/2}, q = √(‖β‖² + γ²) + γ",
    tolerance=1e-7,
    why="differences of fourth order with step 1e-3",
)
def mirror_on_beta(setup: Setup) -> Any:
    return _mirror_on_beta(setup)


@mirror_on_beta.breaks("without the change of time")
def _(setup: Setup) -> Any:
    return _mirror_on_beta(setup, warped=False)


@mirror_on_beta.breaks("k = 2")
def _(setup: Setup) -> Any:
    return _mirror_on_beta(setup, k=2)


def _scalar_fields(setup: Setup, order: str) -> Any:
    """Z₁′ = RZ₂ᵀ and β′ of the raw flow, and what is said of them in terms of α."""
    path = _flow(_task(setup.rng, k=1))
    Z1, r, a = path.Z1, path.R, path.alpha
    gram = Z1 @ Z1.swapaxes(1, 2) if order == "right" else Z1.swapaxes(1, 2) @ Z1
    moves = r @ a.swapaxes(1, 2) @ Z1 if order == "right" else Z1 @ a @ r.swapaxes(1, 2)
    beta = gram @ r + (a.swapaxes(1, 2) @ gram @ a) * r
    said = np.concatenate([moves.ravel(), beta.ravel()])
    return np.concatenate([(r @ path.Z2.swapaxes(1, 2)).ravel(), _velocity(path).ravel()]), said


@claim(
    "varre2023",
    "Lemma C.7, proof",
    "For k = 1, Z₁′ = rαᵀZ₁ and β′ = (Z₁Z₁ᵀ + αᵀZ₁Z₁ᵀα)r",
    tolerance=1e-8,
    why=FLOW,
    verdict="corrected",
    correction="the transposes are misplaced: printed Z₁αrᵀ and Z₁ᵀZ₁",
)
def scalar_flow(setup: Setup) -> Any:
    return _scalar_fields(setup, "right")


@scalar_flow.printed
def _(setup: Setup) -> Any:
    return _scalar_fields(setup, "printed")


@scalar_flow.breaks("at half the speed")
def _(setup: Setup) -> Any:
    measured, said = _scalar_fields(setup, "right")
    return measured, said / 2


def _bregman(setup: Setup, factor: float) -> Evidence:
    """D(β*, β(0)) − D(β*, β(T)) against factor · ∫ [γ + √…]^½ L dt, and the bound that follows."""
    task = _task(setup.rng, k=1)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    end = 4.0
    path = _flow(task, np.concatenate([[0.0], (nodes + 1) / 2 * end, [end]]))
    loss = np.sum((task.X @ path.beta - task.Y) ** 2, axis=(1, 2)) / 2
    psi = _radial(task.gamma)

    def divergence(beta: np.ndarray) -> float:
        return float(psi(task.best) - psi(beta) - np.sum(_gradient(psi, beta) * (task.best - beta)))

    fall = divergence(path.beta[0]) - divergence(path.beta[-1])
    integral = end / 2 * np.sum(weights * (_warp(task, path.beta) * loss)[1:-1])
    times = (nodes + 1) / 2 * end
    bound = divergence(path.beta[0]) / (factor * np.sqrt(2 * task.gamma) * times)
    excess = np.max(np.maximum(0.0, loss[1:-1] / bound - 1))
    return Evidence(max(abs(fall / (factor * integral) - 1), excess), f"L reaches {np.max(loss[1:-1] / bound):.2f} of the bound")


@claim(
    "varre2023",
    "Lemma C.8, section 3.2 (convergence rate)",
    "For k = 1, D_ψ(β*, β)′ = −2[γ + √(‖β‖² + γ²)]^½ L, hence L(t) ≤ D_ψ(β*, 0)/(2√(2γ)t) for any data",
    tolerance=1e-8,
    why="Gauss quadrature with 40 nodes over " + FLOW,
    verdict="corrected",
    correction="⟨∇L, β − β*⟩ = 2L is at least L, printed at most; the bound holds with half the constant",
)
def convergence_rate(setup: Setup) -> Any:
    return _bregman(setup, 2.0)


@convergence_rate.printed
def _(setup: Setup) -> Any:
    task = _task(setup.rng, k=1)
    beta = _flow(task).beta[0]
    slope = np.sum(task.X.T @ (task.X @ beta - task.Y) * (beta - task.best))
    return Evidence.most(slope, np.sum((task.X @ beta - task.Y) ** 2) / 2)


@convergence_rate.breaks("4 in place of 2")
def _(setup: Setup) -> Any:
    return _bregman(setup, 4.0)


# White data.


def _static(setup: Setup, white: bool) -> Any:
    """β, α, R in the singular bases of β*, and Z₁ in its left one: what is off the diagonal."""
    task = _task(setup.rng, white=white)
    path = _flow(task)
    U, _, Vt = np.linalg.svd(task.best)
    parts = [U.T @ A @ Vt.T for A in (path.beta, path.alpha, path.R)] + [U.T @ path.Z1 @ U]
    off = [part * (1 - np.eye(*part.shape[1:])) for part in parts]
    return Evidence(float(max(np.max(np.abs(part)) for part in off)))


@claim(
    "varre2023",
    "Theorem C.11",
    "If XᵀX = I, the singular vectors of β, α, R and Z₁ are those of β* at every time",
    tolerance=1e-8,
    why=FLOW,
)
def static_singular_vectors(setup: Setup) -> Any:
    return _static(setup, True)


@static_singular_vectors.breaks("data that are not white")
def _(setup: Setup) -> Any:
    return _static(setup, False)


def _product(setup: Setup, last: float | None, sign: float = 1.0) -> Any:
    """(Rᵀα)′ along the flow of a random α, and the last line of the display, the coefficient of Rᵀα given."""
    rng = setup.rng
    d, k, gamma = 4, 2, rng.uniform(0.2, 0.35)
    a = _orthogonal(rng, d)[:, :k] @ np.diag([0.7, 0.4]) @ _orthogonal(rng, k)
    best = rng.normal(size=(d, k))

    def residual(a: np.ndarray) -> np.ndarray:
        return best - 2 * gamma * _inverse(a) @ a

    R = residual(a)
    found = _along(lambda a: residual(a).T @ a, a, R - a @ R.T @ a, 1e-4)
    C, inverse = R.T @ a, np.linalg.inv(np.eye(k) - a.T @ a)
    coefficient = 2 * gamma if last is None else last
    return found, R.T @ R - C @ C - 2 * gamma * (C @ inverse + inverse @ C) + coefficient * C


@claim(
    "varre2023",
    "Theorem C.11, proof of (C.17)",
    "For white data (Rᵀα)′ = RᵀR − (Rᵀα)² − 2γRᵀα(I − αᵀα)⁻¹ − 2γ(I − αᵀα)⁻¹Rᵀα + 2γRᵀα",
    tolerance=1e-7,
    why="differences of fourth order with step 1e-4: rounding of 1e-12",
    verdict="corrected",
    correction="the last term has the factor 2γ, which is missing in print; symmetry of Rᵀα follows all the same",
)
def residual_times_alpha(setup: Setup) -> Any:
    return _product(setup, None)


@residual_times_alpha.printed
def _(setup: Setup) -> Any:
    return _product(setup, 1.0)


@residual_times_alpha.breaks("without the last term")
def _(setup: Setup) -> Any:
    return _product(setup, 0.0)


def _curve(t: np.ndarray, s: np.ndarray, gamma: float) -> np.ndarray:
    """Theorem C.12 as printed: singular values over time."""
    q = np.sqrt(s**2 + gamma**2)
    decay = np.exp(-2 * t[:, None] * q) * (q - gamma)
    a = np.sqrt(1 + gamma**2 / s**2) * (gamma + q - decay) / (gamma + q + decay) - gamma / s
    out: np.ndarray = 2 * gamma * a / (1 - a**2)
    return out


@claim(
    "varre2023",
    "Theorem C.12, first display",
    "If XᵀX = I, each singular value of β follows the closed form of the theorem",
    tolerance=1e-8,
    why=FLOW,
)
def singular_value_curves(setup: Setup) -> Any:
    task = _task(setup.rng, white=True)
    return _singular(_flow(task).beta), _curve(TIMES, _singular(task.best), task.gamma)


@singular_value_curves.breaks("data that are not white")
def _(setup: Setup) -> Any:
    task = _task(setup.rng)
    return _singular(_flow(task).beta), _curve(TIMES, _singular(task.best), task.gamma)


def _jump(setup: Setup, at_the_jump: Callable[[float], float]) -> Any:
    """σ(t ln 1/γ) at t = ½, 1, 3/2 times 1/(2s), by the raw flow of one singular value, as γ falls."""
    s = setup.rng.uniform(0.6, 1.5)
    errors = []
    for gamma in (1e-3, 1e-6, 1e-9, 1e-12):
        times = np.log(1 / gamma) / (2 * s) * np.array([0.5, 1.0, 1.5])
        lower, upper = deep_linear([[[np.sqrt(2 * gamma)]], [[0.0]]], [[1.0]], [s], times)
        errors.append(np.max(np.abs((lower * upper).ravel() - [0.0, at_the_jump(s), s])))
    falls = bool(np.all(np.diff(errors) < 0))
    seen = "errors " + ", ".join(f"{e:.1e}" for e in errors)
    return Evidence(float(errors[-1]) if falls else max(1.0, *errors), seen)


@claim(
    "varre2023",
    "Theorem C.12, last display; section 3.2, jump process",
    "As γ → 0, σ(t ln(1/γ)) → 0 for t < 1/(2s), s for t > 1/(2s), and s/(1 + 2s) at t = 1/(2s)",
    tolerance=1e-4,
    why="the error at γ = 1e-12 is of order √γ at half and at three halves of the time of the jump",
    verdict="corrected",
    correction="the theorem says s, and the main text 0, at the jump itself; the proof has s/(1 + 2s)",
)
def jump(setup: Setup) -> Any:
    return _jump(setup, lambda s: s / (1 + 2 * s))


@jump.printed
def _(setup: Setup) -> Any:
    return _jump(setup, lambda s: s)


@jump.breaks("the value 0 of the main text at the jump")
def _(setup: Setup) -> Any:
    return _jump(setup, lambda s: 0.0)
