"""Sections 5.2.1 and 5.2.2: a sparse classification, its kernel and its margin."""

from typing import Any

import numpy as np
from scipy.linalg import hadamard
from scipy.optimize import nnls

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.smith2022.claims._regression import Array
from lazyrich.papers.verdicts import Grade, Verdict


def sample(rng: np.random.Generator, N: int, n: int, copies: int = 1) -> tuple[Array, Array]:
    """Draw from ρ: the first two coordinates determine the label, the others are noise."""
    x = rng.choice([-1.0, 1.0], (copies, N, n))
    kind = rng.integers(0, 4, (copies, N))
    x[..., 0] = np.select([kind == 0, kind == 1], [1.0, -1.0], 0.0)
    x[..., 1] = np.select([kind == 2, kind == 3], [1.0, -1.0], 0.0)
    return x, np.where(kind < 2, 1.0, -1.0)


def _sparse_net(n: int, neurons: int = 4) -> tuple[Array, Array]:
    """Return u (neurons, n) and v: ±e₁ with v = 1, ±e₂ with v = −1."""
    u = np.zeros((4, n))
    u[[0, 1], 0], u[[2, 3], 1] = (1, -1), (1, -1)
    return u[:neurons], np.array([1.0, 1, -1, -1])[:neurons]


@claim(
    "smith2022",
    "section 5.2.1",
    "u = e₁, −e₁, e₂, −e₂ with v = 1, 1, −1, −1, eight nonzero weights, has no error under ρ; its logistic loss "
    "vanishes as its weights are multiplied, f being 2-homogeneous",
    quote=r"If we choose  $\mathbf{w}$  such that  $\mathbf{u}_1 = e_1$ ,  $\mathbf{u}_2 = -e_1$ ,  $\mathbf{u}_3 = "
    r"e_2$ ,  $\mathbf{u}_4 = -e_2$ , and  $v_1 = v_2 = +1$ ,  $v_3 = v_4 = -1$  then  $\mathbf{w}$  minimizes  "
    r"$\mathbf{w} \mapsto \mathbb{E}_{(\mathbf{x}, y) \sim \rho} [\mathbb{1}_{f(\mathbf{w}, \mathbf{x})y \leq 0}]",
    tolerance=1e-12,
    why="every input of ρ is tried",
)
def sparse_classifier(setup: Setup, neurons: int = 4) -> Any:
    """The risk and the margins of the sparse network over the whole support of ρ, its number of nonzero weights, and
    its logistic loss when all weights are multiplied by 1, 2, 4."""
    n = setup.size(6, 12)
    noise = np.array(np.meshgrid(*[[-1.0, 1.0]] * (n - 2))).reshape(n - 2, -1).T
    heads = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    X = np.array([[*head, *tail] for head in heads for tail in noise])
    y = np.where(X[:, 0] != 0, 1.0, -1.0)
    u, v = _sparse_net(n, neurons)
    margins = y * (np.maximum(X @ u.T, 0) @ v)
    losses = [np.mean(np.logaddexp(0, -y * (np.maximum(X @ (a * u).T, 0) @ (a * v)))) for a in (1.0, 2.0, 4.0)]
    measured = [np.mean(margins <= 0), np.min(margins), np.count_nonzero(u) + np.count_nonzero(v), *losses]
    return np.array(measured), np.array([0.0, 1.0, 8.0, *np.log1p(np.exp([-1.0, -4.0, -16.0]))])


sparse_classifier.breaks("without its last neuron", neurons=3)


@sparse_classifier.proof(
    "any n: its margin is 1 at each of the four values of the coordinates that it sees", general=True
)
def four_heads(spoiled: bool) -> Any:
    from sympy import Max

    weights = [((1, 0), 1), ((-1, 0), 1), ((0, 1), -1), ((0, -1), 1 if spoiled else -1)]
    heads = [((1, 0), 1), ((-1, 0), 1), ((0, 1), -1), ((0, -1), -1)]
    measured = [y * sum(v * Max(0, u[0] * x[0] + u[1] * x[1]) for u, v in weights) for x, y in heads]
    return measured, [1, 1, 1, 1]


@claim(
    "smith2022",
    "section 5.2.1",
    "if y f(w, x) > 0 on all samples, the logistic loss at αw falls in α and tends to 0, so that no finite w "
    "minimizes it",
    quote=r"for any  $\tilde{\mathbf{w}} \in \mathbb{R}^{m \times (n+1)}$  satisfying  $y_i f(\tilde{\mathbf{w}}, "
    r"\mathbf{x}_i) > 0$  for all  $i = 1, \dots, N$ , then  $L(f(\alpha \tilde{\mathbf{w}}, \mathbf{x})) < "
    r"L(f(\tilde{\mathbf{w}}, \mathbf{x}))$  whenever  $\alpha > 1$ .",
    tolerance=1e-9,
    why="a yes or no",
)
def no_finite_minimum(setup: Setup, homogeneous: bool = True) -> Any:
    """A random ReLU network on labels that it gives itself; without homogeneity its output does not grow with α."""
    rng = setup.rng
    X, u, v = sample(rng, 8, 6)[0][0], rng.normal(size=(6, 10)), rng.normal(size=10)
    f = np.maximum(X @ u, 0) @ v
    y, scales = np.sign(f), np.array([1.0, 1.5, 3.0, 10.0, 100.0])
    outputs = [a**2 * f if homogeneous else f / a for a in scales]
    losses = [np.mean(np.logaddexp(0, -y * output)) for output in outputs]
    return Evidence.true(
        np.all(np.diff(losses) < 0) and losses[-1] < 1e-3, f"losses {losses[0]:.2f} to {losses[-1]:.1g}"
    )


