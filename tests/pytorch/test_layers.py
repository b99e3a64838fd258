"""The contract of every kind of layer: kernel, knobs, conserved quantities and names, against plain autograd."""

import copy
from math import prod

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from zoo import gap, outputs

from lazyrich.torch import balance, layer_rules, metrics, rescale_, structure, tangent_kernel, upstream_
from lazyrich.torch._jacobian.per_sample_jacobian import PerSampleJacobian
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters
from lazyrich.torch.layer_rules import LAYER_RULES, rule_for
from lazyrich.torch.layer_rules.rule import split_samples


class Between(nn.Module):
    """A linear layer, the layer in question, and a readout of what it writes."""

    def __init__(self, layer, before, shape):
        super().__init__()
        self.shape, self.layer = shape, layer
        self.before = nn.Linear(4, prod(shape))
        self.lift = before
        with torch.no_grad():
            written = layer(self.into(torch.randn(2, 4)))
        self.width = written[0].numel()
        self.after = nn.Linear(self.width, 3)

    def into(self, x):
        x = F.leaky_relu(self.before(x), 0.2)
        x = x.unflatten(1, self.shape) if len(self.shape) > 1 else x
        return x if self.lift is None else self.lift(x)

    def forward(self, x):
        x = F.leaky_relu(self.layer(self.into(x)), 0.1)
        return self.after(x.flatten(1) if len(self.shape) > 1 else x)


class Tokens(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.after = layer, nn.Linear(5, 3)

    def forward(self, tokens):
        return self.after(F.leaky_relu(self.layer(tokens), 0.1)).mean(1)


class Two(nn.Module):
    """A layer of two inputs, which come from two layers."""

    def __init__(self, layer):
        super().__init__()
        self.one, self.two, self.layer, self.after = nn.Linear(4, 3), nn.Linear(4, 2), layer, nn.Linear(5, 3)

    def forward(self, x):
        return self.after(F.leaky_relu(self.layer(F.relu(self.one(x)), F.relu(self.two(x))), 0.1))


class Matrix(nn.Module):
    def __init__(self, way, bias=False):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(6, 6)), nn.Parameter(torch.randn(6)) if bias else None
        self.way = way

    def forward(self, x):
        return self.way(self, x)


