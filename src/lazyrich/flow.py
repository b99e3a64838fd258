"""The initial value problem: a network, a problem, learning rates, weight decay."""

from typing import cast

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import is_concrete, xp
from lazyrich._core.runtime_errors import any_nonfinite
from lazyrich._core.types import AnyArray, LayerDecay, LayerRates, Layers
from lazyrich._io.html import html_pre, html_table
from lazyrich._validate.arrays import (
    NOT_FINITE_TEXT,
    check_decay,
    check_rates,
    decay_errors,
    not_positive_errors,
    rate_errors,
)
from lazyrich.networks import Linearized, Network
from lazyrich.networks.network import check_network_type
from lazyrich.population import AnyProblem, Population
from lazyrich.problem import Problem

DECAY_ROUNDING = 1e-15  # relative: rates of decay η_lλ_l that differ by less are equal


class GradientFlow(eqx.Module):
    r"""$\dot\theta_l = -\eta_l\,(\partial L/\partial\theta_l + \lambda_l\theta_l)$ from the parameters of `net`.

    `rates` are the learning rates $\eta_l$ and `decay` the weight decay $\lambda_l$: one number, or one per layer. The
    flow descends the objective $L + \tfrac12\sum_l\lambda_l\|\theta_l\|^2$. `flow.decay` is None if there is no decay.

    >>> from lazyrich.networks import DeepLinear
    >>> flow = GradientFlow(DeepLinear([[[1.0]], [[1.0]]]), Problem([[1.0]], [3.0]), rates=(1.0, 0.5))
    >>> flow.loss(), flow.vector_field(flow.net.layers)
    (Array(2., dtype=float64), (Array([[2.]], dtype=float64), Array([[1.]], dtype=float64)))
    >>> decayed = GradientFlow(flow.net, flow.problem, decay=0.1)
    >>> decayed.loss(), decayed.objective()
    (Array(2., dtype=float64), Array(2.1, dtype=float64))
    """

    net: Network
    problem: AnyProblem
    rates: tuple[Float[Array, ""], ...]
    decay: tuple[Float[Array, ""], ...] | None

    def __init__(self, net: Network, problem: Problem | Population, rates: LayerRates = None, decay: LayerDecay = None):
        if not isinstance(problem, (Problem, Population)):
            raise TypeError(f"problem must be a lazyrich.Problem or a Population; found {type(problem).__name__}")
        d, c = check_network_type("net", net).n_inputs_outputs
        if isinstance(problem, Population):
            problem = problem.for_student(net)
        problem = cast(AnyProblem, problem)
        if d is not None and d != problem.d:
            raise ValueError(f"the network takes {d} inputs, but X has {problem.d} features (columns)")
        c = _n_outputs(net, problem.X) if c is None else c
        if c != problem.c:
            raise ValueError(f"the network has {c} outputs, but y has {problem.c}")
        self.net, self.problem = net, problem
        self.rates = check_rates(rates, len(net.layers))
        self.decay = check_decay(decay, len(net.layers))

    def __repr__(self) -> str:
        decay = "" if self.decay is None else f", decay {_format_numbers(self.decay)}"
        return f"GradientFlow({self.net!r}, {self.problem!r}, rates {_format_numbers(self.rates)}{decay})"

    def _repr_html_(self) -> str:
        if not _is_unbatched((self.net.layers, self.rates, self.decay)):
            return html_pre(repr(self))
        decay = [""] * len(self.rates) if self.decay is None else [f", decay {float(value):g}" for value in self.decay]
        layers = [
            (
                f"layer {l}",
                " + ".join(str(leaf.shape) for leaf in jax.tree.leaves(layer)),
                f"rate {float(rate):g}{decay[l - 1]}",
            )
            for l, (layer, rate) in enumerate(zip(self.net.layers, self.rates, strict=True), 1)
        ]
        rows = [*layers, ("problem", repr(self.problem), f"loss {float(self.loss()):.3g}")]
        return html_table(rows, ("GradientFlow", type(self.net).__name__, ""))

    def outputs(self, net: Network | None = None) -> Array:
        """Return the network's outputs on the training inputs, in the shape of y."""
        net = self.net if net is None else net
        return net(self.problem.X).reshape(self.problem.y.shape)

    def beta(self, net: Network | None = None) -> Array:
        """Return the linear predictor, of shape (d,) when y is a vector and (d, c) when it is a matrix."""
        net = self.net if net is None else net
        return net.beta.reshape(self.problem.d, *self.problem.y.shape[1:])

    def loss(self, net: Network | None = None) -> Float[Array, ""]:
        """Return the loss of the data, without the penalty of weight decay; for a `Population`, the test error."""
        return self.problem.loss_of(self.net if net is None else net)

    def penalty(self, net: Network | None = None) -> Float[Array, ""]:
        r"""Return the penalty of weight decay, $\tfrac12\sum_l\lambda_l\|\theta_l\|^2$."""
        if self.decay is None:
            return xp.zeros(())
        layers = (self.net if net is None else net).layers
        squares = [sum(xp.sum(leaf**2) for leaf in jax.tree.leaves(layer)) for layer in layers]
        return 0.5 * sum(value * square for value, square in zip(self.decay, squares, strict=True))

    def objective(self, net: Network | None = None) -> Float[Array, ""]:
        """Return what the flow descends: the loss plus the penalty of weight decay."""
        return self.loss(net) + self.penalty(net)

    def gradient(self, net: Network | None = None) -> Layers:
        """Return the gradient of the objective, in the shape of the layers."""
        net = self.net if net is None else net
        slopes = self.loss_gradient(net)
        if self.decay is None:
            return slopes
        return tuple(
            jax.tree.map(lambda g, leaf, value=value: g + value * leaf, slope, layer)
            for value, slope, layer in zip(self.decay, slopes, net.layers, strict=True)
        )

    def loss_gradient(self, net: Network | None = None) -> Layers:
        """Return ∂L/∂θ of the loss of the data, in the shape of the layers."""
        return self.problem.gradient_of(self.net if net is None else net)

    def vector_field(self, layers: Layers) -> Layers:
        """Return the velocity of the parameters."""
        slopes = self.gradient(self.net.with_layers(layers))
        return tuple(
            jax.tree.map(lambda g, rate=rate: -rate * g, slope) for rate, slope in zip(self.rates, slopes, strict=True)
        )

    def ntk(self, net: Network | None = None, X: Array | None = None, X2: Array | None = None) -> Array:
        """Return the tangent kernel with the flow's rates, of shape y.shape + y.shape on the training inputs."""
        net = self.net if net is None else net
        kernel = net.ntk(self.problem.X if X is None else X, X2, self.rates)
        c = self.problem.y.shape[1:]
        return kernel.reshape(len(kernel), *c, -1, *c)

    def with_net(self, net: Network) -> "GradientFlow":
        """Return the same flow from another network."""
        return GradientFlow(net, self.problem, self.rates, self.decay)

    def with_problem(self, problem: Problem | Population) -> "GradientFlow":
        """Return the same flow on another problem."""
        return GradientFlow(self.net, problem, self.rates, self.decay)

    @property
    def decay_rates(self) -> tuple[Float[Array, ""], ...]:
        r"""The rate $\eta_l\lambda_l$ at which weight decay alone shrinks each layer."""
        if self.decay is None:
            return tuple(0.0 * rate for rate in self.rates)
        return tuple(rate * value for rate, value in zip(self.rates, self.decay, strict=True))

    @property
    def is_smooth(self) -> bool:
        """Whether the loss is a smooth function of the parameters. That of a `Population` is, except where w = 0."""
        return self.net.smooth_in_parameters or not self.problem.has_samples

    def linearize(self) -> "GradientFlow":
        """Return the flow of the tangent model at the initialization: the lazy counterpart."""
        return self.with_net(Linearized(self.net))


