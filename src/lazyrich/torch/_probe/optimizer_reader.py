"""Read optimizers: learning rates by parameter name, the preconditioner, and the accumulated weight decay."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from lazyrich.probe.types import State
from lazyrich.torch._model.preserve_model import trainable_parameters
from lazyrich.torch.optimizer_rules import OptimizerRule, ParamGroup, rule_for, unwrap_optimizers


@dataclass(frozen=True)
class _Entry:
    """How one parameter is trained: by which optimizer (its index) and rule, with which group and state."""

    index: int
    rule: OptimizerRule
    group: ParamGroup
    state: Mapping[str, Any]


class OptimizerReader:
    """Reads one or several optimizers, each of which holds parameters of its own. After `attach`, a hook on each step
    sums up the weight decay, under any learning-rate schedule."""

    def __init__(self, model: nn.Module, optimizer: object) -> None:
        self.model, self.optimizers = model, unwrap_optimizers(optimizer)
        self.rules = tuple(rule_for(one) for one in self.optimizers)
        name_of_id = {id(p): name for name, p in trainable_parameters(model).items()}
        owner: dict[str, int] = {}
        for index, one in enumerate(self.optimizers):
            names = [name_of_id[id(p)] for group in one.param_groups for p in group["params"] if id(p) in name_of_id]
            if not names:
                which = "the optimizer" if len(self.optimizers) == 1 else f"number {index} ({type(one).__name__})"
                raise ValueError(
                    f"{which} holds no trainable parameter of this model: was the model copied, or the optimizer made "
                    "for another one?"
                )
            for name in names:
                if owner.setdefault(name, index) != index:
                    kinds = " and ".join(type(self.optimizers[i]).__name__ for i in (owner[name], index))
                    raise ValueError(
                        f"'{name}' is held by two of the optimizers ({kinds}), so two steps would move it: give each "
                        "parameter to one of them"
                    )
        self.decays = dict.fromkeys(name_of_id.values(), 0.0)

    def attach(self) -> "OptimizerReader":
        self._hooks = [
            one.register_step_post_hook(lambda stepped, *_: self._count_decay(stepped)) for one in self.optimizers
        ]
        return self

    def detach(self) -> None:
        for hook in self._hooks:
            hook.remove()

    def _entries(self) -> dict[str, _Entry]:
        """Return how each trainable parameter that an optimizer holds is trained; the others are not trained."""
        name_of_id = {id(p): name for name, p in trainable_parameters(self.model).items()}
        return {
            name_of_id[id(p)]: _Entry(index, rule, group, one.state.get(p, {}))
            for index, (one, rule) in enumerate(zip(self.optimizers, self.rules, strict=True))
            for group in one.param_groups
            for p in group["params"]
            if id(p) in name_of_id
        }

    @property
    def trained_names(self) -> set[str]:
        """The names of the trainable parameters that an optimizer holds."""
        return set(self._entries())

    def conserves_delta(self, names: Iterator[str]) -> bool:
        """Return whether the rules of these parameters conserve what gradient flow conserves."""
        entries = self._entries()
        return all(entries[name].rule.conserves_delta for name in names if name in entries)

    def _count_decay(self, stepped: Optimizer) -> None:
        for name, entry in self._entries().items():
            if self.optimizers[entry.index] is stepped:
                self.decays[name] += entry.rule.step_decay(entry.group)

    def groups_by_name(self) -> dict[str, ParamGroup]:
        """Return the group of each trainable parameter that an optimizer holds."""
        return {name: entry.group for name, entry in self._entries().items()}

    def decays_of_a_step(self) -> dict[str, float]:
        """Return the fraction of each parameter that weight decay removes in one step, root mean square over its
        entries; decay that is part of the gradient goes through the preconditioner."""
        decays = {}
        for name, entry in self._entries().items():
            decays[name], coupled = entry.rule.step_decay(entry.group), entry.rule.coupled_decay(entry.group)
            if not decays[name] and coupled and entry.rule.geometry == "diagonal":
                factor = entry.rule.preconditioner(entry.group, entry.state)
                decays[name] = 0.0 if factor is None else coupled * float(factor.double().square().mean().sqrt())
        return decays

    def relative_rates(self) -> dict[str, float] | None:
        """Return learning rates relative to the largest, with 0 for parameters in no group, or None if all are equal.

        Rates of different optimizers are comparable only where all steps are along the gradient; elsewhere they are
        relative to the largest of the same optimizer. A schedule's initial learning rates are used where it has them,
        since it may start at 0.
        """
        entries = self._entries()
        rates = dict.fromkeys(trainable_parameters(self.model), 0.0)
        for name, entry in entries.items():
            initial = entry.group.get("initial_lr", entry.group.get("lr", 1.0))
            rates[name] = entry.rule.step_rate({**entry.group, "lr": initial})
        largest = [max(rates[name] for name, e in entries.items() if e.index == i) for i in range(len(self.rules))]
        if not max(largest) > 0:
            raise ValueError("all learning rates of the optimizer are 0: nothing is trained, so there is no kernel")
        if all(rule.geometry == "gradient" for rule in self.rules):
            largest = [max(largest)] * len(self.rules)
        for name, entry in entries.items():
            rates[name] /= largest[entry.index] or 1.0
        return None if len(set(rates.values())) == 1 else rates

    def preconditioner(self) -> dict[str, Tensor] | None:
        """Return the diagonal preconditioner P of each trainable parameter, or None if the rules have none or no step
        was taken. An optimizer that steps along the gradient has its rate as P."""
        if not self.has_preconditioner:
            return None
        entries, weights = self._entries(), {}
        for name, parameter in trainable_parameters(self.model).items():
            weights[name] = torch.zeros_like(parameter)
            if name not in entries:
                continue
            rule, state, group = entries[name].rule, entries[name].state, _with_nonzero_lr(entries[name].group)
            if rule.geometry == "gradient":
                weights[name] = torch.full_like(parameter, rule.step_rate(group))
                continue
            own = rule.preconditioner(group, state)
            if own is None and state:
                return None
            if own is not None:  # otherwise the parameter never had a gradient
                weights[name] = own.detach()
        adaptive = [name for name, entry in entries.items() if entry.rule.geometry == "diagonal"]
        return weights if any(bool(weights[name].any()) for name in adaptive) else None

    def step_sizes(self) -> tuple[dict[str, Tensor], dict[str, float]]:
        """Return the step size P of each trainable parameter, now, and the weight decay that is part of its
        gradient."""
        if not self.has_step_sizes:
            raise ValueError(
                f"curvatures in the geometry of an optimizer need steps along the gradient, entry by entry; found "
                f"{self.description}: leave optimizer=... out for the curvature of the loss itself"
            )
        entries, sizes, decays = self._entries(), {}, {}
        for name in trainable_parameters(self.model):
            size = None
            if name in entries:
                entry = entries[name]
                size = entry.rule.step_size(entry.group, entry.state)
                if size is None and entry.state:
                    raise ValueError(self._no_step_message)
                decays[name] = entry.rule.coupled_decay(entry.group)
            sizes[name] = torch.zeros(()) if size is None else size.detach()
        if self.has_preconditioner and not any(size.ndim for size in sizes.values()):
            raise ValueError(self._no_step_message)
        return sizes, decays

    def stability_edge(self) -> float | None:
        """Return the smallest edge of stability of the groups, in units of 1 / their step sizes."""
        edges = [rule.stability_edge(group) for rule, group in self._groups()]
        known = [edge for edge in edges if edge is not None]
        return min(known) if known and len(known) == len(edges) else None

    def _groups(self) -> Iterator[tuple[OptimizerRule, ParamGroup]]:
        for one, rule in zip(self.optimizers, self.rules, strict=True):
            for group in one.param_groups:
                yield rule, group

    @property
    def has_step_sizes(self) -> bool:
        """Whether a step along a gradient is a number times each of its entries, or may be."""
        return not any(rule.geometry in ("sign", "spectral", "matrix") for rule in self.rules)

    @property
    def has_preconditioner(self) -> bool:
        """Whether the steps are those of a diagonal preconditioner, even before the first one."""
        kinds = {rule.geometry for rule in self.rules}
        return "diagonal" in kinds and kinds <= {"diagonal", "gradient"}

    def kernel_weights(self) -> tuple[dict[str, float] | None, dict[str, Tensor] | None]:
        """Return the weights of the kernel: rates of the layers, or a preconditioner. Raise an error before the
        first step if the rule has a preconditioner."""
        weights = self.preconditioner()
        if weights is None and self.has_preconditioner:
            raise ValueError(self._no_step_message)
        return (None, weights) if weights is not None else (self.relative_rates(), None)

    @property
    def _no_step_message(self) -> str:
        names = " and ".join(dict.fromkeys(rule.name for rule in self.rules if rule.geometry == "diagonal"))
        return (
            f"{names} has taken no step yet, so it has not seen the gradients that it divides by: measure "
            "after a step, or leave optimizer=... out"
        )

    @property
    def description(self) -> str:
        texts = list(
            dict.fromkeys(
                rule.describe_group(group, type(one).__name__)
                for one, rule in zip(self.optimizers, self.rules, strict=True)
                for group in one.param_groups
            )
        )
        return "; ".join(texts[:3]) + (f" and {len(texts) - 3} more groups" if len(texts) > 3 else "")

    @property
    def prediction_text(self) -> str:
        """Description of what should happen to conserved quantities, of each rule once."""
        texts = dict.fromkeys(rule.prediction_text for rule in self.rules)
        if len(texts) == 1:
            return next(iter(texts))
        return "; ".join(f"{rule.name or 'others'}: {rule.prediction_text}" for rule in dict.fromkeys(self.rules))

    def state_dict(self) -> State:
        return {"decays": dict(self.decays)}

    def load_state_dict(self, state: State) -> None:
        self.decays = dict(state["decays"])


def _with_nonzero_lr(group: ParamGroup) -> ParamGroup:
    """Return the group with its initial learning rate if a schedule has reduced the current one to 0.

    With a rate of 0 the kernel would be 0, and S undefined.
    """
    return {**group, "lr": group.get("initial_lr", 1.0)} if float(group.get("lr", 1.0)) == 0 else group
