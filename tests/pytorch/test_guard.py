"""The user's model comes out as it went in, and what cannot be measured is refused in words."""

import copy
from collections import deque

import pytest
import torch
from torch import nn

from lazyrich.torch._model.preserve_model import (
    NonFiniteModelError,
    check_outputs,
    measurement_mode,
    preserve_model,
    trainable_parameters,
)
from lazyrich.torch.kernel import kernel_distance, tangent_kernel


class Messy(nn.Module):
    """Batch norm, dropout, a frozen part, state kept in attributes, a hook of the user's."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.drop = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5)
        self.last, self.log, self.seen = nn.Linear(4, 2), {}, None
        self.calls, self.history, self.last_ones, self.met = 0, [], deque([0.0], maxlen=2), {0}
        self.last.bias.requires_grad_(False)
        self.first.register_forward_hook(self.count)

    def count(self, *_):
        self.calls += 1

    def forward(self, x):
        self.seen = self.first(x)
        self.log["mean"] = self.seen.mean()
        self.history.append(len(x))
        self.last_ones.append(float(self.seen.detach().mean()))
        self.met.add(len(x))
        return self.last(self.drop(self.norm(self.seen)))


def picture(model):
    """Return everything about a model that a user could notice."""
    return {
        "values": {k: v.clone() for k, v in model.state_dict().items()},
        "identity": {k: (id(v), v.data_ptr()) for k, v in [*model.named_parameters(), *model.named_buffers()]},
        "grad": {k: (id(p.grad), None if p.grad is None else p.grad.clone()) for k, p in model.named_parameters()},
        "trained": {k: p.requires_grad for k, p in model.named_parameters()},
        "mode": {k: m.training for k, m in model.named_modules()},
        "hooks": {k: (list(m._forward_hooks), list(m._forward_pre_hooks)) for k, m in model.named_modules()},
        "kept": (id(model.seen), dict(model.log), model.calls),
        "containers": (list(model.history), list(model.last_ones), set(model.met)),
        "which": (id(model.history), id(model.last_ones), model.last_ones.maxlen, id(model.met)),
        "random": torch.get_rng_state(),
        "version": {k: p._version for k, p in model.named_parameters()},
    }


def same(one, other):
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return one == other


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = Messy()
    model(torch.randn(6, 3)).square().sum().backward()
    model.norm.eval()  # modules of one model in different modes
    return model


def ruin(model):
    model.train()
    model(torch.randn(5, 3)).sum().backward()
    model.first.weight.data = torch.zeros(4, 3)
    with torch.no_grad():
        model.last.weight.mul_(2)
    model.last.bias.requires_grad_(True)
    model.norm.register_forward_pre_hook(print)
    model.first._forward_hooks.clear()
    model.extra, model.log["more"] = 1, 2


def test_untouched_restores_everything(model):
    before = picture(model)
    with preserve_model(model):
        ruin(model)
        assert not same(before, picture(model))
    after = picture(model)
    (
        before["version"].pop("last.weight"),
        after["version"].pop("last.weight"),
    )  # changed in place, so its count has moved
    for key in before:
        assert same(before[key], after[key]), key
    assert not hasattr(model, "extra")


def test_untouched_restores_also_when_an_exception_flies(model):
    before = picture(model)
    with pytest.raises(RuntimeError, match="boom"), measurement_mode(model):  # noqa: PT012
        ruin(model)
        raise RuntimeError("boom")
    after = picture(model)
    before["version"].pop("last.weight"), after["version"].pop("last.weight")
    for key in before:
        assert same(before[key], after[key]), key


def test_a_graph_of_the_users_survives(model):
    x = torch.randn(4, 3)
    loss = model(x).square().sum()
    tangent_kernel(model, x)
    loss.backward()
    assert model.first.weight.grad is not None


@pytest.mark.parametrize("fails", [False, True])
def test_measuring_leaves_no_trace(model, fails):
    x = torch.randn(6, 3)
    other = copy.deepcopy(model.state_dict())
    before = picture(model)
    if fails:
        with pytest.raises(ValueError, match="no trainable parameter"):
            kernel_distance(model, other, x, rates={"nowhere": 1.0})
        with pytest.raises(ValueError, match="in layer 'first'"):
            tangent_kernel(model, x[:, :2])
    else:
        kernel_distance(model, other, x)
        kernel_distance(model, other, x, method="subsample", size=4, repeats=2)
    after = picture(model)
    for key in before:
        assert same(before[key], after[key]), key


def test_the_function_measured_is_that_of_eval_mode(model):
    x = torch.randn(6, 3)
    training = tangent_kernel(model.train(), x)
    torch.testing.assert_close(training, tangent_kernel(model.eval(), x))
    assert "in eval mode" in kernel_distance(model.train(), model.state_dict(), x).method


def precision():
    backends = torch.backends
    parts = [p for library in (backends.cudnn, backends.mkldnn) for p in (library.conv, library.rnn)]
    return [p.fp32_precision for p in (*parts, backends.cuda.matmul, backends.mkldnn.matmul)]


@pytest.fixture
def switches():
    """Yield the precision switches, older and newer ones, and restore the user's choice afterwards."""
    backends = torch.backends
    parts = (backends, backends.cuda.matmul, backends.cudnn.conv, backends.mkldnn.matmul)
    before, legacy = [p.fp32_precision for p in parts], torch.get_float32_matmul_precision()
    yield parts
    torch.set_float32_matmul_precision(legacy)
    for part, value in zip(parts, before, strict=True):
        part.fp32_precision = value


