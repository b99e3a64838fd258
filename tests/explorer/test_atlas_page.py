"""The front page of the atlas in a browser, with JavaScript and without; its figures are stand-ins."""

import base64

import pytest

from lazyrich.explorer import explore
from lazyrich.papers.atlas.atlas import Atlas
from lazyrich.papers.atlas.figures_page import front_page
from lazyrich.papers.atlas.typeset import typeset
from lazyrich.papers.figure import Fact, find
from lazyrich.papers.reproduce import Made

pytestmark = pytest.mark.xdist_group("atlas")  # where the figures are loaded anyway
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
NAMES = ("kunin2024/fig3", "dln/ex-timescales", "dln/ex-sharpness")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """An atlas of three figures, of which one shows what is not so, and another was not made."""
    out = tmp_path_factory.mktemp("atlas")
    made = {}
    for name, holds in zip(NAMES[:2], (True, False), strict=True):
        folder = out / name
        folder.mkdir(parents=True)
        for file in ("figure.png", "figure.gif", "thumbnail.png", "data.nc"):
            (folder / file).write_bytes(DOT)
        facts = (Fact("a fact about <b> and C_L", True, "1"), Fact("the width is s^{−2}", holds, "2"))
        made[name] = Made(name, "", "quick", 0, {"n": 3}, 1.0, False, facts, folder)
    verdict = {"verdict": "HOLDS", "of": "source", "seen": "", "trouble": "", "place": "", "statement": "x < y"}
    names = ("kunin2024/lazy-upstream", "kunin2024/balanced-phi", "dln/transition-time")
    verdicts = [verdict | {"id": name, "source": name.split("/")[0]} for name in names]
    verdicts.append(verdicts[0] | {"id": "dln/gap-law", "source": "dln", "verdict": "FAILS", "place": "7.2"})
    atlas = Atlas(out / "index.html", made, verdicts, {"dln/ex-sharpness": "RuntimeError: no such luck"})
    atlas.page.write_text(front_page(atlas, {name: find(name) for name in NAMES}), encoding="utf-8")
    (out / "claims.html").write_text("<p>claims</p>")
    explore().save(out / "explorer.html")
    return atlas.page


def opened(browser, page, **options):
    context = browser.new_context(**options)
    tab = context.new_page()
    troubles = []
    tab.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.goto(page.as_uri())
    return tab, troubles


def test_without_javascript_figures_facts_and_verdicts_are_there(browser, page):
    tab, troubles = opened(browser, page, java_script_enabled=False)
    assert tab.locator("article").count() == 3
    assert tab.locator("article img").first.is_visible()
    assert not tab.locator("#find").is_visible()
    assert "no such luck" in tab.locator("article").nth(2).inner_text() + tab.locator("article").nth(1).inner_text()
    summary = tab.locator("article summary").first
    facts = tab.locator("article ul.facts").first
    assert not facts.is_visible()
    summary.click()
    assert facts.is_visible()
    # Of the figure with a fact that does not hold nothing is folded away.
    assert tab.locator('article[id="dln/ex-timescales"] ul.facts').is_visible()
    assert tab.locator("td a[href='claims.html#source=dln']").count() == 1
    assert troubles == []


def test_what_fails_and_what_is_corrected_are_links_on_the_first_screen(browser, page):
    tab, _ = opened(browser, page, viewport={"width": 1280, "height": 800})
    fails = tab.locator(".counts a[href='claims.html#verdict=FAILS']")
    assert "1 ✗ fails" in " ".join(fails.inner_text().split())
    assert fails.bounding_box()["y"] < 800
    assert tab.locator(".news a[href='claims/dln/gap-law.html']").inner_text() == "Gap law"
    assert tab.locator("a[href='errata/dln.html']").count() == 1


def test_every_noun_has_one_word(browser, page):
    tab, _ = opened(browser, page)
    text = tab.locator("body").inner_text().lower()
    assert "claim" not in text
    assert " facts" not in text
    assert "()" not in text


def test_the_filter_stands_in_the_address(browser, page):
    tab, troubles = opened(browser, page)
    tab.get_by_role("button", name="Deep linear").click()
    tab.get_by_label("Search the figures").fill("transition")
    address = tab.evaluate("location.hash")
    assert address == "#source=dln&words=transition"
    count = tab.locator("article:not([hidden])").count()
    again = tab.context.new_page()
    again.goto(page.as_uri() + address)
    assert again.locator("article:not([hidden])").count() == count < 3
    assert troubles == []


def test_search_and_filter(browser, page):
    tab, troubles = opened(browser, page)
    shown = tab.locator("article:not([hidden])")
    assert tab.locator("#told").inner_text() == "3 figures"
    tab.get_by_label("Search the figures").fill("balanced-phi")  # a claim of figure 3
    assert shown.count() == 1
    assert shown.first.get_attribute("id") == "kunin2024/fig3"
    tab.get_by_label("Search the figures").fill("")
    tab.get_by_role("button", name="Deep linear").click()
    assert tab.locator("#told").inner_text() == "2 of 3 figures"
    assert not tab.locator("section[data-source='kunin2024']").is_visible()
    tab.evaluate("location.hash = '#kunin2024/fig3'")
    tab.wait_for_timeout(100)
    assert shown.count() == 3
    assert troubles == []


@pytest.mark.parametrize("width", [360, 800, 1600])
@pytest.mark.parametrize("light", ["light", "dark"])
def test_it_fits(browser, page, width, light, tmp_path):
    tab, troubles = opened(browser, page, viewport={"width": width, "height": 900}, color_scheme=light)
    assert tab.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert len(tab.screenshot(path=tmp_path / "atlas.png", full_page=True)) > 10_000
    assert troubles == []


def test_on_paper_everything_is_unfolded(browser, page):
    tab, _ = opened(browser, page)
    tab.emulate_media(media="print")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("details:not([open])").count() == 0
    assert not tab.locator("#find").is_visible()


def test_figures_lead_to_their_stories(browser, page):
    tab, troubles = opened(browser, page)
    tab.locator('article[id="kunin2024/fig3"] a[href^="explorer.html"]').first.click()
    tab.locator("#story strong").wait_for()
    assert tab.locator("figure canvas").count() > 2
    assert troubles == []


def test_indices_and_exponents_are_typeset():
    assert typeset("C_L s^{−(2 − 2/L)} <") == (
        "<math><msub><mi>C</mi><mi>L</mi></msub></math> <math><msup><mi>s</mi><mrow><mo>−</mo><mo>(</mo><mn>2</mn>"
        "<mo>−</mo><mn>2</mn><mo>/</mo><mi>L</mi><mo>)</mo></mrow></msup></math> &lt;"
    )
    assert typeset("q̂_δ(‖w̃‖), a_∞, t_end") == (
        "<math><msub><mi>q̂</mi><mi>δ</mi></msub></math>(‖w̃‖), <math><msub><mi>a</mi><mi>∞</mi></msub></math>, "
        "<math><msub><mi>t</mi><mi>end</mi></msub></math>"
    )
    assert typeset("plain & simple") == "plain &amp; simple"
