"""The limits of flows, one file per theorem, in the order in which they are tried."""

from lazyrich.theorems.limits import (
    affine,
    attention,
    commuting,
    diagonal,
    l1_margin,
    l2_margin,
    lasso,
    leaky,
    neuron,
    nuclear_norm,
    rank_one,
    ridge,
    shrunk_neuron,
    spectral,
    vanishing,
    wide,
)
from lazyrich.theorems.theorem import LimitTheorem

LIMIT_THEOREMS: tuple[LimitTheorem, ...] = (
    diagonal.THEOREM,
    neuron.THEOREM,
    rank_one.THEOREM,
    spectral.THEOREM,
    wide.THEOREM,
    vanishing.THEOREM,
    leaky.THEOREM,
    commuting.THEOREM,
    affine.THEOREM,
    attention.THEOREM,
    l1_margin.THEOREM,
    l2_margin.THEOREM,
    # with weight decay
    ridge.THEOREM,
    lasso.THEOREM,
    shrunk_neuron.THEOREM,
    nuclear_norm.THEOREM,
)
