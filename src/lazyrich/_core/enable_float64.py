"""Switch JAX to float64 when a part of the exact core is first imported: plateaus and separatrices need the digits."""

import jax
from jax.extend.core import get_opaque_trace_state


def _is_tracing() -> bool:
    """Return whether a function is being traced, without creating an array, which would initialize JAX before the
    user has configured it."""
    with jax.core.eval_context():
        outside = get_opaque_trace_state()
    return get_opaque_trace_state() != outside


if not jax.config.read("jax_enable_x64") and _is_tracing():
    raise RuntimeError(
        "lazyrich computes in float64, and its first use is inside of jit, vmap or grad, where numbers are float32 "
        "already. Use a part of it before, `lazyrich.GradientFlow` for instance, or begin with "
        "jax.config.update('jax_enable_x64', True)"
    )
jax.config.update("jax_enable_x64", True)
