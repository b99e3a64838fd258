"""`python docs/counts.py`: writes the number of statements and verdicts into the README, from the record of a run."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
MARK = re.compile(r"(<!-- counts -->).*?(<!-- /counts -->)", re.DOTALL)


def counts() -> str:
    rows = json.loads((ROOT / "docs/data/verdicts.json").read_text(encoding="utf-8"))["claims"]
    theirs = [row for row in rows if row["of"] == "source"]
    proved = sum(row["grade"] == "PROVED" for row in theirs)
    fail = sum(row["verdict"] == "FAILS" for row in theirs)
    return f"{len(theirs)} statements of the sources, of which {proved} are proved and {fail} fail"


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(MARK.sub(rf"\g<1>{counts()}\g<2>", readme.read_text(encoding="utf-8")), encoding="utf-8")
