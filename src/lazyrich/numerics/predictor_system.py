r"""Follow a two-layer linear network in its predictor, at a cost that does not depend on the width.

Let $Q = [W_2^\top, W_1]$ at unit rates. If $Q^\top Q = \mathrm{diag}(c_2I, c_1I)$ at the start, then for all times, all
data and all losses, with $s = (c_1 + c_2)/2$, $A = W_2W_1$ and $\nabla L = \partial L/\partial A$,

$$\dot A = -\sqrt{AA^\top + s^2}\,\nabla L - \nabla L\sqrt{A^\top A + s^2}.$$

It is integrated in the coordinates N of $A = s\sinh 2N$, in which s drops out. Put $M = [[0, N], [N^\top, 0]]$ and
$\Gamma = -[[0, \nabla L], [\nabla L^\top, 0]]$. Since $\dot Q = Q\Gamma$, and Γ is in the Lie algebra of O(c, d), the
polar decomposition of that group, $Q = Q_0Ke^M$ with $K = \mathrm{diag}(K_2, K_1)$ orthogonal, gives

$$\dot M = (x\coth x)\Gamma, \qquad \dot K = K\,(\tanh\tfrac x2)\Gamma, \qquad x = \mathrm{ad}_M.$$

A plateau of A is a straight line of N, a small mode beside a large one keeps its digits, and a weight decay that is
common to both layers enters only through $s(t) = s_0e^{-2\kappa t}$. K is the rotation of the hidden units.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import is_concrete, tree_to_numpy
from lazyrich._core.linalg import nearest_orthogonal
from lazyrich._core.stacked_map import vmap_over_stack
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Network
from lazyrich.numerics.ode_system import OdeSystem
from lazyrich.numerics.tolerances import FLOAT64_ROUNDING, Tolerances, predictor_tolerances, residual_norm

MAX_DEFECT = 1e-12  # of the columns of Q from orthogonal blocks, relative to s
TINY = 1e-290  # of the scales: beyond it, or its inverse, their squares or products overflow
MAX_OUTPUT_DEFECT = 1e-9  # of the outputs due to such a defect, relative to the residual
DIFFERENCE_STEP = 1e-5  # of central differences: of order one are the coordinates and their second derivatives


class PredictorState(NamedTuple):
    """The coordinates N, the rotations K₂ and K₁ of the hidden units, and log s(t)/s(0); None for a part that is not
    followed."""

    N: AnyArray
    K2: AnyArray | None
    K1: AnyArray | None
    log_decay: AnyArray | None


class SingularFrame(NamedTuple):
    """N = U diag(ν) Vᵀ, with U of shape (c, k), V of shape (d, k), k = min(c, d)."""

    U: Array
    nu: Array
    V: Array


def singular_frame(N: Float[Array, "c d"]) -> SingularFrame:
    """Decompose N = U diag(ν) Vᵀ."""
    U, nu, Vt = jnp.linalg.svd(N, full_matrices=False)
    return SingularFrame(U, nu, Vt.T)


def x_coth_x(x: Array) -> Array:
    """Return x coth x, which is 1 at 0."""
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1.0, safe / jnp.tanh(safe))


def coordinate_velocity(frame: SingularFrame, B: Float[Array, "c d"]) -> Float[Array, "c d"]:
    r"""Return the block Ṅ of $(x\coth x)\Gamma$, $x = \mathrm{ad}_M$, for Γ = [[0, B], [Bᵀ, 0]].

    In the singular vectors of N, with h(x) = x coth x, the symmetric part of B is multiplied by h(ν_i − ν_j), the
    antisymmetric part by h(ν_i + ν_j), and what lies outside of their span by h(ν_i).
    """
    U, nu, V = frame
    inside = U.T @ B @ V
    even, odd = (inside + inside.T) / 2, (inside - inside.T) / 2
    h = x_coth_x(nu)
    core = x_coth_x(nu[:, None] - nu) * even + x_coth_x(nu[:, None] + nu) * odd
    right, left = U.T @ B - inside @ V.T, B @ V - U @ inside
    return U @ (core @ V.T + h[:, None] * right) + (left * h) @ V.T


def rotation_velocity(frame: SingularFrame, B: Float[Array, "c d"]) -> tuple[Array, Array]:
    r"""Return the blocks of $\Omega = (\tanh\tfrac x2)\Gamma$, where $\dot K_l = K_l\Omega_l$."""
    U, nu, V = frame
    inside = U.T @ B @ V
    even, odd = (inside + inside.T) / 2, (inside - inside.T) / 2
    turn = jnp.tanh(nu / 2)
    apart, together = jnp.tanh((nu[:, None] - nu) / 2) * even, jnp.tanh((nu[:, None] + nu) / 2) * odd
    right, left = U.T @ B - inside @ V.T, (B @ V - U @ inside) * turn
    second = U @ (apart - together) @ U.T + U @ left.T - left @ U.T
    across = V @ (turn[:, None] * right)
    return second, V @ (apart + together) @ V.T + across - across.T


def scaled_sinh(nu: Array, log_scale: Array) -> Array:
    """Return e^log_scale sinh ν for ν ≥ 0, also where one of the two factors overflows or underflows."""
    near = nu < 1
    small = jnp.exp(log_scale) * jnp.sinh(jnp.where(near, nu, 0.0))
    return jnp.where(near, small, (jnp.exp(nu + log_scale) - jnp.exp(log_scale - nu)) / 2)


def scaled_cosh_minus_one(nu: Array, log_scale: Array) -> Array:
    """Return e^log_scale (cosh ν − 1) for ν ≥ 0."""
    return 2 * scaled_sinh(nu / 2, log_scale / 2) ** 2


class PredictorSystem(OdeSystem):
    r"""The coordinates N of the predictor $A = s\sinh 2N$ and, if asked for, the rotation K of the hidden units.

    `flow` is that of a network with c + d hidden units, which has the same predictor and tangent kernel at all times.
    """

    log_scale: Array  # of s(0) at unit rates
    decay: Array  # κ, common to both layers
    follows: tuple[bool, bool, bool] = eqx.field(static=True)  # whether K₂, K₁ and the decay are part of the state

    @property
    def description(self) -> str:  # type: ignore[override]
        return ", in the predictor" + ("" if any(self.follows[:2]) else ", hidden units up to a rotation")

    def initial_state(self) -> PredictorState:
        c, d = self.flow.problem.c, self.flow.problem.d
        parts = np.eye(c), np.eye(d), np.zeros(())
        followed = (part if is_followed else None for part, is_followed in zip(parts, self.follows, strict=True))
        return PredictorState(np.zeros((c, d)), *followed)

    @property
    def _sqrt_rates(self) -> tuple[Array, Array]:
        first, second = self.flow.rates
        return jnp.sqrt(first), jnp.sqrt(second)

    def vector_field(self, y: PredictorState) -> PredictorState:
        frame, problem = singular_frame(y.N), self.flow.problem
        root = self._sqrt_rates[0] * self._sqrt_rates[1]
        scale = self.log_scale + jnp.log(root) + (0.0 if y.log_decay is None else y.log_decay)
        A = (frame.U * scaled_sinh(2 * frame.nu, scale)) @ frame.V.T
        B = -root * problem.slope(problem.X @ A.T).T @ problem.X
        second, first = rotation_velocity(frame, B)
        return PredictorState(
            coordinate_velocity(frame, B),
            None if y.K2 is None else y.K2 @ second,
            None if y.K1 is None else y.K1 @ first,
            None if y.log_decay is None else -2 * self.decay,
        )

    def _transition(self, y: PredictorState) -> Float[Array, "m m"]:
        """Return $T = e^{-\\kappa t}Ke^M$, so that Q = Q₀T."""
        U, nu, V = singular_frame(y.N)
        c, d = y.N.shape
        log_decay = jnp.zeros(()) if y.log_decay is None else y.log_decay / 2
        still, rise = jnp.exp(log_decay), scaled_cosh_minus_one(nu, log_decay)
        across = (U * scaled_sinh(nu, log_decay)) @ V.T
        K2, K1 = (np.eye(n) if K is None else nearest_orthogonal(K) for n, K in ((c, y.K2), (d, y.K1)))
        second = jnp.hstack([still * np.eye(c) + (U * rise) @ U.T, across])
        first = jnp.hstack([across.T, still * np.eye(d) + (V * rise) @ V.T])
        return jnp.vstack([K2 @ second, K1 @ first])

    def network(self, y: PredictorState) -> Network:
        return self.flow.net.with_layers(_transported_layers(self.flow, self._transition(y)))

    def networks(self, flow: GradientFlow, states: PredictorState) -> Network:
        transitions = np.asarray(vmap_over_stack(self._transition, states))
        layers = _transported_layers(tree_to_numpy(flow), transitions)
        shapes = [np.shape(layer) for layer in flow.net.layers]
        return flow.net.with_layers(
            tuple(layer.reshape(-1, *shape) for layer, shape in zip(layers, shapes, strict=True))
        )

    def tolerances(self, rtol: Array, reach: Array) -> Tolerances:
        return predictor_tolerances(rtol, reach)

    def sensitivity(self) -> Array:
        X, scale = self.flow.problem.X, jnp.exp(self.log_scale) * self._sqrt_rates[0] * self._sqrt_rates[1]
        return 2 * scale * jnp.linalg.norm(X) * np.sqrt(self.flow.problem.c) / residual_norm(self.flow)

    def output_uncertainty(self, atol: float, sensitivity: float) -> float:
        # The product of the layers is rounded at the scale s.
        return sensitivity * max(atol, FLOAT64_ROUNDING)

    def jacobian(self, y: PredictorState) -> Float[Array, "p p"]:
        # Singular vectors have no derivative where singular values meet, but the field is smooth there.
        flat, unravel = ravel_pytree(y)

        def field(z: Array) -> Array:
            return ravel_pytree(self.vector_field(unravel(z)))[0]

        shifts = DIFFERENCE_STEP * jnp.eye(flat.size)
        return jax.vmap(lambda shift: (field(flat + shift) - field(flat - shift)) / (2 * DIFFERENCE_STEP))(shifts).T


def _transported_layers(flow: GradientFlow, transition: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return W₁ and W₂ of Q = Q₀T, for one T or a stack of them."""
    weights = flow.net.weight_matrices
    assert weights is not None
    (W, V), (first, second) = weights, flow.rates
    c, ratio = len(V), (first / second) ** 0.5
    # At the rates of the flow: W₁ = W₁T₁₁ + √(η₁/η₂) W₂ᵀT₂₁, and the other way around.
    W1 = W @ transition[..., c:, c:] + ratio * (V.T @ transition[..., :c, c:])
    W2 = V.T @ transition[..., :c, :c] + (W @ transition[..., c:, :c]) / ratio
    return W1, W2.swapaxes(-1, -2)


