"""The interpolator of least potential, by Newton's method on the dual problem."""

from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import (
    array_namespace,
    as_float64_copy,
    cond,
    eager_or_traced,
    fori_loop,
    has_jax_array,
    is_concrete,
    scan,
    stop_gradient,
    while_loop,
    xp,
)
from lazyrich._core.device import to_jax
from lazyrich._core.linalg import FLOAT64_EPS, cholesky_solver
from lazyrich._core.pseudoinverse import least_squares
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich.potentials.potential import ArrayMap, Separable

SHORT_STEP, TARGET_STEP = (
    0.5,
    0.3,
)  # the first step of an iteration in units of `reach`: below the first it is short; the second is the target
MAX_NEWTON_STEPS = 4000  # factorizations, at most; tens are used
MAX_STEPS_WITHOUT_PROGRESS = 100  # iterations without progress: float64 has no point between here and the goal
N_REFINEMENTS = 3
# relative to `reach`: a step that leaves less of it ends at the boundary of the domain, up to rounding
DOMAIN_MARGIN = 1 / 16
MAX_LOG_WEIGHT_STEP = 12.0  # in logarithms of the weights; from further away the first Newton steps make no progress
N_HALVINGS = 5  # of a line search; more save no factorization
MAX_CHORD_STEPS = 12  # steps per factorization
UNIFORM_TOLERANCE = 0.1  # relative: a stretch that varies less is treated as constant, which costs a few more steps
ChordState = tuple[AnyArray, AnyArray, AnyArray, AnyArray, AnyArray, AnyArray]
Solver = Callable[[AnyArray], tuple[AnyArray, AnyArray]]


def orthonormal_rows(X: AnyArray) -> AnyArray:
    """Return T such that TX has orthonormal rows that span those of X. It has as many rows as the rank of X if X is
    concrete, else n."""
    if is_concrete(X):
        matrix = np.asarray(X)
        # Any well-conditioned T will do, so the Gram matrix is good enough unless it loses half the digits.
        if matrix.shape[0] <= matrix.shape[1]:
            lengths = np.linalg.norm(matrix, axis=1)
            unit = matrix / np.where(lengths > 0, lengths, 1.0)[:, None]
            try:
                lower = np.linalg.cholesky(unit @ unit.T)
            except np.linalg.LinAlgError:
                lower = np.zeros((len(matrix), len(matrix)))
            if np.min(np.diagonal(lower)) > 1e-3:
                return scipy.linalg.solve_triangular(lower, np.diag(1 / lengths), lower=True)
        wide = matrix.shape[0] <= matrix.shape[1]
        R = np.asarray(np.linalg.qr(matrix.T, mode="r")).T if wide else matrix
        U, s, _ = np.linalg.svd(R, full_matrices=False)
        r = int(np.sum(s > s[0] * max(matrix.shape) * FLOAT64_EPS))
        return (U[:, :r] / s[:r]).T
    triangle = jnp.linalg.qr(X.T, mode="r").T
    return jax.scipy.linalg.solve_triangular(triangle, jnp.eye(len(triangle)), lower=True)


class NewtonState(NamedTuple):
    nu: AnyArray
    part: AnyArray  # the fraction of the target reached so far
    log_scale: AnyArray  # the potential is that of weights e^log_scale times as large
    stride: AnyArray  # how far the next iteration may go, in units of `reach`; longer if the last one converged well
    error: AnyArray  # the residual at the goal, inf before; that of `best` and `beta`
    best: AnyArray
    beta: AnyArray
    rounds: AnyArray
    idle: AnyArray  # iterations without progress at the goal
    stuck: AnyArray  # iterations since the last advance or progress, near or far
    done: AnyArray


def _make_solver(rows: AnyArray, stretch: AnyArray) -> Solver:
    """Return a function side → (ν, rowsᵀν) with rows · diag(stretch) · rowsᵀν = side, by one factorization."""
    solve = _cholesky_solver(rows, stretch)

    def both(side: AnyArray) -> tuple[AnyArray, AnyArray]:
        nu = solve(side)
        return nu, nu @ rows

    return both


def _cholesky_solver(rows: AnyArray, stretch: AnyArray) -> Callable[[AnyArray], AnyArray]:
    """Return a function side → ν, by the Cholesky factor of the matrix with a unit diagonal.

    If a concrete stretch is nearly constant, no factorization is needed: the rows are orthonormal, and the steps are
    repeated anyway.
    """
    if not has_jax_array(stretch) and np.ptp(stretch) <= UNIFORM_TOLERANCE * (most := np.max(stretch)):
        return lambda side: side / most
    xp = array_namespace(stretch)
    half = rows * xp.sqrt(stretch)
    H = half @ half.T
    unit = 1 / xp.sqrt(xp.diagonal(H) + 1e-300)
    solve = cholesky_solver(unit[:, None] * H * unit + 4 * FLOAT64_EPS * len(H) * xp.eye(len(H)))
    return lambda side: unit * solve(unit * side)


