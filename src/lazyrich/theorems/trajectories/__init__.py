"""Trajectories in closed form, one file per theorem, in the order in which they are tried."""

from lazyrich.theorems.theorem import TrajectoryTheorem
from lazyrich.theorems.trajectories import (
    affine,
    aligned,
    aligned_decayed,
    attention,
    commuting,
    deep,
    diagonal,
    diagonal_decayed,
    isotropic,
    isotropic_decayed,
    neuron,
    ridge,
)

TRAJECTORY_THEOREMS: tuple[TrajectoryTheorem, ...] = (
    neuron.THEOREM,
    aligned.THEOREM,
    isotropic.THEOREM,
    deep.THEOREM,
    diagonal.THEOREM,
    commuting.THEOREM,
    attention.THEOREM,
    affine.THEOREM,
    aligned_decayed.THEOREM,
    isotropic_decayed.THEOREM,
    diagonal_decayed.THEOREM,
    ridge.THEOREM,
)
