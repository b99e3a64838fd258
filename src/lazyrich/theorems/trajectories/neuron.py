"""The single neuron, f(x) = a w·x, in closed form."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core import double_double as dd
from lazyrich._core.array_namespace import array_namespace, eager_or_traced, has_jax_array, xp
from lazyrich._core.linalg import abs_right as absolute
from lazyrich._core.linalg import exponential_decay
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.inits import neuron
from lazyrich.networks import Network
from lazyrich.theorems.canonical_coordinates import forbid_gradient, row_space_basis, whitening_scale
from lazyrich.theorems.equations import RICCATI
from lazyrich.theorems.example_flows import (
    RATES,
    whitened_problem,
    with_logistic_loss,
    with_mixed_features,
    with_relu,
    with_two_outputs,
    with_two_units,
)
from lazyrich.theorems.hypotheses import one_hidden_unit, one_output, square_loss, two_linear_layers, whitened_inputs
from lazyrich.theorems.theorem import TrajectoryTheorem

NeuronConstants = tuple[AnyArray, ...]
N_NODES = 12  # Gauss–Legendre nodes, for a power series that has converged
NEURONS_PER_BLOCK = 128  # at most
DOUBLE_DOUBLE_TOLERANCE = 2.0**-100  # relative: a difference below this is zero up to double-double rounding


def neuron_constants(a: AnyArray, w: AnyArray, b: AnyArray, eta_w: AnyArray, eta_a: AnyArray) -> NeuronConstants:
    r"""Return $(\delta, l_+, l_-, C, g, D/C, w\cdot u, w_\perp)$, each correct to the last digit even where it cancels.

    They decide on which side of the separatrix C = 0 the flow runs, so they are computed in double-double arithmetic,
    which has no derivatives.
    """
    A, eta_W, eta_A = dd.from_float(a), dd.from_float(eta_w), dd.from_float(eta_a)
    ww, wb, bb = dd.dot(w, w), dd.dot(w, b), dd.dot(b, b)
    delta = dd.add(dd.mul(eta_W, dd.two_product(a, a)), dd.neg(dd.mul(eta_A, ww)))
    half = (delta[0] / 2, delta[1] / 2)
    scale = dd.mul(eta_A, dd.mul(eta_W, bb))
    R = dd.sqrt(dd.add(dd.mul(half, half), scale))
    corner = R[0] == 0
    positive = delta[0] > 0
    large = dd.add(R, _select(positive, half, dd.neg(half)))
    small = dd.div(scale, large)
    l_plus, l_minus = _select(positive, large, small), dd.neg(_select(positive, small, large))
    pull = dd.mul(eta_A, wb)
    twice = (2 * R[0], 2 * R[1])
    C = _select(corner, A, dd.div(dd.add(dd.mul(l_plus, A), pull), twice))
    g = _select(corner, dd.from_float(xp.zeros_like(a)), dd.div(dd.neg(dd.add(dd.mul(l_minus, A), pull)), twice))
    B = dd.sqrt(bb)
    share = dd.div(wb, bb)
    spread = tuple(xp.broadcast_to(part[..., None], b.shape) for part in share)
    across = dd.to_float(dd.add(dd.from_float(w), dd.neg(dd.mul((spread[0], spread[1]), dd.from_float(b)))))
    across = xp.where(
        xp.abs(across) > DOUBLE_DOUBLE_TOLERANCE * xp.abs(w), across, 0.0
    )  # on the separatrix everything else decays
    slope = _select(positive, dd.div(dd.mul(eta_W, B), large), dd.div(large, dd.mul(eta_A, B)))
    exists = bb[0] > 0
    return (
        *map(dd.to_float, (delta, l_plus, l_minus, C, g)),
        xp.where(exists, dd.to_float(slope), 0.0),
        xp.where(exists, dd.to_float(dd.div(wb, B)), 0.0),
        xp.where(exists, across, w),
    )


def _select(condition: AnyArray, x: dd.DoubleDouble, y: dd.DoubleDouble) -> dd.DoubleDouble:
    xp = array_namespace(condition, *x, *y)
    return xp.where(condition, x[0], y[0]), xp.where(condition, x[1], y[1])


def _evolve(
    a: AnyArray, w: AnyArray, b: AnyArray, eta_w: AnyArray, eta_a: AnyArray, t: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """Return a(t) and w(t) on whitened inputs with target b."""
    constants = neuron_constants(a, w, b, eta_w, eta_a)
    return (_evolve_blocked if has_jax_array(*constants, t) else _evolve_from_constants)(constants, a, b, eta_w, t)


def _evolve_from_constants(
    constants: tuple[AnyArray, ...], a: AnyArray, b: AnyArray, eta_w: AnyArray, t: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """Return a(t) and w(t) from the constants of the path."""
    delta, l_plus, l_minus, C, g, slope, along, across = constants
    B2 = xp.sum(b * b)
    u = b / xp.where(B2 > 0, xp.sqrt(xp.where(B2 > 0, B2, 1.0)), 1.0)
    # Everything is divided by s·max(1, |C| e^{l₊t}), so that exponentials only decay.
    decay_plus, tau_plus = exponential_decay(l_plus, t)
    decay_minus, tau_minus = exponential_decay(-l_minus, t)
    _, tau_delta = exponential_decay(absolute(delta), t)
    scaled_one, scaled_growth = _normalized_exponentials(C, decay_plus)
    scaled_decay = decay_minus * scaled_one
    k = l_plus * tau_plus - l_minus * tau_minus * decay_plus  # 1 − e^{−2Rt}
    cross = xp.where(delta > 0, scaled_growth * scaled_decay, C * scaled_one**2) * g * tau_delta
    # τ at twice the rate is τ (1 + e^{−λt})/2
    S = scaled_one**2 + eta_w * (
        scaled_growth**2 * tau_plus * (1 + decay_plus)
        + (g * scaled_one) ** 2 * tau_minus * (1 + decay_minus)
        + 4 * cross
    )
    root = 1 / xp.sqrt(S)
    size = (a * scaled_decay + scaled_growth * k) * root
    forward = (along * scaled_decay + scaled_growth * slope * k) * root
    return size, forward[..., None] * u + (scaled_one * root)[..., None] * across


_evolve_blocked = jax.custom_batching.custom_vmap(_evolve_from_constants)


@_evolve_blocked.def_vmap
def _evolve_blocked_vmap(axis_size: int, batched: PyTree, *args: Array) -> tuple[PyTree, PyTree]:
    """Evolve many neurons in blocks that fit into the cache."""
    leaves, tree = jax.tree.flatten(args)
    moves = jax.tree.leaves(batched)

    def one(moving: list[Array]) -> tuple[Array, Array]:
        remaining = iter(moving)
        filled = [next(remaining) if m else leaf for m, leaf in zip(moves, leaves, strict=True)]
        return _evolve_from_constants(*jax.tree.unflatten(tree, filled))

    # Blocks of equal length are written in place; a remainder would be joined to them by a copy of everything.
    block = max(
        (size for size in range(NEURONS_PER_BLOCK // 4, NEURONS_PER_BLOCK + 1) if axis_size % size == 0),
        default=NEURONS_PER_BLOCK,
    )
    results = jax.lax.map(one, [leaf for m, leaf in zip(moves, leaves, strict=True) if m], batch_size=block)
    return results, (True, True)


_evolve_traced = jax.custom_jvp(jax.jit(_evolve))
evolve = eager_or_traced(_evolve, _evolve_traced)


@_evolve_traced.defjvp
def _evolve_jvp(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    return _evolve_traced(*primals), jax.jvp(_evolve_differentiable, primals, tangents)[1]


@jax.jit
def _evolve_differentiable(a: Array, w: Array, b: Array, eta_w: Array, eta_a: Array, t: Array) -> tuple[Array, Array]:
    r"""Return a(t) and w(t) in ordinary arithmetic, without singular vectors, for differentiation.

    $(a, w) = (p, w_0 + \eta_w\beta_*\int p)/s$ with $s^2 = 1 + 2\eta_w\int p^2$ and $\ddot p = \delta\dot p +
    \eta_a\eta_wB^2p$, so that nothing is singular at $\beta_* = 0$ or δ = 0. While Rt is small p is a power series and
    its integrals are taken by Gauss–Legendre; after that it is a sum of exponentials, divided by what grows.
    """
    pull, scale = eta_a * jnp.sum(w * b), eta_a * eta_w * jnp.sum(b * b)
    delta = eta_w * a * a - eta_a * jnp.sum(w * w)
    square = delta**2 / 4 + scale  # R²
    near = square * t**2 < 0.25
    start, early, squares = _early_integrals(a, pull, delta, square, jnp.where(near, t, 0.0))
    constants = neuron_constants(*jax.lax.stop_gradient((a, w, b, eta_w, eta_a)))[:5]
    late_values = _late_integrals(a, pull, delta, scale, eta_w, jnp.where(near, 1.0, square), t, constants)
    early_values = start, early, jnp.ones_like(t), 1 + 2 * eta_w * squares
    p, integral, scaled_one, S = (jnp.where(near, x, y) for x, y in zip(early_values, late_values, strict=True))
    root = jax.lax.rsqrt(S)
    return p * root, ((scaled_one * root)[..., None] * w + (eta_w * integral * root)[..., None] * b)


def _early_integrals(a: Array, pull: Array, delta: Array, square: Array, t: Array) -> tuple[Array, Array, Array]:
    """Return p, ∫p and ∫p² while Rt < ½."""
    points, weights = (jnp.asarray(v) / 2 for v in np.polynomial.legendre.leggauss(N_NODES))
    x = t[..., None] * jnp.append(points + 0.5, 1.0)
    z, cosh, sinhc = square * x**2, jnp.ones_like(x), jnp.ones_like(x)
    for k in range(8, 0, -1):
        cosh, sinhc = 1 + cosh * z / (2 * k * (2 * k - 1)), 1 + sinhc * z / (2 * k * (2 * k + 1))
    p = jnp.exp(delta * x / 2) * (a * cosh + x * sinhc * (a * delta / 2 + pull))
    inside = p[..., :-1]
    return p[..., -1], t * (inside @ weights), t * (inside**2 @ weights)


def _late_integrals(
    a: Array, pull: Array, delta: Array, scale: Array, eta_w: Array, square: Array, t: Array, constants: NeuronConstants
) -> NeuronConstants:
    """Return p, ∫p, 1 and s², divided by max(1, |C| e^{l₊t}) (s² by its square). `constants` are the constants to all
    digits."""
    R, positive = jnp.sqrt(square), constants[0] > 0
    big = R + jnp.where(positive, delta, -delta) / 2
    small = scale / big
    l_plus, l_minus = jnp.where(positive, big, small), -jnp.where(positive, small, big)
    recomputed = delta, l_plus, l_minus, (l_plus * a + pull) / (2 * R), (-l_minus * a - pull) / (2 * R)
    delta, l_plus, l_minus, C, g = (
        x + jax.lax.stop_gradient(y - x) for x, y in zip(recomputed, constants, strict=True)
    )
    decay_plus, tau_plus = exponential_decay(l_plus, t)
    decay_minus, tau_minus = exponential_decay(-l_minus, t)
    scaled_one, scaled_growth = _normalized_exponentials(C, decay_plus)
    scaled_decay = decay_minus * scaled_one
    tau_delta = exponential_decay(jnp.where(positive, delta, -delta), t)[1]
    cross = jnp.where(positive, scaled_growth * scaled_decay, C * scaled_one**2) * g * tau_delta
    S = scaled_one**2 + eta_w * (
        scaled_growth**2 * tau_plus * (1 + decay_plus)
        + (g * scaled_one) ** 2 * tau_minus * (1 + decay_minus)
        + 4 * cross
    )
    return scaled_growth + g * scaled_decay, scaled_growth * tau_plus + g * scaled_one * tau_minus, scaled_one, S


def _normalized_exponentials(C: AnyArray, decay_plus: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return 1 and C e^{l₊t}, divided by max(1, |C| e^{l₊t}). (At C = 0 a derivative beyond 1e150 is practically
    infinite.)"""
    xp = array_namespace(C, decay_plus)
    size = xp.where(C == 0, 1.0, xp.abs(C))
    grown = (C != 0) & (size > decay_plus)
    return (
        xp.where(grown, decay_plus / size, 1.0),
        xp.where(grown, xp.sign(C), C / xp.where(grown, 1.0, xp.maximum(decay_plus, 1e-150))),
    )


