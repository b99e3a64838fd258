"""Tangent kernels, whoever computed them: what they predict, how far two of them are apart. NumPy, or the arrays given.

It imports neither PyTorch nor JAX, and nothing of the exact core.
"""

from lazyrich.tangent.distance import KernelDistance, TargetAlignment
from lazyrich.tangent.prediction import Prediction, predict

__all__ = ["KernelDistance", "Prediction", "TargetAlignment", "predict"]
