"""Section 3: the linearized model."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich._solve import exact
from lazyrich.flow import GradientFlow
from lazyrich.networks import TwoLayer
from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.oracles.flows import ode
from lazyrich.papers.smith2022.claims._regression import start_of_ones
from lazyrich.problem import Problem


@claim(
    "smith2022",
    "section 3.2",
    "if f(w₀, ·) = 0, the linearized flow of the mean squared error is d/dt f(x) = (2/N) Σ K(x, xᵢ)(yᵢ − f(xᵢ)), "
    "at seen and unseen x, with the kernel at w₀",
    quote=r"In the case of  $\ell$  the square loss, these dynamics are $$\frac{d}{dt} \bar{f}(\bar{\mathbf{w}}(t), "
    r"\mathbf{x}) = \frac{2}{N} \sum_{i=1}^N K_{\mathbf{w}_0}(\mathbf{x}, \mathbf{x}_i) (y_i - "
    r"\bar{f}(\bar{\mathbf{w}}(t), \mathbf{x}_i)).$$",
    tolerance=1e-9,
    why="a matrix exponential on the weights against an ODE on the outputs at rtol 1e-12",
)
def kernel_method(setup: Setup, factor: float = 2.0, symmetric: bool = True) -> Any:
    """Outputs of the linearized flow of a ReLU network that starts at zero, seen and unseen inputs: the library's
    closed form on the weights, and the kernel's own equation."""
    rng = setup.rng
    n, m, N = 3, 10, 4
    X, Z, y = rng.normal(size=(N, n)), rng.normal(size=(3, n)), rng.normal(size=N)
    W, a = rng.normal(size=(m, n)), rng.normal(size=m)
    start = TwoLayer(np.concatenate([W, W]), np.concatenate([a, -a if symmetric else a]))
    times = np.array([0.0, 0.02, 0.1, 0.5])
    traj = exact(GradientFlow(start, Problem(X, y, kappa=2 / N)).linearize(), times)
    both = np.concatenate([X, Z])
    outputs = jax.vmap(lambda net: net(jnp.asarray(both)))(traj.nets)
    on = both @ W.T > 0
    K = 2 * (np.maximum(both @ W.T, 0) @ np.maximum(both @ W.T, 0).T + (on * a**2) @ on.T * (both @ both.T))
    path = ode(lambda f: factor / N * K[:, :N] @ (y - f[:N]), np.zeros(len(both)), times)
    return np.asarray(outputs), path


kernel_method.breaks("without the 2 of the mean squared error", factor=1.0)
kernel_method.breaks("from a network that does not start at zero", symmetric=False)


@kernel_method.proof("two samples, an unseen input, three weights; symbols for all gradients and labels")
def chain_rule(spoiled: bool) -> Any:
    """w′ = −∇ of the mean squared error of the linear model, by differentiating; f̄′ = ⟨∇f(x), w′⟩."""
    from sympy import Matrix, Rational, diff, symbols

    J, w, y = Matrix(3, 3, symbols("j:9")), Matrix(symbols("w:3")), Matrix(symbols("y:2"))
    f = J * w  # at two seen inputs and an unseen one
    loss = sum((y[i] - f[i]) ** 2 for i in range(2)) / (1 if spoiled else 2)
    K = J * J.T
    stated = [Rational(2, 2) * sum(K[x, i] * (y[i] - f[i]) for i in range(2)) for x in range(3)]
    return J * -diff(loss, w), Matrix(stated)


