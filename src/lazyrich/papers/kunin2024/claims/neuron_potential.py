"""Appendix A.4.2: the potential of the neuron's mirror flow."""

from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    SIGNS,
    M_of,
    kappa_of,
    point,
    potential_of,
    stack,
    warp_of,
)
from lazyrich.papers.oracles.derivatives import gradient, rate

STEP = "derivatives by complex step"


@claim(
    "kunin2024",
    "appendix A.4.2",
    "The Hessian of q(‖β‖) is $(q'/‖β‖)I − (q'/‖β‖³ − q''/‖β‖²)ββᵀ$ (at q = sinh)",
    quote=r"The Hessian of this ansatz takes the form, $$\nabla^2 \Phi_\delta(\beta) = \left(\frac{\nabla "
    r"q(\|\beta\|)}{\|\beta\|}\right) I_d - \left(\frac{\nabla q(\|\beta\|)}{\|\beta\|^{3}} - \frac{\nabla^2 "
    r"q(\|\beta\|)}{\|\beta\|^2}\right)\beta\beta^\intercal.$$",
    tolerance=1e-10,
    why=STEP,
)
def radial_hessian(setup: Setup, factor: float = 1.0) -> Any:
    beta = point(setup.rng)
    x = np.linalg.norm(beta)
    names = {"q'": np.cosh(x), "q''": factor * np.sinh(x), "‖β‖": x, "β": beta[:, None], "I": np.eye(3)}
    measured = gradient(lambda b: np.cosh(np.sqrt(b @ b)) * b / np.sqrt(b @ b), beta)
    return measured, radial_hessian.formula.right(names)


radial_hessian.breaks("q'' twice", factor=2.0)


@radial_hessian.proof("two inputs, q of the sixth degree with free coefficients")
def hessian_of_a_radial_function(spoiled: bool) -> Any:
    from sympy import Matrix, Symbol, eye, hessian, sqrt, symbols

    beta, x = Matrix(symbols("beta:2", real=True)), Symbol("x", positive=True)
    q = sum(c * x**n for n, c in enumerate(symbols("c1:7"), 1))
    size = sqrt(beta.dot(beta))
    slope, bend = (q.diff(x, n).subs(x, size) for n in (1, 2))
    names = {"q'": slope, "q''": (2 if spoiled else 1) * bend, "‖β‖": size, "β": beta, "I": eye(2)}
    return hessian(q.subs(x, size), list(beta)), radial_hessian.formula.right(names)


def _slope(x: Any, delta: float) -> Any:
    """Return q' as in the source."""
    return 2 * x / warp_of(x**2, delta)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "$q(x) = ⅓(κ − 2δ)√(κ + δ)$ has $q'(x) = 2x/√(κ + δ)$ and $q''(x) = √(κ + δ)/κ$ > 0 for x ≠ 0, $κ² = δ² + 4x²$",
    quote=r"q(x) &= \frac{1}{3}\left(\sqrt{\delta^2 + 4x^2} - 2\delta\right)\sqrt{\sqrt{\delta^2 + 4x^2} + \delta}\\ "
    r"\nabla q(x) &= \frac{2x}{\sqrt{\sqrt{\delta^2 + 4x^2} + \delta}}\\ \nabla^2 q(x) &= \frac{\sqrt{\sqrt{\delta^2 + "
    r"4x^2} + \delta}}{\sqrt{\delta^2 + 4x^2}} … Furthermore, $\nabla^2 q(x) > 0$ for all $\delta$ as long as $x \neq "
    r"0$",
    tolerance=1e-10,
    why=STEP,
)
def radial_profile(setup: Setup, factor: float = 1.0) -> Any:
    x, pairs = np.array([setup.rng.uniform(0.3, 2.0)]), []
    for delta in SIGNS:
        kappa, g = kappa_of(x**2, delta), warp_of(x**2, delta)
        bend = rate(partial(_slope, delta=delta), x, 1.0)
        names = {"x": x, "δ": delta, "κ": kappa, "q(x)": potential_of(x, delta), "q''(x)": bend}
        names["q'(x)"] = rate(partial(potential_of, delta=delta), x, 1.0) / factor
        pairs += radial_profile.sides(names)
        pairs.append((2 / g - (kappa - delta) / (g * kappa), bend))  # what the second condition asks of q''
    return stack(pairs)


radial_profile.breaks("half of q'", factor=0.5)


