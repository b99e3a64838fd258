"""Section 6 and appendix B: what a neuron conserves, and its metric, which is not a Hessian."""

from typing import Any

import numpy as np

from lazyrich.papers.azulay2021.claims._biases import (
    ROUNDING,
    SOURCE,
    Function,
    data,
    derivative,
    draw_opposed,
    flow,
    leaky_flow,
    metric,
    null_space_projector,
    sizes_of,
    unit,
)
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.verdicts import Verdict


@claim(
    SOURCE,
    "section 6 (theorems 2.1 and 2.2 of Du et al.)",
    "$Δ = aaᵀ − WᵀW$ is conserved by two-layer linear networks, and so is its diagonal, $δ_i = a_i² − ‖w_i‖²$",
    quote=r"\forall t : a_i^2(t) - \|\mathbf{w}_i(t)\|^2 = a_i^2(0) - \|\mathbf{w}_i(0)\|^2 \triangleq \delta_i . … "
    r"\forall t : \mathbf{a}(t)\mathbf{a}(t)^T - \mathbf{W}(t)^\top \mathbf{W}(t) = \mathbf{a}(0)\mathbf{a}(0)^T - "
    r"\mathbf{W}(0)^\top \mathbf{W}(0) \triangleq \mathbf{\Delta}",
    tolerance=1e-9,
    why="integrated at rtol 1e-12",
)
def balance(setup: Setup, slope: float = 1.0) -> Any:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    # every neuron well on one side of each sample, on both sides among them: no kink is met
    sides = rng.uniform(1.0, 2.0, size=(3, len(X))) * rng.choice([-1.0, 1.0], size=(3, len(X)))
    sides[0] = -np.sign(sides[1]) * np.abs(sides[0])
    W, a = sides @ np.linalg.pinv(X).T, rng.uniform(0.2, 0.5, size=3) * rng.choice([-1.0, 1.0], size=3)
    path = leaky_flow(W + rng.normal(size=W.shape) @ null_space_projector(X), a, X, y, slope, np.linspace(0, 0.3, 4))
    W, a = path[..., :-1], path[..., -1]
    whole, diagonal = balance.formulas
    Delta = np.array([whole.right({"a": b[:, None], "W": V.T}) for V, b in zip(W, a, strict=True)])
    deltas = diagonal.right({"a_i": a[0], "‖w_i‖": np.linalg.norm(W[0], axis=1)})
    expected = np.broadcast_to(Delta[0], Delta.shape)
    return np.append(Delta, np.diag(Delta[-1])), np.append(expected, deltas)


balance.breaks("leaky ReLU of slope 0.2, for which only the diagonal is conserved", slope=0.2)


@balance.proof("two neurons, three inputs, any data and residual; every number a symbol")
def rate_of_the_balance(spoiled: bool) -> Any:
    from sympy import Matrix, symbols, zeros

    W, a, pull = Matrix(3, 2, symbols("w:6")), Matrix(symbols("a:2")), Matrix(symbols("p:3"))
    W_dot, a_dot, step = (2 if spoiled else 1) * pull * a.T, W.T * pull, symbols("h")
    moved = balance.formulas[0].right({"a": a + step * a_dot, "W": W + step * W_dot})
    return moved.diff(step).subs(step, 0), zeros(2, 2)


@claim(
    SOURCE,
    "appendix B, the dynamics of the parameters",
    "ȧ = −∂L/∂a = wᵀΣ x r, ẇ = −∂L/∂w = aΣ x r for the loss L = (1/2N)Σr²",
    quote=r"$$\dot{a}_i = -\partial_{a_i} \mathcal{L} = \mathbf{w}_i^\top \left( \sum_{n=1}^N \mathbf{x}^{(n)} "
    r"r^{(n)} \right)$$ $$\dot{\mathbf{w}}_i = -\partial_{\mathbf{w}_i} \mathcal{L} = a_i \left( \sum_{n=1}^N "
    r"\mathbf{x}^{(n)} r^{(n)} \right)$$",
    tolerance=1e-12,
    why=ROUNDING,
    verdict=Verdict.CORRECTED,
    remark="the right sides are N times too large: the 1/N of the loss of section 2 is missing (the clock changes, no "
    "limit does)",
)
def neuron_gradient(setup: Setup, average: bool = True, exchanged: bool = False) -> Any:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    N, d = X.shape
    p = rng.normal(size=d + 1)
    slope = derivative(lambda p: np.sum((y - p[-1] * (X @ p[:-1])) ** 2) / (2 * N), p)
    pull = X.T @ (y - p[-1] * (X @ p[:-1])) / (N if average else 1)
    return -slope, np.append(p[-1] * pull, (pull.sum() * p[-1]) if exchanged else p[:-1] @ pull)


