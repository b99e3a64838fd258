"""`nn.MultiheadAttention` and PyTorch's own transformer layers: one stored matrix, read as queries, keys and values."""

import pytest
import torch
from torch import nn
from torch.func import functional_call, jacrev
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

import lazyrich.torch as lt
from lazyrich.torch._jacobian.per_sample_jacobian import PerSampleJacobian
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters


class Crossed(nn.Module):
    """Fewer queries than keys, and a mask."""

    def __init__(self, batch_first=True, **how):
        super().__init__()
        self.into, self.head = nn.Linear(3, 8), nn.Linear(8, 2)
        self.attn, self.first = nn.MultiheadAttention(8, 2, batch_first=batch_first, **how), batch_first
        self.register_buffer("mask", torch.tensor([[0.0, 0.0, -1e9, 0.0], [0.0, 0.3, 0.0, 0.0]]))

    def forward(self, x):
        h = self.into(x) if self.first else self.into(x).transpose(0, 1)
        few = h[:, :2] if self.first else h[:2]
        mixed = self.attn(query=few, key=h, value=h, attn_mask=self.mask)[0]
        return self.head(torch.relu(mixed).mean(1 if self.first else 0))


def crossed(**how):
    torch.manual_seed(0)
    return Crossed(**how).double().eval(), torch.randn(5, 4, 3, dtype=torch.float64)


def explicit(model, x, weights=None):
    """From the whole Jacobian."""
    with measurement_mode(model):
        values = {name: p.detach() for name, p in trainable_parameters(model).items()}
        with sdpa_kernel(SDPBackend.MATH):  # fused attention has no batching rule
            jacobian = jacrev(lambda p: functional_call(model, p, (x,)))(values)
    weights = {name: torch.ones_like(p) for name, p in values.items()} if weights is None else weights
    parts = [(part.flatten(2) * weights[name].flatten().sqrt()).flatten(0, 1) for name, part in jacobian.items()]
    whole = torch.cat(parts, 1)
    return whole @ whole.T


OPTIONS = [{}, {"bias": False}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"batch_first": False}]


@pytest.mark.parametrize("how", OPTIONS, ids=str)
def test_kernels_are_those_of_autograd(how):
    model, x = crossed(**how)
    torch.testing.assert_close(lt.tangent_kernel(model, x, block=2), explicit(model, x), rtol=1e-12, atol=1e-13)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model(x).square().sum().backward()
    optimizer.step()
    weights = {name: 1e-3 / (optimizer.state[p]["exp_avg_sq"].div(1e-3).sqrt() + 1e-8)
               for name, p in model.named_parameters()}  # fmt: skip
    found, wanted = lt.tangent_kernel(model, x, optimizer=optimizer), explicit(model, x, weights)
    assert float((found - wanted).abs().max()) < 1e-10 * float(wanted.abs().max())


def test_nothing_in_it_goes_the_general_way():
    model, x = crossed()
    before = dict(model.attn.named_modules()), dict(vars(model.attn))
    with measurement_mode(model):
        tangent = PerSampleJacobian(model, {}, x, dict.fromkeys(trainable_parameters(model), 1.0), "full")
        assert tangent.general == ()
        assert ("attn.in_proj_weight", "attn.in_proj_bias") in tangent.layers
        assert ("attn.out_proj.weight", "attn.out_proj.bias") in tangent.layers
    assert (dict(model.attn.named_modules()), dict(vars(model.attn))) == before
    assert type(model.attn).forward is nn.MultiheadAttention.forward


@pytest.mark.parametrize("limits", [(1e9, 2**22), (1e-9, 2**22), (1e9, 1)], ids=["columns", "Gram", "spread"])
def test_three_matrices_in_every_way(monkeypatch, limits):
    """As columns of a Jacobian, as products of Gram matrices, and multiplied out in parts."""
    for name, value in zip(("SMALL_PRODUCT_COST", "MAX_EXPANDED_BYTES"), limits, strict=True):
        monkeypatch.setattr(f"lazyrich.torch._jacobian.per_sample_jacobian.{name}", value)
    model, x = crossed()
    torch.testing.assert_close(lt.tangent_kernel(model, x, block=2), explicit(model, x), rtol=1e-12, atol=1e-13)
    with pytest.warns(UserWarning, match="not a proxy"):
        trace = lt.tangent_kernel(model, x, kind="trace", block=2)
    blocks = explicit(model, x).reshape(5, 2, 5, 2)
    torch.testing.assert_close(trace, blocks.diagonal(dim1=1, dim2=3).sum(-1), rtol=1e-12, atol=1e-13)