@pytest.mark.skipif(not hasattr(torch.backends.cuda.matmul, "fp32_precision"), reason="came with PyTorch 2.9")
@pytest.mark.parametrize("choice", ["none", "older", "all", "conv"])
def test_products_are_in_full_precision(model, choice, switches):
    everything, _, conv, _ = switches
    if choice == "older":
        torch.set_float32_matmul_precision("medium")
    if choice in ("all", "conv"):
        (everything if choice == "all" else conv).fp32_precision = "tf32" if choice == "all" else "ieee"
    before = precision()
    with pytest.raises(RuntimeError, match="boom"), measurement_mode(model):  # noqa: PT012
        assert precision() == ["ieee"] * 6
        assert torch.backends.cudnn.enabled
        raise RuntimeError("boom")
    assert precision() == before
    if choice == "older":
        assert torch.get_float32_matmul_precision() == "medium"


def test_recurrent_layers_go_without_cudnn():
    """Its backward pass exists in training mode only."""
    before = torch.backends.cudnn.enabled
    with measurement_mode(nn.LSTM(2, 2)):
        assert not torch.backends.cudnn.enabled
    assert torch.backends.cudnn.enabled == before


def test_leaves():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    second.weight = first.weight
    second.bias.requires_grad_(False)
    assert list(trainable_parameters(nn.Sequential(first, second))) == ["0.weight", "0.bias"]


def linear(**changes):
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    for name, value in changes.items():
        model.get_parameter(name.replace("_", ".")).data.view(-1)[0] = value
    return model


class Wrapped(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.inner, self.change = nn.Linear(3, 2), change

    def forward(self, x):
        return self.change(self.inner(x))


X = torch.linspace(-1, 1, 15).reshape(5, 3)


@pytest.mark.parametrize(
    ("model", "inputs", "words"),
    [
        (nn.ReLU(), X, "ReLU has no trainable parameters: it has none at all"),
        (nn.Linear(3, 2).requires_grad_(False), X, "no trainable parameters: all 2 have requires_grad=False"),
        (linear(**{"2_weight": torch.nan}), X, r"'2.weight' has 1 of 8 entries that are NaN or infinite"),
        (nn.LazyLinear(2), X, "'weight' has no shape yet"),
        ("model", X, r"must be a torch.nn.Module; found str"),
        (linear(), "text", "inputs must be a tensor, or a tuple or mapping of tensors, .* found str"),
        (linear(), (X, X[:2]), r"samples along their first axis; found shapes \(5, 3\), \(2, 3\)"),
        (linear(), {"x": X}, r"raised in the model itself .* shape \(5, 3\).*unexpected keyword argument 'x'"),
        (linear(), X[:0], r"inputs are empty: found shape \(0, 3\)"),
        (linear(), X / 0, "inputs contain NaN or infinite"),
        (linear(), X[:, :2], r"raised in layer '0' \(Linear\) on an input of shape \(5, 2\)"),
        (linear(), X.long(), r"layer '0' \(Linear\) .* pass inputs.to\(torch.float32\)"),
        (nn.Embedding(3, 2), X, "An embedding takes integer tokens"),
        (Wrapped(lambda z: (z.sum(), "z")), X, "must return a float tensor .* found tuple"),
        (Wrapped(lambda z: z.argmax(1)), X, "must return a float tensor .* found torch.int64"),
        (Wrapped(lambda z: z.sum()), X, r"found \(\) for n = 5"),
        (Wrapped(lambda z: z[:, :, None]), X, r"found \(5, 2, 1\) for n = 5"),
        (Wrapped(lambda z: z / 0), X, "output is NaN or infinite on sample"),
        (Wrapped(lambda z: z + torch.rand_like(z)), X, "two passes on the same inputs give different outputs"),
        (Wrapped(lambda z: z - z.mean(0)), X, "the output of a sample depends on the other samples"),
        (
            nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2, track_running_stats=False)),
            X,
            "depends on the other samples: .*batch norm with track_running_stats=False",
        ),
    ],
)  # fmt: skip
def test_refusals_say_what_is_wrong(model, inputs, words):
    with pytest.raises(ValueError, match=words):
        check_outputs(model, inputs)


@pytest.mark.parametrize("model", [linear(**{"2_weight": torch.inf}), Wrapped(lambda z: z / 0)])
def test_divergence_is_an_error_of_its_own(model):
    with pytest.raises(NonFiniteModelError):
        check_outputs(model, X)


def test_outputs_are_those_of_the_model():
    model, x = linear(), torch.randn(600, 3)
    torch.testing.assert_close(check_outputs(model, x), model(x))
    assert check_outputs(nn.Sequential(model, nn.Linear(2, 1), nn.Flatten(0)), x).shape == (600, 1)


def test_outputs_that_cancel_are_no_reason_to_refuse():
    """Paired units: f = 0 up to rounding, which differs between batches of different sizes."""
    for seed in range(20):
        torch.manual_seed(seed)
        half, readout = nn.Linear(20, 40), torch.randn(1, 40)
        model = nn.Sequential(nn.Linear(20, 80), nn.ReLU(), nn.Linear(80, 1, bias=False))
        with torch.no_grad():
            model[0].weight.copy_(torch.cat([half.weight, half.weight]))
            model[0].bias.copy_(torch.cat([half.bias, half.bias]))
            model[2].weight.copy_(torch.cat([readout, -readout], 1))
        assert float(check_outputs(model, torch.randn(3 + 3 * seed, 20)).abs().max()) < 1e-4
