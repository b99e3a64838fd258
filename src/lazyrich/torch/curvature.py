"""Sharpness of a PyTorch model: the largest curvature of its loss, in the geometry of its optimizer."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from lazyrich._core.lanczos import TOLERANCE, largest_eigenvalue
from lazyrich.tangent.sharpness import Sharpness
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.loss import LossFunction, check_loss
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import check_model, measurement_mode, trainable_parameters
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._structure import unwrap_model

Geometry = Mapping[str, Tensor]  # P of each trainable parameter: a number, or one per entry


def sharpness(
    model: nn.Module,
    inputs: object,
    targets: object,
    loss: LossFunction,
    *,
    forward: Forward | None = None,
    optimizer: object = None,
    seed: int = 0,
) -> Sharpness:
    r"""Return the largest curvature of `loss(outputs, targets)` at the current parameters, in evaluation mode.

    Without an `optimizer` this is the largest eigenvalue of the Hessian in the trainable parameters. With one it is
    that of $\sqrt P\,(\nabla^2L + \text{wd})\,\sqrt P$, P its learning rates or, for Adam and RMSprop, lr/(√v̂ + ε) from
    its state, with the `edge` of stability beside it; `wd` is weight decay that is part of the gradient. Inputs and
    `forward` are as in `Probe`; they are evaluated at once, so take a batch that fits into memory twice.

    It is found by the Lanczos method from products of the Hessian with vectors, about as many as 50 backward passes, to
    1e-10 in float64 and 1e-5 in float32. The model and the random state are restored.

    >>> model = nn.Linear(2, 1, bias=False)
    >>> x, y = torch.eye(2), torch.zeros(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    >>> print(sharpness(model, x, y, nn.functional.mse_loss))
    λ = 1
    >>> print(sharpness(model, x, y, nn.functional.mse_loss, optimizer=optimizer))
    lr · λ = 0.5, 13.2 % of the edge of stability (3.8)
    """
    model = unwrap_model(model)
    check_model(model)
    reader = None if optimizer is None else OptimizerReader(model, optimizer)
    batch = Batch.from_nested(inputs)
    return sharpness_of_reader(model, batch, targets, check_loss(loss), OutputReader(forward), reader, seed)


def sharpness_of_reader(
    model: nn.Module,
    batch: Batch,
    targets: object,
    loss: LossFunction,
    reading: OutputReader,
    optimizer: OptimizerReader | None,
    seed: int = 0,
) -> Sharpness:
    """Return the `sharpness` of the outputs that a reader selects."""
    parameters = trainable_parameters(model)
    kinds = {p.dtype for p in parameters.values()}
    if kinds & {torch.float16, torch.bfloat16}:
        raise ValueError(
            f"curvatures need single precision at least; found {', '.join(sorted(map(str, kinds)))}: measure "
            "copy.deepcopy(model).float()"
        )
    roots: dict[str, Tensor] = {}
    decay: dict[str, float] = {}
    if optimizer is not None:
        steps, decay = optimizer.step_sizes()
        roots = {name: size.sqrt() for name, size in steps.items()}
    with measurement_mode(model), sdpa_kernel(SDPBackend.MATH):  # fused attention has no second derivative
        value = loss(reading.loss_input(model, batch), targets)
        values = list(parameters.values())
        slopes = torch.autograd.grad(value, values, create_graph=True, allow_unused=True)

        def product(vector: Tensor) -> Tensor:
            parts = vector.split([p.numel() for p in values])
            pushed = [
                roots.get(name, torch.ones(())).to(p) * part.view_as(p)
                for (name, p), part in zip(parameters.items(), parts, strict=True)
            ]
            bent = _hessian_product(slopes, values, pushed)
            pulled = [
                roots.get(name, torch.ones(())).to(p) * (h + decay.get(name, 0.0) * v)
                for (name, p), h, v in zip(parameters.items(), bent, pushed, strict=True)
            ]
            return torch.cat([part.reshape(-1) for part in pulled]).detach()

        start = torch.cat([_random_like(p, seed + k).reshape(-1) for k, p in enumerate(values)])
        fine = torch.finfo(min(kinds, key=lambda kind: -torch.finfo(kind).eps)).eps
        eigenvalue = largest_eigenvalue(product, start, _inner, max(TOLERANCE, 50 * fine))
    return Sharpness(eigenvalue, None if optimizer is None else optimizer.stability_edge())


def _hessian_product(
    slopes: tuple[Tensor | None, ...], values: list[nn.Parameter], vector: list[Tensor]
) -> list[Tensor]:
    """Return the Hessian times a vector, where the gradient does not depend on a parameter zero."""
    pairs = [(g, v) for g, v in zip(slopes, vector, strict=True) if g is not None and g.requires_grad]
    if not pairs:
        return [torch.zeros_like(p) for p in values]
    heads, weights = zip(*pairs, strict=True)
    products = torch.autograd.grad(heads, values, weights, retain_graph=True, allow_unused=True)
    return [torch.zeros_like(p) if h is None else h for p, h in zip(values, products, strict=True)]


def _random_like(p: Tensor, seed: int) -> Tensor:
    return torch.randn(p.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(p)


_inner: Callable[[Tensor, Tensor], float] = lambda u, v: float(torch.dot(u, v))  # noqa: E731
