"""Use a probe as a callback of a trainer: Lightning, transformers, or any with a `global_step`."""

from collections.abc import Mapping
from typing import Any, Protocol

from lazyrich._validate.integers import check_int
from lazyrich.probe.logger_adapters import PREFIX, as_log_function


class ProbeProtocol(Protocol):
    """Interface of a probe that a callback needs.

    A probe may also have `set_optimizer(optimizer) -> bool` (whether it is a new optimizer), `step_offset(step, other)
    -> int | None` (the steps of earlier training, if the model is unchanged since it ended), and `log`, if its numbers
    are logged already.
    """

    @property
    def last_step(self) -> int: ...

    def reset(self, step: int = 0) -> Mapping[str, float] | None: ...

    def snapshot(self, step: int) -> Mapping[str, float] | None: ...


def make_callback(probe: ProbeProtocol, base: type, every: int | None) -> Any:
    """Return an object with the callback methods of these trainers, which is also an instance of `base`."""
    return type("ProbeCallback", (Callback, base), {})(probe, every)


class Callback:
    """Takes a snapshot after each epoch, or after every `every` steps; see `Probe.callback`."""

    def __init__(self, probe: ProbeProtocol, every: int | None) -> None:
        super().__init__()
        self.probe, self.every = probe, None if every is None else check_int("every", every)
        self.before = 0  # steps of earlier training; a trainer may restart its count

    def _on_train_start(self, *arguments: object, **named: object) -> None:
        step, optimizer, other = _global_step(arguments), _find_optimizer(arguments, named), False
        if optimizer is not None and hasattr(self.probe, "set_optimizer"):
            other = self.probe.set_optimizer(optimizer)
        earlier = self.probe.step_offset(step, other) if hasattr(self.probe, "step_offset") else None
        self.before = earlier or 0
        if earlier is None:
            _log_to_trainer(self.probe, arguments, step, self.probe.reset(step))

    def _snapshot(self, arguments: tuple[object, ...]) -> None:
        step = self.before + _global_step(arguments)
        if step > self.probe.last_step:
            _log_to_trainer(self.probe, arguments, step, self.probe.snapshot(step))

    def _on_epoch_end(self, *arguments: object, **_: object) -> None:
        if self.every is None:
            self._snapshot(arguments)

    def _on_batch_end(self, *arguments: object, **_: object) -> None:
        # With gradient accumulation, some batches have no new step.
        if self.every and _global_step(arguments) % self.every == 0:
            self._snapshot(arguments)

    def _on_train_end(self, *arguments: object, **_: object) -> None:
        self._snapshot(arguments)

    on_train_start = on_train_begin = _on_train_start
    on_train_epoch_end = on_epoch_end = _on_epoch_end
    on_train_batch_end = on_step_end = _on_batch_end
    on_train_end = _on_train_end

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_") or name in ("setup", "teardown"):
            return _ignore
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")


def _ignore(*_: object, **__: object) -> None:
    """Ignore an event that the probe does not use."""


def _global_step(arguments: tuple[Any, ...]) -> int:
    for each in arguments:
        if isinstance(getattr(each, "global_step", None), int):
            return each.global_step
    kinds = ", ".join(type(each).__name__ for each in arguments) or "no arguments"
    raise TypeError(
        f"a callback reads the step from `global_step` of its arguments; found {kinds}, without one. Call "
        "probe.snapshot(step) in the loop instead"
    )


def _find_optimizer(arguments: tuple[object, ...], named: Mapping[str, object]) -> object:
    """Return the trainer's only optimizer, or None."""
    if named.get("optimizer") is not None:
        return named["optimizer"]
    for each in arguments:
        optimizers = getattr(each, "optimizers", None)
        if isinstance(optimizers, (list, tuple)) and len(optimizers) == 1:
            return optimizers[0]
    return None


def _log_to_trainer(
    probe: ProbeProtocol, arguments: tuple[object, ...], step: int, numbers: Mapping[str, float] | None
) -> None:
    """Log the numbers to the trainer's loggers and history, unless the probe has its own log."""
    if not numbers or getattr(probe, "log", None) is not None:
        return
    for each in arguments:
        for logger in getattr(each, "loggers", None) or ():
            as_log_function(logger)(numbers, step)
        history = getattr(each, "log_history", None)
        if isinstance(history, list):
            history.append({"step": step, **{PREFIX + name: value for name, value in numbers.items()}})
