"""Adapters for loggers: a function, a TensorBoard writer, a wandb run, a logger of Lightning or Accelerate."""

from collections.abc import Callable, Mapping
from typing import Any

LogFunction = Callable[[Mapping[str, float], int], None]

PREFIX = "lazyrich/"


def as_log_function(log: Any) -> LogFunction:
    """Return a function of (numbers by name, step) from any logger. None of these libraries is imported.

    Loggers are recognized by their methods: `log_metrics(numbers, step)` (Lightning), `add_scalar(name, number, step)`
    (TensorBoard), `log(numbers, step=step)` (wandb, Accelerate), or a plain function of (numbers, step). Names get the
    prefix `lazyrich/`, except for a plain function.

    >>> seen = []
    >>> as_log_function(lambda numbers, step: seen.append((step, numbers)))({"S": 0.5}, 3)
    >>> seen
    [(3, {'S': 0.5})]
    """
    if hasattr(log, "log_metrics"):
        return lambda numbers, step: log.log_metrics(_add_prefix(numbers), step)
    if hasattr(log, "add_scalar"):
        return lambda numbers, step: _log_scalars(log, numbers, step)
    if callable(getattr(log, "log", None)):
        return lambda numbers, step: log.log(_add_prefix(numbers), step=step)
    if callable(log):
        return log
    raise TypeError(
        f"log must be a function of (numbers, step), or have log_metrics, add_scalar or log; found {type(log).__name__}"
    )


def _add_prefix(numbers: Mapping[str, float]) -> dict[str, float]:
    return {PREFIX + name: value for name, value in numbers.items()}


def _log_scalars(writer: Any, numbers: Mapping[str, float], step: int) -> None:
    for name, value in _add_prefix(numbers).items():
        writer.add_scalar(name, value, step)
