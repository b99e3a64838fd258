"""The certificate of a limit that minimises a separable potential."""

import equinox as eqx
import numpy as np

from lazyrich._arrays import Numbers, ahead, in_turn, space, xp
from lazyrich._check import concrete
from lazyrich.potentials.damped_newton import Minimum, minimize
from lazyrich.potentials.potential import Separable
from lazyrich.theorems.result import Certificate, miss

DOUBTFUL = 1e-10  # a certificate that is worse, of known numbers, is worth the slower and safer method

SHRUNK = 1e3  # how much larger than β its start may be, and still be a unit for it


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
    feasibility = miss(X, beta, best, xp.where(_dwarfs(start, beta), 0.0, start))
    return Certificate(feasibility, kkt, xp.where(xp.isfinite(value) & xp.isfinite(dual), gap, np.nan))


def _dwarfs(start: Numbers, beta: Numbers) -> Numbers:
    """Is the start too large to be a unit for β, which yet is more than the start's own rounding?"""
    xp = space(start, beta)
    largest, end = xp.max(xp.abs(start)), xp.max(xp.abs(beta))
    return (largest > SHRUNK * end) & (end > 64 * np.finfo(float).eps * largest)


optimality = ahead(_optimality, eqx.filter_jit(_optimality))


def optimality_along(
    potential: Separable, X: Numbers, best: Numbers, beta: Numbers, z: Numbers, logs: Numbers
) -> Certificate:
    """`optimality` at each scale."""

    def one(_: tuple[()], here: tuple[Numbers, Numbers, Numbers]) -> tuple[tuple[()], Certificate]:
        log, b, s = here
        return (), optimality(potential.scaled(log), X, best, b, s)

    return in_turn(one, (), (logs, beta, z))


def reconsider(
    potential: Separable, X: Numbers, rows: Numbers, target: Numbers, beta: Numbers, certificate: Certificate
) -> tuple[Minimum, Certificate] | None:
    """Minimize anew by damped Newton steps if the certificate of known numbers is doubtful; None if it is not.

    The certificate of `optimality` takes the start for the unit of what is much smaller than it. Here each equation and
    each coordinate has its own, and `kkt` is the change of β that is left to be made, or that rounding decides.
    """
    if not concrete(potential, X, rows, target, beta, certificate) or not len(rows):
        return None
    with np.errstate(all="ignore"):
        start, alone = potential.inverse(0 * beta), miss(X, beta, target @ rows)
        shrinks = np.max(np.abs(start)) > SHRUNK * np.max(np.abs(beta))
        certain = max(float(alone), float(certificate.worst)) < DOUBTFUL and not shrinks
        if certain or not np.any(potential.stretch(0 * beta)):
            return None
        found = minimize(rows, target, potential)
    return found, Certificate(found.feasibility, max(found.stationarity, found.uncertainty))


def reconsider_along(
    potential: Separable, X: Numbers, rows: Numbers, target: Numbers, beta: Numbers, c: Certificate, logs: Numbers
) -> tuple[Numbers, Certificate]:
    """`reconsider` at each scale."""
    if not concrete(potential, X, rows, target, beta, c, logs):
        return beta, c
    betas, parts = np.array(beta), [np.array(part) for part in (c.feasibility, c.kkt, c.gap)]
    for i, log in enumerate(logs):
        again = reconsider(potential.scaled(log), X, rows, target, betas[i], Certificate(*(part[i] for part in parts)))
        if again is not None:
            betas[i] = again[0].beta
            for part, value in zip(parts, (again[1].feasibility, again[1].kkt, again[1].gap), strict=True):
                part[i] = value
    return betas, Certificate(*parts)


def _relative_to(size: Numbers, unit: Numbers) -> Numbers:
    return size / xp.where(unit > 0, unit, 1.0)
