"""The clock of grokking and the curve of decay, against the law, against integration, and where they refuse."""

import jax
import numpy as np
import pytest

import lazyrich as lr


def run(alpha=4.0, decay=0.02, constant=1.0, t_fit=None, **more):
    time = (np.log(alpha) + constant) / decay
    return lr.GrokkingRun(alpha, decay, 0.02 * time if t_fit is None else t_fit, time, **more)


def test_the_clock_is_a_line():
    prediction = lr.grokking_clock(run(), 16.0, 0.01)
    assert abs(prediction.t_grok - (np.log(16.0) + 1.0) / 0.01) < 1e-9
    assert abs(prediction.constant - 1.0) < 1e-12
    assert "calibrated at one decay" in str(prediction)
    assert abs(prediction.steps(0.1, momentum=0.9) - prediction.t_grok) < 1e-9
    two = lr.grokking_clock([run(constant=1.0), run(decay=0.01, constant=1.2)], 16.0, 0.01)
    assert abs(two.constant - 1.1) < 1e-12
    assert two.warnings == ()


@pytest.mark.parametrize(
    ("calibration", "alpha", "decay", "message"),
    [
        (run(t_fit=40.0), 8.0, 0.02, "needs 5 times at least"),
        (run(alpha=0.9, constant=2.0), 8.0, 0.02, r"found α = 0\.9"),
        (run(), 1.0, 0.02, "found α = 1"),
        (run(alpha=8.0, t_fit=2.0), 2.0, 0.02, "less than 5 times as late"),
        (run(), 8.0, 0.1, r"nearest decay of a calibrating run is 0\.02"),
        (run(), 8.0, 0.001, r"nearest decay of a calibrating run is 0\.02"),
        ([run(constant=1.0), run(decay=0.01, constant=2.0)], 8.0, 0.02, "two calibrating runs disagree"),
        (run(optimizer="adam"), 8.0, 0.02, "Adam with L2"),
        (run(optimizer="adamw", full_batch=True), 8.0, 0.02, "full-batch AdamW"),
    ],
)
def test_the_clock_refuses(calibration, alpha, decay, message):
    with pytest.raises(ValueError, match=message):
        lr.grokking_clock(calibration, alpha, decay)


@pytest.mark.parametrize("value", [None, "ab", True, 1j, np.ones(2), [4.0]])
def test_the_clock_takes_numbers(value):
    """What is not a number is refused by the name of the argument; it was compared with one."""
    for name in ("alpha", "decay", "t_grok"):
        with pytest.raises(ValueError, match=f"{name} must be a positive number; found "):
            lr.GrokkingRun(**{"alpha": 2.0, "decay": 0.02, "t_fit": 7.0, "t_grok": 86.0} | {name: value})
    with pytest.raises(ValueError, match="alpha must be a positive number"):
        lr.grokking_clock(run(), value, 0.02)
    with pytest.raises(TypeError, match="calibration must be one GrokkingRun or a list of several"):
        lr.grokking_clock(value, 8.0, 0.02)
    with pytest.raises(ValueError, match="lr must be a positive number"):
        lr.grokking_clock(run(), 8.0, 0.02).steps(value)


def test_steps_of_the_clock_refuse():
    prediction = lr.grokking_clock(run(), 8.0, 0.02)
    for bad, message in (
        ({"lr": 0.0}, "lr must be a positive number; found 0"),
        ({"lr": np.nan}, "lr must be a positive number; found nan"),
        ({"lr": 0.1, "momentum": 1.0}, r"momentum must lie in \[0, 1\); found 1"),
    ):
        with pytest.raises(ValueError, match=message):
            prediction.steps(**bad)


def test_the_clock_warns_of_adamw():
    assert "carries over to another decay" in lr.grokking_clock(run(optimizer="adamw"), 8.0, 0.02).warnings[-1]
    assert lr.grokking_clock(run(optimizer="sgd"), 8.0, 0.02).warnings == ()


def test_reading_a_log():
    times = np.linspace(0, 100, 11)
    train, test = np.minimum(1.0, 0.5 + times / 40), np.minimum(1.0, 0.5 + times / 160)
    found = lr.grokking_run(times, train, test, alpha=3.0, decay=0.1)
    assert abs(found.t_grok - 64.0) < 1e-9
    assert abs(found.t_fit - 19.6) < 1e-9
    loss = np.exp(-times / 10)
    assert abs(lr.grokking_run(times, train, test, alpha=3.0, decay=0.1, train_loss=loss).t_fit - 30) < 1
    for bad, message in (
        ((times, train, 0 * test), "test accuracy never reaches 0.9"),
        ((times, 0 * train, test), "training accuracy never reaches 0.99"),
        ((times[::-1], train, test), "times must be increasing"),
        ((times, train[1:], test), "rows of one length"),
        ((times, train, np.where(times == 60, np.nan, test)), "test_accuracy must be finite; found nan at place 6"),
        ((times, train, 100 * test), "between 0 and 1; found 50 … 100. Divide percents by 100"),
        ((["ab"], train, test), "times must be a row of real numbers; found list"),
        (([], [], []), "rows of one length"),
    ):
        with pytest.raises(ValueError, match=message):
            lr.grokking_run(*bad, alpha=3.0, decay=0.1)
    with pytest.raises(ValueError, match="level must be an accuracy between 0 and 1; found 90"):
        lr.grokking_run(times, train, test, alpha=3.0, decay=0.1, level=90)
    with pytest.raises(ValueError, match="the first one positive; found 11 losses, the first 0"):
        lr.grokking_run(times, train, test, alpha=3.0, decay=0.1, train_loss=0 * times)
    with pytest.raises(ValueError, match=r"optimizer must be .* or .adam.; found .lion."):
        run(optimizer="lion")


