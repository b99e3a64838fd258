"""The order in which modes are learned."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.types import AnyArray
from lazyrich._io.html import html_table
from lazyrich._solve import find_closed_form
from lazyrich.flow import GradientFlow, raise_if_decayed
from lazyrich.landmarks.level_crossings import LATEST, first_crossing, grid, rounding_of_loss
from lazyrich.networks import Network
from lazyrich.theorems.canonical_coordinates import whitening_scale
from lazyrich.theorems.hypotheses import whitened_inputs
from lazyrich.theorems.theorem import TrajectoryTheorem, holds
from lazyrich.theorems.trajectories.attention import head_modes, head_strengths
from lazyrich.theorems.trajectories.diagonal import coordinate_targets_and_curvatures

if TYPE_CHECKING:
    import matplotlib.figure


@dataclass(frozen=True)
class ModeSchedule:
    """The order in which modes are learned, with their times. Modes are listed in that order.

    - `mode`: the index of the mode, from 0, by strength of the target (or the coordinate, for a diagonal network);
    - `target`, `start`: the target strength and the initial one;
    - `time`, `width`: when half of the target is reached (0 if it starts beyond), and the time from 10 % to 90 % of it;
      inf if never;
    - `plateau`: the loss once this and all earlier modes are learned and the later ones still have their initial
      values: the saddles that a flow from a small initialization visits one after another. The last is the loss at the
      end;
    - `loss_drop`: the decrease of the loss from the plateau before to this one.
    """

    mode: np.ndarray
    target: np.ndarray
    start: np.ndarray
    time: AnyArray
    width: AnyArray
    plateau: np.ndarray
    loss_drop: np.ndarray

    def __len__(self) -> int:
        return len(self.mode)

    def __str__(self) -> str:
        lines = ["  mode     target      start       time      width    plateau"]
        for row in zip(self.mode, self.target, self.start, self.time, self.width, self.plateau, strict=True):
            lines.append(f"  {row[0] + 1:4d}" + "".join(f"  {value:9.3g}" for value in row[1:]))
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        columns = (self.target, self.start, self.time, self.width, self.plateau)
        rows = [(mode + 1, *(f"{v:.3g}" for v in row)) for mode, *row in zip(self.mode, *columns, strict=True)]
        return html_table(rows, ("mode", "target", "start", "time", "width", "plateau"))

    def plot(self) -> "matplotlib.figure.Figure":
        """Plot each mode's transition with its width, and the loss as a staircase of plateaus."""
        from lazyrich._io import plots

        return plots.plot_mode_schedule(self)


def mode_schedule(flow: GradientFlow) -> ModeSchedule:
    """Compute when each mode of the target is learned and how fast, in order, and the plateaus of the loss in between.

    Modes are the singular vectors of the least-squares solution, the coordinates of a diagonal network, or the heads
    of linear attention, each on its eigenvector. Every time
    is taken from the closed form.

    >>> import jax.numpy as jnp
    >>> from lazyrich import Problem, inits
    >>> target = jnp.diag(jnp.array([3.0, 1.0]))
    >>> print(mode_schedule(GradientFlow(inits.aligned(target, 1e-4), Problem(jnp.eye(2), target))))
      mode     target      start       time      width    plateau
         1          3     0.0001       1.72      0.732        0.5
         2          1     0.0001       4.61        2.2          0
    """
    if not flow.net.linear_in_inputs or flow.net.matrix_factor is not None:
        raise ValueError(
            f"a schedule is about the singular modes of a linear predictor, or the coordinates of a diagonal network; "
            f"{type(flow.net).__name__} has neither"
        )
    if not is_concrete(flow):
        raise ValueError(
            "mode_schedule orders modes by their times, which are not known inside jit, vmap or grad: call it outside"
        )
    raise_if_decayed(flow, "mode_schedule")
    theorem, units = find_closed_form(flow)
    if not holds(whitened_inputs(units.flow)) and _independent_coordinates(units.flow) is None:
        raise ValueError(
            "the loss is a sum over modes only if inputs are whitened; here they are not: there is no schedule"
        )
    own = units.flow
    strengths, targets = _mode_strengths_and_targets(own)
    count = int(np.sum(np.abs(targets) > 1e-12 * np.max(np.abs(targets), initial=0.0)))
    start = np.asarray(strengths(own.net))
    measured: dict[str, list[float]] = {"time": [], "width": []}
    strongest = np.argsort(-np.abs(targets), kind="stable")[:count]
    for i in strongest:
        sign = np.sign(targets[i])

        def share(times: Array, i: int = i, sign: float = sign) -> Array:
            return sign * jax.vmap(strengths)(theorem.networks_up_to_rotation(own, times))[:, i]

        size = abs(targets[i])
        tenth, half, most = (first_crossing(share, part * size, falling=False) for part in (0.1, 0.5, 0.9))
        measured["time"].append(half)
        measured["width"].append(most - tenth if np.isfinite(most) else np.inf)
    order = np.argsort(measured["time"], kind="stable")
    mode = strongest[order]
    times, widths = (units.unscale_times(np.array(measured[name])[order]) for name in ("time", "width"))
    plateau = _plateaus(own, mode)
    if count:
        plateau[-1] = _last_loss(theorem, own)
    plateau = np.ldexp(plateau, units.loss_exponent)
    loss_drops = -np.diff(plateau, prepend=float(flow.loss()))
    targets, start = (np.ldexp(values[mode], units.beta_exponent) for values in (targets, start))
    return ModeSchedule(mode, targets, start, times, widths, plateau, loss_drops)


