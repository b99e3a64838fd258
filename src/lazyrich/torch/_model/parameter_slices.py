"""Rows of a parameter that form a layer of their own, such as the queries in the joint matrix of an attention."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor


class ParameterSlice(str):
    """Name of some rows of a parameter, or of columns with `axis=1`.

    >>> queries = ParameterSlice("in_proj_weight", range(8))
    >>> queries, queries.whole, ParameterSlice("c_attn.weight", [0, 1, 4, 5], axis=1)
    ('in_proj_weight[0:8]', 'in_proj_weight', 'c_attn.weight[:, 0:2+4:6]')
    """

    whole: str
    where: tuple[Any, ...]  # index into the parameter

    def __new__(cls, whole: str, rows: Sequence[int], axis: int = 0) -> "ParameterSlice":
        runs: list[list[int]] = []
        for row in rows:
            if runs and runs[-1][1] == row:
                runs[-1][1] = row + 1
            else:
                runs.append([row, row + 1])
        words = "+".join(f"{start}:{stop}" for start, stop in runs)
        name = super().__new__(cls, f"{whole}[{':, ' * axis}{words}]")
        name.whole = whole
        name.where = (slice(None),) * axis + (slice(*runs[0]) if len(runs) == 1 else torch.tensor(list(rows)),)
        return name

    def __getnewargs__(self) -> tuple[Any, ...]:
        last = self.where[-1]
        rows = range(last.start, last.stop) if isinstance(last, slice) else last.tolist()
        return self.whole, rows, len(self.where) - 1


class SliceableTensors(dict[str, Tensor]):
    """Tensors by name, including slices of them by `ParameterSlice`."""

    def __missing__(self, name: object) -> Tensor:
        if isinstance(name, ParameterSlice):
            return self[name.whole][name.where]
        raise KeyError(name)


def full_parameter_name(name: str) -> str:
    """Return the name of the parameter that this name denotes, or denotes a slice of."""
    return name.whole if isinstance(name, ParameterSlice) else name


def insert_slice(name: str, value: Tensor, into: Mapping[str, Tensor]) -> Tensor:
    """Return the value of the whole parameter, with `value` inserted at its slice."""
    if not isinstance(name, ParameterSlice):
        return value
    whole = into[name.whole].detach().clone()
    whole[name.where] = value
    return whole