def orthogonal_blocks(flow: GradientFlow) -> tuple[float, float, float] | None:
    """Return c₁, c₂ and the defect of QᵀQ = diag(c₂I, c₁I) at unit rates, relative to s; None if the network does not
    have two linear layers, or is zero."""
    weights = flow.net.weight_matrices
    if weights is None or len(weights) != 2 or not is_concrete(flow):
        return None
    W, V = (np.asarray(M) / np.sqrt(float(rate)) for M, rate in zip(weights, flow.rates, strict=True))
    top = max(np.max(np.abs(W)), np.max(np.abs(V)))
    if not 0 < top < np.inf:
        return None
    W, V = W / top, V / top
    d, c = W.shape[1], len(V)
    c1, c2 = np.sum(W**2) / d, np.sum(V**2) / c
    off = W.T @ W - c1 * np.eye(d), V @ V.T - c2 * np.eye(c), V @ W
    defect = max(float(np.max(np.abs(part))) for part in off) / (c1 + c2) * 2
    with np.errstate(over="ignore", invalid="ignore"):
        c1, c2 = float(c1 * top**2), float(c2 * top**2)
    return (c1, c2, defect) if np.isfinite(c1) and np.isfinite(c2) else None


def cannot_leave_out_rotation(flow: GradientFlow, concrete: bool) -> str:
    """Return the message about a flow that is not followed in its predictor."""
    measured = orthogonal_blocks(flow) if concrete else None
    deviation = (
        "a flow that is traced by jit, vmap or grad"
        if not concrete
        else f"{type(flow.net).__name__}, which is no two-layer linear network or has only zeros"
        if measured is None
        else f"layers off by {measured[2]:.0e} of their size"
    )
    return (
        "hidden_rotation=False leaves out the rotation of the hidden units, for layers that start as orthogonal blocks "
        f"(inits.wide); found {deviation}. Call integrate(flow, times) without it"
    )


