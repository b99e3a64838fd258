"""Section 4 and appendix B.1: two-layer linear networks f(x) = AᵀWx, W (h, d), A (h, c), β = WᵀA."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    FLOW,
    RATES,
    ROUNDING,
    SIZES,
    Array,
    M_of,
    after_a_while,
    data,
    oplus,
    pack,
    unpack,
    velocity,
)
from lazyrich.papers.oracles.derivatives import jacobian
from lazyrich.papers.verdicts import Verdict


def _vec(beta: Array) -> Array:
    """Stack the columns into one vector."""
    return beta.ravel(order="F")


def _draw_network_and_data(setup: Setup, d: int = 4, h: int = 3, c: int = 2) -> tuple[Array, Array, Array, Array]:
    """Draw a generic two-layer network and data."""
    rng = setup.rng
    return rng.normal(size=(h, d)), rng.normal(size=(h, c)), *data(rng, d, c)


def _imbalance(W: Array, A: Array, weights: tuple[float, float]) -> Array:
    """Return weights[0] AAᵀ − weights[1] WWᵀ."""
    return np.asarray(wide_conservation.formula.right({"η_w": weights[0], "η_a": weights[1], "A": A, "W": W}))


@claim(
    "kunin2024",
    "section 4; appendix B.1",
    "WᵀA with h ≥ min(d, c) hidden neurons is every d × c matrix; with fewer, none of a higher rank",
    quote=r"We assume $h \ge \min(d,c)$, such that this parameterization can represent all linear maps from "
    r"$\mathbb{R}^d \to \mathbb{R}^c$.",
    tolerance=1e-12,
    why=ROUNDING,
)
def all_linear_maps(setup: Setup, fewer: int = 0) -> Evidence:
    """The best WᵀA of a random matrix, from its singular vectors; through `fewer` than min(d, c) neurons."""
    rng, measured = setup.rng, []
    for d, c in ((4, 3), (3, 4), (3, 3), (5, 1)):
        beta, h = rng.normal(size=(d, c)), min(d, c) - fewer
        U, s, Vt = np.linalg.svd(beta, full_matrices=False)
        W, A = U[:, :h].T, s[:h, None] * Vt[:h]
        measured.append(Evidence.equal(W.T @ A, beta))
    return Evidence.worst(*measured)


all_linear_maps.breaks("one neuron fewer", fewer=1)


@all_linear_maps.proof("d = 2, c = 3 with h = 2: W = I and A = β; with h = 1 every minor of WᵀA is zero")
def by_the_identity(spoiled: bool) -> Any:
    from sympy import Matrix, eye, symbols

    beta, w, a = Matrix(2, 3, symbols("b:6")), Matrix(1, 2, symbols("w:2")), Matrix(1, 3, symbols("a:3"))
    minor = (w.T * a)[:, :2].det()
    return [eye(2).T * beta, Matrix([minor])], [beta, Matrix([1 if spoiled else 0])]


@claim(
    "kunin2024",
    "section 4",
    "$Δ = η_w AAᵀ − η_a WWᵀ$ is conserved by the flow of a two-layer linear network, for any data",
    quote=r"The rescaling symmetry between $A$ and $W$ implies the $h \times h$ matrix $\Delta =  "
    r"\eta_wA_0A_0^\intercal - \eta_aW_0W_0^\intercal$ is conserved throughout gradient flow",
    tolerance=1e-9,
    why=FLOW,
)
def wide_conservation(setup: Setup, weights: tuple[float, float] = RATES) -> Any:
    W, A, X, Y = _draw_network_and_data(setup, *setup.size((4, 3, 2), (8, 6, 5)))
    return _imbalance(*after_a_while(W, A, X, Y, time=2.0), weights), _imbalance(W, A, weights)


wide_conservation.breaks("the rates of the layers exchanged", weights=RATES[::-1])


@wide_conservation.proof("any sizes and any loss: letters that do not commute stand for the matrices", general=True)
def nothing_drives_the_imbalance(spoiled: bool) -> Any:
    from sympy import expand, symbols

    # G = ∂L/∂β, (d, c); At, Wt, Gt are the transposes.
    A, At, W, Wt, G, Gt = symbols("A At W Wt G Gt", commutative=False)
    eta_w, eta_a = symbols("eta_w eta_a", positive=True)
    dA, dAt, dW, dWt = -eta_a * W * G, -eta_a * Gt * Wt, -eta_w * A * Gt, -eta_w * G * At
    of_A, of_W = (eta_a, eta_w) if spoiled else (eta_w, eta_a)
    step = symbols("h")
    moved = {"A": A + step * dA, "Aᵀ": At + step * dAt, "W": W + step * dW, "Wᵀ": Wt + step * dWt}
    imbalance = wide_conservation.formula.right(moved | {"η_w": of_A, "η_a": of_W})
    return expand(imbalance).diff(step).subs(step, 0), 0


@claim(
    "kunin2024",
    "appendix B.1",
    "Δ = A₀A₀ᵀ − W₀W₀ᵀ is conserved under Ȧ = −η_a WXᵀ(Xβ − Y), Ẇᵀ = −η_w Xᵀ(Xβ − Y)Aᵀ",
    quote=r"the rescaling symmetry in this model between the first and second layer implies the $h \times h$ matrix "
    r"$\Delta =  A_0A_0^\intercal - W_0W_0^\intercal$ determined at initialization remains conserved throughout "
    r"gradient flow",
    tolerance=1e-12,
    why="derivatives by complex steps, exact to rounding",
    verdict=Verdict.CORRECTED,
    remark="the rates are missing: η_w AAᵀ − η_a WWᵀ is conserved, as in section 4 (as printed if η_w = η_a)",
)
def wide_conservation_in_the_appendix(setup: Setup, weights: tuple[float, float] = RATES) -> Any:
    W, A, X, Y = _draw_network_and_data(setup)
    dW, dA = velocity(W, A, X, Y)
    printed = -RATES[0] * (X.T @ (X @ W.T @ A - Y) @ A.T).T, -RATES[1] * W @ X.T @ (X @ W.T @ A - Y)
    np.testing.assert_allclose(pack(dW, dA), pack(*printed), rtol=1e-10, atol=1e-10)  # the printed Ẇ and Ȧ are right
    grows, size = dA @ A.T + A @ dA.T, np.linalg.norm(dA @ A.T + A @ dA.T)
    return (weights[0] * grows - weights[1] * (dW @ W.T + W @ dW.T)) / size, np.zeros((3, 3))


wide_conservation_in_the_appendix.printed(weights=(1.0, 1.0))
wide_conservation_in_the_appendix.breaks("the rates of the layers exchanged", weights=RATES[::-1])


@wide_conservation_in_the_appendix.proof(
    "any sizes: what is printed drifts by (η_w − η_a)(AGᵀWᵀ + WGAᵀ), G = ∂L/∂β", general=True
)
def drift_without_the_rates(spoiled: bool) -> Any:
    from sympy import expand, symbols

    A, At, W, Wt, G, Gt = symbols("A At W Wt G Gt", commutative=False)
    eta_w, eta_a = symbols("eta_w eta_a", positive=True)
    grows_A = -eta_a * (W * G * At + A * Gt * Wt)
    grows_W = -eta_w * (A * Gt * Wt + W * G * At)
    drift = (0 if spoiled else eta_w - eta_a) * (A * Gt * Wt + W * G * At)
    return expand(grows_A - grows_W - drift), 0


@claim(
    "kunin2024",
    "section 4 and appendix B.1",
    "The tangent kernel is $K = (I_c ⊗ X)(η_w AᵀA ⊕ η_a WᵀW)(I_c ⊗ Xᵀ)$, outputs stacked column by column",
    quote=r"characterizes the NTK matrix $K = \left(\mathbf{I}_{c} \otimes X\right)M\left(\mathbf{I}_{c} \otimes "
    r"X^\intercal\right)$",
    tolerance=1e-12,
    why=ROUNDING,
)
def wide_tangent_kernel(setup: Setup, rates: tuple[float, float] = RATES) -> Any:
    W, A, X, _ = _draw_network_and_data(setup)

    def outputs(theta: Array) -> Array:
        first, last = unpack(theta, 4, 3, 2)
        return _vec(X @ first.T @ last)

    J = jacobian(outputs, pack(W, A))
    K = (J * np.repeat(RATES, (W.size, A.size))) @ J.T
    names = {"K": K, "I_c": np.eye(2), "X": X, "A": A, "W": W, "η_w": rates[0], "η_a": rates[1]}
    return wide_tangent_kernel.formula.sides(names)


wide_tangent_kernel.breaks("the rates of the layers exchanged", rates=RATES[::-1])


@wide_tangent_kernel.proof("two samples, two inputs, two hidden units, two outputs; every number a symbol")
def kernel_is_a_kronecker_sum(spoiled: bool) -> Any:
    from sympy import Matrix, diag, eye, symbols

    X, W, A = (Matrix(2, 2, symbols(f"{name}:4")) for name in "xwa")
    eta_w, eta_a = symbols("eta_w eta_a")
    outputs = (X * W.T * A).T.reshape(4, 1)  # column by column
    J = outputs.jacobian([*W, *A])
    rates = diag(*[eta_w] * 4, *[eta_a] * 4)
    names = {"K": J * rates * J.T, "I_c": eye(2), "X": X, "A": A, "W": W, "η_w": eta_w, "η_a": eta_a}
    return wide_tangent_kernel.formula.sides(names | ({"A": W, "W": A} if spoiled else {}))


@claim(
    "kunin2024",
    "section 4 and appendix B.1.2",
    "$vec(β̇) = −(η_w AᵀA ⊕ η_a WᵀW) vec(XᵀXβ − XᵀY)$, vec stacking columns",
    quote=r"$$\mathrm{vec}\left(\dot{\beta}\right) = -\underbrace{\left(\eta_wA^{\intercal}A \oplus "
    r"\eta_aW^{\intercal}W\right)}_{M} \mathrm{vec}(X^\intercal X\beta - X^\intercal Y),$$",
    tolerance=1e-12,
    why=ROUNDING,
)
def wide_function_flow(setup: Setup, stack: Callable[[Array], Array] = _vec) -> Any:
    W, A, X, Y = _draw_network_and_data(setup)
    dW, dA = velocity(W, A, X, Y)
    moves, slope = dW.T @ A + W.T @ dA, X.T @ X @ W.T @ A - X.T @ Y
    names = {"vec(β̇)": stack(moves)[:, None], "vec(XᵀXβ − XᵀY)": stack(slope)[:, None], "A": A, "W": W}
    return wide_function_flow.formula.sides(names | {"η_w": RATES[0], "η_a": RATES[1]})


wide_function_flow.breaks("vec stacking rows", stack=np.ravel)


@wide_function_flow.proof("three inputs, two hidden units, two outputs, any gradient G; every number a symbol")
def vectorized_flow(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    W, A, G = (Matrix(2, 3, symbols("w:6")), Matrix(2, 2, symbols("a:4")), Matrix(3, 2, symbols("g:6")))
    eta_w, eta_a = symbols("eta_w eta_a")
    moves = (-eta_w * A * G.T).T * A + W.T * (-eta_a * W * G)
    vec = (lambda B: B.reshape(6, 1)) if spoiled else (lambda B: B.T.reshape(6, 1))
    names = {"vec(β̇)": vec(moves), "vec(XᵀXβ − XᵀY)": vec(G), "A": A, "W": W, "η_w": eta_w, "η_a": eta_a}
    return wide_function_flow.formula.sides(names)


def _outer(beta: Array, delta: float) -> tuple[Array, Array]:
    """Return η_w aaᵀ and η_a wwᵀ of one neuron from β = waᵀ and δ, as printed."""
    square = np.sum(beta**2)
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * square)
    return (kappa + delta) / 2 * beta.T @ beta / square, (kappa - delta) / 2 * beta @ beta.T / square


Outer = Callable[[Array, float], tuple[Array, Array]]


@claim(
    "kunin2024",
    "theorem 2",
    "M(t) = Σ_k M_k, each a Kronecker sum given by β_k(t) = w_k a_kᵀ and the conserved δ_k = Δ_kk",
    quote=r"Whenever $\|\beta_k\|_F \neq 0$ for all $k \in [h]$, the matrix $M$ can be expressed as the sum $M = "
    r"\sum_{k = 1}^h M_k$ over hidden neurons where $M_k$ is defined as, … M_k = \left(\frac{\sqrt{\delta_k^2 + "
    r"4\eta_a\eta_w\|\beta_k\|_F^2} + \delta_k}{2}\right)\frac{\beta_k^\intercal\beta_k}{\|\beta_k\|_F^2} \oplus "
    r"\left(\frac{\sqrt{\delta_k^2 + 4\eta_a\eta_w\|\beta_k\|_F^2} - "
    r"\delta_k}{2}\right)\frac{\beta_k\beta_k^\intercal}{\|\beta_k\|_F^2}.",
    tolerance=1e-9,
    why=FLOW,
)
def theorem_2(setup: Setup, outer: Outer = _outer) -> Any:
    W, A, X, Y = _draw_network_and_data(setup)
    Wt, At = after_a_while(W, A, X, Y)
    delta = np.diag(_imbalance(W, A, RATES))
    return M_of(Wt, At), sum(oplus(*outer(np.outer(w, a), dk)) for w, a, dk in zip(Wt, At, delta, strict=True))


theorem_2.breaks("δ_k of the wrong sign", outer=lambda beta, delta: _outer(beta, -delta))


@theorem_2.proof("each neuron, two inputs and two outputs, every number a symbol; √ through κ = η_w‖a‖² + η_a‖w‖² ≥ 0")
def neuron_from_its_product(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    w, a = Matrix(symbols("w:2")), Matrix(symbols("a:2"))
    eta_w, eta_a = symbols("eta_w eta_a", positive=True)
    beta, square = w * a.T, w.dot(w) * a.dot(a)
    delta, kappa = eta_w * a.dot(a) - eta_a * w.dot(w), eta_w * a.dot(a) + eta_a * w.dot(w)
    sign = -1 if spoiled else 1
    return (
        [kappa**2, eta_w * a * a.T, eta_a * w * w.T],
        [
            delta**2 + 4 * eta_a * eta_w * square,
            (kappa + sign * delta) / 2 * beta.T * beta / square,
            (kappa - sign * delta) / 2 * beta * beta.T / square,
        ],
    )


Unit = Callable[[Array, float, float], Array]


def _product(theta: Array, d: int) -> Array:
    """Return vec(waᵀ)."""
    return _vec(np.outer(theta[:d], theta[d:]))


def _unit_m(beta: Array, kappa: float, delta: float) -> Array:
    """Return M of one hidden unit as printed, for c = 1, d = 1, and both."""
    (d, c), square = beta.shape, np.sum(beta**2)
    if d == c == 1:
        return kappa * np.eye(1)
    formula = one_hidden_unit.formulas[0 if c == 1 else 1]
    names = {"κ": kappa, "δ": delta, "β": beta, "‖β‖": np.sqrt(square), "I": np.eye(max(d, c))}
    return np.asarray(formula.right(names))


@claim(
    "kunin2024",
    "appendix B.1.4",
    "For one hidden unit M is $½(κ+δ) I + ½(κ−δ) ββᵀ/‖β‖²$ if c = 1, $½(κ+δ) βᵀβ/‖β‖² + ½(κ−δ) I$ if d = 1, κ if "
    "both; $κ² = δ² + 4η_aη_w‖β‖²$",
    quote=r"When $h = d = 1$, then $\frac{\beta\beta^\intercal}{\|\beta\|_F^2} = 1$ and thus simplifies to, $$M = "
    r"\frac{\sqrt{\delta^2 + \eta_a \eta_w 4\|\beta\|^2} + \delta}{2}\frac{\beta^\intercal\beta}{\|\beta\|^2} + "
    r"\frac{\sqrt{\delta^2 + \eta_a \eta_w 4\|\beta\|^2} - \delta}{2}\mathbf{I}_c.$$ … When $h = d = c = 1$, then $M = "
    r"\sqrt{\delta^2 + \eta_a \eta_w 4\|\beta\|^2}$",
    tolerance=1e-12,
    why=ROUNDING,
)
def one_hidden_unit(setup: Setup, M: Unit = _unit_m) -> Any:
    rng, measured, predicted = setup.rng, [], []
    for d, c in ((4, 1), (1, 3), (1, 1)):
        w, a = rng.normal(size=(1, d)), rng.normal(size=(1, c))
        J = jacobian(partial(_product, d=d), pack(w, a))
        delta = RATES[0] * np.sum(a**2) - RATES[1] * np.sum(w**2)
        size = np.sqrt(np.sum(w**2) * np.sum(a**2))
        names = {"δ": delta, "η_w": RATES[0], "η_a": RATES[1], "‖β‖": size}
        kappa = np.sqrt(one_hidden_unit.formulas[2].right(names))
        measured.append(((J * np.repeat(RATES, (d, c))) @ J.T).ravel())
        predicted.append(M(w.T @ a, kappa, delta).ravel())
    return np.concatenate(measured), np.concatenate(predicted)


one_hidden_unit.breaks("δ of the wrong sign", M=lambda beta, kappa, delta: _unit_m(beta, kappa, -delta))


@one_hidden_unit.proof("(d, c) = (3, 1), (1, 3), (1, 1); every number a symbol, √ through κ = η_w‖a‖² + η_a‖w‖² ≥ 0")
def one_unit_in_symbols(spoiled: bool) -> Any:
    from sympy import Matrix, eye, sqrt, symbols

    eta_w, eta_a = symbols("eta_w eta_a", positive=True)
    sign, left, right = (-1 if spoiled else 1), [], []
    for d, c in ((3, 1), (1, 3), (1, 1)):
        w, a = Matrix(symbols(f"w:{d}")), Matrix(symbols(f"a:{c}"))
        beta, square = w * a.T, w.dot(w) * a.dot(a)
        delta, kappa = sign * (eta_w * a.dot(a) - eta_a * w.dot(w)), eta_w * a.dot(a) + eta_a * w.dot(w)
        names = {"κ": kappa, "δ": delta, "β": beta, "‖β‖": sqrt(square), "I": eye(max(d, c))}
        printed = None if d == c else one_hidden_unit.formulas[0 if c == 1 else 1].right(names)
        left += [eta_w * a.dot(a) * eye(d) + eta_a * w * w.T if c == 1 else eta_w * a * a.T + eta_a * w.dot(w) * eye(c)]
        right += [kappa * eye(1) if d == c else printed]
    return left, right


def _unit_at(w: Array, a: Array, delta: float) -> Array:
    """Return M of one hidden unit in these directions with ‖β‖ = 1, from its weights."""
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1])
    small = 2 * RATES[0] * RATES[1] / (kappa + abs(delta))  # (κ − |δ|)/2 without cancellation
    large = (kappa + abs(delta)) / 2
    outer, inner = (large, small) if delta > 0 else (small, large)
    return M_of(np.sqrt(inner / RATES[1]) * w[None], np.sqrt(outer / RATES[0]) * a[None])


@claim(
    "kunin2024",
    "appendix B.1.4",
    "One hidden unit: as δ → +∞, M/|δ| tends to I_d (c = 1) or to βᵀβ/‖β‖² (d = 1); as δ → −∞, to ββᵀ/‖β‖² (c = 1) or "
    "I_c (d = 1); if d = c = 1 to 1 both ways",
    quote=r"As $\delta \to \infty$, then the first expression for $M$ becomes proportional to $\mathbf{I}_d$, while "
    r"the second expression for $M$ becomes proportional to the rank-1 projection "
    r"$\frac{\beta^\intercal\beta}{\|\beta\|^2}$. Conversely, as $\delta \to -\infty$, then the first expression for "
    r"$M$ becomes proportional to the rank-1 projection $\frac{\beta\beta^\intercal}{\|\beta\|^2}$, while the second "
    r"expression for $M$ becomes proportional to $\mathbf{I}_c$.",
    tolerance=0.05,
    why="the difference is of order δ⁻²: an exponent, over |δ| from 10 to 300",
)
def one_hidden_unit_limits(setup: Setup, towards: float = 1.0) -> Evidence:
    rng = setup.rng
    w, a = (v / np.linalg.norm(v) for v in (rng.normal(size=4), rng.normal(size=3)))
    one = np.ones(1)
    cases = (  # d, c, the sign of δ, the limit of M/|δ|
        (w, one, towards, np.eye(4)),
        (one, a, towards, np.outer(a, a)),
        (w, one, -towards, np.outer(w, w)),
        (one, a, -towards, np.eye(3)),
        (one, one, towards, np.eye(1)),
        (one, one, -towards, np.eye(1)),
    )
    return Evidence.worst(
        *(
            Evidence.slope(SIZES, [np.linalg.norm(_unit_at(u, v, sign * size) / size - end) for size in SIZES], -2.0)
            for u, v, sign, end in cases
        )
    )


one_hidden_unit_limits.breaks("the two limits exchanged", towards=-1.0)


@one_hidden_unit_limits.proof("the two coefficients over |δ|, any ‖β‖ and rates, both limits")
def coefficients_for_large_delta(spoiled: bool) -> Any:
    from sympy import limit, oo, sqrt, symbols

    size, r = symbols("size r", positive=True)  # |δ|, √(η_aη_w)‖β‖
    measured = []
    for sign in (1, -1):
        kappa, delta = sqrt(size**2 + 4 * r**2), sign * size
        measured += [limit((kappa + s * delta) / (2 * size), size, oo) for s in (1, -1)]
    return measured, [0, 1, 1, 0] if spoiled else [1, 0, 0, 1]
