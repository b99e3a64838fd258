r"""Linear regression by gradient flow, $\dot w = A^\top(r - Aw)$ from $w = 0$, by the singular values of A.

The eigenvalues of $AA^\top$ would square the condition number, and lose half of the digits.
"""

from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import (
    detach,
    eager_or_traced,
    ignore_float_errors,
    is_concrete,
    xp,
)
from lazyrich._core.linalg import FLOAT64_EPS, exponential_decay, numerical_rank, safe_ratio
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.theorems.limit_result import Certificate

WELL_CONDITIONED = 1e3  # condition number up to which every method is accurate
GRADING_THRESHOLD = 16.0  # rescaling rows and columns must reduce the condition number by more than this to be used
# Assumed relative error of A's entries in the decomposition: the refinement step alone can vanish by chance.
PRODUCT_ROUNDING = FLOAT64_EPS / 8
N_EQUILIBRATION_SWEEPS = 4  # of rows and columns alternately, until both have entries of order one
MAX_UNCERTAINTY = 1e-6  # relative; a less certain result is refused

Svd = tuple[AnyArray, AnyArray, AnyArray]  # A = U diag(s) Vᵀ, with columns of zeros in U and V where s = 0


# The singular value decomposition


@ignore_float_errors
def _decompose(A: np.ndarray) -> Svd:
    """Decompose A = U diag(s) Vᵀ. The rank is determined after rows and columns have been scaled to the same size."""
    if not np.all(np.isfinite(A)):  # LAPACK would raise its own error, also inside jit
        k = min(A.shape)
        return np.full((len(A), k), np.nan), np.full(k, np.nan), np.full((A.shape[1], k), np.nan)
    U: AnyArray
    s: AnyArray
    V: AnyArray
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    if s[0] == 0:
        return 0.0 * U, s, 0.0 * Vt.T
    V, c = Vt.T, s
    if not s[-1] * WELL_CONDITIONED > s[0]:
        scaled, rows, columns = _equilibrate(A)
        if np.ptp(np.log2(rows)) + np.ptp(np.log2(columns)) > np.log2(GRADING_THRESHOLD):
            P, c, Qt = np.linalg.svd(scaled, full_matrices=False)
    k = int(np.sum(c > max(A.shape) * FLOAT64_EPS * c[0]))
    if s[0] * c[k - 1] > GRADING_THRESHOLD * c[0] * s[k - 1]:
        left, right = rows[:, None] * P[:, :k], c[:k, None] * Qt[:k]
        U, s, V = _jacobi_svd(A) if k == len(s) else _graded_of_rank(left, right, columns)
    U, s, V = U[:, :k], s[:k], V[:, :k]
    # Entries of small rows and columns are relatively accurate if they are computed from A itself.
    across, back = A @ V / s, A.T @ U / s
    U = np.where(np.linalg.norm(A, axis=1)[:, None] < s, across, U)
    V = np.where(np.linalg.norm(A, axis=0)[:, None] < s, back, V)
    unseen = ((0, 0), (0, min(A.shape) - k))
    return np.pad(U, unseen), np.pad(s, unseen[1:]), np.pad(V, unseen)


