"""Interface of the rules for optimizers: their effect on parameters, as far as it is known without the gradients."""

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.optim import Optimizer

ParamGroup = Mapping[str, Any]  # one of an optimizer's `param_groups`
ParamState = Mapping[str, Any]  # what an optimizer keeps for one parameter


class OptimizerRule:
    r"""Rule for one optimizer; the default reads only its learning rates.

    On average over some steps, $\dot\theta = -P\,\nabla L - \lambda\theta$ per step: P is a number (`rate`) or one
    per parameter entry, from the optimizer's state (`preconditioner`); λ is the `decay`. Where P is a number for each
    layer, the quantities that gradient flow conserves are conserved to first order in the step, up to the decay:
    $\delta \to \delta\, e^{-2\sum\lambda}$ where λ is the same for all parameters involved.
    """

    name: ClassVar[str] = "an optimizer without a known law"
    optimizers: ClassVar[tuple[type[Optimizer], ...]] = ()
    conserves_delta: ClassVar[bool] = False

    def step_rate(self, group: ParamGroup) -> float:
        """Return the learning rate of one step, along the gradient."""
        return float(group.get("lr", 1.0))

    def step_decay(self, group: ParamGroup) -> float:
        """Return the fraction of each parameter that one step removes in addition to the gradient step."""
        return 0.0

    def preconditioner(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        """Return P of a parameter, entry by entry, or None if P is a number or not known yet."""
        return None

    def step_size(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        """Return the step along a gradient that has just appeared, a number or one per entry; None if it is not known
        yet."""
        return torch.tensor(float(group.get("lr", 1.0)), dtype=torch.float64)

    def coupled_decay(self, group: ParamGroup) -> float:
        """Return the weight decay that is part of the gradient."""
        return 0.0

    def stability_edge(self, group: ParamGroup) -> float | None:
        """Return the curvature, in units of 1 / `step_size`, below which steps are stable; None if it is not known."""
        return None

    def describe_group(self, group: ParamGroup) -> str:
        """Describe the optimizer and its settings."""
        return f"{self.name}, lr {self.step_rate(group):.3g}"

    @property
    def prediction_text(self) -> str:
        """Description of what should happen to conserved quantities."""
        return "nothing is predicted"