class Gained(nn.Module):
    """What has no weights, with a gain behind it."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(6))

    def forward(self, x):
        return F.normalize(x, dim=-1) * self.gain


def lifted(layer, channels, *sizes):
    """Put a layer after a convolution of the same dimension, so that channels are read one by one."""
    conv = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[len(sizes) - 1]
    return Between(layer, nn.Sequential(conv(2, channels, 1), nn.LeakyReLU(0.2)), (2, *sizes))


CASES = {
    "linear": lambda: Between(nn.Linear(6, 5), None, (6,)),
    "linear over tokens": lambda: Between(nn.Linear(3, 5, bias=False), None, (2, 3)),
    "product": lambda: Between(Matrix(lambda m, x: x @ m.weight), None, (6,)),
    "product, transposed": lambda: Between(Matrix(lambda m, x: x @ m.weight.T), None, (6,)),
    "addmm": lambda: Between(Matrix(lambda m, x: torch.addmm(m.bias, x, m.weight), bias=True), None, (6,)),
    "conv1d": lambda: lifted(nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2), 4, 7),
    "conv1d same, dilated": lambda: lifted(nn.Conv1d(4, 4, 4, padding="same", dilation=2), 4, 9),
    "conv1d replicate": lambda: lifted(nn.Conv1d(4, 2, 3, padding=2, padding_mode="replicate"), 4, 5),
    "conv2d": lambda: lifted(nn.Conv2d(4, 6, (3, 2), (2, 1), (1, 0), (1, 2), groups=2), 4, 6, 5),
    "conv2d depthwise": lambda: lifted(nn.Conv2d(4, 8, 3, groups=4, bias=False), 4, 4, 4),
    "conv2d reflect": lambda: lifted(nn.Conv2d(4, 4, 3, padding=1, padding_mode="reflect"), 4, 4, 4),
    "conv2d circular": lambda: lifted(nn.Conv2d(4, 4, 3, padding="same", padding_mode="circular"), 4, 4, 4),
    "conv2d valid": lambda: lifted(nn.Conv2d(4, 4, 2, padding="valid"), 4, 3, 4),
    "conv3d": lambda: lifted(nn.Conv3d(4, 4, (2, 1, 2), stride=(1, 2, 1), padding=1, groups=2), 4, 3, 2, 3),
    "transposed 1d": lambda: lifted(nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), 4, 4),
    "transposed 1d, dilated": lambda: lifted(nn.ConvTranspose1d(4, 3, 3, dilation=2, bias=False), 4, 4),
    "transposed 2d": lambda: lifted(nn.ConvTranspose2d(4, 6, (3, 2), (1, 3), (2, 1), (0, 2), groups=2), 4, 3, 3),
    "transposed 3d": lambda: lifted(nn.ConvTranspose3d(4, 2, 2, stride=2), 4, 2, 2, 2),
    "embedding": lambda: Tokens(nn.Embedding(11, 5)),
    "embedding, padded": lambda: Tokens(nn.Embedding(11, 5, padding_idx=2)),
    "bilinear": lambda: Two(nn.Bilinear(3, 2, 5)),
    "layer norm": lambda: Between(nn.LayerNorm(6), None, (6,)),
    "layer norm over two axes": lambda: Between(nn.LayerNorm((2, 3)), None, (4, 2, 3)),
    "rms norm": lambda: Between(nn.RMSNorm(6), None, (6,)),
    "batch norm": lambda: Between(nn.BatchNorm1d(6), None, (6,)),
    "batch norm 2d": lambda: lifted(nn.BatchNorm2d(4), 4, 3, 3),
    "batch norm 3d": lambda: lifted(nn.BatchNorm3d(4), 4, 2, 2, 2),
    "group norm": lambda: lifted(nn.GroupNorm(2, 4), 4, 3, 3),
    "instance norm": lambda: lifted(nn.InstanceNorm2d(4, affine=True), 4, 3, 3),
    "instance norm, running": lambda: lifted(nn.InstanceNorm1d(4, affine=True, track_running_stats=True), 4, 5),
    "unit norm": lambda: Between(Gained(), None, (6,)),
    "prelu": lambda: Between(nn.PReLU(), None, (6,)),
    "prelu per channel": lambda: lifted(nn.PReLU(4), 4, 3, 3),
}
QUICK = [name for name in CASES if not name.startswith(("product", "addmm", "unit"))]  # those of a module


def make(name, dtype=torch.float64):
    """Return a model in general position, in evaluation mode."""
    torch.manual_seed(0)
    model = CASES[name]().to(dtype)
    for module in model.modules():
        if getattr(module, "running_mean", None) is not None:
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2.0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter))
        if name == "embedding, padded":
            model.layer.weight[2] = 0  # as torch makes it, and leaves it
    x = torch.randint(0, 11, (5, 4)) if isinstance(model, Tokens) else torch.randn(5, 4, dtype=dtype)
    return model.eval(), x


def explicit(model, x):
    """Return the kernel, computed row by row."""
    wanted = list(trainable_parameters(model).values())
    rows = [
        torch.cat([slope.flatten() for slope in torch.autograd.grad(value, wanted, retain_graph=True)])
        for value in model(x).flatten()
    ]
    return torch.stack(rows) @ torch.stack(rows).T


def test_every_kind_is_tried():
    models = [make(name)[0] for name in CASES]
    tried = {type(rule_for(module)) for model in models for module in model.modules()} - {type(None)}
    elsewhere = {layer_rules.Attention, layer_rules.QkvProjection}  # tests/pytorch/test_multihead.py
    untried = {type(kind).__name__ for kind in LAYER_RULES if kind.module_types and type(kind) not in tried | elsewhere}
    assert not untried, f"{untried} of LAYER_RULES have no model in CASES"
    assert tried | elsewhere <= {type(kind) for kind in LAYER_RULES}
    assert [module for kind in LAYER_RULES for module in kind.module_types if not issubclass(module, nn.Module)] == []


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_is_that_of_autograd(name):
    model, x = make(name)
    true = explicit(model, x)
    torch.testing.assert_close(tangent_kernel(model, x), true, rtol=0, atol=1e-11 * float(true.abs().max()))
    with measurement_mode(model):
        tangent = PerSampleJacobian(model, {}, x, dict.fromkeys(trainable_parameters(model), 1.0), "full")
    assert (tangent.general == ()) == (name in QUICK)


def orthogonal(model, x, layout, key):
    """Return whether Σ power·⟨θ, ∂L/∂θ⟩ = 0 for some loss L, as it is if the function does not depend on the scale
    of a space."""
    parameters = dict(model.named_parameters())
    model.zero_grad()
    (model(x) ** 3).sum().backward()
    terms = [
        power * float((parameters[name].detach() * parameters[name].grad).sum())
        for name, power in layout.exponents([key]).items()
        if name in parameters
    ]
    return abs(sum(terms)) < 1e-11 * sum(map(abs, terms))


@pytest.mark.parametrize("run", [False, True], ids=["traced", "run"])
@pytest.mark.parametrize("name", CASES)
def test_knobs_keep_the_function_and_what_is_conserved_is(name, run):
    model, x = make(name)
    inputs, before = x if run else None, outputs(model, x)
    layout = structure(model, inputs)
    free = [key for key, space in layout.spaces.items() if space.is_free and space.writers and not space.norms]
    assert free
    assert all(orthogonal(model, x, layout, key) for key in free)
    pairs = balance(model, inputs=inputs).pairs
    used = {layer for pair in pairs for layer in (*pair.writers, *pair.readers)}
    if not name.startswith(("unit", "prelu")):
        assert "layer" in used
    for pair in pairs:
        ends = pair.writers[0], pair.readers[0]
        moved = copy.deepcopy(model)
        upstream_(moved, 3.0, layers=ends, inputs=inputs)
        assert gap(before, outputs(moved, x)) < 1e-11
        rescale_(moved, delta=0.7, layers=ends, inputs=inputs)
        assert gap(before, outputs(moved, x)) < 1e-11
        assert balance(moved, inputs=inputs).deltas[pair.name] == pytest.approx(0.7)
        if pair.units is not None:
            assert float(pair.units.sum()) == pytest.approx(pair.delta)
            rescale_(moved, delta=-0.4, layers=ends, each=True, inputs=inputs)
            assert gap(before, outputs(moved, x)) < 1e-11
            units = next(other.units for other in balance(moved, inputs=inputs).pairs if other.name == pair.name)
            assert units.tolist() == pytest.approx([-0.4] * len(units))


@pytest.mark.parametrize("name", CASES)
def test_each_unit_conserves_its_own(name):
    """Along the gradient, d(p² − q²)/dt of every single unit is 0."""
    model, x = make(name)
    parameters = dict(model.named_parameters())
    (model(x) ** 3).sum().backward()
    size = 1e-6
    before = balance(model).pairs
    states = []
    for sign in (1, -1):
        other = copy.deepcopy(model)
        with torch.no_grad():
            for key, parameter in other.named_parameters():
                parameter.add_(sign * size * parameters[key].grad)
        states.append(balance(other).pairs)
    for pair, up, down in zip(before, *states, strict=True):
        if pair.units is not None:
            slope = (up.units - down.units) / (2 * size)
            scale = sum(float((p.detach().abs() * p.grad.abs()).sum()) for p in model.parameters())
            assert float(slope.abs().max()) < 1e-8 * scale


UNITS = {name for name in CASES if not name.startswith(("layer norm over", "prelu", "linear over"))}


@pytest.mark.parametrize("name", sorted(UNITS))
def test_units_are_told_apart(name):
    """Where one entry of the weight belongs to one unit."""
    model, _ = make(name)
    behind = [pair for pair in balance(model).pairs if "layer" in (*pair.writers, *pair.readers)]
    assert all(pair.units is not None for pair in behind)


@pytest.mark.parametrize("name", CASES)
def test_activations_are_named_after_weight_layers(name):
    model, x = make(name)
    expected = "layer" if rule_for(model.layer) is None or rule_for(model.layer).names_activation else None
    seen = list(metrics.observe(model, x).patterns)
    if name.startswith(("product", "addmm", "unit")):
        return  # the parameter is the layer's own; which function reads it is not asked here
    assert (expected in seen) == (expected is not None)


def test_a_padding_that_is_not_zero_is_frozen():
    """Its gradient is always 0, so that the table as a whole does not follow the flow: kernel and balance say so."""
    model, x = make("embedding, padded")
    with torch.no_grad():
        model.layer.weight[2] = 1.0
    assert (x == 2).any()
    torch.testing.assert_close(tangent_kernel(model, x), explicit(model, x))
    for inputs in (None, x):
        layout = structure(model, inputs)
        assert not orthogonal(model, x, layout, layout.layers[0].writes)
        found = balance(model, inputs=inputs)
        assert found.pairs == ()
        assert found.reasons_without == {"layer": "'layer.weight' is frozen in part (its padding)"}
    before = outputs(model, x)
    upstream_(model, 3.0)
    assert gap(before, outputs(model, x)) < 1e-12


def test_what_reads_one_space_twice_has_a_fixed_scale():
    """xᵀWx is of degree 2 in x: no power of one factor makes up for it in W and keeps δ a difference of squares."""

    class Square(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.form = nn.Linear(4, 3), nn.Bilinear(3, 3, 2)

        def forward(self, x):
            x = self.one(x)
            return self.form(x, F.relu(x))

    with pytest.raises(ValueError, match="what 'one' writes has a fixed scale: 'form' multiplies it by itself"):
        upstream_(Square(), 2.0)

    class Fork(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, self.one, self.two, self.form = (
                nn.Linear(4, 3), nn.Linear(3, 3), nn.Linear(3, 3), nn.Bilinear(3, 3, 2)
            )  # fmt: skip

        def forward(self, x):
            x = F.relu(self.stem(x))
            return self.form(self.one(x), self.two(x))

    model, x = Fork().double(), torch.randn(5, 4).double()
    with pytest.raises(ValueError, match="'form' reads what 'stem' writes with both of its inputs"):
        upstream_(model, 2.0)
    before = outputs(model, x)
    for ends in (("stem", "one"), ("one", "form"), ("two", "form")):
        upstream_(model, 3.0, layers=ends, inputs=x)
        assert gap(before, outputs(model, x)) < 1e-12


class Scale(nn.Module):
    """One learned factor per unit."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))

    def forward(self, x):
        return x * self.weight