@claim(
    "smith2022",
    "section 4.1.1 and 4.2",
    "at w₊ = w₋ = α𝟙 the regression model has the kernel $8α²⟨x, x′⟩$, the linearization $2α⟨x, w₊ − w₋⟩$, and the "
    "kernel norm $‖f‖² = K(β, β)/(8α²)² = ‖β‖²/(8α²)$",
    quote=r"&= 8\alpha^2 \langle \mathbf{x}_1, \mathbf{x}_2 \rangle, \quad \mathbf{x}_1, \mathbf{x}_2 \in "
    r"\mathcal{X}. \end{aligned}$$ That is, the NTK  $K_{\mathbf{w}_\alpha(0)}$  is proportional to the inner product "
    r"kernel.",
    tolerance=1e-12,
    why="algebra in double precision",
)
def regression_kernel(setup: Setup, factor: float = 1.0) -> Any:
    rng = setup.rng
    n, alpha = setup.size(4, 12), rng.uniform(0.5, 2)
    X, w = rng.normal(size=(5, n)), rng.normal(size=(2, n))
    beta = rng.normal(size=n)
    model = lambda w: jnp.asarray(X) @ (w[0] ** 2 - w[1] ** 2)  # noqa: E731
    J = np.asarray(jax.jacobian(model)(jnp.asarray(start_of_ones(n, alpha)))).reshape(5, -1)
    features = 2 * alpha * np.hstack([np.eye(n), -np.eye(n)])  # of the unit vectors: any f is ⟨β, x⟩
    shortest = np.linalg.lstsq(features, beta, rcond=None)[0]
    measured = [*(J @ J.T).ravel(), *(J @ (w - alpha).ravel()), shortest @ shortest]
    names = {"α": alpha, "⟨x, x′⟩": X @ X.T, "⟨x, w₊ − w₋⟩": X @ (w[0] - w[1]), "‖β‖": np.linalg.norm(beta)}
    kernel, linear, norm = (formula.right(names) for formula in regression_kernel.formulas)
    return np.array(measured), np.array([*(factor * kernel).ravel(), *linear, norm / factor])


regression_kernel.breaks("4α² instead of 8α²", factor=0.5)


@regression_kernel.proof("n = 2, symbols for the inputs, the weights and α")
def by_the_gradient(spoiled: bool) -> Any:
    """K and f̄ from the gradient of f at α𝟙."""
    from sympy import Matrix, symbols

    w, x, z, a = symbols("w:4"), Matrix(symbols("x:2")), Matrix(symbols("z:2")), symbols("a")
    model = lambda x: sum((w[i] ** 2 - w[i + 2] ** 2) * x[i] for i in range(2))  # noqa: E731
    at = dict.fromkeys(w, a)
    one, two = (Matrix([model(v)]).jacobian(w).subs(at) for v in (x, z))
    linear = (one * (Matrix(w) - a * Matrix([1, 1, 1, 1])))[0]
    along = sum(x[i] * (w[i] - w[i + 2]) for i in range(2))
    names = {"α": a, "⟨x, x′⟩": (2 if spoiled else 1) * x.dot(z), "⟨x, w₊ − w₋⟩": along}
    return [(one * two.T)[0], linear], [formula.right(names) for formula in regression_kernel.formulas[:2]]


def _squares(w: Any, x: Any) -> Any:
    """Return the output of the regression model (5), w = (w₊, w₋)."""
    half = len(w) // 2
    return sum((w[i] ** 2 - w[half + i] ** 2) * x[i] for i in range(half))


def _relu(w: Any, x: Any) -> Any:
    """Return the output of the network (10) with one neuron, w = (v, u)."""
    z = sum(w[1 + i] * x[i] for i in range(len(x)))
    return w[0] * z * (z > 0)


@claim(
    "smith2022",
    "sections 4.1 and 5.2.1",
    "the regression model and the ReLU network are 2-positive homogeneous in their weights",
    quote=r"The individual components of the weight vector  $\mathbf{w}$  are squared so that the model  $h$  is "
    r"two-positive homogeneous … Also, we point out that the ReLU neural network is 2-positive homogeneous in its "
    r"weights  $\mathbf{w}$ .",
    tolerance=1e-12,
    why="an identity",
)
def two_homogeneous(setup: Setup, degree: int = 2) -> Any:
    rng = setup.rng
    x, factors = rng.normal(size=3), np.array([0.2, 0.7, 1.9, 5.0])
    weights = [(_squares, rng.normal(size=6)), *((_relu, rng.normal(size=4)) for _ in range(5))]
    measured = [model(factor * w, x) for model, w in weights for factor in factors]
    return np.array(measured), np.array([factor**degree * model(w, x) for model, w in weights for factor in factors])


two_homogeneous.breaks("degree 1", degree=1)


@two_homogeneous.proof("n = 2, symbols for the weights, the inputs and α > 0; of the ReLU on either side of its kink")
def both_models(spoiled: bool) -> Any:
    from sympy import symbols

    w, x, a = symbols("w:4"), symbols("x:2"), symbols("a", positive=True)
    power = 1 if spoiled else 2
    active = w[0] * (w[1] * x[0] + w[2] * x[1])  # and 0 on the other side, which αu keeps
    scaled = (a * w[0]) * (a * w[1] * x[0] + a * w[2] * x[1])
    return [_squares([a * z for z in w], x), scaled], [a**power * _squares(w, x), a**power * active]
