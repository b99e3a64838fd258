"""Advice with numbers: knobs do what they say, predictions agree with runs, and the code makes the change."""

import copy
import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from training import Residual, assert_same, blobs, in_use, mlp, state_of

import lazyrich.torch as lt
from lazyrich.probe.advice import GOALS, goal_of
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._trials.gradient_power import gradient_power
from lazyrich.torch._trials.movement_line import KernelMeter, MovementLine
from lazyrich.torch._trials.trained_copy import get_all_rng_states
from lazyrich.torch._trials.trial import TrialSetup
from lazyrich.torch.knobs import LayerRate, LearningRate, OutputScale, Upstream


def sgd(rate, **more):
    return lambda parameters: torch.optim.SGD(parameters, lr=rate, **more)


def setup_of(model, x, y, loss, make_optimizer, steps, power=1.0):
    known = Batch.from_nested(x), y
    return TrialSetup(model, [(x, y)], loss, make_optimizer, OutputReader(), known, power, steps, get_all_rng_states())


def line_of(setup, base):
    meter = KernelMeter.of(base.copy.model, setup.known[0], setup.reading, 0)
    return MovementLine(base.copy.model, base.start, meter, setup.known, setup.loss, setup.reading)


def measured(setup, trial, rates):
    now = {name: p.detach().clone() for name, p in trial.copy.model.named_parameters()}
    return float(KernelMeter.of(trial.copy.model, setup.known[0], setup.reading, 0)
                 .distance(trial.start, now, rates).distance[0])  # fmt: skip


def regression(n=24):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(n, 8, generator=generator)
    return x, torch.sign(x[:, :1] * x[:, 1:2])


def small_images(n=36):
    """Three classes of images of 6 × 6, stripes of different directions, with noise."""
    generator, labels = torch.Generator().manual_seed(0), torch.arange(n) % 3
    line = torch.arange(6.0)
    stripes = torch.stack([torch.sin(2 * line).expand(6, 6), torch.sin(2 * line)[:, None].expand(6, 6),
                           torch.sin(line + line[:, None])])  # fmt: skip
    return (stripes[labels] + 0.3 * torch.randn(n, 6, 6, generator=generator))[:, None], labels


# --- the pieces


@pytest.mark.parametrize(
    ("make", "power"),
    [
        (sgd(0.1), 1),
        (sgd(0.1, momentum=0.9, weight_decay=0.1), 1),
        (lambda p: torch.optim.Adam(p, lr=0.1), 0),
        (lambda p: torch.optim.AdamW(p, lr=0.1), 0),
        (lambda p: torch.optim.RMSprop(p, lr=0.1), 0),
        (lambda p: torch.optim.Adagrad(p, lr=0.1), 0),
    ],
)
def test_the_power_of_the_gradient_in_a_step(make, power):
    assert gradient_power(make) == pytest.approx(power, abs=0.01)


@pytest.mark.parametrize("centered", [True, False])
def test_scaled_outputs_are_the_formula(centered):
    torch.manual_seed(0)
    model, (x, _) = mlp(), blobs()
    start = copy.deepcopy(model)
    scaled = lt.scale_outputs(model, 5.0, centered=centered)
    before = start(x)
    torch.testing.assert_close(scaled(x), before if centered else 5 * before)
    with torch.no_grad():
        model[0].weight.mul_(1.5)
    after = model(x)
    torch.testing.assert_close(scaled(x), before + 5 * (after - before) if centered else 5 * after)
    slope, own = (torch.autograd.grad(f(x).sum(), model[0].weight)[0] for f in (scaled, model))
    torch.testing.assert_close(slope, 5 * own)


def test_scaled_outputs_start_as_the_model_with_dropout_and_batch_norm():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 30), nn.BatchNorm1d(30), nn.ReLU(), nn.Dropout(0.5), nn.Linear(30, 3))
    scaled, (x, _) = lt.scale_outputs(model, 100.0), blobs()
    torch.manual_seed(3)
    found = scaled(x)
    after = torch.get_rng_state()
    torch.manual_seed(3)
    torch.testing.assert_close(found, copy.deepcopy(model)(x), rtol=1e-4, atol=1e-4)
    assert torch.equal(after, torch.get_rng_state()), "as many random numbers as one pass"
    saved = scaled.state_dict()
    assert {name.partition(".")[0] for name in saved} == {"model", "start"}, "a checkpoint holds the start"


