r"""Online SGD in many dimensions: the equations of Saad and Solla for two-layer networks of erf units."""

from dataclasses import dataclass

import diffrax as dfx
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.gaussian_moments import erf_erf_of_overlaps, tilted_overlaps
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.arrays import check_array, check_times
from lazyrich.flow import GradientFlow, invalid_values
from lazyrich.population import Population

RTOL, ATOL, MAX_STEPS = 1e-10, 1e-12, 100_000


@dataclass(frozen=True)
class OnlineFlow:
    """The overlaps of a network that learns online from inputs of infinitely many dimensions, at flow times.

    - `loss`: the test error (times κ/2);
    - `student`: $Q = WW^\\top$, of shape (times, h, h); `teacher`: $R = WU^\\top$, of shape (times, h, m);
    - `outer`: the outer weights a, of shape (times, h).
    """

    times: Float[Array, " t"]
    loss: Float[Array, " t"]
    student: Float[Array, "t h h"]
    teacher: Float[Array, "t h m"]
    outer: Float[Array, "t h"]


class _Overlaps(eqx.Module):
    """The vector field of all overlaps $C = ZZ^\\top$ of the rows of $Z = [W; U]$, and of the outer weights."""

    teacher_outer: Float[Array, " m"]
    rates: tuple[AnyArray, ...]
    decay_rates: tuple[AnyArray, ...]
    kappa: AnyArray
    noise: AnyArray  # lr·d
    label_noise: AnyArray

    def loss(self, C: Array, outer: Array) -> Array:
        weights = jnp.concatenate([outer, -self.teacher_outer])
        return 0.5 * self.kappa * (weights @ erf_erf_of_overlaps(C) @ weights)

    def __call__(self, t: AnyArray, state: tuple[Array, Array], args: None) -> tuple[Array, Array]:
        C, outer = state
        h = len(outer)
        by_overlap, by_outer = jax.grad(self.loss, (0, 1))(C, outer)
        move = jnp.zeros_like(C).at[:h].set((by_overlap + by_overlap.T)[:h] @ C)  # ∂L/∂Z Zᵀ, and nothing of U
        fade = jnp.zeros(len(C)).at[:h].set(self.decay_rates[0])
        C_dot = -self.rates[0] * (move + move.T) - (fade[:, None] + fade) * C
        spread = self.noise * (self.rates[0] * self.kappa) ** 2
        C_dot = C_dot.at[:h, :h].add(spread * self._gradient_covariance(C, outer))
        return C_dot, -self.rates[1] * by_outer - self.decay_rates[1] * outer

    def _gradient_covariance(self, C: Array, outer: Array) -> Array:
        r"""Return $E\,\delta^2a_ig'_i\,a_kg'_k$, the gradient of one sample in the fields of two units, δ its error."""
        weights = jnp.concatenate([outer, -self.teacher_outer])

        def pair(i: Array, k: Array) -> Array:
            size, tilted = tilted_overlaps(C, i, k)
            square = weights @ erf_erf_of_overlaps(tilted) @ weights + self.label_noise**2
            return outer[i] * outer[k] * size * square

        units = jnp.arange(len(outer))
        return jax.vmap(lambda i: jax.vmap(lambda k: pair(i, k))(units))(units)


def online_flow(flow: GradientFlow, times: ArrayLike, lr_d: ArrayLike, *, label_noise: ArrayLike = 0.0) -> OnlineFlow:
    r"""Return the test error of online SGD, one fresh input at each step, in the limit of many dimensions d.

    `descend(flow, steps, lr, batch=1)` on a `Population` is online SGD. As $d \to \infty$ at a fixed `lr_d` =
    lr · d, its overlaps $Q = WW^\top$, $R = WU^\top$ with a teacher of weights U, and its test error follow ordinary
    differential equations (Saad and Solla 1995; Goldt et al. 2019 with trained outer weights): those of the population
    flow, and

    $$\dot Q_{ik} = \ldots + \text{lr}\,d\;E\,\delta^2\,a_ig'(w_i\cdot x)\,a_kg'(w_k\cdot x),$$

    with δ the error on one input, in closed form for erf units. Times are flow times, lr · steps. At `lr_d` = 0 it is
    the population flow. `label_noise` is the standard deviation of noise on each label. The start is that of the flow's
    network; weight decay and learning rates of the layers are those of the flow. The second moments of outer weights
    are of order 1/d and left out. At a finite d the path fluctuates by an amount of order $d^{-1/2}$.

    >>> from lazyrich import Population, TwoLayerErf
    >>> population = Population(TwoLayerErf([[1.0, 0.0]], [1.0]))
    >>> flow = GradientFlow(TwoLayerErf([[0.1, 0.1]], [1.0]), population)
    >>> online_flow(flow, [0.0, 5.0, 50.0], lr_d=0.5).loss.round(4)
    Array([0.1283, 0.0023, 0.0003], dtype=float64)
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"online_flow takes a GradientFlow; found {type(flow).__name__}")
    student, teacher = _erf_layers(flow)
    saved_at, lr_d = check_times(times), check_array("lr_d", lr_d, (0,))
    label_noise = check_array("label_noise", label_noise, (0,))
    if is_concrete(lr_d) and not lr_d >= 0:
        raise ValueError(f"lr_d, the learning rate times the dimension, must not be negative; found {float(lr_d):g}")
    Z = jnp.concatenate([student[0], teacher[0]])
    field = _Overlaps(teacher[1], flow.rates, flow.decay_rates, flow.problem.kappa, lr_d, label_noise)
    C, outer, loss = _integrate(field, (Z @ Z.T, student[1]), saved_at)
    beyond = (
        f"the overlaps leave the range of float64, or need more than {MAX_STEPS:,} steps to integrate: take a smaller "
        "lr_d, the learning rate times the dimension, or less time"
    )
    C = raise_if(C, invalid_values(flow) | {beyond: ~jnp.isfinite(loss)})
    h = len(student[1])
    return OnlineFlow(saved_at, loss, C[:, :h, :h], C[:, :h, h:], outer)


def _erf_layers(flow: GradientFlow) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Return the layers of student and teacher, or raise an error if there are no such equations."""
    problem, student = flow.problem, flow.net.erf_parameters
    if not isinstance(problem, Population) or student is None or problem.teacher.erf_parameters is None:
        teacher = type(problem.teacher).__name__ if isinstance(problem, Population) else f"a {type(problem).__name__}"
        raise TypeError(
            "the equations of online SGD have closed forms for two-layer networks of erf units, TwoLayerErf, that "
            f"learn a Population with a teacher of erf units; found {type(flow.net).__name__} and {teacher}. "
            "descend(flow, steps, lr, batch=1, key=key) simulates online SGD on any Population"
        )
    if problem.covariance is not None:
        raise ValueError(
            "the equations of online SGD are for inputs of covariance I; found a covariance. Simulate it: "
            "descend(flow, steps, lr, batch=1, key=key)"
        )
    return student, problem.teacher.erf_parameters


@eqx.filter_jit
def _integrate(field: _Overlaps, start: tuple[Array, Array], times: Array) -> tuple[Array, Array, Array]:
    C, outer = dfx.diffeqsolve(
        dfx.ODETerm(field),
        dfx.Dopri8(),
        0.0,
        times[-1],
        None,
        start,
        saveat=dfx.SaveAt(ts=times),
        stepsize_controller=dfx.PIDController(RTOL, ATOL),
        max_steps=MAX_STEPS,
        throw=False,
    ).ys
    return C, outer, jax.vmap(field.loss)(C, outer)
