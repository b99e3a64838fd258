"""Theorem 3.1 and its proof: where the flow stops, and what it minimizes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.varre2023.claims._flow import FLOW, LATE, Path, Task, draw_task, flow, velocity_of
from lazyrich.papers.verdicts import Verdict


def _draw_two_modes(rng: np.random.Generator) -> Task:
    """Draw data on which ‖R‖ rises for a while: two singular values are learned one after the other, in rotating
    bases."""
    gamma, left, right = 1e-7, frame(rng, 2, 2), frame(rng, 2, 2)
    best = np.array([[0.004, 0.434], [-0.917, -0.629]]) / 1.194 + rng.uniform(-0.005, 0.005, (2, 2))
    X = frame(rng, 2, 2) @ np.diag([1.0, 0.42 + rng.uniform(-0.005, 0.005)]) @ left.T
    best = left @ best @ right
    return Task(X, X @ best, frame(rng, 3, 3)[:2], gamma, best)


Measure = Callable[[Task, Path], tuple[np.ndarray, np.ndarray, float]]


def _of_the_loss(task: Task, path: Path) -> tuple[np.ndarray, np.ndarray, float]:
    """Return 2L = ‖Xβ − Y‖², its derivative 2L′ = −2‖W₁ᵀR‖² − 2‖RW₂ᵀ‖², and the 4 of 4γλ."""
    fall = np.sum((path.W1.swapaxes(1, 2) @ path.R) ** 2, axis=(1, 2))
    fall += np.sum((path.R @ path.W2.swapaxes(1, 2)) ** 2, axis=(1, 2))
    return np.sum((task.X @ path.beta - task.Y) ** 2, axis=(1, 2)), -2 * fall, 4.0


def _of_the_residual(task: Task, path: Path) -> tuple[np.ndarray, np.ndarray, float]:
    """Return ‖R‖², its derivative −2 tr Rᵀ XᵀX β′, and the 2 of 2γλ."""
    moves = task.X.T @ task.X @ velocity_of(path)
    return np.sum(path.R**2, axis=(1, 2)), -2 * np.sum(path.R * moves, axis=(1, 2)), 2.0


def _smallest_eigenvalue(task: Task) -> float:
    """Return the smallest nonzero eigenvalue of XᵀX."""
    return float(np.linalg.svd(task.X)[1][-1] ** 2)


@claim(
    "varre2023",
    "Theorem 3.1 (i), proof: Lemma C.6, (C.13)",
    "L′ ≤ −4γ λ_min L, λ_min the least non-zero eigenvalue of XᵀX, so that the loss falls exponentially to 0",
    quote=r"\dot{\text{tr}}(\mathbf{R}^\top \mathbf{R}) \leq -2\lambda_{\min}(X^\top X) \gamma \text{tr}(\mathbf{R} "
    r"\mathbf{R}^\top). \quad (\text{C.13})$$ Thus, using Gronwall we can show that  $\|\mathbf{R}\|_F^2$  decays "
    r"exponentially to zero",
    tolerance=1e-8,
    why=FLOW,
    verdict=Verdict.CORRECTED,
    remark="of the loss ½‖Xβ − Y‖² in place of ‖R‖² = ‖Xᵀ(Xβ − Y)‖² it is true, even with 4γ in place of 2γ, and (i) "
    "follows; ‖R‖² itself can rise on the way, as tr ABC ≥ λ_min(A)λ_min(B) tr C is false",
)
def descent(
    setup: Setup, measure: Measure = _of_the_loss, eigenvalue: Callable[[Task], float] = _smallest_eigenvalue
) -> Any:
    """How far the rate passes −4γλ (−2γλ as printed), on random data and on data that turn."""
    rng, excess = setup.rng, []
    for task, end in ((draw_task(rng), 6.0), (_draw_two_modes(rng), 40.0)):
        size, rate, factor = measure(task, flow(task, np.linspace(0, end, 161)))
        alive = size > 1e-10 * size[0]
        excess.append(float(np.max(rate[alive] / size[alive]) + factor * task.gamma * eigenvalue(task)))
    return Evidence(max(0.0, *excess), f"the largest rate is {max(excess):.2g} above the bound")


descent.printed(measure=_of_the_residual)
descent.breaks("the largest eigenvalue in place of the least", eigenvalue=lambda t: float(np.linalg.norm(t.X, 2) ** 2))


@descent.proof("the identity L′ = −‖Z₁ᵀR‖² − ‖RZ₂ᵀ‖², d = k = 2, n = 1, symbols for all entries", whole=False)
def how_the_loss_falls(spoiled: bool) -> Any:
    """Z₁Z₁ᵀ ≥ 2γI and ‖Xᵀv‖² ≥ λ_min‖v‖² then give the bound."""
    from sympy import Matrix, diff, symbols

    X, Y = Matrix(1, 2, symbols("x:2")), Matrix(1, 2, symbols("y:2"))
    Z1, Z2 = Matrix(2, 2, symbols("a:4")), Matrix(2, 2, symbols("b:4"))
    error = X * Z1 * Z2 - Y
    loss, R = (error * error.T)[0] / 2, -X.T * error
    moves = [*(R * Z2.T), *(Z1.T * R)]
    rate = sum(diff(loss, z) * move for z, move in zip([*Z1, *Z2], moves, strict=True))
    sizes = [(part * part.T).trace() for part in (Z1.T * R, R * Z2.T)]
    return rate, -sizes[0] - (2 if spoiled else 1) * sizes[1]


def _one_basis(rng: np.random.Generator, basis: np.ndarray) -> np.ndarray:
    return basis


def _another_basis(rng: np.random.Generator, basis: np.ndarray) -> np.ndarray:
    return frame(rng, 3, 3)


@claim(
    "varre2023",
    "Lemma C.6, proof",
    "tr ABC ≥ λ_min(A)λ_min(B) tr C for positive semidefinite A, B, C of which A and B commute",
    quote=r"Note that for any three PSD matrices  $ABC$ . Using Lasserre [1995], (see Lemma 7, Min et al., 2021)) "
    r"$$\text{tr}(ABC) \geq \lambda_{\min}(A)\lambda_{\min}(B)\text{tr} C.$$",
    tolerance=1e-10,
    why="an eigenvalue of 1e-4, in rounding; A and B have the same lowest eigenvector, so that the bound is reached",
    verdict=Verdict.FAILS,
    remark="tr ABC can be negative: the product of two positive semidefinite matrices need not be symmetric. The cited "
    "inequality is for two matrices, tr AB ≥ λ_min(A) tr B. With three it holds if A and B commute, which XᵀX and "
    "Z₁Z₁ᵀ, for which it is used, do not",
)
def trace_inequality(setup: Setup, basis: Callable[..., np.ndarray] = _one_basis, factor: float = 1.0) -> Any:
    """The least of tr ABC over C = vvᵀ, ‖v‖ = 1, which is an eigenvalue, against factor · λ_min(A)λ_min(B)."""
    rng = setup.rng
    first = frame(rng, 3, 3)
    pairs = ((first, (1.0, 0.1, 0.01)), (basis(rng, first), (0.1, 1.0, 0.01)))
    A, B = ((Q * np.array(values)) @ Q.T for Q, values in pairs)
    bound = factor * float(np.prod([np.linalg.eigvalsh(part)[0] for part in (A, B)]))
    least = float(np.linalg.eigvalsh((A @ B + B @ A) / 2)[0])
    return Evidence(max(0.0, 1 - least / bound), f"the least of tr ABC is {least:.3e} tr C, the bound {bound:.3e} tr C")


trace_inequality.printed(basis=_another_basis)
trace_inequality.breaks("1.01 λ_min(A)λ_min(B): the bound is sharp", factor=1.01)


@trace_inequality.counterexample
def a_negative_trace() -> None:
    import numpy as np

    A = np.array([[10, 0], [0, 1]])
    B = np.array([[5, 4], [4, 5]])
    C = np.array([[1, -2], [-2, 4]])
    assert all(np.linalg.eigvalsh(M)[0] > -1e-12 for M in (A, B, C))  # positive semidefinite
    bound = np.linalg.eigvalsh(A)[0] * np.linalg.eigvalsh(B)[0] * np.trace(C)  # 1 · 1 · 5
    assert np.trace(A @ B @ C) == -18 < bound


@trace_inequality.proof("the printed inequality is false: one counterexample in integers", general=True)
def in_integers(spoiled: bool) -> Any:
    """A = diag(10, 1), B with the eigenvalues 1 and 9, C = vvᵀ; with a diagonal B of these eigenvalues it holds."""
    from sympy import Matrix

    A, B = Matrix([[10, 0], [0, 1]]), Matrix([[9, 0], [0, 1]]) if spoiled else Matrix([[5, 4], [4, 5]])
    C = Matrix([1, -2]) * Matrix([[1, -2]])
    return (A * B * C).trace() < min(A.eigenvals()) * min(B.eigenvals()) * C.trace()


@claim(
    "varre2023",
    "Theorem 3.1 (i)",
    "The parameters converge, and interpolate where they end",
    quote=r"*The parameters converge to a global optimum of the loss* $$\lim_{t \rightarrow \infty} (\mathbf{W}_1(t), "
    r"\mathbf{W}_2(t)) = (\mathbf{W}_1^\infty, \mathbf{W}_2^\infty) \in \mathcal{I}_\theta.$$",
    tolerance=1e-8,
    why=FLOW,
)
def global_optimum(setup: Setup, scale: float = 1.0) -> Any:
    """The layers at t = 40 and t = 60, and XW₁W₂ against Y."""
    task = draw_task(setup.rng)
    task = task._replace(gamma=scale * task.gamma)
    path = flow(task, np.array([0.0, 40.0, 60.0]))
    measured = [path.W1[1], path.W2[1], task.X @ path.beta[2]]
    expected = [path.W1[2], path.W2[2], task.Y]
    return tuple(np.concatenate([part.ravel() for part in parts]) for parts in (measured, expected))


global_optimum.breaks("γ = 0: the start is a saddle", scale=0.0)


@claim(
    "varre2023",
    "Theorem 3.1 (ii)",
    "β tends to the interpolator of least norm, X⁺Y",
    quote=r"(ii) *The linear predictor  $\beta$  converges to the minimum  $\ell_2$ -norm interpolator* "
    r"$$\lim_{t \rightarrow \infty} \beta(t) = \operatorname{argmin}_{X\beta=Y} \|\beta\|_F",
    tolerance=1e-8,
    why=FLOW,
)
def least_norm(setup: Setup, start: float = 0.0) -> Any:
    rng = setup.rng
    task = draw_task(rng)
    path = flow(task, LATE, W2=start * rng.normal(size=(6, 2)))
    return path.beta[-1], np.linalg.pinv(task.X) @ task.Y


least_norm.breaks("W₂(0) ≠ 0", start=0.5)


@claim(
    "varre2023",
    "Theorem 3.1 (iii), (3.1), Lemma C.4",
    "The limit of the flow minimizes ½‖W₂‖² + ½‖W₁‖² − γ log det W₁W₁ᵀ over all (W₁, W₂) that interpolate",
    quote=r"(\mathbf{W}_1^\infty, \mathbf{W}_2^\infty) \in \operatorname{argmin}_{X\mathbf{W}_1\mathbf{W}_2=Y} "
    r"\frac{1}{2} \|\mathbf{W}_2\|_F^2 + \frac{1}{2} \|\mathbf{W}_1\|_F^2 - \gamma "
    r"\log(\det(\mathbf{W}_1\mathbf{W}_1^\top)). \quad (3.1)",
    tolerance=1e-6,
    why="SLSQP from random starts; its constraint is met to 1e-8",
)
def variational(setup: Setup, factor: float = 1.0) -> Any:
    """The potential (3.1), with factor · γ, where the flow ends, and the least of it over the interpolators."""
    rng = setup.rng
    d, k, l = 3, 2, 4
    task = draw_task(rng, d=d, n=2, k=k, l=l)
    gamma = factor * task.gamma

    def split(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return w[: d * l].reshape(d, l), w[d * l :].reshape(l, k)

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        W1, W2 = split(w)
        gram = W1 @ W1.T
        slope = np.concatenate([(W1 - 2 * gamma * np.linalg.solve(gram, W1)).ravel(), W2.ravel()])
        return 0.5 * w @ w - gamma * np.linalg.slogdet(gram)[1], slope

    def residuals(w: np.ndarray) -> np.ndarray:
        W1, W2 = split(w)
        return (task.X @ W1 @ W2 - task.Y).ravel()

    path = flow(task, LATE)
    ends = value(np.concatenate([path.W1[-1].ravel(), path.W2[-1].ravel()]))[0]
    constraint = {"type": "eq", "fun": residuals}
    least = np.inf
    for _ in range(setup.size(3, 8)):
        start = rng.normal(size=l * (d + k))
        minimum = minimize(
            value, start, jac=True, method="SLSQP", constraints=constraint, options={"ftol": 1e-14, "maxiter": 500}
        )
        if np.max(np.abs(residuals(minimum.x))) < 1e-8:
            least = min(least, minimum.fun)
    return ends, least


variational.breaks("2γ in place of γ", factor=2.0)


def _quadratic(gram: np.ndarray) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """Return a function that gives ½ tr ZᵀGZ + ¼ Σ Z⁴ and its gradient: a potential without symmetry."""
    return lambda Z: (float(0.5 * np.sum(Z * (gram @ Z)) + 0.25 * np.sum(Z**4)), gram @ Z + Z**3)


@claim(
    "varre2023",
    "Proposition C.5, (P1) and (P2)",
    "At a minimum of Ψ₁(Z₁) + Ψ₂(Z₂) over the interpolators, Z₁⁻ᵀ∇Ψ₂ is in the span of the inputs, and "
    "∇Ψ₁ = Z₁⁻ᵀ∇Ψ₂Z₂ᵀ",
    quote=r"(P1) \quad (\mathbf{Z}_1^*)^{-\top} \nabla \Psi_2(\mathbf{Z}_2^*) \in \text{span}(X),$$ $$(P2) \quad "
    r"\nabla \Psi_1(\mathbf{Z}_1^*) = (\mathbf{Z}_1^*)^{-\top} \nabla \Psi_2(\mathbf{Z}_2^*) (\mathbf{Z}_2^*)^\top.",
    tolerance=1e-4,
    why="SLSQP stops where the value is right to 1e-15, its gradients are then right to about 1e-6",
)
def first_order_conditions(setup: Setup, constrained: bool = True) -> Any:
    """Two potentials without symmetry, d = 3, n = 2, k = 2; what is off the span, and off (P2)."""
    rng, (d, n, k) = setup.rng, (3, 2, 2)
    X, Y = frame(rng, d, d)[:n], rng.normal(size=(n, k))
    grams = [np.eye(d) + 0.3 * (S + S.T) / np.linalg.norm(S + S.T) for S in rng.normal(size=(2, d, d))]
    one, two = (_quadratic(gram) for gram in grams)

    def split(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return z[: d * d].reshape(d, d), z[d * d :].reshape(d, k)

    def value(z: np.ndarray) -> tuple[float, np.ndarray]:
        (a, at), (b, bt) = (f(Z) for f, Z in zip((one, two), split(z), strict=True))
        return a + b, np.concatenate([at.ravel(), bt.ravel()])

    def residuals(z: np.ndarray) -> np.ndarray:
        return (X @ split(z)[0] @ split(z)[1] - Y).ravel() if constrained else 0 * z[: n * k]

    start = np.concatenate([frame(rng, d, d).ravel(), rng.normal(size=d * k)])
    options = {"ftol": 1e-15, "maxiter": 1000 if constrained else 2}
    z = minimize(
        value, start, jac=True, method="SLSQP", constraints={"type": "eq", "fun": residuals}, options=options
    ).x
    Z1, Z2 = split(z)
    pulled = np.linalg.solve(Z1.T, two(Z2)[1])
    off = pulled - np.linalg.pinv(X) @ X @ pulled
    gap = np.concatenate([off.ravel(), (one(Z1)[1] - pulled @ Z2.T).ravel()])
    return Evidence(float(np.max(np.abs(gap)) / np.max(np.abs(pulled @ Z2.T))))


first_order_conditions.breaks("a point that is no minimum over the interpolators", constrained=False)


@first_order_conditions.proof("d = 2, n = 1, k = 2, symbols for all entries and for the multiplier λ")
def from_the_lagrangian(spoiled: bool) -> Any:
    """∇Ψ is minus the gradient of ⟨λ, XZ₁Z₂⟩ in each factor, by differentiating; (P1) and (P2) follow."""
    from sympy import Matrix, diff, symbols

    X, Z1 = Matrix(1, 2, symbols("x:2")), Matrix(2, 2, symbols("a:4"))
    Z2, multiplier = Matrix(2, 2, symbols("b:4")), Matrix(1, 2, symbols("m:2"))
    pairing = (multiplier * (X * Z1 * Z2).T)[0]
    one, two = -diff(pairing, Z1), -diff(pairing, Z2)
    pulled = Z1.inv().T * two
    return [pulled, one], [-X.T * multiplier, pulled * (Z2 if spoiled else Z2.T)]


def _least_squares(kernel: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.zeros((kernel.shape[1], 2))


def _random_step(kernel: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    step = rng.normal(size=(kernel.shape[1], 2))
    return 0.5 * step / np.linalg.norm(step)


@claim(
    "varre2023",
    "section 3.1, after Theorem 3.1",
    "The interpolator of least nuclear norm is that of least Frobenius norm",
    quote=r"the minimum nuclear norm solution  $\beta \in \operatorname{argmin}_{X\beta=Y} \|\beta\|_*$  (which is "
    r"also the minimum  $\ell_2$ -norm interpolator for the problem we study).",
    tolerance=1e-6,
    why="BFGS stops at a gradient of 1e-5, which is 1e-10 in the value",
)
def nuclear_norm(setup: Setup, at: Callable[..., np.ndarray] = _least_squares) -> Any:
    """The nuclear norm of X⁺Y (moved along the kernel of X), and the least over the interpolators."""
    rng = setup.rng
    task = draw_task(rng, d=5, n=3)
    kernel = np.linalg.svd(task.X)[2][3:].T
    base = np.linalg.pinv(task.X) @ task.Y

    def value(c: np.ndarray) -> tuple[float, np.ndarray]:
        U, s, Vt = np.linalg.svd(base + kernel @ c.reshape(2, 2), full_matrices=False)
        return float(np.sum(s)), (kernel.T @ U @ Vt).ravel()

    least = min(minimize(value, rng.normal(size=4), jac=True, method="BFGS").fun for _ in range(3))
    return value(at(kernel, rng).ravel())[0], least


nuclear_norm.breaks("another interpolator", at=_random_step)


@nuclear_norm.proof("d = 3, n = 1, k = 2, symbols for all entries", whole=False)
def no_cross_terms(spoiled: bool) -> Any:
    """(β* + N)ᵀ(β* + N) = β*ᵀβ* + NᵀN if XN = 0; its root has the larger trace, for the root is monotone."""
    from sympy import Matrix, symbols

    x = Matrix(symbols("x:3"))
    best = x * Matrix([symbols("y:2")])
    across = x.cross(Matrix(symbols("p:3"))) if not spoiled else Matrix(symbols("p:3"))  # orthogonal to x
    N = across * Matrix([symbols("n:2")])
    return (best + N).T * (best + N), best.T * best + N.T * N
