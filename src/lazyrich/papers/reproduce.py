"""Write a figure into a folder: data, picture and facts. Results that exist already are not computed again."""

import hashlib
import importlib.util
import io
import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyrich._io.npz_file import atomic_write
from lazyrich.papers.figure import Fact, Figure, find
from lazyrich.papers.fingerprint import fingerprint
from lazyrich.sweep.runner import check_engine

if TYPE_CHECKING:
    import xarray

DPI, THUMBNAIL_DPI = 160, 60


@dataclass(frozen=True)
class Made:
    """A computed figure: `folder` holds data.nc, figure.png, a thumbnail, and figure.gif if it is animated."""

    name: str
    key: str
    size: str
    seed: int
    parameters: dict[str, Any]
    seconds: float
    continued: bool
    facts: tuple[Fact, ...]
    folder: Path

    def __bool__(self) -> bool:
        """Return whether all facts hold."""
        return all(fact.holds for fact in self.facts)

    @property
    def picture(self) -> Path:
        return self.folder / ("figure.gif" if find(self.name).moves else "figure.png")

    @property
    def command(self) -> str:
        return command(self.name, self.size, self.seed)

    @property
    def data(self) -> "xarray.Dataset":
        import xarray

        return xarray.load_dataset(self.folder / "data.nc", engine="scipy")

    def __str__(self) -> str:
        lines = [f"{'✓' if fact.holds else '✗'} {fact.statement} ({fact.summary})" for fact in self.facts]
        return "\n".join([f"{self.name}: {find(self.name).title}, {self.seconds:.0f} s", *lines])


def command(name: str, size: str = "quick", seed: int = 0) -> str:
    """Return the command line that makes the figure."""
    return f"lazyrich reproduce {name}" + (" --full" if size == "full" else "") + (f" --seed {seed}" if seed else "")


def reproduce(
    name: str,
    *,
    size: str = "quick",
    seed: int = 0,
    out: str | os.PathLike = "out",
    progress: bool | None = None,
    engine: Any = None,
    workers: int | None = None,
) -> Made:
    """Compute a figure and write it to out/SOURCE/NAME, with its data and the facts that it shows.

    - `size`: "quick", or "full" for the parameters of the source; full runs may take long, use every core, and continue
      after an interruption.
    - `engine`, `workers`: as in `lazyrich.sweep.run`, for figures that are sweeps.
    - A figure that exists already, made by the same code with the same parameters, is not made again.
    """
    figure = find(name)
    if engine is not None:
        check_engine(engine)  # raises an error even if the figure needs no sweep, or exists already
    key = key_of(figure, size, seed)
    folder = folder_of(out, name, size, seed)
    stored_run = load_if_complete(folder, key)
    if stored_run is not None:
        return stored_run
    how = {"engine": engine, "workers": workers}
    began = time.perf_counter()
    cells = folder / f"cells-{key[:12]}"  # results of an interrupted run
    continued = cells.exists()
    cells.mkdir(parents=True, exist_ok=True)
    data = _load_or_compute(
        cells / "data.nc", lambda: figure.compute(size, seed, folder=cells, progress=progress, **how)
    )
    facts = figure.facts(data)
    picture = figure.draw(data)
    (folder / "made.json").unlink(missing_ok=True)  # from here on the folder is incomplete
    for file, dpi in (("figure.png", DPI), ("thumbnail.png", THUMBNAIL_DPI)):
        with atomic_write(folder / file) as stream:
            picture.savefig(stream, dpi=dpi, format="png")
    if figure.moves:
        _animate(figure, data, folder)
    (cells / "data.nc").replace(folder / "data.nc")
    seconds = time.perf_counter() - began
    parameters = json.loads(json.dumps(figure.scale(size).parameters, default=str))
    result = Made(name, key, size, seed, parameters, seconds, continued, facts, folder)
    with atomic_write(folder / "made.json") as stream:
        stream.write(json.dumps(asdict(result) | {"folder": None}, ensure_ascii=False, indent=1).encode())
    shutil.rmtree(cells, ignore_errors=True)
    return result


def folder_of(out: str | os.PathLike, name: str, size: str, seed: int) -> Path:
    return Path(out) / (name + (f"-{size}" if size != "quick" else "") + (f"-seed{seed}" if seed else ""))


def load_if_complete(folder: Path, key: str) -> Made | None:
    """Return the figure in a folder if it is complete and has this key, else None."""
    try:
        record = json.loads((folder / "made.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    files = ("data.nc", "figure.png", "thumbnail.png")
    if record.get("key") != key or not all((folder / file).exists() for file in files):
        return None
    facts = tuple(Fact(**fact) for fact in record.pop("facts"))
    return Made(**record | {"facts": facts, "folder": folder})


def _load_or_compute(path: Path, compute: "Callable[[], xarray.Dataset]") -> "xarray.Dataset":
    """Return the data, computed once and stored, so that an error in plotting does not lose them."""
    import xarray

    if not path.exists():
        data = compute()
        with atomic_write(path) as stream:
            stream.write(data.to_netcdf(engine="scipy"))
    return xarray.load_dataset(path, engine="scipy")


def key_of(figure: Figure, size: str, seed: int) -> str:
    """Return a hash of everything that the figure could depend on: code, parameters, seed, and available user files."""
    code = fingerprint(figure.module.__name__, __name__)
    inputs = json.dumps([code, figure.name, figure.scale(size).parameters, size, seed, _data_sets(figure)], default=str)
    return hashlib.sha256(inputs.encode()).hexdigest()


def _data_sets(figure: Figure) -> list[str]:
    """Return the data sets that a figure reads and that are available."""
    if not figure.reads or importlib.util.find_spec("torch") is None:
        return []
    from lazyrich.torch.data import is_available

    return [name for name in figure.reads if is_available(name)]


def _animate(figure: Figure, data: "xarray.Dataset", folder: Path) -> None:
    """Write a looping GIF that plays forward and backward."""
    from PIL import Image

    pictures = []
    for frame in figure.frames(data):
        buffer = io.BytesIO()
        frame.savefig(buffer, dpi=THUMBNAIL_DPI * 2, format="png")
        pictures.append(Image.open(buffer).convert("P", palette=Image.Palette.ADAPTIVE))
    there_and_back = [*pictures, *pictures[-2:0:-1]]
    with atomic_write(folder / "figure.gif") as stream:
        there_and_back[0].save(
            stream, format="GIF", save_all=True, append_images=there_and_back[1:], duration=80, loop=0
        )
