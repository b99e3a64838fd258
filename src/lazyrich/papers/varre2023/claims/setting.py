"""Section 2: the loss, its interpolators, the flow and where it starts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.derivatives import gradient
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.varre2023.claims._flow import FLOW, TIMES, draw_task, flow, singular_values


def _output(x: Any, W1: Any, W2: Any) -> Any:
    return W2.T @ W1.T @ x


@claim(
    "varre2023",
    "section 2, parameterization",
    "$f_{λθ} = λ²f_θ$ for every λ",
    quote=r"the prediction function  $f_\theta$  is positively homogeneous of degree 2 in  $\theta$ :  "
    r"$\forall \lambda \in \mathbb{R}$ , it holds that  $f_{\lambda\theta} = \lambda^2 f_\theta$ ",
    tolerance=1e-12,
    why="an identity",
)
def homogeneous(setup: Setup, factor: float = 1.0) -> Any:
    rng = setup.rng
    x, W1, W2 = rng.normal(size=4), rng.normal(size=(4, 6)), rng.normal(size=(6, 2))
    factors = np.array([-1.7, -0.3, 0.0, 0.6, 2.4])
    sides = []
    for scale in factors:
        names = {"f_{λθ}": _output(x, scale * W1, scale * W2), "λ": factor * scale, "f_θ": _output(x, W1, W2)}
        sides.append(homogeneous.formula.sides(names))
    return tuple(np.array(each) for each in zip(*sides, strict=True))


homogeneous.breaks("2λ for λ", factor=2.0)


@homogeneous.proof("d = l = k = 2, symbols for all entries and for λ")
def degree_two(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    W1, W2, x, s = Matrix(2, 2, symbols("a:4")), Matrix(2, 2, symbols("b:4")), Matrix(symbols("x:2")), symbols("s")
    names = {"f_{λθ}": _output(x, s * W1, s * W2), "f_θ": _output(x, W1, W2), "λ": 2 * s if spoiled else s}
    return homogeneous.formula.sides(names)


def _equations(n: int, k: int) -> int:
    """Return the number of equations in Xβ = Y."""
    return n * k


@claim(
    "varre2023",
    "section 2, interpolators",
    "The interpolators β are an affine set of dimension $(d − n)k$, the interpolators (W₁, W₂) a manifold of "
    "dimension $l(d + k) − nk$",
    quote=r"is typically an affine set of dimension  $(d - n)k$ . … is of dimension  $l(d + k) - nk$ .",
    tolerance=1e-12,
    why="ranks are integers; singular values below 1e-8 count as zero, those of random matrices are far above",
)
def dimensions(setup: Setup, equations: Callable[[int, int], int] = _equations) -> Any:
    """Parameters less the rank of the derivative of what is to be Y, at random interpolators."""
    rng, measured, stated = setup.rng, [], []
    for d, n, k, l in ((4, 3, 2, 6), (5, 2, 3, 7), (3, 3, 1, 4)):
        X, W1, W2 = rng.normal(size=(n, d)), rng.normal(size=(d, l)), rng.normal(size=(l, k))
        linear = np.kron(X, np.eye(k))
        both = np.hstack([np.kron(X, W2.T), np.kron(X @ W1, np.eye(k))])
        measured += [A.shape[1] - np.linalg.matrix_rank(A, tol=1e-8) for A in (linear, both)]
        names = {"d": d, "k": k, "l": l, "n": equations(n, k) / k}
        stated += [formula.right(names) for formula in dimensions.formulas]
    return np.array(measured), np.array(stated)


dimensions.breaks("one equation per sample, whatever k", equations=lambda n, k: n)


@dimensions.proof("d = 2, n = 1, k = 1, l = 2: the derivative has full rank wherever XW₁ or W₂ is not zero")
def full_rank(spoiled: bool) -> Any:
    """The Gram matrix of the derivative of XW₁W₂ is ‖X‖²‖W₂‖² + ‖XW₁‖², by differentiating."""
    from sympy import Matrix, symbols

    x, W1, W2 = Matrix(1, 2, symbols("x:2")), Matrix(2, 2, symbols("a:4")), Matrix(2, 1, symbols("b:2"))
    slope = (x * W1 * W2).jacobian([*W1, *W2])
    squares = [sum(entry**2 for entry in part) for part in (x, W2, x * W1)]
    return (slope * slope.T)[0], squares[0] * squares[1] + (2 if spoiled else 1) * squares[2]


@claim(
    "varre2023",
    "section 2, (2.4)",
    "The gradient flow of ½‖XW₁W₂ − Y‖² is $W₁′ = Xᵀ(Y − XW₁W₂)W₂ᵀ$, $W₂′ = W₁ᵀXᵀ(Y − XW₁W₂)$",
    quote=r"\dot{\mathbf{W}}_1 = X^\top (Y - X \mathbf{W}_1 \mathbf{W}_2) \mathbf{W}_2^\top, \quad (2.4a)$$ "
    r"$$\dot{\mathbf{W}}_2 = \mathbf{W}_1^\top X^\top (Y - X \mathbf{W}_1 \mathbf{W}_2).",
    tolerance=1e-12,
    why="derivatives by complex steps, exact to rounding",
)
def gradient_flow(setup: Setup, factor: float = 0.5) -> Any:
    rng = setup.rng
    X, Y = rng.normal(size=(3, 4)), rng.normal(size=(3, 2))
    W1, W2 = rng.normal(size=(4, 5)), rng.normal(size=(5, 2))
    measured = [
        -gradient(lambda W: factor * np.sum((X @ W @ W2 - Y) ** 2), W1),
        -gradient(lambda W: factor * np.sum((X @ W1 @ W - Y) ** 2), W2),
    ]
    names = {"X": X, "Y": Y, "W₁": W1, "W₂": W2, "W₁′": measured[0], "W₂′": measured[1]}
    left, right = zip(*gradient_flow.sides(names), strict=True)
    return np.concatenate([part.ravel() for part in left]), np.concatenate([part.ravel() for part in right])


gradient_flow.breaks("the loss without ½", factor=1.0)


@gradient_flow.proof("d = 2, l = 2, n = k = 1, symbols for all entries")
def by_differentiating(spoiled: bool) -> Any:
    from sympy import Matrix, Rational, diff, symbols

    X, Y = Matrix(1, 2, symbols("x:2")), Matrix(1, 1, symbols("y:1"))
    W1, W2 = Matrix(2, 2, symbols("a:4")), Matrix(2, 1, symbols("b:2"))
    loss = ((X * W1 * W2 - Y)[0]) ** 2 * (1 if spoiled else Rational(1, 2))
    names = {"X": X, "Y": Y, "W₁": W1, "W₂": W2, "W₁′": -diff(loss, W1), "W₂′": -diff(loss, W2)}
    return tuple(zip(*gradient_flow.sides(names), strict=True))


def _layers(theta: np.ndarray) -> np.ndarray:
    """Return β = W₁W₂, where θ holds W₁ (3 × 4) and W₂ (4 × 2)."""
    return theta[:12].reshape(3, 4) @ theta[12:].reshape(4, 2)


def _free_matrix(theta: np.ndarray) -> np.ndarray:
    """Return β, where the other entries of θ have no effect."""
    return theta[:6].reshape(3, 2)


@claim(
    "varre2023",
    "section 2, gradient flow",
    "β ↦ ‖Xβ − Y‖² is convex, (W₁, W₂) ↦ ‖XW₁W₂ − Y‖² is not",
    quote=r"even if the function  $\beta \rightarrow \|X\beta - Y\|^2$  is convex, its reparametrization in terms of  "
    r"$\mathbf{W}_1, \mathbf{W}_2$  is not.",
    tolerance=1e-9,
    why="a yes or no",
)
def not_convex(setup: Setup, predictor: Callable[[np.ndarray], np.ndarray] = _layers) -> Any:
    """Somewhere between two random points the loss lies above the chord."""
    rng = setup.rng
    X, Y = rng.normal(size=(2, 3)), rng.normal(size=(2, 2))

    def loss(theta: np.ndarray) -> float:
        return float(np.sum((X @ predictor(theta) - Y) ** 2))

    pairs = rng.normal(size=(200, 2, 20))
    above = [loss((a + b) / 2) - (loss(a) + loss(b)) / 2 for a, b in pairs]
    return Evidence.true(max(above) > 1e-9, f"above the chord by {max(above):.2g} at most")


not_convex.breaks("in β, where it is convex", predictor=_free_matrix)


@not_convex.proof("a point between two others, in integers: d = l = n = k = 1, X = 1, Y = 0")
def above_the_chord(spoiled: bool) -> Any:
    """(w₁w₂)² is 0 at (2, 0) and at (0, 2), and 1 between; the square of w₁ + w₂ is not above."""
    from fractions import Fraction

    def loss(w1: Fraction, w2: Fraction) -> Fraction:
        return (w1 + w2) ** 2 if spoiled else (w1 * w2) ** 2

    two, one, none = Fraction(2), Fraction(1), Fraction(0)
    return loss(one, one) > (loss(two, none) + loss(none, two)) / 2


def _four_neurons(l: int) -> int:
    return 4


@claim(
    "varre2023",
    "section 2, initialization (a)",
    "d Gaussian vectors in R^l are nearly orthogonal: WWᵀ/l is off I by order 1/√l",
    quote=r"Note that when  $l$  is very large, this setting approximates the real-world scenario of initializing the "
    r"hidden neurons with  $d$  i.i.d. Gaussian vectors in  $\mathbb{R}^l$ , which are known to be almost orthogonal.",
    tolerance=0.05,
    why="an exponent; each size is a mean over 60 draws, which is off by 3 % or so",
)
def gaussian_rows(setup: Setup, vectors: Callable[[int], int] = _four_neurons) -> Any:
    rng, sizes = setup.rng, (50, 200, 800)
    off = []
    for l in sizes:
        d = vectors(l)
        draws = [rng.normal(size=(d, l)) for _ in range(60)]
        off.append(np.mean([np.linalg.norm(W @ W.T / l - np.eye(d), 2) for W in draws]))
    return Evidence.slope(sizes, off, -0.5)


gaussian_rows.breaks("an eighth as many vectors as dimensions: l is not ≫ d", vectors=lambda l: l // 8)


def _balanced_first_layer(P: np.ndarray, W2: np.ndarray, U: np.ndarray) -> np.ndarray:
    """Return W₁ with W₁ᵀW₁ = W₂W₂ᵀ."""
    return U @ W2.T


def _of_the_source(P: np.ndarray, W2: np.ndarray, U: np.ndarray) -> np.ndarray:
    return 0.8 * P


@claim(
    "varre2023",
    "section 2, initialization",
    "From W₁ᵀW₁ = W₂W₂ᵀ, which the flow keeps, the rank of W₁ is at most k at every time, whatever the scale",
    quote=r"This balancedness can be seen as a degeneracy assumption on the flow, since it implies that  "
    r"$\mathbf{W}_1$  has at most rank  $k$  during the entire process, irrespective of the scale of initialization",
    tolerance=1e-7,
    why=FLOW,
)
def balanced_rank(setup: Setup, start: Callable[..., np.ndarray] = _balanced_first_layer) -> Any:
    """The singular values after the k-th, and the imbalance, at three scales."""
    rng = setup.rng
    task, measured = draw_task(rng), []
    W2, U = frame(rng, 6, 6)[:, :2] @ np.diag([1.0, 0.6]), frame(rng, 4, 4)[:, :2]
    for scale in (0.05, 0.5, 1.5):
        path = flow(task, W1=start(task.P, scale * W2, U), W2=scale * W2)
        measured.append(
            Evidence.equal(singular_values(path.W1)[:, 2:] / singular_values(path.W1)[:, :1], np.zeros((len(TIMES), 2)))
        )
        gap = path.W1.swapaxes(1, 2) @ path.W1 - path.W2 @ path.W2.swapaxes(1, 2)
        measured.append(Evidence.equal(gap, 0 * gap))
    return Evidence.worst(*measured)


balanced_rank.breaks("the start of the source, which is not balanced", start=_of_the_source)
