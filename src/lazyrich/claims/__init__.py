"""Every statement of the sources as a claim that is checked: `lazyrich verify`.

A verdict is numerical evidence: it says what was measured on the set-ups that were tried, not that a theorem is proved.
"""

from lazyrich.claims.claim import CLAIMS, Claim, Evidence, Setup, claim, undecidable
from lazyrich.claims.verify import Report, Verdict, verify

__all__ = ["CLAIMS", "Claim", "Evidence", "Report", "Setup", "Verdict", "claim", "undecidable", "verify"]
