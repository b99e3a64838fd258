"""The front page and the tour: what a newcomer does, by mouse, keys and touch; and what undoes it."""

import json
import runpy
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import lazyrich as lr
from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich.explorer import page as assembly
from lazyrich.explorer.front import load_json
from lazyrich.papers.verify import load

pytestmark = pytest.mark.xdist_group("browser")
ROOT = Path(__file__).parents[2]
TOUR = load_json("tour.json")
STEPS = [f"{i}.{j}" for i, chapter in enumerate(TOUR, 1) for j, _ in enumerate(chapter["steps"], 1)]
SMALL = """Array.from(document.querySelectorAll('#front button, #front input')).filter((each) => {
  const { width, height } = each.getBoundingClientRect();
  return width > 0 && !each.closest('p') && (width < 24 || height < 24);
}).length"""


def hero(page):
    return page.ask("lazyrich.hero.state")


def test_the_first_page_is_one_neuron_with_three_buttons(visit):
    page = visit()
    assert page.tab.get_by_role("heading", level=1).inner_text().split() == (
        ["Same", "function,", "same", "task,", "three", "ways", "to", "learn."]
    )
    for delta, word in ((4, "lazy"), (-4, "delayed rich"), (0, "rich")):
        page.tab.locator(f"#hero [data-delta='{delta}']").click()
        assert hero(page)["regime"] == word
        assert page.tab.locator("#hero-word").inner_text().lower() == word
    page.tab.get_by_label("Relative scale delta of the two layers").press("End")
    assert hero(page)["delta"] == -6
    page.tab.get_by_role("slider", name="Time").press("Home")
    assert hero(page)["time"] < 0.1
    assert page.ask(SMALL) == 0
    assert page.troubles == []


@pytest.mark.parametrize("delta", [-6.0, -1.8, -1.7, 0.0, 0.6, 1.0, 4.0])
def test_the_hero_says_what_the_library_says(visit, delta):
    """Its largest S and its word, from lazyrich's kernels and tangent model."""
    page = visit()
    page.ask("(delta) => lazyrich.hero.choose(delta)", delta)
    found = hero(page)
    flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=delta), lr.Problem(np.eye(2), [0.0, 1.0]))
    times = np.geomspace(0.004, 80, 200)
    traj, tangent = lr.exact(flow, times), lr.exact(flow.linearize(), times)
    S = np.asarray(lr.metrics.kernel_distance(traj))
    gap = np.max(np.linalg.norm(np.asarray(traj.beta) - np.asarray(tangent.beta), axis=1)) / np.hypot(0.5, 1)
    a, w = float(flow.net.weight_matrices[1][0, 0]), np.asarray(flow.net.weight_matrices[0][0])
    rate = a**2 + w @ w  # the largest eigenvalue of the first kernel
    assert found["top"] == pytest.approx(S.max(), rel=1e-9, abs=1e-12)
    late = times[np.argmax(S.max() / 2 <= S)] * rate > 10
    wanted = "delayed rich" if late else "rich"
    if S.max() <= RICH:
        wanted = "lazy" if S.max() < LAZY["kernel"] and gap < LAZY["gap"] else "in between"
    assert found["regime"] == wanted


def test_the_tour_of_the_hero_ends_and_hands_over(visit):
    page = visit(motion="no-preference")
    page.wait("lazyrich.hero.state.delta === -4 && !lazyrich.hero.state.playing", 30)
    assert hero(page)["time"] is None or hero(page)["time"] > 80  # Infinity: all is drawn
    page.tab.locator("[data-delta='4']").click()
    assert hero(page)["playing"]
    page.tab.get_by_role("button", name="Pause").click()
    assert not hero(page)["playing"]
    page.tab.get_by_role("link", name="One neuron").click()
    assert page.troubles == []


def test_the_evidence_of_the_front_page_is_what_the_library_finds():
    """All but the layers of LeNet, which tests/pytorch trains again."""
    made, stored = runpy.run_path(str(ROOT / "docs_build/front.py")), load_json("data/front.json")
    rows = json.loads((ROOT / "docs/data/verdicts.json").read_text(encoding="utf-8"))["claims"]
    again = "run: python docs_build/front.py"
    assert made["verdict_counts"](rows) == stored["verdicts"], again
    counts = stored["verdicts"]
    assert counts["all"] == sum(counts[name] for name in ("holds", "corrected", "fails", "other"))
    assert made["gap_law"](rows) == stored["gap"], again
    assert made["theorem"]() == stored["theorem"], again
    assert made["paths"]() == stored["paths"], again
    assert made["sources"]() == stored["sources"], again
    assert made["ten_lines"]() == stored["printed"], again


