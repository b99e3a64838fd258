"""Weights that are complex, sparse, quantized or nowhere; models inside wrappers; generators that are not torch's."""

import copy
import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.func import functional_call, jacrev
from torch.nn import functional as F
from training import blobs, mlp
from zoo import gap, outputs, same, state

from lazyrich.torch import Probe, balance, diagnose, kernel_distance, param_groups, rescale_, tangent_kernel, upstream_
from lazyrich.torch._probe.tangent_outputs import _jvp_by_double_backward, tangent_outputs

# -- complex weights -----------------------------------------------------------------------------------------------


class Complex(nn.Module):
    """Complex layers, read through their modulus; a real layer behind them."""

    def __init__(self, curved=False):
        super().__init__()
        self.one, self.two = (nn.Linear(a, b, dtype=torch.complex128) for a, b in ((4, 5), (5, 3)))
        self.out, self.curved = nn.Linear(3, 2, dtype=torch.float64), curved

    def forward(self, x):
        x = self.one(x.to(torch.complex128))
        return self.out(self.two(x.tanh() if self.curved else x).abs())


def spiral(curved=False):
    torch.manual_seed(0)
    return Complex(curved), torch.randn(6, 4, dtype=torch.float64)


@pytest.mark.parametrize("run", [False, True])
@pytest.mark.parametrize(
    "turn",
    [
        lambda model, **k: upstream_(model, 3.0, **k),
        lambda model, **k: upstream_(model, 3.0, layers=("one", "two"), **k),
        lambda model, **k: rescale_(model, delta=2.0, layers=("one", "two"), **k),
        lambda model, **k: rescale_(model, delta=2.0, layers=("one", "two"), each=True, **k),
    ],
)
def test_complex_weights_are_rescaled_whole(turn, run):
    model, x = spiral()
    before, start = outputs(model, x), state(model)
    turn(model, **({"inputs": x} if run else {}))
    assert gap(before, outputs(model, x)) < 1e-14
    assert not same(start, state(model))


def test_complex_weights_have_the_deltas_of_their_real_and_imaginary_parts():
    model, _ = spiral()
    parts = {k: torch.view_as_real(v.detach()) for k, v in model.named_parameters() if v.is_complex()}
    (pair,) = [p for p in balance(model).pairs if p.name == "one → two"]
    enters = parts["one.weight"].square().sum((1, 2)) + parts["one.bias"].square().sum(1)
    np.testing.assert_allclose(pair.units, parts["two.weight"].square().sum((0, 2)) - enters, rtol=1e-14)
    assert rescale_(model, delta=1.5, layers=("one", "two")).delta[1] == pytest.approx(1.5)


def test_complex_weights_conserve_their_deltas():
    model, x = spiral()
    start = balance(model)
    drifts = []
    for rate in (1e-3, 5e-4):
        twin = copy.deepcopy(model)
        optimizer = torch.optim.SGD(twin.parameters(), lr=rate)
        for _ in range(int(0.02 / rate)):
            optimizer.zero_grad()
            twin(x).square().sum().backward()
            optimizer.step()
        drifts.append([float((p.units - q.units).abs().max()) for p, q in zip(balance(twin).pairs, start.pairs)])  # noqa: B905
    # Descent conserves to first order: half the step, half the drift.
    np.testing.assert_allclose(np.divide(*drifts), 2.0, rtol=0.1)


@pytest.mark.parametrize("looped", [False, True])
def test_the_kernel_of_complex_weights_is_that_of_their_parts(looped, monkeypatch):
    model, x = spiral(curved=True)
    if looped:
        monkeypatch.setattr("lazyrich.torch._jacobian.per_sample_jacobian.vmap", None)
    parts = {k: torch.view_as_real(v.detach()) if v.is_complex() else v.detach() for k, v in model.named_parameters()}

    def function(parts):
        whole = {k: torch.view_as_complex(v) if v.shape[-1] == 2 and k[:3] in ("one", "two") else v
                 for k, v in parts.items()}  # fmt: skip
        return functional_call(model, whole, (x,)).flatten()

    rows = torch.cat([j.flatten(1) for j in jacrev(function)(parts).values()], 1)
    torch.testing.assert_close(tangent_kernel(model, x), rows @ rows.T)


def test_complex_weights_are_probed():
    model, x = spiral(curved=True)
    start = {k: v.detach().clone() for k, v in model.named_parameters()}
    probe = Probe(model, x, sample=6)
    with torch.no_grad():
        model.one.weight.add_(1e-4j)
    probe.snapshot(1)
    data = probe.report().data.sel(step=1)
    assert float(data.parameter_distance.sel(layer="one")) == pytest.approx(1e-4 * 20**0.5)
    assert 0 < float(data.linearization_gap) < 1e-2 * float(data.function_distance)
    direction = {k: v.detach() - start[k] for k, v in model.named_parameters()}
    found = tangent_outputs(model, start, x).tangent - tangent_outputs(model, start, x).start
    with torch.no_grad():
        _, change = _jvp_by_double_backward(lambda values: functional_call(model, values, (x,)), start, direction)
    torch.testing.assert_close(found, change)


