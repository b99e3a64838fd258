"""The measurements of the probe against explicit computations, and against the JAX half of the library."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn
from torch.func import functional_call, jacrev
from torch.nn import functional as F

from lazyrich.torch import kernel_distance, kernel_target_alignment, metrics, predict, tangent_kernel
from lazyrich.torch._probe.tangent_outputs import tangent_outputs


class Mixed(nn.Module):
    """A convolution, functional, in-place and module activations, a residual sum, a layer used twice."""

    def __init__(self):
        super().__init__()
        self.conv, self.act = nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(inplace=True)
        self.hidden, self.out = nn.Linear(48, 48), nn.Linear(48, 2)

    def forward(self, x):
        x = self.act(self.conv(x)).flatten(1)
        x = x + F.relu(self.hidden(x))
        x = torch.tanh(self.hidden(x))
        return self.out(F.dropout(x, 0.5, self.training))


def moved(model, size=0.3, seed=1):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(size * torch.randn(parameter.shape, generator=generator))
    return model


def two_layer(net):
    """The same network in torch, in double precision."""
    model = nn.Sequential(nn.Linear(net.W.shape[1], net.W.shape[0], bias=False), nn.ReLU())
    model.append(nn.Linear(net.W.shape[0], 1, bias=False)).double()
    model[0].weight.data = torch.tensor(np.asarray(net.W))
    model[2].weight.data = torch.tensor(np.asarray(net.a))[None]
    return model


@pytest.fixture
def two_networks():
    import jax

    import lazyrich as lr

    before = lr.inits.two_layer(jax.random.key(0), d=4, h=7, std=(0.7, 0.5))
    after = lr.inits.two_layer(jax.random.key(1), d=4, h=7, std=(0.7, 0.5))
    return before, before.with_layers([0.7 * a + 0.3 * b for a, b in zip(before.layers, after.layers, strict=True)])


def test_the_same_numbers_as_the_jax_half(two_networks):
    import lazyrich as lr

    before, after = two_networks
    X = np.random.default_rng(0).normal(size=(9, 4))
    inputs = torch.tensor(X)
    old, new = two_layer(before), two_layer(after)
    start, now = metrics.copy_trainable_parameters(old), metrics.copy_trainable_parameters(new)
    seen0, seen = metrics.observe(old, inputs), metrics.observe(new, inputs)
    assert metrics.hamming_distance(seen, seen0)["0"] == pytest.approx(lr.metrics.hamming_distance(after, before, X))
    assert 0 < metrics.hamming_distance(seen, seen0)["0"] < 0.5
    expected = np.asarray(lr.metrics.layer_distance(after, before))
    np.testing.assert_allclose(list(metrics.layer_norms(now, start).values()), expected, rtol=1e-12)
    tangent = tangent_outputs(new, start, inputs).tangent
    gap = float(lr.metrics.linearization_gap(after, before, X))
    assert metrics.rms(seen.outputs - tangent) == pytest.approx(gap, rel=1e-10)
    assert gap > 0.01
    shift = metrics.sampled_kernel_distance(tangent_kernel(new, inputs), tangent_kernel(old, inputs), 9, 9)
    assert shift.distance[0] == pytest.approx(float(lr.metrics.kernel_distance(after, before, X)), rel=1e-9)
    assert shift.growth == pytest.approx(float(lr.metrics.kernel_growth(after, before, X)), rel=1e-9)
    y = np.random.default_rng(1).normal(size=9)
    plain, _ = metrics.target_alignment(tangent_kernel(new, inputs), torch.tensor(y)[:, None], 9)
    assert plain == pytest.approx(float(lr.metrics.target_alignment(after, y, X)), rel=1e-9)


def test_effective_rank_is_that_of_the_jax_half():
    import lazyrich as lr

    matrix = np.random.default_rng(0).normal(size=(5, 3)) @ np.diag([3.0, 1.0, 0.1])
    expected = float(lr.metrics.effective_rank(lr.DeepLinear([matrix])))
    assert metrics.effective_rank(torch.tensor(matrix)) == pytest.approx(expected, rel=1e-12)
    assert metrics.effective_rank(torch.zeros(3, 2)) == 0.0


@pytest.mark.parametrize("block", [3, 256])
def test_patterns_of_modules_functions_and_in_place_calls_are_seen(block):
    torch.manual_seed(0)
    model, x = Mixed(), torch.randn(7, 1, 4, 4)
    seen = metrics.observe(model, x, keep=5, block=block)
    with torch.no_grad():
        first = model.conv(x).flatten(1)
        hidden = model.hidden(first.relu())
        stream = first.relu() + hidden.relu()
        last = model.hidden(stream)
    expected = {"conv": first, "hidden": hidden, "hidden (2)": last}
    assert list(seen.patterns) == list(expected)
    for label, entering in expected.items():
        bits = np.unpackbits(seen.patterns[label], axis=1, count=seen.units[label])
        np.testing.assert_array_equal(bits.astype(bool), (entering > 0).numpy())
    torch.testing.assert_close(seen.features["hidden (2)"], last.tanh()[:5])
    torch.testing.assert_close(seen.outputs, model.out(last.tanh()).detach())


@pytest.mark.parametrize(
    "activation",
    [nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(), nn.PReLU(), nn.ELU(), nn.CELU(), nn.SELU(), nn.GELU(), nn.SiLU(), nn.Mish(),
     nn.Softplus(), nn.Hardswish(), nn.Tanh(), nn.Hardtanh(), nn.ReLU(inplace=True), nn.ELU(inplace=True),
     nn.LeakyReLU(inplace=True), nn.SiLU(inplace=True)],
    ids=str,
)  # fmt: skip
def test_every_activation_is_seen(activation):
    model = nn.Sequential(nn.Linear(3, 4), activation, nn.Linear(4, 1))
    assert list(metrics.observe(model, torch.randn(5, 3)).patterns) == ["0"]


def test_a_transformer_is_seen_and_has_a_tangent_model():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.Sequential(nn.Embedding(11, 8), layer, nn.Flatten(), nn.Linear(24, 5))
    tokens = torch.randint(0, 11, (6, 3))
    assert list(metrics.observe(model, tokens).patterns) == ["1.linear1"]
    start = metrics.copy_trainable_parameters(model)
    outputs = metrics.observe(model, tokens).outputs
    moved(model, 1e-4)
    gap = metrics.rms(metrics.observe(model, tokens).outputs - tangent_outputs(model, start, tokens).tangent)
    gone = metrics.rms(metrics.observe(model, tokens).outputs - outputs)
    assert gap < 2e-2 * gone


def test_tangent_outputs_are_those_of_the_explicit_jacobian():
    torch.manual_seed(0)
    model, x = Mixed().double().eval(), torch.randn(4, 1, 4, 4).double()
    start = metrics.copy_trainable_parameters(model)
    value = model(x).detach()
    jacobian = jacrev(lambda p: functional_call(model, p, (x,)))(start)
    moved(model)
    expected = value.clone()
    for name, parameter in model.named_parameters():
        change = (parameter.detach() - start[name]).flatten()
        expected += jacobian[name].flatten(2) @ change
    torch.testing.assert_close(tangent_outputs(model, start, x, block=3).tangent, expected)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTM(2, 3, batch_first=True), nn.Linear(3, 2)

    def forward(self, x):
        return self.out(self.cell(x)[0][:, -1])


def weight_norm():
    return nn.Sequential(
        nn.Flatten(), nn.utils.parametrizations.weight_norm(nn.Linear(8, 5)), nn.ReLU(), nn.Linear(5, 2)
    )


@pytest.mark.parametrize("make", [Recurrent, weight_norm])
def test_layers_without_a_forward_derivative_have_a_tangent_model_too(make):
    torch.manual_seed(0)
    model, x = make(), torch.randn(5, 4, 2)
    start = metrics.copy_trainable_parameters(model)
    expected = model(x).detach()
    jacobian = torch.autograd.functional.jacobian(
        lambda *values: functional_call(model, dict(zip(start, values, strict=True)), (x,)), tuple(start.values())
    )
    moved(model)
    for part, (name, parameter) in zip(jacobian, model.named_parameters(), strict=True):
        expected = expected + part.flatten(2) @ (parameter.detach() - start[name]).flatten()
    torch.testing.assert_close(tangent_outputs(model, start, x).tangent, expected, rtol=1e-4, atol=1e-4)


class Doubled(torch.autograd.Function):
    """A custom function as they are often written: no forward derivative, and not for torch.func."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, slope):
        (x,) = ctx.saved_tensors
        return 2 * x * slope


