"""What the driver promises, for every way of stepping: what is saved, when it stops, what is kept."""

import pickle
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conftest import distance

import lazyrich as lr
from lazyrich._io import progress
from lazyrich.numerics import (
    descent,
    diffrax_stepper,
    driver,
    filippov_stepper,
    float32_rkc_stepper,
    label_noise,
    lsoda_stepper,
)

RNG = np.random.default_rng(0)
SMOOTH = lr.GradientFlow(lr.inits.neuron([0.1, 0.0], delta=1.0), lr.Problem(np.eye(2), [1.0, 2.0]))
BENT = lr.GradientFlow(
    lr.TwoLayer(RNG.normal(size=(3, 2)), RNG.normal(size=3), 0.3),
    lr.Problem(RNG.normal(size=(4, 2)), RNG.normal(size=4)),
)
DIAGONAL = lr.GradientFlow(
    lr.Diagonal([RNG.normal(size=(2, 5))], power=2), lr.Problem(RNG.normal(size=(2, 5)), RNG.normal(size=2))
)


def integrated(flow, **fixed):
    return lambda times, **options: lr.integrate(flow, times, **fixed | options)


INTEGRATED = {
    "diffrax": (diffrax_stepper.DiffraxStepper, SMOOTH, integrated(SMOOTH)),
    "a solver of its own": (diffrax_stepper.DiffraxStepper, SMOOTH, integrated(SMOOTH, solver=lr.Rodas())),
    "mirror": (lsoda_stepper.LsodaStepper, DIAGONAL, integrated(DIAGONAL)),
    "kinks": (filippov_stepper.FilippovStepper, BENT, integrated(BENT)),
    "single": (float32_rkc_stepper.Float32RkcStepper, SMOOTH, integrated(SMOOTH, precision="single")),
}


def descended(times):
    """Run descent with steps of 0.01, and saves too far apart for a block."""
    return lr.descend(SMOOTH, round(100 * times[-1]), 0.01, every=round(100 * times[1]))


def diffused(times):
    return lr.diffuse(SMOOTH, times, jax.random.key(0), dt=1e-3, sigma=0.1)


WAYS = INTEGRATED | {
    "descent": (descent._DescentStepper, SMOOTH, descended),
    "diffusion": (label_noise._SdeStepper, SMOOTH, diffused),
}
ways = pytest.mark.parametrize("name", WAYS)
integrated_ways = pytest.mark.parametrize("name", INTEGRATED)
LATE = [0.0, 0.5, 1.0, 50.0]
ROUNDING = dict.fromkeys(WAYS, 1e-300) | {"single": 1e-7}  # of the start


@pytest.fixture(autouse=True)
def _short_chunks(monkeypatch):
    """Shorten the chunks, so that every stepper needs several of them."""
    monkeypatch.setattr(diffrax_stepper, "FIRST_CHUNK_STEPS", 8)
    monkeypatch.setattr(diffrax_stepper, "CHUNK_STEPS", 8)
    monkeypatch.setattr(lsoda_stepper, "CHUNK_STEPS", 8)


@cache
def uninterrupted(name):
    return WAYS[name][2](LATE)


def is_the_beginning(kept, whole):
    """Check that `kept` is the beginning of the whole, possibly with the last state reached."""
    times, asked = np.asarray(kept.times), np.asarray(whole.times)
    assert np.all(np.diff(times) > 0)
    known = int(np.sum(np.isin(times, asked)))
    assert len(times) - known in (0, 1)
    np.testing.assert_array_equal(times[:known], asked[:known])
    assert np.all(times[known:] < asked[known]) if known < len(asked) else len(times) == known
    assert np.all(times[:1] == 0)
    for ours, theirs in zip(jax.tree.leaves(kept.nets.layers), jax.tree.leaves(whole.nets.layers), strict=True):
        np.testing.assert_allclose(ours[:known], theirs[:known], rtol=1e-12)
    assert np.all(np.isfinite(kept.loss))


