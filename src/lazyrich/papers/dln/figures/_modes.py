"""Deep linear networks on diagonal targets: the strength of each mode, and when it is learned."""

from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from lazyrich.flow import GradientFlow
from lazyrich.inits import aligned
from lazyrich.problem import Problem
from lazyrich.trajectory import Trajectory


def flow(s: Any, strengths: Any, depth: int = 2, width: int | None = None) -> GradientFlow:
    """Return the flow of balanced layers aligned with diag(s), from these strengths, on whitened inputs."""
    target = np.diag(np.asarray(s, float))
    return GradientFlow(aligned(target, strengths, depth, width), Problem(np.eye(len(target)), target))


def strengths(traj: Trajectory) -> np.ndarray:
    """Return a_α over time, for a diagonal target."""
    return np.asarray(np.einsum("tii->ti", np.asarray(traj.beta)))


def time_of(times: np.ndarray, a: np.ndarray, s: float, part: float = 0.5) -> float:
    """Return the time at which a mode reaches a fraction of its target, by a spline through logit(a/s), which is
    straight at depth 2."""
    x = np.asarray(a) / s
    first = int(np.argmax(x > part))
    if not first:
        raise ValueError(f"no more than {x.max():.3g} of the mode is learned by t = {times[-1]:g}")
    near = slice(max(first - 8, 0), first + 8)
    near_x, near_t = x[near], np.asarray(times)[near]
    rises = near_x < 1 - 1e-9
    z = np.log(near_x[rises] / (1 - near_x[rises]))
    return float(CubicSpline(z, near_t[rises])(np.log(part / (1 - part))))
