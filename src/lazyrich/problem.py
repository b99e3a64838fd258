r"""The data and the loss: $L(f) = \kappa \sum_i \ell(f(x_i), y_i)$."""

from typing import ClassVar, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import (
    has_jax_array,
    ignore_float_errors,
    is_concrete,
    sigmoid,
    to_numpy_if_concrete,
    xp,
)
from lazyrich._core.device import to_jax
from lazyrich._core.linalg import numerical_rank
from lazyrich._core.pseudoinverse import least_squares, project_to_null_space
from lazyrich._core.types import AnyArray, ArrayLike, Layers
from lazyrich._io.html import html_pre, html_table
from lazyrich._validate.arrays import check_array, check_positive
from lazyrich._validate.integers import check_int


class Loss(eqx.Module):
    """A loss of one output f and its label y: value, slope ∂ℓ/∂f and curvature ∂²ℓ/∂f². Elementwise."""

    is_margin_loss: eqx.AbstractClassVar[bool]  # whether labels must be ±1

    def value(self, f: Array, y: Array) -> Array:
        raise NotImplementedError

    def derivative(self, f: Array, y: Array) -> Array:
        raise NotImplementedError

    def second_derivative(self, f: Array, y: Array) -> Array:
        return jax.jvp(lambda f: self.derivative(f, y), (f,), (jnp.ones_like(f),))[1]


class Square(Loss):
    """The square loss ½(f − y)²."""

    is_margin_loss = False

    def value(self, f: Array, y: Array) -> Array:
        return 0.5 * (f - y) ** 2

    def derivative(self, f: Array, y: Array) -> Array:
        return f - y

    def second_derivative(self, f: Array, y: Array) -> Array:
        return xp.ones_like(f)


class Logistic(Loss):
    """The logistic loss log(1 + exp(−yf)), y = ±1."""

    is_margin_loss = True

    def value(self, f: Array, y: Array) -> Array:
        return xp.logaddexp(0.0, -y * f)

    def derivative(self, f: Array, y: Array) -> Array:
        return -y * sigmoid(-y * f)

    def second_derivative(self, f: Array, y: Array) -> Array:
        return sigmoid(f) * sigmoid(-f)


class Exponential(Loss):
    """The exponential loss exp(−yf), y = ±1."""

    is_margin_loss = True

    @ignore_float_errors
    def value(self, f: Array, y: Array) -> Array:
        return xp.exp(-y * f)

    @ignore_float_errors
    def derivative(self, f: Array, y: Array) -> Array:
        return -y * xp.exp(-y * f)

    @ignore_float_errors
    def second_derivative(self, f: Array, y: Array) -> Array:
        return xp.exp(-y * f)


@runtime_checkable
class Predictor(Protocol):
    """What a problem needs of a network: its outputs on rows of X, and their vector–Jacobian product."""

    def __call__(self, X: Float[Array, "n d"]) -> Array: ...

    def pullback(self, X: Float[Array, "n d"], r: Array) -> Layers: ...