@ways
@pytest.mark.parametrize("where", ["before", "inside", "after", "line"])
@pytest.mark.parametrize("calls", [0, 1, 2])
def test_ctrl_c_keeps_what_was_computed(name, where, calls, monkeypatch):
    """Before an advance, after it but before its result is known, after it is saved, and while it is shown."""
    way, _, follow = WAYS[name]
    whole, count = uninterrupted(name), 0

    def stops_at(owner, method, first):
        original = getattr(owner, method)

        def interrupted(self, *args):
            nonlocal count
            count += 1
            if count > calls and first:
                raise KeyboardInterrupt
            result = original(self, *args)
            if count > calls:
                raise KeyboardInterrupt
            return result

        monkeypatch.setattr(owner, method, interrupted)

    if where == "line":
        stops_at(progress.Progress, "update", True)
    elif where == "after":
        stops_at(driver.Recorder, "save", False)
    else:
        stops_at(way, "advance", where == "before")
    with pytest.raises(lr.IntegrationError, match="interrupted at t = ") as error:
        follow(LATE)
    assert isinstance(error.value.ending, driver.Interrupted)
    assert error.value.trajectory.stop_reason == "interrupted"
    is_the_beginning(error.value.trajectory, whole)


@ways
def test_ctrl_c_between_any_two_lines_of_saving(name):
    """An interrupt in the middle of `Recorder.save` loses no time and saves none twice."""
    flow, way = WAYS[name][1], uninterrupted(name)
    layers = [way[i].layers for i in range(len(way))]

    class Broken(driver.Recorder):
        """Recorder that is interrupted after a state is saved, before its time is set."""

        def __setattr__(self, key, value):
            if key == "t" and self.__dict__.get("saved"):
                raise KeyboardInterrupt
            super().__setattr__(key, value)

    class Fixed(driver.Stepper):
        def __init__(self):
            self.flow = flow

        def initial_state(self):
            return flow.net.layers

        def networks(self, states):
            return jax.vmap(flow.net.with_layers)(states)

        def provenance(self, times):
            return way.by

    record = Broken(Fixed(), np.asarray(way.times))
    states = jax.tree.map(lambda leaf: leaf[None], layers[1])
    with pytest.raises(KeyboardInterrupt):
        record.save(driver.Advance(np.asarray(way.times[1:2]), states, float(way.times[1]), layers[1]))
    kept = record.trajectory(driver.Interrupted())
    np.testing.assert_array_equal(kept.times, way.times[1:2])


def test_ctrl_c_while_the_trajectory_is_put_together(monkeypatch):
    trajectory, whole = driver.Recorder.trajectory, uninterrupted("single")

    def second_time(self, ending):
        monkeypatch.setattr(driver.Recorder, "trajectory", trajectory)
        raise KeyboardInterrupt

    monkeypatch.setattr(driver.Recorder, "trajectory", second_time)
    with pytest.raises(lr.IntegrationError, match="interrupted at t = 50") as error:
        WAYS["single"][2](LATE)
    assert distance(error.value.trajectory.nets.layers, whole.nets.layers) == 0


def test_the_error_survives_another_process():
    with pytest.raises(lr.IntegrationError) as error:
        WAYS["single"][2](LATE, max_steps=3)
    back = pickle.loads(pickle.dumps(error.value))
    assert (str(back), back.ending) == (str(error.value), driver.OutOfSteps())
    assert distance(back.trajectory.nets.layers, error.value.trajectory.nets.layers) == 0


@integrated_ways
def test_a_condition_that_holds_at_the_start(name):
    *_, flow, follow = WAYS[name]
    for times in ([0.0], [0.0, 0.0, 1.0], [1.0]):
        traj = follow(times, until=lr.LossBelow(2 * float(flow.loss())))
        assert float(traj.times[0]) == 0
        assert len(traj) == 1
        assert traj.stop_reason.endswith(" at t = 0")
        assert traj.stats["stopped early"] is True
        assert distance(traj[0].layers, flow.net.layers) < ROUNDING[name]


@integrated_ways
def test_a_condition_that_comes_true(name):
    *_, flow, follow = WAYS[name]
    until = lr.LossBelow(0.9 * float(flow.loss()))
    traj = follow([0.0, 1e-3, 1e4], until=until)
    assert float(traj.loss[-1]) <= float(until.value) < float(traj.loss[-2])
    assert 0 < float(traj.times[-1]) < 1e4
    assert traj.stop_reason.startswith("the loss is at most ")
    assert traj.stats["stopped early"] is True
    missed = follow([0.0, 1e-3], until=lr.LossBelow(1e-30))
    assert missed.stop_reason == "the last time came before the loss is at most 1e-30"
    assert missed.stats["stopped early"] is False
    assert follow([1e-3]).stop_reason == ""


