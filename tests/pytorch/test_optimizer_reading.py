"""What the optimizer is, read off it: rates, preconditioners, decay; and what it should do to conserved quantities."""

import copy
import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.func import functional_call, jacrev
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch._jacobian import factors, per_sample_jacobian
from lazyrich.torch._model.preserve_model import trainable_parameters
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch.optimizer_rules import OPTIMIZER_RULES, rule_for, unwrap_optimizer
from tests.pytorch.training import blobs, mlp


class Tied(nn.Module):
    """Tokens, a norm, a readout by the same table (with a bias or not), and a parameter of no layer."""

    def __init__(self, bias):
        super().__init__()
        self.table, self.norm = nn.Embedding(9, 4, padding_idx=0), nn.LayerNorm(4)
        self.mix, self.head = nn.Linear(4, 4), nn.Linear(4, 9, bias=bias)
        self.head.weight, self.shift = self.table.weight, nn.Parameter(torch.randn(4))

    def forward(self, x):
        x = self.table(x) + self.shift
        return self.head(self.norm(x + F.gelu(self.mix(x)))).mean(1)


def convolutions():
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 6, 3, groups=2, stride=2), nn.GELU(),
        nn.ConvTranspose2d(6, 2, 2, bias=False), nn.GroupNorm(2, 2), nn.Flatten(), nn.Linear(2 * 9, 3),
    )  # fmt: skip


MODELS = {
    "mlp": (lambda: mlp(activation=nn.Tanh), lambda: torch.randn(5, 8, dtype=torch.float64)),
    "cnn": (convolutions, lambda: torch.randn(3, 2, 5, 5, dtype=torch.float64)),
    "tied": (lambda: Tied(False), lambda: torch.randint(1, 9, (4, 5))),
    "tied with a bias": (lambda: Tied(True), lambda: torch.randint(1, 9, (4, 5))),
    "padded": (lambda: Tied(True), lambda: torch.arange(20).reshape(4, 5) % 9),
}


def trained(name, optimizer, steps=3):
    torch.manual_seed(0)
    make, inputs = MODELS[name]
    model, x = make().double(), inputs()
    opt = optimizer(model.parameters())
    for _ in range(steps):
        opt.zero_grad()
        model(x).square().sum().backward()
        opt.step()
    return model, opt, x


def explicit(model, x, weights):
    values = {k: p.detach() for k, p in trainable_parameters(model).items()}
    J = jacrev(lambda v: functional_call(model, v, (x,)))(values)
    rows = model(x).numel()
    return sum(
        (part := J[k].reshape(rows, -1)) @ (weights[k].flatten()[:, None] * part.T) for k in values
    )  # fmt: skip


