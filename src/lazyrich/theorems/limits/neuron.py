"""Where single neurons and networks of rank one stop."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

from lazyrich._check import concrete
from lazyrich._linalg import hyperbola, length, smooth_unless
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network, TwoLayer
from lazyrich.potentials.radial import DeepRadial, Radial
from lazyrich.problem import least_squares
from lazyrich.theorems.coordinates import unwhitened
from lazyrich.theorems.result import Certificate, miss
from lazyrich.theorems.theorem import HOLDS, relative
from lazyrich.theorems.trajectories.neuron import constants as basin_constants
from lazyrich.theorems.trajectories.neuron import neuron_of

EPS = float(jnp.finfo(float).eps)


def imbalance(flow: GradientFlow) -> tuple[Array, Array]:
    """δ = η_w a² − η_a‖w‖², zero where it is rounding; and η_w a² + η_a‖w‖²."""
    w, a = (jnp.ravel(layer) for layer in flow.net.layers)
    eta_w, eta_a = flow.rates
    outer, inner = eta_w * jnp.sum(a**2), eta_a * jnp.sum(w**2)
    return jnp.where(jnp.abs(outer - inner) <= 8 * EPS * (outer + inner), 0.0, outer - inner), outer + inner


def outer_sign(flow: GradientFlow, whitened: Any) -> tuple[Array, Array]:
    r"""(sign, defect): the sign of a at the end, and 0 if it is known.

    It is that of $a_0$ if δ ≥ 0, where a never changes sign, and if the loss is below that of β = 0, which it would
    have to pass; if $a_0 = 0$ that of its velocity. On whitened inputs the basin decides. Otherwise it is not known
    without following the flow; the defect is by how much the loss is above that of β = 0.
    """
    problem = flow.problem
    w, a = (jnp.ravel(layer) for layer in flow.net.layers)
    delta, _ = imbalance(flow)
    zero = problem.value(jnp.zeros_like(problem.y))
    over = relative(flow.loss() - zero, zero)
    pull = jnp.sign(w @ problem.cross.reshape(-1))
    first = jnp.where(a[0] == 0, pull, jnp.sign(a[0]))
    known = (first != 0) & ((delta > 0) | (a[0] == 0) | (over < -8 * EPS) | ((delta == 0) & ~inward(flow)))
    sign, defect = first, jnp.where(known, 0.0, jnp.maximum(jnp.abs(over), 1e-3))
    target = jnp.any(problem.cross != 0)
    if flow.net.linear:
        up, C = _basin(flow)
        falls = jnp.where(target, jnp.sign(C), jnp.where(up > 0, jnp.sign(C), first))
        sign = jnp.where(whitened, falls, sign)
        defect = jnp.where(whitened, jnp.where(falls == 0, 1.0, 0.0), defect)
    # Without a target and downstream a fades to zero, whatever its sign.
    fades = ~target & (delta <= 0)
    return jnp.where(fades & (sign == 0), 1.0, sign), jnp.where(fades, 0.0, defect)


def inward(flow: GradientFlow) -> Array:
    """Is β₀ opposite to Xᵀy, an eigenvector of XᵀX? On this line a balanced neuron shrinks into the saddle at zero."""
    if not flow.net.linear:
        return jnp.array(False)
    beta, pull = flow.net.beta.reshape(-1), flow.problem.cross.reshape(-1)
    image = flow.problem.X.T @ (flow.problem.X @ beta)
    size = jnp.linalg.norm(beta)
    against = pull @ beta < (-1 + 1e-14) * jnp.linalg.norm(pull) * size
    return against & (image @ beta > (1 - 1e-14) * jnp.linalg.norm(image) * size)


def _basin(flow: GradientFlow) -> tuple[Array, Array]:
    # A sign has no derivative, and does not ask for one.
    a, w, b, eta_w, eta_a, _ = neuron_of(jax.tree.map(jax.lax.stop_gradient, flow))
    _, up, _, C, *_ = basin_constants(a, w, b, eta_w, eta_a)
    return up, C


def neuron_limit(flow: GradientFlow) -> tuple[Array, Network, Certificate]:
    r"""A single linear neuron $\beta = aw$ on any data, any δ and rates, stops at

    $$\beta_\infty = X^+y + a_\infty Pw_0, \qquad
      a_\infty = \pm\sqrt{\frac{v + \sqrt{v^2 + 4\eta_a\eta_w\|X^+y\|^2}}{2\eta_w}}, \qquad
      v = \delta + \eta_a\|Pw_0\|^2,$$

    P being the projector on what the data do not see. For $w - w_0$ stays in the row space of X, and δ is conserved.
    It is the minimiser of $\Psi_\delta(\beta) - \mathrm{sgn}(a_0a_\infty)\,\nabla\Psi_\delta(\beta_0)^\top\beta$ over
    $X\beta = y$: kunin2024's theorem 1, which misses the sign that matters when a crosses zero, and azulay2021's
    theorem 2 (δ ≥ 0). y need not be reached; then it is its projection.
    """
    problem, (eta_w, eta_a) = flow.problem, flow.rates
    w0, a0 = (jnp.ravel(layer) for layer in flow.net.layers)
    best = problem.min_norm.reshape(-1)
    unseen = problem.unseen(w0)
    seen = w0 - unseen
    v = eta_w * a0[0] ** 2 - eta_a * jnp.sum(seen**2)
    reach = _reach(best, v)
    outer, _ = hyperbola(jnp.sqrt(eta_a * eta_w) * reach, v)
    sign, _ = outer_sign(flow, unwhitened(jax.lax.stop_gradient(problem)) <= HOLDS)
    a = sign * outer / jnp.sqrt(eta_w)
    beta = best + a * unseen
    # Without a target a may end at zero, and w keeps the length that δ wants.
    rest = seen * jnp.sqrt(jnp.maximum(-v, 0.0) / eta_a) / jnp.maximum(jnp.linalg.norm(seen), 1e-300)
    w = jnp.where(a == 0, rest, best / jnp.where(a == 0, 1.0, a)) + unseen
    net = _neuron(flow.net, w, a)
    # The potential's conditions, in unit-rate coordinates: its mirror map is sgn(a) w, so that w − w₀ is seen by the
    # data.
    root = jnp.sqrt(eta_a * eta_w)
    phi = Radial(imbalance(flow)[0])
    change = sign * phi.gradient(root * beta) - jnp.sqrt(eta_a) * w0
    unmoved = problem.unseen(jnp.where(jnp.any(beta != 0), change, 0.0))
    kkt = relative(jnp.linalg.norm(unmoved), jnp.sqrt(eta_a) * (jnp.linalg.norm(w0) + jnp.linalg.norm(w)))
    return beta, net, Certificate(miss(problem.X, beta, best), kkt)


def _reach(best: Array, v: Array) -> Array:
    """‖β₊‖. Downstream a_∞ is proportional to it, and has no derivative at zero."""
    size = length(best)
    if concrete(best, v):
        return size
    message = "without a target a downstream neuron ends at a = 0, and its limit has no derivative there"
    return smooth_unless(size, jax.lax.stop_gradient((size == 0) & (v <= 0)), message)


def _neuron(net: Network, w: Array, a: Array) -> Network:
    shapes = [layer.shape for layer in net.layers]
    return net.with_layers((w.reshape(shapes[0]), a.reshape(shapes[1])))


def unit_rate_weights(flow: GradientFlow) -> tuple[Array, ...]:
    """W_l/√η_l, which flow at unit rates."""
    weights = flow.net.factors
    assert weights is not None
    return tuple(W / jnp.sqrt(rate) for W, rate in zip(weights, flow.rates, strict=True))


def rank_one_limit(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""A linear network of L ≥ 2 balanced layers and one output, so that all layers have rank one, stops at

    $$\beta_\infty = X^+y + \Big(\frac{\|\beta_\infty\|}{\|\beta_0\|}\Big)^{1-1/L}P\beta_0, \qquad
      x^L - cx^{L-1} = \|X^+y\|^2, \quad x = \|\beta_\infty\|^{2/L}, \quad
      c = \frac{\|P\beta_0\|^2}{\|\beta_0\|^{2-2/L}},$$

    with the one positive root x. It minimises $\frac L{L+1}\|\beta\|^{1+1/L} - \nabla\varphi(\beta_0)^\top\beta$ over
    $X\beta = y$: azulay2021's proposition 1 (L = 2, any number of hidden units) and kunin2024's theorem 15. (β₀ and y
    in unit-rate coordinates. From a set of measure zero the flow ends in the saddle at zero instead.)
    """
    problem = flow.problem
    weights = unit_rate_weights(flow)
    L, product = len(weights), jnp.prod(jnp.stack([jnp.sqrt(rate) for rate in flow.rates]))
    start = jnp.linalg.multi_dot([W.T for W in weights]).reshape(-1)
    best = problem.min_norm.reshape(-1) / product
    unseen = problem.unseen(start)
    size = jnp.linalg.norm(start)
    c = jnp.sum(unseen**2) / size ** (2 - 2 / L)
    x = _root(c, jnp.linalg.norm(best), L)
    beta = best + (jnp.sqrt(x) ** (L - 1) / size ** (1 - 1 / L)) * unseen
    phi = DeepRadial(L)
    change = phi.gradient(beta) - phi.gradient(start)
    kkt = relative(
        length(problem.unseen(change)),
        jnp.linalg.norm(phi.gradient(beta)) + jnp.linalg.norm(phi.gradient(start)),
    )
    return product * beta, None, Certificate(miss(problem.X, beta, best), kkt)


