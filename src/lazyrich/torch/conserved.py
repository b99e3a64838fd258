"""What gradient flow conserves between the layers of a model, and which layers are up- or downstream."""

from collections.abc import Iterable, Mapping
from typing import Any

from torch import Tensor, nn

from lazyrich.probe.balance import Balance, Pair
from lazyrich.torch._between import Between
from lazyrich.torch._guard import _check_model
from lazyrich.torch._outputs import Forward
from lazyrich.torch._parts import Tensors, whole
from lazyrich.torch._rates import Rates, rate, rates_of
from lazyrich.torch.spaces import Structure, plain, structure
from lazyrich.torch.spaces.gradients import NO_GRADIENT
from lazyrich.torch.spaces.space import Dual, Layer
from lazyrich.torch.spaces.units import parts, squares, units


def balance(model: nn.Module, *, rates: Rates = None, inputs: Any = None, forward: Forward | None = None) -> Balance:
    r"""The conserved quantity between every two adjacent layers, and which are up- or downstream.

    Where several layers write or read the same activations (a residual stream) they conserve one quantity together:
    $\eta\eta'(\sum_{\text{read}} \|\theta\|^2/\eta_\theta - \sum_{\text{written}} \|\theta\|^2/\eta_\theta)$, η and η'
    the rates of the first writer and the first reader. `rates` maps prefixes of parameter names to learning rates, 1
    where none is named. Plain gradient descent conserves them to first order in its step. With `inputs` (and `forward`,
    as in `Probe`) the model is run instead of traced.

    >>> model = nn.Sequential(nn.Linear(2, 1, bias=False), nn.ReLU(), nn.Linear(1, 1, bias=False))
    >>> _ = nn.init.constant_(model[0].weight, 5.0), nn.init.constant_(model[2].weight, 10.0)
    >>> print(balance(model))
    0 → 2: δ = 50, relative +0.33, upstream
    """
    model = plain(model)
    _check_model(model)
    parameters = Tensors(model.named_parameters())
    rates_of(model, rates)  # refuses what is not a rate
    layout = structure(model, inputs, forward=forward)
    without = {}
    for key, space in layout.spaces.items():
        reason = _not_conserved(layout, key, parameters, rates)
        dual = any(key in pair.keys for pair in layout.duals)
        if space.writers and reason and (space.readers or not space.output) and not dual:
            without[" + ".join(layout.layers[i].name for i in space.writers)] = reason
    for name, where in layout.unread.items():
        if whole(name) in parameters and parameters[name].ndim > 1:
            without[name] = f"{where} is not read as a weight layer"
    return Balance(conserved(layout, parameters, rates), without)


def conserved(layout: Structure, parameters: Mapping[str, Tensor], rates: Rates = None) -> tuple[Pair, ...]:
    """The pairs of `balance`, of any parameters (a state of the model) under its structure."""
    parameters, found = Tensors(parameters), []
    for key, space in layout.spaces.items():
        if _not_conserved(layout, key, parameters, rates) is None:
            writers, readers = ([layout.layers[i] for i in which] for which in (space.writers, space.readers))
            here = Between(writers[0], readers[0], (key,), layout.exponents([key]), ())
            found.append(_pair(layout, key, here, writers, readers, parameters, rates))
    for dual in layout.duals:
        writers, readers = layout.writers(dual.one), layout.writers(dual.other)
        try:
            powers = layout.against(dual.one, dual.other)
        except ValueError:  # tied
            continue
        if _frozen(layout, powers, parameters, rates) is None:
            here = Between(writers[0], readers[0], dual.keys, powers, (), dual)
            found.append(_pair(layout, dual, here, writers, readers, parameters, rates))
    return tuple(found)


def _pair(
    layout: Structure,
    where: int | Dual,
    here: Between,
    writers: Iterable[Layer],
    readers: Iterable[Layer],
    parameters: Mapping[str, Tensor],
    rates: Rates,
) -> Pair:
    """What the layers at a space conserve; or of queries and keys, of which only the product is seen, their writers."""
    p2, q2 = here.sizes(parameters, rates)
    shares, each = parts(layout, where, parameters, rates), units(layout, where, parameters, rates)
    if shares is None:
        both = here.root(rates) ** 2
        sizes = {name: squares(parameters[name]).sum()[None] / rate(name, rates)
                 for name in here.powers if whole(name) in parameters}  # fmt: skip
        shares = {name: -here.powers[name] * both * size for name, size in sizes.items()}
    return Pair(
        tuple(dict.fromkeys(x.name for x in writers)),
        tuple(dict.fromkeys(x.name for x in readers)),
        p2 - q2,
        (p2 - q2) / (p2 + q2) if p2 + q2 else 0.0,
        None if each is None else each[0] - each[1],
        shares,
        here.dual is not None,
        layout.spaces[here.spaces[0]].heads,
    )


def _frozen(layout: Structure, names: Iterable[str], parameters: Mapping[str, Tensor], rates: Rates) -> str | None:
    """The first of these parameters that is not trained, in words."""
    for name in names:
        stored = parameters[whole(name)]
        if rate(name, rates) == 0 or (isinstance(stored, nn.Parameter) and not stored.requires_grad):
            return f"'{name}' is frozen"
        if whole(name) in layout.unreached:
            return f"no gradient reaches '{name}' ({NO_GRADIENT})"
    return None


def _not_conserved(layout: Structure, key: int, parameters: Mapping[str, Tensor], rates: Rates) -> str | None:
    """Why a space has no conserved quantity; None if it has one."""
    space = layout.spaces[key]
    if space.fixed:
        return space.fixed[0]
    if space.norms:
        return f"{space.norms[0].where} does not see the scale of what it reads"
    if not space.readers or not space.writers:
        return "no weight layer reads it" if space.writers else "no weight layer writes it"
    if space.output:
        return "it is also an output"
    try:
        powers = layout.exponents([key])
    except ValueError:
        return "its weights are tied"
    if (frozen := _frozen(layout, powers, parameters, rates)) is not None:
        return frozen
    for layer in layout.writers(key):
        if layer.untrained is not None and bool(parameters[layer.weight][layer.untrained].any()):
            return f"'{layer.weight}' is frozen in part (its padding)"
    return None
