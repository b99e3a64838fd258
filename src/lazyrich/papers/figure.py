"""What a figure is: a module that computes data, draws them, and says which facts they show.

A module `papers/SOURCE/figures/NAME.py` is the figure SOURCE/NAME; nothing else has to be told about it. It has

- a docstring: the title, then the caption, which also says where the picture differs from the printed one and why;
- `PLACE`, where it stands in the source, and `CLAIMS`, patterns of the claims that belong to it;
- `SCALES`: the parameters at "small" (for tests: a second or two), "quick" (for the atlas) and "full" (the source's);
- `compute(scale) -> xarray.Dataset`, `draw(data) -> matplotlib Figure`, and `facts(data)`, which yields each `Fact`;
- `frames(data)`, if it moves: an iterator over matplotlib figures;
- `READS`, the data sets that it takes from the user's files where they are;
- `seconds(scale)`, for what may take hours: the time that it will take on one core, from a few steps measured here.
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
    """A sentence about the data, whether it is so, and the numbers it was decided on.

    `claim` is the id of the claim that it bears on; `against`, that it contradicts what the source says, which is then
    judged there. `ours`: it is about this library, or about how the figure was made.
    """

    statement: str
    holds: bool
    seen: str = ""
    claim: str = ""
    against: bool = False
    ours: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", bool(self.holds))  # of numpy's

    def on(self, claim: str) -> "Fact":
        """It bears on this claim of the source."""
        return replace(self, claim=claim)

    def contradicts(self, claim: str) -> "Fact":
        """It contradicts what the source says there; the claim's verdict says so, too."""
        return replace(self, claim=claim, against=True)

    def of_ours(self) -> "Fact":
        """It is about this library, or about how the figure was made: the source says nothing of it."""
        return replace(self, ours=True)

    @staticmethod
    def at_most(statement: str, value: Any, bound: float) -> "Fact":
        """The largest of the values is at most the bound."""
        worst = float(np.max(np.asarray(value, float)))
        return Fact(statement, worst <= bound, f"{worst:.3g} ≤ {bound:.3g}")

    @staticmethod
    def at_least(statement: str, value: Any, bound: float) -> "Fact":
        """The smallest of the values is at least the bound."""
        worst = float(np.min(np.asarray(value, float)))
        return Fact(statement, worst >= bound, f"{worst:.3g} ≥ {bound:.3g}")

    @staticmethod
    def rising(statement: str, values: Any, slack: float = 0.0) -> "Fact":
        """The values rise along the last axis; steps down by at most `slack` are let pass."""
        rows = np.atleast_2d(np.asarray(values, float))
        rows = rows.reshape(-1, rows.shape[-1])
        if rows.shape[1] < 2:
            return Fact(statement, False, "needs two values at least")
        least = np.min(np.diff(rows, axis=1), axis=1)  # NaN where one is not a number
        worst = int(np.argmin(np.where(np.isnan(least), -np.inf, least)))
        holds = least[worst] > -slack if slack else least[worst] > 0
        return Fact(statement, bool(holds), " → ".join(f"{v:.3g}" for v in rows[worst, :8]))

    @staticmethod
    def exceeds(statement: str, more: Any, less: Any) -> "Fact":
        """In the mean over seeds, more > less, with the 95 % interval of their difference, seed by seed, above zero."""
        apart = np.asarray(more, float) - np.asarray(less, float)
        if apart.ndim != 1 or len(apart) < 5:
            raise ValueError(f"an ordering needs five seeds or more; found differences of shape {apart.shape}")
        mean, error = apart.mean(), t.ppf(0.975, len(apart) - 1) * apart.std(ddof=1) / np.sqrt(len(apart))
        return Fact(statement, mean - error > 0, f"by {mean:.3g} ± {error:.2g}, {len(apart)} seeds")

    @staticmethod
    def equal(statement: str, one: Any, other: Any, tolerance: float) -> "Fact":
        """Two arrays agree, relative to the larger one's largest entry."""
        one, other = np.asarray(one, float), np.asarray(other, float)
        size = max(float(np.max(np.abs(one))), float(np.max(np.abs(other))))
        apart = float(np.max(np.abs(one - other))) / (size or 1.0)
        return Fact(statement, apart <= tolerance, f"differ by {apart:.1e} ≤ {tolerance:.0e}")


@dataclass(frozen=True)
class Scale:
    """How large a figure is computed: its name, the seed, the parameters, and a folder for what takes long.

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
        """A generator at its beginning: ask once per figure."""
        return np.random.default_rng(self.seed)

    def sweep(
        self,
        cell: Callable[..., Any],
        axes: Mapping[str, Sequence[Any]],
        *,
        seeds: int | Sequence[int] = 1,
        fixed: Mapping[str, Any] | None = None,
    ) -> "xarray.Dataset":
        """`lazyrich.sweep.run` in the folder of this figure, so that what was computed is not computed again: by the
        engine that was asked for; else serially, and in processes at full scale. Seeds count from the figure's own.
        """
        numbers = [self.seed + i for i in range(seeds)] if isinstance(seeds, int) else list(seeds)
        inside = multiprocessing.current_process().daemon  # a worker may not have workers
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
    """A figure of a source: computes its data, draws them, and says which facts they show."""

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
        """Patterns of the names of claims that belong to it."""
        return self.module.CLAIMS

    @property
    def reads(self) -> tuple[str, ...]:
        """The data sets that it takes from the user's files, where they are."""
        return getattr(self.module, "READS", ())

    def scale(self, size: str = "quick", seed: int = 0, **where: Any) -> Scale:
        """Its parameters at a size; `where` and how it is computed: folder, progress, engine, workers."""
        if size not in SIZES:
            raise ValueError(f"a figure is computed at one of the scales {', '.join(SIZES)}; found {size!r}")
        return Scale(size, self.module.SCALES[size], seed, **where)

    def compute(self, size: str = "quick", seed: int = 0, **where: Any) -> "xarray.Dataset":
        """Its data. Work that takes long is kept in the folder, if one is given, and continued there."""
        return self.module.compute(self.scale(size, seed, **where))

    def seconds(self, size: str = "full") -> float | None:
        """What it will take on one core of this machine, where the figure can tell."""
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
    """All figures by name, in the order of the sources."""
    require_packages("a figure", "sweep", "xarray")
    found = {}
    for source in papers():
        for module in sorted(files(source, "figures"), key=_natural):
            # fig7_1 is fig7.1; ex_modes is ex-modes
            short = re.sub(r"(?<=\d)_(?=\d)", ".", module.rsplit(".", 1)[1]).replace("_", "-")
            found[f"{source}/{short}"] = Figure(f"{source}/{short}", importlib.import_module(module))
    return found


def find(name: str) -> Figure:
    """The figure of this name, such as kunin2024/fig2."""
    known = figures()
    if name not in known:
        close = [other for other in known if name.split("/")[-1] in other] or list(known)
        raise ValueError(f"there is no figure {name!r}; there are {', '.join(close)}")
    return known[name]


def _natural(name: str) -> list[Any]:
    """fig2 before fig10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
