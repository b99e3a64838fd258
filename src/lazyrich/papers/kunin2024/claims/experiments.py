"""Appendices D.1 and D.3: how the networks of figure 1 and the filters of figure 5 are set up; and notation."""

from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import brentq

from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.kunin2024.claims._networks import ROUNDING, Array, cosine_distance, unit_vector
from lazyrich.papers.oracles.derivatives import gradient, jacobian, rate
from lazyrich.papers.verdicts import Verdict


def _tanh_network(theta: Array, X: Array) -> Array:
    """Return the outputs of a smooth model with five hidden units and three inputs."""
    W, a = theta[:15].reshape(5, 3), theta[15:20]
    return np.asarray(np.tanh(X @ W.T) @ a)


@claim(
    "kunin2024",
    "introduction, notation",
    "The outputs of any model under gradient flow obey ∂f(x)/∂t = Σ_i Θ(x, x_i)(y_i − f(x_i)), Θ(x, x') = Σ_p η_p "
    "∂_pf(x)∂_pf(x')",
    quote=r"The network’s output $f(x;\theta)$ evolves according to the differential equation, $\partial_tf(x;\theta) "
    r"= "
    r"\sum_{i=1}^n \Theta(x,x_i;\theta)(y_i - f(x_i;\theta))$",
    tolerance=1e-12,
    why="derivatives by complex steps, exact to rounding",
)
def kernel_drives_outputs(setup: Setup, power: float = 1.0) -> Any:
    rng = setup.rng
    theta, X, y, rates = rng.normal(size=20), rng.normal(size=(6, 3)), rng.normal(size=6), rng.uniform(0.5, 2.0, 20)
    new = rng.normal(size=(4, 3))
    loss = gradient(lambda t: np.sum((_tanh_network(t, X) - y) ** 2) / 2, theta)
    moves = rate(lambda t: _tanh_network(t, new), theta, -rates * loss)
    J, J_new = (jacobian(partial(_tanh_network, X=Z), theta) for Z in (X, new))
    return moves, (J_new * rates**power) @ J.T @ (y - _tanh_network(theta, X))


kernel_drives_outputs.breaks("the rates squared", power=2.0)


@claim(
    "kunin2024",
    "introduction, notation",
    "The kernel distance S does not change if a kernel is scaled, and lies in [0, 1]",
    quote=r"which is a scale invariant measure of similarity between the NTK at two times. In the lazy regime $S(0,t) "
    r"\approx 0$, while in the rich regime $0 \ll S(0,t) \le 1$.",
    tolerance=1e-12,
    why=ROUNDING,
)
def kernel_distance_range(setup: Setup, sign: float = 1.0) -> Evidence:
    rng, measured = setup.rng, []
    for rank in (1, 2, 5, 5, 5):
        K, L = (B @ B.T for B in rng.normal(size=(2, 5, rank)))
        L = sign * L
        S, scaled = (1 - np.sum(K * M) / np.linalg.norm(K) / np.linalg.norm(M) for M in (L, 3 * L))
        measured += [Evidence.equal(S, scaled), Evidence.at_most(S, 1.0), Evidence.at_most(-S, 0.0)]
    apart = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])  # S = 1 is attained
    return Evidence.worst(*measured, Evidence.equal(1 - np.sum(apart[0] * apart[1]), 1.0))


kernel_distance_range.breaks("a matrix that is not positive, as no kernel is", sign=-1.0)


