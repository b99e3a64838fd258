"""Rules for operations that multiply a weight with an activation: one file each, and one entry in `WEIGHT_RULES`."""

from lazyrich.jax.weight_rules.bias import find_bias
from lazyrich.jax.weight_rules.convolution import Convolution
from lazyrich.jax.weight_rules.dot import Dot
from lazyrich.jax.weight_rules.gather import Gather, are_token_ids
from lazyrich.jax.weight_rules.rule import Bias, WeightRule

WEIGHT_RULES = (Dot, Convolution, Gather)

__all__ = ["WEIGHT_RULES", "Bias", "Convolution", "Dot", "Gather", "WeightRule", "are_token_ids", "find_bias"]
