"""What a probe reports, whoever measured it: rows → dataset → words, and a picture. It needs neither PyTorch nor JAX.

A probe keeps a `Log` of rows, one for each snapshot; its `Report` is their dataset, and says the regime with its
evidence. A `Diagnosis` compares the reports of several runs, a `WidthCheck` the same run at several
widths.
"""

from lazyrich.probe.diagnosis import Diagnosis, Run
from lazyrich.probe.log import Log
from lazyrich.probe.report import Report
from lazyrich.probe.width import WidthCheck

__all__ = ["Diagnosis", "Log", "Report", "Run", "WidthCheck"]
