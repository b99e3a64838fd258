"""Section 5: lazy downstream, delayed if there are too few neurons, rich upstream; |δ_k| = Λ and ‖β_k(0)‖ = 0.1."""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._bent import (
    cone,
    directions,
    drivers,
    features,
    follow,
    kernel_of,
    start,
    units_of,
)
from lazyrich.papers.kunin2024.claims._networks import RATES, Array, cosine_distance, pack, unit_vector, unpack

LARGE = np.array([30.0, 100.0, 300.0])
LAST = 60.0  # the flow is followed for LAST·Λ


def _task(setup: Setup, neurons: int) -> tuple[Array, Array, Array]:
    """Draw four inputs around an axis, the outputs of a teacher of two neurons along it, and directions of students.

    Eight students have any directions, and their features can fit any four outputs. Two are near the teacher's, cannot
    fit the outputs with fixed features, and are far from all kinks.
    """
    rng, sides = setup.rng, np.array([[1.0], [-1.0]])
    while True:
        axis = unit_vector(rng, 3)
        X = directions(np.repeat(sides, 2, axis=0) * axis + 0.6 * units_of(rng, 4))
        teacher, near = (directions(sides * axis + 0.7 * units_of(rng, 2)) for _ in range(2))
        y = np.sum(sides * features(teacher, X), axis=0)
        units = near if neurons == 2 else units_of(rng, neurons)
        F = features(units, X).T
        missed = np.linalg.norm(F @ np.linalg.lstsq(F, y)[0] - y) / np.linalg.norm(y)
        fits = np.linalg.svd(F, compute_uv=False)[-1] > 0.2 if neurons > 2 else missed > 0.1
        if fits and np.min(np.abs(np.vstack([units, teacher]) @ X.T)) > (0.05 if neurons > 2 else 0.2):
            return X, y, units


@cache
def _downstream(seed: int, neurons: int) -> tuple[Array, Array, Array]:
    """Return for each Λ the kernel distance at the end, the time at which half of it was reached, and the relative
    loss at the end; cached, since two claims use the same flows."""
    X, y, units = _task(Setup("kunin2024/downstream", seed), neurons)
    ends, halves, losses = [], [], []
    for size in LARGE:
        W, a = start(units, np.resize([1.0, -1.0], neurons), 0.1, -size)

        def field(t: float, theta: Array) -> Array:
            W, a = unpack(theta, 3, neurons, 1)
            xi = drivers(W, a[:, 0], X, y)
            return pack(-RATES[0] * a * xi, -RATES[1] * np.sum(W * xi, axis=1))

        times = np.geomspace(1e-3 / size, LAST * size, 200)
        path = solve_ivp(field, (0, times[-1]), pack(W, a), "LSODA", times, rtol=1e-9, atol=1e-11).y.T
        nets = [unpack(theta, 3, neurons, 1) for theta in path]
        K0 = kernel_of(W, a, X)
        turns = np.array([cosine_distance(kernel_of(V, b[:, 0], X), K0) for V, b in nets])
        ends.append(turns[-1])
        halves.append(times[np.argmax(turns > turns[-1] / 2)])
        V, b = nets[-1]
        losses.append(float(np.sum((b[:, 0] @ features(V, X) - y) ** 2) / np.sum(y**2)))
    return np.array(ends), np.array(halves), np.array(losses)


@claim(
    "kunin2024",
    "section 5, downstream",
    "For δ_k ≪ 0 neither directions nor activation patterns change, only μ_k does: the tangent kernel stays constant, "
    "until "
    "the data are fitted (if there are neurons enough)",
    quote=r"Irrespective of $\xi_k$, $\hat{\beta}_k(t) =  \hat{\beta}_k(0)$, which implies the overall partition map "
    r"doesn’t change (, bottom), nor the activation patterns $C$, nor $M_k$. Only $\mu_k$ changes to fit the data, "
    r"while "
    r"the NTK remains constant.",
    tolerance=0.3,
    why="w_k turns by 1/Λ², relatively: an exponent −4 of the kernel distance at t = 60Λ, Λ from 30 to 300, when the "
    "loss "
    "is 1e-12 of its start or less",
)
def downstream_is_lazy(setup: Setup, neurons: int = 8) -> Evidence:
    ends, _, losses = _downstream(setup.seed, neurons)
    evidence = Evidence.slope(LARGE, ends, -4.0)
    fitted = Evidence.at_most(max(losses), 1e-12)
    summary = f"{evidence.summary}; S = {ends[-1]:.0e} and a loss of {max(losses):.0e} at the end"
    return Evidence(max(evidence.error, min(fitted.error, 1.0)), summary, evidence.grade)


downstream_is_lazy.breaks("too few neurons to fit the data", neurons=2)


