"""Section 1: the tangent kernel, how far it moves, and laziness by scale."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from lazyrich.papers.checks.derivatives import gradient, rate
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import RATES, kernel_distance


@claim(
    "kunin2024",
    "section 1, notation",
    "∂_t f(x) = Σ_i Θ(x, x_i)(y_i − f(x_i)), Θ(x, x') = Σ_p η_p ∂_p f(x) ∂_p f(x'): a tanh network, rates by layer",
    quote=r"The network’s output $f(x;\theta)$ evolves according to the differential equation, $\partial_tf(x;\theta) "
    r"= \sum_{i=1}^n \Theta(x,x_i;\theta)(y_i - f(x_i;\theta))$",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def network_output(setup: Setup, kernel_rates: tuple[float, float] = RATES) -> Any:
    rng, d, h = setup.rng, 3, setup.pick(4, 20)
    X, y, theta = rng.normal(size=(5, d)), rng.normal(size=5), rng.normal(size=h * d + h) / np.sqrt(d)

    def network(theta: Any, X: Any = X) -> Any:
        return np.tanh(X @ theta[: h * d].reshape(h, d).T) @ theta[h * d :]

    def speeds(rates: tuple[float, float]) -> Any:
        return np.repeat(rates, (h * d, h))

    velocity = -speeds(RATES) * gradient(lambda theta: np.sum((network(theta) - y) ** 2) / 2, theta)
    new = rng.normal(size=(4, d))
    features = [gradient(partial(network, X=inputs), theta) for inputs in (new, X)]
    Theta = features[0] * speeds(kernel_rates) @ features[1].T
    return rate(lambda theta: network(theta, new), theta, velocity), Theta @ (y - network(theta))


network_output.breaks("the rates left out of the kernel", kernel_rates=(1.0, 1.0))


@network_output.proof("any function of three parameters with rates of their own, two samples")
def chain_rule_of_the_output(spoilt: bool) -> Any:
    from sympy import Function, Matrix, diag, symbols

    theta, y = symbols("theta:3"), symbols("y:2")
    outputs = Matrix([Function(name)(*theta) for name in ("f0", "f1", "f")])  # at two samples, and elsewhere
    loss = sum((outputs[i] - y[i]) ** 2 for i in range(2)) / 2
    J, rates = outputs.jacobian(theta), diag(*symbols("eta:3"))
    velocity = -rates * Matrix([loss]).jacobian(theta).T
    kernel = J * J.T if spoilt else J * rates * J.T
    found = sum(kernel[2, i] * (y[i] - outputs[i]) for i in range(2))
    return _numbers((J[2, :] * velocity)[0], J, outputs), _numbers(found, J, outputs)


def _numbers(expression: Any, J: Any, outputs: Any) -> Any:
    """Symbols in place of functions and their slopes, so that both sides are polynomials."""
    from sympy import symbols

    values = dict(zip([*J, *outputs], symbols("j:9 o:3"), strict=True))
    return expression.subs(values)


def _gram(J: Any) -> Any:
    return J @ J.T


@claim(
    "kunin2024",
    "section 1, notation",
    "The kernel distance S = 1 − ⟨K₁, K₂⟩/‖K₁‖‖K₂‖ does not depend on the kernels' scales, and 0 ≤ S ≤ 1 (K = JJᵀ)",
    quote=r"which is a scale invariant measure of similarity between the NTK at two times. In the lazy regime $S(0,t) "
    r"\approx 0$, while in the rich regime $0 \ll S(0,t) \le 1$.",
    tolerance=1e-12,
    why="algebra in double precision",
)
def kernel_distance_range(setup: Setup, kernel: Callable[[Any], Any] = _gram) -> Any:
    rng, found, scaled = setup.rng, [], []
    for _ in range(200):
        one, two = (kernel(rng.normal(size=(4, 4))) for _ in range(2))
        found.append(kernel_distance(one, two))
        scaled.append(kernel_distance(3 * one, 0.1 * two))
    return Evidence.together(
        Evidence.equal(scaled, found), Evidence.most(np.max(found), 1.0), Evidence.most(-np.min(found), 0.0)
    )


kernel_distance_range.breaks("matrices that are not positive, as a kernel is", kernel=lambda J: J + J.T)


@kernel_distance_range.proof("S ≤ 1: ⟨JJᵀ, GGᵀ⟩ is the square ‖JᵀG‖²; two samples, two parameters")
def a_sum_of_squares(spoilt: bool) -> Any:
    from sympy import Matrix, symbols

    J, G = Matrix(2, 2, symbols("j:4")), Matrix(2, 2, symbols("g:4"))
    cross = J * G if spoilt else J.T * G
    return (J * J.T * G * G.T).trace(), (cross * cross.T).trace()


@claim(
    "kunin2024",
    "section 1",
    "τf becomes lazy as τ → ∞, if f is zero at initialization: the kernel distance over the training falls as τ⁻² (a "
    "tanh network less its output at the start, the rate divided by τ²)",
    quote=r"They demonstrated that given any finite-width model $f(x;\theta)$ whose output is zero at initialization, "
    r"a scaled version of the model $\tau f(x;\theta)$ will enter the lazy regime as the scale $\tau$ diverges.",
    tolerance=0.1,
    why="an exponent over 30 ≤ τ ≤ 1000, with corrections of relative size 1/τ",
)
def lazy_by_scale(setup: Setup, at_start: float = 0.0) -> Any:
    """A network less its own output at the start, but for a constant."""
    rng, d, h = setup.rng, 3, 16
    X, y = rng.normal(size=(2, d)), rng.choice([-1.0, 1.0], size=2)
    start = np.concatenate([rng.normal(size=h * d), rng.choice([-1.0, 1.0], size=h)])

    def layers(theta: Any) -> tuple[Any, Any]:
        return np.tanh(X @ theta[: h * d].reshape(h, d).T), theta[h * d :]

    def output(theta: Any) -> Any:
        hidden, a = layers(theta)
        return hidden @ a / np.sqrt(h)

    def jacobian(theta: Any) -> Any:
        hidden, a = layers(theta)
        inner = ((1 - hidden**2) * a)[:, :, None] * X[:, None, :]
        return np.concatenate([inner.reshape(len(X), -1), hidden], axis=1) / np.sqrt(h)

    def moved(tau: float) -> float:
        offset = y + tau * (output(start) - at_start)
        found = solve_ivp(
            lambda t, theta: -jacobian(theta).T @ (tau * output(theta) - offset) / tau,
            (0.0, 10.0),
            start,
            rtol=1e-9,
            atol=1e-12,
            method="LSODA",
        )
        return kernel_distance(*(jacobian(theta) @ jacobian(theta).T for theta in (start, found.y[:, -1])))

    scales = np.array([30.0, 100.0, 300.0, 1000.0])
    return Evidence.slope(scales, [moved(tau) for tau in scales], -2.0)


lazy_by_scale.breaks("an output that is not zero at initialization", at_start=0.5)
