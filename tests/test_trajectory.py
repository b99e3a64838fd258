import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import NETWORKS, distance, make_problem

import lazyrich as lr

FLOW = lr.GradientFlow(lr.inits.neuron([0.3, 0.1], delta=-0.5), lr.Problem(np.eye(2), [1.0, 2.0]), (1.0, 0.5))
TIMES = np.linspace(0, 3, 31)


@pytest.fixture(scope="module")
def traj():
    return lr.integrate(FLOW, TIMES)


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


def test_what_it_carries(traj):
    assert traj.beta.shape == (31, 2)
    assert distance(traj.outputs, traj.beta) < 1e-15  # X = I
    assert distance(traj.loss, 0.5 * jnp.sum((traj.beta - jnp.array([1.0, 2.0])) ** 2, axis=1)) < 1e-15
    assert traj.by.way == "integrated"
    assert "Dopri8" in str(traj.by)
    assert "Trajectory(DeepLinear, 31 times 0 … 3, integrated by Dopri8" in repr(traj)


def test_interpolation(traj):
    for time in (0.0, 0.05, 1.234, 3.0):
        exact = lr.integrate(FLOW, [time])[0]
        assert distance(traj.at(time).layers, exact.layers) < 1e-5
    coarse, fine = (lr.integrate(FLOW, np.linspace(0, 3, n)) for n in (11, 21))
    dense = lr.integrate(FLOW, np.linspace(0, 3, 241))
    errors = [
        max(distance(t.at(time).layers, dense[i].layers) for i, time in enumerate(dense.times)) for t in (coarse, fine)
    ]
    assert errors[1] < errors[0] / 8  # fourth order
    with pytest.raises(ValueError, match="time 4 is outside the trajectory, which runs from 0 to 3"):
        traj.at(4.0)
    assert distance(traj[:1].at(0.0), FLOW.net) == 0


def test_interpolation_across_a_wide_gap_stays_between_the_nodes():
    steep = lr.integrate(lr.GradientFlow(lr.inits.neuron([100.0, 0.0]), FLOW.problem), [0.0, 1e3])
    assert float(jnp.max(jnp.abs(steep.at(500.0).beta))) <= 100
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


def test_damaged_and_foreign_files_are_refused(tmp_path, traj):
    path = tmp_path / "t.npz"
    traj.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="is not a file saved by lazyrich, or it is damaged"):
        lr.Trajectory.load(path)
    with open(path, "wb") as file:
        np.save(file, np.ones(3))
    with pytest.raises(ValueError, match="is not a file saved by lazyrich"):
        lr.Trajectory.load(path)
    np.savez(path, x=np.ones(3))
    with pytest.raises(ValueError, match="is not a file saved by lazyrich"):
        lr.Trajectory.load(path)
    np.savez(path, header=np.array({"a": 1}, dtype=object))  # a pickle is never opened
    with pytest.raises(ValueError, match="is not a file saved by lazyrich"):
        lr.Trajectory.load(path)
    np.savez(path, header=np.array('{"format": 99, "tree": {}}'))
    with pytest.raises(ValueError, match="has format 99"):
        lr.Trajectory.load(path)
    np.savez(path, header=np.array('{"format": 1, "tree": {"class": "Popen", "fields": {}}}'))
    with pytest.raises(ValueError, match="unknown class Popen"):
        lr.Trajectory.load(path)
    np.savez(path, header=np.array('{"format": 1, "tree": {"value": 3}}'))
    with pytest.raises(ValueError, match="holds a int, not a Trajectory"):
        lr.Trajectory.load(path)


def test_a_failed_save_leaves_the_old_file(tmp_path, traj, monkeypatch):
    path = tmp_path / "t.npz"
    traj.save(path)
    before = path.read_bytes()

    def full(*args, **kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
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
    assert [a.get_xlabel() for a in axes] == ["flow time t"] * 3
    assert all(len(a.lines) > 0 and a.get_title() for a in axes)
    assert np.allclose(axes[0].lines[0].get_ydata(), traj.loss)
    figure.savefig(tmp_path / "t.png")
    assert (tmp_path / "t.png").stat().st_size > 10_000


def test_is_a_pytree(traj):
    doubled = jax.tree.map(lambda leaf: leaf, traj)
    assert distance(doubled, traj) == 0
    assert float(jax.jit(lambda t: t.loss[-1])(traj)) == pytest.approx(float(traj.loss[-1]))