def _last_loss(theorem: TrajectoryTheorem, flow: GradientFlow) -> float:
    """Return the loss at the end of the flow; zero if it is below the rounding error of the labels."""
    end = jax.tree.map(lambda leaf: leaf[-1], theorem.networks_up_to_rotation(flow, grid(0.0, LATEST)))
    loss = float(flow.loss(end))
    return loss if loss > 16 * rounding_of_loss(flow) else 0.0


def _plateaus(flow: GradientFlow, mode: np.ndarray) -> np.ndarray:
    """Return the loss at the saddles, where some modes are learned and the others have their initial values.

    In the basis of the target's singular vectors, an entry of β has its initial value until its row or its column is
    learned, and then that of the target. (The saddles of whitened data: dln, chapter 6.)
    """
    not_learned = [np.setdiff1d(mode, mode[: i + 1]) for i in range(len(mode))]
    coordinates = _independent_coordinates(flow)
    if coordinates is not None:
        strengths, targets, weight = coordinates
        missing = 0.5 * weight * (np.asarray(strengths(flow.net)) - targets) ** 2
        always = float(flow.loss()) - float(np.sum(missing[mode]))
        return np.maximum([always + float(np.sum(missing[rest])) for rest in not_learned], 0.0)
    best = flow.problem.min_norm_solution
    apart = flow.beta().reshape(flow.problem.d, -1) - best.reshape(flow.problem.d, -1)
    gap = np.asarray(apart - flow.problem.null_space_component(apart))
    U, _, Vt = np.linalg.svd(np.asarray(best).reshape(flow.problem.d, -1))
    squares = 0.5 * float(whitening_scale(flow.problem)) * (U.T @ gap @ Vt.T) ** 2
    always = float(flow.loss()) - float(np.sum(squares))
    outside = [np.setdiff1d(np.arange(size), mode) for size in squares.shape]  # indices that are no modes of the target
    rows = [(np.append(rest, outside[0]), np.append(rest, outside[1])) for rest in not_learned]
    return np.maximum([always + float(np.sum(squares[np.ix_(*pair)])) for pair in rows], 0.0)


def _independent_coordinates(flow: GradientFlow) -> tuple[Callable[[Network], Array], np.ndarray, np.ndarray] | None:
    """Return the strengths, as a function of a network, the targets and the curvatures of coordinates that the loss
    is a sum over, whatever the inputs: those of a diagonal network, or the heads of linear attention."""
    if flow.net.signed_factors is not None:
        targets, curvatures = (np.asarray(values) for values in coordinate_targets_and_curvatures(flow))
        return (lambda net: net.beta), targets, curvatures
    if flow.net.attention_heads is not None:
        _, targets, curvatures = (np.asarray(values) for values in head_modes(flow))
        return head_strengths, targets, curvatures
    return None


def _mode_strengths_and_targets(flow: GradientFlow) -> tuple[Callable[[Network], Array], np.ndarray]:
    """Return a function that maps a network to the strength of each mode, and the target strengths."""
    coordinates = _independent_coordinates(flow)
    if coordinates is not None:
        return coordinates[0], coordinates[1]
    best = flow.problem.min_norm_solution
    best = best[:, None] if best.ndim == 1 else best
    U, s, Vt = jnp.linalg.svd(best, full_matrices=False)

    def strengths(net: Network) -> Array:
        beta = net.beta.reshape(best.shape)
        return jnp.sum(U * (beta @ Vt.T), axis=0)

    return strengths, np.asarray(s)
