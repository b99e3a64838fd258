"""The one driver of every way of stepping: what is saved, when it stops, and what is kept if it ends early."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.device import to_jax
from lazyrich._io.progress import Progress
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.trajectory import Provenance, Trajectory

DEFAULT_MAX_STEPS = 100_000
SECONDS_PER_CALL = 0.5  # seconds of work between two looks at how it goes
ADVICE = "Check the scale of data and weights"
PARTIAL_RESULT = "What was computed so far is in the `trajectory` of this error."


@dataclass(frozen=True)
class Finished:
    """Every time is saved, and `missed` has not come true."""

    missed: StoppingCondition | None

    def __str__(self) -> str:
        return f"the last time came before {self.missed}" if self.missed else ""


@dataclass(frozen=True)
class Stopped:
    """The condition came true."""

    reason: StoppingCondition
    t: float

    def __str__(self) -> str:
        return f"{self.reason} at t = {self.t:.6g}"


@dataclass(frozen=True)
class Interrupted:
    """Ctrl-C."""

    def __str__(self) -> str:
        return "interrupted"


@dataclass(frozen=True)
class OutOfSteps:
    """The steps that were allowed are used up."""

    def __str__(self) -> str:
        return "incomplete"


@dataclass(frozen=True)
class NoProgress:
    """No step leads on: the field is `why`."""

    why: str

    def __str__(self) -> str:
        return "incomplete"


Ending = Finished | Stopped | Interrupted | OutOfSteps | NoProgress


class IntegrationError(RuntimeError):
    """Integration ended before the last time. What was computed is in `trajectory`, how it ended in `ending`."""

    def __init__(self, message: str, trajectory: Trajectory, ending: Ending):
        super().__init__(message)
        self.trajectory, self.ending = trajectory, ending

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.trajectory, self.ending)  # so that it comes back from another process


class Advance(NamedTuple):
    """What one advance adds: states at the asked times it has passed, stacked, and where it has come to."""

    times: np.ndarray
    states: PyTree
    t: float
    y: PyTree
    holds: bool = False  # has the condition to stop come true?


class Stepper:
    """A way of stepping, from t = 0. Everything but the steps themselves is the business of `drive`."""

    flow: GradientFlow
    steps: int = 0

    def start(self) -> PyTree:
        """Return the state at t = 0."""
        raise NotImplementedError

    def advance(self, wanted: np.ndarray, left: int) -> Advance:
        """Some steps, at most `left`, towards the times that are still `wanted`."""
        raise NotImplementedError

    def obstacle(self, before: float, left: int) -> str:
        """What is wrong with the field, if it cannot go on after an advance from `before` that left so many steps."""
        return ""

    def nets(self, states: PyTree) -> Network:
        """Stacked states as networks."""
        raise NotImplementedError

    def by(self, times: np.ndarray) -> Provenance:
        raise NotImplementedError

    def stats(self, ending: Ending) -> dict[str, Any]:
        return {"steps": self.steps, "stopped early": isinstance(ending, Stopped)}

    def status(self) -> str:
        """For the line of progress."""
        raise NotImplementedError

    def exhausted(self, t: float, end: float) -> str:
        """What to say when the steps have run out."""
        raise NotImplementedError


class Recorder:
    """The states at the times asked for, so far."""

    def __init__(self, way: Stepper, times: np.ndarray):
        self.way, self.times, self.count = way, times, 0
        self.t, self.y = 0.0, way.start()
        self.saved: list[tuple[np.ndarray, PyTree]] = []

    @property
    def wanted(self) -> np.ndarray:
        return self.times[self.count :]

    def begin(self) -> None:
        """The times that are 0."""
        zeros = int(np.searchsorted(self.times, 0.0, side="right"))
        states = jax.tree.map(lambda leaf: np.repeat(np.asarray(leaf)[None], zeros, axis=0), self.y)
        self.add(Advance(self.times[:zeros], states, 0.0, self.y))

    def add(self, stretch: Advance) -> None:
        # Ctrl-C may come between any two lines. What is saved goes first: no time is passed without being saved.
        if len(stretch.times):
            self.saved.append((stretch.times, stretch.states))
        self.t, self.y = stretch.t, stretch.y
        self.count += len(stretch.times)

    def trajectory(self, ending: Ending) -> Trajectory:
        """Return all that was saved and, after an early end, the last state."""
        saved = list(self.saved)
        if not saved or (not isinstance(ending, Finished) and self.t > saved[-1][0][-1]):
            saved.append((np.asarray([self.t]), jax.tree.map(lambda leaf: np.asarray(leaf)[None], self.y)))
        times = np.concatenate([part for part, _ in saved])
        states = jax.tree.map(lambda *parts: np.concatenate(parts), *[part for _, part in saved])
        way, words = self.way, str(ending)
        return Trajectory(way.flow, to_jax(times), way.nets(states), way.by(times), words, way.stats(ending))


def drive(
    way: Stepper,
    times: np.ndarray,
    *,
    until: StoppingCondition | None = None,
    max_steps: int | None = None,
    progress: bool | None = None,
) -> Trajectory:
    """Return the trajectory at these times, or until the condition holds. Any other end is an `IntegrationError`."""
    record = Recorder(way, times)
    try:
        with Progress(progress) as line:
            ending = _step_to_end(way, record, until, sys.maxsize if max_steps is None else max_steps, line)
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
            message = f"{way.exhausted(record.t, float(times[-1]))}. {PARTIAL_RESULT}"
    raise IntegrationError(message, trajectory, ending)


_condition_holds = eqx.filter_jit(lambda until, flow: until.holds(flow, flow.net))


def _step_to_end(
    way: Stepper, record: Recorder, until: StoppingCondition | None, max_steps: int, line: Progress
) -> Ending:
    if until is not None and bool(_condition_holds(until, way.flow)):
        return Stopped(until, 0.0)
    record.begin()
    while len(record.wanted):
        before = record.t
        stretch = way.advance(record.wanted, max_steps - way.steps)
        record.add(stretch)
        line.update(way.status)
        if stretch.holds:
            assert until is not None
            return Stopped(until, stretch.t)
        left = max_steps - way.steps
        if why := way.obstacle(before, left):
            return NoProgress(why)
        if left <= 0 and len(record.wanted):
            return OutOfSteps()
    return Finished(until)


class StepsPerCall:
    """How many steps to take in one compiled call, so that a sign of life, or Ctrl-C, comes through in time."""

    def __init__(self) -> None:
        self.size = 1000

    @contextmanager
    def timed(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.size = 2 * self.size if time.monotonic() - began < SECONDS_PER_CALL / 2 else self.size


def tree_all_finite(tree: PyTree) -> bool:
    """Is every number finite?"""
    return all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(tree))
