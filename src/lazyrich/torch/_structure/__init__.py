"""How the weight layers of a model follow each other, and which rescalings its function cannot see.

Activations live in **spaces**. A weight layer reads spaces and writes another; ReLU, pooling, flattening and other
maps of degree 1 stay in theirs; a sum makes its operands one space, since they can only be scaled together. A space is
free when nothing but weight layers (and normalization) sees its scale: multiply it by c, that is, all weights, biases
and offsets that write into it by c, and the weights that read it by 1/c, and the function is the same.
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
)  # where torch's modules around a `.module` live


def structure(model: nn.Module, inputs: object = None, *, forward: Forward | None = None) -> Structure:
    """Return the weight layers of a model and what lies between them.

    Without inputs the forward pass is traced symbolically (`torch.fx`), which covers models whose control flow does
    not depend on the data. With inputs (a small batch, and `forward(model, batch)` where this is not a plain call) it
    is run once, in evaluation mode, and every torch function is watched; the model is left as it was.

    >>> print(structure(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2), nn.Tanh())))
    0 → '2', through ReLU in '1'
    2 → no layer; scale fixed: Tanh in '3' is not homogeneous
    """
    model = unwrap_model(model)
    if inputs is not None:
        return trace_by_running(model, Batch.of(inputs), OutputReader(forward))
    if forward is not None:
        raise ValueError("forward(model, inputs) needs something to be called with: pass inputs=..., one small batch")
    return trace_symbolically(model)


def unwrap_model(model: nn.Module) -> nn.Module:
    """Return the model itself, without what `torch.compile`, data parallelism or averaging have put around it."""
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
