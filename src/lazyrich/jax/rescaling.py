r"""Overall and relative scale of JAX models: `balance` measures them, `rescale` and `upstream` return rescaled
parameters.

Two weight layers with a map of degree 1 between them (ReLU, leaky ReLU, pooling, reshaping) share a symmetry: the
function is the same if the incoming weights of hidden unit k are multiplied by c and the outgoing ones by 1/c. So
gradient flow with layer rates η conserves, for every unit, $\delta_k = \eta_l\|\text{outgoing}_k\|^2 -
\eta_{l+1}(\|\text{incoming}_k\|^2 + \text{bias}_k^2)$. Positive is **upstream**: the earlier layer learns faster.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.types import AnyArray
from lazyrich._validate.positive_number import check_positive_number
from lazyrich.jax._hidden_units import NO_UNIT, ActivationSpace, activation_spaces
from lazyrich.jax._jacobian.checked_model import CheckedModel, Function, check_model
from lazyrich.jax._jacobian.learning_rates import Rates, rate_of
from lazyrich.jax._jacobian.weight_layers import WeightLayer
from lazyrich.probe.balance import Balance, ConservedPair
from lazyrich.tangent.parameter_names import layer_name_of

FUNCTION_TOLERANCE = {"float32": 1e-4, "float64": 1e-9}  # change that counts as none, relative to the largest output


def balance(f: Function, params: PyTree, x: PyTree, *, rates: Rates = None) -> Balance:
    """Return the conserved quantity between every two adjacent layers, and which are up- or downstream.

    Layers are products and convolutions with a weight of their own, found in the operations of f on x. If several
    layers read the same units, they conserve one quantity together. `rates` is as in `tangent_kernel`. Plain gradient
    descent conserves these quantities to first order in its step.

    >>> f = lambda params, x: jax.nn.relu(x @ params["in"] + params["bias"]) @ params["out"]
    >>> params = {"in": jnp.ones((2, 3)), "bias": jnp.zeros(3), "out": 2 * jnp.ones((3, 1))}
    >>> print(balance(f, params, jnp.eye(2)))
    in → out: δ = 6, relative +0.33, upstream
    out: none, it is the output
    """
    structure = LayerStructure(check_model(f, params, x, rates))
    return Balance(
        structure.pairs(structure.model, rates),
        {space_name(structure, s): s.reason for s in structure.spaces if s.reason},
    )


def upstream(f: Function, params: PyTree, x: PyTree, alpha: float, *, layers: tuple[str, str] | None = None) -> PyTree:
    """Divide the first layer by α and multiply the last by α, which keeps the function; α > 1 makes the first layer
    learn faster.

    `layers` names another pair, adjacent or further apart. Biases in between are divided by α too. The function is
    compared on x before the new parameters are returned.

    >>> f = lambda params, x: jax.nn.relu(x @ params["in"]) @ params["out"]
    >>> params = {"in": jnp.ones((2, 3)), "out": jnp.ones((3, 1))}
    >>> {name: float(value[0, 0]) for name, value in upstream(f, params, jnp.eye(2), 2.0).items()}
    {'in': 0.5, 'out': 2.0}
    """
    structure = LayerStructure(check_model(f, params, x))
    way = structure.path_between(layers)
    factor = 1 / check_positive_number("alpha", alpha)
    return structure.rescaled_params(f, params, x, structure.powers(way), factor, 1.0)


def rescale(
    f: Function,
    params: PyTree,
    x: PyTree,
    tau: float | None = None,
    delta: float | None = None,
    *,
    layers: tuple[str, str] | None = None,
    rates: Rates = None,
) -> PyTree:
    r"""Return parameters with overall scale τ and relative scale δ of the first and last layer (or of the pair
    `layers`).

    Let A² be the squared norm of the last layer's weights, and B² that of everything written between the two layers
    from outside (the first layer's weights, and all biases in between). Then $\tau^2 = AB$ and $\delta = \eta A^2 -
    \eta' B^2$, with η the first layer's rate and η' the last one's. A scale that is not given stays. With tau=None the
    function is kept; a new τ multiplies it by (τ/τ₀)². The function is compared on x before the parameters are
    returned.

    >>> f = lambda params, x: jax.nn.relu(x @ params["in"]) @ params["out"]
    >>> params = {"in": jnp.full((1, 1), 2.0), "out": jnp.ones((1, 1))}
    >>> round(rescale(f, params, jnp.ones((1, 1)), delta=0.0)["out"].item() ** 2, 4)  # of 2·1, both become √2
    2.0
    """
    if tau is None and delta is None:
        raise ValueError("nothing to set: give tau (overall scale), delta (relative scale) or both")
    structure = LayerStructure(check_model(f, params, x, rates))
    way = structure.path_between(layers)
    p, q, root = structure.norms(way, rates)
    product = p * q if tau is None else root * check_positive_number("tau", tau) ** 2
    delta = p**2 - q**2 if delta is None else float(delta)
    # p², q² = (κ ± δ)/2 with κ = hypot(δ, 2pq). The smaller one is computed as the product over the larger, without
    # cancellation.
    large = math.sqrt((math.hypot(delta, 2 * product) + abs(delta)) / 2)
    small = product / large if large > 0 else 0.0
    p_new, q_new = (large, small) if delta >= 0 else (small, large)
    if 0 in (p, q, p_new, q_new):
        raise ValueError(
            f"the weights on one side are zero, or would have to be: delta = {delta:g} cannot be reached by scaling. "
            "Start from weights that are not zero"
        )
    output = 1.0 if tau is None else p_new * q_new / (p * q)
    return structure.rescaled_params(f, params, x, structure.powers(way), q_new / q, output)


@dataclass(frozen=True, eq=False)
class LayerStructure:
    """The layers of a model and the spaces between them."""

    model: CheckedModel

    @cached_property
    def spaces(self) -> Sequence[ActivationSpace]:
        return activation_spaces(self.model.plan.layout)

    def name(self, layer: WeightLayer) -> str:
        return layer_name_of(self.model.names[layer.view.leaf])

    def weight(self, layer: WeightLayer, at: CheckedModel) -> AnyArray:
        """Return the weight of a layer as (g, i, o)."""
        return layer.uses[0].weight(layer.view.apply(np.asarray(at.values[layer.view.leaf], np.float64)))

    def bias(self, layer: WeightLayer, at: CheckedModel) -> np.ndarray:
        """Return the bias of a layer as (g, o)."""
        assert layer.bias is not None, "asked only where there is one"
        return np.asarray(at.values[layer.bias.view.leaf], np.float64).reshape(-1)[layer.bias.entries]

    def rate(self, leaf: int, rates: Rates) -> float:
        return float(rate_of(self.model.names[leaf], rates))

    def pairs(self, at: CheckedModel, rates: Rates) -> tuple[ConservedPair, ...]:
        """Return the conserved quantities at these parameters."""
        pairs = []
        for space in self.spaces:
            if space.reason:
                continue
            first = space.readers[0][0]
            both = self.rate(space.writer.view.leaf, rates) * self.rate(first.view.leaf, rates)
            enters, leaves = self.incoming_squares(space, at, rates), self.outgoing_squares(space, at, rates)
            units = both * (leaves - enters)
            total = both * float((leaves + enters).sum())
            delta = float(units.sum())
            readers = tuple(dict.fromkeys(self.name(layer) for layer, _ in space.readers))
            pairs.append(
                ConservedPair((self.name(space.writer),), readers, delta, delta / total if total else 0.0, units)
            )
        return tuple(pairs)

    def incoming_squares(self, space: ActivationSpace, at: CheckedModel, rates: Rates) -> AnyArray:
        """Return Σ θ²/η of the incoming weights and bias of each unit."""
        layer = space.writer
        squares = (self.weight(layer, at) ** 2).sum(1) / self._nonzero(layer.view.leaf, rates)
        if layer.bias is not None:
            squares = squares + self.bias(layer, at) ** 2 / self._nonzero(layer.bias.view.leaf, rates)
        return squares.reshape(-1)

    def outgoing_squares(self, space: ActivationSpace, at: CheckedModel, rates: Rates) -> np.ndarray:
        """Return Σ θ²/η of the outgoing weights of each unit."""
        sums = np.zeros(space.units)
        for layer, unit in space.readers:
            squares = (self.weight(layer, at) ** 2).sum(2) / self._nonzero(layer.view.leaf, rates)
            np.add.at(sums, unit[unit != NO_UNIT], squares[unit != NO_UNIT])
        return sums

    def _nonzero(self, leaf: int, rates: Rates) -> float:
        value = self.rate(leaf, rates)
        if value == 0:
            raise ValueError(
                f"the learning rate of '{self.model.names[leaf]}' must be positive for δ to be defined; found 0"
            )
        return value

    def path_between(self, layers: tuple[str, str] | None) -> list[ActivationSpace]:
        """Return the spaces on the path from one layer to another, with one reader each; by default the longest
        path."""
        by_writer = {id(space.writer): space for space in self.spaces}
        named = {self.name(space.writer): space for space in self.spaces}
        if layers is not None and (isinstance(layers, str) or len(layers) != 2):
            raise ValueError(
                f"layers must be the names of two layers, (first, last); found {layers!r:.60}. There are "
                f"{', '.join(named)}"
            )
        for name in layers or ():
            if name not in named:
                raise ValueError(f"there is no layer '{name}'; there are {', '.join(named)}")
        ways = []
        for space in by_writer.values():
            way: list[ActivationSpace] = []
            while not space.reason and len(space.readers) == 1 and space not in way:
                way.append(space)
                space = by_writer[id(space.readers[0][0])]
            ways.append((way, space))
        if layers is None:
            way, _ = max(ways, key=lambda path: len(path[0]))
            if way:
                return way
            raise ValueError(f"no two layers can be turned against each other: {self._reasons()}")
        way, end = next(found for found in ways if (found[0] or [found[1]])[0] is named[layers[0]])
        for k, space in enumerate(way):
            if self.name(space.readers[0][0]) == layers[1]:
                return way[: k + 1]
        stop = f"behind {self.name(end.writer)}: {end.reason or 'several layers read it'}"
        raise ValueError(f"a change of scale in {layers[0]} does not reach {layers[1]}: {stop}")

    def _reasons(self) -> str:
        return "; ".join(f"{space_name(self, space)}: {space.reason}" for space in self.spaces if space.reason)

    def powers(self, way: Sequence[ActivationSpace]) -> dict[tuple[int, str], tuple[WeightLayer, int]]:
        """Return the weights and biases that are multiplied by c (power 1) or divided by it (−1) when these spaces
        are multiplied by c."""
        first, last = way[0].writer, way[-1].readers[0][0]
        powers = {(id(first), "weight"): (first, 1), (id(last), "weight"): (last, -1)}
        powers |= {(id(space.writer), "bias"): (space.writer, 1) for space in way if space.writer.bias is not None}
        return powers

    def norms(self, way: Sequence[ActivationSpace], rates: Rates) -> tuple[float, float, float]:
        r"""Return p, q and $\sqrt{\eta\eta'}$, with $p^2$ of the outgoing and $q^2$ of the incoming weights: δ = p²
        − q², pq = √(ηη')τ²."""
        first, last = way[0].writer, way[-1].readers[0][0]
        both = self._nonzero(first.view.leaf, rates) * self._nonzero(last.view.leaf, rates)
        size = {1: 0.0, -1: 0.0}
        for (_, part), (layer, power) in self.powers(way).items():
            if part == "weight":
                squares = (self.weight(layer, self.model) ** 2).sum() / self._nonzero(layer.view.leaf, rates)
            else:
                assert layer.bias is not None, "it is listed"
                squares = (self.bias(layer, self.model) ** 2).sum() / self._nonzero(layer.bias.view.leaf, rates)
            size[power] += float(squares)
        return math.sqrt(both * size[-1]), math.sqrt(both * size[1]), math.sqrt(both)

    def rescaled_params(
        self, f: Function, params: PyTree, x: PyTree, powers: PyTree, c: float, output: float
    ) -> PyTree:
        """Return the rescaled parameters, or raise an error if the function is then not `output` times the original
        one."""
        values = [np.asarray(value) for value in self.model.values]
        factors = {key: (layer, c**power) for key, (layer, power) in powers.items()}
        if output != 1.0:
            factors = self._scale_output(factors, output)
        for (_, part), (layer, factor) in factors.items():
            view = layer.view if part == "weight" else layer.bias.view
            index = view.entry_indices(values[view.leaf].shape) if part == "weight" else layer.bias.entries
            flat = values[view.leaf].reshape(-1).copy()
            flat[index.reshape(-1)] *= factor
            values[view.leaf] = flat.reshape(values[view.leaf].shape)
        leaves, tree = jax.tree.flatten(params)
        new = jax.tree.unflatten(
            tree, [jnp.asarray(v, jnp.asarray(leaf).dtype) for v, leaf in zip(values, leaves, strict=True)]
        )
        before, after = (np.asarray(f(p, x), float) for p in (params, new))
        gap, large = float(np.abs(after - output * before).max()), float(np.abs(output * before).max())
        slack = FUNCTION_TOLERANCE.get(str(min(v.dtype for v in values)), 1e-4)
        if not gap <= slack * large:
            raise ValueError(
                f"the rescaled function is not {output:.3g} times what it was: the outputs differ by {gap:.1e}, the "
                f"largest is {large:.1e}. A layer is not what it seems to be: choose other layers"
            )
        return new

    def _scale_output(self, factors: dict[Any, Any], output: float) -> dict[Any, Any]:
        """Multiply the factors of the last layer's weights, and of every bias after it, by the change of the output."""
        (end,) = [layer for (_, part), (layer, factor) in factors.items() if part == "weight"][1:]
        scaled = dict(factors)
        layer, factor = scaled[id(end), "weight"]
        scaled[id(end), "weight"] = layer, factor * output
        by_writer = {id(space.writer): space for space in self.spaces}
        space = by_writer[id(end)]
        while True:
            if space.writer.bias is not None:
                scaled[id(space.writer), "bias"] = space.writer, output
            if space.reason == "it is the output":
                return scaled
            if space.reason or len(space.readers) != 1:
                raise ValueError(
                    f"tau multiplies what {self.name(end)} writes, and the outputs would not follow: "
                    f"{self.name(space.writer)}: {space.reason or 'several layers read it'}. Choose layers=(first, "
                    "last) with nothing but homogeneous maps behind them, or leave tau out"
                )
            space = by_writer[id(space.readers[0][0])]


def space_name(structure: LayerStructure, space: ActivationSpace) -> str:
    """Return a name for an activation space: that of the layer that writes it."""
    return structure.name(space.writer)
