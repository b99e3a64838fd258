r"""Integrate a deep linear network in a frame in which a small mode is not hidden by large ones.

A mode of size m in a network of depth L is learned suddenly, after a time that is about $(top/m)^{L-2}$ times as long
as the learning itself takes. A relative error of m is amplified by that factor. So an error must be small compared
with the mode itself, not with its layer, and it must be smaller than the factor by which it grows.

Gradient flow commutes with rotations of the input, hidden and output spaces. In the frame of the layers' singular
vectors the modes are single coordinates, and each coordinate is measured in units of its own initial size.
"""

from itertools import pairwise
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.types import Layers
from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Network
from lazyrich.numerics.ode_system import ParameterSystem
from lazyrich.numerics.tolerances import FLOAT64_ROUNDING, MIN_RTOL, SMOOTH_RTOL, Tolerances, mode_tolerances
from lazyrich.problem import Problem, Square

SMALL_MODE = 1e-3  # relative to the largest singular value of a layer: a smaller mode can be hidden by the layer's norm
MIN_MODE = 1e-14  # relative to the largest: a smaller mode is rounding error
NOISE_TOLERANCE = 16 * FLOAT64_ROUNDING  # relative to the largest weight: size of the errors that fluctuate at rest
# relative to the initial residual: below this, every mode that can be distinguished is learned
RESIDUAL_AT_REST = 1e-12
MAX_PARAMETERS = 2_500


class ModeFrame(ParameterSystem):
    """The displacement θ − θ₀ of the rotated network, each coordinate in units of its own initial size."""

    description: ClassVar[str] = ", in the frame of its modes"

    rotated: GradientFlow
    frames: tuple[Array, ...]
    scales: tuple[Array, ...]
    growth: Array  # factor by which a relative error at the start has grown at the end

    def initial_state(self) -> Layers:
        return tuple(np.zeros(np.shape(scale)) for scale in self.scales)

    def _layers(self, y: Layers) -> Layers:
        return jax.tree.map(lambda W, z, s: W + s * z, self.rotated.net.layers, y, self.scales)

    def vector_field(self, y: Layers) -> Layers:
        return jax.tree.map(lambda slope, s: slope / s, self.rotated.vector_field(self._layers(y)), self.scales)

    def network(self, y: Layers) -> Network:
        layers = self._layers(y)
        return self.flow.net.with_layers(
            tuple(after @ W @ before.T for W, (before, after) in zip(layers, pairwise(self.frames), strict=True))
        )

    def tolerances(self, rtol: Array, reach: Array) -> Tolerances:
        return mode_tolerances(rtol, self.growth)

    def has_settled(self, y: Layers) -> bool:
        problem = self.flow.problem
        residual, start = (jnp.linalg.norm(net(problem.X) - problem.y) for net in (self.network(y), self.flow.net))
        return isinstance(problem.loss, Square) and bool(residual <= RESIDUAL_AT_REST * start)

    def output_uncertainty(self, atol: float, sensitivity: float) -> float:
        return MIN_RTOL * float(self.growth)


def mode_frame(flow: GradientFlow) -> ModeFrame | None:
    """Return the system in the frame of the modes, if the network is deep and linear and has a small mode."""
    net = flow.net
    if not isinstance(net, DeepLinear) or net.degree < 2:
        return None
    weights = [np.asarray(W) for W in net.weights]
    if sum(W.size for W in weights) > MAX_PARAMETERS:
        return None
    singular = [np.linalg.svd(W, compute_uv=False) for W in weights]
    top = max(values[0] for values in singular)
    smallest = min(np.min(values[values > MIN_MODE * values[0]], initial=np.inf) for values in singular)
    if not (0 < top < np.inf) or smallest > SMALL_MODE * min(values[0] for values in singular):
        return None
    growth = float((top / smallest) ** (net.degree - 2))
    U, _, Vt = np.linalg.svd(weights[0])
    frames = [Vt.T, U]
    for W in weights[1:]:
        frames.append(np.linalg.svd(W @ frames[-1])[0])
    turned = [after.T @ W @ before for W, (before, after) in zip(weights, pairwise(frames), strict=True)]
    problem = flow.problem
    X, y = np.asarray(problem.X) @ frames[0], np.asarray(problem.y).reshape(problem.n, -1) @ frames[-1]
    turned_problem = Problem(X, y, problem.loss, problem.kappa)
    rotated = GradientFlow(DeepLinear(turned), turned_problem, flow.rates, flow.decay)
    reach = max(1 / float(ParameterSystem(flow).sensitivity()), FLOAT64_ROUNDING / SMOOTH_RTOL * top)
    scales = tuple(jnp.asarray(_scales(W, top, reach)) for W in turned)
    return ModeFrame(flow, rotated, tuple(jnp.asarray(frame) for frame in frames), scales, jnp.asarray(growth))


def _scales(W: np.ndarray, top: float, reach: float) -> np.ndarray:
    """Return the size of each coordinate that is a mode, and for others a size at which rounding has no effect.

    No unit is larger than the reach: a lazy network hardly moves.
    """
    size = np.abs(W)
    beside = np.maximum(size.max(axis=0, keepdims=True), size.max(axis=1, keepdims=True))
    is_mode = (size > SMALL_MODE * beside) & (size > MIN_MODE * top)
    return np.where(
        is_mode, np.minimum(size, reach), np.maximum(np.minimum(size, reach), NOISE_TOLERANCE / MIN_RTOL * top)
    )
