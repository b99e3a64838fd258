"""The linear regions of a two-layer network on the plane: exact cells, their activation patterns, and the
two-coloring."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lazyrich._core.types import AnyArray
from lazyrich._io.html import html_figure, html_pre
from lazyrich._validate.integers import pluralize
from lazyrich.networks import Network

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

COINCIDENT_TOLERANCE = 1e-9  # lines whose unit normals differ by less coincide


@dataclass(frozen=True)
class LinearRegions:
    """A planar arrangement: convex polygons on each of which the network is one linear (or affine) function.

    - `lines` (L, 3): unit normals and offsets, $n_1 x_1 + n_2 x_2 + n_3 = 0$; `kink_strengths` (L,): the change of the
      slope of f along the normal. It is zero where neurons cancel, as at a symmetrized initialization.
    - `polygons`: the corners of each cell, counter-clockwise; `colors`: 0 or 1, different across every line.
    - `gradients` (R, 2), `offsets` (R,): $f(x) = s\\cdot x + o$ on each cell; `patterns` (R, h): which neurons are
      active.
    """

    net: Network
    box: tuple[float, float, float, float]
    lines: np.ndarray
    kink_strengths: np.ndarray
    polygons: tuple[np.ndarray, ...]
    colors: np.ndarray
    patterns: np.ndarray
    gradients: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.polygons)

    def __repr__(self) -> str:
        box = ", ".join(f"{edge:g}" for edge in self.box)
        return f"Regions({pluralize(len(self), 'region')}, {pluralize(len(self.lines), 'line')}, box ({box}))"

    def _repr_html_(self) -> str:
        return html_figure(self.plot()) + html_pre(repr(self))

    def draw(self, axes: "matplotlib.axes.Axes", levels: int = 12) -> None:
        """Draw the cells in two colors, and level lines of f, which are straight on each cell and bend at the kinks."""
        from lazyrich._io import plots

        plots.draw_linear_regions(self, axes, levels)

    def plot(self) -> "matplotlib.figure.Figure":
        """Draw the cells in two colors with the level lines of f."""
        from lazyrich._io import plots

        return plots.plot_linear_regions(self)


def linear_regions(net: Network, box: Sequence[float] | AnyArray = (-1.0, 1.0, -1.0, 1.0)) -> LinearRegions:
    r"""Return the activation regions of a network on the plane, within the box $(x_{min}, x_{max}, y_{min}, y_{max})$.

    With two inputs the kinks are lines through the origin. With three, the third is held at 1, which gives every neuron
    a bias: $w_1 x_1 + w_2 x_2 + w_3 = 0$. Nothing is sampled: the cells are found by cutting polygons along lines. The
    color of a cell is the parity of the number of lines on whose positive side it lies, so that neighbors always
    differ: first-layer arrangements are two-colorable (kunin2024, proposition 17); deeper ones need not be.

    >>> from lazyrich import TwoLayer
    >>> net = TwoLayer([[1.0, 0.0], [0.0, 1.0], [0.0, -2.0]], [1.0, 1.0, 1.0])
    >>> cells = linear_regions(net)
    >>> len(cells), cells.colors
    (4, array([0, 1, 1, 0]))
    >>> linear_regions(TwoLayer([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], [1.0, 1.0, 1.0])).colors
    array([0, 1, 0, 1, 0, 0, 1])
    """
    neurons = net.neuron_parameters if isinstance(net, Network) else None
    if neurons is None or neurons[0].shape[1] not in (2, 3):
        raise ValueError(
            f"regions of the plane need a TwoLayer network with 2 inputs, or 3 of which one is 1; found {net}"
        )
    left, right, low, high = (float(edge) for edge in box)
    if not (left < right and low < high):
        raise ValueError(f"the box is (left, right, low, high) with left < right and low < high; found {box}")
    W, a, slope = np.asarray(neurons[0]), np.asarray(neurons[1]), neurons[2]
    planes = np.hstack([W, np.zeros((len(W), 1))]) if W.shape[1] == 2 else W
    lines, group, sign = _distinct_lines(planes)

    corners = np.array([[left, low], [right, low], [right, high], [left, high]])
    cells = [(corners, np.zeros(0, int))]
    for line in lines:
        cells = [part for cell in cells for part in _split_polygon(*cell, line)]
    polygons = tuple(polygon for polygon, _ in cells)
    sides = np.stack([side for _, side in cells])  # (R, L): 0 or 1
    # A neuron is active on the positive or the negative side of its line; without a line, where its bias is positive.
    on = np.where(sign > 0, sides[:, group] > 0, sides[:, group] == 0) if len(lines) else np.zeros((1, len(W)), bool)
    flat = sign == 0
    on[:, flat] = planes[flat, 2] > 0
    gates = np.where(on, 1.0, slope)
    affine = (gates * a) @ planes
    bends = np.zeros(len(lines))
    np.add.at(bends, group[~flat], ((1 - slope) * a * np.linalg.norm(planes[:, :2], axis=1))[~flat])
    return LinearRegions(
        net, (left, right, low, high), lines, bends, polygons, sides.sum(1) % 2, on, affine[:, :2], affine[:, 2]
    )


def _distinct_lines(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the different lines (L, 3), the line of each neuron, and its sign: 0 for neurons without a line."""
    lines: list[np.ndarray] = []
    group, sign = np.zeros(len(planes), int), np.zeros(len(planes))
    for k, plane in enumerate(planes):
        size = np.linalg.norm(plane[:2])
        if size <= 1e-300:
            continue
        unit = plane / size
        for j, line in enumerate(lines):
            for s in (1.0, -1.0):
                if np.max(np.abs(unit - s * line)) < COINCIDENT_TOLERANCE * max(1.0, abs(line[2])):
                    group[k], sign[k] = j, s
                    break
            if sign[k]:
                break
        else:
            group[k], sign[k] = len(lines), 1.0
            lines.append(unit)
    return np.array(lines).reshape(-1, 3), group, sign


def _split_polygon(polygon: np.ndarray, sides: np.ndarray, line: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Split a convex polygon along a line; one part if the line misses it."""
    height = polygon @ line[:2] + line[2]
    height[np.abs(height) < 1e-12 * (np.max(np.abs(polygon)) + abs(line[2]))] = 0.0
    if np.all(height <= 0) or np.all(height >= 0):
        return [(polygon, np.append(sides, int(np.any(height > 0))))]
    parts: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for (p, at), (q, to) in zip(
        zip(polygon, height, strict=True), zip(np.roll(polygon, -1, 0), np.roll(height, -1), strict=True), strict=True
    ):
        if at <= 0:
            parts[0].append(p)
        if at >= 0:
            parts[1].append(p)
        if at * to < 0:
            point = p + at / (at - to) * (q - p)
            parts[0].append(point)
            parts[1].append(point)
    return [(np.array(part), np.append(sides, side)) for side, part in enumerate(parts)]
