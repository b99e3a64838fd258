"""Readable names of layers: without the wrappers of torch.compile, DDP, FSDP, peft and parametrizations."""

from collections.abc import Iterable

from lazyrich.probe.types import Row, State

_WRAPPERS = {"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module", "parametrizations"}
_ADAPTERS = {"lora_A", "lora_B", "lora_embedding_A", "lora_embedding_B", "lora_magnitude_vector"}


def readable_names(names: Iterable[str]) -> dict[str, str]:
    """Return a readable name for each name, or the name itself where two would become the same.

    >>> names = ["base_model.model.h.0.attn.c_attn.lora_A.default", "module._orig_mod.fc", "0.parametrizations.weight"]
    >>> list(readable_names(names).values())
    ['h.0.attn.c_attn.lora_A', 'fc', '0.weight']
    >>> readable_names(["base_model.model.classifier.modules_to_save.default"]).popitem()[1]
    'classifier'
    >>> readable_names(["module.a", "a"])
    {'module.a': 'module.a', 'a': 'a'}
    """
    short_names = {name: _strip(name) for name in names}
    count: dict[str, int] = {}
    for short in short_names.values():
        count[short] = count.get(short, 0) + 1
    return {name: short if count[short] == 1 else name for name, short in short_names.items()}


def with_readable_names(row: State) -> Row:
    """Return a row of measurements with readable names of its layers and activations."""
    names = readable_names(dict.fromkeys(name for value in row.values() if isinstance(value, dict) for name in value))
    return {
        key: {names[name]: one for name, one in value.items()} if isinstance(value, dict) else value
        for key, value in row.items()
    }


def _strip(name: str) -> str:
    parts = name.split(".")
    if parts[:2] == ["base_model", "model"]:  # of peft
        parts = parts[2:]
        parts = parts[1:] if parts[:1] == ["model"] and len(parts) > 2 else parts
    while len(parts) > 1 and parts[0] in ("module", "_orig_mod"):
        parts = parts[1:]
    parts_of_name = [part for part in parts if part not in _WRAPPERS]
    for i, part in enumerate(parts_of_name[:-1]):
        if part == "modules_to_save":  # the copy of a layer that peft trains beside its adapters
            parts_of_name = [*parts_of_name[:i], *parts_of_name[i + 2 :]]
            break
        if part in _ADAPTERS:  # the name of the adapter is needed only where there are several
            parts_of_name = [*parts_of_name[: i + 1], *parts_of_name[i + 2 :]]
            break
    parts_of_name = [part for part in parts_of_name if part != "base_layer"] or parts_of_name
    return ".".join(parts_of_name) or name
