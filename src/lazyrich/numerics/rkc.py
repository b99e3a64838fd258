"""A stabilized explicit solver for diffrax: second-order Runge–Kutta–Chebyshev."""

from collections.abc import Callable
from typing import ClassVar, Literal

import diffrax as dfx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, PyTree

from lazyrich._core.types import AnyArray

DAMPING = 2 / 13  # ε of Sommeijer, Shampine & Verwer (1998)
MAX_STAGES = 1000


class RKC(dfx.AbstractAdaptiveSolver):
    r"""Second-order Runge–Kutta–Chebyshev for problems whose Jacobian has a real negative spectrum, as gradient flows
    have.

    A step with s stages is stable up to $h\rho \approx 0.65 s^2$, where a classical method with s stages reaches about
    $0.65 s$: the cost of a stiff phase grows like $\sqrt{\rho}$ instead of $\rho$. The number of stages of each
    step follows from h and the spectral radius $\rho$ of the Jacobian, which a warm power iteration tracks. No linear
    systems are solved.

    Reference: Sommeijer, Shampine, Verwer, *RKC: an explicit solver for parabolic PDEs*, J. Comput. Appl. Math. 88
    (1998).

    It is a diffrax solver: `diffrax.diffeqsolve(terms, RKC(), ...)`, or `lazyrich.integrate(flow, times,
    solver=RKC())`.
    """

    refresh: int = 25
    term_structure: ClassVar = dfx.AbstractTerm
    interpolation_cls: ClassVar[Callable] = dfx.ThirdOrderHermitePolynomialInterpolation.from_k

    def order(self, terms: PyTree) -> int:
        return 2

    def error_order(self, terms: PyTree) -> int:
        return 3

    def func(self, terms: dfx.AbstractTerm, t0: AnyArray, y0: PyTree, args: PyTree) -> PyTree:
        return terms.vf(t0, y0, args)

    def init(self, terms: dfx.AbstractTerm, t0: AnyArray, t1: AnyArray, y0: PyTree, args: PyTree) -> PyTree:
        # A vector with all frequencies will do to start the power iteration, at the first step.
        flat = ravel_pytree(y0)[0]
        vector = jnp.sin(1.0 + jnp.arange(flat.size, dtype=flat.dtype) ** 2)
        return vector / jnp.linalg.norm(vector), jnp.zeros(()), jnp.array(self.refresh)

    def step(
        self,
        terms: dfx.AbstractTerm,
        t0: AnyArray,
        t1: AnyArray,
        y0: PyTree,
        args: PyTree,
        solver_state: PyTree,
        made_jump: AnyArray,
    ) -> tuple[PyTree, PyTree, dict[str, PyTree], PyTree, PyTree]:
        del made_jump
        vector, rho, age = solver_state
        vector, rho = jax.lax.cond(
            age >= self.refresh,
            lambda: _jacobian_radius(terms, t0, y0, args, vector, jnp.where(rho == 0, 30, 4)),
            lambda: (vector, rho),
        )
        age = jnp.where(age >= self.refresh, 1, age + 1)

        start, unravel = ravel_pytree(y0)
        h = terms.contr(t0, t1)

        def field(fraction: Array | float, flat: Array) -> Array:
            return ravel_pytree(terms.vf(t0 + fraction * (t1 - t0), unravel(flat), args))[0]

        k0 = field(0.0, start)
        end = chebyshev_recursion(field, start, k0, h, n_stages(h, rho, MAX_STAGES))
        k1 = field(1.0, end)
        # Equation (2.8) of Sommeijer, Shampine and Verwer: the local error estimate.
        error = 0.8 * (start - end) + 0.4 * h * (k0 + k1)
        slopes = jax.vmap(unravel)(h * jnp.stack([k0, k1]))
        dense = {"y0": y0, "y1": unravel(end), "k": slopes}
        return unravel(end), unravel(error), dense, (vector, rho, age), dfx.RESULTS.successful


def n_stages(h: Array, rho: Array, most: int) -> Array:
    """Return how many stages a step of length h needs to be stable."""
    # 1.2: a power iteration approaches the spectral radius from below.
    stages = jnp.ceil(jnp.sqrt(1 + 1.54 * 1.2 * jnp.abs(h) * rho))
    return jnp.clip(jnp.where(jnp.isfinite(stages), stages, 2), 2, most)