def test_scaled_outputs_of_models_that_return_more():
    class Named(nn.Module):
        def __init__(self, key):
            super().__init__()
            self.net, self.key = mlp(), key

        def forward(self, x):
            return {"hidden": x, self.key: self.net(x)}

    x, _ = blobs()
    model = Named("logits")
    torch.testing.assert_close(lt.scale_outputs(model, 3.0, centered=False)(x)["logits"], 3 * model(x)["logits"])
    with pytest.raises(ValueError, match="must return a tensor, or have them in `logits`; found dict"):
        lt.scale_outputs(Named("out"), 3.0)(x)
    model.net.register_forward_hook(lambda *_: None)

    class WithLoss(Named):
        def forward(self, x):
            return {**super().forward(x), "loss": torch.tensor(1.0)}

    with pytest.raises(ValueError, match="computes its own loss, from outputs that are not scaled"):
        lt.scale_outputs(WithLoss("logits"), 3.0)(x)
    with pytest.raises(ValueError, match="scale must be a positive number; found 0"):
        lt.scale_outputs(model, 0)


def test_rates_are_scaled_by_prefix():
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1), nn.Linear(1, 1))
    optimizer = torch.optim.SGD(
        [{"params": model[0].parameters(), "lr": 1.0}, {"params": [*model[1].parameters(), *model[2].parameters()]}],
        lr=0.5, momentum=0.9,
    )  # fmt: skip
    lt.scale_rates_(optimizer, model, {"": 2.0, "1": 3.0, "1.bias": 0.0})
    rates = {id(p): group["lr"] for group in optimizer.param_groups for p in group["params"]}
    found = {name: rates[id(p)] for name, p in model.named_parameters()}
    assert found == {"0.weight": 2.0, "0.bias": 2.0, "1.weight": 1.5, "1.bias": 0.0, "2.weight": 1.0, "2.bias": 1.0}
    assert all(group["momentum"] == 0.9 for group in optimizer.param_groups)
    with pytest.raises(ValueError, match="no parameter begins with '3'"):
        lt.scale_rates_(optimizer, model, {"3": 2.0})
    with pytest.raises(ValueError, match=r"factor of '0' must be a finite number, at least 0; found -1"):
        lt.scale_rates_(optimizer, model, {"0": -1})
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    with pytest.raises(ValueError, match="has taken steps"):
        lt.scale_rates_(optimizer, model, {"": 2.0})


# --- predictions


@pytest.fixture(scope="module")
def wide():
    """A wide, smooth, lazy network."""
    torch.manual_seed(0)
    x, y = regression()
    setup = setup_of(mlp(256, outputs=1, activation=nn.Tanh), x, y, F.mse_loss, sgd(0.02), 100)
    base = setup.run()
    return setup, base, line_of(setup, base)


def test_a_knob_at_1_predicts_the_run_itself(wide):
    setup, base, line = wide
    S = measured(setup, base, {})
    for knob in (OutputScale(), LearningRate(), LayerRate("0"), OutputScale(centered=False)):
        assert line.distance(knob.effect(1.0, 1.0)) == pytest.approx(S, rel=0.01)


def test_in_the_lazy_regime_S_falls_with_the_square_of_the_output_scale(wide):
    """By a factor of 4 from one scale to its double, in trials and in predictions, which agree within their error."""
    setup, base, line = wide
    knob, S, predicted = OutputScale(), {}, {}
    for scale in (8.0, 16.0):
        trial = setup.run(knob, scale, base.loss, 4)
        assert trial.reached
        S[scale], predicted[scale] = measured(setup, trial, {}), line.distance(knob.effect(scale, 1.0))
        assert abs(math.log(S[scale] / predicted[scale])) < 2 * knob.error(scale, 1.0)
    assert S[8.0] / S[16.0] == pytest.approx(4, rel=0.05)
    assert predicted[8.0] / predicted[16.0] == pytest.approx(4, rel=0.05)
    assert S[8.0] < 0.02 * measured(setup, base, {})


