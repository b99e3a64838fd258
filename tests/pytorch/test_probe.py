"""The probe in training loops: what it reports, and that it leaves no trace."""

import copy
import re
import types

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from training import (
    Residual,
    Transformer,
    assert_same,
    blobs,
    broken,
    in_use,
    mean_square,
    mlp,
    scaled,
    state_of,
    train,
)

from lazyrich.torch import Probe, kernel_distance, metrics
from lazyrich.torch._model.preserve_model import NonFiniteModelError


@pytest.fixture
def used():
    return in_use()


def test_the_model_is_left_as_it_was(used):
    model, x, y = used
    before = state_of(model)
    probe = Probe(model, x, y, sample=12)
    assert_same(model, before)
    with torch.no_grad():
        model.out.weight.add_(0.1)
    before = state_of(model)
    probe.snapshot(1)
    probe.report()
    assert_same(model, before)


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.int64])
def test_targets_of_any_kind(kind):
    model, x, y = nn.Linear(4, 2), torch.randn(6, 4), torch.eye(2).repeat(3, 1).to(kind)
    aligned = [Probe(model, x, targets).report().data["target_alignment"].values for targets in (y, y.double())]
    np.testing.assert_array_equal(*aligned)


@pytest.mark.parametrize("calls", [0, 3, 6, 9])
def test_the_model_is_left_as_it_was_when_an_exception_flies(used, calls):
    model, x, y = used
    probe = Probe(model, x, y, sample=12)

    class Interrupted(BaseException):
        pass

    count = iter(range(1000))

    def fails(*_):
        if next(count) == calls:
            raise Interrupted

    model.second.register_forward_pre_hook(fails)
    with torch.no_grad():
        model.out.weight.add_(0.1)
    before = state_of(model)
    with pytest.raises(Interrupted):
        probe.snapshot(1)
    assert_same(model, before)
    assert probe.last_step == 0
    probe.snapshot(1)
    assert probe.last_step == 1


def test_training_with_a_probe_is_training_without(used):
    model, x, y = used
    model.train()
    twin = copy.deepcopy(model)
    silent = types.SimpleNamespace(snapshot=lambda *_, **__: None)
    torch.manual_seed(5)
    train(twin, silent, x, y)
    probe = Probe(model, x, y, sample=9)
    torch.manual_seed(5)
    train(model, probe, x, y, every=5)
    for one, other in zip(model.state_dict().values(), twin.state_dict().values(), strict=True):
        assert torch.equal(one, other)


def test_what_is_measured():
    torch.manual_seed(0)
    x, y = blobs()
    model = mlp()
    probe = Probe(model, x, y, sample=60)
    start = {name: value.clone() for name, value in model.state_dict().items()}
    train(model, probe, x, y)
    data = probe.report().data
    assert dict(data.sizes) == {"step": 4, "reference": 2, "centered": 2, "layer": 2, "activation": 1, "pair": 1}
    exact = kernel_distance(model, start, x, method="exact")
    last = data.isel(step=-1)
    S = last.kernel_distance.sel(reference="start")
    assert S.values == pytest.approx([exact.value, exact.centered], rel=1e-3)
    assert last.kernel_growth.item() == pytest.approx(exact.growth, rel=1e-4)
    np.testing.assert_allclose(data.kernel_alignment, 1 - data.kernel_distance)
    # The second snapshot's previous one is the start; at the start nothing has moved.
    second = data.isel(step=1).kernel_distance
    np.testing.assert_allclose(second.sel(reference="start"), second.sel(reference="previous"), rtol=1e-9)
    assert (data.isel(step=-1).kernel_distance.sel(reference="previous") < S).all()
    for name in (
        "kernel_distance",
        "hamming_distance",
        "parameter_distance",
        "linearization_gap",
        "conservation_drift",
    ):
        assert (abs(data[name].isel(step=0)) < 1e-12).all(), name
    now = model.state_dict()
    moved = [
        torch.cat([(now[f"{i}.{part}"] - start[f"{i}.{part}"]).flatten() for part in ("weight", "bias")])
        for i in (0, 2)
    ]
    sizes = [torch.cat([start[f"{i}.weight"].flatten(), start[f"{i}.bias"]]).norm() for i in (0, 2)]
    np.testing.assert_allclose(last.parameter_distance, [float(m.norm()) for m in moved], rtol=1e-5)
    expected = [float(m.norm() / s) for m, s in zip(moved, sizes, strict=True)]
    np.testing.assert_allclose(last.relative_distance, expected, rtol=1e-5)
    with torch.no_grad():
        switched = ((model[0](x) > 0) != (x @ start["0.weight"].T + start["0.bias"] > 0)).double().mean()
    assert float(last.hamming_distance[0]) == pytest.approx(float(switched), abs=1e-3)
    assert float(last.hamming_distance[0]) > 0.01
    assert float(data.loss[-1]) < float(data.loss[1])
    assert np.isnan(data.loss[0])