@claim(
    "kunin2024",
    "introduction, lazy regime",
    "A model with no output at the start, times τ, becomes lazy as τ → ∞",
    quote=r"They demonstrated that given any finite-width model $f(x;\theta)$ whose output is zero at initialization, "
    r"a "
    r"scaled version of the model $\tau f(x;\theta)$ will enter the lazy regime as the scale $\tau$ diverges.",
    tolerance=0.1,
    why="weights move by 1/τ, relatively: an exponent −2 of the kernel distance, τ from 10 to 1000; 0 if it is not "
    "zero",
)
def large_scale_is_lazy(setup: Setup, zero: float = 1.0) -> Evidence:
    """A tanh network minus itself at the start, trained by descent."""
    turns, scales = [], np.array([1e2, 1e3, 1e4])
    for tau in scales:
        rng = setup.rng
        start, X, y = rng.normal(size=20), rng.normal(size=(3, 3)), rng.normal(size=3)
        theta, none = start.copy(), _tanh_network(start, X)
        for _ in range(150):
            J = jacobian(partial(_tanh_network, X=X), theta)
            step = 1 / np.linalg.norm(J @ J.T, 2)
            theta = theta - step * J.T @ (_tanh_network(theta, X) - zero * none - y / tau)
        kernels = [J @ J.T for J in (jacobian(partial(_tanh_network, X=X), t) for t in (start, theta))]
        turns.append(cosine_distance(kernels[1], kernels[0]))
    return Evidence.slope(scales, turns, -2.0)


large_scale_is_lazy.breaks("an output at the start that is not zero", zero=0.0)


@claim(
    "kunin2024",
    "appendix D.1",
    "To set (τ, δ), solve δ² = τ²(α² − α⁻²) for α and scale each w_i by τ/α and each a_i by τα",
    quote=r"we first solve for the relative layer scaling $\alpha$ in $\delta^2 = \tau^2 (\alpha^2 - \alpha^{-2})$ "
    r"and then "
    r"scale each $w_i$ by $\tau/\alpha$ and each $a_i$ by $\tau\alpha$.",
    tolerance=1e-9,
    why="rounding, and cancellation where |δ| is much smaller than the squares",
    verdict=Verdict.CORRECTED,
    remark="δ = τ²(α² − α⁻²); as printed δ = −1 gives +1 and δ = 0.3 gives 0.09",
)
def figure_1_scaling(setup: Setup, power: int = 1, flip: float = 1.0) -> Any:
    """δ_k of a base student whose w_i are scaled by τ/α and a_i by τα, α from δ^power, against the δ asked for."""
    rng, requested, measured = setup.rng, [], []
    for delta in (-1.0, -0.3, 0.3, 1.0):
        tau = rng.uniform(0.1, 2.0)
        log = brentq(lambda s, tau=tau, goal=delta**power: 2 * tau**2 * np.sinh(2 * s) - goal, -9, 9, xtol=1e-14)
        alpha = np.exp(flip * log)
        w, a = tau / alpha * np.stack([unit_vector(rng, 3) for _ in range(4)]), tau * alpha * rng.choice([-1.0, 1.0], 4)
        measured.append(a**2 - np.sum(w**2, axis=1))
        requested.append(np.full(4, delta))
    return np.stack(measured), np.stack(requested)


figure_1_scaling.printed(power=2)
figure_1_scaling.breaks("α and 1/α exchanged", flip=-1.0)


