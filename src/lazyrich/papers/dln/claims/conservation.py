"""Section 4: conservation laws, and what is nearly conserved at random starts."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims import _symbolic
from lazyrich.papers.dln.claims._networks import Layers, complex_step, loss_of, normal, orthonormal, run, transpose
from lazyrich.papers.verdicts import Verdict

Defect = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _balance(V: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Return VᵀV − WWᵀ of a layer V after a layer W, over time."""
    return np.array([balance_law.formula.right({"W_l": v, "W_{l−1}": w}) for v, w in zip(V, W, strict=True)])


def _other_order(V: np.ndarray, W: np.ndarray) -> np.ndarray:
    return np.asarray(V @ transpose(V) - transpose(W) @ W)


@claim(
    "dln",
    "4.1, theorem",
    "$W_lᵀ W_l − W_{l−1} W_{l−1}ᵀ$ is conserved for l = 1, …, L − 1",
    quote=r"Under gradient flow, for all \(\ell = 1, \ldots, L-1\): "
    r"\[\frac{d}{dt}\!\left(W_\ell^\top W_\ell - W_{\ell-1} W_{\ell-1}^\top\right) = 0.\]",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
    verdict=Verdict.CORRECTED,
    remark="for l = 2, …, L: there is no W_0 (W_1ᵀ W_1 moves), and the last two layers are a pair, too",
)
def balance_law(setup: Setup, layers: tuple[int, ...] = (2, 3), defect: Defect = _balance) -> Evidence:
    """How far each defect moves from where it starts, relative to its size then."""
    rng = setup.rng
    path = run(normal(rng, (3, 3, 3, 3), 0.7), 2 * rng.normal(size=(3, 3)), np.linspace(0, 2, 9))
    before = [np.zeros((9, 3, 1)), *path]  # of layer 1 there is none
    gaps = []
    for V, W in ((path[l - 1], before[l - 1]) for l in layers):
        at_the_start = V[0].T @ V[0] - W[0] @ W[0].T
        gaps.append(np.max(np.abs(defect(V, W) - at_the_start)) / np.max(np.abs(at_the_start)))
    return Evidence(float(max(gaps)))


balance_law.printed(layers=(1, 2))
balance_law.breaks("transposes on the other factors", defect=_other_order)


@balance_law.proof("depth 3, widths 2, 1, 2, 2, every weight a symbol")
def defects_do_not_move(spoiled: bool) -> Any:
    from sympy import zeros

    W, V, U = (_symbolic.matrix(name, *shape) for name, shape in (("w", (1, 2)), ("v", (2, 1)), ("u", (2, 2))))
    layers, T = [W, V, U], _symbolic.matrix("t", 2, 2)
    pairs = (V, W), (U.T if spoiled else U, V)
    defects = [balance_law.formula.right({"W_l": upper, "W_{l−1}": lower}) for upper, lower in pairs]
    return [_symbolic.rate(D, layers, T) for D in defects], [zeros(1, 1), zeros(2, 2)]


