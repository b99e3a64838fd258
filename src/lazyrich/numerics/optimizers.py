"""Optimizers of `descend`: the direction of a step from the gradients so far, one plain formula each."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_array, check_positive, check_static_float
from lazyrich._validate.numbers import check_flag


class Optimizer(eqx.Module):
    r"""A rule for the direction of a step: $\theta_l \leftarrow \theta_l - \text{lr}\,\eta_l\,\text{direction}_l$.

    A subclass defines `direction`, and `init` if it remembers anything; the other properties only improve messages.

    >>> class SignDescent(Optimizer):
    ...     def direction(self, gradient, memory, count):
    ...         return jax.tree.map(jnp.sign, gradient), memory
    >>> from lazyrich import GradientFlow, Problem, descend, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0]), Problem(jnp.eye(2), [1.0, 2.0]))
    >>> descend(flow, steps=10, lr=0.05, optimizer=SignDescent()).by.method
    'SignDescent'
    """

    def init(self, layers: PyTree) -> PyTree:
        """Return the memory before the first step."""
        return ()

    def direction(self, gradient: PyTree, memory: PyTree, count: Array) -> tuple[PyTree, PyTree]:
        """Return the direction of step number `count`, from 1, and the memory after it."""
        raise NotImplementedError(f"{type(self).__name__} has no direction(gradient, memory, count)")

    @property
    def method(self) -> str:
        """The name in `traj.by`."""
        return type(self).__name__

    @property
    def detail(self) -> str:
        """The settings in `traj.by`."""
        return ""

    @property
    def gain(self) -> Array:
        """The size of the direction under a constant gradient of one: flow time per step is lr · gain."""
        return jnp.ones(())

    @property
    def edge(self) -> Array | None:
        """The number c such that steps are stable while lr < c/λ, λ the largest curvature; None if there is none."""
        return None

    @property
    def stability(self) -> str:
        """The condition under which steps are stable, as a sentence."""
        return ""


class SGD(Optimizer):
    r"""Gradient descent with momentum, in the form of PyTorch: $v \leftarrow mv + g$, and the direction is v (heavy
    ball) or, with `nesterov`, $g + mv$.

    It is stable while lr < 2(1 + m)/λ, and with `nesterov` while lr < 2(1 + m)/((1 + 2m)λ); λ is the largest curvature.
    """

    momentum: Float[Array, ""]
    nesterov: bool = eqx.field(static=True)

    def __init__(self, momentum: ArrayLike = 0.0, nesterov: bool = False):
        self.momentum, self.nesterov = check_fraction("momentum", momentum), check_flag("nesterov", nesterov)

    def init(self, layers: PyTree) -> PyTree:
        return jax.tree.map(jnp.zeros_like, layers)

    def direction(self, gradient: PyTree, memory: PyTree, count: Array) -> tuple[PyTree, PyTree]:
        m = self.momentum
        velocity = jax.tree.map(lambda v, g: m * v + g, memory, gradient)
        ahead = jax.tree.map(lambda v, g: g + m * v, velocity, gradient) if self.nesterov else velocity
        return ahead, velocity

    @property
    def method(self) -> str:
        return "Nesterov's accelerated gradient" if self.nesterov else "gradient descent"

    @property
    def detail(self) -> str:
        return f"momentum {float(self.momentum):g}" if is_concrete(self.momentum) and self.momentum else ""

    @property
    def gain(self) -> Array:
        return 1 / (1 - self.momentum)

    @property
    def edge(self) -> Array:
        m = self.momentum
        return 2 * (1 + m) / (1 + 2 * m) if self.nesterov else 2 * (1 + m)

    @property
    def stability(self) -> str:
        if not is_concrete(self.momentum) or self.momentum:
            limit = "2(1 + m)/((1 + 2m)λ)" if self.nesterov else "2(1 + m)/λ"
            return f"Descent with momentum m is stable while lr < {limit}, λ the largest curvature."
        return "Descent is stable while lr < 2/λ, λ the largest curvature."


class Adam(Optimizer):
    r"""Adam: $m \leftarrow \beta_1m + (1 - \beta_1)g$ and $v \leftarrow \beta_2v + (1 - \beta_2)g^2$. After k steps the
    direction is $\hat m/(\sqrt{\hat v} + \epsilon)$ with $\hat m = m/(1 - \beta_1^k)$, $\hat v = v/(1 - \beta_2^k)$.

    AdamW is this with `decoupled=True` in `descend`. Kingma and Ba (2015); Loshchilov and Hutter (2019).
    """

    b1: Float[Array, ""]
    b2: Float[Array, ""]
    eps: Float[Array, ""]

    def __init__(self, b1: ArrayLike = 0.9, b2: ArrayLike = 0.999, eps: ArrayLike = 1e-8):
        self.b1, self.b2 = check_fraction("b1", b1), check_fraction("b2", b2)
        self.eps = check_positive("eps", eps)

    def init(self, layers: PyTree) -> PyTree:
        return jax.tree.map(jnp.zeros_like, layers), jax.tree.map(jnp.zeros_like, layers)

    def direction(self, gradient: PyTree, memory: PyTree, count: Array) -> tuple[PyTree, PyTree]:
        b1, b2 = self.b1, self.b2
        mean = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, memory[0], gradient)
        square = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g**2, memory[1], gradient)
        k = jnp.asarray(count, float)
        first, second = 1 - b1**k, 1 - b2**k
        ahead = jax.tree.map(lambda m, v: (m / first) / (_root(v / second) + self.eps), mean, square)
        return ahead, (mean, square)

    @property
    def detail(self) -> str:
        return f"b1 {float(self.b1):g}, b2 {float(self.b2):g}" if is_concrete(self.b1, self.b2) else ""

    @property
    def stability(self) -> str:
        return "Adam is stable while lr < 2(1 + b1)/((1 − b1)λ), λ the largest curvature relative to √v̂."


def _root(square: Array) -> Array:
    """Return √v, with derivative 0 at v = 0, where no gradient has come yet."""
    positive = square > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, square, 1.0)), 0.0)


def check_fraction(name: str, value: object) -> Array:
    """Check that a number is in [0, 1), and return it."""
    if is_concrete(value) and not 0 <= check_static_float(name, value) < 1:
        raise ValueError(f"{name} must lie in [0, 1); found {value}")
    fraction = check_array(name, value, (0,))
    if is_concrete(fraction):
        return fraction
    constant = jax.lax.stop_gradient(fraction)
    return raise_if(fraction, {f"{name} must lie in [0, 1)": (constant < 0) | (constant >= 1)})


def check_optimizer_on(layers: PyTree, optimizer: Optimizer) -> None:
    """Raise an error if an optimizer's direction does not run, or has other shapes than the layers or its memory."""
    name = type(optimizer).__name__
    try:
        memory = jax.eval_shape(optimizer.init, layers)
        found = jax.eval_shape(optimizer.direction, layers, memory, jnp.array(1))
        shapes = jax.tree.map(jnp.shape, found)
    except NotImplementedError:
        raise
    except Exception as error:  # an optimizer of the user can raise anything
        raise ValueError(f"{name} does not run on the layers of this network: {error!r:.300}") from error
    needed = jax.tree.map(jnp.shape, (layers, memory))
    if shapes != needed:
        raise ValueError(
            f"{name}.direction must return a direction in the shape of the gradient and a memory in the shape of that "
            f"of `init`, {needed!r:.200}; found {shapes!r:.200}"
        )
