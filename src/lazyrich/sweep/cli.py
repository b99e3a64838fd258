"""The commands of sweeps: lazyrich sweep run, status, submit, forget."""

import json
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from lazyrich._io.console import plain_console, report_errors
from lazyrich._validate.integers import pluralize
from lazyrich.sweep.functions import function_name, load_function, plain_defaults
from lazyrich.sweep.grid import MAX_CELLS, Grid, read_grid_file

app = typer.Typer(
    help="Run a function over a grid of parameters, and keep the results in a folder.", no_args_is_help=True
)

FunctionArgument = Annotated[
    str, typer.Argument(help="The function to call at each grid point (cell), as module:function.")
]
GridOption = Annotated[
    Path, typer.Option(help="TOML file with the parameters, in tables grid, zip and fixed, and the seeds.")
]
SeedsOption = Annotated[int | None, typer.Option(help="Number of seeds, instead of the file's.", min=1)]
OutOption = Annotated[Path | None, typer.Option(help="Folder of the sweep. Default: the name of the function.")]
BatchOption = Annotated[int | None, typer.Option(help="Compute this many cells in one call of jax.vmap.", min=1)]
RetriesOption = Annotated[
    int, typer.Option(help="How often a cell that raises an error is tried again at once.", min=0)
]
AcceptOption = Annotated[
    bool, typer.Option("--accept-changes", help="Keep the results although the function's source has changed.")
]
MaxCellsOption = Annotated[int, typer.Option(help="Largest number of cells allowed.", min=1)]
FolderArgument = Annotated[Path, typer.Argument(help="The folder of the sweep.")]


@app.command()
def run(
    function: FunctionArgument,
    grid: GridOption,
    seeds: SeedsOption = None,
    out: OutOption = None,
    engine: Annotated[str, typer.Option(help="processes, serial, dask, or a scheduler's address.")] = "processes",
    workers: Annotated[int | None, typer.Option(help="Number of workers. Default: one per core.", min=1)] = None,
    batch: BatchOption = None,
    retries: RetriesOption = 0,
    max_cells: MaxCellsOption = MAX_CELLS,
    accept_changes: AcceptOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be computed, and stop.")] = False,
) -> None:
    """Call a function at every point of a grid.

    An interrupted run continues where it stopped. Failed cells are computed again, with the same seed.
    """
    console = plain_console()
    with report_errors(console):
        (cells, fixed), folder = read_grid_file(grid, seeds, max_cells), out or Path(function.rpartition(":")[2])
        cell_function = load_function(function)
        if dry_run:
            plain_defaults(cell_function, cells.arguments(0) | fixed)
            counts = " × ".join(f"{len(v)} {name}" for name, v in cells.axes.items())
            title = f"{counts}: {pluralize(len(cells), 'cell')} of {function_name(cell_function)}, in {folder}"
            first, last = (cells.arguments(cell) | fixed for cell in (0, len(cells) - 1))
            console.print(f"{title}\nthe first: {first}\nthe last: {last}", soft_wrap=True)
            return
        options = {"workers": workers, "batch": batch, "retries": retries, "accept_changes": accept_changes}
        code = _run(console, cell_function, cells, fixed, folder, engine=engine, **options)
    raise typer.Exit(code)


def _run(console: Any, function: Any, grid: Grid, fixed: dict[str, Any], folder: Path, **options: Any) -> int:
    """Run a sweep, print its status, and return the exit code. A queue's signal of the time limit acts as Ctrl-C."""
    from lazyrich.sweep import runner, status

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        parameters, seeds, most = grid.parameters, grid.seeds, grid.max_cells
        runner.run(function, parameters, seeds=seeds, fixed=fixed, out=folder, max_cells=most, **options)
    except KeyboardInterrupt:
        console.print(f"stopped; the same command continues. {status(folder)}", soft_wrap=True)
        return 130
    finally:
        signal.signal(signal.SIGTERM, before)
    state = status(folder)
    console.print(f"{state}\nData: lazyrich.sweep.load({str(folder)!r})", soft_wrap=True)
    return 1 if state.failed else 0


@app.command()
def status(folder: FolderArgument) -> None:
    """Print how many cells of a sweep are computed, failed and missing; also while it runs."""
    from lazyrich.sweep import status

    console = plain_console()
    with report_errors(console):
        console.print(str(status(folder)), soft_wrap=True)


