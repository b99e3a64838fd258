"""Weight layers of a model, their connections, and the rescalings that keep its function.

Activations live in **spaces**. A weight layer reads spaces and writes another. ReLU, pooling, flattening and other maps
of degree 1 stay in their space. A sum merges the spaces of its operands, since they can only be scaled together. A
space is free if only weight layers and normalizations depend on its scale. The function then stays the same when all
weights, biases and offsets that write into the space are multiplied by c and the weights that read it by 1/c.
"""

from typing import Any

from torch import nn

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import SHARDED_MESSAGE
from lazyrich.torch._structure.space import ActivationSpace, Layer, LayerInput, NormUse, Structure
from lazyrich.torch._structure.tracing import trace_by_running, trace_symbolically

__all__ = ["ActivationSpace", "Layer", "LayerInput", "NormUse", "Structure", "structure", "unwrap_model"]

WRAPPER_MODULES = (
    "torch.nn.parallel.",
    "torch.distributed.",
    "torch.optim.",
)  # packages of torch's wrappers, which hold the model as `.module`


def structure(model: nn.Module, inputs: object = None, *, forward: Forward | None = None) -> Structure:
    """Return the weight layers of a model and the spaces between them.

    Without inputs the forward pass is traced symbolically (`torch.fx`), which covers models whose control flow does
    not depend on the data. With inputs (a small batch, and `forward(model, batch)` unless it is a plain call) the model
    is run once, in evaluation mode, and every torch function is recorded; the model is restored afterwards.

    >>> print(structure(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2), nn.Tanh())))
    0 → '2', through ReLU in '1'
    2 → no layer; scale fixed: Tanh in '3' is not homogeneous
    """
    model = unwrap_model(model)
    if inputs is not None:
        return trace_by_running(model, Batch.from_nested(inputs), OutputReader(forward))
    if forward is not None:
        raise ValueError("forward(model, inputs) needs something to be called with: pass inputs=..., one small batch")
    return trace_symbolically(model)


def unwrap_model(model: nn.Module) -> nn.Module:
    """Return the model without the wrappers of `torch.compile`, data parallelism or weight averaging."""
    for module in model.modules() if isinstance(model, nn.Module) else ():
        if type(module).__module__.startswith("torch.distributed.fsdp"):
            raise ValueError(f"{type(module).__name__} spreads its weights over several processes: {SHARDED_MESSAGE}")
    while True:
        inner: Any = (
            model.module if type(model).__module__.startswith(WRAPPER_MODULES) else getattr(model, "_orig_mod", model)
        )
        if inner is model:
            return model
        model = inner