ADAPTIVE = {
    "adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.02, weight_decay=0.1),
    "amsgrad": lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True, eps=1e-3),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01, centered=True),
    "nadam": lambda p: torch.optim.NAdam(p, lr=0.01, eps=1e-3),
    "radam": lambda p: torch.optim.RAdam(p, lr=0.01, eps=1e-3),
    "adamax": lambda p: torch.optim.Adamax(p, lr=0.01, eps=1e-3),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.01, lr_decay=0.2, eps=1e-3),
}


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("parts", [False, True], ids=["whole", "in parts"])
def test_preconditioned_kernels_are_those_of_autograd(name, optimizer, parts, monkeypatch):
    if parts:
        monkeypatch.setattr(per_sample_jacobian, "MAX_EXPANDED_BYTES", 1)
        monkeypatch.setattr(factors, "MAX_EXPANDED_NUMBERS", 100)
    model, opt, x = trained(name, ADAPTIVE[optimizer])
    weights = OptimizerReader(model, opt).preconditioner()
    true = explicit(model, x, weights)
    for block in (None, 2):
        K = lt.tangent_kernel(model, x, optimizer=opt, block=block)
        torch.testing.assert_close(K, true, rtol=0, atol=1e-10 * float(true.abs().max()))
    one = {k: torch.ones_like(p) for k, p in trainable_parameters(model).items()}
    plain = explicit(model, x, one)
    torch.testing.assert_close(lt.tangent_kernel(model, x), plain, rtol=0, atol=1e-10 * float(plain.abs().max()))
    assert float((plain / plain.norm() - true / true.norm()).norm()) > 0.05  # another kernel
    if name != "padded":  # the row of a padding has a derivative forward, and none backward
        v = torch.randn(len(true), dtype=torch.float64)
        found = lt.kernel_product(model, x, v, optimizer=opt)
        torch.testing.assert_close(found, true @ v, rtol=0, atol=1e-9 * float(true.abs().max()))
    with pytest.warns(UserWarning, match="trace kernel"):
        trace = lt.tangent_kernel(model, x, optimizer=opt, kind="trace")
    blocks = true.reshape(len(x), -1, len(x), len(true) // len(x))
    torch.testing.assert_close(trace, torch.einsum("ikjk->ij", blocks), rtol=0, atol=1e-9 * float(true.abs().max()))


@pytest.mark.parametrize("steps", [1, 4, 8])
@pytest.mark.parametrize("name", ADAPTIVE)
def test_the_preconditioner_is_what_a_step_multiplies_the_gradient_by(name, steps):
    """Without a mean of gradients, the next step is −P g, with P from the state after it."""
    torch.manual_seed(0)
    model, x = mlp().double(), torch.randn(5, 8, dtype=torch.float64)
    opt = ADAPTIVE[name](model.parameters())
    for group in opt.param_groups:
        group |= {"betas": (0.0, 0.9)} if "betas" in group else {}
        group["weight_decay"] = 0.0
    for _ in range(steps):
        before = {k: p.detach().clone() for k, p in trainable_parameters(model).items()}
        opt.zero_grad()
        model(x).square().sum().backward()
        opt.step()
    P = OptimizerReader(model, opt).preconditioner()
    for k, p in trainable_parameters(model).items():
        torch.testing.assert_close(p.detach() - before[k], -P[k] * p.grad, rtol=1e-9, atol=1e-12)


def test_rates_are_read_off_the_groups():
    model = mlp()
    opt = torch.optim.SGD(
        [{"params": [model[0].weight], "lr": 0.1, "momentum": 0.9}, {"params": [model[2].weight], "lr": 0.5}], lr=1.0
    )
    assert OptimizerReader(model, opt).relative_rates() == pytest.approx(
        {"0.weight": 1.0, "0.bias": 0.0, "2.weight": 0.5, "2.bias": 0.0}
    )
    x = blobs()[0][:4]
    torch.testing.assert_close(
        lt.tangent_kernel(model, x, optimizer=opt),
        lt.tangent_kernel(model, x, rates={"0.weight": 1.0, "2.weight": 0.5, "0.bias": 0.0, "2.bias": 0.0}),
    )
    assert OptimizerReader(model, torch.optim.SGD(model.parameters(), lr=0.3)).relative_rates() is None
    warm = torch.optim.SGD(model.parameters(), lr=0.3)
    torch.optim.lr_scheduler.LambdaLR(warm, lambda step: step / 10)  # begins at 0
    assert OptimizerReader(model, warm).relative_rates() is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m, x: lt.tangent_kernel(m, x, optimizer=torch.optim.Adam(m.parameters())), "has taken no step yet"),
        (lambda m, x: lt.tangent_kernel(m, x, optimizer=torch.optim.SGD(mlp().parameters(), lr=1)), "no trainable par"),
        (lambda m, x: lt.tangent_kernel(m, x, optimizer="sgd"), "must be a torch.optim.Optimizer.*found str"),
        (lambda m, x: lt.tangent_kernel(m, x, rates={"0": 1}, optimizer=torch.optim.Adam(m.parameters())), "not both"),
        (lambda m, x: lt.Probe(m, x, loss=F.cross_entropy), "needs targets"),
        (lambda m, x: lt.Probe(m, x, log=3), "log must be a function"),
    ],
)  # fmt: skip
def test_refusals(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make(mlp(), blobs()[0][:4])


def test_every_law_says_what_it_is():
    for law in OPTIMIZER_RULES:
        for kind in law.optimizers:
            opt = kind([torch.ones(2, 2, requires_grad=True)], lr=0.1)
            assert rule_for(opt) is law
            assert law.name in law.describe_group(opt.param_groups[0])
            assert law.conserves_delta == ("first order" in law.prediction_text)

    class Other(torch.optim.SGD):
        def step(self, closure=None):
            return None

    assert rule_for(Other([torch.ones(1)], lr=0.1)).prediction_text == "nothing is predicted"
    assert unwrap_optimizer(type("Wrapper", (), {"optimizer": opt})()) is opt


def run(model, opt, steps, x, y, probe, every=None, schedule=None):
    for step in range(1, steps + 1):
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
        if schedule is not None:
            schedule.step()
        if step % (every or steps) == 0:
            probe.snapshot(step)
    return probe.report().data.isel(step=-1)


DECAYS = {
    "plain": lambda m: torch.optim.SGD(m.parameters(), lr=0.02, weight_decay=0.05),
    "momentum": lambda m: torch.optim.SGD(m.parameters(), lr=0.002, momentum=0.9, weight_decay=0.05),
    "nesterov": lambda m: torch.optim.SGD(m.parameters(), lr=0.002, momentum=0.9, nesterov=True, weight_decay=0.05),
    "rates": lambda m: torch.optim.SGD([{"params": m[0].parameters(), "lr": 0.03},
                                        {"params": m[2].parameters(), "lr": 0.01}], weight_decay=0.05),
    "biases without": lambda m: torch.optim.SGD([{"params": [m[0].weight, m[2].weight], "weight_decay": 0.08},
                                                 {"params": [m[0].bias, m[2].bias]}], lr=0.02),
}  # fmt: skip


@pytest.mark.parametrize("scheduled", [False, True], ids=["constant", "cosine"])
@pytest.mark.parametrize("name", DECAYS)
def test_decay_of_conserved_quantities_is_predicted(name, scheduled):
    """In SGD with weight decay, to 5 %: of what is left of δ(0), and of what has gone."""
    torch.manual_seed(0)
    (x, y), model = blobs(), mlp().double()
    x = x.double()
    with torch.no_grad():
        model[0].weight.mul_(2.0)
        model[0].bias.add_(0.5)
    opt = DECAYS[name](model)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 400) if scheduled else None
    probe = lt.Probe(model, x, y, optimizer=opt, sample=5)
    last = run(model, opt, 400, x, y, probe, every=50, schedule=schedule)
    seen, predicted = float(last.conserved_share[0]), float(last.conserved_predicted[0])
    assert predicted < 0.85
    assert seen == pytest.approx(predicted, rel=0.05)
    assert 1 - seen == pytest.approx(1 - predicted, rel=0.05)
    assert float(last.conserved_gap[0]) < 0.05 * float(last.conservation_drift[0])
    if name == "plain" and not scheduled:
        assert predicted == pytest.approx(math.exp(-2 * 0.02 * 0.05 * 400), rel=1e-6)
    assert "shrunk by weight decay" in str(probe.report())


