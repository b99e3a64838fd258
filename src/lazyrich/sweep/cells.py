"""Compute cells in a process: arguments in, results as bytes out. An error is recorded for its cell alone."""

import itertools
import json
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from lazyrich.sweep.functions import load_function

DTYPE_KINDS = "biufU"  # booleans, integers, floats, strings
MAX_NAME_BYTES = 200  # of a result: its name becomes that of a folder
CHUNK_SECONDS = 0.1  # after which a worker returns its results

Task = tuple[int, dict[str, object]]  # the number of a cell, and its arguments
Result = tuple[int, bool, bytes]  # the number of a cell, whether it is done, and its results or its error


@dataclass(frozen=True)
class WorkerJob:
    """The information that a process needs to compute cells. `run_id` identifies one run of one driver."""

    run_id: str
    function: str | Callable[..., object] = field(compare=False)
    fixed: dict[str, object] = field(compare=False)
    batch: int | None = field(default=None, compare=False)
    retries: int = field(default=0, compare=False)


def compute_chunk(job: WorkerJob, tasks: Sequence[Task]) -> tuple[list[Result], float]:
    """Compute cells, in order, for about a tenth of a second; return their results, and the seconds taken."""
    began = time.monotonic()
    results: list[Result] = []
    for batch in compute_cells(job, tasks):
        results += batch
        if time.monotonic() - began > CHUNK_SECONDS:
            break
    return results, time.monotonic() - began


def compute_cells(job: WorkerJob, tasks: Iterable[Task]) -> Iterator[list[Result]]:
    """Yield the results of one call after another. Cells that differ in strings cannot share a call of `jax.vmap`."""
    for _, alike in itertools.groupby(tasks, key=lambda task: _string_arguments(task[1])):
        while group := list(itertools.islice(alike, job.batch or 1)):
            yield _compute(job, group, job.retries)


def _compute(job: WorkerJob, tasks: Sequence[Task], retries: int) -> list[Result]:
    """Compute cells in one call. A call that raises is repeated with each half, so that one cell costs only itself."""
    try:
        values = _cell_caller(job)([arguments for _, arguments in tasks])
        return [(cell, True, encode_result(value)) for (cell, _), value in zip(tasks, values, strict=True)]
    except (Exception, SystemExit) as error:
        if half := len(tasks) // 2:
            return _compute(job, tasks[:half], retries) + _compute(job, tasks[half:], retries)
        return _compute(job, tasks, retries - 1) if retries else [(tasks[0][0], False, format_error(error))]


@lru_cache(maxsize=4)
def _cell_caller(job: WorkerJob) -> Callable[[list[dict[str, object]]], list[object]]:
    """Return the call that computes some cells. A module that cannot be imported is an error of the cell."""
    function = load_function(job.function) if isinstance(job.function, str) else job.function
    if job.batch is not None:
        return _vmap_cells(function, job.fixed, job.batch)
    return lambda cells: [function(**arguments, **job.fixed) for arguments in cells]


def _vmap_cells(function: Callable[..., Any], fixed: dict[str, Any], size: int) -> Callable[..., list[Any]]:
    """Return a call that maps the function over at most `size` cells, in the precision that JAX is set to."""
    import jax

    @lru_cache(maxsize=1)
    def trace_once() -> None:  # what the function imports may switch the precision, as it would alone
        jax.eval_shape(lambda: function(**first, **fixed))

    def map_cells(strings: tuple[tuple[str, str], ...], numbers: dict[str, Any]) -> Any:
        return jax.vmap(lambda cell: function(**cell, **dict(strings), **fixed))(numbers)

    compiled = jax.jit(map_cells, static_argnums=0)
    first: dict[str, object] = {}

    def call(cells: list[dict[str, object]]) -> list[object]:
        first.update(cells[0])
        trace_once()
        strings = _string_arguments(cells[0])
        # The last cell is repeated until the length is a power of two, so that few lengths are compiled.
        padded = cells + [cells[-1]] * (min(size, 1 << (len(cells) - 1).bit_length()) - len(cells))
        names = cells[0].keys() - dict(strings).keys()
        result = compiled(strings, {name: np.array([arguments[name] for arguments in padded]) for name in names})
        if not isinstance(result, dict):
            return [result] * len(cells)
        arrays = {name: np.asarray(value) for name, value in result.items()}
        return [{name: array[i] for name, array in arrays.items()} for i in range(len(cells))]

    return call


def _string_arguments(arguments: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the string arguments, over which `jax.vmap` cannot map."""
    return tuple((name, value) for name, value in arguments.items() if isinstance(value, str))


def format_error(error: BaseException) -> bytes:
    """Return the traceback; error messages quote its last line. An exception whose str raises is reported too."""
    lines = traceback.format_exception(error)
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "(its message cannot be read: str() raises)"
    text = f"{''.join(lines)[-20_000:]}\n{type(error).__name__}: {message[-2_000:]}"
    return text.encode("utf8", "replace")


def encode_result(result: object) -> bytes:
    """Return the results of a cell as bytes: a line with name, dtype and shape of each, then their values.

    A TypeError or ValueError says what is wrong with the result.
    """
    if not isinstance(result, dict) or not result:
        kind = "an empty one" if isinstance(result, dict) else type(result).__name__
        raise TypeError(f"a cell must return a dictionary, name → number or array; found {kind}")
    arrays = [as_exact_array(name, value) for name, value in result.items()]
    schema = _schema(tuple(result), tuple([array.dtype.str for array in arrays]), tuple([a.shape for a in arrays]))
    return b"".join([schema, *[array.tobytes() for array in arrays]])


@lru_cache(maxsize=1024)
def _schema(names: tuple[str, ...], dtypes: tuple[str, ...], shapes: tuple[tuple[int, ...], ...]) -> bytes:
    for name in names:
        if not isinstance(name, str) or not name.isidentifier() or len(name.encode()) > MAX_NAME_BYTES:
            raise ValueError(
                f"a result needs a name of letters, digits and underscores, at most {MAX_NAME_BYTES} bytes long, for "
                f"it becomes that of a variable; found {name!r}"
            )
    return json.dumps(list(zip(names, dtypes, shapes, strict=True))).encode() + b"\n"


def decode_results(schema: bytes, values: Sequence[bytes]) -> np.ndarray:
    """Return the results of many cells of one schema, as a structured array.

    A ValueError or TypeError says that the bytes are not those of `encode_result`: the store may be a stranger's.
    """
    dtype = np.dtype([(name, kind, tuple(shape)) for name, kind, shape in json.loads(schema)])
    if not dtype.itemsize:  # arrays without elements
        return np.zeros(len(values), dtype)
    if any(len(value) != dtype.itemsize for value in values):
        raise ValueError(f"{dtype.itemsize} bytes were expected")
    return np.frombuffer(b"".join(values), dtype)


def as_exact_array(name: str, value: object) -> np.ndarray:
    """Return a number, a string, or a list or array of them as an array; refuse it if NumPy would change a value."""
    if type(value) in (bool, float) or (type(value) is int and -(2**63) <= value < 2**63):  # quickly
        return np.array(value)
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
