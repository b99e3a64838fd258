"""Functions that create or rescale networks. An initialization is a function that returns a network."""

from lazyrich.inits.coordinates import (
    alpha_from_tau_delta,
    delta_from_shape,
    delta_from_tau_alpha,
    gamma_from_delta,
    k_from_shape,
    norms_from_tau_delta,
    shape_from_delta,
)
from lazyrich.inits.deep import aligned, deep_orthogonal, gaussian
from lazyrich.inits.diagonal import diagonal, tied_diagonal
from lazyrich.inits.linear import isotropic, lambda_balanced, neuron, neuron_from_shape, orthogonal
from lazyrich.inits.lora import lora
from lazyrich.inits.rescale import rescale, scale_parameters, tau_delta, upstream
from lazyrich.inits.teacher_student import sphere_points, symmetrized, teacher, teacher_student, two_layer
from lazyrich.inits.wide import infinite_width, wide

__all__ = [
    "aligned",
    "alpha_from_tau_delta",
    "deep_orthogonal",
    "delta_from_shape",
    "delta_from_tau_alpha",
    "diagonal",
    "gamma_from_delta",
    "gaussian",
    "infinite_width",
    "isotropic",
    "k_from_shape",
    "lambda_balanced",
    "lora",
    "neuron",
    "neuron_from_shape",
    "norms_from_tau_delta",
    "orthogonal",
    "rescale",
    "scale_parameters",
    "shape_from_delta",
    "sphere_points",
    "symmetrized",
    "tau_delta",
    "teacher",
    "teacher_student",
    "tied_diagonal",
    "two_layer",
    "upstream",
    "wide",
]
