"""Discrete algorithms: gradient descent, minibatches, momentum, label noise."""

import time
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Key, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.types import AnyArray, ArrayLike, Layers
from lazyrich._validate.arrays import check_array, check_key, check_positive, check_static_float, is_double_precision
from lazyrich._validate.integers import check_int
from lazyrich.flow import GradientFlow, invalid_values
from lazyrich.networks import Network
from lazyrich.numerics.driver import (
    Advance,
    Ending,
    IntegrationError,
    NoProgress,
    Stepper,
    StepsPerCall,
    drive,
    tree_all_finite,
)
from lazyrich.numerics.flow_time import check_momentum, flow_time_from_steps
from lazyrich.numerics.precision import tree_cast
from lazyrich.numerics.rkc import spectral_radius
from lazyrich.problem import Square
from lazyrich.trajectory import Provenance, Trajectory

SAVES_PER_CALL = 256
MAX_SAVED_NUMBERS = 10**9  # 8 GB
STABLE = "Descent is stable while lr < 2/λ, λ the largest curvature."
MAX_STEPS_PER_CALL = 100_000


class _StepRule(eqx.Module):
    """One step of descent."""

    lr: Array
    momentum: Array
    label_noise: Array
    key: Key[Array, ""] | None
    batch: int | None = eqx.field(static=True)
    has_label_noise: bool = eqx.field(static=True)

    def gradient(self, flow: GradientFlow, layers: Layers, step: Array) -> Layers:
        problem = flow.problem
        if self.key is not None:
            pick, shake = jax.random.split(jax.random.fold_in(self.key, step))
            if self.has_label_noise:
                noise = (self.label_noise * jax.random.normal(shake, problem.y.shape)).astype(problem.y.dtype)
                problem = eqx.tree_at(lambda p: p.y, problem, problem.y + noise)
            if self.batch is not None:
                rows = jax.random.choice(pick, problem.n, (self.batch,), replace=False)
                kappa = problem.kappa * problem.n / self.batch  # keeps the gradient unbiased
                parts = (problem.X[rows], problem.y[rows], kappa)
                problem = eqx.tree_at(lambda p: (p.X, p.y, p.kappa), problem, parts)
        return eqx.tree_at(lambda f: f.problem, flow, problem).vector_field(layers)

    def step(self, flow: GradientFlow, state: PyTree) -> PyTree:
        count, layers, velocity = state
        push = self.gradient(flow, tree_cast(layers, flow.problem.kappa.dtype), count)
        velocity = jax.tree.map(lambda v, g: self.momentum * v + self.lr * g, velocity, push)
        return count + 1, jax.tree.map(jnp.add, layers, velocity), velocity


@eqx.filter_jit
def _advance(rule: _StepRule, flow: GradientFlow, state: PyTree, every: AnyArray, saves: int) -> tuple[PyTree, PyTree]:
    """Take `every` steps, `saves` times; return the state and the saved parameters."""

    def save(state: PyTree, _: None) -> tuple[PyTree, PyTree]:
        state = jax.lax.fori_loop(0, every, lambda _, s: rule.step(flow, s), state)
        return state, state[1]

    return jax.lax.scan(save, state, None, length=saves)