@claim(
    "kunin2024",
    "section 5, downstream",
    "If the neurons are too few to fit the data as they stand, the kernel changes late, after a time in proportion to "
    "|δ_k|",
    quote=r"If the number of hidden neurons is insufficient to fit the data, there is a delayed rich alignment phase "
    r"where "
    r"the kernel will change, with $|\delta_k|$ determining the delay.",
    tolerance=0.1,
    why="the late kernel distance does not depend on Λ, its time is of order Λ: exponents 0 and 1, Λ from 30 to 300",
)
def too_few_neurons_are_delayed(setup: Setup, neurons: int = 2) -> Evidence:
    ends, halves, _ = _downstream(setup.seed, neurons)
    evidence = Evidence.worst(Evidence.slope(LARGE, ends, 0.0), Evidence.slope(LARGE, halves, 1.0))
    return Evidence(evidence.error, f"{evidence.summary}; S = {ends[-1]:.2g} at the end", evidence.grade)


too_few_neurons_are_delayed.breaks("neurons enough to fit the data", neurons=8)


UP = np.array([100.0, 300.0, 1000.0])


@cache
def _distances_by_delta(seed: int, sign: float) -> tuple[Array, Array, Array]:
    """Return for each |δ_k| = Λ the kernel distance and the relative change of the parameters and of the M_k, at
    time 10/Λ."""
    X, y, units, signs = cone(Setup("kunin2024/upstream", seed).rng)
    turns, moves, changes = [], [], []
    for size in UP:
        W, a = start(units, signs, 0.1, sign * size)
        Ws, As = follow(W, a, X, y, [10 / size], 0.02 / size)
        V, b = Ws[-1], As[-1]
        turns.append(cosine_distance(kernel_of(V, b, X), kernel_of(W, a, X)))
        moves.append(np.linalg.norm(pack(V, b) - pack(W, a)) / np.linalg.norm(pack(W, a)))
        old, new = (_preconditioners(*net) for net in ((W, a), (V, b)))
        changes.append(np.linalg.norm(new - old) / np.linalg.norm(old))
    return np.array(turns), np.array(moves), np.array(changes)


def _preconditioners(W: Array, a: Array) -> Array:
    """Return η_w a_k² I + η_a w_kw_kᵀ."""
    return np.asarray((RATES[0] * a**2)[:, None, None] * np.eye(3) + RATES[1] * W[:, :, None] * W[:, None, :])


@claim(
    "kunin2024",
    "section 5, upstream",
    "For δ_k ≫ 0 the parameters hardly move and yet the kernel changes, as activation patterns do",
    quote=r"Yet, as $\beta_k$ change in direction, so can $C$, and thus the NTK. This setting is unique, because it "
    r"is rich "
    r"due to a changing activation pattern, but the dynamics do not move far in parameter space.",
    tolerance=0.1,
    why="the relative movement is of order 1/Λ and the kernel distance does not depend on Λ: exponents −1 and 0, Λ "
    "from 100 to 1000; separable data, on which flows do not slide along kinks",
)
def upstream_is_rich(setup: Setup, sign: float = 1.0) -> Evidence:
    turns, moves, _ = _distances_by_delta(setup.seed, sign)
    summary = f"kernel distance {turns[-1]:.2f} at a movement of {moves[-1]:.0e}"
    evidence = Evidence.worst(Evidence.slope(UP, turns, 0.0), Evidence.slope(UP, moves, -1.0))
    return Evidence(evidence.error, f"{evidence.summary}; {summary}", evidence.grade)


upstream_is_rich.breaks("downstream", sign=-1.0)


@claim(
    "kunin2024",
    "section 5, upstream",
    "For δ_k ≫ 0 the M_k do not depend on β_k and stay as they are",
    quote=r"However, unlike the balanced setting, in this setting $M_k$ is independent of $\beta_k$ and stays constant "
    r"through training.",
    tolerance=0.1,
    why="w_kw_kᵀ is 1/Λ² of a_k²I: an exponent −2 of the relative change of all M_k, Λ from 100 to 1000; 0 if balanced",
)
def upstream_preconditioners_rest(setup: Setup, balanced: bool = False) -> Evidence:
    if balanced:
        X, y, units, signs = cone(setup.rng)
        changes = []
        for size in UP:  # ‖β_k(0)‖ = 1/Λ, δ_k = 0
            W, a = start(units, signs, 1 / size, 0.0)
            Ws, As = follow(W, a, X, y, [1.5], 0.01)
            old, new = (_preconditioners(*net) for net in ((W, a), (Ws[-1], As[-1])))
            changes.append(np.linalg.norm(new - old) / np.linalg.norm(old))
        return Evidence.slope(UP, changes, -2.0)
    return Evidence.slope(UP, _distances_by_delta(setup.seed, 1.0)[2], -2.0)


upstream_preconditioners_rest.breaks("balanced", balanced=True)
