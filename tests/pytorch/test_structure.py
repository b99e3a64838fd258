"""How models are read: what can be rescaled is, exactly; what cannot is refused by name."""

import copy

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn
from zoo import (
    IMAGES,
    MODELS,
    Decoder,
    Normed,
    Residual,
    Transformer,
    batch_norm,
    gap,
    make,
    mlp,
    outputs,
    same,
    state,
    train,
)

from lazyrich.torch._model.parameter_slices import full_parameter_name
from lazyrich.torch._structure import forward_pass, structure, tracing
from lazyrich.torch.rescale import balance, param_groups, rescale_, upstream_

# -- what cannot be done is refused by name ------------------------------------------------------------------------


def test_batch_norm_is_said_not_guessed():
    model, x = batch_norm(), torch.randn(IMAGES, dtype=torch.float64)
    with pytest.raises(ValueError, match=r"BatchNorm2d in '1' lies between '0' and '5'.*eps.*across_norms=True"):
        upstream_(model, 2.0)
    with pytest.raises(ValueError, match=r"δ is not conserved there"):
        rescale_(model, delta=2.0)
    for training in (False, True):
        before = outputs(copy.deepcopy(model).train(training), x)
        moved = copy.deepcopy(model)
        result = upstream_(moved, 2.0, across_norms=True, inputs=x)
        assert set(result.factors) == {"0.weight", "0.bias", "1.running_mean", "1.running_var"}
        assert 1e-9 < gap(before, outputs(moved.train(training), x)) < 1e-3  # eps
    assert "takes the scale out again" in str(result)
    assert result.delta is None
    # Behind the norm, its gain is a layer like any other: exact.
    before = outputs(model.eval(), x)
    result = rescale_(model, delta=1.0, layers=("1", "5"), each=True)
    assert gap(before, outputs(model, x)) < 1e-12
    (pair,) = balance(model).pairs
    assert pair.name == "1 → 5"
    np.testing.assert_allclose(pair.units, 1.0)
    assert balance(model).reasons_without == {"0": "BatchNorm2d in '1' does not depend on the scale of its input"}


def test_kept_is_a_measured_number():
    """A stream as small as that of GPT-2 at its start, divided by 10: eps is larger than what the norm reads."""
    torch.manual_seed(0)
    model, x = Transformer().double().eval(), torch.randint(0, 11, (3, 6))
    with torch.no_grad():
        for p in (model.emb.weight, model.pos, *(q for name, q in model.named_parameters() if ".out." in name)):
            p.mul_(0.02)
    before, start = outputs(model, x), state(model)
    refusals = {
        r"would change by [1-9]\.\de-0[12] of the largest \(allowed: 1e-03\): what layer_norm in 'blocks.0.ln1' "
        r"reads becomes so small that its eps counts; .*Nothing was changed": {"inputs": x},
        r"allowed: 1e-02": {"inputs": x, "tolerance": 0.01},
        r"has to be measured: pass inputs=.*tolerance=inf .*Nothing was changed": {},
        r"tolerance must be at least 0.*found -1": {"inputs": x, "tolerance": -1},
    }
    for message, how in refusals.items():
        with pytest.raises(ValueError, match=message):
            upstream_(model, 10.0, across_norms=True, **how)
        assert same(start, state(model))
    unseen = upstream_(copy.deepcopy(model), 10.0, across_norms=True, tolerance=np.inf)
    assert "function: changed by what eps is worth; not measured (pass inputs=...)" in str(unseen)
    seen = upstream_(model, 10.0, across_norms=True, inputs=x, tolerance=np.inf)
    assert seen.change == pytest.approx(gap(before, outputs(model, x)), rel=1e-9)
    assert f"function: CHANGED, measured difference {seen.change:.1e} (kept: up to 1e-03)" in str(seen)
    exact = upstream_(model, 3.0, layers=("norm", "head"), inputs=x)
    assert f"function: kept, measured difference {exact.change:.1e} (kept: up to 1e-09)" in str(exact)
    with pytest.raises(ValueError, match=r"would change by .* \(allowed: 0e\+00\): something in the forward pass sees"):
        upstream_(model, 3.0, layers=("norm", "head"), inputs=x, tolerance=0.0)


