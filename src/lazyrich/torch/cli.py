"""The part of the command line that reads PyTorch models."""

import importlib
import sys
from pathlib import Path
from typing import Any

from lazyrich.probe import Report


def find_object(where: str, option: str) -> Any:
    """Return what `module:name` names, imported from the current folder or the installed packages."""
    module, colon, name = where.partition(":")
    if not (module and colon and name):
        raise ValueError(f"{option} needs module:name, such as train:make_model; found {where!r}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        value: Any = importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"{option}: the module {module!r} cannot be imported: {error}") from error
    for part in name.split("."):
        if not hasattr(value, part):
            raise ValueError(f"{option}: {module!r} has no {part!r}")
        value = getattr(value, part)
    return value


def compare_checkpoints(
    first: Path, second: Path, model: str, data: str, forward: str | None, positions: str | None, exact: bool
) -> Report:
    """Return the report that compares two checkpoints, of a model and inputs that are named as `module:name`.

    The model is a module, or a function without arguments that makes one. The data are inputs, a pair of inputs and
    targets, or a function that returns one of these.
    """
    from torch import Tensor, nn

    from lazyrich.torch.compare import compare

    built = find_object(model, "--model")
    built = built if isinstance(built, nn.Module) else built()
    inputs, targets = find_object(data, "--data"), None
    inputs = inputs() if callable(inputs) else inputs
    if isinstance(inputs, (tuple, list)) and len(inputs) == 2:
        inputs, targets = inputs
        targets = targets if isinstance(targets, Tensor) else None
    read = None if forward is None else find_object(forward, "--forward")
    places: int | slice | None = slice(None) if positions == "all" else None if positions is None else int(positions)
    return compare(built, first, second, inputs, targets, forward=read, positions=places, exact=True if exact else None)
