"""The page of each theorem is made from its own module: what it must say, and that what it shows runs and is set."""

import html
import json
import re
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

import lazyrich as lr

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs_build"))
import results  # noqa: E402
import theorem_pages  # noqa: E402
import theorem_pictures  # noqa: E402
import theorems  # noqa: E402

ROWS = {row["id"]: row for row in json.loads(theorems.RECORD.read_text(encoding="utf-8"))["claims"]}
QUICK = ("single neuron", "wide linear network", "l2 margin")
NAMED = [pytest.param(theorem, id=theorem.name) for theorem in theorems.THEOREMS]
SOME = [
    pytest.param(theorem, id=theorem.name, marks=() if theorem.name in QUICK else pytest.mark.slow)
    for theorem in theorems.THEOREMS
]


def sentences(text):
    return re.findall(r"[.?!](?= [A-Z]|$)", text)


@pytest.mark.parametrize("theorem", NAMED)
def test_a_theorem_says_what_it_means(theorem):
    assert theorem.title
    assert theorem.title[0].isupper()
    assert len(sentences(theorem.intuition)) == 3, theorem.intuition
    for change in theorem.hypotheses.values():
        assert theorems.first_line(change).endswith("."), f"{change.__name__} does not say what it changes"
    for name in theorem.claims:
        assert name in ROWS, f"there is no verdict {name}"
    assert len({each.title for each in theorems.THEOREMS}) == len(theorems.THEOREMS)


@pytest.mark.parametrize("result", results.RESULTS, ids=lambda result: result.slug)
def test_a_result_says_what_it_means_and_where_it_fails(result):
    assert len(sentences(result.intuition)) == 3, result.intuition
    assert (ROOT / "docs" / result.guide).is_file()
    assert (ROOT / "gallery" / f"{result.script}.py").is_file()
    for pattern in result.claims:
        assert any(fnmatch(name, pattern) for name in ROWS), pattern
    for call in result.violations.values():
        assert results.refusal(call)
    check_page(theorems.result_entry(result, ROWS))


def test_a_hypothesis_that_is_not_refused_is_noticed():
    with pytest.raises(AssertionError, match="was accepted"):
        results.refusal(lambda: lr.Problem([[1.0]], [1.0]))


@pytest.mark.parametrize("theorem", SOME)
def test_its_page_has_all_sections(theorem):
    entry = theorems.entry(theorem, ROWS)
    page = check_page(entry)
    for each in entry["hypotheses"]:
        assert f"**{each['name']}**" in page
        assert each["defect"] == "not the case" or float(each["defect"].removeprefix("off by ")) > 1e-11
    assert entry["panels"] == tuple(theorem_pictures.panels(theorem))
    for verdict in entry["verdicts"]:
        assert f"verdicts/claims/{verdict['id']}.html" in page
    assert page.count("@") == len(dict.fromkeys(theorem.sources))  # the BibTeX entries


def check_page(entry):
    (page,) = (text for path, text in theorem_pages.files([entry]).items() if path.endswith(f"{entry['slug']}.md"))
    for heading in ("## The statement", "## What it needs", "## Who proved it"):
        assert heading in page, heading
    assert not raw(page)
    return page


def raw(page):
    """Places with unconverted TeX: what is left besides code, formulas in dollars and links."""
    text = re.sub(r"^ *```.*?^ *```|`[^`\n]*`|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|<[^>]*>|^:::.*?$", "", page,
                  flags=re.MULTILINE | re.DOTALL)  # fmt: skip
    return [
        text[max(found.start() - 30, 0) : found.end() + 30] for found in re.finditer(r"[\\_$^]", html.unescape(text))
    ]


def test_raw_tex_is_noticed():
    assert raw("a_k")
    assert raw(r"\alpha")
    assert raw("one $ only")
    assert not raw("$a_k$ and `a_k`")


@pytest.mark.parametrize("theorem", SOME)
def test_its_code_runs(theorem, capsys):
    code = theorems.code(theorem)
    assert len(code.splitlines()) <= 14
    assert max(map(len, code.splitlines())) <= 80
    exec(compile(code, theorem.name, "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    assert theorem.name in printed
    if isinstance(theorem, lr.TrajectoryTheorem):
        assert float(re.search(r"largest difference: (\S+)", printed)[1]) < 1e-7  # integrate has rtol 1e-10


@pytest.mark.parametrize("theorem", SOME)
def test_its_pictures_show_the_formula_hold_and_fail(theorem):
    for panel in theorem_pictures.panels(theorem):
        figure = theorem_pictures.draw(theorem, panel)
        assert figure.axes[0].lines
    if isinstance(theorem, lr.TrajectoryTheorem):
        assert gap(theorem_pictures.draw(theorem, "holds")) < 1e-3
        assert gap(theorem_pictures.draw(theorem, "fails")) > 1e-3


def gap(figure):
    """The largest distance between a ring and its line, relative to the height of the picture."""
    lines = figure.axes[0].lines
    low, high = figure.axes[0].get_ylim()
    pairs = zip(lines[::2], lines[1::2], strict=True)
    step = max(len(lines[0].get_ydata()) // theorem_pictures.MARKS, 1)
    return max(abs(line.get_ydata()[::step] - rings.get_ydata()).max() for line, rings in pairs) / (high - low)
