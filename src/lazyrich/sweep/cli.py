"""The commands of sweeps: lazyrich sweep run, status, submit, forget."""

import json
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from lazyrich._io.console import plain_console as _console
from lazyrich._io.console import report_errors
from lazyrich._validate.integers import pluralize
from lazyrich.sweep.functions import function_name, import_function, plain_defaults
from lazyrich.sweep.grid import MAX_CELLS, Grid
from lazyrich.sweep.grid_file import GridFile

app = typer.Typer(help="Sweeps: grids of cells in a folder.", no_args_is_help=True)

FunctionArgument = Annotated[str, typer.Argument(help="The function of one cell, as module:function.")]
GridOption = Annotated[
    Path, typer.Option("--grid", help="What is varied: a TOML file with [grid], [[zip]], [fixed], seeds.")
]
SeedsOption = Annotated[int | None, typer.Option(help="How many seeds, instead of the file's.", min=1)]
OutOption = Annotated[
    Path | None, typer.Option(help="The folder, in which a second run continues; else the function's name.")
]
BatchOption = Annotated[int | None, typer.Option(help="So many cells in one call of jax.vmap.", min=1)]
RetriesOption = Annotated[int, typer.Option(help="How often a cell that raises is tried again at once.", min=0)]
AcceptOption = Annotated[
    bool, typer.Option("--accept-changes", help="Keep the results though the function's source has changed.")
]
MaxCellsOption = Annotated[int, typer.Option(help="A grid of more cells is refused.", min=1)]
FolderArgument = Annotated[Path, typer.Argument(help="The folder of the sweep.")]


@app.command()
def run(
    function: FunctionArgument,
    grid: GridOption,
    seeds: SeedsOption = None,
    out: OutOption = None,
    engine: Annotated[str, typer.Option(help="processes, serial, dask, or a scheduler's address.")] = "processes",
    workers: Annotated[int | None, typer.Option(help="How many; one per core unless told.", min=1)] = None,
    batch: BatchOption = None,
    retries: RetriesOption = 0,
    max_cells: MaxCellsOption = MAX_CELLS,
    accept_changes: AcceptOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be computed, and stop.")] = False,
) -> None:
    """Call a function at every point of a grid. Killed, it continues; what failed is tried again, same seed."""
    console = _console()
    with report_errors(console):
        grid_file, folder = GridFile.read(grid, seeds, max_cells), out or Path(function.rpartition(":")[2])
        cell_function = import_function(function)
        if dry_run:
            cells = Grid(grid_file.parameters, grid_file.seeds, max_cells)
            plain_defaults(cell_function, cells.arguments(0) | grid_file.fixed)
            counts = " × ".join(f"{len(v)} {name}" for name, v in cells.axes.items())
            title = f"{counts}: {pluralize(len(cells), 'cell')} of {function_name(cell_function)}, in {folder}"
            first, last = (cells.arguments(cell) | grid_file.fixed for cell in (0, len(cells) - 1))
            console.print(f"{title}\nthe first: {first}\nthe last: {last}", soft_wrap=True)
            return
        settings: dict[str, Any] = {"engine": engine, "workers": workers, "batch": batch, "retries": retries}
        settings |= {"max_cells": max_cells, "accept_changes": accept_changes}
        code = _run(console, cell_function, grid_file, folder, **settings)
    raise typer.Exit(code)


def _run(console: Any, function: Any, grid_file: GridFile, folder: Path, **settings: Any) -> int:
    """Run a sweep, print its status, and return the exit code. A queue's signal of the time limit acts as Ctrl-C."""
    from lazyrich.sweep import runner, status

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        runner.run(function, grid_file.parameters, seeds=grid_file.seeds, fixed=grid_file.fixed, out=folder, **settings)
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
    """Print how far a sweep has come, while it runs or not."""
    from lazyrich.sweep import status

    console = _console()
    with report_errors(console):
        console.print(str(status(folder)), soft_wrap=True)


