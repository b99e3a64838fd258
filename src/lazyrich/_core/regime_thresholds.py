"""Limits of the regimes, for everything that names or draws one."""

# Probes, plots and the explorer (explorer/math/regime.js) use one rule. A network is lazy if the kernel distance S and
# the linearization gap are below these limits. (The gap is the distance of the model to its tangent model, relative to
# the distance that the function has moved.) A network is rich if S is above RICH, whatever the gap.
LAZY = {"kernel": 0.01, "gap": 0.2}
RICH = 0.05