def _neuron_weights(net: Network) -> tuple[AnyArray, AnyArray]:
    weights = net.weight_matrices
    assert weights is not None
    return weights[1][0, 0], weights[0][0]


def neuron_in_row_space(flow: GradientFlow) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray, AnyArray, AnyArray]:
    """Return (a, w, β*, η_w, η_a, ρ) on the row space of X."""
    a, w = _neuron_weights(flow.net)
    eta_w, eta_a = flow.rates
    problem, rho, basis = flow.problem, whitening_scale(flow.problem), row_space_basis(flow.problem)
    b = problem.kappa * (forbid_gradient(problem.X).T @ problem.y.reshape(-1)) / xp.where(rho > 0, rho, 1.0)
    if basis is not None:
        w, b = w @ basis, b @ basis
    return a, w, b, eta_w, eta_a, rho


def single_neuron(flow: GradientFlow, times: AnyArray) -> tuple[AnyArray, AnyArray]:
    r"""A single linear neuron $f(x) = a\,w\cdot x$ on whitened inputs, $\kappa X^\top X = \rho\Pi$: parameters in
    closed form.

    With $\delta = \eta_w a^2 - \eta_a\|w\|^2$, $B = \|\beta_*\|$, $R = \sqrt{\delta^2/4 + \eta_a\eta_wB^2}$,
    $l_\pm = \delta/2 \pm R$ and $C = (l_+a_0 + \eta_a w_0\cdot\beta_*)/2R$, $g = a_0 - C$, $D = \eta_wBC/l_+$,

    $$a(t) = \frac{C e^{l_+t} + g e^{l_-t}}{s(t)}, \qquad
      w(t) = \frac{(D e^{l_+t} + (w_\parallel - D) e^{l_-t})\,\hat\beta_* + w_\perp}{s(t)},$$

    $$s^2 = 1 + \eta_w\Big[C^2\tfrac{e^{2l_+t} - 1}{l_+} + g^2\tfrac{1 - e^{2l_-t}}{|l_-|}
      + 4Cg\,\tfrac{e^{\delta t} - 1}{\delta}\Big].$$

    One formula for every δ, sign of a and pair of rates. The basin is the sign of C; on the separatrix C = 0 the flow
    ends in the saddle; a crosses zero at most once, at $t = \ln(-g/C)/2R$. kunin2024 treats the balanced, upstream and
    downstream cases separately, at unit rates and while a keeps its sign. In the null space of X, w does not move.

    >>> from lazyrich import Problem, exact
    >>> flow = GradientFlow(neuron([0.0, -0.5], delta=-2.0), Problem([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0]))
    >>> exact(flow, [0.0, 1e6], theorem="single neuron").beta[:, 1]          # through zero, to the target
    Array([-0.5,  1. ], dtype=float64)
    """
    a, w, b, eta_w, eta_a, rho = neuron_in_row_space(flow)
    basis = row_space_basis(flow.problem)
    size, inner = evolve(a, w, b, eta_w, eta_a, rho * times)
    full = _neuron_weights(flow.net)[1]
    outer = inner if basis is None else inner @ basis.T + (full - w @ basis.T)
    return outer[:, None, :], size.reshape(len(size), *flow.net.layers[1].shape)