def predictor_system(flow: GradientFlow, hidden_rotation: bool = True) -> PredictorSystem | None:
    """Return the system in the predictor, if the network has two linear layers in orthogonal blocks."""
    measured = orthogonal_blocks(flow)
    if measured is None or not measured[2] <= MAX_DEFECT or not TINY < measured[0] + measured[1] < 1 / TINY:
        return None
    c1, c2, defect = measured
    kappa = [0.0, 0.0] if flow.decay is None else [float(rate) for rate in flow.decay_rates]
    if abs(kappa[0] - kappa[1]) > MAX_DEFECT * max(kappa):  # the layers shrink at different rates
        return None
    c, d = flow.problem.c, flow.problem.d
    first, second = (float(rate) for rate in flow.rates)
    below, above = np.eye(c + d, d, -c), np.eye(c, c + d)
    net = DeepLinear([np.sqrt(first * c1) * below, np.sqrt(second * c2) * above])
    compact = flow.with_problem(flow.problem.compress()).with_net(net)
    follows = bool(hidden_rotation and c2 > 0), bool(hidden_rotation and c1 > 0), kappa[0] > 0
    system = PredictorSystem(compact, jnp.log((c1 + c2) / 2), jnp.asarray(kappa[0]), follows)
    # In a very lazy network even a small overlap of the blocks is an output that matters.
    return system if defect * float(system.sensitivity()) <= MAX_OUTPUT_DEFECT else None
