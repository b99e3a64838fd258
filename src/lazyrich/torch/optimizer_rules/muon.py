"""Muon: steps along an averaged gradient whose singular values are made equal."""

from typing import ClassVar

import torch
from torch.optim import Optimizer

from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup, decoupled_decay


class Muon(OptimizerRule):
    r"""$W \leftarrow (1 - \text{lr wd})W - \text{lr}\,c\,(BB^\top)^{-1/2}B$, B an average of gradients.

    All singular values of a step are about lr · c (0.7 to 1.2 times it, by five Newton–Schulz iterations), with c
    given by the shape of W: √max(1, rows/columns) or 0.2 √max(rows, columns). `torch.optim.Muon` and the classes of the
    same name in other packages are recognized. Groups with `use_muon=False` are trained by AdamW there; this is
    described, and no preconditioner is read.
    """

    name = "Muon"
    optimizers: ClassVar[tuple[type[Optimizer], ...]] = (torch.optim.Muon,) if hasattr(torch.optim, "Muon") else ()
    class_names = ("Muon", "SingleDeviceMuon", "MuonWithAuxAdam", "SingleDeviceMuonWithAuxAdam")
    group_keys = ("lr", "weight_decay")
    geometry = "spectral"

    def step_decay(self, group: ParamGroup) -> float:
        return decoupled_decay(group, "weight_decouple", default=True)

    def describe_group(self, group: ParamGroup, name: str = "") -> str:
        text = super().describe_group(group)
        return text if group.get("use_muon", True) else f"AdamW of Muon, lr {float(group['lr']):.3g}"
