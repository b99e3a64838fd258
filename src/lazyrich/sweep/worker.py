"""A worker: computes cells of a sweep, and writes each the moment it is there."""

import itertools
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lazyrich.sweep.batch import batched, words
from lazyrich.sweep.pack import StoreError
from lazyrich.sweep.plan import function_of
from lazyrich.sweep.store import Store


class Worker:
    """A function, what is fixed of its arguments, and the store for its results.

    `batch`: so many cells, which differ in numbers only, go into one call, mapped by `jax.vmap`.
    """

    def __init__(self, store: Store, function: str | Callable[..., Any], fixed: dict[str, Any], batch: int | None):
        self.store, self.fixed, self.batch = store, fixed, batch
        self._function = function
        self._call: Callable[..., list[Any]] | None = None

    def compute(self, cells: Sequence[int]) -> None:
        """These cells, one after the other. What the function raises is recorded; what the store raises is raised."""
        for group in self._groups(cells):
            try:
                results = self._results([self.store.grid.arguments(cell) for cell in group])
            except Exception as error:
                for cell in group:
                    self.store.fail(cell, _told(error))
                continue
            for cell, result in zip(group, results, strict=True):
                try:
                    self.store.write(cell, result)
                except StoreError:
                    raise
                except Exception as error:
                    self.store.fail(cell, _told(error))

    def _groups(self, cells: Sequence[int]) -> Iterator[list[int]]:
        if self.batch is None:
            yield from ([cell] for cell in cells)
            return
        for _, alike in itertools.groupby(cells, key=lambda cell: words(self.store.grid.arguments(cell))):
            while group := list(itertools.islice(alike, self.batch)):
                yield group

    def _results(self, arguments: list[dict[str, Any]]) -> list[Any]:
        if self._call is None:  # here, so that a module that cannot be imported is an error of the cell
            function = function_of(self._function) if isinstance(self._function, str) else self._function
            fixed = self.fixed
            if self.batch is None:
                self._call = lambda cells: [function(**each, **fixed) for each in cells]
            else:
                self._call = batched(function, fixed, self.batch)
        return self._call(arguments)


def _told(error: Exception) -> str:
    """Its last line is what is quoted; a traceback may end in notes."""
    return f"{traceback.format_exc()}\n{type(error).__name__}: {' '.join(str(error).split())}"