no_finite_minimum.breaks("a model whose outputs do not grow with its weights", homogeneous=False)


@no_finite_minimum.proof(
    "one sample of margin q > 0, any α: the derivative is −2αq/(1 + e^{α²q}), the limit 0", general=True
)
def falls_in_the_scale(spoiled: bool) -> Any:
    from sympy import diff, exp, limit, log, oo, symbols

    a, q = symbols("a q", positive=True)
    loss = log(1 + exp(-(a**2) * q))
    return [diff(loss, a), limit(loss, a, oo)], [-(1 if spoiled else 2) * a * q / (1 + exp(a**2 * q)), 0]


def _relu_kernel(X: Array, second: float, first: float) -> Array:
    """Return the ReLU kernel in closed form, with variances `second` of v and `first` of u's entries."""
    norms = np.linalg.norm(X, axis=1)
    angle = np.arccos(np.clip(X @ X.T / np.outer(norms, norms), -1, 1))
    inner = first * np.outer(norms, norms) * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / (2 * np.pi)
    return inner + second * X @ X.T * (np.pi - angle) / (2 * np.pi)


def _random_network_kernel(
    rng: np.random.Generator, X: Array, m: int, sizes: tuple[float, float] = (0.4, 0.7)
) -> Array:
    """Return the kernel of a random network of m neurons, divided by m: v ~ N(0, r_v²), u ~ N(0, r_u² I)."""
    z = X @ (sizes[1] * rng.normal(size=(X.shape[1], m)))
    v = sizes[0] * rng.normal(size=m)
    on = np.where(z >= 0, v, 0.0)
    return (np.maximum(z, 0) @ np.maximum(z, 0).T + (on @ on.T) * (X @ X.T)) / m


@claim(
    "smith2022",
    "section 5.2.1",
    "the ReLU network's kernel at initialization is the expectation of ⟨∇f, ∇f′⟩ over v ~ N(0, r_v²), u ~ N(0, r_u²)",
    quote=r"K_{\mathbf{w}_{r_v, r_u}(0)}(\mathbf{x}, \mathbf{x}') = \mathbb{E}_{v \sim \mathcal{N}(0, r_v), \mathbf{u} "
    r"\sim \mathcal{N}(0, r_u^2)} [\langle \nabla_{(v, \mathbf{u})} f(\mathbf{w}, \mathbf{x}), \nabla_{(v, "
    r"\mathbf{u})} f(\mathbf{w}, \mathbf{x}') \rangle]",
    tolerance=0.02,
    why="a Monte Carlo average over 200 000 neurons, good to half a per cent, against the arc-cosine kernels",
    verdict=Verdict.CORRECTED,
    remark="v ~ N(0, r_v²), and per neuron: r_u²‖x‖‖x′‖(sin θ + (π − θ)cos θ)/2π + r_v²⟨x, x′⟩(π − θ)/2π",
)
def relu_kernel(setup: Setup, second: float = 0.16) -> Any:
    """With r_v = 0.4 and r_u = 0.7; `second` is the variance of v."""
    rng = setup.rng
    X = sample(rng, 5, 6)[0][0]
    off = Evidence.equal(_random_network_kernel(rng, X, setup.size(200_000, 2_000_000)), _relu_kernel(X, second, 0.49))
    return Evidence(off.error, off.summary, Grade.SAMPLED)


relu_kernel.printed(second=0.4)
relu_kernel.breaks("without the share of the hidden layer's gradients", second=0.0)


@claim(
    "smith2022",
    "section 5.2.1",
    "the ReLU network's kernel at initialization, defined as an expectation over the weights, is deterministic; that "
    "of a random network, divided by its width m, is off it by order m^{-1/2}",
    quote=r"Although the neural tangent kernels corresponding to the linear regression model (5) and ReLU neural "
    r"network (10) are both deterministic at their initializations, the latter involves evaluating an expectation over "
    r"the distribution of weight initializations  $(v, \mathbf{u})$ .",
    tolerance=0.04,
    why="an exponent from two hundred networks of each of four widths",
)
def relu_kernel_is_random(setup: Setup, copies: bool = False) -> Any:
    rng = setup.rng
    X, widths = sample(rng, 5, 6)[0][0], np.array([4, 40, 400, 4000])
    widths_used = np.full(4, 4) if copies else widths
    mean = _relu_kernel(X, 0.16, 0.49)
    far = [
        [np.linalg.norm(_random_network_kernel(rng, X, m) - mean) ** 2 for _ in range(setup.size(200, 1000))]
        for m in widths_used
    ]
    return Evidence.slope(widths, np.sqrt(np.mean(far, axis=1)) / np.linalg.norm(mean), -0.5)


