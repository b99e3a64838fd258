"""What gradient flow conserves between the layers of a model, and which layers are up- or downstream."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from lazyrich.torch._between import Between
from lazyrich.torch._guard import _check_model
from lazyrich.torch._outputs import Forward
from lazyrich.torch._rates import Rates, rate, rates_of
from lazyrich.torch.spaces import Structure, plain, structure
from lazyrich.torch.spaces.units import parts, squares, units


@dataclass(frozen=True)
class Pair:
    """Layers that meet in one space, and what they conserve: δ summed over units, and per unit if these are known."""

    writers: tuple[str, ...]
    readers: tuple[str, ...]
    delta: float
    relative: float  # δ over the sum of its two parts: −1 all downstream, 0 balanced, 1 all upstream
    units: Tensor | None
    parts: Mapping[str, Tensor] = field(default_factory=dict)  # by parameter: they sum up to δ, of units or of all
    dual: bool = False  # both are writers, and only the product of what they write is seen

    @property
    def name(self) -> str:
        return f"{' + '.join(self.writers)} {'⇄' if self.dual else '→'} {' + '.join(self.readers)}"

    @property
    def stream(self) -> str:
        return "balanced" if abs(self.relative) < 0.05 else "upstream" if self.relative > 0 else "downstream"


@dataclass(frozen=True)
class Balance:
    """The conserved quantities of a model, and where there are none, why."""

    pairs: tuple[Pair, ...]
    without: Mapping[str, str]

    @property
    def deltas(self) -> dict[str, float]:
        return {pair.name: pair.delta for pair in self.pairs}

    def __str__(self) -> str:
        lines = [f"{p.name}: δ = {p.delta:.4g}, relative {p.relative:+.2f}, {p.stream}" for p in self.pairs]
        lines += [f"{name}: none, {reason}" for name, reason in self.without.items()]
        return "\n".join(lines)


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
    parameters = dict(model.named_parameters())
    rates_of(model, rates)  # refuses what is not a rate
    layout = structure(model, inputs, forward=forward)
    without = {}
    for key, space in layout.spaces.items():
        reason = _not_conserved(layout, key, parameters, rates)
        dual = any(key in pair for pair in layout.duals)
        if space.writers and reason and (space.readers or not space.output) and not dual:
            without[" + ".join(layout.layers[i].name for i in space.writers)] = reason
    return Balance(conserved(layout, parameters, rates), without)


def conserved(layout: Structure, parameters: Mapping[str, Tensor], rates: Rates = None) -> tuple[Pair, ...]:
    """The pairs of `balance`, of any parameters (a state of the model) under its structure."""
    pairs = []
    for key, space in layout.spaces.items():
        if _not_conserved(layout, key, parameters, rates) is None:
            writers, readers = ([layout.layers[i] for i in which] for which in (space.writers, space.readers))
            here = Between(writers[0], readers[0], (key,), layout.exponents([key]), ())
            p2, q2 = here.sizes(parameters, rates)
            each = units(layout, key, parameters, rates)
            shares = parts(layout, key, parameters, rates)
            if shares is None:
                both = here.root(rates) ** 2
                sizes = {name: squares(parameters[name]).sum()[None] / rate(name, rates)
                         for name in here.powers if name in parameters}  # fmt: skip
                shares = {name: -here.powers[name] * both * size for name, size in sizes.items()}
            pairs.append(
                Pair(
                    tuple(x.name for x in writers),
                    tuple(x.name for x in readers),
                    p2 - q2,
                    (p2 - q2) / (p2 + q2) if p2 + q2 else 0.0,
                    None if each is None else each[0] - each[1],
                    shares,
                )
            )
    return (*pairs, *_duals(layout, parameters, rates))


def _duals(layout: Structure, parameters: Mapping[str, Tensor], rates: Rates) -> Iterator[Pair]:
    """Of queries and keys: only their product is seen, so their writers conserve the difference of their squares."""
    for one, other in layout.duals:
        writers, readers = layout.writers(one), layout.writers(other)
        try:
            powers = layout.against(one, other)
        except ValueError:  # tied
            continue
        if _frozen(powers, parameters, rates) is not None:
            continue
        here = Between(writers[0], readers[0], (one, other), powers, (), dual=True)
        p2, q2 = here.sizes(parameters, rates)
        both = here.root(rates) ** 2
        shares = {
            name: -power * both * squares(parameters[name]).sum()[None] / rate(name, rates)
            for name, power in powers.items()
        }
        relative = (p2 - q2) / (p2 + q2) if p2 + q2 else 0.0
        one_side, other_side = (tuple(dict.fromkeys(x.name for x in layers)) for layers in (writers, readers))
        yield Pair(one_side, other_side, p2 - q2, relative, None, shares, dual=True)


def _frozen(names: Iterable[str], parameters: Mapping[str, Tensor], rates: Rates) -> str | None:
    """The first of these parameters that is not trained, in words."""
    for name in names:
        if rate(name, rates) == 0 or (
            isinstance(parameters[name], nn.Parameter) and not parameters[name].requires_grad
        ):
            return f"'{name}' is frozen"
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
    if (frozen := _frozen(powers, parameters, rates)) is not None:
        return frozen
    for layer in layout.writers(key):
        if layer.untrained is not None and bool(parameters[layer.weight][layer.untrained].any()):
            return f"'{layer.weight}' is frozen in part (its padding)"
    return None


def ratio(moved: float, size: float) -> float:
    """One of two sizes by the other; 0/0 is 0."""
    return moved / size if size > 0 else (float("inf") if moved > 0 else 0.0)


def drift(now: Pair, start: Pair) -> float:
    """How much a conserved quantity has moved, by units if these are known, relative to the squares it subtracts."""
    if now.units is None or start.units is None:
        moved = abs(now.delta - start.delta)
    else:
        moved = float((now.units - start.units).abs().sum())
    squares = max(abs(pair.delta / pair.relative) if pair.relative else 0.0 for pair in (now, start))
    return ratio(moved, squares)