def test_complex_weights_that_are_not_numbers_are_named():
    model, x = spiral()
    with torch.no_grad():
        model.one.weight[0, 0] = complex(0, float("nan"))
    with pytest.raises(ValueError, match=r"'one.weight' has 1 of 20 entries that are NaN or infinite"):
        tangent_kernel(model, x)


# -- coarse weights ------------------------------------------------------------------------------------------------


class Quantized(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        weight = torch.linspace(-20, 20, 20).reshape(5, 4).to(dtype)
        self.weight, self.last = nn.Parameter(weight, requires_grad=False), nn.Linear(5, 2)

    def forward(self, x):
        return self.last(F.relu(F.linear(x, self.weight.float())))


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn, torch.float8_e5m2])
def test_quantized_weights_are_measured_and_not_rescaled(dtype):
    torch.manual_seed(0)
    model, x = Quantized(dtype), torch.randn(6, 4)
    plain = nn.Sequential(nn.Linear(4, 5, bias=False), nn.ReLU(), copy.deepcopy(model.last))
    plain[0].weight = nn.Parameter(model.weight.float(), requires_grad=False)
    torch.testing.assert_close(tangent_kernel(model, x), tangent_kernel(plain, x))
    nn.init.zeros_(model.last.weight)  # a readout at 0: layers are compared with autograd at other values
    assert tangent_kernel(model, x).shape == (12, 12)
    nn.init.ones_(model.last.weight)
    before = [p.detach().clone() for p in model.parameters()]
    for turn in (lambda: upstream_(model, 1.1), lambda: rescale_(model, delta=-3000.0, each=True)):
        with pytest.raises(ValueError, match=rf"'weight' is stored as {dtype}, which is too coarse to be multiplied"):
            turn()
    assert all(torch.equal(a.float(), b.float()) for a, b in zip(before, model.parameters(), strict=True))


# -- sparse gradients ----------------------------------------------------------------------------------------------


class Bag(nn.Module):
    def __init__(self, how, sparse):
        super().__init__()
        self.how, self.sparse = how, sparse
        self.table = (nn.EmbeddingBag if how == "bag" else nn.Embedding)(7, 4, sparse=sparse)
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        if self.how == "bag":
            return self.last(self.table(x))
        rows = F.embedding(x, self.table.weight, sparse=self.sparse) if self.how == "call" else self.table(x)
        return self.last(rows.mean(1).relu())


@pytest.mark.parametrize("how", ["module", "call", "bag"])
def test_sparse_gradients_are_like_dense_ones(how):
    found = []
    x = torch.randint(0, 7, (9, 3), generator=torch.Generator().manual_seed(0))
    for sparse in (True, False):
        torch.manual_seed(0)
        model = Bag(how, sparse)
        probe = Probe(model, x, sample=6)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            model(x).square().sum().backward()
            optimizer.step()
        probe.snapshot(3)
        found.append((tangent_kernel(model, x), torch.tensor(list(probe.report().evidence.values()))))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, equal_nan=how == "bag")  # a bag has no forward derivative


# -- what is not there ---------------------------------------------------------------------------------------------

ACTIONS = {
    "kernel": tangent_kernel,
    "balance": lambda model, x: balance(model, inputs=x),
    "upstream": lambda model, x: upstream_(model, 2.0, inputs=x),
    "groups": lambda model, x: param_groups(model, 2.0, 0.1),
    "probe": Probe,
    "diagnose": lambda model, x: diagnose(model, [(x, x)], steps=1, loss=F.mse_loss, optimizer=torch.optim.SGD),
}


def nowhere():
    with torch.device("meta"):
        return mlp()


def for_inference():
    with torch.inference_mode():
        return mlp()


def sparse_weight():
    model = mlp()
    model[0].weight = nn.Parameter(model[0].weight.detach().to_sparse())
    return model


@pytest.mark.filterwarnings("ignore:.*torch.jit")
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (nowhere, r"'0.weight' has no values \(device meta\): load or initialize"),
        (for_inference, r"'0.weight' was made in torch.inference_mode\(\).*copy.deepcopy\(model\)"),
        (sparse_weight, r"'0.weight' is sparse \(torch.sparse_coo\): store it densely"),
        (lambda: torch.jit.script(mlp()), "a scripted model hides its layers: give the module that it was made of"),
        (lambda: torch.jit.trace(mlp(), blobs()[0]), "a scripted model hides its layers"),
    ],
    ids=["meta", "inference", "sparse", "scripted", "traced"],
)
def test_models_that_cannot_be_measured_are_refused(make, message, action):
    with pytest.raises(ValueError, match=message):
        ACTIONS[action](make(), blobs()[0])


def test_a_state_without_values_is_refused():
    model = mlp()
    with pytest.raises(ValueError, match=r"'0.weight' has no values \(device meta\): load the state first"):
        kernel_distance(model, dict.fromkeys(model.state_dict(), None) | nowhere().state_dict(), blobs()[0])


