"""What an optimizer does to parameters, as far as it can be known without the gradients."""

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor
from torch.optim import Optimizer

ParamGroup = Mapping[str, Any]  # one of an optimizer's `param_groups`


class OptimizerRule:
    r"""What an optimizer says about itself; the defaults know only its learning rates.

    In the mean over some steps, $\dot\theta = -P\,\nabla L - \lambda\theta$ per step: P is a number (`rate`) or one
    per parameter entry, from the optimizer's state (`preconditioner`); λ is the `decay`. Where P is a number for each
    layer, what gradient flow conserves is `conserved` to first order in the step, up to the decay:
    $\delta \to \delta\, e^{-2\sum\lambda}$ where λ is the same for all parameters involved.
    """

    name: ClassVar[str] = "an optimizer without a known law"
    optimizers: ClassVar[tuple[type[Optimizer], ...]] = ()
    conserves_delta: ClassVar[bool] = False

    def step_rate(self, group: ParamGroup) -> float:
        """Of one step, along the gradient."""
        return float(group.get("lr", 1.0))

    def step_decay(self, group: ParamGroup) -> float:
        """Return how much of each parameter one step takes away, beside what the gradient does."""
        return 0.0

    def preconditioner(self, group: ParamGroup, state: Mapping[str, Any]) -> Tensor | None:
        """P of a parameter, entry by entry; None if it is a number, or not known yet."""
        return None

    def describe_group(self, group: ParamGroup) -> str:
        """What it is set to."""
        return f"{self.name}, lr {self.step_rate(group):.3g}"

    @property
    def prediction_text(self) -> str:
        """What should happen to conserved quantities."""
        return "nothing is predicted"
