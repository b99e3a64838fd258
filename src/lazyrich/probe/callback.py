"""A probe among the callbacks of a trainer: Lightning's, that of transformers, or any with a `global_step`."""

from typing import Any, Protocol

from lazyrich._count import count


class Probed(Protocol):
    """What a probe has to offer, whatever it measures."""

    @property
    def last(self) -> int: ...

    def begin(self, step: int = 0) -> None: ...

    def snapshot(self, step: int) -> None: ...


def callback(probe: Probed, base: type, every: int | None) -> Any:
    """An object with the methods of such trainers, also of the class `base`."""
    return type("ProbeCallback", (Callback, base), {})(probe, every)


class Callback:
    """A snapshot after each epoch, or after every so many steps; see `callback` of a probe."""

    def __init__(self, probe: Probed, every: int | None) -> None:
        super().__init__()
        self.probe, self.every = probe, None if every is None else count("every", every)

    def _begin(self, *found: Any, **_: Any) -> None:
        self.probe.begin(_step(found))

    def _epoch(self, *found: Any, **_: Any) -> None:
        if self.every is None and _step(found) > self.probe.last:
            self.probe.snapshot(_step(found))

    def _batch(self, *found: Any, **_: Any) -> None:
        # A step of accumulation is a batch without a new step.
        if self.every and _step(found) % self.every == 0 and _step(found) > self.probe.last:
            self.probe.snapshot(_step(found))

    def _end(self, *found: Any, **_: Any) -> None:
        if _step(found) > self.probe.last:
            self.probe.snapshot(_step(found))

    on_train_start = on_train_begin = _begin
    on_train_epoch_end = on_epoch_end = _epoch
    on_train_batch_end = on_step_end = _batch
    on_train_end = _end

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_") or name in ("setup", "teardown"):
            return _nothing
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")


def _nothing(*_: Any, **__: Any) -> None:
    """An event that the probe does not use."""


def _step(found: tuple[Any, ...]) -> int:
    for each in found:
        if isinstance(getattr(each, "global_step", None), int):
            return each.global_step
    kinds = ", ".join(type(each).__name__ for each in found) or "no arguments"
    raise TypeError(
        f"a callback reads the step from `global_step` of its arguments; found {kinds}, without one. Call "
        "probe.snapshot(step) in the loop instead"
    )
