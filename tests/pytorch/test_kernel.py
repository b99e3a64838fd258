"""The kernel engine against explicit Jacobians, against the closed forms of the theory half, and at its edges."""

import copy
import math
import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from lazyrich.tangent.distance import from_subsets, random_subsets
from lazyrich.torch._jacobian import kernel_blocks
from lazyrich.torch._jacobian.factors import JacobianFactors, LayerFactors
from lazyrich.torch._jacobian.per_sample_jacobian import PerSampleJacobian
from lazyrich.torch._model.preserve_model import NonFiniteModelError, measurement_mode, trainable_parameters
from lazyrich.torch.kernel import kernel_distance, kernel_target_alignment, tangent_kernel


class Block(nn.Module):
    """A residual block with batch norm and operations in place."""

    def __init__(self, before, after, stride):
        super().__init__()
        self.one = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(after)
        self.two = nn.Conv2d(after, after, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.skip = nn.Conv2d(before, after, 1, stride)

    def forward(self, x):
        out = self.norm2(self.two(F.relu(self.norm(self.one(x)), inplace=True)))
        out += self.skip(x)
        return F.relu(out, inplace=True)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.body, self.head = nn.Conv2d(3, 4, 3), Block(4, 6, 2), nn.Linear(6, 3)

    def forward(self, x):
        return self.head(self.body(self.stem(x)).mean((2, 3)))


class Transformer(nn.Module):
    def __init__(self, batch_first=True):
        super().__init__()
        self.embedding = nn.Embedding(11, 8, padding_idx=0)
        self.position = nn.Parameter(torch.randn(5, 8))
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=batch_first)
        self.head, self.batch_first = nn.Linear(8, 3), batch_first

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position
        x = self.layer(x) if self.batch_first else self.layer(x.transpose(0, 1)).transpose(0, 1)
        return self.head(x.mean(1))


class Shared(nn.Module):
    """A layer used twice, a weight in two layers, a weight used outside its layer, a parameter not used at all."""

    def __init__(self):
        super().__init__()
        self.one, self.two, self.often, self.last = (nn.Linear(4, 4) for _ in range(4))
        self.two.weight = self.one.weight
        self.idle = nn.Parameter(torch.ones(3))

    def forward(self, x):
        x = torch.tanh(self.often(torch.tanh(self.often(torch.tanh(self.two(torch.tanh(self.one(x))))))))
        return self.last(x) + torch.tanh(x @ self.last.weight)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.read = nn.Embedding(11, 4), nn.Linear(4, 11, bias=False)
        self.read.weight = self.embedding.weight

    def forward(self, tokens):
        return self.read(torch.tanh(self.embedding(tokens))).mean(1)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells, self.head = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.cells(x)[0][:, -1])


