"""Shampoo: rows and columns of a gradient are multiplied by roots of their second moments."""

from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup, decoupled_decay


class Shampoo(OptimizerRule):
    r"""$W \leftarrow W - \text{lr}\,L^{-1/4}\,\nabla L\,R^{-1/4}$, with L and R sums of $GG^\top$ and $G^\top G$.

    The preconditioner is a matrix between the entries of a weight, which kernels here do not contain. The classes of
    pytorch-optimizer and of Meta's distributed_shampoo are recognized.
    """

    name = "Shampoo"
    class_names = ("Shampoo", "ScalableShampoo", "DistributedShampoo")
    group_keys = ("lr", "weight_decay")
    geometry = "matrix"

    def step_decay(self, group: ParamGroup) -> float:
        if group.get("weight_decouple") and group.get("fixed_decay"):
            return float(group["weight_decay"])
        keys = ("weight_decouple", "decoupled_weight_decay", "use_decoupled_weight_decay")
        return max(decoupled_decay(group, key) for key in keys)
