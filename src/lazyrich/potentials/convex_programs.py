"""Limits that are linear or quadratic programs: minimum ℓ1 norm, maximum margin."""

import numpy as np
from jaxtyping import Float
from numpy import ndarray

from lazyrich._core.types import ArrayLike


def basis_pursuit(X: ArrayLike, y: ArrayLike) -> tuple[Float[ndarray, " d"], Float[ndarray, " n"]]:
    r"""Return (β, ν): $\min\|\beta\|_1$ over $X\beta = y$ and its dual, $\max y^\top\nu$ over $\|X^\top\nu\|_\infty \le
    1$, by HiGHS.

    β is the rich limit of diagonal networks. It is one solution; where several vertices tie, HiGHS chooses.

    >>> beta, nu = basis_pursuit([[1.0, 2.0, 2.1]], [3.0])
    >>> [round(float(b), 12) for b in beta]
    [0.0, 0.0, 1.428571428571]
    """
    from scipy.optimize import linprog

    X, y = np.asarray(X, float), np.asarray(y, float)
    result = linprog(np.ones(2 * X.shape[1]), A_eq=np.hstack([X, -X]), b_eq=y, method="highs")
    if result.status != 0:
        raise ValueError(
            f"basis pursuit has no solution: {result.message} The labels must be reached by some β: Xβ = y"
        )
    plus, minus = np.split(result.x, 2)
    return _refine_vertex(X, y, plus - minus), result.eqlin.marginals


def _refine_vertex(X: ndarray, y: ndarray, beta: ndarray) -> ndarray:
    """Refine a vertex to the last digit by solving for its support."""
    support = np.abs(beta) > 1e-9 * np.max(np.abs(beta), initial=0.0)
    if not np.any(support) or np.sum(support) > len(y):
        return beta
    exact = np.zeros_like(beta)
    exact[support] = np.linalg.lstsq(X[:, support], y, rcond=None)[0]
    return exact if np.linalg.norm(X @ exact - y) <= np.linalg.norm(X @ beta - y) else beta


def min_norm_with_margins(
    Z: ArrayLike, margins: ArrayLike | None = None
) -> tuple[Float[ndarray, " d"], Float[ndarray, " n"]]:
    r"""Return (β, ν): the shortest β with $Z\beta \ge 1$ (or `margins`), $\beta = Z^\top\nu$, $\nu \ge 0$.

    This is the hard-margin support vector machine, written as a nonnegative least-squares problem (Lawson and Hanson's
    least distance programming). The result is exact, because the equations of the active set are solved.

    >>> beta, nu = min_norm_with_margins([[1.0, 0.0], [1.0, 2.0]])
    >>> [round(float(b), 12) + 0.0 for b in beta]
    [1.0, 0.0]
    """
    from scipy.optimize import nnls

    Z = np.asarray(Z, float)
    h = np.ones(len(Z)) if margins is None else np.asarray(margins, float)
    E = np.vstack([Z.T, h[None, :]])
    f = np.r_[np.zeros(Z.shape[1]), 1.0]
    u, _ = nnls(E, f, maxiter=100 * max(E.shape))
    residual = E @ u - f
    if np.linalg.norm(residual) < 1e-12:
        raise ValueError("no β has all margins positive: the data are not separable by a linear predictor")
    nu = u / -residual[-1]
    active = nu > 1e-10 * np.max(nu)
    rows = Z[active]
    exact = np.zeros_like(nu)
    exact[active] = np.linalg.lstsq(rows @ rows.T, h[active], rcond=None)[0]
    # Keep the refined multipliers if they are still those of a solution.
    if np.all(exact[active] > 0) and np.all(Z @ (exact @ Z) >= h * (1 - 1e-9)):
        nu = exact
    return nu @ Z, nu


def max_margin(Z: ArrayLike, norm: int = 2) -> tuple[Float[ndarray, " d"], Float[ndarray, " n"]]:
    r"""Return (β, ν): the β of least ℓ1 or ℓ2 norm with all margins $Z\beta \ge 1$, rows of Z being $y_ix_i$; and its
    multipliers.

    >>> beta, nu = max_margin([[1.0, 2.0], [2.0, 2.0]], norm=1)
    >>> [round(float(b), 12) for b in beta]
    [0.0, 0.5]
    """
    if norm == 2:
        return min_norm_with_margins(Z)
    if norm != 1:
        raise ValueError(f"the margin is maximized in the ℓ1 or the ℓ2 norm; found norm = {norm!r}")
    from scipy.optimize import linprog

    Z = np.asarray(Z, float)
    result = linprog(np.ones(2 * Z.shape[1]), A_ub=np.hstack([-Z, Z]), b_ub=-np.ones(len(Z)), method="highs")
    if result.status != 0:
        raise ValueError(f"no β has all margins positive: the data are not separable ({result.message})")
    plus, minus = np.split(result.x, 2)
    beta, nu = plus - minus, -result.ineqlin.marginals
    tight = nu > 1e-9 * np.max(nu, initial=0.0)
    return _refine_vertex(Z[tight], np.ones(int(np.sum(tight))), beta) if np.any(tight) else beta, nu
