"""Our own modules on disk, as arrays and JSON in one .npz file: no pickle, and written whole or not at all."""

import dataclasses
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

FORMAT = 1
_UMASK = os.umask(0)  # it can be read only by setting it
os.umask(_UMASK)


def save(path: str | os.PathLike, value: Any) -> Path:
    """Write a tree of modules, tuples, dicts, arrays and plain values."""
    path = Path(path)
    arrays: dict[str, np.ndarray] = {}

    def encode(node: Any) -> Any:
        if isinstance(node, (jax.Array, np.ndarray)):
            arrays[f"a{len(arrays)}"] = np.asarray(node)
            return {"array": f"a{len(arrays) - 1}"}
        if dataclasses.is_dataclass(node) and not isinstance(node, type):
            fields = {f.name: encode(getattr(node, f.name)) for f in dataclasses.fields(node)}
            return {"class": type(node).__name__, "fields": fields}
        if isinstance(node, (tuple, list)):
            return {"tuple": [encode(item) for item in node]}
        if isinstance(node, dict):
            return {"dict": {key: encode(item) for key, item in node.items()}}
        if node is None or isinstance(node, (bool, int, float, str)):
            return {"value": node}
        raise TypeError(f"cannot save a {type(node).__name__}")

    header = json.dumps({"format": FORMAT, "tree": encode(value)})
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        np.savez_compressed(file, allow_pickle=False, header=np.array(header), **arrays)
    return path


@contextmanager
def written_whole(path: Path) -> Iterator[Any]:
    """A file to write to, that takes its place once it is complete; until then, and after an error, nothing changes."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o666 & ~_UMASK)  # a temporary file is for its owner alone
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike, classes: Sequence[type]) -> Any:
    """Read what `save` wrote. Only the given classes are ever made."""
    known = {cls.__name__: cls for cls in classes}
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            arrays = {name: file[name] for name in file.files if name != "header"}
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, TypeError) as error:
        raise ValueError(f"{os.fspath(path)} is not a file saved by lazyrich, or it is damaged: {error}") from None
    if header.get("format") != FORMAT:
        raise ValueError(f"{os.fspath(path)} has format {header.get('format')}; this lazyrich reads format {FORMAT}")

    def decode(node: dict[str, Any]) -> Any:
        match node:
            case {"array": name}:
                return jnp.asarray(arrays[name])
            case {"class": name, "fields": fields}:
                if name not in known:
                    raise ValueError(f"{os.fspath(path)} holds an unknown class {name}; known are {sorted(known)}")
                module: Any = object.__new__(known[name])
                for field, item in fields.items():
                    object.__setattr__(module, field, decode(item))
                return module
            case {"tuple": items}:
                return tuple(decode(item) for item in items)
            case {"dict": items}:
                return {key: decode(item) for key, item in items.items()}
            case {"value": value}:
                return value
        raise ValueError(f"{os.fspath(path)} is damaged: unreadable entry {str(node)[:80]}")

    return decode(header["tree"])