def _moving_gram(A: np.ndarray, C: np.ndarray, B: np.ndarray, error: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return d/dt W_{l−1}W_{l−1}ᵀ, with A = W_{>l}, C = W_l, B = W_{l−1}; `below` is W_{<l−1}."""
    half = moving_gram.correction.right({"W_{≥l}": A @ C, "Δ": error, "W_{<l}": B @ below})
    return np.asarray(half + half.T)


def _moving_gram_as_printed(
    A: np.ndarray, C: np.ndarray, B: np.ndarray, error: np.ndarray, below: np.ndarray
) -> np.ndarray:
    return np.asarray(below.T @ error.T @ (A @ C) @ C @ B.T + B @ C.T @ (A @ C).T @ error @ below)


@claim(
    "dln",
    "4.1, proof",
    "d/dt W_{l−1}W_{l−1}ᵀ = W_{<l−1}ᵀ Δᵀ W_{≥l} W_l W_{l−1}ᵀ + its transpose, which equals d/dt W_lᵀW_l",
    quote=r"Similarly, \(\frac{d}{dt}(W_{\ell-1} W_{\ell-1}^\top) = W_{<\ell-1}^\top \Delta^\top W_{\geq \ell} W_\ell "
    r"W_{\ell-1}^\top + W_{\ell-1} W_\ell^\top W_{\geq \ell}^\top \Delta W_{<\ell-1}\).",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict=Verdict.CORRECTED,
    remark="it is $W_{≥l}ᵀ Δ W_{<l}ᵀ$ + its transpose: W_l is there once, in W_{≥l}, and W_{<l} is transposed",
)
def moving_gram(setup: Setup, formula: Callable[..., np.ndarray] = _moving_gram) -> Any:
    rng = setup.rng
    layers, T = normal(rng, (3, 3, 3, 3, 3), 0.7), rng.normal(size=(3, 3))
    slopes = complex_step(partial(loss_of, T=T), layers)
    below, B, C, A = layers
    moved = [-(G @ W.T + W @ G.T) for G, W in ((slopes[1], B), (slopes[2].T, C.T))]
    stated = formula(A, C, B, T - A @ C @ B @ below, below)
    return np.array(moved), np.array([stated, stated])


moving_gram.printed(formula=_moving_gram_as_printed)
moving_gram.breaks("without W_{>l}", formula=lambda A, C, B, error, below: _moving_gram(np.eye(3), C, B, error, below))


@moving_gram.proof("depth 3, l = 2, widths 2, 1, 2, 2, every weight a symbol")
def grams_move_together(spoiled: bool) -> Any:
    W, V, U = (_symbolic.matrix(name, *shape) for name, shape in (("w", (1, 2)), ("v", (2, 1)), ("u", (2, 2))))
    layers, T = [W, V, U], _symbolic.matrix("t", 2, 2)
    whole = (U.T if spoiled else U) * V
    half = moving_gram.correction.right({"W_{≥l}": whole, "Δ": T - U * V * W, "W_{<l}": W})
    return [_symbolic.rate(gram, layers, T) for gram in (W * W.T, V.T * V)], [half + half.T] * 2


@claim(
    "dln",
    "4.2",
    "the symmetry W_l ↦ λW_l, W_{l+1} ↦ W_{l+1}/λ gives the conservation law",
    quote=r"The associated Noether conserved current is exactly \(W_\ell^\top W_\ell - W_{\ell-1} W_{\ell-1}^\top\).",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict=Verdict.CORRECTED,
    remark="it gives the trace ‖W_{l+1}‖² − ‖W_l‖² only; the matrix needs the symmetry under all of GL(n_l)",
)
def noether(setup: Setup, charge: Callable[[np.ndarray], Any] = np.trace, power: float = 2.0) -> Evidence:
    """d/dt (W_2ᵀW_2 − W_1W_1ᵀ) for W_2 φ(W_1x), φ(z) = z³/‖z‖^power: at power 2, rescaling is its only symmetry."""
    rng = setup.rng
    X, Y = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))

    def loss(layers: Layers) -> Any:
        Z = X @ layers[0].T
        R = (Z**3 / np.sum(Z * Z, axis=1, keepdims=True) ** (power / 2)) @ layers[1].T - Y
        return 0.5 * np.sum(R * R)

    W, V = normal(rng, (3, 4, 2))
    G, H = complex_step(loss, [W, V])
    moved = W @ G.T + G @ W.T - V.T @ H - H.T @ V
    return Evidence(abs(float(charge(moved))) / float(np.linalg.norm(W @ G.T) + np.linalg.norm(V.T @ H)))


noether.printed(charge=np.linalg.norm)
noether.breaks("a network that is not homogeneous of degree 1", power=0.0)


@noether.proof("v · z³/‖z‖² at z = w, two hidden units: the trace is conserved, an entry off the diagonal is not")
def only_the_trace(spoiled: bool) -> Any:
    from sympy import Rational, diff, simplify, symbols

    w, v = symbols("w:2"), symbols("v:2")
    y, size = symbols("y"), w[0] ** 2 + w[1] ** 2
    loss = (sum(b * a**3 for a, b in zip(w, v, strict=True)) / (1 if spoiled else size) - y) ** 2 / 2
    rate = [-(a * diff(loss, b) + b * diff(loss, a)) for a, b in ((w[0], w[1]), (v[0], v[1]))]
    at = {w[0]: 1, w[1]: 2, v[0]: 1, v[1]: Rational(1, 2), y: 0}
    assert (rate[1] - rate[0]).subs(at) != 0
    return simplify(sum(a * diff(loss, a) for a in w) - sum(b * diff(loss, b) for b in v)), 0


@claim(
    "dln",
    "4.2",
    "the loss does not change along ξ_l = W_l, ξ_{l+1} = −W_{l+1}: ⟨∇L, ξ⟩ = 0",
    quote=r"the generating vector field of this symmetry is \(\xi_\ell = W_\ell\) (scale), "
    r"\(\xi_{\ell+1} = -W_{\ell+1}\) (descale). The Noether charge is "
    r"\(\langle \nabla_\theta L, \xi \rangle = 0\) along gradient flow",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
)
def orthogonal_gradient(setup: Setup, descale: float = -1.0) -> Evidence:
    rng, worst = setup.rng, 0.0
    for widths in ((3, 4, 2), (3, 2, 4, 3), (2, 3, 3, 2, 3)):
        layers, T = normal(rng, widths, 0.7), rng.normal(size=(widths[-1], widths[0]))
        slopes = complex_step(partial(loss_of, T=T), layers)
        parts = [float(np.sum(W * G)) for W, G in zip(layers, slopes, strict=True)]
        size = sum(np.linalg.norm(W) * np.linalg.norm(G) for W, G in zip(layers, slopes, strict=True))
        worst = max(worst, *(abs(a + descale * b) / float(size) for a, b in pairwise(parts)))
    return Evidence(worst)


orthogonal_gradient.breaks("both layers are scaled up", descale=1.0)


@orthogonal_gradient.proof("depth 3, widths 2, 1, 2, 2, every weight a symbol")
def along_the_symmetry(spoiled: bool) -> Any:
    W, V, U = (_symbolic.matrix(name, *shape) for name, shape in (("w", (1, 2)), ("v", (2, 1)), ("u", (2, 2))))
    of_W, of_V, of_U = _symbolic.slopes([W, V, U], _symbolic.matrix("t", 2, 2))
    first, second, third = (W.T * of_W).trace(), (V.T * of_V).trace(), (U.T * of_U).trace()
    return [first - second, second - (2 if spoiled else 1) * third], [0, 0]


def _lambda_path(setup: Setup, lam: float, from_layer_zero: bool = False) -> Layers:
    """Return the flow from a λ-balanced start at depth 3; optionally also with W_1ᵀW_1 = λI, as if there were a W_0
    = 0."""
    rng = setup.rng
    layers = [np.sqrt(lam) * orthonormal(rng, 3, 3) if from_layer_zero else 0.7 * rng.normal(size=(3, 3))]
    for _ in range(2):
        values, vectors = np.linalg.eigh(layers[-1] @ layers[-1].T + lam * np.eye(3))
        layers.append(orthonormal(rng, 3, 3) @ (vectors * np.sqrt(values)) @ vectors.T)
    return run(layers, 2 * rng.normal(size=(3, 3)), np.linspace(0, 2, 9))


@claim(
    "dln",
    "4.3, corollary",
    "$W_lᵀ W_l = W_{l−1} W_{l−1}ᵀ + λI$ for l = 1, …, L holds at all times if it does at the start",
    quote=r"If \(\{W_\ell(0)\}\) is \(\lambda\)-balanced, then \(\{W_\ell(t)\}\) is \(\lambda\)-balanced for all "
    r"\(t \geq 0\).",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
    verdict=Verdict.CORRECTED,
    remark="for l = 2, …, L, as in the law that it follows from (balance-law): there is no W_0, and W_1ᵀW_1 = λI, "
    "which the definition asks for at l = 1 if W_0 = 0, does not stay",
)
def lambda_balanced(setup: Setup, exchanged: bool = False, layers: tuple[int, ...] = (2, 3)) -> Any:
    """From a start that has all of it, W_1ᵀW_1 = λI, too."""
    path = [np.zeros((9, 3, 3)), *_lambda_path(setup, 0.8, from_layer_zero=True)]
    sides = []
    for l in layers:
        for upper, lower in zip(path[l], path[l - 1], strict=True):
            names = {"W_l": upper.T if exchanged else upper, "W_{l−1}": lower.T if exchanged else lower}
            sides.append(lambda_balanced.formula.sides(names | {"λ": 0.8, "I": np.eye(3)}))
    return tuple(np.array(each) for each in zip(*sides, strict=True))


lambda_balanced.printed(layers=(1, 2, 3))
lambda_balanced.breaks("the other order, W_l W_lᵀ = W_{l−1}ᵀ W_{l−1} + λI", exchanged=True)


@lambda_balanced.proof("depth 2, 2 × 2 layers, every weight a symbol: W_2ᵀW_2 − W_1W_1ᵀ − λI does not move")
def the_defect_stays(spoiled: bool) -> Any:
    from sympy import eye, symbols, zeros

    W, V, T = (_symbolic.matrix(name, 2, 2) for name in ("w", "v", "t"))
    names = {"W_l": V, "W_{l−1}": W.T if spoiled else W, "λ": symbols("lam"), "I": eye(2)}
    left, right = lambda_balanced.formula.sides(names)
    defect = left - right
    return _symbolic.rate(defect, [W, V], T), zeros(2, 2)


@claim(
    "dln",
    "4.3",
    "from a perfectly balanced start all layers share the same singular values throughout",
    quote=r"Perfectly balanced initialization means all layers share the same singular values throughout training.",
    tolerance=1e-7,
    why="integrated at rtol 1e-11; a small singular value has the square root of the defect's error",
)
def shared_spectra(setup: Setup, lam: float = 0.0) -> Any:
    values = [np.linalg.svd(W, compute_uv=False) for W in _lambda_path(setup, lam)]
    return np.array(values[1:]), np.array([values[0]] * (len(values) - 1))


shared_spectra.breaks("λ = 0.8", lam=0.8)


@claim(
    "dln",
    "4.3, exercise, part 1",
    "W_1 = W_2ᵀ = cO is balanced (W_1ᵀ W_1 = W_2 W_2ᵀ), and so it remains",
    quote=r"Verify this is perfectly balanced (i.e., \(W_1^\top W_1 = W_2 W_2^\top\)).",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
    verdict=Verdict.CORRECTED,
    remark="it is; but balance is W_2ᵀ W_2 = W_1 W_1ᵀ: the printed order holds at this start, too, and not for long",
)
def scaled_rotation(setup: Setup, defect: Defect = _balance, larger: float = 1.0) -> Evidence:
    rng = setup.rng
    c, O = rng.uniform(0.4, 1.2), orthonormal(rng, 3, 3)
    W, V = run([larger * c * O, c * O.T], 2 * rng.normal(size=(3, 3)), np.linspace(0, 2, 9))
    return Evidence(float(np.max(np.abs(defect(V, W)))))


scaled_rotation.printed(defect=_other_order)
scaled_rotation.breaks("W_1 ten percent larger", larger=1.1)


@scaled_rotation.proof(
    "2 × 2, every rotation but by π: balanced at the start, which is conserved; the printed order moves"
)
def rotation_is_balanced(spoiled: bool) -> Any:
    from sympy import zeros

    c, O = _rotation()
    W, V, T = (_symbolic.matrix(name, 2, 2) for name in ("w", "v", "t"))
    at = {**dict(zip(W, c * O, strict=True)), **dict(zip(V, (2 if spoiled else 1) * c * O.T, strict=True))}
    assert _symbolic.rate(V * V.T - W.T * W, [W, V], T).subs({**at, T[0]: 1, T[1]: 2, T[2]: 3}) != zeros(2, 2)
    return (V.T * V - W * W.T).subs(at), zeros(2, 2)


def _rotation() -> Any:
    """Return a symbol c, and a rotation by the tangent of half its angle."""
    from sympy import Matrix, symbols

    c, x = symbols("c x", positive=True)
    return c, Matrix([[1 - x**2, -2 * x], [2 * x, 1 - x**2]]) / (1 + x**2)


@claim(
    "dln",
    "4.3, exercise, part 2",
    "from W_1 = W_2ᵀ = cO, $W_eff(0) = c²I$",
    quote=r"So \(W_\text{eff}(0) = c^2 I\) with all singular values equal to \(c^2\).",
    tolerance=1e-12,
    why="an identity",
)
def start_of_the_product(setup: Setup, second: Callable[[np.ndarray], np.ndarray] = np.transpose) -> Any:
    rng = setup.rng
    c, O = rng.uniform(0.4, 1.2), orthonormal(rng, 4, 4)
    W = (c * second(O)) @ (c * O)
    return [W, np.diag(np.linalg.svd(W, compute_uv=False))], [
        start_of_the_product.formula.right({"c": c, "I": np.eye(4)})
    ] * 2


start_of_the_product.breaks("W_2 = cO", second=np.asarray)


@start_of_the_product.proof("2 × 2, every rotation but by π")
def square_of_a_rotation(spoiled: bool) -> Any:
    from sympy import eye

    c, O = _rotation()
    return start_of_the_product.formula.sides(
        {"W_eff(0)": (c * (O if spoiled else O.T)) * (c * O), "c": c, "I": eye(2)}
    )


def _entry(D: np.ndarray, gram: np.ndarray) -> float:
    """Return the root mean square of the off-diagonal entries, relative to the diagonal entries of W_1W_1ᵀ."""
    return float(np.sqrt(np.mean(D[np.triu_indices(len(D), 1)] ** 2)) / np.mean(np.diag(gram)))


def _norm(D: np.ndarray, gram: np.ndarray) -> float:
    return float(np.linalg.norm(D) / np.linalg.norm(gram))


@claim(
    "dln",
    "4.3, exercise, part 3",
    "for Gaussian layers the defect vanishes relatively as n → ∞: large networks are approximately balanced",
    quote=r"As \(n \to \infty\) the defect vanishes in relative terms",
    tolerance=0.03,
    why="an exponent fitted over a factor 8; relative fluctuations of the norms are of order 1/n, twelve draws each",
    verdict=Verdict.CORRECTED,
    remark="entry by entry, as n^{−1/2}; as a matrix it does not: ‖D‖_F/‖W_1W_1ᵀ‖_F → 1, so that large networks are "
    "not near the balanced ones",
)
def gaussian_defect(
    setup: Setup, measure: Callable[[np.ndarray, np.ndarray], float] = _entry, exponent: float = -0.5
) -> Evidence:
    """How a measure of the defect depends on the width."""
    rng, c, values, norms = setup.rng, 1.3, [], []
    sizes = setup.size((32, 64, 128, 256), (64, 128, 256, 512, 1024))
    for n in sizes:
        draws = [[c / np.sqrt(n) * rng.normal(size=(n, n)) for _ in range(2)] for _ in range(12)]
        values.append(np.mean([measure(V.T @ V - W @ W.T, W @ W.T) for W, V in draws]))
        norms.append(np.mean([_norm(V.T @ V - W @ W.T, W @ W.T) for W, V in draws]))
    stated = f"norms {', '.join(f'{norm:.3f}' for norm in norms)}"
    return Evidence.together(Evidence.slope(sizes, values, exponent), Evidence.equal(norms[-1], 1.0, stated))


gaussian_defect.printed(measure=_norm)
gaussian_defect.breaks("as 1/n", exponent=-1.0)


@claim(
    "dln",
    "4.3, exercise, part 3",
    "for Gaussian layers with entries of variance c²/n the entries of the defect have mean zero and size $c²√2/√n$",
    quote=r"So in expectation … balanced, but instance-wise \(D_1 \neq 0\) with fluctuations of order "
    r"\(O(c^2/\sqrt{n})\).",
    tolerance=0.05,
    why="the mean square of an entry over those of a draw fluctuates by 4/n; 36 draws at three widths",
)
def gaussian_entries(setup: Setup, power: float = 0.5) -> Evidence:
    rng, c, means, squares = setup.rng, 1.3, [], []
    for n in (64, 128, 256):
        for _ in range(12):
            W, V = (c / np.sqrt(n) * rng.normal(size=(n, n)) for _ in range(2))
            size = gaussian_entries.formula.right({"c": c, "n": n ** (2 * power)})
            D = (V.T @ V - W @ W.T)[np.triu_indices(n, 1)] / size
            means.append(float(np.mean(D)))
            squares.append(float(np.mean(D**2)))
    return Evidence.together(Evidence.sampled(means, 0.0), Evidence.sampled(squares, 1.0))


gaussian_entries.breaks("size c²/n", power=1.0)


@gaussian_entries.proof("n = 2 and 3, by the moments of the normal law: E D_12 = 0, E D_12² = 2c⁴/n")
def moments(spoiled: bool) -> Any:
    from sympy import Mul, Poly, factorial2, symbols

    c, measured, stated = symbols("c"), [], []
    for n in (2, 3):
        W, V = _symbolic.matrix("w", n, n), _symbolic.matrix("v", n, n)
        entry = (V.T * V - W * W.T)[0, 1]

        def mean(value: Any, n: int = n, weights: Any = (*W, *V)) -> Any:
            terms = [term for term in Poly(value, *weights).terms() if all(power % 2 == 0 for power in term[0])]
            moment = [Mul(*(factorial2(power - 1) * (c**2 / n) ** (power // 2) for power in term[0])) for term in terms]
            return sum(term[1] * each for term, each in zip(terms, moment, strict=True))

        measured += [mean(entry), mean(entry**2)]
        stated += [0, gaussian_entries.formula.right({"c": c, "n": 2 * n if spoiled else n}) ** 2]
    return measured, stated
