"""The probe in training loops: what it reports, and that it leaves no trace."""

import copy
import types

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from lazyrich.torch import Probe, diagnose, kernel_distance
from lazyrich.torch.report import THRESHOLDS, Report


def mlp(width=20, inputs=8, outputs=3, activation=nn.ReLU):
    return nn.Sequential(nn.Linear(inputs, width), activation(), nn.Linear(width, outputs))


class Everything(nn.Module):
    """Batch norm, dropout, a buffer, a shared weight, a frozen one."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.drop = nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.5)
        self.second, self.frozen, self.out = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 3)
        self.second.weight = self.first.weight
        self.frozen.requires_grad_(False)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x):
        x = self.drop(F.relu(self.norm(self.first(x))))
        return self.out(F.relu(self.frozen(F.relu(self.second(self.scale * x)))))


def blobs(n=60, seed=0):
    """Three clusters that overlap."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(n) % 3
    return torch.randn(3, 8, generator=generator)[labels] + torch.randn(n, 8, generator=generator), labels


def train(model, probe, x, y, steps=30, rate=0.1, every=10, loss=F.cross_entropy):
    optimiser = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=rate)
    for step in range(1, steps + 1):
        optimiser.zero_grad()
        value = loss(model(x), y)
        value.backward()
        optimiser.step()
        if step % every == 0:
            probe.snapshot(step, loss=float(value.detach()))
    return float(value.detach())


def state_of(model):
    """Everything that must stay: values, gradients, modes, hooks, random numbers."""
    return (
        {name: value.clone() for name, value in model.state_dict().items()},
        {name: (p.grad, None if p.grad is None else p.grad.clone()) for name, p in model.named_parameters()},
        {name: module.training for name, module in model.named_modules()},
        {
            name: {key: dict(value) for key, value in vars(module).items() if key.endswith("hooks")}
            for name, module in model.named_modules()
        },
        [p.requires_grad for p in model.parameters()],
        torch.get_rng_state(),
    )


def assert_same(model, before):
    values, grads, modes, hooks, trained, random = before
    now = state_of(model)
    assert all(torch.equal(values[name], now[0][name]) for name in values)
    for name, (grad, value) in grads.items():
        assert now[1][name][0] is grad
        assert grad is None or torch.equal(grad, value)
    assert (modes, hooks, trained) == (now[2], now[3], now[4])
    assert torch.equal(random, now[5])


@pytest.fixture
def used():
    """A model in mixed modes with gradients and hooks, in the middle of training."""
    torch.manual_seed(0)
    model, (x, y) = Everything(), blobs()
    model.first.register_forward_hook(lambda *_: None)
    model.out.register_full_backward_hook(lambda *_: None)
    F.cross_entropy(model(x), y).backward()
    model.norm.eval()
    return model, x, y


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
    assert probe.last == 0
    probe.snapshot(1)
    assert probe.last == 1


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
    assert dict(data.sizes) == {"step": 4, "reference": 2, "centred": 2, "layer": 2, "activation": 1, "pair": 1}
    exact = kernel_distance(model, start, x, method="exact")
    last = data.isel(step=-1)
    S = last.kernel_distance.sel(reference="start")
    assert S.values == pytest.approx([exact.value, exact.centred], rel=1e-3)
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
    assert probe.report().fastest == "1"


def test_conserved_quantities_are_kept_by_small_steps_and_broken_by_weight_decay():
    drifts = {}
    for decay in (0.0, 0.5):
        torch.manual_seed(0)
        x, y = blobs()
        model = mlp()
        probe = Probe(model, x, y, sample=5)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.02, weight_decay=decay)
        for _ in range(100):
            optimiser.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimiser.step()
        probe.snapshot(100)
        drifts[decay] = float(probe.report().data.conservation_drift[-1, 0])
        assert ("kept, as by gradient flow" in str(probe.report())) == (decay == 0)
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
        model[2].weight[:, 0].mul_(0.5)
        probe.snapshot(1)
        expected = float((delta() - before).abs().sum()) / max(size, squares())
    data = probe.report().data
    assert data.pair.values.tolist() == ["0 → 2"]
    assert float(data.conservation_drift[-1, 0]) == pytest.approx(expected, rel=1e-5)


def scaled(scale, activation, seed, width=60):
    """A network with outputs scaled by `scale`, zero at the start (hidden units in pairs of opposite outputs)."""
    torch.manual_seed(seed)
    model = mlp(width, activation=activation)
    half = width // 2
    with torch.no_grad():
        model[0].weight[half:], model[0].bias[half:] = model[0].weight[:half], model[0].bias[:half]
        model[2].weight[:, half:] = -model[2].weight[:, :half]
        model[2].bias.zero_()

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = model

        def forward(self, x):
            return scale * self.net(x)

    return Scaled()


