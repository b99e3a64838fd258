"""Section 3, appendices A and A.1: the neuron f(x) = a w·x, its kernel, its minima, what it conserves."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import INTEGRATED, RATES, draw, draw_many, polar, stack
from lazyrich.papers.oracles import flows
from lazyrich.papers.oracles.derivatives import gradient
from lazyrich.papers.verdicts import Verdict


@claim(
    "kunin2024",
    "section 3, equation (1); appendix A",
    "The NTK matrix of the neuron is $K = X(η_w a² I + η_a wwᵀ)Xᵀ$",
    quote=r"K = X \left(\eta_wa^2 \mathbf{I}_d + \eta_aww^\intercal\right)X^\intercal.",
    tolerance=1e-12,
    why="derivatives by complex step",
)
def neuron_ntk(setup: Setup, rates: tuple[float, float] = RATES) -> Any:
    net = draw(setup.rng, 0.6, -0.4, stretch=(0.6, 1.4))
    jacobian = gradient(lambda theta: theta[0] * (net.X @ theta[1:]), net.theta)
    speeds = np.concatenate([[RATES[1]], np.full(len(net.w), RATES[0])])
    K = jacobian * speeds @ jacobian.T
    return neuron_ntk.formula.sides(net.names | {"K": K, "η_w": rates[0], "η_a": rates[1]})


neuron_ntk.breaks("the rates of the two layers exchanged", rates=RATES[::-1])


@neuron_ntk.proof("two samples, three inputs; every number a symbol")
def kernel_of_the_neuron(spoiled: bool) -> Any:
    from sympy import Matrix, diag, symbols

    net, X = _symbols.neuron(3), Matrix(2, 3, symbols("x:6"))
    (eta_w, eta_a), J = net.rates, (X * net.w * net.a).jacobian([net.a, *net.w])
    K = J * diag(eta_a, *[eta_w] * 3) * J.T
    return neuron_ntk.formula.sides(net.names | {"K": K, "X": X, "η_a": (2 if spoiled else 1) * eta_a})


@claim(
    "kunin2024",
    "appendix A",
    "Gradient flow of ½‖aXw − y‖² is $a' = −η_a w·(XᵀXaw − Xᵀy)$, $w' = −η_w a(XᵀXaw − Xᵀy)$",
    quote=r"\dot{a} &= -\eta_a w^\intercal \left(X^\intercal X aw - X^\intercal y\right),  &&a(0) = a_0,\\ … "
    r"\dot{w} &= -\eta_w a \left(X^\intercal X aw - X^\intercal y\right),  &&w(0) = w_0.",
    tolerance=1e-12,
    why="derivatives by complex step",
)
def gradient_flow(setup: Setup, rates: tuple[float, float] = RATES) -> Any:
    net = draw(setup.rng, 0.6, -0.4, stretch=(0.6, 1.4))
    slope = gradient(lambda theta: np.sum((theta[0] * (net.X @ theta[1:]) - net.y) ** 2) / 2, net.theta)
    moves = {"a'": -RATES[1] * slope[0], "w'": -RATES[0] * slope[1:, None], "η_w": rates[0], "η_a": rates[1]}
    return stack(gradient_flow.sides(net.names | moves))


gradient_flow.breaks("the rates of the two layers exchanged", rates=RATES[::-1])


@gradient_flow.proof("two samples, two inputs; every number a symbol")
def slope_of_the_loss(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    X, y, w, a = Matrix(2, 2, symbols("x:4")), Matrix(symbols("y:2")), Matrix(symbols("w:2")), symbols("a")
    error = a * X * w - y
    loss = error.dot(error) / 2
    moves = {"a'": -loss.diff(a), "w'": Matrix([-loss.diff(each) for each in w]), "η_w": 1, "η_a": 1}
    names = {"X": X.T if spoiled else X, "a": a, "w": w, "y": y} | moves
    return tuple(zip(*gradient_flow.sides(names), strict=True))


@claim(
    "kunin2024",
    "appendix A",
    "$a → αa$, $w → w/α$ leaves the function, and so the loss, as it is, for any α ≠ 0",
    quote=r"the symmetry between $a$ and $w$, permitting scaling transformations, $a \to a \alpha$ and $w \to w / "
    r"\alpha$ for any $\alpha \neq 0$ without changing the product $aw$, results in a manifold of minima in parameter "
    r"space.",
    tolerance=1e-12,
    why="algebra in double precision",
)
def rescaling_symmetry(setup: Setup, power: float = 1.0) -> Any:
    rng, losses = setup.rng, []
    net = draw(rng, 0.6, -0.4, stretch=(0.6, 1.4))
    for alpha in (1.0, *rng.uniform(0.3, 3.0, size=3), *rng.uniform(-3.0, -0.3, size=3)):
        outer, inner = rescaling_symmetry.formulas
        a, w = outer.right({"α": alpha, "a": net.a}), inner.right({"α": alpha**power, "w": net.w})
        losses.append(np.sum((a * (net.X @ w) - net.y) ** 2) / 2)
    return losses, np.full_like(losses, losses[0])


rescaling_symmetry.breaks("w is not divided, but multiplied", power=-1.0)


@rescaling_symmetry.proof("two samples, two inputs; every number a symbol")
def loss_is_invariant(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    X, y, w = Matrix(2, 2, symbols("x:4")), Matrix(symbols("y:2")), Matrix(symbols("w:2"))
    a, alpha = symbols("a alpha")

    def loss(a: Any, w: Any) -> Any:
        error = a * X * w - y
        return error.dot(error) / 2

    names = {"α": alpha, "a": a, "w": w * alpha if spoiled else w}
    return loss(*(formula.right(names) for formula in rescaling_symmetry.formulas)), loss(a, w)


@claim(
    "kunin2024",
    "section 3; appendix A.2.1",
    "$μ = a‖w‖$ is invariant under $a → αa$, $w → w/α$, α > 0",
    quote=r"We study the variables $\mu = a \|w\|$, an invariant under the rescale symmetry",
    tolerance=1e-12,
    why="algebra in double precision",
    verdict=Verdict.CORRECTED,
    remark="the symmetry of appendix A is of any α ≠ 0; where α < 0, μ turns its sign (as φ does: μφ is invariant)",
)
def mu_is_invariant(setup: Setup, turn: Callable[[Any], Any] = np.sign) -> Any:
    rng, pairs = setup.rng, []
    net = draw(rng, 0.6, -0.4)
    mu, phi = polar(net.a, net.w, net.target)
    product, outer, inner = mu_is_invariant.formulas
    for alpha in (*rng.uniform(0.3, 3.0, size=3), *rng.uniform(-3.0, -0.3, size=3)):
        a, w = outer.right({"α": alpha, "a": net.a}), inner.right({"α": alpha, "w": net.w})
        measured = product.right({"a": a, "‖w‖": np.linalg.norm(w)}), polar(a, w, net.target)[1]
        pairs.append((measured, (turn(alpha) * mu, np.sign(alpha) * phi)))
    return stack(pairs)


mu_is_invariant.printed(turn=np.ones_like)
mu_is_invariant.breaks("μ as if it grew with α", turn=lambda alpha: alpha)


@mu_is_invariant.proof("two inputs: α > 0 leaves μ and φ, α < 0 turns the signs of both")
def under_rescaling(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    net, left, right = _symbols.neuron(2), [], []
    for sign, alpha in ((1, symbols("alpha", positive=True)), (-1, symbols("alpha", negative=True))):
        product, *moves = mu_is_invariant.formulas
        a, w = (move.right({"α": alpha, "a": net.a, "w": net.w}) for move in moves)
        length = sqrt(w.dot(w).factor())
        turn = 1 if spoiled else sign
        left += [product.right({"a": a, "‖w‖": length}), w.dot(net.pull) / length]
        right += [turn * net.a * net.length, turn * net.along / net.length]
    return left, right


@claim(
    "kunin2024",
    "section 3; appendix A",
    "The minima (a, β*/a) are a curve of two branches, a > 0 and a < 0: there the flow stands still, and its "
    "linearization has one zero eigenvalue, along the curve, and d negative ones",
    quote=r"The minima manifold is a one-dimensional hyperbola where $w \propto \beta_*$ and has two distinct branches "
    r"for positive and negative $a$.",
    tolerance=1e-9,
    why="eigenvalues of a small matrix",
)
def minima_manifold(setup: Setup, rank: int = 3) -> Any:
    rng, measured = setup.rng, []
    net = draw(rng, 0.6, stretch=(0.6, 1.4), rates=RATES, rank=rank)
    for a in (*rng.uniform(0.5, 2.0, size=2), *rng.uniform(-2.0, -0.5, size=2)):
        theta = np.concatenate([[a], net.target / a])
        drift = gradient(net.field, theta)
        tangent = np.concatenate([[1.0], -net.target / a**2])
        slow = np.sort(np.abs(np.linalg.eigvals(drift)))
        measured += [
            Evidence(float(np.max(np.abs(net.field(theta))))),
            Evidence(float(np.max(np.abs(drift @ tangent)))),
            Evidence.true(slow[0] < 1e-12 and slow[1] > 1e-3),  # the others are at least 0.36 · min(a², …)
            Evidence.true(np.max(np.linalg.eigvals(drift).real) < 1e-12),
        ]
    return Evidence.together(*measured)


minima_manifold.breaks("X not of full rank: a surface of minima", rank=2)


@minima_manifold.proof(
    "two inputs, whitened, any rates: the linearized flow takes the tangent (a, −w) to zero", whole=False
)
def tangent_of_the_minima(spoiled: bool) -> Any:
    from sympy import Matrix, zeros

    net = _symbols.neuron(2)
    outer, inner = net.field
    drift = Matrix([outer, *inner]).jacobian([net.a, *net.w])
    there = drift.subs(dict(zip(net.w, net.pull / net.a, strict=True)))
    w = net.pull / net.a
    away = Matrix([net.a, *(w if spoiled else -w)])
    return there * away, zeros(3, 1)


@claim(
    "kunin2024",
    "section 3, footnote 2; appendix A",
    "Where a = 0 and w·Xᵀy = 0, d − 1 dimensions, the flow stands still, and the point is a saddle: "
    "$λ² + η_a‖Xw‖²λ = η_aη_w‖Xᵀy‖²$ has a positive root λ, the rate of escape",
    quote=r"The set of saddle points $\{(a,w)\}$ is the $d-1$ dimensional subspace satisfying $a = 0$ and $w^\intercal "
    r"X^\intercal y = 0$.",
    tolerance=1e-10,
    why="eigenvalues of a small matrix",
)
def saddles(setup: Setup, off: float = 0.0) -> Any:
    net = draw(setup.rng, 0.6, -0.4, stretch=(0.6, 1.4), rates=RATES)
    pull = net.X.T @ net.y
    w = net.w - (net.w @ pull) / (pull @ pull) * pull + off * pull
    theta = np.concatenate([[0.0], w])
    still = np.max(np.abs(net.field(theta)))
    speeds = np.linalg.eigvals(gradient(net.field, theta))
    escape = np.max(speeds.real)
    sizes = {"‖Xw‖": np.linalg.norm(net.X @ w), "‖Xᵀy‖": np.linalg.norm(pull)}
    sides = saddles.formula.sides(net.names | sizes | {"λ": escape})
    return Evidence.together(
        Evidence(still),
        Evidence.true(np.sum(np.abs(speeds) < 1e-12) == len(w) - 1, f"{len(w) - 1} flat directions"),
        Evidence.true(escape > 0),
        Evidence.equal(*sides, f"escape rate {escape:.2g}"),
    )


saddles.breaks("w not orthogonal to Xᵀy", off=0.3)


@saddles.proof("two inputs, any XᵀX, any rates")
def rate_of_escape(spoiled: bool) -> Any:
    from sympy import Matrix, Symbol, sqrt

    net, rate, size = _symbols.neuron(2, whitened=False), Symbol("lambda"), Symbol("s")
    outer, inner = net.field
    across = Matrix([-net.pull[1], net.pull[0]]) * size
    there = {net.a: 0, **dict(zip(net.w, across, strict=True))}
    drift = Matrix([outer, *inner]).jacobian([net.a, *net.w]).subs(there)
    eta_w, eta_a = net.rates
    sizes = {"‖Xw‖": sqrt((across.T * net.gram * across)[0]), "‖Xᵀy‖": sqrt(net.pull.dot(net.pull))}
    names = {"λ": rate, "η_w": eta_w * (2 if spoiled else 1), "η_a": eta_a} | sizes
    left, right = saddles.formula.sides(names)
    return [outer.subs(there), (rate * Matrix.eye(3) - drift).det()], [0, rate * (left - right)]


@claim(
    "kunin2024",
    "section 3; appendix A",
    "From every start but a set of measure zero the flow ends in a global minimum, XᵀX aw = Xᵀy (24 random starts, "
    "each with three data sets, whether XᵀX is invertible or not)",
    quote=r"Except for a measure zero set of initializations which converge to saddle points[^2], all gradient flow "
    r"trajectories will converge to a global minimum, determined by the normal equations $X^\intercal X aw = "
    r"X^\intercal y$.",
    tolerance=1e-6,
    why="after a time of 150 the slowest mode has decayed by e^-20 or more",
)
def global_convergence(setup: Setup, spread: float = 1.0) -> Any:
    """The normal equations at the end: data of full rank and not, unit rates and others."""
    measured, stated = [], []
    for rates, rank in (((1.0, 1.0), 3), (RATES, 3), (RATES, 2)):
        net = draw(setup.rng, 0.6, stretch=(0.8, 1.2), rank=rank, rates=rates)
        gram, pull = net.moments
        end = flows.ode(net.field, spread * draw_many(setup, net), [0.0, 150.0], rtol=1e-9)[-1]
        measured.append((end[:, :1] * end[:, 1:]) @ gram)
        stated.append(np.broadcast_to(pull, measured[-1].shape))
    return np.array(measured), np.array(stated)


global_convergence.breaks("from the origin, which is a saddle", spread=0.0)


@claim(
    "kunin2024",
    "section 3; appendix A.1",
    "$δ = η_w a² − η_a‖w‖²$ is conserved by the flow of a single neuron, for any data and rates",
    quote=r"maintaining the difference $\delta = \eta_wa^2 - \eta_a\|w\|^2 \in \mathbb{R}$ throughout training",
    tolerance=1e-9,
    why=INTEGRATED,
)
def conservation(setup: Setup, rates: tuple[float, float] = RATES) -> Any:
    net = draw(setup.rng, 0.6, -0.4, rates=RATES, d=setup.size(3, 10), stretch=(0.6, 1.4))
    a, w = net.path(np.linspace(0, 5, 11))
    lengths = np.linalg.norm(w, axis=1)
    delta = conservation.formula.right({"η_w": rates[0], "η_a": rates[1], "a": a, "‖w‖": lengths})
    return delta, np.full_like(delta, net.delta)


conservation.breaks("without the rates", rates=(1.0, 1.0))


@conservation.proof("three inputs, any XᵀX and Xᵀy, any rates")
def delta_stands_still(spoiled: bool) -> Any:
    net = _symbols.neuron(3, whitened=False)
    eta_w, eta_a = net.rates
    return net.rate(conservation.formula.right(net.names | {"η_a": eta_w if spoiled else eta_a})), 0


@claim(
    "kunin2024",
    "appendix A.1",
    "Σ_{i≤k} x_i² − Σ_{i>k} x_i² = 1 has two sheets for k = 1, one for k > 1 (clusters of points on it, n = 3 and 4)",
    quote=r"It has two sheets when $k = 1$ and one sheet otherwise.",
    tolerance=1e-3,
    why="a count",
)
def sheets_of_a_hyperboloid(setup: Setup, sheets: Callable[[int], int] = lambda k: 2 if k == 1 else 1) -> Any:
    rng, counts, expected = setup.rng, [], []
    for n, k in ((3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3)):
        low = rng.uniform(-1, 1, size=(900, n - k))
        up = rng.normal(size=(900, k))
        up *= (np.sqrt(1 + np.sum(low**2, axis=1)) / np.linalg.norm(up, axis=1))[:, None]
        near = cdist(*[np.concatenate([up, low], axis=1)] * 2) < 1.0  # the two sheets are 2 apart at least
        counts.append(connected_components(near)[0])
        expected.append(sheets(k))
    return counts, expected


sheets_of_a_hyperboloid.breaks("two sheets for k = 2", sheets=lambda k: 2 if k == 2 else 1)


@claim(
    "kunin2024",
    "appendix A.1",
    "The largest curvature of Σ_{i≤k} x_i² − Σ_{i>k} x_i² = α falls as α^{−1/2}; at α = 0 the surface has no normal "
    "at the origin",
    quote=r"Its geometry is primarily dictated by $\alpha$: as $\alpha$ tends to infinity, curvature decreases, while "
    r"at $\alpha = 0$, a singularity occurs at the origin.",
    tolerance=0.02,
    why="an exponent",
)
def curvature_of_a_hyperboloid(setup: Setup, power: float = -0.5) -> Any:
    rng, alphas, measured = setup.rng, np.array([1.0, 4.0, 16.0, 64.0]), []
    for n, k in ((3, 1), (3, 2), (4, 2)):
        signs = np.where(np.arange(n) < k, 1.0, -1.0)
        shape = np.concatenate([np.zeros((1, n - k)), rng.normal(size=(20, n - k))])  # the first: the vertex
        up = rng.normal(size=(21, k))
        up /= np.linalg.norm(up, axis=1)[:, None]
        largest = []
        for alpha in alphas:
            points = np.concatenate([up * np.sqrt(alpha + np.sum(shape**2, axis=1))[:, None], shape], axis=1)
            largest.append(max(_curvature(point, signs) for point in points))
        measured.append(Evidence.slope(alphas, largest, power))
    origin = gradient(lambda x: np.sum(signs * x**2), np.zeros(n))
    return Evidence.together(*measured, Evidence(float(np.max(np.abs(origin)))))


def _curvature(point: Any, signs: Any) -> float:
    """Return the largest principal curvature: the largest rate at which the unit normal rotates along the surface."""

    def normal(x: Any) -> Any:
        slope = signs * x
        return slope / np.sqrt(slope @ slope)

    n = normal(point)
    along = np.eye(len(n)) - np.outer(n, n)
    return float(np.max(np.abs(np.linalg.eigvalsh(along @ gradient(normal, point) @ along))))


curvature_of_a_hyperboloid.breaks("as if the curvature did not depend on α", power=0.0)
