"""Section 2.3: the index of the saddles, and how fast they are left."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from lazyrich.landscape import critical_points, escape_rates, hessian, morse_index
from lazyrich.networks import DeepLinear
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims import _symbolic
from lazyrich.papers.dln.claims._networks import (
    Layers,
    aligned_layers,
    first_passage,
    gradients,
    normal,
    orthonormal,
    per_log,
    product,
    product_over_time,
    run,
    strengths,
    target,
)
from lazyrich.papers.verdicts import Verdict


@claim(
    "dln",
    "2.3, exercise, part 2",
    "the saddle of a subset S of the k modes, |S| = r, has index k − r",
    quote=r"The saddle at subset \(S\) (where \(|S|=r\) modes are learned) has index \(k - r\)",
    tolerance=1e-9,
    why="whole numbers, at depths 2, 3 and 4",
    verdict=Verdict.CORRECTED,
    remark="depth 2: (h − r)(k − r) + #{α ∈ S, β ∉ S: s_β > s_α}, h the hidden width: each missing mode can enter "
    "through each unused hidden unit, or replace a weaker one; depth 3 and more: the second term alone at the balanced "
    "saddle, so that the origin and all truncations of T have none",
)
def index_of_a_saddle(
    setup: Setup,
    formula: Callable[[int, int, int, int, int], int] = lambda L, h, k, r, swaps: (L == 2) * (h - r) * (k - r) + swaps,
) -> Any:
    """Counted from the Hessian, and by a formula of (depth, width, k, r, swaps)."""
    rng, counted, stated = setup.rng, [], []
    s = strengths(rng, 3)
    T = target(rng, s, 3, 4)[0]
    for depth in (2, 3, 4):
        for width in (3, 4):
            for point in critical_points(T.T, depth, width):
                S = point.modes
                swaps = sum(1 for a in S for b in range(3) if b not in S and s[b] > s[a])
                counted.append(morse_index(point.net, T.T))
                stated.append(formula(depth, width, 3, len(S), swaps))
    return np.array(counted), np.array(stated)


index_of_a_saddle.printed(formula=lambda L, h, k, r, swaps: k - r)
index_of_a_saddle.breaks("replacements not counted", formula=lambda L, h, k, r, swaps: (L == 2) * (h - r) * (k - r))
index_of_a_saddle.breaks(
    "the formula of depth 2 at every depth", formula=lambda L, h, k, r, swaps: (h - r) * (k - r) + swaps
)


@index_of_a_saddle.proof(
    "depth 2, two modes s_1 = p² > s_2 = q², two hidden units: all eigenvalues of the Hessian", whole=False
)
def eigenvalues_at_the_saddles(spoiled: bool) -> Any:
    """Negative are s_1 and s_2, twice each, at the origin; s_2 where s_1 is learned; s_1 and s_1 − s_2 where s_2 is."""
    from sympy import diag, symbols

    p, q = symbols("p q", positive=True)
    x = symbols("x")
    s, u = p**2, q**2
    layers, T = [_symbolic.matrix("w", 2, 2), _symbolic.matrix("v", 2, 2)], diag(s, u)
    at_the_origin = (x**2 - s**2) ** (3 if spoiled else 2) * (x**2 - u**2) ** (1 if spoiled else 2)
    knowing_s = x**3 * (x**2 - u**2) * (x - 2 * s) * (x - s - u) * (x - (s - u))
    knowing_u = x**3 * (x**2 - s**2) * (x - 2 * u) * (x - s - u) * (x + (s - u))
    points = (diag(0, 0), diag(p, 0), diag(0, q))
    computed = [_symbolic.hessian_at(layers, [at, at], T).charpoly(x).as_expr() for at in points]
    return computed, [at_the_origin, knowing_s, knowing_u]


@claim(
    "dln",
    "2.3, exercise, part 3",
    "the origin, of the highest loss, has index k, the largest of all saddles",
    quote=r"The saddle \(S = \emptyset\) has \(W_\text{eff} = 0\), so all \(k\) modes are unlearned: "
    r"index \(= k\), maximum number of escape directions.",
    tolerance=1e-9,
    why="whole numbers; losses are compared strictly",
    verdict=Verdict.CORRECTED,
    remark="at depth 2, where its index is hk and no other saddle has more; at depth 3 and more it is zero",
)
def most_ways_out(setup: Setup, depth: int = 2, ways: Callable[[int, int], int] = lambda h, k: h * k) -> Evidence:
    rng, measured = setup.rng, []
    for width in (3, 4, 5):
        T = target(rng, strengths(rng, 3), 3, 4)[0]
        origin, *others = critical_points(T.T, depth, width)
        assert origin.modes == ()
        assert origin.loss > max(other.loss for other in others)
        counted = morse_index(origin.net, T.T)
        measured.append(Evidence.equal(counted, ways(width, 3), f"h = {width}: {counted}"))
        measured.append(Evidence.at_most(max(morse_index(other.net, T.T) for other in others), counted))
    return Evidence.together(*measured)


most_ways_out.printed(ways=lambda h, k: k)
most_ways_out.breaks("at depth 3", depth=3)


@most_ways_out.proof(
    "two modes, three hidden units: six eigenvalues −s_1, −s_2 at the origin of depth 2, none at depth 3", whole=False
)
def curvature_at_the_origin(spoiled: bool) -> Any:
    from sympy import diag, symbols, zeros

    s, u, x = symbols("s u x")
    two, T = [_symbolic.matrix("w", 3, 2), _symbolic.matrix("v", 2, 3)], diag(s, u)
    flat = _symbolic.hessian_at(three := [_symbolic.matrix(name, 2, 2) for name in "wvu"], [zeros(2, 2)] * 3, T)
    computed = _symbolic.hessian_at(two, [zeros(3, 2), zeros(2, 3)], T).charpoly(x).as_expr()
    return (computed, flat), (
        (x**2 - s**2) ** 3 * (x**2 - (2 if spoiled else 1) * u**2) ** 3,
        zeros(4 * len(three), 12),
    )


def _orbit(layers: Layers) -> int:
    """Return the dimension of the orbit of layers under changes of hidden bases: of all X_l W_l − W_l X_{l−1}."""
    columns = []
    for l in range(len(layers) - 1):
        h = len(layers[l])
        for X in np.eye(h * h).reshape(-1, h, h):
            moved = [np.zeros_like(W) for W in layers]
            moved[l], moved[l + 1] = X @ layers[l], -layers[l + 1] @ X
            columns.append(np.concatenate([W.ravel() for W in moved]))
    return int(np.linalg.matrix_rank(np.array(columns), tol=1e-9))


@claim(
    "dln",
    "2.3, exercise, part 1",
    "the saddles of one subset are a manifold, that of the symmetry of the layers",
    quote=r"Each saddle family is itself a manifold (due to the layer-weight symmetry), not an isolated point.",
    tolerance=1e-9,
    why="whole numbers",
    verdict=Verdict.CORRECTED,
    remark="at depth 2 (T invertible): one orbit of GL(h), all other directions curved; at depth 3 the saddles of one "
    "subset are not one orbit, and not even of one index: at W_1 = W_3 = 0 and any W_2 (S = ∅) it is k · rank W_2",
)
def index_along_a_family(
    setup: Setup, depth: int = 2, formula: Callable[[int, int], int] = lambda k, rank: k * rank
) -> Evidence:
    """The flat directions of each saddle against the dimension of its orbit; the index along a family of depth 3."""
    rng, flat, orbit, counted = setup.rng, [], [], []
    T = target(rng, strengths(rng, 3), 3, 3)[0]
    for point in critical_points(T.T, depth, 4):
        if point.kind != "minimum":
            mix = orthonormal(rng, 4, 4) * rng.uniform(0.7, 1.4, 4)
            layers = [np.asarray(W) for W in point.net.weights]
            layers[0], layers[1] = mix @ layers[0], layers[1] @ np.linalg.inv(mix)
            curvature = np.linalg.eigvalsh(hessian(DeepLinear(layers), T.T))
            flat.append(int(np.sum(np.abs(curvature) < 1e-9)))
            orbit.append(_orbit(layers))
    T = target(rng, strengths(rng, 3), 4, 3)[0]
    for rank in range(5):
        W2 = (orthonormal(rng, 4, rank) * rng.uniform(0.5, 1.5, rank)) @ orthonormal(rng, 5, rank).T
        family = [np.zeros((5, 3)), W2, np.zeros((4, 4))]
        assert all(np.max(np.abs(g)) == 0 for g in gradients(family, T))
        counted.append(morse_index(DeepLinear(family), T.T))
    ranks = Evidence.equal(counted, [formula(3, rank) for rank in range(5)], f"index by rank of W_2: {counted}")
    return Evidence.together(Evidence.equal(flat, orbit, f"flat directions {flat}, orbits {orbit}"), ranks)


index_along_a_family.printed(depth=3)
index_along_a_family.breaks("the rank alone", formula=lambda k, rank: rank)


@index_along_a_family.proof(
    "depth 3, two modes, W_1 = W_3 = 0, W_2 = diag(a, b): the eigenvalues are ±s_i a, ±s_i b and 0", whole=False
)
def curvature_along_a_family(spoiled: bool) -> Any:
    from sympy import diag, symbols, zeros

    a, b, s, u, x = symbols("a b s u x")
    layers = [_symbolic.matrix(name, 2, 2) for name in "wvu"]
    computed = _symbolic.hessian_at(layers, [zeros(2, 2), diag(a, b), zeros(2, 2)], diag(s, u)).charpoly(x).as_expr()
    pairs = (x**2 - (a * s) ** 2) * (x**2 - (b * s) ** 2) * (x**2 - (a * u) ** 2)
    return computed, x**4 * pairs * (x**2 - (b * (s if spoiled else u)) ** 2)


@claim(
    "dln",
    "2.3, exercise, part 3",
    "the hardest saddles to escape are those with one mode missing",
    quote=r"The hardest saddles are those with \(|S| = k-1\) … only one mode missing, nearly flat in the escape "
    r"direction.",
    tolerance=1e-10,
    why="eigenvalues of a symmetric matrix",
    verdict=Verdict.CORRECTED,
    remark="at depth 2, where the escape rate is the largest singular value missing, whatever r: the hardest is the "
    "one that misses s_k only; the one that misses s_1 only is as easy as the origin. At depth 3 and more all "
    "truncations are flat",
)
def escape_rate(setup: Setup, ease: Callable[[list[float]], float] = max) -> Evidence:
    """The fastest way out of each saddle at depth 2: no saddle that should be harder is left faster."""
    rng = setup.rng
    s = strengths(rng, 3)
    T = target(rng, s, 3, 4)[0]
    points = [point for point in critical_points(T.T, 2) if point.kind != "minimum"]
    rates = np.array([escape_rates(point.net, T.T)[0][0] for point in points])
    missing = [[s[b] for b in range(3) if b not in point.modes] for point in points]
    ranked = [ease(rest) for rest in missing]
    faster = [a - b for a, x in zip(rates, ranked, strict=True) for b, y in zip(rates, ranked, strict=True) if x < y]
    right = Evidence.equal(rates, [max(rest) for rest in missing])
    return Evidence.worst(right, Evidence(max(0.0, *faster) / s[0], f"rates {np.round(rates, 3).tolist()}"))


escape_rate.printed(ease=len)
escape_rate.breaks("the smallest singular value missing", ease=min)


@escape_rate.proof(
    "depth 2, three modes, three hidden units: the saddles of {1} and {2} are left at s_2 and at s_1", whole=False
)
def rates_of_escape(spoiled: bool) -> Any:
    """The Hessian in blocks of two: (dW_1)_{ij} and (dW_2)_{ji}, of hidden unit i and mode j, meet only each other."""
    from sympy import diag, symbols, zeros

    p, q, r = symbols("p q r", positive=True)
    x = symbols("x")
    layers, T = [_symbolic.matrix("w", 3, 3), _symbolic.matrix("v", 3, 3)], diag(p**2, q**2, r**2)
    pairs = [(i, j) for i in range(3) for j in range(3)]
    order = [place for i, j in pairs for place in (3 * i + j, 9 + 3 * j + i)]
    measured, stated = [], []
    for learned in (0, 1):
        point = zeros(3, 3)
        point[learned, learned] = (p, q)[learned]
        H = _symbolic.hessian_at(layers, [point, point], T).extract(order, order)
        blocks = [H[2 * n : 2 * n + 2, 2 * n : 2 * n + 2] for n in range(9)]
        measured += [H, *(block.charpoly(x).as_expr() for block in blocks)]
        exact_values = T[learned, learned]
        own = {(learned, learned): x * (x - 2 * exact_values)}
        own |= {(i, learned): x**2 for i in range(3) if i != learned}
        escape = [x**2 - (T[j, j] * (2 if spoiled else 1)) ** 2 for i, j in pairs]  # ±s_j, through an unused unit
        swap = [
            (x - exact_values) ** 2 - T[j, j] ** 2 for i, j in pairs
        ]  # s ± s_j, in the place of the mode that is learned
        stated.append(diag(*blocks))
        for n, (i, j) in enumerate(pairs):
            stated.append(own.get((i, j), swap[n] if i == learned else escape[n]))
    return measured, stated


LEAVING = np.array([3e-2, 1e-2, 3e-3, 1e-3])


@lru_cache(maxsize=4)
def _times_at_origin(setup: Setup, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how long the flow stays near the origin when it starts at distance ε, and the strengths."""
    rng = setup.rng
    s = strengths(rng, 2)
    T = target(rng, s, 2, 2)[0]
    frames = [orthonormal(rng, 3, 2), *[orthonormal(rng, 3, 3) for _ in range(depth - 2)], orthonormal(rng, 3, 2).T]
    durations, last = [], 20.0
    for size in LEAVING:
        layers = [size * F for F in frames]
        layers[-1] = layers[-1] + size * T @ np.linalg.pinv(product(frames[:-1]))  # not against the target
        times = np.linspace(0, last, 2000)
        losses = 0.5 * np.sum((product_over_time(run(layers, T, times, 1e-8)) - T) ** 2, axis=(1, 2))
        durations.append(first_passage(times, losses, 0.9 * 0.5 * np.sum(T**2)))
        last = 4 * durations[-1] ** (depth - 2) + 5
    return np.array(durations), s


