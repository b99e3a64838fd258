"""Runs of rescaled copies side by side, and probes as callbacks of trainers."""

import re
import types

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from training import assert_same, blobs, in_use, mean_square, mlp, state_of

from lazyrich.probe.diagnosis import LOSS_LEVELS
from lazyrich.torch import Diagnosis, Probe, diagnose
from lazyrich.torch._model.loss import baseline_loss


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


def sgd(rate):
    return lambda parameters: torch.optim.SGD(parameters, lr=rate)


def test_diagnose_trains_copies_on_the_same_batches():
    model, x, y = in_use()
    model.train()
    before = state_of(model)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20, shuffle=True)
    found = diagnose(model, loader, steps=7, loss=F.cross_entropy, optimizer=sgd(0.1), alphas=(2.0,),
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
            diagnose(mlp(40), [(x, y)], steps=60, loss=F.cross_entropy, optimizer=sgd(0.05), alphas=(1 / 3, 3.0),
                     snapshots=1, sample=20)
        )  # fmt: skip
    matched = diagnoses[0].matched_runs(*diagnoses[1:])
    low, middle, high = np.array(
        [
            [[run.S, run.hamming_distance, run.parameter_distance] for run in matched[alpha]]
            for alpha in (1 / 3, 1.0, 3.0)
        ]
    ).transpose(0, 2, 1)
    for step, signs in ((middle - low, (1, 1, 1)), (high - middle, (1, 1, -1))):
        certain = step.mean(1) / (step.std(1, ddof=1) / 8**0.5)
        assert np.all(certain * signs > 3)
    text = diagnoses[0].summary(*diagnoses[1:])
    assert re.search(r"Compared at equal loss, \d+% of what .*; 8 seeds, mean ± standard error", text)
    S = np.array([run.S for run in matched[3.0]])
    assert f"{S.mean():.3f} ± {S.std(ddof=1) / 8**0.5:.3f}" in text
    assert "α = 3: " in text
    assert len(diagnoses[0].plot(*diagnoses[1:]).axes) == 4


def on_gradients(change):
    """A knob that changes the gradients of a copy."""

    def knob(model, alpha):
        for parameter in model.parameters():
            parameter.register_hook(lambda slope: change(slope, alpha))

    return knob


def test_runs_are_compared_at_equal_loss():
    """One copy takes steps four times as long: at equal steps it has gone further, at equal loss it has not."""
    x, y = blobs()
    torch.manual_seed(0)
    given = {"loader": [(x, y)], "steps": 200, "loss": F.cross_entropy, "optimizer": sgd(0.02), "alphas": (4.0,)}
    given |= {"knob": on_gradients(lambda slope, alpha: alpha * slope), "sample": 60, "snapshots": 2}
    model = mlp()
    found, by_steps = diagnose(model, **given), diagnose(model, **given, match="steps")
    (slow,), (fast,) = (found.matched_runs()[alpha] for alpha in (1.0, 4.0))
    assert abs(fast.S / slow.S - 1) < 0.1
    assert fast.loss == pytest.approx(slow.loss, rel=0.03)
    assert len(slow.losses) / len(fast.losses) == pytest.approx(4, rel=0.1)
    base = min(np.log(3), F.cross_entropy(model(x), y).item())
    share = min(level for level in LOSS_LEVELS if slow.loss <= level * base)
    assert f"Compared at equal loss, {share:.0%} of what they began with or of a constant's." in str(found)
    assert re.search(r"α = 4: stays .*the kernel turns 1×? as much, .*; it takes 0.2\d× the steps of α = 1", str(found))
    (slow,), (fast,) = (by_steps.matched_runs()[alpha] for alpha in (1.0, 4.0))
    assert len(slow.losses) == len(fast.losses) == 200
    assert fast.S > 1.5 * slow.S
    assert "Compared at equal steps. Their losses differ, and at equal loss the order can be" in str(by_steps)
    assert re.search(r"α = 4: .*; the loss ends at 0\.\d+× that of α = 1", str(by_steps))


