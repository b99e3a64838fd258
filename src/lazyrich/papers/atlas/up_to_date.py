"""Check whether an atlas is up to date: built by this code with the same arguments, and no file changed since.

Only hashes are compared, without importing the numerical code, so that a second run returns at once.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from lazyrich._io.npz_file import atomic_write
from lazyrich.papers.fingerprint import HOME, versions

NAME = "seal.json"
PASSING = ("lock", "work-")  # temporary files of a run


def hash_inputs(**asked: Any) -> str:
    """Return a hash of the package's files, the versions of its dependencies, the user's data, and the arguments."""
    digest = hashlib.sha256(json.dumps([asked, versions(), _list_files(os.environ.get("LAZYRICH_DATA"))]).encode())
    for path in sorted(path for path in HOME.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        digest.update(f"{path.relative_to(HOME)} {_hash(path)}".encode())
    return digest.hexdigest()


def write_seal(out: Path, asked: str, said: str) -> None:
    """Record the output text, and a hash of every file."""
    text = json.dumps({"asked": asked, "said": said, "files": _files(out)}, ensure_ascii=False)
    with atomic_write(out / NAME) as file:
        file.write(text.encode())


def read_seal(out: Path, asked: str) -> str | None:
    """Return the recorded text if the arguments are the same and every file is unchanged, else None."""
    try:
        found = json.loads((out / NAME).read_text(encoding="utf-8"))
        return found["said"] if found["asked"] == asked and found["files"] == _files(out) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # no record, or a damaged one: rebuild


def _files(out: Path) -> dict[str, str]:
    inside = (path for path in sorted(out.rglob("*")) if path.is_file())
    names = {path.relative_to(out).as_posix(): path for path in inside}
    return {name: _hash(path) for name, path in names.items() if not name.startswith((*PASSING, NAME))}


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _list_files(folder: str | None) -> list[tuple[str, int, int]]:
    """Return the user's files by name, size and time, since reading them would take long."""
    if folder is None:
        return []
    found = ((path, path.stat()) for path in sorted(Path(folder).rglob("*")) if path.is_file())
    return [(str(path), stat.st_size, stat.st_mtime_ns) for path, stat in found]