def test_rates_across_a_norm():
    model, x = batch_norm().train(), torch.randn(IMAGES, dtype=torch.float64)
    rescaled = copy.deepcopy(model)
    upstream_(rescaled, 1.5, across_norms=True, inputs=x)
    start = outputs(model, x)
    train(rescaled, x, torch.optim.SGD(rescaled.parameters(), lr=0.05))
    train(model, x, torch.optim.SGD(param_groups(model, 1.5, 0.05, across_norms=True)))
    assert gap(outputs(model, x), outputs(rescaled, x)) < 2e-3 < 0.1 < gap(start, outputs(model, x))


def test_transformer():
    torch.manual_seed(0)
    model, x = Transformer().double().eval(), torch.randint(0, 11, (3, 6))
    with pytest.raises(ValueError, match=r"LayerNorm in 'blocks.0.ln1' lies between 'emb' and 'head'"):
        upstream_(model, 2.0)
    before = outputs(model, x)
    result = upstream_(model, 2.0, across_norms=True, inputs=x)
    written = {f"blocks.{i}.{m}.{p}" for i in (0, 1) for m in ("out", "down") for p in ("weight", "bias")}
    assert set(result.factors) == {"emb.weight", "pos", *written}
    assert gap(before, outputs(model, x)) < 1e-3
    before = outputs(model, x)
    upstream_(model, 3.0, layers=("norm", "head"))  # gain and readout: exact
    assert gap(before, outputs(model, x)) < 1e-12
    with pytest.raises(
        ValueError, match=r"'blocks.1.up' writes has a fixed scale: GELU in 'blocks.1.act' is not homog"
    ):
        upstream_(model, 2.0, layers=("blocks.1.up", "blocks.1.down"))
    with pytest.raises(ValueError, match=r"'blocks.0.qkv' writes has a fixed scale: matmul in 'blocks.0' multiplies"):
        upstream_(model, 2.0, layers=("blocks.0.qkv", "blocks.0.out"))
    plain = Transformer(norm=False).double().eval()
    before = outputs(plain, x)
    result = rescale_(plain, delta=1.0)
    assert gap(before, outputs(plain, x)) < 1e-12
    assert set(result.factors) == {"emb.weight", "pos", "head.weight"}
    with pytest.raises(ValueError, match=r"'emb.weight' is shared \(tied weights\).*Untie them"):
        upstream_(Transformer(tied=True, norm=False), 2.0)
    with pytest.raises(ValueError, match=r"needs? homogeneous|lies between"):
        upstream_(nn.Sequential(nn.Linear(8, 8), nn.TransformerEncoderLayer(8, 2), nn.Linear(8, 8)), 2.0)


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
def test_a_language_model_of_today(run):
    """Norms that are written out have gains; attention is of degree 1 in its values, a gate in what it gates."""
    torch.manual_seed(0)
    model, x = Decoder().double().eval(), torch.randint(0, 11, (3, 6))
    inputs = x if run else None
    found = balance(model, inputs=inputs)
    pairs = [("norm1", "q + k + v"), ("v", "o"), ("norm2", "gate + up"), ("up", "down"), ("norm3", "W")]
    assert [pair.name for pair in found.pairs] == [*(f"{one} → {other}" for one, other in pairs), "q ⇄ k"]
    assert set(found.reasons_without) == {"tokens + o + down", "gate"}
    before = outputs(model, x)
    for writer, reader in pairs:
        rescale_(model, delta=3.0, layers=(writer, reader.split()[0]), inputs=inputs)
        assert gap(before, outputs(model, x)) < 1e-12
        assert balance(model, inputs=inputs).deltas[f"{writer} → {reader}"] == pytest.approx(3.0)
    tolerance = None if run else np.inf
    result = upstream_(model, 2.0, layers=("tokens", "W"), across_norms=True, inputs=inputs, tolerance=tolerance)
    stream = {"tokens.weight", "positions.weight", "o.weight", "o.bias", "down.weight", "down.bias"}
    assert set(result.factors) == stream
    assert gap(before, outputs(model, x)) < 1e-3  # eps


