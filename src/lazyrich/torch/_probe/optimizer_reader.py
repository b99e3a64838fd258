"""Read an optimizer: its learning rates by parameter name, its preconditioner, and its accumulated weight decay."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich.torch._model.preserve_model import trainable_parameters
from lazyrich.torch.optimizer_rules import OptimizerRule, ParamGroup, rule_for, unwrap_optimizer


class OptimizerReader:
    """Reads an optimizer. After `attach`, a hook on each step sums up the weight decay, under any learning-rate
    schedule."""

    def __init__(self, model: nn.Module, optimizer: object) -> None:
        self.model, self.optimizer = model, unwrap_optimizer(optimizer)
        self.law = rule_for(self.optimizer)
        name_of_id = {id(p): name for name, p in trainable_parameters(model).items()}
        optimized = [
            name_of_id[id(p)] for group in self.optimizer.param_groups for p in group["params"] if id(p) in name_of_id
        ]
        if not optimized:
            raise ValueError(
                "the optimizer holds no trainable parameter of this model: was the model copied, or the optimizer made "
                "for another one?"
            )
        self.steps, self.decays = 0, dict.fromkeys(name_of_id.values(), 0.0)

    def attach(self) -> "OptimizerReader":
        self._hook = self.optimizer.register_step_post_hook(lambda *_: self._count_step())
        return self

    def detach(self) -> None:
        self._hook.remove()

    def groups_by_name(self) -> dict[str, ParamGroup]:
        """Return the parameter group of each trainable parameter that is in one; the others are not trained."""
        name_of_id = {id(p): name for name, p in trainable_parameters(self.model).items()}
        groups = self.optimizer.param_groups
        return {name_of_id[id(p)]: group for group in groups for p in group["params"] if id(p) in name_of_id}

    def _count_step(self) -> None:
        self.steps += 1
        for name, group in self.groups_by_name().items():
            self.decays[name] += self.law.step_decay(group)

    def relative_rates(self) -> dict[str, float] | None:
        """Return learning rates relative to the largest, with 0 for parameters in no group, or None if all are equal.

        A schedule's initial learning rates are used where it has them, since it may start at 0.
        """
        groups = self.groups_by_name()
        rates = dict.fromkeys(trainable_parameters(self.model), 0.0)
        for name, group in groups.items():
            if name in rates:
                rates[name] = self.law.step_rate({**group, "lr": group.get("initial_lr", group.get("lr", 1.0))})
        largest = max(rates.values())
        if not largest > 0:
            raise ValueError("all learning rates of the optimizer are 0: nothing is trained, so there is no kernel")
        return None if len(set(rates.values())) == 1 else {name: rate / largest for name, rate in rates.items()}

    def preconditioner(self) -> dict[str, Tensor] | None:
        """Return the diagonal preconditioner P of each trainable parameter, or None if the rule has none or no step
        was taken."""
        groups, preconditioner = self.groups_by_name(), {}
        for name, parameter in trainable_parameters(self.model).items():
            if name not in groups:
                preconditioner[name] = torch.zeros_like(parameter)
                continue
            weights = self.law.preconditioner(_with_nonzero_lr(groups[name]), self._state(parameter))
            if weights is None:
                if self._state(parameter):
                    return None
                weights = torch.zeros_like(parameter)  # the parameter never had a gradient
            preconditioner[name] = weights.detach()
        return preconditioner if any(bool(weights.any()) for weights in preconditioner.values()) else None

    def step_sizes(self) -> tuple[dict[str, Tensor], dict[str, float]]:
        """Return the step size P of each trainable parameter, now, and the weight decay that is part of its
        gradient."""
        groups, sizes, decays = self.groups_by_name(), {}, {}
        for name, parameter in trainable_parameters(self.model).items():
            size = None
            if name in groups:
                state = self._state(parameter)
                size = self.law.step_size(groups[name], state)
                if size is None and state:
                    raise ValueError(self._no_step_message)
                decays[name] = self.law.coupled_decay(groups[name])
            sizes[name] = torch.zeros(()) if size is None else size.detach()
        if self.has_preconditioner and not any(size.ndim for size in sizes.values()):
            raise ValueError(self._no_step_message)
        return sizes, decays

    def stability_edge(self) -> float | None:
        """Return the smallest edge of stability of the groups, in units of 1 / their step sizes."""
        edges = [self.law.stability_edge(group) for group in self.optimizer.param_groups]
        finite_edges = [edge for edge in edges if edge is not None]
        return min(finite_edges) if finite_edges and len(finite_edges) == len(edges) else None

    def _state(self, parameter: nn.Parameter) -> Mapping[str, Any]:
        return self.optimizer.state.get(parameter, {})

    @property
    def has_preconditioner(self) -> bool:
        """Whether the optimizer's rule has a preconditioner, even before its first step."""
        return type(self.law).preconditioner is not OptimizerRule.preconditioner

    def kernel_weights(self) -> tuple[dict[str, float] | None, dict[str, Tensor] | None]:
        """Return the weights of the kernel: rates of the layers, or a preconditioner. Raise an error before the
        first step if the rule has a preconditioner."""
        preconditioner = self.preconditioner()
        if preconditioner is None and self.has_preconditioner:
            raise ValueError(self._no_step_message)
        return (None, preconditioner) if preconditioner is not None else (self.relative_rates(), None)

    @property
    def _no_step_message(self) -> str:
        return (
            f"{self.law.name} has taken no step yet, so it has not seen the gradients that it divides by: measure "
            "after a step, or leave optimizer=... out"
        )

    @property
    def description(self) -> str:
        groups = self.optimizer.param_groups
        descriptions = list(dict.fromkeys(self.law.describe_group(group) for group in groups))
        return "; ".join(descriptions[:3]) + (
            f" and {len(descriptions) - 3} more groups" if len(descriptions) > 3 else ""
        )

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps, "decays": dict(self.decays)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.steps, self.decays = state["steps"], dict(state["decays"])


def _with_nonzero_lr(group: ParamGroup) -> ParamGroup:
    """Return the group with its initial learning rate if a schedule has reduced the current one to 0.

    With a rate of 0 the kernel would be 0, and S undefined.
    """
    return {**group, "lr": group.get("initial_lr", 1.0)} if float(group.get("lr", 1.0)) == 0 else group
