"""The interpolator of least potential, by Newton's method on its dual."""

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Array

from lazyrich._arrays import Numbers, ahead, choose, fixed, held, in_turn, loop, repeat, space, theirs, xp
from lazyrich._check import concrete, stored
from lazyrich._linalg import cholesky_solver
from lazyrich.potentials.potential import Map, Separable
from lazyrich.problem import least_squares

NEAR, FIT = 0.5, 0.3  # the first step of a round, in units of `reach`: when it is short, and as it should be
ROUNDS = 4000  # factorisations, at most; tens are used
STUCK = 100  # rounds that lead nowhere: float64 has no point between here and the goal
REFINEMENTS = 3
EDGE = 1 / 16  # of `reach`: a step that leaves less of it ends at the end of the domain, but for rounding
RICHER = 12.0  # in logarithms of the weights; from further away the first steps of a Newton method are in vain
HALVINGS = 5  # of a line search; more save no factorisation
CHORDS = 12  # steps with one factorisation
EVEN = 0.1  # of its size: a stretch that varies less is one number, which costs a few more steps
EPS = float(jnp.finfo(float).eps)
Chord = tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Numbers]
Solver = Callable[[Numbers], tuple[Numbers, Numbers]]


def orthonormal_rows(X: Numbers) -> Numbers:
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
                return scipy.linalg.solve_triangular(lower, np.diag(1 / lengths), lower=True)
        wide = known.shape[0] <= known.shape[1]
        R = np.asarray(np.linalg.qr(known.T, mode="r")).T if wide else known
        U, s, _ = np.linalg.svd(R, full_matrices=False)
        r = int(np.sum(s > s[0] * max(known.shape) * EPS))
        return (U[:, :r] / s[:r]).T
    triangle = jnp.linalg.qr(X.T, mode="r").T
    return jax.scipy.linalg.solve_triangular(triangle, jnp.eye(len(triangle)), lower=True)


class State(NamedTuple):
    nu: Numbers
    part: Numbers  # of the target, reached so far
    log_scale: Numbers  # by how much the potential is that of larger weights, still
    stride: Numbers  # how far the next round may go, in units of `reach`: the further, the better the last one fitted
    error: Numbers  # the residual at the goal, inf before; `best` has it, and `beta` belongs to it
    best: Numbers
    beta: Numbers
    rounds: Numbers
    idle: Numbers  # rounds without progress at the goal
    stuck: Numbers  # rounds since the last way forward or progress, near or far
    done: Numbers


def _solver(rows: Numbers, stretch: Numbers) -> Solver:
    """side → (ν, rowsᵀν) with rows · diag(stretch) · rowsᵀν = side, by one factorisation."""
    solve = _factored(rows, stretch)

    def both(side: Numbers) -> tuple[Numbers, Numbers]:
        nu = solve(side)
        return nu, nu @ rows

    return both


def _factored(rows: Numbers, stretch: Numbers) -> Callable[[Numbers], Numbers]:
    """side → ν, by the Cholesky factor of the matrix with a unit diagonal.

    Known numbers that are nearly even need none, since the rows are orthonormal: the steps are repeated anyway.
    """
    if not theirs(stretch) and np.ptp(stretch) <= EVEN * (most := np.max(stretch)):
        return lambda side: side / most
    xp = space(stretch)
    half = rows * xp.sqrt(stretch)
    H = half @ half.T
    unit = 1 / xp.sqrt(xp.diagonal(H) + 1e-300)
    solve = cholesky_solver(unit[:, None] * H * unit + 4 * EPS * len(H) * xp.eye(len(H)))
    return lambda side: unit * solve(unit * side)


