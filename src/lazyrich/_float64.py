"""JAX in float64, from when a part of the exact core is first loaded: plateaus and separatrices need the digits."""

import jax
import jax.numpy as jnp

_zero = jnp.zeros(())
if isinstance(_zero, jax.core.Tracer) and _zero.dtype != jnp.float64:
    raise RuntimeError(
        "lazyrich computes in float64, and its first use is inside of jit, whose arguments are float32 already. Use a "
        "part of it before, `lazyrich.GradientFlow` for instance, or begin with "
        "jax.config.update('jax_enable_x64', True)"
    )
jax.config.update("jax_enable_x64", True)
