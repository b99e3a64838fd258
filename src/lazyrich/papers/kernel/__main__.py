"""Write the pairs of all proofs as Coq files, have coqc check them, and record what its kernel accepts.

`python3 dev.py prove [PATTERN …]`: with patterns, only the claims whose ids match, and nothing is recorded.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path

from lazyrich.papers.claim import Claim
from lazyrich.papers.kernel import coq_derivatives, record
from lazyrich.papers.kernel.coq_derivatives import derivative_lemmas
from lazyrich.papers.kernel.coq_files import HEADER, Exported, export
from lazyrich.papers.kernel.coq_terms import NotExportable
from lazyrich.papers.proof import Proof
from lazyrich.papers.verify import select_claims

Derivatives = tuple[Claim, Proof, list[str]]
SECONDS = 300
TOGETHER = 8  # proofs in one run of coqc, which takes a second or two to load its library
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends", "coq", "libcoq-coquelicot")


@dataclass(frozen=True)
class Job:
    """A proof that can be written as lemmas, and the same with its formula spoiled."""

    claim: Claim
    proof: Proof
    exported: Exported
    spoiled: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.claim.id}#{self.proof.prove.__name__}"

    @property
    def stem(self) -> str:
        return re.sub(r"\W", "_", self.name)


def jobs(claims: Sequence[Claim], left_out: Counter[str]) -> list[Job]:
    """Return the proofs that are pairs of different expressions; count the others by the reason."""
    found = []
    for claim, proof in [(each, proof) for each in claims for proof in each.proofs]:
        sides = proof.prove(False)
        try:
            if not isinstance(sides, tuple):
                left_out["are no pair of expressions"] += 1
                continue
            exported = export(proof.prove.__name__, sides)
            if exported.lemmas:
                spoiled = export(proof.prove.__name__, proof.prove(True)).lemmas
                found.append(Job(claim, proof, exported, spoiled))
            else:
                left_out["have one expression on both sides"] += 1
        except NotExportable as error:
            left_out[f"cannot be written ({error})"] += 1
    return found


def coqc(folder: Path, stem: str, lemmas: Sequence[str], header: str = HEADER) -> tuple[str, str]:
    """Return the complaint of coqc, "" if it accepts the lemmas, and what it prints."""
    path = folder / f"{stem}.v"
    path.write_text("\n".join([header, *lemmas]), encoding="utf-8")
    try:
        command = ["coqc", "-q", "-R", ".", "lazyrich", path.name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} s", ""
    return "" if done.returncode == 0 else " ".join(done.stderr.split()), done.stdout


def check(together: Sequence[Job], folder: Path) -> list[str]:
    """Return the complaints about some proofs: "" where the lemmas are accepted and not all of the spoiled ones."""
    stem = together[0].stem
    wrong = coqc(folder, stem, [lemma for job in together for lemma in job.exported.lemmas])[0]
    if wrong and len(together) > 1:
        return [complaint for job in together for complaint in check([job], folder)]
    tries = [attempt(job.name, lemma) for job in together for lemma in job.spoiled]
    failed, answers = coqc(folder, f"{stem}_spoiled", tries)
    refused = set(re.findall(r"^refused (.*)$", answers, re.MULTILINE))
    failed = failed and f"the spoiled lemmas: {failed}"
    return [wrong or failed or ("" if job.name in refused else "the spoiled lemmas are true") for job in together]


def attempt(name: str, lemma: str) -> str:
    """Return a lemma that is not to be proved: where `field` finds that its two sides differ, coqc says so."""
    begun, last = lemma.removesuffix("\nQed.\n").rsplit("\n  ", 1)
    field = last.removesuffix("; nonzero.")
    return f'{begun}\n  first [{field}; idtac "true {name}" | idtac "refused {name}"].\nAbort.\n'


def check_identities(claims: Sequence[Claim], folder: Path) -> tuple[list[Job], list[str]]:
    """Check all claims; return the jobs that are accepted and whose spoiled form is not, and a report."""
    began, left_out = time.perf_counter(), Counter[str]()
    todo = jobs(claims, left_out)
    exported = time.perf_counter()
    shutil.copy(record.HOME / "tactics.v", folder)
    subprocess.run(["coqc", "-q", "-R", ".", "lazyrich", "tactics.v"], cwd=folder, check=True)
    batches = [todo[start : start + TOGETHER] for start in range(0, len(todo), TOGETHER)]
    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        complaints = [each for batch in pool.map(lambda batch: check(batch, folder), batches) for each in batch]
    good = [job for job, wrong in zip(todo, complaints, strict=True) if not wrong]
    lines = [f"{job.name}: {wrong}"[:300] for job, wrong in zip(todo, complaints, strict=True) if wrong]
    lines += [f"{count} proofs {why}" for why, count in left_out.items()]
    ids, lemmas = {job.claim.id for job in good}, sum(len(job.exported.lemmas) for job in good)
    seconds = f"{exported - began:.0f} s to write them, {time.perf_counter() - exported:.0f} s in coqc"
    counts = f"{len(ids)} claims, {len(good)} proofs, {lemmas} identities"
    return good, [*lines, f"{counts} checked by the kernel, and refused with the formula spoiled; {seconds}"]


def derivatives(claims: Sequence[Claim], folder: Path) -> list[Derivatives]:
    """Return the proofs with derivatives of which the kernel accepts all, and the lemmas."""
    todo: list[Derivatives] = []
    for claim, proof in [(each, proof) for each in claims for proof in each.proofs]:
        lemmas = derivative_lemmas(proof.prove.__name__, proof.prove)
        if lemmas:
            todo.append((claim, proof, lemmas))

    def complaint(number: int) -> str:
        return coqc(folder, f"derivatives_{number}", todo[number][2], coq_derivatives.HEADER)[0]

    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        return [each for each, wrong in zip(todo, pool.map(complaint, range(len(todo))), strict=True) if not wrong]


def write(good: Sequence[Job], slopes: Sequence[Derivatives]) -> None:
    """Replace the stored files and the record."""
    shutil.rmtree(record.HOME / "files", ignore_errors=True)
    texts: dict[Path, list[str]] = {}
    entries: dict[str, dict[str, str | int]] = {}

    def add(path: Path, header: str, claim: Claim, proof: Proof, lemmas: Sequence[str]) -> dict[str, str | int]:
        texts.setdefault(path, [header]).extend([f"(* {claim.id}, {proof.prove.__name__} *)\n", *lemmas])
        empty: dict[str, str | int] = {"hash": record.hash_of(claim, proof), "lemmas": 0, "same": 0, "derivatives": 0}
        return entries.setdefault(f"{claim.id}#{proof.prove.__name__}", empty)

    for job in good:
        entry = add(record.file_of(job.claim), HEADER, job.claim, job.proof, job.exported.lemmas)
        entry |= {"lemmas": len(job.exported.lemmas), "same": job.exported.same}
    for claim, proof, lemmas in slopes:
        entry = add(record.file_of(claim, "_derivatives"), coq_derivatives.HEADER, claim, proof, lemmas)
        entry["derivatives"] = len(lemmas)
    for path, parts in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(parts), encoding="utf-8")
    found = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=True).stdout.split()[0]
    lines = [f' "{name}": {json.dumps(entry)}' for name, entry in sorted(entries.items())]
    text = f'{{"coqc": "{found}", "proofs": {{\n' + ",\n".join(lines) + "\n}}\n"
    record.RECORD.write_text(text, encoding="utf-8")


def main() -> None:
    if shutil.which("coqc") is None:
        sys.exit(f"coqc is not installed; on Debian and Ubuntu: sudo {' '.join(INSTALL)}")
    patterns = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        claims, began = select_claims(patterns or "*"), time.perf_counter()
        good, lines = check_identities(claims, Path(folder))
        print(*lines, sep="\n", flush=True)
        between = time.perf_counter()
        slopes = derivatives(claims, Path(folder))
        many = sum(len(lemmas) for *_, lemmas in slopes)
        print(f"{len(slopes)} proofs, {many} derivatives checked by the kernel; {time.perf_counter() - between:.0f} s")
    print(f"{time.perf_counter() - began:.0f} s in all")
    if not patterns:
        write(good, slopes)


if __name__ == "__main__":
    main()
