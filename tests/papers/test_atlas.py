"""The atlas: one page, complete, offline, and it survives being killed."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lazyrich.papers.atlas import up_to_date
from lazyrich.papers.atlas.atlas import atlas
from lazyrich.papers.atlas.typeset import typeset

pytestmark = pytest.mark.xdist_group("atlas")  # one worker makes it once
SOME = "dln/ex-[lt]*"  # two quick figures


def driver(out: Path, code: str = "") -> str:
    return (
        "if __name__ == '__main__':\n"
        "    from lazyrich.papers.atlas.atlas import atlas\n"
        f"    made = atlas({str(out)!r}, only={SOME!r}, size='small', workers=1, progress=False)\n"
        "    assert made, str(made)\n"
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("atlas")
    return atlas(out, only=SOME, size="small", workers=1, progress=False)


def test_it_is_complete(made):
    assert made, str(made)
    assert len(made.figures) >= 2
    assert "checks of them pass" in str(made)
    page = made.page.read_text()
    for name, each in made.figures.items():
        assert f'id="{name}"' in page
        assert each.command in page
        for fact in each.facts:
            assert typeset(fact.statement) in page


def test_it_works_offline(made):
    for page in made.page.parent.glob("*.html"):
        text = page.read_text()
        assert not re.search(r'(src|srcset)="(https?:)?//', text)
        assert not re.search(r"<script[^>]+src=", text)  # what runs is in the page, and nothing needs it
        assert "<link" not in text
        markup = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
        for target in re.findall(r'(?:src|href)="([^"#]+)', markup):
            if not target.startswith("https://"):  # a link to click; what is loaded is tested above
                assert (page.parent / target).exists(), target


def test_a_second_run_is_instant(made):
    began = time.perf_counter()
    again = atlas(made.page.parent, only=SOME, size="small")
    assert again.figures == made.figures
    assert not list(made.page.parent.glob("work-*"))
    assert time.perf_counter() - began < 20  # nothing is computed; 0.5 s on a quiet machine


def test_what_was_sealed_is_told_until_anything_changes(tmp_path, monkeypatch):
    page, asked = tmp_path / "claims" / "one.html", up_to_date.hash_inputs(seed=0)
    page.parent.mkdir()
    page.write_text("a page")
    assert up_to_date.read_seal(tmp_path, asked) is None
    up_to_date.write_seal(tmp_path, asked, "all facts hold")
    (tmp_path / "lock").touch()
    assert up_to_date.read_seal(tmp_path, asked) == "all facts hold"
    assert up_to_date.read_seal(tmp_path, up_to_date.hash_inputs(seed=1)) is None
    for name, text in {"claims/one.html": "b page", "two.html": "", up_to_date.NAME: "{"}.items():
        before = (tmp_path / name).read_text() if (tmp_path / name).exists() else None
        (tmp_path / name).write_text(text)
        assert up_to_date.read_seal(tmp_path, asked) is None, name
        (tmp_path / name).unlink() if before is None else (tmp_path / name).write_text(before)
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("LAZYRICH_DATA", str(data))
    without = up_to_date.hash_inputs(seed=0)
    (data / "mnist.gz").touch()
    assert up_to_date.hash_inputs(seed=0) not in (without, asked)


def test_the_command_knows_that_nothing_has_changed_without_jax(tmp_path):
    up_to_date.write_seal(tmp_path, up_to_date.hash_inputs(seed=3, only="*"), "all facts hold")
    code = (
        "import sys\nfrom lazyrich.cli import app\n"
        f"app(['atlas', '--seed', '3', '--out', {str(tmp_path)!r}], standalone_mode=False)\n"
        "assert 'jax' not in sys.modules and 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "all facts hold" in done.stdout
    assert "index.html" in done.stdout


def test_nothing_of_that_name(tmp_path):
    with pytest.raises(ValueError, match="no figure or claim is named like 'x/y'"):
        atlas(tmp_path, only="x/y")


def test_two_drivers_and_other_questions_in_one_folder(made):
    from lazyrich.sweep import StoreError
    from lazyrich.sweep.store import lock_folder

    folder = made.page.parent
    with lock_folder(folder), pytest.raises(StoreError, match="another driver"):
        atlas(folder, only=SOME, size="small")
    other = atlas(folder, only="dln/ex-timescales", size="small", seed=1, workers=1, progress=False)
    assert other
    assert next(iter(other.figures.values())).folder.name == "ex-timescales-small-seed1"
    assert atlas(folder, only=SOME, size="small").figures == made.figures


def test_killed_it_continues(tmp_path):
    out = tmp_path / "atlas"
    script = tmp_path / "drive.py"
    script.write_text(driver(out))
    process = subprocess.Popen([sys.executable, script], start_new_session=True)
    deadline = time.monotonic() + 300
    while not (first := sorted(out.glob("dln/*/made.json"))):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (out / "index.html").exists()
    written = {path: path.stat().st_mtime_ns for path in first}
    assert atlas(out, only=SOME, size="small", workers=1, progress=False)
    assert (out / "index.html").exists()
    assert {path: path.stat().st_mtime_ns for path in first} == written


def test_what_raises_is_shown_and_the_rest_is_made(tmp_path, monkeypatch):
    from lazyrich.papers.atlas import atlas as module

    def item(item, seed, out, only, size):
        if item.endswith("lazy-rich"):
            raise RuntimeError("no such luck")
        return module._make(item, seed, out, only, size)

    item.__qualname__ = "item"  # a sweep asks for a name; run serially, nobody looks for it
    monkeypatch.setattr(module, "_make", module._item, raising=False)
    monkeypatch.setattr(module, "_item", item)
    monkeypatch.setattr(module, "run", lambda *a, **k: run(*a, **k | {"engine": "serial"}))
    from lazyrich.sweep import run

    made = atlas(tmp_path, only=SOME, size="small")
    assert not made
    assert "no such luck" in str(made)
    assert len(made.figures) >= 1
    assert "no such luck" in made.page.read_text()
