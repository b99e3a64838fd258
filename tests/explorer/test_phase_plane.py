"""The map of students on infinite data: its equations, its table, and what the page reads from it."""

import numpy as np
import pytest

import lazyrich as lr
from lazyrich.explorer.front import load_json
from lazyrich.explorer.population_map import (
    ANGLES,
    CODE,
    DELTAS,
    HEIGHT,
    LEAST,
    METRICS,
    MOST,
    TAUS,
    TIMES,
    compute_cell,
    decode,
    encode,
    follow,
    start,
    velocity,
)
from tests.explorer.test_numbers import close

pytestmark = pytest.mark.xdist_group("browser")


def test_the_flow_is_that_of_the_population():
    """Random students and teachers, and units that point the same way or opposite ones."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        W, a, V, b = rng.normal(size=(6, 2)), rng.normal(size=6), rng.normal(size=(3, 2)), rng.normal(size=3)
        W[1], W[2] = 2 * W[0], -W[0]
        flow = lr.GradientFlow(lr.TwoLayer(W, a), lr.Population(lr.TwoLayer(V, b), inputs="sphere", kappa=2.0))
        for mine, theirs in zip(velocity(W, a, V, b), flow.vector_field(flow.net.layers), strict=True):
            close(mine, theirs, 1e-7)  # arccos near ±1


@pytest.mark.slow
@pytest.mark.parametrize("scales", [(0.1, 0.0), (0.5, 0.5), (0.3, -1.0)])
def test_students_learn_what_integrate_says(scales):
    W, a, V, b = start(*scales)
    student, times = lr.TwoLayer(W, a), TIMES[:5]
    flow = lr.GradientFlow(student, lr.Population(lr.TwoLayer(V, b), inputs="sphere", kappa=2.0))
    traj, cell = lr.integrate(flow, times, rtol=1e-7), compute_cell(*scales)
    for i, (now, _) in enumerate(follow(W, a, V, b, times)):
        close(now, traj.nets.W[i], 1e-2)
        assert cell["test_error"][i] == pytest.approx(float(traj.loss[i]), rel=0.03)
        assert cell["kernel_distance"][i] == pytest.approx(
            float(lr.metrics.population_kernel_distance(traj[i], student)),
            rel=0.05,
            abs=1e-4,  # by 180 points, where kernels jump
        )


def test_the_stored_map_is_what_is_computed():
    """One cell anew, up to the rounding of the table."""
    table, (i, j) = load_json("data/population.json"), (8, 11)
    assert (table["tau"], table["delta"], tuple(table["times"])) == (TAUS.tolist(), DELTAS.tolist(), TIMES)
    cell, at, step = compute_cell(float(TAUS[i]), float(DELTAS[j])), j * len(TAUS) + i, 1 / (len(CODE) - 1)
    for name in METRICS:
        stored = [decode(table["maps"][name][n])[at] for n in range(len(TIMES))]
        wanted = np.log(np.maximum(cell[name], LEAST) / LEAST) / np.log(MOST / LEAST)
        assert np.allclose(stored, wanted, atol=0.6 * step), name
    stored = np.array([decode(text).reshape(-1, ANGLES)[at] for text in table["functions"]])
    assert np.allclose((2 * stored - 1) * HEIGHT, cell["function"], atol=1.2 * HEIGHT * step)


def test_numbers_survive_being_encoded():
    shares = np.linspace(0, 1, len(CODE))
    assert np.allclose(decode(encode(shares)), shares, atol=1e-12)
    assert decode(encode([-1, 2])).tolist() == [0, 1]


def test_the_page_reads_the_table(visit):
    """At the times of the table its values, in between on logarithms; functions of the nearest cell."""
    page, table = visit("room=relu"), load_json("data/population.json")
    rows, span = len(TAUS), np.log(MOST / LEAST)
    for name in METRICS:
        stored = [LEAST * np.exp(span * decode(text)).reshape(-1, rows) for text in table["maps"][name]]
        ask = "([name, t]) => lazyrich.slice(lazyrich.tables.population, name, t).map((row) => Array.from(row))"
        for n, t in enumerate(TIMES):
            close(page.ask(ask, [name, t]), stored[n])
        close(page.ask(ask, [name, np.sqrt(TIMES[2] * TIMES[3])]), np.sqrt(stored[2] * stored[3]))
    found = page.ask("lazyrich.learned(lazyrich.tables.population, 0.5, -0.42, 11)")
    i, j, n = (np.argmin(np.abs(each)) for each in (np.log(TAUS / 0.5), DELTAS + 0.42, np.log(np.array(TIMES) / 11)))
    assert (found["tau"], found["delta"], found["time"]) == (TAUS[i], DELTAS[j], TIMES[n])
    close(found["values"], (2 * decode(table["functions"][n]).reshape(-1, ANGLES)[j * rows + i] - 1) * HEIGHT)


def test_the_pointer_shows_what_a_student_learned_and_a_click_replays_it(visit):
    page = visit("room=relu&second=0", motion="no-preference")
    box = page.tab.locator("figure").first.locator("canvas").bounding_box()
    page.tab.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.4 * box["height"])
    page.wait("lazyrich.current.drawn.found.cell")
    cell = page.ask("lazyrich.current.drawn.found.cell")
    page.tab.mouse.down()
    page.tab.mouse.up()
    state = page.ask("lazyrich.current.state")
    assert state["tau"] == pytest.approx(cell["tau"], rel=0.15)
    assert state["delta"] == pytest.approx(cell["delta"], abs=0.1)
    page.wait("lazyrich.current.drawn.found.students[0].frames.length > 5")
    page.tab.mouse.move(5, 5)
    page.wait("!lazyrich.current.drawn.found.cell")
    assert page.troubles == []


SAID = """(students) => students.map(([tau, delta]) => {
  lazyrich.open("relu", { tau, delta, second: 0 });
  lazyrich.paint();
  const student = lazyrich.current.drawn.found.students[0], said = [];
  for (let t = 0.01; t < 300; t *= 1.5) {
    for (let calls = 0; student.t < t * (1 - 1e-9) && calls < 2000; calls++) student.train(t);
    student.keep();
    lazyrich.paint();
    said.push(lazyrich.current.drawn.facts[0][1].replace("first student: ", "").split(/[ ,]/)[0]);
  }
  return said;
})"""


def test_no_student_is_called_lazy_before_it_is_rich(visit):
    """Nor before it ends in between: (0.27, 0.5) has S below 0.01 when 7 % of its loss are left."""
    rich, between, lazy = visit("room=relu").ask(SAID, [[0.1, 0], [0.27, 0.5], [0.3, -1]])
    assert "lazy" not in rich
    assert rich[-1] == "rich"
    assert "lazy" not in between
    assert between[-1] == "in"
    assert lazy[-1] == "lazy"


def test_the_kernel_and_its_distance_are_defined_where_they_are_shown(visit):
    page = visit()
    shown = []
    for room in page.ask("Object.keys(lazyrich.rooms)"):
        page.ask("(room) => { lazyrich.open(room); lazyrich.paint(); }", room)
        if "ernel distance" in page.ask("document.getElementById('pictures').innerText"):
            shown.append(room)
            about = page.ask("document.getElementById('about').innerText")
            assert "K(x, x′) = ∇f(x)·∇f(x′)" in about, room
            assert "S = 1 − cos(K, K₀)" in about, room
    assert shown == ["neuron", "modes", "relu", "network"]


def test_claims_are_links_to_their_pages(visit):
    page = visit("room=stories")
    for card in page.tab.locator("#panels article a").all():
        name = card.inner_text()
        assert card.get_attribute("href").endswith(f"verdicts/claims/{name}.html")
    assert page.tab.locator("#panels article a").count() >= 25
    page.ask("lazyrich.open('neuron', {}, 'saddle')")
    address = page.tab.locator("#story a").get_attribute("href")
    assert address.endswith("verdicts/claims/kunin2024/balanced-saddle.html")