@app.command()
def forget(
    folder: FolderArgument,
    values: Annotated[
        list[str], typer.Argument(help="name=value, as `status` prints them; together they choose cells.")
    ],
) -> None:
    """Delete the results or errors of the cells with these values: the next run computes them again."""
    from lazyrich.sweep import forget

    console = _console()
    with report_errors(console):
        chosen = {}
        for text in values:
            name, equals, value = text.partition("=")
            if not equals:
                raise ValueError(f"cells are chosen by name=value, such as seed=3; found {text!r}")
            try:
                chosen[name] = json.loads(value)
            except ValueError:
                chosen[name] = value
        console.print(f"to be computed again: {pluralize(forget(folder, **chosen), 'cell')}")


@app.command()
def submit(
    function: FunctionArgument,
    grid: GridOption,
    seeds: SeedsOption = None,
    out: OutOption = None,
    slurm: Annotated[bool, typer.Option("--slurm", help="For Slurm.")] = False,
    sge: Annotated[bool, typer.Option("--sge", help="For Grid Engine.")] = False,
    pbs: Annotated[bool, typer.Option("--pbs", help="For PBS.")] = False,
    jobs: Annotated[int, typer.Option(help="How many worker jobs.", min=1)] = 10,
    time: Annotated[str, typer.Option(help="The time limit of a worker job.")] = "01:00:00",
    driver_time: Annotated[str, typer.Option(help="The time limit of the driver.")] = "24:00:00",
    memory: Annotated[str, typer.Option(help="The memory of each job.")] = "2G",
    option: Annotated[
        list[str] | None, typer.Option(help="More for the queue, such as --option='--partition=short'; repeated.")
    ] = None,
    batch: BatchOption = None,
    retries: RetriesOption = 0,
    max_cells: MaxCellsOption = MAX_CELLS,
    accept_changes: AcceptOption = False,
    here: Annotated[bool, typer.Option("--here", help="Be the driver, instead of submitting it.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the driver's script, and do not submit it.")
    ] = False,
) -> None:
    """Run a sweep on a cluster's queue: one small job, the driver, starts its workers by dask-jobqueue.

    Submitted again after its time limit, it goes on. What failed is tried again, with the same seed.
    """
    from lazyrich.sweep.job_queue import QUEUES, dask_cluster, submit_script, write_script
    from lazyrich.sweep.runner import describe_sweep, require_engine
    from lazyrich.sweep.store import open_store

    console = _console()
    with report_errors(console):
        kinds = [kind for kind, chosen in (("slurm", slurm), ("sge", sge), ("pbs", pbs)) if chosen]
        if len(kinds) != 1:
            raise ValueError("say which queue it is: --slurm, --sge or --pbs")
        (kind,), options = kinds, option or ()
        grid_file, folder = GridFile.read(grid, seeds, max_cells), out or Path(function.rpartition(":")[2])
        cell_function = import_function(function)
        cells = Grid(grid_file.parameters, grid_file.seeds, max_cells)
        info = describe_sweep(cell_function, cells, grid_file.fixed)
        require_engine("dask")
        settings: dict[str, Any] = {"batch": batch, "retries": retries, "max_cells": max_cells}
        if here:
            with dask_cluster(kind, folder, min(jobs, len(cells)), time, memory, options) as engine:
                settings |= {"engine": engine, "accept_changes": accept_changes}
                code = _run(console, cell_function, grid_file, folder, **settings)
        else:
            code = 0
            needs = {"out": folder.absolute(), "jobs": jobs, "time": time, "memory": memory, "seeds": seeds, **settings}
            arguments = [function, "--grid", str(grid.absolute()), f"--{kind}"]
            arguments += [f"--{name.replace('_', '-')}={value}" for name, value in needs.items() if value is not None]
            arguments += [f"--option={text}" for text in options]
            script = QUEUES[kind].script(folder, driver_time, memory, options, arguments)
            if dry_run:
                console.print(script, soft_wrap=True)
                return
            with open_store(folder, info, accept_changes):  # refused now rather than in the queue
                path = write_script(kind, folder, script)
            console.print(f"{pluralize(len(cells), 'cell')} in {folder}: {submit_script(kind, path)}", soft_wrap=True)
    raise typer.Exit(code)
