import hashlib
import io
import json
import os
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import NETWORKS, distance, make_problem

import lazyrich as lr
from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich._io import npz_file

FLOW = lr.GradientFlow(lr.inits.neuron([0.3, 0.1], delta=-0.5), lr.Problem(np.eye(2), [1.0, 2.0]), (1.0, 0.5))
TIMES = np.linspace(0, 3, 31)


@pytest.fixture(scope="module")
def traj():
    return lr.integrate(FLOW, TIMES)


def test_a_place_that_cannot_be_written_is_named_as_it_was_asked(tmp_path, traj, monkeypatch):
    def refused(dir, prefix, suffix):
        raise PermissionError(13, "Permission denied", f"{dir}/{prefix}x{suffix}")

    (tmp_path / "folder").mkdir()
    for path, kind in ((tmp_path / "folder", IsADirectoryError), (tmp_path / "t.npz", PermissionError)):
        with pytest.raises(kind) as error:
            traj.save(path)
        assert (error.value.filename, ".tmp" in str(error.value)) == (str(path), False)
        monkeypatch.setattr(npz_file.tempfile, "mkstemp", refused)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_indexing(traj):
    assert len(traj) == 31
    assert distance(traj[0], FLOW.net) == 0
    assert distance(traj[-1], traj.end) == 0
    part = traj[10:20]
    assert isinstance(part, lr.Trajectory)
    assert np.allclose(part.times, TIMES[10:20])
    assert distance(part[0], traj[10]) == 0
    assert len(traj[[0, 5]]) == 2
    assert distance(traj[jnp.argmin(traj.loss)], traj[30]) == 0
    assert len(traj[TIMES > 1]) == np.sum(TIMES > 1)
    with pytest.raises(IndexError, match="31 times; index 31 is outside"):
        traj[31]
    assert len(traj[0, 5]) == 2
    assert len(traj[[]]) == 0
    for index in ([0, 31], -32, "a", 1.5, None, [[0], [1, 2]], slice(0.5, 2)):  # jax would take the nearest
        with pytest.raises(IndexError, match=r"31 times; index .* is outside"):
            traj[index]
    for index in (True, [[0, 1]]):
        with pytest.raises(IndexError, match="a trajectory has one axis, time; found the index"):
            traj[index]


def test_what_it_carries(traj):
    assert traj.beta.shape == (31, 2)
    assert distance(traj.outputs, traj.beta) < 1e-15  # X = I
    assert distance(traj.loss, 0.5 * jnp.sum((traj.beta - jnp.array([1.0, 2.0])) ** 2, axis=1)) < 1e-15
    assert traj.by.kind == "integrated"
    assert "Dopri8" in str(traj.by)
    assert "Trajectory(DeepLinear, 31 times 0 … 3, integrated by Dopri8" in repr(traj)
    assert "Trajectory(DeepLinear, 1 time 3 … 3, " in repr(traj[[-1]])


def test_interpolation(traj):
    for time in (0.0, 0.05, 1.234, 3.0):
        exact = lr.integrate(FLOW, [time])[0]
        assert distance(traj.at(time).layers, exact.layers) < 1e-5
    coarse, fine = (lr.integrate(FLOW, np.linspace(0, 3, n)) for n in (11, 21))
    dense = lr.integrate(FLOW, np.linspace(0, 3, 61))
    errors = [
        max(distance(t.at(time).layers, dense[i].layers) for i, time in enumerate(dense.times)) for t in (coarse, fine)
    ]
    assert errors[1] < errors[0] / 8  # fourth order
    with pytest.raises(ValueError, match="time 4 is outside the trajectory, which runs from 0 to 3"):
        traj.at(4.0)
    assert distance(traj[:1].at(0.0), FLOW.net) == 0


def test_exact_trajectories_are_exact_between_their_times():
    flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.1], -1.0), lr.Problem(np.eye(2), [0.0, 1.0]))
    for times, time in (([0.0, 1e6], 10.0), ([0.0, 8.0], 4.0), ([1.0, 3.0], 2.0)):
        traj, right = lr.exact(flow, times), lr.exact(flow, [time])[0]
        for found in (traj.at(time), jax.jit(lambda t, traj=traj: traj.at(t))(time), traj[:].at(time)):
            assert distance(found, right) < 1e-13
        for wrong in (times[0] - 0.5, 2 * times[1]):
            with pytest.raises(Exception, match="is outside the trajectory"):
                jax.block_until_ready(jax.jit(lambda t, traj=traj: traj.at(t))(wrong))


def test_interpolation_across_a_wide_gap_stays_between_the_nodes():
    steep = lr.integrate(lr.GradientFlow(lr.inits.neuron([100.0, 0.0]), FLOW.problem), [0.0, 1e3])
    with pytest.raises(ValueError, match="too far apart to interpolate between two of them: integrated"):
        steep.at(500.0)
    with pytest.raises(Exception, match="too far apart to interpolate"):
        jax.jit(lambda t: steep.at(t).beta)(500.0).block_until_ready()
    assert distance(steep.at(1e3), steep.end) == 0
    noisy = lr.diffuse(FLOW, [0.0, 1.0], jax.random.key(0), dt=0.1, drift=False)
    middle = jax.tree.map(lambda a, b: (a + b) / 2, noisy[0].layers, noisy[1].layers)
    assert distance(noisy.at(0.5).layers, middle) < 1e-15