def test_an_attention_of_a_users_own_kind_is_left_alone():
    class Own(nn.MultiheadAttention):
        def forward(self, query, key, value, **kwargs):
            mixed, weights = super().forward(query, key, value, **kwargs)
            return mixed + F.linear(query, self.in_proj_weight[:8]), weights

    model, x = crossed()
    model.attn = Own(8, 2, batch_first=True).double()
    torch.testing.assert_close(lt.tangent_kernel(model, x), explicit(model, x), rtol=1e-12, atol=1e-13)
    assert not [pair for pair in lt.balance(model, inputs=x).pairs if "attn" in pair.name]


class Doubled(nn.Module):
    def forward(self, weight):
        return 2 * weight


@pytest.mark.parametrize("name", ["in_proj_weight", "in_proj_bias"])
def test_a_matrix_that_is_computed_is_left_alone(name):
    model, x = crossed()
    nn.utils.parametrize.register_parametrization(model.attn, name, Doubled())
    torch.testing.assert_close(lt.tangent_kernel(model, x), explicit(model, x), rtol=1e-12, atol=1e-13)
    assert [pair.name for pair in lt.balance(model, inputs=x).pairs] == []


def test_an_output_matrix_with_a_hook_is_not_called():
    """PyTorch uses its weight, and never calls it."""
    model, x = crossed()
    model.attn.out_proj.register_forward_hook(lambda module, args, output: 10 * output)
    torch.testing.assert_close(lt.tangent_kernel(model, x), explicit(model, x), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("run", [True, False], ids=["run", "traced"])
@pytest.mark.parametrize("how", OPTIONS, ids=str)
def test_every_pair_keeps_the_function(how, run):
    model, x = crossed(**how)
    before = model(x)
    found = {pair.name: pair for pair in lt.balance(model, inputs=x if run else None).pairs}
    assert list(found) == ["into → attn.q + attn.k + attn.v", "attn.v → attn.out_proj", "attn.out_proj → head",
                           "attn.q ⇄ attn.k"]  # fmt: skip
    turned = {3.0: ("into", "attn.k"), 2.0: ("attn.v", "attn.out_proj"), 0.7: ("attn.out_proj", "head"),
              1.3: ("attn.q", "attn.k")}  # fmt: skip
    for alpha, layers in turned.items():
        lt.upstream_(model, alpha, layers=layers, inputs=x if run else None)
        torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)
    now = {pair.name: pair.delta for pair in lt.balance(model, inputs=x).pairs}
    assert all(abs(now[name] - pair.delta) > 1e-3 for name, pair in found.items())


def test_delta_of_heads_and_units_by_hand():
    model, x = crossed()
    pairs = {pair.name: pair for pair in lt.balance(model, inputs=x).pairs}
    weight, bias = model.attn.in_proj_weight.detach(), model.attn.in_proj_bias.detach()
    into = weight.square().sum(1) + bias.square()
    q, k, v = into.chunk(3)
    out = model.attn.out_proj.weight.detach().square().sum(0)
    for name, units in (("attn.q ⇄ attn.k", k - q), ("attn.v → attn.out_proj", out - v)):
        torch.testing.assert_close(pairs[name].units, units)
        torch.testing.assert_close(pairs[name].heads, torch.stack([units[:4].sum(), units[4:].sum()]))
        assert pairs[name].delta == pytest.approx(float(units.sum()))
    assert pairs["attn.out_proj → head"].heads is None


def test_heads_are_turned_one_by_one():
    model, x = crossed()
    before, start = model(x), {name: p.detach().clone() for name, p in model.named_parameters()}
    for pair in (("attn.q", "attn.k"), ("attn.v", "attn.out_proj")):
        result = lt.upstream_(model, [2.0, 1.0], layers=pair, inputs=x)
        assert result.change < 1e-12
        torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)
    rows = (model.attn.in_proj_weight.detach() / start["attn.in_proj_weight"]).mean(1)
    expected = [1 / 2] * 4 + [1] * 4 + [2] * 4 + [1] * 4 + [1 / 2] * 4 + [1] * 4
    torch.testing.assert_close(rows, torch.tensor(expected, dtype=torch.float64))
    for pair in (("attn.q", "attn.k"), ("attn.v", "attn.out_proj")):
        lt.rescale_(model, delta=0.4, heads=True, layers=pair, inputs=x)
        torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)
    found = {pair.name: pair for pair in lt.balance(model, inputs=x).pairs}
    for name in ("attn.q ⇄ attn.k", "attn.v → attn.out_proj"):
        torch.testing.assert_close(found[name].heads, torch.full((2,), 0.4, dtype=torch.float64))
    lt.rescale_(model, delta=-0.1, each=True, layers=("attn.k", "attn.q"), inputs=x)  # the other way round
    torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-13)
    (units,) = (pair.units for pair in lt.balance(model, inputs=x).pairs if pair.dual)
    torch.testing.assert_close(units, torch.full((8,), 0.1, dtype=torch.float64))


