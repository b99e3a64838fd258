"""Find the parameters that no gradient of the outputs reaches, such as those used under `torch.no_grad()`."""

import operator

import torch
from torch import fx, nn

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader, nested_tensors
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters
from lazyrich.torch._structure.function_rules import canonical_name

# functions that pass no gradient
STOPPING = frozenset({"detach", "data", "argmax", "argmin", "argsort", "long", "int", "bool"})
NO_GRADIENT = "torch.no_grad() in the forward pass?"
NOT_OF_THE_FUNCTION = "its gradients are not those of the function (detach, torch.no_grad() or a hook in it?)"


class GradientTracer(fx.Tracer):
    """Tracer that marks which nodes are differentiable: gradients are on, and the function passes them."""

    def create_node(self, *args: object, **kwargs: object) -> fx.Node:
        node = super().create_node(*args, **kwargs)  # type: ignore[arg-type]
        node.meta["differentiable"] = torch.is_grad_enabled() and _function(node) not in STOPPING
        return node


def _function(node: fx.Node) -> str:
    """Return the canonical name of the function that a node calls, or of the attribute that it reads, or ""."""
    name = node.args[1] if node.target is getattr else getattr(node.target, "__name__", node.target)
    return canonical_name(name) if node.op in ("call_function", "call_method") and isinstance(name, str) else ""


def stops_gradients(node: fx.Node) -> bool:
    """Return whether a node runs without gradients on an input that has them."""
    called = node.op.startswith("call_") and not node.meta["differentiable"]
    return called and any(x.op.startswith("call_") and x.meta["differentiable"] for x in node.all_input_nodes)


def find_unreached(model: nn.Module, graph: fx.Graph) -> frozenset[str]:
    """Return the trainable parameters that no gradient reaches in the graph of a `GradientTracer`."""
    reached: set[int] = set()
    todo, visited = [node for node in graph.nodes if node.op == "output"], set()
    while todo:
        node = todo.pop()
        # a parameter that is read without gradients may be used with gradients later
        called = node.op.startswith("call_")
        if node in visited or (called and not node.meta["differentiable"]):
            continue
        visited.add(node)
        todo += node.all_input_nodes
        if node.op == "call_module":
            reached |= {id(p) for p in model.get_submodule(str(node.target)).parameters()}
        elif node.op == "get_attr":
            reached.add(id(operator.attrgetter(str(node.target))(model)))
    return _trainable_without({name for name, p in trainable_parameters(model).items() if id(p) in reached}, model)


def measure_unreached(model: nn.Module, inputs: Batch, reading: OutputReader) -> frozenset[str]:
    """Return the trainable parameters that no gradient of the model's results reaches, measured by a backward pass."""
    with measurement_mode(model):
        parameters = trainable_parameters(model)
        try:
            outputs = [
                x.real if x.is_complex() else x for x in nested_tensors(reading.call(model, inputs)) if x.requires_grad
            ]
            total = sum((x.double().sum().cpu() for x in outputs), torch.zeros((), requires_grad=True))
            slopes = torch.autograd.grad(total, list(parameters.values()), allow_unused=True)
        except RuntimeError:  # an operation has no derivative, so nothing can be concluded
            return frozenset()
    return _trainable_without(
        {name for name, slope in zip(parameters, slopes, strict=True) if slope is not None}, model
    )


def _trainable_without(reached: set[str], model: nn.Module) -> frozenset[str]:
    """Return the trainable parameters that were not reached; none if nothing was, since `forward` may then be for
    prediction only."""
    return frozenset(name for name in trainable_parameters(model) if name not in reached) if reached else frozenset()
