"""Two-layer linear networks of any shape with isotropic imbalance: one matrix Riccati equation."""

from functools import partial
from typing import Any

import diffrax as dfx
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._linalg import decay
from lazyrich._linalg import size as absolute
from lazyrich.flow import GradientFlow
from lazyrich.inits import isotropic
from lazyrich.theorems.coordinates import Canonical, canonical
from lazyrich.theorems.equations import RICCATI
from lazyrich.theorems.examples import RATES, logistic, relu, shaken, skewed, whitened
from lazyrich.theorems.hypotheses import Defect, square_loss, two_linear_layers, whitened_inputs
from lazyrich.theorems.theorem import TrajectoryTheorem
from lazyrich.theorems.trajectories import aligned, neuron

EPS = float(jnp.finfo(float).eps)
BLURRED = 1e-13  # of the network's size: a coefficient that small is rounding


class Spectrum(eqx.Module):
    r"""The eigenvectors of $\Lambda = [[\delta I, b^\top], [b, 0]]$ and the network in them.

    With $b = \sum_i\sigma_iu_iv_i^\top$, $k = \min(d, c)$ and $R_i = \sqrt{\delta^2/4 + \sigma_i^2}$ they are, in this
    order, k vectors $e_i^+ = (\cos\theta_iv_i, \sin\theta_iu_i)$ with $l_i^+ = \delta/2 + R_i$, their
    partners $e_i^- = (-\sin\theta_iv_i, \cos\theta_iu_i)$ with $l_i^- = \delta/2 - R_i$, and what the target leaves
    out: $(v, 0)$ with δ and $(0, u)$ with 0.
    """

    delta: Float[Array, ""]
    cos: Float[Array, " k"]
    sin: Float[Array, " k"]
    values: Float[Array, " m"]
    right: Float[Array, "c c"]
    left: Float[Array, "r r"]
    rows: Float[Array, "h m"]  # TᵀZ₀E, in row-echelon form once the fastest columns are put first
    logs: Float[Array, "h m"]  # log|rows|
    A: Float[Array, "h c"]  # TᵀW₂ᵀ in the v_i
    W: Float[Array, "h r"]  # TᵀW₁ in the u_i
    frame: Float[Array, "h h"]  # T

    def overlap(self, Z: Float[Array, "h m"]) -> Float[Array, "h h"]:
        """The scalar products between hidden units, the same in both layers: taken in the smaller one.

        What is rounding beside the units' lengths is zero, so that a network at rest does not turn.
        """
        A, W = Z[:, : len(self.right)], Z[:, len(self.right) :]
        gram = jnp.where(self.delta > 0, W @ W.T, A @ A.T)
        lengths = jnp.sqrt(jax.lax.stop_gradient(jnp.diagonal(gram)))
        return jnp.where(jnp.abs(gram) > 16 * EPS * lengths[:, None] * lengths, gram, 0.0)


def imbalance(small: Canonical) -> Array:
    """δ with ΔQᵀ = δQᵀ: the mean of Δ on the hidden directions in use, weighted by use."""
    W, V = small.weights
    top = jax.lax.stop_gradient(jnp.maximum(jnp.max(jnp.abs(W)), jnp.max(jnp.abs(V))))
    top = jnp.where(top > 0, top, 1.0)  # so that no fourth power underflows
    W, A = W / top, V.T / top
    Delta = A @ A.T - W @ W.T
    N = A @ A.T + W @ W.T
    use = jnp.trace(N)
    return top * (top * (jnp.sum(Delta * N) / jnp.where(use > 0, use, 1.0)))


def spectrum(small: Canonical) -> Spectrum:
    """The eigenvectors of Λ, and the network in them."""
    b, (W, V) = small.target, small.weights
    (r, c), delta = b.shape, imbalance(small)
    k = min(r, c)
    # The target's frame is a constant of the solution: rates and labels change its singular values only.
    U, sigma, Vt = jnp.linalg.svd(jax.lax.stop_gradient(b), full_matrices=True)
    sigma = jnp.where(sigma > sigma[0] * EPS * max(r, c), jnp.sum(U[:, :k] * (b @ Vt[:k].T), axis=0), 0.0)
    half = absolute(delta) / 2
    null = sigma == 0  # its two eigenvectors are those of the layers, and stay so
    safe = jnp.where(null, 1.0, sigma)
    R = jnp.where(null, half, jnp.hypot(half, safe))
    large = half + R
    small_ = jnp.where(null, 0.0, sigma**2 / jnp.where(null, 1.0, large))
    major = jnp.where(null, 1.0, jnp.sqrt((1 + half / jnp.where(null, 1.0, R)) / 2))
    minor = sigma / (2 * jnp.where(null, 1.0, R) * major)
    cos, sin = jnp.where(delta >= 0, major, minor), jnp.where(delta >= 0, minor, major)
    up, down = jnp.where(delta >= 0, large, small_), -jnp.where(delta >= 0, small_, large)
    values = jnp.concatenate([up, down, jnp.ones(c - k) * delta, jnp.zeros(r - k)])
    A, W = V.T @ Vt.T, W @ U
    fast, slow = A[:, :k] * cos + W[:, :k] * sin, W[:, :k] * cos - A[:, :k] * sin
    order = jnp.argsort(-jax.lax.stop_gradient(values), stable=True)
    rows, frame = echelon(jnp.concatenate([fast, slow, A[:, k:], W[:, k:]], axis=1)[:, order])
    rows = rows[:, jnp.argsort(order)]
    logs = jnp.log(jnp.abs(jax.lax.stop_gradient(rows)))
    return Spectrum(delta, cos, sin, values, Vt.T, U, rows, logs, frame.T @ A, frame.T @ W, frame)