def test_xarray(traj):
    data = traj.to_xarray()
    assert set(data.data_vars) == {"loss", "outputs", "beta", "layer_1", "layer_2"}
    assert data.beta.dims == ("time", "feature")
    assert float(data.loss.sel(time=0)) == pytest.approx(float(traj.loss[0]))
    assert data.attrs["by"] == str(traj.by)


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_save_and_load(tmp_path, name):
    net, rates = NETWORKS[name]
    flow = lr.GradientFlow(net, make_problem(net), rates)
    traj = lr.descend(flow, steps=5, lr=1e-3)
    traj.save(tmp_path / "deep" / "t.npz")
    loaded = lr.Trajectory.load(tmp_path / "deep" / "t.npz")
    assert jax.tree.structure(loaded) == jax.tree.structure(traj)
    assert distance(loaded, traj) == 0
    assert loaded.by == traj.by
    assert distance(loaded.outputs, traj.outputs) == 0
    assert os.listdir(tmp_path / "deep") == ["t.npz"]  # nothing temporary is left


def test_a_damaged_file_is_one_error(tmp_path, traj):
    path = tmp_path / "t.npz"
    traj.save(path)
    whole = path.read_bytes()
    random = np.random.default_rng(0)
    for bit in random.integers(8 * len(whole), size=300):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(
            ValueError, match=r"t\.npz is (damaged: its contents|not a file saved by lazyrich in format 2)"
        ):
            lr.Trajectory.load(path)
    for cut in (0, 1, 63, 64, 91, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match=r"t\.npz is not a file saved by lazyrich in format 2, or not all of it"):
            lr.Trajectory.load(path)
    path.write_bytes(whole + b"\n")
    with pytest.raises(ValueError, match=r"t\.npz is not a file saved by lazyrich"):
        lr.Trajectory.load(path)


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "t.npz"
    for write in (
        lambda: np.savez(path, x=np.ones(3)),
        lambda: np.savez(path, header=np.array({"a": 1}, dtype=object)),  # a pickle is never opened
        lambda: np.savez_compressed(path, header=np.array('{"format": 1, "tree": {"value": 3}}')),
        lambda: path.write_text("times,loss\n0,1\n" * 20),
    ):
        write()
        with pytest.raises(ValueError, match="is not a file saved by lazyrich") as caught:
            lr.Trajectory.load(path)
        assert "pickle" not in str(caught.value)
        assert "Format 1 had none" in str(caught.value)
    with pytest.raises(FileNotFoundError, match=r"missing\.npz"):
        lr.Trajectory.load(tmp_path / "missing.npz")
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        lr.Trajectory.load(tmp_path)


def sealed(path, header, pack=np.savez, **arrays):
    """Write a file with a valid checksum that `save` did not write."""
    pack(path, header=np.array(json.dumps(header)), **arrays)
    body = (
        path.read_bytes()[:-2]
        + (len(npz_file.CHECKSUM_PREFIX) + npz_file.DIGEST_LENGTH).to_bytes(2, "little")
        + npz_file.CHECKSUM_PREFIX
    )
    path.write_bytes(body + hashlib.sha256(body).hexdigest().encode())


def edited(path, change):
    """The saved file with another header or other arrays, sealed again."""
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(str(arrays.pop("header")))
    change(header["fields"], arrays)
    sealed(path, header, **arrays)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f, a: f.pop("times"), "a _SavedTrajectory with the fields"),
        (lambda f, a: f.update(more={"value": 1}), "a _SavedTrajectory with the fields"),
        (lambda f, a: f["flow"].update({"class": "Popen"}), "unknown class Popen; known are"),
        (lambda f, a: f.update(flow={"value": 3}), "a trajectory has a GradientFlow and a dict; found <class 'int'>"),
        (lambda f, a: f.update(stats={"value": 3}), r"a trajectory has a GradientFlow and a dict; .*, <class 'int'>"),
        (lambda f, a: f["by"]["fields"].update(kind={"value": 3}), "is said in words; found"),
        (lambda f, a: f.update(times={"array": "a99"}), "a99"),
        (lambda f, a: f.update(times={"list": []}), "unreadable entry"),
        (lambda f, a: a.update(a0=np.nan * a["a0"]), r"weights\[0\] has 2 entries that are NaN or infinite"),
        (lambda f, a: a.update(a0=np.ones((1, 3))), "the network takes 3 inputs, but X has 2"),
        (lambda f, a: f["times"].update(array="a0"), "times must be finite, and in one row"),
        (lambda f, a: a.update(a7=a["a7"] + np.inf), "times must be finite, and in one row"),
        (lambda f, a: a.update(a7=a["a7"] + 0j), r"times must be finite, and in one row; found complex128 \(31,\)"),
        (lambda f, a: a.update(a7=a["a7"][1:]), r"the layers along time must be float64 of shapes \[\(30, 1, 2\)"),
        (lambda f, a: a.update(a8=a["a8"].astype(np.float32)), "the layers along time must be float64"),
    ],
)
def test_what_is_in_a_file_is_checked(tmp_path, traj, change, reason):
    path = tmp_path / "t.npz"
    traj.save(path)
    edited(path, lambda fields, arrays: None)
    assert distance(lr.Trajectory.load(path), traj) == 0
    edited(path, change)
    with pytest.raises(ValueError, match=rf"t\.npz does not hold what lazyrich saves: .*{reason}"):
        lr.Trajectory.load(path)


