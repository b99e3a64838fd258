"""The phase diagram: cells, the diagram as a function and a command, and the facts it must show."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import typer
import xarray
from matplotlib.contour import ContourSet
from typer.testing import CliRunner

import lazyrich as lr
from lazyrich import phase
from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich.cli import _parse_values, app

SMALL = phase.StudentSetup(d=12, width=12, teacher_width=2, n=60, test=500)


def student(tau, delta, seed=0, n=60):
    problem, points, labels = phase._problem_and_test_data(seed, 12, 2, n, 500, 0.0)
    start = phase._make_student(jnp.asarray(seed), 12, 12, jnp.asarray(tau), jnp.asarray(delta), 0.0)
    return lr.GradientFlow(start, problem), points, labels


def test_single_precision_follows_the_flow():
    """Against RKC in double precision at a tight tolerance. (The kernel distance of so small a set jumps with every
    pair that chatters on its kink; the benchmark compares it where it is measured.)"""
    for tau, delta in ((0.3, 0.0), (1.0, -1.0), (1.0, 1.0)):
        flow, points, labels = student(tau, delta)
        end = 100 / tau**2
        quick = lr.integrate(flow, [end / 2, end], precision="single", rtol=1e-2)
        assert quick.by.method == "RKC in float32"
        assert quick.stats["gradients"] < 2000
        fine = lr.integrate(flow, [end / 2, end], solver=lr.RKC(), rtol=1e-4)
        for i in range(2):
            ours, true = (phase.measure(t[i], flow.net, flow.problem, points, labels) for t in (quick, fine))
            np.testing.assert_allclose(float(ours["test_error"]), float(true["test_error"]), rtol=0.05)
            np.testing.assert_allclose(float(ours["parameter_distance"]), float(true["parameter_distance"]), rtol=0.005)


def test_single_precision_gives_way_to_double_where_it_shows():
    flow, *_ = student(2.0, 0.0, n=8)
    traj = lr.integrate(flow, [1e5], precision="single", until=lr.LossBelow(1e-15))
    assert "in float64 from t = " in traj.by.detail
    assert float(traj.loss[-1]) <= 1e-15
    assert "the loss is at most 1e-15 at t = " in traj.stop_reason
    linear = lr.GradientFlow(lr.inits.neuron([0.1, 0.2]), lr.Problem(jnp.eye(2), [1.0, 2.0]))
    quick, fine = (lr.integrate(linear, [0.0, 1.0, 5.0], precision=p) for p in ("single", "double"))
    np.testing.assert_allclose(quick.beta, fine.beta, atol=0.02)


def test_single_precision_refuses():
    flow, *_ = student(1.0, 0.0)
    with pytest.raises(ValueError, match="'double' or 'single'"):
        lr.integrate(flow, [1.0], precision="half")
    with pytest.raises(ValueError, match="its own solver"):
        lr.integrate(flow, [1.0], precision="single", solver=lr.RKC())
    with pytest.raises(ValueError, match="cannot be traced"):
        jax.jit(lambda t: lr.integrate(flow, jnp.array([t]), precision="single").loss)(1.0)
    with pytest.raises(ValueError, match="LossBelow"):
        lr.integrate(flow, [1.0], precision="single", until=lr.GradientBelow(1e-3))
    with pytest.raises(lr.IntegrationError, match="stopped after 12 steps") as error:
        lr.integrate(flow, [1e4], precision="single", max_steps=12)
    assert 0 < float(error.value.trajectory.times[-1]) < 1e4


def test_the_metrics_are_those_of_the_library():
    flow, points, labels = student(0.5, -0.3)
    net = lr.integrate(flow, [50.0], precision="single")[-1]
    found = phase.measure(net, flow.net, flow.problem, points, labels)
    X = flow.problem.X
    checks = {
        "kernel_distance": lr.metrics.kernel_distance(net, flow.net, X),
        "hamming_distance": lr.metrics.hamming_distance(net, flow.net, X),
        "parameter_distance": lr.metrics.parameter_distance(net, flow.net),
        "train_loss": jnp.mean((net(X) - flow.problem.y) ** 2),
        "test_error": jnp.mean((net(points.astype(float)) - labels) ** 2),
    }
    for name, value in checks.items():
        np.testing.assert_allclose(float(found[name]), float(value), rtol=1e-4)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    out = tmp_path_factory.mktemp("phase")
    data = phase.phase_diagram([0.1, 2.0], [-1.0, 0.0, 1.0], seeds=3, out=out, engine="serial", setup=SMALL)
    return out, data


def test_the_facts_of_the_diagram(small):
    """kunin2024, figure 1: lazy at large τ whatever δ; at small τ balanced and upstream networks move their
    activations, downstream ones hardly; upstream changes the kernel most for the least movement of the parameters."""
    out, data = small
    mean = data.mean("seed")
    lazy, rich = mean.sel(tau=2.0), mean.sel(tau=0.1)
    assert float(lazy["kernel_distance"].max()) < 0.02
    assert float(rich["kernel_distance"].sel(delta=[0.0, 1.0]).min()) > 5 * float(lazy["kernel_distance"].max())
    assert float(rich["hamming_distance"].sel(delta=-1.0)) < 0.6 * float(rich["hamming_distance"].sel(delta=1.0))
    efficiency = rich["kernel_distance"] / rich["parameter_distance"]
    assert float(efficiency.sel(delta=1.0)) > 1.5 * float(efficiency.sel(delta=[-1.0, 0.0]).max())
    assert float(rich["test_error"].sel(delta=1.0)) < 0.7 * float(lazy["test_error"].min())
    assert (out / "phase.png").stat().st_size > 10_000
    on_disk = xarray.open_zarr(out / "data.zarr", consolidated=False).load()
    xarray.testing.assert_equal(on_disk, data)


def test_the_picture_says_what_is_missing_and_shows_no_spread_of_one_seed(small):
    _, data = small
    heat_maps = 2 * len(phase.METRICS)  # each has its color bar
    assert len(phase.plot(data).axes) == 2 * heat_maps
    one = phase.plot(data.isel(seed=[0]))
    assert len(one.axes) == heat_maps
    assert (one.get_suptitle(), phase.plot(data).get_suptitle()) == ("1 seed", "3 seeds")
    assert not any(axes.patch.get_hatch() for axes in one.axes)
    half = phase.plot(data.where(data["tau"] < 1))
    assert half.get_suptitle() == "3 seeds; 9 of 18 cells so far; hatched: missing"
    assert sum(axes.patch.get_hatch() is not None for axes in half.axes) == heat_maps


def test_lazy_and_rich_are_marked_where_they_are():
    tau, delta = np.geomspace(0.1, 2, 9), np.linspace(-1, 1, 5)
    S = np.broadcast_to(0.3 * (0.1 / tau[:, None, None]) ** 1.5, (9, 5, 1))
    data = xarray.Dataset(
        {"kernel_distance": (("tau", "delta", "seed"), S), "test_error": (("tau", "delta", "seed"), S)},
        {"tau": tau, "delta": delta, "seed": [0]},
    )
    error, distance, *_ = phase.plot(data).axes
    assert not error.texts
    places = {text.get_text(): 10 ** text.get_position()[0] for text in distance.texts}
    measured = {word: 0.3 * (0.1 / place) ** 1.5 for word, place in places.items()}
    assert measured["lazy"] < LAZY["kernel"] < RICH < measured["rich"]
    lines = [each for each in distance.collections if isinstance(each, ContourSet)]
    crossed = [10 ** np.mean(line.get_paths()[0].vertices[:, 0]) for line in lines]
    assert crossed == pytest.approx([0.1 * (0.3 / level) ** (2 / 3) for level in (LAZY["kernel"], RICH)], rel=0.1)
    plain = phase.plot(data.where(data["kernel_distance"] > 2))  # nothing is known: no words
    assert not plain.axes[1].texts


def test_whether_the_students_learned(small):
    _, data = small
    learned = phase.summarize_fits(data)
    assert learned == (18, int(data["fitted"].sum()), float(data["train_loss"].max()))
    half = phase.summarize_fits(data.where(data["tau"] < 1))
    assert (half.students, half.fitted) == (9, int(data["fitted"].sel(tau=0.1).sum()))
    assert phase.summarize_fits(data.where(data["tau"] < 0)) is None


def test_students_of_a_seed_differ_in_scale_alone():
    one, two = (
        phase._make_student(jnp.asarray(3), 5, 6, jnp.asarray(t), jnp.asarray(d), 0.0) for t, d in ((1, 0), (0.2, -0.7))
    )
    ratio = np.asarray(two.W / one.W)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-12)
    student, problem, _ = lr.inits.teacher_student(jax.random.key(3), 5, 6, 3, 10, 0.2, -0.7)
    np.testing.assert_allclose(student.W, two.W, rtol=1e-12)
    np.testing.assert_allclose(phase._problem_and_test_data(3, 5, 3, 10, 4, 0.0)[0].y, problem.y, rtol=1e-12)


def test_bad_diagrams_are_refused(tmp_path):
    with pytest.raises(ValueError, match="width must be even"):
        phase.StudentSetup(width=3)
    with pytest.raises(ValueError, match="n must be a whole number"):
        phase.StudentSetup(n=0)
    with pytest.raises(ValueError, match="tau must be positive"):
        phase.phase_diagram([1.0, 0.0], [0.0], out=tmp_path)
    with pytest.raises(TypeError, match="values of 'delta' must be finite numbers"):
        phase.phase_diagram([1.0], [np.nan], out=tmp_path)
    with pytest.raises(ValueError, match="slope must be at most 1 and finite"):
        phase.StudentSetup(negative_slope=-np.inf)


def test_the_command(tmp_path, small):
    arguments = ["phase", "--out", str(tmp_path / "p"), "--tau", "0.5:1:2", "--delta", "0", "--seeds", "1"]
    sizes = ["--engine=serial", "--d=12", "--width=12", "--teacher-width=2", "--n=60", "--test=500"]
    done = CliRunner().invoke(app, [*arguments, *sizes])
    assert done.exit_code == 0, done.output
    words = " ".join(done.output.split())
    assert "2 × 1 × 1 = 2 students" in words
    assert "2 of 2 cells done" in words
    assert "of 2 students reached --stop 1e-10" in words
    assert f"Data: lazyrich.sweep.load('{tmp_path / 'p'}')" in words
    assert phase.summarize_fits(lr.sweep.load(tmp_path / "p")).students == 2
    assert (tmp_path / "p" / "phase.png").exists()
    more = CliRunner().invoke(app, [*arguments[:-1], "2", *sizes])  # only the new seed is computed
    assert "4 of 4 cells done" in " ".join(more.output.split())
    bent = CliRunner().invoke(app, [*arguments[:2], str(tmp_path / "r"), *arguments[3:], "--negative-slope", "2"])
    assert bent.exit_code == 1
    assert "slope must be at most 1" in bent.output
    bad = CliRunner().invoke(app, ["phase", "--out", str(tmp_path / "q"), "--tau", "0:1:3"])
    assert bad.exit_code == 2
    assert "--tau: needs positive numbers; found '0:1:3'" in bad.output
    backwards = CliRunner().invoke(app, ["phase", "--out", str(tmp_path / "q"), "--steps", "-5"])
    assert backwards.exit_code == 2
    assert "'--steps': needs a positive number; found -5" in backwards.output


def test_edges():
    """A fit in the very last step counts; a loss that is exactly zero goes on; one save is the end."""
    found = phase.train_student(1.0, 0.0, 0, phase.StudentSetup(d=5, width=20, n=8, test=10, stop=1e-6, time=5.78))
    assert found["fitted"] == (found["train_loss"] <= 1e-6)
    silent = lr.GradientFlow(lr.TwoLayer([[1.0, 0.5], [1.0, 0.5]], [1.0, -1.0]), lr.Problem([[1.0, 0.0]], [0.0]))
    assert float(lr.integrate(silent, [1.0], precision="single").times[-1]) == 1.0
    np.testing.assert_allclose(phase.planar_student(1.0, 0.0, width=4, n=5, time=1.0, saves=1).times, [0.0, 1.0])


def test_ranges():
    np.testing.assert_allclose(_parse_values("--tau", "0.1:10:3", "log"), [0.1, 1, 10])
    np.testing.assert_allclose(_parse_values("--delta", "-1:1:3", "linear"), [-1, 0, 1])
    assert _parse_values("--tau", "0.5,2", "log") == [0.5, 2.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(
            (text, "start:stop:count, or numbers with commas")
            for text in ("", ":", "1:2", "1:2:", "1:2:3:4", "a:b:c", "1,,2")
        ),
        *((text, "finite numbers") for text in ("nan", "1,inf", "1:inf:3")),
        *((text, "positive numbers") for text in ("0:1:3", "1,-1")),
        *((text, "a count of at least 2") for text in ("1:2:0", "1:2:1")),
        ("1:1:0", "a count of at least 1"),
    ],
)
def test_ranges_that_are_none(text, words):
    with pytest.raises(typer.BadParameter, match=f"needs {words}; found") as error:
        _parse_values("--tau", text, "log")
    assert error.value.param_hint == "--tau"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--delta", "0:1:1000000000"],
            "has 1,000,000,000 values; at most 1,000,000 are taken on: --max-cells raises that",
        ),
        (["--tau", "0.1:1:1000000000"], "has 1,000,000,000 values"),
        (["--delta", "0:1:30", "--max-cells", "20"], "has 30 values; at most 20"),
        (["--seeds", "1000000000"], "17 (tau) × 17 (delta) × 1,000,000,000 (seed) = 289,000,000,000 cells; at most"),
        (["--delta", "0:1:2000", "--tau", "1:2:1000"], "= 32,000,000 cells; at most 1,000,000"),
        (["--delta", "0,1", "--tau", "1", "--seeds", "2", "--max-cells", "3"], "= 4 cells; at most 3"),
    ],
)
def test_diagrams_of_absurd_size_are_refused_at_once(tmp_path, arguments, words):
    done = CliRunner().invoke(app, ["phase", "--out", str(tmp_path / "p"), *arguments], env={"COLUMNS": "400"})
    assert done.exit_code in (1, 2)
    assert words in " ".join(done.output.split())
    assert not (tmp_path / "p").exists()


def test_a_diagram_of_absurd_size_is_refused_at_once(tmp_path):
    with pytest.raises(ValueError, match="1,000,000,000 cells; at most 1,000,000"):
        phase.phase_diagram(range(1, 10**9 + 1), [0.0], seeds=1, out=tmp_path / "p")


def test_a_student_on_infinitely_many_points():
    """The same teacher and start as with samples; many samples give nearly the same student."""
    common = {"d": 5, "width": 6, "teacher_width": 2, "time": 20.0, "negative_slope": 0.0}
    exact = phase.train_student(0.7, -0.5, 1, phase.StudentSetup(**common, population=True))
    many = phase.train_student(0.7, -0.5, 1, phase.StudentSetup(**common, n=5000, test=20_000, rtol=1e-3))
    few = phase.train_student(0.7, -0.5, 1, phase.StudentSetup(**common, n=10, test=20_000, rtol=1e-3))
    assert exact["train_loss"] == exact["test_error"]
    for name in ("test_error", "kernel_distance", "hamming_distance", "parameter_distance"):
        assert abs(many[name] / exact[name] - 1) < 0.1, name
    assert few["test_error"] > 1.5 * exact["test_error"]


def test_students_with_weight_decay():
    """The cell's own student, integrated in double precision with the decay; and older folders keep their arguments."""
    setup = phase.StudentSetup(d=12, width=12, teacher_width=2, n=60, test=500, time=20.0, decay=0.05)
    found = phase.train_student(1.0, 0.0, 0, setup)
    flow, points, labels = student(1.0, 0.0)
    traj = lr.integrate(lr.GradientFlow(flow.net, flow.problem, decay=0.05), [20.0])
    np.testing.assert_allclose(found["train_loss"], float(traj.loss[-1]), rtol=0.05)
    np.testing.assert_allclose(found["test_error"], float(np.mean((traj[-1](points) - labels) ** 2)), rtol=0.05)
    assert found["train_loss"] > 10 * phase.train_student(1.0, 0.0, 0, SMALL)["train_loss"]
    assert not found["fitted"]
    assert "decay" not in phase._sweep_arguments(SMALL)
    assert phase._sweep_arguments(setup)["decay"] == 0.05
    with pytest.raises(ValueError, match="decay must be 0 or positive; found -1"):
        phase.StudentSetup(decay=-1.0)