def decay_rates_are_equal(flow: GradientFlow) -> bool:
    r"""Return whether the rate $\kappa = \eta_l\lambda_l$ is known to be the same for all layers, up to rounding.

    Then every conserved quantity of the flow without decay decays, in step with $e^{-\kappa t}$ for the weights.
    """
    if len(flow.rates) == 1:
        return True
    if not is_concrete(flow.decay_rates):
        return False
    kappas = np.array([float(rate) for rate in flow.decay_rates])
    return bool(np.ptp(kappas) <= DECAY_ROUNDING * np.max(kappas))


def raise_if_decayed(flow: GradientFlow, what: str) -> None:
    """Raise an error if the flow has weight decay, which `what` does not cover."""
    if flow.decay is not None:
        raise ValueError(
            f"{what} is about flows without weight decay; this one has decay {_format_numbers(flow.decay)}. "
            "Pass the flow with decay=None, or follow this one with lazyrich.solve(flow, times)"
        )


def invalid_values(flow: GradientFlow) -> dict[str, AnyArray]:
    """Return the error conditions, for `raise_if`, of the traced parts of a flow, which their constructors could not
    test."""
    problem = flow.problem
    parts: dict[str, PyTree] = {"the network": flow.net}
    parts |= {"X": problem.X, "y": problem.y} if problem.has_samples else {"the teacher": problem}
    errors = {f"{name} {NOT_FINITE_TEXT}": any_nonfinite(part) for name, part in parts.items() if not is_concrete(part)}
    if not is_concrete(problem.kappa):
        errors |= not_positive_errors("kappa", problem.kappa)
    if problem.loss.is_margin_loss and not is_concrete(problem.y):
        errors |= {problem.wrong_labels(): abs(jax.lax.stop_gradient(problem.y)) != 1}
    return errors | rate_errors(flow.rates) | decay_errors(flow.decay)


def _format_numbers(values: tuple[Array, ...]) -> str:
    """Return one number per layer as text."""
    return ", ".join(f"{float(value):g}" for value in values) if _is_unbatched(values) else "traced"


def _is_unbatched(tree: PyTree) -> bool:
    """Return whether the arrays belong to one flow: neither traced, nor batched by vmap."""
    return is_concrete(tree) and all(jax.numpy.ndim(rate) == 0 for rate in jax.tree.leaves(tree)[-1:])


def _n_outputs(net: Network, X: Array) -> int:
    """Return the number of outputs of a network that does not declare it, by evaluating its shape on X."""
    name = type(net).__name__
    if not jax.tree.leaves(net.layers):
        raise ValueError(f"{name} has no parameters, and nothing of it can move: its `layers` are {net.layers!r:.60}")
    try:
        shape = jax.eval_shape(net, X).shape
    except Exception as error:  # a user's network can raise anything
        raise ValueError(f"{name} does not run on X, of shape {X.shape}: {error}") from error
    if len(shape) not in (1, 2) or shape[0] != len(X):
        raise ValueError(
            f"{name} must give one row per row of X, (n,) or (n, c) with n = {len(X)}; found outputs of shape {shape}"
        )
    return shape[1] if len(shape) == 2 else 1
