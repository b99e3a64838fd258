"""The style of all plots, and the plots of trajectories and results. Imported only when something is drawn."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import matplotlib.colors
import matplotlib.figure
import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich._io.palette import LIGHT
from lazyrich._validate.integers import pluralize

if TYPE_CHECKING:
    import xarray

_STYLE_FILE = Path(__file__).parents[1] / "lazyrich.mplstyle"
STYLE: Any = dict(matplotlib.rc_params_from_file(_STYLE_FILE, use_default_template=False))
COLORS: tuple[str, ...] = tuple("#" + c.lstrip("#") for c in STYLE["axes.prop_cycle"].by_key()["color"])
REGIME_COLORS = {
    "upstream": LIGHT["lazy"],
    "balanced": LIGHT["rich"],
    "downstream": LIGHT["late"],
    "lazy": LIGHT["lazy"],
    "rich": LIGHT["rich"],
    "delayed rich": LIGHT["late"],
}


def scale_colors(count: int) -> list[str]:
    """Return colors for scales in ascending order, from rich (small, green) to lazy (large, blue to violet)."""
    places = np.linspace(0.62, 0.1, count) if count > 1 else [0.62]
    return [matplotlib.colors.to_hex(matplotlib.colormaps["viridis"](place)) for place in places]


MAX_LINES = 8


class Figure(matplotlib.figure.Figure):
    """A figure that notebooks display without `%matplotlib inline`."""

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=100)
        return stream.getvalue()


def plot_mode_schedule(plan: Any) -> Figure:
    """Plot the time at which each mode is learned, with its width, and the plateaus of the loss in between."""
    is_finite = np.isfinite(plan.time)
    times, widths = plan.time[is_finite], np.where(np.isfinite(plan.width[is_finite]), plan.width[is_finite], 0.0)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 2.9), layout="constrained")
        modes, loss = figure.subplots(1, 2)
        modes.errorbar(
            times, plan.target[is_finite], xerr=widths / 2, fmt="o", color=COLORS[0], capsize=3, markersize=4
        )
        for time, target, mode in zip(times, plan.target[is_finite], plan.mode[is_finite], strict=True):
            modes.annotate(f"{mode + 1}", (time, target), (0, 6), textcoords="offset points", ha="center", fontsize=8)
        modes.set(title="Modes: half-way time, bar from 10 % to 90 %", xlabel="flow time t", ylabel="target strength")
        modes.margins(y=0.15)
        end = 1.15 * max(times.max(initial=0.0) + widths.max(initial=0.0), 1e-300)
        first = plan.plateau[is_finite]
        start = first[:1] + plan.loss_drop[is_finite][:1]
        loss.step(np.r_[0.0, times, end], np.r_[start, first, first[-1:]], where="post", color="black")
        loss.set(title="Plateaus of the loss", xlabel="flow time t", ylabel="L", ylim=(0, None))
    return figure


def plot_staircase(stairs: Any) -> Figure:
    """Plot the coefficients on each plateau and the loss over time, as steps."""
    times, beta, loss = stairs.times, stairs.beta, stairs.loss
    end = 1.15 * times[-1] if times[-1] > 0 else 1.0
    grid = np.append(times, end)
    largest = np.sort(np.argsort(-np.max(np.abs(beta), axis=0), kind="stable")[:MAX_LINES])
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 2.9), layout="constrained")
        left, right = figure.subplots(1, 2)
        for color, i in zip(COLORS, largest, strict=False):
            left.step(
                grid, np.append(beta[:, i], beta[-1, i]), where="post", color=color, label=rf"$\beta_{{{i + 1}}}$"
            )
        title = "Predictor"
        if beta.shape[1] > MAX_LINES:
            title += f" ({MAX_LINES} largest of {beta.shape[1]})"
        unit = r"slow time $\tau$" if stairs.scale is None else f"flow time t at scale {stairs.scale:g}"
        left.set(title=title, xlabel=unit, ylabel=r"$\beta$")
        left.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        right.step(grid, np.append(loss, loss[-1]), where="post", color="black")
        right.set(title="Plateaus of the loss", xlabel=unit, ylabel="L", ylim=(0, None))
    return figure


def plot_predictor(beta: np.ndarray, kind: str) -> Figure:
    """Plot the coordinates of a predictor, as stems; one color per output."""
    columns = np.asarray(beta).reshape(len(beta), -1)
    index = np.arange(1, len(columns) + 1)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 2.9), layout="constrained")
        axes = figure.subplots()
        for j, column in enumerate(columns.T[:MAX_LINES]):
            place = index + 0.12 * (j - (min(columns.shape[1], MAX_LINES) - 1) / 2)
            axes.vlines(place, 0, column, color=COLORS[j], lw=1.2)
            axes.plot(place, column, "o", ms=3.5, color=COLORS[j], label=f"output {j + 1}")
        axes.axhline(0, color="0.6", lw=0.8, zorder=0)
        title = "Where it stops" if kind == "point" else "The direction it goes to"
        axes.set(title=title, xlabel="coordinate i", ylabel=r"$\beta_i$")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlim(0.5, len(columns) + 0.5)
        if columns.shape[1] > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def plot_limit_path(scales: np.ndarray, betas: np.ndarray, over: str = "scale of the initialization") -> Figure:
    """Plot the coordinates of the limit, and its norms, over the scale of the initialization or the weight decay."""
    order = np.argsort(scales)
    scales, betas = scales[order], betas.reshape(len(scales), -1)[order]
    largest = np.sort(np.argsort(-np.max(np.abs(betas), axis=0))[:MAX_LINES])
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(8.4, 3.0), layout="constrained")
        left, right = figure.subplots(1, 2)
        for color, i in zip(COLORS, largest, strict=False):
            left.plot(scales, betas[:, i], color=color, label=rf"$\beta_{{{i + 1}}}$")
        title = "Where it stops"
        if betas.shape[1] > MAX_LINES:
            title += f" ({MAX_LINES} largest of {betas.shape[1]})"
        left.set(xscale="log", xlabel=over, ylabel=r"$\beta_\infty$", title=title)
        left.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        for p, name, dash in ((1, r"$\|\beta\|_1$", "-"), (2, r"$\|\beta\|_2$", "--")):
            sizes = np.linalg.norm(betas, ord=p, axis=1)
            least = np.min(sizes, where=sizes > 0, initial=np.inf)
            right.plot(scales, sizes / (least if np.isfinite(least) else 1.0), dash, label=f"{name} / its least")
        regimes = "Norms" if over.startswith("weight") else "Rich on the left, lazy on the right"
        right.set(xscale="log", xlabel=over, title=regimes)
        right.legend()
    return figure


def plot_phase_diagram(data: "xarray.Dataset", metrics: dict[str, tuple[str, bool]]) -> Figure:
    """Plot heat maps over τ and δ: the mean over seeds above and, for several seeds, their spread below. Missing cells
    are hatched. Lines at the limits of the kernel distance separate lazy and rich students."""
    tau, delta = np.asarray(data["tau"]), np.asarray(data["delta"])
    measured = {name: how for name, how in metrics.items() if name in data}
    seeds = data.sizes["seed"]
    names = ("mean over seeds", "spread over seeds, % of the mean") if seeds > 1 else ("",)
    with matplotlib.rc_context(STYLE | {"axes.spines.top": True, "axes.spines.right": True}):
        figure = Figure(figsize=(2.75 * max(len(measured), 1), 2.5 * len(names)), layout="constrained")
        panels = figure.subplots(len(names), max(len(measured), 1), sharex=True, sharey=True, squeeze=False)
        for column, (name, (title, logarithmic)) in zip(panels.T, measured.items(), strict=False):
            values = np.asarray(data[name].transpose("tau", "delta", "seed"), float)
            with np.errstate(all="ignore"):
                there = np.sum(np.isfinite(values), -1)
                mean = np.where(there > 0, np.nansum(values, -1) / np.maximum(there, 1), np.nan)
                spread = np.sqrt(np.nansum((values - mean[..., None]) ** 2, -1) / np.maximum(there - 1, 1))
            spread = np.where(there > 1, spread / np.abs(mean), np.nan)
            _heat_map(figure, column[0], tau, delta, mean, logarithmic, "cividis")
            if seeds > 1:
                _heat_map(figure, column[1], tau, delta, np.minimum(100 * spread, 100), False, "Greys")
            if name == "kernel_distance":
                _mark_regimes(column[0], tau, delta, mean)
            column[0].set_title(title)
            column[-1].set_xlabel(r"overall scale $\tau$")
        for row, name in zip(panels, names, strict=True):
            row[0].set_ylabel((name + "\n" if name else "") + r"relative scale $\delta$")
        count = int(np.sum(np.isfinite(np.asarray(data[next(iter(measured))])))) if measured else 0
        total = int(np.prod([data.sizes[axis] for axis in ("tau", "delta", "seed")]))
        note = pluralize(seeds, "seed") + (
            "" if count == total else f"; {count} of {total} cells so far; hatched: missing"
        )
        figure.suptitle(note, fontsize=8, color="0.35", x=0.01, ha="left")
    return figure


def _heat_map(
    figure: Figure, axes: Axes, tau: np.ndarray, delta: np.ndarray, values: np.ndarray, logarithmic: bool, colors: str
) -> None:
    positive = values[np.isfinite(values) & (values > 0)]
    norm = None
    if logarithmic and len(positive) and positive.max() > 3 * positive.min():
        norm = matplotlib.colors.LogNorm(positive.min(), positive.max())
    if not np.all(np.isfinite(values)):  # missing cells show the hatched background; white would be read as a low value
        axes.patch.set(facecolor="white", edgecolor="0.6", hatch="////")
    image = axes.pcolormesh(
        _cell_edges(np.log10(tau)), _cell_edges(delta), values.T, norm=norm, cmap=colors, rasterized=True
    )
    ticks = [t for t in (0.01, 0.03, 0.1, 0.3, 1, 3, 10) if tau.min() / 1.2 <= t <= tau.max() * 1.2]
    axes.set_xticks([np.log10(t) for t in ticks], [f"{t:g}" for t in ticks])
    figure.colorbar(image, ax=axes, pad=0.02)


def _mark_regimes(axes: Axes, tau: np.ndarray, delta: np.ndarray, distance: np.ndarray) -> None:
    """Draw the level lines of S below which students are lazy and above which they are rich, and the words."""
    if not np.any(np.isfinite(distance)):
        return
    outline = [patheffects.withStroke(linewidth=2.5, foreground="white")]
    for word, level, there in (
        ("lazy", LAZY["kernel"], distance < LAZY["kernel"]),
        ("rich", RICH, distance > RICH),
    ):
        if len(tau) > 1 and len(delta) > 1 and np.nanmin(distance) < level < np.nanmax(distance):
            axes.contour(np.log10(tau), delta, distance.T, [level], colors=REGIME_COLORS[word], linewidths=1.5).set(
                path_effects=outline
            )
        if np.any(there):
            cells = np.argwhere(there)
            row, column = cells[np.argmin(np.sum((cells - cells.mean(0)) ** 2, axis=1))]
            axes.text(
                np.log10(tau[row]), delta[column], word, color=REGIME_COLORS[word], weight="bold", ha="center",
                va="center", path_effects=outline,
            )  # fmt: skip


def _cell_edges(centers: np.ndarray) -> np.ndarray:
    """Return the borders of the cells around the given centers."""
    if len(centers) == 1:
        return np.array([centers[0] - 0.5, centers[0] + 0.5])
    middle = (centers[1:] + centers[:-1]) / 2
    return np.concatenate([[1.5 * centers[0] - 0.5 * centers[1]], middle, [1.5 * centers[-1] - 0.5 * centers[-2]]])


def draw_linear_regions(cells: Any, axes: Axes, levels: int) -> None:
    """Draw the cells in two colors and the exact level lines of f."""
    from matplotlib.collections import LineCollection, PolyCollection

    shades = np.array(["#FFFFFF", "#DCE6EE"])
    axes.add_collection(PolyCollection(list(cells.polygons), facecolors=shades[cells.colors], edgecolors="none"))
    values = [p @ s + o for p, s, o in zip(cells.polygons, cells.gradients, cells.offsets, strict=True)]
    reach = max((float(np.max(np.abs(v))) for v in values), default=0.0)
    lines: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for level in np.linspace(-reach, reach, 2 * (levels // 2) + 1) if reach > 0 else []:
        for polygon, height in zip(cells.polygons, values, strict=True):
            ends = _level_segment(polygon, height - level)
            if ends is not None:
                lines[int(level >= 0)].append(ends)
    for part, color in zip(lines, (COLORS[1], COLORS[0]), strict=True):
        axes.add_collection(LineCollection(part, colors=color, linewidths=0.8))
    left, right, low, high = cells.box
    axes.set(xlim=(left, right), ylim=(low, high), aspect="equal")


def _level_segment(polygon: np.ndarray, height: np.ndarray) -> np.ndarray | None:
    """Return the segment of a convex polygon on which a linear function is zero."""
    points = [p for p, v in zip(polygon, height, strict=True) if v == 0]
    for p, q, v, w in zip(polygon, np.roll(polygon, -1, 0), height, np.roll(height, -1), strict=True):
        if v * w < 0:
            points.append(p + v / (v - w) * (q - p))
    return np.array(points[:2]) if len(points) >= 2 else None


def plot_linear_regions(cells: Any) -> Figure:
    """Draw the linear regions of a network of two inputs, with level lines of its output."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(4.2, 4.0), layout="constrained")
        axes = figure.subplots()
        draw_linear_regions(cells, axes, 12)
        axes.set(xlabel="$x_1$", ylabel="$x_2$", title=f"{len(cells)} linear regions; level lines of f")
    return figure


