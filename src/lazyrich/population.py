r"""Infinite data: the loss as an expectation over Gaussian inputs, in closed form."""

from typing import TYPE_CHECKING, ClassVar, NamedTuple, NoReturn

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.gaussian_moments import abs_abs, erf_erf, linear_erf
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import ArrayLike, Layers
from lazyrich._validate.arrays import check_array, check_key, check_positive
from lazyrich._validate.integers import check_int
from lazyrich._validate.numbers import check_word
from lazyrich.networks import Linearized, Network
from lazyrich.networks.network import check_network_type
from lazyrich.problem import Problem, Square

PROBLEM_ATTRIBUTES = frozenset(name for name in (*Problem.__annotations__, *vars(Problem)) if name[0] != "_")
OVERFLOWS = (
    "the outputs of network and teacher are so large that float64 does not know their difference: the squares of both "
    "overflow. Measure inputs or outputs in other units, nearer to one"
)
SYMMETRY_TOLERANCE = 1e-12  # relative: a covariance matrix may be asymmetric by this much


class Population(eqx.Module):
    r"""A learning problem with infinitely many samples: $L = \tfrac\kappa2\,E_x\,(f(x) - f^*(x))^2$, f* the teacher.

    The inputs are Gaussian, $x \sim N(0, \Sigma)$ with Σ = I unless a `covariance` is given, or, for
    `inputs="sphere"`, uniform on the unit sphere. The expectation is in closed form for linear networks and for
    two-layer networks of ReLU, leaky ReLU, |z| (`TwoLayer`) and erf units (`TwoLayerErf`), students and teachers of
    any of these kinds (Saad and Solla 1995; Cho and Saul 2009), and for their tangent models. Erf units are not
    homogeneous, and have no closed form on the sphere.

    The flow of `Problem(X, f*(X), kappa=κ/n)` approaches the population flow as the number n of samples grows, and the
    loss of a network is its test error. `sample` draws such a problem.

    For linear networks it is a `Problem` of d samples, `linear_problem`, to which `GradientFlow` converts it: so all
    theorems for linear networks apply.

    >>> from lazyrich import GradientFlow, TwoLayer, integrate
    >>> population = Population(TwoLayer([[1.0, 0.0]], [1.0]))
    >>> population.loss_of(TwoLayer([[-1.0, 0.0]], [1.0]))           # ½ E x² = ½: the two are never both active
    Array(0.5, dtype=float64)
    >>> flow = GradientFlow(TwoLayer([[0.6, 0.8]], [1.0]), population)
    >>> integrate(flow, [0.0, 5.0, 50.0]).loss.round(5)
    Array([0.16123, 0.00326, 0.     ], dtype=float64)
    """

    teacher: Network
    inputs: str = eqx.field(static=True)
    covariance: Float[Array, "d d"] | None
    kappa: Float[Array, ""]
    has_samples: ClassVar[bool] = False

    def __init__(
        self,
        teacher: Network,
        inputs: str = "gaussian",
        covariance: ArrayLike | None = None,
        kappa: ArrayLike = 1.0,
    ):
        self.teacher = check_network_type("teacher", teacher)
        self.inputs = check_word("inputs", inputs, ("gaussian", "sphere"))
        self.kappa = check_positive("kappa", kappa)
        self.covariance = None if covariance is None else self._check_covariance(covariance)
        self._check_network("the teacher", teacher)

    def _check_covariance(self, covariance: ArrayLike) -> Float[Array, "d d"]:
        matrix = check_array("covariance", covariance, (2,))
        if matrix.shape != (self.d, self.d):
            raise ValueError(
                f"covariance must be a matrix of shape ({self.d}, {self.d}), the teacher's inputs; "
                f"found shape {matrix.shape}"
            )
        if self.inputs == "sphere":
            raise ValueError("covariance belongs to Gaussian inputs; on the sphere it is I/d: leave it out")
        if is_concrete(matrix):
            values = np.asarray(matrix)
            if np.max(np.abs(values - values.T)) > SYMMETRY_TOLERANCE * np.max(np.abs(values)):
                raise ValueError("covariance must be symmetric; pass (C + C.T)/2 if rounding made it asymmetric")
            smallest = float(np.linalg.eigvalsh(values)[0])
            if not smallest > 0 or np.any(np.isnan(np.asarray(jnp.linalg.cholesky(matrix)))):
                raise ValueError(
                    f"covariance must be positive definite; its smallest eigenvalue is {smallest:.2g}. Drop the "
                    "directions in which the inputs do not vary"
                )
        return matrix

    def __repr__(self) -> str:
        inputs = self.inputs if self.covariance is None else f"{self.inputs} with a covariance"
        kappa = f"kappa {float(self.kappa):g}" if is_concrete(self.kappa) and not self.kappa.ndim else "kappa traced"
        return f"Population({type(self.teacher).__name__} teacher, {self.d} {inputs} inputs, {kappa})"

    # What it shares with Problem

    @property
    def d(self) -> int:
        """Number of inputs."""
        d = self.teacher.n_inputs_outputs[0]
        if d is None:
            raise TypeError(_no_closed_form("the teacher", self.teacher))
        return d

    @property
    def c(self) -> int:
        """Number of outputs."""
        return self.teacher.n_inputs_outputs[1] or 1

    @property
    def loss(self) -> Square:
        """The loss of one output, which is the square loss."""
        return Square()

    def loss_of(self, net: Network) -> Float[Array, ""]:
        """Return the population loss of a network, which is its test error (times κ/2)."""
        loss = self._signed_loss(net)
        finite = jnp.array([jnp.all(jnp.isfinite(layer)) for layer in net.layers]).all()
        return jnp.maximum(raise_if(loss, {OVERFLOWS: finite & jnp.isnan(loss)}), 0.0)

    def gradient_of(self, net: Network) -> Layers:
        """Return the gradient of the population loss, in the shape of the layers.

        A ReLU unit with w = 0 is on all kinks at once; its gradient is then that of its slope at 0, as in `TwoLayer`.
        """
        return jax.grad(lambda layers: self._signed_loss(net.with_layers(layers)))(net.layers)

    def gauss_newton_product(self, net: Network, direction: Layers) -> Layers:
        """Return E JᵀJ v, J the derivative of the output in the parameters, for a direction v of the layers."""
        own = Population(net, self.inputs, self.covariance)  # its loss is E|J(θ − θ₀)|²/2 near the network itself
        return jax.jvp(lambda layers: own.gradient_of(net.with_layers(layers)), (net.layers,), (direction,))[1]

    def _signed_loss(self, net: Network) -> Float[Array, ""]:
        """Return the loss, which rounding can make slightly negative."""
        pairs = ((net, net), (net, self.teacher), (self.teacher, self.teacher))
        own, cross, target = (self._product(f, g) for f, g in pairs)
        return 0.5 * self.kappa * (own - 2 * cross + target)

    # Where samples are needed

    def __getattr__(self, name: str) -> NoReturn:
        if name in PROBLEM_ATTRIBUTES:
            raise ValueError(
                f"this needs samples ({name!r} of a Problem), and a Population has none. Pass inputs X where the "
                "function takes them, or draw a problem with samples: population.sample(key, n)"
            )
        raise AttributeError(f"a Population has no attribute {name!r}")

    def sample(self, key: Key[Array, ""], n: int) -> Problem:
        """Draw n samples: the problem of the mean square (times κ/2) with the teacher's outputs as labels."""
        Z = jax.random.normal(check_key(key), (check_int("n", n), self.d))
        X = Z / jnp.linalg.norm(Z, axis=1, keepdims=True) if self.inputs == "sphere" else Z @ self._factor.T
        return Problem(X, self.teacher(X), kappa=self.kappa / n)

    def linear_problem(self) -> Problem:
        r"""Return the problem with the same loss for every linear predictor: d samples with $X^\top X = \Sigma$.

        Their labels are the best linear predictor of the teacher. What no linear predictor can fit is the label of one
        more sample, at x = 0.
        """
        scale = 1 / jnp.sqrt(self.d) if self.inputs == "sphere" else 1.0
        X, y = scale * self._factor.T, scale * self._projection(self.teacher)
        if not self.teacher.linear_in_inputs:
            rest = jnp.maximum(self._product(self.teacher, self.teacher) - jnp.sum(y**2), 0.0)
            rest = jnp.where(rest > 0, jnp.sqrt(jnp.where(rest > 0, rest, 1.0)), 0.0)
            X, y = jnp.vstack([X, jnp.zeros(self.d)]), jnp.append(y, rest)
        return Problem(X, y, kappa=self.kappa)

    # Expectations

    @property
    def _factor(self) -> Float[Array, "d d"]:
        """A matrix F with FFᵀ = Σ: the inputs are x = Fz, z ~ N(0, I)."""
        return jnp.eye(self.d) if self.covariance is None else jnp.linalg.cholesky(self.covariance)

    def for_student(self, net: Network) -> "Problem | Population":
        """Return the problem that a network learns: `linear_problem` if the network is linear."""
        self._check_network("the network", net)
        return self.linear_problem() if net.linear_in_inputs else self

    def _check_network(self, name: str, net: Network) -> None:
        """Raise an error if there is no closed form for a network."""
        anchor = net.anchor if isinstance(net, Linearized) else net
        if anchor.linear_in_inputs:
            return
        if anchor.neuron_parameters is None and anchor.erf_parameters is None:
            raise TypeError(_no_closed_form(name, anchor))
        if anchor.erf_parameters is not None and self.inputs == "sphere":
            raise ValueError(f"{name} has erf units, whose expectations have a closed form for Gaussian inputs only")

    def _units(self, net: Network) -> "_Units":
        """Return the parts of a network, as functions of z ~ N(0, I)."""
        d = self.d
        linear, absolute, error = jnp.zeros(d), (jnp.zeros((0, d)), jnp.zeros(0)), (jnp.zeros((0, d)), jnp.zeros(0))
        if net.linear_in_inputs:
            linear = jnp.reshape(net.beta, (d,))
        elif net.neuron_parameters is not None:
            W, a, slope = net.neuron_parameters
            # max(z, ρz) = (1 + ρ)/2 z + (1 − ρ)/2 |z|; where w = 0, at the kink, it is taken to be ρz.
            kink = jnp.all(W == 0, axis=1)
            linear = W.T @ (jnp.where(kink, slope, (1 + slope) / 2) * a)
            absolute = W, jnp.where(kink, 0.0, (1 - slope) / 2) * a
        elif net.erf_parameters is not None:
            error = net.erf_parameters
        if self.covariance is None:
            return _Units(linear, *absolute, *error)
        F = self._factor
        return _Units(linear @ F, absolute[0] @ F, absolute[1], error[0] @ F, error[1])

    def _projection(self, net: Network) -> Array:
        """Return E z f(x), the best linear predictor of a network from z, of shape (d,) or (d, c)."""
        if self.c > 1:
            return self._factor.T @ net.beta
        if isinstance(net, Linearized):
            return net.tangent_of(self._projection)
        units = self._units(net)
        return units.linear + units.error_a @ linear_erf(units.error_W)

    def _product(self, f: Network, g: Network) -> Float[Array, ""]:
        """Return E f(x)g(x). A tangent model is the derivative of this product in the direction of its parameters."""
        if isinstance(g, Linearized):
            f, g = g, f
        if isinstance(f, Linearized):
            return f.tangent_of(lambda net: self._product(g, net))
        p, q = self._units(f), self._units(g)
        total = (
            p.linear @ q.linear
            + p.absolute_a @ abs_abs(p.absolute_W, q.absolute_W) @ q.absolute_a
            + p.error_a @ erf_erf(p.error_W, q.error_W) @ q.error_a
            + p.linear @ (q.error_a @ linear_erf(q.error_W))
            + q.linear @ (p.error_a @ linear_erf(p.error_W))
        )
        return total / self.d if self.inputs == "sphere" else total


class _Units(NamedTuple):
    """A network as the sum of a linear function, of units a|w·z| and of units a·erf(w·z/√2)."""

    linear: Float[Array, " d"]
    absolute_W: Float[Array, "h d"]
    absolute_a: Float[Array, " h"]
    error_W: Float[Array, "k d"]
    error_a: Float[Array, " k"]


def _no_closed_form(name: str, net: Network) -> str:
    return (
        "a Population has expectations in closed form for linear networks and two-layer networks of ReLU or erf units; "
        f"{name} is a {type(net).__name__}. Draw samples, Problem(X, y), and follow the flow on them"
    )


# Statically, a Population is used as a Problem is. What it lacks, it refuses when it is asked.
if TYPE_CHECKING:
    AnyProblem = Problem
else:
    AnyProblem = Problem | Population