def _equilibrate(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return C, rows and columns with A = rows · C · columns, where rows and columns are powers of two and the entries
    of C are of order one."""
    sizes = np.ones(A.shape[0]), np.ones(A.shape[1])
    for _ in range(N_EQUILIBRATION_SWEEPS):
        for axis, size in enumerate(sizes):
            largest = np.max(np.abs(A), axis=1 - axis, keepdims=True)
            unit = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 0.5))[1])
            A = A / unit
            size *= unit.ravel()
    return A, *sizes


def _jacobi_svd(A: np.ndarray) -> Svd:
    """Decompose by one-sided Jacobi rotations: singular values of rows · C · columns are as accurate as C is
    well-conditioned, whatever rows and columns are (Drmač and Veselić 2008; LAPACK's dgejsv with joba = 'F')."""
    from scipy.linalg import lapack

    if A.shape[0] < A.shape[1]:
        return _jacobi_svd(A.T)[::-1]
    s, U, V, work, _, info = lapack.dgejsv(A, joba=2, jobu=0, jobv=0, jobr=0, jobt=0, jobp=0)
    if info != 0:
        raise RuntimeError(f"LAPACK's dgejsv did not converge on a matrix of shape {A.shape} (info = {info})")
    return U[:, : len(s)], s * (work[0] / work[1]), V


def _graded_of_rank(left: np.ndarray, right: np.ndarray, columns: np.ndarray) -> Svd:
    """Decompose left · right · columns, of rank k: left (n, k) has rows of any size, right (k, d) orthogonal rows.

    Sorting the rows by size and pivoting keep each row of left accurate (Cox and Higham 1998). The matrix that is then
    decomposed has k rows, so that no rounding of a larger matrix is mistaken for a direction.
    """
    from scipy.linalg import qr

    order = np.argsort(-np.max(np.abs(left), axis=1))
    Q, R, pivots = qr(left[order], mode="economic", pivoting=True)
    U, s, V = _jacobi_svd((R @ right[pivots]) * columns)
    turned = np.empty_like(Q)
    turned[order] = Q @ U
    return turned, s, V


def _decompose_by_callback(A: Array) -> Svd:
    n, d = A.shape[-2:]
    k = min(n, d)
    shapes = [jax.ShapeDtypeStruct(shape, A.dtype) for shape in ((n, k), (k,), (d, k))]
    return jax.pure_callback(lambda A: _decompose(np.asarray(A)), tuple(shapes), A, vmap_method="sequential")


_decompose_traced = jax.custom_jvp(_decompose_by_callback)
decompose = eager_or_traced(_decompose, _decompose_traced)


@_decompose_traced.defjvp
def _decompose_jvp(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    """Differentiate by the textbook formula, which is infinite where singular values meet. Only second derivatives of a
    flow use it."""
    (A,), (dA,) = primals, tangents
    U, s, V = decompose(A)
    inverse = _safe_inverse(s)[:, 0]
    M = U.T @ dA @ V
    apart = s[None, :] ** 2 - s[:, None] ** 2
    same = jnp.eye(len(s), dtype=bool) | ((s[None, :] == 0) & (s[:, None] == 0))
    F = jnp.where(same, 0.0, 1 / jnp.where(same, 1.0, apart))
    dU = U @ (F * (M * s + (M * s).T)) + (dA @ V - U @ M) * inverse
    dV = V @ (F * (s[:, None] * M + (s[:, None] * M).T)) + (dA.T @ U - V @ M.T) * inverse
    return (U, s, V), (dU, jnp.diagonal(M), dV)


# The flow


def _evolve_from_zero(A: AnyArray, r: AnyArray, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    U, s, V = decompose(A)
    along = U.T @ r
    fade, tau = exponential_decay(s**2, t[:, None])
    settled, unsettled = (s * tau)[:, :, None], fade[:, :, None] * along
    w = V @ (settled * along)
    # One step of iterative refinement: the residual is learned in the same way.
    step = V @ (settled * (U.T @ (r - A @ w) - unsettled))
    blur = PRODUCT_ROUNDING * (xp.abs(V) @ (settled * (xp.abs(U).T @ (xp.abs(A) @ xp.abs(w)))))
    return w + step, xp.max(relative_uncertainty(A, r, w, xp.maximum(xp.abs(step), blur), s[0] * tau[:, 0]))


def relative_uncertainty(A: AnyArray, r: AnyArray, w: AnyArray, step: AnyArray, strongest: AnyArray) -> AnyArray:
    """Return the relative size of an error of w: in the units of w or, feature by feature, in those of the predictions,
    whichever is larger.

    `strongest` is the response to one unit of r along the strongest direction. It bounds the unit from below, because
    labels that are almost unreachable do not require more accuracy.
    """
    features, size = xp.linalg.norm(A, axis=0)[:, None], xp.linalg.norm(r) * strongest
    axes, top = (-2, -1), xp.max(features)
    own = safe_ratio(xp.linalg.norm(step, axis=axes), xp.maximum(xp.linalg.norm(w, axis=axes), size))
    scale = xp.maximum(xp.linalg.norm(features * w, axis=axes), top * size)
    return xp.maximum(own, safe_ratio(xp.linalg.norm(features * step, axis=axes), scale))


_evolve_from_zero_traced = jax.custom_jvp(_evolve_from_zero)
_evolve_from_zero_dispatch = eager_or_traced(_evolve_from_zero, _evolve_from_zero_traced)


def evolve_from_zero(
    A: Float[Array, "n p"], r: Float[Array, "n c"], t: Float[Array, " t"]
) -> tuple[AnyArray, AnyArray]:
    r"""Return $w(t) = \int_0^te^{-A^\top As}A^\top r\,ds$ of shape (t, p, c), and its relative uncertainty due to
    rounding."""
    return _evolve_from_zero_dispatch(A, r, t)


@_evolve_from_zero_traced.defjvp
def _evolve_from_zero_jvp(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    """Solve the equation of variations $\\dot{dw} = -A^\\top A\\,dw + dA^\\top(r - Aw) + A^\\top(dr - dA\\,w)$ in the
    frame of singular vectors, whose own derivatives do not exist where singular values meet."""
    (A, r, t), (dA, dr, dt) = primals, tangents
    U, s, V = decompose(A)
    along, beyond = U.T @ r, _unreachable_part(U, s, r)
    fade, tau = exponential_decay(s**2, t[:, None])
    both, psi = _convolved_exponentials(s**2, t)
    M = U.T @ dA @ V
    inner = (
        jnp.einsum("tki,ik,ic->tkc", both, M, along)
        - jnp.einsum("k,tkj,kj,jc->tkc", s, psi, M, s[:, None] * along)
        + tau[:, :, None] * (V.T @ (dA.T @ beyond))
        + (s * tau)[:, :, None] * (U.T @ dr)
        + dt[:, None, None] * (s * fade)[:, :, None] * along
    )
    # In the null space of A, dw follows from ∫(r − Aw) alone.
    pulled = dA.T @ (jnp.einsum("ik,tk,kc->tic", U, tau, along) + t[:, None, None] * beyond)
    change = jnp.einsum("ik,tkc->tic", V, inner) + _orthogonal_part(V, s, pulled)
    value = _evolve_from_zero(A, r, t)
    return value, (change, jnp.zeros_like(value[1]))


def _convolved_exponentials(rate: Array, t: Array) -> tuple[Array, Array]:
    r"""Return $\int_0^te^{-a(t-s)}e^{-bs}ds$ and $\int_0^te^{-a(t-s)}(1 - e^{-bs})/b\,ds$ for all rates a and b."""
    x = rate * t[:, None]
    low, high = jnp.minimum(x[:, :, None], x[:, None, :]), jnp.maximum(x[:, :, None], x[:, None, :])
    one = jnp.ones(())
    fade, tau = exponential_decay(low, one)
    both = fade * exponential_decay(high - low, one)[1]
    # A series, where the two terms of the second integral cancel.
    near = high < 0.5
    far = (tau - both) / jnp.where(near, 1.0, high)
    lo, hi = jnp.where(near, low, 0.0), jnp.where(near, high, 0.0)
    series, homogeneous, power, factorial = jnp.zeros_like(lo), jnp.ones_like(lo), jnp.ones_like(lo), 2.0
    for n in range(16):
        series = series + (-1) ** n * homogeneous / factorial
        power = power * hi
        homogeneous, factorial = lo * homogeneous + power, factorial * (n + 3)
    length = t[:, None, None]
    return length * both, length**2 * jnp.where(near, series, far)


def _orthogonal_part(frame: Array, s: Array, x: Array) -> Array:
    """Return the part of x that is orthogonal to the columns of a frame; zero if they span everything."""
    return jnp.where(jnp.sum(s > 0) == len(frame), 0.0, x - frame @ (frame.T @ x))


def _unreachable_part(U: Array, s: Array, r: Array) -> Array:
    """Return the part of r outside the range of A, with rounding errors set to zero."""
    part = _orthogonal_part(U, s, r)
    return jnp.where(jnp.abs(part) > 16 * FLOAT64_EPS * (jnp.abs(r) + jnp.abs(U) @ jnp.abs(U.T @ r)), part, 0.0)


# The limit


def _min_norm_solution(A: AnyArray, r: AnyArray) -> tuple[AnyArray, Certificate]:
    return _solve_by_svd(decompose(A), A, r)


def _solve_by_svd(svd: Svd, A: AnyArray, r: AnyArray) -> tuple[AnyArray, Certificate]:
    U, s, V = svd
    inverse = _safe_inverse(s)
    first = V @ (inverse * (U.T @ r))
    step = V @ (inverse * (U.T @ (r - A @ first)))
    w = first + step
    blur = PRODUCT_ROUNDING * (xp.abs(V @ (inverse * U.T)) @ (xp.abs(A) @ xp.abs(first)))
    residual, size = r - A @ w, xp.linalg.norm(r)
    slopes = safe_ratio(xp.abs(A.T @ residual), xp.linalg.norm(A, axis=0)[:, None])
    # The shortest solution is a combination of samples, without a component in their null space. Rounding may leave it
    # uncertain.
    unseen = safe_ratio(xp.linalg.norm(w - V @ (V.T @ w)), xp.linalg.norm(w))
    gap = xp.maximum(unseen, relative_uncertainty(A, r, first, xp.maximum(xp.abs(step), blur), inverse[0, 0]))
    return w, Certificate(safe_ratio(xp.linalg.norm(U.T @ residual), size), safe_ratio(xp.max(slopes), size), gap)


def uncertainty_of_fit(X: AnyArray, y: AnyArray, best: AnyArray | None = None) -> AnyArray:
    """Return the relative uncertainty of X⁺y due to rounding, without derivatives.

    Theorems about networks that are not affine use X⁺y, too, but do not estimate its accuracy. `best` is X⁺y as
    computed elsewhere, which may have lost a feature that is small beside the others.
    """
    X, y, best = detach((X, y, best))
    y = y.reshape(len(y), -1)
    if best is None and is_concrete(X):  # the condition number is mostly moderate, and cheaper than a decomposition
        low, high = np.linalg.eigvalsh(X @ X.T if len(X) <= X.shape[1] else X.T @ X)[[0, -1]]
        if low * WELL_CONDITIONED**2 > high:
            return FLOAT64_EPS * float(np.sqrt(high / low))
    svd = decompose(X) if is_concrete(X) else _compiled_svd(X)
    w, certificate = _solve_by_svd(svd, X, y)
    if best is None:
        return certificate.worst
    apart = xp.abs(best.reshape(w.shape) - w)
    return xp.maximum(certificate.worst, relative_uncertainty(X, y, w, apart, _safe_inverse(svd[1])[0, 0]))


def _compiled_svd(A: Array) -> Svd:
    """Decompose A inside the compiled program. The result is used for certificates only, not for values."""
    U, s, Vt = jnp.linalg.svd(A, full_matrices=False)
    nonzero = np.arange(len(s)) < numerical_rank(s, A.shape)
    return U * nonzero, s * nonzero, Vt.T * nonzero


def _safe_inverse(s: AnyArray) -> AnyArray:
    return xp.where(s > 0, 1 / xp.where(s > 0, s, 1.0), 0.0)[:, None]


_min_norm_solution_traced = jax.custom_jvp(_min_norm_solution)
_min_norm_solution_dispatch = eager_or_traced(_min_norm_solution, _min_norm_solution_traced)


def min_norm_solution(A: Float[Array, "n p"], r: Float[Array, "n c"]) -> tuple[AnyArray, Certificate]:
    """Return A⁺r, the shortest w that minimizes ‖Aw − r‖, and its certificate. It measures least squares feature by
    feature, so that none is lost beside larger ones; that w is the shortest; and the uncertainty due to rounding."""
    return _min_norm_solution_dispatch(A, r)


@_min_norm_solution_traced.defjvp
def _min_norm_solution_jvp(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    (A, r), (dA, dr) = primals, tangents
    U, s, V = decompose(A)
    inverse, (w, certificate) = _safe_inverse(s), _min_norm_solution(A, r)
    missed = inverse * (V.T @ (dA.T @ _unreachable_part(U, s, r)))
    change = V @ (inverse * (U.T @ (dr - dA @ w) + missed)) + _orthogonal_part(V, s, dA.T @ (U @ (inverse * (V.T @ w))))
    return (w, certificate), (change, jax.tree.map(jnp.zeros_like, certificate))


# The flow of a model that is affine in its parameters, as a regression


Regression = tuple[AnyArray, AnyArray, Callable[[AnyArray], Layers]]


def as_regression(flow: GradientFlow) -> Regression:
    r"""Return $A = \sqrt\kappa\,J\sqrt\eta$, $r = \sqrt\kappa\,(y - f_0)$, and the map from w to layers $\theta_0 +
    \sqrt\eta\,w$, where J is the Jacobian and w may have a leading time axis."""
    weights = flow.net.weight_matrices
    if weights is not None and len(weights) == 1:  # the outputs share only their inputs
        return _regression_of_one_matrix(flow)
    if flow.net.linear_in_inputs and is_concrete(flow):
        flow = flow.with_problem(flow.problem.compress())
    A, r = _regression_of_jacobian(flow)
    return A, r, partial(_layers_from_vector, flow)


def _regression_of_one_matrix(flow: GradientFlow) -> Regression:
    problem, (rate,), (layer,) = flow.problem, flow.rates, flow.net.layers
    root = xp.sqrt(problem.kappa)
    gap = (problem.y - flow.outputs()).reshape(problem.n, problem.c)

    def layers(w: AnyArray) -> Layers:
        steps = xp.sqrt(rate) * xp.swapaxes(w, -1, -2)
        return (layer + steps.reshape(*steps.shape[:-2], *layer.shape),)

    return root * xp.sqrt(rate) * problem.X, root * gap, layers


@eqx.filter_jit
def _regression_of_jacobian(flow: GradientFlow) -> tuple[Array, Array]:
    problem = flow.problem
    blocks = flow.net._jacobian(problem.X)
    A = jnp.concatenate([jnp.sqrt(rate) * block for rate, block in zip(flow.rates, blocks, strict=True)], axis=1)
    gap = (problem.y - flow.outputs()).reshape(-1, 1)
    return jnp.sqrt(problem.kappa) * A, jnp.sqrt(problem.kappa) * gap


def _layers_from_vector(flow: GradientFlow, w: AnyArray) -> Layers:
    """Return θ₀ + √η w, split into layers in the order of the Jacobian's columns."""
    layers, at = [], 0
    for rate, layer in zip(flow.rates, flow.net.layers, strict=True):
        leaves, tree = jax.tree.flatten(layer)
        moved = []
        for leaf in leaves:
            step = w[..., at : at + leaf.size, 0]
            moved.append(leaf + xp.sqrt(rate) * step.reshape(*step.shape[:-1], *leaf.shape))
            at += leaf.size
        layers.append(jax.tree.unflatten(tree, moved))
    return tuple(layers)