def test_speed_is_the_distance_per_step_since_the_last_snapshot():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False))
    probe = Probe(model, torch.randn(5, 2), start=100)
    for step in (110, 130):
        with torch.no_grad():
            model[1].weight.add_(torch.tensor([[3.0, 4.0]]))
        probe.snapshot(step)
    data = probe.report().data
    assert data.step.values.tolist() == [100, 110, 130]
    np.testing.assert_allclose(data.learning_speed, [[0, 0], [0, 0.5], [0, 0.25]], rtol=1e-5)
    assert probe.report().fastest_layer == "1"


def test_conserved_quantities_are_kept_by_small_steps_and_broken_by_weight_decay():
    drifts = {}
    for decay in (0.0, 0.5):
        torch.manual_seed(0)
        x, y = blobs()
        model = mlp()
        probe = Probe(model, x, y, sample=5)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.02, weight_decay=decay)
        for _ in range(100):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        probe.snapshot(100)
        drifts[decay] = float(probe.report().data.conservation_drift[-1, 0])
        text, word = str(probe.report()), "below" if decay == 0 else "above"
        assert f"drift {drifts[decay]:.2g} at 0 → 2: {word} 0.05 (gradient flow: 0" in text
        assert ("your optimizer was not read" in text) == (decay == 0)
        assert "kept" not in text
    assert drifts[0.0] < 0.01 < 0.3 < drifts[0.5]


def test_the_drift_is_that_of_the_weights_by_hand():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    probe = Probe(model, torch.randn(6, 3))

    def delta():
        return model[2].weight.double().square().sum(0) - model[0].weight.double().square().sum(1) - model[0].bias ** 2

    def squares():
        return float(model[2].weight.square().sum() + model[0].weight.square().sum() + model[0].bias.square().sum())

    with torch.no_grad():
        before, size = delta(), squares()
        model[0].weight[1:3].mul_(1.5)
        model[2].weight[:, 0].mul_(1.5)  # δ of this unit grows, that of the others falls
        probe.snapshot(1)
        expected = float((delta() - before).abs().sum()) / max(size, squares())
    data = probe.report().data
    assert data.pair.values.tolist() == ["0 → 2"]
    assert float(data.conservation_drift[-1, 0]) == pytest.approx(expected, rel=1e-5)


def run(scale, activation, seed, steps=300, rate=0.03):
    """Return regime, kernel distance, gap and movement after training for the same flow time (rate ÷ scale² if
    lazy)."""
    x, y = blobs()
    model = scaled(scale, activation, seed)
    probe = Probe(model, x, y, sample=60)
    loss = train(model, probe, x, y, steps, rate / scale ** (2 if scale > 1 else 1), steps, mean_square)
    report = probe.report()
    moved = float(np.sqrt((report.data.parameter_distance[-1] ** 2).sum()))
    return report.regime, report.evidence["kernel"], report.evidence["gap"], moved, loss


def test_lazy_and_rich_runs_of_one_network_differ_as_theory_says():
    """ReLU, five seeds: outputs scaled by 30 are lazy, by 0.01 rich, with means many standard errors apart."""
    lazy, rich = ([run(scale, nn.ReLU, seed) for seed in range(5)] for scale in (30.0, 0.01))
    assert {one[0] for one in lazy} == {"lazy"}
    assert {one[0] for one in rich} == {"rich"}
    for column in (1, 2, 3):
        small, large = (np.array([one[column] for one in runs]) for runs in (lazy, rich))
        error = np.sqrt((small.var(ddof=1) + large.var(ddof=1)) / 5)
        assert large.mean() - small.mean() > 5 * error
    assert max(one[4] for one in lazy + rich) < 0.25, "both have learned"


