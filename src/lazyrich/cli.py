"""The command line."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

app = typer.Typer(
    help="Exactly how a neural network leaves its initialization.", no_args_is_help=True, add_completion=False
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"lazyrich {version('lazyrich')}")
        raise typer.Exit


@app.callback()
def main(
    show: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Exactly how a neural network leaves its initialization: lazy, rich, or delayed rich."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="The folder for picture and data.")] = Path("out"),
) -> None:
    """One neuron, one task, three relative scales of its layers: prints what happens and draws it."""
    console = Console()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        console.print(f"cannot write to {out}: {error.strerror}. Choose another folder with --out")
        raise typer.Exit(1) from None
    with console.status("importing JAX and integrating three flows"):
        from lazyrich import demo

        trajectories = demo.compute()
        rows = demo.summary(trajectories)
    table = Table(title="f(x) = a w·x learns β* = (0, 1) from β = (−0.5, 0)", show_lines=False)
    for column in rows[0]:
        table.add_column(column, justify="left" if column == "regime" else "right")
    for row in rows:
        table.add_row(*row.values())
    console.print(table)
    console.print(f"Upstream: {trajectories['upstream'].by}.")
    console.print(
        "Upstream (δ > 0) fits at once with a still kernel: lazy. Balanced learns later and turns its kernel: rich.\n"
        "Downstream (δ < 0) first fits what it can without turning, then slowly turns: delayed rich."
    )
    picture = out / "demo.png"
    demo.draw(trajectories).savefig(picture, dpi=160)
    for name, traj in trajectories.items():
        traj.save(out / f"{name}.npz")
    console.print(f"Picture: {picture}   Data: {out}/*.npz (lazyrich.Trajectory.load)")


sweeps = typer.Typer(help="Sweeps: grids of cells in a folder.", no_args_is_help=True)
app.add_typer(sweeps, name="sweep")


@sweeps.command()
def status(
    store: Annotated[Path, typer.Argument(help="The folder of the sweep.")],
) -> None:
    """How far a sweep has come, and what failed."""
    from lazyrich.sweep import StoreError
    from lazyrich.sweep import status as look

    console = Console()
    try:
        console.print(str(look(store)), highlight=False)
    except StoreError as error:
        console.print(str(error))
        raise typer.Exit(1) from None


if __name__ == "__main__":
    app()
