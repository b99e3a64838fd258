"""Discrete algorithms: gradient descent, minibatches, momentum, label noise."""

import math
import time
from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Key, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.types import AnyArray, ArrayLike, Layers
from lazyrich._validate.arrays import check_array, check_key, check_static_float, is_double_precision
from lazyrich._validate.integers import check_int
from lazyrich._validate.numbers import check_flag
from lazyrich.flow import GradientFlow, invalid_values
from lazyrich.networks import Diagonal, Network
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
from lazyrich.numerics.flow_time import Schedule, elapsed_times, learning_rates, tabulate
from lazyrich.numerics.mirror_path import has_mirror_path, initial_mirror, mirror_gradient, mirror_rate
from lazyrich.numerics.optimizers import SGD, Optimizer, check_optimizer_on
from lazyrich.numerics.precision import tree_cast
from lazyrich.numerics.rkc import spectral_radius
from lazyrich.population import Population
from lazyrich.problem import Problem, Square
from lazyrich.trajectory import Provenance, Stats, Trajectory

SAVES_PER_CALL = 256
MAX_SAVED_NUMBERS = 10**9  # 8 GB
MAX_STEPS_PER_CALL = 100_000


class _StepRule(eqx.Module):
    """One step of descent: the gradient on a batch, the optimizer's direction, and the rates of the layers."""

    optimizer: Optimizer
    lr: Array  # one number, or one per step
    rates: tuple[Array, ...]
    decay: tuple[Array, ...] | None
    label_noise: Array  # one number, or one per step
    key: Key[Array, ""] | None
    batch: int | None = eqx.field(static=True)
    has_label_noise: bool = eqx.field(static=True)
    decoupled: bool = eqx.field(static=True)

    def start(self, flow: GradientFlow, has_mirror: bool) -> PyTree:
        """Return the state before the first step: its number, the network's layers with the mirror path as a further
        one if it is kept, and the optimizer's memory."""
        moving = (*flow.net.layers, initial_mirror(flow.net)) if has_mirror else flow.net.layers
        return jnp.array(0), moving, self.optimizer.init(moving)

    def problem_at(self, problem: Problem, step: Array) -> Problem:
        """Return the problem of one step: a batch, of a population a fresh one, with label noise."""
        if self.key is None:
            return problem
        pick, shake = jax.random.split(jax.random.fold_in(self.key, step))
        if isinstance(problem, Population):
            assert self.batch is not None, "checked when the rule is made"
            problem = problem.sample(pick, self.batch)
        if self.has_label_noise:
            size = self.label_noise[step] if self.label_noise.ndim else self.label_noise
            noise = (size * jax.random.normal(shake, problem.y.shape)).astype(problem.y.dtype)
            problem = eqx.tree_at(lambda p: p.y, problem, problem.y + noise)
        if self.batch is not None and self.batch < problem.n:
            rows = jax.random.choice(pick, problem.n, (self.batch,), replace=False)
            kappa = problem.kappa * problem.n / self.batch  # keeps the gradient unbiased
            parts = (problem.X[rows], problem.y[rows], kappa)
            problem = eqx.tree_at(lambda p: (p.X, p.y, p.kappa), problem, parts)
        return problem

    def gradient(self, flow: GradientFlow, moving: Layers, step: Array) -> Layers:
        """Return the gradient of all that moves: the layers and, if it is kept, the mirror path."""
        net = flow.net
        layers, mirror = moving[: len(net.layers)], moving[len(net.layers) :]
        problem = self.problem_at(flow.problem, step)
        if not problem.has_samples:
            return problem.gradient_of(net.with_layers(tree_cast(layers, problem.kappa.dtype)))
        net = net.with_layers(tree_cast(layers, problem.X.dtype))
        slope = problem.slope(net(problem.X))
        if not mirror:
            return net.pullback(problem.X, slope)
        assert isinstance(net, Diagonal)
        G = (slope.T @ problem.X).T
        return (*net.beta_pullback(G), mirror_gradient(mirror[0], G))

    def step(self, flow: GradientFlow, state: PyTree) -> PyTree:
        count, moving, memory = state
        gradient = self.gradient(flow, moving, count)
        if self.decay is not None and not self.decoupled:
            gradient = _combine(lambda decay, g, leaf: g + decay * leaf, self.decay, gradient, moving)
        direction, memory = self.optimizer.direction(gradient, memory, count + 1)
        lr = self.lr[count] if self.lr.ndim else self.lr
        if self.decay is not None and self.decoupled:
            shrunk = tuple(1 - lr * rate * decay for rate, decay in zip(self.rates, self.decay, strict=True))
            moving = _combine(lambda factor, leaf: factor * leaf, shrunk, moving)
        rates = self.rates if len(moving) == len(self.rates) else (*self.rates, mirror_rate(self.rates))
        paces = tuple(lr * rate for rate in rates)
        moved = _combine(lambda pace, leaf, ahead: leaf - pace * ahead, paces, moving, direction)
        return count + 1, moved, memory