class Branching(nn.Module):
    """What vmap cannot do: Python decides on a value."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([1.5, -0.5]))

    def forward(self, x):
        return torch.stack([row * self.scale if float(row.detach().sum()) > 0 else row**2 * self.scale for row in x])


class Halved(nn.Module):
    """Flattens tokens into the batch axis before a layer."""

    def __init__(self):
        super().__init__()
        self.linear, self.norm, self.head = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(8, 2)

    def forward(self, x):
        return self.head(torch.tanh(self.norm(self.linear(x.reshape(-1, 3)))).reshape(len(x), -1))


class Coded(nn.Module):
    """Layers whose input is no sample: a vector, a picture without a batch axis, and positions for an embedding."""

    def __init__(self):
        super().__init__()
        self.code, self.picture = nn.Parameter(torch.randn(3)), nn.Parameter(torch.randn(2, 5))
        self.linear, self.conv, self.norm = nn.Linear(3, 4), nn.Conv1d(2, 4, 2), nn.LayerNorm(4)
        self.places, self.head = nn.Embedding(4, 4), nn.Linear(4, 2)
        self.conv.weight.requires_grad_(False)

    def forward(self, x):
        shift = torch.tanh(self.linear(self.code)) + self.conv(self.picture).sum(1)
        return self.head(torch.tanh(x * self.norm(shift) + self.places(torch.arange(4)).mean(0)))


class ChannelNorm(nn.LayerNorm):
    """A layer norm over channels, by another forward pass under the name of a known layer."""

    def forward(self, x):
        return super().forward(x.movedim(1, -1)).movedim(-1, 1)


MODELS = {
    "mlp": lambda: nn.Sequential(
        nn.Linear(4, 6), nn.ReLU(inplace=True), nn.Linear(6, 5, bias=False), nn.Tanh(), nn.Linear(5, 3)
    ),
    "cnn": lambda: nn.Sequential(
        nn.Conv2d(2, 4, 3, padding="same", padding_mode="circular"), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Conv2d(4, 4, 3, groups=2, stride=2, padding=1), nn.GroupNorm(2, 4), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(4, 3),
    ),
    "wide": lambda: nn.Sequential(
        nn.Conv2d(16, 16, 3), nn.ReLU(), nn.Conv2d(16, 24, 3), nn.Flatten(), nn.Linear(96, 2)
    ),
    "1d": lambda: nn.Sequential(
        nn.Conv1d(2, 3, 3, dilation=2, padding=1), nn.ReLU(), nn.ConvTranspose1d(3, 2, 2), nn.RMSNorm(8), nn.Flatten(),
        nn.Linear(16, 2),
    ),
    "3d": lambda: nn.Sequential(nn.Conv3d(1, 3, 2, stride=(1, 2, 1)), nn.ReLU(), nn.Flatten(), nn.Linear(36, 2)),
    "scalar": lambda: nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6), nn.ReLU(), nn.Linear(6, 1), nn.Flatten(0)),
    "resnet": ResNet,
    "transformer": Transformer,
    "sequence first": lambda: Transformer(batch_first=False),
    "shared": Shared,
    "tied": Tied,
    "lstm": Recurrent,
    "branching": Branching,
    "halved": Halved,
    "coded": Coded,
    "channel norm": lambda: nn.Sequential(
        nn.Conv1d(2, 3, 2), ChannelNorm(3), nn.ReLU(), nn.Flatten(), nn.Linear(24, 2)
    ),
    "weight norm": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)),
}  # fmt: skip
SHAPES = {
    "cnn": (2, 8, 8), "wide": (16, 6, 6), "1d": (2, 9), "3d": (1, 4, 5, 3), "resnet": (3, 8, 8), "lstm": (5, 3),
    "branching": (2,), "halved": (2, 3), "channel norm": (2, 9),
}  # fmt: skip


def make(name, dtype=torch.float64, n=5, seed=0):
    """A model in general position, in training mode, and inputs."""
    torch.manual_seed(seed)
    model = MODELS[name]().to(dtype)
    for module in model.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2.0)
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)):
            for parameter in module.parameters():
                nn.init.normal_(parameter)
    if name in ("transformer", "sequence first", "tied"):
        return model, torch.randint(0, 11, (n, 5))
    return model, torch.randn(n, *SHAPES.get(name, (4,)), dtype=dtype)


def jacobian(model, inputs, scale=None):
    """Row by row, by plain autograd, in eval mode: (n·c, p)."""
    model = copy.deepcopy(model).eval()
    scale = scale or dict.fromkeys(trainable_parameters(model), 1.0)
    out = model(inputs).reshape(len(inputs), -1)
    rows = []
    for value in out.reshape(-1):
        leaves = list(trainable_parameters(model).values())
        slopes = torch.autograd.grad(value, leaves, retain_graph=True, materialize_grads=True, allow_unused=True)
        parts = zip(trainable_parameters(model), slopes, strict=True)
        rows.append(torch.cat([scale[name] ** 0.5 * slope.reshape(-1) for name, slope in parts]))
    return torch.stack(rows)


def explicit(model, inputs, scale=None):
    J = jacobian(model, inputs, scale)
    return J @ J.T


def moved(model, size=0.3):
    """The same model with other parameters."""
    other = copy.deepcopy(model)
    for parameter in other.parameters():
        parameter.data += size * torch.randn_like(parameter)
    return other


def distance(K, K0):
    return float(1 - (K * K0).sum() / (K.norm() * K0.norm()))


def centered(K, n):
    H = torch.kron(torch.eye(n).to(K) - 1 / n, torch.eye(len(K) // n).to(K))
    return H @ K @ H


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("dtype", "slack"), [(torch.float64, 1e-10), (torch.float32, 1e-5)], ids=str)
def test_equals_the_explicit_jacobian(name, dtype, slack):
    model, x = make(name, dtype)
    K, true = tangent_kernel(model, x), explicit(model, x)
    assert K.shape == true.shape
    assert K.dtype == dtype
    assert not K.requires_grad
    torch.testing.assert_close(K, true, rtol=0, atol=slack * float(true.abs().max()))


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("name", ["cnn", "transformer"])
def test_equals_vmap_jacrev(name):
    model, x = make(name)
    parameters = {k: p.detach() for k, p in trainable_parameters(model).items()}
    with measurement_mode(model):
        f = lambda p, row: torch.func.functional_call(model, p, (row[None],))[0]  # noqa: E731
        J = torch.func.vmap(torch.func.jacrev(f), (None, 0))(parameters, x)
    J = torch.cat([part.reshape(len(x) * 3, -1) for part in J.values()], 1)
    torch.testing.assert_close(tangent_kernel(model, x), J @ J.T, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_each_layer_goes_its_way(dtype):
    ways = {}
    for name in MODELS:
        model, x = make(name, dtype)
        with measurement_mode(model):
            tangent = PerSampleJacobian(model, {}, x, dict.fromkeys(trainable_parameters(model), 1.0), "full")
            ways[name] = len(tangent.layers), set(tangent.general), tangent.looped
    for name, count in (("mlp", 3), ("cnn", 4), ("wide", 3), ("3d", 2), ("scalar", 3)):
        assert ways[name] == (count, set(), False), name
    assert ways["resnet"] == (7, set(), False)
    assert ways["1d"] == (4, set(), False)
    assert ways["halved"] == (3, set(), False)
    assert ways["coded"][0] == 1
    assert ways["channel norm"] == (2, {"1.weight", "1.bias"}, False)
    assert ways["shared"] == (1, {"one.weight", "one.bias", "two.bias", "last.weight", "last.bias", "idle"}, False)
    assert ways["tied"] == (1, set(), False)
    assert ways["branching"] == (0, {"scale"}, True)
    assert ways["transformer"] == (8, {"position"}, False)
    assert ways["sequence first"][0] == 3  # samples along the second axis inside: found out and treated generally


@pytest.mark.parametrize("m", [1, 2, 3, 4, 8, 12])
def test_layers_without_samples_at_any_number_of_them(m):
    """Whether or not what they see could be divided among the samples."""
    model, x = make("coded", n=m)
    torch.testing.assert_close(tangent_kernel(model, x, block=3), explicit(model, x), rtol=1e-9, atol=1e-9)


class Turned(nn.Module):
    """Gives its first layer the samples in the reverse order, and its second layer in theirs."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(4, 5), nn.Linear(4, 5), nn.Linear(5, 2)

    def forward(self, x):
        return self.last(torch.tanh(self.first(x.flip(0)).flip(0)) + torch.tanh(self.second(x)))


