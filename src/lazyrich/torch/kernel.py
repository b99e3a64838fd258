"""Tangent kernel of a PyTorch model, and its distance between two states, without forming the whole Jacobian."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from math import inf
from typing import Literal

import torch
from torch import Tensor, nn

from lazyrich.tangent.distance import DEFAULT_REPEATS, KernelDistance, TargetAlignment
from lazyrich.torch._jacobian.factors import JacobianFactors
from lazyrich.torch._jacobian.kernel_blocks import (
    MAX_FACTOR_BYTES,
    FactorsOf,
    Method,
    assemble_kernels,
    block_size,
    compare_kernels,
    factors_fit,
)
from lazyrich.torch._jacobian.per_sample_jacobian import PerSampleJacobian
from lazyrich.torch._model.batch import Batch, check_values
from lazyrich.torch._model.learning_rates import Rates, rates_by_name
from lazyrich.torch._model.output_reader import DEFAULT_READER, Forward, OutputReader
from lazyrich.torch._model.preserve_model import (
    NonFiniteModelError,
    check_outputs,
    isfinite,
    measurement_mode,
    trainable_parameters,
)
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._structure import unwrap_model

StateDict = Mapping[str, Tensor]
KernelKind = Literal["full", "trace", "sum"]


def tangent_kernel(
    model: nn.Module,
    inputs: object,
    others: object = None,
    *,
    forward: Forward | None = None,
    rates: Rates = None,
    optimizer: object = None,
    block: int | None = None,
    kind: KernelKind = "full",
) -> Tensor:
    r"""Return $K_{ik,jl} = \sum_p \eta_p\, \partial_p f_k(x_i)\, \partial_p f_l(x_j)$ over the trainable parameters p.

    The shape is (n·c, n·c), with sample i and output k at row i·c + k, in the precision and on the device of the model.
    With `others`, it is the kernel between the two sets of inputs, (n·c, m·c). Inputs and `forward` are as in `Probe`.
    The kernel is that of the function in eval mode (batch norm with its running statistics, no dropout), whatever the
    mode of the model.

    `rates` maps prefixes of parameter names to learning rates; the longest matching prefix counts, and the default is
    1. With an `optimizer` (or a list of several), η are the rates of its groups relative to the largest, and 0 for
    parameters that it does not hold. For Adam and similar optimizers, η is one number for each entry, such as lr/(√v̂ +
    ε) from the optimizer's state, which gives the preconditioned kernel J P Jᵀ. `kind` "trace" is $\sum_k K_{ik,jk}$,
    and "sum" the kernel of $\sum_k f_k$, both (n, n); they are not proxies for the full kernel. `block` is the number
    of samples processed at once (chosen if None).

    >>> model = nn.Linear(2, 1)
    >>> x = torch.tensor([[1.0, 0.0], [1.0, 2.0]])
    >>> tangent_kernel(model, x)
    tensor([[2., 2.],
            [2., 6.]])
    >>> tangent_kernel(model, x, rates={"weight": 0.5, "bias": 0.0})
    tensor([[0.5000, 0.5000],
            [0.5000, 2.5000]])
    """
    model, batch = unwrap_model(model), Batch.from_nested(inputs)
    rates, weights = parameter_weights(model, rates, optimizer)
    if others is None:
        return kernel_of_reader(model, batch, OutputReader(forward), rates, block, kind, weights)
    n, both = len(batch), batch.concatenate(Batch.from_nested(others))
    with _jacobians([(model, {})], both, rates, kind, OutputReader(forward), weights) as (tangent,):
        size = block or block_size(len(both), [tangent])
        rows, columns = torch.arange(n).split(size), torch.arange(n, len(both)).split(size)
        strips = [[tangent.factors(a).gram(tangent.factors(b)) for b in columns] for a in rows]
        return torch.cat([torch.cat(strip, 2) for strip in strips]).flatten(2).flatten(0, 1)


def parameter_weights(model: nn.Module, rates: Rates, optimizer: object) -> tuple[Rates, Mapping[str, Tensor] | None]:
    """Return the weights of the parameters in a kernel: rates, or the entries of a preconditioner."""
    if optimizer is None:
        return rates, None
    if rates is not None:
        raise ValueError("rates are read off the optimizer: give one of rates=... and optimizer=..., not both")
    return OptimizerReader(model, optimizer).kernel_weights()


def kernel_of_reader(
    model: nn.Module,
    batch: Batch,
    reading: OutputReader,
    rates: Rates = None,
    block: int | None = None,
    kind: KernelKind = "full",
    weights: Mapping[str, Tensor] | None = None,
    max_factor_bytes: int = MAX_FACTOR_BYTES,
    until: float = inf,
) -> Tensor:
    """Return the `tangent_kernel` of the outputs that a reader selects, or that of the first inputs if the time
    limit ends it early."""
    with _jacobians([(model, {})], batch, rates, kind, reading, weights) as (tangent,):
        n = len(batch)
        parts = torch.arange(n).split(block or block_size(n, [tangent], max_factor_bytes))
        (kernel,) = assemble_kernels([tangent.factors], parts, factors_fit(n, [tangent], max_factor_bytes), until)
    return kernel.flatten(2).flatten(0, 1)


def kernel_distance(
    one: nn.Module | StateDict,
    other: nn.Module | StateDict,
    inputs: object,
    *,
    forward: Forward | None = None,
    rates: Rates = None,
    method: Method = "auto",
    kind: KernelKind = "full",
    repeats: int = DEFAULT_REPEATS,
    size: int | None = None,
    seed: int = 0,
) -> KernelDistance:
    r"""Measure how far the tangent kernel of `one` is from that of `other` on these inputs: 0 is lazy.

    One of the two is a model; the other a model, or values for the first one's parameters (and buffers) by name, such
    as its `state_dict()` some steps ago. Method "exact" streams over blocks of both kernels and stores neither; it is
    accurate also where S is as small as 1e-12. "subsample" measures S on `repeats` random subsets of `size` inputs,
    subtracts the leading bias of a small subset (from its halves), and gives an error bar. "auto" is exact up to about
    1e12 multiplications. The other arguments are as in `tangent_kernel`.

    >>> _ = torch.manual_seed(0)
    >>> model, x = nn.Sequential(nn.Linear(3, 50), nn.ReLU(), nn.Linear(50, 1)), torch.randn(20, 3)
    >>> start = {name: p.detach().clone() for name, p in model.named_parameters()}
    >>> _ = model[0].weight.data.mul_(1.1)
    >>> print(kernel_distance(model, start, x))
    kernel distance S = ... (centered ...), growth ...; exact on 20 inputs in eval mode: 1 layer(s) ...
    """
    pair, batch = _model_and_state(one, other), Batch.from_nested(inputs)
    with _jacobians(pair, batch, rates, kind, OutputReader(forward)) as tangents:
        if tangents[0].outputs != tangents[1].outputs:
            raise ValueError(
                "kernels of different size cannot be compared: the models have "
                f"{tangents[0].outputs} and {tangents[1].outputs} outputs"
            )
        return compare_kernels(tangents, [t.factors for t in tangents], len(batch), method, repeats, size, seed)


def kernel_target_alignment(
    model: nn.Module,
    inputs: object,
    targets: Tensor,
    *,
    forward: Forward | None = None,
    rates: Rates = None,
    method: Method = "auto",
    repeats: int = DEFAULT_REPEATS,
    size: int | None = None,
    seed: int = 0,
) -> TargetAlignment:
    """Return the cosine between the kernel and y yᵀ: how well the kernel is aligned with the task.

    Targets have the shape of the outputs, (n, c) or (n,); or they are class numbers (n,) for c > 1 outputs, which
    become one-hot. The other arguments are as in `kernel_distance`.

    >>> kernel_target_alignment(nn.Linear(2, 1, bias=False), torch.eye(2), torch.tensor([1.0, 1.0])).value
    0.7071...
    """
    batch = Batch.from_nested(inputs)
    with _jacobians([(unwrap_model(model), {})], batch, rates, "full", OutputReader(forward)) as tangents:
        y = check_targets(targets, len(batch), tangents[0].outputs).to(tangents[0].inputs.device, tangents[0].dtype)
        ways: list[FactorsOf] = [tangents[0].factors, lambda index: JacobianFactors(y[index.to(y.device)][:, :, None])]
        return TargetAlignment.from_distance(compare_kernels(tangents, ways, len(batch), method, repeats, size, seed))


@contextmanager
def _jacobians(
    pairs: Sequence[tuple[nn.Module, StateDict]],
    inputs: object,
    rates: Rates,
    kind: KernelKind,
    reading: OutputReader = DEFAULT_READER,
    weights: Mapping[str, Tensor] | None = None,
) -> Iterator[list[PerSampleJacobian]]:
    if kind not in ("full", "trace", "sum"):
        raise ValueError(f"kind must be 'full', 'trace' or 'sum'; found {kind!r}")
    if kind != "full":
        warnings.warn(
            f"the {kind} kernel is not a proxy for the full one: its S has been seen 3 to 40 times smaller",
            stacklevel=5,
        )
    models = {id(model): model for model, _ in pairs}
    for model in models.values():
        check_outputs(model, inputs, reading)
    with ExitStack() as stack:
        for model in models.values():
            stack.enter_context(measurement_mode(model))
        yield [
            PerSampleJacobian(model, state, inputs, rates_by_name(model, rates), kind, reading, weights)
            for model, state in pairs
        ]


def _model_and_state(one: nn.Module | StateDict, other: nn.Module | StateDict) -> list[tuple[nn.Module, StateDict]]:
    one, other = (unwrap_model(side) if isinstance(side, nn.Module) else side for side in (one, other))
    model = one if isinstance(one, nn.Module) else other
    if not isinstance(model, nn.Module):
        raise ValueError("one of the two must be a model (torch.nn.Module); found two sets of values")
    own_state = dict([*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)])
    pairs: list[tuple[nn.Module, StateDict]] = []
    for side in (one, other):
        if isinstance(side, nn.Module):
            pairs.append((side, {}))
            continue
        side = {_unwrapped_name(name, own_state): value for name, value in side.items()}
        if missing := [name for name in trainable_parameters(model) if name not in side]:
            raise ValueError(f"the values lack the trainable parameter '{missing[0]}' ({len(missing)} missing in all)")
        for name in (name for name in own_state if name in side):
            value = side[name]
            if value.shape != own_state[name].shape:
                shape, own_shape = tuple(value.shape), tuple(own_state[name].shape)
                raise ValueError(f"the value of '{name}' has shape {shape}; the model needs {own_shape}")
            if value.is_meta:
                raise ValueError(f"'{name}' has no values (device meta): load the state first")
            if not bool(isfinite(value).all()):
                raise NonFiniteModelError(f"the value of '{name}' has entries that are NaN or infinite")
        pairs.append((model, side))
    return pairs


def _unwrapped_name(name: str, own_state: Mapping[str, Tensor]) -> str:
    """Convert a name in the state dict of a wrapped model (see `unwrap_model`) to the name in the model itself."""
    while name not in own_state and name.startswith(("_orig_mod.", "module.")):
        name = name.partition(".")[2]
    return name


def check_targets(targets: Tensor, n: int, c: int) -> Tensor:
    """Return targets of shape (n, c), one-hot for class numbers, or raise an error."""
    try:
        y = torch.as_tensor(targets).detach()
    except (TypeError, ValueError, RuntimeError):
        raise TypeError(
            f"targets must be a tensor of shape {(n, c)}, or {(n,)} class numbers; found {type(targets).__name__}"
        ) from None
    check_values(y, "targets")
    if y.shape == (n,) and c > 1 and not y.is_floating_point():
        if int(y.min()) < 0 or int(y.max()) >= c:
            raise ValueError(f"class numbers must be from 0 to {c - 1}; found {int(y.min())} to {int(y.max())}")
        y = nn.functional.one_hot(y.long(), c)
    if y.numel() != n * c or len(y) != n:
        raise ValueError(
            f"targets must be of shape {(n, c)}, or {(n,)} class numbers; found {tuple(y.shape)}, {y.dtype}"
        )
    return y.reshape(n, c)
