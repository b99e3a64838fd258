"""JAX in float64, from when a part of the exact core is first loaded: plateaus and separatrices need the digits."""

import jax

jax.config.update("jax_enable_x64", True)
