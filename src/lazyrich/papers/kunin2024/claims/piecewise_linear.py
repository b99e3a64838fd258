"""Section 5 and appendix C.2: two-layer networks f(x) = Σ_k a_k σ(w_k·x), σ(z) = max(z, γz)."""

from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._bent import GAMMA, features, follow, gates
from lazyrich.papers.kunin2024.claims._networks import (
    RATES,
    ROUNDING,
    SIZES,
    UNIT,
    Array,
    pack,
    unit_vector,
    unpack,
)
from lazyrich.papers.oracles.derivatives import jacobian, rate
from lazyrich.papers.verdicts import Verdict


def _draw_generic(setup: Setup, balanced: bool = False) -> tuple[Array, Array, Array, Array]:
    """Draw generic W, a, X, y with both signs of a; or with δ_k = 0."""
    rng = setup.rng
    W, a = rng.normal(size=(4, 3)), rng.uniform(0.5, 1.5, 4) * np.array([1.0, 1.0, -1.0, -1.0])
    if balanced:
        a *= np.sqrt(RATES[1] / RATES[0]) * np.linalg.norm(W, axis=1) / np.abs(a)
    return W, a, rng.normal(size=(6, 3)), rng.normal(size=6)


def _outputs(theta: Array, X: Array) -> Array:
    W, a = unpack(theta, 3, 4, 1)
    return np.asarray(a[:, 0] @ features(W, X))


