"""Reads the calls of a forward pass: which are weight layers, which are homogeneous, which fix a scale."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from lazyrich.torch.spaces import Layer, Norm, Space, Structure


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names of functions, methods and modules in one spelling: max_pool2d, MaxPool2d → maxpool; relu_, ReLU → relu.
ELEMENTWISE = _words("""relu leakyrelu prelu rrelu identity dropout featuredropout abs neg contiguous clone
                        to type typeas float double half bfloat16 cpu cuda""")
POOLING = _words("""maxpool avgpool adaptivemaxpool adaptiveavgpool upsample interpolate upsamplingnearest
                    upsamplingbilinear pad zeropad reflectionpad replicationpad circularpad""")
FLATTENING = _words("flatten view reshape")
REARRANGING = _words("""permute transpose t T mT swapaxes movedim getitem chunk split unbind select narrow squeeze
                        unsqueeze expand repeat repeatinterleave roll flip unflatten unfold sum mean amax amin""")
SUMS = _words("add radd iadd sub rsub isub maximum minimum cat concat concatenate stack")
PRODUCTS = _words("mul rmul imul multiply div truediv itruediv divide")
QUERIES = _words("""size dim ndimension numel stride len isinstance isfloatingpoint iscomplex shape dtype device ndim
                    itemsize isleaf requiresgrad iscuda isnested layout names grad gradfn""")
CURVED = _words("""gelu tanh sigmoid silu softmax logsoftmax softplus softsign elu selu celu mish glu relu6 hardtanh
                   hardswish hardsigmoid logsigmoid tanhshrink exp log sin cos sqrt pow threshold clamp""")
ROLES = {
    "linear": "input weight bias",
    "conv": "input weight bias stride padding dilation groups",
    "convtranspose": "input weight bias stride padding output_padding groups",
    "embedding": "input weight padding_idx max_norm",
    "matmul": "input weight",
    "addmm": "bias input weight beta alpha",
    "batchnorm": "input running_mean running_var weight bias",
    "instancenorm": "input running_mean running_var weight bias",
    "layernorm": "input normalized_shape weight bias",
    "groupnorm": "input num_groups weight bias",
    "rmsnorm": "input normalized_shape weight",
    "normalize": "input",
}
NORMS = _words("batchnorm instancenorm layernorm groupnorm rmsnorm normalize")
STATISTICS = {"square": 2, "var": 2, "std": 1}  # positive ones, of this degree in the activation
EPS = 1e-2  # a number this small, added to a statistic of an activation, is there to avoid a division by 0
DEGREE_ONE = ELEMENTWISE | POOLING | FLATTENING | REARRANGING


def spelling(name: str) -> str:
    """One spelling for a function, its method, its in-place twin and its module."""
    if name in ("T", "mT"):
        return name
    plain = re.sub(r"\dd$", "", name.strip("_")).replace("_", "").lower()
    return {"syncbatchnorm": "batchnorm", "mm": "matmul", "bmm": "matmul"}.get(plain, plain)


CONSTANT = object()  # a tensor that is neither an activation nor of the model


@dataclass(frozen=True)
class Value:
    """An activation: its space, and where its units lie: 'first' (axis 1), 'last', 'flat' (in blocks) or unknown."""

    space: int
    layout: str | None


@dataclass(frozen=True)
class Size:
    """A positive statistic of an activation, such as its mean square, of this degree in its scale (up to an eps)."""

    of: Value
    degree: float
    where: str


@dataclass(frozen=True)
class Stored:
    """A parameter (or buffer) of the model, possibly rearranged: '' as it is, 'T' transposed, '?' otherwise."""

    name: str
    learned: bool
    view: str = ""


@dataclass
class Draft:
    """A space in the making."""

    writers: list[int] = field(default_factory=list)
    readers: list[int] = field(default_factory=list)
    norms: list[Norm] = field(default_factory=list)
    offsets: list[str] = field(default_factory=list)
    through: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    output: bool = False


class Reading:
    """Follows the calls of a forward pass and collects layers and spaces."""

    def __init__(self, model: nn.Module) -> None:
        self.layers: list[dict[str, Any]] = []
        self.drafts: list[Draft] = []
        self.pinned: dict[str, str] = {}
        self.root: list[int] = []
        self.stored = {id(b): Stored(name, False) for name, b in model.named_buffers()}
        self.stored |= {id(p): Stored(name, True) for name, p in model.named_parameters()}
        self.held = {name: id(p) for name, p in model.named_parameters(remove_duplicate=False)}
        self.shapes = {name: p.shape for name, p in model.named_parameters()}

    def space(self, *fixed: str, layout: str | None = None) -> Value:
        """A new space."""
        self.drafts.append(Draft(fixed=list(fixed)))
        self.root.append(len(self.root))
        return Value(len(self.root) - 1, layout)

    def draft(self, value: Value) -> Draft:
        return self.drafts[self.find(value.space)]

    def find(self, key: int) -> int:
        while self.root[key] != key:
            key = self.root[key]
        return key

    def join(self, values: list[Value]) -> None:
        """Make them one space."""
        first = self.find(values[0].space)
        for value in values[1:]:
            other = self.find(value.space)
            if other != first:
                mine, theirs = self.drafts[first], self.drafts[other]
                for name in ("writers", "readers", "norms", "offsets", "through", "fixed"):
                    getattr(mine, name).extend(getattr(theirs, name))
                mine.output |= theirs.output
                self.root[other] = first

    def call(self, name: str, scope: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What comes out of one call: a value, a stored tensor, or None when it is not an activation."""
        kind = spelling(name)
        operands = list(flat((args, tuple(kwargs.values()))))
        values = [x for x in operands if isinstance(x, Value)]
        stored = [x for x in operands if isinstance(x, Stored)]
        where = name.strip("_") + (f" in '{scope}'" if scope else "")
        first = args[0] if args else kwargs.get("input")
        if kind in QUERIES:
            return None
        if kind in ("to", "typeas") and not isinstance(first, Value):  # a constant in the precision of an activation
            return first
        sizes = [x for x in operands if isinstance(x, Size)]
        if (found := self.statistic(kind, where, [*args, *kwargs.values()])) is not None:
            return found
        if sizes:
            self.pin(stored, where)
            return self.fix([*values, *(x.of for x in sizes)], f"{sizes[0].where} is not homogeneous")
        if not values:
            if len(stored) == 1 and kind in REARRANGING | FLATTENING | ELEMENTWISE:
                turned = kind in ("t", "T", "mT") and stored[0].view == ""
                kept = kind in ELEMENTWISE
                return Stored(stored[0].name, stored[0].learned, stored[0].view if kept else "T" if turned else "?")
            if kind == "embedding" and (rows := self.rows(args, kwargs)) is not None:
                return rows
            self.pin(stored, where)
            return self.space(f"{where} makes it without an input") if stored else None
        if kind in ROLES:
            bound = _bound(kind, args, kwargs)
            found = self.norm(kind, scope, where, bound) if kind in NORMS else self.layer(kind, scope, bound)
            if found is not None:
                return found
            self.pin(stored, where)
            if kind == "matmul" and (free := self.factor(values)) is not None:
                self.draft(free).through.append(where)
                return Value(free.space, None)
            other = "activations" if len(values) > 1 else "something other than one weight of the model"
            return self.fix(values, f"{where} multiplies by {other}")
        if kind in SUMS:
            terms = [x for key, x in kwargs.items() if key != "alpha"]
            return self.sum(kind, where, (args, terms), values, stored)
        if any(_rounds(kind, x) for x in operands):
            self.pin(stored, where)
            return self.fix(values, f"{where} rounds")
        if kind in PRODUCTS and (found := self.gain(kind, scope, first, values, stored)) is not None:
            return found
        self.pin(stored, where)
        if kind in PRODUCTS and len(values) == 1 and (first is values[0] or "div" not in kind):
            self.draft(values[0]).through.append(where)
            return values[0]
        if kind in PRODUCTS:
            free = self.factor(values)
            if free is not None and (free is first or "div" not in kind):
                self.draft(free).through.append(where)
                return Value(free.space, free.layout if len({x.layout for x in values}) == 1 else None)
            return self.fix(values, f"{where} multiplies or divides activations")
        if kind == "scaleddotproductattention":
            return self.attention(where, args[2] if len(args) > 2 else kwargs.get("value"), values)
        if kind == "pad" and (len(args) > 3 and args[3]) | bool(kwargs.get("value")):
            return self.fix(values, f"{where} pads with a constant other than 0")
        if kind in DEGREE_ONE and len(set(values)) == 1 and first is values[0]:
            self.draft(values[0]).through.append(where)
            return Value(values[0].space, _layout(kind, values[0].layout, args[1:], kwargs))
        return self.fix(values, f"{where} is not {'' if kind in CURVED else 'known to be '}homogeneous")

    def factor(self, values: list[Value]) -> Value | None:
        """Of a product, the one operand that may be scaled: the scale of the others is fixed, so it is of degree 1."""
        free = [value for value in values if not self.draft(value).fixed]
        return free[0] if len(free) == 1 else None

    def attention(self, where: str, read: Any, values: list[Value]) -> Value:
        """Of degree 1 in what is averaged, with weights that see the scale of everything else."""
        mixed = self.fix([x for x in values if x is not read], f"{where} sees its scale")
        if not isinstance(read, Value) or self.draft(read).fixed:
            return mixed
        self.draft(read).through.append(where)
        return Value(read.space, None)

    def statistic(self, kind: str, where: str, operands: list[Any]) -> Size | Value | None:
        """A statistic of an activation; or the activation divided by its own size: a normalisation, written out."""
        first, *rest = operands or [None]
        tensors = [x for x in flat(rest) if isinstance(x, (Value, Stored, Size)) or x is CONSTANT]
        power = rest[0] if kind == "pow" and len(rest) == 1 and isinstance(rest[0], (int, float)) else None
        if isinstance(first, Value) and not tensors and (power == 2 or kind in STATISTICS):
            return Size(first, STATISTICS.get(kind, 2), where)
        if isinstance(first, Size) and not tensors:
            roots = {"sqrt": 0.5, "rsqrt": -0.5, "reciprocal": -1.0}
            if kind in roots or power:
                return Size(first.of, first.degree * roots.get(kind, power or 0.0), first.where)
            small = all(isinstance(x, (int, float)) and 0 <= x <= EPS for x in rest)
            kept = kind in REARRANGING | ELEMENTWISE or (kind in ("add", "radd", "iadd", "clampmin") and small)
            return first if kept else None
        reads = [x for x in operands if isinstance(x, Value)]
        sizes = [x for x in operands if isinstance(x, Size)]
        if kind not in PRODUCTS or len(operands) != 2 or not (reads and sizes):
            return None
        read, size = reads[0], sizes[0]
        divided = size.degree == (1 if "div" in kind else -1) and (read is first or "div" not in kind)
        if not divided or self.find(read.space) != self.find(size.of.space):
            return None
        return self.normalised(read, where)

    def normalised(self, read: Value, where: str, running: tuple[str, ...] = ()) -> Value:
        """What comes out of a normalisation without a gain."""
        self.draft(read).norms.append(Norm(where, running))
        return self.space(f"it comes out of {where}, which has no gain", layout=read.layout)

    def gain(self, kind: str, scope: str, first: Any, values: list[Value], stored: list[Stored]) -> Value | None:
        """A learned factor of something whose scale is fixed, such as the output of a normalisation: writes a space."""
        if len(values) != 1 or len(stored) != 1 or not self.draft(values[0]).fixed:
            return None
        (gain,) = stored
        if not _own(gain) or len(self.shapes[gain.name]) != 1 or ("div" in kind and first is not gain):
            return None
        written = self.space(layout="last")
        self.add(scope, gain, None, written, reads=None, kind="norm", out_axis=0, groups=1, aligned=False)
        return written

    def rows(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Stored | None:
        """Rows of a parameter, picked by something that is not an activation, such as the embeddings of positions."""
        bound = _bound("embedding", args, kwargs)
        weight, read = bound["weight"], bound["input"]
        if not _own(weight) or bound.get("max_norm") is not None or (isinstance(read, Stored) and read.learned):
            return None
        return Stored(weight.name, True, "?")

    def pin(self, stored: Iterable[Any], where: str) -> None:
        """Parameters used in a way that scaling does not follow."""
        self.pinned |= {x.name: where for x in stored if isinstance(x, Stored) and x.learned}

    def fix(self, values: list[Value], reason: str) -> Value:
        for value in values:
            self.draft(value).fixed.append(reason)
        return self.space(reason)

    def sum(self, kind: str, where: str, args: Any, values: list[Value], stored: list[Stored]) -> Value:
        """Operands of a sum scale together; a constant cannot be scaled."""
        self.join(values)
        draft = self.draft(values[0])
        draft.through.append(where)
        draft.offsets.extend(x.name for x in stored if x.learned)
        joins = kind in ("cat", "concat", "concatenate", "stack")
        loose = [x for x in flat(args) if not isinstance(x, (Value, Stored))]
        loose = [x for x in loose if x in (CONSTANT, None) or not joins]  # the rest says along which axis
        if any(x != 0 for x in loose) or any(not x.learned for x in stored):
            draft.fixed.append(f"{where} adds a constant")
        same = len({value.layout for value in values}) == 1 and not joins
        return Value(values[0].space, values[0].layout if same else None)

    def layer(self, kind: str, scope: str, bound: Mapping[str, Any]) -> Value | None:
        """A weight layer: reads the space of its input, writes a new one."""
        read, weight, bias = bound["input"], bound.get("weight"), bound.get("bias")
        turned = kind in ("matmul", "addmm")
        if not (isinstance(weight, Stored) and isinstance(read, Value) and weight.view in ("", "T" if turned else "")):
            return None
        if not weight.learned or bound.get("max_norm") is not None or (turned and len(self.shapes[weight.name]) != 2):
            return None
        if (bias is not None and not _own(bias)) or (bound.get("beta", 1), bound.get("alpha", 1)) != (1, 1):
            return None
        last = kind == "linear" or turned
        aligned = read.layout in ("last", "flat") if last else read.layout == "first"
        out_axis = int(kind in ("convtranspose", "embedding") or (turned and weight.view == ""))
        written = self.space(layout="last" if last or kind == "embedding" else "first")
        self.draft(read).readers.append(len(self.layers))
        groups = int(bound.get("groups") or 1)
        self.add(scope, weight, bias, written, reads=read.space, kind=kind, out_axis=out_axis, groups=groups,
                 aligned=aligned)  # fmt: skip
        return written

    def norm(self, kind: str, scope: str, where: str, bound: Mapping[str, Any]) -> Value | None:
        """A normalisation: forgets the scale of what it reads; its gain and bias write a new space."""
        read, gain, bias = bound["input"], bound.get("weight"), bound.get("bias")
        if not isinstance(read, Value) or not all(x is None or _own(x) for x in (gain, bias)):
            return None
        running = (bound.get("running_mean"), bound.get("running_var"))
        written = self.normalised(read, where, tuple(x.name for x in running if isinstance(x, Stored)))
        if gain is None:
            return written
        last = kind in ("layernorm", "rmsnorm")
        layout = None if len(self.shapes[gain.name]) > 1 else "last" if last else read.layout
        written = self.space(layout=layout)
        self.add(scope, gain, bias, written, reads=None, kind="norm", out_axis=0, groups=1, aligned=False)
        return written

    def add(self, scope: str, weight: Stored, bias: Any, writes: Value, **rest: Any) -> None:
        self.draft(writes).writers.append(len(self.layers))
        own = self.held.get(f"{scope}.weight")  # of tied weights, each layer has its own name
        name = scope if own is not None and self.stored[own] == weight else weight.name.removesuffix(".weight")
        bias = bias.name if isinstance(bias, Stored) else None
        self.layers.append({"name": name, "weight": weight.name, "bias": bias, "writes": writes.space, **rest})

    def finish(self, result: Any) -> Structure:
        for value in flat(result):
            if isinstance(value, (Value, Size)):
                self.draft(value if isinstance(value, Value) else value.of).output = True
        self.pin(flat(result), "the output")
        for one in self.layers:
            one["reads"] = None if one["reads"] is None else self.find(one["reads"])
            one["writes"] = self.find(one["writes"])
        spaces = {}
        for key, draft in enumerate(self.drafts):
            if self.root[key] == key:
                lists = {k: tuple(dict.fromkeys(v)) for k, v in vars(draft).items() if isinstance(v, list)}
                spaces[key] = Space(output=draft.output, **lists)
        return Structure(tuple(Layer(**one) for one in self.layers), spaces, self.pinned)


def _rounds(kind: str, x: Any) -> bool:
    """Does this operand of a division or a change of type make it round?"""
    if isinstance(x, torch.dtype):
        return not x.is_floating_point
    return (kind == "type" and isinstance(x, (str, type))) or ("div" in kind and isinstance(x, str))


def _bound(kind: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names."""
    return dict(zip(ROLES[kind].split(), args, strict=False)) | dict(kwargs)


def _own(x: Any) -> bool:
    """Is it a parameter, as it is stored?"""
    return isinstance(x, Stored) and x.learned and not x.view


def flat(tree: Any) -> Iterator[Any]:
    if isinstance(tree, (tuple, list)):
        for branch in tree:
            yield from flat(branch)
    elif isinstance(tree, dict):
        yield from flat(tuple(tree.values()))
    else:
        yield tree


def _layout(kind: str, layout: str | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """Where the units lie after a map of degree 1."""
    if kind in ELEMENTWISE or (kind in POOLING and layout == "first"):
        return layout
    if kind == "flatten" and layout == "first":
        start, end = (*args, *[None] * 2)[:2]
        start = kwargs.get("start_dim", 0 if start is None else start)
        return "flat" if start == 1 and kwargs.get("end_dim", -1 if end is None else end) in (-1, 3) else None
    if kind in ("view", "reshape") and layout == "first":
        return "flat" if len(list(flat(args))) == 2 else None
    if kind == "mean" and layout == "first":
        dims = list(flat(args[0] if args else kwargs.get("dim", ())))[:2]
        return "flat" if set(dims) in ({2, 3}, {-1, -2}) else None
    return None