def test_the_front_page_leaves_nothing_to_be_filled_in():
    html = assembly.home_page("<p>More.</p>", "card.png")
    assert "{{" not in html
    assert "og:image" in html
    for text in ("<p>More.</p>", "explorer.html#room=tour", "github.com/lazyrich"):
        assert text in html
    assert len(html.encode()) < 300_000


def test_every_story_has_a_chapter_and_every_step_a_claim_and_a_theorem():
    stories = {story["id"]: story for story in assembly.load_presets()}
    placed = [
        each for chapter in TOUR for each in [*(s.get("story") for s in chapter["steps"]), *chapter["more"]] if each
    ]
    assert sorted(placed) == sorted(stories)
    claims = {claim.id: claim for claim in load()}
    slugs = {t.name.replace(" ", "-") for t in (*lr.TRAJECTORY_THEOREMS, *lr.LIMIT_THEOREMS)}
    for step in (step for chapter in TOUR for step in chapter["steps"]):
        story = stories.get(step.get("story"), step)
        assert claims[story["claim"]].verdict.name.lower() == story["verdict"], step["ask"]
        assert step["theorem"] in slugs or (not step["theorem"] and story["room"] == "relu"), step["ask"]
        assert 0 <= step["answer"] < len(step["options"])


def test_the_links_to_claims_are_those_of_their_pages(visit):
    from lazyrich.papers.atlas.claim_pages import pages

    rows = json.loads((ROOT / "docs/data/verdicts.json").read_text(encoding="utf-8"))["claims"]
    wanted = {story["claim"] for story in assembly.load_presets()}
    made = {path for path, _ in pages([row for row in rows if row["id"] in wanted])}
    page = visit("room=stories")
    links = page.ask("Array.from(document.querySelectorAll('.stories a'), (each) => each.getAttribute('href'))")
    assert {link.removeprefix("https://lazyrich.github.io/lazyrich/verdicts/") for link in links} <= made
    assert len(links) == len(assembly.load_presets())


def test_the_tour_is_walked_by_keys(visit):
    page = visit("room=tour")
    for step in STEPS:
        assert page.ask("lazyrich.tour.state") == {"step": step, "shown": False, "moving": False}
        wanted = page.ask("lazyrich.steps.find((each) => each.name === lazyrich.tour.state.step)")
        begun = page.ask("lazyrich.current.state")
        assert {name: begun[name] for name in wanted["move"]} == {name: way[0] for name, way in wanted["move"].items()}
        assert not page.tab.locator("#headline").is_visible()
        page.tab.keyboard.press("1" if step != "1.1" else "ArrowRight")
        assert page.ask("lazyrich.tour.state.shown")
        ended = page.ask("lazyrich.current.state")
        assert {name: ended[name] for name in wanted["move"]} == {name: way[1] for name, way in wanted["move"].items()}
        links = page.tab.locator("#tour .links a")
        assert links.count() == (2 if wanted["theorem"] else 1)
        assert wanted["claim"] in links.first.get_attribute("href")
        assert page.tab.locator("#tour .option[data-mark=right]").count() == 1
        page.tab.keyboard.press("ArrowRight")
    assert page.ask("lazyrich.current.name") == "stories"
    page.tab.go_back()
    page.wait(f"lazyrich.tour.state.step === '{STEPS[-1]}' && lazyrich.current.step !== ''")
    assert page.troubles == []


def test_knobs_move_by_themselves_until_a_hand_takes_them(visit):
    page = visit("room=tour&step=1.1", motion="no-preference")
    page.tab.get_by_role("button", name="Show me").click()
    page.wait("lazyrich.current.state.delta > 1")
    page.tab.get_by_label("relative scale δ", exact=True).fill("3")
    page.tab.wait_for_timeout(200)
    assert page.ask("lazyrich.current.state.delta") == 3
    page.tab.get_by_role("button", name="Again").click()
    page.wait("lazyrich.current.state.delta === 8")
    assert page.troubles == []


def test_the_tour_is_presented_in_large_letters(visit):
    page = visit("room=tour&step=1.2", width=1280, height=720)
    size = "parseFloat(getComputedStyle(document.querySelector('#tour h1')).fontSize)"
    before = page.ask(size)
    page.tab.keyboard.press("p")
    assert page.ask(size) > 1.1 * before
    page.wait("document.querySelector('.panel:not([hidden]) canvas').width > 0")
    page.ask("lazyrich.paint()")
    shown = "document.querySelectorAll('#tour *, .panel:not([hidden])')"
    low = page.ask(f"Math.max(...Array.from({shown}, (each) => each.getBoundingClientRect().bottom))")
    assert low <= 720 + 1  # all on one screen
    handle = page.tab.get_by_role("button", name="Start β₀").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.tab.mouse.move(x, y)
    page.tab.mouse.down()
    page.tab.mouse.move(x + 40, y, steps=4)
    page.tab.mouse.up()
    page.ask("lazyrich.paint()")
    moved = page.tab.get_by_role("button", name="Start β₀").bounding_box()
    assert moved["x"] - handle["x"] == pytest.approx(40, abs=2)
    page.tab.keyboard.press("p")
    assert page.ask(size) == before
    assert page.troubles == []