def test_a_readout_of_zeros_is_no_evidence():
    """Where all derivatives are 0 at the samples tried, a layer is tried at other weights, and quick if it may be."""
    torch.manual_seed(0)
    model, x = Turned().double(), torch.randn(6, 4).double()
    model.last.weight.data.zero_()
    with measurement_mode(model):
        tangent = PerSampleJacobian(model, {}, x, dict.fromkeys(trainable_parameters(model), 1.0), "full")
    assert set(tangent.layers) == {("second.weight", "second.bias"), ("last.weight", "last.bias")}
    torch.testing.assert_close(tangent_kernel(model, x), explicit(model, x))
    model.second.register_forward_hook(lambda module, _, out: out * 1.0002)  # more than rounding, less than a per mille
    model.last.weight.data.normal_()
    for kind, slack in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        true = explicit(model.to(kind), x.to(kind))
        torch.testing.assert_close(
            tangent_kernel(model, x.to(kind)), true, rtol=0, atol=slack * float(true.abs().max())
        )


def test_blocks_and_memory_do_not_matter(monkeypatch):
    model, x = make("wide", n=7)
    other, true = moved(model), explicit(model, x)
    for block in (1, 3, 7):
        torch.testing.assert_close(tangent_kernel(model, x, block=block), true)
    plain = kernel_distance(model, other, x)
    monkeypatch.setattr(kernel_blocks, "ROWS_PER_BLOCK", 4)
    small = kernel_distance(model, other, x)
    monkeypatch.setattr(kernel_blocks, "MAX_FACTOR_BYTES", 1)
    monkeypatch.setattr("lazyrich.torch._jacobian.per_sample_jacobian.CHUNK_BYTES", 1)
    least = kernel_distance(model, other, x)
    for found in (small, least):
        assert found.value == pytest.approx(plain.value, rel=1e-10)
        assert found.centered == pytest.approx(plain.centered, rel=1e-10)
        assert found.growth == pytest.approx(plain.growth, rel=1e-10)


