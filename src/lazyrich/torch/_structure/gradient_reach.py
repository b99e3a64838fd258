"""Which parameters a gradient of the outputs reaches: not those of what a forward pass runs under `torch.no_grad()`."""

import operator

import torch
from torch import fx, nn

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader, nested_tensors
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters
from lazyrich.torch._structure.function_rules import canonical_name

STOPPING = frozenset({"detach", "data", "argmax", "argmin", "argsort", "long", "int", "bool"})  # no gradient passes
NO_GRADIENT = "torch.no_grad() in the forward pass?"
NOT_OF_THE_FUNCTION = "its gradients are not those of the function (detach, torch.no_grad() or a hook in it?)"


class GradientTracer(fx.Tracer):
    """Marks what is traced while gradients are switched off."""

    def create_node(self, *args: object, **kwargs: object) -> fx.Node:
        node = super().create_node(*args, **kwargs)  # type: ignore[arg-type]
        node.meta["differentiable"] = torch.is_grad_enabled() and _function(node) not in STOPPING
        return node


def _function(node: fx.Node) -> str:
    """Name what a node calls, or the attribute that it reads, in one spelling."""
    name = node.args[1] if node.target is getattr else getattr(node.target, "__name__", node.target)
    return canonical_name(name) if node.op in ("call_function", "call_method") and isinstance(name, str) else ""


def stops_gradients(node: fx.Node) -> bool:
    """Does it run without gradients on something that has them?"""
    called = node.op.startswith("call_") and not node.meta["differentiable"]
    return called and any(x.op.startswith("call_") and x.meta["differentiable"] for x in node.all_input_nodes)


def find_unreached(model: nn.Module, graph: fx.Graph) -> frozenset[str]:
    """Name the trainable parameters that no gradient reaches in a graph of a `GradientTracer`."""
    reached: set[int] = set()
    todo, known = [node for node in graph.nodes if node.op == "output"], set()
    while todo:
        node = todo.pop()
        called = node.op.startswith("call_")  # a parameter that is read without gradients may be used with them
        if node in known or (called and not node.meta["differentiable"]):
            continue
        known.add(node)
        todo += node.all_input_nodes
        if node.op == "call_module":
            reached |= {id(p) for p in model.get_submodule(str(node.target)).parameters()}
        elif node.op == "get_attr":
            reached.add(id(operator.attrgetter(str(node.target))(model)))
    return _trainable_without({name for name, p in trainable_parameters(model).items() if id(p) in reached}, model)


def measure_unreached(model: nn.Module, inputs: Batch, reading: OutputReader) -> frozenset[str]:
    """Name the trainable parameters that no gradient of anything that a model returns reaches, by a backward pass."""
    with measurement_mode(model):
        parameters = trainable_parameters(model)
        try:
            found = [
                x.real if x.is_complex() else x for x in nested_tensors(reading.call(model, inputs)) if x.requires_grad
            ]
            total = sum((x.double().sum().cpu() for x in found), torch.zeros((), requires_grad=True))
            slopes = torch.autograd.grad(total, list(parameters.values()), allow_unused=True)
        except RuntimeError:  # an operation without a derivative: no evidence
            return frozenset()
    return _trainable_without(
        {name for name, slope in zip(parameters, slopes, strict=True) if slope is not None}, model
    )


def _trainable_without(reached: set[str], model: nn.Module) -> frozenset[str]:
    """Complement; none if nothing was reached: a function that only predicts does not say what is trained."""
    return frozenset(name for name in trainable_parameters(model) if name not in reached) if reached else frozenset()