@radial_profile.proof("in general: x = ar, δ = a² − r²; q'' = √2a/(a² + r²) is positive", general=True)
def derivatives_of_q(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    x, a, r = symbols("x a r", positive=True)
    delta = symbols("delta", real=True)
    kappa = sqrt(delta**2 + 4 * x**2)
    q, first, second, square = (formula.right({"κ": kappa, "δ": delta, "x": x}) for formula in radial_profile.formulas)
    q *= x if spoiled else 1

    def there(expression: Any) -> Any:
        return _symbols.tidy(expression.subs({x: a * r, delta: a**2 - r**2}))

    return [there(q.diff(x)), there(q.diff(x, 2)), square], [there(first), there(second), kappa**2]


@claim(
    "kunin2024",
    "appendix A.4.2",
    "$∇²Φ_δ(β) = g(‖β‖²)M⁻¹$ for $Φ_δ(β) = ⅓(κ − 2δ)√(κ + δ) + c_δ$, for both signs of δ",
    quote=r"Letting $x = \|\beta\|$ notice $\nabla q(\|\beta\|)$ and $\nabla^2 q(\|\beta\|)$ satisfies the previous "
    r"conditions. … and the potential $\Phi_\delta(\beta)$ is $$\Phi_\delta(\beta) = \frac{1}{3}\left(\sqrt{\delta^2 + "
    r"4\|\beta\|^2} - 2\delta\right)\sqrt{\sqrt{\delta^2 + 4\|\beta\|^2} + \delta} + \max\left(0, "
    r"\mathrm{sgn}(\delta)\frac{\sqrt{2}|\delta|^\frac{3}{2}}{3}\right).$$",
    tolerance=1e-5,
    why="second derivatives by differences of 1e-4, with an error of order 1e-8",
)
def potential(setup: Setup, warp: float = 1.0) -> Any:
    beta, pairs, steps = point(setup.rng), [], 1e-4 * np.eye(3)
    for delta in SIGNS:
        bends, height = potential.formulas

        def printed(beta: Any, delta: float = delta, height: Any = height) -> Any:
            return height.right({"κ": kappa_of(beta @ beta, delta), "δ": delta, "c_δ": 0.0})

        slope = partial(gradient, printed)
        measured = np.array([slope(beta + step) - slope(beta - step) for step in steps]) / 2e-4
        names = {"g(‖β‖²)": warp_of(beta @ beta, delta) ** warp, "M": M_of(beta, delta)}
        pairs.append(bends.sides(names | {"∇²Φ_δ(β)": measured}))
    return stack(pairs)


potential.breaks("without the warp g", warp=0.0)


@potential.proof("two inputs, unit rates, a > 0, any δ: M∇²Φ_δ = g I at β = aw, g = √(κ + δ) = √2 a")
def hessian_of_the_potential(spoiled: bool) -> Any:
    from sympy import Matrix, Symbol, eye, hessian, sqrt, symbols

    delta, beta = Symbol("delta", real=True), Matrix(symbols("beta:2", real=True))
    kappa = sqrt(delta**2 + 4 * beta.dot(beta))
    height = potential.formulas[1].right({"κ": kappa, "δ": delta, "c_δ": beta[0] ** 2 if spoiled else 0})
    net = _symbols.neuron(2, unit=True)
    bent = _symbols.at_neuron(hessian(height, list(beta)), delta, beta, net)
    return (net.a**2 * eye(2) + net.w * net.w.T) * bent, sqrt(2) * net.a * eye(2)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "With $c_δ = max(0, sgn(δ)√2|δ|^{3/2}/3)$, Φ_δ(0) = 0 and Φ_δ(β) > 0 elsewhere",
    quote=r"Thus, the constant $c_\delta = -q(0)$ is $$c_\delta = \begin{cases} 0 & \text{if } \delta \le 0\\ "
    r"\frac{\sqrt{2}|\delta|^\frac{3}{2}}{3} & \text{if } \delta > 0 \end{cases}",
    tolerance=1e-12,
    why=ALGEBRA,
)
def potential_constant(setup: Setup, factor: float = 1.0) -> Any:
    beta = point(setup.rng)
    beta /= np.linalg.norm(beta)
    constants = [factor * potential_constant.formula.right({"δ": delta, "|δ|": abs(delta)}) for delta in SIGNS]
    at_zero = [float(potential_of(0 * beta, delta)) + c for delta, c in zip(SIGNS, constants, strict=True)]
    around = [
        float(potential_of(r * beta, D)) + c for r in (1e-3, 0.1, 1.0) for D, c in zip(SIGNS, constants, strict=True)
    ]
    return Evidence.together(Evidence(float(np.max(np.abs(at_zero)))), Evidence.true(min(around) > 0))


potential_constant.breaks("half of the constant", factor=0.5)


@potential_constant.proof("Φ_δ(0) = 0, in general; that Φ_δ grows with ‖β‖ is q' > 0, above", whole=False)
def least_value(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    D = symbols("D", positive=True)

    def q(delta: Any) -> Any:
        kappa = sqrt(delta**2)
        return (kappa - 2 * delta) * sqrt(kappa + delta) / 3

    shift = 2 if spoiled else 1
    up, down = (potential_constant.formula.right({"δ": each, "|δ|": shift * D}) for each in (D, -D))
    return [q(D) + up, q(-D) + down], [0, 0]


@claim(
    "kunin2024",
    "appendix A.4.2; section 3, theorem 1",
    "$∇Φ_δ(β₀) = ψ_δβ̂₀$ with $ψ_δ = √(κ₀ − δ)$: the bias Φ_δ(β) − ∇Φ_δ(β₀)·β is what theorem 1 minimizes",
    quote=r"Finally, putting it all together, we can express the inductive bias as in .",
    tolerance=1e-10,
    why=STEP,
)
def slope_at_the_start(setup: Setup, sign: float = -1.0) -> Any:
    beta, pairs = point(setup.rng), []
    for delta in SIGNS:
        slope, size = slope_at_the_start.formulas
        psi = size.right({"κ₀": kappa_of(beta @ beta, delta), "δ": -sign * delta})
        names = {"∇Φ_δ(β₀)": gradient(partial(potential_of, delta=delta), beta), "ψ_δ": psi}
        pairs.append(slope.sides(names | {"β̂₀": beta / np.linalg.norm(beta)}))
    return stack(pairs)


slope_at_the_start.breaks("√(κ₀ + δ) for √(κ₀ − δ)", sign=1.0)


@slope_at_the_start.proof("in general: 2‖β‖/√(κ + δ) = √(κ − δ)", general=True)
def two_forms_of_the_slope(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    a, r = symbols("a r", positive=True)
    delta = a**2 - r**2
    kappa = _symbols.tidy(sqrt(delta**2 + 4 * a**2 * r**2))
    one = _symbols.tidy(sqrt((kappa + delta).expand()))
    printed = slope_at_the_start.formulas[1].right({"κ₀": kappa, "δ": -delta if spoiled else delta})
    return 2 * a * r / one, _symbols.tidy(printed)
