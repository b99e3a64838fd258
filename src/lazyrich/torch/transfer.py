"""Audit the transfer of a learning rate: several optimizers, widths and depths, and what to change."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import nn

from lazyrich._validate.integers import check_int
from lazyrich.probe.transfer import DepthCheck, TransferAudit
from lazyrich.tangent.parameter_names import layer_name_of
from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.data_loader import cycle_batches
from lazyrich.torch._model.loss import LossFunction
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import check_model, measurement_mode, trainable_parameters
from lazyrich.torch._probe.layer_updates import observe_layers
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch.width import N_MEASURED_INPUTS, Optimizers, make_optimizers, train_step, width_check

MakeOptimizer = Callable[[nn.Module], Optimizers]


def transfer_audit(
    make_model: Callable[..., nn.Module],
    widths: Sequence[int],
    batches: Iterable[object],
    *,
    loss: LossFunction,
    optimizer: MakeOptimizer | Mapping[str, MakeOptimizer],
    depths: Sequence[int] = (),
    steps: int = 5,
    seeds: int = 3,
    forward: Forward | None = None,
    inputs: object = None,
) -> TransferAudit:
    r"""Say why a learning rate does not transfer: the layer, its exponent beside the expected one, and the change.

    Runs `width_check` for each `optimizer(model)` (a function, or several by name). Named are own updates that depend
    on the width, initial weights that are too large, attention that is scaled by 1/√d, weight decay that depends on the
    width, and a multiplier that is missing after the last layer. The NTK parametrization is recognized as such: it
    transfers and becomes lazy.

    With `depths`, `make_model(n, L)` makes a model of width n and L blocks. The smallest width is then trained at every
    depth too, and the widths at the smallest depth. Named are residual branches without 1/√L, and rates of layers that
    repeat (those with a number in their names) whose contribution to the change of the function depends on L.

    `audit.param_groups()` returns code that makes parameter groups with the corrected rates.

    >>> def make(n):
    ...     return nn.Sequential(nn.Linear(4, n), nn.ReLU(), nn.Linear(n, 1))
    >>> draws = torch.Generator().manual_seed(3)
    >>> x, y = torch.randn(16, 4, generator=draws), torch.randn(16, 1, generator=draws)
    >>> audit = transfer_audit(
    ...     make,
    ...     (64, 256, 1024),
    ...     [(x, y)],
    ...     loss=nn.functional.mse_loss,
    ...     optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=1e-4),
    ...     steps=1,
    ... )
    >>> [(c.layer, c.quantity, round(2 * c.exponent.slope) / 2) for c in audit.culprits["optimizer"]]
    [('2', 'own update (W − W₀)x', 1.0)]
    """
    named = dict(optimizer) if isinstance(optimizer, Mapping) else {"optimizer": optimizer}
    if not named:
        raise ValueError("optimizer={} names no optimizer: pass a function of the model, or several by name")
    depths = sorted({check_int("a depth", depth) for depth in depths})
    if len(depths) == 1:
        raise ValueError(f"exponents of depth need at least two depths; found {depths}")
    pairs = list(islice(batches, check_int("steps", steps))) if isinstance(batches, Iterable) else batches
    given: dict[str, Any] = {"loss": loss, "steps": steps, "seeds": seeds, "forward": forward}
    make = (lambda n: make_model(n, depths[0])) if depths else make_model
    checks = {
        name: width_check(make, widths, pairs, optimizer=one, inputs=inputs, tangent=False, **given)
        for name, one in named.items()
    }
    if not depths:
        return TransferAudit(checks)
    known = list(islice(cycle_batches(pairs, torch.device("cpu"), steps), steps))
    fixed = Batch.from_nested(known[0][0] if inputs is None else inputs)[:N_MEASURED_INPUTS]
    smallest = min(int(n) for n in widths)
    by_depth = {
        name: _check_depths(lambda L: make_model(smallest, L), depths, known, fixed, loss, one, seeds, forward)
        for name, one in named.items()
    }
    return TransferAudit(checks, by_depth)


def _check_depths(
    make_model: Callable[[int], nn.Module],
    depths: Sequence[int],
    batches: Sequence[tuple[Batch, object]],
    inputs: Batch,
    loss: LossFunction,
    optimizer: MakeOptimizer,
    seeds: int,
    forward: Forward | None,
) -> DepthCheck:
    import xarray

    runs: dict[tuple[int, int], tuple[float, dict[str, float]]] = {}
    state = torch.get_rng_state()
    for seed in range(seeds):
        for depth in depths:
            torch.manual_seed(seed)
            model = unwrap_model(make_model(depth))
            check_model(model)
            runs[seed, depth] = _train_depth(model, batches, inputs, loss, optimizer, forward)
    torch.set_rng_state(state)
    groups = [group for group in runs[0, depths[-1]][1] if all(group in run[1] for run in runs.values())]
    stream = [[runs[s, depth][0] for depth in depths] for s in range(seeds)]
    contribution = [[[runs[s, depth][1][group] for group in groups] for depth in depths] for s in range(seeds)]
    return DepthCheck(
        xarray.Dataset(
            {
                "stream": (("seed", "depth"), np.array(stream, float)),
                "contribution": (("seed", "depth", "group"), np.array(contribution, float)),
            },
            {"seed": list(range(seeds)), "depth": list(depths), "group": groups},
        )
    )


def _train_depth(
    model: nn.Module,
    batches: Sequence[tuple[Batch, object]],
    inputs: Batch,
    loss: LossFunction,
    optimizer: MakeOptimizer,
    forward: Forward | None,
) -> tuple[float, dict[str, float]]:
    """Train a model, and return the initial size of its stream and the contribution of each group of layers."""
    inputs, reader = inputs.to(next(model.parameters()).device), OutputReader(forward)
    optimizers, start = make_optimizers(model, optimizer), metrics.copy_trainable_parameters(model)
    layers = observe_layers(model, reader, inputs, start).layers
    for x, y in batches:
        train_step(model, optimizers, reader, loss, x, y)
    now = metrics.copy_trainable_parameters(model)
    groups: dict[str, set[str]] = {}
    for name in trainable_parameters(model):
        groups.setdefault(_group_of(name), set()).add(name)
    with measurement_mode(model), torch.no_grad():
        outputs = reader.loss_input(model, inputs)
        contribution = {}
        for group, names in groups.items():
            with metrics.parameters_set_to(model, {name: (start if name in names else now)[name] for name in now}):
                contribution[group] = metrics.rms(outputs - reader.loss_input(model, inputs))
    return _stream_size([(name, layer.input_size) for name, layer in layers.items()]), contribution


def _group_of(parameter: str) -> str:
    """Return the layer of a parameter, with a star for its number.

    >>> _group_of("blocks.3.up.weight"), _group_of("head.weight")
    ('blocks.*.up', 'head')
    """
    return re.sub(r"(?<![^.])\d+(?![^.])", "*", layer_name_of(parameter))


def _stream_size(inputs: Sequence[tuple[str, float]]) -> float:
    """Return the size of what the first layer after the repeated ones receives, given layers in the order of calls."""
    repeated = [k for k, (name, _) in enumerate(inputs) if "*" in _group_of(f"{name}.weight")]
    after = repeated[-1] + 1 if repeated else len(inputs)
    return inputs[after][1] if after < len(inputs) else float("nan")