def plot_neurons_in_plane(trajectories: dict[str, Any], surfaces: dict[str, Any]) -> Figure:
    """Plot the path of each neuron, w|a|, above (blue for a > 0, vermillion for a < 0), and the final function
    below."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(2.7 * len(trajectories), 5.6), layout="constrained")
        panels = figure.subplots(2, len(trajectories), squeeze=False)
        for (above, below), (title, traj) in zip(panels.T, trajectories.items(), strict=True):
            W, a = np.asarray(traj.nets.W), np.asarray(traj.nets.a)
            paths = W * np.abs(a)[..., None]
            for k in range(paths.shape[1]):
                color = COLORS[0] if a[-1, k] > 0 else COLORS[1]
                above.plot(*paths[:, k].T, color=color, linewidth=0.7, alpha=0.8)
                above.plot(*paths[-1, k], "o", color=color, markersize=3)
            above.plot(*paths[0].T, ".", color="0.6", markersize=3)
            reach = 1.1 * float(np.max(np.abs(paths)))
            above.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", title=title)
            draw_linear_regions(surfaces[title], below, 14)
            X, y = np.asarray(traj.flow.problem.X), np.asarray(traj.flow.problem.y)
            below.scatter(
                *X.T, s=14, c=np.where(y > 0, COLORS[0], COLORS[1]), edgecolors="white", linewidths=0.5, zorder=3
            )
            below.set(xlabel="$x_1$", title=f"loss {float(traj.loss[-1]):.1e}")
        panels[0, 0].set_ylabel("neurons: paths of $w\\,|a|$")
        panels[1, 0].set_ylabel("the function at the end\n$x_2$")
    return figure
