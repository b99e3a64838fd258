r"""The rotation $\dot O = O\,\Omega(t)$, $O(0) = I$, for antisymmetric Ω that is known at every time: by collocation.

The time is divided, by bisection, into panels on which Ω is a polynomial up to rounding. All unresolved panels are
evaluated together, so that there are few large calls. Initially a panel is at most a quarter of the time before it: on
a much wider one, a rotation could happen between two points. On a panel, $\Phi = I + \int\Phi\,\Omega$ is solved at the
Gauss points by Picard iteration, which converges because a panel rotates by less than one, and Φ is then known at every
time in the panel.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from numpy import ndarray
from numpy.polynomial import legendre

from lazyrich._core.linalg import nearest_orthogonal
from lazyrich._core.types import AnyArray

N_NODES = 16
MAX_TURN_PER_PANEL = 1.0  # rotation in one panel, at most: the k-th iteration reduces the error by this over k
# width relative to the time before the panel: its points are then a fortieth of that time apart
MAX_RELATIVE_PANEL = 0.25
RESOLUTION_TOLERANCE = 1e-14  # of the rotation by the last terms of the polynomial
NOISE_TOLERANCE, MAX_FAILED_HALVINGS, MIN_HALVING_GAIN = (
    1e-8,
    3,
    1e-3,
)  # a tail below the first counts as rounding of Ω if that many halvings did not reduce it by the last factor
MAX_PICARD_ITERATIONS = 30
MAX_HALVINGS = 60
POINTS, WEIGHTS = legendre.leggauss(N_NODES)
# maps values at the points to coefficients of Legendre polynomials
COEFFICIENTS = legendre.legvander(POINTS, N_NODES - 1).T * WEIGHTS * (np.arange(N_NODES) + 0.5)[:, None]


def _integration_weights(x: Float[ndarray, " n"]) -> Float[ndarray, "n nodes"]:
    """Return the weights that integrate from 0 to x the polynomial through values at the points; panels are [0, 1]."""
    P = legendre.legvander(2 * x - 1, N_NODES)
    n = np.arange(1, N_NODES)
    parts = np.column_stack([x, (P[:, 2:] - P[:, : N_NODES - 1]) / (2 * (2 * n + 1))])
    return parts @ COEFFICIENTS


TO_POINTS = _integration_weights((1 + POINTS) / 2)
AngularVelocity = Callable[[ndarray], AnyArray]


def integrate_rotation(
    turning: AngularVelocity, times: Float[ndarray, " t"], h: int, rate: float, batch: int
) -> Float[ndarray, "t h h"]:
    """Return O at each of the nondecreasing times. Ω must not rotate or change faster than `rate`; it is evaluated at
    `batch` times per call."""
    if times[-1] == 0:
        return np.broadcast_to(np.eye(h), (len(times), h, h))
    panels = _refine_panels(turning, _initial_panels(times[-1], rate), batch)
    O: AnyArray = np.eye(h)
    rotations, last = np.empty((len(times), h, h)), panels[-1][0]
    for start, width, Omega in panels:
        slopes = _solve_collocation(width * Omega)  # ΦΩ at the points
        inside = slice(*np.searchsorted(times, [start, start + width], side="left"))
        if start == last:
            inside = slice(inside.start, len(times))
        x = np.append((times[inside] - start) / width, 1.0)
        Phi = np.eye(h) + (_integration_weights(x) @ slopes.reshape(N_NODES, -1)).reshape(-1, h, h)
        rotations[inside] = O @ Phi[:-1]
        O = nearest_orthogonal(O @ Phi[-1])
    return rotations


def _initial_panels(end: float, rate: float) -> Float[ndarray, " panels+1"]:
    r"""Return the panel boundaries: 0, 1/rate, and from there on in steps of a quarter, up to the end.

    One exponential overtakes another at $t = \log(c/c')/(\lambda - \lambda')$, within some times $1/(\lambda -
    \lambda')$. Coefficients in float64 differ by a factor of $e^{1400}$ at most, so that points a fortieth of the time
    apart are less than 35 of these widths apart, and one of them is near enough to detect $e^{-17}$ of the transition.
    """
    first = min(1 / rate, end) if rate > 0 else end
    steps = int(np.ceil(np.log(end / first) / np.log(1 + MAX_RELATIVE_PANEL)))
    return np.append(0.0, np.geomspace(first, end, steps + 1) if steps else end)


def _refine_panels(
    turning: AngularVelocity, cuts: Float[ndarray, " panels+1"], batch: int
) -> list[tuple[float, float, ndarray]]:
    """Return (start, width, Ω at the points) of each panel, in their order."""
    done: list[tuple[float, float, ndarray]] = []
    starts, widths = cuts[:-1], np.diff(cuts)
    before = np.full((MAX_FAILED_HALVINGS, len(starts)), np.inf)  # the tails of the wider panels, the widest first
    for halving in range(MAX_HALVINGS):
        at = (starts[:, None] + widths[:, None] * (1 + POINTS) / 2).ravel()
        Omega = np.concatenate([turning(at[i : i + batch]) for i in range(0, len(at), batch)])
        Omega = Omega.reshape(len(starts), N_NODES, *Omega.shape[1:])
        turn = widths * np.max(np.sum(np.abs(Omega), axis=-1), axis=(-1, -2))
        tail = widths * np.max(np.abs(np.tensordot(Omega, COEFFICIENTS[-3:], (1, 1))), axis=(1, 2, 3))
        resolved = (tail <= RESOLUTION_TOLERANCE) | (tail <= NOISE_TOLERANCE) & (tail > MIN_HALVING_GAIN * before[0])
        good = (turn <= MAX_TURN_PER_PANEL) & resolved | ~np.isfinite(turn + tail) | (halving == MAX_HALVINGS - 1)
        done += list(zip(starts[good], widths[good], Omega[good], strict=True))
        starts, widths = starts[~good], np.repeat(widths[~good] / 2, 2)
        starts = np.column_stack([starts, starts + widths[::2]]).ravel()
        before = np.repeat(np.vstack([before[1:], tail])[:, ~good], 2, axis=1)
        if len(starts) == 0:
            break
    return sorted(done, key=lambda panel: panel[0])


def _solve_collocation(Omega: Float[ndarray, "nodes h h"]) -> Float[ndarray, "nodes h h"]:
    """Return ΦΩ at the points of a panel of width one, by Picard iteration."""
    shape, slopes = Omega.shape, Omega
    for _ in range(MAX_PICARD_ITERATIONS):
        Phi = np.eye(shape[-1]) + (TO_POINTS @ slopes.reshape(N_NODES, -1)).reshape(shape)
        before, slopes = slopes, Phi @ Omega
        if np.max(np.abs(slopes - before)) < 1e-16:
            break
    return slopes
