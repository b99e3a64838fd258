"""Interface of the rules for kinds of layers."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from torch import Tensor, nn

from lazyrich.torch.layer_rules.operands import Activation, LayerCall, StoredTensor, is_unmodified_parameter

if TYPE_CHECKING:
    from lazyrich.torch._structure.forward_pass import ForwardPass


class LayerRule:
    r"""Rule for one kind of layer; the defaults are those of a matrix that acts on the last axis.

    Its parameters are called `weight` and `bias`. A rule answers three questions:

    - How do scales propagate? (`propagate`, with the attributes that it uses: `input_arguments`, `allowed_views`,
      `axes`, `input_axes`, `output_axis`.) A weight layer reads the spaces of its inputs and writes a new one.
    - What are the two factors of its Jacobian? For one sample, output k and the weight as a
      stack of matrices (g, o, i), $\partial f_k/\partial W_{goi} = \sum_t s_{tgo}\, x_{tgi}$, where t runs over the
      positions (pixels, tokens) at which the layer is applied: `columns` are x, `signals` the shape of s. The bias is
      one more column of ones.
    - Is the activation after it named after it (`weighted`)?
    """

    module_types: ClassVar[tuple[type[nn.Module], ...]] = ()
    function_signatures: ClassVar[
        tuple[str, ...]
    ] = ()  # its functions by canonical name (`canonical_name`), with their arguments
    unsupported_functions: ClassVar[frozenset[str]] = (
        frozenset()
    )  # functions that apply such a weight in ways that no rule covers
    input_arguments: ClassVar[tuple[str, ...]] = ("input",)  # the arguments that are activations
    allowed_views: ClassVar[tuple[str, ...]] = ("",)  # allowed views of the stored weight, as in `StoredTensor`
    input_axes: ClassVar[tuple[str, ...]] = (
        "last",
        "flat",
    )  # layouts of an input in which its units can be distinguished
    output_axis: ClassVar[str | None] = "last"
    names_activation: ClassVar[bool] = True

    @cached_property
    def arguments(self) -> dict[str, list[str]]:
        """Names of the arguments of each of its functions."""
        return {
            name: rest.rstrip(")").split(", ")
            for name, _, rest in (call.partition("(") for call in self.function_signatures)
        }

    def axes(self, view: str) -> tuple[int, Sequence[int]]:
        """Return the axis of the weight along which its outputs lie, and that of each input. Groups are along axis
        0."""
        return 0, (1,)

    def untrained_row(self, use: LayerCall) -> int | None:
        """Return the row of the weight that is never trained, or None."""
        return None

    def is_homogeneous(self, use: LayerCall, shape: Sequence[int]) -> bool:
        """Return whether this use of a weight of this shape is homogeneous in it."""
        return True

    def propagate(self, forward_pass: "ForwardPass", use: LayerCall) -> Any:
        """Return the output of one call (a tuple for several outputs), or None if the rule does not cover the call."""
        weight, bias = use.bound.get("weight"), use.bound.get("bias")
        values = [use.bound.get(name) for name in self.input_arguments]
        if not (isinstance(weight, StoredTensor) and weight.learned and weight.view in self.allowed_views):
            return None
        shape, (out, into) = forward_pass.shapes[weight.name], self.axes(weight.view)
        if (
            len(shape) <= max(out, *into)
            or not self.is_homogeneous(use, shape)
            or not (bias is None or is_unmodified_parameter(bias))
        ):
            return None
        reads = [(x, axis, x.layout in self.input_axes) for x, axis in zip(values, into, strict=True)
                 if isinstance(x, Activation)]  # fmt: skip
        if len(reads) < len(values):
            return None
        output = forward_pass.new_space(layout=self.output_axis, ndim=len(shape))
        forward_pass.add_layer(
            use, weight, bias, output, reads, out, int(use.bound.get("groups") or 1), self.untrained_row(use)
        )
        return output

    def select_stored(self, use: LayerCall) -> StoredTensor | None:
        """Return the stored tensor that a call without activations returns, or None."""
        return None

    def has_weight(self, module: nn.Module) -> bool:
        """Return whether this module has the weight that makes it a layer."""
        return "weight" in module._parameters

    def module_arguments(self, module: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the function that corresponds to a call of the module."""
        roles = next(iter(self.arguments.values()), [*self.input_arguments, "weight", "bias"])
        parameters = {role: getattr(module, role, None) for role in roles if role not in self.input_arguments}
        return dict(zip(self.input_arguments, (*args, *kwargs.values()), strict=False)) | parameters

    def columns(self, module: nn.Module, args: Sequence[Tensor], m: int) -> Tensor | None:
        """Return the inputs that multiply the weight, as (m, t, g, i) for m samples; or tokens (m, t); or None if
        unknown."""
        return None

    def signals(self, module: nn.Module, value: Tensor, m: int) -> Tensor | None:
        """Return an output, or the derivative by it, as (m, t, g, o), or None if unknown."""
        return None

    def as_matrices(self, module: nn.Module, weight: Tensor) -> Tensor:
        """Return the weight in an order that can be reshaped to (g, o, i)."""
        return weight


def split_samples(x: Tensor, m: int, *tail: int) -> Tensor | None:
    """Reshape to (m, t, *tail), for any t, or return None if the size does not divide: the samples are not along
    axis 0."""
    size = m * prod(tail)
    return x.reshape(m, -1, *tail) if size and x.numel() % size == 0 else None


def channels_last(x: Tensor, m: int, groups: int | None = None) -> Tensor | None:
    """Move the channels from axis 1 to the end: (m, t, g, channels of a group), by default with one channel per
    group."""
    if x.ndim < 2:
        return None
    groups = x.shape[1] if groups is None else groups
    return split_samples(x.movedim(1, -1), m, groups, x.shape[1] // groups)
