"""Several layers in one weight, as timm, torchvision and transformers write them: each pair is right, or not there."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch._model.perturbed_parameters import perturb_parameters
from lazyrich.torch._structure import structure, tracing


class Fused(nn.Module):
    """One attention with the gain of a residual branch behind it, in the ways of libraries."""

    def __init__(self, how, gain=1.0, width=8, heads=2):
        super().__init__()
        self.how, self.heads = how, heads
        self.embed, self.head = nn.Linear(5, width), nn.Linear(width, 3)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        if how == "gpt2":  # Conv1D of transformers: the weight is transposed
            self.weight, self.bias = (
                nn.Parameter(torch.randn(width, 3 * width) / 3),
                nn.Parameter(torch.randn(3 * width)),
            )
            del self.qkv
        self.gain = nn.Parameter(torch.full((width,), gain))

    def split(self, x):
        n, t, width = x.shape
        h, e = self.heads, width // self.heads
        match self.how:
            case "timm" | "eager" | "keys and values" | "mixed":
                return self.qkv(x).reshape(n, t, 3, h, e).permute(2, 0, 3, 1, 4).unbind(0)
            case "index":
                found = self.qkv(x).reshape(n, t, 3, h, e).permute(2, 0, 3, 1, 4)
                return found[0], found[1], found[2]
            case "chunk":
                return [part.view(n, t, h, e).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)]
            case "interleaved":  # GPT-NeoX: the rows of a head are together
                return self.qkv(x).view(n, t, h, 3 * e).transpose(1, 2).chunk(3, dim=-1)
            case "gpt2":
                found = torch.addmm(self.bias, x.reshape(-1, width), self.weight).view(n, t, 3 * width)
                return [part.view(n, t, h, e).transpose(1, 2) for part in found.split(width, dim=2)]
            case "slices":  # Phi-3
                found = self.qkv(x)
                parts = found[..., :width], found[..., width : 2 * width], found[..., 2 * width :]
                return [part.view(n, t, h, e).transpose(1, 2) for part in parts]

    def forward(self, x):
        stream = self.embed(x)
        q, k, v = self.split(stream)
        if self.how == "keys and values":
            v = k
        if self.how == "mixed":
            v = v + k
        if self.how == "eager":
            mixed = (q @ k.transpose(-2, -1) / 2).softmax(-1) @ v
        else:
            mixed = F.scaled_dot_product_attention(q, k, v)
        return self.head((stream + self.gain * self.proj(mixed.transpose(1, 2).flatten(2)))[:, 0])


WAYS = ("timm", "eager", "index", "chunk", "interleaved", "gpt2", "slices", "keys and values", "mixed")


@pytest.mark.parametrize("gain", [1.0, 1e-5, 0.0])
@pytest.mark.parametrize("how", WAYS)
def test_every_pair_of_a_fused_attention_keeps_the_function(how, gain):
    torch.manual_seed(0)
    model, x = Fused(how, gain), torch.randn(4, 6, 5)
    pairs = lt.balance(model, inputs=x).pairs
    ends = {(pair.writers, pair.readers) for pair in pairs}
    name = "weight" if how == "gpt2" else "qkv"
    if how not in ("keys and values", "mixed"):
        assert ((f"{name}.q",), (f"{name}.k",)) in ends
        assert ((f"{name}.v",), ("proj",)) in ends
    for pair in pairs:
        if len(pair.writers) == len(pair.readers) == 1:
            result = lt.upstream_(copy.deepcopy(model), 2.0, layers=(pair.writers[0], pair.readers[0]), inputs=x)
            assert result.change < 1e-5
    assert all(change < 1e-12 for change in moved(model, x))


def moved(model, x):
    copied = copy.deepcopy(model).double()
    copied.load_state_dict(perturb_parameters(model))
    x = x.double()
    copied.requires_grad_(False)
    before = copied(x)
    for pair in lt.balance(copy.deepcopy(copied).requires_grad_(True), inputs=x).pairs:
        scaled = copy.deepcopy(copied).requires_grad_(True)
        try:
            lt.upstream_(scaled, 3.0, layers=(pair.writers[0], pair.readers[0]), inputs=x, tolerance=float("inf"))
        except ValueError:
            continue
        yield float((scaled(x).detach() - before).abs().max() / before.abs().max())


def test_delta_of_queries_and_values_by_hand():
    torch.manual_seed(0)
    model, x = Fused("timm").double(), torch.randn(4, 6, 5, dtype=torch.float64)
    pairs = {pair.name: pair for pair in lt.balance(model, inputs=x).pairs}
    q, k, v = (w.square().sum(1) + b.square() for w, b in
               zip(model.qkv.weight.detach().chunk(3), model.qkv.bias.detach().chunk(3), strict=True))  # fmt: skip
    torch.testing.assert_close(pairs["qkv.q ⇄ qkv.k"].units, k - q)
    torch.testing.assert_close(pairs["qkv.q ⇄ qkv.k"].heads, (k - q).reshape(2, 4).sum(1))
    out = model.proj.weight.detach().square().sum(0)
    torch.testing.assert_close(pairs["qkv.v → proj"].units, out - v)
    before = model(x)
    lt.upstream_(model, [2.0, 0.5], layers=("qkv.q", "qkv.k"), inputs=x)
    lt.upstream_(model, torch.linspace(0.5, 2, 8), layers=("qkv.v", "proj"), inputs=x)
    torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)
    with pytest.raises(ValueError, match=r"'qkv.weight' holds several layers in one tensor"):
        lt.param_groups(model, 2.0, 0.1, layers=("qkv.v", "proj"), inputs=x)


class Gated(nn.Module):
    """A gate and what it gates, in one weight, as in Phi-3 and timm's GluMlp."""

    def __init__(self):
        super().__init__()
        self.both, self.down = nn.Linear(5, 12), nn.Linear(6, 2)

    def forward(self, x):
        gate, value = self.both(x).chunk(2, dim=-1)
        return self.down(value * F.silu(gate))


