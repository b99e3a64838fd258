"""Two-layer linear networks of any shape with isotropic imbalance, with weight decay."""

from functools import partial

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import array_namespace, ignore_float_errors, is_concrete, tree_to_numpy, xp
from lazyrich._core.linalg import (
    FLOAT64_EPS,
    cholesky_whiten,
    concatenate_nonempty,
    exponential_decay,
    nearest_orthogonal,
)
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.inits import isotropic
from lazyrich.theorems.canonical_coordinates import Canonical, to_canonical
from lazyrich.theorems.decayed_mode import SMALLEST_IMBALANCE_LOG, riccati_solutions
from lazyrich.theorems.echelon import echelon
from lazyrich.theorems.equations import DECAYED_RICCATI
from lazyrich.theorems.example_flows import (
    RATES,
    whitened_problem,
    with_correlated_inputs,
    with_decay,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
    with_uneven_decay,
)
from lazyrich.theorems.hidden_rotation import angular_velocity_of_gram, integrate_traced_rotation
from lazyrich.theorems.hypotheses import equal_decay_rates, square_loss, two_linear_layers, whitened_inputs
from lazyrich.theorems.rotation import integrate_rotation
from lazyrich.theorems.theorem import TrajectoryTheorem
from lazyrich.theorems.trajectories.isotropic import isotropic_imbalance, mean_imbalance

TIMES_PER_BATCH = 256  # times computed together
LEAST_IMBALANCE = 1e-140  # its square is a number
LEAST_SOLUTION = 1e-280  # below, U counts as zero, so that ratios do not overflow


class DecayedSpectrum(eqx.Module):
    r"""The network in the solutions of $\dot Y = Y(M - \lambda)$, $M = [[\delta f/2, b^\top], [b, -\delta f/2]]$.

    In a pair of singular vectors (v, u) of b with value s put $n = y_v + y_u$ and $d = \pm(y_v - y_u)$, with the sign
    of δ. One solution has $d/n = kf/U$ and grows the faster, the other one has $n/d = -kfV$.
    """

    delta: Float[Array, ""]
    size: Float[Array, ""]  # k = |δ|
    decay: Float[Array, ""]
    s: Float[Array, " k"]
    right: Float[Array, "c c"]
    left: Float[Array, "r r"]
    fast: Float[Array, "h k"]  # coefficients of the solutions, hidden units in row-echelon form
    slow: Float[Array, "h k"]
    alone: Float[Array, "h m"]  # the directions without a partner: c − k of the outputs, r − k of the inputs
    frame: Float[Array, "h h"]


def _decayed_spectrum(canonical: Canonical, decay: AnyArray) -> DecayedSpectrum:
    b, (W, V) = canonical.target, canonical.weights
    (r, c), delta = b.shape, mean_imbalance(canonical)
    k = min(r, c)
    U, s, Vt = xp.linalg.svd(b, full_matrices=True)
    s = xp.where(s > s[0] * FLOAT64_EPS * max(r, c), s, 0.0)
    size = xp.maximum(xp.abs(delta), xp.maximum(4 * decay * np.exp(SMALLEST_IMBALANCE_LOG), LEAST_IMBALANCE))
    start = riccati_solutions(s, size, decay, xp.zeros_like(s))
    A, W = V.T @ Vt.T, W @ U
    n, d = A[:, :k] + W[:, :k], _sign(delta) * (A[:, :k] - W[:, :k])
    share = 1 / (1 + size**2 * start.V / start.U)
    fast, slow = share * (n + size * start.V * d), share * (d - size / start.U * n)
    # Columns in the order of their growth, which is the same at all times.
    growing = xp.concatenate([np.full(c - k, 1.0), np.full(r - k, -1.0)]) * _sign(delta)
    strongest = 1.0 + xp.max(s, initial=0.0)
    order = xp.argsort(-xp.concatenate([strongest + s, -strongest - s, growing]), stable=True)
    rows, frame = echelon(concatenate_nonempty(fast, slow, A[:, k:], W[:, k:])[:, order])
    rows = rows[:, xp.argsort(order)]
    return DecayedSpectrum(delta, size, decay, s, Vt.T, U, rows[:, :k], rows[:, k : 2 * k], rows[:, 2 * k :], frame)


def _sign(delta: AnyArray) -> AnyArray:
    return xp.where(delta < 0, -1.0, 1.0)


