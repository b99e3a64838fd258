"""The limit of a vanishing initialization of a diagonal network: a staircase of plateaus and jumps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray

from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._io.html import html_figure, html_pre
from lazyrich._validate.arrays import check_array
from lazyrich._validate.integers import pluralize
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.flow import GradientFlow
from lazyrich.landmarks.level_crossings import rounding_of_loss
from lazyrich.landmarks.vanishing_start import VanishingStart, follow, vanishing_start
from lazyrich.problem import Problem
from lazyrich.theorems.limit_result import Certificate

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray

MAX_ROWS = 24  # jumps that a table lists


class Plateau(NamedTuple):
    """One plateau: from when to when (inf for the last), its predictor and loss, the features in use, and those that
    entered and left at its beginning."""

    start: float
    end: float
    beta: Float[ndarray, " d"]
    loss: float
    support: Int[ndarray, " k"]
    entered: Int[ndarray, " e"]
    left: Int[ndarray, " l"]


@dataclass(frozen=True)
class Staircase:
    """The plateaus that a diagonal network visits as its initialization vanishes, and the times of the jumps between
    them.

    `stairs[i]` is the plateau after i jumps, `stairs[i:j]` a part, and `stairs.predictor(times)` the predictor at other
    times. Times are slow times (`staircase` defines them) until `at` converts them to flow time for one scale.

    - `times`: when each plateau begins; the first begins at 0, with the predictor 0;
    - `supports`, `values`: the features in use on each plateau, and their coefficients;
    - `beta`, `outputs`, `loss`: the predictor, its outputs on the training inputs, and its loss on each plateau;
    - `dual`: the dual variables q = Xᵀν when each plateau begins, from ν = −∫∂L/∂f dτ in `nu`; a feature is used only
      while its q is at a bound of −`lower` ≤ q ≤ `upper`, and at the end q certifies that no minimum of the loss has a
      smaller weighted ℓ1 norm;
    - `scale`: the factor of the weights if times are flow times, else None;
    - `stop_reason`: why there is no later plateau, if the loss has no minimum there.
    """

    flow: GradientFlow
    slow_times: Float[ndarray, " p"]
    supports: tuple[Int[ndarray, " k"], ...]
    values: tuple[Float[ndarray, " k"], ...]
    outputs: Float[ndarray, "p n"]
    nu: Float[ndarray, "p n"]
    initial: VanishingStart
    scale: float | None = None
    stop_reason: str = ""

    def __len__(self) -> int:
        return len(self.supports)

    @property
    def times(self) -> Float[ndarray, " p"]:
        return self.slow_times if self.scale is None else self.slow_times / self.initial.slow_per_flow_time(self.scale)

    @cached_property
    def beta(self) -> Float[ndarray, "p d"]:
        beta = np.zeros((len(self), self.flow.problem.d))
        for row, support, values in zip(beta, self.supports, self.values, strict=True):
            row[support] = values
        return beta

    @cached_property
    def loss(self) -> Float[ndarray, " p"]:
        problem = self.flow.problem
        outputs: AnyArray = self.outputs
        y: AnyArray = np.asarray(problem.y).ravel()
        terms = np.asarray(problem.loss.value(outputs, y))
        loss = float(problem.kappa) * np.sum(terms, axis=1)
        return np.where(loss > 16 * rounding_of_loss(self.flow), loss, 0.0)

    @cached_property
    def dual(self) -> Float[ndarray, "p d"]:
        return self.nu @ np.asarray(self.flow.problem.X)

    @property
    def lower(self) -> Float[ndarray, " d"]:
        return self.initial.lower

    @property
    def upper(self) -> Float[ndarray, " d"]:
        return self.initial.upper

    @property
    def certificate(self) -> Certificate:
        """How well the last plateau meets the conditions of the least weighted ℓ1 norm: the gradient that is left,
        relative to the first; the distance of the dual variables from their bounds where features are used, and beyond
        them elsewhere; and the duality gap."""
        beta, q, problem = self.end, self.dual[-1], self.flow.problem
        first, last = (_slopes(problem, f) @ np.asarray(problem.X) for f in (0 * self.outputs[-1], self.outputs[-1]))
        movable = np.isfinite(np.where(last < 0, self.upper, self.lower))
        bound = np.where(beta > 0, self.upper, self.lower)
        support = beta != 0
        apart = np.abs(np.abs(q[support]) / bound[support] - 1)
        beyond = np.maximum(q / self.upper - 1, -q / self.lower - 1)
        norm = float(np.sum(bound[support] * np.abs(beta[support])))
        return Certificate(
            np.max(np.abs(last), where=movable, initial=0.0)
            / max(np.max(np.abs(first), initial=0.0), np.finfo(float).tiny),
            max(np.max(apart, initial=0.0), np.max(beyond, initial=0.0)),
            abs(norm - float(q @ beta)) / norm if norm > 0 else 0.0,
        )

    @property
    def end(self) -> Float[ndarray, " d"]:
        """The predictor of the last plateau: where the flow stops."""
        if self.stop_reason:
            raise ValueError(
                f"this staircase has no last plateau: {self.stop_reason}. stairs[-1] is the last one before"
            )
        return self._beta_at(-1)

    def _beta_at(self, i: int) -> Float[ndarray, " d"]:
        beta = np.zeros(self.flow.problem.d)
        beta[self.supports[i]] = self.values[i]
        return beta

    def __getitem__(self, index: int | slice) -> "Plateau | Staircase":
        if isinstance(index, slice):
            rows = range(len(self))[index]
            if rows.step < 1 or not len(rows):
                raise IndexError(f"a part of a staircase goes forward and has a plateau; found the index {index!r:.60}")
            pick = list(rows)
            return replace(
                self,
                slow_times=self.slow_times[pick],
                supports=tuple(self.supports[i] for i in pick),
                values=tuple(self.values[i] for i in pick),
                outputs=self.outputs[pick],
                nu=self.nu[pick],
            )
        try:
            i = range(len(self))[index]
        except (IndexError, TypeError):
            raise IndexError(
                f"the staircase has {pluralize(len(self), 'plateau')}; index {index!r:.60} is outside"
            ) from None
        start, end = np.append(self.times, np.inf)[[i, i + 1]].tolist()
        loss, support = float(self.loss[i]), self.supports[i]
        return Plateau(start, end, self._beta_at(i), loss, support, self.entering_features(i), self.leaving_features(i))

    def entering_features(self, i: int) -> Int[ndarray, " e"]:
        """Return the features that enter at the beginning of plateau i."""
        return np.setdiff1d(self.supports[i], self.supports[i - 1]) if i else self.supports[0]

    def leaving_features(self, i: int) -> Int[ndarray, " l"]:
        """Return the features that leave at the beginning of plateau i."""
        return np.setdiff1d(self.supports[i - 1], self.supports[i]) if i else self.supports[0][:0]

    def at(self, scale: ArrayLike = 1.0) -> "Staircase":
        r"""Return the staircase with its times in flow time, for the network whose layers are multiplied by `scale`.

        The jump times of the flow itself differ by a relative amount of order $1/\log(1/\alpha)$ at depth 2, α being
        the size of the weights, and by a power of α above.
        """
        value = float(check_array("scale", scale, (0,)))
        rate = self.initial.slow_per_flow_time(value)
        if not (np.isfinite(rate) and rate > 0):
            raise ValueError(
                f"there is no flow time at scale {value:g}, where slow time passes {rate:g} times as fast: "
                "choose a scale at which the weights are smaller than 1 and their clock is a number"
            )
        return replace(self, scale=value)

    def predictor(self, times: ArrayLike) -> Float[ndarray, "t d"]:
        """Return the predictor at each of some times, in the unit of `times`."""
        requested = np.asarray(check_array("times", times, (0, 1)))
        if np.any(requested < self.times[0]):
            raise ValueError(
                f"times must not lie before the first plateau, at {self.times[0]:g}; found {float(np.min(requested)):g}"
            )
        return self.beta[np.searchsorted(self.times, requested, side="right") - 1]

    def plot(self) -> "matplotlib.figure.Figure":
        """Plot the coefficients and the loss over time, as steps."""
        from lazyrich._io import plots

        return plots.plot_staircase(self)

    def to_xarray(self) -> "xarray.Dataset":
        """Return predictor, loss and dual variables of each plateau as a dataset."""
        require_packages("to_xarray", "sweep", "xarray")
        import xarray

        data = {
            "time": ("plateau", self.times),
            "loss": ("plateau", self.loss),
            "beta": (("plateau", "feature"), self.beta),
            "dual": (("plateau", "feature"), self.dual),
            "outputs": (("plateau", "sample"), self.outputs),
            "lower": ("feature", self.lower),
            "upper": ("feature", self.upper),
        }
        attributes = {"clock": self._clock_name, "stop_reason": self.stop_reason}
        return xarray.Dataset(data, coords={"plateau": np.arange(len(self))}, attrs=attributes)

    @property
    def _clock_name(self) -> str:
        return "slow time" if self.scale is None else f"flow time at scale {self.scale:g}"

    def __str__(self) -> str:
        lines = ["  jump       time       loss  features"]
        rows_shown = range(len(self)) if len(self) <= MAX_ROWS else [*range(MAX_ROWS // 2), *range(-MAX_ROWS // 2, 0)]
        for i in rows_shown:
            if i == -MAX_ROWS // 2:
                lines.append("   …")
            row = range(len(self))[i]
            moves = " ".join(
                _signed_names("+", self.entering_features(row)) + _signed_names("−", self.leaving_features(row))
            )
            lines.append(f"  {row:4d}  {self.times[row]:9.3g}  {self.loss[row]:9.3g}  {moves}".rstrip())
        return "\n".join([*lines, *([f"  {self.stop_reason}"] if self.stop_reason else [])])

    def __repr__(self) -> str:
        size = pluralize(len(self.supports[-1]), "feature")
        end = f"; {self.stop_reason}" if self.stop_reason else f"; {self.certificate}"
        span = f"{self._clock_name} {self.times[0]:g} … {self.times[-1]:g}"
        return f"Staircase({pluralize(len(self), 'plateau')}, {span}, {size} of {self.flow.problem.d} at the end{end})"

    def _repr_html_(self) -> str:
        return html_figure(self.plot()) + html_pre(f"{self!r}\n\n{self}")


def _slopes(problem: Problem, outputs: AnyArray) -> Float[ndarray, "..."]:
    """Return ∂L/∂f / κ at outputs in rows."""
    y: AnyArray = np.asarray(problem.y).ravel()
    return np.asarray(problem.loss.derivative(outputs, y))


def _signed_names(sign: str, features: Sequence[int] | ndarray) -> list[str]:
    return [f"{sign}{i + 1}" for i in features]


def staircase(flow: GradientFlow, exponents: ArrayLike | None = None) -> Staircase:
    r"""Return the limit of a diagonal network's flow as its initialization vanishes: all plateaus and jump times.

    The weights are $\alpha\hat\theta$, $\hat\theta$ those of `flow.net`, with α → 0. On the slow clock τ the flow then
    rests on plateaus, at saddles of the loss, and jumps from one to the next. Let
    $\dot q = -\nabla L(\beta)$, q = 0 at the start. While all $|q_i| < 1$, the predictor is 0. When some $q_i$ reaches
    ±1, β jumps to the minimum of L over $\beta_i \ge 0$ where $q_i = 1$, $\beta_i \le 0$ where $q_i = -1$, and
    $\beta_i = 0$ elsewhere. Features enter, and may leave again. At the end ∇L = 0, and β has the least ℓ1 norm of all
    minima of L (basis pursuit), with q as its certificate.

    - Depth 2: $\tau = 2\eta t/\log(1/\alpha)$ from weights α, tied or not. `exponents` $k_i$, one per feature or of
      shape (2, d) for both sides, are for weights $\hat\theta_i\alpha^{k_i}$: bounds are then $\pm k_i$.
    - Depth D > 2, tied, or untied with balanced layers: $\tau = D(D-2)\eta\alpha^{D-2}t$ for tied weights α; a side
      whose weights are r times the largest has the bound $r^{2-D}$.
    - A side whose weights are zero has no bound: a network with one side has coefficients of one sign.
    - Identical columns share their coefficient in the proportion that the flow conserves.

    Hypotheses: a diagonal network of depth 2 or more, no weight decay, and a convex loss whose minimum on the features
    in use is finite (with a margin loss and data that become separable, the staircase ends with a `stop_reason`). If
    dependent columns that are not identical reach their bounds at the same time, orders of magnitude do not decide, and
    an error names them. Gradients below the rounding errors of the labels count as zero.

    Depth 2 with equal weights and the square loss is due to Pesme and Flammarion (2023). For greater depths,
    other weights and losses we found no statement; the argument is the same.

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[-1.0, 1.0, 0.0], [2.0, -1.0, 1.0]], [2.0, 4.0])
    >>> stairs = staircase(GradientFlow(inits.tied_diagonal(3, 1.0), problem))
    >>> print(stairs)
      jump       time       loss  features
         0          0         10
         1      0.167        6.4  +1
         2      0.375          2  +3 −1
         3      0.875          0  +2
    >>> stairs.end.round(12), stairs.dual[-1].round(12)
    (array([0., 2., 6.]), array([0., 1., 1.]))
    >>> stairs.at(1e-50).times.round(1)
    array([ 0. ,  9.6, 21.6, 50.4])
    """
    initial = vanishing_start(flow, exponents)
    times, supports, values, outputs, stop_reason = follow(flow, initial)
    problem = flow.problem
    slopes = float(problem.kappa) * _slopes(problem, outputs)
    nu = np.cumsum(np.vstack([0 * slopes[:1], -np.diff(times)[:, None] * slopes[:-1]]), axis=0)
    return Staircase(flow, times, supports, values, outputs, nu, initial, stop_reason=stop_reason)
