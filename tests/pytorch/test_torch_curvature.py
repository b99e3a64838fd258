"""The sharpness of torch models against the dense Hessian, with the optimizer's own step sizes."""

import time

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from training import Transformer, assert_same, state_of

from lazyrich.torch import Probe, sharpness


def double_mlp(seed=0, activation=nn.Tanh):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 6), activation(), nn.Linear(6, 5), activation(), nn.Linear(5, 3)).double()
    return model, torch.randn(12, 4).double(), torch.randn(12, 3).double()


def dense_spectrum(model, x, y, loss, steps=None, decay=0.0):
    """Eigenvalues of √P (∇²L + decay) √P by torch's own Hessian; P as a vector."""
    names = [name for name, p in model.named_parameters() if p.requires_grad]
    shapes = [dict(model.named_parameters())[name].shape for name in names]

    def of(flat):
        parts = flat.split([int(np.prod(shape)) for shape in shapes])
        values = {name: part.view(shape) for name, part, shape in zip(names, parts, shapes, strict=True)}
        return loss(torch.func.functional_call(model, values, (x,)), y)

    flat = torch.cat([dict(model.named_parameters())[name].detach().reshape(-1) for name in names])
    H = torch.autograd.functional.hessian(of, flat) + decay * torch.eye(len(flat)).to(flat)
    root = torch.ones_like(flat) if steps is None else steps.sqrt()
    return torch.linalg.eigvalsh(root[:, None] * H * root).numpy()


@pytest.mark.parametrize("activation", [nn.Tanh, nn.ReLU, nn.GELU])
def test_against_the_dense_hessian(activation):
    model, x, y = double_mlp(1, activation)
    for loss, targets in ((F.mse_loss, y), (F.cross_entropy, torch.arange(12) % 3)):
        spectrum = dense_spectrum(model, x, targets, loss)
        assert float(sharpness(model, x, targets, loss)) == pytest.approx(spectrum[-1], rel=1e-8)
    model[0].weight.requires_grad_(False)
    assert float(sharpness(model, x, y, F.mse_loss)) == pytest.approx(
        dense_spectrum(model, x, y, F.mse_loss)[-1], rel=1e-8
    )


def test_single_precision_and_linear_losses():
    model, x, y = double_mlp(2)
    exact = float(sharpness(model, x, y, F.mse_loss))
    assert float(sharpness(model.float(), x.float(), y.float(), F.mse_loss)) == pytest.approx(exact, rel=1e-5)
    linear = nn.Linear(3, 1)
    assert float(sharpness(linear, torch.randn(5, 3), torch.ones(5, 1), lambda out, y: (out * y).sum())) == 0


OPTIMIZERS = {
    "sgd": (lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.3), 2.0),
    "heavy ball": (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), 3.8),
    "nesterov": (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True), 3.8 / 2.8),
    "adam": (lambda p: torch.optim.Adam(p, lr=0.01, betas=(0.9, 0.99), weight_decay=0.3), 38.0),
    "adamw": (lambda p: torch.optim.AdamW(p, lr=0.01, betas=(0.8, 0.99), weight_decay=0.3), 18.0),
    "rmsprop": (lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5), 3.0),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_in_the_geometry_of_the_optimizer(name):
    model, x, y = double_mlp(3)
    make, edge = OPTIMIZERS[name]
    optimizer = make(model.parameters())
    for _ in range(5):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    group = optimizer.param_groups[0]
    parts = []
    for p in model.parameters():
        state = optimizer.state[p]
        if "exp_avg_sq" in state:
            root = (state["exp_avg_sq"] / (1 - group["betas"][1] ** 5)).sqrt()
            parts.append((group["lr"] / (root + 1e-8)).reshape(-1))
        elif "square_avg" in state:
            parts.append((group["lr"] / (state["square_avg"].sqrt() + 1e-8)).reshape(-1))
        else:
            parts.append(torch.full((p.numel(),), group["lr"], dtype=torch.float64))
    decay = 0.3 if name in ("sgd", "adam") else 0.0
    spectrum = dense_spectrum(model, x, y, F.mse_loss, torch.cat(parts), decay)
    found = sharpness(model, x, y, F.mse_loss, optimizer=optimizer)
    assert found.value == pytest.approx(spectrum[-1], rel=1e-8)
    assert found.edge == pytest.approx(edge)
    assert found.ratio == pytest.approx(spectrum[-1] / edge, rel=1e-8)


