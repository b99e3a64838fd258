"""Lion: steps along the sign of an averaged gradient."""

from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup, decoupled_decay


class Lion(OptimizerRule):
    r"""$\theta \leftarrow (1 - \text{lr wd})\,\theta - \text{lr}\,\mathrm{sign}(\beta_1 m + (1 - \beta_1)\nabla L)$.

    Each entry moves by lr, whatever the size of the gradient, so no P independent of the gradient describes it. The
    classes of lion-pytorch, timm and pytorch-optimizer are recognized.
    """

    name = "Lion"
    class_names = ("Lion",)
    group_keys = ("lr", "betas", "weight_decay")
    geometry = "sign"

    def step_decay(self, group: ParamGroup) -> float:
        if group.get("fixed_decay"):
            return float(group["weight_decay"])
        return decoupled_decay(group, "weight_decouple", default=True)
