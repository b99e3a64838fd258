"""Queries and keys: only their product is seen, so one can be multiplied and the other divided."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from tests.pytorch.zoo import Decoder


class Written(nn.Module):
    """Attention written out, with positions turned in, and a mask."""

    def __init__(self, d=8):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.head = nn.Linear(d, 2)
        self.register_buffer("angles", torch.linspace(0, 1, 5)[:, None])

    def turned(self, x):
        return x * torch.cos(self.angles) + x.flip(-1) * torch.sin(self.angles)

    def forward(self, x):
        scores = self.turned(self.q(x)) @ self.turned(self.k(x)).transpose(-1, -2) / 8**0.5
        weights = torch.softmax(scores.masked_fill(torch.ones(5, 5).triu(1).bool(), -1e9), -1)
        return self.head(self.o(weights @ self.v(x))[:, -1])


def decoder():
    return Decoder().double(), torch.randint(11, (4, 6)), ("q", "k")


def written():
    return Written().double(), torch.randn(4, 5, 8, dtype=torch.float64), ("q", "k")


@pytest.mark.parametrize("make", [decoder, written])
def test_queries_and_keys_are_turned_against_each_other(make):
    torch.manual_seed(0)
    model, x, pair = make()
    before = model(x)
    found = {each.name: each for each in lt.balance(model, inputs=x).pairs}
    assert "q ⇄ k" in found
    sizes = [sum(float(p.detach().square().sum()) for p in getattr(model, name).parameters()) for name in pair]
    assert found["q ⇄ k"].delta == pytest.approx(sizes[1] - sizes[0], rel=1e-12)
    result = lt.upstream_(model, 3.0, layers=pair, inputs=x)
    assert dict(result.factors) == pytest.approx({"q.weight": 1 / 3, "q.bias": 1 / 3, "k.weight": 3.0, "k.bias": 3.0})
    assert result.change < 1e-12
    torch.testing.assert_close(model(x), before, rtol=1e-10, atol=1e-12)
    lt.rescale_(model, delta=1.5, layers=pair, inputs=x)
    balance = {each.name: each.delta for each in lt.balance(model, inputs=x).pairs}
    assert balance["q ⇄ k"] == pytest.approx(1.5, rel=1e-9)
    with pytest.raises(ValueError, match=r"tau: the product of what 'q' and 'k' write would change"):
        lt.rescale_(model, tau=2.0, layers=pair, inputs=x)


def test_their_balance_is_conserved_by_small_steps():
    """To first order: a tenth of the step, a tenth of the drift."""
    drifts = []
    for lr in (2e-2, 2e-3):
        torch.manual_seed(0)
        model, x, _ = written()
        lt.upstream_(model, 2.0, layers=("q", "k"))
        opt = torch.optim.SGD(model.parameters(), lr=lr)
        probe = lt.Probe(model, x, optimizer=opt)
        for _ in range(int(0.2 / lr)):
            opt.zero_grad()
            F.cross_entropy(model(x), torch.arange(4) % 2).backward()
            opt.step()
        probe.snapshot(1)
        last = probe.report().data.isel(step=-1).sel(pair="q ⇄ k")
        drifts.append(float(last.conservation_drift))
        assert float(last.conserved_predicted) == 1.0
    assert drifts[0] < 1e-3
    assert drifts[1] == pytest.approx(drifts[0] / 10, rel=0.2)


def test_what_writes_both_or_is_seen_elsewhere_is_no_pair():
    class Shared(Written):
        def forward(self, x):
            q = self.q(x)
            return self.head(F.scaled_dot_product_attention(q, q, self.v(x))[:, -1])

    class Seen(Written):
        def forward(self, x):
            q, k = self.q(x), self.k(x)
            return self.head(F.scaled_dot_product_attention(q, k, self.v(x))[:, -1] + torch.tanh(q[:, 0]))

    for kind in (Shared, Seen):
        model, x = kind(), torch.randn(4, 5, 8)
        assert not [pair for pair in lt.balance(model, inputs=x).pairs if pair.dual]


def test_across_a_norm_the_true_meaning_is_said():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 6), nn.LayerNorm(6, eps=1e-12), nn.ReLU(), nn.Linear(6, 2)).double()
    x = torch.randn(5, 8, dtype=torch.float64)
    said = str(lt.upstream_(model, 2.0, across_norms=True, inputs=x))
    assert "effective learning rate" in said
    # It is true: after one small step, the direction of the divided weights has turned 4 times as far.
    turned = []
    for alpha in (1.0, 2.0):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 6, bias=False), nn.LayerNorm(6, eps=1e-12), nn.Linear(6, 2)).double()
        if alpha != 1:
            lt.upstream_(model, alpha, across_norms=True, inputs=x)
        before = model[0].weight.detach().clone()
        model(x).square().sum().backward()
        torch.optim.SGD(model.parameters(), lr=1e-6).step()
        turned.append(float((model[0].weight - before).detach().norm() / before.norm()))
    assert turned[1] == pytest.approx(4 * turned[0], rel=1e-3)


class Headed(nn.Module):
    """Heads written out around PyTorch's function, as models of today do; or with fewer keys, each for two queries."""

    def __init__(self, few=False, flip=False):
        super().__init__()
        self.q, self.o, self.head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 2)
        self.k, self.v = (nn.Linear(8, 4 if few else 8) for _ in range(2))
        self.few, self.flip = few, flip

    def forward(self, x):
        n, t, _ = x.shape
        q, k, v = (f(x).view(n, t, -1, 2).transpose(1, 2) for f in (self.q, self.k, self.v))
        q = q.flip(-1) if self.flip else q * torch.linspace(0.5, 1.0, 2, dtype=x.dtype)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.few)
        mixed = mixed.reshape(n, -1, t, 2)  # the shape that it has: Transformers does so, against packed queries
        return self.head(torch.relu(self.o(mixed.permute(0, 2, 1, 3).contiguous().reshape(n, t, -1)))[:, -1])


