"""The page as people use it: by mouse, keys and touch, narrow and wide, light and dark, from strange addresses."""

import json
import re
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

import lazyrich as lr
from lazyrich.cli import app
from lazyrich.explorer import page as assembly
from lazyrich.explorer.bundle import bundle

pytestmark = pytest.mark.xdist_group("browser")
TABS = list(assembly.TABS)
ROOMS = [name for name in TABS if name not in ("home", "tour", "stories")]  # with knobs
PYTHON = """([room, given]) => {
  return lazyrich.rooms[room].python(lazyrich.stateOf(room, given), lazyrich.tables.plane);
}"""
OUTSIDE = """Array.from(document.querySelectorAll('figure, fieldset, button:not(.handle), select, table')).filter(
  (each) => each.getBoundingClientRect().right > innerWidth + 1).length"""
BLANK = """Array.from(document.querySelectorAll('figure:not([hidden]) canvas')).filter((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return !data.some((v) => v);
}).length"""
DRAW = """([room, given]) => {
  lazyrich.open(room, given);
  lazyrich.paint();
  return lazyrich.current.drawn.found;
}"""
CONTROLS = ("button", "slider", "spinbutton", "combobox", "link", "image", "textbox")


def test_it_is_one_small_file_that_names_no_other(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.encode()) <= 500_000
    assert re.findall(r"\bimport\(|<link|<img|@import|(?<!<iframe )\bsrc=|url\((?!data:|#)", text) == []


@pytest.mark.parametrize("width", [360, 800, 1600])
@pytest.mark.parametrize("light", ["light", "dark"])
def test_every_room_at_every_width_and_in_every_light(visit, tmp_path, width, light):
    page = visit(width=width, color_scheme=light)
    for room in TABS:
        page.ask("(room) => { lazyrich.open(room); lazyrich.paint(); }", room)
        assert page.ask("document.documentElement.scrollWidth - window.innerWidth") <= 0, room
        assert page.ask(OUTSIDE) == 0, room
        assert page.ask(BLANK) == 0, room
        picture = page.tab.screenshot(path=tmp_path / f"{room}.png", full_page=True)
        assert len(picture) > 10_000
    assert page.troubles == []
    assert {url.split("#")[0] for url in page.requests} == {page.address}


def test_every_control_has_a_name(visit):
    page = visit()
    tree = page.tab.context.new_cdp_session(page.tab)
    seen = set()
    for room in TABS:
        page.ask("(room) => { lazyrich.open(room); lazyrich.paint(); }", room)
        nodes = tree.send("Accessibility.getFullAXTree")["nodes"]
        for node in nodes:
            role = node.get("role", {}).get("value")
            if not node["ignored"] and role in (
                "button",
                "slider",
                "spinbutton",
                "combobox",
                "link",
                "image",
                "textbox",
            ):
                seen.add(role)
                assert node["name"]["value"].strip(), (room, role)
    assert seen >= {"button", "slider", "spinbutton", "combobox", "link", "image"}


WILD = [
    "delta=1e999&b0x=NaN&b0y=-1e999&eta_w=0&axis2=-5&sign=7&cursor=abc",
    "room=neuron&delta=-Infinity&span=0&angle=%3Cscript%3Ewindow.hacked=1%3C/script%3E",
    'room=neuron&story="><img src=x onerror="window.hacked=1">',
    "room=constructor&__proto__=1&toString=2",
    "room=__proto__",
    "room=modes&depth=99&modes=0&s1=0&start=0&lambda=1e308&cosine=2",
    "room=modes&depth=2&start=1e-12&lambda=0&cosine=-1",
    "room=stops&x1=0&x2=0&y=0&alpha=0&shape=1&depth=1e9&samples=-3&sparse=99",
    "room=stops&y=0",
    "room=relu&moved=" + ",".join(f"{i}:0:0" for i in range(20)),
    "room=relu&tau=1e-300&delta=1e300&moved=0:1:1,a:b:c,99:1:1,3:1e999:0,__proto__:1:1",
    "%E0%A4%A&=&&&==&room",
    "room=neuron&b0x=0&b0y=0&delta=-1&bx=0&by=0",
    "room=neuron&b0x=0&b0y=0&delta=0&bx=0&by=0&axis2=0",
    "room=neuron&" + "x" * 100_000,
]