@pytest.mark.parametrize("name", ["mlp", "cnn", "transformer", "tied", "shared"])
def test_learning_rates_by_prefix(name):
    model, x = make(name)
    first = next(iter(trainable_parameters(model)))
    prefix = first.split(".")[0]
    rates = {"": 0.5, prefix: 3.0, list(trainable_parameters(model))[-1]: 0.0}
    scale = {
        k: 0.0 if k == list(trainable_parameters(model))[-1] else 3.0 if k.split(".")[0] == prefix else 0.5
        for k in trainable_parameters(model)
    }
    if name == "tied":
        rates, scale = {"embedding": 3.0}, {first: 3.0}
    torch.testing.assert_close(tangent_kernel(model, x, rates=rates), explicit(model, x, scale), rtol=1e-9, atol=1e-9)


def test_only_trainable_parameters_count():
    model, x = make("cnn")
    model[0].weight.requires_grad_(False)
    model[4].bias.requires_grad_(False)
    model[7].requires_grad_(False)
    torch.testing.assert_close(tangent_kernel(model, x), explicit(model, x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["mlp", "wide", "resnet", "transformer", "tied"])
def test_trace_and_sum_are_other_kernels(name):
    model, x = make(name)
    n = len(x)
    full = explicit(model, x)
    full = full.reshape(n, len(full) // n, n, -1)
    with pytest.warns(UserWarning, match="trace kernel is not a proxy"):
        trace = tangent_kernel(model, x, kind="trace")
    with pytest.warns(UserWarning, match="sum kernel is not a proxy"):
        total = tangent_kernel(model, x, kind="sum")
    torch.testing.assert_close(trace, torch.einsum("ikjk->ij", full), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(total, full.sum((1, 3)), rtol=1e-9, atol=1e-9)


def as_torch(net):
    """A network of the theory half as a module."""
    import lazyrich as lr

    layers = [np.array(layer) for layer in net.layers]
    parts = []
    for k, W in enumerate(np.atleast_2d(layer) for layer in layers):
        linear = nn.Linear(W.shape[1], W.shape[0], bias=False).double()
        linear.weight.data = torch.tensor(W)
        parts += [linear, nn.LeakyReLU(net.negative_slope)] if isinstance(net, lr.TwoLayer) and k == 0 else [linear]
    return nn.Sequential(*parts)


def theory(kind, seed):
    import lazyrich as lr

    draw = np.random.default_rng(seed)
    if kind == "two layer":
        return lr.TwoLayer(draw.normal(size=(6, 3)), draw.normal(size=6), 0.1)
    return lr.DeepLinear([draw.normal(size=s) for s in ((4, 3), (5, 4), (2, 5))])


@pytest.mark.parametrize(
    ("kind", "rates"), [("two layer", (2.0, 0.3)), pytest.param("deep", (2.0, 0.3, 1.7), marks=pytest.mark.slow)]
)
def test_equals_the_closed_forms_of_the_theory(kind, rates):
    import jax.numpy as jnp

    import lazyrich as lr

    X = np.random.default_rng(5).normal(size=(8, 3))
    net, start = theory(kind, 0), theory(kind, 1)
    model, begin, x = as_torch(net), as_torch(start), torch.tensor(X)
    named = dict(zip(trainable_parameters(model), rates, strict=True))
    closed = np.asarray(net.ntk(jnp.asarray(X), None, rates))
    K = tangent_kernel(model, x, rates=named)
    np.testing.assert_allclose(K.numpy(), closed.reshape(K.shape), rtol=1e-11, atol=1e-11)
    found = kernel_distance(model, begin, x, rates=named)
    assert found.value == pytest.approx(float(lr.metrics.kernel_distance(net, start, X, rates)), rel=1e-10)
    assert found.growth == pytest.approx(float(lr.metrics.kernel_growth(net, start, X, rates)), rel=1e-10)
    y = np.random.default_rng(6).normal(size=closed.shape[:2] if closed.ndim == 4 else 8)
    aligned = kernel_target_alignment(model, x, torch.tensor(y), rates=named)
    assert aligned.value == pytest.approx(float(lr.metrics.target_alignment(net, y, X, rates)), rel=1e-10)


@pytest.mark.parametrize("name", ["mlp", "resnet", "transformer"])
def test_distance_is_that_of_the_explicit_kernels(name):
    model, x = make(name, n=6)
    other = moved(model)
    K, K0 = explicit(model, x), explicit(other, x)
    state = {k: v.clone() for k, v in other.state_dict().items()}
    for found in (
        kernel_distance(model, other, x),
        kernel_distance(model, state, x),
        kernel_distance(model, {k: state[k] for k in trainable_parameters(model)}, x),
    ):
        assert found.value == pytest.approx(distance(K, K0), rel=1e-8)
        assert found.alignment == pytest.approx(1 - distance(K, K0), rel=1e-8)
        assert found.centered == pytest.approx(distance(centered(K, 6), centered(K0, 6)), rel=1e-8)
        assert found.centered_alignment == 1 - found.centered
        assert found.growth == pytest.approx(float(K.norm() / K0.norm()), rel=1e-10)
        assert found.error == found.centered_error == 0
        assert "exact on 6 inputs in eval mode" in found.method
    back = kernel_distance(state, model, x)
    assert back.value == pytest.approx(distance(K, K0), rel=1e-8)
    assert back.growth == pytest.approx(float(K0.norm() / K.norm()), rel=1e-10)


def test_stored_buffers_count():
    model, x = make("resnet")
    other = copy.deepcopy(model)
    other.body.norm.running_mean += 1.0
    true = distance(explicit(model, x), explicit(other, x))
    assert kernel_distance(model, other.state_dict(), x).value == pytest.approx(true, rel=1e-8)
    assert kernel_distance(model, trainable_parameters(other), x).value == 0


def test_small_distances_do_not_cancel():
    import jax.numpy as jnp

    from lazyrich.networks.kernel_distance import cosine_distance

    model, x = make("mlp", n=40)
    torch.manual_seed(3)
    other = moved(model, 1e-6)
    K, K0 = (np.asarray(explicit(m, x)) for m in (model, other))
    true = float(cosine_distance(jnp.asarray(K), jnp.asarray(K0)))
    assert 1e-14 < true < 1e-10
    assert kernel_distance(model, other, x).value == pytest.approx(true, rel=1e-3)
    other = moved(model, 1e-4)
    true = kernel_distance(model, other, x).value
    assert 1e-10 < true < 1e-7
    single = kernel_distance(copy.deepcopy(model).float(), copy.deepcopy(other).float(), x.float())
    assert single.value == pytest.approx(true, rel=0.02)
    assert kernel_distance(model, model, x).value == 0
    tripled = copy.deepcopy(model)
    tripled[4].weight.data *= 3  # only the readout: K changes by more than its size, exactly so
    assert kernel_distance(tripled, model, x, rates={"": 0.0, "0": 1.0}).value < 1e-15
    assert kernel_distance(tripled, model, x, rates={"": 0.0, "0": 1.0}).growth == pytest.approx(9)


def test_zero_kernels_have_no_direction():
    model, x = make("mlp")
    dead = copy.deepcopy(model)
    dead[4].weight.data.zero_()
    first = {"": 0.0, "0": 1.0}
    assert kernel_distance(dead, model, x, rates=first).value == 1
    assert kernel_distance(model, dead, x, rates=first).value == 1
    assert math.isinf(kernel_distance(model, dead, x, rates=first).growth)
    assert kernel_distance(dead, dead, x, rates=first).value == 0
    same = x[:1].repeat(5, 1)  # one input five times: nothing is left after centring
    assert kernel_distance(moved(model), model, same).centered == 0


def test_scales_of_any_size():
    model, x = make("mlp", torch.float32)
    other = moved(model)
    plain = kernel_distance(other, model, x)
    assert 0.01 < plain.value < 1
    for size in (1e-24, 1e24):
        found = kernel_distance(other, model, x, rates={"": size})
        assert found.value == pytest.approx(plain.value, rel=1e-5)
        assert found.centered == pytest.approx(plain.centered, rel=1e-5)
        assert found.growth == pytest.approx(plain.growth, rel=1e-5)
    with pytest.raises(NonFiniteModelError, match=r"too large for torch\.float32"):
        kernel_distance(other, model, x, rates={"": 1e40})


@pytest.fixture(scope="module")
def population():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 20), nn.ReLU(), nn.Linear(20, 2))
    other, x = moved(model, 0.2), torch.randn(1000, 3) * torch.rand(1000, 1) * 3
    return model, other, x, kernel_distance(model, other, x, method="exact")


@pytest.mark.slow
def test_error_bars_cover(population):
    """Over many seeds: about 95 % of the intervals hold the truth, they are not too wide, and there is no bias."""
    model, other, x, true = population
    truth = np.array([true.value, true.centered])
    ways = []
    for network in (model, other):
        with measurement_mode(network):
            whole = PerSampleJacobian(
                network, {}, x, dict.fromkeys(trainable_parameters(network), 1.0), "full"
            ).factors(torch.arange(len(x)))
        ways.append(
            lambda i, f=whole: JacobianFactors(
                f.dense[i], tuple(LayerFactors(k.columns[i], k.signals[i]) for k in f.layers)
            )
        )
    found = []
    for seed in range(100):
        drawn = (torch.as_tensor(index) for index in random_subsets(len(x), 40, 6, seed))
        kernels = (
            [part.numpy() for part in kernel_blocks.assemble_kernels(ways, index.split(20), keep=True)]
            for index in drawn
        )
        found.append(from_subsets(len(x), kernels, ""))
    value = np.array([(one.value, one.centered) for one in found])
    error = np.array([(one.error, one.centered_error) for one in found])
    covered = np.mean(np.abs(value - truth) <= error, axis=0)
    assert np.all((covered >= 0.9) & (covered <= 0.99)), covered
    assert np.all(np.abs(value.mean(0) - truth) < 0.12 * error.mean(0))
    assert np.all(error.mean(0) < 3.2 * value.std(0))  # Student's t with 5 degrees of freedom is 2.57
    public = kernel_distance(model, other, x, method="subsample", size=40, repeats=6, seed=99)
    assert (public.value, public.centered) == pytest.approx(tuple(value[-1]), rel=1e-3)
    assert (public.error, public.centered_error) == pytest.approx(tuple(error[-1]), rel=1e-2)
    assert "6 subsamples of 40 from 1000 inputs in eval mode" in public.method


@pytest.mark.slow
def test_small_subsets_alone_would_be_biased(population):
    """The mean of S over subsets of twenty is off by many times what is left after the extrapolation."""
    model, other, x, true = population
    plain = [kernel_distance(model, other, x[k : k + 20]).centered for k in range(0, 1000, 20)]
    mended = [kernel_distance(model, other, x, method="subsample", size=20, repeats=50, seed=k) for k in range(8)]
    gap = np.mean([one.centered for one in mended]) - true.centered
    assert abs(gap) < 0.2 * abs(np.mean(plain) - true.centered)


def test_auto_chooses_by_the_work(population, monkeypatch):
    model, other, x, true = population
    assert kernel_distance(model, other, x).value == true.value
    monkeypatch.setattr(kernel_blocks, "MAX_EXACT_COST", 1e6)
    found = kernel_distance(model, other, x)
    assert "10 subsamples of 100 from 1000" in found.method
    assert found.error > 0
    assert "±" in str(found)
    assert kernel_distance(model, other, x) == found  # its own seed
    assert kernel_distance(model, other, x, seed=1) != found
    few = kernel_distance(model, other, x[:150])
    assert "exact" in few.method  # no gain from subsets of so few
    some = kernel_distance(model, other, x[:150], method="subsample", repeats=20, size=30)
    assert abs(some.value - few.value) < 2 * some.error


def test_target_alignment(population):
    model, x = make("mlp", n=7)
    K = explicit(model, x)
    labels = torch.tensor([0, 1, 2, 2, 1, 0, 0])
    y = F.one_hot(labels, 3).double()
    for targets in (labels, y):
        found = kernel_target_alignment(model, x, targets)
        flat, off = y.reshape(-1), (y - y.mean(0)).reshape(-1)
        assert found.value == pytest.approx(float(flat @ K @ flat / K.norm() / (flat @ flat)), rel=1e-10)
        Kc = centered(K, 7)
        assert found.centered == pytest.approx(float(off @ K @ off / Kc.norm() / (off @ off)), rel=1e-10)
    model, _, x, _ = population
    y = x[:, :2].sign()
    true = kernel_target_alignment(model, x, y)
    some = kernel_target_alignment(model, x, y, method="subsample")
    assert 0 < abs(some.value - true.value) < 2 * some.error
    for bad, words in ((y[:3], "must be of shape"), (torch.full((1000,), 5), "from 0 to 1; found 5 to 5")):
        with pytest.raises(ValueError, match=words):
            kernel_target_alignment(model, x, bad)


def test_context_of_the_caller_does_not_matter():
    model, x = make("transformer")
    true = explicit(model, x)
    with torch.no_grad():
        torch.testing.assert_close(tangent_kernel(model, x), true)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        torch.testing.assert_close(tangent_kernel(model.float(), x), true.float(), rtol=1e-4, atol=1e-3)
    model, x = make("mlp", torch.float32)
    half = copy.deepcopy(model).bfloat16()
    K = tangent_kernel(half, x.bfloat16())
    assert K.dtype == torch.float32
    torch.testing.assert_close(K, tangent_kernel(half.float(), x.bfloat16().float()))


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.read = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        left = x[:, 0] < 0
        out = torch.empty_like(x)
        out[left], out[~left] = self.one(x[left]), self.two(x[~left])
        return self.read(out)


@pytest.mark.parametrize("lefts", [[1, 2, 3], [1, 2, 3, 4, 6, 7, 8, 9]])  # 8 · 2 numbers divide among 16, not in pairs
def test_experts_are_refused_by_name(lefts):
    torch.manual_seed(0)
    model, x = Experts(), torch.rand(16, 2)
    x[lefts] *= -1  # the samples that are tried first all go to the second expert
    with pytest.raises(ValueError, match=r"layer 'two' is applied at a number .* freeze this layer .* without routing"):
        tangent_kernel(model, x)
    model.two.requires_grad_(False)
    torch.testing.assert_close(tangent_kernel(model, x), explicit(model, x))


class Trap(nn.Module):
    """Finite outputs with a derivative that is not: a root at 0 on some of the inputs."""

    def __init__(self, width, depth):
        super().__init__()
        self.first, self.last = nn.Linear(4, width), nn.Linear(width, 2)
        self.free, self.depth = nn.Parameter(torch.ones(())), depth

    def forward(self, x):
        z = self.first(x) if self.depth else self.free * x[:, :1]
        root = (z * x.sum(1, keepdim=True)).abs().sqrt()
        return self.last(root.expand(-1, self.last.in_features))


@pytest.mark.parametrize("bad", [0, 4])  # among the inputs that are tried first, and not
@pytest.mark.parametrize(("width", "depth", "name"), [(3, 1, "first"), (300, 1, "first"), (3, 0, "free")])
def test_derivatives_that_are_not_numbers_are_refused(bad, width, depth, name):
    torch.manual_seed(0)
    model, x = Trap(width, depth), torch.rand(9, 4)
    tangent_kernel(model, x)
    x[bad] = 0
    with pytest.raises(
        NonFiniteModelError, match=rf"derivative of the outputs by '{name}.* is NaN or infinite, though"
    ):
        tangent_kernel(model, x)


def test_outputs_without_parameters_are_refused():
    class Cut(nn.Linear):
        def forward(self, x):
            return super().forward(x).detach()

    with pytest.raises(ValueError, match="depend on no trainable parameter"):
        tangent_kernel(Cut(2, 2), torch.rand(3, 2))


class Compiled(nn.Module):
    """What `torch.compile` makes of a model, as far as names go."""

    def __init__(self, model):
        super().__init__()
        self._orig_mod = model

    def forward(self, x):
        raise AssertionError("the kernel is that of the model, not of its compiled form")


def test_compiled_models_are_unwrapped():
    model, x = make("mlp")
    other = moved(model)
    plain, K = kernel_distance(model, other, x), tangent_kernel(model, x)
    wrapped, state = Compiled(model), Compiled(other).state_dict()
    assert next(iter(state)) == "_orig_mod.0.weight"
    assert torch.equal(tangent_kernel(wrapped, x), K)
    for partner in (other, Compiled(other), state, other.state_dict()):
        assert kernel_distance(wrapped, partner, x) == plain
    y = x[:, :3]
    assert kernel_target_alignment(wrapped, x, y) == kernel_target_alignment(model, x, y)
    assert tangent_kernel(wrapped, x, rates={"0": 0.5}).shape == K.shape


@pytest.mark.slow
def test_a_truly_compiled_model():
    model, x = make("mlp", torch.float32)
    wrapped = torch.compile(model, backend="eager")
    assert torch.equal(tangent_kernel(wrapped, x), tangent_kernel(model, x))
    assert kernel_distance(wrapped, wrapped.state_dict(), x).value == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rates": {"nowhere": 1.0}}, "no trainable parameter begins with 'nowhere'"),
        ({"rates": {"0": -1.0}}, "rate of '0' must be finite and at least 0; found -1.0"),
        ({"rates": {"": 0.0}}, "all learning rates are 0"),
        ({"kind": "logit"}, "kind must be 'full', 'trace' or 'sum'; found 'logit'"),
        ({"method": "quick"}, "method must be 'auto', 'exact' or 'subsample'; found 'quick'"),
        ({"method": "subsample", "repeats": 1}, "at least 2 subsamples"),
        ({"method": "subsample", "size": 50}, "4 to n = 5 inputs; found repeats=10, size=50"),
    ],
)
def test_wrong_options_are_named(options, words):
    model, x = make("mlp")
    with pytest.raises(ValueError, match=words):
        kernel_distance(model, moved(model), x, **options)


