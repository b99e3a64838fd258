"""Batches of model inputs: tensors, tuples and mappings of tensors, with the samples along the first axis."""

import copy
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lazyrich.torch._model.dtypes import isfinite

Build = Callable[[Iterator[Tensor]], Any]


@dataclass(frozen=True)
class Batch:
    """A batch of n samples: its tensors, with the samples along the first axis, and a function that rebuilds the
    model's input.

    Tensors without axes, and values that are not tensors (None, a flag, a number), are shared by all samples and kept.

    >>> batch = Batch.from_nested({"tokens": torch.arange(6).reshape(3, 2), "cache": False})
    >>> len(batch), batch[1:].as_model_input
    (3, {'tokens': tensor([[2, 3], [4, 5]]), 'cache': False})
    """

    tensors: tuple[Tensor, ...]
    build: Build

    @classmethod
    def from_nested(cls, nested: object) -> "Batch":
        """Build a batch from a tensor, or from nested tuples, lists and mappings (including those of transformers)
        of tensors."""
        if isinstance(nested, Batch):
            return nested
        tensors: list[Tensor] = []
        build = _flatten(nested, tensors)
        if not tensors:
            raise ValueError(
                f"inputs must be a tensor, or a tuple or mapping of tensors, with the samples along the first axis; "
                f"found {type(nested).__name__}. For anything else, pass a tensor and forward=lambda model, x: ..."
            )
        for tensor in tensors:
            _check_tensor(tensor)
        sizes = {len(tensor) for tensor in tensors}
        if len(sizes) > 1:
            shapes = ", ".join(str(tuple(tensor.shape)) for tensor in tensors[:6])
            raise ValueError(
                f"all tensors of a batch must have the samples along their first axis; found shapes {shapes}. What is "
                "the same for all samples belongs into forward=lambda model, batch: model(batch, constant)"
            )
        return cls(tuple(tensors), build)

    def __len__(self) -> int:
        return len(self.tensors[0])

    def __getitem__(self, index: slice | Tensor) -> "Batch":
        return self.map(lambda x: x[index.to(x.device) if isinstance(index, Tensor) else index])

    def split(self, size: int) -> Iterator["Batch"]:
        return (self[start : start + size] for start in range(0, len(self), size))

    def map(self, change: Callable[[Tensor], Tensor]) -> "Batch":
        return Batch(tuple(change(x) for x in self.tensors), self.build)

    def to(self, device: torch.device) -> "Batch":
        return self.map(lambda x: x.to(device))

    def with_tensors(self, tensors: Sequence[Tensor]) -> "Batch":
        """Return a batch of the same structure with other tensors."""
        return Batch(tuple(tensors), self.build)

    def concatenate(self, other: "Batch") -> "Batch":
        """Return a batch of these samples followed by those of `other`."""
        mine, theirs = ([tuple(x.shape[1:]) for x in batch.tensors] for batch in (self, other))
        if mine != theirs:
            raise ValueError(
                f"two sets of inputs must have samples of the same shape; found {mine} and {theirs}: pad them to one"
            )
        return self.map(lambda x: x).with_tensors(
            [torch.cat([x, y.to(x)]) for x, y in zip(self.tensors, other.tensors, strict=True)]
        )

    @property
    def as_model_input(self) -> Any:
        """The model's input, rebuilt from copies of the tensors, since a model may change its inputs in place."""
        return self.build(x.clone() for x in self.tensors)

    @property
    def device(self) -> torch.device:
        return self.tensors[0].device

    @property
    def description(self) -> str:
        first = self.tensors[0]
        if len(self.tensors) == 1:
            return f"an input of shape {tuple(first.shape)}, {first.dtype}"
        return "inputs of shapes " + ", ".join(str(tuple(x.shape)) for x in self.tensors[:6])


def _flatten(nested: object, tensors: list[Tensor]) -> Build:
    """Append the tensors of a tree to `tensors`, and return a function that rebuilds the tree from others."""
    if isinstance(nested, Tensor) and nested.ndim:
        tensors.append(nested)
        return next
    if isinstance(nested, Mapping):
        parts = {key: _flatten(value, tensors) for key, value in nested.items()}
        return lambda leaves: _mapping_like(nested, {key: build(leaves) for key, build in parts.items()})
    if isinstance(nested, (tuple, list)):
        builds = [_flatten(value, tensors) for value in nested]
        named = hasattr(nested, "_fields")
        return lambda leaves: (
            type(nested)(*(b(leaves) for b in builds)) if named else type(nested)(b(leaves) for b in builds)
        )
    return lambda _: nested


def _mapping_like(like: Mapping[Any, Any], values: dict[Any, Any]) -> Any:
    """Return a mapping of the same type as `like`, which may have attributes (`batch.input_ids`) and methods of its
    own."""
    if type(like) is dict or not isinstance(like, MutableMapping):
        return values
    mapping = copy.copy(like)
    for key, value in values.items():
        mapping[key] = value
    return mapping


def check_values(x: object, what: str) -> None:
    """Raise an error for a tensor on the meta device, which has a shape but no values."""
    if isinstance(x, Tensor) and x.is_meta:
        raise ValueError(
            f"{what} have no values (device meta), and need them: load or make them on a device that holds numbers, "
            "such as 'cpu'"
        )


def _check_tensor(x: Tensor) -> None:
    check_values(x, "inputs")
    if x.is_nested or x.layout != torch.strided:
        raise ValueError(
            f"inputs are nested or sparse ({x.layout}); need dense tensors: pass inputs.to_dense(), or padded ones"
        )
    if x.shape[0] == 0 or x.numel() == 0:
        raise ValueError(f"inputs are empty: found shape {tuple(x.shape)}, need at least one sample")
    if not bool(isfinite(x).all()):
        raise ValueError("inputs contain NaN or infinite entries; remove or impute them first")
