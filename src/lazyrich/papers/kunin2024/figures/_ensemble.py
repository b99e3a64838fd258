"""Networks of one shape that train side by side, each as if it were alone: one program for all seeds."""

import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional as F

from lazyrich.torch import tangent_kernel

if TYPE_CHECKING:
    import xarray


class Ensemble:
    """The models as one function of inputs (member, n, …); their weights are stacked along a first axis.

    The loss of the ensemble is the sum of its members' losses, so that the gradient of a member is its own; optimizers
    that act weight by weight (SGD, momentum, Adam) then train each as they would train it alone.
    """

    def __init__(self, models: Sequence[nn.Module]):
        self.model = models[0]
        weights, _ = stack_module_state(list(models))
        self.weights = {name: weight.detach().clone().requires_grad_() for name, weight in weights.items()}

    def __len__(self) -> int:
        return len(next(iter(self.weights.values())))

    def __call__(self, inputs: Tensor) -> Tensor:
        return vmap(lambda weights, x: functional_call(self.model, weights, (x,)))(self.weights, inputs)

    def parameters(self) -> list[Tensor]:
        return list(self.weights.values())

    def member(self, i: int) -> nn.Module:
        """Return a copy of one of the models, as it is now."""
        model = copy.deepcopy(self.model)
        model.load_state_dict({name: weight[i].detach() for name, weight in self.weights.items()})
        return model

    def loss(self, inputs: Tensor, labels: Tensor, tau: float = 1.0) -> Tensor:
        """Return the cross-entropy of each member, with its outputs × τ."""
        outputs = tau * self(inputs)
        losses = F.cross_entropy(outputs.flatten(0, 1), labels.flatten(), reduction="none")
        return losses.reshape(labels.shape).mean(1)

    @torch.no_grad()
    def accuracy(self, inputs: Tensor, labels: Tensor) -> Tensor:
        """Return the fraction of inputs that each member classifies correctly, a few thousand inputs at a time."""
        blocks = zip(inputs.split(4096, 1), labels.split(4096, 1), strict=True)
        right = sum((self(x).argmax(-1) == y).sum(1) for x, y in blocks)
        return right / labels.shape[1]


def batches(inputs: Tensor, labels: Tensor, size: int, generator: torch.Generator) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the batches of one epoch: each member's own data in its own random order, `size` at a time."""
    members, n = labels.shape
    order = torch.rand(members, n, generator=generator).argsort(1)
    for batch in order.split(size, 1):
        rows = torch.arange(members)[:, None]
        yield inputs[rows, batch], labels[rows, batch]


def stack_members(sets: Sequence[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """Stack the data sets of all members, (member, n, …)."""
    inputs, labels = zip(*sets, strict=True)
    return torch.stack(inputs), torch.stack(labels)


def layer_speeds(model: nn.Module, inputs: Tensor) -> np.ndarray:
    """Return the trace of the tangent kernel for each weight: how fast each layer moves the function (without
    biases)."""
    off = {name: 0.0 for name, _ in model.named_parameters()}
    weights = [name for name in off if name.endswith("weight")]
    return np.array([float(tangent_kernel(model, inputs, rates=off | {name: 1.0}).trace()) for name in weights])


def inner(data: "xarray.Dataset", *names: str) -> "xarray.Dataset":
    """Rename the axes of a sweep over one seed whose cells return arrays."""
    import xarray

    one = data.isel(seed=0, drop=True)
    axes = {name: [axis for axis in one[name].dims if axis in data.coords] for name in one.data_vars}
    return xarray.Dataset(
        {name: ([*axes[name], *names[: one[name].ndim - len(axes[name])]], one[name].values) for name in one.data_vars},
        coords=one.coords,
    )
