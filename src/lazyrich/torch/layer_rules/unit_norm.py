"""Rule for vectors divided by their length: `torch.nn.functional.normalize`, which has no gain and no module."""

from lazyrich.torch.layer_rules.norm import NormRule


class UnitNorm(NormRule):
    function_signatures = ("normalize(input)",)
