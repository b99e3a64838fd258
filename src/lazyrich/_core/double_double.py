"""Double-double numbers: a value as the unevaluated sum of two floats, about 32 digits.

Only computations that cancel use them. A number is a pair (high, low); every operation works on NumPy and JAX arrays,
inside `jit` and `vmap` and on any device. The split below masks bits instead of multiplying, so that no compiler can
fuse it away. Nothing here has a derivative: define one for the result with `jax.custom_jvp`.
"""

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich._core.array_namespace import array_namespace, xp
from lazyrich._core.types import AnyArray

DoubleDouble = tuple[AnyArray, AnyArray]
SPLIT_MASK = 0xFFFFFFFFF8000000  # sign, exponent and the first 26 bits


def _split(a: AnyArray) -> DoubleDouble:
    """Split a = high + low exactly, into 26 and 27 bits."""
    high: AnyArray
    if isinstance(a, jax.Array):
        bits = jax.lax.bitcast_convert_type(a, jnp.uint64) & jnp.uint64(SPLIT_MASK)
        high = jax.lax.bitcast_convert_type(bits, jnp.float64)
    else:
        high = (np.asarray(a).view(np.uint64) & np.uint64(SPLIT_MASK)).view(np.float64)
    return high, a - high


def two_sum(a: AnyArray, b: AnyArray) -> DoubleDouble:
    """Return a + b without error (Knuth)."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def two_product(a: AnyArray, b: AnyArray) -> DoubleDouble:
    """Return a · b without error (Dekker)."""
    p = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def from_float(a: AnyArray) -> DoubleDouble:
    """Return a float as a double-double number."""
    xp = array_namespace(a)
    a = xp.asarray(a, float)
    return a, xp.zeros_like(a)


def to_float(x: DoubleDouble) -> AnyArray:
    """Return the nearest float to a double-double number."""
    return x[0] + x[1]


def neg(x: DoubleDouble) -> DoubleDouble:
    """Return −x."""
    return -x[0], -x[1]


def add(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return x + y."""
    s, e = two_sum(x[0], y[0])
    t, f = two_sum(x[1], y[1])
    s, e = two_sum(s, e + t)
    return two_sum(s, e + f)


def mul(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return x y."""
    p, e = two_product(x[0], y[0])
    return two_sum(p, e + (x[0] * y[1] + x[1] * y[0]))


def div(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """Return x / y by long division with two corrections."""
    xp = array_namespace(*x, *y)
    safe = (xp.where(y[0] == 0, 1.0, y[0]), y[1])
    q = from_float(x[0] / safe[0])
    for _ in range(2):
        rest = add(x, neg(mul(q, safe)))
        q = add(q, from_float(rest[0] / safe[0]))
    return q


def sqrt(x: DoubleDouble) -> DoubleDouble:
    """Return √x for x ≥ 0 by one Newton step from the float64 root."""
    xp = array_namespace(*x)
    root = xp.sqrt(xp.maximum(x[0], 0.0))
    safe = xp.where(root == 0, 1.0, root)
    rest = add(x, neg(two_product(root, root)))
    corrected = two_sum(root, rest[0] / (2 * safe))
    return xp.where(root == 0, 0.0, corrected[0]), xp.where(root == 0, 0.0, corrected[1])


def sum_last_axis(x: DoubleDouble) -> DoubleDouble:
    """Return the sum over the last axis, pairwise."""
    high, low = x
    while high.shape[-1] > 1:
        if high.shape[-1] % 2:
            high, low = (xp.concatenate([part, xp.zeros_like(part[..., :1])], axis=-1) for part in (high, low))
        high, low = add((high[..., ::2], low[..., ::2]), (high[..., 1::2], low[..., 1::2]))
    return high[..., 0], low[..., 0]


def dot(a: AnyArray, b: AnyArray) -> DoubleDouble:
    """Return Σ a_i b_i over the last axis, as a double-double number."""
    return sum_last_axis(two_product(a, b))