def test_a_wild_address_does_no_harm(visit):
    page = visit()
    for address in WILD:
        page.open(address)
        page.ask("lazyrich.paint()")
        assert page.troubles == [], address[:200]
        assert page.ask("window.hacked") is None
        assert page.ask("lazyrich.current.name") in TABS
        assert page.ask("document.querySelectorAll('img, body script:not([id]):not(:last-of-type)').length") == 0
        if page.ask("lazyrich.current.name") not in ROOMS:
            continue
        state, limits = page.ask("[lazyrich.current.state, lazyrich.rooms[lazyrich.current.name].PARAMETERS]")
        for name, value in state.items():
            if "low" in limits[name] and "places" not in limits[name]:
                assert limits[name]["low"] <= value <= limits[name]["high"], (address[:200], name)


TRY = """([room, state]) => {
  const began = performance.now();
  lazyrich.open(room, state);
  lazyrich.paint();
  return [lazyrich.current.drawn.facts.map((fact) => fact[1]).join(), lazyrich.python(), performance.now() - began];
}"""


@pytest.mark.parametrize("room", ROOMS)
def test_no_legal_state_breaks_a_room(visit, room):
    """At the limits of what is allowed, at zeros, at sizes of all orders."""
    page, rng = visit(), np.random.default_rng(5)
    parameters = page.ask(f"lazyrich.rooms.{room}.PARAMETERS")
    for _ in range(30):
        state = {}
        for name, p in parameters.items():
            if "low" in p and "places" not in p:
                size = rng.choice([-1, 1]) * 10.0 ** rng.uniform(-12, 3)
                state[name] = float(
                    rng.choice([p["low"], p["high"], p["value"], rng.uniform(p["low"], p["high"]), 0.0, size])
                )
        facts, text, took = page.ask(TRY, [room, state])
        assert "NaN" not in facts + text, state
        assert "Infinity" not in text, state
        compile(text, "copied", "exec")
        assert took < 10_000, state
    assert page.troubles == []


def test_dragging_and_keys_move_the_start_and_the_address_follows(visit):
    page = visit("room=neuron")
    grip = page.tab.get_by_role("button", name="Start β₀")
    box = grip.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.tab.mouse.move(x, y)
    page.tab.mouse.down()
    page.tab.mouse.move(x + 60, y - 45, steps=6)
    page.tab.mouse.up()
    moved = page.ask("lazyrich.current.state")
    assert moved["b0x"] > -0.4
    assert moved["b0y"] > 0.1
    page.tab.keyboard.press("ArrowLeft")
    assert page.ask("lazyrich.current.state.b0x") == pytest.approx(moved["b0x"] - 0.05)
    page.tab.get_by_label("relative scale δ", exact=True).fill("3.5")
    page.wait("location.hash.includes('delta=3.5')")
    again = visit(page.tab.url.split("#")[1])
    assert again.ask("lazyrich.current.state") == page.ask("lazyrich.current.state")
    assert page.troubles == []


def test_touching_the_map_chooses_a_student_which_trains(visit):
    page = visit("room=relu&delta=0&second=0", motion="no-preference", has_touch=True)
    box = page.tab.locator("figure").first.locator("canvas").bounding_box()
    page.tab.touchscreen.tap(box["x"] + 0.8 * box["width"], box["y"] + 0.25 * box["height"])
    state = page.ask("lazyrich.current.state")
    assert state["tau"] > 0.7
    assert state["delta"] > 0.3
    page.wait("lazyrich.current.drawn.found.students[0].frames.length > 40")
    page.tab.get_by_role("button", name="Pause").click()
    losses = page.ask("lazyrich.current.drawn.found.students[0].frames.map((frame) => frame.loss)")
    assert all(later <= earlier * (1 + 1e-6) for earlier, later in pairwise(losses))
    page.tab.get_by_label("Time of training").fill("3")
    assert page.ask("lazyrich.paint(), lazyrich.current.drawn.found.at") == 3
    assert page.troubles == []


def test_rooms_can_be_left_while_students_train(visit):
    page = visit("room=relu&tau=0.1&delta=1&delta2=1", motion="no-preference")
    for room in ("Modes", "ReLU in the plane", "Stories", "One neuron"):
        page.wait("lazyrich.current.name !== 'relu' || lazyrich.current.drawn.found.students?.[1].frames.length > 3")
        page.tab.get_by_role("link", name=room).click()
    page.tab.wait_for_timeout(100)
    assert page.ask("lazyrich.current.name") == "neuron"
    assert page.ask("document.querySelectorAll('figure').length") == 7
    assert page.troubles == []