def sparse_flow(decay, alpha=20.0, rates=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 30))
    truth = np.zeros(30)
    truth[:2] = 1.5, -1.0
    net = lr.networks.Diagonal(alpha * np.ones((2, 2, 30)) * [[[1.0]], [[0.5]]]) if rates else None
    net = lr.inits.tied_diagonal(30, alpha) if net is None else net
    return lr.GradientFlow(net, lr.Problem(X, X @ truth, kappa=1 / 15), rates, decay), truth


@pytest.mark.parametrize("rates", [None, (0.5, 2.0)])
def test_the_curve_of_decay_is_off_by_the_order_of_the_decay(rates):
    """Integration along the whole curve, from lazy to rich, at two decays."""
    errors = []
    for decay in (1e-2, 1e-3):
        flow, _ = sparse_flow(decay if rates is None else [decay / rate for rate in rates], rates=rates)
        times = np.linspace(0.1, 1.2, 12) * np.log(20.0) / decay
        curve = lr.decay_curve(flow, times)
        assert times[0] > curve.fit_time
        assert times[0] < curve.rich_time < times[-1]
        errors.append(float(np.max(np.abs(curve.beta - lr.integrate(flow, times).beta))))
    assert errors[0] < 0.2
    assert 0.07 < errors[1] / errors[0] < 0.15


def test_the_fit_time_is_that_of_the_tangent_model():
    flow, _ = sparse_flow(1e-3, alpha=100.0)
    curve = lr.decay_curve(flow, [1.0])
    undecayed = lr.GradientFlow(flow.net, flow.problem)
    loss = lr.integrate(undecayed.linearize(), [0.0, curve.fit_time]).loss
    assert abs(float(loss[1] / loss[0]) - 0.05) < 1e-6
    assert abs(float(lr.integrate(flow, [curve.fit_time]).loss[-1] / flow.loss()) - 0.05) < 1e-3


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_the_fit_time_does_not_depend_on_units(unit):
    """Squares of the residual underflowed to a fit time of 0, or overflowed into an error of SciPy."""
    flow, _ = sparse_flow(1e-3, alpha=100.0)
    scaled = lr.GradientFlow(flow.net, lr.Problem(flow.problem.X, unit * flow.problem.y, kappa=1 / 15), decay=1e-3)
    assert lr.decay_curve(scaled, [1.0]).fit_time == pytest.approx(lr.decay_curve(flow, [1.0]).fit_time, rel=1e-9)


def test_the_curve_of_test_error():
    flow, truth = sparse_flow(1e-3)
    curve = lr.decay_curve(flow, [100.0, 2000.0, 9000.0])
    other = np.random.default_rng(5).normal(size=(40, 30))
    error = curve.loss(lr.Problem(other, other @ truth, kappa=1 / 40))
    expected = [0.5 * np.mean((other @ (np.asarray(beta) - truth)) ** 2) for beta in curve.beta]
    np.testing.assert_allclose(error, expected, rtol=1e-12)
    assert error[0] > 10 * error[-1]
    with pytest.raises(TypeError, match=r"problem must be a lazyrich\.Problem; found ndarray"):
        curve.loss(other)
    with pytest.raises(ValueError, match="the predictors have 30 features and one output; found a problem with 29"):
        curve.loss(lr.Problem(other[:, 1:], other @ truth))


def test_the_curve_of_decay_refuses():
    flow, _ = sparse_flow(0.01)
    bad = {
        "pass decay": lr.GradientFlow(flow.net, flow.problem),
        "found TwoLayer": lr.GradientFlow(lr.TwoLayer(np.ones((2, 30)), np.ones(2)), flow.problem, decay=0.1),
        "the same rate × decay": lr.GradientFlow(
            lr.networks.Diagonal(np.ones((2, 2, 30))), flow.problem, (1.0, 2.0), 0.1
        ),
        "degree 3": lr.GradientFlow(lr.networks.Diagonal(np.ones((1, 2, 30)), 3), flow.problem, decay=0.1),
    }
    for message, flow in bad.items():
        with pytest.raises(ValueError, match=message):
            lr.decay_curve(flow, [1.0])
    with pytest.raises(ValueError, match=r"times must be at most 70000 at this decay.*found 1e\+06"):
        lr.decay_curve(sparse_flow(0.01)[0], [1.0, 1e6])
    with pytest.raises(ValueError, match="cannot be traced"):
        jax.jit(lambda t: lr.decay_curve(sparse_flow(0.01)[0], t).beta)(np.array([1.0]))
