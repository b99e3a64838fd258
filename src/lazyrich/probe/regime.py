"""Where the regimes begin and end, in what a probe measures."""

# A network is lazy if everything that was measured lies below the first number, rich if all lies above the second.
# kernel: the distance S of the tangent kernel to the start. gap: between the model and its tangent model, as a share of
# the distance that the function has gone.
THRESHOLDS = {"kernel": (0.01, 0.05), "gap": (0.2, 0.5)}
EARLY = 0.1  # the function has to go so much of its size before there is a regime to see
NOTHING = 1e-5  # of the distance gone: a start so small is zero up to rounding
DRIFT = 0.05  # conserved quantities may move so much along descent with small steps
LEARNED = 0.1  # of the best constant output's loss must be gone before something counts as learned
FAR_MOVED = 0.1  # of its size: a layer that has moved more has moved far