def test_what_is_gated_is_a_layer_of_its_own():
    torch.manual_seed(0)
    model, x = Gated().double(), torch.randn(4, 5, dtype=torch.float64)
    balance = lt.balance(model, inputs=x)
    assert [pair.name for pair in balance.pairs] == ["both[6:12] → down"]
    assert "not homogeneous" in balance.reasons_without["both[0:6]"]
    before = model(x)
    lt.upstream_(model, 3.0, layers=("both[6:12]", "down"), inputs=x)
    torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)


def test_rotated_halves_meet_again():
    """Rows that are divided and joined are one layer."""

    class Rotary(Fused):
        def split(self, x):
            def turned(z):
                one, other = z.chunk(2, dim=-1)
                return z * 0.8 + torch.cat([-other, one], dim=-1) * 0.6

            q, k, v = super().split(x)
            return turned(q), turned(k), v

    torch.manual_seed(0)
    model, x = Rotary("timm").double(), torch.randn(4, 6, 5, dtype=torch.float64)
    names = [pair.name for pair in lt.balance(model, inputs=x).pairs]
    assert "qkv.q ⇄ qkv.k" in names
    assert "qkv.v → proj" in names
    assert all(change < 1e-12 for change in moved(model, x))


def test_a_pair_that_is_not_one_is_not_listed(monkeypatch):
    """A reading that takes everything for homogeneous is found out by a run, also behind a gain of 1e-6."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 2), nn.ReLU(), nn.Linear(2, 2))
    with torch.no_grad():
        model[4].weight.mul_(1e-7)
    x = torch.randn(4, 5)
    monkeypatch.setattr("lazyrich.torch._structure.forward_pass.DEGREE_ONE", frozenset({"tanh", "relu"}))
    assert structure(model, x).spaces[1].fixed == ("the outputs change when its scale does, as a run showed",)
    assert [pair.name for pair in lt.balance(model, inputs=x).pairs] == ["2 → 4"]
    with pytest.raises(ValueError, match="has a fixed scale: the outputs change when its scale does, as a run showed"):
        lt.upstream_(model, 2.0, layers=("0", "2"), inputs=x)
    monkeypatch.setattr(tracing, "verify_structure", lambda model, layout, *_: layout)
    assert len(lt.balance(model, inputs=x).pairs) == 2


def test_rotations_that_leave_nothing_and_casts_to_a_weight():
    """Phi-3 rotates all of a head and joins the empty rest; a cast reads no more of a weight than its precision."""

    class Rotated(Fused):
        def split(self, x):
            q, k, v = super().split(x.type_as(self.proj.weight))
            e = q.shape[-1]
            return *(torch.cat([-z[..., :e], z[..., e:]], dim=-1) for z in (q, k)), v.to(self.proj.weight)

    torch.manual_seed(0)
    model, x = Rotated("slices").double(), torch.randn(4, 6, 5, dtype=torch.float64)
    names = [pair.name for pair in lt.balance(model, inputs=x).pairs]
    assert "qkv.q ⇄ qkv.k" in names
    assert "qkv.v → proj" in names
    assert all(change < 1e-12 for change in moved(model, x))
