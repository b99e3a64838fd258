"""Low-rank adapters: words, imbalance, movement, and the orders of magnitude before training."""

import copy

import jax
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich as lr
import lazyrich.torch as lt
from lazyrich.torch._model.low_rank_adapters import find_adapters


class LoRA(nn.Module):
    """An adapter as modules, with a scaling that is a number."""

    def __init__(self, base, rank=3, scaling=2.0):
        super().__init__()
        self.base_layer, self.scaling = base.requires_grad_(False), scaling
        self.lora_A = nn.Linear(base.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, x):
        return self.base_layer(x) + self.scaling * self.lora_B(self.lora_A(x))


class LoRALinear(nn.Linear):
    """An adapter as parameters of the layer itself, whose weight is stored with its inputs first."""

    def __init__(self, inputs, outputs, rank=3):
        super().__init__(outputs, inputs, bias=False)
        self.scaling, self.fan_in_fan_out = 0.5, True
        self.weight.requires_grad_(False)
        self.lora_A, self.lora_B = nn.Parameter(torch.randn(rank, inputs)), nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, x):
        return x @ self.weight + self.scaling * x @ self.lora_A.T @ self.lora_B.T


def adapted(dtype=torch.float32):
    torch.manual_seed(0)
    return nn.Sequential(LoRA(nn.Linear(6, 8)), nn.Tanh(), LoRALinear(8, 5), nn.Tanh(), nn.Linear(5, 2)).to(dtype)


def task(n=64, dtype=torch.float32):
    x = torch.randn(n, 6, generator=torch.Generator().manual_seed(0)).to(dtype)
    return x, torch.stack([torch.sin(2 * x[:, 0]), x[:, 1] * x[:, 2]], 1)


def trained(model, rate=0.1, steps=60, probe=None):
    x, y = task()
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=rate)
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        if probe is not None and step % 30 == 0:
            probe.snapshot(step)
    return model


def test_the_kernel_of_an_adapter_is_that_of_both_its_factors():
    """Against the full kernel of the adapter alone; A begins without a kernel, the adapter does not."""
    model, (x, y) = adapted(), task()
    start, probe = copy.deepcopy(model), lt.Probe(model, x, y, exact=False)
    trained(model, probe=probe)
    report = probe.report()
    assert [one.name for one in report.adapters] == ["0", "2"]
    parameters = {"0": ("0.lora_A.weight", "0.lora_B.weight"), "2": ("2.lora_A", "2.lora_B")}
    for one in report.adapters:
        rates = {k: float(k in parameters[one.name]) for k, p in model.named_parameters() if p.requires_grad}
        now, before = (lt.tangent_kernel(of, x, rates=rates).reshape(64, 2, 64, 2).clone() for of in (model, start))
        for kernel in (now, before):
            kernel[torch.arange(64), :, torch.arange(64)] = 0
        truth = 1 - float((now * before).sum() / (now.norm() * before.norm()))
        assert one.low < truth < one.high
        assert one.word in ("rich", "in between")
    words = {layer.name: layer.word for layer in report.layers}
    assert words["0.lora_A"] == "from zero"
    assert words["0.lora_B"] != "from zero"
    text = str(report)
    assert "adapter  word" in text
    assert "adapter" in report.data.dims


def test_weights_are_the_same_bit_for_bit_with_a_probe():
    x, y = task()
    one = trained(adapted())
    model = adapted()
    other = trained(model, probe=lt.Probe(model, x, y))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_movement_and_imbalance_are_those_of_the_effective_weight():
    """The effective weight is read off the outputs on the unit vectors; rates enter δ as in the theory."""
    model, (x, _) = adapted(), task()
    start, probe = copy.deepcopy(model), lt.Probe(model, x, rates={"0.lora_B": 4.0}, exact=False)
    trained(model)
    probe.snapshot(60)
    found = {one.name: one for one in probe.report().adapters}
    for i, inputs in ((0, 6), (2, 8)):
        eye, zero = torch.eye(inputs), torch.zeros(1, inputs)
        after, before = ((of[i](eye) - of[i](zero)).detach().double() for of in (model, start))
        moved = float((after - before).norm() / before.norm())
        assert found[str(i)].moved == pytest.approx(moved, rel=1e-5)
    A, B = (getattr(model[0], k).weight.detach().double() for k in ("lora_A", "lora_B"))
    assert found["0"].delta == pytest.approx(2.0 / 3 * float(B.square().sum() / 2 - 2 * A.square().sum()), rel=1e-5)
    A, B = (getattr(model[2], k).detach().double() for k in ("lora_A", "lora_B"))
    assert found["2"].delta == pytest.approx(0.5 / 3 * float(B.square().sum() - A.square().sum()), rel=1e-5)


def test_imbalance_at_the_start_is_that_of_the_closed_form():
    net = lr.inits.lora(jax.random.key(0), 24, 12, 6, size=4.0, alpha=12)
    A = np.asarray(net.weights[0])
    model = LoRA(nn.Linear(24, 12, bias=False), 6, 2.0).double()
    model.lora_A.weight.data = torch.tensor(A / 2.0**0.5)
    (adapter,) = find_adapters(model)
    values = {name: p.detach() for name, p in model.named_parameters()}
    assert adapter.delta(values) == pytest.approx(-8.0), "−s · size"