def test_laziness_goes_with_the_scale_as_theory_says():
    """Smooth networks of scale α: parameters move as 1/α; gap and kernel, by the pairs of units, as 1/α² and 1/α⁴.

    The terms of first order, which go as 1/α and 1/α², are opposite for the two units of a pair.
    """
    small, large = (
        np.mean([run(scale, nn.Tanh, seed, 100, 0.01)[1:4] for seed in range(2)], 0) for scale in (1.5, 4.5)
    )
    exponents = np.log(small / large) / np.log(3)
    assert exponents == pytest.approx([4.0, 2.0, 1.0], abs=0.15)


def test_the_report_in_words():
    torch.manual_seed(0)
    x, y = blobs()
    model = mlp()
    start = {i: model[i].weight.detach().clone() for i in (0, 2)}
    probe = Probe(model, x, y, sample=20)
    text = str(probe.report())
    assert text.startswith(
        "Regime: too early to say at step 0: the function has moved by 0.0% of the size of the targets (needed: 10%)"
    )
    train(model, probe, x, y, steps=100, rate=0.5)
    report = probe.report()
    text = str(report)
    assert f"Regime: {report.regime}, from step 0 to 100." in text
    for part in (
        "on 20 of 60 inputs",
        "lazy below 0.01, rich above 0.05",
        "of what was learned (lazy below 0.2)",
        "learns fastest",
        "switched; most after 0",
        "effective rank",
        "kernel–target alignment",
        "drift",
        "snapshots",
    ):
        assert part in text, part
    moved = {i: (model[i].weight - start[i]).norm() / start[i].norm() for i in (0, 2)}
    assert moved[2] > 1.5 * moved[0]
    assert report.fastest_layer == "2"
    assert "2 learns fastest" in text
    figure = report.plot()
    assert figure.axes[0].get_title() == "Tangent kernel"
    exact = Probe(model, x, y, sample=60).report()
    assert "±" not in str(exact)
    assert "on 60 of 60 inputs" in str(exact)


def test_the_size_of_the_targets_is_given_to_the_report():
    x, y = blobs()
    model = scaled(1.0, nn.ReLU, 0)
    probe = Probe(model, x, y, sample=60)
    train(model, probe, x, y, 1, 0.002, 1, mean_square)
    report = probe.report()
    assert report.function_scale == pytest.approx(3**-0.5)  # one of three is 1
    assert 0 < float(report.data.function_distance[-1]) < 0.1 * report.function_scale
    assert report.regime == "too early"


def passes(model, x, count):
    model.train()
    with torch.no_grad():
        for _ in range(count):
            model(x)


def test_running_statistics_are_no_learning():
    """Fifty forward passes of batch norm in train mode, and no step of any optimizer: nothing was learned."""
    torch.manual_seed(0)
    model, x = Residual(), 3 * torch.randn(12, 1, 6, 6) + 1
    probe = Probe(model, x, sample=8)
    outputs = model.eval()(x)
    passes(model, x, 1)
    probe.snapshot(1)
    passes(model, x, 49)
    before = state_of(model)
    probe.snapshot(50)
    assert_same(model, before)
    assert (model.eval()(x) - outputs).norm() > 0.1 * outputs.norm()
    data = probe.report().data
    for name in ("kernel_distance", "function_distance", "linearization_gap", "hamming_distance"):
        assert np.all(data[name] == 0), name
    assert np.all(data.kernel_growth == 1)
    assert probe.report().regime == "too early"


