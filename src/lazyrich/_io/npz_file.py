"""Save and load lazyrich's modules as arrays and JSON in one .npz file, without pickle. Writes are atomic.

A file ends with a checksum: the archive's comment is the SHA-256 of everything before it, so any changed bit is
detected. Nothing is compressed, so that reading a file never takes more memory than the length of the file.
"""

import dataclasses
import errno
import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

CHECKSUM_PREFIX = b"lazyrich, format 2, sha256 "
DIGEST_LENGTH = 64  # hexadecimal digits
_UMASK = os.umask(0)  # the umask can be read only by setting it
os.umask(_UMASK)


def save(path: str | os.PathLike, value: object, classes: Sequence[type]) -> Path:
    """Write a tree of tuples, dicts, arrays, plain values, and modules of the given classes."""
    import jax  # imported here, so that programs that only write files do not load JAX

    path = Path(path)
    arrays: dict[str, np.ndarray] = {}

    def encode(node: Any) -> Any:
        if isinstance(node, (jax.Array, np.ndarray, np.generic)):
            arrays[f"a{len(arrays)}"] = np.asarray(node)
            return {"array": f"a{len(arrays) - 1}"}
        if type(node) in classes:
            fields = {field.name: encode(getattr(node, field.name)) for field in dataclasses.fields(node)}
            return {"class": type(node).__name__, "fields": fields}
        if isinstance(node, (tuple, list)):
            return {"tuple": [encode(item) for item in node]}
        if isinstance(node, dict) and all(isinstance(key, str) for key in node):
            return {"dict": {key: encode(item) for key, item in node.items()}}
        if node is None or isinstance(node, (bool, int, float, str)):
            return {"value": node}
        raise TypeError(f"cannot save a {type(node).__name__}: it could not be read again. Nothing was written")

    header = json.dumps(encode(value))
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        np.savez(file, allow_pickle=False, header=np.array(header), **arrays)
        file.seek(-2, os.SEEK_END)  # an archive ends with the length of its comment and the comment
        file.write((len(CHECKSUM_PREFIX) + DIGEST_LENGTH).to_bytes(2, "little") + CHECKSUM_PREFIX)
        file.seek(0)
        file.write(hashlib.file_digest(file, "sha256").hexdigest().encode())
    return path


@contextmanager
def atomic_write(path: Path) -> Iterator[Any]:
    """Yield a temporary file, and rename it to `path` once it is complete. After an error nothing has changed."""
    with _name_file_in_errors(path):
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o666 & ~_UMASK)  # temporary files are readable by their owner only
        with _name_file_in_errors(path):
            Path(temporary).replace(path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise


@contextmanager
def _name_file_in_errors(path: Path) -> Iterator[None]:
    """Replace the temporary file's name in errors by the name of the requested file."""
    try:
        yield
    except OSError as error:
        why = error.strerror if path.parent.is_dir() else f"there is no folder {path.parent}"
        raise OSError(error.errno, why, os.fspath(path)) from None


def load(path: str | os.PathLike, classes: Sequence[type]) -> Any:
    """Read what `save` wrote. Only instances of the given classes are created, by their constructors, which validate
    their arguments."""
    with open(path, "rb") as file:
        end = max(file.seek(0, os.SEEK_END) - DIGEST_LENGTH, 0)
        file.seek(max(end - len(CHECKSUM_PREFIX), 0))
        if file.read(len(CHECKSUM_PREFIX)) != CHECKSUM_PREFIX:
            raise ValueError(
                f"{os.fspath(path)} is not a file saved by lazyrich in format 2, or not all of it: it does not end "
                "with our seal. (Format 1 had none, and is not read any more: save again where it was computed.)"
            )
        digest = file.read()
        file.seek(0)
        contents = file.read(end)
    if hashlib.sha256(contents).hexdigest().encode() != digest:
        raise ValueError(f"{os.fspath(path)} is damaged: its contents are not those that were saved (by their SHA-256)")
    try:
        return _decode(contents, {cls.__name__: cls for cls in classes})
    except Exception as error:  # a valid checksum, but not written by `save`: the readers can raise anything
        raise ValueError(f"{os.fspath(path)} does not hold what lazyrich saves: {error}") from error


def _decode(contents: bytes, classes: dict[str, type]) -> Any:
    import jax.numpy as jnp

    with zipfile.ZipFile(io.BytesIO(contents)) as archive:
        parts = archive.infolist()
        packed = any(part.compress_type != zipfile.ZIP_STORED for part in parts)
        if packed or sum(part.file_size for part in parts) > len(contents):
            raise ValueError("its parts are compressed, or claim to be larger than the file")
        arrays = {part.filename.removesuffix(".npy"): _read_npy(archive.read(part)) for part in parts}

    def decode(node: Any) -> Any:
        match node:
            case {"array": name}:
                return jnp.asarray(arrays[name])
            case {"class": name, "fields": fields}:
                if name not in classes:
                    raise ValueError(
                        f"unknown class {name}; known are {sorted(classes)}. A class of your own is passed to load: "
                        f"load(path, {name})"
                    )
                declared = [field.name for field in dataclasses.fields(classes[name])]
                if sorted(fields) != sorted(declared):
                    raise ValueError(f"a {name} with the fields {sorted(fields)}; it has {sorted(declared)}")
                return classes[name](**{field: decode(item) for field, item in fields.items()})
            case {"tuple": items}:
                return tuple(decode(item) for item in items)
            case {"dict": items}:
                return {key: decode(item) for key, item in items.items()}
            case {"value": value}:
                return value
        raise ValueError(f"unreadable entry {str(node)[:80]}")

    return decode(json.loads(str(arrays["header"])))


def _read_npy(part: bytes) -> np.ndarray:
    """Return the array in a .npy file as a view. A shape that does not fit the size is detected before any memory is
    allocated."""
    stream = io.BytesIO(part)
    np.lib.format.read_magic(stream)
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    return np.frombuffer(part, dtype, offset=stream.tell()).reshape(shape, order="F" if fortran else "C")