def test_a_large_adapter_of_low_rank_is_delayed_rich():
    """Its state is set to the closed form at three times; S at the end is that of the exact trajectory."""
    rng = np.random.default_rng(0)
    d, c, rank = 24, 12, 6
    U, V = (np.linalg.qr(rng.normal(size=(n, n)))[0][:, :4] for n in (d, c))
    change = (U * np.array([3.0, 2.0, 1.0, 0.5])) @ V.T
    net = lr.inits.lora(jax.random.key(0), d, c, rank, size=90.0)
    flow = lr.GradientFlow(net, lr.Problem(np.eye(d), change))
    trajectory = lr.exact(flow, [0.0, 0.1, 1e3])
    model = LoRA(nn.Linear(d, c, bias=False), rank, 1.0).double()
    x = torch.randn(128, d, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    snapshots = []
    for k in range(3):
        A, B = (torch.tensor(np.asarray(w)[k]) for w in trajectory.nets.weights)
        model.lora_A.weight.data, model.lora_B.weight.data = A, B
        if k == 0:
            probe = lt.Probe(model, x, exact=False, budget=None)
        else:
            probe.snapshot(k)
        snapshots.append(probe.report().adapters[0].word)
    assert snapshots[1:] == ["lazy", "delayed rich"]
    (last,) = probe.report().adapters
    S = float(lr.metrics.kernel_distance(trajectory)[-1])
    assert last.low < S < last.high


def test_slope_and_curvature_are_blocks_of_the_hessian():
    model, (x, y) = adapted(torch.float64), task(20, torch.float64)
    found = lt.adapter_rates(model, x, y, F.mse_loss)
    parameters = {k: p.detach() for k, p in model.named_parameters()}
    pairs = {"0": ("0.lora_A.weight", "0.lora_B.weight"), "2": ("2.lora_A", "2.lora_B")}
    names = [name for pair in pairs.values() for name in pair]

    def loss(*values):
        return F.mse_loss(
            torch.func.functional_call(model, {**parameters, **dict(zip(names, values, strict=True))}, x), y
        )

    blocks = torch.autograd.functional.hessian(loss, tuple(parameters[k] for k in names))
    sizes = {k: parameters[k].numel() for k in names}
    hessian = {
        (k, l): blocks[i][j].reshape(sizes[k], sizes[l]) for i, k in enumerate(names) for j, l in enumerate(names)
    }
    for name, (A, B) in pairs.items():
        assert found.slopes[name] == pytest.approx(float(torch.linalg.matrix_norm(hessian[A, B], 2)), rel=1e-9)
    Bs = [B for _, B in pairs.values()]
    joint = torch.cat([torch.cat([hessian[k, l] for l in Bs], 1) for k in Bs])
    assert found.curvature == pytest.approx(float(torch.linalg.eigvalsh(joint)[-1]), rel=1e-6)
    assert found.rate == pytest.approx(0.8 / max(found.slopes.values()))
    assert found.rate_range[0] < found.rate < found.rate_range[1]
    assert all(p.grad is None for p in model.parameters())
    assert [p.requires_grad for p in model.parameters()] == [p.requires_grad for p in adapted().parameters()]


def test_what_has_no_adapters_or_is_trained_is_refused():
    x, y = task()
    with pytest.raises(ValueError, match="Linear has no low-rank adapters: needed are modules with `lora_A`"):
        lt.adapter_rates(nn.Linear(6, 2), x, y, F.mse_loss)
    with pytest.raises(ValueError, match=r"'0\.lora_B\.weight' is not zero: rates and scales follow from the start"):
        lt.adapter_rates(trained(adapted(), steps=2), x, y, F.mse_loss)
    model = adapted()
    model[4] = nn.Linear(5, 2).requires_grad_(False)
    nn.init.zeros_(model[4].weight)
    with pytest.raises(ValueError, match=r"no gradient reaches '0\.base_layer\.weight'"):
        lt.adapter_rates(model, x, y, F.mse_loss)


def test_a_call_whose_result_is_detached_is_no_use_of_the_layer():
    """As the norm of DoRA, for which the adapter is applied to the unit vectors."""

    class Normed(LoRA):
        def forward(self, x):
            weight = self.base_layer.weight + self.scaling * self.lora_B(self.lora_A(torch.eye(6))).T
            return super().forward(x) / weight.detach().norm(dim=1)

    torch.manual_seed(0)
    model, (x, _) = nn.Sequential(Normed(nn.Linear(6, 8)), nn.Tanh(), nn.Linear(8, 2)), task()
    nn.init.normal_(model[0].lora_B.weight)
    K = lt.tangent_kernel(model, x[:12])
    rows = []
    for i in range(12):
        for k in range(2):
            out = model(x[i : i + 1])[0, k]
            some = [p for p in model.parameters() if p.requires_grad]
            rows.append(torch.cat([g.flatten() for g in torch.autograd.grad(out, some)]))
    J = torch.stack(rows)
    torch.testing.assert_close(K, J @ J.T, rtol=1e-4, atol=1e-5)
    assert lt.Probe(model, x, exact=False).report().adapters[0].word == "does not move"