def test_a_run_that_has_not_learned_is_not_rich():
    """Steps of noise turn the kernel and teach nothing."""
    x, y = blobs()
    torch.manual_seed(0)
    knob = on_gradients(lambda slope, alpha: torch.randn_like(slope) if alpha == 2 else slope)
    found = diagnose(mlp(), [(x, y)], steps=60, loss=F.cross_entropy, optimizer=sgd(0.1), alphas=(0.5, 2.0), knob=knob,
                     sample=60, snapshots=1)  # fmt: skip
    wandered = found.runs[2.0]
    assert wandered.report.regime == "rich"
    assert wandered.regime == "not learned"
    assert set(found.matched_runs()) == {0.5, 1.0}
    assert re.search(r"\n +2  not learned: its loss ended at .*, after 60 steps; (it did|at this)", str(found))
    assert "α = 2:" not in str(found)
    # With nobody to compare it to at equal loss, it is shown as it ended.
    alone = Diagnosis({1.0: found.runs[1.0], 2.0: wandered})
    assert alone.matched_level() is None
    assert "Compared at equal steps" in str(alone)
    assert "not learned" in str(alone)


@pytest.mark.parametrize("size", [1.0, 100.0])
def test_what_a_constant_output_reaches_is_not_learned(size):
    x, y = blobs()
    torch.manual_seed(0)
    model = mlp()
    model[2].weight.data.mul_(size)
    start = F.cross_entropy(model(x), y).item()
    assert baseline_loss(model, F.cross_entropy, x, y) == pytest.approx(min(start, np.log(3)), rel=1e-4)
    labels = y.clamp_max(1)  # one in three, two in three
    entropy = np.log(3) - 2 / 3 * np.log(2)
    assert baseline_loss(model, F.cross_entropy, x, labels) == pytest.approx(min(start, entropy), rel=1e-4)
    values = torch.randn(60, 3)
    variance = (values - values.mean(0)).square().mean().item()
    assert baseline_loss(model, F.mse_loss, x, values) == pytest.approx(
        min(variance, F.mse_loss(model(x), values).item()), rel=1e-4
    )
    # One sample is as easy for a constant as for a network.
    assert baseline_loss(model, F.cross_entropy, x[:1], y[:1]) == pytest.approx(
        F.cross_entropy(model(x[:1]), y[:1]).item()
    )


def test_diagnose_reports_a_run_that_diverges():
    x, y = blobs()
    torch.manual_seed(0)
    found = diagnose(mlp(), [(x, y)], steps=40, loss=mean_square, optimizer=sgd(0.2), alphas=(100.0,), sample=5)
    assert found.runs[100.0].diverged
    assert "diverged at step" in str(found)
    assert not found.runs[1.0].diverged


def test_a_run_that_diverges_at_a_snapshot_does_not_lose_the_others():
    """One step takes the weights so far that outputs overflow, while the loss of that step was finite."""
    x, y = blobs()

    def spoil(model, alpha):
        for parameter in model.parameters():
            parameter.data.mul_(1e8)

    torch.manual_seed(0)
    found = diagnose(mlp(), [(x, y)], steps=4, loss=mean_square, optimizer=sgd(0.05), alphas=(2.0,), knob=spoil,
                     snapshots=4, sample=5)  # fmt: skip
    run = found.runs[2.0]
    assert run.diverged
    assert np.isfinite(run.losses).all()
    assert len(run.losses) < 4
    assert f"diverged at step {len(run.losses)}, " in str(found)
    assert len(found.runs[1.0].losses) == 4
    assert not found.runs[1.0].diverged
    found.plot()