def _delayed_rich_beta(flow: GradientFlow, times: Float[Array, " t"]) -> Float[Array, "t d"] | None:
    r"""Return the predictor in the limit δ → −∞, or None if δ ≥ 0. The magnitude fits at once, and the direction
    rotates by $\dot\varphi = \eta_a\eta_wB^2|\delta|^{-1} \varphi(1 - \varphi^2)$ (kunin2024, section 3)."""
    a, w, b, eta_w, eta_a, rho = neuron_in_row_space(flow)
    delta = neuron_constants(a, w, b, eta_w, eta_a)[0]
    if delta >= 0:
        return None
    B, size = jnp.linalg.norm(b), jnp.linalg.norm(w)
    u, v = b / jnp.where(B > 0, B, 1.0), w / size
    phi0 = v @ u
    across = v - phi0 * u
    rate = eta_a * eta_w * B**2 / jnp.abs(delta) * rho
    # φ/√(1 − φ²) grows as e^{rate t}
    fade = jnp.exp(-rate * times)
    length = jnp.sqrt(phi0**2 + fade**2 * jnp.sum(across**2))
    length = jnp.where(length > 0, length, 1.0)
    phi, side = phi0 / length, fade / length
    inner = (B * phi)[:, None] * (phi[:, None] * u + side[:, None] * across)
    basis = row_space_basis(flow.problem)
    if basis is None:
        return inner
    return inner @ basis.T


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(neuron(0.4 * rng.normal(size=3), 0.8, RATES), whitened_problem(rng), RATES)