def _line_search(inverse: ArrayMap, z: AnyArray, moved: AnyArray, slope: AnyArray, room: AnyArray) -> AnyArray:
    """Return the fraction of a Newton step that lowers the dual most, by bisection; 1 if the step is short."""

    xp = array_namespace(z)

    def halve(_: AnyArray, bracket: tuple[AnyArray, AnyArray]) -> tuple[AnyArray, AnyArray]:
        middle = xp.sqrt(bracket[0] * bracket[1])
        falls = moved @ inverse(z + middle * moved) < slope  # also false outside of the domain
        return xp.where(falls, middle, bracket[0]), xp.where(falls, bracket[1], middle)

    whole = xp.ones_like(room)
    return cond(
        room < SHORT_STEP, lambda: whole, lambda: fori_loop(0, N_HALVINGS, halve, (1 / xp.maximum(room, 1.0), whole))[0]
    )


def _chord_steps(
    rows: AnyArray,
    inverse: ArrayMap,
    goal_point: AnyArray,
    nu: AnyArray,
    z: AnyArray,
    solve: Solver,
    reach: AnyArray,
    noise: AnyArray,
) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Return (ν, z, error, room) after as many steps towards the solution as one factorization is accurate enough for;
    `room` is the length of the first in units of `reach`."""
    before, xp = (nu, z), array_namespace(z)

    def is_better(chord: ChordState) -> AnyArray:
        _, _, _, error, last, count = chord
        return (error > noise) & (error < 0.3 * last) & (count < MAX_CHORD_STEPS)

    def chord_step(chord: ChordState) -> ChordState:
        nu, z, residual, error, _, count = chord
        change, moved = solve(residual)
        residual = goal_point - rows @ inverse(z + moved)
        return nu + change, z + moved, residual, xp.linalg.norm(residual), error, count + 1

    residual = goal_point - rows @ inverse(z)
    error = xp.linalg.norm(residual)
    change, moved = solve(residual)
    room = xp.max(xp.abs(moved / reach))
    near = room < SHORT_STEP
    # Far away, take the fraction of a Newton step that lowers the dual most; near the solution, as many steps as the
    # factor is accurate enough for.
    damp = _line_search(inverse, z, moved, change @ goal_point, room)
    fresh = goal_point - rows @ inverse(z + damp * moved)
    chord = (nu + damp * change, z + damp * moved, fresh, xp.linalg.norm(fresh), xp.where(near, error, 0.0))
    nu, z, _, left_over, _, _ = while_loop(is_better, chord_step, (*chord, xp.zeros_like(error, int)))
    # The last step may have increased the error.
    worse = near & (left_over > error)
    nu, z = (xp.where(worse, old, new) for old, new in zip(before, (nu, z), strict=True))
    return nu, z, xp.where(worse, error, left_over), room


def _newton_direction(rows: AnyArray, stretch: AnyArray, push: AnyArray, solve: Solver) -> tuple[AnyArray, AnyArray]:
    """Return the direction (in ν and in z) that a change of the right-hand side leads to. The factor is from before the
    steps; iterative refinement corrects the direction for the new stretch."""
    ahead, further = solve(push)
    for _ in range(N_REFINEMENTS):
        change, moved = solve(push - rows @ (stretch * further))
        ahead, further = ahead + change, further + moved
    return ahead, further


def _newton_solve(
    rows: AnyArray, potential: Separable, target: AnyArray, begin: NewtonState, goal: AnyArray
) -> NewtonState:
    """Return the state with rows β(rowsᵀν) = target, for the potential of weights e^goal times as large.

    Each iteration uses one factorization. It takes as many steps as possible towards the solution for the current
    fraction of the target and scale of the potential, and then advances, first the fraction and afterwards the scale,
    as far as every coordinate stays within `reach`.
    """
    xp = array_namespace(target)
    size, maps_at = xp.linalg.norm(target), potential.mirror_maps_by_scale()

    def step(state: NewtonState) -> NewtonState:
        inverse, stretch_at, reach_at, _ = maps_at(state.log_scale)
        whole = state.part == 1
        start = cond(whole, lambda: xp.zeros_like(target), lambda: rows @ inverse(xp.zeros_like(rows[0])))
        goal_point = start + state.part * (target - start)
        z = state.nu @ rows
        stretch, reach = stretch_at(z), reach_at(z)
        solve = _make_solver(rows, stretch)
        noise = (
            2 * FLOAT64_EPS * (size + xp.linalg.norm(stretch * z))
        )  # effect on the outputs of rounding z and the target
        nu, z, left_over, room = _chord_steps(rows, inverse, goal_point, state.nu, z, solve, reach, noise)
        near = room < SHORT_STEP
        there = whole & (state.log_scale == goal)
        error = xp.where(there, left_over, np.inf)
        beta, stretch = inverse(z), stretch_at(z)
        fit = xp.sqrt(TARGET_STEP / xp.maximum(room, 1e-3))  # the error of a step grows with the square of its length
        stride = xp.where(near, state.stride * xp.clip(fit, 0.3, 2.0), xp.maximum(state.stride / 4, 0.5))
        part_left = xp.where(whole, state.log_scale - goal, 1 - state.part)

        def too_far(advance: AnyArray, further: AnyArray) -> AnyArray:
            """Return whether a step ends outside of the domain, or nearly at its boundary."""
            there, at = maps_at(xp.where(whole, state.log_scale - advance, state.log_scale)), z + advance * further
            return (~there.in_domain(at) | xp.any(there.step_scale(at) < DOMAIN_MARGIN * reach)) & (advance > 0)

        def gone_on() -> tuple[AnyArray, AnyArray]:
            """Advance to more of the target, then to smaller weights: β has the potential's degree in the weights."""
            push = xp.where(whole, rows @ (potential.degree * beta), target - start)
            ahead, further = _newton_direction(rows, stretch, push, solve)
            most = stride / xp.maximum(xp.max(xp.abs(further / reach)), 1e-300)
            advance = while_loop(
                lambda a: too_far(a, further),
                lambda a: xp.where(a > 1e-30 * part_left, a / 2, 0.0),
                xp.clip(most, 0.0, part_left),
            )
            return advance, nu + advance * ahead

        def refine_solution() -> AnyArray:
            """Correct the residual due to rounding of z in β, which is not rounded there."""
            once = beta + stretch * solve(target - rows @ beta)[1]
            return once + stretch * solve(target - rows @ once)[1]

        advance, onwards = cond(near & (part_left > 0), gone_on, lambda: (xp.zeros_like(part_left), nu))
        last = near & (advance > part_left * (1 - 1e-9))
        moved_on = xp.where(last, goal, state.log_scale - advance)
        progress = error < 0.5 * state.error
        idle = xp.where(progress | ~there | ~near, 0, state.idle + 1)
        stuck = xp.where(progress | (advance > 0), 0, state.stuck + 1)
        return NewtonState(
            onwards,
            xp.where(whole | last, 1.0, state.part + advance),
            xp.where(whole, moved_on, state.log_scale),
            stride,
            xp.minimum(error, state.error),
            xp.where(error < state.error, nu, state.best),
            cond(error < state.error, lambda: cond(near, refine_solution, lambda: beta), lambda: state.beta),
            state.rounds + 1,
            idle,
            stuck,
            (error <= noise) | (idle >= 3) | (stuck >= MAX_STEPS_WITHOUT_PROGRESS) | ~xp.isfinite(room),
        )

    return while_loop(lambda state: ~state.done & (state.rounds < MAX_NEWTON_STEPS), step, begin)