def test_what_the_function_cannot_see_is_conserved():
    """Along the gradient, each free space keeps Σ power·‖θ‖²: its generator is orthogonal to every gradient."""
    for model, x in ((Decoder(), torch.randint(0, 11, (3, 6))), (Normed(), torch.randn(IMAGES).double())):
        torch.manual_seed(0)
        model = model.double().eval()
        layout, parameters = structure(model, x), dict(model.named_parameters())
        (model(x) ** 3).sum().backward()
        free = [key for key, space in layout.spaces.items() if space.is_free and not space.norms and space.writers]
        assert len(free) >= 3
        for key in free:
            terms = [(n, float((parameters[name].detach() * parameters[name].grad).sum()))
                     for name, n in layout.exponents([key]).items() if name in parameters]  # fmt: skip
            assert abs(sum(n * value for n, value in terms)) < 1e-12 * sum(abs(value) for _, value in terms)
            assert {n for n, _ in terms} == {1, -1}


class Branch(nn.Module):
    """Control flow on data: not traceable, but it runs. And a constant on one way."""

    def __init__(self, constant=False):
        super().__init__()
        self.a, self.b, self.constant = nn.Linear(4, 5), nn.Linear(5, 3), constant

    def forward(self, x):
        z = self.a(x) if x.sum() > -1e9 else x
        return self.b(F.relu(z + 1.0 if self.constant else z))


LINEAR = (nn.Linear(4, 5), nn.Linear(5, 3))
REFUSED = {
    "tanh": (nn.Sequential(LINEAR[0], nn.Tanh(), LINEAR[1]), "Tanh in '1' is not homogeneous"),
    "gelu further on": (
        nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 2)),
        r"does not reach '4': behind '2': GELU in '3' is not homogeneous; choose for instance layers=\('0', '2'\)",
    ),
    "softmax": (nn.Sequential(LINEAR[0], nn.Softmax(-1), LINEAR[1]), "Softmax in '1' is not homogeneous"),
    "one layer": (nn.Sequential(nn.Linear(3, 2), nn.ReLU()), "between two weight layers; found '0'"),
    "no parameters": (nn.Sequential(nn.ReLU()), "no trainable parameters"),
    "untraceable": (Branch(), "cannot be followed without running it.*Pass inputs"),
    "recurrent": (nn.Sequential(nn.Linear(4, 4), nn.GRU(4, 4)), "found '0'|not known to be homogeneous"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    model, message = REFUSED[name]
    before = state(model)
    with pytest.raises(ValueError, match=message):
        upstream_(model, 2.0)
    assert same(before, state(model))


def test_more_refusals():
    model, x = make("mlp")
    with pytest.raises(ValueError, match="no weight layer is called 'x'; this model has '0', '2', '4'"):
        upstream_(model, 2.0, layers=("x", "2"))
    with pytest.raises(ValueError, match="'0' does not come after '2'"):
        upstream_(model, 2.0, layers=("2", "0"))
    with pytest.raises(ValueError, match="alpha must be a positive number; found -1"):
        upstream_(model, -1)
    with pytest.raises(ValueError, match="nothing to set"):
        rescale_(model)
    with pytest.raises(ValueError, match="no trainable parameter begins with 'fc'"):
        balance(model, rates={"fc": 1.0})
    with pytest.raises(ValueError, match="rate of '0' must be finite and at least 0; found nan"):
        rescale_(model, delta=0.0, rates={"0": float("nan")})
    with pytest.raises(ValueError, match=r"rate of '0.weight' must be positive for δ to be defined; found 0"):
        rescale_(model, delta=0.0, rates={"0": 0.0})
    with pytest.raises(ValueError, match="'0' and '4' are not adjacent"):
        rescale_(model, delta=0.0, each=True)
    with pytest.raises(ValueError, match=r"'0.weight' would overflow or vanish"):
        upstream_(model.float(), 1e300)
    with torch.no_grad():
        model[4].weight.zero_()
    with pytest.raises(ValueError, match=r"weights that leave for '4' are zero"):
        rescale_(model, delta=1.0)
    with torch.no_grad():
        model[4].weight[0, 0] = torch.nan
    with pytest.raises(ValueError, match=r"'4.weight' has 1 of .* NaN"):
        rescale_(model, delta=1.0)
    with pytest.raises(ValueError, match=r"'down' adds to what 'stem' writes"):
        upstream_(Residual(), 2.0, layers=("stem", "down"))
    with pytest.raises(ValueError, match="add adds a constant"):
        upstream_(Branch(True), 2.0, inputs=torch.randn(5, 4))
    branch, x = Branch().double(), torch.randn(5, 4, dtype=torch.float64)
    before = outputs(branch, x)
    upstream_(branch, 2.0, inputs=x)
    assert gap(before, outputs(branch, x)) < 1e-12


def test_a_wrong_reading_is_caught_by_measuring(monkeypatch):
    """Were tanh taken for homogeneous, running the model would show that it is not, before anything is written."""
    monkeypatch.setattr(forward_pass, "DEGREE_ONE", forward_pass.DEGREE_ONE | {"tanh"})
    model, x = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3)), torch.randn(5, 4)
    before = state(model)
    with pytest.raises(ValueError, match="the outputs change when its scale does, as a run showed"):
        upstream_(model, 2.0, inputs=x)
    monkeypatch.setattr(tracing, "verify_structure", lambda model, layout, *_: layout)
    with pytest.raises(ValueError, match="something in the forward pass sees the scale"):
        upstream_(model, 2.0, inputs=x)
    assert same(before, state(model))