@app.command()
def forget(
    folder: FolderArgument,
    values: Annotated[
        list[str], typer.Argument(help="Cells to delete, by name=value as `status` prints them. All values must match.")
    ],
) -> None:
    """Delete the results and errors of the cells with these values, so that the next run computes them again."""
    from lazyrich.sweep import forget

    console = plain_console()
    with report_errors(console):
        selection: dict[str, Any] = {}
        for text in values:
            name, equals, value = text.partition("=")
            if not equals:
                raise ValueError(f"cells are chosen by name=value, such as seed=3; found {text!r}")
            try:
                selection[name] = json.loads(value)
            except ValueError:
                selection[name] = value
        console.print(f"to be computed again: {pluralize(forget(folder, **selection), 'cell')}")


@app.command()
def submit(
    context: typer.Context,
    function: FunctionArgument,
    grid: GridOption,
    seeds: SeedsOption = None,
    out: OutOption = None,
    slurm: Annotated[bool, typer.Option("--slurm", help="Submit to Slurm.")] = False,
    sge: Annotated[bool, typer.Option("--sge", help="Submit to Grid Engine.")] = False,
    pbs: Annotated[bool, typer.Option("--pbs", help="Submit to PBS.")] = False,
    jobs: Annotated[int, typer.Option(help="Number of worker jobs.", min=1)] = 10,
    time: Annotated[str, typer.Option(help="Time limit of a worker job.")] = "01:00:00",
    driver_time: Annotated[str, typer.Option(help="Time limit of the driver.")] = "24:00:00",
    memory: Annotated[str, typer.Option(help="Memory of each job.")] = "2G",
    option: Annotated[list[str] | None, typer.Option(help="Option for the queue, such as --option='-p short'.")] = None,
    batch: BatchOption = None,
    retries: RetriesOption = 0,
    max_cells: MaxCellsOption = MAX_CELLS,
    accept_changes: AcceptOption = False,
    here: Annotated[bool, typer.Option("--here", help="Run the driver here, instead of submitting it.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the driver's script, and stop.")] = False,
) -> None:
    """Run a sweep on a cluster: submit one small job, the driver, which starts the workers by dask-jobqueue.

    Submit the same command again after a time limit: the sweep continues, and failed cells are computed again, with the
    same seed.
    """
    from lazyrich.sweep.job_queue import dask_cluster, driver_script, submit_script
    from lazyrich.sweep.runner import check_engine, describe_sweep
    from lazyrich.sweep.store import open_store

    console, code = plain_console(), 0
    with report_errors(console):
        kinds = [kind for kind, is_set in (("slurm", slurm), ("sge", sge), ("pbs", pbs)) if is_set]
        if len(kinds) != 1:
            raise ValueError("say which queue it is: --slurm, --sge or --pbs")
        (cells, fixed), folder = read_grid_file(grid, seeds, max_cells), out or Path(function.rpartition(":")[2])
        cell_function = load_function(function)
        info = describe_sweep(cell_function, cells, fixed)
        check_engine("dask")
        if here:
            with dask_cluster(kinds[0], folder, min(jobs, len(cells)), time, memory, option or ()) as engine:
                options = {"batch": batch, "retries": retries, "accept_changes": accept_changes}
                code = _run(console, cell_function, cells, fixed, folder, engine=engine, **options)
        else:
            command = ["sweep", "submit", function, *_as_options(context.params), "--here"]
            script = driver_script(kinds[0], folder, driver_time, memory, option or (), command)
            if dry_run:
                console.print(script, soft_wrap=True)
                return
            with open_store(folder, info, accept_changes):  # refused now rather than in the queue
                pass
            answer = submit_script(kinds[0], folder, script)
            console.print(f"{pluralize(len(cells), 'cell')} in {folder}: {answer}", soft_wrap=True)
    raise typer.Exit(code)


def _as_options(params: dict[str, Any]) -> list[str]:
    """Return the options of a command, for the driver to be called with; later changes of the code it must refuse."""
    texts = []
    for name, value in params.items():
        if name not in ("function", "accept_changes") and value not in (None, False):
            values = value if isinstance(value, (list, tuple)) else [value]
            texts += [f"--{name.replace('_', '-')}" + ("" if v is True else f"={v}") for v in values]
    return texts
