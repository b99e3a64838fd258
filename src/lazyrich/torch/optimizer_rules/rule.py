"""Interface of the rules for optimizers: their effect on parameters, as far as it is known without the gradients."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor
from torch.optim import Optimizer

ParamGroup = Mapping[str, Any]  # one of an optimizer's `param_groups`
ParamState = Mapping[str, Any]  # what an optimizer keeps for one parameter

Geometry = Literal["gradient", "diagonal", "sign", "spectral", "matrix", "unknown"]

# What one step does to an averaged gradient G, for geometries that a rate or a number per entry does not describe.
STEP_TEXT: Mapping[Geometry, str] = {
    "sign": "steps of equal size in every entry",
    "spectral": "steps with equal singular values",
    "matrix": "a preconditioner of rows and columns",
    "unknown": "not a known optimizer",
}


class OptimizerRule:
    r"""Rule for one optimizer; the default reads only its learning rates and names it as unknown.

    On average over some steps, $\dot\theta = -P\,\nabla L - \lambda\theta$ per step: P is a number (`step_rate`) or one
    per parameter entry, from the optimizer's state (`preconditioner`); λ is the `step_decay`. The `geometry` is
    one of `gradient` (P is a number), `diagonal` (one per entry), `sign` (each entry of a step has the same size),
    `spectral` (all singular values of a step are the same), `matrix` (rows and columns are preconditioned), `unknown`.

    Where P is a number for each layer, the quantities that gradient flow conserves are conserved to first order in the
    step, up to the decay: $\delta \to \delta\, e^{-2\sum\lambda}$ where λ is the same for all parameters involved.

    Optimizers of other packages are recognized by the name of their class (`class_names`) and by settings that their
    groups have (`group_keys`), so that no package is imported.
    """

    name: ClassVar[str] = ""
    optimizers: ClassVar[tuple[type[Optimizer], ...]] = ()
    class_names: ClassVar[tuple[str, ...]] = ()
    group_keys: ClassVar[tuple[str, ...]] = ()
    geometry: ClassVar[Geometry] = "unknown"
    conserves_delta: ClassVar[bool] = False

    def matches(self, optimizer: Optimizer) -> bool:
        """Return whether the rule is that of this optimizer, or of the class whose step it inherits."""
        for known in self.optimizers:
            if isinstance(optimizer, known) and type(optimizer).step is known.step:
                return True
        named = type(optimizer).__name__ in self.class_names
        return named and all(set(self.group_keys) <= set(group) for group in optimizer.param_groups)

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
        if self.geometry == "diagonal":
            return self.preconditioner(group, state)
        return torch.tensor(float(group.get("lr", 1.0)), dtype=torch.float64)

    def coupled_decay(self, group: ParamGroup) -> float:
        """Return the weight decay that is part of the gradient."""
        return 0.0

    def stability_edge(self, group: ParamGroup) -> float | None:
        """Return the curvature, in units of 1 / `step_size`, below which steps are stable; None if it is not known."""
        return None

    def describe_group(self, group: ParamGroup, name: str = "") -> str:
        """Describe the optimizer and its settings; `name` is that of an unknown one."""
        text = f" ({STEP_TEXT[self.geometry]})" if self.geometry in STEP_TEXT else ""
        parts = [f"{self.name or name}{text}", f"lr {float(group.get('lr', 1.0)):.3g}"]
        parts += [f"{key.replace('_', ' ')} {float(group[key]):g}" for key in ("momentum", "weight_decay")
                  if group.get(key)]  # fmt: skip
        return ", ".join(parts)

    @property
    def prediction_text(self) -> str:
        """Description of what should happen to conserved quantities."""
        if self.conserves_delta:
            return "kept to first order in the step, and shrunk by weight decay"
        if self.geometry == "unknown":
            return "nothing is predicted"
        return "no law: its steps are not along the gradient"


def decoupled_decay(group: ParamGroup, key: str = "decoupled_weight_decay", default: bool = False) -> float:
    """Return lr · weight_decay if the decay is decoupled from the gradient, else 0."""
    return float(group["lr"]) * float(group.get("weight_decay", 0.0)) if group.get(key, default) else 0.0


def bias_corrected(average: Tensor, beta: float, step: float) -> Tensor:
    """Return an exponential average that started at 0, divided by the sum of its weights."""
    return average / (1 - beta**step)