def test_a_window_that_changes_its_size_during_a_drag(visit):
    page = visit("room=neuron", width=1200)
    box = page.tab.get_by_role("button", name="Start β₀").bounding_box()
    page.tab.mouse.move(box["x"] + 14, box["y"] + 14)
    page.tab.mouse.down()
    for width in (700, 360, 1500):
        page.tab.set_viewport_size({"width": width, "height": 700})
        page.tab.wait_for_timeout(100)
        page.tab.mouse.move(box["x"] - width / 100, box["y"] + 20)
    page.tab.mouse.up()
    page.tab.wait_for_timeout(100)
    state = page.ask("lazyrich.current.state")
    assert all(abs(state[name]) <= 100 for name in ("b0x", "b0y"))
    wide = "Array.from(document.querySelectorAll('canvas')).every((own) => own.width === own.parentElement.clientWidth)"
    assert page.ask(wide)
    assert page.ask(BLANK) == 0
    assert page.troubles == []


def test_zoom_is_offered_where_there_is_a_plane(visit):
    page = visit("room=modes")
    assert not page.tab.get_by_role("button", name="Zoom in").is_visible()
    page.tab.get_by_role("link", name="One neuron").click()
    span = page.ask("lazyrich.current.state.span")
    page.tab.get_by_role("button", name="Zoom in").click()
    assert page.ask("lazyrich.current.state.span") == pytest.approx(span / 1.25)
    assert page.troubles == []


def test_who_wants_no_motion_starts_the_training(visit):
    page = visit("room=relu")
    page.tab.wait_for_timeout(200)
    assert page.ask("lazyrich.current.drawn.found.students[0].frames.length") == 1
    page.tab.get_by_role("button", name="Play").click()
    page.wait("lazyrich.current.drawn.found.students[0].frames.length > 5")


def test_pictures_and_tables_are_taken_home(visit):
    page = visit("room=modes")
    for button, ending in (("PNG", ".png"), ("CSV", ".csv")):
        with page.tab.expect_download() as download:
            page.tab.get_by_role("button", name=button, exact=True).click()
        assert download.value.suggested_filename == f"lazyrich-modes{ending}"
        assert download.value.path().stat().st_size > 1000
    for room in ROOMS:
        page.ask("(room) => { lazyrich.open(room); lazyrich.paint(); }", room)
        head, *rows = page.ask("lazyrich.csv()").strip().split("\n")
        assert len(rows) >= 1
        assert all(len(row.split(",")) == len(head.split(",")) for row in rows)
    assert page.troubles == []


def test_every_story_opens_and_says_what_the_book_says(visit):
    from lazyrich.papers.verify import load

    claims = {claim.id: claim for claim in load()}
    stories = assembly.load_presets()
    assert len({story["id"] for story in stories}) == len(stories) >= 12
    page = visit("room=stories")
    for story in stories:
        assert claims[story["claim"]].verdict.name.lower() == story["verdict"], story["id"]
        page.ask("() => lazyrich.open('stories')")
        page.tab.get_by_role("button", name=f"See it: {story['title']}").click()
        page.ask("lazyrich.paint()")
        state = page.ask("lazyrich.current.state")
        assert {name: state[name] for name in story["state"]} == story["state"]
        assert story["claim"] in page.tab.locator("#story").inner_text()
        page.wait(f"lazyrich.address().includes('story={story['id']}')")
    assert page.troubles == []


def story(page, name):
    (found,) = [each for each in assembly.load_presets() if each["id"] == name]
    page.ask("([room, state]) => { lazyrich.open(room, state); lazyrich.paint(); }", [found["room"], found["state"]])
    return page.ask("lazyrich.current.drawn.found")


