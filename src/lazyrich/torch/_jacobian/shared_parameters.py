"""Parameters that enter every sample in the same way, such as position embeddings and class tokens: a copy for each
sample gives its gradient."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lazyrich.torch._jacobian.recorded_calls import LayerOwners, record_calls
from lazyrich.torch.layer_rules.embedding import Embedding

Function = Callable[[Mapping[str, Tensor]], Tensor]  # outputs (m, c) at these values


@dataclass(frozen=True)
class SharedParameters:
    """Names of tables that are looked up once for all samples, and of parameters with a leading axis of 1.

    For m samples, the output of such a table and such a parameter can be repeated m times without a change of the
    function; its derivative then has one row for each sample.
    """

    tables: frozenset[str | None] = frozenset()
    copied: tuple[str, ...] = ()

    def repeat(self, values: Mapping[str, Tensor], m: int) -> dict[str, Tensor]:
        """Return the values with one copy of each copied parameter for every sample, as new leaves."""
        copies = {
            name: values[name].detach().expand(m, *values[name].shape[1:]).clone().requires_grad_()
            for name in self.copied
        }
        return {**values, **copies}


def find_shared_parameters(
    function: Function,
    values: Mapping[str, Tensor],
    names: Sequence[str],
    owners: LayerOwners,
    scales: dict[str, float],
    m: int,
) -> SharedParameters:
    """Return which of these parameters can be repeated: those where the outputs stay the same, row i of the gradient
    is 0 unless sample i is read, and the rows add up to the gradient of the parameter itself."""
    tables = {names_of[0] for rule, names_of in owners.values() if names_of[0] in names and isinstance(rule, Embedding)}
    shared = SharedParameters()
    for name in names:
        candidate = SharedParameters(tables=frozenset({name}))
        if name not in tables:
            if values[name].ndim < 2 or len(values[name]) != 1 or values[name].is_complex():
                continue
            candidate = SharedParameters(copied=(name,))
        if _is_right(candidate, name, function, values, owners, scales, m):
            shared = SharedParameters(shared.tables | candidate.tables, shared.copied + candidate.copied)
    return shared


def _is_right(
    candidate: SharedParameters,
    name: str,
    function: Function,
    values: Mapping[str, Tensor],
    owners: LayerOwners,
    scales: dict[str, float],
    m: int,
) -> bool:
    truth = function(values)
    repeated = candidate.repeat(values, m)
    try:
        with record_calls(owners, scales, m, candidate.tables) as calls:
            out = function(repeated)
    except Exception:  # the model needs the shape that it has
        return False
    slack = 1e-10 if out.dtype == torch.float64 else 1e-4
    atol = slack * float(truth.detach().abs().max())
    if out.shape != truth.shape or not torch.allclose(out, truth, rtol=slack, atol=atol):
        return False
    if candidate.tables:  # the factors are compared with autograd like those of other layers
        return any(call.names[0] == name and len(call.columns) == m for call in calls)
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(out.shape, generator=generator, dtype=torch.float64).to(out)
    (rows,) = torch.autograd.grad((weights * out).sum(), repeated[name], retain_graph=True)
    (alone,) = torch.autograd.grad((weights[0] * out[0]).sum(), repeated[name])
    (whole,) = torch.autograd.grad((weights * truth).sum(), values[name])
    size = slack * float(rows.abs().max())
    right = torch.allclose(rows.sum(0, keepdim=True), whole, rtol=slack, atol=10 * size)
    return right and float(alone[1:].abs().sum()) <= size and torch.allclose(alone[0], rows[0], rtol=slack, atol=size)