def _damping(inverse: Map, z: Numbers, moved: Numbers, slope: Numbers, room: Numbers) -> Numbers:
    """As much of a Newton step as lowers the dual most, by halving; all of it, if it is short."""

    xp = space(z)

    def halve(bracket: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
        middle = xp.sqrt(bracket[0] * bracket[1])
        falls = moved @ inverse(z + middle * moved) < slope  # false outside of the domain, too
        return xp.where(falls, middle, bracket[0]), xp.where(falls, bracket[1], middle)

    whole = xp.ones_like(room)
    return choose(room < NEAR, lambda: whole, lambda: repeat(HALVINGS, halve, (1 / xp.maximum(room, 1.0), whole))[0])


def _approached(
    rows: Numbers, inverse: Map, wanted: Numbers, nu: Numbers, z: Numbers, solve: Solver, reach: Numbers, noise: Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """(ν, z, error, room) after as many steps towards the solution as one factorisation is good for; `room` is the
    length of the first in units of `reach`."""
    before, xp = (nu, z), space(z)

    def better(chord: Chord) -> Numbers:
        _, _, _, error, last, count = chord
        return (error > noise) & (error < 0.3 * last) & (count < CHORDS)

    def again(chord: Chord) -> Chord:
        nu, z, residual, error, _, count = chord
        change, moved = solve(residual)
        residual = wanted - rows @ inverse(z + moved)
        return nu + change, z + moved, residual, xp.linalg.norm(residual), error, count + 1

    residual = wanted - rows @ inverse(z)
    error = xp.linalg.norm(residual)
    change, moved = solve(residual)
    room = xp.max(xp.abs(moved / reach))
    near = room < NEAR
    # Far away: as much of a Newton step as lowers the dual most. Near: all that the factor is good for.
    damp = _damping(inverse, z, moved, change @ wanted, room)
    fresh = wanted - rows @ inverse(z + damp * moved)
    chord = (nu + damp * change, z + damp * moved, fresh, xp.linalg.norm(fresh), xp.where(near, error, 0.0))
    nu, z, _, left_over, _, _ = loop(better, again, (*chord, xp.zeros_like(error, int)))
    # The last step may have been one too many.
    worse = near & (left_over > error)
    nu, z = (xp.where(worse, old, new) for old, new in zip(before, (nu, z), strict=True))
    return nu, z, xp.where(worse, error, left_over), room


def _ahead(rows: Numbers, stretch: Numbers, push: Numbers, solve: Solver) -> tuple[Numbers, Numbers]:
    """Where a push leads. The factor is that of the place before the steps; iterative refinement makes the direction
    that of the new one, with its own stretch."""
    ahead, further = solve(push)
    for _ in range(REFINEMENTS):
        change, moved = solve(push - rows @ (stretch * further))
        ahead, further = ahead + change, further + moved
    return ahead, further


def _newton(rows: Numbers, potential: Separable, target: Numbers, begin: State, goal: Numbers) -> State:
    """ν with rows β(rowsᵀν) = target, for the potential of weights e^goal times as large.

    Each round is one factorisation. It is used for as many steps towards the solution for the present part of the
    target and scale of the potential as it is good for, and then to go on, with the part first and the scale
    afterwards, as far as keeps every coordinate in `reach`.
    """
    xp = space(target)
    size, maps_at = xp.linalg.norm(target), potential.maps()

    def step(state: State) -> State:
        inverse, stretch_at, reach_at, _ = maps_at(state.log_scale)
        whole = state.part == 1
        start = choose(whole, lambda: xp.zeros_like(target), lambda: rows @ inverse(xp.zeros_like(rows[0])))
        wanted = start + state.part * (target - start)
        z = state.nu @ rows
        stretch, reach = stretch_at(z), reach_at(z)
        solve = _solver(rows, stretch)
        noise = 2 * EPS * (size + xp.linalg.norm(stretch * z))  # rounding of z and of the target, seen in the outputs
        nu, z, left_over, room = _approached(rows, inverse, wanted, state.nu, z, solve, reach, noise)
        near = room < NEAR
        there = whole & (state.log_scale == goal)
        error = xp.where(there, left_over, np.inf)
        beta, stretch = inverse(z), stretch_at(z)
        fit = xp.sqrt(FIT / xp.maximum(room, 1e-3))  # a step twice as long errs four times as much
        stride = xp.where(near, state.stride * xp.clip(fit, 0.3, 2.0), xp.maximum(state.stride / 4, 0.5))
        left = xp.where(whole, state.log_scale - goal, 1 - state.part)

        def too_far(advance: Numbers, further: Numbers) -> Numbers:
            """Out of the domain, or nearly at its end."""
            there, at = maps_at(xp.where(whole, state.log_scale - advance, state.log_scale)), z + advance * further
            return (~there.inside(at) | xp.any(there.reach(at) < EDGE * reach)) & (advance > 0)

        def gone_on() -> tuple[Numbers, Numbers]:
            """With more of the target, then with smaller weights: β is of the potential's degree in them."""
            push = xp.where(whole, rows @ (potential.degree * beta), target - start)
            ahead, further = _ahead(rows, stretch, push, solve)
            most = stride / xp.maximum(xp.max(xp.abs(further / reach)), 1e-300)
            advance = loop(
                lambda a: too_far(a, further),
                lambda a: xp.where(a > 1e-30 * left, a / 2, 0.0),
                xp.clip(most, 0.0, left),
            )
            return advance, nu + advance * ahead

        def polished() -> Numbers:
            """What rounding in z leaves of the residual is taken off in β, where it does not round."""
            once = beta + stretch * solve(target - rows @ beta)[1]
            return once + stretch * solve(target - rows @ once)[1]

        advance, onwards = choose(near & (left > 0), gone_on, lambda: (xp.zeros_like(left), nu))
        last = near & (advance > left * (1 - 1e-9))
        moved_on = xp.where(last, goal, state.log_scale - advance)
        progress = error < 0.5 * state.error
        idle = xp.where(progress | ~there | ~near, 0, state.idle + 1)
        stuck = xp.where(progress | (advance > 0), 0, state.stuck + 1)
        return State(
            onwards,
            xp.where(whole | last, 1.0, state.part + advance),
            xp.where(whole, moved_on, state.log_scale),
            stride,
            xp.minimum(error, state.error),
            xp.where(error < state.error, nu, state.best),
            choose(error < state.error, lambda: choose(near, polished, lambda: beta), lambda: state.beta),
            state.rounds + 1,
            idle,
            stuck,
            (error <= noise) | (idle >= 3) | (stuck >= STUCK) | ~xp.isfinite(room),
        )

    return loop(lambda state: ~state.done & (state.rounds < ROUNDS), step, begin)


def _fresh(nu: Numbers, part: Numbers, log_scale: Numbers, d: int) -> State:
    whole = xp.ones_like(log_scale)
    none = xp.zeros_like(log_scale, int)
    beta = xp.zeros_like(nu, shape=d)
    return State(nu, part, log_scale, whole, np.inf * whole, nu, beta, none, none, none, none > 0)


def _begun(potential: Separable, rows: Numbers, target: Numbers, goal: Numbers) -> State:
    """The place to begin: ν = 0 for weights so large that the dual variables stay of order one, and none of the target;
    where no step leads out of the domain, all of it, for weights much smaller than that."""
    size = xp.log(xp.linalg.norm(target) + 1e-300)
    lazy = (size - potential.level) / potential.degree
    log_scale = xp.maximum(goal, lazy - RICHER if potential.everywhere else lazy)
    part = xp.full_like(log_scale, float(potential.everywhere))
    return _fresh(xp.zeros_like(target), part, log_scale, rows.shape[1])


def _least(rows: Numbers, potential: Separable, target: Numbers, logs: Numbers) -> tuple[Numbers, Numbers]:
    """β and ν at each scale, largest first, each from the one before."""

    def along(state: State, goal: Numbers) -> tuple[State, tuple[Numbers, Numbers]]:
        new = _newton(rows, potential, target, state, goal)
        return _fresh(new.best, new.part, goal, rows.shape[1]), (new.beta, new.best)

    return in_turn(along, _begun(potential, rows, target, logs[0]), logs)


_minimum = eqx.filter_custom_jvp(_least)


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
        d_nu = _factored(rows, stretch)(d_target - d_rows @ beta - rows @ drift)
        return drift + stretch * (d_nu @ rows), d_nu

    return (betas, nus), jax.vmap(one)(logs, d_logs, betas, nus)


_minimise = ahead(_least, eqx.filter_jit(_minimum))


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
    rows, target = orthonormal_equations(held(X), held(y))
    return jax.tree.map(stored, solved(rows, target, potential, scales))


def orthonormal_equations(X: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Xβ = y as orthonormal rows times β: what X sees of β, and what it should be."""
    T = orthonormal_rows(fixed(X))
    # With more samples than features y may be out of reach; what is in reach of it moves with X.
    return T @ X, T @ (y if X.shape[0] <= X.shape[1] else X @ least_squares(X, y))


def solved(rows: Numbers, target: Numbers, potential: Separable, scales: Any = None) -> tuple[Numbers, Numbers]:
    """`project` for orthonormal rows."""
    if scales is None:
        beta, nu = _minimise(rows, potential, target, np.zeros(1))
        return beta[0], nu[0] @ rows
    logs = xp.log(held(scales))
    order = xp.argsort(-logs)
    beta, nu = _minimise(rows, potential, target, logs[order])
    back = xp.argsort(order)
    return beta[back], nu[back] @ rows
