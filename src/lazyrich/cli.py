"""The command line."""

import math
import os
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from lazyrich._io.compilation_cache import enable_compilation_cache
from lazyrich._io.console import plain_console as _console
from lazyrich._io.console import report_errors as _explained
from lazyrich._validate.integers import pluralize
from lazyrich.sweep.cli import app as sweeps
from lazyrich.sweep.grid import MAX_CELLS
from lazyrich.sweep.runner import check_engine

app = typer.Typer(
    help="Exactly how a neural network leaves its initialization.", no_args_is_help=True, add_completion=False
)


def _set_data_directory(folder: Path | None) -> Path | None:
    """Where figures look for the user's files: the processes that are started look there, too."""
    if folder is not None:
        os.environ["LAZYRICH_DATA"] = str(folder.absolute())
    return folder


DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="The folder with MNIST's and CIFAR-10's files, for the figures that learn images; else what is drawn.",
        callback=_set_data_directory,
        exists=True,
        file_okay=False,
        envvar="LAZYRICH_DATA",
    ),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"lazyrich {version('lazyrich')}")
        raise typer.Exit


@app.callback()
def main(
    show: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Exactly how a neural network leaves its initialization: lazy, rich, or delayed rich."""
    enable_compilation_cache()


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The folder for picture and data.")] = Path("out"),
) -> None:
    """One neuron, one task, three relative scales of its layers: prints what happens and draws it."""
    console = _console()
    with _explained(console):
        out.mkdir(parents=True, exist_ok=True)
    with console.status("importing JAX and integrating three flows"):
        from lazyrich import demo

        trajectories = demo.compute_trajectories()
        rows = demo.summarize(trajectories)
    table = Table(title="f(x) = a w·x learns β* = (0, 1) from β = (−0.5, 0)", show_lines=False)
    for column in rows[0]:
        table.add_column(column, justify="left" if column == "start" else "right")
    for row in rows:
        table.add_row(*row.values())
    console.print(table)
    console.print(f"Upstream: {trajectories['upstream'].by}.")
    console.print(
        "Upstream (δ > 0) fits at once with a still kernel: lazy. Balanced learns later and turns its kernel: rich.\n"
        "Downstream (δ < 0) first fits what it can without turning, then slowly turns: delayed rich.\n"
        "Upstream: the first layer learns. In a linear neuron that leaves the kernel still (lazy); through a "
        "ReLU it switches activations, so there upstream is rich."
    )
    picture = out / "demo.png"
    with _explained(console):
        demo.plot(trajectories).savefig(picture, dpi=160)
        for name, traj in trajectories.items():
            traj.save(out / f"{name}.npz")
    console.print(f"Picture: {picture}   Data: {out}/*.npz (lazyrich.Trajectory.load)")


def _parse_values(option: str, text: str, spacing: str, most: float = MAX_CELLS) -> list[float]:
    """start:stop:count, or numbers with commas."""
    import numpy as np

    def refused(need: str) -> typer.BadParameter:
        return typer.BadParameter(f"needs {need}; found {text!r}", param_hint=option)

    try:
        *parts, count = text.split(":") if ":" in text else (*text.split(","), "0")
        numbers, number = [float(part) for part in parts], int(count)
        first, last = numbers if ":" in text else (numbers[0], numbers[-1])
    except ValueError:
        raise refused("start:stop:count, or numbers with commas") from None
    if not all(math.isfinite(each) for each in numbers):
        raise refused("finite numbers")
    if spacing == "log" and min(numbers) <= 0:
        raise refused("positive numbers")
    if ":" not in text:
        return numbers
    if number < 1 or (number == 1 and first != last):
        raise refused("a count of at least 1" if first == last else "a count of at least 2")
    if number > most:  # before they are laid out
        why = f"{text} has {number:,} values; at most {most:,} are taken on: --most raises that"
        raise typer.BadParameter(why, param_hint=option)
    points = np.geomspace(first, last, number) if spacing == "log" else np.linspace(first, last, number)
    return [float(point) for point in points]


def _check_positive(value: float | None) -> float | None:
    if value is not None and not 0 < value < math.inf:
        raise typer.BadParameter(f"needs a positive number; found {value:g}")
    return value


@app.command()
def phase(
    out: Annotated[Path, typer.Option(help="The folder for picture and data; a second run continues there.")],
    tau: Annotated[
        str, typer.Option(help="Overall scales: start:stop:count, log-spaced, or numbers with commas.")
    ] = "0.1:2:17",
    delta: Annotated[
        str, typer.Option(help="Relative scales: start:stop:count, linear, or numbers with commas.")
    ] = "-1:1:17",
    seeds: Annotated[int, typer.Option(help="Repetitions: teacher, base student and data.", min=1)] = 16,
    d: Annotated[int, typer.Option(help="Inputs.", min=1)] = 100,
    m: Annotated[int, typer.Option(help="Neurons of the student, an even number.", min=2)] = 50,
    k: Annotated[int, typer.Option(help="Neurons of the teacher.", min=1)] = 3,
    n: Annotated[int, typer.Option(help="Training points.", min=1)] = 1000,
    test: Annotated[int, typer.Option(help="Test points.", min=1)] = 10_000,
    slope: Annotated[float, typer.Option(help="Slope of the activation below zero; 0 is ReLU.")] = 0.0,
    steps: Annotated[
        float,
        typer.Option(
            help="Descent steps that the flow is worth: its time is steps × lr / τ².", callback=_check_positive
        ),
    ] = 1e5,
    lr: Annotated[
        float,
        typer.Option(help="The learning rate of these steps, before it is divided by τ².", callback=_check_positive),
    ] = 5e-3,
    time: Annotated[
        float | None, typer.Option(help="The flow time × τ², instead of --steps and --lr.", callback=_check_positive)
    ] = None,
    stop: Annotated[
        float,
        typer.Option(help="The training error (mean square) at which a student is done.", callback=_check_positive),
    ] = 1e-10,
    rtol: Annotated[float, typer.Option(help="Tolerance of the flow.", callback=_check_positive)] = 3e-2,
    engine: Annotated[str, typer.Option(help="processes, serial, dask, or a scheduler's address.")] = "processes",
    workers: Annotated[int | None, typer.Option(help="How many; one per core unless told.")] = None,
    most: Annotated[int, typer.Option(help="More students than that are refused.", min=1)] = MAX_CELLS,
) -> None:
    """The (τ, δ) phase diagram of a two-layer network (kunin2024, figure 1b): heat maps and data."""
    console = _console()
    taus, deltas = _parse_values("--tau", tau, "log", most), _parse_values("--delta", delta, "linear", most)
    with _explained(console):
        check_engine(engine)
    students = pluralize(len(taus) * len(deltas) * seeds, "student")
    console.print(f"{len(taus)} × {len(deltas)} × {seeds} = {students}; picture and data in {out}")
    with console.status("importing JAX"):
        from lazyrich import phase
        from lazyrich.sweep import status
    span = steps * lr if time is None else time
    with _explained(console):
        data = phase.phase_diagram(
            taus,
            deltas,
            seeds=seeds,
            out=out,
            engine=engine,
            workers=workers,
            d=d,
            m=m,
            k=k,
            n=n,
            test=test,
            slope=slope,
            time=span,
            stop=stop,
            rtol=rtol,
            most=most,
        )
        found = status(out)
    console.print(str(found))
    if done := phase.summarize_fits(data):
        words = f"{done.fitted} of {pluralize(done.students, 'student')} reached --stop {stop:g}"
        if done.fitted < done.students:
            words += f"; largest training error {done.worst:.1e}; more --steps goes on longer"
        console.print(words)
    console.print(f"Picture: {out / 'phase.png'}   Data: lazyrich.sweep.load({str(out)!r})", soft_wrap=True)
    if found.failed:
        raise typer.Exit(1)


@app.command()
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(help="Claims to check, such as 'kunin2024/*'; all if none.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws other random set-ups.")] = 0,
    thorough: Annotated[bool, typer.Option("--thorough", help="Larger sizes.")] = False,
    workers: Annotated[int | None, typer.Option(help="How many processes; one per core unless told.", min=1)] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Also write the evidence to this file.")] = None,
    dispute: Annotated[
        str | None, typer.Option("--dispute", help="Print all that is needed to object to the verdict on this claim.")
    ] = None,
) -> None:
    """Check the statements of the sources, one by one, and say which hold. Fails if one comes out otherwise."""
    from lazyrich.papers.json_export import objection, write
    from lazyrich.papers.verify import verify

    console = _console()
    with _explained(console, code=2):
        if dispute is not None and names:
            raise ValueError(f"--dispute is about one claim; found {' '.join(names)} besides {dispute}")
        cores = workers or os.cpu_count() or 1
        report = verify(dispute or names or "*", seed=seed, thorough=thorough, workers=cores)
    console.print(str(report) if dispute is None else objection(report), soft_wrap=True)
    if json is not None:
        with _explained(console):
            write(report, json)
    if not report:
        raise typer.Exit(1)


@app.command("list")
def list_figures() -> None:
    """The figures that `reproduce` makes."""
    from lazyrich.papers.figure import figures
    from lazyrich.papers.verify import load

    console = _console()
    table = Table(show_lines=False)
    for column in ("figure", "shows", "in the source"):
        table.add_column(column)
    with _explained(console):
        found = figures()
    for name, each in found.items():
        table.add_row(name, each.title, each.place)
    console.print(table)
    console.print(f"{len(found)} figures: lazyrich reproduce NAME. {len(load())} claims: lazyrich verify.")


@app.command()
def reproduce(
    name: Annotated[str, typer.Argument(help="The figure, such as kunin2024/fig2: `lazyrich list` has them all.")],
    full: Annotated[bool, typer.Option("--full", help="The source's own size; may take long, and continues.")] = False,
    seed: Annotated[int, typer.Option(help="Draws other data.", min=0)] = 0,
    out: Annotated[Path, typer.Option(help="The folder for picture and data.")] = Path("out"),
    data: DataOption = None,
    engine: Annotated[str | None, typer.Option(help="processes, serial, dask, or a scheduler's address.")] = None,
    workers: Annotated[int | None, typer.Option(help="How many; one per core unless told.", min=1)] = None,
) -> None:
    """Compute a figure of the sources, draw it, and say which of its facts hold. Fails if one does not."""
    from lazyrich.papers.figure import find
    from lazyrich.papers.reproduce import reproduce

    console = _console()
    if full:
        with _explained(console):
            seconds = find(name).seconds()
        if seconds is not None:
            cores = workers or os.cpu_count() or 1
            console.print(
                f"about {seconds / 3600:.1f} hours of one core like these, {seconds / 3600 / cores:.1f} on {cores}; "
                "stopped or killed, it continues with the same command"
            )
    with _explained(console), console.status(Text(f"making {name}")) if not full else nullcontext():
        size = "full" if full else "quick"
        made = reproduce(name, size=size, seed=seed, out=out, engine=engine, workers=workers)
    console.print(str(made))
    console.print(f"Picture: {made.picture}   Data: {made.folder / 'data.nc'} (xarray.open_dataset)")
    if not made:
        raise typer.Exit(1)


@app.command()
def atlas(
    out: Annotated[Path, typer.Option(help="The folder of the page; a second run continues there.")] = Path("atlas"),
    seed: Annotated[int, typer.Option(help="Draws other data.", min=0)] = 0,
    workers: Annotated[int | None, typer.Option(help="How many processes; one per core unless told.", min=1)] = None,
    only: Annotated[str, typer.Option(help="Some of it, such as 'dln/*'.")] = "*",
    data: DataOption = None,
) -> None:
    """Check every claim and make every figure, on one page to open in a browser. Killed, it continues."""
    from lazyrich.papers.atlas.up_to_date import question, seal, sealed

    console = _console()
    asked = question(seed=seed, only=only)
    said, fine = sealed(out, asked), True
    if said is None:
        with console.status("importing JAX"):
            from lazyrich.papers.atlas.atlas import atlas
        with _explained(console):
            made = atlas(out, seed=seed, workers=workers, only=only, progress=True)
            said, fine = str(made), bool(made)
            if fine:
                seal(out, asked, said)
    console.print(said)
    console.print(f"Open {(out / 'index.html').absolute().as_uri()}", soft_wrap=True)
    if not fine:
        raise typer.Exit(1)


@app.command()
def explore(
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("explorer.html"),
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
) -> None:
    """Lazy and rich to play with: one page for the browser, which works offline."""
    import webbrowser

    from lazyrich.explorer import explore

    console = _console()
    with _explained(console):
        address = explore().save(out).absolute().as_uri()
    console.print(f"Open {address}", soft_wrap=True)
    if show:
        webbrowser.open(address)


app.add_typer(sweeps, name="sweep")


if __name__ == "__main__":
    app()
