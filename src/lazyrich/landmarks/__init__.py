"""Landmarks of a trajectory, from its closed form: basins, crossing times, the order in which modes are learned, and
limits."""

from lazyrich.landmarks.decay_curve import DecayCurve, decay_curve
from lazyrich.landmarks.learning_order import ModeSchedule, mode_schedule
from lazyrich.landmarks.level_crossings import time_to_loss
from lazyrich.landmarks.neuron import basin, crossing_time
from lazyrich.landmarks.plateaus import Plateau, Staircase, staircase
from lazyrich.landmarks.regimes import RegimeLimits, regime_limits

__all__ = [
    "DecayCurve",
    "ModeSchedule",
    "Plateau",
    "RegimeLimits",
    "Staircase",
    "basin",
    "crossing_time",
    "decay_curve",
    "mode_schedule",
    "regime_limits",
    "staircase",
    "time_to_loss",
]
