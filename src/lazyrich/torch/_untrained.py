"""What is not trained although it could be, in words: no optimiser holds it, or no gradient reaches it."""

from collections.abc import Iterator, Mapping, Sequence, Set

from torch import Tensor, nn

from lazyrich.torch import metrics
from lazyrich.torch._guard import leaves
from lazyrich.torch._parts import whole
from lazyrich.torch._watched import Watched
from lazyrich.torch.spaces import Structure
from lazyrich.torch.spaces.gradients import NO_GRADIENT


def describe_untrained(
    model: nn.Module,
    watched: Watched | None,
    layout: Structure | None,
    now: Mapping[str, Tensor],
    start: Mapping[str, Tensor],
) -> str:
    """Say which layers are not trained, and why; nothing if all are."""
    return "; ".join([*_not_held(model, watched, now, start), *_without_gradient(model, layout)])


def _not_held(
    model: nn.Module, watched: Watched | None, now: Mapping[str, Tensor], start: Mapping[str, Tensor]
) -> Iterator[str]:
    if watched is None or not (missing := leaves(model).keys() - watched.groups().keys()):
        return
    yield f"{_listed(_layers(model, missing))}: not in the optimiser, taken to have rate 0"
    gone = {name for name in missing if not metrics.same({name: now[name]}, {name: start[name]})}
    if gone:
        which = list(dict.fromkeys(metrics.layer_of(name) for name in now if name in gone))
        verb, them = ("has", "it") if len(which) == 1 else ("have", "them")
        yield (f"but {_listed(which)} {verb} moved: if another optimiser trains {them}, pass rates=... of all layers")


def _without_gradient(model: nn.Module, layout: Structure | None) -> Iterator[str]:
    """Of layers that ran: an expert that no input was sent to is trained by others."""
    if layout is None:
        return
    ran = {whole(name) for layer in layout.layers for name in (layer.weight, layer.bias) if name is not None}
    if found := _layers(model, layout.unreached & ran):
        yield f"{_listed(found)}: no gradient reaches {'it' if len(found) == 1 else 'them'} ({NO_GRADIENT})"


def _layers(model: nn.Module, names: Set[str]) -> list[str]:
    """The layers of these parameters; of a layer that has others, too, the parameters by their own names."""
    by_layer: dict[str, list[str]] = {}
    for name in leaves(model):
        by_layer.setdefault(metrics.layer_of(name), []).append(name)
    found: list[str] = []
    for layer, own in by_layer.items():
        some = [name for name in own if name in names]
        found += [layer] if some == own else some
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
