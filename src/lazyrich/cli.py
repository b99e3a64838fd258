"""The command-line interface."""

import math
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from lazyrich._io.compilation_cache import enable_compilation_cache
from lazyrich._io.console import plain_console, report_errors
from lazyrich._validate.integers import pluralize
from lazyrich.papers.cli import app as paper_commands
from lazyrich.sweep.cli import app as sweep_commands
from lazyrich.sweep.grid import MAX_CELLS
from lazyrich.sweep.runner import check_engine

app = typer.Typer(
    help="Exactly how a neural network leaves its initialization.", no_args_is_help=True, add_completion=False
)


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
    console = plain_console()
    with report_errors(console):
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
    with report_errors(console):
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
    console = plain_console()
    seeds = seeds or (1 if population else 16)
    taus, deltas = (
        _parse_values("--tau", tau, "log", max_cells),
        _parse_values("--delta", delta, "linear", max_cells),
    )
    with report_errors(console):
        check_engine(engine)
    students = pluralize(len(taus) * len(deltas) * seeds, "student")
    console.print(f"{len(taus)} × {len(deltas)} × {seeds} = {students}; picture and data in {out}")
    with console.status("importing JAX"):
        from lazyrich import phase
        from lazyrich.sweep import status
    span = steps * lr if time is None else time
    with report_errors(console):
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
    console = plain_console()
    with report_errors(console):
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

    console = plain_console()
    with report_errors(console):
        address = explore().save(out).absolute().as_uri()
    console.print(f"Open {address}", soft_wrap=True)
    if show:
        webbrowser.open(address)


app.add_typer(paper_commands)
app.add_typer(sweep_commands, name="sweep")


if __name__ == "__main__":
    app()
