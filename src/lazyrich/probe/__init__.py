"""Reports of a probe, from its rows of measurements: dataset, text and plots. Needs neither PyTorch nor JAX.

A probe keeps a `History` of rows, one for each snapshot. Its `Report` holds them as a dataset, and gives the regime
with its evidence. A `Diagnosis` compares the reports of several runs, a `WidthCheck` the same run at several widths.
"""

from lazyrich.probe.adapter_table import AdapterRegime
from lazyrich.probe.advice import Advice, KnobAdvice
from lazyrich.probe.diagnosis import Diagnosis, TrainingRun
from lazyrich.probe.grokking_clock import GrokkingPrediction, GrokkingRun, grokking_clock, grokking_run
from lazyrich.probe.history import History
from lazyrich.probe.regimes import LayerRegime
from lazyrich.probe.report import Report
from lazyrich.probe.transfer import Culprit, DepthCheck, TransferAudit
from lazyrich.probe.width_exponents import WidthCheck

__all__ = [
    "AdapterRegime",
    "Advice",
    "Culprit",
    "DepthCheck",
    "Diagnosis",
    "GrokkingPrediction",
    "GrokkingRun",
    "History",
    "KnobAdvice",
    "LayerRegime",
    "Report",
    "TrainingRun",
    "TransferAudit",
    "WidthCheck",
    "grokking_clock",
    "grokking_run",
]