def _speed(W: Array, a: Array, X: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return θ, θ̇ from the loss alone, and ξ_k = Σ_i c_ki x_i (f(x_i) − y_i)."""
    theta = pack(W, a)
    J = jacobian(lambda theta: _outputs(theta, X), theta)
    residual = _outputs(theta, X) - y
    return theta, -np.repeat(RATES, (W.size, a.size)) * (J.T @ residual), (gates(W, X) * residual) @ X


def _imbalances(W: Array, a: Array) -> Array:
    return np.asarray(RATES[0] * a**2 - RATES[1] * np.sum(W**2, axis=1))


def _neuron_m(W: Array, a: Array, delta: Array) -> Array:
    """Return M_k from β_k and δ_k, as printed."""
    _, matrix, square = piecewise_flow.formulas
    matrices = []
    for beta, each in zip(a[:, None] * W, delta, strict=True):
        names = {"β_k": beta[:, None], "‖β_k‖": np.linalg.norm(beta), "δ_k": each, "I": np.eye(3)}
        names |= {"η_w": RATES[0], "η_a": RATES[1]}
        matrices.append(matrix.right(names | {"κ_k": np.sqrt(square.right(names))}))
    return np.array(matrices)


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "$β̇_k = −M_kξ_k$ with $M_k = ½(κ_k + δ_k)I + ½(κ_k − δ_k)β_kβ_kᵀ/‖β_k‖²$, $κ_k² = δ_k² + 4η_aη_w‖β_k‖²$, "
    "ξ_k = Σ_i c_ki x_i ρ_i",
    quote=r"The dynamics of $\beta_k = a_kw_k$ are, $$\dot{\beta}_k = -\underbrace{\left(\eta_wa_k^2\mathbf{I}_d + "
    r"\eta_aw_kw_k^\intercal\right)}_{M_k}\underbrace{\textstyle\sum_{i=1}^nc_{ki}x_i(f(x_i;\theta) - y_i)}_{\xi_k}.$$ "
    r"The matrix $M_k \in \mathbb{R}^{d \times d}$ is a preconditioning matrix on the dynamics, and when $\beta_k \neq "
    r"0$, it can be expressed in terms of $\beta_k$ and $\delta_k$.",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_flow(setup: Setup, sign: float = 1.0) -> Any:
    W, a, X, y = _draw_generic(setup)
    theta, speed, xi = _speed(W, a, X, y)
    measured = rate(lambda t: unpack(t, 3, 4, 1)[1] * unpack(t, 3, 4, 1)[0], theta, speed)
    matrices = _neuron_m(W, a, sign * _imbalances(W, a))
    moves = [
        piecewise_flow.formulas[0].right({"M_k": M, "ξ_k": x}) for M, x in zip(matrices, xi[:, :, None], strict=True)
    ]
    return measured, np.array(moves)[:, :, 0]


piecewise_flow.breaks("δ_k of the wrong sign", sign=-1.0)


@piecewise_flow.proof("two inputs, any ξ_k; every number a symbol, √ through κ = η_w a² + η_a‖w‖² ≥ 0")
def one_neuron_in_symbols(spoiled: bool) -> Any:
    from sympy import Matrix, eye, sqrt, symbols

    w, xi, a = Matrix(symbols("w:2")), Matrix(symbols("xi:2")), symbols("a")
    eta_w, eta_a = symbols("eta_w eta_a", positive=True)
    beta, square = a * w, a**2 * w.dot(w)
    moves = (-eta_a * w.dot(xi)) * w + a * (-eta_w * a * xi)
    delta, kappa = eta_w * a**2 - eta_a * w.dot(w), eta_w * a**2 + eta_a * w.dot(w)
    delta = -delta if spoiled else delta
    flow, matrix, root = piecewise_flow.formulas
    names = {"κ_k": kappa, "δ_k": delta, "β_k": beta, "‖β_k‖": sqrt(square), "I": eye(2), "η_w": eta_w, "η_a": eta_a}
    return [kappa**2, moves], [root.right(names), flow.right({"M_k": matrix.right(names), "ξ_k": xi})]


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "The tangent kernel is K_ij = Σ_k c_ki x_iᵀM_kx_j c_kj",
    quote=r"Additionally, the NTK matrix in this setting depends on $M_k$ and $C$, with elements $K_{ij} = \sum_{k = "
    r"1}^h "
    r"c_{ki} x_i^\intercal M_k x_j c_{kj}$.",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_kernel(setup: Setup, gamma: float = GAMMA) -> Any:
    W, a, X, _ = _draw_generic(setup)
    J = jacobian(lambda theta: _outputs(theta, X), pack(W, a))
    opened = gates(W, X, gamma)
    M = _neuron_m(W, a, _imbalances(W, a))
    return (J * np.repeat(RATES, (12, 4))) @ J.T, np.einsum("ki,id,kde,je,kj->ij", opened, X, M, X, opened)


piecewise_kernel.breaks("without the activation pattern", gamma=1.0)


@piecewise_kernel.proof("two samples and inputs, each neuron, its gates c_i as symbols: σ(w·x_i) = c_i w·x_i")
def neuron_kernel(spoiled: bool) -> Any:
    from sympy import Matrix, diag, eye, symbols

    X, w, c, a = Matrix(2, 2, symbols("x:4")), Matrix(symbols("w:2")), symbols("c:2"), symbols("a")
    eta_w, eta_a = symbols("eta_w eta_a", positive=True)
    J = Matrix([a * c[i] * (X.row(i) * w)[0] for i in (0, 1)]).jacobian([*w, a])
    M = eta_w * a**2 * eye(2) + eta_a * w * w.T
    spread = X if spoiled else diag(*c) * X
    return J * diag(eta_w, eta_w, eta_a) * J.T, spread * M * spread.T


def _polar(theta: Array) -> Array:
    """Return β̂_k = sgn(a_k)β_k/‖β_k‖ and μ_k = sgn(a_k)‖β_k‖, side by side."""
    W, a = unpack(theta, 3, 4, 1)
    beta, sign = a * W, np.sign(a.real)
    norm = np.sqrt(np.sum(beta**2, axis=1, keepdims=True))
    return np.hstack([sign * beta / norm, sign * norm])


def _polar_rates(mu: Array, unit: Array, xi: Array, delta: Array) -> Array:
    """Return the derivatives of β̂_k and μ_k as printed."""
    grows, turns, square = piecewise_coordinates.formulas
    rows = []
    for size, way, drive, each in zip(mu, unit, xi, delta, strict=True):
        names = {"μ_k": size, "β̂_k": way[:, None], "ξ_k": drive[:, None], "δ_k": each, "I": np.eye(3)}
        names |= {"η_w": RATES[0], "η_a": RATES[1]}
        names["κ_k"] = np.sqrt(square.right(names))
        rows.append(np.append(turns.right(names), grows.right(names)))
    return np.array(rows)


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "$μ̇_k = −κ_k β̂_k·ξ_k$ and $dβ̂_k/dt = −((κ_k + δ_k)/2μ_k)(I − β̂_kβ̂_kᵀ)ξ_k$, $κ_k² = δ_k² + 4η_aη_wμ_k²$",
    quote=r"$$\dot{\mu}_k = -\sqrt{\delta_k^2 + 4\eta_a\eta_w\mu_k^2}\hat{\beta}_k^\intercal \xi_k, \qquad "
    r"\dot{\hat{\beta}}_k = -\frac{\sqrt{\delta_k^2 + 4\eta_a\eta_w\mu_k^2} + \delta_k}{2\mu_k} \left(\mathbf{I}_d - "
    r"\hat{\beta}_k\hat{\beta}_k^\intercal\right)\xi_k.$$",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_coordinates(setup: Setup, sign: float = 1.0) -> Any:
    W, a, X, y = _draw_generic(setup)
    theta, speed, xi = _speed(W, a, X, y)
    here = _polar(theta)
    return rate(_polar, theta, speed), _polar_rates(here[:, 3], here[:, :3], xi, sign * _imbalances(W, a))


piecewise_coordinates.breaks("δ_k of the wrong sign", sign=-1.0)


@piecewise_coordinates.proof(
    "two inputs, any ξ_k; w = p(cos, sin) with rational cos and sin, √ through κ = η_w a² + η_a p²"
)
def polar_neuron(spoiled: bool) -> Any:
    from sympy import Matrix, eye, symbols

    p, eta_w, eta_a = symbols("p eta_w eta_a", positive=True)
    a, u = symbols("a u", nonzero=True)
    xi, unit = Matrix(symbols("xi:2")), Matrix([(1 - u**2) / (1 + u**2), 2 * u / (1 + u**2)])
    da, dw = -eta_a * p * unit.dot(xi), -eta_w * a * xi
    dp = unit.dot(dw)
    mu, delta, kappa = a * p, eta_w * a**2 - eta_a * p**2, eta_w * a**2 + eta_a * p**2
    delta = -delta if spoiled else delta
    names = {"μ_k": mu, "κ_k": kappa, "δ_k": delta, "β̂_k": unit, "ξ_k": xi, "I": eye(2), "η_w": eta_w, "η_a": eta_a}
    grows, turns, square = (formula.right(names) for formula in piecewise_coordinates.formulas)
    return [da * p + a * dp, (dw - dp * unit) / p, kappa**2], [grows, turns, square]


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "Each neuron of a two-layer piecewise linear network conserves $δ_k = η_w a_k² − η_a‖w_k‖²$, also where it "
    "crosses data",
    quote=r"As in the linear setting, each hidden neuron is associated with a conserved quantity, $\delta_k = \eta_w "
    r"a_k^2 "
    r"- \eta_a\|w_k\|^2$.",
    tolerance=1e-3,
    why="midpoint rule with 2000 steps, of first order where the flow slides along a kink",
)
def piecewise_conservation(setup: Setup, weights: tuple[float, float] = RATES) -> Any:
    W, a, X, y = _draw_generic(setup)
    Ws, As = follow(W, a, X, y, [0.5], 0.5 / 2000)
    names = {"η_w": weights[0], "η_a": weights[1], "a_k": As[-1], "‖w_k‖": np.linalg.norm(Ws[-1], axis=1)}
    return piecewise_conservation.formula.right(names), _imbalances(W, a)


piecewise_conservation.breaks("without the rates", weights=UNIT)


@piecewise_conservation.proof("three inputs, whatever ξ_k is: by the printed flow of a_k and w_k")
def neuron_conserves(spoiled: bool) -> Any:
    from sympy import Matrix, sqrt, symbols

    w, xi, a = Matrix(symbols("w:3")), Matrix(symbols("xi:3")), symbols("a")
    eta_w, eta_a = symbols("eta_w eta_a", positive=True)
    da, dw = -eta_a * w.dot(xi), -eta_w * a * xi
    of_a, of_w = (1, 1) if spoiled else (eta_w, eta_a)
    step = symbols("h")
    moved, names = w + step * dw, {"η_w": of_a, "η_a": of_w, "a_k": a + step * da}
    delta = piecewise_conservation.formula.right(names | {"‖w_k‖": sqrt(moved.dot(moved))})
    return delta.diff(step).subs(step, 0), 0


@claim(
    "kunin2024",
    "section 5, balanced",
    "If δ_k = 0, $M_k = √(η_aη_w)|μ_k|(I + β̂_kβ̂_kᵀ)$, $dβ̂_k/dt = −√(η_aη_w) sgn(μ_k)(I − β̂_kβ̂_kᵀ)ξ_k$ and $μ̇_k = "
    "−2√(η_aη_w)|μ_k| β̂_k·ξ_k$",
    quote=r"When $\delta_k = 0$, $M_k = \sqrt{\eta_a\eta_w}|\mu_k|(\mathbf{I}_d + "
    r"\hat{\beta}_k\hat{\beta}_k^\intercal)$, "
    r"and the dynamics simplify to, $\partial_t\hat{\beta}_k = "
    r"-\sqrt{\eta_a\eta_w}\mathrm{sgn}(\mu_k)(\mathbf{I}_d - \hat{\beta}_k\hat{\beta}_k^\intercal)\xi_k$ and "
    r"$\partial_t\mu_k = -2\sqrt{\eta_a\eta_w}|\mu_k|\hat{\beta}_k^\intercal \xi_k$.",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_balanced(setup: Setup, factor: float = 1.0) -> Any:
    W, a, X, y = _draw_generic(setup, balanced=True)
    theta, speed, xi = _speed(W, a, X, y)
    M = (RATES[0] * a**2)[:, None, None] * np.eye(3) + RATES[1] * W[:, :, None] * W[:, None, :]
    printed = []
    for here, drive in zip(_polar(theta), xi, strict=True):
        names = {"μ_k": here[3], "|μ_k|": abs(here[3]), "β̂_k": here[:3, None], "ξ_k": drive[:, None], "I": np.eye(3)}
        matrix, turn, grows = (
            formula.right(names | {"η_w": RATES[0], "η_a": RATES[1]}) for formula in piecewise_balanced.formulas
        )
        printed.append(np.concatenate([turn[:, 0], [factor * grows], matrix.ravel()]))
    return np.hstack([rate(_polar, theta, speed), M.reshape(4, 9)]), np.array(printed)


piecewise_balanced.breaks("without the 2", factor=0.5)


@piecewise_balanced.proof(
    "a > 0 and a < 0, any inputs: κ = 2√(η_aη_w)|μ| and M's two coefficients at √η_w|a| = √η_a‖w‖"
)
def balanced_neuron(spoiled: bool) -> Any:
    from sympy import Abs, sqrt, symbols

    p, eta_w, eta_a = symbols("p eta_w eta_a", positive=True)
    left, right = [], []
    for sign in (1, -1):
        a = sign * sqrt(eta_a / eta_w) * p
        mu = a * p
        pace = sqrt(eta_a * eta_w)
        kappa = eta_w * a**2 + eta_a * p**2
        left += [kappa, kappa / (2 * mu), eta_w * a**2, eta_a * p**2]
        right += [(1 if spoiled else 2) * pace * Abs(mu), pace * sign, pace * Abs(mu), pace * Abs(mu)]
    return left, right


@claim(
    "kunin2024",
    "section 5, downstream and upstream",
    "For δ_k ≪ 0, M_k ≈ |δ_k|β̂_kβ̂_kᵀ, β̂_k stands still and μ̇_k ≈ −|δ_k|β̂_k·ξ_k; for δ_k ≫ 0, M_k ≈ δ_kI, "
    "dβ̂_k/dt ≈ −δ_kμ_k⁻¹(I − β̂_kβ̂_kᵀ)ξ_k and μ̇_k ≈ −δ_kβ̂_k·ξ_k",
    quote=r"When $\delta_k \ll 0$, $M_k \approx |\delta_k|\hat{\beta}_k\hat{\beta}_k^\intercal$, and the dynamics are "
    r"approximately $\partial_t\hat{\beta}_k = 0$ and $\partial_t\mu_k = -|\delta_k|\hat{\beta}_k^\intercal \xi_k$. … "
    r"When "
    r"$\delta_k \gg 0$, $M_k \approx \delta_k \mathbf{I}_d$, and the dynamics are approximately "
    r"$\partial_t\hat{\beta}_k = "
    r"-\delta_k\mu_k^{-1}(\mathbf{I}_d - \hat{\beta}_k\hat{\beta}_k^\intercal)\xi_k$ and $\partial_t\mu_k = "
    r"-\delta_k\hat{\beta}_k^\intercal \xi_k$.",
    tolerance=0.05,
    why="relative differences of order δ_k⁻²: an exponent, over |δ_k| from 10 to 300",
)
def piecewise_limits(setup: Setup, towards: float = 1.0) -> Evidence:
    """How fast M_k/|δ_k| and the rates over |δ_k|, at fixed β_k and ξ_k, tend to the printed limits."""
    rng = setup.rng
    unit, xi = np.stack([unit_vector(rng, 3) for _ in range(4)]), rng.normal(size=(4, 3))
    mu = rng.uniform(0.5, 1.5, 4) * np.array([1.0, 1.0, -1.0, -1.0])
    along = np.sum(unit * xi, axis=1)[:, None]
    still = np.hstack([0 * xi, -along])
    moving = np.hstack([-(xi - along * unit) / mu[:, None], -along])
    ends = {1.0: (np.stack([np.eye(3)] * 4), moving), -1.0: (unit[:, :, None] * unit[:, None, :], still)}
    measured = []
    for sign in (1.0, -1.0):
        gaps: list[list[float]] = [[], []]
        for size in SIZES:
            kappa = np.sqrt(size**2 + 4 * RATES[0] * RATES[1] * mu**2)
            large, small = (kappa + size) / 2, RATES[0] * RATES[1] * mu**2 * 2 / (kappa + size)
            outer, inner = (large, small) if sign > 0 else (small, large)
            M = outer[:, None, None] * np.eye(3) + inner[:, None, None] * unit[:, :, None] * unit[:, None, :]
            rates = _polar_rates(mu, unit, xi, np.full(4, sign * size))
            gaps[0].append(float(np.linalg.norm(M / size - ends[sign * towards][0])))
            gaps[1].append(float(np.linalg.norm(rates / size - ends[sign * towards][1])))
        measured += [Evidence.slope(SIZES, gap, -2.0) for gap in gaps]
    return Evidence.worst(*measured)


piecewise_limits.breaks("upstream and downstream exchanged", towards=-1.0)


@piecewise_limits.proof(
    "κ/|δ|, (κ + δ)/2|δ| and (κ − δ)/2|δ|, any μ and rates, both limits; M_k and the rates of β̂_k and μ_k, of which "
    "these are the coefficients, are proved at two inputs"
)
def speeds_for_large_delta(spoiled: bool) -> Any:
    from sympy import limit, oo, sqrt, symbols

    measured, (size, r) = [], symbols("size r", positive=True)  # |δ|, √(η_aη_w)|μ|
    for sign in (-1, 1) if spoiled else (1, -1):
        kappa = sqrt(size**2 + 4 * r**2)
        measured += [limit(e / size, size, oo) for e in (kappa, (kappa + sign * size) / 2, (kappa - sign * size) / 2)]
    return measured, [1, 1, 0, 1, 0, 1]


@claim(
    "kunin2024",
    "appendix C.2",
    "As h → ∞ networks without biases still represent only functions with f(cx) = cf(x), c > 0, whose odd part is "
    "linear: "
    "x² on [−1, 1] is missed by √(1/80), root mean square, at every h",
    quote=r"We permit $h > d$, which in the limit as $h \to \infty$, ensures the network possesses the functional "
    r"expressivity to represent any continuous nonlinear function from $\mathbb{R}^d$ to $\mathbb{R}$ passing through "
    r"the "
    r"origin.",
    tolerance=1e-6,
    why="least squares over the last layer, integrals by Gauss's rule",
    verdict=Verdict.FAILS,
    remark="networks without biases, of which the paragraph speaks, are c_+x for x > 0 and c_−x for x < 0 in one "
    "dimension, at every width: the best fit of x² is 3|x|/4. Continuous functions need biases, or a constant input",
)
def any_continuous_function(setup: Setup, missed: float = np.sqrt(1 / 80), bias: float = 0.0) -> Any:
    rng, measured = setup.rng, []
    nodes, weights = np.polynomial.legendre.leggauss(30)
    x = np.concatenate([(nodes - 1) / 2, (nodes + 1) / 2])
    root = np.sqrt(np.concatenate([weights, weights]) / 4)
    for h in (2, 20, 200):
        w = np.abs(rng.normal(size=h)) * np.resize([1.0, -1.0], h)  # of both signs
        z = np.outer(w, x) + bias * rng.uniform(-1, 1, (h, 1))
        sigma = np.maximum(z, GAMMA * z)
        a = np.linalg.lstsq((root * sigma).T, root * x**2)[0]
        measured.append(np.linalg.norm(root * (a @ sigma - x**2)))
    return measured, [missed] * 3


any_continuous_function.printed(missed=0.0)
any_continuous_function.breaks("with biases", bias=1.0)


@any_continuous_function.counterexample
def wider_is_not_nearer() -> None:
    import numpy as np

    rng, x = np.random.default_rng(0), np.linspace(-1, 1, 2001)
    for h in (10, 100, 1000):
        hidden = np.maximum(np.outer(x, rng.normal(size=h)), 0)  # ReLU units without biases
        a = np.linalg.lstsq(hidden, x**2, rcond=None)[0]  # the best last layer
        error = np.sqrt(np.mean((hidden @ a - x**2) ** 2))
        assert error > 0.11  # of x², which is continuous and zero at the origin; it does not fall with h


@any_continuous_function.proof(
    "two units, any γ: 2f(1) = f(2), so that 2(f(1) − 1) − (f(2) − 4) = 2: x² is missed at 1 or 2"
)
def homogeneous(spoiled: bool) -> Any:
    from sympy import Abs, symbols

    w, a = symbols("w:2", real=True), symbols("a:2", real=True)
    gamma, bias = symbols("gamma bias", real=True)

    def f(x: int) -> Any:
        z = [wk * x + (bias if spoiled else 0) for wk in w]
        return sum(ak * ((1 + gamma) * zk + (1 - gamma) * Abs(zk)) / 2 for ak, zk in zip(a, z, strict=True))

    return 2 * (f(1) - 1) - (f(2) - 4), 2
