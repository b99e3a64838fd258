"""Corollary 3.1 and what section 3.1 makes of it: singular values, and what the scale γ does to the rank."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.varre2023.claims._flow import FLOW, LATE, Task, draw_task, flow, singular_values
from lazyrich.papers.verdicts import Verdict

ENDED = 20.0  # e-folds of the slowest rate, which is 2λσ at small γ, after the last singular value is learned


def _spectra(values: np.ndarray, gamma: float, d: int = 4) -> np.ndarray:
    """Return the singular values of W₁ (d of them) and of W₂ that correspond to those of β."""
    names = {"σᵢ(β*)": values.ravel(), "γ": gamma}
    squares = [formula.right(names) for formula in singular_values_at_the_limit.formulas]
    first, second = (np.sqrt(squares[index]).reshape(values.shape) for index in (0, 2))
    rest = np.full((*values.shape[:-1], d - values.shape[-1]), np.sqrt(squares[1]))
    return np.concatenate([first, rest, second], axis=-1)


def _end_times(task: Task) -> np.ndarray:
    """Return 0 and a time at which the flow has ended for any γ: a mode σ is learned by ln(1/γ)/(2λσ)."""
    slowest = 2 * np.min(np.linalg.svd(task.X)[1]) ** 2 * np.min(singular_values(task.best))
    return np.array([0.0, (ENDED + np.log(1 + 1 / task.gamma)) / slowest])


def _end(task: Task) -> np.ndarray:
    """Return W₁ at the end of the flow."""
    out: np.ndarray = flow(task, _end_times(task)).W1[-1]
    return out


@claim(
    "varre2023",
    "Corollary 3.1, Appendix B",
    "At the limit $σᵢ(W₁)² = γ + √(σᵢ(β*)² + γ²)$ for i ≤ k and $2γ$ for the others, and $σᵢ(W₂)² = −γ + √(σᵢ(β*)² + "
    "γ²)$",
    quote=r"\begin{aligned}\sigma_i(\mathbf{W}_1^\infty) &= \left(\sqrt{\sigma_i(\beta_*)^2 + \gamma^2} + "
    r"\gamma\right)^{1/2}, \text{ for } 1 \leq i \leq k. \\ \sigma_i(\mathbf{W}_1^\infty) &= (2\gamma)^{1/2}, \text{ "
    r"for } k < i \leq d.\end{aligned}",
    tolerance=1e-8,
    why=FLOW,
)
def singular_values_at_the_limit(setup: Setup, start: float = 0.0) -> Any:
    rng = setup.rng
    task = draw_task(rng)
    path = flow(task, LATE, W2=start * rng.normal(size=(6, 2)))
    measured = np.concatenate([singular_values(path.W1[-1]), singular_values(path.W2[-1])])
    return measured, _spectra(singular_values(np.linalg.pinv(task.X) @ task.Y), task.gamma)


singular_values_at_the_limit.breaks("W₂(0) ≠ 0", start=0.5)


@singular_values_at_the_limit.proof("one mode: z₁z₂ = σ and z₁² − z₂² = 2γ are solved by these, as expressions")
def product_and_difference(spoiled: bool) -> Any:
    from sympy import symbols

    s, g = symbols("s g", positive=True)
    names = {"σᵢ(β*)": 2 * s if spoiled else s, "γ": g}
    one, other, two = (formula.right(names) for formula in singular_values_at_the_limit.formulas)  # z₁², 2γ, z₂²
    return [one * two, one - two], [s**2, other]


@claim(
    "varre2023",
    "Lemma C.10, (C.16)",
    "$σᵢ(Z₁)² = γ + √(γ² + σᵢ(β)²)$ and $σᵢ(Z₂)² = −γ + √(γ² + σᵢ(β)²)$ at every time, for any data",
    quote=r"the following relation holds (elementwise): $$\mathbf{D}_{Z_2}^2 = -\gamma I_k + \sqrt{\gamma^2 I_k + "
    r"\mathbf{D}_\beta^2} \quad \text{and} \quad \tilde{\mathbf{D}}_{Z_1}^2 = \gamma I_d + \sqrt{\gamma^2 I_d + "
    r"\tilde{\mathbf{D}}_\beta^2}, \quad (\text{C.16})$$",
    tolerance=1e-8,
    why=FLOW,
)
def singular_values_on_the_way(setup: Setup, factor: float = 1.0) -> Any:
    task = draw_task(setup.rng)
    path = flow(task)
    sides = []
    for W1, W2, beta in zip(path.W1, path.W2, path.beta, strict=True):
        values = singular_values(beta)
        names = {"σᵢ(Z₁)": singular_values(W1)[: len(values)], "σᵢ(Z₂)": singular_values(W2)[: len(values)]}
        sides += singular_values_on_the_way.sides(names | {"σᵢ(β)": values, "γ": factor * task.gamma})
    return tuple(np.array(each) for each in zip(*sides, strict=True))


singular_values_on_the_way.breaks("2γ in place of γ", factor=2.0)


@singular_values_on_the_way.proof("d = k = 2, symbols for all entries; 2γI stands for Z₁ᵀZ₁ − Z₂Z₂ᵀ")
def two_quadratic_equations(spoiled: bool) -> Any:
    """βᵀβ − (Z₂ᵀZ₂)² = 2γZ₂ᵀZ₂ and (Z₁Z₁ᵀ)² − ββᵀ = 2γZ₁Z₁ᵀ, of which (C.16) are the roots."""
    from sympy import Matrix, symbols

    Z1, Z2 = (Matrix(2, 2, symbols(f"{name}:4")) for name in "ab")
    twice, beta = Z1.T * Z1 - Z2 * Z2.T, Z1 * Z2
    squares = (Z2.T * Z2) ** 2, (Z1 * Z1.T) ** 2
    differences = [beta.T * beta - squares[0], squares[1] - (2 if spoiled else 1) * beta * beta.T]
    return differences, [Z2.T * twice * Z2, Z1 * twice * Z1.T]


def _by_scale(task: Task) -> list[Task]:
    return [task._replace(gamma=gamma) for gamma in (1e-2, 1e-3, 1e-4, 1e-5)]


@claim(
    "varre2023",
    "section 3.1, γ → 0",
    "As γ → 0 the limit of the flow tends to minimize ½‖W₂‖² + ½‖W₁‖², whose least value is ‖X⁺Y‖_*; it misses it by "
    "order γ",
    quote=r"in the limit of  $\gamma \rightarrow 0$ , problem (3.1) informally translates to [Attouch, 1996] … This is "
    r"equivalent, in the space of linear predictors  $\beta$  to the minimum nuclear norm solution",
    tolerance=0.02,
    why="an exponent; the next order is relative γ",
)
def vanishing_start(setup: Setup, norm: Any = "nuc") -> Any:
    """How far ½‖W₁‖² + ½‖W₂‖² ends from a norm of X⁺Y, for a sequence of γ."""
    tasks = _by_scale(draw_task(setup.rng))
    least = np.linalg.norm(np.linalg.pinv(tasks[0].X) @ tasks[0].Y, norm)
    ends = [flow(task, _end_times(task)) for task in tasks]
    sizes = [0.5 * np.sum(path.W1[-1] ** 2) + 0.5 * np.sum(path.W2[-1] ** 2) for path in ends]
    return Evidence.slope([task.gamma for task in tasks], np.abs(np.array(sizes) - least), 1.0)


vanishing_start.breaks("the Frobenius norm in place of the nuclear one", norm="fro")


@vanishing_start.proof(
    "any d and k, by Corollary 3.1: what each mode and each direction without one misses, over γ", general=True
)
def the_excess(spoiled: bool) -> Any:
    """By Corollary 3.1 a mode has ½(z₁² + z₂²) = √(σ² + γ²) → σ, and each of the others ½ · 2γ → 0."""
    from sympy import limit, sqrt, symbols

    s, g = symbols("s g", positive=True)
    root = sqrt(s**2 + g**2)
    mode = ((root + g) + (0 if spoiled else 1) * (root - g)) / 2
    return [mode, limit(mode, g, 0), limit((root - s) / g, g, 0)], [root, s, 0]  # the others: ½ · 2γ/γ = 1


def _first_time(task: Task) -> float:
    return 0.5


@claim(
    "varre2023",
    "section 3.1, order of the limits",
    "γ → 0 at a fixed time gives β = 0, not X⁺Y: W₁ = 0, W₂ = 0 is a stationary point, and a saddle, of the loss",
    quote=r"The theorem naturally does not hold if the two limits are reversed, since  $\gamma = 0$  places the "
    r"initialization at a saddle point of the loss, which is a stationary point of the flow.",
    tolerance=0.02,
    why="an exponent; the next order is relative γe^{2σt}",
)
def limits_do_not_commute(setup: Setup, until: Callable[[Task], float] = _first_time) -> Any:
    """β at a fixed time falls like γ."""
    task = draw_task(setup.rng)
    gammas = (1e-6, 1e-7, 1e-8, 1e-9)
    measured = []
    for gamma in gammas:
        here = task._replace(gamma=gamma)
        measured.append(np.linalg.norm(flow(here, np.array([0.0, until(here)])).beta[-1]))
    return Evidence.slope(gammas, measured, 1.0)


limits_do_not_commute.breaks(
    "each flow until it has converged, t → ∞ first", until=lambda task: 20 - np.log(task.gamma)
)


@limits_do_not_commute.proof(
    "d = l = n = k = 1 and any X, Y ≠ 0: the gradient is zero and the Hessian indefinite at 0", whole=False
)
def a_saddle(spoiled: bool) -> Any:
    from sympy import diff, hessian, symbols

    x, y = symbols("x y", nonzero=True)
    a, b = symbols("a b")
    loss = (x * a * b - y) ** 2 / 2 + (a * x * y if spoiled else 0)
    origin = {a: 0, b: 0}
    slopes = [diff(loss, weight).subs(origin) for weight in (a, b)]
    return [*slopes, hessian(loss, (a, b)).subs(origin).det()], [0, 0, -(x**2) * y**2]


def _random_frame(rng: np.random.Generator, direction: np.ndarray) -> np.ndarray:
    out: np.ndarray = frame(rng, 6, 6)[:4]
    return out


def _with_an_orthogonal_column(rng: np.random.Generator, direction: np.ndarray) -> np.ndarray:
    """Return P = [Q, 0], where all columns of Q but the first are orthogonal to the direction."""
    Q = np.linalg.qr(np.column_stack([direction, rng.normal(size=(4, 3))]))[0]
    return np.hstack([Q, np.zeros((4, 2))])


@claim(
    "varre2023",
    "section 3.1, comparison (k = 1)",
    "For k = 1, as γ → 0 every column of W₁ aligns with β, up to an angle of order √γ",
    quote=r"Moreover, it shows that when  $\gamma \rightarrow 0$  all columns of  $\mathbf{W}_1$  align in the "
    r"direction of  $\beta$ , thus creating a rank one hidden layer.",
    tolerance=0.03,
    why="an exponent; the next order is relative √γ, over the largest angle of six",
    verdict=Verdict.GENERIC,
    remark="but for columns of P that are orthogonal to one direction (on white data to β*): such a column of W₁ stays "
    "√(2γ) times that of P and never turns; the hidden layer tends to rank one all the same",
)
def columns_align(setup: Setup, draw: Callable[..., np.ndarray] = _random_frame, k: int = 1) -> Any:
    """The largest sine of the angle between a column and β, for a sequence of γ, on white data and on others."""
    rng, measured = setup.rng, []
    gammas = (1e-8, 1e-9, 1e-10, 1e-11)
    for white in (True, False):
        task, angles = draw_task(rng, k=k, white=white), []
        direction = task.best[:, 0] / np.linalg.norm(task.best[:, 0])
        P = draw(rng, direction)
        for gamma in gammas:
            W1 = _end(task._replace(P=P, gamma=gamma))
            W1 = W1[:, np.linalg.norm(P, axis=0) > 0]
            across = W1 - np.outer(direction, direction @ W1)
            angles.append(np.max(np.linalg.norm(across, axis=0) / np.linalg.norm(W1, axis=0)))
        measured.append(Evidence.slope(gammas, angles, 0.5))
    return Evidence.worst(*measured)


columns_align.exception("columns of P orthogonal to β*, white data", draw=_with_an_orthogonal_column)
columns_align.breaks("k = 2, where the columns span a plane", k=2)


def _effective_rank(values: np.ndarray) -> np.ndarray:
    """Return ‖W₁‖²/σ₁², which is 1 for rank one and d for d equal singular values."""
    out: np.ndarray = np.sum(values**2, axis=-1) / np.max(values, axis=-1) ** 2
    return out


def _of_the_predictor(W1: np.ndarray, task: Task) -> np.ndarray:
    return singular_values(np.linalg.pinv(task.X) @ task.Y)


def _of_the_layer(W1: np.ndarray, task: Task) -> np.ndarray:
    return singular_values(W1)


@claim(
    "varre2023",
    "section 3.1, with increasing γ",
    "The effective rank ‖W₁‖²/σ₁(W₁)² at the limit rises with γ, towards d",
    quote=r"Intuitively, this means that solutions with increasing rank are preferred as  $\gamma$  grows.",
    tolerance=1e-9,
    why="a yes or no",
)
def rank_grows(setup: Setup, values: Callable[..., np.ndarray] = _of_the_layer) -> Any:
    task = draw_task(setup.rng)
    gammas = (1e-3, 1e-2, 1e-1, 1.0, 10.0)
    ranks = [_effective_rank(values(_end(each), each)) for each in (task._replace(gamma=g) for g in gammas)]
    summary = ", ".join(f"{rank:.2f}" for rank in ranks)
    return Evidence.true(np.all(np.diff(ranks) > 1e-6) and abs(ranks[-1] - 4) < 0.5, f"effective ranks {summary}")


rank_grows.breaks("of the predictor, whose rank does not depend on γ", values=_of_the_predictor)


@rank_grows.proof(
    "any d and k, by Corollary 3.1: ln σ(W₁)² of each mode grows at 1/√(σ² + γ²), faster the smaller σ; σ = 0 without "
    "one",
    general=True,
)
def shares_rise(spoiled: bool) -> Any:
    """The ratio of any two squares rises with γ, and tends to one."""
    from sympy import diff, limit, log, oo, sqrt, symbols

    s, g = symbols("s g", positive=True)
    mode, other, _ = (formula.right({"σᵢ(β*)": s, "γ": g}) for formula in singular_values_at_the_limit.formulas)
    rates = [diff(log(mode), g), diff(log(other), g)]
    return [*rates, limit(other / mode, g, oo)], [(2 if spoiled else 1) / sqrt(s**2 + g**2), 1 / g, 1]


def _ratio(share: float) -> float:
    """Return σ₂/σ₁ where γ is this fraction of ‖β*‖."""
    return float(one_spike.formula.right({"x": share}))


@claim(
    "varre2023",
    "section 3.1, discussion (k = 1)",
    "For k = 1, σ₂(W₁)/σ₁(W₁) ends at $√(2x/(x + √(1 + x²)))$, x = γ/‖β*‖: near 0 for γ ≪ ‖β*‖, bounded from below for "
    "γ of the order of ‖β*‖ or more",
    quote=r"when  $\gamma \sim o(\|\beta_*\|)$ , the training model is approximately rank one, with only one spiked "
    r"singular value. Conversely, when  $\gamma \sim \Omega(\|\beta_*\|)$  the low-rank structure disappears.",
    tolerance=1e-6,
    why=FLOW + ", over runs of up to a thousand time units",
)
def one_spike(setup: Setup, ratio: Callable[[float], float] = _ratio) -> Any:
    """γ and ‖β*‖ are varied, both."""
    task = draw_task(setup.rng, k=1)
    size, measured, stated = float(np.linalg.norm(task.best)), [], []
    for share, scale in ((1e-3, 1.0), (1e-3, 3.0), (1.0, 1.0), (1.0, 3.0), (30.0, 1.0)):
        gamma = share * scale * size
        each = task._replace(gamma=gamma, Y=scale * task.Y, best=scale * task.best)
        values = singular_values(_end(each))
        measured.append(values[1] / values[0])
        stated.append(ratio(share))
    return np.array(measured), np.array(stated)


one_spike.breaks("√x for every x", ratio=np.sqrt)


@one_spike.proof("any d, by Corollary 3.1: σ₂²/σ₁², and its limits for small and large γ/‖β*‖", general=True)
def three_limits(spoiled: bool) -> Any:
    from sympy import limit, oo, symbols

    x = symbols("x", positive=True)
    share = one_spike.formula.right({"x": 2 * x if spoiled else x}) ** 2
    size, gamma = symbols("beta gamma", positive=True)
    spike, other, _ = (formula.right({"σᵢ(β*)": size, "γ": gamma}) for formula in singular_values_at_the_limit.formulas)
    limits = [limit(share, x, 0), limit(share / x, x, 0), limit(share, x, oo), (other / spike).subs(gamma, x * size)]
    return limits, [0, 2, 1, share]
