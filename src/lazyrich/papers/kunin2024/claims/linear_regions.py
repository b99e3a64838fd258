"""Section 5 and appendix C.1: the regions of a piecewise linear network."""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np

from lazyrich._linear_regions import linear_regions
from lazyrich.networks import TwoLayer
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import ROUNDING, Array, orthonormal
from lazyrich.papers.verdicts import Verdict


def _signs(layers: Sequence[Array], x: Array, gamma: float) -> Array:
    """Return which hidden neurons are active at x, over all layers."""
    measured = []
    for W in layers:
        z = W @ x
        measured.append(z > 0)
        x = np.where(z > 0, z, gamma * z)
    return np.concatenate(measured)


def _patterns_on_circle(layers: Sequence[Array], gamma: float, start: float) -> list[Array]:
    """Return the activation patterns along a circle around the origin of the plane; the last is the first again."""

    def at(angle: float) -> Array:
        return _signs(layers, np.array([np.cos(angle), np.sin(angle)]), gamma)

    def _patterns_between(low: float, high: float, a: Array, b: Array) -> list[Array]:
        """Return the patterns after a, up to b; two neurons that switch within 1e-12 count as switching together."""
        flips = np.sum(a != b)
        if flips == 0:
            return []
        if flips == 1 or high - low < 1e-12:
            return [b]
        middle = (low + high) / 2
        return _patterns_between(low, middle, a, at(middle)) + _patterns_between(middle, high, at(middle), b)

    angles = start + np.linspace(0, 2 * np.pi, 501)
    patterns = [at(angle) for angle in angles[:-1]]
    patterns.append(patterns[0])
    measured = [patterns[0]]
    for low, high, a, b in zip(angles, angles[1:], patterns, patterns[1:], strict=False):
        measured += _patterns_between(low, high, a, b)
    return measured


Layers = list[Array]
Draw = Callable[[np.random.Generator], tuple[Layers, float]]


def _draw_three_layers(rng: np.random.Generator) -> tuple[Layers, float]:
    """Draw three layers on the plane, and return them with γ."""
    return [rng.normal(size=(4, 2)), rng.normal(size=(4, 4)), rng.normal(size=(3, 4))], 0.3


def _odd_wheel(rng: np.random.Generator, more: int = 0) -> tuple[Layers, float]:
    """Return ReLU neurons relu(x₁), relu(−x₁), relu(−x₂) and p relu(x₁) − q relu(−x₁) + r relu(−x₂), in a rotated
    plane, and `more` other neurons of the first layer."""
    axes = orthonormal(rng, 2, 2)
    p, q, r = rng.uniform(0.5, 1.5, 3)
    first = np.vstack([axes[0], -axes[0], -axes[1], rng.normal(size=(more, 2))])
    return [first, np.array([[p, -q, r, *[0.0] * more]])], 0.0


@claim(
    "kunin2024",
    "proposition 17",
    "Without redundant neurons, activation regions can be colored with two colors so that neighbors differ",
    quote=r"If $f(x;\theta)$ lacks redundant neurons, implying that every neuron influences an activation region, "
    r"then the "
    r"partition of input space can be colored with two distinct colors such that neighboring regions do not share the "
    r"same "
    r"color.",
    tolerance=0.01,
    why="yes or no: regions on the plane are sectors, which two colors do for if and only if their number is even",
    verdict=Verdict.CORRECTED,
    remark="it must be assumed that no two neurons switch on the same piece of boundary (then parity colors). "
    "With relu(x₁), relu(−x₁), relu(−x₂) and p relu(x₁) − q relu(−x₁) + r relu(−x₂), each of which makes a region, "
    "five "
    "regions meet in a point",
)
def two_colors(setup: Setup, draw: Draw = _draw_three_layers) -> Evidence:
    rng, counts = setup.rng, []
    for _ in range(5):
        layers, gamma = draw(rng)
        counts.append(len(_patterns_on_circle(layers, gamma, rng.uniform(0, 1))) - 1)
    return Evidence.true(
        all(count % 2 == 0 for count in counts), f"{', '.join(map(str, counts))} regions round a point"
    )


two_colors.printed(draw=_odd_wheel)
two_colors.breaks("two neurons that switch together, and another line: seven regions", draw=lambda g: _odd_wheel(g, 1))


