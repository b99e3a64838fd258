r"""The rotation of the hidden units of a two-layer linear network with isotropic imbalance.

If $Z = OB$ with $Z^\top Z$ known, and B the rows that a Cholesky factor leaves, then $\dot O = O\,\Omega$ with
$\Omega_{ij} = \mathrm{sgn}(i - j)(B_lB_l^\top)_{ij}$, where $B_l$ is the part of either layer.
"""

from collections.abc import Callable

import diffrax as dfx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import array_namespace, stop_gradient
from lazyrich._core.linalg import FLOAT64_EPS
from lazyrich._core.types import AnyArray

ISOTROPY_TOLERANCE = 1e-13  # a cosine between hidden units below this is rounding error


def angular_velocity_of_gram(products: AnyArray) -> AnyArray:
    """Return Ω from the products of the hidden units' rows in one layer, preferably the smaller one."""
    index = np.arange(products.shape[-1])
    xp = array_namespace(products)
    lengths = xp.sqrt(stop_gradient(xp.diagonal(products, axis1=-2, axis2=-1)))
    inverse = 1 / xp.where(lengths > 0, lengths, 1.0)
    square = (products * inverse[..., :, None] * inverse[..., None, :]) ** 2  # of the cosines
    # At the end, rounding would rotate the hidden units for as long as the flow is followed; this factor suppresses it
    # smoothly.
    weights = xp.where(square > (16 * FLOAT64_EPS) ** 2, square / (square + ISOTROPY_TOLERANCE**2), 0.0)
    return np.sign(index[:, None] - index) * products * weights


def integrate_traced_rotation(
    turning: Callable[[PyTree, Array], Array], net: PyTree, h: int, times: Float[Array, " t"]
) -> Float[Array, "t h h"]:
    """Return the rotation O of the hidden units by integrating O' = OΩ, Ω = turning(net, t), in a traced program."""
    first = jnp.max(jnp.abs(jax.lax.stop_gradient(turning(net, jnp.zeros(())))))
    solution = dfx.diffeqsolve(
        dfx.ODETerm(lambda t, O, net: O @ turning(net, jnp.asarray(t))),
        dfx.Dopri8(),
        jnp.zeros(()),
        jnp.where(times[-1] > 0, times[-1], 1.0),
        jnp.minimum(jnp.where(times[-1] > 0, times[-1], 1.0), 1e-2 / (1.0 + first)),
        jnp.eye(h),
        net,
        saveat=dfx.SaveAt(ts=times),
        stepsize_controller=dfx.PIDController(rtol=1e-13, atol=1e-13),
        max_steps=16384,
    )
    assert solution.ys is not None
    return solution.ys