def test_learning_with_batch_norm_is_compared_at_the_running_statistics_of_now():
    torch.manual_seed(0)
    model, x = Residual().double(), (3 * torch.randn(12, 1, 6, 6) + 1).double()
    probe = Probe(model, x, sample=12)
    values = [{name: p.detach().clone() for name, p in model.named_parameters()}]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in (1, 2, 3):
        optimizer.zero_grad()
        (model(x) - 1).square().mean().backward()
        optimizer.step()
        probe.snapshot(step)
        values.append({name: p.detach().clone() for name, p in model.named_parameters()})
    last = probe.report().data.isel(step=-1)
    for reference, other in (("start", values[0]), ("previous", values[2])):
        exact = kernel_distance(model, other, x, method="exact")
        found = last.kernel_distance.sel(reference=reference)
        np.testing.assert_allclose(found, [exact.value, exact.centered], rtol=1e-6)
    model.eval()
    with torch.no_grad():
        now, start = model(x), torch.func.functional_call(model, values[0], (x,))
    assert float(last.function_distance) == pytest.approx(float((now - start).square().mean().sqrt()))
    assert float(last.start_size) == pytest.approx(float(start.square().mean().sqrt()))


@pytest.mark.parametrize("calls", [0, 4, 8, 12, 16])
def test_the_model_is_left_as_it_was_when_an_exception_flies_while_the_start_is_measured_again(calls):
    class Interrupted(BaseException):
        pass

    torch.manual_seed(0)
    model, x = Residual(), torch.randn(12, 1, 6, 6)
    probe = Probe(model, x, sample=8)
    for step in (1, 2):
        passes(model, x, 1)
        with torch.no_grad():
            model.head.weight.add_(0.1)
        if step == 1:
            probe.snapshot(1)
    count = iter(range(1000))

    def fails(*_):
        if next(count) == calls:
            raise Interrupted

    handle = model.conv1.register_forward_pre_hook(fails)
    before = state_of(model)
    with pytest.raises(Interrupted):
        probe.snapshot(2)
    assert_same(model, before)
    handle.remove()
    probe.snapshot(2)
    exact = kernel_distance(model, probe._start, probe.inputs[:8], method="exact")
    assert metrics.sampled_kernel_distance(probe._full.last, probe._full.initial, 8, 8).distance[0] == pytest.approx(
        exact.value, rel=1e-3
    )


