"""Two-layer linear networks of any shape with isotropic imbalance: one matrix Riccati equation."""

from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import (
    array_namespace,
    cond,
    eager_or_traced,
    has_jax_array,
    is_concrete,
    stop_gradient,
    tree_to_numpy,
    xp,
)
from lazyrich._core.device import aligned_empty
from lazyrich._core.linalg import (
    FLOAT64_EPS,
    cholesky_whiten,
    concatenate_nonempty,
    exponential_decay,
    nearest_orthogonal,
)
from lazyrich._core.linalg import abs_right as absolute
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.inits import isotropic
from lazyrich.theorems.canonical_coordinates import Canonical, to_canonical
from lazyrich.theorems.echelon import echelon
from lazyrich.theorems.equations import RICCATI
from lazyrich.theorems.example_flows import (
    RATES,
    whitened_problem,
    with_correlated_inputs,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
)
from lazyrich.theorems.hidden_rotation import angular_velocity_of_gram, integrate_traced_rotation
from lazyrich.theorems.hypotheses import Defect, square_loss, two_linear_layers, whitened_inputs
from lazyrich.theorems.rotation import integrate_rotation
from lazyrich.theorems.theorem import TrajectoryTheorem
from lazyrich.theorems.trajectories import aligned, neuron

TIMES_PER_BATCH = 24  # times computed together
LazyLayer = Callable[[], AnyArray]


class RiccatiSpectrum(eqx.Module):
    r"""The eigenvectors of $\Lambda = [[\delta I, b^\top], [b, 0]]$ and the network in them.

    With $b = \sum_i\sigma_iu_iv_i^\top$, $k = \min(d, c)$ and $R_i = \sqrt{\delta^2/4 + \sigma_i^2}$ they are, in this
    order, k vectors $e_i^+ = (\cos\theta_iv_i, \sin\theta_iu_i)$ with $l_i^+ = \delta/2 + R_i$, their
    partners $e_i^- = (-\sin\theta_iv_i, \cos\theta_iu_i)$ with $l_i^- = \delta/2 - R_i$, and those without
    a partner: $(v, 0)$ with δ and $(0, u)$ with 0.
    """

    delta: Float[Array, ""]
    cos: Float[Array, " k"]
    sin: Float[Array, " k"]
    values: Float[Array, " m"]
    gap: Float[Array, " k"]  # l⁺ − l⁻
    rates: Float[Array, " n"]  # of the integrals: 2|l|, the gaps, |δ|
    right: Float[Array, "c c"]
    left: Float[Array, "r r"]
    rows: Float[Array, "h m"]  # TᵀZ₀E, in row-echelon form if the fastest columns are put first
    growing_eigenvalues: Float[Array, " c"]  # the eigenvalues that may be positive
    logs: Float[Array, "h c"]  # log|rows| of these
    A: Float[Array, "h c"]  # TᵀW₂ᵀ in the v_i
    W: Float[Array, "h r"]  # TᵀW₁ in the u_i
    frame: Float[Array, "h h"]  # T


def mean_imbalance(canonical: Canonical) -> Array:
    """Return δ with ΔQᵀ = δQᵀ: the mean of Δ on the hidden directions in use, weighted by use."""
    W, V = canonical.weights
    top = stop_gradient(xp.maximum(xp.max(xp.abs(W)), xp.max(xp.abs(V))))
    top = xp.where(top > 0, top, 1.0)  # no fourth power underflows
    W, A = W / top, V.T / top
    Delta = A @ A.T - W @ W.T
    N = A @ A.T + W @ W.T
    use = xp.trace(N)
    return top * (top * (xp.sum(Delta * N) / xp.where(use > 0, use, 1.0)))


