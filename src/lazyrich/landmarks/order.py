"""What is learned when."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._notebook import table
from lazyrich.flow import GradientFlow
from lazyrich.landmarks.times import first_time, own_unit, theorem_of
from lazyrich.theorems.coordinates import strength
from lazyrich.theorems.hypotheses import whitened_inputs
from lazyrich.theorems.theorem import held
from lazyrich.theorems.trajectories.diagonal import coordinates

if TYPE_CHECKING:
    import matplotlib.figure


@dataclass(frozen=True)
class Schedule:
    """What is learned when. Modes are listed in the order in which they are learned.

    - `mode`: their number, by strength of the target (or the coordinate, for a diagonal network), from 0;
    - `target`, `start`: the strength to be reached and the initial one;
    - `time`, `width`: when half of the target is reached (0 if it starts beyond), and the time from 10 % to 90 % of it;
      inf if never;
    - `plateau`: the loss once this and all earlier modes are learned and the later ones are still where they began: the
      saddles that the flow visits one after another when it starts small;
    - `lost`: by how much the loss falls when this mode is learned.
    """

    mode: np.ndarray
    target: np.ndarray
    start: np.ndarray
    time: np.ndarray
    width: np.ndarray
    plateau: np.ndarray
    lost: np.ndarray

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
        return table(rows, ("mode", "target", "start", "time", "width", "plateau"))

    def plot(self) -> "matplotlib.figure.Figure":
        """The loss as a staircase of plateaus, and each mode's transition with its width."""
        from lazyrich import _draw

        return _draw.schedule(self)


def schedule(flow: GradientFlow) -> Schedule:
    """When each mode of the target is learned, how fast, in which order, and the plateaus of the loss in between.

    Modes are the singular vectors of the least-squares solution, or the coordinates of a diagonal network. Every time
    is taken from the closed form.

    >>> import jax.numpy as jnp
    >>> from lazyrich import Problem, inits
    >>> target = jnp.diag(jnp.array([3.0, 1.0]))
    >>> print(schedule(GradientFlow(inits.aligned(target, 1e-4), Problem(jnp.eye(2), target))))
      mode     target      start       time      width    plateau
         1          3     0.0001       1.72      0.732        0.5
         2          1     0.0001       4.61        2.2          0
    """
    if not flow.net.linear or flow.net.root is not None:
        raise ValueError(
            f"a schedule is about the singular modes of a linear predictor, or the coordinates of a diagonal network; "
            f"{type(flow.net).__name__} has neither"
        )
    theorem = theorem_of(flow)
    if flow.net.sides is None and not held(whitened_inputs(flow)):
        raise ValueError(
            "the loss is a sum over modes only if inputs are whitened; here they are not: there is no schedule"
        )
    strengths, targets = _modes(flow)
    count = int(np.sum(np.abs(targets) > 1e-12 * np.max(np.abs(targets), initial=0.0)))
    start, unit = np.asarray(strengths(flow.net)), own_unit(flow)
    found: dict[str, list[float]] = {"time": [], "width": []}
    kept = np.argsort(-np.abs(targets), kind="stable")[:count]
    for i in kept:
        sign = np.sign(targets[i])

        def share(times: Array, i: int = i, sign: float = sign) -> Array:
            return sign * jax.vmap(strengths)(theorem.cheapest(flow, times))[:, i]

        size = abs(targets[i])
        tenth, half, most = (first_time(share, part * size, falling=False, unit=unit) for part in (0.1, 0.5, 0.9))
        found["time"].append(half)
        found["width"].append(most - tenth if np.isfinite(most) else np.inf)
    order = np.argsort(found["time"], kind="stable")
    mode = kept[order]
    weight = _weights(flow)
    # The loss is a sum over modes when inputs are whitened or features orthogonal.
    rest = float(flow.loss()) - 0.5 * float(np.sum(weight * (targets - start) ** 2))
    missing = 0.5 * weight * (targets - start) ** 2
    times, widths = (np.array(found[name])[order] for name in ("time", "width"))
    lost = np.where(np.isfinite(times), missing[mode], 0.0)  # what is never learned stays in the loss
    plateau = np.maximum(rest + np.sum(missing) - np.cumsum(lost), 0.0)
    return Schedule(mode, targets[mode], start[mode], times, widths, plateau, lost)


def _modes(flow: GradientFlow) -> tuple[Any, np.ndarray]:
    """A function network → strength of each mode, and the targets."""
    if flow.net.sides is not None:
        return (lambda net: net.beta), np.asarray(coordinates(flow)[0])
    best = flow.problem.min_norm
    best = best[:, None] if best.ndim == 1 else best
    U, s, Vt = jnp.linalg.svd(best, full_matrices=False)

    def strengths(net: Any) -> Array:
        beta = net.beta.reshape(best.shape)
        return jnp.sum(U * (beta @ Vt.T), axis=0)

    return strengths, np.asarray(s)


def _weights(flow: GradientFlow) -> np.ndarray:
    """The curvature of the loss in each mode."""
    return np.asarray(coordinates(flow)[1] if flow.net.sides is not None else strength(flow.problem))
