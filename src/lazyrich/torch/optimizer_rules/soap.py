"""SOAP: Adam in the eigenbasis of Shampoo's preconditioner."""

from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup, decoupled_decay


class SOAP(OptimizerRule):
    r"""$W \leftarrow (1 - \text{lr wd})W - \text{lr}\,Q_L\,[\hat m'/(\sqrt{\hat v'} + \epsilon)]\,Q_R^\top$.

    m′ and v′ are the moments of $Q_L^\top \nabla L\,Q_R$, and Q are the eigenvectors of the second moments of rows and
    columns. The preconditioner is a matrix between the entries of a weight, which kernels here do not contain. The
    classes of its authors and of pytorch-optimizer are recognized.
    """

    name = "SOAP"
    class_names = ("SOAP",)
    group_keys = ("lr", "betas", "weight_decay", "precondition_frequency")
    geometry = "matrix"

    def step_decay(self, group: ParamGroup) -> float:
        return decoupled_decay(group, default=True)
