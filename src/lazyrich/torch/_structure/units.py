"""Units of a space: squared norms of the incoming and outgoing weights of each, and factors for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from lazyrich.torch._model.learning_rates import Rates, rate_of
from lazyrich.torch._model.preserve_model import to_double
from lazyrich.torch._structure.space import DualSpaces, Layer, Structure


def squares(parameter: Tensor) -> Tensor:
    """Return |θ|² of every entry, in double precision."""
    return to_double(parameter.detach().cpu()).abs().square()


@dataclass(frozen=True)
class UnitAxis:
    """The axis of a parameter along which the units of a space lie, and the power of their scale by which it is
    multiplied."""

    name: str
    layer: Layer
    axis: int
    power: int

    def squares(self, parameter: Tensor, count: int) -> Tensor:
        """Return the squared norm of the entries of each unit. A grouped weight has its groups along axis 0."""
        values, groups = squares(parameter), self.layer.groups
        if self.axis == 0:
            along = values.flatten(1).sum(1) if values.ndim > 1 else values
        else:
            values = values.movedim(self.axis, 1)
            rows, columns = values.shape[:2]
            along = values.reshape(groups, rows // groups, columns, -1).sum((1, 3)).flatten()
        return along.reshape(count, -1).sum(1)

    def expand_factor(self, parameter: Tensor, scale: Tensor) -> Tensor:
        """Return one factor per unit, in a shape that multiplies the parameter."""
        if self.axis == 0:
            scale = scale.repeat_interleave(parameter.shape[0] // len(scale))
            return scale.reshape(-1, *[1] * (parameter.ndim - 1))
        groups, rows, columns = self.layer.groups, parameter.shape[0], parameter.shape[self.axis]
        scale = scale.repeat_interleave(columns * groups // len(scale)).reshape(groups, columns)
        scale = scale.repeat_interleave(rows // groups, 0).reshape(rows, columns, *[1] * (parameter.ndim - 2))
        return scale.movedim(1, self.axis)


def n_units(structure: Structure, where: int | DualSpaces, parameters: Mapping[str, Tensor]) -> int | None:
    """Return the number of units of a space, or of two aligned dual spaces, or None if they cannot be distinguished."""
    if not isinstance(where, DualSpaces):
        return structure.width(where, parameters)
    one, other = (structure.width(key, parameters) for key in where.keys)
    return one if where.aligned and one == other else None


def unit_axes(structure: Structure, where: int | DualSpaces) -> list[UnitAxis]:
    """Return the parameters with an axis along these units; each has power 1 if it is multiplied with them, −1 if
    divided."""

    def written_axes(key: int, power: int) -> Iterator[UnitAxis]:
        for layer in structure.writers(key):
            yield UnitAxis(layer.weight, layer, layer.out_axis, power)
            if layer.bias:
                yield UnitAxis(layer.bias, layer, 0, power)

    if isinstance(where, DualSpaces):
        axes = [*written_axes(where.one, 1), *written_axes(where.other, -1)]
    else:
        leaving = (UnitAxis(layer.weight, layer, read.axis, -1) for layer, read in structure.readers(where))
        axes = [*written_axes(where, 1), *leaving]
    return list({(end.name, end.power): end for end in axes}.values())  # count a layer once, even if it is used twice


def delta_contributions(
    structure: Structure, where: int | DualSpaces, parameters: Mapping[str, Tensor], rates: Rates
) -> dict[str, Tensor] | None:
    """Return the contribution of each parameter to δ of every unit: + for outgoing, − for incoming weights; None as
    in `n_units`."""
    count = n_units(structure, where, parameters)
    if count is None:
        return None
    sides = unit_axes(structure, where)
    first, last = (next(end.name for end in sides if end.power == power) for power in (1, -1))
    both = rate_of(first, rates) * rate_of(last, rates)
    return {
        end.name: -end.power * both / rate_of(end.name, rates) * end.squares(parameters[end.name], count)
        for end in sides
    }


def unit_squares(
    structure: Structure, where: int | DualSpaces, parameters: Mapping[str, Tensor], rates: Rates
) -> tuple[Tensor, Tensor] | None:
    """Return p² of the outgoing and q² of the incoming weights of every unit, or None if units cannot be
    distinguished."""
    contributions = delta_contributions(structure, where, parameters, rates)
    if contributions is None:
        return None
    stacked = torch.stack(list(contributions.values()))
    return stacked.clamp_min(0).sum(0), -stacked.clamp_max(0).sum(0)


def unit_multipliers(
    structure: Structure, where: int | DualSpaces, parameters: Mapping[str, Tensor], scale: Tensor
) -> dict[str, Tensor]:
    """Return the factors of the parameters that multiply every unit by its scale and keep the function."""
    multipliers: dict[str, Tensor] = {}
    for end in unit_axes(structure, where):
        multipliers[end.name] = end.expand_factor(parameters[end.name], scale**end.power) * multipliers.get(
            end.name, torch.ones(())
        )
    return multipliers
