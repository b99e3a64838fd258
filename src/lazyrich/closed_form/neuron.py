"""The single neuron, f(x) = a w·x: everything in closed form."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich import _dd as dd
from lazyrich._linalg import decay
from lazyrich.closed_form.reduced import constant, linear_weights, seen, strength
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network, TwoLayer

Constants = tuple[Array, ...]


def _plain(a: Array, w: Array, b: Array, eta_w: Array, eta_a: Array) -> Constants:
    """The constants in ordinary arithmetic: where the derivatives come from."""
    ww, wb, bb = jnp.sum(w * w), jnp.sum(w * b), jnp.sum(b * b)
    delta = eta_w * a * a - eta_a * ww
    target = jnp.sqrt(jnp.where(bb > 0, bb, 1.0))
    B = jnp.where(bb > 0, target, 0.0)
    corner = (delta == 0) & (bb == 0)
    R = jnp.where(corner, 0.0, jnp.sqrt(jnp.where(corner, 1.0, delta**2 / 4 + eta_a * eta_w * bb)))
    safe = jnp.where(corner, 1.0, R)
    big = R + jnp.where(delta > 0, delta, -delta) / 2  # not |δ|, whose derivative at 0 is neither side's
    small = jnp.where(corner, 0.0, eta_a * eta_w * bb / jnp.where(corner, 1.0, big))
    up, down = jnp.where(delta > 0, big, small), -jnp.where(delta > 0, small, big)
    C = jnp.where(corner, a, (up * a + eta_a * wb) / (2 * safe))
    g = jnp.where(corner, 0.0, (-down * a - eta_a * wb) / (2 * safe))
    along = jnp.where(bb > 0, wb / target, 0.0)
    across = w - jnp.where(bb > 0, wb / target**2, 0.0) * b
    # D/C = η_w B / l₊, from l₊ l₋ = −η_a η_w B² where l₊ itself may vanish
    slope = jnp.where(
        B > 0, jnp.where(delta > 0, eta_w * B / jnp.where(big > 0, big, 1.0), -down / (eta_a * target)), 0.0
    )
    return delta, up, down, C, g, slope, along, across


@jax.custom_jvp
def constants(a: Array, w: Float[Array, " d"], b: Float[Array, " d"], eta_w: Array, eta_a: Array) -> Constants:
    r"""$(\delta, l_+, l_-, C, g, D/C, w\cdot u, w_\perp)$, each correct to the last digit even where it cancels.

    They decide on which side of the separatrix C = 0 the flow runs, so they are computed in double-double arithmetic.
    """
    A, eta_W, eta_A = dd.of(a), dd.of(eta_w), dd.of(eta_a)
    ww, wb, bb = dd.dot(w, w), dd.dot(w, b), dd.dot(b, b)
    delta = dd.add(dd.mul(eta_W, dd.two_product(a, a)), dd.minus(dd.mul(eta_A, ww)))
    half = (delta[0] / 2, delta[1] / 2)
    scale = dd.mul(eta_A, dd.mul(eta_W, bb))
    R = dd.sqrt(dd.add(dd.mul(half, half), scale))
    corner = R[0] == 0
    positive = delta[0] > 0
    large = dd.add(R, _where(positive, half, dd.minus(half)))
    small = dd.div(scale, large)
    up, down = _where(positive, large, small), dd.minus(_where(positive, small, large))
    pull = dd.mul(eta_A, wb)
    twice = (2 * R[0], 2 * R[1])
    C = _where(corner, A, dd.div(dd.add(dd.mul(up, A), pull), twice))
    g = _where(corner, dd.of(jnp.zeros_like(a)), dd.div(dd.minus(dd.add(dd.mul(down, A), pull)), twice))
    B = dd.sqrt(bb)
    share = dd.div(wb, bb)
    spread = tuple(jnp.broadcast_to(part[..., None], b.shape) for part in share)
    across = dd.add(dd.of(w), dd.minus(dd.mul((spread[0], spread[1]), dd.of(b))))
    slope = _where(positive, dd.div(dd.mul(eta_W, B), large), dd.div(large, dd.mul(eta_A, B)))
    exists = bb[0] > 0
    return (
        *map(dd.rounded, (delta, up, down, C, g)),
        jnp.where(exists, dd.rounded(slope), 0.0),
        jnp.where(exists, dd.rounded(dd.div(wb, B)), 0.0),
        jnp.where(exists, dd.rounded(across), w),
    )


@constants.defjvp
def _constants_jvp(primals: Any, tangents: Any) -> Any:
    return constants(*primals), jax.jvp(_plain, primals, tangents)[1]


def _where(condition: Array, x: dd.Double, y: dd.Double) -> dd.Double:
    return jnp.where(condition, x[0], y[0]), jnp.where(condition, x[1], y[1])


@jax.jit
def path(
    a: Array, w: Float[Array, " d"], b: Float[Array, " d"], eta_w: Array, eta_a: Array, t: Float[Array, " t"]
) -> tuple[Float[Array, " t"], Float[Array, "t d"]]:
    """a(t) and w(t) on whitened inputs with target b."""
    delta, up, down, C, g, slope, along, across = constants(a, w, b, eta_w, eta_a)
    B2 = jnp.sum(b * b)
    u = b / jnp.where(B2 > 0, jnp.sqrt(jnp.where(B2 > 0, B2, 1.0)), 1.0)
    # Everything is divided by s·max(1, |C| e^{l₊t}), so that exponentials only decay.
    fade_up, tau_up = decay(up, t)
    fade_down, tau_down = decay(-down, t)
    _, tau_delta = decay(jnp.where(delta > 0, delta, -delta), t)
    known = jnp.where(C == 0, 1.0, jnp.abs(C))
    grown = (C != 0) & (known > fade_up)
    still = jnp.where(grown, fade_up * (1 / known), 1.0)  # e^{-L}
    growing = jnp.where(grown, jnp.sign(C), C / jnp.where(grown | (C == 0), 1.0, fade_up))
    falling = fade_down * still
    k = up * tau_up - down * tau_down * fade_up  # 1 − e^{−2Rt}
    cross = jnp.where(delta > 0, growing * falling, C * still**2) * g * tau_delta
    # τ at twice the rate is τ (1 + e^{−λt})/2
    S = still**2 + eta_w * (
        growing**2 * tau_up * (1 + fade_up) + (g * still) ** 2 * tau_down * (1 + fade_down) + 4 * cross
    )
    root = jax.lax.rsqrt(S)
    size = (a * falling + growing * k) * root
    forward = (along * falling + growing * slope * k) * root
    return size, forward[..., None] * u + (still * root)[..., None] * across


def _weights(net: Network) -> tuple[Array, Array]:
    weights = linear_weights(net)
    assert weights is not None
    return weights[1][0, 0], weights[0][0]


def neuron_of(flow: GradientFlow) -> tuple[Array, Array, Array, Array, Array, Array]:
    """(a, w, β*, η_w, η_a, ρ) on the row space of the data."""
    a, w = _weights(flow.net)
    eta_w, eta_a = flow.rates
    problem, rho, basis = flow.problem, strength(flow.problem), seen(flow.problem)
    b = problem.kappa * (constant(problem.X).T @ problem.y.reshape(-1)) / jnp.where(rho > 0, rho, 1.0)
    if basis is not None:
        w, b = w @ basis, b @ basis
    return a, w, b, eta_w, eta_a, rho


def single_neuron(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Array, Array]:
    r"""A single linear neuron $f(x) = a\,w\cdot x$ on whitened inputs, $\kappa X^\top X = \rho\Pi$: parameters in
    closed form.

    With $\delta = \eta_w a^2 - \eta_a\|w\|^2$, $B = \|\beta_*\|$, $R = \sqrt{\delta^2/4 + \eta_a\eta_wB^2}$,
    $l_\pm = \delta/2 \pm R$ and $C = (l_+a_0 + \eta_a w_0\cdot\beta_*)/2R$, $g = a_0 - C$, $D = \eta_wBC/l_+$,

    $$a(t) = \frac{C e^{l_+t} + g e^{l_-t}}{s(t)}, \qquad
      w(t) = \frac{(D e^{l_+t} + (w_\parallel - D) e^{l_-t})\,\hat\beta_* + w_\perp}{s(t)},$$

    $$s^2 = 1 + \eta_w\Big[C^2\tfrac{e^{2l_+t} - 1}{l_+} + g^2\tfrac{1 - e^{2l_-t}}{|l_-|}
      + 4Cg\,\tfrac{e^{\delta t} - 1}{\delta}\Big].$$

    One formula for every δ, sign of a and pair of rates. The basin is the sign of C; on the separatrix C = 0 the flow
    ends in the saddle; a crosses zero at most once, at $t = \ln(-g/C)/2R$. kunin2024 has the balanced, upstream and
    downstream cases apart, at unit rates and while a keeps its sign. Directions that the data do not see stay put.
    """
    a, w, b, eta_w, eta_a, rho = neuron_of(flow)
    basis = seen(flow.problem)
    size, inner = path(a, w, b, eta_w, eta_a, rho * times)
    full = _weights(flow.net)[1]
    outer = inner if basis is None else inner @ basis.T + (full - w @ basis.T)
    if isinstance(flow.net, TwoLayer):
        return outer[:, None, :], size[:, None]
    return outer[:, None, :], size[:, None, None]
