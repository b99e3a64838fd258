"""Where the regimes begin and end, in what a probe measures."""

# One rule for the probes and for the explorer (explorer/math/regime.js): a network is lazy if the kernel distance S and
# the linearization gap (the distance of the model to its tangent model, relative to the distance that the function has
# gone) are below these limits; it is rich if S is above RICH, whatever the gap.
LAZY = {"kernel": 0.01, "gap": 0.2}
RICH = 0.05
TOO_EARLY_BELOW = 0.1  # the function has to go so much of its size before there is a regime to see
NO_MOVEMENT_BELOW = 1e-5  # of the distance gone: a start so small is zero up to rounding
CONSERVED_DRIFT_BELOW = 0.05  # conserved quantities may move so much along descent with small steps
LEARNED_ABOVE = 0.1  # of the best constant output's loss must be gone before something counts as learned
MOVED_ABOVE = 0.1  # of its size: a layer that has moved more has moved far
