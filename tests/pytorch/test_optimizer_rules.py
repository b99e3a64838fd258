"""Several optimizers at once, and those whose steps are signs, orthogonal matrices or running means."""

import copy
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch.optimizer_rules import rule_for, unwrap_optimizers
from tests.pytorch.test_optimizer_reading import explicit, run
from tests.pytorch.training import blobs, mlp


class Lion(torch.optim.Optimizer):
    """Written after Chen et al. 2023, algorithm 2."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                m = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                b1, b2 = group["betas"]
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.sub_(group["lr"] * (b1 * m + (1 - b1) * p.grad).sign())
                m.mul_(b2).add_((1 - b2) * p.grad)


class Shampoo(torch.optim.Optimizer):
    """Written after Gupta et al. 2018, algorithm 1, for matrices."""

    def __init__(self, params, lr=1e-3, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                g, state = p.grad, self.state[p]
                for key, product in (("L", g @ g.T), ("R", g.T @ g)):
                    state[key] = state.get(key, 1e-12 * torch.eye(len(product)).to(g)) + product
                p.sub_(group["lr"] * _power(state["L"], -0.25) @ g @ _power(state["R"], -0.25))


class AdamWScheduleFree(torch.optim.Optimizer):
    """Written after Defazio et al. 2024, algorithm 1."""

    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), eps=1e-8, weight_decay=0.0, warmup_steps=0):
        given = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "warmup_steps": warmup_steps}
        super().__init__(params, {**given, "k": 0})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            k = group["k"] = group["k"] + 1
            b1, b2 = group["betas"]
            rate = group["lr"] * (min(1.0, k / group["warmup_steps"]) if group["warmup_steps"] else 1.0)
            for y in group["params"]:
                state = self.state[y]
                z, x = (state.setdefault(key, y.clone()) for key in "zx")
                v = state.setdefault("exp_avg_sq", torch.zeros_like(y))
                v.mul_(b2).add_((1 - b2) * y.grad.square())
                z.sub_(rate * (y.grad / ((v / (1 - b2**k)).sqrt() + group["eps"]) + group["weight_decay"] * y))
                x.lerp_(z, 1 / k)
                y.copy_(torch.lerp(z, x, b1))


class Fancy(torch.optim.SGD):
    def step(self, closure=None):
        return None


def _power(matrix, exponent):
    values, vectors = torch.linalg.eigh(matrix)
    return vectors @ torch.diag(values.clamp_min(1e-12) ** exponent) @ vectors.T


def double_mlp():
    torch.manual_seed(0)
    return mlp(activation=nn.Tanh).double(), torch.randn(5, 8, dtype=torch.float64)


def backward(model, x):
    for p in model.parameters():
        p.grad = None
    model(x).square().sum().backward()


def test_what_is_said_of_a_step_is_what_a_step_does():
    """Lion: entries of one size; Muon: singular values of one size; Shampoo: the step turns with rows and columns."""
    model, x = double_mlp()
    weight = model[0].weight
    decay, lr = 0.5, 0.01
    opt = Lion([weight], lr=lr, weight_decay=decay)
    rule = rule_for(opt)
    backward(model, x)
    start = weight.detach().clone()
    opt.step()
    moved = weight.detach() - (1 - rule.step_decay(opt.param_groups[0])) * start
    assert rule.geometry == "sign"
    torch.testing.assert_close(moved.abs(), torch.full_like(moved, lr), rtol=1e-10, atol=0)
    if hasattr(torch.optim, "Muon"):
        model, x = double_mlp()
        opt = torch.optim.Muon([model[0].weight], lr=lr, weight_decay=decay)
        rule, (rows, columns) = rule_for(opt), model[0].weight.shape
        backward(model, x)
        start = model[0].weight.detach().clone()
        opt.step()
        moved = model[0].weight.detach() - (1 - rule.step_decay(opt.param_groups[0])) * start
        values = torch.linalg.svdvals(moved)[: torch.linalg.matrix_rank(model[0].weight.grad)]
        assert rule.geometry == "spectral"
        size = lr * math.sqrt(max(1, rows / columns))
        assert 0.65 * size < float(values.min()) <= float(values.max()) < 1.25 * size
    torch.manual_seed(1)
    G = torch.randn(4, 3, dtype=torch.float64)
    U, V = (torch.linalg.qr(torch.randn(n, n, dtype=torch.float64))[0] for n in G.shape)

    def moves(gradient):
        p = nn.Parameter(torch.zeros_like(gradient))
        p.grad = gradient.clone()
        opt = Shampoo([p], lr=lr)
        opt.step()
        return p.detach(), rule_for(opt).geometry

    (turned, geometry), (plain, _) = moves(U @ G @ V), moves(G)
    assert geometry == "matrix"
    torch.testing.assert_close(turned, U @ plain @ V, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("steps", [1, 5])
def test_schedule_free_moves_z_by_the_preconditioner(steps):
    model, x = double_mlp()
    opt = AdamWScheduleFree(model.parameters(), lr=0.02, eps=1e-3, warmup_steps=3)
    for _ in range(steps):
        backward(model, x)
        before = {k: opt.state[p].get("z", p.detach()).clone() for k, p in model.named_parameters()}
        opt.step()
    P = OptimizerReader(model, opt).preconditioner()
    for k, p in model.named_parameters():
        torch.testing.assert_close(opt.state[p]["z"] - before[k], -P[k] * p.grad, rtol=1e-9, atol=1e-12)
    assert "running means" in rule_for(opt).prediction_text


def test_recognized_by_name_and_unknown_by_name():
    weight = nn.Parameter(torch.ones(2, 2))

    def described(opt):
        return OptimizerReader(nn.ParameterList([weight]), opt).description

    assert described(Lion([weight], lr=0.1)) == "Lion (steps of equal size in every entry), lr 0.1"
    assert described(Shampoo([weight], lr=0.1)).startswith("Shampoo (a preconditioner of rows and columns)")
    assert described(Fancy([weight], lr=0.1)) == "Fancy (not a known optimizer), lr 0.1"
    assert described(torch.optim.Rprop([weight], lr=0.1)) == "Rprop (not a known optimizer), lr 0.1"
    other = Lion([weight], lr=0.1)
    del other.param_groups[0]["betas"]  # the same name, other settings
    assert rule_for(other).geometry == "unknown"
    mixed = type("Muon", (Fancy,), {})([{"params": [weight], "use_muon": False}], lr=0.1)
    assert described(mixed) == "AdamW of Muon, lr 0.1"


def halves(model):
    return list(model[0].parameters()), list(model[2].parameters())


def test_two_optimizers_have_one_kernel():
    """SGD and Adam: J P Jᵀ with the rate of SGD and the preconditioner of Adam, against autograd's Jacobian."""
    model, x = double_mlp()
    one, two = halves(model)
    pair = [torch.optim.SGD(one, lr=0.05), torch.optim.AdamW(two, lr=0.01)]
    with pytest.raises(ValueError, match="Adam has taken no step yet"):
        lt.tangent_kernel(model, x, optimizer=pair)
    for _ in range(3):
        backward(model, x)
        for opt in pair:
            opt.step()
    own = OptimizerReader(nn.ModuleList([model[2]]), pair[1]).preconditioner()
    P = {k: torch.full_like(p, 0.05) for k, p in model.named_parameters() if k.startswith("0.")}
    P |= {k.replace("0.", "2.", 1): value for k, value in own.items()}
    K = lt.tangent_kernel(model, x, optimizer=pair)
    torch.testing.assert_close(K, explicit(model, x, P), rtol=1e-9, atol=1e-12)
    assert float(lt.sharpness(model, x, torch.zeros(5, 3).double(), F.mse_loss, optimizer=pair)) > 0


