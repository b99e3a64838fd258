"""What people ask of a trajectory, from its closed form: basins, crossings, what is learned when, limits."""

from lazyrich.landmarks.neuron import basin, crossing_time
from lazyrich.landmarks.order import Schedule, schedule
from lazyrich.landmarks.regimes import Regimes, regime_limits
from lazyrich.landmarks.times import time_to_loss

__all__ = ["Regimes", "Schedule", "basin", "crossing_time", "regime_limits", "schedule", "time_to_loss"]
