"""The pages of the statements in a browser: they fit a phone, and the filters stand in the address."""

import json
import random
from pathlib import Path

import pytest

from lazyrich.papers.atlas.claim_pages import pages
from lazyrich.papers.errata import errata_pages

ROWS = json.loads((Path(__file__).parents[2] / "docs/data/verdicts.json").read_text(encoding="utf-8"))["claims"]
SAMPLE = 25


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("verdicts")
    wanted = {row["id"] for row in random.Random(0).sample(ROWS, SAMPLE)} | {
        "varre2023/symmetric-triple",
        "dln/gap-law",
    }
    chosen = {f"claims/{name}.html" for name in wanted}
    for name, page in (*pages(ROWS), *errata_pages(ROWS)):
        if not name.startswith("claims/") or name in chosen:
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(page, encoding="utf-8")
    return out


def overflow(tab):
    return tab.evaluate("document.documentElement.scrollWidth - window.innerWidth")


@pytest.mark.parametrize("width", [360, 768])
def test_every_kind_of_page_fits(browser, folder, width):
    tab = browser.new_context(viewport={"width": width, "height": 800}).new_page()
    wide = {}
    for file in sorted(folder.rglob("*.html")):
        tab.goto(file.as_uri())
        wide[file.relative_to(folder).as_posix()] = overflow(tab)
    assert len(wide) > SAMPLE
    assert {name: over for name, over in wide.items() if over > 0} == {}


def test_what_does_not_fit_is_noticed(browser, tmp_path):
    tab = browser.new_context(viewport={"width": 360, "height": 800}).new_page()
    (tmp_path / "wide.html").write_text("<p style='width: 400px'>wide</p>")
    tab.goto((tmp_path / "wide.html").as_uri())
    assert overflow(tab) > 0


def test_filters_and_pages_stand_in_the_address(browser, folder):
    tab = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    shown = tab.locator("#claims tr[data-source]:not([hidden])")
    tab.goto((folder / "claims.html").as_uri())
    assert shown.count() == 50
    tab.get_by_label("source").select_option("dln")
    assert tab.evaluate("location.hash") == "#source=dln"
    tab.locator("#on").click()
    assert tab.evaluate("location.hash") == "#source=dln&page=2"
    rest = shown.count()
    tab.goto("about:blank")
    tab.goto((folder / "claims.html").as_uri() + "#source=dln&page=2")
    assert shown.count() == rest == sum(row["source"] == "dln" for row in ROWS) - 50
    tab.evaluate("location.hash = '#verdict=FAILS'")
    tab.wait_for_timeout(100)
    assert shown.count() == sum(row["verdict"] == "FAILS" for row in ROWS)
    tab.evaluate("location.hash = '#smith2022/kernel-like-early'")  # a row of a late page
    tab.wait_for_timeout(100)
    assert tab.locator("tr[id='smith2022/kernel-like-early']").is_visible()
    tab.get_by_label("search").fill("no such words")
    assert tab.locator("#count").inner_text() == "0"
