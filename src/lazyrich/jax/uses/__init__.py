"""The kinds of operations in which a weight meets an activation: one file each, and one entry in `USES`."""

from lazyrich.jax.uses.bias import biased
from lazyrich.jax.uses.convolution import Convolution
from lazyrich.jax.uses.dot import Dot
from lazyrich.jax.uses.gather import Gather, is_token
from lazyrich.jax.uses.use import Biased, Use

USES = (Dot, Convolution, Gather)

__all__ = ["USES", "Biased", "Convolution", "Dot", "Gather", "Use", "biased", "is_token"]
