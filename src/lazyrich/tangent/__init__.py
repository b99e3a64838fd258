"""Tangent kernels from any source: their predictions, and the distance between two of them.

It uses NumPy, or the arrays that are passed. It imports neither PyTorch nor JAX, and nothing of the exact core.
"""

from lazyrich.tangent.distance import KernelDistance, TargetAlignment
from lazyrich.tangent.prediction import Prediction, predict

__all__ = ["KernelDistance", "Prediction", "TargetAlignment", "predict"]
