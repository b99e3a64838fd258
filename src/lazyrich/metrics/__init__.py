"""Measurements of networks during training. A metric is a function of a trajectory, or of two networks."""

from lazyrich.metrics.activation import hamming_distance
from lazyrich.metrics.balance import conservation_drift
from lazyrich.metrics.curvature import sharpness
from lazyrich.metrics.kernel import (
    kernel_alignment,
    kernel_distance,
    kernel_growth,
    kernel_split,
    kernel_velocity,
    target_alignment,
)
from lazyrich.metrics.movement import (
    function_distance,
    layer_distance,
    learning_speed,
    linearization_gap,
    parameter_distance,
    relative_distance,
    relative_layer_distance,
)
from lazyrich.metrics.population import population_hamming_distance
from lazyrich.metrics.spectrum import (
    effective_rank,
    layer_ratio,
    mode_alignment,
    mode_strengths,
    neuron_alignment,
    singular_values,
    stable_rank,
)
from lazyrich.networks.population_kernel import population_kernel_distance

__all__ = [
    "conservation_drift",
    "effective_rank",
    "function_distance",
    "hamming_distance",
    "kernel_alignment",
    "kernel_distance",
    "kernel_growth",
    "kernel_split",
    "kernel_velocity",
    "layer_distance",
    "layer_ratio",
    "learning_speed",
    "linearization_gap",
    "mode_alignment",
    "mode_strengths",
    "neuron_alignment",
    "parameter_distance",
    "population_hamming_distance",
    "population_kernel_distance",
    "relative_distance",
    "relative_layer_distance",
    "sharpness",
    "singular_values",
    "stable_rank",
    "target_alignment",
]
