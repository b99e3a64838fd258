"""Limits of the regimes in the quantities that a probe measures."""

# The probes and the explorer (explorer/math/regime.js) use one rule. A network is lazy if the kernel distance S and the
# linearization gap are below these limits. (The gap is the distance of the model to its tangent model, relative to the
# distance that the function has moved.) A network is rich if S is above RICH, whatever the gap.
LAZY = {"kernel": 0.01, "gap": 0.2}
RICH = 0.05
TOO_EARLY_BELOW = 0.1  # the function has to move by this fraction of its size before a regime can be determined
NO_MOVEMENT_BELOW = 1e-5  # relative to the distance moved: a smaller start counts as zero, up to rounding
CONSERVED_DRIFT_BELOW = 0.05  # conserved quantities may change this much in descent with small steps
LEARNED_ABOVE = 0.1  # the loss must fall by this fraction of the best constant output's loss to count as learned
MOVED_ABOVE = 0.1  # relative to its size: a layer that moved more counts as moved
LAYER_STILL_BELOW = 1e-7  # relative to its size: a layer that moved less does not move, up to rounding
