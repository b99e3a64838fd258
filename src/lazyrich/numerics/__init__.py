"""Numerical methods for training dynamics: the flow, its discretizations, and its noise."""

from lazyrich.numerics.descent import descend
from lazyrich.numerics.driver import IntegrationError
from lazyrich.numerics.flow_time import flow_gap, flow_time_from_steps, steps_from_flow_time
from lazyrich.numerics.integration import integrate
from lazyrich.numerics.label_noise import diffuse
from lazyrich.numerics.mirror_path import EquivalentFlow, equivalent_flow
from lazyrich.numerics.online_flow import OnlineFlow, online_flow
from lazyrich.numerics.optimizers import SGD, Adam, Optimizer
from lazyrich.numerics.rkc import RKC
from lazyrich.numerics.rodas import Rodas
from lazyrich.numerics.stopping import GradientBelow, LossBelow, StoppingCondition

__all__ = [
    "RKC",
    "SGD",
    "Adam",
    "EquivalentFlow",
    "GradientBelow",
    "IntegrationError",
    "LossBelow",
    "OnlineFlow",
    "Optimizer",
    "Rodas",
    "StoppingCondition",
    "descend",
    "diffuse",
    "equivalent_flow",
    "flow_gap",
    "flow_time_from_steps",
    "integrate",
    "online_flow",
    "steps_from_flow_time",
]
