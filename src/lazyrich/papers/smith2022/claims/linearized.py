"""Section 3: the linearized model."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich.flow import GradientFlow
from lazyrich.networks import TwoLayer
from lazyrich.papers.checks.flows import ode
from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.smith2022.claims._regression import Array, ones
from lazyrich.problem import Problem
from lazyrich.verbs import exact


def _tangent(setup: Setup, factor: float, symmetric: bool = True) -> tuple[Array, Array]:
    """Outputs of the linearized flow of a ReLU network that starts at zero, seen and unseen inputs: the library's
    closed form on the weights, and the kernel's own equation."""
    rng = setup.rng
    n, m, N = 3, 10, 4
    X, Z, y = rng.normal(size=(N, n)), rng.normal(size=(3, n)), rng.normal(size=N)
    W, a = rng.normal(size=(m, n)), rng.normal(size=m)
    start = TwoLayer(np.concatenate([W, W]), np.concatenate([a, -a if symmetric else a]))
    times = np.array([0.0, 0.02, 0.1, 0.5])
    traj = exact(GradientFlow(start, Problem(X, y, kappa=2 / N)).linearized(), times)
    both = np.concatenate([X, Z])
    seen = jax.vmap(lambda net: net(jnp.asarray(both)))(traj.nets)
    on = both @ W.T > 0
    K = 2 * (np.maximum(both @ W.T, 0) @ np.maximum(both @ W.T, 0).T + (on * a**2) @ on.T * (both @ both.T))
    path = ode(lambda f: factor / N * K[:, :N] @ (y - f[:N]), np.zeros(len(both)), times)
    return np.asarray(seen), path


@claim(
    "smith2022",
    "section 3.2",
    "if f(w₀, ·) = 0, the linearized flow of the mean squared error is d/dt f(x) = (2/N) Σ K(x, xᵢ)(yᵢ − f(xᵢ)), "
    "at seen and unseen x, with the kernel at w₀",
    tolerance=1e-9,
    why="a matrix exponential on the weights against an ODE on the outputs at rtol 1e-12",
)
def kernel_method(setup: Setup) -> Any:
    return _tangent(setup, 2.0)


@kernel_method.breaks("without the 2 of the mean squared error")
def without_the_2_of_the_mean_squared_error(setup: Setup) -> Any:
    return _tangent(setup, 1.0)


@kernel_method.breaks("from a network that does not start at zero")
def from_a_network_that_does_not_start_at_zero(setup: Setup) -> Any:
    return _tangent(setup, 2.0, symmetric=False)


@claim(
    "smith2022",
    "section 4.1.1 and 4.2",
    "at w₊ = w₋ = α𝟙 the regression model has the kernel 8α²⟨x, x′⟩, the linearization 2α⟨x, w₊ − w₋⟩, and the kernel "
    "norm ‖f‖² = K(β, β)/(8α²)² = ‖β‖²/(8α²)",
    tolerance=1e-12,
    why="algebra in double precision",
)
def regression_kernel(setup: Setup) -> Any:
    return _regression_kernel(setup, 8.0)


@regression_kernel.breaks("4α² instead of 8α²")
def with_4alpha2_instead_of_8alpha2(setup: Setup) -> Any:
    return _regression_kernel(setup, 4.0)


def _regression_kernel(setup: Setup, factor: float) -> tuple[Array, Array]:
    rng = setup.rng
    n, alpha = setup.pick(4, 12), rng.uniform(0.5, 2)
    X, w = rng.normal(size=(5, n)), rng.normal(size=(2, n))
    beta = rng.normal(size=n)
    model = lambda w: jnp.asarray(X) @ (w[0] ** 2 - w[1] ** 2)  # noqa: E731
    J = np.asarray(jax.jacobian(model)(jnp.asarray(ones(n, alpha)))).reshape(5, -1)
    features = 2 * alpha * np.hstack([np.eye(n), -np.eye(n)])  # of the unit vectors: any f is ⟨β, x⟩
    shortest = np.linalg.lstsq(features, beta, rcond=None)[0]
    measured = [*(J @ J.T).ravel(), *(J @ (w - alpha).ravel()), shortest @ shortest]
    predicted = [*(factor * alpha**2 * X @ X.T).ravel(), *(2 * alpha * X @ (w[0] - w[1]))]
    return np.array(measured), np.array([*predicted, beta @ beta / (factor * alpha**2)])
