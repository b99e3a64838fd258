"""The commands about papers: lazyrich verify, errata, new-paper, list, reproduce, atlas."""

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from lazyrich._io.console import plain_console, print_lines, report_errors
from lazyrich._validate.integers import pluralize

app = typer.Typer()


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


@app.command()
def verify(
    names: Annotated[
        list[str] | None, typer.Argument(help="Claims to check, such as 'kunin2024/*'. Default: all.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the test cases.")] = 0,
    thorough: Annotated[bool, typer.Option("--thorough", help="Check larger sizes.")] = False,
    workers: Annotated[int | None, typer.Option(help="Number of processes. Default: one per core.", min=1)] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Also write the evidence to this file, as JSON.")] = None,
    dispute: Annotated[
        str | None, typer.Option("--dispute", help="Print everything needed to dispute the verdict on this claim.")
    ] = None,
) -> None:
    """Check the statements of the papers behind this library, one by one, and print which hold.

    Fails if a result differs from the recorded verdict.
    """
    from lazyrich.papers.json_export import objection, write
    from lazyrich.papers.verify import verify

    console = plain_console()
    with report_errors(console, code=2):
        if dispute is not None and names:
            raise ValueError(f"--dispute takes one claim and no others; found {' '.join(names)} besides {dispute}")
        cores = workers or os.cpu_count() or 1
        report = verify(dispute or names or "*", seed=seed, thorough=thorough, workers=cores)
    if dispute is None:
        print_lines(console, str(report))
    else:
        console.print(objection(report), soft_wrap=True)
    if json is not None:
        with report_errors(console):
            write(report, json)
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

    console = plain_console()
    with report_errors(console, code=2):
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

    console = plain_console()
    with report_errors(console):
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

    console = plain_console()
    table = Table(show_lines=False)
    for column in ("figure", "shows", "in the source"):
        table.add_column(column)
    with report_errors(console):
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

    console = plain_console()
    if full:
        with report_errors(console):
            seconds = find(name).seconds()
        if seconds is not None:
            cores = workers or os.cpu_count() or 1
            console.print(
                f"about {seconds / 3600:.1f} hours of one core like these, {seconds / 3600 / cores:.1f} on {cores}; "
                "if it is interrupted, the same command continues"
            )
    with report_errors(console), console.status(Text(f"making {name}")) if not full else nullcontext():
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

    console = plain_console()
    fingerprint = hash_inputs(seed=seed, only=only)
    text, fine = read_seal(out, fingerprint), True
    if text is None:
        with console.status("importing JAX"):
            from lazyrich.papers.atlas.atlas import atlas
        with report_errors(console):
            built = atlas(out, seed=seed, workers=workers, only=only, progress=True)
            text, fine = str(built), bool(built)
            if fine:
                write_seal(out, fingerprint, text)
    console.print(text)
    console.print(f"Open {(out / 'index.html').absolute().as_uri()}", soft_wrap=True)
    if not fine:
        raise typer.Exit(1)
