"""Recognize normalizations written out by hand: a statistic of an activation, a division by it, and a learned gain."""

from typing import TYPE_CHECKING, Any

from lazyrich.torch._structure.function_rules import (
    ELEMENTWISE,
    MAX_STABILIZER,
    PRODUCT_LIKE,
    REARRANGING,
    STATISTIC_DEGREES,
)
from lazyrich.torch.layer_rules.operands import (
    CONSTANT,
    Activation,
    ActivationStatistic,
    LayerCall,
    StoredTensor,
    flatten,
    is_unmodified_parameter,
)

if TYPE_CHECKING:
    from lazyrich.torch._structure.forward_pass import ForwardPass


def apply_statistic(
    forward_pass: "ForwardPass", kind: str, where: str, operands: list[Any]
) -> ActivationStatistic | Activation | None:
    """Return a statistic of an activation, or the activation divided by its own size, or None if the call is
    neither."""
    first, *rest = operands or [None]
    tensors = [
        x for x in flatten(rest) if isinstance(x, (Activation, StoredTensor, ActivationStatistic)) or x is CONSTANT
    ]
    power = rest[0] if kind == "pow" and len(rest) == 1 and isinstance(rest[0], (int, float)) else None
    if isinstance(first, Activation) and not tensors and (power == 2 or kind in STATISTIC_DEGREES):
        return ActivationStatistic(first, STATISTIC_DEGREES.get(kind, 2), where)
    if isinstance(first, ActivationStatistic) and not tensors:
        roots = {"sqrt": 0.5, "rsqrt": -0.5, "reciprocal": -1.0}
        if kind in roots or power:
            return ActivationStatistic(first.of, first.degree * roots.get(kind, power or 0.0), first.where)
        small = all(isinstance(x, (int, float)) and 0 <= x <= MAX_STABILIZER for x in rest)
        keeps_statistic = kind in REARRANGING | ELEMENTWISE or (kind in ("add", "radd", "iadd", "clampmin") and small)
        return first if keeps_statistic else None
    reads = [x for x in operands if isinstance(x, Activation)]
    sizes = [x for x in operands if isinstance(x, ActivationStatistic)]
    if kind not in PRODUCT_LIKE or len(operands) != 2 or not (reads and sizes):
        return None
    read, size = reads[0], sizes[0]
    divided = size.degree == (1 if "div" in kind else -1) and (read is first or "div" not in kind)
    if not divided or forward_pass.find(read.space) != forward_pass.find(size.of.space):
        return None
    return forward_pass.add_norm(read, where)


def apply_gain(
    forward_pass: "ForwardPass",
    kind: str,
    use: LayerCall,
    first: object,
    values: list[Activation],
    parameters: list[StoredTensor],
) -> Activation | None:
    """Process the product of an activation of fixed scale, such as a normalized one, with a learned vector, which
    writes a new space. Return None for other products."""
    if len(values) != 1 or len(parameters) != 1 or not forward_pass.draft(values[0]).fixed:
        return None
    (factor,) = parameters
    if (
        not is_unmodified_parameter(factor)
        or len(forward_pass.shapes[factor.name]) != 1
        or ("div" in kind and first is not factor)
    ):
        return None
    output = forward_pass.new_space(layout="last")
    forward_pass.add_layer(use, factor, None, output, (), 0, 1)
    return output