@integrated_ways
def test_only_the_start(name):
    *_, flow, follow = WAYS[name]
    for times in ([0.0], [0.0, 0.0]):
        traj = follow(times)
        np.testing.assert_array_equal(traj.times, times)
        assert all(distance(traj[i].layers, flow.net.layers) < ROUNDING[name] for i in range(len(times)))
        assert traj.stats["steps"] == 0
    np.testing.assert_array_equal(follow([0.0], until=lr.LossBelow(1e-30)).times, [0.0])


@integrated_ways
def test_one_step(name):
    with pytest.raises(lr.IntegrationError, match=r"(ran out of|stopped after) 1 steps at t = ") as error:
        WAYS[name][2]([0.0, 1e4], max_steps=1)
    assert isinstance(error.value.ending, driver.OutOfSteps)
    assert "What was computed so far is in the `trajectory`" in str(error.value)
    kept = error.value.trajectory
    assert kept.stop_reason == "incomplete"
    assert kept.stats["steps"] == 1
    assert float(kept.times[0]) == 0
    assert np.all(np.diff(kept.times) > 0)


def test_running_out_on_a_saved_time_saves_it_once():
    with pytest.raises(lr.IntegrationError) as error:
        lr.integrate(SMOOTH, [0.0, 1e-9, 1e4], solver=lr.Rodas(), max_steps=1)
    np.testing.assert_array_equal(error.value.trajectory.times, [0.0, 1e-9])


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("slope", [0.5, 1.0])
@pytest.mark.parametrize("most", [None, 1])
def test_a_field_that_is_not_finite(precision, slope, most):
    net = lr.TwoLayer([[-1e4]], [1.0], negative_slope=slope)  # the loss is e^5000 at the least
    flow = lr.GradientFlow(net, lr.Problem([[1.0]], [1.0], lr.Exponential()))
    for times in ([1.0], [0.0, 1.0]):
        with pytest.raises(
            lr.IntegrationError, match="cannot be followed past t = 0: the field is not finite"
        ) as error:
            lr.integrate(flow, times, precision=precision, max_steps=most)
        assert isinstance(error.value.ending, driver.NoProgress)
        np.testing.assert_array_equal(error.value.trajectory.times, [0.0])


def test_divergence_at_the_very_end_is_an_error_too():
    with pytest.raises(lr.IntegrationError, match="descent diverged before step 8: lr = 100 is too large"):
        lr.descend(SMOOTH, 8, 100.0, every=8)
    wild = lr.GradientFlow(SMOOTH.net, lr.Problem(100 * np.eye(2), [1.0, 2.0]))
    with pytest.raises(lr.IntegrationError, match="left the range of floating point before t = 10: take a dt below"):
        lr.diffuse(wild, [0.0, 10.0], jax.random.key(0), dt=0.1)


def test_a_descent_that_would_take_days_says_so_and_can_be_stopped(capfd, monkeypatch):
    """10¹² steps: the line says how long, and Ctrl-C keeps the saves and the step it has come to."""
    update, lines = progress.Progress.update, 0

    def third(self, text):
        nonlocal lines
        lines += 1
        if lines == 3:
            raise KeyboardInterrupt
        return update(self, text)

    monkeypatch.setattr(progress.Progress, "update", third)
    with pytest.raises(lr.IntegrationError, match="interrupted at t = ") as error:
        lr.descend(SMOOTH, 1e12, 1e-3, progress=True)
    assert " of 1000000000000 (" in capfd.readouterr().err
    kept = error.value.trajectory
    steps = round(1000 * float(kept.times[-1]))
    assert len(kept) == 2
    assert f"{steps} of 1000000000000 steps" in str(kept.by)
    assert distance(kept[-1].layers, lr.descend(SMOOTH, steps, 1e-3)[-1].layers) < 1e-12


def test_divergence_is_seen_before_the_next_save():
    """The first of 200 saves of 10¹² steps would come after hours."""
    with pytest.raises(lr.IntegrationError, match="descent diverged before step 5000000000: "):
        lr.descend(SMOOTH, 1e12, 100.0)


def test_pulses_do_not_change_a_diffusion():
    whole = diffused([0.0, 0.5, 3.0])
    parts = label_noise._SdeStepper(
        SMOOTH, np.array([0.0, 0.0, 0.5, 3.0]), np.array([0, 500, 2500]), jax.random.key(0), jnp.array(0.1), True, 1e-3
    )
    parts.pulse.size = 7
    assert distance(driver.drive(parts, np.array([0.0, 0.5, 3.0])).nets.layers, whole.nets.layers) == 0
