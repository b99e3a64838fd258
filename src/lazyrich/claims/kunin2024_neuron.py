"""Kunin et al. 2024, Get rich quick: layer-wise learning rates, relative scale, and what they do."""

import numpy as np

from lazyrich import inits
from lazyrich.claims.claim import Setup, claim
from lazyrich.flow import GradientFlow
from lazyrich.numerics import integrate
from lazyrich.problem import Problem


def _neuron(setup: Setup, rates: tuple[float, float]) -> GradientFlow:
    """One neuron from a random start, on random data."""
    rng = setup.rng
    d = setup.pick(3, 10)
    problem = Problem(rng.normal(size=(8, d)), rng.normal(size=8))
    return GradientFlow(inits.neuron(rng.normal(size=d), delta=rng.normal()), problem, rates)


@claim(
    "kunin2024",
    "section 3, equation (2)",
    "δ = η_w a² − η_a‖w‖² is conserved by the flow of a single neuron, for any data and rates",
    tolerance=1e-8,
    why="integrated at rtol 1e-10",
)
def conservation(setup: Setup):
    traj = integrate(_neuron(setup, (1.7, 0.4)), np.linspace(0, 5, 11))
    w, a = (np.asarray(layer) for layer in traj.nets.layers)
    delta = 1.7 * a[:, 0, 0] ** 2 - 0.4 * np.sum(w[:, 0] ** 2, axis=1)
    return delta, np.full_like(delta, delta[0])


@conservation.breaks("without the rates")
def _(setup: Setup):
    traj = integrate(_neuron(setup, (1.7, 0.4)), np.linspace(0, 5, 11))
    w, a = (np.asarray(layer) for layer in traj.nets.layers)
    delta = a[:, 0, 0] ** 2 - np.sum(w[:, 0] ** 2, axis=1)
    return delta, np.full_like(delta, delta[0])
