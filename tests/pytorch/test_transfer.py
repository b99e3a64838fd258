"""Set-ups that do not transfer, as reported in public threads, and set-ups that do: what is named, and what is not."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from tests.pytorch.parametrizations import INPUTS, MLP, Scaled, Transformer, adam, sgd

WIDTHS = (64, 128, 256)
TOKENS = 11


def regression():
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(16, INPUTS, generator=generator), 20 * torch.randn(16, 1, generator=generator))]


def tokens():
    generator = torch.Generator().manual_seed(0)
    return [(torch.randint(TOKENS, (16, 6), generator=generator), torch.randint(TOKENS, (16,), generator=generator))]


def by_name(lr, powers, kind=torch.optim.Adam, **settings):
    """Return an optimizer whose rates are lr · n^power for the layers in `powers`, and lr for others."""

    def make(model):
        groups = []
        for name, p in model.named_parameters():
            power = next((power for layer, power in powers.items() if name.split(".")[0] in layer.split()), 0)
            groups.append({"params": [p], "lr": lr * (model.n / WIDTHS[0]) ** power})
        return kind(groups, **({"eps": 1e-12} if kind is not torch.optim.SGD else {}), **settings)

    return make


MATRICES = "q k v o up down"


class NoMultiplier(MLP):
    """Maximal updates without the multiplier 1/n of the readout."""

    def __init__(self, n):
        super().__init__(n, "mup")
        self.last.multiplier = 1.0


class StandardReadout(MLP):
    """Maximal updates, but the readout begins with entries of size n^(-1/2) and has no multiplier."""

    def __init__(self, n):
        super().__init__(n, "mup")
        self.last = Scaled(n, 1, n**-0.5)


class SquareRootAttention(Transformer):
    """Maximal updates, with attention divided by √d."""

    def attend(self, x):
        q, k, v = (m(x).unflatten(-1, (2, -1)).transpose(1, 2) for m in (self.q, self.k, self.v))
        return self.o(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Tied(nn.Module):
    """Embedding and readout share their weight; a readout of maximal updates has the multiplier 1/n."""

    def __init__(self, n, multiplier=1.0, functional=False):
        super().__init__()
        self.n, self.multiplier, self.functional = n, multiplier, functional
        self.embed, self.hidden, self.head = nn.Embedding(TOKENS, n), nn.Linear(n, n), nn.Linear(n, TOKENS, bias=False)
        nn.init.normal_(self.hidden.weight, std=n**-0.5)
        if functional:
            del self.head
        else:
            self.head.weight = self.embed.weight

    def forward(self, x):
        x = self.embed(x).mean(1)
        x = x + F.relu(self.hidden(x))
        return self.multiplier * (F.linear(x, self.embed.weight) if self.functional else self.head(x))


class Residual(nn.Module):
    """Blocks x + c·W tanh(x), with c = L^(-1/2) or 1."""

    def __init__(self, n, L, scaled):
        super().__init__()
        self.n, self.L, self.branch = n, L, L**-0.5 if scaled else 1.0
        self.first, self.last = Scaled(INPUTS, n, INPUTS**-0.5), Scaled(n, 1, 1.0, 1 / n)
        self.blocks = nn.ModuleList(Scaled(n, n, n**-0.5) for _ in range(L))

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = x + self.branch * block(torch.tanh(x))
        return self.last(x)


def deep_adam(lr):
    """Return Adam with rate lr/(n √L) for the blocks."""

    def make(model):
        inner = list(model.blocks.parameters())
        ends = [*model.first.parameters(), *model.last.parameters()]
        scale = (WIDTHS[0] / model.n) * model.L**-0.5
        return torch.optim.Adam([{"params": inner, "lr": lr * scale}, {"params": ends}], lr=lr, eps=1e-12)

    return make


def audit(make, optimizer, data=None, **settings):
    data = regression() if data is None else data
    loss = F.mse_loss if data[0][1].is_floating_point() else F.cross_entropy
    return lt.transfer_audit(make, WIDTHS, data, loss=loss, optimizer=optimizer, steps=3, **settings)


def transformer(kind):
    return lambda n: Transformer(n, kind)


# The first culprit: place, quantity, exponent.
BROKEN = {
    "a readout whose updates grow (microsoft/mup 71)": (
        lambda n: MLP(n, "mup"), by_name(1e-3, {"hidden": -1, "last": 1}), None, ("last", "own update", 1.0)),
    "a forgotten multiplier": (
        NoMultiplier, by_name(1e-4, {"hidden": -1}), None, ("last", "own update", 1.0)),
    "decay that does not follow MuAdam's rate (microsoft/mup 56)": (
        lambda n: MLP(n, "mup"), by_name(1e-3, {"hidden": -1}, torch.optim.AdamW, weight_decay=0.1), None,
        ("hidden.weight", "weight decay", -1.0)),
    "an embedding with the rate of the matrices": (
        transformer("mup"), by_name(1e-3, {f"{MATRICES} embed": -1}), "tokens", ("embed", "own update", -1.0)),
    "attention divided by √d (microsoft/mup 66)": (
        lambda n: SquareRootAttention(n, "mup"), by_name(1e-2, {MATRICES: -1}), "tokens",
        ("the model", "change of the arguments of softmax", 0.5)),
    "tied embeddings without a multiplier": (
        Tied, by_name(1e-4, {"hidden": -1}), "tokens", ("head", "own update", 1.0)),
    "a readout that begins by its fan-in": (
        StandardReadout, by_name(1e-3, {"hidden last": -1}), None, ("last", "changes passed on", 0.5)),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named(name):
    make, optimizer, data, (place, quantity, slope) = BROKEN[name]
    found = audit(make, optimizer, tokens() if data else None)
    culprits = found.culprits["optimizer"]
    assert [c.layer for c in culprits] == [place], str(found)
    assert culprits[0].quantity.startswith(quantity)
    assert culprits[0].exponent.slope == pytest.approx(slope, abs=0.2)
    assert "will not serve at others" in str(found)


def test_depth_without_scaled_branches_is_named():
    found = audit(lambda n, L: Residual(n, L, False), deep_adam(1e-3), depths=(2, 4, 8, 16))
    (culprit,) = found.culprits["optimizer"]
    assert culprit.layer == "residual branches", str(found)
    assert culprit.exponent.slope > 0.25
    assert "L^(-1/2)" in culprit.advice
    rates = audit(lambda n, L: Residual(n, L, True), by_name(1e-3, {"blocks": -1}), depths=(2, 4, 8, 16))
    (culprit,) = rates.culprits["optimizer"]  # branches are right, the rate of Adam in them is not
    assert culprit.layer == "blocks.*"
    assert culprit.exponent.slope == pytest.approx(0.5, abs=0.15)


RIGHT = {
    "maximal updates, SGD": (lambda n: MLP(n, "mup"), sgd(1e-3), None),
    "maximal updates, Adam": (lambda n: MLP(n, "mup"), adam(1e-3), None),
    "NTK parametrization": (lambda n: MLP(n, "ntk"), sgd(1e-3), None),
    "maximal updates, transformer": (transformer("mup"), by_name(1e-2, {MATRICES: -1}), "tokens"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_not_blamed(name):
    make, optimizer, data = RIGHT[name]
    found = audit(make, optimizer, tokens() if data else None)
    assert found.culprits == {"optimizer": []}, str(found)
    assert ("NTK parametrization" in str(found)) == (name == "NTK parametrization")


def test_a_scaled_depth_is_not_blamed():
    found = audit(lambda n, L: Residual(n, L, True), deep_adam(1e-3), depths=(2, 4, 8, 16))
    assert found.culprits == {"optimizer": []}, str(found)
    for group in found.depths["optimizer"].data.group.values:
        assert abs(found.depths["optimizer"].exponent("contribution", group).slope) < 0.2


FIXABLE = {
    "a readout whose updates grow (microsoft/mup 71)": torch.optim.Adam,
    "decay that does not follow MuAdam's rate (microsoft/mup 56)": torch.optim.AdamW,
    "an embedding with the rate of the matrices": torch.optim.Adam,
}


@pytest.mark.parametrize("name", FIXABLE)
def test_the_parameter_groups_that_are_printed_transfer(name):
    make, optimizer, data, _ = BROKEN[name]
    batches = tokens() if data else None
    code = audit(make, optimizer, batches).param_groups()
    space = {}
    exec(code, space)
    fixed = audit(make, lambda m: FIXABLE[name](space["param_groups"](m, m.n), eps=1e-12), batches)
    assert fixed.culprits == {"optimizer": []}, code


def test_rates_and_decays_of_the_code():
    """Standard parametrization with AdamW: matrices need lr/n, and their decay has to grow by n to stay as it is."""
    make = lambda model: torch.optim.AdamW(model.parameters(), lr=0.001, weight_decay=0.1)  # noqa: E731
    code = audit(lambda n: MLP(n, "standard"), make).param_groups()
    assert '"first.weight": {"lr": 0.001, "weight_decay": 0.1}' in code
    assert '"hidden.weight": {"lr": 0.001 * m**-1, "weight_decay": 0.1 * m}' in code
    assert '"last.weight": {"lr": 0.001 * m**-1, "weight_decay": 0.1 * m}' in code
    assert "m = n / 64 " in code


def test_a_readout_outside_of_the_layers_and_coupled_decay():
    found = audit(lambda n: Tied(n, functional=True), by_name(1e-4, {"hidden": -1}), tokens())
    (culprit,) = found.culprits["optimizer"]
    assert (culprit.layer, culprit.exponent.slope) == ("the outputs", pytest.approx(1.0, abs=0.2))
    assert "lacks a multiplier n^(-1)" in culprit.advice
    # Adam divides decay that is part of the gradient by √v̂, and gradients of maximal updates shrink as 1/n
    coupled = by_name(1e-3, {"hidden": -1}, weight_decay=1e-4)
    decays = [c for c in audit(lambda n: MLP(n, "mup"), coupled).culprits["optimizer"] if "decay" in c.quantity]
    assert {c.layer: round(c.exponent.slope) for c in decays} == {"first.weight": 1, "last.weight": 1}


def test_several_optimizers_are_audited_by_name():
    kinds = {"good": adam(1e-3), "standard rates": lambda m: torch.optim.Adam(m.parameters(), lr=1e-4)}
    found = audit(lambda n: MLP(n, "mup"), kinds, seeds=2)
    assert [c.layer for c in found.culprits["standard rates"]] == ["hidden"]
    assert found.culprits["good"] == []
    assert "good (widths 64, 128, 256): a learning rate found at one size should serve" in str(found)
    both = audit(lambda n: MLP(n, "mup"), lambda m: [torch.optim.SGD(m.first.parameters(), lr=1e-3 * m.n),
                 adam_of(m.hidden, 1e-3 / m.n), adam_of(m.last, 1e-3)], seeds=2)  # fmt: skip
    assert both.culprits == {"optimizer": []}
    with pytest.raises(ValueError, match="the optimizers are good, standard rates; found 'sgd'"):
        found.param_groups("sgd")


def adam_of(layer, lr):
    return torch.optim.Adam(layer.parameters(), lr=lr, eps=1e-12)


def test_what_has_no_exponent_is_no_culprit():
    idle = audit(lambda n: MLP(n, "mup"), lambda m: torch.optim.SGD([m.last.weight], lr=0.0), seeds=2)
    assert idle.culprits == {"optimizer": []}
    assert "no layer has moved" in str(idle)
    wild = audit(lambda n: MLP(n, "standard"), lambda m: torch.optim.SGD(m.parameters(), lr=1e30), seeds=2)
    assert all(math.isinf(c.exponent.slope) for c in wild.culprits["optimizer"])
    assert "diverged: lower the learning rate" in str(wild)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"optimizer": {}}, ValueError, "names no optimizer"),
        ({"depths": (4,)}, ValueError, r"at least two depths; found \[4\]"),
        ({"depths": (0, 4)}, ValueError, "a depth must be a whole number"),
        ({"optimizer": {"sgd": "sgd"}}, TypeError, "optimizer must be a function of the model.*; found str"),
        ({"optimizer": lambda m: [adam(1)(m), 3]}, TypeError, "or a list of several.*found one that gives int"),
    ],
)
def test_refusals(change, error, message):
    given = {"optimizer": adam(1e-3)} | change
    with pytest.raises(error, match=message):
        audit(lambda n, L=1: MLP(n, "mup"), **given)
