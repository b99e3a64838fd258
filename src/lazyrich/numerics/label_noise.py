"""The flow with label noise, as a stochastic differential equation."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.types import AnyArray, ArrayLike, Layers
from lazyrich._validate.arrays import check_array, check_key, check_positive, check_static_float, check_times
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
from lazyrich.problem import Square
from lazyrich.trajectory import Provenance, Stats, Trajectory


def diffuse(
    flow: GradientFlow,
    times: ArrayLike,
    key: Key[Array, ""],
    *,
    dt: float,
    sigma: ArrayLike = 1.0,
    drift: bool = True,
    max_steps: int = 10**7,
) -> Trajectory:
    r"""Simulate $d\theta_l = -\eta_l\,\partial L/\partial\theta_l\,dt + \eta_l\,\kappa\,\sigma\,J_l^\top dB$ with one
    Brownian motion per label (Itô).

    This is gradient descent with label noise in continuous time (varre2023, appendix D): noise of standard deviation
    s and step size lr give $\sigma = s\sqrt{\text{lr}}$. Without `drift`, and with X = I, it is the pure-noise
    process $dW = dB\,a^\top$, $da = W^\top dB$ of varre2023, equation (4.1). Weight decay adds
    $-\eta_l\lambda_l\theta_l\,dt$ to the drift. It is simulated by the Euler–Maruyama
    method with steps of at most `dt`, whose error in law is of order dt; more than `max_steps` of them raise an error.
    Vectorize over keys with `vmap`.

    >>> from lazyrich import DeepLinear, Problem
    >>> flow = GradientFlow(DeepLinear([jnp.eye(2), jnp.zeros((1, 2))]), Problem(jnp.eye(2), jnp.zeros(2)))
    >>> traj = diffuse(flow, [0.0, 1.0], jax.random.key(0), dt=0.01, drift=False)
    >>> traj.nets.weights[0].shape
    (2, 2, 2)
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"diffuse takes a GradientFlow; found {type(flow).__name__}")
    if not is_concrete(times, dt):
        raise ValueError("diffuse needs a known dt and known times, not traced ones: they set the number of steps")
    if not isinstance(flow.problem.loss, Square):
        raise ValueError(f"label noise is for the square loss; found {type(flow.problem.loss).__name__}")
    if not isinstance(drift, (bool, np.bool_)):
        raise TypeError(f"drift must be True or False; found {drift!r:.60}")
    check_positive("dt", dt)
    dt, max_steps = check_static_float("dt", dt), check_int("max_steps", max_steps)
    sigma, key, saved_at = check_array("sigma", sigma, (0,)), check_key(key), check_times(times)
    grid = np.concatenate([[0.0], np.asarray(times, float).reshape(-1)])
    with np.errstate(over="ignore"):
        counts = np.ceil(np.diff(grid) / dt * (1 - 1e-9))  # a last step that is only rounding is dropped
    if not counts.sum() <= max_steps:
        raise ValueError(
            f"dt = {dt:g} makes {counts.sum():.3g} steps until t = {grid[-1]:g}, more than max_steps = {max_steps:,}: "
            "take a larger dt or less time, or raise max_steps"
        )
    diffusion = _SdeStepper(flow, grid, counts.astype(int), key, sigma, drift, dt)
    if not is_concrete(flow, key, sigma):
        return diffusion.run_traced(saved_at)
    try:
        return drive(diffusion, grid[1:])
    except IntegrationError as error:
        if isinstance(error.ending, NoProgress):
            raise diffusion.overflow_error(error.trajectory, error.ending) from None
        raise


