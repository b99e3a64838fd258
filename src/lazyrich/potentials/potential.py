"""Potentials: convex functions whose gradient is the mirror map."""

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import xp
from lazyrich._core.types import AnyArray

ArrayMap = Callable[[AnyArray], AnyArray]


class MirrorMaps(NamedTuple):
    """The maps of a separable potential that a solver evaluates in each iteration."""

    inverse: ArrayMap
    jacobian_diagonal: ArrayMap
    step_scale: ArrayMap
    in_domain: ArrayMap


class Potential(eqx.Module):
    r"""A strictly convex function φ of the predictor. A mirror flow $\frac{d}{dt}\nabla\varphi(\beta) = -\nabla L$
    reaches the interpolator that is nearest to its start in φ's Bregman divergence.

    `gradient` is the mirror map, `inverse` its inverse, `conjugate` the function $\varphi^*$ whose gradient that is.
    """

    @abstractmethod
    def value(self, beta: Array) -> Float[Array, ""]:
        """Return φ(β)."""

    @abstractmethod
    def gradient(self, beta: Array) -> Array:
        """Return the mirror map ∇φ(β), in the shape of β."""

    @abstractmethod
    def inverse(self, z: Array) -> Array:
        """Return the β with ∇φ(β) = z."""

    def hessian(self, beta: Array) -> Array:
        """Return ∇²φ(β), of shape β.shape + β.shape."""
        return jax.jacfwd(self.gradient)(xp.asarray(beta, float))

    def conjugate(self, z: Array) -> Float[Array, ""]:
        r"""Return $\varphi^*(z) = \langle z, \beta\rangle - \varphi(\beta)$ at $\beta = \nabla\varphi^*(z)$."""
        beta = self.inverse(z)
        return xp.sum(z * beta) - self.value(beta)

    def bregman(self, beta: Array, start: Array) -> Float[Array, ""]:
        r"""Return $D_\varphi(\beta, \beta_0) = \varphi(\beta) - \varphi(\beta_0) - \langle\nabla\varphi(\beta_0), \beta
        - \beta_0\rangle$."""
        beta, start = xp.asarray(beta, float), xp.asarray(start, float)
        return self.value(beta) - self.value(start) - xp.sum(self.gradient(start) * (beta - start))


class Separable(Potential):
    """A sum over coordinates. `jacobian_diagonal(z)` is dβ/dz, and `step_scale(z)` is the distance by which z may move
    before that changes much."""

    @abstractmethod
    def terms(self, beta: Array) -> Array:
        """Return the summands of φ(β)."""

    @abstractmethod
    def jacobian_diagonal(self, z: Array) -> Array:
        """Return dβ/dz, the inverse of the curvature."""

    @abstractmethod
    def step_scale(self, z: Array) -> Array:
        """Return the size of a step in z over which `jacobian_diagonal` changes by a factor of about e; inf where it is
        always 0."""

    def mirror_maps(self) -> MirrorMaps:
        """Return the maps of this potential."""
        return self.mirror_maps_by_scale()(0.0)

    def mirror_maps_by_scale(self) -> Callable[[AnyArray], MirrorMaps]:
        """Return a function of `log_factor` that returns the maps of `with_scaled_layers(log_factor)`."""

        def maps_at(log_factor: AnyArray) -> MirrorMaps:
            scaled = self.with_scaled_layers(log_factor)
            return MirrorMaps(scaled.inverse, scaled.jacobian_diagonal, scaled.step_scale, scaled.in_domain)

        return maps_at

    has_full_domain: ClassVar[bool] = False  # whether every z is in the domain

    def in_domain(self, z: AnyArray) -> AnyArray:
        """Return whether z is in the domain."""
        return np.True_

    @property
    @abstractmethod
    def log_initial_sides(self) -> tuple[Array, Array]:
        """The logarithms of the initial sizes of the two sides whose difference is β; −inf for a zero side."""

    @property
    @abstractmethod
    def log_beta_scale(self) -> Array:
        """The logarithm of the largest |β| that is near the start, in the sense that z is of order one."""

    @property
    @abstractmethod
    def degree(self) -> int:
        """The degree of β in the layers: multiplying them by a factor multiplies β by this power of the factor."""

    @abstractmethod
    def with_scaled_layers(self, log_factor: AnyArray) -> "Separable":
        """Return the potential of the same network with all its layers multiplied by a factor, given by its logarithm.
        The unit of z may change."""

    def value(self, beta: Array) -> Float[Array, ""]:
        return xp.sum(self.terms(xp.asarray(beta, float)))

    def hessian(self, beta: Array) -> Array:
        return xp.diag(1 / self.jacobian_diagonal(self.gradient(xp.asarray(beta, float))))