THEOREM = TrajectoryTheorem(
    name="single neuron",
    title="One linear neuron at every relative scale",
    intuition=r"A neuron $a\,w\cdot x$ must find a direction with w and a size with a. The conserved number δ "
    "says which layer is the larger one: if a is (upstream), small changes of w carry the predictor straight to "
    "the target, and the neuron is lazy; if w is (downstream), the predictor first slides along its own direction "
    "and turns late. In the ratio of the two layers the equations become linear, so one formula covers every δ, "
    "and also the starts from which a changes its sign.",
    claims=(
        "kunin2024/one-formula",
        "kunin2024/balanced-phi",
        "kunin2024/balanced-mu",
        "kunin2024/nu-closed-form",
        "kunin2024/lemma-4",
        "kunin2024/basins",
        "kunin2024/separatrix",
        "kunin2024/lazy-upstream",
        "kunin2024/delayed-alignment",
    ),
    references=(("kunin2024", "section 3 and appendix A.2, as one formula"),),
    hypotheses={
        two_linear_layers: with_relu,
        one_hidden_unit: with_two_units,
        one_output: with_two_outputs,
        square_loss: with_logistic_loss,
        whitened_inputs: with_mixed_features,
    },
    formula=single_neuron,
    example=_example,
    counterexample=("inputs not whitened", with_mixed_features),
    equations=(RICCATI,),
    special_cases=(("upstream, balanced, downstream", "kunin2024, section 3"),),
    limiting_betas={"delayed rich": _delayed_rich_beta},
    holds_nearby=lambda flow: True,
    holds_nearby_in=("y",),
)
