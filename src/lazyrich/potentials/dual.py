"""The interpolator of least potential, by Newton's method on its dual."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Array, Float

from lazyrich._check import concrete
from lazyrich.potentials.potential import Separable
from lazyrich.problem import least_squares

NEAR, FIT = 0.5, 0.3  # the first step of a round, in units of `reach`: when it is short, and as it should be
ROUNDS = 4000  # factorisations, at most; tens are used
REFINEMENTS = 3
HALVINGS = 10  # of a line search
CHORDS = 12  # steps with one factorisation
EPS = float(jnp.finfo(float).eps)
Chord = tuple[Array, Array, Array, Array, Array, Array]
Solver = Callable[[Array], tuple[Array, Array]]


def orthonormal_rows(X: Array) -> Float[Array, "r n"]:
    """T with TX of orthonormal rows that span those of X: r is the rank of X where X is known, else n."""
    if concrete(X):
        known = np.asarray(X)
        # Any T that is not too skew will do, so the Gram matrix is good enough unless it loses half the digits.
        if known.shape[0] <= known.shape[1]:
            lengths = np.linalg.norm(known, axis=1)
            unit = known / np.where(lengths > 0, lengths, 1.0)[:, None]
            try:
                lower = np.linalg.cholesky(unit @ unit.T)
            except np.linalg.LinAlgError:
                lower = np.zeros((len(known), len(known)))
            if np.min(np.diagonal(lower)) > 1e-3:
                return jnp.asarray(scipy.linalg.solve_triangular(lower, np.diag(1 / lengths), lower=True))
        wide = known.shape[0] <= known.shape[1]
        R = np.asarray(np.linalg.qr(known.T, mode="r")).T if wide else known
        U, s, _ = np.linalg.svd(R, full_matrices=False)
        r = int(np.sum(s > s[0] * max(known.shape) * EPS))
        return jnp.asarray((U[:, :r] / s[:r]).T)
    triangle = jnp.linalg.qr(jax.lax.stop_gradient(X).T, mode="r").T
    return jax.scipy.linalg.solve_triangular(triangle, jnp.eye(len(triangle)), lower=True)


class State(eqx.Module):
    nu: Float[Array, " r"]
    part: Float[Array, ""]  # of the target, reached so far
    log_scale: Float[Array, ""]  # by how much the potential is that of larger weights, still
    stride: Array  # how far the next round may go, in units of `reach`: the further, the better the last one fitted
    error: Float[Array, ""]  # the residual at the goal, inf before; `best` has it, and `beta` belongs to it
    best: Float[Array, " r"]
    beta: Float[Array, " d"]
    rounds: Array
    idle: Array  # rounds without progress at the goal
    done: Array


def _factor(rows: Array, stretch: Array) -> tuple[Any, Array]:
    """The Cholesky factor of rows · diag(stretch) · rowsᵀ with a unit diagonal, and the units."""
    H = jnp.einsum("id,jd->ij", rows * stretch, rows)
    unit = jax.lax.rsqrt(jnp.diagonal(H) + 1e-300)
    scaled = unit[:, None] * H * unit + 4 * EPS * len(H) * jnp.eye(len(H))
    return jax.scipy.linalg.cho_factor(scaled, lower=True), unit


def _solver(rows: Array, stretch: Array) -> Solver:
    """side → (ν, rowsᵀν) with rows · diag(stretch) · rowsᵀν = side, by one factorisation."""
    factor, unit = _factor(rows, stretch)

    def solve(side: Array) -> tuple[Array, Array]:
        nu = unit * jax.scipy.linalg.cho_solve(factor, unit * side)
        return nu, nu @ rows

    return solve


def _damping(here: Separable, z: Array, moved: Array, slope: Array, room: Array) -> Array:
    """As much of a Newton step as lowers the dual most, by halving; all of it, if it is short."""

    def halve(_: Array, bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        middle = jnp.sqrt(bracket[0] * bracket[1])
        falls = moved @ here.inverse(z + middle * moved) < slope  # false outside of the domain, too
        return jnp.where(falls, middle, bracket[0]), jnp.where(falls, bracket[1], middle)

    def searched() -> Array:
        return jax.lax.fori_loop(0, HALVINGS, halve, (1.0 / jnp.maximum(room, 1.0), jnp.ones(())))[0]

    return jax.lax.cond(room < NEAR, lambda: jnp.ones(()), searched)


def _approached(
    rows: Array, here: Separable, wanted: Array, nu: Array, solve: Solver, reach: Array, noise: Array
) -> tuple[Array, Array, Array, Array]:
    """(ν, z, error, room) after as many steps towards the solution as one factorisation is good for; `room` is the
    length of the first in units of `reach`."""
    before, z = nu, nu @ rows

    def better(chord: Chord) -> Array:
        _, _, _, error, last, count = chord
        return (error > noise) & (error < 0.3 * last) & (count < CHORDS)

    def again(chord: Chord) -> Chord:
        nu, z, residual, error, _, count = chord
        change, moved = solve(residual)
        residual = wanted - rows @ here.inverse(z + moved)
        return nu + change, z + moved, residual, jnp.linalg.norm(residual), error, count + 1

    residual = wanted - rows @ here.inverse(z)
    error = jnp.linalg.norm(residual)
    change, moved = solve(residual)
    room = jnp.max(jnp.abs(moved / reach))
    near = room < NEAR
    # Far away: as much of a Newton step as lowers the dual most. Near: all that the factor is good for.
    damp = _damping(here, z, moved, change @ wanted, room)
    fresh = wanted - rows @ here.inverse(z + damp * moved)
    chord = (nu + damp * change, z + damp * moved, fresh, jnp.linalg.norm(fresh), jnp.where(near, error, 0.0))
    nu, z, _, left_over, _, _ = jax.lax.while_loop(better, again, (*chord, jnp.array(0)))
    # The last step may have been one too many.
    worse = near & (left_over > error)
    return (
        jnp.where(worse, before, nu),
        jnp.where(worse, before @ rows, z),
        jnp.where(worse, error, left_over),
        room,
    )


def _ahead(rows: Array, stretch: Array, push: Array, solve: Solver) -> tuple[Array, Array]:
    """Where a push leads. The factor is that of the place before the steps; iterative refinement makes the direction
    that of the new one, with its own stretch."""
    ahead, further = solve(push)
    for _ in range(REFINEMENTS):
        change, moved = solve(push - rows @ (stretch * further))
        ahead, further = ahead + change, further + moved
    return ahead, further


def _newton(rows: Array, potential: Separable, target: Array, begin: State, goal: Array) -> State:
    """ν with rows β(rowsᵀν) = target, for the potential of weights e^goal times as large.

    Each round is one factorisation. It is used for as many steps towards the solution for the present part of the
    target and scale of the potential as it is good for, and then to go on, with the part first and the scale
    afterwards, as far as keeps every coordinate in `reach`.
    """
    size = jnp.linalg.norm(target)

    def step(state: State) -> State:
        here = potential.scaled(state.log_scale)
        start = rows @ here.inverse(jnp.zeros(rows.shape[1]))
        whole = state.part == 1
        wanted = start + state.part * (target - start)
        z = state.nu @ rows
        stretch, reach = here.stretch(z), here.reach(z)
        solve = _solver(rows, stretch)
        noise = 2 * EPS * (size + jnp.linalg.norm(stretch * z))  # rounding of z and of the target, seen in the outputs
        nu, z, left_over, room = _approached(rows, here, wanted, state.nu, solve, reach, noise)
        near = room < NEAR
        # Go on: with more of the target, then with smaller weights.
        drift = jax.jvp(lambda log: potential.scaled(log).inverse(z), (state.log_scale,), (jnp.ones(()),))[1]
        stretch = here.stretch(z)
        ahead, further = _ahead(rows, stretch, jnp.where(whole, rows @ drift, target - start), solve)
        fit = jnp.sqrt(FIT / jnp.maximum(room, 1e-3))  # a step twice as long errs four times as much
        stride = jnp.where(near, state.stride * jnp.clip(fit, 0.3, 2.0), jnp.maximum(state.stride / 4, 0.5))
        most = stride / jnp.maximum(jnp.max(jnp.abs(further / reach)), 1e-300)
        left = jnp.where(whole, state.log_scale - goal, 1 - state.part)

        def outside(advance: Array) -> Array:
            there = potential.scaled(jnp.where(whole, state.log_scale - advance, state.log_scale))
            return ~there.inside(z + advance * further) & (advance > 0)

        advance = jnp.where(near, jnp.clip(most, 0.0, left), 0.0)
        advance = jax.lax.while_loop(outside, lambda a: jnp.where(a > 1e-30 * left, a / 2, 0.0), advance)
        last = near & (advance > left * (1 - 1e-9))
        part = jnp.where(whole | last, 1.0, state.part + advance)
        moved_on = jnp.where(last, goal, state.log_scale - advance)
        there = whole & (state.log_scale == goal)
        error = jnp.where(there, left_over, jnp.inf)
        progress = error < 0.5 * state.error
        # What rounding in z leaves of the residual is taken off in β, where it does not round.
        beta = here.inverse(z)
        for _ in range(2):
            beta = beta + stretch * solve(target - rows @ beta)[1]
        idle = jnp.where(progress | ~there | ~near, 0, state.idle + 1)
        return State(
            nu + advance * ahead,
            part,
            jnp.where(whole, moved_on, state.log_scale),
            stride,
            jnp.minimum(error, state.error),
            jnp.where(error < state.error, nu, state.best),
            jnp.where(error < state.error, beta, state.beta),
            state.rounds + 1,
            idle,
            (error <= noise) | (idle >= 3),
        )

    return jax.lax.while_loop(lambda state: ~state.done & (state.rounds < ROUNDS), step, begin)


def _fresh(nu: Array, part: Array, log_scale: Array, d: int) -> State:
    never, none = jnp.array(jnp.inf), jnp.array(0)
    return State(nu, part, log_scale, jnp.ones(()), never, nu, jnp.zeros(d), none, none, jnp.array(False))


def _lazy(potential: Separable, rows: Array, target: Array, goal: Array) -> State:
    """The place to begin: weights so large that the dual variables stay of order one."""
    size = jnp.log(jnp.linalg.norm(target) + 1e-300)
    log_scale = jnp.maximum(goal, (size - potential.level) / potential.degree)
    return _fresh(jnp.zeros(len(target)), jnp.zeros(()), log_scale, rows.shape[1])


@eqx.filter_custom_jvp
def _minimum(rows: Array, potential: Separable, target: Array, logs: Array) -> tuple[Array, Array]:
    """β and ν at each scale, largest first, each from the one before."""

    def along(state: State, goal: Array) -> tuple[State, tuple[Array, Array]]:
        new = _newton(rows, potential, target, state, goal)
        return _fresh(new.best, new.part, goal, rows.shape[1]), (new.beta, new.best)

    return jax.lax.scan(along, _lazy(potential, rows, target, logs[0]), logs)[1]


@_minimum.def_jvp
def _minimum_jvp(primals: Any, tangents: Any) -> Any:
    """The solution of rows β(rowsᵀν) = target moves by one linear equation, whose matrix is Newton's."""
    betas, nus = _minimum(*primals)
    rows, potential, _, logs = primals
    arrays, rest = eqx.partition(potential, eqx.is_inexact_array)
    d_rows, d_arrays, d_target, d_logs = (
        jax.tree.map(lambda t, p: jnp.zeros_like(p) if t is None else t, t, p, is_leaf=lambda x: x is None)
        for t, p in zip(tangents, (rows, arrays, primals[2], logs), strict=True)
    )

    def one(log: Array, d_log: Array, beta: Array, nu: Array) -> tuple[Array, Array]:
        def image(rows: Array, arrays: Any, log: Array) -> Array:
            return eqx.combine(arrays, rest).scaled(log).inverse(nu @ rows)

        drift = jax.jvp(image, (rows, arrays, log), (d_rows, d_arrays, d_log))[1]  # at fixed ν
        stretch = potential.scaled(log).stretch(nu @ rows)
        factor, unit = _factor(rows, stretch)
        d_nu = unit * jax.scipy.linalg.cho_solve(factor, unit * (d_target - d_rows @ beta - rows @ drift))
        return drift + stretch * (d_nu @ rows), d_nu

    return (betas, nus), jax.vmap(one)(logs, d_logs, betas, nus)


