"""Where training stops: potentials, the solvers that minimise them, and the limits they give."""

from lazyrich.potentials.convex import basis_pursuit, least_distance, max_margin
from lazyrich.potentials.deep_entropy import DeepEntropy
from lazyrich.potentials.diagonal import potential_of
from lazyrich.potentials.dual import project
from lazyrich.potentials.entropy import HyperbolicEntropy
from lazyrich.potentials.mirror import Warp, hessian_defect, metric, recovered, warp
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
    "Warp",
    "basis_pursuit",
    "hessian_defect",
    "least_distance",
    "max_margin",
    "metric",
    "potential_of",
    "project",
    "recovered",
    "warp",
]