def riccati_spectrum(canonical: Canonical) -> RiccatiSpectrum:
    """Return the eigenvectors of Λ, and the network in their basis."""
    b, (W, V) = canonical.target, canonical.weights
    (r, c), delta = b.shape, mean_imbalance(canonical)
    k = min(r, c)
    # The target's singular vectors are constants of the solution: rates and labels change only its singular values.
    U, sigma, Vt = xp.linalg.svd(stop_gradient(b), full_matrices=True)
    sigma = xp.where(sigma > sigma[0] * FLOAT64_EPS * max(r, c), xp.sum(U[:, :k] * (b @ Vt[:k].T), axis=0), 0.0)
    half = absolute(delta) / 2
    null = sigma == 0  # its two eigenvectors lie in one layer each
    safe = xp.where(null, 1.0, sigma)
    R = xp.where(null, half, xp.hypot(half, safe))
    large = half + R
    small_ = xp.where(null, 0.0, sigma**2 / xp.where(null, 1.0, large))
    major = xp.where(null, 1.0, xp.sqrt((1 + half / xp.where(null, 1.0, R)) / 2))
    minor = sigma / (2 * xp.where(null, 1.0, R) * major)
    cos, sin = xp.where(delta >= 0, major, minor), xp.where(delta >= 0, minor, major)
    up, down = xp.where(delta >= 0, large, small_), -xp.where(delta >= 0, small_, large)
    values = concatenate_nonempty(up, down, xp.ones(c - k) * delta, xp.zeros(r - k))
    A, W = V.T @ Vt.T, W @ U
    fast, slow = A[:, :k] * cos + W[:, :k] * sin, W[:, :k] * cos - A[:, :k] * sin
    order = xp.argsort(-stop_gradient(values), stable=True)
    rows, frame = echelon(concatenate_nonempty(fast, slow, A[:, k:], W[:, k:])[:, order])
    rows = rows[:, xp.argsort(order)]
    gap, alone = up - down, slice(2 * k, k + c)
    rates = concatenate_nonempty(2 * up, -2 * down, 2 * absolute(values[alone]), gap, absolute(delta)[None])
    climbs, logs = (
        concatenate_nonempty(up, values[alone]),
        xp.log(xp.abs(stop_gradient(concatenate_nonempty(rows[:, :k], rows[:, alone])))),
    )
    layers = frame.T @ A, frame.T @ W
    return RiccatiSpectrum(delta, cos, sin, values, gap, rates, Vt.T, U, rows, climbs, logs, *layers, frame)


