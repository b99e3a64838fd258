"""Measurements and rescalings of PyTorch models: is a network lazy or rich, and what changes that?

`Probe` measures a model while it trains, and `diagnose` compares short runs of rescaled copies. `upstream_`, `rescale_`
and `param_groups` change scales without changing the function where that is possible. `balance` computes the conserved
quantities.
"""

from lazyrich._validate.optional_dependencies import require_packages

require_packages("lazyrich.torch", "torch", "torch")

from lazyrich.probe import Advice, Diagnosis, KnobAdvice, Report, TrainingRun, TransferAudit, WidthCheck
from lazyrich.tangent import KernelDistance, Prediction, TargetAlignment, predict
from lazyrich.tangent.sharpness import Sharpness
from lazyrich.torch import data, knobs
from lazyrich.torch._structure import Structure, structure
from lazyrich.torch.adapters import AdapterRates, adapter_rates
from lazyrich.torch.advice import advise
from lazyrich.torch.compare import compare
from lazyrich.torch.curvature import sharpness
from lazyrich.torch.diagnosis import diagnose
from lazyrich.torch.grokking import grokking_run
from lazyrich.torch.kernel import kernel_distance, kernel_target_alignment, tangent_kernel
from lazyrich.torch.linearization import kernel_product, linearize
from lazyrich.torch.probe import Probe
from lazyrich.torch.rescale import (
    Balance,
    ConservedPair,
    ParameterGroups,
    Rescaling,
    balance,
    param_groups,
    rescale_,
    upstream_,
)
from lazyrich.torch.scale import scale_outputs, scale_rates_
from lazyrich.torch.transfer import transfer_audit
from lazyrich.torch.width import width_check

__all__ = [
    "AdapterRates",
    "Advice",
    "Balance",
    "ConservedPair",
    "Diagnosis",
    "KernelDistance",
    "KnobAdvice",
    "ParameterGroups",
    "Prediction",
    "Probe",
    "Report",
    "Rescaling",
    "Sharpness",
    "Structure",
    "TargetAlignment",
    "TrainingRun",
    "TransferAudit",
    "WidthCheck",
    "adapter_rates",
    "advise",
    "balance",
    "compare",
    "data",
    "diagnose",
    "grokking_run",
    "kernel_distance",
    "kernel_product",
    "kernel_target_alignment",
    "knobs",
    "linearize",
    "param_groups",
    "predict",
    "rescale_",
    "scale_outputs",
    "scale_rates_",
    "sharpness",
    "structure",
    "tangent_kernel",
    "transfer_audit",
    "upstream_",
    "width_check",
]