def test_the_learning_rate_changes_nothing_to_leading_order(wide):
    setup, base, _ = wide
    slow = setup.run(LearningRate(), 0.5, base.loss, 4)
    assert slow.steps == pytest.approx(2 * base.steps, rel=0.05)
    assert measured(setup, slow, {}) == pytest.approx(measured(setup, base, {}), rel=0.05)


def test_rates_of_layers_are_those_of_upstream():
    """A rescaling by α has the effect of rates per layer, on kernel and movement; `param_groups` has both."""
    torch.manual_seed(0)
    model, (x, y) = mlp(), blobs()
    knob = Upstream.of(model, x[:2], None)
    for power, adaptive in ((1.0, False), (0.0, True)):
        optimizer = torch.optim.SGD(lt.param_groups(model, 1.5, 1.0, adaptive=adaptive))
        groups = {id(p): group["lr"] for group in optimizer.param_groups for p in group["params"]}
        movement = knob.effect(1.5, power).movement
        assert all(movement.get(name, 1.0) == pytest.approx(groups[id(p)]) for name, p in model.named_parameters())
    effect = knob.effect(1.5, 0.0)
    assert all(effect.rates[name] == pytest.approx(effect.movement[name] ** 2) for name in effect.rates)
    setup = setup_of(model, x, y, F.cross_entropy, lambda p: torch.optim.Adam(p, lr=0.01), 40, 0.0)
    base = setup.run()
    trial, line = setup.run(knob, 1.5, base.loss, 4), line_of(setup, base)
    assert abs(math.log(measured(setup, trial, {}) / line.distance(effect))) < 2 * knob.error(1.5, 0.0)
    assert abs(math.log(measured(setup, base, {}) / line.distance(effect))) > 2 * knob.error(1.5, 0.0)


def test_rates_of_the_sampled_kernel_can_be_changed():
    torch.manual_seed(0)
    from lazyrich.torch._jacobian.sampled_gradients import default_rates
    from lazyrich.torch._probe.sampled_kernel import SampledKernel

    model, x = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(48, 2)), torch.randn(16, 1, 6, 6)
    rates = default_rates(model) | {"0.weight": 0.3, "0.bias": 2.0, "3.bias": 5.0}
    batch = Batch.from_nested(x)
    one, other = (SampledKernel(model, batch, OutputReader(), 2, of, 0).sampler for of in (None, rates))
    changed, truth = one.with_rates(rates).measure({}, 16), other.measure({}, 16)
    for layer in ("0", "3"):
        torch.testing.assert_close(changed.grams[layer], truth.grams[layer])
    assert not torch.allclose(one.measure({}, 16).grams["0"], truth.grams["0"])


# --- advice


@pytest.fixture(scope="module")
def digits():
    images, labels = lt.data.drawn_digits(100)
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 40), nn.ReLU(), nn.Linear(40, 10)), images, labels


@pytest.mark.parametrize("target", ["lazy", 0.03])
def test_advice_is_reached_and_its_code_does_what_its_trial_did(digits, target):
    model, images, labels = digits
    before = state_of(model)
    rate = 0.05
    advice = lt.advise(model, [(images, labels)], steps=60, loss=F.cross_entropy, optimizer=sgd(rate), target=target,
                       knobs=[OutputScale()])  # fmt: skip
    assert_same(model, before)
    row = advice.best
    assert row is not None
    assert row.how == "trial"
    assert GOALS.get(target, target) / 1.5 <= row.S <= GOALS.get(target, target) * 1.5
    assert row.low < row.S < row.high
    assert row.S < advice.S
    names = {"model": copy.deepcopy(model), "inputs": images, "make_optimizer": sgd(rate)}
    exec(advice.code, names)
    trained, optimizer, probe = names["model"], names["optimizer"], lt.Probe(names["model"], images, exact=False)
    for _ in range(int(row.steps)):
        optimizer.zero_grad()
        F.cross_entropy(trained(images), labels).backward()
        optimizer.step()
    probe.snapshot(int(row.steps))
    low, high = probe.report().interval
    assert low < row.S < high
    assert F.cross_entropy(trained(images), labels).item() == pytest.approx(advice.losses[1], rel=0.1)
    text = str(advice)
    assert "Wanted: " in text
    assert "lt.scale_outputs(model, " in text
    assert "output scale" in advice.table()
    assert "Spent: the unchanged run" in text


