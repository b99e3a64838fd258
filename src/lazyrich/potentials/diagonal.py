"""The potential of a diagonal network."""

from collections.abc import Sequence

import equinox as eqx
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import eager_or_traced, stop_gradient, xp
from lazyrich._core.types import AnyArray
from lazyrich.networks import Network
from lazyrich.networks.diagonal import sum_and_difference
from lazyrich.potentials.deep_entropy import DeepEntropy
from lazyrich.potentials.entropy import HyperbolicEntropy
from lazyrich.potentials.potential import Separable


def _log_norm(*parts: Array) -> Array:
    """Return log √(Σx²), without underflow of the squares; −inf at 0, without a derivative there."""
    largest = xp.max(xp.abs(xp.stack(parts)), axis=0)
    alive = largest > 0
    unit = stop_gradient(xp.where(alive, largest, 1.0))
    square = xp.where(alive, xp.sum((xp.stack(parts) / unit) ** 2, axis=0), 1.0)
    return xp.where(alive, xp.log(unit) + xp.log(square) / 2, -np.inf)


def _diagonal_potential(net: Network, rates: Sequence[AnyArray]) -> Separable:
    r"""Return the potential of a diagonal network's mirror flow: its mirror map is $-\int\partial L/\partial\beta\,dt$.

    Depth 2: with $p, m = (\sqrt{\eta_v}u \pm \sqrt{\eta_u}v)/2$, $\eta = \sqrt{\eta_u\eta_v}$,
    $A = (p_+^2 + m_-^2)/\eta$ and $B = (m_+^2 + p_-^2)/\eta$ the hyperbolic entropy of speed 2η; tied
    $A, B = w_\pm^2$ with speed 4η. Deeper, balanced: $q_D$ of the sides' radii.
    """
    sides = net.signed_factors
    if sides is None:
        raise ValueError(
            f"diagonal_potential takes a diagonal network, whose β has two sides; found {type(net).__name__}"
        )
    if net.degree == 2 and len(sides) == 1:
        plus, minus = sides[0]
        return HyperbolicEntropy(2 * _log_norm(plus), 2 * _log_norm(minus), 4 * rates[0])
    if net.degree == 2:
        eta = xp.sqrt(rates[0] * rates[1])
        parts = sum_and_difference(sides[0], sides[1], xp.sqrt(rates[0] / rates[1]))
        p, m = (xp.sqrt(rates[1]) * part for part in parts)
        A, B = 2 * _log_norm(p[0], m[1]) - xp.log(eta), 2 * _log_norm(m[0], p[1]) - xp.log(eta)
        return HyperbolicEntropy(A, B, 2 * eta)
    D, power = net.degree, net.degree // len(sides)
    product = xp.prod(xp.stack([xp.sqrt(rate) for rate in rates])) ** power
    # β = P(r₊^D − r₋^D): the radii include the factor P, and the speed changes accordingly
    radius = xp.abs(sides[0]) / xp.sqrt(rates[0]) * product ** (1 / D)
    turned = xp.prod(xp.stack([xp.sign(u) for u in sides]), axis=0) ** power < 0
    plus, minus = xp.where(xp.any(turned, axis=0), radius[::-1], radius)
    speed = power * (D - 2) * product ** (2 / D)
    return DeepEntropy(_log_norm(plus), _log_norm(minus), D, speed)


diagonal_potential = eager_or_traced(_diagonal_potential, eqx.filter_jit(_diagonal_potential))
