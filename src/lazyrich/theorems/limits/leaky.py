"""Where a single neuron with leaky ReLU stops."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._check import concrete
from lazyrich._linalg import hyperbola
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network, TwoLayer
from lazyrich.problem import Problem, least_squares
from lazyrich.theorems.examples import altered, data, logistic, relu
from lazyrich.theorems.hypotheses import Defect, square_loss, yes
from lazyrich.theorems.outer_weight import imbalance, known_sign, outer_sign, reach, with_weights
from lazyrich.theorems.result import Certificate
from lazyrich.theorems.theorem import LimitTheorem, relative


def leaky_neuron(flow: GradientFlow) -> Defect:
    """One hidden unit with a leaky ReLU of positive slope."""
    neurons = flow.net.neurons
    return yes(neurons is not None and len(neurons[1]) == 1 and 0 < neurons[2] != 1)


def independent_samples(flow: GradientFlow) -> Defect:
    """Every choice of labels can be reached: the smallest singular value of X, if it is rounding."""
    if not concrete(flow.problem.X):
        return yes(flow.problem.n <= flow.problem.d)
    return yes(flow.problem.rank == flow.problem.n)


def leaky_limit(flow: GradientFlow) -> tuple[Network, Network, Certificate]:
    r"""A single neuron with leaky ReLU of slope ρ > 0, if its loss goes to zero, stops at

    $$w_\infty = X^+\frac y{c\,a_\infty} + Pw_0, \qquad
      a_\infty^2 = \frac{v + \sqrt{v^2 + 4\eta_a\eta_w\|X^+(y/c)\|^2}}{2\eta_w}, \qquad
      v = \delta + \eta_a\|Pw_0\|^2,$$

    where $c_n$ is 1 or ρ according to the sign of $y_na_\infty$: at the end every sample is on the side its label
    wants. azulay2021's theorem 4 says that this is a KKT point of the minimisation of the single neuron's potential,
    and no more: the branch with the other sign of a may be lower. The samples must be independent.

    >>> from lazyrich import limit
    >>> flow = GradientFlow(TwoLayer([[1.0, 0.0]], [1.0], slope=0.5), Problem(np.eye(2), [2.0, -1.0]))
    >>> limit(flow, theorem="leaky-neuron bias").value(np.eye(2))          # both labels, one of them on the slope
    Array([ 2., -1.], dtype=float64)
    """
    problem, net, (eta_w, eta_a) = flow.problem, flow.net, flow.rates
    assert net.neurons is not None
    (w0,), (a0,), slope = net.neurons
    y = problem.y.reshape(-1)
    sign, _ = outer_sign(flow, False)
    slopes = jnp.where(y * sign > 0, 1.0, slope)
    wanted = y / slopes
    best = least_squares(problem.X, wanted)
    unseen = problem.unseen(w0)
    v = eta_w * a0**2 - eta_a * jnp.sum((w0 - unseen) ** 2)
    outer, _ = hyperbola(jnp.sqrt(eta_a * eta_w) * reach(best, v), v)
    a = sign * outer / jnp.sqrt(eta_w)
    w = best / jnp.where(a == 0, 1.0, a) + unseen
    end = with_weights(net, w, a)
    miss_ = relative(jnp.linalg.norm(end(problem.X).reshape(-1) - y), jnp.linalg.norm(y))
    # Stationary on the branch: w − w₀ is seen by the data, and δ is what it was.
    delta, size = imbalance(flow)
    now = eta_w * a**2 - eta_a * jnp.sum(w**2)
    kkt = relative(jnp.linalg.norm(problem.unseen(w - w0)), jnp.linalg.norm(w)) + relative(
        jnp.abs(now - delta), size + jnp.abs(now)
    )
    return end, end, Certificate(miss_, kkt)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(TwoLayer(0.3 * rng.normal(size=(1, 5)), [2.0], slope=0.3), data(rng))


def _twice_with_other_labels(flow: GradientFlow) -> GradientFlow:
    X, y = flow.problem.X, flow.problem.y
    return altered(flow, problem=Problem(jnp.vstack([X, X[:1]]), jnp.append(y, y[0] + 1)))


def _against_the_target(flow: GradientFlow) -> GradientFlow:
    return altered(flow, net=TwoLayer(-5.0 * flow.problem.min_norm[None], [0.9], slope=0.3))


THEOREM = LimitTheorem(
    name="leaky-neuron bias",
    places=(("azulay2021", "theorem 4: a KKT point, if the loss goes to zero"),),
    hypotheses={
        leaky_neuron: relu,
        square_loss: logistic,
        independent_samples: _twice_with_other_labels,
        known_sign: _against_the_target,
    },
    formula=leaky_limit,
    example=_example,
    shown_on_the_way=(known_sign,),
)
