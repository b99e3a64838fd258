"""Write the pages of the claims from a file of `lazyrich verify --json`: `python docs_build/verdicts.py RECORD OUT`."""

import json
import sys
from pathlib import Path

from lazyrich.papers.atlas.claim_pages import pages
from lazyrich.papers.errata import errata_pages

record, out = map(Path, sys.argv[1:])
rows = json.loads(record.read_text(encoding="utf-8"))["claims"]
for name, page in (*pages(rows, home="../verdicts.html"), *errata_pages(rows)):
    (out / name).parent.mkdir(parents=True, exist_ok=True)
    (out / name).write_text(page, encoding="utf-8")