@lru_cache(maxsize=4)
def _times_at_one_saddle(setup: Setup, depth: int, learned: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how long the flow stays near the saddle with one of two modes learned, and the strengths."""
    rng = setup.rng
    s, other = strengths(rng, 2), 1 - learned
    T, U, V = target(rng, s, 2, 2)
    saddle = aligned_layers(rng, U[:, [learned]], s[[learned]], V[:, [learned]], depth, 3)
    noise = normal(rng, (2, *[3] * (depth - 1), 2), 0.3)
    if s[other] > s[learned]:  # it can take the other's place: not against the target
        noise[0] += np.outer(saddle[0] @ V[:, learned], V[:, other])
        noise[-1] += np.outer(U[:, other], U[:, learned] @ saddle[-1])
    else:  # it enters through a hidden unit of its own
        unused = np.linalg.svd(saddle[0])[0][:, -1]
        noise[0] += np.outer(unused, V[:, other])
        noise[-1] += np.outer(U[:, other], unused)
    times, durations = np.linspace(0, 30, 2000), []
    for size in LEAVING:
        path = run([W + size * D for W, D in zip(saddle, noise, strict=True)], T, times, 1e-10)
        losses = 0.5 * np.sum((product_over_time(path) - T) ** 2, axis=(1, 2))
        durations.append(first_passage(times, losses, 0.9 * 0.5 * s[other] ** 2))
    return np.array(durations), s


@claim(
    "dln",
    "2.3, exercise, part 3",
    "the origin is the easiest saddle to escape",
    quote=r"Despite being the worst saddle in terms of loss, it is the easiest to escape from.",
    tolerance=0.05,
    why="an exponent, and times per log(1/ε), fitted over a factor 30, with corrections of relative order ε",
    verdict=Verdict.CORRECTED,
    remark="at depth 2, where from ε away it takes log(1/ε)/s_1 (as any saddle without mode 1). At depth L ≥ 3 it is "
    "flat and takes a time ∝ ε^{−(L−2)}, when log(1/ε)/(s_2^{1/3}(s_1 − s_2)) is enough to leave the saddle of s_2 "
    "alone (L = 3), where s_1 can take its place",
)
def flat_origin(setup: Setup, depth: int = 2, speed: float = 1.0) -> Evidence:
    durations, s = _times_at_origin(setup, depth)
    easy = per_log(LEAVING, durations, 1 / (speed * s[0]))
    swapped, s = _times_at_one_saddle(setup, 3, 1)
    strict = per_log(LEAVING, swapped, 1 / (s[1] ** (1 / 3) * (s[0] - s[1])))
    return Evidence.together(easy, Evidence.slope(LEAVING, _times_at_origin(setup, 3)[0], -1.0), strict)


flat_origin.printed(depth=3)
flat_origin.breaks("at twice the rate, that of W_eff", speed=2.0)


def _approach_rate(s: float, L: int) -> float:
    return -float(np.log(exponential_approach.formula.right({"s": s, "L": L, "t": 1.0})))


@claim(
    "dln",
    "2.3, after the theorem",
    "flows approach saddles exponentially slowly (seen: $|s − a| ∝ exp(−L s^{2 − 2/L} t)$ along a mode)",
    quote=r"gradient descent can approach them at exponentially slow rates",
    tolerance=1e-3,
    why="a slope between 1e-4 and 1e-6 of the distance at the start, with corrections of that order",
    verdict=Verdict.CORRECTED,
    remark="exponentially fast: the rate is L s^{2 − 2/L}, and does not vanish; what is long is the stay (lingering)",
)
def exponential_approach(
    setup: Setup,
    rate: Callable[[float, int], float] = _approach_rate,
) -> Any:
    """The distance of the weights from the saddle that knows mode 1 only, from a start that knows no other."""
    rng, measured, stated = setup.rng, [], []
    for depth in (2, 3, 4):
        s = strengths(rng, 2)
        T, U, V = target(rng, s, 2, 3)
        layers = aligned_layers(rng, U[:, :1], s[:1] / 2, V[:, :1], depth, 3)
        saddle = [W * 2 ** (1 / depth) for W in layers]
        pace = depth * s[0] ** (2 - 2 / depth)
        times = np.array([0.0, np.log(1e4), np.log(1e6)]) / pace
        path = run(layers, T, times)
        away = np.sqrt(sum(np.sum((W - W0) ** 2, axis=(1, 2)) for W, W0 in zip(path, saddle, strict=True)))
        measured.append(np.log(away[1] / away[2]) / (times[2] - times[1]))
        stated.append(rate(float(s[0]), depth))
    return np.array(measured), np.array(stated)


exponential_approach.printed(rate=lambda s, L: 0.0)
exponential_approach.breaks("at the rate s", rate=lambda s, L: s)


@exponential_approach.proof(
    "one aligned mode, any depth: d/dt log(s − a) → −L s^{2 − 2/L} as a → s, from ȧ = L a^{2 − 2/L} (s − a)"
)
def pace_at_the_end(spoiled: bool) -> Any:
    from sympy import diff, limit, log, symbols

    a, s, L = symbols("a s L", positive=True)
    speed = L * a ** (2 - 2 / L) * (s - a)
    decay = exponential_approach.formula.right({"s": s, "L": L, "t": 2 if spoiled else 1})
    return limit(diff(log(s - a), a) * speed, a, s), log(decay)


@claim(
    "dln",
    "2.3, after the theorem",
    "flows linger near a saddle: at depth 2, for log(1/ε)/s if they pass it at a distance ε and miss a mode s",
    quote=r"the optimizer lingers near a saddle for a long time before escaping",
    tolerance=0.05,
    why="a time per log(1/ε), fitted over a factor 30, with corrections of relative order ε",
)
def lingering(setup: Setup, missing: int = 1) -> Evidence:
    durations, s = _times_at_one_saddle(setup, 2, 0)
    return per_log(LEAVING, durations, 1 / s[missing])


lingering.breaks("at the rate of the mode that is learned", missing=0)