@jax.custom_jvp
def echelon(M: Float[Array, "h m"]) -> tuple[Float[Array, "h m"], Float[Array, "h h"]]:
    """T orthogonal and TᵀM in row-echelon form, by Householder reflections; entries of rounding size count as zero.

    Each row then has a fastest mode of its own, and none is a difference of two that grow alike.
    """
    rows, frame, _ = _eliminated(M)
    return rows, frame


def _eliminated(M: Array) -> tuple[Array, Array, Array]:
    h, m = M.shape
    tolerance = BLURRED * jnp.linalg.norm(M)
    index = jnp.arange(h)

    def eliminate(j: Array, state: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        rows, frame, pivots, rank = state
        column = jnp.where(index >= rank, rows[:, j], 0.0)
        size = jnp.linalg.norm(column)
        head = jnp.sum(jnp.where(index == rank, column, 0.0))
        found = (size > tolerance) & (rank < h)
        # v = x + sgn(x₁)‖x‖e₁ reflects the column onto the axis of the next row
        v = column + jnp.where(index == rank, jnp.where(head < 0, -size, size), 0.0)
        square = jnp.sum(v**2)
        v = jnp.where(found & (square > 0), v * jnp.sqrt(2.0) / jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0)
        rows = rows - jnp.outer(v, v @ rows)
        frame = frame - jnp.outer(frame @ v, v)
        below = jnp.where(found, index > rank, index >= rank)
        rows = rows.at[:, j].set(jnp.where(below, 0.0, rows[:, j]))
        pivots = jnp.where(found & (index == rank), j, pivots)
        return rows, frame, pivots, rank + found

    start = (M, jnp.eye(h, dtype=M.dtype), jnp.full(h, -1), jnp.array(0))
    rows, frame, pivots, _ = jax.lax.fori_loop(0, m, eliminate, start)
    return rows, frame, pivots


@echelon.defjvp
def _echelon_jvp(primals: Any, tangents: Any) -> Any:
    """dR = TᵀdM − ΩR with the rotation Ω = TᵀdT that keeps the pivots' columns triangular, as in a QR factorisation."""
    (M,), (dM,) = primals, tangents
    rows, frame, pivots = _eliminated(M)
    used = pivots >= 0
    square = jnp.where(used[None, :] & used[:, None], rows[:, pivots], jnp.diag(jnp.where(used, 0.0, 1.0)))
    change = frame.T @ dM
    # Ω = strictly lower part of (dR R⁻¹), made antisymmetric; rows without pivot turn with the rest
    ratio = jax.scipy.linalg.solve_triangular(
        square.T, jnp.where(used[None, :], change[:, pivots], 0.0).T, lower=True
    ).T
    lower = jnp.tril(ratio, -1)
    Omega = lower - lower.T
    return (rows, frame), (change - Omega @ rows, frame @ Omega)


def gauge(net: Spectrum, t: Float[Array, ""]) -> Float[Array, "h m"]:
    r"""The network [A, W] at time t in the frames of the target, up to a rotation of its hidden units.

    $Z^\top Z = Y^\top G^{-1}Y$ with $Y = Z_0e^{\Lambda t}$, $G = I + 2\int_0^tYP_cY^\top$; each row is scaled by its
    own fastest exponential, and $C^{-1}Y$ with the Cholesky factor $G = CC^\top$ is returned. A pair of eigenvectors
    gives $Y_A = Ae^{l^-t} + \cos\theta\,c^+(e^{l^+t} - e^{l^-t})$ and $Y_W$ likewise with the sine, where $c^+$ is the
    coefficient of $e^+$: the smaller layer is never a difference of larger numbers.
    """
    values, rows, k = net.values, net.rows, len(net.cos)
    height = values * t + net.logs
    top = jnp.argmax(height, axis=1)
    grown = jnp.take_along_axis(height, top[:, None], 1)[:, 0] > 0
    lead = jnp.where(grown, values[top], 0.0)[:, None]
    unit = jnp.where(grown, jnp.exp(jnp.take_along_axis(net.logs, top[:, None], 1)[:, 0]), 1.0)[:, None]
    # Exponents are differences of eigenvalues times t: no large number is subtracted from another.
    exponent = (values - lead) * t
    inside = exponent < 700  # beyond that are coefficients of zero, and derivatives as good as infinite
    Y = jnp.where(inside, rows / unit * jnp.exp(jnp.where(inside, exponent, 0.0)), 0.0)
    still = jnp.exp(-lead * t) / unit  # D
    flat = rows * still
    # ∫e^{λs}ds is taken relative to its end, on Y, where λ ≥ 0, and to its start, on D R, where λ < 0.
    rising = net.delta >= 0
    faster = absolute(net.delta)
    rates = jnp.concatenate([values[:k], -values[k : 2 * k], absolute(values[2 * k :])])
    own = 2 * decay(2 * rates, t)[1]
    up, down = own[:k] * net.cos**2, own[k : 2 * k] * net.sin**2
    cross = -2 * net.cos * net.sin * decay(faster, t)[1]
    fast, slow = Y[:, :k], flat[:, k : 2 * k]
    one = jnp.where(rising, fast, slow)
    two = jnp.where(rising, fast * (up / 2) + Y[:, k : 2 * k] * cross, slow * (down / 2) + flat[:, :k] * cross)
    rest, weight = jnp.where(rising, slow, fast), jnp.where(rising, down, up)
    alone = slice(2 * k, k + len(net.right))
    single = jnp.where(rising, Y[:, alone], flat[:, alone])
    half = one @ two.T
    G = half + half.T + (rest * weight) @ rest.T + (single * own[alone]) @ single.T + jnp.diag(still[:, 0] ** 2)
    # e^{l⁺t} − e^{l⁻t} = e^{l⁺t}(1 − e^{−2Rt})
    spread = fast * (values[:k] - values[k : 2 * k]) * decay(values[:k] - values[k : 2 * k], t)[1]
    sinking = still * jnp.exp(values[k : 2 * k] * t)
    Y_A = jnp.concatenate([net.A[:, :k] * sinking + spread * net.cos, Y[:, alone]], axis=1)
    Y_W = jnp.concatenate([net.W[:, :k] * sinking + spread * net.sin, Y[:, k + len(net.right) :]], axis=1)
    scale = jax.lax.rsqrt(jnp.diagonal(G))[:, None]
    C = jnp.linalg.cholesky(scale * G * scale.T)
    return jax.scipy.linalg.solve_triangular(C, scale * jnp.concatenate([Y_A, Y_W], axis=1), lower=True)


def lifted(net: Spectrum, times: Float[Array, " t"]) -> Float[Array, "t h h"]:
    r"""The rotation O of the hidden units: $\dot O = O\,\Omega$, $\Omega_{ij} = \mathrm{sgn}(i - j)(ZP_cZ^\top)_{ij}$
    for the gauge Z of `gauge`."""
    h = len(net.rows)
    sign = jnp.sign(jnp.arange(h)[:, None] - jnp.arange(h))

    def field(t: Any, O: Array, net: Spectrum) -> Array:
        turn = net.overlap(gauge(net, t))
        square = jnp.diagonal(turn)
        # What rounding leaves of it at the end would go on turning, for as long as it is asked.
        return O @ jnp.where(turn**2 > BLURRED**2 * square[:, None] * square, sign * turn, 0.0)

    first = jnp.max(jnp.abs(jax.lax.stop_gradient(field(jnp.zeros(()), jnp.eye(h), net))))
    solution = dfx.diffeqsolve(
        dfx.ODETerm(field),
        dfx.Dopri8(),
        jnp.zeros(()),
        jnp.where(times[-1] > 0, times[-1], 1.0),
        jnp.minimum(jnp.where(times[-1] > 0, times[-1], 1.0), 1e-2 / (1.0 + first)),
        jnp.eye(h),
        net,
        saveat=dfx.SaveAt(ts=times),
        stepsize_controller=dfx.PIDController(rtol=1e-13, atol=1e-13),
        max_steps=16384,
    )
    assert solution.ys is not None
    return solution.ys


@eqx.filter_jit
def _path(
    small: Canonical, times: Float[Array, " t"], lift: bool
) -> tuple[Float[Array, "t h c"], Float[Array, "t h r"]]:
    """A and W along time."""
    net, times = spectrum(small), small.clock * times
    # A few times at once: what they need stays in the cache.
    Z = jax.lax.map(lambda t: gauge(net, t), times, batch_size=16)
    if lift or len(net.rows) == 1:
        Z = (net.frame @ lifted(net, times) if len(net.rows) > 1 else net.frame) @ Z
    c = len(net.right)
    return Z[..., :c] @ net.right.T, Z[..., c:] @ net.left.T


def isotropic_imbalance(flow: GradientFlow) -> Defect:
    """ΔQᵀ = δQᵀ: on the hidden directions in use, Δ = W₂ᵀW₂ − W₁W₁ᵀ (at unit rates) is one number δ."""
    return _isotropic(canonical(flow))


@eqx.filter_jit
def _isotropic(small: Canonical) -> Array:
    W, V = small.weights
    Z = jnp.concatenate([V.T, W], axis=1)
    size = jnp.linalg.norm(Z)
    Z = Z / jnp.where(size > 0, size, 1.0)
    A, W = Z[:, : len(V)], Z[:, len(V) :]
    Delta = A @ A.T - W @ W.T
    delta = imbalance(small) / jnp.where(size > 0, size, 1.0) / jnp.where(size > 0, size, 1.0)
    return jnp.linalg.norm(Delta @ Z - delta * Z)


def isotropic_network(flow: GradientFlow, times: Float[Array, " t"], lift: bool = True) -> tuple[Array, ...]:
    r"""A two-layer linear network with $\Delta Q^\top = \delta Q^\top$ on whitened inputs, any widths.

    At unit rates let $Z = [W_2^\top, W_1] = Q^\top$ and $\Delta = W_2^\top W_2 - W_1W_1^\top$, which is conserved. If
    it acts as one number δ on the hidden directions in use, $\Delta Z = \delta Z$, the flow is
    $\dot Z = Z\Lambda - (ZP_cZ^\top)Z$ with $\Lambda = [[\delta I, b^\top], [b, 0]]$, and

    $$Z^\top Z = Y^\top G^{-1}Y, \qquad Y = Z_0e^{\Lambda t}, \qquad G = I + 2\int_0^t YP_cY^\top.$$

    The blocks of $Z^\top Z$ are $W_2W_2^\top$, $W_1^\top W_1$ and the predictor, so that tangent kernel, singular
    values and loss are in closed form; the rotation of the hidden units follows from a small linear equation whose
    coefficients are known (`lift=False` leaves it out: then hidden units are right up to a common rotation).

    Contained are a single hidden unit with many outputs, Δ = δI (kunin2024), balanced (Fukumizu 1998) and λ-balanced
    networks (Dominé 2025), prior knowledge (Braun 2022), and the orthogonal initialization (varre2023): square or
    rectangular, δ = 0 included, targets of any rank.

    >>> from lazyrich import DeepLinear, Problem, exact
    >>> net = DeepLinear([[[0.4, 0.0]], [[0.3], [0.2]]])                        # one hidden unit, two outputs
    >>> flow = GradientFlow(net, Problem(np.eye(2), [[2.0, 0.0], [0.0, 1.0]]))
    >>> exact(flow, [1e6], theorem="isotropic imbalance").beta[0].round(12)     # the larger mode: there is room for one
    Array([[2., 0.],
           [0., 0.]], dtype=float64)
    """
    small = canonical(flow)
    A, W = _path(small, times, lift)
    return small.restored(flow.net, (W, jnp.swapaxes(A, 1, 2)))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(isotropic(key, 3, 4, 2, -0.6, rates=RATES), whitened(rng, 3, 2), RATES)


THEOREM = TrajectoryTheorem(
    name="isotropic imbalance",
    places=(
        ("kunin2024", "section 4 and appendix B"),
        ("fukumizu1998", ""),
        ("braun2022", ""),
        ("domine2025", ""),
        ("varre2023", "section 3"),
    ),
    hypotheses={two_linear_layers: relu, square_loss: logistic, whitened_inputs: skewed, isotropic_imbalance: shaken},
    formula=isotropic_network,
    example=_example,
    broken=("imbalance not isotropic", shaken),
    invariants=partial(isotropic_network, lift=False),
    rests_on=(RICCATI,),
    contains=((neuron.THEOREM, "h = c = 1"),),
    cases=(
        ("one hidden unit, many outputs", "kunin2024, section 4"),
        (r"$\Delta = \delta I$", "kunin2024, section 4"),
        ("balanced, any rank", "Fukumizu 1998"),
        ("balanced, with prior knowledge", "Braun et al. 2022"),
        (r"$\lambda$-balanced", "Dominé et al. 2025"),
        *aligned.ISOTROPIC,
    ),
)