@two_colors.proof("the wheel with p = q = r = 1, in integers: five sectors, each unlike its neighbors", whole=False)
def five_sectors(spoiled: bool) -> Any:
    from fractions import Fraction

    rays = [(1, 0), (0, 1), (-1, 0), (-1, -1), (0, -1), (1, 0)]  # once round the origin

    def pattern(x: Any, y: Any) -> tuple[bool, ...]:
        last = max(x, 0) - max(-x, 0) + (0 if spoiled else 1) * max(-y, 0)
        return x > 0, -x > 0, -y > 0, last > 0

    sectors = []
    for (a, b), (c, d) in pairwise(rays):
        inside = {pattern(t * a + (1 - t) * c, t * b + (1 - t) * d) for t in (Fraction(k, 20) for k in range(1, 20))}
        sectors.append(inside)
    alone = all(len(inside) == 1 for inside in sectors)
    return alone and all(one != other for one, other in pairwise([*sectors, sectors[0]])) and len(sectors) % 2 == 1


@claim(
    "kunin2024",
    "appendix C.1, after proposition 17",
    "The regions of a first layer are colored by whether the number of active neurons is even or odd",
    quote=r"There is one color for regions with an even number of active neurons and another for regions with an odd "
    r"number of active neurons.",
    tolerance=0.01,
    why="yes or no",
)
def parity_colors(setup: Setup, doubled: bool = False) -> Evidence:
    """Cells of a first layer with biases, from `linear_regions`: neighbors share two corners."""
    rng = setup.rng
    W = np.hstack([rng.normal(size=(6, 2)), rng.uniform(-0.5, 0.5, (6, 1))])
    W[0, 2] = 0.0  # a line that does cut the box
    W = np.vstack([W, 3 * W[:1]]) if doubled else W
    cells = linear_regions(TwoLayer(W, np.ones(len(W))))
    parity = [int(np.sum(W @ np.append(polygon.mean(0), 1.0) > 0)) % 2 for polygon in cells.polygons]
    bad = good = 0
    for i, one in enumerate(cells.polygons):
        for j, other in enumerate(cells.polygons[:i]):
            if np.sum(np.max(np.abs(one[:, None] - other), axis=2) < 1e-9) == 2:
                good, bad = good + (parity[i] != parity[j]), bad + (parity[i] == parity[j])
    return Evidence.true(bad == 0 and good >= len(cells) - 1, f"{len(cells)} cells, {good + bad} pairs of neighbors")


parity_colors.breaks("a redundant neuron, which switches with another", doubled=True)


@claim(
    "kunin2024",
    "footnote 9",
    "Of 2^N activation patterns of N neurons not all are attainable: N lines through the origin of the plane allow 2N",
    quote=r"While it is trivial to see that for a network $f(x;\theta)$ with $N$ hidden neurons there are $2^N$ "
    r"distinct "
    r"activation patterns, not all activation patterns are attainable.",
    tolerance=1e-9,
    why="counted, going round the origin",
)
def attainable_patterns(setup: Setup, count: Callable[[int], int] = lambda N: 2 * N) -> Any:
    rng, measured = setup.rng, []
    for N in (3, 5, 8):
        patterns = _patterns_on_circle([rng.normal(size=(N, 2))], 0.0, rng.uniform(0, 1))
        measured.append(len({bytes(p) for p in patterns}))
    return measured, [count(N) for N in (3, 5, 8)]


attainable_patterns.breaks("all of them", count=lambda N: 2**N)


def _output(layers: Sequence[Array], last: Array, x: Array, gamma: float, step: float = 0.0) -> float:
    """Return the output of a deep network; with a step, its activation jumps where a neuron switches."""
    for W in layers:
        z = W @ x
        x = np.where(z > 0, z + step, gamma * z)
    return float(last @ x)


@claim(
    "kunin2024",
    "section 5 and appendix C.1",
    "The map is linear within each activation region and continuous across boundaries",
    quote=r"The input-output map is linear within each non-empty activation region and continuous at the boundary "
    r"between "
    r"regions.",
    tolerance=1e-12,
    why=ROUNDING,
)
def linear_and_continuous(setup: Setup, step: float = 0.0) -> Any:
    rng, measured = setup.rng, []
    layers, last = [rng.normal(size=(3, 5)), rng.normal(size=(4, 3))], rng.normal(size=4)
    for _ in range(10):
        low, high = _switch(rng, layers)
        near = low + 1e-3 * (low - high) / np.linalg.norm(low - high) * np.array([[0.0], [1.0], [2.0]])
        inside = [_output(layers, last, x, 0.3, step) for x in near]
        if all(np.array_equal(_signs(layers, x, 0.3), _signs(layers, low, 0.3)) for x in near):
            measured.append((inside[0] + inside[2], 2 * inside[1]))
        measured.append((_output(layers, last, low, 0.3, step), _output(layers, last, high, 0.3, step)))
    return [one for one, _ in measured], [other for _, other in measured]