_minimise = eqx.filter_jit(_minimum)


def project(X: Any, y: Any, potential: Separable, scales: Any = None) -> tuple[Array, Array]:
    r"""(β, z): the β of least potential among those of least squared error on (X, y), and its mirror image.

    $\beta = \nabla\varphi^*(X^\top\nu)$ where ν minimises the dual $\varphi^*(X^\top\nu) - y^\top\nu$: N unknowns, no
    constraint. Rows of X may be dependent; if y is not reached, its projection is. `grad` goes through by implicit
    differentiation. With `scales`, for the potentials of the network whose layers are multiplied by each: one path,
    each point from the one before, for little more than the price of the last; β has a row for each.

    >>> from lazyrich.potentials import HyperbolicEntropy
    >>> q = HyperbolicEntropy.from_k(jnp.log(1e-9) * jnp.ones(3))
    >>> beta, _ = project([[1.0, 2.0, 2.1]], [3.0], q)                  # 3/2.1 on the last coordinate would be ℓ1's
    >>> jnp.round(beta, 3)
    Array([0.   , 0.373, 1.073], dtype=float64)
    """
    rows, target = orthonormal_equations(jnp.asarray(X, float), jnp.asarray(y, float))
    return solved(rows, target, potential, scales)


def orthonormal_equations(X: Array, y: Array) -> tuple[Float[Array, "r d"], Float[Array, " r"]]:
    """Xβ = y as orthonormal rows times β: what X sees of β, and what it should be."""
    T = orthonormal_rows(jax.lax.stop_gradient(X))
    # With more samples than features y may be out of reach; what is in reach of it moves with X.
    return T @ X, T @ (y if X.shape[0] <= X.shape[1] else X @ least_squares(X, y))


def solved(rows: Array, target: Array, potential: Separable, scales: Any = None) -> tuple[Array, Array]:
    """`project` for orthonormal rows."""
    if scales is None:
        beta, nu = _minimise(rows, potential, target, jnp.zeros(1))
        return beta[0], nu[0] @ rows
    logs = jnp.log(jnp.asarray(scales, float))
    order = jnp.argsort(-logs)
    beta, nu = _minimise(rows, potential, target, logs[order])
    back = jnp.argsort(order)
    return beta[back], nu[back] @ rows
