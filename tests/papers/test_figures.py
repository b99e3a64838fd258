"""Every figure, small: its facts hold, can fail, and its picture is drawn."""

import io
from fnmatch import fnmatch

import numpy as np
import pytest
import xarray
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.papers.figure import SIZES, Fact, Scale, figures, find
from lazyrich.papers.reproduce import reproduce
from lazyrich.papers.verdicts import Verdict
from lazyrich.papers.verify import load

FIGURES = figures()


SLOW = ("kunin2024/fig1b-supp", "smith2022/fig8")  # what they compute is computed in figures 1b and 7, too


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in FIGURES])
def test_facts_hold_and_can_fail(name, tmp_path):
    each = FIGURES[name]
    data = each.compute("small", folder=tmp_path, progress=False)
    facts = each.facts(data)
    assert len(facts) >= 2
    assert [fact for fact in facts if not fact.holds] == []

    # One ledger: a fact bears on a claim, or is of our own; one that contradicts its source is a verdict there.
    known = {claim.id: claim for claim in load()}
    for fact in facts:
        assert bool(fact.claim) != fact.ours, f"which claim is it about? {fact.statement}"
        if fact.claim:
            assert fact.claim in known, f"there is no claim {fact.claim}"
            verdict = known[fact.claim].verdict
            assert not verdict.agrees if fact.against else verdict is not Verdict.FAILS, (
                f"{fact.claim}: {fact.statement}"
            )

    # What is stored is what was computed.
    buffer = io.BytesIO(data.to_netcdf(engine="scipy"))
    assert [fact.holds for fact in each.facts(xarray.load_dataset(buffer, engine="scipy"))] == [True] * len(facts)

    # Wrong numbers turn a fact red: every measured variable is watched by one.
    unwatched = [key for key in data.data_vars if data[key].dtype.kind == "f" and not goes_red(each, data, key)]
    assert set(unwatched) <= set(getattr(each.module, "ONLY_DRAWN", ())), "no fact depends on these"

    picture = each.draw(data)
    picture.savefig(buffer := io.BytesIO(), dpi=40, format="png")
    assert buffer.tell() > 3000
    if each.moves:
        assert len(list(zip(each.frames(data), range(2), strict=False))) == 2


def goes_red(each, data, key):
    """Return whether some fact fails (or cannot be decided) with noise of its own size on one variable."""
    values = data[key].values
    size = np.nanstd(values) + np.nanmean(np.abs(values))
    rng = np.random.default_rng(0)
    for attempt in range(3):
        noisy = data.assign({key: (data[key].dims, values + 3.0**attempt * size * rng.normal(size=values.shape))})
        try:
            with np.errstate(all="ignore"):
                if not all(fact.holds for fact in each.facts(noisy)):
                    return True
        except (ValueError, FloatingPointError, IndexError):
            return True
    return False


@pytest.mark.parametrize("name", FIGURES)
def test_what_a_module_must_say(name):
    each = FIGURES[name]
    assert set(each.module.SCALES) == set(SIZES)
    assert len({tuple(each.module.SCALES[size]) for size in SIZES}) == 1, "the same parameters at every scale"
    assert each.title
    assert len(each.caption) > 100
    assert each.place
    names = [claim.id for claim in load()]
    for pattern in each.claims:
        assert any(fnmatch(claim, pattern) for claim in names), f"no claim is named like {pattern}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", FIGURES)
def test_facts_hold_at_quick_scale(name, seed, tmp_path):
    made = reproduce(name, seed=seed, out=tmp_path, progress=False)
    assert [fact for fact in made.facts if not fact.holds] == []


