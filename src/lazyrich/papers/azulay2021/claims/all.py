"""Azulay et al. 2021, On the implicit bias of initialization shape: where diagonal networks and neurons stop."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize, root

from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Diagonal
from lazyrich.papers.checks.derivatives import gradient, jacobian, rate
from lazyrich.papers.checks.flows import deep_linear, ode
from lazyrich.papers.checks.matrices import frame
from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.problem import Problem
from lazyrich.solve import limit

SOURCE = "azulay2021"
TINY = 1e-40  # the complex step: derivatives without differences
FLOWED = "flow integrated at rtol 1e-12 until its loss has vanished; argmin polished to rounding, well conditioned"
ROUNDING = "identities: rounding only"
Function = Callable[[Any], Any]


# ---- data, derivatives, optimisers -----------------------------------------------------------------------------------


def _data(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs (one row per sample) with singular values from 0.7 to 1.4, and labels of length 1.5."""
    U, V = frame(rng, n, n), frame(rng, d, n)
    y = rng.normal(size=n)
    return (U * np.linspace(0.7, 1.4, n)) @ V.T, 1.5 * y / np.linalg.norm(y)


def _unit(v: Any) -> np.ndarray:
    return np.asarray(v / np.linalg.norm(v))


def _unseen(X: np.ndarray) -> np.ndarray:
    """The projector on what the data do not see."""
    return np.eye(X.shape[1]) - np.linalg.pinv(X) @ X


def _length(w: Any) -> Any:
    """‖w‖, analytic."""
    return np.sqrt(np.sum(w * w))


def _derivative(f: Function, w: Any) -> np.ndarray:
    """∂f/∂w."""
    return gradient(f, w, TINY)


def _hessian(f: Function, w: np.ndarray, step: float = 1e-4) -> np.ndarray:
    """By fourth-order differences of complex-step gradients."""
    columns = []
    for e in np.eye(len(w)):
        near = _derivative(f, w + step * e) - _derivative(f, w - step * e)
        far = _derivative(f, w + 2 * step * e) - _derivative(f, w - 2 * step * e)
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, axis=-1)


