"""A word for each layer, on networks whose answer is known."""

import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from lazyrich.probe.layer_names import readable_names
from lazyrich.probe.regimes import WORD_CODES
from lazyrich.torch import Probe


class Net(nn.Module):
    """Three layers whose parametrization is chosen: factors of the outputs, and sizes of the weights.

    In NTK parametrization f = W₃ φ(W₂ φ(W₁ x/√d)/√m)/√m with weights of variance 1; in maximal-update (mean-field)
    parametrization the last factor is 1/m, and rates grow with m.
    """

    def __init__(self, width, mean_field, seed=0):
        super().__init__()
        torch.manual_seed(seed)
        self.one = nn.Linear(6, width, bias=False)
        self.two, self.three = nn.Linear(width, width, bias=False), nn.Linear(width, 1, bias=False)
        for layer in (self.one, self.two, self.three):
            nn.init.normal_(layer.weight)
        self.factor = 1 / width if mean_field else width**-0.5

    def forward(self, x):
        y = torch.tanh(self.one(x) / 6**0.5)
        y = torch.tanh(self.two(y) / self.two.in_features**0.5)
        return self.factor * self.three(y)


def task(n=64):
    x = torch.randn(n, 6, generator=torch.Generator().manual_seed(3))
    return x, torch.sign(x[:, :1] * x[:, 1:2] + 0.2)


def learned(model, groups=None, rate=0.2, steps=300, **how):
    x, y = task()
    probe = Probe(model, x, y, **how)
    optimizer = torch.optim.SGD(groups or model.parameters(), lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    numbers = probe.snapshot(steps)
    return probe.report(), numbers


def words(report):
    return {layer.name: layer.word for layer in report.layers}


@pytest.mark.parametrize("exact", [True, False])
def test_wide_networks_in_ntk_parametrization_are_lazy_in_every_layer(exact):
    report, numbers = learned(Net(2048, False), rate=0.1, steps=100, exact=exact)
    assert report.regime == "lazy"
    assert words(report) == {"one": "lazy", "two": "lazy", "three": "lazy"}
    assert all(0 < layer.distance < 0.01 and layer.gap < 0.2 for layer in report.layers)
    assert numbers["layers_lazy"] == 3
    assert numbers["layer_regime/two"] == WORD_CODES["lazy"]


@pytest.mark.parametrize("exact", [True, False])
def test_in_maximal_update_parametrization_every_layer_is_rich(exact):
    report, numbers = learned(Net(512, True), rate=512.0, steps=100, exact=exact)
    assert report.data.function_distance[-1] > 0.9, "the task is learned"
    assert report.regime == "rich"
    assert words(report) == {"one": "rich", "two": "rich", "three": "rich"}
    assert numbers["layers_rich"] == 3


def test_a_frozen_layer_does_not_move():
    model = Net(256, True)
    model.one.weight.requires_grad_(False)
    report, numbers = learned(model, rate=256.0, steps=200)
    found = words(report)
    assert found.pop("one") == "does not move"
    assert set(found) == {"two", "three"}
    assert set(found.values()) <= {"in between", "rich"}
    assert numbers["layers_rich"] >= 1
    assert "one    does not move" in report.table()


@pytest.mark.parametrize("still", ["one", "two", "three"])
def test_a_layer_with_rate_zero_does_not_move(still):
    """Its own kernel may turn, since the other layers move; it is still not learning."""
    model = Net(256, True)
    groups = [{"params": m.parameters(), "lr": 0.0 if name == still else 256.0} for name, m in model.named_children()]
    report, numbers = learned(model, groups, steps=100)
    found = words(report)
    assert found.pop(still) == "does not move"
    assert "does not move" not in found.values()
    assert numbers["layers_does_not_move"] == 1
    assert f"layer_regime/{still}" in numbers


def test_layers_behind_a_readout_of_zero_come_from_zero():
    model = Net(64, False)
    nn.init.zeros_(model.three.weight)
    report, _ = learned(model)
    found = {layer.name: layer for layer in report.layers}
    assert [layer.word for layer in found.values()][:2] == ["from zero", "from zero"]
    assert np.isnan(found["one"].distance)
    assert np.isfinite(found["three"].distance)
    assert "from zero" in str(report)
    assert np.isfinite(report.evidence["kernel"])


def test_before_anything_is_learned_it_is_too_early():
    report, _ = learned(Net(64, False), rate=1e-4, steps=2)
    assert set(words(report).values()) == {"too early"}


def test_a_layer_s_distance_is_that_of_its_own_block():
    """Against the full kernel of one layer at a time, with the rates of the others 0."""
    from lazyrich.torch import tangent_kernel
    from lazyrich.torch.metrics import sampled_kernel_distance

    model, (x, _) = Net(256, True), task()
    start = copy.deepcopy(model)
    report, _ = learned(model, rate=256.0, steps=100, exact=False)
    for layer in report.layers:
        rates = {name: float(name == layer.name) for name, _ in model.named_children()}
        now, before = (tangent_kernel(of, x, rates=rates).numpy() for of in (model, start))
        truth = sampled_kernel_distance(now, before, len(x)).distance[0]
        assert layer.low < truth < layer.high, layer.name


def test_gaps_of_layers_add_up_to_the_gap_of_the_model():
    """To second order; exactly so where the function is quadratic in the parameters, as with two linear layers."""
    from lazyrich.torch._model.batch import Batch
    from lazyrich.torch._model.output_reader import OutputReader
    from lazyrich.torch._probe.sampled_kernel import SampledKernel

    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(6, 5, bias=False), nn.Linear(5, 2, bias=False)).double(), task()[0].double()
    sampled = SampledKernel(model, Batch.from_nested(x), OutputReader(), 2, None, 0)
    start = {name: p.detach().clone() for name, p in model.named_parameters()}
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p))
    now = {name: p.detach().clone() for name, p in model.named_parameters()}
    direction = {name: now[name] - start[name] for name in now}
    after, before = sampled.sampler.measure({}, 64, direction), sampled.sampler.measure(start, 64, direction)
    changed, sums = after.values - before.values, sum(after.slopes.values()) + sum(before.slopes.values())
    torch.testing.assert_close(changed, sums / 2)
    gap = changed - sum(before.slopes.values())
    torch.testing.assert_close(gap, sum(after.slopes[k] - before.slopes[k] for k in after.slopes) / 2)


def test_wrappers_are_left_out_of_names():
    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.compile(nn.Linear(6, 4))
            self.head = nn.utils.parametrizations.weight_norm(nn.Linear(4, 1))

        def forward(self, x):
            return self.head(self.body._orig_mod(x))

    x, _ = task()
    seen = []
    probe = Probe(Wrapped(), x, log=lambda numbers, step: seen.append(numbers))
    names = [layer.name for layer in probe.report().layers]
    assert names == ["body", "head", "head.weight"]
    assert "relative_distance/body" in seen[0]
    assert readable_names(["_orig_mod.a", "b"]) == {"_orig_mod.a": "a", "b": "b"}


def test_the_table_of_many_layers_shows_the_extremes():
    torch.manual_seed(0)
    layers = [m for _ in range(20) for m in (nn.Linear(6, 6), nn.Tanh())]
    x, y = task()
    model = nn.Sequential(*layers, nn.Linear(6, 1))
    probe = Probe(model, x, y)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    for _ in range(30):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    probe.snapshot(30)
    report = probe.report()
    assert len(report.table().splitlines()) == 22
    assert "of 21 layers: " in str(report)
    assert len(str(report).splitlines()) < 32
