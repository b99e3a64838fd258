"""The command-line interface."""

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
    """Set the folder with the user's data files for the figures, in this process and its children."""
    if folder is not None:
        os.environ["LAZYRICH_DATA"] = str(folder.absolute())
    return folder


DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder with the files of MNIST and CIFAR-10, for figures that train on images; else synthetic ones.",
        callback=_set_data_directory,
        exists=True,
        file_okay=False,
        envvar="LAZYRICH_DATA",
    ),
]


def _print_version(print_it: bool) -> None:
    if print_it:
        print(f"lazyrich {version('lazyrich')}")
        raise typer.Exit


@app.callback()
def main(
    show: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Compute exactly how a neural network leaves its initialization: lazy, rich, or delayed rich."""
    enable_compilation_cache()


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the picture and the data.")] = Path("out"),
) -> None:
    """Train one neuron on one task from three relative scales of its layers: print and draw what happens."""
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
        "Upstream (δ > 0) fits at once with a constant kernel: lazy.\n"
        "Balanced (δ = 0) fits later, and its kernel rotates: rich.\n"
        "Downstream (δ < 0) first fits what it can without rotating, then slowly rotates: delayed rich.\n"
        "Upstream means that the first layer learns faster. In a linear neuron this leaves the kernel constant (lazy); "
        "through a ReLU it switches activations, and upstream is rich."
    )
    picture = out / "demo.png"
    with _explained(console):
        demo.plot(trajectories).savefig(picture, dpi=160)
        for name, traj in trajectories.items():
            traj.save(out / f"{name}.npz")
    console.print(f"Picture: {picture}   Data: {out}/*.npz (lazyrich.Trajectory.load)")


def _parse_values(option: str, text: str, spacing: str, max_cells: float = MAX_CELLS) -> list[float]:
    """Parse start:stop:count, or numbers with commas."""
    import numpy as np

    def bad_parameter(need: str) -> typer.BadParameter:
        return typer.BadParameter(f"needs {need}; found {text!r}", param_hint=option)

    try:
        *parts, count = text.split(":") if ":" in text else (*text.split(","), "0")
        numbers, number = [float(part) for part in parts], int(count)
        first, last = numbers if ":" in text else (numbers[0], numbers[-1])
    except ValueError:
        raise bad_parameter("start:stop:count, or numbers with commas") from None
    if not all(math.isfinite(each) for each in numbers):
        raise bad_parameter("finite numbers")
    if spacing == "log" and min(numbers) <= 0:
        raise bad_parameter("positive numbers")
    if ":" not in text:
        return numbers
    if number < 1 or (number == 1 and first != last):
        raise bad_parameter("a count of at least 1" if first == last else "a count of at least 2")
    if number > max_cells:  # before the values are created
        why = f"{text} has {number:,} values; at most {max_cells:,} are taken on: --max-cells raises that"
        raise typer.BadParameter(why, param_hint=option)
    points = np.geomspace(first, last, number) if spacing == "log" else np.linspace(first, last, number)
    return [float(point) for point in points]


def _check_positive(value: float | None) -> float | None:
    if value is not None and not 0 < value < math.inf:
        raise typer.BadParameter(f"needs a positive number; found {value:g}")
    return value


@app.command()
def phase(
    out: Annotated[
        Path, typer.Option(help="Folder for the picture and the data. A second run continues an unfinished one.")
    ],
    tau: Annotated[
        str, typer.Option(help="Overall scales τ, as start:stop:count (log-spaced) or comma-separated numbers.")
    ] = "0.1:2:17",
    delta: Annotated[
        str, typer.Option(help="Relative scales δ, as start:stop:count (evenly spaced) or comma-separated numbers.")
    ] = "-1:1:17",
    seeds: Annotated[
        int | None,
        typer.Option(
            help="Number of seeds. Each draws a teacher, a base student and data. Default: 16, or 1 with --population.",
            min=1,
        ),
    ] = None,
    population: Annotated[
        bool,
        typer.Option("--population", help="Learn from infinitely many points, in closed form: no data are drawn."),
    ] = False,
    d: Annotated[int, typer.Option(help="Number of inputs.", min=1)] = 100,
    width: Annotated[int, typer.Option(help="Number of neurons of the student; must be even.", min=2)] = 50,
    teacher_width: Annotated[int, typer.Option(help="Number of neurons of the teacher.", min=1)] = 3,
    n: Annotated[int, typer.Option(help="Number of training points.", min=1)] = 1000,
    test: Annotated[int, typer.Option(help="Number of test points.", min=1)] = 10_000,
    negative_slope: Annotated[float, typer.Option(help="Slope of the activation below zero; 0 is ReLU.")] = 0.0,
    steps: Annotated[
        float,
        typer.Option(
            help="Training length in descent steps: the flow time is steps × lr / τ².", callback=_check_positive
        ),
    ] = 1e5,
    lr: Annotated[
        float,
        typer.Option(help="Learning rate of these steps, before division by τ².", callback=_check_positive),
    ] = 5e-3,
    time: Annotated[
        float | None, typer.Option(help="Flow time × τ², instead of --steps and --lr.", callback=_check_positive)
    ] = None,
    stop: Annotated[
        float,
        typer.Option(help="Training error (mean square) at which training stops.", callback=_check_positive),
    ] = 1e-10,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of the solver.", callback=_check_positive)] = 3e-2,
    decay: Annotated[float, typer.Option(help="Weight decay of the students.", min=0.0)] = 0.0,
    engine: Annotated[
        str, typer.Option(help="processes, serial, dask, or the address of a dask scheduler.")
    ] = "processes",
    workers: Annotated[int | None, typer.Option(help="Number of workers. Default: one per core.")] = None,
    max_cells: Annotated[int, typer.Option(help="Largest number of students allowed.", min=1)] = MAX_CELLS,
) -> None:
    """Train two-layer networks over a grid of overall scales τ and relative scales δ, and draw heat maps.

    This is the phase diagram of kunin2024, figure 1b.
    """
    console = _console()
    seeds = seeds or (1 if population else 16)
    taus, deltas = (
        _parse_values("--tau", tau, "log", max_cells),
        _parse_values("--delta", delta, "linear", max_cells),
    )
    with _explained(console):
        check_engine(engine)
    students = pluralize(len(taus) * len(deltas) * seeds, "student")
    console.print(f"{len(taus)} × {len(deltas)} × {seeds} = {students}; picture and data in {out}")
    with console.status("importing JAX"):
        from lazyrich import phase
        from lazyrich.sweep import status
    span = steps * lr if time is None else time
    with _explained(console):
        setup = phase.StudentSetup(
            d, width, teacher_width, n, test, negative_slope, span, stop, rtol, decay, population
        )
        data = phase.phase_diagram(
            taus, deltas, seeds=seeds, out=out, setup=setup, engine=engine, workers=workers, max_cells=max_cells
        )
        state = status(out)
    console.print(str(state))
    if done := phase.summarize_fits(data):
        words = f"{done.fitted} of {pluralize(done.students, 'student')} reached --stop {stop:g}"
        if done.fitted < done.students:
            words += f"; largest training error {done.worst:.1e}; more --steps train longer"
        console.print(words)
    console.print(f"Picture: {out / 'phase.png'}   Data: lazyrich.sweep.load({str(out)!r})", soft_wrap=True)
    if state.failed:
        raise typer.Exit(1)


@app.command()
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(help="Claims to check, such as 'kunin2024/*'. Default: all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the test cases.")] = 0,
    thorough: Annotated[bool, typer.Option("--thorough", help="Check larger sizes.")] = False,
    workers: Annotated[int | None, typer.Option(help="Number of processes. Default: one per core.", min=1)] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Also write the evidence to this file, as JSON.")] = None,
    record: Annotated[
        Path | None, typer.Option("--update", help="Replace the results of these claims in a file that --json wrote.")
    ] = None,
    dispute: Annotated[
        str | None, typer.Option("--dispute", help="Print everything needed to dispute the verdict on this claim.")
    ] = None,
) -> None:
    """Check the statements of the papers behind this library, one by one, and print which hold.

    Fails if a result differs from the recorded verdict.
    """
    from lazyrich.papers.json_export import objection, update, write
    from lazyrich.papers.verify import verify

    console = _console()
    with _explained(console, code=2):
        if dispute is not None and names:
            raise ValueError(f"--dispute takes one claim and no others; found {' '.join(names)} besides {dispute}")
        cores = workers or os.cpu_count() or 1
        report = verify(dispute or names or "*", seed=seed, thorough=thorough, workers=cores)
    console.print(str(report) if dispute is None else objection(report), soft_wrap=True)
    if json is not None:
        with _explained(console):
            write(report, json)
    if record is not None:
        with _explained(console):
            update(report, record)
    if not report:
        raise typer.Exit(1)


@app.command()
def errata(
    source: Annotated[str, typer.Argument(help="The paper, such as kunin2024.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for JSON, Markdown, LaTeX and a page to print. Default: print Markdown.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Results of `lazyrich verify --json`. Default: check the claims now.")
    ] = None,
    text: Annotated[
        Path | None, typer.Option(help="Only compare this copy of the paper's text with the one that was checked.")
    ] = None,
) -> None:
    """List the errors in a paper.

    Each with its place, the statement as printed, the corrected statement, the evidence, and code that shows it.
    """
    import json

    from lazyrich.papers.errata import compare_text
    from lazyrich.papers.errata import errata as list_errata

    console = _console()
    with _explained(console, code=2):
        if text is not None:
            compared = compare_text(source, text)
        else:
            rows = None if record is None else json.loads(record.read_text(encoding="utf-8"))["claims"]
            document = list_errata(source, rows, workers=os.cpu_count() or 1)
            paths = [] if out is None else document.save(out)
    if text is not None:
        console.print(str(compared), soft_wrap=True)
        raise typer.Exit(0 if compared else 1)
    console.print("\n".join(map(str, paths)) if out is not None else document.markdown, soft_wrap=True)


@app.command("new-paper")
def new_paper(
    source: Annotated[Path, typer.Argument(help="The main TeX file of the paper.", exists=True, dir_okay=False)],
    name: Annotated[str, typer.Option(help="Name of the paper in ids, such as toy2027.")],
    out: Annotated[Path, typer.Option(help="Folder in which the folder of the paper is made.")] = Path("papers"),
) -> None:
    """Draft the folder of a paper from its TeX: coverage with quotations, and a claim for each statement to write."""
    from lazyrich.papers.new_paper import new_paper as write_paper
    from lazyrich.papers.new_paper import summarize
    from lazyrich.papers.tex_source import parse_tex, read_tex

    console = _console()
    with _explained(console):
        read = parse_tex(read_tex(source))
        written = write_paper(source, name, out)
    console.print(f"{summarize(read)}: {pluralize(len(written), 'file')} in {out / name}", soft_wrap=True)
    console.print(
        f"Every check fails until it is written: state what each claim says, and compare it with a computation. "
        f"docs/extending-papers.md has an example; lazyrich.papers.__path__.append({str(out)!r}) finds the paper.",
        soft_wrap=True,
    )


@app.command("list")
def list_figures() -> None:
    """List the figures of the papers that `reproduce` can compute."""
    from lazyrich.papers.figure import figures
    from lazyrich.papers.verify import load

    console = _console()
    table = Table(show_lines=False)
    for column in ("figure", "shows", "in the source"):
        table.add_column(column)
    with _explained(console):
        by_name = figures()
    for name, each in by_name.items():
        table.add_row(name, each.title, each.place)
    console.print(table)
    console.print(f"{len(by_name)} figures: lazyrich reproduce NAME. {len(load())} claims: lazyrich verify.")


@app.command()
def reproduce(
    name: Annotated[
        str, typer.Argument(help="Name of the figure, such as kunin2024/fig2. `lazyrich list` prints all names.")
    ],
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Use the size of the paper. This may take long; an interrupted run can be continued."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Random seed of the data.", min=0)] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the picture and the data.")] = Path("out"),
    data: DataOption = None,
    engine: Annotated[
        str | None, typer.Option(help="processes, serial, dask, or the address of a dask scheduler.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Number of workers. Default: one per core.", min=1)] = None,
) -> None:
    """Compute and draw a figure of a paper, and print whether it shows what the paper says.

    Fails if it does not.
    """
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
                "if it is interrupted, the same command continues"
            )
    with _explained(console), console.status(Text(f"making {name}")) if not full else nullcontext():
        size = "full" if full else "quick"
        reproduction = reproduce(name, size=size, seed=seed, out=out, engine=engine, workers=workers)
    console.print(str(reproduction))
    console.print(f"Picture: {reproduction.picture}   Data: {reproduction.folder / 'data.nc'} (xarray.open_dataset)")
    if not reproduction:
        raise typer.Exit(1)


@app.command()
def atlas(
    out: Annotated[Path, typer.Option(help="Folder of the page. A second run continues an unfinished one.")] = Path(
        "atlas"
    ),
    seed: Annotated[int, typer.Option(help="Random seed of the data.", min=0)] = 0,
    workers: Annotated[int | None, typer.Option(help="Number of processes. Default: one per core.", min=1)] = None,
    only: Annotated[str, typer.Option(help="Only claims and figures whose names match, such as 'dln/*'.")] = "*",
    data: DataOption = None,
) -> None:
    """Check every claim, compute every figure, and write one page with the results, to open in a browser.

    An interrupted run can be continued.
    """
    from lazyrich.papers.atlas.up_to_date import hash_inputs, read_seal, write_seal

    console = _console()
    fingerprint = hash_inputs(seed=seed, only=only)
    text, fine = read_seal(out, fingerprint), True
    if text is None:
        with console.status("importing JAX"):
            from lazyrich.papers.atlas.atlas import atlas
        with _explained(console):
            built = atlas(out, seed=seed, workers=workers, only=only, progress=True)
            text, fine = str(built), bool(built)
            if fine:
                write_seal(out, fingerprint, text)
    console.print(text)
    console.print(f"Open {(out / 'index.html').absolute().as_uri()}", soft_wrap=True)
    if not fine:
        raise typer.Exit(1)


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="The earlier checkpoint: a .pt or .safetensors file, or a folder.")],
    second: Annotated[Path, typer.Argument(help="The later checkpoint.")],
    model: Annotated[str, typer.Option(help="module:name of the PyTorch model, or of a function that makes it.")],
    data: Annotated[str, typer.Option(help="module:name of inputs, or (inputs, targets), or a function for them.")],
    forward: Annotated[str | None, typer.Option(help="module:name of a function of (model, inputs).")] = None,
    positions: Annotated[
        str | None, typer.Option(help="Positions of outputs (n, positions, features): a number, or 'all'.")
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Compute the full tangent kernel.")] = False,
    html: Annotated[Path | None, typer.Option(help="Also write the report to this page, for the browser.")] = None,
) -> None:
    """Measure how far a PyTorch model moved between two checkpoints: lazy or rich, as a whole and layer by layer."""
    console = _console()
    with _explained(console):
        if positions not in (None, "all") and not positions.lstrip("-").isdigit():
            raise ValueError(f"--positions needs a whole number or 'all'; found {positions!r}")
        from lazyrich.torch.cli import compare_checkpoints

        report = compare_checkpoints(first, second, model, data, forward, positions, exact)
        console.print(str(report), soft_wrap=True, markup=False, highlight=False)
        if html is not None:
            page = report.to_html(html, f"{first} → {second}").absolute().as_uri()
            console.print(f"Open {page}", soft_wrap=True)


@app.command()
def explore(
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("explorer.html"),
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Write an interactive page about lazy and rich learning, to open in a browser; it works offline."""
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
