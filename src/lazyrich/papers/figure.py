"""Figures: modules that compute data, plot them, and state the facts that they show.

A module `papers/SOURCE/figures/NAME.py` is the figure SOURCE/NAME; it needs no registration. It has

- a docstring: the title, then the caption, which also says where the picture differs from the printed one and why;
- `PLACE`, where it stands in the source, and `CLAIMS`, patterns of the claims that belong to it;
- `SCALES`: the parameters at "small" (for tests: a second or two), "quick" (for the atlas) and "full" (the source's);
- `compute(scale) -> xarray.Dataset`, `draw(data) -> matplotlib Figure`, and `facts(data)`, which yields each `Fact`;
- `frames(data)`, if it is animated: an iterator over matplotlib figures;
- `READS`, the data sets that it reads from the user's files if they are available;
- `seconds(scale)`, for figures that may take hours: the expected time on one core, from a few measured steps.
"""

import importlib
import inspect
import multiprocessing
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t

from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.papers.paper import files, papers
from lazyrich.sweep import run

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray

SIZES = ("small", "quick", "full")


@dataclass(frozen=True)
class Fact:
    """A sentence about the data, whether it is true, and the numbers that decide it.

    `claim` is the id of the claim that it refers to. `against` means that it contradicts the source there, which the
    claim then judges. `ours` means that it is about this library, or about how the figure was made.
    """

    statement: str
    holds: bool
    summary: str = ""
    claim: str = ""
    against: bool = False
    ours: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", bool(self.holds))  # convert NumPy's Booleans

    def on(self, claim: str) -> "Fact":
        """Return the fact with a reference to a claim of the source."""
        return replace(self, claim=claim)

    def contradicts(self, claim: str) -> "Fact":
        """Return the fact as one that contradicts the source at this claim, whose verdict then says so."""
        return replace(self, claim=claim, against=True)

    def of_ours(self) -> "Fact":
        """Return the fact as one about this library, or about how the figure was made, rather than about the source."""
        return replace(self, ours=True)

    @staticmethod
    def at_most(statement: str, value: Any, bound: float) -> "Fact":
        """Test that the largest of the values is at most the bound."""
        worst = float(np.max(np.asarray(value, float)))
        return Fact(statement, worst <= bound, f"{worst:.3g} ≤ {bound:.3g}")

    @staticmethod
    def at_least(statement: str, value: Any, bound: float) -> "Fact":
        """Test that the smallest of the values is at least the bound."""
        worst = float(np.min(np.asarray(value, float)))
        return Fact(statement, worst >= bound, f"{worst:.3g} ≥ {bound:.3g}")

    @staticmethod
    def rising(statement: str, values: Any, slack: float = 0.0) -> "Fact":
        """Test that the values rise along the last axis; steps down by at most `slack` are allowed."""
        return Fact._monotonic(statement, values, 1, slack)

    @staticmethod
    def falling(statement: str, values: Any, slack: float = 0.0) -> "Fact":
        """Test that the values fall along the last axis; steps up by at most `slack` are allowed.

        >>> Fact.falling("it falls", [1.0, 0.5]).summary
        '1 → 0.5'
        """
        return Fact._monotonic(statement, values, -1, slack)

    @staticmethod
    def _monotonic(statement: str, values: Any, sign: int, slack: float) -> "Fact":
        rows = np.atleast_2d(np.asarray(values, float))
        rows = rows.reshape(-1, rows.shape[-1])
        if rows.shape[1] < 2:
            return Fact(statement, False, "needs two values at least")
        least = np.min(sign * np.diff(rows, axis=1), axis=1)  # NaN if a value is NaN
        worst = int(np.argmin(np.where(np.isnan(least), -np.inf, least)))
        holds = least[worst] > -slack if slack else least[worst] > 0
        which = f"the least clear of {len(rows)}: " if len(rows) > 1 else ""
        return Fact(statement, bool(holds), which + " → ".join(f"{v:.3g}" for v in rows[worst, :8]))

    @staticmethod
    def exceeds(statement: str, more: Any, less: Any) -> "Fact":
        """Test that more > less in the mean over seeds, with the 95 % interval of the difference by seed above zero."""
        apart = np.asarray(more, float) - np.asarray(less, float)
        if apart.ndim != 1 or len(apart) < 5:
            raise ValueError(f"an ordering needs five seeds or more; found differences of shape {apart.shape}")
        mean, error = apart.mean(), t.ppf(0.975, len(apart) - 1) * apart.std(ddof=1) / np.sqrt(len(apart))
        return Fact(statement, mean - error > 0, f"by {mean:.3g} ± {error:.2g}, {len(apart)} seeds")

    @staticmethod
    def equal(statement: str, one: Any, other: Any, tolerance: float) -> "Fact":
        """Test that two arrays agree, relative to the largest entry of both."""
        one, other = np.asarray(one, float), np.asarray(other, float)
        size = max(float(np.max(np.abs(one))), float(np.max(np.abs(other))))
        apart = float(np.max(np.abs(one - other))) / (size or 1.0)
        return Fact(statement, apart <= tolerance, f"differ by {apart:.1e} ≤ {tolerance:.0e}")


