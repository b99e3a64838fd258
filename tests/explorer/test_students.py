"""Students that train on the page, against `lr.integrate` from kink to kink, over a grid of (τ, δ).

`python tests/explorer/test_students.py` computes students.json anew (a minute).
"""

import json
from itertools import pairwise
from pathlib import Path

import jax
import numpy as np
import pytest

import lazyrich as lr
from lazyrich.explorer.relu_students import N_POINTS, SEED, STUDENT_WIDTH, TEACHER_WIDTH

pytestmark = pytest.mark.xdist_group("browser")
FILE = Path(__file__).parent / "students.json"
TIMES = [0.3, 1.0, 10.0, 100.0]
GRID = [(tau, delta) for tau in (0.1, 0.3, 1.0, 2.0) for delta in (-1.0, -0.5, 0.0, 0.5, 1.0)]
QUICK = (0.1, -0.5)
ON = 1e-9  # a pair of neuron and point that slides on its kink is neither active nor not: it is counted as not
TRAIN = """([states, times]) => states.map(([tau, delta]) => {
  const { rooms, tables, flow } = lazyrich, { points, begin, reference, measured } = rooms.relu;
  const data = points({ moved: {} }, tables.plane), theta = begin(tables.plane, tau, delta);
  const start = reference(theta, data), run = flow(theta, data);
  let t = 0;
  return times.map((end) => {
    for (let calls = 0; t < end * (1 - 1e-12) && calls < 1000; calls++) t += run.advance(end - t);
    return { t, ...measured(theta, start, data), ...run.seen };
  });
})"""


def computed(tau, delta):
    """Loss, Hamming and kernel distance at each time: by `integrate`, then NumPy."""
    student, problem, _ = lr.inits.teacher_student(
        jax.random.key(SEED), 2, STUDENT_WIDTH, TEACHER_WIDTH, N_POINTS, tau, delta
    )
    flow = lr.GradientFlow(student, lr.Problem(problem.X, problem.y, kappa=2 / N_POINTS))
    traj = lr.integrate(flow, np.array(TIMES))
    X = np.asarray(problem.X)

    def seen(W, a):
        z = X @ W.T
        active = z > ON * np.linalg.norm(X, axis=1)[:, None] * np.linalg.norm(W, axis=1)
        hidden = np.where(active, z, 0.0)
        return active, hidden @ hidden.T + (active * a**2) @ active.T * (X @ X.T)

    first, K0 = seen(np.asarray(student.W), np.asarray(student.a))
    rows = []
    for W, a, loss in zip(np.asarray(traj.nets.W), np.asarray(traj.nets.a), np.asarray(traj.loss), strict=True):
        active, K = seen(W, a)
        S = 1 - np.sum(K * K0) / np.linalg.norm(K) / np.linalg.norm(K0)
        rows.append([float(f"{v:.7g}") for v in (loss, np.mean(active != first), S)])
    return rows


@pytest.mark.parametrize("taus", [(0.1, 0.3, 1.0), pytest.param((2.0,), marks=pytest.mark.slow)])
def test_students_learn_on_the_page_what_they_learn_in_python(visit, taus):
    """The loss to a part in ten thousand, S to 1e-6, and not one activation more or less."""
    page, stored = visit("room=relu"), json.loads(FILE.read_text(encoding="utf-8"))
    grid = [cell for cell in GRID if cell[0] in taus]
    found = dict(zip(grid, page.ask(TRAIN, [grid, TIMES]), strict=True))
    for (tau, delta), rows in found.items():
        for row, (loss, hamming, distance) in zip(rows, stored[f"{tau}, {delta}"], strict=True):
            where = f"τ = {tau}, δ = {delta}, t = {row['t']}"
            assert row["loss"] == pytest.approx(loss, rel=1e-4), where
            assert row["hamming"] == pytest.approx(hamming, abs=1e-9), where
            assert row["distance"] == pytest.approx(distance, abs=1e-6), where
    assert page.troubles == []
    if 0.1 in taus:  # far upstream: half of the neurons come to rest at w = 0, and wake
        assert (found[0.1, 1.0][-1]["rested"], found[0.1, 1.0][-1]["forks"]) == (20, 20)


STRANGE = """() => {
  const { tables, flow, rooms } = lazyrich, { begin, measured, reference } = rooms.relu, points = tables.plane.points;
  const strange = {
    equal: ([, , y]) => [0.5, 0.3, y],
    zero: ([, , y]) => [0, 0, y],
    line: ([, , y], i) => [(i - 10) / 5, (i - 10) / 5, y],
    antipodal: ([x1, x2, y], i) => (i % 2 ? [-points[i - 1][0], -points[i - 1][1], y] : [x1, x2, y]),
    twice: (point, i) => (i < 10 ? points[0] : point),
    huge: ([x1, x2, y]) => [100 * x1, 100 * x2, y],
    tiny: ([x1, x2, y]) => [1e-9 * x1, 1e-9 * x2, y],
  };
  return Object.entries(strange).flatMap(([name, change]) => [[0.1, 1], [0.02, 100], [20, -100]].map(([tau, delta]) => {
    const data = points.flatMap(change), theta = begin(tables.plane, tau, delta), start = reference(theta, data);
    const run = flow(theta, data), losses = [measured(theta, start, data).loss];
    for (let i = 0; i < 4; i++) {
      run.advance(10);
      losses.push(measured(theta, start, data).loss);
    }
    return [`${name}, τ = ${tau}`, theta.every(Number.isFinite), measured(theta, start, data).distance, losses];
  }));
}"""


WILD = """([theta, data]) => [1e-6, 1, 1e6].map((kappa) => {
  const own = Float64Array.from(theta), run = lazyrich.flow(own, data, kappa);
  for (let i = 0; i < 20; i++) run.advance(100 / kappa);
  return own.every(Number.isFinite);
})"""


def test_the_largest_weights_that_are_taken_train_without_overflow(visit):
    theta, data = [1000, 1000, 1000, -1000, 3, -1000, 5, -1000, 1000], [100, 0, 100, 0, -100, -100, 70, 70, 3]
    assert visit("room=relu").ask(WILD, [theta, data]) == [True] * 3


def test_on_strange_points_training_stays_finite_and_goes_downhill(visit):
    """Points that are equal, at zero, on one line, opposite, twice the same, huge, tiny."""
    page = visit("room=relu")
    for name, finite, distance, losses in page.ask(STRANGE):
        assert finite, name
        assert 0 <= distance <= 1, name
        assert all(later <= earlier * (1 + 1e-6) + 1e-14 for earlier, later in pairwise(losses)), name


@pytest.mark.parametrize("cell", [QUICK, *(pytest.param(c, marks=pytest.mark.slow) for c in GRID if c != QUICK)])
def test_what_is_stored_is_what_integrate_gives(cell):
    stored = json.loads(FILE.read_text(encoding="utf-8"))["{}, {}".format(*cell)]
    assert np.allclose(stored, computed(*cell), rtol=1e-5, atol=1e-9)


if __name__ == "__main__":
    lines = ",\n".join(f'  "{tau}, {delta}": {json.dumps(computed(tau, delta))}' for tau, delta in GRID)
    FILE.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
