"""Computing cells, in whatever process: arguments in, results as bytes out; what raises costs its own cell."""

import itertools
import json
import math
import struct
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from lazyrich.sweep.functions import load_function
from lazyrich.sweep.vmap_batch import string_arguments, vmap_cells

DTYPE_KINDS = "biufU"  # booleans, integers, floats, strings
MAX_NAME_BYTES = 200  # of a result: its name becomes that of a folder
CHUNK_SECONDS = 0.1  # after which a worker hands back what it has
SCALARS = {float: ("<f8", struct.Struct("<d")), bool: ("|b1", struct.Struct("<?")), int: ("<i8", struct.Struct("<q"))}

Task = tuple[int, dict[str, Any]]  # the number of a cell, and its arguments
Result = tuple[int, bool, bytes]  # the number of a cell, whether it is done, and its results or its error


@dataclass(frozen=True)
class WorkerJob:
    """What a process needs to know to compute cells. `run_id` identifies one run of one driver."""

    run_id: str
    function: str | Callable[..., Any] = field(compare=False)
    fixed: dict[str, Any] = field(compare=False)
    batch: int | None = field(default=None, compare=False)
    retries: int = field(default=0, compare=False)


def compute_chunk(
    job: WorkerJob,
    tasks: Sequence[Task],
    announce: Callable[[int, int], None] | None = None,
    results: list[Result] | None = None,
) -> tuple[list[Result], float]:
    """Compute cells for about a tenth of a second, at least one; return their results, and the seconds they took.

    The tasks that were not reached are those beyond the results. `announce(start, stop)` is told which tasks begin.
    """
    began = time.monotonic()
    results = [] if results is None else results
    for group in _batches(tasks, job.batch):
        if announce is not None:
            announce(len(results), len(results) + len(group))
        results += _compute_group(job, group)
        if time.monotonic() - began > CHUNK_SECONDS:
            break
    return results, time.monotonic() - began


def _batches(tasks: Sequence[Task], batch: int | None) -> Iterator[Sequence[Task]]:
    """Yield groups of cells for one call; cells that differ in strings cannot share one."""
    if batch is None:
        yield from ([task] for task in tasks)
        return
    for _, alike in itertools.groupby(tasks, key=lambda task: string_arguments(task[1])):
        while group := list(itertools.islice(alike, batch)):
            yield group


def _compute_group(job: WorkerJob, tasks: Sequence[Task]) -> list[Result]:
    """Compute cells in one call. A call that raises is repeated with each half, so that one cell costs only itself."""
    attempts = 1 + job.retries if len(tasks) == 1 else 1
    for attempt in range(attempts):
        try:
            values = _call(job)([arguments for _, arguments in tasks])
            return [_encode_cell(cell, value) for (cell, _), value in zip(tasks, values, strict=True)]
        except (Exception, SystemExit) as error:
            if len(tasks) > 1:
                half = len(tasks) // 2
                return _compute_group(job, tasks[:half]) + _compute_group(job, tasks[half:])
            if attempt == attempts - 1:
                return [(tasks[0][0], False, format_error(error))]
    raise AssertionError


@lru_cache(maxsize=4)
def _call(job: WorkerJob) -> Callable[[list[dict[str, Any]]], list[Any]]:
    """Return the call that computes some cells. A module that cannot be imported is an error of the cell."""
    function = load_function(job.function) if isinstance(job.function, str) else job.function
    if job.batch is not None:
        return vmap_cells(function, job.fixed, job.batch)
    return lambda cells: [function(**arguments, **job.fixed) for arguments in cells]


def _encode_cell(cell: int, value: Any) -> Result:
    try:
        return cell, True, encode_result(value)
    except Exception as error:
        return cell, False, format_error(error)


