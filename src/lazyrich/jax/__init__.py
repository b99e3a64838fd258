"""Tangent kernels and a probe for any JAX model: is a network lazy or rich, and what changes that?

A model is a function f(params, x) with params any tree of arrays. This package does not change JAX's default precision,
and does not import the exact core.
"""

from lazyrich.jax import infinite
from lazyrich.jax.curvature import adam_step_size, sharpness
from lazyrich.jax.distance import kernel_distance, kernel_target_alignment
from lazyrich.jax.kernel import kernel_product, tangent_kernel
from lazyrich.jax.linearization import linearize
from lazyrich.jax.prediction import predict
from lazyrich.jax.probe import Probe
from lazyrich.jax.rescaling import balance, rescale, upstream
from lazyrich.probe import Report
from lazyrich.probe.balance import Balance, ConservedPair
from lazyrich.tangent import KernelDistance, Prediction, TargetAlignment
from lazyrich.tangent.sharpness import Sharpness

__all__ = [
    "Balance",
    "ConservedPair",
    "KernelDistance",
    "Prediction",
    "Probe",
    "Report",
    "Sharpness",
    "TargetAlignment",
    "adam_step_size",
    "balance",
    "infinite",
    "kernel_distance",
    "kernel_product",
    "kernel_target_alignment",
    "linearize",
    "predict",
    "rescale",
    "sharpness",
    "tangent_kernel",
    "upstream",
]
