"""Rule for matrices without a module: x @ W, x @ W.T, torch.addmm(b, x, W)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lazyrich.torch.layer_rules.operands import Activation, LayerCall
from lazyrich.torch.layer_rules.rule import LayerRule

if TYPE_CHECKING:
    from lazyrich.torch._structure.forward_pass import ForwardPass


class Matmul(LayerRule):
    """y = x W, with W as it is stored or transposed."""

    function_signatures = ("matmul(input, weight)", "addmm(bias, input, weight, beta, alpha)")
    unsupported_functions = frozenset({"einsum"})
    allowed_views = ("", "T")

    def axes(self, view: str) -> tuple[int, Sequence[int]]:
        return (0, (1,)) if view == "T" else (1, (0,))

    def is_homogeneous(self, use: LayerCall, shape: Sequence[int]) -> bool:
        return len(shape) == 2 and (use.bound.get("beta", 1), use.bound.get("alpha", 1)) == (1, 1)

    def propagate(self, forward_pass: "ForwardPass", use: LayerCall) -> Activation | None:
        """Return the output of the layer; or, if activations are multiplied, the result in the space of the one that
        is not fixed."""
        output = super().propagate(forward_pass, use)
        if (
            output is None
            and "bias" not in use.bound
            and (free := forward_pass.scalable_operand(use.values)) is not None
        ):
            forward_pass.pin_parameter(use.stored_tensors, use.where)
            return forward_pass.apply_homogeneous(free, use.where)
        return output