def descend(
    flow: GradientFlow,
    steps: int,
    lr: ArrayLike,
    *,
    every: int | None = None,
    momentum: ArrayLike = 0.0,
    batch: int | None = None,
    label_noise: ArrayLike = 0.0,
    key: Key[Array, ""] | None = None,
    precision: str = "double",
    progress: bool | None = None,
) -> Trajectory:
    r"""Run gradient descent $\theta_l \leftarrow \theta_l - \text{lr}\,\eta_l\,\partial L/\partial\theta_l$, and its
    usual variants.

    - `every`: save every so many steps (default: about 200 saves); the start and the last step are always saved.
    - `momentum` m: heavy ball, $v \leftarrow mv - \text{lr}\,\eta\,\partial L$, $\theta \leftarrow \theta + v$.
    - `batch`: the number of samples drawn without replacement at each step; the gradient is rescaled to be unbiased.
    - `label_noise` σ: fresh $N(0, \sigma^2)$ on every label at each step (square loss).
    - `precision`: "single" computes the gradients in float32, twice as fast on large problems; the parameters stay in
      float64, so that small steps are not lost.

    `progress` shows a line on the terminal with the remaining time, by default if it takes more than two seconds.
    Ctrl-C raises `IntegrationError`, which contains the saves so far and the step reached.

    The trajectory's times are flow times, $t = \text{lr} \cdot \text{steps} / (1 - m)$; `flow_gap` measures the
    difference from the flow. With a `key` traced by `vmap` it runs many seeds at once.

    >>> from lazyrich import Problem, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0]), Problem(jnp.eye(2), [1.0, 2.0]))
    >>> traj = descend(flow, steps=1000, lr=0.02)
    >>> jnp.round(traj.beta[-1], 4), float(traj.times[-1])
    (Array([1., 2.], dtype=float64), 20.0)
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"descend takes a GradientFlow; found {type(flow).__name__}")
    steps = check_int("steps", steps)
    every = max(1, steps // 200) if every is None else min(check_int("every", every), steps)
    rule = _make_step_rule(flow, lr, momentum, batch, label_noise, key)
    double = is_double_precision(precision)
    _check_memory(flow, steps, every)
    descent = _DescentStepper(flow, rule, double, steps, every)
    if not is_concrete(flow, rule):
        return descent.run_traced()
    try:
        return drive(descent, np.asarray(descent.times), progress=progress)
    except IntegrationError as error:
        if isinstance(error.ending, NoProgress):
            raise descent.divergence_error(error.trajectory, error.ending) from None
        raise


def _make_step_rule(
    flow: GradientFlow, lr: ArrayLike, momentum: ArrayLike, batch: int | None, label_noise: ArrayLike, key: Array | None
) -> _StepRule:
    """Check the options of a step, and return the step rule."""
    noisy = not (is_concrete(label_noise) and check_static_float("label_noise", label_noise) == 0)
    lr, momentum, label_noise = (
        check_positive("lr", lr),
        check_momentum(momentum),
        check_array("label_noise", label_noise, (0,)),
    )
    batch = None if batch is None else check_int("batch", batch, most=flow.problem.n)
    random = noisy or batch is not None
    if random:
        if key is None:
            raise ValueError("minibatches and label noise are random: pass key=jax.random.key(seed)")
        check_key(key)
    if noisy and not isinstance(flow.problem.loss, Square):
        raise ValueError(f"label noise is for the square loss; found {type(flow.problem.loss).__name__}")
    return _StepRule(lr, momentum, label_noise, key if random else None, batch, noisy)


def _check_memory(flow: GradientFlow, steps: int, every: int) -> None:
    """Raise an error if the saves would not fit into memory."""
    saves = steps // every
    size = saves * sum(leaf.size for leaf in jax.tree.leaves(flow.net.layers))
    if size > MAX_SAVED_NUMBERS:
        raise ValueError(
            f"every = {every} would save {saves} networks of {size // saves} numbers, {8e-9 * size:.3g} GB in all; "
            f"save less often: every = {-(-steps * (size // saves) // MAX_SAVED_NUMBERS)} is possible"
        )


class _DescentStepper(Stepper):
    """Steps in blocks of many saves or, where saves are far apart, in shorter calls."""

    def __init__(self, flow: GradientFlow, rule: _StepRule, double: bool, total: int, every: int):
        self.flow, self.rule, self.double, self.total, self.every = flow, rule, double, total, every
        self.pulls = flow if double else tree_cast(flow, jnp.float32)  # the gradients are computed from this flow
        self.state = (jnp.array(0), flow.net.layers, jax.tree.map(jnp.zeros_like, flow.net.layers))
        self.saves, self.rest = divmod(total, every)
        counts = every * np.arange(self.saves + 1)
        self.counts = np.append(counts, total) if self.rest else counts
        self.times = flow_time_from_steps(self.counts, rule.lr, rule.momentum)
        self.pulse = StepsPerCall()
        self.began = time.monotonic()

    def initial_state(self) -> PyTree:
        return self.flow.net.layers

    def advance(self, wanted: np.ndarray, left: int) -> Advance:
        place = len(self.counts) - len(wanted)  # index of the next count to be saved
        done = place - 1
        if done + SAVES_PER_CALL <= self.saves and self.every * SAVES_PER_CALL <= MAX_STEPS_PER_CALL:
            saved = self._take_steps(self.every, SAVES_PER_CALL)
            passed = SAVES_PER_CALL
        else:
            with self.pulse.timed():
                saved = self._take_steps(min(self.pulse.size, int(self.counts[place]) - self.steps), 1)
                jax.block_until_ready(saved)
            passed = int(self.steps == self.counts[place])
        t = float(flow_time_from_steps(self.steps, self.rule.lr, self.rule.momentum))
        states = jax.tree.map(lambda leaf: leaf[:passed], saved)
        return Advance(wanted[:passed], states, float(wanted[passed - 1]) if passed else t, self.state[1])

    def _take_steps(self, every: int, saves: int) -> PyTree:
        self.state, saved = _advance(self.rule, self.pulls, self.state, jnp.array(every), saves)
        self.steps += every * saves
        return saved

    def failure(self, before: float, left: int) -> str:
        return "" if tree_all_finite(self.state[1]) else "not finite"

    def networks(self, states: PyTree) -> Network:
        return jax.vmap(self.flow.net.with_layers)(states)

    def provenance(self, times: np.ndarray) -> Provenance:
        lr, momentum = self.rule.lr, self.rule.momentum
        told = [
            f"lr {float(lr):g}" if is_concrete(lr) else "lr traced",
            f"{self.total} steps" if self.steps in (0, self.total) else f"{self.steps} of {self.total} steps",
            f"momentum {float(momentum):g}" if is_concrete(momentum) and momentum else "",
            f"batches of {self.rule.batch}" if self.rule.batch else "",
            "label noise" if self.rule.has_label_noise else "",
            "" if self.double else "gradients in float32",
        ]
        return Provenance("descended", "gradient descent", ", ".join(filter(None, told)))

    def stats(self, ending: Ending) -> dict[str, Any]:
        return {}

    def status(self) -> str:
        left = (time.monotonic() - self.began) * (self.total / self.steps - 1)
        return f"step {self.steps} of {self.total} ({_format_duration(left)} to go)"

    def run_traced(self) -> Trajectory:
        """Run the whole descent in one program, inside jit, vmap or grad."""
        start = jax.tree.map(lambda leaf: leaf[None], self.flow.net.layers)
        state, saved = _advance(self.rule, self.pulls, self.state, self.every, self.saves)
        parts = [start, saved]
        if self.rest:
            parts.append(_advance(self.rule, self.pulls, state, self.rest, 1)[1])
        layers = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)
        diverged = f"descent diverged: lr is too large. {STABLE} Halve it"
        layers = raise_if(layers, invalid_values(self.flow) | {diverged: any_nonfinite(layers)})
        return Trajectory(self.flow, self.times, self.networks(layers), self.provenance(self.counts))

    def divergence_error(self, trajectory: Trajectory, ending: Ending) -> IntegrationError:
        """Return the error for a diverged descent, with the steps before and a learning rate to try."""
        losses = np.asarray(trajectory.loss)
        good = 1 + int(np.sum(np.isfinite(losses[1:])))
        # Where the descent has diverged, the curvature is large everywhere; the relevant curvature is that before.
        lowest = trajectory[int(np.argmin(losses[:good]))]
        sharpest = max(_sharpness(self.flow.with_net(net)) for net in (self.flow.net, lowest))
        lr = float(self.rule.lr)
        known = sharpest * lr > 2
        advice = f"λ was {sharpest:.3g} on the way, so try lr below {2 / sharpest:.3g}. " if known else "Halve it. "
        return IntegrationError(
            f"descent diverged before step {self.counts[min(good, len(trajectory) - 1)]}: lr = {lr:g} is too large. "
            f"{STABLE} {advice}"
            "The steps before are in the `trajectory` of this error.",
            trajectory[:good],
            ending,
        )


def _format_duration(seconds: float) -> str:
    """Return a duration as text.

    >>> _format_duration(90.0), _format_duration(4000.0), _format_duration(3e6)
    ('90 s', '67 min', '35 days')
    """
    for size, name, enough in ((1.0, "s", 100), (60.0, "min", 100), (3600.0, "h", 48)):
        if seconds < enough * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds / 86_400:,.0f} days"


def _sharpness(flow: GradientFlow) -> float:
    """Return a lower bound of the largest |eigenvalue| of the field's Jacobian at the start, by power iteration."""
    layers, unravel = ravel_pytree(flow.net.layers)
    vector = jnp.cos(1.0 + jnp.arange(layers.size) ** 2).astype(layers.dtype)
    _, radius = spectral_radius(lambda z: ravel_pytree(flow.vector_field(unravel(z)))[0], layers, vector, 30)
    return float(radius)