def _root(c: Array, length: Array, L: int) -> Array:
    """The positive root of x^L − c x^{L−1} = length², by Newton from above, where the left side is convex."""
    unit = jnp.maximum(c, length ** (2 / L))
    unit = jax.lax.stop_gradient(jnp.where(unit > 0, unit, 1.0))
    c, square = c / unit, (length / unit ** (L / 2)) ** 2

    def newton(x: Array, c: Array, square: Array) -> Array:
        slope = x ** (L - 2) * (L * x - (L - 1) * c)
        return x - (x ** (L - 1) * (x - c) - square) / jnp.where(slope > 0, slope, 1.0)

    known = jax.lax.stop_gradient((c, square))
    x = jax.lax.fori_loop(0, 60, lambda _, x: newton(x, *known), known[0] + known[1] ** (1 / L))
    return unit * newton(jax.lax.stop_gradient(x), c, square)


def leaky_limit(flow: GradientFlow) -> tuple[Network, Network, Certificate]:
    r"""A single neuron with leaky ReLU of slope ρ > 0, if its loss goes to zero, stops at

    $$w_\infty = X^+\frac y{c\,a_\infty} + Pw_0, \qquad
      a_\infty^2 = \frac{v + \sqrt{v^2 + 4\eta_a\eta_w\|X^+(y/c)\|^2}}{2\eta_w}, \qquad
      v = \delta + \eta_a\|Pw_0\|^2,$$

    where $c_n$ is 1 or ρ according to the sign of $y_na_\infty$: at the end every sample is on the side its label
    wants. azulay2021's theorem 4 says that this is a KKT point of the minimisation of the single neuron's potential,
    and no more: the branch with the other sign of a may be lower. The samples must be independent.
    """
    problem, net, (eta_w, eta_a) = flow.problem, flow.net, flow.rates
    assert isinstance(net, TwoLayer)
    w0, a0, y = net.W[0], net.a[0], problem.y.reshape(-1)
    sign, _ = outer_sign(flow, False)
    slopes = jnp.where(y * sign > 0, 1.0, net.slope)
    wanted = y / slopes
    best = least_squares(problem.X, wanted)
    unseen = problem.unseen(w0)
    v = eta_w * a0**2 - eta_a * jnp.sum((w0 - unseen) ** 2)
    outer, _ = hyperbola(jnp.sqrt(eta_a * eta_w) * _reach(best, v), v)
    a = sign * outer / jnp.sqrt(eta_w)
    w = best / jnp.where(a == 0, 1.0, a) + unseen
    end = _neuron(net, w, a)
    miss_ = relative(jnp.linalg.norm(end(problem.X).reshape(-1) - y), jnp.linalg.norm(y))
    # Stationary on the branch: w − w₀ is seen by the data, and δ is what it was.
    delta, size = imbalance(flow)
    now = eta_w * a**2 - eta_a * jnp.sum(w**2)
    kkt = relative(jnp.linalg.norm(problem.unseen(w - w0)), jnp.linalg.norm(w)) + relative(
        jnp.abs(now - delta), size + jnp.abs(now)
    )
    return end, end, Certificate(miss_, kkt)
