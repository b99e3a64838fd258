"""Build the atlas: check every claim and compute every figure, on pages that work offline."""

import hashlib
import json
import os
import shlex
import shutil
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from lazyrich._io.npz_file import atomic_write
from lazyrich.explorer import explore
from lazyrich.papers.atlas.claim_pages import pages
from lazyrich.papers.atlas.figures_page import EXPLORER, front_page
from lazyrich.papers.claim import SOURCES, Claim, Evidence
from lazyrich.papers.errata import errata_pages
from lazyrich.papers.figure import Figure, figures
from lazyrich.papers.fingerprint import fingerprint
from lazyrich.papers.reproduce import Made, folder_of, key_of, load_if_complete, reproduce
from lazyrich.papers.verdicts import Grade, Verdict
from lazyrich.papers.verify import Finding, check, load, tally
from lazyrich.sweep import run, status
from lazyrich.sweep.store import lock_folder


@dataclass(frozen=True)
class Atlas:
    """Result of `atlas`; `page` is the one to open."""

    page: Path
    figures: dict[str, Made]
    verdicts: list[dict[str, Any]]
    failed: dict[str, str]

    @property
    def figures_by_claim(self) -> dict[str, list[str]]:
        """For each claim, the figures with a fact that refers to it."""
        found: dict[str, list[str]] = {}
        for name, each in self.figures.items():
            for claim in dict.fromkeys(fact.claim for fact in each.facts if fact.claim):
                found.setdefault(claim, []).append(name)
        return found

    def __bool__(self) -> bool:
        """Return whether everything was computed, every fact holds, and no claim is disputed."""
        fine = all(self.figures.values()) and not any(v["verdict"] == Verdict.DISPUTED.name for v in self.verdicts)
        return fine and not self.failed

    def __str__(self) -> str:
        facts = [fact for each in self.figures.values() for fact in each.facts]
        counts = tally([Verdict[v["verdict"]] for v in self.verdicts])
        lines = [
            f"{len(self.figures)} figures, {sum(f.holds for f in facts)} of {len(facts)} checks of them pass",
            f"{len(self.verdicts)} verdicts: {counts}",
        ]
        lines += [
            f"{name}: not so: {f.statement} ({f.summary})"
            for name, m in self.figures.items()
            for f in m.facts
            if not f.holds
        ]
        lines += [f"{name} failed: {error.strip().splitlines()[-1]}" for name, error in self.failed.items()]
        return "\n".join(lines)


def atlas(
    out: str | os.PathLike = "atlas",
    *,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
    only: str = "*",
    size: str = "quick",
) -> Atlas:
    """Check the claims and compute the figures, several at a time, and write out/index.html.

    Results of the same code are reused, so that a second call is instant, and an interrupted one is continued.

    - `only`: a pattern of the names of figures and claims, such as "dln/*".
    """
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    wanted = {name: each for name, each in figures().items() if fnmatch(name, only)}
    claimed = [source for source in SOURCES if any(fnmatch(c.id, only) for c in load() if c.source == source)]
    if not wanted and not claimed:
        raise ValueError(
            f"no figure or claim is named like {only!r}; names are such as {', '.join(list(figures())[:5])}"
        )
    items = [f"claims of {source}" for source in claimed] + list(wanted)
    with lock_folder(out):
        failed: dict[str, str] = {}
        if _list_missing(out, wanted, claimed, only, size, seed):
            fixed = {"out": str(out.absolute()), "only": only, "size": size}
            keys = [key_of(each, size, seed) for each in wanted.values()]
            keys += [_key(claim) for source in claimed for claim in _claims(source, only)]
            said = json.dumps([keys, items, seed, fixed])
            # an interrupted run is continued there
            work = out / f"work-{hashlib.sha256(said.encode()).hexdigest()[:12]}"
            run(_item, {"item": items}, seeds=[seed], fixed=fixed, out=work, workers=workers, progress=progress)
            labels = status(work).failed  # item=… seed=…
            failed = {shlex.split(label)[0].removeprefix("item="): error for label, error in labels.items()}
        for item in _list_missing(out, wanted, claimed, only, size, seed):
            failed.setdefault(item, "what was made has vanished: run it again")
        done = {name: _load_figure(out, each, size, seed) for name, each in wanted.items()}
        verdicts = [verdict for source in claimed for verdict in _stored_verdicts(out, source, seed, only).values()]
        result = Atlas(out / "index.html", {n: m for n, m in done.items() if m is not None}, verdicts, failed)
        written = (
            *pages(verdicts, result.figures_by_claim),
            *errata_pages(verdicts),
            (EXPLORER, explore().html),
            ("index.html", front_page(result, wanted)),
        )
        for name, page in written:
            _write(out / name, page)
        for leftover in out.glob("work-*"):
            shutil.rmtree(leftover, ignore_errors=True)
    return result


