"""Describe trainable parameters that are not trained: no optimizer holds them, or no gradient reaches them."""

from collections.abc import Iterator, Mapping, Sequence, Set

from torch import Tensor, nn

from lazyrich.tangent.parameter_names import layer_name_of
from lazyrich.torch import metrics
from lazyrich.torch._model.parameter_slices import full_parameter_name
from lazyrich.torch._model.preserve_model import trainable_parameters
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._structure import Structure
from lazyrich.torch._structure.gradient_reach import NO_GRADIENT


def describe_untrained(
    model: nn.Module,
    watched: OptimizerReader | None,
    layout: Structure | None,
    now: Mapping[str, Tensor],
    start: Mapping[str, Tensor],
) -> str:
    """Describe which layers are not trained and why, or return "" if all are."""
    return "; ".join(
        [*_describe_missing_from_optimizer(model, watched, now, start), *_describe_without_gradient(model, layout)]
    )


def _describe_missing_from_optimizer(
    model: nn.Module, watched: OptimizerReader | None, now: Mapping[str, Tensor], start: Mapping[str, Tensor]
) -> Iterator[str]:
    if watched is None or not (missing := trainable_parameters(model).keys() - watched.trained_names):
        return
    yield f"{_format_names(_layer_names(model, missing))}: not in the optimizer, taken to have rate 0"
    changed = {name for name in missing if not metrics.states_equal({name: now[name]}, {name: start[name]})}
    if changed:
        which = list(dict.fromkeys(layer_name_of(name) for name in now if name in changed))
        verb, them = ("has", "it") if len(which) == 1 else ("have", "them")
        yield (
            f"but {_format_names(which)} {verb} moved: if another optimizer trains {them}, pass rates=... of all layers"
        )


def _describe_without_gradient(model: nn.Module, layout: Structure | None) -> Iterator[str]:
    """Describe layers that ran and that no gradient reaches.

    An expert that received no input here is left out, since other inputs train it.
    """
    if layout is None:
        return
    ran = {
        full_parameter_name(name) for layer in layout.layers for name in (layer.weight, layer.bias) if name is not None
    }
    if layers := _layer_names(model, layout.unreached & ran):
        yield f"{_format_names(layers)}: no gradient reaches {'it' if len(layers) == 1 else 'them'} ({NO_GRADIENT})"


def _layer_names(model: nn.Module, names: Set[str]) -> list[str]:
    """Return the names of the layers of these parameters; if a layer also has other parameters, the parameter names
    instead."""
    by_layer: dict[str, list[str]] = {}
    for name in trainable_parameters(model):
        by_layer.setdefault(layer_name_of(name), []).append(name)
    names_of_layers: list[str] = []
    for layer, own in by_layer.items():
        some = [name for name in own if name in names]
        names_of_layers += [layer] if some == own else some
    return names_of_layers


def _format_names(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