class Diagonal(layer_rules.LayerRule):
    """A diagonal matrix: its inputs and outputs lie along its one axis."""

    module_types = (Scale,)
    input_axes = ("last",)

    def axes(self, view):
        return 0, (0,)

    def columns(self, module, args, m):
        return self.signals(module, args[0], m)

    def signals(self, module, value, m):
        return split_samples(value, m, value.shape[-1], 1)


def test_a_new_kind_is_a_class_and_a_line(monkeypatch):
    """A module that is no function of torch's is read as a whole, by tracing and by running."""
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(4, 6), Scale(6), nn.ReLU(), nn.Linear(6, 2)).double(), torch.randn(5, 4).double()
    before = outputs(model, x)
    assert [pair.name for pair in balance(model).pairs] == ["0 → 3"]  # unknown, it is a factor that is passed through
    assert list(metrics.observe(model, x).patterns) == ["0"]
    monkeypatch.setattr(layer_rules, "LAYER_RULES", (*LAYER_RULES, Diagonal()))
    with measurement_mode(model):
        assert PerSampleJacobian(model, {}, x, dict.fromkeys(trainable_parameters(model), 1.0), "full").general == ()
    torch.testing.assert_close(tangent_kernel(model, x), explicit(model, x))
    assert list(metrics.observe(model, x).patterns) == ["1"]
    for inputs in (None, x):
        for ends in (("0", "1"), ("1", "3"), ("0", "3")):
            upstream_(model, 3.0, layers=ends, inputs=inputs)
            assert gap(before, outputs(model, x)) < 1e-12
        for ends in (("0", "1"), ("1", "3")):
            rescale_(model, delta=0.5, layers=ends, each=True, inputs=inputs)
            assert gap(before, outputs(model, x)) < 1e-12
        layout = structure(model, inputs)
        assert all(orthogonal(model, x, layout, layout.layers[i].writes) for i in (0, 1))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_a_kind_that_is_not_known_is_measured_and_not_rescaled(mode):
    torch.manual_seed(0)
    model = nn.Sequential(nn.EmbeddingBag(11, 5, mode=mode), nn.ReLU(), nn.Linear(5, 3)).double()
    x = torch.randint(0, 11, (4, 3))
    torch.testing.assert_close(tangent_kernel(model, x), explicit(model, x))
    for inputs in (None, x):
        assert balance(model, inputs=inputs).pairs == ()
        with pytest.raises(ValueError, match="found '2'"):
            upstream_(model, 2.0, inputs=inputs)