def test_facts():
    assert Fact.at_most("", [1.0, 2.0], 2.0).holds
    assert not Fact.at_most("", [1.0, 2.1], 2.0).holds
    assert not Fact.at_most("", [1.0, np.nan], 2.0).holds
    assert Fact.at_least("", [2.0, 3.0], 2.0).holds
    assert not Fact.at_least("", [np.nan], 2.0).holds
    assert Fact.rising("", [1.0, 2.0, 3.0]).holds
    assert not Fact.rising("", [[1.0, 2.0], [2.0, 1.9]]).holds
    assert Fact.rising("", [[1.0, 2.0], [2.0, 1.9]], slack=0.2).holds
    assert Fact.falling("", [3.0, 2.0, 1.0]).holds
    assert not Fact.falling("", [3.0, 2.0, 2.5]).holds
    assert not Fact.falling("", [3.0, np.nan, 1.0], slack=9.0).holds
    assert Fact.falling("", [3.0, -2.0]).summary == "3 → -2"
    assert not Fact.rising("", [1.0, np.nan, 3.0], slack=9.0).holds
    assert not Fact.rising("", [1.0]).holds
    assert Fact.rising("", [[1.0, 2.0], [2.0, 1.9]]).summary == "the least clear of 2: 2 → 1.9"
    assert Fact.equal("", [1.0, 2.0], [1.0, 2.001], 1e-3).holds
    assert not Fact.equal("", [1.0, 2.0], [1.0, 2.01], 1e-3).holds
    assert not Fact.equal("", [np.nan], [1.0], 1e-3).holds
    five = np.array([0.9, 1.0, 1.1, 1.0, 1.0])
    assert Fact.exceeds("", five, 0 * five).holds
    assert not Fact.exceeds("", five, five[::-1]).holds
    assert not Fact.exceeds("", [9.0, 0.0, 0.0, 0.0, 0.0], 0 * five).holds  # one seed alone
    assert not Fact.exceeds("", five + np.nan, 0 * five).holds
    assert Fact.exceeds("", five, 0 * five).summary == "by 1 ± 0.088, 5 seeds"
    with pytest.raises(ValueError, match=r"five seeds or more; found differences of shape \(4,\)"):
        Fact.exceeds("", five[1:], five[1:])


def test_a_figure_is_made_once(tmp_path, monkeypatch):
    name = "dln/ex-timescales"
    made = reproduce(name, size="small", out=tmp_path, progress=False)
    assert made
    assert made.data.equals(find(name).compute("small"))
    for file in ("figure.png", "thumbnail.png", "data.nc", "made.json"):
        assert (made.folder / file).stat().st_size > 100
    monkeypatch.setattr(type(find(name)), "compute", None)
    assert reproduce(name, size="small", out=tmp_path) == made
    with pytest.raises(TypeError):  # another seed: another figure
        reproduce(name, size="small", seed=1, out=tmp_path)
    monkeypatch.setattr("lazyrich.papers.reproduce.fingerprint", lambda *modules: "other code")
    with pytest.raises(TypeError):
        reproduce(name, size="small", out=tmp_path)


def test_a_damaged_record_is_made_again(tmp_path):
    name = "dln/ex-timescales"
    made = reproduce(name, size="small", out=tmp_path, progress=False)
    (made.folder / "made.json").write_text("{")
    again = reproduce(name, size="small", out=tmp_path, progress=False)
    assert again.facts == made.facts


def test_an_error_while_drawing_loses_no_data(tmp_path, monkeypatch):
    name = "dln/ex-timescales"

    def draw(data):
        raise RuntimeError("no ink")

    with monkeypatch.context() as patch:
        patch.setattr(find(name).module, "draw", draw)
        with pytest.raises(RuntimeError, match="no ink"):
            reproduce(name, size="small", out=tmp_path, progress=False)
        patch.undo()
        patch.setattr(find(name).module, "compute", None)  # the data are there already
        made = reproduce(name, size="small", out=tmp_path, progress=False)
    assert made
    assert made.continued
    (made.folder / "data.nc").unlink()  # what is not complete is made again
    assert reproduce(name, size="small", out=tmp_path, progress=False).data is not None


def test_scales():
    scale = find("kunin2024/fig2").scale("small")
    assert isinstance(scale, Scale)
    assert scale["T"] == 20.0
    with pytest.raises(ValueError, match="small, quick, full; found 'huge'"):
        find("kunin2024/fig2").scale("huge")
    with pytest.raises(ValueError, match="there is no figure 'fig99'"):
        find("fig99")


def test_command_line(tmp_path, monkeypatch):
    runner = CliRunner()
    listed = runner.invoke(app, ["list"], terminal_width=200)
    assert listed.exit_code == 0
    assert "kunin2024/fig2" in listed.output
    wrong = runner.invoke(app, ["reproduce", "kunin2024/fig99"])
    assert wrong.exit_code == 1
    assert "there is no figure" in wrong.output
    scales = find("dln/ex-timescales").module.SCALES
    monkeypatch.setitem(scales, "quick", scales["small"])
    good = runner.invoke(app, ["reproduce", "dln/ex-timescales", "--out", str(tmp_path)])
    assert good.exit_code == 0, good.output
    assert "✓" in good.output
