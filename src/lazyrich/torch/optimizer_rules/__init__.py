"""Rules for optimizers, one file each. A new one is a file with an `OptimizerRule`, and a line in `OPTIMIZER_RULES`.

For other optimizers, the learning rates are read and nothing is predicted.
"""

from torch.optim import Optimizer

from lazyrich.torch.optimizer_rules.adam import Adam
from lazyrich.torch.optimizer_rules.rmsprop import RMSprop
from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup
from lazyrich.torch.optimizer_rules.sgd import SGD

__all__ = ["OPTIMIZER_RULES", "OptimizerRule", "ParamGroup", "rule_for", "unwrap_optimizer"]

OPTIMIZER_RULES: tuple[OptimizerRule, ...] = (SGD(), Adam(), RMSprop())


def rule_for(optimizer: Optimizer) -> OptimizerRule:
    """Return the rule of an optimizer of a known class, or of a subclass with the same step; the default rule for
    others.

    >>> import torch
    >>> print(rule_for(torch.optim.AdamW([torch.ones(1)])).name)
    Adam
    """
    for law in OPTIMIZER_RULES:
        for optimizer_type in law.optimizers:
            if isinstance(optimizer, optimizer_type) and type(optimizer).step is optimizer_type.step:
                return law
    return OptimizerRule()


def unwrap_optimizer(optimizer: object) -> Optimizer:
    """Return the optimizer inside the wrappers of trainers (Lightning, Accelerate)."""
    inner_optimizer = optimizer
    while not isinstance(inner_optimizer, Optimizer) or type(inner_optimizer).__module__.split(".")[0] in (
        "accelerate",
        "lightning",
    ):
        inner = getattr(inner_optimizer, "optimizer", None) or getattr(inner_optimizer, "_optimizer", None)
        if inner is None or inner is inner_optimizer:
            break
        inner_optimizer = inner
    if not isinstance(inner_optimizer, Optimizer):
        raise ValueError(f"an optimizer must be a torch.optim.Optimizer, or hold one; found {type(optimizer).__name__}")
    return inner_optimizer