def test_a_file_takes_no_more_memory_than_it_is_long(tmp_path):
    path = tmp_path / "t.npz"
    sealed(path, {"value": 3})
    with pytest.raises(ValueError, match="holds a int, not a Trajectory"):
        lr.Trajectory.load(path)
    sealed(path, {"value": 3}, np.savez_compressed, a0=np.zeros(1000))
    with pytest.raises(ValueError, match="compressed, or claim to be larger than the file"):
        lr.Trajectory.load(path)
    part = io.BytesIO()
    np.lib.format.write_array_header_1_0(part, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})

    def announce(path, header):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a0.npy", part.getvalue())

    sealed(path, {"array": "a0"}, announce)
    with pytest.raises(ValueError, match="cannot reshape array of size 0 into shape"):
        lr.Trajectory.load(path)


def test_what_cannot_be_loaded_is_not_saved(tmp_path, traj):
    path = tmp_path / "t.npz"

    class Mine(lr.Square):
        pass

    flow = lr.GradientFlow(FLOW.net, lr.Problem(np.eye(2), [1.0, 2.0], Mine()), FLOW.rates)
    with pytest.raises(TypeError, match="cannot save a Mine: it could not be read again"):
        lr.Trajectory(flow, traj.times, traj.nets, traj.by).save(path)
    many = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), traj)
    with pytest.raises(ValueError, match=r"times must be finite, and in one row; found float64 \(2, 31\)"):
        many.save(path)
    with pytest.raises(ValueError, match="nets must be the flow's network along time; found TwoLayer"):
        lr.Trajectory(FLOW, traj.times, lr.TwoLayer(traj.nets.weights[0][:, 0], traj.times), traj.by).save(path)
    assert os.listdir(tmp_path) == []


def test_a_failed_save_leaves_the_old_file(tmp_path, traj, monkeypatch):
    path = tmp_path / "t.npz"
    traj.save(path)
    before = path.read_bytes()

    def full(*args, **kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no space left"):
        traj.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["t.npz"]


@pytest.mark.parametrize("name", ["wide", "relu", "diagonal untied", "deep"])
def test_draws_itself(name, tmp_path):
    net, rates = NETWORKS[name]
    traj = lr.descend(lr.GradientFlow(net, make_problem(net, n=12), rates), steps=100, lr=1e-3)
    figure = traj.plot()
    axes = figure.axes
    assert [a.get_xlabel() for a in axes] == ["", "", "flow time t", "flow time t"]
    assert all(len(a.lines) > 0 and a.get_title() for a in axes)
    assert np.allclose(axes[0].lines[0].get_ydata(), traj.loss)
    assert axes[1].get_title() == "Kernel distance S"
    assert np.allclose(axes[1].lines[0].get_ydata(), lr.metrics.kernel_distance(traj), rtol=1e-12, atol=1e-15)
    assert [line.get_ydata()[0] for line in axes[1].lines[1:]] == [LAZY["kernel"], RICH]
    figure.savefig(tmp_path / "t.png")
    assert (tmp_path / "t.png").stat().st_size > 10_000


def test_its_kernel_distance_is_measured_on_few_inputs_and_times_if_there_are_many(monkeypatch):
    monkeypatch.setattr("lazyrich.trajectory_plot.MAX_TIMES", 40)
    net, problem, _ = lr.inits.teacher_student(jax.random.key(0), 5, 8, 3, 450)
    traj = lr.descend(lr.GradientFlow(net, problem), steps=500, lr=1e-4)
    axes = traj.plot().axes[1]
    assert axes.get_title() == "Kernel distance S on 200 of 450 inputs"
    times, drawn = axes.lines[0].get_data()
    assert len(times) == 40
    whole = np.interp(times, traj.times, lr.metrics.kernel_distance(traj))
    assert drawn[-1] == pytest.approx(whole[-1], rel=0.2)
    some = problem.X[np.linspace(0, 449, 200).round().astype(int)]
    assert drawn[-1] == pytest.approx(float(lr.metrics.kernel_distance(traj, X=some)[-1]), rel=1e-12)


def test_is_a_pytree(traj):
    doubled = jax.tree.map(lambda leaf: leaf, traj)
    assert distance(doubled, traj) == 0
    assert float(jax.jit(lambda t: t.loss[-1])(traj)) == pytest.approx(float(traj.loss[-1]))
