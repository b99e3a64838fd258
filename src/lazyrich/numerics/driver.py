"""The driver of all steppers: it saves states, tests stopping conditions, and keeps what was computed if the run ends
early."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from lazyrich._core.device import to_jax
from lazyrich._io.progress import Progress
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.trajectory import Provenance, Stats, Trajectory

DEFAULT_MAX_STEPS = 100_000
SECONDS_PER_CALL = 0.5  # between two progress updates
ADVICE = "Check the scale of data and weights"
PARTIAL_RESULT = "What was computed so far is in the `trajectory` of this error."


@dataclass(frozen=True)
class Finished:
    """All times are saved, and the condition `missed` has not become true."""

    unmet: StoppingCondition | None

    def __str__(self) -> str:
        return f"the last time came before {self.unmet}" if self.unmet else ""


@dataclass(frozen=True)
class Stopped:
    """The stopping condition became true."""

    condition: StoppingCondition
    t: float

    def __str__(self) -> str:
        return f"{self.condition} at t = {self.t:.6g}"


@dataclass(frozen=True)
class Interrupted:
    """The run was interrupted by Ctrl-C."""

    def __str__(self) -> str:
        return "interrupted"


@dataclass(frozen=True)
class OutOfSteps:
    """The maximal number of steps is used up."""

    def __str__(self) -> str:
        return "incomplete"


@dataclass(frozen=True)
class NoProgress:
    """No further step is possible, because the field is `why`."""

    reason: str

    def __str__(self) -> str:
        return "incomplete"


Ending = Finished | Stopped | Interrupted | OutOfSteps | NoProgress


class IntegrationError(RuntimeError):
    """Integration ended before the last time. `trajectory` contains what was computed, and `ending` how it ended."""

    def __init__(self, message: str, trajectory: Trajectory, ending: Ending):
        super().__init__(message)
        self.trajectory, self.ending = trajectory, ending

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.trajectory, self.ending)  # so that it can be pickled between processes


class Advance(NamedTuple):
    """The result of one call of `Stepper.advance`: stacked states at the requested times it has passed, and the time
    and state reached."""

    times: np.ndarray
    states: PyTree
    t: float
    y: PyTree
    condition_met: bool = False  # whether the stopping condition has become true


class Stepper:
    """A stepping method, from t = 0. `drive` handles everything but the steps themselves."""

    flow: GradientFlow
    steps: int = 0

    def initial_state(self) -> PyTree:
        """Return the state at t = 0."""
        raise NotImplementedError

    def advance(self, remaining: np.ndarray, steps_left: int) -> Advance:
        """Take some steps, at most `steps_left`, towards the times that `remaining` lists."""
        raise NotImplementedError

    def failure(self, before: float, steps_left: int) -> str:
        """Return a description of the field if it stops the run after an advance from `before`, with `steps_left` still
        allowed; else ""."""
        return ""

    def networks(self, states: PyTree) -> Network:
        """Return stacked states as networks."""
        raise NotImplementedError

    def mirror_path(self, states: PyTree) -> Array | None:
        """Return the mirror path in stacked states, if the stepper keeps it."""
        return None

    def provenance(self, times: np.ndarray) -> Provenance:
        raise NotImplementedError

    def stats(self, ending: Ending) -> Stats:
        return {"steps": self.steps, "stopped early": isinstance(ending, Stopped)}

    def status(self) -> str:
        """Return the text of the progress line."""
        raise NotImplementedError

    def out_of_steps_message(self, t: float, end: float) -> str:
        """Return the error message for steps that have run out."""
        raise NotImplementedError


class Recorder:
    """The states saved so far at the requested times."""

    def __init__(self, stepper: Stepper, times: np.ndarray):
        self.stepper, self.times, self.count = stepper, times, 0
        self.t, self.y = 0.0, stepper.initial_state()
        self.saved: list[tuple[np.ndarray, PyTree]] = []

    @property
    def remaining_times(self) -> np.ndarray:
        return self.times[self.count :]

    def save_initial_state(self) -> None:
        """Save the initial state for all times that are 0."""
        zeros = int(np.searchsorted(self.times, 0.0, side="right"))
        states = jax.tree.map(lambda leaf: np.repeat(np.asarray(leaf)[None], zeros, axis=0), self.y)
        self.save(Advance(self.times[:zeros], states, 0.0, self.y))

    def save(self, advance: Advance) -> None:
        # Ctrl-C may come between any two lines, so states are saved first: no time is passed without being saved.
        if len(advance.times):
            self.saved.append((advance.times, advance.states))
        self.t, self.y = advance.t, advance.y
        self.count += len(advance.times)

    def trajectory(self, ending: Ending) -> Trajectory:
        """Return everything saved and, after an early end, the last state."""
        saved = list(self.saved)
        if not saved or (not isinstance(ending, Finished) and self.t > saved[-1][0][-1]):
            saved.append((np.asarray([self.t]), jax.tree.map(lambda leaf: np.asarray(leaf)[None], self.y)))
        times = np.concatenate([part for part, _ in saved])
        states = jax.tree.map(lambda *parts: np.concatenate(parts), *[part for _, part in saved])
        stepper, words = self.stepper, str(ending)
        nets, by, stats = stepper.networks(states), stepper.provenance(times), stepper.stats(ending)
        return Trajectory(stepper.flow, to_jax(times), nets, by, words, stats, mirror_path=stepper.mirror_path(states))


def drive(
    stepper: Stepper,
    times: np.ndarray,
    *,
    until: StoppingCondition | None = None,
    max_steps: int | None = None,
    progress: bool | None = None,
) -> Trajectory:
    """Return the trajectory at these times, or until the condition holds. Every other end raises `IntegrationError`."""
    record = Recorder(stepper, times)
    try:
        with Progress(progress) as line:
            ending = _step_to_end(stepper, record, until, sys.maxsize if max_steps is None else max_steps, line)
        trajectory = record.trajectory(ending)
    except KeyboardInterrupt:
        ending = Interrupted()
        trajectory = record.trajectory(ending)
    match ending:
        case Finished() | Stopped():
            return trajectory
        case Interrupted():
            message = f"interrupted at t = {record.t:.6g}"
        case NoProgress(why):
            message = (
                f"the flow cannot be followed past t = {record.t:.6g}: the field is {why}. {ADVICE}. {PARTIAL_RESULT}"
            )
        case OutOfSteps():
            message = f"{stepper.out_of_steps_message(record.t, float(times[-1]))}. {PARTIAL_RESULT}"
    raise IntegrationError(message, trajectory, ending)


_condition_holds = eqx.filter_jit(lambda until, flow: until.holds(flow, flow.net))


def _step_to_end(
    stepper: Stepper, record: Recorder, until: StoppingCondition | None, max_steps: int, line: Progress
) -> Ending:
    if until is not None and bool(_condition_holds(until, stepper.flow)):
        return Stopped(until, 0.0)
    record.save_initial_state()
    while len(record.remaining_times):
        before = record.t
        advance = stepper.advance(record.remaining_times, max_steps - stepper.steps)
        record.save(advance)
        line.update(stepper.status)
        if advance.condition_met:
            assert until is not None
            return Stopped(until, advance.t)
        steps_left = max_steps - stepper.steps
        if why := stepper.failure(before, steps_left):
            return NoProgress(why)
        if steps_left <= 0 and len(record.remaining_times):
            return OutOfSteps()
    return Finished(until)


class StepsPerCall:
    """The number of steps in one compiled call, such that progress is shown and Ctrl-C is handled in time."""

    def __init__(self) -> None:
        self.size = 1000

    @contextmanager
    def adapt_size(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.size = 2 * self.size if time.monotonic() - began < SECONDS_PER_CALL / 2 else self.size


def tree_all_finite(tree: PyTree) -> bool:
    """Return whether every number is finite."""
    return all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(tree))
