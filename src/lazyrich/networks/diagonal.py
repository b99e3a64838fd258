"""f(x) = x·(∏ u₊ − ∏ u₋), coordinate by coordinate."""

from collections.abc import Sequence

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import stop_gradient, xp
from lazyrich._core.linalg import FLOAT64_EPS
from lazyrich._core.types import AnyArray, ArrayLike, LayerRates, Layers
from lazyrich._validate.arrays import check_layers, check_rates_like
from lazyrich._validate.integers import check_int
from lazyrich.networks.network import LinearNetwork


def sum_and_difference(u: AnyArray, v: AnyArray, ratio: AnyArray) -> tuple[AnyArray, AnyArray]:
    r"""Return $(u \pm\sqrt{\eta_u/\eta_v}\,v)/2$, of which one grows and the other decays.

    A part that is zero up to rounding is set to zero; otherwise it could grow out of the last digit. Derivatives are
    those of the unrounded formula.
    """
    size = 4 * FLOAT64_EPS * stop_gradient(xp.abs(u) + xp.abs(ratio * v))
    parts = ((u + ratio * v) / 2, (u - ratio * v) / 2)
    first, second = (part - stop_gradient(xp.where(xp.abs(part) <= size, part, 0.0)) for part in parts)
    return first, second


def _safe_exp(part: AnyArray, exponent: AnyArray) -> AnyArray:
    """Return e^exponent, with the exponent capped where `part` is zero, since 0 · ∞ is NaN."""
    return xp.exp(xp.where(stop_gradient(part) == 0, xp.minimum(exponent, 700.0), exponent))