def test_the_stories_show_what_they_say(visit):
    page = visit()
    assert story(page, "lazy-upstream")["distance"][-1] < 5e-3
    assert page.tab.locator("#headline").inner_text().startswith("lazy")
    story(page, "silent-alignment")
    assert page.tab.locator("#headline").inner_text().startswith("rich")
    late = story(page, "delayed-rich")
    half = next(i for i, loss in enumerate(late["loss"]) if loss < 0.3 * late["loss"][0] or late["times"][i] > 1)
    assert late["distance"][half] < 0.1 < late["distance"][-1]
    assert page.tab.locator("#headline").inner_text().startswith("delayed rich")
    sign = story(page, "theorem-1-sign")
    assert np.isfinite(sign["crossing"])
    assert story(page, "saddle")["side"] == 0
    plan = story(page, "saddle-to-saddle")["plan"]
    assert all(b["time"] - a["time"] > 2 * a["width"] for a, b in pairwise(plan))
    lazy = story(page, "lazy-rate")
    assert np.max(np.abs(np.array(lazy["loss"]) - lazy["lazyLoss"])) < 0.2 * lazy["loss"][0]
    sparse = story(page, "sparse")
    assert abs(sparse["limit"][1]) < 1e-2
    slow = story(page, "slow-sparse")
    assert slow["limit"][1] > 0.2
    sooner, later = (story(page, name)["plan"] for name in ("singular-values", "smaller-later"))
    assert all(1.6 < b["time"] / a["time"] < 1.9 for a, b in zip(sooner, later, strict=True))
    shape = story(page, "shape")
    assert shape["kappa"] > 0.3


def slow(given):
    return pytest.param(given, marks=pytest.mark.slow)


NEURONS = [
    {"axis2": 0, "angle": 30, "delta": -1.5, "eta_w": 0.5},
    {"b0x": 0.1, "b0y": 0.5, "delta": 0.5, "decay": 0.05},
    slow({"delta": 3.5, "sign": -1, "eta_w": 0.5, "eta_a": 3.0, "angle": 25}),
    slow({}),
    slow({"axis2": 0.4, "angle": -20, "delta": 0}),
    slow({"b0x": 0, "b0y": 0, "delta": -2, "turn": 40}),
]
MODES = [
    {"lambda": -2.5, "cosine": -0.3, "modes": 4, "logtime": 1},
    slow({}),
    slow({"depth": 1, "start": 0.2}),
    slow({"cosine": -1, "lambda": 0}),
    slow({"depth": 5, "modes": 2, "start": 0.05}),
]


def executed(page, room, given):
    scope = {}
    text = page.ask(PYTHON, [room, given])
    if room == "modes":
        text = text.replace("print(lr.mode_schedule(flow))", "")  # compared in test_numbers
    exec(text, scope)
    return scope, page.ask(DRAW, [room, given])


@pytest.mark.parametrize("given", NEURONS)
def test_copied_neurons_run_and_end_in_the_same_place(visit, capsys, given):
    scope, found = executed(visit(), "neuron", given)
    traj, tolerance = scope["traj"], 1e-9 if found["exact"] else 1e-5
    assert ("exact by" in capsys.readouterr().out) == (found["exact"] or "decay" in given)
    assert np.allclose(found["times"][1:], traj.times, rtol=1e-12)
    assert np.allclose(found["beta"][1:], traj.beta, rtol=0, atol=tolerance)
    assert np.allclose(found["distance"][1:], lr.metrics.kernel_distance(traj), rtol=0, atol=10 * tolerance)
    assert np.allclose(found["limit"], lr.limit(traj).value, rtol=0, atol=tolerance)


@pytest.mark.parametrize("given", MODES)
def test_copied_modes_run_and_end_in_the_same_place(visit, given):
    scope, found = executed(visit(), "modes", given)
    traj = scope["traj"]
    skip = len(found["times"]) - len(traj.times)
    assert np.allclose(np.array(found["times"])[skip:], traj.times, rtol=1e-12)
    beta = np.diagonal(np.asarray(traj.beta), axis1=1, axis2=2).T
    assert np.allclose(np.array(found["beta"])[:, skip:], beta, rtol=0, atol=1e-9)
    assert np.allclose(np.array(found["loss"])[skip:], traj.loss, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "given",
    [
        {"alpha": 0.003, "shape": -0.4},
        {"alpha": 10, "decay": 0.01},
        slow({"depth": 3, "alpha": 1e-4, "x1": -0.3, "y": 0.8}),
    ],
)
def test_copied_limits_run_and_are_the_same(visit, given):
    scope, found = executed(visit(), "stops", given)
    assert np.allclose(found["limit"], lr.limit(scope["flow"]).value, rtol=0, atol=1e-9)
    assert np.allclose(found["sparse"]["beta"], lr.limit(scope["sparse"]).value, rtol=0, atol=1e-9)
    assert np.allclose(found["sparse"]["truth"], scope["truth"])