def _combine(formula: Callable[..., Array], numbers: tuple[Array, ...], *layers: Layers) -> Layers:
    """Return formula(number, leaf, …) for every leaf of every layer, with one number per layer."""
    return tuple(
        jax.tree.map(partial(formula, number), *parts) for number, *parts in zip(numbers, *layers, strict=True)
    )


@eqx.filter_jit
def _advance(rule: _StepRule, flow: GradientFlow, state: PyTree, every: AnyArray, saves: int) -> tuple[PyTree, PyTree]:
    """Take `every` steps, `saves` times; return the state, and all that moves at each save."""

    def save(state: PyTree, _: None) -> tuple[PyTree, PyTree]:
        state = jax.lax.fori_loop(0, every, lambda _, s: rule.step(flow, s), state)
        return state, state[1]

    return jax.lax.scan(save, state, None, length=saves)


def descend(
    flow: GradientFlow,
    steps: int,
    lr: Schedule,
    *,
    every: int | None = None,
    momentum: ArrayLike = 0.0,
    nesterov: bool = False,
    optimizer: Optimizer | None = None,
    decoupled: bool = False,
    batch: int | None = None,
    label_noise: Schedule = 0.0,
    key: Key[Array, ""] | None = None,
    precision: str = "double",
    progress: bool | None = None,
) -> Trajectory:
    r"""Run gradient descent $\theta_l \leftarrow \theta_l - \text{lr}\,\eta_l\,(\partial L/\partial\theta_l +
    \lambda_l\theta_l)$, and its usual variants.

    - `lr`: a number, one number per step, or a function of the step (from 0).
    - `every`: save every so many steps (default: about 200 saves); the start and the last step are always saved.
    - `momentum` m: heavy ball, $v \leftarrow mv + \partial L$, $\theta \leftarrow \theta - \text{lr}\,\eta\,v$; with
      `nesterov` $\theta \leftarrow \theta - \text{lr}\,\eta\,(\partial L + mv)$.
    - `optimizer`: `Adam(b1, b2, eps)`, or an `Optimizer` of your own.
    - `decoupled`: with weight decay, whether it acts on the weights directly, $\theta \leftarrow (1 -
      \text{lr}\,\eta\lambda)\theta$ (AdamW), and not through the gradient. Momentum then does not accelerate it.
    - `batch`: the number of samples drawn without replacement at each step; the gradient is rescaled to be unbiased.
      On a `Population` they are fresh inputs: online SGD (`online_flow` is its limit in many dimensions).
    - `label_noise` σ: fresh $N(0, \sigma^2)$ on every label at each step (square loss); σ may be a schedule, like `lr`.
    - `precision`: "single" computes the gradients in float32, twice as fast on large problems; the parameters stay in
      float64, so that small steps are not lost.

    `progress` shows a line on the terminal with the remaining time, by default if it takes more than two seconds.
    Ctrl-C raises `IntegrationError`, which contains the saves so far and the step reached.

    The trajectory's times are flow times, $t = \text{lr} \cdot \text{steps} / (1 - m)$, with a schedule the sum of the
    learning rates over $1 - m$; `flow_gap` measures the difference from the flow. Adam follows no gradient flow: its
    times are sums of learning rates. `equivalent_flow` returns the flow that ends where the run of a diagonal network
    ends. With a `key` traced by `vmap` it runs many seeds at once.

    >>> from lazyrich import Adam, Problem, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0]), Problem(jnp.eye(2), [1.0, 2.0]))
    >>> traj = descend(flow, steps=1000, lr=0.02)
    >>> jnp.round(traj.beta[-1], 4), float(traj.times[-1])
    (Array([1., 2.], dtype=float64), 20.0)
    >>> descend(flow, 500, lr=lambda step: 0.1 / (1 + step) ** 0.5, optimizer=Adam()).beta[-1].round(3)
    Array([1., 2.], dtype=float64)
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"descend takes a GradientFlow; found {type(flow).__name__}")
    steps = check_int("steps", steps)
    every = max(1, steps // 200) if every is None else min(check_int("every", every), steps)
    optimizer = _choose_optimizer(optimizer, momentum, nesterov)
    if check_flag("decoupled", decoupled) and flow.decay is None:
        raise ValueError("decoupled=True is about weight decay, and this flow has none: GradientFlow(..., decay=...)")
    noise = tabulate("label_noise", label_noise, steps)
    rule = _make_step_rule(flow, optimizer, decoupled, learning_rates(lr, steps), batch, noise, key)
    double = is_double_precision(precision)
    _check_memory(flow, steps, every)
    check_optimizer_on(flow.net.layers, optimizer)
    descent = _DescentStepper(flow, rule, double, steps, every)
    if not is_concrete(flow, rule):
        return descent.run_traced()
    try:
        return drive(descent, np.asarray(descent.times), progress=progress)
    except IntegrationError as error:
        if isinstance(error.ending, NoProgress):
            raise descent.divergence_error(error.trajectory, error.ending) from None
        raise


def _choose_optimizer(optimizer: Optimizer | None, momentum: ArrayLike, nesterov: bool) -> Optimizer:
    """Return the optimizer; `momentum` and `nesterov` are those of SGD."""
    sgd = SGD(momentum, nesterov)
    if optimizer is None:
        return sgd
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"optimizer must be a lazyrich Optimizer, Adam() for instance; found {optimizer!r:.60}")
    if nesterov or not is_concrete(momentum) or momentum != 0:
        raise ValueError(
            f"momentum and nesterov are for gradient descent; found them beside optimizer={type(optimizer).__name__}. "
            "Give the optimizer its own settings, SGD(momentum, nesterov) or Adam(b1, b2)"
        )
    return optimizer


def _make_step_rule(
    flow: GradientFlow,
    optimizer: Optimizer,
    decoupled: bool,
    lr: Array,
    batch: int | None,
    label_noise: ArrayLike,
    key: Array | None,
) -> _StepRule:
    """Check the options of a step, and return the step rule."""
    if np.ndim(label_noise):
        noisy, label_noise = True, check_array("label_noise", label_noise, (1,))
    else:
        noisy = not (is_concrete(label_noise) and check_static_float("label_noise", label_noise) == 0)
        label_noise = check_array("label_noise", label_noise, (0,))
    online = not flow.problem.has_samples
    batch = None if batch is None else check_int("batch", batch, most=math.inf if online else flow.problem.n)
    if noisy and batch is None and online:
        raise ValueError("label noise on infinite data needs samples: pass batch=1, or more fresh inputs at each step")
    random = noisy or batch is not None
    if random:
        if key is None:
            raise ValueError("minibatches and label noise are random: pass key=jax.random.key(seed)")
        check_key(key)
    if noisy and not isinstance(flow.problem.loss, Square):
        raise ValueError(f"label noise is for the square loss; found {type(flow.problem.loss).__name__}")
    key = key if random else None
    return _StepRule(optimizer, lr, flow.rates, flow.decay, label_noise, key, batch, noisy, decoupled)


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
        self.state = rule.start(flow, double and has_mirror_path(flow, rule.optimizer))
        self.saves, self.rest = divmod(total, every)
        counts = every * np.arange(self.saves + 1)
        self.counts = np.append(counts, total) if self.rest else counts
        self.clock = elapsed_times(rule.lr) if rule.lr.ndim else None
        self.times = self.time_after(self.counts)
        self.pulse = StepsPerCall()
        self.began = time.monotonic()

    def time_after(self, steps: ArrayLike) -> Array:
        """Return the flow time after a number of steps."""
        elapsed = jnp.asarray(steps) * self.rule.lr if self.clock is None else self.clock[jnp.asarray(steps)]
        return elapsed * self.rule.optimizer.gain

    def initial_state(self) -> PyTree:
        return self.state[1]

    def advance(self, remaining: np.ndarray, steps_left: int) -> Advance:
        place = len(self.counts) - len(remaining)  # index of the next count to be saved
        done = place - 1
        # A schedule that begins with zeros passes several saves at time 0 before the first step.
        in_step = self.steps == self.counts[done]
        if in_step and done + SAVES_PER_CALL <= self.saves and self.every * SAVES_PER_CALL <= MAX_STEPS_PER_CALL:
            saved = self._take_steps(self.every, SAVES_PER_CALL)
            passed = SAVES_PER_CALL
        else:
            with self.pulse.adapt_size():
                saved = self._take_steps(min(self.pulse.size, int(self.counts[place]) - self.steps), 1)
                jax.block_until_ready(saved)
            passed = int(self.steps == self.counts[place])
        t = float(self.time_after(self.steps))
        states = jax.tree.map(lambda leaf: leaf[:passed], saved)
        return Advance(remaining[:passed], states, float(remaining[passed - 1]) if passed else t, self.state[1])

    def _take_steps(self, every: int, saves: int) -> PyTree:
        self.state, saved = _advance(self.rule, self.pulls, self.state, jnp.array(every), saves)
        self.steps += every * saves
        return saved

    def failure(self, before: float, steps_left: int) -> str:
        return "" if tree_all_finite(self.layers_of(self.state[1])) else "not finite"

    def layers_of(self, moving: Layers) -> Layers:
        return moving[: len(self.flow.net.layers)]

    def networks(self, states: PyTree) -> Network:
        return jax.vmap(self.flow.net.with_layers)(self.layers_of(states))

    def mirror_path(self, states: PyTree) -> Array | None:
        path = states[len(self.flow.net.layers) :]
        return path[0] if path else None

    def provenance(self, times: np.ndarray) -> Provenance:
        rule, optimizer = self.rule, self.rule.optimizer
        accelerated = not is_concrete(optimizer.gain) or optimizer.gain != 1
        decay = "" if rule.decay is None else "decoupled weight decay" if rule.decoupled else "weight decay"
        # Momentum does not accelerate decoupled decay: small steps then follow another flow, and the method says so.
        apart = f" with {decay}" if rule.decoupled and accelerated else ""
        notes = [
            _format_rates(rule.lr),
            f"{self.total} steps" if self.steps in (0, self.total) else f"{self.steps} of {self.total} steps",
            optimizer.detail,
            "" if apart else decay,
            f"batches of {rule.batch}" if rule.batch else "",
            "label noise" if rule.has_label_noise else "",
            "" if self.double else "gradients in float32",
        ]
        return Provenance("descended", optimizer.method + apart, ", ".join(filter(None, notes)))

    def stats(self, ending: Ending) -> Stats:
        return {}

    def status(self) -> str:
        seconds_left = (time.monotonic() - self.began) * (self.total / self.steps - 1)
        return f"step {self.steps} of {self.total} ({_format_duration(seconds_left)} to go)"

    def run_traced(self) -> Trajectory:
        """Run the whole descent in one program, inside jit, vmap or grad."""
        start = jax.tree.map(lambda leaf: leaf[None], self.initial_state())
        state, saved = _advance(self.rule, self.pulls, self.state, self.every, self.saves)
        parts = [start, saved]
        if self.rest:
            parts.append(_advance(self.rule, self.pulls, state, self.rest, 1)[1])
        states = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)
        diverged = f"descent diverged: lr is too large. {self.rule.optimizer.stability} Halve it"
        bad = any_nonfinite(self.layers_of(states))
        states = raise_if(states, invalid_values(self.flow) | {diverged: bad})
        nets, by = self.networks(states), self.provenance(self.counts)
        return Trajectory(self.flow, self.times, nets, by, mirror_path=self.mirror_path(states))

    def divergence_error(self, trajectory: Trajectory, ending: Ending) -> IntegrationError:
        """Return the error for a diverged descent, with the steps before and a learning rate to try."""
        losses = np.asarray(trajectory.loss)
        good = 1 + int(np.sum(np.isfinite(losses[1:])))
        # Where the descent has diverged, the curvature is large everywhere; the relevant curvature is that before.
        lowest = trajectory[int(np.argmin(losses[:good]))]
        advice, edge = "Halve it. ", self.rule.optimizer.edge
        lr = float(jnp.max(self.rule.lr))
        if edge is not None:
            sharpest = max(_sharpness(self.flow.with_net(net)) for net in (self.flow.net, lowest))
            if sharpest * lr > float(edge):
                advice = f"λ was {sharpest:.3g} on the way, so try lr below {float(edge) / sharpest:.3g}. "
        schedule = ", the largest of the schedule," if self.rule.lr.ndim else ""
        return IntegrationError(
            f"descent diverged before step {self.counts[min(good, len(trajectory) - 1)]}: lr = {lr:g}{schedule} is too "
            f"large. {self.rule.optimizer.stability} {advice}"
            "The steps before are in the `trajectory` of this error.",
            trajectory[:good],
            ending,
        )


def _format_rates(lr: Array) -> str:
    """Return the learning rate, or the first and last of a schedule, as text."""
    if not is_concrete(lr):
        return "lr traced"
    return f"lr {float(lr[0]):g} … {float(lr[-1]):g}" if lr.ndim else f"lr {float(lr):g}"


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
