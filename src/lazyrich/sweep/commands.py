"""The commands of sweeps: lazyrich sweep run, status, work, submit, forget."""

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from lazyrich._count import counted
from lazyrich._terminal import console as _console
from lazyrich._terminal import explained
from lazyrich.sweep.grid import MOST, Grid, recorded
from lazyrich.sweep.leases import LEASE
from lazyrich.sweep.plan import fits, found_here, name_of
from lazyrich.sweep.question import Question

app = typer.Typer(help="Sweeps: grids of cells in a folder.", no_args_is_help=True)

Function = Annotated[str, typer.Argument(help="The function of one cell, as module:function.")]
File = Annotated[Path, typer.Option("--grid", help="What is varied: a TOML file with [grid], [[zip]], [fixed], seeds.")]
Seeds = Annotated[int | None, typer.Option(help="How many seeds, instead of the file's.", min=1)]
Out = Annotated[
    Path | None, typer.Option(help="The folder, in which a second run continues; else the function's name.")
]
Batch = Annotated[int | None, typer.Option(help="So many cells in one call of jax.vmap.", min=1)]
Folder = Annotated[Path, typer.Argument(help="The folder of the sweep.")]


def _asked(function: str, file: Path, seeds: int | None, out: Path | None) -> tuple[Question, Path]:
    asked = Question.read(file)
    question = Question(asked.parameters, seeds or asked.seeds, asked.fixed)
    return question, out or Path(function.rpartition(":")[2])


@app.command()
def run(
    function: Function,
    grid: File,
    seeds: Seeds = None,
    out: Out = None,
    engine: Annotated[str, typer.Option(help="processes, serial, dask, or a scheduler's address.")] = "processes",
    workers: Annotated[int | None, typer.Option(help="How many; one per core unless told.", min=1)] = None,
    batch: Batch = None,
    most: Annotated[int, typer.Option(help="A grid of more cells is refused.", min=1)] = MOST,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be computed, and stop.")] = False,
) -> None:
    """Call a function at every point of a grid. Killed, it continues; what failed is tried again, same seed."""
    console = _console()
    with explained(console):
        question, folder = _asked(function, grid, seeds, out)
        found = found_here(function)
        from lazyrich.sweep import runner, store

        if dry_run:
            cells = Grid(question.parameters, question.seeds, most)
            recorded("fixed", question.fixed)
            fits(found, cells.arguments(0) | question.fixed)
            counts = " × ".join(f"{len(v)} {name}" for name, v in cells.axes.items())
            console.print(f"{counts}: {counted(len(cells), 'cell')} of {name_of(found)}, in {folder}", soft_wrap=True)
            console.print(f"the first: {cells.arguments(0) | question.fixed}", soft_wrap=True)
            console.print(f"the last: {cells.arguments(len(cells) - 1) | question.fixed}", soft_wrap=True)
            if folder.exists():
                console.print(str(store.status(folder)), soft_wrap=True)
            return
        runner.run(
            found,
            question.parameters,
            seeds=question.seeds,
            fixed=question.fixed,
            out=folder,
            engine=engine,
            workers=workers,
            batch=batch,
            most=most,
        )
        state = store.status(folder)
    console.print(str(state), soft_wrap=True)
    console.print(f"Data: lazyrich.sweep.load({str(folder)!r})", soft_wrap=True)
    if state.failed:
        raise typer.Exit(1)


@app.command()
def status(store: Folder) -> None:
    """How far a sweep has come: done, failed, claimed by workers, or stale."""
    from lazyrich.sweep import status as look

    console = _console()
    with explained(console):
        console.print(str(look(store)), soft_wrap=True)


@app.command()
def forget(
    store: Folder,
    keys: Annotated[list[str], typer.Argument(help="Cells, by the names that `status` prints.")],
) -> None:
    """Take back the results or errors of cells: the next run computes them anew."""
    from lazyrich.sweep import forget

    console = _console()
    with explained(console):
        forget(store, keys)
        console.print(f"to be computed anew: {counted(len(keys), 'cell')}")


@app.command()
def work(
    store: Folder,
    lease: Annotated[float, typer.Option(help="Seconds of silence after which a worker counts as dead.")] = LEASE,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Stay until the last cell is finished.")] = True,
    batch: Batch = None,
) -> None:
    """Compute cells of a sweep that was begun, with any other workers on the folder, until nothing is left."""
    from lazyrich.sweep.work import work

    console = _console()
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # asked to stop, it gives its chunk back
    try:
        with explained(console):
            console.print(str(work(store, lease=lease, wait=wait, batch=batch)))
    finally:
        signal.signal(signal.SIGTERM, before)


@app.command()
def submit(
    function: Function,
    grid: File,
    seeds: Seeds = None,
    out: Out = None,
    slurm: Annotated[bool, typer.Option("--slurm", help="For Slurm.")] = False,
    sge: Annotated[bool, typer.Option("--sge", help="For Grid Engine.")] = False,
    jobs: Annotated[int, typer.Option(help="How many workers.", min=1)] = 10,
    time: Annotated[str, typer.Option(help="The time limit of each.")] = "01:00:00",
    memory: Annotated[str, typer.Option(help="The memory of each.")] = "2G",
    option: Annotated[
        list[str] | None, typer.Option(help="More for the queue, such as --option='--partition=short'; repeated.")
    ] = None,
    chunk: Annotated[
        int | None, typer.Option(help="Cells that a worker takes at a time. [default: a 2000th of all]", min=1)
    ] = None,
    lease: Annotated[float, typer.Option(help="Seconds of silence after which a worker counts as dead.")] = LEASE,
    batch: Batch = None,
    live: Annotated[
        bool, typer.Option("--live", help="A driver here and workers by dask-jobqueue, instead of a job array.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write the script, and do not submit it.")] = False,
) -> None:
    """A sweep on a cluster's queue: a job array whose tasks take cells from the folder. Nothing has to stay alive.

    What failed before is tried again, with the same seed.
    """
    console = _console()
    with explained(console):
        if slurm == sge:
            raise ValueError("say which queue it is: --slurm or --sge")
        kind = "slurm" if slurm else "sge"
        question, folder = _asked(function, grid, seeds, out)
        found = found_here(function)
        from lazyrich.sweep import runner
        from lazyrich.sweep.store import Store, locked
        from lazyrich.sweep.submit import QUEUES, cluster, hand_in, retried, write_script

        if live:
            with cluster(kind, time, memory, option or ()) as engine:
                if dry_run:
                    console.print(engine.job_script())
                    return
                engine.scale(jobs=jobs)
                asked = question.parameters, question.seeds, question.fixed
                runner.run(found, asked[0], seeds=asked[1], fixed=asked[2], out=folder, engine=engine, batch=batch)
            return
        cells = Grid(question.parameters, question.seeds)
        fits(found, cells.arguments(0) | question.fixed)
        with locked(folder, shared=True):  # workers of an earlier array may still be there
            store = Store.opened(folder, name_of(found), cells, recorded("fixed", question.fixed), chunk)
            again = retried(store)
        more = f" --lease {lease:g}" + (f" --batch {batch}" if batch else "")
        script = write_script(kind, store, jobs, time, memory, option or (), more)
        console.print(f"{counted(len(cells), 'cell')} in {folder}; {again} that failed are tried again", soft_wrap=True)
        if dry_run:
            console.print(f"{QUEUES[kind].command} {script}", soft_wrap=True)
        else:
            console.print(hand_in(kind, script), soft_wrap=True)
