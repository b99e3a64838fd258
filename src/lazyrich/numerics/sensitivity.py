r"""Derivatives of a known trajectory with respect to its start and data: the variational equation along it.

With $\dot\theta = F(\theta, z)$ the derivative $S = \partial\theta/\partial z$ obeys $\dot S = F_\theta S + F_z$. This
equation is linear, and its coefficients are known wherever θ is. It is solved by collocation at Radau's points
(L-stable, so that fast decay needs no small steps) on panels as wide as polynomials allow. The panels depend on values
only, not on a direction of differentiation, so a derivative computed from S is linear and can be transposed.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, PyTree
from numpy.polynomial import legendre

from lazyrich._core.array_namespace import has_jax_array, tree_to_numpy, while_loop, xp
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow

N_NODES = 10
TOLERANCE = 1e-11  # of the last terms of a panel's polynomials, relative to the largest derivative so far
MAX_RELATIVE_PANEL = 0.5  # relative to the time before a panel
MAX_PANELS = 4000
MAX_SENSITIVITY = 1e12  # larger derivatives turn the rounding of a direction into an error of 1e-4


def _radau_nodes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the points in (0, 1], the weights of integrals from 0 to each, and the map from values at 0 and the points
    to coefficients."""
    last, before = np.eye(N_NODES + 1)[N_NODES], np.eye(N_NODES + 1)[N_NODES - 1]
    x = np.sort(legendre.legroots(last - before).real)
    x[-1] = 1.0
    P, k = legendre.legvander(x, N_NODES), np.arange(1, N_NODES)
    integrals = np.column_stack([(1 + x) / 2, (P[:, 2:] - P[:, :-2]) / (2 * (2 * k + 1))])
    return (1 + x) / 2, integrals @ np.linalg.inv(P[:, :-1]), np.linalg.inv(legendre.legvander(np.r_[-1.0, x], N_NODES))


POINTS, INTEGRALS, COEFFICIENTS = _radau_nodes()

Path = Callable[[AnyArray], Layers]


@eqx.filter_jit
def _field_jacobians(flow: GradientFlow, layers: Layers, perturbed: PyTree) -> tuple[Array, Array]:
    """Return ∂F/∂θ and ∂F/∂z at stacked layers, where z are the perturbed parts of the flow."""
    # The initial layers enter only through the state.
    outside = eqx.tree_at(lambda spec: spec.net.layers, perturbed, jax.tree.map(lambda _: False, flow.net.layers))
    moved, fixed = eqx.partition(flow, outside)
    z, unravel = ravel_pytree(moved)

    def at(layers: Layers) -> tuple[Array, Array]:
        theta, shaped = ravel_pytree(layers)

        def field(theta: Array, z: Array) -> Array:
            return ravel_pytree(eqx.combine(unravel(z), fixed).vector_field(shaped(theta)))[0]

        return jax.jacfwd(field)(theta, z), jax.jacfwd(field, 1)(theta, z)

    return jax.vmap(at)(layers)