def test_back_and_the_keyboard_undo(visit):
    page = visit("room=neuron&delta=1")
    for value in (2, 3):
        page.tab.get_by_label("relative scale δ", exact=True).fill(str(value))
        page.wait(f"location.hash.includes('delta={value}')")
    page.tab.get_by_label("relative scale δ", exact=True).press("Control+z")
    page.wait("lazyrich.current.state.delta === 2")
    page.tab.go_back()
    page.wait("lazyrich.current.state.delta === 1")
    page.tab.keyboard.press("Control+z")  # nothing is left to undo: the page stays
    page.tab.wait_for_timeout(100)
    assert page.ask("lazyrich.current.state.delta") == 1
    page.tab.keyboard.press("Control+Shift+Z")
    page.wait("lazyrich.current.state.delta === 2")
    page.tab.get_by_role("link", name="Modes").click()
    page.tab.go_back()
    page.wait("lazyrich.current.name === 'neuron' && lazyrich.current.state.delta === 2")
    assert page.troubles == []


def test_the_theme_is_chosen_by_the_button_the_address_or_the_page_around(visit, file):
    page = visit("room=neuron", color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.ask(paper)
    page.tab.get_by_role("button", name="Dark theme").click()
    dark = page.ask(paper)
    assert dark != light
    page.ask("postMessage({ theme: 'light' }, '*')")
    page.wait(f"{paper} === '{light}'")
    page.tab.goto(f"{file.as_uri()}?embed&theme=dark#room=modes")
    page.wait("window.lazyrich && lazyrich.current.drawn")
    assert page.ask(paper) == dark
    assert not page.tab.locator("header").is_visible()
    assert page.troubles == []


def test_on_a_phone_the_picture_is_first_and_the_slider_beside_it(visit):
    page = visit("room=neuron", width=360, height=740, has_touch=True)
    picture = page.tab.locator("figure").first.bounding_box()
    slider = page.tab.get_by_label("relative scale δ", exact=True).first.bounding_box()
    assert picture["y"] < 300
    assert slider["y"] < 740
    assert page.tab.locator("#try").bounding_box()["y"] > picture["y"]
    assert page.troubles == []


def test_motion_is_taken_home_as_a_gif(visit):
    from PIL import Image, ImageSequence

    page = visit("room=modes&cursor=0.3", width=800)
    with page.tab.expect_download(timeout=60_000) as download:
        page.tab.get_by_role("button", name="GIF").click()
    with Image.open(download.value.path()) as picture:
        frames = [np.asarray(frame.convert("RGB"), float) for frame in ImageSequence.Iterator(picture)]
        assert picture.info["loop"] == 0
    assert len(frames) == 40
    assert download.value.path().stat().st_size < 1_500_000
    moved = [np.mean(np.any(a != b, axis=2)) for a, b in pairwise(frames)]
    assert 0 < max(moved) < 0.2  # the cursor moves, and little else
    assert np.mean(frames[0]) > 200  # on light paper
    page.wait("lazyrich.current.state.cursor === 0.3")
    assert page.troubles == []


def test_a_gif_has_the_pixels_that_it_was_given(visit, tmp_path):
    """Decoded by another program: noise, which fills the table of codes again and again, and flat frames."""
    from PIL import Image, ImageSequence

    page, rng = visit(), np.random.default_rng(0)
    shades = rng.integers(0, 32, (200, 3)) * 8 + 4
    frames = [shades[rng.integers(0, 200, (90, 120))] for _ in range(2)]
    frames += [np.broadcast_to(shades[0], (90, 120, 3)), frames[0]]
    given = [np.concatenate([f, np.full((90, 120, 1), 255)], axis=2).ravel().tolist() for f in frames]
    made = page.ask("(frames) => Array.from(lazyrich.encodeGif(frames, 120, 90))", given)
    (tmp_path / "made.gif").write_bytes(bytes(made))
    with Image.open(tmp_path / "made.gif") as picture:
        found = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(picture)]
    assert len(found) == 4
    for wanted, frame in zip(frames, found, strict=True):
        assert np.array_equal(wanted, frame)