def test_exported_models_are_refused():
    x = blobs()[0]
    exported = torch.export.export(mlp(), (x,)).module()
    with pytest.raises(
        ValueError, match=r"cannot be switched to evaluation mode .*give the module that it was made of"
    ):
        tangent_kernel(exported, x)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.to_sparse(), r"inputs are nested or sparse \(torch.sparse_coo\).*inputs.to_dense\(\)"),
        (lambda x: x.to_sparse_csr(), r"inputs are nested or sparse \(torch.sparse_csr\)"),
        (lambda x: torch.nested.nested_tensor(list(x)), "inputs are nested or sparse"),
        (lambda x: x.to("meta"), r"inputs have no values \(device meta\)"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*prototype", "ignore:Sparse CSR")
def test_inputs_that_cannot_be_measured_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        tangent_kernel(mlp(), change(blobs()[0]))


def test_a_model_of_one_mapping_is_called_as_it_should_be():
    inputs = {"x": blobs()[0]}
    with pytest.raises(ValueError, match=r"raised in .*'x'"):
        balance(mlp(), inputs=inputs)

    class Picks(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = mlp()

        def forward(self, given):
            return self.net(given["x"])

    found = balance(Picks(), inputs=inputs, forward=lambda model, batch: model(batch))
    assert [pair.name for pair in found.pairs] == ["net.0 → net.2"]


def test_inputs_from_inference_mode_are_measured_and_trained_on():
    with torch.inference_mode():
        x = blobs()[0].clone()
    assert x.is_inference()
    model = mlp()
    torch.testing.assert_close(tangent_kernel(model, x), tangent_kernel(model, x.clone()))
    found = diagnose(model, [(x, torch.zeros(60, 3))], steps=2, loss=F.mse_loss,
                     optimizer=lambda p: torch.optim.SGD(p, lr=0.1), alphas=(2.0,), sample=5)  # fmt: skip
    assert len(found.runs[2.0].losses) == 2


# -- wrappers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [nn.DataParallel, torch.optim.swa_utils.AveragedModel, lambda m: torch.compile(nn.DataParallel(m))],
    ids=["parallel", "averaged", "compiled and parallel"],
)
def test_wrapped_models_are_those_inside(wrap):
    torch.manual_seed(0)
    model, (x, y) = mlp(), blobs()
    wrapped = wrap(model)
    torch.testing.assert_close(tangent_kernel(wrapped, x), tangent_kernel(model, x))
    assert str(balance(wrapped)) == str(balance(model))
    assert str(param_groups(wrapped, 2.0, 0.1)) == str(param_groups(model, 2.0, 0.1))
    before = {name: value.clone() for name, value in wrapped.state_dict().items()}
    assert kernel_distance(wrapped, before, x).value == 0
    probe, function = Probe(wrapped, x, sample=6), outputs(model, x)
    assert upstream_(wrapped, 2.0, inputs=x).applied
    assert kernel_distance(wrapped, before, x).value > 0.01
    if wrap is not torch.optim.swa_utils.AveragedModel:  # which holds a copy
        assert gap(function, outputs(model, x)) < 1e-6
        assert kernel_distance(model, before, x).value > 0.01
    probe.snapshot(1)
    found = diagnose(wrapped, [(x, y)], steps=1, loss=F.cross_entropy, alphas=(2.0,), sample=5,
                     optimizer=lambda p: torch.optim.SGD(p, lr=0.1))  # fmt: skip
    assert set(found.runs) == {1.0, 2.0}


# -- random numbers ------------------------------------------------------------------------------------------------


class Drawing(nn.Module):
    """Draws from all three generators, and lets it be seen in training mode only."""

    def __init__(self):
        super().__init__()
        self.net = mlp()

    def forward(self, x):
        noise = np.random.normal() + random.random() + float(torch.randn(()))  # noqa: NPY002
        return self.net(x) + (noise if self.training else 0.0)


def generators():
    _, keys, place, *rest = np.random.get_state()  # noqa: NPY002
    return keys.tolist(), place, rest, random.getstate(), torch.get_rng_state().tolist()


def test_the_generators_of_torch_numpy_and_python_are_left_as_they_were():
    model, (x, y) = Drawing(), blobs()
    before = generators()
    probe = Probe(model, x, sample=6)
    probe.snapshot(1)
    tangent_kernel(model, x)
    upstream_(model, 2.0, inputs=x)
    balance(model, inputs=x)
    with pytest.raises(ValueError, match="the forward pass raised"):
        tangent_kernel(model, x[:, :3])
    found = diagnose(model, [(x, y)], steps=3, loss=F.cross_entropy, alphas=(2.0,), knob=lambda m, a: None, sample=5,
                     optimizer=lambda p: torch.optim.SGD(p, lr=0.1))  # fmt: skip
    assert generators() == before
    assert found.runs[1.0].losses == found.runs[2.0].losses, "all copies see the same random numbers"


def test_a_model_that_takes_no_single_input_is_refused_in_words():
    model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.GroupNorm(1, 1), torch.nn.Linear(1, 1))
    with pytest.raises(ValueError, match="does not take one input at a time"):
        tangent_kernel(model, torch.randn(4, 3))
