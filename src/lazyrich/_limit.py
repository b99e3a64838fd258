"""`limit`: where a flow stops, from the theorem that applies, with a certificate."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, stop_gradient, to_numpy_if_concrete, xp
from lazyrich._core.device import to_jax
from lazyrich._core.pseudoinverse import rank_guarded
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.arrays import check_array
from lazyrich.flow import GradientFlow, invalid_values
from lazyrich.networks import Network
from lazyrich.nondimensionalize import ScaledFlow, nondimensionalize
from lazyrich.rounding import rounding_warning
from lazyrich.theorem_choice import (
    AllDefects,
    exact_provenance,
    first_applicable,
    largest_entry,
    no_theorem_error,
    overflow_errors,
    select_theorems,
    too_large_errors,
)
from lazyrich.theorems import LIMIT_THEOREMS
from lazyrich.theorems.limit_result import Certificate, Limit
from lazyrich.theorems.theorem import LimitTheorem, NoTheoremApplies, unmet_hypotheses
from lazyrich.trajectory import Trajectory

MAX_CERTIFICATE = 1e-6  # a limit whose certificate is worse is not returned


def limit(
    flow: GradientFlow | Trajectory,
    *,
    theorem: LimitTheorem | str | None = None,
    scales: ArrayLike | None = None,
    decays: ArrayLike | None = None,
) -> Limit:
    """Return where the flow stops, from the implicit-bias theorem that applies, or raise `NoTheoremApplies`.

    `lim.value` is the predictor (`lim.kind` is "point" or "direction"), `lim.net` the network where the theorem
    determines it, `lim.certificate` the measured optimality, `lim.by` the theorem. Nothing is integrated.

    For a trajectory, the result is the limit of the flow that starts at its end. Hypotheses about the future (the sign
    of a neuron's outer weight) may hold there and not at the start.

    `scales`: the limits from the same network with its layers multiplied by each of these numbers, one row each. For
    diagonal networks and commuting measurements one path computes them all, from the lazy to the rich.

    `decays`: the limits of the same flow with this weight decay in all layers instead of its own, one row each.

    `grad` is supported, by implicit differentiation where a solver is used: with respect to the initialization, the
    rates, the labels and, for data of full rank, the inputs. There are two exceptions, which raise an error: directions
    of maximum margin, and perturbations of the start that leave the hypotheses of a theorem whose formula does not
    cover them.

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 2.0, 2.1]], [3.0])
    >>> for alpha in (10.0, 1e-2, 1e-8):                     # from the shortest β to the sparsest
    ...     print(limit(GradientFlow(inits.tied_diagonal(3, alpha), problem)).value.round(3))
    [0.319 0.638 0.67 ]
    [0.008 0.571 0.881]
    [0.    0.21  1.228]
    """
    if isinstance(flow, Trajectory):
        flow = flow.flow.with_net(flow.end)
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"limit takes a GradientFlow or a Trajectory; found {type(flow).__name__}")
    if decays is not None:
        if scales is not None:
            raise ValueError("limit takes scales or decays; found both: compute one path for each of the others")
        return _limits_at_decays(flow, check_array("decays", decays, (1,)), theorem)
    scales = None if scales is None else _check_scales(scales)
    candidates = select_theorems(theorem, LimitTheorem, LIMIT_THEOREMS)
    scaled = nondimensionalize(_guard_rank(flow))
    applicable, all_defects = first_applicable(scaled, candidates)
    if applicable is None:
        raise _no_limit_error(flow, candidates, all_defects)
    with np.errstate(all="ignore"):
        scaled_limit = _limit_at_scales(to_numpy_if_concrete(scaled.flow), applicable, to_numpy_if_concrete(scales))
    value, net, certificate = _unscale(scaled, *scaled_limit)
    errors = (
        invalid_values(flow) | too_large_errors(scaled) | unmet_hypotheses(applicable, all_defects[applicable.name])
    )
    errors |= overflow_errors(value, f"the limit by '{applicable.name}'")
    if flow.net.linear_in_inputs:
        shape = (flow.problem.d, *flow.problem.y.shape[1:])
        value = value.reshape(shape if scales is None else (len(scales), *shape))
    value, net = raise_if((value, net), errors | _certificate_errors(flow, applicable, certificate))
    warning = rounding_warning(flow, np.array([np.inf]), scaled)
    by = exact_provenance(applicable, all_defects[applicable.name], warning)
    return Limit(value, certificate, applicable.kind, by, net, scales)


def _check_scales(scales: ArrayLike) -> Array:
    """Return the scales as an array, or raise an error if one is not positive (inside `jit`, when the program runs)."""
    scales = check_array("scales", scales, (1,))
    if is_concrete(scales) and not np.all(np.asarray(scales) > 0):
        raise ValueError(f"scales must be positive; found {float(np.min(np.asarray(scales))):g}")
    return raise_if(scales, {"scales must be positive": ~jnp.all(stop_gradient(scales) > 0)})


def _guard_rank(flow: GradientFlow) -> GradientFlow:
    """Return the flow with inputs that raise an error if they are differentiated where their rank could change."""
    if not flow.problem.has_samples:
        return flow
    return eqx.tree_at(lambda flow: flow.problem.X, flow, rank_guarded(flow.problem.X))


def _unscale(
    scaled: ScaledFlow, value: AnyArray | Network, net: Network | None, certificate: Certificate
) -> tuple[AnyArray, Network | None, Certificate]:
    """Convert a limit in scaled units back, to JAX arrays."""
    value, net, certificate = jax.tree.map(to_jax, (value, net, certificate))
    net = None if net is None else jax.tree.map(to_jax, scaled.unscale_net(net))
    unscaled = scaled.unscale_net(value) if isinstance(value, Network) else scaled.unscale_beta(value)
    return jax.tree.map(to_jax, unscaled), net, certificate


def _certificate_errors(flow: GradientFlow, theorem: LimitTheorem, certificate: Certificate) -> dict[str, AnyArray]:
    """Return the error condition of a traced certificate that is too large; raise the error if it is concrete."""
    if not is_concrete(certificate):
        message = f"the limit by '{theorem.name}' could not be certified; call lazyrich.limit outside of jit to see why"
        return {message: ~(stop_gradient(certificate).worst < MAX_CERTIFICATE)}
    if float(certificate.worst) < MAX_CERTIFICATE:
        return {}
    raise RuntimeError(
        f"the limit was computed from the theorem '{theorem.name}', but its optimality could not be certified "
        f"({certificate}; needed: {MAX_CERTIFICATE:.0e}). It depends on digits that float64 does not have: the "
        f"initialization (up to {largest_entry(flow.net.layers):.0e}) is too small or too large beside the labels (up "
        f"to {largest_entry(flow.problem.y):.0e}), or the data are too ill-conditioned; try another scale, or "
        "lazyrich.potentials.basis_pursuit for the rich limit itself"
    )


def _limits_at_decays(flow: GradientFlow, decays: Array, theorem: LimitTheorem | str | None) -> Limit:
    """Return the limits with each of these weight decays."""
    if not is_concrete(decays) or not np.all(np.asarray(decays) > 0):
        raise ValueError(f"decays must be positive, known numbers; found {decays}")
    limits = [limit(GradientFlow(flow.net, flow.problem, flow.rates, value), theorem=theorem) for value in decays]
    if any(isinstance(one.value, Network) for one in limits):
        raise ValueError("a path over decays is of linear predictors: call limit for each decay of another network")
    values, certificates = jax.tree.map(
        lambda *rows: jnp.stack(rows), *[(one.value, one.certificate) for one in limits]
    )
    return Limit(values, certificates, limits[0].kind, limits[0].by, decays=decays)


def _no_limit_error(
    flow: GradientFlow, theorems: tuple[LimitTheorem, ...], all_defects: AllDefects
) -> NoTheoremApplies:
    slopes = jax.tree.leaves(stop_gradient(flow).gradient())
    moves = any(not is_concrete(slope) or bool(np.any(np.asarray(slope))) for slope in slopes)
    advice = "lazyrich.integrate(flow, times) computes the flow up to any finite time"
    measured = [theorem for theorem in theorems if theorem.name in all_defects]
    if moves and any(theorem.may_apply_later(all_defects[theorem.name]) for theorem in measured):
        advice = (
            "The hypothesis is decided during training. Integrate further and compute the limit from there: "
            "lazyrich.limit(lazyrich.integrate(flow, times))"
        )
    return no_theorem_error("no theorem gives the limit of this flow", all_defects, advice)


def _limit_at_scales(
    flow: GradientFlow, theorem: LimitTheorem, scales: AnyArray | None
) -> tuple[AnyArray, Network | None, Certificate]:
    """Return the limit, or one limit per scale: along one path if the theorem has one, and otherwise with the
    hypotheses measured at each scale."""
    if scales is None:
        return theorem.formula(flow)
    if theorem.limits_at_scales is not None:
        values, certificates = theorem.limits_at_scales(flow, scales)
        return values, None, certificates
    results = []
    for scale in scales:
        layers = jax.tree.map(lambda leaf, s=scale: s * leaf, flow.net.layers)
        there = flow.with_net(flow.net.with_layers(layers))
        applicable, all_defects = first_applicable(nondimensionalize(there), (theorem,))
        if applicable is None:
            raise _no_limit_error(there, (theorem,), all_defects)
        value, _, certificate = theorem.formula(there)
        results.append((value, certificate))
    values, certificates = jax.tree.map(lambda *leaves: xp.stack(leaves), *results)
    return values, None, certificates