class Pinned(nn.Module):
    """The first weight is also seen by something else."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.gate = nn.Linear(4, 5), nn.Linear(5, 3), nn.Linear(4, 1)

    def forward(self, x):
        return self.b(F.relu(self.a(x))) + self.a.weight.exp().sum()


def test_a_weight_with_a_second_use_is_refused():
    for x in (None, torch.randn(5, 4)):
        with pytest.raises(ValueError, match=r"'a.weight' is shared .*c\^0 in exp and c\^1 in 'a'"):
            upstream_(Pinned(), 2.0, inputs=x)
    twice = nn.Linear(4, 4)
    with pytest.raises(ValueError, match="'0' runs 2 times"):
        upstream_(nn.Sequential(twice, nn.ReLU(), twice, nn.ReLU(), nn.Linear(4, 2)), 2.0, layers=("0", "4"))


def test_weight_norm_is_not_a_weight():
    model = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(4, 5)), nn.ReLU(), nn.Linear(5, 3))
    for x in (None, torch.randn(5, 4)):
        with pytest.raises(ValueError, match="found '2'"):
            upstream_(model, 2.0, inputs=x)


class Net(nn.Module):
    """Two layers with a function between them."""

    def __init__(self, function):
        super().__init__()
        self.a, self.b, self.function = nn.Linear(4, 6), nn.Linear(6, 3), function

    def forward(self, x):
        return self.b(self.function(self.a(x)))


def overwrite(x):
    x = x.clone()
    x[:, 0] = 1.0
    return x


KEPT = {
    "relu in place": lambda x: F.relu(x, inplace=True),
    "maximum": lambda x: torch.maximum(x, 0.1 * x),
    "average of itself": lambda x: x - x.mean(1, keepdim=True),
    "sum with alpha": lambda x: torch.add(x, x, alpha=2),
    "pieces": lambda x: torch.cat(x.chunk(2, 1)[::-1], 1),
    "by its size": lambda x: x * x.shape[1],
    "reshaped": lambda x: x.view(x.shape[0], 2, 3).transpose(1, 2).flatten(1),
    "padded": lambda x: F.pad(x, (0, 1))[:, :6],
    "mask": lambda x: x * torch.ones(6, dtype=x.dtype),
    "constant factor": lambda x: x * torch.tensor(2.0),
    "constant divisor": lambda x: x.T.mT / torch.full((6,), 2.0),
    "constant of its type": lambda x: x * torch.ones(6).to(x) / torch.ones(6).type_as(x),
    "divided by name": lambda x: torch.div(input=x, other=2.0),
    "joined by name": lambda x: torch.cat(tensors=[x[:, 1:], x[:, :1]], dim=1),
    "modules": nn.Sequential(nn.Dropout(0.5), nn.Identity(), nn.PReLU()),
    "mixed by something fixed": lambda x: torch.softmax(torch.arange(49.0).double().view(7, 7).cos(), 1) @ x,
}
CHANGED = {
    "squared": lambda x: F.relu(x).pow(2),
    "cubed": lambda x: x**3,
    "root of its mean square": lambda x: x + x.pow(2).mean(-1, keepdim=True).sqrt() ** 3,
    "softened size": lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1.0),
    "softened by a tensor": lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + torch.ones(1).double()),
    "by its mean square": lambda x: x / (x.square().mean(-1, keepdim=True) + 1e-6),
    "times its deviation": lambda x: x * x.std(-1, keepdim=True),
    "size by itself": lambda x: torch.rsqrt(x.var(-1, keepdim=True)) / x,
    "own size": lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6),
    "own deviation": lambda x: (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True),
    "square": lambda x: x * x,
    "gate": lambda x: x * torch.sigmoid(x),
    "constant": lambda x: x + 1,
    "constant by name": lambda x: torch.add(x, other=0.5),
    "constant by the other name": lambda x: torch.add(input=torch.tensor(0.5), other=x),
    "constant of its type added": lambda x: x + torch.ones(6).to(x),
    "constant typed as it": lambda x: x + torch.ones(6).type_as(x),
    "joined to a constant": lambda x: torch.cat([x[:, 1:], torch.ones((7, 1), dtype=x.dtype)], 1),
    "joined to a constant by name": lambda x: torch.cat(tensors=[x[:, 1:], torch.ones(7, 1).double()], dim=1),
    "constant minus": lambda x: 1 - x,
    "constant number": lambda x: x + torch.tensor(2.0),
    "constant tensor": lambda x: torch.maximum(x, torch.ones_like(x)),
    "constant in place": lambda x: x.clone().add_(1.0),
    "size": lambda x: x + x.shape[1],
    "padding": lambda x: F.pad(x, (1, 0), value=2.0)[:, :6],
    "reciprocal": lambda x: 1 / x,
    "reciprocal by name": lambda x: torch.div(other=x, input=torch.tensor(1.0)),
    "floor": lambda x: torch.div(x, 0.5, rounding_mode="floor"),
    "unit": lambda x: x / x.norm(),
    "unit without gradient": lambda x: x / x.data.norm(),
    "square without gradient": lambda x: x * x.data,
    "gate by an attribute": lambda x: x * x.real,
    "rounding": lambda x: x.to(torch.int64).to(x.dtype),
    "rounding by name": lambda x: x.type("torch.LongTensor").to(x.dtype),
    "overwritten": overwrite,
    "number": lambda x: x * x.abs().max().item(),
    "another world": lambda x: torch.tensor(x.tolist(), dtype=x.dtype),
    "self-attention": lambda x: x @ x.T @ x,
    "relu6": F.relu6,
    "own statistics": lambda x: F.layer_norm(x, (6,)),
}


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
@pytest.mark.parametrize("name", [*KEPT, *CHANGED])
def test_kept_or_refused_but_never_wrong(name, run):
    torch.manual_seed(0)
    model, x = Net(KEPT.get(name) or CHANGED[name]).double().eval(), torch.randn(7, 4, dtype=torch.float64)
    before = outputs(model, x)
    if name in CHANGED:
        with pytest.raises(ValueError, match=r"fixed scale|cannot be followed|lies between|does not reach|found 'a'"):
            upstream_(model, 3.0, inputs=x if run else None)
    else:
        upstream_(model, 3.0, inputs=x if run else None)
        (pair,) = balance(model, inputs=x if run else None).pairs
        if pair.units is not None:
            rescale_(model, delta=0.5, each=True, inputs=x if run else None)
    assert gap(before, outputs(model, x)) < 1e-12


def test_residual_network_with_batch_norm():
    torch.manual_seed(0)
    model, x = Normed().double().eval(), torch.randn(IMAGES, dtype=torch.float64)
    with pytest.raises(ValueError, match=r"BatchNorm2d in 'bn' lies between 'stem' and 'head'.*\('bn', 'convs.0'\)"):
        upstream_(model, 2.0)
    before = outputs(model, x)
    result = upstream_(model, 2.0, layers=("bn", "head"))  # exact: the convolutions that read the stream make up for it
    assert gap(before, outputs(model, x)) < 1e-12
    assert {name for name, c in result.factors.items() if c == 2} == {"convs.0.weight", "convs.2.weight", "head.weight"}
    result = upstream_(model, 2.0, across_norms=True, inputs=x)
    assert set(result.factors) == {"stem.weight", "bn.running_mean", "bn.running_var"}
    assert gap(before, outputs(model, x)) < 1e-3
    (stream,) = (pair for pair in balance(model).pairs if "head" in pair.readers)
    assert stream.name == "bn + bns.1 + bns.3 → convs.0 + convs.2 + head"


def test_both_ways_of_watching_see_evaluation_mode():
    class Noisy(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = nn.Linear(4, 5), nn.Linear(5, 3)

        def forward(self, x):
            x = F.relu(self.one(x))
            return self.two(x + 0.1 if self.training else x)

    model, x = Noisy().train(), torch.randn(2, 4)
    assert [pair.name for pair in balance(model).pairs] == ["one → two"]
    assert balance(model).deltas == balance(model, inputs=x).deltas
    assert model.training


def test_both_ways_of_watching_agree():
    for name in MODELS:
        model, x = make(name)
        one, other = balance(model), balance(model, inputs=x)
        assert one.deltas == other.deltas
        assert one.deltas
    model = Transformer()
    one, other = structure(model), structure(model, torch.randint(0, 11, (2, 6)))
    assert [(x.weight, x.bias, [read.aligned for read in x.reads]) for x in one.layers] == list(
        {  # running it tells queries, keys and values apart
            full_parameter_name(x.weight): (
                full_parameter_name(x.weight),
                x.bias and full_parameter_name(x.bias),
                [read.aligned for read in x.reads],
            )
            for x in other.layers
        }.values()
    )


class Hyper(nn.Module):
    """Gains and slopes that are computed: products in disguise."""

    def __init__(self, function):
        super().__init__()
        self.a, self.g, self.b, self.function = nn.Linear(4, 6), nn.Linear(4, 6), nn.Linear(6, 3), function

    def forward(self, x):
        return self.b(self.function(self.a(x), self.g(x)))


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
def test_computed_gains_are_products(run):
    x = torch.randn(1, 4)
    for function in (
        lambda z, g: F.layer_norm(z, (6,), weight=g[0]),
        lambda z, g: F.prelu(z, g[0]),
        lambda z, g: F.linear(z, g.T @ g),
        lambda z, g: z * g,
    ):
        for first in ("a", "g"):
            with pytest.raises(ValueError, match=rf"what '{first}' writes has a fixed scale"):
                upstream_(Hyper(function), 2.0, layers=(first, "b"), inputs=x if run else None)


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
def test_a_gate_is_fixed_and_what_it_gates_is_free(run):
    x = torch.randn(5, 4, dtype=torch.float64)
    for function in (
        lambda z, g: z * torch.sigmoid(g),
        lambda z, g: z / (torch.exp(g) + 1),
        lambda z, g: torch.softmax(g @ g.T, 1) @ z,
    ):
        model = Hyper(function).double()
        before = outputs(model, x)
        upstream_(model, 3.0, layers=("a", "b"), inputs=x if run else None)
        assert gap(before, outputs(model, x)) < 1e-12
        with pytest.raises(ValueError, match="what 'g' writes has a fixed scale"):
            upstream_(model, 3.0, layers=("g", "b"), inputs=x if run else None)
    for function in (
        lambda z, g: torch.sigmoid(g) / z,
        lambda z, g: z * torch.rsqrt(g.pow(2).mean(-1, keepdim=True)),  # the size of another
        lambda z, g: F.scaled_dot_product_attention(z[None], g[None], z[None])[0],
    ):
        for first in ("a", "g"):
            with pytest.raises(ValueError, match=rf"what '{first}' writes has a fixed scale|does not reach"):
                upstream_(Hyper(function), 3.0, layers=(first, "b"), inputs=x.float() if run else None)


class Gained(nn.Module):
    """A learned factor of the input, and a learned divisor."""

    def __init__(self):
        super().__init__()
        self.gain, self.by, self.b = (nn.Parameter(torch.rand(4) + 1), nn.Parameter(torch.rand(4) + 1), nn.Linear(4, 3))

    def forward(self, x):
        return self.b(torch.tanh(x) * self.gain) + self.b(x / self.by)


NORMALIZED = {
    "mean square": lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-9),
    "square": lambda x: x / torch.sqrt(x.square().sum(-1, keepdim=True)),
    "power": lambda x: (x**2).mean(-1, keepdim=True) ** -0.5 * x,
    "reciprocal": lambda x: x * (x.square().mean() + 1e-9).sqrt().reciprocal(),
    "variance": lambda x: (x - x.mean(-1, keepdim=True)) * torch.rsqrt(x.var(-1, keepdim=True) + 1e-9),
    "deviation": lambda x: x / x.std(-1, keepdim=True).clamp_min(1e-9),
}
HALF_NORMALIZED = {
    "softened": lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1.0),
    "softened below": lambda x: x / x.std(-1, keepdim=True).clamp_min(1.0),
    "by its square": lambda x: x / x.square().mean(-1, keepdim=True),
    "by its inverse": lambda x: x / torch.rsqrt(x.var(-1, keepdim=True)),
    "times its deviation": lambda x: x * x.std(-1, keepdim=True),
    "turned over": lambda x: x.std(-1, keepdim=True) / x,
}


class Scaled(Net):
    """With a learned factor behind the function."""

    def __init__(self, function):
        super().__init__(function)
        self.gain = nn.Parameter(torch.randn(6))

    def forward(self, x):
        return self.b(self.function(self.a(x)) * self.gain)


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
@pytest.mark.parametrize("name", [*NORMALIZED, *HALF_NORMALIZED])
def test_norms_that_are_written_out(name, run):
    torch.manual_seed(0)
    model = Scaled(NORMALIZED.get(name) or HALF_NORMALIZED[name]).double()
    x = torch.randn(5, 4, dtype=torch.float64)
    inputs, before = x if run else None, outputs(model, x)
    if name in HALF_NORMALIZED:
        with pytest.raises(ValueError, match="what 'a' writes has a fixed scale"):
            upstream_(model, 3.0, across_norms=True, inputs=inputs)
        return
    result = upstream_(model, 3.0, across_norms=True, inputs=inputs, tolerance=None if run else np.inf)
    assert set(result.factors) == {"a.weight", "a.bias"}
    assert gap(before, outputs(model, x)) < 1e-6
    before = outputs(model, x)
    assert set(upstream_(model, 3.0, layers=("gain", "b"), inputs=inputs).factors) == {"gain", "b.weight"}
    assert gap(before, outputs(model, x)) < 1e-12


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
def test_a_learned_factor_between_layers_is_passed_through(run):
    model, x = Scaled(F.relu).double(), torch.randn(5, 4, dtype=torch.float64)
    before = outputs(model, x)
    assert set(upstream_(model, 3.0, inputs=x if run else None).factors) == {"a.weight", "a.bias", "b.weight"}
    assert gap(before, outputs(model, x)) < 1e-12


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
def test_learned_factors_write_and_learned_divisors_do_not(run):
    model, x = Gained().double(), torch.randn(5, 4, dtype=torch.float64)
    layout = structure(model, x if run else None)
    assert [layer.weight for layer in layout.layers] == ["gain", "b.weight", "b.weight"]
    assert "by" in layout.pinned
    with pytest.raises(ValueError, match=r"'b.weight' is shared"):
        layout.exponents([layout.layers[0].writes])


def test_scaled_addmm_is_refused():
    class Doubled(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.W, self.b = nn.Linear(4, 5), nn.Parameter(torch.randn(5, 3)), nn.Parameter(torch.randn(3))

        def forward(self, x):
            return torch.addmm(self.b, self.a(x), self.W, beta=2.0)

    with pytest.raises(ValueError, match=r"found 'a'|fixed scale"):
        upstream_(Doubled(), 2.0)


def test_layer_norm_over_images_has_no_units():
    """Its gain has one entry per pixel; the pair is balanced as a whole."""
    model, x = nn.Sequential(nn.LayerNorm((2, 8, 8)), nn.Conv2d(2, 3, 3)).double(), torch.randn(IMAGES).double()
    (pair,) = balance(model).pairs
    assert pair.units is None
    before = outputs(model, x)
    rescale_(model, delta=0.0, layers=("0", "1"), inputs=x)
    assert gap(before, outputs(model, x)) < 1e-12


def test_compiled_models_are_read_inside():
    wrapped = nn.Module()
    wrapped._orig_mod = mlp()
    assert balance(wrapped).deltas == balance(wrapped._orig_mod).deltas
    assert upstream_(wrapped, 2.0).factors["0.weight"] == 0.5
