"""Two ways to watch a forward pass: symbolically (`torch.fx`), or by running it once on a batch."""

import operator
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.overrides import TorchFunctionMode

from lazyrich.torch._guard import _named_errors, measuring, untouched
from lazyrich.torch._reading import CONSTANT, QUERIES, ROLES, Reading, flat, spelling
from lazyrich.torch.spaces import Structure


def trace(model: nn.Module) -> Structure:
    """Symbolically, without inputs; in evaluation mode, as when it is run."""
    reading = Reading(model)
    with untouched(model):
        try:
            graph = fx.Tracer().trace(model.eval())
        except Exception as error:
            raise ValueError(
                f"the forward pass of {type(model).__name__} cannot be followed without running it "
                f"({type(error).__name__}: {error}). Pass inputs=..., one small batch, and it is run once instead"
            ) from error
        return _read(reading, model, graph)  # in here: constants of the forward pass are kept on the model meanwhile


def _read(reading: Reading, model: nn.Module, graph: fx.Graph) -> Structure:
    known: dict[fx.Node, Any] = {}
    result: Any = None
    for node in graph.nodes:
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), known.__getitem__)
        scope = next(reversed(node.meta.get("nn_module_stack", {"": None})), "")
        match node.op:
            case "placeholder":
                known[node] = reading.space("it is the input")
            case "get_attr":
                known[node] = _stored(reading, operator.attrgetter(node.target)(model))
            case "call_module":
                known[node] = _module(reading, model.get_submodule(node.target), node.target, args, kwargs)
            case "output":
                result = args
            case "call_function" if node.target is getattr:
                known[node] = reading.call(args[1], scope, args[:1], {})
            case _:
                name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "a function")
                known[node] = reading.call(name, scope, args, kwargs)
    return reading.finish(result)


def _stored(reading: Reading, x: Any) -> Any:
    return reading.stored.get(id(x), CONSTANT) if isinstance(x, Tensor) else x


def _module(reading: Reading, module: nn.Module, scope: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call of one of torch's own modules, as a call of its function."""
    name = type(module).__name__
    roles = ROLES.get(spelling(name), "").split()
    if roles:
        held = {role: _stored(reading, getattr(module, role, None)) for role in roles[1:]}
        return reading.call(name, scope, (), {"input": next(iter((*args, *kwargs.values()))), **held})
    reading.pin((_stored(reading, p) for p in module.parameters()), f"{name} in '{scope}'")
    extra = (module.start_dim, module.end_dim) if isinstance(module, nn.Flatten) else ()
    return reading.call(name, scope, (*args, *extra), kwargs)


def run(model: nn.Module, inputs: Any) -> Structure:
    """By running it once, in evaluation mode."""
    watch = Watch(model, inputs)
    with measuring(model), torch.no_grad(), _named_errors(model) as forward:
        for name, module in model.named_modules():
            if isinstance(module, torch.jit.ScriptModule):
                continue
            module.register_forward_pre_hook(lambda *_, name=name: watch.scopes.append(name))
            module.register_forward_hook(lambda *_: (watch.scopes.pop(), None)[1])
        with watch:
            result = forward(inputs)
    return watch.reading.finish(watch.seen(result))


class Watch(TorchFunctionMode):
    """Sees every torch function that is called, and reads it."""

    def __init__(self, model: nn.Module, inputs: Tensor) -> None:
        super().__init__()
        self.reading = Reading(model)
        self.scopes: list[str] = []
        self.values: dict[int, Any] = {}
        self.alive: list[Any] = []  # a tensor that is gone could lend its id to another
        self.keep(inputs, self.reading.space("it is the input"))

    def keep(self, result: Any, value: Any) -> None:
        for tensor in flat(result):
            if isinstance(tensor, Tensor):
                self.values[id(tensor)] = value
                self.alive.append(tensor)

    def seen(self, x: Any) -> Any:
        """Tensors replaced by what is known of them."""
        if isinstance(x, Tensor):
            if not x.numel():
                return 0  # an empty cache, joined to something, adds nothing
            return self.values.get(id(x)) or self.reading.stored.get(id(x), CONSTANT)
        if isinstance(x, (tuple, list)):
            return tuple(self.seen(one) for one in x)
        return {key: self.seen(one) for key, one in x.items()} if isinstance(x, dict) else x

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", type(func).__name__)
        name = getattr(func.__self__, "__name__", name) if name == "__get__" else name
        operands = self.seen(args), self.seen(kwargs)
        before = {id(x) for x in flat(args) if isinstance(x, Tensor)}
        result = func(*args, **kwargs)
        tensors = [x for x in flat(result) if isinstance(x, Tensor)]
        asked = not tensors and (name.startswith(("is_", "__get")) or spelling(name) in QUERIES)
        if asked or (id(result) in before and name in ("to", "contiguous", "requires_grad_")):
            return result
        found = self.reading.call(name, self.scopes[-1] if self.scopes else "", *operands)
        self.keep(result, found if found is not None else CONSTANT)
        return result
