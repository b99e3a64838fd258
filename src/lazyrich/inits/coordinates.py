r"""The coordinates in which the sources describe an initialization, and conversions between them.

A hidden unit has an outgoing weight a and incoming weights w.

| source | coordinates | relation |
|---|---|---|
| kunin2024 | $\tau, \delta$ | $\tau^2 = \lvert a\rvert\,\|w\|$, $\delta = \eta_w a^2 - \eta_a\|w\|^2$ |
| azulay2021 | scale $\alpha$, shape $s$ | $\alpha = \lvert a\rvert\,\|w\|$, $(1+s)/(1-s) = \lvert a\rvert/\|w\|$ |
| dln, Dominé 2025 | $\lambda$ | $W_2^\top W_2 - W_1W_1^\top = \lambda I$, so $\lambda = \delta$ at unit rates |
| varre2023 | $\gamma$ | $W_1 = \sqrt{2\gamma}P$, $W_2 = 0$, so $\delta = -2\gamma$ on the range of $P$ |
| smith2022 | $\alpha$ | $w_\pm = \alpha\mathbb 1$, tied; the function scale is $\alpha^D$ |

kunin2024 prints $\delta^2 = \tau^2(\alpha^2 - \alpha^{-2})$; under that formula $\delta = -1$ would become $+1$. The
relation above is the one that a network initialized in this way satisfies.
"""

import jax.numpy as jnp
from jaxtyping import Array

from lazyrich._core.linalg import norms_from_product_and_difference
from lazyrich._core.types import AnyArray, ArrayLike, LayerRates
from lazyrich._validate.arrays import check_rates


def norms_from_tau_delta(tau: ArrayLike, delta: ArrayLike, rates: LayerRates = None) -> tuple[Array, Array]:
    r"""Return (‖w‖, |a|) of a unit with $|a|\,\|w\| = \tau^2$ and $\eta_w a^2 - \eta_a\|w\|^2 = \delta$.

    >>> w, a = norms_from_tau_delta(0.1, -1.0)
    >>> bool(abs(a**2 - w**2 + 1) < 1e-15), bool(abs(a * w - 0.01) < 1e-15)
    (True, True)
    """
    eta_w, eta_a = check_rates(rates, 2)
    a, w = norms_from_product_and_difference(jnp.sqrt(eta_w * eta_a) * jnp.asarray(tau, float) ** 2, delta)
    return w / jnp.sqrt(eta_a), a / jnp.sqrt(eta_w)


def alpha_from_tau_delta(tau: AnyArray, delta: ArrayLike, rates: LayerRates = None) -> Array:
    r"""Return kunin2024's relative scale $\alpha = |a|/\tau$, from $\delta = \tau^2(\eta_w\alpha^2 -
    \eta_a\alpha^{-2})$."""
    return norms_from_tau_delta(tau, delta, rates)[1] / tau


def delta_from_tau_alpha(tau: ArrayLike, alpha: ArrayLike, rates: LayerRates = None) -> Array:
    r"""Return $\delta = \tau^2(\eta_w\alpha^2 - \eta_a\alpha^{-2})$."""
    eta_w, eta_a = check_rates(rates, 2)
    tau, alpha = jnp.asarray(tau, float), jnp.asarray(alpha, float)
    return tau**2 * (eta_w * alpha**2 - eta_a / alpha**2)


def delta_from_shape(alpha: ArrayLike, shape: ArrayLike) -> Array:
    r"""Convert azulay2021's scale and shape to kunin2024's δ at unit rates: $\delta = 4\alpha s/(1 - s^2)$ (azulay2021,
    Lemma 2)."""
    s = jnp.asarray(shape, float)
    return 4 * jnp.asarray(alpha, float) * s / (1 - s**2)


def shape_from_delta(alpha: ArrayLike, delta: ArrayLike) -> Array:
    r"""Convert kunin2024's δ to azulay2021's shape at unit rates: $s = (|a| - \|w\|)/(|a| + \|w\|)$ with $|a|\,\|w\| =
    \alpha$."""
    a, w = norms_from_product_and_difference(alpha, delta)
    return jnp.asarray(delta, float) / (a + w) ** 2


def k_from_shape(alpha: ArrayLike, shape: ArrayLike) -> Array:
    r"""Return the parameter k of azulay2021's $q_k$: $\sqrt k = 4\alpha(1+s^2)/(1-s^2)$."""
    s = jnp.asarray(shape, float)
    return (4 * jnp.asarray(alpha, float) * (1 + s**2) / (1 - s**2)) ** 2


def gamma_from_delta(delta: ArrayLike) -> Array:
    r"""Return varre2023's $\gamma = -\delta/2$. (Its initialization, a first layer $\sqrt{2\gamma}P$ and a zero second
    layer, is downstream.)"""
    return -jnp.asarray(delta, float) / 2
