"""What an optimiser does to parameters, as far as it can be known without the gradients."""

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor
from torch.optim import Optimizer

Group = Mapping[str, Any]  # one of an optimiser's `param_groups`


class Law:
    r"""What an optimiser says about itself; the defaults know only its learning rates.

    In the mean over some steps, $\dot\theta = -P\,\nabla L - \lambda\theta$ per step: P is a number (`rate`) or one
    per parameter entry, from the optimiser's state (`preconditioner`); λ is the `decay`. Where P is a number for each
    layer, what gradient flow conserves is `conserved` to first order in the step, up to the decay:
    $\delta \to \delta\, e^{-2\sum\lambda}$ where λ is the same for all parameters involved.
    """

    name: ClassVar[str] = "an optimiser without a known law"
    optimisers: ClassVar[tuple[type[Optimizer], ...]] = ()
    conserves: ClassVar[bool] = False

    def rate(self, group: Group) -> float:
        """Of one step, along the gradient."""
        return float(group.get("lr", 1.0))

    def decay(self, group: Group) -> float:
        """How much of each parameter one step takes away, beside what the gradient does."""
        return 0.0

    def preconditioner(self, group: Group, state: Mapping[str, Any]) -> Tensor | None:
        """P of a parameter, entry by entry; None if it is a number, or not known yet."""
        return None

    def words(self, group: Group) -> str:
        """What it is set to."""
        return f"{self.name}, lr {self.rate(group):.3g}"

    @property
    def law(self) -> str:
        """What should happen to conserved quantities."""
        return "nothing is predicted"
