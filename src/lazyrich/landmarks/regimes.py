"""The simple trajectories that a flow approaches in the lazy and rich extremes."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.linalg import safe_norm
from lazyrich._core.types import ArrayLike
from lazyrich._solve import exact, find_closed_form
from lazyrich._validate.arrays import check_times
from lazyrich.flow import GradientFlow, raise_if_decayed
from lazyrich.landmarks.learning_order import ModeSchedule, mode_schedule


@dataclass(frozen=True)
class RegimeLimits:
    """The simple trajectories that a flow approaches in the lazy and rich extremes, and its distance from each.

    `beta` maps each limit to its predictor at `times`; `distance` maps it to its largest distance from the flow's own
    predictor, relative to ‖β* − β₀‖; `nearest` is the name of the closest limit.
    """

    times: Array
    beta: dict[str, Array]
    distance: dict[str, float]

    @property
    def nearest(self) -> str:
        return min(self.distance, key=self.distance.__getitem__)

    def __str__(self) -> str:
        rows = [f"  {name:13s} {size:8.2e}" for name, size in sorted(self.distance.items(), key=lambda kv: kv[1])]
        return "distance to the limit, relative to ‖β* − β₀‖\n" + "\n".join(rows)

    __repr__ = __str__


def regime_limits(flow: GradientFlow, times: ArrayLike) -> RegimeLimits:
    r"""Return the lazy and the rich limits that a flow approaches, each in closed form, and the flow's distance from
    them.

    - lazy: the tangent model at the initialization;
    - rich: from a vanishing initialization, a staircase in which each mode jumps to its target at its time in
      `mode_schedule`;
    - delayed rich (single neuron, δ → −∞): the magnitude fits at once, $\mu = \varphi B$, then the direction rotates by
      $\dot\varphi = \eta_a\eta_wB^2|\delta|^{-1}\varphi(1 - \varphi^2)$ (kunin2024, section 3).

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0])
    >>> for delta in (100.0, -100.0):
    ...     flow = GradientFlow(inits.neuron([0.3, 0.1], delta), problem)
    ...     print(regime_limits(flow, [0.1, 1.0, 10.0, 100.0, 1000.0]).nearest)
    lazy
    delayed rich
    """
    times = check_times(times)
    raise_if_decayed(flow, "regime_limits")
    theorem, units = find_closed_form(flow)
    beta = jax.vmap(flow.beta)(units.unscale_net(theorem.networks_up_to_rotation(units.flow, units.scale_times(times))))
    limits = {"lazy": exact(flow.linearize(), times).beta}
    plan = mode_schedule(flow)
    limits["rich"] = _staircase_beta(flow, plan, times)
    own = {name: regime(flow, times) for name, regime in theorem.limiting_betas.items()}
    limits |= {name: limit for name, limit in own.items() if limit is not None}
    target = flow.problem.min_norm_solution
    unit = float(safe_norm(jnp.ravel(target - flow.beta())))
    unit = unit if unit > 0 else 1.0
    distance = {
        name: float(jnp.max(safe_norm((beta - limit).reshape(len(times), -1) / unit))) for name, limit in limits.items()
    }
    return RegimeLimits(times, limits, distance)


def _staircase_beta(flow: GradientFlow, plan: ModeSchedule, times: Array) -> Array:
    learned = (np.asarray(times)[:, None] >= plan.time) * plan.target
    if flow.net.signed_factors is not None:
        steps = np.zeros((len(times), flow.problem.d))
        steps[:, plan.mode] = learned
        return jnp.asarray(steps)
    best = flow.problem.min_norm_solution
    matrix = best[:, None] if best.ndim == 1 else best
    U, _, Vt = jnp.linalg.svd(matrix, full_matrices=False)
    full = jnp.einsum("tm,dm,mc->tdc", jnp.asarray(learned), U[:, plan.mode], Vt[plan.mode])
    return full.reshape(len(times), *best.shape)
