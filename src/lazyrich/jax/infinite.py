r"""Fully connected networks of infinite width: their Gaussian process (NNGP) and their tangent kernel, in closed form.

A layer of the network is $z^{(l)} = \frac{\sigma_w}{\sqrt{n}} W^{(l)} \varphi(z^{(l-1)}) + \sigma_b b^{(l)}$ with
independent standard normal W and b, n its number of inputs (NTK parametrization; the first layer reads x without φ).
Only fully connected layers are covered: no convolutions, no attention, no normalization.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi
from typing import NamedTuple, Protocol

import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from lazyrich._validate.integers import check_int


class Kernels(NamedTuple):
    """Covariance of an output at initialization, and tangent kernel, both (n, m). All outputs are independent with
    these kernels."""

    nngp: Array
    ntk: Array


class Activation(Protocol):
    """Expectations of an activation φ for normal variables u, v with these second moments."""

    def moment(self, uu: Array, vv: Array, uv: Array) -> Array:
        """Return E φ(u)φ(v)."""

    def derivative_moment(self, uu: Array, vv: Array, uv: Array) -> Array:
        """Return E φ′(u)φ′(v)."""


@dataclass(frozen=True)
class Rectifier:
    r"""max(z, ρz) with slope ρ below 0: ReLU at 0, the identity at 1, |z| at −1.

    It is $\frac{1+\rho}{2}z + \frac{1-\rho}{2}|z|$, and $E|u||v| = \frac2\pi\sqrt{E u^2 E v^2}\,(\sqrt{1-r^2} +
    r\arcsin r)$ with r the correlation: the arc-cosine kernel of Cho & Saul (2009).
    """

    negative_slope: float = 0.0

    def moment(self, uu: Array, vv: Array, uv: Array) -> Array:
        odd, even = (1 + self.negative_slope) ** 2 / 4, (1 - self.negative_slope) ** 2 / 4
        size, r = _correlation(uu, vv, uv)
        return odd * uv + even * (2 / pi) * size * (_safe_sqrt_one_minus_square(r) + r * _safe_arcsin(r))

    def derivative_moment(self, uu: Array, vv: Array, uv: Array) -> Array:
        odd, even = (1 + self.negative_slope) ** 2 / 4, (1 - self.negative_slope) ** 2 / 4
        _, r = _correlation(uu, vv, uv)
        return odd + even * (2 / pi) * _safe_arcsin(r)


@dataclass(frozen=True)
class Erf:
    """The error function (Williams 1997)."""

    def moment(self, uu: Array, vv: Array, uv: Array) -> Array:
        return (2 / pi) * jnp.arcsin(2 * uv / jnp.sqrt((1 + 2 * uu) * (1 + 2 * vv)))

    def derivative_moment(self, uu: Array, vv: Array, uv: Array) -> Array:
        return (4 / pi) / jnp.sqrt((1 + 2 * uu) * (1 + 2 * vv) - 4 * uv**2)


relu, linear, absolute, erf = Rectifier(), Rectifier(1.0), Rectifier(-1.0), Erf()


def leaky_relu(negative_slope: float) -> Rectifier:
    """Return the activation max(z, ρz), or for ρ > 1 the minimum of the two, with slope ρ below 0."""
    return Rectifier(float(negative_slope))


def mlp(
    depth: int,
    activation: Activation = relu,
    *,
    weight: float = 1.0,
    bias: float = 0.0,
    rates: Sequence[float] | None = None,
) -> Callable[..., Kernels]:
    r"""Return the kernels k(x, x2=None) of a network with `depth` layers of weights, σ_w = `weight` and σ_b = `bias`.

    With layer-wise learning rates η_l (1 if None), for weights and bias of a layer,
    $\Theta^{(l)} = \eta_l K^{(l)} + \sigma_w^2\,\dot K^{(l-1)} \circ \Theta^{(l-1)}$ from
    $K^{(l)} = \sigma_w^2 E\varphi\varphi + \sigma_b^2$ and $\dot K = E\varphi'\varphi'$ (Jacot et al. 2018).
    Activations are `relu`, `leaky_relu(negative_slope)`, `absolute`, `erf` and `linear`. `jit` and `grad` work. In
    float32, inputs at an angle below 1e-3 are not distinguished, and the tangent kernel between them is accurate to
    about 5e-4; that of an input with itself is exact.

    >>> kernels = mlp(2, linear)
    >>> kernels(jnp.array([[1.0, 1.0]])).ntk.tolist()   # x·x/d from each of two layers
    [[2.0]]
    >>> mlp(2, linear, rates=(1.0, 0.0))(jnp.array([[1.0, 1.0]])).ntk.tolist()
    [[1.0]]
    """
    depth = check_int("depth", depth)
    eta = (1.0,) * depth if rates is None else tuple(rates)
    if len(eta) != depth:
        raise ValueError(f"rates must be one for each of the {depth} layers; found {len(eta)}")

    def kernels(x: Float[Array, "n d"], x2: Float[Array, "m d"] | None = None) -> Kernels:
        x = _check_inputs("x", x)
        other = x if x2 is None else _check_inputs("x2", x2)
        if x.shape[1] != other.shape[1]:
            raise ValueError(f"x and x2 must have as many features; found {x.shape[1]} and {other.shape[1]}")
        d = x.shape[1]

        def layer(moment: PyTree) -> PyTree:
            return weight**2 * moment + bias**2

        K, uu, vv = layer(x @ other.T / d), layer((x**2).sum(1) / d), layer((other**2).sum(1) / d)
        same = jnp.eye(len(x), dtype=bool) if x2 is None else jnp.zeros((len(x), len(other)), bool)
        ntk = eta[0] * K
        for rate in eta[1:]:
            K = jnp.where(same, uu[:, None], K)
            slope = activation.derivative_moment(uu[:, None], vv[None, :], K)
            K = layer(activation.moment(uu[:, None], vv[None, :], K))
            uu, vv = (layer(activation.moment(s, s, s)) for s in (uu, vv))
            ntk = rate * K + weight**2 * slope * ntk
        return Kernels(jnp.where(same, uu[:, None], K), ntk)

    return kernels


def _check_inputs(name: str, x: PyTree) -> Array:
    x = jnp.asarray(x)
    if x.ndim != 2 or not jnp.issubdtype(x.dtype, jnp.floating) or 0 in x.shape:
        raise ValueError(
            f"{name} must be floating-point numbers of shape (samples, features); found {x.shape}, {x.dtype}"
        )
    return x


def _correlation(uu: Array, vv: Array, uv: Array) -> tuple[Array, Array]:
    """Return √(E u² E v²), and the correlation, clipped to [−1, 1], and 0 where a variable is 0."""
    size = jnp.sqrt(uu) * jnp.sqrt(vv)
    r = jnp.where(size > 0, jnp.clip(uv / jnp.where(size > 0, size, 1.0), -1.0, 1.0), 0.0)
    # Near 1, an angle has half the digits of its cosine. A variable has correlation 1 with itself.
    return size, jnp.where((uv == uu) & (uv == vv) & (size > 0), 1.0, r)


def _safe_sqrt_one_minus_square(r: Array) -> Array:
    """Return √(1 − r²), with derivative 0 at ±1, where the derivative of the whole expression is finite."""
    inside = jnp.abs(r) < 1
    return jnp.where(inside, jnp.sqrt(jnp.where(inside, (1 - r) * (1 + r), 1.0)), 0.0)


def _safe_arcsin(r: Array) -> Array:
    """Return arcsin(r), with derivative 0 at ±1: the kernel of an input with itself depends only on its length."""
    inside = jnp.abs(r) < 1
    return jnp.where(inside, jnp.arcsin(jnp.where(inside, r, 0.0)), jnp.sign(r) * pi / 2)