def mean_square(outputs, labels):
    return (outputs - F.one_hot(labels, 3)).square().sum(1).mean()


def run(scale, activation, seed, steps=300, rate=0.03):
    """Regime, kernel distance, gap and movement after training for the same flow time (rate ÷ scale² if lazy)."""
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
    probe = Probe(model, x, y, sample=20)
    text = str(probe.report())
    assert text.startswith(
        "Regime: too early to say at step 0: the function has moved by 0.0% of its size (needed: 10%)"
    )
    train(model, probe, x, y, steps=100, rate=0.5)
    report = probe.report()
    text = str(report)
    assert f"Regime: {report.regime}, from step 0 to 100." in text
    for part in (
        "on 20 of 60 inputs",
        "lazy below 0.01, rich above 0.05",
        "lazy below 0.2, rich above 0.5",
        "learns fastest",
        "switched; most after 0",
        "effective rank",
        "kernel–target alignment",
        "drift",
        "snapshots",
    ):
        assert part in text, part
    assert report.fastest in ("0", "2")
    figure = report.plot()
    assert figure.axes[0].get_title() == "Tangent kernel"
    exact = Probe(model, x, y, sample=60).report()
    assert "±" not in str(exact)
    assert "on 60 of 60 inputs" in str(exact)


@pytest.mark.parametrize(
    ("kernel", "gap", "regime"),
    [(0.5, 0.5, "lazy"), (2, 2, "rich"), (0.5, 2, "in between"), (2, 0.5, "in between"), (1, 1, "in between")],
)
def test_the_regime_is_read_off_the_thresholds(kernel, gap, regime):
    def place(value, name):
        low, high = THRESHOLDS[name]
        return low * 0.99 if value < 1 else high * 1.01 if value > 1 else (low + high) / 2

    S, g = place(kernel, "kernel"), place(gap, "gap")
    row = {"function_size": 1.0, "kernel_distance": [[S, S], [S, S]], "hamming_distance": {}, "conservation_drift": {}}
    rows = [
        row | {"step": 0, "function_distance": 0.0, "linearization_gap": 0.0},
        row | {"step": 1, "function_distance": 2.0, "linearization_gap": 2 * g},
    ]
    assert Report.of(rows).regime == regime
    rows[1]["function_distance"] = 0.05
    assert Report.of(rows).regime == "too early"


def test_a_model_whose_layers_cannot_be_followed_is_measured_all_the_same(monkeypatch):
    def refuses(*_):
        raise ValueError("no idea")

    monkeypatch.setattr("lazyrich.torch.probe.structure", refuses)
    probe = Probe(mlp(), blobs()[0], sample=5)
    assert "not measured: no idea" in str(probe.report())


class FakeLightning:
    """Calls callbacks as Lightning does, all hooks included."""

    def __init__(self, callback, epochs=2, batches=3):
        self.global_step = 0
        module = object()
        for hook in ("setup", "on_fit_start", "on_sanity_check_start", "on_train_start"):
            getattr(callback, hook)(self, module)
        for _ in range(epochs):
            callback.on_train_epoch_start(self, module)
            for batch in range(batches):
                callback.on_train_batch_start(self, module, None, batch)
                self.global_step += 1
                self.step()
                callback.on_train_batch_end(self, module, {"loss": 0.1}, None, batch)
            callback.on_train_epoch_end(self, module)
        callback.on_train_end(self, module)
        callback.on_fit_end(self, module)


def fake_trainer(callback, step, epochs=2, batches=3):
    """Calls callbacks as the Trainer of transformers does."""
    args, control = types.SimpleNamespace(), types.SimpleNamespace(should_save=False)
    state = types.SimpleNamespace(global_step=0)
    for event in ("on_init_end", "on_train_begin"):
        getattr(callback, event)(args, state, control, model=None)
    for _ in range(epochs):
        callback.on_epoch_begin(args, state, control)
        for _ in range(batches):
            step()
            state.global_step += 1
            callback.on_step_end(args, state, control, optimizer=None)
        callback.on_epoch_end(args, state, control)
    callback.on_train_end(args, state, control)


@pytest.mark.parametrize(("every", "steps"), [(None, [0, 3, 6]), (2, [0, 2, 4, 6]), (4, [0, 4, 6])])
@pytest.mark.parametrize("kind", ["lightning", "transformers"])
def test_callbacks(kind, every, steps):
    class Base:
        def __init__(self):
            self.made = True

        def on_fit_start(self, *_):
            self.fitted = True

    def move():
        with torch.no_grad():
            model[0].weight.add_(0.1)

    model = mlp()
    probe = Probe(model, blobs()[0], sample=5)
    move()  # a checkpoint is loaded: the start is measured anew
    callback = probe.callback(Base, every=every)
    assert isinstance(callback, Base)
    assert callback.made
    if kind == "lightning":
        type("Trainer", (FakeLightning,), {"step": lambda self: move()})(callback)
        assert callback.fitted
    else:
        fake_trainer(probe.callback(every=every), move)
    data = probe.report().data
    assert data.step.values.tolist() == steps
    assert float(data.parameter_distance.isel(step=-1).sel(layer="0")) == pytest.approx(0.1 * 6 * 160**0.5, rel=1e-4)


