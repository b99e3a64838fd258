"""An optimizer, watched: its learning rates by name, what it divides gradients by, and how much decay has summed up."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich.torch._model.preserve_model import trainable_parameters
from lazyrich.torch.optimizer_rules import OptimizerRule, ParamGroup, rule_for, unwrap_optimizer


class OptimizerReader:
    """Reads an optimizer. After `listen`, a hook on each of its steps sums up the decay, whatever the schedule does."""

    def __init__(self, model: nn.Module, optimizer: object) -> None:
        self.model, self.optimizer = model, unwrap_optimizer(optimizer)
        self.law = rule_for(self.optimizer)
        known = {id(p): name for name, p in trainable_parameters(model).items()}
        held = [known[id(p)] for group in self.optimizer.param_groups for p in group["params"] if id(p) in known]
        if not held:
            raise ValueError(
                "the optimizer holds no trainable parameter of this model: was the model copied, or the optimizer made "
                "for another one?"
            )
        self.steps, self.decays = 0, dict.fromkeys(known.values(), 0.0)

    def listen(self) -> "OptimizerReader":
        self._hook = self.optimizer.register_step_post_hook(lambda *_: self._stepped())
        return self

    def close(self) -> None:
        self._hook.remove()

    def groups(self) -> dict[str, ParamGroup]:
        """Return the group of each trainable parameter; one that is in none is not trained."""
        known = {id(p): name for name, p in trainable_parameters(self.model).items()}
        groups = self.optimizer.param_groups
        return {known[id(p)]: group for group in groups for p in group["params"] if id(p) in known}

    def _stepped(self) -> None:
        self.steps += 1
        for name, group in self.groups().items():
            self.decays[name] += self.law.decay(group)

    def rates(self) -> dict[str, float] | None:
        """Learning rates relative to the largest, 0 for what is not trained; None if all are the same.

        Where a schedule begins at 0, those that it was made for.
        """
        groups = self.groups()
        found = {
            name: self.law.rate({**groups[name], "lr": groups[name].get("initial_lr", groups[name].get("lr", 1.0))})
            if name in groups else 0.0
            for name in trainable_parameters(self.model)
        }  # fmt: skip
        largest = max(found.values())
        if not largest > 0:
            raise ValueError("all learning rates of the optimizer are 0: nothing is trained, so there is no kernel")
        return None if len(set(found.values())) == 1 else {name: rate / largest for name, rate in found.items()}

    def preconditioner(self) -> dict[str, Tensor] | None:
        """P of every trainable parameter, or None if the law has none, or no step was taken yet."""
        groups, found = self.groups(), {}
        for name, parameter in trainable_parameters(self.model).items():
            if name not in groups:
                found[name] = torch.zeros_like(parameter)
                continue
            weights = self.law.preconditioner(_with_nonzero_lr(groups[name]), self._state(parameter))
            if weights is None:
                if self._state(parameter):
                    return None
                weights = torch.zeros_like(parameter)  # it never had a gradient
            found[name] = weights.detach()
        return found if any(bool(weights.any()) for weights in found.values()) else None

    def _state(self, parameter: nn.Parameter) -> Mapping[str, Any]:
        return self.optimizer.state.get(parameter, {})

    @property
    def preconditions(self) -> bool:
        """Does its law have a preconditioner, be it known by now or not?"""
        return type(self.law).preconditioner is not OptimizerRule.preconditioner

    def weights(self) -> tuple[dict[str, float] | None, dict[str, Tensor] | None]:
        """What its kernel is weighted by: rates of layers, or a preconditioner; refused if it has no state yet."""
        found = self.preconditioner()
        if found is None and self.preconditions:
            raise ValueError(
                f"{self.law.name} has taken no step yet, so it has not seen the gradients that it divides by: measure "
                "after a step, or leave optimizer=... out"
            )
        return (None, found) if found is not None else (self.rates(), None)

    @property
    def words(self) -> str:
        groups = self.optimizer.param_groups
        said = list(dict.fromkeys(self.law.words(group) for group in groups))
        return "; ".join(said[:3]) + (f" and {len(said) - 3} more groups" if len(said) > 3 else "")

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps, "decays": dict(self.decays)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.steps, self.decays = state["steps"], dict(state["decays"])


def _with_nonzero_lr(group: ParamGroup) -> ParamGroup:
    """Where a schedule has come to 0, with the rate that it began with: directions are not divided by their length."""
    return {**group, "lr": group.get("initial_lr", 1.0)} if float(group.get("lr", 1.0)) == 0 else group
