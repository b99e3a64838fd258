"""Rule for `nn.MultiheadAttention`: queries, keys, values and the output projection."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch import nn

from lazyrich.torch._model.parameter_slices import ParameterSlice
from lazyrich.torch.layer_rules.operands import Activation, LayerCall, StoredTensor, flatten, is_unmodified_parameter
from lazyrich.torch.layer_rules.rule import LayerRule

if TYPE_CHECKING:
    from lazyrich.torch._structure.forward_pass import ForwardPass


class Attention(LayerRule):
    """Four layers: q, k and v (rows of one matrix, or three matrices) and `out_proj`.

    The attention weights depend only on the products of queries and keys, feature by feature within each head, so that
    one can be multiplied and the other divided. Attention has degree 1 in the values.
    """

    module_types = (nn.MultiheadAttention,)
    input_arguments = ("query", "key", "value")

    def has_weight(self, module: nn.Module) -> bool:
        return True

    def module_arguments(self, module: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        arguments = dict(zip(self.input_arguments, args, strict=False)) | {
            k: x for k, x in kwargs.items() if k in self.input_arguments
        }
        names = (
            "in_proj_weight",
            "in_proj_bias",
            "q_proj_weight",
            "k_proj_weight",
            "v_proj_weight",
            "bias_k",
            "bias_v",
        )
        parameters = {name: getattr(module, name) for name in names}
        parameters |= {"weight": module.out_proj.weight, "bias": module.out_proj.bias}
        masks = [*args[3:], *(x for name, x in kwargs.items() if name not in self.input_arguments)]
        return {
            **arguments,
            "masks": tuple(masks),
            "width": module.embed_dim,
            "heads": module.num_heads,
            "stored": parameters,
        }

    def propagate(self, forward_pass: "ForwardPass", use: LayerCall) -> Any:
        bound: Mapping[str, Any] = use.bound
        reads: list[Any] = [bound.get(name) for name in self.input_arguments]
        masks = list(flatten(bound["masks"]))
        parameters = bound["stored"]
        if not all(isinstance(x, Activation) for x in reads) or not all(
            x is None or is_unmodified_parameter(x) for x in parameters.values()
        ):
            return None
        forward_pass.pin_parameter(masks, use.where)
        forward_pass.fix_scale([x for x in masks if isinstance(x, Activation)], f"{use.where} adds it to products")
        matrices, biases = self._qkv_weights(parameters, bound["width"])
        q, k, v = (
            self._write_projection(forward_pass, use, *which)
            for which in zip("qkv", reads, matrices, biases, strict=True)
        )
        for projection, name in ((k, "bias_k"), (v, "bias_v")):  # a learned additional key and value
            forward_pass.draft(projection).offsets.extend(
                [parameters[name].name] if parameters[name] is not None else []
            )
        reason = f"{use.where} sees its scale"
        forward_pass.add_dual([q, k], reason, aligned=True)
        weights = forward_pass.fix_scale([q, k], reason)
        out = forward_pass.new_space(layout="last")
        behind = replace(use, scope=f"{use.scope}.out_proj".removeprefix("."))
        forward_pass.add_layer(
            behind,
            parameters["weight"],
            parameters["bias"],
            out,
            [(forward_pass.apply_homogeneous(v, use.where, "last"), 1, True)],
            0,
            1,
        )
        return out, weights

    def _qkv_weights(
        self, parameters: Mapping[str, Any], width: int
    ) -> tuple[list[StoredTensor], list[StoredTensor | None]]:
        """Return the three weights and biases of queries, keys and values."""
        rows = [(i * width, (i + 1) * width) for i in range(3)]

        def parts(x: StoredTensor) -> list[StoredTensor]:
            return [replace(x, name=ParameterSlice(x.name, range(*both))) for both in rows]

        joint, bias = parameters["in_proj_weight"], parameters["in_proj_bias"]
        apart = [parameters[f"{name}_proj_weight"] for name in "qkv"]
        return apart if joint is None else parts(joint), [None] * 3 if bias is None else list(parts(bias))

    def _write_projection(
        self,
        forward_pass: "ForwardPass",
        use: LayerCall,
        name: str,
        read: Activation,
        weight: StoredTensor,
        bias: StoredTensor | None,
    ) -> Activation:
        output = forward_pass.new_space(layout="last")
        forward_pass.draft(output).heads = use.bound["heads"]
        aligned = read.layout in self.input_axes
        label = f"{use.scope}.{name}".removeprefix(".")
        forward_pass.add_layer(use, weight, bias, output, [(read, 1, aligned)], 0, 1, name=label)
        return output