@ignore_float_errors
def layers_up_to_rotation(net: DecayedSpectrum, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    r"""Return the layers A and W in the frames of the target at time t, or at each of many times, up to a rotation of
    the hidden units: $C^{-1}Y$ with $CC^\top = G = I + \int_0^tYY^\top$.

    Rows are divided by $e^D$, their largest contribution to G.
    """
    xp = array_namespace(net.fast, t)
    t = t[..., None]
    U, V, U0, V0, e, log_e, one_minus_e, f, shared = riccati_solutions(net.s, net.size, net.decay, t)
    U = xp.where(U > LEAST_SOLUTION, U, 0.0)
    k, first, kappa = net.size, net.size**2 * V0, net.size * f
    below = _safe_ratio(kappa**2 * V, U)  # (kf)²V/U
    F, F0 = 1 / (1 + below), 1 / (1 + first / U0)
    rise = F0 * first / U0 - F * below  # F − F₀
    # Growth of the two solutions, and the integrals of their squares and product. All logs are relative to that of
    # e^{k∫f/2}, which is common to them.
    half, common = -log_e / 2, shared[..., :1, None] / 2
    own = xp.log(F * U / (F0 * U0)) / 2
    squares = xp.log(xp.maximum(F * one_minus_e + e * rise, 0.0) / (F0 * U0)) / 2
    top = xp.maximum(own, squares)
    falling = f * xp.sqrt(e) * _safe_ratio(xp.sqrt(U0 + first), xp.sqrt(U + kappa**2 * V))
    rest = xp.maximum(V0 - V * falling**2, 0.0)
    cross = k * (V0 / (U0 + first) - f**2 * _safe_ratio(V, U + kappa**2 * V)) / F0
    lone, lone_squares = _log_decay_and_gain(net, t, xp)
    lone_top = xp.maximum(lone, lone_squares)
    leads = concatenate_nonempty(half + top, lone_top)[..., None, :] + xp.log(
        xp.abs(concatenate_nonempty(net.fast, net.alone))
    )
    D = xp.maximum(xp.max(leads, axis=-1, keepdims=True), -common)
    scale, still = half[..., None, :] - D, xp.exp(-D - common)
    fast, slow = net.fast * _exp(scale + own[..., None, :]), net.slow * still
    across, single = net.fast * still, net.alone * _exp(lone_top[..., None, :] - D)
    largest = net.fast * _exp(scale + top[..., None, :])
    both = (across * cross[..., None, :]) @ slow.mT
    G = (largest * xp.exp(2 * (squares - top))[..., None, :]) @ largest.mT + both + both.mT
    G = G + (slow * rest[..., None, :]) @ slow.mT + still * np.eye(len(net.frame)) * still.mT
    G = G + (single * xp.exp(2 * (lone_squares - lone_top))[..., None, :]) @ single.mT
    slow = slow * falling[..., None, :]
    n = fast - slow * (kappa * V)[..., None, :]
    d = _sign(net.delta) * (fast * _safe_ratio(kappa, U)[..., None, :] + slow)
    apart, outputs = net.alone * _exp(lone[..., None, :] - D), len(net.right) - len(net.s)
    A = concatenate_nonempty((n + d) / 2, apart[..., :outputs])
    W = concatenate_nonempty((n - d) / 2, apart[..., outputs:])
    A, W = cholesky_whiten(G, A, W)
    return A, W


def _log_decay_and_gain(net: DecayedSpectrum, t: AnyArray, xp: PyTree) -> tuple[AnyArray, AnyArray]:
    r"""Return the log of $y = e^{\pm\delta\tau/2 - \lambda t}$, $\tau = \int f$, and half the log of $\int y^2$, of the
    directions without a partner; less kτ/2."""
    lone = len(net.right) - len(net.s), len(net.left) - len(net.s)
    tau = exponential_decay(2 * net.decay, t)[1]
    drive = net.delta * tau * np.repeat([1.0, -1.0], lone)
    size = xp.abs(drive)
    shape = xp.where(size > 1e-200, -xp.expm1(-size) / xp.where(size > 1e-200, size, 1.0), 1.0)
    shared = net.size * tau
    same = xp.where(drive > 0, 0.0, drive - shared)
    return same / 2 - net.decay * t, (xp.where(drive > 0, 0.0, -shared) + xp.log(tau * shape)) / 2


def _exp(x: AnyArray) -> AnyArray:
    """Return e^x; exponents beyond 700 belong to coefficients of zero."""
    return xp.exp(xp.where(x < 700, x, -np.inf))


def _safe_ratio(x: AnyArray, y: AnyArray) -> AnyArray:
    return xp.where(y > 0, x / xp.where(y > 0, y, 1.0), 0.0)


def angular_velocity(net: DecayedSpectrum, t: AnyArray) -> AnyArray:
    """Return the angular velocity of the hidden units of `layers_up_to_rotation`, from the smaller layer."""
    A, W = layers_up_to_rotation(net, t)
    grams = A @ A.mT, W @ W.mT
    return angular_velocity_of_gram(xp.where(net.delta > 0, grams[1], grams[0]))


def _apply_rotation(net: DecayedSpectrum, t: AnyArray, O: AnyArray | None) -> tuple[AnyArray, AnyArray]:
    """Return W₁ and W₂ from the layers up to rotation and the rotation."""
    A, W = layers_up_to_rotation(net, t)
    if len(net.frame) == 1 or O is not None:
        turn = net.frame if O is None else net.frame @ nearest_orthogonal(O)
        A, W = turn @ A, turn @ W
    return W @ net.left.T, net.right @ A.mT


@eqx.filter_jit
def _evolve_traced(canonical: Canonical, decay: Array, times: Array, hidden_rotation: bool) -> PyTree:
    net, times = _decayed_spectrum(canonical, decay), canonical.time_factor * times
    h = len(net.frame)
    O = integrate_traced_rotation(angular_velocity, net, h, times) if hidden_rotation and h > 1 else None
    return jax.lax.map(lambda at: _apply_rotation(net, *at), (times, O), batch_size=TIMES_PER_BATCH)


@ignore_float_errors
def _evolve_numpy(canonical: Canonical, decay: AnyArray, times: AnyArray, hidden_rotation: bool) -> PyTree:
    net, times = _decayed_spectrum(canonical, decay), np.asarray(canonical.time_factor * times)
    h, O = len(net.frame), None
    if hidden_rotation and h > 1:
        A, W = (sum(np.sum(part**2) for part in canonical.weights),) * 2
        fastest = np.max(net.s, initial=0.0) + np.abs(net.delta) + net.decay + A + W
        O = integrate_rotation(lambda t: angular_velocity(net, t), times, h, float(fastest), TIMES_PER_BATCH)
    parts = [slice(i, i + TIMES_PER_BATCH) for i in range(0, len(times), TIMES_PER_BATCH)]
    blocks = [_apply_rotation(net, times[now], None if O is None else O[now]) for now in parts]
    first, second = zip(*blocks, strict=True)
    return np.concatenate(first), np.concatenate(second)


def isotropic_network_with_decay(flow: GradientFlow, times: Float[Array, " t"], hidden_rotation: bool = True) -> Layers:
    r"""A two-layer linear network with $\Delta Q^\top = \delta Q^\top$ on whitened inputs, any widths, with decay
    at the same rate $\lambda = \eta_l\lambda_l$ in both layers.

    At unit rates $Z = [W_2^\top, W_1]$ obeys $\dot Z = Z(M - \lambda) - \tfrac12(ZZ^\top)Z$ with
    $M = [[\delta f/2, b^\top], [b, -\delta f/2]]$ and $f = e^{-2\lambda t}$, because the imbalance decays, and

    $$Z^\top Z = Y^\top G^{-1}Y, \qquad \dot Y = Y(M - \lambda), \quad Y(0) = Z_0, \qquad G = I + \int_0^tYY^\top.$$

    In a pair of singular vectors of b the solutions are modified Bessel functions, and the integrals of their products
    follow from them, because $Y[[1, 0], [0, -1]]Y^\top/f$ has the derivative $\delta YY^\top$. The rotation of the
    hidden units is as in `isotropic imbalance`, and so is the formula at λ = 0. A single neuron with any number of
    outputs is the case of one hidden unit. The singular values end at $\max(\sigma - \lambda, 0)$, as many as there are
    hidden units. We found no earlier statement; near are kunin2024 and domine2025, without decay.

    >>> from lazyrich import Problem, exact, inits
    >>> flow = GradientFlow(inits.neuron([0.0, -0.5], -2.0), Problem(np.eye(2), [0.0, 1.0]), decay=0.25)
    >>> exact(flow, [0.0, 1e6], theorem="isotropic imbalance with decay").beta[:, 1]
    Array([-0.5 ,  0.75], dtype=float64)
    """
    canonical, rate = to_canonical(flow), xp.mean(xp.stack(list(flow.decay_rates)))
    decay = rate / canonical.time_factor
    lifts = hidden_rotation or canonical.null_space_part is not None
    if is_concrete(canonical, decay, times):
        layers = _evolve_numpy(tree_to_numpy(canonical), np.asarray(decay), np.asarray(times), lifts)
    else:
        layers = _evolve_traced(canonical, decay, times, lifts)
    return canonical.to_layers(flow.net, tuple(layers), xp.exp(-rate * times))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return with_decay(GradientFlow(isotropic(key, 3, 4, 2, -0.6, rates=RATES), whitened_problem(rng, 3, 2), RATES))


THEOREM = TrajectoryTheorem(
    name="isotropic imbalance with decay",
    title="Two linear layers with weight decay",
    intuition="Equal weight decay in both layers keeps their imbalance isotropic and lets it fade. The Riccati "
    "equation of the flow without decay remains, with coefficients that fade as well, so Bessel functions take "
    "the place of exponentials. Singular values end at those of the target less the rate of decay, as many as "
    "there are hidden units.",
    claims=(
        "lazyrich2026/isotropic-network-with-decay",
        "lazyrich2026/balance-decays",
    ),
    references=(("lazyrich2026", "weight decay"), ("kunin2024", "section 4, without decay")),
    hypotheses={
        two_linear_layers: with_relu,
        square_loss: with_logistic_loss,
        equal_decay_rates: with_uneven_decay,
        whitened_inputs: with_correlated_inputs,
        isotropic_imbalance: with_perturbed_weights,
    },
    formula=isotropic_network_with_decay,
    example=_example,
    counterexample=("imbalance not isotropic", with_perturbed_weights),
    covers_decay=True,
    formula_up_to_rotation=partial(isotropic_network_with_decay, hidden_rotation=False),
    equations=(DECAYED_RICCATI,),
    special_cases=(
        ("single neuron, one or many outputs", ""),
        (r"$\Delta = \delta I$", ""),
        ("balanced, any rank", ""),
    ),
)