class Hidden(Doubled):
    """Its backward pass hides from autograd that it depends on what it is given."""

    @staticmethod
    def backward(ctx, slope):
        (x,) = ctx.saved_tensors
        return 2 * x * slope.data


class Custom(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.first, self.out, self.function = nn.Linear(3, 4), nn.Linear(4, 2), function

    def forward(self, x):
        return self.out(self.function(self.first(x)))


def test_custom_functions_have_a_tangent_model():
    torch.manual_seed(0)
    model, x = Custom(Doubled.apply), torch.randn(5, 3)
    start = metrics.copy_trainable_parameters(model)
    moved(model)
    plain = Custom(torch.square)
    plain.load_state_dict(model.state_dict())
    expected = tangent_outputs(plain, start, x)
    found = tangent_outputs(model, start, x, block=3)
    assert found.reason_missing == ""
    for name in ("now", "start", "tangent"):
        torch.testing.assert_close(getattr(found, name), getattr(expected, name))


def test_a_backward_pass_that_hides_is_found_out():
    torch.manual_seed(0)
    model, x = Custom(Hidden.apply), torch.randn(5, 3)
    start = metrics.copy_trainable_parameters(model)
    moved(model)
    found = tangent_outputs(model, start, x)
    assert found.reason_missing.startswith("the backward pass of some layer cannot be differentiated")
    assert found.tangent.isnan().all()
    with torch.no_grad():
        torch.testing.assert_close(found.now, model(x))
        torch.testing.assert_close(found.start, functional_call(model, start, (x,)))


def test_half_precision_is_widened():
    """Steps that are small against the rounding of bfloat16 outputs: their gap is not made of rounding."""
    torch.manual_seed(0)
    wide = nn.Sequential(nn.Linear(6, 30), nn.BatchNorm1d(30), nn.Tanh(), nn.Linear(30, 2)).bfloat16().float()
    x = torch.randn(20, 6).bfloat16()
    model = nn.Sequential(nn.Linear(6, 30), nn.BatchNorm1d(30), nn.Tanh(), nn.Linear(30, 2)).bfloat16()
    model.load_state_dict(wide.state_dict())
    start, start_wide = metrics.copy_trainable_parameters(model), metrics.copy_trainable_parameters(wide)
    with torch.no_grad():
        for one, other in zip(model.parameters(), wide.parameters(), strict=True):
            one.mul_(1 + 2**-7)
            other.copy_(one)
    found, expected = tangent_outputs(model, start, x), tangent_outputs(wide, start_wide, x.float())
    assert found.now.dtype == torch.float32
    for name in ("now", "start", "tangent"):
        torch.testing.assert_close(getattr(found, name), getattr(expected, name))
    assert metrics.rms(found.now - found.tangent) < 0.05 * metrics.rms(found.now - found.start)


def test_shared_weights_count_once():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
    model[2].weight = model[0].weight
    start = metrics.copy_trainable_parameters(model)
    with torch.no_grad():
        model[0].weight.add_(1.0)
    assert metrics.layer_norms(metrics.copy_trainable_parameters(model), start) == pytest.approx({"0": 3.0, "2": 0.0})
    x = torch.eye(3)
    tangent = tangent_outputs(model, start, x).tangent
    jacobian = jacrev(lambda w: functional_call(model, {"0.weight": w}, (x,)))(start["0.weight"])
    before = functional_call(model, start, (x,))
    torch.testing.assert_close(tangent, (before + jacobian.flatten(2).sum(2)).detach())


def test_left_out_inputs_by_hand():
    """Each product as the mean over all tuples of distinct inputs, mixed with that of the sample as it is."""
    rng = torch.Generator().manual_seed(0)
    n, c = 6, 3
    K, K0 = (a @ a.T for a in torch.randn(2, n * c, 5, generator=rng, dtype=torch.float64))

    def product(one, other, keep, drawn, centered):
        rows = (torch.tensor(keep)[:, None] * c + torch.arange(c)).flatten()
        H = torch.kron(torch.eye(len(keep)).double() - centered / len(keep), torch.eye(c).double())
        sampled = float(((H @ one[rows][:, rows] @ H) * (H @ other[rows][:, rows] @ H)).sum()) / len(keep) ** 2
        X, Y = (kernel.reshape(n, c, n, c).permute(0, 2, 1, 3) for kernel in (one, other))
        inner = torch.einsum("ijab,klab->ijkl", X, Y).numpy()
        distinct = [
            inner[i, j, i, j] + centered * (inner[i, j, k, l] - 2 * inner[i, j, i, k])
            for i, j, k, l in itertools.permutations(keep, 4)
        ]
        return drawn * sampled + (1 - drawn) * np.mean(distinct)

    def explicit(drawn):
        for centered in (0, 1):
            values = []
            for keep in (range(n), *itertools.combinations(range(n), n - 1)):
                both, one, other = (
                    product(*pair, list(keep), drawn, centered) for pair in ((K, K0), (K, K), (K0, K0))
                )  # fmt: skip
                values.append(1 - both / np.sqrt(one * other))
            yield values[0], np.sqrt((n - 1) * np.var(values[1:]) * (1 - drawn))

    for population in (n, 10 * n, None):
        shift = metrics.sampled_kernel_distance(K, K0, n, population)
        values, errors = zip(*explicit(n / population if population else 0), strict=True)
        assert shift.distance == pytest.approx(values, rel=1e-9)
        assert shift.error == pytest.approx(np.array(errors) * 2.5706, rel=1e-4)  # Student's t, 5 degrees of freedom


def trained_kernels(make):
    """The kernels on 300 inputs before and after some training."""
    torch.manual_seed(0)
    model, x, rate = make()
    y, K0 = (x[:, 0] * x[:, 1] > 0).long(), tangent_kernel(model, x)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for _ in range(100):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    return tangent_kernel(model, x), K0


def deep():
    layers = nn.Linear(20, 30), nn.ReLU(), nn.Linear(30, 30), nn.ReLU(), nn.Linear(30, 2)
    return nn.Sequential(*layers).double(), torch.randn(300, 20).double(), 0.3


def wide():
    return (
        nn.Sequential(nn.Linear(20, 1000), nn.ReLU(), nn.Linear(1000, 2)).double(),
        torch.randn(300, 20).double(),
        0.1,
    )


@pytest.mark.parametrize("size", [8, 20, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("make", [deep, wide])
def test_small_samples_have_no_bias_and_their_intervals_cover(make, size):
    """Of 300 inputs, a few: in the mean over draws S is that on all, and 95 % intervals hold it about as often."""
    K, K0 = trained_kernels(make)
    truth, draws = np.array(metrics.sampled_kernel_distance(K, K0, 300, 300).distance), 100
    shifts = []
    for seed in range(draws):
        keep = torch.randperm(300, generator=torch.Generator().manual_seed(seed))[:size]
        rows = (keep[:, None] * 2 + torch.arange(2)).flatten()
        shifts.append(metrics.sampled_kernel_distance(K[rows][:, rows], K0[rows][:, rows], size, 300))
    found, error = (np.array([getattr(shift, name) for shift in shifts]) for name in ("distance", "error"))
    assert found.mean(0) == pytest.approx(truth, rel=0.1)
    assert np.all(np.mean(np.abs(found - truth) <= error, 0) >= 0.88)
    assert np.all(np.median(error, 0) < 4 * np.std(found, 0)), "the error bars are too long"


def test_target_alignment_is_that_of_the_engine():
    torch.manual_seed(0)
    model, x, y = nn.Sequential(nn.Linear(5, 9), nn.ReLU(), nn.Linear(9, 3)), torch.randn(20, 5), torch.arange(20) % 3
    expected = kernel_target_alignment(model, x, y, method="exact")
    found = metrics.target_alignment(tangent_kernel(model, x), F.one_hot(y, 3).float(), 20)
    assert found == pytest.approx((expected.value, expected.centered), rel=1e-4)


@pytest.mark.parametrize("frozen", ["bias", "weight"])
@pytest.mark.parametrize("scale", [0.0, 2.0])
def test_edges_are_those_of_the_engine(frozen, scale):
    """A kernel that is constant (the bias alone is trained) has nothing left after centring; one that is zero, too."""
    torch.manual_seed(0)

    class Scaled(nn.Module):
        def __init__(self, scale):
            super().__init__()
            self.layer, self.scale = nn.Linear(3, 2), scale
            getattr(self.layer, frozen).requires_grad_(False)

        def forward(self, x):
            return 0.3 + self.scale * self.layer(x)

    x, y = torch.randn(8, 3), torch.ones(8, 2)
    one, other = Scaled(scale), Scaled(1.0)
    for first, second in ((one, other), (other, one), (one, one)):
        expected = kernel_distance(first, second, x, method="exact")
        found = metrics.sampled_kernel_distance(tangent_kernel(first, x), tangent_kernel(second, x), 8, 8)
        assert found.distance == pytest.approx((expected.value, expected.centered), abs=1e-6)
        assert found.growth == pytest.approx(expected.growth)
        known = kernel_target_alignment(first, x, y, method="exact")
        found = metrics.target_alignment(tangent_kernel(first, x), y, 8)
        assert found == pytest.approx((known.value, known.centered), abs=1e-6)


def test_a_kernel_that_is_not_a_number_has_no_distance():
    K = torch.eye(6)
    bad = K.clone()
    bad[2, 3] = torch.nan
    for population in (6, 60):
        for one, other in ((bad, K), (K, bad)):
            shift = metrics.sampled_kernel_distance(one, other, 6, population)
            assert np.isnan(shift.distance).all()


def test_patterns_of_different_layers_are_not_compared():
    one, other = (nn.Sequential(nn.Linear(3, h), nn.ReLU(), nn.Linear(h, 1)) for h in (4, 5))
    x = torch.randn(6, 3)
    with pytest.raises(ValueError, match=r"activations have changed from \{'0': 4\} to \{'0': 5\}.*make a new probe"):
        metrics.hamming_distance(metrics.observe(other, x), metrics.observe(one, x))


def test_predictions_of_the_tangent_model_are_those_of_its_training():
    """`predict` on kernels of PyTorch: gradient flow of the linearized model, integrated in small steps."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1)).double()
    x, new, y = torch.randn(4, 2).double(), torch.randn(3, 2).double(), torch.randn(4, 1).double()
    K, fresh = tangent_kernel(model, x), tangent_kernel(model, new, x)
    f, g = (model(inputs).detach() for inputs in (x, new))
    found = predict(K, y, 0.5, K_new=fresh, start=f, start_new=g).mean
    assert isinstance(found, torch.Tensor)
    steps = 20_000
    for _ in range(steps):
        left = y - f
        f, g = f + 0.5 / steps * K @ left, g + 0.5 / steps * fresh @ left
    torch.testing.assert_close(found, g, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(predict(K, y, start=f, K_new=K, start_new=f).mean, y, rtol=1e-6, atol=1e-6)
