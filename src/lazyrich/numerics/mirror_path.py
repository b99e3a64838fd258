r"""The mirror path of a descent on a diagonal network, and the gradient flow that ends where the descent ends.

A step of gradient descent multiplies the weights of a diagonal network of depth two by $1 \mp \gamma\eta g$, g the
gradient in β; so does a step with momentum, by other factors, which depend on the gradients only. `descend` applies its
steps also to two factors $F_\pm$ per coordinate that start at one, and to the mirror variable z, which starts at zero
and has the gradient g itself. A gradient flow would keep $F_\pm = e^{\pm z}$; the difference is what steps do.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.pseudoinverse import least_squares
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal, Network
from lazyrich.networks.diagonal import sum_and_difference
from lazyrich.numerics.optimizers import SGD, Optimizer
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.problem import Square
from lazyrich.trajectory import Trajectory

CONVERGED = 1e-8  # relative misfit below which a run counts as converged
WELL_CONDITIONED = 1e-3  # relative size of the singular values of X along which a shift is removed
SMALLEST = 1e-290  # factors below have lost digits to underflow


class EquivalentFlow(GradientFlow):
    r"""The gradient flow that ends where a descent ends: `lr.limit` of it is the end of the run.

    `scale` is the effective scale of each coordinate, $\alpha_i = (A_iB_i)^{1/4}$ in $\beta_i = A_ie^{2z} - B_ie^{-2z}$
    at unit rates: the $\alpha$ of a tied network that starts at $w_\pm = \alpha$. `log_scale_change` is its logarithm
    relative to the scale of the run's own start; negative values mean a sparser bias. `misfit` is the distance of the
    run's last outputs from the labels (or from the best fit), relative to them.
    """

    scale: Float[Array, " d"]
    log_scale_change: Float[Array, " d"]
    misfit: Float[Array, ""]

    def __init__(self, net: Network, run: GradientFlow, log_scale_change: Array, misfit: Array):
        super().__init__(net, run.problem, run.rates)
        potential = diagonal_potential(net, run.rates)
        log_a, log_b = potential.log_initial_sides
        self.scale = jnp.exp((log_a + log_b) / 4)
        self.log_scale_change, self.misfit = log_scale_change, misfit

    @property
    def converged(self) -> bool:
        """Whether the run has come to its end, up to a misfit of 1e-8."""
        return bool(self.misfit <= CONVERGED)

    def __repr__(self) -> str:
        if not is_concrete(self.misfit) or np.ndim(self.misfit):
            return f"Equivalent{super().__repr__().removeprefix('Gradient')}"
        warning = "" if self.converged else f", of a run that has not converged: misfit {float(self.misfit):.1e}"
        return f"Equivalent{super().__repr__().removeprefix('Gradient')[:-1]}{warning})"


def has_mirror_path(flow: GradientFlow, optimizer: Optimizer) -> bool:
    """Return whether the mirror path of a descent exists: the reasons against it are those of `equivalent_flow`."""
    return not _reason_against(flow) and isinstance(optimizer, SGD)


def _reason_against(flow: GradientFlow) -> str:
    net = flow.net
    if not isinstance(net, Diagonal) or net.degree != 2:
        return f"it needs a Diagonal network of depth two, tied or not; found {net!r:.80}"
    if not isinstance(flow.problem.loss, Square):
        return (
            f"it needs the square loss; found {type(flow.problem.loss).__name__}, whose runs end at infinity, in a "
            "direction that does not depend on the start"
        )
    if flow.decay is not None:
        return "it needs a flow without weight decay, whose end depends on the start"
    return ""


def initial_mirror(net: Network) -> Float[Array, "3 d"]:
    """Return the factors F₊ and F₋ and the mirror variable z before the first step."""
    d = net.n_inputs_outputs[0]
    return jnp.concatenate([jnp.ones((2, d)), jnp.zeros((1, d))])


def mirror_gradient(mirror: Float[Array, "3 d"], G: Float[Array, " d"]) -> Float[Array, "3 d"]:
    """Return what stands in for the gradient of F₊, F₋ and z, where G is the gradient in β."""
    return jnp.stack([G * mirror[0], -G * mirror[1], G])


def mirror_rate(rates: tuple[AnyArray, ...]) -> AnyArray:
    """Return the rate of the mirror path: 2η for a tied network, √(η₁η₂) for two layers."""
    return 2 * rates[0] if len(rates) == 1 else jnp.sqrt(rates[0] * rates[1])


def equivalent_flow(descent: Trajectory) -> EquivalentFlow:
    r"""Return the gradient flow, from another initialization, that ends where this run of `descend` ends.

    The run: a diagonal network of depth two (tied, or untied with any rates) and the square loss; steps of any size, up
    to the edge of stability and beyond, that may change with time; batches and label noise; heavy ball or Nesterov
    momentum; weights may change their sign. With the gradients $g_k$ in β, steps $\gamma_k$ and momentum μ, the weights
    of coordinate i are multiplied by $F_\pm = \pm e^{\pm z}e^{C_\pm}$, where z collects the steps that the same
    optimizer takes along the $g_k$ and so lies in the row space of X. Hence, if the run converges to an interpolator,

    $$\beta_\infty = \mathrm{argmin}_{X\beta = y} D_\psi(\beta, \tilde\beta_0),$$

    the end of the flow whose start has the weights $w_\pm e^{C_\pm}$: its scale is $\alpha_ie^{(C_+ + C_-)/2}$, and
    its mirror variable is shifted by $(C_+ - C_-)/2$, of which only the part outside of the row space of X matters and
    is kept. For plain steps $C_\pm = \sum_k \log|1 \mp \gamma g_k| \pm \gamma g_k$ (Even, Pesme, Gunasekar,
    Flammarion 2023, theorem 1); heavy ball has $\sum_k c(\rho_k^\pm)$ with $\rho_k = w_{k+1}/w_k - 1$ and
    $c(\rho) = \log|1+\rho| - (\rho - \mu\rho/(1+\rho))/(1-\mu)$.

    Of a run that has not converged, the last network lies on the mirror path of this flow, so that a gradient flow that
    goes on from there has the same limit; `misfit` and `converged` of the result state how far it is.

    >>> from lazyrich import Problem, descend, inits, limit
    >>> flow = GradientFlow(inits.tied_diagonal(3, 0.1), Problem([[1.0, 2.0, 2.1]], [3.0]))
    >>> run = descend(flow, 2000, lr=0.07, momentum=0.5)
    >>> for value in (limit(flow).value, run.beta[-1], limit(equivalent_flow(run)).value):
    ...     print(value.round(4))
    [0.0786 0.6372 0.7843]
    [0.1937 0.6658 0.7023]
    [0.1937 0.6658 0.7023]
    """
    if not isinstance(descent, Trajectory):
        raise TypeError(f"equivalent_flow takes the Trajectory of a descent; found {type(descent).__name__}")
    opening = "no gradient flow is known that ends where this run ends: "
    if descent.by.kind != "descended":
        raise ValueError(f"{opening}it needs a run of descend; found a trajectory {descent.by}")
    if reason := _reason_against(descent.flow):
        raise ValueError(opening + reason)
    if descent.mirror_path is None:
        raise ValueError(
            f"{opening}it needs steps of gradient descent, with or without momentum, in double precision; found "
            f"{descent.by}"
        )
    flow, path = descent.flow, descent.mirror_path[-1]
    factors, z = path[:2], path[2]
    vanished = jnp.abs(factors) < SMALLEST
    plus, minus = jnp.log(jnp.where(vanished, 1.0, jnp.abs(factors)))
    change, shift = (plus + minus) / 2, _outside_rows(flow.problem.X, (plus - minus) / 2 - z)
    layers, vanished = _multiply_sides(
        flow, jnp.sign(factors) * jnp.exp(jnp.stack([change + shift, change - shift])), vanished
    )
    message = (
        f"{opening}a weight became zero or smaller than {SMALLEST:g} on the way, and what it was is lost: take smaller "
        "steps or fewer of them, or a larger initialization"
    )
    layers = raise_if(layers, {message: jax.lax.stop_gradient(jnp.any(vanished))})
    return EquivalentFlow(flow.net.with_layers(layers), flow, change, _misfit(descent))


def _outside_rows(X: Array, shift: Array) -> Array:
    """Return a shift without its part in the row space of X, which moves the start along its own mirror path.

    Momentum can make that part so large that float64 cannot hold both sides of a start. Directions in which X is ill
    conditioned keep theirs, because there rounding would leave the row space.
    """
    return shift - jnp.linalg.lstsq(X.T, shift, rcond=WELL_CONDITIONED)[0] @ X


def _multiply_sides(flow: GradientFlow, factors: Array, vanished: Array) -> tuple[tuple[Array, ...], Array]:
    """Return the layers with the sides that grow multiplied by the first factor, and those that decay by the second;
    and which nonzero sides have lost their factor."""

    def times(side: Array, factor: Array) -> Array:
        return jnp.where(side == 0, 0.0, side * jnp.where(side == 0, 1.0, factor))

    if len(flow.net.layers) == 1:
        (w,) = flow.net.layers
        return (times(w, factors),), vanished & (w != 0)
    ratio = jnp.sqrt(flow.rates[0] / flow.rates[1])
    u, v = flow.net.layers
    rising, falling = sum_and_difference(u, v, ratio)
    grow, sink = times(rising, factors), times(falling, factors[::-1])
    return (grow + sink, (grow - sink) / ratio), (vanished & (rising != 0)) | (vanished[::-1] & (falling != 0))


def _misfit(descent: Trajectory) -> Array:
    """Return the distance of the last outputs from the best fit, relative to the labels that can be fitted or, if they
    are zero, to the first outputs."""
    X, y = descent.flow.problem.X, descent.flow.problem.y.reshape(-1)
    fit = X @ least_squares(X, y) if X.shape[0] > X.shape[1] else y
    first, last = (X @ descent.flow.beta(net).reshape(-1) for net in (descent.flow.net, descent.end))
    unit = jnp.max(jnp.abs(fit))
    return safe_ratio(jnp.max(jnp.abs(last - fit)), jnp.where(unit > 0, unit, jnp.max(jnp.abs(first))))
