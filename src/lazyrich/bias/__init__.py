"""Where training stops: potentials, the solvers that minimise them, and the limits they give."""

from lazyrich.bias.convex import basis_pursuit, least_distance, max_margin
from lazyrich.bias.deep_entropy import DeepEntropy
from lazyrich.bias.diagonal import potential_of
from lazyrich.bias.dual import project
from lazyrich.bias.entropy import HyperbolicEntropy
from lazyrich.bias.mirror import Warp, hessian_defect, metric, recovered, warp
from lazyrich.bias.norms import L1, L2, Mahalanobis, Nuclear
from lazyrich.bias.potential import Potential, Separable
from lazyrich.bias.radial import DeepRadial, Radial
from lazyrich.bias.spectral import LogDet, MatrixEntropy, SpectralEntropy

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
