"""Quantities that gradient flow conserves between the layers of a model, and which layers are up- or downstream."""

from collections.abc import Iterable, Mapping

from torch import Tensor, nn

from lazyrich.probe.balance import Balance, ConservedPair
from lazyrich.torch._model.learning_rates import Rates, rate_of, rates_by_name
from lazyrich.torch._model.output_reader import Forward
from lazyrich.torch._model.parameter_slices import SliceableTensors, full_parameter_name
from lazyrich.torch._model.preserve_model import check_model
from lazyrich.torch._structure import Structure, structure, unwrap_model
from lazyrich.torch._structure.gradient_reach import NO_GRADIENT, NOT_OF_THE_FUNCTION
from lazyrich.torch._structure.rescaling_path import RescalingPath
from lazyrich.torch._structure.space import DualSpaces, Layer
from lazyrich.torch._structure.units import delta_contributions, squares, unit_squares


def balance(model: nn.Module, *, rates: Rates = None, inputs: object = None, forward: Forward | None = None) -> Balance:
    r"""Return the conserved quantity between every two adjacent layers, and which are up- or downstream.

    Where several layers write or read the same activations (a residual stream) they conserve one quantity together:
    $\eta\eta'(\sum_{\text{read}} \|\theta\|^2/\eta_\theta - \sum_{\text{written}} \|\theta\|^2/\eta_\theta)$, where η
    and η' are the rates of the first writer and the first reader. `rates` maps prefixes of parameter names to learning
    rates; the others have rate 1. Plain gradient descent conserves these quantities to first order in its step. With
    `inputs` (and `forward`, as in `Probe`) the model is run instead of traced.

    >>> model = nn.Sequential(nn.Linear(2, 1, bias=False), nn.ReLU(), nn.Linear(1, 1, bias=False))
    >>> _ = nn.init.constant_(model[0].weight, 5.0), nn.init.constant_(model[2].weight, 10.0)
    >>> print(balance(model))
    0 → 2: δ = 50, relative +0.33, upstream
    """
    model = unwrap_model(model)
    check_model(model)
    parameters = SliceableTensors(model.named_parameters())
    rates_by_name(model, rates)  # raises an error for invalid rates
    layout = structure(model, inputs, forward=forward)
    without = {}
    for key, space in layout.spaces.items():
        reason = _reason_not_conserved(layout, key, parameters, rates)
        dual = any(key in pair.keys for pair in layout.duals)
        if space.writers and reason and (space.readers or not space.output) and not dual:
            without[" + ".join(layout.layers[i].name for i in space.writers)] = reason
    for name, where in layout.unread.items():
        if full_parameter_name(name) in parameters and parameters[name].ndim > 1:
            without[name] = f"{where} is not read as a weight layer"
    return Balance(conserved_pairs(layout, parameters, rates), without)


def conserved_pairs(
    layout: Structure, parameters: Mapping[str, Tensor], rates: Rates = None
) -> tuple[ConservedPair, ...]:
    """Return the pairs of `balance` for any values of the parameters, given the structure of the model."""
    parameters, pairs = SliceableTensors(parameters), []
    for key, space in layout.spaces.items():
        if _reason_not_conserved(layout, key, parameters, rates) is None:
            writers, readers = ([layout.layers[i] for i in which] for which in (space.writers, space.readers))
            here = RescalingPath(writers[0], readers[0], (key,), layout.exponents([key]), ())
            pairs.append(_conserved_pair(layout, key, here, writers, readers, parameters, rates))
    for dual in layout.duals:
        writers, readers = layout.writers(dual.one), layout.writers(dual.other)
        try:
            powers = layout.dual_exponents(dual.one, dual.other)
        except ValueError:  # tied weights
            continue
        if dual not in layout.unconserved and _first_untrained(layout, powers, parameters, rates) is None:
            here = RescalingPath(writers[0], readers[0], dual.keys, powers, (), dual)
            pairs.append(_conserved_pair(layout, dual, here, writers, readers, parameters, rates))
    return tuple(pairs)


def _conserved_pair(
    layout: Structure,
    where: int | DualSpaces,
    here: RescalingPath,
    writers: Iterable[Layer],
    readers: Iterable[Layer],
    parameters: Mapping[str, Tensor],
    rates: Rates,
) -> ConservedPair:
    """Return the conserved quantity of the layers at a space, or of the writers of two dual spaces, as queries and
    keys."""
    p2, q2 = here.squared_norms(parameters, rates)
    shares, each = delta_contributions(layout, where, parameters, rates), unit_squares(layout, where, parameters, rates)
    if shares is None:
        both = here.sqrt_rate_product(rates) ** 2
        sizes = {name: squares(parameters[name]).sum()[None] / rate_of(name, rates)
                 for name in here.powers if full_parameter_name(name) in parameters}  # fmt: skip
        shares = {name: -here.powers[name] * both * size for name, size in sizes.items()}
    return ConservedPair(
        tuple(dict.fromkeys(x.name for x in writers)),
        tuple(dict.fromkeys(x.name for x in readers)),
        p2 - q2,
        (p2 - q2) / (p2 + q2) if p2 + q2 else 0.0,
        None if each is None else each[0] - each[1],
        shares,
        here.dual is not None,
        layout.spaces[here.spaces[0]].heads,
    )


def _first_untrained(
    layout: Structure, names: Iterable[str], parameters: Mapping[str, Tensor], rates: Rates
) -> str | None:
    """Describe the first of these parameters that is not trained, or return None."""
    for name in names:
        parameter = parameters[full_parameter_name(name)]
        if rate_of(name, rates) == 0 or (isinstance(parameter, nn.Parameter) and not parameter.requires_grad):
            return f"'{name}' is frozen"
        if full_parameter_name(name) in layout.unreached:
            return f"no gradient reaches '{name}' ({NO_GRADIENT})"
    return None


def _reason_not_conserved(layout: Structure, key: int, parameters: Mapping[str, Tensor], rates: Rates) -> str | None:
    """Return the reason why a space has no conserved quantity, or None if it has one."""
    space = layout.spaces[key]
    if space.fixed:
        return space.fixed[0]
    if space.norms:
        return f"{space.norms[0].where} does not depend on the scale of its input"
    if not space.readers or not space.writers:
        return "no weight layer reads it" if space.writers else "no weight layer writes it"
    if space.output:
        return "it is also an output"
    try:
        powers = layout.exponents([key])
    except ValueError:
        return "its weights are tied"
    if (frozen := _first_untrained(layout, powers, parameters, rates)) is not None:
        return frozen
    for layer in layout.writers(key):
        if layer.untrained is not None and bool(parameters[layer.weight][layer.untrained].any()):
            return f"'{layer.weight}' is frozen in part (its padding)"
    return NOT_OF_THE_FUNCTION if key in layout.unconserved else None