def test_rates_of_two_optimizers():
    model, _ = double_mlp()
    one, two = halves(model)
    both = OptimizerReader(model, [torch.optim.SGD(one, lr=0.1), torch.optim.SGD(two, lr=0.2)])
    assert both.relative_rates() == pytest.approx({"0.weight": 0.5, "0.bias": 0.5, "2.weight": 1.0, "2.bias": 1.0})
    groups = [{"params": [two[0]], "lr": 0.2}, {"params": [two[1]], "lr": 0.05}]
    other = OptimizerReader(model, [Lion(one, lr=1e-4), torch.optim.SGD(groups, lr=1.0)])
    # a rate of signs is not one of gradients: each is relative to the largest of its optimizer
    assert other.relative_rates() == pytest.approx({"0.weight": 1, "0.bias": 1, "2.weight": 1, "2.bias": 0.25})
    assert "equal size" in other.description
    assert "SGD, lr 0.2" in other.description
    assert other.prediction_text == (
        "Lion: no law: its steps are not along the gradient; SGD: kept to first order in the step, and shrunk by "
        "weight decay"
    )
    with pytest.raises(ValueError, match="need steps along the gradient, entry by entry; found Lion"):
        other.step_sizes()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: [torch.optim.SGD(m.parameters(), lr=1), torch.optim.Adam(m[2].parameters())],
         r"'2.weight' is held by two of the optimizers \(SGD and Adam\).*give each parameter to one"),
        (lambda m: [torch.optim.SGD(m.parameters(), lr=1), torch.optim.Adam(mlp().parameters())],
         r"number 1 \(Adam\) holds no trainable parameter of this model"),
        (lambda m: [], "holds no optimizer"),
        (lambda m: [torch.optim.SGD(m.parameters(), lr=1), "adam"], "must be a torch.optim.Optimizer.*found str"),
    ],
)  # fmt: skip
def test_refusals(make, message):
    model = mlp()
    with pytest.raises(ValueError, match=message):
        lt.Probe(model, blobs()[0], optimizer=make(model))


