"""Measuring along a trajectory, or between two networks, with the same function."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array

from lazyrich._check import as_array
from lazyrich.networks import Network
from lazyrich.trajectory import Trajectory

Subject = Trajectory | Network


def compare(measure: Callable[[Network, Network], Any], now: Subject, start: Network | None) -> Any:
    """measure(net, reference) for every network of a trajectory (reference: its start), or for one network."""
    if isinstance(now, Trajectory):
        reference = now.start if start is None else start
        # One at a time: a kernel is large.
        return jax.lax.map(lambda net: measure(net, reference), now.nets)
    if not isinstance(now, Network):
        raise TypeError(f"need a Trajectory or a network; found {type(now).__name__}")
    if start is None:
        raise ValueError("one network needs another to be compared with: pass start=...")
    return measure(now, start)


def along(measure: Callable[[Network], Any], now: Subject) -> Any:
    """measure(net) for every network of a trajectory, or for one network."""
    if isinstance(now, Trajectory):
        return eqx.filter_vmap(measure)(now.nets)
    if not isinstance(now, Network):
        raise TypeError(f"need a Trajectory or a network; found {type(now).__name__}")
    return measure(now)


def inputs(now: Subject, X: Any) -> Array:
    """The inputs to measure on: the given ones, or a trajectory's training inputs."""
    if X is not None:
        return as_array("X", X, (2,))
    if isinstance(now, Trajectory):
        return now.flow.problem.X
    raise ValueError("two networks are compared on inputs: pass X=...")


def rates_of(now: Subject, rates: Any) -> Any:
    """The given rates, or a trajectory's."""
    return now.flow.rates if rates is None and isinstance(now, Trajectory) else rates


def ratio(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator, with 0/0 = 0."""
    return jnp.where(numerator == 0, 0.0, numerator / jnp.where(numerator == 0, 1.0, denominator))