def test_averages_over_some_of_the_positions_hide_the_units():
    """What is left of a volume after two of its three axes are averaged is read along the third, not by channels."""

    class Volume(nn.Module):
        def __init__(self, pool, width):
            super().__init__()
            self.conv, self.pool, self.head = nn.Conv3d(1, 2, 1), pool, nn.Linear(width, 3)

        def forward(self, x):
            return self.head(self.pool(F.relu(self.conv(x))))

    x = torch.randn(5, 1, 4, 4, 4).double()
    for pool, width, told in (
        (lambda x: x.mean((2, 3)), 4, False),
        (lambda x: x.mean((-1, -2)), 4, False),
        (lambda x: x.flatten(1, 3), 4, False),
        (lambda x: x.mean((2, 3, 4)), 2, True),
        (lambda x: x.sum(dim=(-1, -2, -3)), 2, True),
        (lambda x: x.amax((2, 3, 4), keepdim=True).flatten(1), 2, True),
        (lambda x: x.flatten(1), 128, True),
    ):
        model = Volume(pool, width).double()
        for inputs in (None, x):
            (pair,) = balance(model, inputs=inputs).pairs
            assert (pair.units is not None) == told
            if told:
                before = outputs(model, x)
                rescale_(model, delta=0.3, each=True, inputs=inputs)
                assert gap(before, outputs(model, x)) < 1e-12


def test_sums_of_kinds_keep_their_units():
    """A linear layer and the gain of a norm write into one stream, unit by unit."""

    class Stream(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two, self.norm, self.head = (
                nn.Linear(4, 6), nn.Linear(4, 6), nn.LayerNorm(6), nn.Linear(6, 3)
            )  # fmt: skip

        def forward(self, x):
            return self.head(F.relu(self.one(x) + self.norm(self.two(x))))

    model, x = Stream().double(), torch.randn(5, 4).double()
    before = outputs(model, x)
    (pair,) = balance(model).pairs
    assert pair.name == "one + norm → head"
    rescale_(model, delta=0.3, layers=("one", "head"), each=True)
    assert gap(before, outputs(model, x)) < 1e-12
    assert balance(model).pairs[0].units.tolist() == pytest.approx([0.3] * 6)
