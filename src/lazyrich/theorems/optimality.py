"""The certificate of a limit that minimises a separable potential."""

import equinox as eqx
import numpy as np

from lazyrich._arrays import Numbers, ahead, in_turn, space, xp
from lazyrich.potentials.potential import Separable
from lazyrich.theorems.result import Certificate, miss


def _optimality(potential: Separable, X: Numbers, best: Numbers, beta: Numbers, z: Numbers) -> Certificate:
    """A coordinate is stationary if β is the image of z, or z that of β: where one rounds, the other does not."""
    xp, inverse = space(z, beta), potential.maps()(0.0).inverse
    size = xp.max(xp.abs(z))
    mirrored = _relative_to(xp.abs(potential.gradient(beta) - z), size)
    back = _relative_to(xp.abs(inverse(z) - beta), xp.max(xp.abs(beta)))
    value, dual, product = potential.value(beta), potential.dual(z), xp.sum(z * beta)
    start = inverse(xp.zeros_like(z))
    unit = xp.abs(value) + xp.abs(dual) + xp.abs(product) + size * xp.max(xp.abs(start))
    gap = _relative_to(xp.abs(value + dual - product), unit)
    kkt = xp.max(xp.fmin(mirrored, back))
    return Certificate(miss(X, beta, best, start), kkt, xp.where(xp.isfinite(value) & xp.isfinite(dual), gap, np.nan))


optimality = ahead(_optimality, eqx.filter_jit(_optimality))


def optimality_along(
    potential: Separable, X: Numbers, best: Numbers, beta: Numbers, z: Numbers, logs: Numbers
) -> Certificate:
    """`optimality` at each scale."""

    def one(_: tuple[()], here: tuple[Numbers, Numbers, Numbers]) -> tuple[tuple[()], Certificate]:
        log, b, s = here
        return (), optimality(potential.scaled(log), X, best, b, s)

    return in_turn(one, (), (logs, beta, z))


def _relative_to(size: Numbers, unit: Numbers) -> Numbers:
    return size / xp.where(unit > 0, unit, 1.0)