def chebyshev_recursion(
    field: Callable,
    y0: Array,
    k0: Array,
    h: Array,
    stages: Array,
    kind: Literal["checkpointed", "lax", "bounded"] = "checkpointed",
) -> Array:
    """Return the state after one step by the Chebyshev recursion, equations (2.1)–(2.5) of Sommeijer, Shampine and
    Verwer, in the precision of y0 with coefficients in float64.

    `kind` is that of the loop: "checkpointed" can be differentiated backwards, "lax" cannot and is lighter.
    """
    theta = DAMPING / stages**2
    w0 = 1 + theta
    # T_s′(w0) and T_s″(w0) in closed form, with w0 = cosh x.
    x = jnp.log1p(theta + jnp.sqrt(theta * (2 + theta)))
    sinh, sinh_s, cosh_s = jnp.sinh(x), jnp.sinh(stages * x), jnp.cosh(stages * x)
    dT = stages * sinh_s / sinh
    ddT = (stages**2 * cosh_s - w0 * dT) / sinh**2
    w1 = dT / ddT

    b2 = 1 / (2 * w0) ** 2  # T_2″ / T_2′² = 4 / (4 w0)²

    def own(number: Array) -> Array:
        return number.astype(y0.dtype)

    first = y0 + own(b2 * w1 * h) * k0
    # T_j, T_j′, T_j″ and b_j at j = 0 and 1; a_j and the time c_j at j = 1
    values = (jnp.array([1.0, w0]), jnp.array([0.0, 1.0]), jnp.array([0.0, 0.0]))
    carry = (jnp.array(2.0), y0, first, values, jnp.array([b2, b2]), 1 - b2 * w0, w1 / (4 * w0**2))

    def body(carry: PyTree) -> PyTree:
        j, before, last, (T, D, E), b, a_last, c_last = carry
        Tj = 2 * w0 * T[1] - T[0]
        Dj = 2 * T[1] + 2 * w0 * D[1] - D[0]
        Ej = 4 * D[1] + 2 * w0 * E[1] - E[0]
        bj = Ej / Dj**2
        mu, nu, mu_tilde = 2 * bj * w0 / b[1], -bj / b[0], 2 * bj * w1 / b[1]
        slope = field(c_last, last) - own(a_last) * k0
        new = own(1 - mu - nu) * y0 + own(mu) * last + own(nu) * before + own(mu_tilde * h) * slope
        values = (jnp.array([T[1], Tj]), jnp.array([D[1], Dj]), jnp.array([E[1], Ej]))
        return j + 1, last, new, values, jnp.array([b[1], bj]), 1 - bj * Tj, w1 * Ej / Dj

    most = MAX_STAGES if kind == "checkpointed" else None
    final = eqxi.while_loop(lambda carry: carry[0] <= stages, body, carry, max_steps=most, kind=kind)
    return final[2]


def spectral_radius(
    field: Callable[[Array], Array], y: Float[Array, " p"], vector: Float[Array, " p"], rounds: int | Array
) -> tuple[Array, Array]:
    """Estimate the spectral radius of the field's Jacobian at y, from below, by power iteration.

    Returns the last vector, from which a later call can go on, and |Jv|.
    """

    def iterate(_: int, state: tuple[Array, Array]) -> tuple[Array, Array]:
        image = jax.jvp(field, (y,), (state[0],))[1]
        size = jnp.linalg.norm(image)
        return jnp.where(size > 0, image / jnp.where(size > 0, size, 1), state[0]), size

    return jax.lax.fori_loop(0, rounds, iterate, (vector, jnp.zeros((), y.dtype)))


def _jacobian_radius(
    terms: dfx.AbstractTerm, t: AnyArray, y: PyTree, args: PyTree, vector: Float[Array, " p"], rounds: Array
) -> tuple[Array, Array]:
    """Apply `spectral_radius` to the vector field of a diffrax term, without derivatives."""
    vector, y, args = jax.lax.stop_gradient((vector, y, args))
    flat, unravel = ravel_pytree(y)
    return spectral_radius(lambda z: ravel_pytree(terms.vf(t, unravel(z), args))[0], flat, vector, rounds)