def test_without_decay_they_are_kept_and_under_adam_there_is_no_law():
    (x, y), shares = blobs(), {}
    for name, kind in (("sgd", torch.optim.SGD), ("adam", torch.optim.Adam)):
        torch.manual_seed(0)
        model = mlp()
        opt = kind(model.parameters(), lr=0.01)
        probe = lt.Probe(model, x, y, optimizer=opt, sample=5)
        shares[name] = run(model, opt, 100, x, y, probe)
        words = str(probe.report())
        assert ("no law" in words) == (name == "adam")
        assert "your optimizer was not read" not in words
    assert float(shares["sgd"].conserved_predicted[0]) == 1.0
    assert float(shares["sgd"].conserved_gap[0]) < 1e-3
    assert math.isnan(float(shares["adam"].conserved_predicted[0]))
    assert float(shares["adam"].conservation_drift[0]) > 10 * float(shares["sgd"].conservation_drift[0])


def test_a_probe_of_adam_measures_its_own_kernel_too():
    torch.manual_seed(0)
    (x, y), model = blobs(), mlp().double()
    x = x.double()
    opt = torch.optim.AdamW(model.parameters(), lr=0.01)
    probe = lt.Probe(model, x, y, optimizer=opt)
    start = copy.deepcopy(model)
    run(model, opt, 30, x, y, probe)
    data = probe.report().data
    P = OptimizerReader(model, opt).preconditioner()
    one, other = (explicit(m, x, P) for m in (model, start))
    truth = 1 - float((one * other).sum() / one.norm() / other.norm())
    assert np.isnan(data.preconditioned_distance[0]).all()
    assert float(data.preconditioned_distance[-1, 0]) == pytest.approx(truth, rel=1e-8)
    assert float(data.kernel_distance[-1, 0, 0]) != pytest.approx(truth, rel=0.02)
    assert "Adam" in str(probe.report())


@pytest.mark.parametrize("adaptive", [False, True], ids=["sgd", "adamw"])
def test_weight_decay_is_translated_with_the_rates(adaptive):
    """Training rescaled weights is training with other rates: also with weight decay, in double precision."""
    torch.manual_seed(0)
    (x, y), model = blobs(), mlp().double()
    x, twin = x.double(), copy.deepcopy(model)
    lt.upstream_(twin, 3.0)
    given = {"lr": 0.01, "weight_decay": 0.1}
    if adaptive:
        kinds = [torch.optim.AdamW(twin.parameters(), **given, eps=1e-30),
                 torch.optim.AdamW(lt.param_groups(model, 3.0, **given, adaptive=True), eps=1e-30)]  # fmt: skip
    else:
        kinds = [torch.optim.SGD(twin.parameters(), **given, momentum=0.9),
                 torch.optim.SGD(lt.param_groups(model, 3.0, **given), momentum=0.9)]  # fmt: skip
    for net, opt in zip((twin, model), kinds, strict=True):
        for _ in range(50):
            opt.zero_grad()
            F.cross_entropy(net(x), y).backward()
            opt.step()
    torch.testing.assert_close(twin(x), model(x), rtol=1e-10, atol=1e-11)
    assert "weight decay" in str(lt.param_groups(model, 3.0, **given))
