"""What Coq's kernel has accepted: the files, and for which proofs they stand.

`checked.json` is written by `python3 dev.py prove`. A result belongs to the code of a proof: once the code has changed,
it is no longer shown.
"""

import hashlib
import inspect
import json
from functools import cache
from pathlib import Path
from typing import Any

from lazyrich.papers.claim import Claim
from lazyrich.papers.helpers import helpers
from lazyrich.papers.proof import Proof

HOME = Path(__file__).parent
RECORD = HOME / "checked.json"
KINDS = ("lemmas", "same", "derivatives")


def hash_of(claim: Claim, proof: Proof) -> str:
    """Return the hash of a proof's code, of all helpers of papers that it reaches, and of the statements that it may
    evaluate."""
    code = [inspect.getsource(proof.prove), *helpers(proof.prove).values()]
    named = [proof.prove.__globals__.get(name) for name in proof.prove.__code__.co_names]
    read = [claim, *(each for each in named if isinstance(each, Claim))]
    stated = [text for each in read for text in (each.statement, each.remark)]
    return hashlib.sha256("\n".join([*code, *stated]).encode()).hexdigest()[:16]


def file_of(claim: Claim, kind: str = "") -> Path:
    """Return the path of the Coq file of a claim: of its identities, or of its "_derivatives"."""
    source, name = claim.id.split("/")
    return HOME / "files" / source / f"{name.replace('-', '_')}{kind}.v"


@cache
def _record() -> dict[str, Any]:
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {"coqc": "", "proofs": {}}


def accepted(claim: Claim, proof: Proof) -> dict[str, Any] | None:
    """Return what the kernel has accepted of a proof as it now stands, or None.

    `lemmas` counts identities of two different expressions; `same` those whose two sides are one expression, of which
    there is nothing to check; `derivatives` those that SymPy took on the way, if the kernel accepts all of them.
    """
    try:
        entry = _record()["proofs"].get(f"{claim.id}#{proof.prove.__name__}")
        current = entry is not None and entry["hash"] == hash_of(claim, proof)
    except OSError:  # defined interactively
        return None
    return {"coqc": _record()["coqc"], **{key: entry[key] for key in KINDS}} if current else None


def describe_checked(found: dict[str, Any]) -> str:
    """Return what the kernel has checked, as text, and no more than that."""
    identities, derivatives = found["lemmas"], found["derivatives"]
    parts = []
    if identities:
        parts.append(f"{'the identity' if identities == 1 else f'{identities} identities'} of two printed expressions")
    if derivatives:
        parts.append("the derivative that it takes" if derivatives == 1 else f"all {derivatives} derivatives")
    same = f"; in {found['same']} more both sides are one expression" if found["same"] else ""
    return f"checked by Coq's kernel (coqc {found['coqc']}): {' and '.join(parts)}{same}"


def coq_text(claim: Claim) -> str:
    """Return the Coq files of a claim, if the kernel has accepted one of its proofs as it now stands."""
    shown = any(accepted(claim, proof) for proof in claim.proofs)
    paths = [file_of(claim), file_of(claim, "_derivatives")]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if shown and path.exists())
