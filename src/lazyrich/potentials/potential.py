"""What a potential is: a convex function whose gradient is the mirror map."""

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
    """What a solver asks of a separable potential again and again."""

    inverse: ArrayMap
    stretch: ArrayMap
    reach: ArrayMap
    inside: ArrayMap


class Potential(eqx.Module):
    r"""A strictly convex function φ of the predictor. A mirror flow $\frac{d}{dt}\nabla\varphi(\beta) = -\nabla L$
    reaches the interpolator that is nearest to its start in φ's Bregman divergence.

    `gradient` is the mirror map, `inverse` its inverse, `dual` the conjugate $\varphi^*$ whose gradient that is.
    """

    @abstractmethod
    def value(self, beta: Array) -> Float[Array, ""]:
        """φ(β)."""

    @abstractmethod
    def gradient(self, beta: Array) -> Array:
        """Return the mirror map ∇φ(β), in the shape of β."""

    @abstractmethod
    def inverse(self, z: Array) -> Array:
        """Return the β with ∇φ(β) = z."""

    def hessian(self, beta: Array) -> Array:
        """∇²φ(β), of shape β.shape + β.shape."""
        return jax.jacfwd(self.gradient)(xp.asarray(beta, float))

    def dual(self, z: Array) -> Float[Array, ""]:
        r"""Return $\varphi^*(z) = \langle z, \beta\rangle - \varphi(\beta)$ at $\beta = \nabla\varphi^*(z)$."""
        beta = self.inverse(z)
        return xp.sum(z * beta) - self.value(beta)

    def bregman(self, beta: Array, start: Array) -> Float[Array, ""]:
        r"""Return $D_\varphi(\beta, \beta_0) = \varphi(\beta) - \varphi(\beta_0) - \langle\nabla\varphi(\beta_0), \beta
        - \beta_0\rangle$."""
        beta, start = xp.asarray(beta, float), xp.asarray(start, float)
        return self.value(beta) - self.value(start) - xp.sum(self.gradient(start) * (beta - start))


class Separable(Potential):
    """A sum over coordinates. `stretch(z)` is dβ/dz, and `reach(z)` how far z may be moved before that changes much."""

    @abstractmethod
    def terms(self, beta: Array) -> Array:
        """Return the summands of φ(β)."""

    @abstractmethod
    def stretch(self, z: Array) -> Array:
        """dβ/dz, the inverse of the curvature."""

    @abstractmethod
    def reach(self, z: Array) -> Array:
        """Return the size of a step in z over which `stretch` changes by a factor of about e; inf where it is always
        0."""

    def maps(self) -> Callable[[AnyArray], MirrorMaps]:
        """log_factor → the maps of `scaled(log_factor)`."""

        def at(log_factor: AnyArray) -> MirrorMaps:
            here = self.scaled(log_factor)
            return MirrorMaps(here.inverse, here.stretch, here.reach, here.inside)

        return at

    everywhere: ClassVar[bool] = False  # is every z in the domain?

    def inside(self, z: AnyArray) -> AnyArray:
        """Is z in the domain?"""
        return np.True_

    @property
    @abstractmethod
    def log_sides(self) -> tuple[Array, Array]:
        """The logarithms of the sizes at the start of the two sides, of which β is the difference; −inf for none."""

    @property
    @abstractmethod
    def level(self) -> Array:
        """The logarithm of the largest |β| that is still near the start, in the sense that z is of order one."""

    @property
    @abstractmethod
    def degree(self) -> int:
        """β is multiplied by the factor's power of this degree when the layers are multiplied by a factor."""

    @abstractmethod
    def scaled(self, log_factor: AnyArray) -> "Separable":
        """Return the potential of the same network with all its layers multiplied by a factor, given by its logarithm;
        z may be counted in another unit."""

    def value(self, beta: Array) -> Float[Array, ""]:
        return xp.sum(self.terms(xp.asarray(beta, float)))

    def hessian(self, beta: Array) -> Array:
        return xp.diag(1 / self.stretch(self.gradient(xp.asarray(beta, float))))
