"""Process a forward pass call by call: find weight layers, homogeneous maps, and calls that fix a scale."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from torch import nn

from lazyrich.torch._model.parameter_slices import ParameterSlice
from lazyrich.torch._structure.function_rules import (
    DEGREE_ONE,
    ELEMENTWISE,
    FLATTENING,
    NONHOMOGENEOUS,
    PRODUCT_LIKE,
    REARRANGING,
    SHAPE_QUERIES,
    SUM_LIKE,
    Shapes,
    canonical_name,
    is_rounding,
    layout_after,
)
from lazyrich.torch._structure.fused_layers import split_fused_layers
from lazyrich.torch._structure.manual_norms import apply_gain, apply_statistic
from lazyrich.torch._structure.space import ActivationSpace, DualSpaces, Layer, LayerInput, NormUse, Structure
from lazyrich.torch.layer_rules import RULE_OF_FUNCTION, LayerRule
from lazyrich.torch.layer_rules.operands import (
    CONSTANT,
    Activation,
    ActivationStatistic,
    LayerCall,
    StoredTensor,
    flatten,
)


@dataclass
class SpaceDraft:
    """Mutable draft of an `ActivationSpace`."""

    writers: list[int] = field(default_factory=list)
    readers: list[int] = field(default_factory=list)
    norms: list[NormUse] = field(default_factory=list)
    offsets: list[str] = field(default_factory=list)
    through: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    output: bool = False
    heads: int = 0


class ForwardPass:
    """Receives the calls of a forward pass in order, and collects layers and spaces."""

    def __init__(self, model: nn.Module) -> None:
        self.layers: list[Layer] = []
        self.drafts: list[SpaceDraft] = []
        self.pinned: dict[str, str] = {}
        self.root: list[int] = []
        self.duals: list[tuple[Activation, Activation, str, bool]] = []
        self.origins: dict[int, int] = {}  # by space: the layer that writes it, with all or some of its rows
        self.cuts: dict[int, list[tuple[int, tuple[int, ...]]]] = {}  # by layer: spaces written by some of its rows
        self.tensor_of_id = {id(b): StoredTensor(name, False) for name, b in model.named_buffers()}
        self.tensor_of_id |= {id(p): StoredTensor(name, True) for name, p in model.named_parameters()}
        self.id_of_parameter = {name: id(p) for name, p in model.named_parameters(remove_duplicate=False)}
        self.shapes = {name: p.shape for name, p in model.named_parameters()}

    # -- spaces ----------------------------------------------------------------------------------------------------

    def new_space(self, *fixed: str, layout: str | None = None, ndim: int | None = None) -> Activation:
        """Create a space, and return an activation in it. `fixed` are reasons why its scale is fixed."""
        self.drafts.append(SpaceDraft(fixed=list(fixed)))
        self.root.append(len(self.root))
        return Activation(len(self.root) - 1, layout, ndim)

    def value(self, key: int) -> Activation:
        return Activation(key, None)

    def part(self, value: Activation, rows: tuple[int, ...]) -> Activation:
        """Return the activation written by some rows of a layer, in a provisional space of its own; see
        `split_fused_layers`."""
        layer = self.origins.get(value.space)
        if layer is None:
            return value
        cuts = self.cuts.setdefault(layer, [])
        existing = [key for key, others in cuts if others == rows]
        key = existing[0] if existing else self.new_space().space
        if not existing:
            cuts.append((key, rows))
            self.origins[key] = layer
        return replace(value, space=key, rows=rows)

    def is_used_otherwise(self, key: int, layer: int) -> bool:
        """Return whether a space of a layer is used in any way other than being divided by units."""
        draft = self.drafts[key]
        others = [writer for writer in draft.writers if writer != layer]
        return bool(draft.readers or draft.norms or draft.fixed or draft.output or draft.offsets or others)

    def rows_of(self, layer: int) -> int:
        """Return the number of rows of a layer's weight, or of columns if its outputs lie along the columns."""
        return self.shapes[self.layers[layer].weight][self.layers[layer].out_axis]

    def draft(self, value: Activation) -> SpaceDraft:
        return self.drafts[self.find(value.space)]

    def find(self, key: int) -> int:
        while self.root[key] != key:
            key = self.root[key]
        return key

    def merge_spaces(self, values: list[Activation]) -> None:
        """Merge the spaces of these activations."""
        first = self.find(values[0].space)
        for value in values[1:]:
            other = self.find(value.space)
            if other != first:
                mine, theirs = self.drafts[first], self.drafts[other]
                for name in ("writers", "readers", "norms", "offsets", "through", "fixed"):
                    getattr(mine, name).extend(getattr(theirs, name))
                mine.output |= theirs.output
                mine.heads = 0
                self.root[other] = first

    def fix_scale(self, values: list[Activation], reason: str) -> Activation:
        for value in values:
            self.draft(value).fixed.append(reason)
        return self.new_space(reason)

    def apply_homogeneous(self, value: Activation, where: str, layout: str | None = None, heads: int = 0) -> Activation:
        """Record a map of degree 1, and return its result in the same space."""
        self.draft(value).through.append(where)
        return replace(value, layout=layout, heads=heads or value.heads)

    def pin_parameter(self, values: Iterable[object], where: str) -> None:
        """Mark learned parameters as used in a way that rescaling does not support."""
        self.pinned |= {x.name: where for x in values if isinstance(x, StoredTensor) and x.learned}

    def add_norm(self, read: Activation, where: str, running: tuple[str, ...] = ()) -> Activation:
        """Record a normalization without a gain, and return its output in a new space of fixed scale."""
        self.draft(read).norms.append(NormUse(where, running))
        return self.new_space(f"it comes out of {where}, which has no gain", layout=read.layout, ndim=read.ndim)

    def add_layer(
        self,
        use: LayerCall,
        weight: StoredTensor,
        bias: StoredTensor | None,
        output: Activation,
        reads: Sequence[tuple[Activation, int, bool]],
        out_axis: int,
        groups: int,
        untrained: int | None = None,
        name: str | None = None,
    ) -> None:
        """Record a weight layer.

        `reads` holds, for each activation that it reads, the axis of the weight and whether the units can be followed.
        """
        self.draft(output).writers.append(len(self.layers))
        if weight.name in self.shapes and groups == 1 and untrained is None:
            self.origins[output.space] = len(self.layers)
        for value, _, _ in reads:
            self.draft(value).readers.append(len(self.layers))
        same = self.id_of_parameter.get(f"{use.scope}.weight")  # with tied weights, each layer keeps its own name
        shared = same is None or self.tensor_of_id[same] != replace(weight, view="")
        name = name or (weight.name.removesuffix(".weight") if shared else use.scope)
        inputs = tuple(LayerInput(value.space, axis, aligned) for value, axis, aligned in reads)
        bound = None if bias is None else bias.name
        self.layers.append(Layer(name, weight.name, bound, inputs, output.space, out_axis, groups, untrained))

    # -- calls -----------------------------------------------------------------------------------------------------

    def record_call(
        self, name: str, scope: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], shapes: Shapes | None = None
    ) -> Any:
        """Process one call, and return its result: an activation, a stored tensor, or None if it is not an activation.

        `shapes` are those of the first operand and of the result, if the call was run.
        """
        kind = canonical_name(name)
        operands = list(flatten((args, tuple(kwargs.values()))))
        values = [x for x in operands if isinstance(x, Activation)]
        parameters = [x for x in operands if isinstance(x, StoredTensor)]
        where = name.strip("_") + (f" in '{scope}'" if scope else "")
        first = args[0] if args else kwargs.get("input")
        if kind in SHAPE_QUERIES:
            return None
        if kind in ("to", "typeas") and not isinstance(
            first, Activation
        ):  # a constant cast to the dtype of an activation
            return first
        sizes = [x for x in operands if isinstance(x, ActivationStatistic)]
        if (statistic := apply_statistic(self, kind, where, [*args, *kwargs.values()])) is not None:
            return statistic
        if sizes:
            self.pin_parameter(parameters, where)
            return self.fix_scale([*values, *(x.of for x in sizes)], f"{sizes[0].where} is not homogeneous")
        if (layer := RULE_OF_FUNCTION.get(kind)) is not None and (values or parameters):
            bound = dict(zip(layer.arguments[kind], args, strict=False)) | dict(kwargs)
            return self.apply_rule(layer, LayerCall(scope, where, bound))
        if not values:
            if len(parameters) == 1 and kind in REARRANGING | FLATTENING | ELEMENTWISE:
                turned = kind in ("t", "T", "mT") and parameters[0].view == ""
                keeps_view = kind in ELEMENTWISE
                return replace(parameters[0], view=parameters[0].view if keeps_view else "T" if turned else "?")
            self.pin_parameter(parameters, where)
            return self.new_space(f"{where} makes it without an input") if parameters else None
        if kind in SUM_LIKE:
            terms = [x for key, x in kwargs.items() if key != "alpha"]
            return self.apply_sum(kind, where, (args, terms), values, parameters)
        if any(is_rounding(kind, x) for x in operands):
            self.pin_parameter(parameters, where)
            return self.fix_scale(values, f"{where} rounds")
        if kind in PRODUCT_LIKE:
            return self.apply_product(kind, LayerCall(scope, where, {}), first, values, parameters)
        self.pin_parameter(
            [] if kind in ("to", "typeas") else parameters, where
        )  # a cast uses only the dtype of its operand
        if kind == "scaleddotproductattention":
            named = dict(zip(("query", "key", "value"), args, strict=False)) | dict(kwargs)
            return self.apply_attention(where, named.get("query"), named.get("key"), named.get("value"), values)
        if kind == "pad" and (len(args) > 3 and args[3]) | bool(kwargs.get("value")):
            return self.fix_scale(values, f"{where} pads with a constant other than 0")
        if kind in DEGREE_ONE and len(set(values)) == 1 and first is values[0]:
            layout = layout_after(kind, first, args[1:], kwargs, shapes)
            split = shapes is not None and layout == "split" and first.layout == "last"
            return self.apply_homogeneous(first, where, layout, shapes[1][-2] if split and shapes else 0)
        return self.fix_scale(values, f"{where} is not {'' if kind in NONHOMOGENEOUS else 'known to be '}homogeneous")

    def apply_rule(self, kind: LayerRule, use: LayerCall) -> Any:
        """Process a call of a layer that has a rule, and return its result. If the call is one that the rule does
        not cover, fix the scales."""
        values, parameters = use.values, use.stored_tensors
        if not values:
            if (picked := kind.select_stored(use)) is not None:
                return picked
            self.pin_parameter(parameters, use.where)
            return self.new_space(f"{use.where} makes it without an input")
        if (output := kind.propagate(self, use)) is not None:
            return output
        self.pin_parameter(parameters, use.where)
        other = "activations" if len(values) > 1 else "something other than one weight of the model"
        reason = f"{use.where} multiplies by {other}"
        self.add_dual(values, reason)
        return self.fix_scale(values, reason)

    def add_dual(self, values: list[Activation], reason: str, aligned: bool = False) -> None:
        """Record two activations that enter only through their product: one can be multiplied and the other divided by
        c.

        `aligned` means that this holds unit by unit, since each unit of one is multiplied only by the same unit of the
        other.
        """
        free = len(values) == 2 and not any(self.draft(value).fixed for value in values)
        if free and self.find(values[0].space) != self.find(values[1].space):
            self.duals.append((values[0], values[1], reason, aligned))

    def scalable_operand(self, values: list[Activation]) -> Activation | None:
        """Return the one operand of a product whose scale is not fixed, or None. The product has degree 1 in it."""
        free = [value for value in values if not self.draft(value).fixed]
        return free[0] if len(free) == 1 else None

    def apply_product(
        self, kind: str, use: LayerCall, first: object, values: list[Activation], parameters: list[StoredTensor]
    ) -> Activation:
        """Process an elementwise product or a quotient, and return its result."""
        if (gain := apply_gain(self, kind, use, first, values, parameters)) is not None:
            return gain
        self.pin_parameter(parameters, use.where)
        free = values[0] if len(values) == 1 else self.scalable_operand(values)
        if free is None or ("div" in kind and free is not first):
            return self.fix_scale(values, f"{use.where} multiplies or divides activations")
        return self.apply_homogeneous(free, use.where, free.layout if len({x.layout for x in values}) == 1 else None)

    def apply_attention(
        self, where: str, query: object, key: object, read: object, values: list[Activation]
    ) -> Activation:
        """Process attention, which has degree 1 in the values, with weights that depend on the product of queries
        and keys."""
        reason = f"{where} sees its scale"
        pair = [x for x in (query, key) if isinstance(x, Activation)]
        masks = [x for x in values if not any(x is one for one in (query, key, read))]
        placed = {(x.layout, x.heads if x.layout == "heads" else 0) for x in pair}
        aligned = placed == {("last", 0)} or (len(placed) == 1 and pair[0].layout == "heads")
        self.add_dual(pair, reason, aligned)
        # fixed before the test below, since values may be the same as queries or keys
        mixed = self.fix_scale([*pair, *masks], reason)
        if not isinstance(read, Activation) or self.draft(read).fixed:
            return mixed
        own = (read.layout, read.heads if read.layout == "heads" else 0) in placed and aligned
        for value in [*pair, read] if own else []:
            self.draft(value).heads = value.heads if value.layout == "heads" else 0
        return self.apply_homogeneous(read, where, read.layout if own else None)

    def apply_sum(
        self, kind: str, where: str, args: Any, values: list[Activation], parameters: list[StoredTensor]
    ) -> Activation:
        """Process a sum: its operands scale together, and adding a constant fixes the scale."""
        self.merge_spaces(values)
        draft = self.draft(values[0])
        draft.offsets.extend(x.name for x in parameters if x.learned)
        joins = kind in ("cat", "concat", "concatenate", "stack")
        loose = [x for x in flatten(args) if not isinstance(x, (Activation, StoredTensor))]
        # the other arguments of a concatenation are axes
        loose = [x for x in loose if x in (CONSTANT, None) or not joins]
        if any(x != 0 for x in loose) or any(not x.learned for x in parameters):
            draft.fixed.append(f"{where} adds a constant")
        same = len({value.layout for value in values}) == 1 and not joins
        return self.apply_homogeneous(values[0], where, values[0].layout if same else None)

    def finish(self, result: object) -> Structure:
        """Return the structure, given the result of the forward pass, after all calls were processed."""
        for value in flatten(result):
            if isinstance(value, (Activation, ActivationStatistic)):
                self.draft(value if isinstance(value, Activation) else value.of).output = True
        self.pin_parameter(flatten(result), "the output")
        split_fused_layers(self)
        layers = []
        for layer in self.layers:
            reads = tuple(replace(read, space=self.find(read.space)) for read in layer.reads)
            layers.append(replace(layer, reads=reads, writes=self.find(layer.writes)))
            if len({read.space for read in reads}) < len(reads):
                self.drafts[reads[0].space].fixed.append(f"{layer} multiplies it by itself")
        spaces = {}
        for key, draft in enumerate(self.drafts):
            if self.root[key] == key:
                lists = {k: tuple(dict.fromkeys(v)) for k, v in vars(draft).items() if isinstance(v, list)}
                spaces[key] = ActivationSpace(output=draft.output, heads=draft.heads, **lists)
        pinned = self.pinned | self.overlapping_parameters(layers)
        return Structure(tuple(layers), spaces, pinned, self.free_duals(spaces))

    def overlapping_parameters(self, layers: Sequence[Layer]) -> dict[str, str]:
        """Return the slices of parameters that are also used as a whole, and these parameters, with the place of
        that use."""
        names = [name for layer in layers for name in (layer.weight, layer.bias) if name]
        names += [name for draft in self.drafts for name in draft.offsets]
        parts = {name for name in names if isinstance(name, ParameterSlice)}
        twice: dict[str, str] = {}
        for part in parts:
            if part.whole in names:
                twice |= dict.fromkeys((part, part.whole), f"'{part.whole}', used as a whole")
            elif part.whole in self.pinned:
                twice[part] = self.pinned[part.whole]
        return twice

    def free_duals(self, spaces: Mapping[int, ActivationSpace]) -> tuple[DualSpaces, ...]:
        """Return the dual spaces that nothing else depends on."""
        duals = []
        for one, other, reason, aligned in self.duals:
            keys = self.find(one.space), self.find(other.space)
            alone = all(
                spaces[key].fixed == (reason,)
                and spaces[key].writers
                and not (spaces[key].readers or spaces[key].norms or spaces[key].output)
                for key in keys
            )
            if alone and keys[0] != keys[1]:
                duals.append(DualSpaces(*keys, aligned))
        return tuple(duals)