def _argmin(q: Function, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The interpolator of least q, found in the null space: BFGS on values of q, then its stationarity."""
    shortest = np.linalg.pinv(X) @ y
    Z = np.linalg.svd(X)[2][len(X) :].T
    start = shortest + 1e-3 * Z.sum(axis=1)  # away from zero in every coordinate
    slope = lambda t: Z.T @ _derivative(q, start + Z @ t)  # noqa: E731
    rough = minimize(lambda t: float(q(start + Z @ t)), np.zeros(Z.shape[1]), jac=slope, method="BFGS", tol=1e-7)
    fine = root(slope, rough.x, tol=1e-14)
    return np.asarray(start + Z @ fine.x)


def _both(flowed: Any, computed: Any, predicted: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two routes against a third."""
    return np.stack([np.asarray(flowed), np.asarray(computed)]), np.stack([np.asarray(predicted)] * 2)


# ---- diagonal networks -----------------------------------------------------------------------------------------------


def _q(root_k: Any) -> Function:
    """Q_k of theorem 1, as printed, from √k."""

    def q(w: Any) -> Any:
        x = 2 * w / root_k
        return np.sum(root_k / 4 * (1 - np.sqrt(1 + x * x) + x * np.arcsinh(x)))

    return q


def _diagonal(theta: np.ndarray, X: np.ndarray, y: np.ndarray, times: Any) -> np.ndarray:
    """The flow of u₊∘v₊ − u₋∘v₋ on the raw weights, rows u₊, v₊, u₋, v₋: times first."""

    def field(p: np.ndarray) -> np.ndarray:
        pull = X.T @ (y - X @ (p[0] * p[1] - p[2] * p[3]))
        return np.stack([p[1], p[0], -p[3], -p[2]]) * pull

    return ode(field, theta, times)


def _predictor(theta: np.ndarray) -> np.ndarray:
    return np.asarray(theta[..., 0, :] * theta[..., 1, :] - theta[..., 2, :] * theta[..., 3, :])


def _start(rng: np.random.Generator, d: int, bias: float = 0.0) -> np.ndarray:
    """Random signs and sizes between 0.3 and 0.9; `bias` makes the two sides differ."""
    u, v = rng.uniform(0.3, 0.9, size=(2, d)) * rng.choice([-1.0, 1.0], size=(2, d))
    return np.stack([u * (1 + bias), v, u * (1 - bias), v])


def _conserved(theta: np.ndarray) -> np.ndarray:
    """c, δ₊, δ₋."""
    up, vp, um, vm = np.moveaxis(theta, -2, 0)
    return np.stack([up * um + vp * vm, vp**2 - up**2, vm**2 - um**2])


def _root_k(theta: np.ndarray) -> np.ndarray:
    c, plus, minus = _conserved(theta)
    return np.sqrt((plus - minus) ** 2 + 4 * c**2)


def _net(theta: np.ndarray) -> Diagonal:
    up, vp, um, vm = theta
    return Diagonal([[up, um], [vp, vm]])


def _stops(theta: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(limit(GradientFlow(_net(theta), Problem(X, y))).value)


def _sizes(setup: Setup) -> tuple[int, int]:
    return setup.pick((3, 6), (5, 12))


def _path(setup: Setup, sign: float = 1.0) -> Any:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    theta = _diagonal(rng.normal(size=(4, X.shape[1])), X, y, np.linspace(0, 6, 7))
    theta[:, 3] *= sign
    found = np.moveaxis(_conserved(theta), 1, 0)
    return found, np.broadcast_to(found[0], found.shape)


@claim(
    SOURCE,
    "appendix A, equation (17)",
    "c = u₊u₋ + v₊v₋, δ₊ = v₊² − u₊² and δ₋ = v₋² − u₋² are conserved in every coordinate of a diagonal network",
    tolerance=1e-9,
    why="integrated at rtol 1e-12",
)
def diagonal_conservation(setup: Setup) -> Any:
    return _path(setup)


@diagonal_conservation.breaks("c with the other sign, u₊u₋ − v₊v₋")
def c_with_the_other_sign(setup: Setup) -> Any:
    return _path(setup, sign=-1.0)


def _speeds(setup: Setup, c_weight: float = 4.0) -> Any:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    theta = _diagonal(rng.normal(size=(4, X.shape[1])), X, y, np.linspace(0, 6, 7))
    c, plus, minus = _conserved(theta[0])
    speed = np.sqrt((plus - minus) ** 2 + c_weight * c**2 + 4 * _predictor(theta) ** 2)
    inner = (speed - plus - minus) / 2
    seen = np.sum(theta**2, axis=1), theta[:, 0] ** 2 + theta[:, 2] ** 2
    return np.stack(seen), np.stack([speed, inner])


@claim(
    SOURCE,
    "appendix A, equation (19)",
    "u₊² + v₊² + u₋² + v₋² = √((δ₊ − δ₋)² + 4c² + 4w̃²), and u₊² + u₋² is half of this minus δ₊ + δ₋, all along",
    tolerance=1e-9,
    why="integrated at rtol 1e-12",
)
def diagonal_speed(setup: Setup) -> Any:
    return _speeds(setup)


@diagonal_speed.breaks("c² for 4c²")
def c2_for_4c2(setup: Setup) -> Any:
    return _speeds(setup, c_weight=1.0)


def _integral(setup: Setup, half: float = 0.5) -> Any:
    rng = setup.rng
    x, roots = 2 * rng.normal(size=8), np.exp(rng.normal(size=8))
    by_quadrature = [half * quad(lambda z, r=r: np.arcsinh(2 * z / r), 0, b)[0] for b, r in zip(x, roots, strict=True)]
    return by_quadrature, [_q(r)(b) for b, r in zip(x, roots, strict=True)]


@claim(
    SOURCE,
    "theorem 1, equation (9)",
    "q_k(x) = ½∫₀ˣ arcsinh(2z/√k) dz = (√k/4)(1 − √(1 + 4x²/k) + (2x/√k) arcsinh(2x/√k))",
    tolerance=1e-10,
    why="adaptive quadrature at 1e-10 of a smooth function",
)
def entropy_integral(setup: Setup) -> Any:
    return _integral(setup)


@entropy_integral.breaks("the integral without its factor ½")
def the_integral_without_its_factor_half(setup: Setup) -> Any:
    return _integral(setup, half=1.0)


def _unbiased(setup: Setup, factor: float = 2.0) -> Any:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    theta = _start(rng, X.shape[1])
    predicted = _argmin(_q(factor * (theta[0] ** 2 + theta[1] ** 2)), X, y)
    return _both(_predictor(_diagonal(theta, X, y, [200.0])[-1]), _stops(theta, X, y), predicted)


@claim(
    SOURCE,
    "theorem 1",
    "an untied diagonal network with u₊ = u₋, v₊ = v₋ at the start stops at argmin Q_k over Xᵀw = y, √k = 2(u₊² + v₊²)",
    tolerance=1e-7,
    why=FLOWED,
)
def diagonal_bias(setup: Setup) -> Any:
    return _unbiased(setup)


@diagonal_bias.breaks("√k = u₊² + v₊²")
def rootk_is_u_2_v_2(setup: Setup) -> Any:
    return _unbiased(setup, factor=1.0)


def _biased(setup: Setup, bregman: float) -> Any:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    theta = _start(rng, X.shape[1], bias=0.5)
    q = _q(_root_k(theta))
    slope = bregman * _derivative(q, _predictor(theta))
    predicted = _argmin(lambda w: q(w) - slope @ w, X, y)
    return _both(_predictor(_diagonal(theta, X, y, [200.0])[-1]), _stops(theta, X, y), predicted)


@claim(
    SOURCE,
    "section 4 and appendix A",
    "from any initialization a diagonal network stops at argmin Q_k over Xᵀw = y, with k = (δ₊ − δ₋)² + 4c²",
    tolerance=1e-7,
    why=FLOWED,
    verdict="corrected",
    correction="the proof takes q′(0) = 0 but needs q′(w̃(0)) = 0: if w̃(0) ≠ 0, minimise Q_k(w) − ∇Q_k(w̃(0))ᵀw, the "
    "Bregman divergence; the formula for k is right",
)
def biased_diagonal_bias(setup: Setup) -> Any:
    return _biased(setup, 1.0)


@biased_diagonal_bias.printed
def biased_diagonal_bias_as_printed(setup: Setup) -> Any:
    return _biased(setup, 0.0)


@biased_diagonal_bias.breaks("the linear term with the other sign")
def the_linear_term_with_the_other_sign(setup: Setup) -> Any:
    return _biased(setup, -1.0)


def _mirror(setup: Setup, linear: float) -> Any:
    """ψ = ½‖w‖² + ¼‖w‖⁴ + Σcosh w, from a point where its slope is not zero."""
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    w0 = _unit(rng.normal(size=X.shape[1]))

    def psi(w: Any) -> Any:
        square = np.sum(w * w)
        return square / 2 + square**2 / 4 + np.sum(np.cosh(w))

    def field(w: np.ndarray) -> np.ndarray:
        hessian = np.diag(1 + w @ w + np.cosh(w)) + 2 * np.outer(w, w)
        return np.linalg.solve(hessian, X.T @ (y - X @ w))

    slope = linear * _derivative(psi, w0)
    return ode(field, w0, [2000.0])[-1], _argmin(lambda w: psi(w) - slope @ w, X, y)


@claim(
    SOURCE,
    "section 3.1",
    "mirror flow ẇ = −(∇²ψ)⁻¹∇L stops at the interpolator of least Bregman divergence D_ψ(w, w(0))",
    tolerance=1e-7,
    why=FLOWED,
)
def mirror_flow(setup: Setup) -> Any:
    return _mirror(setup, 1.0)


@mirror_flow.breaks("least ψ although ∇ψ(w(0)) ≠ 0")
def least_psi_although_gradpsi_w_0_not_0(setup: Setup) -> Any:
    return _mirror(setup, 0.0)


def _tied(setup: Setup, factor: float = 0.5, ratio: float = 1.0) -> Any:
    """Where w = u₊² − u₋² stops from u = α, against Woodworth's Σ α²q(w/α²), q(z) = 2 − √(4 + z²) + z arcsinh(z/2),
    and factor · that potential against Q_k, by values; ratio = v/u."""
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    u = rng.uniform(0.4, 0.9, size=X.shape[1])
    square = ratio * u**2  # α² = uv

    def woodworth(w: Any) -> Any:
        z = w / square
        return np.sum(square * (2 - np.sqrt(4 + z * z) + z * np.arcsinh(z / 2)))

    def field(p: np.ndarray) -> np.ndarray:
        pull = X.T @ (y - X @ (p[0] ** 2 - p[1] ** 2))
        return 2 * np.stack([p[0], -p[1]]) * pull

    plus, minus = ode(field, np.stack([u, u]), [200.0])[-1]
    untied, points = _q(2 * (u**2 + (ratio * u) ** 2)), rng.normal(size=(5, X.shape[1]))
    measured = [*(plus**2 - minus**2), *(untied(w) for w in points)]
    return measured, [*_argmin(woodworth, X, y), *(factor * woodworth(w) for w in points)]


@claim(
    SOURCE,
    "section 4, after theorem 1",
    "with u₊ = v₊ and u₋ = v₋ the potential Q_k reduces to that of Woodworth et al. for shared weights, w̃ = u₊² − u₋²",
    tolerance=1e-7,
    why=FLOWED,
    verdict="corrected",
    correction="up to the factor ½, which moves no minimiser: at √k = 4α², Q_k(w) = ½ Σ α²q(w/α²)",
)
def tied_weights(setup: Setup) -> Any:
    return _tied(setup)


@tied_weights.printed
def tied_weights_as_printed(setup: Setup) -> Any:
    return _tied(setup, factor=1.0)


@tied_weights.breaks("|v| = 1.5|u| at the start, α² = |uv|")
def v_is_1_5_u_at_the_start(setup: Setup) -> Any:
    return _tied(setup, ratio=1.5)


def _shape(small: Any, large: Any) -> tuple[Any, Any]:
    """α and s from the sizes of the two layers, by their definitions."""
    return abs(small * large), (abs(large / small) - 1) / (abs(large / small) + 1)


def _shapes(setup: Setup, power: int = 2) -> Any:
    rng = setup.rng
    u, v = np.exp(rng.normal(size=(2, 20)))
    alpha, s = _shape(u, v)
    root_k, hat = 2 * (u**2 + v**2), alpha / (1 - s**2)
    return np.stack([root_k, np.clip(root_k, 4 * hat, 8 * hat)]) / root_k, (
        np.stack([4 * alpha * (1 + np.abs(s) ** power) / (1 - s**2), root_k]) / root_k
    )


@claim(
    SOURCE,
    "section 7.1",
    "√k = 4α(1 + s²)/(1 − s²), which lies between 4k̂ and 8k̂ with k̂ = α/(1 − s²)",
    tolerance=1e-12,
    why=ROUNDING,
)
def diagonal_shape(setup: Setup) -> Any:
    return _shapes(setup)


@diagonal_shape.breaks("|s| for s² in the numerator")
def s_for_s2_in_the_numerator(setup: Setup) -> Any:
    return _shapes(setup, power=1)


def _lazy_entropy(setup: Setup, constant: float, power: int = 2) -> Evidence:
    x = setup.rng.uniform(0.5, 2.0)
    roots = x * np.array([30.0, 60.0, 120.0, 240.0])
    exact = np.array([quad(lambda z, r=r: np.arcsinh(2 * z / r) / 2, 0, x)[0] for r in roots])
    return Evidence.slope(roots, np.abs(exact / (constant * x**power / roots) - 1), -2.0)


@claim(
    SOURCE,
    "section 7.1 and appendix E",
    "q_k(x) → x²/√k as k → ∞",
    tolerance=0.02,
    why="an exponent: the relative error of the limit falls as 1/k; next order 1e-3",
    verdict="corrected",
    correction="q_k(x) → x²/(2√k): Q_k becomes half the squared RKHS norm (the argmin is the same)",
)
def lazy_entropy(setup: Setup) -> Any:
    return _lazy_entropy(setup, 0.5)


@lazy_entropy.printed
def lazy_entropy_as_printed(setup: Setup) -> Any:
    return _lazy_entropy(setup, 1.0)


@lazy_entropy.breaks("x³ for x²")
def x3_for_x2(setup: Setup) -> Any:
    return _lazy_entropy(setup, 0.45, power=3)


def _diagonal_kernel(setup: Setup, sides: float = 2.0) -> Any:
    rng = setup.rng
    d = _sizes(setup)[1]
    X, theta = rng.normal(size=(4, d)), _start(rng, d)
    J = jacobian(lambda p: X @ _predictor(p), theta, TINY)
    return J @ J.T, sides * (X * (theta[0] ** 2 + theta[1] ** 2)) @ X.T


@claim(
    SOURCE,
    "appendix E",
    "the NTK of a diagonal network at an unbiased start is K(x, x′) = 2xᵀdiag(u₊² + v₊²)x′",
    tolerance=1e-12,
    why=ROUNDING,
)
def diagonal_kernel(setup: Setup) -> Any:
    return _diagonal_kernel(setup)


@diagonal_kernel.breaks("one side of the network only")
def one_side_of_the_network_only(setup: Setup) -> Any:
    return _diagonal_kernel(setup, sides=1.0)


def _lazy_diagonal(setup: Setup, power: float = 1.0) -> Evidence:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    theta, scales = _start(rng, X.shape[1]), np.array([4.0, 8.0, 16.0, 32.0])
    ends = np.array([_stops(scale * theta, X, y) for scale in scales])
    speed = (theta[0] ** 2 + theta[1] ** 2) ** power
    shortest = speed * (X.T @ np.linalg.solve((X * speed) @ X.T, y))  # of least Σ w²/speed
    return Evidence.slope(scales, np.linalg.norm(ends - shortest, axis=1), -4.0)


@claim(
    SOURCE,
    "section 7.1",
    "as k → ∞ a diagonal network stops at the interpolator of least Σ w_i²/(u_i² + v_i²), least in the NTK's norm",
    tolerance=0.05,
    why="an exponent: the distance falls as 1/k, by expansion of arcsinh; next order 1e-2",
)
def lazy_diagonal(setup: Setup) -> Any:
    return _lazy_diagonal(setup)


@lazy_diagonal.breaks("least ‖w‖ although the coordinates start differently")
def least_w_although_the_coordinates_start(setup: Setup) -> Any:
    return _lazy_diagonal(setup, power=0.0)


def _rich_entropy(setup: Setup, half: float) -> Evidence:
    x = setup.rng.uniform(0.5, 2.0)
    roots = x * np.array([1e-2, 1e-3, 1e-4])
    # in pieces: the integrand is steep at zero
    exact = np.array(
        [quad(lambda z, r=r: np.arcsinh(2 * z / r) / 2, 0, x, points=[r, 10 * r], limit=200)[0] for r in roots]
    )
    return Evidence.slope(roots, np.abs(half * x + x / 2 * np.log(4 * x / roots) - exact), 1.0)


@claim(
    SOURCE,
    "appendix E, k → 0",
    "q_k(w) → |w|/2 + (|w|/2) log(4|w|/√k) as k → 0",
    tolerance=0.03,
    why="an exponent: the difference falls as √k/4, next order k",
    verdict="corrected",
    correction="the first term is −|w|/2 (as in the line after it)",
)
def rich_entropy(setup: Setup) -> Any:
    return _rich_entropy(setup, -0.5)


@rich_entropy.printed
def rich_entropy_as_printed(setup: Setup) -> Any:
    return _rich_entropy(setup, 0.5)


@rich_entropy.breaks("without the linear term")
def without_the_linear_term(setup: Setup) -> Any:
    return _rich_entropy(setup, 0.0)


def _logarithmic(setup: Setup, half: float = 0.5) -> Evidence:
    x = setup.rng.uniform(1.2, 3.0)  # log 4x − 1 is not near zero
    roots = np.array([1e-15, 1e-30, 1e-60, 1e-120])
    value = np.array([_q(r)(x) for r in roots])
    return Evidence.slope(np.log(1 / roots), np.abs(value / (half * np.log(1 / roots)) - x), -1.0)


@claim(
    SOURCE,
    "appendix E, k → 0",
    "q_k(w)/(½ log(1/√k)) = |w| + O(1/log(1/√k)): it tends to |w|, but only logarithmically",
    tolerance=1e-3,
    why="an exponent: the rest is |w|(log 4|w| − 1)/log(1/√k) up to O(√k)",
)
def rich_logarithm(setup: Setup) -> Any:
    return _logarithmic(setup)


@rich_logarithm.breaks("without the factor ½")
def without_the_factor_half(setup: Setup) -> Any:
    return _logarithmic(setup, half=1.0)


def _sparse(rng: np.random.Generator, n: int, d: int, slack: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Data whose interpolator of least ℓ₁ norm is known, and unique: support on the first n coordinates, a dual
    certificate of |x_iᵀμ| = 1 there, `slack` at one other coordinate and at most a quarter of this at the rest."""
    near = frame(rng, n, n) + 0.1 * rng.normal(size=(n, n)) / np.sqrt(n)
    signs = rng.choice([-1.0, 1.0], size=n)
    mu = np.linalg.solve(near.T, signs)
    dual = slack * np.append(1.0, rng.uniform(-0.25, 0.25, size=d - n - 1))
    rest = rng.normal(size=(n, d - n))
    rest -= np.outer(_unit(mu), _unit(mu) @ rest)
    X = np.hstack([near, 0.5 * rest / np.linalg.norm(rest, axis=0) + np.outer(mu, dual) / (mu @ mu)])
    w = np.concatenate([signs * rng.uniform(0.5, 1.5, size=n), np.zeros(d - n)])
    return X, X @ w, w


def _pair(alpha: float, gap: float) -> tuple[float, float]:
    """|u|, |v| of scale α and shape s > 0, from 1 − s² = gap."""
    s = np.sqrt(1 - gap)
    ratio = (1 + s) ** 2 / gap
    return float(np.sqrt(alpha / ratio)), float(np.sqrt(alpha * ratio))


def _ends(X: np.ndarray, y: np.ndarray, alphas: Any, power: float, hat: float = 1.0) -> np.ndarray:
    """Limits for α → 0 with 1 − s² = (α/hat)^power."""
    found = []
    for alpha in alphas:
        u, v = _pair(alpha, (alpha / hat) ** power)
        found.append(_stops(np.ones((4, X.shape[1])) * np.array([[u], [v], [u], [v]]), X, y))
    return np.array(found)


def _rich_diagonal(setup: Setup, power: float) -> Evidence:
    X, y, w = _sparse(setup.rng, *_sizes(setup), slack=0.4)
    alphas = np.array([1e-14, 1e-19, 1e-24])
    distance = np.linalg.norm(_ends(X, y, alphas, power) - w, axis=1)
    return Evidence.slope(alphas, distance, 0.3)


@claim(
    SOURCE,
    "section 7.1",
    "as α/(1 − s²) → 0, also with |s| → 1, a diagonal network stops at the interpolator of least ℓ₁ norm",
    tolerance=0.02,
    why="an exponent: off the support w_i ~ √k^(1 − |x_iᵀμ|), here √k^0.6, with 1 − s² = √α; next order √k^0.9",
)
def rich_diagonal(setup: Setup) -> Any:
    return _rich_diagonal(setup, 0.5)


@rich_diagonal.breaks("s → 1 faster than α → 0: 1 − s² = α^1.5")
def s_to_1_faster_than_alpha_to_0(setup: Setup) -> Any:
    return _rich_diagonal(setup, 1.5)


def _lazy_shape(setup: Setup, power: float = 2.0) -> Evidence:
    X, y = _data(setup.rng, *_sizes(setup))
    alphas = np.array([1e-1, 3e-2, 1e-2, 3e-3])
    distance = np.linalg.norm(_ends(X, y, alphas, power) - np.linalg.pinv(X) @ y, axis=1)
    return Evidence.slope(alphas, distance, 2.0)


@claim(
    SOURCE,
    "section 7.1",
    "if s → 1 faster than α → 0, α/(1 − s²) → ∞, the network is in the NTK regime (least ‖w‖), however small α",
    tolerance=0.05,
    why="an exponent: with 1 − s² = α² it is √k = 8/α, and the distance falls as 1/k; next order 1e-2",
)
def lazy_shape(setup: Setup) -> Any:
    return _lazy_shape(setup)


@lazy_shape.breaks("α/(1 − s²) constant")
def alpha_1_s2_constant(setup: Setup) -> Any:
    return _lazy_shape(setup, power=1.0)


def _joint(setup: Setup, factor: float = 8.0) -> Evidence:
    X, y = _data(setup.rng, *_sizes(setup))
    hat, gaps = 0.1, np.array([0.05, 0.025, 0.0125])
    expected = _argmin(_q(factor * hat), X, y)
    flowed = []
    for gap in gaps:
        u, v = _pair(hat * gap, gap)
        theta = np.ones((4, X.shape[1])) * np.array([[u], [v], [u], [v]])
        flowed.append(_predictor(_diagonal(theta, X, y, [200.0])[-1]))
    return Evidence.slope(gaps, np.linalg.norm(np.array(flowed) - expected, axis=1), 1.0)


@claim(
    SOURCE,
    "section 7.1",
    "as α → 0 and |s| → 1 with α/(1 − s²) → k̂*, 0 < k̂* < ∞, the bias is Q_k, at √k = 8k̂*",
    tolerance=0.05,
    why="an exponent: √k = 8k̂* − 4α differs from its limit in proportion to α; next order 0.02",
)
def joint_limit(setup: Setup) -> Any:
    return _joint(setup)


@joint_limit.breaks("√k = 4k̂*")
def rootk_is_4k(setup: Setup) -> Any:
    return _joint(setup, factor=4.0)


def _by_dual(root_k: float, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """argmin Q_k by its dual, in the variables ν of w = (√k/2) sinh(2Xᵀν): for larger sizes."""
    w = lambda nu: root_k / 2 * np.sinh(2 * X.T @ nu)  # noqa: E731
    found = minimize(
        lambda nu: float(np.sum(root_k / 4 * np.cosh(2 * X.T @ nu)) - y @ nu),
        np.zeros(len(y)),
        jac=lambda nu: X @ w(nu) - y,
        hess=lambda nu: (X * np.hypot(root_k, 2 * w(nu))) @ X.T,
        method="trust-exact",
        options={"gtol": 1e-8},
    )
    return np.asarray(w(found.x))


def _population(setup: Setup, sparse: bool) -> Evidence:
    rng = setup.rng
    n, d = setup.pick((50, 150), (100, 1000))
    r = setup.pick(3, 5) if sparse else d
    truth = np.zeros(d)
    truth[:r] = 1 / np.sqrt(r)
    X = rng.normal(size=(n, d))
    y = X @ truth + 0.1 * rng.normal(size=n)
    shapes = (0.0, 0.9, 0.99, 0.9999)
    ends = [_by_dual(4e-4 * (1 + s**2) / (1 - s**2), X, y) for s in shapes]
    errors = np.array([np.sum((w - truth) ** 2) for w in ends])
    rises = bool(np.all(np.diff(errors) > 0)) and errors[0] < errors[-1] / 5
    listed = ", ".join(f"{e:.2g} (s = {s:g})" for e, s in zip(errors, shapes, strict=True))
    return Evidence.true(rises, f"population error {listed}")


@claim(
    SOURCE,
    "section 7.1, figure 7.1",
    "sparse regression at a fixed small scale α: the population error is least at s = 0 and rises as s → 1",
    tolerance=0.05,
    why="a yes or no: every step from s = 0 to s = 0.9999 rises, fivefold in all",
)
def balanced_is_best(setup: Setup) -> Any:
    return _population(setup, True)


@balanced_is_best.breaks("a ground truth that is not sparse")
def a_ground_truth_that_is_not_sparse(setup: Setup) -> Any:
    return _population(setup, False)


# ---- neurons ---------------------------------------------------------------------------------------------------------


def _radial(delta: Any) -> tuple[Function, Function, Function]:
    """x ↦ ‖w‖² = √(x² + δ²/4) − δ/2 and a² = √(x² + δ²/4) + δ/2 of a neuron with ‖w̃‖ = x; and q̂_δ as printed."""
    size = lambda x: np.sqrt(x * x + delta**2 / 4)  # noqa: E731
    inner, outer = (lambda x: size(x) - delta / 2), (lambda x: size(x) + delta / 2)
    return inner, outer, (lambda x: (x * x - delta / 2 * outer(x)) * np.sqrt(inner(x)) / x)


def _potential(delta: Any, start: np.ndarray, factor: float = 1.5) -> Function:
    """q of theorem 2, as printed."""
    inner, _, radial = _radial(delta)
    z = -factor * np.sqrt(inner(np.linalg.norm(start))) * _unit(start)
    return lambda w: radial(_length(w)) + z @ w


def _metric(delta: Any) -> Function:
    """H(w̃) of a neuron, equation (23)."""
    inner, outer, _ = _radial(delta)

    def H(w: Any) -> Any:
        x = _length(w)
        return (np.eye(len(w)) - np.outer(w, w) / (outer(x) * (outer(x) + inner(x)))) / outer(x)

    return H


def _warp(delta: float) -> Function:
    """ĝ(x) of appendix B.1, as printed."""
    inner, outer, _ = _radial(delta)
    return lambda x: np.sqrt(inner(x)) / x * outer(x)


def _layers(alpha: float, s: float) -> tuple[float, float]:
    """‖w‖ and |a| of scale α and shape s."""
    ratio = (1 + s) / (1 - s)
    return float(np.sqrt(alpha / ratio)), float(np.sqrt(alpha * ratio))


def _flow(w: Any, a: Any, X: np.ndarray, y: np.ndarray, times: Any = (200.0,)) -> tuple[np.ndarray, np.ndarray]:
    """W (times, m, d) and a (times, m) of a two-layer linear network."""
    W, a = deep_linear([np.atleast_2d(w), np.atleast_2d(a)], X, y, times)
    return W, a[:, 0]


def _end(w: Any, a: Any, X: np.ndarray, y: np.ndarray, time: float = 200.0) -> np.ndarray:
    """w̃(∞)."""
    W, a = _flow(w, a, X, y, [time])
    return np.asarray(a[-1] @ W[-1])


def _leaky(W: np.ndarray, a: np.ndarray, X: np.ndarray, y: np.ndarray, slope: float, times: Any) -> np.ndarray:
    """The flow of Σ a_i σ(w_iᵀx) on the raw weights: rows (w_i, a_i), times first."""

    def field(p: np.ndarray) -> np.ndarray:
        W, a = p[:, :-1], p[:, -1]
        h = W @ X.T
        c = np.where(h > 0, 1.0, slope)
        pull = (c * (y - a @ (c * h))) @ X
        return np.column_stack([a[:, None] * pull, np.sum(W * pull, axis=1)])

    return ode(field, np.column_stack([W, a]), times)


def _balance(setup: Setup, slope: float) -> Any:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    # every neuron well on one side of each sample, on both sides among them: no kink is met
    sides = rng.uniform(1.0, 2.0, size=(3, len(X))) * rng.choice([-1.0, 1.0], size=(3, len(X)))
    sides[0] = -np.sign(sides[1]) * np.abs(sides[0])
    W, a = sides @ np.linalg.pinv(X).T, rng.uniform(0.2, 0.5, size=3) * rng.choice([-1.0, 1.0], size=3)
    path = _leaky(W + rng.normal(size=W.shape) @ _unseen(X), a, X, y, slope, np.linspace(0, 0.3, 4))
    W, a = path[..., :-1], path[..., -1]
    Delta = a[:, :, None] * a[:, None, :] - W @ np.swapaxes(W, 1, 2)
    return Delta, np.broadcast_to(Delta[0], Delta.shape)


@claim(
    SOURCE,
    "section 6 (theorems 2.1 and 2.2 of Du et al.)",
    "Δ = aaᵀ − WᵀW is conserved by two-layer linear networks, and so is its diagonal, δ_i = a_i² − ‖w_i‖²",
    tolerance=1e-9,
    why="integrated at rtol 1e-12",
)
def balance(setup: Setup) -> Any:
    return _balance(setup, 1.0)


@balance.breaks("leaky ReLU of slope 0.2, for which only the diagonal is conserved")
def leaky_relu_of_slope_0_2(setup: Setup) -> Any:
    return _balance(setup, 0.2)


def _inverse(setup: Setup, part: float = 1.0) -> Any:
    rng = setup.rng
    w, a = rng.normal(size=5), rng.uniform(0.5, 2.0)
    return np.linalg.inv(a**2 * np.eye(5) + np.outer(w, w)), _metric(part * (a**2 - w @ w))(a * w)


@claim(
    SOURCE,
    "appendix B, equations (22) and (23)",
    "the metric (a²I + wwᵀ)⁻¹ of a neuron depends on w̃ = aw and δ alone, in the form of equation (23)",
    tolerance=1e-12,
    why=ROUNDING,
)
def neuron_metric(setup: Setup) -> Any:
    return _inverse(setup)


@neuron_metric.breaks("δ left out")
def delta_left_out(setup: Setup) -> Any:
    return _inverse(setup, part=0.0)


def _slopes(setup: Setup, same: bool) -> Any:
    rng = setup.rng
    w = 1.5 * _unit(rng.choice([-1.0, 1.0], size=4) * rng.uniform(0.5, 1.0, size=4))
    x, slope = np.linalg.norm(w), _derivative(_metric(0.0), w)
    i, j = 0, 2
    diagonal = -w[j] / x**3 + 1.5 * w[i] ** 2 * w[j] / x**5
    mixed = -w[j] / (2 * x**3) + 1.5 * w[i] ** 2 * w[j] / x**5
    return [slope[i, i, j], slope[i, j, i]], [diagonal, diagonal if same else mixed]


@claim(
    SOURCE,
    "appendix B.1",
    "at δ = 0, ∂H_ii/∂w_j = −w_j/‖w‖³ + 3w_i²w_j/2‖w‖⁵ differs from ∂H_ij/∂w_i = −w_j/2‖w‖³ + …: H is no Hessian map",
    tolerance=1e-12,
    why=ROUNDING,
)
def no_hessian_map(setup: Setup) -> Any:
    return _slopes(setup, False)


@no_hessian_map.breaks("the two derivatives taken to be the same, as equation (6) wants")
def the_two_derivatives_taken_to_be_the_same(setup: Setup) -> Any:
    return _slopes(setup, True)


def _twist(setup: Setup, field: Callable[[float], Function]) -> Any:
    rng = setup.rng
    w = 1.5 * _unit(rng.normal(size=4))
    slope = _derivative(field(rng.uniform(0.0, 2.0)), w)
    return slope, np.swapaxes(slope, 1, 2)


@claim(
    SOURCE,
    "section 5, equation (10), and appendix B.1",
    "g(w)H(w) satisfies the Hessian-map condition ∂_k(gH)_ij = ∂_j(gH)_ik, any δ ≥ 0, although H does not",
    tolerance=1e-12,
    why=ROUNDING,
)
def warped_hessian_map(setup: Setup) -> Any:
    return _twist(setup, lambda delta: lambda w: _warp(delta)(_length(w)) * _metric(delta)(w))


@warped_hessian_map.breaks("H, not warped")
def h_not_warped(setup: Setup) -> Any:
    return _twist(setup, _metric)


@warped_hessian_map.breaks("I + wwᵀ, of footnote 3")
def i_wwt(setup: Setup) -> Any:
    return _twist(setup, lambda delta: lambda w: np.eye(4) + np.outer(w, w))


def _warped(setup: Setup, constant: float) -> Any:
    rng = setup.rng
    delta, start, w = rng.uniform(0.0, 2.0), rng.normal(size=4), 1.5 * _unit(rng.normal(size=4))
    return _hessian(_potential(delta, start), w), constant * _warp(delta)(_length(w)) * _metric(delta)(w)


@claim(
    SOURCE,
    "appendix B, equation (24), and B.1",
    "∇²q = gH for the potential q of theorem 2 and the g written out in appendix B.1",
    tolerance=1e-8,
    why="fourth-order differences at step 1e-4: 1e-12/1e-4 of rounding",
    verdict="corrected",
    correction="∇²q = (3/2)gH: q̂′ is (3/2)√(√(x² + δ²/4) − δ/2), and appendix B leaves out the 3/2 in g (the clock "
    "changes, the argmin does not); g is (3/2)|a|",
)
def warped_metric(setup: Setup) -> Any:
    return _warped(setup, 1.5)


@warped_metric.printed
def warped_metric_as_printed(setup: Setup) -> Any:
    return _warped(setup, 1.0)


@warped_metric.breaks("without the warp")
def without_the_warp(setup: Setup) -> Any:
    rng = setup.rng
    delta, start, w = rng.uniform(0.0, 2.0), rng.normal(size=4), 1.5 * _unit(rng.normal(size=4))
    return _hessian(_potential(delta, start), w), _metric(delta)(w)


def _radial_slopes(setup: Setup, constant: float) -> Any:
    """q̂′ and q̂″ at some x, and (q̂′/x)′ at α, which F.2 gives by α and s."""
    rng = setup.rng
    alpha, s, step = rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.7), 1e-4
    small, large = _layers(alpha, s)
    inner, _, radial = _radial(large**2 - small**2)
    slope = lambda x: float(rate(radial, x, 1.0, TINY))  # noqa: E731
    change = lambda f, x: (8 * (f(x + step) - f(x - step)) - f(x + 2 * step) + f(x - 2 * step)) / (12 * step)  # noqa: E731
    x = rng.uniform(0.5, 3.0)
    second = x / (2 * np.sqrt(x**2 + (large**2 - small**2) ** 2 / 4) * np.sqrt(inner(x)))
    third = -((1 - s) ** 2.5) / alpha**1.5 / (2 * (1 + s**2) * np.sqrt(1 + s))
    measured = np.array([slope(x), change(slope, x), change(lambda x: slope(x) / x, alpha)])
    predicted = constant * np.array([np.sqrt(inner(x)), second, third])
    return measured / predicted, np.ones(3)


@claim(
    SOURCE,
    "appendices D and F.2",
    "q̂′(x) = √(√(x² + δ²/4) − δ/2), with its q̂″, and (q̂′/x)′ at α is −(1 − s)^2.5/(2α^1.5(1 + s²)√(1 + s))",
    tolerance=1e-7,
    why="fourth-order differences at step 1e-4",
    verdict="corrected",
    correction="all three are 3/2 of this, for the q̂ of theorem 2",
)
def radial_slope(setup: Setup) -> Any:
    return _radial_slopes(setup, 1.5)


@radial_slope.printed
def radial_slope_as_printed(setup: Setup) -> Any:
    return _radial_slopes(setup, 1.0)


@radial_slope.breaks("2 for 3/2")
def with_2_for_3_2(setup: Setup) -> Any:
    return _radial_slopes(setup, 2.0)


def _warp_slope(setup: Setup, part: float = 1.0) -> Any:
    rng = setup.rng
    delta, x = rng.uniform(0.2, 2.0), rng.uniform(0.3, 3.0, size=10)
    measured = rate(_warp(delta), x, 1.0, TINY)
    size = np.sqrt(x**2 + delta**2 / 4)
    return measured, np.abs(2 * size - part * delta) / (4 * size * np.sqrt(size - delta / 2))


@claim(
    SOURCE,
    "appendix B.1",
    "ĝ′(x) = (2√(x² + δ²/4) − δ)/(4√(x² + δ²/4)√(√(x² + δ²/4) − δ/2)) > 0 for x > 0",
    tolerance=1e-10,
    why="complex step; √(x² + δ²/4) − δ/2 loses up to two digits",
)
def warp_rises(setup: Setup) -> Any:
    return _warp_slope(setup)


@warp_rises.breaks("without −δ in the numerator")
def without_delta_in_the_numerator(setup: Setup) -> Any:
    return _warp_slope(setup, part=0.0)


def _warp_at_zero(setup: Setup, constant: float) -> Evidence:
    delta = setup.rng.uniform(0.5, 2.0)
    x = delta * np.array([0.04, 0.02, 0.01])
    return Evidence.slope(x, np.abs(_warp(delta)(x) - constant * np.sqrt(delta)), 2.0)


@claim(
    SOURCE,
    "lemma 3",
    "ĝ(x) → 0 as x → 0⁺, any δ ≥ 0",
    tolerance=0.02,
    why="an exponent: the rest is x²/(2δ^1.5), next order 1e-3",
    verdict="corrected",
    correction="the limit is √δ (as the proof and B.1 say): 0 only if δ = 0",
)
def warp_at_zero(setup: Setup) -> Any:
    return _warp_at_zero(setup, 1.0)


@warp_at_zero.printed
def warp_at_zero_as_printed(setup: Setup) -> Any:
    return _warp_at_zero(setup, 0.0)


@warp_at_zero.breaks("2√δ")
def with_2rootdelta(setup: Setup) -> Any:
    return _warp_at_zero(setup, 2.0)


def _neuron(setup: Setup) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
    """X, y, w, a, δ with 0.2 < δ < 1.5."""
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    w, delta = rng.uniform(0.5, 1.0) * _unit(rng.normal(size=X.shape[1])), rng.uniform(0.2, 1.5)
    return X, y, w, float(rng.choice([-1.0, 1.0]) * np.sqrt(delta + w @ w)), delta


def _clock(setup: Setup, warped: bool) -> Any:
    X, y, w, a, delta = _neuron(setup)
    q, g, d = _potential(delta, a * w), _warp(delta), len(w)

    def field(p: np.ndarray) -> np.ndarray:
        w, a = p[:d], p[d]
        r = y - a * (X @ w)
        return np.concatenate([a * (X.T @ r), [w @ X.T @ r], (1.5 * g(_length(a * w)) if warped else 1.0) * r])

    path = ode(field, np.concatenate([w, [a], np.zeros(len(y))]), [0.0, 0.5, 2.0, 8.0, 100.0])
    return np.array([_derivative(q, p[d] * p[:d]) for p in path]), path[:, d + 1 :] @ X


@claim(
    SOURCE,
    "section 5, equation (11)",
    "along a neuron's flow ∇Q(w̃(t)) − ∇Q(w̃(0)) = X∫₀ᵗ g(w̃)r dt′, Q from theorem 2 and gH = ∇²Q, for all t",
    tolerance=1e-8,
    why="integrated at rtol 1e-12",
)
def warped_clock(setup: Setup) -> Any:
    return _clock(setup, True)


@warped_clock.breaks("g = 1: not a mirror flow in its own clock")
def g_is_1(setup: Setup) -> Any:
    return _clock(setup, False)


def _rewarped(setup: Setup, warped: bool) -> Any:
    X, y, w, a, delta = _neuron(setup)
    H, g = _metric(delta), _warp(delta)

    def field(p: np.ndarray) -> np.ndarray:
        pull = X.T @ (y - X @ p)
        return np.linalg.solve(1.5 * g(_length(p)) * H(p), pull) if warped else pull

    return ode(field, a * w, [300.0])[-1], _end(w, a, X, y)


@claim(
    SOURCE,
    "section 5, equations (14) and (15)",
    "the mirror flow d∇Q(w̃)/dτ = Xr in warped time stops where the neuron's gradient flow stops",
    tolerance=1e-8,
    why="both flows integrated at rtol 1e-12 until the loss has vanished",
)
def warped_time(setup: Setup) -> Any:
    return _rewarped(setup, True)


@warped_time.breaks("another metric, I")
def another_metric(setup: Setup) -> Any:
    return _rewarped(setup, False)


@claim(
    SOURCE,
    "theorem 2",
    "a linear neuron with δ ≥ 0 stops at argmin q̂_δ(‖w‖) + zᵀw over Xᵀw = y, q̂_δ and z as printed",
    tolerance=1e-7,
    why=FLOWED,
)
def neuron_bias(setup: Setup) -> Any:
    X, y, w, a, delta = _neuron(setup)
    by_theorem = limit(GradientFlow(DeepLinear([w[None], [[a]]]), Problem(X, y))).value
    return _both(_end(w, a, X, y), by_theorem, _argmin(_potential(delta, a * w), X, y))


@neuron_bias.breaks("z without its factor 3/2")
def z_without_its_factor_3_2(setup: Setup) -> Any:
    X, y, w, a, delta = _neuron(setup)
    return _end(w, a, X, y), _argmin(_potential(delta, a * w, factor=1.0), X, y)


@neuron_bias.breaks("δ < 0, with a changing its sign on the way")
def delta_below_0(setup: Setup) -> Any:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    w = _unit(_unseen(X) @ rng.normal(size=X.shape[1])) - 1.5 * _unit(np.linalg.pinv(X) @ y)
    return _end(w, 0.1, X, y), _argmin(_potential(0.01 - w @ w, 0.1 * w), X, y)


def _balanced(setup: Setup, aligned: bool = True) -> tuple[np.ndarray, ...]:
    """X, y, W, a with δ_i = 0; and Δ = 0 if the neurons are aligned."""
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    a = rng.uniform(0.5, 1.0, size=4) * rng.choice([-1.0, 1.0], size=4)
    directions = np.array([_unit(v) for v in rng.normal(size=(4, X.shape[1]))])
    return X, y, a[:, None] * (directions[:1] if aligned else directions), a


def _proposition(setup: Setup, aligned: bool = True) -> Any:
    X, y, W, a = _balanced(setup, aligned)
    start = a @ W
    slope = 1.5 * start / np.sqrt(np.linalg.norm(start))
    return _end(W, a, X, y), _argmin(lambda w: _length(w) ** 1.5 - slope @ w, X, y)


@claim(
    SOURCE,
    "proposition 1",
    "with Δ = 0 a network of several neurons stops at argmin ‖w‖^1.5 − (3/2)‖w̃(0)‖^−½ w̃(0)ᵀw over Xᵀw = y",
    tolerance=1e-7,
    why=FLOWED,
)
def balanced_bias(setup: Setup) -> Any:
    return _proposition(setup)


@balanced_bias.breaks("all δ_i = 0, but Δ ≠ 0")
def all_delta_i_is_0(setup: Setup) -> Any:
    return _proposition(setup, aligned=False)


def _balanced_metric(setup: Setup, power: int, aligned: bool = True) -> Any:
    _, _, W, a = _balanced(setup, aligned)
    W, a = W * np.sqrt(3) / np.linalg.norm(a), a * np.sqrt(3) / np.linalg.norm(a)
    total = a @ W
    x = np.linalg.norm(total)
    inverse = np.linalg.inv(a @ a * np.eye(len(total)) + W.T @ W)
    share = np.sum(np.linalg.norm(a[:, None] * W, axis=1)) / x
    return inverse, (np.eye(len(total)) - np.outer(total, total) / (2 * x**2)) / (share * x**power)


@claim(
    SOURCE,
    "appendix C",
    "with Δ = 0, (Σa_i²I + Σw_iw_iᵀ)⁻¹ = (I − w̃w̃ᵀ/2‖w̃‖²)/(Σ|c_i|‖w̃‖²), where w̃_i = c_i w̃",
    tolerance=1e-11,
    why=ROUNDING,
    verdict="corrected",
    correction="‖w̃‖ for ‖w̃‖² (equation (25) is right again); and Σ|c_i| = 1, for all c_i ≥ 0",
)
def balanced_metric(setup: Setup) -> Any:
    return _balanced_metric(setup, 1)


@balanced_metric.printed
def balanced_metric_as_printed(setup: Setup) -> Any:
    return _balanced_metric(setup, 2)


@balanced_metric.breaks("Δ ≠ 0")
def delta_not_0(setup: Setup) -> Any:
    return _balanced_metric(setup, 1, aligned=False)


def _vanishing(setup: Setup, inner: float, outer: float) -> Evidence:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    W = np.array([_unit(v) for v in rng.normal(size=(3, X.shape[1]))])
    a = rng.uniform(0.5, 1.0, size=3) * rng.choice([-1.0, 1.0], size=3)
    sizes, shortest = np.array([1e-2, 1e-3, 1e-4]), np.linalg.pinv(X) @ y
    ends = [_end(size**inner * W, size**outer * a, X, y, 100.0) for size in sizes]
    return Evidence.slope(sizes, np.linalg.norm(np.array(ends) - shortest, axis=1), 1.0)


@claim(
    SOURCE,
    "theorem 3",
    "a network of several neurons stops at the shortest interpolator as all w̃_i(0) = a_i w_i(0) → 0",
    tolerance=0.05,
    why="an exponent: the distance is ‖P⊥W(0)a(∞)‖, in proportion to W(0); a(∞) changes by 1e-2",
    verdict="corrected",
    correction="needs w_i(0) → 0 (a_i(0) may stay): with a_i(0) → 0 alone the distance stays, it is ‖P⊥W(0)a(∞)‖; "
    "a_i w_i(0) → 0 is enough if δ_i ≥ 0",
)
def vanishing_bias(setup: Setup) -> Any:
    return _vanishing(setup, 1.0, 0.0)


@vanishing_bias.printed
def vanishing_bias_as_printed(setup: Setup) -> Any:
    return _vanishing(setup, 0.0, 1.0)


@vanishing_bias.breaks("no layer small")
def no_layer_small(setup: Setup) -> Any:
    return _vanishing(setup, 0.0, 0.0)


# ---- scale and shape of a neuron -------------------------------------------------------------------------------------


def _lemmas(setup: Setup, sign: float = 1.0) -> Any:
    rng = setup.rng
    w = rng.normal(size=4)
    a = rng.choice([-1.0, 1.0]) * np.linalg.norm(w) * rng.uniform(1.3, 4.0) ** rng.choice([-1, 1])
    alpha, s = _shape(np.linalg.norm(w), a)
    delta = a**2 - w @ w
    size = np.sqrt(alpha**2 + delta**2 / 4)
    z = np.linalg.norm(_derivative(_potential(delta, a * w), a * w) - _derivative(_potential(delta, a * w, 0.0), a * w))
    measured = np.array([delta, size, size - delta / 2, size + delta / 2, z])
    predicted = [4 * alpha * s / (1 - s**2), alpha * (1 + s**2) / (1 - s**2), alpha * (1 - sign * s) / (1 + sign * s)]
    predicted += [alpha * (1 + sign * s) / (1 - sign * s), 1.5 * np.sqrt(alpha * (1 - sign * s) / (1 + sign * s))]
    return measured / predicted, np.ones(5)


@claim(
    SOURCE,
    "lemmas 1 and 2, appendix F.1",
    "δ = 4αs/(1 − s²); √(α² + δ²/4) = α(1 + s²)/(1 − s²), less or more δ/2: α((1 − s)/(1 + s))^±1; and so ‖z‖",
    tolerance=1e-11,
    why="identities: rounding, where √(α² + δ²/4) ± δ/2 loses up to three digits",
)
def neuron_shape(setup: Setup) -> Any:
    return _lemmas(setup)


@neuron_shape.breaks("−s for s in the second and third part of lemma 2")
def s_for_s_in_the_second_and_third_part_of_lemma_2(setup: Setup) -> Any:
    return _lemmas(setup, sign=-1.0)


def _shaped(u: np.ndarray, alpha: float, s: float) -> tuple[np.ndarray, float, np.ndarray]:
    """w, a and B of equation (27), for the direction u."""
    small, large = _layers(alpha, s)
    return small * u, large, np.eye(len(u)) - (1 - s) ** 2 / (2 * (1 + s**2)) * np.outer(u, u)


def _expansion(setup: Setup, constant: float) -> Any:
    rng = setup.rng
    alpha, s = rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.7)
    w, a, B = _shaped(_unit(rng.normal(size=5)), alpha, s)
    q = _potential(a**2 - w @ w, a * w)
    return _hessian(q, a * w), constant * np.sqrt((1 - s) / alpha / (1 + s)) * B


@claim(
    SOURCE,
    "appendix F.2",
    "∇²q(w̃(0)) = √((1 − s)/(α(1 + s))) B with B = I − (1 − s)²/(2(1 + s²)) uuᵀ",
    tolerance=1e-8,
    why="fourth-order differences at step 1e-4: 1e-12/1e-4 of rounding",
    verdict="corrected",
    correction="3/2 times this, for the q of theorem 2; B is right",
)
def expansion(setup: Setup) -> Any:
    return _expansion(setup, 1.5)


@expansion.printed
def expansion_as_printed(setup: Setup) -> Any:
    return _expansion(setup, 1.0)


@expansion.breaks("2 for 3/2")
def expansion_with_2_for_3_2(setup: Setup) -> Any:
    return _expansion(setup, 2.0)


def _neuron_kernel(setup: Setup, power: int, inverse: int = -1) -> Any:
    rng = setup.rng
    w, a, B = _shaped(_unit(rng.normal(size=5)), 2.0, rng.uniform(0.1, 0.6))
    X = rng.normal(size=(6, 5))
    J = _derivative(lambda p: p[-1] * (X @ p[:-1]), np.append(w, a))
    return J @ J.T, a**power * X @ np.linalg.matrix_power(B, inverse) @ X.T


@claim(
    SOURCE,
    "section 7.2",
    "the tangent kernel of a neuron at initialization is K(x, x′) = xᵀB⁻¹x′",
    tolerance=1e-11,
    why=ROUNDING,
    verdict="corrected",
    correction="K(x, x′) = a(0)² xᵀB⁻¹x′, as in appendix F.2",
)
def neuron_kernel(setup: Setup) -> Any:
    return _neuron_kernel(setup, 2)


@neuron_kernel.printed
def neuron_kernel_as_printed(setup: Setup) -> Any:
    return _neuron_kernel(setup, 0)


@neuron_kernel.breaks("B for B⁻¹")
def b_for_b_1(setup: Setup) -> Any:
    return _neuron_kernel(setup, 2, inverse=1)


def _rkhs(setup: Setup, power: int = -1) -> Any:
    """f = Σ γ_j K(·, x_j) with f(x_j) = wᵀx_j has ‖f‖² = γᵀKγ."""
    rng = setup.rng
    d = _sizes(setup)[1]
    V = frame(rng, d, d)
    X, w = np.eye(d) + 0.2 * rng.normal(size=(d, d)) / np.sqrt(d), rng.normal(size=d)
    A = (V * np.linspace(0.5, 3, d)) @ V.T
    K = X @ A @ X.T
    weights = np.linalg.solve(K, X @ w)
    return weights @ K @ weights, w @ np.linalg.matrix_power(A, power) @ w


@claim(
    SOURCE,
    "lemma 4",
    "f(x) = wᵀx has the norm ‖f‖²_K = wᵀA⁻¹w for the kernel K(x, x′) = xᵀAx′",
    tolerance=1e-10,
    why="identities: rounding, condition number about 10",
)
def rkhs_norm(setup: Setup) -> Any:
    return _rkhs(setup)


@rkhs_norm.breaks("A for A⁻¹")
def a_for_a_1(setup: Setup) -> Any:
    return _rkhs(setup, power=1)


def _anti(setup: Setup, shapes: Any) -> Evidence:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    u, alphas = _unit(rng.normal(size=X.shape[1])), np.array([1e-3, 1e-4, 1e-5])
    starts = [_shaped(u, alpha, s) for alpha, s in zip(alphas, shapes, strict=True)]
    ends = np.array([_end(w, a, X, y, 100.0) for w, a, _ in starts])
    return Evidence.slope(alphas, np.linalg.norm(ends - np.linalg.pinv(X) @ y, axis=1), 0.5)


@claim(
    SOURCE,
    "section 7.2 and appendix F.1",
    "at a fixed shape 0 ≤ s < 1 a neuron stops at the shortest interpolator as α → 0 (the anti-NTK regime)",
    tolerance=0.02,
    why="an exponent: the distance is |a(∞)|‖P⊥w(0)‖, in proportion to √α; next order √α",
)
def anti_kernel(setup: Setup) -> Any:
    return _anti(setup, [0.3] * 3)


@anti_kernel.breaks("s → −1 while α → 0: ‖w(0)‖ = 1 stays, a(0) = α")
def s_to_1_while_alpha_to_0(setup: Setup) -> Any:
    return _anti(setup, [(a - 1) / (a + 1) for a in (1e-3, 1e-4, 1e-5)])


def _growth(setup: Setup, power: int = 1) -> Evidence:
    """The change of a neuron's kernel at s = 0.3, relative to its first size (or, power 0, not)."""
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    u, alphas, found = _unit(rng.normal(size=X.shape[1])), np.array([1e-3, 1e-4, 1e-5]), []
    for alpha in alphas:
        w, a, _ = _shaped(u, alpha, 0.3)
        W, ends = _flow(w, a, X, y, [0.0, 100.0])
        kernels = [b[0] ** 2 * X @ X.T + np.outer(X @ v[0], X @ v[0]) for v, b in zip(W, ends, strict=True)]
        found.append(np.linalg.norm(kernels[1] - kernels[0]) / np.linalg.norm(kernels[0]) ** power)
    return Evidence.slope(alphas, found, -1.0)


@claim(
    SOURCE,
    "section 6, after theorem 3",
    "from a vanishing initialization the tangent kernel does not stay: its relative change grows without bound",
    tolerance=0.02,
    why="an exponent: it ends at a fixed size and starts in proportion to α; next order √α",
)
def anti_kernel_moves(setup: Setup) -> Any:
    return _growth(setup)


@anti_kernel_moves.breaks("the change itself, which tends to a constant")
def the_change_itself(setup: Setup) -> Any:
    return _growth(setup, power=0)


def _far(setup: Setup, bounded: bool, part: float = 1.0) -> tuple[np.ndarray, list[float], list[float]]:
    """α → ∞ at s = 0.2: how far a neuron stops from the Mahalanobis minimiser, relative to its way, and how much its
    kernel changes. `bounded`: the labels are the outputs at the start but for a residual of length 1.5."""
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    # half in what the data see, so that the outputs at the start grow with α, and half not
    u = _unit(_unit(np.linalg.pinv(X) @ y) + _unit(_unseen(X) @ rng.normal(size=X.shape[1])))
    alphas, off, changes = np.array([100.0, 200.0, 400.0, 800.0]), [], []
    for alpha in alphas:
        w, a, B = _shaped(u, alpha, 0.2)
        spread = np.linalg.inv(np.eye(len(u)) + part * (B - np.eye(len(u))))
        labels = y + a * X @ w if bounded else y
        W, ends = _flow(w, a, X, labels, [60.0 / alpha])
        way = ends[-1, 0] * W[-1, 0] - a * w
        lazy = spread @ X.T @ np.linalg.solve(X @ spread @ X.T, labels - a * X @ w)
        off.append(float(np.linalg.norm(way - lazy) / np.linalg.norm(way)))
        change = (ends[-1, 0] ** 2 - a**2) * np.eye(len(u)) + np.outer(W[-1, 0], W[-1, 0]) - np.outer(w, w)
        changes.append(float(np.linalg.norm(change)))
    return alphas, off, changes


def _far_off(setup: Setup, bounded: bool, part: float = 1.0) -> Evidence:
    alphas, off, _ = _far(setup, bounded, part)
    return Evidence.slope(alphas, off, -1.0)


def _far_kernel(setup: Setup, bounded: bool, power: int = 1) -> Evidence:
    alphas, _, changes = _far(setup, bounded)
    return Evidence.slope(alphas, changes / alphas**power, -1.0)


@claim(
    SOURCE,
    "section 7.2 and appendix F.2.1",
    "as α → ∞ at fixed 0 ≤ s < 1 a neuron stops at argmin (w − w̃(0))ᵀB(w − w̃(0)) over Xᵀw = y",
    tolerance=0.05,
    why="an exponent: the relative distance is the residual over α; next order 1e-2",
    verdict="corrected",
    correction="only if y − Xᵀw̃(0) stays bounded: at fixed y the way to go grows with α, the third order is as large "
    "as the second, which (26) forgets, and the relative distance stays",
)
def lazy_scale(setup: Setup) -> Any:
    return _far_off(setup, True)


@lazy_scale.printed
def lazy_scale_as_printed(setup: Setup) -> Any:
    return _far_off(setup, False)


@lazy_scale.breaks("B = I although s < 1")
def b_is_i_although_s_below_1(setup: Setup) -> Any:
    return _far_off(setup, True, part=0.0)


@claim(
    SOURCE,
    "section 7.2",
    "as α → ∞ at fixed 0 ≤ s < 1 the tangent kernel of a neuron is fixed during training",
    tolerance=0.05,
    why="an exponent: the relative change is the residual over α; next order 1e-2",
    verdict="corrected",
    correction="only if y − Xᵀw̃(0) stays bounded (or is small compared with α): at fixed y the relative change stays",
)
def lazy_scale_kernel(setup: Setup) -> Any:
    return _far_kernel(setup, True)


@lazy_scale_kernel.printed
def lazy_scale_kernel_as_printed(setup: Setup) -> Any:
    return _far_kernel(setup, False)


@lazy_scale_kernel.breaks("the change itself, not relative to the kernel, which grows as α")
def lazy_scale_kernel_the_change_itself(setup: Setup) -> Any:
    return _far_kernel(setup, True, power=0)


def _upstream(setup: Setup, centred: bool) -> Evidence:
    rng = setup.rng
    X, y = _data(rng, *_sizes(setup))
    u, gaps, found = _unit(rng.normal(size=X.shape[1])), np.array([0.04, 0.02, 0.01]), []
    for gap in gaps:
        w, a, _ = _shaped(u, 1.0, 1 - gap)
        start = a * w if centred else 0 * w
        found.append(_end(w, a, X, y, 40.0 * gap) - start - np.linalg.pinv(X) @ (y - X @ start))
    return Evidence.slope(gaps, np.linalg.norm(np.array(found), axis=1), 2.0)


@claim(
    SOURCE,
    "section 7.2 and appendix F.2.2",
    "as s → 1 at fixed α a neuron stops at the interpolator nearest to w̃(0)",
    tolerance=0.05,
    why="an exponent: the distance falls as (1 − s)²; next order 0.02",
)
def lazy_neuron_shape(setup: Setup) -> Any:
    return _upstream(setup, True)


@lazy_neuron_shape.breaks("the interpolator nearest to zero")
def the_interpolator_nearest_to_zero(setup: Setup) -> Any:
    return _upstream(setup, False)


# ---- a leaky ReLU neuron ---------------------------------------------------------------------------------------------

SLOPE = 0.4


def _leaky_relu(setup: Setup, slope: float, swapped: bool = False) -> Any:
    x = setup.rng.normal(size=20)
    return np.maximum(x, slope * x), ((1 - slope) * (x < 0 if swapped else x > 0) + slope) * x


@claim(
    SOURCE,
    "section 8 and appendix G",
    "σ(x) = max(x, ρx) is ((1 − ρ)1[x > 0] + ρ)x, with slopes 1 for x > 0 and ρ for x < 0, for any ρ > 0",
    tolerance=1e-12,
    why=ROUNDING,
    verdict="corrected",
    correction="for ρ ≤ 1; for ρ > 1 the slopes 1 and ρ change places",
)
def leaky_slopes(setup: Setup) -> Any:
    below, above = _leaky_relu(setup, 0.4), _leaky_relu(setup, 2.5, swapped=True)
    return np.stack([below[0], above[0]]), np.stack([below[1], above[1]])


@leaky_slopes.printed
def leaky_slopes_as_printed(setup: Setup) -> Any:
    return _leaky_relu(setup, 2.5)


@leaky_slopes.breaks("the slopes exchanged although ρ < 1")
def the_slopes_exchanged_although_rho_below_1(setup: Setup) -> Any:
    return _leaky_relu(setup, 0.4, swapped=True)


def _leaky_end(setup: Setup, mixed: bool = True) -> tuple[Any, ...]:
    """X, y, w̃(0), δ, the outputs at the end, w̃(∞), a(∞); one sample starts on the wrong side of its kink.

    The samples are nearly orthogonal, so that kinks are crossed and do not hold the flow.
    """
    rng = setup.rng
    n, d = _sizes(setup)
    V = frame(rng, d, n)
    X = (np.diag(rng.uniform(0.9, 1.2, size=n)) + 0.02 * rng.normal(size=(n, n))) @ V.T
    sign = float(rng.choice([-1.0, 1.0]))
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0) if mixed else -sign * np.ones(n)
    y = signs * rng.uniform(0.7, 1.5, size=n)
    sides = 0.3 * sign * signs * np.where(np.arange(n) == 0, -1.0, 1.0)
    w = np.linalg.pinv(X) @ sides + 0.3 * _unit(_unseen(X) @ rng.normal(size=d))
    delta = rng.uniform(0.2, 0.6)
    a = sign * np.sqrt(delta + w @ w)
    end = _leaky(w[None], np.array([a]), X, y, SLOPE, [300.0])[-1, 0]
    h = X @ end[:-1]
    return X, y, a * w, delta, end[-1] * np.where(h > 0, h, SLOPE * h), end[-1] * end[:-1], end[-1]


def _leaky_rows(X: np.ndarray, y: np.ndarray, sign: Any) -> np.ndarray:
    """The constraints on the branch of this sign of a, which are linear: c_n x_n."""
    return np.where(y * sign > 0, 1.0, SLOPE)[:, None] * X


def _leaky_kkt(setup: Setup, factor: float = 1.5) -> Any:
    X, y, start, delta, outputs, end, _ = _leaky_end(setup)
    slope = _derivative(_potential(delta, start, factor), end)
    return np.concatenate([slope, outputs]), np.concatenate([np.linalg.pinv(X) @ X @ slope, y])


@claim(
    SOURCE,
    "theorem 4",
    "a leaky ReLU neuron with δ ≥ 0 whose loss vanishes stops at a KKT point of q_δ(aw) over aσ(Xᵀw) = y",
    tolerance=1e-7,
    why="flow integrated at rtol 1e-12 across a kink until its loss has vanished",
)
def leaky_kkt(setup: Setup) -> Any:
    return _leaky_kkt(setup)


@leaky_kkt.breaks("z without its factor 3/2")
def leaky_kkt_z_without_its_factor_3_2(setup: Setup) -> Any:
    return _leaky_kkt(setup, factor=1.0)


def _leaky_argmin(setup: Setup, linear: bool) -> Any:
    X, y, start, delta, _, end, a = _leaky_end(setup)
    return end, _argmin(_potential(delta, start), X if linear else _leaky_rows(X, y, a), y)


@claim(
    SOURCE,
    "appendix G, end of the proof",
    "a leaky ReLU neuron stops at w̃(∞) = argmin q(w̃) over Xᵀw̃ = y",
    tolerance=1e-7,
    why=FLOWED,
    verdict="corrected",
    correction="over c_n x_nᵀw̃ = y_n, with the slope c_n ∈ {1, ρ} of sample n at the end",
)
def leaky_argmin(setup: Setup) -> Any:
    return _leaky_argmin(setup, False)


@leaky_argmin.printed
def leaky_argmin_as_printed(setup: Setup) -> Any:
    return _leaky_argmin(setup, True)


@leaky_argmin.breaks("the slopes of the other sign of a")
def the_slopes_of_the_other_sign_of_a(setup: Setup) -> Any:
    X, y, start, delta, _, end, a = _leaky_end(setup)
    return end, _argmin(_potential(delta, start), _leaky_rows(X, y, -a), y)


def _leaky_global(setup: Setup, signs: tuple[int, ...]) -> Any:
    """The lowest point on the branches of these signs of a(∞)."""
    X, y, start, delta, _, end, a = _leaky_end(setup, mixed=False)
    q = _potential(delta, start)
    ends = [_argmin(q, _leaky_rows(X, y, sign * a), y) for sign in signs]
    return end, min(ends, key=lambda w: float(q(w)))


@claim(
    SOURCE,
    "theorem 4, as displayed",
    "(a(∞), w(∞)) = argmin q_δ(aw) over aσ(Xᵀw) = y, for a leaky ReLU neuron with δ ≥ 0",
    tolerance=1e-7,
    why=FLOWED,
    verdict="corrected",
    correction="the argmin among a with the sign of a(0), which a keeps; the branch of the other sign can be lower "
    "(here all labels have the sign opposite to a(0))",
)
def leaky_branch(setup: Setup) -> Any:
    return _leaky_global(setup, (1,))


@leaky_branch.printed
def leaky_branch_as_printed(setup: Setup) -> Any:
    return _leaky_global(setup, (1, -1))


@leaky_branch.breaks("the other branch")
def the_other_branch(setup: Setup) -> Any:
    return _leaky_global(setup, (-1,))


undecidable(
    SOURCE,
    "section 8 (Vardi and Shamir 2020)",
    "no_bias_of_relu",
    "no explicit function of the parameters characterises the implicit bias of a single ReLU neuron (ρ = 0)",
    "it says that something does not exist, among all functions: no finite number of flows can show this",
)
undecidable(
    SOURCE,
    "section 9",
    "sample_complexity",
    "least ℓ₁ norm needs N = Ω(r* log d) samples, least ℓ₂ norm N = Ω(d)",
    "orders of growth with unnamed constants; finite sizes fit many of them",
)
