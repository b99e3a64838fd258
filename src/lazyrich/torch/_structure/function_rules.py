"""Rules for torch functions without weights: how they act on the scale of an activation, by canonical name."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import torch

from lazyrich.torch.layer_rules.operands import Activation, flatten


def _name_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Canonical names of functions, methods and modules: max_pool2d, MaxPool2d → maxpool; relu_, ReLU → relu.
ELEMENTWISE = _name_set("""relu leakyrelu rrelu identity dropout featuredropout abs neg contiguous clone
                        to type typeas float double half bfloat16 cpu cuda""")
POOLING = _name_set("""maxpool avgpool adaptivemaxpool adaptiveavgpool upsample interpolate upsamplingnearest
                    upsamplingbilinear pad zeropad reflectionpad replicationpad circularpad""")
FLATTENING = _name_set("flatten view reshape")
REARRANGING = _name_set("""permute transpose t T mT swapaxes movedim getitem chunk split unbind select narrow squeeze
                        unsqueeze expand repeat repeatinterleave roll flip unflatten unfold sum mean amax amin""")
SUM_LIKE = _name_set("add radd iadd sub rsub isub maximum minimum cat concat concatenate stack")
PRODUCT_LIKE = _name_set("mul rmul imul multiply div truediv itruediv divide")
SHAPE_QUERIES = _name_set("""size dim ndimension numel stride len isinstance isfloatingpoint iscomplex shape dtype
                    device ndim itemsize isleaf requiresgrad iscuda isnested layout names grad gradfn""")
NONHOMOGENEOUS = _name_set("""gelu tanh sigmoid silu softmax logsoftmax softplus softsign elu selu celu mish glu relu6
                   hardtanh hardswish hardsigmoid logsigmoid tanhshrink exp log sin cos sqrt pow threshold clamp""")
STATISTIC_DEGREES = {"square": 2, "var": 2, "std": 1}  # positive statistics, and their degree in the activation
MAX_STABILIZER = 1e-2  # the largest number that, added to a statistic, is taken for protection against division by 0
DEGREE_ONE = ELEMENTWISE | POOLING | FLATTENING | REARRANGING
# Activations with their kink or bend at 0. The sign of their input is the activation pattern.
KINKED_ACTIVATIONS = _name_set(
    """relu relu6 leakyrelu prelu rrelu elu celu selu gelu silu mish softplus hardswish tanh hardtanh"""
)


@cache
def canonical_name(name: str) -> str:
    """Return one spelling for a function, its method, its in-place variant and its module."""
    if name in ("T", "mT"):
        return name
    plain = re.sub(r"\dd$", "", name.strip("_")).replace("_", "").lower()
    return {"syncbatchnorm": "batchnorm", "mm": "matmul", "bmm": "matmul"}.get(plain, plain)


def is_rounding(kind: str, x: object) -> bool:
    """Return whether this operand makes a division or a change of type round."""
    if isinstance(x, torch.dtype):
        return not x.is_floating_point
    return (kind == "type" and isinstance(x, (str, type))) or ("div" in kind and isinstance(x, str))


Shapes = tuple[tuple[int, ...], tuple[int, ...]]  # shapes of the operand of a function and of its result


def layout_after(
    kind: str, value: Activation, args: tuple[Any, ...], kwargs: Mapping[str, Any], shapes: Shapes | None = None
) -> str | None:
    """Return the layout of the units after a map of degree 1, or None if unknown; splits into heads need the shapes."""
    keeps = shapes is not None and kind in FLATTENING and shapes[0] == shapes[1]
    if keeps or kind in ELEMENTWISE or (kind in POOLING and value.layout == "first"):
        return value.layout
    if shapes is not None and value.layout in ("last", "split", "heads"):
        return _layout_among_heads(kind, value.layout, args, kwargs, *shapes)
    if value.layout != "first" or value.ndim is None:
        return None
    if kind == "flatten":
        start, end = (*args, *[None] * 2)[:2]
        start = kwargs.get("start_dim", 0 if start is None else start)
        end = kwargs.get("end_dim", -1 if end is None else end)
        return "flat" if start == 1 and end in (-1, value.ndim - 1) else None
    if kind in ("view", "reshape"):
        return "flat" if len(list(flatten(args))) == 2 else None
    if kind in ("mean", "sum", "amax", "amin"):
        dims = args[0] if args else kwargs.get("dim", ())
        keepdim = kwargs.get("keepdim", args[1] if len(args) > 1 else False)
        over = {d % value.ndim for d in flatten(dims) if isinstance(d, int)}
        # a reduction over all positions
        return ("first" if keepdim else "flat") if over == set(range(2, value.ndim)) else None
    return None


def _layout_among_heads(
    kind: str, layout: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], before: tuple[int, ...],
    after: tuple[int, ...],
) -> str | None:  # fmt: skip
    """Return the layout after a call that splits units among heads, moves the axis of the heads to the front, or
    undoes either."""
    if kind in (*FLATTENING, "unflatten"):
        if layout == "last" and len(after) == len(before) + 1 and after[:-2] == before[:-1]:
            return "split"
        return "last" if layout == "split" and after[:-1] == before[:-2] else None
    turned = [d % len(before) for d in flatten((args, tuple(kwargs.values()))) if isinstance(d, int)]
    swaps = (kind in ("transpose", "swapaxes") and sorted(turned) == [1, 2]) or (
        kind == "permute" and turned == [0, 2, 1, 3]
    )
    return {"split": "heads", "heads": "split"}.get(layout) if swaps and len(before) == 4 else None
