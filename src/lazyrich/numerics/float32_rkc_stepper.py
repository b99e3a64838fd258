"""A flow to a stated tolerance in few compiled calls, for thousands of networks.

The solver is that of `rkc`, made cheaper: loss and gradient are computed in one pass, the error of each layer is
measured relative to that layer's own movement, single precision is used until rounding shows in the loss, and there is
no dense output.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int

from lazyrich._core.types import ArrayLike, Layers
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.numerics.driver import Advance, Ending, Stepper
from lazyrich.numerics.precision import tree_cast
from lazyrich.numerics.rkc import chebyshev_recursion, n_stages, spectral_radius
from lazyrich.numerics.stopping import LossBelow, StoppingCondition
from lazyrich.trajectory import Provenance, Stats

CHUNK_STEPS = 512  # steps per compiled call
STEPS_BETWEEN_RADIUS_ESTIMATES = 25
FIRST_POWER_ITERATIONS, POWER_ITERATIONS = 12, 3  # of the power iteration, for the first and for later estimates
SAFETY = 0.8
RELATIVE_NORM_FLOOR = (
    1e-3  # relative to a layer's norm: an error below this times rtol is accepted, however little the layer has moved
)
MIN_FLOAT32_RELATIVE_LOSS = (
    1e-9  # relative to the first loss: below this, rounding of the gradient in float32 slows down the steps
)
# Rounding errors grow like stages² × ε inside a step.
MAX_STAGES = {"float32": 100, "float64": 1000}


class RkcState(eqx.Module):
    """The state of the solver: everything that the next step needs."""

    t: Float[Array, ""]
    h: Float[Array, ""]
    y: Float[Array, " p"]
    velocity: Float[Array, " p"]
    loss: Float[Array, ""]
    vector: Float[Array, " p"]
    rho: Float[Array, ""]
    age: Int[Array, ""]
    steps: Int[Array, ""]
    gradients: Int[Array, ""]


def _velocity_and_loss(flow: GradientFlow, y: Array) -> tuple[Array, Array]:
    """Return velocity and loss in one pass, in the flow's precision: two products with X and no third for the masks."""
    flat, unravel = ravel_pytree(flow.net.layers)
    net = flow.net.with_layers(unravel(y.astype(flat.dtype)))
    f = net(flow.problem.X)
    slopes = net.pullback(flow.problem.X, flow.problem.slope(f))  # shares its first product with f when compiled
    push = tuple(jax.tree.map(lambda g, r=r: -r * g, s) for r, s in zip(flow.rates, slopes, strict=True))
    if flow.decay is not None:
        shrunk = zip(push, flow.decay_rates, net.layers, strict=True)
        push = tuple(jax.tree.map(lambda p, leaf, r=r: p - r * leaf, s, layer) for s, r, layer in shrunk)
    return ravel_pytree(push)[0].astype(float), flow.problem.value(f).astype(float)


@eqx.filter_jit
def initial_rkc_state(flow: GradientFlow) -> RkcState:
    """Return the state at time 0."""
    y = ravel_pytree(flow.net.layers)[0].astype(float)
    push, loss = _velocity_and_loss(flow, y)
    vector = push + jnp.where(jnp.any(push != 0), 0.0, jnp.sin(1.0 + jnp.arange(y.size) ** 2))
    zero = jnp.zeros((), float)
    return RkcState(
        zero,
        zero,
        y,
        push,
        loss,
        vector / jnp.linalg.norm(vector),
        zero,
        jnp.array(STEPS_BETWEEN_RADIUS_ESTIMATES),
        jnp.array(0),
        jnp.array(1),
    )


def _layer_rms(layers: Layers) -> Array:
    """Return the root mean square of each layer."""
    return jnp.stack([jnp.sqrt(jnp.mean(leaf**2)) for leaf in jax.tree.leaves(layers)])


@eqx.filter_jit
def advance(flow: GradientFlow, state: RkcState, end: Array, stop: Array, rtol: Array, budget: Array) -> RkcState:
    """Integrate from a state to the time `end`, a loss of at most `stop`, or `budget` more steps, whichever comes
    first."""
    start, unravel = ravel_pytree(tree_cast(flow.net.layers, float))
    most = MAX_STAGES[jax.tree.leaves(flow.net.layers)[0].dtype.name]

    def field(y: Array) -> Array:
        return _velocity_and_loss(flow, y)[0]

    def step(state: RkcState) -> RkcState:
        due = state.age >= STEPS_BETWEEN_RADIUS_ESTIMATES
        rounds = jnp.where(due, jnp.where(state.rho == 0, FIRST_POWER_ITERATIONS, POWER_ITERATIONS), 0)
        vector, rho = jax.lax.cond(
            due, lambda: spectral_radius(field, state.y, state.vector, rounds), lambda: (state.vector, state.rho)
        )
        age = jnp.where(due, 0, state.age)
        h = jnp.where(state.h == 0, 1 / jnp.maximum(rho, 1e-300), state.h)
        h = jnp.minimum(h, 0.5 * most**2 / jnp.maximum(1.2 * rho, 1e-300))
        # Avoid a tiny last step.
        remaining = end - state.t
        h = jnp.where(h >= remaining, remaining, jnp.where(2 * h > remaining, remaining / 2, h))
        stages = n_stages(h, rho, most)
        y = chebyshev_recursion(lambda _, y: field(y), state.y, state.velocity, h, stages, kind="lax")
        push, loss = _velocity_and_loss(flow, y)
        error = 0.8 * (state.y - y) + 0.4 * h * (state.velocity + push)
        moved = jnp.maximum(*(_layer_rms(unravel(v - start)) for v in (state.y, y)))
        size = _layer_rms(unravel(y))
        if flow.decay is not None:  # which moves a large layer by more than what is left of it
            moved = jnp.minimum(moved, size)
        unit = moved + RELATIVE_NORM_FLOOR * size
        excess = jnp.max(_layer_rms(unravel(error)) / (rtol * jnp.where(unit > 0, unit, 1.0)))
        good = jnp.isfinite(excess) & jnp.isfinite(loss) & (excess <= 1)
        factor = jnp.where(jnp.isfinite(excess), SAFETY * jnp.maximum(excess, 1e-6) ** (-1 / 3), 0.1)
        factor = jnp.clip(factor, 0.1, jnp.where(good, 5.0, 0.7))
        pick = lambda new, old: jnp.where(good, new, old)  # noqa: E731
        return RkcState(
            pick(jnp.where(h == remaining, end, state.t + h), state.t),
            h * factor,
            pick(y, state.y),
            pick(push, state.velocity),
            pick(loss, state.loss),
            vector,
            rho,
            jnp.where(good, age + 1, STEPS_BETWEEN_RADIUS_ESTIMATES),
            state.steps + 1,
            state.gradients + stages.astype(int) + rounds + rounds // 2,
        )

    last = state.steps + budget

    def going(state: RkcState) -> Array:
        return (state.t < end) & (state.loss > stop) & (state.steps < last)

    return jax.lax.while_loop(going, step, state)


