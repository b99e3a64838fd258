"""Section 5.1: sparse regression, where descent was stopped, and the saddle at zero."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import linprog

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode
from lazyrich.papers.smith2022.claims._regression import (
    Array,
    data,
    draw_sparse,
    least_norm,
    least_norms,
    regression,
    start_of_ones,
)
from lazyrich.papers.verdicts import Verdict


def _sparse_truth(rng: np.random.Generator, N: int, support: int = 5) -> tuple[Array, Array, Array]:
    """Draw the data of section 5.1, n = 250: X, y and the true vector."""
    X, truth = rng.normal(size=(N, 250)), np.zeros(250)
    truth[:support] = 1 / np.sqrt(support)
    return X, X @ truth + 0.1 * rng.normal(size=N), truth


def _predictor_at_stop(X: Array, y: Array, stop: float, alpha: float = 1e-3) -> Array:
    """Return β of the flow from α𝟙 at time `stop`.

    10⁴ epochs with step 3e-4 and batches of 32 end at t = 12 for N = 100, with four batches, and at t = 6 for N = 50.
    """
    w = ode(lambda w: _velocity(w, X, y), start_of_ones(250, alpha), [0.0, stop], rtol=1e-8)[-1]
    return w[0] ** 2 - w[1] ** 2


def _velocity(w: Array, X: Array, y: Array) -> Array:
    g = 4 / len(y) * X.T @ (X @ (w[0] ** 2 - w[1] ** 2) - y)
    return np.stack([-w[0] * g, w[1] * g])


@lru_cache(maxsize=2)
def _batches(setup: Setup, size: int) -> tuple[Array, Array, Array, Array]:
    """Return X, y and the true vector for N = 50, and β after 10⁴ epochs of minibatch descent with step 3e-4."""
    X, y, truth = _sparse_truth(setup.rng, 50)
    shuffle, w = setup.rng.spawn(1)[0], start_of_ones(250, 1e-3)
    for _ in range(10_000):
        order = shuffle.permutation(50)
        for k in range(0, 50, size):
            batch = order[k : k + size]
            w = w + 3e-4 * _velocity(w, X[batch], y[batch])
    return X, y, truth, w[0] ** 2 - w[1] ** 2


@claim(
    "smith2022",
    "section 5.1.1",
    "at N = 50 and α = 1e-3 descent with the step 3e-4 ends where the flow is at the same time, t = 6",
    quote=r"This is why I suspect the excess  $\ell^1$  norm and  $\ell^1$  population error begin to increase for the "
    r"gradient descent path with  $N = 50$ : when the initialization scale is very small, and so the gradient descent "
    r"is initialized with  $\mathbf{w}_\alpha(0) \approx \mathbf{0}$ , a very small stepsize is necessary to attain "
    r"convergence.",
    tolerance=0.02,
    why="Euler's error ηr²t is 0.016 for η = 3e-4, t = 6 and rates r up to 3",
    verdict=Verdict.CONJECTURED,
    remark="the author suspects it; what was seen speaks against it: descent is where the flow is at that time, so "
    "that the error is the flow's own, and a smaller step would not mend it",
)
def coarse_step(setup: Setup, until: float = 6.0) -> Any:
    X, y, _, descended = _batches(setup, 32)
    return descended, _predictor_at_stop(X, y, until)


coarse_step.breaks("at a quarter of the time", until=1.5)


@claim(
    "smith2022",
    "section 5.1, on figure 7b",
    "at α = 1e-3, where descent was stopped (10⁴ epochs), β is close to the sparse β_w: an ℓ1 distance of about 0.1 "
    "for N = 100 and 0.04 for N = 200",
    quote=r"when  $\alpha = 10^{-3}$ , the  $\ell^1$  population error is  $\approx 10^{-1}$  with  $N = 100$  "
    r"training samples and  $\approx 4 \times 10^{-2}$  with  $N = 200$  training samples. Intuitively, we would "
    r"suspect that  $\beta_{\mathbf{w}_\alpha(t_{\text{end}})}$  should be close to  $\beta_\mathbf{w}$  for  $\alpha$ "
    r" small since  $\beta_\mathbf{w}$  itself is sparse.",
    tolerance=0.5,
    why="0.1 to one digit is less than 0.15; the median of five data sets, between which it varies threefold",
)
def early_stopping(setup: Setup, support: int = 5, stopped: bool = True) -> Any:
    """The ℓ1 distance to the truth, over what is printed; 10⁴ epochs of 7 batches end at t = 21 for N = 200."""
    rng, worst, summaries = setup.rng, [], []
    for N, end, printed in ((100, 12.0, 0.1), (200, 21.0, 0.04)):
        measured = []
        for _ in range(5 if N == 100 else 3):
            X, y, truth = _sparse_truth(rng, N, support)
            beta = _predictor_at_stop(X, y, end) if stopped else least_norm(X, y, 2e-6)
            measured.append(float(np.sum(np.abs(beta - truth))))
        worst.append(Evidence.at_most(np.median(measured), printed))
        summaries.append(f"N = {N}: " + ", ".join(f"{f:.2g}" for f in sorted(measured)))
    return Evidence(max(each.error for each in worst), "ℓ1 error, " + "; ".join(summaries))


early_stopping.breaks("a β_w that is not sparse", support=250)
early_stopping.breaks("trained until it fits: then it fits the noise", stopped=False)


@claim(
    "smith2022",
    "section 5.1, figure 8",
    "for N = 100, stopped at t = 12 from α = 1e-3, the first five coordinates are within a tenth of 1/√5 and the next "
    "five below 0.05; from α = 1 they are not",
    quote=r"For the  $\alpha = 10^{-3}$  solution vector, on the other hand, we do observe that the second five "
    r"coordinates are all nearly zero. … $(\beta_{\mathbf{w}_\alpha(t_{\text{end}})})_i$  is very close to the  "
    r"$(\beta_\mathbf{w})_i = 1/\sqrt{5}$  for  $1 \leq i \leq 5$ .",
    tolerance=0.02,
    why="least squares on five coordinates misses by 0.01 or so",
)
def figure_eight(setup: Setup, alpha: float = 1e-3) -> Any:
    X, y, truth = _sparse_truth(setup.rng, 100)
    beta = _predictor_at_stop(X, y, 12.0, alpha)
    on, off = np.max(np.abs(beta[:5] / truth[:5] - 1)), np.max(np.abs(beta[5:10]))
    return Evidence(float(max(0.0, on - 0.1, off - 0.05)), f"off by {on:.1%}, and {off:.3f} where there is nothing")


figure_eight.breaks("from α = 1, which is not sparse", alpha=1.0)


def _norms(rng: np.random.Generator, alphas: tuple[float, ...]) -> tuple[Array, float, float]:
    """Return the excess of the ℓ1 norm over the least for N = 100: at the limits from these decreasing α, and
    stopped from α = 1e-3; and the least."""
    X, y, _ = _sparse_truth(rng, 100)
    least = float(linprog(np.ones(500), A_eq=np.hstack([X, -X]), b_eq=y).fun)
    limits = np.array([np.sum(np.abs(beta)) for beta in least_norms(X, y, [2 * a**2 for a in alphas])]) - least
    return limits, float(np.sum(np.abs(_predictor_at_stop(X, y, 12.0))) - least), least


def _with_signs(excess: float) -> float:
    return excess


@claim(
    "smith2022",
    "section 5.1, on figure 7a",
    "for N = 100 the ℓ1 norm ends above the least by about 4 at α = 1, and at α = 1e-3, where descent was stopped, "
    "below it by about 0.8",
    quote=r"the predictor implemented by gradient descent is far from the minimum  $\ell^1$  solution for  $\alpha = "
    r"1$  (excess  $\ell^1$  norm  $\approx 5$ ) but gets significantly closer to this solution as  $\alpha$  shrinks "
    r"towards zero (excess  $\ell^1$  norm  $\approx 8 \times 10^{-1}$  for  $\alpha = 10^{-3}$ ).",
    tolerance=0.03,
    why="medians of three data sets, between which they vary by a fifth, against half and one and a half of what is "
    "printed",
    verdict=Verdict.CORRECTED,
    remark="0.8 is its size and its sign is negative: an excess over the least norm can only be negative where Xβ = y "
    "does not hold, and descent has not converged there; at the limit of the flow the excess is about 0.02",
)
def excess_norm(setup: Setup, sign: Callable[[float], float] = _with_signs, largest: float = 1.0) -> Any:
    rng = setup.rng
    runs = [_norms(rng, (largest,)) for _ in range(3)]
    large, small = (float(np.median(values)) for values in zip(*((run[0][0], run[1]) for run in runs), strict=True))
    off = max(0.0, 0.5 - large / 5, large / 5 - 1.5, 0.5 - sign(small) / -0.8, sign(small) / -0.8 - 1.5)
    return Evidence(off, f"{large:.2f} at α = {largest:g}, {small:.2f} at α = 1e-3")


excess_norm.printed(sign=abs)
excess_norm.breaks("α = 0.05 for α = 1", largest=0.05)


@claim(
    "smith2022",
    "section 5.1, on figure 7a",
    "the excess ℓ1 norm at the limit falls as α does; hardly from α = 1 to 0.5, and sharply around α = 0.1: faster "
    "than α",
    quote=r"Just as we see from our own experiments in Figure 7a, starting once again at around  $\alpha \approx "
    r"10^{-1}$ , there is a sharp decrease in the excess  $\ell^1$  norm. It then appears to continue decreasing "
    r"monotonically as  $\alpha \rightarrow 0$ .",
    tolerance=0.05,
    why="exponents between two α, which vary by a tenth from one data set to another, against 1 and 0.2",
)
def sharp_drop(setup: Setup, around: float = 0.1) -> Any:
    """The exponent of the excess between ½ and 1, and between half of `around` and `around`."""
    alphas = tuple(sorted({1.0, 0.5, around, around / 2, 0.01, 1e-3}, reverse=True))
    excess, _, _ = _norms(setup.rng, alphas)
    at = dict(zip(alphas, excess, strict=True))
    flat, steep = np.log2(at[1.0] / at[0.5]), np.log2(at[around] / at[around / 2])
    off = max(0.0, flat - 0.2, 1.0 - steep, float(np.max(np.diff(excess))))
    return Evidence(float(off), f"exponent {flat:.2f} at α = 1 and {steep:.2f} at α = {around:g}")


sharp_drop.breaks("at α = 1", around=1.0)


@claim(
    "smith2022",
    "section 5.1.1",
    "at α = 1e-3, N = 100, the loss after 10⁴ epochs is no more than that of least squares on the true support: the "
    "saddle is escaped",
    quote=r"We conjecture that this is exactly the problem we are facing in our simulation: for  $\alpha$  small, we "
    r"are not able to escape the saddle point within the specified  $10^4$  epochs.",
    tolerance=0.05,
    why="least squares on the true support, 5 of N = 100, is 5 % below the noise's own mean square",
    verdict=Verdict.CONJECTURED,
    remark="the source conjectures it; at its smallest α, 1e-3, the saddle is escaped, and the loss that is left is "
    "that of the noise; from α = 1e-12 it would not be",
)
def left_over_loss(setup: Setup, alpha: float = 1e-3) -> Any:
    X, y, _ = _sparse_truth(setup.rng, 100)
    fitted = np.linalg.lstsq(X[:, :5], y, rcond=None)[0]
    stuck, support, zero = (
        np.mean(r**2) for r in (X @ _predictor_at_stop(X, y, 12.0, alpha) - y, X[:, :5] @ fitted - y, y)
    )
    return Evidence.at_most(stuck, support, f"loss {stuck:.2g}, least squares {support:.2g}, at the saddle {zero:.2g}")


left_over_loss.breaks("from α = 1e-12, where the saddle is not escaped", alpha=1e-12)


@claim(
    "smith2022",
    "section 5.1.1",
    "w = 0 is a saddle of the regression loss: the gradient vanishes and the Hessian has the eigenvalues ±(4/N)(Xᵀy)ⱼ",
    quote=r"the objective  $L(h(\mathbf{w}))$  often has a saddle point at  $\mathbf{w} = \mathbf{0}$  [13].",
    tolerance=1e-4,
    why="central differences with step 1e-3",
)
def saddle(setup: Setup, D: int = 2) -> Any:
    """The gradient and the eigenvalues of the Hessian at w = 0, and 0 and ±(4/N)Xᵀy."""
    X, y = data(setup.rng, 3, 5)
    loss = lambda w: np.mean((X @ (w[:5] ** D - w[5:] ** D) - y) ** 2)  # noqa: E731
    pull = 4 / 3 * X.T @ y
    unit = 1e-3 * np.eye(10)  # central differences
    slope = [(loss(e) - loss(-e)) / 2e-3 for e in unit]
    H = [[(loss(e + d) - loss(e - d) - loss(d - e) + loss(-e - d)) / 4e-6 for d in unit] for e in unit]
    measured = np.linalg.eigvalsh(np.array(H))
    return np.concatenate([slope, measured]), np.concatenate([np.zeros(10), np.sort([*pull, *-pull])])


saddle.breaks("for cubes, whose Hessian vanishes", D=3)


@saddle.proof("n = 1, N = 2, symbols for the inputs and labels")
def by_two_derivatives(spoiled: bool) -> Any:
    from sympy import Matrix, diag, diff, hessian, symbols

    (p, m), x, y = symbols("p m"), symbols("x:2"), symbols("y:2")
    power = 3 if spoiled else 2
    loss = sum((x[i] * (p**power - m**power) - y[i]) ** 2 for i in range(2)) / 2
    at, pull = {p: 0, m: 0}, 2 * (x[0] * y[0] + x[1] * y[1])
    slopes = Matrix([diff(loss, p), diff(loss, m)]).subs(at)
    return [slopes, hessian(loss, (p, m)).subs(at)], [Matrix([0, 0]), diag(-pull, pull)]


@claim(
    "smith2022",
    "section 5.1.1",
    "it takes longer and longer to leave the saddle as α → 0: as log(1/α) over the rate (4/N) max|Xᵀy|",
    quote=r"Undoubtedly, this small initialization complicates the optimization problem since it takes longer and "
    r"longer for the gradient flow path to escape the vicinity of the saddle point.",
    tolerance=5e-3,
    why="the residual has hardly changed by then, and the crossing is interpolated",
)
def escape_time(setup: Setup, factor: float = 4.0) -> Any:
    """The differences of the times at which the largest weight is 1/100 from α = 1e-4, 1e-6, 1e-8, 1e-10, times the
    growth rate."""
    X, y, _, _ = draw_sparse(setup.rng, 2, 4)
    rate = factor / 2 * np.max(np.abs(X.T @ y))
    grid = np.linspace(0, 4 * np.log(1e10) / np.max(np.abs(X.T @ y)), 4000)
    sizes = [np.max(regression(start_of_ones(4, a), X, y, grid), axis=(1, 2)) for a in (1e-4, 1e-6, 1e-8, 1e-10)]
    times = [np.interp(np.log(0.01), np.log(size[: np.argmax(size)]), grid[: np.argmax(size)]) for size in sizes]
    return rate * np.diff(times), np.full(3, np.log(100))


escape_time.breaks("with the rate (2/N) max|Xᵀy|", factor=2.0)


@escape_time.proof("n = 1, N = 2, symbols for the inputs and labels: the rate of growth at 0, and the time it takes")
def growth_and_waiting(spoiled: bool) -> Any:
    """w₊ = αe^{rt} with r = (4/N)xᵀy reaches c at ln(c/α)/r."""
    from sympy import diff, exp, limit, log, symbols

    p, x, y = symbols("p"), symbols("x:2"), symbols("y:2")
    loss = sum((x[i] * p**2 - y[i]) ** 2 for i in range(2)) / 2
    rate = limit(-diff(loss, p) / p, p, 0)
    r, a, c = symbols("r a c", positive=True)
    when = log(c / a) / r
    return [rate, a * exp(r * when)], [(1 if spoiled else 2) * (x[0] * y[0] + x[1] * y[1]), c]
