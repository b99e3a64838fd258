import io
import os
import subprocess
import sys

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

import lazyrich as lr
from lazyrich import demo
from lazyrich._io.console import print_lines
from lazyrich.cli import app

runner = CliRunner()


def test_demo(tmp_path):
    result = runner.invoke(app, ["demo", "--out", str(tmp_path / "new" / "folder")])
    assert result.exit_code == 0, result.output
    for word in ("start", "upstream", "balanced", "downstream", "through a ReLU it switches activations"):
        assert word in " ".join(result.output.split())
    assert "regime" not in result.output
    folder = tmp_path / "new" / "folder"
    assert (folder / "demo.png").stat().st_size > 20_000
    traj = lr.Trajectory.load(folder / "upstream.npz")
    assert float(traj.loss[-1]) < 1e-10


def test_help_has_no_brackets_that_rich_would_take_for_markup():
    """`[grid]` in a help text is a style to rich, and disappears."""

    def helps(command):
        yield from [command.help or "", *(getattr(option, "help", None) or "" for option in command.params)]
        for each in getattr(command, "commands", {}).values():
            yield from helps(each)

    texts = list(helps(typer.main.get_command(app)))
    assert len(texts) > 100
    assert not [text for text in texts if "[" in text]


def test_demo_shows_the_three_regimes():
    """kunin2024, section 3: upstream keeps its kernel; balanced and downstream turn it, downstream later."""
    trajectories = demo.compute_trajectories()
    distance = {name: lr.metrics.kernel_distance(traj) for name, traj in trajectories.items()}
    assert float(distance["upstream"][-1]) < 0.02
    assert float(distance["balanced"][-1]) > 0.1
    assert float(distance["downstream"][-1]) > 0.3
    assert float(distance["downstream"][40]) < float(distance["balanced"][40])
    figure = demo.plot(trajectories)
    assert len(figure.axes) == 3


def test_an_unwritable_folder_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    result = runner.invoke(app, ["demo", "--out", str(tmp_path / "file" / "x")])
    assert result.exit_code == 1
    assert "cannot write to" in result.output


def test_version():
    assert lr.__version__ in runner.invoke(app, ["--version"]).output


def add(x, seed):
    return {"sum": x + seed}


def test_sweep_status(tmp_path):
    lr.sweep.run(add, {"x": [1, 2]}, out=tmp_path / "s", engine="serial")
    result = runner.invoke(app, ["sweep", "status", str(tmp_path / "s")])
    assert "2 of 2 cells done" in " ".join(result.output.split())
    result = runner.invoke(app, ["sweep", "status", str(tmp_path)])
    assert result.exit_code == 1
    assert "holds no sweep" in " ".join(result.output.split())


def said(*arguments, **more):
    """Return exit code and output, on a terminal wide enough for long paths."""
    done = runner.invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "1000"}, **more)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_long_lines_are_wrapped_on_a_terminal_and_whole_in_a_pipe():
    text = "   off by 5.1e-03 (allowed 5e-02)\n\nshort"
    for terminal, lines in (
        (True, ["   off by 5.1e-03", "   (allowed 5e-02)", "", "short"]),
        (False, text.split("\n")),
    ):
        out = io.StringIO()
        print_lines(Console(file=out, width=20, force_terminal=terminal, markup=False, highlight=False), text)
        assert out.getvalue().splitlines() == lines


def test_a_name_that_is_almost_a_claim_is_answered_by_claims_like_it():
    code, words = said("verify", "kunin2024/basin")
    assert code == 2
    suggested = words.split("ids are such as ")[1].split(", ")
    assert len(suggested) >= 3
    assert all("basin" in each or each.startswith("kunin2024/") for each in suggested)


STRANGE = ["[bold]x", "[/]", "a[red]b[/red]", ":smile:", "\\[x]"]


