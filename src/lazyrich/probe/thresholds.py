"""Limits of the regimes in the quantities that a probe measures."""

TOO_EARLY_BELOW = 0.1  # the function has to move by this fraction of its size before a regime can be determined
NO_MOVEMENT_BELOW = 1e-5  # relative to the distance moved: a smaller start counts as zero, up to rounding
CONSERVED_DRIFT_BELOW = 0.05  # conserved quantities may change this much in descent with small steps
LEARNED_ABOVE = 0.1  # the loss must fall by this fraction of the best constant output's loss to count as learned
MOVED_ABOVE = 0.1  # relative to its size: a layer that moved more counts as moved
LAYER_STILL_BELOW = 1e-7  # relative to its size: a layer that moved less does not move, up to rounding
