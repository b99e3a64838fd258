"""Appendix B.1.1: the parameters themselves, on whitened inputs at unit rates."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import expm

from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.kunin2024.claims._networks import FLOW, UNIT, Array, modes
from lazyrich.papers.oracles import flows
from lazyrich.papers.verdicts import Verdict


def _one_output(setup: Setup) -> tuple[Array, Array, Array, Array]:
    """Draw W, a, β* with ‖β*‖ = 2, and return them with Δ."""
    rng = setup.rng
    W, a, target = rng.normal(size=(3, 4)), rng.normal(size=3), rng.normal(size=4)
    return W, a, 2 * target / np.linalg.norm(target), np.outer(a, a) - W @ W.T


def _overlaps(mu: Array, Delta: Array) -> tuple[Array, Array, Array]:
    """Return √(Diag(Δ)² + 4μ²), the diagonal of M, and Q, as printed."""
    delta = np.diag(Delta)
    kappa = np.sqrt(delta**2 + 4 * mu**2)
    overlaps, matrix = one_output_overlaps.formulas
    M = matrix.right({"Diag(Δ)": np.diag(delta), "Diag(μ)": np.diag(mu)})
    return kappa, np.diag(M), np.asarray(overlaps.right({"M": M, "μ": mu[:, None], "Δ": Delta}))


@claim(
    "kunin2024",
    "appendix B.1.1, c = 1",
    "μ_k = a_k‖w_k‖ and φ_k = w_k·β*/(‖w_k‖‖β*‖) obey a closed system: μ̇ = √(Diag(Δ)² + 4Diag(μ)²)(φ − Qμ), "
    "φ̇ = M Diag(μ)((‖β*‖² − φᵀμ)1 + Diag(φ)Qμ − φ²)",
    quote=r"\phi_k = \frac{w_k^\intercal \beta_*}{\|w_k\|\|\beta_*\|}.$$ … \dot{\mu} &= \sqrt{\mathrm{Diag}(\Delta)^2 "
    r"+ "
    r"4\mathrm{Diag}(\mu)^2}\left(\phi - Q\mu\right),\\ \dot{\phi} &= M\mathrm{Diag}(\mu)\left((\|\beta_*\|^2 - "
    r"\phi^\intercal \mu)I_h + \mathrm{Diag}(\phi)Q\mu - \phi^2\right),",
    tolerance=1e-7,
    why="two flows at rtol 1e-12; M is ill-conditioned where w_k is small",
    verdict=Verdict.CORRECTED,
    remark="φ_k = w_k·β*/‖w_k‖, not divided by ‖β*‖ (the two agree if ‖β*‖ = 1)",
)
def one_output_system(setup: Setup, normalized: bool = False, square: float = 1.0) -> Any:
    W, a, target, Delta = _one_output(setup)
    times = [0.1, 0.3, 0.6]
    length = np.linalg.norm(target) if normalized else 1.0

    def polar(W: Array, a: Array) -> Array:
        norms = np.linalg.norm(W, axis=1)
        return np.stack([a * norms, W @ target / (norms * length)])

    def field(y: Array) -> Array:
        mu, phi = y
        kappa, M, Q = _overlaps(mu, Delta)
        return np.stack(
            [kappa * (phi - Q @ mu), M * mu * (target @ target - phi @ mu + phi * (Q @ mu) - square * phi**2)]
        )

    Ws, As = flows.deep_linear([W, a[None]], np.eye(4), target, times)
    return np.stack([polar(V, b[0]) for V, b in zip(Ws, As, strict=True)]), flows.ode(field, polar(W, a), times)


one_output_system.printed(normalized=True)
one_output_system.breaks("without φ²", square=0.0)


@one_output_system.proof(
    "two neurons, two inputs, every number a symbol; w_k = p_k(cos, sin) with rational cos and sin"
)
def polar_system(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    p, a, u = symbols("p:2", positive=True), symbols("a:2"), symbols("u:2")
    target = Matrix(symbols("b:2"))
    unit = [Matrix([(1 - v**2) / (1 + v**2), 2 * v / (1 + v**2)]) for v in u]
    w = [pk * vk for pk, vk in zip(p, unit, strict=True)]
    error = target - a[0] * w[0] - a[1] * w[1]  # β* − β
    mu, phi = [a[k] * p[k] for k in (0, 1)], [unit[k].dot(target) for k in (0, 1)]
    left, right = [], []
    for k in (0, 1):
        dw, da = a[k] * error, w[k].dot(error)
        dp = unit[k].dot(dw)  # of ‖w_k‖
        overlap = sum(unit[k].dot(unit[j]) * mu[j] for j in (0, 1))  # (Qμ)_k
        kappa, M = a[k] ** 2 + p[k] ** 2, 1 / p[k] ** 2  # of δ_k = a_k² − p_k²
        pulled = target.dot(target) - phi[0] * mu[0] - phi[1] * mu[1]
        left += [da * p[k] + a[k] * dp, target.dot(dw) / p[k] - dp * phi[k] / p[k]]
        right += [kappa * (phi[k] - overlap), M * mu[k] * (pulled + phi[k] * overlap - (0 if spoiled else phi[k] ** 2))]
    return left, right


@claim(
    "kunin2024",
    "appendix B.1.1, c = 1",
    "Q_kk' = w_k·w_k'/(‖w_k‖‖w_k'‖) is $Mμμᵀ M − M^½ Δ M^½$, $M = 2(√(Diag(Δ)² + 4Diag(μ)²) − Diag(Δ))⁻¹$",
    quote=r"Using the conserved structure of $\Delta$ we can express $Q$ as a function of $\mu$ and $M$, $$Q = M \mu "
    r"\mu^\intercal M - M^{1/2}\Delta M^{1/2}.$$",
    tolerance=1e-9,
    why="rounding; M is ill-conditioned where w_k is small",
)
def one_output_overlaps(setup: Setup, kept: Callable[[Array], Array] = lambda Delta: Delta) -> Any:
    W, a, _, Delta = _one_output(setup)
    norms = np.linalg.norm(W, axis=1)
    return W @ W.T / np.outer(norms, norms), _overlaps(a * norms, kept(Delta))[2]


one_output_overlaps.breaks("Δ replaced by its diagonal", kept=lambda Delta: np.diag(np.diag(Delta)))


@one_output_overlaps.proof("any two neurons and any number of inputs, through ‖w_k‖ and w_1·w_2")
def overlaps_of_two(spoiled: bool) -> Any:
    from sympy import Matrix, diag, symbols

    p, a = symbols("p:2", positive=True), symbols("a:2")
    r = symbols("r")  # w_1·w_2
    gram = Matrix([[p[0] ** 2, r], [r, p[1] ** 2]])
    Delta = Matrix(a) * Matrix(a).T - gram
    delta = [Delta[k, k] for k in (0, 1)]
    kappa = [a[k] ** 2 + p[k] ** 2 for k in (0, 1)]  # κ² = δ² + 4μ²
    sign = 1 if spoiled else -1
    M = diag(*(2 / (kappa[k] + sign * delta[k]) for k in (0, 1)))
    root, mu = diag(*(1 / pk for pk in p)), Matrix([a[k] * p[k] for k in (0, 1)])
    return root * gram * root, M * mu * mu.T * M - root * Delta * root


TIMES = np.array([0.1, 0.3, 0.5])


def _square_head(setup: Setup, delta: float, stretch: float = 1.0) -> tuple[Array, Array, Array, Array, Array]:
    """Return W, A (c = h), β*, and ν = A⁻¹Wβ*, C = AᵀA along the raw flow; a stretched A is not isotropic."""
    rng = setup.rng
    W, A = modes(rng, 3, 2, 2, (2.0, 1.0), delta, UNIT)
    A = A * np.array([[1 / stretch], [stretch]])
    target = W.T @ A + 0.5 * rng.normal(size=(3, 2))
    Ws, As = flows.deep_linear([W, A.T], np.eye(3), target, TIMES)
    As = np.swapaxes(As, 1, 2)
    return W, A, target, np.linalg.solve(As, Ws @ target), np.swapaxes(As, 1, 2) @ As


@claim(
    "kunin2024",
    "appendix B.1.1, c = h",
    "If Δ = δ I_h and A stays invertible (whitened inputs, unit rates), ν = A⁻¹Wβ* obeys $ν̇ = β*ᵀβ* − δν − ν²$ and C = "
    "AᵀA obeys $Ċ = C(ν + δI) + (ν + δI)ᵀC − 2C²$",
    quote=r"\dot{\nu} &= \beta_*^\intercal\beta_* - \delta \nu - \nu^2, && \nu(0) = A_0^{-1}W_0\beta_*,\\ \dot{C} &= C "
    r"(\nu + \delta \mathbf{I}_h) + (\nu + \delta \mathbf{I}_h)^\intercal C - 2C^2, && C(0) = A_0^\intercal A_0.",
    tolerance=1e-8,
    why="two flows at rtol 1e-12",
)
def matrix_riccati(setup: Setup, stretch: float = 1.0) -> Any:
    measured, predicted = [], []
    for delta in (1.0, -0.7):
        W, A, target, nus, Cs = _square_head(setup, delta, stretch)

        def field(y: Array, delta: float = delta, target: Array = target) -> Array:
            names = {"ν": y[0], "C": y[1], "β*": target, "δ": delta, "I": np.eye(2)}
            return np.stack([formula.right(names) for formula in matrix_riccati.formulas])

        measured.append(np.stack([nus, Cs], axis=1))
        predicted.append(flows.ode(field, np.stack([np.linalg.solve(A, W @ target), A.T @ A]), TIMES))
    return np.stack(measured), np.stack(predicted)


matrix_riccati.breaks("Δ not isotropic", stretch=1.4)


@matrix_riccati.proof("any sizes, by letters that do not commute; WWᵀ = AAᵀ − δI is put in", general=True)
def riccati_and_bernoulli(spoiled: bool) -> Any:
    from sympy import expand, symbols

    A, At, W, Wt, B, Bt = symbols("A At W Wt B Bt", commutative=False)  # B is β*
    delta = symbols("delta", real=True)
    inverse, beta = A**-1, Wt * A
    nu = inverse * W * B
    dA, dW = W * (B - beta), A * (Bt - At * W)
    dAt = (Bt - At * W) * Wt

    def isotropic(expression: Any) -> Any:
        return expand(expand(expression).subs(W * Wt, A * At - (0 if spoiled else delta)))

    d_nu = -inverse * dA * inverse * W * B + inverse * dW * B
    names = {"ν": nu, "β*": B, "β*ᵀ": Bt, "δ": delta, "I": 1, "C": At * A, "(ν + δI)ᵀ": Bt * Wt * At**-1 + delta}
    nus, Cs = (formula.right(names) for formula in matrix_riccati.formulas)
    return (
        [isotropic(d_nu), isotropic(dAt * A + At * dA)],
        [isotropic(nus), isotropic(Cs)],
    )


@claim(
    "kunin2024",
    "appendix B.1.1, c = h",
    "Unless ν and β*ᵀβ* share their eigenvectors this system cannot be easily solved",
    quote=r"Unless we assume that $\nu$ and $\beta_*^\intercal\beta_*$ share the same eigenspace – allowing us to "
    r"decouple "
    r"the dynamics of $\nu$ into a set of scalar Riccati equations – the system cannot be easily solved.",
    tolerance=1e-9,
    why=FLOW + ", against matrix exponentials",
    verdict=Verdict.UNDECIDABLE,
    remark="easily is a matter of taste. One matrix exponential solves it, whatever the eigenvectors: with [Y_A, Y_W] "
    "= "
    "[A₀, W₀] exp(t[[δI, β*ᵀ], [β*, 0]]), ν = Y_A⁻¹Y_Wβ* and C = Y_Aᵀ(I + 2∫Y_AY_Aᵀ)⁻¹Y_A, which is what is checked",
)
def matrix_riccati_solved(setup: Setup, kept: float = 1.0) -> Any:
    delta = -0.7
    W, A, target, nus, Cs = _square_head(setup, delta)
    hamiltonian = np.block([[kept * delta * np.eye(2), target.T], [target, np.zeros((3, 3))]])
    start, first = np.hstack([A, W]), np.diag([1.0, 1.0, 0.0, 0.0, 0.0])
    measured = []
    for t in TIMES:
        Y = start @ expm(hamiltonian * t)
        # Van Loan: the corner of the exponential of a block matrix holds ∫ exp(−Hs)… P exp(Hs) ds.
        blocks = expm(t * np.block([[-hamiltonian, first], [np.zeros((5, 5)), hamiltonian]]))
        integral = start @ blocks[5:, 5:] @ blocks[:5, 5:] @ start.T
        C = Y[:, :2].T @ np.linalg.solve(np.eye(2) + 2 * integral, Y[:, :2])
        measured.append([np.linalg.solve(Y[:, :2], Y[:, 2:] @ target), C])
    return np.array(measured), np.stack([nus, Cs], axis=1)


matrix_riccati_solved.breaks("without δ in the exponential", kept=0.0)
