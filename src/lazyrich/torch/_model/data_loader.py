"""Iterate over the batches of a loader as often as training needs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from lazyrich._validate.integers import pluralize
from lazyrich.torch._model.batch import Batch, check_values

REITERABLE_MESSAGE = "pass a list, a DataLoader, or an object whose __iter__ begins anew each time"


def cycle_batches(loader: Iterable[object], device: torch.device, steps: int) -> Iterator[tuple[Batch, object]]:
    """Yield batches (inputs, targets) on the model's device, restarting the loader at its end. `steps` is only used
    in an error message.

    >>> x, y = torch.ones(3, 2), torch.zeros(3)
    >>> batches = cycle_batches([(x, y)], x.device, 2)
    >>> len(next(batches)[0]), len(next(batches)[0])
    (3, 3)
    """
    if not isinstance(loader, Iterable):
        raise TypeError(
            f"the loader must give batches (inputs, targets); found {type(loader).__name__}: {REITERABLE_MESSAGE}"
        )
    n_yielded, before = 0, -1
    while before < n_yielded:
        before = n_yielded
        for batch in loader:
            n_yielded += 1
            inputs, targets = _inputs_and_targets(batch)
            check_values(targets, "targets")
            targets = _leave_inference_mode(targets.to(device)) if isinstance(targets, Tensor) else targets
            yield Batch.from_nested(inputs).to(device).map(_leave_inference_mode), targets
    if n_yielded:
        raise ValueError(
            f"the loader was used up after {n_yielded} of {pluralize(steps, 'step')}; a generator cannot begin again: "
            f"{REITERABLE_MESSAGE}"
        )
    raise ValueError(
        "the loader is empty (or was used up before): need at least one batch (inputs, targets). A generator can be "
        f"read only once: {REITERABLE_MESSAGE}"
    )


def _inputs_and_targets(batch: object) -> tuple[Any, Any]:
    if isinstance(batch, Mapping) and "labels" in batch:
        return {name: value for name, value in batch.items() if name != "labels"}, batch["labels"]
    if isinstance(batch, (tuple, list)) and len(batch) == 2:
        return batch[0], batch[1]
    description = type(batch).__name__
    if isinstance(batch, Mapping):
        description = "a mapping with " + (", ".join(f"'{name}'" for name in batch) or "nothing")
    elif isinstance(batch, (tuple, list)):
        description += f" of {len(batch)}"
    raise ValueError(
        f"the loader must give pairs (inputs, targets), or mappings with 'labels'; found {description}. Pass a list of "
        "pairs, or an object whose __iter__ gives them anew each time (a generator can be read only once)"
    )


def _leave_inference_mode(x: Tensor) -> Tensor:
    """Clone a tensor that was created in inference mode, since autograd cannot use it."""
    return x.clone() if x.is_inference() else x
