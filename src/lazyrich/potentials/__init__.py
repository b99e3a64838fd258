"""Potentials that gradient flows minimize, and the solvers that minimize them."""

from lazyrich.potentials.convex_programs import basis_pursuit, max_margin, min_norm_with_margins
from lazyrich.potentials.deep_entropy import DeepEntropy
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.potentials.dual_newton import bregman_projection
from lazyrich.potentials.entropy import HyperbolicEntropy
from lazyrich.potentials.mirror import (
    TimeWarp,
    hessian_defect,
    metric_of_parametrization,
    potential_from_hessian,
    time_warp,
)
from lazyrich.potentials.norms import L1, L2, Mahalanobis, Nuclear
from lazyrich.potentials.potential import Potential, Separable
from lazyrich.potentials.radial import DeepRadial, Radial
from lazyrich.potentials.spectral import LogDet, MatrixEntropy, SpectralEntropy

__all__ = [
    "L1",
    "L2",
    "DeepEntropy",
    "DeepRadial",
    "HyperbolicEntropy",
    "LogDet",
    "Mahalanobis",
    "MatrixEntropy",
    "Nuclear",
    "Potential",
    "Radial",
    "Separable",
    "SpectralEntropy",
    "TimeWarp",
    "basis_pursuit",
    "bregman_projection",
    "diagonal_potential",
    "hessian_defect",
    "max_margin",
    "metric_of_parametrization",
    "min_norm_with_margins",
    "potential_from_hessian",
    "time_warp",
]
