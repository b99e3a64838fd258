r"""Overall and relative scale of PyTorch models: `balance` measures them, `rescale_` and `upstream_` set them.

Two weight layers l, l+1 with a map of degree 1 between them (ReLU, LeakyReLU, pooling, flattening, dropout in
evaluation, residual sums that scale together) share a symmetry: the function is the same if the incoming weights of
hidden unit k are multiplied by c and the outgoing ones by 1/c. So gradient flow with layer rates η conserves, for every
unit, $\delta_k = \eta_l\|\text{outgoing}_k\|^2 - \eta_{l+1}(\|\text{incoming}_k\|^2 + \text{bias}_k^2)$ (kunin2024's
$\delta = \eta_w a^2 - \eta_a\|w\|^2$). Positive is **upstream**: the earlier layer learns faster.

Between two layers further apart, everything in between is scaled too: the first layer's weights, and the biases of all
layers from the first up to the one before the last, are divided by α; the last layer's weights are multiplied by α; its
bias stays. This keeps the function exactly.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich._validate.positive_number import check_positive_number
from lazyrich.probe.balance import Balance, ConservedPair
from lazyrich.torch._model.learning_rates import Rates, rate_of, rates_by_name
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.parameter_slices import ParameterSlice, SliceableTensors, full_parameter_name
from lazyrich.torch._model.preserve_model import check_model, trainable_parameters
from lazyrich.torch._structure import Structure, structure, unwrap_model
from lazyrich.torch._structure.rescaling import Rescaling, apply_rescaling
from lazyrich.torch._structure.rescaling_path import RescalingPath, find_rescaling_path
from lazyrich.torch._structure.space import DualSpaces
from lazyrich.torch._structure.units import n_units, unit_multipliers, unit_squares
from lazyrich.torch.conserved import balance, conserved_pairs

__all__ = [
    "Balance",
    "ConservedPair",
    "ParameterGroups",
    "Rescaling",
    "balance",
    "conserved_pairs",
    "param_groups",
    "rescale_",
    "upstream_",
]


@dataclass(frozen=True)
class ParameterGroups:
    """Parameter groups for an optimizer: `torch.optim.SGD(param_groups(model, alpha=2.0, lr=0.1))`."""

    groups: tuple[dict[str, Any], ...]
    names: tuple[tuple[str, ...], ...]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter({**group, "params": list(group["params"])} for group in self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __str__(self) -> str:
        pairs = zip(self.groups, self.names, strict=True)
        decays = [
            f", weight decay {group['weight_decay']:.4g}" if "weight_decay" in group else "" for group in self.groups
        ]
        return "\n".join(
            f"lr {group['lr']:.4g}{decay}: {', '.join(names)}"
            for (group, names), decay in zip(pairs, decays, strict=True)
        )


def upstream_(
    model: nn.Module,
    alpha: float | Sequence[float] | Tensor,
    *,
    layers: tuple[str, str] | None = None,
    across_norms: bool = False,
    inputs: object = None,
    forward: Forward | None = None,
    tolerance: float | None = None,
    dry_run: bool = False,
) -> Rescaling:
    """Divide the first layer by α and multiply the last by α, in place, which keeps the function; α > 1 makes the first
    layer learn faster.

    `layers` names another pair. Biases in between are divided by α too. Where several layers write or read the
    activations in between (branches, residual streams), all of them are scaled, and the result lists them. Between two
    adjacent layers `alpha` may be several numbers, one for each hidden unit, or one for each head of an attention. In
    attention, queries and keys are such a pair (`layers=("attn.q", "attn.k")` of an `nn.MultiheadAttention`, whose one
    matrix is read as three), since only their products enter. Its values and its `out_proj` are another.

    A normalization in between removes the scale, so the last layer has nothing to compensate, and an error is raised.
    With `across_norms=True`, the layers before it (including running statistics) are divided and the rest is left
    alone. The function is then kept up to the normalization's eps, whose effect has to be measured on `inputs`.

    With `inputs` (and `forward`, as in `Probe`) the model is run instead of traced, and the function is compared before
    anything is changed. If it would change by more than `tolerance`, an error is raised and nothing is changed. The
    tolerance is relative to the largest output; by default it covers rounding (1e-9 in float64, 1e-4 in float32 and
    5e-2 in half precision), and is 1e-3 across a normalization. `tolerance=inf` allows any change; the result says
    "kept" only within the default. Gradients and the state of an optimizer are not changed: create a new optimizer
    after a rescaling. In half precision only powers of 2 are free of rounding.

    >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
    >>> _ = nn.init.ones_(model[0].weight), nn.init.ones_(model[4].weight)
    >>> _ = nn.init.zeros_(model[0].bias), nn.init.zeros_(model[2].bias)
    >>> print(upstream_(model, 2.0))
    rescaled 0 → 4
      × 0.5: 0.weight, 0.bias, 2.bias
      × 2: 4.weight
      δ: -3 → 10.5, τ: 2.06 → 2.06
      function: kept by construction, up to rounding; not measured (pass inputs=...)
    """
    one = None if isinstance(alpha, (Sequence, Tensor)) and np.ndim(alpha) else check_positive_number("alpha", alpha)
    model, layout, here = _rescaling_path(model, layers, across_norms, inputs, forward)
    if one is None:
        by: Mapping[str, float | Tensor] = _factors_for_alphas(
            layout, here, SliceableTensors(model.named_parameters()), alpha
        )
    else:
        by = {name: one**-power for name, power in here.powers.items()}
    rescaling = apply_rescaling(
        model, here, by, None, 1.0, inputs, dry_run, _check_tolerance(tolerance), OutputReader(forward)
    )
    return replace(rescaling, untrained=_untrained_parameters(model, layout, rescaling))


def rescale_(
    model: nn.Module,
    tau: float | None = None,
    delta: float | None = None,
    *,
    layers: tuple[str, str] | None = None,
    rates: Rates = None,
    each: bool = False,
    heads: bool = False,
    inputs: object = None,
    forward: Forward | None = None,
    tolerance: float | None = None,
    dry_run: bool = False,
) -> Rescaling:
    r"""Set the overall scale τ and relative scale δ of the first and last layer (or of the pair `layers`), in place.

    Let A² be the squared norm of all weights that leave the spaces between the two layers, and B² that of everything
    written into them from outside (the first layer's weights, and all biases in between). Then $\tau^2 = AB$ and
    $\delta = \eta A^2 - \eta' B^2$, with η the first layer's rate and η' the last one's. For one hidden unit these are
    the τ and δ of `lazyrich.inits.rescale`; for adjacent layers δ is the sum over units that `balance` reports. A scale
    that is not given stays.

    With tau=None the function is kept; `inputs` and `tolerance` are as in `upstream_`. A new τ multiplies the outputs
    by (τ/τ₀)², biases included, and the result reports it. `each=True` moves every hidden unit between two adjacent
    layers to δ, as `lazyrich.inits.rescale` does; `heads=True` moves every head of an attention, between its queries
    and keys, or its values and its output.

    >>> model = nn.Sequential(nn.Linear(2, 1, bias=False), nn.ReLU(), nn.Linear(1, 1, bias=False))
    >>> _ = nn.init.constant_(model[0].weight, 2.0), nn.init.constant_(model[2].weight, 1.0)
    >>> print(rescale_(model, delta=2.0, dry_run=True))
    would rescale 0 → 2
      × 0.5: 0.weight
      × 2: 2.weight
      δ: -7 → 2, τ: 1.682 → 1.682
      function: kept by construction, up to rounding; not measured (pass inputs=...)
    """
    if tau is None and delta is None:
        raise ValueError("nothing to set: give tau (overall scale), delta (relative scale) or both")
    if delta is not None and not (isinstance(delta, Real) and np.isfinite(float(delta))):
        raise ValueError(f"delta must be a finite number; found {delta!r:.60}")
    model, layout, here = _rescaling_path(model, layers, None, inputs, forward)
    parameters = SliceableTensors(model.named_parameters())
    tolerance = _check_tolerance(tolerance)
    rates_by_name(model, rates)  # raises an error for invalid rates
    for name in (*here.powers, here.first.weight, here.last.weight):
        if rate_of(name, rates) == 0:
            raise ValueError(f"the learning rate of '{name}' must be positive for δ to be defined; found 0")
    if each or heads:
        by_unit = _per_unit_factors(layout, here, parameters, tau, delta, rates, heads)
        rescaling = apply_rescaling(model, here, by_unit, rates, 1.0, inputs, dry_run, tolerance, OutputReader(forward))
        return replace(rescaling, untrained=_untrained_parameters(model, layout, rescaling))
    p, q = np.sqrt(here.squared_norms(parameters, rates))
    product = p * q if tau is None else here.sqrt_rate_product(rates) * check_positive_number("tau", tau) ** 2
    p_new, q_new = _new_norms(here, p, q, product, p**2 - q**2 if delta is None else delta)
    by = {name: float(q_new / q) ** power for name, power in here.powers.items()}
    output = 1.0
    if tau is not None:
        output = float(p_new / p * (q_new / q))
        for name, power in layout.exponents(here.spaces_after(layout)).items():
            by[name] = by.get(name, 1.0) * output**power
    rescaling = apply_rescaling(model, here, by, rates, output, inputs, dry_run, tolerance, OutputReader(forward))
    return replace(rescaling, untrained=_untrained_parameters(model, layout, rescaling))


def param_groups(
    model: nn.Module,
    alpha: float,
    lr: float,
    *,
    weight_decay: float = 0.0,
    adaptive: bool = False,
    layers: tuple[str, str] | None = None,
    across_norms: bool = False,
    inputs: object = None,
    forward: Forward | None = None,
) -> ParameterGroups:
    r"""Return learning rates per layer that have the same effect as `upstream_(model, alpha)`, without changing the
    weights.

    A parameter that `upstream_` multiplies by c follows $\tilde\theta = c\theta$; a gradient step of rate η on
    $\tilde\theta$ is a step of rate $\eta/c^2$ on θ. So parameters that would be divided by α learn at lr·α², those
    that would be multiplied by it at lr/α², and the others at lr. This is exact for gradient descent, with or without
    minibatches and momentum. `adaptive=True` is for Adam and similar optimizers, whose steps do not depend on the size
    of the gradient: their rate is lr/c (exact up to their eps). `weight_decay` is adapted too, so that lr · decay is
    the same in all groups (for SGD, and for the decoupled decay of AdamW; not for Adam's own). Clipping by the norm of
    all gradients is not adapted, since that norm is different. Without clipping, or while it has no effect, training is
    the same.

    >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    >>> groups = param_groups(model, alpha=2.0, lr=0.1)
    >>> print(groups)
    lr 0.4: 0.weight, 0.bias
    lr 0.025: 2.weight
    lr 0.1: 2.bias
    >>> optimizer = torch.optim.SGD(groups)
    """
    alpha, lr = check_positive_number("alpha", alpha), check_positive_number("lr", lr)
    model, _, here = _rescaling_path(model, layers, across_norms, inputs, forward)
    parameters_of_rate: dict[float, dict[str, nn.Parameter]] = {}
    if parts := [name for name in here.powers if isinstance(name, ParameterSlice)]:
        raise ValueError(
            f"'{parts[0].whole}' holds several layers in one tensor (queries, keys, values), and an optimizer has one "
            "rate for all of it: change the weights instead, by upstream_(...)"
        )
    for name, parameter in trainable_parameters(model).items():
        rescaled = alpha ** here.powers.get(name, 0)
        parameters_of_rate.setdefault(lr * (rescaled if adaptive else rescaled**2), {})[name] = parameter
    decay = {} if weight_decay == 0 else {"weight_decay": lr * check_positive_number("weight_decay", weight_decay)}
    groups = tuple(
        {"params": list(group.values()), "lr": value, **{name: both / value for name, both in decay.items()}}
        for value, group in parameters_of_rate.items()
    )
    return ParameterGroups(groups, tuple(tuple(group) for group in parameters_of_rate.values()))


def _untrained_parameters(model: nn.Module, layout: Structure, changed: Rescaling) -> tuple[str, ...]:
    """Return the names of the parameters that a rescaling changes and training does not."""
    frozen = {name for name, p in model.named_parameters() if not p.requires_grad} | layout.unreached
    return tuple(name for name in changed.factors if full_parameter_name(name) in frozen)


def _check_tolerance(value: object) -> float | None:
    if value is not None and not (isinstance(value, Real) and float(value) >= 0):
        raise ValueError(f"tolerance must be at least 0, of the largest output (inf: any change); found {value!r}")
    return None if value is None else float(value)


def _rescaling_path(
    model: nn.Module, layers: tuple[str, str] | None, across_norms: bool | None, inputs: object, forward: Forward | None
) -> tuple[nn.Module, Structure, RescalingPath]:
    model = unwrap_model(model)
    check_model(model)
    layout = structure(model, inputs, forward=forward)
    return model, layout, find_rescaling_path(layout, layers, across_norms)


def _new_norms(here: RescalingPath, p: Any, q: Any, product: Any, delta: Any) -> tuple[Any, Any]:
    """Return sizes p, q with the given product and p² − q² = δ. Raise an error if a zero would have to grow, or a
    size to vanish."""
    product, delta = np.broadcast_arrays(np.abs(np.asarray(product, float)), np.asarray(delta, float))
    # p², q² = (κ ± δ)/2 with κ = hypot(δ, 2pq). The smaller one is computed as the product over the larger, without
    # cancellation.
    large = np.sqrt((np.hypot(delta, 2 * product) + np.abs(delta)) / 2)
    small = np.divide(product, large, out=np.zeros_like(large), where=large > 0)
    new = np.where(delta >= 0, large, small), np.where(delta >= 0, small, large)
    for old, now, which in ((p, new[0], f"leave for {here.last}"), (q, new[1], f"come from {here.first}")):
        bad = (np.asarray(old) == 0) != (now == 0)
        if bad.any():
            raise ValueError(
                f"the weights that {which} are zero ({int(bad.sum())} of {bad.size}), or would have to be: delta = "
                f"{np.min(delta):g} cannot be reached by scaling. Start from weights that are not zero"
            )
    return new[0], new[1]


def _per_unit_factors(
    layout: Structure,
    here: RescalingPath,
    parameters: Mapping[str, Tensor],
    tau: Any,
    delta: Any,
    rates: Rates,
    heads: bool,
) -> dict[str, Tensor]:
    """Return one factor per hidden unit, or per head, between two adjacent layers."""
    if tau is not None:
        raise ValueError(
            "each=True and heads=True move hidden units to delta; a new tau would change the function differently for "
            "every unit. Leave it out"
        )
    where, count = _unit_locations(layout, here, parameters)
    groups = layout.spaces[here.spaces[0]].heads if heads else count
    if not groups:
        raise ValueError(f"{here.first} and {here.last} have no heads of an attention between them: leave heads out")
    squares = unit_squares(layout, where, parameters, rates)
    assert squares is not None, "the units were counted"
    p, q = (np.sqrt(x.reshape(groups, -1).sum(1).numpy()) for x in squares)
    _, q_new = _new_norms(here, p, q, p * q, np.full_like(p, delta))
    scale = torch.as_tensor(np.where(q == 0, 1.0, q_new / np.where(q == 0, 1.0, q)))
    return unit_multipliers(layout, where, parameters, scale.repeat_interleave(count // groups))


def _unit_locations(
    layout: Structure, here: RescalingPath, parameters: Mapping[str, Tensor]
) -> tuple[int | DualSpaces, int]:
    """Return the space of the units between two adjacent layers, and their number, or raise an error if they cannot
    be moved one by one."""
    count = None if here.single_space is None else n_units(layout, here.single_space, parameters)
    if here.single_space is None or count is None:
        why = (
            f"{here.first} and {here.last} are not adjacent" if here.single_space is None
            else "its units cannot be followed from one layer to the next"
        )  # fmt: skip
        raise ValueError(f"hidden units are moved one by one between two adjacent layers only; {why}. Leave it out")
    return here.single_space, count


def _factors_for_alphas(
    layout: Structure, here: RescalingPath, parameters: Mapping[str, Tensor], alpha: Any
) -> dict[str, Tensor]:
    """Return the factors for one α per unit, or per group of adjacent units, such as the heads of an attention."""
    where, count = _unit_locations(layout, here, parameters)
    try:
        alphas = torch.as_tensor(alpha, dtype=torch.float64).cpu()
    except (TypeError, ValueError):
        alphas = torch.empty(0)
    if alphas.ndim != 1 or not len(alphas) or count % len(alphas) or not bool(((alphas > 0) & alphas.isfinite()).all()):
        raise ValueError(
            f"alpha must be a positive number, or one for each of the {count} units between {here.first} and "
            f"{here.last}, or for each head (groups of adjacent units, all of one size); found {alpha!r}"
        )
    return unit_multipliers(layout, where, parameters, 1 / alphas.repeat_interleave(count // len(alphas)))
