"""The certificate of a limit that minimizes a separable potential."""

import equinox as eqx
import numpy as np

from lazyrich._core.array_namespace import array_namespace, eager_or_traced, is_concrete, scan, xp
from lazyrich._core.types import AnyArray
from lazyrich.potentials.damped_newton import Minimum, minimize
from lazyrich.potentials.potential import Separable
from lazyrich.theorems.limit_result import Certificate, relative_misfit
from lazyrich.theorems.regression import uncertainty_of_fit

DOUBTFUL = 1e-10  # with a worse certificate, the slower and safer method is used (on concrete arrays)

SHRUNK = 1e3  # largest ratio of start to β at which the start still is a unit for β


def _certify(potential: Separable, X: AnyArray, best: AnyArray, beta: AnyArray, z: AnyArray) -> Certificate:
    """Return the certificate of β. A coordinate is stationary if β is the image of z, or z that of β: where one map
    amplifies rounding, the other does not."""
    xp, inverse = array_namespace(z, beta), potential.mirror_maps().inverse
    size = xp.max(xp.abs(z))
    mirrored = _safe_ratio(xp.abs(potential.gradient(beta) - z), size)
    back = _safe_ratio(xp.abs(inverse(z) - beta), xp.max(xp.abs(beta)))
    value, dual, product = potential.value(beta), potential.conjugate(z), xp.sum(z * beta)
    start = inverse(xp.zeros_like(z))
    unit = xp.abs(value) + xp.abs(dual) + xp.abs(product) + size * xp.max(xp.abs(start))
    gap = _safe_ratio(xp.abs(value + dual - product), unit)
    kkt = xp.max(xp.fmin(mirrored, back))
    feasibility = relative_misfit(X, beta, best, xp.where(_start_hides_beta(start, beta), 0.0, start))
    return Certificate(feasibility, kkt, xp.where(xp.isfinite(value) & xp.isfinite(dual), gap, np.nan))


def _start_hides_beta(start: AnyArray, beta: AnyArray) -> AnyArray:
    """Return whether the start is too large to be a unit for β, although β exceeds the start's rounding error."""
    xp = array_namespace(start, beta)
    largest, end = xp.max(xp.abs(start)), xp.max(xp.abs(beta))
    return (largest > SHRUNK * end) & (end > 64 * np.finfo(float).eps * largest)


certify_optimality = eager_or_traced(_certify, eqx.filter_jit(_certify))


def certify_along_scales(
    potential: Separable, X: AnyArray, best: AnyArray, beta: AnyArray, z: AnyArray, logs: AnyArray
) -> Certificate:
    """Apply `certify_optimality` at each scale."""

    def one(_: tuple[()], here: tuple[AnyArray, AnyArray, AnyArray]) -> tuple[tuple[()], Certificate]:
        log, b, s = here
        return (), certify_optimality(potential.with_scaled_layers(log), X, best, b, s)

    return scan(one, (), (logs, beta, z))[1]


def refine_if_doubtful(
    potential: Separable, X: AnyArray, rows: AnyArray, target: AnyArray, beta: AnyArray, certificate: Certificate
) -> tuple[Minimum, Certificate] | None:
    """Minimize again by damped Newton steps if the certificate of concrete arrays is doubtful; return None if it is
    not.

    `certify_optimality` uses the start as a unit even where β is much smaller. Here each equation and each coordinate
    has its own unit, and `kkt` is the change of β that is left to be made, or that rounding decides.
    """
    if not is_concrete(potential, X, rows, target, beta, certificate) or not len(rows):
        return None
    with np.errstate(all="ignore"):
        start, alone = potential.inverse(0 * beta), relative_misfit(X, beta, target @ rows)
        shrinks = np.max(np.abs(start)) > SHRUNK * np.max(np.abs(beta))
        certain = max(float(alone), float(certificate.worst)) < DOUBTFUL and not shrinks
        if certain or not np.any(potential.jacobian_diagonal(0 * beta)):
            return None
        refined = minimize(np.asarray(rows), np.asarray(target), potential)
    return refined, Certificate(refined.feasibility, max(refined.stationarity, refined.uncertainty))


def refine_along_scales(
    potential: Separable, X: AnyArray, rows: AnyArray, target: AnyArray, beta: AnyArray, c: Certificate, logs: AnyArray
) -> tuple[AnyArray, Certificate]:
    """Apply `refine_if_doubtful` at each scale, and return all predictors and certificates."""
    if not is_concrete(potential, X, rows, target, beta, c, logs):
        return beta, c
    betas, parts = np.array(beta), [np.array(part) for part in (c.feasibility, c.kkt, c.gap)]
    for i, log in enumerate(logs):
        refined = refine_if_doubtful(
            potential.with_scaled_layers(log), X, rows, target, betas[i], Certificate(*(part[i] for part in parts))
        )
        if refined is not None:
            minimum, certificate = refined
            betas[i] = minimum.beta
            for part, value in zip(parts, (certificate.feasibility, certificate.kkt, certificate.gap), strict=True):
                part[i] = value
    return betas, Certificate(*parts)


def with_uncertainty(certificate: Certificate, X: AnyArray, y: AnyArray) -> Certificate:
    """Return the certificate, including the uncertainty that rounding of nearly dependent samples leaves in X⁺y, the
    part of β in the row space of X."""
    feasibility = xp.maximum(certificate.feasibility, uncertainty_of_fit(X, y))
    return Certificate(feasibility, certificate.kkt, certificate.gap)


def _safe_ratio(size: AnyArray, unit: AnyArray) -> AnyArray:
    return size / xp.where(unit > 0, unit, 1.0)