@figure_1_scaling.proof("any τ and α, unit w_i (rational on the circle) and a_i = ±1: δ = τ²(α² − α⁻²)", general=True)
def imbalance_of_the_scaled(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    tau, alpha, u = symbols("tau alpha u", positive=True)
    w = tau / alpha * Matrix([(1 - u**2) / (1 + u**2), 2 * u / (1 + u**2)])
    imbalances = [(sign * tau * alpha) ** 2 - w.dot(w) for sign in (1, -1)]
    printed = tau**2 * (alpha**2 - alpha**-2)
    return imbalances, [(printed**2 if spoiled else printed)] * 2


@claim(
    "kunin2024",
    "appendix D.1",
    "The student in pairs (w, a), (w, −a) computes zero, at every τ and δ",
    quote=r"we symmetrize by setting $w_i = w_{i - h/2}$ and $a_i = -a_{i - h/2}$. This ensures that "
    r"$f^\mathrm{student}$ "
    r"predicts 0 on any input at initialization.",
    tolerance=1e-13,
    why="sums of eight numbers of order 1, which cancel up to rounding",
)
def symmetrized_student(setup: Setup, paired: float = -1.0) -> Any:
    """What ReLU networks of three scales compute on random inputs; and zero."""
    rng, outputs = setup.rng, []
    X = rng.normal(size=(10, 3))
    for tau, delta in ((0.5, -1.0), (1.0, 0.0), (1.5, 1.0)):
        half, signs = np.stack([unit_vector(rng, 3) for _ in range(4)]), rng.choice([-1.0, 1.0], 4)
        alpha = np.exp(np.arcsinh(delta / (2 * tau**2)) / 2)
        W, a = tau / alpha * np.vstack([half, half]), tau * alpha * np.append(signs, paired * signs)
        outputs.append(a @ np.maximum(W @ X.T, 0))
    return np.stack(outputs), np.zeros((3, 10))


symmetrized_student.breaks("the same signs in both halves", paired=1.0)


@symmetrized_student.proof("any pair, any activation: a letter stands for σ(w·x)", general=True)
def pairs_cancel(spoiled: bool) -> Any:
    from sympy import symbols

    a, sigma = symbols("a:2"), symbols("sigma:2")  # σ(w_k·x)
    second = [ak if spoiled else -ak for ak in a]
    return sum(ak * value + bk * value for ak, bk, value in zip(a, second, sigma, strict=True)), 0


@claim(
    "kunin2024",
    "appendix D.1",
    "The base student, w_i on the sphere and a_i = ±1, is balanced at each neuron",
    quote=r"Note that the *base* student initialization described thus far is perfectly balanced at each neuron, that "
    r"is "
    r"$\delta_i = 0$ for $i \in [m]$",
    tolerance=1e-12,
    why=ROUNDING,
)
def base_student_is_balanced(setup: Setup, length: float = 1.0) -> Any:
    rng = setup.rng
    W, a = length * np.stack([unit_vector(rng, 5) for _ in range(8)]), rng.choice([-1.0, 1.0], 8)
    return a**2 - np.sum(W**2, axis=1), np.zeros(8)


base_student_is_balanced.breaks("w_i not of unit length", length=1.5)


@claim(
    "kunin2024",
    "appendix D.3, Gabor filters",
    "The 3×3 kernel with −0.25 at the corners, −0.5 at the edges and 2 in the center is a Laplacian",
    quote=r"where the Laplacian kernel is defined as $$\Delta := \left(\begin{array}{ccc} -0.25 & -0.5 & -0.25\\ -0.5 "
    r"& 2 & "
    r"-0.5 \\ -0.25 & -0.5 & -0.25 \end{array}\right).$$",
    tolerance=1e-12,
    why="nine products",
    verdict=Verdict.CORRECTED,
    remark="its entries sum to −1, so it does not annihilate constants; with 3 in the center it is −∇² on quadratics. "
    "The "
    "order of the filters is the same with both",
)
def laplacian_kernel(setup: Setup, center: float = 3.0) -> Any:
    """The kernel on random quadratics, exactly, against −∇²."""
    a, b, c, d, e, f = setup.rng.normal(size=6)
    x, y = np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0])
    kernel = -np.array([[0.25, 0.5, 0.25], [0.5, -center, 0.5], [0.25, 0.5, 0.25]])
    plane = 3 * np.sign(a) + a + b * x + c * y
    return [np.sum(kernel * plane), np.sum(kernel * (d * x**2 + e * x * y + f * y**2))], [0.0, -2 * (d + f)]


laplacian_kernel.printed(center=2.0)
laplacian_kernel.breaks("with 4 in the center", center=4.0)


@laplacian_kernel.proof("any polynomial of degree two, in rationals", general=True)
def laplacian_of_quadratics(spoiled: bool) -> Any:
    from sympy import Rational, symbols

    a, b, c, d, e, f = symbols("a:f")
    weights = {0: Rational(2 if spoiled else 3), 1: -Rational(1, 2), 2: -Rational(1, 4)}
    cells = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    total = sum(weights[abs(x) + abs(y)] * (a + b * x + c * y + d * x**2 + e * x * y + f * y**2) for x, y in cells)
    return total, -2 * (d + f)


