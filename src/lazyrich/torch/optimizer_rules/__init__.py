"""Rules for optimizers, one file each. A new one is a file with an `OptimizerRule`, and a line in `OPTIMIZER_RULES`.

For other optimizers, the learning rates are read and nothing is predicted.
"""

from torch.optim import Optimizer

from lazyrich.torch.optimizer_rules.adagrad import Adagrad
from lazyrich.torch.optimizer_rules.adam import Adam
from lazyrich.torch.optimizer_rules.adamax import Adamax
from lazyrich.torch.optimizer_rules.lion import Lion
from lazyrich.torch.optimizer_rules.muon import Muon
from lazyrich.torch.optimizer_rules.nadam import NAdam
from lazyrich.torch.optimizer_rules.radam import RAdam
from lazyrich.torch.optimizer_rules.rmsprop import RMSprop
from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup
from lazyrich.torch.optimizer_rules.schedule_free import ScheduleFreeAdam, ScheduleFreeSGD
from lazyrich.torch.optimizer_rules.sgd import SGD
from lazyrich.torch.optimizer_rules.shampoo import Shampoo
from lazyrich.torch.optimizer_rules.soap import SOAP

__all__ = ["OPTIMIZER_RULES", "OptimizerRule", "ParamGroup", "rule_for", "unwrap_optimizer", "unwrap_optimizers"]

OPTIMIZER_RULES: tuple[OptimizerRule, ...] = (
    SGD(),
    Adam(),
    NAdam(),
    RAdam(),
    Adamax(),
    Adagrad(),
    RMSprop(),
    Lion(),
    Muon(),
    Shampoo(),
    SOAP(),
    ScheduleFreeSGD(),
    ScheduleFreeAdam(),
)


def rule_for(optimizer: Optimizer) -> OptimizerRule:
    """Return the rule of an optimizer of a known class, or of a subclass with the same step; the default rule for
    others.

    >>> import torch
    >>> rule_for(torch.optim.AdamW([torch.ones(1)])).name
    'Adam'
    >>> rule_for(torch.optim.Rprop([torch.ones(1)])).geometry
    'unknown'
    """
    return next((rule for rule in OPTIMIZER_RULES if rule.matches(optimizer)), OptimizerRule())


def unwrap_optimizers(optimizer: object) -> tuple[Optimizer, ...]:
    """Return the optimizers of a list or tuple, or one alone, without the wrappers of trainers."""
    several = optimizer if isinstance(optimizer, list | tuple) else [optimizer]
    if not several:
        raise ValueError("optimizer=[] holds no optimizer: pass one, a list of several, or leave it out")
    return tuple(unwrap_optimizer(one) for one in several)


def unwrap_optimizer(optimizer: object) -> Optimizer:
    """Return the optimizer inside the wrappers of trainers (Lightning, Accelerate)."""
    inner: object = optimizer
    while not isinstance(inner, Optimizer) or type(inner).__module__.split(".")[0] in ("accelerate", "lightning"):
        wrapped = getattr(inner, "optimizer", None) or getattr(inner, "_optimizer", None)
        if wrapped is None or wrapped is inner:
            break
        inner = wrapped
    if not isinstance(inner, Optimizer):
        raise ValueError(f"an optimizer must be a torch.optim.Optimizer, or hold one; found {type(optimizer).__name__}")
    return inner