def test_callbacks_say_what_they_need():
    callback = Probe(mlp(), blobs()[0], sample=5).callback()
    with pytest.raises(
        TypeError, match=r"`global_step` of its arguments; found int, str, without one. Call probe.snap"
    ):
        callback.on_train_epoch_end(1, "a")
    with pytest.raises(AttributeError, match="no attribute nonsense"):
        callback.nonsense  # noqa: B018


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


def broken(model):
    with torch.no_grad():
        model[2].weight[0, 0] = float("nan")
    return model


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
        (lambda x, y: Probe(mlp(), x, rates={"nothing": 1.0}), "no trainable parameter begins with 'nothing'"),
    ],
)
def test_what_cannot_be_measured_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make(*blobs())


def test_a_model_that_diverges_is_refused_by_name():
    model = mlp()
    probe = Probe(model, blobs()[0], sample=5)
    with pytest.raises(ValueError, match=r"'2.weight' has 1 of 60 entries that are NaN or infinite; the model has div"):
        broken(model), probe.snapshot(1)


def sgd(rate):
    return lambda parameters: torch.optim.SGD(parameters, lr=rate)


def test_diagnose_trains_copies_on_the_same_batches(used):
    model, x, y = used
    model.train()
    before = state_of(model)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20, shuffle=True)
    found = diagnose(model, loader, steps=7, loss=F.cross_entropy, optimiser=sgd(0.1), alphas=(2.0,),
                     knob=lambda model, alpha: None, sample=9)  # fmt: skip
    assert_same(model, before)
    # A knob that does nothing: the same batches and the same dropout give the same run.
    assert found.runs[1.0].losses == found.runs[2.0].losses
    assert len(found.runs[1.0].losses) == 7
    assert np.unique(found.runs[1.0].losses).size == 7


def test_diagnose_finds_what_upstream_does():
    """kunin2024, figure 5a: upstream, kernel and patterns move more while parameters move less. Eight seeds."""
    x, y = blobs()
    diagnoses = []
    for seed in range(8):
        torch.manual_seed(seed)
        diagnoses.append(
            diagnose(mlp(40), [(x, y)], steps=60, loss=F.cross_entropy, optimiser=sgd(0.05), alphas=(1 / 3, 3.0),
                     snapshots=1, sample=20)
        )  # fmt: skip
    low, middle, high = np.array(
        [
            [[run.report.evidence["kernel"], run.patterns, run.moved] for run in found.runs.values()]
            for found in diagnoses
        ]
    ).transpose(1, 2, 0)
    for step, signs in ((middle - low, (1, 1, 1)), (high - middle, (1, 1, -1))):
        certain = step.mean(1) / (step.std(1, ddof=1) / 8**0.5)
        assert np.all(certain * signs > 3)
    text = str(diagnoses[0])
    assert "steps to the loss of α = 1" in text
    assert "α = 3: " in text
    assert "the movement of parameters" in text
    assert len(diagnoses[0].plot(*diagnoses[1:]).axes) == 4


def test_diagnose_reports_a_run_that_diverges():
    x, y = blobs()
    torch.manual_seed(0)
    found = diagnose(mlp(), [(x, y)], steps=40, loss=mean_square, optimiser=sgd(0.2), alphas=(100.0,), sample=5)
    assert found.runs[100.0].diverged
    assert "diverged at step" in str(found)
    assert not found.runs[1.0].diverged


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"loader": []}, ValueError, "the loader is empty"),
        ({"loader": iter([(blobs()[0], blobs()[1])])}, ValueError, "the loader is empty .or was used up"),
        ({"loader": [blobs()[0]]}, ValueError, r"must give pairs \(inputs, targets\); found Tensor"),
        ({"steps": 0}, ValueError, "steps must be a whole number"),
        ({"alphas": (0.0,)}, ValueError, "alphas must be positive"),
        ({"optimiser": torch.optim.SGD(mlp().parameters(), lr=0.1)}, TypeError, "must make one for each copy"),
        ({"model": nn.ReLU()}, ValueError, "no trainable parameters"),
        ({"model": mlp(activation=nn.Tanh), "steps": 1}, ValueError, "not homogeneous"),
    ],
)
def test_diagnose_says_what_it_needs(change, error, message):
    x, y = blobs()
    given = {"model": mlp(), "loader": [(x, y)], "steps": 3, "loss": F.cross_entropy, "optimiser": sgd(0.1)} | change
    with pytest.raises(error, match=message):
        diagnose(**given, sample=5)