@claim(
    "kunin2024",
    "appendix D.3, Gabor filters",
    "smoothness(w) = ‖w/‖w‖ ∗ Δ‖² is the larger, the smoother the filter",
    quote=r"To quantify the smoothness of the filters, we compute the normalized Laplacian of each filter",
    tolerance=0.05,
    why="yes or no, of an order",
    verdict=Verdict.CORRECTED,
    remark="it is a measure of roughness, the larger the rougher the filter: (2 − 2 cos k)² of a wave of frequency k "
    "(with Δ as mended in laplacian-kernel). Smoother filters have a smaller one",
)
def smoothness_is_roughness(setup: Setup, sign: float = 1.0, normalized: bool = True) -> Evidence:
    """Waves around a ring of 60 by 60, from the smoothest; and one random filter, blurred less and less."""
    kernel = -np.array([[0.25, 0.5, 0.25], [0.5, -3.0, 0.5], [0.25, 0.5, 0.25]])

    def measure(w: Array) -> float:
        shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        rough = sum(kernel[i + 1, j + 1] * np.roll(w, (i, j), (0, 1)) for i, j in shifts)
        return float(np.sum(rough**2) / (np.sum(w**2) if normalized else 1.0))

    x = 2 * np.pi * np.arange(60) / 60
    waves = [np.cos(turns * x)[:, None] * np.ones(60) / turns**4 for turns in (1, 2, 4, 8, 16, 30)]
    noise, far = np.fft.fft2(setup.rng.normal(size=(60, 60))), np.minimum(np.arange(60), 60 - np.arange(60))
    blurs = [np.exp(-(far[:, None] ** 2 + far**2) / (2 * width**2)) for width in (2, 4, 8, 16)]
    filters = [np.fft.ifft2(noise * blur).real for blur in blurs]
    values = [[measure(w) for w in each] for each in (waves, filters)]
    summary = "; ".join(", ".join(f"{value:.2g}" for value in each) for each in values)
    return Evidence.true(all(np.all(sign * np.diff(each) > 0) for each in values), summary)


smoothness_is_roughness.printed(sign=-1.0)
smoothness_is_roughness.breaks("without the norm of w", normalized=False)


@smoothness_is_roughness.proof(
    "waves along an axis: Δ multiplies them by 2 − 2 cos k, which rises up to k = π", whole=False
)
def symbol_of_the_kernel(spoiled: bool) -> Any:
    from sympy import I, Rational, cos, exp, symbols

    k = symbols("k", real=True)
    weights = {0: Rational(2 if spoiled else 3), 1: -Rational(1, 2), 2: -Rational(1, 4)}
    total = sum(weights[abs(x) + abs(y)] * exp(I * k * x) for x in (-1, 0, 1) for y in (-1, 0, 1))
    return total, (2 - 2 * cos(k)).rewrite(exp)


undecidable(
    "kunin2024",
    "introduction, lazy regime",
    "lazy_generalizes_worse",
    "Models scaled into the lazy regime often have a larger test error",
    "often has no measure. In figure 1b the lazy corner (large τ) has twice the test error of rich networks at least, "
    "downstream ones at small τ lie between",
    quote=r"However, they also noted that these scaled models often perform worse in test error.",
)
undecidable(
    "kunin2024",
    "appendix D.1, supporting figure",
    "ten_times_longer",
    "Training ten times longer lowers the training loss; test loss and distances remain largely unchanged",
    "largely has no measure. In the figure of ours nine of ten students change by less than a tenth in all four, while "
    "the training error falls tenfold or more in the median of those that had not ended",
    quote=r"We observe that although training loss still drops between <span class="
    r'"math inline">\(10^5\)</span> and <span class="math inline">\(10^6\)</span> steps, the test loss and '
    r"other distances considered remain largely unchanged.",
)