relu_kernel_is_random.breaks("networks whose neurons are copies of four", copies=True)


def _pull(q: Array) -> Array:
    """Return −∂ log L/∂q of the logistic loss, even where the loss underflows."""
    low = np.min(q)
    if low < 30:
        return np.exp(-np.logaddexp(0, q)) / np.sum(np.logaddexp(0, -q))
    p = np.exp(low - q)
    return p / np.sum(p)


def _residuals(setup: Setup, size: float, norm: int, levels: tuple[float, ...]) -> list[float]:
    """Measure, at growing margins, how far w/‖w‖ is from nonnegative combinations of the gradients of the smallest
    margins.

    That is the condition of Karush, Kuhn and Tucker for the least ℓ2 (or ℓ1) norm of the weights with margins ≥ 1. The
    noise is orthogonal (rows of a Hadamard matrix), so that no neuron slides along a kink.
    """
    rng = setup.rng
    noise = (hadamard(4) * rng.choice([-1, 1], 4))[rng.permutation(4)].astype(float)
    X, y = np.hstack([[[1.0, 0], [-1, 0], [0, 1], [0, -1]], noise]), np.array([1.0, 1, -1, -1])
    u = size * rng.normal(size=(30, 6))
    v = np.linalg.norm(u, axis=1) * np.tile([1.0, -1.0], 15)
    off: list[float] = []
    for _ in range(40_000):
        z = u @ X.T
        a = np.maximum(z, 0)
        q = y * (v @ a)
        if np.min(q) > levels[len(off)]:
            G = np.concatenate([((z > 0) * v[:, None])[:, None] * X.T, a[:, None]], axis=1).reshape(-1, 4) * y
            w = np.hstack([u, v[:, None]]).ravel()
            w = np.sign(w) if norm == 1 else w
            off.append(nnls(G[:, q < 1.2 * np.min(q)], w)[1] / np.linalg.norm(w))
        if len(off) == len(levels):
            break
        p = 0.3 / max(5.0, np.sum(u**2) + v @ v) * _pull(q) * y
        u, v = u + ((z > 0) * v[:, None] * p) @ X, v + a @ p
    return off


@claim(
    "smith2022",
    "section 5.2.1 and footnotes 2 and 3 (Lyu and Li; Ji and Telgarsky)",
    "the ReLU network's direction w/‖w‖ tends to a KKT point of the least ℓ2 norm of the weights with margins ≥ 1 (not "
    "of their ℓ1 norm)",
    quote=r"In particular, they prove that the vector to which gradient flow direction converges is proportional to a "
    r"KKT point of the  $\ell^2$  max-margin problem.",
    tolerance=0.03,
    why="approached as one over the margin, or the root of the margin where the initialization is left over",
)
def margin_kkt(setup: Setup, norm: int = 2) -> Any:
    off = _residuals(setup, 1e-12, norm, (0.1, 1.0, 10.0, 100.0))
    falls = len(off) == 4 and all(np.diff(off) < 0)
    summary = "off by " + ", ".join(f"{o:.2g}" for o in off) + " at margins 0.1 to 100"
    return Evidence(off[-1] if falls else 1.0, summary)


margin_kkt.breaks("the ℓ1 norm of the weights", norm=1)


@claim(
    "smith2022",
    "section 5.2.2 (Lyu and Li)",
    "rich training occurs at every finite scale: from ReLU networks of weights 0.03, 0.3 and 1 alike w/‖w‖ tends to a "
    "KKT point of the least ℓ2 norm with margins ≥ 1, the later the larger they start",
    quote=r"Lyu and Li proved that for our binary classification problem, rich training occurs at *all finite "
    r"initialization scales* [9]. That is, the implicit biases to which the gradient flow path  $(\mathbf{w}_{r_v, "
    r"r_u}(t))_{t \geq 0}$  is subjected does not depend on  $r_v, r_u \in \mathbb{R}_+$ .",
    tolerance=1e-9,
    why="a yes or no: the residual falls fourfold or more between margins 10 and 10⁴, and is larger the larger the "
    "start",
)
def every_scale(setup: Setup, norm: int = 2) -> Any:
    measured = [_residuals(setup, size, norm, (10.0, 100.0, 1000.0)) for size in (0.03, 0.3, 1.0)]
    rows = np.array([row + [1.0] * (3 - len(row)) for row in measured])
    falls = np.all(np.diff(rows, axis=1) < 0) and np.all(rows[1:, -1] < rows[1:, 0] / 3)
    summary = (
        "; ".join(", ".join(f"{o:.2g}" for o in row) for row in rows) + " at margins 10 to 1000 from 0.03, 0.3 and 1"
    )
    return Evidence.true(falls and np.all(np.diff(rows, axis=0) > 0), summary)


every_scale.breaks("the ℓ1 norm of the weights", norm=1)