def test_a_probe_of_two_optimizers_predicts_decay_and_leaves_training_alone():
    (x, y), (model, _) = blobs(), double_mlp()
    x, twin = x.double(), copy.deepcopy(double_mlp()[0])

    def pair(net):
        one, two = halves(net)
        return [torch.optim.SGD(one, lr=0.02, weight_decay=0.05), torch.optim.SGD(two, lr=0.02, weight_decay=0.05)]

    both, others = pair(model), pair(twin)
    probe = lt.Probe(model, x, y, optimizer=both, sample=5)
    assert not probe.set_optimizer(both)
    for step in range(1, 101):
        for net, optimizers in ((model, both), (twin, others)):
            for p in net.parameters():
                p.grad = None
            F.cross_entropy(net(x), y).backward()
            for opt in optimizers:
                opt.step()
        if step % 50 == 0:
            probe.snapshot(step)
    for p, q in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(p, q)
    reader = OptimizerReader(model, both)
    assert not any(reader.decays.values())
    assert list(probe._optimizer_reader.decays.values()) == pytest.approx([100 * 0.02 * 0.05] * 4)
    probe.set_optimizer([both[0], torch.optim.Adam(model[2].parameters())])
    assert "Adam, lr" in probe.report().data.attrs["optimizer"]


def test_a_pair_is_predicted_only_if_both_layers_follow_the_gradient():
    (x, y), shares = blobs(), {}
    for name, second in (("sgd", torch.optim.SGD), ("adam", torch.optim.Adam)):
        torch.manual_seed(0)
        model = mlp()
        one, two = halves(model)
        pair = [torch.optim.SGD(one, lr=0.01), second(two, lr=0.01)]

        class Both:
            def __init__(self, pair):
                self.pair = pair

            def zero_grad(self):
                [opt.zero_grad() for opt in self.pair]

            def step(self):
                [opt.step() for opt in self.pair]

        probe = lt.Probe(model, x, y, optimizer=pair, sample=5)
        shares[name] = float(run(model, Both(pair), 20, x, y, probe).conserved_predicted[0])
    assert shares["sgd"] == 1.0
    assert math.isnan(shares["adam"])


def test_wrappers_of_several():
    model = mlp()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    wrapper = type("Wrapper", (), {"optimizer": opt})()
    assert unwrap_optimizers((wrapper,)) == unwrap_optimizers(opt) == (opt,)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_optimizers_of_other_packages():
    """Preconditioners and geometries of lion-pytorch, schedulefree and pytorch-optimizer, by their own steps."""
    third = pytest.importorskip("pytorch_optimizer")
    free = pytest.importorskip("schedulefree")
    lion = pytest.importorskip("lion_pytorch")
    kinds = {
        "Lion": [lion.Lion, third.Lion], "SOAP": [third.SOAP], "Shampoo": [third.Shampoo, third.ScalableShampoo],
        "schedule-free SGD": [free.SGDScheduleFree, third.ScheduleFreeSGD],
        "schedule-free AdamW": [free.AdamWScheduleFree, free.RAdamScheduleFree, third.ScheduleFreeAdamW],
    }  # fmt: skip
    for name, classes in kinds.items():
        for kind in classes:
            model, x = double_mlp()
            opt = kind(model.parameters(), lr=0.01)
            assert rule_for(opt).name == name
            if hasattr(opt, "train"):
                opt.train()
            for _ in range(8):
                backward(model, x)
                slopes = {k: p.grad.clone() for k, p in model.named_parameters()}
                before = {k: opt.state[p].get("z", p.detach()).clone() for k, p in model.named_parameters()}
                start = {k: p.detach().clone() for k, p in model.named_parameters()}
                opt.step()
            reader = OptimizerReader(model, opt)
            assert name in reader.description
            for k, p in model.named_parameters():
                if name.startswith("schedule-free"):
                    P = reader.preconditioner()[k] if "Adam" in name else 0.01
                    torch.testing.assert_close(opt.state[p]["z"] - before[k], -P * slopes[k], rtol=1e-9, atol=1e-12)
                if name == "Lion":
                    torch.testing.assert_close((p.detach() - start[k]).abs(), torch.full_like(p, 0.01))
    weights = [p for p in mlp().parameters() if p.ndim == 2]
    muon = third.Muon([{"params": weights, "lr": 0.02, "use_muon": True, "weight_decay": 0.1}])
    assert rule_for(muon).geometry == "spectral"
    assert rule_for(muon).step_decay(muon.param_groups[0]) == pytest.approx(0.002)