def _write(path: Path, page: str) -> None:
    """Write a page atomically, unless it is there already."""
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(page.encode())


def _load_figure(out: Path, each: Figure, size: str, seed: int) -> Made | None:
    return load_if_complete(folder_of(out, each.name, size, seed), key_of(each, size, seed))


def _list_missing(
    out: Path, wanted: dict[str, Figure], claimed: list[str], only: str, size: str, seed: int
) -> list[str]:
    unchecked = [s for s in claimed if len(_stored_verdicts(out, s, seed, only)) < len(_claims(s, only))]
    unmade = [name for name, each in wanted.items() if _load_figure(out, each, size, seed) is None]
    return [f"claims of {source}" for source in unchecked] + unmade


def _item(item: str, seed: int, out: str, only: str, size: str) -> dict[str, float]:
    """Compute one figure, or check the claims of one source, and return the seconds that it took."""
    if not item.startswith("claims of "):
        return {"seconds": reproduce(item, size=size, seed=seed, out=out, progress=False).seconds}
    source = item.removeprefix("claims of ")
    seen = _stored_verdicts(Path(out), source, seed, only)
    path = _verdicts_path(Path(out), source)
    path.parent.mkdir(exist_ok=True)
    # One line per claim is appended as soon as it is checked. An incomplete line, left by a killed run, is not read.
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n")
        for claim in _claims(source, only):
            if claim.id not in seen:
                line = {"key": [_key(claim), seed]} | _check_claim(claim, seed)
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                file.flush()
    return {"seconds": sum(v["seconds"] for v in _stored_verdicts(Path(out), source, seed, only).values())}


def _check_claim(claim: Claim, seed: int) -> dict[str, Any]:
    try:
        return check(claim, seed).row()
    except Exception as error:  # an error in one claim does not stop the others
        trouble = f"it raised {type(error).__name__}: {error}"
        nothing = Evidence(float("inf"), grade=Grade.READ)
        return Finding(claim, Verdict.DISPUTED, nothing, (), seed, False, 0.0, trouble).row()


def _verdicts_path(out: Path, source: str) -> Path:
    return out / "claims" / f"{source}.jsonl"


def _claims(source: str, only: str) -> list[Claim]:
    return [claim for claim in load() if claim.source == source and fnmatch(claim.id, only)]


def _key(claim: Claim) -> str:
    """Return a hash that changes with the code that the claim reaches."""
    said = [fingerprint(claim.check.__module__, check.__module__), claim.statement, claim.remark, claim.why]
    said.append(claim.counterexample_code)
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _stored_verdicts(out: Path, source: str, seed: int, only: str) -> dict[str, dict[str, Any]]:
    """Return the stored verdicts of this code and seed, in the order of the claims."""
    path = _verdicts_path(out, source)
    keys = {claim.id: [_key(claim), seed] for claim in _claims(source, only)}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            verdict = json.loads(line)
        except ValueError:
            continue
        if verdict["key"] == keys.get(verdict["id"]):
            found[verdict["id"]] = verdict
    return {name: found[name] for name in keys if name in found}
