"""Compare the tangent kernels of two-layer networks on infinite data, in closed form: no inputs are drawn."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._core.gaussian_moments import unit_cosines
from lazyrich._core.power_of_two_scaling import normalize
from lazyrich._core.types import LayerRates
from lazyrich._validate.arrays import check_rates
from lazyrich.networks.network import Network


def population_kernel_distance(now: Network, start: Network, rates: LayerRates = None) -> Float[Array, ""]:
    r"""Return the kernel distance S between two piecewise-linear networks over all inputs $x \sim N(0, I)$.

    $S = 1 - \langle K, K_0\rangle/(\|K\|\|K_0\|)$ with $\langle K, K_0\rangle = E_{x,x'}K(x, x')K_0(x, x')
    = \sum_{ij}\eta_i\eta_j(E\,\partial_if\,\partial_jf_0)^2$: a sum over pairs of units, each in closed form. On the
    sphere S is the same.

    >>> from lazyrich import TwoLayer
    >>> net = TwoLayer([[1.0, 0.0]], [1.0])
    >>> float(population_kernel_distance(net, net).round(12))
    0.0
    >>> float(population_kernel_distance(TwoLayer([[-1.0, 0.0]], [1.0]), net).round(12))     # never both active
    1.0
    """
    eta_w, eta_a = check_rates(rates, 2)
    inner, square, square0 = (_kernel_inner(f, g, eta_w, eta_a) for f, g in ((now, start), (now, now), (start, start)))
    scale = jnp.sqrt(square) * jnp.sqrt(square0)
    return jnp.maximum(1 - inner / jnp.where(scale > 0, scale, 1.0), 0.0)


def _kernel_inner(f: Network, g: Network, eta_w: Array, eta_a: Array) -> Array:
    """Return E K(x, x')K₀(x, x') for networks Σ a_k σ(w_k·x), σ(z) = αz + γ|z|."""
    (W, a, slope), (V, b, _) = _scaled_units(f), _scaled_units(g)
    d, alpha, gamma = W.shape[1], ((1 + slope) / 2) ** 2, 2 / jnp.pi * ((1 - slope) / 2) ** 2
    w, v, sine, cosine = unit_cosines(W, V)
    angle = jnp.arctan2(cosine, sine)  # arcsin of the cosine
    product = w[:, None] * v * (alpha * cosine + gamma * (sine + cosine * angle))  # E σσ
    turned = alpha + gamma * angle
    pull = turned**2 + gamma * sine * (gamma * sine + 2 * turned * cosine)  # ‖E σ'xσ‖², with unit weights
    gates = d * turned**2 + 2 * (gamma * sine) ** 2  # ‖E σ'σ'xxᵀ‖²
    hidden = (a**2)[:, None] * v**2 + (w**2)[:, None] * b**2
    return jnp.sum(eta_w**2 * (a**2)[:, None] * b**2 * gates + eta_w * eta_a * hidden * pull + eta_a**2 * product**2)


def _scaled_units(net: Network) -> tuple[Array, Array, float]:
    """Return the units with W and a divided by one power of two, which divides the kernel by its square."""
    W, a, slope = neuron_units(net)
    (W, a), _ = normalize((W, a))
    return W, a, slope


def neuron_units(net: Network) -> tuple[Array, Array, float]:
    """Return W, a and the slope below zero; an error if the units are not piecewise linear."""
    if net.neuron_parameters is None:
        raise TypeError(f"need a TwoLayer network of piecewise-linear units; found {type(net).__name__}")
    return net.neuron_parameters