class _SdeStepper(Stepper):
    """Steps from each requested time to the next, in calls of bounded length."""

    def __init__(
        self, flow: GradientFlow, grid: np.ndarray, counts: np.ndarray, key: Array, sigma: Array, drift: bool, dt: float
    ):
        self.flow, self.grid, self.counts, self.key = flow, grid, counts, key
        self.sigma, self.drift, self.dt = sigma, drift, dt
        self.sizes = np.diff(grid) / np.maximum(counts, 1)
        self.layers, self.taken = flow.net.layers, 0  # steps taken since the last requested time
        self.pulse = StepsPerCall()

    def initial_state(self) -> PyTree:
        return self.flow.net.layers

    def advance(self, remaining: np.ndarray, steps_left: int) -> Advance:
        place = len(self.counts) - len(remaining)
        now = min(self.taken + self.pulse.size, int(self.counts[place]))
        with self.pulse.adapt_size():
            self.layers = jax.block_until_ready(self._take_steps(place, self.layers, self.taken, now))
        self.steps += now - self.taken
        self.taken = now
        if now < self.counts[place]:
            return Advance(remaining[:0], None, float(self.grid[place] + now * self.sizes[place]), self.layers)
        self.taken = 0
        return Advance(
            remaining[:1], jax.tree.map(lambda leaf: leaf[None], self.layers), float(remaining[0]), self.layers
        )

    def _take_steps(self, place: int, layers: Layers, first: int, last: int) -> Layers:
        key, size = jax.random.fold_in(self.key, place), jnp.array(self.sizes[place])
        return _euler_maruyama(self.flow, layers, key, jnp.array(first), jnp.array(last), size, self.sigma, self.drift)

    def failure(self, before: float, steps_left: int) -> str:
        return "" if tree_all_finite(self.layers) else "not finite"

    def networks(self, states: PyTree) -> Network:
        return jax.vmap(self.flow.net.with_layers)(states)

    def provenance(self, times: AnyArray) -> Provenance:
        return Provenance("diffused", "Euler–Maruyama", f"dt {self.dt:g}")

    def stats(self, ending: Ending) -> Stats:
        return {}

    def status(self) -> str:
        return f"step {self.steps} of {self.counts.sum()}"

    def run_traced(self, times: Array) -> Trajectory:
        """Run the whole diffusion in one program, inside jit, vmap or grad."""
        layers, saved = self.flow.net.layers, []
        for place, steps in enumerate(self.counts):
            layers = self._take_steps(place, layers, 0, int(steps))
            saved.append(layers)
        layers = jax.tree.map(lambda *leaves: jnp.stack(leaves), *saved)
        burst = f"the diffusion left the range of floating point: take a dt below {self.dt:g}, or less noise"
        nets = self.networks(raise_if(layers, invalid_values(self.flow) | {burst: any_nonfinite(layers)}))
        return Trajectory(self.flow, times, nets, self.provenance(times))

    def overflow_error(self, trajectory: Trajectory, ending: Ending) -> IntegrationError:
        """Return the error for a diffusion that overflowed, with the trajectory before."""
        leaves = jax.tree.leaves(trajectory.nets.layers)
        rows = [np.isfinite(np.asarray(leaf).reshape(len(trajectory), -1)) for leaf in leaves]
        first = int(np.argmin(np.all(np.concatenate(rows, axis=1), axis=1)))
        return IntegrationError(
            f"the diffusion left the range of floating point before t = {self.grid[1 + first]:g}: take a dt below "
            f"{self.dt:g}, or less noise. What came before is in the `trajectory` of this error.",
            trajectory[:first],
            ending,
        )


@eqx.filter_jit
def _euler_maruyama(
    flow: GradientFlow,
    layers: Layers,
    key: Array,
    first: AnyArray,
    last: AnyArray,
    size: AnyArray,
    sigma: Array,
    drift: bool,
) -> Layers:
    X, kappa = flow.problem.X, flow.problem.kappa

    def step(i: Array, layers: Layers) -> Layers:
        net = flow.net.with_layers(layers)
        outputs = net(X)
        push = kappa * sigma * jnp.sqrt(size) * jax.random.normal(jax.random.fold_in(key, i), outputs.shape)
        if drift:
            push = push - size * flow.problem.slope(outputs)
        kicks = zip(flow.rates, net.pullback(X, push), strict=True)
        moves = tuple(jax.tree.map(lambda leaf, rate=rate: rate * leaf, kick) for rate, kick in kicks)
        if drift and flow.decay is not None:
            factors = zip(flow.decay_rates, layers, strict=True)
            layers = tuple(jax.tree.map(lambda leaf, r=r: (1 - size * r) * leaf, layer) for r, layer in factors)
        return jax.tree.map(jnp.add, layers, moves)

    return jax.lax.fori_loop(first, last, step, layers)