def headed(**how):
    torch.manual_seed(0)
    return Headed(**how).double(), torch.randn(5, 4, 8, dtype=torch.float64)


def test_heads_that_are_written_out_are_found():
    model, x = headed()
    before, pairs = model(x), {pair.name: pair for pair in lt.balance(model, inputs=x).pairs}
    into = {name: getattr(model, name).weight.detach().square().sum(1) + getattr(model, name).bias.detach().square()
            for name in "qkv"}  # fmt: skip
    out = model.o.weight.detach().square().sum(0)
    for name, units in (("q ⇄ k", into["k"] - into["q"]), ("v → o", out - into["v"])):
        torch.testing.assert_close(pairs[name].units, units)
        torch.testing.assert_close(pairs[name].heads, units.reshape(4, 2).sum(1))
    for pair in (("q", "k"), ("v", "o")):
        for alpha in ([2.0, 0.5, 1.0, 3.0], [2.0, 0.5, 1.0, 3.0, 0.2, 5.0, 0.7, 1.5]):
            lt.upstream_(model, alpha, layers=pair, inputs=x)
            torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)
        lt.rescale_(model, delta=0.2, heads=True, layers=pair, inputs=x)
        torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)
    found = {pair.name: pair.heads for pair in lt.balance(model, inputs=x).pairs}
    torch.testing.assert_close(found["q ⇄ k"], torch.full((4,), 0.2, dtype=torch.float64))


@pytest.mark.parametrize("how", [{"few": True}, {"flip": True}], ids=["fewer keys", "features in another order"])
def test_heads_that_meet_in_another_way_are_not_told_apart(how):
    model, x = headed(**how)
    before, pairs = model(x), {pair.name: pair for pair in lt.balance(model, inputs=x).pairs}
    assert pairs["q ⇄ k"].units is None
    assert pairs["q ⇄ k"].heads is None
    assert pairs["v → o"].units is None
    with pytest.raises(ValueError, match="its units cannot be followed from one layer to the next"):
        lt.upstream_(model, [2.0, 1.0], layers=("q", "k"), inputs=x)
    for pair in (("q", "k"), ("v", "o")):  # all heads together
        lt.upstream_(model, 2.0, layers=pair, inputs=x)
        torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)
