"""Spaces between two layers, and all parameters that scale with them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from torch import Tensor

from lazyrich.torch._model.learning_rates import Rates, rate_of
from lazyrich.torch._model.parameter_slices import full_parameter_name
from lazyrich.torch._structure.space import DualSpaces, Layer, Structure, quote_names
from lazyrich.torch._structure.units import squares


@dataclass(frozen=True)
class RescalingPath:
    """Spaces between two layers, and the powers with which parameters scale.

    When they are all multiplied by c, each parameter is multiplied by c to the power in `powers`: 1 for the weights
    that enter them and for every bias and offset written into them, −1 for the weights that leave them.
    """

    first: Layer
    last: Layer
    spaces: tuple[int, ...]
    powers: Mapping[str, int]
    norms: tuple[str, ...]  # normalizations that remove the scale
    dual: DualSpaces | None = (
        None  # two spaces that enter only through their product: one is multiplied, the other divided
    )

    @property
    def single_space(self) -> int | DualSpaces | None:
        """The space between two adjacent layers, or the pair of dual spaces; None if there are more spaces in
        between."""
        return self.dual or (self.spaces[0] if len(self.spaces) == 1 else None)

    def squared_norms(self, parameters: Mapping[str, Tensor], rates: Rates) -> tuple[float, float]:
        r"""Return $p^2$ of the weights that leave and $q^2$ of those that enter: $\delta = p^2 - q^2$ and $pq =
        \sqrt{\eta\eta'}\,\tau^2$."""
        size = {1: 0.0, -1: 0.0}
        for name, power in self.powers.items():
            if full_parameter_name(name) in parameters:
                size[power] += float(squares(parameters[name]).sum()) / rate_of(name, rates)
        both = self.sqrt_rate_product(rates) ** 2
        return both * size[-1], both * size[1]

    def sqrt_rate_product(self, rates: Rates) -> float:
        """Return √(ηη'), where η and η' are the learning rates of the first and the last layer."""
        return math.sqrt(rate_of(self.first.weight, rates) * rate_of(self.last.weight, rates))

    def spaces_after(self, structure: Structure) -> tuple[int, ...]:
        """Return the spaces from the end of the path to the output, which a change of the overall scale multiplies."""
        if self.dual is not None:
            raise ValueError(
                f"tau: the product of what {self.first} and {self.last} write would change, and attention sees it; "
                "leave tau out"
            )
        leaving = [x for x in structure.layers if x.reads_any(self.spaces) and x.writes not in self.spaces]
        reached = list(dict.fromkeys(x.writes for x in leaving))
        for key in reached:  # the list grows during the loop
            space = structure.spaces[key]
            for reason in (*space.fixed, *(f"{norm.where} takes the scale out" for norm in space.norms)):
                raise ValueError(
                    f"tau multiplies what {self.last} writes, and the outputs would not follow: {reason}. "
                    "Choose layers=(first, last) with nothing but homogeneous maps behind them, or leave tau out"
                )
            reached += dict.fromkeys(y for y in (structure.layers[i].writes for i in space.readers) if y not in reached)
        if set(reached) & set(self.spaces):
            raise ValueError(f"tau: what {self.last} writes flows back into what it reads; leave tau out")
        return tuple(reached)


def find_rescaling_path(
    structure: Structure, layers: tuple[str, str] | None, across_norms: bool | None = None
) -> RescalingPath:
    """Return the path from the first layer's output to the last layer's input.

    If a normalization removes the scale before the last layer, the path has all spaces that the first layer's scale
    reaches. An error names the layer if a scale on the way is fixed, if the last layer is not reached, or if a
    normalization lies in between and `across_norms` is not True (None: the caller does not offer this choice).
    """
    first, last = (
        structure.first_and_last() if layers is None else map(structure.layer, _check_two_names(structure, layers))
    )
    for pair in structure.duals:
        if {first.writes, last.writes} == set(pair.keys):
            dual = replace(pair, one=first.writes, other=last.writes)
            return RescalingPath(first, last, dual.keys, structure.dual_exponents(*dual.keys), (), dual)
    start = structure.spaces[first.writes]
    blocked = [] if across_norms else [norm.where for norm in start.norms]
    if not start.is_free:
        why = start.fixed[0] if start.fixed else "it is the output"
        raise ValueError(
            f"what {first} writes has a fixed scale: {why}. {first} and {last} need homogeneous maps between them "
            f"(ReLU, LeakyReLU, linear maps, pooling); {_suggest_pairs(structure)}"
        )
    reached, stops = [first.writes], []
    for key in reached:  # the list grows during the loop
        for reader in (structure.layers[i] for i in structure.spaces[key].readers):
            behind = structure.spaces[reader.writes]
            if reader == last or reader.writes in reached:
                continue
            if behind.is_free and (across_norms or not behind.norms):
                reached.append(reader.writes)
            else:  # the reader compensates the change of scale exactly
                stops += [f"behind {reader}: {reason}" for reason in behind.fixed]
                blocked += [norm.where for norm in behind.norms]
    ends = {read.space for read in last.reads}
    reached = _spaces_on_paths(structure, reached, ends) or reached
    norms = tuple(dict.fromkeys(norm.where for key in reached for norm in structure.spaces[key].norms))
    if (start.norms and not across_norms) or (blocked and not ends & set(reached)):
        choice = "pass across_norms=True to scale only what comes before it" if across_norms is False else (
            "δ is not conserved there; `upstream_(..., across_norms=True)` scales what comes before it"
        )  # fmt: skip
        raise ValueError(
            f"{blocked[0]} lies between {first} and {last}: the function does not depend on the scale of what it reads "
            f"(up to its eps), so {last} has nothing to make up for. Either {choice}; or {_suggest_pairs(structure)}"
        )
    if not ends & set(reached) and not norms:
        why = "; ".join(stops) or f"{last} does not come after {first}"
        raise ValueError(f"a change of scale in {first} does not reach {last}: {why}; {_suggest_pairs(structure)}")
    if last.writes in reached:
        raise ValueError(
            f"{last} adds to what {first} writes (a residual sum), so the two scale together and not against each "
            f"other; {_suggest_pairs(structure)}"
        )
    powers = structure.exponents(reached)
    for layer in structure.layers:
        if powers.get(layer.weight, 0) < -1:
            raise ValueError(
                f"{layer} reads what {first} writes with both of its inputs, so that their scales multiply in it; "
                f"{_suggest_pairs(structure)}"
            )
    return RescalingPath(first, last, tuple(reached), powers, norms)


def _check_two_names(structure: Structure, layers: object) -> tuple[str, str]:
    """Return the two names, or raise an error; a single string is a sequence too, of its letters."""
    if isinstance(layers, (tuple, list)) and len(layers) == 2 and all(isinstance(name, str) for name in layers):
        return layers[0], layers[1]
    raise ValueError(
        f"layers must be the names of two layers, (first, last); found {layers!r:.60}. This model has "
        f"{quote_names(layer.name for layer in structure.layers)}"
    )


def _spaces_on_paths(structure: Structure, reached: list[int], ends: set[int]) -> list[int]:
    """Return the spaces from which the last layer is reached; the readers of the others compensate the change
    directly."""
    ways = ends & set(reached)
    for _ in ways and reached:  # each pass goes back by one layer
        before = (read.space for layer in structure.layers if layer.writes in ways for read in layer.reads)
        ways |= set(before) & set(reached)
    return [key for key in reached if key in ways]


def _suggest_pairs(structure: Structure) -> str:
    """Name pairs of layers that can be rescaled, for the end of an error message."""
    pairs = [
        f"('{structure.layers[space.writers[0]].name}', '{structure.layers[space.readers[0]].name}')"
        for space in structure.spaces.values()
        if space.is_free and space.writers and space.readers and not space.norms
    ]
    return f"choose for instance layers={' or '.join(pairs[:3])}" if pairs else "no two layers of this model allow it"
