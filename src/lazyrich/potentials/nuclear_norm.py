r"""Least squares with the nuclear norm: $\tfrac12\|X\beta - Y\|_F^2 + \mu\|\beta\|_*$."""

import numpy as np
from jaxtyping import Float
from numpy import ndarray

MAX_UNKNOWNS = 3000  # of the two factors: the Hessian is formed
WHITE = 1e-13  # relative: XᵀX this near to a multiple of the identity is taken for one


def shrink_singular_values(B: Float[ndarray, "d c"], penalty: float) -> Float[ndarray, "d c"]:
    r"""Return $U(S - \mu)_+V^\top$, the minimizer of $\tfrac12\|\beta - B\|_F^2 + \mu\|\beta\|_*$.

    >>> shrink_singular_values(np.diag([3.0, 1.0, 0.2]), 0.5)
    array([[2.5, 0. , 0. ],
           [0. , 0.5, 0. ],
           [0. , 0. , 0. ]])
    """
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    return (U * np.maximum(s - penalty, 0.0)) @ Vt


def nuclear_norm_regression(
    X: Float[ndarray, "n d"], Y: Float[ndarray, "n c"], penalty: float
) -> Float[ndarray, "d c"]:
    r"""Return the minimizer of $\tfrac12\|X\beta - Y\|_F^2 + \mu\|\beta\|_*$.

    On whitened inputs it is in closed form. Otherwise $\beta = PQ^\top$ with $\min(d, c)$ columns, and
    $\tfrac12\|XPQ^\top - Y\|^2 + \tfrac\mu2(\|P\|^2 + \|Q\|^2)$, which has no other local minima, is minimized by a
    trust-region Newton method (SciPy's `trust-exact`), from the proximal gradient method's first approximation.

    >>> X, Y = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> beta = nuclear_norm_regression(X, Y, 0.1)
    >>> bool(np.linalg.norm(X.T @ (Y - X @ beta), 2) <= 0.1 * (1 + 1e-9))
    True
    """
    gram, cross = X.T @ X, X.T @ Y
    rho = np.trace(gram) / len(gram)
    if np.max(np.abs(gram - rho * np.eye(len(gram)))) <= WHITE * rho:
        return shrink_singular_values(cross / rho, penalty / rho) if rho else np.zeros_like(cross)
    if np.linalg.norm(cross, 2) <= penalty:
        return np.zeros_like(cross)
    first = _proximal_gradient(gram, cross, penalty)
    return _newton_on_factors(gram, cross, penalty, first)


def _proximal_gradient(gram: ndarray, cross: ndarray, penalty: float, rounds: int = 300) -> ndarray:
    """Return an approximation by accelerated proximal gradient steps, restarted where they turn back."""
    speed = float(np.linalg.norm(gram, 2))
    beta = ahead = np.zeros_like(cross)
    momentum = 1.0
    for _ in range(rounds):
        new = shrink_singular_values(ahead - (gram @ ahead - cross) / speed, penalty / speed)
        if np.vdot(ahead - new, new - beta) > 0:
            momentum = 1.0
        grown = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead, beta, momentum = new + (momentum - 1) / grown * (new - beta), new, grown
    return beta


def _newton_on_factors(gram: ndarray, cross: ndarray, penalty: float, first: ndarray) -> ndarray:
    """Minimize over the two factors. The first ones are balanced, and none of their columns is zero."""
    from scipy.optimize import minimize

    (d, c), r = cross.shape, min(cross.shape)
    if (d + c) * r > MAX_UNKNOWNS:
        raise ValueError(
            f"the nuclear-norm program of a {d} × {c} predictor has {(d + c) * r} unknowns in its factors, more than "
            f"{MAX_UNKNOWNS}: whiten the inputs, which has a closed form (Problem.whiten), or use cvxpy"
        )
    U, s, Vt = np.linalg.svd(first, full_matrices=False)
    unit = np.sqrt(max(s[0], np.linalg.norm(cross, 2) / np.linalg.norm(gram, 2)))
    root = np.sqrt(np.maximum(s, 1e-6 * unit**2))
    start = np.concatenate([(U * root).ravel(), (Vt.T * root).ravel()])
    scale = penalty * unit**2

    def split(z: ndarray) -> tuple[ndarray, ndarray]:
        return z[: d * r].reshape(d, r), z[d * r :].reshape(c, r)

    def objective(z: ndarray) -> tuple[float, ndarray]:
        P, Q = split(z)
        beta = P @ Q.T
        slope = gram @ beta - cross
        value = 0.5 * np.vdot(beta, slope - cross) + 0.5 * penalty * (np.vdot(P, P) + np.vdot(Q, Q))
        return value / scale, np.concatenate(
            [(slope @ Q + penalty * P).ravel(), (slope.T @ P + penalty * Q).ravel()]
        ) / scale

    def hessian(z: ndarray) -> ndarray:
        P, Q = split(z)
        slope, eye = gram @ P @ Q.T - cross, np.eye(r)
        H = np.zeros((len(z), len(z)))
        k = d * r
        H[:k, :k] = np.kron(gram, Q.T @ Q)
        H[k:, k:] = np.kron(np.eye(c), P.T @ gram @ P)
        mixed = np.einsum("ij,bk->ikbj", gram @ P, Q) + np.einsum("ib,jk->ikbj", slope, eye)
        H[:k, k:] = mixed.reshape(k, c * r)
        H[k:, :k] = H[:k, k:].T
        return (H + penalty * np.eye(len(z))) / scale

    def polish(z: ndarray) -> tuple[float, ndarray]:
        """Take Newton steps of least norm (the rotation of the hidden units is free) while they help."""
        slope_size = float(np.linalg.norm(objective(z)[1]))
        for _ in range(12):
            new = z - np.linalg.lstsq(hessian(z), objective(z)[1], rcond=1e-12)[0]
            rest = float(np.linalg.norm(objective(new)[1]))
            if not rest < slope_size:
                break
            z, slope_size = new, rest
        return slope_size, z

    slope_at_best, best = polish(start)
    P, Q = split(best)
    if slope_at_best > 1e-9 * unit or np.linalg.norm(cross - gram @ P @ Q.T, 2) > penalty * (
        1 + 1e-9
    ):  # a saddle, or too far
        options = {"gtol": 1e-13 * unit, "maxiter": 500}
        minimum = minimize(objective, start, jac=True, hess=hessian, method="trust-exact", options=options)
        P, Q = split(polish(minimum.x)[1])
    return P @ Q.T