@pytest.mark.parametrize("alpha", [[1.0, 2.0, 3.0], [], [1.0, -1.0], [[1.0, 2.0]], [1.0, float("inf")]])
def test_alphas_that_fit_no_units(alpha):
    model, x = crossed()
    with pytest.raises(
        ValueError, match=r"one for each of the 8 units between 'attn.q' and 'attn.k', or for each head"
    ):
        lt.upstream_(model, alpha, layers=("attn.q", "attn.k"), inputs=x)


def test_what_is_not_to_be_moved_one_by_one():
    model, x = crossed()
    with pytest.raises(ValueError, match=r"'into' and 'head' are not adjacent|fixed scale"):
        lt.upstream_(model, [1.0, 2.0], layers=("into", "head"), inputs=x)
    with pytest.raises(
        ValueError, match=r"'attn.out_proj' and 'head' have no heads of an attention between them|follow"
    ):
        lt.rescale_(model, delta=1.0, heads=True, layers=("attn.out_proj", "head"), inputs=x)
    with pytest.raises(ValueError, match=r"a new tau would change the function differently for every unit"):
        lt.rescale_(model, tau=1.0, delta=1.0, heads=True, layers=("attn.v", "attn.out_proj"), inputs=x)
    with pytest.raises(ValueError, match=r"'attn.in_proj_weight' holds several layers in one tensor"):
        lt.param_groups(model, 2.0, 0.1, layers=("attn.v", "attn.out_proj"), inputs=x)
    model.attn.in_proj_weight.requires_grad_(False)
    found = lt.balance(model, inputs=x)
    assert [pair.name for pair in found.pairs] == ["attn.out_proj → head"]
    assert "is frozen" in found.reasons_without["attn.v"]


def test_a_matrix_that_is_also_used_as_a_whole_is_not_turned():
    class Twice(Crossed):
        def forward(self, x):
            return super().forward(x) + F.linear(self.into(x), self.attn.in_proj_weight).mean((1, 2))[:, None]

    torch.manual_seed(0)
    model, x = Twice().double(), torch.randn(5, 4, 3, dtype=torch.float64)
    assert [pair.name for pair in lt.balance(model, inputs=x).pairs] == ["attn.out_proj → head"]
    with pytest.raises(ValueError, match="one tensor cannot be scaled in two ways"):
        lt.upstream_(model, 2.0, layers=("attn.v", "attn.out_proj"), inputs=x)


def test_heads_are_conserved_by_small_steps():
    """To first order: a tenth of the step, a tenth of the drift; under weight decay, as predicted."""
    drifts = []
    for lr in (1e-2, 1e-3):
        model, x = crossed()
        lt.upstream_(model, [2.0, 0.7], layers=("attn.q", "attn.k"))
        before = {pair.name: pair.heads for pair in lt.balance(model, inputs=x).pairs if pair.groups}
        optimizer = torch.optim.SGD(model.parameters(), lr=lr, weight_decay=0.1)
        probe = lt.Probe(model, x, optimizer=optimizer)
        for _ in range(int(1 / lr)):
            optimizer.zero_grad()
            F.cross_entropy(5 * model(x), torch.arange(5) % 2).backward()
            optimizer.step()
        numbers = probe.snapshot(1)
        after = {pair.name: pair.heads for pair in lt.balance(model, inputs=x).pairs if pair.groups}
        gone = 2.718281828459045 ** (-2 * 0.1)
        assert set(before) == {"attn.q ⇄ attn.k", "attn.v → attn.out_proj"}
        drifts.append(max(float((after[name] - gone * before[name]).abs().max()) for name in before))
        for name in before:
            assert numbers[f"conserved_predicted/{name}"] == pytest.approx(gone)
            assert numbers[f"conserved_share/{name}"] == pytest.approx(gone, rel=0.05)
    assert drifts[0] < 0.02
    assert drifts[1] == pytest.approx(drifts[0] / 10, rel=0.3)


