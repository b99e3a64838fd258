"""Whether an atlas is as it was left: made by this very code for the same question, and no file of it changed since.

Told by hashes alone, without importing what computes: a second run answers at once.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from lazyrich._io.npz_file import atomic_write
from lazyrich.papers.fingerprint import HOME, versions

NAME = "seal.json"
PASSING = ("lock", "work-")  # what a run leaves or takes away


def question(**asked: Any) -> str:
    """Of the package's files, the versions of what they compute with, the user's data, and what is asked."""
    digest = hashlib.sha256(json.dumps([asked, versions(), _listed(os.environ.get("LAZYRICH_DATA"))]).encode())
    for path in sorted(path for path in HOME.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        digest.update(f"{path.relative_to(HOME)} {_hash(path)}".encode())
    return digest.hexdigest()


def seal(out: Path, asked: str, said: str) -> None:
    """Put down what was said, and every file that is there."""
    text = json.dumps({"asked": asked, "said": said, "files": _files(out)}, ensure_ascii=False)
    with atomic_write(out / NAME) as file:
        file.write(text.encode())


def sealed(out: Path, asked: str) -> str | None:
    """What was said, if this was asked and every file is as it was."""
    try:
        found = json.loads((out / NAME).read_text(encoding="utf-8"))
        return found["said"] if found["asked"] == asked and found["files"] == _files(out) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # none, or damaged: make it again


def _files(out: Path) -> dict[str, str]:
    inside = (path for path in sorted(out.rglob("*")) if path.is_file())
    names = {path.relative_to(out).as_posix(): path for path in inside}
    return {name: _hash(path) for name, path in names.items() if not name.startswith((*PASSING, NAME))}


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _listed(folder: str | None) -> list[tuple[str, int, int]]:
    """The user's files by name, size and time: reading them would take long."""
    if folder is None:
        return []
    found = ((path, path.stat()) for path in sorted(Path(folder).rglob("*")) if path.is_file())
    return [(str(path), stat.st_size, stat.st_mtime_ns) for path, stat in found]