class Limited(nn.Module):
    """Infinite on inputs beyond a limit."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 3)
        self.register_buffer("limit", torch.tensor(1e9))

    def forward(self, x):
        return torch.where(x[:, :1] > self.limit, torch.inf, self.layer(x))


def test_outputs_are_checked_on_all_inputs():
    x = blobs()[0]
    model = Limited()
    probe = Probe(model, x, sample=5)
    worst = int(probe._permutation[5:][x[probe._permutation[5:], 0].argmax()])
    x[probe._permutation[:5], 0] = 0.0
    probe = Probe(model, x, sample=5)
    model.limit.fill_(float(x[worst, 0]) - 1e-4)
    with pytest.raises(
        NonFiniteModelError, match=f"NaN or infinite on 1 of 60 inputs, such as number {worst}: measure an ear"
    ):
        probe.snapshot(1)


def test_freezing_asks_for_a_new_start():
    model = mlp()
    probe = Probe(model, blobs()[0], sample=5)
    model[0].weight.requires_grad_(False)
    words = (
        r"'0.weight' was trainable, of shape \(20, 8\), at the last snapshot and is now frozen or absent.*reset\(step\)"
    )
    with pytest.raises(ValueError, match=words):
        probe.snapshot(1)
    probe.reset(1)
    model[0].weight.requires_grad_(True)
    with pytest.raises(ValueError, match=r"'0.weight' was frozen or absent, .* is now trainable, of shape \(20, 8\)"):
        probe.snapshot(2)
    probe.reset(2)
    assert probe.last_step == 2


class Squeezed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def forward(self, x):
        return self.layer(x).squeeze()


def test_a_model_that_ends_in_squeeze_is_measured():
    model = Squeezed()
    probe = Probe(model, blobs()[0][:10])
    with torch.no_grad():
        model.layer.bias.add_(1.0)
    probe.snapshot(1)
    assert float(probe.report().data.function_distance[-1]) == pytest.approx(1.0)


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, slope):
        return 2 * slope


def test_without_a_tangent_model_the_rest_is_measured():
    class Custom(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = mlp()

        def forward(self, x):
            return Once.apply(self.net(x))

    torch.manual_seed(0)
    model, x = Custom(), blobs()[0]
    probe = Probe(model, x, sample=60)
    start = copy.deepcopy(model)
    with torch.no_grad():
        model.net[0].weight.mul_(2.0)
    probe.snapshot(1)
    report = probe.report()
    assert np.isnan(report.data.linearization_gap[-1])
    why = "the backward pass of some layer cannot be differentiated, and it has no forward derivative"
    assert report.data.attrs["without_tangent"] == why
    assert f"not measured, the regime is that of the kernel alone: {why}" in str(report)
    expected = float((model(x) - start(x)).detach().square().mean().sqrt())
    assert float(report.data.function_distance[-1]) == pytest.approx(expected, rel=1e-5)
    report.plot()


@pytest.mark.parametrize(
    ("make", "inputs", "activations"),
    [
        (Residual, lambda: torch.randn(12, 1, 6, 6), ["stem", "conv1", "conv2"]),
        (Transformer, lambda: torch.randint(0, 7, (12, 4)), ["block.linear1"]),
        (lambda: mlp(outputs=1), lambda: torch.randn(12, 8), ["0"]),
        (lambda: nn.Linear(8, 3), lambda: torch.randn(12, 8), []),
    ],
    ids=["resnet", "transformer", "one output", "linear"],
)
def test_models_of_every_kind(make, inputs, activations):
    torch.manual_seed(0)
    model, x = make(), inputs()
    probe = Probe(model, x, sample=8)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(5):
        optimizer.zero_grad()
        (model(x) - 1).square().mean().backward()
        optimizer.step()
    probe.snapshot(5)
    report = probe.report()
    assert report.data.activation.values.tolist() == activations
    assert all(np.isfinite(report.data[name]).all() for name in report.data)
    assert str(report).startswith("Regime: ")
    if not activations:  # linear in its parameters
        assert report.evidence == pytest.approx({"kernel": 0.0, "gap": 0.0}, abs=1e-5)
        assert report.regime == "lazy"
    report.plot()


def test_compiled_models_are_measured_and_scripted_ones_refused():
    model, x = mlp(), blobs()[0]
    probe = Probe(torch.compile(model), x, sample=5)
    assert list(probe.report().data.layer.values) == ["0", "2"]
    with pytest.raises(ValueError, match="a scripted model hides its layers: give the module that it was made of"):
        Probe(torch.jit.trace(model, x), x)


def test_a_model_whose_layers_cannot_be_followed_is_measured_all_the_same(monkeypatch):
    def refuses(*_, **__):
        raise ValueError("no idea")

    monkeypatch.setattr("lazyrich.torch._probe.output_selection.structure", refuses)
    probe = Probe(mlp(), blobs()[0], sample=5)
    assert "not measured: no idea" in str(probe.report())


def test_steps_grow():
    model = mlp()
    probe = Probe(model, blobs()[0], sample=5)
    probe.snapshot(0)  # nothing has happened since: the same snapshot
    assert probe.report().data.sizes["step"] == 1
    with torch.no_grad():
        model[0].weight.add_(0.1)
    with pytest.raises(ValueError, match=r"steps must grow\. The start was measured when the probe was made"):
        probe.snapshot(0)
    probe.snapshot(3)
    with pytest.raises(ValueError, match="step 2 comes after step 3"):
        probe.snapshot(2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x, y: Probe(nn.ReLU(), x), "no trainable parameters"),
        (lambda x, y: Probe(broken(mlp()), x), r"'2.weight' has 1 of 60 entries that are NaN"),
        (lambda x, y: Probe(mlp(), x[:0]), "inputs are empty"),
        (lambda x, y: Probe(mlp(), x[:, :5]), r"raised in layer '0' \(Linear\)"),
        (lambda x, y: Probe(mlp(), x.long()), r"raised in layer '0' .*pass inputs.to\(torch.float32\)"),
        (lambda x, y: Probe(mlp(), x, y[:5]), "targets must be of shape"),
        (lambda x, y: Probe(mlp(), x, y + 7), "class numbers must be from 0 to 2; found 7 to 9"),
        (lambda x, y: Probe(mlp(), x, sample=0), "sample must be a whole number, at least 1"),
        (lambda x, y: Probe(mlp(), x, start="one"), "start must be a whole number, at least 0; found 'one'"),
        (lambda x, y: Probe(mlp(), x, rates={"0": "fast"}), "learning rate of '0' must be finite .*; found 'fast'"),
        (lambda x, y: Probe(mlp(), x, rates={"nothing": 1.0}), "no trainable parameter begins with 'nothing'"),
    ],
)
def test_what_cannot_be_measured_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make(*blobs())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"loss": "ce"}, r"loss must be a function of \(outputs, targets\), .*; found 'ce'"),
        ({"loss": nn.CrossEntropyLoss}, r"found the class CrossEntropyLoss: make one, CrossEntropyLoss\(\)"),
        ({"forward": "logits"}, r"forward must be a function of \(model, inputs\) .*; found 'logits'"),
        ({"targets": "y"}, r"targets must be a tensor of shape \(60, 3\), or \(60,\) class numbers; found str"),
        ({"rates": 0.1}, r"rates must map beginnings of parameter names .* \{'0.weight': 0.1\}; found 0.1"),
    ],
)
def test_what_is_of_the_wrong_type_is_named(given, message):
    x, y = blobs()
    with pytest.raises(TypeError, match=message):
        Probe(mlp(), x, **{"targets": y, **given}, sample=5)


def test_a_snapshot_that_is_refused_loses_nothing():
    model = mlp()
    probe = Probe(model, blobs()[0], sample=5)
    with torch.no_grad():
        model[0].weight.add_(0.1)
    for call in (lambda: probe.snapshot("one"), lambda: probe.reset("one")):
        with pytest.raises(ValueError, match="step must be a whole number, at least 0; found 'one'"):
            call()
    with pytest.raises(ValueError, match="what is kept with a snapshot must be a number; found loss='low'"):
        probe.snapshot(1, loss="low")
    probe.snapshot(1, loss=torch.tensor(0.5))
    assert list(probe.report().data.step.values) == [0, 1]


def test_a_kernel_too_large_to_be_squared_is_refused():
    model, x = mlp().double(), blobs()[0].double()
    probe = Probe(model, x, sample=6)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(1e90)
    with pytest.raises(
        ValueError, match=r"the kernel is too large for torch.float64: the weights are about to diverge"
    ):
        probe.snapshot(1)


def test_a_model_that_diverges_is_refused_by_name():
    model = mlp()
    probe = Probe(model, blobs()[0], sample=5)
    with pytest.raises(ValueError, match=r"'2.weight' has 1 of 60 entries that are NaN or infinite; the model has div"):
        broken(model), probe.snapshot(1)


def test_words_name_horizon_evidence_and_what_would_change_it():
    torch.manual_seed(0)
    model, (x, y) = mlp(), blobs()
    probe = Probe(model, x, y, sample=10, loss=F.cross_entropy)
    train(model, probe, x, y, steps=60, rate=0.5, every=60)
    report = probe.report()
    words = str(report)
    assert "from step 0 to 60" in words
    assert re.search(r"turned by S = [\d.]+ ± [\d.]+, centered [\d.]+ ± [\d.]+ \(lazy below", words)
    assert re.search(r"loss      1\.\d+ → 0\.\d+ on the probe's inputs; the best constant output has 1\.1", words)
    assert re.search(r"\d of 2 by more than a tenth", words)
    assert "to change" in words
    assert 0.1 < report.progress < 1
    assert "little was learned" not in words
    noise = torch.randint(3, (60,), generator=torch.Generator().manual_seed(1))
    probe = Probe(model, x, noise, sample=10, loss=F.cross_entropy)
    with torch.no_grad():
        model[0].weight.add_(torch.randn_like(model[0].weight))
    probe.snapshot(1)
    assert "little was learned" in str(probe.report())


def test_pictures_say_how_many_layers_there_are():
    model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(11)))
    probe = Probe(model, blobs()[0], sample=5)
    model[0].weight.data.add_(0.1)
    probe.snapshot(1)
    titles = [axes.get_legend().get_title().get_text() for axes in probe.report().plot().axes if axes.get_legend()]
    assert "8 of 11 layers" in titles
