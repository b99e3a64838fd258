"""Two-layer linear networks: the single neuron, and wide networks with isotropic imbalance."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from lazyrich._core.array_namespace import is_concrete, stop_gradient, to_numpy_if_concrete, xp
from lazyrich._core.linalg import (
    haar_from_normal,
    norms_from_product_and_difference,
    raise_if_differentiated,
    safe_norm,
)
from lazyrich._core.random import normal_and_uniform_arrays, random_orthonormal
from lazyrich._core.types import AnyArray, ArrayLike, LayerRates
from lazyrich._validate.arrays import check_array_as_numpy, check_direction, check_key, check_rates
from lazyrich._validate.integers import check_int
from lazyrich.networks import DeepLinear

NO_DIRECTION_MESSAGE = (
    "at beta0 = 0 a neuron with delta ≤ 0 depends on the direction from which beta0 comes: it has no derivative in "
    "beta0, and needs a `direction`"
)


def neuron(
    beta0: ArrayLike,
    delta: ArrayLike = 0.0,
    rates: LayerRates = None,
    sign: ArrayLike = 1.0,
    direction: ArrayLike | None = None,
) -> DeepLinear:
    r"""Return the single neuron $f(x) = a\,w\cdot x$ with $aw = \beta_0$ and $\eta_w a^2 - \eta_a\|w\|^2 = \delta$
    (kunin2024, section 3).

    `sign` is the sign of a. At $\beta_0 = 0$ the network needs a `direction` for w unless $\delta > 0$ (then w = 0).

    >>> net = neuron([3.0, 4.0], delta=-2.0)
    >>> [W.shape for W in net.weights], bool(abs(net.conserved_quantities()["Delta_1"][0, 0] + 2) < 1e-14)
    ([(1, 2), (1, 1)], True)
    """
    beta0, delta, sign = (
        check_array_as_numpy("beta0", beta0, (1,)),
        check_array_as_numpy("delta", delta, (0,)),
        check_array_as_numpy("sign", sign, (0,)),
    )
    eta_w, eta_a = to_numpy_if_concrete(check_rates(rates, 2))
    norm = safe_norm(beta0)
    if direction is not None:
        u = to_numpy_if_concrete(check_direction("direction", direction))
        if u.shape != beta0.shape:
            raise ValueError(f"direction has {u.size} entries, but beta0 has {beta0.size}")
        if is_concrete(norm, u) and norm > 0 and not np.allclose(u * norm, beta0, rtol=1e-12, atol=0):
            raise ValueError("beta0 has a direction of its own, different from `direction`; drop one of the two")
    elif is_concrete(norm) and norm == 0:
        if is_concrete(delta) and not delta > 0:
            raise ValueError(
                f"beta0 = 0 with delta = {float(delta):g} leaves the direction of w open; pass direction=... "
                "(with delta > 0, w is zero and none is needed)"
            )
        u = beta0
    else:
        u = beta0 / xp.where(norm == 0, 1.0, norm)
    s = xp.where(sign < 0, -1.0, 1.0)
    if not is_concrete(beta0, delta):
        undefined = stop_gradient((norm == 0) & ~(delta > 0))
        beta0, u, norm = (raise_if_differentiated(part, undefined, NO_DIRECTION_MESSAGE) for part in (beta0, u, norm))
        if direction is None and not is_concrete(undefined):
            norm = eqx.error_if(norm, undefined, NO_DIRECTION_MESSAGE)
    a, w = norms_from_product_and_difference(xp.sqrt(eta_w * eta_a) * norm, delta)
    a, w = s * a / xp.sqrt(eta_w), s * w / xp.sqrt(eta_a) * u
    # Upstream a cannot vanish, and w = β₀/a is smooth through β₀ = 0.
    return DeepLinear([xp.where(delta > 0, beta0 / xp.where(a == 0, 1.0, a), w)[None, :], xp.reshape(a, (1, 1))])


def isotropic(
    key: Key[Array, ""],
    d: int,
    h: int,
    c: int,
    delta: ArrayLike,
    beta0: ArrayLike | None = None,
    scale: float = 1.0,
    rates: LayerRates = None,
) -> DeepLinear:
    r"""Return a two-layer linear network with $\Delta = \eta_w W_2^\top W_2 - \eta_a W_1 W_1^\top = \delta I_h$
    (kunin2024, Theorem 3).

    It computes the predictor `beta0` of shape (d, c), or a random one of norm about `scale`². Hidden units are mixed by
    a random rotation.

    $\Delta = \delta I_h$ exists only for $h \le c$ if $\delta > 0$ and $h \le d$ if $\delta < 0$. Beyond that bound m
    (c or d), $\Delta = \delta\Pi$ with $\Pi$ the projector onto the m hidden directions that the network uses, on which
    it acts as $\delta I$. This is sufficient for the closed forms.

    >>> import jax
    >>> net = isotropic(jax.random.key(0), d=5, h=3, c=4, delta=2.0)
    >>> bool(jnp.allclose(net.conserved_quantities()["Delta_1"], 2 * jnp.eye(3)))
    True
    """
    d, h, c = check_int("d", d), check_int("h", h), check_int("c", c)
    eta_w, eta_a = to_numpy_if_concrete(check_rates(rates, 2))
    delta = check_array_as_numpy("delta", delta, (0,))
    r = min(d, h, c)
    if not is_concrete(delta) and h > r:
        raise ValueError(
            f"with h = {h} > min(d, c) = {r} the shape of the network depends on the sign of delta, "
            "which must then be a known number, not traced by jit, vmap or grad"
        )
    upstream, downstream = (bool(delta > 0), bool(delta < 0)) if is_concrete(delta) else (False, False)
    m = max(min(h, c if upstream else d if downstream else r), r)
    (into, _), (out, _), (hidden, _), (_, uniform) = normal_and_uniform_arrays(
        check_key(key), ((d, d), (c, c), (h, m), (r,))
    )
    if beta0 is None:
        values = scale**2 * (0.5 + uniform)
        U, V = haar_from_normal(into), haar_from_normal(out)
    else:
        beta0 = check_array_as_numpy("beta0", beta0, (2,))
        if not is_concrete(beta0):
            beta0 = raise_if_differentiated(
                beta0,
                jnp.array(True),
                "inits.isotropic is not differentiable in beta0, of which it takes the singular vectors as they are; "
                "differentiate in delta, scale or rates",
            )
        if beta0.shape != (d, c):
            raise ValueError(f"beta0 must have shape (d, c) = {(d, c)}; found {beta0.shape}")
        U, values, Vt = xp.linalg.svd(beta0, full_matrices=True)
        V = Vt.T
        if is_concrete(values) and np.any(values[r:] > 1e-12 * values[0]):
            raise ValueError(f"beta0 has a rank above h = {h} and no network of that width computes it")
        values = values[:r]
    # Mode by mode a_i w_i = values_i and η_w a_i² − η_a w_i² = δ; in the rest of the hidden space only one layer is
    # nonzero.
    a, w = norms_from_product_and_difference(xp.sqrt(eta_w * eta_a) * values, delta)
    rest = np.ones(m - r)
    a = xp.concatenate([a, rest * (xp.sqrt(delta) if upstream else 0.0)])
    w = xp.concatenate([w, rest * (xp.sqrt(-delta) if downstream else 0.0)])
    W, A, R = w[:, None] * np.eye(m, d), a[:, None] * np.eye(m, c), haar_from_normal(hidden)
    return DeepLinear([R @ W @ U.T / xp.sqrt(eta_a), V @ A.T @ R.T / xp.sqrt(eta_w)])


def _check_nonnegative(name: str, value: ArrayLike) -> AnyArray:
    value = check_array_as_numpy(name, value, (0,))
    if is_concrete(value) and value < 0:
        raise ValueError(f"{name} must not be negative; found {float(value):g}")
    return value


def lambda_balanced(
    key: Key[Array, ""], d: int, h: int, c: int, lam: ArrayLike, beta0: ArrayLike | None = None, scale: float = 1.0
) -> DeepLinear:
    r"""Return a network with $W_2^\top W_2 - W_1W_1^\top = \lambda I$ (dln, section 9; Dominé et al. 2025): `isotropic`
    with $\delta = \lambda$."""
    return isotropic(key, d, h, c, lam, beta0=beta0, scale=scale)


def orthogonal(key: Key[Array, ""], d: int, h: int, c: int, gamma: ArrayLike) -> DeepLinear:
    r"""Return a network with $W_1 = \sqrt{2\gamma}P$, P with orthonormal columns, $W_2 = 0$ (varre2023, section 2.2).
    Needs $h \ge d$.

    >>> import jax
    >>> net = orthogonal(jax.random.key(0), d=3, h=8, c=2, gamma=0.5)
    >>> bool(jnp.allclose(net.weights[0].T @ net.weights[0], jnp.eye(3))), float(abs(net.beta).max())
    (True, 0.0)
    """
    d, h, c = check_int("d", d), check_int("h", h), check_int("c", c)
    if h < d:
        raise ValueError(f"an orthogonal first layer needs h ≥ d hidden units; found h = {h}, d = {d}")
    return DeepLinear(
        [xp.sqrt(2 * _check_nonnegative("gamma", gamma)) * random_orthonormal(check_key(key), h, d), np.zeros((c, h))]
    )


def neuron_from_shape(direction: ArrayLike, alpha: ArrayLike, shape: ArrayLike, sign: float = 1.0) -> DeepLinear:
    r"""Return the single neuron in azulay2021's coordinates: $|a|\,\|w\| = \alpha$, $|a|/\|w\| = (1+s)/(1-s)$, w along
    `direction`.

    >>> net = neuron_from_shape([0.6, 0.8], alpha=2.0, shape=0.5)
    >>> round(float(net.weights[1][0, 0]) ** 2, 12)                     # α (1+s)/(1−s)
    6.0
    """
    u = to_numpy_if_concrete(check_direction("direction", direction))
    alpha, s = _check_nonnegative("alpha", alpha), check_array_as_numpy("shape", shape, (0,))
    if is_concrete(s) and not bool(xp.abs(s) < 1):
        raise ValueError(f"the shape s lies strictly between −1 and 1; found {float(s):g}")
    ratio = (1 + s) / (1 - s)
    return DeepLinear([xp.sqrt(alpha / ratio) * u[None, :], sign * xp.reshape(xp.sqrt(alpha * ratio), (1, 1))])