@eqx.filter_jit
def float32_loss_noise(flow: GradientFlow) -> Array:
    """Return a bound on the loss due to rounding in single precision; below it, float32 is too inaccurate."""
    net = flow.net.with_layers(jax.tree.map(jnp.abs, flow.net.layers))
    outputs = net(jnp.abs(flow.problem.X)) + jnp.abs(flow.problem.y)
    return flow.problem.kappa * jnp.sum((jnp.finfo(jnp.float32).eps / 2 * outputs) ** 2)


def _as_arrays(*values: ArrayLike) -> list[Array]:
    """Convert values to arrays, so that another value does not trigger another compilation."""
    return [jnp.asarray(value) for value in values]


class Float32RkcStepper(Stepper):
    """One flow from t = 0: in single precision first, and in double once rounding shows in the loss."""

    def __init__(self, flow: GradientFlow, end: float, until: StoppingCondition | None, rtol: float):
        if until is not None and not isinstance(until, LossBelow):
            raise ValueError(f"precision='single' stops at LossBelow(...) only; found {until!r}")
        self.flow, self.end, self.rtol = flow, end, rtol
        self.stop = -1.0 if until is None else float(until.value)  # a loss may be exactly 0
        self.rough = tree_cast(flow, jnp.float32)
        self.state = initial_rkc_state(self.rough)
        self.switch_at = max(float(float32_loss_noise(flow)), MIN_FLOAT32_RELATIVE_LOSS * float(self.state.loss))
        self.changed_at: float | None = None

    def initial_state(self) -> Array:
        return self.state.y

    def advance(self, remaining: np.ndarray, steps_left: int) -> Advance:
        """Advance to the next time, to the stopping loss, or by some steps."""
        end = float(remaining[0])
        self._advance(end, min(steps_left, CHUNK_STEPS))
        self.steps = int(self.state.steps)
        y = self.state.y
        if self.stop >= 0 and self._loss() <= self.stop:
            return Advance(remaining[:0], None, self._t(), y, condition_met=True)
        here = remaining[: int(self._t() >= end)]
        return Advance(here, jnp.broadcast_to(y, (len(here), *y.shape)), self._t(), y)

    def _advance(self, end: float, budget: int) -> None:
        first = int(self.state.steps)
        if self.changed_at is None:
            switch = max(self.stop, self.switch_at)
            self.state = advance(self.rough, self.state, *_as_arrays(end, switch, self.rtol, budget))
            if self._loss() > switch or self._t() >= end:
                return
            self.changed_at = self._t()
            fresh = initial_rkc_state(self.flow.with_net(self._net(self.state.y)))
            self.state = eqx.tree_at(lambda s: (s.velocity, s.loss), self.state, (fresh.velocity, fresh.loss))
        steps_left = budget - (int(self.state.steps) - first)
        self.state = advance(self.flow, self.state, *_as_arrays(end, self.stop, self.rtol, steps_left))

    def failure(self, before: float, steps_left: int) -> str:
        return "" if np.isfinite(self._loss()) else "not finite"

    def _t(self) -> float:
        return float(self.state.t)

    def _loss(self) -> float:
        return float(self.state.loss)

    def _net(self, y: Array) -> Network:
        """Return the network in double precision."""
        return self.flow.net.with_layers(ravel_pytree(self.flow.net.layers)[1](y))

    def networks(self, states: Array) -> Network:
        return jax.vmap(self._net)(states)

    def provenance(self, times: np.ndarray) -> Provenance:
        detail = f"rtol {self.rtol:g}, {int(self.state.gradients)} gradients"
        if self.changed_at is not None:
            detail += f", in float64 from t = {self.changed_at:.3g}"
        return Provenance("integrated", "RKC in float32", detail)

    def stats(self, ending: Ending) -> Stats:
        return super().stats(ending) | {"gradients": int(self.state.gradients)}

    def status(self) -> str:
        return f"t = {self._t():.4g} of {self.end:g}, loss {self._loss():.3g}"

    def out_of_steps_message(self, t: float, end: float) -> str:
        return (
            f"stopped after {self.steps} steps at t = {t:.6g} of {end:g}, loss {self._loss():.3g}. Raise max_steps or "
            "rtol, or ask for less time"
        )