def layers_up_to_rotation(net: RiccatiSpectrum, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    r"""Return the layers A and W at time t, or at each of many times, in the frames of the target, up to a rotation of
    the hidden units: $C^{-1}Y$ with the Cholesky factor of $G = CC^\top$."""
    G, Y_A, Y_W = _riccati_factors(net, t)
    A, W = cholesky_whiten(G, Y_A(), Y_W())
    return A, W


def hidden_gram(net: RiccatiSpectrum, t: AnyArray) -> AnyArray:
    """Return the Gram matrix of the hidden units in `layers_up_to_rotation`, computed from the smaller layer."""
    G, Y_A, Y_W = _riccati_factors(net, t)
    return cond(net.delta > 0, lambda: _gram(*cholesky_whiten(G, Y_W())), lambda: _gram(*cholesky_whiten(G, Y_A())))


def _riccati_factors(net: RiccatiSpectrum, t: AnyArray) -> tuple[AnyArray, LazyLayer, LazyLayer]:
    r"""Return G and two functions that compute the layers of Y: $Z^\top Z = Y^\top G^{-1}Y$ with $Y = Z_0e^{\Lambda t}$
    and $G = I + 2\int_0^tYP_cY^\top$.

    Each row is scaled by its own fastest exponential. A pair of eigenvectors gives $Y_A = Ae^{l^-t} +
    \cos\theta\,c^+(e^{l^+t} - e^{l^-t})$ and $Y_W$ likewise with the sine, where $c^+$ is the coefficient of $e^+$: the
    smaller layer is never a difference of larger numbers. (`x *= y` is in place for NumPy, while the numbers are still
    in the cache.)
    """
    xp = array_namespace(net.rows, t)
    c, k = len(net.right), len(net.cos)
    up, down, alone = slice(k), slice(k, 2 * k), slice(2 * k, k + c)  # alone: (v, 0), if c > r
    values, rows, (lead, unit) = net.values, net.rows, _dominant_exponential(net, t)
    t = t[..., None, None]
    # Exponents are differences of eigenvalues times t: no large number is subtracted from another.
    still, sinking = xp.exp(-lead * t) / unit, xp.exp(values[down] * t)  # D and e^{l⁻t}

    def grow(part: slice) -> AnyArray:
        growth = values[part] - lead
        growth *= t
        growth = _exp_in_place(growth)
        growth *= rows[:, part]
        growth /= unit
        return growth

    fast, slow = grow(up), rows[:, down] * still
    # ∫e^{λs}ds is taken relative to its end, on Y, where λ ≥ 0, and relative to its start, on D R, where λ < 0;
    # e^{l⁺t} − e^{l⁻t} = e^{l⁺t}(1 − e^{−2Rt})
    integrals = exponential_decay(net.rates, t)[1]
    own, spread, both = 2 * integrals[..., : k + c], net.gap * integrals[..., k + c : -1], integrals[..., -1:]
    cross = -2 * net.cos * net.sin * both
    above, below = own[..., up] * net.cos**2, own[..., down] * net.sin**2
    # the three parts of the integral, for δ ≥ 0 and for δ < 0
    one, two, rest, weight = cond(
        net.delta >= 0,
        lambda: (fast, _add_in_place(fast * (above / 2), slow * (sinking * cross)), slow, below),
        lambda: (slow, _add_in_place(slow * (below / 2), rows[:, up] * (still * cross)), fast, above),
    )
    half = one @ two.mT
    G = (rest * weight) @ rest.mT
    G += half
    G += half.mT
    G = _add_to_diagonal(G, still[..., 0] ** 2)
    if alone.start < alone.stop:
        single = cond(net.delta >= 0, lambda: grow(alone), lambda: rows[:, alone] * still)
        G += (single * own[..., alone]) @ single.mT

    def layer(start: AnyArray, share: AnyArray, others: slice) -> AnyArray:
        moved = _add_in_place(start[:, up] * (still * sinking), fast * (spread * share))
        return concatenate_nonempty(moved, grow(others)) if others.start < others.stop else moved

    return G, lambda: layer(net.A, net.cos, alone), lambda: layer(net.W, net.sin, slice(k + c, rows.shape[1]))


def _add_in_place(x: AnyArray, y: AnyArray) -> AnyArray:
    """Return x + y; a NumPy x is overwritten."""
    x += y
    return x


def _add_to_diagonal(G: AnyArray, diagonal: AnyArray) -> AnyArray:
    """Return G with `diagonal` added to its diagonal; a NumPy G is overwritten."""
    if has_jax_array(G):
        return G + diagonal[..., None] * np.eye(G.shape[-1])
    np.einsum("...ii->...i", G)[...] += diagonal
    return G


def _exp_in_place(x: PyTree) -> AnyArray:
    """Return e^x; a NumPy x is overwritten. Exponents beyond 700 belong to coefficients of zero, or to derivatives that
    are practically infinite."""
    if has_jax_array(x):
        return jnp.exp(jnp.where(x < 700, x, -jnp.inf))
    return np.exp(np.minimum(x, 700, out=x), out=x)


def _dominant_exponential(net: RiccatiSpectrum, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the rate and the coefficient of each row's largest exponential, if it exceeds 1; else 0 and 1."""
    xp = array_namespace(net.rows, t)
    t = t[..., None]
    top = xp.argmax(net.growing_eigenvalues * t[..., None] + net.logs, axis=-1)
    rate, log = net.growing_eigenvalues[top], net.logs[np.arange(len(net.rows)), top]
    grown = rate * t + log > 0
    return xp.where(grown, rate, 0.0)[..., None], xp.where(grown, xp.exp(log), 1.0)[..., None]


def _gram(rows: AnyArray) -> AnyArray:
    return rows @ rows.mT


def angular_velocity(net: RiccatiSpectrum, t: AnyArray) -> AnyArray:
    r"""Return Ω of $\dot O = O\,\Omega$, where O rotates the hidden units of `layers_up_to_rotation`."""
    return angular_velocity_of_gram(hidden_gram(net, t))


def _apply_rotation(
    net: RiccatiSpectrum, t: AnyArray, O: AnyArray | None
) -> tuple[tuple[AnyArray, AnyArray], tuple[AnyArray, AnyArray]]:
    """Return W₁ and W₂, each as two factors that remain to be multiplied, from the layers up to rotation and the
    rotation."""
    A, W = layers_up_to_rotation(net, t)
    if len(net.rows) == 1 or O is not None:
        turn = net.frame if O is None else net.frame @ nearest_orthogonal(O)
        A, W = turn @ A, turn @ W
    return (W, net.left.T), (net.right, A.mT)


@eqx.filter_jit
def _evolve_traced(canonical: Canonical, times: Array, hidden_rotation: bool) -> PyTree:
    net, times = riccati_spectrum(canonical), canonical.time_factor * times
    lifts = hidden_rotation and len(net.rows) > 1
    O = integrate_traced_rotation(angular_velocity, net, len(net.rows), times) if lifts else None
    # A few times per batch, so that the intermediate arrays stay in the cache.
    return jax.lax.map(lambda at: [x @ y for x, y in _apply_rotation(net, *at)], (times, O), batch_size=TIMES_PER_BATCH)


def _evolve_numpy(canonical: Canonical, times: np.ndarray, hidden_rotation: bool) -> tuple[np.ndarray, np.ndarray]:
    net, times = riccati_spectrum(canonical), np.asarray(canonical.time_factor * times)
    (h, r), c = net.W.shape, len(net.right)
    lifts = hidden_rotation and h > 1
    fastest = np.max(np.abs(net.values)) + np.max(np.abs(hidden_gram(net, np.zeros(()))))
    O = (
        integrate_rotation(lambda t: angular_velocity(net, t), times, h, float(fastest), TIMES_PER_BATCH)
        if lifts
        else None
    )
    first, second = aligned_empty((len(times), h, r)), aligned_empty((len(times), c, h))
    for i in range(0, len(times), TIMES_PER_BATCH):
        now = slice(i, i + TIMES_PER_BATCH)
        for factors, product in zip(
            _apply_rotation(net, times[now], None if O is None else O[now]), (first, second), strict=True
        ):
            np.matmul(*factors, out=product[now])
    return first, second


def _evolve(canonical: Canonical, times: AnyArray, hidden_rotation: bool) -> tuple[AnyArray, AnyArray]:
    """Return (W₁, W₂) along time."""
    if not is_concrete(canonical, times):
        return _evolve_traced(canonical, times, hidden_rotation)
    with np.errstate(all="ignore"):
        return _evolve_numpy(tree_to_numpy(canonical), np.asarray(times), hidden_rotation)


def isotropic_imbalance(flow: GradientFlow) -> Defect:
    """ΔQᵀ = δQᵀ: on the hidden directions in use, Δ = W₂ᵀW₂ − W₁W₁ᵀ (at unit rates) is one number δ."""
    return _isotropy_defect_dispatch(to_canonical(flow))


def _isotropy_defect(canonical: Canonical) -> AnyArray:
    W, V = canonical.weights
    Z = xp.concatenate([V.T, W], axis=1)
    size = xp.linalg.norm(Z)
    Z = Z / xp.where(size > 0, size, 1.0)
    A, W = Z[:, : len(V)], Z[:, len(V) :]
    Delta = A @ A.T - W @ W.T
    delta = mean_imbalance(canonical) / xp.where(size > 0, size, 1.0) / xp.where(size > 0, size, 1.0)
    return xp.linalg.norm(Delta @ Z - delta * Z)


_isotropy_defect_dispatch = eager_or_traced(_isotropy_defect, eqx.filter_jit(_isotropy_defect))


def isotropic_network(flow: GradientFlow, times: Float[Array, " t"], hidden_rotation: bool = True) -> tuple[Array, ...]:
    r"""A two-layer linear network with $\Delta Q^\top = \delta Q^\top$ on whitened inputs, any widths.

    At unit rates let $Z = [W_2^\top, W_1] = Q^\top$ and $\Delta = W_2^\top W_2 - W_1W_1^\top$, which is conserved. If
    it acts as one number δ on the hidden directions in use, $\Delta Z = \delta Z$, the flow is
    $\dot Z = Z\Lambda - (ZP_cZ^\top)Z$ with $\Lambda = [[\delta I, b^\top], [b, 0]]$, and

    $$Z^\top Z = Y^\top G^{-1}Y, \qquad Y = Z_0e^{\Lambda t}, \qquad G = I + 2\int_0^t YP_cY^\top.$$

    The blocks of $Z^\top Z$ are $W_2W_2^\top$, $W_1^\top W_1$ and the predictor, so that tangent kernel, singular
    values and loss are in closed form; the rotation of the hidden units follows from a small linear equation whose
    coefficients are known (`hidden_rotation=False` leaves it out: then hidden units are right up to a common rotation).

    Special cases are a single hidden unit with many outputs, Δ = δI (kunin2024), balanced (Fukumizu 1998) and
    λ-balanced networks (Dominé 2025), prior knowledge (Braun 2022), and the orthogonal initialization (varre2023):
    square or rectangular, δ = 0 included, targets of any rank.

    >>> from lazyrich import DeepLinear, Problem, exact
    >>> net = DeepLinear([[[0.4, 0.0]], [[0.3], [0.2]]])                        # one hidden unit, two outputs
    >>> flow = GradientFlow(net, Problem(np.eye(2), [[2.0, 0.0], [0.0, 1.0]]))
    >>> exact(flow, [1e6], theorem="isotropic imbalance").beta[0].round(12)     # the larger mode: there is room for one
    Array([[2., 0.],
           [0., 0.]], dtype=float64)
    """
    canonical = to_canonical(flow)
    # The part of the first layer in the null space of X does not move, so the rotation of the second layer relative to
    # it matters.
    return canonical.to_layers(
        flow.net, _evolve(canonical, times, hidden_rotation or canonical.null_space_part is not None)
    )


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(isotropic(key, 3, 4, 2, -0.6, rates=RATES), whitened_problem(rng, 3, 2), RATES)


THEOREM = TrajectoryTheorem(
    name="isotropic imbalance",
    title="Two linear layers with one imbalance",
    intuition="Suppose that the difference of the layers' Gram matrices acts as one number δ on all hidden "
    "directions in use. Then both layers together are one matrix that obeys a Riccati equation, and such an "
    "equation becomes linear in twice as many variables. Matrix exponentials therefore give predictor, tangent "
    "kernel and loss at once, also for modes that compete for hidden units and need not be aligned with the task.",
    claims=(
        "kunin2024/theorem-3",
        "kunin2024/lemma-8",
        "kunin2024/lemma-9",
        "kunin2024/matrix-riccati",
        "kunin2024/matrix-riccati-solved",
        "kunin2024/isotropy-needs-room",
        "kunin2024/gaussian-is-isotropic",
        "kunin2024/gaussian-and-wide",
    ),
    references=(
        ("kunin2024", "section 4 and appendix B"),
        ("fukumizu1998", ""),
        ("braun2022", ""),
        ("domine2025", ""),
        ("varre2023", "section 3"),
    ),
    hypotheses={
        two_linear_layers: with_relu,
        square_loss: with_logistic_loss,
        whitened_inputs: with_correlated_inputs,
        isotropic_imbalance: with_perturbed_weights,
    },
    formula=isotropic_network,
    example=_example,
    counterexample=("imbalance not isotropic", with_perturbed_weights),
    formula_up_to_rotation=partial(isotropic_network, hidden_rotation=False),
    equations=(RICCATI,),
    special_theorems=((neuron.THEOREM, "h = c = 1"),),
    special_cases=(
        ("one hidden unit, many outputs", "kunin2024, section 4"),
        (r"$\Delta = \delta I$", "kunin2024, section 4"),
        ("balanced, any rank", "Fukumizu 1998"),
        ("balanced, with prior knowledge", "Braun et al. 2022"),
        (r"$\lambda$-balanced", "Dominé et al. 2025"),
        *aligned.ISOTROPIC_CASES,
    ),
)