linear_and_continuous.breaks("an activation that jumps where it switches", step=0.5)


def _switch(rng: np.random.Generator, layers: Sequence[Array], gamma: float = 0.3) -> tuple[Array, Array]:
    """Return two adjacent points on a line with different patterns."""
    low, high = rng.normal(size=(2, layers[0].shape[1]))
    while np.all(_signs(layers, low, gamma) == _signs(layers, high, gamma)):
        high = rng.normal(size=len(low))
    for _ in range(60):
        middle = (low + high) / 2
        same = np.all(_signs(layers, low, gamma) == _signs(layers, middle, gamma))
        low, high = (middle, high) if same else (low, middle)
    return low, high


def _slopes(layers: Sequence[Array], last: Array, x: Array, gamma: float = 0.3) -> tuple[Array, Array]:
    """Return ∇f, and the gradients of all pre-activations."""
    J, rows, signs = np.eye(len(x)), [], _signs(layers, x, gamma)
    for W in layers:
        rows.append(W @ J)
        open_, signs = signs[: len(W)], signs[len(W) :]
        J = np.where(open_, 1.0, gamma)[:, None] * rows[-1]
    return last @ J, np.vstack(rows)


@claim(
    "kunin2024",
    "appendix C.1",
    "Where neighboring regions have different predictors, their boundary is orthogonal to the difference, a vector in "
    "the span of the first-layer weights",
    quote=r"When the neighboring regions have different linear predictors[^10], then this hyperplane is orthogonal to "
    r"their "
    r"difference, which is a vector in the span of the first-layer weights.",
    tolerance=1e-9,
    why=ROUNDING,
)
def boundary_normals(setup: Setup, own: bool = True) -> Any:
    """At places where one neuron of a deep network switches: the jump of ∇f, and the gradient of what switches."""
    rng = setup.rng
    layers, last = [rng.normal(size=(3, 5)), rng.normal(size=(4, 3))], rng.normal(size=4)
    span, jumps, along = np.linalg.pinv(layers[0]) @ layers[0], [], []
    for _ in range(10):
        low, high = _switch(rng, layers)
        flipped = np.flatnonzero(_signs(layers, low, 0.3) != _signs(layers, high, 0.3))
        if len(flipped) == 1:
            (before, rows), (after, _) = _slopes(layers, last, low), _slopes(layers, last, high)
            normal = rows[flipped[0] if own else (flipped[0] + 1) % len(rows)]
            jumps.append(after - before)
            along.append(jumps[-1] @ normal * normal / (normal @ normal))
    return np.stack([jumps, [span @ jump for jump in jumps]]), np.stack([along, jumps])


boundary_normals.breaks("the normals of other boundaries", own=False)


@claim(
    "kunin2024",
    "footnote 10",
    "Neighboring regions may have the same linear predictor",
    quote=r"It is possible for neighboring regions to have the same linear predictor.",
    tolerance=1e-12,
    why=ROUNDING,
)
def same_predictor(setup: Setup, weight: float = 0.0) -> Any:
    """relu(x₂) + weight·relu(x₁) + relu(−relu(x₁) − relu(x₂)), whose last unit is never on: on both sides of x₁ = 0."""
    layers, rng = [np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[weight, 1.0], [-1.0, -1.0]])], setup.rng
    height = rng.uniform(0.5, 1.5)
    sides = [np.array([side * rng.uniform(0.1, 0.4), height]) for side in (1.0, -1.0)]
    assert not np.array_equal(_signs(layers, sides[0], 0.0), _signs(layers, sides[1], 0.0))  # two regions
    one, other = (_slopes(layers, np.ones(2), x, 0.0)[0] for x in sides)
    return one, other


same_predictor.breaks("a unit on the boundary that the output listens to", weight=1.0)


@claim(
    "kunin2024",
    "section 5 and appendix C.1",
    "Activation regions, defined by the signs of all hidden neurons, are convex, in deep networks too",
    quote=r"Taken together, this implies that the union of all activation regions forms a convex partition of input "
    r"space",
    tolerance=0.01,
    why="yes or no",
)
def convex_regions(setup: Setup, seen: int = 8) -> Evidence:
    """Do two points with the same signs have a midpoint with these signs? `seen` counts neurons from the last one."""
    rng = setup.rng
    layers = [rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=(2, 3))]
    groups: dict[bytes, list[Array]] = {}

    def pattern(x: Array) -> bytes:
        return bytes(_signs(layers, x, 0.1)[-seen:])

    for x in rng.normal(size=(2000, 3)):
        groups.setdefault(pattern(x), []).append(x)
    pairs = [(same, x, y) for same, xs in groups.items() for x, y in pairwise(xs)]
    bad = sum(pattern((x + y) / 2) != same for same, x, y in pairs)
    return Evidence.true(bad == 0, f"{len(groups)} regions, {bad} of {len(pairs)} midpoints outside")