@dataclass(frozen=True)
class Scale:
    """Size at which a figure is computed: its name, the seed, the parameters, and a folder for long computations.

    `scale["n"]` is the parameter n.
    """

    name: str
    parameters: Mapping[str, Any]
    seed: int = 0
    folder: Path | None = None
    progress: bool | None = None
    engine: Any = None
    workers: int | None = None

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name]

    @property
    def rng(self) -> np.random.Generator:
        """A new generator in its initial state; use it once per figure."""
        return np.random.default_rng(self.seed)

    def sweep(
        self,
        cell: Callable[..., Any],
        axes: Mapping[str, Sequence[Any]],
        *,
        seeds: int | Sequence[int] = 1,
        fixed: Mapping[str, Any] | None = None,
    ) -> "xarray.Dataset":
        """Run `lazyrich.sweep.run` in the folder of this figure, so that finished cells are not computed again.

        The engine is the requested one; by default serial, and processes at full scale. Seeds count from the figure's
        own.
        """
        numbers = [self.seed + i for i in range(seeds)] if isinstance(seeds, int) else list(seeds)
        inside = multiprocessing.current_process().daemon  # a worker process cannot start workers
        engine = self.engine or ("processes" if self.name == "full" and not inside else "serial")
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) if self.folder is None else self.folder
            return run(
                cell,
                axes,
                seeds=numbers,
                fixed=fixed,
                out=out / cell.__name__,
                engine=engine,
                workers=self.workers,
                progress=self.progress,
                strict=True,
            ).load()


@dataclass(frozen=True)
class Figure:
    """A figure of a source: computes its data, plots them, and states the facts that they show."""

    name: str
    module: ModuleType = field(repr=False)

    @property
    def source(self) -> str:
        return self.name.split("/")[0]

    @property
    def title(self) -> str:
        return inspect.getdoc(self.module).split("\n\n")[0].replace("\n", " ")  # type: ignore[union-attr]

    @property
    def caption(self) -> str:
        parts = inspect.getdoc(self.module).split("\n\n")[1:]  # type: ignore[union-attr]
        return "\n\n".join(part.replace("\n", " ") for part in parts)

    @property
    def place(self) -> str:
        return self.module.PLACE

    @property
    def claims(self) -> tuple[str, ...]:
        """Patterns of the ids of claims that belong to the figure."""
        return self.module.CLAIMS

    @property
    def reads(self) -> tuple[str, ...]:
        """Data sets that the figure reads from the user's files, if they are available."""
        return getattr(self.module, "READS", ())

    def scale(self, size: str = "quick", seed: int = 0, **where: Any) -> Scale:
        """Return the parameters at a size; `where` may set folder, progress, engine and workers."""
        if size not in SIZES:
            raise ValueError(f"a figure is computed at one of the scales {', '.join(SIZES)}; found {size!r}")
        return Scale(size, self.module.SCALES[size], seed, **where)

    def compute(self, size: str = "quick", seed: int = 0, **where: Any) -> "xarray.Dataset":
        """Compute the data. Long computations are stored in the folder, if one is given, and continued there."""
        return self.module.compute(self.scale(size, seed, **where))

    def seconds(self, size: str = "full") -> float | None:
        """Return the expected seconds on one core of this machine, or None if the figure has no estimate."""
        return self.module.seconds(self.scale(size)) if hasattr(self.module, "seconds") else None

    def facts(self, data: "xarray.Dataset") -> tuple[Fact, ...]:
        return tuple(self.module.facts(data))

    def draw(self, data: "xarray.Dataset") -> "matplotlib.figure.Figure":
        import matplotlib

        from lazyrich._io.plots import STYLE

        with matplotlib.rc_context(STYLE):
            return self.module.draw(data)

    @property
    def moves(self) -> bool:
        return hasattr(self.module, "frames")

    def frames(self, data: "xarray.Dataset") -> "Iterator[matplotlib.figure.Figure]":
        import matplotlib

        from lazyrich._io.plots import STYLE

        with matplotlib.rc_context(STYLE):
            yield from self.module.frames(data)


def figures() -> dict[str, Figure]:
    """Return all figures by name, in the order of the sources."""
    require_packages("a figure", "sweep", "xarray")
    by_name = {}
    for source in papers():
        for module in sorted(files(source, "figures"), key=_natural_sort_key):
            # fig7_1 is fig7.1; ex_modes is ex-modes
            short = re.sub(r"(?<=\d)_(?=\d)", ".", module.rsplit(".", 1)[1]).replace("_", "-")
            by_name[f"{source}/{short}"] = Figure(f"{source}/{short}", importlib.import_module(module))
    return by_name


def find(name: str) -> Figure:
    """Return the figure of this name, such as kunin2024/fig2."""
    by_name = figures()
    if name not in by_name:
        close = [other for other in by_name if name.split("/")[-1] in other] or list(by_name)
        raise ValueError(f"there is no figure {name!r}; there are {', '.join(close)}")
    return by_name[name]


def _natural_sort_key(name: str) -> list[Any]:
    """Return a sort key that puts fig2 before fig10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