def format_error(error: BaseException) -> bytes:
    """Return the traceback; its last line is the one that is quoted. An exception whose str raises is reported too."""
    lines = traceback.format_exception(error)
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "(its message cannot be read: str() raises)"
    text = f"{''.join(lines)[-20_000:]}\n{type(error).__name__}: {message[-2_000:]}"
    return text.encode("utf8", "replace")


def encode_result(result: Any) -> bytes:
    """Return the results of a cell as bytes: a line with name, dtype and shape of each, then their values.

    A TypeError or ValueError says what is wrong with the result.
    """
    if not isinstance(result, dict) or not result:
        kind = "an empty one" if isinstance(result, dict) else type(result).__name__
        raise TypeError(f"a cell must return a dictionary, name → number or array; found {kind}")
    fields, values = [], []
    for name, value in result.items():
        if not isinstance(name, str) or not name.isidentifier() or len(name.encode()) > MAX_NAME_BYTES:
            raise ValueError(
                f"a result needs a name of letters, digits and underscores, at most {MAX_NAME_BYTES} bytes long, for "
                f"it becomes that of a variable; found {name!r}"
            )
        if type(value) in SCALARS and (type(value) is not int or -(2**63) <= value < 2**63):  # faster than NumPy
            dtype, packer = SCALARS[type(value)]
            fields.append((name, dtype, ()))
            values.append(packer.pack(value))
            continue
        array = as_exact_array(name, value)
        fields.append((name, array.dtype.str, array.shape))
        values.append(array.tobytes())
    return _schema(tuple(fields)) + b"".join(values)


@lru_cache(maxsize=1024)
def _schema(fields: tuple[tuple[str, str, tuple[int, ...]], ...]) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def decode_results(schema: bytes, values: Sequence[bytes]) -> dict[str, np.ndarray]:
    """Return the values of many cells of one schema, by name; the cells are along the first axis.

    A ValueError says that the bytes are not those of `encode_result`: the store may be a stranger's.
    """
    fields = [(str(name), np.dtype(dtype), tuple(shape)) for name, dtype, shape in json.loads(schema)]
    if any(dtype.kind not in DTYPE_KINDS for _, dtype, _ in fields):  # an object would be a pointer
        raise ValueError(f"a schema with the dtypes {[str(dtype) for _, dtype, _ in fields]}")
    rows = np.frombuffer(b"".join(values), np.uint8).reshape(len(values), len(values[0]))
    arrays, start = {}, 0
    for name, dtype, shape in fields:
        end = start + dtype.itemsize * math.prod(shape)
        array = np.zeros((len(values), *shape), dtype)
        if end > start:
            array = np.ascontiguousarray(rows[:, start:end]).view(dtype).reshape(len(values), *shape)
        arrays[name], start = array, end
    return arrays


def as_exact_array(name: str, value: Any) -> np.ndarray:
    """Return a number, a string, or a list or array of them as an array; refuse it if NumPy would change a value."""
    if np.ma.is_masked(value):
        raise TypeError(f"{name!r} is a masked array, whose mask would be lost. Fill it first, for instance with NaN")
    array = np.asarray(value)
    if array.dtype.kind not in DTYPE_KINDS or (array.dtype.kind == "f" and array.dtype.itemsize > 8):
        raise TypeError(
            f"{name!r} is {array.dtype} ({type(value).__name__}); need booleans, strings, or integers or floats of at "
            "most 64 bits, alone or in arrays"
        )
    if not hasattr(value, "dtype"):  # Python's own numbers and strings, which NumPy brings to one dtype
        originals, converted = np.asarray(value, dtype=object).ravel(), array.astype(object).ravel()
        for before, after in zip(originals, converted, strict=True):
            if before != after and before == before:  # NaN differs from itself
                raise ValueError(
                    f"{name!r} has no dtype that holds all its values: {before!r} would become {after!r}. "
                    "Give numbers or strings, not both, and integers beyond 2⁵³ not among floats"
                )
    return array.astype(array.dtype.newbyteorder("="), copy=False)
