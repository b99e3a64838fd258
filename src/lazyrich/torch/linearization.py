"""Tangent model of a PyTorch model, as a module that can be trained; and products with the tangent kernel."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.func import jvp
from torch.nn.attention import SDPBackend, sdpa_kernel

from lazyrich.torch._jacobian.forward_mode import load_forward_rules
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.learning_rates import Rates, rates_by_name
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import (
    check_outputs,
    copy_of,
    measurement_mode,
    trainable_parameters,
    widen_half_precision,
)
from lazyrich.torch._probe.tangent_outputs import Function, value_and_jvp
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch.kernel import parameter_weights


class Linearized(nn.Module):
    """The tangent model f(θ₀) + ∂f(θ₀)(θ − θ₀), of the function in evaluation mode; see `linearize`."""

    def __init__(self, model: nn.Module, forward: Forward | None) -> None:
        super().__init__()
        load_forward_rules()
        self.model = copy_of(model)
        self.start = copy_of(model).eval().requires_grad_(False)
        self.reading = OutputReader(forward)

    def forward(self, *args: object, **kwargs: object) -> Tensor:
        batch = Batch.from_nested(kwargs or (args[0] if len(args) == 1 else args))
        self.start.eval()
        begin = dict(self.start.named_parameters())
        direction = {name: value - begin[name] for name, value in trainable_parameters(self.model).items()}
        point = {name: begin[name] for name in direction}
        rest = {name: value for name, value in begin.items() if name not in direction}

        def function(values: dict[str, Tensor]) -> Tensor:
            return self.reading.outputs_at(self.start, {**rest, **values}, batch)

        with sdpa_kernel(SDPBackend.MATH):  # fused attention has no forward-mode derivative
            value, change, *_ = jvp(function, (point,), (direction,))
        return value + change


def linearize(model: nn.Module, *, forward: Forward | None = None) -> Linearized:
    """Return the tangent model at the current parameters: a module of its own, which can be trained beside the model.

    Its trainable parameters are those of `.model`; `.start` keeps the current ones and the buffers. Frozen parameters
    stay frozen. Trained by gradient flow on the square loss, it learns what the current tangent kernel predicts.

    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    >>> tangent, x = linearize(model), torch.randn(4, 2)
    >>> with torch.no_grad():
    ...     for p in tangent.parameters():
    ...         _ = p.add_(0.1) if p.requires_grad else p
    >>> before, after = model(x), tangent(x)  # linear in the parameters: twice the way is twice the change
    >>> with torch.no_grad():
    ...     for p in tangent.parameters():
    ...         _ = p.add_(0.1) if p.requires_grad else p
    >>> bool(torch.allclose(tangent(x) - before, 2 * (after - before), atol=1e-6))
    True
    """
    return Linearized(unwrap_model(model), forward)


def kernel_product(
    model: nn.Module,
    inputs: object,
    vector: Tensor,
    others: object = None,
    *,
    forward: Forward | None = None,
    rates: Rates = None,
    optimizer: object = None,
) -> Tensor:
    r"""Return $K v = J\,(\eta\, J^\top v)$ by one backward and one forward derivative; the kernel is never formed.

    v has the entries of the outputs on the inputs, (n, c) or (n·c,), and K v has the same shape. With `others`,
    v belongs to them, K is the kernel between `inputs` and `others`, and K v is (n, c). The rest is as in
    `tangent_kernel`.

    >>> model, x = nn.Linear(2, 1), torch.tensor([[1.0, 0.0], [1.0, 2.0]])
    >>> kernel_product(model, x, torch.tensor([1.0, 1.0]))
    tensor([4., 8.])
    """
    model, reading, batch = unwrap_model(model), OutputReader(forward), Batch.from_nested(inputs)
    there = batch if others is None else Batch.from_nested(others)
    width = check_outputs(model, batch, reading).shape[1]
    if vector.numel() != len(there) * width:
        raise ValueError(
            f"a vector must have one entry for each of {len(there)} inputs and {width} outputs; found shape "
            f"{tuple(vector.shape)}"
        )
    rates, weights = parameter_weights(model, rates, optimizer)
    rate: Mapping[str, float | Tensor] = rates_by_name(model, rates) if weights is None else weights
    present = {
        name: widen_half_precision(v.detach()) for name, v in [*model.named_parameters(), *model.named_buffers()]
    }
    sums = {name: torch.zeros_like(present[name]) for name in trainable_parameters(model)}
    direction = widen_half_precision(vector.detach()).reshape(len(there), width)
    with measurement_mode(model), sdpa_kernel(SDPBackend.MATH):
        for piece, w in zip(
            there.map(widen_half_precision).split(reading.chunk), direction.split(reading.chunk), strict=True
        ):
            values = {name: present[name].clone().requires_grad_() for name in sums}
            out = reading.outputs_at(model, {**present, **values}, piece)
            slopes = torch.autograd.grad(out, list(values.values()), w.to(out), allow_unused=True)
            for name, slope in zip(values, slopes, strict=True):
                if slope is not None:
                    sums[name] += rate[name] * slope
        start = {name: present[name] for name in sums}
        with torch.no_grad():
            products = [
                value_and_jvp(_linearized_function(model, reading, present, piece), start, sums)[1]
                for piece in batch.map(widen_half_precision).split(reading.chunk)
            ]
    product = torch.cat(products)
    return product if others is not None else product.reshape(vector.shape)


def _linearized_function(
    model: nn.Module, reading: OutputReader, present: Mapping[str, Tensor], piece: Batch
) -> Function:
    return lambda values: reading.outputs_at(model, {**present, **values}, piece)
