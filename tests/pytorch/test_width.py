"""Exponents of width on networks whose exponents are known, and what is said of them."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.probe.width_exponents import fit_exponent
from tests.pytorch.parametrizations import INPUTS, MLP, Transformer, adam, sgd

WIDTHS = (64, 128, 256, 512)


def regression():
    generator = torch.Generator().manual_seed(0)
    # Targets that are large beside the function at the start, which differs from draw to draw.
    return [(torch.randn(16, INPUTS, generator=generator), 20 * torch.randn(16, 1, generator=generator))]


def checked(kind, optimizer, steps=1, tangent=False, seeds=3, widths=WIDTHS):
    return lt.width_check(
        lambda n: MLP(n, kind), widths, regression(), loss=F.mse_loss, optimizer=optimizer, steps=steps,
        tangent=tangent, seeds=seeds,
    )  # fmt: skip


# Own updates after one step, from the first layer to the last: ΔW ∝ δ xᵀ for SGD, its sign for Adam.
KNOWN = {
    "standard, SGD": ("standard", sgd(1e-5), (-0.5, 0.5, 1.0)),
    "NTK, SGD": ("ntk", sgd(1e-3), (-0.5, -0.5, 0.0)),
    "muP, SGD": ("mup", sgd(1e-3), (0.0, 0.0, 0.0)),
    "standard, Adam": ("standard", adam(1e-6), (0.0, 1.0, 1.0)),
    "muP, Adam": ("mup", adam(1e-3), (0.0, 0.0, 0.0)),
    "muP, first layer without its rate": ("mup", sgd(1e-3, frozen_input=True), (-1.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_exponents_are_found(name):
    kind, optimizer, known = KNOWN[name]
    found = checked(kind, optimizer)
    assert found.layers == ["first", "hidden", "last"]
    for layer, true in zip(found.layers, known, strict=True):
        own = found.exponent("own_update", layer)
        assert own.slope == pytest.approx(true, abs=0.1), (layer, own)
        assert own.error < 0.2
        said = found.verdict(layer)
        words = "transfers" if true == 0 else "becomes lazy" if true < 0 else "explodes"
        assert said.startswith(words), said
        if true:
            power = {0.5: "n^(1/2)", 1.0: "n", -0.5: "n^(-1/2)", -1.0: "n^(-1)"}[-true]
            assert said.endswith(f"multiply its rate by {power}"), said
    for layer in found.layers[:2]:  # nothing of this is seen in the sizes of activations
        assert abs(found.exponent("activation", layer).slope) < 0.1
    assert ("should serve" in str(found)) == (not any(known))


class Outside(MLP):
    """The same networks with their multipliers outside of the modules."""

    def __init__(self, n, kind):
        super().__init__(n, kind)
        self.factors = [layer.multiplier for layer in (self.first, self.hidden, self.last)]
        for layer in (self.first, self.hidden, self.last):
            layer.multiplier = 1.0

    def forward(self, x):
        a, b, c = self.factors
        return c * self.last(torch.tanh(b * self.hidden(torch.tanh(a * self.first(x)))))


@pytest.mark.parametrize("name", ["NTK, SGD", "muP, SGD", "muP, first layer without its rate"])
def test_a_multiplier_outside_of_a_layer_changes_no_verdict(name):
    kind, optimizer, known = KNOWN[name]
    found = lt.width_check(
        lambda n: Outside(n, kind), WIDTHS, regression(), loss=F.mse_loss, optimizer=optimizer, steps=1, tangent=False
    )
    for layer, true in zip(found.layers, known, strict=True):
        assert found.exponent("relative_update", layer).slope == pytest.approx(true, abs=0.15), layer
        assert found.verdict(layer).startswith("transfers" if true == 0 else "becomes lazy")


@pytest.mark.parametrize(("kind", "lr", "hidden"), [("standard", 1e-6, 1.0), ("mup", 1e-3, 0.0)])
def test_a_transformer(kind, lr, hidden):
    generator = torch.Generator().manual_seed(0)
    batch = torch.randint(11, (16, 6), generator=generator), torch.randint(11, (16,), generator=generator)
    found = lt.width_check(
        lambda n: Transformer(n, kind), (64, 128, 256, 512), [batch], loss=F.cross_entropy, optimizer=adam(lr),
        steps=2, tangent=False, seeds=3,
    )  # fmt: skip
    for layer in found.layers:
        inner = layer in ("q", "k", "v", "o", "up", "down") or (layer == "head" and kind == "standard")
        assert found.exponent("own_update", layer).slope == pytest.approx(hidden if inner else 0.0, abs=0.1), layer


@pytest.mark.slow
def test_laziness_of_the_whole_model():
    """NTK: the kernel moves by 1/n (Huang & Yau 2020), so S goes as n⁻² and the gap as n⁻¹; muP: not at all."""
    widths = (128, 256, 512, 1024)
    lazy = checked("ntk", sgd(0.01), steps=4, tangent=True, seeds=6, widths=widths)
    assert lazy.exponent("kernel_distance").slope == pytest.approx(-2.0, abs=0.3)
    assert lazy.exponent("linearization_gap").slope == pytest.approx(-1.0, abs=0.15)
    rich = checked("mup", sgd(0.1), steps=4, tangent=True, seeds=6, widths=widths)
    assert abs(rich.exponent("kernel_distance").slope) < 0.1
    assert abs(rich.exponent("linearization_gap").slope) < 0.1
    assert all(abs(rich.exponent("feature_distance", layer).slope) < 0.1 for layer in ("first", "hidden"))


def test_the_exponent_is_that_of_least_squares():
    generator = np.random.default_rng(0)
    widths, values = np.array([10, 20, 40, 80]), np.exp(generator.normal(size=(3, 4)))
    found = fit_exponent(widths, values)
    x, y = np.log(np.tile(widths, 3)), np.log(values).ravel()
    (slope, _), covariance = np.polyfit(x, y, 1, cov=True)
    assert found.slope == pytest.approx(slope, rel=1e-9)
    assert found.error == pytest.approx(2.228 * math.sqrt(covariance[0, 0]), rel=1e-3)  # Student's t, 10 degrees
    assert math.isnan(fit_exponent(widths, 0 * values).slope)
    assert math.isinf(fit_exponent(widths, np.full((1, 4), np.nan)).slope)


def test_error_bars_of_exponents_cover():
    """Of values with a known slope and noise, in 90 to 99 of 100 draws."""
    widths, hits = np.array([64, 128, 256, 512]), 0
    for seed in range(100):
        noise = np.random.default_rng(seed).normal(size=(3, 4))
        found = fit_exponent(widths, widths**-0.5 * np.exp(0.2 * noise))
        hits += abs(found.slope + 0.5) <= found.error
    assert 90 <= hits <= 99


def test_own_updates_are_what_the_weights_have_added():
    """By hand, on a network of one layer more: (W − W₀) x at the present x."""
    x, y = regression()[0]
    found = checked("standard", sgd(1e-3), steps=3, seeds=1, widths=(8, 16))
    torch.manual_seed(0)
    model = MLP(8, "standard")
    first, hidden = model.first.weight.detach().clone(), model.hidden.weight.detach().clone()
    opt = sgd(1e-3)(model)
    with torch.no_grad():
        before = model.hidden(torch.tanh(model.first(x)))
    for _ in range(3):
        opt.zero_grad()
        F.mse_loss(model(x), y).backward()
        opt.step()
    with torch.no_grad():
        seen = torch.tanh(model.first(x))
        now = model.hidden(seen)
        own = {"first": x @ (model.first.weight - first).T, "hidden": seen @ (model.hidden.weight - hidden).T}
        passed_on = {"first": 0 * own["first"], "hidden": (seen - torch.tanh(x @ first.T)) @ hidden.T}
    at = found.data.sel(width=8, seed=0, step=3)
    for layer, update in own.items():
        assert float(at.own_update.sel(layer=layer)) == pytest.approx(float(update.square().mean().sqrt()), rel=1e-5)
    for layer, change in passed_on.items():
        assert float(at.passed_on.sel(layer=layer)) == pytest.approx(float(change.square().mean().sqrt()), rel=1e-5)
    assert float(at.change.sel(layer="hidden")) == pytest.approx(float((now - before).square().mean().sqrt()), rel=1e-5)
    assert float(at.activation.sel(layer="hidden")) == pytest.approx(float(now.square().mean().sqrt()), rel=1e-5)
    one, other = (z.double() @ z.double().T for z in (now, before))
    S = 1 - float((one * other).sum() / one.norm() / other.norm())
    assert float(at.feature_distance.sel(layer="hidden")) == pytest.approx(S, rel=1e-3)
    assert list(found.data.step.values) == [1, 2, 3]


class Attention(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.read, self.mix, self.head = (
            nn.Linear(INPUTS, n),
            nn.MultiheadAttention(n, 2, batch_first=True),
            nn.Linear(n, 1),
        )
        self.scale, self.head.bias.requires_grad = nn.Parameter(torch.ones(1)), False

    def forward(self, x):
        h = self.read(x)[:, None]
        return self.head(self.mix(h, h, h)[0][:, 0]) * self.scale


def test_what_is_drawn_and_special_models():
    x, y = regression()[0]
    given = {"loss": F.mse_loss, "steps": 2, "seeds": 2}

    def frozen(n):
        model = Attention(n)
        model.read.weight.requires_grad_(False)
        model.read.bias.requires_grad_(False)
        return model

    make = lambda model: torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1e-6)  # noqa: E731
    found = lt.width_check(Attention, (8, 16, 32), [(x, y)], optimizer=make, **given)
    assert found.layers == ["read", "mix", "head"]  # attention is one layer; what the model itself holds is none
    assert {"kernel_distance", "linearization_gap"} <= set(found.data)
    figure = found.plot()
    assert len(figure.axes) == 4
    assert [text.get_text() for text in figure.axes[3].get_legend().get_texts()] == found.layers
    still = lt.width_check(frozen, (8, 16), [(x, y)], optimizer=make, **given, tangent=False)
    assert still.layers == ["mix", "head"]
    idle = lambda model: torch.optim.SGD([model.head.weight], lr=1e-3)  # noqa: E731
    still = lt.width_check(Attention, (8, 16), [(x, y)], optimizer=idle, **given, tangent=False)
    assert still.verdict("mix").startswith("does not move")
    still.plot()
    wild = lambda model: torch.optim.SGD(model.parameters(), lr=1e30)  # noqa: E731
    burst = lt.width_check(lambda n: MLP(n, "standard"), (8, 16), [(x, y)], optimizer=wild, **given, tangent=False)
    assert burst.verdict("last").startswith("diverged")
    burst.plot()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"widths": (8,)}, ValueError, "at least two widths"),
        ({"widths": (0, 8)}, ValueError, "a width must be a whole number"),
        ({"widths": 8}, TypeError, "widths must be several whole numbers, such as .*; found 8"),
        ({"steps": 0}, ValueError, "steps must be"),
        ({"steps": 3, "batches": iter(regression())}, ValueError, "was used up after 1 of 3 steps"),
        ({"make_model": nn.Linear(2, 2)}, TypeError, "make_model must be a function of the width.*; found Linear"),
        ({"make_model": lambda n: n}, ValueError, "a model must be a torch.nn.Module; found int"),
        ({"optimizer": "sgd"}, TypeError, "optimizer must be a function of the model.*; found str"),
        ({"loss": "mse"}, TypeError, r"loss must be a function of \(outputs, targets\), .*; found 'mse'"),
        ({"batches": []}, ValueError, "the loader is empty"),
        ({"optimizer": lambda model: 3}, TypeError, "must be a function of the model that makes one"),
    ],
)
def test_refusals(change, error, message):
    given = {"make_model": lambda n: MLP(n, "mup"), "widths": (8, 16), "batches": regression(), "loss": F.mse_loss,
             "optimizer": sgd(0.1), "steps": 1, "seeds": 1} | change  # fmt: skip
    with pytest.raises(error, match=message):
        lt.width_check(**given)


def test_the_random_state_is_left_alone():
    torch.manual_seed(3)
    expected = torch.rand(3)
    torch.manual_seed(3)
    checked("mup", sgd(0.1), seeds=1, widths=(8, 16))
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_against_the_coordinate_check_of_mup():
    """The same model, made by mup: its coordinates grow as ours; what it does not ask, ours says."""
    mup = pytest.importorskip("mup")
    coordinates = pytest.importorskip("mup.coord_check")

    class Net(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.first, self.hidden = nn.Linear(INPUTS, n, bias=False), nn.Linear(n, n, bias=False)
            self.readout = mup.MuReadout(n, 3, bias=False)

        def forward(self, x):
            return self.readout(torch.tanh(self.hidden(torch.tanh(self.first(x)))))

    def make(n):
        model = Net(n)
        mup.set_base_shapes(model, Net(32), delta=Net(64), do_assert=True)
        for p in model.parameters():
            mup.init.normal_(p, std=0.3) if p.ndim < 2 else mup.init.kaiming_normal_(p, a=1)
        return model

    x, y = regression()[0][0], torch.arange(16) % 3
    kind = {"sgd": lambda lr: lambda model: mup.MuSGD(model.parameters(), lr=lr),
            "adam": lambda lr: lambda model: mup.MuAdam(model.parameters(), lr=lr)}  # fmt: skip
    for name, lr in (("sgd", 0.5), ("adam", 0.01)):
        found = lt.width_check(make, WIDTHS, [(x, y)], loss=F.cross_entropy, optimizer=kind[name](lr), steps=3, seeds=3)
        table = coordinates.get_coord_data(
            {n: (lambda n=n: make(n)) for n in WIDTHS}, [(x, y)], optimizer=name, lr=lr, mup=True, nsteps=4, nseeds=3,
            lossfn="xent", cuda=False, flatten_input=False, output_fdict={"l1": lambda z: z.abs().mean()},
        )  # fmt: skip
        for layer in ("first", "hidden"):
            rows = table[(table.module == layer) & (table.t == 4)]
            theirs = np.polyfit(np.log(rows.width.astype(float)), np.log(rows.l1.astype(float)), 1)[0]
            assert found.exponent("activation", layer).slope == pytest.approx(theirs, abs=0.1)
            assert abs(found.exponent("own_update", layer).slope) < 0.15, (name, layer)
        assert "should serve" in found.summary


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_against_the_refined_coordinate_check():
    """On one training run, (W − W₀)x and W₀(x − x₀) are the numbers of torch-module-monitor (Haas et al. 2025)."""
    monitoring = pytest.importorskip("torch_module_monitor")

    def make(n):
        return nn.Sequential(nn.Linear(INPUTS, n), nn.Tanh(), nn.Linear(n, n), nn.Tanh(), nn.Linear(n, 1))

    (x, y), steps, optimizer = regression()[0], 3, lambda m: torch.optim.Adam(m.parameters(), lr=1e-2)
    found = lt.width_check(  # on one input, where a mean of norms is a root of a mean square
        make, (8, 16), [(x, y)], loss=F.mse_loss, optimizer=optimizer, steps=steps, seeds=1, inputs=x[:1], tangent=False
    )
    torch.manual_seed(0)
    model = make(16)
    torch.manual_seed(0)
    reference, opt = make(16), optimizer(model)
    for _ in range(steps):
        opt.zero_grad()
        F.mse_loss(model(x), y).backward()
        opt.step()
    monitor = monitoring.ModuleMonitor(monitor_step_fn=lambda step: True)
    monitor.set_module(model)
    monitor.set_reference_module(reference)
    check = monitoring.RefinedCoordinateCheck(monitor)
    monitor.begin_step(0)
    with torch.no_grad():
        reference(x[:1]), model(x[:1])
    check.refined_coordinate_check()
    monitor.end_step()
    theirs = monitor.get_step_metrics()
    at = found.data.sel(width=16, seed=0, step=steps)
    for layer, module in (("0", model[0]), ("2", model[2]), ("4", model[4])):
        for name, prefix in (("own_update", "RCC (W_t-W_0)x_t"), ("passed_on", "RCC W_0(x_t-x_0)")):
            norms = float(theirs[f"{prefix}/{layer}/l2norm"])
            ours = float(at[name].sel(layer=layer)) * module.out_features**0.5
            assert ours == pytest.approx(norms, rel=1e-4, abs=1e-6), (layer, name)