class Diagonal(LinearNetwork):
    r"""A diagonal linear network, $\beta = \prod_l u_{l+}^p - \prod_l u_{l-}^p$, all products coordinate-wise.

    `weights` holds one array of shape (2, d) per layer, the row $u_{l+}$ above the row $u_{l-}$. Untied networks have
    power p = 1 and one layer per factor (azulay2021: $\beta = u_+ \circ v_+ - u_- \circ v_-$); tied ones have a single
    layer and p = depth (smith2022: $\beta = w_+^2 - w_-^2$).

    Along a gradient flow the parameters depend on history only through $G(t) = -\int_0^t \partial L/\partial\beta$,
    when the depth is 2 or the network is tied: `at_mirror_variable(G)` returns them in closed form.

    >>> net = Diagonal([[[1.0, 2.0], [1.0, 1.0]]], power=2)
    >>> net.beta
    Array([0., 3.], dtype=float64)
    """

    weights: tuple[Float[Array, "2 d"], ...]
    power: int = eqx.field(static=True)

    def __init__(self, weights: Sequence[ArrayLike] | AnyArray, power: int = 1):
        self.weights = check_layers("weights", weights)
        self.power = check_int("power", power)
        if not self.weights:
            raise ValueError("a Diagonal network needs at least one weight matrix; found none")
        shapes = {u.shape for u in self.weights}
        if len(shapes) > 1 or self.weights[0].shape[0] != 2:
            raise ValueError(
                "every layer of a Diagonal network has shape (2, d), the row u₊ above the row u₋; "
                f"found {[u.shape for u in self.weights]}"
            )

    @property
    def layers(self) -> Layers:
        return self.weights

    @property
    def signed_factors(self) -> tuple[Float[Array, "2 d"], ...]:
        return self.weights

    @property
    def affine_in_parameters(self) -> bool:
        return self.degree == 1

    @property
    def n_inputs_outputs(self) -> tuple[int, int]:
        return self.weights[0].shape[1], 1

    @property
    def degrees(self) -> tuple[int, ...]:
        return (self.power,) * len(self.weights)

    @property
    def degree(self) -> int:
        return len(self.weights) * self.power

    @property
    def unit_norms(self) -> tuple[Float[Array, "2 d"], Float[Array, "2 d"]] | None:
        """The absolute weights into and out of two hidden units per coordinate, u₊ and u₋; None unless untied of depth
        2."""
        untied = len(self.weights) == 2 and self.power == 1
        return (xp.abs(self.weights[0]), xp.abs(self.weights[1])) if untied else None

    def rescale_units(self, w: Float[Array, "2 d"], a: Float[Array, "2 d"]) -> "Diagonal":
        if self.unit_norms is None:
            return super().rescale_units(w, a)
        return self.with_layers((w * self.weights[0], a * self.weights[1]))

    @property
    def part_scales(self) -> Float[Array, " d"]:
        """The largest absolute weight of each coordinate: coordinates move independently."""
        return xp.max(xp.abs(xp.stack(self.weights)), axis=(0, 1))

    @property
    def beta(self) -> Float[Array, " d"]:
        plus, minus = xp.prod(xp.stack(self.weights), axis=0) ** self.power
        return plus - minus

    def _beta_derivatives(self) -> list[Float[Array, "2 d"]]:
        """Return ∂β/∂u_l for each layer, negative for u₋."""
        sign = np.array([[1.0], [-1.0]])
        slopes = []
        for l, u in enumerate(self.weights):
            others = [v for m, v in enumerate(self.weights) if m != l]
            rest = xp.prod(xp.stack(others), axis=0) if others else xp.ones_like(u)
            slopes.append(sign * self.power * u ** (self.power - 1) * rest**self.power)
        return slopes

    def beta_pullback(self, G: Float[Array, " d"]) -> tuple[Array, ...]:
        return tuple(G * slope for slope in self._beta_derivatives())

    def ntk(
        self, X: Float[Array, "n d"], X2: Float[Array, "m d"] | None = None, rates: LayerRates = None
    ) -> Float[Array, "n m"]:
        X2 = X if X2 is None else X2
        rates = check_rates_like(self.weights, rates)
        metric = sum(
            rate * xp.sum(slope**2, axis=0) for rate, slope in zip(rates, self._beta_derivatives(), strict=True)
        )
        return (X * metric) @ X2.T

    def conserved_quantities(self, rates: LayerRates = None) -> dict[str, Array]:
        r"""Return $\delta_l = \eta_l u_{l+1}^2 - \eta_{l+1} u_l^2$ for u₊ and u₋, and the laws that couple u₊ to u₋.

        Depth 2 (azulay2021, appendix A): $c = u_+u_-/\eta_u + v_+v_-/\eta_v$ and $e = u_+v_- + v_+u_-$;
        tied: $w_+w_-$ at p = 2, $\pm|w_+|^{2-p} \pm |w_-|^{2-p}$ at p > 2 (the signs are those of $w^p$), and
        $w_+ + w_-$ at p = 1.
        """
        rates = check_rates_like(self.weights, rates)
        laws = {
            f"delta_{l + 1}": rates[l] * v**2 - rates[l + 1] * u**2
            for l, (u, v) in enumerate(zip(self.weights[:-1], self.weights[1:], strict=True))
        }
        if len(self.weights) == 2 and self.power == 1:
            (u, v), (eta_u, eta_v) = self.weights, rates
            laws["c"] = u[0] * u[1] / eta_u + v[0] * v[1] / eta_v
            laws["e"] = u[0] * v[1] + v[0] * u[1]
        elif len(self.weights) == 1 and self.power == 2:
            laws["c"] = self.weights[0][0] * self.weights[0][1]
        elif len(self.weights) == 1:
            w, p = self.weights[0], self.power
            size = xp.abs(xp.where(w == 0, 1.0, w)) ** (2.0 - p)
            dead = np.inf if p > 2 else 0.0  # a weight at zero stays there
            laws["c"] = xp.sum(xp.where(w == 0, dead, xp.sign(w) ** p * size), axis=0)
        return laws

    @property
    def has_mirror_variable(self) -> bool:
        """Whether `at_mirror_variable` has a closed form for this network."""
        return len(self.weights) == 1 or (len(self.weights) == 2 and self.power == 1)

    def at_mirror_variable(
        self, G: Float[Array, " d"], rates: LayerRates = None, log_scale: AnyArray | float = 0.0
    ) -> "Diagonal":
        r"""Return the network at the time when $-\int \partial L/\partial\beta\,dt = G$, for tied networks and depth 2.

        Tied: $\dot w_\pm = \pm \eta p\, w_\pm^{p-1} \dot G$, so $w_\pm e^{\pm 2\eta G}$ at p = 2 and
        $w_\pm^{2-p} \mp p(p-2)\eta G$ is constant at p > 2. Untied, depth 2: with $\eta = \sqrt{\eta_u\eta_v}$ the sums
        $\sqrt{\eta_v}\,u \pm \sqrt{\eta_u}\,v$ grow as $e^{\pm\eta G}$ for u₊, v₊ and as $e^{\mp\eta G}$ for u₋, v₋.

        The layers are multiplied by $e^{\text{log scale}}$, which weight decay needs: together with a large G, at depth
        two, without overflow.
        """
        rates = check_rates_like(self.weights, rates)
        S = xp.stack([G, -G])
        if len(self.weights) == 1:
            (w,), (eta,), p = self.weights, rates, self.power
            if p == 1:
                moved = (w + eta * S) * xp.exp(log_scale)
            elif p == 2:
                moved = w * _safe_exp(w, 2 * eta * S + log_scale)
            else:
                # w / (1 − p(p−2)η w^{p−2} G)^{1/(p−2)}, from w^{2−p}; w = 0 stays at 0
                moved = w * (1 - p * (p - 2) * eta * w ** (p - 2) * S) ** (-1.0 / (p - 2)) * xp.exp(log_scale)
            return self.with_layers((moved,))
        if not self.has_mirror_variable:
            raise ValueError(
                f"an untied Diagonal network of depth {self.degree} has no closed form in G: need depth 2, or tied"
            )
        ratio, eta = xp.sqrt(rates[0] / rates[1]), xp.sqrt(rates[0] * rates[1])
        rising, falling = sum_and_difference(self.weights[0], self.weights[1], ratio)
        exponents = (eta * S + log_scale, -eta * S + log_scale)
        grow, sink = (part * _safe_exp(part, e) for part, e in zip((rising, falling), exponents, strict=True))
        return self.with_layers((grow + sink, (grow - sink) / ratio))