@pytest.mark.parametrize("knob", ["upstream", "layer", "rate", "outputs"])
def test_the_code_of_every_knob_runs_and_is_the_trial(digits, knob):
    """The weights after three steps are, bit for bit, those of the trial."""
    model, images, labels = digits
    setup = setup_of(model, images, labels, F.cross_entropy, sgd(0.05), 3)
    chosen = {
        "upstream": Upstream.of(model, images[:2], None), "layer": LayerRate("1"), "rate": LearningRate(),
        "outputs": OutputScale(),
    }[knob]  # fmt: skip
    trial = setup.run(chosen, 2.0)
    names = {"model": copy.deepcopy(model), "inputs": images, "make_optimizer": sgd(0.05), "lt": lt}
    exec(chosen.code(2.0, 1.0), names)
    trained, optimizer = names["model"], names["optimizer"]
    for _ in range(3):
        optimizer.zero_grad()
        F.cross_entropy(trained(images), labels).backward()
        optimizer.step()
    end = getattr(trained, "model", trained).state_dict()
    assert all(torch.equal(value, end[name]) for name, value in trial.copy.model.state_dict().items())
    assert chosen.describe(2.0, 1.0) != chosen.describe(3.0, 1.0)
    assert 0 < chosen.error(2.0, 1.0) < chosen.error(4.0, 1.0)


def test_normed_networks_get_advice_and_the_reason_for_what_they_lack():
    torch.manual_seed(0)
    images, labels = small_images()
    advice = lt.advise(Residual(), [(images, labels)], steps=10, loss=F.cross_entropy, optimizer=sgd(0.1), target=0.9,
                       trials=0)  # fmt: skip
    assert "lies between" in advice.reasons_without["upstream_"]
    assert "Without upstream_: " in str(advice)
    kinds = {row.knob for row in advice.rows}
    assert kinds == {"output scale", "learning rate", "layer rate"}
    assert all(row.how == "predicted" and row.low < row.S < row.high for row in advice.rows)


def test_what_is_lazy_already_needs_no_change():
    torch.manual_seed(0)
    x, y = regression()
    model = lt.scale_outputs(mlp(200, outputs=1), 100.0)
    advice = lt.advise(model, [(x, y)], steps=30, loss=F.mse_loss, optimizer=sgd(1e-6), target="lazy")
    assert advice.rows == ()
    assert "It is lazy already" in str(advice)
    assert advice.code == ""


def test_a_run_that_learned_nothing_says_so():
    x, y = blobs()
    torch.manual_seed(0)
    advice = lt.advise(mlp(), [(x, y)], steps=2, loss=F.cross_entropy, optimizer=sgd(1e-4), target=0.5, trials=0)
    assert "Little was learned in these steps" in str(advice)
    assert advice.best is None
    assert "No change that was considered reaches this" in str(advice)


def test_advice_in_a_notebook_escapes_what_it_shows(digits):
    model, images, labels = digits
    advice = lt.advise(model, [(images, labels)], steps=5, loss=F.cross_entropy, optimizer=sgd(0.05), target="lazy",
                       trials=0, knobs=[OutputScale()])  # fmt: skip
    page = advice._repr_html_()
    assert "<table>" in page
    assert "<p>Now: S = " in page


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"target": "richer"}, ValueError, "target must be 'lazy', 'rich', or a kernel distance S between 0 and 1"),
        ({"target": 1.5}, ValueError, "between 0 and 1; found 1.5"),
        ({"target": True}, ValueError, "found True"),
        ({"knobs": ["outputs"]}, TypeError, r"knobs must be knobs of lazyrich.torch.knobs, such as OutputScale"),
        ({"trials": -1}, ValueError, "trials must be"),
        ({"steps": 0}, ValueError, "steps must be"),
        ({"optimizer": "sgd"}, TypeError, "optimizer must make one for each copy"),
        ({"optimizer": sgd(1e9)}, ValueError, "the unchanged model diverged at step .*Lower its learning rate"),
        ({"loader": [tuple(part[:8] for part in blobs())]}, ValueError, "a sampled kernel needs at least"),
    ],
)
def test_advise_says_what_it_needs(change, error, message):
    x, y = blobs()
    torch.manual_seed(0)
    given = {"model": mlp(), "loader": [(x, y)], "steps": 4, "loss": F.cross_entropy, "optimizer": sgd(0.1)} | change
    if change.get("loader"):
        given["loader"] = [tuple(part[:4] for part in blobs())]
    if given["optimizer"] is change.get("optimizer") and callable(given["optimizer"]):
        given["loss"] = lambda out, labels: (out - F.one_hot(labels, 3)).square().mean()
        given["steps"] = 40
    with pytest.raises(error, match=message):
        lt.advise(**given)