@pytest.mark.parametrize(
    "given", [{"alpha": 0.003, "shape": -0.4}, {"depth": 3, "alpha": 1e-4}, {"depth": 5, "alpha": 2.0}]
)
def test_copied_diagonal_networks_have_the_scale_and_shape_of_the_page(visit, given):
    scope = {}
    lines = visit().ask(PYTHON, ["stops", given]).splitlines()
    exec("\n".join(line for line in lines if not line.startswith("print")), scope)
    for flow in (scope["flow"], scope["sparse"]):
        sides = [float(layer[0, 0]) for layer in flow.net.weights]
        assert np.prod(sides) ** flow.net.power == pytest.approx(given["alpha"])
        assert flow.net.degree == given.get("depth", 2)
        if "shape" in given:
            assert (sides[1] - sides[0]) / (sides[1] + sides[0]) == pytest.approx(given["shape"])


def test_copied_students_run_and_learn_the_same(visit):
    page = visit()
    given = {"tau": 0.1, "delta": -1, "second": 0}
    scope, _ = executed(page, "relu", given)
    traj = scope["traj"]
    script = """(given) => {
      const { rooms, tables, flow, stateOf } = lazyrich, own = rooms.relu, state = stateOf("relu", given);
      const data = own.points(state, tables.plane), theta = own.begin(tables.plane, state.tau, state.delta);
      const start = own.reference(theta, data), run = flow(theta, data);
      for (let t = 0; t < 100 * (1 - 1e-12); ) t += run.advance(100 - t);
      return { theta: Array.from(theta), ...own.measured(theta, start, data) };
    }"""
    found = page.ask(script, given)
    assert found["loss"] == pytest.approx(float(traj.loss[-1]), rel=1e-4)
    assert found["hamming"] == pytest.approx(float(lr.metrics.hamming_distance(traj)[-1]), abs=1e-9)
    assert found["distance"] == pytest.approx(float(lr.metrics.kernel_distance(traj)[-1]), abs=1e-7)
    theta = np.array(found["theta"]).reshape(-1, 3)
    assert np.max(np.abs(theta[:, :2] * theta[:, 2:] - np.asarray(traj.end.W * traj.end.a[:, None]))) < 1e-4


def test_points_that_were_moved_are_moved_in_the_copied_lines(visit):
    page = visit()
    given = {"tau": 0.3, "delta": 0.5, "moved": {"3": [0.5, -0.25], "0": [1, 1]}}
    scope = {}
    exec(page.ask(PYTHON, ["relu", given]).split("traj =")[0], scope)
    script = "(given) => lazyrich.rooms.relu.numbers(lazyrich.stateOf('relu', given), lazyrich.tables.plane)"
    W, a = scope["flow"].vector_field(scope["flow"].net.layers)
    assert np.allclose(page.ask(script, given)["speed"], np.column_stack([W, a]).ravel(), rtol=0, atol=1e-12)


def test_a_flow_of_ones_own(visit, tmp_path):
    flow = lr.GradientFlow(
        lr.inits.neuron([0.3, -0.2, 0.1], delta=-1.5, sign=-1.0), lr.Problem(2 * np.eye(3), [2.0, 1.0, 0.0])
    )
    page = visit(path=lr.explore(flow).save(tmp_path / "own.html"))
    found = page.ask("lazyrich.current.drawn.found")
    traj = lr.exact(flow, found["times"])
    assert np.allclose(np.linalg.norm(found["beta"], axis=1), np.linalg.norm(traj.beta, axis=1), rtol=0, atol=1e-9)
    assert np.allclose(found["loss"], traj.loss, rtol=0, atol=1e-9)
    assert page.troubles == []


