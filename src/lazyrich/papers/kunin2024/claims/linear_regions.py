"""Section 5 and appendix C.1: the regions of a piecewise linear network; appendix D: the experiments."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import brentq

from lazyrich.inits import symmetrized, teacher
from lazyrich.linear_regions import regions
from lazyrich.networks import TwoLayer
from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.kunin2024.claims._networks import ROUNDING, Array, orthonormal, unit_vector
from lazyrich.papers.rule import Verdict


def _signs(layers: Sequence[Array], x: Array, gamma: float) -> Array:
    """Which hidden neurons are active at x, over all layers."""
    found = []
    for W in layers:
        z = W @ x
        found.append(z > 0)
        x = np.where(z > 0, z, gamma * z)
    return np.concatenate(found)


def _around(layers: Sequence[Array], gamma: float, start: float) -> list[Array]:
    """The activation patterns met going once round the origin of the plane; the last is the first again."""

    def at(angle: float) -> Array:
        return _signs(layers, np.array([np.cos(angle), np.sin(angle)]), gamma)

    def between(low: float, high: float, a: Array, b: Array) -> list[Array]:
        """The patterns after a, up to b; two neurons that switch within 1e-12 switch together."""
        flips = np.sum(a != b)
        if flips == 0:
            return []
        if flips == 1 or high - low < 1e-12:
            return [b]
        middle = (low + high) / 2
        return between(low, middle, a, at(middle)) + between(middle, high, at(middle), b)

    angles = start + np.linspace(0, 2 * np.pi, 501)
    patterns = [at(angle) for angle in angles[:-1]]
    patterns.append(patterns[0])
    found = [patterns[0]]
    for low, high, a, b in zip(angles, angles[1:], patterns, patterns[1:], strict=False):
        found += between(low, high, a, b)
    return found


def _odd_wheel(setup: Setup) -> list[Array]:
    """ReLU neurons relu(x₁), relu(−x₁), relu(−x₂) and p relu(x₁) − q relu(−x₁) + r relu(−x₂), in a rotated plane."""
    rng = setup.rng
    axes = orthonormal(rng, 2, 2)
    p, q, r = rng.uniform(0.5, 1.5, 3)
    return [np.stack([axes[0], -axes[0], -axes[1]]), np.array([[p, -q, r]])]


def _coloured_by_parity(patterns: Sequence[Array]) -> bool:
    """Do the parities of active neurons differ across each boundary?"""
    parity = [int(np.sum(p)) % 2 for p in patterns]
    return all(a != b for a, b in pairwise(parity))


@claim(
    "kunin2024",
    "proposition 17",
    "Without redundant neurons, activation regions can be coloured with two colours so that neighbours differ",
    tolerance=0.01,
    why="yes or no",
    verdict=Verdict.CORRECTED,
    remark="it must be assumed that no two neurons switch on the same piece of boundary (then parity colours). "
    "With relu(x₁), relu(−x₁), relu(−x₂) and p relu(x₁) − q relu(−x₁) + r relu(−x₂) five regions meet in a point",
)
def two_colours(setup: Setup) -> Any:
    rng = setup.rng
    found = []
    for _ in range(5):
        layers = [rng.normal(size=(4, 2)), rng.normal(size=(4, 4)), rng.normal(size=(3, 4))]
        patterns = _around(layers, 0.3, rng.uniform(0, 1))
        found.append(_coloured_by_parity(patterns) and len(patterns) % 2 == 1)
    return Evidence.true(all(found), f"five random networks, the last with {len(patterns) - 1} regions")


@two_colours.printed
def two_colours_as_printed(setup: Setup) -> Any:
    count = len(_around(_odd_wheel(setup), 0.0, setup.rng.uniform(0, 1))) - 1
    return Evidence.true(count % 2 == 0, f"{count} regions round a point")


@two_colours.breaks("a neuron doubled")
def a_neuron_doubled(setup: Setup) -> Any:
    rng = setup.rng
    W = rng.normal(size=(4, 2))
    return Evidence.true(_coloured_by_parity(_around([np.vstack([W, 2 * W[:1]])], 0.3, rng.uniform(0, 1))))


def _neighbours(setup: Setup, double: bool) -> Evidence:
    """Cells of a first layer with biases, from `regions`: neighbours share two corners."""
    rng = setup.rng
    W = np.hstack([rng.normal(size=(6, 2)), rng.uniform(-0.5, 0.5, (6, 1))])
    W[0, 2] = 0.0  # a line that does cut the box
    W = np.vstack([W, 3 * W[:1]]) if double else W
    cells = regions(TwoLayer(W, np.ones(len(W))))
    parity = [int(np.sum(W @ np.append(polygon.mean(0), 1.0) > 0)) % 2 for polygon in cells.polygons]
    bad = good = 0
    for i, one in enumerate(cells.polygons):
        for j, other in enumerate(cells.polygons[:i]):
            if np.sum(np.max(np.abs(one[:, None] - other), axis=2) < 1e-9) == 2:
                good, bad = good + (parity[i] != parity[j]), bad + (parity[i] == parity[j])
    return Evidence.true(bad == 0 and good >= len(cells) - 1, f"{len(cells)} cells, {good + bad} pairs of neighbours")


@claim(
    "kunin2024",
    "appendix C.1, after proposition 17",
    "The regions of a first layer are coloured by whether the number of active neurons is even or odd",
    tolerance=0.01,
    why="yes or no",
)
def parity_colours(setup: Setup) -> Any:
    return _neighbours(setup, double=False)


@parity_colours.breaks("a neuron doubled")
def parity_colours_a_neuron_doubled(setup: Setup) -> Any:
    return _neighbours(setup, double=True)


def _kinks(setup: Setup) -> tuple[list[Array], list[Array], Array]:
    """At places where one neuron of a deep network switches: the jump of ∇f, and the gradient of what switches."""
    rng = setup.rng
    layers, last, gamma = [rng.normal(size=(3, 5)), rng.normal(size=(4, 3))], rng.normal(size=4), 0.3
    jumps, normals = [], []

    def slopes(x: Array) -> tuple[Array, Array]:
        """∇f, and the gradients of all pre-activations."""
        gates, J, rows = _signs(layers, x, gamma), np.eye(5), []
        for W, gate in zip(layers, np.split(gates, [3]), strict=True):
            rows.append(W @ J)
            J = np.where(gate, 1.0, gamma)[:, None] * rows[-1]
        return last @ J, np.vstack(rows)

    for _ in range(10):
        low, high = rng.normal(size=(2, 5))
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if np.all(_signs(layers, low, gamma) == _signs(layers, middle, gamma)) else (low, middle)
            )
        flipped = np.flatnonzero(_signs(layers, low, gamma) != _signs(layers, high, gamma))
        if len(flipped) == 1:
            jumps.append(slopes(high)[0] - slopes(low)[0])
            normals.append(slopes(low)[1][flipped[0]])
    return jumps, normals, layers[0]


@claim(
    "kunin2024",
    "appendix C.1",
    "Where neighbouring regions have different predictors, their boundary is orthogonal to the difference, a vector in "
    "the span of the first-layer weights",
    tolerance=1e-9,
    why=ROUNDING,
)
def boundary_normals(setup: Setup) -> Any:
    jumps, normals, W = _kinks(setup)
    span = np.linalg.pinv(W) @ W
    along = [jump @ n * n / (n @ n) for jump, n in zip(jumps, normals, strict=True)]
    return np.stack([jumps, [span @ jump for jump in jumps]]), np.stack([along, jumps])


@boundary_normals.breaks("the normals of other boundaries")
def the_normals_of_other_boundaries(setup: Setup) -> Any:
    jumps, _, W = _kinks(setup)
    other = np.linalg.norm(W, axis=1)
    along = [jump @ W[np.argmax(other)] * W[np.argmax(other)] / np.max(other) ** 2 for jump in jumps]
    return np.stack(jumps), np.stack(along)


def _midpoints(setup: Setup, layers_seen: int) -> Evidence:
    """Do two points with the same signs have a midpoint with these signs? `layers_seen` counts from the last layer."""
    rng = setup.rng
    layers = [rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=(2, 3))]
    groups: dict[bytes, list[Array]] = {}

    def pattern(x: Array) -> bytes:
        signs = _signs(layers, x, 0.1)
        return bytes(signs if layers_seen == 3 else signs[-2:])

    for x in rng.normal(size=(2000, 3)):
        groups.setdefault(pattern(x), []).append(x)
    pairs = [(same, x, y) for same, xs in groups.items() for x, y in pairwise(xs)]
    bad = sum(pattern((x + y) / 2) != same for same, x, y in pairs)
    return Evidence.true(bad == 0, f"{len(groups)} regions, {bad} of {len(pairs)} midpoints outside")


@claim(
    "kunin2024",
    "section 5 and appendix C.1",
    "Activation regions, defined by the signs of all hidden neurons, are convex, in deep networks too",
    tolerance=0.01,
    why="yes or no",
)
def convex_regions(setup: Setup) -> Any:
    return _midpoints(setup, 3)


@convex_regions.breaks("by the signs of the last layer alone")
def by_the_signs_of_the_last_layer_alone(setup: Setup) -> Any:
    return _midpoints(setup, 1)


undecidable(
    "kunin2024",
    "section 5 and appendix C.1",
    "number_of_regions",
    "A network with L hidden layers of h neurons on R^d has O(h^{dL}) activation regions at most",
    "an upper bound over all weights, with a free constant: samples only bound the number from below",
)


# The experiments.
def _figure_1(setup: Setup, power: int, flip: float = 1.0) -> Any:
    """δ_k of a base student whose w_i are scaled by τ/α and a_i by τα, α from δ^power, against the δ asked for."""
    rng, asked, found = setup.rng, [], []
    for delta in (-1.0, -0.3, 0.3, 1.0):
        tau = rng.uniform(0.1, 2.0)
        log = brentq(lambda s, tau=tau, goal=delta**power: 2 * tau**2 * np.sinh(2 * s) - goal, -9, 9, xtol=1e-14)
        alpha = np.exp(flip * log)
        w, a = tau / alpha * np.stack([unit_vector(rng, 3) for _ in range(4)]), tau * alpha * rng.choice([-1.0, 1.0], 4)
        found.append(a**2 - np.sum(w**2, axis=1))
        asked.append(np.full(4, delta))
    return np.stack(found), np.stack(asked)


@claim(
    "kunin2024",
    "appendix D.1",
    "To set (τ, δ), solve δ² = τ²(α² − α⁻²) for α and scale each w_i by τ/α and each a_i by τα",
    tolerance=1e-9,
    why="rounding, and cancellation where |δ| is much smaller than the squares",
    verdict=Verdict.CORRECTED,
    remark="δ = τ²(α² − α⁻²); as printed δ = −1 gives +1 and δ = 0.3 gives 0.09",
)
def figure_1_scaling(setup: Setup) -> Any:
    return _figure_1(setup, 1)


@figure_1_scaling.printed
def figure_1_scaling_as_printed(setup: Setup) -> Any:
    return _figure_1(setup, 2)


@figure_1_scaling.breaks("α and 1/α exchanged")
def alpha_and_1_alpha_exchanged(setup: Setup) -> Any:
    return _figure_1(setup, 1, -1.0)


def _student_outputs(setup: Setup, nets: Sequence[TwoLayer]) -> Any:
    """What ReLU networks compute on random inputs; and zero."""
    X = setup.rng.normal(size=(10, 3))
    outputs = np.stack([np.asarray(net(X)) for net in nets])
    return outputs, np.zeros_like(outputs)


@claim(
    "kunin2024",
    "appendix D.1",
    "The student in pairs (w, a), (w, −a) computes zero, at every τ and δ",
    tolerance=1e-13,
    why="sums of eight numbers of order 1, which cancel up to rounding",
)
def symmetrized_student(setup: Setup) -> Any:
    scales = ((0.5, -1.0), (1.0, 0.0), (1.5, 1.0))
    return _student_outputs(setup, [symmetrized(setup.key, 3, 8, tau, delta) for tau, delta in scales])


@symmetrized_student.breaks("a student that is not symmetrised")
def a_student_that_is_not_symmetrised(setup: Setup) -> Any:
    return _student_outputs(setup, [teacher(setup.key, 3, 4)])


LAPLACIAN = -np.array([[0.25, 0.5, 0.25], [0.5, -2.0, 0.5], [0.25, 0.5, 0.25]])


def _smoothness(setup: Setup, centre: float) -> Any:
    """The kernel on random quadratics, exactly, against −∇²."""
    a, b, c, d, e, f = setup.rng.normal(size=6)
    x, y = np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0])
    kernel = np.where((x == 0) & (y == 0), centre, LAPLACIAN)
    plane = 3 * np.sign(a) + a + b * x + c * y
    return [np.sum(kernel * plane), np.sum(kernel * (d * x**2 + e * x * y + f * y**2))], [0.0, -2 * (d + f)]


@claim(
    "kunin2024",
    "appendix D.3, Gabor filters",
    "The 3×3 kernel with −0.25 at the corners, −0.5 at the edges and 2 in the centre is a Laplacian",
    tolerance=1e-12,
    why="nine products",
    verdict=Verdict.CORRECTED,
    remark="its entries sum to −1, so it does not annihilate constants; with 3 in the centre it is −∇² on quadratics",
)
def laplacian_kernel(setup: Setup) -> Any:
    return _smoothness(setup, 3.0)


@laplacian_kernel.printed
def laplacian_kernel_as_printed(setup: Setup) -> Any:
    return _smoothness(setup, 2.0)


@laplacian_kernel.breaks("with 4 in the centre")
def with_4_in_the_centre(setup: Setup) -> Any:
    return _smoothness(setup, 4.0)