class Encoder(nn.Module):
    def __init__(self, norm_first, activation="relu", depth=2):
        super().__init__()
        self.table, self.places = nn.Embedding(11, 8), nn.Parameter(torch.randn(5, 8))
        self.layers = nn.Sequential(*(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=norm_first, activation=activation)
            for _ in range(depth)
        ))  # fmt: skip
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 3)

    def forward(self, tokens):
        return self.head(self.norm(self.layers(self.table(tokens) + self.places)).mean(1))


def encoder(norm_first):
    torch.manual_seed(0)
    return Encoder(norm_first).double().eval(), torch.randint(0, 11, (6, 5))


@pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])
def test_encoder_layers_are_read_inside(norm_first):
    model, x = encoder(norm_first)
    before = model(x)
    torch.testing.assert_close(lt.tangent_kernel(model, x), explicit(model, x), rtol=1e-12, atol=1e-12)
    names = {pair.name for pair in lt.balance(model, inputs=x).pairs}
    assert names == {pair.name for pair in lt.balance(model).pairs}  # traced
    for number in (0, 1):
        inner = (("linear1", "linear2"), ("self_attn.v", "self_attn.out_proj"), ("self_attn.q", "self_attn.k"))
        for first, last in inner:
            pair = f"layers.{number}.{first}", f"layers.{number}.{last}"
            assert " → ".join(pair) in names or " ⇄ ".join(pair) in names
            lt.upstream_(model, 2.5, layers=pair, inputs=x)
            torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-12)
        if norm_first:
            qkv = " + ".join(f"layers.{number}.self_attn.{name}" for name in "qkv")
            assert f"layers.{number}.norm1 → {qkv}" in names
            lt.upstream_(model, 2.5, layers=(f"layers.{number}.norm1", f"layers.{number}.self_attn.q"), inputs=x)
            torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-12)


def test_the_stream_of_a_pre_norm_model_is_an_effective_learning_rate():
    model, x = encoder(True)
    for norm in (module for module in model.modules() if isinstance(module, nn.LayerNorm)):
        norm.eps = 1e-12
    with pytest.raises(ValueError, match=r"lies between 'table' and 'head'.*pass across_norms=True"):
        lt.upstream_(model, 2.0, inputs=x)
    before = model(x)
    said = lt.upstream_(model, 2.0, across_norms=True, inputs=x)
    stream = {"table.weight", "places"} | {f"layers.{n}.{part}.{which}" for n in (0, 1)
              for part in ("self_attn.out_proj", "linear2") for which in ("weight", "bias")}  # fmt: skip
    assert dict(said.factors) == dict.fromkeys(stream, 0.5)
    assert "effective learning rate" in str(said)
    torch.testing.assert_close(model(x), before, rtol=1e-9, atol=1e-9)
    # It is one: after a small step everything in the stream has turned 4 times as far, by its own size.
    turned = []
    for alpha in (1.0, 2.0):
        model, x = encoder(True)
        for norm in (module for module in model.modules() if isinstance(module, nn.LayerNorm)):
            norm.eps = 1e-12
        if alpha != 1:
            lt.upstream_(model, alpha, across_norms=True, inputs=x)
        start = {name: p.detach().clone() for name, p in model.named_parameters()}
        model(x).square().sum().backward()
        torch.optim.SGD(model.parameters(), lr=1e-6).step()
        now = {name: p.detach() for name, p in model.named_parameters()}
        turned.append({name: float((now[name] - start[name]).norm() / start[name].norm()) for name in stream
                       if float(start[name].norm()) > 0})  # fmt: skip
    for name, far in turned[1].items():
        assert far == pytest.approx(4 * turned[0][name], rel=1e-3), name


def test_a_decoder_layer_reads_two_sequences():
    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.memory, self.into = nn.Linear(3, 8), nn.Linear(3, 8)
            self.layer, self.head = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), nn.Linear(8, 2)

        def forward(self, x):
            return self.head(self.layer(self.into(x[:, :2]), self.memory(x)).mean(1))

    torch.manual_seed(0)
    model, x = Decoder().double().eval(), torch.randn(4, 5, 3, dtype=torch.float64)
    torch.testing.assert_close(lt.tangent_kernel(model, x), explicit(model, x), rtol=1e-12, atol=1e-12)
    before = model(x)
    cross = "layer.multihead_attn"
    names = [pair.name for pair in lt.balance(model, inputs=x).pairs]
    assert f"memory → {cross}.k + {cross}.v" in names
    for pair in (("memory", f"{cross}.v"), (f"{cross}.q", f"{cross}.k"), ("layer.self_attn.q", "layer.self_attn.k")):
        lt.upstream_(model, 2.0, layers=pair, inputs=x)
        torch.testing.assert_close(model(x), before, rtol=1e-12, atol=1e-12)