convex_regions.breaks("by the signs of the last layer alone", seen=2)


def _most_pieces(h: int, d: int) -> int:
    """Return the largest number of pieces into which h hyperplanes cut R^d."""
    return sum(comb(h, i) for i in range(min(h, d) + 1))


def _pieces_of_the_plane(W: Array, b: Array) -> int:
    """Return the sign patterns of Wx + b, found at corners: every piece has one if no lines are parallel."""
    distinct = set()
    for i, j in combinations(range(len(W)), 2):
        corner = np.linalg.solve(W[[i, j]], -b[[i, j]])
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            z = W @ (corner + 1e-7 * np.linalg.solve(W[[i, j]], np.array(signs, float))) + b
            distinct.add((z > 0).tobytes())
    return len(distinct)


def _pieces_of_the_line(rng: np.random.Generator, h: int, L: int) -> int:
    """Return the activation regions of a random ReLU network with L hidden layers on the line, in order."""
    pieces = [(-np.inf, np.inf, np.zeros(1), np.ones(1))]  # on ]low, high[ the layer below is constant + slope x
    for _ in range(L):
        W, b, cut = rng.normal(size=(h, len(pieces[0][2]))), rng.normal(size=h), []
        for low, high, constant, slope in pieces:
            at, along = W @ constant + b, W @ slope
            kinks = np.sort(-at[along != 0] / along[along != 0])
            edges = [low, *kinks[(kinks > low) & (kinks < high)], high]
            for left, right in pairwise(edges):
                inside = np.clip((max(left, -1e9) + min(right, 1e9)) / 2, -1e9, 1e9)
                on = at + along * inside > 0
                cut.append((left, right, on * at, on * along))
        pieces = cut
    return len(pieces)


@claim(
    "kunin2024",
    "section 5 and appendix C.1",
    "A network with L hidden layers of h neurons on R^d has at most (Σ_{i≤d} C(h, i))^L ≤ (h + 1)^{dL} activation "
    "regions, O(h^{dL}); with one layer and biases it can have Σ_{i≤d} C(h, i)",
    quote=r"The input-output map of a piecewise linear network with $L$ hidden layers and $h$ hidden neurons per "
    r"layer is "
    r"comprised of potentially $O(h^{dL})$ convex *activation regions*",
    tolerance=1e-9,
    why="whole numbers",
)
def number_of_regions(setup: Setup, pieces: Callable[[int, int], int] = _most_pieces) -> Evidence:
    """One layer on the plane, by its corners; up to three layers on the line, piece by piece."""
    rng, measured = setup.rng, []
    for h in (3, 5, 8):
        counted = _pieces_of_the_plane(rng.normal(size=(h, 2)), rng.normal(size=h))
        measured.append(Evidence.equal(counted, pieces(h, 2), f"{h} lines: {counted} pieces"))
        measured += [Evidence.at_most(_pieces_of_the_line(rng, h, L), pieces(h, 1) ** L) for L in (1, 2, 3)]
        measured += [Evidence.at_most(pieces(h, d), (h + 1) ** d) for d in (1, 2, 3)]
    return Evidence.together(*measured)


number_of_regions.breaks("as many on the plane as on the line", pieces=lambda h, d: h + 1)
number_of_regions.breaks("h^d of a layer", pieces=lambda h, d: h**d)


@number_of_regions.proof(
    "d = 1, 2, 3: Σ_{i≤d} C(h, i) obeys r(h + 1, d) = r(h, d) + r(h, d − 1), one more hyperplane, cut by the others",
    whole=False,
)
def one_more_hyperplane(spoiled: bool) -> Any:
    from sympy import factorial, ff, symbols

    h = symbols("h")

    def pieces(n: Any, d: int) -> Any:
        return sum(ff(n, i) / factorial(i) for i in range(d + 1))

    shift = 1 if spoiled else 0
    return [pieces(h + 1, d) for d in (1, 2, 3)], [pieces(h, d) + pieces(h + shift, d - 1) for d in (1, 2, 3)]
