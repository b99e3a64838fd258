"""Learning rate of SGD and scale of A for low-rank adapters (LoRA), as orders of magnitude."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import nn

from lazyrich.probe.layer_names import readable_names
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.dtypes import to_double
from lazyrich.torch._model.loss import LossFunction, check_loss
from lazyrich.torch._model.low_rank_adapters import LowRankAdapter, find_adapters
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import check_model, measurement_mode, preserve_model
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch.curvature import sharpness_of_reader

SGD_RATE, SGD_RANGE = 0.8, (0.3, 1.7)  # best rates of sweeps, times s‖G‖₂


@dataclass(frozen=True)
class AdapterRates:
    """What the first gradients of adapters W₀ + s·B·A, with B = 0, say about the learning rate and the scale of A.

    `slopes` has s‖G‖₂ of each adapter, G the gradient of the loss by the full weight; `curvature` is the largest
    eigenvalue of the Hessian in all B. `rate` is near the best rate of SGD, within `rate_range`. `crossing` is the
    factor of all A at which curvature and slope are equal: well below it, A and B leave zero together; well above it, B
    learns first. It is not the best scale. Nothing follows for Adam.
    """

    slopes: Mapping[str, float]
    curvature: float

    @property
    def steepest(self) -> str:
        """The adapter with the largest s‖G‖₂, which limits the rate."""
        return max(self.slopes, key=lambda name: self.slopes[name])

    @property
    def rate(self) -> float:
        return SGD_RATE / self.slopes[self.steepest]

    @property
    def rate_range(self) -> tuple[float, float]:
        low, high = SGD_RANGE
        return low / self.slopes[self.steepest], high / self.slopes[self.steepest]

    @property
    def crossing(self) -> float:
        return float((self.slopes[self.steepest] / self.curvature) ** 0.5) if self.curvature > 0 else float("inf")

    def __str__(self) -> str:
        low, high = self.rate_range
        return (
            f"SGD: a learning rate near {self.rate:.2g} ({low:.2g} to {high:.2g}), from s‖G‖₂ = "
            f"{self.slopes[self.steepest]:.2g} of {self.steepest}\n"
            f"scale of A: curvature and slope cross at A × {self.crossing:.2g}, which is not the best scale\n"
            "Adam: neither says anything"
        )


def adapter_rates(
    model: nn.Module, inputs: object, targets: object, loss: LossFunction, *, forward: Forward | None = None
) -> AdapterRates:
    r"""Return orders of magnitude of the learning rate of SGD and of the scale of A, for the adapters of a model.

    Adapters are modules with `lora_A`, `lora_B` and `scaling`, such as those of peft. At B = 0, the Hessian of the loss
    in A and B couples the two by sG, so $s\|G\|_2$ is the rate at which both leave zero, and its inverse is near the
    edge of stability of SGD. In nine fine-tunes the best rate was 0.3 to 1.7 times $1/(s\|G\|_2)$ (the documentation
    runs three of them). With all A
    multiplied by g, the curvature in B is $g^2\lambda$; where it crosses $s\|G\|_2$, B begins to learn first. The best
    scale was 0.5 to 9 times the crossing. Inputs and `forward` are as in `Probe`, evaluated at once.

    >>> class Adapted(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.base_layer, self.scaling = nn.Linear(2, 1, bias=False).requires_grad_(False), 2.0
    ...         self.lora_A, self.lora_B = nn.Linear(2, 1, bias=False), nn.Linear(1, 1, bias=False)
    ...     def forward(self, x):
    ...         return self.base_layer(x) + self.scaling * self.lora_B(self.lora_A(x))
    >>> model = Adapted()
    >>> for p, value in zip(model.parameters(), ([[0.0, 0.0]], [[0.5, 0.0]], [[0.0]])):
    ...     p.data = torch.tensor(value)
    >>> print(adapter_rates(model, torch.eye(2), torch.tensor([[4.0], [0.0]]), nn.functional.mse_loss))
    SGD: a learning rate near 0.1 (0.037 to 0.21), from s‖G‖₂ = 8 of the model
    scale of A: curvature and slope cross at A × 2.8, which is not the best scale
    Adam: neither says anything
    """
    model = unwrap_model(model)
    check_model(model)
    adapters = _at_zero(model)
    batch, reading = Batch.from_nested(inputs), OutputReader(forward)
    slopes = _slopes(model, adapters, batch, targets, check_loss(loss), reading)
    trained = {one.B for one in adapters}
    with preserve_model(model):
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(name in trained)
        curvature = sharpness_of_reader(model, batch, targets, loss, reading, None).value
    return AdapterRates(slopes, curvature)


def _at_zero(model: nn.Module) -> list[LowRankAdapter]:
    """Return the adapters, all of which begin at B = 0; raise an error otherwise."""
    adapters, values = find_adapters(model), dict(model.named_parameters())
    if not adapters:
        raise ValueError(
            f"{type(model).__name__} has no low-rank adapters: needed are modules with `lora_A`, `lora_B`, `scaling` "
            "and a frozen weight (or `base_layer.weight`), not merged into it"
        )
    for adapter in adapters:
        if bool(values[adapter.B].any()):
            raise ValueError(
                f"'{adapter.B}' is not zero: rates and scales follow from the start, where B = 0; measure before "
                "training"
            )
    return adapters


def _slopes(
    model: nn.Module,
    adapters: list[LowRankAdapter],
    batch: Batch,
    targets: object,
    loss: LossFunction,
    reading: OutputReader,
) -> dict[str, float]:
    """Return s‖G‖₂ of each adapter, with readable names."""
    names = readable_names([one.name or "the model" for one in adapters])
    with measurement_mode(model):
        parameters = dict(model.named_parameters())
        weights = [parameters[one.weight].requires_grad_(True) for one in adapters]
        value = loss(reading.loss_input(model, batch), targets)
        gradients = torch.autograd.grad(value, weights, allow_unused=True)
    found = {}
    for one, G in zip(adapters, gradients, strict=True):
        if G is None or not bool(G.any()):
            raise ValueError(f"no gradient reaches '{one.weight}', so that its adapter learns nothing: remove it")
        found[names[one.name or "the model"]] = one.scaling * float(
            torch.linalg.matrix_norm(to_double(G).flatten(1), 2)
        )
    return found
