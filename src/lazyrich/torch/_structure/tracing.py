"""Trace a forward pass in one of two ways: symbolically (`torch.fx`), or by running it once on a batch."""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.overrides import TorchFunctionMode

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._model.preserve_model import (
    full_precision,
    measurement_mode,
    name_layer_in_errors,
    preserve_model,
)
from lazyrich.torch._structure.forward_pass import ForwardPass
from lazyrich.torch._structure.function_rules import SHAPE_QUERIES, canonical_name
from lazyrich.torch._structure.gradient_reach import (
    NOT_OF_THE_FUNCTION,
    GradientTracer,
    find_unreached,
    measure_unreached,
    stops_gradients,
)
from lazyrich.torch._structure.row_tracking import distinct_rows, rearrange, row_layout, row_numbers
from lazyrich.torch._structure.space import Structure
from lazyrich.torch._structure.verification import verify_structure
from lazyrich.torch.layer_rules import LayerRule, rule_for
from lazyrich.torch.layer_rules.operands import CONSTANT, Activation, LayerCall, flatten


def trace_symbolically(model: nn.Module) -> Structure:
    """Return the structure of a model, traced symbolically in evaluation mode, without inputs."""
    forward_pass = ForwardPass(model)
    with preserve_model(model), full_precision(model), torch.inference_mode(False), torch.enable_grad():
        try:
            graph = _Tracer().trace(model.eval())
        except Exception as error:
            raise ValueError(
                f"the forward pass of {type(model).__name__} cannot be followed without running it "
                f"({type(error).__name__}: {error}). Pass inputs=..., one small batch, and it is run once instead"
            ) from error
        # Inside the context, since tracing stores constants of the forward pass on the model.
        return replace(_read_graph(forward_pass, model, graph), unreached=find_unreached(model, graph))


def _read_graph(forward_pass: ForwardPass, model: nn.Module, graph: fx.Graph) -> Structure:
    value_of_node: dict[fx.Node, Any] = {}
    result: Any = None
    for node in graph.nodes:
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), value_of_node.__getitem__)
        scope = next(reversed(node.meta.get("nn_module_stack", {"": None})), "")
        if stops_gradients(node):
            forward_pass.fix_scale(
                [x for x in flatten((args, kwargs)) if isinstance(x, Activation)], NOT_OF_THE_FUNCTION
            )
        match node.op:
            case "placeholder":
                value_of_node[node] = forward_pass.new_space("it is the input")
            case "get_attr":
                value_of_node[node] = _stored_tensor(forward_pass, operator.attrgetter(node.target)(model))
            case "call_module":
                value_of_node[node] = _call_module(
                    forward_pass, model.get_submodule(node.target), node.target, args, kwargs
                )
            case "output":
                result = args
            case "call_function" if node.target is operator.getitem and isinstance(args[0], tuple):
                value_of_node[node] = args[0][args[1]]
            case "call_function" if node.target is getattr:
                value_of_node[node] = forward_pass.record_call(args[1], scope, args[:1], {})
            case _:
                name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "a function")
                value_of_node[node] = forward_pass.record_call(name, scope, args, kwargs)
    return forward_pass.finish(result)


def _stored_tensor(forward_pass: ForwardPass, x: object) -> Any:
    return forward_pass.tensor_of_id.get(id(x), CONSTANT) if isinstance(x, Tensor) else x


def _stored_or_nested(forward_pass: ForwardPass, x: object) -> Any:
    """Apply `_stored_tensor` to a tensor, or to each value of a dictionary."""
    return (
        {name: _stored_tensor(forward_pass, one) for name, one in x.items()}
        if isinstance(x, dict)
        else _stored_tensor(forward_pass, x)
    )


class _Tracer(GradientTracer):
    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        if isinstance(m, (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)):
            return False
        return super().is_leaf_module(m, module_qualified_name) or _opaque_rule(m) is not None


def _opaque_rule(module: nn.Module) -> LayerRule | None:
    """Return the rule of a module that is handled as a whole, because it is not a torch function; None for others."""
    kind = rule_for(module)
    return kind if kind is not None and not kind.function_signatures else None


