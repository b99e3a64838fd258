"""A probe among the callbacks of a trainer: Lightning's, that of transformers, or any with a `global_step`."""

from collections.abc import Mapping
from typing import Any, Protocol

from lazyrich._validate.integers import check_int
from lazyrich.probe.logger_adapters import PREFIX, as_log_function


class ProbeProtocol(Protocol):
    """What a probe has to offer, whatever it measures.

    It may also have `watch(optimizer) -> bool` (is it another one?), `continues(step, other) -> int | None` (the
    steps of earlier training, if the model is as it was when that ended), and `log`, where its numbers go already.
    """

    @property
    def last(self) -> int: ...

    def begin(self, step: int = 0) -> Mapping[str, float] | None: ...

    def snapshot(self, step: int) -> Mapping[str, float] | None: ...


def make_callback(probe: ProbeProtocol, base: type, every: int | None) -> Any:
    """Return an object with the methods of such trainers, also of the class `base`."""
    return type("ProbeCallback", (Callback, base), {})(probe, every)


class Callback:
    """A snapshot after each epoch, or after every so many steps; see `make_callback` of a probe."""

    def __init__(self, probe: ProbeProtocol, every: int | None) -> None:
        super().__init__()
        self.probe, self.every = probe, None if every is None else check_int("every", every)
        self.before = 0  # steps of earlier training, which a trainer may count anew

    def _begin(self, *found: object, **named: object) -> None:
        step, optimizer, other = _global_step(found), _find_optimizer(found, named), False
        if optimizer is not None and hasattr(self.probe, "watch"):
            other = self.probe.watch(optimizer)
        earlier = self.probe.continues(step, other) if hasattr(self.probe, "continues") else None
        self.before = earlier or 0
        if earlier is None:
            _log_to_trainer(self.probe, found, step, self.probe.begin(step))

    def _snapshot(self, found: tuple[object, ...]) -> None:
        step = self.before + _global_step(found)
        if step > self.probe.last:
            _log_to_trainer(self.probe, found, step, self.probe.snapshot(step))

    def _epoch(self, *found: object, **_: object) -> None:
        if self.every is None:
            self._snapshot(found)

    def _batch(self, *found: object, **_: object) -> None:
        # A step of accumulation is a batch without a new step.
        if self.every and _global_step(found) % self.every == 0:
            self._snapshot(found)

    def _end(self, *found: object, **_: object) -> None:
        self._snapshot(found)

    on_train_start = on_train_begin = _begin
    on_train_epoch_end = on_epoch_end = _epoch
    on_train_batch_end = on_step_end = _batch
    on_train_end = _end

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_") or name in ("setup", "teardown"):
            return _ignore
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")


def _ignore(*_: object, **__: object) -> None:
    """An event that the probe does not use."""


def _global_step(found: tuple[Any, ...]) -> int:
    for each in found:
        if isinstance(getattr(each, "global_step", None), int):
            return each.global_step
    kinds = ", ".join(type(each).__name__ for each in found) or "no arguments"
    raise TypeError(
        f"a callback reads the step from `global_step` of its arguments; found {kinds}, without one. Call "
        "probe.snapshot(step) in the loop instead"
    )


def _find_optimizer(found: tuple[object, ...], named: Mapping[str, object]) -> object:
    """Return the one optimizer of the trainer, if it has one."""
    if named.get("optimizer") is not None:
        return named["optimizer"]
    for each in found:
        optimizers = getattr(each, "optimizers", None)
        if isinstance(optimizers, (list, tuple)) and len(optimizers) == 1:
            return optimizers[0]
    return None


def _log_to_trainer(
    probe: ProbeProtocol, found: tuple[object, ...], step: int, numbers: Mapping[str, float] | None
) -> None:
    """To the trainer's own loggers, unless the probe logs elsewhere; a trainer without loggers keeps a history."""
    if not numbers or getattr(probe, "log", None) is not None:
        return
    for each in found:
        for logger in getattr(each, "loggers", None) or ():
            as_log_function(logger)(numbers, step)
        history = getattr(each, "log_history", None)
        if isinstance(history, list):
            history.append({"step": step, **{PREFIX + name: value for name, value in numbers.items()}})