def test_a_relu_network_of_ones_own(visit, tmp_path):
    net = lr.inits.two_layer(jax.random.key(1), 2, 6)
    problem = lr.Problem(np.array([[1.0, 0.0], [0.0, 4.0], [-1.0, 0.5]]), [1.0, -1.0, 0.5], kappa=0.7)
    flow = lr.GradientFlow(net, problem)
    page = visit(path=lr.explore(flow).save(tmp_path / "own.html"))
    assert page.ask("lazyrich.current.drawn.found.students[0].frames[0].loss") == pytest.approx(float(flow.loss(net)))
    theta = page.ask("Array.from(lazyrich.current.drawn.found.students[0].frames[0].theta)")
    assert np.allclose(np.reshape(theta, (6, 3)), np.column_stack([net.W, net.a]))
    text = page.ask("lazyrich.python()").split("traj =")[0]
    scope = {}
    exec(text, scope)
    assert jnp.allclose(scope["flow"].net.W, net.W)
    for mine, theirs in zip(flow.vector_field(net.layers), scope["flow"].vector_field(net.layers), strict=True):
        assert jnp.allclose(mine, theirs)
    speed = page.ask("lazyrich.rooms.relu.numbers(lazyrich.current.state, lazyrich.tables.plane).speed")
    assert np.allclose(np.reshape(speed, (6, 3)), np.column_stack(flow.vector_field(net.layers)), rtol=0, atol=1e-12)
    assert page.tab.locator("fieldset").count() == 1
    assert page.troubles == []


def test_inside_a_notebook(visit, tmp_path):
    made = lr.explore()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><p>a cell</p>{made._repr_html_()}", encoding="utf-8")
    page = visit()
    page.tab.goto((tmp_path / "notebook.html").as_uri())
    inside = page.tab.frame_locator("iframe")
    inside.get_by_role("link", name="Modes").click()
    inside.locator("figure").first.wait_for()
    assert inside.locator("table.plan tr").count() == 4
    assert page.troubles == []
    assert "kB" in repr(made)


def test_the_command(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    out = tmp_path / "page.html"
    for more in ([], ["--no-open"]):
        done = CliRunner().invoke(app, ["explore", "--out", str(out), *more])
        assert done.exit_code == 0, done.output
    assert out.read_text(encoding="utf-8") == lr.explore().html
    assert opened == [out.as_uri()]


def test_modules_that_the_bundle_does_not_understand_are_refused(tmp_path):
    (tmp_path / "a.js").write_text('import x from "./b.js";\n')
    with pytest.raises(ValueError, match=r"a\.js: this way to import or export is not understood: import x"):
        bundle(tmp_path, "a.js")
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = 1;\n')
    with pytest.raises(ValueError, match=r"a\.js imports itself, by way of a\.js, b\.js"):
        bundle(tmp_path, "a.js")


@pytest.mark.slow
def test_the_map_is_that_of_the_library():
    """Its data, and one of its cells, computed anew. (A pair that slides on its kink is counted as rounding has it.)"""
    from lazyrich.explorer.relu_students import DATA_FILE, N_POINTS, SEED, STUDENT_WIDTH, TEACHER_WIDTH, compute_student

    table = json.loads(DATA_FILE.read_text(encoding="utf-8"))
    student, problem, teacher = lr.inits.teacher_student(
        jax.random.key(SEED), 2, STUDENT_WIDTH, TEACHER_WIDTH, N_POINTS
    )
    assert np.allclose(table["points"], np.column_stack([problem.X, problem.y]), rtol=1e-12)
    assert np.allclose(np.array(table["base"])[:, :2], student.W[: STUDENT_WIDTH // 2], rtol=1e-12)
    assert np.allclose(table["teacher"], np.column_stack([teacher.W, teacher.a]))
    i, j = 0, 6
    found = compute_student(table["tau"][j], table["delta"][i])
    for name, rows in table["maps"].items():
        slack = 2e-3 if name == "hamming_distance" else 1e-5
        assert rows[i][j] == pytest.approx(found[name], rel=0.01, abs=slack), name


def test_a_student_ends_where_the_map_says(visit):
    page = visit("room=relu")
    script = """([i, j]) => {
      const { rooms, tables, flow } = lazyrich, { begin, measured, points, reference } = rooms.relu, { plane } = tables;
      const data = points({ moved: {} }, plane), theta = begin(plane, plane.tau[i], plane.delta[j]);
      const start = reference(theta, data), run = flow(theta, data);
      for (let t = 0; t < plane.end * (1 - 1e-12); ) t += run.advance(plane.end - t);
      const { distance, hamming } = measured(theta, start, data);
      return [distance, plane.maps.kernel_distance[j][i], hamming, plane.maps.hamming_distance[j][i]];
    }"""
    for place in ([0, 6], [0, 12], [4, 9]):
        distance, mapped, hamming, counted = page.ask(script, place)
        assert distance == pytest.approx(mapped, rel=0.02), place
        assert hamming == pytest.approx(counted, abs=2e-3), place