@pytest.mark.parametrize("name", ["heavy ball", "nesterov", "adam"])
def test_the_edge_is_where_steps_stop_being_stable(name):
    """On a quadratic, torch's own steps shrink below the edge and grow above it (Adam with v̂ = 1, and after its
    correction of the first steps has faded)."""
    growth = []
    for factor in (0.98, 1.02):
        w = nn.Parameter(torch.tensor([1e-8], dtype=torch.float64))
        make, edge = OPTIMIZERS[name]
        optimizer = make([w])
        group = optimizer.param_groups[0]
        group["weight_decay"] = 0.0
        b2 = 1 - 2.0**-40
        if name == "adam":
            group["betas"] = (0.9, b2)
        curvature = factor * edge / group["lr"]
        sizes = []
        for step in range(600):
            if name == "adam" and step:
                optimizer.state[w]["exp_avg_sq"].fill_(1 - b2 ** (step + 1))
            w.grad = curvature * w.detach().clone() * float(step > 199)
            optimizer.step()
            w.data.fill_(1e-8) if step == 199 else None
            sizes.append(abs(w.item()))
        growth.append(max(sizes[-20:]) / max(sizes[400:420]))
    assert growth[0] < 0.9
    assert growth[1] > 1.1


def test_attention_and_what_is_left_as_it_was():
    torch.manual_seed(0)
    model = Transformer()
    x, y = torch.randint(0, 5, (6, 7)), torch.randint(0, 2, (6,))
    before = state_of(model)
    one = sharpness(model, x, y, lambda out, y: F.cross_entropy(out.reshape(6, -1), y))
    assert_same(model, before)
    again = sharpness(model, x, y, lambda out, y: F.cross_entropy(out.reshape(6, -1), y), seed=3)
    assert one.value == pytest.approx(again.value, rel=1e-4)
    assert one.value > 0


def test_what_cannot_be_measured_is_refused():
    model, x, y = double_mlp(4)
    adam = torch.optim.Adam(model.parameters())
    with pytest.raises(ValueError, match="Adam has taken no step yet"):
        sharpness(model, x, y, F.mse_loss, optimizer=adam)
    with pytest.raises(TypeError, match="loss must be a function of"):
        sharpness(model, x, y, "mse")
    with pytest.raises(ValueError, match="the optimizer holds no trainable parameter of this model"):
        sharpness(model, x, y, F.mse_loss, optimizer=torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1))
    with pytest.raises(ValueError, match=r"single precision at least; found torch.bfloat16: measure copy.deepcopy"):
        sharpness(model.bfloat16(), x.bfloat16(), y.bfloat16(), F.mse_loss)
    model, x, y = double_mlp(4)
    with torch.no_grad():
        model[0].weight[0, 0] = float("nan")
    with pytest.raises(ValueError, match=r"'0.weight' has 1 of 24 entries that are NaN or infinite"):
        sharpness(model, x, y, F.mse_loss)


def test_the_probe_measures_it_beside_the_kernel():
    model, x, y = double_mlp(5)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    probe = Probe(model, x, y, loss=F.mse_loss, optimizer=optimizer, sharpness=True)
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    numbers = probe.snapshot(1)
    expected = sharpness(model, x, y, F.mse_loss, optimizer=optimizer)
    assert numbers["sharpness"] == pytest.approx(expected.value, rel=1e-8)
    assert numbers["sharpness_edge"] == pytest.approx(38.0)
    report = probe.report()
    assert np.isnan(report.data.sharpness[0])  # before Adam's first step
    assert "% of the edge of stability (38)" in str(report)
    plain = Probe(model, x, y, loss=F.mse_loss, sharpness=True).report()
    assert float(plain.data.sharpness[0]) == pytest.approx(float(sharpness(model, x, y, F.mse_loss)), rel=1e-8)
    assert "sharpness λ = " in str(plain)
    assert "sharpness" not in Probe(model, x, y, loss=F.mse_loss).report().data
    with pytest.raises(ValueError, match=r"sharpness=True is the curvature of a loss: pass loss="):
        Probe(model, x, y, sharpness=True)


def test_a_sampled_probe_measures_it_on_all_inputs_and_outside_the_budget(monkeypatch):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1)).double()
    x, y = torch.randn(200, 3).double(), torch.randn(200, 1).double()
    probe = Probe(model, x, y, loss=F.mse_loss, sharpness=True, exact=False)
    with torch.no_grad():
        model[0].weight.mul_(1.1)
    measure, clock, late = probe._measure_sharpness, time.perf_counter, [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + late[0])

    def measure_for_an_hour():
        late[0] += 3600
        return measure()

    monkeypatch.setattr(probe, "_measure_sharpness", measure_for_an_hour)
    numbers = probe.snapshot(1)
    assert numbers["kernel_inputs"] == 32
    assert numbers["sharpness"] == pytest.approx(float(sharpness(model, x, y, F.mse_loss)), rel=1e-8)
    assert numbers["seconds"] < 3600
    assert probe.snapshot(2)["training_seconds"] < 3600
    assert "without the sharpness" in str(probe.report())
