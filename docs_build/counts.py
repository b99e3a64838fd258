"""Write the counts of statements and verdicts into the README: `python docs_build/counts.py`."""

import json
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS = "lazyrich2026"  # the paper folder of our own results
MARK = re.compile(r"(<!-- counts -->).*?(<!-- /counts -->)", re.DOTALL)


def counts() -> str:
    rows = json.loads((ROOT / "docs/data/verdicts.json").read_text(encoding="utf-8"))["claims"]
    stated = [row for row in rows if row["of"] == "source"]
    theirs, ours = ([row for row in stated if (row["source"] == OURS) is own] for own in (False, True))
    of = Counter(row["verdict"] for row in theirs)
    proved = Counter(row["verdict"] for row in theirs if row["grade"] == "PROVED")
    conjectured = f", {proved['CONJECTURED']} that the source conjectures" if proved["CONJECTURED"] else ""
    at_size = sum(row["grade"] == "AT_SIZE" for row in theirs)
    checked = sum(any("identit" in proof.get("kernel", "") for proof in row["proofs"]) for row in theirs)
    others = sum(of[verdict] for verdict in ("CONJECTURED", "VACUOUS", "UNDECIDABLE"))
    return (
        f"{len(theirs)} statements of the sources: {of['HOLDS']} hold as printed, {of['GENERIC']} generically, "
        f"{of['CORRECTED']} if corrected, {of['FAILS']} fail, and {others} are conjectures, empty or not decidable. "
        f"{proved.total()} are proved: {proved['HOLDS']} as printed, {proved['CORRECTED']} as corrected, "
        f"{proved['FAILS']} to be false{conjectured}; "
        f"{at_size} more at one size. Coq's kernel has checked identities of {checked} of the statements. "
        f"{len(ours)} statements of our own are checked by the same rules"
    )


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(MARK.sub(rf"\g<1>{counts()}\g<2>", readme.read_text(encoding="utf-8")), encoding="utf-8")