def _call_module(
    forward_pass: ForwardPass, module: nn.Module, scope: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Process the call of a module, by its layer rule or as a call of its function, and return the result."""
    name, kind = type(module).__name__, rule_for(module)
    if kind is not None and kind.has_weight(module):
        arguments = kind.module_arguments(module, args, kwargs)
        bound = {role: _stored_or_nested(forward_pass, x) for role, x in arguments.items()}
        return forward_pass.apply_rule(kind, LayerCall(scope, f"{name} in '{scope}'" if scope else name, bound))
    forward_pass.pin_parameter((_stored_tensor(forward_pass, p) for p in module.parameters()), f"{name} in '{scope}'")
    extra = (module.start_dim, module.end_dim) if isinstance(module, nn.Flatten) else ()
    return forward_pass.record_call(name, scope, (*args, *extra), kwargs)


def trace_by_running(model: nn.Module, inputs: Batch, reading: OutputReader) -> Structure:
    """Return the structure of a model, from one run on a batch in evaluation mode."""
    watch = CallRecorder(model, inputs.tensors)
    with measurement_mode(model), torch.no_grad(), name_layer_in_errors(model, reading) as forward:
        for name, module in model.named_modules():
            if not isinstance(module, torch.jit.ScriptModule):
                module.register_forward_pre_hook(lambda module, _, name=name: watch.enter_module(name, module))
                module.register_forward_hook(watch.leave_module, with_kwargs=True)
        with watch:
            result = forward(inputs)
    layout = verify_structure(model, watch.forward_pass.finish(watch.resolve(result)), inputs, reading)
    return replace(layout, unreached=measure_unreached(model, inputs, reading))


class CallRecorder(TorchFunctionMode):
    """Mode that passes every call of a torch function to a `ForwardPass`."""

    def __init__(self, model: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        super().__init__()
        self.forward_pass = ForwardPass(model)
        self.scopes: list[tuple[str, bool]] = []  # the enclosing modules, and whether they are handled as a whole
        self.values: dict[int, Any] = {}
        self.numbers: dict[int, Tensor] = {}  # row numbers of the entries of a tensor
        self.alive: list[Any] = []  # keeps tensors alive, so that no id is reused
        self.inputs = {id(x) for x in inputs}
        self.remember(inputs, self.forward_pass.new_space("it is the input"))

    def enter_module(self, name: str, module: nn.Module) -> None:
        inside = bool(self.scopes) and self.scopes[-1][1]
        self.scopes.append((name, inside or _opaque_rule(module) is not None))

    def leave_module(self, module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        scope, whole = self.scopes.pop()
        if whole and not (self.scopes and self.scopes[-1][1]):
            self.remember(
                output, _call_module(self.forward_pass, module, scope, self.resolve(args), self.resolve(kwargs))
            )

    def remember(self, result: Any, value: object) -> None:
        if isinstance(value, tuple):
            for one, its in zip(result, value, strict=True):
                self.remember(one, its)
            return
        for tensor in flatten(result):
            if isinstance(tensor, Tensor):
                self.values[id(tensor)] = value
                self.alive.append(tensor)

    def resolve(self, x: object) -> Any:
        """Replace tensors by what is known about them: an activation, a stored tensor or a constant."""
        if isinstance(x, Tensor):
            if not x.numel():
                return 0  # concatenating an empty cache adds nothing
            return self.values.get(id(x)) or self.forward_pass.tensor_of_id.get(id(x), CONSTANT)
        if isinstance(x, (tuple, list)):
            return tuple(self.resolve(one) for one in x)
        return {key: self.resolve(one) for key, one in x.items()} if isinstance(x, dict) else x

    def process_call(
        self,
        func: Callable[..., Any],
        kind: str,
        value: Activation,
        args: Any,
        kwargs: Any,
        result: Any,
        output: Activation,
    ) -> Activation | tuple[Activation, ...]:
        """Return the result of a call that rearranges units; where only some rows of a layer are left, in a space of
        their own."""
        numbers = self.numbers.get(id(args[0]))
        numbers = row_numbers(value, args[0].shape) if numbers is None else numbers
        moved = None if numbers is None else rearrange(func, kind, numbers, args, kwargs, result)
        if (
            numbers is None
            or moved is None
            or self.forward_pass.find(output.space) != self.forward_pass.find(value.space)
        ):
            return output
        values = []
        for tensor, its in zip([result] if isinstance(result, Tensor) else result, moved, strict=True):
            if not tensor.numel():  # such as the rest after a rotation of all units
                values.append(output)
                continue
            before, rows, one = value.rows or distinct_rows(numbers), value.rows, output
            if tensor.numel() < args[0].numel() and (remaining := distinct_rows(its)) != before:
                rows, one = remaining, self.forward_pass.part(output, remaining)
            layout, heads = row_layout(its, rows or before)
            if layout is not None:
                one = replace(one, layout=layout, heads=heads or one.heads)
            self.numbers[id(tensor)] = its
            values.append(one)
        return values[0] if isinstance(result, Tensor) else tuple(values)

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        scope, whole = self.scopes[-1] if self.scopes else ("", False)
        if whole:
            return func(*args, **kwargs)
        name = getattr(func, "__name__", type(func).__name__)
        name = getattr(getattr(func, "__self__", None), "__name__", name) if name == "__get__" else name
        operands = self.resolve(args), self.resolve(kwargs)
        before = {id(x) for x in flatten(args) if isinstance(x, Tensor)}
        # read before the call, which may work in place
        shape = tuple(args[0].shape) if args and isinstance(args[0], Tensor) else None
        result = func(*args, **kwargs)
        tensors = [x for x in flatten(result) if isinstance(x, Tensor)]
        shape_query = not tensors and (name.startswith(("is_", "__get")) or canonical_name(name) in SHAPE_QUERIES)
        if shape_query or (id(result) in before and name in ("to", "contiguous", "requires_grad_")):
            return result
        shapes = (shape, tuple(result.shape)) if shape is not None and isinstance(result, Tensor) else None
        if name == "clone" and id(args[0]) in self.inputs:  # the model is called with copies
            self.remember(result, operands[0][0])
            return result
        output = self.forward_pass.record_call(name, scope, *operands, shapes)
        if isinstance(output, Activation) and operands[0] and isinstance(operands[0][0], Activation):
            output = self.process_call(func, canonical_name(name), operands[0][0], args, kwargs, result, output)
        self.remember(result, output if output is not None else CONSTANT)
        return result
