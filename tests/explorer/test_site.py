"""The documentation as it is built, each of its pages in a browser: formulas, widths, code, links, keys."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

# Text outside of code with a command, a dollar or a braced index of TeX; in a formula, any backslash or underscore.
RAW_TEX = r"""() => {
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { data, parentElement: home } = walk.currentNode;
    if (!home || home.closest("code, pre, script, style, .highlight, .md-nav")) continue;
    if (/\\[a-zA-Z]|\$[^$]|[_^]\{/.test(data) || (home.closest("math") && /[\\_$]/.test(data))) found.push(data.trim());
  }
  return found;
}"""
WIDER = "document.documentElement.scrollWidth - innerWidth"
CLIPPED = """Array.from(document.querySelectorAll("pre > code")).filter(
  (code) => code.clientWidth && code.scrollWidth > code.clientWidth + 1).map((code) => code.textContent.slice(0, 60))"""
STUCK = """Array.from(document.querySelectorAll(".md-typeset__scrollwrap, .arithmatex, .md-typeset pre > code")).filter(
  (each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth && each.tabIndex < 0).length"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A draft: all pages, with empty pictures where none were drawn."""
    pytest.importorskip("mkdocs")
    out = tmp_path_factory.mktemp("site")
    env = {**os.environ, "LAZYRICH_DRAFT": "1", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    subprocess.run(command, check=True, cwd=ROOT, env=env)
    return out


@pytest.mark.parametrize(("width", "light"), [(360, "light"), (1440, "dark")])
def test_every_page_fits_and_shows_its_formulas(browser, site, width, light):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=light, reduced_motion="reduce")
    tab, troubles = context.new_page(), []
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    for page in sorted(site.rglob("*.html")):
        tab.goto(page.as_uri())
        tab.evaluate("document.fonts.ready.then(() => new Promise((done) => setTimeout(done)))")  # letters have widths
        found = {
            "raw TeX": tab.evaluate(RAW_TEX),
            "wider than the window": tab.evaluate(WIDER) > 0,
            "code cut": tab.evaluate(CLIPPED) if width >= 1440 else [],
            "not scrolled by keys": tab.evaluate(STUCK) if "verdicts/" not in str(page) else 0,
        }
        troubles += [(str(page.relative_to(site)), what, which) for what, which in found.items() if which]
    context.close()
    assert troubles == []


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.links += [given[name] for name in ("href", "src") if given.get(name)]


def broken_links(site):
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links if path.name != "404.html" else ():
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            is_state = "=" in anchor  # of the explorer, or of a table's filter
            if not target.exists() or (
                anchor and target in pages and not is_state and anchor not in pages[target].anchors | {"__top"}
            ):
                broken.append((str(path.relative_to(site.resolve())), link))
    return len(pages), broken


def test_no_link_is_broken(site):
    count, broken = broken_links(site)
    assert count > 600
    assert broken == []


def test_a_broken_link_and_a_missing_anchor_are_noticed(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#x">b</a><a href="c.html">c</a><a href="b.html#y">y</a>')
    (tmp_path / "b.html").write_text('<p id="x">b</p>')
    assert broken_links(tmp_path)[1] == [("a.html", "c.html"), ("a.html", "b.html#y")]