class Problem(eqx.Module):
    r"""A learning problem: inputs X (one row per sample), labels y and a loss.

    $L = \kappa \sum_i \ell(f(x_i), y_i)$, by default $\tfrac12 \|X\beta - y\|^2$. The sources use the sum
    ($\kappa = 1$: kunin2024, varre2023), the mean ($\kappa = 1/n$) and twice the mean ($\kappa = 2/n$: smith2022):
    pass `kappa`.

    >>> problem = Problem([[2.0, 0.0], [0.0, 1.0]], [2.0, 3.0])
    >>> problem.min_norm_solution
    Array([1., 3.], dtype=float64)
    >>> problem.interpolation_defect(), problem.whitening_defect()
    (0.0, 2.12...)
    >>> problem.whiten().whitening_defect()
    0.0
    """

    X: Float[Array, "n d"]
    y: Float[Array, " n"] | Float[Array, "n c"]
    loss: Loss
    kappa: Float[Array, ""]
    has_samples: ClassVar[bool] = True

    def __init__(self, X: ArrayLike, y: ArrayLike, loss: Loss | None = None, kappa: ArrayLike = 1.0):
        self.X = check_array("X", X, (2,))
        self.y = check_array("y", y, (1, 2))
        self.loss = Square() if loss is None else loss
        self.kappa = check_positive("kappa", kappa)
        if not isinstance(self.loss, Loss):
            raise TypeError(f"loss must be Square(), Logistic() or Exponential(); found {loss!r}")
        if len(self.X) != len(self.y):
            raise ValueError(
                f"X and y must have one row per sample: found {len(self.X)} rows in X and {len(self.y)} in y. "
                "If samples are the columns of X, pass X.T"
            )
        if self.loss.is_margin_loss and is_concrete(self.y) and not np.all(np.abs(np.asarray(self.y)) == 1):
            raise ValueError(
                self.wrong_labels(f"; found values from {float(self.y.min()):g} to {float(self.y.max()):g}")
            )

    def wrong_labels(self, found_text: str = "") -> str:
        """Return the message about labels that a margin loss cannot use."""
        return f"{type(self.loss).__name__} loss needs labels −1 and +1{found_text}. For labels 0 and 1 pass 2*y - 1"

    def __repr__(self) -> str:
        if self.X.ndim != 2 or not is_concrete(self.kappa):  # batched by vmap, or traced
            return super().__repr__()
        named = {"samples": self.n, "features": self.d, "outputs": self.c}
        sizes = ", ".join(f"{size} {name if size != 1 else name[:-1]}" for name, size in named.items())
        return f"Problem({sizes}, {type(self.loss).__name__} loss, kappa {float(self.kappa):g})"

    def _repr_html_(self) -> str:
        if self.X.ndim != 2 or not is_concrete(self):
            return html_pre(repr(self))
        rows = {
            "samples × features": f"{self.n} × {self.d}",
            "outputs": self.c,
            "loss": f"{type(self.loss).__name__}, κ = {float(self.kappa):g}",
            "whitened": f"off by {self.whitening_defect():.1g}",
            "interpolable": f"off by {self.interpolation_defect():.1g}",
        }
        return html_table(rows.items(), ("Problem", ""))

    # Sizes

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.X.shape[0]

    @property
    def d(self) -> int:
        """Number of features."""
        return self.X.shape[1]

    @property
    def c(self) -> int:
        """Number of outputs."""
        return 1 if self.y.ndim == 1 else self.y.shape[1]

    # The loss and its slope, as functions of the outputs on X

    def value(self, f: Array) -> Float[Array, ""]:
        """Return the loss of outputs f, in the shape of y or (n, c)."""
        return self.kappa * xp.sum(self.loss.value(f.reshape(self.y.shape), self.y))

    def slope(self, f: Array) -> Array:
        """Return ∂L/∂f, in the shape of f."""
        return (self.kappa * self.loss.derivative(f.reshape(self.y.shape), self.y)).reshape(f.shape)

    def curvature(self, f: Array) -> Array:
        """Return ∂²L/∂f² of each output, in the shape of f."""
        return (self.kappa * self.loss.second_derivative(f.reshape(self.y.shape), self.y)).reshape(f.shape)

    # The loss of a network, which a `Population` has, too

    def loss_of(self, net: Predictor) -> Float[Array, ""]:
        """Return the loss of a network."""
        return self.value(net(self.X))

    def gradient_of(self, net: Predictor) -> Layers:
        """Return the gradient of the loss of a network, in the shape of its layers."""
        return net.pullback(self.X, self.slope(net(self.X)))

    # Linear algebra of the data

    @property
    def gram(self) -> Float[Array, "d d"]:
        """The Gram matrix XᵀX."""
        return self.X.T @ self.X

    @property
    def Xy(self) -> Array:
        """The cross moment Xᵀy, of shape (d,) or (d, c)."""
        return self.X.T @ self.y

    @property
    def min_norm_solution(self) -> Array:
        """The minimum-norm least-squares solution X⁺y."""
        return self._like_X(least_squares(self.X, self.y))

    @property
    def rank(self) -> int:
        """The numerical rank of X."""
        return int(numerical_rank(jnp.linalg.svd(self.X, compute_uv=False), self.X.shape))

    @property
    def null_projector(self) -> Float[Array, "d d"]:
        """The orthogonal projector I − X⁺X onto the null space of X."""
        return self.null_space_component(jnp.eye(self.d))

    def null_space_component(self, v: Array) -> Array:
        """Project a vector, or each column of a matrix, onto the null space of X: (I − X⁺X)v."""
        return self._like_X(project_to_null_space(self.X, v))

    def _like_X(self, array: AnyArray) -> AnyArray:
        """Convert to a JAX array if X is one."""
        return to_jax(array) if has_jax_array(self.X) else array

    @property
    def null_space_basis(self) -> Float[Array, "d k"]:
        """An orthonormal basis of the null space of X, in columns."""
        Vt = jnp.linalg.svd(self.X, full_matrices=True)[2]
        return Vt[self.rank :].T

    # Hypotheses, as measured defects: 0 when they hold

    def whitening_defect(self) -> float:
        r"""Return the relative distance of the inputs from whitened ones: $\|\kappa X^\top X - I\|_F / \sqrt d$."""
        return float(jnp.linalg.norm(self.kappa * self.gram - jnp.eye(self.d)) / np.sqrt(self.d))

    def interpolation_defect(self) -> float:
        r"""Return the relative distance of the labels from those that a linear predictor can reach.

        Square loss: $\|y - XX^+y\| / \|y\|$. Margin losses: the smallest mean hinge loss
        $\min_\beta \frac1n \sum_i (1 - y_i x_i\cdot\beta)_+$, which is 0 exactly when the data are separable.
        """
        if self.loss.is_margin_loss:
            return max(_min_hinge_loss(np.asarray(self.X), y) for y in np.asarray(self.y).reshape(self.n, -1).T)
        size = jnp.linalg.norm(self.y)
        return float(jnp.where(size == 0, 0.0, jnp.linalg.norm(self.y - self.X @ self.min_norm_solution) / size))

    # Transforms, and another source of problems

    @staticmethod
    def in_context(covariance: ArrayLike, context_length: int, kappa: ArrayLike = 1.0) -> "Problem":
        r"""Return the problem of linear regression in context, over all prompts, as linear attention learns it.

        A prompt has N pairs $(x_i, y_i = w\cdot x_i)$ and a query x, all inputs $N(0, \Lambda)$ with Λ the
        `covariance`, and a $w \sim N(0, I)$ of its own; the label is $w\cdot x$. Linear attention is linear in the
        features $b x^\top$, $b = \frac1N\sum_i y_ix_i$ (`networks.prompt_features`), whose second moment is
        $C\otimes\Lambda$ with $C = \Lambda^2 + (\Lambda^2 + \mathrm{tr}\Lambda\,\Lambda)/N$. So the loss over all
        prompts is that of D² samples, and of one more for what no M can fit; its minimum is at $M = C^{-1}\Lambda$
        (Zhang, Singh, Latham and Saxe 2025).

        >>> problem = Problem.in_context([1.0, 0.5], 10)              # a diagonal covariance
        >>> problem, problem.min_norm_solution.reshape(2, 2).round(3)
        (Problem(5 samples, 4 features, 1 output, Square loss, kappa 1), Array([[0.8  , 0.   ],
               [0.   , 1.429]], dtype=float64))
        """
        given_covariance = check_array("covariance", covariance, (1, 2))
        N = float(check_int("context_length", context_length))
        if given_covariance.ndim == 2 and given_covariance.shape[0] != given_covariance.shape[1]:
            raise ValueError(
                f"covariance must be a vector, its diagonal, or a square matrix; found shape {given_covariance.shape}"
            )
        if given_covariance.ndim == 1:
            values, basis = given_covariance, jnp.eye(len(given_covariance))
        else:
            values, basis = jnp.linalg.eigh(given_covariance)
            if is_concrete(given_covariance) and jnp.max(
                jnp.abs(given_covariance - given_covariance.T)
            ) > 1e-12 * jnp.max(jnp.abs(given_covariance)):
                raise ValueError("covariance must be symmetric; pass (C + C.T)/2 if rounding made it asymmetric")
        if is_concrete(values) and not float(jnp.min(values)) > 0:
            raise ValueError(
                f"covariance must be positive definite; its smallest eigenvalue is {float(jnp.min(values)):.2g}"
            )
        noise = (values**2 + jnp.sum(values) * values) / N
        C = values**2 + noise

        def matrix(eigenvalues: Array) -> Array:
            return (basis * eigenvalues) @ basis.T if given_covariance.ndim == 2 else jnp.diag(eigenvalues)

        X = jnp.kron(matrix(jnp.sqrt(C)), matrix(jnp.sqrt(values)))
        y = matrix(values**1.5 / jnp.sqrt(C)).ravel()
        rest = jnp.sqrt(jnp.sum(values * noise / C))
        return Problem(jnp.vstack([X, jnp.zeros(X.shape[1])]), jnp.append(y, rest), kappa=kappa)

    def whiten(self) -> "Problem":
        r"""Return the same labels on the whitened inputs $X (\kappa X^\top X)^{-1/2}$, with $\kappa X^\top X = I$.

        A predictor b of the whitened problem is $\beta = (\kappa X^\top X)^{-1/2} b$ on the original inputs.
        """
        U, _, Vt = jnp.linalg.svd(self.X, full_matrices=False)
        if self.rank < self.d:
            raise ValueError(
                f"X has rank {self.rank} but {self.d} features, and no linear map makes XᵀX the identity; "
                "drop features, or project onto the row space first"
            )
        return Problem(U @ Vt / jnp.sqrt(self.kappa), self.y, self.loss, self.kappa)

    def residual(self, beta: ArrayLike) -> "Problem":
        r"""Return the problem that is left beside a fixed predictor β: the labels $y - X\beta$, for the square loss.

        >>> Problem([[1.0, 2.0]], [5.0]).residual([1.0, 1.0]).y
        Array([2.], dtype=float64)
        """
        beta = check_array("beta", beta, (1, 2))
        if not isinstance(self.loss, Square):
            raise ValueError(
                "a fixed predictor can be moved into the labels of the square loss only; found "
                f"{type(self.loss).__name__} loss"
            )
        if beta.shape != (self.d, *self.y.shape[1:]):
            raise ValueError(f"beta must have the shape {(self.d, *self.y.shape[1:])} of X⁺y; found {beta.shape}")
        return Problem(self.X, self.y - self.X @ beta, self.loss, self.kappa)

    def compress(self) -> "Problem":
        r"""Return an equivalent problem with at most d + c samples, for linear predictors and the square loss.

        With $[X\ y] = QR$, $\|X\beta - y\| = \|R_X\beta - R_y\|$ for every $\beta$. Unlike the Gram matrix, QR
        does not square the condition number, so no digits are lost.
        """
        if not isinstance(self.loss, Square) or self.n <= self.d + self.c:
            return self
        R = xp.linalg.qr(xp.column_stack(to_numpy_if_concrete([self.X, self.y])), mode="r")
        y = R[:, self.d :]
        return Problem(R[:, : self.d], y[:, 0] if self.y.ndim == 1 else y, self.loss, self.kappa)


def _min_hinge_loss(X: np.ndarray, y: np.ndarray) -> float:
    """Return the smallest mean hinge loss over β, as the linear program min mean(ξ), ξ ≥ 0, y(Xβ) ≥ 1 − ξ."""
    from scipy.optimize import linprog

    n, d = X.shape
    result = linprog(
        c=np.r_[np.zeros(d), np.full(n, 1 / n)],
        A_ub=np.hstack([-y[:, None] * X, -np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(None, None)] * d + [(0, None)] * n,
        method="highs",
    )
    if result.status != 0:
        raise RuntimeError(f"the linear program for separability failed: {result.message}")
    return float(result.fun)
