"""What people ask of a trajectory, from its closed form: basins, crossings, what is learned when, limits."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._check import as_array, as_times, concrete
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal, Factorization
from lazyrich.solve import exact, explain
from lazyrich.theorems.coordinates import seen, strength
from lazyrich.theorems.hypotheses import whitened_inputs
from lazyrich.theorems.theorem import Theorem, held, untangled
from lazyrich.theorems.trajectories import neuron
from lazyrich.theorems.trajectories.diagonal import coordinates

if TYPE_CHECKING:
    import matplotlib.figure

LONGEST = 1e12  # times are sought between 1/LONGEST and LONGEST, in units of the flow's own


def basin(flow: GradientFlow) -> Array:
    r"""The sign of $a_\infty$ of a single neuron: +1 or −1, the minimum it falls to, or 0 if it ends in the saddle.

    It is the sign of $C \propto \eta_aw_0\cdot\beta_* + a_0(\delta + \sqrt{\delta^2 + 4\eta_a\eta_wB^2})/2$, computed
    with some 32 digits. (kunin2024, appendix A.2.4, has it at unit rates.)

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0])
    >>> [int(basin(GradientFlow(inits.neuron([0.0, -1.0], delta), problem))) for delta in (-2.0, 0.0, 2.0)]
    [-1, 0, 1]
    """
    _, up, _, C, *_ = _constants(flow)
    return jnp.where(up > 0, jnp.sign(C), 0.0)  # without a target, and downstream, everything ends in the saddle


def crossing_time(flow: GradientFlow) -> Array:
    r"""The time at which the outer weight a of a single neuron crosses zero; inf if it never does.

    $t = \ln(1 - a_0/C)/2R$, at most once: only downstream networks cross (kunin2024, lemma 4).

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0])
    >>> flow = GradientFlow(inits.neuron([0.0, -0.5], delta=-2.0), problem)
    >>> bool(abs(exact(flow, [crossing_time(flow)]).end.weights[1][0, 0]) < 1e-15)
    True
    """
    _, up, down, C, _, _, _, _ = _constants(flow)
    a = neuron.neuron_of(flow)[0]
    crosses = (C != 0) & (a / jnp.where(C == 0, 1.0, C) <= 0)
    share = jnp.where(crosses, a / jnp.where(C == 0, 1.0, C), 0.0)
    time = jnp.log1p(-share) / (strength(flow.problem) * (up - down))
    return jnp.where(crosses, time + 0.0, jnp.inf)


def _constants(flow: GradientFlow) -> Any:
    _need(flow, "single neuron")
    a, w, b, eta_w, eta_a, _ = neuron.neuron_of(flow)
    return neuron.constants(a, w, b, eta_w, eta_a)


def _need(flow: GradientFlow, name: str) -> None:
    """Refuse, with the defects, unless the theorem applies."""
    exact(flow, [0.0], theorem=name)


def time_to_loss(flow: GradientFlow, loss: Any) -> Array:
    """The time at which the training loss has fallen to a value, from the closed form; inf if it never gets there.

    The loss falls all along a gradient flow, so there is one such time. `grad` goes through it.

    >>> from lazyrich import Problem, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0], delta=1.0), Problem([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0]))
    >>> time = time_to_loss(flow, 1e-20)
    >>> bool(abs(flow.loss(exact(flow, [time]).end) / 1e-20 - 1) < 1e-6)
    True
    """
    level = as_array("loss", loss, (0,))
    values, known = untangled(flow), untangled(level)
    if not concrete(values, known):
        raise ValueError("time_to_loss searches and cannot be traced by jit or vmap; grad alone goes through it")
    theorem = _theorem(values)

    def curve(times: Array) -> Array:
        nets = flow_nets(theorem, values, times)
        return jax.vmap(values.loss)(nets)

    time = _first(curve, float(known), falling=True, unit=_unit(values))
    if not np.isfinite(time) or time == 0:
        return jnp.asarray(time)
    if concrete(flow, level):
        return jnp.asarray(time)
    # One Newton step from the answer does not move it, but carries its derivative.
    end = jax.tree.map(lambda leaf: leaf[0], flow_nets(theorem, flow, jnp.asarray([time])))
    slopes = values.gradient(untangled(end))
    speed = -sum(
        jnp.sum(rate * leaf**2)
        for rate, slope in zip(values.rates, slopes, strict=True)
        for leaf in jax.tree.leaves(slope)
    )
    return time - (flow.loss(end) - level) / speed


def _theorem(flow: GradientFlow) -> Theorem:
    used = explain(flow).used
    if used is None:
        exact(flow, [0.0])  # which says what is missing
    assert used is not None
    return used


def flow_nets(theorem: Theorem, flow: GradientFlow, times: Array) -> Any:
    """The networks of a trajectory, when it is known which theorem holds; hidden units up to a rotation."""
    options = {"lift": False} if theorem.name == "isotropic imbalance" else {}
    layers = theorem.formula(flow, times, **options)
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(times), *leaf.shape)), flow.net).with_layers(layers)


def _unit(flow: GradientFlow) -> float:
    """The time unit of a flow: one over the fastest rate at which outputs move per unit of squared weight."""
    fastest = float(max(flow.rates)) * float(flow.problem.kappa) * float(jnp.linalg.norm(flow.problem.X, 2)) ** 2
    return 1 / fastest if fastest > 0 else 1.0


def _first(curve: Any, level: float, falling: bool, unit: float) -> float:
    """The first time at which a curve passes a level: a look at all scales, then ever finer ones."""
    longest = LONGEST * unit
    times = np.concatenate([[0.0], np.geomspace(unit / LONGEST, longest, 511)])
    for _ in range(20):
        values = np.asarray(curve(jnp.asarray(times)))
        passed = values <= level if falling else values >= level
        if passed[0]:
            return float(times[0])
        if not passed.any():
            return float("inf") if times[-1] >= longest else float(times[-1])
        last = int(np.argmax(passed))
        low, high = times[last - 1], times[last]
        if high - low <= 4e-16 * high:
            break
        times = np.linspace(low, high, 512)
    return float(high)


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
    if not flow.net.linear or isinstance(flow.net, Factorization):
        raise ValueError(
            f"a schedule is about the singular modes of a linear predictor, or the coordinates of a diagonal network; "
            f"{type(flow.net).__name__} has neither"
        )
    theorem = _theorem(flow)
    if not isinstance(flow.net, Diagonal) and not held(whitened_inputs(flow)):
        raise ValueError(
            "the loss is a sum over modes only if inputs are whitened; here they are not: there is no schedule"
        )
    strengths, targets = _modes(flow)
    count = int(np.sum(np.abs(targets) > 1e-12 * np.max(np.abs(targets), initial=0.0)))
    start, unit = np.asarray(strengths(flow.net)), _unit(flow)
    found: dict[str, list[float]] = {"time": [], "width": []}
    kept = np.argsort(-np.abs(targets), kind="stable")[:count]
    for i in kept:
        sign = np.sign(targets[i])

        def share(times: Array, i: int = i, sign: float = sign) -> Array:
            return sign * jax.vmap(strengths)(flow_nets(theorem, flow, times))[:, i]

        size = abs(targets[i])
        tenth, half, most = (_first(share, part * size, falling=False, unit=unit) for part in (0.1, 0.5, 0.9))
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
    if isinstance(flow.net, Diagonal):
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
    return np.asarray(coordinates(flow)[1] if isinstance(flow.net, Diagonal) else strength(flow.problem))


@dataclass(frozen=True)
class Limits:
    """The simple trajectories that a flow tends to in its extremes, and how near it is to each.

    `beta` holds each limit's predictor at `times`; `distance` the largest distance to the flow's own, relative to
    ‖β* − β₀‖; `nearest` names the closest.
    """

    times: Array
    beta: dict[str, Array]
    distance: dict[str, float]

    @property
    def nearest(self) -> str:
        return min(self.distance, key=self.distance.__getitem__)

    def __str__(self) -> str:
        rows = [f"  {name:13s} {size:8.2e}" for name, size in sorted(self.distance.items(), key=lambda kv: kv[1])]
        return "distance to the limit, relative to ‖β* − β₀‖\n" + "\n".join(rows)

    __repr__ = __str__


def regime_limits(flow: GradientFlow, times: Any) -> Limits:
    r"""The lazy and the rich limit that a flow tends to, each in closed form, and the flow's distance to them.

    - lazy: the tangent model at the initialization;
    - rich: from a vanishing initialization, a staircase: each mode jumps to its target at its time in `schedule`;
    - delayed rich (single neuron, δ → −∞): the magnitude fits at once, $\mu = \varphi B$, then the direction turns by
      $\dot\varphi = \eta_a\eta_wB^2|\delta|^{-1}\varphi(1 - \varphi^2)$ (kunin2024, section 3).

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0])
    >>> for delta in (100.0, -100.0):
    ...     flow = GradientFlow(inits.neuron([0.3, 0.1], delta), problem)
    ...     print(regime_limits(flow, [0.1, 1.0, 10.0, 100.0, 1000.0]).nearest)
    lazy
    delayed rich
    """
    times = as_times(times)
    used = _theorem(flow)
    beta = jax.vmap(flow.beta)(flow_nets(used, flow, times))
    limits = {"lazy": exact(flow.linearized(), times).beta}
    plan = schedule(flow)
    limits["rich"] = _staircase(flow, plan, times)
    if used.name == "single neuron" and float(_constants(flow)[0]) < 0:
        limits["delayed rich"] = _delayed(flow, times)
    target = flow.problem.min_norm
    unit = float(jnp.linalg.norm(target - flow.beta()))
    unit = unit if unit > 0 else 1.0
    axes = tuple(range(1, beta.ndim))
    distance = {
        name: float(jnp.max(jnp.sqrt(jnp.sum((beta - limit) ** 2, axis=axes)))) / unit for name, limit in limits.items()
    }
    return Limits(times, limits, distance)


def _staircase(flow: GradientFlow, plan: Schedule, times: Array) -> Array:
    learned = (np.asarray(times)[:, None] >= plan.time) * plan.target
    if isinstance(flow.net, Diagonal):
        steps = np.zeros((len(times), flow.problem.d))
        steps[:, plan.mode] = learned
        return jnp.asarray(steps)
    best = flow.problem.min_norm
    matrix = best[:, None] if best.ndim == 1 else best
    U, _, Vt = jnp.linalg.svd(matrix, full_matrices=False)
    full = jnp.einsum("tm,dm,mc->tdc", jnp.asarray(learned), U[:, plan.mode], Vt[plan.mode])
    return full.reshape(len(times), *best.shape)


def _delayed(flow: GradientFlow, times: Array) -> Float[Array, "t d"]:
    a, w, b, eta_w, eta_a, rho = neuron.neuron_of(flow)
    delta = neuron.constants(a, w, b, eta_w, eta_a)[0]
    B, size = jnp.linalg.norm(b), jnp.linalg.norm(w)
    u, v = b / jnp.where(B > 0, B, 1.0), w / size
    phi0 = v @ u
    across = v - phi0 * u
    rate = eta_a * eta_w * B**2 / jnp.abs(delta) * rho
    # φ/√(1 − φ²) grows as e^{rate t}
    decay = jnp.exp(-rate * times)
    length = jnp.sqrt(phi0**2 + decay**2 * jnp.sum(across**2))
    length = jnp.where(length > 0, length, 1.0)
    phi, side = phi0 / length, decay / length
    inner = (B * phi)[:, None] * (phi[:, None] * u + side[:, None] * across)
    basis = seen(flow.problem)
    if basis is None:
        return inner
    return inner @ basis.T
