"""What is published: a wheel and an sdist that install into an empty environment, run, and are typed from outside."""

import importlib.util
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")


def run(*command, **options):
    links = os.environ.get("PIP_FIND_LINKS")  # as dev.py does: uv looks where pip is set up to look
    env = {**os.environ, **({"UV_FIND_LINKS": ",".join(links.split())} if links else {})}
    env.pop("PYTHONPATH", None)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=env, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    if not UV.exists():
        pytest.skip("needs uv beside the interpreter: dev.py puts it there")
    out = tmp_path_factory.mktemp("dist")
    run(UV, "build", "--quiet", "--out-dir", out, ROOT)
    return out


@pytest.mark.slow
def test_the_wheel_holds_the_library_and_nothing_else(dist):
    (wheel,) = dist.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "lazyrich/py.typed" in names
    assert all(name.startswith(("lazyrich/", "lazyrich-")) for name in names)
    for needed in ("lazyrich/lazyrich.mplstyle", "lazyrich/papers/dln/coverage.toml", "lazyrich/explorer/tab_state.py"):
        assert needed in names
    assert {Path(name).suffix for name in names if name.startswith("lazyrich/")} >= {".py", ".js", ".css", ".json"}


@pytest.mark.slow
def test_the_sdist_holds_what_is_needed_to_test_it(dist):
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "dev.py", "tests/conftest.py", "docs/data/verdicts.json"} <= names
    assert not any(".venv" in name or "__pycache__" in name for name in names)


@pytest.mark.slow
def test_it_installs_into_an_empty_environment_and_runs(dist, tmp_path):
    (wheel,) = dist.glob("*.whl")
    run(UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "empty")
    python = tmp_path / "empty" / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", python, wheel)
    said = run(python.with_name("lazyrich"), "demo", "--out", tmp_path / "out", cwd=tmp_path)
    assert "downstream" in said
    assert (tmp_path / "out" / "demo.png").stat().st_size > 10_000
    with pytest.raises(AssertionError, match=r"pip install 'lazyrich\[sweep\]'"):  # what is not there is said
        run(python.with_name("lazyrich"), "list", cwd=tmp_path)


USER = """
import numpy as np

import lazyrich as lr

problem = lr.Problem(np.eye(2), [0.0, 1.0])
flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=-4.0), problem, rates=(1.0, 1.0))
traj: lr.Trajectory = lr.solve(flow, np.linspace(0, 30, 301))
found: lr.Explanation = lr.explain(flow)
limit: lr.Limit = lr.limit(flow)
way: str = traj.by.kind
theorem: lr.Theorem | None = found.theorem
half: float = float(lr.metrics.kernel_distance(traj)[-1])
end: lr.Network = traj.end
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="needs mypy")
def test_public_names_are_typed_from_outside(tmp_path):
    """A user's script under mypy --strict; and that a wrong use is seen."""
    script = tmp_path / "user.py"
    cache = ROOT / ".mypy_cache" / "outside"
    command = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={cache}", script)
    script.write_text(USER, encoding="utf-8")
    run(*command, cwd=tmp_path)
    script.write_text(USER + "wrong: int = lr.solve(flow, [1.0]).by.method\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="Incompatible types in assignment"):
        run(*command, cwd=tmp_path)
