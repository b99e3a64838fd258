"""Prediction of a model with a constant tangent kernel at time t, in NumPy, JAX or PyTorch, depending on the kernel."""

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

# g(K) r for a symmetric K: (K, r, times, kappa, ridge) → (times, rows, columns). A package may pass its own.
Response = Callable[[Any, Any, Any, Any, Any], Any]


class Prediction(NamedTuple):
    """Outputs of the model, and their covariance over random initializations (None without `initial`).

    The outputs have shape (m, c) or (m,), like the targets, and the covariance (m·c, m·c) or (m, m), like the kernel.
    For a vector of times, there is a first axis over the times.
    """

    mean: Any
    covariance: Any = None


def predict(
    K: Any,
    y: Any,
    t: Any = math.inf,
    K_new: Any = None,
    *,
    start: Any = None,
    start_new: Any = None,
    kappa: Any = 1.0,
    ridge: Any = 0.0,
    initial: Any = None,
    response: Response | None = None,
) -> Prediction:
    r"""Predict the tangent model at time t of gradient flow on $\kappa\,\tfrac12\sum_i (f(x_i) - y_i)^2$, in closed
    form.

    With K the kernel on the n training inputs (learning rates are in it), f₀ their outputs at the `start` (0 if None)
    and ρ the `ridge`, a penalty $\tfrac\rho2\sum_p (\theta_p - \theta_{0p})^2/\eta_p$ added to the loss,

    $$f_t(x) = f_0(x) + K(x, X)\, g_t(K)\,(y - f_0), \qquad
    g_t(\lambda) = \frac{1 - e^{-\kappa(\lambda + \rho)t}}{\lambda + \rho}, \qquad
    g_\infty(\lambda) = \frac{1}{\lambda + \rho}.$$

    It predicts on the training inputs or, given `K_new` = K(x_new, X) and `start_new`, on new ones. y is (n,) or
    (n, c). K is (n·c, n·c), with sample i and output k at row i·c + k, or (n, n): one kernel for each of the c outputs.
    t is a number or a vector; the end, `inf`, has its own formula. If the loss is a mean, κ is 1/n or 1/(n·c).

    `initial` is the covariance of the start over random initializations, on the training inputs; for new ones it is
    three matrices, (X, X), (new, X) and (new, new). `start` is then the mean, and the result has the covariance at time
    t. With K itself as `initial` and t = ∞ this is the Gaussian process posterior; the two differ in general.

    Eigenvectors of K with eigenvalues below its rounding (n·eps of the largest one) are never learned, at any time.
    Everything is computed in the precision of K. JAX's derivatives exist everywhere (`lazyrich.jax.predict`);
    those of PyTorch with respect to K need distinct eigenvalues.

    >>> K, y = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 0.0])
    >>> predict(K, y).mean.round(12).tolist(), predict(K, y, ridge=1.0).mean.round(12).tolist()
    ([1.0, 0.0], [0.625, 0.125])
    >>> predict(K, y, [0.0, 1.0]).mean.round(3).tolist()
    [[0.0, 0.0], [0.791, 0.159]]
    >>> predict(K, y, K_new=np.array([[1.0, 1.0]])).mean.round(12).tolist()
    [0.333333333333]
    """
    xp, apply = _namespace(K), response or spectral_response
    y = _as_array_like(xp, K, y)
    columns = _n_target_columns(K, y)
    labels = y.reshape(len(K), columns)
    f0 = xp.zeros_like(labels) if start is None else _check_outputs(xp, K, "start", start, y.shape, labels)
    fresh = K if K_new is None else _check_new_kernel(xp, K, K_new)
    initial_outputs = f0 if K_new is None else _initial_outputs(xp, fresh, start, start_new, y, columns)
    times = _check_times(xp, K, t)
    _check_number("kappa", kappa, positive=True)
    _check_number("ridge", ridge, positive=False)
    mean_outputs = initial_outputs + fresh @ apply(K, labels - f0, times, kappa, ridge)
    shape = (len(initial_outputs) * columns // math.prod(y.shape[1:]), *y.shape[1:])
    moved = tuple(np.shape(t))
    mean = mean_outputs.reshape(*moved, *shape)
    if initial is None:
        return Prediction(mean)
    G, across, both = _check_initial_covariance(xp, K, initial, len(fresh), K_new is not None)
    # f_t = f₀(new) + A (y − f₀), A = K_new g(K): the covariance of f₀(new) − A f₀.
    A = fresh @ apply(K, xp.eye(len(K), dtype=K.dtype, **_device(K)), times, kappa, ridge)
    cross = A @ across.T
    covariance = both - cross - cross.swapaxes(-1, -2) + A @ G @ A.swapaxes(-1, -2)
    return Prediction(mean, covariance.reshape(*moved, *both.shape))


def spectral_response(K: Any, r: Any, times: Any, kappa: Any, ridge: Any) -> Any:
    """Return g_t(K) r at every time, from the eigenvalues and eigenvectors of K: (times, rows, columns)."""
    xp = _namespace(K)
    eigenvalues, Q = xp.linalg.eigh(K)
    return Q @ (spectral_gains(xp, eigenvalues, times, kappa, ridge)[:, :, None] * (Q.T @ r))


def spectral_gains(xp: Any, eigenvalues: Any, times: Any, kappa: Any, ridge: Any) -> Any:
    """Return g_t of the eigenvalues, (times, rows), with 0 below the rounding of the largest."""
    nonzero = nonzero_directions(xp, eigenvalues)
    rate = xp.where(nonzero, eigenvalues, 1.0) + ridge
    # A product with t = ∞ would be 0·∞ where κ(λ + ρ) underflows; the formula for the end has no rate.
    ended = xp.isinf(times)[:, None]
    progress = -xp.expm1(-kappa * rate * xp.where(ended, 0.0, times[:, None]))
    return xp.where(nonzero, xp.where(ended, 1.0, progress) / rate, 0.0)


def nonzero_directions(xp: Any, eigenvalues: Any) -> Any:
    """Return a mask of the eigenvalues that are nonzero up to rounding."""
    size = xp.max(xp.abs(eigenvalues))
    return eigenvalues > len(eigenvalues) * xp.finfo(eigenvalues.dtype).eps * size


def _namespace(array: Any) -> Any:
    """Return the module with the functions for this kind of array."""
    if "float" not in str(getattr(array, "dtype", "float")):
        raise TypeError(f"K must be a kernel of floating-point numbers; found {array.dtype}")
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    home = sys.modules.get(type(array).__module__.partition(".")[0])
    if not hasattr(home, "linalg"):
        raise TypeError(f"K must be an array of NumPy, JAX or PyTorch; found {type(array).__name__}")
    return home


def _device(K: Any) -> dict[str, Any]:
    """Return the keyword argument for the device of new PyTorch tensors; empty for others, since traced arrays have
    no device."""
    return {"device": K.device} if type(K).__module__.partition(".")[0] == "torch" else {}


def _as_array_like(xp: Any, K: Any, value: Any) -> Any:
    """Convert a value to an array of the kind, dtype and device of K."""
    make = getattr(xp, "as_tensor", xp.asarray)  # torch.asarray would detach tensors with a gradient
    return make(value, dtype=K.dtype, **_device(K))


def _n_target_columns(K: Any, y: Any) -> int:
    """Return the number of columns of targets that share the kernel, after checking the shapes."""
    if y.ndim not in (1, 2) or K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(
            "K must be a square matrix and y an array of shape (n,) or (n, c); "
            f"found {tuple(K.shape)} and {tuple(y.shape)}"
        )
    n, c, rows = y.shape[0], math.prod(y.shape[1:]), K.shape[0]
    if rows not in (n, n * c) or n * c == 0:
        raise ValueError(
            f"for targets of shape {tuple(y.shape)} the kernel must be {(n * c, n * c)}, or {(n, n)} (one for all "
            f"outputs); found {tuple(K.shape)}"
        )
    values = _values_or_none(K)
    if values is not None:
        size = float(np.abs(values).max())
        if not math.isfinite(size):
            raise ValueError("K has entries that are NaN or infinite")
        apart = float(np.abs(values - values.T).max())
        if apart > 1e-3 * size:
            raise ValueError(f"K must be symmetric, on one set of inputs; K and its transpose differ by {apart:.1e}")
    return 1 if rows == n * c else c


def _check_outputs(xp: Any, K: Any, name: str, value: Any, shape: Any, like: Any) -> Any:
    array = _as_array_like(xp, K, value)
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape of the outputs, {tuple(shape)}; found {tuple(array.shape)}")
    return array.reshape(like.shape)


def _check_new_kernel(xp: Any, K: Any, K_new: Any) -> Any:
    fresh = _as_array_like(xp, K, K_new)
    if fresh.ndim != 2 or fresh.shape[1] != len(K):
        raise ValueError(
            f"K_new is K(x_new, X): it needs {len(K)} columns, one for each row of K; found {tuple(fresh.shape)}"
        )
    return fresh


def _initial_outputs(xp: Any, fresh: Any, start: Any, start_new: Any, y: Any, columns: int) -> Any:
    """Return the outputs of the start on the new inputs."""
    like = xp.zeros((len(fresh), columns), dtype=fresh.dtype, **_device(fresh))
    if start_new is not None:
        shape = (len(fresh) * columns // math.prod(y.shape[1:]), *y.shape[1:])
        return _check_outputs(xp, fresh, "start_new", start_new, shape, like)
    if start is not None:
        raise ValueError("outputs of the start on the new inputs are missing: pass start_new=f(x_new) beside start")
    return like


def _check_times(xp: Any, K: Any, t: Any) -> Any:
    times = _as_array_like(xp, K, t)
    if times.ndim > 1:
        raise ValueError(f"t must be a number or a vector of times; found shape {tuple(times.shape)}")
    values = _values_or_none(times)
    if values is not None and not np.all(values >= 0):
        raise ValueError(f"times must be at least 0; found {t}")
    return times.reshape(-1)


def _check_number(name: str, value: object, positive: bool) -> None:
    concrete = _values_or_none(value)
    if concrete is not None and not (
        concrete.ndim == 0 and np.isfinite(concrete) and (concrete > 0 if positive else concrete >= 0)
    ):
        raise ValueError(f"{name} must be a finite number, {'above' if positive else 'at least'} 0; found {value}")


def _check_initial_covariance(xp: Any, K: Any, initial: Any, rows: int, new: bool) -> tuple[Any, Any, Any]:
    parts = tuple(initial) if new else (initial, initial, initial)
    if len(parts) != 3:
        raise ValueError(f"initial must be three covariances, (X, X), (new, X) and (new, new); found {len(parts)}")
    shapes_needed = ((len(K), len(K)), (rows, len(K)), (rows, rows))
    covariances = tuple(_as_array_like(xp, K, part) for part in parts)
    if tuple(tuple(part.shape) for part in covariances) != shapes_needed:
        shapes = ", ".join(str(tuple(part.shape)) for part in covariances)
        requirement = (
            f"three covariances of shapes {shapes_needed}" if new else f"one covariance of shape {shapes_needed[0]}"
        )
        raise ValueError(f"initial must be {requirement}; found {shapes}")
    return covariances[0], covariances[1], covariances[2]


def _values_or_none(value: object) -> np.ndarray | None:
    """Return the values as a NumPy array, or None for traced arrays, which have none yet."""
    try:
        return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    except Exception:
        return None
