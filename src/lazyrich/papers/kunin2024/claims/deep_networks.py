"""Appendix B.2: deep linear networks aᵀW_L⋯W_1x of width d, unit rates."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.kunin2024.claims._deep import beta_of, gram, layers_at_time
from lazyrich.papers.kunin2024.claims._networks import FLOW, Array, data, orthonormal, unit_vector
from lazyrich.papers.oracles import flows
from lazyrich.papers.verdicts import Verdict


def _powers(S: Array, count: int) -> list[Array]:
    return [np.linalg.matrix_power(S, power) for power in range(count)]


@claim(
    "kunin2024",
    "definition 12",
    "aaᵀ − W_LW_Lᵀ = δI_h, with h ≥ 2, is possible for δ ≤ 0",
    quote=r"There exists a $\delta \in \mathbb{R}$ such that $aa^\intercal - W_LW_L^\intercal = \delta \mathbf{I}_h$ "
    r"and "
    r"for all $l \in [L-1]$ $W_{l+1}^\intercal W_{l+1} = W_lW_l^\intercal$.",
    tolerance=1e-9,
    why="rounding",
    verdict=Verdict.CORRECTED,
    remark="δ ∈ ℝ must read δ ≤ 0 (unless h = 1): aaᵀ has rank one, so that no network of the definition is upstream",
)
def definition_12_is_downstream(setup: Setup, delta: float = -1.0) -> Any:
    """The nearest that aaᵀ − WWᵀ comes to δI: WWᵀ is the positive part of aaᵀ − δI."""
    rng, measured = setup.rng, []
    for size in (0.0, 0.5, 2.0):
        a = size * unit_vector(rng, 3)
        values, vectors = np.linalg.eigh(np.outer(a, a) - delta * np.eye(3))
        gram = vectors * np.maximum(values, 0) @ vectors.T
        measured.append(np.outer(a, a) - gram)
    return np.stack(measured), np.stack([delta * np.eye(3)] * 3)


definition_12_is_downstream.printed(delta=1.0)
definition_12_is_downstream.breaks("slightly upstream", delta=0.01)


@definition_12_is_downstream.proof("h = 2: v ⟂ a has δ‖v‖² = vᵀ(aaᵀ − WWᵀ)v = −‖Wᵀv‖² ≤ 0; every number a symbol")
def across_the_last_layer(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    a, W = Matrix(symbols("a:2")), Matrix(2, 2, symbols("w:4"))
    v = Matrix([a[0], a[1]]) if spoiled else Matrix([-a[1], a[0]])
    return (v.T * (a * a.T - W * W.T) * v)[0], -(W.T * v).dot(W.T * v)


@claim(
    "kunin2024",
    "appendix B.2, after definition 12",
    "a = 0 and W_l = αO_l with O_l orthogonal is isotropic with $δ = −α²$, and the flow keeps it isotropic",
    quote=r"This assumption can easily be achieved by setting $a = 0$ and $W_l = \alpha O_l$ for all $l \in [L]$, "
    r"where "
    r"$O_l \in \mathbb{R}^{d \times d}$ is an random orthogonal matrix and $\alpha \ge 0$. In this case $\delta = "
    r"-\alpha^2$. … As in the two-layer setting, this structure of the initialization will remain conserved throughout "
    r"gradient flow.",
    tolerance=1e-9,
    why=FLOW,
)
def orthogonal_is_isotropic(
    setup: Setup, draw: Callable[[np.random.Generator], Array] = lambda rng: orthonormal(rng, 4, 4)
) -> Any:
    """W_{l+1}ᵀW_{l+1} − W_lW_lᵀ after a while from three layers so drawn, times 0.8, and a = 0."""
    rng = setup.rng
    layers = [0.8 * draw(rng) for _ in range(3)]
    X, Y = data(rng, 4, 1)
    after = [path[-1] for path in flows.deep_linear([*layers, np.zeros((1, 4))], X, Y, [1.5])]
    measured = [V.T @ V - W @ W.T for W, V in pairwise(after)]
    delta = orthogonal_is_isotropic.formula.right({"α": 0.8})
    return np.stack(measured), np.stack([*[np.zeros((4, 4))] * 2, delta * np.eye(4)])


orthogonal_is_isotropic.breaks("Gaussian layers of the same size", draw=lambda rng: rng.normal(size=(4, 4)) / 2)


@orthogonal_is_isotropic.proof(
    "L = 2, any sizes and any loss, by letters that do not commute: what is conserved", whole=False
)
def deep_conservation(spoiled: bool) -> Any:
    from sympy import expand, symbols

    V, Vt, W, Wt, a, at, g, gt = symbols("V Vt W Wt a at g gt", commutative=False)  # β = WᵀVᵀa, g = ∂L/∂β
    dW, dWt, dV, dVt = -Vt * a * gt, -g * at * V, -a * gt * Wt, -W * g * at
    da, dat = -V * W * g, -gt * Wt * Vt
    lower = dVt * V + Vt * dV - (1 if not spoiled else -1) * (dW * Wt + W * dWt)
    return [expand(lower), expand(da * at + a * dat - dV * Vt - V * dVt)], [0, 0]


@claim(
    "kunin2024",
    "lemma 13",
    "From an isotropic start with d = h, $‖β‖² = ‖a‖²(‖a‖² − δ)^L$ and $ββᵀ = (W_1ᵀW_1)^{L+1} + δ(W_1ᵀW_1)^L$ at all "
    "times",
    quote=r"then for all $t \ge 0$, $$\begin{aligned} \|\beta\|^2 &= \|a\|^2\left(\|a\|^2 - \delta\right)^{L}, "
    r"\label{eq:norm-beta-depth-d}\\ \beta\beta^\intercal &= \left(W_1^\intercal W_1\right)^{L+1} + "
    r"\delta\left(W_1^\intercal W_1\right)^{L}.",
    tolerance=1e-9,
    why=FLOW,
)
def lemma_13(setup: Setup, more: int = 0) -> Any:
    measured, predicted = [], []
    for L, delta in ((1, -0.5), (2, -0.5), (3, -0.5), (2, 0.0)):
        layers = layers_at_time(setup, L, delta)
        beta = beta_of(layers)[:, None]
        names = {"‖a‖": np.linalg.norm(layers[-1]), "‖β‖": np.linalg.norm(beta), "β": beta, "W_1": layers[0]}
        (square, product), (outer, powers) = lemma_13.sides(names | {"δ": delta, "L": L + more})
        measured.append(np.append(outer, square))
        predicted.append(np.append(powers, product))
    return np.stack(measured), np.stack(predicted)


lemma_13.breaks("L + 1 in place of L", more=1)  # its proof has d for the exponent


@lemma_13.proof("L = 1, 2, 3, any d = h, by letters that do not commute; definition 12 is put in")
def telescope(spoiled: bool) -> Any:
    from sympy import expand, symbols

    delta, n = symbols("delta n")  # n = ‖a‖²
    a, at, S, *_ = letters = symbols("a at S W1 W1t W2 W2t W3 W3t", commutative=False)
    W, Wt = letters[3::2], letters[4::2]
    left, right = [], []
    for L in (1, 2, 3):
        power = L + 1 if spoiled else L

        def expressed_in_s(expression: Any, L: int = L) -> Any:
            """aaᵀ = W_LW_Lᵀ + δ, W_{l+1}ᵀW_{l+1} = W_lW_lᵀ, and S = W_1ᵀW_1."""
            expression = expand(expand(expression).subs(a * at, W[L - 1] * Wt[L - 1] + delta))
            for l in range(L - 1, 0, -1):
                while expression.has(W[l]):
                    expression = expand(expression.subs(Wt[l] * W[l], W[l - 1] * Wt[l - 1]))
            return expand(expression.subs(Wt[0] * W[0], S))

        beta, beta_t = a, at
        for l in range(L - 1, -1, -1):
            beta, beta_t = Wt[l] * beta, beta_t * W[l]
        left.append(expressed_in_s(beta * beta_t))
        right.append(S ** (power + 1) + delta * S**power)
        square = beta_t * beta
        for l in range(L - 1):
            square = expand(square.subs(W[l] * Wt[l], Wt[l + 1] * W[l + 1]))
        square = expand(expand(square).subs(W[L - 1] * Wt[L - 1], a * at - delta))
        left.append(expand(square.subs(at * a, n)))
        right.append(expand(n * (n - delta) ** power))
    return left, right


@claim(
    "kunin2024",
    "lemma 13, proof",
    "The product telescopes to ‖β‖² = aᵀ(W_LW_Lᵀ)^d a = aᵀ(aaᵀ − δI_h)^d a",
    quote=r"we can express this telescoped product as $\|\beta\|^2 = a^\intercal\left(W_LW_L^\intercal\right)^d a$. "
    r"When plugging in the conservation between last two layers, this implies $\|\beta\|^2 = "
    r"a^\intercal\left(aa^\intercal - \delta \mathbf{I}_h\right)^d a$",
    tolerance=1e-9,
    why=FLOW,
    verdict=Verdict.CORRECTED,
    remark="the exponent is L, the number of matrices, not d, the number of inputs; the lemma has it right",
)
def lemma_13_exponent(setup: Setup, exponent: Callable[[int, int], int] = lambda L, d: L) -> Any:
    measured, predicted = [], []
    for L, delta in ((1, -0.5), (2, -0.5), (3, -0.5)):
        layers = layers_at_time(setup, L, delta)
        a, W, beta = layers[-1].ravel(), layers[-2], beta_of(layers)
        for S in (W @ W.T, np.outer(a, a) - delta * np.eye(len(a))):
            measured.append(beta @ beta)
            predicted.append(a @ np.linalg.matrix_power(S, exponent(L, len(beta))) @ a)
    return measured, predicted


lemma_13_exponent.printed(exponent=lambda L, d: d)
lemma_13_exponent.breaks("L + 1", exponent=lambda L, d: L + 1)


@lemma_13_exponent.proof("L = 2, any sizes, by letters that do not commute; W_2ᵀW_2 = W_1W_1ᵀ is put in")
def telescoped_norm(spoiled: bool) -> Any:
    from sympy import symbols

    a, at, W1, W1t, W2, W2t = symbols("a at W1 W1t W2 W2t", commutative=False)
    two = (at * W2 * W1 * W1t * W2t * a).subs(W1 * W1t, W2t * W2)
    return two, at * (W2 * W2t) ** (1 if spoiled else 2) * a


@claim(
    "kunin2024",
    "lemma 14",
    "β̇ = −MXᵀρ with M = (W_1ᵀW_1)^L + ‖a‖² Σ_{l<L} (‖a‖² − δ)^l (W_1ᵀW_1)^{L−1−l}, from an isotropic start",
    quote=r"The dynamics of $\beta$ are given by a differential equation $\dot{\beta} = -M X^\intercal \rho$ where "
    r"$M$ is a "
    r"positive semi-definite matrix that solely depends on $\|a\|^2$, $W_1^\intercal W_1$, and $\delta$, $$M =  "
    r"\left(W_1^\intercal W_1\right)^L + \|a\|^2 \left(\sum_{l=0}^{L-1}(\|a\|^2 - \delta)^l\left(W_1^\intercal "
    r"W_1\right)^{L-1-l}\right).$$",
    tolerance=1e-9,
    why=FLOW + "; M is the Gram matrix of ∂β/∂θ by complex steps",
)
def lemma_14(setup: Setup, sign: float = 1.0) -> Any:
    measured, predicted = [], []
    for L, delta in ((1, -0.5), (2, -0.5), (3, -0.5), (2, 0.0)):
        layers = layers_at_time(setup, L, delta)
        square, S = np.sum(layers[-1] ** 2), _powers(layers[0].T @ layers[0], L + 1)
        measured.append(gram(layers))
        predicted.append(S[L] + square * sum((square - sign * delta) ** l * S[L - 1 - l] for l in range(L)))
    return np.stack(measured), np.stack(predicted)


lemma_14.breaks("δ of the wrong sign", sign=-1.0)


@lemma_14.proof("L = 2, any d = h, by letters that do not commute; definition 12 is put in")
def gram_of_two_layers(spoiled: bool) -> Any:
    from sympy import expand, symbols

    delta, n = symbols("delta n")  # n = ‖a‖²
    V, Vt, W, Wt, a, at, S = symbols("V Vt W Wt a at S", commutative=False)  # β = WᵀVᵀa
    by_a = expand((Wt * Vt * V * W).subs(Vt * V, W * Wt)).subs(Wt * W, S)  # ∂β/∂a is WᵀVᵀ
    by_V = S * n  # ∂β/∂V: Wᵀ on the one side, a on the other
    by_W = expand(expand(at * (a * at - delta) * a).subs(at * a, n))  # ‖Vᵀa‖², with VVᵀ = aaᵀ − δ
    return by_a + by_V + by_W, S**2 + n * (S + n - (-delta if spoiled else delta))