def test_wrong_partners_are_named():
    model, x = make("mlp")
    state = model.state_dict()
    with pytest.raises(ValueError, match="one of the two must be a model"):
        kernel_distance(state, state, x)
    with pytest.raises(ValueError, match=r"lack the trainable parameter '0.weight' \(1 missing"):
        kernel_distance(model, {k: v for k, v in state.items() if k != "0.weight"}, x)
    with pytest.raises(ValueError, match=r"'0.bias' has shape \(2,\); the model needs \(6,\)"):
        kernel_distance(model, state | {"0.bias": torch.zeros(2)}, x)
    with pytest.raises(ValueError, match=r"'0.bias' has entries that are NaN"):
        kernel_distance(model, state | {"0.bias": torch.full((6,), torch.nan)}, x)
    with pytest.raises(ValueError, match="3 and 1 outputs"):
        kernel_distance(model, make("scalar")[0], x)


def test_nothing_is_warned_about_by_default():
    model, x = make("resnet")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        kernel_distance(model, moved(model), x)
    assert [str(warning.message) for warning in seen if warning.category is not DeprecationWarning] == []


class Last(Transformer):
    """Read out at its last token."""

    def forward(self, tokens):
        return self.head(self.layer(self.embedding(tokens) + self.position)[:, -1])


@pytest.mark.parametrize(
    "way",
    [{}, {"SMALL_PRODUCT_COST": 1e-9}, {"SMALL_PRODUCT_COST": 1e9, "MAX_EXPANDED_BYTES": 1}],
    ids=["chosen", "Gram", "spread"],
)
def test_positions_from_which_nothing_comes_back_are_left_out(way, monkeypatch):
    for name, value in way.items():
        monkeypatch.setattr(f"lazyrich.torch._jacobian.per_sample_jacobian.{name}", value)
    torch.manual_seed(0)
    model, x = Last().double().eval(), torch.randint(0, 11, (6, 5))
    torch.testing.assert_close(tangent_kernel(model, x, block=4), explicit(model, x), rtol=1e-10, atol=1e-10)
    with measurement_mode(model):
        tangent = PerSampleJacobian(model, {}, x, dict.fromkeys(trainable_parameters(model), 1.0), "full")
        factors = tangent.factors(torch.arange(len(x)))
    places = {kept.drop_silent_positions.columns.shape[1] for kept in factors.layers}
    assert not way or places == {1, 5}