neuron_gradient.printed(average=False)
neuron_gradient.breaks("ȧ with a for w", exchanged=True)


@neuron_gradient.proof("two samples, two inputs; every number a symbol")
def gradient_of_a_neuron(spoiled: bool) -> Any:
    from sympy import Matrix, diff, symbols

    X, y, w, a = Matrix(2, 2, symbols("x:4")), Matrix(symbols("y:2")), Matrix(symbols("w:2")), symbols("a")
    r = y - a * X * w
    loss, pull = (r.T * r)[0] / 4, X.T * r / (1 if spoiled else 2)
    return [-diff(loss, p) for p in (a, *w)], [(w.T * pull)[0], *(a * pull)]


@claim(
    SOURCE,
    "section 6, before theorem 2",
    "with δ ≥ 0 the matrix a²I + wwᵀ of a neuron's dynamics is invertible at all times: a never vanishes",
    quote=r"First, we derive the implicit bias for a fully connected single-neuron assuming $\delta_i \geq 0$ (which "
    r"ensures that we can write the dynamics in the form (4) for invertible $\mathbf{H}$ )",
    tolerance=0.05,
    why="a yes or no: the least singular value stays above δ, which is 0.3",
)
def invertible_metric(setup: Setup, outer: Function = lambda square: np.sqrt(square + 0.3)) -> Any:
    X, y, w, start = draw_opposed(setup, outer)
    W, a = (layer[:, 0] for layer in flow(w, start, X, y, np.linspace(0, 20, 400)))
    least = min(
        np.linalg.svd(b * b * np.eye(len(v)) + np.outer(v, v), compute_uv=False)[-1] for v, b in zip(W, a, strict=True)
    )
    same_signs = bool(np.all(np.sign(a) == np.sign(a[0])))
    return Evidence.true(
        same_signs and least > 0.29, f"least singular value {least:.2g}, a from {a[0]:.2g} to {a[-1]:.2g}"
    )


invertible_metric.breaks("δ < 0: a = 0.1 at the start, and a crosses zero", outer=lambda square: 0.1)


@invertible_metric.proof("three inputs: the determinant is a⁴(a² + ‖w‖²), and a² = δ + ‖w‖²")
def determinant_of_the_dynamics(spoiled: bool) -> Any:
    from sympy import Matrix, eye, symbols

    w, delta = Matrix(symbols("w:3")), symbols("delta", positive=True)
    square = delta + (w.T * w)[0]
    computed = (square * eye(3) + w * w.T).det()
    return computed, square ** (1 if spoiled else 2) * (delta + 2 * (w.T * w)[0])


@claim(
    SOURCE,
    "appendix B, equations (22) and (23)",
    "the metric (a²I + wwᵀ)⁻¹ of a neuron depends on w̃ = aw and δ alone, in the form of equation (23)",
    quote=r"\left( \frac{\delta_i}{2} + \sqrt{\frac{\delta_i^2}{4} + \|\tilde{\mathbf{w}}_i(t)\|^2} \right)^{-1} "
    r"\left( \mathbf{I} - \frac{\tilde{\mathbf{w}}_i(t) \tilde{\mathbf{w}}_i^\top(t)}{2 \left( \frac{\delta_i}{2} + "
    r"\sqrt{\frac{\delta_i^2}{4} + \|\tilde{\mathbf{w}}_i(t)\|^2} \right) \sqrt{\frac{\delta_i^2}{4} + "
    r"\|\tilde{\mathbf{w}}_i(t)\|^2}} \right) \frac{d}{dt} \tilde{\mathbf{w}}_i(t) = \sum_{n=1}^N \mathbf{x}^{(n)} "
    r"r^{(n)}(t). \quad (23)",
    tolerance=1e-12,
    why=ROUNDING,
)
def neuron_metric(setup: Setup, part: float = 1.0) -> Any:
    rng = setup.rng
    w, a = rng.normal(size=5), rng.uniform(0.5, 2.0)
    return np.linalg.inv(a**2 * np.eye(5) + np.outer(w, w)), metric(part * (a**2 - w @ w))(a * w)


neuron_metric.breaks("δ left out", part=0.0)