def test_goals():
    assert goal_of("rich") == ("rich", 0.1)
    assert np.isclose(goal_of("lazy")[1], 0.005)


# --- diagnose without a knob


def test_diagnose_of_a_normed_network_scales_its_outputs_and_says_why():
    torch.manual_seed(0)
    images, labels = small_images()
    model = Residual()
    before = state_of(model)
    found = lt.diagnose(model, [(images, labels)], steps=25, loss=F.cross_entropy, optimizer=sgd(0.1),
                        alphas=(4.0,), snapshots=1)  # fmt: skip
    assert_same(model, before)
    assert found.knob == "output scale"
    assert "lies between" in found.reason
    text = str(found)
    assert text.startswith("Knob: output scale, f(θ₀) + α · (f(θ) − f(θ₀)), since `upstream_` cannot be used: ")
    losses = [found.runs[alpha].losses[0] for alpha in (1.0, 4.0)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-5), "the same function at the start"
    S = {alpha: run.S for alpha, (run,) in found.matched_runs().items()}
    assert S[1.0] > S[4.0]
    assert "How long: " in text
    assert "To make it lazier, S = " in text
    assert "lt.scale_outputs(model, 4)" in text
    assert found.runs[1.0].report.data.attrs["method"] in ("full", "sampled")


def test_diagnose_measures_by_samples_where_the_full_kernel_is_large():
    torch.manual_seed(0)
    images, labels = lt.data.drawn_digits(100)
    model = nn.Sequential(nn.Flatten(), nn.Linear(784, 300), nn.ReLU(), nn.Linear(300, 10))
    found = lt.diagnose(model, [(images, labels)], steps=2, loss=F.cross_entropy, optimizer=sgd(0.1), alphas=(2.0,),
                        snapshots=1, match="steps")  # fmt: skip
    assert found.runs[2.0].report.data.attrs["method"] == "sampled"
    exact = lt.diagnose(model, [(images, labels)], steps=2, loss=F.cross_entropy, optimizer=sgd(0.1), alphas=(2.0,),
                        snapshots=1, match="steps", sample=10)  # fmt: skip
    assert exact.runs[2.0].report.data.attrs["method"] == "full"
    assert found.runs[2.0].losses == exact.runs[2.0].losses


def test_diagnose_by_the_rate_of_a_layer():
    torch.manual_seed(0)
    x, y = blobs()
    found = lt.diagnose(mlp(), [(x, y)], steps=20, loss=F.cross_entropy, optimizer=sgd(0.1), alphas=(1e-6,),
                        knob=LayerRate("0"), snapshots=1, sample=10)  # fmt: skip
    moved = found.runs[1e-6].report.data.relative_distance.isel(step=-1)
    assert float(moved.sel(layer="0")) < 1e-5 < float(moved.sel(layer="2"))
    assert found.reason == ""


def test_trials_use_the_same_batches_and_dropout():
    model, x, y = in_use()
    model.train()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20, shuffle=True)
    known = Batch.from_nested(x), y
    setup = TrialSetup(model, loader, F.cross_entropy, sgd(0.1), OutputReader(), known, 1.0, 7, get_all_rng_states())
    one, other = setup.run(), setup.run(OutputScale(), 1.0)
    assert one.copy.losses == other.copy.losses
    assert len(set(one.copy.losses)) == 7
