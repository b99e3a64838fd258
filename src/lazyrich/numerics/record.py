"""What an integration leaves behind, also when it does not come to its end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich.flow import GradientFlow
from lazyrich.numerics.until import Until
from lazyrich.trajectory import By, Trajectory


class IntegrationError(RuntimeError):
    """Integration ended before the last time. What was computed is in `trajectory`."""

    def __init__(self, message: str, trajectory: Trajectory):
        super().__init__(message)
        self.trajectory = trajectory


class Saved:
    """Networks at the times asked for, as a trajectory."""

    def __init__(self, flow: GradientFlow, times: np.ndarray, until: Until | None):
        self.flow, self.times, self.until = flow, times, until
        self.at: list[float] = []
        self.nets: list[Any] = []

    def add(self, t: float, layers: Any) -> None:
        self.at.append(float(t))
        self.nets.append(layers)

    @property
    def next(self) -> float | None:
        """The next time to be saved."""
        return float(self.times[len(self.at)]) if len(self.at) < len(self.times) else None

    def stops(self, net: Any) -> bool:
        return self.until is not None and bool(self.until.holds(self.flow, net))

    def trajectory(self, by: By, stopped: str, stats: dict[str, Any]) -> Trajectory:
        layers = jax.tree.map(lambda *leaves: jnp.asarray(np.stack([np.asarray(leaf) for leaf in leaves])), *self.nets)
        return Trajectory(
            self.flow, jnp.asarray(self.at), jax.vmap(self.flow.net.with_layers)(layers), by, stopped, stats
        )


@contextmanager
def unbroken(error: Callable[[], IntegrationError]) -> Iterator[None]:
    """Ctrl-C becomes an error that holds what was computed."""
    try:
        yield
    except KeyboardInterrupt:
        raise error() from None