@neuron_metric.proof("three inputs; every number a symbol, the roots by their squares")
def inverse_by_sherman_and_morrison(spoiled: bool) -> Any:
    from sympy import Matrix, eye, symbols

    w, a = Matrix(symbols("w:3")), symbols("a")
    square = (w.T * w)[0]
    delta, root = a**2 - square, (a**2 + square) / 2
    outer = (0 if spoiled else delta / 2) + root
    H = (eye(3) - a**2 * w * w.T / (2 * outer * root)) / outer
    return [(a**2 * eye(3) + w * w.T) * H, root**2], [eye(3), delta**2 / 4 + a**2 * square]


@claim(
    SOURCE,
    "footnote 3",
    "w ↦ I + wwᵀ is not the Hessian of any function: ∂_k H_ij − ∂_j H_ik = [i = k]w_j − [i = j]w_k",
    quote=r"the innocent-looking $\mathbf{w} \mapsto I + \mathbf{w}\mathbf{w}^\top$ is provably not the Hessian of "
    r"any function, which can be confirmed by checking the condition Eq. (6).",
    tolerance=1e-12,
    why=ROUNDING,
)
def no_hessian_of_rank_one(setup: Setup, twist: float = 1.0) -> Any:
    w, one = setup.rng.normal(size=4), np.eye(4)
    slope = derivative(lambda w: one + np.outer(w, w), w)
    return slope - np.swapaxes(slope, 1, 2), twist * (np.einsum("ik,j", one, w) - np.einsum("ij,k", one, w))


no_hessian_of_rank_one.breaks("no difference, as equation (6) wants", twist=0.0)


@no_hessian_of_rank_one.proof("three inputs, which have every case of i, j and k")
def twist_of_rank_one(spoiled: bool) -> Any:
    from sympy import Matrix, diff, eye, symbols

    w, one = Matrix(symbols("w:3")), eye(3)
    H, cases = one + w * w.T, [(i, j, k) for i in range(3) for j in range(3) for k in range(3)]
    computed = [diff(H[i, j], w[k]) - diff(H[i, k], w[j]) for i, j, k in cases]
    return computed, [0 if spoiled else one[i, k] * w[j] - one[i, j] * w[k] for i, j, k in cases]


@claim(
    SOURCE,
    "appendix B.1",
    "at δ = 0, $∂H_ii/∂w_j = −w_j/‖w‖³ + 3w_i²w_j/2‖w‖⁵$ differs from ∂H_ij/∂w_i = −w_j/2‖w‖³ + …: H is no Hessian map",
    quote=r"\frac{\partial \mathbf{H}_{i,i}(\mathbf{w})}{\partial \mathbf{w}_j} = -\frac{w_j}{\|\mathbf{w}\|^3} + "
    r"\frac{3w_i^2 w_j}{2\|\mathbf{w}\|^5} \neq -\frac{w_j}{2\|\mathbf{w}\|^3} + \frac{3w_i^2 "
    r"w_j}{2\|\mathbf{w}\|^5} = \frac{\partial \mathbf{H}_{i,j}(\mathbf{w})}{\partial \mathbf{w}_i}.",
    tolerance=1e-12,
    why=ROUNDING,
)
def no_hessian_map(setup: Setup, half: float = 0.5) -> Any:
    rng = setup.rng
    w = 1.5 * unit(rng.choice([-1.0, 1.0], size=4) * rng.uniform(0.5, 1.0, size=4))
    x, slope = np.linalg.norm(w), derivative(metric(0.0), w)
    i, j = 0, 2
    rest = 1.5 * w[i] ** 2 * w[j] / x**5
    own = no_hessian_map.formula.right({"w_i": w[i], "w_j": w[j], "‖w‖": x})
    return [slope[i, i, j], slope[i, j, i]], [own, -half * w[j] / x**3 + rest]


no_hessian_map.breaks("the two derivatives taken to be the same, as equation (6) wants", half=1.0)


@no_hessian_map.proof("three inputs; their difference is −w_j/2‖w‖³")
def twist_of_the_metric(spoiled: bool) -> Any:
    from sympy import Matrix, diff, eye, sqrt, symbols

    w = Matrix(symbols("w:3", positive=True))
    x = sqrt((w.T * w)[0])
    H, rest = (eye(3) - w * w.T / (2 * x**2)) / x, 3 * w[0] ** 2 * w[1] / (2 * x**5)
    mixed = -w[1] / ((1 if spoiled else 2) * x**3) + rest
    own = no_hessian_map.formula.right({"w_i": w[0], "w_j": w[1], "‖w‖": x})
    return [diff(H[0, 0], w[1]), diff(H[0, 1], w[0])], [own, mixed]