@pytest.mark.parametrize("name", STRANGE)
def test_what_users_name_is_printed_as_it_is(tmp_path, name, monkeypatch):
    """Not as markup or emoji."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / name
    lr.sweep.run(add, {"x": [1]}, out=out, engine="serial")
    assert said("sweep", "status", out) == (0, f"{out}: test_cli:add, 1 of 1 cells done\n")
    (tmp_path / "file").write_text("")
    assert f"cannot write to {tmp_path / 'file' / name}" in said("demo", "--out", tmp_path / "file" / name)[1]
    assert f"no claim is named like {name}" in said("verify", name)[1]
    assert repr(name) in said("reproduce", name)[1]
    assert repr(name) in said("atlas", "--only", name, "--out", tmp_path / "atlas")[1]
    assert f"{name} holds no sweep" in said("sweep", "status", tmp_path / "elsewhere" / name)[1]
    assert repr(name) in said("phase", "--out", tmp_path / "p", "--tau", name)[1]
    code, words = said("phase", "--out", out, "--tau", "1", "--delta", "0", "--seeds", "1", "--engine", "serial")
    assert code == 1
    assert f"1 × 1 × 1 = 1 student; picture and data in {out}\n{out} holds another sweep" in words


def test_a_failure_is_quoted_as_it_is(tmp_path):
    lr.sweep.run(fail, {"x": [1]}, out=tmp_path / "s", engine="serial")
    assert "ValueError: no [bold] :smile: here" in said("sweep", "status", tmp_path / "s")[1]


def fail(x, seed):
    raise ValueError("no [bold] :smile: here")


def test_letters_that_cannot_be_printed():
    code = (
        "import sys; sys.argv = ['lazyrich', 'sweep', 'status', 'no\\udcff\u03c4']; from lazyrich.cli import app; app()"
    )
    env = os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "200"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout) == (1, "no?? holds no sweep: there is no such folder\n"), done.stderr


def test_where_there_is_no_sweep_it_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    assert said("sweep", "status", tmp_path / "file")[0] == 1
    assert "it is a file, not a folder" in said("sweep", "status", tmp_path / "file")[1]
    assert "there is no such folder" in said("sweep", "status", tmp_path / "no")[1]
    assert "there is no sweep.sqlite in it" in said("sweep", "status", tmp_path)[1]
    (tmp_path / "sweep.sqlite").write_text("[1")
    assert "sweep.sqlite is damaged" in said("sweep", "status", tmp_path)[1]


def test_places_that_cannot_be_written_are_explained(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "demo" / "demo.png").mkdir(parents=True)
    below = tmp_path / "file" / "x"
    small = ("--tau", "1", "--delta", "0", "--seeds", "1", "--engine", "serial")
    for command in (
        ("phase", "--out", below, *small),
        ("phase", "--out", tmp_path / "file", *small),
        ("atlas", "--only", "dln/ex-timescales", "--out", below),
        ("verify", "dln/degree", "--json", below),
        ("demo", "--out", tmp_path / "demo"),
        ("explore", "--no-open", "--out", tmp_path / "no" / "explorer.html"),
    ):
        code, words = said(*command)
        assert (code, "cannot write to" in words) == (1, True), words
        assert ".tmp" not in words
    assert f"explorer.html: there is no folder {tmp_path / 'no'}. Choose" in words
    assert not (tmp_path / "no").exists()


def test_a_function_is_named_by_its_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.toml").write_text("[grid]\nx = [1]")
    code, words = said("sweep", "run", "mywalk.py:neuron", "--grid", "g.toml")
    assert (code, "write mywalk:neuron; found 'mywalk.py:neuron'" in words) == (1, True), words


def test_a_sweep_that_the_function_cannot_take(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walker.py").write_text("def neuron(x, seed):\n    return {'y': x}\n")
    (tmp_path / "g.toml").write_text("[grid]\nfoo = [1, 2]")
    for command in (("run",), ("run", "--dry-run"), ("submit", "--slurm", "--dry-run")):
        code, words = said("sweep", *command, "walker:neuron", "--grid", "g.toml")
        assert (code, "walker:neuron takes (x, seed)" in words) == (1, True), words
    assert not (tmp_path / "neuron").exists()


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        *(
            (f"[grid]\nx = {values}", "g.toml: values of 'x' must be finite numbers, strings or booleans; found ")
            for values in ("[nan]", "[inf]", "[1e400]", "[2020-01-01]", "[[1, 2]]", "[{a = 1}]", "[07:30:00]")
        ),
        ("[grid]\nx = [1]\n[fixed]\ny = 2020-01-01", "g.toml: fixed['y'] is of type date"),
        ("zip = [1]", "zip needs tables"),
        ("[grid]\nx = { log = [1, 100, 20000000000] }", "at most 1,000,000"),
        ("seeds = true\n[grid]\nx = [1]", "seeds is a bool"),
        ("seeds = [true]\n[grid]\nx = [1]", "g.toml: seeds must be whole numbers; found True"),
    ],
)
def test_grids_that_are_refused_in_a_sentence(tmp_path, monkeypatch, grid, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.toml").write_text(grid)
    for command in (("run", "--engine", "serial"), ("run", "--dry-run"), ("submit", "--slurm", "--dry-run")):
        code, said_words = said("sweep", *command, "test_cli:add", "--grid", "g.toml", "--out", "o")
        assert (code, words in said_words) == (1, True), said_words
    assert not (tmp_path / "o").exists()


def test_reproduce_refuses_an_unknown_engine(tmp_path):
    code, words = said("reproduce", "dln/ex-timescales", "--engine", "nope", "--out", tmp_path / "out")
    assert code == 1
    assert "engine must be one of serial, processes, dask, a scheduler's address, a dask cluster or client" in words
    assert "found 'nope'" in words
    assert not (tmp_path / "out").exists()


def test_the_line_of_progress_is_no_markup(monkeypatch, capsys):
    from lazyrich._io.progress import Progress

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress(True) as line:
        line.update("making [/] [bold]x")
        assert line.line.renderable.text.plain.startswith("making [/] [bold]x, ")


@pytest.mark.parametrize("heavy", ["matplotlib", "xarray", "scipy.optimize", "rich", "typer", "torch", "dask", "zarr"])
def test_import_stays_light(heavy):
    """What only some users need is imported when it is used."""
    code = f"import sys, jax, diffrax; before = '{heavy}' in sys.modules; import lazyrich; "
    code += "[getattr(lazyrich, name) for name in lazyrich.__all__]; "
    code += f"print(before or '{heavy}' not in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "True"
