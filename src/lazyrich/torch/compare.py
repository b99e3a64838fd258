"""Compare two checkpoints of a model: what a probe would have reported between them."""

from collections.abc import Mapping
from pathlib import Path

from torch import Tensor, nn

from lazyrich.probe import Report
from lazyrich.torch._model.checkpoint_files import load_weights, read_weights
from lazyrich.torch._model.output_reader import Forward, Positions
from lazyrich.torch._model.preserve_model import copy_of
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch.probe import Probe

Checkpoint = str | Path | Mapping[str, Tensor]


def compare(
    model: nn.Module,
    start: Checkpoint,
    end: Checkpoint,
    inputs: object,
    targets: Tensor | None = None,
    *,
    forward: Forward | None = None,
    positions: Positions = None,
    exact: bool | None = None,
    seed: int = 0,
) -> Report:
    """Return the report of a probe that measured the model at checkpoint `start` and then at `end`.

    A checkpoint is a state dict, or a file or folder that has one: of `torch.save` (read without running code),
    safetensors, or a folder of transformers. Names may have the prefixes of wrappers. The model itself is not changed.
    The other arguments are as in `Probe`.

    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(4, 30), nn.Tanh(), nn.Linear(30, 1))
    >>> start = {name: value.clone() for name, value in model.state_dict().items()}
    >>> end = {name: 5 * value for name, value in start.items()}
    >>> report = compare(model, start, end, torch.randn(40, 4))
    >>> report.regime, [layer.word for layer in report.layers]
    ('in between', ['rich', 'in between'])
    """
    twin = copy_of(unwrap_model(model))
    first, last = (_weights_of(checkpoint) for checkpoint in (start, end))
    load_weights(twin, first, _describe(start, "the first checkpoint"))
    probe = Probe(twin, inputs, targets, forward=forward, positions=positions, exact=exact, budget=None, seed=seed)
    load_weights(twin, last, _describe(end, "the second checkpoint"))
    probe.snapshot(1)
    return probe.report()


def _weights_of(checkpoint: Checkpoint) -> Mapping[str, Tensor]:
    return checkpoint if isinstance(checkpoint, Mapping) else read_weights(Path(checkpoint))


def _describe(checkpoint: Checkpoint, otherwise: str) -> str:
    return otherwise if isinstance(checkpoint, Mapping) else str(checkpoint)