def _new_state(nu: AnyArray, part: AnyArray, log_scale: AnyArray, d: int) -> NewtonState:
    whole = xp.ones_like(log_scale)
    none = xp.zeros_like(log_scale, int)
    beta = xp.zeros_like(nu, shape=d)
    return NewtonState(nu, part, log_scale, whole, np.inf * whole, nu, beta, none, none, none, none > 0)


def _initial_state(potential: Separable, rows: AnyArray, target: AnyArray, goal: AnyArray) -> NewtonState:
    """Return the initial state: ν = 0 for weights so large that the dual variables stay of order one, and none of the
    target; or, if every z is in the domain, all of the target, for much smaller weights."""
    size = xp.log(xp.linalg.norm(target) + 1e-300)
    lazy = (size - potential.log_beta_scale) / potential.degree
    log_scale = xp.maximum(goal, lazy - MAX_LOG_WEIGHT_STEP if potential.has_full_domain else lazy)
    part = xp.full_like(log_scale, float(potential.has_full_domain))
    return _new_state(xp.zeros_like(target), part, log_scale, rows.shape[1])


def _minimize_along_scales(
    rows: AnyArray, potential: Separable, target: AnyArray, logs: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """Return β and ν at each scale, largest first, each starting from the one before."""

    def advance(state: NewtonState, goal: AnyArray) -> tuple[NewtonState, tuple[AnyArray, AnyArray]]:
        new = _newton_solve(rows, potential, target, state, goal)
        return _new_state(new.best, new.part, goal, rows.shape[1]), (new.beta, new.best)

    return scan(advance, _initial_state(potential, rows, target, logs[0]), logs)[1]


_minimize_traced = eqx.filter_custom_jvp(_minimize_along_scales)


@_minimize_traced.def_jvp
def _minimize_traced_jvp(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    """Differentiate the solution of rows β(rowsᵀν) = target by one linear equation, whose matrix is Newton's."""
    betas, nus = _minimize_traced(*primals)
    rows, potential, _, logs = primals
    arrays, rest = eqx.partition(potential, eqx.is_inexact_array)
    d_rows, d_arrays, d_target, d_logs = (
        jax.tree.map(lambda t, p: jnp.zeros_like(p) if t is None else t, t, p, is_leaf=lambda x: x is None)
        for t, p in zip(tangents, (rows, arrays, primals[2], logs), strict=True)
    )

    def one(log: Array, d_log: Array, beta: Array, nu: Array) -> tuple[Array, Array]:
        def image(rows: Array, arrays: PyTree, log: Array) -> Array:
            return eqx.combine(arrays, rest).with_scaled_layers(log).inverse(nu @ rows)

        drift = jax.jvp(image, (rows, arrays, log), (d_rows, d_arrays, d_log))[1]  # at fixed ν
        stretch = potential.with_scaled_layers(log).jacobian_diagonal(nu @ rows)
        d_nu = _cholesky_solver(rows, stretch)(d_target - d_rows @ beta - rows @ drift)
        return drift + stretch * (d_nu @ rows), d_nu

    return (betas, nus), jax.vmap(one)(logs, d_logs, betas, nus)


_minimize = eager_or_traced(_minimize_along_scales, eqx.filter_jit(_minimize_traced))


def bregman_projection(
    X: ArrayLike, y: ArrayLike, potential: Separable, scales: ArrayLike | None = None
) -> tuple[Array, Array]:
    r"""Return (β, z): the β of least potential among those of least squared error on (X, y), and z = ∇φ(β).

    $\beta = \nabla\varphi^*(X^\top\nu)$ where ν minimizes the dual $\varphi^*(X^\top\nu) - y^\top\nu$: N unknowns, no
    constraint. Rows of X may be dependent; if y cannot be reached, its projection is. `grad` uses implicit
    differentiation. With `scales`, the potentials are those of the network whose layers are multiplied by each scale.
    They are minimized along one path, each starting from the one before, which costs little more than the last alone; β
    has a row for each scale.

    >>> from lazyrich.potentials import HyperbolicEntropy
    >>> q = HyperbolicEntropy.from_k(jnp.log(1e-9) * jnp.ones(3))
    >>> beta, _ = bregman_projection([[1.0, 2.0, 2.1]], [3.0], q)  # 3/2.1 on the last coordinate would be ℓ1's
    >>> jnp.round(beta, 3)
    Array([0.   , 0.373, 1.073], dtype=float64)
    """
    rows, target = orthonormal_equations(as_float64_copy(X), as_float64_copy(y))
    return jax.tree.map(to_jax, bregman_projection_orthonormal(rows, target, potential, scales))


def orthonormal_equations(X: AnyArray, y: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return Xβ = y as equations with orthonormal rows, and their right-hand side."""
    T = orthonormal_rows(stop_gradient(X))
    # With more samples than features y may be unreachable; its projection on the range of X depends on X.
    return T @ X, T @ (y if X.shape[0] <= X.shape[1] else X @ least_squares(X, y))


def bregman_projection_orthonormal(
    rows: AnyArray, target: AnyArray, potential: Separable, scales: ArrayLike | None = None
) -> tuple[AnyArray, AnyArray]:
    """Solve `bregman_projection` for orthonormal rows."""
    if scales is None:
        beta, nu = _minimize(rows, potential, target, np.zeros(1))
        return beta[0], nu[0] @ rows
    logs = xp.log(as_float64_copy(scales))
    order = xp.argsort(-logs)
    beta, nu = _minimize(rows, potential, target, logs[order])
    back = xp.argsort(order)
    return beta[back], nu[back] @ rows
