"""A diagonal network whose initialization vanishes: the bounds of its dual variables, and its slow clock."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray

from lazyrich._core.array_namespace import is_concrete, to_numpy_if_concrete
from lazyrich._core.power_of_two_scaling import ZERO_EXPONENT, exponent_of
from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_array
from lazyrich.flow import GradientFlow
from lazyrich.landmarks.jump_process import JumpProcess, UndecidedTie, jump_process
from lazyrich.potentials.deep_entropy import DeepEntropy
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.potentials.entropy import HyperbolicEntropy
from lazyrich.problem import Square
from lazyrich.theorems.hypotheses import solvable_coordinates
from lazyrich.theorems.theorem import holds

EQUAL = 1e-12  # relative distance of bounds that count as equal


@dataclass(frozen=True)
class VanishingStart:
    """The bounds −lower ≤ q ≤ upper of the dual variables, the logarithms of the shares of identical columns on both
    sides, and the clock: the `speed` of the potential and the `log_size` of the weights."""

    depth: int
    lower: Float[ndarray, " d"]
    upper: Float[ndarray, " d"]
    log_shares: Float[ndarray, "2 d"]
    speed: float
    log_size: float

    def slow_per_flow_time(self, scale: float) -> float:
        """Return how fast the slow time passes, for weights that are multiplied by `scale` (to their exponents)."""
        if not scale > 0:
            raise ValueError(f"the scale must be positive; found {scale:g}")
        log_weight = self.log_size + np.log(scale)
        if self.depth == 2:
            return self.speed / (-2 * log_weight) if log_weight < 0 else np.nan
        return float(self.speed * np.exp((self.depth - 2) * log_weight))


def vanishing_start(flow: GradientFlow, exponents: ArrayLike | None) -> VanishingStart:
    """Return the bounds and the clock of a flow as its initialization vanishes, or raise an error if there are none."""
    _check_flow(flow)
    flow = to_numpy_if_concrete(flow)  # without compilation
    net, d = flow.net, flow.problem.d
    potential = diagonal_potential(net, flow.rates)
    assert isinstance(potential, (HyperbolicEntropy, DeepEntropy))
    sides = np.stack([np.asarray(side, float) for side in potential.log_initial_sides])
    alive, speed = np.isfinite(sides), float(potential.speed)
    if net.degree == 2:
        powers = _check_exponents(exponents, d)
        upper, lower = np.where(alive, powers, np.inf)
        mean = float(np.mean(powers[alive])) if np.any(alive) else 1.0
        size = float(np.mean(sides[alive])) / (2 * mean) if np.any(alive) else 0.0
        return VanishingStart(2, lower, upper, sides, speed, size)
    if exponents is not None:
        raise ValueError(
            f"exponents are for depth 2; at depth {net.degree} features with different powers of α move on clocks that "
            "separate without bound. Give the weights their ratios in flow.net instead"
        )
    size = float(np.max(sides[alive])) if np.any(alive) else 0.0
    with np.errstate(over="ignore"):
        upper, lower = np.where(alive, np.exp((2 - net.degree) * np.where(alive, sides - size, 0.0)), np.inf)
    return VanishingStart(net.degree, lower, upper, np.where(alive, 0.0, -np.inf), speed, size)


def _check_flow(flow: GradientFlow) -> None:
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"staircase takes a GradientFlow; found {type(flow).__name__}")
    if not is_concrete(flow):
        raise ValueError("staircase follows jumps one after another and cannot be traced by jit, vmap or grad")
    if flow.net.signed_factors is None or flow.net.degree < 2:
        raise ValueError(
            f"staircase is about diagonal networks of depth 2 or more; found {type(flow.net).__name__} of degree "
            f"{flow.net.degree}. For linear networks on whitened inputs, mode_schedule lists plateaus and times"
        )
    if flow.decay is not None and np.any(np.asarray(flow.decay) != 0):
        raise ValueError(
            "weight decay pulls every weight back to zero, and plateaus of a vanishing initialization do not persist; "
            "found a flow with decay. Pass the flow without it, or ask lr.limit where it stops"
        )
    if not holds(solvable_coordinates(flow)):
        raise ValueError(
            "layers of an untied diagonal network of depth 3 or more must be balanced, |u_l|²/η_l equal in each "
            f"coordinate, with products of one sign; found a defect of {float(solvable_coordinates(flow)):.2g}. "
            "Take |weights| from one vector, or a tied network"
        )


def _check_exponents(exponents: ArrayLike | None, d: int) -> Float[ndarray, "2 d"]:
    """Return one positive exponent per side and coordinate; ones by default."""
    values = np.asarray(1.0 if exponents is None else check_array("exponents", exponents, (0, 1, 2)))
    if values.shape not in ((), (d,), (2, d)) or not np.all(values > 0):
        raise ValueError(
            f"exponents are positive, one per coordinate ({d}) or of shape (2, {d}); found {values.tolist()!r:.60}"
        )
    return np.array(np.broadcast_to(values, (2, d)))


def follow(
    flow: GradientFlow, start: VanishingStart
) -> tuple[Float[ndarray, " p"], tuple[Int[ndarray, " k"], ...], tuple[Float[ndarray, " k"], ...], ndarray, str]:
    """Return the times, supports, values and outputs of all plateaus, and the reason why the last is not the end."""
    problem = flow.problem
    X, y, kappa = np.asarray(problem.X), np.asarray(problem.y).ravel(), float(problem.kappa)
    # powers of two, so that products neither overflow nor underflow
    label = exponent_of(y) if isinstance(problem.loss, Square) else 0
    powers = [0 if e == ZERO_EXPONENT else int(e) for e in (exponent_of(X), label, exponent_of(kappa))]
    x, label, k = powers
    groups = _Groups(np.ldexp(X, -x), start)
    try:
        path = jump_process(groups.X, np.ldexp(y, -label), problem.loss, groups.lower, groups.upper)
    except UndecidedTie as tie:
        raise groups.explain(tie) from None
    times = np.ldexp(np.asarray(path.times) / np.ldexp(kappa, -k), -(x + label + k))
    parts = [groups.expand(*part) for part in zip(path.supports, path.values, strict=True)]
    values = tuple(np.ldexp(value, label - x) for _, value in parts)
    outputs = np.ldexp(np.asarray(path.outputs), label)
    return times, tuple(index for index, _ in parts), values, outputs, _stop_reason(path, groups, times)


def _stop_reason(path: JumpProcess, groups: "_Groups", times: Float[ndarray, " p"]) -> str:
    if path.diverges_at is None or path.diverging is None:
        return ""
    last = path.times[-1]
    factor = times[-1] / last if last > 0 else None
    when = f"at slow time {path.diverges_at * factor:.6g}" if factor else "at the next jump"
    features = ", ".join(str(i) for i in groups.originals(path.diverging))
    return f"{when} the loss has no minimum on features [{features}], and the predictor diverges"


class _Groups:
    """The different columns of X, each with the features whose columns are identical to it up to sign.

    Features of a group have the same dual variable. The first bound that it reaches lets in the features that have this
    bound, which then grow in proportion to their initial sizes.
    """

    def __init__(self, X: Float[ndarray, "n d"], start: VanishingStart):
        first = np.take_along_axis(X, np.argmax(X != 0, axis=0)[None], axis=0)[0] if len(X) else np.zeros(X.shape[1])
        self.flips = np.where(first < 0, -1.0, 1.0)
        columns = np.ascontiguousarray((X * self.flips).T) + 0.0  # −0.0 has other bits than 0.0
        members: dict[bytes, list[int]] = {}
        for i, column in enumerate(columns):
            members.setdefault(column.tobytes(), []).append(i)
        self.members = [np.array(group) for group in members.values()]
        swapped = self.flips < 0
        self._bounds = np.where(swapped, [start.lower, start.upper], [start.upper, start.lower])
        self._shares = np.where(swapped, start.log_shares[::-1], start.log_shares)
        if len(self.members) == X.shape[1]:
            self.X, (self.upper, self.lower) = columns.T, self._bounds
            return
        self.X = columns[[group[0] for group in self.members]].T
        self.upper, self.lower = (np.array([np.min(side[g]) for g in self.members]) for side in self._bounds)

    def expand(self, support: Int[ndarray, " k"], values: Float[ndarray, " k"]) -> tuple[ndarray, ndarray]:
        """Return the features in use and their coefficients, from those of the different columns."""
        if len(self.members) == len(self.flips):
            return support, values * self.flips[support]
        indices, parts = [np.zeros(0, int)], [np.zeros(0)]
        for u, value in zip(support, values, strict=True):
            group, side = self.members[u], int(value < 0)
            group = group[self._bounds[side, group] <= np.min(self._bounds[side, group]) * (1 + EQUAL)]
            weights = np.exp(self._shares[side, group] - np.max(self._shares[side, group]))
            indices.append(group)
            parts.append(self.flips[group] * value * weights / np.sum(weights))
        index = np.concatenate(indices)
        order = np.argsort(index)
        return index[order], np.concatenate(parts)[order]

    def originals(self, groups: Int[ndarray, " k"]) -> list[int]:
        """Return the first feature of each group."""
        return [int(self.members[u][0]) for u in groups]

    def explain(self, tie: UndecidedTie) -> UndecidedTie:
        """Return the error with the names of the features, and what to do."""
        tied, active = (self.originals(np.asarray(groups)) for groups in tie.args)
        return UndecidedTie(
            f"features {tied} reach their bounds together with features {active}, and their columns of X depend on one "
            "another. The orders of magnitude of the initial weights do not decide between them, and the predictor is "
            "not determined in the limit. Drop or perturb a feature, make the initial weights unequal (`exponents` at "
            "depth 2), or integrate the flow at the scale that you mean"
        )