def test_all_copies_see_the_same_random_numbers_of_the_card(monkeypatch):
    card = [torch.tensor([5])]

    def put(states):
        card[:] = [state.clone() for state in states]

    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: [state.clone() for state in card])
    monkeypatch.setattr(torch.cuda, "set_rng_state_all", put)

    class Noisy(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = mlp()

        def forward(self, x):
            if not self.training:
                return self.net(x)
            card[0] += 1  # draws a number
            return self.net(x) + 0.1 * (float(card[0]) * 7 % 5)

    x, y = blobs()
    found = diagnose(Noisy(), [(x, y)], steps=6, loss=F.cross_entropy, optimizer=sgd(0.1), alphas=(2.0, 3.0),
                     knob=lambda model, alpha: None, snapshots=1, sample=5)  # fmt: skip
    assert found.runs[1.0].losses == found.runs[2.0].losses == found.runs[3.0].losses
    assert card[0].item() == 5


def test_models_that_cannot_be_traced_are_rescaled_on_the_inputs():
    class Branching(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(8, 20), nn.Linear(20, 3)

        def forward(self, x):
            if x.sum() > 1e9:
                raise OverflowError
            return self.last(F.relu(self.first(x)))

    torch.manual_seed(0)
    x, y = blobs()
    found = diagnose(Branching(), [(x, y)], steps=1, loss=F.cross_entropy, optimizer=sgd(0.1), alphas=(0.5,),
                     snapshots=1, sample=5)  # fmt: skip
    # The same function, hence the same loss of the first batch; but other parameters.
    assert found.runs[0.5].losses[0] == pytest.approx(found.runs[1.0].losses[0], rel=1e-5)
    assert (
        found.runs[0.5].parameter_distance > 1.05 * found.runs[1.0].parameter_distance
        or found.runs[0.5].parameter_distance < 0.95 * found.runs[1.0].parameter_distance
    )


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"loader": []}, ValueError, "the loader is empty"),
        ({"loader": iter([])}, ValueError, "the loader is empty .or was used up before.* can be read only once: pass"),
        (
            {"loader": iter([blobs(), blobs()])},
            ValueError,
            "used up after 2 of 3 steps; a generator cannot begin again: pass a list, a DataLoader",
        ),
        ({"loader": 3}, TypeError, r"must give batches \(inputs, targets\); found int"),
        ({"loader": [blobs()[0]]}, ValueError, r"must give pairs \(inputs, targets\), or mappings .*; found Tensor"),
        (
            {"loader": [{"x": blobs()[0], "label": blobs()[1]}]},
            ValueError,
            "or mappings with 'labels'; found a mapping with 'x', 'label'. Pass a list of pairs, or an object whose",
        ),
        ({"loss": "ce"}, TypeError, r"loss must be a function of \(outputs, targets\), .*; found 'ce'"),
        ({"loss": nn.MSELoss}, TypeError, r"found the class MSELoss: make one, MSELoss\(\)"),
        ({"optimizer": "sgd"}, TypeError, "optimizer must make one for each copy: .*; found 'sgd'"),
        ({"optimizer": lambda _: None}, TypeError, "found one that gives NoneType"),
        ({"knob": "upstream"}, TypeError, r"knob must be a function .* or one of .*; found 'upstream'"),
        ({"forward": "logits"}, TypeError, r"forward must be a function of \(model, inputs\) .*; found 'logits'"),
        ({"alphas": 3.0}, ValueError, "alphas must be positive numbers, such as .*; found 3.0"),
        ({"alphas": "ab"}, ValueError, "alphas must be positive numbers, such as .*; found 'ab'"),
        ({"match": "time"}, ValueError, "match must be 'loss' or 'steps'; found 'time'"),
        ({"steps": 0}, ValueError, "steps must be a whole number"),
        ({"alphas": (0.0,)}, ValueError, "alphas must be positive"),
        ({"optimizer": torch.optim.SGD(mlp().parameters(), lr=0.1)}, TypeError, "must make one for each copy"),
        ({"model": nn.ReLU()}, ValueError, "no trainable parameters"),
    ],
)
def test_diagnose_says_what_it_needs(change, error, message):
    x, y = blobs()
    given = {"model": mlp(), "loader": [(x, y)], "steps": 3, "loss": F.cross_entropy, "optimizer": sgd(0.1)} | change
    with pytest.raises(error, match=message):
        diagnose(**given, sample=5)