def sensitivities(
    flow: GradientFlow, path: Path, times: Float[Array, " t"], perturbed: PyTree
) -> tuple[Float[Array, "t p z"], Bool[Array, ""], Bool[Array, ""]]:
    """Return ∂θ/∂z at each of the times, whether it stayed below `MAX_SENSITIVITY`, and whether the solver finished.

    `path` returns the layers along time; `perturbed` is the flow with True for each array that belongs to z. NumPy is
    used if flow and times are concrete, else JAX.
    """
    start = _jacobian_at_start(flow, perturbed)
    own = [bool(np.any(start[:, j])) for j in range(start.shape[1])]  # columns of the initial layers
    at = np.cumsum([not mine for mine in own]) - 1

    def coefficients(ts: AnyArray) -> tuple[AnyArray, AnyArray]:
        jacobians = _field_jacobians(flow, path(ts), perturbed)
        A, B = jacobians if has_jax_array(times) else tree_to_numpy(jacobians)
        columns = [xp.zeros_like(A[:, :, 0]) if mine else B[:, :, j] for mine, j in zip(own, at, strict=True)]
        return A, xp.stack(columns, axis=-1)

    end = xp.max(times)
    first = _field_jacobians(flow, jax.tree.map(lambda leaf: leaf[None], flow.net.layers), perturbed)[0][0]
    first = xp.max(xp.sum(xp.abs(first if has_jax_array(times) else np.asarray(first)), axis=-1))
    width = xp.where(first > 0, 1 / xp.where(first > 0, first, 1.0), end)
    state = (
        0.0 * end,
        width,
        start + 0.0 * end,
        xp.max(xp.abs(start + 0.0 * end), axis=0),
        xp.broadcast_to(start, (*times.shape, *start.shape)) + 0.0 * end,
        0 * xp.asarray(end, int),
    )

    def is_unfinished(state: tuple[AnyArray, ...]) -> AnyArray:
        return (state[0] < end) & (xp.max(state[3]) < MAX_SENSITIVITY) & (state[5] < MAX_PANELS)

    def panel(state: PyTree) -> PyTree:
        t, width, S, largest, results, count = state
        last = t + width >= end
        width = xp.where(last, end - t, width)
        values = xp.concatenate([S[None], _solve_collocation(*coefficients(t + width * POINTS), S, width)])
        terms = xp.tensordot(COEFFICIENTS, values, 1)
        now = xp.maximum(largest, xp.max(xp.abs(values), axis=(0, 1)))
        ratio = xp.max(xp.max(xp.abs(terms[-2:]), axis=(0, 1)) / xp.where(now > 0, now, 1.0)) / TOLERANCE
        ratio = xp.where(xp.isfinite(ratio), ratio, 1e30)
        good = ratio <= 1
        x = (times - t) / width
        inside = (x > 0) & ((x <= 1) | last)
        between = xp.tensordot(_legendre_coefficients(xp.clip(2 * x - 1, -1.0, 1.0)), terms, 1)
        results = xp.where((good & inside)[:, None, None], between, results)
        reached = xp.where(good, xp.where(last, end, t + width), t)
        wider = width * xp.clip(0.9 * xp.maximum(ratio, 1e-30) ** (-1 / N_NODES), 0.2, 3.0)
        wider = xp.where(
            good, xp.minimum(wider, xp.maximum(MAX_RELATIVE_PANEL * reached, width)), xp.minimum(wider, width / 2)
        )
        return reached, wider, xp.where(good, values[-1], S), xp.where(good, now, largest), results, count + 1

    t, _, _, largest, results, count = while_loop(is_unfinished, panel, state)
    return results, xp.max(largest) < MAX_SENSITIVITY, (t >= end) | (count < MAX_PANELS)


def _jacobian_at_start(flow: GradientFlow, perturbed: PyTree) -> Float[np.ndarray, "p z"]:
    """Return ∂θ(0)/∂z: ones for the layers that are part of z."""
    # Number each parameter, so that those of z can be identified, whatever the network's tree structure.
    leaves, tree = jax.tree.flatten(flow.net.layers)
    sizes = np.cumsum([0, *(leaf.size for leaf in leaves)])
    names = [np.arange(a, b).reshape(leaf.shape) + 1 for a, b, leaf in zip(sizes, sizes[1:], leaves, strict=False)]
    nothing = jax.tree.map(lambda leaf: np.zeros(leaf.shape, int), flow)
    named = eqx.tree_at(lambda spec: spec.net.layers, nothing, jax.tree.unflatten(tree, names))
    columns = np.concatenate([leaf.ravel() for leaf in jax.tree.leaves(eqx.filter(named, perturbed))])
    return (np.arange(1, sizes[-1] + 1)[:, None] == columns).astype(float)


def _solve_collocation(A: AnyArray, B: AnyArray, S: AnyArray, width: AnyArray) -> AnyArray:
    """Return S at the points of a panel, from S at its start."""
    p = A.shape[-1]
    weights = width * INTEGRALS
    blocks = xp.swapaxes(weights[:, :, None, None] * A, 1, 2).reshape(N_NODES * p, N_NODES * p)
    side = (S + xp.tensordot(weights, B, 1)).reshape(N_NODES * p, -1)
    return xp.linalg.solve(np.eye(N_NODES * p) - blocks, side).reshape(N_NODES, p, -1)


def _legendre_coefficients(x: AnyArray) -> AnyArray:
    """Return the Legendre polynomials at x, along the last axis."""
    P = [xp.ones_like(x), x]
    for n in range(1, N_NODES):
        P.append(((2 * n + 1) * x * P[n] - n * P[n - 1]) / (n + 1))
    return xp.stack(P, axis=-1)
